//! The search for a contradiction: propagation, instances, then cases.

use std::collections::BTreeSet;

use crate::closure::{Node, Rule, Step, StepId};
use crate::hash::FastMap;
use crate::linear::Fact;
use crate::proof::{Builder, End, Proof, Refutation};
use crate::simplex::{Certificate, Delta, Outcome};
use crate::syntax::{Head, Role, Sort};
use crate::{Answer, FULL, Limits, Prover, premise};

/// So many equalities between arguments are tried at a time.
const MAX_EQUALITIES: usize = 12;

/// Why a branch is not closed.
enum Open {
    Saturated,
    CutShort,
}

/// A branch that is closed.
struct Closed {
    /// The steps before it that the contradiction rests on.
    needed: BTreeSet<StepId>,
    /// Does it rest on the case that it began with?
    uses_case: bool,
    refutation: Option<Refutation>,
}

impl Prover {
    /// Do the assertions contradict each other?
    pub fn check(&mut self, limits: Limits) -> Answer {
        self.check_with(limits, None)
    }

    /// The same, with a proof.
    pub fn prove(&mut self, limits: Limits) -> Answer {
        self.check_with(limits, Some(Builder::new()))
    }

    fn check_with(&mut self, limits: Limits, mut builder: Option<Builder>) -> Answer {
        if self.confused {
            return Answer::Unknown;
        }
        self.catch_up();
        // What was not made between questions is asked for again.
        self.suppressed = false;
        let mut budget = limits.share(self.effort);
        let answer = match self.search(&mut budget, limits.depth, 0, &mut builder) {
            Ok(closed) => {
                let proof = builder.zip(closed.refutation);
                Answer::Unsat(proof.map(|(builder, root)| Proof { terms: builder.terms, root }))
            }
            Err(Open::Saturated) if self.incomplete || self.suppressed => Answer::Unknown,
            Err(Open::Saturated) if self.has_quantifiers() || !self.is_model() => Answer::Saturated,
            Err(Open::Saturated) => Answer::Sat,
            Err(Open::CutShort) => Answer::Unknown,
        };
        // Hard questions come in rows: no more is spent on the next than it is likely to be worth.
        self.effort = match answer {
            Answer::Unknown => (self.effort / 2).max(1),
            _ => (self.effort * 2).min(FULL),
        };
        answer
    }

    fn search(
        &mut self,
        budget: &mut Limits,
        depth: usize,
        from: StepId,
        builder: &mut Option<Builder>,
    ) -> Result<Closed, Open> {
        loop {
            if !self.propagate(budget) {
                let Some(conflict) = self.contradiction.clone() else { return Err(Open::CutShort) };
                let mut seeds = BTreeSet::new();
                self.seeds(&conflict, &mut seeds);
                let end = builder.as_mut().map(|b| End::Conflict(b.step(&self.closure, &conflict)));
                return Ok(self.closed(seeds, from, builder, end));
            }
            if self.decide_open() || self.instantiate(budget) || self.equate_arguments(budget) {
                continue;
            }
            if self.equate_different(budget) {
                continue;
            }
            let Some((on, value)) = self.choose() else { return Err(Open::Saturated) };
            if depth == 0 || budget.cases == 0 {
                return Err(Open::CutShort);
            }
            budget.cases -= 1;
            let first = self.case(on, value, budget, depth - 1, builder)?;
            if !first.uses_case {
                return Ok(self.lift(first, from, builder));
            }
            let second = self.case(on, !value, budget, depth - 1, builder)?;
            if !second.uses_case {
                return Ok(self.lift(second, from, builder));
            }
            let (when_true, when_false) = if value { (first, second) } else { (second, first) };
            let needed = when_true.needed.union(&when_false.needed).copied().collect();
            let branches = when_true.refutation.zip(when_false.refutation);
            let end = builder.as_mut().zip(branches).map(|(builder, (yes, no))| {
                let on = builder.term(&self.closure, on);
                End::Cases { on, when_true: Box::new(yes), when_false: Box::new(no) }
            });
            return Ok(self.closed(needed, from, builder, end));
        }
    }

