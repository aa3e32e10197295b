//! Quantified permissions in normal form.

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

use viper::ast::Quantifier as SourceQuantifier;
use viper::core::{BinOp, Expr, ExprKind, LocalId, Resource, Type};

use super::Syntax;

/// A quantified permission in normal form: `forall vars :: { triggers } condition ==> acc(resource,
/// amount)`.
pub(crate) struct Normal<'a> {
    pub vars: &'a [LocalId],
    pub triggers: &'a [Vec<Arc<Expr>>],
    pub condition: Option<&'a Arc<Expr>>,
    pub resource: Cow<'a, Resource>,
    pub amount: Option<&'a Arc<Expr>>,
}

impl Syntax<'_> {
    /// The simple parts of a quantified assertion, in order: pure quantifiers, and quantified
    /// permissions in normal form.
    pub fn split_quantifier(&mut self, e: &Arc<Expr>, inhaling: bool) -> Rc<Vec<Arc<Expr>>> {
        self.parts(e, inhaling, || {
            let mut parts = Vec::new();
            split(e, &[], &[], &[], inhaling, &mut parts);
            parts
        })
    }
}

/// Reads the normal form.
pub(crate) fn normal(e: &Arc<Expr>) -> Option<Normal<'_>> {
    let ExprKind::Quant { quantifier: SourceQuantifier::Forall, vars, triggers, body } = &e.kind
    else {
        return None;
    };
    let (condition, acc) = match &body.kind {
        ExprKind::Binary(BinOp::Implies, c, acc) => (Some(c), acc),
        _ => (None, body),
    };
    let (resource, amount) = match &acc.kind {
        ExprKind::Acc(resource, amount) => (Cow::Borrowed(resource), amount.as_ref()),
        ExprKind::Wand(wand) => (Cow::Owned(Resource::Wand(wand.clone())), None),
        _ => return None,
    };
    Some(Normal { vars, triggers, condition, resource, amount })
}

/// Brings the parts of a quantified assertion into normal form.
fn split(
    e: &Arc<Expr>,
    vars: &[LocalId],
    triggers: &[Vec<Arc<Expr>>],
    conditions: &[Arc<Expr>],
    inhaling: bool,
    parts: &mut Vec<Arc<Expr>>,
) {
    let with = |c: &Arc<Expr>| {
        let mut conditions = conditions.to_vec();
        conditions.push(Arc::clone(c));
        conditions
    };
    match &e.kind {
        ExprKind::Quant {
            quantifier: SourceQuantifier::Forall,
            vars: more,
            triggers: sets,
            body,
        } if vars.is_empty() || !e.is_pure() => {
            let vars: Vec<LocalId> = vars.iter().chain(more).copied().collect();
            let sets = if triggers.is_empty() { sets } else { triggers };
            split(body, &vars, sets, conditions, inhaling, parts);
        }
        _ if e.is_pure() => parts.push(quantify(e, vars, triggers, conditions)),
        ExprKind::Binary(BinOp::And, a, b) => {
            split(a, vars, triggers, conditions, inhaling, parts);
            split(b, vars, triggers, conditions, inhaling, parts);
        }
        ExprKind::Binary(BinOp::Implies, c, a) => {
            split(a, vars, triggers, &with(c), inhaling, parts);
        }
        ExprKind::Cond(c, a, b) => {
            split(a, vars, triggers, &with(c), inhaling, parts);
            split(b, vars, triggers, &with(&Expr::not(Arc::clone(c))), inhaling, parts);
        }
        ExprKind::InhaleExhale(a, b) => {
            let side = if inhaling { a } else { b };
            split(side, vars, triggers, conditions, inhaling, parts);
        }
        ExprKind::Let(local, value, body) => {
            // The value must make sense before there is any permission.
            let yes = Expr::bool(true, value.pos);
            let kind = ExprKind::Let(*local, Arc::clone(value), yes);
            let defined = Expr::new(kind, Type::Bool, value.pos);
            parts.push(quantify(&defined, vars, triggers, conditions));
            let body = body.substitute(&|id| (id == *local).then(|| Arc::clone(value)));
            split(&body, vars, triggers, conditions, inhaling, parts);
        }
        _ => parts.push(quantify(e, vars, triggers, conditions)),
    }
}

fn quantify(
    e: &Arc<Expr>,
    vars: &[LocalId],
    triggers: &[Vec<Arc<Expr>>],
    conditions: &[Arc<Expr>],
) -> Arc<Expr> {
    let mut body = Arc::clone(e);
    if !conditions.is_empty() {
        let condition = Expr::conjunction(conditions.iter().cloned(), e.pos);
        body = Expr::binary_bool(BinOp::Implies, condition, body, e.pos);
    }
    let kind = ExprKind::Quant {
        quantifier: SourceQuantifier::Forall,
        vars: vars.to_vec(),
        triggers: triggers.to_vec(),
        body,
    };
    Expr::new(kind, Type::Bool, e.pos)
}
