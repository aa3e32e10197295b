//! Postconditions: does what the analysis says of the end of a procedure entail them?

use std::time::{Duration, Instant};

use heap::run::FaultKind;
use heap::{ProcId, Program};
use shape::{Outcome, State, Term};
use sl::Budget;
use sl::core::{Scope, SymHeap};

use crate::contract::{Described, RESULT};
use crate::logic::{Checked, Encoder, Logic, Root, entails};

/// How long the postcondition of one state may take.
const TIME: Duration = Duration::from_secs(5);

/// The first state in which the entry may end without its postcondition, and why it may.
#[must_use]
pub fn violated(
    program: &Program,
    entry: ProcId,
    anchors: &[heap::VarId],
    outcome: &Outcome,
    ensures: &Described,
) -> Option<(State, String)> {
    let first = || outcome.exits.first().cloned().unwrap_or_default();
    if let Some(why) = &ensures.weaker {
        return Some((first(), format!("the postcondition is not checked: {why}")));
    }
    // What is lost is not in the states any more.
    let lost = outcome.faults.iter().any(|fault| fault.kind == FaultKind::Leak);
    if lost && !ensures.open {
        return Some((first(), "memory may be lost that is part of the postcondition".into()));
    }
    let mut states: Vec<&State> = outcome.exits.iter().collect();
    states.extend(&ensures.states);
    let logic = match Logic::new(&[outcome.preds.all(), &ensures.preds], &states) {
        Ok(logic) => logic,
        Err(why) => return Some((first(), format!("the postcondition is not checked: {why}"))),
    };
    let mut scope = logic.scope();
    let mut right = Vec::new();
    for state in &ensures.states {
        let roots = roots(&logic, &mut scope, ensures, |i, _| Some(state.vars.get(i)));
        let mut heap = Encoder::new(&logic, 1).state(state, &roots, &|_, _| false);
        heap.set_open(ensures.open);
        right.push(heap);
    }
    for state in &outcome.exits {
        let kept = shape::kept_params(program, entry, anchors);
        let value = |i: usize, name: &str| {
            if name == RESULT {
                return Some(state.vars.get(0));
            }
            if i < program.proc(entry).params as usize {
                let place = kept.iter().position(|var| var.index() == i)?;
                return state.anchors.get(place).copied();
            }
            let number = program.globals.iter().position(|g| g.name == name)?;
            let obj = state.heap.objs.get(&shape::global(number as u32))?;
            Some(obj.cells.get(&0)?.value)
        };
        let roots = roots(&logic, &mut scope, ensures, value);
        let global = |_, obj: &shape::Obj| obj.kind == shape::Kind::Global;
        let left = Encoder::new(&logic, 0).state(state, &roots, &global);
        match ask(&scope, left, &right) {
            Checked::Proved => {}
            Checked::Refuted => {
                return Some((state.clone(), "the postcondition may not hold".into()));
            }
            Checked::Open(why) => {
                return Some((state.clone(), format!("the postcondition is not proved ({why})")));
            }
        }
    }
    None
}

fn ask(scope: &Scope, left: SymHeap, right: &[SymHeap]) -> Checked {
    let mut budget = Budget::default();
    budget.clock.deadline = Some(Instant::now() + TIME);
    entails(scope, vec![left], right.to_vec(), &mut budget)
}

fn roots(
    logic: &Logic,
    scope: &mut Scope,
    ensures: &Described,
    value: impl Fn(usize, &str) -> Option<Term>,
) -> Vec<Root> {
    let mut all = Vec::new();
    for (i, (name, ty)) in ensures.names.iter().enumerate() {
        if let (Some(var), Some(value)) = (logic.variable(scope, name, *ty), value(i, name)) {
            all.push(Root { var, is_loc: ty.is_pointer(), value });
        }
    }
    all
}
