//! Proofs, for those who want to see one: the search is repeated, and written down as a tree.
//!
//! The tree has the rules of all proofs with inductive definitions. Where the procedure knows by a
//! search that the end of a segment is not inside of another one, the tree splits cases until it is
//! evident: every segment that may hold the end is empty, or is unfolded, so that its first cell is
//! there.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sl::core::sequent::ordered;
use sl::core::{Assertion, Call, Clauses, Heap, Scope, Sequent, System, Var};
use sl::proof::{Base, Consequence, Derivation, Facts, Name, Rule, Tree};

use crate::ListLogic;
use crate::graph::{Edge, Graph, NIL, Vertex};
use crate::saturate::State;
use crate::search::{choose, close};

/// More cases than this are not written down.
const MAX_SPLITS: usize = 4_000;

/// A proof of an entailment that is valid; `None` if there is none of this form.
pub(crate) fn derive(
    scope: &Scope,
    logic: &ListLogic,
    left: &Assertion,
    right: &Assertion,
) -> Option<Vec<Derivation>> {
    let clauses = Clauses::new(scope, left, Some(right)).ok()?;
    let names: Vec<sl::Name> = clauses.vars(scope).into_iter().map(|var| var.name).collect();
    let Clauses { selection, left: lefts, right: rights, .. } = clauses;
    let mut system = System::clone(&selection.system);
    let given = system.predicates.len();
    let segment = |(pred, origin): (usize, &usize)| {
        let (root, end) = (*logic.segments.get(*origin)?)?;
        Segment::of(&system, pred, root, end)
    };
    let segments: Vec<Option<Segment>> = selection.origin.iter().enumerate().map(segment).collect();
    let nils = system.nils();
    let several = match rights.as_slice() {
        [_] => None,
        // No definition has such cases: one of them must do.
        cases if cases.iter().any(|case| case.open) => None,
        cases => {
            let params = lefts.first().map(|clause| clause.sorts[nils..clause.free].to_vec());
            Some(system.add("the right side", params.unwrap_or_default(), cases.to_vec()))
        }
    };
    let count = system.predicates.len();
    let base = |segment: Option<&Segment>| match segment {
        Some(segment) => segment.bases(nils),
        None => vec![Base::default()],
    };
    let facts = Arc::new(Facts {
        bases: Some((0..count).map(|p| base(segments.get(p).and_then(Option::as_ref))).collect()),
        invariants: vec![Vec::new(); count],
        counts: vec![None; count],
    });
    let system = Arc::new(system);
    lefts
        .iter()
        .map(|clause| {
            let scope: Vec<Var> = (0..clause.sorts.len() as Var).collect();
            let left = Heap::instance(clause, &scope);
            let writer = || Writer {
                nils,
                segments: &segments,
                sorts: clause.sorts.clone(),
                splits: MAX_SPLITS,
            };
            let written = |mut writer: Writer<'_>, right: Heap, exist: BTreeSet<Var>| {
                let sequent = Sequent { left: left.clone(), right, exist };
                let tree = writer.start(&sequent)?;
                Some((tree, writer.sorts))
            };
            let (tree, sorts) = match several {
                Some(pred) => {
                    let args = (nils..clause.free).map(|v| v as Var).collect();
                    let right = Heap { calls: vec![Call { pred, args }], ..Heap::default() };
                    written(writer(), right, BTreeSet::new())?
                }
                None => rights.iter().find_map(|case| {
                    let mut writer = writer();
                    let mut scope: Vec<Var> = (0..case.free as Var).collect();
                    let own = case.sorts.iter().skip(case.free);
                    let exist: BTreeSet<Var> = own.map(|sort| writer.fresh(*sort)).collect();
                    scope.extend(&exist);
                    written(writer, Heap::instance(case, &scope), exist)
                })?,
            };
            Some(Derivation {
                system: system.clone(),
                given,
                facts: facts.clone(),
                names: names.clone(),
                sorts,
                lemmas: Vec::new(),
                tree,
            })
        })
        .collect()
}

/// A predicate that is a plain segment: which parameter is what, and which case.
struct Segment {
    root: usize,
    end: usize,
    empty: usize,
    step: usize,
    sort: usize,
    /// Is it said that the first location is not this `nil`?
    nil: Option<Var>,
}

