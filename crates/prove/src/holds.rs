//! The semantics of RSep [ABCK15, Sec. 3.1]: does a formula, with its second-order variables solved, hold in a state?
//!
//! A second opinion on what formulas mean, for tests: it shares with entailment and execution nothing but the formulas. A
//! record is in one heaplet only; heaplets need not be all of the heap, since every formula is meant with `* true`.
//! Instances whose arguments are known are unfolded along the heap, which leaves no choice. Symbols that nothing
//! determines are guessed; what is not known of a state (a variable of another procedure, a field that was never set) may
//! be anything, so a formula holds if it does for some value.

use std::collections::{BTreeMap, BTreeSet};

use arith::{Constraint, Relation, Sum};
use horn::{Query, RelId, Solution};

use crate::defs::{Defs, End, KindId, PredId, SubArg, partial};
use crate::rsep::{Atom, Context, Formula, HTerm, Refinement, is_rigid};

/// Guesses for symbols in all.
const MOST_GUESSES: u32 = 20_000;
/// Cases of data that are looked at.
const MOST_CASES: usize = 512;
/// Records of an instance: a state with more is not looked at.
const MOST_RECORDS: usize = 20_000;

/// What a pointer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// Null.
    Null,
    /// The start of an object.
    At(u32),
    /// Something else, which is equal to itself only.
    Nowhere(u32),
}

/// A record, read as one of a kind; `None` is for what was never set.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// Data fields.
    pub data: Vec<Option<i128>>,
    /// Heap fields.
    pub ptrs: Vec<Option<Place>>,
}

/// A concrete state.
pub trait State {
    /// The value of a heap variable, if it is known.
    fn heap_var(&self, var: usize) -> Option<Place>;
    /// The value of a data variable, if it is known.
    fn data_var(&self, var: usize) -> Option<i128>;
    /// The record at a place, if there is one of this kind.
    fn record(&self, at: u32, kind: KindId) -> Option<Record>;
    /// Where records are.
    fn places(&self) -> Vec<u32>;
}

/// Does it hold?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// Yes.
    Yes,
    /// No.
    No,
    /// It was too much.
    NotEvaluated,
}

/// Does a formula hold in a state?
#[must_use]
pub fn holds(formula: &Formula, defs: &Defs, solution: &Solution, state: &dyn State) -> Holds {
    let mut search = Search {
        formula,
        defs,
        solution,
        state,
        heap: BTreeMap::new(),
        used: BTreeSet::new(),
        done: vec![false; formula.atoms.len()],
        holes: BTreeMap::new(),
        facts: formula.facts.clone(),
        queries: formula.queries.clone(),
        next_data: formula.next_data,
        next_place: 1 << 30,
    };
    let mut guesses = MOST_GUESSES;
    match search
        .start()
        .and_then(|started| if started { search.run(&mut guesses) } else { Some(false) })
    {
        Some(true) => Holds::Yes,
        Some(false) => Holds::No,
        None => Holds::NotEvaluated,
    }
}

#[derive(Clone)]
struct Search<'a> {
    formula: &'a Formula,
    defs: &'a Defs,
    solution: &'a Solution,
    state: &'a dyn State,
    heap: BTreeMap<u32, Place>,
    used: BTreeSet<u32>,
    done: Vec<bool>,
    /// What may be below holes.
    holes: BTreeMap<RelId, Refinement>,
    facts: Vec<Constraint>,
    queries: Vec<Query>,
    next_data: u32,
    next_place: u32,
}

/// An instance with its arguments.
struct Instance {
    pred: PredId,
    args: Vec<Place>,
    refs: Vec<Refinement>,
}

/// A record in terms of data symbols.
struct Read {
    data: Vec<Sum>,
    ptrs: Vec<Place>,
}

/// `None` is for what cannot be evaluated.
type Evaluated = Option<bool>;

