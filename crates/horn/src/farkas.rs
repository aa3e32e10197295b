//! Interpolation by Farkas' lemma (Rybalchenko and Sofronie-Stokkermans 2007; [ABCK15, Sec. 7]).
//!
//! For one goal (a clause without a head) every relation gets a half-space `c·x + k ≥ 0` as template. That a clause
//! holds is then witnessed by coefficients: its head is the sum of the half-spaces in its body, of its facts with
//! factors `λ ≥ 0`, and of a number that is not negative. All clauses together are one linear program, whose costs
//! are the absolute values of `c` and the `λ`, so that few of them are not zero. A second program keeps the `c`, as
//! integers, and makes the `k` small: `v ≥ i` generalises better than `v ≥ i + 1`. Solutions for several goals are
//! conjoined: each of them satisfies all clauses that have a head.
//!
//! The factor of a half-space in a body is one. That is no loss where a relation is used once; so the last resort is
//! the system as a tree, in which every use of a relation has a template of its own. Before that, simpler solutions
//! are tried. Relations of a group have the same template. A relation of states has none, or one for each *purpose*:
//! one for the goal, and one for each of the clauses that a relation of another kind has, since what the first record
//! of a list needs to know of the state is nothing that the others need.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use arith::{Constraint, Relation as Sign, Sum, Var};
use num_traits::{Signed, Zero};

use crate::formula::Formula;
use crate::simplex::{Program, Q};
use crate::{Clause, Outcome, Query, RelId, Solution, Solver, System, check};

/// Templates that a tree may have.
const MOST_TEMPLATES: usize = 100;
/// What a coefficient of a half-space costs; one of a proof costs 1.
const COST: i128 = 8;
/// Disjuncts of a solution.
const MOST_DISJUNCTS: usize = 64;

/// Our own interpolation, for systems without recursion.
#[derive(Clone, Copy, Debug, Default)]
pub struct Farkas;

impl Solver for Farkas {
    fn solve(&mut self, system: &System, deadline: Option<Instant>) -> Outcome {
        let Some(split) = system.without_disequations() else {
            return Outcome::Unknown("there are too many disequations".to_owned());
        };
        if !system.is_well_formed() {
            return Outcome::Unknown("the clauses are malformed".to_owned());
        }
        if split.bottom_up().is_none() {
            return Outcome::Unknown("the clauses are recursive".to_owned());
        }
        let mut formulas = vec![Formula::truth(); system.relations.len()];
        for goal in split.clauses.iter().filter(|clause| clause.head.is_none()) {
            if deadline.is_some_and(|deadline| Instant::now() > deadline) {
                return Outcome::Unknown("time is up".to_owned());
            }
            let Some(found) = for_goal(&split, goal) else {
                return Outcome::Unknown("no half-spaces separate a goal".to_owned());
            };
            for (rel, constraint) in found {
                let old = &mut formulas[rel.index()];
                match old.and(&Formula::of(constraint), MOST_DISJUNCTS) {
                    Some(both) => *old = both,
                    None => return Outcome::Unknown("the solution is too large".to_owned()),
                }
            }
        }
        Outcome::Solved(Solution { formulas })
    }
}

/// How templates are given to relations.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sharing {
    /// One for a group, none for states but those that the goal mentions.
    GroupsWithoutStates,
    /// One for a group; for states, one for each purpose.
    Groups,
    /// The same for each relation by itself.
    Relations,
    /// One for each use of a relation.
    Uses,
}

/// What the template of a relation is for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Purpose {
    Goal,
    /// The clause of this number among those of the same head, or heads of one group.
    Clause(u32, usize),
}

/// Half-spaces with which the goal and all clauses with a head hold.
fn for_goal(system: &System, goal: &Clause) -> Option<Vec<(RelId, Constraint)>> {
    let strategies =
        [Sharing::GroupsWithoutStates, Sharing::Groups, Sharing::Relations, Sharing::Uses];
    strategies.into_iter().find_map(|sharing| {
        let directions = Templates::new(system, goal, sharing, None)?.directions()?;
        let found = Templates::new(system, goal, sharing, Some(directions))?.solve()?;
        // Templates of a group fit together only if their parameters do, so it is checked.
        let mut formulas = vec![Formula::truth(); system.relations.len()];
        for (rel, constraint) in &found {
            let old = formulas.get_mut(rel.index())?;
            *old = old.and(&Formula::of(constraint.clone()), MOST_DISJUNCTS)?;
        }
        let definite = system.clauses.iter().filter(|clause| clause.head.is_some());
        let clauses: Vec<Clause> = definite.chain([goal]).cloned().collect();
        let part = System { relations: system.relations.clone(), clauses };
        check(&part, &Solution { formulas }).ok().map(|()| found)
    })
}

