//! How much is kept apart: which heaps and which numbers (the predicate abstraction of [MNCL06, Sec. 3.5] with
//! predicates that come from the program).

use std::collections::{BTreeMap, BTreeSet};

use heap::{Command, Expr, Out, Program};

use crate::live;
use crate::preds::Tracks;

/// How much is kept apart. What one analysis cannot prove another may: less is forgotten, or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Precision {
    /// Chains of no more objects than this are not folded.
    pub keep: usize,
    /// States at the head of a loop before numbers are widened.
    pub delay: usize,
    /// States at a location before shapes are joined, too.
    pub apart: usize,
    /// Are nodes kept out of segments that variables lead to?
    pub named: bool,
    /// What is known about the numbers in nodes.
    pub numbers: Numbers,
}

/// How much is known about the numbers in nodes of segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Numbers {
    /// Bounds, of each for itself.
    #[default]
    Bounds,
    /// Facts about all nodes and how they relate to variables; numbers at which loops end keep nodes apart.
    Facts,
    /// The same, and how many nodes there are; all numbers that the program compares with keep nodes apart.
    Apart,
}

impl Precision {
    /// What most programs need.
    pub const USUAL: Precision =
        Precision { keep: 0, delay: 3, apart: 10, named: false, numbers: Numbers::Bounds };
    /// Where there are too many different heaps.
    pub const COARSE: Precision = Precision { delay: 1, apart: 1, ..Precision::USUAL };
    /// Short lists cell by cell (`twoback` in [MNCL06, Sec. 5]).
    pub const FINE: Precision = Precision { keep: 2, delay: 7, apart: 20, ..Precision::USUAL };
    /// Loops that end after few rounds.
    pub const FINEST: Precision = Precision { keep: 12, delay: 26, apart: 60, ..Precision::USUAL };
    /// What the first node of a list holds (`ptloop` in [ABCK15, Table 1]).
    pub const HEADS: Precision = Precision { named: true, ..Precision::USUAL };
    /// Lists whose numbers matter.
    pub const DATA: Precision = Precision { numbers: Numbers::Facts, ..Precision::USUAL };
    /// Lists whose parts hold different numbers.
    pub const PARTS: Precision = Precision { numbers: Numbers::Apart, ..Precision::USUAL };
}

impl Default for Precision {
    fn default() -> Precision {
        Precision::USUAL
    }
}

/// What is known about the numbers in nodes.
pub(crate) fn tracks(program: &Program, numbers: Numbers) -> Tracks {
    let loops_only = match numbers {
        Numbers::Bounds => return Tracks::Bounds,
        Numbers::Facts => true,
        Numbers::Apart => false,
    };
    Tracks::Facts {
        marks: live::compared_numbers(program, loops_only).into(),
        kinds: live::told_numbers(program).into(),
        lengths: !loops_only,
    }
}

/// Numbers in the program, where bounds may stop, and small ones: chains of so many objects are told apart.
pub(crate) fn numbers(program: &Program, keep: usize) -> Vec<i128> {
    let mut all: BTreeSet<i128> = (-1..=1.max(keep as i128)).collect();
    for bits in [8, 16, 32, 64] {
        for ty in [heap::IntType::signed(bits), heap::IntType::unsigned(bits)] {
            all.extend([ty.least(), ty.largest()]);
        }
    }
    // Where fields are and how large records are is nothing that values are compared with.
    let mut count: BTreeMap<i128, i32> = BTreeMap::new();
    let mut add = |e: &Expr| {
        e.for_each(&mut |part| match part {
            Expr::Int(n) => *count.entry(*n).or_default() += 1,
            Expr::Offset(_, by) => {
                if let Expr::Int(n) = **by {
                    *count.entry(n).or_default() -= 1;
                }
            }
            _ => {}
        });
    };
    for location in
        program.procs.iter().filter_map(|proc| proc.body.as_ref()).flat_map(|b| &b.locations)
    {
        match &location.out {
            Out::Do(Command::Alloc { size: Expr::Int(_), record: Some(_), .. }, _) => {}
            Out::Do(command, _) => command.for_each_expr(&mut add),
            Out::Branch(cond, ..) => add(cond),
            Out::Choose(_) | Out::Return => {}
        }
    }
    for (n, _) in count.into_iter().filter(|(_, times)| *times > 0) {
        if all.len() < 400 {
            all.extend([n.saturating_sub(1), n, n.saturating_add(1)]);
        }
    }
    all.into_iter().collect()
}
