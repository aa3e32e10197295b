//! The JSON contract of `infer` and `prove`: one object per file, on one line.
//!
//! ```json
//! {"file": "a.c", "status": "unsafe", "time_ms": 3, "assumptions": ["allocation succeeds"],
//!  "properties": [
//!    {"property": "memsafety", "verdict": "unsafe", "reason": "the null pointer is dereferenced",
//!     "violation": "valid-deref", "file": "a.c", "line": 7, "column": 3, "inputs": ["0"], "steps": 12,
//!     "replay": "lancehead run a.c --inputs=0",
//!     "trace": [{"step": 1, "file": "a.c", "line": 5, "column": 3, "function": "main",
//!                "what": "p = NULL", "state": {"p": "0"}}], "heap": "…"},
//!    {"property": "reach", "verdict": "unknown", "reason": "…",
//!     "possible": [{"file": "a.c", "line": 9, "column": 3, "what": "…", "heap": "…"}]}],
//!  "invariants": [{"file": "a.c", "line": 6, "column": 3, "function": "main", "formula": "node_ls(p, nil)"}],
//!  "definitions": ["pred node_ls(x, y) := …;"], "errors": [], "warnings": []}
//! ```
//!
//! Where the precondition of the entry was found, the verdicts hold under it: `"contracts"` has one object, with
//! `"function"`, `"requires"` and the disjuncts of `"ensures"`.
//!
//! The last step of a trace is the one that fails. Of a long trace steps are left out; then their numbers
//! show where, and `"trace_omitted"` how many. The last steps that change the heap have a `"heap"`, a picture of it
//! behind them. `"made"`, a place, is there if the violation is about an object. `"stats"` is there if it was asked for.
//! So is `"check"`: `{"complete": true, "proved": 12, "open": []}`, with places and clauses for what verdicts rest on and a
//! check did not show. An invariant that it did not show as it is says so: `"not_checked": "what it says of numbers (…)"`.

use serde::Serialize;

use super::{
    ContractReport, InvariantReport, PossibleFaultReport, PropertyReport, SafetyReport, TraceStep,
    ViolationReport,
};
use crate::json::{Map, Message, message, millis, place};
use crate::source::{Pos, SourceMap};

#[derive(Serialize)]
struct File<'a> {
    file: &'a str,
    status: &'a str,
    time_ms: u64,
    assumptions: &'a [&'static str],
    properties: Vec<Property<'a>>,
    invariants: Vec<Invariant<'a>>,
    definitions: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    check: Option<Check<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    contracts: Vec<Contract<'a>>,
    errors: Vec<Message<'a>>,
    warnings: Vec<Message<'a>>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    stats: Map<'a, &'static str, u64>,
}

#[derive(Serialize)]
struct Check<'a> {
    complete: bool,
    proved: usize,
    open: Vec<Unchecked<'a>>,
}

#[derive(Serialize)]
struct Unchecked<'a> {
    #[serde(flatten)]
    place: Place<'a>,
    function: &'a str,
    what: &'a str,
}

#[derive(Serialize)]
struct Property<'a> {
    property: &'a str,
    verdict: &'a str,
    reason: &'a str,
    #[serde(flatten)]
    violation: Option<Violation<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    possible: Vec<Possible<'a>>,
}

#[derive(Serialize)]
struct Violation<'a> {
    violation: &'a str,
    kind: &'a str,
    #[serde(flatten)]
    place: Place<'a>,
    end_line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    made: Option<Place<'a>>,
    inputs: &'a [String],
    steps: u64,
    replay: &'a str,
    trace: Vec<Step<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace_omitted: Option<u64>,
    heap: &'a str,
}

#[derive(Serialize)]
struct Place<'a> {
    file: &'a str,
    line: u32,
    column: u32,
}

#[derive(Serialize)]
struct Step<'a> {
    step: u64,
    #[serde(flatten)]
    place: Place<'a>,
    function: &'a str,
    what: &'a str,
    state: Map<'a, String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    heap: Option<&'a str>,
}

#[derive(Serialize)]
struct Possible<'a> {
    #[serde(flatten)]
    place: Place<'a>,
    what: &'a str,
    heap: &'a str,
}

