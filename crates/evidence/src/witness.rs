//! Witnesses in the format of SV-COMP, version 2.0: YAML that other verifiers read and validate.
//!
//! A *violation witness* is a sequence of waypoints, in the order in which a run passes them: what functions return that have no
//! body, what variables hold that are not initialised, which functions are entered, how conditions come out, and at last the
//! statement that violates the property. A *correctness witness* is a set of loop invariants, as expressions of C. What invariants say
//! of the heap is no expression of C and left out; the description in the witness says so.

use std::fmt::Write as _;
use std::time::{Duration, SystemTime};

use arith::Sum;
use heap::run::{FaultKind, Property, Value};
use heap::{DataModel, Proc, ProcId, Program, VarId};
use infer::analysis::Invariant;
use infer::facts::Fact;
use infer::verdict::{self, Violation};
use report::{FileId, Pos, SourceFile, SourceMap};

use crate::left_open::{self, Event, What};
use crate::sha256;
use crate::source::Outline;

/// More waypoints than this help nobody: then calls and conditions are left out, which inputs determine.
const WAYPOINTS: usize = 2_000;
/// More disjuncts than this are no invariant that anybody reads.
const DISJUNCTS: usize = 16;

/// What a witness is about.
#[derive(Clone, Copy, Debug)]
pub struct Task<'t> {
    /// The program.
    pub program: &'t Program,
    /// Where its positions lead.
    pub sources: &'t SourceMap,
    /// The file that the user gave.
    pub main_file: FileId,
    /// When the witness is made.
    pub created: SystemTime,
}

/// A witness for a violation.
#[must_use]
pub fn violation(task: Task<'_>, violation: &Violation) -> Option<String> {
    let source = task.sources.get(task.main_file)?;
    let outline = Outline::new(&source.text);
    let (_, open) = left_open::of(task.program, &violation.config, &violation.inputs);
    let place = Place { task, source, outline };
    let mut points: Vec<Waypoint> = open.events.iter().filter_map(|e| place.waypoint(e)).collect();
    if points.len() > WAYPOINTS {
        points.retain(|point| matches!(point.kind, "function_return" | "assumption"));
        points.truncate(WAYPOINTS);
    }
    points.push(place.target(violation)?);
    let kind = verdict::kind(violation.fault.kind);
    let specification = match violation.fault.kind {
        FaultKind::Assertion | FaultKind::ErrorReached => task.specification(Property::Reach),
        _ => task.formula(kind),
    };
    let mut content = String::new();
    for point in points {
        let _ = write!(
            content,
            "    - segment:\n        - waypoint:\n            type: {}\n            action: follow\n",
            point.kind
        );
        if let Some((value, format)) = &point.constraint {
            let _ = write!(
                content,
                "            constraint:\n              value: {}\n              format: {format}\n",
                quoted(value)
            );
        }
        let _ = write!(content, "            location:\n{}", point.location.text(14));
    }
    let description = format!("{}: {}", violation.fault.kind.as_str(), violation.fault.kind);
    Some(entry(task, source, "violation_sequence", &specification, &description, &content))
}

/// A witness for properties that hold, with what is known of variables at loops.
#[must_use]
pub fn correctness(
    task: Task<'_>,
    properties: &[Property],
    invariants: &[Invariant],
) -> Option<String> {
    let source = task.sources.get(task.main_file)?;
    let place = Place { task, source, outline: Outline::new(&source.text) };
    let (mut content, mut said) = (String::new(), 0);
    for invariant in invariants {
        let Some((location, value)) = place.invariant(invariant) else { continue };
        said += 1;
        let _ = write!(
            content,
            "    - invariant:\n        type: loop_invariant\n        location:\n{}        value: {}\n        format: c_expression\n",
            location.text(10),
            quoted(&value)
        );
    }
    let specifications: Vec<String> = properties.iter().map(|p| task.specification(*p)).collect();
    let description = format!(
        "{} loop invariants were used, {said} of them say something that an expression of C can say; \
         what they say of the heap, in separation logic, is left out",
        invariants.len()
    );
    let specification = specifications.join("\n");
    Some(entry(task, source, "invariant_set", &specification, &description, &content))
}

impl Task<'_> {
    /// A specification in the notation of SV-COMP.
    fn formula(&self, always: &str) -> String {
        let entry = self.program.entry.map_or("main", |id| &self.program.proc(id).name);
        format!("CHECK( init({entry}()), LTL(G {always}) )")
    }

    fn specification(&self, property: Property) -> String {
        match property {
            Property::MemSafety => {
                format!("{}\n{}", self.formula("valid-free"), self.formula("valid-deref"))
            }
            Property::MemTrack => self.formula("valid-memtrack"),
            Property::Reach => self.formula("! call(reach_error())"),
        }
    }
}

