//! Folding ([MNCL06, Fig. 8]): nodes that nothing but their neighbours leads to become part of a segment. The
//! predicate is made from the nodes: what they have in common, with what belongs to each alone.

mod node;
mod path;
mod refs;
mod tree;

use std::collections::BTreeSet;
use std::sync::Arc;

use node::{Folded, Link, nodes_of, replace_by, take};
pub(crate) use node::{join_preds, renamed, visit_order, without_numbers};
use refs::{Ref, Refs, Role};

use crate::facts::{Facts, Order};
use crate::heap::{Kind, Obj, Place, Seg, State};
use crate::precision::Precision;
use crate::preds::{Like, NEXT, PREV, Pred, PredId, Preds, SELF, Shape};
use crate::term::{Sym, Term};

/// Folds as long as something can be folded. A chain of no more than [`Precision::keep`] nodes stays as it is, unless it is
/// next to a segment.
pub fn fold(state: &mut State, preds: &mut Preds, precision: Precision) {
    // Each step removes an object or a segment.
    while tree::fold_tree(state, preds)
        || path::fold_path(state, preds, precision)
        || fold_list(state, preds, precision)
    {}
}

/// How many nodes follow each other by a link, from one on, up to one that has another name.
fn run_length(state: &State, refs: &Refs, first: Sym, next: i128, head: i128) -> usize {
    let mut at = first;
    let mut count = 1;
    while let Some(cell) = state.heap.objs.get(&at).and_then(|obj| obj.cells.get(&next)) {
        let Some(to) = cell.value.base.filter(|to| cell.value.k == head && *to != first) else {
            break;
        };
        let plain = state.heap.objs.get(&to).is_some_and(|obj| obj.kind == Kind::Heap);
        let named = refs.of(to).iter().any(|r| matches!(r, Ref::Root));
        if !plain || named || count > state.heap.objs.len() {
            break;
        }
        count += 1;
        at = to;
    }
    count
}

fn is_pointer(ty: heap::Scalar) -> bool {
    ty.is_pointer()
}

fn fold_list(state: &mut State, preds: &mut Preds, precision: Precision) -> bool {
    let refs = Refs::new(state);
    let heap_objs: Vec<Sym> = state
        .heap
        .objs
        .iter()
        .filter(|(_, obj)| obj.kind == Kind::Heap)
        .map(|(at, _)| *at)
        .collect();
    for a in heap_objs {
        let Some(obj) = state.heap.objs.get(&a).cloned() else { continue };
        if precision.named && refs.of(a).iter().any(|r| matches!(r, Ref::Root)) {
            continue;
        }
        // Nodes of trees become paths or trees.
        if path::children_of(preds, &obj).is_some() {
            continue;
        }
        for (offset, cell) in &obj.cells {
            if !is_pointer(cell.ty) || cell.value.base == Some(a) {
                continue;
            }
            let done = match state.heap.place(cell.value) {
                Place::Obj(_) => {
                    run_length(state, &refs, a, *offset, cell.value.k) > precision.keep
                        && two_nodes(state, preds, &refs, (a, *offset), cell.value)
                }
                Place::First(i) if state.heap.segs[i].root == cell.value => {
                    node_and_segment(state, preds, &refs, a, *offset, i)
                }
                _ => false,
            };
            if done {
                return true;
            }
        }
    }
    for i in 0..state.heap.segs.len() {
        let to = state.heap.segs[i].to;
        if preds.shape(state.heap.segs[i].pred) == Shape::Tree {
            continue;
        }
        let done = match state.heap.place(to) {
            Place::Obj(b) => segment_and_node(state, preds, &refs, i, b),
            Place::First(j) if j != i && state.heap.segs[j].root == to => {
                two_segments(state, preds, &refs, i, j)
            }
            _ => false,
        };
        if done {
            return true;
        }
    }
    false
}

