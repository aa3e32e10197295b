//! What is held of a location, and its value there, over all chunks.

use smt::Term;

use crate::prover::Prover;
use crate::state::{Chunk, Heap, Location, State};

/// What a chunk says about one location.
#[derive(Clone, Copy)]
pub(crate) struct Share {
    pub perm: Term,
    pub snap: Term,
}

impl Prover<'_> {
    /// What every chunk of a resource says about a location.
    pub(super) fn shares(&mut self, heap: &Heap, location: Location<'_>) -> Vec<Share> {
        let Location { resource, args } = location;
        let chunks: Vec<Chunk> = heap.of(resource).map(|(_, c)| c.clone()).collect();
        let zero = self.amount(0, 1);
        let mut shares = Vec::new();
        for chunk in chunks {
            let same = self.alias(&chunk.args, args);
            let perm = self.terms.ite(same, chunk.perm, zero);
            shares.push(Share { perm, snap: chunk.snap });
        }
        for (_, chunk) in heap.quantified_of(resource) {
            let perm = self.perm_at(&chunk, args);
            let snap = self.snap_at(&chunk, args);
            shares.push(Share { perm, snap });
        }
        shares
    }

    /// How much of a location is held, over all chunks.
    pub fn held(&mut self, heap: &Heap, location: Location<'_>) -> Term {
        let shares = self.shares(heap, location);
        let zero = self.amount(0, 1);
        shares.iter().fold(zero, |sum, share| self.terms.add(sum, share.perm))
    }

    /// Is any of a location held, in whichever chunk?
    pub fn held_at_all(&mut self, heap: &Heap, location: Location<'_>) -> Term {
        let zero = self.amount(0, 1);
        let shares = self.shares(heap, location);
        let positive: Vec<Term> = shares.iter().map(|s| self.terms.lt(zero, s.perm)).collect();
        self.terms.or(positive)
    }

    /// The value at a location, wherever it is held.
    pub fn summary_snap(&mut self, state: &mut State, heap: &Heap, location: Location<'_>) -> Term {
        let mut shares = self.shares(heap, location);
        let Some(last) = shares.pop() else { return self.fresh_snap(state) };
        let zero = self.amount(0, 1);
        let mut snap = last.snap;
        for share in shares.into_iter().rev() {
            let here = self.terms.lt(zero, share.perm);
            snap = self.terms.ite(here, share.snap, snap);
        }
        snap
    }
}