/// An entry with its metadata; a witness has one.
fn entry(
    task: Task<'_>,
    source: &SourceFile,
    kind: &str,
    specification: &str,
    description: &str,
    content: &str,
) -> String {
    let hash = sha256::hex(source.text.as_bytes());
    let name = quoted(&source.name);
    let model = match task.program.model {
        DataModel::Lp64 => "LP64",
        DataModel::Ilp32 => "ILP32",
    };
    let time = time(task.created);
    let version = env!("CARGO_PKG_VERSION");
    let uuid = uuid(&format!("{hash}{specification}{content}{time}"));
    let content = if content.is_empty() { " []\n".to_owned() } else { format!("\n{content}") };
    format!(
        "- entry_type: {kind}\n  metadata:\n    format_version: \"2.0\"\n    uuid: \"{uuid}\"\n    \
         creation_time: \"{time}\"\n    producer:\n      name: \"Lancehead\"\n      version: \"{version}\"\n      \
         description: {}\n    task:\n      input_files:\n        - {name}\n      input_file_hashes:\n        \
         {name}: \"{hash}\"\n      specification: {}\n      data_model: {model}\n      language: C\n  content:{content}",
        quoted(description),
        quoted(specification)
    )
}

struct Waypoint {
    kind: &'static str,
    location: Location,
    constraint: Option<(String, &'static str)>,
}

struct Location {
    file: String,
    line: u32,
    column: u32,
    function: Option<String>,
}

impl Location {
    fn text(&self, indent: usize) -> String {
        let blank = " ".repeat(indent);
        let mut text = format!(
            "{blank}file_name: {}\n{blank}line: {}\n{blank}column: {}\n",
            quoted(&self.file),
            self.line,
            self.column
        );
        if let Some(function) = &self.function {
            let _ = writeln!(text, "{blank}function: {}", quoted(function));
        }
        text
    }
}

struct Place<'t> {
    task: Task<'t>,
    source: &'t SourceFile,
    outline: Outline<'t>,
}

impl Place<'_> {
    fn location(&self, at: usize, proc: ProcId) -> Location {
        let place = self.source.line_col(at as u32);
        let function = self.task.program.procs.get(proc.index()).map(|p| p.name.clone());
        let (file, line, column) = (self.source.name.clone(), place.line, place.column);
        Location { file, line, column, function }
    }

    /// The range of a position, if it is in the file of the program.
    fn range(&self, pos: Pos) -> Option<(usize, usize)> {
        let span = pos.span().filter(|span| span.file == self.task.main_file)?;
        Some((span.start as usize, span.end as usize))
    }

    fn waypoint(&self, event: &Event) -> Option<Waypoint> {
        let (start, end) = self.range(event.pos)?;
        let closes = |end: usize| {
            let last = end.checked_sub(1)?;
            (self.source.text.get(last..end)? == ")").then_some(last)
        };
        let (kind, at, constraint) = match &event.what {
            What::Enter => ("function_enter", closes(end)?, None),
            What::Returns(Value::Int(n)) => {
                let value = format!("\\result == {n}");
                ("function_return", closes(end)?, Some((value, "acsl_expression")))
            }
            What::Branch(holds) => {
                let at = self.outline.branching(start, end)?;
                ("branching", at, Some((holds.to_string(), "c_expression")))
            }
            What::Declared(name, Some(Value::Int(n))) => {
                let name = name.split('.').next()?;
                let at = self.outline.behind_declaration(start)?;
                ("assumption", at, Some((format!("{name} == {n}"), "c_expression")))
            }
            What::Returns(_) | What::Declared(..) => return None,
        };
        Some(Waypoint { kind, location: self.location(at, event.proc), constraint })
    }

    /// The statement that violates the property.
    fn target(&self, violation: &Violation) -> Option<Waypoint> {
        let frames = violation.fault.stack.iter().map(|frame| (frame.proc, frame.pos));
        let main = self.task.program.entry.unwrap_or(ProcId(0));
        let innermost = violation.fault.stack.first().map_or(main, |frame| frame.proc);
        let mut places = std::iter::once((innermost, violation.fault.pos)).chain(frames);
        // In a header it is the call that leads there.
        let found = places.find_map(|(proc, pos)| Some((proc, self.range(pos)?)));
        let (proc, (start, _)) = found?;
        let at = self.outline.statement(start).unwrap_or(start);
        Some(Waypoint { kind: "target", location: self.location(at, proc), constraint: None })
    }

    /// A loop and what an expression of C can say there; `None` if that is nothing.
    fn invariant(&self, invariant: &Invariant) -> Option<(Location, String)> {
        let (start, _) = self.range(invariant.pos)?;
        let at = self.outline.loop_keyword(start)?;
        let proc = self.task.program.procs.get(invariant.proc.index())?;
        let mut disjuncts: Vec<String> = Vec::new();
        for facts in &invariant.facts {
            let facts: Vec<String> =
                facts.iter().filter_map(|fact| expression(fact, proc)).collect();
            // One that says nothing, and all of them do.
            if facts.is_empty() {
                return None;
            }
            disjuncts.push(facts.join(" && "));
        }
        disjuncts.sort();
        disjuncts.dedup();
        let value = match disjuncts.as_slice() {
            [] => return None,
            [only] => only.clone(),
            several if several.len() > DISJUNCTS => return None,
            several => several.iter().map(|d| format!("({d})")).collect::<Vec<_>>().join(" || "),
        };
        Some((self.location(at, invariant.proc), value))
    }
}

