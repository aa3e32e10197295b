//! How often quantified formulas were instantiated, and which of them seem to go round in circles.

use std::cmp::Reverse;
use std::collections::HashMap;

use report::{Diagnostic, Pos};
use smt::Instances;

use crate::encoding::{FormulaKind, Instantiated, Origin};
use crate::verdict::Quantified;

/// Instances by the origins of formulas.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts(HashMap<Origin, Instances>);

/// What a formula that is part of a matching loop has at least: instances, and instances that came
/// one from the other. In all of a suite of 500 programs, what users wrote has chains of less than 50,
/// or is a loop and has chains as long as `smt.qi.eager_threshold` lets them be: 100.
const LOOP: Instances = Instances { count: 100, generation: 60 };

/// When the solver gave up, what a formula has at least on which it spent its time, and which share of
/// all instances.
const DOMINANT: Instances = Instances { count: 5_000, generation: 10 };
const DOMINANT_SHARE: f64 = 0.4;

/// So many formulas are named for a member; the others go in circles because of them.
const SUSPECTS: usize = 3;

impl Counts {
    /// What a solver counted. Names that have no origin are those of built-in rules.
    pub fn new(
        counted: Vec<(String, Instances)>,
        origin: impl Fn(&str) -> Option<Origin>,
    ) -> Counts {
        let mut counts = Counts::default();
        // Some have none: instances that said nothing new.
        for (name, instances) in counted.into_iter().filter(|(_, i)| i.count > 0) {
            let origin =
                origin(&name).unwrap_or(Origin { kind: Instantiated::Rule(name), pos: Pos::None });
            counts.0.entry(origin).or_default().add(instances);
        }
        counts
    }

    /// Counts these, too.
    pub fn add(&mut self, other: &Counts) {
        for (origin, instances) in &other.0 {
            self.0.entry(origin.clone()).or_default().add(*instances);
        }
    }

    /// Those with most instances first.
    fn sorted(&self) -> Vec<(&Origin, Instances)> {
        let mut sorted: Vec<_> = self.0.iter().map(|(origin, i)| (origin, *i)).collect();
        sorted.sort_by_key(|(origin, instances)| {
            let place = origin.pos.span().map(|span| (span.file, span.start, span.end));
            (Reverse(instances.count), place, origin.kind.as_str())
        });
        sorted
    }

    /// Those with most instances first.
    pub fn quantified(&self) -> Vec<Quantified> {
        let quantified = |(origin, instances): (&Origin, Instances)| Quantified {
            kind: origin.kind.as_str().to_string(),
            pos: origin.pos,
            instances: instances.count,
            generation: instances.generation,
        };
        self.sorted().into_iter().map(quantified).collect()
    }

    /// Warnings about formulas that are probably instantiated because of themselves. Nobody can do
    /// anything about rules that are built in.
    pub fn matching_loops(&self, gave_up: bool) -> Vec<Diagnostic> {
        let total: u64 = self.0.values().map(|instances| instances.count).sum();
        let at_least = |i: &Instances, least: Instances| {
            i.count >= least.count && i.generation >= least.generation
        };
        let suspect = |i: &Instances| {
            let dominant = i.count as f64 >= total as f64 * DOMINANT_SHARE;
            at_least(i, LOOP) || gave_up && dominant && at_least(i, DOMINANT)
        };
        let suspects = self.sorted().into_iter();
        let suspects = suspects.filter(|(origin, i)| origin.pos != Pos::None && suspect(i));
        suspects.take(SUSPECTS).map(|(origin, i)| matching_loop(origin, i)).collect()
    }
}

fn matching_loop(origin: &Origin, instances: Instances) -> Diagnostic {
    let Instances { count, generation } = instances;
    let what = match &origin.kind {
        Instantiated::Formula(kind) => match kind {
            FormulaKind::User | FormulaKind::Axiom => "This quantifier".to_string(),
            FormulaKind::Auxiliary => "What follows from the body of this quantifier".to_string(),
            FormulaKind::Function => "What is known of this function".to_string(),
            FormulaKind::ForPerm => "This `forperm`".to_string(),
            kind if kind.is_of_permissions() => {
                format!("What is known of these permissions ({})", kind.as_str())
            }
            kind => format!("What is known here ({})", kind.as_str()),
        },
        Instantiated::Rule(name) => format!("The rule {name}"),
    };
    Diagnostic::warning(
        "verifier.warning:matching.loop",
        origin.pos,
        format!(
            "{what} was instantiated {count} times, up to {generation} times one because of the \
             other. It may be part of a matching loop."
        ),
    )
    .with_help(
        "an instance should not bring about terms that its own triggers match: choose other \
         triggers, or say less in the body",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(counted: &[(&str, u64, u64)]) -> Counts {
        let instances = |(name, count, generation): &(&str, u64, u64)| {
            ((*name).to_string(), Instances { count: *count, generation: *generation })
        };
        let origin = |name: &str| {
            let number = name.strip_prefix("user#")?.parse().ok()?;
            let kind = Instantiated::Formula(FormulaKind::User);
            Some(Origin { kind, pos: Pos::Foreign(number) })
        };
        Counts::new(counted.iter().map(instances).collect(), origin)
    }

    #[test]
    fn the_busiest_come_first() {
        let mut all = counts(&[("set.union.in", 7, 1), ("user#1", 5, 3), ("user#2", 0, 3)]);
        all.add(&counts(&[("user#1", 4, 2)]));
        let quantified = all.quantified();
        let shown: Vec<_> =
            quantified.iter().map(|q| (q.kind.as_str(), q.instances, q.generation)).collect();
        assert_eq!(shown, [("user", 9, 3), ("set.union.in", 7, 1)]);
    }

    #[test]
    fn long_chains_and_dominant_formulas_are_suspect() {
        let suspects = |counts: &Counts, gave_up| counts.matching_loops(gave_up).len();
        // Many instances alone are no loop, nor is one long chain.
        let busy = counts(&[("user#1", 100_000, 4), ("user#2", 90, 90)]);
        assert_eq!((suspects(&busy, false), suspects(&busy, true)), (0, 0));
        let chain = counts(&[("user#1", 2000, 98), ("set.union.in", 2000, 98)]);
        assert_eq!(suspects(&chain, false), 1);
        let dominant = counts(&[("user#1", 50_000, 15), ("user#2", 20_000, 15)]);
        assert_eq!((suspects(&dominant, false), suspects(&dominant, true)), (0, 1));
    }
}
