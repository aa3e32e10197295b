//! Graphs of small methods, printed.

#![allow(clippy::expect_used)] // a test may give up

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use report::{Diagnostic, Pos, SourceMap};
use viper::core::Program;
use viper::loader::{DiskFiles, load_text};

use super::print::{left, loops_around};
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
        print::first_line(&self.sources, pos)
    }

    fn dump(&self) -> String {
        match Cfg::new(self.body()) {
            Ok(cfg) => {
                assert_well_formed(&cfg);
                print::print(&cfg, &self.program.methods[0], &self.sources)
            }
            Err(error) => format!("{}: {}\n", self.text(error.pos), error.message),
        }
    }
}

/// The loops around a node, as a set.
fn around(cfg: &Cfg<'_>, node: NodeId) -> BTreeSet<LoopId> {
    loops_around(cfg, node).collect()
}

/// Edges enter loops through heads only and leave what they say, and nothing runs in circles but
/// through edges that go back.
fn assert_well_formed(cfg: &Cfg<'_>) {
    let mut open = vec![(cfg.entry, false)];
    let mut done = vec![None; cfg.nodes.len()];
    while let Some((id, finished)) = open.pop() {
        if finished {
            done[id.index()] = Some(true);
            continue;
        }
        if done[id.index()].is_some() {
            continue;
        }
        done[id.index()] = Some(false);
        open.push((id, true));
        for edge in cfg.node(id).kind.edges() {
            let mut kept = around(cfg, id);
            left(cfg, id, edge).for_each(|left| assert!(kept.remove(&left)));
            if let NodeKind::LoopHead { id, .. } = cfg.node(edge.to).kind {
                assert_eq!(edge.back, !kept.insert(id));
            } else {
                assert!(!edge.back);
            }
            assert_eq!(kept, around(cfg, edge.to), "{id:?} {edge:?}");
            if !edge.back {
                assert_ne!(done[edge.to.index()], Some(false), "a circle through {id:?}");
                open.push((edge.to, false));
            }
        }
    }
}

/// Compares line by line; the indentation of what is expected does not count.
#[track_caller]
fn check(body: &str, expected: &str) {
    let found = Source::new("n: Int, b: Bool", body).dump();
    let expected = expected.trim().lines().map(str::trim).collect::<Vec<_>>().join("\n");
    assert_eq!(found.trim(), expected, "\n{found}");
}

