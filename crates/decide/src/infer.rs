//! Frames and anti-frames, by whoever finds one.

use std::collections::BTreeSet;
use std::time::Instant;

use grass::{Inference, Work};
use sl::addresses;
use sl::formula::Kind;
use sl::{Formula, Semantics, Signature, SymbolicHeap, Term, Verdict};

use crate::subtract::{Oracle, Subtraction};
use crate::{Inferred, Procedure, Procedures};

/// Two formulas, and how they are read.
pub(crate) struct Pair {
    pub(crate) signature: Signature,
    pub(crate) semantics: Semantics,
    pub(crate) h: Formula,
    pub(crate) g: Formula,
}

impl Pair {
    /// An answer about locations that are integers, by one about others.
    fn without_integer_locations(&self, ask: impl FnOnce(&Pair) -> Inferred) -> Inferred {
        if !addresses::are_integers(&self.signature) {
            return ask(self);
        }
        let both = [self.h.clone(), self.g.clone()];
        let translated = match addresses::translate(&self.signature, self.semantics, &both) {
            Ok(translated) => translated,
            Err(reason) => return by_grass(Inference::Unknown(reason), Work::default()),
        };
        let [h, g] = translated.formulas.as_slice() else {
            return by_grass(
                Inference::Unknown("there are not two formulas".into()),
                Work::default(),
            );
        };
        let mut parts = vec![h.clone()];
        parts.extend(translated.facts.iter().cloned());
        let signature = translated.signature.clone();
        let pair =
            Pair { signature, semantics: self.semantics, h: Formula::and(parts), g: g.clone() };
        let answer = ask(&pair);
        let unclear = || Inference::Unknown("the answer is about computed addresses".into());
        let inference = match answer.inference {
            Inference::Found(formula) => {
                translated.formula(&formula).map_or_else(unclear, Inference::Found)
            }
            Inference::Nothing(Some(model)) => Inference::Nothing(translated.model(model)),
            other => other,
        };
        Inferred { inference, ..answer }
    }
}

impl Procedures {
    /// Some `F` for which `H |= G * F`.
    pub(crate) fn frame(&mut self, deadline: Option<Instant>, pair: &Pair) -> Inferred {
        pair.without_integer_locations(|pair| self.frame_of_locations(deadline, pair))
    }

    /// Some `F` for which `H * F |= G`, and for which `H * F` has models.
    pub(crate) fn abduce(&mut self, deadline: Option<Instant>, pair: &Pair) -> Inferred {
        pair.without_integer_locations(|pair| self.abduce_locations(deadline, pair))
    }

    /// The strongest frame for lists, by a solver; else one by subtraction.
    fn frame_of_locations(&mut self, deadline: Option<Instant>, pair: &Pair) -> Inferred {
        let Pair { signature, semantics, h, g } = pair;
        let (inference, work) = self.by_solver(deadline, |s| s.frame(signature, *semantics, h, g));
        let Inference::Unknown(reason) = inference else { return by_grass(inference, work) };
        let part = Formula::sep(vec![g.clone(), Kind::True.into()]);
        let mut questions = Questions { procedures: self, deadline, pair, work };
        if let Verdict::Sat(model) = questions.decide(&[h.clone(), Formula::negation(part)]) {
            let work = questions.work;
            return Inferred::new(Inference::Nothing(Some(model)), Procedure::Induct, work);
        }
        let frame = if questions.is_unsatisfiable(h) {
            Some(Kind::False.into())
        } else {
            Subtraction::new(signature, *semantics, h, g).frame(&mut questions, h, g)
        };
        let work = questions.work;
        match frame {
            Some(frame) => Inferred::new(Inference::Found(frame), Procedure::Induct, work),
            None => by_grass(Inference::Unknown(reason), work),
        }
    }