/// Is a reference to a node the link back of the one that comes after it?
fn is_back_link(state: &State, r: Ref, next: Term, link: Link) -> bool {
    let Some(prev) = link.prev else { return false };
    match r {
        Ref::Cell(from, offset) => next.base == Some(from) && offset == next.k + prev - link.head,
        Ref::Seg(i, Role::Before) => state.heap.segs[i].root == next,
        _ => false,
    }
}

fn two_nodes(
    state: &mut State,
    preds: &mut Preds,
    refs: &Refs,
    (a, next): (Sym, i128),
    to: Term,
) -> bool {
    let Some(b) = to.base else { return false };
    let (Some(first), Some(second)) = (state.heap.objs.get(&a), state.heap.objs.get(&b)) else {
        return false;
    };
    if second.kind != Kind::Heap || !is_alike(first, second) || a == b {
        return false;
    }
    let facts = [first, second].map(|o| Facts::of_node(preds, &state.heap, o, Order::InLine));
    let head = to.k;
    let Some(after) = second.cells.get(&next).filter(|cell| is_pointer(cell.ty)) else {
        return false;
    };
    // Two cells that lead to each other are no list by this link.
    if after.value == Term::sym(a).plus(head)
        && !first.cells.values().any(|c| c.value == Term::sym(b).plus(head))
    {
        return false;
    }
    let prev = second.cells.iter().find(|(offset, cell)| {
        **offset != next
            && is_pointer(cell.ty)
            && cell.value == Term::sym(a).plus(head)
            && first.cells.contains_key(offset)
    });
    let link = Link { next, prev: prev.map(|(offset, _)| *offset), head };
    let after = after.value;
    let before = link.prev.and_then(|p| first.cells.get(&p)).map_or(Term::NULL, |cell| cell.value);
    let (Some((left, mut objs, mut segs)), Some((right, more_objs, more_segs))) =
        (take(state, preds, refs, a, link, &[]), take(state, preds, refs, b, link, &[]))
    else {
        return false;
    };
    let fine = refs.only(b, |r| {
        r == Ref::Cell(a, next)
            || matches!(r, Ref::Cell(from, _) if from == b || more_objs.contains(&from))
            || matches!(r, Ref::Seg(i, _) if more_segs.contains(&i))
            || is_back_link(state, r, after, link)
    });
    // The link back of the second one is the only one from there to the first.
    let to_first = refs.of(a).iter().all(|r| match r {
        Ref::Cell(from, offset) if *from == b => Some(*offset) == link.prev,
        Ref::Cell(from, _) => !more_objs.contains(from),
        Ref::Seg(i, _) => !more_segs.contains(i),
        Ref::Root => true,
    });
    if !fine || !to_first || !objs.is_disjoint(&more_objs) {
        return false;
    }
    objs.extend(more_objs);
    segs.extend(more_segs);
    objs.extend([a, b]);
    let shape = if link.prev.is_some() { Shape::Dlist } else { Shape::List };
    let last = if link.prev.is_some() { Term::sym(b).plus(head) } else { Term::NULL };
    let root = Term::sym(a).plus(head);
    let seg = Seg { root, to: after, before, last, ..Seg::nodes() };
    let done = replace_by(
        state,
        preds,
        Folded { nodes: vec![left, right], objs, segs },
        (shape, head),
        seg,
    );
    if done && shape == Shape::Dlist {
        state.heap.pure.assume_disequal(Term::sym(a), Term::sym(b));
    }
    let [left, right] = facts;
    done && tell(state, (&left, true), (&right, true))
}

/// May two objects be nodes of one list? Records of different types are none, even if they lead to each other: a list
/// that belongs to another record is not continued by it.
fn is_alike(a: &Obj, b: &Obj) -> bool {
    a.size == b.size && (a.record == b.record || a.record.is_none() || b.record.is_none())
}

/// May an object be a node of a predicate's lists?
fn is_like_nodes(pred: &Pred, obj: &Obj) -> bool {
    let nodes = pred.bodies.iter().filter_map(|body| body.heap.objs.get(&SELF));
    nodes.into_iter().any(|node| is_alike(node, obj))
}

