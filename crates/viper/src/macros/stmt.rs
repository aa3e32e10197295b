//! Statements in which macros are expanded.

use super::{Expander, Frame, Result};
use crate::ast::{At, Block, DefineBody, Else, Expr, ExprKind, Ident, If, Stmt, StmtKind};

impl Expander<'_> {
    pub(super) fn block(&mut self, block: &mut Block, frame: &mut Frame) -> Result<()> {
        if let Some(at) = frame.at {
            block.at = at;
        }
        let scope = frame.renames.len();
        self.stmts(&mut block.stmts, frame)?;
        frame.renames.truncate(scope);
        Ok(())
    }

    pub(super) fn stmts(&mut self, stmts: &mut Vec<Stmt>, frame: &mut Frame) -> Result<()> {
        for mut stmt in std::mem::take(stmts) {
            if let Some(at) = frame.at {
                stmt.at = at;
            }
            if let StmtKind::Call(call) = &stmt.kind
                && let Some(expansion) = self.stmt_macro(call, stmt.at, frame)?
            {
                stmts.extend(expansion);
                continue;
            }
            self.enter(stmt.at)?;
            self.stmt(&mut stmt, frame)?;
            self.depth -= 1;
            stmts.push(stmt);
        }
        Ok(())
    }

    pub(super) fn stmt(&mut self, stmt: &mut Stmt, frame: &mut Frame) -> Result<()> {
        match &mut stmt.kind {
            StmtKind::Assign { targets, value } => {
                for target in targets {
                    self.target(target, frame)?;
                }
                self.expr(value, frame)
            }
            StmtKind::Call(e)
            | StmtKind::Inhale(e)
            | StmtKind::Exhale(e)
            | StmtKind::Assert(e)
            | StmtKind::Assume(e)
            | StmtKind::Refute(e)
            | StmtKind::Apply(e) => self.expr(e, frame),
            StmtKind::Fold(e) | StmtKind::Unfold(e) => self.expr(e, frame),
            StmtKind::Var { vars, init } => {
                self.declare_params(vars, frame)?;
                init.as_mut().map_or(Ok(()), |e| self.expr(e, frame))
            }
            StmtKind::Package { wand, script } => {
                self.expr(wand, frame)?;
                script.as_mut().map_or(Ok(()), |b| self.block(b, frame))
            }
            StmtKind::If(i) => self.if_stmt(i, frame),
            StmtKind::While { cond, specs, body } => {
                self.expr(cond, frame)?;
                self.specs(specs, frame)?;
                self.block(body, frame)
            }
            StmtKind::Goto(label) => self.ident(label, frame),
            StmtKind::Label { name, invariants } => {
                // A label whose name is a parameter is the caller's.
                if frame.args.contains_key(&name.name) {
                    self.substitute_ident(name, frame)?;
                } else {
                    self.declare(name, frame);
                }
                self.specs(invariants, frame)
            }
            StmtKind::Quasihavoc { cond, resource } => {
                if let Some(cond) = cond {
                    self.expr(cond, frame)?;
                }
                self.expr(resource, frame)
            }
            StmtKind::QuasihavocAll { vars, cond, resource } => {
                let scope = frame.renames.len();
                self.declare_params(vars, frame)?;
                if let Some(cond) = cond {
                    self.expr(cond, frame)?;
                }
                self.expr(resource, frame)?;
                frame.renames.truncate(scope);
                Ok(())
            }
            StmtKind::Block(b) => self.block(b, frame),
            // Removed before.
            StmtKind::Define(_) => Ok(()),
            StmtKind::Annotated(_, inner) => {
                let mut inner_stmts = vec![(**inner).clone()];
                self.stmts(&mut inner_stmts, frame)?;
                let at = inner.at;
                **inner = match <[Stmt; 1]>::try_from(inner_stmts) {
                    Ok([one]) => one,
                    Err(stmts) => Stmt { kind: StmtKind::Block(Block { stmts, at }), at },
                };
                Ok(())
            }
        }
    }

    pub(super) fn if_stmt(&mut self, i: &mut If, frame: &mut Frame) -> Result<()> {
        self.expr(&mut i.cond, frame)?;
        self.block(&mut i.then, frame)?;
        match &mut i.otherwise {
            Some(Else::Block(b)) => self.block(b, frame),
            Some(Else::If(i, _)) => self.if_stmt(i, frame),
            None => Ok(()),
        }
    }

    /// The left-hand side of an assignment.
    pub(super) fn target(&mut self, target: &mut Expr, frame: &mut Frame) -> Result<()> {
        let at = frame.at.unwrap_or(target.at);
        if let ExprKind::Call { callee, .. } = &*target.kind
            && !self.is_macro(&callee.name)
        {
            return self.fail(at, "only macros can be called on the left-hand side of `:=`");
        }
        self.expr(target, frame)?;
        match *target.kind {
            ExprKind::Name(_) | ExprKind::Field(..) => Ok(()),
            _ => self.fail(at, "the body of this macro cannot be assigned to"),
        }
    }

    /// The expansion of a statement, if it is the use of a macro.
    pub(super) fn stmt_macro(
        &mut self,
        call: &Expr,
        at: At,
        frame: &mut Frame,
    ) -> Result<Option<Vec<Stmt>>> {
        let (mut callee, args) = match &*call.kind {
            ExprKind::Name(name) => (Ident { name: name.clone(), at: call.at }, Vec::new()),
            ExprKind::Call { callee, args, .. } => (callee.clone(), args.clone()),
            _ => return Ok(None),
        };
        if let ExprKind::Name(name) = &*call.kind
            && frame.args.get(name).is_some_and(|e| !matches!(*e.kind, ExprKind::Name(_)))
        {
            return Ok(None);
        }
        self.substitute_ident(&mut callee, frame)?;
        let called = matches!(*call.kind, ExprKind::Call { .. });
        match self.find(&callee.name) {
            Some(define) if !called || define.params.is_some() => {}
            _ => return Ok(None),
        }
        let mut args = args;
        self.exprs(&mut args, frame)?;
        let (define, mut inner) = self.open(&callee.name, called.then_some(args), at)?;
        inner.at = None;
        let DefineBody::Block(block) = define.body else {
            return self.fail(
                at,
                format!("the expression macro `{}` is used as a statement", callee.name),
            );
        };
        let mut stmts = block.stmts;
        self.stmts(&mut stmts, &mut inner)?;
        self.active.pop();
        Ok(Some(stmts))
    }
}
