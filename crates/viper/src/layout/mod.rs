//! How a program is laid out: one walk over the tree for both the printer and the formatter.
//!
//! The printer has nothing but the tree: it writes the tokens that the tree asks for, parentheses
//! where precedence needs them, and empty lines where they read well. The formatter also has the
//! text that the tree was parsed from: the same walk takes each token from a [`cursor::Cursor`]
//! instead, so that comments, parentheses, semicolons and empty lines are those of the text. Every
//! choice that the tree does not determine is a question to that cursor.

mod cursor;
mod doc;
mod expr;
mod member;
mod stmt;

use std::borrow::Cow;

use cursor::Cursor;
use doc::{Doc, Limit, Width};

use crate::ast::{Annotation, Ident, Param, Type, TypeKind};
use crate::lexer::TokenKind as T;

/// What the style guide of the Viper project and its formatter use.
const WIDTH: Width = Width { usual: 75, wide: 100 };

/// A walk under way.
pub(crate) struct Layout<'a> {
    doc: Doc<'a>,
    /// The text, if there is one.
    source: Option<Cursor<'a>>,
    /// Is everything going to be on one line?
    one_line: bool,
}

impl<'a> Layout<'a> {
    /// From the tree alone.
    pub(crate) fn of_tree() -> Layout<'a> {
        Layout { doc: Doc::default(), source: None, one_line: false }
    }

    /// From the tree alone, for [`Layout::finish_line`].
    pub(crate) fn on_one_line() -> Layout<'a> {
        Layout { doc: Doc::default(), source: None, one_line: true }
    }

    /// From the tree and the text it was parsed from.
    pub(crate) fn of_text(text: &'a str) -> Layout<'a> {
        Layout { doc: Doc::default(), source: Some(Cursor::new(text)), one_line: false }
    }

    /// The result, or `None` if the tree is not that of the text.
    pub(crate) fn finish(mut self) -> Option<String> {
        if let Some(source) = &mut self.source {
            source.token(T::Eof, &mut self.doc);
            if !source.is_done() {
                return None;
            }
        }
        Some(self.doc.render(WIDTH))
    }

    /// The result without line breaks.
    pub(crate) fn finish_line(self) -> String {
        self.doc.render_line()
    }

    // --- Tokens

    /// A token that is always written the same way.
    fn token(&mut self, kind: T) {
        match &mut self.source {
            Some(source) => source.token(kind, &mut self.doc),
            None => self.doc.text(kind.describe().trim_matches('`')),
        }
    }

    /// A token whose text is in the tree.
    fn word(&mut self, kind: T, text: impl Into<Cow<'a, str>>) {
        match &mut self.source {
            Some(source) => source.token(kind, &mut self.doc),
            None => self.doc.text(text),
        }
    }

    fn ident(&mut self, ident: &'a Ident) {
        let name = ident.name.as_str();
        self.word(if name == "perm" { T::Perm } else { T::Ident }, name);
    }

    fn string(&mut self, value: &'a str) {
        match &mut self.source {
            Some(source) => source.token(T::String, &mut self.doc),
            None => self.doc.text(format!("\"{value}\"")),
        }
    }

    /// Is this the next token of the text?
    fn at(&self, kind: T) -> bool {
        self.source.as_ref().is_some_and(|source| source.peek() == kind)
    }

    /// A token that only the text can ask for.
    fn optional(&mut self, kind: T) {
        if self.at(kind) {
            self.token(kind);
        }
    }

    /// The lines of comments before the next token: at this indentation instead of that of the
    /// token.
    fn comments(&mut self) {
        if let Some(source) = &mut self.source {
            source.comments_on_lines(&mut self.doc);
        }
    }

    /// A keyword and a space.
    fn keyword(&mut self, kind: T) {
        self.token(kind);
        self.doc.space();
    }

    // --- Structure

    fn group(&mut self, inside: impl FnOnce(&mut Self)) {
        self.doc.open(Limit::Usual);
        inside(self);
        self.doc.close();
    }

    fn nest(&mut self, inside: impl FnOnce(&mut Self)) {
        self.doc.indent();
        inside(self);
        self.doc.dedent();
    }

    /// A line break, with an empty line if the text has one here; without a text, if `blank`.
    fn separate(&mut self, blank: bool) {
        let blank = self.source.as_ref().map_or(blank, Cursor::has_blank_before);
        self.doc.hardline(blank);
    }

    /// `open item, … close` on one line or with one item a line.
    fn list<I>(
        &mut self,
        (open, close): (T, T),
        limit: Limit,
        items: impl IntoIterator<Item = I>,
        mut item: impl FnMut(&mut Self, I),
    ) {
        self.open_bracket(open, limit);
        self.doc.indent();
        let mut first = true;
        for each in items {
            if first {
                self.doc.softline();
            } else {
                self.token(T::Comma);
                self.doc.line();
            }
            first = false;
            item(self, each);
        }
        self.comments();
        self.doc.dedent();
        if !first {
            self.doc.softline();
        }
        self.close_bracket(close);
    }

    /// A token that starts a group of its own, without the comments before it.
    fn open_bracket(&mut self, open: T, limit: Limit) {
        if let Some(source) = &mut self.source {
            source.comments(&mut self.doc);
        }
        self.doc.open_bracket(limit);
        self.token(open);
    }

    /// A token that ends a group, without the comments after it.
    fn close_bracket(&mut self, close: T) {
        match &mut self.source {
            Some(source) => {
                source.token_alone(close, &mut self.doc);
                self.doc.close();
                source.trailing_comments(&mut self.doc);
            }
            None => {
                self.token(close);
                self.doc.close();
            }
        }
    }

    /// `item, …` with as many items a line as fit.
    fn fill<I>(&mut self, items: impl IntoIterator<Item = I>, mut item: impl FnMut(&mut Self, I)) {
        let mut first = true;
        for each in items {
            if first {
                item(self, each);
            } else {
                self.token(T::Comma);
                self.doc.open(Limit::Usual);
                self.doc.line();
                item(self, each);
                self.doc.close();
            }
            first = false;
        }
    }

    /// `{ … }`, each item on its own line.
    fn braces<I>(
        &mut self,
        items: impl IntoIterator<Item = I>,
        mut item: impl FnMut(&mut Self, usize, I),
    ) {
        self.token(T::LBrace);
        self.doc.indent();
        let mut empty = true;
        for (index, each) in items.into_iter().enumerate() {
            if index == 0 {
                self.doc.hardline(false);
                self.doc.no_blank();
            }
            empty = false;
            item(self, index, each);
        }
        if let Some(source) = &mut self.source
            && source.has_comments()
        {
            self.doc.hardline(source.has_blank_before());
            if empty {
                self.doc.no_blank();
            }
            source.comments(&mut self.doc);
            empty = false;
        }
        self.doc.dedent();
        if !empty {
            self.doc.hardline(false);
            self.doc.no_blank();
        }
        self.token(T::RBrace);
    }

    // --- Small pieces

    fn annotation(&mut self, annotation: &'a Annotation) {
        if self.source.is_some() {
            return self.source_annotation();
        }
        self.token(T::At);
        self.doc.text(annotation.key.as_str());
        self.token(T::LParen);
        for (index, value) in annotation.values.iter().enumerate() {
            if index > 0 {
                self.keyword(T::Comma);
            }
            self.string(value);
        }
        self.token(T::RParen);
    }

    /// An annotation of the text, which need not be in the tree.
    fn source_annotation(&mut self) {
        self.token(T::At);
        let Some(source) = &mut self.source else { return };
        // The key is one word, though of several tokens.
        while !matches!(source.peek(), T::LParen | T::Eof) {
            source.any_token(&mut self.doc);
        }
        self.token(T::LParen);
        while self.at(T::String) {
            self.token(T::String);
            if self.at(T::Comma) {
                self.keyword(T::Comma);
            }
        }
        self.token(T::RParen);
    }

    /// Each on its own line.
    fn annotations(&mut self, annotations: &'a [Annotation]) {
        for annotation in annotations {
            self.annotation(annotation);
            self.doc.hardline(false);
        }
    }

    fn param(&mut self, param: &'a Param) {
        self.ident(&param.name);
        self.token(T::Colon);
        self.doc.space();
        self.ty(&param.ty);
    }

    fn type_params(&mut self, params: &'a Option<Vec<Ident>>) {
        if let Some(params) = params {
            self.list((T::LBracket, T::RBracket), Limit::Wide, params, Self::ident);
        }
    }

    pub(crate) fn ty(&mut self, ty: &'a Type) {
        match &ty.kind {
            TypeKind::Int => self.token(T::IntTy),
            TypeKind::Bool => self.token(T::Bool),
            TypeKind::Perm if self.at(T::Rational) => self.token(T::Rational),
            TypeKind::Perm => self.token(T::PermTy),
            TypeKind::Ref => self.token(T::Ref),
            TypeKind::Seq(element) => self.collection_type(T::Seq, &[element]),
            TypeKind::Set(element) => self.collection_type(T::Set, &[element]),
            TypeKind::Multiset(element) => self.collection_type(T::Multiset, &[element]),
            TypeKind::Map(key, value) => self.collection_type(T::Map, &[key, value]),
            TypeKind::Named { name, args } => {
                self.ident(name);
                if let Some(args) = args {
                    self.list((T::LBracket, T::RBracket), Limit::Wide, args, Self::ty);
                }
            }
            TypeKind::Macro { name, args } => {
                self.ident(name);
                self.args(args);
            }
        }
    }

    fn collection_type(&mut self, kind: T, args: &[&'a Type]) {
        self.token(kind);
        self.list((T::LBracket, T::RBracket), Limit::Wide, args.iter().copied(), Self::ty);
    }
}
