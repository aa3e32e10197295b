//! Entailment between formulas, with the constraints on data that it needs [ABCK15, Fig. 14 and 17].
//!
//! `P ⊢ Q` is proved by matching the heaplets of `Q` with those of `P`: POINTS-TO, PREDICATE, FOLD, and the
//! composition of two segments; where a heaplet of `P` must be known better, it is unfolded (UNFOLD) and both cases
//! are proved. What is left of `P` is for `true`. The Horn clauses of a proof say what data must satisfy: if they
//! hold for a solution, the entailment holds with that solution put in (Theorem 2).

use std::collections::BTreeMap;

use arith::{Constraint, Sum};
use horn::{Clause, Query};

use crate::defs::{Defs, End, SubArg};
use crate::rsep::{Atom, Cell, Formula, HTerm, Instance, Refinement};

/// Unfoldings on one branch of a proof.
const MOST_UNFOLDINGS: usize = 6;
/// Bindings of existential variables that are tried in all.
const MOST_GUESSES: usize = 400;

/// A proof: what it asks of data, and how heaplets were matched at its leaves.
#[derive(Clone, Debug, Default)]
pub struct Proof {
    /// Constraints.
    pub clauses: Vec<Clause>,
    /// Its leaves; one, if nothing was unfolded.
    pub leaves: Vec<Embedding>,
}

/// How the right side is found in the left one.
#[derive(Clone, Debug, Default)]
pub struct Embedding {
    /// What symbols of the right side are in the left one.
    pub map: BTreeMap<u32, HTerm>,
    /// Which heaplets of the left side each of the right side uses.
    pub uses: Vec<Vec<usize>>,
    /// How many heaplets on the heap of the left side are left for `true`.
    pub left_over: usize,
}

/// Proves `left ⊢ right`; `None` if no proof is found.
#[must_use]
pub fn entails(left: &Formula, right: &Formula, defs: &Defs) -> Option<Proof> {
    let mut left = left.clone();
    if !left.normalise(defs) {
        return Some(Proof::default());
    }
    let mut proof = Proof::default();
    let mut guesses = MOST_GUESSES;
    prove(left, right, defs, MOST_UNFOLDINGS, &mut guesses, &mut proof).then_some(proof)
}

fn prove(
    left: Formula,
    right: &Formula,
    defs: &Defs,
    unfoldings: usize,
    guesses: &mut usize,
    proof: &mut Proof,
) -> bool {
    let mut matcher = Matcher::new(&left, right, defs);
    let mut wanted = None;
    if matcher.start() && matcher.search(guesses, &mut wanted) {
        proof.clauses.append(&mut matcher.clauses);
        let left_over = matcher.left_over();
        proof.leaves.push(Embedding { map: matcher.map, uses: matcher.uses, left_over });
        return true;
    }
    let Some(index) = wanted.filter(|_| unfoldings > 0) else { return false };
    let cases = left.unfold(index, defs);
    cases.into_iter().all(|case| prove(case, right, defs, unfoldings - 1, guesses, proof))
}

#[derive(Clone)]
struct Matcher<'a> {
    defs: &'a Defs,
    left: &'a Formula,
    right: &'a Formula,
    map: BTreeMap<u32, HTerm>,
    /// Values of data symbols of the right side.
    data: BTreeMap<u32, Sum>,
    used: Vec<bool>,
    uses: Vec<Vec<usize>>,
    done: Vec<bool>,
    clauses: Vec<Clause>,
}