/// How the nodes of a predicate are linked.
fn link_of(pred: &Pred) -> Option<Link> {
    let node = pred.bodies.first()?.heap.objs.get(&SELF)?;
    let at = |sym: Sym| {
        node.cells.iter().find(|(_, cell)| cell.value == Term::sym(sym)).map(|(offset, _)| *offset)
    };
    let prev = if pred.shape == Shape::Dlist { Some(at(PREV)?) } else { None };
    Some(Link { next: at(NEXT)?, prev, head: pred.head })
}

fn node_and_segment(
    state: &mut State,
    preds: &mut Preds,
    refs: &Refs,
    a: Sym,
    next: i128,
    i: usize,
) -> bool {
    let seg = state.heap.segs[i].clone();
    let pred = preds.get(seg.pred).clone();
    if pred.shape == Shape::Tree {
        return false;
    }
    let Some(mut link) = link_of(&pred) else { return false };
    if pred.shape == Shape::Dlist && link.next != next {
        return false;
    }
    link.next = next;
    let Some(root) = seg.root.base else { return false };
    let here = Term::sym(a).plus(pred.head);
    if pred.shape == Shape::Dlist && seg.before != here {
        return false;
    }
    let Some(obj) = state.heap.objs.get(&a).filter(|obj| is_like_nodes(&pred, obj)) else {
        return false;
    };
    let before = match link.prev {
        Some(prev) => match obj.cells.get(&prev) {
            Some(cell) => cell.value,
            None => return false,
        },
        None => Term::NULL,
    };
    let own = Facts::of_node(preds, &state.heap, obj, Order::InLine);
    let Some((node, mut objs, mut segs)) = take(state, preds, refs, a, link, &[]) else {
        return false;
    };
    // The first node of the segment has no other name; its last one may have.
    let fine = refs.only(root, |r| {
        r == Ref::Cell(a, next)
            || r == Ref::Seg(i, Role::Root)
            || seg.last.base == Some(root) && r == Ref::Seg(i, Role::Last)
    });
    if !fine || segs.contains(&i) {
        return false;
    }
    objs.insert(a);
    segs.insert(i);
    let mut nodes = nodes_of(state, preds, &seg);
    nodes.push(node);
    let mut seg = Seg { root: here, before, nonempty: true, ..seg };
    let was_empty = !state.heap.segs[i].nonempty;
    if pred.shape == Shape::Dlist && was_empty {
        // If it was empty the last node is the new one; then `last` is what it was.
        seg.last = state.heap.segs[i].last;
    }
    let (facts, has) = (std::mem::take(&mut seg.facts), !was_empty);
    replace_by(state, preds, Folded { nodes, objs, segs }, (pred.shape, pred.head), seg)
        && tell(state, (&own, true), (&facts, has))
}

/// The segment that was just made has what is known about its two parts.
fn tell(state: &mut State, left: (&Facts, bool), right: (&Facts, bool)) -> bool {
    let facts = state.together(left, right, Order::InLine);
    if let Some(seg) = state.heap.segs.last_mut() {
        seg.facts = facts;
    }
    true
}

