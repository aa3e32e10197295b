//! Formulas without quantifiers and definitions, and what can be seen in them.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use sl::core::{self, Definitions, Expr, Ident, PredId, Var};
use sl::{Kind, Semantics};
use smt::{Sort, Term};

use crate::stack::{Flat, Stack};
use sl::Reason;

/// A quantifier about all values is asserted of at most this many.
const MAX_INSTANCES: usize = 400;
/// All quantifiers together, those in instances of others too, have at most this many instances.
const MAX_ALL_INSTANCES: usize = 1000;
/// What a location of a sort with finitely many values holds is at most this many truth values.
const MAX_BITS: usize = 4;

/// The number of a form.
pub(crate) type FormId = usize;
/// The number of an address.
pub(crate) type Address = usize;
/// The number of a content.
pub(crate) type Content = usize;

/// A formula. Equal ones have equal numbers.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Form {
    Const(bool),
    /// Something about the stack, whatever the heap is.
    Pure(Term),
    Emp,
    PointsTo(Address, Content),
    Sep(FormId, FormId),
    Wand(FormId, FormId),
    And(Vec<FormId>),
    Or(Vec<FormId>),
    Not(FormId),
}

/// Cells of a heap.
pub(crate) type Cells = Rc<[(Address, Content)]>;

/// What can be seen by looking at a form.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    /// Numbers of other locations are alike from here on.
    pub(crate) size: u32,
    /// If it holds of a heap, then the heap is just these cells.
    pub(crate) cells: Option<Cells>,
    /// The heaps of which it holds are made of cells that it mentions, and can be listed.
    pub(crate) narrow: bool,
}

/// A location that is mentioned.
pub(crate) struct Place {
    /// Its sort, as the number of a cell of the signature.
    pub(crate) cell: usize,
    pub(crate) term: Term,
}

/// What a location may hold.
pub(crate) struct Held {
    /// The sort of the location.
    pub(crate) cell: usize,
    pub(crate) value: Flat,
}

/// All forms of a question, and what they are about.
#[derive(Default)]
pub(crate) struct Forms {
    nodes: Vec<(Form, Facts)>,
    known: HashMap<Form, FormId>,
    pub(crate) addresses: Vec<Place>,
    pub(crate) contents: Vec<Held>,
    /// For every cell of the signature a content that is none of the others, if its sort is infinite.
    pub(crate) something_else: Vec<Option<Flat>>,
}

impl Forms {
    pub(crate) fn form(&self, id: FormId) -> &Form {
        &self.nodes[id].0
    }

    pub(crate) fn facts(&self, id: FormId) -> &Facts {
        &self.nodes[id].1
    }

    /// The terms of all pure forms.
    pub(crate) fn pure(&self) -> impl Iterator<Item = Term> {
        self.nodes.iter().filter_map(|(form, _)| match form {
            Form::Pure(term) => Some(*term),
            _ => None,
        })
    }

