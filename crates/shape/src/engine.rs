//! The fixed point: states at locations of procedures, and summaries of procedures by what they are entered with.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use heap::run::{FaultKind, Property};
use heap::{Action, LocId, Out, ProcId, Program};
use report::Pos;

use crate::calls::{Call, CallSite};
use crate::eval::{Scope, values_of};
use crate::exec::Next;
use crate::fold::fold;
use crate::heap::{Kind, RIGID, State, is_rigid};
use crate::join::{Mode, join};
use crate::live::{self, ProcInfo};
use crate::precision::{Precision, numbers, tracks};
use crate::preds::Preds;
use crate::records::Records;
use crate::start::{Start, constant_params};
use crate::term::{Sym, Term};
use crate::vars::Vars;

/// States at a location before the analysis gives up.
const MAX_STATES: usize = 120;
/// Ways to enter a procedure before they are joined.
const MAX_ENTRIES: usize = 24;
/// A heap with more atoms than this is folded before a call.
pub(crate) const LARGE: usize = 12;

/// What an analysis may do, and for how long.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// How much is kept apart.
    pub precision: Precision,
    /// May an allocation fail?
    pub malloc_may_fail: bool,
    /// Are integers those of the target, not unbounded ones?
    pub machine_integers: bool,
    /// When to stop.
    pub deadline: Option<Instant>,
    /// Set from outside to stop.
    pub cancelled: Arc<AtomicBool>,
    /// How many commands were executed, for whoever watches.
    pub executed: Arc<AtomicU64>,
}

/// Why an analysis did not come to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// There was no more time.
    Time,
    /// It was cancelled.
    Cancelled,
    /// At this place, for this reason.
    GaveUp(Pos, String),
}

/// Where a command is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Site {
    /// The procedure.
    pub proc: ProcId,
    /// The location before the command.
    pub at: LocId,
}

/// Something that may go wrong.
#[derive(Clone, Debug)]
pub struct PossibleFault {
    /// What.
    pub kind: FaultKind,
    /// Where.
    pub site: Site,
    /// Where in the source.
    pub pos: Pos,
    /// A clause for people.
    pub what: String,
    /// May the program go on from there in ways that were not followed?
    pub cuts: bool,
    /// The state.
    pub state: State,
    /// The pointer that may lead nowhere: with an object there, it would not go wrong.
    pub missing: Option<Sym>,
}

/// What holds at the head of a loop or at the start of a procedure: one of these states.
#[derive(Clone, Debug)]
pub struct Invariant {
    /// Where.
    pub site: Site,
    /// Where in the source.
    pub pos: Pos,
    /// One of these holds.
    pub states: Vec<State>,
}

/// The states of procedures, by how they are entered, and the calls between them. They are inductive if the analysis
/// is right.
#[derive(Clone, Debug, Default)]
pub struct Certificate {
    /// The first ones are those of the entry.
    pub summaries: Vec<SummaryStates>,
    /// The calls.
    pub calls: Vec<CallStates>,
}

/// A procedure that is entered in a state.
#[derive(Clone, Debug)]
pub struct SummaryStates {
    /// The procedure.
    pub proc: ProcId,
    /// What it is entered with: parameters, and the heap that they and globals lead to.
    pub entry: State,
    /// What holds at the heads of its loops: one of these.
    pub heads: Vec<(LocId, Vec<State>)>,
    /// The same for other locations where ways meet.
    pub meets: Vec<(LocId, Vec<State>)>,
    /// One of these holds when it returns; the only variable is its result.
    pub exits: Vec<State>,
}

/// A call: what the caller has is a state of the callee's entry and a frame.
#[derive(Clone, Debug)]
pub struct CallStates {
    /// The number of the caller's summary.
    pub caller: usize,
    /// The call.
    pub site: Site,
    /// The number of the callee's summary.
    pub callee: usize,
    /// What the callee does not see, with the caller's variables.
    pub frame: State,
    /// Symbols of the frame; the callee's anchors are their values.
    pub anchors: Vec<Sym>,
}

