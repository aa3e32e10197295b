//! Goals that share a heap.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::extend::extensions;
use super::pure::Outcome;
use super::state::{Binding, Constraint, Goal, Heap, Scope, Slot, State};
use super::step::{Step, step};
use super::{Evaluator, Truth};
use crate::formula::{Formula, Kind};
use crate::model::{Loc, Model, Object, Value};
use crate::sort::{Sort, Var};
use crate::term::Term;

/// Definitions may be unfolded this often without taking a location.
const MAX_IDLE: usize = 200;
/// Formulas that may hold of any part of the heap are tried on all parts of at most this many
/// locations.
const MAX_SPLIT: usize = 14;
/// Integers are looked for this far from those that occur.
const NEAR: i64 = 2;

pub(super) struct Search<'a> {
    evaluator: Evaluator<'a>,
    model: &'a Model,
    stack: Rc<Scope>,
    slots: Vec<Binding>,
    /// Fresh locations have greater numbers.
    last: u32,
    steps: u64,
}

/// What happened to a branch after everything that is certain was done.
enum Progress {
    Dead,
    Alive,
}

impl<'a> Search<'a> {
    pub(super) fn new(evaluator: Evaluator<'a>, model: &'a Model) -> Search<'a> {
        let mut slots = Vec::with_capacity(model.stack.len());
        let mut names = Vec::with_capacity(model.stack.len());
        for (slot, (name, value)) in model.stack.iter().enumerate() {
            slots.push(Binding::Value(value.clone()));
            names.push((name.clone(), slot));
        }
        let last = model.locations().last().map_or(0, |loc| loc.0);
        Search { evaluator, model, stack: Scope::new(names, None), slots, last, steps: 0 }
    }

    pub(super) fn holds(&mut self, formula: &Formula) -> Truth {
        let goal = Goal { formula: formula.clone(), scope: self.stack.clone() };
        let state = State {
            slots: self.slots.clone(),
            goals: vec![goal],
            constraints: Vec::new(),
            rest: self.model.heap.clone(),
            open: false,
            idle: 0,
            fresh: 0,
        };
        self.run(state)
    }

    /// Can all goals be reached?
    fn run(&mut self, mut state: State) -> Truth {
        loop {
            // A step is more work the more there is to look at.
            self.steps += 1 + (state.goals.len() + state.slots.len()) as u64 / 4;
            if self.steps > self.evaluator.max_steps {
                return Truth::Unknown;
            }
            if let Progress::Dead = self.advance(&mut state) {
                return Truth::False;
            }
            let Some(index) = choose(&state) else { return self.finish(state) };
            let goal = state.goals.remove(index);
            let mut unknown = false;
            let mut branches = self.branches(state, &goal, &mut unknown);
            let mut alive = Vec::with_capacity(branches.len());
            for mut branch in branches.drain(..) {
                if let Progress::Alive = self.advance(&mut branch) {
                    alive.push(branch);
                }
            }
            let last = alive.pop();
            let mut result = if unknown { Truth::Unknown } else { Truth::False };
            for branch in alive {
                result = result.or(self.run(branch));
                if result == Truth::True {
                    return result;
                }
            }
            match last {
                Some(branch) if result == Truth::False => state = branch,
                Some(branch) => return result.or(self.run(branch)),
                None => return result,
            }
        }
    }

    /// Everything that is certain: goals that are not choices, and constraints.
    fn advance(&mut self, state: &mut State) -> Progress {
        loop {
            let mut changed = false;
            let mut index = 0;
            while let Some(goal) = state.goals.get(index) {
                match step(state, &goal.clone(), self.evaluator.semantics) {
                    Step::Dead => return Progress::Dead,
                    Step::Kept => index += 1,
                    Step::Done(more) => {
                        state.goals.remove(index);
                        state.goals.extend(more);
                        changed = true;
                    }
                }
            }
            let mut kept = Vec::new();
            let mut pending = std::mem::take(&mut state.constraints);
            while let Some(constraint) = pending.pop() {
                match state.settle(&constraint) {
                    Outcome::Holds => {}
                    Outcome::Fails => return Progress::Dead,
                    Outcome::Learnt => changed = true,
                    Outcome::Later => kept.push(constraint),
                }
                pending.append(&mut state.constraints);
            }
            kept.reverse();
            state.constraints = kept;
            if !changed {
                return Progress::Alive;
            }
        }
    }

    /// The ways in which a goal that is a choice can go on.
    fn branches(&mut self, state: State, goal: &Goal, unknown: &mut bool) -> Vec<State> {
        match goal.formula.kind() {
            Kind::PointsTo(loc, content) => take_any(&state, loc, content, &goal.scope),
            Kind::Or(parts) => parts
                .iter()
                .map(|part| {
                    let mut branch = state.clone();
                    branch.goals.push(Goal { formula: part.clone(), scope: goal.scope.clone() });
                    branch
                })
                .collect(),
            Kind::Pred(name, args) => {
                let Some(definition) = self.evaluator.signature.predicates.get(name) else {
                    *unknown = true;
                    return Vec::new();
                };
                if state.idle >= MAX_IDLE {
                    *unknown = true;
                    return Vec::new();
                }
                let mut branch = state;
                branch.idle += 1;
                let names = definition
                    .params
                    .iter()
                    .zip(args)
                    .map(|(p, arg)| (p.name.clone(), argument(&mut branch, arg, &goal.scope, p)))
                    .collect();
                let scope = Scope::new(names, Some(self.stack.clone()));
                branch.goals.push(Goal { formula: definition.body.clone(), scope });
                vec![branch]
            }
            _ => self.any_part(state, goal, unknown),
        }
    }

    /// A formula that must be tried on all parts of the heap; on all of it if nobody else is left.
    fn any_part(&mut self, state: State, goal: &Goal, unknown: &mut bool) -> Vec<State> {
        let mut slots = BTreeSet::new();
        state.unknowns(&goal.formula, &goal.scope, &mut slots);
        if !slots.is_empty()
            && let Some(learnt) = learn_from_cells(&state, goal)
        {
            return learnt.into_iter().collect();
        }
        if let Some(slot) = slots.first() {
            let (candidates, complete) = self.candidates(&state, *slot);
            *unknown |= !complete;
            return candidates
                .into_iter()
                .map(|value| {
                    let mut branch = with_value(&state, *slot, value, self.last);
                    branch.goals.push(goal.clone());
                    branch
                })
                .collect();
        }
        let parts = if state.goals.is_empty() && !state.open {
            vec![state.rest.clone()]
        } else if state.rest.len() <= MAX_SPLIT {
            subsets(&state.rest)
        } else {
            *unknown = true;
            return Vec::new();
        };
        let mut branches = Vec::new();
        for part in parts {
            match self.exactly(&state, goal, &part) {
                Truth::True => {
                    let mut branch = state.clone();
                    branch.rest.retain(|loc, _| !part.contains_key(loc));
                    branch.idle = if part.is_empty() { branch.idle } else { 0 };
                    branches.push(branch);
                }
                Truth::False => {}
                Truth::Unknown => *unknown = true,
            }
        }
        branches
    }

    /// Does a formula without unknown variables hold of exactly this heap?
    fn exactly(&mut self, state: &State, goal: &Goal, heap: &Heap) -> Truth {
        let scope = &goal.scope;
        match goal.formula.kind() {
            Kind::Not(part) => self.ask(part, scope, state, heap).negate(),
            Kind::And(parts) => parts
                .iter()
                .fold(Truth::True, |all, part| all.and(self.ask(part, scope, state, heap))),
            Kind::Wand(given, wanted) => self.wand(given, wanted, scope, state, heap),
            Kind::Forall(vars, body) => {
                let negated = Formula::negation(body.clone());
                let exists = Formula::exists(vars.clone(), negated);
                self.ask(&exists, scope, state, heap).negate()
            }
            _ => Truth::Unknown,
        }
    }

    /// A formula as a question of its own.
    fn ask(&mut self, formula: &Formula, scope: &Rc<Scope>, state: &State, heap: &Heap) -> Truth {
        let goal = Goal { formula: formula.clone(), scope: scope.clone() };
        self.run(State {
            slots: state.slots.clone(),
            goals: vec![goal],
            constraints: Vec::new(),
            rest: heap.clone(),
            open: false,
            idle: state.idle,
            fresh: state.fresh,
        })
    }

    /// Does `given -* wanted` hold?
    fn wand(
        &mut self,
        given: &Formula,
        wanted: &Formula,
        scope: &Rc<Scope>,
        state: &State,
        heap: &Heap,
    ) -> Truth {
        let Evaluator { signature, semantics, .. } = self.evaluator;
        let only = only_heap(state, given, scope, self.evaluator);
        let is_as_given = only.is_some();
        let last = self.last + state.fresh;
        let found = match only {
            Some(added) => Some((Vec::from_iter(added), last)),
            None => extensions(state, heap, [given, wanted], scope, (signature, semantics), last),
        };
        let Some((extensions, last_used)) = found else { return Truth::Unknown };
        let mut state = state.clone();
        state.fresh += last_used - last;
        let mut all = Truth::True;
        for added in extensions {
            if added.keys().any(|loc| heap.contains_key(loc)) {
                continue;
            }
            let mut holds = match is_as_given {
                true => Truth::False,
                false => self.ask(given, scope, &state, &added).negate(),
            };
            if holds != Truth::True {
                let mut larger = heap.clone();
                larger.extend(added);
                holds = holds.or(self.ask(wanted, scope, &state, &larger));
            }
            all = all.and(holds);
            if all == Truth::False {
                break;
            }
        }
        all
    }

    /// All goals are reached; is there a value for every variable, and is the heap used up?
    fn finish(&mut self, state: State) -> Truth {
        if !state.open && !state.rest.is_empty() {
            return Truth::False;
        }
        let mut slots = BTreeSet::new();
        for constraint in &state.constraints {
            match constraint {
                Constraint::Pure(goal) => {
                    state.unknowns(&goal.formula, &goal.scope, &mut slots);
                }
                Constraint::Equals(slot, term, scope) => {
                    state.unknown(Some(*slot), &mut slots);
                    term.for_each_var(&mut |v| state.unknown(scope.find(&v.name), &mut slots));
                }
            }
        }
        let Some(slot) = slots.first() else {
            return if state.constraints.is_empty() { Truth::True } else { Truth::Unknown };
        };
        let (candidates, complete) = self.candidates(&state, *slot);
        let mut result = if complete { Truth::False } else { Truth::Unknown };
        for value in candidates {
            self.steps += 1;
            if self.steps > self.evaluator.max_steps {
                return Truth::Unknown;
            }
            let mut branch = with_value(&state, *slot, value, self.last);
            if let Progress::Alive = self.advance(&mut branch) {
                result = result.or(self.finish(branch));
            }
            if result == Truth::True {
                break;
            }
        }
        result
    }

    /// Values for a variable, and whether one of them does if any does.
    fn candidates(&self, state: &State, slot: Slot) -> (Vec<Value>, bool) {
        match state.sort(slot) {
            Some(Sort::Loc(_)) => {
                // A fresh one first: it satisfies all disequalities.
                let mut all = vec![Value::Loc(Loc(self.last + state.fresh + 1))];
                all.push(Value::Loc(Loc::NIL));
                all.extend(self.model.locations().into_iter().map(Value::Loc));
                all.extend((1..=state.fresh).map(|n| Value::Loc(Loc(self.last + n))));
                (all, true)
            }
            Some(Sort::Bool) => (vec![Value::Bool(false), Value::Bool(true)], true),
            Some(Sort::Int) => (self.integers(state), false),
            Some(Sort::Record(_)) | None => (Vec::new(), false),
        }
    }

    /// Numbers that occur, and those near them.
    fn integers(&self, state: &State) -> Vec<Value> {
        let mut all = BTreeSet::from([num_bigint::BigInt::from(0)]);
        for binding in &state.slots {
            if let Binding::Value(Value::Int(value)) = binding {
                all.insert(value.clone());
            }
        }
        for constraint in &state.constraints {
            if let Constraint::Pure(goal) = constraint {
                for term in goal.formula.terms() {
                    add_numbers(term, &mut all);
                }
            }
        }
        let near: BTreeSet<_> =
            all.iter().flat_map(|n| (-NEAR..=NEAR).map(move |d| n + d)).collect();
        near.into_iter().map(Value::Int).collect()
    }
}

