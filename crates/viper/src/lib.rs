//! The Viper language, complete and without a solver.
//!
//! ```text
//!  text ─► lexer ─► parser ─► ast ─► macros ─► check ─► core ─► plugins::desugar ─► core
//!                     │                          └► consistency        unparse ◄──┘
//!                     └─► fmt            print ◄── ast ◄──────────────────┘
//! ```
//!
//! * [`load`] reads a file with everything it imports; [`parser::parse`] reads one text.
//! * [`ast`] is the owned surface syntax. A front end can build it by hand, with positions of its
//!   own, and get them back in every diagnostic.
//! * [`check`] expands macros, resolves names, infers types, checks consistency, and yields
//! * [`core`], the typed program that a verifier trusts. [`plugins::desugar`] removes from it what is
//!   not core Viper: termination measures, ADTs, predicate instances, `refute`.
//! * [`print`] writes surface programs such that they parse back to the same tree; [`fmt`] formats
//!   text and loses no comment; [`unparse`] turns core back into surface syntax.
//!
//! What this crate does not know: solvers, heaps, how to report to a terminal.
//!
//! ```
//! use report::SourceMap;
//!
//! let text = "field f: Int  method m(x: Ref) requires acc(x.f) { x.f := x.f + true }";
//! let mut sources = SourceMap::new();
//! let file = sources.add("m.vpr", text);
//! let parsed = viper::parser::parse(file, text);
//! assert!(parsed.diagnostics.is_empty());
//!
//! let checked = viper::check(&parsed.program);
//! assert!(checked.program.is_none());
//! assert_eq!(checked.diagnostics[0].id, "typechecker.error");
//! assert_eq!(checked.diagnostics[0].message, "expected `Int`, found `Bool`");
//! ```

pub mod ast;
mod check;
mod consistency;
pub mod core;
pub mod fmt;
mod layout;
pub mod lexer;
pub mod loader;
pub mod macros;
pub mod parser;
pub mod plugins;
pub mod print;
mod stdlib;
pub mod unparse;
mod wording;

pub use check::{Checked, check};
pub use loader::{Files, Loaded, load};
pub use wording::closest;

/// Runs `f` on a thread whose stack holds a program of the greatest height that the parser lets
/// pass ([`parser::MAX_HEIGHT`]). All passes of this crate recurse over the tree; ordinary programs
/// need no such thread.
///
/// # Panics
/// If `f` does.
#[allow(clippy::panic)] // a machine that cannot start one thread is nothing to recover from
pub fn with_deep_stack<R: Send>(f: impl FnOnce() -> R + Send) -> R {
    /// Reserved, not used: pages of a stack cost nothing until they are touched.
    const STACK: usize = 512 << 20;
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, f);
        match thread.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(result)) => result,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(error) => std::panic::panic_any(format!("cannot start a thread: {error}")),
        }
    })
}
