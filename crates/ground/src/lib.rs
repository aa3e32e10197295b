//! A native prover for what is asked most: whether ground facts, and a few instances of quantified ones,
//! contradict each other.
//!
//! A [`Prover`] reads SMT-LIB declarations and assertions into scopes that are opened and closed like a
//! solver's, and answers whether they are contradictory. It knows
//!
//! - equality, by [congruence closure](closure) with disequalities and explanations;
//! - connectives, by unit propagation and a bounded number of [cases](search);
//! - linear arithmetic over integers and rationals, by [simplex](simplex); permissions are rationals;
//! - constructors, selectors and testers of data types;
//! - quantified formulas, by [matching](matching) their triggers, generation by generation, with limits.
//!
//! [`Answer::Unsat`] is certain, and comes with a [`Proof`]: the merges and instances that lead to the
//! contradiction, which [`Proof::check`] replays with code of its own. Everything else means that no proof
//! was found; [`Answer::Saturated`] that there is none of this kind, since nothing was cut short.
//!
//! It gives the same answers in every run: limits count work, not time.
//!
//! What this crate does not know: solvers, programs, heaps.

mod check;
mod closure;
mod hash;
mod linear;
mod logic;
mod matching;
mod proof;
mod rational;
mod read;
mod search;
mod simplex;
mod syntax;
#[cfg(test)]
mod tests;

pub use proof::Proof;
pub use rational::Rational;

use std::rc::Rc;

use closure::{Closure, Node, Rule, Step, TRUE, truth};
use hash::{FastMap, FastSet};
use linear::{Fact, Forms};
use matching::{Active, Trigger};
use simplex::{Certificate, Outcome, Simplex};
use syntax::{Head, QuantId, Syntax, Template};

/// What a question may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Instances of quantified formulas.
    pub instances: usize,
    /// How many instances in a row may lead to each other.
    pub generation: u32,
    /// Candidates that are matched with patterns.
    pub matching: usize,
    /// Cases that are looked at.
    pub cases: usize,
    /// Cases within cases.
    pub depth: usize,
    /// Steps of the simplex method.
    pub pivots: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            instances: 200,
            generation: 4,
            matching: 20_000,
            cases: 100,
            depth: 64,
            pivots: 400,
        }
    }
}

/// All of the limits, as [`Limits::share`] counts.
const FULL: usize = 16;

impl Limits {
    /// So many sixteenths of the work.
    fn share(self, effort: usize) -> Limits {
        Limits {
            instances: self.instances * effort / FULL,
            matching: self.matching * effort / FULL,
            cases: self.cases * effort / FULL,
            ..self
        }
    }
}

/// The work when a scope is opened, for all questions inside of it.
const BETWEEN: Limits =
    Limits { instances: 150, generation: 2, matching: 20_000, cases: 0, depth: 0, pivots: 400 };

/// With more instances than this, those that are asked for are left to questions.
const MAX_ALIVE: usize = 4000;

/// The answer to a question.
#[derive(Clone, Debug)]
pub enum Answer {
    /// The assertions contradict each other. The proof is there if it was asked for.
    Unsat(Option<Proof>),
    /// They have a model.
    Sat,
    /// All instances that triggers ask for were made, and the rest has a model: matching finds no proof.
    Saturated,
    /// It was cut short, or something was said that is not understood.
    Unknown,
}

/// A scope.
struct Scope {
    closure: closure::Mark,
    simplex: usize,
    active: usize,
    progress: Vec<(u64, u32)>,
    choices: usize,
    disequal: usize,
    instances: usize,
    asserted: usize,
    late: usize,
    incomplete: bool,
    suppressed: bool,
    contradiction: Option<Step>,
}

