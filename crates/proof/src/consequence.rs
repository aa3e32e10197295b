//! Conclusions that follow from a single premise which says as much of the heap.

use std::collections::{BTreeMap, BTreeSet};

use sl::core::sequent::ordered;
use sl::core::{Heap, Sequent, Var};
use sl::proof::Consequence;

use crate::facts::Knowledge;
use crate::linear::all_implied;

/// Does the conclusion follow from the premise?
///
/// Take a model of the conclusion's left side. With the values that the instance gives to the variables
/// of the premise it is one of the premise's left side: its atoms are the same, and what is pure in it
/// follows. So it is one of the premise's right side for some values of its existential variables. These
/// and the witnesses are values for those of the conclusion: the atoms are the same, and what is pure
/// there follows.
pub(crate) fn follows(
    known: &Knowledge<'_>,
    conclusion: &Sequent,
    premise: &Sequent,
    by: &Consequence,
) -> Result<(), &'static str> {
    let sorted = by.instance.iter().chain(&by.witness).all(|(a, b)| known.same_sort(*a, *b));
    if !sorted {
        return Err("a variable is given something of another sort");
    }
    if !premise.exist.is_subset(&conclusion.exist) {
        return Err("the premise has other existential variables");
    }
    let instance: BTreeMap<Var, Var> = by.instance.iter().copied().collect();
    if instance.keys().any(|v| conclusion.exist.contains(v) || (*v as usize) < known.nils()) {
        return Err("the instance is not about the premise's own variables");
    }
    // What is existential in the premise is no value that is known before.
    if instance.values().any(|v| premise.exist.contains(v)) {
        return Err("an instance depends on a witness");
    }
    let rename = |v: Var| instance.get(&v).copied().unwrap_or(v);
    let left = premise.left.renamed(&rename);
    let right = premise.right.renamed(&rename);
    if left.vars().iter().any(|v| conclusion.exist.contains(v)) {
        return Err("a left side mentions an existential variable");
    }
    let mut wanted = conclusion.right.clone();
    for (var, value) in &by.witness {
        if !conclusion.exist.contains(var) || premise.exist.contains(var) {
            return Err("a witness is for no existential variable");
        }
        wanted = wanted.renamed(&|v| if v == *var { *value } else { v });
    }
    // What has no witness is a witness of the premise.
    if wanted.vars().iter().any(|v| conclusion.exist.contains(v) && !premise.exist.contains(v)) {
        return Err("an existential variable has no witness");
    }
    let from = &conclusion.left;
    if !same_atoms(known, from, from, &left) {
        return Err("the left sides have other atoms");
    }
    if !same_atoms(known, from, &wanted, &right) {
        return Err("the right sides have other atoms");
    }
    left_follows(known, from, &left)?;
    right_follows(known, from, &wanted, &right)
}

/// Are all pure parts of a left side consequences of another left side?
fn left_follows(known: &Knowledge<'_>, from: &Heap, left: &Heap) -> Result<(), &'static str> {
    let mut gone = from.gone.clone();
    for v in &left.gone {
        let place = gone.iter().position(|g| known.are_equal(from, *g, *v));
        match place {
            Some(place) => gone.remove(place),
            None => return Err("a location is not known to be elsewhere"),
        };
    }
    if !left.equal.iter().all(|(a, b)| known.are_equal(from, *a, *b)) {
        return Err("an equation does not follow");
    }
    let different = |(a, b): &(Var, Var)| {
        from.different.contains(&ordered(*a, *b)) || known.are_different(from, *a, *b)
    };
    if !left.different.iter().all(different) {
        return Err("a disequation does not follow");
    }
    if !all_implied(&known.linear(from), &left.linear) {
        return Err("a constraint does not follow");
    }
    Ok(())
}

/// Does what is pure on the right follow from the left side and the other right side? Both describe the
/// same heap, so they agree on the number of its cells.
fn right_follows(
    known: &Knowledge<'_>,
    from: &Heap,
    wanted: &Heap,
    right: &Heap,
) -> Result<(), &'static str> {
    let said: BTreeSet<(Var, Var)> = right.equal.iter().map(|(a, b)| ordered(*a, *b)).collect();
    let equal = |(a, b): &(Var, Var)| {
        a == b || said.contains(&ordered(*a, *b)) || known.are_equal(from, *a, *b)
    };
    if !wanted.equal.iter().all(equal) {
        return Err("an equation on the right does not follow");
    }
    // The other right side may name what the left side equates by another name.
    let same = |a: Var, b: Var| a == b || known.are_equal(from, a, b);
    let different = |(a, b): &(Var, Var)| {
        right.different.contains(&ordered(*a, *b))
            || known.are_different(from, *a, *b)
            || right
                .different
                .iter()
                .any(|(c, d)| same(*a, *c) && same(*b, *d) || same(*a, *d) && same(*b, *c))
    };
    if !wanted.different.iter().all(different) {
        return Err("a disequation on the right does not follow");
    }
    if !wanted.linear.is_empty() {
        let mut facts = known.linear(from);
        facts.extend(known.linear(right));
        facts.extend(known.same_cells(from, right));
        if !all_implied(&facts, &wanted.linear) {
            return Err("a constraint on the right does not follow");
        }
    }
    Ok(())
}

/// Have two heaps the same atoms, up to what the left side knows to be equal?
fn same_atoms(known: &Knowledge<'_>, from: &Heap, a: &Heap, b: &Heap) -> bool {
    let same = |x: &Var, y: &Var| known.are_equal(from, *x, *y);
    let all =
        |xs: &[Var], ys: &[Var]| xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| same(x, y));
    a.open == b.open
        && paired(&a.cells, &b.cells, |x, y| {
            known.same_sort(x.addr, y.addr) && same(&x.addr, &y.addr) && all(&x.fields, &y.fields)
        })
        && paired(&a.calls, &b.calls, |x, y| x.pred == y.pred && all(&x.args, &y.args))
}

/// Is there a partner for each? Those that are really the same come first.
fn paired<T: PartialEq>(a: &[T], b: &[T], same: impl Fn(&T, &T) -> bool) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut free: Vec<&T> = b.iter().collect();
    let mut others: Vec<&T> = Vec::new();
    for x in a {
        match free.iter().position(|y| *y == x) {
            Some(place) => {
                free.remove(place);
            }
            None => others.push(x),
        }
    }
    others.into_iter().all(|x| {
        let place = free.iter().position(|y| same(x, y));
        place.map(|place| free.remove(place)).is_some()
    })
}
