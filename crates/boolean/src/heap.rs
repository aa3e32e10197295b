//! Heaps as terms of the solver: what is allocated and held at the addresses, and how many other
//! locations there are.

use std::rc::Rc;

use smt::{FunId, Sort, Term};

use crate::form::{Address, Cells, Content, Forms};
use crate::stack::{Flat, Stack};

/// A heap.
#[derive(Clone, Debug)]
pub(crate) struct Heap {
    /// By address; the same for addresses that are equal.
    pub(crate) allocated: Rc<[Term]>,
    /// By address; without meaning where nothing is allocated.
    pub(crate) content: Rc<[Flat]>,
    /// The number of other locations, by the cells of the signature.
    pub(crate) others: Rc<[Term]>,
}

impl Heap {
    /// All terms that it is made of.
    pub(crate) fn terms(&self) -> impl Iterator<Item = Term> {
        let values = self.content.iter().flat_map(|value| value.iter());
        self.allocated.iter().chain(values).chain(&*self.others).copied()
    }
}

/// What an added location holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Filling {
    /// One of the contents.
    Content(Content),
    /// Something that is none of them.
    Else,
}

/// What is needed to make heaps.
pub(crate) struct Heaps<'s, 'a> {
    pub(crate) stack: &'s mut Stack<'a>,
    pub(crate) forms: &'s Forms,
    /// `equal[p][q]`: are two addresses equal?
    equal: Vec<Vec<Term>>,
    /// By address: is it `nil`?
    nil: Vec<Term>,
    /// How many functions were made.
    functions: u32,
}

impl<'s, 'a> Heaps<'s, 'a> {
    pub(crate) fn new(stack: &'s mut Stack<'a>, forms: &'s Forms) -> Heaps<'s, 'a> {
        let mut equal = Vec::with_capacity(forms.addresses.len());
        let mut is_nil = Vec::with_capacity(forms.addresses.len());
        for p in &forms.addresses {
            let row = forms.addresses.iter().map(|q| {
                if p.cell == q.cell {
                    stack.terms.eq(p.term, q.term)
                } else {
                    stack.terms.bool(false)
                }
            });
            equal.push(row.collect());
            let nil = stack.signature.heap.get(p.cell).map(|cell| cell.loc.clone());
            let nil = nil.and_then(|sort| stack.nil(&sort));
            is_nil.push(match nil {
                Some(nil) => stack.terms.eq(p.term, nil),
                None => stack.terms.bool(false),
            });
        }
        Heaps { stack, forms, equal, nil: is_nil, functions: 0 }
    }

    fn cells(&self) -> usize {
        self.stack.signature.heap.len()
    }

    /// The heap that the question is about, and what is known of it.
    pub(crate) fn base(&mut self) -> (Heap, Term) {
        let mut allocated = Vec::new();
        let mut content = Vec::new();
        let mut facts = Vec::new();
        let forms = self.forms;
        for (index, place) in forms.addresses.iter().enumerate() {
            let Some(base) = self.stack.base.get(place.cell) else { continue };
            let (function, fields) = (base.allocated, base.fields.clone());
            let here = self.stack.terms.app(function, &[place.term]);
            if let Some(is_nil) = self.nil.get(index) {
                let not = self.stack.terms.not(here);
                facts.push(self.stack.terms.implies(*is_nil, not));
            }
            allocated.push(here);
            content.push(self.apply(&fields, place.term));
        }
        let (others, natural) = self.some_numbers();
        facts.push(natural);
        let known = self.stack.terms.and(facts);
        (Heap { allocated: allocated.into(), content: content.into(), others }, known)
    }

    fn apply(&mut self, fields: &[FunId], at: Term) -> Flat {
        fields.iter().map(|field| self.stack.terms.app(*field, &[at])).collect()
    }

    /// A natural number for every cell, and that they are natural.
    fn some_numbers(&mut self) -> (Rc<[Term]>, Term) {
        let zero = self.stack.terms.int(0);
        let numbers: Rc<[Term]> =
            (0..self.cells()).map(|_| self.stack.terms.fresh("others", Sort::Int)).collect();
        let natural: Vec<Term> = numbers.iter().map(|n| self.stack.terms.le(zero, *n)).collect();
        (numbers, self.stack.terms.and(natural))
    }

    /// None for every cell.
    pub(crate) fn no_others(&mut self) -> Rc<[Term]> {
        let zero = self.stack.terms.int(0);
        vec![zero; self.cells()].into()
    }

