//! Documents: text with places where a line may break, and their rendering.
//!
//! The combinators are those of Wadler and Leijen (text, line, nest, group), but a document is kept
//! as the flat sequence of its items instead of a tree: a group is a pair of brackets in it. That
//! makes building and rendering linear in the number of items and independent of nesting depth.
//!
//! Rendering takes two passes, as in Oppen's algorithm. The first goes backwards and measures every
//! group: how wide it is on one line, together with what follows it up to the next place that may
//! break. The second goes forwards and breaks the lines of exactly those groups that do not fit.
//!
//! White space is lazy: a space or a line break is written only when text follows, so that no line
//! ends in white space and comments, which bring their own line breaks, never cause empty lines.

use std::borrow::Cow;

/// The columns that a nested line is moved to the right.
pub const INDENT: usize = 4;

/// Lines start at most this far to the right: else deeply nested programs would be mostly spaces.
const MAX_INDENT: usize = 15 * INDENT;

/// Whether a comment shares its line with what is next to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gap {
    /// On the same line.
    Inline,
    /// On another line.
    Newline,
    /// With an empty line in between.
    Blank,
}

#[derive(Clone, Debug)]
enum Item<'a> {
    Text(Cow<'a, str>),
    Comment { text: Cow<'a, str>, before: Gap, after: Gap },
    Space,
    Line,
    Softline,
    Hardline { blank: bool },
    NoBlank,
    Open { limit: Limit, bracket: bool },
    Close,
    Indent,
    Dedent,
    IndentIfBroken,
    DedentIfBroken,
}

/// What counts as too wide for a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The usual width.
    Usual,
    /// For signatures, which are better read on one line even if it is long.
    Wide,
}

/// How wide lines may be.
#[derive(Clone, Copy, Debug)]
pub struct Width {
    /// For [`Limit::Usual`].
    pub usual: usize,
    /// For [`Limit::Wide`].
    pub wide: usize,
}

/// A document under construction.
#[derive(Debug, Default)]
pub struct Doc<'a> {
    items: Vec<Item<'a>>,
}

impl<'a> Doc<'a> {
    /// Text without line breaks that would matter (a string literal may contain some).
    pub fn text(&mut self, text: impl Into<Cow<'a, str>>) {
        self.items.push(Item::Text(text.into()));
    }

    /// A comment; it keeps its distance to its neighbours by itself.
    pub fn comment(&mut self, text: impl Into<Cow<'a, str>>, before: Gap, after: Gap) {
        self.items.push(Item::Comment { text: text.into(), before, after });
    }

    /// A space, never a line break.
    pub fn space(&mut self) {
        self.items.push(Item::Space);
    }

    /// A space, or a line break if the group is broken.
    pub fn line(&mut self) {
        self.items.push(Item::Line);
    }

    /// Nothing, or a line break if the group is broken.
    pub fn softline(&mut self) {
        self.items.push(Item::Softline);
    }

    /// A line break in any case, perhaps with an empty line.
    pub fn hardline(&mut self, blank: bool) {
        self.items.push(Item::Hardline { blank });
    }

    /// No empty line here, whoever asks for it.
    pub fn no_blank(&mut self) {
        self.items.push(Item::NoBlank);
    }

    /// Starts a group: either all its own lines are broken, or none is.
    pub fn open(&mut self, limit: Limit) {
        self.items.push(Item::Open { limit, bracket: false });
    }

    /// Starts a group between brackets. What is before it would rather break its own lines than
    /// rely on those inside the brackets.
    pub fn open_bracket(&mut self, limit: Limit) {
        self.items.push(Item::Open { limit, bracket: true });
    }

    /// Ends the innermost group.
    pub fn close(&mut self) {
        self.items.push(Item::Close);
    }

    /// Lines from here on start [`INDENT`] columns further to the right.
    pub fn indent(&mut self) {
        self.items.push(Item::Indent);
    }

    /// Ends the innermost [`Doc::indent`].
    pub fn dedent(&mut self) {
        self.items.push(Item::Dedent);
    }

    /// As [`Doc::indent`], but only if the group is broken.
    pub fn indent_if_broken(&mut self) {
        self.items.push(Item::IndentIfBroken);
    }

    /// Ends the innermost [`Doc::indent_if_broken`], in the same group.
    pub fn dedent_if_broken(&mut self) {
        self.items.push(Item::DedentIfBroken);
    }

