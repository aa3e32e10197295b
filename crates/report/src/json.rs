//! The JSON contract: one object per file, on one line.
//!
//! ```json
//! {"file": "a.vpr", "status": "invalid", "time_ms": 3, "members": [],
//!  "errors": [{"id": "typechecker.error", "file": "a.vpr", "line": 2, "column": 5, "end_line": 2,
//!              "end_column": 9, "message": "…", "reason": null, "member": null, "branch": [],
//!              "help": null, "labels": [], "related": [], "notes": []}],
//!  "warnings": []}
//! ```
//!
//! Lines and columns count from 1, columns in characters; `end_column` is one past the last
//! character. All four are 0 where a diagnostic has no position in a file.
//!
//! `"branch"` has the last conditions of a path; `"branch_omitted"`, if it is there, says how many there
//! are before them.
//!
//! `"help"` says what to do about it, if there is advice. `"labels"` are further places in the same file
//! and `"related"` such places in other files: `{"file", "line", "column", "end_line", "end_column",
//! "text"}`, with what is to be said there. `"notes"` are texts without a place.
//!
//! Some members are there only if they were asked for: `"stats"` of a file and of its members, an
//! object of numbers; `"queries"` of a file, what the solver was asked by purpose; `"quantifiers"` of a file, those with most instances first, where file, line and
//! column say what in the source a quantified formula comes from; and `"counterexample"` of an error:
//!
//! ```json
//! {"purpose": "branch", "proved": 3, "refuted": 40, "unknown": 1, "native": 30, "time_ms": 12}
//! {"kind": "inverse", "file": "a.vpr", "line": 12, "column": 5,
//!  "instances": 73, "max_generation": 4}
//! {"confirmed": true, "variables": {"x": "3"},
//!  "heap": [{"location": "object1.next", "permission": "1/2", "value": null}],
//!  "states": [{"state": "old", "heap": […]}]}
//! ```
//!
//! An error in a program with lists may have `"heaps"`: what there is in the beginning and where it fails, an
//! object a line, and whether an evaluator confirmed it.
//!
//! ```json
//! {"confirmed": true, "states": [{"state": "before", "heap": "x -> Node#1 { next: null }\n"}]}
//! ```
//!
//! A file that was verified with several seeds has `"seeds"`: whether all runs have the same outcome, the
//! status of each run, and the members of which the outcomes differ.
//!
//! ```json
//! {"runs": 3, "agree": false, "statuses": ["verified", "failed", "verified"],
//!  "changes": [{"member": "m", "kind": "method", "outcomes": [
//!      {"seeds": [0, 2], "status": "verified", "errors": []},
//!      {"seeds": [1], "status": "failed",
//!       "errors": [{"id": "assert.failed:assertion.false", "file": "a.vpr", "line": 2, "column": 5}]}]}]}
//! ```

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::diagnostic::{self, Diagnostic};
use crate::outcome::{FileReport, QuantifierReport, QueryReport, SeedReport};
use crate::picture;
use crate::source::{LineCol, Pos, SourceMap};

#[derive(Serialize)]
struct File<'a> {
    file: &'a str,
    status: &'a str,
    time_ms: u64,
    members: Vec<Member<'a>>,
    errors: Vec<Message<'a>>,
    warnings: Vec<Message<'a>>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    stats: Map<'a, &'static str, u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    queries: Vec<Queries>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    quantifiers: Vec<Quantifier<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seeds: Option<Seeds<'a>>,
}

#[derive(Serialize)]
struct Seeds<'a> {
    runs: usize,
    agree: bool,
    statuses: Vec<&'a str>,
    changes: Vec<Change<'a>>,
}

#[derive(Serialize)]
struct Change<'a> {
    member: &'a str,
    kind: &'a str,
    outcomes: Vec<Outcome<'a>>,
}

#[derive(Serialize)]
struct Outcome<'a> {
    seeds: &'a [usize],
    status: &'a str,
    errors: Vec<Place<'a>>,
}

#[derive(Serialize)]
struct Place<'a> {
    id: &'a str,
    file: &'a str,
    line: u32,
    column: u32,
}

#[derive(Serialize)]
struct Queries {
    purpose: &'static str,
    proved: u64,
    refuted: u64,
    unknown: u64,
    native: u64,
    time_ms: u64,
}

#[derive(Serialize)]
struct Quantifier<'a> {
    kind: &'a str,
    file: &'a str,
    line: u32,
    column: u32,
    instances: u64,
    max_generation: u64,
}