impl Segment {
    fn of(system: &System, pred: usize, root: usize, end: usize) -> Option<Segment> {
        let predicate = system.predicates.get(pred)?;
        let [first, _] = predicate.cases.as_slice() else { return None };
        let (empty, step) = if first.cells.is_empty() { (0, 1) } else { (1, 0) };
        let case = predicate.cases.get(step)?;
        let nils = system.nils();
        let at = |place: usize| (nils + place) as Var;
        let sort = *predicate.params.first()?;
        let is_pair = |(a, b): &(Var, Var)| ordered(*a, *b) == ordered(at(root), at(end));
        // That a location is not `nil` goes without saying, but may be said.
        let is_nil = |(a, b): &(Var, Var)| ordered(*a, *b) == ordered(sort as Var, at(root));
        let nil = case.different.iter().any(is_nil).then_some(sort as Var);
        let is_plain = case.cells.len() == 1
            && case.calls.len() == 1
            && case.different.iter().any(is_pair)
            && case.different.iter().all(|pair| is_pair(pair) || is_nil(pair))
            && case.equal.is_empty()
            && case.sorts.len() == case.free + 1;
        is_plain.then_some(Segment { root, end, empty, step, sort, nil })
    }

    fn bases(&self, nils: usize) -> Vec<Base> {
        let (root, end) = ((nils + self.root) as Var, (nils + self.end) as Var);
        let empty = Base { equal: vec![(root, end)], ..Base::default() };
        let step = Base { different: vec![(root, end)], allocated: vec![root], ..Base::default() };
        vec![empty, step]
    }
}

struct Writer<'a> {
    nils: usize,
    segments: &'a [Option<Segment>],
    sorts: Vec<usize>,
    splits: usize,
}

fn consequence(name: Name, witness: Vec<(Var, Var)>) -> Rule {
    Rule::Consequence(Consequence { name, instance: Vec::new(), witness })
}