    /// Looks at a case.
    fn case(
        &mut self,
        on: Node,
        value: bool,
        budget: &mut Limits,
        depth: usize,
        builder: &mut Option<Builder>,
    ) -> Result<Closed, Open> {
        self.open();
        let from = self.closure.steps.len() as StepId;
        self.closure.set(on, value, Rule::Case, Vec::new());
        let result = self.search(budget, depth, from, builder);
        self.close();
        if let Some(builder) = builder {
            builder.forget_nodes();
        }
        result
    }

    /// A contradiction that rests on these steps.
    fn closed(
        &self,
        seeds: BTreeSet<StepId>,
        from: StepId,
        builder: &mut Option<Builder>,
        end: Option<End>,
    ) -> Closed {
        let (needed, own) = self.steps_behind(seeds, from);
        let uses_case = own.first().is_some_and(|id| self.is_case(*id));
        let refutation = builder.as_mut().zip(end).map(|(builder, end)| {
            let steps = self.copies(&own, builder);
            Refutation { steps, end }
        });
        Closed { needed, uses_case, refutation }
    }

    /// A contradiction of a case that does not rest on it.
    fn lift(&self, inner: Closed, from: StepId, builder: &mut Option<Builder>) -> Closed {
        let (needed, own) = self.steps_behind(inner.needed, from);
        let uses_case = own.first().is_some_and(|id| self.is_case(*id));
        let refutation = builder.as_mut().zip(inner.refutation).map(|(builder, inner)| {
            let mut steps = self.copies(&own, builder);
            steps.extend(inner.steps);
            Refutation { steps, end: inner.end }
        });
        Closed { needed, uses_case, refutation }
    }

    fn is_case(&self, id: StepId) -> bool {
        matches!(self.closure.steps[id as usize].rule, Rule::Case)
    }

    fn copies(
        &self,
        ids: &BTreeSet<StepId>,
        builder: &mut Builder,
    ) -> Vec<crate::proof::ProofStep> {
        let steps = ids.iter().map(|id| &self.closure.steps[*id as usize]);
        let real = steps.filter(|step| !matches!(step.rule, Rule::Case));
        real.map(|step| builder.step(&self.closure, step)).collect()
    }

    fn seeds(&self, step: &Step, into: &mut BTreeSet<StepId>) {
        for (a, b) in &step.premises {
            self.closure.explain(*a, *b, &mut |id| {
                into.insert(id);
            });
        }
    }

    /// All steps that some rest on: those before `from`, which are not followed, and the others.
    fn steps_behind(
        &self,
        seeds: BTreeSet<StepId>,
        from: StepId,
    ) -> (BTreeSet<StepId>, BTreeSet<StepId>) {
        let (mut before, mut own) = (BTreeSet::new(), BTreeSet::new());
        let mut pending: Vec<StepId> = seeds.into_iter().collect();
        while let Some(id) = pending.pop() {
            if id < from {
                before.insert(id);
            } else if own.insert(id) {
                let mut more = BTreeSet::new();
                self.seeds(&self.closure.steps[id as usize], &mut more);
                pending.extend(more);
            }
        }
        (before, own)
    }

    // --- Cases

    /// Decides comparisons that would be cases otherwise, by bounds. Were there any?
    fn decide_open(&mut self) -> bool {
        let mut atoms = Vec::new();
        for choice in &self.choices {
            if self.alternatives(*choice).is_none() {
                continue;
            }
            for child in self.closure.term(*choice).1 {
                let comparison = matches!(self.closure.term(*child).0, Head::Le | Head::Lt);
                if comparison && self.closure.truth(*child).is_none() {
                    atoms.push(*child);
                }
            }
        }
        let mut any = false;
        for atom in atoms {
            any |= self.decide_atom(atom);
        }
        any
    }

    /// What to distinguish next: a formula, and the value to try first.
    fn choose(&mut self) -> Option<(Node, bool)> {
        let mut best: Option<(usize, Node, bool)> = None;
        for choice in self.choices.iter().rev() {
            if let Some((count, on, value)) = self.alternatives(*choice)
                && best.is_none_or(|(least, ..)| count < least)
            {
                best = Some((count, on, value));
            }
        }
        if let Some((_, on, value)) = best {
            return Some((on, value));
        }
        let on = self.choose_order().or_else(|| self.choose_integer());
        on.or_else(|| self.choose_undetermined())
    }

