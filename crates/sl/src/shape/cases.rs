//! The cases of a definition: those that end the recursion and those that go on.

use crate::formula::{Formula, Kind, Semantics};
use crate::signature::Definition;
use crate::sort::{Name, Var};
use crate::symbolic::SymbolicHeap;
use crate::term::{Term, TermKind};

/// A definition as symbolic heaps.
pub(super) struct Cases<'a> {
    pub(super) definition: &'a Definition,
    /// Without an instance of the predicate itself.
    pub(super) stops: Vec<Case>,
    /// With one or more.
    pub(super) steps: Vec<Case>,
}

/// A disjunct: its locations and instances apart.
pub(super) struct Case {
    pub(super) vars: Vec<Var>,
    pub(super) pure: Vec<Formula>,
    /// Addresses with the values of their fields.
    pub(super) cells: Vec<(Term, Vec<Term>)>,
    /// Arguments of instances of the predicate itself.
    pub(super) calls: Vec<Vec<Term>>,
    /// Instances of others.
    pub(super) others: Vec<(Name, Vec<Term>)>,
}

impl<'a> Cases<'a> {
    pub(super) fn of(definition: &'a Definition, semantics: Semantics) -> Option<Cases<'a>> {
        let mut cases = Cases { definition, stops: Vec::new(), steps: Vec::new() };
        for heap in SymbolicHeap::disjuncts(&definition.body, semantics)? {
            if heap.open {
                return None;
            }
            let heap = heap.without_aliases();
            let case = case_of_atoms(&heap.vars, &heap.pure, &heap.spatial, &definition.name)?;
            if case.calls.is_empty() { cases.stops.push(case) } else { cases.steps.push(case) }
        }
        Some(cases)
    }

    /// The parameter that a term is.
    pub(super) fn param(&self, term: &Term) -> Option<usize> {
        let var = term.as_var()?;
        self.definition.params.iter().position(|p| p.name == var.name)
    }

    pub(super) fn is_param(&self, term: &Term, index: usize) -> bool {
        self.param(term) == Some(index)
    }
}

impl Case {
    /// The existential variable that a term is.
    pub(super) fn bound<'t>(&self, term: &'t Term) -> Option<&'t Var> {
        term.as_var().filter(|var| self.vars.iter().any(|v| v.name == var.name))
    }

    /// How often a variable occurs.
    pub(super) fn occurrences(&self, name: &Name) -> usize {
        let mut count = 0;
        let mut look = |term: &Term| {
            term.for_each_var(&mut |var| count += usize::from(var.name == *name));
        };
        self.pure.iter().flat_map(Formula::terms).for_each(&mut look);
        for (loc, values) in &self.cells {
            look(loc);
            values.iter().for_each(&mut look);
        }
        self.calls.iter().flatten().for_each(&mut look);
        self.others.iter().flat_map(|(_, args)| args).for_each(&mut look);
        count
    }
}

/// A case that consists of these atoms, of a definition of this name.
pub(super) fn case_of_atoms(
    vars: &[Var],
    pure: &[Formula],
    spatial: &[Formula],
    own: &Name,
) -> Option<Case> {
    let mut case = Case {
        vars: vars.to_vec(),
        pure: pure.to_vec(),
        cells: Vec::new(),
        calls: Vec::new(),
        others: Vec::new(),
    };
    for atom in spatial {
        match atom.kind() {
            Kind::PointsTo(loc, content) => {
                let values = match content.kind() {
                    TermKind::Record(_, values) => values.clone(),
                    _ => vec![content.clone()],
                };
                case.cells.push((loc.clone(), values));
            }
            Kind::Pred(name, args) if name == own => case.calls.push(args.clone()),
            Kind::Pred(name, args) => case.others.push((name.clone(), args.clone())),
            _ => return None,
        }
    }
    // A location that is allocated is not nil.
    let allocated: Vec<Term> = case.cells.iter().map(|(loc, _)| loc.clone()).collect();
    case.pure.retain(|atom| match atom.kind() {
        Kind::Ne(a, b) => {
            !(a.is_nil() && allocated.contains(b) || b.is_nil() && allocated.contains(a))
        }
        _ => true,
    });
    Some(case)
}
