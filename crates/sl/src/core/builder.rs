//! Definitions that are made by functions, without text.

use std::sync::Arc;

use super::{PredId, Scope, SymHeap, Var};
use crate::procedure::Defs;
use crate::signature::Definition;
use crate::{Cell, Formula, Name, Reason, Record, Semantics, Signature, Sort};

/// Makes [`Defs`] of predicates that are given as values. Their cases are symbolic heaps over the
/// parameters; they may mention all predicates that were declared.
#[derive(Debug)]
pub struct Builder {
    signature: Signature,
    predicates: Vec<Declared>,
    /// Parameters are variables of this scope.
    scope: Scope,
}

#[derive(Debug)]
struct Declared {
    name: Name,
    params: Vec<Var>,
    cases: Vec<SymHeap>,
}

impl Signature {
    /// Adds a sort of locations that hold records with these fields, and says which one it is.
    pub fn add_record<F: Into<Name>>(
        &mut self,
        name: impl Into<Name>,
        fields: impl IntoIterator<Item = (F, Sort)>,
    ) -> Sort {
        let name: Name = name.into();
        let record: Name = format!("{name}_t").into();
        let loc = Sort::Loc(name.clone());
        if !self.sorts.contains(&name) {
            self.sorts.push(name);
        }
        let fields = fields.into_iter().map(|(name, sort)| crate::Var::new(name, sort)).collect();
        self.heap.push(Cell { loc: loc.clone(), content: Sort::Record(record.clone()) });
        self.records.push(Arc::new(Record { name: record.clone(), constructor: record, fields }));
        loc
    }
}

impl Builder {
    /// Starts with sorts and records; predicates of the signature are kept.
    #[must_use]
    pub fn new(signature: Signature) -> Builder {
        let scope = Scope::new(&Defs::new(signature.clone(), Semantics::Precise));
        Builder { signature, predicates: Vec::new(), scope }
    }

    /// Sorts, their `nil`s, and the parameters of predicates.
    #[must_use]
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// Declares a predicate with parameters of these sorts; here is its number.
    ///
    /// # Errors
    /// If there is one of this name, or a sort is neither one of locations nor that of integers.
    pub fn declare(
        &mut self,
        name: impl Into<Name>,
        params: &[(&str, Sort)],
    ) -> Result<PredId, Reason> {
        let name = name.into();
        let is_known = self.predicates.iter().any(|known| known.name == name);
        if is_known || self.signature.predicates.contains_key(&name) {
            return Err(Reason::DefinedTwice(name));
        }
        let mut vars = Vec::with_capacity(params.len());
        for (param, sort) in params {
            let sort = self.scope.sort_id(sort).ok_or(Reason::OtherValues)?;
            let declared = self.scope.declare(*param, sort);
            let is_new = !vars.contains(&declared);
            vars.push(if is_new { declared } else { self.scope.fresh(param, sort) });
        }
        self.predicates.push(Declared { name, params: vars, cases: Vec::new() });
        Ok(self.predicates.len() - 1)
    }

    /// The parameters of a predicate.
    #[must_use]
    pub fn params(&self, pred: PredId) -> &[Var] {
        self.predicates.get(pred).map_or(&[], |declared| &declared.params)
    }

    /// One more case of a predicate.
    pub fn case(&mut self, pred: PredId, case: SymHeap) {
        if let Some(declared) = self.predicates.get_mut(pred) {
            declared.cases.push(case);
        }
    }

    /// The definitions. Numbers of sorts and predicates stay what they are.
    ///
    /// # Errors
    /// If a case is not well-sorted, leaves a part of the heap open, or mentions variables of others.
    pub fn build(mut self) -> Result<Defs, Reason> {
        let order: Vec<Name> = self.predicates.iter().map(|p| p.name.clone()).collect();
        // Names and parameters of all predicates, so that cases can mention them.
        for declared in &self.predicates {
            let params = declared.params.iter().filter_map(|var| self.scope.var(*var).cloned());
            let definition = Definition {
                name: declared.name.clone(),
                params: params.collect(),
                body: Formula::or(Vec::new()),
                pos: report::Pos::None,
            };
            self.signature.predicates.insert(declared.name.clone(), Arc::new(definition));
        }
        let names = Defs::in_order(self.signature.clone(), Semantics::Precise, &order);
        let scope = self.scope.with_definitions(&names);
        for declared in &self.predicates {
            let mut cases = Vec::with_capacity(declared.cases.len());
            for case in &declared.cases {
                let mut is_own = true;
                case.for_each_var(&mut |var| {
                    is_own &= scope.var(var).is_none() || declared.params.contains(&var);
                });
                if !is_own {
                    return Err(Reason::OpenVariable);
                }
                if case.is_open() {
                    return Err(Reason::OpenDefinition);
                }
                let heap = super::raise::heap(&scope, case)?;
                cases.push(scope.named(&heap.to_formula(Semantics::Precise))?);
            }
            if let Some(definition) = self.signature.predicates.get_mut(&declared.name) {
                Arc::make_mut(definition).body = Formula::or(cases);
            }
        }
        Ok(Defs::in_order(self.signature, Semantics::Precise, &order))
    }
}