    fn abduce_locations(&mut self, deadline: Option<Instant>, pair: &Pair) -> Inferred {
        let Pair { signature, semantics, h, g } = pair;
        let (inference, work) = self.by_solver(deadline, |s| s.abduce(signature, *semantics, h, g));
        let Inference::Unknown(reason) = inference else { return by_grass(inference, work) };
        let mut questions = Questions { procedures: self, deadline, pair, work };
        let inference = if questions.nothing_helps() {
            Inference::Nothing(None)
        } else if let Some(missing) = questions.missing() {
            Inference::Found(missing)
        } else {
            return by_grass(Inference::Unknown(reason), questions.work);
        };
        Inferred::new(inference, Procedure::Induct, questions.work)
    }

    fn by_solver(
        &mut self,
        deadline: Option<Instant>,
        question: impl FnOnce(&mut grass::Solver) -> Inference,
    ) -> (Inference, Work) {
        match self.grass(deadline) {
            Err(reason) => (Inference::Unknown(reason), Work::default()),
            Ok(solver) => (question(solver), solver.take_work()),
        }
    }
}

fn by_grass(inference: Inference, work: Work) -> Inferred {
    Inferred::new(inference, Procedure::Grass, work)
}

/// Questions about what was guessed.
struct Questions<'q> {
    procedures: &'q mut Procedures,
    deadline: Option<Instant>,
    pair: &'q Pair,
    work: Work,
}

impl Questions<'_> {
    fn decide(&mut self, formulas: &[Formula]) -> Verdict {
        let Pair { signature, semantics, .. } = self.pair;
        let decision = self.procedures.decide(self.deadline, signature, *semantics, formulas);
        self.work.add(decision.work);
        decision.verdict
    }

    /// Is every extension of `H` inconsistent or no model of `G`? There is an anti-frame only if `H * true`
    /// and `G` hold of some heap.
    fn nothing_helps(&mut self) -> bool {
        let Pair { h, g, semantics, .. } = self.pair;
        let more = Formula::sep(vec![h.clone(), Kind::True.into()]);
        if self.decide(&[more, g.clone()]) == Verdict::Unsat || self.is_unsatisfiable(h) {
            return true;
        }
        // What `H` says of the stack holds of its extensions, too.
        let Some(heaps) = SymbolicHeap::disjuncts(h, *semantics) else { return false };
        heaps.iter().all(|heap| {
            let facts = SymbolicHeap { pure: facts(heap), open: true, ..SymbolicHeap::default() };
            let facts = facts.to_formula(*semantics);
            self.decide(&[facts, g.clone()]) == Verdict::Unsat
        })
    }

    /// An anti-frame: atoms of `G` that `H` has not, or only what is equal.
    fn missing(&mut self) -> Option<Formula> {
        let Pair { h, g, signature, semantics } = self.pair;
        let mut guesses = Subtraction::new(signature, *semantics, h, g).missing(h, g);
        guesses.extend(self.equations());
        guesses.into_iter().find(|guess| self.is_anti_frame(guess)).map(|guess| self.reduced(guess))
    }

    fn is_anti_frame(&mut self, guess: &Formula) -> bool {
        let Pair { h, g, .. } = self.pair;
        let whole = Formula::sep(vec![h.clone(), guess.clone()]);
        self.entails(&whole, g) && matches!(self.decide(&[whole]), Verdict::Sat(_))
    }

    /// All that is equal in some extension of `H` that is a model of `G`.
    fn equations(&mut self) -> Option<Formula> {
        let Pair { h, g, semantics, .. } = self.pair;
        let more = Formula::sep(vec![h.clone(), Kind::True.into()]);
        let Verdict::Sat(model) = self.decide(&[more, g.clone()]) else { return None };
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
            .then(|| SymbolicHeap { pure, ..SymbolicHeap::default() }.to_formula(*semantics))
    }

    /// The anti-frame without pure atoms that it does not need.
    fn reduced(&mut self, guess: Formula) -> Formula {
        let semantics = self.pair.semantics;
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
        self.decide(std::slice::from_ref(formula)) == Verdict::Unsat
    }

    fn entails(&mut self, left: &Formula, right: &Formula) -> bool {
        self.decide(&[left.clone(), Formula::negation(right.clone())]) == Verdict::Unsat
    }
}
