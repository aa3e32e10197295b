#![allow(clippy::unwrap_used)]

use heap::run::{Config, Inputs, Machine, Observer};
use heap::{LocId, ProcId, VarId};
use report::FileId;

use super::*;

/// A list is built, and then walked along; `second` is behind `walk`.
const LIST: &str = "record node 16 { data: i32 at 0; next: ptr node at 8 }
proc main() {
  var n: i32; var hd: ptr node; var walk: ptr node; var new: ptr node;
  n := 4;
  hd := null;
  while (0 < n) {
    new := alloc 16 as node;
    [new: i32] := n;
    [(new @ 8): ptr node] := hd;
    hd := new;
    n := (n -.i32 1);
  }
  new := null;
  walk := hd;
  while (walk != null) {
    walk := [(walk @ 8): ptr node];
  }
}
entry main
";

fn var(i: u32) -> Term {
    Term::Var(VarId(i))
}

fn ls(from: Term, to: Term) -> Atom {
    Atom::Instance { definition: 0, args: vec![from, to] }
}

fn list_segments() -> Definition {
    let (x, y, data, next) = (Term::Exists(0), Term::Exists(1), Term::Exists(2), Term::Exists(3));
    let empty = SymbolicHeap { pure: vec![Pure::Eq(x.clone(), y.clone())], ..Default::default() };
    let cells = vec![(0, 4, data), (8, 8, next.clone())];
    let cell = Atom::Cells { at: x, size: Some(Term::Int(16)), on_heap: true, cells };
    let longer = SymbolicHeap { exists: 2, atoms: vec![cell, ls(next, y)], pure: Vec::new() };
    Definition { params: 2, cases: vec![empty, longer] }
}

/// What comes of a heap in all states at the heads of the two loops.
struct Check {
    heads: Vec<LocId>,
    heap: Vec<SymbolicHeap>,
    found: [Vec<Holds>; 2],
}

impl Observer for Check {
    fn step(&mut self, _: ProcId, at: LocId, registers: &[Value], memory: &Memory) {
        let state = State { proc: ProcId(0), registers, memory };
        let Some(which) = self.heads.iter().position(|head| *head == at) else { return };
        let result = holds(&self.heap, &[list_segments()], state);
        if let Some(found) = self.found.get_mut(which) {
            found.push(result);
        }
    }
}

fn check(heap: Vec<SymbolicHeap>) -> [Vec<Holds>; 2] {
    let program = heap::text::parse(LIST, FileId(0)).unwrap();
    let config = Config::default();
    let body = program.procs[0].body.as_ref().unwrap();
    let heads = (0..body.locations.len())
        .filter(|at| matches!(body.locations[*at].out, heap::Out::Branch(..)))
        .map(|at| LocId(at as u32))
        .collect();
    let check = Check { heads, heap, found: Default::default() };
    let (_, check) = Machine::new(&program, &config, Inputs::given([]), check).run();
    check.found
}

fn heap(exists: u32, atoms: Vec<Atom>, pure: Vec<Pure>) -> SymbolicHeap {
    SymbolicHeap { exists, atoms, pure }
}

const HD: u32 = 1;
const WALK: u32 = 2;
const NEW: u32 = 3;

#[test]
fn a_list_is_one_in_every_state() {
    let whole = heap(0, vec![ls(var(HD), Term::Int(0))], Vec::new());
    let [building, walking] = check(vec![whole]);
    assert_eq!((building.len(), walking.len()), (5, 5));
    assert!(building.iter().chain(&walking).all(|h| *h == Holds::Yes));
}

#[test]
fn segments_meet_where_the_walk_is() {
    let two = vec![ls(var(HD), var(WALK)), ls(var(WALK), Term::Int(0))];
    let [_, walking] = check(vec![heap(0, two, Vec::new())]);
    assert!(walking.iter().all(|h| *h == Holds::Yes));
    // They do not overlap.
    let overlap = vec![ls(var(HD), Term::Int(0)), ls(var(WALK), Term::Int(0))];
    let [_, walking] = check(vec![heap(0, overlap, Vec::new())]);
    assert_eq!(walking.iter().filter(|h| **h == Holds::No).count(), 4);
}

#[test]
fn existential_variables_are_found() {
    // The head is followed by a cell whose data is one more, and the end is named.
    let (next, end, data) = (Term::Exists(0), Term::Exists(1), Term::Exists(2));
    let more = Term::Plus(Box::new(data.clone()), Box::new(Term::Int(1)));
    let atoms = vec![
        Atom::Cells {
            at: var(HD),
            size: Some(Term::Int(16)),
            on_heap: true,
            cells: vec![(8, 8, next.clone()), (0, 4, data)],
        },
        Atom::Cells {
            at: next,
            size: None,
            on_heap: false,
            cells: vec![(0, 4, more), (8, 8, end.clone())],
        },
        ls(end.clone(), Term::Int(0)),
    ];
    let [building, walking] = check(vec![heap(3, atoms, vec![Pure::Ne(end, Term::Int(0))])]);
    assert_eq!(building.iter().filter(|h| **h == Holds::Yes).count(), 2);
    assert!(walking.iter().all(|h| *h == Holds::Yes));
}

#[test]
fn what_is_wrong_is_said_to_be_wrong() {
    let size = heap(
        0,
        vec![Atom::Cells {
            at: var(HD),
            size: Some(Term::Int(24)),
            on_heap: true,
            cells: Vec::new(),
        }],
        Vec::new(),
    );
    let outside = heap(
        1,
        vec![Atom::Cells {
            at: var(HD),
            size: None,
            on_heap: false,
            cells: vec![(16, 4, Term::Exists(0))],
        }],
        Vec::new(),
    );
    let fact = heap(0, Vec::new(), vec![Pure::Le(Term::Int(5), var(0))]);
    let null = heap(0, Vec::new(), vec![Pure::Ne(var(NEW), Term::Int(0))]);
    for wrong in [size, outside, fact, null] {
        let [_, walking] = check(vec![wrong]);
        assert!(walking.iter().all(|h| *h == Holds::No), "{walking:?}");
    }
}

#[test]
fn what_nothing_tells_is_not_evaluated() {
    let free = heap(1, vec![ls(Term::Exists(0), Term::Exists(0))], Vec::new());
    let [_, walking] = check(vec![free]);
    assert!(walking.iter().all(|h| *h == Holds::NotEvaluated));
}

#[test]
fn numbers_that_nothing_tells_are_found() {
    let (some, more) = (Term::Exists(0), Term::Exists(1));
    let least = Pure::Le(Term::Int(3), some.clone());
    let possible = heap(2, Vec::new(), vec![least.clone(), Pure::Le(some.clone(), more)]);
    let [_, walking] = check(vec![possible]);
    assert!(walking.iter().all(|h| *h == Holds::Yes), "{walking:?}");
    let impossible = heap(1, Vec::new(), vec![least, Pure::Le(some, Term::Int(2))]);
    let [_, walking] = check(vec![impossible]);
    assert!(walking.iter().all(|h| *h == Holds::No), "{walking:?}");
}
