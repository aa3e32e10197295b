//! Memory that is lost: objects on the heap that no variable leads to.

use std::cell::Cell;

use super::memory::{Life, Memory, Owner};
use super::value::Value;

/// What is lost, and how that is known.
#[derive(Debug, Default)]
pub(super) struct Lost {
    /// The objects.
    pub(super) objects: Vec<u32>,
    /// Did a number lead to an object?
    pub(super) by_number: bool,
}

/// The objects on the heap that neither global objects nor these values and objects lead to.
pub(super) fn lost(
    memory: &Memory,
    globals: usize,
    values: Vec<Value>,
    roots: impl Iterator<Item = u32>,
) -> Lost {
    let objects = memory.objects();
    let is_live_heap =
        |i: usize| objects.get(i).is_some_and(|o| o.owner == Owner::Heap && o.life == Life::Live);
    if !(globals..objects.len()).any(is_live_heap) {
        return Lost::default();
    }
    let mut seen = vec![false; objects.len()];
    let mut pending: Vec<usize> = (0..globals).chain(roots.map(|r| r as usize)).collect();
    let by_number = Cell::new(false);
    let leads_to = |value: Value| match value {
        Value::Ptr(p) => Some(p.object as usize),
        // A pointer that was put together from its bits.
        Value::Int(n) => {
            let found = memory.at_address(n).map(|p| p.object as usize);
            by_number.set(by_number.get() || found.is_some());
            found
        }
        _ => None,
    };
    pending.extend(values.into_iter().filter_map(leads_to));
    while let Some(number) = pending.pop() {
        if seen.get(number) != Some(&false) {
            continue;
        }
        seen[number] = true;
        if objects[number].life == Life::Live {
            pending.extend(objects[number].values().filter_map(|(_, _, value)| leads_to(value)));
        }
    }
    let unseen = (globals..objects.len()).filter(|i| is_live_heap(*i) && !seen[*i]);
    Lost { objects: unseen.map(|i| i as u32).collect(), by_number: by_number.get() }
}
