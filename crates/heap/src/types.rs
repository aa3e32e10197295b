//! Types: what a variable or a place in an object holds, and how records are laid out.

use std::fmt;

/// The place of a record in [`crate::Program::records`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RecordId(pub u32);

/// An integer type of the target. With unbounded integers it says only what conversions do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IntType {
    /// How many bits, at most 64; none of [`IntType::UNBOUNDED`].
    pub bits: u8,
    /// Two's complement, or without sign.
    pub signed: bool,
}

impl IntType {
    /// The integers of mathematics. A place that holds one takes eight bytes.
    pub const UNBOUNDED: IntType = IntType { bits: 0, signed: true };

    /// The least and the largest value, if there are such.
    #[must_use]
    pub fn bounds(self) -> Option<(i128, i128)> {
        (self != IntType::UNBOUNDED).then(|| (self.least(), self.largest()))
    }

    /// A signed one.
    #[must_use]
    pub const fn signed(bits: u8) -> IntType {
        IntType { bits, signed: true }
    }

    /// One without sign.
    #[must_use]
    pub const fn unsigned(bits: u8) -> IntType {
        IntType { bits, signed: false }
    }

    /// The least value; of those without bounds, the least that a run can have.
    #[must_use]
    pub fn least(self) -> i128 {
        if self == IntType::UNBOUNDED {
            i128::MIN
        } else if self.signed {
            -(1i128 << (self.bits.max(1) - 1))
        } else {
            0
        }
    }

    /// The largest value; of those without bounds, the largest that a run can have.
    #[must_use]
    pub fn largest(self) -> i128 {
        if self == IntType::UNBOUNDED {
            i128::MAX
        } else if self.signed {
            (1i128 << (self.bits.max(1) - 1)) - 1
        } else {
            (1i128 << self.bits) - 1
        }
    }

    /// Is a number one of its values?
    #[must_use]
    pub fn holds(self, value: i128) -> bool {
        (self.least()..=self.largest()).contains(&value)
    }

    /// The value that is equal modulo two to the number of bits: what a conversion yields.
    #[must_use]
    pub fn wrap(self, value: i128) -> i128 {
        if self.holds(value) {
            return value;
        }
        let modulus = 1i128 << self.bits;
        let rest = value.rem_euclid(modulus);
        if rest > self.largest() { rest - modulus } else { rest }
    }

    /// How many bytes it takes.
    #[must_use]
    pub fn bytes(self) -> u64 {
        if self == IntType::UNBOUNDED { 8 } else { u64::from(self.bits).div_ceil(8) }
    }
}

/// What a variable holds, and what is loaded and stored at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scalar {
    /// An integer.
    Int(IntType),
    /// A pointer, and what it is meant to lead to.
    Ptr(Target),
    /// A floating-point number of so many bits.
    Float(u8),
}

/// What a pointer is meant to lead to. It may lead elsewhere: casts change this and nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Target {
    /// Anything: `void *`.
    Unknown,
    /// A record.
    Record(RecordId),
    /// An integer.
    Int(IntType),
    /// Another pointer.
    Ptr,
    /// Code.
    Proc,
}

/// What an object or a part of it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// One value.
    Scalar(Scalar),
    /// A record.
    Record(RecordId),
    /// So many of one type, one after the other.
    Array(Box<Type>, u64),
}

/// A record: named fields at constant offsets. Fields that overlap are those of a union.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its name.
    pub name: String,
    /// How many bytes it takes.
    pub size: u64,
    /// Its fields, nested ones included as one.
    pub fields: Vec<Field>,
}

/// A field of a [`Record`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Where it starts, in bytes.
    pub offset: u64,
    /// What it is.
    pub ty: Type,
}

/// Sizes of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum DataModel {
    /// `long` and pointers have 64 bits.
    #[default]
    Lp64,
    /// `int`, `long` and pointers have 32 bits.
    Ilp32,
}

impl DataModel {
    /// Bytes of a pointer.
    #[must_use]
    pub fn pointer(self) -> u64 {
        match self {
            DataModel::Lp64 => 8,
            DataModel::Ilp32 => 4,
        }
    }

    /// The integer type that has as many bits as a pointer.
    #[must_use]
    pub fn address(self) -> IntType {
        IntType::unsigned((self.pointer() * 8) as u8)
    }
}

impl Scalar {
    /// How many bytes it takes.
    #[must_use]
    pub fn bytes(self, model: DataModel) -> u64 {
        match self {
            Scalar::Int(ty) => ty.bytes(),
            Scalar::Ptr(_) => model.pointer(),
            Scalar::Float(bits) => u64::from(bits).div_ceil(8),
        }
    }

    /// Is it a pointer?
    #[must_use]
    pub fn is_pointer(self) -> bool {
        matches!(self, Scalar::Ptr(_))
    }
}

impl fmt::Display for IntType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == IntType::UNBOUNDED {
            return f.write_str("int");
        }
        write!(f, "{}{}", if self.signed { 'i' } else { 'u' }, self.bits)
    }
}
