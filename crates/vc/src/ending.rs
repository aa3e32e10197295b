//! Which code must end, and whether it does.
//!
//! A lemma is true because its proof ends, and so is an assertion with a proof; so must all that they
//! call. Recursive calls and loops in such code ask about measures where they are; what comes of it is
//! decided for all calls of a cycle together, since one call may lead to the others.

use std::collections::{BTreeMap, BTreeSet};

use report::Span;
use smt::Term;
use spl::core::{Expr, ExprKind, LocalId, Name, ProcKind, Program, Stmt, StmtKind};

use crate::assertion::Alternative;
use crate::termination::{Descent, Measure, Value, end};
use crate::translate::Heap;
use crate::unit::{Item, Path, Unit};

/// Which procedures call which, directly or not, and which must end.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallGraph {
    calls: BTreeMap<Name, BTreeSet<Name>>,
    must_end: BTreeSet<Name>,
}

impl CallGraph {
    pub fn new(program: &Program) -> CallGraph {
        let mut graph = CallGraph::default();
        for (name, procedure) in &program.procedures {
            graph.calls.insert(name.clone(), procedure.body.iter().flat_map(calls).collect());
        }
        crate::definitions::close(&mut graph.calls);
        let mut roots = BTreeSet::new();
        for (name, procedure) in &program.procedures {
            let Some(body) = &procedure.body else { continue };
            if procedure.kind != ProcKind::Procedure {
                roots.insert(name.clone());
            }
            body.walk(&mut |s| {
                if let StmtKind::Assert(_, _, Some(proof)) = &s.kind {
                    roots.extend(calls(&proof.body));
                }
            });
        }
        for name in &roots {
            graph.must_end.extend(graph.calls.get(name).into_iter().flatten().cloned());
        }
        graph.must_end.extend(roots);
        graph
    }

    pub fn must_end(&self, name: &Name) -> bool {
        self.must_end.contains(name)
    }

    /// May a call of the one lead to a call of the other, and back?
    pub fn together(&self, one: &Name, other: &Name) -> bool {
        let calls = |a: &Name, b: &Name| self.calls.get(a).is_some_and(|all| all.contains(b));
        calls(one, other) && calls(other, one)
    }
}

/// Procedures that a statement calls.
pub(crate) fn calls(stmt: &Stmt) -> BTreeSet<Name> {
    let mut found = BTreeSet::new();
    stmt.walk(&mut |s| {
        if let StmtKind::Call(_, name, _) = &s.kind {
            found.insert(name.clone());
        }
        s.each_expr(&mut |e| {
            e.walk(&mut |e| {
                if let ExprKind::Call(name, _) = &*e.kind {
                    found.insert(name.clone());
                }
            });
        });
    });
    found
}

/// A step of which it is asked what gets smaller.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub span: Span,
    /// The loop, by number, or a call.
    pub of: Of,
    /// Kinds with the numbers of their two probes.
    asked: Vec<(String, usize, usize)>,
}

/// What may go on forever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    Loop(usize),
    Call,
}

/// What is asked in a unit.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ending {
    /// Must all of the unit end?
    pub must: bool,
    /// So many proofs of assertions are around what is executed.
    pub proofs: usize,
    pub graph: CallGraph,
    pub questions: Vec<Question>,
    /// Measures where the procedure starts.
    pub start: Vec<Measure>,
    loops: usize,
    probes: usize,
}

/// A recursive call, for the decision about its cycle.
#[derive(Clone, Debug)]
pub(crate) struct Recursion {
    pub caller: Name,
    pub span: Span,
    pub descent: Descent,
}

impl Ending {
    pub fn new(must: bool, graph: &CallGraph) -> Ending {
        Ending { must, graph: graph.clone(), ..Ending::default() }
    }

    fn descent(question: &Question, probes: &BTreeMap<usize, bool>) -> Descent {
        let yes = |n: usize| probes.get(&n) == Some(&true);
        let found = question.asked.iter().map(|(k, a, b)| (k.clone(), (yes(*a), yes(*b))));
        Descent { found: found.collect() }
    }