/// What an analysis found.
#[derive(Debug)]
pub struct Outcome {
    /// Was a fixed point reached?
    pub complete: Result<(), Stop>,
    /// What may go wrong, once for each place and kind.
    pub faults: Vec<PossibleFault>,
    /// What holds at the heads of loops.
    pub invariants: Vec<Invariant>,
    /// Of an entry with a precondition: the states in which it returns, with its result and the first values of
    /// those parameters that are never assigned to or are anchors.
    pub exits: Vec<State>,
    /// The anchors.
    pub anchors: Vec<heap::VarId>,
    /// What the analysis rests on: a check needs nothing else.
    pub certificate: Certificate,
    /// The predicates that the states mention.
    pub preds: Preds,
    /// Commands that were executed on states.
    pub steps: u64,
}

/// When a location is looked at: the newest summary first, then in the order of the control flow.
type Turn = (Reverse<usize>, u32);

/// A procedure entered with a state.
pub(crate) struct Summary {
    proc: ProcId,
    entry: State,
    /// States at locations where ways meet.
    at: HashMap<LocId, Vec<State>>,
    pub(crate) exits: Vec<State>,
    pub(crate) callers: Vec<Call>,
}

/// The analysis.
pub(crate) struct Engine<'p> {
    pub(crate) program: &'p Program,
    pub(crate) options: &'p Options,
    pub(crate) preds: Preds,
    pub(crate) info: Vec<ProcInfo>,
    pub(crate) stops: Vec<i128>,
    pub(crate) summaries: Vec<Summary>,
    entries: HashMap<ProcId, Vec<usize>>,
    queue: BTreeMap<Turn, Vec<(LocId, State)>>,
    faults: Vec<PossibleFault>,
    known_faults: HashSet<(Site, FaultKind, bool)>,
    /// So many of the summaries are those of a precondition; they come first.
    given: usize,
    stopped: Option<Stop>,
    steps: u64,
}

/// Analyses a program from an entry on.
#[must_use]
pub fn analyse(program: &Program, entry: ProcId, options: &Options) -> Outcome {
    analyse_from(program, entry, None, options)
}

/// Analyses a program from an entry on, in the states of a precondition if there is one.
#[must_use]
pub fn analyse_from(
    program: &Program,
    entry: ProcId,
    start: Option<&Start>,
    options: &Options,
) -> Outcome {
    let stops = numbers(program, options.precision.keep);
    let records = Arc::new(Records::new(program));
    let mut engine = Engine {
        program,
        options,
        preds: Preds::new(&stops, tracks(program, options.precision.numbers), records),
        info: live::analyse(program),
        stops,
        summaries: Vec::new(),
        entries: HashMap::new(),
        queue: BTreeMap::new(),
        faults: Vec::new(),
        known_faults: HashSet::new(),
        given: 0,
        stopped: None,
        steps: 0,
    };
    if program.proc(entry).body.is_some() {
        match start {
            None => {
                let state = engine.start(entry);
                engine.enter(entry, state);
            }
            Some(start) => engine.enter_from(entry, start),
        }
        engine.run();
    } else {
        engine.stopped =
            Some(Stop::GaveUp(program.proc(entry).pos, "the entry has no body".into()));
    }
    let anchors = start.map(|start| start.anchors.clone()).unwrap_or_default();
    Outcome { anchors, ..engine.outcome() }
}

impl Outcome {
    /// Is a property proved? Nothing is claimed about what comes after a memory error.
    #[must_use]
    pub fn proves(&self, property: Property) -> bool {
        let violates = |fault: &PossibleFault| {
            fault.cuts
                || fault.kind.property().is_some_and(|p| p == property || p == Property::MemSafety)
        };
        self.complete.is_ok() && !self.faults.iter().any(violates)
    }
}

/// Analyses with one precision after the other, until all of these properties are proved or there is no time.
#[must_use]
pub fn analyse_all(
    program: &Program,
    entry: ProcId,
    options: &Options,
    properties: &[Property],
) -> Vec<Outcome> {
    analyse_all_from(program, entry, None, options, properties)
}

