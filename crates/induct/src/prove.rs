//! Entailment by induction: a search for cyclic proofs.
//!
//! A proof is a tree of sequents. The steps are those of the trade: what both sides say of the same
//! location is taken away from both, instances on the right are unfolded to a case that fits,
//! instances on the left are unfolded to all their cases, and a sequent that was met before on the
//! way from the root is used as a *hypothesis*.
//!
//! # Why hypotheses may be used
//!
//! Every step goes from a model `(s, h)` of the left side of a sequent to a model `(s', h')` of the
//! left side of the next, where `h'` is `h` or, when a cell was taken away from both sides, smaller by
//! that cell. A hypothesis is used for a part of `h'`. We insist that this part is strictly smaller
//! than the heap that the hypothesis was met with: cells were taken away in between, or what is left
//! over certainly holds a cell. Suppose that a sequent of a finished proof has a model that is no
//! model of its right side. Then so has one of the sequents above it, and so on for ever; the path
//! goes through hypotheses again and again. Take the one nearest to the root that it comes back to
//! infinitely often. Between two visits it goes through every step on the way from there to where the
//! hypothesis is used, since it goes back only to sequents that it has come through; so the heap gets
//! strictly smaller each time, and never larger. But heaps are finite.
//!
//! A hypothesis is a statement of its own: about all values of its variables. So it is stored with
//! everything that its proof may use, and whatever is not worth asking for is forgotten before.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::base::{Closure, Table};
use crate::invariant;
use crate::linear::{self, Constraint, Relation, Sum};
use crate::sequent::{Heap, Sequent, equated, ordered};
use crate::system::{Call, Cell, PredId, SortId, System, Var};

/// Steps for one question about bases.
const BASE_WORK: u64 = 3_000;
/// A hypothesis is used in at most this many ways.
const MAX_USES: usize = 6;
/// So many instances on the left are tried to be unfolded.
const MAX_UNFOLDED: usize = 3;

/// Numbers beyond this do not count down to nothing in a proof.
const LARGE: u128 = 8;
/// The effort for a lemma.
const LEMMA_DEPTH: u32 = 5;
const LEMMA_STEPS: u64 = 1_500;

/// A search for a proof.
pub struct Prover<'a> {
    system: &'a System,
    table: &'a Table,
    pub(crate) invariants: Vec<Vec<Constraint>>,
    shapes: Vec<Shape>,
    /// The sorts of all variables.
    sorts: Vec<SortId>,
    /// What was met on the way.
    path: Vec<Hypothesis>,
    /// Searches that failed.
    failed: HashSet<u64>,
    /// Whether an instance of the first predicate is one of the second, as far as was asked.
    conversions: HashMap<(PredId, PredId), bool>,
    steps: u64,
}

/// A sequent that may be used, because it is being proved.
#[derive(Clone, Debug)]
struct Hypothesis {
    sequent: Sequent,
    /// How many cells had been taken away, at least, when it was met.
    consumed: u32,
    /// The same for the same sequents.
    key: u64,
}

/// What is worth knowing of a predicate.
#[derive(Clone, Debug, Default)]
struct Shape {
    /// Does it mention itself, directly or not?
    recursive: bool,
    /// Does every instance hold a cell?
    nonempty: bool,
    /// Parameters that are allocated by some case.
    roots: Vec<bool>,
    /// A parameter that is allocated in every instance.
    root: Option<usize>,
}

/// How far a sequent got without any choice.
pub(crate) enum Progress {
    Proved,
    Failed,
    Open,
}

