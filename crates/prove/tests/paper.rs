//! The examples of [ABCK15] under their numbers.

#![allow(clippy::expect_used, clippy::panic)]

use std::time::Duration;

use horn::{Constraint, Farkas, Sign, Solver, Spacer, Strongest, Sum, System};
use prove::abduce::abduce;
use prove::defs::{Defs, End, Kind, KindId, Pred, PredId, Sub, SubArg};
use prove::entail::entails;
use prove::exec::{Command, HExpr, execute, execute_all};
use prove::interpolate::{interpolant, intro, path, triple};
use prove::print::Printer;
use prove::refine::{Goal, Path, Point, Solved, refine};
use prove::rsep::{Applied, Arg, Atom, Formula, HTerm, Instance, Refinement};

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
        ..Defs::default()
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

/// A path through Fig. 2 with its data: x and tmp (here t) are heap variables, i and d data variables.
struct Running {
    commands: Vec<Vec<Command>>,
}

const I: usize = 0;
const D: usize = 1;

fn constraint(sum: Option<Sum>, relation: Sign) -> Constraint {
    Constraint { sum: sum.expect("small numbers"), relation }
}

fn running() -> Running {
    let i = || Sum::var(I as u32);
    let start = vec![Command::HavocData(I, Vec::new()), Command::Assign(X, HExpr::Null)];
    let turn = vec![
        Command::Assume(constraint(Some(i()), Sign::NotZero)),
        Command::New(T, NODE, false),
        Command::Store(T, NODE, 0, HExpr::Var(X)),
        Command::StoreData(T, NODE, 0, i()),
        Command::Assign(X, HExpr::Var(T)),
        Command::Data(I, i().plus(&Sum::number(1), -1).expect("small numbers")),
    ];
    let leave = vec![Command::Assume(constraint(Some(i()), Sign::Zero))];
    let check = vec![
        Command::Different(HExpr::Var(X), HExpr::Null),
        Command::LoadData(D, X, NODE, 0),
        // d < 0
        Command::Assume(constraint(
            Sum::number(-1).plus(&Sum::var(D as u32), -1),
            Sign::NotNegative,
        )),
        Command::Fail,
    ];
    Running { commands: vec![start, turn, leave, check] }
}

fn with_data(mut formula: Formula) -> Formula {
    formula.data = (0..2).map(Sum::var).collect();
    formula.next_data = 2;
    formula.without_data()
}

/// Fig. 3 (c) and 7: spatial interpolants modulo theories for the path 1, 2, 2a, 3, 4.
#[test]
fn figures_3_and_7_refined() {
    let defs = defs();
    let Running { commands } = running();
    let start = with_data(build().done());
    let list = || with_data(build().pred(LS, &["x", "null"]).done());
    let point = |group| Point { shape: list(), live: vec![I], group, within: vec![] };
    let points = [point(2), point(2), point(3)];
    let path =
        Path { start: &start, points: &points, segments: &commands, goal: Goal::Unreachable };
    let mut solved = Solved::default();
    let found = refine(&path, &defs, &mut solved, &mut [&mut Farkas], None).expect("a refinement");
    let solution = solved.as_solution();
    let heap: Vec<String> = ["x", "y", "z", "t", "w"].map(str::to_owned).into();
    let data: Vec<String> = ["i", "d"].map(str::to_owned).into();
    let printer = Printer { defs: &defs, heap: &heap, data: &data, solution: Some(&solution) };
    let shown: Vec<String> = found.iter().map(|formula| printer.formula(formula)).collect();
    assert_eq!(
        shown,
        ["ls((λa. a >= i), x, null)", "ls((λa. a >= i), x, null)", "ls((λa. a >= 0), x, null)"]
    );
    // Each of the triples holds with the solution put in.
    let mut before = &start;
    for (index, segment) in commands.iter().enumerate() {
        let executed = execute_all(segment, before, &defs);
        for fault in &executed.faults {
            assert!(solved.refutes(fault));
        }
        let Some(after) = found.get(index) else { break };
        for state in &executed.states {
            let proof = entails(state, after, &defs).expect("the shape follows");
            assert!(solved.satisfies(&proof.clauses));
        }
        before = after;
    }
}

