//! The preprocessor: directives and macros.
//!
//! It is our own so that ordinary files need no compiler, and so that positions stay exact: every token
//! of the result knows where it is in the user's file, or which use of a macro it comes from. The usual
//! headers are built in ([`crate::headers`]).

mod annotations;
mod condition;
mod expand;
mod extensions;
mod implicit;
mod token;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::rc::Rc;

use report::{Diagnostic, FileId, LineMarker, Pos, SourceMap, Span};

pub(crate) use self::annotations::{Annotation, Word};
pub(crate) use self::extensions::is_omitted_operand;

use self::expand::Macro;
use self::token::{Kind, Lexer, Token};
use crate::{Files, headers};

/// A text without directives, and where its parts come from.
#[derive(Debug, Default)]
pub struct Preprocessed {
    /// The text.
    pub text: String,
    /// Where each token starts in it, and what it stands for.
    origins: Vec<(u32, Span)>,
    /// Line markers, with the files that they are in.
    lines: Vec<(FileId, LineMarker)>,
    /// Where the `struct` of records with attributes is, and their words.
    of_records: BTreeMap<usize, Vec<String>>,
    /// Comments that are formulas, in the order of their places.
    pub(crate) annotations: Vec<Annotation>,
}

/// Why preprocessing did not work.
#[derive(Debug)]
pub enum Trouble {
    /// A header that is neither built in nor there: a compiler may have it.
    UnknownHeader(Box<Diagnostic>),
    /// Something else.
    Errors(Vec<Diagnostic>),
}

/// How deep files may include each other.
const MAX_INCLUDES: usize = 100;
/// How large the result may be.
const MAX_TEXT: usize = 64 << 20;

impl Preprocessed {
    /// The range in the user's files for a range of the text.
    #[must_use]
    pub fn span(&self, start: usize, end: usize) -> Pos {
        let at = |offset: usize| {
            let after = self.origins.partition_point(|(out, _)| *out as usize <= offset);
            self.origins.get(after.checked_sub(1)?).map(|(out, span)| (*out as usize, *span))
        };
        let Some((out, first)) = at(start) else { return Pos::None };
        let within = |out: usize, span: Span, offset: usize| {
            // Inside a token that was written by the user.
            span.start + ((offset - out) as u32).min(span.end - span.start)
        };
        let from = if start > out { within(out, first, start) } else { first.start };
        match at(end.max(start + 1) - 1) {
            Some((_, last)) if last.file == first.file && last.end >= from => {
                Pos::Source(Span { file: first.file, start: from, end: last.end })
            }
            _ => Pos::Source(Span { start: from, ..first }),
        }
    }
}

/// Preprocesses a file.
///
/// # Errors
///
/// What is wrong with it, or that a header is not there.
pub fn preprocess(
    files: &dyn Files,
    sources: &mut SourceMap,
    file: FileId,
) -> Result<Preprocessed, Trouble> {
    let mut pp = Preprocessor {
        files,
        sources,
        macros: HashMap::new(),
        out: Preprocessed::default(),
        inputs: Vec::new(),
        ahead: VecDeque::new(),
        errors: Vec::new(),
        once: Vec::new(),
        unknown: None,
        counter: 0,
    };
    for (name, body) in headers::MACROS {
        pp.predefine(name, body);
    }
    pp.enter(file);
    pp.run();
    let files: std::collections::BTreeSet<FileId> =
        pp.out.lines.iter().map(|(id, _)| *id).collect();
    for id in files {
        let of_file = pp.out.lines.iter().filter(|(other, _)| *other == id);
        pp.sources.mark_lines(id, of_file.map(|(_, marker)| marker.clone()).collect());
    }
    if let Some(header) = pp.unknown {
        return Err(Trouble::UnknownHeader(header));
    }
    if !pp.errors.is_empty() {
        return Err(Trouble::Errors(pp.errors));
    }
    Ok(pp.out)
}

/// A file that is being read.
struct Input {
    text: Rc<str>,
    at: usize,
    file: FileId,
    /// Conditions that are open: is this part taken, was one taken before, is there an `#else`?
    conditions: Vec<Condition>,
}

struct Condition {
    taken: bool,
    done: bool,
    last: bool,
    span: Span,
}

struct Preprocessor<'a> {
    files: &'a dyn Files,
    sources: &'a mut SourceMap,
    macros: HashMap<Rc<str>, Rc<Macro>>,
    out: Preprocessed,
    inputs: Vec<Input>,
    /// Tokens that come before those of the inputs: what macros became.
    ahead: VecDeque<Token>,
    errors: Vec<Diagnostic>,
    once: Vec<FileId>,
    unknown: Option<Box<Diagnostic>>,
    counter: u32,
}

