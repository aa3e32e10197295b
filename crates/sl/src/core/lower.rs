//! Symbolic heaps as values of the core; and these as clauses, whose variables are all numbered in one
//! row.

use arith::{Constraint, Sum};
use num_traits::ToPrimitive;

use super::symheap::index;
use super::{
    Call, Cell, Clause, Expr, Form, FormHeap, Ident, PredId, SortId, SymHeap, System, Var,
};
use crate::{Kind, Reason, Sort, TermKind};

/// The symbolic heap that a formula is, with constraints in place of terms; `free` says which variables
/// it may mention that it does not bind.
pub(super) fn heap(
    system: &System,
    free: &dyn Fn(Var) -> bool,
    written: &FormHeap,
) -> Result<SymHeap, Reason> {
    let mut lowering = Lowering { system, free, bound: Vec::new(), heap: SymHeap::emp() };
    for var in &written.vars {
        lowering.declare(var)?;
    }
    for atom in &written.pure {
        lowering.pure(atom)?;
    }
    for atom in &written.spatial {
        lowering.spatial(atom)?;
    }
    lowering.heap.set_open(written.open);
    Ok(lowering.heap)
}

/// The clause that a symbolic heap is: first the `nil`s, then the variables that are free, in this
/// order, which is that of their numbers, then the existential ones. `select` says which numbers its
/// predicates have in the system that the clause is for.
pub(super) fn clause(
    system: &System,
    heap: &SymHeap,
    free: &[Var],
    free_sorts: &[SortId],
    select: &impl Fn(PredId) -> Option<PredId>,
) -> Result<Clause, Reason> {
    let nils = system.nils();
    let mut sorts: Vec<SortId> = (0..nils).collect();
    sorts.extend(free_sorts);
    let count = sorts.len();
    sorts.extend(heap.existentials());
    let mut result = Clause { sorts, free: count, open: heap.is_open(), ..Clause::default() };
    let number = |var: Var| -> Result<Var, Reason> {
        let place = match index(var) {
            Some(index) => Some(count + index).filter(|place| *place < result.sorts.len()),
            // There is no `nil` among the integers.
            None if (var as usize) < nils => {
                Some(var as usize).filter(|sort| !system.is_int(*sort))
            }
            None => free.binary_search(&var).ok().map(|place| nils + place),
        };
        place.map(|place| place as Var).ok_or(Reason::OpenVariable)
    };
    let sort = |var: Var| result.sorts.get(var as usize).copied();
    let has_sorts = |vars: &[Var], sorts: &mut dyn Iterator<Item = Option<SortId>>| {
        vars.iter().map(|var| sort(*var)).eq(sorts)
    };
    let mut linear = Vec::with_capacity(heap.constraints().len());
    let mut pairs = |all: &[(Var, Var)], make: fn(&Sum, &Sum) -> Option<Constraint>| {
        let mut locations = Vec::with_capacity(all.len());
        for (a, b) in all {
            let (a, b) = (number(*a)?, number(*b)?);
            if sort(a) != sort(b) {
                return Err(Reason::IllSorted);
            }
            if sort(a).is_some_and(|sort| system.is_int(sort)) {
                linear.push(make(&Sum::var(a), &Sum::var(b)).ok_or(Reason::NumberTooLarge)?);
            } else {
                locations.push((a, b));
            }
        }
        Ok(locations)
    };
    let equal = pairs(heap.equations(), Constraint::equal)?;
    let different = pairs(heap.disequations(), Constraint::different)?;
    for constraint in heap.constraints() {
        for (var, _) in &constraint.sum.factors {
            let sort = sort(number(*var)?);
            if !sort.is_some_and(|sort| system.is_int(sort)) {
                return Err(Reason::IllSorted);
            }
        }
        linear.push(constraint.renamed(&|var| number(var).unwrap_or(var)));
    }
    let mut cells = Vec::with_capacity(heap.cells().len());
    for cell in heap.cells() {
        let addr = number(cell.addr)?;
        let fields = cell.fields.iter().map(|v| number(*v)).collect::<Result<Vec<_>, _>>()?;
        let known = sort(addr).and_then(|sort| system.fields.get(sort));
        if !known.is_some_and(|known| has_sorts(&fields, &mut known.iter().map(|f| f.sort))) {
            return Err(Reason::IllSorted);
        }
        cells.push(Cell { addr, fields });
    }
    let mut calls = Vec::with_capacity(heap.calls().len());
    for call in heap.calls() {
        let args = call.args.iter().map(|v| number(*v)).collect::<Result<Vec<_>, _>>()?;
        let known = system.predicates.get(call.pred).map(|predicate| &predicate.params);
        if !known.is_some_and(|known| has_sorts(&args, &mut known.iter().copied().map(Some))) {
            return Err(Reason::IllSorted);
        }
        let Some(pred) = select(call.pred) else { return Err(Reason::NoSuchInstance) };
        calls.push(Call { pred, args });
    }
    result.equal = equal;
    result.different = different;
    result.linear = linear;
    result.cells = cells;
    result.calls = calls;
    Ok(result)
}