    /// How many cases of a formula are open, and one of them.
    fn alternatives(&self, node: Node) -> Option<(usize, Node, bool)> {
        let closure = &self.closure;
        let (head, args) = closure.term(node);
        let holds = closure.truth(node);
        let open = |literals: &[(Node, bool)]| {
            // One that is as wanted is enough.
            if literals.iter().any(|(n, value)| closure.truth(*n) == Some(*value)) {
                return None;
            }
            let unknown = literals.iter().filter(|(n, _)| closure.truth(*n).is_none());
            let (on, value) = *unknown.clone().next_back()?;
            Some((unknown.count(), on, value))
        };
        match (head, args, holds) {
            (Head::Or, args, Some(true)) => {
                open(&args.iter().map(|arg| (*arg, true)).collect::<Vec<_>>())
            }
            (Head::And, args, Some(false)) => {
                open(&args.iter().map(|arg| (*arg, false)).collect::<Vec<_>>())
            }
            (Head::Implies, [a, b], Some(true)) => open(&[(*b, true), (*a, false)]),
            (Head::Eq, [a, b], Some(false)) if closure.sort(*a) == Sort::BOOL => {
                (closure.truth(*a).is_none() && closure.truth(*b).is_none())
                    .then_some((2, *a, true))
            }
            (Head::Ite, [c, a, b], _) => (closure.truth(*c).is_none() && !closure.same(*a, *b))
                .then_some((if holds.is_some() { 2 } else { 3 }, *c, true)),
            _ => None,
        }
    }

    /// The value of a number in the model of arithmetic, if that knows it.
    fn model_value(&mut self, node: Node) -> Option<Delta> {
        let known = self.closure.numeric(node)?;
        let form = self.forms.form(&self.closure, known);
        self.simplex.value(&form)
    }

    /// Without quantifiers there may be a model; it gives every formula a value.
    fn choose_undetermined(&mut self) -> Option<(Node, bool)> {
        if self.has_quantifiers() || self.incomplete {
            return None;
        }
        let open = |node: &Node| {
            self.closure.sort(*node) == Sort::BOOL && self.closure.truth(*node).is_none()
        };
        (0..self.closure.len() as u32).map(Node).find(open).map(|node| (node, true))
    }

    /// Numbers that are different, but not in the model: which one is less?
    fn choose_order(&mut self) -> Option<(Node, bool)> {
        for index in (0..self.disequal.len()).rev() {
            let equation = self.disequal[index];
            let [a, b] = *self.closure.term(equation).1 else { continue };
            // What arithmetic knows nothing of has a value of its own.
            let (x, y) = (self.model_value(a), self.model_value(b));
            if x.is_none() || x != y {
                continue;
            }
            let (a, b) = (self.closure.numeric(a)?, self.closure.numeric(b)?);
            for args in [[a, b], [b, a]] {
                let less = self.closure.add(&self.syntax, Head::Lt, &args, 0);
                if self.closure.truth(less).is_none() {
                    return Some((less, true));
                }
            }
        }
        None
    }

    /// An integer that is none in the model: is it less, or more?
    fn choose_integer(&mut self) -> Option<(Node, bool)> {
        let (node, value) = self.simplex.fractional(&self.closure)?;
        let floor = Head::Number(value.floor(), Sort::INT);
        let floor = self.closure.add(&self.syntax, floor, &[], 0);
        let below = self.closure.add(&self.syntax, Head::Le, &[node, floor], 0);
        self.closure.truth(below).is_none().then_some((below, true))
    }

    // --- Arguments that are numbers

    /// Applications of a symbol that have the same arguments in the model of arithmetic, and may be equal.
    fn collisions(&mut self, limit: usize) -> Vec<(Node, Node)> {
        let mut seen: FastMap<Vec<i128>, Node> = FastMap::default();
        let mut found = Vec::new();
        for index in 0..self.closure.of_numbers.len() {
            let node = self.closure.of_numbers[index];
            let (Head::Symbol(symbol), args) = self.closure.term(node) else { continue };
            let args: Vec<Node> = args.to_vec();
            let mut key = vec![i128::from(symbol.0)];
            for arg in args {
                if self.closure.numeric(arg).is_some() {
                    let Some(value) = self.model_value(arg) else { return Vec::new() };
                    key.extend([value.real.numer(), value.real.denom()]);
                    key.extend([value.small.numer(), value.small.denom()]);
                } else {
                    // Negative, so that it is no denominator.
                    key.push(-1 - i128::from(self.closure.root(arg).0));
                }
            }
            match seen.get(&key) {
                Some(other) if !self.closure.same(*other, node) => {
                    found.push((*other, node));
                    if found.len() >= limit {
                        break;
                    }
                }
                Some(_) => {}
                None => {
                    seen.insert(key, node);
                }
            }
        }
        found
    }