/// Fig. 11: a list segment hides that the first element is odd; the strongest proof does not (Theorem 3).
#[test]
fn figure_11_falls_back_on_the_strongest_proof() {
    let defs = defs();
    let push = |value: i128| {
        vec![
            Command::New(T, NODE, false),
            Command::Store(T, NODE, 0, HExpr::Var(X)),
            Command::StoreData(T, NODE, 0, Sum::number(value)),
            Command::Assign(X, HExpr::Var(T)),
        ]
    };
    let mut built = vec![Command::Assign(X, HExpr::Null)];
    built.extend(push(2));
    built.extend(push(1));
    // d = x->D, and d = 2 * i for some i: it is even.
    let even = Sum::var(D as u32).plus(&Sum::var(I as u32), -2);
    let check = vec![
        Command::Different(HExpr::Var(X), HExpr::Null),
        Command::LoadData(D, X, NODE, 0),
        Command::HavocData(I, vec![constraint(even, Sign::Zero)]),
        Command::Fail,
    ];
    let start = with_data(build().done());
    let exact = execute_all(&built, &start, &defs).states.pop().expect("the path is feasible");
    let segments = [built, check];
    let refined = |shape: Formula| {
        let points = [Point { shape, live: Vec::new(), group: 1, within: vec![] }];
        let path =
            Path { start: &start, points: &points, segments: &segments, goal: Goal::Unreachable };
        let mut spacer = Spacer { solver: testing::z3(), timeout: Duration::from_secs(10) };
        let solvers: &mut [&mut dyn Solver] = &mut [&mut Farkas, &mut spacer, &mut Strongest];
        let mut solved = Solved::default();
        refine(&path, &defs, &mut solved, solvers, None).map(|found| (found, solved))
    };
    assert!(refined(with_data(build().pred(LS, &["x", "null"]).done())).is_none());
    assert!(refined(exact.without_data()).is_some());
}

/// The formula in the notation of crate `sl`, whose procedures share nothing with our prover.
fn in_sl(formula: &Formula) -> String {
    let vars = ["x", "y", "z", "t", "w"];
    let name = |term: &HTerm| match term {
        HTerm::Null => "nil".to_owned(),
        HTerm::Sym(sym) => format!("s{sym}"),
    };
    let mut parts = Vec::new();
    for (var, value) in vars.iter().zip(&formula.vars) {
        parts.push(format!("{var} = {}", name(value)));
    }
    for (a, b) in &formula.apart {
        parts.push(format!("{} != {}", name(a), name(b)));
    }
    let mut bound: Vec<String> = (0..formula.next).map(|sym| format!("s{sym}: Loc")).collect();
    for (index, atom) in formula.atoms.iter().enumerate() {
        parts.push(match atom {
            Atom::Cell(cell) => {
                bound.push(format!("d{index}: Int"));
                format!("{} |-> {{data: d{index}, next: {}}}", name(&cell.at), name(&cell.ptrs[0]))
            }
            Atom::Pred(instance) => {
                let args: Vec<String> = instance.args.iter().map(name).collect();
                format!("seg({})", args.join(", "))
            }
            Atom::Context(_) => panic!("there are no trees in these"),
        });
    }
    parts.push("true".to_owned());
    format!("exists {}. {}", bound.join(", "), parts.join(" * "))
}

