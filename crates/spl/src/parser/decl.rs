//! Declarations.

use super::{Parser, Result};
use crate::ast::{Contract, ContractKind, Ctor, Decl, DeclKind, Ghost, ProcKind, Program, Var};
use crate::lexer::TokenKind;

/// Words with which nothing but a declaration starts.
fn starts_declaration(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Procedure
            | TokenKind::Predicate
            | TokenKind::Function
            | TokenKind::Lemma
            | TokenKind::Struct
            | TokenKind::Include
            | TokenKind::Options
            | TokenKind::Axiom
            | TokenKind::Define
            | TokenKind::Datatype
            | TokenKind::Const
            | TokenKind::Type
    )
}

impl Parser<'_> {
    pub(super) fn program(&mut self) -> Program {
        let mut program = Program::default();
        while !self.at(TokenKind::Eof) {
            let before = self.pos;
            match self.decl() {
                Ok(decl) => program.decls.push(decl),
                Err(_) => {
                    if self.pos == before {
                        self.bump();
                    }
                    while !self.at(TokenKind::Eof) && !starts_declaration(self.peek()) {
                        self.bump();
                    }
                }
            }
            self.depth = 0;
        }
        program
    }

    fn decl(&mut self) -> Result<Decl> {
        let start = self.start();
        let kind = match self.peek() {
            TokenKind::Include => {
                self.bump();
                DeclKind::Include(self.string()?)
            }
            TokenKind::Options => {
                self.bump();
                DeclKind::Options(self.string()?)
            }
            TokenKind::Axiom => {
                self.bump();
                DeclKind::Axiom(self.expr()?)
            }
            TokenKind::Type => {
                self.bump();
                let name = self.ident()?;
                let alias = if self.eat(TokenKind::Eq) { Some(self.ty()?) } else { None };
                DeclKind::Type { name, alias }
            }
            TokenKind::Datatype => self.datatype()?,
            TokenKind::Struct => self.structure()?,
            TokenKind::Ghost | TokenKind::Var => {
                let ghost = if self.eat(TokenKind::Ghost) { Ghost::Ghost } else { Ghost::No };
                self.expect(TokenKind::Var)?;
                DeclKind::Var(self.var(ghost)?)
            }
            TokenKind::Const => {
                self.bump();
                let name = self.ident()?;
                self.expect(TokenKind::Colon)?;
                DeclKind::Const { name, ty: self.ty()? }
            }
            TokenKind::Define => {
                self.bump();
                let name = self.ident()?;
                self.expect(TokenKind::LParen)?;
                let params = self.list(TokenKind::RParen, Self::ident)?;
                self.expect(TokenKind::LBrace)?;
                let body = self.expr()?;
                self.expect(TokenKind::RBrace)?;
                DeclKind::Define { name, params, body }
            }
            TokenKind::Pure => {
                self.bump();
                match self.peek() {
                    TokenKind::Predicate => self.predicate(true)?,
                    TokenKind::Function => self.function(true)?,
                    _ => return self.unexpected("`predicate` or `function`"),
                }
            }
            TokenKind::Predicate => self.predicate(false)?,
            TokenKind::Function => self.function(false)?,
            TokenKind::Procedure => {
                self.bump();
                self.procedure(ProcKind::Procedure)?
            }
            TokenKind::Lemma => {
                self.bump();
                self.procedure(ProcKind::Lemma)?
            }
            TokenKind::Auto => {
                self.bump();
                self.expect(TokenKind::Lemma)?;
                self.procedure(ProcKind::AutoLemma)?
            }
            _ => return self.unexpected("a declaration"),
        };
        let at = self.since(start).into();
        let ends_in_semicolon = !matches!(
            kind,
            DeclKind::Struct { .. }
                | DeclKind::Define { .. }
                | DeclKind::Predicate { .. }
                | DeclKind::Function { .. }
                | DeclKind::Procedure { .. }
        );
        if ends_in_semicolon {
            self.eat(TokenKind::Semi);
        }
        Ok(Decl { kind, at })
    }

    fn datatype(&mut self) -> Result<DeclKind> {
        self.bump();
        let datatype = self.ident()?;
        self.expect(TokenKind::Eq)?;
        let mut ctors = Vec::new();
        loop {
            let name = self.ident()?;
            let args = if self.eat(TokenKind::LParen) {
                self.list(TokenKind::RParen, |parser| parser.var(Ghost::No))?
            } else {
                Vec::new()
            };
            ctors.push(Ctor { name, args });
            if !self.eat(TokenKind::Bar) {
                return Ok(DeclKind::Datatype { name: datatype, ctors });
            }
        }
    }

    fn structure(&mut self) -> Result<DeclKind> {
        self.bump();
        let name = self.ident()?;
        self.expect(TokenKind::LBrace)?;
        let mut fields = Vec::new();
        while !self.eat(TokenKind::RBrace) {
            let ghost = if self.eat(TokenKind::Ghost) { Ghost::Ghost } else { Ghost::No };
            if !self.eat(TokenKind::Var) {
                return self.unexpected("`var` or `}`");
            }
            fields.push(self.var(ghost)?);
            self.eat(TokenKind::Semi);
        }
        Ok(DeclKind::Struct { name, fields })
    }

    fn predicate(&mut self, pure: bool) -> Result<DeclKind> {
        self.bump();
        let name = self.ident()?;
        let params = self.params()?;
        self.no_second_group()?;
        let contracts = self.contracts()?;
        let body = self.expr_body()?;
        Ok(DeclKind::Predicate { pure, name, params, contracts, body })
    }

    fn function(&mut self, pure: bool) -> Result<DeclKind> {
        self.bump();
        let name = self.ident()?;
        let params = self.params()?;
        self.no_second_group()?;
        self.expect(TokenKind::Returns)?;
        let returns = self.params()?;
        let contracts = self.contracts()?;
        let body = self.expr_body()?;
        Ok(DeclKind::Function { pure, name, params, returns, contracts, body })
    }

    /// `predicate p(x: T)(F: Set<S>)` was the language once.
    fn no_second_group(&mut self) -> Result<()> {
        if !self.at(TokenKind::LParen) {
            return Ok(());
        }
        let span = self.token_span(self.token());
        let help = "name the footprint in the body: `exists F: Set<S> :: acc(F) &*& …`";
        self.error(span, "a second group of parameters is no longer part of the language", help)
    }

    fn expr_body(&mut self) -> Result<Option<crate::ast::Expr>> {
        if !self.eat(TokenKind::LBrace) {
            return Ok(None);
        }
        let body = self.expr()?;
        self.expect(TokenKind::RBrace)?;
        Ok(Some(body))
    }

    fn procedure(&mut self, kind: ProcKind) -> Result<DeclKind> {
        let name = self.ident()?;
        let params = self.params()?;
        let returns = if self.eat(TokenKind::Returns) { self.params()? } else { Vec::<Var>::new() };
        let contracts = self.contracts()?;
        let body = if self.at(TokenKind::LBrace) { Some(self.stmt()?) } else { None };
        Ok(DeclKind::Procedure { kind, name, params, returns, contracts, body })
    }

    fn contracts(&mut self) -> Result<Vec<Contract>> {
        let mut contracts = Vec::new();
        loop {
            let start = self.start();
            // `pure` may also start the next declaration.
            let mut ahead = 0;
            while matches!(self.nth(ahead).kind, TokenKind::Pure | TokenKind::Free) {
                ahead += 1;
            }
            let kind = match self.nth(ahead).kind {
                TokenKind::Requires => ContractKind::Requires,
                TokenKind::Ensures => ContractKind::Ensures,
                _ => return Ok(contracts),
            };
            let mods = self.mods();
            self.bump();
            let expr = self.expr()?;
            let at = self.since(start).into();
            self.eat(TokenKind::Semi);
            contracts.push(Contract { kind, mods, expr, at });
        }
    }
}
