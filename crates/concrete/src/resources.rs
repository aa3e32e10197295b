//! What permissions are held: of fields, of predicate instances with all that is folded into them,
//! and of wands with their footprints.

use std::collections::BTreeMap;
use std::rc::Rc;

use num_traits::{One, Signed, Zero};
use viper::core::{FieldId, PredicateId};

use crate::value::{Amount, Value};
use crate::wand::Packaged;

/// A field of an object.
pub(crate) type Location = (u32, FieldId);

/// A predicate instance.
pub(crate) type Instance = (PredicateId, Vec<Value>);

/// A wand that is held.
#[derive(Clone)]
pub(crate) struct HeldWand {
    /// Which wand it is: what does not depend on the heap is evaluated.
    pub key: String,
    /// What was put aside for it.
    pub footprint: Rc<Resources>,
    /// What happens when it is applied.
    pub packaged: Rc<Packaged>,
    /// It went through a contract or an invariant: all that is known of it is what it promises.
    pub passed: bool,
}

/// A bag of resources.
#[derive(Clone, Default)]
pub(crate) struct Resources {
    pub fields: BTreeMap<Location, Amount>,
    /// With what is folded into *all* of the amount that is held.
    pub predicates: BTreeMap<Instance, (Amount, Rc<Resources>)>,
    pub wands: Vec<HeldWand>,
}

impl Resources {
    pub fn field(&self, location: Location) -> Amount {
        self.fields.get(&location).cloned().unwrap_or_else(Amount::zero)
    }

    pub fn predicate(&self, instance: &Instance) -> Amount {
        self.predicates.get(instance).map_or_else(Amount::zero, |(amount, _)| amount.clone())
    }

    pub fn add_field(&mut self, location: Location, amount: &Amount) {
        if !amount.is_zero() {
            *self.fields.entry(location).or_insert_with(Amount::zero) += amount;
        }
    }

    pub fn add_predicate(&mut self, instance: Instance, amount: &Amount, folded: &Rc<Resources>) {
        if amount.is_zero() {
            return;
        }
        match self.predicates.get_mut(&instance) {
            None => {
                self.predicates.insert(instance, (amount.clone(), Rc::clone(folded)));
            }
            Some((held, content)) => {
                *held += amount;
                Rc::make_mut(content).add(folded);
            }
        }
    }

    pub fn add(&mut self, other: &Resources) {
        for (location, amount) in &other.fields {
            self.add_field(*location, amount);
        }
        for (instance, (amount, folded)) in &other.predicates {
            self.add_predicate(instance.clone(), amount, folded);
        }
        self.wands.extend(other.wands.iter().cloned());
    }

    /// Takes away what must be there.
    pub fn remove_field(&mut self, location: Location, amount: &Amount) {
        if let Some(held) = self.fields.get_mut(&location) {
            *held -= amount;
            if !held.is_positive() {
                self.fields.remove(&location);
            }
        }
    }

    /// Takes away what must be there; returns what was folded into it. `None`: a part of a wand.
    pub fn remove_predicate(
        &mut self,
        instance: &Instance,
        amount: &Amount,
    ) -> Option<Rc<Resources>> {
        let (held, folded) = self.predicates.remove(instance)?;
        if held == *amount {
            return Some(folded);
        }
        let part = folded.scaled(&(amount / &held))?;
        let rest = &held - amount;
        let left = folded.scaled(&(&rest / &held))?;
        self.predicates.insert(instance.clone(), (rest, Rc::new(left)));
        Some(Rc::new(part))
    }

    /// Forgets where wands come from.
    pub fn pass(&mut self) {
        self.wands.iter_mut().for_each(|wand| wand.passed = true);
    }

    /// So much of everything; wands cannot be split.
    pub fn scaled(&self, factor: &Amount) -> Option<Resources> {
        if factor.is_one() {
            return Some(self.clone());
        }
        if !self.wands.is_empty() {
            return None;
        }
        let mut scaled = Resources::default();
        for (location, amount) in &self.fields {
            scaled.fields.insert(*location, amount * factor);
        }
        for (instance, (amount, folded)) in &self.predicates {
            let folded = Rc::new(folded.scaled(factor)?);
            scaled.predicates.insert(instance.clone(), (amount * factor, folded));
        }
        Some(scaled)
    }

    /// All permission of a field that is anywhere in here: held, folded, or in a footprint.
    pub fn total(&self, location: Location) -> Amount {
        let mut sum = self.field(location);
        for (_, folded) in self.predicates.values() {
            sum += folded.total(location);
        }
        for wand in &self.wands {
            sum += wand.footprint.total(location);
        }
        sum
    }

    /// Calls `f` with every location of which there is anything anywhere in here.
    pub fn for_each_location(&self, f: &mut dyn FnMut(Location)) {
        self.fields.keys().for_each(|l| f(*l));
        self.predicates.values().for_each(|(_, folded)| folded.for_each_location(f));
        self.wands.iter().for_each(|w| w.footprint.for_each_location(f));
    }

    /// The greater amount of each field and predicate of both. Each `package` makes a wand of its own, which its
    /// record stands for as long as somebody holds it.
    pub fn maximum(&mut self, other: &Resources) {
        for (location, amount) in &other.fields {
            let held = self.fields.entry(*location).or_insert_with(Amount::zero);
            if *held < *amount {
                *held = amount.clone();
            }
        }
        for (instance, (amount, folded)) in &other.predicates {
            if self.predicate(instance) < *amount {
                self.predicates.insert(instance.clone(), (amount.clone(), Rc::clone(folded)));
            }
        }
        for wand in &other.wands {
            if !self.wands.iter().any(|w| Rc::ptr_eq(&w.packaged, &wand.packaged)) {
                self.wands.push(wand.clone());
            }
        }
    }

    /// Is there at least as much of everything as in `other`?
    pub fn covers(&self, other: &Resources) -> bool {
        other.fields.iter().all(|(l, a)| self.field(*l) >= *a)
            && other.predicates.iter().all(|(i, (a, _))| self.predicate(i) >= *a)
            && other
                .wands
                .iter()
                .all(|w| self.wands.iter().any(|v| Rc::ptr_eq(&v.packaged, &w.packaged)))
    }
}