    /// The text on as many lines as needed, with a line break at the end unless it is empty.
    #[must_use]
    pub fn render(&self, width: Width) -> String {
        let mut writer = Writer::default();
        let measures = self.measure();
        let mut measures = measures.iter().rev();
        let mut broken: Vec<bool> = Vec::new();
        for item in &self.items {
            let is_broken = broken.last().copied().unwrap_or(true);
            match item {
                Item::Open { limit, bracket } => {
                    let limit = match limit {
                        Limit::Usual => width.usual,
                        Limit::Wide => width.wide,
                    };
                    let measure = measures.next().copied().unwrap_or_default();
                    let fits = || {
                        writer.next_column() + measure.first <= limit
                            && (!measure.is_split || writer.indent() + measure.rest <= limit)
                    };
                    // A list with a comment in it is not a line any more, whatever is around it.
                    let comes_apart = *bracket && measure.is_split;
                    broken.push(comes_apart || is_broken && !fits());
                }
                Item::Close => {
                    broken.pop();
                }
                Item::Line if is_broken => writer.newline(false),
                Item::Line => writer.flat_line(Pending::Space),
                Item::Softline if is_broken => writer.newline(false),
                Item::Softline => writer.flat_line(Pending::Nothing),
                Item::Hardline { blank } => writer.newline(*blank),
                Item::IndentIfBroken if is_broken => writer.item(&Item::Indent),
                Item::DedentIfBroken if is_broken => writer.item(&Item::Dedent),
                item => writer.item(item),
            }
        }
        writer.finish()
    }

    /// The text on one line. Statements on it are separated by `;`.
    #[must_use]
    pub fn render_line(&self) -> String {
        let mut writer = Writer::default();
        for item in &self.items {
            match item {
                Item::Line | Item::Hardline { .. } => writer.flat_line(Pending::Space),
                item => writer.item(item),
            }
        }
        writer.out
    }

    /// The measures of all groups, last group first.
    fn measure(&self) -> Vec<Measure> {
        let mut measures = Vec::new();
        // What has been seen of the groups that are open at this place; all lengths are of segments
        // between line breaks that no rendering can avoid.
        let mut open: Vec<Segments> = Vec::new();
        let mut outermost = Segments::default();
        // The width from here to the next place that may break.
        let mut tail = 0;
        for item in self.items.iter().rev() {
            let current = open.last_mut().unwrap_or(&mut outermost);
            match item {
                Item::Text(text) => {
                    let width = width_of(text);
                    current.first += width;
                    tail += width;
                }
                Item::Comment { text, before, after } => {
                    if *after == Gap::Inline {
                        // Measured without the indentation of its lines, which may yet change.
                        let last = text.lines().next_back().unwrap_or_default();
                        let width = width_of(last.trim_start()) + 1;
                        current.first += width;
                        tail += width;
                        if let Some((first, _)) = text.split_once('\n') {
                            current.split();
                            current.first += width_of(first);
                            tail = width_of(first);
                        }
                    } else {
                        // A comment at the end of a line may be as long as it likes.
                        current.split();
                        tail = 0;
                    }
                    if *before != Gap::Inline {
                        current.split();
                        tail = 0;
                    }
                }
                Item::Space => {
                    current.first += 1;
                    tail += 1;
                }
                Item::Line => {
                    current.first += 1;
                    tail = 0;
                }
                Item::Softline => tail = 0,
                Item::Hardline { .. } => {
                    current.split();
                    tail = 0;
                }
                Item::Close => open.push(Segments { tail, ..Segments::default() }),
                Item::Open { bracket, .. } => {
                    let group = open.pop().unwrap_or_default();
                    let measure = group.measure();
                    measures.push(measure);
                    if *bracket {
                        tail = measure.first;
                    }
                    open.last_mut().unwrap_or(&mut outermost).prepend(group);
                }
                Item::NoBlank | Item::Indent | Item::Dedent => {}
                Item::IndentIfBroken | Item::DedentIfBroken => {}
            }
        }
        measures
    }
}

/// What a group needs in order to stay unbroken.
#[derive(Clone, Copy, Debug, Default)]
struct Measure {
    /// Up to its first unavoidable line break, or with what follows it if there is none.
    first: usize,
    /// The widest line after that.
    rest: usize,
    /// Has it unavoidable line breaks?
    is_split: bool,
}

/// The widths between unavoidable line breaks, collected from the end.
#[derive(Debug, Default)]
struct Segments {
    first: usize,
    widest_between: usize,
    last: Option<usize>,
    tail: usize,
}

impl Segments {
    fn split(&mut self) {
        match self.last {
            None => self.last = Some(self.first),
            Some(_) => self.widest_between = self.widest_between.max(self.first),
        }
        self.first = 0;
    }

