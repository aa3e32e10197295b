//! Sorted lists: data that goes up or down along a path ([PWZ13, Sec. 6]).

use num_bigint::BigInt;
use sl::procedure::{Reason, Unknown};
use sl::shape::{AtEnd, Change, Held, Measure, Order};
use smt::{Sort, Term};

use crate::doubly::Places;
use crate::logic::{Formula, Set};
use crate::paths::Paths;
use crate::segment::Segment;
use crate::theory::{Field, Theory};
use crate::translate::{Pieces, Translator, out};

/// Is it data in order? If every step goes up by at least so much, then so do several.
pub(crate) fn is_order(measure: &Measure) -> bool {
    let zero = BigInt::from(0);
    let order = matches!(&measure.change, Change::AtLeast(k) | Change::AtMost(k) if *k >= zero);
    order && measure.field.is_some()
}

/// `here` and then `next`, in the order of the list.
fn in_order(theory: &mut Theory, change: &Change, here: Term, next: Term) -> Term {
    let (Change::AtLeast(k) | Change::AtMost(k) | Change::Equal(k)) = change;
    let gap = theory.terms.int(k.clone());
    let (low, high) = match change {
        Change::AtLeast(_) => (next, here),
        _ => (here, next),
    };
    let low = theory.terms.add(low, gap);
    theory.terms.le(low, high)
}

/// From the first node to the end, if it holds, data is in order. What the solver's model gets wrong
/// it is told pair by pair.
#[derive(Clone)]
pub(crate) struct Sorted {
    pub(crate) holds: Term,
    pub(crate) data: Field,
    next: Field,
    first: Term,
    end: Term,
    change: Change,
}

impl Sorted {
    /// An instance for each node that is followed by one that it should not be followed by.
    pub(crate) fn violated(
        &self,
        theory: &mut Theory,
        paths: &Paths,
        places: &Places<'_>,
        value: &dyn Fn(Term) -> Option<BigInt>,
    ) -> Vec<Term> {
        let (Some(first), Some(end)) = ((places.place)(self.first), (places.place)(self.end))
        else {
            return Vec::new();
        };
        let inside = |node: &usize| *node != end && paths.has(self.next, [first, *node, end]);
        let nodes: Vec<usize> = (0..places.terms.len()).filter(inside).collect();
        let mut numbers = Vec::new();
        for node in &nodes {
            let read = theory.read(self.data, places.terms[*node]);
            numbers.push(value(read));
        }
        let mut missing = Vec::new();
        for (z, here) in nodes.iter().zip(&numbers) {
            let wrong = nodes.iter().zip(&numbers).find(|(w, later)| {
                let after = *w != z && paths.has(self.next, [first, *z, **w]);
                after && !self.is_ordered(here.as_ref(), later.as_ref())
            });
            if let Some((w, _)) = wrong {
                missing.push(self.instance(theory, places.terms[*z], places.terms[*w]));
            }
        }
        missing
    }

    fn is_ordered(&self, here: Option<&BigInt>, later: Option<&BigInt>) -> bool {
        let (Some(here), Some(later)) = (here, later) else { return false };
        match &self.change {
            Change::AtLeast(k) => later + k <= *here,
            Change::AtMost(k) | Change::Equal(k) => here + k <= *later,
        }
    }

    /// `z` and then `w`, another node.
    fn instance(&self, theory: &mut Theory, z: Term, w: Term) -> Term {
        let inside = Set::between(theory, self.next, self.first, self.end).contains(theory, w);
        let before = theory.between(self.next, self.first, z, w);
        let same = theory.terms.eq(z, w);
        let other = theory.terms.not(same);
        let (here, later) = (theory.read(self.data, z), theory.read(self.data, w));
        let order = in_order(theory, &self.change, here, later);
        let premise = theory.terms.and([self.holds, inside, before, other]);
        theory.terms.implies(premise, order)
    }
}

