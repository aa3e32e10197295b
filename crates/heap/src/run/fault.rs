//! What goes wrong.

use std::fmt;

use report::Pos;

use crate::program::ProcId;

/// The first thing that went wrong in a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// What.
    pub kind: FaultKind,
    /// The command.
    pub pos: Pos,
    /// The active procedures, the innermost first.
    pub stack: Vec<Frame>,
    /// The object it is about.
    pub object: Option<u32>,
    /// More to say, a clause: "it has 8 bytes, and bytes 8 to 11 are read".
    pub details: String,
}

/// An active procedure of a [`Fault`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Which.
    pub proc: ProcId,
    /// Where it is.
    pub pos: Pos,
}

/// Kinds of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FaultKind {
    /// The null pointer, or a place near it, is dereferenced.
    Null,
    /// A pointer is dereferenced that was never set.
    Uninitialised,
    /// A local object is accessed that is gone.
    Dangling,
    /// An object is accessed that was freed.
    Freed,
    /// An access is outside of its object.
    OutOfBounds,
    /// A number or a procedure is dereferenced.
    Wild,
    /// A constant is written.
    Constant,
    /// An object is freed twice.
    DoubleFree,
    /// Something is freed that is not the start of an object on the heap.
    InvalidFree,
    /// Something is called that is no procedure, or one with other parameters.
    InvalidCall,
    /// An assertion fails.
    Assertion,
    /// A place is reached that must not be.
    ErrorReached,
    /// An array of negative length is made.
    NegativeLength,
    /// A division by zero.
    DivisionByZero,
    /// Signed integers overflow, or a shift is too long; with integers of the target only.
    Overflow,
    /// Nothing leads to an object any more.
    Leak,
}

/// What users ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Property {
    /// Valid dereferences and frees.
    MemSafety,
    /// No memory is lost.
    MemTrack,
    /// No assertion fails.
    Reach,
}

impl FaultKind {
    /// The property that it violates, if it is one of those.
    #[must_use]
    pub fn property(self) -> Option<Property> {
        match self {
            FaultKind::Null
            | FaultKind::Uninitialised
            | FaultKind::Dangling
            | FaultKind::Freed
            | FaultKind::OutOfBounds
            | FaultKind::Wild
            | FaultKind::Constant
            | FaultKind::DoubleFree
            | FaultKind::InvalidFree
            | FaultKind::InvalidCall
            | FaultKind::NegativeLength => Some(Property::MemSafety),
            FaultKind::Assertion | FaultKind::ErrorReached => Some(Property::Reach),
            FaultKind::Leak => Some(Property::MemTrack),
            FaultKind::DivisionByZero | FaultKind::Overflow => None,
        }
    }

    /// A word for tools.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            FaultKind::Null => "null-dereference",
            FaultKind::Uninitialised => "uninitialised-pointer",
            FaultKind::Dangling => "dangling-pointer",
            FaultKind::Freed => "use-after-free",
            FaultKind::OutOfBounds => "out-of-bounds",
            FaultKind::Wild => "invalid-pointer",
            FaultKind::Constant => "write-to-constant",
            FaultKind::DoubleFree => "double-free",
            FaultKind::InvalidFree => "invalid-free",
            FaultKind::InvalidCall => "invalid-call",
            FaultKind::Assertion => "assertion-failed",
            FaultKind::ErrorReached => "error-reached",
            FaultKind::NegativeLength => "negative-length",
            FaultKind::DivisionByZero => "division-by-zero",
            FaultKind::Overflow => "overflow",
            FaultKind::Leak => "memory-leak",
        }
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FaultKind::Null => "the null pointer is dereferenced",
            FaultKind::Uninitialised => "an uninitialised pointer is dereferenced",
            FaultKind::Dangling => "a variable is accessed that is out of scope",
            FaultKind::Freed => "freed memory is accessed",
            FaultKind::OutOfBounds => "an access is outside of its object",
            FaultKind::Wild => "an invalid pointer is dereferenced",
            FaultKind::Constant => "a constant is written",
            FaultKind::DoubleFree => "memory is freed twice",
            FaultKind::InvalidFree => "something is freed that is no object on the heap",
            FaultKind::InvalidCall => "something is called that is no such function",
            FaultKind::Assertion => "an assertion fails",
            FaultKind::ErrorReached => "an error location is reached",
            FaultKind::NegativeLength => "an array of negative length is made",
            FaultKind::DivisionByZero => "division by zero",
            FaultKind::Overflow => "signed integer overflow",
            FaultKind::Leak => "memory is lost: no variable leads to it any more",
        })
    }
}
