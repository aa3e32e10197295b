//! Symbolic heaps: the form that most procedures start from.

use std::collections::BTreeSet;

use crate::formula::{Formula, Kind, Semantics};
use crate::sort::{Name, Var};
use crate::substitute::{Substitution, fresh_name};
use crate::term::Term;

/// More disjuncts than this are not made.
const MAX_DISJUNCTS: usize = 256;

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
        let mut taken = all_names(formula);
        // A binder does not get the name of a free variable.
        taken.extend(formula.free_vars().into_iter().map(|v| bound(&v.name)));
        let mut flattener = Flattener { semantics, taken };
        flattener.flatten(formula)
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
        while let Some((index, name, term)) = heap.alias() {
            heap.pure.remove(index);
            heap.vars.retain(|v| v.name != name);
            let by = Substitution::from([(name, term)]);
            for atom in heap.pure.iter_mut().chain(&mut heap.spatial) {
                *atom = atom.substitute(&by);
            }
        }
        heap.pure.retain(|atom| !matches!(atom.kind(), Kind::Eq(a, b) if a == b));
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

    /// An equation for an existential variable: its place, the variable, and the other side.
    fn alias(&self) -> Option<(usize, Name, Term)> {
        let is_bound = |t: &Term| {
            t.as_var().map(|v| v.name.clone()).filter(|n| self.vars.iter().any(|v| v.name == *n))
        };
        self.pure.iter().enumerate().find_map(|(index, atom)| match atom.kind() {
            Kind::Eq(a, b) if a != b => is_bound(a)
                .filter(|n| !mentions(b, n))
                .map(|n| (index, n, b.clone()))
                .or_else(|| is_bound(b).filter(|n| !mentions(a, n)).map(|n| (index, n, a.clone()))),
            _ => None,
        })
    }

    fn join(mut self, other: SymbolicHeap) -> SymbolicHeap {
        self.vars.extend(other.vars);
        self.pure.extend(other.pure);
        self.spatial.extend(other.spatial);
        self.open |= other.open;
        self
    }
}

fn mentions(term: &Term, name: &Name) -> bool {
    let mut found = false;
    term.for_each_var(&mut |var| found |= var.name == *name);
    found
}

fn all_names(formula: &Formula) -> BTreeSet<Name> {
    let mut names: BTreeSet<Name> = formula.free_vars().into_iter().map(|v| v.name).collect();
    formula.for_each(&mut |part| {
        if let Kind::Exists(vars, _) = part.kind() {
            names.extend(vars.iter().map(|v| v.name.clone()));
        }
    });
    names
}

struct Flattener {
    semantics: Semantics,
    taken: BTreeSet<Name>,
}

