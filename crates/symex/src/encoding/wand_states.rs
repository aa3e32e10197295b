//! Wands and states: what of another state is part of a wand, and what of the current one cannot be.
//!
//! `old(r.f)` is a value as long as `r` is one, and then it is an argument of the wand. If `r` is bound
//! in the wand, it is a function of `r`, which the old heap determines. So that heap is the argument:
//! a symbol that is named by what the chunks say of everything that may be read there. Where two such
//! symbols are the same, so are all values, under whichever name (`old`, a label) the heap is known.
//!
//! `perm` and `forperm` are about all that is held, not only about the left-hand side and the
//! footprint. They mean something else wherever the wand is mentioned, and only make sense in a
//! state that stays what it is.

use std::collections::BTreeSet;
use std::sync::Arc;

use report::Pos;
use viper::core::{Expr, ExprKind, FunctionId, OldState, PredicateId, Program, Resource, Wand};

use crate::state::ResourceId;

/// What may be read in another state.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Reads {
    /// These fields and predicates.
    Only(BTreeSet<ResourceId>),
    Everything,
}

/// Looks at expressions together with what they reach: preconditions of functions, bodies of
/// predicates.
struct Walk<'p> {
    program: &'p Program,
    functions: BTreeSet<FunctionId>,
    predicates: BTreeSet<PredicateId>,
}

impl<'p> Walk<'p> {
    fn new(program: &'p Program) -> Walk<'p> {
        Walk { program, functions: BTreeSet::new(), predicates: BTreeSet::new() }
    }

    /// Calls `visit` with an expression and all it is made of or reaches, unless that says `false`.
    fn walk(&mut self, e: &'p Arc<Expr>, visit: &mut dyn FnMut(&'p Arc<Expr>) -> bool) {
        let mut pending = vec![e];
        while let Some(e) = pending.pop() {
            e.walk(&mut |e| {
                if !visit(e) {
                    return false;
                }
                let predicate = match &e.kind {
                    ExprKind::Call(function, _) => {
                        if self.functions.insert(*function) {
                            pending.extend(&self.program.function(*function).pres);
                        }
                        None
                    }
                    ExprKind::Acc(resource, _)
                    | ExprKind::Perm(resource)
                    | ExprKind::ForPerm(_, resource, _) => match resource {
                        Resource::Predicate(predicate, ..) => Some(*predicate),
                        _ => None,
                    },
                    ExprKind::Unfolding(access, _) => Some(access.predicate),
                    _ => None,
                };
                if let Some(predicate) = predicate.filter(|p| self.predicates.insert(*p)) {
                    pending.extend(&self.program.predicate(predicate).body);
                }
                true
            });
        }
    }
}

/// What an expression may read in its state.
pub(super) fn reads(program: &Program, e: &Arc<Expr>) -> Reads {
    let mut found = BTreeSet::new();
    let mut wands = false;
    let mut walk = Walk::new(program);
    walk.walk(e, &mut |e| {
        match &e.kind {
            ExprKind::Field(_, field) => {
                found.insert(ResourceId::Field(*field));
            }
            ExprKind::Acc(resource, _)
            | ExprKind::Perm(resource)
            | ExprKind::ForPerm(_, resource, _) => match resource {
                Resource::Field(_, field, _) => {
                    found.insert(ResourceId::Field(*field));
                }
                Resource::Predicate(predicate, ..) => {
                    found.insert(ResourceId::Predicate(*predicate));
                }
                Resource::Wand(_) => wands = true,
            },
            ExprKind::Unfolding(access, _) => {
                found.insert(ResourceId::Predicate(access.predicate));
            }
            ExprKind::Wand(_) | ExprKind::Applying(..) => wands = true,
            _ => {}
        }
        true
    });
    if wands { Reads::Everything } else { Reads::Only(found) }
}

/// A `perm` or `forperm` in a wand that is about a state that is not fixed, with its position.
pub(crate) fn introspection(program: &Program, wand: &Wand) -> Option<(Pos, &'static str)> {
    let mut found = None;
    // With each expression: is its state that in which the wand is mentioned?
    let mut pending = vec![(&wand.lhs, false), (&wand.rhs, false)];
    while let Some((e, fixed)) = pending.pop() {
        let here = match &e.kind {
            ExprKind::Perm(_) if !fixed => Some("`perm`"),
            ExprKind::ForPerm(..) if !fixed => Some("`forperm`"),
            ExprKind::Call(function, _) if !fixed && asks_for_amounts(program, *function) => {
                Some("A function with `perm` or `forperm` in its precondition")
            }
            _ => None,
        };
        if let Some(what) = here {
            found = Some((e.pos, what));
        }
        let fixed = match e.kind {
            ExprKind::Old(OldState::Lhs, _) => false,
            ExprKind::Old(..) => true,
            _ => fixed,
        };
        e.for_each_child(|child| pending.push((child, fixed)));
    }
    found
}

/// Does a precondition depend on how much is held?
fn asks_for_amounts(program: &Program, function: FunctionId) -> bool {
    let mut found = false;
    let mut walk = Walk::new(program);
    for pre in &program.function(function).pres {
        walk.walk(pre, &mut |e| {
            found |= matches!(e.kind, ExprKind::Perm(_) | ExprKind::ForPerm(..));
            !found
        });
    }
    found
}
