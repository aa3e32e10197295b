//! `new`: an object that was nowhere before.

use smt::{Sort, Term};
use viper::core::{FieldId, LocalId, Type};

use crate::encoding::CollectionFunction;
use crate::prover::{Prover, Run};
use crate::state::{ResourceId, State};

impl Prover<'_> {
    /// Makes an object that is different from all that are known: those that variables have, and those
    /// in the heap, be it in a field, be it folded away.
    pub fn new_object(&mut self, state: &mut State, local: LocalId, fields: &[FieldId]) -> Run<()> {
        let time = self.terms.int(i64::from(state.fresh));
        let decl = &state.owner.locals(self.program)[local.index()];
        let object = self.fresh_of(state, decl.name.as_str(), &Type::Ref);
        let mut others = vec![self.null()];
        let reference = self.ref_sort();
        for (id, value) in state.store.clone().values() {
            let ty = &state.owner.locals(self.program)[id.index()].ty;
            if *ty == Type::Ref {
                others.push(value);
            } else if let Some(inside) = self.is_element(ty, object, value) {
                let outside = self.terms.not(inside);
                self.assume(state, outside)?;
            }
        }
        let mut folded = Vec::new();
        for chunk in state.heap.chunks() {
            match chunk.resource {
                ResourceId::Field(field) => {
                    others.push(chunk.args[0]);
                    if self.program.field(field).ty == Type::Ref {
                        let value = self.unwrap(chunk.snap, reference);
                        others.push(value);
                    }
                }
                ResourceId::Predicate(_) => {
                    let references =
                        chunk.args.iter().filter(|a| self.terms.sort(**a) == reference);
                    others.extend(references);
                    folded.push((chunk.snap, chunk.perm));
                }
                ResourceId::Wand(_) => {}
            }
        }
        others.sort_unstable();
        others.dedup();
        for other in others {
            let same = self.terms.eq(object, other);
            let different = self.terms.not(same);
            self.assume(state, different)?;
        }
        if !folded.is_empty() {
            self.assume_younger(state, object, time, &folded)?;
        }
        let full = self.amount(1, 1);
        for field in fields {
            let decl = self.program.field(*field);
            let value = self.fresh_of(state, decl.name.as_str(), &decl.ty);
            let snap = self.wrap(value);
            self.put(state, ResourceId::Field(*field).at(&[object]), snap, full)?;
        }
        state.store.set(local, object);
        Ok(())
    }

    /// The object came into being after all that is in snapshots that are held. The time is the number
    /// of a fresh symbol: it grows along a path.
    fn assume_younger(
        &mut self,
        state: &mut State,
        object: Term,
        time: Term,
        folded: &[(Term, Term)],
    ) -> Run<()> {
        let (reference, snap) = (self.ref_sort(), self.snap_sort());
        let born = self.born(reference);
        let own = self.terms.app(born, &[object]);
        let now = self.terms.eq(own, time);
        self.assume(state, now)?;
        let born = self.born(snap);
        let zero = self.amount(0, 1);
        for (snap, perm) in folded {
            let held = self.terms.lt(zero, *perm);
            let before = self.terms.app(born, &[*snap]);
            let older = self.terms.lt(before, time);
            let fact = self.terms.implies(held, older);
            self.assume(state, fact)?;
        }
        Ok(())
    }

    /// That a reference is in a collection of this type, if it is one of references.
    fn is_element(&mut self, ty: &Type, object: Term, value: Term) -> Option<Term> {
        Some(match ty {
            Type::Seq(t) if **t == Type::Ref => {
                self.collection(ty, CollectionFunction::SeqContains, &[value, object], Sort::Bool)
            }
            Type::Set(t) if **t == Type::Ref => {
                self.collection(ty, CollectionFunction::SetIn, &[object, value], Sort::Bool)
            }
            Type::Multiset(t) if **t == Type::Ref => {
                let count = self.collection(
                    ty,
                    CollectionFunction::MultisetCount,
                    &[value, object],
                    Sort::Int,
                );
                let zero = self.terms.int(0);
                self.terms.lt(zero, count)
            }
            _ => return None,
        })
    }
}
