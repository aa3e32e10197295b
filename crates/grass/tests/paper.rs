//! The examples of [PWZ13], under their numbers; entailments and frames are in `tests/sl/papers`.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::solver;
use grass::logic::{Formula, Set};
use grass::theory::{Field, Theory};
use grass::translate::{Snapshot, Translator};
use report::FileId;
use sl::core::Scope;
use sl::{Defs, Semantics, Signature};
use smt::{Meaning, Sort, Term};

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
    assert_eq!(solver().graph_satisfiable(&mut theory, &components), Ok(true));
    // A node that reaches both is in neither.
    let both = [theory.reach(h, x, y), theory.reach(h, x, z)].map(Formula::Atom);
    let all: Vec<Formula> = components.into_iter().chain(both).collect();
    assert_eq!(solver().graph_satisfiable(&mut theory, &all), Ok(false));
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
    assert_eq!(solver().graph_satisfiable(&mut theory, &all), Ok(false));
    assert_eq!(solver().graph_satisfiable(&mut theory, &all[..2]), Ok(true));
}

/// Example 16: a list is reversed in place. One round of the loop, with `t := x; x := [x]; [t] := E;
/// y := t`, keeps the invariant if `E` is `y`, and not if it is `x`.
fn loop_keeps_invariant(written: &str) -> bool {
    let document = sl::text::parse(&[(FileId(0), "ls(x, nil) * ls(y, nil)")]).unwrap();
    let defs = Defs::new(document.signature.clone(), Semantics::Precise);
    let mut scope = Scope::new(&defs);
    let invariant = &scope.lower(&document.formulas[0]).form(&scope).unwrap();
    let mut translator = Translator::new(&defs);
    let (alloc, mut facts) = translator.footprint("Alloc");
    facts.push(translator.translate(invariant, &alloc, true).unwrap());
    let loc = sl::Name::from("Loc");
    let [x_now, y_now] = ["x", "y"].map(|name| scope.lookup(&name.into()).unwrap());
    let [x, y] = [x_now, y_now].map(|var| translator.var(&scope.ident(var).unwrap()).unwrap());
    let nil = translator.theory.nil(&sl::Sort::Loc(loc.clone())).unwrap();
    let at_end = translator.theory.terms.eq(x, nil);
    facts.push(Formula::Atom(at_end).negation());
    // What is read and written is allocated.
    let mut unsafe_access = facts.clone();
    unsafe_access.push(Formula::In(x, alloc[&loc].clone()).negation());
    assert_eq!(solver().graph_satisfiable(&mut translator.theory, &unsafe_access), Ok(false));
    let next = translator.field(&loc, 0).unwrap();
    let after = translator.theory.read(next, x);
    let written = if written == "y" { y } else { after };
    let updated = translator.theory.update(next, x, written);
    let end =
        Snapshot::default().with_field(&loc, 0, updated).with_var(x_now, after).with_var(y_now, x);
    let again = translator.translate_at(invariant, &end, &alloc, false).unwrap();
    facts.push(again.negation());
    !solver().graph_satisfiable(&mut translator.theory, &facts).unwrap()
}

#[test]
fn example_16() {
    assert!(loop_keeps_invariant("y"));
    assert!(!loop_keeps_invariant("x"));
}
