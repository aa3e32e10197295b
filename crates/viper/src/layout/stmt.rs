//! Statements and the clauses of loops and contracts.

use super::expr::{Place, hangs_by_itself};
use super::{Layout, T};
use crate::ast::{
    Block, Decreases, Define, DefineBody, Else, Expr, ExprKind, If, Measure, Param, Spec, SpecKind,
    Stmt, StmtKind,
};

impl<'a> Layout<'a> {
    pub(super) fn block(&mut self, block: &'a Block) {
        self.braces(&block.stmts, |l, index, stmt| {
            if index > 0 {
                l.separate(false);
            }
            l.stmt(stmt);
            if l.source.is_some() {
                l.optional(T::Semi);
            } else if let Some(next) = block.stmts.get(index + 1)
                && (l.one_line || joins(stmt, next))
            {
                l.token(T::Semi);
            }
        });
    }

    pub(crate) fn stmt(&mut self, stmt: &'a Stmt) {
        match &stmt.kind {
            StmtKind::Assign { targets, value } => self.group(|l| {
                l.fill(targets, Self::expr);
                l.doc.space();
                l.value(value);
            }),
            StmtKind::Call(call) => self.expr_in(call, Place::HANGING),
            StmtKind::Var { vars, init } => self.group(|l| {
                l.keyword(T::Var);
                l.nest(|l| l.fill(vars, Self::param));
                if let Some(init) = init {
                    l.doc.space();
                    l.value(init);
                }
            }),
            StmtKind::Inhale(assertion) => self.simple(T::Inhale, assertion, Place::HANGING),
            StmtKind::Exhale(assertion) => self.simple(T::Exhale, assertion, Place::HANGING),
            StmtKind::Assert(assertion) => self.simple(T::Assert, assertion, Place::HANGING),
            StmtKind::Assume(assertion) => self.simple(T::Assume, assertion, Place::HANGING),
            StmtKind::Refute(assertion) => self.simple(T::Refute, assertion, Place::HANGING),
            StmtKind::Fold(predicate) => self.simple(T::Fold, predicate, Place::HANGING),
            StmtKind::Unfold(predicate) => self.simple(T::Unfold, predicate, Place::HANGING),
            StmtKind::Package { wand, script } => {
                self.header(script.is_some(), |l| l.simple(T::Package, wand, Place::WAND));
                if let Some(script) = script {
                    self.block(script);
                }
            }
            StmtKind::Apply(wand) => self.simple(T::Apply, wand, Place::WAND),
            StmtKind::If(branches) => self.branches(branches),
            StmtKind::While { cond, specs, body } => {
                self.header(specs.is_empty(), |l| {
                    l.keyword(T::While);
                    l.parenthesised(cond, Place::HANGING);
                });
                self.clauses(specs);
                if !specs.is_empty() {
                    self.end_clauses();
                }
                self.block(body);
            }
            StmtKind::Goto(label) => {
                self.keyword(T::Goto);
                self.ident(label);
            }
            StmtKind::Label { name, invariants } => {
                self.keyword(T::Label);
                self.ident(name);
                self.clauses(invariants);
            }
            StmtKind::Quasihavoc { cond, resource } => self.group(|l| {
                l.keyword(T::Quasihavoc);
                l.conditional_resource(cond.as_ref(), resource);
            }),
            StmtKind::QuasihavocAll { vars, cond, resource } => self.group(|l| {
                l.keyword(T::Quasihavocall);
                l.bound(vars);
                l.conditional_resource(cond.as_ref(), resource);
            }),
            StmtKind::Block(block) => self.block(block),
            StmtKind::Define(define) => self.define(define),
            StmtKind::Annotated(annotation, stmt) => {
                self.annotation(annotation);
                self.doc.hardline(false);
                self.stmt(stmt);
            }
        }
    }

    /// `keyword e`
    fn simple(&mut self, keyword: T, operand: &'a Expr, place: Place) {
        self.keyword(keyword);
        self.expr_in(operand, place);
    }

    /// `:= e`
    fn value(&mut self, value: &'a Expr) {
        self.token(T::Assign);
        if hangs_by_itself(value) {
            self.doc.indent_if_broken();
            self.doc.line();
            self.expr(value);
            self.doc.dedent_if_broken();
        } else {
            self.nest(|l| {
                l.doc.line();
                l.expr(value);
            });
        }
    }

    /// `x: T, … ::`
    fn bound(&mut self, vars: &'a [Param]) {
        self.nest(|l| l.fill(vars, Self::param));
        self.doc.space();
        self.keyword(T::ColonColon);
    }

    /// `c ==> r`
    fn conditional_resource(&mut self, cond: Option<&'a Expr>, resource: &'a Expr) {
        let Some(cond) = cond else { return self.expr_in(resource, Place::WAND) };
        self.nest(|l| {
            l.expr_in(cond, Place::CONDITION);
            l.doc.space();
            l.token(T::Implies);
            l.doc.line();
            l.expr(resource);
        });
    }

