//! Questions: what has a model, and what entails what.

use std::sync::Arc;

use sl::core::{Assertion, Clauses, Scope, Selection};
use sl::procedure::{Later, Meter};
use sl::proof;
use sl::{
    Answer, Budget, Defs, Entailment, Formula, Inference, Limit, Loc, Model, Procedure, Proof,
    Reason, Satisfiability, Semantics, Signature, SymbolicHeap, Value,
};

use crate::base::Table;
use crate::derivation::{self, Derivation, Written};
use crate::frame;
use crate::invariant;
use crate::prepared::{Extended, Prepared, REFINE_WORK};
use crate::propositional;
use crate::prove::Prover;
use crate::prove::trace::Trace;
use crate::reach::Search;
use crate::refute::{Effort, Refutation};
use crate::sequent::{Heap, Sequent};
use crate::system::{Call, Clause, PredId, System, Var};
use crate::unfold::{End, Unfolder};

/// Steps for circuits and counters.
const PROPOSITIONAL_WORK: u64 = 300_000_000;
/// Steps for choosing bases for a formula.
const CHOICE_WORK: u64 = 500_000;
/// The largest derivation that is made a model of.
const MAX_NODES: usize = 3_000_000;
/// Steps for derivations with given integers, and for how many choices of bases those are looked for.
const REACH_WORK: usize = 3_000_000;
const MAX_ATTEMPTS: u32 = 40;
/// Steps for unfolding at first.
const SMALL_WORK: u64 = 1_000;
/// Steps for unfolding, and how many instances there may be.
const UNFOLD_WORK: u64 = 20_000;
const UNFOLD_SIZE: usize = 60;

/// What is tried to refute an entailment before and after a proof is looked for.
pub(crate) const FIRST_EFFORT: Effort = Effort { work: 300, size: 8, models: 60 };
pub(crate) const LAST_EFFORT: Effort = Effort { work: 5_000, size: 14, models: 1_500 };
/// The same for a proof that is looked for before anything else.
pub(crate) const AT_ONCE: (u32, u64) = (2, 40);
/// How deep proofs are, and how many steps are made to find one, in all.
pub(crate) const EFFORTS: [(u32, u64); 2] = [(6, 9_000), (12, 60_000)];

/// The procedure. Every model was checked along its derivation. When it is late it gives up; single
/// steps may take seconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Induct;

impl Procedure for Induct {
    fn name(&self) -> &'static str {
        "induct"
    }

    fn satisfiable(
        &mut self,
        scope: &Scope,
        assertion: &Assertion,
        budget: &mut Budget,
    ) -> Answer<Satisfiability> {
        let found =
            within(budget, |meter| Ok(Question::new(scope, assertion, None, meter)?.satisfiable()));
        found.map(|found| match found {
            Found::Model(model) => Satisfiability::Sat(model),
            Found::Nothing => Satisfiability::Unsat(refutation(scope, assertion)),
        })
    }

    fn entails(
        &mut self,
        scope: &Scope,
        left: &Assertion,
        right: &Assertion,
        budget: &mut Budget,
    ) -> Answer<Entailment> {
        within(budget, |meter| Ok(Question::new(scope, left, Some(right), meter)?.entailment()))
    }

    fn frame(
        &mut self,
        scope: &Scope,
        h: &Assertion,
        g: &Assertion,
        budget: &mut Budget,
    ) -> Answer<Inference> {
        within(budget, |meter| Ok(frame::frame(scope, h, g, meter).into()))
    }
}

/// Answers a question, and counts what it took.
fn within<T>(
    budget: &mut Budget,
    ask: impl FnOnce(&Meter) -> Result<Answer<T>, Reason>,
) -> Answer<T> {
    let meter = budget.meter();
    let answer = match meter.limit() {
        Some(limit) => Answer::GaveUp(limit),
        None => ask(&meter).unwrap_or_else(Answer::OutOfFragment),
    };
    budget.spend(&meter);
    answer
}

/// The answer to the question for a model.
enum Found {
    Model(Model),
    Nothing,
}

