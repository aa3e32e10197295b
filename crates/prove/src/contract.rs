//! Contracts of procedures, and calls by them.
//!
//! A procedure that may call itself is not inlined: its callers see `{pre} f {post}`. What a contract does not mention is
//! the frame: a procedure is executed from its precondition alone, and an access outside of what it gives is a failure
//! there, so a call keeps the frame as it is. Contracts are guessed ([`crate::art`] says how) and proved like labels, with
//! the contracts themselves for the calls inside: an induction on the depth of calls, which is sound for runs of
//! any length, since whatever fails does so at a finite depth.

use arith::{Constraint, Sum};
use horn::Query;

use crate::defs::Defs;
use crate::entail::consume;
use crate::exec::Executed;
use crate::rsep::{Applied, Arg, Atom, Formula, HTerm, Refinement};

/// What a procedure needs, and what it gives.
///
/// Heap variables of both formulas are its heap arguments, then its global objects; data variables are its data
/// arguments. In the postcondition they stand for what they were before the call, and the result comes last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contract {
    /// Before a call.
    pub pre: Formula,
    /// Behind it.
    pub post: Formula,
    /// The variables of the program that lead to the global objects.
    pub globals: Vec<usize>,
}

/// A call by contract; arguments and results are variables of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Which contract.
    pub contract: usize,
    /// Heap arguments.
    pub heap: Vec<usize>,
    /// Data arguments.
    pub data: Vec<usize>,
    /// Where the result goes if it is a pointer.
    pub to_heap: Option<usize>,
    /// Where the result goes if it is a number.
    pub to_data: Option<usize>,
}

impl Contract {
    /// The precondition as a formula over the variables of a program: these heap and data variables are the arguments.
    #[must_use]
    pub fn before(&self, heap: &[usize], data: &[usize], anything: Formula) -> Option<Formula> {
        over(&self.pre, heap, data, anything)
    }

    /// The postcondition in the same way, with the variables of results behind those of arguments.
    #[must_use]
    pub fn behind(&self, heap: &[usize], data: &[usize], anything: Formula) -> Option<Formula> {
        over(&self.post, heap, data, anything)
    }
}

fn over(contract: &Formula, heap: &[usize], data: &[usize], mut all: Formula) -> Option<Formula> {
    let heap = heap.iter().map(|x| all.vars.get(*x).copied()).collect::<Option<Vec<_>>>()?;
    let data = data.iter().map(|a| all.data.get(*a).cloned()).collect::<Option<Vec<_>>>()?;
    add(contract, &heap, &data, &mut all)?;
    Some(all)
}