impl<'a> Prover<'a> {
    /// A prover for these definitions.
    #[must_use]
    pub fn new(system: &'a System, table: &'a Table) -> Prover<'a> {
        Prover {
            system,
            table,
            invariants: invariant::invariants(system),
            shapes: shapes(system, table),
            sorts: (0..system.nils()).collect(),
            path: Vec::new(),
            failed: HashSet::new(),
            conversions: HashMap::new(),
            steps: 0,
        }
    }

    /// A variable that nobody has.
    pub fn fresh(&mut self, sort: SortId) -> Var {
        self.sorts.push(sort);
        (self.sorts.len() - 1) as Var
    }

    /// Is there a proof that is found in so many steps? The depth of a proof is how often instances on
    /// the left are unfolded and hypotheses used on one branch.
    pub fn proves(&mut self, sequent: &Sequent, max_depth: u32, max_steps: u64) -> bool {
        self.steps = max_steps;
        for depth in (1..=max_depth).filter(|depth| *depth < 5 || depth % 2 == 0) {
            self.path.clear();
            if self.prove(sequent.clone(), 0, depth) {
                return true;
            }
            if self.steps == 0 {
                return false;
            }
        }
        false
    }

    pub(crate) fn system(&self) -> &'a System {
        self.system
    }

    pub(crate) fn nils(&self) -> usize {
        self.system.nils()
    }

    pub(crate) fn is_int(&self, var: Var) -> bool {
        self.system.is_int(self.sorts[var as usize])
    }

    /// A search that has failed before is not repeated.
    fn prove(&mut self, mut s: Sequent, mut consumed: u32, depth: u32) -> bool {
        match self.steps.checked_sub(1) {
            Some(steps) => self.steps = steps,
            None => return false,
        }
        match self.normalise(&mut s, &mut consumed) {
            Progress::Proved => return true,
            Progress::Failed => return false,
            Progress::Open => {}
        }
        let key = self.key(&s, consumed, depth);
        if self.failed.contains(&key) {
            return false;
        }
        let proved = self.choose(&s, consumed, depth);
        if !proved && self.steps > 0 {
            self.failed.insert(key);
        }
        proved
    }

    /// The same for the same question, whatever the names.
    fn key(&self, s: &Sequent, consumed: u32, depth: u32) -> u64 {
        let mut hasher = DefaultHasher::new();
        s.canonical(self.nils()).hash(&mut hasher);
        depth.hash(&mut hasher);
        for hypothesis in &self.path {
            (hypothesis.key, consumed > hypothesis.consumed).hash(&mut hasher);
        }
        hasher.finish()
    }

    fn choose(&mut self, s: &Sequent, consumed: u32, depth: u32) -> bool {
        if s.right.is_empty() {
            if s.left.is_empty() && (!s.left.open || s.right.open) || s.right.open {
                return self.pure_holds(s) || self.split(s, consumed, depth);
            }
            if !s.left.cells.is_empty() || s.left.open {
                return false;
            }
        }
        if let Some(next) = self.convert(s)
            && self.prove(next, consumed, depth)
        {
            return true;
        }
        let flat = s.left.calls.iter().position(|call| !self.shapes[call.pred].recursive);
        if let Some(index) = flat {
            return self.unfold_left(s, index, consumed, depth);
        }
        self.match_cells(s, consumed, depth)
            || self.match_calls(s, consumed, depth)
            || self.unfold_right(s, consumed, depth)
            || self.use_hypotheses(s, consumed, depth)
            || self.induct(s, consumed, depth)
            || self.split(s, consumed, depth)
            || self.guess(s, consumed, depth)
    }

    // Steps without a choice.

    pub(crate) fn normalise(&mut self, s: &mut Sequent, consumed: &mut u32) -> Progress {
        if !simplify_left(s) || self.is_contradiction(&s.left) {
            return Progress::Proved;
        }
        let (_, numbers, closure) = s.left.compact(self.nils());
        let different = |a: Var, b: Var| match (&closure, numbers.get(&a), numbers.get(&b)) {
            (Some(closure), Some(a), Some(b)) => closure.are_different(*a, *b),
            _ => false,
        };
        loop {
            if !simplify_right(s) {
                return Progress::Failed;
            }
            if self.define(s) {
                continue;
            }
            if s.right.equal.iter().any(|(a, b)| different(*a, *b))
                || s.right.different.iter().any(|(a, b)| a == b)
                || s.right.cells.iter().any(|cell| (cell.addr as usize) < self.nils())
            {
                return Progress::Failed;
            }
            if self.take_cell(s) {
                *consumed += 1;
                continue;
            }
            match self.take_call(s) {
                None => break,
                Some(nonempty) => *consumed += u32::from(nonempty),
            }
        }
        if !self.discharge(s) {
            return Progress::Failed;
        }
        forget_dead(s);
        if !self.discharge_linear(s) {
            return Progress::Failed;
        }
        Progress::Open
    }

    /// An existential integer that an equation determines has a value: a variable of the left side.
    fn define(&mut self, s: &mut Sequent) -> bool {
        let found = s.right.linear.iter().enumerate().find_map(|(i, c)| {
            let mut unknown = c.sum.factors.iter().filter(|(v, _)| s.exist.contains(v));
            match (c.relation, unknown.next(), unknown.next()) {
                (Relation::Zero, Some((v, 1 | -1)), None) => Some((i, *v)),
                _ => None,
            }
        });
        let Some((index, var)) = found else { return false };
        let fresh = self.fresh(self.sorts[var as usize]);
        s.bind(var, fresh);
        let equation = s.right.linear.remove(index);
        s.left.linear.push(equation);
        true
    }

    /// Drops what is known to follow of equal and different locations. `false` if something does not
    /// follow: bases are exact as long as there are no integers, so there is a counterexample. With
    /// integers it may be known later, but then it is asked for later as well.
    fn discharge(&self, s: &mut Sequent) -> bool {
        let equal = std::mem::take(&mut s.right.equal);
        s.right.equal =
            equal.into_iter().filter(|(a, b)| !self.are_equal(&s.left, *a, *b)).collect();
        let different = std::mem::take(&mut s.right.different);
        s.right.different = different
            .into_iter()
            .filter(|(a, b)| {
                s.exist.contains(a) || s.exist.contains(b) || !self.are_different(&s.left, *a, *b)
            })
            .collect();
        let free = |v: &Var| !s.exist.contains(v);
        s.right.equal.is_empty() && !s.right.different.iter().any(|(a, b)| free(a) && free(b))
    }

    /// The same for integers.
    fn discharge_linear(&self, s: &mut Sequent) -> bool {
        if s.right.linear.is_empty() {
            return true;
        }
        let mut facts = self.facts(&s.left);
        let (open, closed): (Vec<Constraint>, Vec<Constraint>) =
            std::mem::take(&mut s.right.linear)
                .into_iter()
                .partition(|c| c.sum.factors.iter().any(|(v, _)| s.exist.contains(v)));
        if !closed.iter().all(|c| linear::implies(&facts, c)) {
            return false;
        }
        facts.extend(open.iter().cloned());
        s.right.linear = open;
        s.right.linear.is_empty() || !linear::contradictory(&facts)
    }

    /// What both sides say of the same location.
    fn take_cell(&self, s: &mut Sequent) -> bool {
        let found = s.right.cells.iter().enumerate().find_map(|(r, cell)| {
            s.left.cells.iter().position(|c| c.addr == cell.addr).map(|l| (l, r))
        });
        let Some((l, r)) = found else { return false };
        let (left, right) = (s.left.cells.remove(l), s.right.cells.remove(r));
        s.left.gone.push(left.addr);
        // The fields are equal, or it cannot be shown.
        self.equate(s, &left.fields, &right.fields);
        true
    }

    /// The same instance on both sides; does it hold a cell?
    fn take_call(&self, s: &mut Sequent) -> Option<bool> {
        let found = s.right.calls.iter().enumerate().find_map(|(r, call)| {
            let same = |c: &Call| {
                c.pred == call.pred
                    && c.args
                        .iter()
                        .zip(&call.args)
                        .all(|(a, b)| a == b || self.is_int(*a) && self.is_surely(s, *a, *b))
            };
            s.left.calls.iter().position(same).map(|l| (l, r))
        });
        let (l, r) = found?;
        Some(self.take_away(s, l, r))
    }

    /// Takes an instance from both sides, whose arguments are equal, or it cannot be shown.
    fn take_away(&self, s: &mut Sequent, l: usize, r: usize) -> bool {
        let (left, right) = (s.left.calls.remove(l), s.right.calls.remove(r));
        let shape = &self.shapes[left.pred];
        s.left.gone.extend(shape.root.and_then(|root| left.args.get(root)));
        self.equate(s, &left.args, &right.args);
        shape.nonempty
    }

    /// Is an integer of the right side equal to one of the left, or may it be?
    fn is_surely(&self, s: &Sequent, left: Var, right: Var) -> bool {
        if s.exist.contains(&right) {
            return !s.right.linear.iter().any(|c| c.sum.factor(right) != 0);
        }
        Constraint::equal(&Sum::var(left), &Sum::var(right))
            .is_some_and(|goal| linear::implies(&self.facts(&s.left), &goal))
    }

    /// Demands that variables of the right side are equal to those of the left.
    fn equate(&self, s: &mut Sequent, left: &[Var], right: &[Var]) {
        for (l, r) in left.iter().zip(right) {
            if l == r {
                continue;
            }
            if !self.is_int(*l) {
                s.right.equal.push((*l, *r));
            } else if let Some(c) = Constraint::equal(&Sum::var(*l), &Sum::var(*r)) {
                s.right.linear.push(c);
            }
        }
    }

    // What holds of the left side.

    /// Everything that is known of integers.
    pub(crate) fn facts(&self, left: &Heap) -> Vec<Constraint> {
        let mut facts = left.linear.clone();
        for call in &left.calls {
            let of_call = &self.invariants[call.pred];
            facts.extend(invariant::of_call(of_call, &call.args, self.nils()));
        }
        facts
    }

    fn is_contradiction(&self, left: &Heap) -> bool {
        let facts = self.facts(left);
        linear::contradictory(&facts) || self.has_no_base(left, |_| true)
    }

    /// Has it no model in which more holds?
    fn has_no_base(&self, left: &Heap, more: impl FnOnce(&mut Closure) -> bool) -> bool {
        if !self.table.complete {
            return false;
        }
        let (clause, _, closure) = left.compact(self.nils());
        let Some(mut closure) = closure else { return true };
        !more(&mut closure)
            || self.table.consistent_with(&clause, &closure, BASE_WORK) == Some(None)
    }

    fn are_different(&self, left: &Heap, a: Var, b: Var) -> bool {
        self.never(left, a, b, Closure::equate)
    }

    fn are_equal(&self, left: &Heap, a: Var, b: Var) -> bool {
        a == b || self.never(left, a, b, Closure::separate)
    }

    fn never(
        &self,
        left: &Heap,
        a: Var,
        b: Var,
        what: impl FnOnce(&mut Closure, Var, Var) -> bool,
    ) -> bool {
        // A variable that the left side does not mention may be anything.
        let mut with = left.clone();
        with.equal.push((a, a));
        with.equal.push((b, b));
        let (_, numbers, _) = with.compact(self.nils());
        match (numbers.get(&a), numbers.get(&b)) {
            (Some(a), Some(b)) => self.has_no_base(&with, |closure| what(closure, *a, *b)),
            _ => false,
        }
    }

    /// Does what is left on the right side, all of it pure, follow?
    fn pure_holds(&self, s: &Sequent) -> bool {
        let free = |v: Var| !s.exist.contains(&v);
        // There is always a location that is different from all others.
        s.right.equal.iter().all(|(a, b)| self.are_equal(&s.left, *a, *b))
            && s.right.different.iter().all(|(a, b)| {
                a != b && (!free(*a) || !free(*b) || self.are_different(&s.left, *a, *b))
            })
            && self.linear_holds(s)
    }

    fn linear_holds(&self, s: &Sequent) -> bool {
        if s.right.linear.is_empty() {
            return true;
        }
        let facts = self.facts(&s.left);
        match linear::project(&s.right.linear, &s.exist) {
            Some(goals) => goals.iter().all(|goal| linear::implies(&facts, goal)),
            None => false,
        }
    }

    // Choices on the right side.

    /// A cell whose location is to be found.
    fn match_cells(&mut self, s: &Sequent, consumed: u32, depth: u32) -> bool {
        let Some(r) = s.right.cells.iter().position(|cell| s.exist.contains(&cell.addr)) else {
            return false;
        };
        for l in 0..s.left.cells.len() {
            if !fits(s, &s.left.cells[l], &s.right.cells[r]) {
                continue;
            }
            let mut next = s.clone();
            next.bind(s.right.cells[r].addr, s.left.cells[l].addr);
            if self.prove(next, consumed, depth) {
                return true;
            }
        }
        false
    }

    /// Instances of the same predicate whose arguments can be made equal.
    fn match_calls(&mut self, s: &Sequent, consumed: u32, depth: u32) -> bool {
        for r in 0..s.right.calls.len() {
            for l in 0..s.left.calls.len() {
                let (left, right) = (&s.left.calls[l], &s.right.calls[r]);
                let fits = left.pred == right.pred
                    && left
                        .args
                        .iter()
                        .zip(&right.args)
                        .all(|(a, b)| a == b || s.exist.contains(b) || self.is_int(*a));
                if !fits {
                    continue;
                }
                let mut next = s.clone();
                let nonempty = self.take_away(&mut next, l, r);
                if self.prove(next, consumed + u32::from(nonempty), depth) {
                    return true;
                }
            }
        }
        false
    }

    /// An instance as one of its cases.
    fn unfold_right(&mut self, s: &Sequent, consumed: u32, depth: u32) -> bool {
        for r in 0..s.right.calls.len() {
            let pred = s.right.calls[r].pred;
            for case in 0..self.system.predicates[pred].cases.len() {
                let mut next = s.clone();
                let call = next.right.calls.remove(r);
                let (heap, vars) = self.instance(&call, case);
                next.exist.extend(vars);
                let (cells, calls) = (next.right.cells.len(), heap.calls.len());
                let is_flat = heap.cells.is_empty();
                next.right.add(heap);
                if !simplify_right(&mut next) {
                    continue;
                }
                let price = if is_flat {
                    u32::from(calls > 0 && self.shapes[pred].recursive)
                } else {
                    match next.right.cells.get(cells..).and_then(|new| price(&next, new)) {
                        Some(price) => price,
                        None => continue,
                    }
                };
                if depth >= price && self.prove(next, consumed, depth - price) {
                    return true;
                }
            }
        }
        false
    }

    /// A case of a definition for these arguments, and its existential variables.
    fn instance(&mut self, call: &Call, case: usize) -> (Heap, Vec<Var>) {
        let system = self.system;
        let clause = &system.predicates[call.pred].cases[case];
        let mut scope: Vec<Var> = (0..self.nils() as Var).collect();
        scope.extend(&call.args);
        let vars: Vec<Var> =
            clause.sorts.iter().skip(clause.free).map(|sort| self.fresh(*sort)).collect();
        scope.extend(&vars);
        (Heap::instance(clause, &scope), vars)
    }

    // Induction.

    /// Unfolds an instance on the left; this sequent is a hypothesis from now on.
    fn induct(&mut self, s: &Sequent, consumed: u32, depth: u32) -> bool {
        if depth == 0 {
            return false;
        }
        let mut order: Vec<(usize, usize)> =
            (0..s.left.calls.len()).map(|i| (self.interest(s, &s.left.calls[i]), i)).collect();
        order.sort_by_key(|(interest, i)| (std::cmp::Reverse(*interest), *i));
        let s = self.forget(s);
        let without = without_large(&s);
        for (_, index) in order.into_iter().take(MAX_UNFOLDED) {
            for s in without.iter().chain([&s]) {
                let mut hasher = DefaultHasher::new();
                s.canonical(self.nils()).hash(&mut hasher);
                let key = hasher.finish();
                self.path.push(Hypothesis { sequent: s.clone(), consumed, key });
                let proved = self.unfold_left(s, index, consumed, depth - 1);
                self.path.pop();
                if proved {
                    return true;
                }
            }
        }
        false
    }

    fn unfold_left(&mut self, s: &Sequent, index: usize, consumed: u32, depth: u32) -> bool {
        let call = s.left.calls[index].clone();
        (0..self.system.predicates[call.pred].cases.len()).all(|case| {
            let mut next = s.clone();
            next.left.calls.remove(index);
            let (heap, _) = self.instance(&call, case);
            next.left.add(heap);
            self.prove(next, consumed, depth)
        })
    }

    /// Arguments that may be allocated by an instance.
    fn roots(&self, call: &Call) -> Vec<Var> {
        let roots = &self.shapes[call.pred].roots;
        call.args.iter().zip(roots).filter(|(_, root)| **root).map(|(arg, _)| *arg).collect()
    }

    /// How likely it is that unfolding this instance helps.
    fn interest(&self, s: &Sequent, call: &Call) -> usize {
        let wanted: BTreeSet<Var> = s
            .right
            .calls
            .iter()
            .flat_map(|call| self.roots(call))
            .chain(s.right.cells.iter().map(|cell| cell.addr))
            .collect();
        let shared = self.roots(call).iter().filter(|v| wanted.contains(v)).count();
        let mentioned = s.right.spatial_vars();
        4 * shared + usize::from(call.args.iter().any(|arg| mentioned.contains(arg)))
    }

    /// The same without what is not worth asking for when it is a hypothesis.
    fn forget(&self, s: &Sequent) -> Sequent {
        let mut s = s.clone();
        let mut alive = s.left.spatial_vars();
        alive.extend(s.right.vars());
        s.left.gone.retain(|v| alive.contains(v));
        let (cells, gone) = (s.left.cells.clone(), s.left.gone.clone());
        let (_, numbers, closure) = Heap { cells, gone, ..Heap::default() }.compact(self.nils());
        s.left.different.retain(|(a, b)| {
            let known = match (&closure, numbers.get(a), numbers.get(b)) {
                (Some(closure), Some(a), Some(b)) => closure.are_different(*a, *b),
                _ => false,
            };
            let lives = |v: &Var| alive.contains(v) || (*v as usize) < self.nils();
            !known && lives(a) && lives(b)
        });
        forget_dead(&mut s);
        s
    }

    fn use_hypotheses(&mut self, s: &Sequent, consumed: u32, depth: u32) -> bool {
        if depth == 0 {
            return false;
        }
        let mut wishes: BTreeSet<(Var, Var)> = BTreeSet::new();
        let mut numbers: Vec<Constraint> = Vec::new();
        for index in (0..self.path.len()).rev() {
            let Hypothesis { sequent: hypothesis, consumed: before, .. } = self.path[index].clone();
            for usage in uses(&hypothesis.left, &s.left, self.nils()) {
                let smaller = consumed > before
                    || !usage.cells.iter().all(|used| *used)
                    || s.left
                        .calls
                        .iter()
                        .zip(&usage.calls)
                        .any(|(call, used)| !used && self.shapes[call.pred].nonempty);
                if !smaller {
                    continue;
                }
                match self.rewrite(s, &hypothesis, &usage) {
                    Ok(next) => {
                        if self.prove(next, consumed, depth - 1) {
                            return true;
                        }
                    }
                    Err(unknown) => {
                        let var = |v: Var| usage.vars.get(&v).copied().unwrap_or(v);
                        wishes.extend(hypothesis.left.renamed(&var).different);
                        numbers.extend(unknown);
                    }
                }
            }
        }
        // A hypothesis may ask for locations to be different that may be equal.
        wishes.into_iter().any(|(a, b)| self.split_on(s, a, b, consumed, depth))
            || self.split_linear(s, numbers, consumed, depth)
    }

    /// The sequent with the right side of another in place of what its left side matches.
    /// Otherwise what would have to be known of integers.
    fn rewrite(
        &mut self,
        s: &Sequent,
        rule: &Sequent,
        usage: &Use,
    ) -> Result<Sequent, Vec<Constraint>> {
        if rule.left.open {
            return Err(Vec::new());
        }
        let mut next = s.clone();
        let mut vars = usage.vars.clone();
        self.instantiate(&mut next, rule, &mut vars);
        let var = |v: Var| vars.get(&v).copied().unwrap_or(v);
        let known = &next.left;
        let facts = self.facts(known);
        let holds = rule.left.equal.is_empty()
            && is_elsewhere(&rule.left.gone, &var, known, usage)
            && rule.left.different.iter().all(|(a, b)| self.are_different(known, var(*a), var(*b)));
        if !holds {
            return Err(Vec::new());
        }
        let mut wishes: Vec<Constraint> =
            rule.left.linear.iter().map(|c| c.renamed(&var)).collect();
        wishes.retain(|c| !linear::implies(&facts, c));
        if !wishes.is_empty() {
            return Err(wishes);
        }
        for v in &rule.exist {
            let fresh = self.fresh(self.sorts[*v as usize]);
            vars.insert(*v, fresh);
        }
        let mut used = usage.cells.iter();
        next.left.cells.retain(|_| used.next() == Some(&false));
        let mut used = usage.calls.iter();
        next.left.calls.retain(|_| used.next() == Some(&false));
        next.left.add(rule.right.renamed(&|v| vars.get(&v).copied().unwrap_or(v)));
        Ok(next)
    }

    /// Chooses integers that no atom on the left side of a rule determines: what is wanted on the
    /// right, and then what equations say. The others stay what they are.
    fn instantiate(&mut self, s: &mut Sequent, rule: &Sequent, vars: &mut BTreeMap<Var, Var>) {
        for call in &rule.right.calls {
            let wanted = s.right.calls.iter().find(|other| {
                let fits = |(a, b): (&Var, &Var)| match vars.get(a) {
                    Some(known) => known == b || self.is_int(*b),
                    None => true,
                };
                other.pred == call.pred && call.args.iter().zip(&other.args).all(fits)
            });
            for (a, b) in call.args.iter().zip(wanted.iter().flat_map(|call| &call.args)) {
                if self.is_int(*a) && !rule.exist.contains(a) && !s.exist.contains(b) {
                    vars.entry(*a).or_insert(*b);
                }
            }
        }
        loop {
            let found = rule.left.linear.iter().find_map(|c| {
                let mut unknown = c.sum.factors.iter().filter(|(v, _)| !vars.contains_key(v));
                match (c.relation, unknown.next(), unknown.next()) {
                    (Relation::Zero, Some((v, 1 | -1)), None) => Some((c, *v)),
                    _ => None,
                }
            });
            let Some((equation, var)) = found else { return };
            let fresh = self.fresh(self.sorts[var as usize]);
            vars.insert(var, fresh);
            let known = |v: Var| vars.get(&v).copied().unwrap_or(v);
            s.left.linear.push(equation.renamed(&known));
        }
    }

    // Lemmas.

    /// The sequent with instances of predicates that are wanted in place of those that are not.
    fn convert(&mut self, s: &Sequent) -> Option<Sequent> {
        let wanted: BTreeSet<PredId> = s
            .right
            .calls
            .iter()
            .map(|call| call.pred)
            .filter(|pred| self.shapes[*pred].recursive)
            .collect();
        let mut next = s.clone();
        let mut changed = false;
        for i in 0..next.left.calls.len() {
            let from = next.left.calls[i].pred;
            if wanted.contains(&from) {
                continue;
            }
            if let Some(to) = wanted.iter().copied().find(|to| self.is_instance(from, *to)) {
                next.left.calls[i].pred = to;
                changed = true;
            }
        }
        changed.then_some(next)
    }

    /// Is every instance of a predicate one of another, with the same arguments? This is proved on its
    /// own, once.
    fn is_instance(&mut self, from: PredId, to: PredId) -> bool {
        if self.system.predicates[from].params != self.system.predicates[to].params {
            return false;
        }
        if let Some(known) = self.conversions.get(&(from, to)) {
            return *known;
        }
        // Until it is proved it is not used.
        self.conversions.insert((from, to), false);
        let params = &self.system.predicates[from].params;
        let args: Vec<Var> = params.iter().map(|sort| self.fresh(*sort)).collect();
        let side = |pred| {
            let call = Call { pred, args: args.clone() };
            Heap { calls: vec![call], ..Heap::default() }
        };
        let sequent = Sequent { left: side(from), right: side(to), exist: BTreeSet::new() };
        let proved = self.aside(&sequent);
        self.conversions.insert((from, to), proved);
        proved
    }

    /// A proof on its own, with less effort.
    fn aside(&mut self, sequent: &Sequent) -> bool {
        let path = std::mem::take(&mut self.path);
        let steps = self.steps;
        let proved = self.proves(sequent, LEMMA_DEPTH, steps.min(LEMMA_STEPS));
        let used = steps.min(LEMMA_STEPS) - self.steps;
        self.path = path;
        self.steps = steps - used;
        proved
    }

    // Cases.

    /// Two cases, if there are two.
    fn split_on(&mut self, s: &Sequent, a: Var, b: Var, consumed: u32, depth: u32) -> bool {
        if self.are_different(&s.left, a, b) || self.are_equal(&s.left, a, b) {
            return false;
        }
        let mut same = s.clone();
        same.left.equal.push((a, b));
        let mut other = s.clone();
        other.left.different.insert(ordered(a, b));
        self.prove(same, consumed, depth - 1) && self.prove(other, consumed, depth - 1)
    }

    /// Cases of the first of these constraints that may hold or not.
    fn split_linear(
        &mut self,
        s: &Sequent,
        constraints: Vec<Constraint>,
        consumed: u32,
        depth: u32,
    ) -> bool {
        let facts = self.facts(&s.left);
        let undecided = constraints.into_iter().find_map(|c| {
            let cases = c.negation()?;
            let with = |case: &Constraint| {
                let mut all = facts.clone();
                all.push(case.clone());
                !linear::contradictory(&all)
            };
            let cases: Vec<Constraint> = cases.into_iter().filter(with).collect();
            (!cases.is_empty() && with(&c)).then_some((c, cases))
        });
        if let Some((constraint, mut cases)) = undecided {
            cases.push(constraint);
            let proved = cases.into_iter().all(|case| {
                let mut next = s.clone();
                next.left.linear.push(case);
                self.prove(next, consumed, depth - 1)
            });
            return proved;
        }
        false
    }

    /// The location of an instance on the right is where something on the left is.
    fn guess(&mut self, s: &Sequent, consumed: u32, depth: u32) -> bool {
        if depth == 0 {
            return false;
        }
        let places: BTreeSet<Var> = s
            .left
            .calls
            .iter()
            .flat_map(|call| self.roots(call))
            .chain(s.left.cells.iter().map(|cell| cell.addr))
            .collect();
        let wanted: BTreeSet<Var> = s
            .right
            .calls
            .iter()
            .flat_map(|call| self.roots(call))
            .filter(|v| s.exist.contains(v))
            .collect();
        for var in wanted {
            for place in &places {
                if self.sorts[*place as usize] != self.sorts[var as usize] {
                    continue;
                }
                let mut next = s.clone();
                next.bind(var, *place);
                if self.prove(next, consumed, depth - 1) {
                    return true;
                }
            }
        }
        false
    }

    /// Two cases: locations that a case on the right compares are equal, or they are not.
    fn split(&mut self, s: &Sequent, consumed: u32, depth: u32) -> bool {
        if depth == 0 {
            return false;
        }
        let mut pairs: BTreeSet<(Var, Var)> = BTreeSet::new();
        let mut constraints: Vec<Constraint> = Vec::new();
        let mut look = |heap: &Heap, exist: &BTreeSet<Var>| {
            let known = |v: &Var| !exist.contains(v);
            pairs.extend(
                heap.equal
                    .iter()
                    .chain(&heap.different)
                    .filter(|(a, b)| known(a) && known(b) && a != b)
                    .map(|(a, b)| ordered(*a, *b)),
            );
            constraints.extend(linear::weaken(&heap.linear, exist));
        };
        look(&s.right, &s.exist);
        for call in s.right.calls.clone() {
            for case in 0..self.system.predicates[call.pred].cases.len() {
                let (heap, vars) = self.instance(&call, case);
                let mut exist = s.exist.clone();
                exist.extend(vars);
                look(&heap, &exist);
            }
        }
        if self.split_linear(s, constraints, consumed, depth) {
            return true;
        }
        let undecided = |(a, b): &(Var, Var)| {
            !self.are_different(&s.left, *a, *b) && !self.are_equal(&s.left, *a, *b)
        };
        if let Some((a, b)) = pairs.into_iter().find(undecided) {
            return self.split_on(s, a, b, consumed, depth);
        }
        false
    }
}

