//! Heaps whose locations are integers, made heaps whose locations are not.
//!
//! The sort of every variable, field and parameter that stands for a location is found out, and is one of
//! locations from then on. Where nobody counts with locations, they are only compared, and any infinite
//! sort will do. Numbers among them are names, different from each other.
//!
//! Where somebody does (`(pto (+ x 1) 3)`), the terms of the stack are numbers, and there is a new name `l`
//! for the location at the address `t`, wherever one is meant. `t = t'` holds if and only if `l = l'` does,
//! for all pairs of addresses. That is how [PWZ13, Sec. 5] combine their logic with arithmetic: both sorts
//! are infinite, so what agrees on the names can be made to agree on all. Only what is bound, by a
//! quantifier or as a parameter of a definition, cannot be both a location and something to count with.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use num_bigint::BigInt;

use crate::core::{Assertion, Scope};
use crate::formula::{Formula, Kind, Semantics};
use crate::model::{Loc, Model, Value};
use crate::procedure::{Defs, Reason};
use crate::signature::{Cell, Definition, Record, Signature};
use crate::sort::{Name, Sort, Var};
use crate::substitute::fresh_name;
use crate::symbolic::SymbolicHeap;
use crate::term::{Term, TermKind};

/// Are integers locations?
#[must_use]
pub fn are_integers(signature: &Signature) -> bool {
    signature.content(&Sort::Int).is_some()
}

/// A question about locations that are no integers.
#[derive(Clone, Debug)]
pub struct Translated {
    /// Its signature.
    pub signature: Signature,
    /// The formulas, in their order.
    pub formulas: Vec<Formula>,
    /// What holds besides.
    pub facts: Vec<Formula>,
    /// Names of the locations at these addresses.
    names: Vec<(Term, Name)>,
    /// Are terms of the stack numbers, whatever they are used for?
    counted: bool,
}

/// The same question without integers as locations.
///
/// # Errors
/// If there is none, with the reason.
pub fn translate(
    signature: &Signature,
    semantics: Semantics,
    formulas: &[Formula],
) -> Result<Translated, Reason> {
    let mut sorts = Sorts::new(signature, formulas, false);
    let counted = sorts.contradict();
    if counted {
        sorts = Sorts::new(signature, formulas, true);
        if sorts.contradict() {
            return Err(Reason::CountedLocation);
        }
    }
    let taken = formulas.iter().flat_map(Formula::free_vars).map(|var| var.name).collect();
    let mut renaming =
        Renaming { sorts, names: Vec::new(), nil: false, taken, bound: Vec::new(), count: 0 };
    let (signature, formulas) = renaming.question(signature, formulas);
    let Renaming { names, nil, .. } = renaming;
    let mut places: Vec<(Term, Term)> = names
        .iter()
        .map(|(term, name)| (term.clone(), Term::var(Var::new(name.clone(), location_sort()))))
        .collect();
    if nil {
        places.push((nil_number(), Term::nil(location_sort())));
    }
    let mut facts = Vec::new();
    for (index, (t, l)) in places.iter().enumerate() {
        for (s, m) in places.iter().skip(index + 1) {
            let other = Formula::different(l.clone(), m.clone());
            if literal(t).is_some() && literal(s).is_some() {
                facts.push(pure(vec![other], semantics));
                continue;
            }
            let same = Formula::equal(l.clone(), m.clone());
            let same = vec![Formula::equal(t.clone(), s.clone()), same];
            let other = vec![Formula::different(t.clone(), s.clone()), other];
            facts.push(Formula::or(vec![pure(same, semantics), pure(other, semantics)]));
        }
    }
    Ok(Translated { signature, formulas, facts, names, counted })
}

/// An entailment about locations that are no integers, if these are locations in the scope: with what
/// is known of addresses on the left. It is valid if and only if the entailment that is given is.
///
/// # Errors
/// If there is none, with the reason.
pub fn entailment(
    scope: &Scope,
    left: &Assertion,
    right: &Assertion,
) -> Option<Result<Entailment, Reason>> {
    let defs = scope.defs();
    are_integers(defs.signature()).then(|| {
        let formulas = [left.formula(scope)?, right.formula(scope)?];
        let translated = translate(defs.signature(), defs.semantics(), &formulas)?;
        let [left, right] = translated.formulas.as_slice() else { return Err(Reason::IllSorted) };
        let mut known = vec![left.clone()];
        known.extend(translated.facts.iter().cloned());
        let defs = Defs::new(translated.signature.clone(), defs.semantics());
        let (scope, left, right) = crate::ask::lowered(&defs, &Formula::and(known), right);
        Ok((translated, scope, left, right))
    })
}

