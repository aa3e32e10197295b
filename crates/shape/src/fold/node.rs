//! Nodes: what belongs to one alone, what several have in common, and the predicate that they make.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use super::refs::{Ref, Refs};
use super::{as_segment, fold};
use crate::eval::values_of;
use crate::facts::is_number;
use crate::heap::{Cell, Heap, Kind, Place, RIGID, Seg, State, is_rigid};
use crate::join::{Join, MAX_SEGMENTS, Mode, Side};
use crate::precision::Precision;
use crate::preds::{Body, Like, NEXT, PREV, Pred, PredId, Preds, SELF, SHARED, Shape, Tracks};
use crate::pure::{Interval, Pure};
use crate::term::{Sym, Term};
use crate::unfold::instantiate;

/// Stand for the links of a node while it is taken out of a heap.
const NEXT_LINK: Sym = Sym(RIGID - 1);
const PREV_LINK: Sym = Sym(RIGID - 2);
/// A node may be of so many kinds.
const MAX_BODIES: usize = 3;

/// How nodes of a list are linked: offsets in the node of the links, and where they lead to in a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) next: i128,
    pub(crate) prev: Option<i128>,
    pub(crate) head: i128,
}

/// A node that was taken out of a heap.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) heap: Heap,
    pub(crate) at: Sym,
    pub(crate) children: Vec<i128>,
}

/// What belongs to a node alone: objects and segments that only it leads to.
pub(crate) fn owned(
    state: &State,
    refs: &Refs,
    node: Sym,
    links: &[i128],
) -> (BTreeSet<Sym>, BTreeSet<usize>) {
    let heap = &state.heap;
    let Some(obj) = heap.objs.get(&node) else { return Default::default() };
    let start = obj.cells.iter().filter(|(at, _)| !links.contains(at)).map(|(_, cell)| cell.value);
    // The way does not lead through the node itself.
    let mut without = heap.clone();
    without.objs.remove(&node);
    let (mut objs, mut segs) = without.reachable(start);
    objs.retain(|at| heap.objs.get(at).is_some_and(|obj| obj.kind == Kind::Heap));
    loop {
        let inside = |r: Ref, objs: &BTreeSet<Sym>, segs: &BTreeSet<usize>| match r {
            Ref::Root => false,
            Ref::Cell(from, offset) => {
                objs.contains(&from) || from == node && !links.contains(&offset)
            }
            Ref::Seg(i, _) => segs.contains(&i),
        };
        let lost = objs.iter().copied().find(|at| !refs.only(*at, |r| inside(r, &objs, &segs)));
        if let Some(at) = lost {
            objs.remove(&at);
            continue;
        }
        let lost = segs.iter().copied().find(|i| {
            let seg = &heap.segs[*i];
            let ends = [seg.root.base, seg.last.base];
            let ends = ends.into_iter().flatten().filter(|sym| {
                // A segment whose root is also an object inside is empty there; leave that alone.
                !objs.contains(sym)
            });
            ends.into_iter().any(|sym| !refs.only(sym, |r| inside(r, &objs, &segs)))
        });
        match lost {
            Some(i) => segs.remove(&i),
            None => break,
        };
    }
    (objs, segs)
}

/// Takes a node and what belongs to it out of a state; its links are named.
pub(crate) fn take(
    state: &State,
    preds: &Preds,
    refs: &Refs,
    at: Sym,
    link: Link,
    children: &[i128],
) -> Option<(Node, BTreeSet<Sym>, BTreeSet<usize>)> {
    let mut links: Vec<i128> = children.to_vec();
    if children.is_empty() {
        links.push(link.next);
    }
    links.extend(link.prev);
    let (objs, segs) = owned(state, refs, at, &links);
    let mut heap = Heap { fresh: state.heap.fresh, ..Heap::default() };
    for sym in objs.iter().chain([&at]) {
        heap.objs.insert(*sym, state.heap.objs.get(sym)?.clone());
    }
    heap.segs.extend(segs.iter().map(|i| state.heap.segs[*i].clone()));
    let node = heap.obj_mut(at)?;
    let mut fresh = state.heap.fresh;
    if children.is_empty() {
        node.cells.get_mut(&link.next)?.value = Term::sym(NEXT_LINK);
    }
    for child in children {
        node.cells.get_mut(child)?.value = Term::sym(Sym(fresh));
        fresh += 1;
    }
    if let Some(prev) = link.prev {
        node.cells.get_mut(&prev)?.value = Term::sym(PREV_LINK);
    }
    heap.fresh = fresh;
    let mut pure = state.heap.pure.clone();
    let mut mentioned = HashSet::new();
    heap.for_each_term(&mut |term| mentioned.extend(term.base));
    pure.retain(|sym| mentioned.contains(&sym));
    heap.pure = pure;
    if preds.tracks.facts() {
        let mut all = objs.clone();
        all.insert(at);
        let inner = inner_symbols(state, &all, &segs, &Seg::nodes());
        own_numbers(&mut heap, at, &inner, &state.heap);
    }
    Some((Node { heap, at, children: children.to_vec() }, objs, segs))
}

