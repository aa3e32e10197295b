//! Paths in trees: the nodes from one on down to another that has a name of its own, each with its other subtrees. A
//! path is a list in which the link to the next node may be any link to a child; with a tree at its end it is a tree.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::node::{Folded, Link, Node, nodes_of, replace_by, take};
use super::refs::{Ref, Refs, Role};
use super::{is_pointer, tell};
use crate::facts::{Facts, Order};
use crate::heap::{Kind, Obj, Place, Seg, State};
use crate::precision::Precision;
use crate::preds::{Pred, Preds, SELF, Shape};
use crate::term::{Sym, Term};
use crate::unfold::has_parent;

/// The links to children of an object's kind, if such objects are known to be nodes of trees.
pub(super) fn children_of(preds: &Preds, obj: &Obj) -> Option<Vec<i128>> {
    let record = obj.record?;
    let of_kind = |pred: &&Pred| {
        let nodes = pred.bodies.iter().filter_map(|body| body.heap.objs.get(&SELF));
        pred.shape == Shape::Tree && nodes.into_iter().any(|node| node.record == Some(record))
    };
    let body = preds.all().iter().rev().find(of_kind)?.bodies.first()?;
    let fine = !has_parent(body)
        && body.children.iter().all(|at| obj.cells.get(at).is_some_and(|c| is_pointer(c.ty)));
    fine.then(|| body.children.clone())
}

/// The one link to a child that is no tree of its own, if all the others are trees or nothing.
pub(super) fn way_down(
    state: &State,
    preds: &Preds,
    refs: &Refs,
    a: Sym,
    obj: &Obj,
) -> Option<i128> {
    let mut down = None;
    for at in children_of(preds, obj)? {
        let root = obj.cells.get(&at)?.value;
        if root == Term::NULL || is_own_tree(state, preds, refs, (a, at), root) {
            continue;
        }
        if down.replace(at).is_some() {
            return None;
        }
    }
    down
}

/// Does a link lead to a tree that nothing else leads to?
fn is_own_tree(state: &State, preds: &Preds, refs: &Refs, from: (Sym, i128), root: Term) -> bool {
    let Place::First(i) = state.heap.place(root) else { return false };
    let seg = &state.heap.segs[i];
    preds.shape(seg.pred) == Shape::Tree
        && seg.root == root
        && root.base.is_some_and(|base| {
            refs.only(base, |r| r == Ref::Cell(from.0, from.1) || r == Ref::Seg(i, Role::Root))
        })
}

/// Is a segment a path of nodes such as this one?
pub(super) fn is_path(preds: &Preds, seg: &Seg, node: &Obj) -> bool {
    let pred = preds.get(seg.pred);
    let mut nodes = pred.bodies.iter().filter_map(|body| body.heap.objs.get(&SELF));
    pred.shape == Shape::List && pred.head == 0 && nodes.all(|other| other.record == node.record)
}

/// Puts a node of a tree before or behind another one or a path, or a tree to the end of a path.
pub(super) fn fold_path(state: &mut State, preds: &mut Preds, precision: Precision) -> bool {
    let refs = Refs::new(state);
    let objs: Vec<(Sym, Arc<Obj>)> =
        state.heap.objs.iter().map(|(at, obj)| (*at, Arc::clone(obj))).collect();
    for (a, obj) in objs.iter().filter(|(_, obj)| obj.kind == Kind::Heap) {
        if precision.named && refs.of(*a).contains(&Ref::Root) {
            continue;
        }
        let Some(at) = way_down(state, preds, &refs, *a, obj) else { continue };
        let Some(to) = obj.cells.get(&at).map(|cell| cell.value) else { continue };
        let done = match state.heap.place(to) {
            Place::First(i) => node_before(state, preds, &refs, (*a, obj, at), i),
            Place::Obj(b) if to.k == 0 => pair(state, preds, &refs, (*a, obj, at), b),
            _ => false,
        };
        if done {
            return true;
        }
    }
    (0..state.heap.segs.len()).any(|i| {
        let to = state.heap.segs[i].to;
        match state.heap.place(to) {
            Place::Obj(b) if to.k == 0 => node_behind(state, preds, &refs, i, b),
            Place::First(j) if j != i => close(state, preds, &refs, i, Some(j)),
            Place::Nowhere if to == Term::NULL => close(state, preds, &refs, i, None),
            _ => false,
        }
    })
}