/// Adds what a formula says of these values. Its variables have these values; its other symbols are new.
fn add(from: &Formula, heap: &[HTerm], data: &[Sum], to: &mut Formula) -> Option<()> {
    let is_variable = |(index, value): (usize, &Sum)| *value == Sum::var(index as u32);
    if from.vars.len() != heap.len()
        || from.data.len() != data.len()
        || !from.data.iter().enumerate().all(is_variable)
    {
        return None;
    }
    let (shift, shift_data) = (to.next, to.next_data);
    to.next += from.next;
    to.next_data += from.next_data;
    let mut images: Vec<Option<HTerm>> = vec![None; from.next as usize];
    let mut equal: Vec<(HTerm, HTerm)> = Vec::new();
    for (value, term) in from.vars.iter().zip(heap) {
        match value {
            HTerm::Null => equal.push((HTerm::Null, *term)),
            HTerm::Sym(sym) => {
                let image = images.get_mut(*sym as usize)?;
                match image {
                    Some(image) => equal.push((*image, *term)),
                    None => *image = Some(*term),
                }
            }
        }
    }
    let term = |term: HTerm| match term {
        HTerm::Null => HTerm::Null,
        HTerm::Sym(sym) => {
            images.get(sym as usize).copied().flatten().unwrap_or(HTerm::Sym(sym + shift))
        }
    };
    let sum = |sum: &Sum| {
        let mut result = Sum::number(sum.constant);
        for (sym, factor) in &sum.factors {
            let other = Sum::var(sym + shift_data);
            result = result.plus(data.get(*sym as usize).unwrap_or(&other), *factor)?;
        }
        Some(result)
    };
    let arg = |arg: &Arg| match arg {
        Arg::Bound(place) => Some(Arg::Bound(*place)),
        Arg::Term(term) => sum(term).map(Arg::Term),
    };
    let applied = |atom: &Applied| {
        let args = atom.args.iter().map(arg).collect::<Option<_>>()?;
        Some(Applied { rel: atom.rel, args })
    };
    let refinement = |one: &Refinement| {
        let atoms = one.atoms.iter().map(applied).collect::<Option<_>>()?;
        Some(Refinement { atoms })
    };
    for (a, b) in &from.apart {
        to.apart.push((term(*a), term(*b)));
    }
    for fact in &from.facts {
        to.facts.push(Constraint { sum: sum(&fact.sum)?, relation: fact.relation });
    }
    for query in &from.queries {
        let args = query.args.iter().map(sum).collect::<Option<_>>()?;
        to.queries.push(Query { rel: query.rel, args });
    }
    for atom in &from.atoms {
        let mut atom = atom.clone();
        match &mut atom {
            Atom::Cell(cell) => {
                cell.at = term(cell.at);
                cell.ptrs.iter_mut().for_each(|field| *field = term(*field));
                cell.data = cell.data.iter().map(sum).collect::<Option<_>>()?;
            }
            Atom::Pred(instance) => {
                instance.args.iter_mut().for_each(|arg| *arg = term(*arg));
                instance.refs = instance.refs.iter().map(refinement).collect::<Option<_>>()?;
            }
            // What may be below a hole is of one formula alone.
            Atom::Context(_) => return None,
        }
        to.atoms.push(atom);
    }
    // A term that is gone must not be looked for: the next equation may be about it.
    while let Some((a, b)) = equal.pop() {
        to.unify(a, b);
        let (gone, kept) = match (a, b) {
            (HTerm::Null, sym) | (sym, HTerm::Null) => (sym, HTerm::Null),
            (a, b) => (a.max(b), a.min(b)),
        };
        for (a, b) in &mut equal {
            for term in [a, b] {
                if *term == gone {
                    *term = kept;
                }
            }
        }
    }
    Some(())
}

/// Executes a call: the precondition is taken out of the state, the postcondition is put in. A state that does not have
/// the precondition is one in which the call fails.
pub(crate) fn execute(call: &Call, state: Formula, defs: &Defs, result: &mut Executed) {
    let contract = defs.contracts.get(call.contract);
    let called = contract.and_then(|contract| by_contract(call, contract, &state, defs));
    match called {
        Some((states, clauses)) => {
            result.states.extend(states);
            result.clauses.extend(clauses);
        }
        None => result.faults.push(state),
    }
}

fn by_contract(
    call: &Call,
    contract: &Contract,
    state: &Formula,
    defs: &Defs,
) -> Option<(Vec<Formula>, Vec<horn::Clause>)> {
    let vars: Vec<usize> = call.heap.iter().chain(&contract.globals).copied().collect();
    let anything = Formula::anything(state.vars.len(), state.data.len());
    let goal = contract.before(&vars, &call.data, anything)?;
    let consumed = consume(state, &goal, defs)?;
    let mut states = Vec::new();
    for mut rest in consumed.rests {
        let mut heap =
            vars.iter().map(|x| rest.vars.get(*x).copied()).collect::<Option<Vec<_>>>()?;
        let mut data =
            call.data.iter().map(|a| rest.data.get(*a).cloned()).collect::<Option<Vec<_>>>()?;
        let (pointer, number) = (rest.fresh(), rest.fresh_data());
        if contract.post.vars.len() > heap.len() {
            heap.push(pointer);
        }
        if contract.post.data.len() > data.len() {
            data.push(number.clone());
        }
        if let Some(x) = call.to_heap {
            *rest.vars.get_mut(x)? = pointer;
        }
        if let Some(a) = call.to_data {
            *rest.data.get_mut(a)? = number;
        }
        add(&contract.post, &heap, &data, &mut rest)?;
        if rest.normalise(defs) {
            states.push(rest);
        }
    }
    Some((states, consumed.clauses))
}
