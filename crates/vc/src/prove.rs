//! Goals to the solver.
//!
//! The tree of a unit is walked with one solver: what is assumed on the way to a node is told once.
//! A goal is negated with constants for what it says of all values, and for elements in which sets
//! differ; these are the locations for which quantifiers are instantiated.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use smt::{Answer, Limits, Node, Op, Quant, Quantifier, Session, Sort, Term};
use spl::core::Type;

use crate::cache::{Cache, Told};
use crate::logic::Logic;
use crate::share::{Numbering, is_goal};
use crate::small::{self, Question};
use crate::unit::{Check, Item, Step};
use crate::world::World;

/// After a failure less is worth trying: one part in so many.
const AFTER_FAILURE: u64 = 20;

/// Work for asking a goal again.
const AGAIN: u64 = 8_000_000;

/// Work for a try without hints that most proofs do without.
const FIRST_TRY: u64 = 600_000;

/// Work for a goal before a heap is looked for in which it fails.
const BEFORE_HEAPS: u64 = 3_000_000;

/// Work for something that is asked and not claimed.
const PROBE: u64 = 2_000_000;

/// What came of a goal.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub check: Check,
    /// The step that it belongs to.
    pub node: usize,
    /// The solver did not finish, and there is no counterexample.
    pub undecided: Option<String>,
    /// A heap in which it fails.
    pub world: Option<World>,
}

/// What came of a unit.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub failures: Vec<Failure>,
    pub goals: u64,
    /// What was asked and not claimed, by number: is it so?
    pub probes: BTreeMap<usize, bool>,
}

/// The solvers of a worker. Each is started when it is needed first.
pub(crate) struct Solvers {
    /// It is led along the tree of a unit, and keeps what paths have in common.
    pub walk: Session,
    /// It is asked for small heaps.
    pub small: Session,
    /// It is asked again what the first did not prove, with nothing in mind, and looks at all terms, whether or not
    /// they seem to matter (Z3's `relevancy`): terms in footprints often do.
    again: Session,
    cache: Arc<Cache>,
}

impl Solvers {
    pub fn new(config: &smt::Config, cache: &Arc<Cache>) -> Solvers {
        let mut all = config.clone();
        all.options.push(("smt.relevancy".to_owned(), "0".to_owned()));
        Solvers {
            walk: Session::new(config.clone()),
            small: Session::new(config.clone()),
            again: Session::new(all),
            cache: cache.clone(),
        }
    }

    /// How often they were started, what they were asked, and how long that took.
    pub fn stats(&self) -> (u64, u64, Duration) {
        let all = [self.walk.stats(), self.small.stats(), self.again.stats()];
        let waiting = all.iter().map(|s| s.waiting).sum();
        (all.iter().map(|s| s.starts).sum(), all.iter().map(|s| s.queries).sum(), waiting)
    }
}

/// How much to try.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    pub limits: Limits,
    /// Work for further tries of a goal, with instances that models suggest in the end. Without it the first failure
    /// ends it all.
    pub second: u64,
    /// Look for small heaps in which a goal fails.
    pub heaps: bool,
}

pub(crate) struct Prover<'a> {
    pub logic: &'a mut Logic,
    solvers: &'a mut Solvers,
    effort: Effort,
    /// Axioms that the solver knows.
    told: usize,
    /// What it was told in each scope.
    asserted: Vec<Vec<Term>>,
    /// Of this, hints that it gets where a first try fails.
    late: Vec<Vec<Term>>,
    content: Told,
    /// What is assumed in each scope, without what only helps the proof.
    assumed: Vec<Vec<Term>>,
    outcome: Outcome,
}