fn next(at: i128) -> Link {
    Link { next: at, prev: None, head: 0 }
}

fn node_before(
    state: &mut State,
    preds: &mut Preds,
    refs: &Refs,
    (a, obj, at): (Sym, &Obj, i128),
    i: usize,
) -> bool {
    let seg = state.heap.segs[i].clone();
    let alone = seg.root.base.is_some_and(|base| {
        refs.only(base, |r| r == Ref::Cell(a, at) || r == Ref::Seg(i, Role::Root))
    });
    if !alone || !is_path(preds, &seg, obj) {
        return false;
    }
    let Some((node, mut objs, mut segs)) = take(state, preds, refs, a, next(at), &[]) else {
        return false;
    };
    if !segs.insert(i) {
        return false;
    }
    objs.insert(a);
    let mut nodes = nodes_of(state, preds, &seg);
    nodes.push(node);
    let own = Facts::of_node(preds, &state.heap, obj, Order::InLine);
    let (facts, has) = (seg.facts.clone(), seg.nonempty);
    let seg = Seg { root: Term::sym(a), nonempty: true, facts: Facts::default(), ..seg };
    replace_by(state, preds, Folded { nodes, objs, segs }, (Shape::List, 0), seg)
        && tell(state, (&own, true), (&facts, has))
}

fn pair(
    state: &mut State,
    preds: &mut Preds,
    refs: &Refs,
    (a, obj, at): (Sym, &Obj, i128),
    b: Sym,
) -> bool {
    let Some(below) = state.heap.objs.get(&b).cloned() else { return false };
    let alone = refs.only(b, |r| r == Ref::Cell(a, at));
    if !alone || below.kind != Kind::Heap || below.record != obj.record {
        return false;
    }
    let Some(down) = way_down(state, preds, refs, b, &below) else { return false };
    let Some(to) = below.cells.get(&down).map(|cell| cell.value) else { return false };
    let (Some((left, mut objs, mut segs)), Some((right, more_objs, more_segs))) =
        (take(state, preds, refs, a, next(at), &[]), take(state, preds, refs, b, next(down), &[]))
    else {
        return false;
    };
    let all: BTreeSet<Sym> = [a, b].into();
    if to.base.is_some_and(|base| all.contains(&base))
        || !objs.is_disjoint(&more_objs)
        || !segs.is_disjoint(&more_segs)
    {
        return false;
    }
    let facts = [obj, &below].map(|o| Facts::of_node(preds, &state.heap, o, Order::InLine));
    objs.extend(more_objs);
    objs.extend(all);
    segs.extend(more_segs);
    let seg = Seg { root: Term::sym(a), to, ..Seg::nodes() };
    let folded = Folded { nodes: vec![left, right], objs, segs };
    let [first, second] = facts;
    replace_by(state, preds, folded, (Shape::List, 0), seg)
        && tell(state, (&first, true), (&second, true))
}

fn node_behind(state: &mut State, preds: &mut Preds, refs: &Refs, i: usize, b: Sym) -> bool {
    let seg = state.heap.segs[i].clone();
    let Some(obj) = state.heap.objs.get(&b).cloned() else { return false };
    let alone = refs.only(b, |r| r == Ref::Seg(i, Role::To));
    if !alone || obj.kind != Kind::Heap || !is_path(preds, &seg, &obj) {
        return false;
    }
    let Some(down) = way_down(state, preds, refs, b, &obj) else { return false };
    let Some(to) = obj.cells.get(&down).map(|cell| cell.value) else { return false };
    let Some((node, mut objs, mut segs)) = take(state, preds, refs, b, next(down), &[]) else {
        return false;
    };
    if to.base == Some(b) || !segs.insert(i) {
        return false;
    }
    objs.insert(b);
    let mut nodes = nodes_of(state, preds, &seg);
    nodes.push(node);
    let own = Facts::of_node(preds, &state.heap, &obj, Order::InLine);
    let (facts, has) = (seg.facts.clone(), seg.nonempty);
    let seg = Seg { to, nonempty: true, facts: Facts::default(), ..seg };
    replace_by(state, preds, Folded { nodes, objs, segs }, (Shape::List, 0), seg)
        && tell(state, (&facts, has), (&own, true))
}

