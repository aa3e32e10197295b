//! Each plugin on small programs: which proofs are asked for, and where they are reported.

use std::path::Path;

use report::{Diagnostic, Pos, SourceMap};

use super::{Options, desugar};
use crate::check;
use crate::core::{Program, ReportAs, StmtKind};
use crate::loader::{DiskFiles, load_text};

struct Source {
    sources: SourceMap,
    program: Program,
}

impl Source {
    fn with_diagnostics(text: &str) -> (Source, Vec<Diagnostic>) {
        let mut sources = SourceMap::new();
        let file = sources.add("test.vpr", text);
        let loaded = load_text(&DiskFiles, &mut sources, file, Path::new("test.vpr"));
        assert_eq!(loaded.diagnostics, Vec::new());
        let checked = check(&loaded.program);
        (Source { sources, program: checked.program.unwrap_or_default() }, checked.diagnostics)
    }

    fn new(text: &str) -> Source {
        let (source, diagnostics) = Source::with_diagnostics(text);
        assert!(!diagnostics.iter().any(Diagnostic::is_error), "{diagnostics:?}");
        source
    }

    fn text(&self, pos: Pos) -> String {
        let text = pos.span().and_then(|span| self.sources.text(span)).unwrap_or_default();
        text.lines().next().unwrap_or_default().to_string()
    }

    /// The reports of all assertions of the desugared program: reason and source.
    fn proofs(&self, options: &Options) -> Vec<(String, String)> {
        let (program, diagnostics) = desugar(self.program.clone(), options);
        assert_eq!(diagnostics, Vec::new());
        assert!(program.is_desugared());
        let mut proofs = Vec::new();
        for body in program.methods.iter().filter_map(|m| m.body.as_ref()) {
            body.walk_stmts(&mut |stmt| {
                let report = stmt.info.as_ref().and_then(|info| info.report.as_ref());
                if let (StmtKind::Assert(_), Some(report)) = (&stmt.kind, report) {
                    let (what, pos) = match report {
                        ReportAs::Error { reason, pos, .. } => (reason.as_str(), *pos),
                        ReportAs::MustFail { id, pos, .. } => (id.as_str(), *pos),
                        ReportAs::Elsewhere { .. } => return true,
                    };
                    proofs.push((what.to_string(), self.text(pos)));
                }
                true
            });
        }
        proofs
    }

    fn printed(&self) -> String {
        let (program, diagnostics) = desugar(self.program.clone(), &Options::default());
        assert_eq!(diagnostics, Vec::new());
        crate::print::program(&crate::unparse::program(&program))
    }
}

fn proofs(text: &str) -> Vec<(String, String)> {
    Source::new(text).proofs(&Options::default())
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect()
}

#[test]
fn a_recursive_call_must_decrease_the_measure() {
    let text = "
        function fac(n: Int): Int
          requires n >= 0
          decreases n
        { n == 0 ? 1 : n * fac(n - 1) }";
    assert_eq!(proofs(text), pairs(&[("tuple.false", "fac(n - 1)")]));
}

#[test]
fn a_call_must_terminate_when_the_caller_must() {
    let text = "
        function unknown(n: Int): Int
        function known(n: Int): Int
          decreases
        function sometimes(n: Int): Int
          decreases _ if n > 0
        method m(n: Int)
          decreases
        { var x: Int := unknown(n) }
        function f(n: Int): Int
          decreases
        { unknown(n) + known(n) + sometimes(n) }";
    let expected = [
        ("termination.condition.false", "unknown(n)"),
        ("termination.condition.false", "sometimes(n)"),
    ];
    assert_eq!(proofs(text), pairs(&expected));
}

#[test]
fn mutual_recursion_compares_the_measures_of_both() {
    let text = "
        function even(n: Int): Bool
          decreases n if n >= 0
        { n == 0 || odd(n - 1) }
        function odd(n: Int): Bool
          decreases n if n >= 0
          decreases *
        { n != 0 && even(n - 1) }";
    let expected = [
        ("tuple.condition.false", "odd(n - 1)"),
        ("tuple.false", "odd(n - 1)"),
        ("tuple.condition.false", "even(n - 1)"),
        ("tuple.false", "even(n - 1)"),
    ];
    assert_eq!(proofs(text), pairs(&expected));
}

