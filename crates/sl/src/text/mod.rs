//! The text notation: `x != z * x |-> y * ls(y, z)`.
//!
//! ```text
//! sort Ref;                                          // locations
//! record Cell { next: Ref, data: Int };              // what they can hold
//! heap Ref -> Cell;
//! pred sorted(x: Ref, low: Int) :=
//!     x = nil || exists y, d. low <= d * x |-> {next: y, data: d} * sorted(y, d);
//! var x: Ref;                                        // only where the sort cannot be guessed
//! x != nil * sorted(x, 0)
//! ```
//!
//! From weak to strong: `||`, `&&`, `-*`, `*`, `!`, relations (`=`, `!=`, `<=`, `<`, `>=`, `>`,
//! `|->`), `+` and `-`, `.field`. A quantifier reaches as far as it can. Products are written
//! `mul(2, n)`, since `*` separates. Names with other characters stand in backquotes.
//!
//! Without declarations there is one sort of locations, `Loc`; they hold records with the fields
//! that the formulas mention, or `{next: …}`; and `ls` is the acyclic list segment along `next`.

mod ast;
mod defaults;
mod elaborate;
mod lexer;
mod parser;
mod print;
mod sorts;

use std::sync::Arc;

use report::{Diagnostic, FileId};

use crate::formula::Formula;
use crate::signature::Signature;
use crate::sort::Var;

use elaborate::Missing;

pub use print::{print_document, print_formula};

/// Declarations and formulas that belong together.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Document {
    /// What is declared, or guessed.
    pub signature: Arc<Signature>,
    /// The stack variables with their sorts.
    pub constants: Vec<Var>,
    /// The formulas.
    pub formulas: Vec<Formula>,
}

/// Reads texts that share names: what one declares, all can mention.
///
/// # Errors
/// Says what is wrong with the first mistake.
pub fn parse(texts: &[(FileId, &str)]) -> Result<Document, Box<Diagnostic>> {
    let mut all = ast::Text::default();
    for (file, text) in texts {
        let parsed = parser::parse(*file, text)?;
        all.items.extend(parsed.items);
        all.formulas.extend(parsed.formulas);
    }
    elaborate::elaborate(&all, Missing::Refused)
}

/// As [`parse`]; fields that a record does not mention hold anything. Records of programs have many.
///
/// # Errors
/// As there.
pub fn parse_partial(texts: &[(FileId, &str)]) -> Result<Document, Box<Diagnostic>> {
    let mut all = ast::Text::default();
    for (file, text) in texts {
        let parsed = parser::parse(*file, text)?;
        all.items.extend(parsed.items);
        all.formulas.extend(parsed.formulas);
    }
    elaborate::elaborate(&all, Missing::Anything)
}

/// As [`parse`], for texts that have one formula each.
///
/// # Errors
/// As there, and if a text has no formula, or several.
pub fn parse_one_each(texts: &[(FileId, &str)]) -> Result<Document, Box<Diagnostic>> {
    let mut all = ast::Text::default();
    for (file, text) in texts {
        let mut parsed = parser::parse(*file, text)?;
        let problem = match parsed.formulas.as_slice() {
            [_] => None,
            [_, second, ..] => Some((second.span, "this is a second formula, where one is due")),
            [] => Some((parser::end(*file, text), "a formula is due here")),
        };
        if let Some((span, message)) = problem {
            return Err(Box::new(Diagnostic::error("sl.syntax", span, message)));
        }
        all.items.append(&mut parsed.items);
        all.formulas.append(&mut parsed.formulas);
    }
    elaborate::elaborate(&all, Missing::Refused)
}
