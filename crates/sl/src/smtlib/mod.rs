//! SL-COMP's dialect of SMT-LIB: scripts with `declare-heap`, `pto`, `sep`, `wand`, `emp`, `nil`.
//!
//! [`parse`] runs the commands of a script and keeps, for every `check-sat`, what was asserted by
//! then. Pure atoms have the standard semantics. The first mistake ends it, with a position and a
//! sentence.

mod build;
mod command;
mod expr;
mod scope;

use std::sync::Arc;

use report::{Diagnostic, FileId, Pos};

use crate::formula::Formula;
use crate::signature::Signature;
use crate::sort::{Name, Var};

/// What a script's author says of a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// There is a model.
    Sat,
    /// There is none.
    Unsat,
    /// Nobody knows.
    Unknown,
}

impl Status {
    /// The word in the script.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Sat => "sat",
            Status::Unsat => "unsat",
            Status::Unknown => "unknown",
        }
    }
}

/// A script: its questions in order.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// `set-logic`, if it is there.
    pub logic: Option<Name>,
    /// The last `set-info :status`, if there is one.
    pub status: Option<Status>,
    /// Every `check-sat`.
    pub checks: Vec<Check>,
}

/// A `check-sat`: is there a stack and a heap for which all that was asserted holds?
#[derive(Clone, Debug)]
pub struct Check {
    /// What was declared by then.
    pub signature: Arc<Signature>,
    /// The stack variables, in the order of declaration.
    pub constants: Vec<Var>,
    /// What was asserted by then.
    pub assertions: Vec<Formula>,
    /// The last `set-info :status` since the command before it, if there is one.
    pub status: Option<Status>,
    /// Where the command is.
    pub pos: Pos,
}

/// Reads a script.
///
/// # Errors
/// Says what is wrong with the first command that is.
pub fn parse(file: FileId, text: &str) -> Result<Script, Box<Diagnostic>> {
    let commands = crate::sexp::read(file, text)?;
    let mut runner = command::Runner::default();
    for command in &commands {
        if runner.run(command)? == command::Next::Stop {
            break;
        }
    }
    Ok(runner.into_script())
}
