//! Paths from the places of which something is claimed to the next ones.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use heap::{Action, Body, Command, LocId, Out, Scalar};
use shape::{Certificate, State};
use sl::core::Var;

use super::path::{Path, Value};
use super::states::When;
use super::{Checker, Claim, Place};
use crate::logic::Root;

/// Commands on paths from one place to the next.
const MAX_STEPS: usize = 20_000;

/// So many paths come to a place before they are merged there.
const FEW: usize = 8;

/// Places where ways meet, in a procedure entered in one way.
#[derive(Default)]
struct Meets<'c> {
    /// So many paths came there.
    arrived: BTreeMap<LocId, usize>,
    /// The claims that cover some path.
    covered: BTreeSet<(LocId, usize)>,
    /// Of these, the ones that are to be followed.
    pending: Vec<(LocId, &'c State)>,
}

impl<'a> Checker<'a> {
    /// What holds at the start entails the entry.
    pub(super) fn initiation(&mut self, claim: &Claim<'_>) {
        let pos = self.program.proc(claim.entry).pos;
        if let Some(summary) = self.certificate.summaries.first() {
            self.anchors = self.anchor_sorts(&summary.entry);
        }
        let entries = self.certificate.summaries.iter();
        // With a precondition any way to enter will do: all of them are checked. The program ends with the first one.
        let count = if claim.start.is_some() { usize::MAX } else { 1 };
        let entries: Vec<&State> =
            entries.take(count).filter(|s| s.proc == claim.entry).map(|s| &s.entry).collect();
        for mut path in self.starts(claim) {
            let left = self.heap_at_end(&mut path);
            let mut right = Vec::new();
            for state in &entries {
                let roots = self.roots(&mut path.scope, When::After, state);
                right.push(self.assertion(0, state, &roots));
            }
            let scope = path.scope.clone();
            if let Err(why) = self.prove(&scope, &left, &right) {
                self.fail(&[Place::Entry(0)], &why);
                self.open(pos, format!("the entry is not shown to hold at the start: {why}"));
            }
        }
    }

    /// The paths on which nothing has happened yet.
    fn starts(&self, claim: &Claim<'_>) -> Vec<Path> {
        let empty = State::default();
        let given: Vec<&State> = match claim.start {
            Some(start) => start.states.iter().collect(),
            None => vec![&empty],
        };
        let mut paths = Vec::new();
        for state in given {
            let Some(mut path) = self.load(1, state) else { continue };
            let start = claim.start.is_some();
            for (i, global) in self.program.globals.iter().enumerate() {
                let var = self.globals[i];
                if global.constant || path.heap.cell_at(var).is_some() {
                    continue;
                }
                let size = arith::Sum::number(i128::from(self.program.size_of(&global.ty)));
                path.add_object(&self.logic, var, &size, 2, global.zeroed && !start);
            }
            if !start {
                self.initialise(&mut path);
            }
            if let Some(start) = claim.start {
                let kept = shape::kept_params(self.program, claim.entry, &start.anchors);
                path.anchors =
                    kept.iter().filter_map(|var| path.vars.get(var.index()).cloned()).collect();
            }
            paths.push(path);
        }
        paths
    }

    /// Checks a procedure for one way to enter it; `last` if the program ends with it.
    pub(super) fn summary(&mut self, number: usize, last: bool) {
        let certificate: &'a Certificate = self.certificate;
        let Some(summary) = certificate.summaries.get(number) else { return };
        self.proc = summary.proc;
        self.anchors = self.anchor_sorts(&summary.entry);
        let Some(body) = &self.program.proc(summary.proc).body else { return };
        let mut starts = vec![(LocId(0), &summary.entry, true)];
        for (at, states) in &summary.heads {
            starts.extend(states.iter().map(|state| (*at, state, false)));
        }
        let mut meets = Meets::default();
        for (at, state, entry) in starts {
            let Some(path) = self.load(0, state) else { continue };
            self.follow(number, body, (at, path, entry), last, &mut meets);
        }
        while let Some((at, state)) = meets.pending.pop() {
            let Some(path) = self.load(0, state) else { continue };
            self.follow(number, body, (at, path, false), last, &mut meets);
        }
    }

    /// Follows all paths from a place to the next ones of which something is claimed.
    fn follow(
        &mut self,
        number: usize,
        body: &Body,
        (from, path, entry): (LocId, Path, bool),
        last: bool,
        meets: &mut Meets<'a>,
    ) {
        let certificate: &'a Certificate = self.certificate;
        let Some(summary) = certificate.summaries.get(number) else { return };
        let mut pending = vec![(from, path, 0usize)];
        let mut steps = 0;
        while let Some((at, mut path, length)) = pending.pop() {
            steps += 1;
            if steps > MAX_STEPS || Instant::now() >= self.deadline {
                self.open(self.pos(from), "there are too many paths from here".into());
                return;
            }
            if length > body.locations.len() {
                self.open(self.pos(at), "a loop has no invariant".into());
                return;
            }
            let arrives = length > 0 || entry;
            if let Some((_, states)) = summary.heads.iter().find(|(head, _)| *head == at)
                && arrives
            {
                self.reaches(&mut path, states, (number, at));
                continue;
            }
            if let Some((_, states)) = summary.meets.iter().find(|(meet, _)| *meet == at)
                && arrives
                && self.meets(&mut path, states, at, meets)
            {
                continue;
            }
            if matches!(body.locations[at.index()].out, Out::Return) {
                self.returns(path, &summary.exits, (number, at), last);
                continue;
            }
            for (action, to) in body.edges(at) {
                let next = match action {
                    Action::Skip => Ok(vec![path.clone()]),
                    Action::When(e, truth) => Ok(self.assume(path.clone(), e, truth)),
                    Action::Do(Command::Call { to, callee, args }) => {
                        self.call(number, at, path.clone(), *to, callee, args)
                    }
                    Action::Do(command) => self.command(path.clone(), command),
                };
                match next {
                    Ok(paths) => pending.extend(paths.into_iter().map(|p| (to, p, length + 1))),
                    // What cannot happen cannot go wrong.
                    Err(_) if self.is_impossible(&path) => {}
                    Err(stuck) => {
                        self.fail(&stuck.claims, &stuck.what);
                        self.open(self.pos(at), stuck.what);
                    }
                }
            }
        }
    }

