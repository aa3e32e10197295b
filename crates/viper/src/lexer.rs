//! Tokens and trivia.
//!
//! The lexer never fails: what it does not understand becomes [`TokenKind::Error`], an unterminated
//! comment [`TokenKind::UnterminatedComment`]. Comments are kept (the formatter needs them);
//! the parser skips them.

use logos::Logos;

/// A token or comment with its range in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// Which.
    pub kind: TokenKind,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

macro_rules! tokens {
    (
        keywords { $($kw:ident = $kw_text:literal,)* }
        symbols { $($sym:ident = $sym_text:literal,)* }
    ) => {
        /// The kinds of tokens.
        #[derive(Clone, Copy, Debug, Logos, PartialEq, Eq, Hash)]
        #[logos(skip r"[ \t\r\n\u{feff}]+")]
        #[allow(missing_docs)]
        pub enum TokenKind {
            $(#[token($kw_text)] $kw,)*
            $(#[token($sym_text)] $sym,)*
            /// A name.
            #[regex(r"[A-Za-z$_][A-Za-z0-9$_]*")]
            Ident,
            /// A number.
            #[regex(r"[0-9]+")]
            Int,
            /// `"…"`, may span lines.
            #[token("\"", string)]
            String,
            /// A quote without its partner.
            UnterminatedString,
            /// `// …` without the line break.
            #[regex(r"//[^\n]*")]
            LineComment,
            /// `/* … */`
            #[token("/*", block_comment)]
            BlockComment,
            /// `/* …` to the end of the file.
            UnterminatedComment,
            /// Anything else.
            Error,
            /// The end of the file.
            Eof,
        }

        impl TokenKind {
            /// How to name it in a message.
            #[must_use]
            pub fn describe(self) -> &'static str {
                match self {
                    $(TokenKind::$kw => concat!("`", $kw_text, "`"),)*
                    $(TokenKind::$sym => concat!("`", $sym_text, "`"),)*
                    TokenKind::Ident => "an identifier",
                    TokenKind::Int => "a number",
                    TokenKind::String => "a string",
                    TokenKind::UnterminatedString => "a string that never ends",
                    TokenKind::LineComment | TokenKind::BlockComment => "a comment",
                    TokenKind::UnterminatedComment => "a comment that never ends",
                    TokenKind::Error => "an unknown character",
                    TokenKind::Eof => "the end of the file",
                }
            }

            /// Is it a reserved word?
            #[must_use]
            pub fn is_keyword(self) -> bool {
                matches!(self, $(TokenKind::$kw)|*)
            }

            /// The reserved words.
            pub const KEYWORDS: &'static [&'static str] = &[$($kw_text),*];
        }
    };
}

tokens! {
    keywords {
        Acc = "acc",
        Adt = "adt",
        Apply = "apply",
        Applying = "applying",
        Assert = "assert",
        Asserting = "asserting",
        Assume = "assume",
        Axiom = "axiom",
        Bool = "Bool",
        Decreases = "decreases",
        Define = "define",
        Derives = "derives",
        Domain = "domain",
        Else = "else",
        Elseif = "elseif",
        Ensures = "ensures",
        Epsilon = "epsilon",
        Exhale = "exhale",
        Exists = "exists",
        False = "false",
        Field = "field",
        Fold = "fold",
        Forall = "forall",
        Forperm = "forperm",
        Function = "function",
        Goto = "goto",
        If = "if",
        Import = "import",
        In = "in",
        Inhale = "inhale",
        IntTy = "Int",
        Interpretation = "interpretation",
        Intersection = "intersection",
        Invariant = "invariant",
        Label = "label",
        Let = "let",
        Lhs = "lhs",
        Map = "Map",
        Method = "method",
        Multiset = "Multiset",
        New = "new",
        None = "none",
        Null = "null",
        Old = "old",
        Package = "package",
        Perm = "perm",
        PermTy = "Perm",
        Predicate = "predicate",
        Quasihavoc = "quasihavoc",
        Quasihavocall = "quasihavocall",
        Range = "range",
        Rational = "Rational",
        Ref = "Ref",
        Refute = "refute",
        Requires = "requires",
        Result = "result",
        Returns = "returns",
        Seq = "Seq",
        Set = "Set",
        Setminus = "setminus",
        Subset = "subset",
        True = "true",
        Unfold = "unfold",
        Unfolding = "unfolding",
        Union = "union",
        Unique = "unique",
        Var = "var",
        While = "while",
        Wildcard = "wildcard",
        Without = "without",
        Write = "write",
    }
    symbols {
        LParen = "(",
        RParen = ")",
        LBracket = "[",
        RBracket = "]",
        LBrace = "{",
        RBrace = "}",
        Comma = ",",
        Semi = ";",
        Dot = ".",
        DotDot = "..",
        Colon = ":",
        ColonColon = "::",
        Assign = ":=",
        Question = "?",
        At = "@",
        Hash = "#",
        Bar = "|",
        BarBar = "||",
        AndAnd = "&&",
        EqEq = "==",
        Ne = "!=",
        Implies = "==>",
        Iff = "<==>",
        Wand = "--*",
        Lt = "<",
        Le = "<=",
        Gt = ">",
        Ge = ">=",
        Plus = "+",
        PlusPlus = "++",
        Minus = "-",
        Star = "*",
        Slash = "/",
        Backslash = "\\",
        Percent = "%",
        Not = "!",
    }
}

