//! What the values of a model contain: the elements of collections, the arguments of constructors.

use crate::encoding::CollectionFunction;
use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive};
use smt::Sort;
use viper::core::{DomainFunctionId, Type};

use super::super::value::Value;
use super::{Known, Mentioned, World};

/// Sequences and sets with more elements are not read.
const LARGEST: usize = 40;
/// Values of data types nest no deeper.
const DEEPEST: usize = 60;

impl World<'_, '_> {
    /// A value of the solver as one of the language.
    pub fn known(&mut self, raw: smt::Value, sort: Sort) -> Option<Known> {
        let value = match &raw {
            smt::Value::Bool(b) => Value::Bool(*b),
            smt::Value::Int(i) => Value::Int(i.clone()),
            smt::Value::Real(r) => Value::Perm(r.clone()),
            _ if sort == self.encoding.snap_sort() || self.encoding.is_value_map(sort) => {
                Value::Element(raw.clone())
            }
            _ => {
                let ty = self.encoding.type_of(sort);
                self.read(&raw, &ty)?
            }
        };
        Some(Known { raw: Some(raw), value })
    }

    /// What a value of a type contains.
    fn read(&mut self, raw: &smt::Value, ty: &Type) -> Option<Value> {
        match raw {
            smt::Value::Bool(b) => return Some(Value::Bool(*b)),
            smt::Value::Int(i) => return Some(Value::Int(i.clone())),
            smt::Value::Real(r) => return Some(Value::Perm(r.clone())),
            _ => {}
        }
        let key = (raw.clone(), ty.clone());
        if let Some(value) = self.contents.get(&key) {
            return value.clone();
        }
        // No value of a data type is a part of itself. What the solver says of one that nobody has looked
        // at need not make sense: any other will do.
        if self.reading.contains(&key) || self.reading.len() > DEEPEST {
            return self.unlike_others(raw, ty);
        }
        self.reading.push(key.clone());
        let mut value = self.read_contents(raw, ty);
        self.reading.pop();
        // What the solver takes for different is, as far as it goes.
        if let Some(found @ Value::Data(..)) = &value
            && self.taken.get(found).is_some_and(|other| other != raw)
        {
            value = self.unlike_others(raw, ty);
        }
        if let Some(found @ Value::Data(..)) = &value {
            self.taken.entry(found.clone()).or_insert_with(|| raw.clone());
        }
        self.contents.insert(key, value.clone());
        value
    }

    fn read_contents(&mut self, raw: &smt::Value, ty: &Type) -> Option<Value> {
        let one = std::slice::from_ref(raw);
        match ty {
            Type::Seq(elem) => {
                let length = self.number(CollectionFunction::SeqLength, ty, one)?;
                let index = self.encoding.collection_name(ty, CollectionFunction::SeqIndex);
                let sort = self.encoding.known_sort(elem)?;
                let mut elems = Vec::new();
                for i in 0..length {
                    let at =
                        self.meaning(&index, &[raw.clone(), smt::Value::Int(i.into())], sort)?;
                    elems.push(self.read(&at, elem)?);
                }
                Some(Value::Seq(elems))
            }
            Type::Set(elem) => {
                Some(Value::Set(self.members(raw, ty, elem)?.into_iter().map(|(_, v)| v).collect()))
            }
            Type::Multiset(elem) => {
                let count = self.encoding.collection_name(ty, CollectionFunction::MultisetCount);
                let mut counts = BTreeMap::new();
                for (candidate, value) in self.candidates(elem)? {
                    let n = self.meaning(&count, &[raw.clone(), candidate], Sort::Int)?;
                    if let smt::Value::Int(n) = n
                        && n.is_positive()
                    {
                        counts.insert(value, n);
                    }
                }
                let card = self.encoding.collection_name(ty, CollectionFunction::MultisetCard);
                if self.model.defines(&card) {
                    let size =
                        BigInt::from(self.number(CollectionFunction::MultisetCard, ty, one)?);
                    let missing = size - counts.values().sum::<BigInt>();
                    if missing.is_positive() {
                        counts.insert(self.another(elem)?.1, missing);
                    }
                }
                Some(Value::Multiset(counts))
            }
            Type::Map(kv) => {
                let keys = Type::set(kv.0.clone());
                let domain = self.encoding.collection_name(ty, CollectionFunction::MapDomain);
                let domain = self.meaning(&domain, one, self.encoding.known_sort(&keys)?)?;
                let lookup = self.encoding.collection_name(ty, CollectionFunction::MapLookup);
                let sort = self.encoding.known_sort(&kv.1)?;
                let mut map = BTreeMap::new();
                for (key, value) in self.members(&domain, &keys, &kv.0)? {
                    let at = self.meaning(&lookup, &[raw.clone(), key], sort)?;
                    map.insert(value, self.read(&at, &kv.1)?);
                }
                Some(Value::Map(map))
            }
            Type::Domain(id, types) => {
                let program = self.program;
                let Some(adt) = &program.domain(*id).adt else {
                    return Some(Value::Element(raw.clone()));
                };
                let tag = self.encoding.domain_function_name(adt.tag, types);
                let tag = match self.meaning(&tag, one, Sort::Int)? {
                    smt::Value::Int(tag) => tag.to_usize(),
                    _ => return None,
                };
                let Some(constructor) = tag.and_then(|tag| adt.constructors.get(tag)) else {
                    return self.unlike_others(raw, ty);
                };
                let mut args = Vec::new();
                for destructor in &constructor.destructors {
                    let ty = program.domain_function(*destructor).ty.substitute(types);
                    let name = self.encoding.domain_function_name(*destructor, types);
                    let arg = self.meaning(&name, one, self.encoding.known_sort(&ty)?)?;
                    args.push(self.read(&arg, &ty)?);
                }
                Some(Value::Data(constructor.function, args))
            }
            _ => Some(Value::Element(raw.clone())),
        }
    }