/// Gives the numbers of a node names of its own. Facts of its segment tell what they have to do with others, and bound
/// them; so the predicate says nothing but its type of a number that is not constant.
fn own_numbers(heap: &mut Heap, at: Sym, inner: &HashSet<Sym>, whole: &Heap) {
    let cells: Vec<Cell> =
        heap.objs.get(&at).map(|obj| obj.cells.values().copied().collect()).unwrap_or_default();
    let mut numbers: HashMap<Sym, Term> = HashMap::new();
    for cell in cells.iter().filter(|cell| is_number(whole, cell.ty, cell.value)) {
        if let Some(base) = cell.value.base {
            let own = Term::sym(heap.fresh());
            numbers.entry(base).or_insert(own.plus(-cell.value.k));
        }
    }
    for seg in &mut heap.segs {
        let stays = |base: Sym| inner.contains(&base) || numbers.contains_key(&base);
        seg.facts.retain(|t| t.base.is_none_or(stays));
    }
    for (base, by) in numbers {
        // No contradiction: the symbol is new.
        let _ = heap.replace(base, by);
    }
}

/// The nodes that a segment consists of, as if taken out of the state.
pub(crate) fn nodes_of(state: &State, preds: &Preds, seg: &Seg) -> Vec<Node> {
    let pred = preds.get(seg.pred);
    pred.bodies
        .iter()
        .map(|body| {
            let mut heap = Heap { fresh: state.heap.fresh + 64, ..Heap::default() };
            let at = heap.fresh();
            instantiate(
                &mut heap,
                body,
                at,
                Term::sym(NEXT_LINK),
                Term::sym(PREV_LINK),
                &seg.shared,
            );
            // What the segment says is what its nodes know about their numbers.
            let cells = heap.objs.get(&at).map(|obj| obj.cells.clone()).unwrap_or_default();
            for (offset, values) in &seg.facts.values {
                let Some(base) = cells.get(offset).and_then(|cell| cell.value.base) else {
                    continue;
                };
                let range = |t: Option<Term>| t.map(|t| state.heap.pure.range(t));
                let low = range(values.low).and_then(|range| range.low);
                let high = range(values.high).and_then(|range| range.high);
                heap.pure.bound(base, Interval { low, high });
            }
            Node { heap, at, children: body.children.clone() }
        })
        .collect()
}

/// Numbers that the program stores or compares with, which one node holds and the other certainly does not, if facts are known.
fn told_apart(preds: &Preds, a: &Node, b: &Node) -> Vec<i128> {
    let (Some(left), Some(right)) = (a.heap.objs.get(&a.at), b.heap.objs.get(&b.at)) else {
        return Vec::new();
    };
    let Tracks::Facts { kinds, .. } = &preds.tracks else { return Vec::new() };
    let only = |(heap, one): (&Heap, Cell), (other_heap, other): (&Heap, Cell)| {
        let numbers =
            is_number(heap, one.ty, one.value) && is_number(other_heap, other.ty, other.value);
        let named = one.value.base.is_none() && kinds.binary_search(&one.value.k).is_ok();
        let differ = other_heap.disequal(preds, other.value, one.value);
        (numbers && named && differ).then_some(one.value.k)
    };
    let cells = left.cells.iter().filter_map(|(at, cell)| Some((*cell, *right.cells.get(at)?)));
    cells
        .flat_map(|(x, y)| {
            let (x, y) = ((&a.heap, x), (&b.heap, y));
            [only(x, y), only(y, x)]
        })
        .flatten()
        .collect()
}