/// The same without large bounds, if there are any: they do not hold of what is smaller.
fn without_large(s: &Sequent) -> Option<Sequent> {
    let is_large =
        |c: &Constraint| c.sum.factors.len() == 1 && c.sum.constant.unsigned_abs() > LARGE;
    if !s.left.linear.iter().any(is_large) || s.right.linear.iter().any(is_large) {
        return None;
    }
    let mut s = s.clone();
    s.left.linear.retain(|c| !is_large(c));
    Some(s)
}

/// Weakens what is said of integers to those that atoms mention.
fn forget_dead(s: &mut Sequent) {
    if s.left.linear.is_empty() {
        return;
    }
    let mut alive = s.left.spatial_vars();
    alive.extend(s.right.vars());
    let all = s.left.linear.iter().flat_map(|c| c.sum.factors.iter().map(|(v, _)| *v));
    let dead: BTreeSet<Var> = all.filter(|v| !alive.contains(v)).collect();
    if !dead.is_empty() {
        s.left.linear = linear::weaken(&s.left.linear, &dead);
    }
}

/// Uses up the equations of the left side. `false` if they are a contradiction.
fn simplify_left(s: &mut Sequent) -> bool {
    loop {
        if let Some((a, b)) = s.left.equal.pop() {
            if a != b {
                s.replace(a.max(b), a.min(b));
            }
            continue;
        }
        let found = s.left.linear.iter().enumerate().find_map(|(i, c)| Some((i, equated(c)?)));
        let Some((index, pair)) = found else { break };
        s.left.linear.remove(index);
        s.left.equal.push(pair);
    }
    s.left.linear.retain(|c| !c.is_trivial());
    !s.left.different.iter().any(|(a, b)| a == b)
}

