//! From tokens to the surface syntax tree.
//!
//! A hand-written recursive-descent parser with precedence climbing for operators. An error skips
//! to the next thing that can be read as a declaration, so a file gets about one message for each
//! broken declaration. Nesting is bounded by [`MAX_HEIGHT`], which
//! is what lets every later pass recurse without looking at the stack.

mod decl;
mod expr;
mod slips;
mod stmt;

pub(crate) use slips::statement as statement_elsewhere;

use std::collections::HashMap;

use report::{Diagnostic, FileId, Span};

use crate::ast::{Annotation, At, Ident, Name, Param, Program, Type, TypeKind};
use crate::lexer::{Token, TokenKind, tokenize};

/// The height that the tree of an expression or statement may have.
///
/// Recursive passes over a tree of this height need a few megabytes of stack; see
/// [`crate::with_deep_stack`].
pub const MAX_HEIGHT: u32 = 3000;

/// A parsed file. With errors, the program is what could be understood.
#[derive(Clone, Debug, Default)]
pub struct Parsed {
    /// Imports are not followed, macros not expanded.
    pub program: Program,
    /// `parser.error` and `parser.warning`.
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses one file.
#[must_use]
pub fn parse(file: FileId, text: &str) -> Parsed {
    let tokens = tokenize(text).into_iter().filter(|t| !t.kind.is_comment()).collect();
    let mut parser = Parser {
        text,
        file,
        tokens,
        pos: 0,
        height: 0,
        depth: 0,
        resource_follows: false,
        names: HashMap::new(),
        diagnostics: Vec::new(),
    };
    let program = parser.program();
    Parsed { program, diagnostics: parser.diagnostics }
}

/// The failure of a rule. Its diagnostic is already recorded.
#[derive(Debug)]
struct Failed;

type Result<T> = std::result::Result<T, Failed>;

struct Parser<'t> {
    text: &'t str,
    file: FileId,
    /// Without comments; the last one is `Eof`.
    tokens: Vec<Token>,
    pos: usize,
    /// Height of the tree that the last rule returned.
    height: u32,
    /// Rules under way.
    depth: u32,
    /// The types are those of a `forperm`, which are followed by a resource in brackets.
    resource_follows: bool,
    names: HashMap<&'t str, Name>,
    diagnostics: Vec<Diagnostic>,
}

impl<'t> Parser<'t> {
    // --- Tokens

    fn token(&self) -> Token {
        self.nth(0)
    }

    fn nth(&self, n: usize) -> Token {
        let end = self.text.len() as u32;
        let eof = Token { kind: TokenKind::Eof, start: end, end };
        self.tokens.get(self.pos + n).copied().unwrap_or(eof)
    }

    fn peek(&self) -> TokenKind {
        self.token().kind
    }

    fn at(&self, kind: TokenKind) -> bool {
        self.peek() == kind
    }

    fn bump(&mut self) -> Token {
        let token = self.token();
        if self.pos < self.tokens.len() {
            self.pos += 1;
        }
        token
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.at(kind);
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, kind: TokenKind) -> Result<Token> {
        if self.at(kind) { Ok(self.bump()) } else { self.unexpected(kind.describe()) }
    }

