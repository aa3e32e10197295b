//! Invariants, checked: a pass that knows nothing of how they were found.
//!
//! What the analysis claims is given as states: of the entries and exits of procedures, of the heads of their loops, and
//! what a caller keeps to itself (its frame). They become assertions ([`crate::logic`]). From each of them the check
//! executes symbolically, on a heap of the core, up to the next such place; there the heap has to entail one of the
//! assertions, by a proof that `proof` accepts. So
//!
//! - what holds at the start of the program entails the entry (initiation),
//! - assertions at the heads of loops lead to assertions at heads, calls and exits (consecution); a call needs the
//!   callee's entry beside the frame, and gives one of its exits beside the frame, for all values of the variables that
//!   both mention,
//! - every access on the way is inside of an object that is there, what is freed is the start of one on the heap,
//!   assertions hold, and nothing is left over where memory must not be lost (safety).
//!
//! By induction on the length of runs, none of them goes wrong. Instances are unfolded by their definitions; that at the
//! end of a doubly linked list is justified by an entailment of its own.

mod calls;
mod eval;
mod exec;
mod path;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use heap::run::Property;
use heap::{Action, Body, Callee, Command, LocId, Out, ProcId, Program, Scalar};
use report::Pos;
use shape::{Certificate, Heap, Pred, Start, State, Term};
use sl::Budget;
use sl::core::{Scope, SymHeap, Var};

use crate::logic::{Checked, Encoder, Logic, Root, entails};
use path::{Path, Value};

/// What came of a check.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Entailments that were proved.
    pub proved: usize,
    /// What was not shown.
    pub open: Vec<Open>,
}

impl Report {
    /// Was everything shown?
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.open.is_empty()
    }
}

/// Something that was not shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Open {
    /// The procedure.
    pub proc: ProcId,
    /// The loop, call or command.
    pub pos: Pos,
    /// What: a clause.
    pub what: String,
}

/// What is checked.
#[derive(Clone, Copy, Debug)]
pub struct Claim<'a> {
    /// The program.
    pub program: &'a Program,
    /// Where it starts.
    pub entry: ProcId,
    /// In which states, if not in that of the program's start.
    pub start: Option<&'a Start>,
    /// What the analysis says: states, and the predicates that they mention.
    pub certificate: &'a Certificate,
    /// The predicates.
    pub preds: &'a [Pred],
    /// What it claims: memory safety, and these.
    pub properties: &'a [Property],
    /// May an allocation fail?
    pub malloc_may_fail: bool,
    /// When to stop.
    pub deadline: Instant,
}

/// Why a path does not go on.
#[derive(Clone, Debug)]
struct Stuck(String);

impl Stuck {
    fn new(what: &str) -> Stuck {
        Stuck(what.to_owned())
    }

    fn reason(reason: sl::Reason) -> Stuck {
        Stuck(reason.to_string())
    }
}

/// So many open obligations are listed.
const MOST: usize = 12;
/// Commands on paths from one place to the next.
const MAX_STEPS: usize = 20_000;
/// How long one entailment may take.
const TIME: Duration = Duration::from_millis(2_000);
/// How long a guess may take which of several assertions is entailed.
const GUESS: Duration = Duration::from_millis(150);

struct Checker<'a> {
    program: &'a Program,
    certificate: &'a Certificate,
    properties: &'a [Property],
    malloc_may_fail: bool,
    deadline: Instant,
    logic: Logic,
    /// The addresses of global objects.
    globals: Vec<Var>,
    /// The scope with these.
    base: Scope,
    /// Must nothing be left over?
    closed: bool,
    /// The procedure that is looked at.
    proc: ProcId,
    /// Which of its logical variables are locations.
    anchors: Vec<bool>,
    report: Report,
}

/// Checks what an analysis claims.
///
/// What it says of numbers is forgotten first: most programs are safe without, and there is less to show. What the rest does
/// not show is tried with them.
#[must_use]
pub fn check(claim: &Claim<'_>) -> Report {
    let now = Instant::now();
    let half = now + claim.deadline.saturating_duration_since(now) / 2;
    let (certificate, preds) = without_numbers(claim.certificate, claim.preds);
    let shapes = Claim { certificate: &certificate, preds: &preds, deadline: half, ..*claim };
    let report = check_all(&shapes);
    if report.is_complete() {
        return report;
    }
    let all = check_all(claim);
    if all.open.len() <= report.open.len() { all } else { report }
}

