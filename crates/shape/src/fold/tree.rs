//! Folding of trees: a node whose children are trees becomes one.

use std::sync::Arc;

use super::is_pointer;
use super::node::{Folded, Link, nodes_of, replace_by, take};
use super::path::{children_of, is_path};
use super::refs::{Ref, Refs, Role};
use crate::facts::{Facts, Order};
use crate::heap::{Kind, Place, Seg, State};
use crate::preds::{Preds, Shape};
use crate::term::{Sym, Term};

/// A node whose children are trees becomes one.
pub(super) fn fold_tree(state: &mut State, preds: &mut Preds) -> bool {
    let records = Arc::clone(&preds.records);
    let refs = Refs::new(state);
    let candidates: Vec<Sym> = state
        .heap
        .objs
        .iter()
        .filter(|(_, obj)| obj.kind == Kind::Heap)
        .map(|(at, _)| *at)
        .collect();
    for a in candidates {
        let Some(obj) = state.heap.objs.get(&a).cloned() else { continue };
        let links = records.self_links(obj.record);
        if links.len() < 2
            || !links.iter().all(|at| obj.cells.get(at).is_some_and(|c| is_pointer(c.ty)))
        {
            continue;
        }
        let value = |at: i128| obj.cells.get(&at).map_or(Term::NULL, |cell| cell.value);
        // Who leads here from a node of the same kind?
        let above = refs.of(a).iter().find_map(|r| match r {
            Ref::Cell(from, at) if *from != a && links.contains(at) => {
                let other = state.heap.objs.get(from)?;
                (other.record == obj.record && other.kind == Kind::Heap).then_some((*from, *at))
            }
            _ => None,
        });
        let leads_back = |at: i128| match state.heap.place(value(at)) {
            Place::Obj(other) => state.heap.objs.get(&other).is_some_and(|other| {
                links.iter().any(|l| other.cells.get(l).is_some_and(|c| c.value == Term::sym(a)))
            }),
            _ => false,
        };
        let children_back = |at: i128| {
            links.iter().any(|l| {
                *l != at
                    && match state.heap.place(value(*l)) {
                        Place::First(i) => state.heap.segs[i].before == Term::sym(a),
                        Place::Obj(b) => state.heap.objs.get(&b).is_some_and(|b| {
                            b.cells.get(&at).is_some_and(|c| c.value == Term::sym(a))
                        }),
                        _ => false,
                    }
            })
        };
        let parent = if links.len() >= 3 {
            links.iter().copied().find(|at| children_back(*at)).or_else(|| {
                links
                    .iter()
                    .copied()
                    .find(|at| above.is_some_and(|(from, _)| value(*at) == Term::sym(from)))
            })
        } else {
            None
        };
        // With two links one of which leads back it is a doubly linked list.
        if links.len() == 2 && links.iter().any(|at| leads_back(*at) && value(*at).base.is_some()) {
            let back = links.iter().any(|at| match state.heap.place(value(*at)) {
                Place::Obj(other) => state.heap.objs.get(&other).is_some_and(|other| {
                    links.iter().any(|l| {
                        l != at && other.cells.get(l).is_some_and(|c| c.value == Term::sym(a))
                    })
                }),
                _ => false,
            });
            if back {
                continue;
            }
        }
        let children: Vec<i128> = links.iter().copied().filter(|at| Some(*at) != parent).collect();
        if children.len() < 2 {
            continue;
        }
        let mut subtrees = Vec::new();
        let fine = children.iter().all(|at| {
            let root = value(*at);
            if root == Term::NULL {
                return true;
            }
            let Place::First(i) = state.heap.place(root) else { return false };
            let seg = &state.heap.segs[i];
            let pred = preds.get(seg.pred);
            let matches = pred.shape == Shape::Tree
                && seg.root == root
                && pred.head == 0
                && pred.bodies.iter().all(|body| body.children == children)
                && (parent.is_none() || seg.before == Term::sym(a));
            let alone = root.base.is_some_and(|base| {
                refs.only(base, |r| r == Ref::Cell(a, *at) || r == Ref::Seg(i, Role::Root))
            });
            if matches && alone && !subtrees.contains(&i) {
                subtrees.push(i);
                return true;
            }
            false
        });
        // At the end of a path.
        let ends = |r: &Ref| match r {
            Ref::Seg(i, Role::To) => {
                parent.is_none()
                    && is_path(preds, &state.heap.segs[*i], &obj)
                    && children_of(preds, &obj).is_some()
            }
            _ => false,
        };
        let ends_path = refs.of(a).iter().any(ends);
        if !fine || (subtrees.is_empty() && above.is_none() && !ends_path) {
            continue;
        }
        // A named node stays as it is: only the program's own names keep it apart.
        let named = !refs.only(a, |r| match r {
            Ref::Cell(from, at) => Some((from, at)) == above || from == a,
            Ref::Seg(i, Role::Before) => subtrees.contains(&i),
            Ref::Seg(_, Role::To) => ends(&r),
            _ => false,
        });
        if named {
            continue;
        }
        if subtrees.is_empty() && !records.is_tree_like(obj.record) {
            continue;
        }
        let link = Link { next: 0, prev: parent, head: 0 };
        let Some((node, mut objs, mut segs)) = take(state, preds, &refs, a, link, &children) else {
            continue;
        };
        if subtrees.iter().any(|i| segs.contains(i)) {
            continue;
        }
        objs.insert(a);
        let mut nodes = vec![node];
        for i in &subtrees {
            nodes.extend(nodes_of(state, preds, &state.heap.segs[*i].clone()));
        }
        let below: Vec<(Facts, bool)> = subtrees
            .iter()
            .map(|i| (state.heap.segs[*i].facts.clone(), state.heap.segs[*i].nonempty))
            .collect();
        segs.extend(subtrees);
        let before = parent.map_or(Term::NULL, value);
        let mut facts = Facts::of_node(preds, &state.heap, &obj, Order::None);
        let seg = Seg { root: Term::sym(a), before, ..Seg::nodes() };
        if replace_by(state, preds, Folded { nodes, objs, segs }, (Shape::Tree, 0), seg) {
            for (more, has) in &below {
                facts = state.together((&facts, true), (more, *has), Order::None);
            }
            if let Some(seg) = state.heap.segs.last_mut() {
                seg.facts = facts;
            }
            return true;
        }
    }
    false
}