impl Preprocessor<'_> {
    fn error(&mut self, span: Span, message: impl Into<String>) {
        if self.errors.len() < 20 {
            self.errors.push(Diagnostic::error("c.preprocessor", span, message));
        }
    }

    fn predefine(&mut self, name: &str, body: &str) {
        let span = Span { file: FileId(0), start: 0, end: 0 };
        let mut lexer = Lexer::new(body, span);
        let mut tokens = Vec::new();
        while let Ok(Some(mut token)) = lexer.next() {
            token.span = span;
            tokens.push(token);
        }
        self.macros
            .insert(name.into(), Rc::new(Macro { params: None, variadic: false, body: tokens }));
    }

    fn enter(&mut self, file: FileId) {
        let text = self.sources.get(file).map(|f| Rc::from(&*f.text)).unwrap_or_else(|| "".into());
        self.inputs.push(Input { text, at: 0, file, conditions: Vec::new() });
    }

    /// Reads everything.
    fn run(&mut self) {
        let mut line_start = true;
        while let Some(token) = self.next_raw() {
            if self.unknown.is_some() || self.errors.len() >= 20 {
                return;
            }
            if token.kind == Kind::Newline {
                line_start = true;
                self.out.text.push('\n');
                continue;
            }
            if line_start && token.is("#") && self.ahead.is_empty() {
                self.directive(token.span);
                continue;
            }
            line_start = false;
            if token.kind == Kind::Name && self.expand(&token) {
                continue;
            }
            self.emit(&token);
            if self.out.text.len() > MAX_TEXT {
                self.error(token.span, "the text becomes too large");
                return;
            }
        }
    }

    /// The next token, of a macro or of a file.
    fn next_raw(&mut self) -> Option<Token> {
        if let Some(token) = self.ahead.pop_front() {
            return Some(token);
        }
        loop {
            if let Some(token) = self.next_of_file() {
                return Some(token);
            }
            let input = self.inputs.pop()?;
            if let Some(open) = input.conditions.last() {
                let span = open.span;
                self.error(span, "this condition has no `#endif`");
            }
            if self.inputs.is_empty() {
                return None;
            }
            self.out.text.push('\n');
        }
    }

    /// The next token of the innermost file.
    fn next_of_file(&mut self) -> Option<Token> {
        let input = self.inputs.last_mut()?;
        let text = Rc::clone(&input.text);
        let rest = text.get(input.at..)?;
        let base = Span { file: input.file, start: input.at as u32, end: input.at as u32 };
        let mut lexer = Lexer::new(rest, base);
        let next = lexer.next();
        for span in std::mem::take(&mut lexer.annotations) {
            self.out.annotate(&text, span);
        }
        match next {
            Ok(token) => {
                let end = token.as_ref().map_or(text.len(), |t| t.span.end as usize);
                input.at = end;
                token
            }
            Err((at, message)) => {
                let start = input.at as u32 + at as u32;
                input.at = text.len();
                self.error(Span { start, end: start + 1, ..base }, message);
                None
            }
        }
    }

    /// The rest of the line, which is taken.
    fn line(&mut self) -> Vec<Token> {
        let mut line = Vec::new();
        while let Some(token) = self.next_of_file() {
            if token.kind == Kind::Newline {
                break;
            }
            line.push(token);
        }
        line
    }

    fn emit(&mut self, token: &Token) {
        let text = &mut self.out.text;
        if token.is(":") && text.trim_end().ends_with('?') {
            text.push(' ');
            text.push_str(extensions::OMITTED_OPERAND);
        }
        if token.spaced || !text.ends_with(['\n', ' ']) && needs_space(text, &token.text) {
            text.push(' ');
        }
        self.out.origins.push((text.len() as u32, token.span));
        text.push_str(&token.text);
    }

    /// The name and the rest of a directive.
    fn directive(&mut self, hash: Span) {
        let line = self.line();
        self.out.text.push('\n');
        let Some((name, rest)) = line.split_first() else { return };
        let span = hash.to(name.span);
        match &*name.text {
            "if" => self.open_condition(span, rest),
            "ifdef" | "ifndef" => {
                let defined = rest.first().is_some_and(|t| self.macros.contains_key(&t.text));
                if rest.is_empty() {
                    self.error(span, "a name is expected");
                }
                self.open(span, defined == (&*name.text == "ifdef"));
            }
            "elif" | "else" | "endif" => self.turn(span, &name.text, rest),
            "define" => self.define(span, rest),
            "undef" => {
                if let Some(name) = rest.first() {
                    self.macros.remove(&name.text);
                }
            }
            "include" | "include_next" => self.include(span, rest),
            "line" => self.line_marker(rest),
            "error" => {
                let words: Vec<&str> = rest.iter().map(|t| &*t.text).collect();
                self.error(span, format!("#error {}", words.join(" ")));
            }
            "pragma" if rest.first().is_some_and(|t| t.is("pack")) => {
                self.error(span, "`#pragma pack` is not supported");
            }
            "pragma" => {
                if rest.first().is_some_and(|t| t.is("once"))
                    && let Some(input) = self.inputs.last()
                {
                    self.once.push(input.file);
                }
            }
            "warning" | "ident" | "sccs" => {}
            _ if name.kind == Kind::Number => self.line_marker(&line),
            other => self.error(span, format!("there is no directive `#{other}`")),
        }
    }

    fn line_marker(&mut self, rest: &[Token]) {
        let Some(input) = self.inputs.last() else { return };
        let Some(line) = rest.first().and_then(|t| t.text.parse::<u32>().ok()) else { return };
        let name = rest.get(1).map(|t| t.text.trim_matches('"').into());
        self.out.lines.push((input.file, LineMarker { start: input.at as u32, line, name }));
    }

    fn open_condition(&mut self, span: Span, rest: &[Token]) {
        let holds = self.condition(span, rest);
        self.open(span, holds);
    }

    fn open(&mut self, span: Span, taken: bool) {
        if let Some(input) = self.inputs.last_mut() {
            input.conditions.push(Condition { taken, done: taken, last: false, span });
        }
        if !taken {
            self.skip();
        }
    }

    fn turn(&mut self, span: Span, name: &str, rest: &[Token]) {
        let Some(input) = self.inputs.last_mut() else { return };
        let Some(open) = input.conditions.last_mut() else {
            return self.error(span, format!("`#{name}` without `#if`"));
        };
        if name == "endif" {
            input.conditions.pop();
            return;
        }
        if open.last {
            return self.error(span, "there was an `#else` before");
        }
        open.last = name == "else";
        if open.done {
            open.taken = false;
            return self.skip();
        }
        let taken = name == "else" || self.condition(span, rest);
        if let Some(open) = self.inputs.last_mut().and_then(|input| input.conditions.last_mut()) {
            open.taken = taken;
            open.done = taken;
        }
        if !taken {
            self.skip();
        }
    }

    /// Skips lines up to the next part of the innermost condition.
    fn skip(&mut self) {
        let mut depth = 0u32;
        let annotations = self.out.annotations.len();
        while self.inputs.last().is_some_and(|input| input.at < input.text.len()) {
            let before = self.inputs.last().map_or(0, |input| input.at);
            let line = self.line();
            self.out.annotations.truncate(annotations);
            self.out.text.push('\n');
            let [hash, name, ..] = line.as_slice() else { continue };
            if !hash.is("#") {
                continue;
            }
            match &*name.text {
                "if" | "ifdef" | "ifndef" => depth += 1,
                "endif" if depth > 0 => depth -= 1,
                "endif" | "else" | "elif" if depth == 0 => {
                    // It is read again as a directive.
                    if let Some(input) = self.inputs.last_mut() {
                        input.at = before;
                    }
                    return;
                }
                _ => {}
            }
        }
    }

    fn include(&mut self, span: Span, rest: &[Token]) {
        let line = match rest.first() {
            Some(t) if t.kind == Kind::Name => self.expand_all(rest.to_vec()),
            _ => rest.to_vec(),
        };
        let words: String = line
            .iter()
            .map(|t| if t.spaced { format!(" {}", t.text) } else { t.text.to_string() })
            .collect();
        let words = words.trim();
        let (name, quoted) =
            if let Some(name) = words.strip_prefix('<').and_then(|w| w.split('>').next()) {
                (name.to_owned(), false)
            } else if let Some(name) = words.strip_prefix('"').and_then(|w| w.split('"').next()) {
                (name.to_owned(), true)
            } else {
                return self.error(span, "the name of a file is expected");
            };
        if self.inputs.len() >= MAX_INCLUDES {
            return self.error(span, "files include each other without end");
        }
        let from = self.inputs.last().map_or(FileId(0), |input| input.file);
        let user = self.sources.get(from).map(|f| f.name.clone()).unwrap_or_default();
        if (quoted || headers::text(&name).is_none())
            && let Some(path) = self.files.resolve(&user, &name)
        {
            let known = self.sources.files().find(|(_, f)| f.name == path).map(|(id, _)| id);
            if known.is_some_and(|id| self.once.contains(&id)) {
                return;
            }
            match known
                .map_or_else(|| self.files.read(&path).map(|text| self.sources.add(path, text)), Ok)
            {
                Ok(file) => self.enter(file),
                Err(reason) => self.error(span, format!("`{name}` cannot be read: {reason}")),
            }
            return;
        }
        match headers::text(&name) {
            Some(text) => {
                let shown = format!("<{name}>");
                let known = self.sources.files().find(|(_, f)| f.name == shown).map(|(id, _)| id);
                // Built-in headers say everything once.
                if known.is_none() {
                    let file = self.sources.add(shown, text);
                    self.enter(file);
                }
            }
            None => {
                let message = format!("there is no file `{name}`");
                self.unknown = Some(Box::new(Diagnostic::error("c.preprocessor", span, message)));
            }
        }
    }
}

/// Would two tokens become one?
fn needs_space(before: &str, after: &str) -> bool {
    let (Some(a), Some(b)) = (before.bytes().last(), after.bytes().next()) else { return false };
    let word = |c: u8| c.is_ascii_alphanumeric() || c == b'_' || c >= 0x80;
    if word(a) && (word(b) || matches!(b, b'"' | b'\'')) {
        return true;
    }
    let operator = |c: u8| b"+-*/%&|^<>=!#.:".contains(&c);
    (operator(a) && operator(b)) || (a == b'.' && b.is_ascii_digit())
}
