//! Questions that were answered, by their content.
//!
//! What a solver was told is a sequence of formulas. Symbols that have no meaning of their own may be renamed, so they
//! are numbered in the order in which they occur; two sequences that are the same up to names then have the same
//! content. Paths that differ in names only, loops that are verified again with another precondition, and files that
//! are included twice ask such questions. Only proofs are kept: a proof is one wherever it was found.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::{Mutex, PoisonError};

use smt::{Bound, FunId, Meaning, Node, Sort, SortId, Term, Terms};

/// What is known to be contradictory. Made once for a run, and shared by all that work in it.
#[derive(Debug, Default)]
pub struct Cache {
    /// No input can aim at a collision: the keys of both hash functions are random.
    keys: [RandomState; 2],
    proved: Mutex<HashSet<Content>>,
}

/// The content of a sequence of formulas.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Content([u64; 2]);

impl Cache {
    pub(crate) fn knows(&self, content: Content) -> bool {
        self.proved.lock().unwrap_or_else(PoisonError::into_inner).contains(&content)
    }

    pub(crate) fn learn(&self, content: Content) {
        self.proved.lock().unwrap_or_else(PoisonError::into_inner).insert(content);
    }

    fn add(&self, content: Content, part: &impl Hash) -> Content {
        let [a, b] = &self.keys;
        let Content([x, y]) = content;
        Content([a.hash_one((x, part)), b.hash_one((y, part))])
    }
}

/// Something that gets a number where it occurs first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Thing {
    Sort(SortId),
    Fun(FunId),
    Bound(Bound),
    Term(Term),
}

/// What a solver was told, scope by scope.
#[derive(Debug, Default)]
pub(crate) struct Told {
    content: Content,
    numbers: HashMap<Thing, usize>,
    order: Vec<Thing>,
    /// How it was where each scope begins.
    scopes: Vec<(Content, usize)>,
}

impl Told {
    pub fn content(&self) -> Content {
        self.content
    }

    pub fn push(&mut self) {
        self.scopes.push((self.content, self.order.len()));
    }

    pub fn pop(&mut self) {
        let Some((content, length)) = self.scopes.pop() else { return };
        self.content = content;
        for thing in self.order.drain(length..) {
            self.numbers.remove(&thing);
        }
    }

    pub fn assert(&mut self, cache: &Cache, terms: &Terms, term: Term) {
        let number = self.term(cache, terms, term);
        self.content = cache.add(self.content, &("assert", number));
    }

    /// The number of something, and whether it is new.
    fn number(&mut self, thing: Thing) -> (usize, bool) {
        let next = self.order.len();
        let number = *self.numbers.entry(thing).or_insert(next);
        if number == next {
            self.order.push(thing);
        }
        (number, number == next)
    }

    fn sort(&mut self, cache: &Cache, terms: &Terms, sort: Sort) -> usize {
        let Sort::Named(id) = sort else {
            // Numbers of things that have some are apart from these.
            return usize::MAX
                - usize::from(sort == Sort::Int)
                - 2 * usize::from(sort == Sort::Real);
        };
        let (number, new) = self.number(Thing::Sort(id));
        let declared = terms.signature.sort(id);
        if new && declared.meaning == Meaning::Builtin {
            self.content = cache.add(self.content, &("sort", &declared.name));
        }
        number
    }

    fn fun(&mut self, cache: &Cache, terms: &Terms, fun: FunId) -> usize {
        let (number, new) = self.number(Thing::Fun(fun));
        if new {
            let declared = terms.signature.fun(fun);
            let name = (declared.meaning == Meaning::Builtin).then_some(&declared.name);
            let mut sorts = Vec::new();
            for sort in declared.args.iter().chain([&declared.result]) {
                sorts.push(self.sort(cache, terms, *sort));
            }
            self.content = cache.add(self.content, &("fun", name, sorts));
        }
        number
    }

    fn bound(&mut self, cache: &Cache, terms: &Terms, var: Bound) -> usize {
        let (number, new) = self.number(Thing::Bound(var));
        if new {
            let (_, sort) = terms.bound(var);
            let sort = self.sort(cache, terms, sort);
            self.content = cache.add(self.content, &("bound", sort));
        }
        number
    }

    /// Parts before the whole, each once. What a term is made of is in the content where it gets its number.
    fn term(&mut self, cache: &Cache, terms: &Terms, term: Term) -> usize {
        if let Some(number) = self.numbers.get(&Thing::Term(term)) {
            return *number;
        }
        let parts: Vec<usize> =
            terms.children(term).into_iter().map(|part| self.term(cache, terms, part)).collect();
        self.content = match terms.node(term) {
            Node::Bool(value) => cache.add(self.content, &("bool", value)),
            Node::Int(value) => cache.add(self.content, &("int", value.to_string())),
            Node::Real(value) => cache.add(self.content, &("real", value.to_string())),
            Node::Bound(var) => {
                let var = self.bound(cache, terms, *var);
                cache.add(self.content, &("variable", var))
            }
            Node::Op(op, _) => cache.add(self.content, &("op", op, parts)),
            Node::App(fun, _) => {
                let fun = self.fun(cache, terms, *fun);
                cache.add(self.content, &("app", fun, parts))
            }
            Node::Quant(quant) => {
                let vars: Vec<usize> =
                    quant.vars.iter().map(|var| self.bound(cache, terms, *var)).collect();
                // Triggers come before the body among the parts.
                let triggers: Vec<usize> = quant.triggers.iter().map(Vec::len).collect();
                let kind = quant.quantifier;
                cache.add(self.content, &("quantifier", kind, vars, triggers, quant.weight, parts))
            }
        };
        self.number(Thing::Term(term)).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(cache: &Cache, build: impl FnOnce(&mut Terms) -> Vec<Term>) -> Content {
        let (mut terms, mut told) = (Terms::new(), Told::default());
        let all = build(&mut terms);
        all.into_iter().for_each(|term| told.assert(cache, &terms, term));
        told.content()
    }

    fn equation(terms: &mut Terms, a: &str, b: &str) -> Vec<Term> {
        let [a, b] = [a, b].map(|name| terms.constant(name, Sort::Int));
        vec![terms.eq(a, b)]
    }

    #[test]
    fn names_do_not_count() {
        let cache = Cache::default();
        let one = content(&cache, |t| equation(t, "x", "y"));
        assert_eq!(one, content(&cache, |t| equation(t, "u", "v")));
        assert_ne!(one, content(&cache, |t| equation(t, "x", "x")));
        let two = content(&cache, |t| [equation(t, "x", "y"), equation(t, "y", "z")].concat());
        assert_ne!(
            two,
            content(&cache, |t| [equation(t, "x", "y"), equation(t, "x", "z")].concat())
        );
    }

    #[test]
    fn what_was_popped_is_forgotten() {
        let (cache, mut terms, mut told) = (Cache::default(), Terms::new(), Told::default());
        for term in equation(&mut terms, "x", "y") {
            told.assert(&cache, &terms, term);
        }
        let before = told.content();
        told.push();
        for term in equation(&mut terms, "y", "z") {
            told.assert(&cache, &terms, term);
        }
        assert_ne!(before, told.content());
        told.pop();
        assert_eq!(before, told.content());
    }
}
