//! Expressions.
//!
//! What nests to the side (operators, conditionals, binders) is walked with a stack of its own:
//! conjunctions of generated programs can be long. What nests in brackets is walked recursively.

use super::doc::Limit;
use super::{Layout, T};
use crate::ast::{BinOp, CollectionKind, Expr, ExprKind, OldLabel, Quantifier, Trigger, UnOp};

/// How tightly an expression binds, on the scale of [`BinOp::precedence`].
const LOOSEST: u8 = 1;
const UNARY: u8 = 11;
const SUFFIX: u8 = 12;

/// Where an expression stands, as far as it matters for its parentheses and its indentation.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// It must bind at least this tightly.
    min: u8,
    /// Nothing follows that it could swallow.
    tail: bool,
    /// It follows a keyword on the keyword's line: its further lines are indented.
    hanging: bool,
    /// It has braces for itself: `in` starts a line.
    alone: bool,
}

impl Place {
    /// Between brackets or the like.
    pub(super) const FULL: Place = Place { min: LOOSEST, tail: true, hanging: false, alone: false };
    /// The body of a function or the like.
    pub(super) const ALONE: Place = Place { alone: true, ..Place::FULL };
    /// After a keyword.
    pub(super) const HANGING: Place = Place { hanging: true, ..Place::FULL };
    /// Where the grammar has a wand or something tighter.
    pub(super) const WAND: Place = Place { min: 4, ..Place::HANGING };
    /// The same before `==>`.
    pub(super) const CONDITION: Place = Place { tail: false, hanging: false, ..Place::WAND };
    const BASE: Place = Place { min: SUFFIX, tail: false, ..Place::FULL };

    fn operand(self, min: u8) -> Place {
        Place { min, hanging: false, alone: false, ..self }
    }

    fn not_last(self) -> Place {
        Place { tail: false, ..self }
    }
}

enum Step<'a> {
    Expr(&'a Expr, Place),
    Token(T),
    Space,
    Line,
    Close,
    Indent,
    Dedent,
    /// That many closing parentheses.
    Parens(usize),
}

fn op_token(op: BinOp) -> T {
    match op {
        BinOp::Mul => T::Star,
        BinOp::Div => T::Slash,
        BinOp::IntDiv => T::Backslash,
        BinOp::Mod => T::Percent,
        BinOp::Add => T::Plus,
        BinOp::Sub => T::Minus,
        BinOp::Append => T::PlusPlus,
        BinOp::Union => T::Union,
        BinOp::Intersection => T::Intersection,
        BinOp::Setminus => T::Setminus,
        BinOp::Subset => T::Subset,
        BinOp::Lt => T::Lt,
        BinOp::Le => T::Le,
        BinOp::Gt => T::Gt,
        BinOp::Ge => T::Ge,
        BinOp::In => T::In,
        BinOp::Eq => T::EqEq,
        BinOp::Ne => T::Ne,
        BinOp::And => T::AndAnd,
        BinOp::Or => T::BarBar,
        BinOp::Wand => T::Wand,
        BinOp::Implies => T::Implies,
        BinOp::Iff => T::Iff,
    }
}

/// Does a line break come after the operator, and not before it?
fn ends_line(op: BinOp) -> bool {
    let level = op.precedence();
    level == BinOp::Eq.precedence()
        || level == BinOp::Lt.precedence()
        || level <= BinOp::Wand.precedence()
}

fn is_negative(expr: &Expr) -> bool {
    match &*expr.kind {
        ExprKind::Unary(UnOp::Neg, _) => true,
        ExprKind::Int(value) => value.sign() == num_bigint::Sign::Minus,
        _ => false,
    }
}

fn is_suffixed(expr: &Expr) -> bool {
    matches!(
        *expr.kind,
        ExprKind::Field(..) | ExprKind::Index(..) | ExprKind::Slice(..) | ExprKind::Update(..)
    )
}

