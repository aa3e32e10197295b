//! Statements.

use std::collections::BTreeMap;

use heap::{Check, Command, Comparison, Expr, Formula, Scalar};
use report::{Pos, Span};

use super::Body;
use super::ghost::{Refusal, Says};
use crate::core::{
    self, BinOp, Clause, ExprKind, Ghost, LocalId, Mods, Name, Stmt, StmtKind, Target, Type,
};

impl<'p> Body<'_, 'p> {
    /// A statement; what has no counterpart is refused where it is.
    pub(super) fn statement(&mut self, stmt: &'p Stmt) {
        if let Err(refusal) = self.try_statement(stmt) {
            self.refuse(refusal);
        }
    }

    fn try_statement(&mut self, stmt: &'p Stmt) -> Result<(), Refusal> {
        let span = stmt.span;
        let pos: Pos = span.into();
        match &stmt.kind {
            StmtKind::Block(all) => all.iter().for_each(|stmt| self.statement(stmt)),
            StmtKind::Assign(targets, values) => self.assign(targets, values, span)?,
            StmtKind::Call(targets, name, args) => {
                if self.lowering.erasure.erased(name) {
                    self.lemma(name, args, span)?;
                    return Ok(());
                }
                let refused = |e: &core::Expr| self.refused(e);
                if let Some(refusal) = self.lowering.erasure.refused_argument(name, args, &refused)
                {
                    return Err(refusal);
                }
                let results = self.call(name, args, span, true)?;
                for (target, value) in targets.iter().zip(results) {
                    match value {
                        Some(value) => self.write(target, value, span)?,
                        None if self.is_ghost_target(target) => {}
                        None => {
                            let message = format!(
                                "the ghost result of `{name}` influences what is not ghost"
                            );
                            return Err(Refusal::new(span, message));
                        }
                    }
                }
            }
            StmtKind::Free(e) => self.free(e)?,
            StmtKind::Havoc(targets) => {
                for target in targets {
                    match target {
                        Target::Local(local) => {
                            let ty = self.local_type(*local);
                            if let (Some(var), Some(ty)) = (self.var(*local), ty) {
                                self.made.emit(any(var, ty), pos);
                            }
                        }
                        Target::Global(name) => {
                            if let Some((_, ty)) = self.lowering.map.globals.get(name).copied() {
                                let value = self.made.temporary(ty);
                                self.made.emit(any(value, ty), pos);
                                self.write(target, Expr::Var(value), span)?;
                            }
                        }
                        _ => return Err(Refusal::new(span, "`havoc` of this")),
                    }
                }
            }
            StmtKind::Return(values) => self.return_values(values, span)?,
            StmtKind::Assume(mods, e) => self.claim(*mods, e, true, pos),
            // What the proof does is forgotten; what it asserts must hold.
            StmtKind::Assert(mods, e, proof) => {
                if let Some(proof) = proof {
                    let says = |what| self.lowering.erasure.says(&proof.body, what);
                    let (assumes, asserts) = (says(Says::Assume), says(Says::Assert));
                    self.erased_claims(assumes, asserts, proof.body.span);
                }
                self.claim(*mods, e, mods.free, pos);
            }
            StmtKind::If(cond, then, otherwise) => {
                if let Some(refusal) = self.refused(cond) {
                    return self.ghost_statement(stmt, refusal);
                }
                let (yes, no, end) =
                    (self.made.location(), self.made.location(), self.made.location());
                self.condition(cond, yes, no)?;
                self.made.go_on_at(yes);
                self.statement(then);
                self.made.jump(end, pos);
                self.made.go_on_at(no);
                if let Some(otherwise) = otherwise {
                    self.statement(otherwise);
                }
                self.made.jump(end, pos);
                self.made.go_on_at(end);
            }
            StmtKind::Choose(branches) => {
                let ways: Vec<_> = branches.iter().map(|_| self.made.location()).collect();
                let end = self.made.location();
                self.made.choose(ways.clone(), pos);
                for (way, branch) in ways.into_iter().zip(branches) {
                    self.made.go_on_at(way);
                    self.statement(branch);
                    self.made.jump(end, pos);
                }
                self.made.go_on_at(end);
            }
            StmtKind::While(cond, invariants, body) => {
                let claims = invariants.iter().map(|clause| self.invariant(clause)).collect();
                let head = self.made.loop_head(claims, pos);
                let (turn, end) = (self.made.location(), self.made.location());
                self.condition(cond, turn, end)?;
                self.made.go_on_at(turn);
                self.statement(body);
                self.made.jump(head, pos);
                self.made.go_on_at(end);
            }
        }
        Ok(())
    }

    /// The end of a body is a return.
    pub(super) fn fall_off(&mut self, end: Span) {
        let exit = self.made.exit();
        self.made.jump(exit, end.into());
    }

    /// A statement that a ghost value decides on is erased if it changes nothing.
    fn ghost_statement(&mut self, stmt: &'p Stmt, refusal: Refusal) -> Result<(), Refusal> {
        let is_ghost = |local: LocalId| self.is_ghost(local);
        if self.lowering.erasure.effect(stmt, &is_ghost, false).is_some() {
            return Err(refusal);
        }
        let says = |what| self.lowering.erasure.says(stmt, what);
        let (assumes, asserts) = (says(Says::Assume), says(Says::Assert));
        self.erased_claims(assumes, asserts, stmt.span);
        Ok(())
    }

    /// What erased code assumes and asserts nobody knows after it is erased.
    fn erased_claims(&mut self, assumes: bool, asserts: bool, span: Span) {
        let text = self.lowering.text(span);
        let mods = Mods { pure: true, free: false };
        let formula = super::contract::unknown(text, mods, "it is part of ghost code", span);
        if assumes {
            self.made.emit(Command::AssumeFormula(formula.clone()), span.into());
        }
        if asserts {
            self.made.emit(Command::AssertFormula(formula), span.into());
        }
    }

    /// A lemma that is erased. What its arguments do is not.
    fn lemma(&mut self, name: &Name, args: &'p [core::Expr], span: Span) -> Result<(), Refusal> {
        for arg in args.iter().rev() {
            self.effects(arg)?;
        }
        let says = |what| self.lowering.erasure.lemma_says(name, what);
        let (assumes, asserts) = (says(Says::Assume), says(Says::Assert));
        self.erased_claims(assumes, asserts, span);
        Ok(())
    }

    fn is_ghost_target(&self, target: &Target) -> bool {
        match target {
            Target::Local(local) => self.is_ghost(*local),
            Target::Global(name) => self.lowering.erasure.is_ghost_global(name),
            Target::Field(name, _) => self.lowering.map.layouts.field(name).is_none(),
            Target::Array(..) | Target::Cell(_) => false,
        }
    }

    /// All at once.
    fn assign(
        &mut self,
        targets: &'p [Target],
        values: &'p [core::Expr],
        span: Span,
    ) -> Result<(), Refusal> {
        let mut kept = Vec::new();
        for (target, value) in targets.iter().zip(values).rev() {
            if !self.is_ghost_target(target) {
                kept.push((target, self.code_value(value)?));
                continue;
            }
            let allocates = |e: &core::Expr| {
                let mut found = None;
                e.walk(&mut |e| {
                    if let ExprKind::New(_) | ExprKind::NewArray(..) = &*e.kind {
                        found = Some(e.span);
                    }
                });
                found
            };
            if let Some(at) = allocates(value) {
                return Err(Refusal::new(at, "an object for ghost code only"));
            }
            // What is called may do more than return a value.
            self.effects(value)?;
        }
        kept.reverse();
        if kept.len() > 1 {
            for (target, value) in &mut kept {
                let Target::Local(local) = target else { continue };
                let Some(ty) = self.local_type(*local) else { continue };
                let copy = self.made.temporary(ty);
                let value = std::mem::replace(value, Expr::Var(copy));
                self.made.emit(Command::Assign(copy, value), span.into());
            }
        }
        for (target, value) in kept {
            self.write(target, value, span)?;
        }
        Ok(())
    }

    fn local_type(&self, local: LocalId) -> Option<Scalar> {
        self.lowering.map.layouts.scalar(&self.locals.get(local.0 as usize)?.ty)
    }

    fn write(&mut self, target: &'p Target, value: Expr, span: Span) -> Result<(), Refusal> {
        let pos: Pos = span.into();
        if self.is_ghost_target(target) {
            return Ok(());
        }
        let none = || Refusal::new(span, "an assignment to this");
        match target {
            Target::Local(local) => {
                let var = self.var(*local).ok_or_else(none)?;
                self.made.emit(Command::Assign(var, value), pos);
            }
            Target::Global(name) => {
                let (id, ty) = self.lowering.map.globals.get(name).copied().ok_or_else(none)?;
                self.made.emit(Command::Store { at: Expr::Global(id), value, ty }, pos);
            }
            Target::Field(name, object) => {
                let place = self.lowering.map.layouts.field(name).ok_or_else(none)?;
                let object = self.code_value(object)?;
                let at = Expr::offset(object, Expr::Int(i128::from(place.offset)));
                self.made.emit(Command::Store { at, value, ty: place.ty }, pos);
            }
            Target::Array(array, index) => {
                let Type::Array(of) = &array.ty else { return Err(none()) };
                let ty = self.lowering.map.layouts.scalar(of);
                let base = self.code_value(array)?;
                let index = self.code_value(index)?;
                let ty = ty.ok_or_else(none)?;
                let at = self.element(base, index, ty, pos);
                self.made.emit(Command::Store { at, value, ty }, pos);
            }
            Target::Cell(cell) => {
                let Type::Cell(of) = &cell.ty else { return Err(none()) };
                let ty = self.lowering.map.layouts.scalar(of).ok_or_else(none)?;
                let at = self.code_value(cell)?;
                self.made.emit(Command::Store { at, value, ty }, pos);
            }
        }
        Ok(())
    }

    /// An array is freed with its cells. Nothing is freed at `null`, which is an error.
    fn free(&mut self, e: &'p core::Expr) -> Result<(), Refusal> {
        let pos: Pos = e.span.into();
        if matches!(e.ty, Type::Cell(_)) {
            return Err(Refusal::new(e.span, "a cell that is freed without its array"));
        }
        let object = self.code_value(e)?;
        let there = Expr::compare(Comparison::Ne, object.clone(), Expr::Null);
        self.made.emit(Command::Assert(there, Check::Freed), pos);
        if let Type::Array(_) = e.ty {
            let cells = self.cells(object.clone(), pos);
            self.made.emit(Command::Free(cells), pos);
        }
        self.made.emit(Command::Free(object), pos);
        Ok(())
    }

    fn return_values(&mut self, values: &'p [core::Expr], span: Span) -> Result<(), Refusal> {
        let procedure = self.owner.and_then(|name| self.lowering.program.procedures.get(name));
        let returns = procedure.map_or(&[][..], |p| &p.returns);
        let results: Vec<LocalId> =
            returns.iter().filter(|r| r.ghost != Ghost::Implicit).map(|r| r.local).collect();
        let mut kept = Vec::new();
        for (local, value) in results.into_iter().zip(values).rev() {
            if self.is_ghost(local) {
                self.effects(value)?;
            } else {
                kept.push((local, self.code_value(value)?));
            }
        }
        kept.reverse();
        let single = kept.len() == 1;
        let mut copies = Vec::new();
        for (local, value) in kept {
            let (Some(var), Some(ty)) = (self.var(local), self.local_type(local)) else { continue };
            if single {
                self.made.emit(Command::Assign(var, value), span.into());
                continue;
            }
            // A result may be among the values.
            let copy = self.made.temporary(ty);
            self.made.emit(Command::Assign(copy, value), span.into());
            copies.push((var, copy));
        }
        for (var, copy) in copies {
            self.made.emit(Command::Assign(var, Expr::Var(copy)), span.into());
        }
        let exit = self.made.exit();
        self.made.jump(exit, span.into());
        Ok(())
    }

    /// `assume` and `assert`. What is about variables alone is a condition, everything else a formula.
    fn claim(&mut self, mods: Mods, e: &'p core::Expr, assumed: bool, pos: Pos) {
        let condition = (mods.pure && self.refused(e).is_none() && is_about_variables(e))
            .then(|| self.value(e));
        match (condition, assumed) {
            (Some(Ok(e)), true) => self.made.emit(Command::Assume(e), pos),
            (Some(Ok(e)), false) => self.made.emit(Command::Assert(e, Check::Assertion), pos),
            (_, assumed) => {
                let formula = self.formula(mods, e);
                let command = if assumed { Command::AssumeFormula } else { Command::AssertFormula };
                self.made.emit(command(formula), pos);
            }
        }
    }

    fn invariant(&mut self, clause: &'p Clause) -> Formula {
        self.formula(clause.mods, &clause.expr)
    }

    /// A claim in a body, about variables as they are.
    fn formula(&mut self, mods: Mods, e: &'p core::Expr) -> Formula {
        let mut named = BTreeMap::new();
        e.walk(&mut |part| {
            if let ExprKind::Local(local) = &*part.kind
                && let Some(name) = self.var(*local).and_then(|var| self.made.name(var))
            {
                named.insert(*local, name);
            }
        });
        self.lowering.claim(self.locals, named, mods, e)
    }
}

/// A variable gets any value. A pointer of which nothing is known leads nowhere.
fn any(var: heap::VarId, ty: Scalar) -> Command {
    if ty.is_pointer() { Command::Forget(var) } else { Command::Havoc(var) }
}

/// Is an expression about variables and numbers alone?
fn is_about_variables(e: &core::Expr) -> bool {
    let mut only = true;
    e.walk(&mut |e| {
        only &= match &*e.kind {
            ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Byte(_)
            | ExprKind::Null
            | ExprKind::Local(_)
            | ExprKind::Unary(..) => true,
            ExprKind::Binary(op, ..) => !matches!(op, BinOp::Div | BinOp::Mod),
            _ => false,
        };
    });
    only
}
