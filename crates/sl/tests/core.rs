//! Symbolic heaps as values: nothing is captured, nothing that is ill-sorted is believed, and what is
//! printed is what is meant.
#![allow(clippy::unwrap_used, clippy::panic)]

use arith::{Constraint, Sum};
use lists::Lists;
use report::FileId;
use sl::core::{Assertion, Builder, PredId, Scope, SortId, SymHeap, Var};
use sl::{Answer, Budget, Defs, Procedure, Reason, Semantics, Signature, Sort};

/// Lists of nodes with a number each, of that many nodes.
struct Lengths {
    scope: Scope,
    node: SortId,
    int: SortId,
    list: PredId,
}

fn lengths() -> Lengths {
    let mut signature = Signature::default();
    let node = Sort::Loc("Node".into());
    let loc = signature.add_record("Node", [("next", node.clone()), ("data", Sort::Int)]);
    assert_eq!(loc, node);
    let mut builder = Builder::new(signature);
    let params = [("x", node.clone()), ("y", node.clone()), ("n", Sort::Int)];
    let list = builder.declare("list", &params).unwrap();
    let &[x, y, n] = builder.params(list) else { panic!() };
    let [node, int] = [&node, &Sort::Int].map(|sort| builder.scope().sort_id(sort).unwrap());
    let zero = Constraint::equal(&Sum::var(n), &Sum::number(0)).unwrap();
    builder.case(list, SymHeap::equal(x, y).star(&SymHeap::arithmetic(zero)));
    let mut step = SymHeap::emp();
    let (next, data, rest) = (step.fresh(node), step.fresh(int), step.fresh(int));
    step.add_cell(x, [next, data]);
    step.add_call(list, [next, y, rest]);
    let more = Sum::var(rest).plus(&Sum::number(1), 1).unwrap();
    step.add_linear(Constraint::equal(&Sum::var(n), &more).unwrap());
    builder.case(list, step);
    let defs = builder.build().unwrap();
    Lengths { scope: Scope::new(&defs), node, int, list }
}

#[test]
fn existential_variables_are_not_captured() {
    let Lengths { mut scope, node, int, list } = lengths();
    let (x, y) = (scope.declare("x", node), scope.declare("y", node));
    let n = scope.declare("n", int);
    let one = SymHeap::pred(list, [x, y, n]).exists(&scope, &[n]);
    let both = one.clone().star(&one);
    assert_eq!(scope.show(&both), "exists v1, v2. list(x, y, v1) * list(x, y, v2)");
    // Variables that belong to another symbolic heap stay without meaning.
    let mut other = SymHeap::emp();
    let u = other.fresh(node);
    let loose = SymHeap::equal(x, u);
    for heap in [loose.clone(), loose.clone().star(&one), one.clone().star(&loose)] {
        let answer = Lists.entails(
            &scope,
            &heap.clone().into(),
            &SymHeap::any().into(),
            &mut Budget::default(),
        );
        assert!(matches!(answer, Answer::OutOfFragment(_)), "{heap:?}: {answer:?}");
        assert_eq!(Assertion::from(heap).formula(&scope), Err(Reason::OpenVariable));
    }
    // `nil` is no variable that could have another value.
    let nil = scope.nil(node);
    assert_eq!(SymHeap::equal(x, nil).exists(&scope, &[nil]), SymHeap::equal(x, nil));
}

#[test]
fn substitution_is_simultaneous() {
    let Lengths { mut scope, node, .. } = lengths();
    let (x, y) = (scope.declare("x", node), scope.declare("y", node));
    let heap = SymHeap::different(x, y).exists(&scope, &[y]).star(&SymHeap::equal(x, y));
    let swapped = heap.substitute(|v| match v {
        v if v == x => y,
        v if v == y => x,
        v => v,
    });
    assert_eq!(scope.show(&heap), "exists v1. x = y * x != v1");
    assert_eq!(scope.show(&swapped), "exists v1. y = x * y != v1");
}

