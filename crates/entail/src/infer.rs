//! Frames and anti-frames, by whoever finds one.

use std::collections::BTreeSet;

use induct::Induct;
use sl::ask;
use sl::core::{Assertion, Scope};
use sl::formula::Kind;
use sl::procedure::NoProof;
use sl::{
    Answer, Budget, Defs, Entailment, Formula, Inference, Procedure, Proof, Reason, Satisfiability,
    SymbolicHeap, Term,
};

use crate::portfolio::Portfolio;
use crate::subtract::{Oracle, Subtraction};

impl Portfolio {
    /// A frame that is read off a proof; else one by a solver, or by subtraction.
    pub(crate) fn frame_of_locations(
        &mut self,
        scope: &Scope,
        h: &Assertion,
        g: &Assertion,
        budget: &mut Budget,
    ) -> Answer<Inference> {
        if let found @ Answer::Decided(_) = Induct.frame(scope, h, g, budget) {
            budget.stats.procedure = Some(Induct.name());
            return found;
        }
        // Guesses are confirmed by whoever can; the proof is looked for when somebody wants to see it.
        let proved = |inference: Inference, otherwise: NoProof| {
            with_proof(scope, inference, otherwise, |frame| Ok((h.clone(), g.star(scope, frame)?)))
        };
        let answer = self.by_solver(budget, |s, budget| s.frame(scope, h, g, budget));
        if let Answer::Decided(inference) = answer {
            return Answer::Decided(proved(inference, NoProof::Solver));
        }
        let (Ok(left), Ok(right)) = (h.formula(scope), g.formula(scope)) else { return answer };
        let (defs, h, g) = (scope.defs(), &left, &right);
        let part = Formula::sep(vec![g.clone(), Kind::True.into()]);
        let found = ask::entails(self, defs, h, &part, budget);
        if let Answer::Decided(Entailment::Invalid(model)) = found {
            budget.stats.procedure = Some(Induct.name());
            return Answer::Decided(Inference::Nothing(Some(model)));
        }
        let mut questions = Questions { portfolio: self, budget, defs, h, g };
        let frame = if questions.is_unsatisfiable(h) {
            Some(Kind::False.into())
        } else {
            let (signature, semantics) = (defs.signature(), defs.semantics());
            Subtraction::new(signature, semantics, h, g).frame(&mut questions, h, g)
        };
        let found = frame.map(|frame| guessed(scope, &frame));
        let found = found.map(|inference| proved(inference, NoProof::NotRecorded));
        by_subtraction(found, answer, budget)
    }

    pub(crate) fn abduce_locations(
        &mut self,
        scope: &Scope,
        h: &Assertion,
        g: &Assertion,
        budget: &mut Budget,
    ) -> Answer<Inference> {
        let proved = |inference: Inference, otherwise: NoProof| {
            with_proof(scope, inference, otherwise, |less| Ok((h.star(scope, less)?, g.clone())))
        };
        let answer = self.by_solver(budget, |s, budget| s.abduce(scope, h, g, budget));
        if let Answer::Decided(inference) = answer {
            return Answer::Decided(proved(inference, NoProof::Solver));
        }
        let (Ok(left), Ok(right)) = (h.formula(scope), g.formula(scope)) else { return answer };
        let (defs, h, g) = (scope.defs(), &left, &right);
        let mut questions = Questions { portfolio: self, budget, defs, h, g };
        let inference = if questions.nothing_helps() {
            Some(Inference::Nothing(None))
        } else {
            questions.missing().map(|missing| guessed(scope, &missing))
        };
        let found = inference.map(|inference| proved(inference, NoProof::NotRecorded));
        by_subtraction(found, answer, budget)
    }

    fn by_solver(
        &mut self,
        budget: &mut Budget,
        question: impl FnOnce(&mut grass::Solver, &mut Budget) -> Answer<Inference>,
    ) -> Answer<Inference> {
        budget.stats.procedure = Some("grass");
        match self.grass() {
            Err(limit) => Answer::GaveUp(limit),
            Ok(solver) => question(solver, budget),
        }
    }
}

/// Frames mention no variables that the question does not, so the scope has them all.
fn guessed(scope: &Scope, formula: &Formula) -> Inference {
    Inference::Found(scope.clone().lower(formula), Proof::None(NoProof::NotRecorded))
}

/// What was found with a proof of the entailment that this makes of it, or the reason why there is none.
fn with_proof(
    scope: &Scope,
    inference: Inference,
    otherwise: NoProof,
    entailment: impl FnOnce(&Assertion) -> Result<(Assertion, Assertion), Reason>,
) -> Inference {
    let Inference::Found(found, _) = inference else { return inference };
    let proof = match entailment(&found) {
        Ok((left, right)) => {
            Proof::Later(induct::proof_later(scope.clone(), left, right).or_else(otherwise))
        }
        Err(_) => Proof::None(otherwise),
    };
    Inference::Found(found, proof)
}

/// What was found by subtraction, or else what the solver said.
fn by_subtraction(
    found: Option<Inference>,
    solver: Answer<Inference>,
    budget: &mut Budget,
) -> Answer<Inference> {
    match found {
        Some(inference) => {
            budget.stats.procedure = Some(Induct.name());
            Answer::Decided(inference)
        }
        None => {
            budget.stats.procedure = Some("grass");
            solver
        }
    }
}

