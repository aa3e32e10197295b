//! Values of programs, with the operations of the language on them.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive, Zero};
use viper::core::{BinOp, CollectionOp, DomainFunctionId};

/// A value of a variable or location.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Value {
    Bool(bool),
    Int(BigInt),
    Perm(BigRational),
    Seq(Vec<Value>),
    Set(BTreeSet<Value>),
    Multiset(BTreeMap<Value, BigInt>),
    Map(BTreeMap<Value, Value>),
    /// A constructor of a data type with its arguments.
    Data(DomainFunctionId, Vec<Value>),
    /// A reference, a value of a domain, a snapshot: one is like the other.
    Element(smt::Value),
}

/// Longer sequences are not computed with.
const LONGEST: usize = 1000;

impl Value {
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(b) => Some(*b),
            _ => None,
        }
    }

    pub fn as_int(&self) -> Option<&BigInt> {
        match self {
            Value::Int(i) => Some(i),
            _ => None,
        }
    }

    pub fn as_perm(&self) -> Option<BigRational> {
        match self {
            Value::Perm(p) => Some(p.clone()),
            Value::Int(i) => Some(i.clone().into()),
            _ => None,
        }
    }
}

/// Euclidean division and remainder.
pub(crate) fn divide(a: &BigInt, b: &BigInt) -> Option<(BigInt, BigInt)> {
    if b.is_zero() {
        return None;
    }
    let mut rest = a % b;
    if rest.is_negative() {
        rest += b.abs();
    }
    Some(((a - &rest) / b, rest))
}

/// An operator that is not short-circuit; `None` where it has no value.
pub(crate) fn binary(op: BinOp, a: &Value, b: &Value) -> Option<Value> {
    use Value::{Bool, Int, Perm};
    Some(match (op, a, b) {
        (BinOp::Eq, a, b) => Bool(a == b),
        (BinOp::Ne, a, b) => Bool(a != b),
        (BinOp::And, Bool(a), Bool(b)) => Bool(*a && *b),
        (BinOp::Or, Bool(a), Bool(b)) => Bool(*a || *b),
        (BinOp::Implies, Bool(a), Bool(b)) => Bool(!a || *b),
        (BinOp::Add, Int(a), Int(b)) => Int(a + b),
        (BinOp::Sub, Int(a), Int(b)) => Int(a - b),
        (BinOp::Mul, Int(a), Int(b)) => Int(a * b),
        (BinOp::Div, Int(a), Int(b)) => Int(divide(a, b)?.0),
        (BinOp::Mod, Int(a), Int(b)) => Int(divide(a, b)?.1),
        (BinOp::Lt, Int(a), Int(b)) => Bool(a < b),
        (BinOp::Le, Int(a), Int(b)) => Bool(a <= b),
        (BinOp::Gt, Int(a), Int(b)) => Bool(a > b),
        (BinOp::Ge, Int(a), Int(b)) => Bool(a >= b),
        (op, a, b) => {
            let (a, b) = (a.as_perm()?, b.as_perm()?);
            match op {
                BinOp::Add => Perm(a + b),
                BinOp::Sub => Perm(a - b),
                BinOp::Mul | BinOp::IntPermMul => Perm(a * b),
                BinOp::Fraction | BinOp::PermDiv | BinOp::PermPermDiv if !b.is_zero() => {
                    Perm(a / b)
                }
                BinOp::Lt => Bool(a < b),
                BinOp::Le => Bool(a <= b),
                BinOp::Gt => Bool(a > b),
                BinOp::Ge => Bool(a >= b),
                _ => return None,
            }
        }
    })
}

fn index(value: &Value) -> Option<usize> {
    value.as_int()?.to_usize()
}

/// An index that may be out of bounds: nothing is before the first element.
fn clamped(value: &Value, length: usize) -> Option<usize> {
    let value = value.as_int()?;
    if value.is_negative() {
        return Some(0);
    }
    Some(value.to_usize().unwrap_or(usize::MAX).min(length))
}

fn size(count: usize) -> Value {
    Value::Int(BigInt::from(count))
}