/// All kinds of nodes, edges and loops at once. `INSTA_UPDATE=always` writes the snapshot anew.
#[test]
fn a_graph_as_text() {
    let body = "var i: Int := 0
        var found: Bool := false
        while (i < n)
            invariant 0 <= i
            invariant !found
        {
            var j: Int := 0
            while (j < i) invariant j <= i {
                if (i * j == n) { found := true; goto done }
                j := j + 1
            }
            i := i + 1
        }
        label again
            invariant i >= 0
        if (b && i > 0) { i := i - 1; goto again }
        label done
            invariant true
        assert found || i >= 0";
    insta::assert_snapshot!(Source::new("n: Int, b: Bool", body).dump());
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
         while (b) invariant 0 == 0 {
           i := 1
           while (n > 0) invariant 1 == 1 {
             var k: Int; k := 1
             j := 1
             while (n > 1) { k := 2 }
           }
         }",
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
        "start at 3
         0: label l -> 1
         1: loop 0 -> 2
         2: while n > 0 -> 0 -> 0
         3: label out -> 4
         4: exit
         loop 0: [] writes []
         idle: label l invariant b",
    );
    check(
        "goto middle while (b) { assert b label middle assert n > 0 goto out } label out",
        "start at 3
         0: loop 0 -> 1
         1: while b -> 2 -> 5
         2: assert b -> 3
         3: label middle -> 4
         4: assert n > 0 -> 5
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
        "start at 6
         0: loop 1 -> 1
         1: while n > 0 -> 2 -> 5 leaves 1 leaves 0
         2: assert b -> 6 again leaves 1
         3: label middle -> 4
         4: assert n > 1 -> 0
         5: exit
         6: loop 0 -> 3
         loop 0: [b] writes []
         loop 1 in 0: [] writes []",
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

#[test]
fn deep_and_long_bodies_are_cheap() {
    viper::with_deep_stack(|| {
        let deep = "while (b) { if (n > 0) { ".repeat(400) + &"} }".repeat(400);
        let source = Source::new("n: Int, b: Bool", &deep);
        let cfg = Cfg::new(source.body()).expect("reducible");
        assert_eq!(cfg.loops.last().map(|inner| inner.depth), Some(400));
        let mut long = String::new();
        for i in 0..5000 {
            let _ = writeln!(long, "label l{i} if (n > {i}) {{ goto l{} }}", i / 2);
        }
        let source = Source::new("n: Int, b: Bool", &long);
        let cfg = Cfg::new(source.body()).expect("reducible");
        assert_eq!(cfg.loops.len(), 2500);
    });
}

/// Bodies that look random.
struct Bodies(testing::Random);

impl Bodies {
    /// Statements with all labels below `labels`, each once, and jumps to them.
    fn body(&mut self, labels: usize, next: &mut usize, depth: u32) -> String {
        let mut out = String::new();
        while *next < labels {
            match self.0.below(7) {
                0 => {
                    let _ = write!(out, "label l{next} ");
                    *next += 1;
                }
                1 => {
                    let _ = write!(out, "goto l{} ", self.0.below(labels));
                }
                2 => {
                    let _ = write!(out, "if (b) {{ goto l{} }} ", self.0.below(labels));
                }
                3 if depth < 3 => {
                    let _ = write!(out, "while (b) {{ {} }} ", self.body(labels, next, depth + 1));
                }
                4 if depth < 3 => {
                    let _ = write!(out, "if (b) {{ {} }} ", self.body(labels, next, depth + 1));
                }
                5 if depth > 0 => break,
                _ => out.push_str("assert b "),
            }
        }
        out
    }
}

/// Can the graph be reduced to a node by merging nodes into their only predecessor?
fn is_reducible(raw: &build::Raw<'_>) -> bool {
    let steps = loops::steps(raw);
    let mut reached = BTreeSet::from([raw.entry]);
    let mut open = vec![raw.entry];
    let mut sources: BTreeMap<NodeId, BTreeSet<NodeId>> = BTreeMap::new();
    while let Some(from) = open.pop() {
        for step in &steps[from.index()] {
            sources.entry(step.to).or_default().insert(from);
            if reached.insert(step.to) {
                open.push(step.to);
            }
        }
    }
    loop {
        for (to, from) in &mut sources {
            from.remove(to);
        }
        let single = |(to, from): (&NodeId, &BTreeSet<NodeId>)| {
            let only = from.first().copied().filter(|_| from.len() == 1)?;
            (*to != raw.entry).then_some((*to, only))
        };
        let Some((merged, into)) = sources.iter().find_map(single) else {
            break;
        };
        sources.remove(&merged);
        reached.remove(&merged);
        for from in sources.values_mut() {
            if from.remove(&merged) {
                from.insert(into);
            }
        }
    }
    reached.len() == 1
}

#[test]
fn exactly_what_is_reducible_is_supported() {
    let mut bodies = Bodies(testing::Random::new(1));
    let mut supported = 0;
    for _ in 0..500 {
        let labels = 1 + bodies.0.below(5);
        let text = bodies.body(labels, &mut 0, 0);
        let source = Source::new("n: Int, b: Bool", &text);
        let raw = build::graph(source.body()).expect("no scripts");
        let cfg = Cfg::new(source.body());
        assert_eq!(cfg.is_ok(), is_reducible(&raw), "{text}");
        if let Ok(cfg) = cfg {
            assert_well_formed(&cfg);
            supported += 1;
        }
    }
    assert!((50..450).contains(&supported), "{supported}");
}

#[test]
fn blocks_write_what_they_do_not_declare() {
    let source = Source::new(
        "n: Int, b: Bool",
        "var x: Int var y: Int var z: Int
         if (b) { var w: Int w := 1 x := w while (b) { z := 1 } } else { y := x }",
    );
    let body = source.body();
    let inner = Block { stmts: body.stmts[3..].to_vec(), pos: body.pos };
    let locals = &source.program.methods[0].locals;
    let names =
        written::written_locals(&inner).into_iter().map(|id| locals[id.index()].name.to_string());
    assert_eq!(names.collect::<Vec<_>>(), ["x", "y", "z"]);
    assert_eq!(written::written_locals(body), Vec::new());
}

/// Where each `if` is left, with its condition.
fn joins(params: &str, body: &str) -> Vec<String> {
    let source = Source::new(params, body);
    let cfg = Cfg::new(source.body()).expect("a graph");
    let joins = cfg.joins();
    let branches = cfg.nodes.iter().zip(&joins).filter_map(|(node, join)| match node.kind {
        NodeKind::Branch { cond, loop_guard: false, .. } => Some((source.text(cond.pos), join)),
        _ => None,
    });
    let to = |way: &Way| match &cfg.node(way.to).kind {
        NodeKind::Stmt { stmt, .. } => source.text(stmt.pos).to_string(),
        NodeKind::LoopHead { .. } => format!("loop{}", if way.back { " again" } else { "" }),
        NodeKind::Exit => "exit".to_string(),
        _ => "label".to_string(),
    };
    branches
        .map(|(cond, join)| format!("{cond}: {}", join.as_ref().map_or("-".into(), to)))
        .collect()
}

#[test]
fn ifs_meet_again_behind_them() {
    let body = "if (a) { if (b) { x := 1 } else { x := 2 } } else { x := 3 }
                x := 4
                if (c) { while (d) { x := 5 } }";
    let params = "a: Bool, b: Bool, c: Bool, d: Bool) returns (x: Int";
    assert_eq!(joins(params, body), ["a: x := 4", "b: x := 4", "c: exit"]);
}

#[test]
fn ifs_meet_again_where_a_loop_starts_or_ends() {
    let body = "if (a) { x := 1 }
                while (d) { x := 2 if (b) { x := 3 } else { while (c) { x := 4 } } }";
    let params = "a: Bool, b: Bool, c: Bool, d: Bool) returns (x: Int";
    assert_eq!(joins(params, body), ["a: loop", "b: loop again"]);
}

#[test]
fn jumps_in_and_out_prevent_joins() {
    let params = "a: Bool, b: Bool, c: Bool) returns (x: Int";
    let out = "if (a) { if (b) { goto end } x := 1 } x := 2 label end";
    assert_eq!(joins(params, out), ["a: -", "b: -"]);
    let in_ = "if (c) { goto inside } if (a) { x := 1 label inside x := 2 } x := 3";
    assert_eq!(joins(params, in_), ["c: -", "a: -"]);
    let circle = "if (a) { label again if (b) { x := 1 goto again } } x := 3";
    assert_eq!(joins(params, circle), ["a: -", "b: -"]);
    // The loop is left by both ways.
    let leaves = "while (c) { if (a) { x := 1 goto end } else { x := 2 goto end } } label end";
    assert_eq!(joins(params, leaves), ["a: -"]);
    // A jump to where it would go anyway changes nothing.
    let short = "if (a) { x := 1 goto end } label end";
    assert_eq!(joins(params, short), ["a: label"]);
}