/// Uses up equations of the right side that say what an existential variable is. `false` if one
/// cannot hold.
fn simplify_right(s: &mut Sequent) -> bool {
    let mut rest = Vec::new();
    loop {
        if let Some((a, b)) = s.right.equal.pop() {
            if a == b {
                continue;
            }
            if s.exist.contains(&b) {
                s.bind(b, a);
            } else if s.exist.contains(&a) {
                s.bind(a, b);
            } else {
                rest.push((a, b));
            }
            // What was set aside has no existential variables.
            continue;
        }
        let found = s.right.linear.iter().enumerate().find_map(|(i, c)| {
            let (a, b) = equated(c)?;
            (s.exist.contains(&a) || s.exist.contains(&b)).then_some((i, a, b))
        });
        let Some((index, a, b)) = found else { break };
        s.right.linear.remove(index);
        if s.exist.contains(&b) { s.bind(b, a) } else { s.bind(a, b) }
    }
    rest.sort_unstable();
    rest.dedup();
    s.right.equal = rest;
    s.right.linear.retain(|c| !c.is_trivial());
    !s.right.different.iter().any(|(a, b)| a == b)
}

/// Can a cell of the left side be the one that is wanted?
fn fits(s: &Sequent, left: &Cell, right: &Cell) -> bool {
    (left.addr == right.addr || s.exist.contains(&right.addr))
        && left.fields.len() == right.fields.len()
        && left.fields.iter().zip(&right.fields).all(|(l, r)| l == r || s.exist.contains(r))
}

