//! What is verified, and in which order.
//!
//! A unit is a method, a predicate, or a group of functions that call each other. Groups of functions
//! come first, callees before callers, since everyone else uses their axioms; then all other units in
//! any order.

use std::collections::BTreeMap;

use report::{Pos, Span};
use viper::core::{FunctionId, MethodId, PredicateId, Program};

use crate::callgraph::{CallGraph, call_graph};
use crate::config::Config;
use crate::verdict::MemberKind;

/// Something to verify.
#[derive(Clone, Debug)]
pub(crate) enum Unit {
    Functions(Vec<FunctionId>),
    Predicate(PredicateId),
    Method(MethodId),
}

/// The name that errors and times belong to.
pub(crate) type Key = (MemberKind, u32);

/// Functions that call each other.
pub(crate) struct Group {
    pub functions: Vec<FunctionId>,
    pub recursive: bool,
    /// How many other groups have to be done before.
    pub waits_for: usize,
    pub callers: Vec<usize>,
}

/// What is to be done.
pub(crate) struct Plan {
    /// In source order.
    pub members: Vec<Key>,
    /// The places of members in this order.
    pub numbers: BTreeMap<Key, usize>,
    pub groups: Vec<Group>,
    /// The group of each function.
    pub group_of: Vec<usize>,
    /// To be started when all functions are done, the last first.
    pub later: Vec<Unit>,
    /// Methods that plugins made, with the function that they are about.
    pub proofs: BTreeMap<u32, u32>,
}

impl Plan {
    pub fn new(program: &Program, config: &Config) -> Plan {
        let wanted =
            |name: &str| config.members.is_empty() || config.members.iter().any(|m| m == name);
        let proofs = termination_proofs(program);
        let mut members: Vec<(Option<Span>, Key)> = Vec::new();
        let mut later = Vec::new();
        for (i, f) in program.functions.iter().enumerate() {
            if wanted(f.name.as_str()) {
                members.push((f.pos.span(), (MemberKind::Function, i as u32)));
            }
        }
        for (i, p) in program.predicates.iter().enumerate() {
            if wanted(p.name.as_str()) {
                members.push((p.pos.span(), (MemberKind::Predicate, i as u32)));
                later.push(Unit::Predicate(PredicateId(i as u32)));
            }
        }
        for (i, m) in program.methods.iter().enumerate() {
            match proofs.get(&(i as u32)) {
                Some(function) if wanted(program.functions[*function as usize].name.as_str()) => {
                    later.push(Unit::Method(MethodId(i as u32)));
                }
                Some(_) => {}
                None if wanted(m.name.as_str()) => {
                    members.push((m.pos.span(), (MemberKind::Method, i as u32)));
                    later.push(Unit::Method(MethodId(i as u32)));
                }
                None => {}
            }
        }
        members.sort_by_key(|(span, key)| (span.map(|s| (s.file, s.start)), *key));
        let (groups, group_of) = groups(program);
        // Taken from the end.
        later.reverse();
        if config.seed != 0 {
            shuffle(&mut later, config.seed);
        }
        let members: Vec<Key> = members.into_iter().map(|(_, key)| key).collect();
        Plan {
            numbers: members.iter().enumerate().map(|(i, key)| (*key, i)).collect(),
            members,
            groups,
            group_of,
            later,
            proofs,
        }
    }

    /// The groups that wait for nobody, the last first.
    pub fn first(&self, config: &Config) -> Vec<Unit> {
        let free = self.groups.iter().filter(|g| g.waits_for == 0);
        let mut units: Vec<Unit> =
            free.map(|g| Unit::Functions(g.functions.clone())).rev().collect();
        if config.seed != 0 {
            shuffle(&mut units, config.seed);
        }
        units
    }

    /// The member that the errors of a unit's part belong to: those of a proof that plugins made
    /// belong to the function it is about.
    pub fn owner(&self, key: Key) -> Key {
        match key {
            (MemberKind::Method, method) => match self.proofs.get(&method) {
                Some(function) => (MemberKind::Function, *function),
                None => key,
            },
            _ => key,
        }
    }