/// The translation, with the two sides in a scope of their own.
pub type Entailment = (Translated, Scope, Assertion, Assertion);

impl Translated {
    /// The model with an integer for every location. `None` if a number cannot be found.
    #[must_use]
    pub fn model(&self, mut model: Model) -> Option<Model> {
        let mut addresses: BTreeMap<Loc, BigInt> = BTreeMap::new();
        for (term, name) in &self.names {
            let number = number(term, &mut model.stack)?;
            if let Some(Value::Loc(loc)) = model.stack.remove(name) {
                addresses.insert(loc, number);
            }
        }
        let mut used: BTreeSet<BigInt> = addresses.values().cloned().collect();
        used.extend(model.stack.values().filter_map(|value| match value {
            Value::Int(number) => Some(number.clone()),
            _ => None,
        }));
        let mut all = BTreeSet::from([Loc::NIL]);
        for var in self.formulas.iter().flat_map(Formula::free_vars) {
            if let Some(value) = model.stack.get(&var.name) {
                add_addresses(value, &var.sort, &self.signature, &mut all);
            }
        }
        for (loc, object) in &model.heap {
            add_addresses(&Value::Loc(*loc), &object.sort, &self.signature, &mut all);
            if let Some(content) = self.signature.content(&object.sort) {
                add_addresses(&object.content, content, &self.signature, &mut all);
            }
        }
        if let Some(Value::Int(number)) = model.stack.get(&Name::from("nil")) {
            addresses.insert(Loc::NIL, number.clone());
        }
        let mut next = BigInt::from(1);
        for loc in all {
            if addresses.contains_key(&loc) {
                continue;
            }
            while !used.insert(next.clone()) {
                next += 1;
            }
            addresses.insert(loc, next.clone());
        }
        for object in model.heap.values_mut().filter(|object| object.sort == location_sort()) {
            object.sort = Sort::Int;
        }
        model.addresses = addresses;
        Some(model)
    }

    /// A formula about integers again. `None` if it is about names that were made up.
    #[must_use]
    pub fn formula(&self, formula: &Formula) -> Option<Formula> {
        if self.counted {
            return None;
        }
        let number = |(term, name)| Some((name, literal(term)?));
        let named: Option<BTreeMap<&Name, BigInt>> =
            self.names.iter().map(|(term, name)| number((term, name))).collect();
        Some(integers(formula, &named?))
    }
}

/// Adds the locations in a value of a sort that are integers.
fn add_addresses(value: &Value, sort: &Sort, signature: &Signature, all: &mut BTreeSet<Loc>) {
    match value {
        Value::Loc(loc) if *sort == location_sort() => {
            all.insert(*loc);
        }
        Value::Record(values) => {
            let fields = signature.record(sort).map(|record| record.fields.as_slice());
            for (value, field) in values.iter().zip(fields.unwrap_or_default()) {
                add_addresses(value, &field.sort, signature, all);
            }
        }
        Value::Loc(_) | Value::Int(_) | Value::Bool(_) => {}
    }
}

fn location_sort() -> Sort {
    Sort::Loc("Int".into())
}

fn pure(pure: Vec<Formula>, semantics: Semantics) -> Formula {
    SymbolicHeap { pure, open: true, ..SymbolicHeap::default() }.to_formula(semantics)
}

/// The number that a term is, if it is written as one.
fn literal(term: &Term) -> Option<BigInt> {
    match term.kind() {
        TermKind::Int(value) => Some(value.clone()),
        TermKind::Neg(part) => literal(part).map(|value| -value),
        _ => None,
    }
}

/// The value of a term; variables that nobody has given a value are zero.
fn number(term: &Term, stack: &mut BTreeMap<Name, Value>) -> Option<BigInt> {
    match term.kind() {
        TermKind::Int(value) => Some(value.clone()),
        TermKind::Neg(part) => number(part, stack).map(|value| -value),
        TermKind::Add(parts) => {
            parts.iter().try_fold(BigInt::from(0), |sum, part| Some(sum + number(part, stack)?))
        }
        TermKind::Mul(parts) => parts
            .iter()
            .try_fold(BigInt::from(1), |product, part| Some(product * number(part, stack)?)),
        TermKind::Var(var) => {
            let value = stack.entry(var.name.clone()).or_insert(Value::Int(BigInt::from(0)));
            match value {
                Value::Int(value) => Some(value.clone()),
                _ => None,
            }
        }
        TermKind::Nil(_) | TermKind::Bool(_) | TermKind::Record(..) | TermKind::Field(..) => None,
    }
}

