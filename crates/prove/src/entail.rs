//! Entailment between formulas, with the constraints on data that it needs [ABCK15, Fig. 14 and 17].
//!
//! `P ⊢ Q` is proved by matching the heaplets of `Q` with those of `P`: POINTS-TO, PREDICATE, FOLD, and the
//! composition of two segments; where a heaplet of `P` must be known better, it is unfolded (UNFOLD) and both cases
//! are proved. What is left of `P` is for `true`. The Horn clauses of a proof say what data must satisfy: if they
//! hold for a solution, the entailment holds with that solution put in (Theorem 2).

use std::collections::BTreeMap;

use arith::{Constraint, Sum};
use horn::{Clause, Query, RelId};

use crate::defs::{Defs, End, PredId, SubArg};
use crate::rsep::{
    Applied, Arg, Atom, Cell, Context, Formula, HTerm, Instance, Refinement, is_rigid,
};

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
    prove(left, right, defs, MOST_UNFOLDINGS, &mut guesses, &mut proof, None).then_some(proof)
}

/// A formula without what another one describes.
#[derive(Clone, Debug, Default)]
pub struct Consumed {
    /// What is left, in one of these cases.
    pub rests: Vec<Formula>,
    /// What data must satisfy.
    pub clauses: Vec<Clause>,
}

/// The frame `F` of `left ⊢ right * F`, case by case; `None` if no proof is found.
#[must_use]
pub fn consume(left: &Formula, right: &Formula, defs: &Defs) -> Option<Consumed> {
    let mut left = left.clone();
    if !left.normalise(defs) {
        return Some(Consumed::default());
    }
    let (mut proof, mut rests, mut guesses) = (Proof::default(), Vec::new(), MOST_GUESSES);
    prove(left, right, defs, MOST_UNFOLDINGS, &mut guesses, &mut proof, Some(&mut rests))
        .then_some(Consumed { rests, clauses: proof.clauses })
}

