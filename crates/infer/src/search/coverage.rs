//! Which locations a run came to, and how often: what tells one run from another.

use heap::run::{Memory, Observer, Value};
use heap::{Arith, BinOp, Command, Expr, LocId, Out, ProcId, Program};

/// So many differences of a run are kept.
const MOST_GAPS: usize = 64;

/// How often each location of a program was passed, in one run and in all of them.
#[derive(Default)]
pub(super) struct Coverage<'p> {
    program: Option<&'p Program>,
    /// By how much the sides of conditions differ, in the run that is under way.
    pub(super) gaps: Vec<i128>,
    /// Where the locations of each procedure start.
    starts: Vec<usize>,
    /// Of the run that is under way.
    counts: Vec<u32>,
    /// Locations with a count.
    passed: Vec<usize>,
    /// Of all runs: a bit for each order of magnitude.
    seen: Vec<u8>,
}

impl<'p> Coverage<'p> {
    pub(super) fn new(program: &'p Program) -> Coverage<'p> {
        let mut starts = Vec::with_capacity(program.procs.len());
        let mut total = 0;
        for proc in &program.procs {
            starts.push(total);
            total += proc.body.as_ref().map_or(0, |body| body.locations.len());
        }
        let (counts, seen) = (vec![0; total], vec![0; total]);
        let program = Some(program);
        Coverage { program, starts, counts, seen, passed: Vec::new(), gaps: Vec::new() }
    }

    fn index(&self, proc: ProcId, at: LocId) -> Option<usize> {
        Some(self.starts.get(proc.index())? + at.index())
    }

    /// Did the run that just ended pass here?
    pub(super) fn passes(&self, proc: ProcId, at: LocId) -> bool {
        self.index(proc, at).and_then(|i| self.counts.get(i)).is_some_and(|count| *count > 0)
    }

    /// Was it ever passed?
    pub(super) fn ever(&self, proc: ProcId, at: LocId) -> bool {
        self.index(proc, at).and_then(|i| self.seen.get(i)).is_some_and(|seen| *seen != 0)
    }

    /// Adds the run to those that were seen. Did it do anything new?
    pub(super) fn note(&mut self) -> bool {
        let mut new = false;
        for i in &self.passed {
            let (Some(count), Some(seen)) = (self.counts.get(*i), self.seen.get_mut(*i)) else {
                continue;
            };
            let bit = magnitude(*count);
            new |= *seen & bit == 0;
            *seen |= bit;
        }
        new
    }

    /// A run begins.
    pub(super) fn clear(&mut self) {
        self.gaps.clear();
        for i in self.passed.drain(..) {
            if let Some(count) = self.counts.get_mut(i) {
                *count = 0;
            }
        }
    }
}

/// One, two and three turns of a loop differ; beyond that what counts is how many there are roughly.
fn magnitude(count: u32) -> u8 {
    match count {
        0 => 0,
        1 => 1,
        2 => 2,
        3 => 4,
        4..=7 => 8,
        8..=15 => 16,
        16..=31 => 32,
        32..=127 => 64,
        _ => 128,
    }
}

impl Observer for Coverage<'_> {
    #[inline]
    fn step(&mut self, proc: ProcId, at: LocId, registers: &[Value], _: &Memory) {
        let Some(i) = self.index(proc, at) else { return };
        if let Some(count) = self.counts.get_mut(i) {
            if *count == 0 {
                self.passed.push(i);
            }
            *count = count.saturating_add(1);
            if *count <= 2 && self.gaps.len() < MOST_GAPS {
                self.note_gap(proc, at, registers);
            }
        }
    }
}

impl Coverage<'_> {
    /// By how much the sides of a comparison differ: an input that is changed by that much may make them equal.
    fn note_gap(&mut self, proc: ProcId, at: LocId, registers: &[Value]) {
        let body = self.program.and_then(|p| p.procs.get(proc.index())?.body.as_ref());
        let condition = match body.and_then(|b| b.locations.get(at.index())).map(|l| &l.out) {
            Some(
                Out::Branch(condition, ..)
                | Out::Do(Command::Assume(condition) | Command::Assert(condition, _), _),
            ) => condition,
            _ => return,
        };
        condition.for_each(&mut |e| {
            if let Expr::Binary(BinOp::Compare(_), a, b) = e
                && let (Some(a), Some(b)) = (number(a, registers), number(b, registers))
                && a != b
            {
                let gap = b.saturating_sub(a);
                self.gaps.extend([gap, gap.saturating_neg()]);
            }
        });
    }
}

/// The value of an expression without pointers.
fn number(e: &Expr, registers: &[Value]) -> Option<i128> {
    match e {
        Expr::Int(n) => Some(*n),
        Expr::Var(var) => match registers.get(var.index())? {
            Value::Int(n) => Some(*n),
            _ => None,
        },
        Expr::Convert(ty, e) => Some(ty.wrap(number(e, registers)?)),
        Expr::Binary(BinOp::Arith(op, _), a, b) => {
            let (a, b) = (number(a, registers)?, number(b, registers)?);
            match op {
                Arith::Add => a.checked_add(b),
                Arith::Sub => a.checked_sub(b),
                Arith::Mul => a.checked_mul(b),
                Arith::Div => a.checked_div(b),
                Arith::Rem => a.checked_rem(b),
                _ => None,
            }
        }
        _ => None,
    }
}
