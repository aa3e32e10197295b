//! What is certain about a goal, and needs no choice.

use std::rc::Rc;

use super::state::{Binding, Constraint, Goal, Scope, State};
use crate::formula::{Formula, Kind, Semantics};
use crate::model::Value;
use crate::sort::Var;

/// What a goal turned into.
pub(super) enum Step {
    /// It cannot be reached.
    Dead,
    /// It is a choice.
    Kept,
    /// It is replaced by these.
    Done(Vec<Goal>),
}

/// Does what is certain about a goal.
pub(super) fn step(state: &mut State, goal: &Goal, semantics: Semantics) -> Step {
    let with = |formula: &Formula| Goal { formula: formula.clone(), scope: goal.scope.clone() };
    let standard = semantics == Semantics::Standard;
    match goal.formula.kind() {
        Kind::Emp => Step::Done(Vec::new()),
        Kind::True => {
            state.open = true;
            Step::Done(Vec::new())
        }
        Kind::False => Step::Dead,
        Kind::Eq(..) | Kind::Ne(..) | Kind::Le(..) | Kind::Lt(..) => {
            state.open |= standard;
            state.constraints.push(Constraint::Pure(goal.clone()));
            Step::Done(Vec::new())
        }
        Kind::Sep(parts) => Step::Done(parts.iter().map(with).collect()),
        Kind::Exists(vars, body) => {
            let scope = open_binder(state, vars, &goal.scope);
            Step::Done(vec![Goal { formula: body.clone(), scope }])
        }
        Kind::And(parts) => conjunction(state, goal, parts, standard),
        Kind::Or(_) | Kind::Not(_) if standard && is_simple(&goal.formula) => {
            state.open = true;
            state.constraints.push(Constraint::Pure(goal.clone()));
            Step::Done(Vec::new())
        }
        Kind::PointsTo(loc, content) => match state.term(loc, &goal.scope) {
            Some(Value::Loc(address)) => match state.rest.remove(&address) {
                Some(object)
                    if object.sort == loc.sort()
                        && state.unify(content, &goal.scope, &object.content) =>
                {
                    state.idle = 0;
                    Step::Done(Vec::new())
                }
                _ => Step::Dead,
            },
            _ => Step::Kept,
        },
        Kind::Pred(..) | Kind::Or(_) | Kind::Not(_) | Kind::Wand(..) | Kind::Forall(..) => {
            Step::Kept
        }
    }
}

/// A formula that says nothing of the heap, without quantifiers.
fn is_simple(formula: &Formula) -> bool {
    formula.is_pure()
        && !matches!(formula.kind(), Kind::Exists(..) | Kind::Forall(..))
        && formula.parts().into_iter().all(is_simple)
}

/// Parts that say nothing of the heap become constraints; a single other part becomes a goal.
fn conjunction(state: &mut State, goal: &Goal, parts: &[Formula], standard: bool) -> Step {
    let with = |formula: &Formula| Goal { formula: formula.clone(), scope: goal.scope.clone() };
    let silent = |part: &&Formula| {
        if standard { is_simple(part) } else { matches!(part.kind(), Kind::True) }
    };
    let other: Vec<&Formula> = parts.iter().filter(|p| !silent(p)).collect();
    let says_empty = |part: &&Formula| part.is_pure_atom() || matches!(part.kind(), Kind::Emp);
    if !standard && !other.is_empty() && other.iter().all(says_empty) {
        // All of them say that the heap is empty.
        for part in other {
            if part.is_pure_atom() {
                state.constraints.push(Constraint::Pure(with(part)));
            }
        }
        return Step::Done(Vec::new());
    }
    if other.len() > 1 {
        return Step::Kept;
    }
    for part in parts.iter().filter(silent) {
        state.constraints.push(Constraint::Pure(with(part)));
    }
    if other.is_empty() {
        state.open = true;
    }
    Step::Done(other.into_iter().map(with).collect())
}

fn open_binder(state: &mut State, vars: &[Var], outer: &Rc<Scope>) -> Rc<Scope> {
    let names = vars
        .iter()
        .map(|var| (var.name.clone(), state.new_slot(Binding::Free(var.sort.clone()))))
        .collect();
    Scope::new(names, Some(outer.clone()))
}
