//! What overloaded operators may mean, and which meaning operands of known types select.

use report::Pos;

use super::types::{Inference, Signature};
use crate::ast;
use crate::core::{BinOp, CollectionOp, Type};

fn signature(args: impl Into<Vec<Type>>, result: Type) -> Signature {
    Signature { args: args.into(), result }
}

/// The meanings of a binary operator on values, preferred ones first.
pub(super) fn binary(op: ast::BinOp, infer: &mut Inference, pos: Pos) -> Vec<Signature> {
    use Type::{Bool, Int, Perm};
    match op {
        ast::BinOp::Add | ast::BinOp::Sub => {
            vec![signature([Int, Int], Int), signature([Perm, Perm], Perm)]
        }
        ast::BinOp::Mul => vec![
            signature([Int, Int], Int),
            signature([Perm, Perm], Perm),
            signature([Int, Perm], Perm),
            signature([Perm, Int], Perm),
        ],
        ast::BinOp::Div => vec![
            signature([Perm, Int], Perm),
            signature([Int, Int], Perm),
            signature([Int, Int], Int),
            signature([Perm, Perm], Perm),
        ],
        ast::BinOp::IntDiv | ast::BinOp::Mod => vec![signature([Int, Int], Int)],
        ast::BinOp::Lt | ast::BinOp::Le | ast::BinOp::Gt | ast::BinOp::Ge => {
            vec![signature([Int, Int], Bool), signature([Perm, Perm], Bool)]
        }
        ast::BinOp::Append => {
            let seq = Type::seq(infer.fresh(pos));
            vec![signature([seq.clone(), seq.clone()], seq)]
        }
        ast::BinOp::Union | ast::BinOp::Intersection | ast::BinOp::Setminus => {
            let elem = infer.fresh(pos);
            let (set, multiset) = (Type::set(elem.clone()), Type::multiset(elem));
            vec![
                signature([set.clone(), set.clone()], set),
                signature([multiset.clone(), multiset.clone()], multiset),
            ]
        }
        ast::BinOp::Subset => {
            let elem = infer.fresh(pos);
            let (set, multiset) = (Type::set(elem.clone()), Type::multiset(elem));
            vec![signature([set.clone(), set], Bool), signature([multiset.clone(), multiset], Bool)]
        }
        ast::BinOp::In => {
            let (elem, value) = (infer.fresh(pos), infer.fresh(pos));
            vec![
                signature([elem.clone(), Type::set(elem.clone())], Bool),
                signature([elem.clone(), Type::seq(elem.clone())], Bool),
                signature([elem.clone(), Type::multiset(elem.clone())], Int),
                signature([elem.clone(), Type::map(elem, value)], Bool),
            ]
        }
        ast::BinOp::Eq | ast::BinOp::Ne => {
            let ty = infer.fresh(pos);
            vec![signature([ty.clone(), ty], Bool)]
        }
        ast::BinOp::Or | ast::BinOp::Iff | ast::BinOp::And | ast::BinOp::Implies => {
            vec![signature([Bool, Bool], Bool)]
        }
        // Wands are not operators on values.
        ast::BinOp::Wand => Vec::new(),
    }
}

/// `-e`
pub(super) fn negation() -> Vec<Signature> {
    vec![signature([Type::Int], Type::Int), signature([Type::Perm], Type::Perm)]
}

/// `[a..b)`
pub(super) fn range() -> Vec<Signature> {
    vec![signature([Type::Int, Type::Int], Type::seq(Type::Int))]
}

/// `|e|`
pub(super) fn size(infer: &mut Inference, types: &[Type], pos: Pos) -> Vec<Signature> {
    // Where the collection is known, no variables are needed.
    if let [on @ (Type::Seq(_) | Type::Set(_) | Type::Multiset(_) | Type::Map(_))] = types {
        return vec![signature([on.clone()], Type::Int)];
    }
    let (elem, key) = (infer.fresh(pos), infer.fresh(pos));
    vec![
        signature([Type::seq(elem.clone())], Type::Int),
        signature([Type::set(elem.clone())], Type::Int),
        signature([Type::multiset(elem.clone())], Type::Int),
        signature([Type::map(key, elem)], Type::Int),
    ]
}

