//! Conditions of `#if`.

use report::Span;

use super::Preprocessor;
use super::token::{Kind, Token};

/// How deep a condition may be.
const MAX_DEPTH: u32 = 200;

impl Preprocessor<'_> {
    /// Does a condition hold?
    pub(super) fn condition(&mut self, span: Span, tokens: &[Token]) -> bool {
        let mut replaced = Vec::new();
        let mut rest = tokens.iter().peekable();
        while let Some(token) = rest.next() {
            if !token.is("defined") {
                replaced.push(token.clone());
                continue;
            }
            let open = rest.peek().is_some_and(|t| t.is("("));
            if open {
                rest.next();
            }
            let known = rest.next().is_some_and(|t| self.macros.contains_key(&t.text));
            if open {
                rest.next();
            }
            let text = if known { "1" } else { "0" };
            replaced.push(Token { kind: Kind::Number, text: text.into(), ..token.clone() });
        }
        let tokens = self.expand_all(replaced);
        let mut parser = Parser { tokens: &tokens, at: 0, depth: 0 };
        match parser.conditional() {
            Some(value) if parser.at == tokens.len() => value != 0,
            _ => {
                self.error(span, "this condition is no constant expression");
                false
            }
        }
    }
}

struct Parser<'t> {
    tokens: &'t [Token],
    at: usize,
    depth: u32,
}

const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", ">", "<=", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl Parser<'_> {
    fn take(&mut self, text: &str) -> bool {
        let found = self.tokens.get(self.at).is_some_and(|t| t.is(text));
        self.at += usize::from(found);
        found
    }

    fn conditional(&mut self) -> Option<i128> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let condition = self.binary(0)?;
        let value = if self.take("?") {
            let then = self.conditional()?;
            if !self.take(":") {
                return None;
            }
            let otherwise = self.conditional()?;
            if condition != 0 { then } else { otherwise }
        } else {
            condition
        };
        self.depth -= 1;
        Some(value)
    }

    fn binary(&mut self, level: usize) -> Option<i128> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let Some(op) =
            operators.iter().find(|op| self.tokens.get(self.at).is_some_and(|t| t.is(op)))
        {
            self.at += 1;
            let right = self.binary(level + 1)?;
            left = match *op {
                "||" => i128::from(left != 0 || right != 0),
                "&&" => i128::from(left != 0 && right != 0),
                "|" => left | right,
                "^" => left ^ right,
                "&" => left & right,
                "==" => i128::from(left == right),
                "!=" => i128::from(left != right),
                "<" => i128::from(left < right),
                ">" => i128::from(left > right),
                "<=" => i128::from(left <= right),
                ">=" => i128::from(left >= right),
                "<<" => left.checked_shl(u32::try_from(right).ok()?)?,
                ">>" => left.checked_shr(u32::try_from(right).ok()?)?,
                "+" => left.checked_add(right)?,
                "-" => left.checked_sub(right)?,
                "*" => left.checked_mul(right)?,
                // A part that is not evaluated may divide by zero.
                "/" => left.checked_div(right).unwrap_or(0),
                _ => left.checked_rem(right).unwrap_or(0),
            };
        }
        Some(left)
    }

    fn unary(&mut self) -> Option<i128> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let token = self.tokens.get(self.at)?;
        self.at += 1;
        let value = match token.kind {
            Kind::Number => crate::literal::integer(&token.text)?.0,
            Kind::Char => crate::literal::character(&token.text)?,
            Kind::Name => 0,
            _ => match &*token.text {
                "(" => {
                    let value = self.conditional()?;
                    if !self.take(")") {
                        return None;
                    }
                    value
                }
                "!" => i128::from(self.unary()? == 0),
                "-" => self.unary()?.checked_neg()?,
                "+" => self.unary()?,
                "~" => !self.unary()?,
                _ => return None,
            },
        };
        self.depth -= 1;
        Some(value)
    }
}
