//! The examples of [ABCK15] under their numbers.

#![allow(clippy::expect_used, clippy::panic)]

use prove::abduce::abduce;
use prove::defs::{Defs, End, Kind, KindId, Pred, PredId, Sub, SubArg};
use prove::entail::entails;
use prove::exec::{Command, HExpr, execute};
use prove::interpolate::{interpolant, intro, path, triple};
use prove::print::Printer;
use prove::rsep::{Atom, Formula, HTerm, Instance};

const NODE: KindId = KindId(0);
const TREE: KindId = KindId(1);
const LS: PredId = PredId(0);
const BT: PredId = PredId(1);

/// `ls(R, x, y)` and `bt(Q, L, R, x)` as in Sec. 3.1.
fn defs() -> Defs {
    let kind = |name: &str, own: u32, ptrs: usize| Kind {
        name: name.to_owned(),
        data: vec![("D".to_owned(), 0)],
        on_heap: true,
        ptrs: (0..ptrs).map(|n| (format!("N{n}"), 8 * (n as u64 + 1), Some(KindId(own)))).collect(),
    };
    let sub =
        |field: usize, also: usize| Sub { args: vec![SubArg::Field(field)], also: Some(also) };
    Defs {
        kinds: vec![kind("node", 0, 1), kind("tree", 1, 2)],
        preds: vec![
            Pred {
                name: "ls".to_owned(),
                kind: NODE,
                params: 2,
                end: End::Param(1),
                links: vec![None],
                refs: vec![1],
                subs: vec![Sub { args: vec![SubArg::Field(0), SubArg::Param(1)], also: None }],
            },
            Pred {
                name: "bt".to_owned(),
                kind: TREE,
                params: 1,
                end: End::Null,
                links: vec![None, None],
                refs: vec![1, 2, 2],
                subs: vec![sub(0, 1), sub(1, 2)],
            },
        ],
    }
}

/// Formulas over the heap variables x, y, z, t, w.
struct Builder {
    defs: Defs,
    formula: Formula,
}

const X: usize = 0;
const Y: usize = 1;
const Z: usize = 2;
const T: usize = 3;
const W: usize = 4;

fn build() -> Builder {
    Builder { defs: defs(), formula: Formula::anything(5, 0) }
}

impl Builder {
    fn term(&self, name: &str) -> HTerm {
        let vars = ["x", "y", "z", "t", "w"];
        match vars.iter().position(|var| *var == name) {
            Some(var) => self.formula.vars[var],
            None => HTerm::Null,
        }
    }

    /// `at ↦ [_, fields]`; `_` is an existential variable.
    fn cell(mut self, at: &str, fields: &[&str]) -> Builder {
        let kind = if fields.len() == 1 { NODE } else { TREE };
        let at = self.term(at);
        let mut cell = self.formula.fresh_cell(at, kind, &self.defs);
        for (place, name) in cell.ptrs.iter_mut().zip(fields) {
            if *name != "_" {
                *place = self.term(name);
            }
        }
        self.formula.atoms.push(Atom::Cell(cell));
        self
    }

    fn pred(mut self, pred: PredId, args: &[&str]) -> Builder {
        let args = args.iter().map(|name| self.term(name)).collect();
        self.formula.atoms.push(Atom::Pred(Instance { pred, args, refs: Vec::new() }));
        self
    }

    fn equal(mut self, a: &str, b: &str) -> Builder {
        let (a, b) = (self.term(a), self.term(b));
        self.formula.unify(a, b);
        self
    }

    fn apart(mut self, a: &str, b: &str) -> Builder {
        let pair = (self.term(a), self.term(b));
        self.formula.apart.push(pair);
        self
    }

    fn done(self) -> Formula {
        self.formula
    }
}

fn show(formula: &Formula) -> String {
    let names: Vec<String> = ["x", "y", "z", "t", "w"].map(str::to_owned).into();
    Printer { defs: &defs(), heap: &names, data: &[], solution: None }.formula(formula)
}

/// Equivalent, by our prover in both directions.
fn assert_same(found: &Formula, paper: &Formula) {
    let defs = defs();
    let (there, back) = (entails(found, paper, &defs), entails(paper, found, &defs));
    assert!(there.is_some() && back.is_some(), "{}\nis not\n{}", show(found), show(paper));
}

#[test]
fn example_1_store() {
    let before = build().cell("t", &["y", "null"]).cell("x", &["null", "null"]).done();
    let after = build().pred(BT, &["t"]).done();
    let store = Command::Store(T, TREE, 0, HExpr::Var(X));
    let found = interpolant(&before, &store, &after, &defs()).expect("an interpolant");
    // (∃a, z0, z1. t ↦ [a, z0, z1] * bt(z1) * bt(x))
    let mut paper = build().cell("t", &["_", "_"]).pred(BT, &["x"]).done();
    let Some(Atom::Cell(cell)) = paper.atoms.first() else { panic!("a record") };
    let args = vec![cell.ptrs[1]];
    paper.atoms.push(Atom::Pred(Instance { pred: BT, args, refs: Vec::new() }));
    assert_same(&found, &paper);
}

