//! `package A --* B { … }` [Wid22, Listing 5.14]
//!
//! The script and then the right-hand side are executed for an arbitrary left-hand side, on all paths.
//! Each path ends with a footprint; [`join`](super::join) makes one of them. What was learnt on the
//! way holds for every left-hand side that the wand is applied to, and is kept as a fact about the
//! snapshot of the wand.

use std::rc::Rc;

use smt::Term;
use viper::core::{Block, Wand};

use crate::cfg::Cfg;
use crate::diagnostics::Blame;
use crate::encoding::FormulaKind;
use crate::executor::Executor;
use crate::heap::Share;
use crate::prover::{Entry, Run, Stop};
use crate::state::{Chunk, Heap, Slot, State};
use crate::stats::Purpose;
use crate::transfer::{Footprint, Reserve};

/// A wand that is being packaged.
pub(super) struct Package<'a, 'p> {
    wand: &'a Wand,
    script: &'a Cfg<'p>,
    blame: &'a Blame,
    /// The snapshot of the left-hand side, unless that has none.
    pub root: Option<Term>,
    /// What it may take from.
    pub reserves: Vec<Reserve>,
}

/// A decision on a path.
#[derive(Clone)]
pub(super) struct Fork {
    pub condition: Term,
    pub taken: bool,
    /// How many entries the path has before it.
    pub before: usize,
}

/// Where a path of a package ends.
#[derive(Clone)]
pub(super) struct End {
    pub forks: Vec<Fork>,
    /// The trail, from `start` on.
    pub entries: Vec<Entry>,
    pub start: usize,
    /// The heap of the left-hand side.
    pub lhs: Heap,
    /// With what was taken.
    pub reserves: Vec<Reserve>,
    pub result: Result,
}

#[derive(Clone, Copy)]
pub(super) enum Result {
    /// The right-hand side holds, with this snapshot.
    Gain(Term),
    /// The left-hand side cannot be there together with the footprint.
    Impossible,
    /// At a `refute`. Whether a refutation is tried is nobody's choice but ours, and where the wand is
    /// applied it is not: such a path needs nothing, and no left-hand side takes it.
    Refuted,
}

impl<'p> Executor<'p> {
    /// Packages a wand.
    pub fn package(
        &mut self,
        state: &mut State,
        wand: &Wand,
        script: &'p Block,
        blame: &Blame,
    ) -> Run<()> {
        let (resource, args) = self.eval_wand(state, wand, blame)?;
        let cfg = match Cfg::new(script) {
            Ok(cfg) => cfg,
            Err(problem) => {
                let what = format!("This control flow ({})", problem.message);
                return self.unsupported(state, problem.pos, &what);
            }
        };
        if let Some(it) = cfg.loops.first() {
            // One that does not end would prove anything.
            return self.unsupported(state, it.pos, "A loop in a proof script");
        }
        let root = if self.syntax.is_pure(&wand.lhs) { None } else { Some(self.fresh_snap(state)) };
        let mut reserves = vec![Reserve::of(state)];
        for outer in state.reserves.iter() {
            let heap = self.remaining(outer);
            reserves.push(outer.further_in(heap));
        }
        let package = Package { wand, script: &cfg, blame, root, reserves };
        // A footprint that is known to do only for some left-hand sides is none.
        let outcomes = self
            .without_errors(|this| this.explore(state, |this, s| this.run_package(s, &package)))?;
        let ends: Vec<&End> = outcomes.iter().map(|o| &o.value).collect();
        self.learn_choices(state, &ends)?;
        let taken: Vec<&End> =
            ends.iter().copied().filter(|end| !matches!(end.result, Result::Refuted)).collect();
        let (footprint, rest) = self.join_footprints(state, &package, &taken)?;
        // What is taken counts, even if it turns out to be impossible.
        self.take_from_reserves(state, &footprint);
        self.relate_footprint(state, &package, &footprint)?;
        self.take_from_heap(state, &footprint)?;
        let snap = self.fresh_snap(state);
        self.describe(state, snap, &package, &ends)?;
        let perm = self.amount(1, 1);
        state.heap.push(Chunk { resource, args: args.into(), snap, perm, rest: rest.map(Rc::new) });
        Ok(())
    }

    /// Amounts that were chosen for all left-hand sides are what they are, wand or not.
    fn learn_choices(&mut self, state: &mut State, ends: &[&End]) -> Run<()> {
        for (level, reserve) in ends.iter().flat_map(|end| end.reserves.iter().enumerate()) {
            for choice in &reserve.choices {
                self.assume(state, *choice)?;
                if let Some(further_out) = level.checked_sub(1) {
                    Rc::make_mut(&mut state.reserves)[further_out].choices.push(*choice);
                }
            }
        }
        Ok(())
    }

    /// Produces the left-hand side into an empty heap.
    fn produce_lhs(&mut self, state: &mut State, package: &Package<'_, 'p>) -> Run<()> {
        let Package { wand, root, blame, .. } = *package;
        state.heap = Heap::default();
        let snap = match root {
            Some(root) if self.syntax.varies(&wand.lhs, state.owner) => self.snap_second(root),
            Some(root) => root,
            None => self.fresh_snap(state),
        };
        let full = self.amount(1, 1);
        self.produce(state, &wand.lhs, snap, full, blame)
    }

