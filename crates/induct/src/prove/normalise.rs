//! Steps without a choice: equations are used up, and what both sides say is taken from both.

use std::collections::{BTreeMap, BTreeSet};

use super::trace::{Trace, simplify};
use super::{Progress, Prover, Unmatched};
use crate::base::{Closure, compact};
use crate::sequent::{Heap, Sequent, equated, valued};
use crate::system::{Call, Clause, Var};
use arith::{Constraint, Relation, Sum};
use sl::proof::Rule;

impl Prover<'_> {
    /// What was done is in the trace, whose last premise is the sequent as it is then.
    pub(crate) fn normalise(
        &mut self,
        s: &mut Sequent,
        consumed: &mut u32,
        trace: &mut Trace,
    ) -> Progress {
        let mut start = s.clone();
        if !simplify_left(s) || self.is_contradiction(&s.left) {
            trace.push(start, simplify(Vec::new()));
            return Progress::Proved;
        }
        let mut witnesses = Vec::new();
        let (_, numbers, closure) = compact(&s.left, self.nils());
        let different = |a: Var, b: Var| match (&closure, numbers.get(&a), numbers.get(&b)) {
            (Some(closure), Some(a), Some(b)) => closure.are_different(*a, *b),
            _ => false,
        };
        let mut is_whole = true;
        // The sequent before the first instance was matched, if it may say more when it is unfolded.
        let (mut unmatched, mut matched) = (None, false);
        loop {
            if !simplify_right(s, &mut witnesses) {
                return Progress::Failed;
            }
            // What instances on the left say of their arguments is gone once they are matched.
            if std::mem::take(&mut is_whole) && !s.left.calls.is_empty() {
                self.drop_known_different(s);
            }
            if let Some((var, rule, before)) = self.define(s).or_else(|| self.define_by_count(s)) {
                let by = std::mem::take(&mut witnesses);
                trace.push(start, simplify(by));
                start = before.clone();
                if let Rule::Define { var: fresh, equation } = &rule {
                    start.left.linear.push(equation.clone());
                    witnesses.push((var, *fresh));
                }
                trace.push(before, rule);
                continue;
            }
            if s.right.equal.iter().any(|(a, b)| different(*a, *b))
                || s.right.different.iter().any(|(a, b)| a == b)
                || s.right.cells.iter().any(|cell| (cell.addr as usize) < self.nils())
            {
                return Progress::Failed;
            }
            let (before, rule) = if let Some((left, right)) = shared_cell(s) {
                let before = s.clone();
                self.take_cell(s, left, right);
                *consumed += 1;
                (before, Rule::MatchCell { left, right })
            } else if let Some((left, right)) = self.shared_call(s) {
                if !matched && has_closed_goals(s) {
                    self.drop_known(s);
                    if has_closed_goals(s) {
                        let mut trace = trace.clone();
                        trace.push(start.clone(), simplify(witnesses.clone()));
                        let (sequent, consumed) = (s.clone(), *consumed);
                        unmatched = Some(Box::new(Unmatched { sequent, consumed, trace }));
                    }
                }
                let before = s.clone();
                *consumed += u32::from(self.take_away(s, left, right));
                matched = true;
                (before, Rule::MatchCall { left, right })
            } else {
                break;
            };
            trace.push(start, simplify(std::mem::take(&mut witnesses)));
            trace.push(before, rule);
            start = s.clone();
        }
        if !self.discharge(s) {
            // Without integers there is a counterexample.
            if !self.system().has_arithmetic() {
                return Progress::Failed;
            }
            trace.push(start, simplify(witnesses));
            return Progress::Missing(unmatched);
        }
        forget_dead(s);
        let progress = self.discharge_linear(s);
        trace.push(start, simplify(witnesses));
        match progress {
            Progress::Open if self.is_dead(s) => Progress::Failed,
            Progress::Missing(_) => Progress::Missing(unmatched),
            progress => progress,
        }
    }

    /// Drops pure atoms on the right that follow from the left side as it is.
    fn drop_known(&self, s: &mut Sequent) {
        self.drop_known_different(s);
        let Sequent { left, right, exist } = s;
        let free = |v: &Var| !exist.contains(v);
        right.equal.retain(|(a, b)| !free(a) || !free(b) || !self.are_equal(left, *a, *b));
        let is_closed = |c: &Constraint| c.sum.factors.iter().all(|(v, _)| free(v));
        if right.linear.iter().any(is_closed) {
            let facts = self.facts(left);
            right.linear.retain(|c| !is_closed(c) || !arith::implies(&facts, c));
        }
    }

    /// Is there an instance on the right that is none of its cases? Each holds a cell that is there
    /// already or was taken away, or contradicts what is known.
    fn is_dead(&self, s: &Sequent) -> bool {
        let different = s.left.different.union(&s.right.different).copied().collect();
        let right = Heap {
            cells: s.right.cells.clone(),
            gone: s.left.gone.clone(),
            // The arguments have to have numbers.
            equal: s.right.calls.iter().flat_map(|call| &call.args).map(|v| (*v, *v)).collect(),
            different,
            ..Heap::default()
        };
        let (_, numbers, closure) = compact(&right, self.nils());
        let Some(closure) = closure else { return true };
        let mut facts = None;
        s.right.calls.iter().any(|call| {
            let cases = &self.system.predicates[call.pred].cases;
            // What has no cases is `false`, and follows from a contradiction that may be deeper.
            !cases.is_empty()
                && cases.iter().all(|case| {
                    if !fits(case, call, &numbers, closure.clone(), self.nils()) {
                        return true;
                    }
                    if case.linear.is_empty() {
                        return false;
                    }
                    let mut all = facts
                        .get_or_insert_with(|| {
                            let mut facts = self.facts(&s.left);
                            facts.extend(self.agreement(s));
                            facts.extend(s.right.linear.iter().cloned());
                            facts
                        })
                        .clone();
                    // Variables of the case have numbers that nobody else has.
                    let own = |v: Var| match (v as usize).checked_sub(self.nils()) {
                        None => v,
                        Some(i) => call.args.get(i).copied().unwrap_or(Var::MAX - v),
                    };
                    all.extend(case.linear.iter().map(|c| c.renamed(&own)));
                    arith::contradictory(&all)
                })
        })
    }

    /// An existential integer that an equation determines has a value: a variable of the left side.
    /// Says which one, what it was defined by, and what was there before.
    pub(super) fn define(&mut self, s: &mut Sequent) -> Option<(Var, Rule, Sequent)> {
        let found = s.right.linear.iter().enumerate().find_map(|(i, c)| {
            let mut unknown = c.sum.factors.iter().filter(|(v, _)| s.exist.contains(v));
            match (c.relation, unknown.next(), unknown.next()) {
                (Relation::Zero, Some((v, 1 | -1)), None) => Some((i, *v)),
                _ => None,
            }
        });
        let (index, var) = found?;
        let before = s.clone();
        let fresh = self.fresh(self.sorts[var as usize]);
        s.bind(var, fresh);
        let equation = s.right.linear.remove(index);
        s.left.linear.push(equation.clone());
        Some((var, Rule::Define { var: fresh, equation }, before))
    }

    /// The same if the number of cells determines it.
    fn define_by_count(&mut self, s: &mut Sequent) -> Option<(Var, Rule, Sequent)> {
        let equation = self.same_cells(s)?;
        let mut unknown = equation.sum.factors.iter().filter(|(v, _)| s.exist.contains(v));
        if !matches!((unknown.next(), unknown.next()), (Some((_, 1 | -1)), None)) {
            return None;
        }
        let before = s.clone();
        s.right.linear.push(equation);
        self.define(s).map(|(var, rule, _)| (var, rule, before))
    }

    /// Drops disequations on the right that follow.
    fn drop_known_different(&self, s: &mut Sequent) {
        let Sequent { left, right, exist } = s;
        right.different.retain(|(a, b)| {
            exist.contains(a) || exist.contains(b) || !self.are_different(left, *a, *b)
        });
    }

    /// Drops what is known to follow of equal and different locations. `false` if something does not
    /// follow: bases are exact as long as there are no integers, so there is a counterexample. With
    /// integers it may follow from the cases of instances.
    pub(super) fn discharge(&self, s: &mut Sequent) -> bool {
        let equal = std::mem::take(&mut s.right.equal);
        s.right.equal =
            equal.into_iter().filter(|(a, b)| !self.are_equal(&s.left, *a, *b)).collect();
        self.drop_known_different(s);
        let free = |v: &Var| !s.exist.contains(v);
        s.right.equal.is_empty() && !s.right.different.iter().any(|(a, b)| free(a) && free(b))
    }

    /// The same for integers.
    pub(super) fn discharge_linear(&mut self, s: &mut Sequent) -> Progress {
        let agreement = self.agreement(s);
        if s.right.linear.is_empty() && agreement.is_empty() {
            return Progress::Open;
        }
        let mut facts = self.facts(&s.left);
        let is_open = |c: &Constraint| c.sum.factors.iter().any(|(v, _)| s.exist.contains(v));
        let mut closed = s.right.linear.iter().filter(|c| !is_open(c));
        if let Some(unknown) = closed.find(|c| !arith::implies(&facts, c)) {
            if !self.wishes.contains(unknown) {
                self.wishes.push(unknown.clone());
            }
            return Progress::Missing(None);
        }
        s.right.linear.retain(is_open);
        // Both sides agree on what follows from that.
        facts.extend(agreement);
        s.right.linear.retain(|c| !arith::implies(&facts, c));
        facts.extend(s.right.linear.iter().cloned());
        if arith::contradictory(&facts) { Progress::Failed } else { Progress::Open }
    }

    /// Takes away what both sides say of the same location.
    pub(super) fn take_cell(&self, s: &mut Sequent, l: usize, r: usize) {
        let (left, right) = (s.left.cells.remove(l), s.right.cells.remove(r));
        s.left.gone.push(left.addr);
        // The fields are equal, or it cannot be shown.
        self.equate(s, &left.fields, &right.fields);
    }

    /// The same instance on both sides.
    pub(super) fn shared_call(&self, s: &Sequent) -> Option<(usize, usize)> {
        s.right.calls.iter().enumerate().find_map(|(r, call)| {
            let same = |c: &Call| {
                c.pred == call.pred
                    && c.args
                        .iter()
                        .zip(&call.args)
                        .all(|(a, b)| a == b || self.is_int(*a) && self.is_surely(s, *a, *b))
            };
            s.left.calls.iter().position(same).map(|l| (l, r))
        })
    }

    /// Takes an instance from both sides, whose arguments are equal, or it cannot be shown. Does it hold
    /// a cell?
    pub(super) fn take_away(&self, s: &mut Sequent, l: usize, r: usize) -> bool {
        let (left, right) = (s.left.calls.remove(l), s.right.calls.remove(r));
        let shape = &self.shapes[left.pred];
        s.left.gone.extend(shape.root.and_then(|root| left.args.get(root)));
        self.equate(s, &left.args, &right.args);
        shape.nonempty
    }

    /// Is an integer of the right side equal to one of the left, or may it be?
    pub(super) fn is_surely(&self, s: &Sequent, left: Var, right: Var) -> bool {
        if s.exist.contains(&right) {
            return !s.right.linear.iter().any(|c| c.sum.factor(right) != 0);
        }
        Constraint::equal(&Sum::var(left), &Sum::var(right))
            .is_some_and(|goal| arith::implies(&self.facts(&s.left), &goal))
    }

    /// Demands that variables of the right side are equal to those of the left.
    pub(super) fn equate(&self, s: &mut Sequent, left: &[Var], right: &[Var]) {
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
}