    fn prepend(&mut self, inner: Segments) {
        if let Some(last) = inner.last {
            self.first += last;
            self.split();
            self.widest_between = self.widest_between.max(inner.widest_between);
        }
        self.first += inner.first;
    }

    fn measure(&self) -> Measure {
        match self.last {
            None => Measure { first: self.first + self.tail, rest: 0, is_split: false },
            Some(last) => Measure {
                first: self.first,
                rest: self.widest_between.max(last + self.tail),
                is_split: true,
            },
        }
    }
}

fn width_of(text: &str) -> usize {
    text.chars().count()
}

/// White space that has been asked for and not yet been written, from weakest to strongest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Pending {
    Nothing,
    /// After a comment: a space unless closing punctuation follows.
    SpaceOrPunctuation,
    Space,
    Newline,
    BlankLine,
    /// A line break that cannot become an empty line.
    OnlyNewline,
}

#[derive(Debug)]
struct Writer {
    out: String,
    column: usize,
    depth: usize,
    pending: Pending,
    pending_indent: usize,
}

impl Default for Writer {
    fn default() -> Writer {
        let pending = Pending::OnlyNewline;
        Writer { out: String::new(), column: 0, depth: 0, pending, pending_indent: 0 }
    }
}

impl Writer {
    fn item(&mut self, item: &Item<'_>) {
        match item {
            Item::Text(text) => self.text(text),
            Item::Comment { text, before, after } => self.comment(text, *before, *after),
            Item::Space => self.ask(Pending::Space),
            Item::NoBlank if self.pending >= Pending::Newline => self.ask(Pending::OnlyNewline),
            Item::Indent => self.depth += 1,
            Item::Dedent => self.depth = self.depth.saturating_sub(1),
            // These depend on the mode, which the callers know.
            Item::Line | Item::Softline | Item::Hardline { .. } => {}
            Item::NoBlank | Item::Open { .. } | Item::Close => {}
            Item::IndentIfBroken | Item::DedentIfBroken => {}
        }
    }

    fn indent(&self) -> usize {
        (self.depth * INDENT).min(MAX_INDENT)
    }

    fn ask(&mut self, pending: Pending) {
        self.pending = self.pending.max(pending);
    }

    fn newline(&mut self, blank: bool) {
        self.ask(if blank { Pending::BlankLine } else { Pending::Newline });
        self.pending_indent = self.indent();
    }

    /// A line that is not broken. After a comment that ends its line it still says how far the next
    /// line is indented.
    fn flat_line(&mut self, pending: Pending) {
        self.ask(pending);
        self.pending_indent = self.indent();
    }

    /// Where text would start now.
    fn next_column(&self) -> usize {
        match self.pending {
            Pending::Nothing => self.column,
            Pending::SpaceOrPunctuation | Pending::Space => self.column + 1,
            Pending::Newline | Pending::BlankLine | Pending::OnlyNewline => self.pending_indent,
        }
    }

    fn text(&mut self, text: &str) {
        let first = text.chars().next();
        match self.pending {
            Pending::Nothing => {
                // `| |s| |` has no bar that may touch another one.
                if first == Some('|') && self.out.ends_with('|') {
                    self.spaces(1);
                }
            }
            Pending::SpaceOrPunctuation => {
                if !matches!(first, Some(',' | ';' | ')' | ']')) {
                    self.spaces(1);
                }
            }
            Pending::Space => self.spaces(1),
            Pending::Newline | Pending::BlankLine | Pending::OnlyNewline => {
                if !self.out.is_empty() {
                    self.out.push('\n');
                    if self.pending == Pending::BlankLine {
                        self.out.push('\n');
                    }
                }
                self.column = 0;
                self.spaces(self.pending_indent);
            }
        }
        self.pending = Pending::Nothing;
        self.out.push_str(text);
        match text.rfind('\n') {
            Some(end) => self.column = width_of(text.get(end + 1..).unwrap_or_default()),
            None => self.column += width_of(text),
        }
    }

    fn spaces(&mut self, count: usize) {
        self.out.extend(std::iter::repeat_n(' ', count));
        self.column += count;
    }