impl Writer<'_> {
    fn fresh(&mut self, sort: usize) -> Var {
        self.sorts.push(sort);
        (self.sorts.len() - 1) as Var
    }

    fn segment(&self, call: &Call) -> Option<(&Segment, Var, Var)> {
        let segment = self.segments.get(call.pred)?.as_ref()?;
        Some((segment, *call.args.get(segment.root)?, *call.args.get(segment.end)?))
    }

    /// Existential variables of the right side are what equations say.
    fn start(&mut self, s: &Sequent) -> Option<Tree> {
        let mut next = s.clone();
        let mut witnesses = Vec::new();
        while let Some((var, by)) = next.right.equal.iter().find_map(|(a, b)| {
            if a == b {
                None
            } else if next.exist.contains(b) {
                Some((*b, *a))
            } else {
                next.exist.contains(a).then_some((*a, *b))
            }
        }) {
            next.bind(var, by);
            witnesses.push((var, by));
        }
        next.right.equal.retain(|(a, b)| a != b);
        // What is left over on the left can be left over on the right as well.
        let tree = self.prove(&next)?;
        Some(self.after(s, consequence(Name::Witness, witnesses), tree))
    }

    /// The proof of a conclusion by one of its only premise; none is needed where they are the same.
    fn after(&self, s: &Sequent, rule: Rule, tree: Tree) -> Tree {
        let is_idle = tree.sequent == *s && matches!(rule, Rule::Consequence(_));
        if is_idle { tree } else { Tree::new(s.clone(), rule, vec![tree]) }
    }

    /// The left side as a graph: vertices for variables, edges for cells and then for segments.
    fn graph(&self, s: &Sequent) -> Option<(Graph, Vec<Var>)> {
        let mut vars: Vec<Var> = Vec::new();
        let mut all = s.left.vars();
        all.extend(s.right.vars());
        let sort = s.left.calls.iter().chain(&s.right.calls).find_map(|call| self.segment(call));
        let nil = match (sort, s.left.cells.first().or(s.right.cells.first())) {
            (Some((segment, _, _)), _) => segment.sort as Var,
            (None, Some(cell)) => *self.sorts.get(cell.addr as usize)? as Var,
            (None, None) => self.sorts.get(*all.first()? as usize).map(|sort| *sort as Var)?,
        };
        vars.push(nil);
        vars.extend(all.into_iter().filter(|v| *v as usize >= self.nils));
        let vertex = |v: Var| -> Option<Vertex> { vars.iter().position(|known| *known == v) };
        let pairs = |pairs: &mut dyn Iterator<Item = &(Var, Var)>| -> Option<Vec<_>> {
            pairs.map(|(a, b)| Some((vertex(*a)?, vertex(*b)?))).collect()
        };
        let mut edges = Vec::new();
        for cell in &s.left.cells {
            let [to] = cell.fields.as_slice() else { return None };
            edges.push(Edge { from: vertex(cell.addr)?, to: vertex(*to)?, solid: true });
        }
        for call in &s.left.calls {
            let (_, from, to) = self.segment(call)?;
            edges.push(Edge { from: vertex(from)?, to: vertex(to)?, solid: false });
        }
        let graph = Graph {
            size: vars.len(),
            edges,
            equal: pairs(&mut s.left.equal.iter())?,
            different: pairs(&mut s.left.different.iter())?,
            open: false,
        };
        Some((graph, vars))
    }

    fn prove(&mut self, s: &Sequent) -> Option<Tree> {
        self.splits = self.splits.checked_sub(1)?;
        let has_numbers = !s.right.linear.is_empty() || !s.left.linear.is_empty();
        let contradiction = || Tree::new(s.clone(), Rule::Contradiction, Vec::new());
        let Some((graph, vars)) = self.graph(s) else {
            // Without lists there is not much to know.
            let is_axiom = s.right.is_empty() && !has_numbers;
            return is_axiom.then(|| Tree::new(s.clone(), Rule::Axiom, Vec::new()));
        };
        let Some(mut state) = close(&graph, State::new(&graph)) else {
            return Some(contradiction());
        };
        // Numbers are not known here: with them, only what the links exclude is proved.
        if has_numbers {
            return choose(&graph, state).is_none().then(contradiction);
        }
        // Equations of the right side follow, so they may be used.
        let vertex = |v: Var| vars.iter().position(|known| *known == v).unwrap_or(NIL);
        for (a, b) in &s.right.equal {
            state.merge(vertex(*a), vertex(*b));
        }
        let Some(state) = close(&graph, state) else { return Some(contradiction()) };
        if choose(&graph, state.clone()).is_none() {
            return Some(contradiction());
        }
        let same = |v: Var| -> Var {
            let found = vars.iter().position(|known| *known == v);
            found.and_then(|at| vars.get(state.find(at)).copied()).unwrap_or(v)
        };
        let known = state.knowledge(&graph).ok()?;
        let apart = |a: Var, b: Var| known.is_apart(state.find(vertex(a)), state.find(vertex(b)));
        let owned = |v: Var| known.owner(state.find(vertex(v))).is_some();
        // An edge that is needed but not decided is two cases.
        let undecided = |from: Var, to: Var| same(from) != same(to) && !apart(from, to);
        let open: Vec<(Var, Var)> = s
            .left
            .calls
            .iter()
            .filter_map(|call| self.segment(call))
            .map(|(_, from, to)| (from, to))
            .filter(|(from, to)| undecided(*from, *to))
            .collect();
        let mut plain = s.clone();
        plain.left = plain.left.renamed(&same);
        plain.right = plain.right.renamed(&same);
        plain.left.equal.clear();
        plain.right.equal.clear();
        plain.right.different.clear();
        let is_known = |v: Var| same(v) < self.nils as Var || owned(v);
        match self.plan(&plain, &apart, &is_known) {
            Some(steps) => {
                let nonempty: Vec<(Var, Var)> = plain
                    .left
                    .calls
                    .iter()
                    .filter_map(|call| self.segment(call))
                    .map(|(_, from, to)| (from, to))
                    .filter(|(from, to)| from != to && apart(*from, *to))
                    .collect();
                let tree = self.written(&plain, steps, &nonempty)?;
                Some(self.after(s, consequence(Name::Simplify, Vec::new()), tree))
            }
            None => {
                let pair = open.first().copied().or_else(|| {
                    // Nothing but whether variables are equal is left.
                    let pairs = vars.iter().flat_map(|a| vars.iter().map(move |b| (*a, *b)));
                    pairs.into_iter().find(|(a, b)| undecided(*a, *b))
                });
                let (a, b) = pair?;
                let mut equal = s.clone();
                equal.left.equal.push((a, b));
                let mut different = s.clone();
                different.left.different.insert(ordered(a, b));
                let premises = vec![self.prove(&equal)?, self.prove(&different)?];
                Some(Tree::new(s.clone(), Rule::SplitEqual(a, b), premises))
            }
        }
    }

    /// For each segment on the right the edges of its path, for each cell the cell. `None` if something
    /// is not evident yet.
    fn plan(
        &self,
        s: &Sequent,
        apart: &dyn Fn(Var, Var) -> bool,
        is_known: &dyn Fn(Var) -> bool,
    ) -> Option<Vec<Vec<Step>>> {
        let mut cells: Vec<(Var, Var)> = Vec::new();
        for cell in &s.left.cells {
            cells.push((cell.addr, *cell.fields.first()?));
        }
        let mut calls: Vec<(Var, Var)> = Vec::new();
        for call in &s.left.calls {
            let (_, from, to) = self.segment(call)?;
            if from != to {
                calls.push((from, to));
            }
        }
        for cell in &s.right.cells {
            let wanted = (cell.addr, *cell.fields.first()?);
            let place = cells.iter().position(|known| *known == wanted)?;
            cells.remove(place);
        }
        let mut paths = Vec::new();
        for call in &s.right.calls {
            let (_, mut at, end) = self.segment(call)?;
            let mut path = Vec::new();
            while at != end {
                if let Some(place) = cells.iter().position(|(from, _)| *from == at) {
                    if !apart(at, end) {
                        return None;
                    }
                    at = cells.remove(place).1;
                    path.push(Step::Cell);
                } else {
                    let place = calls.iter().position(|(from, _)| *from == at)?;
                    let (from, to) = calls.remove(place);
                    let is_last = to == end;
                    if !is_last && !is_known(end)
                        || !is_last && !apart(from, end) && apart(from, to)
                    {
                        return None;
                    }
                    at = to;
                    path.push(Step::Segment(from, to));
                }
            }
            paths.push(path);
        }
        let nothing_left = cells.is_empty() && calls.is_empty() && !s.left.open;
        (s.right.open || nothing_left).then_some(paths)
    }

    /// The tree for a plan. Segments that are certainly not empty are unfolded first, so that what they
    /// allocate is known for ever.
    fn written(
        &mut self,
        s: &Sequent,
        paths: Vec<Vec<Step>>,
        nonempty: &[(Var, Var)],
    ) -> Option<Tree> {
        let mut chain: Vec<(Sequent, Rule, Option<Tree>)> = Vec::new();
        let mut now = s.clone();
        let mut place = 0;
        let mut inner: BTreeMap<(Var, Var), Var> = BTreeMap::new();
        while let Some(call) = now.left.calls.get(place).cloned() {
            let (segment, from, to) = self.segment(&call)?;
            let (empty, step, sort) = (segment.empty, segment.step, segment.sort);
            let (root, end, nil) = (segment.root, segment.end, segment.nil);
            let unfold = nonempty.contains(&(from, to));
            if from != to && !unfold {
                place += 1;
                continue;
            }
            if inner.values().any(|v| *v == from) {
                place += 1;
                continue;
            }
            let fresh = self.fresh(sort);
            let mut rest = now.clone();
            rest.left.calls.remove(place);
            let mut as_empty = rest.clone();
            as_empty.left.equal.push((from.min(to), from.max(to)));
            let mut as_step = rest;
            as_step.left.different.insert(ordered(from, to));
            as_step.left.different.extend(nil.map(|nil| ordered(nil, from)));
            as_step.left.cells.push(sl::core::Cell { addr: from, fields: vec![fresh] });
            let mut args = call.args.clone();
            *args.get_mut(root)? = fresh;
            *args.get_mut(end)? = to;
            as_step.left.calls.push(Call { pred: call.pred, args });
            let mut vars = vec![Vec::new(), Vec::new()];
            *vars.get_mut(step)? = vec![fresh];
            let rule = Rule::UnfoldLeft { call: place, vars };
            let closed = |s: &Sequent| Tree::new(s.clone(), Rule::Contradiction, Vec::new());
            // Premises are in the order of the cases.
            let other = if unfold { closed(&as_empty) } else { closed(&as_step) };
            debug_assert!(empty + step == 1);
            let first = (if unfold { empty } else { step }) == 0;
            chain.push((now, rule, Some(other)));
            if let Some((_, _, Some(tree))) = chain.last_mut() {
                tree.label = if first { Some(0) } else { Some(1) };
            }
            now = if unfold { as_step } else { as_empty };
            if unfold {
                inner.insert((from, to), fresh);
            } else {
                let mut plain = now.clone();
                plain.left.equal.pop();
                chain.push((now, consequence(Name::Simplify, Vec::new()), None));
                now = plain;
            }
        }
        while let Some(cell) = now.right.cells.first().cloned() {
            let left = now.left.cells.iter().position(|c| c.addr == cell.addr)?;
            self.match_cell(&mut now, &mut chain, left, 0)?;
        }
        for path in paths {
            let is_matched = matches!(path.last(), Some(Step::Segment(..)));
            for step in path {
                match step {
                    Step::Cell => self.walk_cell(&mut now, &mut chain)?,
                    Step::Segment(from, to) => {
                        let unfolded = inner.get(&(from, to)).copied();
                        if unfolded.is_some() {
                            self.walk_cell(&mut now, &mut chain)?;
                        }
                        self.walk_segment(&mut now, &mut chain, unfolded.unwrap_or(from), to)?;
                    }
                }
            }
            if !is_matched {
                self.end_segment(&mut now, &mut chain)?;
            }
        }
        let axiom = Tree::new(now, Rule::Axiom, Vec::new());
        Some(chain.into_iter().rev().fold(axiom, |tree, (s, rule, other)| {
            let premises = match other {
                None => vec![tree],
                Some(mut other) => {
                    let first = other.label.take() == Some(0);
                    if first { vec![other, tree] } else { vec![tree, other] }
                }
            };
            let is_idle = premises.len() == 1
                && matches!(&rule, Rule::Consequence(_))
                && premises[0].sequent == s;
            match (is_idle, premises) {
                (true, mut premises) => premises.remove(0),
                (false, premises) => Tree::new(s, rule, premises),
            }
        }))
    }

    fn match_cell(
        &mut self,
        now: &mut Sequent,
        chain: &mut Vec<(Sequent, Rule, Option<Tree>)>,
        left: usize,
        right: usize,
    ) -> Option<()> {
        let before = now.clone();
        let l = now.left.cells.remove(left);
        let r = now.right.cells.remove(right);
        if l.fields != r.fields {
            return None;
        }
        now.left.gone.push(l.addr);
        chain.push((before, Rule::MatchCell { left, right }, None));
        Some(())
    }

    /// The first segment on the right starts with a cell of the left.
    fn walk_cell(
        &mut self,
        now: &mut Sequent,
        chain: &mut Vec<(Sequent, Rule, Option<Tree>)>,
    ) -> Option<()> {
        let call = now.right.calls.first()?.clone();
        let (segment, from, to) = self.segment(&call)?;
        let (root, case, sort) = (segment.root, segment.step, segment.sort);
        let nil = segment.nil;
        let left = now.left.cells.iter().position(|cell| cell.addr == from)?;
        let next = *now.left.cells.get(left)?.fields.first()?;
        let fresh = self.fresh(sort);
        chain.push((now.clone(), Rule::UnfoldRight { call: 0, case, vars: vec![fresh] }, None));
        now.right.calls.remove(0);
        now.right.different.insert(ordered(from, to));
        now.right.different.extend(nil.map(|nil| ordered(nil, from)));
        now.right.cells.push(sl::core::Cell { addr: from, fields: vec![fresh] });
        let mut args = call.args.clone();
        *args.get_mut(root)? = fresh;
        // It stays the first.
        now.right.calls.push(Call { pred: call.pred, args });
        now.exist.insert(fresh);
        chain.push((now.clone(), consequence(Name::Witness, vec![(fresh, next)]), None));
        now.bind(fresh, next);
        now.right.different.clear();
        let last = now.right.calls.pop()?;
        now.right.calls.insert(0, last);
        let right = now.right.cells.len().checked_sub(1)?;
        self.match_cell(now, chain, left, right)
    }

    /// The first segment on the right starts with a segment of the left, or is one.
    fn walk_segment(
        &mut self,
        now: &mut Sequent,
        chain: &mut Vec<(Sequent, Rule, Option<Tree>)>,
        from: Var,
        to: Var,
    ) -> Option<()> {
        let wanted = now.right.calls.first()?.clone();
        let (segment, _, end) = self.segment(&wanted)?;
        let root = segment.root;
        let left = now.left.calls.iter().position(|call| {
            self.segment(call).is_some_and(|(_, a, b)| a == from && b == to)
                && call.pred == wanted.pred
        })?;
        let before = now.clone();
        now.left.calls.remove(left);
        if to == end {
            now.right.calls.remove(0);
            chain.push((before, Rule::MatchCall { left, right: 0 }, None));
        } else {
            *now.right.calls.first_mut()?.args.get_mut(root)? = to;
            chain.push((before, Rule::Append { left, right: 0 }, None));
        }
        Some(())
    }

    /// The first segment on the right is empty.
    fn end_segment(
        &self,
        now: &mut Sequent,
        chain: &mut Vec<(Sequent, Rule, Option<Tree>)>,
    ) -> Option<()> {
        let call = now.right.calls.first()?.clone();
        let (segment, from, to) = self.segment(&call)?;
        chain.push((
            now.clone(),
            Rule::UnfoldRight { call: 0, case: segment.empty, vars: Vec::new() },
            None,
        ));
        now.right.calls.remove(0);
        now.right.equal.push((from, to));
        chain.push((now.clone(), consequence(Name::Simplify, Vec::new()), None));
        now.right.equal.clear();
        Some(())
    }
}

/// A part of a path.
enum Step {
    Cell,
    /// Between these.
    Segment(Var, Var),
}