/// What it costs to unfold to these cells: nothing if one of them is there. `None` if none is.
fn price(s: &Sequent, cells: &[Cell]) -> Option<u32> {
    let there = |cell: &Cell| s.left.cells.iter().any(|c| c.addr == cell.addr);
    if cells.iter().any(there) {
        return Some(0);
    }
    let may_be = |cell: &Cell| {
        s.exist.contains(&cell.addr)
            && cell.fields.iter().any(|f| !s.exist.contains(f))
            && s.left.cells.iter().any(|c| fits(s, c, cell))
    };
    cells.iter().any(may_be).then_some(0)
}

/// Is what a rule takes for allocated elsewhere, at different places, so allocated? It is if it was
/// taken away from this sequent, or is a cell that the rule does not use.
fn is_elsewhere(gone: &[Var], var: &impl Fn(Var) -> Var, left: &Heap, usage: &Use) -> bool {
    let gone: Vec<Var> = gone.iter().map(|v| var(*v)).collect();
    let distinct: BTreeSet<Var> = gone.iter().copied().collect();
    let unused =
        |v: Var| left.cells.iter().zip(&usage.cells).any(|(cell, used)| !used && cell.addr == v);
    distinct.len() == gone.len() && gone.iter().all(|v| left.gone.contains(v) || unused(*v))
}

