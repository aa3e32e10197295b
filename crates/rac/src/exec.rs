//! Statements, with everything checked that the verifier checks, by the same rules [PWZ13, App. B]: what is
//! read and written is owned, contracts hold on exactly what is owned, a loop owns what its invariant says.

use report::Span;
use spl::core::{
    BinOp, Clause, Expr, ExprKind, Ghost, Mods, Procedure, Stmt, StmtKind, Target, Type, UnOp,
};

use crate::effects::Effects;
use crate::eval::{address, unknown};
use crate::machine::{Drawn, Env, Fault, Found, Machine, Result, Stop};
use crate::value::{Footprint, Place, Value};

/// So many attempts to find a footprint and values for an assertion.
pub(crate) const ATTEMPTS: usize = 4000;

/// Whether a statement returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    Next,
    Return,
}

/// A procedure that is running.
#[derive(Clone, Debug)]
pub(crate) struct Activation<'p> {
    pub procedure: &'p Procedure,
    pub env: Env<'p>,
    /// The values of variables at the start: what parameters are in the postcondition.
    pub initial: Vec<Option<Value>>,
}

/// Where and why something must hold.
#[derive(Clone, Debug)]
pub(crate) struct Blame {
    id: &'static str,
    span: Span,
    message: String,
}

impl Blame {
    pub fn new(id: &'static str, span: Span, message: impl Into<String>) -> Blame {
        Blame { id, span, message: message.into() }
    }
}

/// Which footprints will do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// All that is owned.
    Exactly,
    /// A part of what is owned.
    Part,
    /// Nothing is said of it.
    Any,
}

impl<'p> Machine<'p> {
    pub fn fault<T>(&mut self, env: &Env<'p>, blame: Blame, certain: bool) -> Result<T> {
        self.stopped_in = Some((env.declared, env.locals.clone()));
        let certain = certain && !self.doubt;
        let part = self.furthest.map(|(_, span)| span);
        let Blame { id, span, message } = blame;
        Err(Stop::Fault(Box::new(Fault { id, span, message, part, certain })))
    }