/// Is something pure left on the right that no match can decide?
fn has_closed_goals(s: &Sequent) -> bool {
    let free = |v: &Var| !s.exist.contains(v);
    let closed = |(a, b): &(Var, Var)| free(a) && free(b);
    s.right.linear.iter().any(|c| c.sum.factors.iter().all(|(v, _)| free(v)))
        || s.right.equal.iter().chain(&s.right.different).any(closed)
}

/// A location of which both sides say something.
fn shared_cell(s: &Sequent) -> Option<(usize, usize)> {
    s.right
        .cells
        .iter()
        .enumerate()
        .find_map(|(r, cell)| s.left.cells.iter().position(|c| c.addr == cell.addr).map(|l| (l, r)))
}

/// May an instance be this case, where this is known of its arguments?
fn fits(
    case: &Clause,
    call: &Call,
    numbers: &BTreeMap<Var, Var>,
    mut closure: Closure,
    nils: usize,
) -> bool {
    let mut scope: Vec<Var> = (0..nils as Var).collect();
    scope.extend(call.args.iter().filter_map(|arg| numbers.get(arg)));
    scope.extend(closure.grow(case.sorts.len() - case.free));
    let var = |v: &Var| scope[*v as usize];
    case.equal.iter().all(|(a, b)| closure.equate(var(a), var(b)))
        && case.cells.iter().all(|cell| closure.allocate(var(&cell.addr)))
        && case.different.iter().all(|(a, b)| closure.separate(var(a), var(b)))
}

