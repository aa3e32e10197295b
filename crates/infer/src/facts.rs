//! What an invariant says of the variables of a program, without its heap: for formats that know no separation logic.

use std::collections::BTreeMap;

use arith::Sum;
use heap::{Proc, Scalar, VarId};
use shape::{State, Sym};

/// A fact about variables; those of a [`Sum`] are numbers of variables.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    /// The sum is zero.
    Zero(Sum),
    /// The sum is not negative.
    NonNegative(Sum),
    /// The pointer is not null.
    NotNull(VarId),
}

/// So many facts are worth saying of a state.
const MOST: usize = 24;

/// What holds in a state; weaker than the state.
#[must_use]
pub fn of(state: &State, proc: &Proc) -> Vec<Fact> {
    let mut facts = Vec::new();
    // The first variable that holds a symbol, and how far from it.
    let mut known: BTreeMap<Sym, (VarId, i128, bool)> = BTreeMap::new();
    for (i, term) in state.vars.iter() {
        let Some(var) = proc.vars.get(i) else { continue };
        let id = VarId(i as u32);
        let pointer = matches!(var.ty, Scalar::Ptr(_));
        let usable = !var.temporary && !matches!(var.ty, Scalar::Float(_));
        if !usable {
            continue;
        }
        match term.base {
            None if !pointer || term.k == 0 => {
                facts.push(Fact::Zero(sum([(id, 1)], -term.k)));
            }
            None => {}
            Some(base) => match known.get(&base) {
                // `id - k = first - j`, and differences of pointers are not counted in bytes in C.
                Some((first, j, of)) if *of == pointer && (!pointer || *j == term.k) => {
                    facts.push(Fact::Zero(sum([(id, 1), (*first, -1)], j - term.k)));
                }
                Some(_) => {}
                None => {
                    known.insert(base, (id, term.k, pointer));
                    if pointer && state.heap.objs.contains_key(&base) {
                        facts.push(Fact::NotNull(id));
                    }
                }
            },
        }
    }
    let pure = &state.heap.pure;
    for (sym, interval) in &pure.bounds {
        let Some((id, k, false)) = known.get(sym) else { continue };
        // The symbol is the variable minus `k`.
        facts.extend(interval.low.map(|low| Fact::NonNegative(sum([(*id, 1)], -k - low))));
        facts.extend(interval.high.map(|high| Fact::NonNegative(sum([(*id, -1)], high + k))));
    }
    for linear in &pure.linear {
        let mut total = Sum { factors: Vec::new(), constant: linear.constant };
        let all = linear.factors.iter().all(|(sym, factor)| match known.get(&Sym(*sym)) {
            Some((id, k, false)) => {
                total.factors.push((id.0, *factor));
                total.constant -= factor * k;
                true
            }
            _ => false,
        });
        if all {
            facts.push(Fact::NonNegative(total));
        }
    }
    facts.truncate(MOST);
    facts
}

fn sum<const N: usize>(factors: [(VarId, i128); N], constant: i128) -> Sum {
    Sum { factors: factors.map(|(id, factor)| (id.0, factor)).to_vec(), constant }
}
