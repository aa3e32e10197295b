//! Quantified chunks: what they hold at a location.

use std::collections::HashMap;
use std::rc::Rc;

use smt::{Meaning, Node, Quantifier, Sort, Term};

use crate::executor::Executor;
use crate::path::Run;
use crate::state::{Pattern, QuantifiedChunk, ResourceId, State};

impl Executor<'_> {
    /// The symbols that stand for an arbitrary location of a resource.
    pub fn formals(&mut self, resource: ResourceId) -> Vec<Term> {
        if let Some(formals) = self.formals_of.get(&resource) {
            return formals.clone();
        }
        let map = self.symbols.value_map(&mut self.terms, resource);
        let formal = |(i, sort): (usize, &Sort)| {
            let name = format!("formal.{i}.{}", self.terms.signature.sort_text(*sort));
            let fun = self.terms.fun_named(&name, &[], *sort, Meaning::Uninterpreted);
            self.terms.app(fun, &[])
        };
        let formals: Vec<Term> = map.args.iter().enumerate().map(formal).collect();
        self.formals_of.insert(resource, formals.clone());
        formals
    }

    /// A term over the formals of a resource at a location.
    pub fn at(&mut self, resource: ResourceId, term: Term, args: &[Term]) -> Term {
        let formals = self.formals(resource);
        let map: HashMap<Term, Term> = formals.into_iter().zip(args.iter().copied()).collect();
        self.terms.substitute(term, &map)
    }

    /// How much of a location a chunk holds.
    pub fn perm_at(&mut self, chunk: &QuantifiedChunk, args: &[Term]) -> Term {
        self.at(chunk.resource, chunk.perm, args)
    }

    /// The value that a map has at a location.
    pub fn value_at(&mut self, resource: ResourceId, values: Term, args: &[Term]) -> Term {
        let map = self.symbols.value_map(&mut self.terms, resource);
        let mut full = vec![values];
        full.extend(args);
        self.terms.app(map.lookup, &full)
    }

    /// The value at a location, as a snapshot.
    pub fn snap_at(&mut self, chunk: &QuantifiedChunk, args: &[Term]) -> Term {
        let value = self.value_at(chunk.resource, chunk.values, args);
        self.symbols.wrap(&mut self.terms, value)
    }

    /// Does a location look like those of a chunk?
    pub fn resembles(&self, chunk: &QuantifiedChunk, args: &[Term]) -> bool {
        let Pattern { vars, args: patterns } = &*chunk.pattern;
        patterns.iter().zip(args).all(|(pattern, arg)| self.matches(*pattern, *arg, vars))
    }

    fn matches(&self, pattern: Term, term: Term, vars: &[Term]) -> bool {
        if pattern == term || vars.contains(&pattern) {
            return true;
        }
        if !self.mentions(pattern, vars) {
            // Two names may be the same, two applications of different functions hardly are.
            let atom = |t: Term| matches!(self.terms.node(t), Node::App(_, a) if a.is_empty());
            return atom(pattern) && atom(term) && vars.is_empty();
        }
        match (self.terms.node(pattern), self.terms.node(term)) {
            (Node::App(f, a), Node::App(g, b)) if f == g => {
                a.iter().zip(b).all(|(p, t)| self.matches(*p, *t, vars))
            }
            (Node::Op(..), _) => true,
            _ => false,
        }
    }

    /// What a chunk holds when an amount was taken away at one location.
    pub fn without(&mut self, chunk: &QuantifiedChunk, args: &[Term], amount: Term) -> Term {
        let formals = self.formals(chunk.resource);
        let here = self.same(&formals, args);
        let zero = self.amount(0, 1);
        let less = self.terms.ite(here, amount, zero);
        self.remainder(chunk.perm, less)
    }

    /// Adds a quantified chunk to the heap of a state.
    pub fn put_quantified(&mut self, state: &mut State, chunk: QuantifiedChunk) -> Run<()> {
        if self.merge_quantified(state, &chunk)? {
            return Ok(());
        }
        self.relate_quantified(state, chunk)
    }

    /// Adds a chunk, and what follows from having it besides the others.
    pub(super) fn relate_quantified(
        &mut self,
        state: &mut State,
        chunk: QuantifiedChunk,
    ) -> Run<()> {
        if let ResourceId::Field(_) = chunk.resource {
            self.bound_everywhere(state, &chunk)?;
        }
        self.agree_everywhere(state, &chunk)?;
        let resource = chunk.resource;
        state.heap.push_quantified(chunk);
        let singles: Vec<Rc<[Term]>> =
            state.heap.of(resource).map(|(_, c)| Rc::clone(&c.args)).collect();
        let heap = state.heap.clone();
        for args in singles {
            self.relate_shares(state, &heap, resource, &args)?;
        }
        Ok(())
    }

    /// Of no location there is more than everything.
    fn bound_everywhere(&mut self, state: &mut State, chunk: &QuantifiedChunk) -> Run<()> {
        let (zero, one) = (self.amount(0, 1), self.amount(1, 1));
        let others: Vec<Term> =
            state.heap.quantified_of(chunk.resource).map(|(_, c)| c.perm).collect();
        let here = self.terms.lt(zero, chunk.perm);
        let full = self.is_full_or_none(chunk.perm);
        let (mut excluded, mut sum) = (Vec::new(), zero);
        for other in others {
            if full || self.is_full_or_none(other) {
                let there = self.terms.lt(zero, other);
                excluded.push(self.terms.and([here, there]));
            } else {
                sum = self.total(sum, other);
            }
        }
        if sum != zero {
            sum = self.total(sum, chunk.perm);
        }
        let bounded = self.terms.le(sum, one);
        let excluded = self.terms.or(excluded);
        let exclusive = self.terms.not(excluded);
        let formals = self.formals(chunk.resource);
        for fact in [exclusive, bounded] {
            if self.terms.as_bool(fact) != Some(true) {
                let fact = self.close(Quantifier::Forall, &formals, &[], fact, None, "bound");
                self.assume(state, fact)?;
            }
        }
        Ok(())
    }

    /// Two chunks that both have a part of a location have the same value there.
    fn agree_everywhere(&mut self, state: &mut State, chunk: &QuantifiedChunk) -> Run<()> {
        let zero = self.amount(0, 1);
        if self.is_full_or_none(chunk.perm) {
            return Ok(());
        }
        let formals = self.formals(chunk.resource);
        let others: Vec<_> = state.heap.quantified_of(chunk.resource).map(|(_, c)| c).collect();
        let here = self.terms.lt(zero, chunk.perm);
        let value = self.value_at(chunk.resource, chunk.values, &formals);
        for other in others {
            if self.is_full_or_none(other.perm) {
                continue;
            }
            let there = self.terms.lt(zero, other.perm);
            let both = self.terms.and([here, there]);
            let theirs = self.value_at(chunk.resource, other.values, &formals);
            let agree = self.terms.eq(value, theirs);
            let body = self.terms.implies(both, agree);
            let triggers = [vec![value], vec![theirs]];
            let fact = self.close(Quantifier::Forall, &formals, &triggers, body, None, "agree");
            self.assume(state, fact)?;
        }
        Ok(())
    }

    /// Proves something over the formals of a resource for all locations.
    pub fn prove_everywhere(
        &mut self,
        state: &mut State,
        resource: ResourceId,
        goal: Term,
        quickly: bool,
    ) -> Run<bool> {
        let formals = self.formals(resource);
        let args: Vec<Term> = formals
            .iter()
            .map(|f| {
                let sort = self.terms.sort(*f);
                self.fresh(state, "any", sort)
            })
            .collect();
        let goal = self.at(resource, goal, &args);
        if quickly { self.prove_quickly(state, goal) } else { self.prove(state, goal) }
    }
}
