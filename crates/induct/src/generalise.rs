//! Statements that say more, and are easier to prove by induction.

use std::collections::{BTreeMap, BTreeSet};

use crate::prove::trace::{Trace, generalise};
use crate::prove::{Progress, Prover};
use crate::sequent::{Heap, Sequent};
use crate::system::Var;
use arith::{Constraint, Relation, Sum};

/// More integers than this are not related to each other.
const MAX_INTEGERS: usize = 12;
/// So many bounds of a difference are tried.
const MAX_BOUNDS: usize = 4;

impl Prover<'_> {
    /// Sequents of which this one is an instance: variables in place of `nil`s, one for each argument
    /// where it occurs on both sides, or one for all.
    pub(crate) fn generalisations(&mut self, sequent: &Sequent) -> Vec<(Sequent, Trace)> {
        let mut by_place = BTreeMap::new();
        let mut by_sort = BTreeMap::new();
        for (place, nil) in self.nils_in(&sequent.left) {
            if self.nils_in(&sequent.right).contains(&(place, nil)) {
                let fresh = self.fresh(nil as usize);
                by_place.insert((place, nil), fresh);
            }
            by_sort.entry(nil).or_insert(None);
        }
        for (nil, var) in &mut by_sort {
            *var = Some(self.fresh(*nil as usize));
        }
        let mut all: Vec<(Sequent, Vec<(Var, Var)>)> = Vec::new();
        if !by_place.is_empty() {
            let general = replace(sequent, &|place, nil| by_place.get(&(place, nil)).copied());
            all.push((general, by_place.iter().map(|((_, nil), var)| (*var, *nil)).collect()));
        }
        if !by_sort.is_empty() {
            let general = replace(sequent, &|_, nil| by_sort.get(&nil).copied().flatten());
            let vars = by_sort.iter().filter_map(|(nil, var)| Some(((*var)?, *nil)));
            all.push((general, vars.collect()));
        }
        let instance_of = |(general, instance): (Sequent, Vec<(Var, Var)>)| {
            let mut trace = Trace::default();
            trace.push(sequent.clone(), generalise(instance));
            (general, trace)
        };
        let mut all: Vec<(Sequent, Trace)> = all.into_iter().map(instance_of).collect();
        let integers = self.without_numbers(sequent);
        // With both there is more to choose from.
        let mut both = Vec::new();
        for (general, trace) in &all {
            for (next, more) in self.without_numbers(general) {
                let mut trace = trace.clone();
                trace.extend(&more);
                both.push((next, trace));
            }
        }
        all.extend(integers);
        all.extend(both);
        all
    }

    /// The same for other numbers: every integer argument is a variable of its own, and all that is
    /// known is how they are related. What two sides say of sizes adds up, or one is at least the
    /// other; bounds are ordered.
    fn without_numbers(&mut self, sequent: &Sequent) -> Vec<(Sequent, Trace)> {
        let mut sequent = sequent.clone();
        let mut trace = Trace::default();
        if !matches!(self.normalise(&mut sequent, &mut 0, &mut trace), Progress::Open) {
            return Vec::new();
        }
        let before = self.facts(&sequent.left);
        let mut facts = before.clone();
        let mut general = sequent.clone();
        general.left.linear.clear();
        let left = self.own_integers(&mut general.left, &sequent, &mut facts);
        let right = self.own_integers(&mut general.right, &sequent, &mut facts);
        let (all_left, all_right) = (left.all(), right.all());
        if left.args.is_empty() || all_left.len() + all_right.len() > MAX_INTEGERS {
            return Vec::new();
        }
        // What the right side says of integers is about the old ones.
        let asked: BTreeSet<Var> =
            Heap { linear: general.right.linear.clone(), ..Heap::default() }.vars();
        let owned = left.old.iter().chain(&right.old).filter(|(_, old)| asked.contains(old));
        let same: Vec<Constraint> = owned
            .filter_map(|(own, old)| Constraint::equal(&Sum::var(*own), &Sum::var(*old)))
            .collect();
        let with = |mut relations: Vec<Constraint>| {
            let mut general = general.clone();
            relations.extend(same.iter().cloned());
            general.left.linear = relations;
            general
        };
        let weakly = with(ordered(&all_left, &all_right, &facts, Constraint::at_most));
        let strictly = with(ordered(&all_left, &all_right, &facts, Constraint::less));
        let mut all = vec![weakly];
        all.extend(Some(strictly).filter(|strictly| all[0] != *strictly));
        let mut bounds = arith::weaken(&self.agreement(&general), &general.exist);
        bounds.retain(|c| arith::implies(&facts, c));
        if !right.fields.is_empty() {
            bounds.extend(ordered(&all_left, &right.fields, &facts, Constraint::at_most));
        }
        let mut balances = balance(&left.args, &right.args, &facts);
        if self.same_cells(&general).is_some() {
            // There is nothing between less and more.
            balances.truncate(1);
        }
        for relation in balances {
            let mut relations = bounds.clone();
            relations.push(relation);
            all.push(with(relations));
        }
        trace.push(sequent, generalise(left.old.iter().chain(&right.old).copied().collect()));
        all.into_iter().map(|general| (general, trace.clone())).collect()
    }

    /// Gives every integer argument a variable of its own, equal to the old one, and the same to
    /// integers in cells.
    fn own_integers(
        &mut self,
        heap: &mut Heap,
        sequent: &Sequent,
        facts: &mut Vec<Constraint>,
    ) -> Own {
        let mut own = Own::default();
        let args = heap.calls.iter_mut().flat_map(|call| &mut call.args).map(|arg| (arg, true));
        let fields = heap.cells.iter_mut().flat_map(|cell| &mut cell.fields).map(|f| (f, false));
        for (var, is_argument) in args.chain(fields) {
            if !self.is_int(*var) || sequent.exist.contains(var) {
                continue;
            }
            let fresh = self.fresh(self.system().sorts.len() - 1);
            facts.extend(Constraint::equal(&Sum::var(fresh), &Sum::var(*var)));
            own.old.push((fresh, *var));
            *var = fresh;
            if is_argument { own.args.push(fresh) } else { own.fields.push(fresh) }
        }
        own
    }

    /// The `nil`s among arguments, with their places.
    fn nils_in(&self, heap: &Heap) -> Vec<(usize, Var)> {
        let is_nil = |v: Var| (v as usize) < self.nils();
        heap.calls
            .iter()
            .flat_map(|call| call.args.iter().copied().enumerate())
            .filter(|(_, arg)| is_nil(*arg))
            .collect()
    }
}