#[derive(Serialize)]
struct Member<'a> {
    name: &'a str,
    kind: &'a str,
    status: &'a str,
    time_ms: u64,
    #[serde(skip_serializing_if = "Map::is_empty")]
    stats: Map<'a, &'static str, u64>,
}

#[derive(Serialize)]
pub(crate) struct Message<'a> {
    id: &'a str,
    file: &'a str,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
    message: &'a str,
    reason: Option<&'a str>,
    member: Option<&'a str>,
    branch: &'a [String],
    #[serde(skip_serializing_if = "is_zero")]
    branch_omitted: usize,
    help: Option<&'a str>,
    labels: Vec<Label<'a>>,
    related: Vec<Label<'a>>,
    notes: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    counterexample: Option<Counterexample<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    heaps: Option<Heaps<'a>>,
}

#[derive(Serialize)]
struct Heaps<'a> {
    confirmed: bool,
    states: Vec<Drawing<'a>>,
}

#[derive(Serialize)]
struct Drawing<'a> {
    state: &'a str,
    heap: String,
}

#[derive(Serialize)]
struct Label<'a> {
    file: &'a str,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
    text: &'a str,
}

#[derive(Serialize)]
struct Counterexample<'a> {
    confirmed: bool,
    variables: Map<'a, String, String>,
    heap: Vec<HeapValue<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    states: Vec<EarlierState<'a>>,
}

#[derive(Serialize)]
struct EarlierState<'a> {
    state: &'a str,
    heap: Vec<HeapValue<'a>>,
}

#[derive(Serialize)]
struct HeapValue<'a> {
    location: &'a str,
    permission: &'a str,
    value: Option<&'a str>,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as serde asks
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// Pairs as an object, in their order.
pub(crate) struct Map<'a, K, V>(pub(crate) &'a [(K, V)]);

impl<K, V> Map<'_, K, V> {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<K: Serialize, V: Serialize> Serialize for Map<'_, K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

/// The object of one file, without a line break at the end.
#[must_use]
pub fn render(report: &FileReport, sources: &SourceMap) -> String {
    let name = report.file.as_str();
    let message = |d| message(d, name, sources);
    let file = File {
        file: &report.file,
        status: report.status.as_str(),
        time_ms: millis(report.time),
        members: report
            .members
            .iter()
            .map(|m| Member {
                name: &m.name,
                kind: &m.kind,
                status: m.status.as_str(),
                time_ms: millis(m.time),
                stats: Map(&m.stats),
            })
            .collect(),
        errors: report.errors().map(message).collect(),
        warnings: report.warnings().map(message).collect(),
        stats: Map(&report.stats),
        queries: report.queries.iter().map(queries).collect(),
        quantifiers: report.quantifiers.iter().map(|q| quantifier(q, name, sources)).collect(),
        seeds: report.seeds.as_ref().map(|seeds| compared(seeds, name, sources)),
    };
    // Strings, numbers and lists always serialise; the other arm keeps the contract regardless.
    serde_json::to_string(&file)
        .unwrap_or_else(|_| r#"{"file":"","status":"internal-error","errors":[]}"#.into())
}

fn queries(report: &QueryReport) -> Queries {
    let QueryReport { purpose, proved, refuted, unknown, native, time } = *report;
    Queries { purpose, proved, refuted, unknown, native, time_ms: millis(time) }
}

/// The file, the start and the end of a position.
pub(crate) fn place<'a>(
    pos: Pos,
    name: &'a str,
    sources: &'a SourceMap,
) -> (&'a str, LineCol, LineCol) {
    const NOWHERE: LineCol = LineCol { line: 0, column: 0 };
    match pos.span().and_then(|span| Some((span, sources.get(span.file)?))) {
        Some((span, source)) => {
            let end = span.end.max(span.start);
            let (file, start) = source.presumed(span.start);
            (file, start, source.presumed(end).1)
        }
        None => (name, NOWHERE, NOWHERE),
    }
}

fn quantifier<'a>(
    q: &'a QuantifierReport,
    name: &'a str,
    sources: &'a SourceMap,
) -> Quantifier<'a> {
    let (file, start, _) = place(q.pos, name, sources);
    Quantifier {
        kind: &q.kind,
        file,
        line: start.line,
        column: start.column,
        instances: q.instances,
        max_generation: q.generation,
    }
}