    fn comment(&mut self, text: &str, before: Gap, after: Gap) {
        match before {
            Gap::Inline => {
                if self.pending == Pending::Nothing && !self.out.ends_with(['(', '[']) {
                    self.pending = Pending::Space;
                }
            }
            Gap::Newline => self.newline(false),
            Gap::Blank => self.newline(true),
        }
        let starts_line = self.pending >= Pending::Newline;
        match realign(text, self.pending_indent).filter(|_| starts_line) {
            Some(text) => self.text(&text),
            None => self.text(text),
        }
        match after {
            Gap::Inline => self.pending = Pending::SpaceOrPunctuation,
            Gap::Newline => self.newline(false),
            Gap::Blank => self.newline(true),
        }
    }

    fn finish(mut self) -> String {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out
    }
}

/// A comment whose lines all start with a star, with the stars below each other.
fn realign(text: &str, indent: usize) -> Option<String> {
    let (first, rest) = text.split_once('\n')?;
    let starred = |line: &str| line.trim_start().starts_with('*');
    let has_text = rest.lines().any(|line| starred(line) && !line.trim_start().starts_with("*/"));
    if !has_text || !rest.lines().all(starred) {
        return None;
    }
    let mut aligned = first.to_owned();
    for line in rest.lines() {
        aligned.push('\n');
        aligned.extend(std::iter::repeat_n(' ', indent + 1));
        aligned.push_str(line.trim_start());
    }
    Some(aligned)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NARROW: Width = Width { usual: 10, wide: 20 };

    fn render(build: impl FnOnce(&mut Doc<'_>)) -> String {
        let mut doc = Doc::default();
        build(&mut doc);
        doc.render(NARROW)
    }

    /// `a, b` with what may follow it.
    fn pair<'a>(doc: &mut Doc<'a>, a: &'a str, b: &'a str) {
        doc.open(Limit::Usual);
        doc.text(a);
        doc.indent();
        doc.line();
        doc.text(b);
        doc.dedent();
        doc.close();
    }

    #[test]
    fn a_group_breaks_iff_it_does_not_fit() {
        assert_eq!(render(|doc| pair(doc, "12345", "7890")), "12345 7890\n");
        assert_eq!(render(|doc| pair(doc, "12345", "78901")), "12345\n    78901\n");
    }

    #[test]
    fn what_follows_a_group_must_fit_too() {
        let text = render(|doc| {
            pair(doc, "12345", "7890");
            doc.text(";");
        });
        assert_eq!(text, "12345\n    7890;\n");
    }

    #[test]
    fn inner_groups_break_last() {
        let text = render(|doc| {
            doc.open(Limit::Usual);
            pair(doc, "1", "2");
            doc.line();
            pair(doc, "123", "567890");
            doc.close();
        });
        assert_eq!(text, "1 2\n123 567890\n");
    }

    #[test]
    fn wide_groups_have_their_own_limit() {
        let text = render(|doc| {
            doc.open(Limit::Wide);
            doc.text("1234567890");
            doc.line();
            doc.text("123456789");
            doc.close();
        });
        assert_eq!(text, "1234567890 123456789\n");
    }

    #[test]
    fn brackets_are_not_a_way_out() {
        let text = render(|doc| {
            doc.text("12345");
            doc.open(Limit::Usual);
            doc.line();
            doc.close();
            doc.open_bracket(Limit::Usual);
            doc.text("f(");
            doc.softline();
            doc.text("12)");
            doc.close();
        });
        assert_eq!(text, "12345\nf(12)\n");
    }

    #[test]
    fn comments_break_lines_and_groups_do_not_care() {
        let text = render(|doc| {
            doc.open(Limit::Usual);
            doc.text("a");
            doc.comment("// a very long comment", Gap::Inline, Gap::Newline);
            doc.line();
            doc.text("b");
            doc.line();
            doc.text("c");
            doc.close();
        });
        assert_eq!(text, "a // a very long comment\nb c\n");
    }

    #[test]
    fn white_space_never_ends_a_line() {
        let text = render(|doc| {
            doc.space();
            doc.text("a");
            doc.space();
            doc.hardline(true);
            doc.hardline(true);
            doc.text("b");
            doc.hardline(true);
            doc.no_blank();
            doc.text("c");
            doc.line();
        });
        assert_eq!(text, "a\n\nb\nc\n");
        assert_eq!(render(|doc| doc.line()), "");
    }

    #[test]
    fn bars_do_not_touch() {
        let text = render(|doc| {
            doc.text("|");
            doc.text("|");
            doc.text("s");
        });
        assert_eq!(text, "| |s\n");
    }

    #[test]
    fn one_line_is_one_line() {
        let mut doc = Doc::default();
        pair(&mut doc, "1234567890", "1234567890");
        doc.hardline(true);
        doc.text("x");
        assert_eq!(doc.render_line(), "1234567890 1234567890 x");
    }
}