    /// A set of addresses that is not known.
    pub(crate) fn some_set(&mut self) -> Rc<[Term]> {
        let mut functions: Vec<Option<FunId>> = vec![None; self.cells()];
        self.functions += 1;
        let name = format!("set.{}", self.functions);
        let forms = self.forms;
        forms
            .addresses
            .iter()
            .map(|place| {
                let terms = &mut self.stack.terms;
                let known = functions.get(place.cell).copied().flatten();
                let function = known.unwrap_or_else(|| {
                    let sort = terms.sort(place.term);
                    terms.declare(&format!("{name}.{}", place.cell), vec![sort], Sort::Bool)
                });
                if let Some(slot) = functions.get_mut(place.cell) {
                    *slot = Some(function);
                }
                terms.app(function, &[place.term])
            })
            .collect()
    }

    /// The set of these addresses.
    pub(crate) fn set_of(&mut self, members: &[Address]) -> Rc<[Term]> {
        self.equal
            .iter()
            .map(|row| self.stack.terms.or(members.iter().filter_map(|m| row.get(*m).copied())))
            .collect()
    }

    /// The part of a heap that is in a set, and what is left. `others` go to the first.
    pub(crate) fn split(&mut self, heap: &Heap, set: &[Term], others: Rc<[Term]>) -> (Heap, Heap) {
        let terms = &mut self.stack.terms;
        let mut inside = Vec::with_capacity(set.len());
        let mut outside = Vec::with_capacity(set.len());
        for (here, member) in heap.allocated.iter().zip(set) {
            inside.push(terms.and([*here, *member]));
            let not = terms.not(*member);
            outside.push(terms.and([*here, not]));
        }
        let left = heap.others.iter().zip(&*others).map(|(k, k1)| terms.sub(*k, *k1)).collect();
        let content = &heap.content;
        (
            Heap { allocated: inside.into(), content: content.clone(), others },
            Heap { allocated: outside.into(), content: content.clone(), others: left },
        )
    }

    /// Numbers of other locations for a part of a heap, and that they are possible.
    pub(crate) fn some_share(&mut self, heap: &Heap) -> (Rc<[Term]>, Term) {
        let (numbers, natural) = self.some_numbers();
        let possible = self.possible_share(heap, &numbers);
        (numbers, self.stack.terms.and([natural, possible]))
    }

    /// Are these numbers natural, and are there that many?
    pub(crate) fn possible_share(&mut self, heap: &Heap, numbers: &[Term]) -> Term {
        let terms = &mut self.stack.terms;
        let zero = terms.int(0);
        let mut all = Vec::with_capacity(numbers.len());
        for (k1, k) in numbers.iter().zip(&*heap.others) {
            all.push(terms.le(zero, *k1));
            all.push(terms.le(*k1, *k));
        }
        terms.and(all)
    }

    /// A heap that is not known, and that it can be added to this one.
    pub(crate) fn some_extension(&mut self, heap: &Heap) -> (Heap, Term) {
        let allocated = self.some_set();
        let mut values: Vec<Option<Vec<FunId>>> = vec![None; self.cells()];
        let name = format!("added.{}", self.functions);
        let forms = self.forms;
        let mut content = Vec::with_capacity(forms.addresses.len());
        for place in &forms.addresses {
            let known = values.get(place.cell).cloned().flatten();
            let fields = known.unwrap_or_else(|| {
                let sort = self.stack.terms.sort(place.term);
                // The sorts of contents are known: they were asked for before.
                self.stack.functions(place.cell, &name, sort).unwrap_or_default()
            });
            content.push(self.apply(&fields, place.term));
            if let Some(slot) = values.get_mut(place.cell) {
                *slot = Some(fields);
            }
        }
        let (others, natural) = self.some_numbers();
        let added = Heap { allocated, content: content.into(), others };
        let disjoint = self.can_add(heap, &added);
        (added, self.stack.terms.and([natural, disjoint]))
    }

