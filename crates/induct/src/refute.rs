//! Counterexamples to entailments: small models of the left side, until one is no model of the right.

use sl::procedure::Meter;
use sl::{Evaluator, Formula, Model, Semantics, Signature, Truth};

use crate::derivation::{self, Derivation, Unfolded, Written};
use crate::prepared::Prepared;
use crate::system::{Clause, Var};
use crate::unfold::Unfolder;
use arith::{Constraint, Sum};

/// Steps of the evaluator for each model.
const EVALUATION: u64 = 10_000;
/// Variables beyond these are not made equal to others.
const MAX_ALIASED: usize = 24;

/// Integers beyond these are not ordered in other ways.
const MAX_ORDERED: usize = 6;

/// How much is tried.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Steps of unfolding.
    pub work: u64,
    /// Instances in a derivation, besides those that are there at first.
    pub size: usize,
    /// Models.
    pub models: usize,
}

/// What is asked.
#[derive(Clone, Debug)]
pub(crate) struct Refutation<'a> {
    /// The definitions.
    pub known: &'a Prepared,
    /// Counts what is tried.
    pub meter: &'a Meter,
    /// The same as they were written.
    pub signature: &'a Signature,
    /// What pure atoms say of the heap.
    pub semantics: Semantics,
    /// Should not hold.
    pub right: &'a Formula,
}

/// The variables and calls of a clause that hang together, `nil` apart: those with calls. Each has the
/// `nil`s, too.
fn components(clause: &Clause, nils: Var) -> Vec<(Vec<Var>, Vec<usize>)> {
    let mut groups: Vec<Vec<Var>> = (nils..clause.sorts.len() as Var).map(|v| vec![v]).collect();
    let mut join = |vars: &[Var]| {
        let touches = |group: &Vec<Var>| group.iter().any(|v| vars.contains(v));
        let (touched, others) = std::mem::take(&mut groups).into_iter().partition(touches);
        groups = others;
        groups.push(touched.concat());
    };
    for (a, b) in &clause.equal {
        join(&[*a, *b]);
    }
    for cell in &clause.cells {
        join(&[&[cell.addr], cell.fields.as_slice()].concat());
    }
    for call in &clause.calls {
        join(&call.args);
    }
    let calls_of = |group: &Vec<Var>| -> Vec<usize> {
        let calls = clause.calls.iter().enumerate();
        calls.filter(|(_, c)| c.args.iter().any(|v| group.contains(v))).map(|(i, _)| i).collect()
    };
    groups
        .into_iter()
        .map(|group| ((0..nils).chain(group.iter().copied()).collect(), calls_of(&group)))
        .filter(|(_, calls): &(Vec<Var>, Vec<usize>)| !calls.is_empty())
        .collect()
}

impl Refutation<'_> {
    /// A model of the left side that is none of the right side, both shown to be so.
    #[must_use]
    pub fn find(&self, left: Written<'_>, effort: Effort) -> Option<Model> {
        let size = effort.size + left.clause.calls.len();
        let mut smallest = None;
        let mut found = None;
        let mut rest = effort.models;
        let all: Vec<Var> = (0..left.clause.sorts.len() as Var).collect();
        Unfolder::new(self.known, self.meter, effort.work).each(
            left.clause,
            size,
            &mut |derivation| {
                smallest.get_or_insert_with(|| derivation.clone());
                found = self.variants(left, derivation, &all, &mut rest);
                found.is_some() || rest == 0
            },
        );
        found.or_else(|| self.by_components(left, &smallest?, effort))
    }

    /// Models in which only one component of the left side is more than it has to be: parts that have no
    /// variables in common are looked at one by one.
    fn by_components(
        &self,
        left: Written<'_>,
        smallest: &Derivation,
        effort: Effort,
    ) -> Option<Model> {
        let components = components(left.clause, self.known.system.nils() as Var);
        if components.len() < 2 {
            return None;
        }
        components.iter().find_map(|(vars, calls)| {
            let part = calls.iter().map(|call| left.clause.calls[*call].clone()).collect();
            let part = Clause { calls: part, ..left.clause.clone() };
            let mut found = None;
            let mut rest = effort.models / components.len();
            let size = effort.size + calls.len();
            let work = effort.work / components.len() as u64;
            Unfolder::new(self.known, self.meter, work).each(&part, size, &mut |derivation| {
                let whole = smallest.with(calls, derivation);
                found = self.variants(left, &whole, vars, &mut rest);
                found.is_some() || rest == 0
            });
            found
        })
    }

    /// The model in which as little as possible is equal, then those with one more equation of some
    /// variables.
    fn variants(
        &self,
        left: Written<'_>,
        derivation: &Derivation,
        among: &[Var],
        rest: &mut usize,
    ) -> Option<Model> {
        if let Some(model) = self.check(left, derivation, rest) {
            return Some(model);
        }
        let unfolded = Unfolded::new(&self.known.system, left.clause, derivation);
        let locations: Vec<Var> = among
            .iter()
            .copied()
            .filter(|v| !&self.known.system.is_int(unfolded.sorts[*v as usize]))
            .take(MAX_ALIASED)
            .collect();
        for (i, a) in locations.iter().enumerate() {
            for b in &locations[i + 1..] {
                let sorts = &unfolded.sorts;
                if sorts[*a as usize] != sorts[*b as usize]
                    || (*b as usize) < self.known.system.nils()
                {
                    continue;
                }
                let clause = Clause {
                    equal: left.clause.equal.iter().copied().chain([(*a, *b)]).collect(),
                    ..left.clause.clone()
                };
                let aliased = Written { clause: &clause, ..left };
                if let Some(model) = self.check(aliased, derivation, rest) {
                    return Some(model);
                }
            }
        }
        self.other_integers(left, derivation, rest)
    }

    /// Models in which one integer is less than another, or than zero.
    fn other_integers(
        &self,
        left: Written<'_>,
        derivation: &Derivation,
        rest: &mut usize,
    ) -> Option<Model> {
        let clause = left.clause;
        let ints: Vec<Var> = (self.known.system.nils() as Var..clause.free as Var)
            .filter(|v| self.known.system.is_int(clause.sorts[*v as usize]))
            .take(MAX_ORDERED)
            .collect();
        let negative = ints.iter().map(|v| Constraint::less(&Sum::var(*v), &Sum::number(0)));
        let pairs = ints.iter().flat_map(|a| ints.iter().map(move |b| (a, b)));
        let ordered = pairs
            .filter(|(a, b)| a != b)
            .map(|(a, b)| Constraint::less(&Sum::var(*a), &Sum::var(*b)));
        ordered.chain(negative).flatten().find_map(|constraint| {
            let linear = clause.linear.iter().cloned().chain([constraint]).collect();
            let clause = Clause { linear, ..clause.clone() };
            self.check(Written { clause: &clause, ..left }, derivation, rest)
        })
    }

    fn check(&self, left: Written<'_>, derivation: &Derivation, rest: &mut usize) -> Option<Model> {
        *rest = if self.meter.step(1) { *rest } else { 0 };
        *rest = rest.checked_sub(1)?;
        let model = derivation::model(&self.known.system, self.signature, left, derivation)?;
        let mut evaluator = Evaluator::new(self.signature, self.semantics);
        evaluator.max_steps = EVALUATION;
        match evaluator.holds(&model, self.right) {
            Truth::False => Some(model),
            Truth::True => None,
            Truth::Unknown => {
                // What takes so long here will take long again.
                *rest /= 2;
                None
            }
        }
    }
}