impl Flattener {
    fn flatten(&mut self, formula: &Formula) -> Option<Vec<SymbolicHeap>> {
        let empty = SymbolicHeap::default();
        match formula.kind() {
            Kind::True => Some(vec![SymbolicHeap { open: true, ..empty }]),
            Kind::False => Some(Vec::new()),
            Kind::Emp => Some(vec![empty]),
            Kind::Eq(..) | Kind::Ne(..) | Kind::Le(..) | Kind::Lt(..) => {
                let open = self.semantics == Semantics::Standard;
                Some(vec![SymbolicHeap { pure: vec![formula.clone()], open, ..empty }])
            }
            Kind::PointsTo(..) | Kind::Pred(..) => {
                Some(vec![SymbolicHeap { spatial: vec![formula.clone()], ..empty }])
            }
            Kind::Sep(parts) => {
                let mut all = vec![empty];
                for part in parts {
                    let part = self.flatten(part)?;
                    all = product(&all, &part)?;
                }
                Some(all)
            }
            Kind::And(parts) => self.conjunction(parts),
            Kind::Or(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    all.extend(self.flatten(part)?);
                    if all.len() > MAX_DISJUNCTS {
                        return None;
                    }
                }
                Some(all)
            }
            Kind::Exists(vars, body) => self.exists(vars, body),
            Kind::Not(part) => self.flatten(&negated_atom(part, self.semantics)?),
            Kind::Forall(..) | Kind::Wand(..) => None,
        }
    }

    /// A conjunction of which at most one part says something about the heap.
    fn conjunction(&mut self, parts: &[Formula]) -> Option<Vec<SymbolicHeap>> {
        let mut all: Option<Vec<SymbolicHeap>> = None;
        for part in parts {
            let next = self.flatten(part)?;
            all = Some(match all {
                None => next,
                Some(all) => intersection(&all, &next)?,
            });
        }
        Some(all.unwrap_or_else(|| vec![SymbolicHeap { open: true, ..SymbolicHeap::default() }]))
    }

    fn exists(&mut self, vars: &[Var], body: &Formula) -> Option<Vec<SymbolicHeap>> {
        // Every binder gets names of its own, since its variables end up in a larger scope.
        let mut by = Substitution::new();
        let mut renamed = Vec::with_capacity(vars.len());
        for var in vars {
            let fresh = Var { name: self.own_name(&var.name), sort: var.sort.clone() };
            if fresh.name != var.name {
                by.insert(var.name.clone(), Term::var(fresh.clone()));
            }
            renamed.push(fresh);
        }
        let mut all = self.flatten(&body.substitute(&by))?;
        for heap in &mut all {
            let mut bound = renamed.clone();
            bound.append(&mut heap.vars);
            heap.vars = bound;
        }
        Some(all)
    }

    /// The name itself the first time it is asked for; then others.
    fn own_name(&mut self, name: &Name) -> Name {
        if self.taken.insert(bound(name)) {
            return name.clone();
        }
        let fresh = fresh_name(name, &self.taken);
        self.taken.insert(fresh.clone());
        fresh
    }
}

/// Says that a name is no longer to be had for a binder.
fn bound(name: &Name) -> Name {
    Name::from(format!("exists {name}"))
}

/// The negation of a pure atom as an atom. In the precise semantics it is something else: the heap
/// might also not be empty.
fn negated_atom(atom: &Formula, semantics: Semantics) -> Option<Formula> {
    if semantics == Semantics::Precise {
        return None;
    }
    let kind = match atom.kind() {
        Kind::True => Kind::False,
        Kind::False => Kind::True,
        Kind::Eq(a, b) => Kind::Ne(a.clone(), b.clone()),
        Kind::Ne(a, b) => Kind::Eq(a.clone(), b.clone()),
        Kind::Le(a, b) => Kind::Lt(b.clone(), a.clone()),
        Kind::Lt(a, b) => Kind::Le(b.clone(), a.clone()),
        Kind::Not(part) => return Some(part.clone()),
        _ => return None,
    };
    Some(Formula::new(kind, atom.pos()))
}

fn product(a: &[SymbolicHeap], b: &[SymbolicHeap]) -> Option<Vec<SymbolicHeap>> {
    combine(a, b, |x, y| Some(x.clone().join(y.clone())))
}

fn intersection(a: &[SymbolicHeap], b: &[SymbolicHeap]) -> Option<Vec<SymbolicHeap>> {
    combine(a, b, |x, y| {
        // One side must say nothing, or both that the heap is empty.
        let says_nothing = |h: &SymbolicHeap| h.open && h.spatial.is_empty();
        let is_empty = |h: &SymbolicHeap| !h.open && h.spatial.is_empty();
        let open = if says_nothing(x) {
            y.open
        } else if says_nothing(y) {
            x.open
        } else if is_empty(x) && is_empty(y) {
            false
        } else {
            return None;
        };
        Some(SymbolicHeap { open, ..x.clone().join(y.clone()) })
    })
}

fn combine(
    a: &[SymbolicHeap],
    b: &[SymbolicHeap],
    join: impl Fn(&SymbolicHeap, &SymbolicHeap) -> Option<SymbolicHeap>,
) -> Option<Vec<SymbolicHeap>> {
    if a.len().saturating_mul(b.len()) > MAX_DISJUNCTS {
        return None;
    }
    let mut all = Vec::with_capacity(a.len() * b.len());
    for x in a {
        for y in b {
            all.push(join(x, y)?);
        }
    }
    Some(all)
}