impl Prover<'_> {
    /// Proves all goals in a tree of steps.
    pub fn prove(
        logic: &mut Logic,
        solvers: &mut Solvers,
        effort: Effort,
        steps: &[Step],
        share: Option<Range<usize>>,
    ) -> Result<Outcome, smt::SolverError> {
        let numbering = Numbering::new(steps);
        let share = share.unwrap_or(0..usize::MAX);
        let mut prover = Prover {
            logic,
            solvers,
            effort,
            told: 0,
            asserted: Vec::new(),
            late: Vec::new(),
            content: Told::default(),
            assumed: Vec::new(),
            outcome: Outcome::default(),
        };
        prover.push();
        prover.tell();
        for root in numbering.roots() {
            if numbering.concerns(*root, &share) {
                prover.visit(*root, steps, &numbering, &share)?;
            }
        }
        prover.pop();
        Ok(prover.outcome)
    }

    fn push(&mut self) {
        self.solvers.walk.push();
        self.asserted.push(Vec::new());
        self.late.push(Vec::new());
        self.content.push();
    }

    fn pop(&mut self) {
        self.solvers.walk.pop();
        self.asserted.pop();
        self.late.pop();
        self.content.pop();
    }

    fn assert(&mut self, term: Term) {
        self.solvers.walk.assert(&self.logic.terms, term);
        self.record(term);
    }

    /// What it was told or will be.
    fn record(&mut self, term: Term) {
        if let Some(scope) = self.asserted.last_mut() {
            scope.push(term);
        }
        self.content.assert(&self.solvers.cache, &self.logic.terms, term);
    }

    /// Axioms that came up since the last time, in the innermost scope.
    fn tell(&mut self) {
        while let Some(axiom) = self.logic.axioms.get(self.told).copied() {
            self.told += 1;
            self.assert(axiom);
        }
    }

    fn visit(
        &mut self,
        root: usize,
        steps: &[Step],
        numbering: &Numbering,
        share: &Range<usize>,
    ) -> Result<(), smt::SolverError> {
        // Nodes to enter, and scopes to leave.
        let mut pending = vec![Some(root)];
        while let Some(next) = pending.pop() {
            let Some(node) = next else {
                self.pop();
                self.assumed.pop();
                continue;
            };
            self.push();
            self.assumed.push(Vec::new());
            pending.push(None);
            let mut number = numbering.first(node);
            for item in steps.get(node).map(|s| s.items.as_slice()).unwrap_or_default() {
                let mine = share.contains(&number);
                number += usize::from(is_goal(item));
                match item {
                    Item::Probe(..) if !mine => {}
                    Item::Check(check) if !mine => self.assume(check.goal),
                    Item::Hint(term) => self.tell_assumption(*term),
                    Item::Late(term) => self.keep_hint(*term),
                    Item::Assume(term) => self.assume(*term),
                    Item::Probe(number, goal) => self.probe(*number, *goal)?,
                    Item::Check(check) => {
                        self.check(check, node)?;
                        if self.effort.second == 0 && !self.outcome.failures.is_empty() {
                            return Ok(());
                        }
                        self.assume(check.goal);
                    }
                }
            }
            let below = numbering.children(node).iter().rev();
            let below = below.filter(|child| numbering.concerns(**child, share));
            pending.extend(below.map(|child| Some(*child)));
        }
        Ok(())
    }

    fn assume(&mut self, term: Term) {
        if let Some(scope) = self.assumed.last_mut() {
            scope.push(term);
        }
        self.tell_assumption(term);
    }

    fn tell_assumption(&mut self, term: Term) {
        let term = self.positive(term);
        self.tell();
        self.assert(term);
    }

    fn keep_hint(&mut self, term: Term) {
        let term = self.positive(term);
        self.tell();
        self.record(term);
        if let Some(scope) = self.late.last_mut() {
            scope.push(term);
        }
    }

    /// Asks by patterns: first, within a limit, without what only few proofs need. What came up is in a scope of
    /// its own, which the caller leaves.
    fn by_patterns(&mut self, limits: Limits) -> Result<Answer, smt::SolverError> {
        let walk = &mut self.solvers.walk;
        walk.push();
        // Options are not scoped, so each goal says what it needs.
        walk.declare_text("(set-option :smt.mbqi false)");
        let late = self.late.concat();
        if !late.is_empty() {
            let rlimit = Some(limits.rlimit.unwrap_or(FIRST_TRY).min(FIRST_TRY));
            if walk.check_within(Limits { rlimit, ..limits })? == Answer::Unsat {
                return Ok(Answer::Unsat);
            }
        }
        late.into_iter().for_each(|hint| walk.assert(&self.logic.terms, hint));
        walk.check_within(limits)
    }

    /// Asks whether something holds. Whoever asks decides what that means.
    fn probe(&mut self, number: usize, goal: Term) -> Result<(), smt::SolverError> {
        self.push();
        let negated = self.negative(goal);
        self.tell();
        self.assert(negated);
        let content = self.content.content();
        let answer = if self.solvers.cache.knows(content) {
            Ok(Answer::Unsat)
        } else {
            let limits = self.effort.limits;
            let rlimit = Some(limits.rlimit.unwrap_or(PROBE).min(PROBE));
            let answer = self.by_patterns(Limits { rlimit, ..limits });
            self.solvers.walk.pop();
            answer
        };
        self.pop();
        if matches!(answer, Ok(Answer::Unsat)) {
            self.solvers.cache.learn(content);
        }
        self.outcome.probes.insert(number, matches!(answer?, Answer::Unsat));
        Ok(())
    }

    fn check(&mut self, check: &Check, node: usize) -> Result<(), smt::SolverError> {
        self.outcome.goals += 1;
        self.push();
        let negated = self.negative(check.goal);
        self.tell();
        self.assert(negated);
        let content = self.content.content();
        if self.solvers.cache.knows(content) {
            self.pop();
            return Ok(());
        }
        let answer = self.ask(check);
        self.solvers.walk.pop();
        self.pop();
        if matches!(answer, Ok((Answer::Unsat, _))) {
            self.solvers.cache.learn(content);
        }
        let (answer, world) = answer?;
        let undecided = match answer {
            Answer::Unsat => return Ok(()),
            Answer::Unknown(why) if world.is_none() => Some(why),
            _ => None,
        };
        self.outcome.failures.push(Failure { check: check.clone(), node, undecided, world });
        Ok(())
    }

    /// Asks by patterns, in a scope that the caller leaves; for a small heap in which the goal fails; by patterns for longer and
    /// again; by models.
    fn ask(&mut self, check: &Check) -> Result<(Answer, Option<World>), smt::SolverError> {
        let Effort { limits, second, .. } = self.effort;
        let failed = !self.outcome.failures.is_empty();
        let less = if failed { AFTER_FAILURE } else { 1 };
        let rlimit = limits.rlimit.map(|work| work / less);
        let at_first = Some(rlimit.unwrap_or(BEFORE_HEAPS).min(BEFORE_HEAPS));
        let mut answer = self.by_patterns(Limits { rlimit: at_first, ..limits })?;
        if answer == Answer::Unsat {
            return Ok((answer, None));
        }
        let assumed = self.assumed.concat();
        let question = Question { assumed: &assumed, goal: check.goal };
        let world = self.small_heap(&question, &small::FIRST);
        if world.as_ref().is_some_and(|w| w.confirmed) {
            return Ok((answer, world));
        }
        if answer.gave_up() && at_first != rlimit {
            answer = self.solvers.walk.check_within(Limits { rlimit, ..limits })?;
        }
        if answer == Answer::Unsat {
            return Ok((answer, None));
        }
        if answer == Answer::Sat || second == 0 {
            return Ok((answer, world));
        }
        if self.ask_again(AGAIN / less)? == Answer::Unsat {
            return Ok((Answer::Unsat, None));
        }
        if answer.gave_up() {
            return Ok((answer, world));
        }
        // Patterns matched all they could. What is left of variables below no function is in the decidable
        // fragment that models guide the instantiation of.
        let walk = &mut self.solvers.walk;
        walk.declare_text("(set-option :smt.mbqi true)");
        if walk.check_within(Limits { rlimit: Some(second / less), ..limits })? == Answer::Unsat {
            return Ok((Answer::Unsat, None));
        }
        if world.is_some() || failed {
            return Ok((answer, world));
        }
        Ok((answer, self.small_heap(&question, &small::LAST)))
    }

    /// Asks a solver that has done nothing else, within a limit on work.
    fn ask_again(&mut self, work: u64) -> Result<Answer, smt::SolverError> {
        let again = &mut self.solvers.again;
        again.reset();
        again.push();
        for term in self.asserted.iter().flatten() {
            again.assert(&self.logic.terms, *term);
        }
        let answer = again.check_within(Limits { rlimit: Some(work), ..self.effort.limits });
        again.pop();
        answer
    }

    /// A small heap in which a goal fails.
    fn small_heap(&mut self, question: &Question<'_>, scope: &small::Scope) -> Option<World> {
        if !self.effort.heaps {
            return None;
        }
        small::find(self.logic, &mut self.solvers.small, self.effort.limits, question, scope)
    }

    /// Something that holds, with constants for what is said to exist.
    fn positive(&mut self, term: Term) -> Term {
        match self.logic.terms.node(term).clone() {
            Node::Op(Op::And, args) => {
                let args: Vec<Term> = args.iter().map(|t| self.positive(*t)).collect();
                self.logic.terms.and(args)
            }
            Node::Op(Op::Or, args) => {
                let args: Vec<Term> = args.iter().map(|t| self.positive(*t)).collect();
                self.logic.terms.or(args)
            }
            Node::Op(Op::Implies, args) => match args[..] {
                [a, b] => {
                    let (a, b) = (self.negative(a), self.positive(b));
                    self.logic.terms.or([a, b])
                }
                _ => term,
            },
            Node::Op(Op::Not, args) => match args[..] {
                [a] => self.negative(a),
                _ => term,
            },
            Node::Quant(quant) if quant.quantifier == Quantifier::Exists => {
                let body = self.instance(&quant);
                self.positive(body)
            }
            Node::Quant(mut quant) => {
                quant.body = self.with_witnesses(quant.body, true);
                self.logic.terms.quant(*quant)
            }
            _ => term,
        }
    }

    /// Something that holds for all values of some variables, or does not: locations of which it says that they exist
    /// occur, like all others that quantifiers are instantiated for.
    fn with_witnesses(&mut self, term: Term, holds: bool) -> Term {
        match self.logic.terms.node(term).clone() {
            Node::Op(Op::And, args) => {
                let args: Vec<Term> = args.iter().map(|t| self.with_witnesses(*t, holds)).collect();
                self.logic.terms.and(args)
            }
            Node::Op(Op::Or, args) => {
                let args: Vec<Term> = args.iter().map(|t| self.with_witnesses(*t, holds)).collect();
                self.logic.terms.or(args)
            }
            Node::Op(Op::Implies, args) => match args[..] {
                [a, b] => {
                    let (a, b) = (self.with_witnesses(a, !holds), self.with_witnesses(b, holds));
                    self.logic.terms.implies(a, b)
                }
                _ => term,
            },
            Node::Op(Op::Not, args) => match args[..] {
                [a] => {
                    let a = self.with_witnesses(a, !holds);
                    self.logic.terms.not(a)
                }
                _ => term,
            },
            Node::Quant(mut quant) => {
                let body = self.with_witnesses(quant.body, holds);
                let exist = (quant.quantifier == Quantifier::Exists) == holds;
                let mut marks = Vec::new();
                for var in quant.vars.iter().filter(|_| exist) {
                    let ty = self.logic.ty(self.logic.terms.bound(*var).1);
                    if ty.is_reference() {
                        let location = self.logic.terms.bound_term(*var);
                        marks.push(self.logic.occurs(&ty, location));
                    }
                }
                let marked = self.logic.terms.and(marks);
                quant.body = match quant.quantifier {
                    Quantifier::Exists => self.logic.terms.and([marked, body]),
                    Quantifier::Forall => self.logic.terms.implies(marked, body),
                };
                self.logic.terms.quant(*quant)
            }
            _ => term,
        }
    }

    /// The negation of something, with constants for what is said of all values.
    fn negative(&mut self, term: Term) -> Term {
        match self.logic.terms.node(term).clone() {
            Node::Op(Op::And, args) => {
                let args: Vec<Term> = args.iter().map(|t| self.negative(*t)).collect();
                self.logic.terms.or(args)
            }
            Node::Op(Op::Or, args) => {
                let args: Vec<Term> = args.iter().map(|t| self.negative(*t)).collect();
                self.logic.terms.and(args)
            }
            Node::Op(Op::Implies, args) => match args[..] {
                [a, b] => {
                    let (a, b) = (self.positive(a), self.negative(b));
                    self.logic.terms.and([a, b])
                }
                _ => self.logic.terms.not(term),
            },
            Node::Op(Op::Not, args) => match args[..] {
                [a] => self.positive(a),
                _ => self.logic.terms.not(term),
            },
            Node::Op(Op::Eq, args) => match args[..] {
                [a, b] => self.differ(a, b).unwrap_or_else(|| self.logic.terms.not(term)),
                _ => self.logic.terms.not(term),
            },
            Node::Quant(quant) if quant.quantifier == Quantifier::Forall => {
                let body = self.instance(&quant);
                self.negative(body)
            }
            _ => self.logic.terms.not(term),
        }
    }

    /// Two sets or maps differ in an element or for a key.
    fn differ(&mut self, a: Term, b: Term) -> Option<Term> {
        let sort = self.logic.terms.sort(a);
        if !matches!(sort, Sort::Named(_)) || !self.logic.terms.free(a).is_empty() {
            return None;
        }
        if !self.logic.terms.free(b).is_empty() {
            return None;
        }
        let (one, other) = match self.logic.ty(sort) {
            Type::Set(of) => {
                let witness = self.logic.fresh("differs", &of);
                (self.logic.member(&of, witness, a), self.logic.member(&of, witness, b))
            }
            Type::Map(key, value) => {
                let witness = self.logic.fresh("differs", &key);
                (
                    self.logic.read(&key, &value, a, witness),
                    self.logic.read(&key, &value, b, witness),
                )
            }
            _ => return None,
        };
        let same = self.logic.terms.eq(one, other);
        Some(self.logic.terms.not(same))
    }

    /// The body of a quantifier for constants.
    fn instance(&mut self, quant: &Quant) -> Term {
        let mut map = HashMap::new();
        for var in &quant.vars {
            let (_, sort) = self.logic.terms.bound(*var);
            let ty = self.logic.ty(sort);
            let constant = self.logic.fresh("any", &ty);
            let from = self.logic.terms.bound_term(*var);
            map.insert(from, constant);
        }
        self.logic.terms.substitute(quant.body, &map)
    }
}