/// Are two nodes told apart by a number that keeps them in different segments?
fn is_marked(preds: &Preds, nodes: &[Node]) -> bool {
    let Tracks::Facts { marks, .. } = &preds.tracks else { return false };
    let marked = |a: &Node, b: &Node| {
        told_apart(preds, a, b).iter().any(|number| marks.binary_search(number).is_ok())
    };
    nodes.iter().enumerate().any(|(i, a)| nodes.iter().skip(i + 1).any(|b| marked(a, b)))
}

/// Joins nodes of one kind; others become another kind.
pub(crate) fn merge(
    preds: &mut Preds,
    nodes: Vec<Node>,
    rigid: &dyn Fn(Sym) -> bool,
    fixed: &dyn Fn(Sym) -> bool,
) -> Option<Vec<Node>> {
    let mut kinds: Vec<Node> = Vec::new();
    for mut node in nodes {
        // What became more general may include other kinds, too.
        let (mut i, mut place) = (0, kinds.len());
        while i < kinds.len() {
            let kind = &kinds[i];
            let fit = kind.children == node.children
                && (kinds.len() >= MAX_BODIES || told_apart(preds, kind, &node).is_empty());
            match fit.then(|| join_nodes(preds, kind, &node, rigid, fixed)).flatten() {
                Some(both) => {
                    node = both;
                    place = place.min(i);
                    kinds.remove(i);
                    i = 0;
                }
                None => i += 1,
            }
        }
        kinds.insert(place, node);
    }
    (kinds.len() <= MAX_BODIES).then_some(kinds)
}

/// The node that includes two. An object that belongs to the one may be a list of one node, if the other has a list
/// there, or nothing.
fn join_nodes(
    preds: &mut Preds,
    left: &Node,
    right: &Node,
    rigid: &dyn Fn(Sym) -> bool,
    fixed: &dyn Fn(Sym) -> bool,
) -> Option<Node> {
    let mut left = left.clone();
    // Symbols of the one that are not common must not be taken for the other's.
    let mut right = apart(right, left.heap.fresh, rigid);
    for _ in 0..=MAX_SEGMENTS {
        let stops = preds.stops.clone();
        let mode = Mode { insert: true, remove: true, widen: Some(&stops) };
        let mut join = Join::new(preds, &left.heap, &right.heap, rigid, fixed, mode);
        let both = join.pair(Term::sym(left.at), Term::sym(right.at));
        if let Some(both) = both
            && join.finish().is_some()
        {
            let heap = std::mem::take(&mut join.out);
            let both = Node { heap, at: both.base?, children: left.children };
            // Lists that were matched with nothing may be next to each other.
            return if both.heap.segs.len() < 2 {
                Some(both)
            } else {
                inside(&both, rigid, |mut state| {
                    fold(&mut state, preds, Precision::HEADS);
                    Some(state)
                })
            };
        }
        match join.met.take()? {
            (Side::Left, at, like) => left = with_segment(&left, preds, at, like, rigid)?,
            (Side::Right, at, like) => {
                right =
                    apart(&with_segment(&right, preds, at, like, rigid)?, left.heap.fresh, rigid);
            }
        }
    }
    None
}

/// The node with what belongs to it changed as if it were a state, in which the node and what it has in common with
/// others have names.
fn inside(
    node: &Node,
    rigid: &dyn Fn(Sym) -> bool,
    change: impl FnOnce(State) -> Option<State>,
) -> Option<Node> {
    // Segments inside have links of their own.
    let fresh = node.heap.fresh;
    let links = [(NEXT_LINK, Sym(fresh)), (PREV_LINK, Sym(fresh + 1))];
    let to = |sym: Sym| links.iter().find(|(link, _)| *link == sym).map_or(sym, |(_, own)| *own);
    let back = |sym: Sym| links.iter().find(|(_, own)| *own == sym).map_or(sym, |(link, _)| *link);
    let mut named = BTreeSet::from([node.at]);
    node.heap.for_each_term(&mut |term| {
        named.extend(term.base.filter(|sym| rigid(*sym) && !is_rigid(*sym)));
    });
    let anchors = named.into_iter().map(|sym| Term::sym(to(sym))).collect();
    let heap = renamed(&node.heap, &to, fresh + 2);
    let State { heap, .. } = change(State { heap, anchors, ..State::default() })?;
    Some(Node { heap: renamed(&heap, &back, heap.fresh), ..node.clone() })
}

