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
mod follow;
mod numbers;
mod path;
mod prove;
mod similar;
mod states;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use heap::run::Property;
use heap::{LocId, ProcId, Program};
use report::Pos;
use shape::{Certificate, Pred, Start, State};
use sl::core::{Scope, Var};

use crate::logic::{Logic, Places};
pub use numbers::forget_numbers;

/// What came of a check.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Entailments that were proved.
    pub proved: usize,
    /// What was not shown: if there is anything, nothing is known.
    pub open: Vec<Open>,
    /// Of which invariants only the shapes are shown, and why not what they say of numbers.
    pub shapes_only: BTreeMap<(ProcId, LocId), String>,
}

impl Report {
    /// Was everything shown that verdicts rest on?
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
    /// Are integers those of the machine? Otherwise they are unbounded.
    pub machine_integers: bool,
    /// When to stop.
    pub deadline: Instant,
}

/// Why a path does not go on.
#[derive(Clone, Debug)]
struct Stuck {
    what: String,
    /// The claims that were not shown, if it is for that.
    claims: Vec<Place>,
}

impl Stuck {
    fn new(what: &str) -> Stuck {
        Stuck { what: what.to_owned(), claims: Vec::new() }
    }

    fn reason(reason: sl::Reason) -> Stuck {
        Stuck { what: reason.to_string(), claims: Vec::new() }
    }
}

/// A place of which something is claimed; summaries and calls are those of the certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// How a procedure is entered.
    Entry(usize),
    /// The head of a loop, or another location where ways meet.
    Meet(usize, LocId),
    /// How a procedure returns.
    Exit(usize),
    /// What the callee does not see of a call.
    Frame(usize),
}

/// So many open obligations are listed.
const MOST: usize = 12;
/// So often places of objects are added that turn out to matter.
const MAX_ROUNDS: usize = 6;

struct Checker<'a> {
    program: &'a Program,
    certificate: &'a Certificate,
    properties: &'a [Property],
    malloc_may_fail: bool,
    machine_integers: bool,
    deadline: Instant,
    logic: Logic,
    /// The addresses of global objects.
    globals: Vec<Var>,
    /// The addresses of procedures.
    procs: BTreeMap<ProcId, Var>,
    /// The scope with these.
    base: Scope,
    /// Must nothing be left over?
    closed: bool,
    /// The procedure that is looked at.
    proc: ProcId,
    /// Which of its logical variables are locations.
    anchors: Vec<bool>,
    /// Calls that some path makes: what comes behind each is followed once, whoever makes it.
    made: BTreeSet<usize>,
    /// Places of objects that programs use, and the logic has none for.
    missing: RefCell<Places>,
    /// Claims that were not shown, and why.
    failed: BTreeMap<Place, String>,
    report: Report,
}

/// Checks what an analysis claims.
///
/// What it says of numbers is forgotten first: most programs are safe without, and there is less to show. Then all of it is
/// checked; claims that are not shown to hold with what they say of numbers are checked without.
#[must_use]
pub fn check(claim: &Claim<'_>) -> Report {
    let now = Instant::now();
    let half = now + claim.deadline.saturating_duration_since(now) / 2;
    let (certificate, preds) = numbers::without(claim.certificate, claim.preds);
    let shapes = Claim { certificate: &certificate, preds: &preds, deadline: half, ..*claim };
    let report = check_all(&shapes, true).0;
    let said = numbers::said(claim.certificate, claim.preds);
    if report.is_complete() && said.is_empty() {
        return report;
    }
    let all = numbers::check(claim);
    if all.is_complete() || !report.is_complete() {
        return if all.open.len() <= report.open.len() { all } else { report };
    }
    let why = all.open.first().map_or_else(String::new, |open| open.what.clone());
    Report { shapes_only: said.into_iter().map(|place| (place, why.clone())).collect(), ..report }
}

/// Checks what is claimed as it is; also the claims that were not shown, with the reasons. Objects have the places that
/// states mention, and those that the program uses where something is not shown; of numbers only if they matter.
fn check_all(claim: &Claim<'_>, shapes_only: bool) -> (Report, BTreeMap<Place, String>) {
    let mut places = Places::default();
    let mut rounds = 0;
    loop {
        let (report, failed, mut missing) = check_with(claim, &places);
        if shapes_only {
            missing.columns.retain(|column| column.is_loc);
        }
        rounds += 1;
        let late = rounds == MAX_ROUNDS || Instant::now() >= claim.deadline;
        if report.is_complete() || missing.is_subset(&places) || late {
            return (report, failed);
        }
        places.extend(missing);
    }
}

fn check_with(claim: &Claim<'_>, places: &Places) -> (Report, BTreeMap<Place, String>, Places) {
    let Claim { program, certificate, preds, properties, .. } = *claim;
    let mut states: Vec<&State> = Vec::new();
    for summary in &certificate.summaries {
        states.push(&summary.entry);
        let meets = summary.heads.iter().chain(&summary.meets);
        states.extend(meets.flat_map(|(_, states)| states));
        states.extend(&summary.exits);
    }
    states.extend(certificate.calls.iter().map(|call| &call.frame));
    let given = claim.start.map_or(&[][..], |start| &start.preds);
    states.extend(claim.start.iter().flat_map(|start| &start.states));
    let logic = match Logic::with_places(&[preds, given], &states, places) {
        Ok(logic) => logic,
        Err(what) => {
            let open = Open { proc: claim.entry, pos: program.proc(claim.entry).pos, what };
            let report = Report { open: vec![open], ..Report::default() };
            return (report, BTreeMap::new(), Places::default());
        }
    };
    let mut base = logic.scope();
    let globals =
        (0..program.globals.len()).map(|i| base.declare(format!("g{i}"), logic.loc)).collect();
    let procs = states::addressed(program).into_iter();
    let procs = procs.map(|id| (id, base.declare(format!("f{}", id.0), logic.loc))).collect();
    let closed = properties.contains(&Property::MemTrack);
    let mut checker = Checker {
        program,
        certificate,
        properties,
        malloc_may_fail: claim.malloc_may_fail,
        machine_integers: claim.machine_integers,
        deadline: claim.deadline,
        logic,
        globals,
        procs,
        base,
        closed,
        proc: claim.entry,
        anchors: Vec::new(),
        made: BTreeSet::new(),
        missing: RefCell::default(),
        failed: BTreeMap::new(),
        report: Report::default(),
    };
    checker.initiation(claim);
    for summary in 0..certificate.summaries.len() {
        checker.summary(summary, claim.start.is_none() && summary == 0);
    }
    (checker.report, checker.failed, checker.missing.into_inner())
}
