//! Top-level declarations and recovery between them.

use report::Diagnostic;

use super::{Failed, Parser, Result};
use crate::ast::{
    Adt, Constructor, Define, DefineBody, Derive, Domain, DomainFunction, DomainItem,
    DomainItemKind, DomainParam, Function, Import, Interpretation, Member, MemberKind, Method,
    Predicate, Program, Spec, SpecKind,
};
use crate::lexer::TokenKind;

impl Parser<'_> {
    /// All declarations.
    ///
    /// After an error, parsing goes on where it stopped, and from there at every token until a
    /// declaration can be read; what is skipped on the way is reported once. So the functions of a
    /// broken domain are read as if they stood alone, and what follows them is reported again, as
    /// Viper does.
    pub(super) fn program(&mut self) -> Program {
        let mut members = Vec::new();
        let mut skipping = false;
        while !self.at(TokenKind::Eof) {
            let (start, reported) = (self.pos, self.diagnostics.len());
            match self.member() {
                Ok(member) => {
                    members.push(member);
                    skipping = false;
                }
                Err(Failed) => {
                    self.depth = 0;
                    self.pos = self.failed_token();
                    if self.pos <= start {
                        self.pos = start + 1;
                        if skipping {
                            self.diagnostics.truncate(reported);
                        }
                    }
                    skipping = true;
                }
            }
        }
        Program { members }
    }

    /// The token at which the last error is.
    fn failed_token(&self) -> usize {
        let at = self.diagnostics.last().and_then(|d| d.pos.span()).map_or(0, |s| s.start);
        self.tokens.partition_point(|t| t.start < at)
    }

    fn member(&mut self) -> Result<Member> {
        let start = self.start();
        let annotations = self.annotations()?;
        let kind = match self.peek() {
            TokenKind::Import => self.import()?,
            TokenKind::Define => MemberKind::Define(self.define()?),
            TokenKind::Field => {
                self.bump();
                let fields = self.bindings()?;
                let at = self.since(start).into();
                self.eat(TokenKind::Semi);
                return Ok(Member { annotations, kind: MemberKind::Fields(fields), at });
            }
            TokenKind::Domain => MemberKind::Domain(self.domain()?),
            TokenKind::Adt => MemberKind::Adt(self.adt()?),
            TokenKind::Function => MemberKind::Function(self.function()?),
            TokenKind::Predicate => MemberKind::Predicate(self.predicate()?),
            TokenKind::Method => MemberKind::Method(self.method()?),
            _ => return self.unexpected(super::slips::DECLARATION),
        };
        let at = self.since(start).into();
        // The reference grammar has no `;` here; a stray one would only confuse.
        Ok(Member { annotations, kind, at })
    }

    fn import(&mut self) -> Result<MemberKind> {
        self.bump();
        let start = self.start();
        let (path, standard) = match self.peek() {
            TokenKind::String => (self.string()?, false),
            // A path in angle brackets is not made of tokens: read it from the text.
            TokenKind::Lt => {
                let rest = self.text.get(start as usize + 1..).unwrap_or("");
                let line = rest.lines().next().unwrap_or("");
                let Some(length) = line.find('>') else {
                    return self.error(
                        self.span(start, start + 1),
                        "expected `>` at the end of the path, on the same line",
                    );
                };
                let text = rest.get(..length).unwrap_or("");
                let end = start + 1 + length as u32 + 1;
                // These would have hidden what follows from the lexer.
                if ["//", "/*", "\""].iter().any(|s| text.contains(s)) {
                    return self.error(
                        self.span(start, end),
                        "a path in angle brackets cannot contain `//`, `/*` or quotes",
                    );
                }
                let path = self.name(text.trim());
                while self.start() < end && !self.at(TokenKind::Eof) {
                    self.bump();
                }
                (path, true)
            }
            _ => return self.unexpected("a path: `\"file.vpr\"` or `<standard.vpr>`"),
        };
        if path.trim().is_empty() {
            return self.error(self.since(start), "the path of this import is empty");
        }
        Ok(MemberKind::Import(Import { path, standard, path_at: self.since(start).into() }))
    }

    pub(super) fn define(&mut self) -> Result<Define> {
        let start = self.expect(TokenKind::Define)?.start;
        let name = self.ident()?;
        let params = if self.at_macro_params() { Some(self.parens(Self::ident)?) } else { None };
        let body = if self.at(TokenKind::LBrace) {
            DefineBody::Block(self.macro_block()?)
        } else if self.at_type_only() {
            DefineBody::Type(self.ty()?)
        } else {
            DefineBody::Expr(self.expr()?)
        };
        Ok(Define { name, params, body, at: self.since(start).into() })
    }

    /// Is this a parameter list, and not the parenthesised body of a macro without parameters?
    /// What looks like parameters is parameters.
    fn at_macro_params(&self) -> bool {
        if !self.at(TokenKind::LParen) {
            return false;
        }
        let mut n = 1;
        if self.nth(n).kind != TokenKind::RParen {
            loop {
                if self.nth(n).kind != TokenKind::Ident {
                    return false;
                }
                match self.nth(n + 1).kind {
                    TokenKind::Comma => n += 2,
                    TokenKind::RParen => break,
                    _ => return false,
                }
            }
        }
        true
    }

    /// A type that is not also the start of an expression.
    fn at_type_only(&self) -> bool {
        match self.peek() {
            TokenKind::IntTy
            | TokenKind::Bool
            | TokenKind::PermTy
            | TokenKind::Ref
            | TokenKind::Rational => true,
            TokenKind::Seq | TokenKind::Set | TokenKind::Multiset | TokenKind::Map => {
                // `Seq[Int]()` is an expression, `Seq[Int]` a type.
                let mut n = 1;
                let mut open = 0u32;
                loop {
                    match self.nth(n).kind {
                        TokenKind::LBracket => open += 1,
                        TokenKind::RBracket => {
                            open = open.saturating_sub(1);
                            if open == 0 {
                                return self.nth(n + 1).kind != TokenKind::LParen;
                            }
                        }
                        TokenKind::Eof => return false,
                        _ if open == 0 => return false,
                        _ => {}
                    }
                    n += 1;
                }
            }
            _ => false,
        }
    }

    fn type_params(&mut self) -> Result<Option<Vec<crate::ast::Ident>>> {
        if self.at(TokenKind::LBracket) {
            Ok(Some(self.list(TokenKind::LBracket, TokenKind::RBracket, Self::ident)?))
        } else {
            Ok(None)
        }
    }

    fn domain(&mut self) -> Result<Domain> {
        self.bump();
        let name = self.ident()?;
        let type_params = self.type_params()?;
        let interpretations = if self.eat(TokenKind::Interpretation) {
            Some(self.parens(|p| {
                let backend = p.ident()?;
                p.expect(TokenKind::Colon)?;
                Ok(Interpretation { backend, value: p.string()? })
            })?)
        } else {
            None
        };
        self.expect(TokenKind::LBrace)?;
        let mut items = Vec::new();
        while !self.at(TokenKind::RBrace) {
            items.push(self.domain_item()?);
        }
        self.bump();
        Ok(Domain { name, type_params, interpretations, items })
    }

    fn domain_item(&mut self) -> Result<DomainItem> {
        let start = self.start();
        let annotations = self.annotations()?;
        let kind = match self.peek() {
            TokenKind::Unique | TokenKind::Function => {
                let unique = self.eat(TokenKind::Unique);
                self.expect(TokenKind::Function)?;
                let name = self.ident()?;
                let params = self.parens(Self::domain_param)?;
                self.expect(TokenKind::Colon)?;
                let ty = self.ty()?;
                let interpretation =
                    if self.eat(TokenKind::Interpretation) { Some(self.string()?) } else { None };
                let function = DomainFunction { unique, name, params, ty, interpretation };
                DomainItemKind::Function(function)
            }
            TokenKind::Axiom => {
                self.bump();
                let name = if self.at(TokenKind::Ident) { Some(self.ident()?) } else { None };
                self.expect(TokenKind::LBrace)?;
                let body = self.expr()?;
                self.expect(TokenKind::RBrace)?;
                DomainItemKind::Axiom { name, body }
            }
            _ => return self.unexpected("`function`, `axiom` or `}`"),
        };
        let at = self.since(start).into();
        self.eat(TokenKind::Semi);
        Ok(DomainItem { annotations, kind, at })
    }

    fn domain_param(&mut self) -> Result<DomainParam> {
        let start = self.start();
        let named = self.at(TokenKind::Ident) && self.nth(1).kind == TokenKind::Colon;
        let name = if named {
            let name = self.ident()?;
            self.bump();
            Some(name)
        } else {
            None
        };
        let ty = self.ty()?;
        Ok(DomainParam { name, ty, at: self.since(start).into() })
    }

    fn adt(&mut self) -> Result<Adt> {
        self.bump();
        let name = self.ident()?;
        let type_params = self.type_params()?;
        self.expect(TokenKind::LBrace)?;
        let mut constructors = Vec::new();
        while !self.at(TokenKind::RBrace) {
            let start = self.start();
            // Annotations on constructors carry no meaning, as in the reference grammar.
            self.annotations()?;
            if !self.at(TokenKind::Ident) || self.nth(1).kind != TokenKind::LParen {
                return self.unexpected("a constructor `C(…)` or `}`");
            }
            let name = self.ident()?;
            let params = self.params()?;
            constructors.push(Constructor { name, params, at: self.since(start).into() });
            self.eat(TokenKind::Semi);
        }
        self.bump();
        let derives = if self.eat(TokenKind::Derives) {
            self.expect(TokenKind::LBrace)?;
            let mut derives = Vec::new();
            while !self.at(TokenKind::RBrace) {
                derives.push(self.derive()?);
                self.eat(TokenKind::Semi);
            }
            self.bump();
            Some(derives)
        } else {
            None
        };
        Ok(Adt { name, type_params, constructors, derives })
    }

    fn derive(&mut self) -> Result<Derive> {
        let start = self.start();
        let what = self.ident()?;
        let param = if self.eat(TokenKind::LBracket) {
            let ty = self.ty()?;
            self.expect(TokenKind::RBracket)?;
            Some(ty)
        } else {
            None
        };
        let mut without = Vec::new();
        if self.eat(TokenKind::Without) {
            without.push(self.ident()?);
            while self.eat(TokenKind::Comma) {
                without.push(self.ident()?);
            }
        }
        Ok(Derive { what, param, without, at: self.since(start).into() })
    }

    /// Preconditions, then postconditions; measures may stand anywhere among them.
    fn contract(&mut self) -> Result<Vec<Spec>> {
        let mut specs: Vec<Spec> = Vec::new();
        let mut first_ensures = None;
        loop {
            let start = self.start();
            let kind = match self.peek() {
                TokenKind::Requires => {
                    let keyword = self.bump();
                    let span = self.token_span(keyword);
                    if let Some(ensures) = first_ensures {
                        self.diagnostics.push(
                            Diagnostic::error(
                                "parser.error",
                                span,
                                "preconditions come before postconditions",
                            )
                            .with_label(ensures, "the first postcondition is here"),
                        );
                        return Err(Failed);
                    }
                    SpecKind::Requires(self.expr()?)
                }
                TokenKind::Ensures => {
                    let keyword = self.bump();
                    first_ensures.get_or_insert(self.token_span(keyword));
                    SpecKind::Ensures(self.expr()?)
                }
                TokenKind::Decreases => SpecKind::Decreases(self.decreases()?),
                _ => return Ok(specs),
            };
            specs.push(Spec { kind, at: self.since(start).into() });
            self.eat(TokenKind::Semi);
        }
    }

    fn function(&mut self) -> Result<Function> {
        self.bump();
        let name = self.ident()?;
        let params = self.params()?;
        self.expect(TokenKind::Colon)?;
        let ty = self.ty()?;
        let contract = self.contract()?;
        let body = self.braced_expr()?;
        Ok(Function { name, params, ty, contract, body })
    }

    fn predicate(&mut self) -> Result<Predicate> {
        self.bump();
        let name = self.ident()?;
        let params = self.params()?;
        let body = self.braced_expr()?;
        Ok(Predicate { name, params, body })
    }

    fn braced_expr(&mut self) -> Result<Option<crate::ast::Expr>> {
        if !self.eat(TokenKind::LBrace) {
            return Ok(None);
        }
        let body = self.expr()?;
        self.expect(TokenKind::RBrace)?;
        Ok(Some(body))
    }

    fn method(&mut self) -> Result<Method> {
        self.bump();
        let name = self.ident()?;
        let params = self.params()?;
        let returns = if self.eat(TokenKind::Returns) { self.params()? } else { Vec::new() };
        let contract = self.contract()?;
        let body = if self.at(TokenKind::LBrace) { Some(self.block()?) } else { None };
        Ok(Method { name, params, returns, contract, body })
    }
}
