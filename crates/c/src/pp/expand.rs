//! Macros: definition and expansion, with the hide sets of Prosser's algorithm.

use std::rc::Rc;

use report::Span;

use super::Preprocessor;
use super::token::{Kind, Lexer, Token, hides, hiding};

/// A macro.
#[derive(Debug)]
pub(super) struct Macro {
    /// Its parameters, if it has a list of them.
    pub(super) params: Option<Vec<Rc<str>>>,
    /// Does the last one take all that is left?
    pub(super) variadic: bool,
    pub(super) body: Vec<Token>,
}

/// So many tokens may come of one use of a macro.
const MAX_EXPANSION: usize = 2_000_000;

impl Preprocessor<'_> {
    pub(super) fn define(&mut self, span: Span, rest: &[Token]) {
        let Some((name, rest)) = rest.split_first() else {
            return self.error(span, "a name is expected");
        };
        if name.kind != Kind::Name {
            return self.error(name.span, "a name is expected");
        }
        let mut variadic = false;
        let (params, body) = match rest.first() {
            Some(open) if open.is("(") && !open.spaced => {
                let Some(close) = rest.iter().position(|t| t.is(")")) else {
                    return self.error(name.span, "the list of parameters does not end");
                };
                let mut params: Vec<Rc<str>> = Vec::new();
                for token in &rest[1..close] {
                    match &*token.text {
                        "," => {}
                        "..." => {
                            variadic = true;
                            // `x...` names what is left.
                            let named =
                                rest[1..close].iter().rev().nth(1).is_some_and(|t| !t.is(","));
                            if !named || params.is_empty() {
                                params.push("__VA_ARGS__".into());
                            }
                        }
                        _ => params.push(Rc::clone(&token.text)),
                    }
                }
                (Some(params), &rest[close + 1..])
            }
            _ => (None, rest),
        };
        self.macros.insert(
            Rc::clone(&name.text),
            Rc::new(Macro { params, variadic, body: body.to_vec() }),
        );
    }

    /// Expands a name if it is the use of a macro: its tokens are then ahead.
    pub(super) fn expand(&mut self, token: &Token) -> bool {
        match self.special(token) {
            Some(replaced) => {
                self.ahead.push_front(replaced);
                return true;
            }
            None if hides(&token.hidden, &token.text) => return false,
            None => {}
        }
        let Some(found) = self.macros.get(&token.text).cloned() else { return false };
        let mut whole = token.span;
        let args = match &found.params {
            None => Vec::new(),
            Some(params) => {
                if !self.open_parenthesis() {
                    return false;
                }
                match self.arguments(token, params.len(), found.variadic) {
                    Some((args, end)) => {
                        if end.file == whole.file && end.end > whole.end {
                            whole.end = end.end;
                        }
                        args
                    }
                    None => return true,
                }
            }
        };
        if self.ahead.len() > MAX_EXPANSION {
            self.error(token.span, "a macro does not come to an end");
            self.ahead.clear();
            return true;
        }
        let hidden = hiding(&token.hidden, &token.text);
        let mut result = self.substitute(&found, &args);
        for (i, t) in result.iter_mut().enumerate() {
            // What the user wrote as an argument keeps its place.
            if t.span.start == t.span.end || found.params.is_none() || !contains(whole, t.span) {
                t.span = whole;
            }
            t.hidden = match &t.hidden {
                None => hidden.clone(),
                Some(_) => hiding(&t.hidden, &token.text),
            };
            if i == 0 {
                t.spaced = token.spaced;
            }
        }
        for t in result.into_iter().rev() {
            self.ahead.push_front(t);
        }
        true
    }

    /// `__LINE__` and the like.
    fn special(&mut self, token: &Token) -> Option<Token> {
        let (kind, text) = match &*token.text {
            "__LINE__" => {
                let file = self.sources.get(token.span.file)?;
                (Kind::Number, file.line_col(token.span.start).line.to_string())
            }
            "__FILE__" => {
                let file = self.sources.get(token.span.file)?;
                (
                    Kind::String,
                    format!("\"{}\"", file.name.replace('\\', "\\\\").replace('"', "\\\"")),
                )
            }
            "__COUNTER__" => {
                self.counter += 1;
                (Kind::Number, (self.counter - 1).to_string())
            }
            _ => return None,
        };
        Some(Token { kind, text: text.into(), ..token.clone() })
    }

    /// Is the next token, after ends of lines, an opening parenthesis? It is taken.
    fn open_parenthesis(&mut self) -> bool {
        while self.ahead.front().is_some_and(|t| t.kind == Kind::Newline) {
            self.ahead.pop_front();
        }
        if let Some(next) = self.ahead.front() {
            if next.is("(") {
                self.ahead.pop_front();
                return true;
            }
            return false;
        }
        let Some(input) = self.inputs.last() else { return false };
        let (start, mut newlines) = (input.at, 0);
        loop {
            match self.next_of_file() {
                Some(t) if t.kind == Kind::Newline => newlines += 1,
                Some(t) if t.is("(") => {
                    (0..newlines).for_each(|_| self.out.text.push('\n'));
                    return true;
                }
                _ => {
                    if let Some(input) = self.inputs.last_mut() {
                        input.at = start;
                    }
                    return false;
                }
            }
        }
    }

    /// The arguments of a macro, and where they end.
    fn arguments(
        &mut self,
        name: &Token,
        count: usize,
        variadic: bool,
    ) -> Option<(Vec<Vec<Token>>, Span)> {
        let mut args = vec![Vec::new()];
        let mut depth = 0u32;
        loop {
            let token = match self.ahead.pop_front() {
                Some(token) => Some(token),
                None => self.next_of_file(),
            };
            let Some(mut token) = token else {
                self.error(name.span, format!("the use of the macro `{}` does not end", name.text));
                return None;
            };
            let rest = variadic && args.len() == count;
            match &*token.text {
                _ if token.kind == Kind::Newline => {
                    self.out.text.push('\n');
                    token.spaced = true;
                    continue;
                }
                "(" => depth += 1,
                ")" if depth == 0 => {
                    if count == 0 && args.len() == 1 && args[0].is_empty() {
                        args.clear();
                    }
                    if variadic && args.len() + 1 == count {
                        args.push(Vec::new());
                    }
                    if args.len() != count {
                        let message = format!(
                            "the macro `{}` takes {count} arguments, but {} are given",
                            name.text,
                            args.len()
                        );
                        self.error(name.span, message);
                        return None;
                    }
                    return Some((args, token.span));
                }
                ")" => depth -= 1,
                "," if depth == 0 && !rest => {
                    args.push(Vec::new());
                    continue;
                }
                _ => {}
            }
            if let Some(last) = args.last_mut() {
                last.push(token);
            }
        }
    }

    /// The body of a macro with arguments in place of parameters.
    fn substitute(&mut self, found: &Macro, args: &[Vec<Token>]) -> Vec<Token> {
        let params = found.params.as_deref().unwrap_or_default();
        let parameter =
            |t: &Token| params.iter().position(|p| t.kind == Kind::Name && *p == t.text);
        let mut result: Vec<Token> = Vec::new();
        let mut expanded: Vec<Option<Vec<Token>>> = vec![None; args.len()];
        let body = &found.body;
        let mut i = 0;
        while let Some(token) = body.get(i) {
            let next = body.get(i + 1);
            if token.is("#")
                && found.params.is_some()
                && token.kind == Kind::Punct
                && let Some(arg) = next.and_then(&parameter)
            {
                result.push(stringized(&args[arg], token));
                i += 2;
                continue;
            }
            if token.is("##") && !result.is_empty() && next.is_some() {
                let mut right: Vec<Token> = match next.and_then(&parameter) {
                    Some(arg) => args[arg].clone(),
                    None => next.cloned().into_iter().collect(),
                };
                let comma = result.last().is_some_and(|t| t.is(","));
                let rest =
                    found.variadic && next.and_then(&parameter) == params.len().checked_sub(1);
                if comma && rest {
                    // `, ## __VA_ARGS__`: the comma goes if nothing is left.
                    if right.is_empty() {
                        result.pop();
                    }
                    result.append(&mut right);
                } else if !right.is_empty() {
                    let second = right.remove(0);
                    if let Some(first) = result.pop() {
                        result.push(pasted(&first, &second));
                    }
                    result.append(&mut right);
                }
                i += 2;
                continue;
            }
            match parameter(token) {
                // What is pasted is not expanded.
                Some(arg) if next.is_some_and(|t| t.is("##")) => {
                    result.extend(args[arg].iter().cloned());
                    if args[arg].is_empty() {
                        // Nothing on the left: the right side stays as it is.
                        if let Some(right) = body.get(i + 2) {
                            match parameter(right) {
                                Some(arg) => result.extend(args[arg].iter().cloned()),
                                None => result.push(right.clone()),
                            }
                        }
                        i += 3;
                        continue;
                    }
                }
                Some(arg) => {
                    let tokens = match expanded[arg].take() {
                        Some(tokens) => tokens,
                        None => self.expand_all(args[arg].clone()),
                    };
                    let at = result.len();
                    result.extend(tokens.iter().cloned());
                    if let Some(first) = result.get_mut(at) {
                        first.spaced = token.spaced;
                    }
                    expanded[arg] = Some(tokens);
                }
                None => {
                    let mut token = token.clone();
                    // Nobody sees the body of a macro: it has the place of its use.
                    token.span.end = token.span.start;
                    result.push(token);
                }
            }
            i += 1;
        }
        result
    }

    /// Expands all macros in some tokens, which stand alone.
    pub(super) fn expand_all(&mut self, tokens: Vec<Token>) -> Vec<Token> {
        if !tokens.iter().any(|t| t.kind == Kind::Name) {
            return tokens;
        }
        let ahead = std::mem::replace(&mut self.ahead, tokens.into());
        let inputs = std::mem::take(&mut self.inputs);
        let mut result = Vec::new();
        while let Some(token) = self.ahead.pop_front() {
            if token.kind == Kind::Name && self.expand(&token) {
                continue;
            }
            result.push(token);
        }
        self.ahead = ahead;
        self.inputs = inputs;
        result
    }
}

fn contains(outer: Span, inner: Span) -> bool {
    outer.file == inner.file && outer.start <= inner.start && inner.end <= outer.end
}

fn stringized(tokens: &[Token], at: &Token) -> Token {
    let mut text = String::from("\"");
    for (i, token) in tokens.iter().enumerate() {
        if token.spaced && i > 0 {
            text.push(' ');
        }
        for c in token.text.chars() {
            if matches!(c, '"' | '\\') && matches!(token.kind, Kind::String | Kind::Char) {
                text.push('\\');
            }
            text.push(c);
        }
    }
    text.push('"');
    Token { kind: Kind::String, text: text.into(), ..at.clone() }
}

fn pasted(first: &Token, second: &Token) -> Token {
    let text = format!("{}{}", first.text, second.text);
    let mut lexer = Lexer::new(&text, first.span);
    let kind = match lexer.next() {
        Ok(Some(token)) => token.kind,
        _ => Kind::Punct,
    };
    Token { kind, text: text.into(), hidden: None, ..first.clone() }
}
