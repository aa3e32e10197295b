//! Unfolding ([MNCL06, Fig. 6]): a segment becomes a node and the rest.

use std::collections::HashMap;
use std::sync::Arc;

use crate::facts::Order;
use crate::heap::{Heap, Seg, State, is_rigid};
use crate::preds::{Body, NEXT, PREV, Preds, SELF, SHARED, Shape};
use crate::term::{Sym, Term};

/// Puts a node into a heap: its own symbols become new ones.
pub fn instantiate(
    heap: &mut Heap,
    body: &Body,
    node: Sym,
    next: Term,
    prev: Term,
    shared: &[Term],
) {
    let mut known: HashMap<Sym, Term> = HashMap::new();
    known.insert(SELF, Term::sym(node));
    known.insert(NEXT, next);
    known.insert(PREV, prev);
    for (i, term) in shared.iter().enumerate() {
        known.insert(Sym(SHARED + i as u32), *term);
    }
    let mut all: Vec<Sym> = Vec::new();
    body.heap.for_each_term(&mut |term| all.extend(term.base));
    body.heap.pure.for_each_sym(&mut |sym| all.push(sym));
    for sym in all {
        if !is_rigid(sym) {
            known.entry(sym).or_insert_with(|| Term::sym(heap.fresh()));
        }
    }
    let map = |sym: Sym| known.get(&sym).copied().unwrap_or(Term::sym(sym));
    let term = |t: Term| t.base.map_or(t, |base| map(base).plus(t.k));
    for (at, obj) in &body.heap.objs {
        let Some(at) = map(*at).base else { continue };
        let mut obj = (**obj).clone();
        obj.size = term(obj.size);
        obj.cells.values_mut().for_each(|cell| cell.value = term(cell.value));
        heap.objs.insert(at, Arc::new(obj));
    }
    heap.segs.extend(body.heap.segs.iter().map(|seg| seg.map(&term)));
    let pure = body.heap.pure.rename(&map);
    for (sym, range) in &pure.bounds {
        heap.pure.bound(*sym, *range);
    }
    heap.pure.different.extend(pure.different);
    heap.pure.linear.extend(pure.linear);
}

/// A doubly linked segment of one node becomes an object, if the link to it is counted from the node's address.
/// Did it?
pub fn single(heap: &mut Heap, preds: &Preds, index: usize) -> bool {
    let pred = preds.get(heap.segs[index].pred);
    let link = heap.segs[index].root;
    let (Some(node), Some(body)) = (link.base, pred.bodies.first()) else { return false };
    if link.k != pred.head {
        return false;
    }
    let seg = heap.segs.remove(index);
    instantiate(heap, body, node, seg.to, seg.before, &seg.shared);
    true
}

/// The states in which a segment has a first (or last) node that is an object, one for each kind of node. The
/// segment is known not to be empty. A link whose base is no node's address gets a new symbol for it.
#[must_use]
pub fn unfold(state: &State, preds: &Preds, index: usize, at_end: bool) -> Vec<State> {
    let seg = state.heap.segs[index].clone();
    let pred = preds.get(seg.pred);
    let mut results = Vec::new();
    for body in &pred.bodies {
        let mut new = state.clone();
        new.heap.segs.remove(index);
        let link = if at_end { seg.last } else { seg.root };
        let Some(base) = link.base else { continue };
        let mut seg = seg.clone();
        let node = if link.k == pred.head {
            base
        } else {
            // `base` is a place so far from the node's address.
            let node = new.heap.fresh();
            let by = Term::sym(node).plus(pred.head - link.k);
            if is_rigid(base) || new.heap.objs.contains_key(&base) {
                continue;
            }
            if new.heap.replace(base, by).is_err() {
                continue;
            }
            let fix = |term: Term| term.replace(base, by);
            seg = seg.map(&fix);
            new.vars.values_mut().chain(&mut new.anchors).for_each(|term| *term = fix(*term));
            node
        };
        if new.heap.objs.contains_key(&node) {
            continue;
        }
        let here = Term::sym(node).plus(pred.head);
        match pred.shape {
            Shape::List => {
                let next = Term::sym(new.heap.fresh());
                instantiate(&mut new.heap, body, node, next, Term::NULL, &seg.shared);
                let facts = seg.facts.without(&mut new, node, false, Order::InLine);
                new.heap.segs.push(Seg { root: next, nonempty: false, facts, ..seg.clone() });
            }
            Shape::Dlist if at_end => {
                let prev = Term::sym(new.heap.fresh());
                instantiate(&mut new.heap, body, node, seg.to, prev, &seg.shared);
                let facts = seg.facts.without(&mut new, node, true, Order::InLine);
                let rest = Seg { last: prev, to: here, nonempty: false, facts, ..seg.clone() };
                new.heap.segs.push(rest);
            }
            Shape::Dlist => {
                let next = Term::sym(new.heap.fresh());
                instantiate(&mut new.heap, body, node, next, seg.before, &seg.shared);
                let facts = seg.facts.without(&mut new, node, false, Order::InLine);
                let rest = Seg { root: next, before: here, nonempty: false, facts, ..seg.clone() };
                new.heap.segs.push(rest);
            }
            Shape::Tree => {
                instantiate(&mut new.heap, body, node, Term::NULL, seg.before, &seg.shared);
                let facts = seg.facts.without(&mut new, node, false, Order::None);
                let cells =
                    new.heap.objs.get(&node).map(|obj| obj.cells.clone()).unwrap_or_default();
                for child in &body.children {
                    let Some(cell) = cells.get(child) else { continue };
                    let parents = pred.bodies.iter().any(has_parent);
                    let before = if parents { here } else { Term::NULL };
                    new.heap.segs.push(Seg {
                        root: cell.value,
                        before,
                        nonempty: false,
                        facts: facts.clone(),
                        ..seg.clone()
                    });
                }
            }
        }
        let is_tree = pred.shape == Shape::Tree;
        let ends = (!is_tree && !at_end, !is_tree && at_end);
        if new.learn(preds, node, &seg.facts, ends).is_ok() && new.normalise(preds).is_ok() {
            results.push(new);
        }
    }
    results
}

/// Does a node of a tree have a link to its parent?
#[must_use]
pub fn has_parent(body: &Body) -> bool {
    let mut found = false;
    body.heap.for_each_term(&mut |term| found |= term.base == Some(PREV));
    found
}
