//! Definitions that say nothing of the heap and compare locations with `nil` only.
//!
//! A model stays one when all locations other than `nil` fall together, so a location is a truth value,
//! and the definitions are a logic program over truth values. Circuits and counters are written like
//! that, and take as many rounds as a counter has values; so rounds have to be cheap.
//!
//! - What is not recursive is written out where it is used ([`Flat`]), or has a table if it has few
//!   parameters.
//! - The instances of the rest are [`Fact`]s, found from below, each from a new one and older ones.
//! - Every fact knows its case and the values of its variables, and is checked by that before anybody
//!   says that there is a model ([`Program::is_justified`]).

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::system::{Call, Clause, PredId, System, Var};

/// Truth values, one for each bit.
type Bits = u64;

/// What is not recursive has a table if it has at most so many parameters.
const MAX_TABLE: usize = 6;
/// What is not recursive is written out if that gives at most so many rules.
const MAX_RULES: usize = 64;
/// Rules come from at most so many cases.
const MAX_STEPS: usize = 300;
/// No more facts are kept.
const MAX_FACTS: usize = 6_000_000;

/// Which of its first variables after the `nil`s are not `nil` in a model of the clause: `Some(None)`
/// if it has no model. `None` if there is too much to do, or the clause or a definition is of another
/// kind.
#[must_use]
pub fn decide(system: &System, clause: &Clause, max_work: u64) -> Option<Option<Vec<bool>>> {
    // What is asked is a predicate without parameters.
    let mut system = system.clone();
    let nils = system.nils();
    let goal = system.add("goal", Vec::new(), vec![Clause { free: nils, ..clause.clone() }]);
    let fits = |clause: &Clause| {
        clause.cells.is_empty()
            && clause.linear.is_empty()
            && !clause.open
            && clause.different.iter().all(|(a, b)| (*a.min(b) as usize) < nils)
            && clause.sorts.iter().skip(nils).all(|sort| !system.is_int(*sort))
    };
    if !system.predicates.iter().flat_map(|p| &p.cases).all(fits) {
        return None;
    }
    let mut program = Program::new(&system, goal)?;
    let Some(found) = program.find(goal, &mut { max_work })? else { return Some(None) };
    let fact = &program.facts[found as usize];
    let scope = &program.rules[fact.rule as usize].step.scope;
    let values = scope[nils..clause.free].iter().map(|v| fact.values >> v & 1 == 1).collect();
    program.is_justified(found).then_some(Some(values))
}

/// A case of a definition, with the cases of calls that were written out.
#[derive(Clone, Debug)]
struct Step {
    case: usize,
    /// The variables of the case, by their numbers in the rule.
    scope: Vec<Var>,
    /// A step for each call that was written out.
    calls: Vec<Option<Step>>,
}

impl Step {
    fn rename(&mut self, to: &impl Fn(Var) -> Var) {
        self.scope.iter_mut().for_each(|v| *v = to(*v));
        self.calls.iter_mut().flatten().for_each(|step| step.rename(to));
    }

    fn size(&self) -> usize {
        1 + self.calls.iter().flatten().map(Step::size).sum::<usize>()
    }
}

/// A case in which calls were written out. Its variables are `nil`s, parameters, others.
#[derive(Clone, Debug)]
struct Flat {
    vars: usize,
    equal: Vec<(Var, Var)>,
    /// What is not `nil`.
    set: Vec<Var>,
    calls: Vec<Call>,
    step: Step,
}

impl Flat {
    fn new(case: usize, clause: &Clause) -> Flat {
        let vars = clause.sorts.len();
        Flat {
            vars,
            equal: clause.equal.clone(),
            set: clause.different.iter().map(|(a, b)| *a.max(b)).collect(),
            calls: Vec::new(),
            step: Step { case, scope: (0..vars as Var).collect(), calls: Vec::new() },
        }
    }

    /// With one of the ways to write out its next call, which has these arguments.
    fn with(&self, callee: &Flat, args: &[Var], nils: usize) -> Flat {
        let to = |v: Var| match (v as usize).checked_sub(nils) {
            None => v,
            Some(place) => match args.get(place) {
                Some(arg) => *arg,
                None => (self.vars + place - args.len()) as Var,
            },
        };
        let mut all = self.clone();
        all.vars += callee.vars - nils - args.len();
        all.equal.extend(callee.equal.iter().map(|(a, b)| (to(*a), to(*b))));
        all.set.extend(callee.set.iter().map(|v| to(*v)));
        all.calls.extend(callee.calls.iter().map(|call| {
            let args = call.args.iter().map(|v| to(*v)).collect();
            Call { pred: call.pred, args }
        }));
        let mut step = callee.step.clone();
        step.rename(&to);
        all.step.calls.push(Some(step));
        all
    }
}