/// Integers that have variables of their own.
#[derive(Default)]
struct Own {
    args: Vec<Var>,
    fields: Vec<Var>,
    /// What they are equal to.
    old: Vec<(Var, Var)>,
}

impl Own {
    fn all(&self) -> Vec<Var> {
        self.args.iter().chain(&self.fields).copied().collect()
    }
}

/// Other variables in arguments; a field is nobody's argument.
fn replace(sequent: &Sequent, by: &impl Fn(usize, Var) -> Option<Var>) -> Sequent {
    let mut result = sequent.clone();
    for heap in [&mut result.left, &mut result.right] {
        for call in &mut heap.calls {
            for (place, arg) in call.args.iter_mut().enumerate() {
                *arg = by(place, *arg).unwrap_or(*arg);
            }
        }
        for cell in &mut heap.cells {
            for field in &mut cell.fields {
                *field = by(usize::MAX, *field).unwrap_or(*field);
            }
        }
    }
    result
}

/// All that is known of the order of two, strictly or not. What is on the right is the same as something on the left,
/// if it may be.
fn ordered(
    left: &[Var],
    right: &[Var],
    facts: &[Constraint],
    order: fn(&Sum, &Sum) -> Option<Constraint>,
) -> Vec<Constraint> {
    let known = |c: &Constraint| arith::implies(facts, c);
    let mut relations = Vec::new();
    let mut different = left.to_vec();
    for r in right {
        let mut equations =
            left.iter().filter_map(|l| Constraint::equal(&Sum::var(*l), &Sum::var(*r)));
        match equations.find(known) {
            Some(equation) => relations.push(equation),
            None => different.push(*r),
        }
    }
    for a in &different {
        for b in different.iter().filter(|b| *b != a) {
            let weak = Constraint::at_most(&Sum::var(*a), &Sum::var(*b));
            let relation = order(&Sum::var(*a), &Sum::var(*b)).filter(known);
            relations.extend(relation.or_else(|| weak.filter(known)));
        }
    }
    relations
}

/// How the sum of what is on the left compares to that of what is on the right.
fn balance(left: &[Var], right: &[Var], facts: &[Constraint]) -> Vec<Constraint> {
    let total = |vars: &[Var]| {
        let add = |sum: Sum, v: &Var| sum.plus(&Sum::var(*v), 1);
        vars.iter().try_fold(Sum::default(), add)
    };
    let difference = match (total(left), total(right)) {
        (Some(left), Some(right)) => left.plus(&right, -1),
        _ => None,
    };
    let (Some(difference), Some(values)) = (difference, arith::solve(facts)) else {
        return Vec::new();
    };
    let known = |v: Var| values.get(&v).copied().unwrap_or(0);
    let Some(value) = difference.value(&known) else { return Vec::new() };
    let at = |relation, constant| {
        let mut sum = difference.clone();
        sum.constant -= constant;
        Constraint { sum, relation }
    };
    let mut relations: Vec<Constraint> =
        [at(Relation::Zero, value)].into_iter().filter(|c| arith::implies(facts, c)).collect();
    // At least what the numbers that occur differ by, or a little.
    let numbers: BTreeSet<i128> = facts.iter().map(|c| c.sum.constant.abs()).collect();
    let differences = numbers.iter().flat_map(|a| numbers.iter().map(move |b| a - b));
    let least: BTreeSet<i128> = differences.filter(|d| *d > 3).chain(0..=3).collect();
    let bounds = least.into_iter().rev().map(|least| at(Relation::NotNegative, least));
    relations.extend(bounds.filter(|c| arith::implies(facts, c)).take(MAX_BOUNDS));
    relations
}
