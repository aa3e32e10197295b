//! One value map for all chunks of a resource: the snapshot of a quantified permission.
//! [MSS16, Fig. 5] summarise
//!
//! A map is named by what it summarises, so that the same permissions of the same heap have the same
//! snapshot wherever they are asked for: in a quantifier and outside of it, in a formula and in its
//! trigger. Otherwise it would take a proof by extensionality to see that two calls of a function are
//! the same.

use num_rational::BigRational;
use num_traits::Zero;
use smt::{Node, Op, Term};

use crate::config::Ablation;
use crate::encoding::FormulaKind;
use crate::prover::{Prover, Run};
use crate::state::{Chunk, Heap, Location, QuantifiedChunk, ResourceId, State};

/// A map with the values of some locations.
struct Summary {
    resource: ResourceId,
    values: Term,
    /// Which locations, as a condition over the formals.
    inside: Term,
}

impl Prover<'_> {
    /// A map with the values of all locations where `inside` holds, and with nothing else in its
    /// domain. How much of them is wanted does not matter for their values.
    pub(crate) fn summarise(
        &mut self,
        state: &mut State,
        heap: &Heap,
        resource: ResourceId,
        inside: Term,
    ) -> Run<Term> {
        if let Some((chunk, domain)) = self.exact_chunk(state, heap, resource, inside) {
            let values = chunk.values;
            let summary = Summary { resource, values, inside: domain };
            self.learn_domain(state, heap, &summary)?;
            // Maps are compared where they are made to snapshots.
            if let Some(fact) = self.round_trip(values) {
                let level = state.level_of(heap, resource);
                self.assume_at(state, fact, level)?;
            }
            self.agree_with(state, heap, &summary, Some(&chunk))?;
            return Ok(values);
        }
        let mut key = vec![inside];
        key.extend(heap.contents(resource));
        let values = self.summary(state, resource, key);
        let summary = Summary { resource, values, inside };
        self.learn_domain(state, heap, &summary)?;
        self.agree_with(state, heap, &summary, None)?;
        Ok(values)
    }

    /// A chunk with just the locations that are asked for, and these: then there is nothing to
    /// summarise.
    fn exact_chunk(
        &mut self,
        state: &State,
        heap: &Heap,
        resource: ResourceId,
        inside: Term,
    ) -> Option<(QuantifiedChunk, Term)> {
        let zero = self.amount(0, 1);
        let wanted = self.without_entailed(state, inside);
        let chunks: Vec<QuantifiedChunk> = heap.quantified_of(resource).map(|(_, c)| c).collect();
        chunks.into_iter().filter(|chunk| chunk.domain == Some(wanted)).find_map(|chunk| {
            let held = self.terms.lt(zero, chunk.perm);
            (self.without_entailed(state, held) == wanted).then_some((chunk, wanted))
        })
    }

    /// A condition without the parts that are known to hold.
    fn without_entailed(&mut self, state: &State, condition: Term) -> Term {
        match self.terms.node(condition).clone() {
            Node::Op(Op::And, parts) => {
                let open: Vec<Term> =
                    parts.iter().copied().filter(|part| !self.entailed(state, *part)).collect();
                self.terms.and(open)
            }
            _ => condition,
        }
    }

    /// The domain of a map.
    fn learn_domain(&mut self, state: &mut State, heap: &Heap, summary: &Summary) -> Run<()> {
        let Summary { resource, values, inside } = *summary;
        let map = self.value_map(resource);
        let formals = self.formals(resource);
        let mut full = vec![values];
        full.extend(&formals);
        let has = self.terms.app(map.domain, &full);
        let body = self.terms.eq(has, inside);
        let fact = self.for_all(FormulaKind::Domain, &formals, &[vec![has]], body);
        let level = state.level_of(heap, resource);
        self.assume_at(state, fact, level)
    }

    /// The value at a location, by a map with the values of all locations that are held.
    pub fn summary_at(
        &mut self,
        state: &mut State,
        heap: &Heap,
        location: Location<'_>,
    ) -> Run<Term> {
        let Location { resource, args } = location;
        let everywhere = self.terms.bool(true);
        let mut key = vec![everywhere];
        key.extend(heap.contents(resource));
        let values = self.summary(state, resource, key);
        let summary = Summary { resource, values, inside: everywhere };
        self.agree_with(state, heap, &summary, None)?;
        let value = self.value_at(resource, values, args);
        Ok(self.wrap(value))
    }

    /// A map has the values of a heap where a condition over the formals holds: this is so whatever
    /// the conditions under which the map is asked for. It may be that of a chunk of the heap.
    fn agree_with(
        &mut self,
        state: &mut State,
        heap: &Heap,
        summary: &Summary,
        own: Option<&QuantifiedChunk>,
    ) -> Run<()> {
        let Summary { resource, values, inside } = *summary;
        let level = state.level_of(heap, resource);
        let zero = self.amount(0, 1);
        let formals = self.formals(resource);
        let at = self.value_at(resource, values, &formals);
        // Wands that look the same need not agree: the first one counts.
        let mut earlier = self.terms.bool(false);
        let singles: Vec<Chunk> = heap.of(resource).map(|(_, c)| c.clone()).collect();
        for chunk in &singles {
            let here = self.at(resource, inside, &chunk.args);
            let positive = self.terms.lt(zero, chunk.perm);
            let before = self.at(resource, earlier, &chunk.args);
            let first = self.terms.not(before);
            let premise = self.terms.and([here, positive, first]);
            if resource.is_wand() {
                let same = self.alias(&formals, &chunk.args);
                let covered = self.terms.and([same, positive]);
                earlier = self.terms.or([earlier, covered]);
            }
            let value = self.at(resource, at, &chunk.args);
            let snap = self.wrap(value);
            let agree = self.terms.eq(snap, chunk.snap);
            let fact = self.terms.implies(premise, agree);
            self.assume_at(state, fact, level)?;
        }
        let quantified: Vec<QuantifiedChunk> =
            heap.quantified_of(resource).map(|(_, c)| c).collect();
        for chunk in &quantified {
            if own.is_some_and(|own| own.values == chunk.values || self.are_apart(own, chunk)) {
                continue;
            }
            let positive = self.terms.lt(zero, chunk.perm);
            let first = self.terms.not(earlier);
            let premise = self.terms.and([inside, positive, first]);
            if resource.is_wand() {
                earlier = self.terms.or([earlier, positive]);
            }
            // VMDEFEQ: forall r :: q_i(r) > 0 ==> v(r) == v_i(r)  [MSS16, Fig. 5]
            let original = self.value_at(resource, chunk.values, &formals);
            let agree = self.terms.eq(at, original);
            let body = self.terms.implies(premise, agree);
            let triggers = [vec![at], vec![original]];
            let fact = self.for_all(FormulaKind::Values, &formals, &triggers, body);
            self.assume_at(state, fact, level)?;
        }
        Ok(())
    }

    /// Do two chunks of a field visibly hold more than half of each of their locations, so that they
    /// have none in common?
    fn are_apart(&self, a: &QuantifiedChunk, b: &QuantifiedChunk) -> bool {
        let half = BigRational::new(1.into(), 2.into());
        let most = |chunk: &QuantifiedChunk| match self.terms.node(chunk.perm) {
            Node::Op(Op::Ite, parts) => {
                let amounts = (self.terms.as_number(parts[1]), self.terms.as_number(parts[2]));
                matches!(amounts, (Some(held), Some(none)) if held > half && none.is_zero())
            }
            _ => false,
        };
        matches!(a.resource, ResourceId::Field(_)) && most(a) && most(b)
    }

    /// The symbol that stands for a summary, a function of those parameters that it depends on.
    fn summary(&mut self, state: &mut State, resource: ResourceId, key: Vec<Term>) -> Term {
        let sort = self.value_map(resource).sort;
        if self.config.ablates(Ablation::Memoisation) {
            let parameters = self.mentioned_parameters(&state.parameters, &key);
            let outer = std::mem::replace(&mut state.parameters, parameters.into());
            let values = self.fresh(state, "values", sort);
            state.parameters = outer;
            return values;
        }
        let mut full = vec![self.terms.int(resource.number())];
        full.extend(key);
        self.symbol_of(&state.parameters, "values", sort, full)
    }
}
