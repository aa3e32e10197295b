//! Symbolic heaps: the form that most procedures start from.

use std::collections::BTreeSet;

use crate::formula::{Formula, Kind, Semantics};
use crate::overlay::OverlaidHeap;
use crate::sort::{Name, Var};
use crate::substitute::{Substitution, fresh_name};
use crate::term::Term;

/// `exists vars. pure && (spatial * … * spatial)`: pure atoms hold, and the heap is divided among the
/// spatial atoms.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SymbolicHeap {
    /// Variables that stand for some value; their names are different from all others.
    pub vars: Vec<Var>,
    /// `=`, `!=`, `<=`, `<`.
    pub pure: Vec<Formula>,
    /// Points-to atoms and instances of predicates.
    pub spatial: Vec<Formula>,
    /// May there be more in the heap? True if `true` is among the parts.
    pub open: bool,
}

impl SymbolicHeap {
    /// The symbolic heaps whose disjunction a formula is. `None` if it is none: negation of anything
    /// but pure atoms, wands, universal quantifiers, conjunctions of spatial formulas.
    #[must_use]
    pub fn disjuncts(formula: &Formula, semantics: Semantics) -> Option<Vec<SymbolicHeap>> {
        let heaps = OverlaidHeap::disjuncts(formula, semantics)?;
        heaps.into_iter().map(OverlaidHeap::into_symbolic).collect()
    }

    /// The symbolic heap that a formula is, if it is a single one.
    #[must_use]
    pub fn of(formula: &Formula, semantics: Semantics) -> Option<SymbolicHeap> {
        let mut all = SymbolicHeap::disjuncts(formula, semantics)?;
        if all.len() == 1 { all.pop() } else { None }
    }

    /// Back to a formula.
    #[must_use]
    pub fn to_formula(&self, semantics: Semantics) -> Formula {
        let mut spatial = self.spatial.clone();
        if self.open {
            spatial.push(Kind::True.into());
        }
        let body = match semantics {
            Semantics::Precise => {
                let mut parts = self.pure.clone();
                parts.extend(spatial);
                Formula::sep(parts)
            }
            Semantics::Standard => {
                let mut parts = self.pure.clone();
                parts.push(Formula::sep(spatial));
                Formula::and(parts)
            }
        };
        Formula::exists(self.vars.clone(), body)
    }

    /// The same with existential variables replaced by what they are equal to.
    #[must_use]
    pub fn without_aliases(&self) -> SymbolicHeap {
        let mut heap = self.clone();
        let by = take_aliases(&mut heap.vars, &mut heap.pure);
        for atom in &mut heap.spatial {
            *atom = atom.substitute(&by);
        }
        heap
    }

    /// The same with existential variables that have none of these names.
    #[must_use]
    pub fn renamed_apart(&self, taken: &BTreeSet<Name>) -> SymbolicHeap {
        let mut heap = self.clone();
        let mut all = taken.clone();
        all.extend(self.vars.iter().map(|v| v.name.clone()));
        let mut by = Substitution::new();
        for var in heap.vars.iter_mut().filter(|v| taken.contains(&v.name)) {
            let fresh = fresh_name(&var.name, &all);
            all.insert(fresh.clone());
            let renamed = Var { name: fresh, sort: var.sort.clone() };
            by.insert(var.name.clone(), Term::var(renamed.clone()));
            *var = renamed;
        }
        for atom in heap.pure.iter_mut().chain(&mut heap.spatial) {
            *atom = atom.substitute(&by);
        }
        heap
    }
}

/// Takes away existential variables that are equal to something, with the equations that say so: what
/// is to be put in their place everywhere else.
pub(crate) fn take_aliases(vars: &mut Vec<Var>, pure: &mut Vec<Formula>) -> Substitution {
    let mut all = Substitution::new();
    while let Some((index, name, term)) = alias(vars, pure) {
        pure.remove(index);
        vars.retain(|v| v.name != name);
        let by = Substitution::from([(name.clone(), term.clone())]);
        for atom in pure.iter_mut() {
            *atom = atom.substitute(&by);
        }
        for known in all.values_mut() {
            *known = known.substitute(&|n| by.get(n).cloned());
        }
        all.insert(name, term);
    }
    pure.retain(|atom| !matches!(atom.kind(), Kind::Eq(a, b) if a == b));
    all
}

/// An equation for an existential variable: its place, the variable, and the other side.
fn alias(vars: &[Var], pure: &[Formula]) -> Option<(usize, Name, Term)> {
    let is_bound =
        |t: &Term| t.as_var().map(|v| v.name.clone()).filter(|n| vars.iter().any(|v| v.name == *n));
    pure.iter().enumerate().find_map(|(index, atom)| match atom.kind() {
        Kind::Eq(a, b) if a != b => is_bound(a)
            .filter(|n| !mentions(b, n))
            .map(|n| (index, n, b.clone()))
            .or_else(|| is_bound(b).filter(|n| !mentions(a, n)).map(|n| (index, n, a.clone()))),
        _ => None,
    })
}

fn mentions(term: &Term, name: &Name) -> bool {
    let mut found = false;
    term.for_each_var(&mut |var| found |= var.name == *name);
    found
}
