//! From tokens to the surface syntax tree.
//!
//! A hand-written recursive-descent parser with precedence climbing for operators. An error skips
//! to the next declaration, so a file gets about one message for each broken declaration. Nesting is
//! bounded by [`MAX_HEIGHT`], which is what lets every later pass recurse without looking at the stack.

mod decl;
mod expr;
mod stmt;

use std::collections::HashMap;

use report::{Diagnostic, FileId, Span};

use crate::ast::{Ghost, Ident, Mods, Name, Program, Type, TypeKind, Var};
use crate::lexer::{Token, TokenKind, is_closed, tokenize};

/// The height that the tree of an expression or statement may have.
pub const MAX_HEIGHT: u32 = 3000;

/// A parsed file. With errors, the program is what could be understood.
#[derive(Clone, Debug, Default)]
pub struct Parsed {
    /// Includes are not followed, macros not expanded.
    pub program: Program,
    /// `parser.error` and `parser.warning`.
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses one file.
#[must_use]
pub fn parse(file: FileId, text: &str) -> Parsed {
    let all = tokenize(text);
    let mut diagnostics = Vec::new();
    for token in all.iter().filter(|t| t.kind == TokenKind::BlockComment) {
        if !is_closed(text.get(token.start as usize..token.end as usize).unwrap_or("")) {
            let span = Span { file, start: token.start, end: token.start + 2 };
            let message = "this comment never ends: the rest of the file is part of it";
            diagnostics.push(
                Diagnostic::warning("parser.warning", span, message)
                    .with_help("close it with `*/`; comments nest"),
            );
        }
    }
    let tokens = all.into_iter().filter(|t| !t.kind.is_comment()).collect();
    let mut parser = Parser {
        text,
        file,
        tokens,
        pos: 0,
        height: 0,
        depth: 0,
        names: HashMap::new(),
        diagnostics,
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
    names: HashMap<&'t str, Name>,
    diagnostics: Vec<Diagnostic>,
}

impl<'t> Parser<'t> {
    // --- Tokens

    fn nth(&self, n: usize) -> Token {
        let end = self.text.len() as u32;
        let eof = Token { kind: TokenKind::Eof, start: end, end };
        self.tokens.get(self.pos + n).copied().unwrap_or(eof)
    }

    fn token(&self) -> Token {
        self.nth(0)
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

    fn error<T>(&mut self, span: Span, message: impl Into<String>, help: &str) -> Result<T> {
        let error = Diagnostic::error("parser.error", span, message);
        let error = if help.is_empty() { error } else { error.with_help(help) };
        self.diagnostics.push(error);
        Err(Failed)
    }

    /// Says that the next token is not one of those that may stand here.
    fn unexpected<T>(&mut self, expected: &str) -> Result<T> {
        let mut token = self.token();
        if token.kind == TokenKind::Eof && self.text.ends_with('\n') {
            // The last line that has text, not the empty one after it.
            token.start = token.start.saturating_sub(1);
            token.end = token.start;
        }
        let found = match token.kind {
            TokenKind::Ident | TokenKind::Int | TokenKind::Error => {
                let text: String = self.slice(token).chars().take(40).collect();
                format!("`{text}`")
            }
            kind => kind.describe().to_string(),
        };
        let message = format!("expected {expected}, found {found}");
        let help = self.slip(token, expected);
        let error = Diagnostic::error("parser.error", self.token_span(token), message);
        self.diagnostics.push(match help {
            Some(help) => error.with_help(help),
            None => error,
        });
        Err(Failed)
    }

    /// Advice for slips that are easily made.
    fn slip(&self, token: Token, expected: &str) -> Option<String> {
        let text = self.slice(token);
        match token.kind {
            kind if kind.is_keyword() && expected == TokenKind::Ident.describe() => {
                Some(format!("{} is a reserved word", kind.describe()))
            }
            TokenKind::NotIn => {
                let next = self.nth(1);
                let glued = next.kind == TokenKind::Ident && next.start == token.end;
                glued.then(|| {
                    let name = self.slice(next);
                    format!(
                        "`!in` is an operator; write `! in{name}` for the negation of `in{name}`"
                    )
                })
            }
            TokenKind::Ident if text.contains('?') => Some(
                "a `?` directly before a letter is part of a name; put a blank after it".into(),
            ),
            TokenKind::Ident if text.starts_with("0x") => {
                Some("numbers are decimal; this is a name".into())
            }
            TokenKind::Forall | TokenKind::Exists if expected == "an expression" => {
                Some("a quantifier to the right of an operator needs parentheses around it".into())
            }
            TokenKind::Star if expected == "an expression" => {
                Some("for a choice use `choose`, or a Boolean variable without a value".into())
            }
            TokenKind::Semi if self.previous_is(TokenKind::Semi) || text.is_empty() => {
                Some("there is no empty statement".into())
            }
            TokenKind::Eq | TokenKind::EqEq if expected.contains(":=") || expected == "`;`" => {
                Some("assignment is written `:=`".into())
            }
            TokenKind::LParen if expected == "`;`" && self.after_new() => {
                Some("write `new T` without parentheses; fields are assigned one by one".into())
            }
            TokenKind::Assign if expected == "`}`" => {
                Some("the body of a function is an expression, which is its result".into())
            }
            TokenKind::Colon if expected == "`returns`" => {
                Some("write `returns (r: T)`, with a name for the result".into())
            }
            TokenKind::Minus if expected == "`:=`" && self.nth(1).kind == TokenKind::Gt => {
                Some("fields are written `x.f`".into())
            }
            TokenKind::PlusPlus | TokenKind::MinusMinus if expected == "`:=`" => {
                Some("write `i := i + 1;`".into())
            }
            TokenKind::Plus | TokenKind::Minus if expected == "`:=`" => {
                Some("write `i := i + n;`".into())
            }
            _ => self.foreign(token, expected),
        }
    }

    /// Words of other languages, and words that are misspelt.
    fn foreign(&self, token: Token, expected: &str) -> Option<String> {
        let word = match expected {
            // The word that was taken for the start of an assignment.
            "`:=`" | "an expression" if !matches!(token.kind, TokenKind::Assign) => {
                let before = self.pos.checked_sub(if expected == "`:=`" { 1 } else { 2 })?;
                self.slice(*self.tokens.get(before)?)
            }
            _ => self.slice(token),
        };
        let known = match word {
            "method" | "proc" | "fn" | "def" | "void" => "`procedure`",
            "int" | "integer" | "bool" | "boolean" | "let" => "`var x: T;`",
            "delete" | "dispose" => "`free x;`",
            "for" => "`while (…) invariant … { … }`",
            "and" => "`&&` between truth values, `&*&` between spatial assertions",
            "or" if expected != "`{`" => "`||`",
            "record" | "class" | "type" => "`struct`",
            _ => "",
        };
        if !known.is_empty() {
            return Some(format!("write {known}"));
        }
        if expected != "a declaration" {
            return None;
        }
        let words = [
            "include",
            "options",
            "axiom",
            "type",
            "datatype",
            "struct",
            "ghost",
            "var",
            "const",
            "define",
            "predicate",
            "function",
            "procedure",
            "lemma",
            "requires",
            "ensures",
        ];
        let close = crate::check::closest(word, words)?;
        Some(format!("did you mean `{close}`?"))
    }

    fn previous_is(&self, kind: TokenKind) -> bool {
        let before = self.pos.checked_sub(1).and_then(|at| self.tokens.get(at));
        before.is_some_and(|t| t.kind == kind)
    }

    /// Does `new T` end here?
    fn after_new(&self) -> bool {
        let before = self.pos.checked_sub(2).and_then(|at| self.tokens.get(at));
        before.is_some_and(|t| t.kind == TokenKind::New)
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
        self.error(span, message, "split the expression, for instance with functions or predicates")
    }

    // --- Small rules

    fn name(&mut self, text: &'t str) -> Name {
        self.names.entry(text).or_insert_with(|| Name::from(text)).clone()
    }

    fn ident(&mut self) -> Result<Ident> {
        let token = self.expect(TokenKind::Ident)?;
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

    /// `item, …` up to a closing token, which is consumed.
    fn list<T>(
        &mut self,
        close: TokenKind,
        mut item: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
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
        if !self.eat(close) {
            let expected = format!("`,` or {}", close.describe());
            return self.unexpected(&expected);
        }
        self.height = height;
        Ok(items)
    }

    /// `(x: T, ghost y: T, …)`
    fn params(&mut self) -> Result<Vec<Var>> {
        self.expect(TokenKind::LParen)?;
        self.list(TokenKind::RParen, |parser| {
            let implicit = parser.eat(TokenKind::Implicit);
            let ghost = if implicit {
                parser.expect(TokenKind::Ghost)?;
                Ghost::Implicit
            } else if parser.eat(TokenKind::Ghost) {
                Ghost::Ghost
            } else {
                Ghost::No
            };
            parser.var(ghost)
        })
    }

    /// `x: T`
    fn var(&mut self, ghost: Ghost) -> Result<Var> {
        let name = self.ident()?;
        self.expect(TokenKind::Colon)?;
        let ty = self.ty()?;
        Ok(Var { name, ty, ghost })
    }

    /// `pure`, `free`, in any order and number.
    fn mods(&mut self) -> Mods {
        let mut mods = Mods::default();
        loop {
            if self.eat(TokenKind::Pure) {
                mods.pure = true;
            } else if self.eat(TokenKind::Free) {
                mods.free = true;
            } else {
                return mods;
            }
        }
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
            TokenKind::Byte => self.keyword_type(TypeKind::Byte),
            TokenKind::Set => TypeKind::Set(Box::new(self.element_type()?)),
            TokenKind::Array => TypeKind::Array(Box::new(self.element_type()?)),
            TokenKind::ArrayCell => TypeKind::Cell(Box::new(self.element_type()?)),
            TokenKind::Map => {
                self.bump();
                self.expect(TokenKind::Lt)?;
                let key = self.ty()?;
                self.expect(TokenKind::Comma)?;
                let value = self.ty()?;
                self.expect(TokenKind::Gt)?;
                TypeKind::Map(Box::new(key), Box::new(value))
            }
            TokenKind::Loc => {
                self.bump();
                self.expect(TokenKind::Lt)?;
                let name = self.ident()?;
                self.expect(TokenKind::Gt)?;
                TypeKind::Named(name)
            }
            TokenKind::Ident => TypeKind::Named(self.ident()?),
            _ => return self.unexpected("a type"),
        };
        if self.at(TokenKind::LBracket) && self.nth(1).kind == TokenKind::RBracket {
            let span = self.since(start).to(self.token_span(self.nth(1)));
            return self.error(
                span,
                "this way to write an array type is no longer part of the language",
                "write `Array<T>`",
            );
        }
        Ok(Type { kind, at: self.since(start).into() })
    }

    fn keyword_type(&mut self, kind: TypeKind) -> TypeKind {
        self.bump();
        kind
    }

    fn element_type(&mut self) -> Result<Type> {
        self.bump();
        self.expect(TokenKind::Lt)?;
        let ty = self.ty()?;
        self.expect(TokenKind::Gt)?;
        Ok(ty)
    }
}
