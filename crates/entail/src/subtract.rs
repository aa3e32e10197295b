//! Frames by subtraction: atoms of the left side that the right side is made of are taken away, and what
//! is left is a frame.
//!
//! An atom of the right side is matched with one of the left side, or folded: its definition is unfolded
//! on the right until it is made of atoms of the left side. A cell that the right side needs and that is
//! inside of an instance on the left is taken out by unfolding that instance, which is a disjunction of
//! cases; each has a frame of its own, and they may need new names. What comes out is a guess: every case
//! is confirmed by an entailment before it counts.

use std::collections::{BTreeMap, BTreeSet};

use sl::formula::Kind;
use sl::{Formula, Name, Semantics, Signature, SymbolicHeap, Term, TermKind, Var};

/// Matches, foldings and unfoldings, in all.
const MAX_STEPS: usize = 2_000;
/// Guesses that are confirmed for one case.
const MAX_GUESSES: usize = 12;
/// Instances on the left that are unfolded, one after the other.
const MAX_UNFOLDED: usize = 3;
/// Instances on the right that are folded, one inside of the other.
const MAX_FOLDED: usize = 4;

/// Whoever answers questions.
pub(crate) trait Oracle {
    /// Is there certainly no model?
    fn is_unsatisfiable(&mut self, formula: &Formula) -> bool;
    /// Does the first formula certainly entail the second?
    fn entails(&mut self, left: &Formula, right: &Formula) -> bool;
}

/// What is left of one formula without another.
pub(crate) struct Subtraction<'a> {
    pub(crate) signature: &'a Signature,
    pub(crate) semantics: Semantics,
    /// Names that mean something.
    taken: BTreeSet<Name>,
    steps: usize,
}

/// A match that is not complete yet.
#[derive(Clone)]
struct Guess {
    /// What is left of the left side.
    rest: Vec<Formula>,
    /// Atoms of the right side that have no match yet, and how often they were folded.
    wanted: Vec<(Formula, usize)>,
    /// What existential variables of the right side are.
    known: BTreeMap<Name, Term>,
    /// Those that are not known.
    open: BTreeSet<Name>,
    /// Atoms of the right side that the left side lacks.
    missing: Vec<Formula>,
}

/// Is something left over, or is something missing?
#[derive(Clone, Copy, PartialEq, Eq)]
enum Goal {
    Rest,
    Missing,
}

