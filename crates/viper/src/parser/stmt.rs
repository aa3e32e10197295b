//! Statements.

use super::slips::STATEMENT;
use super::{Parser, Result};
use crate::ast::{
    At, Block, Decreases, Else, Expr, ExprKind, If, Measure, Spec, SpecKind, Stmt, StmtKind,
};
use crate::lexer::{Token, TokenKind};

impl Parser<'_> {
    pub(super) fn block(&mut self) -> Result<Block> {
        self.block_of(true)
    }

    /// The body of a statement macro, in which no macro may be defined.
    pub(super) fn macro_block(&mut self) -> Result<Block> {
        self.block_of(false)
    }

    fn block_of(&mut self, allow_define: bool) -> Result<Block> {
        let start = self.expect(TokenKind::LBrace)?.start;
        let mut stmts = Vec::new();
        let mut height = 0;
        while !self.at(TokenKind::RBrace) {
            if self.at(TokenKind::Eof) {
                return self.unexpected(STATEMENT);
            }
            stmts.push(self.stmt(allow_define)?);
            height = height.max(self.height);
            self.eat(TokenKind::Semi);
        }
        self.bump();
        self.set_height(height)?;
        Ok(Block { stmts, at: self.since(start).into() })
    }

    fn stmt(&mut self, allow_define: bool) -> Result<Stmt> {
        self.nested(|parser| {
            let start = parser.start();
            parser.height = 0;
            let kind = parser.stmt_kind(allow_define)?;
            parser.set_height(parser.height)?;
            Ok(Stmt { kind, at: parser.since(start).into() })
        })
    }

    fn stmt_kind(&mut self, allow_define: bool) -> Result<StmtKind> {
        let token = self.token();
        Ok(match token.kind {
            TokenKind::Inhale => StmtKind::Inhale(self.operand()?),
            TokenKind::Exhale => StmtKind::Exhale(self.operand()?),
            TokenKind::Assert => StmtKind::Assert(self.operand()?),
            TokenKind::Assume => StmtKind::Assume(self.operand()?),
            TokenKind::Refute => StmtKind::Refute(self.operand()?),
            TokenKind::Fold => {
                self.bump();
                StmtKind::Fold(self.predicate_access()?)
            }
            TokenKind::Unfold => {
                self.bump();
                StmtKind::Unfold(self.predicate_access()?)
            }
            TokenKind::Package => {
                self.bump();
                let wand = self.wand()?;
                let height = self.height;
                let script = if self.at(TokenKind::LBrace) {
                    Some(self.block_of(allow_define)?)
                } else {
                    None
                };
                self.height = self.height.max(height);
                StmtKind::Package { wand, script }
            }
            TokenKind::Apply => {
                self.bump();
                StmtKind::Apply(self.wand()?)
            }
            TokenKind::Var => {
                self.bump();
                let vars = self.bindings()?;
                let init = if self.eat(TokenKind::Assign) { Some(self.expr()?) } else { None };
                StmtKind::Var { vars, init }
            }
            TokenKind::If => StmtKind::If(self.if_rest(allow_define)?),
            TokenKind::While => {
                self.bump();
                let cond = self.parenthesised()?;
                let specs = self.loop_specs()?;
                let height = self.height;
                let body = self.block_of(allow_define)?;
                self.height = self.height.max(height);
                StmtKind::While { cond, specs, body }
            }
            TokenKind::Goto => {
                self.bump();
                StmtKind::Goto(self.ident()?)
            }
            TokenKind::Label => {
                self.bump();
                let name = self.ident()?;
                StmtKind::Label { name, invariants: self.loop_specs()? }
            }
            TokenKind::Quasihavoc => {
                self.bump();
                let (cond, resource) = self.conditional_resource()?;
                StmtKind::Quasihavoc { cond, resource }
            }
            TokenKind::Quasihavocall => {
                self.bump();
                let vars = self.bindings()?;
                self.expect(TokenKind::ColonColon)?;
                let (cond, resource) = self.conditional_resource()?;
                StmtKind::QuasihavocAll { vars, cond, resource }
            }
            TokenKind::LBrace => StmtKind::Block(self.block_of(allow_define)?),
            TokenKind::Define if allow_define => StmtKind::Define(self.define()?),
            TokenKind::Define => {
                self.bump();
                return self.error(
                    self.token_span(self.token()),
                    "macros cannot be defined inside macros; move this definition out",
                );
            }
            TokenKind::At => {
                let annotation = self.annotation()?;
                let stmt = self.stmt(allow_define)?;
                StmtKind::Annotated(annotation, Box::new(stmt))
            }
            _ if super::expr::starts_expr(token.kind) => self.assign_or_call()?,
            _ => return self.unexpected(STATEMENT),
        })
    }

    /// The expression after a keyword.
    fn operand(&mut self) -> Result<Expr> {
        self.bump();
        self.expr()
    }

    /// `t, … := e`, `m(…)` or `m`
    fn assign_or_call(&mut self) -> Result<StmtKind> {
        let first = self.target()?;
        let mut height = self.height;
        let mut targets = vec![first];
        while self.eat(TokenKind::Comma) {
            targets.push(self.target()?);
            height = height.max(self.height);
        }
        if self.eat(TokenKind::Assign) {
            let value = self.expr()?;
            self.height = self.height.max(height);
            return Ok(StmtKind::Assign { targets, value });
        }
        match targets.pop() {
            Some(call)
                if targets.is_empty()
                    && matches!(*call.kind, ExprKind::Call { .. } | ExprKind::Name(_)) =>
            {
                Ok(StmtKind::Call(call))
            }
            _ => self.unexpected("`:=`"),
        }
    }

    /// A variable, a field access or a macro application.
    fn target(&mut self) -> Result<Expr> {
        let start = self.token();
        if start.kind == TokenKind::Ident {
            self.dangling_dot()?;
            let target = self.suffix_expr()?;
            return match *target.kind {
                ExprKind::Name(_) | ExprKind::Field(..) | ExprKind::Call { ty: None, .. } => {
                    Ok(target)
                }
                _ => self.not_a_target(start),
            };
        }
        // Everything else must be a field access; if it is not, it is no statement at all, and the
        // error is where it starts, not inside.
        let reported = self.diagnostics.len();
        match self.suffix_expr() {
            Ok(target) if matches!(*target.kind, ExprKind::Field(..)) => Ok(target),
            _ => {
                self.diagnostics.truncate(reported);
                self.not_a_target(start)
            }
        }
    }

    /// In `x.f. …` without a field after the last dot, the statement ends before that dot.
    fn dangling_dot(&mut self) -> Result<()> {
        let mut n = 1;
        while self.nth(n).kind == TokenKind::Dot {
            if !matches!(self.nth(n + 1).kind, TokenKind::Ident | TokenKind::Perm) {
                self.pos += n;
                return self.unexpected("`:=`, or a field after the dot");
            }
            n += 2;
        }
        Ok(())
    }

    fn not_a_target<T>(&mut self, start: Token) -> Result<T> {
        let message = "expected a statement; an expression cannot stand alone or be assigned to";
        let failed = self.error(self.token_span(start), message);
        let help = self.slip_at_statement(start);
        if let Some(diagnostic) = self.diagnostics.last_mut() {
            diagnostic.help = help;
        }
        failed
    }

    /// After `if` or `elseif`, which is still the next token.
    fn if_rest(&mut self, allow_define: bool) -> Result<If> {
        self.bump();
        let cond = self.parenthesised()?;
        let mut height = self.height;
        let then = self.block_of(allow_define)?;
        height = height.max(self.height);
        let start = self.start();
        let otherwise = match self.peek() {
            TokenKind::Elseif => {
                let rest = self.nested(|parser| parser.if_rest(allow_define))?;
                Some(Else::If(Box::new(rest), self.since(start).into()))
            }
            TokenKind::Else => {
                self.bump();
                Some(Else::Block(self.block_of(allow_define)?))
            }
            _ => None,
        };
        self.set_height(height.max(self.height))?;
        Ok(If { cond, then, otherwise })
    }

    fn parenthesised(&mut self) -> Result<Expr> {
        self.expect(TokenKind::LParen)?;
        let expr = self.expr()?;
        self.expect(TokenKind::RParen)?;
        Ok(expr)
    }

    /// Invariants and measures.
    fn loop_specs(&mut self) -> Result<Vec<Spec>> {
        let mut specs = Vec::new();
        let mut height = self.height;
        loop {
            let start = self.start();
            let kind = match self.peek() {
                TokenKind::Invariant => SpecKind::Invariant(self.operand()?),
                TokenKind::Decreases => SpecKind::Decreases(self.decreases()?),
                _ => break,
            };
            height = height.max(self.height);
            specs.push(Spec { kind, at: self.since(start).into() });
            self.eat(TokenKind::Semi);
        }
        self.height = height;
        Ok(specs)
    }

    /// `decreases a, b if c`, `decreases _`, `decreases *`
    pub(super) fn decreases(&mut self) -> Result<Decreases> {
        self.expect(TokenKind::Decreases)?;
        let start = self.start();
        let wildcard = self.at(TokenKind::Ident) && self.slice(self.token()) == "_";
        let mut height = 0;
        let measure = if wildcard {
            self.bump();
            Measure::Wildcard
        } else if self.eat(TokenKind::Star) {
            Measure::Star
        } else {
            let mut exprs = Vec::new();
            if super::expr::starts_expr(self.peek()) && !self.at_annotated_member() {
                loop {
                    exprs.push(self.expr()?);
                    height = height.max(self.height);
                    if !self.eat(TokenKind::Comma) {
                        break;
                    }
                }
            }
            Measure::Tuple(exprs)
        };
        let condition = if self.at(TokenKind::If) && measure != Measure::Star {
            let condition = self.operand()?;
            height = height.max(self.height);
            Some(condition)
        } else {
            None
        };
        self.height = height;
        let empty = matches!(&measure, Measure::Tuple(exprs) if exprs.is_empty());
        let at = if empty && condition.is_none() {
            // Nothing is written after the keyword: point at the keyword.
            let keyword = self.pos.checked_sub(1).and_then(|i| self.tokens.get(i)).copied();
            keyword.map_or_else(At::default, |t| self.token_span(t).into())
        } else {
            self.since(start).into()
        };
        Ok(Decreases { measure, condition, at })
    }

    /// After an empty measure, `@…` may belong to the next declaration.
    fn at_annotated_member(&self) -> bool {
        let mut n = 0;
        while self.nth(n).kind == TokenKind::At {
            n += 1;
            while !matches!(self.nth(n).kind, TokenKind::RParen | TokenKind::Eof) {
                n += 1;
            }
            n += 1;
        }
        n > 0 && !super::expr::starts_expr(self.nth(n).kind)
    }

    /// `c ==> r` or `r`
    fn conditional_resource(&mut self) -> Result<(Option<Expr>, Expr)> {
        let first = self.wand()?;
        let height = self.height;
        if self.eat(TokenKind::Implies) {
            let resource = self.expr()?;
            self.height = self.height.max(height);
            Ok((Some(first), resource))
        } else {
            Ok((None, first))
        }
    }
}
