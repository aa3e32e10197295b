//! A program under verification: which units can be started, what those that are done told the
//! others, and what came out. Any number of workers take units from it; `unit` says how one is
//! verified, `plan` what the units are, `pool` who works when.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use report::{Diagnostic, Pos, Status};
use viper::core::{ExprKind, FieldId, FunctionId, Program};

use crate::config::Config;
use crate::encoding::Origin;
use crate::encoding::{Foreign, FunctionTheory, Theories, foreign_axioms};
use crate::instances::Counts;
use crate::plan::{Group, Key, Plan, Unit, describe};
use crate::stats::Stats;
use crate::unit::Worker;
use crate::verdict::{Failure, Member, Trouble, Verdict};

/// What came out of verifying something.
#[derive(Clone, Default)]
pub(crate) struct Part {
    pub failures: Vec<Failure>,
    pub warnings: Vec<Diagnostic>,
    pub time: Duration,
    pub stats: Stats,
    pub trouble: Option<Trouble>,
    pub instances: Counts,
    /// Did the solver give up on a question?
    pub gave_up: bool,
}

/// The work that is left, and what is done.
pub(crate) struct Work {
    /// With how many others each one waits for.
    pub groups: Vec<Group>,
    /// Units that can be started.
    ready: Vec<Unit>,
    /// To be started when all functions are done.
    later: Vec<Unit>,
    theories: Theories,
    groups_left: usize,
    /// By the member that they belong to.
    parts: BTreeMap<Key, Part>,
    /// How many units of a member are not done.
    units_left: BTreeMap<Key, usize>,
    clock: Clock,
}

/// How long a program is being verified. Time in which all workers are elsewhere does not count.
#[derive(Default)]
struct Clock {
    running: usize,
    since: Option<Instant>,
    spent: Duration,
}

impl Clock {
    fn start(&mut self) {
        self.running += 1;
        self.since.get_or_insert_with(Instant::now);
    }

    fn stop(&mut self) {
        self.running = self.running.saturating_sub(1);
        if self.running == 0 {
            self.spent = self.spent();
            self.since = None;
        }
    }

    fn spent(&self) -> Duration {
        self.spent + self.since.map_or(Duration::ZERO, |since| since.elapsed())
    }
}

/// A program that is being verified.
pub struct Verification<'p> {
    program: Box<dyn Deref<Target = Program> + Send + Sync + 'p>,
    pub(crate) config: Config,
    pub(crate) plan: Plan,
    pub(crate) foreign: Arc<Foreign>,
    pub(crate) triggers: Arc<HashSet<FieldId>>,
    /// The formulas that functions tell others.
    pub(crate) told: Mutex<HashMap<Arc<str>, Origin>>,
    work: Mutex<Work>,
}

/// A unit that can be verified now.
pub(crate) struct Ready {
    pub unit: Unit,
    pub theories: Arc<Theories>,
    pub deadline: Option<Instant>,
}

/// What came out of a unit, and what functions tell others.
pub(crate) type Found = (BTreeMap<Key, Part>, Vec<(FunctionId, FunctionTheory)>);