// --- Sorts that are found out

/// Something that is an integer: a number, or a location.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Place {
    Location,
    Number,
    /// A stack variable.
    Free(Name),
    /// A bound one: the number of its binder and its place there.
    Bound(usize, usize),
    Param(Name, usize),
    Field(Name, usize),
    /// What locations of a sort hold, if that is no record.
    Content(Sort),
}

/// Which places are of the same sort.
#[derive(Default)]
struct Sorts {
    known: BTreeMap<Place, usize>,
    same: Vec<usize>,
    bound: Vec<(Name, Place)>,
    count: usize,
    /// Are terms of the stack of any sort that is needed?
    counted: bool,
}

impl Sorts {
    fn new(signature: &Signature, formulas: &[Formula], counted: bool) -> Sorts {
        let mut sorts = Sorts { counted, ..Sorts::default() };
        sorts.of_question(signature, formulas);
        sorts
    }

    /// Is a location something to count with?
    fn contradict(&mut self) -> bool {
        self.find(&Place::Location) == self.find(&Place::Number)
    }

    fn id(&mut self, place: &Place) -> usize {
        if let Some(id) = self.known.get(place) {
            return *id;
        }
        let id = self.same.len();
        self.same.push(id);
        self.known.insert(place.clone(), id);
        id
    }

    fn find(&mut self, place: &Place) -> usize {
        let mut id = self.id(place);
        while let Some(next) = self.same.get(id).copied().filter(|next| *next != id) {
            id = next;
        }
        id
    }

    fn unite(&mut self, a: &Place, b: &Place) {
        let (a, b) = (self.find(a), self.find(b));
        if let Some(of) = self.same.get_mut(a) {
            *of = b;
        }
    }

    fn is_location(&mut self, place: &Place) -> bool {
        self.find(place) == self.find(&Place::Location)
    }

    fn of_question(&mut self, signature: &Signature, formulas: &[Formula]) {
        for definition in signature.predicates.values() {
            self.bound = params(definition);
            self.of_formula(&definition.body);
        }
        self.bound.clear();
        for formula in formulas {
            self.of_formula(formula);
        }
    }

    fn of_formula(&mut self, formula: &Formula) {
        match formula.kind() {
            Kind::Eq(a, b) | Kind::Ne(a, b) => {
                let (a, b) = (self.of_term(a), self.of_term(b));
                if let (Some(a), Some(b)) = (a, b) {
                    self.unite(&a, &b);
                }
            }
            Kind::Le(a, b) | Kind::Lt(a, b) => {
                for place in [self.of_term(a), self.of_term(b)].into_iter().flatten() {
                    self.unite(&place, &Place::Number);
                }
            }
            Kind::PointsTo(loc, content) => {
                if let Some(place) = self.of_term(loc) {
                    self.unite(&place, &Place::Location);
                }
                if let Some(place) = self.of_term(content) {
                    self.unite(&place, &Place::Content(loc.sort()));
                }
            }
            Kind::Pred(name, args) => {
                for (index, arg) in args.iter().enumerate() {
                    if let Some(place) = self.of_term(arg) {
                        self.unite(&place, &Place::Param(name.clone(), index));
                    }
                }
            }
            Kind::Exists(vars, body) | Kind::Forall(vars, body) => {
                let depth = self.bound.len();
                self.bound.extend(binder(vars, self.count));
                self.count += 1;
                self.of_formula(body);
                self.bound.truncate(depth);
            }
            _ => formula.parts().into_iter().for_each(|part| self.of_formula(part)),
        }
    }

