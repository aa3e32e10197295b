//! What people write who know other languages, and how Viper says it.
//!
//! This is only advice on an error that is there anyway: it never decides whether a program is
//! accepted.

use super::Parser;
use crate::lexer::{Token, TokenKind};

impl Parser<'_> {
    /// Advice when `token` stands where something else was expected.
    pub(super) fn slip(&self, token: Token, expected: &str) -> Option<String> {
        let next = self.nth(1);
        let glued = |kind: TokenKind| next.kind == kind && next.start == token.end;
        match (token.kind, self.slice(token)) {
            (TokenKind::Error, "=") if glued(TokenKind::Gt) => {
                Some("did you mean `==>`?".to_string())
            }
            (TokenKind::Error, "=") => Some(self.single_equals(expected)),
            (TokenKind::Error, "&") => Some("did you mean `&&`?".to_string()),
            (TokenKind::Error, "~" | "^") => {
                Some("there are no operations on bits; negation is `!`".to_string())
            }
            (TokenKind::EqEq, _) if expected.starts_with("`:=`") => {
                Some("did you mean `:=`? To check an equality, write `assert`.".to_string())
            }
            (TokenKind::EqEq, _) if expected == STATEMENT => {
                Some("did you mean `:=`? To check an equality, write `assert`.".to_string())
            }
            (TokenKind::Gt, _) if self.previous_is(TokenKind::Minus, token) => {
                Some("did you mean `==>`?".to_string())
            }
            (TokenKind::Gt, _) if self.previous_is(TokenKind::Le, token) => {
                Some("did you mean `<==>`?".to_string())
            }
            (TokenKind::Assign, _) if expected == TokenKind::Colon.describe() => {
                Some("a variable needs a type: `var x: T := e`".to_string())
            }
            (TokenKind::Assign, _) if expected == DECLARATION => Some(BODY.to_string()),
            (TokenKind::Colon, _) if expected == DECLARATION => {
                Some("the results of a method are declared by `returns (r: T)`".to_string())
            }
            (TokenKind::If, _) if expected == TokenKind::LBrace.describe() => {
                let after_else = self.previous().is_some_and(|t| t.kind == TokenKind::Else);
                Some(if after_else { "did you mean `elseif`?" } else { BRACES }.to_string())
            }
            (TokenKind::Let, _) if expected == STATEMENT => Some(VARIABLE.to_string()),
            (TokenKind::PlusPlus, _) if expected == STATEMENT => Some(self.step("+", "1")),
            (TokenKind::Plus | TokenKind::Minus | TokenKind::Star, op)
                if next.kind == TokenKind::Error && self.slice(next) == "=" =>
            {
                Some(self.step(op, "e"))
            }
            (TokenKind::Dot | TokenKind::Comma | TokenKind::Bar | TokenKind::Colon, _)
                if expected == TokenKind::ColonColon.describe() =>
            {
                Some("did you mean `::`?".to_string())
            }
            (TokenKind::Ident, "do" | "then") if expected == TokenKind::LBrace.describe() => {
                Some(format!("leave out `{}`: the body follows in braces", self.slice(token)))
            }
            (TokenKind::Ident, "and") => Some("did you mean `&&`?".to_string()),
            (TokenKind::Ident, "or") => Some("did you mean `||`?".to_string()),
            (TokenKind::Ident, word) if expected == DECLARATION => self.declaration(word),
            (kind, _) if expected == TokenKind::LParen.describe() => {
                let advice = match self.previous().map(|t| t.kind)? {
                    TokenKind::If | TokenKind::Elseif | TokenKind::While => {
                        "a condition stands in parentheses"
                    }
                    TokenKind::Returns => "results stand in parentheses: `returns (r: T)`",
                    _ => return None,
                };
                (kind != TokenKind::Eof).then(|| advice.to_string())
            }
            (TokenKind::Eof, _) => None,
            _ if expected == TokenKind::LBrace.describe() => {
                let after = self.previous().map(|t| t.kind);
                matches!(after, Some(TokenKind::RParen | TokenKind::Else))
                    .then(|| BRACES.to_string())
            }
            _ => None,
        }
    }

    /// Advice when a statement starts with an expression that cannot be one.
    pub(super) fn slip_at_statement(&self, start: Token) -> Option<String> {
        let at = self.tokens.partition_point(|t| t.start < start.start);
        if let Some(before) = at.checked_sub(1).and_then(|i| self.tokens.get(i))
            && before.kind == TokenKind::Ident
            && let Some(advice) = statement(self.slice(*before))
        {
            return Some(advice.to_string());
        }
        match start.kind {
            TokenKind::Bar => Some("did you mean `||`? `|s|` is the size of `s`.".to_string()),
            TokenKind::Let => Some(VARIABLE.to_string()),
            TokenKind::Minus => match self.tokens.get(at + 1).map(|t| self.slice(*t)) {
                Some("=") => Some("write `x := x - e`".to_string()),
                Some("-") => Some("write `x := x - 1`".to_string()),
                _ => None,
            },
            _ => None,
        }
    }

    /// How to write `x += e` if `x` is what comes before.
    fn step(&self, op: &str, by: &str) -> String {
        let name = match self.previous() {
            Some(token) if token.kind == TokenKind::Ident => self.slice(token),
            _ => "x",
        };
        format!("write `{name} := {name} {op} {by}`")
    }

    /// `=`, which is an assignment or a comparison.
    fn single_equals(&self, expected: &str) -> String {
        // The keyword that the statement or clause starts with, if it starts with one.
        let before = self.tokens.iter().take(self.pos).rev().take(100).map(|token| token.kind);
        let compares = before
            .take_while(|kind| {
                !matches!(kind, TokenKind::LBrace | TokenKind::RBrace | TokenKind::Semi)
            })
            .find_map(|kind| match kind {
                TokenKind::Var | TokenKind::Assign => Some(false),
                TokenKind::Assert
                | TokenKind::Assume
                | TokenKind::Inhale
                | TokenKind::Exhale
                | TokenKind::Refute
                | TokenKind::Requires
                | TokenKind::Ensures
                | TokenKind::Invariant
                | TokenKind::If
                | TokenKind::Elseif
                | TokenKind::While
                | TokenKind::Let
                | TokenKind::Forall
                | TokenKind::Exists => Some(true),
                _ => None,
            });
        let assigns = expected == STATEMENT || expected.starts_with("`:=`");
        let advice = match compares {
            Some(true) => "did you mean `==`?",
            _ if expected == DECLARATION => BODY,
            Some(false) => "did you mean `:=`?",
            None if assigns => "did you mean `:=`?",
            None => "did you mean `==`?",
        };
        advice.to_string()
    }

    fn declaration(&self, word: &str) -> Option<String> {
        let advice = match word {
            "class" | "struct" | "record" | "datatype" | "enum" | "type" => {
                "there are no classes: declare `field f: T`, or an `adt`"
            }
            "procedure" | "lemma" | "proc" | "void" | "def" | "fn" | "func" | "static" => {
                "did you mean `method` or `function`?"
            }
            "modifies" | "reads" => {
                "permissions say what may be changed or read: `requires acc(x.f)`"
            }
            "pure" => "functions are always pure: leave it out",
            "var" | "let" | "const" => "there are no global variables",
            _ => {
                let keywords = TokenKind::KEYWORDS.iter().copied();
                return crate::wording::closest(word, keywords)
                    .map(|close| format!("did you mean `{close}`?"));
            }
        };
        Some(advice.to_string())
    }

    /// The token before the next one.
    fn previous(&self) -> Option<Token> {
        self.pos.checked_sub(1).and_then(|i| self.tokens.get(i)).copied()
    }

    fn previous_is(&self, kind: TokenKind, token: Token) -> bool {
        self.previous().is_some_and(|before| before.kind == kind && before.end == token.start)
    }
}