fn add_numbers(term: &Term, all: &mut BTreeSet<num_bigint::BigInt>) {
    if let crate::term::TermKind::Int(value) = term.kind() {
        all.insert(value.clone());
    }
    term.parts().iter().for_each(|part| add_numbers(part, all));
}

/// The goal to choose next: addresses that are not known, disjunctions, definitions with much known
/// of their arguments, and only then what must be tried on all parts of the heap.
fn choose(state: &State) -> Option<usize> {
    let rank = |goal: &Goal| match goal.formula.kind() {
        Kind::Or(_) => (0, 0),
        Kind::PointsTo(..) => (1, 0),
        Kind::Pred(_, args) => {
            let unknown = args.iter().filter(|a| state.term(a, &goal.scope).is_none()).count();
            (2, unknown)
        }
        _ => (3, 0),
    };
    state.goals.iter().enumerate().min_by_key(|(_, goal)| rank(goal)).map(|(index, _)| index)
}

/// Wherever the goal holds there are the cells that each of its conjuncts has: what they hold
/// determines variables. `Some(None)` if one of them is not there; `None` if nothing is learnt.
fn learn_from_cells(state: &State, goal: &Goal) -> Option<Option<State>> {
    let mut cells = Vec::new();
    add_cells(&goal.formula, &mut cells);
    for (loc, content) in cells {
        let Some(Value::Loc(address)) = state.term(loc, &goal.scope) else { continue };
        if state.term(content, &goal.scope).is_some() {
            continue;
        }
        let mut branch = state.clone();
        let held = state.rest.get(&address).filter(|object| object.sort == loc.sort());
        if !held.is_some_and(|held| branch.unify(content, &goal.scope, &held.content)) {
            return Some(None);
        }
        // What is a sum of unknown numbers is not learnt.
        if branch.term(content, &goal.scope).is_some() {
            branch.goals.push(goal.clone());
            return Some(Some(branch));
        }
    }
    None
}