impl Segment {
    /// The data of the list is in order, and begins and ends with what the arguments say.
    pub(crate) fn sorted(
        &self,
        translator: &mut Translator<'_>,
        measure: &Measure,
        pieces: &mut Pieces,
    ) -> Result<(), Unknown> {
        let Some(held) = measure.field else { return out(Reason::Arithmetic) };
        let (Held::Here(index) | Held::Next(index)) = held;
        let data = self.field(translator, index)?;
        let at_end = match &measure.at_end {
            None => None,
            Some(AtEnd::Param(index)) => Some(self.arg(*index)?),
            Some(AtEnd::Number(number)) => Some(translator.theory.terms.int(number.clone())),
        };
        self.ordered_nodes(translator, data, &measure.change, pieces)?;
        // Where it begins may be anything: some value always fits.
        let Some(param) = self.args.get(measure.param).copied().flatten() else { return Ok(()) };
        let last = at_end.map(|_| self.last(translator)).transpose()?;
        let theory = &mut translator.theory;
        let mut some = Vec::new();
        let begin = theory.read(data, self.first);
        some.push(match held {
            Held::Here(_) => theory.terms.eq(begin, param),
            Held::Next(_) => in_order(theory, &measure.change, param, begin),
        });
        let mut none = theory.terms.bool(true);
        if let (Some(at_end), Some(last)) = (at_end, last) {
            let value = theory.read(data, last);
            let passed_on = matches!(held, Held::Here(_)) && self.list.may_be_empty;
            some.push(if passed_on {
                in_order(theory, &measure.change, value, at_end)
            } else {
                theory.terms.eq(value, at_end)
            });
            none = theory.terms.eq(param, at_end);
        }
        let some = theory.terms.and(some);
        let same = theory.terms.eq(self.first, self.end);
        let fact = if self.cyclic { some } else { theory.terms.ite(same, none, some) };
        pieces.facts.push(Formula::Atom(fact));
        Ok(())
    }

    /// The data of the list is in order.
    pub(crate) fn ordered(
        &self,
        translator: &mut Translator<'_>,
        order: &Order,
        pieces: &mut Pieces,
    ) -> Result<(), Unknown> {
        let data = self.field(translator, order.field)?;
        self.ordered_nodes(translator, data, &order.change, pieces)
    }

    /// Along the path, and once more around if it is a cycle.
    fn ordered_nodes(
        &self,
        translator: &mut Translator<'_>,
        data: Field,
        change: &Change,
        pieces: &mut Pieces,
    ) -> Result<(), Unknown> {
        let sort = translator.node_sort(&self.loc)?;
        let positive = translator.positive;
        let theory = &mut translator.theory;
        let mut starts = vec![self.first];
        if self.cyclic {
            starts.push(theory.read(self.next, self.end));
        }
        for start in starts {
            let nodes = Set::between(theory, self.next, start, self.end);
            let mut order = Sorted {
                holds: theory.terms.bool(true),
                data,
                next: self.next,
                first: start,
                end: self.end,
                change: change.clone(),
            };
            if positive {
                order.holds = theory.terms.fresh("sorted", Sort::Bool);
                pieces.facts.push(Formula::Atom(order.holds));
                theory.sorted.push(order);
            } else {
                let (_, z) = theory.terms.bound_var("z", sort);
                let (_, w) = theory.terms.bound_var("w", sort);
                let body = order.instance(theory, z, w);
                pieces.facts.push(Formula::EveryTwo(z, w, body));
            }
            if self.cyclic {
                // The end is between the two parts.
                let (_, z) = theory.terms.bound_var("z", sort);
                let here = nodes.contains(theory, z);
                let (value, end) = (theory.read(data, z), theory.read(data, self.end));
                let order = if start == self.first {
                    in_order(theory, change, value, end)
                } else {
                    in_order(theory, change, end, value)
                };
                let body = theory.terms.implies(here, order);
                pieces.facts.push(Formula::Every(z, body, None));
            }
        }
        Ok(())
    }

    /// The last location, if there is one. It is determined, so that it does not matter whether the
    /// list must or must not be there.
    fn last(&self, translator: &mut Translator<'_>) -> Result<Term, Unknown> {
        let sort = translator.node_sort(&self.loc)?;
        let theory = &mut translator.theory;
        let last = theory.terms.fresh("last", sort);
        let start = if self.cyclic { theory.read(self.next, self.end) } else { self.first };
        let path = theory.reach(self.next, start, self.end);
        let arrived = theory.terms.eq(start, self.end);
        let after = theory.read(self.next, last);
        let leads = theory.terms.eq(after, self.end);
        let inside = Set::between(theory, self.next, start, self.end).contains(theory, last);
        let there = theory.terms.and([leads, inside]);
        let is_end = theory.terms.eq(last, self.end);
        let nowhere = if self.cyclic { is_end } else { theory.terms.bool(true) };
        let choice = theory.terms.ite(arrived, nowhere, there);
        let definition = theory.terms.implies(path, choice);
        translator.definitions.push(Formula::Atom(definition));
        Ok(last)
    }
}
