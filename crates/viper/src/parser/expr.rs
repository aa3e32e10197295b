//! Expressions and assertions, by precedence climbing.

use super::{Parser, Result};
use crate::ast::{
    At, BinOp, CollectionKind, Expr, ExprKind, Ident, OldLabel, Quantifier, Trigger, UnOp,
};
use crate::lexer::{Token, TokenKind};

/// May an expression start with this token?
pub(super) fn starts_expr(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Int
            | TokenKind::Ident
            | TokenKind::True
            | TokenKind::False
            | TokenKind::Null
            | TokenKind::Result
            | TokenKind::None
            | TokenKind::Write
            | TokenKind::Wildcard
            | TokenKind::Epsilon
            | TokenKind::Minus
            | TokenKind::Not
            | TokenKind::LParen
            | TokenKind::LBracket
            | TokenKind::Bar
            | TokenKind::BarBar
            | TokenKind::Hash
            | TokenKind::At
            | TokenKind::Acc
            | TokenKind::Perm
            | TokenKind::Old
            | TokenKind::Let
            | TokenKind::Forall
            | TokenKind::Exists
            | TokenKind::Forperm
            | TokenKind::Unfolding
            | TokenKind::Applying
            | TokenKind::Asserting
            | TokenKind::Seq
            | TokenKind::Set
            | TokenKind::Multiset
            | TokenKind::Map
            | TokenKind::Domain
            | TokenKind::Range
            | TokenKind::New
    )
}

fn binary_op(kind: TokenKind) -> Option<BinOp> {
    Some(match kind {
        TokenKind::Star => BinOp::Mul,
        TokenKind::Slash => BinOp::Div,
        TokenKind::Backslash => BinOp::IntDiv,
        TokenKind::Percent => BinOp::Mod,
        TokenKind::Plus => BinOp::Add,
        TokenKind::Minus => BinOp::Sub,
        TokenKind::PlusPlus => BinOp::Append,
        TokenKind::Union => BinOp::Union,
        TokenKind::Intersection => BinOp::Intersection,
        TokenKind::Setminus => BinOp::Setminus,
        TokenKind::Subset => BinOp::Subset,
        TokenKind::Lt => BinOp::Lt,
        TokenKind::Le => BinOp::Le,
        TokenKind::Gt => BinOp::Gt,
        TokenKind::Ge => BinOp::Ge,
        TokenKind::In => BinOp::In,
        TokenKind::EqEq => BinOp::Eq,
        TokenKind::Ne => BinOp::Ne,
        TokenKind::AndAnd => BinOp::And,
        TokenKind::BarBar => BinOp::Or,
        TokenKind::Wand => BinOp::Wand,
        TokenKind::Implies => BinOp::Implies,
        TokenKind::Iff => BinOp::Iff,
        _ => return None,
    })
}

