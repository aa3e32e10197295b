//! The rules of symbolic execution have one owner: who proves, and who reports what cannot be proved.
//!
//! An [`Executor`] is a [`Prover`], whose methods are its own ([`Deref`]), with [`Diagnostics`] beside it. What
//! needs no more than terms is written for an [`Encoding`](crate::encoding::Encoding), what needs no more than
//! path conditions and chunks for a [`Prover`]; only what evaluates, produces, consumes or executes parts of
//! the program is written for an [`Executor`].

use std::collections::HashSet;
use std::ops::{Deref, DerefMut};
use std::rc::Rc;
use std::sync::Arc;

use report::{Diagnostic, Pos};
use smt::{Session, Term};
use viper::core::{FunctionId, Info, PredicateId};

use crate::diagnostics::{Diagnostics, Reason, Unproved};
use crate::prover::{Prover, Run};
use crate::state::{Mode, State};

/// Says what helps against an error. Advice is tried before it is given, by the rules; they do not know by
/// whom.
pub(crate) type Advisor = fn(&mut Executor<'_>, &State, &Unproved, &Reason, &mut Diagnostic);

/// An instance that was unfolded: the predicate, its snapshot and its arguments.
pub(crate) type Unfolded = (PredicateId, Term, Rc<[Term]>);

pub(crate) struct Executor<'p> {
    prover: Prover<'p>,
    pub diagnostics: Diagnostics,
    /// How the assertions of the unit are looked at.
    pub mode: Mode,
    pub advisor: Option<Advisor>,
    /// Functions of the recursive group being verified: calls to them are limited.
    pub recursive: HashSet<FunctionId>,
    /// Instances that were unfolded while a function was evaluated.
    pub unfolded: Vec<Unfolded>,
}

impl<'p> Executor<'p> {
    pub fn new(prover: Prover<'p>, mode: Mode, advisor: Option<Advisor>) -> Executor<'p> {
        Executor {
            diagnostics: Diagnostics::new(prover.config.max_errors),
            prover,
            mode,
            advisor,
            recursive: HashSet::new(),
            unfolded: Vec::new(),
        }
    }

    /// Does something in another mode.
    pub fn in_mode<T>(
        &mut self,
        state: &mut State,
        change: impl FnOnce(&mut Mode),
        run: impl FnOnce(&mut Self, &mut State) -> Run<T>,
    ) -> Run<T> {
        let outer = state.mode;
        change(&mut state.mode);
        let result = run(self, state);
        state.mode = outer;
        result
    }

    /// Does something because of a place in the source: the formulas that it makes come from there,
    /// unless they come from somewhere inside of it.
    pub fn because_of<R>(&mut self, pos: Pos, act: impl FnOnce(&mut Self) -> R) -> R {
        let outer = self.set_origin(pos);
        let result = act(self);
        self.set_origin(outer);
        result
    }

    /// The session is for whoever comes next.
    pub fn into_session(self) -> Session {
        self.prover.into_session()
    }
}

impl<'p> Deref for Executor<'p> {
    type Target = Prover<'p>;

    fn deref(&self) -> &Prover<'p> {
        &self.prover
    }
}

impl<'p> DerefMut for Executor<'p> {
    fn deref_mut(&mut self) -> &mut Prover<'p> {
        &mut self.prover
    }
}

/// Does a node have an annotation?
pub(crate) fn annotated(info: &Option<Arc<Info>>, key: &str) -> bool {
    info.as_ref().is_some_and(|info| info.annotation(key).is_some())
}