/// Would the expression mean something else here without parentheses?
fn needs_parens(expr: &Expr, place: Place) -> bool {
    match &*expr.kind {
        ExprKind::Cond(..) => place.min > LOOSEST || !place.tail,
        ExprKind::Binary(BinOp::Wand, ..) => place.min > BinOp::Wand.precedence() || !place.tail,
        ExprKind::Binary(op, ..) => place.min > op.precedence(),
        ExprKind::Chain(..) => place.min > BinOp::Lt.precedence(),
        ExprKind::Unary(..) => place.min > UNARY,
        ExprKind::Int(_) => is_negative(expr) && place.min > UNARY,
        ExprKind::Let { .. }
        | ExprKind::Quant { .. }
        | ExprKind::ForPerm { .. }
        | ExprKind::Unfolding(..)
        | ExprKind::Applying(..)
        | ExprKind::Asserting(..) => place.min > UNARY || !place.tail,
        ExprKind::Annotated(..) => place.min > UNARY,
        _ => is_suffixed(expr) && place.min > SUFFIX,
    }
}

/// Does it indent its own further lines?
pub(super) fn hangs_by_itself(expr: &Expr) -> bool {
    matches!(
        &*expr.kind,
        ExprKind::Quant { .. }
            | ExprKind::ForPerm { .. }
            | ExprKind::Call { .. }
            | ExprKind::Acc { .. }
            | ExprKind::Perm(_)
            | ExprKind::Old(..)
            | ExprKind::InhaleExhale(..)
            | ExprKind::Collection { .. }
            | ExprKind::Map { .. }
            | ExprKind::MapDomain(_)
            | ExprKind::MapRange(_)
            | ExprKind::PredicateInstance { .. }
            | ExprKind::New(_)
    )
}

impl<'a> Layout<'a> {
    pub(crate) fn expr(&mut self, expr: &'a Expr) {
        self.expr_in(expr, Place::FULL);
    }

    /// `(e)`, where the grammar asks for the parentheses.
    pub(super) fn parenthesised(&mut self, expr: &'a Expr, place: Place) {
        if self.source.is_some() {
            // They are in the text like any other parentheses.
            self.expr_in(expr, place);
        } else {
            self.in_parens(|l| l.expr_in(expr, place));
        }
    }

    fn in_parens(&mut self, inside: impl FnOnce(&mut Self)) {
        self.open_bracket(T::LParen, Limit::Usual);
        inside(self);
        self.close_bracket(T::RParen);
    }

    pub(super) fn expr_in(&mut self, expr: &'a Expr, place: Place) {
        let mut steps = vec![Step::Expr(expr, place)];
        while let Some(step) = steps.pop() {
            match step {
                Step::Expr(expr, place) => self.start(expr, place, &mut steps),
                Step::Token(kind) => self.token(kind),
                Step::Space => self.doc.space(),
                Step::Line => self.doc.line(),
                Step::Close => self.doc.close(),
                Step::Indent => self.doc.indent(),
                Step::Dedent => self.doc.dedent(),
                Step::Parens(count) => {
                    for _ in 0..count {
                        self.close_bracket(T::RParen);
                    }
                }
            }
        }
    }

    /// Writes the parentheses that open here and says how many they are.
    fn open_parens(&mut self, expr: &Expr, place: Place) -> usize {
        let start = expr.at.0.span().map_or(0, |span| span.start);
        let opens = |l: &Self, count| match &l.source {
            Some(source) => source.peek() == T::LParen && source.start() < start,
            None => count == 0 && needs_parens(expr, place),
        };
        let mut count = 0;
        while opens(self, count) {
            self.open_bracket(T::LParen, Limit::Usual);
            count += 1;
        }
        count
    }