struct Lowering<'a> {
    system: &'a System,
    free: &'a dyn Fn(Var) -> bool,
    bound: Vec<(Var, Var)>,
    heap: SymHeap,
}

impl Lowering<'_> {
    fn declare(&mut self, var: &Ident) -> Result<(), Reason> {
        let own = self.heap.fresh(self.system.sort(&var.sort)?);
        self.bound.push((var.number, own));
        Ok(())
    }

    fn lookup(&self, var: &Ident) -> Result<Var, Reason> {
        match self.bound.iter().find(|(known, _)| *known == var.number) {
            Some((_, own)) => Ok(*own),
            None if (self.free)(var.number) => Ok(var.number),
            None => Err(Reason::OpenVariable),
        }
    }

    fn pure(&mut self, atom: &Form) -> Result<(), Reason> {
        match atom.kind() {
            Kind::Eq(a, b) if a.sort().is_loc() => {
                let (a, b) = (self.var(a)?, self.var(b)?);
                self.heap.add_equal(a, b);
                Ok(())
            }
            Kind::Ne(a, b) if a.sort().is_loc() => {
                let (a, b) = (self.var(a)?, self.var(b)?);
                self.heap.add_different(a, b);
                Ok(())
            }
            Kind::Eq(a, b) => self.linear(a, b, Constraint::equal),
            Kind::Ne(a, b) => self.linear(a, b, Constraint::different),
            Kind::Le(a, b) => self.linear(a, b, Constraint::at_most),
            Kind::Lt(a, b) => self.linear(a, b, Constraint::less),
            _ => Err(Reason::NoSymbolicHeap),
        }
    }

    fn linear(
        &mut self,
        a: &Expr,
        b: &Expr,
        make: fn(&Sum, &Sum) -> Option<Constraint>,
    ) -> Result<(), Reason> {
        match make(&self.sum(a)?, &self.sum(b)?) {
            Some(constraint) => {
                self.heap.add_linear(constraint);
                Ok(())
            }
            None => Err(Reason::NumberTooLarge),
        }
    }

    fn sum(&self, term: &Expr) -> Result<Sum, Reason> {
        let too_large = || Reason::NumberTooLarge;
        match term.kind() {
            TermKind::Int(value) => {
                value.to_i64().map(|n| Sum::number(n.into())).ok_or_else(too_large)
            }
            TermKind::Var(var) if var.sort == Sort::Int => self.lookup(var).map(Sum::var),
            TermKind::Add(parts) => parts.iter().try_fold(Sum::default(), |sum, part| {
                sum.plus(&self.sum(part)?, 1).ok_or_else(too_large)
            }),
            TermKind::Neg(part) => self.sum(part)?.negative().ok_or_else(too_large),
            TermKind::Mul(parts) => parts.iter().try_fold(Sum::number(1), |product, part| {
                let factor = self.sum(part)?;
                let (number, sum) = match (product.factors.is_empty(), factor.factors.is_empty()) {
                    (true, _) => (product.constant, factor),
                    (_, true) => (factor.constant, product),
                    _ => return Err(Reason::Nonlinear),
                };
                Sum::default().plus(&sum, number).ok_or_else(too_large)
            }),
            _ => Err(Reason::OtherValues),
        }
    }

    fn var(&mut self, term: &Expr) -> Result<Var, Reason> {
        match term.kind() {
            TermKind::Var(var) => self.lookup(var),
            TermKind::Nil(sort) => Ok(self.system.sort(sort)? as Var),
            _ => {
                let sum = self.sum(term)?;
                let int = self.system.sort(&Sort::Int)?;
                self.heap.add_sum(int, &sum).ok_or(Reason::NumberTooLarge)
            }
        }
    }

    fn spatial(&mut self, atom: &Form) -> Result<(), Reason> {
        match atom.kind() {
            Kind::PointsTo(loc, content) => {
                let addr = self.var(loc)?;
                let fields: Vec<Var> = match content.kind() {
                    TermKind::Record(_, values) => {
                        values.iter().map(|v| self.var(v)).collect::<Result<_, _>>()?
                    }
                    _ => vec![self.var(content)?],
                };
                self.heap.add_cell(addr, fields);
                Ok(())
            }
            Kind::Pred(pred, args) => {
                let args: Vec<Var> =
                    args.iter().map(|arg| self.var(arg)).collect::<Result<_, _>>()?;
                self.heap.add_call(*pred, args);
                Ok(())
            }
            _ => Err(Reason::NoSymbolicHeap),
        }
    }
}
