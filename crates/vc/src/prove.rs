//! Goals to the solver.
//!
//! The tree of a unit is walked with one solver: what is assumed on the way to a node is told once.
//! A goal is negated with constants for what it says of all values, and for elements in which sets
//! differ; these are the locations for which quantifiers are instantiated.

use std::collections::{BTreeMap, HashMap};

use smt::{Answer, Limits, Node, Op, Quant, Quantifier, Session, Sort, Term};
use spl::core::Type;

use crate::logic::Logic;
use crate::small::{self, Question};
use crate::unit::{Check, Item, Step};
use crate::world::World;

/// After a failure less is worth trying: one part in so many.
const AFTER_FAILURE: u64 = 20;

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

pub(crate) struct Prover<'a> {
    pub logic: &'a mut Logic,
    pub session: &'a mut Session,
    /// Another solver, which is asked for small heaps.
    aside: Option<&'a mut Session>,
    pub limits: Limits,
    /// Work for the second try of a goal. Without one the first failure ends it all.
    second: u64,
    /// Axioms that the solver knows.
    told: usize,
    /// What is assumed in each scope, without what only helps the proof.
    assumed: Vec<Vec<Term>>,
    outcome: Outcome,
}

impl Prover<'_> {
    /// Proves all goals in a tree of steps.
    pub fn prove(
        logic: &mut Logic,
        session: &mut Session,
        aside: Option<&mut Session>,
        limits: Limits,
        second: u64,
        steps: &[Step],
    ) -> Result<Outcome, smt::SolverError> {
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); steps.len()];
        let mut roots = Vec::new();
        for (index, step) in steps.iter().enumerate() {
            match step.parent.and_then(|parent| children.get_mut(parent)) {
                Some(list) => list.push(index),
                None => roots.push(index),
            }
        }
        let outcome = Outcome::default();
        let mut prover =
            Prover { logic, session, aside, limits, second, told: 0, assumed: Vec::new(), outcome };
        prover.session.push();
        prover.tell();
        for root in roots {
            prover.visit(root, steps, &children)?;
        }
        prover.session.pop();
        Ok(prover.outcome)
    }

    /// Axioms that came up since the last time, in the innermost scope.
    fn tell(&mut self) {
        while let Some(axiom) = self.logic.axioms.get(self.told).copied() {
            self.told += 1;
            self.session.assert(&self.logic.terms, axiom);
        }
    }

    fn visit(
        &mut self,
        root: usize,
        steps: &[Step],
        children: &[Vec<usize>],
    ) -> Result<(), smt::SolverError> {
        // Nodes to enter, and scopes to leave.
        let mut pending = vec![Some(root)];
        while let Some(next) = pending.pop() {
            let Some(node) = next else {
                self.session.pop();
                self.assumed.pop();
                continue;
            };
            self.session.push();
            self.assumed.push(Vec::new());
            pending.push(None);
            for item in steps.get(node).map(|s| s.items.as_slice()).unwrap_or_default() {
                match item {
                    Item::Hint(term) => self.tell_assumption(*term),
                    Item::Assume(term) => self.assume(*term),
                    Item::Probe(number, goal) => self.probe(*number, *goal)?,
                    Item::Check(check) => {
                        self.check(check, node)?;
                        if self.second == 0 && !self.outcome.failures.is_empty() {
                            return Ok(());
                        }
                        self.assume(check.goal);
                    }
                }
            }
            pending.extend(children.get(node).into_iter().flatten().rev().map(|c| Some(*c)));
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
        self.session.assert(&self.logic.terms, term);
    }

    /// Asks whether something holds. Whoever asks decides what that means.
    fn probe(&mut self, number: usize, goal: Term) -> Result<(), smt::SolverError> {
        self.session.push();
        let negated = self.negative(goal);
        self.tell();
        self.session.assert(&self.logic.terms, negated);
        self.session.declare_text("(set-option :smt.mbqi false)");
        let rlimit = Some(self.limits.rlimit.unwrap_or(PROBE));
        let answer = self.session.check_within(Limits { rlimit, ..self.limits });
        self.session.pop();
        self.outcome.probes.insert(number, matches!(answer?, Answer::Unsat));
        Ok(())
    }

    fn check(&mut self, check: &Check, node: usize) -> Result<(), smt::SolverError> {
        self.outcome.goals += 1;
        self.session.push();
        let negated = self.negative(check.goal);
        self.tell();
        self.session.assert(&self.logic.terms, negated);
        let answer = self.ask(check);
        self.session.pop();
        let (answer, world) = answer?;
        let undecided = match answer {
            Answer::Unsat => return Ok(()),
            Answer::Unknown(why) if world.is_none() => Some(why),
            _ => None,
        };
        self.outcome.failures.push(Failure { check: check.clone(), node, undecided, world });
        Ok(())
    }

    /// Asks by patterns; for a small heap in which the goal fails; by models.
    fn ask(&mut self, check: &Check) -> Result<(Answer, Option<World>), smt::SolverError> {
        // Options are not scoped, so each goal says what it needs.
        self.session.declare_text("(set-option :smt.mbqi false)");
        let answer = self.session.check_within(self.limits)?;
        if answer == Answer::Unsat {
            return Ok((answer, None));
        }
        let assumed = self.assumed.concat();
        let question = Question { assumed: &assumed, goal: check.goal };
        let world = self.small_heap(&question, &small::FIRST);
        if answer == Answer::Sat || answer.gave_up() || world.as_ref().is_some_and(|w| w.confirmed)
        {
            return Ok((answer, world));
        }
        if self.second == 0 {
            return Ok((answer, world));
        }
        // Patterns matched all they could. What is left of variables below no function is in the decidable
        // fragment that models guide the instantiation of.
        self.session.declare_text("(set-option :smt.mbqi true)");
        let failed = !self.outcome.failures.is_empty();
        let rlimit = Some(if failed { self.second / AFTER_FAILURE } else { self.second });
        let second = self.session.check_within(Limits { rlimit, ..self.limits })?;
        if second == Answer::Unsat {
            return Ok((second, None));
        }
        if world.is_some() || failed {
            return Ok((answer, world));
        }
        Ok((answer, self.small_heap(&question, &small::LAST)))
    }

    /// A small heap in which a goal fails.
    fn small_heap(&mut self, question: &Question<'_>, scope: &small::Scope) -> Option<World> {
        let aside = self.aside.as_deref_mut()?;
        small::find(self.logic, aside, self.limits, question, scope)
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