    /// What stands before a block, which starts a line of its own if this needs several.
    fn header(&mut self, has_block: bool, inside: impl FnOnce(&mut Self)) {
        self.group(|l| {
            inside(l);
            if has_block {
                l.doc.line();
            }
        });
    }

    fn branches(&mut self, first: &'a If) {
        let mut keyword = T::If;
        let mut branch = first;
        loop {
            self.header(true, |l| {
                l.keyword(keyword);
                l.parenthesised(&branch.cond, Place::HANGING);
            });
            self.block(&branch.then);
            match &branch.otherwise {
                None => return,
                Some(Else::Block(block)) => {
                    self.doc.space();
                    self.keyword(T::Else);
                    return self.block(block);
                }
                Some(Else::If(next, _)) => {
                    self.doc.space();
                    keyword = T::Elseif;
                    branch = next;
                }
            }
        }
    }

    /// The clauses of a contract or a loop, each on its own line.
    pub(super) fn clauses(&mut self, specs: &'a [Spec]) {
        self.doc.indent();
        for (index, spec) in specs.iter().enumerate() {
            if index == 0 {
                self.doc.hardline(false);
                self.doc.no_blank();
            } else {
                self.separate(false);
            }
            self.clause(spec);
            self.optional(T::Semi);
        }
        self.doc.dedent();
    }

    fn clause(&mut self, spec: &'a Spec) {
        match &spec.kind {
            SpecKind::Requires(assertion) => self.simple(T::Requires, assertion, Place::HANGING),
            SpecKind::Ensures(assertion) => self.simple(T::Ensures, assertion, Place::HANGING),
            SpecKind::Invariant(assertion) => self.simple(T::Invariant, assertion, Place::HANGING),
            SpecKind::Decreases(decreases) => self.decreases(decreases),
        }
    }

    fn decreases(&mut self, decreases: &'a Decreases) {
        self.token(T::Decreases);
        match &decreases.measure {
            Measure::Tuple(exprs) => {
                if !exprs.is_empty() {
                    self.doc.space();
                    self.nest(|l| l.fill(exprs, Self::expr));
                }
            }
            Measure::Wildcard => {
                self.doc.space();
                self.word(T::Ident, "_");
            }
            Measure::Star => {
                self.doc.space();
                self.token(T::Star);
            }
        }
        if let Some(condition) = &decreases.condition {
            self.doc.space();
            self.keyword(T::If);
            self.expr_in(condition, Place::HANGING);
        }
    }

    /// What stands in braces after a header: on a line of its own if the header has clauses.
    pub(super) fn body(&mut self, after_clauses: bool, body: impl FnOnce(&mut Self)) {
        if after_clauses {
            self.end_clauses();
        } else {
            self.doc.space();
        }
        body(self);
    }

    /// The end of the line before a body. Comments after the last clause belong to the clauses.
    fn end_clauses(&mut self) {
        self.nest(Self::comments);
        self.doc.hardline(false);
        self.doc.no_blank();
    }

    pub(super) fn define(&mut self, define: &'a Define) {
        self.keyword(T::Define);
        self.ident(&define.name);
        if let Some(params) = &define.params {
            let parens = (T::LParen, T::RParen);
            self.list(parens, super::Limit::Wide, params, Self::ident);
        }
        self.doc.space();
        match &define.body {
            DefineBody::Expr(body) => self.expr_in(body, Place::HANGING),
            DefineBody::Type(ty) => self.ty(ty),
            DefineBody::Block(block) => self.block(block),
        }
    }
}

/// Would `next` be read as a part of `stmt` if nothing but a line break stood between them?
fn joins(stmt: &Stmt, next: &Stmt) -> bool {
    let is_open = match &stmt.kind {
        StmtKind::Annotated(_, stmt) => return joins(stmt, next),
        // A block would become the proof script.
        StmtKind::Package { script: None, .. } => matches!(next.kind, StmtKind::Block(_)),
        // `if` would become a condition, an expression a part of the measure.
        StmtKind::Label { invariants, .. } => invariants.last().is_some_and(ends_openly),
        _ => false,
    };
    let starts_like_index = match &next.kind {
        StmtKind::Assign { targets, .. } => targets.first().is_some_and(starts_with_bracket),
        _ => false,
    };
    is_open || starts_like_index
}

/// Is it a measure that could go on?
pub(super) fn ends_openly(spec: &Spec) -> bool {
    match &spec.kind {
        SpecKind::Decreases(Decreases { measure, condition: None, .. }) => {
            !matches!(measure, Measure::Star)
        }
        _ => false,
    }
}

/// `[a..b)`, which would be read as an index of what comes before.
fn starts_with_bracket(expr: &Expr) -> bool {
    let mut expr = expr;
    loop {
        match &*expr.kind {
            ExprKind::Field(base, _)
            | ExprKind::Index(base, _)
            | ExprKind::Slice(base, _, _)
            | ExprKind::Update(base, _, _) => expr = base,
            ExprKind::Range(..) | ExprKind::InhaleExhale(..) => return true,
            _ => return false,
        }
    }
}