    /// A size that is small enough.
    fn number(&self, op: CollectionFunction, ty: &Type, args: &[smt::Value]) -> Option<usize> {
        let name = self.encoding.collection_name(ty, op);
        match self.meaning(&name, args, Sort::Int)? {
            smt::Value::Int(n) => n.to_usize().filter(|n| *n <= LARGEST),
            _ => None,
        }
    }

    /// Values of a type that may be in a collection. Of integers these are the ones that the path is
    /// about, or all that the model mentions: of others it often says something that nobody asked for.
    fn candidates(&mut self, ty: &Type) -> Option<Vec<(smt::Value, Value)>> {
        let sort = self.encoding.known_sort(ty)?;
        if sort == Sort::Int {
            let all: BTreeSet<BigInt> = match self.mentioned {
                Mentioned::OnPath => {
                    let values = self.pinned.values().filter_map(|value| match value {
                        smt::Value::Int(i) => Some(i.clone()),
                        _ => None,
                    });
                    values.collect()
                }
                Mentioned::InModel => self.model.integers().iter().cloned().collect(),
            };
            let pair = |i: BigInt| (smt::Value::Int(i.clone()), Value::Int(i));
            return Some(all.into_iter().map(pair).collect());
        }
        let pool = self.pool(sort).unwrap_or_default();
        Some(pool.into_iter().filter_map(|k| Some((k.raw?, k.value))).collect())
    }

    /// The elements of a set. Where the model counts more than it names, others are added that nobody
    /// has asked for.
    fn members(
        &mut self,
        raw: &smt::Value,
        ty: &Type,
        elem: &Type,
    ) -> Option<Vec<(smt::Value, Value)>> {
        let inside = self.encoding.collection_name(ty, CollectionFunction::SetIn);
        let mut members = Vec::new();
        for (candidate, value) in self.candidates(elem)? {
            let found = self.meaning(&inside, &[candidate.clone(), raw.clone()], Sort::Bool)?;
            if found == smt::Value::Bool(true) {
                members.push((candidate, value));
            }
        }
        let card = self.encoding.collection_name(ty, CollectionFunction::SetCard);
        if self.model.defines(&card) {
            let size = self.number(CollectionFunction::SetCard, ty, std::slice::from_ref(raw))?;
            while members.len() < size {
                members.push(self.another(elem)?);
            }
        }
        (members.len() <= LARGEST).then_some(members)
    }

    /// A value of a type that occurs nowhere else.
    fn another(&mut self, ty: &Type) -> Option<(smt::Value, Value)> {
        self.padded += 1;
        match ty {
            Type::Int => {
                let largest = self.model.integers().last().cloned().unwrap_or_default();
                let value = largest.max(6.into()) + self.padded;
                Some((smt::Value::Int(value.clone()), Value::Int(value)))
            }
            Type::Ref => {
                let raw = smt::Value::Element(format!("another {}", self.padded).into());
                Some((raw.clone(), Value::Element(raw)))
            }
            _ => None,
        }
    }

    /// A small value of a data type, another one for each that is asked for.
    fn unlike_others(&mut self, raw: &smt::Value, ty: &Type) -> Option<Value> {
        let next = self.others.len();
        let number = *self.others.entry(raw.clone()).or_insert(next);
        let mut small = (number..number + 4).filter_map(|number| self.small(ty, number, 3));
        small.find(|value| self.taken.get(value).is_none_or(|other| other == raw))
    }

    /// The small value of a type with a number.
    fn small(&self, ty: &Type, number: usize, depth: usize) -> Option<Value> {
        let Type::Domain(id, types) = ty else {
            return match ty {
                Type::Int => Some(Value::Int(number.into())),
                Type::Bool => Some(Value::Bool(number % 2 == 1)),
                Type::Perm => Some(Value::Perm(BigRational::from(BigInt::from(number)))),
                Type::Seq(_) => Some(Value::Seq(Vec::new())),
                Type::Set(_) => Some(Value::Set(BTreeSet::new())),
                Type::Multiset(_) => Some(Value::Multiset(BTreeMap::new())),
                Type::Map(_) => Some(Value::Map(BTreeMap::new())),
                _ => None,
            };
        };
        let adt = self.program.domain(*id).adt.as_ref()?;
        let depth = depth.checked_sub(1)?;
        let params = |function: DomainFunctionId| {
            let params = &self.program.domain_function(function).params;
            params.iter().map(|(_, ty)| ty.substitute(types)).collect::<Vec<_>>()
        };
        let made_of = |function: DomainFunctionId, number: usize| {
            let args: Option<Vec<Value>> =
                params(function).iter().map(|ty| self.small(ty, number, depth)).collect();
            Some(Value::Data(function, args?))
        };
        let functions = || adt.constructors.iter().map(|c| c.function);
        let base = functions().find(|f| !params(*f).contains(ty))?;
        if number == 0 {
            return made_of(base, 0);
        }
        // A number makes the difference; parts of the same type are the smallest.
        let numbered = functions().find(|f| params(*f).contains(&Type::Int))?;
        let args: Option<Vec<Value>> = params(numbered)
            .iter()
            .map(|part| self.small(part, if part == ty { 0 } else { number }, depth))
            .collect();
        Some(Value::Data(numbered, args?))
    }
}