/// The points-to atoms that a formula cannot hold without.
fn add_cells<'f>(formula: &'f Formula, cells: &mut Vec<(&'f Term, &'f Term)>) {
    match formula.kind() {
        Kind::PointsTo(loc, content) => cells.push((loc, content)),
        Kind::And(parts) | Kind::Sep(parts) => parts.iter().for_each(|part| add_cells(part, cells)),
        _ => {}
    }
}

/// A location that is not known can be any that is left.
fn take_any(state: &State, loc: &Term, content: &Term, scope: &Rc<Scope>) -> Vec<State> {
    let sort = loc.sort();
    let mut branches = Vec::new();
    for (address, object) in state.rest.iter().filter(|(_, object)| object.sort == sort) {
        let mut branch = state.clone();
        branch.rest.remove(address);
        branch.idle = 0;
        let value = Value::Loc(*address);
        if branch.unify(loc, scope, &value) && branch.unify(content, scope, &object.content) {
            branches.push(branch);
        }
    }
    branches
}

/// The variable of a parameter.
fn argument(state: &mut State, arg: &Term, scope: &Rc<Scope>, param: &Var) -> Slot {
    if let Some(slot) = arg.as_var().and_then(|v| scope.find(&v.name)) {
        return slot;
    }
    match state.term(arg, scope) {
        Some(value) => state.new_slot(Binding::Value(value)),
        None => {
            let slot = state.new_slot(Binding::Free(param.sort.clone()));
            state.constraints.push(Constraint::Equals(slot, arg.clone(), scope.clone()));
            slot
        }
    }
}

