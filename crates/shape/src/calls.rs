//! Calls: a procedure is analysed for what its arguments and globals lead to; the rest is the frame.
//!
//! Symbols that both sides know are cutpoints. The callee keeps their values as anchors, so that its states can
//! be put back into the frame.

use std::collections::{BTreeSet, HashMap, HashSet};

use heap::{LocId, ProcId, VarId};

use crate::engine::{Engine, LARGE, Site};
use crate::fold::{renamed, visit_order};
use crate::heap::{Heap, Place, RIGID, State, is_rigid};
use crate::pure::Interval;
use crate::term::{Sym, Term};

/// More cutpoints than this are not handled.
const MAX_ANCHORS: usize = 24;

/// A call in a procedure that is analysed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallSite {
    /// The summary that it is part of.
    pub summary: usize,
    pub site: Site,
    /// Where to go on.
    pub next: LocId,
    /// Where the result goes.
    pub to: Option<VarId>,
}

/// A call that waits for what its callee may end with.
pub(crate) struct Call {
    from: CallSite,
    /// What the callee does not see.
    frame: State,
    /// Symbols of the caller that the callee's anchors stand for.
    anchors: Vec<Sym>,
}

impl Call {
    /// Where it is, its frame, and the symbols of the frame that the callee's anchors stand for.
    pub(crate) fn parts(self) -> (CallSite, State, Vec<Sym>) {
        (self.from, self.frame, self.anchors)
    }
}

