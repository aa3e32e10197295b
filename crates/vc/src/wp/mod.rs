//! Symbolic weakest preconditions [PWZ13, Fig. 7]: a second way to the verification condition.
//!
//! ```text
//!  statement ─► lower, contract ─► Command ─► wp ─► formula ─► settle ─► goals
//! ```
//!
//! Forward execution (`exec`) knows the value of every variable as a term and goes from the beginning to the end. Here
//! a variable is a constant, a statement is a guarded command over these, and the postcondition is carried from the end
//! to the beginning by substitution. The two share what an expression and an assertion mean (`translate`,
//! `assertion`), the axioms, and the prover; how code runs is written down twice, and `tests/wp.rs` holds the two
//! against each other.
//!
//! Loop-free code is in reach of Fig. 7. A loop cuts the code: its body is a triple of its own, and for the code around
//! it, it is known by its invariant, as a call is by its contract.
//!
//! What is decided here is partial correctness. Whether lemmas and recursive functions end is not asked.

mod contract;
mod lower;
mod settle;

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use report::Span;
use smt::{Node, Op, Term, Terms};
use spl::core::{Name, Procedure, Program};

use crate::definitions::Definitions;
use crate::effects::{self, Effects};
use crate::prove::{Effort, Prover, Solvers};
use crate::translate::Stopped;
use crate::unit::{Blame, Check, Item, State, Step};
use crate::verify::{Config, refuse, solver_config, usable_lemmas};
use crate::wellformed::Questions;
use lower::Lowering;

/// Paths through a command. Fig. 7 has the postcondition once for each.
const MAX_PATHS: usize = 128;

/// A guarded command [PWZ13, Fig. 6], with what the machinery of Boogie has besides. Variables are constants; a field
/// is one whose value is a map, and so are `Alloc` and what is owned.
#[derive(Clone, Debug)]
enum Command {
    /// All at once. A value that occurs nowhere else is any value: this is `havoc`.
    Assign(Vec<(Term, Term)>),
    Assume(Term),
    Assert(Term),
    Seq(Vec<Command>),
    Choice(Vec<Command>),
}

impl Command {
    fn paths(&self) -> usize {
        match self {
            Command::Seq(all) => all.iter().fold(1, |n, c| n.saturating_mul(c.paths())),
            Command::Choice(all) => all.iter().fold(0, |n: usize, c| n.saturating_add(c.paths())),
            _ => 1,
        }
    }
}

/// [PWZ13, Fig. 7]
fn wp(terms: &mut Terms, command: &Command, post: Term) -> Term {
    match command {
        // wp(x := E, F) = F[E/x]; so for reads, `sel(h, y)`, and for writes, F[upd(h, x, E)/h]
        Command::Assign(all) => {
            let map: HashMap<Term, Term> = all.iter().copied().collect();
            terms.substitute(post, &map)
        }
        // wp(assume(G), F) = G ⇒ F
        Command::Assume(guard) => terms.implies(*guard, post),
        // x ∈ Alloc ∧ …: what was proved is known behind.
        Command::Assert(goal) => {
            let rest = terms.implies(*goal, post);
            terms.and([*goal, rest])
        }
        // wp(C₁ C₂, F) = wp(C₁, wp(C₂, F))
        Command::Seq(all) => all.iter().rev().fold(post, |post, c| wp(terms, c, post)),
        // wp(C₁ ‖ C₂, F) = wp(C₁, F) ∧ wp(C₂, F)
        Command::Choice(all) => {
            let all: Vec<Term> = all.iter().map(|c| wp(terms, c, post)).collect();
            terms.and(all)
        }
    }
}

/// What is found out of a procedure by weakest preconditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Partial {
    /// It is partially correct.
    Holds,
    /// That could not be proved.
    MightFail,
    /// It is too large, or holds something that is not supported.
    OutOfReach(String),
}