#[derive(Serialize)]
struct Invariant<'a> {
    #[serde(flatten)]
    place: Place<'a>,
    function: &'a str,
    formula: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    not_checked: Option<&'a str>,
}

#[derive(Serialize)]
struct Contract<'a> {
    #[serde(flatten)]
    place: Place<'a>,
    function: &'a str,
    requires: &'a str,
    ensures: &'a [String],
}

/// The object of one file, without a line break at the end.
#[must_use]
pub fn render(report: &SafetyReport, sources: &SourceMap) -> String {
    let of = Of { name: &report.file, sources };
    let messages = |errors: bool| {
        let wanted = report.diagnostics.iter().filter(move |d| d.is_error() == errors);
        wanted.map(|d| message(d, of.name, sources)).collect()
    };
    let file = File {
        file: of.name,
        status: report.status.as_str(),
        time_ms: millis(report.time),
        assumptions: &report.assumptions,
        properties: report.properties.iter().map(|p| of.property(p)).collect(),
        invariants: report.invariants.iter().map(|i| of.invariant(i)).collect(),
        definitions: &report.definitions,
        check: report.check.as_ref().map(|check| Check {
            complete: check.open.is_empty(),
            proved: check.proved,
            open: check
                .open
                .iter()
                .map(|(pos, function, what)| Unchecked { place: of.place(*pos), function, what })
                .collect(),
        }),
        contracts: report.contracts.iter().map(|c| of.contract(c)).collect(),
        errors: messages(true),
        warnings: messages(false),
        stats: Map(&report.stats),
    };
    // Strings, numbers and lists always serialise; the other arm keeps the contract regardless.
    serde_json::to_string(&file).unwrap_or_else(|_| {
        r#"{"file":"","status":"internal-error","properties":[],"invariants":[],"errors":[]}"#
            .into()
    })
}

/// A file, and where its positions lead.
#[derive(Clone, Copy)]
struct Of<'a> {
    name: &'a str,
    sources: &'a SourceMap,
}

impl<'a> Of<'a> {
    fn contract(self, contract: &'a ContractReport) -> Contract<'a> {
        let ContractReport { pos, function, requires, ensures } = contract;
        Contract { place: self.place(*pos), function, requires, ensures }
    }

    fn place(self, pos: Pos) -> Place<'a> {
        let (file, start, _) = place(pos, self.name, self.sources);
        Place { file, line: start.line, column: start.column }
    }

    fn property(self, p: &'a PropertyReport) -> Property<'a> {
        Property {
            property: p.property,
            verdict: p.verdict.as_str(),
            reason: &p.reason,
            violation: p.violation.as_ref().map(|v| self.violation(v)),
            possible: p.possible.iter().map(|fault| self.possible(fault)).collect(),
        }
    }

    fn violation(self, v: &'a ViolationReport) -> Violation<'a> {
        Violation {
            violation: v.kind,
            kind: &v.fault.id,
            place: self.place(v.fault.pos),
            end_line: place(v.fault.pos, self.name, self.sources).2.line,
            made: (v.made != Pos::None).then(|| self.place(v.made)),
            replay: &v.replay,
            inputs: &v.inputs,
            steps: v.steps,
            trace: v.trace.iter().map(|step| self.step(step)).collect(),
            trace_omitted: v.omitted.map(|(_, steps)| steps),
            heap: &v.heap,
        }
    }

    fn step(self, step: &'a TraceStep) -> Step<'a> {
        Step {
            step: step.number,
            place: self.place(step.pos),
            function: &step.function,
            what: super::source_line(step.pos, self.sources),
            state: Map(&step.state),
            heap: step.heap.as_deref(),
        }
    }

    fn possible(self, fault: &'a PossibleFaultReport) -> Possible<'a> {
        Possible { place: self.place(fault.pos), what: &fault.what, heap: &fault.heap }
    }

    fn invariant(self, i: &'a InvariantReport) -> Invariant<'a> {
        Invariant {
            place: self.place(i.pos),
            function: &i.function,
            formula: i.formula(),
            not_checked: i.not_checked.as_deref(),
        }
    }
}