/// The node with an object that belongs to it as a segment of one node.
fn with_segment(
    node: &Node,
    preds: &mut Preds,
    at: Sym,
    like: Like,
    rigid: &dyn Fn(Sym) -> bool,
) -> Option<Node> {
    if at == node.at {
        return None;
    }
    inside(node, rigid, |state| as_segment(&state, preds, at, like))
}

/// The node with symbols of its own from a number on.
pub(crate) fn apart(node: &Node, from: u32, rigid: &dyn Fn(Sym) -> bool) -> Node {
    let mut map: HashMap<Sym, Sym> = HashMap::new();
    let mut heap = Heap { fresh: from.max(node.heap.fresh), ..Heap::default() };
    let mut all = Vec::new();
    node.heap.for_each_term(&mut |term| all.extend(term.base));
    node.heap.pure.for_each_sym(&mut |sym| all.push(sym));
    for sym in all {
        if !rigid(sym) {
            map.entry(sym).or_insert_with(|| heap.fresh());
        }
    }
    let to = |sym: Sym| map.get(&sym).copied().unwrap_or(sym);
    let at = to(node.at);
    Node { heap: renamed(&node.heap, &to, heap.fresh), at, children: node.children.clone() }
}

/// The heap with other symbols.
pub(crate) fn renamed(heap: &Heap, to: &impl Fn(Sym) -> Sym, fresh: u32) -> Heap {
    let term = |t: Term| Term { base: t.base.map(to), k: t.k };
    let objs = heap.objs.iter().map(|(at, obj)| {
        let mut obj = (**obj).clone();
        obj.size = term(obj.size);
        obj.cells.values_mut().for_each(|cell| cell.value = term(cell.value));
        (to(*at), Arc::new(obj))
    });
    Heap {
        objs: objs.collect(),
        segs: heap.segs.iter().map(|seg| seg.map(&term)).collect(),
        pure: heap.pure.rename(&|sym| Term::sym(to(sym))),
        fresh,
    }
}

/// Makes a predicate of nodes. Symbols that are `outside` become its common arguments.
pub(crate) fn predicate(
    preds: &mut Preds,
    shape: Shape,
    head: i128,
    nodes: Vec<Node>,
    outside: &dyn Fn(Sym) -> bool,
    links: (Sym, Sym),
) -> (PredId, Vec<Term>) {
    let mut shared: Vec<Sym> = Vec::new();
    // First who is outside, in the order in which nodes lead there; then everything gets its number.
    let orders: Vec<Vec<Sym>> = nodes.iter().map(|node| visit_order(&node.heap, node.at)).collect();
    for order in &orders {
        for sym in order {
            let link = *sym == links.0 || *sym == links.1;
            if outside(*sym) && !is_rigid(*sym) && !link && !shared.contains(sym) {
                shared.push(*sym);
            }
        }
    }
    let mut bodies: Vec<Body> = Vec::new();
    for (node, order) in nodes.iter().zip(&orders) {
        let mut map: HashMap<Sym, Sym> = HashMap::new();
        map.insert(node.at, SELF);
        map.insert(links.0, NEXT);
        map.insert(links.1, PREV);
        for (i, sym) in shared.iter().enumerate() {
            map.insert(*sym, Sym(SHARED + i as u32));
        }
        let mut fresh = SHARED + shared.len() as u32;
        for sym in order {
            if !is_rigid(*sym) {
                map.entry(*sym).or_insert_with(|| {
                    fresh += 1;
                    Sym(fresh - 1)
                });
            }
        }
        let mut pure = node.heap.pure.clone();
        if preds.tracks.facts() {
            type_bounds(&mut pure, node);
        }
        pure.retain(|sym| map.contains_key(&sym) && !outside(sym));
        // A node is not at null anyway.
        pure.different.remove(&(node.at, None, 0));
        let heap = Heap { pure, ..node.heap.clone() };
        let to = |sym: Sym| map.get(&sym).copied().unwrap_or(sym);
        let mut heap = renamed(&heap, &to, fresh);
        heap.segs.sort_unstable();
        heap.pure.linear.sort_unstable();
        let body = Body { heap, children: node.children.clone() };
        if !bodies.contains(&body) {
            bodies.push(body);
        }
    }
    bodies.sort_by_key(|body| {
        let mut hasher = DefaultHasher::new();
        body.hash(&mut hasher);
        hasher.finish()
    });
    let pred = Pred { shape, head, shared: shared.len() as u32, bodies };
    (preds.intern(pred), shared.into_iter().map(Term::sym).collect())
}