    fn add(&mut self, form: Form) -> FormId {
        if let Some(id) = self.known.get(&form) {
            return *id;
        }
        let facts = self.look_at(&form);
        self.nodes.push((form.clone(), facts));
        self.known.insert(form, self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    fn look_at(&self, form: &Form) -> Facts {
        let most = |parts: &[FormId]| parts.iter().map(|p| self.facts(*p).size).max().unwrap_or(0);
        let unknown = |size| Facts { size, cells: None, narrow: false };
        match form {
            Form::Const(false) => Facts { size: 0, cells: None, narrow: true },
            Form::Const(true) | Form::Pure(_) => unknown(0),
            Form::Emp => Facts { size: 1, cells: Some(Rc::new([])), narrow: true },
            Form::PointsTo(address, content) => {
                Facts { size: 1, cells: Some(Rc::new([(*address, *content)])), narrow: true }
            }
            Form::Sep(a, b) => {
                let (a, b) = (self.facts(*a), self.facts(*b));
                let cells = match (&a.cells, &b.cells) {
                    (Some(x), Some(y)) => Some(x.iter().chain(y.iter()).copied().collect()),
                    _ => None,
                };
                let size = a.size.saturating_add(b.size);
                Facts { size, cells, narrow: a.narrow && b.narrow }
            }
            Form::Wand(_, b) => unknown(self.facts(*b).size),
            Form::And(parts) => Facts {
                size: most(parts),
                cells: parts.iter().find_map(|p| self.facts(*p).cells.clone()),
                narrow: parts.iter().any(|p| self.facts(*p).narrow),
            },
            Form::Or(parts) => {
                let narrow = parts.iter().all(|p| self.facts(*p).narrow);
                Facts { size: most(parts), cells: None, narrow }
            }
            Form::Not(part) => unknown(self.facts(*part).size),
        }
    }

    fn constant(&self, id: FormId) -> Option<bool> {
        match self.form(id) {
            Form::Const(value) => Some(*value),
            _ => None,
        }
    }

    /// All of these, or some of these if the `neutral` value is false.
    fn many(&mut self, parts: Vec<FormId>, neutral: bool) -> FormId {
        let mut all: Vec<FormId> = Vec::with_capacity(parts.len());
        for part in parts {
            match (self.form(part), neutral) {
                (Form::Const(value), _) if *value == neutral => {}
                (Form::Const(_), _) => return part,
                (Form::And(inner), true) | (Form::Or(inner), false) => all.extend(inner),
                _ => all.push(part),
            }
        }
        let mut seen = HashSet::new();
        all.retain(|part| seen.insert(*part));
        let opposed = |part: &FormId| match self.form(*part) {
            Form::Not(inner) => seen.contains(inner),
            _ => false,
        };
        if all.iter().any(opposed) {
            return self.add(Form::Const(!neutral));
        }
        match all.as_slice() {
            [] => self.add(Form::Const(neutral)),
            [one] => *one,
            _ if neutral => self.add(Form::And(all)),
            _ => self.add(Form::Or(all)),
        }
    }

    fn and(&mut self, parts: Vec<FormId>) -> FormId {
        self.many(parts, true)
    }

    fn or(&mut self, parts: Vec<FormId>) -> FormId {
        self.many(parts, false)
    }

    fn not(&mut self, part: FormId) -> FormId {
        match self.form(part) {
            Form::Const(value) => self.add(Form::Const(!*value)),
            Form::Not(inner) => *inner,
            _ => self.add(Form::Not(part)),
        }
    }

    /// Parts of which most is known come first, so that the others get what is left.
    fn sep(&mut self, mut parts: Vec<FormId>) -> FormId {
        if let Some(never) = parts.iter().find(|part| self.constant(**part) == Some(false)) {
            return *never;
        }
        parts.retain(|part| *self.form(*part) != Form::Emp);
        parts.sort_by_key(|part| {
            let facts = self.facts(*part);
            (facts.cells.is_none(), !facts.narrow)
        });
        let Some(mut last) = parts.pop() else { return self.add(Form::Emp) };
        while let Some(part) = parts.pop() {
            last = self.add(Form::Sep(part, last));
        }
        last
    }

    fn address(&mut self, cell: usize, term: Term) -> Address {
        let same = |place: &Place| place.cell == cell && place.term == term;
        self.addresses.iter().position(same).unwrap_or_else(|| {
            self.addresses.push(Place { cell, term });
            self.addresses.len() - 1
        })
    }

    fn content(&mut self, cell: usize, value: Flat) -> Content {
        let same = |held: &Held| held.cell == cell && held.value == value;
        self.contents.iter().position(same).unwrap_or_else(|| {
            self.contents.push(Held { cell, value });
            self.contents.len() - 1
        })
    }

    /// The addresses and contents that a form mentions.
    pub(crate) fn mentioned(&self, id: FormId) -> (BTreeSet<Address>, BTreeSet<Content>) {
        let mut found = (BTreeSet::new(), BTreeSet::new());
        let mut seen = BTreeSet::new();
        let mut pending = vec![id];
        while let Some(id) = pending.pop() {
            if !seen.insert(id) {
                continue;
            }
            match self.form(id) {
                Form::PointsTo(address, content) => {
                    found.0.insert(*address);
                    found.1.insert(*content);
                }
                Form::Sep(a, b) | Form::Wand(a, b) => pending.extend([*a, *b]),
                Form::And(parts) | Form::Or(parts) => pending.extend(parts),
                Form::Not(part) => pending.push(*part),
                Form::Const(_) | Form::Pure(_) | Form::Emp => {}
            }
        }
        found
    }
}

/// Where a part is in a formula.
#[derive(Clone, Copy)]
struct At {
    /// Is it to hold, or not to hold?
    positive: bool,
    /// Is it about all splits or extensions of some heap?
    universal: bool,
}

/// Makes forms of formulas.
pub(crate) struct Builder<'s, 'a> {
    pub(crate) stack: &'s mut Stack<'a>,
    pub(crate) forms: Forms,
    definitions: &'a Definitions,
    semantics: Semantics,
    /// The definitions that are being unfolded.
    unfolding: Vec<PredId>,
    /// How many instances of quantifiers there are.
    instances: usize,
    /// What holds of the stack in every model.
    known: HashSet<Term>,
}

type Result<T> = std::result::Result<T, Reason>;

impl<'s, 'a> Builder<'s, 'a> {
    pub(crate) fn new(
        stack: &'s mut Stack<'a>,
        definitions: &'a Definitions,
        semantics: Semantics,
    ) -> Builder<'s, 'a> {
        Builder {
            stack,
            forms: Forms::default(),
            definitions,
            semantics,
            unfolding: Vec::new(),
            instances: 0,
            known: HashSet::new(),
        }
    }

    /// The conjunction of formulas that are to hold.
    pub(crate) fn question(&mut self, formulas: &[core::Form]) -> Result<FormId> {
        let at = At { positive: true, universal: false };
        let mut parts = Vec::new();
        for formula in formulas {
            self.know(formula, true)?;
        }
        let mut known: Vec<Term> = self.known.iter().copied().collect();
        known.sort_unstable();
        parts.extend(known.into_iter().map(|fact| self.forms.add(Form::Pure(fact))));
        parts.extend(self.all(formulas, at)?);
        self.add_other_contents()?;
        Ok(self.forms.and(parts))
    }

    /// Remembers what a formula that is to hold, or not, says of the stack, whatever the heap is.
    fn know(&mut self, formula: &core::Form, positive: bool) -> Result<()> {
        match (formula.kind(), positive) {
            (Kind::And(parts) | Kind::Sep(parts), true) | (Kind::Or(parts), false) => {
                parts.iter().try_for_each(|part| self.know(part, positive))
            }
            (Kind::Not(part), _) => self.know(part, !positive),
            (Kind::Eq(..) | Kind::Ne(..) | Kind::Le(..) | Kind::Lt(..), _)
                if positive || self.semantics == Semantics::Standard =>
            {
                let atom = self.pure(formula)?;
                let fact = if positive { atom } else { self.stack.terms.not(atom) };
                self.known.insert(fact);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Something about the stack; nothing if it is known.
    fn atom(&mut self, atom: Term) -> FormId {
        let opposite = self.stack.terms.not(atom);
        if self.known.contains(&atom) {
            self.forms.add(Form::Const(true))
        } else if self.known.contains(&opposite) {
            self.forms.add(Form::Const(false))
        } else {
            self.forms.add(Form::Pure(atom))
        }
    }

    /// What locations can hold besides what is mentioned: everything if that is not much, else one
    /// value that stands for all.
    fn add_other_contents(&mut self) -> Result<()> {
        for (index, cell) in self.stack.signature.heap.iter().enumerate() {
            let sorts = self.stack.flat_sorts(&cell.content)?;
            if sorts.iter().any(|sort| *sort != Sort::Bool) {
                let value = self.stack.make_up(&"else".into(), &cell.content)?;
                let mentioned: Vec<Flat> = self
                    .forms
                    .contents
                    .iter()
                    .filter(|held| held.cell == index)
                    .map(|held| held.value.clone())
                    .collect();
                let fact = self.stack.differs(&value, &mentioned);
                self.stack.facts.push(fact);
                self.forms.something_else.push(Some(value));
                continue;
            }
            if sorts.len() > MAX_BITS {
                return Err(Reason::TruthValues);
            }
            for number in 0..1_usize << sorts.len() {
                let bits = 0..sorts.len();
                let value = bits.map(|bit| self.stack.terms.bool(number >> bit & 1 == 1)).collect();
                self.forms.content(index, value);
            }
            self.forms.something_else.push(None);
        }
        Ok(())
    }

    fn all(&mut self, formulas: &[core::Form], at: At) -> Result<Vec<FormId>> {
        formulas.iter().map(|formula| self.build(formula, at)).collect()
    }

    fn build(&mut self, formula: &core::Form, at: At) -> Result<FormId> {
        Ok(match formula.kind() {
            Kind::True => self.forms.add(Form::Const(true)),
            Kind::False => self.forms.add(Form::Const(false)),
            Kind::Emp => self.forms.add(Form::Emp),
            Kind::Eq(..) | Kind::Ne(..) | Kind::Le(..) | Kind::Lt(..) => {
                let atom = self.pure(formula)?;
                let atom = self.atom(atom);
                match self.semantics {
                    Semantics::Standard => atom,
                    Semantics::Precise => {
                        let emp = self.forms.add(Form::Emp);
                        self.forms.and(vec![atom, emp])
                    }
                }
            }
            Kind::PointsTo(loc, content) => {
                let sort = loc.sort();
                let cell = self.stack.signature.heap.iter().position(|cell| cell.loc == sort);
                let (Some(cell), [address]) = (cell, &*self.stack.term(loc)?) else {
                    return Err(Reason::NoLocations(sort.clone()));
                };
                let value = self.stack.term(content)?;
                let address = self.forms.address(cell, *address);
                let content = self.forms.content(cell, value);
                self.forms.add(Form::PointsTo(address, content))
            }
            Kind::Pred(pred, args) => self.unfold(*pred, args, at)?,
            Kind::Sep(parts) => {
                let inside = At { universal: at.universal || !at.positive, ..at };
                let parts = self.all(parts, inside)?;
                self.forms.sep(parts)
            }
            Kind::Wand(a, b) => {
                let inside = At { universal: at.universal || at.positive, ..at };
                let a = self.build(a, At { positive: !at.positive, ..inside })?;
                let b = self.build(b, inside)?;
                self.forms.add(Form::Wand(a, b))
            }
            Kind::And(parts) => {
                let parts = self.all(parts, at)?;
                self.forms.and(parts)
            }
            Kind::Or(parts) => {
                let parts = self.all(parts, at)?;
                self.forms.or(parts)
            }
            Kind::Not(part) => {
                let part = self.build(part, At { positive: !at.positive, ..at })?;
                self.forms.not(part)
            }
            Kind::Exists(vars, body) if at.positive => self.some(vars, body, at)?,
            Kind::Forall(vars, body) if !at.positive => self.some(vars, body, at)?,
            Kind::Exists(vars, body) => {
                let instances = self.instances(vars, body, at)?;
                self.forms.or(instances)
            }
            Kind::Forall(vars, body) => {
                let instances = self.instances(vars, body, at)?;
                self.forms.and(instances)
            }
        })
    }

    fn pure(&mut self, formula: &core::Form) -> Result<Term> {
        let stack = &mut *self.stack;
        Ok(match formula.kind() {
            Kind::Le(a, b) => {
                let (a, b) = (stack.number(a)?, stack.number(b)?);
                stack.terms.le(a, b)
            }
            Kind::Lt(a, b) => {
                let (a, b) = (stack.number(a)?, stack.number(b)?);
                stack.terms.lt(a, b)
            }
            Kind::Eq(a, b) => {
                let (a, b) = (stack.term(a)?, stack.term(b)?);
                stack.same(&a, &b)
            }
            Kind::Ne(a, b) => {
                let (a, b) = (stack.term(a)?, stack.term(b)?);
                let same = stack.same(&a, &b);
                stack.terms.not(same)
            }
            _ => return Err(Reason::IllSorted),
        })
    }

    /// The body of a definition, which must not come to itself.
    fn unfold(&mut self, pred: PredId, args: &[Expr], at: At) -> Result<FormId> {
        let definition = self.definitions.form(pred)?;
        if self.unfolding.contains(&pred) {
            let name = self.definitions.name(pred).cloned();
            return Err(Reason::Inductive(name.unwrap_or_else(|| "?".into())));
        }
        let mut params = Vec::with_capacity(args.len());
        for (param, arg) in definition.params.iter().zip(args) {
            params.push((param.number, self.stack.term(arg)?));
        }
        let outside = self.stack.replace_bound(params);
        self.unfolding.push(pred);
        let body = self.build(&definition.body, at);
        self.unfolding.pop();
        self.stack.replace_bound(outside);
        body
    }

    /// For some values, which get a name.
    fn some(&mut self, vars: &[Ident], body: &core::Form, at: At) -> Result<FormId> {
        if at.universal {
            return Err(Reason::NestedQuantifier);
        }
        let mut values = Vec::with_capacity(vars.len());
        for var in vars {
            values.push((var.number, self.stack.make_up(&var.name, &var.sort)?));
        }
        let depth = self.stack.bind(values.into_iter());
        let body = self.build(body, at);
        self.stack.unbind(depth);
        body
    }

    /// For all values that have a name.
    fn instances(&mut self, vars: &[Ident], body: &core::Form, at: At) -> Result<Vec<FormId>> {
        let mut all: Vec<Vec<(Var, Flat)>> = vec![Vec::new()];
        for var in vars {
            let values = self.stack.named_values(&var.sort)?;
            let longer = all.iter().flat_map(|start| {
                values.iter().map(move |value| {
                    let mut longer = start.clone();
                    longer.push((var.number, value.clone()));
                    longer
                })
            });
            all = longer.take(MAX_INSTANCES).collect();
        }
        let mut instances = Vec::with_capacity(all.len());
        for values in all {
            self.instances += 1;
            if self.instances > MAX_ALL_INSTANCES {
                return Err(Reason::Instances);
            }
            let depth = self.stack.bind(values.into_iter());
            let instance = self.build(body, at);
            self.stack.unbind(depth);
            instances.push(instance?);
        }
        Ok(instances)
    }
}