/// A proof that an assertion entails `false`, looked for when somebody wants to see one. Bases and
/// invariants decide many questions for which no cyclic proof is found.
fn refutation(scope: &Scope, assertion: &Assertion) -> Proof {
    let (scope, assertion) = (scope.clone(), assertion.clone());
    Proof::Later(proof_later(scope, assertion, Assertion::never()))
}

/// A proof of an entailment that is known to be valid, looked for when somebody wants to see one.
#[must_use]
pub fn proof_later(scope: Scope, left: Assertion, right: Assertion) -> Later {
    Later::new(move || {
        let meter = Meter::default();
        let question = Question::new(&scope, &left, Some(&right), &meter).ok()?;
        question.proved(&[AT_ONCE], false).or_else(|| question.proved(&EFFORTS, true))
    })
}

/// Is there a proof that every model of the first formula is one of the second? Nobody looks for a
/// counterexample.
#[must_use]
pub fn proves(
    signature: &Signature,
    semantics: Semantics,
    left: &Formula,
    right: &Formula,
) -> bool {
    let defs = Defs::new(signature.clone(), semantics);
    let (scope, left, right) = sl::ask::lowered(&defs, left, right);
    let meter = Meter::default();
    let question = Question::new(&scope, &left, Some(&right), &meter);
    question.is_ok_and(|question| question.proved(&EFFORTS, true).is_some())
}

/// What is asked, with all variables in one row.
pub(crate) struct Question<'a> {
    scope: &'a Scope,
    prepared: Arc<Prepared>,
    meter: &'a Meter,
    numbers: Vec<Var>,
    free: Vec<sl::Var>,
    selection: Arc<Selection>,
    left: Vec<Clause>,
    right: Vec<Clause>,
    /// The same as it was written.
    assertions: (&'a Assertion, Option<&'a Assertion>),
}