    /// The place that a term is, if it is an integer and not written as a number.
    fn of_term(&mut self, term: &Term) -> Option<Place> {
        if is_flexible(&self.bound, self.counted, term) {
            return None;
        }
        match term.kind() {
            TermKind::Var(var) => (var.sort == Sort::Int).then(|| place_of(&self.bound, var)),
            TermKind::Nil(sort) => (*sort == Sort::Int).then_some(Place::Location),
            TermKind::Add(parts) | TermKind::Mul(parts) => {
                for part in parts {
                    if let Some(place) = self.of_term(part) {
                        self.unite(&place, &Place::Number);
                    }
                }
                Some(Place::Number)
            }
            TermKind::Neg(part) => {
                if let Some(place) = self.of_term(part) {
                    self.unite(&place, &Place::Number);
                }
                Some(Place::Number)
            }
            TermKind::Record(record, parts) => {
                for (index, part) in parts.iter().enumerate() {
                    if let Some(place) = self.of_term(part) {
                        self.unite(&place, &Place::Field(record.name.clone(), index));
                    }
                }
                None
            }
            TermKind::Field(record, index, part) => {
                self.of_term(part);
                let sort = record.fields.get(*index).map(|field| &field.sort);
                (sort == Some(&Sort::Int)).then(|| Place::Field(record.name.clone(), *index))
            }
            TermKind::Int(_) | TermKind::Bool(_) => None,
        }
    }
}

/// Is it a term that can be a number here and a location there?
fn is_flexible(bound: &[(Name, Place)], counted: bool, term: &Term) -> bool {
    if term.sort() != Sort::Int {
        return false;
    }
    // A field of a record has the sort that it has in all records.
    let mut closed = counted && !has_field(term);
    term.for_each_var(&mut |var| closed &= bound.iter().all(|(name, _)| *name != var.name));
    closed || literal(term).is_some()
}

fn has_field(term: &Term) -> bool {
    matches!(term.kind(), TermKind::Field(..)) || term.parts().iter().any(has_field)
}

fn params(definition: &Definition) -> Vec<(Name, Place)> {
    let place = |(index, param): (usize, &Var)| {
        (param.name.clone(), Place::Param(definition.name.clone(), index))
    };
    definition.params.iter().enumerate().map(place).collect()
}

fn binder(vars: &[Var], number: usize) -> Vec<(Name, Place)> {
    let place = |(index, var): (usize, &Var)| (var.name.clone(), Place::Bound(number, index));
    vars.iter().enumerate().map(place).collect()
}

fn place_of(bound: &[(Name, Place)], var: &Var) -> Place {
    let found = bound.iter().rev().find(|(name, _)| *name == var.name);
    found.map_or_else(|| Place::Free(var.name.clone()), |(_, place)| place.clone())
}

// --- Locations of another sort

/// Rewrites what was looked at by [`Sorts`], in the same order.
struct Renaming {
    sorts: Sorts,
    /// Names of locations at addresses.
    names: Vec<(Term, Name)>,
    /// Is the number that `nil` is mentioned?
    nil: bool,
    /// Names of variables.
    taken: BTreeSet<Name>,
    bound: Vec<(Name, Place)>,
    count: usize,
}

impl Renaming {
    fn question(
        &mut self,
        signature: &Signature,
        formulas: &[Formula],
    ) -> (Signature, Vec<Formula>) {
        let mut new = signature.clone();
        new.sorts.push("Int".into());
        new.records = signature.records.iter().map(|record| self.record(record)).collect();
        new.heap = signature
            .heap
            .iter()
            .map(|cell| Cell {
                loc: if cell.loc == Sort::Int { location_sort() } else { cell.loc.clone() },
                content: self.sort(&cell.content, &Place::Content(cell.loc.clone())),
            })
            .collect();
        for (name, definition) in &signature.predicates {
            self.bound = params(definition);
            let body = self.formula(&definition.body);
            let params = definition.params.iter().enumerate();
            let params = params
                .map(|(index, p)| Var {
                    name: p.name.clone(),
                    sort: self.sort(&p.sort, &Place::Param(name.clone(), index)),
                })
                .collect();
            let changed = Definition { params, body, ..definition.as_ref().clone() };
            new.predicates.insert(name.clone(), Arc::new(changed));
        }
        self.bound.clear();
        let formulas = formulas.iter().map(|formula| self.formula(formula)).collect();
        (new, formulas)
    }

    fn sort(&mut self, sort: &Sort, place: &Place) -> Sort {
        if *sort == Sort::Int && self.sorts.is_location(place) {
            location_sort()
        } else {
            sort.clone()
        }
    }

    fn record(&mut self, record: &Arc<Record>) -> Arc<Record> {
        let field = |(index, field): (usize, &Var)| Var {
            name: field.name.clone(),
            sort: self.sort(&field.sort, &Place::Field(record.name.clone(), index)),
        };
        let fields = record.fields.iter().enumerate().map(field).collect();
        Arc::new(Record { fields, ..record.as_ref().clone() })
    }

