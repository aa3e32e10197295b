//! Graphs of small methods, printed.

#![allow(clippy::expect_used)] // a test may give up

use std::fmt::Write;
use std::path::Path;

use report::{Diagnostic, Pos, SourceMap};
use viper::core::Program;
use viper::loader::{DiskFiles, load_text};

use super::*;

struct Source {
    sources: SourceMap,
    program: Program,
}

impl Source {
    /// A program with one method.
    fn new(params: &str, body: &str) -> Source {
        let text = format!("method m({params}) {{\n{body}\n}}");
        let mut sources = SourceMap::new();
        let file = sources.add("test.vpr", text);
        let loaded = load_text(&DiskFiles, &mut sources, file, Path::new("test.vpr"));
        assert_eq!(loaded.diagnostics, Vec::new());
        let checked = viper::check(&loaded.program);
        assert!(!checked.diagnostics.iter().any(Diagnostic::is_error), "{:?}", checked.diagnostics);
        let program = checked.program.expect("no errors");
        let (program, _) = viper::plugins::desugar(program, &Default::default());
        Source { sources, program }
    }

    fn body(&self) -> &Block {
        self.program.methods[0].body.as_ref().expect("a body")
    }

    fn text(&self, pos: Pos) -> &str {
        let text = pos.span().and_then(|span| self.sources.text(span)).unwrap_or_default();
        text.lines().next().unwrap_or_default()
    }

    fn dump(&self) -> String {
        match Cfg::new(self.body()) {
            Ok(cfg) => self.print(&cfg),
            Err(error) => format!("{}: {}\n", self.text(error.pos), error.message),
        }
    }

    fn print(&self, cfg: &Cfg<'_>) -> String {
        let mut out = String::new();
        if cfg.entry != NodeId(0) {
            let _ = writeln!(out, "start at {}", cfg.entry.0);
        }
        for (i, node) in (0..).zip(&cfg.nodes) {
            let what = match &node.kind {
                NodeKind::Stmt { stmt, .. } => self.text(stmt.pos).to_string(),
                NodeKind::Label { label, .. } => {
                    format!("label {}", self.program.methods[0].labels[label.index()])
                }
                NodeKind::Branch { cond, loop_guard, .. } => {
                    let keyword = if *loop_guard { "while" } else { "if" };
                    format!("{keyword} {}", self.text(cond.pos))
                }
                NodeKind::LoopHead { id, .. } => format!("loop {}", id.0),
                NodeKind::Exit => "exit".to_string(),
            };
            let _ = write!(out, "{i}: {what}");
            for edge in node.kind.edges() {
                let back = if edge.back { " again" } else { "" };
                let _ = write!(out, " -> {}{back}", edge.to.0);
                for left in cfg.left(NodeId(i), edge) {
                    let _ = write!(out, " leaves {}", left.0);
                }
            }
            out.push('\n');
        }
        for (i, this) in cfg.loops.iter().enumerate() {
            let method = &self.program.methods[0];
            let written = this.written.iter().map(|id| method.locals[id.index()].name.to_string());
            let written = written.collect::<Vec<_>>().join(" ");
            let invariants = this.invariants.iter().map(|e| self.text(e.pos));
            let invariants = invariants.collect::<Vec<_>>().join(", ");
            let parent = this.parent.map_or(String::new(), |p| format!(" in {}", p.0));
            let _ = writeln!(out, "loop {i}{parent}: [{invariants}] writes [{written}]");
        }
        for pos in &cfg.idle_invariants {
            let _ = writeln!(out, "idle: {}", self.text(*pos));
        }
        out
    }
}

/// Compares line by line; the indentation of what is expected does not count.
#[track_caller]
fn check(body: &str, expected: &str) {
    let found = Source::new("n: Int, b: Bool", body).dump();
    let expected = expected.trim().lines().map(str::trim).collect::<Vec<_>>().join("\n");
    assert_eq!(found.trim(), expected, "\n{found}");
}

#[test]
fn an_empty_body_is_its_exit() {
    check("", "0: exit");
    check("{ { } }", "0: exit");
}

#[test]
fn branches_meet_again() {
    check(
        "var x: Int
         if (b) { x := 1 } elseif (n > 0) { } else { x := 2 }
         x := 3",
        "0: var x: Int -> 1
         1: if b -> 2 -> 3
         2: x := 1 -> 5
         3: if n > 0 -> 5 -> 4
         4: x := 2 -> 5
         5: x := 3 -> 6
         6: exit",
    );
}

