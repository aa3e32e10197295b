//! Statements.

use super::{Parser, Result};
use crate::ast::{Expr, ExprKind, Invariant, Stmt, StmtKind};
use crate::lexer::TokenKind;

impl Parser<'_> {
    pub(super) fn stmt(&mut self) -> Result<Stmt> {
        self.nested(Self::stmt_rule)
    }

    fn stmt_rule(&mut self) -> Result<Stmt> {
        let start = self.start();
        self.height = 0;
        let kind = match self.peek() {
            TokenKind::LBrace => {
                self.bump();
                let mut stmts = Vec::new();
                let mut height = 0;
                while !self.eat(TokenKind::RBrace) {
                    if self.at(TokenKind::Eof) {
                        return self.unexpected("a statement or `}`");
                    }
                    stmts.push(self.stmt()?);
                    height = height.max(self.height);
                }
                self.height = height;
                StmtKind::Block(stmts)
            }
            TokenKind::Ghost | TokenKind::Var => self.local()?,
            TokenKind::Free if !self.modifies_claim() => {
                self.bump();
                let expr = self.expr()?;
                self.expect(TokenKind::Semi)?;
                StmtKind::Free(expr)
            }
            TokenKind::Havoc => {
                self.bump();
                let vars = if self.at(TokenKind::Semi) { Vec::new() } else { self.exprs()? };
                self.expect(TokenKind::Semi)?;
                StmtKind::Havoc(vars)
            }
            TokenKind::Return => {
                self.bump();
                let values = if self.at(TokenKind::Semi) { Vec::new() } else { self.exprs()? };
                self.expect(TokenKind::Semi)?;
                StmtKind::Return(values)
            }
            TokenKind::Pure | TokenKind::Free | TokenKind::Assume | TokenKind::Assert => {
                self.claim()?
            }
            TokenKind::If => {
                self.bump();
                let cond = self.condition()?;
                let mut height = self.height;
                let then = Box::new(self.stmt()?);
                height = height.max(self.height);
                let otherwise = if self.eat(TokenKind::Else) {
                    let stmt = self.stmt()?;
                    height = height.max(self.height);
                    Some(Box::new(stmt))
                } else {
                    None
                };
                self.height = height;
                StmtKind::If(cond, then, otherwise)
            }
            TokenKind::Choose => {
                self.bump();
                let mut branches = vec![self.stmt()?];
                let mut height = self.height;
                while self.eat(TokenKind::Or) {
                    branches.push(self.stmt()?);
                    height = height.max(self.height);
                }
                self.height = height;
                StmtKind::Choose(branches)
            }
            TokenKind::While => self.repeat()?,
            TokenKind::Ident if self.at_split() => {
                self.bump();
                let expr = self.expr()?;
                self.expect(TokenKind::Semi)?;
                StmtKind::Split(expr)
            }
            _ => self.assignment_or_call()?,
        };
        self.set_height(self.height)?;
        Ok(Stmt { kind, at: self.since(start).into() })
    }

    /// Is this `free` the modifier of an `assume` or `assert`?
    fn modifies_claim(&self) -> bool {
        let mut ahead = 0;
        while matches!(self.nth(ahead).kind, TokenKind::Pure | TokenKind::Free) {
            ahead += 1;
        }
        matches!(self.nth(ahead).kind, TokenKind::Assume | TokenKind::Assert)
    }

    /// `split e;`, as far as it is neither a call nor an assignment.
    fn at_split(&self) -> bool {
        let next = self.nth(1).kind;
        self.slice(self.token()) == "split"
            && !matches!(
                next,
                TokenKind::LParen
                    | TokenKind::Assign
                    | TokenKind::Comma
                    | TokenKind::Dot
                    | TokenKind::LBracket
            )
    }

    fn condition(&mut self) -> Result<Expr> {
        self.expect(TokenKind::LParen)?;
        let cond = self.expr()?;
        self.expect(TokenKind::RParen)?;
        Ok(cond)
    }

    pub(super) fn exprs(&mut self) -> Result<Vec<Expr>> {
        let mut exprs = vec![self.expr()?];
        let mut height = self.height;
        while self.eat(TokenKind::Comma) {
            exprs.push(self.expr()?);
            height = height.max(self.height);
        }
        self.height = height;
        Ok(exprs)
    }

    /// `var x: T, y: T;` or `var x, y: T := e, f;`
    fn local(&mut self) -> Result<StmtKind> {
        let ghost = self.eat(TokenKind::Ghost);
        self.expect(TokenKind::Var)?;
        let mut vars = Vec::new();
        loop {
            let name = self.ident()?;
            let ty = if self.eat(TokenKind::Colon) { Some(self.ty()?) } else { None };
            vars.push((name, ty));
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        let values = if self.eat(TokenKind::Assign) { Some(self.exprs()?) } else { None };
        if values.is_none()
            && let Some((name, _)) = vars.iter().find(|(_, ty)| ty.is_none())
        {
            let (span, name) = (name.at.0, name.name.clone());
            let message = format!("`{name}` has neither a type nor a value");
            return self.error(span, message, "write `var x: T;` or `var x := e;`");
        }
        self.expect(TokenKind::Semi)?;
        Ok(StmtKind::Var { ghost, vars, values })
    }

    /// `assume` or `assert` with its modifiers.
    fn claim(&mut self) -> Result<StmtKind> {
        let mods = self.mods();
        if self.eat(TokenKind::Assume) {
            let expr = self.expr()?;
            self.expect(TokenKind::Semi)?;
            return Ok(StmtKind::Assume(mods, expr));
        }
        if !self.eat(TokenKind::Assert) {
            return self.unexpected("`assume` or `assert`");
        }
        let label = if self.at(TokenKind::String) { Some(self.string()?) } else { None };
        let expr = self.expr()?;
        let mut height = self.height;
        let proof = if self.eat(TokenKind::With) {
            if !self.at(TokenKind::LBrace) {
                return self.unexpected("`{`");
            }
            let proof = self.stmt()?;
            height = height.max(self.height);
            Some(Box::new(proof))
        } else {
            self.expect(TokenKind::Semi)?;
            None
        };
        self.height = height;
        Ok(StmtKind::Assert { mods, label, expr, proof })
    }

    fn repeat(&mut self) -> Result<StmtKind> {
        self.bump();
        let cond = self.condition()?;
        let mut height = self.height;
        let mut invariants = Vec::new();
        loop {
            let start = self.start();
            let mut ahead = 0;
            while matches!(self.nth(ahead).kind, TokenKind::Pure | TokenKind::Free) {
                ahead += 1;
            }
            if self.nth(ahead).kind != TokenKind::Invariant {
                break;
            }
            let mods = self.mods();
            self.bump();
            let expr = self.expr()?;
            height = height.max(self.height);
            let at = self.since(start).into();
            self.eat(TokenKind::Semi);
            invariants.push(Invariant { mods, expr, at });
        }
        if !invariants.is_empty() && !self.at(TokenKind::LBrace) {
            return self.unexpected("`invariant` or `{`");
        }
        let body = Box::new(self.stmt()?);
        self.height = height.max(self.height);
        Ok(StmtKind::While { cond, invariants, body })
    }

    fn assignment_or_call(&mut self) -> Result<StmtKind> {
        let mut targets = vec![self.postfix()?];
        while self.eat(TokenKind::Comma) {
            targets.push(self.postfix()?);
        }
        if self.eat(TokenKind::Assign) {
            if self.at(TokenKind::String)
                && let [_] = targets.as_slice()
            {
                let text = self.string()?;
                self.expect(TokenKind::Semi)?;
                let target = targets.remove(0);
                return Ok(StmtKind::AssignString(target, text));
            }
            let values = self.exprs()?;
            self.expect(TokenKind::Semi)?;
            return Ok(StmtKind::Assign(targets, values));
        }
        match targets.as_slice() {
            [call] if matches!(*call.kind, ExprKind::Call(..)) => {
                self.expect(TokenKind::Semi)?;
                Ok(StmtKind::Call(targets.remove(0)))
            }
            _ => self.unexpected("`:=`"),
        }
    }
}