    fn formula(&mut self, formula: &Formula) -> Formula {
        let kind = match formula.kind() {
            Kind::Eq(a, b) | Kind::Ne(a, b) => {
                let mut is_location = |term: &Term| self.is_location(term);
                let location = is_location(a) || is_location(b);
                let (a, b) = (self.term(a, location), self.term(b, location));
                if matches!(formula.kind(), Kind::Eq(..)) { Kind::Eq(a, b) } else { Kind::Ne(a, b) }
            }
            Kind::Le(a, b) => Kind::Le(self.term(a, false), self.term(b, false)),
            Kind::Lt(a, b) => Kind::Lt(self.term(a, false), self.term(b, false)),
            Kind::PointsTo(loc, content) => {
                let held = self.sorts.is_location(&Place::Content(loc.sort()));
                let content = self.term(content, held);
                Kind::PointsTo(self.term(loc, loc.sort() == Sort::Int), content)
            }
            Kind::Pred(name, args) => {
                let mut all = Vec::with_capacity(args.len());
                for (index, arg) in args.iter().enumerate() {
                    let place = Place::Param(name.clone(), index);
                    let location = self.sorts.is_location(&place);
                    all.push(self.term(arg, location));
                }
                Kind::Pred(name.clone(), all)
            }
            Kind::Exists(vars, body) | Kind::Forall(vars, body) => {
                let (depth, number) = (self.bound.len(), self.count);
                self.bound.extend(binder(vars, number));
                self.count += 1;
                let body = self.formula(body);
                self.bound.truncate(depth);
                let var = |(index, var): (usize, &Var)| Var {
                    name: var.name.clone(),
                    sort: self.sort(&var.sort, &Place::Bound(number, index)),
                };
                let vars = vars.iter().enumerate().map(var).collect();
                match formula.kind() {
                    Kind::Exists(..) => Kind::Exists(vars, body),
                    _ => Kind::Forall(vars, body),
                }
            }
            Kind::Sep(parts) => Kind::Sep(self.all(parts)),
            Kind::And(parts) => Kind::And(self.all(parts)),
            Kind::Or(parts) => Kind::Or(self.all(parts)),
            Kind::Wand(a, b) => Kind::Wand(self.formula(a), self.formula(b)),
            Kind::Not(part) => Kind::Not(self.formula(part)),
            Kind::True | Kind::False | Kind::Emp => return formula.clone(),
        };
        Formula::new(kind, formula.pos())
    }

    fn all(&mut self, parts: &[Formula]) -> Vec<Formula> {
        parts.iter().map(|part| self.formula(part)).collect()
    }

    fn is_location(&mut self, term: &Term) -> bool {
        if is_flexible(&self.bound, self.sorts.counted, term) {
            return false;
        }
        match term.kind() {
            TermKind::Var(var) if var.sort == Sort::Int => {
                let place = place_of(&self.bound, var);
                self.sorts.is_location(&place)
            }
            TermKind::Nil(sort) => *sort == Sort::Int,
            TermKind::Field(record, index, _) => {
                self.sorts.is_location(&Place::Field(record.name.clone(), *index))
            }
            _ => false,
        }
    }

    /// The name of the location at an address.
    fn location(&mut self, address: Term) -> Term {
        let known = self.names.iter().find(|(term, _)| *term == address);
        let name = match known {
            Some((_, name)) => name.clone(),
            None => {
                let like = match literal(&address) {
                    Some(number) => number.to_string(),
                    None => format!("@{}", self.names.len()),
                };
                let name = fresh_name(&like.into(), &self.taken);
                self.taken.insert(name.clone());
                self.names.push((address, name.clone()));
                name
            }
        };
        Term::var(Var { name, sort: location_sort() })
    }

