//! How often quantified formulas were instantiated, and which of them seem to go round in circles.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use report::Diagnostic;
use smt::Instances;

use crate::origin::{Origins, is_of_permissions, kind};
use crate::verdict::Quantified;

/// Instances by the names of formulas.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts(BTreeMap<String, Instances>);

/// What a formula that is part of a matching loop has at least: instances, and instances that came
/// one from the other. Proofs that are no loops have shorter chains; those of loops end where
/// `smt.qi.eager_threshold` ends them.
const LOOP: Instances = Instances { count: 500, generation: 60 };

/// When the solver gave up, what a formula has at least on which it spent its time, and which share of
/// all instances.
const DOMINANT: Instances = Instances { count: 5_000, generation: 10 };
const DOMINANT_SHARE: f64 = 0.4;

/// So many formulas are named for a member; the others go in circles because of them.
const SUSPECTS: usize = 3;

impl Counts {
    pub fn new(counted: Vec<(String, Instances)>) -> Counts {
        Counts(counted.into_iter().collect())
    }

    /// Counts these, too.
    pub fn add(&mut self, other: &Counts) {
        for (name, instances) in &other.0 {
            self.0.entry(name.clone()).or_default().add(*instances);
        }
    }

    /// Those with most instances first.
    fn sorted(&self) -> Vec<(&str, Instances)> {
        let mut sorted: Vec<_> = self.0.iter().map(|(name, i)| (name.as_str(), *i)).collect();
        sorted.sort_by_key(|(_, instances)| Reverse(instances.count));
        sorted
    }

    /// With their origins, those with most instances first.
    pub fn quantified(&self, origins: &Origins) -> Vec<Quantified> {
        let quantified = |(name, instances): (&str, Instances)| Quantified {
            name: name.to_string(),
            kind: kind(name).to_string(),
            pos: origins.place(name),
            instances: instances.count,
            generation: instances.generation,
        };
        self.sorted().into_iter().map(quantified).collect()
    }

    /// Warnings about formulas that are probably instantiated because of themselves.
    pub fn matching_loops(&self, gave_up: bool, origins: &Origins) -> Vec<Diagnostic> {
        let total: u64 = self.0.values().map(|instances| instances.count).sum();
        let at_least = |i: &Instances, least: Instances| {
            i.count >= least.count && i.generation >= least.generation
        };
        let suspect = |i: &Instances| {
            let share = i.count as f64 / total as f64;
            at_least(i, LOOP) || gave_up && share >= DOMINANT_SHARE && at_least(i, DOMINANT)
        };
        let suspects = self.sorted().into_iter().filter(|(_, i)| suspect(i)).take(SUSPECTS);
        suspects.map(|(name, instances)| matching_loop(name, instances, origins)).collect()
    }
}

fn matching_loop(name: &str, instances: Instances, origins: &Origins) -> Diagnostic {
    let Instances { count, generation } = instances;
    let what = match kind(name) {
        "user" | "axiom" => "This quantifier".to_string(),
        "aux" => "What follows from the body of this quantifier".to_string(),
        "function" => "What is known of this function".to_string(),
        "forperm" => "This `forperm`".to_string(),
        kind if name.contains('@') && is_of_permissions(kind) => {
            format!("What is known of this quantified permission ({kind})")
        }
        _ => format!("The built-in rule `{name}`"),
    };
    Diagnostic::warning(
        "verifier.warning:matching.loop",
        origins.place(name),
        format!(
            "{what} was instantiated {count} times, up to {generation} times one because of the \
             other. It may be part of a matching loop."
        ),
    )
    .with_help(
        "an instance should not bring about terms that its own triggers match; give other triggers, \
         or say less in the body",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(counted: &[(&str, u64, u64)]) -> Counts {
        let instances = |count, generation| Instances { count, generation };
        Counts(counted.iter().map(|(n, c, g)| ((*n).to_string(), instances(*c, *g))).collect())
    }

    #[test]
    fn the_busiest_come_first() {
        let mut all = counts(&[("set.union.in", 7, 1), ("user@1:2", 5, 3)]);
        all.add(&counts(&[("user@1:2", 4, 2)]));
        let quantified = all.quantified(&Origins::default());
        let shown: Vec<_> =
            quantified.iter().map(|q| (q.kind.as_str(), q.instances, q.generation)).collect();
        assert_eq!(shown, [("user", 9, 3), ("set.union.in", 7, 1)]);
    }

    #[test]
    fn long_chains_and_dominant_formulas_are_suspect() {
        let suspects =
            |counts: &Counts, gave_up| counts.matching_loops(gave_up, &Origins::default()).len();
        // Many instances alone are no loop, nor is one long chain.
        let busy = counts(&[("user@1:2", 100_000, 4), ("user@2:2", 90, 90)]);
        assert_eq!((suspects(&busy, false), suspects(&busy, true)), (0, 0));
        let chain = counts(&[("user@1:2", 2000, 98)]);
        assert_eq!(suspects(&chain, false), 1);
        let dominant = counts(&[("user@1:2", 50_000, 15), ("set.union.in", 20_000, 15)]);
        assert_eq!((suspects(&dominant, false), suspects(&dominant, true)), (0, 1));
    }
}
