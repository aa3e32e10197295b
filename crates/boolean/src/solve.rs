//! Questions to the solver, one after the other, until there is a model or there is none.

use std::path::PathBuf;
use std::time::Duration;

use sl::core::{Assertion, Form, Scope};
use sl::procedure::{Meter, NoProof, SolverFault, Unknown};
use sl::{
    Answer, Budget, Entailment, Evaluator, Limit, Model, Procedure, Proof, Satisfiability, Truth,
};
use smt::{Config, Limits, Session, SolverError, Term};

use crate::form::{Builder, FormId};
use crate::heap::Heaps;
use crate::readback::ReadBack;
use crate::stack::Stack;
use crate::translate::{HeapId, Translator};
use crate::world::TooHard;

/// A solver gives no proofs that we could read.
const BY_SOLVER: Proof = Proof::None(NoProof::Solver);

/// A question about more addresses is too large: each may be equal to each.
const MAX_ADDRESSES: usize = 1000;

/// How to talk to a solver that is this program. The time is for one question to it.
#[must_use]
pub fn config(solver: PathBuf, timeout: Duration) -> Config {
    let options = [("auto_config", "false"), ("smt.random_seed", "0")];
    Config {
        solver,
        options: options.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect(),
        limits: Limits { rlimit: None, timeout },
        deadline: None,
        cancel: None,
        profile: false,
        native: false,
    }
}

/// Decides questions, one after the other, with one solver.
pub struct Solver {
    session: Session,
    meter: Meter,
}

impl Solver {
    /// A solver that is started by the first question that needs it.
    #[must_use]
    pub fn new(config: Config) -> Solver {
        Solver { session: Session::new(config), meter: Meter::default() }
    }

    /// Is there a model of all of these formulas?
    ///
    /// # Errors
    /// If the formulas are not of Boolean separation logic, or the solver does not know.
    pub fn model(&mut self, scope: &Scope, formulas: &[Form]) -> Result<Satisfiability, Unknown> {
        let (signature, semantics) = (scope.defs().signature(), scope.defs().semantics());
        let mut stack = Stack::new(signature)?;
        for formula in formulas {
            stack.identify(formula)?;
        }
        for var in formulas.iter().flat_map(Form::free_vars) {
            stack.variable(&var)?;
        }
        let mut builder = Builder::new(&mut stack, scope.core(), semantics);
        let question = builder.question(formulas)?;
        let forms = builder.forms;
        if forms.addresses.len() > MAX_ADDRESSES {
            return Err(Limit::Addresses(MAX_ADDRESSES).into());
        }
        let mut heaps = Heaps::new(&mut stack, &forms);
        let (base, known) = heaps.base();
        let mut translator = Translator::new(heaps, self.meter.clock().clone());
        let base = translator.add(base);
        let mut facts = std::mem::take(&mut translator.heaps.stack.facts);
        facts.push(known);
        facts.push(translator.says(question, base, true));
        let (session, meter) = (&mut self.session, &self.meter);
        let found = Search { translator, session, meter, question, base, mentioned: 0 }.run(facts);
        self.session.clear();
        let Some(model) = found? else { return Ok(Satisfiability::Unsat(BY_SOLVER)) };
        let evaluator = Evaluator::new(signature, semantics);
        match evaluator.holds(&model, &scope.named(&Form::and(formulas.to_vec()))?) {
            Truth::True => Ok(Satisfiability::Sat(model)),
            _ => Err(Limit::Unconfirmed.into()),
        }
    }

    /// Does something within a budget.
    fn within<T>(
        &mut self,
        budget: &mut Budget,
        question: impl FnOnce(&mut Solver) -> Result<T, Unknown>,
    ) -> Answer<T> {
        self.meter = budget.meter();
        if let Some(limit) = self.meter.limit() {
            return Answer::GaveUp(limit);
        }
        self.session.set_deadline(budget.clock.deadline);
        self.session.set_cancel(budget.clock.cancel.clone());
        let answer = question(self);
        budget.spend(&self.meter);
        answer.into()
    }
}

impl Procedure for Solver {
    fn name(&self) -> &'static str {
        "boolean"
    }

    fn satisfiable(
        &mut self,
        scope: &Scope,
        assertion: &Assertion,
        budget: &mut Budget,
    ) -> Answer<Satisfiability> {
        self.within(budget, |solver| solver.model(scope, &[assertion.form(scope)?]))
    }

    /// A solver proves that something has no model, so it is asked for a counterexample.
    fn entails(
        &mut self,
        scope: &Scope,
        left: &Assertion,
        right: &Assertion,
        budget: &mut Budget,
    ) -> Answer<Entailment> {
        let found = self.within(budget, |solver| {
            solver.model(scope, &[left.form(scope)?, Form::negation(right.form(scope)?)])
        });
        found.map(|answer| match answer {
            Satisfiability::Unsat(proof) => Entailment::Valid(proof),
            Satisfiability::Sat(model) => Entailment::Invalid(model),
        })
    }
}

