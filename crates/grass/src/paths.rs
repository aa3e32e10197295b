//! What the solver has not heard of paths yet.
//!
//! The solver is asked about ground formulas, in which `between` is just a predicate. In its model we
//! derive all that the axioms make of the facts about paths that it holds true. If that includes
//! something that it holds false, the instances of the axioms that were used are what it has to be told
//! next. If not, the facts are those of a real graph.
//!
//! This ends, because there are finitely many instances: their variables stand for terms that occur.
//! And it misses nothing. All axioms but one are Horn clauses, so what is derived is their least model.
//! The one that is not says that of two nodes that can be reached one is first; where nothing says
//! which, one is chosen, and if that was wrong, the solver is told that it has to choose.
//!
//! What is derived without a contradiction is a graph: by `order`, `sandwich` and the rules after them
//! the nodes that can be reached from one are in a line, and from each the rest of the line is reached.
//! So every node that reaches another has a first one, and these steps give all paths back. A field that
//! is read leads to that first node, by `step`; what is not read can lead there.

use std::collections::{BTreeMap, BTreeSet};

use smt::{FastMap, FastSet, Session, Sort, Term};

use crate::doubly::{self, Places, WayBack};
use crate::readback;
use crate::theory::{Field, Theory};

/// More contradictions than this are not looked for in one model.
const MAX_CONFLICTS: usize = 16;

/// The facts about paths that formulas mention.
#[derive(Default)]
pub(crate) struct Mentioned {
    seen: FastSet<Term>,
    facts: Vec<Fact>,
    /// The nodes that they are about.
    nodes: BTreeSet<Term>,
}

/// `between(x, y, z)` of a field.
#[derive(Clone, Copy)]
struct Fact {
    field: Field,
    nodes: [Term; 3],
    /// Constants are looked up faster than what a function is for some arguments.
    name: Term,
}

impl Mentioned {
    /// Looks for facts in a formula. What defines the paths of fields that changed is added to the
    /// formulas.
    pub(crate) fn add(&mut self, theory: &mut Theory, formulas: &mut Vec<Term>) {
        let mut index = 0;
        while let Some(formula) = formulas.get(index).copied() {
            index += 1;
            let mut pending = vec![formula];
            while let Some(term) = pending.pop() {
                if !self.seen.insert(term) {
                    continue;
                }
                pending.extend(theory.terms.children(term));
                if let Some((field, nodes)) = theory.as_between(term) {
                    self.nodes.extend(nodes);
                    match theory.after_update(field, nodes) {
                        Some(definition) => formulas.push(definition),
                        None => {
                            let name = theory.terms.fresh("path", Sort::Bool);
                            formulas.push(theory.terms.eq(name, term));
                            self.facts.push(Fact { field, nodes, name });
                        }
                    }
                }
            }
        }
    }
}

/// All paths of a model.
#[derive(Default)]
pub(crate) struct Paths {
    /// The nodes that are different, by what the solver calls them.
    places: BTreeMap<(Sort, String), usize>,
    names: Vec<String>,
    derived: BTreeMap<Field, FastSet<[usize; 3]>>,
    sorts: BTreeMap<Field, Sort>,
    /// The doubly linked lists that hold.
    pub(crate) ways_back: Vec<WayBack>,
}

impl Paths {
    fn place(&self, field: Field, name: &str) -> Option<usize> {
        self.places.get(&(*self.sorts.get(&field)?, name.to_owned())).copied()
    }

    /// As below, of places.
    pub(crate) fn has(&self, field: Field, triple: [usize; 3]) -> bool {
        self.derived.get(&field).is_some_and(|all| all.contains(&triple))
    }

    /// Is the second node on the shortest path from the first to the third?
    pub(crate) fn between(&self, field: Field, nodes: [&str; 3]) -> bool {
        let [Some(x), Some(y), Some(z)] = nodes.map(|node| self.place(field, node)) else {
            return false;
        };
        self.has(field, [x, y, z])
    }

    /// The first other node on the way from a node.
    pub(crate) fn successor(&self, field: Field, node: &str) -> Option<&str> {
        let (from, all) = (self.place(field, node)?, self.derived.get(&field)?);
        let reached = |to: &usize| *to != from && all.contains(&[from, *to, *to]);
        let nodes = || (0..self.names.len()).filter(reached);
        let first = nodes().find(|to| nodes().all(|other| all.contains(&[from, *to, other])))?;
        self.names.get(first).map(String::as_str)
    }
}