impl Search<'_> {
    /// Variables have the values of the state.
    fn start(&mut self) -> Evaluated {
        let formula = self.formula;
        for (var, term) in formula.vars.iter().enumerate() {
            if let Some(value) = self.state.heap_var(var)
                && !self.bind(*term, value)
            {
                return Some(false);
            }
        }
        for (var, sum) in formula.data.iter().enumerate() {
            if let Some(value) = self.state.data_var(var) {
                self.facts.push(Constraint::equal(sum, &Sum::number(value))?);
            }
        }
        Some(true)
    }

    fn bind(&mut self, term: HTerm, value: Place) -> bool {
        match term {
            HTerm::Null => value == Place::Null,
            HTerm::Sym(sym) => *self.heap.entry(sym).or_insert(value) == value,
        }
    }

    fn value(&self, term: HTerm) -> Option<Place> {
        match term {
            HTerm::Null => Some(Place::Null),
            HTerm::Sym(sym) => self.heap.get(&sym).copied(),
        }
    }

    /// Heaplets whose arguments are known, then a guess.
    fn run(&mut self, guesses: &mut u32) -> Evaluated {
        let formula = self.formula;
        loop {
            let ready = formula.atoms.iter().enumerate().find(|(index, atom)| {
                !self.done[*index] && self.terms(atom).all(|term| self.value(term).is_some())
            });
            let Some((index, atom)) = ready else { break };
            self.done[index] = true;
            if !self.heaplet(atom)? {
                return Some(false);
            }
        }
        let waiting = formula.atoms.iter().zip(&self.done).filter(|(_, done)| !**done);
        let mut open = waiting.flat_map(|(atom, _)| self.terms(atom));
        let open = open.find_map(|term| match term {
            HTerm::Sym(sym) if !self.heap.contains_key(&sym) => Some(sym),
            _ => None,
        });
        let Some(open) = open else { return self.finish() };
        let mut candidates: BTreeSet<Place> = self.heap.values().copied().collect();
        candidates.extend(self.state.places().into_iter().map(Place::At));
        candidates.insert(Place::Null);
        // One that nothing else is equal to: a field that leads anywhere.
        candidates.insert(Place::Nowhere(self.next_place));
        self.next_place += 1;
        for candidate in candidates {
            *guesses = guesses.checked_sub(1)?;
            let mut attempt = self.clone();
            attempt.heap.insert(open, candidate);
            if attempt.run(guesses)? {
                return Some(true);
            }
        }
        Some(false)
    }

    /// What must be known before a heaplet is looked at.
    fn terms<'f>(&self, atom: &'f Atom) -> Box<dyn Iterator<Item = HTerm> + 'f> {
        match atom {
            Atom::Cell(cell) => Box::new(std::iter::once(cell.at)),
            Atom::Pred(instance) => Box::new(instance.args.iter().copied()),
            Atom::Context(context) => Box::new([context.root, context.hole].into_iter()),
        }
    }

    fn heaplet(&mut self, atom: &Atom) -> Evaluated {
        match atom {
            Atom::Cell(cell) => {
                let at = self.value(cell.at)?;
                let Some(read) = self.take(at, cell.kind) else { return Some(false) };
                for (term, value) in cell.ptrs.iter().zip(&read.ptrs) {
                    if !self.bind(*term, *value) {
                        return Some(false);
                    }
                }
                for (sum, value) in cell.data.iter().zip(&read.data) {
                    self.facts.push(Constraint::equal(sum, value)?);
                }
                Some(true)
            }
            Atom::Pred(instance) => {
                let args = instance.args.iter().map(|arg| self.value(*arg));
                let args = args.collect::<Option<_>>()?;
                let refs = instance.refs.clone();
                self.instance(Instance { pred: instance.pred, args, refs })
            }
            Atom::Context(context) => self.context(context),
        }
    }

    /// A record that no other heaplet has.
    fn take(&mut self, at: Place, kind: KindId) -> Option<Read> {
        let Place::At(place) = at else { return None };
        let record = self.state.record(place, kind)?;
        if !self.used.insert(place) {
            return None;
        }
        let mut read = Read { data: Vec::new(), ptrs: Vec::new() };
        for value in record.data {
            read.data.push(match value {
                Some(value) => Sum::number(value),
                None => {
                    self.next_data += 1;
                    Sum::var(self.next_data - 1)
                }
            });
        }
        for value in record.ptrs {
            read.ptrs.push(value.unwrap_or_else(|| {
                self.next_place += 1;
                Place::Nowhere(self.next_place - 1)
            }));
        }
        Some(read)
    }

    /// Unfolds an instance along the heap, as its definition says.
    fn instance(&mut self, whole: Instance) -> Evaluated {
        let mut pending = vec![whole];
        let mut records = 0;
        while let Some(instance) = pending.pop() {
            let pred = self.defs.pred(instance.pred);
            let root = *instance.args.first()?;
            let end = match pred.end {
                End::Null => Place::Null,
                End::Param(place) => *instance.args.get(place)?,
            };
            if root == end {
                continue;
            }
            records += 1;
            if records > MOST_RECORDS {
                return None;
            }
            let Some(read) = self.take(root, pred.kind) else { return Some(false) };
            let fits = |(field, link): (&Place, &Option<usize>)| {
                link.is_none_or(|place| instance.args.get(place) == Some(field))
            };
            if !read.ptrs.iter().zip(&pred.links).all(fits) {
                return Some(false);
            }
            self.queries.extend(instance.refs.first().iter().flat_map(|all| all.apply(&read.data)));
            for place in 0..pred.subs.len() {
                pending.push(self.part(&instance, &read, place)?);
            }
        }
        Some(true)
    }

    /// The part below a record of an instance.
    fn part(&self, whole: &Instance, read: &Read, place: usize) -> Option<Instance> {
        let sub = self.defs.pred(whole.pred).subs.get(place)?;
        let arg = |arg: &SubArg| match arg {
            SubArg::Field(field) => read.ptrs.get(*field).copied(),
            SubArg::Param(place) => whole.args.get(*place).copied(),
        };
        let args = sub.args.iter().map(arg).collect::<Option<_>>()?;
        let mut refs = whole.refs.clone();
        if let (Some(also), Some(all)) =
            (sub.also.and_then(|r| whole.refs.get(r)), refs.first_mut())
        {
            all.atoms.extend(partial(also, &read.data).atoms);
        }
        Some(Instance { pred: whole.pred, args, refs })
    }

    /// A tree with a hole: down to the hole, with whole trees beside the way.
    fn context(&mut self, context: &Context) -> Evaluated {
        let (root, hole) = (self.value(context.root)?, self.value(context.hole)?);
        // Null is in many places of a tree: which of them is the hole is not said.
        if hole == Place::Null && root != hole {
            return None;
        }
        let mut at = Instance { pred: context.pred, args: vec![root], refs: context.refs.clone() };
        for _ in 0..MOST_RECORDS {
            if at.args.first() == Some(&hole) {
                if let (Some(inside), Some(first)) = (context.inside, at.refs.first()) {
                    self.holes.insert(inside, first.clone());
                }
                return Some(true);
            }
            let pred = self.defs.pred(at.pred);
            let Some(read) = self.take(*at.args.first()?, pred.kind) else { return Some(false) };
            self.queries.extend(at.refs.first().iter().flat_map(|all| all.apply(&read.data)));
            let parts: Option<Vec<Instance>> =
                (0..pred.subs.len()).map(|place| self.part(&at, &read, place)).collect();
            let mut next = None;
            for part in parts? {
                if next.is_none() && self.leads_to(&part, hole)? {
                    next = Some(part);
                } else if !self.instance(part)? {
                    return Some(false);
                }
            }
            match next {
                Some(part) => at = part,
                None => return Some(false),
            }
        }
        None
    }

    /// Is a place the root of an instance, or below it?
    fn leads_to(&self, instance: &Instance, hole: Place) -> Evaluated {
        let pred = self.defs.pred(instance.pred);
        let mut pending = vec![*instance.args.first()?];
        let mut seen = BTreeSet::new();
        while let Some(at) = pending.pop() {
            if at == hole {
                return Some(true);
            }
            let Place::At(place) = at else { continue };
            if !seen.insert(place) || self.used.contains(&place) {
                continue;
            }
            if seen.len() > MOST_RECORDS {
                return None;
            }
            let fields = self.state.record(place, pred.kind).map(|record| record.ptrs);
            for sub in &pred.subs {
                if let Some(SubArg::Field(field)) = sub.args.first() {
                    pending.extend(fields.iter().filter_map(|f| f.get(*field).copied().flatten()));
                }
            }
        }
        Some(false)
    }

    /// Disequations and data.
    fn finish(&mut self) -> Evaluated {
        for (a, b) in &self.formula.apart {
            if let (Some(a), Some(b)) = (self.value(*a), self.value(*b))
                && a == b
            {
                return Some(false);
            }
        }
        let mut queries = std::mem::take(&mut self.queries);
        let mut cases = horn::Formula { disjuncts: vec![self.facts.clone()] };
        let mut looked_at = 0;
        while let Some(query) = queries.pop() {
            looked_at += 1;
            if looked_at > MOST_RECORDS {
                return None;
            }
            if is_rigid(query.rel) {
                queries.extend(self.holes.get(&query.rel)?.apply(&query.args));
                continue;
            }
            let formula = self.solution.formulas.get(query.rel.index())?.apply(&query.args)?;
            // Most are about numbers, and decided at once.
            let open = |all: &Vec<Constraint>| {
                let decided = all.iter().map(decided).collect::<Vec<_>>();
                if decided.contains(&Some(false)) {
                    return None;
                }
                let open = all.iter().zip(&decided).filter(|(_, decided)| decided.is_none());
                Some(open.map(|(constraint, _)| constraint.clone()).collect::<Vec<_>>())
            };
            let disjuncts: Vec<Vec<Constraint>> =
                formula.disjuncts.iter().filter_map(open).collect();
            if disjuncts.iter().any(Vec::is_empty) {
                continue;
            }
            cases = cases.and(&horn::Formula { disjuncts }, MOST_CASES)?;
        }
        Some(cases.disjuncts.iter().any(|all| !arith::contradictory(all)))
    }
}

/// Is a constraint on numbers alone true?
fn decided(constraint: &Constraint) -> Option<bool> {
    if !constraint.sum.factors.is_empty() {
        return None;
    }
    let number = constraint.sum.constant;
    Some(match constraint.relation {
        Relation::Zero => number == 0,
        Relation::NotNegative => number >= 0,
        Relation::NotZero => number != 0,
    })
}