/// Weakens what is said of integers to those that atoms mention.
pub(super) fn forget_dead(s: &mut Sequent) {
    if s.left.linear.is_empty() {
        return;
    }
    let mut alive = s.left.spatial_vars();
    alive.extend(s.right.vars());
    let all = s.left.linear.iter().flat_map(|c| c.sum.factors.iter().map(|(v, _)| *v));
    let dead: BTreeSet<Var> = all.filter(|v| !alive.contains(v)).collect();
    if !dead.is_empty() {
        s.left.linear = arith::weaken(&s.left.linear, &dead);
    }
    // Of several bounds of the same the first, with the smallest number, says all.
    s.left.linear.sort_by(|a, b| {
        let key = |c: &Constraint| (c.relation, c.sum.constant);
        a.sum.factors.cmp(&b.sum.factors).then_with(|| key(a).cmp(&key(b)))
    });
    s.left.linear.dedup_by(|later, first| {
        let bounds = later.relation == Relation::NotNegative && first.relation == later.relation;
        later == first || bounds && later.sum.factors == first.sum.factors
    });
}

/// Uses up the equations of the left side. `false` if they are a contradiction.
pub(super) fn simplify_left(s: &mut Sequent) -> bool {
    loop {
        if let Some((a, b)) = s.left.equal.pop() {
            if a != b {
                s.replace(a.max(b), a.min(b));
            }
            continue;
        }
        let found = s.left.linear.iter().enumerate().find_map(|(i, c)| Some((i, equated(c)?)));
        let same_number = || {
            let mut known: BTreeMap<i128, Var> = BTreeMap::new();
            s.left.linear.iter().enumerate().find_map(|(i, c)| {
                let (var, number) = valued(c)?;
                let first = *known.entry(number).or_insert(var);
                (first != var).then_some((i, (first, var)))
            })
        };
        let Some((index, pair)) = found.or_else(same_number) else { break };
        s.left.linear.remove(index);
        s.left.equal.push(pair);
    }
    s.left.linear.retain(|c| !c.is_trivial());
    !s.left.different.iter().any(|(a, b)| a == b)
}

/// Uses up equations of the right side that say what an existential variable is, and says what they
/// are, one after the other. `false` if one cannot hold.
pub(super) fn simplify_right(s: &mut Sequent, witnesses: &mut Vec<(Var, Var)>) -> bool {
    let mut bind = |s: &mut Sequent, var: Var, by: Var| {
        s.bind(var, by);
        witnesses.push((var, by));
    };
    let mut rest = Vec::new();
    loop {
        if let Some((a, b)) = s.right.equal.pop() {
            if a == b {
                continue;
            }
            if s.exist.contains(&b) {
                bind(s, b, a);
            } else if s.exist.contains(&a) {
                bind(s, a, b);
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
        if s.exist.contains(&b) { bind(s, b, a) } else { bind(s, a, b) }
    }
    rest.sort_unstable();
    rest.dedup();
    s.right.equal = rest;
    s.right.linear.retain(|c| !c.is_trivial());
    !s.right.different.iter().any(|(a, b)| a == b)
}
