//! Disjunctions of so many heaps that they are not written out.
//!
//! Where a formula must not hold, none of its disjuncts must, and `*` multiplies them. Such a formula gets
//! a name. A model in which the name does not hold and the formula does shows one disjunct for which that
//! is so; the solver is told that the name holds if this one does, and asked again. It is never told the
//! same twice, so this ends.

use std::collections::BTreeSet;

use sl::core::{Definitions, Form, Ident};
use sl::formula::Kind;
use sl::procedure::Unknown;
use sl::{Evaluator, Model, Truth, Variable};
use smt::{Session, Term};

use crate::logic;
use crate::logic::Reduced;
use crate::paths::Paths;
use crate::readback::ReadBack;
use crate::translate::{Footprint, OverlaidHeap, Scope, Translator};

/// A formula that must not hold if its name does not.
#[derive(Clone)]
pub(crate) struct Postponed {
    name: Term,
    formula: Form,
    footprint: Footprint,
    scope: Scope,
    /// Disjuncts of which the solver has been told.
    told: Vec<Form>,
}

impl Translator<'_> {
    /// A name for a formula about a footprint.
    pub(crate) fn postpone(
        &mut self,
        formula: &Form,
        footprint: &Footprint,
    ) -> Result<logic::Formula, Unknown> {
        // What is in the footprint has to be known of all nodes.
        let (own, _) = self.footprint("later");
        for (loc, set) in &own {
            let Some(whole) = footprint.get(loc) else { continue };
            let sort = self.node_sort(loc)?;
            self.definitions.push(logic::Formula::Equal(sort, set.clone(), whole.clone()));
        }
        for var in formula.free_vars() {
            let term = self.var(&var)?;
            self.theory.keep(term);
        }
        let name = self.theory.terms.fresh("later", smt::Sort::Bool);
        let scope = self.scope();
        let formula = formula.clone();
        self.postponed.push(Postponed { name, formula, footprint: own, scope, told: Vec::new() });
        Ok(logic::Formula::Atom(name))
    }

    /// Finds what the solver has to be told of its model: is there something?
    pub(crate) fn choose_disjunct(
        &mut self,
        session: &mut Session,
        (reduced, paths): (&Reduced, &Paths),
    ) -> Result<bool, Unknown> {
        let mut any = false;
        for index in 0..self.postponed.len() {
            let one = self.postponed[index].clone();
            let value = session.model_values(&self.theory.terms, &[one.name]);
            if value.first().is_none_or(|value| value.as_deref() == Some("true")) {
                continue;
            }
            let outer = self.enter(one.scope);
            let free = distinctly_named(&one.formula);
            let model = ReadBack::new(session, self, &one.footprint, reduced, paths).model(&free);
            let disjunct = model.and_then(|model| self.narrowed(&model, &free, &one.formula));
            let told = match disjunct.filter(|disjunct| !one.told.contains(disjunct)) {
                Some(disjunct) => self.tell(index, disjunct, &one.footprint).map(|()| true),
                None => Ok(false),
            };
            self.enter(outer);
            any |= told?;
        }
        Ok(any)
    }

    /// A disjunct that holds in the model, if one does.
    fn narrowed(&self, model: &Model, free: &BTreeSet<Ident>, formula: &Form) -> Option<Form> {
        let evaluator = Evaluator::new(self.signature, self.semantics);
        let free: Vec<Ident> = free.iter().cloned().collect();
        let definitions: &Definitions = self.defs.core();
        let holds = |form: &Form| {
            let named = definitions.named(form, &free);
            named.is_ok_and(|named| evaluator.holds(model, &named) == Truth::True)
        };
        let mut formula = Some(formula.clone()).filter(holds)?;
        while let Some(options) = options(&formula) {
            formula = options.into_iter().find(holds)?;
        }
        Some(formula)
    }

    /// The name of a formula holds if this disjunct of it does.
    fn tell(&mut self, index: usize, disjunct: Form, footprint: &Footprint) -> Result<(), Unknown> {
        let holds = self.translate(&disjunct, footprint, false)?;
        let name = logic::Formula::Atom(self.postponed[index].name);
        self.definitions.push(logic::Formula::Or(vec![name, holds.negation()]));
        self.postponed[index].told.push(disjunct);
        Ok(())
    }
}

/// Is it a disjunction of heaps, however many?
pub(crate) fn is_disjunction(formula: &Form, semantics: sl::Semantics) -> bool {
    match formula.kind() {
        Kind::Wand(..) | Kind::Forall(..) => false,
        Kind::Not(_) => OverlaidHeap::disjuncts(formula, semantics).is_some(),
        _ => formula.parts().into_iter().all(|part| is_disjunction(part, semantics)),
    }
}

/// The disjuncts of a formula, if there are no more than this.
pub(crate) fn disjuncts(formula: &Form, most: usize) -> Option<Vec<Form>> {
    let (mut pending, mut all) = (vec![formula.clone()], Vec::new());
    while let Some(formula) = pending.pop() {
        match options(&formula) {
            Some(options) => pending.extend(options.into_iter().rev()),
            None => all.push(formula),
        }
        if pending.len() + all.len() > most {
            return None;
        }
    }
    Some(all)
}

/// The free variables, with names that are different: some may be bound further outside, and be called
/// as others are.
fn distinctly_named(formula: &Form) -> BTreeSet<Ident> {
    let mut taken = BTreeSet::new();
    let distinct = |ident: Ident| {
        let Ident { number, name, sort } = ident;
        let sl::Var { name, sort } = sl::Var { name, sort }.apart_from(&taken);
        taken.insert(name.clone());
        Ident { number, name, sort }
    };
    formula.free_vars().into_iter().map(distinct).collect()
}

/// The formula with each part of its first disjunction in place of that; `None` if it has none.
fn options(formula: &Form) -> Option<Vec<Form>> {
    let with = |kind| Form::new(kind, formula.pos());
    match formula.kind() {
        Kind::Or(parts) => Some(parts.clone()),
        Kind::Exists(vars, body) => {
            let rebuild = |body| with(Kind::Exists(vars.clone(), body));
            Some(options(body)?.into_iter().map(rebuild).collect())
        }
        Kind::Sep(parts) | Kind::And(parts) => {
            let (index, options) =
                parts.iter().enumerate().find_map(|(i, part)| Some((i, options(part)?)))?;
            let rebuild = |option| {
                let mut parts = parts.clone();
                parts[index] = option;
                let is_sep = matches!(formula.kind(), Kind::Sep(_));
                with(if is_sep { Kind::Sep(parts) } else { Kind::And(parts) })
            };
            Some(options.into_iter().map(rebuild).collect())
        }
        _ => None,
    }
}
