//! Bounded abduction [ABCK15, Sec. 4.2 and 6]: for `L ⊢ M * [] ⊢ R`, a formula `A` with `L ⊨ M * A ⊨ R`.
//!
//! `L` is a symbolic heap of records. A proof of `L ⊢ M` colours its records: red ones are for `M`, the others are
//! blue. A proof of `L ⊢ R` colours the heaplets of `R`; an instance that is of both colours is unfolded along the
//! proof (FOLD2), or cut where a blue prefix ends. `A` is the blue part, believed once `M * A ⊢ R` is proved.

use std::collections::BTreeSet;

use crate::defs::{Defs, End};
use crate::entail::{Embedding, entails};
use crate::rsep::{Atom, Formula, HTerm, Instance};

/// Unfoldings while `R` is coloured.
const MOST_UNFOLDINGS: usize = 12;

/// A solution of `left ⊢ middle * [] ⊢ right`.
#[must_use]
pub fn abduce(left: &Formula, middle: &Formula, right: &Formula, defs: &Defs) -> Option<Formula> {
    // Step 1: a colouring of the left side.
    let red = only_leaf(left, middle, defs)?.uses.into_iter().flatten().collect();
    // Step 2: a coloured strengthening of the right side; its blue part.
    let (strong, is_blue) = colour(left, right, &red, defs)?;
    let mut blue = strong.clone();
    let mut colours = is_blue.iter();
    blue.atoms.retain(|_| *colours.next().unwrap_or(&true));
    forget_apart(&mut blue, right);
    // Step 3: the check, with no pure facts of the left side, or with those that it needs.
    if follows(middle, &blue, right, defs) {
        return Some(blue);
    }
    let mut all = blue.clone();
    let terms: Vec<(HTerm, HTerm)> =
        left.vars.iter().copied().zip(blue.vars.iter().copied()).collect();
    for (index, (value, term)) in terms.iter().enumerate() {
        let null = [(HTerm::Null, HTerm::Null)];
        for (other_value, other) in terms[..index].iter().chain(&null) {
            if left.are_apart(*value, *other_value, defs) {
                all.apart.push((*term, *other));
            }
        }
    }
    if !follows(middle, &all, right, defs) {
        return None;
    }
    let mut index = blue.apart.len();
    while index < all.apart.len() {
        let mut fewer = all.clone();
        fewer.apart.remove(index);
        if follows(middle, &fewer, right, defs) {
            all = fewer;
        } else {
            index += 1;
        }
    }
    Some(all)
}

fn follows(middle: &Formula, blue: &Formula, right: &Formula, defs: &Defs) -> bool {
    entails(&star(middle, blue), right, defs).is_some()
}

/// The only leaf of a proof from a symbolic heap of records, which is never unfolded.
#[must_use]
pub fn only_leaf(left: &Formula, right: &Formula, defs: &Defs) -> Option<Embedding> {
    entails(left, right, defs)?.leaves.into_iter().next()
}

/// `P * Q`: variables of the program are the same in both, symbols are not.
#[must_use]
pub fn star(p: &Formula, q: &Formula) -> Formula {
    let mut both = p.clone();
    let shift = p.next;
    let moved = |term: &HTerm| match term {
        HTerm::Null => HTerm::Null,
        HTerm::Sym(sym) => HTerm::Sym(sym + shift),
    };
    for atom in &q.atoms {
        let mut atom = atom.clone();
        match &mut atom {
            Atom::Cell(cell) => {
                cell.at = moved(&cell.at);
                cell.ptrs.iter_mut().for_each(|ptr| *ptr = moved(ptr));
                let fresh = cell.data.iter().map(|_| both.fresh_data()).collect();
                cell.data = fresh;
            }
            Atom::Pred(instance) => instance.args.iter_mut().for_each(|arg| *arg = moved(arg)),
            Atom::Context(context) => {
                context.root = moved(&context.root);
                context.hole = moved(&context.hole);
            }
        }
        both.atoms.push(atom);
    }
    both.apart.extend(q.apart.iter().map(|(a, b)| (moved(a), moved(b))));
    both.next = p.next + q.next;
    for (index, var) in q.vars.iter().enumerate() {
        if let Some(own) = both.vars.get(index).copied() {
            both.unify(own, moved(var));
        }
    }
    both
}

/// The right side, strengthened until every heaplet has one colour; which ones are blue.
fn colour(
    left: &Formula,
    right: &Formula,
    red: &BTreeSet<usize>,
    defs: &Defs,
) -> Option<(Formula, Vec<bool>)> {
    let mut strong = right.clone();
    for _ in 0..MOST_UNFOLDINGS {
        let leaf = only_leaf(left, &strong, defs)?;
        let mixed = leaf.uses.iter().position(|uses| {
            uses.iter().any(|cell| red.contains(cell)) && !uses.iter().all(|c| red.contains(c))
        });
        let Some(index) = mixed else {
            let is_red = |uses: &Vec<usize>| uses.iter().any(|cell| red.contains(cell));
            return Some((strong, leaf.uses.iter().map(|uses| !is_red(uses)).collect()));
        };
        let Atom::Pred(instance) = strong.atoms.get(index)?.clone() else { return None };
        // A blue prefix of a segment, up to the first red record, stays folded.
        let uses = &leaf.uses[index];
        let first_red = uses.iter().position(|cell| red.contains(cell))?;
        let start = uses.get(first_red).and_then(|cell| left.atoms.get(*cell));
        let named = start.and_then(|atom| match atom {
            Atom::Cell(cell) => left.vars.iter().position(|value| *value == cell.at),
            Atom::Pred(_) | Atom::Context(_) => None,
        });
        match named.and_then(|var| strong.vars.get(var).copied()) {
            Some(at) if first_red > 0 && defs.is_segment(instance.pred) => {
                cut(&mut strong, index, at, defs)?;
            }
            _ => {
                strong.unfold_inductive(index, defs)?;
            }
        }
    }
    None
}

/// Cuts a segment in two at a place; where the second one is.
pub(crate) fn cut(formula: &mut Formula, index: usize, at: HTerm, defs: &Defs) -> Option<usize> {
    let Some(Atom::Pred(instance)) = formula.atoms.get(index).cloned() else { return None };
    let End::Param(place) = defs.pred(instance.pred).end else { return None };
    let mut first = instance.clone();
    *first.args.get_mut(place)? = at;
    let mut second: Instance = instance;
    *second.args.first_mut()? = at;
    formula.atoms[index] = Atom::Pred(first);
    formula.atoms.push(Atom::Pred(second));
    Some(formula.atoms.len() - 1)
}

/// Takes away disequations that unfolding has added: the check asks for those that are needed.
fn forget_apart(strong: &mut Formula, right: &Formula) {
    strong.apart.retain(|pair| right.apart.contains(pair));
}