/// What became of a model.
pub(crate) enum Outcome {
    /// It is one.
    Real(Paths),
    /// It contradicts these instances of axioms.
    Missing(Vec<Term>),
    /// The solver has lost it.
    Lost,
}

/// Looks at the model that the solver has found.
pub(crate) fn examine(
    theory: &mut Theory,
    session: &mut Session,
    mentioned: &Mentioned,
    nodes: &[Term],
    reads: &[(Field, Term)],
) -> Outcome {
    let all: BTreeSet<Term> = mentioned.nodes.iter().chain(nodes).copied().collect();
    let reads: Vec<(Field, Term, Term)> =
        reads.iter().map(|(field, node)| (*field, *node, theory.read(*field, *node))).collect();
    let mut wanted: Vec<Term> = all.iter().copied().collect();
    wanted.extend(reads.iter().flat_map(|(_, node, value)| [*node, *value]));
    wanted.extend(mentioned.facts.iter().map(|fact| fact.name));
    let names = theory.ways_back.iter().map(|way| way.holds);
    let names = names.chain(theory.sorted.iter().map(|sorted| sorted.holds));
    wanted.extend(names.filter(|name| mentioned.seen.contains(name)));
    let values = session.model_values(&theory.terms, &wanted);
    let Some(values) = values.into_iter().collect::<Option<Vec<String>>>() else {
        return Outcome::Lost;
    };
    let values: FastMap<Term, String> = wanted.into_iter().zip(values).collect();
    let mut paths = Paths::default();
    let mut place_of: FastMap<Term, usize> = FastMap::default();
    let mut terms = Vec::new();
    let read_nodes = reads.iter().flat_map(|(_, node, value)| [*node, *value]);
    for term in all.iter().copied().chain(read_nodes) {
        let sort = theory.terms.sort(term);
        let (true, Some(name)) = (theory.is_node(sort), values.get(&term)) else { continue };
        let next = paths.names.len();
        let place = *paths.places.entry((sort, name.clone())).or_insert(next);
        if place == next {
            paths.names.push(name.clone());
            terms.push(term);
        }
        place_of.insert(term, place);
    }
    let fields: BTreeSet<Field> = mentioned.facts.iter().map(|fact| fact.field).collect();
    let mut missing = Vec::new();
    for field in fields {
        let sort = theory.owner(field);
        paths.sorts.insert(field, sort);
        let places: Vec<usize> =
            (0..terms.len()).filter(|place| theory.terms.sort(terms[*place]) == sort).collect();
        let reads: Vec<Read> = reads
            .iter()
            .filter(|(f, ..)| *f == field)
            .map(|(_, node, value)| Read {
                node: *node,
                value: *value,
                from: place_of[node],
                to: place_of[value],
            })
            .collect();
        let mut closure = Closure::new(&places, &reads);
        for fact in mentioned.facts.iter().filter(|fact| fact.field == field) {
            let triple = fact.nodes.map(|node| place_of[&node]);
            if values.get(&fact.name).is_some_and(|value| value == "true") {
                closure.add(triple, Rule::Given, [0; 4], &[]);
            } else {
                closure.denied.insert(triple);
            }
        }
        closure.derive();
        missing.extend(closure.used(theory, field, &terms));
        paths.derived.insert(field, closure.known.into_keys().collect());
    }
    if missing.is_empty() {
        let holds = |name: &Term| values.get(name).is_some_and(|value| value == "true");
        let place = |term: Term| place_of.get(&term).copied();
        let places = Places { terms: &terms, place: &place };
        paths.ways_back =
            theory.ways_back.iter().filter(|way| holds(&way.holds)).copied().collect();
        missing = doubly::violated(theory, &paths, &places, &reads);
        let number = |term: Term| readback::number(values.get(&term)?);
        for sorted in theory.sorted.clone().iter().filter(|sorted| holds(&sorted.holds)) {
            missing.extend(sorted.violated(theory, &paths, &places, &number));
        }
    }
    if missing.is_empty() { Outcome::Real(paths) } else { Outcome::Missing(missing) }
}

/// A field of a node that is read: the terms, and their places.
struct Read {
    node: Term,
    value: Term,
    from: usize,
    to: usize,
}

/// The axioms of paths.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rule {
    /// The solver says so.
    Given,
    Reflexive,
    Begins,
    Sandwich,
    Order,
    ReachFirst,
    ReachLast,
    Transitive,
    Later,
    Last,
    Earlier,
    First,
    /// A field leads to what it holds, which is on all paths. The number is that of the reading.
    Leads(usize),
    Step(usize),
    Stays(usize),
}