impl<'p> Verification<'p> {
    /// A program that is desugared ([`Program::is_desugared`]), for instance a `&Program` or an
    /// `Arc<Program>`.
    pub fn new(
        program: impl Deref<Target = Program> + Send + Sync + 'p,
        config: &Config,
    ) -> Verification<'p> {
        let mut plan = Plan::new(&program, config);
        let units_left = plan.units_of_members();
        let mut ready = plan.first(config);
        let (groups, mut later) =
            (std::mem::take(&mut plan.groups), std::mem::take(&mut plan.later));
        if groups.is_empty() {
            ready = std::mem::take(&mut later);
        }
        Verification {
            foreign: Arc::new(foreign_axioms(&program)),
            triggers: Arc::new(fields_in_triggers(&program)),
            told: Mutex::default(),
            work: Mutex::new(Work {
                groups_left: groups.len(),
                groups,
                ready,
                later,
                theories: vec![None; program.functions.len()],
                parts: BTreeMap::new(),
                units_left,
                clock: Clock::default(),
            }),
            config: config.clone(),
            plan,
            program: Box::new(program),
        }
    }

    /// How many members there are.
    #[must_use]
    pub fn members(&self) -> usize {
        self.plan.members.len()
    }

    pub(crate) fn program(&self) -> &Program {
        &self.program
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A unit that can be verified now, for who [runs](Self::run) and then [releases](Self::release) it.
    pub(crate) fn take(&self) -> Option<Ready> {
        let mut work = self.lock();
        let unit = work.ready.pop()?;
        work.clock.start();
        let deadline = (self.config.timeout)
            .map(|limit| Instant::now() + limit.saturating_sub(work.clock.spent()));
        Some(Ready { unit, theories: Arc::new(work.theories.clone()), deadline })
    }

    pub(crate) fn has_ready(&self) -> bool {
        !self.lock().ready.is_empty()
    }

    /// Says that all is done about a unit that was taken.
    pub(crate) fn release(&self) {
        self.lock().clock.stop();
    }

    /// Is nothing left, and nothing under way?
    pub(crate) fn is_done(&self) -> bool {
        let work = self.lock();
        work.ready.is_empty() && work.groups_left == 0 && work.clock.running == 0
    }

    /// Verifies a unit. If it is known that this is in vain, because of this trouble, it is not tried.
    /// Returns the members that are done with it, with their numbers in source order.
    pub(crate) fn run(
        &self,
        worker: &mut Worker,
        ready: Ready,
        in_vain: Option<&Trouble>,
    ) -> Vec<(usize, Member)> {
        let late = ready.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let (parts, found) = if self.config.cancel.is_cancelled() {
            self.without_verdict(&ready.unit, &Trouble::Cancelled)
        } else if let Some(trouble) = in_vain {
            self.without_verdict(&ready.unit, trouble)
        } else if late {
            self.without_verdict(&ready.unit, &Trouble::OutOfTime)
        } else {
            worker.run(self, &ready)
        };
        self.finish(&ready.unit, parts, found)
    }

    fn without_verdict(&self, unit: &Unit, trouble: &Trouble) -> Found {
        let part = Part { trouble: Some(trouble.clone()), ..Part::default() };
        (self.plan.keys(unit).into_iter().map(|key| (key, part.clone())).collect(), Vec::new())
    }

    /// A member whose units are all done.
    fn member(&self, key: Key, part: &Part) -> Member {
        let (name, pos) = describe(self.program(), key);
        let mut failures = part.failures.clone();
        failures.sort_by_key(|f| f.diagnostic.pos.span().map(|s| (s.file, s.start)));
        let mut seen: HashSet<(String, Pos)> = HashSet::new();
        failures.retain(|f| seen.insert((f.diagnostic.id.to_string(), f.diagnostic.pos)));
        for failure in &mut failures {
            failure.diagnostic.member = Some(name.to_string());
        }
        let status = match &part.trouble {
            Some(trouble) => trouble.status(),
            None if failures.is_empty() => Status::Verified,
            None => Status::Failed,
        };
        Member {
            name: name.to_string(),
            kind: key.0,
            pos,
            status,
            time: part.time,
            failures,
            trouble: part.trouble.clone(),
            stats: part.stats,
        }
    }

    /// Puts the parts together, in source order. Members that are not done have this trouble.
    #[must_use]
    pub fn verdict(&self, unfinished: &Trouble) -> Verdict {
        let work = self.lock();
        let mut verdict = Verdict::default();
        let mut instances = Counts::default();
        work.parts.values().for_each(|part| instances.add(&part.instances));
        verdict.quantified = instances.quantified();
        let mut seen: HashSet<(String, Pos)> = HashSet::new();
        for key in &self.plan.members {
            let mut part = work.parts.get(key).cloned().unwrap_or_default();
            if work.units_left.get(key).is_none_or(|left| *left > 0) && part.trouble.is_none() {
                part.trouble = Some(unfinished.clone());
            }
            let mut member = self.member(*key, &part);
            let is_new = |f: &Failure| (f.diagnostic.id.to_string(), f.diagnostic.pos);
            member.failures.retain(|f| seen.insert(is_new(f)));
            verdict.stats += part.stats;
            let loops = part.instances.matching_loops(part.gave_up);
            for mut warning in part.warnings.drain(..).chain(loops) {
                // One is enough, whoever uses the formula.
                let known = |w: &Diagnostic| w.pos == warning.pos && w.id == warning.id;
                if !verdict.warnings.iter().any(known) {
                    warning.member = Some(member.name.clone());
                    verdict.warnings.push(warning);
                }
            }
            verdict.members.push(member);
        }
        verdict
    }
}

impl Verification<'_> {
    /// Writes down what came out of a unit, and makes ready what waited for it. Returns the members
    /// that are done with it.
    fn finish(
        &self,
        unit: &Unit,
        parts: BTreeMap<Key, Part>,
        found: Vec<(FunctionId, FunctionTheory)>,
    ) -> Vec<(usize, Member)> {
        let mut work = self.lock();
        for (key, part) in parts {
            work.parts.entry(self.plan.owner(key)).or_default().add(part);
        }
        for (id, theory) in found {
            work.theories[id.index()] = Some(Arc::new(theory));
        }
        if let Unit::Functions(group) = unit
            && let Some(first) = group.first()
        {
            let index = self.plan.group_of[first.index()];
            work.groups_left -= 1;
            for caller in work.groups[index].callers.clone() {
                work.groups[caller].waits_for -= 1;
                if work.groups[caller].waits_for == 0 {
                    let functions = work.groups[caller].functions.clone();
                    work.ready.push(Unit::Functions(functions));
                }
            }
            if work.groups_left == 0 {
                let later = std::mem::take(&mut work.later);
                work.ready.extend(later);
            }
        }
        let mut done = Vec::new();
        for key in self.plan.keys(unit) {
            let Some(left) = work.units_left.get_mut(&key) else { continue };
            *left = left.saturating_sub(1);
            if *left == 0
                && let Some(number) = self.plan.numbers.get(&key)
            {
                let part = work.parts.get(&key).cloned().unwrap_or_default();
                done.push((*number, self.member(key, &part)));
            }
        }
        done
    }
}

impl Part {
    fn add(&mut self, other: Part) {
        self.failures.extend(other.failures);
        self.time += other.time;
        self.stats += other.stats;
        self.instances.add(&other.instances);
        self.warnings.extend(other.warnings);
        self.gave_up |= other.gave_up;
        if self.trouble.is_none() {
            self.trouble = other.trouble;
        }
    }
}

/// Fields that are mentioned in triggers.
fn fields_in_triggers(program: &Program) -> HashSet<FieldId> {
    let mut fields = HashSet::new();
    program.walk_exprs(&mut |e| {
        if let ExprKind::Quant { triggers, .. } = &e.kind {
            for term in triggers.iter().flatten() {
                term.walk(&mut |e| {
                    if let ExprKind::Field(_, field) = e.kind {
                        fields.insert(field);
                    }
                    true
                });
            }
        }
        true
    });
    fields
}
