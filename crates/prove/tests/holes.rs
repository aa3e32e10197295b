//! Trees with a hole: what follows from them, and what does not.
//!
//! Heap variables are `x` (the root) and `y` (the hole), there is one data variable `k`, and records have one number and two
//! children. Relations are `Q`, `L`, `R` of the whole; what may be below the hole is `H`.

#![allow(clippy::panic)]

use arith::{Constraint, Sum};
use horn::{Formula as Data, RelId, Relation, Solution};
use prove::defs::{Defs, Kind, KindId, PredId};
use prove::entail::entails;
use prove::rsep::{Applied, Arg, Atom, Cell, Context, Formula, HTerm, Instance, Refinement, rigid};

const TREE: PredId = PredId(4);
const Q: RelId = RelId(0);
const L: RelId = RelId(1);
const R: RelId = RelId(2);

fn defs() -> Defs {
    let own = Some(KindId(0));
    let kind = Kind {
        name: "tree".to_owned(),
        data: vec![("key".to_owned(), 16)],
        ptrs: vec![("left".to_owned(), 0, own), ("right".to_owned(), 8, own)],
        on_heap: true,
    };
    let mut defs = Defs { kinds: vec![kind], ..Defs::default() };
    defs.generate(KindId(0));
    assert!(defs.is_tree(TREE), "{:?}", defs.pred(TREE).name);
    defs
}

fn all(rel: RelId, arity: usize) -> Refinement {
    Refinement { atoms: vec![Applied { rel, args: (0..arity).map(Arg::Bound).collect() }] }
}

fn whole() -> Vec<Refinement> {
    vec![all(Q, 1), all(L, 2), all(R, 2)]
}

fn x(formula: &Formula) -> HTerm {
    formula.vars[0]
}

fn y(formula: &Formula) -> HTerm {
    formula.vars[1]
}

fn tree(at: HTerm, first: RelId) -> Atom {
    let refs = vec![all(first, 1), all(L, 2), all(R, 2)];
    Atom::Pred(Instance { pred: TREE, args: vec![at], refs })
}

fn context(formula: &Formula, inside: RelId) -> Atom {
    let (root, hole) = (x(formula), y(formula));
    Atom::Context(Context { pred: TREE, root, hole, refs: whole(), inside: Some(inside) })
}

/// Does it follow if `Q` is everything, what is left is smaller, and what is right is greater?
fn follows(left: &Formula, right: &Formula) -> bool {
    let Some(proof) = entails(left, right, &defs()) else { return false };
    let relation =
        |name: &str, arity| Relation { name: name.to_owned(), arity, group: None, state: false };
    let less = |a: u32, b: u32| {
        Constraint::less(&Sum::var(a), &Sum::var(b)).map_or(Data::falsity(), Data::of)
    };
    let system = horn::System {
        relations: vec![relation("Q", 1), relation("L", 2), relation("R", 2)],
        clauses: proof.clauses,
    };
    let solution = Solution { formulas: vec![Data::truth(), less(1, 0), less(0, 1)] };
    horn::check(&system, &solution).is_ok()
}

fn start() -> Formula {
    Formula::anything(2, 1)
}

/// `ctx(x, y)` with a record at `y` whose left child is new and holds `k`, and a right one as it was.
fn extended(key_fits: bool, inside_knows: bool) -> Formula {
    let mut formula = start();
    let h = rigid(7);
    formula.atoms.push(context(&formula, h));
    let (child, right) = (formula.fresh(), formula.fresh());
    let d = formula.fresh_data();
    let cell =
        |at, data: Sum, ptrs| Atom::Cell(Cell { at, kind: KindId(0), data: vec![data], ptrs });
    formula.atoms.push(cell(y(&formula), d.clone(), vec![child, right]));
    formula.atoms.push(cell(child, Sum::var(0), vec![HTerm::Null, HTerm::Null]));
    let bounded = Applied { rel: R, args: vec![Arg::Term(d.clone()), Arg::Bound(0)] };
    let mut below = all(h, 1);
    below.atoms.push(bounded);
    let refs = vec![below, all(L, 2), all(R, 2)];
    formula.atoms.push(Atom::Pred(Instance { pred: TREE, args: vec![right], refs }));
    formula.queries.push(horn::Query { rel: h, args: vec![d.clone()] });
    if inside_knows {
        formula.queries.push(horn::Query { rel: h, args: vec![Sum::var(0)] });
    }
    if key_fits {
        formula.facts.extend(Constraint::less(&Sum::var(0), &d));
    }
    formula
}

fn sorted() -> Formula {
    let mut formula = start();
    formula.atoms.push(tree(x(&formula), Q));
    formula
}

#[test]
fn what_fits_below_the_hole_makes_a_tree() {
    let mut left = start();
    left.atoms.push(context(&left, rigid(7)));
    left.atoms.push(tree(y(&left), rigid(7)));
    assert!(follows(&left, &sorted()));
}

#[test]
fn another_tree_below_the_hole_does_not() {
    // It satisfies Q, and nothing of what the records above ask for.
    let mut left = start();
    left.atoms.push(context(&left, rigid(7)));
    left.atoms.push(tree(y(&left), Q));
    assert!(!follows(&left, &sorted()));
    // Nor does what fits below another hole.
    let mut left = start();
    left.atoms.push(context(&left, rigid(7)));
    left.atoms.push(tree(y(&left), rigid(8)));
    assert!(!follows(&left, &sorted()));
}

#[test]
fn a_number_is_put_where_the_way_allows_it() {
    assert!(follows(&extended(true, true), &sorted()));
    // It is not less than its parent.
    assert!(!follows(&extended(false, true), &sorted()));
    // It was not compared with the records above.
    assert!(!follows(&extended(true, false), &sorted()));
}

#[test]
fn a_hole_moves_down() {
    // From ctx(x, y) with a record at y to ctx(x, l), where l is its left child: k fits if it is less.
    for (fits, wanted) in [(true, true), (false, false)] {
        let mut left = start();
        let h = rigid(7);
        left.atoms.push(context(&left, h));
        let (l, r, d) = (left.fresh(), left.fresh(), left.fresh_data());
        let ptrs = vec![l, r];
        let at = y(&left);
        left.atoms.push(Atom::Cell(Cell { at, kind: KindId(0), data: vec![d.clone()], ptrs }));
        for (child, rel) in [(l, L), (r, R)] {
            let mut below = all(h, 1);
            let args = vec![Arg::Term(d.clone()), Arg::Bound(0)];
            below.atoms.push(Applied { rel, args });
            let refs = vec![below, all(L, 2), all(R, 2)];
            left.atoms.push(Atom::Pred(Instance { pred: TREE, args: vec![child], refs }));
        }
        for term in [d.clone(), Sum::var(0)] {
            left.queries.push(horn::Query { rel: h, args: vec![term] });
        }
        if fits {
            left.facts.extend(Constraint::less(&Sum::var(0), &d));
        }
        left.vars[1] = l;
        let mut right = start();
        // The same number: what may be below is chosen anew.
        right.atoms.push(context(&right, h));
        right.atoms.push(tree(y(&right), h));
        right.queries.push(horn::Query { rel: h, args: vec![Sum::var(0)] });
        assert_eq!(follows(&left, &right), wanted);
    }
}
