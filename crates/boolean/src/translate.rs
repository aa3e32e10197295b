//! Forms as terms of the solver.
//!
//! `a * b` holds if there is a split; it does not hold if no split will do. `a -* b` is dual. What is to
//! hold of all splits or extensions becomes a [`Universal`], and an assertion for every instance that
//! someone asks for.

use std::collections::HashSet;
use std::rc::Rc;

use sl::procedure::Clock;
use smt::{FastMap, Sort, Term};

use crate::form::{Address, Cells, Form, FormId};
use crate::heap::{Filling, Heap, Heaps};

/// A translation of more terms is given up.
const MAX_TERMS: usize = 2_000_000;

/// The number of a heap.
pub(crate) type HeapId = usize;

/// The parts of a heap.
type Split = (HeapId, HeapId);

/// If `guard` holds, then no split of the heap is as the form says (a `*`), or all extensions are (a
/// `-*`).
pub(crate) struct Universal {
    pub(crate) guard: Term,
    pub(crate) form: FormId,
    pub(crate) heap: HeapId,
    /// The instances that were asserted.
    tried: HashSet<Instance>,
}

/// How many of the other locations a part of a heap gets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Share {
    /// The first part gets this many.
    First(u32),
    /// The second part gets this many.
    Second(u32),
}

/// A split or an extension.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Instance {
    /// The first part gets these addresses and others.
    Split(Vec<Address>, Vec<Share>),
    /// These are added.
    Extension(Vec<(Address, Filling)>, Vec<u32>),
}

pub(crate) struct Translator<'s, 'a> {
    pub(crate) heaps: Heaps<'s, 'a>,
    clock: Clock,
    known_heaps: Vec<Heap>,
    pub(crate) universals: Vec<Universal>,
    memo: FastMap<(FormId, HeapId, bool), Term>,
    splits: FastMap<(HeapId, Rc<[Address]>), Split>,
}

impl<'s, 'a> Translator<'s, 'a> {
    pub(crate) fn new(heaps: Heaps<'s, 'a>, clock: Clock) -> Translator<'s, 'a> {
        Translator {
            heaps,
            clock,
            known_heaps: Vec::new(),
            universals: Vec::new(),
            memo: FastMap::default(),
            splits: FastMap::default(),
        }
    }

    /// Was it given up, because it became too large? Then it means nothing, as when it is too late.
    pub(crate) fn is_too_large(&self) -> bool {
        self.heaps.stack.terms.len() > MAX_TERMS
    }

    pub(crate) fn heap(&self, id: HeapId) -> &Heap {
        &self.known_heaps[id]
    }

    /// Remembers a heap.
    pub(crate) fn add(&mut self, heap: Heap) -> HeapId {
        self.known_heaps.push(heap);
        self.known_heaps.len() - 1
    }

    /// The form holds of the heap, or it does not.
    pub(crate) fn says(&mut self, form: FormId, heap: HeapId, positive: bool) -> Term {
        if let Some(known) = self.memo.get(&(form, heap, positive)) {
            return *known;
        }
        if self.is_too_large() || self.clock.is_late() {
            return self.heaps.stack.terms.bool(false);
        }
        let forms = self.heaps.forms;
        let term = match forms.form(form) {
            Form::Const(value) => self.heaps.stack.terms.bool(*value == positive),
            Form::Pure(term) => self.signed(*term, positive),
            Form::Emp => {
                let emp = self.heaps.nothing_but(&self.known_heaps[heap], None);
                self.signed(emp, positive)
            }
            Form::PointsTo(address, content) => {
                let here = self.heaps.holds(&self.known_heaps[heap], *address, *content);
                let only = self.heaps.nothing_but(&self.known_heaps[heap], Some(*address));
                let both = self.heaps.stack.terms.and([here, only]);
                self.signed(both, positive)
            }
            Form::Not(part) => self.says(*part, heap, !positive),
            Form::And(parts) => self.many(parts, heap, positive, positive),
            Form::Or(parts) => self.many(parts, heap, positive, !positive),
            Form::Sep(a, b) => match &forms.facts(*a).cells {
                Some(cells) => {
                    let (first, second) = self.known_split(heap, cells);
                    let parts = [self.says(*a, first, positive), self.says(*b, second, positive)];
                    self.connect(parts, positive)
                }
                None if positive => self.some_split(*a, *b, heap),
                None => self.universal(form, heap),
            },
            Form::Wand(a, b) => match &forms.facts(*a).cells {
                Some(cells) => {
                    let none = self.heaps.no_others();
                    let fillings = Heaps::fillings(cells);
                    let added = self.heaps.heap_of(&fillings, none);
                    let different = self.heaps.different(cells);
                    self.extended(*a, *b, heap, added, different, positive)
                }
                None if positive => self.universal(form, heap),
                None => {
                    let (added, possible) = self.heaps.some_extension(&self.known_heaps[heap]);
                    self.extended(*a, *b, heap, added, possible, false)
                }
            },
        };
        self.memo.insert((form, heap, positive), term);
        term
    }