/// The same in the states of a precondition if there is one.
#[must_use]
pub fn analyse_all_from(
    program: &Program,
    entry: ProcId,
    start: Option<&Start>,
    options: &Options,
    properties: &[Property],
) -> Vec<Outcome> {
    let mut outcomes: Vec<Outcome> = Vec::new();
    let tries = [
        Precision::USUAL,
        Precision::FINE,
        Precision::DATA,
        Precision::PARTS,
        Precision::COARSE,
        Precision::HEADS,
        Precision::FINEST,
    ];
    // Names of callers keep nodes apart, so they are taken into account only if memory is lost without them.
    let anchored = start.map(|start| start.anchored(program, entry));
    for precision in tries {
        for (start, again) in [(start, false), (anchored.as_ref(), true)] {
            let proved = outcomes.iter().any(|o| o.proves(Property::MemTrack));
            let lost = properties.contains(&Property::MemTrack) && !proved;
            if again && (start.is_none() || !lost) {
                continue;
            }
            let now = Instant::now();
            let share = options.deadline.map(|end| now + end.saturating_duration_since(now) / 3);
            let options = Options { precision, deadline: share, ..options.clone() };
            outcomes.push(analyse_from(program, entry, start, &options));
            let proves = |property: &Property| outcomes.iter().any(|o| o.proves(*property));
            let cancelled = options.cancelled.load(Ordering::Relaxed);
            if properties.iter().all(proves) || cancelled {
                return outcomes;
            }
        }
    }
    outcomes
}