    /// Writes an expression up to its first operand and leaves the rest on the stack.
    fn start(&mut self, expr: &'a Expr, place: Place, steps: &mut Vec<Step<'a>>) {
        let mut place = place;
        let parens = self.open_parens(expr, place);
        if parens > 0 {
            steps.push(Step::Parens(parens));
            place = Place { hanging: place.hanging, ..Place::FULL };
        }
        let splits_hang =
            matches!(&*expr.kind, ExprKind::Binary(op, ..) if ends_line(*op)) && place.hanging;
        if place.hanging && !splits_hang && !hangs_by_itself(expr) {
            self.doc.indent();
            steps.push(Step::Dedent);
        }
        match &*expr.kind {
            ExprKind::Binary(op, left, right) => {
                self.doc.open(Limit::Usual);
                let op = *op;
                let level = op.precedence();
                let (left_min, right_min) = match op {
                    _ if op.is_comparison() => (level + 1, level + 1),
                    BinOp::Wand => (level + 1, LOOSEST),
                    _ if op.is_right_associative() => (level + 1, level),
                    _ => (level, level + 1),
                };
                let left = Step::Expr(left, place.operand(left_min).not_last());
                let right = Step::Expr(right, place.operand(right_min));
                let token = Step::Token(op_token(op));
                steps.push(Step::Close);
                if ends_line(op) {
                    steps.extend([Step::Dedent, right, Step::Line, Step::Indent, token]);
                    steps.push(Step::Space);
                    if splits_hang {
                        self.doc.indent();
                        steps.push(Step::Dedent);
                    }
                } else {
                    steps.extend([right, Step::Space, token, Step::Line]);
                }
                steps.push(left);
            }
            ExprKind::Chain(first, rest) => {
                self.doc.open(Limit::Usual);
                let level = BinOp::Lt.precedence() + 1;
                steps.extend([Step::Close, Step::Dedent]);
                for (index, (op, operand)) in rest.iter().enumerate().rev() {
                    let place = place.operand(level);
                    let place = if index + 1 < rest.len() { place.not_last() } else { place };
                    steps.extend([Step::Expr(operand, place), Step::Line]);
                    steps.extend([Step::Token(op_token(*op)), Step::Space]);
                }
                steps.extend([Step::Indent, Step::Expr(first, place.operand(level).not_last())]);
            }
            ExprKind::Cond(cond, then, otherwise) => {
                self.doc.open(Limit::Usual);
                steps.extend([Step::Close, Step::Close, Step::Dedent]);
                steps.extend([Step::Expr(otherwise, place.operand(LOOSEST)), Step::Line]);
                steps.extend([Step::Token(T::Colon), Step::Space]);
                steps.extend([Step::Expr(then, Place::FULL)]);
                self.cond_head(cond, place);
            }
            ExprKind::Unary(op, operand) => {
                let (negates, token) = match op {
                    UnOp::Neg => (true, T::Minus),
                    UnOp::Not => (false, T::Not),
                };
                self.token(token);
                // `--x` reads badly, and `--*` is another token.
                let min = if negates && is_negative(operand) { SUFFIX } else { UNARY };
                steps.push(Step::Expr(operand, place.operand(min)));
            }
            ExprKind::Let { var, value, body } => {
                self.doc.open(Limit::Usual);
                self.keyword(T::Let);
                self.ident(var);
                self.doc.space();
                self.keyword(T::EqEq);
                self.parenthesised(value, Place::HANGING);
                self.body_after_in(body, place, steps);
            }
            ExprKind::Unfolding(predicate, body) => {
                self.doc.open(Limit::Usual);
                self.keyword(T::Unfolding);
                self.expr_in(predicate, Place::HANGING);
                self.body_after_in(body, place, steps);
            }
            ExprKind::Applying(wand, body) => {
                self.doc.open(Limit::Usual);
                self.keyword(T::Applying);
                self.parenthesised(wand, Place::WAND);
                self.body_after_in(body, place, steps);
            }
            ExprKind::Asserting(assertion, body) => {
                self.doc.open(Limit::Usual);
                self.keyword(T::Asserting);
                self.parenthesised(assertion, Place::HANGING);
                self.body_after_in(body, place, steps);
            }
            ExprKind::Quant { quantifier, vars, triggers, body } => {
                self.doc.open(Limit::Usual);
                self.keyword(match quantifier {
                    Quantifier::Forall => T::Forall,
                    Quantifier::Exists => T::Exists,
                });
                self.doc.indent();
                self.fill(vars, Self::param);
                self.doc.space();
                self.token(T::ColonColon);
                self.doc.line();
                self.triggers(triggers);
                steps.extend([Step::Close, Step::Dedent]);
                steps.push(Step::Expr(body, place.operand(LOOSEST)));
            }
            ExprKind::ForPerm { vars, resource, body } => {
                self.doc.open(Limit::Usual);
                self.keyword(T::Forperm);
                self.doc.indent();
                self.fill(vars, Self::param);
                self.doc.space();
                self.token(T::LBracket);
                self.expr(resource);
                self.token(T::RBracket);
                self.doc.space();
                self.token(T::ColonColon);
                self.doc.line();
                steps.extend([Step::Close, Step::Dedent]);
                steps.push(Step::Expr(body, place.operand(LOOSEST)));
            }
            ExprKind::Annotated(annotation, inner) => {
                self.annotation(annotation);
                self.doc.space();
                let min = if is_suffixed(inner) { SUFFIX + 1 } else { UNARY };
                steps.push(Step::Expr(inner, place.operand(min)));
            }
            _ => self.atom(expr),
        }
    }