    /// Clauses hold on a footprint that the rule allows; otherwise somebody is to blame. Variables that are not
    /// set get values.
    pub fn check_clauses(
        &mut self,
        env: &mut Env<'p>,
        clauses: &[&'p Clause],
        rule: Rule,
        blame: &Blame,
    ) -> Result<Footprint> {
        let found = self.find(env, clauses.iter().map(|c| &c.expr).collect(), rule)?;
        match found {
            Found::Yes(part) => Ok(part),
            Found::No { certain } => self.fault(env, blame.clone(), certain),
        }
    }

    /// Looks for a footprint that the rule allows, and values of variables that are not set.
    pub fn find(
        &mut self,
        env: &mut Env<'p>,
        all: Vec<&'p Expr>,
        rule: Rule,
    ) -> Result<Found<Footprint>> {
        let start = env.clone();
        let owned = self.state.owned.clone();
        let found = self.search(ATTEMPTS, |m| {
            env.clone_from(&start);
            let part = m.star(env, all.clone())?;
            let fits = match rule {
                Rule::Exactly => part == owned,
                Rule::Part => part.is_subset(&owned),
                Rule::Any => true,
            };
            if fits { Ok(part) } else { Err(Stop::Fails) }
        })?;
        if matches!(found, Found::No { .. }) {
            env.clone_from(&start);
        }
        Ok(found)
    }

    /// An assumption: if it does not hold this is no run.
    pub fn assume(
        &mut self,
        env: &mut Env<'p>,
        all: Vec<&'p Expr>,
        rule: Rule,
    ) -> Result<Footprint> {
        match self.find(env, all, rule)? {
            Found::Yes(part) => {
                self.doubt |= self.inexact;
                Ok(part)
            }
            Found::No { .. } => Err(Stop::Blocked),
        }
    }

    pub fn exec(&mut self, activation: &mut Activation<'p>, stmt: &'p Stmt) -> Result<Flow> {
        self.tick()?;
        let span = stmt.span;
        if !matches!(stmt.kind, StmtKind::Block(_) | StmtKind::If(..)) {
            self.visit(span);
        }
        match &stmt.kind {
            StmtKind::Block(stmts) => {
                for stmt in stmts {
                    if self.exec(activation, stmt)? == Flow::Return {
                        return Ok(Flow::Return);
                    }
                }
            }
            StmtKind::Assign(targets, values) => {
                let values = self.code_values(&mut activation.env, values)?;
                for (target, value) in targets.iter().zip(values) {
                    self.write(&mut activation.env, target, value, span)?;
                }
            }
            StmtKind::Call(targets, name, args) => {
                let args = self.code_values(&mut activation.env, args)?;
                let results = self.call(&activation.env, name, args, span)?;
                for (target, value) in targets.iter().zip(results) {
                    self.write(&mut activation.env, target, value, span)?;
                }
            }
            StmtKind::Havoc(targets) => {
                for target in targets {
                    match target {
                        Target::Local(local) => {
                            let value = self.any(&activation.env.ty(*local), span)?;
                            let name = activation.procedure.name.clone();
                            self.drawn.push(Drawn::Variable(name, *local, value.clone()));
                            activation.env.set(*local, Some(value));
                        }
                        Target::Global(name) => {
                            let ty = self.program.globals.get(name).cloned().unwrap_or(Type::Int);
                            let value = self.any(&ty, span)?;
                            self.drawn.push(Drawn::Global(name.clone(), value.clone()));
                            self.store(Place::Global(name.clone()), value);
                        }
                        _ => return unknown(span, "`havoc` of this"),
                    }
                }
            }
            StmtKind::Free(e) => self.free(&mut activation.env, e)?,
            StmtKind::Return(values) => {
                let values = self.code_values(&mut activation.env, values)?;
                let returns = &activation.procedure.returns;
                let results = returns.iter().filter(|r| r.ghost != Ghost::Implicit);
                for (result, value) in results.zip(values) {
                    activation.env.set(result.local, Some(value));
                }
                self.check_post(activation, span)?;
                return Ok(Flow::Return);
            }
            StmtKind::Assume(mods, e) => {
                let rule = if mods.pure { Rule::Any } else { Rule::Exactly };
                let mut env = activation.env.clone();
                self.assume(&mut env, vec![e], rule)?;
            }
            StmtKind::Assert(mods, e, proof) => {
                if let Some(proof) = proof {
                    // What the proof does is forgotten: what it shows is about the state before it.
                    let (state, env) = (self.state.clone(), activation.env.clone());
                    for var in &proof.vars {
                        let value = self.any(&activation.env.ty(*var), span)?;
                        activation.env.set(*var, Some(value));
                    }
                    let shown = activation.env.clone();
                    self.exec(activation, &proof.body)?;
                    (self.state, activation.env) = (state, env);
                    self.claim(&shown, *mods, &proof.goal)?;
                }
                self.claim(&activation.env.clone(), *mods, e)?;
            }
            StmtKind::If(cond, then, otherwise) => {
                if self.condition(&mut activation.env, cond)? {
                    return self.exec(activation, then);
                } else if let Some(otherwise) = otherwise {
                    return self.exec(activation, otherwise);
                }
            }
            StmtKind::Choose(branches) => {
                let index = self.choose(branches.len());
                let name = activation.procedure.name.clone();
                self.drawn.push(Drawn::Branch(name, index));
                if let Some(branch) = branches.get(index) {
                    return self.exec(activation, branch);
                }
            }
            StmtKind::While(cond, invariants, body) => {
                self.run_loop(activation, cond, invariants, body, span)?;
            }
        }
        Ok(Flow::Next)
    }

    pub fn visit(&mut self, span: Span) {
        if self.calls.is_empty() && self.visited.len() < 1000 {
            self.visited.push(span);
        }
    }

    /// An assertion of the program.
    fn claim(&mut self, env: &Env<'p>, mods: Mods, e: &'p Expr) -> Result<()> {
        let rule = if mods.pure { Rule::Any } else { Rule::Exactly };
        let mut inner = env.clone();
        if mods.free {
            return self.assume(&mut inner, vec![e], rule).map(drop);
        }
        let blame = Blame::new("assert.failed", e.span, "this assertion does not hold");
        match self.find(&mut inner, vec![e], rule)? {
            Found::Yes(_) => Ok(()),
            Found::No { certain } => self.fault(env, blame, certain),
        }
    }

    /// A condition is not checked for what it reads, as in the verifier.
    fn condition(&mut self, env: &mut Env<'p>, cond: &'p Expr) -> Result<bool> {
        self.side_effects(env, cond)?;
        self.inexact = false;
        let value = self.bool(env, cond)?;
        self.doubt |= self.inexact;
        Ok(value)
    }

    fn run_loop(
        &mut self,
        activation: &mut Activation<'p>,
        cond: &'p Expr,
        invariants: &'p [Clause],
        body: &'p Stmt,
        span: Span,
    ) -> Result<()> {
        let mut holds = self.condition(&mut activation.env, cond)?;
        self.check_forests(&activation.env, span, "before this loop")?;
        let message = "an invariant does not hold before entering this loop";
        let blame = Blame::new("invariant.not.established", span, message);
        let clauses: Vec<&'p Clause> = invariants.iter().collect();
        let mut env = activation.env.clone();
        let part = self.check_clauses(&mut env, &clauses, Rule::Part, &blame)?;
        let rest: Footprint = self.state.owned.difference(&part).cloned().collect();
        self.state.owned = part;
        if self.modular {
            let effects = Effects::of(self.program, body);
            let before = self.state.owned.clone();
            let outer = self.forget(&before, &effects);
            effects.locals.iter().for_each(|local| activation.env.set(*local, None));
            let all: Vec<&'p Expr> = invariants.iter().map(|c| &c.expr).collect();
            let env = &mut activation.env;
            let part = self.some_state(env, all, &before, &effects, true);
            self.lazy = outer;
            self.settle(&before, &part?);
            for local in &effects.locals {
                if activation.env.get(*local).is_none() {
                    let value = self.any(&activation.env.ty(*local), span)?;
                    activation.env.set(*local, Some(value));
                }
            }
            // What a call in the condition returned is forgotten after the loop.
            if !has_side_effects(cond) && self.condition(&mut activation.env, cond)? {
                return Err(Stop::Blocked);
            }
        } else {
            while holds {
                self.tick()?;
                self.exec(activation, body)?;
                holds = self.condition(&mut activation.env, cond)?;
                self.check_invariants(activation, invariants, span)?;
            }
        }
        self.state.owned.extend(rest);
        Ok(())
    }

    /// At the end of a turn of a loop the invariants hold on exactly what is owned.
    pub fn check_invariants(
        &mut self,
        activation: &Activation<'p>,
        invariants: &'p [Clause],
        span: Span,
    ) -> Result<()> {
        self.check_forests(&activation.env, span, "at the end of this loop")?;
        let message = "an invariant is not maintained by this loop";
        let blame = Blame::new("invariant.not.preserved", span, message);
        let clauses: Vec<&'p Clause> = invariants.iter().collect();
        let mut env = activation.env.clone();
        self.check_clauses(&mut env, &clauses, Rule::Exactly, &blame)?;
        Ok(())
    }

    // --- Expressions in code

    /// Values of expressions; calls run from right to left.
    fn code_values(&mut self, env: &mut Env<'p>, all: &'p [Expr]) -> Result<Vec<Value>> {
        let mut values = Vec::new();
        for e in all.iter().rev() {
            values.push(self.code_value(env, e)?);
        }
        values.reverse();
        Ok(values)
    }

    pub fn code_value(&mut self, env: &mut Env<'p>, e: &'p Expr) -> Result<Value> {
        self.side_effects(env, e)?;
        let unchecked = matches!(
            &*e.kind,
            ExprKind::Unary(UnOp::Not, _) | ExprKind::Binary(BinOp::And | BinOp::Or, ..)
        );
        if !unchecked {
            self.check_reads(env, e)?;
        }
        self.inexact = false;
        let value = self.eval(env, e)?;
        self.doubt |= self.inexact;
        Ok(value)
    }

    /// Makes the calls and allocations of an expression, from right to left, from the inside to the outside.
    fn side_effects(&mut self, env: &mut Env<'p>, e: &'p Expr) -> Result<()> {
        if !has_side_effects(e) {
            return Ok(());
        }
        let mut children = Vec::new();
        e.each_child(&mut |child| children.push(child));
        for child in children.into_iter().rev() {
            self.side_effects(env, child)?;
        }
        let value = match &*e.kind {
            ExprKind::Call(name, args) => {
                let mut values = Vec::new();
                for arg in args {
                    values.push(self.pure_value(env, arg)?);
                }
                let results = self.call(env, name, values, e.span)?;
                match results.into_iter().next() {
                    Some(value) => value,
                    None => return unknown(e.span, "a call without a result here"),
                }
            }
            ExprKind::New(ty) => self.new_object(ty, e.span)?,
            ExprKind::NewArray(of, length) => {
                let n = self.pure_value(env, length)?;
                self.new_array(env, of, n, length.span)?
            }
            _ => return Ok(()),
        };
        env.results.insert(address(e), value);
        Ok(())
    }

    fn pure_value(&mut self, env: &mut Env<'p>, e: &'p Expr) -> Result<Value> {
        self.check_reads(env, e)?;
        self.eval(env, e)
    }

    fn check_owned(&mut self, env: &Env<'p>, ty: &Type, at: Value, span: Span) -> Result<()> {
        let text = at.text(ty);
        if self.state.owned.contains(&(ty.clone(), at)) {
            return Ok(());
        }
        self.furthest = None;
        let message = format!("this heap access is invalid: `{text}` is not owned");
        self.fault(env, Blame::new("access.failed", span, message), true)
    }

    fn check_reads(&mut self, env: &mut Env<'p>, e: &'p Expr) -> Result<()> {
        if let ExprKind::Quant(..) | ExprKind::Comprehension(..) | ExprKind::Old(_) = &*e.kind {
            return Ok(());
        }
        let mut children = Vec::new();
        e.each_child(&mut |child| children.push(child));
        for child in children {
            self.check_reads(env, child)?;
        }
        match &*e.kind {
            ExprKind::Read(map, object) if matches!(*map.kind, ExprKind::Field(_)) => {
                let at = self.eval(env, object)?;
                self.check_owned(env, &object.ty, at, e.span)
            }
            ExprKind::ArrayRead(array, index) => {
                let (at, index) = (self.eval(env, array)?, self.eval(env, index)?);
                self.check_element(env, &array.ty, at, index, e.span)
            }
            ExprKind::CellRead(inner) | ExprKind::Length(inner) => {
                let at = self.eval(env, inner)?;
                self.check_owned(env, &inner.ty, at, e.span)
            }
            ExprKind::Binary(BinOp::Div | BinOp::Mod, _, divisor) => {
                if let Value::Int(0) | Value::Byte(0) = self.eval(env, divisor)? {
                    self.furthest = None;
                    let blame = Blame::new("division.by.zero", divisor.span, "the divisor is zero");
                    return self.fault(env, blame, true);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The array and its cell must be owned.
    fn check_element(
        &mut self,
        env: &Env<'p>,
        ty: &Type,
        at: Value,
        index: Value,
        span: Span,
    ) -> Result<()> {
        let (Type::Array(of), Value::Location(array), Value::Int(index)) = (ty, &at, &index) else {
            return unknown(span, "this array");
        };
        let cell = Value::Cell(*array, *index);
        self.check_owned(env, ty, at.clone(), span)?;
        if self.simple_arrays {
            return Ok(());
        }
        self.check_owned(env, &Type::Cell(of.clone()), cell, span)
    }

    fn write(
        &mut self,
        env: &mut Env<'p>,
        target: &'p Target,
        value: Value,
        span: Span,
    ) -> Result<()> {
        match target {
            Target::Local(local) => env.set(*local, Some(value)),
            Target::Global(name) => self.store(Place::Global(name.clone()), value),
            Target::Field(name, object) => {
                let at = self.code_value(env, object)?;
                self.check_owned(env, &object.ty, at.clone(), span)?;
                if let Value::Location(at) = at {
                    self.store(Place::Field(name.clone(), at), value);
                }
            }
            Target::Array(array, index) => {
                let at = self.code_value(env, array)?;
                let index = self.code_value(env, index)?;
                self.check_element(env, &array.ty, at.clone(), index.clone(), span)?;
                if let (Type::Array(of), Value::Location(at), Value::Int(index)) =
                    (&array.ty, at, index)
                {
                    self.store(Place::Element((**of).clone(), at, index), value);
                }
            }
            Target::Cell(cell) => {
                let at = self.code_value(env, cell)?;
                self.check_owned(env, &cell.ty, at.clone(), span)?;
                if let (Type::Cell(of), Value::Cell(at, index)) = (&cell.ty, at) {
                    self.store(Place::Element((**of).clone(), at, index), value);
                }
            }
        }
        Ok(())
    }
}

/// Does an expression call or allocate?
pub(crate) fn has_side_effects(e: &Expr) -> bool {
    let mut found = false;
    e.walk(&mut |e| {
        found |= matches!(&*e.kind, ExprKind::Call(..) | ExprKind::New(_) | ExprKind::NewArray(..));
    });
    found
}