/// A case with bits for variables; equal variables have the same bit.
#[derive(Clone, Debug)]
struct Rule {
    pred: PredId,
    params: Vec<u8>,
    /// Bits that are known, and their values.
    known: Bits,
    values: Bits,
    calls: Vec<(PredId, Vec<u8>)>,
    step: Step,
}

impl Rule {
    /// `Some(None)` if the case contradicts itself, `None` if it has too many variables.
    fn new(pred: PredId, params: usize, flat: &Flat, nils: usize) -> Option<Option<Rule>> {
        let mut parent: Vec<Var> = (0..flat.vars as Var).collect();
        let root = |parent: &[Var], mut v: Var| {
            while parent[v as usize] != v {
                v = parent[v as usize];
            }
            v
        };
        let nil = (1..nils as Var).map(|v| (0, v));
        for (a, b) in flat.equal.iter().copied().chain(nil) {
            let (a, b) = (root(&parent, a), root(&parent, b));
            parent[a.max(b) as usize] = a.min(b);
        }
        let mut bits: HashMap<Var, u8> = HashMap::new();
        let mut bit = Vec::with_capacity(flat.vars);
        for v in 0..flat.vars as Var {
            let next = bits.len() as u8;
            bit.push(*bits.entry(root(&parent, v)).or_insert(next));
            if bits.len() > Bits::BITS as usize {
                return None;
            }
        }
        let values = flat.set.iter().fold(0, |values, v| values | 1 << bit[*v as usize]);
        // The first bit is that of the nils.
        if values & 1 == 1 {
            return Some(None);
        }
        let mut step = flat.step.clone();
        step.rename(&|v| bit[v as usize].into());
        let of = |vars: &[Var]| vars.iter().map(|v| bit[*v as usize]).collect();
        Some(Some(Rule {
            pred,
            params: bit[nils..nils + params].to_vec(),
            known: values | 1,
            values,
            calls: flat.calls.iter().map(|call| (call.pred, of(&call.args))).collect(),
            step,
        }))
    }

    /// The order of its calls, without this one: what has the fewest unknown arguments comes first.
    fn order(&self, first: Option<usize>) -> Vec<usize> {
        let mut known = self.known;
        let mut rest: Vec<usize> = (0..self.calls.len()).collect();
        let mut order = Vec::with_capacity(rest.len());
        let mut next = first;
        while !rest.is_empty() {
            let unknown = |call: &usize| {
                self.calls[*call].1.iter().filter(|arg| known >> **arg & 1 == 0).count()
            };
            let Some(call) = next.take().or_else(|| rest.iter().copied().min_by_key(unknown))
            else {
                break;
            };
            rest.retain(|other| *other != call);
            order.push(call);
            known = self.calls[call].1.iter().fold(known, |known, arg| known | 1 << arg);
        }
        order.retain(|call| Some(*call) != first);
        order
    }

    /// Bits that are known, and their values, when the arguments of a call are these.
    fn bind(args: &[u8], tuple: Bits, mut known: Bits, mut values: Bits) -> Option<(Bits, Bits)> {
        for (place, arg) in args.iter().enumerate() {
            let value = tuple >> place & 1;
            if known >> arg & 1 == 0 {
                known |= 1 << arg;
                values |= value << arg;
            } else if values >> arg & 1 != value {
                return None;
            }
        }
        Some((known, values))
    }
}

/// How the instances of a predicate are found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// Its cases are written out.
    Inline,
    /// Before all others: no recursive predicate is behind it.
    Table,
    /// From below.
    Derived,
}

/// An instance of a predicate that has a derivation.
#[derive(Clone, Debug)]
struct Fact {
    /// Its arguments.
    tuple: Bits,
    /// Where it comes from, and the values of all variables there.
    rule: u32,
    values: Bits,
}

