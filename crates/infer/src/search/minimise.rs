//! Smaller inputs for the same violation: fewer of them first, then a shorter run, then smaller numbers.

use heap::Program;
use heap::run::{Config, FaultKind, Property};

use super::{Witness, replayed, violations};

/// So many runs are tried.
const RUNS: u64 = 600;

/// A witness of the same property, with nothing in it that could simply be left out.
pub(super) fn minimise(
    witness: Witness,
    property: Property,
    program: &Program,
    config: &Config,
    runs: &mut u64,
    stop: &dyn Fn() -> bool,
) -> Witness {
    let mut best = witness;
    let mut attempt = |best: &mut Witness, inputs: Vec<i128>| {
        if *runs >= RUNS || stop() {
            return false;
        }
        *runs += 1;
        let run = replayed(program, config, &inputs);
        let same = |v: &(Property, u64, FaultKind)| v.0 == property && v.2 == best.kind;
        let found = violations(&run, config.max_steps).into_iter().find(same);
        let Some((_, max_steps, kind)) = found else { return false };
        let inputs = run.inputs.drawn().iter().map(|d| d.value).collect();
        let other = Witness { inputs, max_steps, kind, steps: run.steps };
        let better = size(&other) < size(best);
        if better {
            *best = other;
        }
        better
    };
    // Behind what is given there are zeros.
    attempt(&mut best, Vec::new());
    loop {
        let mut better = false;
        let mut length = best.inputs.len();
        while length > 0 {
            let mut at = 0;
            while at < best.inputs.len() {
                let end = (at + length).min(best.inputs.len());
                let mut without = best.inputs.clone();
                without.drain(at..end);
                if attempt(&mut best, without) {
                    better = true;
                } else {
                    at += length;
                }
            }
            length /= 2;
        }
        for at in 0..best.inputs.len() {
            let Some(value) = best.inputs.get(at).copied() else { break };
            for simpler in [0, 1, -1, value / 2, value - value.signum()] {
                if simpler.unsigned_abs() < value.unsigned_abs() || (simpler == 1 && value == -1) {
                    let mut inputs = best.inputs.clone();
                    if let Some(place) = inputs.get_mut(at) {
                        *place = simpler;
                    }
                    if attempt(&mut best, inputs) {
                        better = true;
                        break;
                    }
                }
            }
        }
        if !better {
            return best;
        }
    }
}

/// How much there is to read for somebody who wants to understand it.
fn size(witness: &Witness) -> (usize, u64, u128) {
    let magnitude = |n: &i128| (n.unsigned_abs() << 1) | u128::from(*n < 0);
    let sum = witness.inputs.iter().map(magnitude).fold(0u128, u128::saturating_add);
    (witness.inputs.len(), witness.steps, sum)
}
