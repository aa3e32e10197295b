//! Measures, and the assertions that compare them.

use std::sync::Arc;

use report::{Diagnostic, Pos};

use super::orders::{bounded, decreasing, nested_predicates};
use crate::core::rename::Renaming;
use crate::core::{
    BinOp, Decreases, DomainFunctionId, Expr, ExprKind, MappedReason, Measure, OldState, Program,
    ReportAs, Stmt, Type,
};
use crate::plugins::build::{assert, domain_call_inferred, eq, old};
use crate::plugins::predicate_instance;

/// The clauses of a function, method or loop: at most one of each kind counts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Specification<'a> {
    /// `decreases a, b if c`, with its elements.
    pub(super) tuple: Option<(&'a Decreases, &'a [Arc<Expr>])>,
    /// `decreases _ if c`
    wildcard: Option<&'a Decreases>,
}

/// `None`: always.
pub(super) type Condition = Option<Arc<Expr>>;

impl<'a> Specification<'a> {
    /// The first clause of each kind.
    pub(super) fn new(clauses: &'a [Decreases]) -> Specification<'a> {
        let mut specification = Specification::default();
        for clause in clauses {
            match &clause.measure {
                Measure::Tuple(elems) if specification.tuple.is_none() => {
                    specification.tuple = Some((clause, elems));
                }
                Measure::Wildcard if specification.wildcard.is_none() => {
                    specification.wildcard = Some(clause);
                }
                Measure::Tuple(_) | Measure::Wildcard | Measure::Star => {}
            }
        }
        specification
    }

    /// When termination is proven or assumed.
    pub(super) fn termination_condition(&self, pos: Pos) -> Condition {
        let tuple = self.tuple.map(|(clause, _)| clause.condition.clone());
        let wildcard = self.wildcard.map(|clause| clause.condition.clone());
        match (tuple, wildcard) {
            (None, None) => Some(Expr::bool(false, pos)),
            (Some(condition), None) | (None, Some(condition)) => condition,
            (Some(a), Some(b)) => Some(Expr::binary_bool(BinOp::Or, a?, b?, pos)),
        }
    }

    /// Is one of the elements of the tuple a predicate instance?
    pub(super) fn has_predicate_instances(&self, program: &Program) -> bool {
        let is_instance = |e: &Arc<Expr>| match &e.ty {
            Type::Domain(id, _) => program.domain(*id).name.as_str() == predicate_instance::DOMAIN,
            _ => false,
        };
        self.tuple.is_some_and(|(_, elems)| elems.iter().any(is_instance))
    }
}

/// What does not terminate if a check fails, and where.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blame {
    /// `Function`, `Method` or `Loop`.
    pub(super) what: &'static str,
    /// The offending call or clause.
    pub(super) pos: Pos,
}

/// Why a check fails.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reason {
    /// What is called is not known to terminate.
    TerminationCondition,
    /// A loop has no measure because it is made by `goto`.
    Jump,
    /// The measure of what is called does not apply.
    TupleCondition,
    /// The measure does not become smaller.
    Tuple,
}

impl Blame {
    fn report(self, reason: Reason) -> ReportAs {
        let (id, why) = match reason {
            Reason::TerminationCondition => {
                ("termination.condition.false", "The required termination condition might not hold")
            }
            Reason::Jump => (
                "termination.condition.false",
                "A loop that is made by `goto` cannot have a measure",
            ),
            Reason::TupleCondition => {
                ("tuple.condition.false", "The required condition of the measure might not hold")
            }
            Reason::Tuple => {
                ("tuple.false", "The measure might not decrease, or it might not be bounded")
            }
        };
        ReportAs::Error {
            id: "termination.failed".into(),
            reason: MappedReason::Own(id.into()),
            pos: self.pos,
            message: format!("{} might not terminate. {why}.", self.what).into(),
        }
    }
}

/// A call of a function or method.
pub(super) struct Call<'a> {
    pub(super) program: &'a Program,
    pub(super) caller: Specification<'a>,
    pub(super) callee: Specification<'a>,
    /// May the callee call the caller?
    pub(super) recursive: bool,
    pub(super) blame: Blame,
}

/// A measure of a callee in the state of the call, which is what `old` means in it; the `old` of the
/// caller is another one.
fn at_entry(e: &Arc<Expr>) -> Arc<Expr> {
    e.rewrite(&mut |e| match &e.kind {
        ExprKind::Old(OldState::Pre, e) => Some(at_entry(e)),
        _ => None,
    })
}

