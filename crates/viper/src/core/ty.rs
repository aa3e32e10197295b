//! Types.

use std::sync::Arc;

use super::DomainId;

/// A type. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// Mathematical integers.
    Int,
    /// Booleans; also the type of assertions.
    Bool,
    /// Rational permission amounts.
    Perm,
    /// References.
    Ref,
    /// Sequences.
    Seq(Arc<Type>),
    /// Sets.
    Set(Arc<Type>),
    /// Multisets.
    Multiset(Arc<Type>),
    /// Maps.
    Map(Arc<(Type, Type)>),
    /// An instance of a domain or an ADT.
    Domain(DomainId, Arc<[Type]>),
    /// A type parameter of the enclosing domain, by position.
    Param(u32),
}

impl Type {
    /// `Seq[elem]`
    #[must_use]
    pub fn seq(elem: Type) -> Type {
        Type::Seq(Arc::new(elem))
    }

    /// `Set[elem]`
    #[must_use]
    pub fn set(elem: Type) -> Type {
        Type::Set(Arc::new(elem))
    }

    /// `Multiset[elem]`
    #[must_use]
    pub fn multiset(elem: Type) -> Type {
        Type::Multiset(Arc::new(elem))
    }

    /// `Map[key, value]`
    #[must_use]
    pub fn map(key: Type, value: Type) -> Type {
        Type::Map(Arc::new((key, value)))
    }

    /// Replaces the parameters of the enclosing domain.
    #[must_use]
    pub fn substitute(&self, args: &[Type]) -> Type {
        match self {
            Type::Int | Type::Bool | Type::Perm | Type::Ref => self.clone(),
            Type::Seq(t) => Type::seq(t.substitute(args)),
            Type::Set(t) => Type::set(t.substitute(args)),
            Type::Multiset(t) => Type::multiset(t.substitute(args)),
            Type::Map(kv) => Type::map(kv.0.substitute(args), kv.1.substitute(args)),
            Type::Domain(d, ts) => {
                Type::Domain(*d, ts.iter().map(|t| t.substitute(args)).collect())
            }
            Type::Param(i) => args.get(*i as usize).unwrap_or(self).clone(),
        }
    }
}
