//! How often quantified formulas were instantiated.
//!
//! Z3 says so of each formula when the scope that it is in ends, on its standard error:
//! `[quantifier_instances] NAME : COUNT : … : GENERATION : COST`. Of one that is busy it says so now
//! and then, too, so that something is known of a solver that has to be killed.

use std::collections::BTreeMap;

/// How often one formula was instantiated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Instances {
    /// So often.
    pub count: u64,
    /// The longest chain of instances of which each was made of terms of the one before, whatever the
    /// formulas.
    pub generation: u64,
}

impl Instances {
    /// Counts these, too.
    pub fn add(&mut self, other: Instances) {
        self.count += other.count;
        self.generation = self.generation.max(other.generation);
    }
}

/// After so many instances of a formula, and again after so many more, there is a report of it. A
/// prime, since counts that somebody wrote down in a program are not.
pub(crate) const BUSY: u64 = 9973;

const PREFIX: &str = "[quantifier_instances]";

/// What a solver said about instances, by the names of formulas.
#[derive(Default)]
pub(crate) struct Profile {
    /// Of scopes that have ended.
    done: BTreeMap<String, Instances>,
    /// The last word on formulas that were busy.
    busy: BTreeMap<String, Instances>,
}

impl Profile {
    /// Reads a line that the solver printed. Is it about instances, or a warning, and no part of a
    /// reply?
    pub fn read(&mut self, line: &str) -> bool {
        let Some(text) = line.strip_prefix(PREFIX) else { return line.starts_with("WARNING:") };
        let parts: Vec<&str> = text.split(" : ").map(str::trim).collect();
        let [name, count, .., generation, _] = parts.as_slice() else { return true };
        let (Ok(count), Ok(generation)) = (count.parse(), generation.parse()) else { return true };
        let instances = Instances { count, generation };
        if count % BUSY == 0 {
            self.busy.insert((*name).to_string(), instances);
            return true;
        }
        // Many formulas may have one name; only one of them can be the busy one.
        if self.busy.get(*name).is_some_and(|busy| busy.count <= count) {
            self.busy.remove(*name);
        }
        self.done.entry((*name).to_string()).or_default().add(instances);
        true
    }

    /// What is known, by name. It is forgotten.
    pub fn take(&mut self) -> Vec<(String, Instances)> {
        for (name, instances) in std::mem::take(&mut self.busy) {
            self.done.entry(name).or_default().add(instances);
        }
        std::mem::take(&mut self.done).into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_added_up() {
        let mut profile = Profile::default();
        assert!(profile.read("[quantifier_instances]  user@3:5 :     20 :   0 :   0 :   7 : 21\n"));
        // As Z3 4.8 prints it.
        assert!(profile.read("[quantifier_instances]  user@3:5 :     3 :   9 : 21\n"));
        assert!(profile.read("WARNING: unknown attribute\n"));
        assert!(!profile.read("unsat\n"));
        let user = ("user@3:5".to_string(), Instances { count: 23, generation: 9 });
        assert_eq!(profile.take(), [user]);
        assert_eq!(profile.take(), []);
    }

    #[test]
    fn the_last_word_on_a_busy_one_counts() {
        let line = |count: u64| format!("[quantifier_instances] q : {count} : 0 : 0 : 2 : 1\n");
        let total = |counts: &[u64]| {
            let mut profile = Profile::default();
            counts.iter().for_each(|count| assert!(profile.read(&line(*count))));
            profile.take().iter().map(|(_, i)| i.count).sum::<u64>()
        };
        assert_eq!(total(&[BUSY, 2 * BUSY, 2 * BUSY + 5]), 2 * BUSY + 5);
        assert_eq!(total(&[BUSY, 2 * BUSY]), 2 * BUSY);
        assert_eq!(total(&[7, BUSY]), BUSY + 7);
    }
}
