//! Values.

use crate::program::ProcId;

/// What a variable or a place in memory holds. The null pointer is the number 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// Nothing was stored there yet.
    Undef,
    /// A number; as a pointer, an address where there is no object.
    Int(i128),
    /// A place in an object.
    Ptr(Pointer),
    /// A procedure.
    Proc(ProcId),
    /// A floating-point number.
    Float(f64),
    /// A pointer that was read before it was initialised.
    Garbage,
}

/// A place in an object, or one that is not in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pointer {
    /// The number of the object.
    pub object: u32,
    /// How many bytes after its start.
    pub offset: i64,
}

impl Value {
    /// The null pointer.
    pub const NULL: Value = Value::Int(0);

    /// Is it neither zero nor null?
    #[must_use]
    pub fn is_true(self) -> bool {
        match self {
            Value::Int(n) => n != 0,
            Value::Float(x) => x != 0.0,
            Value::Ptr(_) | Value::Proc(_) | Value::Garbage => true,
            Value::Undef => false,
        }
    }
}
