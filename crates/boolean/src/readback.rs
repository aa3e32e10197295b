//! Models of the solver as stacks and heaps.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use sl::{Loc, Model, Object, Value};
use smt::{Session, Term};

use crate::form::{FormId, Forms};
use crate::heap::Heap;
use crate::stack::Stack;
use crate::world::{Concrete, Values, World};

/// Asks the solver for values.
pub(crate) struct ReadBack<'r, 'f, 'a> {
    pub(crate) session: &'r mut Session,
    pub(crate) stack: &'r mut Stack<'a>,
    pub(crate) forms: &'f Forms,
}

impl<'f> ReadBack<'_, 'f, '_> {
    fn ask(&mut self, terms: &[Term]) -> Option<Vec<String>> {
        self.session.model_values(&self.stack.terms, terms).into_iter().collect()
    }

    /// What forms can see of the stack.
    pub(crate) fn world(&mut self) -> Option<World<'f>> {
        let forms = self.forms;
        let mut nil = Vec::new();
        for cell in &self.stack.signature.heap {
            let term = self.stack.nil(&cell.loc)?;
            nil.push(self.ask(&[term])?.pop()?);
        }
        let addresses: Vec<Term> = forms.addresses.iter().map(|place| place.term).collect();
        let addresses = self.ask(&addresses)?.into_iter().zip(&forms.addresses);
        let addresses =
            addresses.map(|(text, place)| (nil.get(place.cell) != Some(&text)).then_some(text));
        let addresses = addresses.collect();
        let mut contents = Vec::with_capacity(forms.contents.len());
        for held in &forms.contents {
            contents.push(self.ask(&held.value)?);
        }
        let atoms: Vec<Term> = forms.pure().collect();
        let truths = self.ask(&atoms)?;
        let pure = atoms.into_iter().zip(truths.iter().map(|text| text == "true")).collect();
        Some(World::new(forms, Values { addresses, contents, pure }))
    }

    /// A heap as the solver thinks that it is.
    pub(crate) fn heap(&mut self, world: &World<'_>, heap: &Heap) -> Option<Concrete> {
        let mut terms: Vec<Term> = heap.allocated.to_vec();
        terms.extend(heap.content.iter().flat_map(|value| value.iter()));
        terms.extend(heap.others.iter());
        let mut texts = self.ask(&terms)?.into_iter();
        let allocated: Vec<String> = texts.by_ref().take(heap.allocated.len()).collect();
        let mut cells = Vec::with_capacity(allocated.len());
        for (text, value) in allocated.iter().zip(heap.content.iter()) {
            cells.push((text == "true", texts.by_ref().take(value.len()).collect()));
        }
        let others: Option<Vec<u32>> =
            texts.map(|text| Some(u32::try_from(number(&text)?).unwrap_or(u32::MAX))).collect();
        Some(world.heap(&cells, others?))
    }

    /// Is this term true?
    pub(crate) fn truth(&mut self, term: Term) -> Option<bool> {
        Some(self.ask(&[term])?.pop()? == "true")
    }

    /// The model: all variables, and the heap with as many others as can be told apart.
    pub(crate) fn model(&mut self, question: FormId, base: &Heap) -> Option<Model> {
        let mut locations = Locations::default();
        let mut sorts = std::collections::BTreeSet::new();
        sorts.extend(self.stack.signature.heap.iter().map(|cell| cell.loc.clone()));
        let variables: Vec<_> = self.stack.variables().cloned().collect();
        for name in &self.stack.signature.sorts {
            sorts.insert(sl::Sort::Loc(name.clone()));
        }
        for sort in &sorts {
            if let Some(nil) = self.stack.nil(sort)
                && let Some(text) = self.ask(&[nil])
            {
                locations.known.insert((sort.clone(), text.concat()), Loc::NIL);
            }
        }
        let mut model = Model::default();
        for (var, value) in variables {
            let texts = self.ask(&value)?;
            let value = self.value(&var.sort, &mut texts.into_iter(), &mut locations)?;
            model.stack.insert(var.name, value);
        }
        let forms = self.forms;
        for (index, place) in forms.addresses.iter().enumerate() {
            let cell = self.stack.signature.heap.get(place.cell)?;
            if !self.truth(*base.allocated.get(index)?)? {
                continue;
            }
            let at = self.ask(&[place.term])?.pop()?;
            let loc = locations.find(&cell.loc, at);
            let texts = self.ask(base.content.get(index)?)?;
            let content = self.value(&cell.content, &mut texts.into_iter(), &mut locations)?;
            model.heap.insert(loc, Object { sort: cell.loc.clone(), content });
        }
        let most = forms.facts(question).size;
        for (cell, others) in self.stack.signature.heap.iter().zip(base.others.iter()) {
            let text = self.ask(&[*others])?.pop()?;
            let others = u32::try_from(number(&text)?).unwrap_or(u32::MAX).min(most);
            for _ in 0..others {
                let content = self.anything(&cell.content)?;
                model.heap.insert(locations.next(), Object { sort: cell.loc.clone(), content });
            }
        }
        Some(model)
    }

    fn value(
        &self,
        sort: &sl::Sort,
        texts: &mut impl Iterator<Item = String>,
        locations: &mut Locations,
    ) -> Option<Value> {
        Some(match sort {
            sl::Sort::Int => Value::Int(number(&texts.next()?)?),
            sl::Sort::Bool => Value::Bool(texts.next()? == "true"),
            sl::Sort::Loc(_) => Value::Loc(locations.find(sort, texts.next()?)),
            sl::Sort::Record(_) => {
                let record = self.stack.signature.record(sort)?;
                let fields = record.fields.iter();
                let values = fields.map(|field| self.value(&field.sort, texts, locations));
                Value::Record(values.collect::<Option<_>>()?)
            }
        })
    }

    /// Any value of a sort.
    fn anything(&self, sort: &sl::Sort) -> Option<Value> {
        Some(match sort {
            sl::Sort::Int => Value::Int(0.into()),
            sl::Sort::Bool => Value::Bool(false),
            sl::Sort::Loc(_) => Value::Loc(Loc::NIL),
            sl::Sort::Record(_) => {
                let fields = &self.stack.signature.record(sort)?.fields;
                let values = fields.iter().map(|field| self.anything(&field.sort));
                Value::Record(values.collect::<Option<_>>()?)
            }
        })
    }
}

/// Numbers for what the solver calls locations.
#[derive(Default)]
struct Locations {
    known: BTreeMap<(sl::Sort, String), Loc>,
    last: u32,
}

impl Locations {
    fn next(&mut self) -> Loc {
        self.last += 1;
        Loc(self.last)
    }

    fn find(&mut self, sort: &sl::Sort, text: String) -> Loc {
        let key = (sort.clone(), text);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let loc = self.next();
        self.known.insert(key, loc);
        loc
    }
}

/// `3` or `(- 3)`.
fn number(text: &str) -> Option<BigInt> {
    match text.strip_prefix("(- ") {
        Some(rest) => rest.strip_suffix(')')?.parse().ok().map(|n: BigInt| -n),
        None => text.parse().ok(),
    }
}
