//! Who leads to what.

use std::collections::HashMap;

use crate::heap::State;
use crate::term::{Sym, Term};

/// Who leads to an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ref {
    Root,
    Cell(Sym, i128),
    Seg(usize, Role),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Root,
    To,
    Before,
    Last,
    Shared,
}

/// Who leads to what.
pub(crate) struct Refs(HashMap<Sym, Vec<Ref>>);

impl Refs {
    pub(crate) fn new(state: &State) -> Refs {
        let mut refs: HashMap<Sym, Vec<Ref>> = HashMap::new();
        let mut add = |term: Term, from: Ref| {
            if let Some(base) = term.base {
                refs.entry(base).or_default().push(from);
            }
        };
        for root in state.roots() {
            add(root, Ref::Root);
        }
        for (at, obj) in &state.heap.objs {
            for (offset, cell) in &obj.cells {
                add(cell.value, Ref::Cell(*at, *offset));
            }
        }
        for (i, seg) in state.heap.segs.iter().enumerate() {
            add(seg.root, Ref::Seg(i, Role::Root));
            add(seg.to, Ref::Seg(i, Role::To));
            add(seg.before, Ref::Seg(i, Role::Before));
            add(seg.last, Ref::Seg(i, Role::Last));
            seg.shared.iter().for_each(|term| add(*term, Ref::Seg(i, Role::Shared)));
        }
        Refs(refs)
    }

    pub(crate) fn of(&self, sym: Sym) -> &[Ref] {
        self.0.get(&sym).map_or(&[], Vec::as_slice)
    }

    /// Is everyone who leads to an address one of these?
    pub(crate) fn only(&self, sym: Sym, allowed: impl Fn(Ref) -> bool) -> bool {
        self.of(sym).iter().all(|r| allowed(*r))
    }
}
