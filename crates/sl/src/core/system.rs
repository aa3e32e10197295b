//! Definitions and formulas with numbers in place of names: the form that everything here works on.
//!
//! Variables are numbers. The first ones are the `nil`s, one for every sort, then come the free
//! variables (the parameters of a definition, the stack variables of a formula), then the existential
//! ones. Arguments, addresses and fields are always variables; an arithmetic term has a variable of
//! its own and an equation.

use std::collections::BTreeMap;

use crate::procedure::Clock;
use crate::{
    Formula, Kind, Name, Reason, Semantics, Signature, Sort, SymbolicHeap, Term, TermKind,
};
use num_traits::ToPrimitive;

use arith::{Constraint, Sum};

/// A variable of a clause or of a sequent.
pub type Var = u32;
/// The place of a sort in [`System::sorts`].
pub type SortId = usize;
/// The place of a predicate in [`System::predicates`].
pub type PredId = usize;

/// What a location holds.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Cell {
    /// The location.
    pub addr: Var,
    /// Its fields.
    pub fields: Vec<Var>,
}

/// An instance of a predicate.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Call {
    /// The predicate.
    pub pred: PredId,
    /// Its arguments.
    pub args: Vec<Var>,
}

/// A symbolic heap.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Clause {
    /// The sorts of its variables.
    pub sorts: Vec<SortId>,
    /// How many variables are free, with the `nil`s.
    pub free: usize,
    /// Equal locations.
    pub equal: Vec<(Var, Var)>,
    /// Different locations.
    pub different: Vec<(Var, Var)>,
    /// What is said of integers.
    pub linear: Vec<Constraint>,
    /// Points-to atoms.
    pub cells: Vec<Cell>,
    /// Instances of predicates.
    pub calls: Vec<Call>,
    /// May there be more in the heap?
    pub open: bool,
}

/// A definition.
#[derive(Clone, Debug)]
pub struct Predicate {
    /// Its name.
    pub name: Name,
    /// Its parameters as they were written.
    pub written: Vec<crate::Var>,
    /// The sorts of its parameters.
    pub params: Vec<SortId>,
    /// Its disjuncts.
    pub cases: Vec<Clause>,
    /// The disjuncts as they were written, in the same order.
    pub heaps: Vec<SymbolicHeap>,
}

/// All definitions that matter to a question.
#[derive(Clone, Debug, Default)]
pub struct System {
    /// The sorts.
    pub sorts: Vec<Sort>,
    /// The definitions.
    pub predicates: Vec<Predicate>,
    ids: BTreeMap<Name, PredId>,
    /// When nobody waits for an answer any more.
    pub clock: Clock,
}

impl System {
    /// The definitions that these formulas mention, directly or not.
    ///
    /// # Errors
    /// If one of them is no disjunction of symbolic heaps.
    pub fn new(
        signature: &Signature,
        semantics: Semantics,
        formulas: &[Formula],
    ) -> Result<System, Reason> {
        let mut sorts: Vec<Sort> = signature.sorts.iter().cloned().map(Sort::Loc).collect();
        for cell in &signature.heap {
            if !sorts.contains(&cell.loc) {
                sorts.push(cell.loc.clone());
            }
        }
        sorts.push(Sort::Int);
        let mut system = System { sorts, ..System::default() };
        let mut names = Vec::new();
        for formula in formulas {
            mention(formula, &mut names);
        }
        let mut next = 0;
        while let Some(name) = names.get(next).cloned() {
            next += 1;
            let Some(definition) = signature.predicates.get(&name) else {
                return Err(Reason::Undefined(name.clone()));
            };
            mention(&definition.body, &mut names);
        }
        for (id, name) in names.iter().enumerate() {
            system.ids.insert(name.clone(), id);
        }
        for name in names {
            let Some(definition) = signature.predicates.get(&name) else { continue };
            let free: Vec<crate::Var> = definition.params.clone();
            let params = free.iter().map(|p| system.sort(&p.sort)).collect::<Result<_, _>>()?;
            let Some(heaps) = SymbolicHeap::disjuncts(&definition.body, semantics) else {
                return Err(Reason::NoSymbolicHeapInDefinition);
            };
            let mut cases = Vec::with_capacity(heaps.len());
            for heap in &heaps {
                if heap.open {
                    return Err(Reason::OpenDefinition);
                }
                cases.push(system.clause(heap, &free)?);
            }
            system.predicates.push(Predicate { name, written: free, params, cases, heaps });
        }
        Ok(system)
    }

    /// The symbolic heap with numbers; these variables are free, in this order.
    ///
    /// # Errors
    /// If it mentions others, or what has no number.
    pub fn clause(&self, heap: &SymbolicHeap, free: &[crate::Var]) -> Result<Clause, Reason> {
        let mut numbering = Numbering {
            system: self,
            names: BTreeMap::new(),
            clause: Clause { sorts: (0..self.sorts.len()).collect(), ..Clause::default() },
        };
        for var in free {
            numbering.declare(var)?;
        }
        numbering.clause.free = numbering.clause.sorts.len();
        for var in &heap.vars {
            numbering.declare(var)?;
        }
        for atom in &heap.pure {
            numbering.pure(atom)?;
        }
        for atom in &heap.spatial {
            numbering.spatial(atom)?;
        }
        numbering.clause.open = heap.open;
        Ok(numbering.clause)
    }

    /// Adds a predicate that nobody has defined; its name is only for those who read.
    pub fn add(&mut self, name: &str, params: Vec<SortId>, cases: Vec<Clause>) -> PredId {
        let (written, heaps) = (Vec::new(), Vec::new());
        self.predicates.push(Predicate { name: name.into(), written, params, cases, heaps });
        self.predicates.len() - 1
    }

