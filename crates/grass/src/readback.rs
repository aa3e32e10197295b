//! Models of the solver as stacks and heaps.
//!
//! The solver knows a few nodes and what is on the paths between them, but only some of the fields.
//! Where a field is not known it leads straight to the next node on the path.

use std::collections::{BTreeMap, BTreeSet};

use sl::core::Ident;
use sl::{Loc, Model, Name, Object, Value};
use smt::{Session, Sort, Term};

use crate::logic::Reduced;
use crate::paths::Paths;
use crate::theory::Field;
use crate::translate::{Footprint, Translator};

/// A node of the model: its sort and what the solver calls it.
type Class = (Sort, String);

/// Reads one model.
pub(crate) struct ReadBack<'s, 't, 'a> {
    session: &'s mut Session,
    translator: &'t mut Translator<'a>,
    footprint: &'t Footprint,
    reduced: &'t Reduced,
    paths: &'t Paths,
    locations: BTreeMap<Class, Loc>,
    next: u32,
}

impl<'s, 't, 'a> ReadBack<'s, 't, 'a> {
    pub(crate) fn new(
        session: &'s mut Session,
        translator: &'t mut Translator<'a>,
        footprint: &'t Footprint,
        reduced: &'t Reduced,
        paths: &'t Paths,
    ) -> ReadBack<'s, 't, 'a> {
        let locations = BTreeMap::new();
        ReadBack { session, translator, footprint, reduced, paths, locations, next: 1 }
    }

    /// The stack for these variables, and the heap.
    pub(crate) fn model(&mut self, vars: &BTreeSet<Ident>) -> Option<Model> {
        let mut model = Model::default();
        self.find_nil(vars)?;
        for var in vars {
            let term = self.translator.var(var).ok()?;
            let text = self.ask(&[term])?.pop()?;
            let value = self.value(self.translator.theory.terms.sort(term), &text)?;
            model.stack.insert(var.name.clone(), value);
        }
        let nodes = self.nodes()?;
        let known = self.known_fields()?;
        for (name, set) in self.footprint {
            self.allocate(name, set, &nodes, &known, &mut model)?;
        }
        Some(model)
    }

    fn ask(&mut self, terms: &[Term]) -> Option<Vec<String>> {
        let values = self.session.model_values(&self.translator.theory.terms, terms);
        values.into_iter().collect()
    }

    fn ask_truth(&mut self, terms: &[Term]) -> Option<Vec<bool>> {
        Some(self.ask(terms)?.iter().map(|text| text == "true").collect())
    }

    /// Every sort has its own `nil`, and all are one location.
    fn find_nil(&mut self, vars: &BTreeSet<Ident>) -> Option<()> {
        let cells = self.translator.signature.heap.iter().map(|cell| cell.loc.clone());
        let sorts: BTreeSet<sl::Sort> = cells.chain(vars.iter().map(|v| v.sort.clone())).collect();
        for sort in sorts.iter().filter(|sort| sort.is_loc()) {
            let nil = self.translator.theory.nil(sort)?;
            let text = self.ask(&[nil])?.pop()?;
            self.locations.insert((self.translator.theory.terms.sort(nil), text), Loc::NIL);
        }
        Some(())
    }

    fn value(&mut self, sort: Sort, text: &str) -> Option<Value> {
        match sort {
            Sort::Bool => Some(Value::Bool(text == "true")),
            Sort::Int => Some(Value::Int(number(text)?)),
            Sort::Real => None,
            Sort::Named(_) => Some(Value::Loc(self.location((sort, text.to_owned())))),
        }
    }

    fn location(&mut self, class: Class) -> Loc {
        let next = &mut self.next;
        *self.locations.entry(class).or_insert_with(|| {
            let loc = Loc(*next);
            *next += 1;
            loc
        })
    }

    /// The nodes that are different, each with a term for it.
    fn nodes(&mut self) -> Option<BTreeMap<Class, Term>> {
        let texts = self.ask(&self.reduced.nodes)?;
        let mut classes = BTreeMap::new();
        for (node, text) in self.reduced.nodes.iter().zip(texts) {
            let sort = self.translator.theory.terms.sort(*node);
            classes.entry((sort, text)).or_insert(*node);
        }
        Some(classes)
    }

    /// What fields hold, where the solver was told to know.
    fn known_fields(&mut self) -> Option<BTreeMap<(Field, Class), Value>> {
        let mut known = BTreeMap::new();
        let reads = self.reduced.reads.clone();
        let mut terms = Vec::with_capacity(reads.len() * 2);
        for (field, node) in &reads {
            terms.push(*node);
            terms.push(self.translator.theory.read(*field, *node));
        }
        let texts = self.ask(&terms)?;
        for ((field, node), pair) in reads.iter().zip(texts.chunks(2)) {
            let [at, held] = pair else { return None };
            let theory = &mut self.translator.theory;
            let class = (theory.terms.sort(*node), at.clone());
            let read = theory.read(*field, *node);
            let sort = theory.terms.sort(read);
            let value = self.value(sort, held)?;
            known.insert((*field, class), value);
        }
        Some(known)
    }

    /// Everything of one sort that is in the footprint.
    fn allocate(
        &mut self,
        name: &Name,
        set: &crate::logic::Set,
        nodes: &BTreeMap<Class, Term>,
        known: &BTreeMap<(Field, Class), Value>,
        model: &mut Model,
    ) -> Option<()> {
        let loc_sort = sl::Sort::Loc(name.clone());
        let sort = self.translator.theory.sort(&loc_sort)?;
        let ours: Vec<(Class, Term)> = nodes
            .iter()
            .filter(|((s, _), _)| *s == sort)
            .map(|(class, term)| (class.clone(), *term))
            .collect();
        let questions: Vec<Term> =
            ours.iter().map(|(_, node)| set.contains(&mut self.translator.theory, *node)).collect();
        let inside = self.ask_truth(&questions)?;
        let allocated: Vec<&(Class, Term)> =
            ours.iter().zip(inside).filter(|(_, inside)| *inside).map(|(node, _)| node).collect();
        let fields = self.translator.signature.fields(&loc_sort);
        let mut contents: BTreeMap<Class, Vec<Value>> = BTreeMap::new();
        for (index, (_, content)) in fields.iter().enumerate() {
            let field = self.translator.theory.field(&loc_sort, index)?;
            let back = self.back(field, &ours, known)?;
            for (class, _) in &allocated {
                let value = match known.get(&(field, class.clone())) {
                    Some(value) => value.clone(),
                    None => match back.get(class) {
                        Some(value) => value.clone(),
                        None => self.default(field, content, class),
                    },
                };
                contents.entry(class.clone()).or_default().push(value);
            }
        }
        let is_record = self.translator.signature.content(&loc_sort)?;
        let is_record = self.translator.signature.record(is_record).is_some();
        for (class, mut values) in contents {
            let content = if is_record { Value::Record(values) } else { values.pop()? };
            let loc = self.location(class);
            model.heap.insert(loc, Object { sort: loc_sort.clone(), content });
        }
        Some(())
    }

    /// For a field that nothing is said of.
    fn default(&mut self, field: Field, content: &sl::Sort, class: &Class) -> Value {
        match content {
            sl::Sort::Int => Value::Int(0.into()),
            sl::Sort::Bool => Value::Bool(false),
            _ if !self.translator.links.contains(&field) => Value::Loc(Loc::NIL),
            _ => {
                let next = self.successor(field, class);
                Value::Loc(self.location(next))
            }
        }
    }

    /// The next node on the path; the node itself if there is no path.
    fn successor(&self, field: Field, class: &Class) -> Class {
        let next = self.paths.successor(field, &class.1);
        next.map_or_else(|| class.clone(), |next| (class.0, next.to_owned()))
    }

    /// Where a field leads back to, in the lists that have one.
    fn back(
        &mut self,
        field: Field,
        nodes: &[(Class, Term)],
        known: &BTreeMap<(Field, Class), Value>,
    ) -> Option<BTreeMap<Class, Value>> {
        let mut back = BTreeMap::new();
        for way in self.paths.ways_back.iter().filter(|way| way.prev == field) {
            let (first, end) = (self.ask(&[way.first])?.pop()?, self.ask(&[way.end])?.pop()?);
            let inside = |class: &Class| {
                class.1 != end && self.paths.between(way.next, [&first, &class.1, &end])
            };
            let members: Vec<Class> =
                nodes.iter().map(|(class, _)| class).filter(|c| inside(c)).cloned().collect();
            for class in &members {
                let next = match known.get(&(way.next, class.clone())) {
                    Some(value) => value.clone(),
                    None => {
                        let next = self.successor(way.next, class);
                        Value::Loc(self.location(next))
                    }
                };
                let here = Value::Loc(self.location(class.clone()));
                for other in &members {
                    if Value::Loc(self.location(other.clone())) == next {
                        back.insert(other.clone(), here.clone());
                    }
                }
            }
        }
        Some(back)
    }
}

/// `3` or `(- 3)`.
pub(crate) fn number(text: &str) -> Option<num_bigint::BigInt> {
    match text.strip_prefix("(- ") {
        Some(rest) => rest.strip_suffix(')')?.parse().ok().map(|n: num_bigint::BigInt| -n),
        None => text.parse().ok(),
    }
}
