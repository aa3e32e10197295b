//! Joins of paths [PWZ13, Fig. 8 `join`].
//!
//! Conditionals in a row double the paths. A block therefore joins its paths into one as long as what is left of it would
//! make too many of them; the last few conditionals keep theirs, since a goal on a path of its own is smaller and its
//! failure has a story.
//!
//! Each step of a path has a guard, the condition under which it is taken. What was assumed in a step since the lowest
//! common ancestor of the paths holds under the guards on the way to it, one of the paths was taken, and a value that
//! differs is the one of the path whose guards hold. This admits every run: for it, the guards of its own path are
//! true, those of the others are not (a condition and its negation exclude each other, and of a `choose` nothing but
//! its guard says which branch is taken), so nothing is claimed of constants that other paths made. Goals stay where
//! they are, on the paths that end here, and are not asked again.

use std::collections::{BTreeSet, HashMap};

use num_bigint::BigInt;
use smt::{Node, Op, Sort, Term};
use spl::core::{LocalId, Stmt, StmtKind, Type};

use crate::logic::Symbol;
use crate::translate::HeapVar;
use crate::unit::{Item, Path, State, Unit};

/// More paths than this are joined.
const MAX_PATHS: usize = 16;

/// Writes to more locations than this are not told one by one.
const MAX_WRITES: usize = 8;

/// The paths through a statement that do not return.
fn paths_through(stmt: &Stmt) -> usize {
    match &stmt.kind {
        StmtKind::Block(stmts) => paths_through_all(stmts),
        StmtKind::If(_, then, otherwise) => {
            let otherwise = otherwise.as_deref().map_or(1, paths_through);
            paths_through(then).saturating_add(otherwise)
        }
        StmtKind::Choose(branches) => {
            branches.iter().map(paths_through).fold(0, usize::saturating_add)
        }
        StmtKind::Return(_) => 0,
        _ => 1,
    }
}

fn paths_through_all(stmts: &[Stmt]) -> usize {
    stmts.iter().map(paths_through).fold(1, usize::saturating_mul)
}

/// What can differ between paths.
#[derive(Clone, Debug)]
enum Part {
    Local(LocalId),
    Heap(HeapVar),
    Alloc(Type),
    Footprint(Type),
}

impl Part {
    fn of(&self, state: &State) -> Option<Term> {
        match self {
            Part::Local(local) => state.locals.get(local).copied(),
            Part::Heap(var) => state.heap.values.get(var).copied(),
            Part::Alloc(ty) => state.alloc.get(ty).copied(),
            Part::Footprint(ty) => state.footprint.get(ty).copied(),
        }
    }

    fn set(&self, state: &mut State, value: Option<Term>) {
        fn put<K: Ord + Clone>(
            map: &mut std::collections::BTreeMap<K, Term>,
            key: &K,
            value: Option<Term>,
        ) {
            match value {
                Some(value) => map.insert(key.clone(), value),
                None => map.remove(key),
            };
        }
        match self {
            Part::Local(local) => put(&mut state.locals, local, value),
            Part::Heap(var) => put(&mut state.heap.values, var, value),
            Part::Alloc(ty) => put(&mut state.alloc, ty, value),
            Part::Footprint(ty) => put(&mut state.footprint, ty, value),
        }
    }
}

