//! Declarations without a type: old programs mean `int`.

use report::Pos;

use super::Preprocessed;

/// Words that may stand before the type of a declaration.
const PREFIXES: [&str; 10] = [
    "static",
    "extern",
    "const",
    "volatile",
    "register",
    "auto",
    "inline",
    "__inline",
    "__inline__",
    "__extension__",
];

impl Preprocessed {
    /// Writes `int` where a declaration has no type; answers where that was.
    pub(crate) fn add_implicit_int(&mut self) -> Vec<Pos> {
        let end = self.text.len();
        let starts: Vec<usize> = self.origins.iter().map(|(out, _)| *out as usize).collect();
        let token = |i: usize| {
            let from = starts.get(i).copied()?;
            let to = starts.get(i + 1).copied().unwrap_or(end);
            self.text.get(from..to).map(str::trim)
        };
        let mut found = Vec::new();
        let (mut braces, mut parentheses) = (0u32, 0u32);
        // For each open brace: does it start a block, so that a statement or declaration follows it?
        let mut blocks = Vec::new();
        let mut at_start = true;
        let mut before = "";
        let mut i = 0;
        while let Some(text) = token(i) {
            if at_start && parentheses == 0 {
                let mut name = i;
                while token(name).is_some_and(|t| PREFIXES.contains(&t)) {
                    name += 1;
                }
                if let (Some(word), Some(next)) = (token(name), token(name + 1))
                    && is_name(word)
                    && !is_keyword(word)
                {
                    // At the level of the file anything is a declaration; in a block the words before are.
                    let declares = match (braces, name > i) {
                        (0, _) => matches!(next, ";" | "=" | "," | "[" | "("),
                        (_, true) => matches!(next, ";" | "=" | "," | "["),
                        (_, false) => false,
                    };
                    let defines =
                        next != "(" || braces == 0 && self.defines_function(&starts, name + 1);
                    if declares && defines {
                        found.push(name);
                    }
                }
            }
            at_start = false;
            match text {
                "{" => {
                    braces += 1;
                    // Others are those of records, enumerations and initialisers.
                    blocks.push(matches!(before, ")" | ";" | "{" | "}" | "else" | "do" | ":"));
                    at_start = parentheses == 0 && blocks.last() == Some(&true);
                }
                "}" => {
                    braces = braces.saturating_sub(1);
                    at_start = parentheses == 0 && blocks.pop() == Some(true);
                }
                ";" => at_start = parentheses == 0,
                "(" | "[" => parentheses += 1,
                ")" | "]" => parentheses = parentheses.saturating_sub(1),
                _ => {}
            }
            before = text;
            i += 1;
        }
        let places =
            found.iter().filter_map(|i| self.origins.get(*i)).map(|(_, span)| Pos::Source(*span));
        let places = places.collect();
        for i in found.into_iter().rev() {
            let Some((at, _)) = self.origins.get(i).copied() else { continue };
            self.text.insert_str(at as usize, "int ");
            for (out, _) in &mut self.origins[i..] {
                *out += 4;
            }
        }
        places
    }

    /// Is the list in parentheses that starts here that of a function that is defined or declared?
    fn defines_function(&self, starts: &[usize], open: usize) -> bool {
        let text = |i: usize| {
            let from = starts.get(i).copied()?;
            let to = starts.get(i + 1).copied().unwrap_or(self.text.len());
            self.text.get(from..to).map(str::trim)
        };
        let mut depth = 0u32;
        for i in open.. {
            match text(i) {
                Some("(") => depth += 1,
                Some(")") if depth == 1 => {
                    // The body, the types of its parameters, or the end of a declaration.
                    return text(i + 1)
                        .is_some_and(|next| matches!(next, "{" | ";") || is_name(next));
                }
                Some(")") => depth -= 1,
                Some(_) => {}
                None => return false,
            }
        }
        false
    }
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// Words of the language, none of which is a name that is declared.
fn is_keyword(word: &str) -> bool {
    const WORDS: [&str; 38] = [
        "void",
        "char",
        "short",
        "int",
        "long",
        "float",
        "double",
        "signed",
        "unsigned",
        "_Bool",
        "struct",
        "union",
        "enum",
        "typedef",
        "typeof",
        "__typeof__",
        "__typeof",
        "if",
        "else",
        "while",
        "do",
        "for",
        "switch",
        "case",
        "default",
        "break",
        "continue",
        "return",
        "goto",
        "sizeof",
        "_Static_assert",
        "__attribute__",
        "__attribute",
        "asm",
        "__asm__",
        "__asm",
        "_Noreturn",
        "restrict",
    ];
    WORDS.contains(&word)
}