/// Words that start statements elsewhere; a name without arguments is a call, so that the error is
/// behind it, or comes from the type checker.
pub(crate) fn statement(word: &str) -> Option<&'static str> {
    Some(match word {
        "return" => {
            "Viper has no `return`: assign to the result variable, and `goto` a label at the end"
        }
        "break" => "Viper has no `break`: `goto` a label after the loop",
        "continue" => "Viper has no `continue`: `goto` a label at the end of the loop body",
        "for" | "foreach" | "loop" => "Viper has no `for`: use `while (…) invariant … { … }`",
        "havoc" => "declare a new variable: it has any value",
        "throw" | "try" => "Viper has no exceptions",
        "call" => "Viper has no `call`: write `m(…)` or `x := m(…)`",
        "and" => "did you mean `&&`?",
        "or" => "did you mean `||`?",
        "not" => "did you mean `!`?",
        "int" | "bool" | "boolean" | "ref" => VARIABLE,
        _ => return None,
    })
}

pub(super) const STATEMENT: &str = "a statement or `}`";
pub(super) const DECLARATION: &str = "a declaration";
const BODY: &str = "the body stands in braces: `{ … }`";
const BRACES: &str = "a body stands in braces: `{ … }`";
const VARIABLE: &str =
    "a variable is declared by `var x: T := e`; `let x == (e) in …` is an expression";