#[test]
fn loops_are_reported_at_their_measure() {
    let text = "
        method m(n: Int)
          decreases
        {
          var i: Int := 0
          while (i < n)
            decreases n - i
          { i := i + 1 }
          while (i > 0)
          { i := i - 1 }
        }";
    let expected = [("tuple.false", "n - i"), ("termination.condition.false", "while (i > 0)")];
    assert_eq!(proofs(text), pairs(&expected));
}

#[test]
fn unfolded_predicates_are_smaller() {
    let text = "
        field next: Ref
        predicate list(x: Ref) { acc(x.next) && (x.next != null ==> list(x.next)) }
        function length(x: Ref): Int
          requires list(x)
          decreases list(x)
        { unfolding list(x) in (x.next == null ? 1 : 1 + length(x.next)) }";
    let printed = Source::new(text).printed();
    assert!(printed.contains("function PI_list("), "{printed}");
    assert!(printed.contains("inhale nestedPredicates("), "{printed}");
    assert!(printed.contains("unfold acc(list(x), wildcard)"), "{printed}");
}

#[test]
fn values_of_mutually_recursive_adts_are_ordered() {
    let text = "
        adt Tree { Node(children: Forest) }
        adt Forest { Empty() More(first: Tree, rest: Forest) }
        function size(t: Tree): Int
          decreases t
        { t.children.isEmpty ? 1 : 1 + size(t.children.first) }";
    let printed = Source::new(text).printed();
    assert!(printed.contains("domain TreeWellFoundedOrder"), "{printed}");
    assert!(printed.contains("decreasing(smaller, Node(More(smaller, x1)))"), "{printed}");
}

#[test]
fn refutations_must_fail() {
    let text = "method m(b: Bool) { refute b }";
    assert_eq!(proofs(text), pairs(&[("refute.failed:refutation.true", "b")]));
}

#[test]
fn smoke_is_looked_for_where_things_are_assumed() {
    let text = "method m(b: Bool)
        {
          if (b) { assume b == b } else { }
        }";
    let options = Options { smoke: true, ..Options::default() };
    let found = Source::new(text).proofs(&options);
    let places: Vec<_> = found.iter().map(|(_, place)| place.as_str()).collect();
    assert_eq!(places, ["assume b == b", "{ assume b == b }", "method m(b: Bool)"]);
}

#[test]
fn no_smoke_is_reported_where_the_user_knows() {
    let text = "method m(b: Bool)
        {
          if (b) { unreachable assume b } else { unreachable }
        }";
    let options = Options { smoke: true, ..Options::default() };
    assert_eq!(Source::new(text).proofs(&options), Vec::new());
}

/// Where errors are reported before there is anything to prove.
fn consistency(text: &str) -> Vec<String> {
    let (source, diagnostics) = Source::with_diagnostics(text);
    let errors = diagnostics.iter().filter(|d| d.id == "consistency.error");
    errors.map(|d| source.text(d.pos)).collect()
}

#[test]
fn a_measure_must_not_depend_on_its_function() {
    let text = "
        function f(x: Int): Int
          decreases g(x)
        function g(x: Int): Int
        { f(x) }";
    assert_eq!(consistency(text), ["function f(x: Int): Int"]);
}

#[test]
fn there_is_one_measure_of_each_kind() {
    let text = "
        method m(x: Int, y: Int)
          decreases x
          decreases y if x <= 0
          decreases _
        {
          while (true)
            decreases *
            decreases *
          { }
        }";
    assert_eq!(consistency(text), ["x", "*"]);
}

#[test]
fn a_postcondition_needs_a_measure_to_call_its_function() {
    let text = "
        function f(x: Int): Int
          ensures x > 0 ==> f(x - 1) <= result
        function g(x: Int): Int
          ensures x > 0 ==> g(x - 1) <= result
          decreases x";
    assert_eq!(consistency(text), ["f(x - 1)"]);
}