impl Unit<'_> {
    /// The guard of a branch that is taken under a condition. Values depend on guards, so these have no quantifiers: where
    /// a condition has some, it follows from a name for it, and its negation from the negated name.
    pub fn guard(&mut self, cond: Term) -> Term {
        match self.has_quantifier(cond) {
            true => self.translator.logic.fresh("taken", &Type::Bool),
            false => cond,
        }
    }

    fn has_quantifier(&self, term: Term) -> bool {
        let terms = &self.translator.logic.terms;
        let (mut seen, mut pending) = (BTreeSet::new(), vec![term]);
        while let Some(term) = pending.pop() {
            if matches!(terms.node(term), Node::Quant(_)) {
                return true;
            }
            if seen.insert(term) {
                pending.extend(terms.children(term));
            }
        }
        false
    }

    /// The paths through a block so far, as one if with those through the rest there would be too many.
    pub fn join_before(&mut self, paths: Vec<Path>, rest: &[Stmt]) -> Vec<Path> {
        match paths.len().saturating_mul(paths_through_all(rest)) > MAX_PATHS {
            true => self.join(paths),
            false => paths,
        }
    }

    /// The paths through the branches of a statement, as one if there are too many.
    pub fn join_many(&mut self, paths: Vec<Path>) -> Vec<Path> {
        match paths.len() > MAX_PATHS {
            true => self.join(paths),
            false => paths,
        }
    }

    fn join(&mut self, paths: Vec<Path>) -> Vec<Path> {
        if paths.len() < 2 {
            return paths;
        }
        let Some(from) = self.common_ancestor(&paths) else { return paths };
        let node = self.step(Some(from));
        let mut known: HashMap<usize, Term> = HashMap::new();
        let mut guards = Vec::new();
        for path in &paths {
            let mut guard = self.translator.logic.terms.bool(true);
            for step in self.steps_since(path.node, from) {
                guard = match known.get(&step) {
                    Some(guard) => *guard,
                    None => self.copy_items(step, guard, node),
                };
                known.insert(step, guard);
            }
            guards.push(guard);
        }
        let taken = self.translator.logic.terms.or(guards.iter().copied());
        self.push(node, Item::Assume(taken));
        let Some(first) = paths.first() else { return paths };
        let mut joined = Path { node, state: first.state.clone() };
        for part in self.parts_of(&first.state) {
            let values: Option<Vec<Term>> = paths.iter().map(|p| part.of(&p.state)).collect();
            // A variable that some path does not know is not in scope any more.
            let value = values.map(|values| self.join_values(node, &part, &guards, &values));
            part.set(&mut joined.state, value);
        }
        vec![joined]
    }

    /// The last step that all paths have in common. It is not one of their ends: a path ends where it was forked last.
    fn common_ancestor(&self, paths: &[Path]) -> Option<usize> {
        let mut paths = paths.iter();
        let mut common = self.steps_to(paths.next()?.node);
        for path in paths {
            let steps = self.steps_to(path.node);
            let same = common.iter().zip(&steps).take_while(|(a, b)| a == b).count();
            common.truncate(same);
        }
        common.last().copied()
    }

    /// The steps to a node, from the first on.
    fn steps_to(&self, node: usize) -> Vec<usize> {
        let parent = |node: &usize| self.steps.get(*node).and_then(|step| step.parent);
        let mut steps: Vec<usize> = std::iter::successors(Some(node), parent).collect();
        steps.reverse();
        steps
    }

    /// The steps to a node after one of them.
    fn steps_since(&self, node: usize, from: usize) -> Vec<usize> {
        self.steps_to(node).into_iter().skip_while(|step| *step != from).skip(1).collect()
    }

    /// What is known in a step, under the guards on the way to it: these guards.
    fn copy_items(&mut self, step: usize, before: Term, node: usize) -> Term {
        let Some((own, items)) = self.steps.get(step).map(|s| (s.guard, s.items.clone())) else {
            return before;
        };
        let guard = match own {
            Some(own) => self.translator.logic.terms.and([before, own]),
            None => before,
        };
        for item in items {
            let terms = &mut self.translator.logic.terms;
            let item = match item {
                Item::Probe(..) => continue,
                Item::Assume(term) if Some(term) == own => continue,
                Item::Hint(term) => Item::Hint(terms.implies(guard, term)),
                Item::Late(term) => Item::Late(terms.implies(guard, term)),
                Item::Assume(term) => Item::Assume(terms.implies(guard, term)),
                Item::Check(check) => Item::Assume(terms.implies(guard, check.goal)),
            };
            self.push(node, item);
        }
        guard
    }

    fn push(&mut self, node: usize, item: Item) {
        if let Some(step) = self.steps.get_mut(node) {
            step.items.push(item);
        }
    }

    fn parts_of(&self, state: &State) -> Vec<Part> {
        let locals = state.locals.keys().copied().map(Part::Local);
        let heap = state.heap.values.keys().cloned().map(Part::Heap);
        let alloc = state.alloc.keys().cloned().map(Part::Alloc);
        let footprint = state.footprint.keys().cloned().map(Part::Footprint);
        locals.chain(heap).chain(alloc).chain(footprint).collect()
    }

    /// The value on the path whose guards hold.
    fn join_values(&mut self, node: usize, part: &Part, guards: &[Term], values: &[Term]) -> Term {
        if let [first, others @ ..] = values
            && others.iter().all(|other| other == first)
        {
            return *first;
        }
        if let Some(map) = self.join_writes(node, guards, values) {
            return map;
        }
        let new = match part {
            Part::Heap(var) => self.translator.fresh_part(var),
            Part::Local(local) => {
                let ty = self.local_type(*local);
                self.fresh("joined", &ty)
            }
            Part::Alloc(ty) | Part::Footprint(ty) => {
                self.fresh("joined", &Type::Set(ty.clone().into()))
            }
        };
        self.define(node, new, guards, values);
        new
    }

    /// `new` is the value on the path whose guards hold.
    fn define(&mut self, node: usize, new: Term, guards: &[Term], values: &[Term]) {
        let value = self.select(guards, values);
        let terms = &mut self.translator.logic.terms;
        let same = terms.eq(new, value);
        self.push(node, Item::Assume(same));
        if self.translator.logic.is_unbounded() {
            self.bound(node, new, values);
        }
    }

    /// `ite(g₁, v₁, ite(g₂, v₂, …))`
    fn select(&mut self, guards: &[Term], values: &[Term]) -> Term {
        let mut cases = guards.iter().zip(values).rev();
        let Some((_, last)) = cases.next() else { return self.translator.logic.terms.bool(true) };
        let terms = &mut self.translator.logic.terms;
        cases.fold(*last, |others, (guard, value)| terms.ite(*guard, *value, others))
    }

    /// Integers that differ by constants are within bounds. The solver would find this case by case, and so many joins in
    /// a row have as many cases as there were paths.
    fn bound(&mut self, node: usize, new: Term, values: &[Term]) {
        if self.translator.logic.terms.sort(new) != Sort::Int {
            return;
        }
        let mut all = values.iter().map(|value| self.offset(*value));
        let Some((base, first)) = all.next() else { return };
        let (mut low, mut high) = (first.clone(), first);
        for (other, offset) in all {
            if other != base {
                return;
            }
            low = low.min(offset.clone());
            high = high.max(offset);
        }
        let terms = &mut self.translator.logic.terms;
        let [low, high] = [low, high].map(|offset| {
            let offset = terms.int(offset);
            match base {
                Some(base) => terms.add(base, offset),
                None => offset,
            }
        });
        let bounds = [terms.le(low, new), terms.le(new, high)];
        bounds.into_iter().for_each(|bound| self.push(node, Item::Hint(bound)));
    }

    /// A term as a sum of something and a constant.
    fn offset(&self, mut term: Term) -> (Option<Term>, BigInt) {
        let terms = &self.translator.logic.terms;
        let mut offset = BigInt::ZERO;
        loop {
            match terms.node(term) {
                Node::Int(value) => return (None, offset + value),
                Node::Op(op @ (Op::Add | Op::Sub), args) => match args[..] {
                    [a, b] => match (terms.node(a), terms.node(b)) {
                        (_, Node::Int(value)) if *op == Op::Add => {
                            (term, offset) = (a, offset + value)
                        }
                        (_, Node::Int(value)) => (term, offset) = (a, offset - value),
                        (Node::Int(value), _) if *op == Op::Add => {
                            (term, offset) = (b, offset + value)
                        }
                        _ => return (Some(term), offset),
                    },
                    _ => return (Some(term), offset),
                },
                _ => return (Some(term), offset),
            }
        }
    }

    /// Maps that come from one by writes to a few locations come from it by one write to each: so what is known of all other
    /// locations needs no case split. Locations that are the same have the same values on each path.
    fn join_writes(&mut self, node: usize, guards: &[Term], values: &[Term]) -> Option<Term> {
        let sort = self.translator.logic.terms.sort(*values.first()?);
        let Type::Map(key, value) = self.translator.logic.ty(sort) else { return None };
        let chains: Vec<Vec<(Term, Term)>> = values.iter().map(|map| self.writes(*map)).collect();
        let bases: Vec<Vec<Term>> = chains
            .iter()
            .zip(values)
            .map(|(chain, map)| {
                std::iter::once(*map).chain(chain.iter().map(|(_, before)| *before)).collect()
            })
            .collect();
        let (first, others) = bases.split_first()?;
        let base = *first.iter().find(|map| others.iter().all(|other| other.contains(map)))?;
        let mut locations = Vec::new();
        let mut seen = BTreeSet::new();
        for (chain, maps) in chains.iter().zip(&bases) {
            let writes = maps.iter().take_while(|map| **map != base).count();
            for (at, _) in chain.iter().take(writes).rev() {
                if seen.insert(*at) {
                    locations.push(*at);
                }
            }
        }
        if locations.len() > MAX_WRITES {
            return None;
        }
        let mut joined = base;
        for at in locations {
            let mut stored = Vec::new();
            for map in values {
                stored.push(self.read_back(&key, &value, *map, at));
            }
            let new = match stored.as_slice() {
                [first, others @ ..] if others.iter().all(|other| other == first) => *first,
                _ => {
                    let new = self.fresh("joined", &value);
                    self.define(node, new, guards, &stored);
                    new
                }
            };
            joined = self.translator.logic.update(&key, &value, joined, at, new);
        }
        // Definitions are about whole maps.
        for (guard, map) in guards.iter().zip(values) {
            let terms = &mut self.translator.logic.terms;
            let same = terms.eq(joined, *map);
            let same = terms.implies(*guard, same);
            self.push(node, Item::Hint(same));
        }
        Some(joined)
    }

    /// The locations that were written to make a map, from the last on, each with the map before the write.
    fn writes(&self, mut map: Term) -> Vec<(Term, Term)> {
        let logic = &self.translator.logic;
        let mut found = Vec::new();
        while let Node::App(fun, args) = logic.terms.node(map)
            && logic.symbol(*fun) == Some(Symbol::Update)
            && let [before, at, _] = args[..]
        {
            found.push((at, before));
            map = before;
        }
        found
    }

    /// `map[at]`; what was written there last, if that is sure.
    fn read_back(&mut self, key: &Type, value: &Type, map: Term, at: Term) -> Term {
        let logic = &mut self.translator.logic;
        if let Node::App(fun, args) = logic.terms.node(map)
            && logic.symbol(*fun) == Some(Symbol::Update)
            && let [_, place, to] = args[..]
            && place == at
        {
            return to;
        }
        logic.read(key, value, map, at)
    }
}