impl Engine<'_> {
    /// A call: the callee sees what its arguments and globals lead to; the rest is the frame.
    pub(crate) fn call(&mut self, from: CallSite, mut state: State, callee: ProcId, args: &[Term]) {
        let CallSite { site, next, to, .. } = from;
        // Only what is still read keeps its name.
        let mark = self.program.proc(site.proc).vars.len();
        let add = |state: &mut State, args: &[Term]| {
            let places = (mark..).zip(args);
            places.for_each(|(place, value)| state.vars.set(place, *value));
        };
        let count = args.len();
        let take = |state: &mut State| -> Vec<Term> {
            (mark..mark + count).map(|place| state.vars.take(place)).collect()
        };
        add(&mut state, args);
        self.forget_dead_but(Site { proc: site.proc, at: next }, &mut state, mark, to);
        if let Some(to) = to {
            // It is set when the callee returns; what it leads to until then is still there.
            let before = state.held();
            let old = state.vars.take(to.index());
            if state.held() != before {
                state.vars.set(to.index(), old);
            }
        }
        let args = take(&mut state);
        let recursive = self.info[callee.index()].recursive;
        let globals = state.heap.objs.range(Sym(RIGID)..).map(|(sym, _)| Term::sym(*sym));
        let (objs, segs) = state.heap.reachable(args.iter().copied().chain(globals));
        let atoms = objs.iter().filter(|at| !is_rigid(**at)).count() + segs.len();
        let (mut state, args) = (state, args);
        let (objs, segs) = if recursive || atoms > LARGE {
            add(&mut state, &args);
            self.fold(&mut state);
            if state.normalise(&self.preds).is_err() {
                return;
            }
            let again = take(&mut state);
            let globals = state.heap.objs.range(Sym(RIGID)..).map(|(sym, _)| Term::sym(*sym));
            let reached = state.heap.reachable(again.iter().copied().chain(globals));
            return self.call_with(from, state, callee, &again, reached);
        } else {
            (objs, segs)
        };
        self.call_with(from, state, callee, &args, (objs, segs));
    }

    fn forget_dead_but(&mut self, site: Site, state: &mut State, count: usize, to: Option<VarId>) {
        let info = &self.info[site.proc.index()];
        for (var, value) in state.vars.clone().iter().filter(|(var, _)| *var < count) {
            if info.is_live(site.at, var) || to.is_some_and(|to| to.index() == var) {
                continue;
            }
            let leads = state.heap.place(value) != Place::Nowhere;
            let before = leads.then(|| state.held());
            state.vars.set(var, Term::DEAD);
            if before.is_some_and(|before| state.held() != before) {
                state.vars.set(var, value);
            }
        }
    }

    fn call_with(
        &mut self,
        from: CallSite,
        mut state: State,
        callee: ProcId,
        args: &[Term],
        (objs, segs): (BTreeSet<Sym>, BTreeSet<usize>),
    ) {
        let mut local = Heap { fresh: state.heap.fresh, ..Heap::default() };
        for at in &objs {
            if let Some(obj) = state.heap.objs.remove(at) {
                local.objs.insert(*at, obj);
            }
        }
        let mut rest = Vec::new();
        for (i, seg) in std::mem::take(&mut state.heap.segs).into_iter().enumerate() {
            if segs.contains(&i) { local.segs.push(seg) } else { rest.push(seg) }
        }
        state.heap.segs = rest;
        // Symbols that the callee sees, in the order in which it meets them.
        let order = local_order(&local, args);
        let inside: HashSet<Sym> = order.iter().copied().collect();
        let mut outside: HashSet<Sym> = HashSet::new();
        outside.extend(state.roots().filter_map(|term| term.base));
        state.heap.for_each_term(&mut |term| outside.extend(term.base));
        let pure = state.heap.pure.clone();
        if self.preds.tracks.facts() {
            // What a number of the callee has to do with one of the caller is known to the frame alone.
            for sum in &pure.linear {
                let vars = || sum.factors.iter().map(|(var, _)| Sym(*var));
                let known = |sym: Sym| inside.contains(&sym) || outside.contains(&sym);
                if vars().any(|sym| !inside.contains(&sym)) && vars().all(known) {
                    outside.extend(vars());
                }
            }
        }
        local.pure = pure.clone();
        local.pure.retain(|sym| inside.contains(&sym) || is_rigid(sym));
        state.heap.pure.retain(|sym| outside.contains(&sym) || is_rigid(sym));
        let anchors: Vec<Sym> =
            order.iter().copied().filter(|sym| !is_rigid(*sym) && outside.contains(sym)).collect();
        if anchors.len() > MAX_ANCHORS {
            self.gave_up(from.site, "the caller knows too many places in what the callee sees");
            return;
        }
        let mut map: HashMap<Sym, Sym> = HashMap::new();
        for sym in order.iter().filter(|sym| !is_rigid(**sym)) {
            let number = map.len() as u32;
            map.entry(*sym).or_insert(Sym(number));
        }
        let count = map.len() as u32;
        let rename = |sym: Sym| map.get(&sym).copied().unwrap_or(sym);
        let term = |t: Term| Term { base: t.base.map(rename), k: t.k };
        let mut entry = State {
            heap: renamed(&local, &rename, count),
            anchors: anchors.iter().map(|sym| Term::sym(rename(*sym))).collect(),
            ..State::default()
        };
        let count = args.len();
        let args = args.iter().map(|t| term(*t)).collect();
        self.frame(&mut entry, callee, &args, count);
        let id = self.enter(callee, entry);
        let call = Call { from, frame: state, anchors };
        self.summaries[id].callers.push(call);
        let index = self.summaries[id].callers.len() - 1;
        for exit in self.summaries[id].exits.clone() {
            self.returned(id, index, &exit);
        }
    }

    /// A callee ends in a state: the frame is put back.
    pub(crate) fn returned(&mut self, callee: usize, call: usize, exit: &State) {
        let call = &self.summaries[callee].callers[call];
        let CallSite { summary, site, next, to } = call.from;
        let mut state = call.frame.clone();
        let anchors = call.anchors.clone();
        let base = state.heap.fresh;
        let rename = |sym: Sym| if is_rigid(sym) { sym } else { Sym(sym.0 + base) };
        let term = |t: Term| Term { base: t.base.map(rename), k: t.k };
        let heap = renamed(&exit.heap, &rename, 0);
        state.heap.fresh = base + exit.heap.fresh;
        let mut consistent = true;
        // Before the callee's objects come back the caller's names for them are replaced.
        for (sym, anchor) in anchors.iter().zip(&exit.anchors) {
            let by = term(*anchor);
            consistent &= state.heap.replace(*sym, by).is_ok();
            state
                .vars
                .values_mut()
                .chain(&mut state.anchors)
                .for_each(|t| *t = t.replace(*sym, by));
            if let Some(base) = by.base {
                let stack = state.objects.values_mut().chain(&mut state.allocas);
                stack.filter(|own| **own == *sym).for_each(|own| *own = base);
            }
        }
        if !consistent {
            return;
        }
        state.heap.objs.extend(heap.objs);
        state.heap.segs.extend(heap.segs);
        for (sym, range) in &heap.pure.bounds {
            consistent &= state.heap.pure.bound(*sym, *range);
        }
        state.heap.pure.different.extend(heap.pure.different);
        for sum in &heap.pure.linear {
            consistent &= state.heap.pure.assume(sum);
        }
        if let Some(to) = to {
            let result = exit.vars.get(0);
            let ty = self.program.proc(site.proc).vars[to.index()].ty;
            let unknown = result == Term::DEAD || matches!(ty, heap::Scalar::Float(_));
            let value = if unknown { state.any(Interval::ANY) } else { term(result) };
            state.vars.set(to.index(), value);
        }
        if !consistent || state.normalise(&self.preds).is_err() {
            return;
        }
        self.lost(site, next, &mut state);
        self.arrive(summary, next, state);
    }
}

/// The symbols of a heap in the order in which arguments and globals lead to them.
fn local_order(heap: &Heap, args: &[Term]) -> Vec<Sym> {
    let mut order = Vec::new();
    let mut seen: HashSet<Sym> = HashSet::new();
    let starts = args
        .iter()
        .filter_map(|t| t.base)
        .chain(heap.objs.range(Sym(RIGID)..).map(|(sym, _)| *sym));
    for start in starts {
        for sym in visit_order(heap, start) {
            if seen.insert(sym) {
                order.push(sym);
            }
        }
    }
    order
}
