//! Derivations of instances whose integers are given, from above.
//!
//! Where integers only count, all that has to be chosen is how what is left is shared among calls. So
//! a case is solved for the values at hand, with what the invariants say of its calls, and each call
//! is then an instance with values of its own. Lists and trees of a million cells take as many steps.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use sl::{Model, Signature};

use crate::derivation::{Derivation, Node, Unfolded, Written, model_with};
use crate::refine::Refined;
use crate::system::{Clause, PredId, System, Var};
use crate::unfold;
use arith::Plan;

/// Values that get larger than a few times those at the start, and than this, only drift away.
const LARGE: u128 = 10_000;

/// A derivation, and the values of integers in it.
#[derive(Clone, Debug)]
pub struct Reached {
    /// The derivation, with the cases of the definitions as they were.
    pub derivation: Derivation,
    /// The values in the clause.
    pub clause: BTreeMap<Var, i128>,
    /// The values in the case of each node, without those of parameters.
    pub nodes: Vec<Values>,
}

/// Values of variables.
type Values = Rc<[(Var, i128)]>;

impl Reached {
    /// The model that it makes, if it shows that it is one.
    #[must_use]
    pub fn model(
        self,
        system: &System,
        signature: &Signature,
        written: Written<'_>,
    ) -> Option<Model> {
        // What is said of integers is solved already, and would take most of the space.
        let mut shapes = system.clone();
        let cases = shapes.predicates.iter_mut().flat_map(|predicate| &mut predicate.cases);
        cases.for_each(|case| case.linear.clear());
        let Reached { derivation, clause, nodes } = self;
        let unfolded = Unfolded::new(&shapes, written.clause, &derivation);
        let mut numbers = vec![0; unfolded.vars];
        for (scope, values) in unfolded.scopes.iter().zip(nodes) {
            for (var, value) in values.iter() {
                if let Some(var) = scope.get(*var as usize) {
                    numbers[*var as usize] = *value;
                }
            }
        }
        for (var, value) in clause {
            if let Some(number) = numbers.get_mut(var as usize) {
                *number = value;
            }
        }
        let values = unfolded.values_with(system, &|var| numbers[var as usize]);
        drop(numbers);
        model_with(system, signature, written, &derivation, &unfolded, &values)
    }
}

/// An instance: a predicate and the values of its integers.
type Instance = (PredId, Vec<i128>);

/// What is known of an instance.
enum Known {
    /// It is being looked for, or there is none.
    Not,
    /// Its case, the values there, and the instances that it calls.
    By(usize, Values, Vec<usize>),
}

/// An instance while a case for it is looked for.
struct Frame {
    instance: usize,
    /// The next way to be tried: a case, with the least or with the greatest values.
    next: usize,
    /// What was chosen, and how many calls of it are known.
    chosen: Option<(usize, Values)>,
    calls: Vec<usize>,
}

/// A search for derivations.
pub struct Search<'a> {
    refined: &'a Refined,
    /// For each predicate its cases, those that end soon first.
    plans: Vec<Vec<(usize, Plan)>>,
    /// For each predicate the places of its integers.
    places: Vec<Vec<usize>>,
    numbers: HashMap<Instance, usize>,
    instances: Vec<Instance>,
    known: Vec<Known>,
    /// No larger values are looked at.
    largest: u128,
    work: usize,
}

