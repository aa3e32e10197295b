//! Sorts that are not known yet.

use crate::formula::{Formula, Kind};
use crate::sort::{Name, Sort, Var};
use crate::term::{Term, TermKind};

/// Unknown sorts, each of which stands for a known one or for another unknown one once that is
/// found out. An unknown sort is a sort of locations with a name that nobody can write.
#[derive(Debug, Default)]
pub(super) struct Unknowns {
    known: Vec<Option<Sort>>,
}

impl Unknowns {
    pub(super) fn fresh(&mut self) -> Sort {
        self.known.push(None);
        Sort::Loc(format!("?{}", self.known.len() - 1).into())
    }

    /// What is known of a sort.
    pub(super) fn find(&self, sort: &Sort) -> Sort {
        let mut sort = sort.clone();
        while let Some(Some(next)) = number(&sort).and_then(|n| self.known.get(n)) {
            sort = next.clone();
        }
        sort
    }

    /// Makes two sorts the same; `false` if they are different.
    pub(super) fn unify(&mut self, a: &Sort, b: &Sort) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return true;
        }
        let (unknown, other) = match (number(&a), number(&b)) {
            (Some(n), _) => (n, b),
            (None, Some(n)) => (n, a),
            (None, None) => return false,
        };
        if let Some(slot) = self.known.get_mut(unknown) {
            *slot = Some(other);
        }
        true
    }

    /// The sort, or `default` if nothing is known of it.
    fn resolve(&self, sort: &Sort, default: &Sort) -> Sort {
        let sort = self.find(sort);
        if number(&sort).is_some() { default.clone() } else { sort }
    }

    pub(super) fn resolve_vars(&self, vars: &[Var], default: &Sort) -> Vec<Var> {
        vars.iter()
            .map(|v| Var { name: v.name.clone(), sort: self.resolve(&v.sort, default) })
            .collect()
    }

    /// The formula with all sorts known.
    pub(super) fn resolve_formula(&self, formula: &Formula, default: &Sort) -> Formula {
        let term = |t: &Term| self.resolve_term(t, default);
        let inner = |f: &Formula| self.resolve_formula(f, default);
        let all = |parts: &[Formula]| parts.iter().map(inner).collect();
        let kind = match formula.kind() {
            Kind::True => Kind::True,
            Kind::False => Kind::False,
            Kind::Emp => Kind::Emp,
            Kind::Eq(a, b) => Kind::Eq(term(a), term(b)),
            Kind::Ne(a, b) => Kind::Ne(term(a), term(b)),
            Kind::Le(a, b) => Kind::Le(term(a), term(b)),
            Kind::Lt(a, b) => Kind::Lt(term(a), term(b)),
            Kind::PointsTo(a, b) => Kind::PointsTo(term(a), term(b)),
            Kind::Pred(name, args) => Kind::Pred(name.clone(), args.iter().map(term).collect()),
            Kind::Sep(parts) => Kind::Sep(all(parts)),
            Kind::And(parts) => Kind::And(all(parts)),
            Kind::Or(parts) => Kind::Or(all(parts)),
            Kind::Wand(a, b) => Kind::Wand(inner(a), inner(b)),
            Kind::Not(part) => Kind::Not(inner(part)),
            Kind::Exists(vars, body) => Kind::Exists(self.resolve_vars(vars, default), inner(body)),
            Kind::Forall(vars, body) => Kind::Forall(self.resolve_vars(vars, default), inner(body)),
        };
        Formula::new(kind, formula.pos())
    }

    fn resolve_term(&self, term: &Term, default: &Sort) -> Term {
        let all = |parts: &[Term]| parts.iter().map(|p| self.resolve_term(p, default)).collect();
        Term::new(match term.kind() {
            TermKind::Var(var) => TermKind::Var(Var {
                name: var.name.clone(),
                sort: self.resolve(&var.sort, default),
            }),
            TermKind::Nil(sort) => TermKind::Nil(self.resolve(sort, default)),
            TermKind::Int(_) | TermKind::Bool(_) => return term.clone(),
            TermKind::Record(record, parts) => TermKind::Record(record.clone(), all(parts)),
            TermKind::Field(record, index, part) => {
                TermKind::Field(record.clone(), *index, self.resolve_term(part, default))
            }
            TermKind::Add(parts) => TermKind::Add(all(parts)),
            TermKind::Neg(part) => TermKind::Neg(self.resolve_term(part, default)),
            TermKind::Mul(parts) => TermKind::Mul(all(parts)),
        })
    }
}

fn number(sort: &Sort) -> Option<usize> {
    match sort {
        Sort::Loc(name) => name.strip_prefix('?')?.parse().ok(),
        _ => None,
    }
}

/// Is this a name that [`Unknowns`] could have made?
pub(super) fn is_internal(name: &Name) -> bool {
    name.starts_with('?')
}
