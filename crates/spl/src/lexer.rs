//! Tokens and trivia.
//!
//! The lexer never fails: what it does not understand becomes [`TokenKind::Error`]. Comments are
//! kept (the formatter needs them); the parser skips them. Where the reference tool's longest match
//! surprises, ours does the same (`!inList` is `!in List`, `b?x` is one name), and the parser says so.

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
            /// A name. It may start with digits, contain one `?` before a letter, end in `^n`.
            #[regex(r"[0-9]*[A-Za-z_][A-Za-z0-9_]*(\?[A-Za-z_][A-Za-z0-9_]*)?(\^[0-9]+)?", priority = 3)]
            #[regex(r"[0-9]*\?[A-Za-z_][A-Za-z0-9_]*(\^[0-9]+)?")]
            Ident,
            /// A number.
            #[regex(r"[0-9]+")]
            Int,
            /// `'c'`
            #[regex(r"'[^'\n]'")]
            Char,
            /// `"…"`
            #[regex(r#""[^"\n]*""#)]
            String,
            /// `// …` without the line break.
            #[regex(r"//[^\n]*")]
            LineComment,
            /// `/* … */`, nested; one that never ends ends the file.
            #[token("/*", block_comment)]
            BlockComment,
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
                    TokenKind::Ident => "a name",
                    TokenKind::Int => "a number",
                    TokenKind::Char => "a character",
                    TokenKind::String => "a string",
                    TokenKind::LineComment | TokenKind::BlockComment => "a comment",
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

// `split`, which the reference tool reserves, is a name here: it has no meaning there.
tokens! {
    keywords {
        Array = "Array",
        ArrayCell = "ArrayCell",
        Assert = "assert",
        Assume = "assume",
        Auto = "auto",
        Axiom = "axiom",
        Bool = "Bool",
        Byte = "Byte",
        Byte2Int = "byte2int",
        Choose = "choose",
        Comment = "comment",
        Const = "const",
        Datatype = "datatype",
        Define = "define",
        Else = "else",
        Emp = "emp",
        Ensures = "ensures",
        Exists = "exists",
        False = "false",
        Forall = "forall",
        Free = "free",
        Function = "function",
        Ghost = "ghost",
        Havoc = "havoc",
        If = "if",
        Implicit = "implicit",
        In = "in",
        Include = "include",
        IntTy = "Int",
        Int2Byte = "int2byte",
        Invariant = "invariant",
        Lemma = "lemma",
        Loc = "Loc",
        Map = "Map",
        Matching = "matching",
        New = "new",
        Noinst = "noinst",
        Null = "null",
        Options = "options",
        Or = "or",
        Outputs = "outputs",
        Pattern = "pattern",
        Predicate = "predicate",
        Procedure = "procedure",
        Pure = "pure",
        Requires = "requires",
        Return = "return",
        Returns = "returns",
        Set = "Set",
        Struct = "struct",
        Subsetof = "subsetof",
        True = "true",
        Type = "type",
        Var = "var",
        While = "while",
        With = "with",
        Without = "without",
        Yields = "yields",
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
        Colon = ":",
        ColonColon = "::",
        Assign = ":=",
        Question = "?",
        At = "@",
        EqEq = "==",
        Eq = "=",
        Ne = "!=",
        NotIn = "!in",
        Not = "!",
        Tilde = "~",
        Lt = "<",
        Le = "<=",
        Gt = ">",
        Ge = ">=",
        AndAnd = "&&",
        OrOr = "||",
        Implies = "==>",
        Iff = "<=>",
        SepStar = "&*&",
        SepPlus = "&+&",
        SepIncl = "-**",
        PointsTo = "|->",
        Plus = "+",
        PlusPlus = "++",
        Minus = "-",
        MinusMinus = "--",
        Star = "*",
        StarStar = "**",
        Slash = "/",
        Percent = "%",
        Amp = "&",
        Bar = "|",
        Shl = "<-<",
        Shr = ">->",
    }
}

fn block_comment(lexer: &mut logos::Lexer<'_, TokenKind>) {
    let bytes = lexer.remainder().as_bytes();
    let (mut depth, mut at) = (1u32, 0);
    while depth > 0 {
        match (bytes.get(at), bytes.get(at + 1)) {
            (Some(b'/'), Some(b'*')) => {
                depth += 1;
                at += 2;
            }
            (Some(b'*'), Some(b'/')) => {
                depth -= 1;
                at += 2;
            }
            (Some(_), _) => at += 1,
            (None, _) => break,
        }
    }
    lexer.bump(at);
}

impl TokenKind {
    /// Is it a comment?
    #[must_use]
    pub fn is_comment(self) -> bool {
        matches!(self, TokenKind::LineComment | TokenKind::BlockComment)
    }
}

/// Does this block comment end?
#[must_use]
pub fn is_closed(comment: &str) -> bool {
    let mut lexer = TokenKind::lexer(comment);
    lexer.next();
    // It is one comment, so every `/*` in it was counted; the last two bytes close the first one.
    let body = comment.get(2..).unwrap_or("");
    let (mut depth, mut bytes) = (1i64, body.bytes().peekable());
    while let Some(byte) = bytes.next() {
        match (byte, bytes.peek()) {
            (b'/', Some(b'*')) => {
                bytes.next();
                depth += 1;
            }
            (b'*', Some(b'/')) => {
                bytes.next();
                depth -= 1;
            }
            _ => {}
        }
    }
    depth <= 0
}

/// All tokens and comments of a text, with [`TokenKind::Eof`] at the end.
#[must_use]
pub fn tokenize(text: &str) -> Vec<Token> {
    let mut tokens = Vec::with_capacity(text.len() / 4 + 1);
    let mut lexer = TokenKind::lexer(text);
    while let Some(kind) = lexer.next() {
        let span = lexer.span();
        let kind = kind.unwrap_or(TokenKind::Error);
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
    fn longest_match_wins_as_in_the_reference_tool() {
        use TokenKind::*;
        assert_eq!(kinds("a &*& b-**c"), [Ident, SepStar, Ident, SepIncl, Ident, Eof]);
        assert_eq!(kinds("!inList(x)"), [NotIn, Ident, LParen, Ident, RParen, Eof]);
        assert_eq!(kinds("b?x"), [Ident, Eof]);
        assert_eq!(kinds("b ? x"), [Ident, Question, Ident, Eof]);
        assert_eq!(kinds("0x10 x^3 12"), [Ident, Ident, Int, Eof]);
        assert_eq!(kinds("x.f |-> y"), [Ident, Dot, Ident, PointsTo, Ident, Eof]);
        assert_eq!(kinds("'a' \"s\""), [Char, String, Eof]);
    }

    #[test]
    fn comments_nest_and_may_end_the_file() {
        use TokenKind::*;
        assert_eq!(kinds("/* a /* b */ c */ d"), [BlockComment, Ident, Eof]);
        assert_eq!(kinds("d /* a /* b */ c"), [Ident, BlockComment, Eof]);
        assert!(is_closed("/* a /* b */ c */"));
        assert!(!is_closed("/* a /* b */ c"));
    }
}