/// Makes the assertions.
pub(super) struct Checks {
    decreasing: Option<DomainFunctionId>,
    bounded: Option<DomainFunctionId>,
    /// `nestedPredicates`
    pub(super) nested: Option<DomainFunctionId>,
    /// What is missing.
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl Checks {
    pub(super) fn new(program: &Program) -> Checks {
        Checks {
            decreasing: decreasing(program),
            bounded: bounded(program),
            nested: nested_predicates(program),
            diagnostics: Vec::new(),
        }
    }

    /// Reports once that a domain function is missing.
    pub(super) fn missing(&mut self, function: &str, pos: Pos) {
        let message = format!("Termination checks need the domain function `{function}`.");
        if self.diagnostics.iter().all(|d| d.message != message) {
            self.diagnostics.push(Diagnostic::error("consistency.error", pos, message));
        }
    }

    /// Asserts that `given` holds whenever `required` does.
    pub(super) fn condition(
        required: Condition,
        given: Condition,
        reason: Reason,
        blame: Blame,
    ) -> Option<Stmt> {
        let given = given.filter(|e| e.kind != ExprKind::Bool(true))?;
        let required = required.filter(|e| e.kind != ExprKind::Bool(true));
        let pos = blame.pos;
        let assertion = match required {
            None => given,
            Some(required) => Expr::binary_bool(BinOp::Or, Expr::not(required), given, pos),
        };
        Some(assert(assertion, blame.report(reason), pos))
    }

    /// The checks of a call: if it may lead back to the caller, the measure of the callee applies
    /// and is smaller than that of the caller was at first; otherwise the callee terminates.
    pub(super) fn call(&mut self, call: &Call<'_>, renaming: &mut Renaming<'_>) -> Vec<Stmt> {
        let Some((clause, larger)) = call.caller.tuple else { return Vec::new() };
        let blame = call.blame;
        let required = clause.condition.as_ref().map(old);
        if !call.recursive {
            let given = call.callee.termination_condition(blame.pos);
            let given = given.map(|e| renaming.expr(&at_entry(&e)));
            let check = Checks::condition(required, given, Reason::TerminationCondition, blame);
            return check.into_iter().collect();
        }
        let Some((clause, smaller)) = call.callee.tuple else {
            let never = Some(Expr::bool(false, blame.pos));
            let check = Checks::condition(required, never, Reason::TupleCondition, blame);
            return check.into_iter().collect();
        };
        let given = clause.condition.as_ref().map(|e| renaming.expr(&at_entry(e)));
        let smaller: Vec<_> = smaller.iter().map(|e| renaming.expr(&at_entry(e))).collect();
        let larger: Vec<_> = larger.iter().map(old).collect();
        let applies = Checks::condition(required.clone(), given, Reason::TupleCondition, blame);
        let decreases = self.tuple(call.program, required, &larger, &smaller, blame);
        applies.into_iter().chain([decreases]).collect()
    }

    /// Asserts that one tuple is smaller than another whenever `required` holds.
    pub(super) fn tuple(
        &mut self,
        program: &Program,
        required: Condition,
        larger: &[Arc<Expr>],
        smaller: &[Arc<Expr>],
        blame: Blame,
    ) -> Stmt {
        let pos = blame.pos;
        let decreases = self.lexicographic(program, larger, smaller, pos);
        let assertion = match required {
            None => decreases,
            Some(required) => Expr::binary_bool(BinOp::Implies, required, decreases, pos),
        };
        assert(assertion, blame.report(Reason::Tuple), pos)
    }

    /// `decreasing(s, l) && bounded(l) || s == l && …`: a tuple counts as continued with an element
    /// that is larger than all others, and elements of different types cannot be compared.
    fn lexicographic(
        &mut self,
        program: &Program,
        larger: &[Arc<Expr>],
        smaller: &[Arc<Expr>],
        pos: Pos,
    ) -> Arc<Expr> {
        let (s, smaller_rest, l, larger_rest) = match (smaller, larger) {
            ([], _) => return Expr::bool(false, pos),
            (_, []) => return Expr::bool(true, pos),
            ([s, ..], [l, ..]) if s.ty != l.ty => return Expr::bool(false, pos),
            ([s, smaller_rest @ ..], [l, larger_rest @ ..]) => (s, smaller_rest, l, larger_rest),
        };
        let (Some(decreasing), Some(bounded)) = (self.decreasing, self.bounded) else {
            self.missing(if self.decreasing.is_none() { "decreasing" } else { "bounded" }, pos);
            return Expr::bool(false, pos);
        };
        let args = vec![Arc::clone(s), Arc::clone(l)];
        let decreases = domain_call_inferred(program, decreasing, args, pos);
        let bound = domain_call_inferred(program, bounded, vec![Arc::clone(l)], pos);
        let now = Expr::binary_bool(BinOp::And, decreases, bound, pos);
        let later = self.lexicographic(program, larger_rest, smaller_rest, pos);
        let same = eq(Arc::clone(s), Arc::clone(l), pos);
        let later = Expr::binary_bool(BinOp::And, same, later, pos);
        Expr::binary_bool(BinOp::Or, now, later, pos)
    }
}