    /// A path comes to where ways meet: is there a claim that covers it? The first ones go on as they are, which says
    /// more; it is where there are many that they are merged.
    fn meets(
        &mut self,
        path: &mut Path,
        states: &'a [State],
        at: LocId,
        meets: &mut Meets<'a>,
    ) -> bool {
        let arrived = meets.arrived.entry(at).or_default();
        *arrived += 1;
        if *arrived <= FEW {
            return false;
        }
        let left = self.heap_at_end(path);
        let mut right = Vec::new();
        for state in states {
            let roots = self.roots(&mut path.scope, When::After, state);
            right.push(self.assertion(0, state, &roots));
        }
        let Some(place) = self.guess(&path.scope.clone(), &left, &right) else { return false };
        if let Some(state) = states.get(place)
            && meets.covered.insert((at, place))
        {
            meets.pending.push((at, state));
        }
        true
    }

    /// A path comes to the head of a loop.
    fn reaches(&mut self, path: &mut Path, states: &[State], (number, at): (usize, LocId)) {
        let left = self.heap_at_end(path);
        let mut right = Vec::new();
        for state in states {
            let roots = self.roots(&mut path.scope, When::After, state);
            right.push(self.assertion(0, state, &roots));
        }
        let scope = path.scope.clone();
        if let Err(why) = self.prove(&scope, &left, &right) {
            self.fail(&[Place::Meet(number, at)], &why);
            self.open(self.pos(at), format!("the invariant is not shown to hold again: {why}"));
        }
    }

    /// A path comes to the end of its procedure.
    fn returns(
        &mut self,
        mut path: Path,
        exits: &[State],
        (number, at): (usize, LocId),
        last: bool,
    ) {
        let gone = (0..path.objects.len()).try_for_each(|i| self.leave(&mut path, i));
        let allocas = std::mem::take(&mut path.allocas);
        let gone = gone.and_then(|()| {
            allocas.iter().try_for_each(|value| {
                path.objects.push(Some(value.clone()));
                let last = path.objects.len() - 1;
                self.leave(&mut path, last)
            })
        });
        if let Err(stuck) = gone {
            self.open(self.pos(at), stuck.what);
            return;
        }
        if last && self.closed && !self.is_all_held(&path) && !self.is_impossible(&path) {
            self.open(self.pos(at), "memory may be lost at the end".into());
        }
        let result = self.program.proc(self.proc).result;
        let mut left = path.heap.clone();
        let ty = result.and_then(|var| self.program.proc(self.proc).vars.get(var.index()));
        let ty = ty.map(|var| var.ty).filter(|ty| !matches!(ty, Scalar::Float(_)));
        let name = ty.map(|ty| {
            (self.variable(&mut path.scope, When::After, "r", 0, ty.is_pointer()), ty.is_pointer())
        });
        if let (Some((name, is_loc)), Some(result)) = (name, result) {
            let value = path.vars.get(result.index()).cloned().unwrap_or(Value::Any);
            self.name(&path, &mut left, name, is_loc, &value);
        }
        self.name_anchors(&mut path, &mut left);
        let mut right = Vec::new();
        for state in exits {
            let mut roots = self.anchor_roots(&mut path.scope, state);
            if let Some((var, is_loc)) = name {
                roots.push(Root { var, is_loc, value: state.vars.get(0) });
            }
            right.push(self.assertion(0, state, &roots));
        }
        let scope = path.scope.clone();
        if let Err(why) = self.prove(&scope, &left, &right) {
            self.fail(&[Place::Exit(number)], &why);
            self.open(self.pos(at), format!("the end of the procedure is not as claimed: {why}"));
        }
    }

    /// Do global objects lead to everything?
    fn is_all_held(&self, path: &Path) -> bool {
        let (cells, calls) = (path.heap.cells(), path.heap.calls());
        let mut reached: Vec<Var> = self.globals.clone();
        let mut seen = (vec![false; cells.len()], vec![false; calls.len()]);
        let mut grown = true;
        while grown {
            grown = false;
            for (i, cell) in cells.iter().enumerate() {
                if !seen.0[i] && reached.contains(&cell.addr) {
                    (seen.0[i], grown) = (true, true);
                    reached.extend(&cell.fields);
                }
            }
            // All nodes of an instance are reached from its first one.
            for (i, call) in calls.iter().enumerate() {
                if !seen.1[i] && call.args.first().is_some_and(|root| reached.contains(root)) {
                    (seen.1[i], grown) = (true, true);
                    reached.extend(self.logic.leads_to(call));
                }
            }
        }
        seen.0.iter().chain(&seen.1).all(|seen| *seen)
    }
}