/// The instances of a predicate.
#[derive(Clone, Debug, Default)]
struct Relation {
    tuples: Vec<Bits>,
    facts: HashMap<Bits, u32, BuildHasherDefault<BitsHasher>>,
    /// For tables: the facts by tuple.
    table: Vec<Option<u32>>,
    /// For tables: the tuples for arguments of which some are known, and their values.
    matching: Vec<Vec<Bits>>,
}

impl Relation {
    fn fact(&self, tuple: Bits) -> Option<u32> {
        match self.table.get(tuple as usize) {
            Some(fact) => *fact,
            None => self.facts.get(&tuple).copied(),
        }
    }
}

/// Tuples are hashed more often than anything else.
#[derive(Default)]
struct BitsHasher(u64);

impl Hasher for BitsHasher {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 29
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64((*byte).into());
        }
    }

    fn write_u64(&mut self, bits: u64) {
        self.0 = (self.0.rotate_left(23) ^ bits).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

/// A call that a new fact may be for, and the order of the others.
#[derive(Clone, Debug)]
struct Trigger {
    rule: usize,
    call: usize,
    order: Vec<usize>,
}

struct Program<'a> {
    system: &'a System,
    kinds: Vec<Kind>,
    /// Predicates that are not recursive, those that others use first.
    tables: Vec<PredId>,
    rules: Vec<Rule>,
    triggers: Vec<Vec<Trigger>>,
    relations: Vec<Relation>,
    facts: Vec<Fact>,
}

