//! Memory that is lost: objects on the heap that no variable leads to.

use super::memory::{Life, Memory, Owner};
use super::value::Value;

/// The objects on the heap that neither global objects nor these values and objects lead to.
pub(super) fn lost(
    memory: &Memory,
    globals: usize,
    values: Vec<Value>,
    roots: impl Iterator<Item = u32>,
) -> Vec<u32> {
    let objects = memory.objects();
    let is_live_heap =
        |i: usize| objects.get(i).is_some_and(|o| o.owner == Owner::Heap && o.life == Life::Live);
    if !(globals..objects.len()).any(is_live_heap) {
        return Vec::new();
    }
    let mut seen = vec![false; objects.len()];
    let mut pending: Vec<usize> = (0..globals).chain(roots.map(|r| r as usize)).collect();
    let leads_to = |value: Value| match value {
        Value::Ptr(p) => Some(p.object as usize),
        // A pointer that was put together from its bits.
        Value::Int(n) => memory.at_address(n).map(|p| p.object as usize),
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
    (globals..objects.len()).filter(|i| is_live_heap(*i) && !seen[*i]).map(|i| i as u32).collect()
}
