//! The examples of the paper, under their numbers.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::PathBuf;
use std::time::Duration;

use grass::Solver;
use grass::logic::{Formula, Set};
use grass::theory::{Field, Theory};
use report::FileId;
use sl::{Semantics, Signature, Verdict};
use smt::{Meaning, Sort, Term};

fn solver() -> Solver {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let found = std::env::var_os("LANCEHEAD_Z3").map_or(root.join(".z3/z3"), PathBuf::from);
    Solver::new(grass::config(found, Duration::from_secs(60)))
}

fn graph() -> (Theory, Sort, Field) {
    let mut theory = Theory::new(&Signature::default());
    let sort = theory.terms.signature.add_sort("node", Meaning::Uninterpreted);
    let h = theory.add_field("h", sort, sort);
    (theory, sort, h)
}

/// `{x. x -> y}`
fn reaching(theory: &mut Theory, sort: Sort, h: Field, y: Term) -> Set {
    let (_, x) = theory.terms.bound_var("x", sort);
    let reaches = theory.reach(h, x, y);
    Set::Where(x, reaches)
}

#[test]
fn example_1() {
    let (mut theory, sort, h) = graph();
    let [y, z, x] = ["y", "z", "x"].map(|name| theory.terms.constant(name, sort));
    let (to_y, to_z) = (reaching(&mut theory, sort, h, y), reaching(&mut theory, sort, h, z));
    let all = Set::all(&mut theory, sort);
    let components = [
        Formula::Equal(sort, all, Set::Union(vec![to_y.clone(), to_z.clone()])),
        Formula::disjoint(sort, to_y, to_z),
    ];
    assert_eq!(solver().graph_satisfiable(&mut theory, &components), Some(true));
    // A node that reaches both is in neither.
    let both = [theory.reach(h, x, y), theory.reach(h, x, z)].map(Formula::Atom);
    let all: Vec<Formula> = components.into_iter().chain(both).collect();
    assert_eq!(solver().graph_satisfiable(&mut theory, &all), Some(false));
}

fn decide(left: &str, right: &str) -> Verdict {
    let document = sl::text::parse(&[(FileId(0), left), (FileId(1), right)]).unwrap();
    let [left, right] = document.formulas.as_slice() else { panic!() };
    solver().entails(&document.signature, Semantics::Precise, left, right)
}

#[test]
fn example_5() {
    assert_eq!(decide("x != z * x |-> y * ls(y, z)", "ls(x, z)"), Verdict::Unsat);
    assert!(matches!(decide("ls(x, z)", "x != z * x |-> y * ls(y, z)"), Verdict::Sat(_)));
    assert!(matches!(decide("x |-> y * ls(y, z)", "ls(x, z)"), Verdict::Sat(_)));
}

#[test]
fn example_15() {
    let (mut theory, sort, h) = graph();
    let [y, z, w] = ["y", "z", "w"].map(|name| theory.terms.constant(name, sort));
    let to_y = reaching(&mut theory, sort, h, y);
    let everything = Set::all(&mut theory, sort);
    let (there, lost) = (theory.reach(h, y, z), theory.reach(h, w, z));
    let all = [
        Formula::Equal(sort, to_y, everything),
        Formula::Atom(there),
        Formula::Atom(lost).negation(),
    ];
    assert_eq!(solver().graph_satisfiable(&mut theory, &all), Some(false));
    assert_eq!(solver().graph_satisfiable(&mut theory, &all[..2]), Some(true));
}
