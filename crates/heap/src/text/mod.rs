//! Programs as text: printed, and parsed again.
//!
//! ```text
//! record node 16 { next: ptr node at 0; data: i32 at 8 }
//! proc last(x: ptr node) -> $value: ptr node {
//!   var y: ptr node;
//!   0: if (x != null) then 1 else 4
//!   1: y := [x: ptr node] goto 2
//!   2: if (y != null) then 3 else 4
//!   3: x := y goto 1
//!   4: $value := x goto 5
//!   5: return
//! }
//! ```
//!
//! Bodies may also be written with `if` and `while`; they are printed with locations. Contracts are formulas
//! between quotes, which are kept as they are: `requires "…"` and `ensures "…"` before a body, `invariant "…"`
//! at a location or behind the condition of a loop, `define "pred p(x) := …"` beside the procedures, and the commands
//! `assume formula "…"` and `assert formula "…"`. A clause of SPL says what it means in the notation of
//! `lancehead sl`, or why there is no such formula: `requires spl "lseg(x, null)" means "lseg(x, nil)"`,
//! `ensures spl pure "x in S" unknown "a set"`. `unsupported "…"` is a command of which nothing is known.

mod lexer;
mod parse;
mod parse_expr;
mod print;
mod structured;

pub use parse::{Problem, parse};
pub use print::{command, expr, print};

/// Is a name one that the text form gives a meaning to? Front ends call such things otherwise.
#[must_use]
pub fn is_keyword(name: &str) -> bool {
    const KEYWORDS: [&str; 51] = [
        "unsupported",
        "define",
        "requires",
        "ensures",
        "invariant",
        "while",
        "into",
        "limit",
        "model",
        "record",
        "global",
        "constant",
        "external",
        "proc",
        "entry",
        "var",
        "temp",
        "object",
        "at",
        "as",
        "goto",
        "if",
        "then",
        "else",
        "choose",
        "return",
        "skip",
        "alloc",
        "zeroed",
        "stack",
        "realloc",
        "free",
        "copy",
        "move",
        "fill",
        "enter",
        "leave",
        "forget",
        "assume",
        "assert",
        "divisor",
        "unreachable",
        "index",
        "havoc",
        "call",
        "print",
        "exit",
        "abort",
        "null",
        "local",
        "void",
    ];
    KEYWORDS.contains(&name) || matches!(name, "ptr" | "f32" | "f64")
}