impl<'a> Subtraction<'a> {
    pub(crate) fn new(
        signature: &'a Signature,
        semantics: Semantics,
        h: &Formula,
        g: &Formula,
    ) -> Subtraction<'a> {
        let free = [h, g].into_iter().flat_map(Formula::free_vars);
        let taken = free.map(|var| var.name).collect();
        Subtraction { signature, semantics, taken, steps: MAX_STEPS }
    }

    /// Some `F` for which `H |= G * F`: a disjunct for each case of `H`.
    pub(crate) fn frame(
        &mut self,
        oracle: &mut dyn Oracle,
        h: &Formula,
        g: &Formula,
    ) -> Option<Formula> {
        let mut rests: Vec<Formula> = Vec::new();
        let left = SymbolicHeap::disjuncts(h, self.semantics)?;
        let right = SymbolicHeap::disjuncts(g, self.semantics)?;
        for heap in left {
            let heap = self.renamed(&heap.without_aliases());
            for rest in self.case(oracle, &heap, &right, g, MAX_UNFOLDED)? {
                let rest = rest.to_formula(self.semantics);
                if !rests.contains(&rest) {
                    rests.push(rest);
                }
            }
        }
        Some(Formula::or(rests))
    }

    /// Guesses of some `F` for which `H * F |= G`: atoms of `G`, some of them unfolded, that `H` lacks, the
    /// fewest first.
    pub(crate) fn missing(&mut self, h: &Formula, g: &Formula) -> Vec<Formula> {
        let Some(left) = SymbolicHeap::of(h, self.semantics) else { return Vec::new() };
        let left = self.renamed(&left.without_aliases());
        let right = SymbolicHeap::disjuncts(g, self.semantics).unwrap_or_default();
        let mut all = Vec::new();
        for wanted in right {
            let pure: Vec<Formula> = wanted.pure.clone();
            for guess in self.matches(&left, &wanted, Goal::Missing) {
                let spatial: Vec<Formula> = guess.missing;
                let known = |atom: &&Formula| {
                    atom.free_vars().iter().all(|v| wanted.vars.iter().all(|w| w.name != v.name))
                };
                let pure = pure.iter().filter(known).cloned().collect();
                let vars = spatial.iter().flat_map(Formula::free_vars);
                let vars: BTreeSet<Var> =
                    vars.filter(|var| guess.open.contains(&var.name)).collect();
                let vars = vars.into_iter().collect();
                all.push(SymbolicHeap { vars, pure, spatial, open: false });
            }
        }
        all.sort_by_key(|heap| heap.spatial.len());
        all.iter().map(|heap| heap.to_formula(self.semantics)).collect()
    }

    /// What is left of one heap: a heap for each case of what had to be unfolded.
    fn case(
        &mut self,
        oracle: &mut dyn Oracle,
        heap: &SymbolicHeap,
        right: &[SymbolicHeap],
        g: &Formula,
        unfoldings: usize,
    ) -> Option<Vec<SymbolicHeap>> {
        let whole = heap.to_formula(self.semantics);
        let mut guesses = MAX_GUESSES;
        for wanted in right {
            for guess in self.matches(heap, wanted, Goal::Rest) {
                guesses = guesses.checked_sub(1)?;
                let rest = self.described(heap, guess.rest);
                let both = Formula::sep(vec![g.clone(), rest.to_formula(self.semantics)]);
                if oracle.entails(&whole, &both) {
                    return Some(vec![rest]);
                }
            }
        }
        let unfoldings = unfoldings.checked_sub(1)?;
        'atoms: for (index, atom) in heap.spatial.iter().enumerate() {
            if !self.is_worth_unfolding(heap, atom, right) {
                continue;
            }
            let mut rests = Vec::new();
            for case in self.unfolded(heap, index)? {
                if oracle.is_unsatisfiable(&case.to_formula(self.semantics)) {
                    continue;
                }
                let Some(more) = self.case(oracle, &case, right, g, unfoldings) else {
                    continue 'atoms;
                };
                rests.extend(more);
            }
            return Some(rests);
        }
        None
    }

    /// Does the right side need a cell at an argument of this instance? If it does not say where its
    /// cells are, any instance may have one.
    fn is_worth_unfolding(
        &self,
        heap: &SymbolicHeap,
        atom: &Formula,
        right: &[SymbolicHeap],
    ) -> bool {
        let Kind::Pred(_, args) = atom.kind() else { return false };
        right.iter().any(|wanted| {
            let is_hidden = |term: &Term| {
                term.as_var().is_some_and(|var| wanted.vars.iter().any(|v| v.name == var.name))
            };
            let about =
                |term: &Term| is_hidden(term) || args.iter().any(|arg| same(&heap.pure, arg, term));
            wanted.spatial.iter().any(|part| match part.kind() {
                Kind::PointsTo(loc, _) => about(loc),
                Kind::Pred(_, args) => args.iter().filter(|arg| arg.sort().is_loc()).any(about),
                _ => false,
            })
        })
    }

    /// The heap with the body of an instance in its place, one for each case.
    fn unfolded(&mut self, heap: &SymbolicHeap, index: usize) -> Option<Vec<SymbolicHeap>> {
        let Kind::Pred(name, args) = heap.spatial.get(index)?.kind() else { return None };
        let mut all = Vec::new();
        for case in self.instance(name, args)? {
            let mut larger = heap.clone();
            larger.spatial.remove(index);
            larger.vars.extend(case.vars);
            larger.pure.extend(case.pure);
            larger.spatial.extend(case.spatial);
            larger.open |= case.open;
            all.push(larger.without_aliases());
        }
        Some(all)
    }

    /// The cases of an instance, with new names.
    fn instance(&mut self, name: &Name, args: &[Term]) -> Option<Vec<SymbolicHeap>> {
        let definition = self.signature.predicates.get(name)?;
        if definition.params.len() != args.len() {
            return None;
        }
        let cases = SymbolicHeap::disjuncts(&definition.instantiate(args), self.semantics)?;
        Some(cases.into_iter().map(|case| self.renamed(&case)).collect())
    }

    /// The heap with existential variables that nobody else has.
    fn renamed(&mut self, heap: &SymbolicHeap) -> SymbolicHeap {
        let heap = heap.renamed_apart(&self.taken);
        self.taken.extend(heap.vars.iter().map(|var| var.name.clone()));
        heap
    }

    /// The ways in which atoms of one heap are found in the other: all of them, or so many that nothing
    /// is left over.
    fn matches(&mut self, heap: &SymbolicHeap, wanted: &SymbolicHeap, goal: Goal) -> Vec<Guess> {
        let wanted = self.renamed(&wanted.without_aliases());
        let first = Guess {
            rest: heap.spatial.clone(),
            wanted: wanted.spatial.iter().map(|atom| (atom.clone(), 0)).collect(),
            known: BTreeMap::new(),
            open: wanted.vars.iter().map(|var| var.name.clone()).collect(),
            missing: Vec::new(),
        };
        let mut pending = vec![first];
        let mut found: Vec<Guess> = Vec::new();
        while let Some(mut guess) = pending.pop() {
            if self.steps == 0 || found.len() == MAX_GUESSES {
                break;
            }
            self.steps -= 1;
            let Some(next) = self.next(&guess) else {
                guess.missing = guess.missing.iter().map(|atom| guess.resolve_atom(atom)).collect();
                let known = |f: &Guess| (&f.rest, &f.missing) == (&guess.rest, &guess.missing);
                let complete = goal == Goal::Rest || guess.rest.is_empty();
                if complete && !found.iter().any(known) {
                    found.push(guess);
                }
                continue;
            };
            let (atom, folded) = guess.wanted.remove(next);
            // What is tried first comes last.
            let mut more = self.folded(heap, &guess, &atom, folded);
            if goal == Goal::Missing {
                let mut without = guess.clone();
                without.missing.push(atom.clone());
                more.push(without);
            }
            for index in (0..guess.rest.len()).rev() {
                more.extend(guess.matched(heap, &atom, index));
            }
            pending.extend(more);
        }
        found
    }

    /// The atom to look for next: one of which the location is known, cells first.
    fn next(&self, guess: &Guess) -> Option<usize> {
        let rank = |atom: &Formula| match atom.kind() {
            Kind::PointsTo(loc, _) if guess.is_known(loc) => 0,
            Kind::Pred(_, args) if args.iter().all(|arg| guess.is_known(arg)) => 1,
            Kind::Pred(_, args) if args.iter().any(|arg| guess.is_known(arg)) => 2,
            Kind::PointsTo(..) => 3,
            _ => 4,
        };
        (0..guess.wanted.len()).min_by_key(|index| rank(&guess.wanted[*index].0))
    }

    /// The guesses in which an instance on the right is made of what is on the left.
    fn folded(
        &mut self,
        heap: &SymbolicHeap,
        guess: &Guess,
        atom: &Formula,
        folded: usize,
    ) -> Vec<Guess> {
        let Kind::Pred(name, args) = atom.kind() else { return Vec::new() };
        if folded == MAX_FOLDED {
            return Vec::new();
        }
        let args: Vec<Term> = args.iter().map(|arg| guess.resolve(arg)).collect();
        let Some(cases) = self.instance(name, &args) else { return Vec::new() };
        let mut all = Vec::new();
        for case in cases {
            let mut more = guess.clone();
            more.open.extend(case.vars.iter().map(|var| var.name.clone()));
            let added = case.spatial.iter().map(|part| (part.clone(), folded + 1));
            more.wanted.extend(added);
            // Equations say what variables are. Whether others hold is for whoever confirms the guess.
            let agrees = case.pure.iter().all(|pure| match pure.kind() {
                Kind::Eq(a, b) => more.equate(&heap.pure, a, b),
                _ => true,
            });
            if agrees {
                all.push(more);
            }
        }
        all
    }

    /// The frame: what is left, and what is known. Variables that are only in pure atoms say nothing.
    fn described(&self, heap: &SymbolicHeap, rest: Vec<Formula>) -> SymbolicHeap {
        let mut used: BTreeSet<Name> = BTreeSet::new();
        for atom in &rest {
            used.extend(atom.free_vars().into_iter().map(|var| var.name));
        }
        let hidden: Vec<Var> =
            heap.vars.iter().filter(|var| !used.contains(&var.name)).cloned().collect();
        let mut frame = heap.clone();
        frame.spatial = rest;
        frame.vars.retain(|var| used.contains(&var.name));
        frame.pure.retain(|atom| {
            atom.free_vars().iter().all(|v| hidden.iter().all(|h| h.name != v.name))
        });
        let mut seen = Vec::new();
        frame.pure.retain(|atom| {
            let new = !seen.contains(atom);
            seen.push(atom.clone());
            new
        });
        frame
    }
}

