//! Values of variables and fields.

use std::collections::{BTreeMap, BTreeSet};

use num_rational::BigRational;
use viper::core::{DomainFunctionId, DomainId};

/// A permission amount.
pub type Amount = BigRational;

/// A value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// An integer; what does not fit is outside of the subset.
    Int(i64),
    /// A truth value.
    Bool(bool),
    /// A permission amount.
    Perm(Amount),
    /// An object; `null` is 0.
    Ref(u32),
    /// A sequence.
    Seq(Vec<Value>),
    /// A set.
    Set(BTreeSet<Value>),
    /// A multiset, without elements that occur no time.
    Multiset(BTreeMap<Value, u32>),
    /// A map.
    Map(BTreeMap<Value, Value>),
    /// A value of an algebraic data type: constructor and arguments.
    Data(DomainFunctionId, Vec<Value>),
    /// A value of a domain.
    Opaque(DomainId, u32),
    /// Not decided yet: an index into what was chosen in this run. Only variables and fields have
    /// such values, never collections.
    Unknown(u32),
}

/// `n/d`
pub(crate) fn amount(n: i64, d: i64) -> Amount {
    Amount::new(n.into(), d.into())
}
