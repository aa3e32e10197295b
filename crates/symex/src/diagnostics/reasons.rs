//! Reasons for permissions that are not held.

use std::sync::Arc;

use viper::core::{Expr, ExprKind, PredicateAccess, Resource, Type, Wand};

use super::{Reason, ReasonKind};
use crate::state::{Owner, State};
use crate::syntax::normal;

/// The reason of a resource that is not held.
pub(crate) fn resource_reason(e: &Arc<Expr>, resource: &Resource, owner: Owner) -> Reason {
    let kind = match resource {
        Resource::Wand(_) => ReasonKind::WandNotFound,
        _ => ReasonKind::InsufficientPermission,
    };
    let mut reason = Reason::new(kind, e, owner);
    reason.pos = resource.pos();
    reason
}

/// Reason for a predicate that is not held.
pub(crate) fn predicate_reason(access: &PredicateAccess, owner: Owner) -> Reason {
    let resource = Resource::Predicate(access.predicate, access.args.clone(), access.loc_pos);
    let e = Expr::new(ExprKind::Acc(resource, None), Type::Bool, access.loc_pos);
    Reason { pos: access.loc_pos, ..Reason::new(ReasonKind::InsufficientPermission, &e, owner) }
}

/// A wand that is not held.
pub(crate) fn wand_reason(wand: &Wand, state: &State) -> Reason {
    let e = Expr::new(ExprKind::Wand(wand.clone()), Type::Bool, wand.pos);
    Reason::new(ReasonKind::WandNotFound, &e, state.owner)
}

/// The reason of a quantified permission to locations that may not all be different.
pub(crate) fn not_injective(e: &Arc<Expr>, state: &State) -> Reason {
    let mut reason = Reason::new(ReasonKind::NotInjective, e, state.owner);
    if let Some(normal) = normal(e) {
        reason.pos = normal.resource.pos();
    }
    reason
}

/// The reason of a quantified permission that is not held.
pub(crate) fn quantified_reason(e: &Arc<Expr>, state: &State) -> Reason {
    match normal(e) {
        Some(normal) => resource_reason(e, &normal.resource, state.owner),
        None => Reason::new(ReasonKind::InsufficientPermission, e, state.owner),
    }
}