    /// `c ?` and what comes before the branches.
    fn cond_head(&mut self, cond: &'a Expr, place: Place) {
        self.expr_in(cond, place.operand(BinOp::Iff.precedence()).not_last());
        self.doc.space();
        self.token(T::Question);
        self.doc.indent();
        self.doc.line();
        self.doc.open(Limit::Usual);
    }

    /// `in e`, the end of a group.
    fn body_after_in(&mut self, body: &'a Expr, place: Place, steps: &mut Vec<Step<'a>>) {
        if place.alone {
            self.doc.hardline(false);
        } else {
            self.doc.line();
        }
        self.keyword(T::In);
        let nests = matches!(
            &*body.kind,
            ExprKind::Let { .. }
                | ExprKind::Unfolding(..)
                | ExprKind::Applying(..)
                | ExprKind::Asserting(..)
        );
        steps.push(Step::Close);
        let place = Place { hanging: !nests, alone: place.alone, ..place.operand(LOOSEST) };
        steps.push(Step::Expr(body, place));
    }

    /// A single trigger shares the line of the start of the body, several have one for themselves.
    fn triggers(&mut self, triggers: &'a [Trigger]) {
        for (index, trigger) in triggers.iter().enumerate() {
            if index > 0 {
                self.group(|l| l.doc.line());
            }
            self.trigger(trigger);
        }
        match triggers {
            [] => {}
            [_] => self.group(|l| l.doc.line()),
            _ => self.doc.line(),
        }
    }

    fn trigger(&mut self, trigger: &'a Trigger) {
        self.doc.open(Limit::Usual);
        self.token(T::LBrace);
        if !trigger.exprs.is_empty() {
            self.nest(|l| {
                l.doc.line();
                l.fill(&trigger.exprs, Self::expr);
                l.comments();
            });
            self.doc.line();
        }
        self.token(T::RBrace);
        self.doc.close();
    }

    pub(super) fn args(&mut self, args: &'a [Expr]) {
        self.list((T::LParen, T::RParen), Limit::Usual, args, Self::expr);
    }

    /// `keyword(e)`
    fn keyword_call(&mut self, keyword: T, arg: &'a Expr) {
        self.token(keyword);
        self.args(std::slice::from_ref(arg));
    }