fn segment_and_node(state: &mut State, preds: &mut Preds, refs: &Refs, i: usize, b: Sym) -> bool {
    let seg = state.heap.segs[i].clone();
    let pred = preds.get(seg.pred).clone();
    let Some(link) = link_of(&pred) else { return false };
    let tree = state.heap.objs.get(&b).is_some_and(|b| path::children_of(preds, b).is_some());
    if seg.to.k != pred.head || tree {
        return false;
    }
    let is_node = |obj: &&Arc<Obj>| obj.kind == Kind::Heap && is_like_nodes(&pred, obj);
    let Some(obj) = state.heap.objs.get(&b).filter(is_node) else {
        return false;
    };
    let Some(after) = obj.cells.get(&link.next).filter(|c| is_pointer(c.ty)).map(|c| c.value)
    else {
        return false;
    };
    if pred.shape == Shape::Dlist {
        let back = link.prev.and_then(|prev| obj.cells.get(&prev)).map(|cell| cell.value);
        if back != Some(seg.last) {
            return false;
        }
    }
    let own = Facts::of_node(preds, &state.heap, obj, Order::InLine);
    let Some((node, mut objs, mut segs)) = take(state, preds, refs, b, link, &[]) else {
        return false;
    };
    let fine = refs.only(b, |r| {
        r == Ref::Seg(i, Role::To)
            || matches!(r, Ref::Cell(from, _) if from == b || objs.contains(&from))
            || matches!(r, Ref::Seg(j, _) if segs.contains(&j))
            || is_back_link(state, r, after, link)
    });
    // The last node so far is named by nobody else.
    let last_fine = seg.last.base.is_none_or(|last| {
        refs.only(last, |r| {
            r == Ref::Seg(i, Role::Last)
                || r == Ref::Seg(i, Role::Root)
                || link.prev.is_some_and(|p| r == Ref::Cell(b, p))
                || seg.root.base == Some(last)
                || seg.before.base == Some(last)
        })
    });
    if !fine || !last_fine || segs.contains(&i) {
        return false;
    }
    objs.insert(b);
    segs.insert(i);
    let mut nodes = nodes_of(state, preds, &seg);
    nodes.push(node);
    let last = if pred.shape == Shape::Dlist { Term::sym(b).plus(pred.head) } else { Term::NULL };
    let (facts, has) = (seg.facts.clone(), seg.nonempty);
    let seg = Seg { to: after, last, nonempty: true, facts: Facts::default(), ..seg };
    replace_by(state, preds, Folded { nodes, objs, segs }, (pred.shape, pred.head), seg)
        && tell(state, (&facts, has), (&own, true))
}

fn two_segments(state: &mut State, preds: &mut Preds, refs: &Refs, i: usize, j: usize) -> bool {
    let (a, b) = (state.heap.segs[i].clone(), state.heap.segs[j].clone());
    let pred = preds.get(a.pred).clone();
    let other = preds.get(b.pred);
    if (pred.shape, pred.head) != (other.shape, other.head) {
        return false;
    }
    if pred.shape == Shape::Dlist && b.before != a.last {
        return false;
    }
    let Some(middle) = b.root.base else { return false };
    let fine = refs.only(middle, |r| {
        r == Ref::Seg(i, Role::To)
            || r == Ref::Seg(j, Role::Root)
            || b.last.base == Some(middle) && r == Ref::Seg(j, Role::Last)
    });
    let last_fine = a.last.base.is_none_or(|last| {
        refs.only(last, |r| {
            matches!(r, Ref::Seg(k, Role::Last) if k == i)
                || r == Ref::Seg(i, Role::Root)
                || r == Ref::Seg(j, Role::Before)
                || a.root.base == Some(last)
                || a.before.base == Some(last)
        })
    });
    if !fine || !last_fine {
        return false;
    }
    let mut nodes = nodes_of(state, preds, &a);
    if a.pred != b.pred || a.shared != b.shared {
        nodes.extend(nodes_of(state, preds, &b));
    }
    let parts = [(a.facts.clone(), a.nonempty), (b.facts, b.nonempty)];
    let seg = Seg {
        root: a.root,
        to: b.to,
        before: a.before,
        last: b.last,
        nonempty: a.nonempty || b.nonempty,
        facts: Facts::default(),
        ..a
    };
    let segs = BTreeSet::from([i, j]);
    replace_by(
        state,
        preds,
        Folded { nodes, objs: BTreeSet::new(), segs },
        (pred.shape, pred.head),
        seg,
    ) && tell(state, (&parts[0].0, parts[0].1), (&parts[1].0, parts[1].1))
}