    /// The number of `nil`s, which are the first variables of every clause.
    #[must_use]
    pub fn nils(&self) -> usize {
        self.sorts.len()
    }

    /// Is it the sort of integers?
    #[must_use]
    pub fn is_int(&self, sort: SortId) -> bool {
        self.sorts.get(sort) == Some(&Sort::Int)
    }

    /// Which predicates the cases of each mention, directly or not.
    #[must_use]
    pub fn reaches(&self) -> Vec<Vec<bool>> {
        let count = self.predicates.len();
        let mut reaches = vec![vec![false; count]; count];
        for (pred, reached) in reaches.iter_mut().enumerate() {
            let mut open = vec![pred];
            while let Some(next) = open.pop() {
                for call in self.predicates[next].cases.iter().flat_map(|case| &case.calls) {
                    if !std::mem::replace(&mut reached[call.pred], true) {
                        open.push(call.pred);
                    }
                }
            }
        }
        reaches
    }

    /// Does anything say something about integers?
    #[must_use]
    pub fn has_arithmetic(&self) -> bool {
        self.predicates.iter().flat_map(|p| &p.cases).any(|case| !case.linear.is_empty())
    }

    fn sort(&self, sort: &Sort) -> Result<SortId, Reason> {
        match self.sorts.iter().position(|s| s == sort) {
            Some(id) => Ok(id),
            None => Err(Reason::OtherValues),
        }
    }
}

/// The predicates that a formula mentions, in order of appearance, each once.
pub fn mention(formula: &Formula, names: &mut Vec<Name>) {
    formula.for_each(&mut |part| {
        if let Kind::Pred(name, _) = part.kind()
            && !names.contains(name)
        {
            names.push(name.clone());
        }
    });
}

struct Numbering<'a> {
    system: &'a System,
    names: BTreeMap<Name, Var>,
    clause: Clause,
}

impl Numbering<'_> {
    fn declare(&mut self, var: &crate::Var) -> Result<(), Reason> {
        let id = self.fresh(self.system.sort(&var.sort)?);
        self.names.insert(var.name.clone(), id);
        Ok(())
    }

    fn fresh(&mut self, sort: SortId) -> Var {
        self.clause.sorts.push(sort);
        (self.clause.sorts.len() - 1) as Var
    }

    fn pure(&mut self, atom: &Formula) -> Result<(), Reason> {
        match atom.kind() {
            Kind::Eq(a, b) if a.sort().is_loc() => {
                let pair = (self.var(a)?, self.var(b)?);
                self.clause.equal.push(pair);
                Ok(())
            }
            Kind::Ne(a, b) if a.sort().is_loc() => {
                let pair = (self.var(a)?, self.var(b)?);
                self.clause.different.push(pair);
                Ok(())
            }
            Kind::Eq(a, b) => self.linear(a, b, Constraint::equal),
            Kind::Ne(a, b) => self.linear(a, b, Constraint::different),
            Kind::Le(a, b) => self.linear(a, b, Constraint::at_most),
            Kind::Lt(a, b) => self.linear(a, b, Constraint::less),
            _ => Err(Reason::unsupported("there is a pure formula that is no atom")),
        }
    }

    fn linear(
        &mut self,
        a: &Term,
        b: &Term,
        make: fn(&Sum, &Sum) -> Option<Constraint>,
    ) -> Result<(), Reason> {
        match make(&self.sum(a)?, &self.sum(b)?) {
            Some(constraint) => {
                self.clause.linear.push(constraint);
                Ok(())
            }
            None => Err(Reason::NumberTooLarge),
        }
    }

    fn sum(&self, term: &Term) -> Result<Sum, Reason> {
        let too_large = || Reason::NumberTooLarge;
        match term.kind() {
            TermKind::Int(value) => {
                value.to_i64().map(|n| Sum::number(n.into())).ok_or_else(too_large)
            }
            TermKind::Var(var) if var.sort == Sort::Int => match self.names.get(&var.name) {
                Some(id) => Ok(Sum::var(*id)),
                None => Err(Reason::OpenVariable),
            },
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

    fn var(&mut self, term: &Term) -> Result<Var, Reason> {
        match term.kind() {
            TermKind::Var(var) => match self.names.get(&var.name) {
                Some(id) => Ok(*id),
                None => Err(Reason::OpenVariable),
            },
            TermKind::Nil(sort) => Ok(self.system.sort(sort)? as Var),
            _ => {
                let sum = self.sum(term)?;
                let var = self.fresh(self.system.sort(&Sort::Int)?);
                match Constraint::equal(&Sum::var(var), &sum) {
                    Some(constraint) => self.clause.linear.push(constraint),
                    None => return Err(Reason::NumberTooLarge),
                }
                Ok(var)
            }
        }
    }

    fn spatial(&mut self, atom: &Formula) -> Result<(), Reason> {
        match atom.kind() {
            Kind::PointsTo(loc, content) => {
                let addr = self.var(loc)?;
                let fields = match content.kind() {
                    TermKind::Record(_, values) => {
                        values.iter().map(|v| self.var(v)).collect::<Result<_, _>>()?
                    }
                    _ => vec![self.var(content)?],
                };
                self.clause.cells.push(Cell { addr, fields });
                Ok(())
            }
            Kind::Pred(name, args) => {
                let Some(pred) = self.system.ids.get(name).copied() else {
                    return Err(Reason::Undefined(name.clone()));
                };
                let args = args.iter().map(|arg| self.var(arg)).collect::<Result<_, _>>()?;
                self.clause.calls.push(Call { pred, args });
                Ok(())
            }
            _ => Err(Reason::unsupported("there is a spatial formula that is no atom")),
        }
    }
}
