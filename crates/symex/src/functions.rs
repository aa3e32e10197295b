//! Functions: their contracts and bodies are verified, and become axioms for everyone else.
//!
//! A function is a mathematical function of its arguments and of the snapshot of what its
//! precondition gives access to. Evaluating its body in a state in which the precondition was
//! produced from a symbolic snapshot therefore yields its definition.
//!
//! Functions that call each other are verified together, callees first. Inside such a group calls
//! are *limited*: they know the postcondition but not the definition, which is unrolled only where
//! the function is mentioned in full, or where a predicate that its body unfolds was folded or
//! unfolded.

use std::collections::HashSet;
use std::rc::Rc;
use std::sync::Arc;

use smt::{FunId, Node, Op, Term};
use viper::core::{Expr, FunctionId};

use crate::diagnostics::{Blame, ErrorKind};
use crate::encoding::{FunctionSymbols, FunctionTheory, SymbolKind};
use crate::executor::{Executor, annotated};
use crate::prover::{Entry, Outcome, Run, Stop};
use crate::state::{Owner, State};

/// A function while it is being verified.
struct Subject {
    id: FunctionId,
    symbols: FunctionSymbols,
    /// The snapshot and the arguments.
    formals: Vec<Term>,
    state: State,
    /// Its contract makes sense.
    sound: bool,
}

/// What an evaluation yields: values, and which of the facts on its path belong to them.
#[derive(Clone)]
struct Evaluated {
    values: Vec<Term>,
    /// Facts that were there before the evaluation.
    skip: usize,
    /// Facts that were there after it.
    end: usize,
}