/// A fact as an expression of C.
fn expression(fact: &Fact, proc: &Proc) -> Option<String> {
    // Of several variables with one name only one is meant where the loop is, and it is not known which.
    let name = |var: VarId| {
        let name = proc.vars.get(var.index())?.name.as_str();
        let twice = proc.vars.iter().any(|other| {
            other.name != name && other.name.strip_prefix(name).is_some_and(|r| r.starts_with('.'))
        });
        let objects = proc.objects.iter().any(|o| o.name.split('.').next() == Some(name));
        (!name.contains(['.', '$']) && !twice && !objects).then_some(name)
    };
    let total = |sum: &Sum| {
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for (var, factor) in &sum.factors {
            let side = if *factor > 0 { &mut left } else { &mut right };
            // Sums are mathematical integers: as long as they can be.
            let name = name(VarId(*var))?;
            let alone = sum.factors.len() == 1 && factor.unsigned_abs() == 1;
            side.push(match factor.unsigned_abs() {
                _ if alone => name.to_owned(),
                1 => format!("(long long){name}"),
                n => format!("{n} * (long long){name}"),
            });
        }
        match sum.constant {
            0 => {}
            n if n > 0 => left.push(n.to_string()),
            n => right.push(n.unsigned_abs().to_string()),
        }
        let side = |terms: Vec<String>| {
            if terms.is_empty() { "0".to_owned() } else { terms.join(" + ") }
        };
        let fits = i64::try_from(sum.constant).is_ok();
        fits.then(|| (side(left), side(right)))
    };
    match fact {
        Fact::Zero(sum) => {
            // Pointers are compared as they are.
            if let [(a, 1), (b, -1)] = sum.factors.as_slice()
                && sum.constant == 0
            {
                return Some(format!("{} == {}", name(VarId(*a))?, name(VarId(*b))?));
            }
            total(sum).map(|(left, right)| format!("{left} == {right}"))
        }
        Fact::NonNegative(sum) => total(sum).map(|(left, right)| format!("{left} >= {right}")),
        Fact::NotNull(var) => Some(format!("{} != 0", name(*var)?)),
    }
}

/// A string in double quotes, with the escapes that YAML and JSON have in common.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// An identifier that depends on what it is for alone (version 8 of RFC 9562).
fn uuid(of: &str) -> String {
    let digits = sha256::hex(of.as_bytes());
    let part = |from: usize, to: usize| digits.get(from..to).unwrap_or_default();
    format!("{}-{}-8{}-a{}-{}", part(0, 8), part(8, 12), part(13, 16), part(17, 20), part(20, 32))
}

/// As ISO 8601 writes it, in universal time.
fn time(at: SystemTime) -> String {
    let seconds = at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs();
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Years start in March here, so that the day that some have more is their last.
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + u64::from(month <= 2);
    let (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        let at = |seconds| time(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(0), "1970-01-01T00:00:00Z");
        assert_eq!(at(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(at(1_735_689_599), "2024-12-31T23:59:59Z");
    }

    #[test]
    fn identifiers() {
        let id = uuid("a");
        assert_eq!(id.len(), 36);
        assert_eq!(id, uuid("a"));
        assert_ne!(id, uuid("b"));
    }
}