#[cfg(test)]
mod tests {
    /// The advice on the first error of a program.
    fn advice(program: &str) -> String {
        let mut sources = report::SourceMap::new();
        let file = sources.add("slips.vpr", program.to_string());
        let parsed = crate::parser::parse(file, program);
        let first = parsed.diagnostics.first().and_then(|d| d.help.clone());
        first.unwrap_or_else(|| "none".to_string())
    }

    #[test]
    fn slips_of_other_languages_are_recognised() {
        let slips = [
            ("x = 3", "`:=`"),
            ("x.f = 3", "`:=`"),
            ("var y: Int = 3", "`:=`"),
            ("x == 3", "`:=`"),
            ("assert x = 3", "`==`"),
            ("if (x = 3) { }", "`==`"),
            ("assert let y = x in y > 0", "`==`"),
            ("return 3", "no `return`: assign to the result"),
            ("x += 3", "`x := x + e`"),
            ("x++", "`x := x + 1`"),
            ("assert a & b", "`&&`"),
            ("assert a | b", "`||`"),
            ("assert a => b", "`==>`"),
            ("assert a -> b", "`==>`"),
            ("assert a <=> b", "`<==>`"),
            ("while (a) do { }", "leave out `do`"),
            ("if a { }", "parentheses"),
            ("if (a) { } else if (b) { }", "`elseif`"),
            ("if (a) x := 1", "braces"),
            ("var y := 3", "`var x: T := e`"),
            ("let y = 3", "`var x: T := e`"),
            ("assert forall y: Int . y == y", "`::`"),
        ];
        for (stmt, expected) in slips {
            let program = format!("method m(a: Bool, b: Bool) returns (x: Int) {{ {stmt} }}");
            let advice = advice(&program);
            assert!(advice.contains(expected), "{stmt}: {advice}");
        }
        let declarations = [
            ("function f(x: Int): Int = x + 1", "braces"),
            ("method m(): Int { }", "`returns (r: T)`"),
            ("method m() returns x: Int { }", "`returns (r: T)`"),
            ("method m(x: Int) requires x = 3", "`==`"),
            ("method m(x: Ref) modifies x { }", "acc(x.f)"),
            ("method m() require true { }", "`requires`"),
            ("class C { }", "no classes"),
        ];
        for (program, expected) in declarations {
            let advice = advice(program);
            assert!(advice.contains(expected), "{program}: {advice}");
        }
    }
}
