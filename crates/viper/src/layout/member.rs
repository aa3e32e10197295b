//! Top-level declarations.

use super::doc::Limit;
use super::expr::Place;
use super::stmt::ends_openly;
use super::{Layout, T};
use crate::ast::{
    Adt, Constructor, Define, DefineBody, Derive, Domain, DomainFunction, DomainItem,
    DomainItemKind, DomainParam, Expr, Import, Member, MemberKind, Param, Program, Spec,
};

const PARENS: (T, T) = (T::LParen, T::RParen);

impl<'a> Layout<'a> {
    pub(crate) fn program(&mut self, program: &'a Program) {
        let mut previous: Option<&Member> = None;
        for member in &program.members {
            if let Some(previous) = previous {
                if self.source.is_none() && joins(previous, member) {
                    self.token(T::Semi);
                }
                self.separate(!is_line_like(previous, member));
            }
            self.member(member);
            previous = Some(member);
        }
        if previous.is_some() && self.source.is_some() {
            self.separate(false);
        }
    }

    fn member(&mut self, member: &'a Member) {
        self.annotations(&member.annotations);
        match &member.kind {
            MemberKind::Import(import) => self.import(import),
            MemberKind::Define(define) => self.define(define),
            MemberKind::Fields(fields) => {
                self.keyword(T::Field);
                self.nest(|l| l.fill(fields, Self::param));
                self.optional(T::Semi);
            }
            MemberKind::Domain(domain) => self.domain(domain),
            MemberKind::Adt(adt) => self.adt(adt),
            MemberKind::Function(function) => {
                self.keyword(T::Function);
                self.ident(&function.name);
                self.params(&function.params);
                self.token(T::Colon);
                self.doc.space();
                self.ty(&function.ty);
                self.clauses(&function.contract);
                self.braced_expr(&function.contract, function.body.as_ref());
            }
            MemberKind::Predicate(predicate) => {
                self.keyword(T::Predicate);
                self.ident(&predicate.name);
                self.params(&predicate.params);
                self.braced_expr(&[], predicate.body.as_ref());
            }
            MemberKind::Method(method) => {
                self.keyword(T::Method);
                self.ident(&method.name);
                self.params(&method.params);
                if self.at(T::Returns) || !method.returns.is_empty() {
                    self.doc.space();
                    self.keyword(T::Returns);
                    self.params(&method.returns);
                }
                self.clauses(&method.contract);
                if let Some(body) = &method.body {
                    self.body(!method.contract.is_empty(), |l| l.block(body));
                }
            }
        }
    }

    fn import(&mut self, import: &'a Import) {
        self.keyword(T::Import);
        match &mut self.source {
            Some(source) if import.standard => source.angle_path(&mut self.doc),
            None if import.standard => self.doc.text(format!("<{}>", import.path)),
            _ => self.string(&import.path),
        }
    }

    fn params(&mut self, params: &'a [Param]) {
        self.list(PARENS, Limit::Wide, params, Self::param);
    }

    fn braced_expr(&mut self, contract: &'a [Spec], body: Option<&'a Expr>) {
        if let Some(body) = body {
            self.body(!contract.is_empty(), |l| l.in_braces(body));
        }
    }

    fn in_braces(&mut self, expr: &'a Expr) {
        self.braces([expr], |l, _, expr| l.expr_in(expr, Place::ALONE));
    }

    fn domain(&mut self, domain: &'a Domain) {
        self.keyword(T::Domain);
        self.ident(&domain.name);
        self.type_params(&domain.type_params);
        if let Some(interpretations) = &domain.interpretations {
            self.nest(|l| {
                l.doc.hardline(false);
                l.doc.no_blank();
                l.keyword(T::Interpretation);
                l.list(PARENS, Limit::Usual, interpretations, |l, interpretation| {
                    l.ident(&interpretation.backend);
                    l.token(T::Colon);
                    l.doc.space();
                    l.string(&interpretation.value);
                });
            });
        }
        self.body(domain.interpretations.is_some(), |l| {
            l.braces(&domain.items, |l, index, item| {
                if index > 0 {
                    let function = |item: Option<&DomainItem>| {
                        matches!(item, Some(DomainItem { kind: DomainItemKind::Function(_), .. }))
                    };
                    let previous = index.checked_sub(1).and_then(|i| domain.items.get(i));
                    l.separate(!(function(previous) && function(Some(item))));
                }
                l.domain_item(item);
            });
        });
    }

