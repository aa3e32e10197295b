//! What Viper adds to its core language with plugins, expressed in the core language: algebraic data
//! types, termination measures, predicate instances, `refute` and smoke detection; and assumptions
//! about permissions that are best expressed otherwise.
//!
//! Every plugin is a pass from core programs to core programs. A pass marks the nodes it makes with
//! [`ReportAs`](crate::core::ReportAs), so that a failed proof is reported where the user can see
//! why. What needs a solver is not here.

mod adt;
mod assume;
mod build;
mod merge;
mod predicate_instance;
mod refute;
mod scripts;
mod smoke;
pub mod termination;

pub(crate) use build::match_types;

use report::Diagnostic;

use crate::core::{ExprKind, Program, StmtKind};

/// Which plugins are on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Check termination measures; otherwise they are dropped.
    pub termination: bool,
    /// `#P(x)`
    pub predicate_instances: bool,
    /// `refute A`
    pub refute: bool,
    /// Algebraic data types.
    pub adt: bool,
    /// Report code that cannot be reached.
    pub smoke: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            termination: true,
            predicate_instances: true,
            refute: true,
            adt: true,
            smoke: false,
        }
    }
}

/// Expresses everything that is not core Viper in core Viper. Afterwards
/// [`Program::is_desugared`] holds unless an error is among the diagnostics.
///
/// The order matters: orders on types come before the ADTs, which derive theirs only if there is
/// something to derive it for; smoke detection must not see statements of other plugins; scripts are
/// checked while there are measures; termination checks make predicate instances of their own.
#[must_use]
pub fn desugar(mut program: Program, options: &Options) -> (Program, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    if options.termination {
        termination::add_orders(&mut program);
    }
    if options.adt {
        adt::apply(&mut program);
    } else {
        adt::refuse(&program, &mut diagnostics);
    }
    assume::apply(&mut program);
    if options.smoke {
        smoke::apply(&mut program);
    }
    smoke::remove_unreachable(&mut program);
    if options.refute || options.smoke {
        refute::apply(&mut program);
    } else {
        refute::refuse(&program, &mut diagnostics);
    }
    scripts::apply(&mut program);
    if options.termination {
        termination::apply(&mut program, &mut diagnostics);
    } else {
        termination::remove(&mut program);
    }
    if options.predicate_instances {
        predicate_instance::apply(&mut program, &mut diagnostics);
    } else {
        predicate_instance::refuse(&program, &mut diagnostics);
    }
    (program, diagnostics)
}

impl Program {
    /// Is it core Viper, without anything that a plugin has to express first?
    #[must_use]
    pub fn is_desugared(&self) -> bool {
        let mut plain = self.functions.iter().all(|f| f.decreases.is_empty())
            && self.methods.iter().all(|m| m.decreases.is_empty());
        for method in &self.methods {
            if let Some(body) = &method.body {
                body.walk_stmts(&mut |stmt| {
                    plain &= match &stmt.kind {
                        StmtKind::Refute(_) | StmtKind::Unreachable => false,
                        StmtKind::While { decreases, .. } => decreases.is_empty(),
                        _ => true,
                    };
                    plain
                });
            }
        }
        self.walk_exprs(&mut |e| {
            plain &= !matches!(e.kind, ExprKind::PredicateInstance(..));
            plain
        });
        plain
    }
}

#[cfg(test)]
mod tests;