#[test]
fn a_while_loop_is_left_by_its_guard() {
    check(
        "var i: Int
         while (i < n) invariant i >= 0 { var x: Int; x := i; i := i + 1 }",
        "0: var i: Int -> 1
         1: loop 0 -> 2
         2: while i < n -> 3 -> 6 leaves 0
         3: var x: Int -> 4
         4: x := i -> 5
         5: i := i + 1 -> 1 again
         6: exit
         loop 0: [i >= 0] writes [i]",
    );
}

#[test]
fn loops_nest() {
    check(
        "var i: Int; var j: Int
         while (b) invariant 0 == 0 { i := 1 while (n > 0) invariant 1 == 1 { var k: Int; k := 1 j := 1 while (n > 1) { k := 2 } } }",
        "0: var i: Int -> 1
         1: var j: Int -> 2
         2: loop 0 -> 3
         3: while b -> 4 -> 13 leaves 0
         4: i := 1 -> 5
         5: loop 1 -> 6
         6: while n > 0 -> 7 -> 2 again leaves 1
         7: var k: Int -> 8
         8: k := 1 -> 9
         9: j := 1 -> 10
         10: loop 2 -> 11
         11: while n > 1 -> 12 -> 5 again leaves 2
         12: k := 2 -> 10 again
         13: exit
         loop 0: [0 == 0] writes [i j]
         loop 1 in 0: [1 == 1] writes [j]
         loop 2 in 1: [] writes [k]",
    );
}

#[test]
fn a_jump_leaves_nested_loops() {
    check(
        "var i: Int
         while (b) { while (i > 0) { if (i == 1) { goto out } i := i - 1 } }
         i := 1
         label out
         i := 2",
        "0: var i: Int -> 1
         1: loop 0 -> 2
         2: while b -> 3 -> 7 leaves 0
         3: loop 1 -> 4
         4: while i > 0 -> 5 -> 1 again leaves 1
         5: if i == 1 -> 8 leaves 1 leaves 0 -> 6
         6: i := i - 1 -> 3 again
         7: i := 1 -> 8
         8: label out -> 9
         9: i := 2 -> 10
         10: exit
         loop 0: [] writes [i]
         loop 1 in 0: [] writes [i]",
    );
}

#[test]
fn a_while_is_a_loop_even_if_it_never_comes_back() {
    check(
        "while (b) invariant b { assert b goto out assert false } label out",
        "0: loop 0 -> 1
         1: while b -> 2 -> 4 leaves 0
         2: assert b -> 4 leaves 0
         3: assert false -> 0
         4: label out -> 5
         5: exit
         loop 0: [b] writes []",
    );
    check(
        "while (b) { assume b while (n > 0) { goto out } goto out } label out",
        "0: loop 0 -> 1
         1: while b -> 2 -> 5 leaves 0
         2: assume b -> 3
         3: loop 1 -> 4
         4: while n > 0 -> 5 leaves 1 leaves 0 -> 5 leaves 1 leaves 0
         5: label out -> 6
         6: exit
         loop 0: [] writes []
         loop 1 in 0: [] writes []",
    );
}

#[test]
fn a_jump_back_closes_a_loop_at_its_label() {
    check(
        "label l goto l",
        "start at 2
         0: label l -> 2 again
         1: exit
         2: loop 0 -> 0
         loop 0: [] writes []",
    );
    check(
        "var i: Int
         label l invariant i >= 0 invariant b
         i := i + 1
         if (i < n) { goto l }
         i := 0",
        "0: var i: Int -> 6
         1: label l -> 2
         2: i := i + 1 -> 3
         3: if i < n -> 6 again -> 4 leaves 0
         4: i := 0 -> 5
         5: exit
         6: loop 0 -> 1
         loop 0: [i >= 0, b] writes [i]",
    );
}

#[test]
fn a_loop_of_jumps_around_a_while() {
    check(
        "var i: Int
         label l
         while (b) { if (n > 0) { i := 1 goto out } goto l }
         label out",
        "0: var i: Int -> 8
         1: label l -> 2
         2: loop 1 -> 3
         3: while b -> 4 -> 6 leaves 1 leaves 0
         4: if n > 0 -> 5 -> 8 again leaves 1
         5: i := 1 -> 6 leaves 1 leaves 0
         6: label out -> 7
         7: exit
         8: loop 0 -> 1
         loop 0: [] writes [i]
         loop 1 in 0: [] writes [i]",
    );
}