    /// Just these cells, and others.
    pub(crate) fn heap_of(&mut self, cells: &[(Address, Filling)], others: Rc<[Term]>) -> Heap {
        let members: Vec<Address> = cells.iter().map(|(address, _)| *address).collect();
        let allocated = self.set_of(&members);
        let forms = self.forms;
        let mut content: Vec<Flat> = Vec::with_capacity(forms.addresses.len());
        for (place, row) in forms.addresses.iter().zip(&self.equal) {
            let values = cells.iter().filter_map(|(address, filling)| {
                let at = forms.addresses.get(*address)?;
                (at.cell == place.cell).then_some(())?;
                Some((*row.get(*address)?, self.filling(place.cell, *filling)?))
            });
            let mut values: Vec<(Term, Flat)> = values.collect();
            let mut value = match values.pop() {
                Some((_, last)) => last,
                // Nothing is allocated there.
                None => {
                    forms.something_else.get(place.cell).cloned().flatten().unwrap_or_else(|| {
                        let same = forms.contents.iter().find(|held| held.cell == place.cell);
                        same.map_or_else(|| Flat::from([]), |held| held.value.clone())
                    })
                }
            };
            for (here, candidate) in values {
                let terms = &mut self.stack.terms;
                value = candidate
                    .iter()
                    .zip(&*value)
                    .map(|(yes, no)| terms.ite(here, *yes, *no))
                    .collect();
            }
            content.push(value);
        }
        Heap { allocated, content: content.into(), others }
    }

    fn filling(&self, cell: usize, filling: Filling) -> Option<Flat> {
        match filling {
            Filling::Content(content) => Some(self.forms.contents.get(content)?.value.clone()),
            Filling::Else => self.forms.something_else.get(cell).cloned().flatten(),
        }
    }

    /// Is nothing of a heap allocated in the other, and `nil` not at all?
    pub(crate) fn can_add(&mut self, heap: &Heap, added: &Heap) -> Term {
        let terms = &mut self.stack.terms;
        let mut all = Vec::with_capacity(self.nil.len());
        for ((here, there), is_nil) in heap.allocated.iter().zip(&*added.allocated).zip(&self.nil) {
            let taken = terms.or([*here, *is_nil]);
            let both = terms.and([*there, taken]);
            all.push(terms.not(both));
        }
        terms.and(all)
    }

    /// Both heaps together.
    pub(crate) fn union(&mut self, heap: &Heap, added: &Heap) -> Heap {
        let terms = &mut self.stack.terms;
        let mut allocated = Vec::with_capacity(self.nil.len());
        let mut content: Vec<Flat> = Vec::with_capacity(self.nil.len());
        for (index, there) in added.allocated.iter().enumerate() {
            let Some(here) = heap.allocated.get(index) else { continue };
            allocated.push(terms.or([*here, *there]));
            let (Some(old), Some(new)) = (heap.content.get(index), added.content.get(index)) else {
                continue;
            };
            let pairs = new.iter().zip(&**old);
            content.push(pairs.map(|(yes, no)| terms.ite(*there, *yes, *no)).collect());
        }
        let others =
            heap.others.iter().zip(&*added.others).map(|(k, j)| terms.add(*k, *j)).collect();
        Heap { allocated: allocated.into(), content: content.into(), others }
    }

    /// `emp`, but for the addresses that are equal to one.
    pub(crate) fn nothing_but(&mut self, heap: &Heap, but: Option<Address>) -> Term {
        let terms = &mut self.stack.terms;
        let zero = terms.int(0);
        let mut all = Vec::with_capacity(heap.allocated.len());
        for (here, row) in heap.allocated.iter().zip(&self.equal) {
            let not = terms.not(*here);
            let excepted = but.and_then(|address| row.get(address).copied());
            all.push(match excepted {
                Some(equal) => terms.or([not, equal]),
                None => not,
            });
        }
        all.extend(heap.others.iter().map(|k| terms.eq(*k, zero)).collect::<Vec<_>>());
        terms.and(all)
    }

    /// Does the heap hold this there?
    pub(crate) fn holds(&mut self, heap: &Heap, address: Address, content: Content) -> Term {
        let (Some(here), Some(value), Some(wanted)) = (
            heap.allocated.get(address),
            heap.content.get(address),
            self.forms.contents.get(content),
        ) else {
            return self.stack.terms.bool(false);
        };
        let same = self.stack.same(value, &wanted.value);
        self.stack.terms.and([*here, same])
    }

    /// The addresses of cells, and what is there.
    pub(crate) fn fillings(cells: &Cells) -> Vec<(Address, Filling)> {
        cells.iter().map(|(address, content)| (*address, Filling::Content(*content))).collect()
    }

    /// Are the addresses all different?
    pub(crate) fn different(&mut self, cells: &Cells) -> Term {
        let mut all = Vec::new();
        for (index, (p, _)) in cells.iter().enumerate() {
            for (q, _) in cells.iter().skip(index + 1) {
                let equal = self.equal.get(*p).and_then(|row| row.get(*q)).copied();
                all.extend(equal.map(|equal| self.stack.terms.not(equal)));
            }
        }
        self.stack.terms.and(all)
    }
}