fn compared<'a>(seeds: &'a SeedReport, name: &'a str, sources: &'a SourceMap) -> Seeds<'a> {
    let error = |d: &'a Diagnostic| {
        let (file, start, _) = place(d.pos, name, sources);
        Place { id: &d.id, file, line: start.line, column: start.column }
    };
    let changes = seeds.members.iter().map(|member| Change {
        member: &member.name,
        kind: &member.kind,
        outcomes: member
            .outcomes
            .iter()
            .map(|outcome| Outcome {
                seeds: &outcome.seeds,
                status: outcome.status.as_str(),
                errors: outcome.errors.iter().map(error).collect(),
            })
            .collect(),
    });
    Seeds {
        runs: seeds.statuses.len(),
        agree: seeds.members.is_empty(),
        statuses: seeds.statuses.iter().map(|status| status.as_str()).collect(),
        changes: changes.collect(),
    }
}

pub(crate) fn message<'a>(d: &'a Diagnostic, name: &'a str, sources: &'a SourceMap) -> Message<'a> {
    let (file, start, end) = place(d.pos, name, sources);
    let (mut labels, mut related, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    for (pos, text) in &d.labels {
        let (label_file, start, end) = place(*pos, name, sources);
        if start.line == 0 {
            notes.push(text.as_str());
            continue;
        }
        let label = Label {
            file: label_file,
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
            text,
        };
        if label_file == file { &mut labels } else { &mut related }.push(label);
    }
    Message {
        id: &d.id,
        file,
        line: start.line,
        column: start.column,
        end_line: end.line,
        end_column: end.column,
        message: &d.message,
        reason: d.reason(),
        member: d.member.as_deref(),
        branch: &d.branch,
        branch_omitted: d.branch_omitted,
        help: d.help.as_deref(),
        labels,
        related,
        notes,
        counterexample: d.counterexample.as_deref().map(counterexample),
        heaps: d.heaps.as_deref().map(heaps),
    }
}

fn counterexample(values: &diagnostic::Counterexample) -> Counterexample<'_> {
    let states = values.states.iter().map(|(state, held)| EarlierState { state, heap: heap(held) });
    Counterexample {
        confirmed: values.confirmed,
        variables: Map(&values.variables),
        heap: heap(&values.heap),
        states: states.collect(),
    }
}

fn heaps(heaps: &diagnostic::Heaps) -> Heaps<'_> {
    let states = heaps.states.iter();
    let states = states.map(|(state, drawn)| Drawing { state, heap: picture::text(drawn) });
    Heaps { confirmed: heaps.confirmed, states: states.collect() }
}

fn heap(held: &[diagnostic::HeapValue]) -> Vec<HeapValue<'_>> {
    let one = held.iter().map(|h| HeapValue {
        location: &h.location,
        permission: &h.permission,
        value: h.value.as_deref(),
    });
    one.collect()
}

