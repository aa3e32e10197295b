//! Symbolic heaps as formulas, for those who read formulas: solvers, the evaluator, people.

use arith::{Constraint, Relation};

use super::symheap::{existential, index};
use super::{Expr, Form, FormHeap, Ident, Scope, SymHeap, Var};
use crate::{Kind, Reason, Sort, SymbolicHeap, TermKind};

/// The symbolic heap with terms in place of constraints.
///
/// # Errors
/// If it is not well-sorted, or mentions what the scope does not know.
pub(super) fn heap(scope: &Scope, heap: &SymHeap) -> Result<FormHeap, Reason> {
    let mut vars = Vec::with_capacity(heap.existentials().len());
    for (place, sort) in heap.existentials().iter().enumerate() {
        let Some(sort) = scope.core().sorts().get(*sort) else { return Err(Reason::IllSorted) };
        vars.push(Ident { number: existential(place), name: "u".into(), sort: sort.clone() });
    }
    let raising = Raising { scope, vars: &vars };
    let mut pure = Vec::new();
    for (a, b) in heap.equations() {
        let (a, b) = raising.pair(*a, *b)?;
        pure.push(Form::equal(a, b));
    }
    for (a, b) in heap.disequations() {
        let (a, b) = raising.pair(*a, *b)?;
        pure.push(Form::different(a, b));
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
        if !args.iter().map(Expr::sort).eq(predicate.written.iter().map(|p| p.sort.clone())) {
            return Err(Reason::IllSorted);
        }
        spatial.push(Form::pred(call.pred, args));
    }
    Ok(SymbolicHeap { vars, pure, spatial, open: heap.is_open() })
}

struct Raising<'a> {
    scope: &'a Scope,
    /// The existential variables.
    vars: &'a [Ident],
}

impl Raising<'_> {
    fn term(&self, var: Var) -> Result<Expr, Reason> {
        let known = match index(var) {
            Some(index) => self.vars.get(index).cloned(),
            None if self.scope.is_nil(var) => {
                let sort = self.scope.core().sorts().get(var as usize).filter(|s| s.is_loc());
                return sort.cloned().map(Expr::nil).ok_or(Reason::IllSorted);
            }
            None => self.scope.ident(var),
        };
        known.map(Expr::var).ok_or(Reason::OpenVariable)
    }

    fn terms(&self, vars: &[Var]) -> Result<Vec<Expr>, Reason> {
        vars.iter().map(|var| self.term(*var)).collect()
    }

    fn pair(&self, a: Var, b: Var) -> Result<(Expr, Expr), Reason> {
        let (a, b) = (self.term(a)?, self.term(b)?);
        if a.sort() == b.sort() { Ok((a, b)) } else { Err(Reason::IllSorted) }
    }

    fn cell(&self, addr: Var, fields: &[Var]) -> Result<Form, Reason> {
        let (addr, fields) = (self.term(addr)?, self.terms(fields)?);
        let signature = self.scope.defs().signature();
        let known = signature.fields(&addr.sort());
        if !fields.iter().map(Expr::sort).eq(known.into_iter().map(|(_, sort)| sort)) {
            return Err(Reason::IllSorted);
        }
        let record = signature.content(&addr.sort()).and_then(|sort| signature.record(sort));
        let content = match (record, fields.as_slice()) {
            (Some(record), _) => Expr::new(TermKind::Record(record.clone(), fields)),
            (None, [only]) => only.clone(),
            (None, _) => return Err(Reason::IllSorted),
        };
        Ok(Form::points_to(addr, content))
    }

    /// What is added on both sides, so that nothing is negative.
    fn constraint(&self, constraint: &Constraint) -> Result<Form, Reason> {
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for (var, factor) in &constraint.sum.factors {
            let term = self.term(*var)?;
            if term.sort() != Sort::Int {
                return Err(Reason::IllSorted);
            }
            let side = if *factor > 0 { &mut left } else { &mut right };
            let times = factor.unsigned_abs();
            let product = |term| Expr::new(TermKind::Mul(vec![Expr::int(times), term]));
            side.push(if times == 1 { term } else { product(term) });
        }
        let constant = constraint.sum.constant;
        if constant != 0 {
            let side = if constant > 0 { &mut left } else { &mut right };
            side.push(Expr::int(constant.unsigned_abs()));
        }
        let sum = |mut parts: Vec<Expr>| match parts.len() {
            0 => Expr::int(0),
            1 => parts.remove(0),
            _ => Expr::new(TermKind::Add(parts)),
        };
        let (left, right) = (sum(left), sum(right));
        Ok(match constraint.relation {
            Relation::Zero => Form::equal(left, right),
            Relation::NotZero => Form::different(left, right),
            Relation::NotNegative => Kind::Le(right, left).into(),
        })
    }
}