#[test]
fn a_while_around_a_loop_of_jumps() {
    check(
        "var i: Int
         while (b) { label l invariant b i := 1 if (n > 0) { goto l } if (n > 1) { goto out } }
         label out",
        "0: var i: Int -> 1
         1: loop 0 -> 2
         2: while b -> 9 -> 7 leaves 0
         3: label l -> 4
         4: i := 1 -> 5
         5: if n > 0 -> 9 again -> 6 leaves 1
         6: if n > 1 -> 7 leaves 0 -> 1 again
         7: label out -> 8
         8: exit
         9: loop 1 -> 3
         loop 0: [] writes [i]
         loop 1 in 0: [b] writes [i]",
    );
}

#[test]
fn loops_at_adjacent_labels_nest() {
    check(
        "label outer invariant b label inner if (n > 0) { goto inner } if (n > 1) { goto outer }",
        "start at 5
         0: label outer -> 6
         1: label inner -> 2
         2: if n > 0 -> 6 again -> 3 leaves 1
         3: if n > 1 -> 5 again -> 4 leaves 0
         4: exit
         5: loop 0 -> 0
         6: loop 1 -> 1
         loop 0: [b] writes []
         loop 1 in 0: [] writes []",
    );
}

#[test]
fn a_loop_may_start_where_branches_meet() {
    check(
        "if (b) { goto out label l assert b } else { }
         assert n > 0
         goto l
         label out",
        "0: if b -> 4 -> 6
         1: label l -> 2
         2: assert b -> 6 again
         3: assert n > 0 -> 1
         4: label out -> 5
         5: exit
         6: loop 0 -> 3
         loop 0: [] writes []",
    );
}

#[test]
fn jumps_may_go_into_branches() {
    check(
        "if (b) { goto l } if (n > 0) { assert b label l } assert n > 0",
        "0: if b -> 3 -> 1
         1: if n > 0 -> 2 -> 4
         2: assert b -> 3
         3: label l -> 4
         4: assert n > 0 -> 5
         5: exit",
    );
}

#[test]
fn unreachable_code_makes_no_loops() {
    check(
        "goto out label l invariant b while (n > 0) { goto l } goto l label out",
        "start at 5
         0: label l -> 1
         1: loop 1 -> 2
         2: while n > 0 -> 5 again leaves 1 -> 5 again leaves 1
         3: label out -> 4
         4: exit
         5: loop 0 -> 0
         loop 0: [b] writes []
         loop 1 in 0: [] writes []",
    );
    check(
        "goto middle while (b) { assert b label middle assert n > 0 goto out } label out",
        "0: loop 0 -> 1
         1: while b -> 2 -> 5 leaves 0
         2: assert b -> 3
         3: label middle -> 4
         4: assert n > 0 -> 5 leaves 0
         5: label out -> 6
         6: exit
         loop 0: [] writes []",
    );
}

#[test]
fn code_behind_a_loop_may_be_part_of_it() {
    check(
        "while (b) { goto away label home assert b }
         goto out
         label away
         goto home
         label out",
        "0: loop 0 -> 1
         1: while b -> 4 -> 5 leaves 0
         2: label home -> 3
         3: assert b -> 0 again
         4: label away -> 2
         5: label out -> 6
         6: exit
         loop 0: [] writes []",
    );
}

#[test]
fn invariants_of_other_labels_say_nothing() {
    check(
        "label l invariant b assert b",
        "0: label l -> 1
         1: assert b -> 2
         2: exit
         idle: label l invariant b",
    );
}

#[test]
fn a_second_way_into_a_loop_is_an_error() {
    check(
        "if (b) { goto second } label first assert b label second goto first",
        "goto second: this jump enters a loop elsewhere than at its head",
    );
    check(
        "if (b) { goto middle } while (n > 0) { assert b label middle assert b }",
        "goto middle: this jump enters a loop elsewhere than at its head",
    );
    check(
        "if (b) { goto middle } while (n > 0) { assert b label middle goto out } label out",
        "goto middle: this jump enters a loop elsewhere than at its head",
    );
}

#[test]
fn a_while_may_be_entered_by_a_jump_only() {
    check(
        "goto middle while (n > 0) { assert b label middle invariant b assert n > 1 }",
        "0: loop 0 -> 1
         1: while n > 0 -> 2 -> 5 leaves 0
         2: assert b -> 3
         3: label middle -> 4
         4: assert n > 1 -> 0 again
         5: exit
         loop 0: [] writes []
         idle: label middle invariant b",
    );
}

#[test]
fn variables_that_jumps_may_leave_undeclared_are_written() {
    check(
        "label l if (b) { goto k } var x: Int label k assert x > 0 goto l",
        "start at 6
         0: label l -> 1
         1: if b -> 3 -> 2
         2: var x: Int -> 3
         3: label k -> 4
         4: assert x > 0 -> 6 again
         5: exit
         6: loop 0 -> 0
         loop 0: [] writes [x]",
    );
}