fn with_value(state: &State, slot: Slot, value: Value, last: u32) -> State {
    let mut branch = state.clone();
    if let Value::Loc(loc) = &value
        && loc.0 > last
    {
        branch.fresh = branch.fresh.max(loc.0 - last);
    }
    branch.bind(slot, value);
    branch
}

fn subsets(heap: &Heap) -> Vec<Heap> {
    let mut all = vec![Heap::new()];
    for (loc, object) in heap {
        for i in 0..all.len() {
            if let Some(mut larger) = all.get(i).cloned() {
                larger.insert(*loc, object.clone());
                all.push(larger);
            }
        }
    }
    all
}

/// The only heap for which a formula holds: `Some(None)` if there is none. `None` if there may be
/// several.
fn only_heap(
    state: &State,
    formula: &Formula,
    scope: &Rc<Scope>,
    evaluator: Evaluator<'_>,
) -> Option<Option<Heap>> {
    let all = crate::symbolic::SymbolicHeap::disjuncts(formula, evaluator.semantics)?;
    let [heap] = all.as_slice() else { return if all.is_empty() { Some(None) } else { None } };
    if heap.open || !heap.vars.is_empty() {
        return None;
    }
    for atom in &heap.pure {
        if !state.pure(atom, scope)? {
            return Some(None);
        }
    }
    let mut result = Heap::new();
    for atom in &heap.spatial {
        let Kind::PointsTo(loc, content) = atom.kind() else { return None };
        let (Value::Loc(address), content) = (state.term(loc, scope)?, state.term(content, scope)?)
        else {
            return None;
        };
        let object = Object { sort: loc.sort(), content };
        if address == Loc::NIL || result.insert(address, object).is_some() {
            return Some(None);
        }
    }
    Some(Some(result))
}