    /// The term, as a location where one is meant.
    fn term(&mut self, term: &Term, location: bool) -> Term {
        let is_nil = matches!(term.kind(), TermKind::Nil(Sort::Int));
        if is_flexible(&self.bound, self.sorts.counted, term) && !is_nil {
            let number = self.number(term);
            return if location { self.location(number) } else { number };
        }
        match term.kind() {
            TermKind::Var(var) => {
                let place = place_of(&self.bound, var);
                Term::var(Var { name: var.name.clone(), sort: self.sort(&var.sort, &place) })
            }
            TermKind::Nil(Sort::Int) if self.sorts.counted && !location => self.number(term),
            TermKind::Nil(Sort::Int) => Term::nil(location_sort()),
            TermKind::Add(parts) => Term::new(TermKind::Add(self.numbers(parts))),
            TermKind::Mul(parts) => Term::new(TermKind::Mul(self.numbers(parts))),
            TermKind::Neg(part) => Term::new(TermKind::Neg(self.term(part, false))),
            TermKind::Record(record, parts) => {
                let mut all = Vec::with_capacity(parts.len());
                for (index, part) in parts.iter().enumerate() {
                    let place = Place::Field(record.name.clone(), index);
                    let location = self.sorts.is_location(&place);
                    all.push(self.term(part, location));
                }
                Term::new(TermKind::Record(self.record(record), all))
            }
            TermKind::Field(record, index, part) => {
                let part = self.term(part, false);
                Term::new(TermKind::Field(self.record(record), *index, part))
            }
            TermKind::Nil(_) | TermKind::Int(_) | TermKind::Bool(_) => term.clone(),
        }
    }

    fn numbers(&mut self, parts: &[Term]) -> Vec<Term> {
        parts.iter().map(|part| self.term(part, false)).collect()
    }

    /// A term of the stack as a number. Which one `nil` is, nobody says.
    fn number(&mut self, term: &Term) -> Term {
        match term.kind() {
            TermKind::Nil(Sort::Int) => {
                self.nil = true;
                nil_number()
            }
            TermKind::Add(parts) => {
                Term::new(TermKind::Add(parts.iter().map(|part| self.number(part)).collect()))
            }
            TermKind::Mul(parts) => {
                Term::new(TermKind::Mul(parts.iter().map(|part| self.number(part)).collect()))
            }
            TermKind::Neg(part) => Term::new(TermKind::Neg(self.number(part))),
            _ => term.clone(),
        }
    }
}

/// Which integer `nil` is: the value of a variable that cannot be written.
fn nil_number() -> Term {
    Term::var(Var::new("nil", Sort::Int))
}

/// The way back: variables for locations are integers, and names of numbers are numbers.
fn integers(formula: &Formula, numbers: &BTreeMap<&Name, BigInt>) -> Formula {
    let var = |var: &Var| match var.sort == location_sort() {
        true => Var { name: var.name.clone(), sort: Sort::Int },
        false => var.clone(),
    };
    fn term(of: &Term, numbers: &BTreeMap<&Name, BigInt>, var: &impl Fn(&Var) -> Var) -> Term {
        match of.kind() {
            TermKind::Var(v) => match numbers.get(&v.name) {
                Some(number) => Term::int(number.clone()),
                None => Term::var(var(v)),
            },
            TermKind::Nil(sort) if *sort == location_sort() => Term::nil(Sort::Int),
            TermKind::Record(record, parts) => {
                let fields = record.fields.iter().map(var).collect();
                let record = Arc::new(Record { fields, ..record.as_ref().clone() });
                let parts = parts.iter().map(|part| term(part, numbers, var)).collect();
                Term::new(TermKind::Record(record, parts))
            }
            _ => of.clone(),
        }
    }
    let t = |of: &Term| term(of, numbers, &var);
    let all = |parts: &[Formula]| parts.iter().map(|part| integers(part, numbers)).collect();
    let kind = match formula.kind() {
        Kind::Eq(a, b) => Kind::Eq(t(a), t(b)),
        Kind::Ne(a, b) => Kind::Ne(t(a), t(b)),
        Kind::Le(a, b) => Kind::Le(t(a), t(b)),
        Kind::Lt(a, b) => Kind::Lt(t(a), t(b)),
        Kind::PointsTo(a, b) => Kind::PointsTo(t(a), t(b)),
        Kind::Pred(name, args) => Kind::Pred(name.clone(), args.iter().map(t).collect()),
        Kind::Sep(parts) => Kind::Sep(all(parts)),
        Kind::And(parts) => Kind::And(all(parts)),
        Kind::Or(parts) => Kind::Or(all(parts)),
        Kind::Wand(a, b) => Kind::Wand(integers(a, numbers), integers(b, numbers)),
        Kind::Not(part) => Kind::Not(integers(part, numbers)),
        Kind::Exists(vars, body) => {
            Kind::Exists(vars.iter().map(var).collect(), integers(body, numbers))
        }
        Kind::Forall(vars, body) => {
            Kind::Forall(vars.iter().map(var).collect(), integers(body, numbers))
        }
        Kind::True | Kind::False | Kind::Emp => return formula.clone(),
    };
    Formula::new(kind, formula.pos())
}
