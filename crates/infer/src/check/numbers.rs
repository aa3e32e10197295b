//! What claims say of numbers: with it, without it, and with it wherever it is shown.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use heap::{LocId, ProcId};
use shape::{Certificate, Heap, Pred, PredId, State};

use super::{Claim, Place, Report, check_all};

/// So often claims are made weaker.
const MAX_ROUNDS: usize = 12;

/// Checks all of a claim; where it is not shown to hold with what it says of numbers it is made weaker.
///
/// What is left in the end is shown as a whole, by induction: it is no matter why a claim was not shown before.
pub(super) fn check(claim: &Claim<'_>) -> Report {
    let (mut report, mut failed) = check_all(claim, false);
    let all = with_shapes(claim.preds);
    let mut certificate = claim.certificate.clone();
    let mut weaker: BTreeMap<Place, String> = BTreeMap::new();
    for _ in 0..MAX_ROUNDS {
        failed.retain(|place, _| !weaker.contains_key(place));
        if report.is_complete() || failed.is_empty() || Instant::now() >= claim.deadline {
            break;
        }
        for (place, why) in std::mem::take(&mut failed) {
            let count = claim.preds.len();
            states_at(&mut certificate, place, |state| without_numbers(state, count));
            weaker.insert(place, why);
        }
        let next = check_all(&Claim { certificate: &certificate, preds: &all, ..*claim }, false);
        failed = next.1;
        // Of what is not shown, the shorter list is the more useful one.
        if next.0.open.len() <= report.open.len() {
            report = Report { shapes_only: of_loops(&weaker, claim.certificate), ..next.0 };
        }
    }
    report
}

fn of_loops(
    weaker: &BTreeMap<Place, String>,
    certificate: &Certificate,
) -> BTreeMap<(ProcId, LocId), String> {
    let of_loop = |(place, why): (&Place, &String)| {
        let Place::Meet(number, at) = place else { return None };
        let summary = certificate.summaries.get(*number)?;
        let head = summary.heads.iter().any(|(head, _)| head == at);
        head.then(|| ((summary.proc, *at), why.clone()))
    };
    weaker.iter().filter_map(of_loop).collect()
}

/// The same predicates, and behind them each without what it says of numbers.
fn with_shapes(preds: &[Pred]) -> Vec<Pred> {
    let mut all = preds.to_vec();
    for pred in preds {
        let mut pred = pred.clone();
        for body in &mut pred.bodies {
            forget_numbers(&mut body.heap);
            shift(&mut body.heap, preds.len());
        }
        all.push(pred);
    }
    all
}

/// Instances of predicates that say nothing of numbers.
fn shift(heap: &mut Heap, count: usize) {
    for seg in &mut heap.segs {
        if (seg.pred.0 as usize) < count {
            seg.pred = PredId(seg.pred.0 + count as u32);
        }
    }
}

fn without_numbers(state: &mut State, count: usize) {
    forget_numbers(&mut state.heap);
    shift(&mut state.heap, count);
}

/// Changes the states of a place.
fn states_at(certificate: &mut Certificate, place: Place, change: impl Fn(&mut State)) {
    match place {
        Place::Entry(number) => {
            certificate.summaries.get_mut(number).into_iter().for_each(|s| change(&mut s.entry));
        }
        Place::Exit(number) => {
            let summary = certificate.summaries.get_mut(number);
            summary.into_iter().flat_map(|s| &mut s.exits).for_each(change);
        }
        Place::Meet(number, at) => {
            let summary = certificate.summaries.get_mut(number).into_iter();
            let meets = summary.flat_map(|s| s.heads.iter_mut().chain(&mut s.meets));
            let states = meets.filter(|(loc, _)| *loc == at).flat_map(|(_, states)| states);
            states.for_each(change);
        }
        Place::Frame(number) => {
            certificate.calls.get_mut(number).into_iter().for_each(|c| change(&mut c.frame));
        }
    }
}

/// Drops what states say of numbers.
pub(super) fn without(certificate: &Certificate, preds: &[Pred]) -> (Certificate, Vec<Pred>) {
    let mut certificate = certificate.clone();
    let mut preds = preds.to_vec();
    let states = certificate.summaries.iter_mut().flat_map(|summary| {
        let meets = summary.heads.iter_mut().chain(&mut summary.meets);
        let meets = meets.flat_map(|(_, states)| states);
        std::iter::once(&mut summary.entry).chain(meets).chain(&mut summary.exits)
    });
    states.for_each(|state| forget_numbers(&mut state.heap));
    certificate.calls.iter_mut().for_each(|call| forget_numbers(&mut call.frame.heap));
    let bodies = preds.iter_mut().flat_map(|pred| &mut pred.bodies);
    bodies.for_each(|body| forget_numbers(&mut body.heap));
    (certificate, preds)
}

/// The loops whose invariants say something of numbers.
pub(super) fn said(certificate: &Certificate, preds: &[Pred]) -> BTreeSet<(ProcId, LocId)> {
    let bodies = |pred: &Pred| pred.bodies.iter().any(|body| says_numbers(&body.heap));
    let preds: Vec<bool> = preds.iter().map(bodies).collect();
    let of_pred = |seg: &shape::Seg| preds.get(seg.pred.0 as usize).is_some_and(|says| *says);
    let says = |state: &State| says_numbers(&state.heap) || state.heap.segs.iter().any(of_pred);
    let mut all = BTreeSet::new();
    for summary in &certificate.summaries {
        let heads = summary.heads.iter().filter(|(_, states)| states.iter().any(says));
        all.extend(heads.map(|(at, _)| (summary.proc, *at)));
    }
    all
}

/// Does a heap say more of numbers than that they are of their types?
fn says_numbers(heap: &Heap) -> bool {
    let of_type = |range: &shape::Interval| crate::formula::is_type_range(range.low, range.high);
    let cells = heap.objs.values().flat_map(|obj| obj.cells.values());
    !heap.pure.linear.is_empty()
        || heap.pure.bounds.values().any(|range| !of_type(range))
        || cells.into_iter().any(|cell| !cell.ty.is_pointer())
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