/// How a left side is found in another.
#[derive(Clone, Debug, Default)]
struct Use {
    vars: BTreeMap<Var, Var>,
    /// Which cells and calls of the other it takes.
    cells: Vec<bool>,
    calls: Vec<bool>,
}

/// Ways to find the atoms of one left side in another.
fn uses(pattern: &Heap, heap: &Heap, nils: usize) -> Vec<Use> {
    let mut found = Vec::new();
    let start = Use {
        vars: (0..nils as Var).map(|v| (v, v)).collect(),
        cells: vec![false; heap.cells.len()],
        calls: vec![false; heap.calls.len()],
    };
    if pattern.is_empty() {
        return found;
    }
    search(pattern, heap, 0, start, &mut found);
    found
}

fn search(pattern: &Heap, heap: &Heap, at: usize, usage: Use, found: &mut Vec<Use>) {
    if found.len() >= MAX_USES {
        return;
    }
    let calls = pattern.calls.len();
    if let Some(call) = pattern.calls.get(at) {
        for (i, other) in heap.calls.iter().enumerate() {
            if usage.calls[i] || other.pred != call.pred {
                continue;
            }
            let mut next = usage.clone();
            if unify(&mut next.vars, &call.args, &other.args) {
                next.calls[i] = true;
                search(pattern, heap, at + 1, next, found);
            }
        }
    } else if let Some(cell) = pattern.cells.get(at - calls) {
        for (i, other) in heap.cells.iter().enumerate() {
            if usage.cells[i] || other.fields.len() != cell.fields.len() {
                continue;
            }
            let mut next = usage.clone();
            if unify(&mut next.vars, &[cell.addr], &[other.addr])
                && unify(&mut next.vars, &cell.fields, &other.fields)
            {
                next.cells[i] = true;
                search(pattern, heap, at + 1, next, found);
            }
        }
    } else {
        found.push(usage);
    }
}