/// A path with a tree, or nothing, at its end becomes a tree. If nothing is there, and beside it nothing either, it is
/// a list and stays one.
fn close(state: &mut State, preds: &mut Preds, refs: &Refs, i: usize, end: Option<usize>) -> bool {
    let path = state.heap.segs[i].clone();
    let pred = preds.get(path.pred).clone();
    let Some(node) = pred.bodies.first().and_then(|body| body.heap.objs.get(&SELF)) else {
        return false;
    };
    if !is_path(preds, &path, node) {
        return false;
    }
    let Some(children) = children_of(preds, node) else { return false };
    let tree = end.map(|j| state.heap.segs[j].clone());
    if let (Some(tree), Some(j)) = (&tree, end) {
        let alone = tree.root == path.to
            && path.to.base.is_some_and(|base| {
                refs.only(base, |r| r == Ref::Seg(i, Role::To) || r == Ref::Seg(j, Role::Root))
            });
        let below = preds.get(tree.pred);
        let nodes = below.bodies.iter().all(|body| body.children == children && !has_parent(body));
        if !alone || below.shape != Shape::Tree || below.head != 0 || !nodes {
            return false;
        }
    }
    let mut nodes = Vec::new();
    let mut trees = tree.is_some();
    for node in nodes_of(state, preds, &path) {
        let Some(more) = as_tree_nodes(preds, node, &children) else { return false };
        trees |= more.len() > 1;
        nodes.extend(more);
    }
    if !trees {
        return false;
    }
    let (mut below, mut nonempty) = ((path.facts.clone(), path.nonempty), path.nonempty);
    if let Some(tree) = &tree {
        nodes.extend(nodes_of(state, preds, tree));
        nonempty |= tree.nonempty;
        below = (tree.facts.clone(), tree.nonempty);
    }
    let seg = Seg { root: path.root, nonempty, ..Seg::nodes() };
    let segs = [Some(i), end].into_iter().flatten().collect();
    let folded = Folded { nodes, objs: BTreeSet::new(), segs };
    if !replace_by(state, preds, folded, (Shape::Tree, 0), seg) {
        return false;
    }
    let mut facts = state.together((&path.facts, path.nonempty), (&below.0, below.1), Order::None);
    facts.length = None;
    if let Some(seg) = state.heap.segs.last_mut() {
        seg.facts = facts;
    }
    true
}

/// A node of a path as one of a tree, with the nodes of its other subtrees.
fn as_tree_nodes(preds: &Preds, mut node: Node, children: &[i128]) -> Option<Vec<Node>> {
    let mut others = Vec::new();
    for at in children {
        let root = node.heap.objs.get(&node.at)?.cells.get(at)?.value;
        let own = |seg: &Seg| preds.shape(seg.pred) == Shape::Tree && seg.root == root;
        if let Some(k) = node.heap.segs.iter().position(own) {
            let seg = node.heap.segs.remove(k);
            if preds.get(seg.pred).bodies.iter().any(|body| body.children != children) {
                return None;
            }
            let heap = node.heap.clone();
            others.extend(nodes_of(&State { heap, ..State::default() }, preds, &seg));
        }
        let child = Term::sym(node.heap.fresh());
        node.heap.obj_mut(node.at)?.cells.get_mut(at)?.value = child;
    }
    node.children = children.to_vec();
    others.insert(0, node);
    Some(others)
}
