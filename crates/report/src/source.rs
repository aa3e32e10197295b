//! Source files and positions in them.

use std::sync::Arc;

/// A file of a [`SourceMap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// A half-open range of bytes in one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span from the start of `self` to the end of `other`, in the file of `self`.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        Span { file: self.file, start: self.start, end: other.end.max(self.start) }
    }

    /// The empty span at the start of `self`.
    #[must_use]
    pub fn point(self) -> Span {
        Span { end: self.start, ..self }
    }
}

/// Where a node comes from.
///
/// A front end that builds programs in memory marks its nodes with [`Pos::Foreign`] and a number of
/// its own choosing; it gets that number back in every diagnostic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Pos {
    /// Nowhere: a node that no user wrote.
    #[default]
    None,
    /// A range in a source file.
    Source(Span),
    /// A position that only the creator of the program can interpret.
    Foreign(u64),
}

impl Pos {
    /// The range in a source file, if that is what this is.
    #[must_use]
    pub fn span(self) -> Option<Span> {
        match self {
            Pos::Source(span) => Some(span),
            Pos::None | Pos::Foreign(_) => None,
        }
    }

    /// From the start of `self` to the end of `other` where both are ranges; otherwise `self`.
    #[must_use]
    pub fn to(self, other: Pos) -> Pos {
        match (self, other) {
            (Pos::Source(a), Pos::Source(b)) => Pos::Source(a.to(b)),
            _ => self,
        }
    }

    /// The empty range at the start of this one.
    #[must_use]
    pub fn point(self) -> Pos {
        match self {
            Pos::Source(span) => Pos::Source(span.point()),
            other => other,
        }
    }
}

impl From<Span> for Pos {
    fn from(span: Span) -> Pos {
        Pos::Source(span)
    }
}

/// A line and a column, both counted from 1; columns count characters, not bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineCol {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// One source text.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// What to call it in messages: usually the path as the user gave it.
    pub name: String,
    /// The text.
    pub text: Arc<str>,
    line_starts: Vec<u32>,
    /// Then columns need no counting, which matters in a line of many megabytes.
    ascii: bool,
    /// In the order of their places.
    markers: Vec<LineMarker>,
}

/// From a place of a file on, lines are counted as if it were another file: C's `#line`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineMarker {
    /// Where the next line starts.
    pub start: u32,
    /// The number of that line.
    pub line: u32,
    /// The name of the file that is meant; without one it stays what it was.
    pub name: Option<Arc<str>>,
}

impl SourceFile {
    fn new(name: String, text: Arc<str>) -> SourceFile {
        let mut line_starts = vec![0];
        line_starts.extend(
            text.bytes().enumerate().filter(|&(_, b)| b == b'\n').map(|(i, _)| i as u32 + 1),
        );
        let ascii = text.is_ascii();
        SourceFile { name, text, line_starts, ascii, markers: Vec::new() }
    }

    /// Line and column of a byte offset; offsets past the end count as the end.
    #[must_use]
    pub fn line_col(&self, offset: u32) -> LineCol {
        let offset = (offset as usize).min(self.text.len());
        let line = self.line_starts.partition_point(|&start| start as usize <= offset).max(1) - 1;
        let start = self.line_starts.get(line).copied().unwrap_or(0) as usize;
        let column = match self.text.get(start..offset) {
            Some(before) if !self.ascii => before.chars().count(),
            _ => offset - start,
        };
        LineCol { line: line as u32 + 1, column: column as u32 + 1 }
    }

    /// The file, line and column that a byte offset is meant to be in: those of the last line marker
    /// before it, if there is one.
    #[must_use]
    pub fn presumed(&self, offset: u32) -> (&str, LineCol) {
        let at = self.line_col(offset);
        let before = self.markers.partition_point(|marker| marker.start <= offset);
        let Some(marker) = before.checked_sub(1).and_then(|last| self.markers.get(last)) else {
            return (&self.name, at);
        };
        let named = self.markers[..before].iter().rev().find_map(|marker| marker.name.as_deref());
        let line = (at.line - self.line_col(marker.start).line).saturating_add(marker.line);
        (named.unwrap_or(&self.name), LineCol { line, ..at })
    }

    /// Byte offset of the start of a line (from 1), if there is such a line.
    #[must_use]
    pub fn line_start(&self, line: u32) -> Option<u32> {
        self.line_starts.get((line as usize).checked_sub(1)?).copied()
    }
}

/// All files of one run. Positions are meaningful only together with their map.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    /// An empty map.
    #[must_use]
    pub fn new() -> SourceMap {
        SourceMap::default()
    }

    /// Adds a file. Texts of 4 GiB and more must be refused before this.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<Arc<str>>) -> FileId {
        let id = FileId(self.files.len() as u32);
        self.files.push(SourceFile::new(name.into(), text.into()));
        id
    }

    /// Counts the lines of a file by these markers, which are in the order of their places.
    pub fn mark_lines(&mut self, id: FileId, markers: Vec<LineMarker>) {
        if let Some(file) = self.files.get_mut(id.0 as usize) {
            file.markers = markers;
        }
    }

    /// The file with this identifier, if it is one of ours.
    #[must_use]
    pub fn get(&self, id: FileId) -> Option<&SourceFile> {
        self.files.get(id.0 as usize)
    }

    /// The files in the order of their addition.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter().enumerate().map(|(i, f)| (FileId(i as u32), f))
    }

    /// The text of a span.
    #[must_use]
    pub fn text(&self, span: Span) -> Option<&str> {
        self.get(span.file)?.text.get(span.start as usize..span.end as usize)
    }
}
