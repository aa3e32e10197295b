//! SPL, the language of GRASShopper [PWZ13], complete and without a solver.
//!
//! ```text
//!  text ─► lexer ─► parser ─► ast ─► macros ─► check ─► core
//!                     │        └─► print                 └─► lower ─► heap programs
//!                     └─► fmt
//! ```
//!
//! * [`loader::load`] reads a file with everything it includes; [`parser::parse`] reads one text.
//! * [`ast`] is the owned surface syntax.
//! * [`check()`] expands macros, resolves names, infers types, and yields
//! * [`core`], the typed program that a verifier trusts.
//! * [`lower::lower`] makes a `heap` program of it: commands, records, contracts as formulas.
//! * [`print`] writes programs such that they parse back to the same tree; [`fmt`] formats text and
//!   loses no comment.
//!
//! What this crate does not know: solvers, footprints, what any assertion means.
//!
//! ```
//! use report::SourceMap;
//!
//! let text = "struct N { var next: N; } procedure p(x: N) requires acc(x) { x.nxet := null; }";
//! let mut sources = SourceMap::new();
//! let file = sources.add("p.spl", text);
//! let parsed = spl::parser::parse(file, text);
//! let checked = spl::check(&parsed.program);
//! assert!(checked.program.is_none());
//! assert_eq!(checked.diagnostics[0].message, "there is no field `nxet`");
//! assert_eq!(checked.diagnostics[0].help.as_deref(), Some("did you mean `next`?"));
//! ```

pub mod ast;
mod check;
pub mod core;
pub mod fmt;
pub mod lexer;
pub mod loader;
pub mod lower;
mod macros;
mod options;
pub mod parser;
pub mod print;

pub use check::{Checked, check};
pub use options::{Options, options};