/// The columns of a half-space: each coefficient is a difference, the last one is the number.
struct Template {
    rel: RelId,
    columns: Vec<(usize, usize)>,
}

struct Templates<'s> {
    system: &'s System,
    program: Program,
    templates: Vec<Template>,
    /// Which relations have which templates, unless every use has its own.
    shared: BTreeMap<(RelId, Purpose), usize>,
    /// What the `c` of each template is, if that is known.
    fixed: Option<Vec<Vec<Q>>>,
}

impl<'s> Templates<'s> {
    fn new(
        system: &'s System,
        goal: &Clause,
        sharing: Sharing,
        fixed: Option<Vec<Vec<Q>>>,
    ) -> Option<Templates<'s>> {
        let mut this = Templates {
            system,
            fixed,
            program: Program::default(),
            templates: Vec::new(),
            shared: BTreeMap::new(),
        };
        if sharing == Sharing::Uses {
            this.expand(goal)?;
            return Some(this);
        }
        let relevant = relevant(system, goal);
        let is_state =
            |rel: RelId| system.relations.get(rel.index()).is_some_and(|relation| relation.state);
        let definite: Vec<(usize, &Clause)> = numbered(system, &relevant);
        let purpose_of = |number: usize, head: RelId| {
            let relation = system.relations.get(head.index())?;
            let group = relation.group.filter(|_| sharing != Sharing::Relations);
            (!relation.state)
                .then_some(Purpose::Clause(group.map_or(head.0, |g| g | 1 << 31), number))
        };
        // Which states a purpose may need.
        let mut purposes: BTreeMap<Purpose, BTreeSet<RelId>> = BTreeMap::new();
        purposes.insert(Purpose::Goal, relevant.clone());
        for (number, clause) in &definite {
            let purpose = clause.head.as_ref().and_then(|head| purpose_of(*number, head.rel));
            if let Some(purpose) = purpose {
                let states = relevant_from(system, clause, &is_state);
                purposes.entry(purpose).or_default().extend(states);
            }
        }
        let mut by_group: BTreeMap<(u32, u32, Purpose), usize> = BTreeMap::new();
        for &rel in &relevant {
            let relation = system.relations.get(rel.index())?;
            let in_goal = goal.body.iter().any(|query| query.rel == rel);
            if sharing == Sharing::GroupsWithoutStates && relation.state && !in_goal {
                continue;
            }
            let group = relation.group.filter(|_| sharing != Sharing::Relations);
            for (&purpose, needed) in &purposes {
                if purpose != Purpose::Goal
                    && (!relation.state || sharing == Sharing::GroupsWithoutStates)
                    || !needed.contains(&rel)
                {
                    continue;
                }
                let key = group.map(|group| (group, relation.arity, purpose));
                let known = key.and_then(|key| by_group.get(&key).copied());
                let template = match known {
                    Some(template) => template,
                    None => this.template(rel)?,
                };
                if let Some(key) = key {
                    by_group.insert(key, template);
                }
                this.shared.insert((rel, purpose), template);
            }
        }
        let shared = this.shared.clone();
        let of = |query: &Query, purpose: Purpose| shared.get(&(query.rel, purpose)).copied();
        for (number, clause) in definite.into_iter().chain([(0, goal)]) {
            let head = clause.head.as_ref();
            let heads: Vec<Purpose> = match head {
                Some(head) if is_state(head.rel) => purposes.keys().copied().collect(),
                _ => vec![Purpose::Goal],
            };
            for purpose in heads {
                if head.is_some_and(|head| of(head, purpose).is_none()) {
                    continue;
                }
                // What is below: states for the purpose of this clause, others for the goal.
                let own = head.and_then(|head| purpose_of(number, head.rel));
                let states = own.unwrap_or(purpose);
                let below = |query: &Query| match is_state(query.rel) {
                    true => of(query, states),
                    false if purpose == Purpose::Goal => of(query, Purpose::Goal),
                    false => None,
                };
                let body: Vec<Option<usize>> = clause.body.iter().map(below).collect();
                this.clause(clause, head.and_then(|head| of(head, purpose)), &body)?;
            }
        }
        Some(this)
    }

    /// The system as a tree: every use of a relation has its own template.
    fn expand(&mut self, goal: &Clause) -> Option<()> {
        let mut pending: Vec<(&Clause, Option<usize>)> = vec![(goal, None)];
        while let Some((clause, head)) = pending.pop() {
            let mut body = Vec::new();
            for query in &clause.body {
                let template = self.template(query.rel)?;
                body.push(Some(template));
                let defines = |c: &&Clause| c.head.as_ref().is_some_and(|h| h.rel == query.rel);
                let clauses = self.system.clauses.iter().filter(defines);
                pending.extend(clauses.map(|clause| (clause, Some(template))));
            }
            self.clause(clause, head, &body)?;
        }
        Some(())
    }

    fn template(&mut self, rel: RelId) -> Option<usize> {
        if self.templates.len() >= MOST_TEMPLATES {
            return None;
        }
        let arity = self.system.relations.get(rel.index())?.arity as usize;
        let mut columns = Vec::with_capacity(arity + 1);
        for place in 0..=arity {
            let cost = if place < arity { COST } else { 1 };
            let (plus, minus) = (self.program.column(cost), self.program.column(cost));
            columns.push((plus, minus));
            if let Some(fixed) = &self.fixed
                && place < arity
            {
                let value = *fixed.get(self.templates.len())?.get(place)?;
                self.program.row([(plus, Q::from(1)), (minus, Q::from(-1))].into(), value);
            }
        }
        self.templates.push(Template { rel, columns });
        Some(self.templates.len() - 1)
    }

    /// `head = Σ body + Σ λ · fact + number` as one equation per variable, and one for the number.
    fn clause(
        &mut self,
        clause: &Clause,
        head: Option<usize>,
        body: &[Option<usize>],
    ) -> Option<()> {
        let mut rows: BTreeMap<Option<Var>, BTreeMap<usize, Q>> = BTreeMap::new();
        rows.entry(None).or_default();
        let mut add = |at: Option<Var>, column: usize, factor: i128| {
            let entry = rows.entry(at).or_default().entry(column).or_insert_with(Q::zero);
            *entry += Q::from(factor);
        };
        let mut side = |template: &Template, args: &[Sum], sign: i128| {
            for (arg, (plus, minus)) in args.iter().zip(&template.columns) {
                for (var, factor) in &arg.factors {
                    add(Some(*var), *plus, sign * factor);
                    add(Some(*var), *minus, -sign * factor);
                }
                add(None, *plus, sign * arg.constant);
                add(None, *minus, -sign * arg.constant);
            }
            if let Some((plus, minus)) = template.columns.get(args.len()) {
                add(None, *plus, sign);
                add(None, *minus, -sign);
            }
        };
        if let (Some(template), Some(query)) = (head, &clause.head) {
            side(self.templates.get(template)?, &query.args, 1);
        }
        for (template, query) in body.iter().zip(&clause.body) {
            if let Some(template) = template {
                side(self.templates.get(*template)?, &query.args, -1);
            }
        }
        for fact in &clause.facts {
            let signs: &[i128] = if fact.relation == Sign::Zero { &[1, -1] } else { &[1] };
            for sign in signs {
                let column = self.program.column(1);
                for (var, factor) in &fact.sum.factors {
                    add(Some(*var), column, -sign * factor);
                }
                add(None, column, -sign * fact.sum.constant);
            }
        }
        let slack = self.program.column(0);
        add(None, slack, -1);
        // Without a head, `-1 ≥ 0` is what must follow.
        let value = if clause.head.is_some() { 0 } else { 1 };
        for (at, row) in rows {
            self.program.row(row, Q::from(if at.is_none() { value } else { 0 }));
        }
        Some(())
    }

    /// The `c` of all templates, as integers with a common scale.
    fn directions(self) -> Option<Vec<Vec<Q>>> {
        let values = self.program.optimum()?;
        let coefficient =
            |(plus, minus): &(usize, usize)| Some(*values.get(*plus)? - *values.get(*minus)?);
        let mut all: Vec<Vec<Q>> = Vec::new();
        for template in &self.templates {
            let (_, columns) = template.columns.split_last()?;
            all.push(columns.iter().map(coefficient).collect::<Option<_>>()?);
        }
        let scale =
            all.iter().flatten().try_fold(1i128, |all, factor| lcm(all, *factor.denom()))?;
        all.iter_mut().flatten().for_each(|factor| *factor *= Q::from(scale));
        Some(all)
    }

    fn solve(self) -> Option<Vec<(RelId, Constraint)>> {
        let values = self.program.optimum()?;
        let mut found: Vec<(RelId, Constraint)> = Vec::new();
        let mut emit = |rel: RelId, template: &Template| -> Option<()> {
            if let Some(constraint) = half_space(template, &values)?
                && !found.contains(&(rel, constraint.clone()))
            {
                found.push((rel, constraint));
            }
            Some(())
        };
        if self.shared.is_empty() {
            for template in &self.templates {
                emit(template.rel, template)?;
            }
        } else {
            for ((rel, _), template) in &self.shared {
                emit(*rel, self.templates.get(*template)?)?;
            }
        }
        Some(found)
    }
}