    fn signed(&mut self, term: Term, positive: bool) -> Term {
        if positive { term } else { self.heaps.stack.terms.not(term) }
    }

    fn many(&mut self, parts: &[FormId], heap: HeapId, positive: bool, all: bool) -> Term {
        let parts: Vec<Term> = parts.iter().map(|part| self.says(*part, heap, positive)).collect();
        self.connect(parts, all)
    }

    fn connect(&mut self, parts: impl IntoIterator<Item = Term>, all: bool) -> Term {
        let terms = &mut self.heaps.stack.terms;
        if all { terms.and(parts) } else { terms.or(parts) }
    }

    /// The first part is these cells, the second what is left.
    fn known_split(&mut self, heap: HeapId, cells: &Cells) -> Split {
        let members: Rc<[Address]> = cells.iter().map(|(address, _)| *address).collect();
        let key = (heap, members);
        if let Some(known) = self.splits.get(&key) {
            return *known;
        }
        let set = self.heaps.set_of(&key.1);
        let none = self.heaps.no_others();
        let (first, second) = self.heaps.split(&self.known_heaps[heap], &set, none);
        let pair = (self.add(first), self.add(second));
        self.splits.insert(key, pair);
        pair
    }

    /// There is a split.
    fn some_split(&mut self, a: FormId, b: FormId, heap: HeapId) -> Term {
        let set = self.heaps.some_set();
        let narrow = self.heaps.forms.facts(a).narrow;
        let (others, possible) = if narrow {
            (self.heaps.no_others(), self.heaps.stack.terms.bool(true))
        } else {
            self.heaps.some_share(&self.known_heaps[heap])
        };
        let (first, second) = self.heaps.split(&self.known_heaps[heap], &set, others);
        let (first, second) = (self.add(first), self.add(second));
        let parts = [possible, self.says(a, first, true), self.says(b, second, true)];
        self.connect(parts, true)
    }

    /// If the extension is possible and as `a` says, then together they are as `b` says; or not.
    fn extended(
        &mut self,
        a: FormId,
        b: FormId,
        heap: HeapId,
        added: Heap,
        possible: Term,
        positive: bool,
    ) -> Term {
        let disjoint = self.heaps.can_add(&self.known_heaps[heap], &added);
        let union = self.heaps.union(&self.known_heaps[heap], &added);
        let (added, union) = (self.add(added), self.add(union));
        let possible = self.heaps.stack.terms.and([possible, disjoint]);
        let parts = [
            self.signed(possible, !positive),
            self.says(a, added, !positive),
            self.says(b, union, positive),
        ];
        self.connect(parts, !positive)
    }

    fn universal(&mut self, form: FormId, heap: HeapId) -> Term {
        let guard = self.heaps.stack.terms.fresh("all", Sort::Bool);
        self.universals.push(Universal { guard, form, heap, tried: HashSet::new() });
        guard
    }

    /// What a universal says of an instance, if that was not asserted yet.
    pub(crate) fn instantiate(&mut self, index: usize, instance: Instance) -> Option<Term> {
        let universal = self.universals.get_mut(index)?;
        let (guard, form, heap) = (universal.guard, universal.form, universal.heap);
        if !universal.tried.insert(instance.clone()) {
            return None;
        }
        let forms = self.heaps.forms;
        let says = match (forms.form(form), instance) {
            (Form::Sep(a, b), Instance::Split(members, shares)) => {
                self.instance_of_sep(*a, *b, heap, &members, &shares)
            }
            (Form::Wand(a, b), Instance::Extension(cells, others)) => {
                let others = others.into_iter().map(|n| self.heaps.stack.terms.int(n)).collect();
                let added = self.heaps.heap_of(&cells, others);
                let possible = self.heaps.stack.terms.bool(true);
                self.extended(*a, *b, heap, added, possible, true)
            }
            _ => return None,
        };
        Some(self.heaps.stack.terms.implies(guard, says))
    }

    /// This split will not do.
    fn instance_of_sep(
        &mut self,
        a: FormId,
        b: FormId,
        heap: HeapId,
        members: &[Address],
        shares: &[Share],
    ) -> Term {
        let set = self.heaps.set_of(members);
        let terms = &mut self.heaps.stack.terms;
        let others: Rc<[Term]> = self.known_heaps[heap]
            .others
            .iter()
            .zip(shares)
            .map(|(k, share)| match share {
                Share::First(n) => terms.int(*n),
                Share::Second(n) => {
                    let n = terms.int(*n);
                    terms.sub(*k, n)
                }
            })
            .collect();
        let possible = self.heaps.possible_share(&self.known_heaps[heap], &others);
        let (first, second) = self.heaps.split(&self.known_heaps[heap], &set, others);
        let (first, second) = (self.add(first), self.add(second));
        let parts =
            [self.signed(possible, false), self.says(a, first, false), self.says(b, second, false)];
        self.connect(parts, false)
    }
}