/// `a[i]`
pub(super) fn index(infer: &mut Inference, types: &[Type], pos: Pos) -> Vec<Signature> {
    match types {
        [on @ Type::Seq(elem), _] => {
            return vec![signature([on.clone(), Type::Int], (**elem).clone())];
        }
        [on @ Type::Map(entry), _] => {
            return vec![signature([on.clone(), entry.0.clone()], entry.1.clone())];
        }
        _ => {}
    }
    let (elem, key) = (infer.fresh(pos), infer.fresh(pos));
    vec![
        signature([Type::seq(elem.clone()), Type::Int], elem.clone()),
        signature([Type::map(key.clone(), elem.clone()), key], elem),
    ]
}

/// `s[a..b]` with one or two bounds
pub(super) fn slice(infer: &mut Inference, types: &[Type], pos: Pos) -> Vec<Signature> {
    let seq = match types.first() {
        Some(seq @ Type::Seq(_)) => seq.clone(),
        _ => Type::seq(infer.fresh(pos)),
    };
    let mut args = vec![Type::Int; types.len()];
    if let Some(first) = args.first_mut() {
        *first = seq.clone();
    }
    vec![signature(args, seq)]
}

/// `domain(m)`
pub(super) fn map_domain(infer: &mut Inference, pos: Pos) -> Vec<Signature> {
    let (key, value) = (infer.fresh(pos), infer.fresh(pos));
    vec![signature([Type::map(key.clone(), value)], Type::set(key))]
}

/// `range(m)`
pub(super) fn map_range(infer: &mut Inference, pos: Pos) -> Vec<Signature> {
    let (key, value) = (infer.fresh(pos), infer.fresh(pos));
    vec![signature([Type::map(key, value.clone())], Type::set(value))]
}

/// `a[i := v]`
pub(super) fn update(infer: &mut Inference, pos: Pos) -> Vec<Signature> {
    let (elem, key) = (infer.fresh(pos), infer.fresh(pos));
    let (seq, map) = (Type::seq(elem.clone()), Type::map(key.clone(), elem.clone()));
    vec![
        signature([seq.clone(), Type::Int, elem.clone()], seq),
        signature([map.clone(), key, elem], map),
    ]
}

/// The division that `/` or `\` is on operands and a result of these types.
pub(super) fn division(left: &Type, right: &Type, result: &Type) -> BinOp {
    match (left, right, result) {
        (Type::Perm, Type::Perm, _) => BinOp::PermPermDiv,
        (Type::Perm, _, _) => BinOp::PermDiv,
        (_, _, Type::Perm) => BinOp::Fraction,
        _ => BinOp::Div,
    }
}

/// The operation on a collection of this type that has the same syntax as `op`.
pub(super) fn collection(op: CollectionOp, on: &Type) -> CollectionOp {
    use CollectionOp::{
        Cardinality, MapCardinality, MapContains, MapLookup, MapUpdate, MultisetCount, SeqContains,
        SeqIndex, SeqLength, SeqUpdate, SetContains,
    };
    match (op, on) {
        (SeqContains | SetContains | MultisetCount | MapContains, on) => match on {
            Type::Set(_) => SetContains,
            Type::Multiset(_) => MultisetCount,
            Type::Map(_) => MapContains,
            _ => SeqContains,
        },
        (SeqLength | Cardinality | MapCardinality, on) => match on {
            Type::Set(_) | Type::Multiset(_) => Cardinality,
            Type::Map(_) => MapCardinality,
            _ => SeqLength,
        },
        (SeqIndex | MapLookup, on) => {
            if matches!(on, Type::Map(_)) {
                MapLookup
            } else {
                SeqIndex
            }
        }
        (SeqUpdate | MapUpdate, on) => {
            if matches!(on, Type::Map(_)) {
                MapUpdate
            } else {
                SeqUpdate
            }
        }
        (other, _) => other,
    }
}

/// Which argument of a collection operation is the collection.
pub(super) fn collection_arg(op: CollectionOp) -> usize {
    use CollectionOp::{MapContains, MultisetCount, SeqContains, SetContains};
    usize::from(matches!(op, SeqContains | SetContains | MultisetCount | MapContains))
}