/// Assertions in scopes, and what follows from them.
pub struct Prover {
    syntax: Syntax,
    closure: Closure,
    forms: Forms,
    simplex: Simplex,
    /// Facts that the simplex method has not been told yet.
    facts: Vec<Fact>,
    /// Quantified formulas to be instantiated.
    active: Vec<Active>,
    is_active: FastSet<Node>,
    /// For each of their triggers, when it was matched last, and with how many applications.
    progress: Vec<(u64, u32)>,
    /// The triggers of quantified formulas, as they are matched.
    triggers: FastMap<QuantId, Rc<[Trigger]>>,
    /// Formulas and conditionals of which more than one case is possible.
    choices: Vec<Node>,
    is_choice: FastSet<Node>,
    /// Equations between numbers that are false.
    disequal: Vec<Node>,
    /// Instances that were made, by formula and values, and in order.
    instances: FastSet<Box<[u32]>>,
    instance_trail: Vec<Box<[u32]>>,
    /// All formulas that were asserted.
    asserted: Vec<Template>,
    /// Formulas that were asserted in a scope with others inside, and the scope.
    late: Vec<(usize, Template)>,
    /// How many of these are known here.
    late_done: usize,
    scopes: Vec<Scope>,
    /// Is there something that is not understood?
    incomplete: bool,
    /// Was an instance not made because of limits?
    suppressed: bool,
    contradiction: Option<Step>,
    /// A name meant two things: nothing is believed any more.
    confused: bool,
    /// The share of the limits that is spent, in sixteenths: less where questions are too hard.
    effort: usize,
}

impl Default for Prover {
    fn default() -> Prover {
        Prover::new()
    }
}

impl Prover {
    /// Nothing is asserted.
    #[must_use]
    pub fn new() -> Prover {
        let syntax = Syntax::new();
        let closure = Closure::new(&syntax);
        Prover {
            syntax,
            closure,
            forms: Forms::default(),
            simplex: Simplex::default(),
            facts: Vec::new(),
            active: Vec::new(),
            progress: Vec::new(),
            triggers: FastMap::default(),
            is_active: FastSet::default(),
            choices: Vec::new(),
            is_choice: FastSet::default(),
            disequal: Vec::new(),
            instances: FastSet::default(),
            instance_trail: Vec::new(),
            asserted: Vec::new(),
            late: Vec::new(),
            late_done: 0,
            scopes: Vec::new(),
            incomplete: false,
            suppressed: false,
            contradiction: None,
            confused: false,
            effort: FULL,
        }
    }

    // --- Scopes and assertions