/// An operator on collections; `None` where it has no value.
pub(crate) fn collection(op: CollectionOp, args: &[Value]) -> Option<Value> {
    use Value::{Bool, Int, Map, Multiset, Seq, Set};
    Some(match (op, args) {
        (CollectionOp::Range, [Int(a), Int(b)]) => {
            let count = (b - a).to_usize().unwrap_or(0);
            if count > LONGEST {
                return None;
            }
            Seq((0..count).map(|i| Int(a + BigInt::from(i))).collect())
        }
        (CollectionOp::SeqAppend, [Seq(a), Seq(b)]) if a.len() + b.len() <= LONGEST => {
            Seq(a.iter().chain(b).cloned().collect())
        }
        (CollectionOp::SeqIndex, [Seq(s), i]) => s.get(index(i)?)?.clone(),
        (CollectionOp::SeqTake, [Seq(s), n]) => Seq(s[..clamped(n, s.len())?].to_vec()),
        (CollectionOp::SeqDrop, [Seq(s), n]) => Seq(s[clamped(n, s.len())?..].to_vec()),
        (CollectionOp::SeqUpdate, [Seq(s), i, e]) => {
            let mut s = s.clone();
            *s.get_mut(index(i)?)? = e.clone();
            Seq(s)
        }
        (CollectionOp::SeqContains, [e, Seq(s)]) => Bool(s.contains(e)),
        (CollectionOp::SeqLength, [Seq(s)]) => size(s.len()),
        (CollectionOp::Union, [Set(a), Set(b)]) => Set(a | b),
        (CollectionOp::Intersection, [Set(a), Set(b)]) => Set(a & b),
        (CollectionOp::Setminus, [Set(a), Set(b)]) => Set(a - b),
        (CollectionOp::Subset, [Set(a), Set(b)]) => Bool(a.is_subset(b)),
        (CollectionOp::SetContains, [e, Set(s)]) => Bool(s.contains(e)),
        (CollectionOp::Cardinality, [Set(s)]) => size(s.len()),
        (CollectionOp::Union, [Multiset(a), Multiset(b)]) => {
            let mut sum = a.clone();
            for (e, n) in b {
                *sum.entry(e.clone()).or_default() += n;
            }
            Multiset(sum)
        }
        (CollectionOp::Intersection, [Multiset(a), Multiset(b)]) => {
            let both = a.iter().filter_map(|(e, n)| Some((e.clone(), n.min(b.get(e)?).clone())));
            Multiset(both.collect())
        }
        (CollectionOp::Setminus, [Multiset(a), Multiset(b)]) => {
            let zero = BigInt::zero();
            let rest = a.iter().map(|(e, n)| (e.clone(), n - b.get(e).unwrap_or(&zero)));
            Multiset(rest.filter(|(_, n)| n.is_positive()).collect())
        }
        (CollectionOp::Subset, [Multiset(a), Multiset(b)]) => {
            Bool(a.iter().all(|(e, n)| b.get(e).is_some_and(|m| n <= m)))
        }
        (CollectionOp::MultisetCount, [e, Multiset(s)]) => {
            Int(s.get(e).cloned().unwrap_or_default())
        }
        (CollectionOp::Cardinality, [Multiset(s)]) => Int(s.values().sum()),
        (CollectionOp::MapLookup, [Map(m), k]) => m.get(k)?.clone(),
        (CollectionOp::MapUpdate, [Map(m), k, v]) => {
            let mut m = m.clone();
            m.insert(k.clone(), v.clone());
            Map(m)
        }
        (CollectionOp::MapContains, [k, Map(m)]) => Bool(m.contains_key(k)),
        (CollectionOp::MapCardinality, [Map(m)]) => size(m.len()),
        (CollectionOp::MapDomain, [Map(m)]) => Set(m.keys().cloned().collect()),
        (CollectionOp::MapRange, [Map(m)]) => Set(m.values().cloned().collect()),
        _ => return None,
    })
}

/// A multiset of these elements.
pub(crate) fn multiset(elems: impl IntoIterator<Item = Value>) -> Value {
    let mut counts: BTreeMap<Value, BigInt> = BTreeMap::new();
    for e in elems {
        *counts.entry(e).or_default() += 1;
    }
    Value::Multiset(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(i: i32) -> Value {
        Value::Int(i.into())
    }

    #[test]
    fn division_is_euclidean() {
        for (a, b, quotient, rest) in [(7, 2, 3, 1), (-7, 2, -4, 1), (7, -2, -3, 1), (-7, -2, 4, 1)]
        {
            assert_eq!(binary(BinOp::Div, &int(a), &int(b)), Some(int(quotient)), "{a} / {b}");
            assert_eq!(binary(BinOp::Mod, &int(a), &int(b)), Some(int(rest)), "{a} % {b}");
        }
        assert_eq!(binary(BinOp::Div, &int(1), &int(0)), None);
    }

    #[test]
    fn sequences() {
        let s = |from: i32, to: i32| Value::Seq((from..to).map(int).collect());
        let op = |op, args: &[Value]| collection(op, args);
        assert_eq!(op(CollectionOp::SeqTake, &[s(0, 3), int(-1)]), Some(s(0, 0)));
        assert_eq!(op(CollectionOp::SeqDrop, &[s(0, 3), int(2)]), Some(s(2, 3)));
        assert_eq!(op(CollectionOp::SeqDrop, &[s(0, 3), int(9)]), Some(s(0, 0)));
        assert_eq!(op(CollectionOp::Range, &[int(3), int(1)]), Some(s(0, 0)));
        assert_eq!(op(CollectionOp::SeqIndex, &[s(0, 3), int(3)]), None);
    }

    #[test]
    fn multisets() {
        let two = multiset([int(1), int(1), int(2)]);
        let one = multiset([int(1), int(3)]);
        let op = |op| collection(op, &[two.clone(), one.clone()]);
        assert_eq!(op(CollectionOp::Setminus), Some(multiset([int(1), int(2)])));
        assert_eq!(op(CollectionOp::Intersection), Some(multiset([int(1)])));
        assert_eq!(collection(CollectionOp::Cardinality, std::slice::from_ref(&two)), Some(int(3)));
        assert_eq!(op(CollectionOp::Subset), Some(Value::Bool(false)));
    }
}