/// The state with an object as a segment of one node.
pub(crate) fn as_segment(state: &State, preds: &mut Preds, at: Sym, like: Like) -> Option<State> {
    match like {
        Like::Pred(pred) => as_segment_of(state, preds, at, pred),
        Like::Next(next) => {
            let mut state = state.clone();
            let obj = state.heap.objs.get(&at).filter(|obj| obj.kind == Kind::Heap)?;
            let to = obj.cells.get(&next).filter(|cell| is_pointer(cell.ty))?.value;
            let seg = Seg { root: Term::sym(at), to, ..Seg::nodes() };
            let facts = Facts::of_node(preds, &state.heap, obj, Order::InLine);
            let refs = Refs::new(&state);
            let link = Link { next, prev: None, head: 0 };
            let (node, mut objs, segs) = take(&state, preds, &refs, at, link, &[])?;
            objs.insert(at);
            let folded = Folded { nodes: vec![node], objs, segs };
            if !replace_by(&mut state, preds, folded, (Shape::List, 0), seg) {
                return None;
            }
            state.heap.segs.last_mut()?.facts = facts;
            Some(state)
        }
    }
}

/// The state with an object as a segment of one node, linked as in a predicate.
fn as_segment_of(state: &State, preds: &mut Preds, at: Sym, like: PredId) -> Option<State> {
    let pred = preds.get(like).clone();
    let obj = state.heap.objs.get(&at).filter(|obj| obj.kind == Kind::Heap)?.clone();
    let value = |at: i128| obj.cells.get(&at).map(|cell| cell.value);
    let refs = Refs::new(state);
    let root = Term::sym(at).plus(pred.head);
    let body = pred.bodies.first()?;
    let mut seg = Seg { pred: like, root, ..Seg::nodes() };
    let order = if pred.shape == Shape::Tree { Order::None } else { Order::InLine };
    let mut facts = Facts::of_node(preds, &state.heap, &obj, order);
    let mut state = state.clone();
    let (node, mut objs, segs) = if pred.shape == Shape::Tree {
        let node = body.heap.objs.get(&SELF)?;
        let parent = node.cells.iter().find(|(_, cell)| cell.value == Term::sym(PREV));
        let link = Link { next: 0, prev: parent.map(|(offset, _)| *offset), head: 0 };
        if let Some(prev) = link.prev {
            seg.before = value(prev)?;
        }
        let (node, objs, mut segs) = take(&state, preds, &refs, at, link, &body.children)?;
        for child in &body.children {
            let root = value(*child)?;
            if root == Term::NULL {
                continue;
            }
            let Place::First(i) = state.heap.place(root) else { return None };
            let below = &state.heap.segs[i];
            let back = if link.prev.is_some() { Term::sym(at) } else { Term::NULL };
            let alone = root.base.is_some_and(|base| {
                refs.only(base, |r| r == Ref::Cell(at, *child) || r == Ref::Seg(i, Role::Root))
            });
            if below.pred != like
                || below.root != root
                || below.before != back
                || !alone
                || !segs.insert(i)
            {
                return None;
            }
        }
        (node, objs, segs)
    } else {
        let down = path::way_down(&state, preds, &refs, at, &obj);
        let link = match down.filter(|_| pred.shape == Shape::List && pred.head == 0) {
            Some(next) => Link { next, prev: None, head: 0 },
            None => link_of(&pred)?,
        };
        seg.to = value(link.next)?;
        if let Some(prev) = link.prev {
            seg.before = value(prev)?;
            seg.last = root;
        }
        take(&state, preds, &refs, at, link, &[])?
    };
    objs.insert(at);
    let mut nodes = vec![node];
    for i in &segs {
        // Subtrees go into the tree: their nodes are its nodes.
        let below = state.heap.segs[*i].clone();
        if below.pred == like && pred.shape == Shape::Tree {
            nodes.extend(nodes_of(&state, preds, &below));
            facts = state.together((&facts, true), (&below.facts, below.nonempty), Order::None);
        }
    }
    if !replace_by(&mut state, preds, Folded { nodes, objs, segs }, (pred.shape, pred.head), seg) {
        return None;
    }
    state.heap.segs.last_mut()?.facts = facts;
    Some(state)
}
