//! Snapshots: trees of values, one for each location that an assertion gives access to.

use std::fmt::Write as _;

use smt::{FunId, Node, Sort, Term, symbol};

use super::Encoding;
use super::symbols::{Prelude, SymbolKind, Use};

/// The functions that snapshots are made of and taken apart with.
pub(crate) struct SnapFunctions {
    pub pair: FunId,
    pub first: FunId,
    pub second: FunId,
}

impl Encoding<'_> {
    pub fn snap_functions(&self) -> SnapFunctions {
        let Prelude { combine, first, second, .. } = self.prelude;
        SnapFunctions { pair: combine, first, second }
    }

    /// The snapshot of two parts.
    pub fn snap_pair(&mut self, a: Term, b: Term) -> Term {
        if let (Node::App(f, x), Node::App(g, y)) = (self.terms.node(a), self.terms.node(b))
            && *f == self.prelude.first
            && *g == self.prelude.second
            && x == y
        {
            return x[0];
        }
        self.terms.app(self.prelude.combine, &[a, b])
    }

    /// One snapshot for many.
    pub fn pair_up(&mut self, mut snaps: Vec<Term>) -> Term {
        let Some(mut snap) = snaps.pop() else { return self.prelude.unit };
        while let Some(before) = snaps.pop() {
            snap = self.snap_pair(before, snap);
        }
        snap
    }

    /// The snapshot of two parts, whatever they are.
    pub fn raw_snap_pair(&mut self, a: Term, b: Term) -> Term {
        self.terms.app(self.prelude.combine, &[a, b])
    }

    /// Is it made of two parts, visibly?
    pub fn is_snap_pair(&self, snap: Term) -> bool {
        matches!(self.terms.node(snap), Node::App(f, _) if *f == self.prelude.combine)
    }

    /// The first part of a snapshot.
    pub fn snap_first(&mut self, snap: Term) -> Term {
        match self.terms.node(snap) {
            Node::App(f, args) if *f == self.prelude.combine => args[0],
            _ => self.terms.app(self.prelude.first, &[snap]),
        }
    }

    /// The second part of a snapshot.
    pub fn snap_second(&mut self, snap: Term) -> Term {
        match self.terms.node(snap) {
            Node::App(f, args) if *f == self.prelude.combine => args[1],
            _ => self.terms.app(self.prelude.second, &[snap]),
        }
    }

    /// Registers the functions between values of a sort and snapshots.
    pub fn require_wrapper(&mut self, sort: Sort) {
        if sort != self.prelude.snap {
            self.wrapper(sort);
        }
    }

    pub(super) fn wrapper(&mut self, sort: Sort) -> (FunId, FunId) {
        if let Some(pair) = self.symbols.wrappers.get(&sort) {
            return *pair;
        }
        let name = match self.symbols.sort_names.get(&sort) {
            Some(name) => name.clone(),
            None => {
                let ty = self.type_of(sort);
                let name = self.type_name(&ty);
                self.symbols.note(Use::Wrapper(ty));
                name
            }
        };
        let (wrap, unwrap) = (format!("Snap.of<{name}>"), format!("Snap.to<{name}>"));
        let pair = (
            self.declare(&wrap, vec![sort], self.prelude.snap),
            self.declare(&unwrap, vec![self.prelude.snap], sort),
        );
        let sort_text = self.terms.signature.sort_text(sort);
        let (wrap, unwrap) = (symbol(&wrap), symbol(&unwrap));
        let _ = writeln!(
            self.symbols.text,
            "(assert (forall ((x {sort_text})) (! (= ({unwrap} ({wrap} x)) x) :pattern (({wrap} x)) \
             :qid {})))",
            symbol(&format!("snap.{name}"))
        );
        for fun in [pair.0, pair.1] {
            self.symbols.kinds.insert(fun, SymbolKind::Snapshot);
        }
        self.symbols.wrappers.insert(sort, pair);
        self.say_born(sort);
        pair
    }

    /// A value as a snapshot.
    pub fn wrap(&mut self, value: Term) -> Term {
        let sort = self.terms.sort(value);
        if sort == self.prelude.snap {
            return value;
        }
        let (wrap, unwrap) = self.wrapper(sort);
        match self.terms.node(value) {
            Node::App(f, args) if *f == unwrap => args[0],
            _ => self.terms.app(wrap, &[value]),
        }
    }

    /// That a value read from a snapshot is all there is to it, if that is what it is.
    pub fn round_trip(&mut self, value: Term) -> Option<Term> {
        let (wrap, unwrap) = *self.symbols.wrappers.get(&self.terms.sort(value))?;
        let Node::App(f, args) = self.terms.node(value) else { return None };
        let snap = args.first().copied().filter(|_| *f == unwrap)?;
        let wrapped = self.terms.app(wrap, &[value]);
        Some(self.terms.eq(snap, wrapped))
    }

    /// For a value as a snapshot and what that snapshot equals: the value and what it equals.
    pub fn unwrapped(&mut self, snap: Term, equal: Term) -> Option<(Term, Term)> {
        let Node::App(f, args) = self.terms.node(snap) else { return None };
        let (f, value) = (*f, *args.first()?);
        let sort = self.terms.sort(value);
        let (wrap, _) = *self.symbols.wrappers.get(&sort)?;
        (f == wrap).then(|| (value, self.unwrap(equal, sort)))
    }

    /// A snapshot as a value.
    pub fn unwrap(&mut self, snap: Term, sort: Sort) -> Term {
        if sort == self.prelude.snap {
            return snap;
        }
        let (wrap, unwrap) = self.wrapper(sort);
        match self.terms.node(snap) {
            Node::App(f, args) if *f == wrap => args[0],
            Node::Op(smt::Op::Ite, args) => {
                let (c, a, b) = (args[0], args[1], args[2]);
                let a = self.unwrap(a, sort);
                let b = self.unwrap(b, sort);
                self.terms.ite(c, a, b)
            }
            _ => self.terms.app(unwrap, &[snap]),
        }
    }

    /// That a reference is not `null`.
    pub fn is_not_null(&mut self, reference: Term) -> Term {
        let null = self.terms.eq(reference, self.prelude.null);
        self.terms.not(null)
    }

    /// That a reference is not `null`, in a form for quantifiers. `forall x :: acc(x.f)` says so of
    /// all references; a solver that sees `forall x :: x != null` finds out at once that this is
    /// never so, although nobody asks about `null`.
    pub fn not_null(&mut self, reference: Term) -> Term {
        self.terms.app(self.prelude.object, &[reference])
    }
}
