//! The JSON contract: one object per file, on one line.
//!
//! ```json
//! {"file": "a.vpr", "status": "invalid", "time_ms": 3, "members": [],
//!  "errors": [{"id": "typechecker.error", "file": "a.vpr", "line": 2, "column": 5, "end_line": 2,
//!              "end_column": 9, "message": "…", "reason": null, "member": null, "branch": []}],
//!  "warnings": []}
//! ```
//!
//! Lines and columns count from 1, columns in characters; `end_column` is one past the last
//! character. All four are 0 where a diagnostic has no position in a file.
//!
//! Two more members are there only if they were asked for: `"stats"` of a file and of its members,
//! an object of numbers, and `"counterexample"` of an error:
//!
//! ```json
//! {"variables": {"x": "3"}, "heap": [{"location": "y.next", "permission": "1/2", "value": null}]}
//! ```

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::diagnostic::{self, Diagnostic};
use crate::outcome::FileReport;
use crate::source::{LineCol, SourceMap};

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
struct Message<'a> {
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
    #[serde(skip_serializing_if = "Option::is_none")]
    counterexample: Option<Counterexample<'a>>,
}

#[derive(Serialize)]
struct Counterexample<'a> {
    variables: Map<'a, String, String>,
    heap: Vec<HeapValue<'a>>,
}

#[derive(Serialize)]
struct HeapValue<'a> {
    location: &'a str,
    permission: &'a str,
    value: Option<&'a str>,
}

/// Pairs as an object, in their order.
struct Map<'a, K, V>(&'a [(K, V)]);

impl<K, V> Map<'_, K, V> {
    fn is_empty(&self) -> bool {
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
    let message = |d| message(d, report, sources);
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
    };
    // Strings, numbers and lists always serialise; the other arm keeps the contract regardless.
    serde_json::to_string(&file)
        .unwrap_or_else(|_| r#"{"file":"","status":"internal-error","errors":[]}"#.into())
}

fn message<'a>(d: &'a Diagnostic, report: &'a FileReport, sources: &'a SourceMap) -> Message<'a> {
    const NOWHERE: LineCol = LineCol { line: 0, column: 0 };
    let place = d.pos.span().and_then(|span| Some((span, sources.get(span.file)?)));
    let (file, start, end) = match place {
        Some((span, source)) => {
            let end = span.end.max(span.start);
            (source.name.as_str(), source.line_col(span.start), source.line_col(end))
        }
        None => (report.file.as_str(), NOWHERE, NOWHERE),
    };
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
        counterexample: d.counterexample.as_deref().map(counterexample),
    }
}

fn counterexample(values: &diagnostic::Counterexample) -> Counterexample<'_> {
    let heap = values.heap.iter().map(|h| HeapValue {
        location: &h.location,
        permission: &h.permission,
        value: h.value.as_deref(),
    });
    Counterexample { variables: Map(&values.variables), heap: heap.collect() }
}

fn millis(time: std::time::Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::outcome::{MemberReport, Status};
    use crate::source::{Pos, Span};

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
        };
        assert_eq!(
            render(&report, &sources),
            concat!(
                r#"{"file":"a.vpr","status":"failed","time_ms":7,"#,
                r#""members":[{"name":"m","kind":"method","status":"failed","time_ms":5}],"#,
                r#""errors":[{"id":"assert.failed:assertion.false","file":"a.vpr","line":2,"#,
                r#""column":3,"end_line":2,"end_column":13,"#,
                r#""message":"Assertion \"ä\" might not hold.","reason":"assertion.false","#,
                r#""member":"m","branch":["x > 0"]}],"#,
                r#""warnings":[{"id":"parser.warning","file":"a.vpr","line":0,"column":0,"#,
                r#""end_line":0,"end_column":0,"message":"old syntax","reason":null,"#,
                r#""member":null,"branch":[]}]}"#,
            )
        );
    }

    #[test]
    fn what_was_asked_for_besides() {
        let mut failed = Diagnostic::error("assert.failed:assertion.false", Pos::None, "");
        failed.counterexample = Some(Box::new(diagnostic::Counterexample {
            variables: vec![("y".into(), "$Ref!val!0".into()), ("x".into(), "3".into())],
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
            r#""branch":[],"counterexample":{"variables":{"y":"$Ref!val!0","x":"3"},"#,
            r#""heap":[{"location":"y.f","permission":"1/2","value":null}]}}"#,
        )));
        assert!(json.ends_with(r#""warnings":[],"stats":{"queries":7,"paths":2}}"#), "{json}");
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