/// The half-space over the integers; nothing if it is everything.
fn half_space(template: &Template, values: &[Q]) -> Option<Option<Constraint>> {
    let coefficient =
        |(plus, minus): &(usize, usize)| Some(*values.get(*plus)? - *values.get(*minus)?);
    let all: Vec<Q> = template.columns.iter().map(coefficient).collect::<Option<_>>()?;
    let (number, factors) = all.split_last()?;
    if factors.iter().all(Zero::is_zero) {
        // A number alone: true, or a relation that nothing satisfies.
        let never = Constraint { sum: Sum::number(-1), relation: Sign::NotNegative };
        return Some(number.is_negative().then_some(never));
    }
    let denominators = factors.iter().try_fold(1i128, |all, f| lcm(all, *f.denom()))?;
    let whole: Vec<i128> =
        factors.iter().map(|f| (f * Q::from(denominators)).to_integer()).collect();
    let divisor = whole.iter().fold(0, |divisor, factor| gcd(divisor, factor.abs()));
    let divisor = divisor.max(1);
    // Sums of integers are integers: the number may be rounded down.
    let constant = (number * Q::from(denominators) / Q::from(divisor)).floor().to_integer();
    let factors = whole.iter().enumerate().filter(|(_, factor)| **factor != 0);
    let factors = factors.map(|(var, factor)| (var as Var, factor / divisor)).collect();
    Some(Some(Constraint { sum: Sum { factors, constant }, relation: Sign::NotNegative }))
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn lcm(a: i128, b: i128) -> Option<i128> {
    a.checked_mul(b / gcd(a, b).max(1))
}

/// The clauses of these relations, each with its number among those of the same head.
fn numbered<'s>(system: &'s System, relations: &BTreeSet<RelId>) -> Vec<(usize, &'s Clause)> {
    let mut counts: BTreeMap<RelId, usize> = BTreeMap::new();
    let mut all = Vec::new();
    for clause in &system.clauses {
        let Some(head) = &clause.head else { continue };
        if relations.contains(&head.rel) {
            let count = counts.entry(head.rel).or_default();
            all.push((*count, clause));
            *count += 1;
        }
    }
    all
}

/// Relations that a derivation of the goal may use.
fn relevant(system: &System, goal: &Clause) -> BTreeSet<RelId> {
    relevant_from(system, goal, &|_| true)
}

/// Relations of this kind that a derivation of the body of a clause may use, through such relations alone.
fn relevant_from(
    system: &System,
    clause: &Clause,
    kind: &dyn Fn(RelId) -> bool,
) -> BTreeSet<RelId> {
    let mut found = BTreeSet::new();
    let mut pending: Vec<RelId> = clause.body.iter().map(|query| query.rel).collect();
    while let Some(rel) = pending.pop() {
        if kind(rel) && found.insert(rel) {
            let defines = |c: &&Clause| c.head.as_ref().is_some_and(|head| head.rel == rel);
            for clause in system.clauses.iter().filter(defines) {
                pending.extend(clause.body.iter().map(|query| query.rel));
            }
        }
    }
    found
}