    /// How many scopes there are; the outermost one is always there.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.scopes.len() + 1
    }

    /// Opens a scope. What follows from the assertions so far is found out once, for all that comes
    /// inside of it.
    pub fn push(&mut self) {
        self.saturate();
        self.open();
    }

    /// Closes the innermost scope and forgets what was said in it. The outermost one stays.
    pub fn pop(&mut self) {
        if self.scopes.is_empty() {
            return;
        }
        self.close();
        let depth = self.depth();
        self.late.retain(|(at, _)| *at <= depth);
    }

    /// Reads declarations and assertions in the innermost scope.
    pub fn read(&mut self, text: &str) {
        self.read_at(self.depth(), text);
    }

    /// The same in the scope at a depth, counted from 1.
    pub fn read_at(&mut self, depth: usize, text: &str) {
        let read = read::read(&mut self.syntax, text);
        self.confused |= read.clash;
        self.incomplete |= read.dropped > 0;
        if depth < self.depth() {
            // What was dropped is missing for the scopes around, too.
            for scope in self.scopes.iter_mut().skip(depth) {
                scope.incomplete |= read.dropped > 0;
            }
            self.late.extend(read.asserted.into_iter().map(|formula| (depth, formula)));
        } else {
            for formula in read.asserted {
                self.assume(formula);
            }
        }
    }

    fn assume(&mut self, formula: Template) {
        self.asserted.push(formula);
        let mut done = FastMap::default();
        let node = self.closure.instantiate(&self.syntax, formula, &[], 0, &mut done);
        if let Some(node) = node {
            self.closure.make_relevant(&self.syntax, node);
            self.closure.merge(node, TRUE, Rule::Assumed, Vec::new());
        }
    }

    /// Assumes what was said in scopes around, since they had others inside.
    fn catch_up(&mut self) {
        while let Some((_, formula)) = self.late.get(self.late_done).copied() {
            self.late_done += 1;
            self.assume(formula);
        }
    }

    /// What follows without cases.
    fn saturate(&mut self) {
        if self.confused {
            return;
        }
        self.catch_up();
        let mut budget = BETWEEN.share(self.effort);
        // What is known everywhere must not grow without end.
        let alive = self.instance_trail.len();
        budget.instances = budget.instances.min(MAX_ALIVE.saturating_sub(alive));
        while self.propagate(&mut budget) && self.instantiate(&mut budget) {}
    }

    fn open(&mut self) {
        self.scopes.push(Scope {
            closure: self.closure.mark(),
            simplex: self.simplex.mark(),
            active: self.active.len(),
            progress: self.progress.clone(),
            choices: self.choices.len(),
            disequal: self.disequal.len(),
            instances: self.instance_trail.len(),
            asserted: self.asserted.len(),
            late: self.late_done,
            incomplete: self.incomplete,
            suppressed: self.suppressed,
            contradiction: self.contradiction.clone(),
        });
    }

    fn close(&mut self) {
        let Some(scope) = self.scopes.pop() else { return };
        self.closure.undo(scope.closure);
        self.forms.truncate(self.closure.len());
        self.simplex.undo(scope.simplex);
        self.facts.clear();
        for active in self.active.drain(scope.active..) {
            self.is_active.remove(&active.node);
        }
        self.progress = scope.progress;
        for node in self.choices.drain(scope.choices..) {
            self.is_choice.remove(&node);
        }
        self.disequal.truncate(scope.disequal);
        for key in self.instance_trail.drain(scope.instances..) {
            self.instances.remove(&key);
        }
        self.asserted.truncate(scope.asserted);
        self.late_done = scope.late;
        self.incomplete = scope.incomplete;
        self.suppressed = scope.suppressed;
        self.contradiction = scope.contradiction;
    }

    fn add_choice(&mut self, node: Node) {
        if self.closure.is_relevant(node) && self.is_choice.insert(node) {
            self.choices.push(node);
        }
    }

    fn note_incomplete(&mut self) {
        self.incomplete = true;
    }

    // --- Propagation

    /// Draws all conclusions. Is there no contradiction?
    fn propagate(&mut self, budget: &mut Limits) -> bool {
        loop {
            if self.contradiction.is_some() {
                self.closure.forget_pending();
                self.facts.clear();
                return false;
            }
            if !self.closure.settle(&self.syntax) {
                self.contradiction = self.closure.conflict.take();
                continue;
            }
            if let Some(node) = self.closure.dirty.pop() {
                self.evaluate(node);
            } else if let Some((a, b)) = self.closure.equal_numbers.pop() {
                self.add_fact(Fact::Equal(a, b));
            } else if let Some(fact) = self.facts.pop() {
                self.add_fact(fact);
            } else if let Some(leaf) = self.simplex.new_leaves.pop() {
                match self.closure.numeric(leaf) {
                    Some(other) if other != leaf => self.facts.push(Fact::Equal(leaf, other)),
                    _ => self.closure.set_numeric(leaf),
                }
            } else {
                match self.simplex.check(&mut budget.pivots) {
                    Outcome::Conflict(certificate) => self.refute(certificate),
                    Outcome::GaveUp => self.note_incomplete(),
                    Outcome::Consistent => {}
                }
                if self.contradiction.is_none() && !self.equate_fixed() {
                    return true;
                }
            }
        }
    }

    fn add_fact(&mut self, fact: Fact) {
        match self.simplex.assert(&self.closure, &mut self.forms, fact) {
            Outcome::Conflict(certificate) => self.refute(certificate),
            Outcome::GaveUp => self.note_incomplete(),
            Outcome::Consistent => {}
        }
    }

    fn refute(&mut self, certificate: Certificate) {
        let premises = certificate.iter().filter_map(|(fact, _)| premise(*fact)).collect();
        let rule = Rule::Farkas(vec![certificate]);
        let (left, right) = (closure::TRUE, closure::FALSE);
        self.contradiction = Some(Step { left, right, rule, premises });
    }

    /// Terms that have only one value left are that number; terms whose difference is zero are equal.
    /// Is there something new?
    fn equate_fixed(&mut self) -> bool {
        let mut news = false;
        for (node, other, value, facts) in self.simplex.take_fixed() {
            let other = other.unwrap_or_else(|| {
                let number = Head::Number(value, self.closure.sort(node));
                self.closure.add(&self.syntax, number, &[], 0)
            });
            if self.closure.same(node, other) || self.closure.sort(node) != self.closure.sort(other)
            {
                continue;
            }
            let sums = [Fact::Less(node, other), Fact::Less(other, node)]
                .map(|less| facts.iter().find_map(|fact| self.contradictory_pair(less, *fact)));
            let [Some(below), Some(above)] = sums else { continue };
            let premises = facts.iter().filter_map(|fact| premise(*fact)).collect();
            self.closure.merge(node, other, Rule::Farkas(vec![below, above]), premises);
            news = true;
        }
        news
    }

    /// A sum of two facts about one form that is a contradiction.
    fn contradictory_pair(&mut self, less: Fact, fact: Fact) -> Option<Certificate> {
        let (a, _) = self.forms.constraint(&self.closure, less)?;
        let (b, relation) = self.forms.constraint(&self.closure, fact)?;
        let (first, second) = (a.factors.first()?, b.factors.first()?);
        let factor = first.1.over(second.1)?.negative();
        let usable = relation == linear::Relation::Equal || factor.signum() > 0;
        let sum = a.plus(&b, factor)?;
        let contradiction = sum.factors.is_empty() && sum.constant.signum() >= 0;
        (usable && contradiction).then(|| vec![(less, Rational::ONE), (fact, factor)])
    }

    /// A quantified formula is true, or false.
    fn quantified(&mut self, node: Node, id: QuantId, holds: bool) {
        if !self.closure.is_relevant(node) {
            return;
        }
        let quant = self.syntax.quant(id);
        if quant.universal == holds {
            self.activate(node, id, holds);
            return;
        }
        // There are values for which its body is not what it is for all: the witnesses.
        let (_, args) = self.closure.term(node);
        let args: Vec<Node> = args.to_vec();
        let (body, first, count) = (quant.body, quant.first as usize, quant.sorts.len());
        let mut values = quant.environment(&args);
        let generation = self.closure.generation(node);
        for var in 0..count {
            let head = Head::Witness(id, var as u32);
            values[first + var] = Some(self.closure.add(&self.syntax, head, &args, generation));
        }
        let mut done = FastMap::default();
        let body = self.closure.instantiate(&self.syntax, body, &values, generation, &mut done);
        if let Some(body) = body {
            self.closure.make_relevant(&self.syntax, body);
            self.closure.set(body, holds, Rule::Witness(node), vec![(node, truth(holds))]);
        }
    }
}

/// The equality that a fact of arithmetic is about.
fn premise(fact: Fact) -> Option<(Node, Node)> {
    match fact {
        Fact::Atom(node, holds) => Some((node, truth(holds))),
        Fact::Equal(a, b) => Some((a, b)),
        Fact::Product { factor, number, .. } => Some((factor, number)),
        Fact::Less(..) | Fact::Euclid { .. } | Fact::NotNegative(_) | Fact::BelowDivisor(_) => None,
    }
}