    /// Merges arguments that arithmetic shows to be equal. Is there something new?
    fn equate_arguments(&mut self, budget: &mut Limits) -> bool {
        if self.simplex.broken {
            return false;
        }
        let mut news = false;
        for (a, b) in self.collisions(MAX_EQUALITIES) {
            let pairs: Vec<(Node, Node)> = {
                let (x, y) = (self.closure.term(a).1, self.closure.term(b).1);
                x.iter().copied().zip(y.iter().copied()).collect()
            };
            for (x, y) in pairs {
                if self.closure.same(x, y) {
                    continue;
                }
                let known = self.closure.numeric(x).zip(self.closure.numeric(y));
                let Some((x, y)) = known else { break };
                if !self.equate(x, y, budget) {
                    break;
                }
                news = true;
            }
        }
        news
    }

    /// Merges numbers that are said to be different, and of which neither can be less. Were there any?
    fn equate_different(&mut self, budget: &mut Limits) -> bool {
        if self.simplex.broken {
            return false;
        }
        for index in (0..self.disequal.len()).rev() {
            let [a, b] = *self.closure.term(self.disequal[index]).1 else { continue };
            let (x, y) = (self.model_value(a), self.model_value(b));
            if x.is_none() || x != y {
                continue;
            }
            let known = self.closure.numeric(a).zip(self.closure.numeric(b));
            let Some((x, y)) = known else { continue };
            if self.equate(x, y, budget) {
                return true;
            }
        }
        false
    }

    /// Merges two numbers if neither can be less than the other.
    fn equate(&mut self, x: Node, y: Node, budget: &mut Limits) -> bool {
        let below = self.refute_less(x, y, budget);
        let above = below.as_ref().and_then(|_| self.refute_less(y, x, budget));
        let Some((below, above)) = below.zip(above) else { return false };
        let facts = below.iter().chain(&above);
        let premises = facts.filter_map(|(fact, _)| premise(*fact)).collect();
        self.closure.merge(x, y, Rule::Farkas(vec![below, above]), premises);
        true
    }

    fn refute_less(&mut self, x: Node, y: Node, budget: &mut Limits) -> Option<Certificate> {
        let mark = self.simplex.mark();
        let outcome = match self.simplex.assert(&self.closure, &mut self.forms, Fact::Less(x, y)) {
            Outcome::Consistent => self.simplex.check(&mut budget.pivots),
            other => other,
        };
        self.simplex.undo(mark);
        match outcome {
            Outcome::Conflict(certificate) => Some(certificate),
            _ => None,
        }
    }

    /// Is what is left a model of all theories together?
    fn is_model(&mut self) -> bool {
        let datatypes = (0..self.closure.len()).any(|index| {
            let (head, _) = self.closure.term(Node(index as u32));
            matches!(head, Head::Symbol(symbol) if self.syntax.role(symbol) != Role::Free)
        });
        !self.simplex.broken && !datatypes && self.collisions(1).is_empty() && self.separated()
    }

    /// Are equal numbers in the model equal here, where functions or equations could tell?
    fn separated(&mut self) -> bool {
        for index in 0..self.closure.len() {
            let (head, args) = self.closure.term(Node(index as u32));
            let [a, b] = *args else { continue };
            if head != Head::Eq || !self.closure.sort(a).is_arithmetic() {
                continue;
            }
            if self.closure.truth(Node(index as u32)) != Some(false) {
                continue;
            }
            let differ = match (self.model_value(a), self.model_value(b)) {
                (Some(x), Some(y)) => x != y,
                // What arithmetic knows nothing of has a value of its own.
                (x, y) => {
                    let own = |value: Option<Delta>, node| {
                        value.is_some() || self.closure.numeric(node).is_none()
                    };
                    own(x, a) && own(y, b)
                }
            };
            if !differ {
                return false;
            }
        }
        true
    }
}