fn string(lexer: &mut logos::Lexer<'_, TokenKind>) -> Option<()> {
    let end = lexer.remainder().find('"')?;
    lexer.bump(end + 1);
    Some(())
}

fn block_comment(lexer: &mut logos::Lexer<'_, TokenKind>) -> Option<()> {
    match lexer.remainder().find("*/") {
        Some(end) => {
            lexer.bump(end + 2);
            Some(())
        }
        None => {
            lexer.bump(lexer.remainder().len());
            None
        }
    }
}

impl TokenKind {
    /// Is it a comment?
    #[must_use]
    pub fn is_comment(self) -> bool {
        matches!(self, TokenKind::LineComment | TokenKind::BlockComment)
    }
}

/// All tokens and comments of a text, with [`TokenKind::Eof`] at the end.
#[must_use]
pub fn tokenize(text: &str) -> Vec<Token> {
    // Viper source has about one token for every four bytes.
    let mut tokens = Vec::with_capacity(text.len() / 4 + 1);
    let mut lexer = TokenKind::lexer(text);
    while let Some(kind) = lexer.next() {
        let span = lexer.span();
        let kind = kind.unwrap_or_else(|()| {
            let slice = lexer.slice();
            if slice.starts_with("/*") {
                TokenKind::UnterminatedComment
            } else if slice == "\"" {
                TokenKind::UnterminatedString
            } else {
                TokenKind::Error
            }
        });
        tokens.push(Token { kind, start: span.start as u32, end: span.end as u32 });
    }
    let end = text.len() as u32;
    tokens.push(Token { kind: TokenKind::Eof, start: end, end });
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<TokenKind> {
        tokenize(text).into_iter().map(|t| t.kind).collect()
    }

    #[test]
    fn longest_operator_wins() {
        use TokenKind::*;
        assert_eq!(kinds("a --* b<==>c"), [Ident, Wand, Ident, Iff, Ident, Eof]);
        assert_eq!(kinds("s[1..2]"), [Ident, LBracket, Int, DotDot, Int, RBracket, Eof]);
        assert_eq!(kinds("x:=y::z"), [Ident, Assign, Ident, ColonColon, Ident, Eof]);
        assert_eq!(kinds("inn in"), [Ident, In, Eof]);
    }

    #[test]
    fn comments_are_tokens() {
        use TokenKind::*;
        assert_eq!(kinds("// a\n/* b\n */ c"), [LineComment, BlockComment, Ident, Eof]);
        assert_eq!(kinds("/**/x"), [BlockComment, Ident, Eof]);
        assert_eq!(kinds("x /* y"), [Ident, UnterminatedComment, Eof]);
    }

    #[test]
    fn nothing_is_an_error_that_stops() {
        use TokenKind::*;
        assert_eq!(kinds("§ x"), [Error, Ident, Eof]);
        assert_eq!(kinds("\"abc"), [UnterminatedString, Ident, Eof]);
    }
}