impl<'a> Matcher<'a> {
    fn new(left: &'a Formula, right: &'a Formula, defs: &'a Defs) -> Matcher<'a> {
        Matcher {
            defs,
            left,
            right,
            map: BTreeMap::new(),
            data: BTreeMap::new(),
            used: vec![false; left.atoms.len()],
            uses: vec![Vec::new(); right.atoms.len()],
            done: vec![false; right.atoms.len()],
            clauses: Vec::new(),
        }
    }

    fn left_over(&self) -> usize {
        let on_heap = |atom: &Atom| match atom {
            Atom::Cell(cell) => self.defs.kind(cell.kind).on_heap,
            Atom::Pred(_) => true,
        };
        self.left
            .atoms
            .iter()
            .zip(&self.used)
            .filter(|(atom, used)| !**used && on_heap(atom))
            .count()
    }

    /// Variables of the program have the same values on both sides.
    fn start(&mut self) -> bool {
        for (left, right) in self.left.vars.iter().zip(&self.right.vars) {
            if !self.bind(*right, *left) {
                return false;
            }
        }
        for (left, right) in self.left.data.iter().zip(&self.right.data) {
            if let [(sym, 1)] = right.factors.as_slice()
                && right.constant == 0
            {
                self.data.insert(*sym, left.clone());
            }
        }
        true
    }

    /// A term of the right side is a term of the left one.
    fn bind(&mut self, right: HTerm, left: HTerm) -> bool {
        match right {
            HTerm::Null => left == HTerm::Null,
            HTerm::Sym(sym) => *self.map.entry(sym).or_insert(left) == left,
        }
    }

    fn value(&self, right: HTerm) -> Option<HTerm> {
        match right {
            HTerm::Null => Some(HTerm::Null),
            HTerm::Sym(sym) => self.map.get(&sym).copied(),
        }
    }

    /// Matches what is left of the right side, guessing symbols that nothing determines. `wanted` is the first
    /// heaplet of the left side that would have to be unfolded.
    fn search(&mut self, guesses: &mut usize, wanted: &mut Option<usize>) -> bool {
        loop {
            let mut progress = false;
            for index in 0..self.done.len() {
                if self.done[index] {
                    continue;
                }
                let right = self.right;
                let ready = match &right.atoms[index] {
                    Atom::Cell(cell) => self.value(cell.at).is_some(),
                    Atom::Pred(instance) => {
                        instance.args.iter().all(|arg| self.value(*arg).is_some())
                    }
                };
                if ready {
                    if !self.heaplet(index, wanted) {
                        return false;
                    }
                    self.done[index] = true;
                    progress = true;
                }
            }
            if !progress {
                break;
            }
        }
        let Some(open) = self.open_symbol() else {
            return self.finish();
        };
        // ∃-RIGHT: places of the left side, those that are in use first.
        let mut candidates: Vec<HTerm> = Vec::new();
        for atom in &self.left.atoms {
            match atom {
                Atom::Cell(cell) => {
                    candidates.push(cell.at);
                    candidates.extend(&cell.ptrs);
                }
                Atom::Pred(instance) => candidates.extend(&instance.args),
            }
        }
        candidates.push(HTerm::Null);
        let mut seen = Vec::new();
        for candidate in candidates {
            if seen.contains(&candidate) {
                continue;
            }
            seen.push(candidate);
            let Some(rest) = guesses.checked_sub(1) else { return false };
            *guesses = rest;
            let mut attempt = self.clone();
            attempt.map.insert(open, candidate);
            if attempt.search(guesses, wanted) {
                *self = attempt;
                return true;
            }
        }
        false
    }

    /// A symbol that a heaplet waits for: of a record if there is one, for it has fewer candidates.
    fn open_symbol(&self) -> Option<u32> {
        let open = self.done.iter().zip(&self.right.atoms).filter(|(done, _)| !**done);
        let mut found = None;
        for (_, atom) in open {
            match atom {
                Atom::Cell(cell) => {
                    if let HTerm::Sym(sym) = cell.at {
                        return Some(sym);
                    }
                }
                Atom::Pred(instance) => {
                    let unbound = |arg: &HTerm| match arg {
                        HTerm::Sym(sym) if !self.map.contains_key(sym) => Some(*sym),
                        _ => None,
                    };
                    found = found.or_else(|| instance.args.iter().find_map(unbound));
                }
            }
        }
        found
    }

    /// Disequations and data: the premises `Π ⊨ Π'` and `Φ' ← Φ` of EMPTY and TRUE.
    fn finish(&mut self) -> bool {
        let right = self.right;
        for (a, b) in &right.apart {
            let (Some(a), Some(b)) = (self.value(*a), self.value(*b)) else {
                // Nothing determines one of them, so some value is different.
                continue;
            };
            if !self.left.are_apart(a, b, self.defs) {
                return false;
            }
        }
        for query in &right.queries {
            let args = query.args.iter().map(|arg| self.sum(arg)).collect::<Option<Vec<_>>>();
            let Some(args) = args else { return false };
            self.clause(Query { rel: query.rel, args }, Vec::new());
        }
        for fact in &right.facts {
            let Some(sum) = self.sum(&fact.sum) else { return false };
            let fact = Constraint { sum, relation: fact.relation };
            let Some(cases) = fact.negation() else { return false };
            for case in cases {
                let mut facts = self.left.facts.clone();
                facts.push(case);
                let body = self.left.queries.clone();
                self.clauses.push(Clause { head: None, body, facts });
            }
        }
        true
    }

    fn sum(&self, sum: &Sum) -> Option<Sum> {
        let mut result = Sum::number(sum.constant);
        for (sym, factor) in &sum.factors {
            result = result.plus(self.data.get(sym)?, *factor)?;
        }
        Some(result)
    }

    /// `head ← Φ ∧ more`.
    fn clause(&mut self, head: Query, more: Vec<Query>) {
        let mut body = self.left.queries.clone();
        body.extend(more);
        self.clauses.push(Clause { head: Some(head), body, facts: self.left.facts.clone() });
    }

    /// Matches a heaplet all of whose arguments are known.
    fn heaplet(&mut self, index: usize, wanted: &mut Option<usize>) -> bool {
        let right = self.right;
        match &right.atoms[index] {
            Atom::Cell(cell) => {
                let Some(at) = self.value(cell.at) else { return false };
                let Some(found) = self.record(at, wanted) else { return false };
                let Atom::Cell(own) = &self.left.atoms[found] else { return false };
                if own.kind != cell.kind {
                    return false;
                }
                self.take(found, index);
                let fits = cell.ptrs.iter().zip(&own.ptrs).all(|(r, l)| self.bind(*r, *l));
                for (right, left) in cell.data.iter().zip(&own.data) {
                    if let [(sym, 1)] = right.factors.as_slice() {
                        self.data.entry(*sym).or_insert_with(|| left.clone());
                    }
                }
                fits
            }
            Atom::Pred(instance) => {
                let args = instance.args.iter().map(|arg| self.value(*arg));
                let Some(args) = args.collect::<Option<Vec<_>>>() else { return false };
                let Some(refs) = self.refinements(&instance.refs) else { return false };
                let goal = Instance { pred: instance.pred, args, refs };
                self.instance(&goal, index, wanted)
            }
        }
    }

    /// Refinements of the right side in terms of the left one.
    fn refinements(&self, refs: &[Refinement]) -> Option<Vec<Refinement>> {
        use crate::rsep::{Applied, Arg};
        let arg = |arg: &Arg| match arg {
            Arg::Bound(place) => Some(Arg::Bound(*place)),
            Arg::Term(sum) => self.sum(sum).map(Arg::Term),
        };
        let atom = |atom: &Applied| {
            let args = atom.args.iter().map(arg).collect::<Option<Vec<_>>>()?;
            Some(Applied { rel: atom.rel, args })
        };
        let one = |refinement: &Refinement| {
            let atoms = refinement.atoms.iter().map(atom).collect::<Option<Vec<_>>>()?;
            Some(Refinement { atoms })
        };
        refs.iter().map(one).collect()
    }

    /// A record of the left side that is not used up.
    fn record(&self, at: HTerm, wanted: &mut Option<usize>) -> Option<usize> {
        let free = |index: &usize| !self.used[*index];
        if let Some(found) = self.left.cell_at(at).filter(free) {
            return Some(found);
        }
        if let Some(found) = self.left.instance_at(at).filter(free) {
            wanted.get_or_insert(found);
        }
        None
    }

    fn take(&mut self, left: usize, right: usize) {
        self.used[left] = true;
        self.uses[right].push(left);
    }

    /// Proves an instance from the left side: it is empty, there (PREDICATE), the start of it is there
    /// (composition), or it is folded (FOLD).
    fn instance(&mut self, goal: &Instance, index: usize, wanted: &mut Option<usize>) -> bool {
        let mut pending = vec![goal.clone()];
        while let Some(goal) = pending.pop() {
            let Some(&root) = goal.args.first() else { return false };
            let end = Formula::end_of(&goal, self.defs);
            if root == end {
                continue;
            }
            let free = |index: &usize| !self.used[*index];
            if let Some(found) = self.left.cell_at(root).filter(free) {
                let Atom::Cell(cell) = &self.left.atoms[found] else { return false };
                let Some(parts) = self.fold(&goal, cell, end) else { return false };
                self.take(found, index);
                pending.extend(parts);
                continue;
            }
            let Some(found) = self.left.instance_at(root).filter(free) else { return false };
            let Atom::Pred(own) = &self.left.atoms[found] else { return false };
            if own.pred == goal.pred && own.args == goal.args {
                self.take(found, index);
                self.predicate(own, &goal);
                continue;
            }
            let middle = Formula::end_of(own, self.defs);
            let composes = own.pred == goal.pred
                && self.defs.is_segment(goal.pred)
                && self.left.avoids(end, root, self.defs);
            if composes {
                self.take(found, index);
                self.predicate(own, &goal);
                let End::Param(place) = self.defs.pred(goal.pred).end else { return false };
                let mut rest = goal.clone();
                rest.args[0] = middle;
                rest.args[place] = end;
                pending.push(rest);
                continue;
            }
            wanted.get_or_insert(found);
            return false;
        }
        true
    }

    /// FOLD: the record is the first of the instance. The parts that are left to prove.
    fn fold(&mut self, goal: &Instance, cell: &Cell, end: HTerm) -> Option<Vec<Instance>> {
        let pred = self.defs.pred(goal.pred);
        let fits = |(field, link): (&HTerm, &Option<usize>)| {
            link.is_none_or(|place| goal.args.get(place) == Some(field))
        };
        if pred.kind != cell.kind || !cell.ptrs.iter().zip(&pred.links).all(fits) {
            return None;
        }
        if !self.left.are_apart(cell.at, end, self.defs) {
            return None;
        }
        if let Some(all) = goal.refs.first() {
            for head in all.apply(&cell.data) {
                self.clause(head, Vec::new());
            }
        }
        debug_assert!(
            pred.subs.iter().all(|sub| matches!(sub.args.first(), Some(SubArg::Field(_))))
        );
        pred.subs.iter().map(|sub| sub.instance(goal, cell)).collect()
    }

    /// PREDICATE: `Ψ'ᵢ ← Ψᵢ ∧ Φ`.
    fn predicate(&mut self, own: &Instance, goal: &Instance) {
        let arities = &self.defs.pred(goal.pred).refs;
        for (place, refinement) in goal.refs.iter().enumerate() {
            let arity = arities.get(place).copied().unwrap_or(0);
            let first = self.left.next_data;
            let bound: Vec<Sum> = (0..arity as u32).map(|n| Sum::var(first + n)).collect();
            let known = own.refs.get(place).map(|r| r.apply(&bound)).unwrap_or_default();
            for head in refinement.apply(&bound) {
                self.clause(head, known.clone());
            }
        }
    }
}
