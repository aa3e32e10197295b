//! Inductive predicates, found while heaps are folded: a node is a small symbolic heap.

use std::collections::HashMap;

use crate::heap::{Heap, Obj};
use crate::records::Records;
use crate::term::Sym;

/// The place of a predicate in [`Preds`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PredId(pub u32);

/// How nodes are linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Shape {
    /// Each leads to the next.
    List,
    /// Each leads to the next and to the one before.
    Dlist,
    /// Each leads to several.
    Tree,
}

/// In the heap of a node: its address.
pub const SELF: Sym = Sym(0);
/// What its link to the next node holds.
pub const NEXT: Sym = Sym(1);
/// What its link back, or to its parent, holds.
pub const PREV: Sym = Sym(2);
/// The first argument that all nodes have in common.
pub const SHARED: u32 = 3;

/// A node: an object at [`SELF`] and what belongs to it alone. Symbols after the common arguments are existential.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Body {
    /// The node and what belongs to it.
    pub heap: Heap,
    /// Of a tree: offsets of the links to children.
    pub children: Vec<i128>,
}

/// An inductive predicate.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pred {
    /// How nodes are linked.
    pub shape: Shape,
    /// Links lead so many bytes into a node.
    pub head: i128,
    /// How many arguments all nodes have in common.
    pub shared: u32,
    /// What a node may be.
    pub bodies: Vec<Body>,
}

/// All predicates of an analysis.
#[derive(Debug)]
pub struct Preds {
    all: Vec<Pred>,
    known: HashMap<Pred, PredId>,
    /// The least predicate that includes two others, or none.
    pub(crate) joins: HashMap<(PredId, PredId), Option<PredId>>,
    /// Where bounds that grow stop: numbers of the program, in ascending order.
    pub(crate) stops: std::sync::Arc<[i128]>,
    /// What is known about numbers in nodes.
    pub(crate) tracks: Tracks,
    /// What the types of records say about links.
    pub(crate) records: std::sync::Arc<Records>,
}

/// How an object may be linked to others of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Like {
    /// As the nodes of a predicate.
    Pred(PredId),
    /// To the next one, by the link at this offset.
    Next(i128),
}

/// What an analysis knows about the numbers in the nodes of segments.
#[derive(Clone, Debug, Default)]
pub enum Tracks {
    /// Each for itself: bounds.
    #[default]
    Bounds,
    /// [`crate::Facts`], too. Nodes of which one holds a number of `kinds` and the other certainly does not are
    /// different kinds of nodes; those that a number of `marks` tells apart are not put into one segment.
    Facts {
        /// In ascending order.
        marks: std::sync::Arc<[i128]>,
        /// In ascending order.
        kinds: std::sync::Arc<[i128]>,
        /// Is the number of nodes known?
        lengths: bool,
    },
}

impl Tracks {
    /// Are there facts?
    #[must_use]
    pub fn facts(&self) -> bool {
        matches!(self, Tracks::Facts { .. })
    }
}

impl Preds {
    /// None yet; bounds that grow stop at these numbers.
    #[must_use]
    pub(crate) fn new(stops: &[i128], tracks: Tracks, records: std::sync::Arc<Records>) -> Preds {
        Preds {
            all: Vec::new(),
            known: HashMap::new(),
            joins: HashMap::new(),
            stops: stops.into(),
            tracks,
            records,
        }
    }

    /// These, in this order.
    #[must_use]
    pub fn with(all: &[Pred]) -> Preds {
        let mut preds = Preds::new(&[], Tracks::Bounds, Default::default());
        for pred in all {
            preds.intern(pred.clone());
        }
        preds
    }

    /// A predicate.
    #[must_use]
    pub fn get(&self, id: PredId) -> &Pred {
        &self.all[id.0 as usize]
    }

    /// How nodes are linked.
    #[must_use]
    pub fn shape(&self, id: PredId) -> Shape {
        self.get(id).shape
    }

    /// All of them.
    #[must_use]
    pub fn all(&self) -> &[Pred] {
        &self.all
    }

    /// How many bytes each node has at least.
    #[must_use]
    pub fn least_size(&self, id: PredId) -> Option<i128> {
        let size = |body: &Body| {
            body.heap.objs.get(&SELF).filter(|o| o.size.base.is_none()).map(|o| o.size.k)
        };
        self.get(id)
            .bodies
            .iter()
            .map(size)
            .try_fold(i128::MAX, |least, size| Some(least.min(size?)))
    }

    /// How an object is linked if it is one of several: as the nodes of a predicate of its kind, the last one that
    /// was found, or by its only link to its own kind.
    pub(crate) fn like(&self, obj: &Obj) -> Option<Like> {
        let record = obj.record?;
        let of_kind = |pred: &Pred| {
            let node = pred.bodies.first().and_then(|body| body.heap.objs.get(&SELF));
            node.is_some_and(|node| node.record == Some(record))
        };
        let tree = |pred: &Pred| of_kind(pred) && pred.shape == Shape::Tree;
        let known = self.all.iter().rposition(tree);
        if let Some(i) = known.or_else(|| self.all.iter().rposition(of_kind)) {
            return Some(Like::Pred(PredId(i as u32)));
        }
        match self.records.self_links(Some(record)) {
            [next] => Some(Like::Next(*next)),
            _ => None,
        }
    }

    /// The number of a predicate.
    pub fn intern(&mut self, pred: Pred) -> PredId {
        if let Some(id) = self.known.get(&pred) {
            return *id;
        }
        let id = PredId(self.all.len() as u32);
        self.known.insert(pred.clone(), id);
        self.all.push(pred);
        id
    }
}