    /// The members that a unit is about.
    pub fn keys(&self, unit: &Unit) -> Vec<Key> {
        match unit {
            Unit::Functions(group) => group.iter().map(|f| (MemberKind::Function, f.0)).collect(),
            Unit::Predicate(id) => vec![(MemberKind::Predicate, id.0)],
            Unit::Method(id) => vec![self.owner((MemberKind::Method, id.0))],
        }
    }

    /// How many units each member consists of.
    pub fn units_of_members(&self) -> BTreeMap<Key, usize> {
        let mut units: BTreeMap<Key, usize> = self
            .members
            .iter()
            .map(|key| (*key, usize::from(key.0 == MemberKind::Function)))
            .collect();
        for unit in &self.later {
            for key in self.keys(unit) {
                if let Some(count) = units.get_mut(&key) {
                    *count += 1;
                }
            }
        }
        units
    }
}

/// The name and the place of a member.
pub(crate) fn describe(program: &Program, key: Key) -> (&str, Pos) {
    let index = key.1 as usize;
    match key.0 {
        MemberKind::Function => {
            let f = &program.functions[index];
            (f.name.as_str(), f.pos)
        }
        MemberKind::Predicate => {
            let p = &program.predicates[index];
            (p.name.as_str(), p.pos)
        }
        MemberKind::Method => {
            let m = &program.methods[index];
            (m.name.as_str(), m.pos)
        }
        MemberKind::Domain => {
            let d = &program.domains[index];
            (d.name.as_str(), d.pos)
        }
    }
}

/// Methods that check the termination of functions, with the functions.
fn termination_proofs(program: &Program) -> BTreeMap<u32, u32> {
    let methods = program.methods.iter().enumerate();
    methods.filter_map(|(i, method)| Some((i as u32, method.proof_of?.0))).collect()
}

/// Functions that call each other, with how the groups depend on each other.
fn groups(program: &Program) -> (Vec<Group>, Vec<usize>) {
    let CallGraph { heights, before, recursive } = call_graph(program);
    let count = heights.iter().max().map_or(0, |max| max + 1);
    let mut groups: Vec<Group> = (0..count)
        .map(|_| Group { functions: vec![], recursive: false, waits_for: 0, callers: vec![] })
        .collect();
    for (i, height) in heights.iter().enumerate() {
        groups[*height].functions.push(FunctionId(i as u32));
        groups[*height].recursive |= recursive[i];
    }
    for (first, second) in before {
        groups[first].callers.push(second);
        groups[second].waits_for += 1;
    }
    (groups, heights)
}

/// Another order for each seed, the same on every machine (Fisher and Yates, with Marsaglia's
/// xorshift).
fn shuffle<T>(items: &mut [T], seed: u32) {
    let mut x = u64::from(seed).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    for i in (1..items.len()).rev() {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        items.swap(i, (x % (i as u64 + 1)) as usize);
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use report::SourceMap;
    use viper::loader::{DiskFiles, load_text};

    use super::shuffle;

    #[test]
    fn proofs_of_termination_are_no_members_whatever_their_names() {
        let text = "import <decreases/int.vpr>
            function f(x: Int): Int decreases x { x <= 0 ? 0 : f(x - 1) }
            method f_termination_proof() {}";
        let mut sources = SourceMap::new();
        let file = sources.add("test.vpr", text);
        let loaded = load_text(&DiskFiles, &mut sources, file, Path::new("test.vpr"));
        let checked = viper::check(&loaded.program).program.unwrap_or_default();
        let (program, _) = viper::plugins::desugar(checked, &viper::plugins::Options::default());
        assert_eq!(program.methods.len(), 2);
        assert_eq!(crate::member_names(&program), ["f", "f_termination_proof"]);
    }

    #[test]
    fn every_seed_has_an_order_of_its_own() {
        let order = |seed| {
            let mut items: Vec<u32> = (0..20).collect();
            shuffle(&mut items, seed);
            items
        };
        assert_eq!(order(1), order(1));
        assert_ne!(order(1), order(2));
        let mut sorted = order(3);
        sorted.sort_unstable();
        assert_eq!(sorted, (0..20).collect::<Vec<_>>());
    }
}
