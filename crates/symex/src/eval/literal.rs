//! Long sequence literals.
//!
//! A short literal is put together of its elements, and the axioms of sequences follow each element
//! through all the parts it is in. Of a long one there would be too many: it is a symbol of its own
//! instead, with facts that lead from an index straight to its element.

use smt::{Sort, Term};
use viper::core::Type;

use crate::encoding::CollectionFunction;
use crate::encoding::FormulaKind;
use crate::prover::{Prover, Run};
use crate::state::State;

/// A literal with more elements is long.
const LONG: usize = 32;

impl Prover<'_> {
    /// A sequence literal.
    pub(super) fn eval_seq(&mut self, state: &mut State, ty: &Type, elems: &[Term]) -> Run<Term> {
        // What is said about a symbol in a quantifier or a function is not known everywhere.
        if elems.len() <= LONG || state.mode.in_trigger || !state.parameters.is_empty() {
            return Ok(self.seq_literal(ty, elems));
        }
        let sort = self.sort(ty);
        let seq = self.fresh(state, "literal", sort);
        let length = self.collection(ty, CollectionFunction::SeqLength, &[seq], Sort::Int);
        let count = self.terms.int(elems.len());
        let fact = self.terms.eq(length, count);
        self.assume(state, fact)?;
        // The element at an index.
        let (zero, index) = (self.terms.int(0), self.fresh(state, "i", Sort::Int));
        let elem_sort = self.terms.sort(elems[0]);
        let found = self.collection(ty, CollectionFunction::SeqIndex, &[seq, index], elem_sort);
        let (from, to) = (self.terms.le(zero, index), self.terms.lt(index, count));
        let inside = self.terms.and([from, to]);
        let value = self.element(index, elems, 0);
        let same = self.terms.eq(found, value);
        let body = self.terms.implies(inside, same);
        let fact = self.for_all(FormulaKind::LiteralIndex, &[index], &[vec![found]], body);
        self.assume(state, fact)?;
        // Is something among the elements?
        let some = self.fresh(state, "e", elem_sort);
        let contained =
            self.collection(ty, CollectionFunction::SeqContains, &[seq, some], Sort::Bool);
        let equations: Vec<Term> = elems.iter().map(|e| self.equal_terms(some, *e)).collect();
        let any = self.terms.or(equations);
        let body = self.terms.eq(contained, any);
        let sets = [vec![contained]];
        let fact = self.for_all(FormulaKind::LiteralContains, &[some], &sets, body);
        self.assume(state, fact)?;
        Ok(seq)
    }

    /// One of these elements, found by halving; `first` is the index of the first of them.
    fn element(&mut self, index: Term, elems: &[Term], first: usize) -> Term {
        if let [only] = elems {
            return *only;
        }
        let (left, right) = elems.split_at(elems.len() / 2);
        let start = self.terms.int(first + left.len());
        let is_left = self.terms.lt(index, start);
        let then = self.element(index, left, first);
        let otherwise = self.element(index, right, first + left.len());
        self.terms.ite(is_left, then, otherwise)
    }
}
