//! The tokens of a text with the comments and empty lines between them.

use std::borrow::Cow;

use super::doc::{Doc, Gap};
use crate::lexer::{Token, TokenKind, tokenize};

#[derive(Clone, Copy, Debug)]
struct Comment<'a> {
    text: &'a str,
    start: u32,
    /// To the token or comment before it.
    before: Gap,
    /// To the token or comment after it.
    after: Gap,
    /// It starts a line only because the token at the end of that line does.
    moves_with_token: bool,
    /// It belongs to the token before it although it does not end the line.
    follows_token: bool,
}

#[derive(Clone, Copy, Debug)]
struct Spaced {
    token: Token,
    /// To the token or comment before it.
    before: Gap,
    /// The comments between the token before this one and this one end before this index.
    comments_end: usize,
}

/// Walks over the tokens of a text, writing each of them once.
#[derive(Debug)]
pub struct Cursor<'a> {
    text: &'a str,
    tokens: Vec<Spaced>,
    comments: Vec<Comment<'a>>,
    next: usize,
    next_comment: usize,
    /// A token was not what the tree promised.
    lost: bool,
}

impl<'a> Cursor<'a> {
    /// At the first token.
    #[must_use]
    pub fn new(text: &'a str) -> Cursor<'a> {
        let all = tokenize(text);
        let mut tokens = Vec::with_capacity(all.len());
        let mut comments: Vec<Comment<'a>> = Vec::new();
        let mut end = 0;
        let mut after_comment = false;
        for token in all {
            let before = match text.get(end..token.start as usize) {
                Some(space) => match space.bytes().filter(|b| *b == b'\n').count() {
                    0 => Gap::Inline,
                    1 => Gap::Newline,
                    _ => Gap::Blank,
                },
                None => Gap::Inline,
            };
            if after_comment && let Some(comment) = comments.last_mut() {
                comment.after = before;
            }
            after_comment = token.kind.is_comment();
            if after_comment {
                let text = text.get(token.start as usize..token.end as usize).unwrap_or_default();
                let after = Gap::Newline;
                comments.push(Comment {
                    text,
                    start: token.start,
                    before,
                    after,
                    moves_with_token: false,
                    follows_token: false,
                });
            } else {
                let first = tokens.last().map_or(0, |spaced: &Spaced| spaced.comments_end);
                let between = comments.get_mut(first..).unwrap_or_default();
                if ends_item(token.kind)
                    && between.iter().all(|c| c.before == Gap::Inline && c.text.starts_with("/*"))
                {
                    for comment in &mut *between {
                        comment.after = Gap::Inline;
                        comment.follows_token = true;
                    }
                }
                if before == Gap::Inline
                    && let Some(leading) = between.iter_mut().rfind(|c| c.before != Gap::Inline)
                {
                    leading.moves_with_token = true;
                }
                tokens.push(Spaced { token, before, comments_end: comments.len() });
            }
            end = token.end as usize;
        }
        Cursor { text, tokens, comments, next: 0, next_comment: 0, lost: false }
    }

    fn peek_spaced(&self) -> Option<Spaced> {
        self.tokens.get(self.next).copied()
    }

    /// The next token.
    #[must_use]
    pub fn peek(&self) -> TokenKind {
        self.peek_spaced().map_or(TokenKind::Eof, |spaced| spaced.token.kind)
    }

    /// Where the next token starts.
    #[must_use]
    pub fn start(&self) -> u32 {
        self.peek_spaced().map_or(u32::MAX, |spaced| spaced.token.start)
    }

    /// Are there comments before the next token that are not yet written?
    #[must_use]
    pub fn has_comments(&self) -> bool {
        self.peek_spaced().is_some_and(|spaced| self.next_comment < spaced.comments_end)
    }

    /// Is there an empty line before what comes next?
    #[must_use]
    pub fn has_blank_before(&self) -> bool {
        let Some(spaced) = self.peek_spaced() else { return false };
        let before = if self.next_comment < spaced.comments_end {
            self.comments.get(self.next_comment).map(|comment| comment.before)
        } else {
            Some(spaced.before)
        };
        before == Some(Gap::Blank)
    }

    /// Writes the comments before the next token.
    pub fn comments(&mut self, doc: &mut Doc<'a>) {
        let Some(spaced) = self.peek_spaced() else { return };
        while self.next_comment < spaced.comments_end {
            self.comment(doc);
        }
    }

    /// Writes the comments before the next token, except those on its line.
    pub fn comments_on_lines(&mut self, doc: &mut Doc<'a>) {
        let Some(spaced) = self.peek_spaced() else { return };
        let pending = self.comments.get(self.next_comment..spaced.comments_end);
        let last = pending.unwrap_or_default().iter().rposition(|c| c.after != Gap::Inline);
        for _ in 0..last.map_or(0, |last| last + 1) {
            self.comment(doc);
        }
    }

    fn comment(&mut self, doc: &mut Doc<'a>) {
        if let Some(comment) = self.comments.get(self.next_comment) {
            let before = if comment.moves_with_token { Gap::Inline } else { comment.before };
            doc.comment(clean(comment.text), before, comment.after);
        }
        self.next_comment += 1;
    }

    /// Writes the next token, with the comments before it and those that follow it on its line.
    pub fn token(&mut self, expected: TokenKind, doc: &mut Doc<'a>) {
        self.token_alone(expected, doc);
        self.trailing_comments(doc);
    }

    /// Writes the next token, with the comments before it.
    pub fn token_alone(&mut self, expected: TokenKind, doc: &mut Doc<'a>) {
        // The parser splits `||` at the start of `||s| - 1|`.
        if expected == TokenKind::Bar && self.peek() == TokenKind::BarBar {
            self.comments(doc);
            doc.text("|");
            if let Some(spaced) = self.tokens.get_mut(self.next) {
                spaced.token.kind = TokenKind::Bar;
                spaced.token.start += 1;
                spaced.before = Gap::Inline;
            }
            return;
        }
        self.lost |= self.peek() != expected;
        self.any_token(doc);
    }

    /// Writes the next token, whatever it is, with the comments before it.
    pub fn any_token(&mut self, doc: &mut Doc<'a>) {
        let end = self.peek_spaced().map_or(0, |spaced| spaced.token.end);
        self.raw(end, doc);
    }

    /// Writes a path in angle brackets, which starts with the next token but is not made of tokens:
    /// a part of it may even look like a comment.
    pub fn angle_path(&mut self, doc: &mut Doc<'a>) {
        let start = self.start();
        let rest = self.text.get(start as usize..).unwrap_or_default();
        let length = rest.find('>').map_or(0, |end| end + 1);
        self.raw(start.saturating_add(length as u32), doc);
        self.trailing_comments(doc);
    }

    /// Writes the text from the next token to `end` as it is.
    fn raw(&mut self, end: u32, doc: &mut Doc<'a>) {
        let Some(first) = self.peek_spaced() else {
            self.lost = true;
            return;
        };
        self.comments(doc);
        self.next += 1;
        let mut end = end;
        while let Some(comment) = self.comments.get(self.next_comment)
            && comment.start < end
        {
            end = end.max(comment.start.saturating_add(comment.text.len() as u32));
            self.next_comment += 1;
        }
        while self.start() < end && self.peek() != TokenKind::Eof {
            self.next += 1;
        }
        let text = self.text.get(first.token.start as usize..end as usize);
        self.lost |= text.is_none();
        if first.token.kind != TokenKind::Eof {
            doc.text(text.unwrap_or_default().trim_end());
        }
    }

    /// Writes the comments that follow the last token on its line, if nothing else is on that line.
    pub fn trailing_comments(&mut self, doc: &mut Doc<'a>) {
        let comments_end = self.peek_spaced().map_or(0, |spaced| spaced.comments_end);
        let pending = self.comments.get(self.next_comment..comments_end).unwrap_or_default();
        let on_line = pending.iter().take_while(|comment| comment.before == Gap::Inline).count();
        let ends_line = on_line
            .checked_sub(1)
            .and_then(|last| pending.get(last))
            .is_some_and(|comment| comment.after != Gap::Inline || comment.follows_token);
        if ends_line {
            for _ in 0..on_line {
                self.comment(doc);
            }
        }
    }

    /// Has every token been written, and was each what the tree promised?
    #[must_use]
    pub fn is_done(&self) -> bool {
        !self.lost && self.next >= self.tokens.len() && self.next_comment >= self.comments.len()
    }
}

/// Does it always follow what is before it on its line?
fn ends_item(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Comma | TokenKind::Semi | TokenKind::RParen | TokenKind::RBracket)
}

/// A comment without white space at the ends of its lines.
fn clean(text: &str) -> Cow<'_, str> {
    if text.lines().all(|line| line.trim_end().len() == line.len()) && !text.contains('\r') {
        return Cow::Borrowed(text);
    }
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    Cow::Owned(lines.join("\n"))
}