impl<'a> Search<'a> {
    /// A search with so many steps.
    #[must_use]
    pub fn new(refined: &'a Refined, work: usize) -> Search<'a> {
        let least = unfold::least_sizes(&refined.system);
        let system = &refined.system;
        let (mut plans, mut places) = (Vec::new(), Vec::new());
        for predicate in &system.predicates {
            let size =
                |case: &Clause| unfold::total(case.calls.iter().map(|call| least[call.pred]));
            let mut cases: Vec<(usize, usize)> = predicate
                .cases
                .iter()
                .enumerate()
                .filter_map(|(number, case)| Some((size(case)?, number)))
                .collect();
            cases.sort_unstable();
            let ints: Vec<usize> = (0..predicate.params.len())
                .filter(|place| system.is_int(predicate.params[*place]))
                .collect();
            let plan = |number: usize| {
                let facts = refined.facts(&predicate.cases[number]);
                let given = ints.iter().map(|place| (system.nils() + place) as Var);
                Some((number, Plan::new(facts, given.collect())?))
            };
            plans.push(cases.into_iter().filter_map(|(_, number)| plan(number)).collect());
            places.push(ints);
        }
        let (numbers, instances, known) = (HashMap::new(), Vec::new(), Vec::new());
        Search { refined, plans, places, numbers, instances, known, largest: LARGE, work }
    }

    /// A derivation of a clause of the split definitions, with no more nodes than this.
    pub fn find(&mut self, clause: &Clause, max_nodes: usize) -> Option<Reached> {
        let values = arith::solve(&self.refined.all_facts(clause))
            .or_else(|| arith::solve(&self.refined.facts(clause)))?;
        let start = values.values().map(|value| value.unsigned_abs()).max().unwrap_or(0);
        self.largest = start.saturating_mul(4).max(LARGE);
        let calls = self.calls(clause, &values);
        for call in &calls {
            if !self.prove(*call) {
                return None;
            }
        }
        self.unroll(values, &calls, max_nodes)
    }

    /// The instances that a clause calls.
    fn calls(&mut self, clause: &Clause, values: &BTreeMap<Var, i128>) -> Vec<usize> {
        let mut all = Vec::with_capacity(clause.calls.len());
        for call in &clause.calls {
            let ints = self.places[call.pred].iter().map(|place| call.args[*place]);
            let args = ints.map(|arg| values.get(&arg).copied().unwrap_or(0)).collect();
            let instance = (call.pred, args);
            let next = self.instances.len();
            let number = *self.numbers.entry(instance.clone()).or_insert(next);
            if number == next {
                self.instances.push(instance);
                self.known.push(Known::Not);
            }
            all.push(number);
        }
        all
    }

    /// Looks for a derivation of an instance. One that was met before without success, or that is
    /// behind itself, is not looked for again.
    fn prove(&mut self, goal: usize) -> bool {
        let frame = |instance| Frame { instance, next: 0, chosen: None, calls: Vec::new() };
        let mut met: BTreeSet<usize> = [goal].into();
        let mut stack = vec![frame(goal)];
        while let Some(top) = stack.last_mut() {
            if matches!(self.known[top.instance], Known::By(..)) {
                stack.pop();
                continue;
            }
            if let Some((case, values)) = &top.chosen {
                let open = top.calls.iter().find(|c| !matches!(self.known[**c], Known::By(..)));
                match open {
                    None => {
                        let by = Known::By(*case, values.clone(), std::mem::take(&mut top.calls));
                        self.known[top.instance] = by;
                    }
                    Some(call) if met.insert(*call) => {
                        let call = *call;
                        stack.push(frame(call));
                    }
                    Some(_) => top.chosen = None,
                }
                continue;
            }
            let Some(rest) = self.work.checked_sub(1) else { return false };
            self.work = rest;
            let (instance, way) = (top.instance, top.next);
            top.next += 1;
            let Some(case) = self.plans[self.instances[instance].0].get(way / 2) else {
                stack.pop();
                continue;
            };
            let case = case.0;
            let solved = self.solve(instance, way);
            if solved.is_none() && way % 2 == 0 {
                // Where there are no least values there are no greatest ones.
                top.next += 1;
            }
            let is_near = |value: &i128| value.unsigned_abs() <= self.largest;
            if let Some(values) = solved.filter(|values| values.values().all(is_near)) {
                let pred = self.instances[instance].0;
                let clause = &self.refined.system.predicates[pred].cases[case];
                let calls = self.calls(clause, &values);
                if let Some(top) = stack.last_mut() {
                    let own = clause.free as Var..clause.sorts.len() as Var;
                    let values = values.into_iter().filter(|(var, _)| own.contains(var)).collect();
                    (top.chosen, top.calls) = (Some((case, values)), calls);
                }
            }
        }
        matches!(self.known[goal], Known::By(..))
    }

    /// Values for a case of an instance.
    fn solve(&self, instance: usize, way: usize) -> Option<BTreeMap<Var, i128>> {
        let (pred, args) = &self.instances[instance];
        let (_, plan) = self.plans[*pred].get(way / 2)?;
        let nils = self.refined.system.nils();
        let places = self.places[*pred].iter().map(|place| (nils + place) as Var);
        let given = places.zip(args.iter().copied());
        plan.values(given.collect(), way % 2 == 1)
    }

    /// The derivation of instances that are known.
    fn unroll(
        &self,
        clause: BTreeMap<Var, i128>,
        calls: &[usize],
        max_nodes: usize,
    ) -> Option<Reached> {
        let mut reached = Reached { derivation: Derivation::default(), clause, nodes: Vec::new() };
        let mut instances = Vec::new();
        let add = |reached: &mut Reached, instances: &mut Vec<usize>, instance: usize| {
            let Known::By(case, values, _) = &self.known[instance] else { return None };
            let (pred, cases) = &self.refined.origins[self.instances[instance].0];
            let node = Node { pred: *pred, case: *cases.get(*case)?, calls: Vec::new() };
            reached.derivation.nodes.push(node);
            reached.nodes.push(values.clone());
            instances.push(instance);
            (instances.len() <= max_nodes).then_some(instances.len() - 1)
        };
        for call in calls {
            let node = add(&mut reached, &mut instances, *call)?;
            reached.derivation.roots.push(node);
        }
        let mut next = 0;
        while let Some(instance) = instances.get(next).copied() {
            let Known::By(_, _, calls) = &self.known[instance] else { return None };
            for call in calls {
                let child = add(&mut reached, &mut instances, *call)?;
                reached.derivation.nodes[next].calls.push(child);
            }
            next += 1;
        }
        Some(reached)
    }
}
