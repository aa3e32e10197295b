//! Operations on sequences, sets, multisets and maps.

use std::collections::{BTreeMap, BTreeSet};

use report::Pos;
use viper::core::CollectionOp;

use crate::state::{Run, Stop, fault, outside};
use crate::value::Value;

/// Sequences made by ranges are no longer than this.
const LONGEST: i64 = 200;

fn counted(n: usize) -> Run<Value> {
    Ok(Value::Int(i64::try_from(n).map_err(|_| Stop::Outside("large"))?))
}

/// A position in a sequence: negative ones are 0, those beyond the end are the end.
fn clamp(n: i64, len: usize) -> usize {
    usize::try_from(n.max(0)).map_or(len, |n| n.min(len))
}

/// The result of an operation.
pub(crate) fn apply(op: CollectionOp, args: &[Value], pos: Pos) -> Run<Value> {
    use CollectionOp as Op;
    use Value::{Bool, Int, Map, Multiset, Seq, Set};
    match (op, args) {
        (Op::Range, [Int(a), Int(b)]) => {
            if b.saturating_sub(*a) > LONGEST {
                return outside("long range");
            }
            Ok(Seq((*a..*b).map(Int).collect()))
        }
        (Op::SeqAppend, [Seq(a), Seq(b)]) => Ok(Seq(a.iter().chain(b).cloned().collect())),
        (Op::SeqIndex, [Seq(s), Int(i)]) => match usize::try_from(*i).ok().and_then(|i| s.get(i)) {
            Some(element) => Ok(element.clone()),
            None => fault(pos, "index out of bounds"),
        },
        (Op::SeqTake, [Seq(s), Int(n)]) => Ok(Seq(s[..clamp(*n, s.len())].to_vec())),
        (Op::SeqDrop, [Seq(s), Int(n)]) => Ok(Seq(s[clamp(*n, s.len())..].to_vec())),
        (Op::SeqUpdate, [Seq(s), Int(i), v]) => {
            let mut s = s.clone();
            match usize::try_from(*i).ok().and_then(|i| s.get_mut(i)) {
                Some(element) => *element = v.clone(),
                None => return fault(pos, "index out of bounds"),
            }
            Ok(Seq(s))
        }
        (Op::SeqContains, [e, Seq(s)]) => Ok(Bool(s.contains(e))),
        (Op::SeqLength, [Seq(s)]) => counted(s.len()),
        (Op::Union, [Set(a), Set(b)]) => Ok(Set(a.union(b).cloned().collect())),
        (Op::Intersection, [Set(a), Set(b)]) => Ok(Set(a.intersection(b).cloned().collect())),
        (Op::Setminus, [Set(a), Set(b)]) => Ok(Set(a.difference(b).cloned().collect())),
        (Op::Subset, [Set(a), Set(b)]) => Ok(Bool(a.is_subset(b))),
        (Op::SetContains, [e, Set(s)]) => Ok(Bool(s.contains(e))),
        (Op::Cardinality, [Set(s)]) => counted(s.len()),
        (Op::Union, [Multiset(a), Multiset(b)]) => {
            let mut sum = a.clone();
            for (e, n) in b {
                *sum.entry(e.clone()).or_insert(0) += n;
            }
            Ok(Multiset(sum))
        }
        (Op::Intersection, [Multiset(a), Multiset(b)]) => {
            Ok(Multiset(merge(a, |e, n| n.min(count(b, e)))))
        }
        (Op::Setminus, [Multiset(a), Multiset(b)]) => {
            Ok(Multiset(merge(a, |e, n| n.saturating_sub(count(b, e)))))
        }
        (Op::Subset, [Multiset(a), Multiset(b)]) => {
            Ok(Bool(a.iter().all(|(e, n)| *n <= count(b, e))))
        }
        (Op::Cardinality, [Multiset(s)]) => Ok(Int(s.values().map(|n| i64::from(*n)).sum())),
        (Op::MultisetCount, [e, Multiset(s)]) => Ok(Int(i64::from(count(s, e)))),
        (Op::MapLookup, [Map(m), k]) => match m.get(k) {
            Some(value) => Ok(value.clone()),
            None => fault(pos, "no such key"),
        },
        (Op::MapUpdate, [Map(m), k, v]) => {
            let mut m = m.clone();
            m.insert(k.clone(), v.clone());
            Ok(Map(m))
        }
        (Op::MapContains, [k, Map(m)]) => Ok(Bool(m.contains_key(k))),
        (Op::MapCardinality, [Map(m)]) => counted(m.len()),
        (Op::MapDomain, [Map(m)]) => Ok(Set(m.keys().cloned().collect())),
        (Op::MapRange, [Map(m)]) => Ok(Set(m.values().cloned().collect::<BTreeSet<_>>())),
        _ => outside("operation on collections"),
    }
}

fn count(of: &BTreeMap<Value, u32>, e: &Value) -> u32 {
    of.get(e).copied().unwrap_or(0)
}

fn merge(a: &BTreeMap<Value, u32>, f: impl Fn(&Value, u32) -> u32) -> BTreeMap<Value, u32> {
    let counts = a.iter().map(|(e, n)| (e.clone(), f(e, *n)));
    counts.filter(|(_, n)| *n > 0).collect()
}
