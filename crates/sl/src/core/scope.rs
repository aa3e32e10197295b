//! The variables that symbolic heaps of one engine, or the two sides of one question, have in common.

use std::collections::HashMap;
use std::sync::Arc;

use super::definitions::Definitions;
use super::{Clause, Form, Ident, PredId, SortId, SymHeap, Var};
use crate::Formula;
use crate::procedure::{Defs, Reason};
use crate::sort::{Name, Sort};

/// The number of no sort.
const UNKNOWN: SortId = SortId::MAX;

/// Definitions, and variables by number. Cheap to clone. A scope only grows, and what was said of its
/// variables stays true.
#[derive(Clone, Debug)]
pub struct Scope {
    defs: Defs,
    core: Arc<Definitions>,
    declared: Arc<Declared>,
}

#[derive(Clone, Debug, Default)]
struct Declared {
    vars: Vec<crate::Var>,
    names: Vec<Name>,
    /// None for values that symbolic heaps do not have: truth values and records.
    sorts: Vec<Option<SortId>>,
    by_name: HashMap<Name, Var>,
}

impl Scope {
    /// A scope without variables, but for those of the stack that definitions mention.
    #[must_use]
    pub fn new(defs: &Defs) -> Scope {
        let core = defs.core().clone();
        let mut scope = Scope { defs: defs.clone(), core, declared: Arc::default() };
        for var in scope.core.clone().stack() {
            scope.add(var.clone());
        }
        scope
    }

    /// The same variables, with more definitions over the same sorts.
    pub(super) fn with_definitions(&self, defs: &Defs) -> Scope {
        Scope { declared: self.declared.clone(), ..Scope::new(defs) }
    }

    /// The definitions.
    #[must_use]
    pub fn defs(&self) -> &Defs {
        &self.defs
    }

    /// The definitions with numbers.
    #[must_use]
    pub fn core(&self) -> &Definitions {
        &self.core
    }

    /// A variable of this name: the one that there is, or a new one. If there is one of another sort,
    /// the new one has another name.
    pub fn declare(&mut self, name: impl Into<Name>, sort: SortId) -> Var {
        let name = name.into();
        match self.declared.by_name.get(&name) {
            Some(var) if self.sort(*var) == Some(sort) => *var,
            Some(_) => self.fresh(&name, sort),
            None => self.add_of(name, sort),
        }
    }

    /// The same for a variable of any sort; `None` if there is one of its name and another sort.
    pub(super) fn declare_any(&mut self, var: &crate::Var) -> Option<Var> {
        match self.declared.by_name.get(&var.name) {
            Some(known) => {
                self.var(*known).filter(|known| known.sort == var.sort).and(Some(*known))
            }
            None => Some(self.add(var.clone())),
        }
    }

    /// A new variable; its name is like this one.
    pub fn fresh(&mut self, like: &str, sort: SortId) -> Var {
        let mut number = self.declared.vars.len() + 1;
        loop {
            let name: Name = format!("{like}_{number}").into();
            if !self.declared.by_name.contains_key(&name) {
                return self.add_of(name, sort);
            }
            number += 1;
        }
    }

    fn add_of(&mut self, name: Name, sort: SortId) -> Var {
        let sort = self.core.sorts().get(sort).cloned().unwrap_or(Sort::Int);
        self.add(crate::Var { name, sort })
    }

    fn add(&mut self, var: crate::Var) -> Var {
        let number = (self.nils() + self.declared.vars.len()) as Var;
        let sort = self.core.sort_id(&var.sort);
        let declared = Arc::make_mut(&mut self.declared);
        declared.by_name.insert(var.name.clone(), number);
        declared.names.push(var.name.clone());
        declared.vars.push(var);
        declared.sorts.push(sort);
        number
    }

    /// The variable of this name, if it was declared.
    #[must_use]
    pub fn lookup(&self, name: &Name) -> Option<Var> {
        self.declared.by_name.get(name).copied()
    }

    /// How many `nil`s there are, one of each sort; they are the first variables.
    #[must_use]
    pub fn nils(&self) -> usize {
        self.core.sorts().len()
    }

