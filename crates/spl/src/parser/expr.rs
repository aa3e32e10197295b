//! Expressions.

use super::{Parser, Result};
use crate::ast::{
    Annotation, BinOp, Binder, CHAIN, Expr, ExprKind, Ident, PREFIX, Quantifier, Range, UnOp,
};
use crate::lexer::TokenKind;

fn infix(kind: TokenKind) -> Option<BinOp> {
    Some(match kind {
        TokenKind::Iff => BinOp::Iff,
        TokenKind::Implies => BinOp::Implies,
        TokenKind::OrOr => BinOp::Or,
        TokenKind::SepIncl => BinOp::SepIncl,
        TokenKind::SepPlus => BinOp::SepPlus,
        TokenKind::SepStar => BinOp::SepStar,
        TokenKind::AndAnd => BinOp::And,
        TokenKind::Eq | TokenKind::EqEq => BinOp::Eq,
        TokenKind::Ne => BinOp::Ne,
        TokenKind::In => BinOp::In,
        TokenKind::NotIn => BinOp::NotIn,
        TokenKind::Lt => BinOp::Lt,
        TokenKind::Le | TokenKind::Subsetof => BinOp::Le,
        TokenKind::Gt => BinOp::Gt,
        TokenKind::Ge => BinOp::Ge,
        TokenKind::PointsTo => BinOp::PointsTo,
        TokenKind::Plus => BinOp::Add,
        TokenKind::Minus => BinOp::Sub,
        TokenKind::PlusPlus => BinOp::Union,
        TokenKind::Bar => BinOp::BitOr,
        TokenKind::Star => BinOp::Mul,
        TokenKind::Slash => BinOp::Div,
        TokenKind::Percent => BinOp::Mod,
        TokenKind::StarStar => BinOp::Inter,
        TokenKind::Amp => BinOp::BitAnd,
        TokenKind::MinusMinus => BinOp::Diff,
        TokenKind::Shl => BinOp::Shl,
        TokenKind::Shr => BinOp::Shr,
        _ => return None,
    })
}