impl<'a> Question<'a> {
    pub(crate) fn new(
        scope: &'a Scope,
        left: &'a Assertion,
        right: Option<&'a Assertion>,
        meter: &'a Meter,
    ) -> Result<Question<'a>, Reason> {
        // There is more to integers than which of them are equal; who asks translates them before.
        if sl::addresses::are_integers(scope.defs().signature()) {
            return Err(Reason::NoLocations(sl::Sort::Int));
        }
        let clauses = Clauses::new(scope, left, right)?;
        let free = clauses.vars(scope);
        let prepared = Prepared::of(scope.defs(), &clauses.selection);
        let Clauses { selection, free: numbers, left: lefts, right: rights } = clauses;
        let (left, right, assertions) = (lefts, rights, (left, right));
        Ok(Question { scope, prepared, meter, numbers, free, selection, left, right, assertions })
    }

    /// The variables of the scope that are free, in the order of their numbers here.
    pub(crate) fn free_vars(&self) -> &[Var] {
        &self.numbers
    }

    /// The number of a predicate in the scope; `None` if it is one of those that proofs introduce.
    pub(crate) fn origin(&self, pred: PredId) -> Option<PredId> {
        self.selection.origin.get(pred).copied()
    }

    fn system(&self) -> &System {
        &self.prepared.system
    }

    fn signature(&self) -> &Signature {
        self.scope.defs().signature()
    }

    /// The disjuncts of the left side as they were written, with their clauses. Models are checked by
    /// what was written.
    fn written(&self) -> Result<Vec<(SymbolicHeap, &Clause)>, Reason> {
        let heaps = self.assertions.0.written(self.scope)?;
        if heaps.len() != self.left.len() {
            return Err(Reason::NoSymbolicHeap);
        }
        Ok(heaps.into_iter().zip(&self.left).collect())
    }

    /// Is there a model of the left side that is none of the right?
    fn entailment(&self) -> Answer<Entailment> {
        // Most proofs are short, and found sooner than models are tried.
        if let Some(derivations) = self.proved(&[AT_ONCE], false) {
            let proof = Proof::Derivations(Arc::new(derivations));
            return Answer::Decided(Entailment::Valid(proof));
        }
        if let Some(model) = self.refuted(FIRST_EFFORT) {
            return Answer::Decided(Entailment::Invalid(model));
        }
        if let Some(derivations) = self.proved(&EFFORTS, true) {
            let proof = Proof::Derivations(Arc::new(derivations));
            return Answer::Decided(Entailment::Valid(proof));
        }
        match self.refuted(LAST_EFFORT) {
            Some(model) => Answer::Decided(Entailment::Invalid(model)),
            None => {
                let over = self.meter.limit();
                Answer::GaveUp(over.unwrap_or(Limit::NeitherProofNorModel))
            }
        }
    }

    pub(crate) fn refuted(&self, effort: Effort) -> Option<Model> {
        let right = self.assertions.1?.formula(self.scope).ok()?;
        let refutation = Refutation {
            known: &self.prepared,
            meter: self.meter,
            signature: self.signature(),
            semantics: self.scope.defs().semantics(),
            right: &right,
        };
        self.written().ok()?.iter().find_map(|(heap, clause)| {
            refutation.find(Written { heap, clause, free: &self.free }, effort)
        })
    }

    /// A proof for each disjunct of the left side, of the sequent as it is or of variants of it.
    pub(crate) fn proved(
        &self,
        efforts: &[(u32, u64)],
        variants: bool,
    ) -> Option<Vec<proof::Derivation>> {
        let nils = self.system().nils();
        // A disjunction on the right is an instance of a predicate of its own.
        let mut own = None;
        let several = match self.right.as_slice() {
            [_] => None,
            cases => {
                let sorts = self.left.first().map(|clause| &clause.sorts);
                let Some(sorts) = sorts else { return Some(Vec::new()) };
                if cases.iter().any(|case| case.open) {
                    return None;
                }
                let params = sorts[nils..nils + self.free.len()].to_vec();
                let mut system = self.system().clone();
                let pred = system.add("the right side", params, cases.to_vec());
                own = Some(Extended::new(system));
                Some(pred)
            }
        };
        let known = own.as_ref().unwrap_or_else(|| self.prepared.extended());
        let mut facts = None;
        let prove = |left: &Clause| {
            let mut prover = Prover::with(known, self.meter);
            let free: Vec<Var> =
                left.sorts[nils..left.free].iter().map(|sort| prover.fresh(*sort)).collect();
            let mut instance = |clause: &Clause| {
                let mut scope: Vec<Var> = (0..nils as Var).collect();
                scope.extend(&free);
                let more: Vec<Var> =
                    clause.sorts[clause.free..].iter().map(|sort| prover.fresh(*sort)).collect();
                scope.extend(&more);
                (Heap::instance(clause, &scope), more)
            };
            let (left, _) = instance(left);
            let (right, exist) = match (several, self.right.first()) {
                (Some(pred), _) => {
                    let call = Call { pred, args: free.clone() };
                    (Heap { calls: vec![call], ..Heap::default() }, Vec::new())
                }
                (None, Some(clause)) => instance(clause),
                (None, None) => return None,
            };
            let sequent = Sequent { left, right, exist: exist.into_iter().collect() };
            let all = if variants {
                prover.questions(&sequent)
            } else {
                vec![(sequent, Trace::default())]
            };
            // A little effort for each, then more; what one leaves is for the next ones.
            let tree = efforts.iter().find_map(|(depth, steps)| {
                let mut rest = *steps;
                all.iter().enumerate().find_map(|(i, (sequent, trace))| {
                    let share = rest / (all.len() - i) as u64;
                    let (proved, left) = prover.proves(sequent, *depth, share);
                    rest -= share - left;
                    proved.map(|tree| trace.clone().close(tree))
                })
            })?;
            let facts = facts.get_or_insert_with(|| Arc::new(prover.known())).clone();
            Some(proof::Derivation {
                system: known.system.clone(),
                given: self.system().predicates.len(),
                facts,
                names: self.free.iter().map(|var| var.name.clone()).collect(),
                sorts: prover.sorts().to_vec(),
                lemmas: prover.proved,
                tree,
            })
        };
        self.left.iter().map(prove).collect()
    }

    /// The answer if no definition says anything of the heap.
    fn propositional(&self) -> Option<Found> {
        for clause in &self.left {
            let Some(values) = propositional::decide(self.system(), clause, PROPOSITIONAL_WORK)?
            else {
                continue;
            };
            let stack = self.free.iter().zip(&clause.sorts[self.system().nils()..]).zip(values);
            let stack = stack.map(|((var, sort), set)| {
                let loc = if set { Loc(*sort as u32 + 1) } else { Loc::NIL };
                (var.name.clone(), Value::Loc(loc))
            });
            return Some(Found::Model(Model { stack: stack.collect(), ..Model::default() }));
        }
        Some(Found::Nothing)
    }

    fn satisfiable(&self) -> Answer<Found> {
        if let Some(answer) = self.propositional() {
            return Answer::Decided(answer);
        }
        if let Some(limit) = self.meter.limit() {
            return Answer::GaveUp(limit);
        }
        let table = self.prepared.table();
        let written = match self.written() {
            Ok(written) => written,
            Err(reason) => return Answer::OutOfFragment(reason),
        };
        let mut unknown = None;
        for (heap, clause) in &written {
            match self.disjunct(table, heap, clause) {
                Ok(Found::Nothing) => {}
                Ok(sat) => return Answer::Decided(sat),
                Err(limit) => unknown = Some(limit),
            }
        }
        unknown.map_or(Answer::Decided(Found::Nothing), |limit| {
            Answer::GaveUp(self.meter.limit().unwrap_or(limit))
        })
    }

    /// Do the integers of a clause contradict each other, by what instances always say of theirs?
    fn is_arithmetically_false(&self, clause: &Clause) -> bool {
        let (invariants, remainders) = (self.prepared.invariants(), self.prepared.remainders());
        let mut facts = invariant::facts(clause, invariants, self.system().nils());
        facts.extend(invariant::of_calls(clause, remainders));
        arith::contradictory(&facts)
    }

    fn disjunct(
        &self,
        table: &Table,
        heap: &SymbolicHeap,
        clause: &Clause,
    ) -> Result<Found, Limit> {
        let choice = table.consistent(clause, CHOICE_WORK);
        if choice == Some(None) && table.complete {
            return Ok(Found::Nothing);
        }
        let written = Written { heap, clause, free: &self.free };
        let arithmetic = self.system().has_arithmetic() || !clause.linear.is_empty();
        if let Some(Some(choice)) = choice.filter(|_| !arithmetic) {
            let derivation = Derivation::of_bases(table, clause, &choice, self.system(), MAX_NODES);
            let Some(derivation) = derivation else {
                return Err(Limit::ModelSize);
            };
            return match derivation::model(self.system(), self.signature(), written, &derivation) {
                Some(model) => Ok(Found::Model(model)),
                None => Err(Limit::Unconfirmed),
            };
        }
        if self.is_arithmetically_false(clause) {
            return Ok(Found::Nothing);
        }
        let unfold = |work: u64, size: usize| {
            let (mut found, mut failed) = (None, false);
            let mut accept = |d: &Derivation| {
                found = derivation::model(self.system(), self.signature(), written, d);
                failed |= found.is_none();
                found.is_some()
            };
            let end =
                Unfolder::new(&self.prepared, self.meter, work).each(clause, size, &mut accept);
            match (found, end) {
                (Some(model), _) => Some(Found::Model(model)),
                // Every derivation contradicts itself.
                (None, End::Exhausted) if !failed => Some(Found::Nothing),
                _ => None,
            }
        };
        // Small models are better to read, but there may be large ones only.
        unfold(SMALL_WORK, UNFOLD_SIZE)
            .or_else(|| self.by_numbers(written))
            .or_else(|| unfold(UNFOLD_WORK, UNFOLD_SIZE))
            .ok_or(Limit::NoSmallModel)
    }

    /// The answer if it follows from what the bases and the integers of calls say together.
    fn by_numbers(&self, written: Written<'_>) -> Option<Found> {
        if self.meter.is_over() {
            return None;
        }
        let refined = self.prepared.refined()?;
        let mut search = Search::new(refined, REACH_WORK);
        let mut attempts = 0;
        for clause in refined.clauses(written.clause, &mut { REFINE_WORK })? {
            if refined.is_false(&clause) {
                continue;
            }
            if let Some(reached) = search.find(&clause, MAX_NODES) {
                drop(search);
                return reached.model(self.system(), self.signature(), written).map(Found::Model);
            }
            attempts += 1;
            if attempts == MAX_ATTEMPTS {
                return None;
            }
        }
        (attempts == 0).then_some(Found::Nothing)
    }
}
