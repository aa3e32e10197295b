//! When references came into being: what a new object cannot be, although it is folded away.
//!
//! Objects have the number of the `new` that made them, others may have any. What a snapshot contains
//! is at most as young as the snapshot. Snapshots are finite trees, so there are such numbers.

use crate::encoding::CollectionFunction;
use std::fmt::Write as _;

use smt::{FunId, Sort, symbol};
use viper::core::Type;

use super::Encoding;
use super::symbols::SymbolKind;

impl Encoding<'_> {
    /// `Ref.born` or `Snap.born`.
    pub fn born(&mut self, sort: Sort) -> FunId {
        let (reference, snap) = (self.prelude.reference, self.prelude.snap);
        if !self.symbols.funs.contains_key("Snap.born") {
            self.wrapper(reference);
            self.declare("Ref.born", vec![reference], Sort::Int);
            let born = self.declare("Snap.born", vec![snap], Sort::Int);
            self.symbols.kinds.insert(born, SymbolKind::Snapshot);
            self.say(
                "(assert (forall ((a Snap.t) (b Snap.t)) (! (and \
                 (<= (Snap.born a) (Snap.born (Snap.pair a b))) \
                 (<= (Snap.born b) (Snap.born (Snap.pair a b)))) \
                 :pattern ((Snap.pair a b)) :qid born.pair)))",
            );
            let mut wrapped: Vec<Sort> = self.symbols.wrappers.keys().copied().collect();
            wrapped.sort_unstable_by_key(|sort| self.terms.signature.sort_text(*sort).to_string());
            for sort in wrapped {
                self.say_born(sort);
            }
        }
        let name = if sort == reference { "Ref.born" } else { "Snap.born" };
        self.declare(name, vec![sort], Sort::Int)
    }

    /// What is in a snapshot of this sort of values, if anybody has asked for numbers at all.
    pub(super) fn say_born(&mut self, sort: Sort) {
        if !self.symbols.funs.contains_key("Snap.born")
            || self.symbols.sort_names.contains_key(&sort)
        {
            return;
        }
        let ty = self.type_of(sort);
        let value = format!("({} s)", symbol(&self.unwrap_name(&ty)));
        let name = |op: CollectionFunction| symbol(&self.collection_name(&ty, op));
        let (pattern, inside) = match &ty {
            Type::Ref => {
                let _ = writeln!(
                    self.symbols.text,
                    "(assert (forall ((s Snap.t)) (! (<= (Ref.born {value}) (Snap.born s)) \
                     :pattern ({value}) :qid born.Ref)))"
                );
                return;
            }
            Type::Seq(t) if **t == Type::Ref => {
                let inside = format!("({} {value} r)", name(CollectionFunction::SeqContains));
                (inside.clone(), inside)
            }
            Type::Set(t) if **t == Type::Ref => {
                let inside = format!("({} r {value})", name(CollectionFunction::SetIn));
                (inside.clone(), inside)
            }
            Type::Multiset(t) if **t == Type::Ref => {
                let count = format!("({} {value} r)", name(CollectionFunction::MultisetCount));
                (count.clone(), format!("(< 0 {count})"))
            }
            _ => return,
        };
        let _ = writeln!(
            self.symbols.text,
            "(assert (forall ((s Snap.t) (r Ref.t)) (! (=> {inside} \
             (<= (Ref.born r) (Snap.born s))) :pattern ({pattern}) :qid {})))",
            symbol(&format!("born.{}", self.type_name(&ty)))
        );
    }
}
