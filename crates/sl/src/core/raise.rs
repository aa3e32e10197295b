//! Symbolic heaps back to the surface, for those who read formulas: the evaluator, solvers, people.

use std::collections::BTreeSet;

use arith::{Constraint, Relation};

use super::symheap::index;
use super::{Scope, SymHeap, Var};
use crate::substitute::fresh_name;
use crate::{Formula, Kind, Name, Reason, Sort, SymbolicHeap, Term, TermKind};

/// The symbolic heap with names.
///
/// # Errors
/// If it is not well-sorted, or mentions what the scope does not know.
pub(super) fn heap(scope: &Scope, heap: &SymHeap) -> Result<SymbolicHeap, Reason> {
    let mut taken: BTreeSet<Name> = BTreeSet::new();
    heap.for_each_var(&mut |var| {
        taken.extend(scope.var(var).map(|var| var.name.clone()));
    });
    let mut vars = Vec::with_capacity(heap.existentials().len());
    for sort in heap.existentials() {
        let Some(sort) = scope.core().sorts().get(*sort) else { return Err(Reason::IllSorted) };
        let name = fresh_name(&"u".into(), &taken);
        taken.insert(name.clone());
        vars.push(crate::Var::new(name, sort.clone()));
    }
    let raising = Raising { scope, vars: &vars };
    let mut pure = Vec::new();
    for (a, b) in heap.equations() {
        let (a, b) = raising.pair(*a, *b)?;
        pure.push(Formula::equal(a, b));
    }
    for (a, b) in heap.disequations() {
        let (a, b) = raising.pair(*a, *b)?;
        pure.push(Formula::different(a, b));
    }
    for constraint in heap.constraints() {
        pure.push(raising.constraint(constraint)?);
    }
    let mut spatial = Vec::new();
    for cell in heap.cells() {
        spatial.push(raising.cell(cell.addr, &cell.fields)?);
    }
    for call in heap.calls() {
        let predicate = scope.core().system().predicates.get(call.pred);
        let predicate = predicate.ok_or(Reason::NoSuchInstance)?;
        let args = raising.terms(&call.args)?;
        if !args.iter().map(Term::sort).eq(predicate.written.iter().map(|p| p.sort.clone())) {
            return Err(Reason::IllSorted);
        }
        spatial.push(Formula::pred(predicate.name.clone(), args));
    }
    Ok(SymbolicHeap { vars, pure, spatial, open: heap.is_open() })
}

struct Raising<'a> {
    scope: &'a Scope,
    /// The existential variables.
    vars: &'a [crate::Var],
}

impl Raising<'_> {
    fn term(&self, var: Var) -> Result<Term, Reason> {
        let known = match index(var) {
            Some(index) => self.vars.get(index),
            None if self.scope.is_nil(var) => {
                let sort = self.scope.core().sorts().get(var as usize).filter(|s| s.is_loc());
                return sort.cloned().map(Term::nil).ok_or(Reason::IllSorted);
            }
            None => self.scope.var(var),
        };
        known.cloned().map(Term::var).ok_or(Reason::OpenVariable)
    }

    fn terms(&self, vars: &[Var]) -> Result<Vec<Term>, Reason> {
        vars.iter().map(|var| self.term(*var)).collect()
    }

    fn pair(&self, a: Var, b: Var) -> Result<(Term, Term), Reason> {
        let (a, b) = (self.term(a)?, self.term(b)?);
        if a.sort() == b.sort() { Ok((a, b)) } else { Err(Reason::IllSorted) }
    }

    fn cell(&self, addr: Var, fields: &[Var]) -> Result<Formula, Reason> {
        let (addr, fields) = (self.term(addr)?, self.terms(fields)?);
        let signature = self.scope.defs().signature();
        let known = signature.fields(&addr.sort());
        if !fields.iter().map(Term::sort).eq(known.into_iter().map(|(_, sort)| sort)) {
            return Err(Reason::IllSorted);
        }
        let record = signature.content(&addr.sort()).and_then(|sort| signature.record(sort));
        let content = match (record, fields.as_slice()) {
            (Some(record), _) => Term::new(TermKind::Record(record.clone(), fields)),
            (None, [only]) => only.clone(),
            (None, _) => return Err(Reason::IllSorted),
        };
        Ok(Formula::points_to(addr, content))
    }

    /// What is added on both sides, so that nothing is negative.
    fn constraint(&self, constraint: &Constraint) -> Result<Formula, Reason> {
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for (var, factor) in &constraint.sum.factors {
            let term = self.term(*var)?;
            if term.sort() != Sort::Int {
                return Err(Reason::IllSorted);
            }
            let side = if *factor > 0 { &mut left } else { &mut right };
            let times = factor.unsigned_abs();
            let product = |term| Term::new(TermKind::Mul(vec![Term::int(times), term]));
            side.push(if times == 1 { term } else { product(term) });
        }
        let constant = constraint.sum.constant;
        if constant != 0 {
            let side = if constant > 0 { &mut left } else { &mut right };
            side.push(Term::int(constant.unsigned_abs()));
        }
        let sum = |mut parts: Vec<Term>| match parts.len() {
            0 => Term::int(0),
            1 => parts.remove(0),
            _ => Term::new(TermKind::Add(parts)),
        };
        let (left, right) = (sum(left), sum(right));
        Ok(match constraint.relation {
            Relation::Zero => Formula::equal(left, right),
            Relation::NotZero => Formula::different(left, right),
            Relation::NotNegative => Kind::Le(right, left).into(),
        })
    }
}