impl<'a> Program<'a> {
    fn new(system: &'a System, goal: PredId) -> Option<Program<'a>> {
        let count = system.predicates.len();
        let mut program = Program {
            system,
            kinds: vec![Kind::Derived; count],
            tables: Vec::new(),
            rules: Vec::new(),
            triggers: vec![Vec::new(); count],
            relations: vec![Relation::default(); count],
            facts: Vec::new(),
        };
        let mut flats: Vec<Vec<Flat>> = vec![Vec::new(); count];
        let order = callees_first(system);
        for pred in order.iter().copied().filter(|pred| *pred != goal) {
            let flat = program.flatten(pred, &flats)?;
            let simple =
                flat.iter().flat_map(|f| &f.calls).all(|c| program.kinds[c.pred] == Kind::Table);
            let params = system.predicates[pred].params.len();
            program.kinds[pred] = if simple && flat.len() > 1 && params <= MAX_TABLE {
                program.tables.push(pred);
                Kind::Table
            } else if flat.len() <= MAX_RULES {
                Kind::Inline
            } else {
                Kind::Derived
            };
            flats[pred] = flat;
        }
        for pred in (0..count).filter(|pred| program.kinds[*pred] != Kind::Inline) {
            let params = system.predicates[pred].params.len();
            for flat in program.flatten(pred, &flats)? {
                program.rules.extend(Rule::new(pred, params, &flat, system.nils())?);
            }
            if params > Bits::BITS as usize {
                return None;
            }
        }
        for (rule, Rule { calls, .. }) in program.rules.iter().enumerate() {
            for (call, (pred, _)) in calls.iter().enumerate() {
                let order = program.rules[rule].order(Some(call));
                program.triggers[*pred].push(Trigger { rule, call, order });
            }
        }
        Some(program)
    }

    /// The cases of a predicate, with calls written out that are to be; `None` if there are too many.
    fn flatten(&self, pred: PredId, flats: &[Vec<Flat>]) -> Option<Vec<Flat>> {
        let (nils, mut all) = (self.system.nils(), Vec::new());
        let predicate = &self.system.predicates[pred];
        for (case, clause) in predicate.cases.iter().enumerate() {
            let mut ways = vec![Flat::new(case, clause)];
            for call in &clause.calls {
                if self.kinds[call.pred] != Kind::Inline {
                    for way in &mut ways {
                        way.calls.push(call.clone());
                        way.step.calls.push(None);
                    }
                    continue;
                }
                let mut more = Vec::new();
                for way in &ways {
                    for callee in &flats[call.pred] {
                        let flat = way.with(callee, &call.args, nils);
                        if flat.step.size() > MAX_STEPS || more.len() > MAX_RULES * MAX_RULES {
                            return None;
                        }
                        more.push(flat);
                    }
                }
                ways = more;
            }
            for flat in ways {
                if Rule::new(pred, predicate.params.len(), &flat, nils)?.is_some() {
                    all.push(flat);
                }
            }
        }
        Some(all)
    }

    /// A fact about the goal; `Some(None)` if there is none, `None` if there is too much to do.
    fn find(&mut self, goal: PredId, work: &mut u64) -> Option<Option<u32>> {
        for pred in self.tables.clone() {
            for rule in 0..self.rules.len() {
                if self.rules[rule].pred == pred {
                    self.run(rule, None, work)?;
                }
            }
            self.index(pred);
        }
        let start = self.facts.len();
        for rule in 0..self.rules.len() {
            let derived = |pred: PredId| self.kinds[pred] == Kind::Derived;
            let Rule { pred, calls, .. } = &self.rules[rule];
            if derived(*pred) && !calls.iter().any(|(pred, _)| derived(*pred)) {
                self.run(rule, None, work)?;
            }
        }
        let triggers = self.triggers.clone();
        for next in start.. {
            if let Some(found) = self.relations[goal].fact(0) {
                return Some(Some(found));
            }
            let Some(Fact { tuple, rule, .. }) = self.facts.get(next).cloned() else { break };
            let pred = self.rules[rule as usize].pred;
            self.relations[pred].tuples.push(tuple);
            for trigger in &triggers[pred] {
                self.run(trigger.rule, Some((trigger, tuple)), work)?;
            }
        }
        Some(None)
    }

    /// For a table: what matches arguments of which some are known.
    fn index(&mut self, pred: PredId) {
        let params = self.system.predicates[pred].params.len();
        let relation = &mut self.relations[pred];
        let tuples: Vec<Bits> = relation.facts.keys().copied().collect();
        relation.table = (0..1 << params).map(|t| relation.facts.get(&t).copied()).collect();
        relation.matching = (0..1 << (2 * params))
            .map(|both: Bits| {
                let (known, values) = (both >> params, both & ((1 << params) - 1));
                tuples.iter().copied().filter(|tuple| (tuple ^ values) & known == 0).collect()
            })
            .collect();
    }

    /// All facts that a rule gives: of all facts, or of a new one and those before it.
    fn run(&mut self, rule: usize, new: Option<(&Trigger, Bits)>, work: &mut u64) -> Option<()> {
        let Rule { pred, params, known, values, calls, .. } = &self.rules[rule];
        let (pred, mut known, mut values) = (*pred, *known, *values);
        let mut found = Vec::new();
        let all;
        let order = match new {
            None => {
                all = self.rules[rule].order(None);
                &all
            }
            Some((trigger, tuple)) => {
                let bound = Rule::bind(&calls[trigger.call].1, tuple, known, values);
                let Some(bound) = bound else { return Some(()) };
                (known, values) = bound;
                &trigger.order
            }
        };
        self.join(&self.rules[rule], order, known, values, work, &mut |known, values| {
            let open: Vec<u8> = params.iter().copied().filter(|p| known >> *p & 1 == 0).collect();
            found.push((known, values, open));
        })?;
        for (known, values, open) in found {
            self.insert(pred, rule, known, values, &open, work)?;
        }
        Some(())
    }

    /// Values for all calls of a rule, in this order.
    fn join(
        &self,
        rule: &Rule,
        order: &[usize],
        known: Bits,
        values: Bits,
        work: &mut u64,
        accept: &mut impl FnMut(Bits, Bits),
    ) -> Option<()> {
        let (mut order, mut known, mut values) = (order, known, values);
        while let Some((call, rest)) = order.split_first() {
            *work = work.checked_sub(1)?;
            let (pred, args) = &rule.calls[*call];
            let relation = &self.relations[*pred];
            let (mut known_args, mut tuple) = (0, 0);
            for (place, arg) in args.iter().enumerate() {
                known_args |= (known >> arg & 1) << place;
                tuple |= (values >> arg & 1) << place;
            }
            order = rest;
            if known_args.count_ones() as usize == args.len() {
                match relation.fact(tuple) {
                    Some(_) => continue,
                    None => return Some(()),
                }
            }
            let tuples = match self.kinds[*pred] {
                Kind::Table => {
                    let both = (known_args << args.len() | tuple) as usize;
                    relation.matching.get(both).map(Vec::as_slice).unwrap_or_default()
                }
                _ => &relation.tuples,
            };
            // Most of the time there is no choice.
            let Some((last, others)) = tuples.split_last() else { return Some(()) };
            for tuple in others {
                *work = work.checked_sub(1)?;
                if let Some((known, values)) = Rule::bind(args, *tuple, known, values) {
                    self.join(rule, rest, known, values, work, accept)?;
                }
            }
            let Some(bound) = Rule::bind(args, *last, known, values) else { return Some(()) };
            (known, values) = bound;
        }
        accept(known, values);
        Some(())
    }

    /// Adds what a rule gives; parameters of which nothing is known have both values.
    fn insert(
        &mut self,
        pred: PredId,
        rule: usize,
        known: Bits,
        values: Bits,
        open: &[u8],
        work: &mut u64,
    ) -> Option<()> {
        if let Some((param, rest)) = open.split_first() {
            *work = work.checked_sub(1)?;
            if known >> param & 1 == 0 {
                let known = known | 1 << param;
                self.insert(pred, rule, known, values | 1 << param, rest, work)?;
                return self.insert(pred, rule, known, values, rest, work);
            }
            return self.insert(pred, rule, known, values, rest, work);
        }
        let params = self.rules[rule].params.iter().enumerate();
        let tuple = params.fold(0, |tuple, (place, param)| tuple | (values >> param & 1) << place);
        let next = self.facts.len();
        if let std::collections::hash_map::Entry::Vacant(entry) =
            self.relations[pred].facts.entry(tuple)
        {
            entry.insert(next as u32);
            self.facts.push(Fact { tuple, rule: rule as u32, values });
        }
        (next < MAX_FACTS).then_some(())
    }

    /// Does every fact that this one needs come from earlier ones, by the definitions?
    fn is_justified(&self, fact: u32) -> bool {
        let mut needed = vec![false; fact as usize + 1];
        needed[fact as usize] = true;
        (0..=fact).rev().all(|index| {
            let Fact { tuple, rule, values } = &self.facts[index as usize];
            let Rule { pred, step, .. } = &self.rules[*rule as usize];
            !needed[index as usize]
                || self.holds(*pred, *tuple, step, *values, &mut |pred, tuple| {
                    let earlier = self.relations[pred].fact(tuple);
                    let earlier = earlier.filter(|earlier| *earlier < index);
                    earlier.is_some_and(|earlier| {
                        let fact = &self.facts[earlier as usize];
                        needed[earlier as usize] = true;
                        (self.rules[fact.rule as usize].pred, fact.tuple) == (pred, tuple)
                    })
                })
        })
    }

    /// Does an instance hold by this step, given the values of variables and what other instances do?
    fn holds(
        &self,
        pred: PredId,
        tuple: Bits,
        step: &Step,
        values: Bits,
        known: &mut impl FnMut(PredId, Bits) -> bool,
    ) -> bool {
        let nils = self.system.nils();
        let case = &self.system.predicates[pred].cases[step.case];
        if case.sorts.len() >= u128::BITS as usize || step.scope.len() != case.sorts.len() {
            return false;
        }
        // The values of its variables: nils, parameters, others.
        let others = step.scope[case.free..].iter().enumerate();
        let others = others.fold(0, |all, (i, bit)| all | u128::from(values >> bit & 1) << i);
        let all = u128::from(tuple) << nils | others << case.free;
        let value = |v: Var| (all >> v) as Bits & 1;
        case.cells.is_empty()
            && case.linear.is_empty()
            && case.equal.iter().all(|(a, b)| value(*a) == value(*b))
            && case.different.iter().all(|(a, b)| value(*a) != value(*b))
            && case.calls.len() == step.calls.len()
            && case.calls.iter().zip(&step.calls).all(|(call, step)| {
                if call.args.len() > Bits::BITS as usize {
                    return false;
                }
                let args = call.args.iter().enumerate();
                let tuple = args.fold(0, |tuple, (place, arg)| tuple | value(*arg) << place);
                match step {
                    None => known(call.pred, tuple),
                    Some(step) => self.holds(call.pred, tuple, step, values, known),
                }
            })
    }
}

/// The predicates that are not recursive, each after those that it mentions.
fn callees_first(system: &System) -> Vec<PredId> {
    let (count, reaches) = (system.predicates.len(), system.reaches());
    let mut order: Vec<PredId> = (0..count).filter(|pred| !reaches[*pred][*pred]).collect();
    // What a predicate reaches reaches less.
    order.sort_by_key(|pred| reaches[*pred].iter().filter(|reached| **reached).count());
    order
}
