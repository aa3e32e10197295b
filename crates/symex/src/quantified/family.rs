//! Quantified permissions in normal form, and their values.

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

use smt::Term;
use viper::ast::Quantifier as SourceQuantifier;
use viper::core::{BinOp, Expr, ExprKind, LocalId, Resource, Type};

use crate::diagnostics::Blame;
use crate::executor::Executor;
use crate::prover::{Outcome, Run, Stop};
use crate::state::{ResourceId, State};

/// A quantified permission in normal form: `forall vars :: { triggers } condition ==> acc(resource,
/// amount)`.
pub(super) struct Normal<'a> {
    pub vars: &'a [LocalId],
    pub triggers: &'a [Vec<Arc<Expr>>],
    pub condition: Option<&'a Arc<Expr>>,
    pub resource: Cow<'a, Resource>,
    pub amount: Option<&'a Arc<Expr>>,
}

/// The same with its values, for arbitrary `vars`.
pub(super) struct Family {
    pub resource: ResourceId,
    pub vars: Vec<Term>,
    pub condition: Term,
    pub args: Vec<Term>,
    pub amount: Term,
    /// Is the amount positive? Wildcards are: this does not mention them, so that families which differ
    /// in nothing but a wildcard have the same inverse, and the same snapshot.
    pub asked: Term,
    pub triggers: Vec<Vec<Term>>,
    /// Is the amount a wildcard?
    pub wildcard: bool,
}

pub(super) type Values = (Term, Vec<Term>, Term, Vec<Vec<Term>>);

impl Executor<'_> {
    /// The simple parts of a quantified assertion, in order: pure quantifiers, and quantified
    /// permissions in normal form.
    pub(super) fn split_quantifier(&mut self, e: &Arc<Expr>, inhaling: bool) -> Rc<Vec<Arc<Expr>>> {
        self.syntax.parts(e, inhaling, || {
            let mut parts = Vec::new();
            split(e, &[], &[], &[], inhaling, &mut parts);
            parts
        })
    }

    pub(super) fn eval_family(
        &mut self,
        state: &mut State,
        e: &Arc<Expr>,
        blame: &Blame,
    ) -> Run<Option<Family>> {
        let Some(normal) = normal(e) else {
            return self.unsupported(state, e.pos, "This quantified assertion");
        };
        let constants: Vec<Term> = normal.vars.iter().map(|v| self.havoc(state, *v)).collect();
        let result = self.explore(state, |this, s| {
            s.parameters = s.parameters.iter().chain(&constants).copied().collect();
            let condition = match normal.condition {
                Some(condition) => this.eval(s, condition, blame)?,
                None => this.terms.bool(true),
            };
            this.guard(s, condition)?;
            let (_, args) = this.eval_resource(s, &normal.resource, blame)?;
            let amount = this.eval_amount(s, normal.amount, blame)?;
            this.check_not_negative(s, amount, normal.amount.unwrap_or(e), blame)?;
            let mut sets = Vec::new();
            for trigger in normal.triggers {
                if let Some(set) = this.eval_trigger(s, trigger, blame)? {
                    sets.push(set);
                }
            }
            Ok((condition, args, amount, sets))
        });
        let outcomes: Rc<Vec<Outcome<Values>>> = match result {
            Ok(outcomes) => outcomes,
            Err(Stop::Infeasible) => return Ok(None),
            Err(stop) => return Err(stop),
        };
        self.learn_for_all(state, &outcomes, &constants, &[])?;
        let Some(first) = outcomes.first() else { return Ok(None) };
        let (condition, args, amount, triggers) = first.value.clone();
        // Conditionals cannot be in triggers; locations are.
        let names = self.name_conditionals(state, &args, &constants)?;
        let args: Vec<Term> = args.iter().map(|a| self.terms.substitute(*a, &names)).collect();
        let resource = match &*normal.resource {
            Resource::Field(_, field, _) => ResourceId::Field(*field),
            Resource::Predicate(predicate, ..) => ResourceId::Predicate(*predicate),
            Resource::Wand(wand) => ResourceId::Wand(self.shape(wand).0),
        };
        let is_wildcard = |e: &Expr| matches!(e.kind, ExprKind::WildcardPerm);
        let wildcard = normal.amount.is_some_and(|amount| is_wildcard(amount));
        let zero = self.amount(0, 1);
        let asked = if wildcard { self.terms.bool(true) } else { self.terms.lt(zero, amount) };
        let vars = constants;
        Ok(Some(Family { resource, vars, condition, args, amount, asked, triggers, wildcard }))
    }
}

/// Reads the normal form.
pub(super) fn normal(e: &Arc<Expr>) -> Option<Normal<'_>> {
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
pub(super) fn split(
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

pub(super) fn quantify(
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