fn follows_independently(left: &Formula, right: &Formula) -> bool {
    let declarations = "sort Loc; record Cell { data: Int, next: Loc }; heap Loc -> Cell;\n\
        pred seg(x: Loc, y: Loc) := x = y\n\
          || exists d: Int, n: Loc. x != y * x |-> {data: d, next: n} * seg(n, y);\n\
        var x: Loc; var y: Loc; var z: Loc; var t: Loc; var w: Loc;\n";
    let left = format!("{declarations}{}", in_sl(left));
    let right = in_sl(right);
    let mut sources = report::SourceMap::new();
    let file = sources.add("question", left.clone());
    let document = sl::text::parse(&[(file, &left), (file, &right)]).expect("it is well-formed");
    let [left, right] = document.formulas.as_slice() else { panic!("two formulas") };
    let mut procedure = entail::Portfolio::new(std::sync::Arc::new(|| Ok(testing::z3())));
    let answer = sl::ask::once::entails(
        &mut procedure,
        &document.signature,
        sl::Semantics::Precise,
        left,
        right,
    );
    matches!(answer.decided(), Some(sl::Entailment::Valid(..)))
}

/// The interpolants of Fig. 3 once more, with every entailment asked of the procedures of `entail`.
#[test]
fn figure_3_holds_by_other_procedures() {
    let defs = defs();
    let commands: Vec<Command> = running().commands.concat();
    let commands: Vec<Command> = commands
        .into_iter()
        .filter(|c| {
            !matches!(
                c,
                Command::HavocData(..) | Command::Data(..) | Command::Assume(_) | Command::Fail
            )
        })
        .map(|command| match command {
            Command::StoreData(x, kind, field, _) => {
                Command::StoreData(x, kind, field, Sum::number(0))
            }
            other => other,
        })
        .filter(|command| !matches!(command, Command::LoadData(..)))
        .collect();
    let mut heaps = vec![build().done()];
    for command in &commands {
        let mut states = execute(command, heaps.last().expect("a heap"), &defs).states;
        heaps.push(states.pop().expect("the path is feasible"));
    }
    let goal = build().cell("x", &["_"]).done();
    let found = path(&heaps, &commands, &goal, &defs);
    for (heap, interpolant) in heaps.iter().zip(&found) {
        assert!(
            follows_independently(heap, interpolant),
            "{} and {}",
            show(heap),
            show(interpolant)
        );
    }
    for (index, command) in commands.iter().enumerate() {
        let executed = execute(command, &found[index], &defs);
        assert!(executed.faults.is_empty());
        for state in &executed.states {
            assert!(
                follows_independently(state, &found[index + 1]),
                "{command:?}: {} and {}",
                show(state),
                show(&found[index + 1])
            );
        }
    }
    // A formula that does not follow is not said to.
    assert!(!follows_independently(&found[1], &goal));
}

/// Sorted trees and heaps with non-negative elements, by `bt` with refinements (Sec. 3.1).
#[test]
fn refinements_of_trees_are_unfolded() {
    let defs = defs();
    let mut system = System::default();
    let all = system.relation("Q".into(), 1, None, false);
    let left = system.relation("L".into(), 2, None, false);
    let right = system.relation("R".into(), 2, None, false);
    let lambda = |rel, arity: usize| Refinement {
        atoms: vec![Applied { rel, args: (0..arity).map(Arg::Bound).collect() }],
    };
    let mut tree = build().pred(BT, &["t"]).apart("t", "null").done();
    let Some(Atom::Pred(instance)) = tree.atoms.first_mut() else { panic!("a tree") };
    instance.refs = vec![lambda(all, 1), lambda(left, 2), lambda(right, 2)];
    let cases = tree.unfold(0, &defs);
    let [case] = cases.as_slice() else { panic!("it is not empty") };
    // Q(d) : t ↦ [d, l, r] * bt((λa. Q(a) ∧ L(d, a)), L, R, l) * bt((λa. Q(a) ∧ R(d, a)), L, R, r)
    assert_eq!(
        show(case),
        "t != null && R0(d0) : t |-> [d0, _5, _6] * \
         bt((λa. R0(a) && R1(d0, a)), (λa, b. R1(a, b)), (λa, b. R2(a, b)), _5) * \
         bt((λa. R0(a) && R2(d0, a)), (λa, b. R1(a, b)), (λa, b. R2(a, b)), _6)"
    );
}