/// Of the numbers of a node nothing is said but their types.
fn type_bounds(pure: &mut Pure, node: &Node) {
    let Some(obj) = node.heap.objs.get(&node.at) else { return };
    for cell in obj.cells.values().filter(|cell| is_number(&node.heap, cell.ty, cell.value)) {
        if let Some(base) = cell.value.base {
            pure.bounds.insert(base, values_of(cell.ty));
        }
    }
}

/// The symbols of a heap, in the order in which they are reached.
pub(crate) fn visit_order(heap: &Heap, from: Sym) -> Vec<Sym> {
    let mut order: Vec<Sym> = Vec::new();
    let mut seen: HashSet<Sym> = HashSet::new();
    let mut segs_done: HashSet<usize> = HashSet::new();
    let mut pending = std::collections::VecDeque::from([from]);
    while let Some(sym) = pending.pop_front() {
        if !seen.insert(sym) {
            continue;
        }
        order.push(sym);
        if let Some(obj) = heap.objs.get(&sym) {
            pending.extend(obj.size.base);
            pending.extend(obj.cells.values().filter_map(|cell| cell.value.base));
        }
        for (i, seg) in heap.segs.iter().enumerate() {
            let own = seg.root.base == Some(sym) || seg.last.base == Some(sym);
            if own && segs_done.insert(i) {
                pending.extend(seg.all_terms().filter_map(|term| term.base));
            }
        }
    }
    order
}

/// The least predicate that includes two.
pub(crate) fn join_preds(preds: &mut Preds, a: PredId, b: PredId) -> Option<PredId> {
    if a == b {
        return Some(a);
    }
    if let Some(known) = preds.joins.get(&(a, b)) {
        return *known;
    }
    // While it is being found there is none.
    preds.joins.insert((a, b), None);
    let result = (|| {
        let (p, q) = (preds.get(a).clone(), preds.get(b).clone());
        if (p.shape, p.head, p.shared) != (q.shape, q.head, q.shared) {
            return None;
        }
        let count = p.shared;
        let common = move |sym: Sym| {
            is_rigid(sym) || sym == NEXT || sym == PREV || (SHARED..SHARED + count).contains(&sym.0)
        };
        let node = |body: &Body| Node {
            heap: body.heap.clone(),
            at: SELF,
            children: body.children.clone(),
        };
        let nodes: Vec<Node> = p.bodies.iter().chain(&q.bodies).map(node).collect();
        if is_marked(preds, &nodes) {
            return None;
        }
        let kinds = merge(preds, nodes, &common, &common)?;
        let (joined, shared) = predicate(preds, p.shape, p.head, kinds, &common, (NEXT, PREV));
        // All arguments must still be there, in their order.
        let same = shared.iter().enumerate().all(|(i, t)| *t == Term::sym(Sym(SHARED + i as u32)));
        (same && shared.len() == count as usize).then_some(joined)
    })();
    preds.joins.insert((a, b), result);
    result
}

/// The predicate of a segment without those arguments that are numbers, and the others: of these numbers each node
/// knows the bounds.
pub(crate) fn without_numbers(preds: &mut Preds, heap: &Heap, seg: &Seg) -> (PredId, Vec<Term>) {
    let pred = preds.get(seg.pred).clone();
    let own = |i: u32| Sym(SHARED + i);
    let is_number = |i: u32| {
        let plain = seg.shared.get(i as usize).is_some_and(|term| {
            heap.place(*term) == Place::Nowhere && term.base.is_none_or(|base| !is_rigid(base))
        });
        let in_cells = |body: &Body| {
            let mut fine = true;
            let cells = body.heap.objs.values().flat_map(|obj| obj.cells.values());
            for cell in cells.filter(|cell| cell.value.base == Some(own(i))) {
                fine &= matches!(cell.ty, heap::Scalar::Int(_));
            }
            fine && body.heap.segs.iter().all(|s| s.terms().all(|t| t.base != Some(own(i))))
        };
        plain && pred.bodies.iter().all(in_cells)
    };
    let numbers: Vec<u32> = (0..pred.shared).filter(|i| is_number(*i)).collect();
    if numbers.is_empty() {
        return (seg.pred, seg.shared.clone());
    }
    let nodes: Vec<Node> = pred
        .bodies
        .iter()
        .map(|body| {
            let mut node = body.heap.clone();
            for i in &numbers {
                if let Some(term) = seg.shared.get(*i as usize) {
                    node.pure.bound(own(*i), heap.pure.range(*term));
                }
            }
            Node { heap: node, at: SELF, children: body.children.clone() }
        })
        .collect();
    let kept = |sym: Sym| {
        let shared = sym.0.checked_sub(SHARED).filter(|i| *i < pred.shared);
        is_rigid(sym) || sym == NEXT || sym == PREV || shared.is_some_and(|i| !numbers.contains(&i))
    };
    let (id, shared) = predicate(preds, pred.shape, pred.head, nodes, &kept, (NEXT, PREV));
    let argument = |term: &Term| {
        let i = term.base.and_then(|base| base.0.checked_sub(SHARED)).unwrap_or_default();
        seg.shared.get(i as usize).copied().unwrap_or(Term::NULL)
    };
    (id, shared.iter().map(argument).collect())
}