#[test]
fn example_2_load() {
    let before =
        build().equal("y", "t").cell("y", &["null", "x"]).cell("x", &["null", "null"]).done();
    let after = build().apart("y", "null").pred(BT, &["t"]).done();
    let load = Command::Load(Y, Y, TREE, 1);
    let found = interpolant(&before, &load, &after, &defs()).expect("an interpolant");
    // (∃a, z0, z1. z1 ≠ null ∧ y = t : bt(z0) * bt(z1) * y ↦ [a, z0, z1])
    let mut paper = build().equal("y", "t").cell("y", &["_", "_"]).done();
    let Some(Atom::Cell(cell)) = paper.atoms.first().cloned() else { panic!("a record") };
    paper.apart.push((cell.ptrs[1], HTerm::Null));
    for field in cell.ptrs {
        paper.atoms.push(Atom::Pred(Instance { pred: BT, args: vec![field], refs: Vec::new() }));
    }
    assert_same(&found, &paper);
}

#[test]
fn a_predicate_is_introduced_at_an_assumption() {
    // itp(x ↦ [d, y] * y ↦ [d', null], assume(x ≠ null), (∃a, z. x ↦ [a, z] * true)) = ls(x, null) * true
    let before = build().cell("x", &["y"]).cell("y", &["null"]).done();
    let after = build().cell("x", &["_"]).done();
    let assume = Command::Different(HExpr::Var(X), HExpr::Null);
    let found = interpolant(&before, &assume, &after, &defs()).expect("an interpolant");
    assert_same(&found, &build().pred(LS, &["x", "null"]).done());
}

#[test]
fn intro_takes_something() {
    let heap = build().cell("x", &["null"]).cell("y", &["null"]).done();
    let goal = build().cell("y", &["null"]).done();
    let choice = build().pred(LS, &["x", "null"]).done();
    assert!(intro(&heap, &choice, &goal, &defs()).is_none());
}

#[test]
fn appendix_d_renames_and_exposes() {
    // S is x = w : y ↦ z, I' is ls(w, z), c is assume(x = y): the interpolant is x = w : ls(y, z).
    let before = build().equal("x", "w").apart("y", "z").cell("y", &["z"]).done();
    let after = build().pred(LS, &["w", "z"]).done();
    let assume = Command::Equal(HExpr::Var(X), HExpr::Var(Y));
    let found = interpolant(&before, &assume, &after, &defs()).expect("an interpolant");
    assert_same(&found, &build().equal("x", "w").pred(LS, &["y", "z"]).done());
    assert_eq!(found.vars[X], found.vars[W]);
}

#[test]
fn example_5_bounded_abduction() {
    // x ↦ [a, y] * y ↦ [b, null] ⊢ ls(x, y) * [] ⊢ (∃z. x ↦ [a, z] * ls(y, null)) has x ≠ y : ls(y, null).
    let left = build().cell("x", &["y"]).cell("y", &["null"]).done();
    let middle = build().pred(LS, &["x", "y"]).done();
    let right = build().cell("x", &["_"]).pred(LS, &["y", "null"]).done();
    let found = abduce(&left, &middle, &right, &defs()).expect("a solution");
    assert_same(&found, &build().apart("x", "y").pred(LS, &["y", "null"]).done());
}

#[test]
fn example_6_has_no_solution() {
    let left = build().apart("x", "y").cell("x", &["y"]).done();
    let middle = build().pred(LS, &["x", "y"]).done();
    assert!(abduce(&left, &middle, &left, &defs()).is_none());
}

/// Fig. 3 (a) and (b): the path 1, 2, 2, 3, 4 through Fig. 2. The variables are x and tmp (here t).
#[test]
fn figure_3_spatial_interpolants() {
    let defs = defs();
    let (x, tmp) = (X, T);
    let commands = [
        Command::Assign(x, HExpr::Null),
        Command::New(tmp, NODE, false),
        Command::Store(tmp, NODE, 0, HExpr::Var(x)),
        Command::StoreData(tmp, NODE, 0, arith::Sum::number(0)),
        Command::Assign(x, HExpr::Var(tmp)),
        Command::Different(HExpr::Var(x), HExpr::Null),
    ];
    let mut heaps = vec![build().done()];
    for command in &commands {
        let before = heaps.last().expect("a heap");
        let mut states = execute(command, before, &defs).states;
        heaps.push(states.pop().expect("the path is feasible"));
    }
    let goal = build().cell("x", &["_"]).done();
    let found = path(&heaps, &commands, &goal, &defs);
    assert_eq!(found.len(), commands.len() + 1);
    // At 1: true; at 2 and 2a: ls(x, null); at 4: x ↦ [d', n'].
    assert_same(&found[0], &build().done());
    assert_same(&found[1], &build().pred(LS, &["x", "null"]).done());
    assert_same(&found[5], &build().pred(LS, &["x", "null"]).done());
    assert_same(&found[6], &goal);
    for (index, command) in commands.iter().enumerate() {
        let (before, after) = (&found[index], &found[index + 1]);
        assert!(
            triple(before, command, after, &defs),
            "{} {command:?} {}",
            show(before),
            show(after)
        );
    }
    let _ = (Y, Z, W);
}