/// A fact, and where it comes from.
struct Derived {
    triple: [usize; 3],
    rule: Rule,
    /// What the variables of the rule stand for.
    at: [usize; 4],
    premises: Vec<usize>,
}

/// All that follows.
struct Closure<'a> {
    places: &'a [usize],
    reads: &'a [Read],
    facts: Vec<Derived>,
    known: FastMap<[usize; 3], usize>,
    denied: FastSet<[usize; 3]>,
    /// Rules that have no conclusion or whose conclusion is denied.
    conflicts: Vec<Derived>,
}

impl<'a> Closure<'a> {
    fn new(places: &'a [usize], reads: &'a [Read]) -> Closure<'a> {
        Closure {
            places,
            reads,
            facts: Vec::new(),
            known: FastMap::default(),
            denied: FastSet::default(),
            conflicts: Vec::new(),
        }
    }

    fn knows(&self, x: usize, y: usize, z: usize) -> Option<usize> {
        self.known.get(&[x, y, z]).copied()
    }

    fn add(&mut self, triple: [usize; 3], rule: Rule, at: [usize; 4], premises: &[usize]) {
        if self.known.contains_key(&triple) {
            return;
        }
        let derived = Derived { triple, rule, at, premises: premises.to_vec() };
        if self.denied.contains(&triple) {
            if !self.conflicts.iter().any(|conflict| conflict.triple == triple) {
                self.conflicts.push(derived);
            }
            return;
        }
        self.known.insert(triple, self.facts.len());
        self.facts.push(derived);
    }

    fn contradict(&mut self, triple: [usize; 3], rule: Rule, at: [usize; 4], premises: &[usize]) {
        self.conflicts.push(Derived { triple, rule, at, premises: premises.to_vec() });
    }

    /// Until nothing new follows, or enough is wrong.
    fn derive(&mut self) {
        for place in self.places {
            self.add([*place; 3], Rule::Reflexive, [*place; 4], &[]);
        }
        for (index, read) in self.reads.iter().enumerate() {
            let (x, y) = (read.from, read.to);
            self.add([x, y, y], Rule::Leads(index), [x, y, 0, 0], &[]);
        }
        let mut next = 0;
        loop {
            while next < self.facts.len() && self.conflicts.len() < MAX_CONFLICTS {
                self.consequences(next);
                next += 1;
            }
            if !self.conflicts.is_empty() || !self.choose() {
                return;
            }
        }
    }

    fn consequences(&mut self, number: usize) {
        let [x, y, z] = self.facts[number].triple;
        if x == z && x != y {
            self.contradict([x, y, z], Rule::Sandwich, [x, y, 0, 0], &[number]);
            return;
        }
        if y == z {
            self.reached(number, x, y);
        } else {
            self.add([x, y, y], Rule::ReachFirst, [x, y, z, 0], &[number]);
            self.add([y, z, z], Rule::ReachLast, [x, y, z, 0], &[number]);
        }
        for u in self.places.iter().copied() {
            if let Some(other) = self.knows(y, u, z) {
                self.add([x, y, u], Rule::Later, [x, y, z, u], &[number, other]);
                self.add([x, u, z], Rule::Last, [x, y, z, u], &[number, other]);
            }
            if let Some(other) = self.knows(u, x, z) {
                self.add([u, x, y], Rule::Later, [u, x, z, y], &[other, number]);
                self.add([u, y, z], Rule::Last, [u, x, z, y], &[other, number]);
            }
            if let Some(other) = self.knows(x, u, y) {
                self.add([x, u, z], Rule::Earlier, [x, y, z, u], &[number, other]);
                self.add([u, y, z], Rule::First, [x, y, z, u], &[number, other]);
            }
            if let Some(other) = self.knows(x, z, u) {
                self.add([x, y, u], Rule::Earlier, [x, z, u, y], &[other, number]);
                self.add([y, z, u], Rule::First, [x, z, u, y], &[other, number]);
            }
        }
    }

    fn reached(&mut self, number: usize, x: usize, y: usize) {
        self.add([x, x, y], Rule::Begins, [x, y, 0, 0], &[number]);
        for u in self.places.iter().copied() {
            if let Some(other) = self.knows(y, u, u) {
                self.add([x, u, u], Rule::Transitive, [x, y, u, 0], &[number, other]);
            }
            if let Some(other) = self.knows(u, x, x) {
                self.add([u, y, y], Rule::Transitive, [u, x, y, 0], &[other, number]);
            }
        }
        if x == y {
            return;
        }
        for (index, read) in self.reads.iter().enumerate().filter(|(_, read)| read.from == x) {
            let at = [x, y, 0, 0];
            if read.to == x {
                self.contradict([x, y, y], Rule::Stays(index), at, &[number]);
            } else {
                self.add([x, read.to, y], Rule::Step(index), at, &[number]);
            }
        }
    }

    /// Puts two nodes that are reached in an order, if there are two in none.
    fn choose(&mut self) -> bool {
        for x in self.places.iter().copied() {
            let reached: Vec<usize> =
                self.places.iter().copied().filter(|y| self.knows(x, *y, *y).is_some()).collect();
            for (index, y) in reached.iter().copied().enumerate() {
                for z in reached.iter().skip(index + 1).copied() {
                    if self.knows(x, y, z).is_some() || self.knows(x, z, y).is_some() {
                        continue;
                    }
                    let premises: Vec<usize> =
                        [self.knows(x, y, y), self.knows(x, z, z)].into_iter().flatten().collect();
                    let back = self.knows(z, y, y).is_some() && self.knows(y, z, z).is_none();
                    let swap = self.denied.contains(&[x, y, z])
                        || (back && !self.denied.contains(&[x, z, y]));
                    let triple = if swap { [x, z, y] } else { [x, y, z] };
                    self.add(triple, Rule::Order, [x, y, z, 0], &premises);
                    return true;
                }
            }
        }
        false
    }

    /// The instances that led to contradictions.
    fn used(&self, theory: &mut Theory, field: Field, terms: &[Term]) -> Vec<Term> {
        let mut used = Vec::new();
        let mut done = FastSet::default();
        let mut pending: Vec<&Derived> = self.conflicts.iter().collect();
        while let Some(derived) = pending.pop() {
            if derived.rule != Rule::Given {
                let at = derived.at.map(|place| terms[place]);
                used.push(self.instance(theory, field, derived.rule, at));
            }
            for premise in &derived.premises {
                if done.insert(*premise) {
                    pending.push(&self.facts[*premise]);
                }
            }
        }
        used
    }

    /// An axiom with terms in place of its variables.
    fn instance(&self, theory: &mut Theory, field: Field, rule: Rule, at: [Term; 4]) -> Term {
        let [x, y, z, u] = at;
        let (premises, conclusions) = match rule {
            Rule::Given => return theory.terms.bool(true),
            Rule::Reflexive => (vec![], vec![[x, x, x]]),
            Rule::Begins => (vec![[x, y, y]], vec![[x, x, y]]),
            Rule::Sandwich => (vec![[x, y, x]], vec![]),
            Rule::Order => (vec![[x, y, y], [x, z, z]], vec![[x, y, z], [x, z, y]]),
            Rule::ReachFirst => (vec![[x, y, z]], vec![[x, y, y]]),
            Rule::ReachLast => (vec![[x, y, z]], vec![[y, z, z]]),
            Rule::Transitive => (vec![[x, y, y], [y, z, z]], vec![[x, z, z]]),
            Rule::Later => (vec![[x, y, z], [y, u, z]], vec![[x, y, u]]),
            Rule::Last => (vec![[x, y, z], [y, u, z]], vec![[x, u, z]]),
            Rule::Earlier => (vec![[x, y, z], [x, u, y]], vec![[x, u, z]]),
            Rule::First => (vec![[x, y, z], [x, u, y]], vec![[u, y, z]]),
            Rule::Leads(index) => {
                let Read { node, value, .. } = self.reads[index];
                (vec![], vec![[node, value, value]])
            }
            Rule::Step(index) => {
                let Read { node, value, .. } = self.reads[index];
                (vec![[node, y, y]], vec![[node, value, y]])
            }
            Rule::Stays(index) => (vec![[self.reads[index].node, y, y]], vec![]),
        };
        let mut all = Vec::new();
        for [a, b, c] in premises {
            let premise = theory.between(field, a, b, c);
            all.push(theory.terms.not(premise));
        }
        for [a, b, c] in conclusions {
            all.push(theory.between(field, a, b, c));
        }
        match rule {
            Rule::Sandwich => all.push(theory.terms.eq(x, y)),
            Rule::Step(index) => all.push(theory.terms.eq(self.reads[index].node, y)),
            Rule::Stays(index) => {
                let Read { node, value, .. } = self.reads[index];
                let stays = theory.terms.eq(node, value);
                all.push(theory.terms.not(stays));
                all.push(theory.terms.eq(node, y));
            }
            _ => {}
        }
        theory.terms.or(all)
    }
}