/// What was asked, and with what.
struct Search<'t, 's, 'a> {
    translator: Translator<'s, 'a>,
    session: &'t mut Session,
    meter: &'t Meter,
    question: FormId,
    base: HeapId,
    /// How many universals the solver was told about.
    mentioned: usize,
}

const UNREADABLE: Limit = Limit::Solver(SolverFault::UnreadableModel);

impl From<TooHard> for Limit {
    fn from(_: TooHard) -> Limit {
        Limit::Splits
    }
}

impl<'s, 'a> Search<'_, 's, 'a> {
    fn read(&mut self) -> ReadBack<'_, 's, 'a> {
        ReadBack {
            session: self.session,
            forms: self.translator.heaps.forms,
            stack: self.translator.heaps.stack,
        }
    }

    /// A model of the facts for which the question holds; `None` if there is none.
    fn run(&mut self, mut facts: Vec<Term>) -> Result<Option<Model>, Limit> {
        self.session.push();
        self.mention_all();
        loop {
            if self.translator.is_too_large() {
                return Err(Limit::FormulaSize);
            }
            if !self.meter.step(1) {
                return Err(self.meter.limit().unwrap_or(Limit::Steps));
            }
            for fact in facts {
                self.session.assert(&self.translator.heaps.stack.terms, fact);
            }
            self.mention_heaps();
            match self.session.check() {
                Ok(smt::Answer::Sat) => {}
                Ok(smt::Answer::Unsat) => return Ok(None),
                Ok(smt::Answer::Unknown(why)) => {
                    return Err(Limit::Solver(SolverFault::GaveUp(why)));
                }
                Err(SolverError::Cancelled) => return Err(Limit::Cancelled),
                Err(SolverError::OutOfTime) => return Err(Limit::Time),
                Err(error) => {
                    return Err(Limit::Solver(SolverFault::Failed(error.to_string())));
                }
            }
            match self.missing_instances()? {
                None => return self.model().map(Some),
                Some(more) if more.is_empty() => {
                    return Err(Limit::Solver(SolverFault::WrongModel));
                }
                Some(more) => facts = more,
            }
        }
    }

    /// Everything that is asked for later.
    fn mention_all(&mut self) {
        let heaps = &mut self.translator.heaps;
        let mut all: Vec<Term> = heaps.forms.addresses.iter().map(|place| place.term).collect();
        all.extend(heaps.forms.contents.iter().flat_map(|held| held.value.iter()));
        all.extend(heaps.forms.pure());
        all.extend(heaps.stack.variables().flat_map(|(_, value)| value.iter()));
        let signature = heaps.stack.signature;
        let sorts = signature.sorts.iter().map(|name| sl::Sort::Loc(name.clone()));
        let sorts: Vec<sl::Sort> =
            sorts.chain(signature.heap.iter().map(|cell| cell.loc.clone())).collect();
        for sort in sorts {
            all.extend(heaps.stack.nil(&sort));
        }
        all.extend(self.translator.heap(self.base).terms());
        for term in all {
            self.session.mention(&self.translator.heaps.stack.terms, term);
        }
    }

    /// New universals, and the heaps that they are about.
    fn mention_heaps(&mut self) {
        for universal in self.translator.universals.iter().skip(self.mentioned) {
            let heap = self.translator.heap(universal.heap).terms();
            for term in heap.chain([universal.guard]) {
                self.session.mention(&self.translator.heaps.stack.terms, term);
            }
        }
        self.mentioned = self.translator.universals.len();
    }

    /// `None` if the question holds in the solver's model; else what the model ought to know.
    fn missing_instances(&mut self) -> Result<Option<Vec<Term>>, Limit> {
        let base = self.translator.heap(self.base).clone();
        let mut world = self.read().world().ok_or(UNREADABLE)?;
        let at_first = self.read().heap(&world, &base).ok_or(UNREADABLE)?;
        if world.holds(self.question, &at_first)? {
            return Ok(None);
        }
        let told = self.translator.universals.len();
        let mut found = Vec::new();
        let mut index = 0;
        // What an instance says of all splits and extensions counts at once: it is needed if the
        // instance is. The solver has no opinion on whether it holds.
        while let Some(universal) = self.translator.universals.get(index) {
            let (guard, form) = (universal.guard, universal.form);
            let heap = self.translator.heap(universal.heap).clone();
            let mut read = self.read();
            let heap = if index < told {
                let active = read.truth(guard).ok_or(UNREADABLE)?;
                active.then(|| read.heap(&world, &heap).ok_or(UNREADABLE)).transpose()?
            } else {
                // It cannot be read if new names are in it.
                read.heap(&world, &heap)
            };
            if let Some(heap) = heap
                && let Some(instance) = world.violation(form, &heap)?
            {
                found.extend(self.translator.instantiate(index, instance));
            }
            index += 1;
        }
        Ok(Some(found))
    }

    fn model(&mut self) -> Result<Model, Limit> {
        let base = self.translator.heap(self.base).clone();
        let question = self.question;
        self.read().model(question, &base).ok_or(UNREADABLE)
    }
}
