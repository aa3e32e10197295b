//! Pieces that expressions are put together from.

use num_bigint::BigInt;
use report::Span;

use super::scope::{Expr, Result, error};
use crate::formula::{Formula, Kind};
use crate::sexp::Sexp;
use crate::sort::Sort;
use crate::term::{Term, TermKind};

pub(super) const DATA_DUE: &str = "data is due here, but this is a formula";

/// A truth value is a formula when it stands where one is due.
pub(super) fn as_expr(term: Term) -> Expr {
    if term.sort() == Sort::Bool {
        Expr::Formula(Formula::equal(term, Term::new(TermKind::Bool(true))))
    } else {
        Expr::Term(term)
    }
}

/// The other way round.
pub(super) fn as_truth_value(formula: &Formula) -> Option<Term> {
    match formula.kind() {
        Kind::True => Some(Term::new(TermKind::Bool(true))),
        Kind::False => Some(Term::new(TermKind::Bool(false))),
        Kind::Eq(a, b) if *b.kind() == TermKind::Bool(true) => Some(a.clone()),
        _ => None,
    }
}

pub(super) fn formula_at(kind: Kind, at: Span) -> Expr {
    Expr::Formula(Formula::new(kind, at.into()))
}

pub(super) fn all_of(mut parts: Vec<Formula>, at: Span) -> Formula {
    match parts.pop() {
        Some(only) if parts.is_empty() => only,
        Some(last) => {
            parts.push(last);
            Formula::new(Kind::And(parts), at.into())
        }
        None => Formula::new(Kind::True, at.into()),
    }
}

pub(super) fn conjunction(parts: Vec<Formula>) -> Kind {
    Formula::and(parts).kind().clone()
}

pub(super) fn disjunction(parts: Vec<Formula>) -> Kind {
    Formula::or(parts).kind().clone()
}

pub(super) fn equivalence(a: &Formula, b: &Formula) -> Kind {
    let both = Formula::and(vec![a.clone(), b.clone()]);
    let neither = Formula::and(vec![Formula::negation(a.clone()), Formula::negation(b.clone())]);
    Kind::Or(vec![both, neither])
}

pub(super) fn same_sort(a: &Term, b: &Term, at: Span) -> Result<()> {
    if a.sort() == b.sort() {
        return Ok(());
    }
    let message = format!("`{}` and `{}` cannot be compared", a.sort(), b.sort());
    error("sl.sort", at, message)
}

pub(super) fn number(text: &str, at: Span) -> Result<Term> {
    match text.parse::<BigInt>() {
        Ok(value) => Ok(Term::int(value)),
        Err(_) => error("sl.syntax", at, "this is not a number"),
    }
}

pub(super) fn arity<T>(name: &str, expected: usize, args: &[Sexp], at: Span) -> Result<T> {
    let plural = if expected == 1 { "argument" } else { "arguments" };
    let are = if args.len() == 1 { "is" } else { "are" };
    let message = format!("`{name}` takes {expected} {plural}, but there {are} {}", args.len());
    error("sl.arity", at, message)
}
