//! Separation logic, decided by whichever procedure can: one after the other, the cheapest first.
//!
//! | procedure | decides | solver |
//! |---|---|---|
//! | [`Lists`](Procedure::Lists) | conjunctions of equations, cells and acyclic list segments | no |
//! | [`Induct`](Procedure::Induct) | symbolic heaps with inductive definitions: satisfiability; many entailments | no |
//! | [`Grass`](Procedure::Grass) | Boolean combinations with singly linked, doubly linked and sorted lists | yes |
//! | [`Boolean`](Procedure::Boolean) | everything without inductive definitions, wands too | yes |

mod infer;
mod subtract;
mod worker;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use grass::{Inference, Work};
use sl::addresses;
use sl::{Formula, Semantics, Signature, Verdict};

use infer::Pair;
use worker::Worker;

/// An answer, and where it comes from.
#[derive(Clone, PartialEq, Debug)]
pub struct Decision {
    /// The answer.
    pub verdict: Verdict,
    /// Who gave it; the last one that was asked if there is none.
    pub procedure: Procedure,
    /// What it took [`Procedure::Grass`].
    pub work: Work,
}

/// A frame or an anti-frame, and where it comes from.
#[derive(Clone, PartialEq, Debug)]
pub struct Inferred {
    /// The answer.
    pub inference: Inference,
    /// Who gave it: [`Procedure::Grass`], or [`Procedure::Induct`] if it was found by subtraction.
    pub procedure: Procedure,
    /// What it took [`Procedure::Grass`].
    pub work: Work,
}

impl Inferred {
    fn new(inference: Inference, procedure: Procedure, work: Work) -> Inferred {
        Inferred { inference, procedure, work }
    }
}

/// How a question is decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Procedure {
    /// Lists, without a solver: `sl::lists`.
    Lists,
    /// Inductive definitions of any kind, without a solver.
    Induct,
    /// Graph reachability and stratified sets, with a solver.
    Grass,
    /// Splits and extensions of heaps, with a solver.
    Boolean,
}

impl Procedure {
    /// Its name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Procedure::Lists => "lists",
            Procedure::Induct => "induct",
            Procedure::Grass => "grass",
            Procedure::Boolean => "boolean",
        }
    }
}

/// How long a solver may think about one of its questions if nobody says how long an answer may take.
/// There are limits on work that are reached first.
const PATIENCE: Duration = Duration::from_secs(600);

/// How much longer than the deadline an answer is waited for: procedures end by themselves then.
const GRACE: Duration = Duration::from_millis(150);

const TOO_LATE: &str = "the time is over";

type FindSolver = Arc<dyn Fn() -> Result<PathBuf, String> + Send + Sync>;

/// Decides questions, one after the other. A solver is started by the first question that needs one,
/// and kept for those that follow.
pub struct Decider {
    find_solver: FindSolver,
    timeout: Option<Duration>,
    worker: Option<Worker<Procedures>>,
}

impl Decider {
    /// The path of the solver is asked for only when it is needed, and the reason why there is none is
    /// one why an answer is unknown.
    pub fn new(
        find_solver: impl Fn() -> Result<PathBuf, String> + Send + Sync + 'static,
    ) -> Decider {
        Decider { find_solver: Arc::new(find_solver), timeout: None, worker: None }
    }

    /// How long an answer may take; then it is unknown. No limit if there is none.
    pub fn set_timeout(&mut self, timeout: Option<Duration>) {
        self.timeout = timeout;
    }

    /// Is there a model of all of these formulas?
    pub fn decide(
        &mut self,
        signature: &Signature,
        semantics: Semantics,
        formulas: &[Formula],
    ) -> Decision {
        let (signature, formulas) = (signature.clone(), formulas.to_vec());
        let answer = self.ask(move |procedures, deadline| {
            procedures.decide(deadline, &signature, semantics, &formulas)
        });
        answer.unwrap_or_else(|reason| Decision {
            verdict: Verdict::Unknown(reason),
            procedure: Procedure::Boolean,
            work: Work::default(),
        })
    }

    /// Is every model of the first formula one of the second? It is if the answer is
    /// [`Verdict::Unsat`]; a model is a counterexample.
    pub fn entails(
        &mut self,
        signature: &Signature,
        semantics: Semantics,
        left: &Formula,
        right: &Formula,
    ) -> Decision {
        self.decide(signature, semantics, &[left.clone(), Formula::negation(right.clone())])
    }

    /// What is left over: some `F` for which `H |= G * F`.
    pub fn frame(
        &mut self,
        signature: &Signature,
        semantics: Semantics,
        h: &Formula,
        g: &Formula,
    ) -> Inferred {
        let pair = Pair { signature: signature.clone(), semantics, h: h.clone(), g: g.clone() };
        self.infer(move |procedures, deadline| procedures.frame(deadline, &pair))
    }

    /// What is missing: some `F` for which `H * F |= G`.
    pub fn abduce(
        &mut self,
        signature: &Signature,
        semantics: Semantics,
        h: &Formula,
        g: &Formula,
    ) -> Inferred {
        let pair = Pair { signature: signature.clone(), semantics, h: h.clone(), g: g.clone() };
        self.infer(move |procedures, deadline| procedures.abduce(deadline, &pair))
    }

    fn infer(
        &mut self,
        question: impl FnOnce(&mut Procedures, Option<Instant>) -> Inferred + Send + 'static,
    ) -> Inferred {
        self.ask(question).unwrap_or_else(|reason| {
            Inferred::new(Inference::Unknown(reason), Procedure::Grass, Work::default())
        })
    }