/// Verifies the procedures and lemmas of a program one after the other: by name, how many triples each has, and what
/// came of them.
///
/// # Errors
/// If the solver cannot be had, or time is up.
pub fn partial_correctness(
    program: &Program,
    config: &Config,
) -> Result<Vec<(String, usize, Partial)>, smt::SolverError> {
    let limits = config.limits();
    let mut solvers = Solvers::new(&solver_config(config, None), &config.cache);
    let definitions = Questions { program, solvers: &mut solvers, limits }.answer();
    let effort = Effort { limits, second: config.second_try, heaps: false };
    let effects = effects::effects(program);
    let mut all = Vec::new();
    for procedure in program.procedures.values().filter(|p| p.body.is_some()) {
        let (count, found) = match refuse(program, procedure) {
            Err(stopped) => (0, out_of_reach(stopped)?),
            Ok(()) => {
                let lemmas = usable_lemmas(program, procedure);
                let (effects, definitions) = (&effects, &definitions);
                let given = Given { program, procedure, effects, definitions, lemmas };
                verify(given, &mut solvers, effort)?
            }
        };
        all.push((procedure.name.to_string(), count, found));
    }
    Ok(all)
}

fn out_of_reach(stopped: Stopped) -> Result<Partial, smt::SolverError> {
    match stopped {
        Stopped::Unsupported { what, .. } => Ok(Partial::OutOfReach(what)),
        Stopped::Interrupted(why) => Err(why),
    }
}

/// What a procedure is verified with.
struct Given<'p> {
    program: &'p Program,
    procedure: &'p Procedure,
    effects: &'p BTreeMap<Name, Effects>,
    definitions: &'p Definitions,
    lemmas: Vec<&'p Procedure>,
}

/// Verifies a procedure: how many triples it has, and what came of them.
fn verify(
    given: Given<'_>,
    solvers: &mut Solvers,
    effort: Effort,
) -> Result<(usize, Partial), smt::SolverError> {
    let mut lowering = Lowering::new(given);
    let commands = match lowering.triples() {
        Ok(commands) => commands,
        Err(stopped) => return Ok((0, out_of_reach(stopped)?)),
    };
    let count = commands.len();
    if commands.iter().any(|c| c.paths() > MAX_PATHS) {
        return Ok((count, Partial::OutOfReach("so many paths".to_owned())));
    }
    let mut steps = Vec::new();
    for command in commands {
        let terms = &mut lowering.translator.logic.terms;
        let nothing = terms.bool(true);
        let formula = wp(terms, &command, nothing);
        if let Err(stopped) = lowering.settle(formula) {
            return Ok((count, out_of_reach(stopped)?));
        }
        steps.push(Step::default());
        let root = steps.len() - 1;
        split(&lowering.translator.logic.terms, formula, root, lowering.span(), &mut steps);
    }
    let logic = &mut lowering.translator.logic;
    let outcome = Prover::prove(logic, solvers, effort, &steps, None)?;
    solvers.walk.reset();
    let holds = outcome.failures.is_empty();
    Ok((count, if holds { Partial::Holds } else { Partial::MightFail }))
}

/// A formula that is to be proved as a tree of assumptions and goals.
fn split(terms: &Terms, formula: Term, at: usize, span: Span, steps: &mut Vec<Step>) {
    match terms.node(formula) {
        Node::Bool(true) => {}
        Node::Op(Op::And, parts) => {
            parts.iter().for_each(|part| split(terms, *part, at, span, steps));
        }
        Node::Op(Op::Implies, args) if args.len() == 2 => {
            let items = args.iter().take(1).map(|a| Item::Assume(*a)).collect();
            steps.push(Step { parent: Some(at), items, ..Step::default() });
            let next = steps.len() - 1;
            args.iter().skip(1).for_each(|b| split(terms, *b, next, span, steps));
        }
        _ => {
            let blame = Blame::new("wp", span, "the weakest precondition might not hold");
            let check = Check { goal: formula, blame, state: Rc::new(State::default()) };
            if let Some(step) = steps.get_mut(at) {
                step.items.push(Item::Check(check));
            }
        }
    }
}