impl Executor<'_> {
    /// Verifies functions that call each other. Calls `done` after each phase of each function.
    pub fn verify_functions(
        &mut self,
        group: &[FunctionId],
        recursive: bool,
        done: &mut dyn FnMut(&mut Self, FunctionId),
    ) -> Run<Vec<(FunctionId, FunctionTheory)>> {
        if recursive {
            self.recursive = group.iter().copied().collect();
        }
        let mut subjects = Vec::new();
        let mut texts = Vec::new();
        for id in group {
            let pos = self.program.function(*id).pos;
            let mut subject = self.subject(*id);
            let mut text = self.because_of(pos, |this| this.frame_axioms(&subject));
            let contract = self.because_of(pos, |this| {
                this.without_errors(|this| this.verify_contract(&mut subject))
            });
            match contract {
                Ok(post) => {
                    text.push_str(&post);
                    subject.sound = true;
                }
                Err(Stop::Abort) => return Err(Stop::Abort),
                Err(Stop::Failed | Stop::Infeasible | Stop::Ended) => {}
            }
            done(self, *id);
            subjects.push(subject);
            texts.push(text);
        }
        for text in &texts {
            self.say(text);
        }
        for (subject, text) in subjects.iter_mut().zip(&mut texts) {
            if !subject.sound {
                continue;
            }
            let pos = self.program.function(subject.id).pos;
            let definition = self.because_of(pos, |this| {
                this.without_errors(|this| this.verify_definition(subject))
            });
            match definition {
                Ok(definition) => text.push_str(&definition),
                Err(Stop::Abort) => return Err(Stop::Abort),
                Err(Stop::Failed | Stop::Infeasible | Stop::Ended) => {}
            }
            done(self, subject.id);
        }
        let uses = self.uses().to_vec();
        Ok(subjects
            .iter()
            .zip(texts)
            .map(|(subject, text)| (subject.id, FunctionTheory { uses: uses.clone(), text }))
            .collect())
    }

    fn subject(&mut self, id: FunctionId) -> Subject {
        let function = self.program.function(id);
        let symbols = self.function(id);
        self.name_after(function.name.as_str());
        let mut state = State::new(Owner::Function(id), function.locals.len(), self.mode);
        state.fresh = self.next_fresh();
        let mut formals = vec![self.fresh_snap(&mut state)];
        for i in 0..function.params {
            formals.push(self.havoc(&mut state, viper::core::LocalId(i)));
        }
        state.parameters = Rc::from(formals.as_slice());
        state.fixed = formals.len();
        state.mode.reading = true;
        Subject { id, symbols, formals, state, sound: false }
    }

    /// How the symbols of a function belong together.
    fn frame_axioms(&mut self, subject: &Subject) -> String {
        let FunctionSymbols { full, limited, stateless, .. } = subject.symbols;
        let formals = &subject.formals;
        let full = self.terms.app(full, formals);
        let limited = self.terms.app(limited, formals);
        let stateless = self.terms.app(stateless, &formals[1..]);
        let same = self.terms.eq(limited, full);
        let mut text = self.axiom(formals, &[vec![full]], same);
        text.push_str(&self.axiom(formals, &[vec![limited]], stateless));
        text
    }

    /// Pre- and postconditions must make sense; the result is the axiom of the postcondition.
    fn verify_contract(&mut self, subject: &mut Subject) -> Run<String> {
        let function = self.program.function(subject.id);
        self.name_after(function.name.as_str());
        let result = self.terms.app(subject.symbols.limited, &subject.formals);
        let snap = subject.formals[0];
        let mut state = subject.state.clone();
        state.fresh = self.next_fresh();
        let outcomes = self.explore(&mut state, |this, s| {
            let mark = this.trail().len();
            let not_wellformed =
                |e: &Arc<Expr>| Blame::new(ErrorKind::ContractNotWellformed, e.pos);
            this.produce_all(s, &function.pres, snap, &not_wellformed)?;
            let skip = this.facts_since(mark);
            s.result = Some(result);
            s.old = Some(s.heap.clone());
            let mut values = Vec::new();
            for post in &function.posts {
                s.mode.inhaling = true;
                let value = this.eval(s, post, &not_wellformed(post))?;
                values.push(value);
                match this.assume(s, value) {
                    // Whoever calls it learns that nobody can.
                    Err(Stop::Infeasible) => break,
                    result => result?,
                }
            }
            Ok(Evaluated { values, skip, end: this.facts_since(mark) })
        });
        let outcomes = match outcomes {
            Ok(outcomes) => outcomes,
            // A precondition that cannot hold: there is nothing to say.
            Err(Stop::Infeasible) => return Ok(String::new()),
            Err(stop) => return Err(stop),
        };
        if function.posts.is_empty() {
            return Ok(String::new());
        }
        let mut conjuncts = Vec::new();
        for outcome in outcomes.iter() {
            let post = self.terms.and(outcome.value.values.iter().copied());
            conjuncts.push(self.terms.implies(outcome.guard, post));
            conjuncts.extend(self.worth_telling(outcome, &subject.formals, &[post]));
        }
        let body = self.terms.and(conjuncts);
        // A postcondition need not mention the parameters, so the trigger alone does not confine it
        // to calls: solvers drop the quantifier together with variables that are not used.
        let pre = self.terms.app(subject.symbols.pre, &subject.formals);
        let body = self.terms.implies(pre, body);
        Ok(self.axiom(&subject.formals, &[vec![result]], body))
    }

    /// The body must make sense and fulfil the postcondition; the result is its definition.
    fn verify_definition(&mut self, subject: &mut Subject) -> Run<String> {
        let function = self.program.function(subject.id);
        let Some(body) = &function.body else { return Ok(String::new()) };
        self.name_after(function.name.as_str());
        let snap = subject.formals[0];
        let mut state = subject.state.clone();
        state.fresh = self.next_fresh();
        self.unfolded.clear();
        let outcomes = self.explore(&mut state, |this, s| {
            let mark = this.trail().len();
            let not_wellformed =
                |e: &Arc<Expr>| Blame::new(ErrorKind::ContractNotWellformed, e.pos);
            this.produce_all(s, &function.pres, snap, &not_wellformed)?;
            let skip = this.facts_since(mark);
            s.old = Some(s.heap.clone());
            let blame = Blame::new(ErrorKind::FunctionNotWellformed, function.pos)
                .with_info(&function.info)
                .about(function.name.as_str());
            let value = this.eval(s, body, &blame)?;
            let end = this.facts_since(mark);
            // Postconditions follow from calls in the body even if they do not mention the result.
            this.mention(s, value)?;
            s.result = Some(value);
            let mut heap = s.heap.clone();
            this.consume_all(s, &mut heap, &function.posts, &|post| {
                Blame::new(ErrorKind::PostconditionViolated, post.pos)
                    .with_info(&post.info)
                    .about(function.name.as_str())
            })?;
            Ok(Evaluated { values: vec![value], skip, end })
        });
        let outcomes = match outcomes {
            Ok(outcomes) => outcomes,
            Err(Stop::Infeasible) => return Ok(String::new()),
            Err(stop) => return Err(stop),
        };
        let full = self.terms.app(subject.symbols.full, &subject.formals);
        let stateless = self.terms.app(subject.symbols.stateless, &subject.formals[1..]);
        let mut definition = Vec::new();
        let mut propagated = Vec::new();
        for outcome in outcomes.iter() {
            let same = self.equal(&function.ty, full, outcome.value.values[0]);
            let same = match self.terms.node(same) {
                // Definitions are equations, whatever the type.
                Node::App(..) => self.terms.eq(full, outcome.value.values[0]),
                _ => same,
            };
            definition.push(self.terms.implies(outcome.guard, same));
            propagated.extend(self.worth_telling(outcome, &subject.formals, &[same]));
        }
        let mut triggers = vec![vec![full]];
        let opaque = annotated(&function.info, "opaque");
        let unfolded = std::mem::take(&mut self.unfolded);
        let mut seen = HashSet::new();
        for (predicate, snap, args) in unfolded {
            let fun = self.predicate_trigger(predicate);
            let mut all = vec![snap];
            all.extend(args.iter());
            let note = self.terms.app(fun, &all);
            // Recursion that does not follow the predicate would never end.
            let guided = args.iter().any(|a| self.mentions(*a, &subject.formals[1..]));
            if guided && !opaque && seen.insert(note) {
                triggers.push(vec![stateless, note]);
            }
        }
        let definition = self.terms.and(definition);
        let mut text = self.guarded_axiom(subject, &triggers, definition);
        let propagated = self.terms.and(propagated);
        text.push_str(&self.guarded_axiom(subject, &triggers, propagated));
        Ok(text)
    }

    fn facts_since(&self, mark: usize) -> usize {
        let fact = |e: &&Entry| matches!(e, Entry::Fact(_) | Entry::Lasting(..));
        self.trail()[mark..].iter().filter(fact).count()
    }

    /// Of what was learnt during an evaluation, what users of the function need: that the
    /// preconditions of the functions it calls hold, what defines the symbols in `values`, and which
    /// values differ because of what the body unfolds (receivers of fields are not `null`).
    fn worth_telling(
        &mut self,
        outcome: &Outcome<Evaluated>,
        formals: &[Term],
        values: &[Term],
    ) -> Vec<Term> {
        let Evaluated { skip, end, .. } = outcome.value;
        let mut needed = HashSet::new();
        for value in values.iter().chain([&outcome.guard]) {
            self.fresh_symbols(*value, formals, &mut needed);
        }
        let mut told = vec![false; end];
        // What is told may mention other symbols.
        loop {
            let before = needed.len();
            for (i, learnt) in outcome.facts[..end].iter().enumerate() {
                let mut mentioned = HashSet::new();
                self.fresh_symbols(learnt.fact, formals, &mut mentioned);
                let own = i >= skip
                    && (self.mentions_call(learnt.fact)
                        || mentioned.is_empty() && self.is_disequation(learnt.fact));
                if !told[i] && (own || mentioned.iter().any(|f| needed.contains(f))) {
                    told[i] = true;
                    needed.extend(mentioned);
                    self.fresh_symbols(learnt.guard, formals, &mut needed);
                }
            }
            if needed.len() == before {
                break;
            }
        }
        let facts = outcome.facts[..end].iter().zip(told).filter(|(_, told)| *told);
        facts.map(|(learnt, _)| self.guarded(learnt)).collect()
    }

    /// Does it say that some values are different from others, perhaps under conditions?
    fn is_disequation(&self, fact: Term) -> bool {
        let is_equation = |t: Term| matches!(self.terms.node(t), Node::Op(Op::Eq, _));
        match self.terms.node(fact) {
            Node::Op(Op::Not, args) => args.iter().all(|a| match self.terms.node(*a) {
                Node::Op(Op::And, parts) => parts.iter().all(|p| is_equation(*p)),
                _ => is_equation(*a),
            }),
            Node::Op(Op::Implies, args) => args.last().is_some_and(|a| self.is_disequation(*a)),
            _ => false,
        }
    }

    fn mentions_call(&self, fact: Term) -> bool {
        self.any_symbol(fact, |fun| self.symbol_kind(fun) == Some(&SymbolKind::Precondition))
    }

    /// The symbols of a term that were made while it was evaluated.
    fn fresh_symbols(&self, term: Term, formals: &[Term], found: &mut HashSet<FunId>) {
        let mut seen = HashSet::new();
        let mut pending = vec![term];
        while let Some(term) = pending.pop() {
            if formals.contains(&term) || !seen.insert(term) {
                continue;
            }
            if let Node::App(fun, _) = self.terms.node(term)
                && self.terms.signature.fun(*fun).meaning == smt::Meaning::Uninterpreted
            {
                found.insert(*fun);
            }
            pending.extend(self.terms.children(term));
        }
    }

    fn any_symbol(&self, term: Term, test: impl Fn(FunId) -> bool) -> bool {
        let mut seen = HashSet::new();
        let mut pending = vec![term];
        while let Some(term) = pending.pop() {
            if !seen.insert(term) {
                continue;
            }
            if let Node::App(fun, _) = self.terms.node(term)
                && test(*fun)
            {
                return true;
            }
            pending.extend(self.terms.children(term));
        }
        false
    }

    /// An axiom for all arguments for which the precondition holds.
    fn guarded_axiom(&mut self, subject: &Subject, triggers: &[Vec<Term>], body: Term) -> String {
        let mut body = body;
        if !self.program.function(subject.id).pres.is_empty() {
            let pre = self.terms.app(subject.symbols.pre, &subject.formals);
            body = self.terms.implies(pre, body);
        }
        self.axiom(&subject.formals, triggers, body)
    }
}