fn prove(
    left: Formula,
    right: &Formula,
    defs: &Defs,
    unfoldings: usize,
    guesses: &mut usize,
    proof: &mut Proof,
    mut rests: Option<&mut Vec<Formula>>,
) -> bool {
    let mut matcher = Matcher::new(&left, right, defs);
    let mut wanted = None;
    if matcher.start() && matcher.search(guesses, &mut wanted) {
        proof.clauses.append(&mut matcher.clauses);
        let left_over = matcher.left_over();
        if let Some(rests) = rests {
            let mut rest = left.clone();
            let mut used = matcher.used.iter();
            rest.atoms.retain(|_| used.next() == Some(&false));
            rests.push(rest);
        }
        proof.leaves.push(Embedding { map: matcher.map, uses: matcher.uses, left_over });
        return true;
    }
    let Some(index) = wanted.filter(|_| unfoldings > 0) else { return false };
    let cases = left.unfold(index, defs);
    cases
        .into_iter()
        .all(|case| prove(case, right, defs, unfoldings - 1, guesses, proof, rests.as_deref_mut()))
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
    /// What may be below the holes of the right side.
    holes: BTreeMap<RelId, Refinement>,
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
            holes: BTreeMap::new(),
            clauses: Vec::new(),
        }
    }

    fn left_over(&self) -> usize {
        let on_heap = |atom: &Atom| match atom {
            Atom::Cell(cell) => self.defs.kind(cell.kind).on_heap,
            Atom::Pred(_) | Atom::Context(_) => true,
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
                            && self.holes_are_known(&instance.refs)
                    }
                    Atom::Context(context) => {
                        self.value(context.root).is_some() && self.value(context.hole).is_some()
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
                Atom::Context(context) => candidates.extend([context.root, context.hole]),
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
                Atom::Context(context) => {
                    let unbound = |arg: &HTerm| match arg {
                        HTerm::Sym(sym) if !self.map.contains_key(sym) => Some(*sym),
                        _ => None,
                    };
                    found = found.or_else(|| [context.root, context.hole].iter().find_map(unbound));
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
            let heads = match self.holes.get(&query.rel) {
                Some(inside) => inside.apply(&args),
                None => vec![Query { rel: query.rel, args }],
            };
            if !heads.into_iter().all(|head| self.clause(head, &[])) {
                return false;
            }
        }
        for fact in &right.facts {
            let Some(sum) = self.sum(&fact.sum) else { return false };
            let fact = Constraint { sum, relation: fact.relation };
            let Some(cases) = fact.negation() else { return false };
            for case in cases {
                let mut facts = self.left.facts.clone();
                facts.push(case);
                let body = not_rigid(&self.left.queries);
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

    /// `head ← Φ ∧ more`. What may be below a hole of the left side is rigid: of `H(a)` only `H(b)` with `a = b` is a
    /// reason, and without one there is no proof.
    fn clause(&mut self, head: Query, more: &[Query]) -> bool {
        let known: Vec<&Query> = self.left.queries.iter().chain(more).collect();
        let body = not_rigid(known.iter().copied());
        let facts = self.left.facts.clone();
        if !is_rigid(head.rel) {
            self.clauses.push(Clause { head: Some(head), body, facts });
            return true;
        }
        let reasons: Vec<&Query> =
            known.into_iter().filter(|query| query.rel == head.rel).collect();
        if reasons.iter().any(|reason| reason.args == head.args) {
            return true;
        }
        let Some(reason) = reasons.first() else { return false };
        for (a, b) in head.args.iter().zip(&reason.args) {
            for (less, more) in [(a, b), (b, a)] {
                let Some(fact) = Constraint::less(less, more) else { return false };
                let facts = facts.iter().cloned().chain([fact]).collect();
                self.clauses.push(Clause { head: None, body: body.clone(), facts });
            }
        }
        true
    }

    fn holes_are_known(&self, refs: &[Refinement]) -> bool {
        let atoms = refs.iter().flat_map(|refinement| &refinement.atoms);
        atoms.filter(|atom| is_rigid(atom.rel)).all(|atom| self.holes.contains_key(&atom.rel))
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
            Atom::Context(context) => {
                let (root, hole) = (self.value(context.root), self.value(context.hole));
                let (Some(root), Some(hole)) = (root, hole) else { return false };
                let Some(refs) = self.refinements(&context.refs) else { return false };
                let goal = Context { root, hole, refs, ..context.clone() };
                self.context(&goal, index, wanted)
            }
        }
    }

    /// Refinements of the right side in terms of the left one.
    fn refinements(&self, refs: &[Refinement]) -> Option<Vec<Refinement>> {
        let arg = |arg: &Arg| match arg {
            Arg::Bound(place) => Some(Arg::Bound(*place)),
            Arg::Term(sum) => self.sum(sum).map(Arg::Term),
        };
        let one = |refinement: &Refinement| {
            let mut atoms = Vec::new();
            for atom in &refinement.atoms {
                match self.holes.get(&atom.rel) {
                    // It is applied to all bound variables, in their order.
                    Some(inside) => atoms.extend(inside.atoms.iter().cloned()),
                    None => {
                        let args = atom.args.iter().map(arg).collect::<Option<Vec<_>>>()?;
                        atoms.push(Applied { rel: atom.rel, args });
                    }
                }
            }
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
            // A tree with a hole, and what is to be below the hole.
            if let Some(found) = self.left.context_at(root).filter(free) {
                let Atom::Context(own) = &self.left.atoms[found] else { return false };
                if own.pred != goal.pred || !self.predicate(&whole(own), &goal) {
                    return false;
                }
                self.take(found, index);
                let Some(below) = below(own, &goal, self.defs) else { return false };
                pending.push(below);
                continue;
            }
            let Some(found) = self.left.instance_at(root).filter(free) else { return false };
            let Atom::Pred(own) = &self.left.atoms[found] else { return false };
            if own.pred == goal.pred && own.args == goal.args {
                self.take(found, index);
                if !self.predicate(own, &goal) {
                    return false;
                }
                continue;
            }
            let middle = Formula::end_of(own, self.defs);
            let composes = own.pred == goal.pred
                && self.defs.is_segment(goal.pred)
                && self.left.avoids(end, root, self.defs);
            if composes {
                self.take(found, index);
                if !self.predicate(own, &goal) {
                    return false;
                }
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
                if !self.clause(head, &[]) {
                    return None;
                }
            }
        }
        debug_assert!(
            pred.subs.iter().all(|sub| matches!(sub.args.first(), Some(SubArg::Field(_))))
        );
        pred.subs.iter().map(|sub| sub.instance(goal, cell)).collect()
    }

    /// PREDICATE: `Ψ'ᵢ ← Ψᵢ ∧ Φ`.
    ///
    /// A relation between records is asked only of such as the first refinement allows.
    fn predicate(&mut self, own: &Instance, goal: &Instance) -> bool {
        let arities = &self.defs.pred(goal.pred).refs;
        for (place, refinement) in goal.refs.iter().enumerate() {
            let arity = arities.get(place).copied().unwrap_or(0);
            let first = self.left.next_data;
            let bound: Vec<Sum> = (0..arity as u32).map(|n| Sum::var(first + n)).collect();
            let mut known = own.refs.get(place).map(|r| r.apply(&bound)).unwrap_or_default();
            if let Some(all) = own.refs.first().filter(|_| place > 0) {
                let width = arities.first().copied().unwrap_or(0).max(1);
                known.extend(bound.chunks_exact(width).flat_map(|record| all.apply(record)));
            }
            for head in refinement.apply(&bound) {
                if !self.clause(head, &known) {
                    return false;
                }
            }
        }
        true
    }

    /// A tree with a hole: one of the left side as far as it goes, then record by record to the hole.
    fn context(&mut self, goal: &Context, index: usize, wanted: &mut Option<usize>) -> bool {
        let (mut at, mut inside) = (goal.root, goal.refs.first().cloned());
        let free = |index: &usize| !self.used[*index];
        if goal.root != goal.hole
            && let Some(found) = self.left.context_at(goal.root).filter(free)
        {
            let Atom::Context(own) = &self.left.atoms[found] else { return false };
            if own.pred != goal.pred || !self.predicate(&whole(own), &whole(goal)) {
                return false;
            }
            self.take(found, index);
            at = own.hole;
            inside = match (own.inside, inside) {
                (_, None) => None,
                (None, Some(_)) => return false,
                (Some(rel), Some(_)) => Some(everything(rel, goal.pred, self.defs)),
            };
        }
        let Some(way) = self.way(at, goal.hole, goal) else { return false };
        let pred = self.defs.pred(goal.pred);
        for (found, side) in way {
            let Atom::Cell(cell) = &self.left.atoms[found] else { return false };
            self.take(found, index);
            let refs: Vec<Refinement> =
                inside.iter().cloned().chain(goal.refs.iter().skip(1).cloned()).collect();
            for head in inside.iter().flat_map(|inside| inside.apply(&cell.data)) {
                if !self.clause(head, &[]) {
                    return false;
                }
            }
            let record = Instance { pred: goal.pred, args: vec![cell.at], refs };
            for (place, sub) in pred.subs.iter().enumerate() {
                let Some(part) = sub.instance(&record, cell) else { return false };
                if place == side {
                    inside = part.refs.first().cloned();
                } else if !self.instance(&part, index, wanted) {
                    return false;
                }
            }
        }
        if let (Some(hole), Some(inside)) = (goal.inside, inside) {
            self.holes.insert(hole, inside);
        }
        true
    }

    /// Records from one place to another, each with the part in which the next one is.
    fn way(&self, from: HTerm, to: HTerm, goal: &Context) -> Option<Vec<(usize, usize)>> {
        let pred = self.defs.pred(goal.pred);
        let mut pending: Vec<(HTerm, Vec<(usize, usize)>)> = vec![(from, Vec::new())];
        while let Some((at, way)) = pending.pop() {
            if at == to {
                return Some(way);
            }
            let Some(found) = self.left.cell_at(at).filter(|found| !self.used[*found]) else {
                continue;
            };
            let Atom::Cell(cell) = &self.left.atoms[found] else { continue };
            if cell.kind != pred.kind || way.iter().any(|(seen, _)| *seen == found) {
                continue;
            }
            for (side, sub) in pred.subs.iter().enumerate().rev() {
                if let [SubArg::Field(field)] = sub.args.as_slice()
                    && let Some(child) = cell.ptrs.get(*field)
                {
                    pending.push((*child, way.iter().copied().chain([(found, side)]).collect()));
                }
            }
        }
        None
    }
}

/// Queries to relations that are to be solved.
fn not_rigid<'q>(queries: impl IntoIterator<Item = &'q Query>) -> Vec<Query> {
    queries.into_iter().filter(|query| !is_rigid(query.rel)).cloned().collect()
}

/// The tree that a context is of.
fn whole(context: &Context) -> Instance {
    Instance { pred: context.pred, args: vec![context.root], refs: context.refs.clone() }
}

/// `λ a⃗. H(a⃗)`.
fn everything(rel: RelId, pred: PredId, defs: &Defs) -> Refinement {
    let arity = defs.pred(pred).refs.first().copied().unwrap_or(0);
    Refinement { atoms: vec![Applied { rel, args: (0..arity).map(Arg::Bound).collect() }] }
}

/// What must be below the hole of a context for the whole to be the goal; `None` if that is not known.
fn below(own: &Context, goal: &Instance, defs: &Defs) -> Option<Instance> {
    let mut refs = goal.refs.clone();
    if let Some(first) = refs.first_mut() {
        *first = everything(own.inside?, own.pred, defs);
    }
    Some(Instance { pred: goal.pred, args: vec![own.hole], refs })
}