impl Parser<'_> {
    fn node(&mut self, start: u32, kind: ExprKind) -> Expr {
        Expr { kind: Box::new(kind), at: self.since(start).into() }
    }

    /// A quantifier, or an expression with annotations.
    pub(super) fn expr(&mut self) -> Result<Expr> {
        self.nested(Self::expr_rule)
    }

    fn expr_rule(&mut self) -> Result<Expr> {
        let start = self.start();
        let quantifier = match self.peek() {
            TokenKind::Forall => Some(Quantifier::Forall),
            TokenKind::Exists => Some(Quantifier::Exists),
            _ => None,
        };
        if let Some(quantifier) = quantifier {
            self.bump();
            let mut height = 0;
            let mut binders = Vec::new();
            loop {
                self.height = 0;
                binders.push(self.binder()?);
                height = height.max(self.height);
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
            self.expect(TokenKind::ColonColon)?;
            let body = self.expr()?;
            self.set_height(height.max(self.height))?;
            return Ok(self.node(start, ExprKind::Quant(quantifier, binders, body)));
        }
        let mut expr = self.binary(1)?;
        // A conditional groups to the left, as in the reference tool.
        while self.eat(TokenKind::Question) {
            let height = self.height;
            let then = self.binary(1)?;
            let height = height.max(self.height);
            self.expect(TokenKind::Colon)?;
            let otherwise = self.binary(1)?;
            self.set_height(height.max(self.height))?;
            expr = self.node(start, ExprKind::Cond(expr, then, otherwise));
        }
        while self.at(TokenKind::At) {
            let height = self.height;
            self.bump();
            self.expect(TokenKind::LParen)?;
            let annotation = self.annotation()?;
            self.expect(TokenKind::RParen)?;
            self.set_height(height.max(self.height))?;
            expr = self.node(start, ExprKind::Annotated(expr, annotation));
        }
        Ok(expr)
    }

    fn binder(&mut self) -> Result<Binder> {
        let name = self.ident()?;
        let range = if self.eat(TokenKind::Colon) {
            Range::Type(self.ty()?)
        } else if self.eat(TokenKind::In) {
            Range::Set(self.binary(CHAIN)?)
        } else {
            return self.unexpected("`:` or `in`");
        };
        Ok(Binder { name, range })
    }

    fn annotation(&mut self) -> Result<Annotation> {
        match self.peek() {
            TokenKind::Matching => {
                self.bump();
                let mut terms = Vec::new();
                loop {
                    let term = self.binary(1)?;
                    let without =
                        if self.eat(TokenKind::Without) { Some(self.ident()?) } else { None };
                    terms.push((term, without));
                    if !self.eat(TokenKind::Comma) {
                        break;
                    }
                }
                self.expect(TokenKind::Yields)?;
                Ok(Annotation::Matching(terms, self.binary(1)?))
            }
            TokenKind::Pattern => {
                self.bump();
                Ok(Annotation::Pattern(self.binary(1)?))
            }
            TokenKind::Comment => {
                self.bump();
                Ok(Annotation::Comment(self.string()?))
            }
            TokenKind::Noinst => {
                self.bump();
                Ok(Annotation::Noinst(self.ident()?))
            }
            _ => self.unexpected("`matching`, `pattern`, `comment` or `noinst`"),
        }
    }

    /// Operators that bind at least as tightly as `level`.
    fn binary(&mut self, level: u8) -> Result<Expr> {
        let start = self.start();
        let mut left = self.prefix()?;
        while let Some(op) = infix(self.peek()).filter(|op| op.level() >= level) {
            self.bump();
            let height = self.height;
            // All operators group to the left, but implication.
            let next = if op == BinOp::Implies { op.level() } else { op.level() + 1 };
            let right = self.nested(|parser| parser.binary(next))?;
            let mut both = height.max(self.height);
            left = if op.level() == CHAIN && infix(self.peek()).is_some_and(|o| o.level() == CHAIN)
            {
                let mut rest = vec![(op, right)];
                while let Some(op) = infix(self.peek()).filter(|op| op.level() == CHAIN) {
                    self.bump();
                    rest.push((op, self.nested(|parser| parser.binary(CHAIN + 1))?));
                    both = both.max(self.height);
                }
                self.node(start, ExprKind::Chain(left, rest))
            } else {
                self.node(start, ExprKind::Binary(op, left, right))
            };
            self.set_height(both)?;
        }
        Ok(left)
    }

    fn prefix(&mut self) -> Result<Expr> {
        let op = match self.peek() {
            TokenKind::Plus => UnOp::Plus,
            TokenKind::Minus => UnOp::Minus,
            TokenKind::Not => UnOp::Not,
            TokenKind::Tilde => UnOp::BitNot,
            _ => return self.postfix(),
        };
        let start = self.bump().start;
        // `-9223372036854775808` is a number, `9223372036854775808` is none.
        if op == UnOp::Minus && self.at(TokenKind::Int) && !self.applied(1) {
            let token = self.token();
            if let Ok(value) = format!("-{}", self.slice(token)).parse::<i64>()
                && value == i64::MIN
            {
                self.bump();
                self.height = 1;
                return Ok(self.node(start, ExprKind::Int(value)));
            }
        }
        let operand = self.nested(Self::prefix)?;
        self.set_height(self.height)?;
        Ok(self.node(start, ExprKind::Unary(op, operand)))
    }

    fn applied(&self, ahead: usize) -> bool {
        matches!(self.nth(ahead).kind, TokenKind::Dot | TokenKind::LBracket)
    }

    /// A primary expression with field accesses and indices.
    pub(super) fn postfix(&mut self) -> Result<Expr> {
        let start = self.start();
        let mut expr = self.primary()?;
        loop {
            let height = self.height;
            let kind = if self.eat(TokenKind::Dot) {
                ExprKind::Dot(expr, self.ident()?)
            } else if self.eat(TokenKind::LBracket) {
                if self.eat(TokenKind::RBracket) {
                    ExprKind::Cell(expr)
                } else {
                    let index = self.expr()?;
                    let both = height.max(self.height);
                    let kind = if self.eat(TokenKind::Assign) {
                        let value = self.expr()?;
                        ExprKind::Update(expr, index, value)
                    } else {
                        ExprKind::Index(expr, index)
                    };
                    self.height = both.max(self.height);
                    self.expect(TokenKind::RBracket)?;
                    kind
                }
            } else {
                return Ok(expr);
            };
            self.set_height(height.max(self.height))?;
            expr = self.node(start, kind);
        }
    }

    fn primary(&mut self) -> Result<Expr> {
        let start = self.start();
        self.height = 1;
        let kind = match self.peek() {
            TokenKind::True => self.literal(ExprKind::Bool(true)),
            TokenKind::False => self.literal(ExprKind::Bool(false)),
            TokenKind::Null => self.literal(ExprKind::Null),
            TokenKind::Emp => self.literal(ExprKind::Emp),
            TokenKind::Int => {
                let token = self.bump();
                match self.slice(token).parse::<i64>() {
                    Ok(value) => ExprKind::Int(value),
                    Err(_) => {
                        let span = self.token_span(token);
                        return self.error(span, "this number does not fit 64 bits", "");
                    }
                }
            }
            TokenKind::Char => {
                let token = self.bump();
                match self.slice(token).as_bytes() {
                    [_, byte, _] => ExprKind::Byte(*byte),
                    _ => {
                        let span = self.token_span(token);
                        return self.error(span, "a `Byte` is an ASCII character", "");
                    }
                }
            }
            TokenKind::LParen => {
                self.bump();
                let mut inner = self.expr()?;
                self.expect(TokenKind::RParen)?;
                inner.at = self.since(start).into();
                return Ok(inner);
            }
            TokenKind::Ident => {
                let name = self.ident()?;
                if self.eat(TokenKind::LParen) {
                    let args = self.list(TokenKind::RParen, Self::expr)?;
                    ExprKind::Call(name, args)
                } else {
                    ExprKind::Name(name)
                }
            }
            TokenKind::LBrace => self.braces()?,
            TokenKind::Set => {
                self.bump();
                let ty = if self.eat(TokenKind::Lt) {
                    let ty = self.ty()?;
                    self.expect(TokenKind::Gt)?;
                    Some(ty)
                } else {
                    None
                };
                self.expect(TokenKind::LParen)?;
                ExprKind::Set(ty, self.list(TokenKind::RParen, Self::expr)?)
            }
            TokenKind::New => {
                self.bump();
                let ty = self.ty()?;
                match ty.kind {
                    crate::ast::TypeKind::Array(element) => {
                        self.expect(TokenKind::LParen)?;
                        let length = self.expr()?;
                        self.expect(TokenKind::RParen)?;
                        ExprKind::NewArray(*element, length)
                    }
                    _ => ExprKind::New(ty),
                }
            }
            TokenKind::Int2Byte => self.conversion(UnOp::Int2Byte)?,
            TokenKind::Byte2Int => self.conversion(UnOp::Byte2Int)?,
            _ => return self.unexpected("an expression"),
        };
        self.set_height(self.height)?;
        Ok(self.node(start, kind))
    }

    fn literal(&mut self, kind: ExprKind) -> ExprKind {
        self.bump();
        kind
    }

    fn conversion(&mut self, op: UnOp) -> Result<ExprKind> {
        self.bump();
        self.expect(TokenKind::LParen)?;
        let operand = self.expr()?;
        self.expect(TokenKind::RParen)?;
        Ok(ExprKind::Unary(op, operand))
    }

    /// `{e, …}` or `{x: T :: e}`
    fn braces(&mut self) -> Result<ExprKind> {
        self.bump();
        if self.at(TokenKind::Ident) && self.nth(1).kind == TokenKind::Colon {
            let name: Ident = self.ident()?;
            self.bump();
            let ty = self.ty()?;
            self.expect(TokenKind::ColonColon)?;
            let body = self.expr()?;
            self.expect(TokenKind::RBrace)?;
            return Ok(ExprKind::Comprehension(name, ty, body));
        }
        Ok(ExprKind::Set(None, self.list(TokenKind::RBrace, Self::expr)?))
    }
}

const _: () = assert!(PREFIX > CHAIN);
