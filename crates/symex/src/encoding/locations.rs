//! Locations of resources: what is held of an arbitrary one, and what that is at a certain one.

use std::collections::HashMap;

use smt::{Meaning, Node, Sort, Term};

use super::Encoding;
use crate::state::{Pattern, QuantifiedChunk, ResourceId};

impl Encoding<'_> {
    /// The condition that two locations of a resource are the same.
    pub fn alias(&mut self, a: &[Term], b: &[Term]) -> Term {
        let parts: Vec<Term> = a.iter().zip(b).map(|(x, y)| self.equal_terms(*x, *y)).collect();
        self.terms.and(parts)
    }

    /// The symbols that stand for an arbitrary location of a resource.
    pub fn formals(&mut self, resource: ResourceId) -> Vec<Term> {
        if let Some(formals) = self.formals.get(&resource) {
            return formals.clone();
        }
        let map = self.value_map(resource);
        let formal = |(i, sort): (usize, &Sort)| {
            let name = format!("formal.{i}.{}", self.terms.signature.sort_text(*sort));
            let fun = self.terms.fun_named(&name, &[], *sort, Meaning::Uninterpreted);
            self.terms.app(fun, &[])
        };
        let formals: Vec<Term> = map.args.iter().enumerate().map(formal).collect();
        self.formals.insert(resource, formals.clone());
        formals
    }

    /// The same, if somebody has asked for them before.
    pub fn known_formals(&self, resource: ResourceId) -> Option<Vec<Term>> {
        self.formals.get(&resource).cloned()
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
        let map = self.value_map(resource);
        let mut full = vec![values];
        full.extend(args);
        self.terms.app(map.lookup, &full)
    }

    /// The value at a location, as a snapshot.
    pub fn snap_at(&mut self, chunk: &QuantifiedChunk, args: &[Term]) -> Term {
        let value = self.value_at(chunk.resource, chunk.values, args);
        self.wrap(value)
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
        let here = self.alias(&formals, args);
        let zero = self.amount(0, 1);
        let less = self.terms.ite(here, amount, zero);
        self.remainder(chunk.perm, less)
    }

    /// Those parameters of a state that terms depend on.
    pub fn mentioned_parameters(&self, parameters: &[Term], terms: &[Term]) -> Vec<Term> {
        let mut parameters = parameters.to_vec();
        parameters.retain(|p| terms.iter().any(|t| self.mentions(*t, &[*p])));
        parameters
    }

    /// A symbol that is named by terms: the same for the same, and a function of those parameters of
    /// the state that they mention. Nothing is known of symbols for different terms.
    pub fn symbol_of(
        &mut self,
        parameters: &[Term],
        hint: &str,
        sort: Sort,
        key: Vec<Term>,
    ) -> Term {
        let parameters = self.mentioned_parameters(parameters, &key);
        let mut standard = HashMap::new();
        for (i, parameter) in parameters.iter().enumerate() {
            let sort = self.terms.sort(*parameter);
            standard.insert(*parameter, self.standard(i, sort));
        }
        let general = key.into_iter().map(|t| self.terms.substitute(t, &standard)).collect();
        let key = (format!("{}{hint}", self.prefix), general);
        let known = self.summaries.get(&key).copied();
        let fun = known.unwrap_or_else(|| {
            let name = format!("{}{hint}@of{}", self.prefix, self.summaries.len());
            let fun = self.fresh_function(&name, hint, &parameters, sort);
            self.summaries.insert(key, fun);
            fun
        });
        self.terms.app(fun, &parameters)
    }

    /// A constant that stands for a variable where only the shape of a term matters.
    pub fn standard(&mut self, index: usize, sort: Sort) -> Term {
        let name = format!("standard.{index}.{}", self.terms.signature.sort_text(sort));
        let fun = self.terms.fun_named(&name, &[], sort, Meaning::Uninterpreted);
        self.terms.app(fun, &[])
    }
}
