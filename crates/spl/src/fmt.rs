//! Formatting: indentation and blanks, with the lines as their author broke them.
//!
//! It works on tokens, so that no comment and no token is ever lost, and text that does not parse is
//! left alone. What it writes it would write again.

use report::{Diagnostic, FileId};

use crate::lexer::{Token, TokenKind, tokenize};
use crate::parser::parse;

/// Formats a text.
///
/// # Errors
/// If it does not parse.
pub fn format(file: FileId, text: &str) -> Result<String, Vec<Diagnostic>> {
    let parsed = parse(file, text);
    if parsed.diagnostics.iter().any(Diagnostic::is_error) {
        return Err(parsed.diagnostics);
    }
    let tokens: Vec<Token> =
        tokenize(text).into_iter().filter(|t| t.kind != TokenKind::Eof).collect();
    let mut writer = Writer { text, out: String::with_capacity(text.len()), open: Vec::new() };
    let mut before: Option<Token> = None;
    for token in tokens {
        writer.token(before, token);
        before = Some(token);
    }
    if !writer.out.is_empty() {
        writer.out.push('\n');
    }
    Ok(writer.out)
}

struct Writer<'t> {
    text: &'t str,
    out: String,
    /// Brackets that are open, each with the indentation of what is in it.
    open: Vec<(TokenKind, usize)>,
}

impl Writer<'_> {
    fn slice(&self, token: Token) -> &str {
        self.text.get(token.start as usize..token.end as usize).unwrap_or("")
    }

    fn token(&mut self, before: Option<Token>, token: Token) {
        let closes =
            matches!(token.kind, TokenKind::RBrace | TokenKind::RParen | TokenKind::RBracket);
        let around = self.open.last().map_or(0, |(_, inside)| *inside);
        let opened = if closes { self.open.pop() } else { None };
        if let Some(before) = before {
            let between = self.text.get(before.end as usize..token.start as usize).unwrap_or("");
            let breaks = between.matches('\n').count();
            if breaks > 0 || before.kind == TokenKind::LineComment {
                self.out.push('\n');
                // One empty line at most, and none at the edges of a block.
                let edge = before.kind == TokenKind::LBrace || token.kind == TokenKind::RBrace;
                if breaks > 1 && !edge {
                    self.out.push('\n');
                }
                let depth = match opened {
                    Some((_, inside)) => inside.saturating_sub(2),
                    None => around + continuation(before, token),
                };
                self.out.push_str(&" ".repeat(depth.min(80)));
            } else if blank(before, token, between) {
                self.out.push(' ');
            }
        }
        let text = self.slice(token).trim_end().to_owned();
        self.out.push_str(&text);
        let opens =
            matches!(token.kind, TokenKind::LBrace | TokenKind::LParen | TokenKind::LBracket);
        if opens {
            // Several brackets that open on one line indent what follows once.
            let line_start = self.out.rfind('\n').map_or(0, |at| at + 1);
            let line = self.out.get(line_start..).unwrap_or("");
            let indentation = line.len() - line.trim_start_matches(' ').len();
            self.open.push((token.kind, indentation + 2));
        }
    }
}

/// How much further the first token of a line is indented.
fn continuation(before: Token, token: Token) -> usize {
    let clause = matches!(
        token.kind,
        TokenKind::Requires | TokenKind::Ensures | TokenKind::Invariant | TokenKind::Returns
    );
    let ended = before.kind.is_comment()
        || matches!(before.kind, TokenKind::Semi | TokenKind::LBrace | TokenKind::RBrace);
    let starts = token.kind.is_comment()
        || matches!(
            token.kind,
            TokenKind::LBrace
                | TokenKind::Else
                | TokenKind::Or
                | TokenKind::Procedure
                | TokenKind::Predicate
                | TokenKind::Function
                | TokenKind::Lemma
                | TokenKind::Struct
                | TokenKind::Axiom
                | TokenKind::Type
                | TokenKind::Const
                | TokenKind::Datatype
                | TokenKind::Define
                | TokenKind::Include
                | TokenKind::Options
                | TokenKind::Auto
                | TokenKind::Pure
                | TokenKind::Ghost
                | TokenKind::Var
        );
    if clause || !(ended || starts) { 2 } else { 0 }
}

/// Is there a blank between two tokens of one line?
fn blank(before: Token, token: Token, between: &str) -> bool {
    use TokenKind as K;
    if token.kind.is_comment() || before.kind.is_comment() {
        return true;
    }
    match (before.kind, token.kind) {
        (_, K::Comma | K::Semi | K::RParen | K::RBracket) => false,
        (K::LParen | K::LBracket | K::Dot | K::At, _) | (_, K::Dot) => false,
        (K::LBrace, K::RBrace) => false,
        (K::Tilde, _) => false,
        // The parser knows what is a sign, a type argument, a set; here the author does.
        (K::Not, next) => next == K::In || !between.is_empty() && next == K::Ident,
        (K::Minus | K::Plus, _) | (_, K::LParen | K::LBracket | K::Lt | K::Gt | K::Colon) => {
            !between.is_empty()
        }
        (K::Lt | K::Gt | K::LBrace, _) | (_, K::RBrace) => !between.is_empty(),
        _ => true,
    }
}
