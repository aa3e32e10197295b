//! Why constraints contradict each other, so that somebody else can add it up.
//!
//! By Farkas' lemma, inequalities without a rational solution have a combination that is plainly false.
//! For integers a combination may be divided, and what is left over rounded off; and of a sum that is not
//! zero there are two cases.

/// A refutation of a list of constraints.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Certificate {
    /// Each line follows from the constraints and the lines before it; the last one is false.
    Lines(Vec<Line>),
    /// The constraint of this number says that its sum `s` is not zero. The list with `-s - 1 >= 0` at
    /// its end is refuted by the first, that with `s - 1 >= 0` by the second.
    Cases(usize, Box<[Certificate; 2]>),
}

/// A combination of constraints and lines that come before.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// Is it zero, rather than not negative? Then it is made of equations only.
    pub zero: bool,
    /// By number, first the constraints and then the lines, with what they are multiplied by. For
    /// inequalities that is not negative.
    pub parts: Vec<(usize, i128)>,
    /// All factors of the combination are divided by this. The number beside them is, too: rounded off for
    /// an inequality; for an equation the remainder must be zero, or the line is false.
    pub divisor: i128,
}

/// Writes lines down, if somebody wants to see them.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    given: usize,
    lines: Option<Vec<Line>>,
}

impl Recorder {
    /// Of a list of so many constraints.
    pub(crate) fn new(given: usize) -> Recorder {
        Recorder { given, lines: Some(Vec::new()) }
    }

    /// The number of a new line.
    pub(crate) fn line(&mut self, zero: bool, parts: &[(usize, i128)], divisor: i128) -> usize {
        match &mut self.lines {
            None => 0,
            Some(lines) => {
                lines.push(Line { zero, parts: parts.to_vec(), divisor });
                self.given + lines.len() - 1
            }
        }
    }

    /// The lines, of which the last one is false.
    pub(crate) fn certificate(&mut self) -> Certificate {
        Certificate::Lines(self.lines.take().unwrap_or_default())
    }
}