    /// An answer, or the reason why there is none.
    fn ask<R: Send + 'static>(
        &mut self,
        question: impl FnOnce(&mut Procedures, Option<Instant>) -> R + Send + 'static,
    ) -> Result<R, String> {
        let deadline = self.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let worker = match self.worker.take() {
            Some(worker) => worker,
            None => {
                let find_solver = self.find_solver.clone();
                let procedures = || Procedures { find_solver, grass: None, boolean: None };
                Worker::start(procedures).map_err(|e| format!("no thread was started: {e}"))?
            }
        };
        let until = deadline.and_then(|deadline| deadline.checked_add(GRACE));
        let (answer, worker) = worker
            .ask(until, move |procedures| question(procedures, deadline))
            .ok_or_else(|| TOO_LATE.to_owned())?;
        self.worker = Some(worker);
        Ok(answer)
    }
}

impl Drop for Decider {
    fn drop(&mut self) {
        if let Some(worker) = self.worker.take() {
            worker.stop();
        }
    }
}

/// The procedures, with their solvers.
struct Procedures {
    find_solver: FindSolver,
    grass: Option<grass::Solver>,
    boolean: Option<boolean::Solver>,
}

impl Procedures {
    /// The answer; locations that are integers are others first.
    fn decide(
        &mut self,
        deadline: Option<Instant>,
        signature: &Signature,
        semantics: Semantics,
        formulas: &[Formula],
    ) -> Decision {
        if !addresses::are_integers(signature) {
            return self.by_all(deadline, signature, semantics, formulas);
        }
        let unknown = |reason: String, work: Work| Decision {
            verdict: Verdict::Unknown(reason),
            procedure: Procedure::Boolean,
            work,
        };
        let translated = match addresses::translate(signature, semantics, formulas) {
            Ok(translated) => translated,
            Err(reason) => return unknown(reason, Work::default()),
        };
        let decision = self.by_all(deadline, &translated.signature, semantics, &translated.all());
        match decision.verdict {
            Verdict::Sat(model) => match translated.model(model) {
                Some(model) => Decision { verdict: Verdict::Sat(model), ..decision },
                None => unknown("the addresses of the model are unknown".into(), decision.work),
            },
            _ => decision,
        }
    }

    /// One after the other, until one of them knows.
    fn by_all(
        &mut self,
        deadline: Option<Instant>,
        signature: &Signature,
        semantics: Semantics,
        formulas: &[Formula],
    ) -> Decision {
        let (mut work, mut reasons) = (Work::default(), Reasons::default());
        let procedures =
            [Procedure::Lists, Procedure::Induct, Procedure::Grass, Procedure::Boolean];
        for procedure in procedures {
            let verdict = match procedure {
                Procedure::Lists => sl::decide(signature, semantics, formulas),
                Procedure::Induct => induct::decide_until(deadline, signature, semantics, formulas),
                Procedure::Grass => match self.grass(deadline) {
                    Err(reason) => Verdict::Unknown(reason),
                    Ok(solver) => {
                        let verdict = solver.decide(signature, semantics, formulas);
                        work.add(solver.take_work());
                        verdict
                    }
                },
                Procedure::Boolean => match self.boolean(deadline) {
                    Err(reason) => Verdict::Unknown(reason),
                    Ok(solver) => solver
                        .decide(signature, semantics, formulas)
                        .unwrap_or_else(|reason| Verdict::Unknown(reason.0)),
                },
            };
            match verdict {
                Verdict::Unknown(reason) => reasons.add(procedure, reason),
                verdict => return Decision { verdict, procedure, work },
            }
        }
        let reason = reasons.sentence(uses_induction(signature, formulas));
        Decision { verdict: Verdict::Unknown(reason), procedure: Procedure::Boolean, work }
    }

    fn grass(&mut self, deadline: Option<Instant>) -> Result<&mut grass::Solver, String> {
        if self.grass.is_none() {
            let config = grass::config((self.find_solver)()?, PATIENCE);
            self.grass = Some(grass::Solver::new(config));
        }
        let solver = self.grass.as_mut().ok_or("there is no solver")?;
        solver.set_deadline(deadline);
        Ok(solver)
    }

    fn boolean(&mut self, deadline: Option<Instant>) -> Result<&mut boolean::Solver, String> {
        if self.boolean.is_none() {
            let config = boolean::config((self.find_solver)()?, PATIENCE);
            self.boolean = Some(boolean::Solver::new(config));
        }
        let solver = self.boolean.as_mut().ok_or("there is no solver")?;
        solver.set_deadline(deadline);
        Ok(solver)
    }
}

/// Why nobody knows.
#[derive(Default)]
struct Reasons(Vec<(Procedure, String)>);

impl Reasons {
    fn add(&mut self, procedure: Procedure, reason: String) {
        self.0.push((procedure, reason));
    }

    /// Those of the procedures that came closest. What [`Procedure::Lists`] can do, others can do, too;
    /// with inductive definitions [`Procedure::Boolean`] has nothing to say, and without them it can do
    /// most.
    fn sentence(self, induction: bool) -> String {
        let mut all: Vec<String> = Vec::new();
        for (procedure, reason) in self.0 {
            let close = match procedure {
                Procedure::Lists => false,
                Procedure::Induct | Procedure::Grass => induction,
                Procedure::Boolean => !induction,
            };
            if close && !all.contains(&reason) {
                all.push(reason);
            }
        }
        all.join("; and ")
    }
}

/// Does a formula mention a predicate whose definition comes to itself?
fn uses_induction(signature: &Signature, formulas: &[Formula]) -> bool {
    signature.reached(formulas).iter().any(|name| signature.is_inductive(name))
}