/// Drops what states say of numbers.
fn without_numbers(certificate: &Certificate, preds: &[Pred]) -> (Certificate, Vec<Pred>) {
    let mut certificate = certificate.clone();
    let mut preds = preds.to_vec();
    let states = certificate.summaries.iter_mut().flat_map(|summary| {
        let heads = summary.heads.iter_mut().flat_map(|(_, states)| states);
        std::iter::once(&mut summary.entry).chain(heads).chain(&mut summary.exits)
    });
    states.for_each(|state| forget_numbers(&mut state.heap));
    certificate.calls.iter_mut().for_each(|call| forget_numbers(&mut call.frame.heap));
    let bodies = preds.iter_mut().flat_map(|pred| &mut pred.bodies);
    bodies.for_each(|body| forget_numbers(&mut body.heap));
    (certificate, preds)
}

/// Drops what a heap says of numbers, apart from the sizes of objects.
pub fn forget_numbers(heap: &mut Heap) {
    heap.pure.bounds.clear();
    heap.pure.linear.clear();
    let all: Vec<shape::Sym> = heap.objs.keys().copied().collect();
    for at in all {
        if heap.objs.get(&at).is_some_and(|obj| obj.cells.values().any(|c| !c.ty.is_pointer()))
            && let Some(obj) = heap.obj_mut(at)
        {
            // What is zero as a number may be zero as a pointer: bytes that are copied.
            obj.cells.retain(|_, cell| cell.ty.is_pointer());
            obj.zeroed = false;
        }
    }
}

fn check_all(claim: &Claim<'_>) -> Report {
    let Claim { program, certificate, preds, properties, .. } = *claim;
    let mut states: Vec<&State> = Vec::new();
    for summary in &certificate.summaries {
        states.push(&summary.entry);
        states.extend(summary.heads.iter().flat_map(|(_, states)| states));
        states.extend(&summary.exits);
    }
    states.extend(certificate.calls.iter().map(|call| &call.frame));
    let given = claim.start.map_or(&[][..], |start| &start.preds);
    states.extend(claim.start.iter().flat_map(|start| &start.states));
    let open = |what: String| Report {
        proved: 0,
        open: vec![Open { proc: claim.entry, pos: program.proc(claim.entry).pos, what }],
    };
    let logic = match Logic::new(&[preds, given], &states) {
        Ok(logic) => logic,
        Err(why) => return open(why),
    };
    let mut base = logic.scope();
    let globals =
        (0..program.globals.len()).map(|i| base.declare(format!("g{i}"), logic.loc)).collect();
    let closed = properties.contains(&Property::MemTrack);
    let mut checker = Checker {
        program,
        certificate,
        properties,
        malloc_may_fail: claim.malloc_may_fail,
        deadline: claim.deadline,
        logic,
        globals,
        base,
        closed,
        proc: claim.entry,
        anchors: Vec::new(),
        report: Report::default(),
    };
    checker.initiation(claim);
    for summary in 0..certificate.summaries.len() {
        checker.summary(summary, claim.start.is_none() && summary == 0);
    }
    checker.report
}

/// Which variables of a scope values are those of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum When {
    /// At the start of a path.
    Before,
    /// At its end.
    After,
}

