//! Abduction as a help: what is missing in a precondition or invariant.
//!
//! A goal failed on a heap. What is not owned there, or equal or null although it should not be, suggests what
//! could be missing [PWZ13, Sec. 7, `H * F? ⊨ G`]: that a variable is not null, that two differ, that a location
//! is owned, that a predicate of the program holds. Each suggestion is put into the contract and the member is verified
//! again; the first with which all of it is proved is told. A suggestion that contradicts what is known proves
//! anything, so there must also be a heap with which the place of the failure is reached.

use report::Span;
use smt::{Limits, Node, Session, Term};
use spl::core::{
    BinOp, Clause, Expr, ExprKind, LocalId, Mods, Predicate, Procedure, Program, Stmt, StmtKind,
    Type,
};

use crate::logic::Symbol;
use crate::prove::Failure;
use crate::small::{self, Question};
use crate::unit::{Choice, Item, Step, Unit};
use crate::world::{Value, World};

/// So many suggestions are tried.
const TRIES: usize = 24;

/// Work for a goal of a try.
pub(crate) const WORK: u64 = 1_000_000;

/// Where something is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Precondition,
    /// The loop with this condition.
    Invariant(Span),
}

/// Something that may be missing.
#[derive(Clone, Debug)]
pub(crate) struct Suggestion {
    place: Place,
    expr: Expr,
    text: String,
}

impl Suggestion {
    /// As it would be written.
    pub fn text(&self) -> String {
        let keyword = match self.place {
            Place::Precondition => "requires",
            Place::Invariant(_) => "invariant",
        };
        format!("{keyword} {}", self.text)
    }

    /// The program with it.
    pub fn added(&self, program: &Program, procedure: &Procedure) -> Program {
        let mut program = program.clone();
        if let Some(procedure) = program.procedures.get_mut(&procedure.name) {
            let mods = Mods { pure: false, free: false };
            let clause = Clause { mods, expr: self.expr.clone(), span: self.expr.span };
            match self.place {
                Place::Precondition => procedure.requires.push(clause),
                Place::Invariant(condition) => {
                    if let Some(body) = &mut procedure.body {
                        add_invariant(body, condition, &clause);
                    }
                }
            }
        }
        program
    }
}

fn add_invariant(stmt: &mut Stmt, condition: Span, clause: &Clause) {
    match &mut stmt.kind {
        StmtKind::Block(all) | StmtKind::Choose(all) => {
            all.iter_mut().for_each(|stmt| add_invariant(stmt, condition, clause));
        }
        StmtKind::If(_, then, otherwise) => {
            add_invariant(then, condition, clause);
            if let Some(stmt) = otherwise {
                add_invariant(stmt, condition, clause);
            }
        }
        StmtKind::While(cond, invariants, body) => {
            if cond.span == condition {
                invariants.push(clause.clone());
            }
            add_invariant(body, condition, clause);
        }
        _ => {}
    }
}

/// Something that a suggestion can mention.
#[derive(Clone, Debug)]
struct Mention {
    expr: Expr,
    text: String,
    /// What it is on the heap of the failure, in the beginning.
    value: Value,
    /// Is it a variable, and not a field of one?
    variable: bool,
}