/// Questions about what was guessed.
struct Questions<'q> {
    portfolio: &'q mut Portfolio,
    budget: &'q mut Budget,
    defs: &'q Defs,
    h: &'q Formula,
    g: &'q Formula,
}

impl Questions<'_> {
    fn model(&mut self, formula: &Formula) -> Option<Satisfiability> {
        ask::satisfiable(self.portfolio, self.defs, formula, self.budget).decided()
    }

    fn is_satisfiable(&mut self, formula: &Formula) -> bool {
        matches!(self.model(formula), Some(Satisfiability::Sat(_)))
    }

    /// Is every extension of `H` inconsistent or no model of `G`? There is an anti-frame only if `H * true`
    /// and `G` hold of some heap.
    fn nothing_helps(&mut self) -> bool {
        let (h, g, semantics) = (self.h, self.g, self.defs.semantics());
        let more = Formula::sep(vec![h.clone(), Kind::True.into()]);
        if self.is_unsatisfiable(&Formula::and(vec![more, g.clone()])) || self.is_unsatisfiable(h) {
            return true;
        }
        // What `H` says of the stack holds of its extensions, too.
        let Some(heaps) = SymbolicHeap::disjuncts(h, semantics) else { return false };
        heaps.iter().all(|heap| {
            let facts = SymbolicHeap { pure: facts(heap), open: true, ..SymbolicHeap::default() };
            let facts = facts.to_formula(semantics);
            self.is_unsatisfiable(&Formula::and(vec![facts, g.clone()]))
        })
    }

    /// An anti-frame: atoms of `G` that `H` has not, or only what is equal.
    fn missing(&mut self) -> Option<Formula> {
        let (h, g) = (self.h, self.g);
        let mut guesses =
            Subtraction::new(self.defs.signature(), self.defs.semantics(), h, g).missing(h, g);
        guesses.extend(self.equations());
        guesses.into_iter().find(|guess| self.is_anti_frame(guess)).map(|guess| self.reduced(guess))
    }

    fn is_anti_frame(&mut self, guess: &Formula) -> bool {
        let (h, g) = (self.h, self.g);
        let whole = Formula::sep(vec![h.clone(), guess.clone()]);
        self.entails(&whole, g) && self.is_satisfiable(&whole)
    }

    /// All that is equal in some extension of `H` that is a model of `G`.
    fn equations(&mut self) -> Option<Formula> {
        let (h, g, semantics) = (self.h, self.g, self.defs.semantics());
        let more = Formula::sep(vec![h.clone(), Kind::True.into()]);
        let both = Formula::and(vec![more, g.clone()]);
        let Some(Satisfiability::Sat(model)) = self.model(&both) else { return None };
        let mut vars = h.free_vars();
        vars.extend(g.free_vars());
        let vars: Vec<_> = vars.into_iter().filter(|var| var.sort.is_loc()).collect();
        let mut pure = Vec::new();
        for (index, a) in vars.iter().enumerate() {
            for b in vars.iter().skip(index + 1) {
                let same = model.stack.get(&a.name) == model.stack.get(&b.name);
                if a.sort == b.sort && same {
                    pure.push(Formula::equal(Term::var(a.clone()), Term::var(b.clone())));
                }
            }
        }
        (!pure.is_empty())
            .then(|| SymbolicHeap { pure, ..SymbolicHeap::default() }.to_formula(semantics))
    }

    /// The anti-frame without pure atoms that it does not need.
    fn reduced(&mut self, guess: Formula) -> Formula {
        let semantics = self.defs.semantics();
        let Some(mut heap) = SymbolicHeap::of(&guess, semantics) else { return guess };
        for index in (0..heap.pure.len()).rev() {
            let mut less = heap.clone();
            less.pure.remove(index);
            if self.is_anti_frame(&less.to_formula(semantics)) {
                heap = less;
            }
        }
        heap.to_formula(semantics)
    }
}

/// What a heap says of its free variables: its pure atoms, and that its cells are apart from each other
/// and from `nil`.
fn facts(heap: &SymbolicHeap) -> Vec<Formula> {
    let hidden: BTreeSet<_> = heap.vars.iter().map(|var| var.name.clone()).collect();
    let mut facts = heap.pure.clone();
    let mut cells: Vec<&Term> = Vec::new();
    for atom in &heap.spatial {
        let Kind::PointsTo(loc, _) = atom.kind() else { continue };
        if loc.sort().is_loc() {
            facts.push(Formula::different(loc.clone(), Term::nil(loc.sort())));
        }
        for other in cells.iter().filter(|other| other.sort() == loc.sort()) {
            facts.push(Formula::different((*other).clone(), loc.clone()));
        }
        cells.push(loc);
    }
    facts.retain(|fact| fact.free_vars().iter().all(|var| !hidden.contains(&var.name)));
    facts
}

impl Oracle for Questions<'_> {
    fn is_unsatisfiable(&mut self, formula: &Formula) -> bool {
        matches!(self.model(formula), Some(Satisfiability::Unsat(_)))
    }

    fn entails(&mut self, left: &Formula, right: &Formula) -> bool {
        ask::entails(self.portfolio, self.defs, left, right, self.budget).is_valid()
    }
}