    /// One path of a package.
    fn run_package(&mut self, state: &mut State, package: &Package<'_, 'p>) -> Run<End> {
        let mark = self.trail().len();
        // Whatever is chosen on the way may depend on the left-hand side.
        state.parameters = state.parameters.iter().chain(&package.root).copied().collect();
        state.fixed = state.parameters.len();
        state.reserves = Rc::new(package.reserves.clone());
        let mut lhs = Heap::default();
        let result = match self.run_parts(state, package, &mut lhs) {
            Ok(result) => result,
            Err(Stop::Infeasible) => Result::Impossible,
            Err(Stop::Ended) => Result::Refuted,
            Err(stop) => return Err(stop),
        };
        let entries = self.trail()[mark..].to_vec();
        let mut forks = Vec::new();
        for (before, entry) in entries.iter().enumerate() {
            if let Entry::Fork(condition, taken) = entry {
                forks.push(Fork { condition: *condition, taken: *taken, before });
            }
        }
        Ok(End { forks, entries, start: mark, lhs, reserves: state.reserves.to_vec(), result })
    }

    fn run_parts(
        &mut self,
        state: &mut State,
        package: &Package<'_, 'p>,
        lhs: &mut Heap,
    ) -> Run<Result> {
        self.produce_lhs(state, package)?;
        *lhs = state.heap.clone();
        let (labels, store) = (state.labels.clone(), state.store.clone());
        state.lhs = Some(lhs.clone());
        self.run_script(state, package.script)?;
        // The wand means what it means outside, whatever the script assigned or remembered.
        state.lhs = Some(lhs.clone());
        (state.labels, state.store) = (labels, store);
        state.mode.want_snap = true;
        let mut heap = state.heap.clone();
        let snap = self.consume(state, &mut heap, &package.wand.rhs, package.blame)?;
        Ok(Result::Gain(snap))
    }

    /// What a nested wand takes from further out is there together with the heap of the state.
    fn relate_footprint(
        &mut self,
        state: &mut State,
        package: &Package<'_, 'p>,
        footprint: &Footprint,
    ) -> Run<()> {
        for (reserve, places) in package.reserves.iter().zip(footprint).skip(1) {
            for (slot, amount) in places {
                let Slot::Single(index) = *slot else { continue };
                let chunk = reserve.heap.chunks()[index].clone();
                if chunk.resource.is_wand() {
                    continue;
                }
                let share = Share { snap: chunk.snap, perm: *amount };
                let others: Vec<Chunk> =
                    state.heap.of(chunk.resource).map(|(_, c)| c.clone()).collect();
                for other in others {
                    self.relate(state, &other, &chunk.args, share)?;
                }
            }
        }
        Ok(())
    }

    /// Takes the part of a footprint that comes from further out.
    fn take_from_reserves(&mut self, state: &mut State, footprint: &Footprint) {
        let zero = self.amount(0, 1);
        for (level, places) in footprint.iter().skip(1).enumerate() {
            for (slot, amount) in places {
                if *amount != zero {
                    self.note_taken(state, level, *slot, *amount);
                }
            }
        }
    }

    /// Takes the part of a footprint that comes from the heap of the state.
    fn take_from_heap(&mut self, state: &mut State, footprint: &Footprint) -> Run<()> {
        let zero = self.amount(0, 1);
        let mut empty = Vec::new();
        for (slot, amount) in footprint.first().into_iter().flatten() {
            if *amount == zero {
                continue;
            }
            match *slot {
                Slot::Single(i) => {
                    let left = self.terms.sub(state.heap.chunks()[i].perm, *amount);
                    state.heap.get_mut(i).perm = left;
                    let nothing = self.terms.eq(left, zero);
                    if self.prove_quickly(state, Purpose::Permission, nothing)? {
                        empty.push(i);
                    }
                }
                Slot::Quantified(i) => {
                    let left = self.terms.sub(state.heap.quantified()[i].perm, *amount);
                    state.heap.quantified_mut(i).perm = left;
                }
            }
        }
        for index in empty.into_iter().rev() {
            state.heap.remove(index);
        }
        Ok(())
    }

    /// What is known about the snapshot of a wand that was packaged.
    fn describe(
        &mut self,
        state: &mut State,
        wand: Term,
        package: &Package<'_, 'p>,
        ends: &[&End],
    ) -> Run<()> {
        let lhs = package.root.unwrap_or(self.unit());
        let gain = self.wand_gain(wand, lhs);
        let mut facts = Vec::new();
        for end in ends {
            let mut guard = self.terms.bool(true);
            for entry in &end.entries {
                match entry {
                    Entry::Guard(g) | Entry::Side(g) => guard = self.terms.and([guard, *g]),
                    // What is known before a refutation is known on other paths, too.
                    Entry::Fact(_) | Entry::Lasting(..)
                        if matches!(end.result, Result::Refuted) => {}
                    Entry::Fact(fact) | Entry::Lasting(fact, _) => {
                        facts.push(self.terms.implies(guard, *fact));
                    }
                    Entry::Fork(..) | Entry::Proved(_) => {}
                }
            }
            match end.result {
                Result::Gain(snap) => {
                    let equal = self.terms.eq(gain, snap);
                    facts.push(self.terms.implies(guard, equal));
                }
                Result::Impossible | Result::Refuted => facts.push(self.terms.not(guard)),
            }
        }
        let all = self.terms.and(facts);
        let applied = self.wand_applied(wand, lhs);
        let body = self.terms.implies(applied, all);
        let fact = match package.root {
            Some(root) => self.for_all(FormulaKind::Wand, &[root], &[vec![gain]], body),
            None => body,
        };
        self.assume(state, fact)
    }
}
