//! What can be seen in the text of the program, found out once.

mod normal;
mod sides;

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use smt::FastMap;
use viper::core::{
    BinOp, CollectionOp, Expr, ExprId, ExprKind, FieldId, PredicateId, Program, Resource,
};

use crate::state::ResourceId;

pub(crate) use normal::normal;

/// What was found out about expressions of the program, each by itself: two that look the same are
/// different.
type ByExpr<V> = FastMap<ExprId, V>;

/// The parts of a quantified assertion, for producing and for consuming it.
pub(crate) type Parts = Rc<Vec<Arc<Expr>>>;

/// What is known of a program by its text alone.
pub(crate) struct Syntax<'p> {
    program: &'p Program,
    total: ByExpr<bool>,
    pure: ByExpr<bool>,
    /// Quantified assertions in parts: as they are inhaled, and as they are exhaled.
    inhaled: ByExpr<Parts>,
    exhaled: ByExpr<Parts>,
    /// Pairs of predicates: may the first have the second in its tree?
    contains: HashMap<(PredicateId, PredicateId), bool>,
    quantified_resources: OnceCell<HashSet<ResourceId>>,
    /// Fields that triggers of the program mention.
    read_triggers: Arc<HashSet<FieldId>>,
    wand_triggers: OnceCell<bool>,
}

impl<'p> Syntax<'p> {
    pub fn new(program: &'p Program, read_triggers: Arc<HashSet<FieldId>>) -> Syntax<'p> {
        Syntax {
            program,
            total: ByExpr::default(),
            pure: ByExpr::default(),
            inhaled: ByExpr::default(),
            exhaled: ByExpr::default(),
            contains: HashMap::new(),
            quantified_resources: OnceCell::new(),
            read_triggers,
            wand_triggers: OnceCell::new(),
        }
    }

    /// Can it be evaluated without any check and without learning anything?
    pub fn is_total(&mut self, expr: &Arc<Expr>) -> bool {
        if let Some(total) = self.total.get(&expr.id()) {
            return *total;
        }
        let own = match &expr.kind {
            ExprKind::Field(..)
            | ExprKind::Call(..)
            | ExprKind::Acc(..)
            | ExprKind::Wand(_)
            | ExprKind::Perm(_)
            | ExprKind::Old(..)
            | ExprKind::Quant { .. }
            | ExprKind::ForPerm(..)
            | ExprKind::Unfolding(..)
            | ExprKind::Applying(..)
            | ExprKind::Asserting(..)
            | ExprKind::WildcardPerm
            | ExprKind::Result
            | ExprKind::PredicateInstance(..) => false,
            ExprKind::Binary(op, ..) => !matches!(
                op,
                BinOp::Div | BinOp::Mod | BinOp::Fraction | BinOp::PermDiv | BinOp::PermPermDiv
            ),
            ExprKind::Collection(op, _) => !matches!(
                op,
                CollectionOp::SeqIndex | CollectionOp::SeqUpdate | CollectionOp::MapLookup
            ),
            _ => true,
        };
        let mut total = own;
        if own {
            expr.for_each_child(|child| total = total && self.is_total(child));
        }
        self.total.insert(expr.id(), total);
        total
    }

    /// Is it free of permissions?
    pub fn is_pure(&mut self, expr: &Arc<Expr>) -> bool {
        if let Some(pure) = self.pure.get(&expr.id()) {
            return *pure;
        }
        let pure = expr.is_pure();
        self.pure.insert(expr.id(), pure);
        pure
    }

    /// The parts of a quantified assertion that is inhaled or exhaled; `split` finds them.
    fn parts(
        &mut self,
        e: &Arc<Expr>,
        inhaling: bool,
        split: impl FnOnce() -> Vec<Arc<Expr>>,
    ) -> Parts {
        let table = if inhaling { &mut self.inhaled } else { &mut self.exhaled };
        Rc::clone(table.entry(e.id()).or_insert_with(|| Rc::new(split())))
    }

    /// May an instance of one predicate have one of another in its tree, directly or not, as far as
    /// their bodies tell? Of `[A, B]` only one side is there: such predicates are left out.
    pub fn may_contain(&mut self, outer: PredicateId, inner: PredicateId) -> bool {
        if let Some(known) = self.contains.get(&(outer, inner)) {
            return *known;
        }
        let mut seen = HashSet::from([outer]);
        let mut pending = vec![outer];
        while let Some(predicate) = pending.pop() {
            let Some(body) = &self.program.predicate(predicate).body else { continue };
            body.walk(&mut |e| {
                if let ExprKind::Acc(Resource::Predicate(id, ..), _) = &e.kind
                    && seen.insert(*id)
                {
                    pending.push(*id);
                }
                true
            });
        }
        let one_sided = |p: &PredicateId| {
            let body = self.program.predicate(*p).body.as_ref();
            body.is_some_and(|body| body.any(|e| matches!(e.kind, ExprKind::InhaleExhale(..))))
        };
        let contains = seen.contains(&inner) && !seen.iter().any(one_sided);
        self.contains.insert((outer, inner), contains);
        contains
    }

    /// Has the program quantified permissions to a field or predicate?
    pub fn is_quantified(&self, resource: ResourceId) -> bool {
        let resources = self.quantified_resources.get_or_init(|| {
            let mut found = HashSet::new();
            self.program.walk_exprs(&mut |e| {
                if matches!(e.kind, ExprKind::Quant { .. }) {
                    e.walk(&mut |inner| {
                        if let ExprKind::Acc(resource, _) = &inner.kind {
                            found.extend(match resource {
                                Resource::Field(_, field, _) => Some(ResourceId::Field(*field)),
                                Resource::Predicate(predicate, ..) => {
                                    Some(ResourceId::Predicate(*predicate))
                                }
                                Resource::Wand(_) => None,
                            });
                        }
                        true
                    });
                }
                true
            });
            found
        });
        resources.contains(&resource)
    }

    /// Do triggers of the program mention a field?
    pub fn triggers_read(&self, field: FieldId) -> bool {
        self.read_triggers.contains(&field)
    }

    /// Are there wands in triggers of the program?
    pub fn has_wand_triggers(&self) -> bool {
        *self.wand_triggers.get_or_init(|| {
            let mut found = false;
            self.program.walk_exprs(&mut |e| {
                if let ExprKind::Quant { triggers, .. } = &e.kind {
                    found |= triggers.iter().flatten().any(|e| matches!(e.kind, ExprKind::Wand(_)));
                }
                !found
            });
            found
        })
    }
}

/// The parts of a conjunction, in order.
pub(crate) fn conjuncts(e: &Arc<Expr>) -> Vec<&Arc<Expr>> {
    let mut parts = Vec::new();
    let mut pending = vec![e];
    while let Some(e) = pending.pop() {
        if let ExprKind::Binary(BinOp::And, a, b) = &e.kind {
            pending.push(b);
            pending.push(a);
        } else {
            parts.push(e);
        }
    }
    parts
}
