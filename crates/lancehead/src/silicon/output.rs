//! A report as Silicon prints it.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use report::{Counterexample, Diagnostic, FileReport, SourceMap, Status};

/// The report of a file, ending in a line break.
pub(crate) fn render(report: &FileReport, sources: &SourceMap, timing: bool) -> String {
    // Tools take the first line for a version, and expect this shape.
    let mut text = format!("Silicon 1.1-SNAPSHOT (lancehead {})\n", env!("CARGO_PKG_VERSION"));
    for warning in report.warnings() {
        let _ = writeln!(text, "{}", message(warning, sources));
    }
    let time = if timing { format!(" in {}", readable(report.time)) } else { String::new() };
    if report.status == Status::Verified {
        let _ = writeln!(text, "Silicon finished verification successfully{time}.");
        return text;
    }
    let count = report.errors().count();
    let plural = if count == 1 { "" } else { "s" };
    let _ = writeln!(text, "Silicon found {count} error{plural}{time}:");
    let width = count.to_string().len();
    for (number, error) in report.errors().enumerate() {
        let _ = writeln!(text, "  [{number:width$}] {}", message(error, sources));
        if let Some(values) = error.counterexample.as_ref().filter(|c| c.confirmed) {
            text.push_str(&counterexample(values));
        }
    }
    text
}

fn message(diagnostic: &Diagnostic, sources: &SourceMap) -> String {
    let kind = match &*diagnostic.id {
        "parser.error" => "Parse error: ",
        "parser.warning" => "Parse warning: ",
        "consistency.error" => "Consistency error: ",
        "internal.error" => "Verification aborted exceptionally: ",
        _ => "",
    };
    let text = diagnostic.message.replace('\n', " ");
    format!("{kind}{text} ({})", position(diagnostic, sources))
}

/// `list.vpr@3.5--3.12`
fn position(diagnostic: &Diagnostic, sources: &SourceMap) -> String {
    let place = diagnostic.pos.span().and_then(|span| Some((span, sources.get(span.file)?)));
    let Some((span, source)) = place else {
        return "<no position>".into();
    };
    let (start, end) = (source.line_col(span.start), source.line_col(span.end.max(span.start)));
    let name = Path::new(&source.name).file_name().unwrap_or(source.name.as_ref());
    format!("{}@{}.{}--{}.{}", name.display(), start.line, start.column, end.line, end.column)
}

fn counterexample(values: &Counterexample) -> String {
    let mut text = String::new();
    for (name, value) in &values.variables {
        let _ = writeln!(text, "{name} -> {value}");
    }
    for held in &values.heap {
        let value = held.value.as_deref().unwrap_or("?");
        let _ = writeln!(text, "{} -> {value} (permission {})", held.location, held.permission);
    }
    text
}

/// `0.12s`, `01m:05s`, `1h:02m:03s`
fn readable(time: Duration) -> String {
    let seconds = time.as_secs();
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, _) => format!("{:.2}s", time.as_millis() as f64 / 1000.0),
        (0, minutes, seconds) => format!("{minutes:02}m:{seconds:02}s"),
        (hours, minutes, seconds) => format!("{hours}h:{minutes:02}m:{seconds:02}s"),
    }
}

#[cfg(test)]
mod tests {
    use report::{Pos, Span};

    use super::*;

    #[test]
    fn times() {
        let ms = Duration::from_millis;
        assert_eq!(readable(ms(120)), "0.12s");
        assert_eq!(readable(ms(65_000)), "01m:05s");
        assert_eq!(readable(ms(3_723_000)), "1h:02m:03s");
    }

    #[test]
    fn verified_and_failed() {
        let mut sources = SourceMap::new();
        let file = sources.add("some/list.vpr", "method m()\n{ assert false }\n");
        let mut failed = Diagnostic::error(
            "assert.failed:assertion.false",
            Span { file, start: 20, end: 25 },
            "Assert might fail. Assertion false might not hold.",
        );
        failed.counterexample = Some(Box::new(Counterexample {
            variables: vec![("n".into(), "42".into())],
            confirmed: true,
            ..Counterexample::default()
        }));
        let broken = Diagnostic::error("parser.error", Pos::None, "no");
        let report = FileReport::new("some/list.vpr", Status::Failed, vec![failed, broken]);
        let text = render(&report, &sources, true);
        let (header, rest) = text.split_once('\n').unwrap_or_default();
        assert!(header.starts_with("Silicon 1.1-SNAPSHOT (lancehead "), "{header}");
        assert_eq!(
            rest,
            "Silicon found 2 errors in 0.00s:\n  \
             [0] Assert might fail. Assertion false might not hold. (list.vpr@2.10--2.15)\n\
             n -> 42\n  \
             [1] Parse error: no (<no position>)\n"
        );
        let report = FileReport::new("a.vpr", Status::Verified, Vec::new());
        let text = render(&report, &sources, false);
        assert!(text.ends_with("\nSilicon finished verification successfully.\n"), "{text}");
    }
}