/// What becomes a segment: nodes, with the objects and segments of the state that they consist of.
pub(crate) struct Folded {
    pub(crate) nodes: Vec<Node>,
    pub(crate) objs: BTreeSet<Sym>,
    pub(crate) segs: BTreeSet<usize>,
}

/// Puts a segment in the place of nodes.
pub(crate) fn replace_by(
    state: &mut State,
    preds: &mut Preds,
    folded: Folded,
    (shape, head): (Shape, i128),
    mut seg: Seg,
) -> bool {
    let Folded { nodes, objs: gone_objs, segs: gone_segs } = &folded;
    let own: HashSet<Sym> = gone_objs.iter().copied().collect();
    let limit = state.heap.fresh;
    // What the state names stays what it is, apart from what belongs to the nodes.
    let inner: HashSet<Sym> = inner_symbols(state, gone_objs, gone_segs, &seg);
    let outside = |sym: Sym| {
        sym == NEXT_LINK
            || sym == PREV_LINK
            || is_rigid(sym)
            || sym.0 < limit && !own.contains(&sym) && !inner.contains(&sym)
    };
    let allocated = |sym: Sym| {
        sym == NEXT_LINK
            || sym == PREV_LINK
            || outside(sym) && state.heap.place(Term::sym(sym)) != Place::Nowhere
    };
    if is_marked(preds, nodes) {
        return false;
    }
    let Some(kinds) = merge(preds, nodes.clone(), &outside, &allocated) else { return false };
    let (pred, shared) = predicate(preds, shape, head, kinds, &outside, (NEXT_LINK, PREV_LINK));
    if shared.len() > 4 {
        return false;
    }
    // An argument must be known outside.
    seg.pred = pred;
    seg.shared = shared;
    let mut segs = Vec::with_capacity(state.heap.segs.len());
    for (i, old) in std::mem::take(&mut state.heap.segs).into_iter().enumerate() {
        if !gone_segs.contains(&i) {
            segs.push(old);
        }
    }
    segs.push(seg);
    state.heap.segs = segs;
    for at in gone_objs {
        state.heap.objs.remove(at);
    }
    true
}

/// Symbols that occur nowhere but in what is folded: they become existential.
pub(crate) fn inner_symbols(
    state: &State,
    objs: &BTreeSet<Sym>,
    segs: &BTreeSet<usize>,
    seg: &Seg,
) -> HashSet<Sym> {
    let mut inside: HashSet<Sym> = HashSet::new();
    let mut outside: HashSet<Sym> = HashSet::new();
    let named = state.vars.values().chain(state.anchors.iter().copied());
    outside.extend(named.filter_map(|term| term.base));
    outside.extend(seg.terms().filter_map(|term| term.base));
    for (at, obj) in &state.heap.objs {
        let set = if objs.contains(at) { &mut inside } else { &mut outside };
        set.extend(obj.size.base);
        set.extend(obj.cells.values().filter_map(|cell| cell.value.base));
    }
    for (i, other) in state.heap.segs.iter().enumerate() {
        let set = if segs.contains(&i) { &mut inside } else { &mut outside };
        set.extend(other.all_terms().filter_map(|term| term.base));
    }
    &inside - &outside
}