/// An expression and where it starts with the parentheses around it.
struct Operand {
    expr: Expr,
    start: u32,
    height: u32,
}

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Result<Expr> {
        self.nested(|parser| {
            let operand = parser.ternary()?;
            parser.height = operand.height;
            Ok(operand.expr)
        })
    }

    fn make(&self, kind: ExprKind, start: u32) -> Expr {
        Expr::new(kind, self.since(start))
    }

    /// `c ? a : b`
    fn ternary(&mut self) -> Result<Operand> {
        let cond = self.binary(BinOp::Iff.precedence())?;
        if !self.eat(TokenKind::Question) {
            return Ok(cond);
        }
        let then = self.nested(Self::ternary)?;
        self.expect(TokenKind::Colon)?;
        let otherwise = self.nested(Self::ternary)?;
        let start = cond.start;
        self.set_height(cond.height.max(then.height).max(otherwise.height))?;
        let expr = self.make(ExprKind::Cond(cond.expr, then.expr, otherwise.expr), start);
        Ok(Operand { expr, start, height: self.height })
    }

    /// Operators that bind at least as tightly as `min`.
    fn binary(&mut self, min: u8) -> Result<Operand> {
        let first = self.suffixed()?;
        self.binary_rest(first, min)
    }

    fn binary_rest(&mut self, first: Operand, min: u8) -> Result<Operand> {
        let mut left = first;
        while let Some(op) = binary_op(self.peek()) {
            if op.precedence() < min {
                break;
            }
            if op.is_comparison() {
                left = self.comparisons(left)?;
                continue;
            }
            if op.is_right_associative() && op != BinOp::Wand {
                left = self.right_associative(left, op.precedence())?;
                continue;
            }
            self.bump();
            let right = if op == BinOp::Wand {
                // The right-hand side of a wand extends as far as possible.
                self.nested(Self::ternary)?
            } else {
                self.binary(op.precedence() + 1)?
            };
            left = self.join(op, left, right)?;
        }
        self.height = left.height;
        Ok(left)
    }

    fn join(&mut self, op: BinOp, left: Operand, right: Operand) -> Result<Operand> {
        self.set_height(left.height.max(right.height))?;
        let start = left.start;
        let end = self.since(start);
        let expr = Expr::new(ExprKind::Binary(op, left.expr, right.expr), end);
        Ok(Operand { expr, start, height: self.height })
    }

    /// `a op b op' c` where all operators have the precedence `level`; without recursion, since
    /// conjunctions can be long.
    fn right_associative(&mut self, first: Operand, level: u8) -> Result<Operand> {
        let mut operands = vec![first];
        let mut ops = Vec::new();
        while let Some(op) = binary_op(self.peek()).filter(|op| op.precedence() == level) {
            self.bump();
            ops.push(op);
            operands.push(self.binary(level + 1)?);
        }
        let mut ops = ops.into_iter().rev();
        let mut operands = operands.into_iter().rev();
        let Some(mut right) = operands.next() else { return self.unexpected("an expression") };
        for left in operands {
            let Some(op) = ops.next() else { break };
            right = self.join(op, left, right)?;
        }
        Ok(right)
    }

    /// `a < b`, or a chain of comparisons
    fn comparisons(&mut self, first: Operand) -> Result<Operand> {
        let start = first.start;
        let mut height = first.height;
        let mut rest = Vec::new();
        while let Some(op) = binary_op(self.peek()).filter(|op| op.is_comparison()) {
            self.bump();
            let right = self.binary(op.precedence() + 1)?;
            height = height.max(right.height);
            rest.push((op, right.expr));
        }
        // Chains become nested conjunctions later.
        self.set_height(height + rest.len() as u32)?;
        let kind = if rest.len() == 1 {
            match rest.pop() {
                Some((op, right)) => ExprKind::Binary(op, first.expr, right),
                None => *first.expr.kind,
            }
        } else {
            ExprKind::Chain(first.expr, rest)
        };
        let expr = self.make(kind, start);
        Ok(Operand { expr, start, height: self.height })
    }

    /// A wand, or anything that binds at least as tightly.
    pub(super) fn wand(&mut self) -> Result<Expr> {
        self.nested(|parser| Ok(parser.binary(BinOp::Wand.precedence())?.expr))
    }

    pub(super) fn suffix_expr(&mut self) -> Result<Expr> {
        Ok(self.suffixed()?.expr)
    }

    /// An atom with `.f`, `[i]`, `[a..b]`, `[i := v]` after it.
    fn suffixed(&mut self) -> Result<Operand> {
        let start = self.start();
        self.height = 0;
        let mut expr = self.atom()?;
        let mut height = self.height.max(1);
        loop {
            match self.peek() {
                TokenKind::Dot => {
                    self.bump();
                    let field = self.ident()?;
                    expr = self.make(ExprKind::Field(expr, field), start);
                }
                TokenKind::LBracket => {
                    self.bump();
                    let (suffix, inner) = self.index_suffix(expr)?;
                    self.expect(TokenKind::RBracket)?;
                    height = height.max(inner);
                    expr = self.make(suffix, start);
                }
                _ => break,
            }
            self.set_height(height)?;
            height = self.height;
        }
        self.height = height;
        Ok(Operand { expr, start, height })
    }

    /// Between the brackets; also the height of what is there.
    fn index_suffix(&mut self, base: Expr) -> Result<(ExprKind, u32)> {
        if self.eat(TokenKind::DotDot) {
            let end = self.expr()?;
            return Ok((ExprKind::Slice(base, None, Some(end)), self.height));
        }
        let index = self.expr()?;
        let height = self.height;
        if self.eat(TokenKind::Assign) {
            let value = self.expr()?;
            return Ok((ExprKind::Update(base, index, value), height.max(self.height)));
        }
        if self.eat(TokenKind::DotDot) {
            if self.at(TokenKind::RBracket) {
                return Ok((ExprKind::Slice(base, Some(index), None), height));
            }
            let end = self.expr()?;
            return Ok((ExprKind::Slice(base, Some(index), Some(end)), height.max(self.height)));
        }
        Ok((ExprKind::Index(base, index), height))
    }

    fn atom(&mut self) -> Result<Expr> {
        let start = self.start();
        let simple = match self.peek() {
            TokenKind::True => Some(ExprKind::Bool(true)),
            TokenKind::False => Some(ExprKind::Bool(false)),
            TokenKind::Null => Some(ExprKind::Null),
            TokenKind::Result => Some(ExprKind::Result),
            TokenKind::None => Some(ExprKind::None),
            TokenKind::Write => Some(ExprKind::Write),
            TokenKind::Wildcard => Some(ExprKind::Wildcard),
            TokenKind::Epsilon => Some(ExprKind::Epsilon),
            _ => None,
        };
        if let Some(kind) = simple {
            self.bump();
            self.height = 1;
            return Ok(self.make(kind, start));
        }
        match self.peek() {
            TokenKind::Ident => self.name_or_call(),
            TokenKind::Int => self.int(),
            TokenKind::LParen => self.nested(Self::parenthesised_expr),
            _ => self.nested(|parser| {
                let kind = parser.compound()?;
                parser.set_height(parser.height)?;
                Ok(parser.make(kind, start))
            }),
        }
    }

    fn int(&mut self) -> Result<Expr> {
        let token = self.bump();
        let span = self.token_span(token);
        // Conversion is quadratic in the number of digits.
        const MAX_DIGITS: usize = 10_000;
        let digits = self.slice(token);
        if digits.len() > MAX_DIGITS {
            return self.error(span, format!("numbers may have at most {MAX_DIGITS} digits"));
        }
        match digits.parse() {
            Ok(value) => {
                self.height = 1;
                Ok(Expr::new(ExprKind::Int(value), span))
            }
            Err(_) => self.error(span, "expected a number"),
        }
    }

    fn name_or_call(&mut self) -> Result<Expr> {
        let start = self.start();
        let callee = self.ident()?;
        self.height = 1;
        if self.at_call_paren(start) {
            let args = self.parens(Self::expr)?;
            self.set_height(self.height)?;
            return Ok(self.make(ExprKind::Call { callee, args, ty: None }, start));
        }
        Ok(self.make(ExprKind::Name(callee.name), start))
    }

    /// Does `(` follow the name that starts at `start`, on the same line?
    fn at_call_paren(&mut self, start: u32) -> bool {
        if !self.at(TokenKind::LParen) {
            return false;
        }
        let end = self.since(start).end;
        let gap = self.span(end, self.start());
        let between = self.text.get(gap.start as usize..gap.end as usize).unwrap_or("");
        if between.is_empty() {
            return true;
        }
        if !between.bytes().all(|b| b == b' ') {
            return false;
        }
        self.warn(
            gap,
            "spaces between the name of a function and its arguments are deprecated, remove them",
        );
        true
    }

    /// `(e)` or `(f(e): T)`
    fn parenthesised_expr(&mut self) -> Result<Expr> {
        let open = self.bump();
        let mut expr = self.expr()?;
        if self.at(TokenKind::Colon)
            && let ExprKind::Call { ty, .. } = &mut *expr.kind
            && ty.is_none()
            && expr.at.0.span().is_some_and(|s| s.start == self.after(open))
        {
            self.bump();
            let height = self.height;
            *ty = Some(Box::new(self.ty()?));
            self.height = height;
            expr.at = At(self.since(self.after(open)).into());
        }
        if !self.at(TokenKind::RParen) {
            let open = self.token_span(open);
            let failed = self.unexpected("an operator or `)`");
            if let Some(last) = self.diagnostics.last_mut() {
                last.labels.push((open.into(), "this parenthesis is not closed".to_string()));
            }
            return failed;
        }
        self.bump();
        Ok(expr)
    }

    /// Start of the token after `token`.
    fn after(&self, token: Token) -> u32 {
        let index = self.tokens.partition_point(|t| t.start <= token.start);
        self.tokens.get(index).map_or(token.end, |t| t.start)
    }

    fn compound(&mut self) -> Result<ExprKind> {
        self.height = 0;
        Ok(match self.peek() {
            TokenKind::Minus => {
                self.bump();
                ExprKind::Unary(UnOp::Neg, self.suffix_expr()?)
            }
            TokenKind::Not => {
                self.bump();
                ExprKind::Unary(UnOp::Not, self.suffix_expr()?)
            }
            TokenKind::Bar => {
                self.bump();
                let inner = self.expr()?;
                self.expect(TokenKind::Bar)?;
                ExprKind::Size(inner)
            }
            TokenKind::BarBar => self.nested_size()?,
            TokenKind::LBracket => self.bracketed()?,
            TokenKind::At => {
                let annotation = self.annotation()?;
                ExprKind::Annotated(annotation, self.atom()?)
            }
            TokenKind::Hash => {
                self.bump();
                let predicate = self.ident()?;
                if !self.at(TokenKind::LParen) {
                    return self.missing_arguments();
                }
                let args = self.parens(Self::expr)?;
                ExprKind::PredicateInstance { predicate, args }
            }
            TokenKind::Acc => self.acc()?,
            TokenKind::Perm => {
                self.bump();
                self.expect(TokenKind::LParen)?;
                let resource = self.resource()?;
                self.expect(TokenKind::RParen)?;
                ExprKind::Perm(resource)
            }
            TokenKind::Old => self.old()?,
            TokenKind::Let => self.let_in()?,
            TokenKind::Forall => self.quantifier(Quantifier::Forall)?,
            TokenKind::Exists => self.quantifier(Quantifier::Exists)?,
            TokenKind::Forperm => self.forperm()?,
            TokenKind::Unfolding => {
                self.bump();
                let acc = self.predicate_access()?;
                let (height, body) = (self.height, self.in_body()?);
                self.height = self.height.max(height);
                ExprKind::Unfolding(acc, body)
            }
            TokenKind::Applying => {
                self.bump();
                self.expect(TokenKind::LParen)?;
                let wand = self.wand()?;
                self.expect(TokenKind::RParen)?;
                let (height, body) = (self.height, self.in_body()?);
                self.height = self.height.max(height);
                ExprKind::Applying(wand, body)
            }
            TokenKind::Asserting => {
                self.bump();
                self.expect(TokenKind::LParen)?;
                let assertion = self.expr()?;
                self.expect(TokenKind::RParen)?;
                let (height, body) = (self.height, self.in_body()?);
                self.height = self.height.max(height);
                ExprKind::Asserting(assertion, body)
            }
            TokenKind::Seq => self.collection(CollectionKind::Seq)?,
            TokenKind::Set => self.collection(CollectionKind::Set)?,
            TokenKind::Multiset => self.collection(CollectionKind::Multiset)?,
            TokenKind::Map => self.map()?,
            TokenKind::Domain => ExprKind::MapDomain(self.keyword_call()?),
            TokenKind::Range => ExprKind::MapRange(self.keyword_call()?),
            TokenKind::New => self.new_object()?,
            _ => return self.unexpected("an expression"),
        })
    }

    /// `||a| - 1|`: the two bars are not an operator here.
    fn nested_size(&mut self) -> Result<ExprKind> {
        if let Some(token) = self.tokens.get_mut(self.pos) {
            token.kind = TokenKind::Bar;
            token.start += 1;
        }
        let inner = self.expr()?;
        self.expect(TokenKind::Bar)?;
        Ok(ExprKind::Size(inner))
    }

    /// `keyword(e)`
    fn keyword_call(&mut self) -> Result<Expr> {
        self.bump();
        self.expect(TokenKind::LParen)?;
        let inner = self.expr()?;
        self.expect(TokenKind::RParen)?;
        Ok(inner)
    }

    /// `in e`
    fn in_body(&mut self) -> Result<Expr> {
        self.expect(TokenKind::In)?;
        self.expr()
    }

    /// `[A, B]` or `[a..b)`
    fn bracketed(&mut self) -> Result<ExprKind> {
        self.bump();
        let first = self.expr()?;
        let height = self.height;
        let kind = if self.eat(TokenKind::Comma) {
            let second = self.expr()?;
            self.expect(TokenKind::RBracket)?;
            ExprKind::InhaleExhale(first, second)
        } else if self.eat(TokenKind::DotDot) {
            let second = self.expr()?;
            self.expect(TokenKind::RParen)?;
            ExprKind::Range(first, second)
        } else {
            return self.unexpected("`,` of `[A, B]` or `..` of `[a..b)`");
        };
        self.height = self.height.max(height);
        Ok(kind)
    }

    fn acc(&mut self) -> Result<ExprKind> {
        self.expect(TokenKind::Acc)?;
        self.expect(TokenKind::LParen)?;
        let loc = self.location()?;
        let mut height = self.height;
        let amount = if self.eat(TokenKind::Comma) {
            let amount = self.expr()?;
            height = height.max(self.height);
            Some(amount)
        } else {
            None
        };
        self.expect(TokenKind::RParen)?;
        self.height = height;
        Ok(ExprKind::Acc { loc, amount })
    }

    /// A field access, or a predicate or macro with arguments.
    fn location(&mut self) -> Result<Expr> {
        let token = self.token();
        let loc = self.suffix_expr()?;
        match *loc.kind {
            ExprKind::Field(..) | ExprKind::Call { .. } => Ok(loc),
            _ => self.error(
                self.token_span(token),
                "expected a field access `e.f` or a predicate `P(…)`",
            ),
        }
    }

    /// A field access, predicate or wand.
    fn resource(&mut self) -> Result<Expr> {
        let token = self.token();
        let resource = self.expr()?;
        match *resource.kind {
            ExprKind::Field(..) | ExprKind::Call { .. } | ExprKind::Binary(BinOp::Wand, ..) => {
                Ok(resource)
            }
            _ => self.error(
                self.token_span(token),
                "expected a field access `e.f`, a predicate `P(…)` or a wand `A --* B`",
            ),
        }
    }

    /// `P(…)` or `acc(P(…), p)`
    pub(super) fn predicate_access(&mut self) -> Result<Expr> {
        let start = self.token();
        if start.kind == TokenKind::Acc {
            let kind = self.acc()?;
            return Ok(self.make(kind, start.start));
        }
        let call = if start.kind == TokenKind::Ident {
            self.name_or_call()?
        } else {
            return self.unexpected("a predicate `P(…)` or `acc(P(…), p)`");
        };
        match *call.kind {
            ExprKind::Call { .. } => Ok(call),
            _ => self.missing_arguments(),
        }
    }

    /// Where arguments must follow a name directly, they are missing right behind it.
    fn missing_arguments<T>(&mut self) -> Result<T> {
        let end = self.since(0).end;
        self.error(self.span(end, end), "expected `(` and the arguments of the predicate")
    }

    fn old(&mut self) -> Result<ExprKind> {
        self.bump();
        let label = if self.eat(TokenKind::LBracket) {
            let label = if self.eat(TokenKind::Lhs) {
                OldLabel::Lhs
            } else {
                OldLabel::Label(self.ident()?)
            };
            self.expect(TokenKind::RBracket)?;
            Some(label)
        } else {
            None
        };
        self.expect(TokenKind::LParen)?;
        let inner = self.expr()?;
        self.expect(TokenKind::RParen)?;
        Ok(ExprKind::Old(label, inner))
    }

    fn let_in(&mut self) -> Result<ExprKind> {
        self.bump();
        let var = self.ident()?;
        self.expect(TokenKind::EqEq)?;
        self.expect(TokenKind::LParen)?;
        let value = self.expr()?;
        let height = self.height;
        self.expect(TokenKind::RParen)?;
        let body = self.in_body()?;
        self.height = self.height.max(height);
        Ok(ExprKind::Let { var, value, body })
    }

    fn quantifier(&mut self, quantifier: Quantifier) -> Result<ExprKind> {
        self.bump();
        let vars = self.bindings()?;
        self.expect(TokenKind::ColonColon)?;
        let mut height = 0;
        let mut triggers = Vec::new();
        while self.at(TokenKind::LBrace) {
            let start = self.start();
            let exprs = self.list(TokenKind::LBrace, TokenKind::RBrace, Self::expr)?;
            height = height.max(self.height);
            triggers.push(Trigger { exprs, at: self.since(start).into() });
        }
        let body = self.expr()?;
        self.height = self.height.max(height);
        Ok(ExprKind::Quant { quantifier, vars, triggers, body })
    }

    fn forperm(&mut self) -> Result<ExprKind> {
        self.bump();
        let outer = std::mem::replace(&mut self.resource_follows, true);
        let vars = self.bindings();
        self.resource_follows = outer;
        let vars = vars?;
        self.expect(TokenKind::LBracket)?;
        let resource = self.resource()?;
        let height = self.height;
        self.expect(TokenKind::RBracket)?;
        self.expect(TokenKind::ColonColon)?;
        let body = self.expr()?;
        self.height = self.height.max(height);
        Ok(ExprKind::ForPerm { vars, resource, body })
    }

    /// `Seq(…)`, `Seq[T]()`
    fn collection(&mut self, kind: CollectionKind) -> Result<ExprKind> {
        self.bump();
        let ty = if self.eat(TokenKind::LBracket) {
            let ty = self.ty()?;
            self.expect(TokenKind::RBracket)?;
            Some(Box::new(ty))
        } else {
            None
        };
        let open = self.token();
        let elems = self.parens(Self::expr)?;
        if ty.is_some() && !elems.is_empty() {
            return self.error(
                self.token_span(open),
                "only empty literals have an explicit type; leave it out",
            );
        }
        Ok(ExprKind::Collection { kind, ty, elems })
    }

    /// `Map(k := v, …)`, `Map[K, V]()`
    fn map(&mut self) -> Result<ExprKind> {
        self.bump();
        let ty = if self.eat(TokenKind::LBracket) {
            let key = self.ty()?;
            self.expect(TokenKind::Comma)?;
            let value = self.ty()?;
            self.expect(TokenKind::RBracket)?;
            Some(Box::new((key, value)))
        } else {
            None
        };
        let open = self.token();
        let entries = self.parens(|parser| {
            let key = parser.expr()?;
            let height = parser.height;
            parser.expect(TokenKind::Assign)?;
            let value = parser.expr()?;
            parser.height = parser.height.max(height);
            Ok((key, value))
        })?;
        if ty.is_some() && !entries.is_empty() {
            return self.error(
                self.token_span(open),
                "only empty literals have an explicit type; leave it out",
            );
        }
        Ok(ExprKind::Map { ty, entries })
    }

    fn new_object(&mut self) -> Result<ExprKind> {
        self.bump();
        if self.nth(1).kind == TokenKind::Star {
            self.expect(TokenKind::LParen)?;
            self.bump();
            self.expect(TokenKind::RParen)?;
            return Ok(ExprKind::New(None));
        }
        let fields: Vec<Ident> = self.parens(Self::ident)?;
        Ok(ExprKind::New(Some(fields)))
    }
}