    /// What needs no parentheses anywhere.
    fn atom(&mut self, expr: &'a Expr) {
        match &*expr.kind {
            ExprKind::Int(value) => self.word(T::Int, value.to_string()),
            ExprKind::Bool(true) => self.token(T::True),
            ExprKind::Bool(false) => self.token(T::False),
            ExprKind::Null => self.token(T::Null),
            ExprKind::Result => self.token(T::Result),
            ExprKind::None => self.token(T::None),
            ExprKind::Write => self.token(T::Write),
            ExprKind::Wildcard => self.token(T::Wildcard),
            ExprKind::Epsilon => self.token(T::Epsilon),
            ExprKind::Name(name) => self.word(T::Ident, name.as_str()),
            ExprKind::Field(base, field) => {
                self.expr_in(base, Place::BASE);
                self.token(T::Dot);
                self.ident(field);
            }
            ExprKind::Call { callee, args, ty } => {
                let call = |l: &mut Self| {
                    l.ident(callee);
                    l.args(args);
                    if let Some(ty) = ty {
                        l.token(T::Colon);
                        l.doc.space();
                        l.ty(ty);
                    }
                };
                // In a text, the parentheses around a typed call are found like all others.
                if ty.is_some() && self.source.is_none() {
                    self.in_parens(call);
                } else {
                    call(self);
                }
            }
            ExprKind::Acc { loc, amount } => {
                self.token(T::Acc);
                let args = std::iter::once(loc).chain(amount);
                self.list((T::LParen, T::RParen), Limit::Usual, args, Self::expr);
            }
            ExprKind::Perm(resource) => self.keyword_call(T::Perm, resource),
            ExprKind::Old(label, inner) => {
                self.token(T::Old);
                if let Some(label) = label {
                    self.token(T::LBracket);
                    match label {
                        OldLabel::Lhs => self.token(T::Lhs),
                        OldLabel::Label(label) => self.ident(label),
                    }
                    self.token(T::RBracket);
                }
                self.args(std::slice::from_ref(inner));
            }
            ExprKind::InhaleExhale(inhaled, exhaled) => {
                let both = [inhaled, exhaled];
                self.list((T::LBracket, T::RBracket), Limit::Usual, both, Self::expr);
            }
            ExprKind::Collection { kind, ty, elems } => {
                self.token(match kind {
                    CollectionKind::Seq => T::Seq,
                    CollectionKind::Set => T::Set,
                    CollectionKind::Multiset => T::Multiset,
                });
                if let Some(ty) = ty {
                    self.token(T::LBracket);
                    self.ty(ty);
                    self.token(T::RBracket);
                }
                self.token(T::LParen);
                self.nest(|l| {
                    l.fill(elems, Self::expr);
                    l.comments();
                });
                self.token(T::RParen);
            }
            ExprKind::Map { ty, entries } => {
                self.token(T::Map);
                if let Some((key, value)) = ty.as_deref() {
                    let both = [key, value];
                    self.list((T::LBracket, T::RBracket), Limit::Wide, both, Self::ty);
                }
                self.list((T::LParen, T::RParen), Limit::Usual, entries, |l, (key, value)| {
                    l.expr(key);
                    l.doc.space();
                    l.keyword(T::Assign);
                    l.expr(value);
                });
            }
            ExprKind::Range(low, high) => {
                self.token(T::LBracket);
                self.expr(low);
                self.token(T::DotDot);
                self.expr(high);
                self.token(T::RParen);
            }
            ExprKind::Index(base, index) => {
                self.expr_in(base, Place::BASE);
                self.token(T::LBracket);
                self.expr(index);
                self.token(T::RBracket);
            }
            ExprKind::Slice(base, low, high) => {
                self.expr_in(base, Place::BASE);
                self.token(T::LBracket);
                if let Some(low) = low {
                    self.expr(low);
                }
                self.token(T::DotDot);
                if let Some(high) = high {
                    self.expr(high);
                }
                self.token(T::RBracket);
            }
            ExprKind::Update(base, index, value) => {
                self.expr_in(base, Place::BASE);
                self.token(T::LBracket);
                self.expr(index);
                self.doc.space();
                self.keyword(T::Assign);
                self.expr(value);
                self.token(T::RBracket);
            }
            ExprKind::Size(inner) => {
                self.token(T::Bar);
                self.expr(inner);
                self.token(T::Bar);
            }
            ExprKind::MapDomain(map) => self.keyword_call(T::Domain, map),
            ExprKind::MapRange(map) => self.keyword_call(T::Range, map),
            ExprKind::PredicateInstance { predicate, args } => {
                self.token(T::Hash);
                self.ident(predicate);
                self.args(args);
            }
            ExprKind::New(Some(fields)) => {
                self.token(T::New);
                self.list((T::LParen, T::RParen), Limit::Usual, fields, Self::ident);
            }
            ExprKind::New(None) => {
                self.token(T::New);
                self.token(T::LParen);
                self.token(T::Star);
                self.token(T::RParen);
            }
            // [`Layout::start`] writes all others.
            _ => {}
        }
    }
}