impl Unit<'_> {
    /// What may be missing, the simplest first.
    pub fn suggestions(&mut self, failure: &Failure) -> Vec<Suggestion> {
        let Some(world) = failure.world.clone() else { return Vec::new() };
        let Some(start) = self.beginning(failure.node) else { return Vec::new() };
        let place = match start.choice {
            Some((condition, Choice::Iteration)) => Place::Invariant(condition),
            _ => Place::Precondition,
        };
        let mentions = self.mentions(&world, failure, place);
        let missing = self.missing(&world, failure.check.goal);
        let span = failure.check.blame.span;
        let mut found: Vec<(Expr, String)> = Vec::new();
        let variables: Vec<&Mention> = mentions.iter().filter(|m| m.variable).collect();
        // What is null should not be, or what is equal.
        for m in &variables {
            if m.value == Value::Location(0) {
                found.push(differ(m, &null(&m.expr.ty, span), span));
            }
        }
        for (index, a) in variables.iter().enumerate() {
            for b in variables.iter().skip(index + 1) {
                let equal = a.value == b.value && a.expr.ty == b.expr.ty;
                if equal && matches!(a.value, Value::Location(1..)) {
                    found.push(differ(a, b, span));
                }
            }
        }
        // Something should be owned.
        for m in mentions.iter().filter(|m| m.expr.ty.is_reference()) {
            if missing.as_ref().is_none_or(|(ty, location)| {
                m.expr.ty == *ty && m.value == Value::Location(*location)
            }) {
                let kind = Box::new(ExprKind::Acc(m.expr.clone()));
                found.push((Expr { kind, ty: Type::Perm, span }, format!("acc({})", m.text)));
            }
        }
        let program = self.program;
        for predicate in program.predicates.values().filter(|p| p.spatial && p.body.is_some()) {
            for (args, texts) in arguments(predicate, &mentions, span) {
                let text = format!("{}({})", predicate.name, texts.join(", "));
                let kind = Box::new(ExprKind::Predicate(predicate.name.clone(), args));
                found.push((Expr { kind, ty: Type::Perm, span }, text));
            }
        }
        let tried = found.into_iter().take(TRIES);
        tried.map(|(expr, text)| Suggestion { place, expr, text }).collect()
    }

    /// What a suggestion can be about: parameters, or what is in scope of a loop, and fields of them.
    fn mentions(&mut self, world: &World, failure: &Failure, place: Place) -> Vec<Mention> {
        let span = failure.check.blame.span;
        let Some(state) = self.beginning(failure.node).and_then(|step| step.start.clone()) else {
            return Vec::new();
        };
        let mut all = Vec::new();
        for (local, term) in &state.locals {
            if place == Place::Precondition && !self.initial.contains_key(local) {
                continue;
            }
            let Some(declared) = self.procedure.locals.get(local.0 as usize).cloned() else {
                continue;
            };
            let Some(value) = world.eval(&mut self.translator.logic, *term) else { continue };
            all.push(Mention {
                expr: variable(*local, &declared.ty, span),
                text: declared.name.to_string(),
                value,
                variable: true,
            });
        }
        for of in all.clone() {
            let (Type::Struct(owner), Value::Location(at @ 1..)) = (&of.expr.ty, &of.value) else {
                continue;
            };
            for (name, field) in self.program.fields.iter().filter(|(_, f)| f.owner == *owner) {
                let term = state.heap.values.get(&crate::translate::HeapVar::Field(name.clone()));
                let Some(term) = term.filter(|_| field.ty.is_reference()) else { continue };
                let Some(Value::Map(map)) = world.eval(&mut self.translator.logic, *term) else {
                    continue;
                };
                let Some(value) = map.get(*at).cloned() else { continue };
                let ty = Type::Map(of.expr.ty.clone().into(), field.ty.clone().into());
                let map = Expr { kind: Box::new(ExprKind::Field(name.clone())), ty, span };
                let kind = Box::new(ExprKind::Read(map, of.expr.clone()));
                all.push(Mention {
                    expr: Expr { kind, ty: field.ty.clone(), span },
                    text: format!("{}.{name}", of.text),
                    value,
                    variable: false,
                });
            }
        }
        all
    }

    /// The location that should be owned, if that is what failed.
    fn missing(&mut self, world: &World, goal: Term) -> Option<(Type, usize)> {
        let Node::App(fun, args) = self.translator.logic.terms.node(goal).clone() else {
            return None;
        };
        if self.translator.logic.symbol(fun) != Some(Symbol::Member) {
            return None;
        }
        let location = *args.first()?;
        let ty = self.translator.logic.ty(self.translator.logic.terms.sort(location));
        match world.eval(&mut self.translator.logic, location)? {
            Value::Location(number) => Some((ty, number)),
            _ => None,
        }
    }

    /// Is there a heap with which a check is reached?
    pub fn is_reached(&mut self, session: &mut Session, limits: Limits, failure: &Failure) -> bool {
        let blame = &failure.check.blame;
        let mut found = Vec::new();
        for (node, step) in self.steps.iter().enumerate() {
            for (index, item) in step.items.iter().enumerate() {
                if matches!(item, Item::Check(c) if c.blame.span == blame.span && c.blame.id == blame.id)
                {
                    found.push(self.assumed_before(node, index));
                }
            }
        }
        let goal = self.translator.logic.terms.bool(false);
        found.into_iter().any(|assumed| {
            let question = Question { assumed: &assumed, goal };
            let logic = &mut self.translator.logic;
            small::find(logic, session, limits, &question, &small::FIRST)
                .is_some_and(|w| w.confirmed)
        })
    }

    /// What is assumed before an item of a step.
    fn assumed_before(&self, node: usize, index: usize) -> Vec<Term> {
        let mut parts: Vec<&[Item]> = Vec::new();
        let mut at: Option<&Step> = self.steps.get(node);
        let mut end = Some(index);
        while let Some(step) = at {
            parts
                .push(step.items.get(..end.take().unwrap_or(step.items.len())).unwrap_or_default());
            at = step.parent.and_then(|parent| self.steps.get(parent));
        }
        let items = parts.into_iter().rev().flatten();
        let known = items.filter_map(|item| match item {
            Item::Assume(term) => Some(*term),
            Item::Check(check) => Some(check.goal),
            Item::Hint(_) | Item::Late(_) | Item::Probe(..) => None,
        });
        known.collect()
    }
}