fn unify(vars: &mut BTreeMap<Var, Var>, pattern: &[Var], args: &[Var]) -> bool {
    pattern.iter().zip(args).all(|(p, a)| *vars.entry(*p).or_insert(*a) == *a)
}

fn shapes(system: &System, table: &Table) -> Vec<Shape> {
    let count = system.predicates.len();
    // Who mentions whom, directly or not.
    let mut reaches = vec![vec![false; count]; count];
    for (pred, predicate) in system.predicates.iter().enumerate() {
        for call in predicate.cases.iter().flat_map(|case| &case.calls) {
            reaches[pred][call.pred] = true;
        }
    }
    for middle in 0..count {
        for from in 0..count {
            if reaches[from][middle] {
                for to in 0..count {
                    if reaches[middle][to] {
                        reaches[from][to] = true;
                    }
                }
            }
        }
    }
    let mut shapes: Vec<Shape> = system
        .predicates
        .iter()
        .enumerate()
        .map(|(pred, predicate)| Shape {
            recursive: reaches[pred][pred],
            nonempty: true,
            roots: vec![false; predicate.params.len()],
            root: (0..predicate.params.len()).find(|i| table.allocates(pred, *i)),
        })
        .collect();
    loop {
        let before: Vec<(bool, Vec<bool>)> =
            shapes.iter().map(|s| (s.nonempty, s.roots.clone())).collect();
        for (pred, predicate) in system.predicates.iter().enumerate() {
            for case in &predicate.cases {
                let holds_cell = !case.cells.is_empty()
                    || case.calls.iter().any(|call| shapes[call.pred].nonempty);
                shapes[pred].nonempty &= holds_cell;
                let mut allocated: Vec<Var> = case.cells.iter().map(|cell| cell.addr).collect();
                for call in &case.calls {
                    let roots = &shapes[call.pred].roots;
                    allocated.extend(
                        call.args.iter().zip(roots).filter(|(_, root)| **root).map(|(a, _)| *a),
                    );
                }
                for var in allocated {
                    let same = |v: Var| {
                        v == var || case.equal.contains(&(v, var)) || case.equal.contains(&(var, v))
                    };
                    for i in 0..predicate.params.len() {
                        shapes[pred].roots[i] |= same((system.nils() + i) as Var);
                    }
                }
            }
        }
        let same = shapes.iter().zip(&before).all(|(s, b)| (s.nonempty, &s.roots) == (b.0, &b.1));
        if same {
            return shapes;
        }
    }
}
