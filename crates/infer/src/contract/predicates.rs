//! Predicates that were written as predicates of the analysis: lists, doubly linked lists and trees, also of each other.

use std::collections::BTreeMap;
use std::sync::Arc;

use heap::{Program, Scalar};
use shape::{
    Body, Cell, Heap, Kind, NEXT, Obj, PREV, Pred, PredId, SELF, SHARED, Seg, Shape, Sym, Term,
};
use sl::shape::{End, List, NestedEnd, Tree};
use sl::{Name, Semantics, Signature, Sort};

use super::notation::{Layout, Notation, Place};

/// An instance as a segment: which argument is what.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub(crate) pred: PredId,
    pub(crate) root: usize,
    /// Where it ends; at null if there is none.
    pub(crate) to: Option<usize>,
    pub(crate) before: Option<usize>,
    /// The last node; any if there is a link back and no argument says it.
    pub(crate) last: Option<usize>,
    pub(crate) doubly: bool,
    pub(crate) nonempty: bool,
    /// Is the end certainly outside of it?
    pub(crate) acyclic: bool,
    /// What of the definition is lost.
    pub(crate) weaker: Option<&'static str>,
}

/// Predicates that were met.
#[derive(Default)]
pub(crate) struct Predicates {
    known: BTreeMap<Name, Option<Known>>,
    pub(crate) all: Vec<Pred>,
}

/// What definitions are about.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) program: &'a Program,
    pub(crate) notation: &'a Notation,
    pub(crate) signature: &'a Signature,
}

impl Context<'_> {
    /// The layout of locations of a sort.
    pub(crate) fn layout(&self, sort: &Sort) -> Option<&Layout> {
        match sort {
            Sort::Loc(name) => self.notation.layout(name.as_str()),
            _ => None,
        }
    }

    /// An object of this layout of which nothing is known.
    pub(crate) fn object(&self, layout: &Layout) -> Obj {
        Obj {
            size: Term::int(i128::from(layout.size)),
            kind: Kind::Heap,
            cells: BTreeMap::new(),
            zeroed: false,
            constant: false,
            record: layout.record,
        }
    }

    /// Puts a value at a place of an object.
    pub(crate) fn store(&self, obj: &mut Obj, place: &Place, value: Term) {
        let width = place.ty.bytes(self.program.model);
        obj.cells.insert(i128::from(place.offset), Cell { width, ty: place.ty, value });
    }
}

impl Predicates {
    /// The predicate of the analysis that a definition is, if there is one.
    pub(crate) fn find(&mut self, context: Context<'_>, name: &Name) -> Option<Known> {
        if let Some(known) = self.known.get(name) {
            return known.clone();
        }
        // While it is being found there is none.
        self.known.insert(name.clone(), None);
        let known = self.make(context, name);
        self.known.insert(name.clone(), known.clone());
        known
    }

    fn make(&mut self, context: Context<'_>, name: &Name) -> Option<Known> {
        let definition = context.signature.predicates.get(name)?;
        let shape = sl::shape::classify(definition, context.signature, Semantics::Precise)?;
        let root = match &shape {
            sl::shape::Shape::List(list) => list.root,
            sl::shape::Shape::Tree(tree) => tree.root,
        };
        let layout = context.layout(&definition.params.get(root)?.sort)?;
        match shape {
            sl::shape::Shape::List(list) => self.list(context, layout, &list),
            sl::shape::Shape::Tree(tree) => self.tree(context, layout, &tree),
        }
    }

    fn list(&mut self, context: Context<'_>, layout: &Layout, list: &List) -> Option<Known> {
        let mut node = context.object(layout);
        let link = layout.places.get(list.next)?;
        if !matches!(link.ty, Scalar::Ptr(_)) {
            return None;
        }
        context.store(&mut node, link, Term::sym(NEXT));
        if let Some(back) = &list.back {
            context.store(&mut node, layout.places.get(back.prev)?, Term::sym(PREV));
        }
        for field in &list.nil_fields {
            context.store(&mut node, layout.places.get(*field)?, Term::NULL);
        }
        let mut heap = Heap { fresh: SHARED, ..Heap::default() };
        let mut weaker = None;
        for nested in &list.nested {
            let inner = self.find(context, &nested.predicate)?;
            let start = Term::sym(heap.fresh());
            context.store(&mut node, layout.places.get(nested.field)?, start);
            let to = match nested.end {
                NestedEnd::Own if inner.to.is_none() => Term::NULL,
                NestedEnd::Nil => Term::NULL,
                NestedEnd::Field(field) if field == list.next => Term::sym(NEXT),
                NestedEnd::Own | NestedEnd::Field(_) | NestedEnd::Param(_) => return None,
            };
            weaker = weaker.or(inner.weaker);
            if inner.acyclic && to != Term::NULL {
                weaker = Some("a list may be cyclic");
            }
            let (before, last) = match inner.doubly {
                true => (Term::sym(heap.fresh()), Term::sym(heap.fresh())),
                false => (Term::NULL, Term::NULL),
            };
            heap.segs.push(Seg {
                pred: inner.pred,
                root: start,
                to,
                before,
                last,
                shared: Vec::new(),
                nonempty: inner.nonempty,
                facts: shape::Facts::default(),
            });
        }
        heap.objs.insert(SELF, Arc::new(node));
        if !list.measures.is_empty() || !list.orders.is_empty() {
            weaker = Some("of the data in lists nothing is known");
        }
        let doubly = list.back.is_some();
        let shape = if doubly { Shape::Dlist } else { Shape::List };
        let body = Body { heap, children: Vec::new() };
        let pred = self.intern(Pred { shape, head: 0, shared: 0, bodies: vec![body] });
        Some(Known {
            pred,
            root: list.root,
            to: match list.end {
                End::Nil => None,
                End::Param(param) => Some(param),
            },
            before: list.back.map(|back| back.before),
            last: list.back.and_then(|back| back.last),
            doubly,
            nonempty: !list.may_be_empty,
            acyclic: list.acyclic || list.back.is_some_and(|back| back.apart),
            weaker,
        })
    }

    fn tree(&mut self, context: Context<'_>, layout: &Layout, tree: &Tree) -> Option<Known> {
        if !tree.may_be_empty {
            return None;
        }
        let mut node = context.object(layout);
        let mut heap = Heap { fresh: SHARED, ..Heap::default() };
        let mut children = Vec::new();
        for child in &tree.children {
            let place = layout.places.get(*child)?;
            let value = Term::sym(Sym(heap.fresh().0));
            context.store(&mut node, place, value);
            children.push(i128::from(place.offset));
        }
        if let Some((parent, _)) = tree.parent {
            context.store(&mut node, layout.places.get(parent)?, Term::sym(PREV));
        }
        heap.objs.insert(SELF, Arc::new(node));
        let body = Body { heap, children };
        let pred = self.intern(Pred { shape: Shape::Tree, head: 0, shared: 0, bodies: vec![body] });
        Some(Known {
            pred,
            root: tree.root,
            to: None,
            before: tree.parent.map(|(_, param)| param),
            last: None,
            doubly: false,
            nonempty: false,
            acyclic: true,
            weaker: None,
        })
    }

    fn intern(&mut self, pred: Pred) -> PredId {
        let place = self.all.iter().position(|known| *known == pred).unwrap_or_else(|| {
            self.all.push(pred);
            self.all.len() - 1
        });
        PredId(place as u32)
    }
}