#[test]
fn unfolding_gives_one_heap_for_each_case() {
    let Lengths { mut scope, node, int, list } = lengths();
    let x = scope.declare("x", node);
    let n = scope.declare("n", int);
    let heap = SymHeap::pred(list, [x, scope.nil(node), n]);
    let cases: Vec<String> =
        heap.unfoldings(&scope, 0).unwrap().iter().map(|case| scope.show(case)).collect();
    let expected = [
        "x = nil * n = 0",
        "exists v1, v2, v3. n = v3 + 1 * x |-> {next: v1, data: v2} * list(v1, nil, v3)",
    ];
    assert_eq!(cases, expected);
    assert_eq!(heap.unfold(&scope, 0, 2), Err(Reason::NoSuchInstance));
    assert_eq!(heap.unfold(&scope, 1, 0), Err(Reason::NoSuchInstance));
    let fresh = heap.unfold(&scope, 0, 1).unwrap().skolemised(&mut scope);
    assert!(fresh.existentials().is_empty());
    assert_eq!(
        scope.show(&fresh),
        "n = v_5 + 1 * x |-> {next: v_3, data: v_4} * list(v_3, nil, v_5)"
    );
}

#[test]
fn ill_sorted_heaps_are_refused() {
    let Lengths { mut scope, node, int, list } = lengths();
    let x = scope.declare("x", node);
    let n = scope.declare("n", int);
    let unknown: Var = 1_000;
    let wrong = [
        SymHeap::equal(x, n),
        SymHeap::different(n, x),
        SymHeap::points_to(x, [x]),
        SymHeap::points_to(x, [n, x]),
        SymHeap::points_to(n, [x, n]),
        SymHeap::pred(list, [x, x]),
        SymHeap::pred(list, [x, n, x]),
        SymHeap::pred(list + 1, [x, x, n]),
        SymHeap::equal(x, unknown),
        SymHeap::equal(n, scope.nil(int)),
        SymHeap::arithmetic(Constraint::equal(&Sum::var(x), &Sum::number(0)).unwrap()),
    ];
    for heap in wrong {
        let assertion = Assertion::from(heap);
        assert!(assertion.formula(&scope).is_err(), "{assertion:?}");
        assert!(sl::core::Clauses::new(&scope, &assertion, None).is_err(), "{assertion:?}");
    }
}

#[test]
fn definitions_are_checked() {
    let mut signature = Signature::default();
    let node = signature.add_record("Node", [("next", Sort::Loc("Node".into()))]);
    let build = |case: &dyn Fn(&mut Builder, PredId) -> SymHeap| {
        let mut builder = Builder::new(signature.clone());
        let pred = builder.declare("p", &[("x", node.clone())]).unwrap();
        let _ = builder.declare("q", &[("y", node.clone())]).unwrap();
        assert_eq!(builder.declare("p", &[]).err(), Some(Reason::DefinedTwice("p".into())),);
        let case = case(&mut builder, pred);
        builder.case(pred, case);
        builder.build().err()
    };
    assert_eq!(build(&|_, _| SymHeap::emp()), None);
    assert_eq!(build(&|_, _| SymHeap::any()), Some(Reason::OpenDefinition));
    let of_another = |builder: &mut Builder, pred: PredId| {
        let (x, y) = (builder.params(pred)[0], builder.params(pred + 1)[0]);
        SymHeap::equal(x, y)
    };
    assert_eq!(build(&of_another), Some(Reason::OpenVariable));
    let too_many = |builder: &mut Builder, pred: PredId| {
        let x = builder.params(pred)[0];
        SymHeap::pred(pred, [x, x])
    };
    assert_eq!(build(&too_many), Some(Reason::IllSorted));
}

/// What is printed can be read, and means the same.
#[test]
fn printed_heaps_are_read_back() {
    let texts = [
        "x != y * x |-> {next: y, data: 3} * ls(y, nil) * true",
        "exists u, n. u |-> {next: x, data: n + 1} * n < 7 * n != m",
        "x = y * ls(x, y) * exists v1. v1 |-> {next: v1, data: m}",
        "emp",
    ];
    for text in texts {
        let first = sl::text::parse(&[(FileId(0), text)]).unwrap();
        let defs = Defs::new(first.signature.clone(), Semantics::Precise);
        let mut scope = Scope::new(&defs);
        let lowered = scope.lower(&first.formulas[0]);
        let heap = lowered.heap().unwrap().unwrap();
        let shown = scope.show(heap);
        let again = sl::text::parse(&[(FileId(0), text), (FileId(1), &shown)]).unwrap();
        let again = scope.lower(&again.formulas[1]);
        assert_eq!(scope.show(again.heap().unwrap().unwrap()), shown, "{text}");
    }
}