    /// The `nil` of a sort of locations.
    #[must_use]
    pub fn nil(&self, sort: SortId) -> Var {
        sort as Var
    }

    /// Is it a `nil`?
    #[must_use]
    pub fn is_nil(&self, var: Var) -> bool {
        (var as usize) < self.nils()
    }

    /// The sort of a variable, if it was declared.
    #[must_use]
    pub fn sort(&self, var: Var) -> Option<SortId> {
        match (var as usize).checked_sub(self.nils()) {
            None => Some(var as SortId),
            Some(index) => self.declared.sorts.get(index).copied().flatten(),
        }
    }

    /// The same for a variable of a symbolic heap.
    #[must_use]
    pub fn sort_in(&self, heap: &SymHeap, var: Var) -> Option<SortId> {
        match super::symheap::index(var) {
            Some(index) => heap.existentials().get(index).copied(),
            None => self.sort(var),
        }
    }

    /// A variable with its name, if it was declared.
    #[must_use]
    pub fn var(&self, var: Var) -> Option<&crate::Var> {
        self.declared.vars.get((var as usize).checked_sub(self.nils())?)
    }

    /// The same for formulas.
    #[must_use]
    pub fn ident(&self, var: Var) -> Option<Ident> {
        let crate::Var { name, sort } = self.var(var)?.clone();
        Some(Ident { number: var, name, sort })
    }

    /// The formula with names.
    ///
    /// # Errors
    /// If a predicate has none, or a bound variable is not bound.
    pub fn named(&self, form: &Form) -> Result<Formula, Reason> {
        self.core.named(form, &[])
    }

    /// The variables that were declared, in the order of their numbers.
    #[must_use]
    pub fn vars(&self) -> &[crate::Var] {
        &self.declared.vars
    }

    /// The number of a sort.
    #[must_use]
    pub fn sort_id(&self, sort: &Sort) -> Option<SortId> {
        self.core.sort_id(sort)
    }

    /// The number of a predicate.
    #[must_use]
    pub fn pred(&self, name: &Name) -> Option<PredId> {
        self.core.pred(name)
    }

    /// The cases of a predicate.
    ///
    /// # Errors
    /// If its definition is no disjunction of symbolic heaps.
    pub fn cases(&self, pred: PredId) -> Result<&[Clause], Reason> {
        self.core.predicate(pred).map(|predicate| predicate.cases.as_slice())
    }

    /// The definition of a predicate as text.
    ///
    /// # Errors
    /// If it is no disjunction of symbolic heaps.
    pub fn show_definition(&self, pred: PredId) -> Result<String, Reason> {
        let predicate = self.core.predicate(pred)?;
        let params: Vec<Name> = predicate.written.iter().map(|param| param.name.clone()).collect();
        let case = |case: &Clause| {
            let names =
                super::Names { system: self.core.system(), vars: &params, sorts: &case.sorts };
            let all: Vec<Var> = (0..case.sorts.len() as Var).collect();
            let exist = all.iter().copied().skip(case.free);
            names.exists(exist, &super::Heap::instance(case, &all))
        };
        let cases: Vec<String> = predicate.cases.iter().map(case).collect();
        let none = || "false".to_owned();
        let body = if cases.is_empty() { none() } else { cases.join(" || ") };
        let params: Vec<&str> = params.iter().map(Name::as_str).collect();
        Ok(format!("{}({}) := {body}", predicate.name, params.join(", ")))
    }

    /// A symbolic heap as text.
    #[must_use]
    pub fn show(&self, heap: &SymHeap) -> String {
        // Existential variables come after those of the scope.
        let nils = self.nils();
        let first = nils + self.declared.vars.len();
        let sorts: Vec<SortId> = (0..nils)
            .chain(self.declared.sorts.iter().map(|sort| sort.unwrap_or(UNKNOWN)))
            .chain(heap.existentials().iter().copied())
            .collect();
        let number = |v: Var| super::symheap::index(v).map_or(v, |i| (first + i) as Var);
        let exist = (first..sorts.len()).map(|v| v as Var);
        let names =
            super::Names { system: self.core.system(), vars: &self.declared.names, sorts: &sorts };
        names.exists(exist, &heap.atoms().renamed(&number))
    }
}
