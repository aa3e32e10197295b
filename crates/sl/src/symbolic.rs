//! Symbolic heaps: the form that most procedures start from.

use std::collections::BTreeSet;

use crate::formula::{Formula, Kind, Semantics};
use crate::overlay::OverlaidHeap;
use crate::sort::{Name, Symbol, Var, Variable};
use crate::substitute::Substitution;
use crate::term::Term;

/// `exists vars. pure && (spatial * … * spatial)`: pure atoms hold, and the heap is divided among the
/// spatial atoms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SymbolicHeap<V = Var, P = Name> {
    /// Variables that stand for some value; their names are different from all others.
    pub vars: Vec<V>,
    /// `=`, `!=`, `<=`, `<`.
    pub pure: Vec<Formula<V, P>>,
    /// Points-to atoms and instances of predicates.
    pub spatial: Vec<Formula<V, P>>,
    /// May there be more in the heap? True if `true` is among the parts.
    pub open: bool,
}

impl<V, P> Default for SymbolicHeap<V, P> {
    fn default() -> SymbolicHeap<V, P> {
        SymbolicHeap { vars: Vec::new(), pure: Vec::new(), spatial: Vec::new(), open: false }
    }
}

impl<V: Variable, P: Symbol> SymbolicHeap<V, P> {
    /// The symbolic heaps whose disjunction a formula is. `None` if it is none: negation of anything
    /// but pure atoms, wands, universal quantifiers, conjunctions of spatial formulas.
    #[must_use]
    pub fn disjuncts(
        formula: &Formula<V, P>,
        semantics: Semantics,
    ) -> Option<Vec<SymbolicHeap<V, P>>> {
        let heaps = OverlaidHeap::disjuncts(formula, semantics)?;
        heaps.into_iter().map(OverlaidHeap::into_symbolic).collect()
    }

    /// The symbolic heap that a formula is, if it is a single one.
    #[must_use]
    pub fn of(formula: &Formula<V, P>, semantics: Semantics) -> Option<SymbolicHeap<V, P>> {
        let mut all = SymbolicHeap::disjuncts(formula, semantics)?;
        if all.len() == 1 { all.pop() } else { None }
    }

    /// Back to a formula.
    #[must_use]
    pub fn to_formula(&self, semantics: Semantics) -> Formula<V, P> {
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
    pub fn without_aliases(&self) -> SymbolicHeap<V, P> {
        let mut heap = self.clone();
        let by = take_aliases(&mut heap.vars, &mut heap.pure);
        for atom in &mut heap.spatial {
            *atom = atom.substitute(&by);
        }
        heap
    }

    /// The same with existential variables that have none of these names.
    #[must_use]
    pub fn renamed_apart(&self, taken: &BTreeSet<V::Id>) -> SymbolicHeap<V, P> {
        let mut heap = self.clone();
        let mut all = taken.clone();
        all.extend(self.vars.iter().map(|var| var.id().clone()));
        let mut by = Substitution::<V>::new();
        for var in heap.vars.iter_mut().filter(|var| taken.contains(var.id())) {
            let fresh = var.apart_from(&all);
            all.insert(fresh.id().clone());
            by.insert(var.id().clone(), Term::var(fresh.clone()));
            *var = fresh;
        }
        for atom in heap.pure.iter_mut().chain(&mut heap.spatial) {
            *atom = atom.substitute(&by);
        }
        heap
    }
}

/// Takes away existential variables that are equal to something, with the equations that say so: what
/// is to be put in their place everywhere else.
pub(crate) fn take_aliases<V: Variable, P: Symbol>(
    vars: &mut Vec<V>,
    pure: &mut Vec<Formula<V, P>>,
) -> Substitution<V> {
    let mut all = Substitution::<V>::new();
    while let Some((index, id, term)) = alias(vars, pure) {
        pure.remove(index);
        vars.retain(|var| *var.id() != id);
        let by = Substitution::<V>::from([(id.clone(), term.clone())]);
        for atom in pure.iter_mut() {
            *atom = atom.substitute(&by);
        }
        for known in all.values_mut() {
            *known = known.substitute(&|id| by.get(id).cloned());
        }
        all.insert(id, term);
    }
    pure.retain(|atom| !matches!(atom.kind(), Kind::Eq(a, b) if a == b));
    all
}

/// An equation for an existential variable: its place, the variable, and the other side.
fn alias<V: Variable, P: Symbol>(
    vars: &[V],
    pure: &[Formula<V, P>],
) -> Option<(usize, V::Id, Term<V>)> {
    let bound = |t: &Term<V>| t.as_var().filter(|var| vars.contains(var)).map(|v| v.id().clone());
    pure.iter().enumerate().find_map(|(index, atom)| match atom.kind() {
        Kind::Eq(a, b) if a != b => [(a, b), (b, a)].into_iter().find_map(|(one, other)| {
            let id = bound(one).filter(|id| !other.mentions(id))?;
            Some((index, id, other.clone()))
        }),
        _ => None,
    })
}