impl Checker<'_> {
    fn open(&mut self, pos: Pos, what: String) {
        let open = Open { proc: self.proc, pos, what };
        if self.report.open.len() < MOST && !self.report.open.contains(&open) {
            self.report.open.push(open);
        }
    }

    fn pos(&self, at: LocId) -> Pos {
        let body = self.program.proc(self.proc).body.as_ref();
        body.and_then(|body| body.locations.get(at.index())).map_or(Pos::None, |l| l.pos)
    }

    /// A variable of the scope for something of the procedure.
    fn variable(&self, scope: &mut Scope, when: When, kind: &str, i: usize, is_loc: bool) -> Var {
        let word = if when == When::Before { "before" } else { "after" };
        let sort = if is_loc { self.logic.loc } else { self.logic.int };
        scope.declare(format!("{word} {kind}{i}"), sort)
    }

    /// Logical variables: they are the same before and after.
    fn anchor(&self, scope: &mut Scope, i: usize, is_loc: bool) -> Var {
        let (word, sort) = if is_loc { ("a", self.logic.loc) } else { ("b", self.logic.int) };
        scope.declare(format!("{word}{i}"), sort)
    }

    /// Which logical variables are locations: those that are no numbers when the procedure is entered.
    fn anchor_sorts(&self, entry: &State) -> Vec<bool> {
        let vars = &self.program.proc(self.proc).vars;
        let is_number = |value: &Term| {
            let number = |term: &Term, ty: Scalar| term.base == value.base && !ty.is_pointer();
            let own = vars.iter().enumerate().any(|(i, var)| number(&entry.vars.get(i), var.ty));
            let cells = entry.heap.objs.values().flat_map(|obj| obj.cells.values());
            let loc = value.base.is_some_and(|sym| entry.heap.is_place(sym));
            !loc && (own || cells.into_iter().any(|cell| number(&cell.value, cell.ty)))
        };
        entry.anchors.iter().map(|value| value.base.is_none() || !is_number(value)).collect()
    }

    /// What the names of a procedure are in a state.
    fn roots(&self, scope: &mut Scope, when: When, state: &State) -> Vec<Root> {
        let mut roots = Vec::new();
        let vars = &self.program.proc(self.proc).vars;
        for (i, value) in state.vars.iter() {
            let Some(var) = vars.get(i) else { continue };
            let is_loc = var.ty.is_pointer();
            if !matches!(var.ty, Scalar::Float(_)) {
                let var = self.variable(scope, when, "x", i, is_loc);
                roots.push(Root { var, is_loc, value });
            }
        }
        for (id, sym) in &state.objects {
            let var = self.variable(scope, when, "o", *id as usize, true);
            roots.push(Root { var, is_loc: true, value: Term::sym(*sym) });
        }
        for (i, sym) in state.allocas.iter().enumerate() {
            let var = self.variable(scope, when, "s", i, true);
            roots.push(Root { var, is_loc: true, value: Term::sym(*sym) });
        }
        roots.extend(self.anchor_roots(scope, state));
        roots
    }

    fn anchor_roots(&self, scope: &mut Scope, state: &State) -> Vec<Root> {
        let mut roots = Vec::new();
        for (i, (value, is_loc)) in state.anchors.iter().zip(&self.anchors).enumerate() {
            let var = self.anchor(scope, i, *is_loc);
            roots.push(Root { var, is_loc: *is_loc, value: *value });
        }
        roots
    }

    /// A state as an assertion.
    fn assertion(&self, group: usize, state: &State, roots: &[Root]) -> SymHeap {
        let mut encoder = Encoder::new(&self.logic, group);
        for (i, var) in self.globals.iter().enumerate() {
            encoder.know_loc(shape::global(i as u32), *var);
        }
        let mut heap = encoder.state(state, roots, &|_, obj| obj.constant);
        heap.set_open(!self.closed);
        heap
    }

    /// The path that starts in a state; none if there is no such state.
    fn load(&self, group: usize, state: &State) -> Option<Path> {
        let mut scope = self.base.clone();
        let roots = self.roots(&mut scope, When::Before, state);
        let heap = self.assertion(group, state, &roots).skolemised(&mut scope);
        let mut vars = Vec::new();
        for (i, var) in self.program.proc(self.proc).vars.iter().enumerate() {
            let is_loc = var.ty.is_pointer();
            let known = state.vars.get(i) != Term::DEAD;
            vars.push(match var.ty {
                Scalar::Float(_) => Value::Any,
                _ if !known => Value::Any,
                _ => {
                    let var = self.variable(&mut scope, When::Before, "x", i, is_loc);
                    if is_loc { Value::Loc(var, 0) } else { Value::Int(arith::Sum::var(var)) }
                }
            });
        }
        let mut local = |kind: &str, i: usize| {
            Value::Loc(self.variable(&mut scope, When::Before, kind, i, true), 0)
        };
        let objects = (0..self.program.proc(self.proc).objects.len())
            .map(|i| state.objects.contains_key(&(i as u32)).then(|| local("o", i)))
            .collect();
        let allocas = (0..state.allocas.len()).map(|i| local("s", i)).collect();
        let anchors = self.anchors.iter().enumerate().map(|(i, is_loc)| {
            let var = self.anchor(&mut scope, i, *is_loc);
            if *is_loc { Value::Loc(var, 0) } else { Value::Int(arith::Sum::var(var)) }
        });
        let anchors = anchors.collect();
        let mut path = Path { scope, heap, vars, objects, allocas, anchors, held: Vec::new() };
        path.settle(&self.logic).then_some(path)
    }

    /// The heap of a path with what its names are at its end.
    fn heap_at_end(&self, path: &mut Path) -> SymHeap {
        let mut heap = path.heap.clone();
        let vars = path.vars.clone();
        for (i, (var, value)) in self.program.proc(self.proc).vars.iter().zip(&vars).enumerate() {
            if !matches!(var.ty, Scalar::Float(_)) {
                let is_loc = var.ty.is_pointer();
                let name = self.variable(&mut path.scope, When::After, "x", i, is_loc);
                self.name(path, &mut heap, name, is_loc, value);
            }
        }
        for (i, value) in path.objects.clone().iter().enumerate() {
            if let Some(value) = value {
                let name = self.variable(&mut path.scope, When::After, "o", i, true);
                self.name(path, &mut heap, name, true, value);
            }
        }
        for (i, value) in path.allocas.clone().iter().enumerate() {
            let name = self.variable(&mut path.scope, When::After, "s", i, true);
            self.name(path, &mut heap, name, true, value);
        }
        self.name_anchors(path, &mut heap);
        heap
    }

    fn name_anchors(&self, path: &mut Path, heap: &mut SymHeap) {
        for (i, value) in path.anchors.clone().iter().enumerate() {
            let is_loc = self.anchors.get(i).copied().unwrap_or(true);
            let name = self.anchor(&mut path.scope, i, is_loc);
            self.name(path, heap, name, is_loc, value);
        }
    }

    /// A variable is a value.
    fn name(&self, path: &Path, heap: &mut SymHeap, name: Var, is_loc: bool, value: &Value) {
        match value {
            Value::Loc(at, k) if is_loc => {
                if let Some(var) = path.resolve(&self.logic, *at, *k).filter(|var| *var != name) {
                    heap.add_equal(name, var);
                }
            }
            Value::Int(sum) if !is_loc => {
                if let Some(equal) = arith::Constraint::equal(&arith::Sum::var(name), sum) {
                    heap.add_linear(equal);
                }
            }
            _ => {}
        }
    }

    fn budget(&self, time: Duration) -> Budget {
        let mut budget = Budget::default();
        budget.clock.deadline = Some(self.deadline.min(Instant::now() + time));
        budget
    }

    /// Is there no such heap?
    fn is_impossible(&self, path: &Path) -> bool {
        let proved =
            entails(&path.scope, vec![path.heap.clone()], Vec::new(), &mut self.budget(TIME));
        proved == Checked::Proved
    }

    /// Does a heap entail one of these assertions?
    ///
    /// Where memory may be lost both sides end with `* true`. From `A |- B` follows `A * C * true |- B * true`, and without
    /// `true` proofs by induction are found more often; so what the assertions cannot name is left out as `C` first.
    fn prove(&mut self, scope: &Scope, left: &SymHeap, right: &[SymHeap]) -> Result<(), String> {
        if left.is_open() && right.iter().all(SymHeap::is_open) {
            let closed = |heap: &SymHeap| {
                let mut heap = heap.clone();
                heap.set_open(false);
                heap
            };
            let named = closed(&self.without_garbage(left, right));
            let right: Vec<SymHeap> = right.iter().map(closed).collect();
            if self.prove_one(scope, &named, &right).is_ok() {
                return Ok(());
            }
        }
        self.prove_one(scope, left, right)
    }

    /// A heap without the atoms that nothing leads to which assertions mention.
    fn without_garbage(&self, heap: &SymHeap, assertions: &[SymHeap]) -> SymHeap {
        let mut reached: BTreeSet<Var> = BTreeSet::new();
        for assertion in assertions {
            assertion.for_each_var(&mut |var| {
                if !sl::core::symheap::is_existential(var) {
                    reached.insert(var);
                }
            });
        }
        let mut count = 0;
        while count != reached.len() {
            count = reached.len();
            for (a, b) in heap.equations() {
                if reached.contains(a) || reached.contains(b) {
                    reached.extend([*a, *b]);
                }
            }
            for cell in heap.cells() {
                if reached.contains(&cell.addr) {
                    reached.extend(&cell.fields);
                }
            }
            for call in heap.calls() {
                let ends =
                    call.args.first().copied().into_iter().chain(self.logic.last_argument(call));
                if ends.into_iter().any(|end| reached.contains(&end)) {
                    reached.extend(&call.args);
                }
            }
        }
        let mut named = heap.clone();
        for i in (0..heap.cells().len()).rev() {
            if heap.cells().get(i).is_some_and(|cell| !reached.contains(&cell.addr)) {
                named.remove_cell(i);
            }
        }
        for i in (0..heap.calls().len()).rev() {
            let kept = heap.calls().get(i).is_some_and(|call| {
                let last = self.logic.last_argument(call);
                call.args.first().copied().into_iter().chain(last).any(|end| reached.contains(&end))
            });
            if !kept {
                named.remove_call(i);
            }
        }
        named
    }

    /// The same as they are. First those that look like the heap are tried one by one.
    fn prove_one(
        &mut self,
        scope: &Scope,
        left: &SymHeap,
        right: &[SymHeap],
    ) -> Result<(), String> {
        if Instant::now() >= self.deadline {
            return Err("there was no time for it".into());
        }
        let mut order: Vec<(usize, &SymHeap)> =
            right.iter().map(|heap| (distance(left, heap), heap)).collect();
        order.sort_by_key(|(distance, _)| *distance);
        if right.len() > 1 {
            for (_, heap) in order.iter().take(4) {
                let right = vec![(*heap).clone()];
                let mut budget = self.budget(GUESS);
                if entails(scope, vec![left.clone()], right, &mut budget) == Checked::Proved {
                    self.report.proved += 1;
                    return Ok(());
                }
            }
        }
        match entails(scope, vec![left.clone()], right.to_vec(), &mut self.budget(TIME)) {
            Checked::Proved => {
                self.report.proved += 1;
                Ok(())
            }
            Checked::Refuted => Err("it does not follow".into()),
            Checked::Open(why) => Err(why),
        }
    }

    /// What holds at the start entails the entry.
    fn initiation(&mut self, claim: &Claim<'_>) {
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
    fn summary(&mut self, number: usize, last: bool) {
        let Some(summary) = self.certificate.summaries.get(number) else { return };
        self.proc = summary.proc;
        self.anchors = self.anchor_sorts(&summary.entry);
        let Some(body) = &self.program.proc(summary.proc).body else { return };
        let mut starts = vec![(LocId(0), &summary.entry, true)];
        for (at, states) in &summary.heads {
            starts.extend(states.iter().map(|state| (*at, state, false)));
        }
        for (at, state, entry) in starts {
            let Some(path) = self.load(0, state) else { continue };
            self.follow(number, body, at, path, entry, last);
        }
    }

    /// Follows all paths from a place to the next ones of which something is claimed.
    fn follow(
        &mut self,
        number: usize,
        body: &Body,
        from: LocId,
        path: Path,
        entry: bool,
        last: bool,
    ) {
        let Some(summary) = self.certificate.summaries.get(number) else { return };
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
            if let Some((_, states)) = summary.heads.iter().find(|(head, _)| *head == at)
                && (length > 0 || entry)
            {
                self.reaches(&mut path, states, at);
                continue;
            }
            if matches!(body.locations[at.index()].out, Out::Return) {
                self.returns(path, &summary.exits, at, last);
                continue;
            }
            for (action, to) in body.edges(at) {
                let next = match action {
                    Action::Skip => Ok(vec![path.clone()]),
                    Action::When(e, truth) => Ok(self.assume(path.clone(), e, truth)),
                    Action::Do(Command::Call { to, callee: Callee::Proc(id), args })
                        if self.program.proc(*id).body.is_some() =>
                    {
                        self.call(number, at, path.clone(), *to, *id, args)
                    }
                    Action::Do(Command::Call { callee: Callee::Pointer(_), .. }) => {
                        Err(Stuck::new("a call through a pointer is not checked"))
                    }
                    Action::Do(command) => self.command(path.clone(), command),
                };
                match next {
                    Ok(paths) => pending.extend(paths.into_iter().map(|p| (to, p, length + 1))),
                    // What cannot happen cannot go wrong.
                    Err(_) if self.is_impossible(&path) => {}
                    Err(stuck) => self.open(self.pos(at), stuck.0),
                }
            }
        }
    }

    /// A path comes to the head of a loop.
    fn reaches(&mut self, path: &mut Path, states: &[State], at: LocId) {
        let left = self.heap_at_end(path);
        let mut right = Vec::new();
        for state in states {
            let roots = self.roots(&mut path.scope, When::After, state);
            right.push(self.assertion(0, state, &roots));
        }
        let scope = path.scope.clone();
        if let Err(why) = self.prove(&scope, &left, &right) {
            self.open(self.pos(at), format!("the invariant is not shown to hold again: {why}"));
        }
    }

    /// A path comes to the end of its procedure.
    fn returns(&mut self, mut path: Path, exits: &[State], at: LocId, last: bool) {
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
            self.open(self.pos(at), stuck.0);
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

/// How different two symbolic heaps look: in numbers of atoms, and in what is null.
fn distance(a: &SymHeap, b: &SymHeap) -> usize {
    let size = a.cells().len().abs_diff(b.cells().len());
    size + a.calls().len().abs_diff(b.calls().len())
}
