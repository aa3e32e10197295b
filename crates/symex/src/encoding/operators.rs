//! Operators on terms: what is the same for expressions of programs and of axioms.

use crate::encoding::CollectionFunction;
use smt::{Sort, Term};
use viper::core::{BinOp, CollectionOp, Type};

use super::Encoding;
use super::symbols::SymbolKind;

impl Encoding<'_> {
    /// A permission amount.
    pub fn amount(&mut self, numerator: i32, denominator: i32) -> Term {
        self.terms.real(num_rational::BigRational::new(numerator.into(), denominator.into()))
    }

    /// Equality on values of a type.
    pub fn equal(&mut self, ty: &Type, a: Term, b: Term) -> Term {
        let op = match ty {
            Type::Seq(_) => CollectionFunction::SeqEqual,
            Type::Set(_) => CollectionFunction::SetEqual,
            Type::Multiset(_) => CollectionFunction::MultisetEqual,
            Type::Map(_) => CollectionFunction::MapEqual,
            _ => return self.terms.eq(a, b),
        };
        if a == b {
            return self.terms.bool(true);
        }
        self.collection(ty, op, &[a, b], Sort::Bool)
    }

    /// Equality of two terms, of whatever type they are.
    pub fn equal_terms(&mut self, a: Term, b: Term) -> Term {
        let ty = self.type_of(self.terms.sort(a));
        self.equal(&ty, a, b)
    }

    /// A function of a collection type.
    pub(crate) fn collection(
        &mut self,
        ty: &Type,
        op: CollectionFunction,
        args: &[Term],
        result: Sort,
    ) -> Term {
        let sorts = args.iter().map(|a| self.terms.sort(*a)).collect();
        self.sort(ty);
        let name = self.collection_name(ty, op);
        let fun = self.declared(name, sorts, result);
        self.symbols.kinds.insert(fun, SymbolKind::Collection(op));
        self.terms.app(fun, args)
    }

    /// A binary operator that is not short-circuit; `ty` is the type of its operands.
    pub fn binary(&mut self, op: BinOp, ty: &Type, a: Term, b: Term) -> Term {
        let t = &mut self.terms;
        match op {
            BinOp::Add => t.add(a, b),
            BinOp::Sub => t.sub(a, b),
            BinOp::Mul => t.mul(a, b),
            BinOp::IntPermMul => {
                let a = t.to_real(a);
                t.mul(a, b)
            }
            BinOp::Div => t.div(a, b),
            BinOp::Mod => t.modulo(a, b),
            BinOp::Fraction => {
                let (a, b) = (t.to_real(a), t.to_real(b));
                t.real_div(a, b)
            }
            BinOp::PermDiv => {
                let b = t.to_real(b);
                t.real_div(a, b)
            }
            BinOp::PermPermDiv => t.real_div(a, b),
            BinOp::Lt => t.lt(a, b),
            BinOp::Le => t.le(a, b),
            BinOp::Gt => t.lt(b, a),
            BinOp::Ge => t.le(b, a),
            BinOp::Eq => self.equal(ty, a, b),
            BinOp::Ne => {
                let eq = self.equal(ty, a, b);
                self.terms.not(eq)
            }
            BinOp::And => t.and([a, b]),
            BinOp::Or => t.or([a, b]),
            BinOp::Implies => t.implies(a, b),
        }
    }

    /// A sequence literal.
    pub fn seq_literal(&mut self, ty: &Type, elems: &[Term]) -> Term {
        let sort = self.sort(ty);
        let parts: Vec<Term> = elems
            .iter()
            .map(|e| self.collection(ty, CollectionFunction::SeqSingleton, &[*e], sort))
            .collect();
        let joined = parts
            .into_iter()
            .reduce(|a, b| self.collection(ty, CollectionFunction::SeqAppend, &[a, b], sort));
        match joined {
            Some(seq) => seq,
            None => self.collection(ty, CollectionFunction::SeqEmpty, &[], sort),
        }
    }

    /// A set or multiset literal.
    pub fn set_literal(&mut self, ty: &Type, elems: &[Term]) -> Term {
        let sort = self.sort(ty);
        let is_set = matches!(ty, Type::Set(_));
        let (empty, singleton) = if is_set {
            (CollectionFunction::SetEmpty, CollectionFunction::SetSingleton)
        } else {
            (CollectionFunction::MultisetEmpty, CollectionFunction::MultisetSingleton)
        };
        let Some((first, others)) = elems.split_first() else {
            return self.collection(ty, empty, &[], sort);
        };
        let mut set = self.collection(ty, singleton, &[*first], sort);
        for elem in others {
            set = if is_set {
                self.collection(ty, CollectionFunction::SetInsert, &[set, *elem], sort)
            } else {
                let one = self.collection(ty, singleton, &[*elem], sort);
                self.collection(ty, CollectionFunction::MultisetUnion, &[set, one], sort)
            };
        }
        set
    }

    /// A map literal.
    pub fn map_literal(&mut self, ty: &Type, entries: &[(Term, Term)]) -> Term {
        let sort = self.sort(ty);
        let mut map = self.collection(ty, CollectionFunction::MapEmpty, &[], sort);
        for (key, value) in entries {
            map = self.collection(ty, CollectionFunction::MapUpdate, &[map, *key, *value], sort);
        }
        map
    }

    /// An operator on collections. `operand` is the type of its collection operand, `ty` that of
    /// the result.
    pub fn collection_op(
        &mut self,
        op: CollectionOp,
        operand: &Type,
        ty: &Type,
        args: &[Term],
    ) -> Term {
        let sort = self.sort(ty);
        let is_set = matches!(operand, Type::Set(_));
        let pick = |set: CollectionFunction, multiset: CollectionFunction| {
            if is_set { set } else { multiset }
        };
        let name = match op {
            CollectionOp::Range => CollectionFunction::SeqRange,
            CollectionOp::SeqAppend => CollectionFunction::SeqAppend,
            CollectionOp::SeqIndex => CollectionFunction::SeqIndex,
            CollectionOp::SeqTake => CollectionFunction::SeqTake,
            CollectionOp::SeqDrop => CollectionFunction::SeqDrop,
            CollectionOp::SeqUpdate => CollectionFunction::SeqUpdate,
            CollectionOp::SeqContains => {
                return self.collection(
                    operand,
                    CollectionFunction::SeqContains,
                    &[args[1], args[0]],
                    sort,
                );
            }
            CollectionOp::SeqLength => CollectionFunction::SeqLength,
            CollectionOp::Union => {
                pick(CollectionFunction::SetUnion, CollectionFunction::MultisetUnion)
            }
            CollectionOp::Intersection => {
                pick(CollectionFunction::SetIntersection, CollectionFunction::MultisetIntersection)
            }
            CollectionOp::Setminus => {
                pick(CollectionFunction::SetDifference, CollectionFunction::MultisetDifference)
            }
            CollectionOp::Subset => {
                pick(CollectionFunction::SetSubset, CollectionFunction::MultisetSubset)
            }
            CollectionOp::SetContains => CollectionFunction::SetIn,
            CollectionOp::Cardinality => {
                pick(CollectionFunction::SetCard, CollectionFunction::MultisetCard)
            }
            CollectionOp::MultisetCount => {
                return self.collection(
                    operand,
                    CollectionFunction::MultisetCount,
                    &[args[1], args[0]],
                    sort,
                );
            }
            CollectionOp::MapLookup => CollectionFunction::MapLookup,
            CollectionOp::MapUpdate => CollectionFunction::MapUpdate,
            CollectionOp::MapContains => return self.map_contains(operand, args[0], args[1]),
            CollectionOp::MapCardinality => CollectionFunction::MapCard,
            CollectionOp::MapDomain => CollectionFunction::MapDomain,
            CollectionOp::MapRange => CollectionFunction::MapValues,
        };
        self.collection(operand, name, args, sort)
    }

    /// `key in map`
    pub fn map_contains(&mut self, map_ty: &Type, key: Term, map: Term) -> Term {
        let Type::Map(kv) = map_ty else { return self.terms.bool(false) };
        let keys = Type::set(kv.0.clone());
        let keys_sort = self.sort(&keys);
        let domain = self.collection(map_ty, CollectionFunction::MapDomain, &[map], keys_sort);
        self.collection(&keys, CollectionFunction::SetIn, &[key, domain], Sort::Bool)
    }
}

/// The type of the collection that an operator is about: of its result for a range, of its second
/// operand for membership, otherwise of its first.
pub(crate) fn operand_type(
    op: CollectionOp,
    args: &[std::sync::Arc<viper::core::Expr>],
    ty: &Type,
) -> Type {
    match op {
        CollectionOp::Range => ty.clone(),
        CollectionOp::SeqContains
        | CollectionOp::SetContains
        | CollectionOp::MultisetCount
        | CollectionOp::MapContains => args[1].ty.clone(),
        _ => args[0].ty.clone(),
    }
}
