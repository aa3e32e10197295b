//! Separation logic, decided by whichever procedure can: one after the other, the cheapest first.
//!
//! | procedure | decides | solver |
//! |---|---|---|
//! | [`Lists`](Procedure::Lists) | conjunctions of equations, cells and acyclic list segments | no |
//! | [`Induct`](Procedure::Induct) | symbolic heaps with inductive definitions: satisfiability; many entailments | no |
//! | [`Grass`](Procedure::Grass) | Boolean combinations with singly linked, doubly linked and sorted lists | yes |
//! | [`Boolean`](Procedure::Boolean) | everything without inductive definitions, wands too | yes |

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use grass::{Solver, Work};
use sl::{Formula, Kind, Name, Semantics, Signature, Verdict};

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

/// Is there a model of all of these formulas? The path of the solver is asked for only when it is needed,
/// and the reason why there is none is one why the answer is unknown. The time is that of one question to
/// the solver.
pub fn decide(
    signature: &Signature,
    semantics: Semantics,
    formulas: &[Formula],
    solver: impl Fn() -> Result<PathBuf, String>,
    timeout: Duration,
) -> Decision {
    let (mut work, mut reasons) = (Work::default(), Reasons::default());
    let procedures = [Procedure::Lists, Procedure::Induct, Procedure::Grass, Procedure::Boolean];
    for procedure in procedures {
        let verdict = match procedure {
            Procedure::Lists => sl::decide(signature, semantics, formulas),
            Procedure::Induct => induct::decide(signature, semantics, formulas),
            Procedure::Grass | Procedure::Boolean => match solver() {
                Err(reason) => Verdict::Unknown(reason),
                Ok(path) if procedure == Procedure::Grass => {
                    let mut grass = Solver::new(grass::config(path, timeout));
                    let verdict = grass.decide(signature, semantics, formulas);
                    work = grass.work();
                    verdict
                }
                Ok(path) => boolean::decide(signature, semantics, formulas, path, timeout)
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
    let body = |name: &Name| signature.predicates.get(name).map(|definition| &definition.body);
    let reached = |formulas: &[Formula]| {
        let mut pending = mentioned(formulas);
        let mut seen = BTreeSet::new();
        while let Some(name) = pending.pop() {
            if seen.insert(name.clone()) {
                pending.extend(
                    body(&name).map(std::slice::from_ref).map(mentioned).unwrap_or_default(),
                );
            }
        }
        seen
    };
    let comes_to_itself = |name: &Name| {
        body(name).is_some_and(|body| reached(std::slice::from_ref(body)).contains(name))
    };
    reached(formulas).iter().any(comes_to_itself)
}

/// The predicates in some formulas.
fn mentioned(formulas: &[Formula]) -> Vec<Name> {
    let mut names = Vec::new();
    for formula in formulas {
        formula.for_each(&mut |part| {
            if let Kind::Pred(name, _) = part.kind() {
                names.push(name.clone());
            }
        });
    }
    names
}