impl Guess {
    fn resolve(&self, term: &Term) -> Term {
        term.substitute(&|name| self.known.get(name).cloned())
    }

    fn resolve_atom(&self, atom: &Formula) -> Formula {
        atom.substitute(&self.known)
    }

    fn is_known(&self, term: &Term) -> bool {
        let mut known = true;
        self.resolve(term).for_each_var(&mut |var| known &= !self.open.contains(&var.name));
        known
    }

    /// The guess in which an atom is the one of this number on the left.
    fn matched(&self, heap: &SymbolicHeap, atom: &Formula, index: usize) -> Option<Guess> {
        let mut guess = self.clone();
        let found = guess.rest.remove(index);
        let fits = match (atom.kind(), found.kind()) {
            (Kind::PointsTo(loc, content), Kind::PointsTo(at, held)) => {
                loc.sort() == at.sort()
                    && guess.equate(&heap.pure, loc, at)
                    && guess.equate(&heap.pure, content, held)
            }
            (Kind::Pred(wanted, args), Kind::Pred(name, given)) => {
                wanted == name
                    && args.len() == given.len()
                    && args.iter().zip(given).all(|(a, b)| guess.equate(&heap.pure, a, b))
            }
            _ => false,
        };
        fits.then_some(guess)
    }

    /// Makes two terms equal, if variables of the right side make that possible. Of numbers it is only
    /// hoped that they are.
    fn equate(&mut self, pure: &[Formula], a: &Term, b: &Term) -> bool {
        let (a, b) = (self.resolve(a), self.resolve(b));
        for (one, other) in [(&a, &b), (&b, &a)] {
            if let Some(var) = one.as_var()
                && self.open.contains(&var.name)
            {
                if one != other {
                    self.open.remove(&var.name);
                    let by = BTreeMap::from([(var.name.clone(), other.clone())]);
                    for known in self.known.values_mut() {
                        *known = known.substitute(&|name| by.get(name).cloned());
                    }
                    self.known.insert(var.name.clone(), other.clone());
                }
                return true;
            }
        }
        match (a.kind(), b.kind()) {
            (TermKind::Record(r, xs), TermKind::Record(s, ys)) => {
                r == s && xs.iter().zip(ys).all(|(x, y)| self.equate(pure, x, y))
            }
            _ => same(pure, &a, &b) || a.sort() == sl::Sort::Int && b.sort() == sl::Sort::Int,
        }
    }
}

/// Are two terms the same, by these equations?
fn same(pure: &[Formula], a: &Term, b: &Term) -> bool {
    let mut reached = vec![a];
    let mut next = 0;
    while let Some(term) = reached.get(next).copied() {
        if term == b {
            return true;
        }
        for atom in pure {
            let Kind::Eq(x, y) = atom.kind() else { continue };
            for (one, other) in [(x, y), (y, x)] {
                if one == term && !reached.contains(&other) {
                    reached.push(other);
                }
            }
        }
        next += 1;
    }
    false
}