    /// Loops that might not end.
    pub fn endless_loops(&self, probes: &BTreeMap<usize, bool>) -> Vec<Span> {
        let mut spans = Vec::new();
        for number in 0..self.loops {
            let mine = self.questions.iter().filter(|q| q.of == Of::Loop(number));
            let descents: Vec<Descent> = mine.clone().map(|q| Self::descent(q, probes)).collect();
            if !end(&descents.iter().collect::<Vec<_>>()) {
                spans.extend(mine.map(|q| q.span).take(1));
            }
        }
        spans
    }

    /// Recursive calls.
    pub fn recursion(&self, caller: &Name, probes: &BTreeMap<usize, bool>) -> Vec<Recursion> {
        let mut all = Vec::new();
        for question in &self.questions {
            if question.of == Of::Call {
                let descent = Self::descent(question, probes);
                let caller = caller.clone();
                all.push(Recursion { caller, span: question.span, descent });
            }
        }
        all
    }
}

/// The recursive calls that might go on forever.
pub(crate) fn endless(graph: &CallGraph, all: &[Recursion]) -> Vec<(Name, Span)> {
    let mut wrong = Vec::new();
    for call in all {
        let cycle = all.iter().filter(|other| {
            other.caller == call.caller || graph.together(&other.caller, &call.caller)
        });
        let descents: Vec<&Descent> = cycle.map(|c| &c.descent).collect();
        if !end(&descents) {
            wrong.push((call.caller.clone(), call.span));
        }
    }
    wrong
}

impl Unit<'_> {
    /// Measures of values and of the instances that a contract mentions.
    pub fn candidates(
        &mut self,
        values: &[Value],
        heap: &Heap,
        alternatives: &[Alternative],
    ) -> Vec<Measure> {
        let facts: Vec<Term> = match alternatives {
            [one] => one.facts.iter().map(|f| f.term).collect(),
            _ => Vec::new(),
        };
        self.translator.measures(values, heap, &facts)
    }

    fn must_end(&self) -> bool {
        self.ending.must || self.ending.proofs > 0
    }

    /// Asks what gets smaller on a path.
    fn ask(&mut self, path: &Path, of: Of, span: Span, before: &[Measure], after: &[Measure]) {
        let mut asked = Vec::new();
        for (kind, [smaller, same]) in self.translator.questions(before, after) {
            let numbers = [self.ending.probes, self.ending.probes + 1];
            self.ending.probes += 2;
            let goals = numbers.into_iter().zip([smaller, same]);
            if let Some(step) = self.steps.get_mut(path.node) {
                step.items.extend(goals.map(|(n, goal)| Item::Probe(n, goal)));
            }
            asked.push((kind, numbers[0], numbers[1]));
        }
        self.ending.questions.push(Question { span, of, asked });
    }

    /// At a call that may lead back here, something must have got smaller since the start.
    pub fn ask_call(
        &mut self,
        path: &Path,
        callee: &Name,
        values: &[Value],
        alternatives: &[Alternative],
        span: Span,
    ) {
        let caller = &self.procedure.name;
        if !self.must_end() || !self.ending.graph.together(caller, callee) {
            return;
        }
        let heap = path.state.heap.clone();
        let after = self.candidates(values, &heap, alternatives);
        let before = self.ending.start.clone();
        self.ask(path, Of::Call, span, &before, &after);
    }

    /// Number of a loop that must end.
    pub fn enter_loop(&mut self) -> Option<usize> {
        if !self.must_end() {
            return None;
        }
        self.ending.loops += 1;
        Some(self.ending.loops - 1)
    }

    pub fn ask_turn(
        &mut self,
        path: &Path,
        number: usize,
        span: Span,
        before: &[Measure],
        after: &[Measure],
    ) {
        self.ask(path, Of::Loop(number), span, before, after);
    }

    /// Locals that an expression mentions, with their values.
    pub fn values_in(&self, path: &Path, e: &Expr) -> Vec<Value> {
        let mut locals: BTreeSet<LocalId> = BTreeSet::new();
        e.walk(&mut |e| {
            if let ExprKind::Local(local) = &*e.kind {
                locals.insert(*local);
            }
        });
        let value = |local: LocalId| {
            let term = *path.state.locals.get(&local)?;
            Some(Value { ty: self.local_type(local), term })
        };
        locals.into_iter().filter_map(value).collect()
    }
}
