//! Measures that show that recursion and loops end.
//!
//! SPL has no syntax for measures, so they are looked for: numbers and differences of numbers, the size of
//! values of datatypes, ranks of instances of predicates, lengths of paths. At every recursive call, and at
//! the end of every turn of a loop, the solver is asked of each candidate whether it got smaller, and
//! whether it stayed at most the same. Then [`end`] composes a lexicographic measure: pick a candidate that
//! never grows and gets smaller somewhere; what is left must end by the others.
//!
//! All candidates but numbers are never negative. A number that gets smaller must not have been negative
//! before, so it cannot do so forever.

use std::collections::BTreeMap;

use smt::{Sort, Term};
use spl::core::{Name, Type};

use crate::translate::{Heap, HeapVar, Translator};

/// More candidates than this are not tried.
const MAX_CANDIDATES: usize = 16;

/// Something that may get smaller, with its kind: only measures of the same kind are compared.
#[derive(Clone, Debug)]
pub(crate) struct Measure {
    pub kind: String,
    pub term: Term,
    /// It may be negative.
    pub number: bool,
}

/// A recursive call, or a turn of a loop: what was found out of each candidate.
#[derive(Clone, Debug, Default)]
pub(crate) struct Descent {
    /// By kind: does it get smaller, is it at most the same?
    pub found: BTreeMap<String, (bool, bool)>,
}

/// Is there a lexicographic measure for all of these together?
pub(crate) fn end(descents: &[&Descent]) -> bool {
    let mut left: Vec<&Descent> = descents.to_vec();
    while !left.is_empty() {
        let kinds: Vec<&String> = left.iter().flat_map(|d| d.found.keys()).collect();
        let good = kinds.into_iter().find(|kind| {
            let at = |d: &&Descent| d.found.get(*kind).copied().unwrap_or_default();
            left.iter().all(|d| at(d).0 || at(d).1) && left.iter().any(|d| at(d).0)
        });
        let Some(kind) = good.cloned() else { return false };
        left.retain(|d| !d.found.get(&kind).is_some_and(|(smaller, _)| *smaller));
    }
    true
}

/// A value that may be measured.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    pub ty: Type,
    pub term: Term,
}

impl Translator<'_> {
    /// Candidates over some values: the `n`th of each type, and what can be made of them.
    pub fn measures(&mut self, values: &[Value], heap: &Heap, facts: &[Term]) -> Vec<Measure> {
        let mut found = Vec::new();
        let mut push = |kind: String, term: Term, number: bool| {
            if found.len() < MAX_CANDIDATES {
                found.push(Measure { kind, term, number });
            }
        };
        for (index, fact) in facts.iter().enumerate() {
            if let Some(rank) = self.rank_of(*fact) {
                push(format!("rank {index}"), rank, false);
            }
        }
        for (index, value) in values.iter().enumerate() {
            match &value.ty {
                Type::Datatype(name) => {
                    let size = self.logic.size(name, value.term);
                    push(format!("size {index}"), size, false);
                }
                Type::Int if self.logic.is_unbounded() => {
                    push(format!("number {index}"), value.term, true);
                }
                _ => {}
            }
        }
        for (index, value) in values.iter().enumerate() {
            for field in self.links(&value.ty) {
                let Some(map) = heap.values.get(&HeapVar::Field(field.clone())).copied() else {
                    continue;
                };
                let null = self.logic.null(&value.ty);
                let ends = values.iter().enumerate().filter(|(_, v)| v.ty == value.ty);
                let ends = ends.filter(|(other, _)| *other != index).map(|(n, v)| (n, v.term));
                let ends: Vec<(usize, Term)> = ends.collect();
                let to_null = self.logic.distance(&value.ty, map, value.term, null);
                push(format!("path {index} {field}"), to_null, false);
                for (other, end) in ends {
                    let term = self.logic.distance(&value.ty, map, value.term, end);
                    push(format!("path {index} {other} {field}"), term, false);
                }
            }
        }
        if self.logic.is_unbounded() {
            let numbers: Vec<(usize, Term)> = values
                .iter()
                .enumerate()
                .filter_map(|(index, value)| match &value.ty {
                    Type::Int => Some((index, value.term)),
                    Type::Array(of) => Some((index, self.logic.length(of, value.term))),
                    _ => None,
                })
                .collect();
            for (i, a) in &numbers {
                for (j, b) in &numbers {
                    if i != j {
                        let term = self.logic.terms.sub(*a, *b);
                        push(format!("difference {i} {j}"), term, true);
                    }
                }
            }
        }
        found
    }

    /// Fields that lead from a type to itself.
    fn links(&self, ty: &Type) -> Vec<Name> {
        let Type::Struct(name) = ty else { return Vec::new() };
        let fields = self.program.structs.get(name).into_iter().flatten();
        let own = |f: &&Name| self.program.fields.get(*f).is_some_and(|field| field.ty == *ty);
        fields.filter(own).cloned().collect()
    }

    /// Questions about a step from one list of candidates to another.
    pub fn questions(&mut self, before: &[Measure], after: &[Measure]) -> Vec<(String, [Term; 2])> {
        let mut all = Vec::new();
        for old in before {
            let Some(new) = after.iter().find(|m| m.kind == old.kind) else { continue };
            let terms = &mut self.logic.terms;
            let mut smaller = terms.lt(new.term, old.term);
            if old.number {
                let zero = terms.int(0);
                let natural = terms.le(zero, old.term);
                smaller = terms.and([smaller, natural]);
            }
            let same = terms.le(new.term, old.term);
            all.push((old.kind.clone(), [smaller, same]));
        }
        all
    }
}

impl crate::logic::Logic {
    /// How many steps a path has: of two locations on it the first is further from the end.
    pub fn distance(&mut self, ty: &Type, map: Term, from: Term, to: Term) -> Term {
        let term = self.distance_term(ty, map, from, to);
        if self.first(format!("distance {ty}")) {
            let map_type = Type::Map(ty.clone().into(), ty.clone().into());
            let (bf, f) = self.bound("f", &map_type);
            let [(bx, x), (by, y), (bz, z)] = ["x", "y", "z"].map(|n| self.bound(n, ty));
            let (one, other) = (self.distance_term(ty, f, x, z), self.distance_term(ty, f, y, z));
            let zero = self.terms.int(0);
            let natural = self.terms.le(zero, one);
            self.axiom(&[bf, bx, bz], vec![vec![one]], natural, "distance");
            let on = self.btwn(ty, f, x, y, z);
            let same = self.terms.eq(x, y);
            let apart = self.terms.not(same);
            let premise = self.terms.and([on, apart]);
            let less = self.terms.lt(other, one);
            let body = self.terms.implies(premise, less);
            self.axiom(&[bf, bx, by, bz], vec![vec![one, other]], body, "distance");
        }
        term
    }

    fn distance_term(&mut self, ty: &Type, map: Term, from: Term, to: Term) -> Term {
        let sorts = [map, from, to].map(|t| self.terms.sort(t));
        let meaning = smt::Meaning::Uninterpreted;
        let fun = self.terms.fun_named(&format!("distance.{ty}"), &sorts, Sort::Int, meaning);
        self.terms.app(fun, &[map, from, to])
    }
}
