//! Frame axioms with entry points [PWZ13, Fig. 8 `FR` and Fig. 9].
//!
//! Code that owns `F` when it starts changes a field at most at locations in `F`, and at those that
//! are not allocated before it: it may allocate them, write to them, and free them again. So what is
//! left as it was are the allocated locations outside of `F`, and the paths within these.

use smt::Term;
use spl::core::Type;

use crate::logic::Logic;

/// What some code does to a field.
pub(crate) struct Frame<'a> {
    /// Objects that have the field.
    pub key: &'a Type,
    /// What it holds.
    pub value: &'a Type,
    /// The field before.
    pub before: Term,
    /// The field after.
    pub after: Term,
    /// What the code owns.
    pub owned: Term,
    /// What is allocated before.
    pub allocated: Term,
    /// Does somebody speak of paths by the field?
    pub paths: bool,
}

impl Logic {
    /// What is known of a field after some code: which values are as they were, and what follows from it
    /// for paths, which no finite number of instances would tell.
    pub fn frame(&mut self, frame: &Frame<'_>) -> (Term, Vec<Term>) {
        let Frame { key, value, before, after, owned, allocated, .. } = *frame;
        let mut paths = Vec::new();
        let (bx, x) = self.bound("x", key);
        let kept = self.kept(key, x, owned, allocated);
        let (old, new) = (self.read(key, value, before, x), self.read(key, value, after, x));
        let same = self.terms.eq(old, new);
        let body = self.terms.implies(kept, same);
        let values = self.forall(&[bx], vec![vec![new], vec![old]], body, "frame read");
        if frame.paths && key == value && key.is_reference() {
            self.frame_paths(frame, &mut paths);
        }
        (values, paths)
    }

    /// `Frame(X, A, f, g)`: fields agree on `A \ X`. Then so do paths in it, of which more is known.
    pub fn agree(&mut self, frame: &Frame<'_>) -> Term {
        let (agree, paths) = self.frame(frame);
        let closed = self.terms.free(agree).is_empty();
        if closed && self.first(format!("frame {agree:?}")) {
            for fact in paths {
                let known = self.terms.implies(agree, fact);
                self.axioms.push(known);
            }
        }
        agree
    }

    /// Is a location allocated, and not owned by the code?
    fn kept(&mut self, key: &Type, x: Term, owned: Term, allocated: Term) -> Term {
        let mine = self.member(key, x, owned);
        let not_mine = self.terms.not(mine);
        let there = self.member(key, x, allocated);
        self.terms.and([there, not_mine])
    }

    fn frame_paths(&mut self, frame: &Frame<'_>, facts: &mut Vec<Term>) {
        let Frame { key: ty, before: f, after: g, owned, allocated, .. } = *frame;
        // The entry point of `x`: the first location on its path that the code may change; `x` itself
        // if there is none.
        let name = format!("entry.{f:?}.{g:?}");
        let [(bx, x), (by, y), (bz, z)] = ["x", "y", "z"].map(|n| self.bound(n, ty));
        let entry = self.apply(&name, std::slice::from_ref(ty), ty, &[x]);
        let reached = self.reach(ty, f, x, entry);
        let kept_entry = self.kept(ty, entry, owned, allocated);
        let changed_entry = self.terms.not(kept_entry);
        let itself = self.terms.eq(entry, x);
        let either = self.terms.or([changed_entry, itself]);
        // The way to it is the same afterwards.
        let still = self.reach(ty, g, x, entry);
        let body = self.terms.and([reached, either, still]);
        facts.push(self.forall(&[bx], vec![vec![entry]], body, "entry"));
        let xy = self.reach(ty, f, x, y);
        let kept_y = self.kept(ty, y, owned, allocated);
        let changed_y = self.terms.not(kept_y);
        let first = self.btwn(ty, f, x, entry, y);
        let premise = self.terms.and([xy, changed_y]);
        let conclusion = self.terms.and([changed_entry, first]);
        let body = self.terms.implies(premise, conclusion);
        let triggers = vec![vec![entry, xy]];
        facts.push(self.forall(&[bx, by], triggers, body, "entry first"));

        // Paths up to the entry point are the same, and all of them if there is none.
        let up_to = self.without(ty, f, x, y, entry);
        let kept_x = self.kept(ty, x, owned, allocated);
        let never = self.terms.and([kept_x, itself]);
        let (old, new) = (self.without(ty, f, x, y, z), self.without(ty, g, x, y, z));
        let same = self.terms.eq(old, new);
        let premise = self.terms.or([up_to, never]);
        let body = self.terms.implies(premise, same);
        let (xyz, xzy) = (self.btwn(ty, g, x, y, z), self.btwn(ty, g, x, z, y));
        let triggers = vec![vec![xyz], vec![xzy]];
        facts.push(self.forall(&[bx, by, bz], triggers, body, "frame paths"));
    }
}
