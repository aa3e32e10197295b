//! Expectations in comments, by Viper's own convention.
//!
//! ```text
//! //:: ExpectedOutput(id[:reason])              exactly this is to be reported on the next line
//! //:: UnexpectedOutput(id, /silicon/issue/1/)  may be reported: the reference verifier does
//! //:: MissingOutput(id, /silicon/issue/1/)     may be missing: the reference verifier misses it
//! //:: IgnoreFile(/silicon/issue/1/)            skip the file
//! ```
//!
//! The line that an annotation is about is the next one that is no comment. Annotations that name
//! another project are passed over.

use std::fmt;

/// An error on a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// Line, from 1.
    pub line: u32,
    /// `id` or `id:reason`.
    pub id: String,
}

impl Output {
    /// Is `got` what this expects? A reason counts only if one is expected.
    fn matches(&self, got: &Output) -> bool {
        let (id, reason) = split(&self.id);
        let (got_id, got_reason) = split(&got.id);
        self.line == got.line && id == got_id && (reason.is_none() || reason == got_reason)
    }
}

impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.id)
    }
}

fn split(id: &str) -> (&str, Option<&str>) {
    let mut parts = id.split(':');
    (parts.next().unwrap_or_default(), parts.next())
}

/// What the comments of a file say.
#[derive(Debug, Default)]
pub struct Expectations {
    /// Must be reported.
    pub expected: Vec<Output>,
    /// May be reported.
    pub tolerated: Vec<Output>,
    /// May be missing.
    pub excused: Vec<Output>,
    /// Do not run the file.
    pub ignore: bool,
    /// Report what else you like.
    pub ignore_others: bool,
}

/// What was expected and did not come, and what came unexpected.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Mismatch {
    /// Expected, but not reported.
    pub missing: Vec<Output>,
    /// Reported, but not expected.
    pub unexpected: Vec<Output>,
}

const KINDS: [&str; 5] =
    ["ExpectedOutput", "UnexpectedOutput", "MissingOutput", "IgnoreFile", "IgnoreOthers"];

impl Expectations {
    /// Reads the annotations of a text.
    pub fn parse(text: &str) -> Expectations {
        let mut expectations = Expectations::default();
        let mut pending = Vec::new();
        for (line, number) in text.lines().zip(1..) {
            let line = line.trim_start();
            if let Some(annotation) = line.strip_prefix("//::") {
                pending.extend(items(annotation));
            } else if !line.starts_with("//") {
                for (kind, arguments) in pending.drain(..) {
                    expectations.add(kind, &arguments, number);
                }
            }
        }
        for (kind, arguments) in pending {
            if kind == "IgnoreFile" {
                expectations.add(kind, &arguments, 0);
            }
        }
        expectations
    }

    fn add(&mut self, kind: &str, arguments: &[&str], line: u32) {
        let id = arguments.first().copied().unwrap_or_default().to_owned();
        let project = arguments.last().filter(|last| last.contains('/'));
        let project = project.and_then(|p| p.trim_matches('/').split('/').next());
        let ours = project
            .is_some_and(|p| p.eq_ignore_ascii_case("silicon") || p.eq_ignore_ascii_case("silver"));
        match kind {
            "ExpectedOutput" => self.expected.push(Output { line, id }),
            "UnexpectedOutput" if ours => self.tolerated.push(Output { line, id }),
            "MissingOutput" if ours => self.excused.push(Output { line, id }),
            "IgnoreFile" => self.ignore |= ours,
            "IgnoreOthers" => self.ignore_others = true,
            _ => {}
        }
    }

    /// Compares with what was reported. One expectation may be met by several errors.
    pub fn compare(&self, got: &[Output]) -> Mismatch {
        let is_excused = |want: &Output| {
            self.excused.iter().any(|e| e.line == want.line && split(&e.id).0 == split(&want.id).0)
        };
        let missing = self
            .expected
            .iter()
            .filter(|want| !got.iter().any(|g| want.matches(g)) && !is_excused(want));
        let unexpected = got.iter().filter(|got| {
            !self.ignore_others
                && !self.expected.iter().chain(&self.tolerated).any(|want| want.matches(got))
        });
        Mismatch { missing: missing.cloned().collect(), unexpected: unexpected.cloned().collect() }
    }
}

/// `Kind(argument, …)`, any number of them.
fn items(annotation: &str) -> Vec<(&'static str, Vec<&str>)> {
    let mut items = Vec::new();
    let mut rest = annotation;
    while let Some((at, kind)) =
        KINDS.iter().filter_map(|&kind| Some((rest.find(kind)?, kind))).min()
    {
        let after = rest[at + kind.len()..].trim_start();
        let after = after.strip_prefix('(').unwrap_or(after);
        let (body, tail) = after.split_once(')').unwrap_or((after, ""));
        items.push((kind, body.split(',').map(str::trim).collect()));
        rest = tail;
    }
    items
}