pub(crate) fn millis(time: std::time::Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::outcome::{MemberReport, Status};
    use crate::source::Span;

    #[test]
    fn one_object_with_everything() {
        let mut sources = SourceMap::new();
        let file = sources.add("a.vpr", "method m()\n{ assert \"ä\" }\n");
        let mut failed = Diagnostic::error(
            "assert.failed:assertion.false",
            Span { file, start: 13, end: 24 },
            "Assertion \"ä\" might not hold.",
        );
        failed.member = Some("m".into());
        failed.branch = vec!["x > 0".into()];
        let report = FileReport {
            file: "a.vpr".into(),
            status: Status::Failed,
            time: Duration::from_micros(7900),
            members: vec![MemberReport {
                name: "m".into(),
                kind: "method".into(),
                status: Status::Failed,
                time: Duration::from_millis(5),
                stats: Vec::new(),
            }],
            diagnostics: vec![
                failed,
                Diagnostic::warning("parser.warning", Pos::None, "old syntax"),
            ],
            stats: Vec::new(),
            queries: Vec::new(),
            quantifiers: Vec::new(),
            seeds: None,
        };
        assert_eq!(
            render(&report, &sources),
            concat!(
                r#"{"file":"a.vpr","status":"failed","time_ms":7,"#,
                r#""members":[{"name":"m","kind":"method","status":"failed","time_ms":5}],"#,
                r#""errors":[{"id":"assert.failed:assertion.false","file":"a.vpr","line":2,"#,
                r#""column":3,"end_line":2,"end_column":13,"#,
                r#""message":"Assertion \"ä\" might not hold.","reason":"assertion.false","#,
                r#""member":"m","branch":["x > 0"],"#,
                r#""help":null,"labels":[],"related":[],"notes":[]}],"#,
                r#""warnings":[{"id":"parser.warning","file":"a.vpr","line":0,"column":0,"#,
                r#""end_line":0,"end_column":0,"message":"old syntax","reason":null,"#,
                r#""member":null,"branch":[],"#,
                r#""help":null,"labels":[],"related":[],"notes":[]}]}"#,
            )
        );
    }

    #[test]
    fn what_was_asked_for_besides() {
        let mut failed = Diagnostic::error("assert.failed:assertion.false", Pos::None, "");
        failed.counterexample = Some(Box::new(diagnostic::Counterexample {
            confirmed: true,
            states: vec![(
                "old".into(),
                vec![diagnostic::HeapValue {
                    location: "object1.f".into(),
                    permission: "1".into(),
                    value: Some("[1]".into()),
                }],
            )],
            variables: vec![("y".into(), "object1".into()), ("x".into(), "3".into())],
            heap: vec![diagnostic::HeapValue {
                location: "y.f".into(),
                permission: "1/2".into(),
                value: None,
            }],
        }));
        let mut report = FileReport::new("a.vpr", Status::Failed, vec![failed]);
        report.stats = vec![("queries", 7), ("paths", 2)];
        let json = render(&report, &SourceMap::new());
        assert!(json.contains(concat!(
            r#""notes":[],"counterexample":{"confirmed":true,"variables":{"y":"object1","x":"3"},"#,
            r#""heap":[{"location":"y.f","permission":"1/2","value":null}],"#,
            r#""states":[{"state":"old","heap":[{"location":"object1.f","permission":"1","#,
            r#""value":"[1]"}]}]}}"#,
        )));
        assert!(json.ends_with(r#""warnings":[],"stats":{"queries":7,"paths":2}}"#), "{json}");
        report.queries = vec![QueryReport {
            purpose: "branch",
            proved: 3,
            refuted: 1,
            unknown: 2,
            native: 4,
            time: Duration::from_micros(4900),
        }];
        let json = render(&report, &SourceMap::new());
        assert!(
            json.ends_with(concat!(
                r#""queries":[{"purpose":"branch","proved":3,"refuted":1,"unknown":2,"#,
                r#""native":4,"time_ms":4}]}"#,
            )),
            "{json}"
        );
        report.quantifiers = vec![QuantifierReport {
            kind: "set.union.in".into(),
            pos: Pos::None,
            instances: 12,
            generation: 3,
        }];
        let json = render(&report, &SourceMap::new());
        assert!(
            json.ends_with(concat!(
                r#","quantifiers":[{"kind":"set.union.in","file":"a.vpr","#,
                r#""line":0,"column":0,"instances":12,"max_generation":3}]}"#,
            )),
            "{json}"
        );
    }

    #[test]
    fn further_places_and_advice() {
        let mut sources = SourceMap::new();
        let file = sources.add("a.vpr", "import \"b.vpr\"\nfield f: Int\nfield f: Int\n");
        let imported = sources.add("b.vpr", "\n  field f: Int\n");
        let span = |file, start, end| Span { file, start, end };
        let problem = Diagnostic::error("consistency.error", span(file, 34, 35), "twice")
            .with_label(span(file, 21, 22), "first here")
            .with_label(span(imported, 9, 10), "and here")
            .with_label(Pos::None, "names are shared by all files")
            .with_help("give it another name");
        let report = FileReport::new("a.vpr", Status::Invalid, vec![problem]);
        let json: serde_json::Value =
            serde_json::from_str(&render(&report, &sources)).unwrap_or_default();
        let error = &json["errors"][0];
        assert_eq!(error["help"], "give it another name");
        let place = |file: &str, line: u32, column: u32, text: &str| {
            serde_json::json!([{"file": file, "line": line, "column": column, "end_line": line,
                                "end_column": column + 1, "text": text}])
        };
        assert_eq!(error["labels"], place("a.vpr", 2, 7, "first here"));
        assert_eq!(error["related"], place("b.vpr", 2, 9, "and here"));
        assert_eq!(error["notes"], serde_json::json!(["names are shared by all files"]));
    }

    #[test]
    fn an_error_in_an_import_names_the_imported_file() {
        let mut sources = SourceMap::new();
        sources.add("a.vpr", "import \"b.vpr\"\n");
        let imported = sources.add("b.vpr", "oops");
        let place = Span { file: imported, start: 0, end: 4 };
        let problem = Diagnostic::error("parser.error", place, "expected a declaration");
        let report = FileReport::new("a.vpr", Status::Invalid, vec![problem]);
        let json: serde_json::Value =
            serde_json::from_str(&render(&report, &sources)).unwrap_or_default();
        assert_eq!(json["file"], "a.vpr");
        assert_eq!(json["errors"][0]["file"], "b.vpr");
        assert_eq!(json["errors"][0]["end_column"], 5);
    }
}