impl<'p> Engine<'p> {
    pub(crate) fn scope(&self, site: Site) -> Scope<'p> {
        self.scope_of(site.proc)
    }

    pub(crate) fn scope_of(&self, proc: ProcId) -> Scope<'p> {
        Scope { program: self.program, proc, machine: self.options.machine_integers }
    }

    pub(crate) fn fault(
        &mut self,
        site: Site,
        kind: FaultKind,
        cuts: bool,
        state: &State,
        what: String,
    ) {
        self.fault_at(site, kind, cuts, state, what, None);
    }

    /// The same, with the pointer that leads nowhere.
    pub(crate) fn fault_at(
        &mut self,
        site: Site,
        kind: FaultKind,
        cuts: bool,
        state: &State,
        what: String,
        missing: Option<Sym>,
    ) {
        if !self.known_faults.insert((site, kind, cuts)) {
            return;
        }
        let pos = self.pos(site);
        let state = state.clone();
        self.faults.push(PossibleFault { kind, site, pos, what, cuts, state, missing });
    }

    pub(crate) fn gave_up(&mut self, site: Site, why: &str) {
        if self.stopped.is_none() {
            self.stopped = Some(Stop::GaveUp(self.pos(site), why.to_string()));
        }
    }

    fn pos(&self, site: Site) -> Pos {
        let body = self.program.proc(site.proc).body.as_ref();
        body.and_then(|body| body.locations.get(site.at.index()))
            .map_or(self.program.proc(site.proc).pos, |l| l.pos)
    }

    /// The entry is called in the states of a precondition.
    fn enter_from(&mut self, entry: ProcId, start: &Start) {
        for pred in &start.preds {
            self.preds.intern(pred.clone());
        }
        for (var, constant) in constant_params(self.program, entry).into_iter().enumerate() {
            if let (true, Some(info)) = (constant, self.info.get_mut(entry.index())) {
                info.keep(var);
            }
        }
        for given in &start.states {
            let mut state = self.start_from(entry, given, &start.anchors);
            if state.normalise(&self.preds).is_ok() {
                self.enter(entry, state);
            }
        }
        self.given = self.summaries.len();
    }

    /// Variables and local objects of a procedure that is entered.
    pub(crate) fn frame(&self, state: &mut State, proc: ProcId, args: &Vars, count: usize) {
        let decl = self.program.proc(proc);
        state.vars = args.clone();
        // Those that are set before they are read need no value.
        let info = &self.info[proc.index()];
        for (var, value) in decl.vars.iter().enumerate().skip(count) {
            if var < decl.params as usize || info.is_live(LocId(0), var) {
                let value = state.any(values_of(value.ty));
                state.vars.set(var, value);
            }
        }
        state.objects.clear();
        state.allocas = Vec::new();
    }

    /// The summary of a procedure for an entry, which may be a more general one.
    pub(crate) fn enter(&mut self, proc: ProcId, mut entry: State) -> usize {
        self.tidy(&mut entry);
        let known = self.entries.get(&proc).cloned().unwrap_or_default();
        let exact = Mode { insert: false, remove: false, widen: None };
        for id in &known {
            let old = self.summaries[*id].entry.clone();
            if join(&mut self.preds, &old, &entry, exact).is_some_and(|joined| !joined.left_general)
            {
                return *id;
            }
        }
        let recursive = self.info[proc.index()].recursive;
        let limit = if recursive { self.options.precision.delay } else { MAX_ENTRIES };
        if known.len() >= limit {
            let stops = self.stops.clone();
            for insert in [false, true] {
                let general = Mode { insert, remove: false, widen: Some(&stops) };
                for id in known.iter().rev() {
                    let old = self.summaries[*id].entry.clone();
                    if let Some(joined) = join(&mut self.preds, &old, &entry, general) {
                        entry = joined.result;
                        self.tidy(&mut entry);
                        break;
                    }
                }
            }
            // The more general one may be known.
            for id in &known {
                let old = self.summaries[*id].entry.clone();
                if join(&mut self.preds, &old, &entry, exact)
                    .is_some_and(|joined| !joined.left_general)
                {
                    return *id;
                }
            }
            if known.len() >= MAX_STATES {
                self.gave_up(
                    Site { proc, at: LocId(0) },
                    "a procedure is entered in too many ways",
                );
            }
        }
        let id = self.summaries.len();
        self.summaries.push(Summary {
            proc,
            entry: entry.clone(),
            at: HashMap::new(),
            exits: Vec::new(),
            callers: Vec::new(),
        });
        self.entries.entry(proc).or_default().push(id);
        self.arrive(id, LocId(0), entry);
        id
    }

    fn run(&mut self) {
        while self.stopped.is_none() {
            let Some(mut first) = self.queue.first_entry() else { return };
            let Reverse(summary) = first.key().0;
            let Some((at, state)) = first.get_mut().pop() else {
                first.remove();
                continue;
            };
            if first.get().is_empty() {
                first.remove();
            }
            self.steps += 1;
            self.options.executed.fetch_add(1, Ordering::Relaxed);
            self.look_at_clock();
            self.follow(summary, at, state);
        }
    }

    /// Stops if there is no more time. One command may lead to many states, so each of them asks.
    fn look_at_clock(&mut self) {
        if self.stopped.is_some() {
            return;
        }
        if self.options.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            self.stopped = Some(Stop::Time);
        }
        if self.options.cancelled.load(Ordering::Relaxed) {
            self.stopped = Some(Stop::Cancelled);
        }
    }

    /// Follows the edges of a location.
    fn follow(&mut self, summary: usize, at: LocId, state: State) {
        let proc = self.summaries[summary].proc;
        let site = Site { proc, at };
        let program = self.program;
        let Some(body) = &program.proc(proc).body else { return };
        if matches!(body.locations[at.index()].out, Out::Return) {
            self.leave(summary, site, state);
            return;
        }
        for (action, to) in body.edges(at) {
            match action {
                Action::Skip => self.arrive(summary, to, state.clone()),
                Action::When(cond, truth) => {
                    let scope = self.scope(site);
                    for next in state.clone().assume(&self.preds, &scope, cond, truth) {
                        self.arrive(summary, to, next);
                    }
                }
                Action::Do(command) => match self.execute(site, state.clone(), command) {
                    Next::States(states) => {
                        for mut next in states {
                            self.lost(site, to, &mut next);
                            self.arrive(summary, to, next);
                        }
                    }
                    Next::Calls(calls, target) => {
                        let from = CallSite { summary, site, next: to, to: target };
                        for (state, callee, args) in calls {
                            self.call(from, state, callee, &args);
                        }
                    }
                },
            }
        }
    }

    /// Memory that nothing leads to any more is a leak.
    ///
    /// A temporary that is not read again does not lead to anything: no user knows it.
    pub(crate) fn lost(&mut self, site: Site, next: LocId, state: &mut State) {
        let decl = self.program.proc(site.proc);
        let info = &self.info[site.proc.index()];
        state.vars.retain(|var| {
            !decl.vars.get(var).is_some_and(|var| var.temporary)
                || info.is_live(next, var)
                || decl.result.is_some_and(|result| result.index() == var)
        });
        self.lost_memory(site, state);
    }

    pub(crate) fn lost_memory(&mut self, site: Site, state: &mut State) {
        let (objs, segs) = state.heap.reachable(state.roots());
        let lost_objs: Vec<Sym> =
            state.heap.objs.keys().filter(|at| !objs.contains(at)).copied().collect();
        let lost_segs: Vec<usize> =
            (0..state.heap.segs.len()).filter(|i| !segs.contains(i)).collect();
        if lost_objs.is_empty() && lost_segs.is_empty() {
            if state.may_lose(&self.preds, 3) {
                let what = "memory is lost if a list that leads to it is empty".into();
                self.fault(site, FaultKind::Leak, false, state, what);
            }
            return;
        }
        let on_heap = lost_objs
            .iter()
            .any(|at| state.heap.objs.get(at).is_some_and(|o| o.kind == Kind::Heap));
        if on_heap || !lost_segs.is_empty() {
            let kept = state.clone();
            self.fault(
                site,
                FaultKind::Leak,
                false,
                &kept,
                "memory is lost: nothing leads to it any more".into(),
            );
        }
        for at in lost_objs {
            state.heap.objs.remove(&at);
        }
        for i in lost_segs.into_iter().rev() {
            state.heap.segs.remove(i);
        }
    }

    /// Forgets what nobody can name: facts about symbols that do not occur, and segments that are certainly empty.
    pub(crate) fn tidy(&self, state: &mut State) {
        let mut used: HashSet<Sym> = HashSet::new();
        used.extend(
            state.vars.values().chain(state.anchors.iter().copied()).filter_map(|term| term.base),
        );
        state.heap.for_each_term(&mut |term| used.extend(term.base));
        state.heap.pure.retain(|sym| used.contains(&sym));
    }

    /// Variables that are not read again are forgotten, unless that loses memory.
    fn forget_dead(&mut self, site: Site, state: &mut State) {
        let info = &self.info[site.proc.index()];
        for (var, value) in state.vars.clone().iter() {
            if info.is_live(site.at, var) {
                continue;
            }
            let leads = value.base.is_some_and(|base| !is_rigid(base))
                && state.heap.place(value) != crate::heap::Place::Nowhere;
            let before = leads.then(|| state.held());
            state.vars.set(var, Term::DEAD);
            if before.is_some_and(|before| state.held() != before) {
                state.vars.set(var, value);
            }
        }
    }

    /// Folds a state.
    pub(crate) fn fold(&mut self, state: &mut State) {
        fold(state, &mut self.preds, self.options.precision);
    }

    /// A state comes to a location.
    pub(crate) fn arrive(&mut self, summary: usize, at: LocId, mut state: State) {
        self.look_at_clock();
        if self.stopped.is_some() {
            return;
        }
        let proc = self.summaries[summary].proc;
        let site = Site { proc, at };
        let info = &self.info[proc.index()];
        let (head, meets) = (info.head[at.index()], info.meets[at.index()]);
        if head || meets {
            self.forget_dead(site, &mut state);
            self.tidy(&mut state);
            if head {
                self.fold(&mut state);
                if state.normalise(&self.preds).is_err() {
                    return;
                }
                self.tidy(&mut state);
            }
            let mut all = self.summaries[summary].at.remove(&at).unwrap_or_default();
            let new = self.include(site, &mut all, state, head);
            self.summaries[summary].at.insert(at, all);
            match new {
                Some(new) => state = new,
                None => return,
            }
        }
        let order = self.info[proc.index()].order[at.index()];
        self.queue.entry((Reverse(summary), order)).or_default().push((at, state));
    }

    /// Adds a state to others, unless one of them includes it. What is new is what there is to follow.
    fn include(
        &mut self,
        site: Site,
        all: &mut Vec<State>,
        mut state: State,
        head: bool,
    ) -> Option<State> {
        let exact = Mode { insert: false, remove: false, widen: None };
        for old in all.iter() {
            if old == &state {
                return None;
            }
            if join(&mut self.preds, old, &state, exact).is_some_and(|joined| !joined.left_general)
            {
                return None;
            }
        }
        let stops = self.stops.clone();
        let Precision { delay, apart, .. } = self.options.precision;
        let delay = if head { delay } else { apart };
        if all.len() >= delay {
            let widen = head.then_some(&stops[..]);
            let insert = all.len() >= apart;
            // Where there are many heaps those with and without a last node are one.
            let remove = insert && apart <= 1;
            let mut i = 0;
            let mut grown = false;
            while i < all.len() {
                let mode = Mode { insert, remove, widen };
                let joined = join(&mut self.preds, &all[i], &state, mode);
                match joined {
                    Some(joined) if insert || !joined.shape_general => {
                        if !joined.left_general {
                            return None;
                        }
                        state = joined.result;
                        self.tidy(&mut state);
                        all.remove(i);
                        grown = true;
                    }
                    _ => i += 1,
                }
            }
            if grown {
                // Segments that were matched with nothing may be next to each other.
                if head && insert {
                    self.fold(&mut state);
                    if state.normalise(&self.preds).is_err() {
                        return None;
                    }
                    self.tidy(&mut state);
                }
                all.push(state.clone());
                return Some(state);
            }
        }
        if all.len() >= MAX_STATES {
            self.gave_up(site, "there are too many different heaps here");
            return None;
        }
        all.push(state.clone());
        Some(state)
    }

    /// A procedure ends.
    fn leave(&mut self, summary: usize, site: Site, mut state: State) {
        let decl = self.program.proc(site.proc);
        let result = decl.result.map(|var| state.vars.get(var.index()));
        let stack: Vec<Sym> = std::mem::take(&mut state.objects)
            .into_values()
            .chain(state.allocas.drain(..))
            .collect();
        for at in stack {
            state.heap.objs.remove(&at);
            state.heap.pure.assume_disequal(Term::sym(at), Term::NULL);
        }
        // When the program ends nobody has its result: the first summary is that of the entry. With a precondition
        // there is a caller.
        if summary == 0 && self.given == 0 {
            let mut end = State { vars: Vars::default(), ..state.clone() };
            self.lost_memory(site, &mut end);
        }
        state.vars = result.into_iter().collect();
        self.lost_memory(site, &mut state);
        self.tidy(&mut state);
        let atoms = state.heap.objs.range(..Sym(RIGID)).count() + state.heap.segs.len();
        let recursive = self.info[site.proc.index()].recursive;
        if recursive || atoms > LARGE {
            self.fold(&mut state);
            if state.normalise(&self.preds).is_err() {
                return;
            }
            self.tidy(&mut state);
        }
        let mut exits = std::mem::take(&mut self.summaries[summary].exits);
        let new = self.include(site, &mut exits, state, recursive);
        self.summaries[summary].exits = exits;
        if let Some(exit) = new {
            for i in 0..self.summaries[summary].callers.len() {
                self.returned(summary, i, &exit);
            }
        }
    }

    fn certificate(&mut self) -> Certificate {
        let mut certificate = Certificate::default();
        for (callee, summary) in std::mem::take(&mut self.summaries).into_iter().enumerate() {
            let head = &self.info[summary.proc.index()].head;
            let mut all: Vec<(LocId, Vec<State>)> = summary.at.into_iter().collect();
            all.sort_by_key(|(at, _)| *at);
            let (heads, meets) = all.into_iter().partition(|(at, _)| head[at.index()]);
            for call in summary.callers {
                let (from, frame, anchors) = call.parts();
                let (caller, site) = (from.summary, from.site);
                certificate.calls.push(CallStates { caller, site, callee, frame, anchors });
            }
            let (proc, entry, exits) = (summary.proc, summary.entry, summary.exits);
            certificate.summaries.push(SummaryStates { proc, entry, heads, meets, exits });
        }
        certificate
    }

    fn outcome(mut self) -> Outcome {
        let certificate = self.certificate();
        let mut invariants: BTreeMap<Site, Vec<State>> = BTreeMap::new();
        for summary in &certificate.summaries {
            for (at, states) in &summary.heads {
                let site = Site { proc: summary.proc, at: *at };
                invariants.entry(site).or_default().extend(states.iter().cloned());
            }
        }
        let invariants = invariants
            .into_iter()
            .map(|(site, states)| Invariant { site, pos: self.pos(site), states })
            .collect();
        let complete = match self.stopped.take() {
            None => Ok(()),
            Some(stop) => Err(stop),
        };
        let given = certificate.summaries.iter().take(self.given);
        let exits = given.flat_map(|summary| summary.exits.iter().cloned()).collect();
        let Engine { faults, preds, steps, .. } = self;
        let anchors = Vec::new();
        Outcome { complete, faults, invariants, exits, anchors, certificate, preds, steps }
    }
}