fn variable(local: LocalId, ty: &Type, span: Span) -> Expr {
    Expr { kind: Box::new(ExprKind::Local(local)), ty: ty.clone(), span }
}

fn null(ty: &Type, span: Span) -> Mention {
    let expr = Expr { kind: Box::new(ExprKind::Null), ty: ty.clone(), span };
    Mention { expr, text: "null".to_owned(), value: Value::Location(0), variable: true }
}

/// `a != b`
fn differ(a: &Mention, b: &Mention, span: Span) -> (Expr, String) {
    let kind = Box::new(ExprKind::Binary(BinOp::Ne, a.expr.clone(), b.expr.clone()));
    (Expr { kind, ty: Type::Bool, span }, format!("{} != {}", a.text, b.text))
}

/// Arguments for a predicate: of the right types, the first not null, none twice.
fn arguments(
    predicate: &Predicate,
    mentions: &[Mention],
    span: Span,
) -> Vec<(Vec<Expr>, Vec<String>)> {
    let mut all: Vec<Vec<Mention>> = vec![Vec::new()];
    for param in &predicate.params {
        let Some(local) = predicate.locals.get(param.local.0 as usize) else { return Vec::new() };
        let mut next = Vec::new();
        for args in &all {
            let mut choices: Vec<Mention> =
                mentions.iter().filter(|m| m.expr.ty == local.ty).cloned().collect();
            if local.ty.is_reference() && !args.is_empty() {
                choices.insert(0, null(&local.ty, span));
            }
            for choice in choices {
                if args.iter().all(|a| a.text != choice.text) {
                    let mut args = args.clone();
                    args.push(choice);
                    next.push(args);
                }
            }
        }
        next.truncate(4 * TRIES);
        all = next;
    }
    // What is only a variable is simpler.
    all.sort_by_key(|args| args.iter().filter(|a| !a.variable).count());
    let split = |args: Vec<Mention>| args.into_iter().map(|a| (a.expr, a.text)).unzip();
    all.into_iter().map(split).collect()
}