    fn slice(&self, token: Token) -> &'t str {
        self.text.get(token.start as usize..token.end as usize).unwrap_or("")
    }

    // --- Positions

    fn start(&self) -> u32 {
        self.token().start
    }

    fn span(&self, start: u32, end: u32) -> Span {
        Span { file: self.file, start, end }
    }

    fn token_span(&self, token: Token) -> Span {
        self.span(token.start, token.end)
    }

    /// From `start` to the end of the last token.
    fn since(&self, start: u32) -> Span {
        let end = self.pos.checked_sub(1).and_then(|i| self.tokens.get(i)).map_or(start, |t| t.end);
        self.span(start, end.max(start))
    }

    // --- Errors

    fn error<T>(&mut self, span: Span, message: impl Into<String>) -> Result<T> {
        let span = self.on_a_line(span);
        self.diagnostics.push(Diagnostic::error("parser.error", span, message));
        Err(Failed)
    }

    /// The end of the file is, as in Viper, the end of its last line: before the line break.
    fn on_a_line(&self, span: Span) -> Span {
        if (span.start as usize) < self.text.len() {
            return span;
        }
        let line_break = match self.text.strip_suffix('\n') {
            Some(line) if line.ends_with('\r') => 2,
            Some(_) => 1,
            None => 0,
        };
        let start = span.start - line_break;
        Span { start, end: start, ..span }
    }

    fn warn(&mut self, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::warning("parser.warning", span, message));
    }

    /// Says that the next token is not one of those that may stand here.
    fn unexpected<T>(&mut self, expected: &str) -> Result<T> {
        let mut token = self.token();
        if token.kind == TokenKind::Eof && self.text.ends_with('\n') {
            // The last line that has text, not the empty one after it.
            token.start = token.start.saturating_sub(1);
        }
        let found = match token.kind {
            TokenKind::Ident | TokenKind::Int | TokenKind::Error => {
                let text: String = self.slice(token).chars().take(40).collect();
                format!("`{text}`")
            }
            kind => kind.describe().to_string(),
        };
        let mut diagnostic = Diagnostic::error(
            "parser.error",
            self.on_a_line(self.token_span(token)),
            format!("expected {expected}, found {found}"),
        );
        match token.kind {
            TokenKind::UnterminatedComment => {
                diagnostic.message = "this comment never ends".to_string();
                diagnostic.help = Some("close it with `*/`".to_string());
            }
            TokenKind::UnterminatedString => {
                diagnostic.message = "this string never ends".to_string();
            }
            kind if kind.is_keyword() && expected == TokenKind::Ident.describe() => {
                diagnostic.help = Some(format!("{} is a reserved word", kind.describe()));
            }
            _ => diagnostic.help = self.slip(token, expected),
        }
        self.diagnostics.push(diagnostic);
        Err(Failed)
    }

    // --- Nesting

    /// Runs a rule one level deeper.
    fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= MAX_HEIGHT {
            return self.too_deep();
        }
        self.depth += 1;
        let result = rule(self);
        self.depth -= 1;
        result
    }

    /// Sets the height of a node whose highest child has the height `children`.
    fn set_height(&mut self, children: u32) -> Result<()> {
        self.height = children + 1;
        if self.height > MAX_HEIGHT { self.too_deep() } else { Ok(()) }
    }

    fn too_deep<T>(&mut self) -> Result<T> {
        let span = self.token_span(self.token());
        let message = format!("nested too deeply: the limit is {MAX_HEIGHT} levels");
        self.diagnostics.push(
            Diagnostic::error("parser.error", span, message)
                .with_help("split the expression, for instance with functions or predicates"),
        );
        Err(Failed)
    }

    // --- Small rules

    fn name(&mut self, text: &'t str) -> Name {
        self.names.entry(text).or_insert_with(|| Name::from(text)).clone()
    }

    fn ident(&mut self) -> Result<Ident> {
        // `perm` is the one keyword that is not reserved: a method or a field can be named so.
        let token =
            if self.at(TokenKind::Perm) { self.bump() } else { self.expect(TokenKind::Ident)? };
        let name = self.name(self.slice(token));
        Ok(Ident { name, at: self.token_span(token).into() })
    }

    /// The text between the quotes.
    fn string(&mut self) -> Result<Name> {
        let token = self.expect(TokenKind::String)?;
        let text = self.slice(token);
        let inner = text.get(1..text.len().saturating_sub(1)).unwrap_or("");
        Ok(self.name(inner))
    }

    /// Says, at the name itself, that the next binding has no type. After `:=` and `::` it is too
    /// late to say so: they start like the `:` before a type.
    fn first_binding(&mut self) -> Result<()> {
        let untyped = self.at(TokenKind::Ident)
            && !matches!(
                self.nth(1).kind,
                TokenKind::Colon | TokenKind::Assign | TokenKind::ColonColon
            );
        if untyped { self.unexpected("`x: T`") } else { Ok(()) }
    }

    /// `(x: T, …)`
    fn params(&mut self) -> Result<Vec<Param>> {
        let mut first = true;
        self.parens(|parser| {
            if std::mem::take(&mut first) {
                parser.first_binding()?;
            }
            parser.param()
        })
    }

    /// `open item, … close`; a comma must be followed by an item.
    fn list<T>(
        &mut self,
        open: TokenKind,
        close: TokenKind,
        mut item: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        self.expect(open)?;
        let mut items = Vec::new();
        let mut height = 0;
        if !self.at(close) {
            loop {
                self.height = 0;
                items.push(item(self)?);
                height = height.max(self.height);
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
        }
        if !self.at(close) {
            let expected = format!("`,` or {}", close.describe());
            return self.unexpected(&expected);
        }
        self.bump();
        self.height = height;
        Ok(items)
    }

    fn parens<T>(&mut self, item: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        self.list(TokenKind::LParen, TokenKind::RParen, item)
    }

    fn param(&mut self) -> Result<Param> {
        let name = self.ident()?;
        self.expect(TokenKind::Colon)?;
        let ty = self.ty()?;
        let at = At(name.at.0.to(ty.at.0));
        Ok(Param { name, ty, at })
    }

    /// At least one `x: T`.
    fn bindings(&mut self) -> Result<Vec<Param>> {
        self.first_binding()?;
        let mut params = vec![self.param()?];
        while self.eat(TokenKind::Comma) {
            params.push(self.param()?);
        }
        Ok(params)
    }

    fn annotations(&mut self) -> Result<Vec<Annotation>> {
        let mut annotations = Vec::new();
        while self.at(TokenKind::At) {
            annotations.push(self.annotation()?);
        }
        Ok(annotations)
    }

    /// `@key("…", …)`; the key may contain dots and must follow the `@` directly.
    fn annotation(&mut self) -> Result<Annotation> {
        let start = self.expect(TokenKind::At)?.start;
        let key_start = self.start();
        let glued = |parser: &Self| {
            let token = parser.token();
            (token.kind == TokenKind::Ident
                || token.kind.is_keyword()
                || token.kind == TokenKind::Int)
                && token.start == parser.since(start).end
        };
        if !glued(self) {
            return self.unexpected("the name of an annotation right after `@`");
        }
        self.bump();
        while self.at(TokenKind::Dot) && self.start() == self.since(start).end {
            self.bump();
            if !glued(self) {
                return self.unexpected("the rest of the name of the annotation");
            }
            self.bump();
        }
        let key_span = self.since(key_start);
        let key = self.text.get(key_span.start as usize..key_span.end as usize).unwrap_or_default();
        let key = self.name(key);
        let values = self.parens(Self::string)?;
        Ok(Annotation { key, values, at: self.since(start).into() })
    }

    // --- Types

    fn ty(&mut self) -> Result<Type> {
        self.nested(Self::ty_rule)
    }

    fn ty_rule(&mut self) -> Result<Type> {
        let start = self.start();
        let kind = match self.peek() {
            TokenKind::IntTy => self.keyword_type(TypeKind::Int),
            TokenKind::Bool => self.keyword_type(TypeKind::Bool),
            TokenKind::PermTy => self.keyword_type(TypeKind::Perm),
            TokenKind::Ref => self.keyword_type(TypeKind::Ref),
            TokenKind::Rational => {
                let span = self.token_span(self.token());
                self.warn(span, "`Rational` is deprecated, use `Perm` instead");
                self.keyword_type(TypeKind::Perm)
            }
            TokenKind::Seq => TypeKind::Seq(Box::new(self.element_type()?)),
            TokenKind::Set => TypeKind::Set(Box::new(self.element_type()?)),
            TokenKind::Multiset => TypeKind::Multiset(Box::new(self.element_type()?)),
            TokenKind::Map => {
                self.bump();
                self.expect(TokenKind::LBracket)?;
                let key = self.ty()?;
                self.expect(TokenKind::Comma)?;
                let value = self.ty()?;
                self.expect(TokenKind::RBracket)?;
                TypeKind::Map(Box::new(key), Box::new(value))
            }
            TokenKind::Ident => {
                let name = self.ident()?;
                if self.at(TokenKind::LBracket) && !self.at_resource() {
                    let args = self.list(TokenKind::LBracket, TokenKind::RBracket, Self::ty)?;
                    TypeKind::Named { name, args: Some(args) }
                } else if self.at(TokenKind::LParen) && self.start() == self.since(start).end {
                    let args = self.parens(Self::expr)?;
                    TypeKind::Macro { name, args }
                } else {
                    TypeKind::Named { name, args: None }
                }
            }
            _ => return self.unexpected("a type"),
        };
        Ok(Type { kind, at: self.since(start).into() })
    }

    /// In `forperm x: D [P(x)] :: …`, are the next brackets those of the resource? They are the last
    /// ones before the `::`.
    fn at_resource(&self) -> bool {
        if !self.resource_follows {
            return false;
        }
        // Brackets and parentheses that are open; a range `[a..b)` closes one with the other.
        let mut open = 0u32;
        for n in 0.. {
            match self.nth(n).kind {
                TokenKind::LBracket | TokenKind::LParen => open += 1,
                TokenKind::RBracket | TokenKind::RParen => {
                    open = open.saturating_sub(1);
                    if open == 0 {
                        return self.nth(n + 1).kind == TokenKind::ColonColon;
                    }
                }
                TokenKind::Eof => break,
                _ => {}
            }
        }
        false
    }

    fn keyword_type(&mut self, kind: TypeKind) -> TypeKind {
        self.bump();
        kind
    }

    fn element_type(&mut self) -> Result<Type> {
        self.bump();
        self.expect(TokenKind::LBracket)?;
        let ty = self.ty()?;
        self.expect(TokenKind::RBracket)?;
        Ok(ty)
    }
}
