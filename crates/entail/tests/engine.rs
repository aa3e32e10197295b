//! What an engine does: definitions are made once, symbolic heaps by functions, and there is no text.
#![allow(clippy::unwrap_used, clippy::panic)]

use entail::{Decider, Portfolio};
use sl::core::{Assertion, Builder, PredId, Scope, SortId, SymHeap, Var};
use sl::{Answer, Budget, Defs, Entailment, Inference, Procedure, Signature, Sort};

struct Dll {
    defs: Defs,
    node: SortId,
    dll: PredId,
}

/// `dll(f, p, l, n) := f = n * p = l || exists u. f |-> {next: u, prev: p} * dll(u, f, l, n)`
fn dll() -> Dll {
    let mut signature = Signature::default();
    let node = Sort::Loc("Node".into());
    signature.add_record("Node", [("next", node.clone()), ("prev", node.clone())]);
    let mut builder = Builder::new(signature);
    let params = ["f", "p", "l", "n"].map(|name| (name, node.clone()));
    let dll = builder.declare("dll", &params).unwrap();
    let &[f, p, l, n] = builder.params(dll) else { panic!() };
    let node = builder.scope().sort_id(&node).unwrap();
    builder.case(dll, SymHeap::equal(f, n).star(&SymHeap::equal(p, l)));
    let mut step = SymHeap::emp();
    let u = step.fresh(node);
    step.add_cell(f, [u, p]);
    step.add_call(dll, [u, f, l, n]);
    builder.case(dll, step);
    Dll { defs: builder.build().unwrap(), node, dll }
}

fn no_solver() -> Decider {
    Decider::new(|| Err("no solver is needed".to_owned()))
}

fn is_valid(decider: &mut Decider, scope: &Scope, left: &SymHeap, right: &SymHeap) -> bool {
    let answer = decider.entails(scope, &left.into(), &right.into(), &mut Budget::default());
    match answer {
        Answer::Decided(Entailment::Valid(proof)) => {
            let (left, right) = (Assertion::from(left), Assertion::from(right));
            proof::check_entailment(scope, &left, &right, &proof).unwrap();
            true
        }
        Answer::Decided(Entailment::Invalid(_)) => false,
        unknown => panic!("{} |= {}: {unknown:?}", scope.show(left), scope.show(right)),
    }
}

/// Symbolic execution of a loop that goes along a doubly linked list: the invariant is inductive.
#[test]
fn a_loop_invariant_is_inductive() {
    let Dll { defs, node, dll } = dll();
    let mut decider = no_solver();
    let mut scope = Scope::new(&defs);
    let [head, last, at, before] =
        ["head", "last", "at", "before"].map(|name| scope.declare(name, node));
    let nil = scope.nil(node);
    // { exists before. dll(head, nil, before, at) * dll(at, before, last, nil) }
    let invariant = SymHeap::pred(dll, [head, nil, before, at])
        .star(&SymHeap::pred(dll, [at, before, last, nil]))
        .exists(&scope, &[before]);
    let start = SymHeap::pred(dll, [head, nil, last, nil]).star(&SymHeap::equal(at, head));
    assert!(is_valid(&mut decider, &scope, &start, &invariant));
    // while (at != nil) at = at->next;
    let inside = invariant.clone().star(&SymHeap::different(at, nil));
    let place = inside.calls().iter().position(|call| call.args[0] == at).unwrap();
    let mut steps = 0;
    for case in inside.unfoldings(&scope, place).unwrap() {
        let Some((_, cell)) = case.cell_at(at) else {
            // The list is empty: that contradicts the condition.
            assert!(is_valid(&mut decider, &scope, &case, &SymHeap::different(at, at)));
            continue;
        };
        let next = cell.fields[0];
        let mut after = case.clone();
        let old = after.fresh(node);
        let mut after = after.substitute(|v| if v == at { old } else { v });
        after.add_equal(at, next);
        assert!(is_valid(&mut decider, &scope, &after, &invariant));
        steps += 1;
    }
    assert_eq!(steps, 1);
    let end = invariant.star(&SymHeap::equal(at, nil));
    assert!(is_valid(&mut decider, &scope, &end, &SymHeap::pred(dll, [head, nil, last, nil])));
    assert!(!is_valid(&mut decider, &scope, &end, &SymHeap::pred(dll, [head, nil, head, nil])));
}

/// The scope grows all the time, and questions are about few of its variables.
#[test]
fn thousands_of_questions_over_one_scope() {
    let Dll { defs, node, dll } = dll();
    let mut decider = no_solver();
    let mut scope = Scope::new(&defs);
    for round in 0..1_000 {
        let vars: Vec<Var> = (0..4).map(|_| scope.fresh("v", node)).collect();
        let &[a, b, c, d] = vars.as_slice() else { panic!() };
        let left = SymHeap::points_to(a, [b, d]).star(&SymHeap::pred(dll, [b, a, c, d]));
        let wrong = round % 2 == 1;
        let right = SymHeap::pred(dll, if wrong { [a, d, b, d] } else { [a, d, c, d] });
        assert_eq!(is_valid(&mut decider, &scope, &left, &right), !wrong);
    }
}

/// Two threads ask with the same definitions.
#[test]
fn definitions_are_shared() {
    let Dll { defs, node, dll } = dll();
    std::thread::scope(|threads| {
        for _ in 0..2 {
            threads.spawn(|| {
                let mut scope = Scope::new(&defs);
                let (a, b) = (scope.declare("a", node), scope.declare("b", node));
                let nil = scope.nil(node);
                let left = SymHeap::pred(dll, [a, nil, b, nil]);
                let mut portfolio = Portfolio::new(std::sync::Arc::new(|| Err(String::new())));
                let answer = portfolio.entails(
                    &scope,
                    &left.clone().into(),
                    &left.into(),
                    &mut Budget::default(),
                );
                assert!(answer.is_valid());
            });
        }
    });
}

/// The frame of a call: what the callee does not need.
#[test]
fn frames_are_symbolic_heaps() {
    let Dll { defs, node, dll } = dll();
    let mut decider = no_solver();
    let mut scope = Scope::new(&defs);
    let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| scope.declare(name, node));
    let nil = scope.nil(node);
    let h = SymHeap::pred(dll, [a, nil, b, nil]).star(&SymHeap::pred(dll, [c, nil, d, nil]));
    let g = SymHeap::pred(dll, [c, nil, d, nil]);
    let answer = decider.frame(&scope, &h.into(), &g.into(), &mut Budget::default());
    let Answer::Decided(Inference::Found(frame, _)) = answer else { panic!("{answer:?}") };
    let frame = frame.heap().unwrap().unwrap();
    assert_eq!(scope.show(frame), "dll(a, nil, b, nil)");
}