    fn domain_item(&mut self, item: &'a DomainItem) {
        self.annotations(&item.annotations);
        match &item.kind {
            DomainItemKind::Function(function) => self.domain_function(function),
            DomainItemKind::Axiom { name, body } => {
                self.keyword(T::Axiom);
                if let Some(name) = name {
                    self.ident(name);
                    self.doc.space();
                }
                self.in_braces(body);
            }
        }
        self.optional(T::Semi);
    }

    fn domain_function(&mut self, function: &'a DomainFunction) {
        if function.unique {
            self.keyword(T::Unique);
        }
        self.keyword(T::Function);
        self.ident(&function.name);
        self.list(PARENS, Limit::Wide, &function.params, Self::domain_param);
        self.token(T::Colon);
        self.doc.space();
        self.ty(&function.ty);
        if let Some(interpretation) = &function.interpretation {
            self.doc.space();
            self.keyword(T::Interpretation);
            self.string(interpretation);
        }
    }

    fn domain_param(&mut self, param: &'a DomainParam) {
        if let Some(name) = &param.name {
            self.ident(name);
            self.token(T::Colon);
            self.doc.space();
        }
        self.ty(&param.ty);
    }

    fn adt(&mut self, adt: &'a Adt) {
        self.keyword(T::Adt);
        self.ident(&adt.name);
        self.type_params(&adt.type_params);
        self.doc.space();
        self.braces(&adt.constructors, |l, index, constructor| {
            if index > 0 {
                l.separate(false);
            }
            l.constructor(constructor);
        });
        if let Some(derives) = &adt.derives {
            self.doc.space();
            self.keyword(T::Derives);
            self.braces(derives, |l, index, derive| {
                if index > 0 {
                    l.separate(false);
                }
                l.derive(derive);
            });
        }
    }

    fn constructor(&mut self, constructor: &'a Constructor) {
        // The tree has no annotations of constructors.
        while self.at(T::At) {
            self.source_annotation();
            self.doc.space();
        }
        self.ident(&constructor.name);
        self.params(&constructor.params);
        self.optional(T::Semi);
    }

    fn derive(&mut self, derive: &'a Derive) {
        self.ident(&derive.what);
        if let Some(param) = &derive.param {
            self.token(T::LBracket);
            self.ty(param);
            self.token(T::RBracket);
        }
        if !derive.without.is_empty() {
            self.doc.space();
            self.keyword(T::Without);
            self.nest(|l| l.fill(&derive.without, Self::ident));
        }
        self.optional(T::Semi);
    }
}

/// Would `next` be read as a part of `member`?
fn joins(member: &Member, next: &Member) -> bool {
    let last = match &member.kind {
        MemberKind::Function(function) if function.body.is_none() => function.contract.last(),
        MemberKind::Method(method) if method.body.is_none() => method.contract.last(),
        _ => None,
    };
    // An annotation and `domain` may also start an expression.
    let starts_expr = !next.annotations.is_empty() || matches!(next.kind, MemberKind::Domain(_));
    starts_expr && last.is_some_and(ends_openly)
}

/// Two declarations of a line each that go together.
fn is_line_like(a: &Member, b: &Member) -> bool {
    if !a.annotations.is_empty() || !b.annotations.is_empty() {
        return false;
    }
    let is_short = |define: &Define| !matches!(define.body, DefineBody::Block(_));
    match (&a.kind, &b.kind) {
        (MemberKind::Import(_), MemberKind::Import(_))
        | (MemberKind::Fields(_), MemberKind::Fields(_)) => true,
        (MemberKind::Define(a), MemberKind::Define(b)) => is_short(a) && is_short(b),
        _ => false,
    }
}
