//! Evaluation of pure expressions.
//!
//! Evaluating never splits the path: what depends on a condition is evaluated under that condition
//! in a local exploration and joined.

mod function;
pub(crate) mod learn;
mod literal;
mod permission;
mod quantifier;

use std::rc::Rc;
use std::sync::Arc;

use smt::{Sort, Term};
use viper::core::{
    BinOp, CollectionOp, Expr, ExprKind, LocalId, OldState, PredicateAccess, Resource, Type,
};

use crate::diagnostics::{Blame, Reason};
use crate::encoding::operand_type;
use crate::executor::Executor;
use crate::heap::Demand;
use crate::prover::{Outcome, Run, Stop};
use crate::state::{Owner, ResourceId, State};

impl Executor<'_> {
    /// The value of an expression.
    pub fn eval(&mut self, state: &mut State, e: &Arc<Expr>, blame: &Blame) -> Run<Term> {
        let owner = state.owner;
        Ok(match &e.kind {
            ExprKind::Int(value) => self.terms.int(value.clone()),
            ExprKind::Bool(value) => self.terms.bool(*value),
            ExprKind::Null => self.null(),
            ExprKind::NoPerm => self.amount(0, 1),
            ExprKind::FullPerm => self.amount(1, 1),
            // Where only some permission is asked for, it may be part of an amount.
            ExprKind::WildcardPerm if state.mode.reading => return self.wildcard(state),
            ExprKind::WildcardPerm => {
                return self.unsupported(state, e.pos, "A `wildcard` that is no whole amount");
            }
            ExprKind::Local(local) => match state.store.get(*local) {
                Some(value) => value,
                None => self.havoc(state, *local),
            },
            ExprKind::Result => match state.result {
                Some(result) => result,
                None => return self.unsupported(state, e.pos, "`result` here"),
            },
            ExprKind::Neg(a) => {
                let a = self.eval(state, a, blame)?;
                self.terms.neg(a)
            }
            ExprKind::Not(a) => {
                let a = self.eval(state, a, blame)?;
                self.terms.not(a)
            }
            ExprKind::Binary(op, a, b) => return self.eval_binary(state, *op, a, b, blame),
            ExprKind::Cond(c, a, b) => {
                let c = self.eval(state, c, blame)?;
                return self.eval_cond(state, c, a, b, blame);
            }
            ExprKind::Field(receiver, field) => {
                let receiver = self.eval(state, receiver, blame)?;
                let resource = ResourceId::Field(*field);
                let heap = state.heap.clone();
                let Some(snap) = self.lookup(state, &heap, resource, &[receiver])? else {
                    self.note_unreadable(&heap, resource, &[receiver]);
                    let reason = Reason::new("insufficient.permission", e, owner);
                    return self.fail(state, blame, &reason);
                };
                let sort = self.sort(&e.ty);
                let value = self.unwrap(snap, sort);
                if !state.mode.lenient && self.syntax.triggers_read(*field) {
                    let read = self.read_of(*field, receiver, value);
                    self.assume(state, read)?;
                }
                // Snapshots of fields are nothing but their values.
                if !state.mode.lenient
                    && let Some(fact) = self.round_trip(value)
                {
                    self.assume(state, fact)?;
                }
                value
            }
            ExprKind::Call(function, args) => {
                let args = self.eval_all(state, args, blame)?;
                return self.eval_call(state, *function, &args, e);
            }
            ExprKind::DomainCall(function, args, types) => {
                let args = self.eval_all(state, args, blame)?;
                let fun = self.domain_function(*function, types);
                self.terms.app(fun, &args)
            }
            ExprKind::Perm(resource) => return self.eval_perm(state, resource, blame),
            ExprKind::Old(which, inner) => return self.eval_old(state, e, *which, inner, blame),
            ExprKind::Let(local, value, body) => {
                let value = self.eval(state, value, blame)?;
                // Under a quantifier that would be a new symbol for each instance.
                if !state.mode.lenient && !state.is_quantified() {
                    self.mention(state, value)?;
                }
                state.store.set(*local, value);
                return self.eval(state, body, blame);
            }
            ExprKind::Quant { .. } => {
                return self.because_of(e.pos, |this| this.eval_quant(state, e, blame));
            }
            ExprKind::ForPerm(vars, resource, body) => {
                return self.because_of(e.pos, |this| {
                    this.eval_forperm(state, vars, resource, body, blame)
                });
            }
            ExprKind::Unfolding(access, body) => {
                // A predicate whose body unfolds an instance of itself would never end: what is
                // further down than one more level is not known.
                let level = state.unfolding.iter().filter(|p| **p == access.predicate).count();
                if level > 1 {
                    return Ok(self.fresh_of(state, "unknown", &e.ty));
                }
                return self.eval_unfolding(state, access, body, blame);
            }
            ExprKind::Asserting(assertion, body) => {
                self.check_asserted(state, assertion, blame)?;
                return self.eval(state, body, blame);
            }
            ExprKind::InhaleExhale(a, b) => {
                return self.eval(state, if state.mode.inhaling { a } else { b }, blame);
            }
            ExprKind::Seq(elems) => {
                let elems = self.eval_all(state, elems, blame)?;
                return self.eval_seq(state, &e.ty, &elems);
            }
            ExprKind::Set(elems) | ExprKind::Multiset(elems) => {
                let elems = self.eval_all(state, elems, blame)?;
                self.set_literal(&e.ty, &elems)
            }
            ExprKind::Map(entries) => {
                let mut values = Vec::new();
                for (key, value) in entries {
                    let key = self.eval(state, key, blame)?;
                    values.push((key, self.eval(state, value, blame)?));
                }
                self.map_literal(&e.ty, &values)
            }
            ExprKind::Collection(op, args) => {
                let values = self.eval_all(state, args, blame)?;
                self.check_collection(state, *op, args, &values, blame)?;
                self.collection_op(*op, &operand_type(*op, args, &e.ty), &e.ty, &values)
            }
            // What is said about permissions where only values are wanted (`assume acc(x.f)`).
            ExprKind::Acc(resource, amount) => {
                let held = self.eval_perm(state, resource, blame)?;
                let amount = self.eval_amount(state, amount.as_ref(), blame)?;
                self.terms.le(amount, held)
            }
            ExprKind::Wand(wand) => {
                let held = self.eval_perm(state, &Resource::Wand(wand.clone()), blame)?;
                let full = self.amount(1, 1);
                self.terms.le(full, held)
            }
            ExprKind::Applying(wand, body) => return self.eval_applying(state, wand, body, blame),
            ExprKind::PredicateInstance(..) => {
                return self.unsupported(state, e.pos, "A predicate instance");
            }
        })
    }

    pub fn eval_all(
        &mut self,
        state: &mut State,
        exprs: &[Arc<Expr>],
        blame: &Blame,
    ) -> Run<Vec<Term>> {
        exprs.iter().map(|e| self.eval(state, e, blame)).collect()
    }

    /// A permission amount; none given means all of it.
    pub fn eval_amount(
        &mut self,
        state: &mut State,
        amount: Option<&Arc<Expr>>,
        blame: &Blame,
    ) -> Run<Term> {
        match amount {
            // A `wildcard` may be made as small as needed, but not what is computed from it.
            Some(amount) if matches!(amount.kind, ExprKind::WildcardPerm) => self.wildcard(state),
            Some(amount) => self.eval(state, amount, blame),
            None => Ok(self.amount(1, 1)),
        }
    }

    /// Some positive amount.
    fn wildcard(&mut self, state: &mut State) -> Run<Term> {
        let amount = self.fresh(state, "wildcard", Sort::Real);
        let zero = self.amount(0, 1);
        let positive = self.terms.lt(zero, amount);
        self.assume(state, positive)?;
        state.wildcards.insert_mut(amount);
        Ok(amount)
    }

    /// Gives a variable an arbitrary value.
    pub fn havoc(&mut self, state: &mut State, local: LocalId) -> Term {
        let decl = &state.owner.locals(self.program)[local.index()];
        let value = self.fresh_of(state, decl.name.as_str(), &decl.ty);
        state.store.set(local, value);
        value
    }

    // --- Conditions

    /// Evaluates under a condition without splitting the path. `None` if the condition is
    /// impossible here.
    fn eval_under(
        &mut self,
        state: &mut State,
        condition: Term,
        e: &Arc<Expr>,
        blame: &Blame,
    ) -> Run<Option<Term>> {
        if self.terms.as_bool(condition) == Some(true) || self.syntax.is_total(e) {
            return self.eval(state, e, blame).map(Some);
        }
        let result = self.explore(state, |this, s| {
            this.guard(s, condition)?;
            this.eval(s, e, blame)
        });
        match result {
            Ok(outcomes) => self.join(state, &outcomes).map(Some),
            Err(Stop::Infeasible) => Ok(None),
            Err(stop) => Err(stop),
        }
    }

    fn eval_binary(
        &mut self,
        state: &mut State,
        op: BinOp,
        a: &Arc<Expr>,
        b: &Arc<Expr>,
        blame: &Blame,
    ) -> Run<Term> {
        let left = self.eval(state, a, blame)?;
        let shortcut = match op {
            BinOp::And | BinOp::Implies => Some(left),
            BinOp::Or => Some(self.terms.not(left)),
            _ => None,
        };
        if let Some(condition) = shortcut {
            let right = if self.terms.as_bool(condition) == Some(false) {
                None
            } else {
                self.eval_under(state, condition, b, blame)?
            };
            return Ok(match (op, right) {
                (_, Some(right)) => self.binary(op, &a.ty, left, right),
                (BinOp::And, None) => self.terms.bool(false),
                (_, None) => self.terms.bool(true),
            });
        }
        let right = self.eval(state, b, blame)?;
        if matches!(
            op,
            BinOp::Div | BinOp::Mod | BinOp::Fraction | BinOp::PermDiv | BinOp::PermPermDiv
        ) {
            let zero = match self.terms.sort(right) {
                Sort::Int => self.terms.int(0),
                _ => self.amount(0, 1),
            };
            let is_zero = self.terms.eq(right, zero);
            let nonzero = self.terms.not(is_zero);
            let reason = Reason::new("division.by.zero", b, state.owner);
            self.check(state, nonzero, blame, reason)?;
        }
        Ok(self.binary(op, &a.ty, left, right))
    }

    fn eval_cond(
        &mut self,
        state: &mut State,
        c: Term,
        a: &Arc<Expr>,
        b: &Arc<Expr>,
        blame: &Blame,
    ) -> Run<Term> {
        let not = self.terms.not(c);
        if self.entailed(state, c) {
            return self.eval(state, a, blame);
        }
        if self.entailed(state, not) {
            return self.eval(state, b, blame);
        }
        let then = self.eval_under(state, c, a, blame)?;
        let otherwise = self.eval_under(state, not, b, blame)?;
        match (then, otherwise) {
            (Some(a), Some(b)) => Ok(self.terms.ite(c, a, b)),
            (Some(value), None) | (None, Some(value)) => Ok(value),
            (None, None) => Err(Stop::Infeasible),
        }
    }

    fn check_collection(
        &mut self,
        state: &mut State,
        op: CollectionOp,
        args: &[Arc<Expr>],
        values: &[Term],
        blame: &Blame,
    ) -> Run<()> {
        let owner = state.owner;
        match op {
            CollectionOp::SeqIndex | CollectionOp::SeqUpdate => {
                let zero = self.terms.int(0);
                let not_negative = self.terms.le(zero, values[1]);
                let reason = Reason::new("seq.index.negative", &args[1], owner);
                self.check(state, not_negative, blame, reason)?;
                let length = self.collection(&args[0].ty, "Seq.length", &[values[0]], Sort::Int);
                let below = self.terms.lt(values[1], length);
                let reason = Reason::new("seq.index.length", &args[1], owner);
                self.check(state, below, blame, reason)
            }
            CollectionOp::MapLookup => {
                let contains = self.map_contains(&args[0].ty, values[1], values[0]);
                let reason = Reason::new("map.key.contains", &args[1], owner);
                self.check(state, contains, blame, reason)
            }
            _ => Ok(()),
        }
    }

    // --- Other states

    fn eval_old(
        &mut self,
        state: &mut State,
        e: &Arc<Expr>,
        which: OldState,
        inner: &Arc<Expr>,
        blame: &Blame,
    ) -> Run<Term> {
        let heap = match which {
            OldState::Pre => state.old.clone(),
            OldState::Label(label) => state.labels.get(&label).cloned(),
            OldState::Lhs => state.lhs.clone(),
        };
        let Some(heap) = heap else {
            let reason = Reason::new("labelled.state.not.reached", e, state.owner);
            return self.fail(state, blame, &reason);
        };
        let saved = std::mem::replace(&mut state.heap, heap);
        let saved_perm = state.perm_heap.take();
        let value = self.eval(state, inner, blame)?;
        state.heap = saved;
        state.perm_heap = saved_perm;
        Ok(value)
    }

    fn eval_unfolding(
        &mut self,
        state: &mut State,
        access: &PredicateAccess,
        body: &Arc<Expr>,
        blame: &Blame,
    ) -> Run<Term> {
        let outcomes =
            self.explore_unfolding(state, access, blame, |this, s| this.eval(s, body, blame))?;
        self.join(state, &outcomes)
    }

    /// Proves the assertion of an `asserting`, and knows it.
    pub fn check_asserted(
        &mut self,
        state: &mut State,
        assertion: &Arc<Expr>,
        blame: &Blame,
    ) -> Run<()> {
        let outcomes = self.explore(state, |this, s| {
            if s.mode.reading {
                this.frame_all(s, std::slice::from_ref(assertion), blame)?;
                return Ok(());
            }
            // An expression takes nothing from around a wand.
            s.reserves = Rc::default();
            let mut heap = s.heap.clone();
            this.consume(s, &mut heap, assertion, blame)?;
            Ok(())
        })?;
        self.learn(state, &outcomes)
    }

    /// Runs `f` where a predicate is unfolded, on all its paths.
    pub fn explore_unfolding<R: Clone + 'static>(
        &mut self,
        state: &mut State,
        access: &PredicateAccess,
        blame: &Blame,
        mut f: impl FnMut(&mut Self, &mut State) -> Run<R>,
    ) -> Run<Rc<Vec<Outcome<R>>>> {
        self.explore(state, |this, s| {
            let args = this.eval_all(s, &access.args, blame)?;
            // A scaled amount is what it is; only one given here may be made smaller.
            let before = std::mem::take(&mut s.wildcards);
            let amount = this.eval_amount(s, access.amount.as_ref(), blame)?;
            this.check_positive(s, amount, access, blame)?;
            let mut amount = match s.mode.scale {
                Some(scale) => this.terms.mul(amount, scale),
                None => amount,
            };
            let resource = ResourceId::Predicate(access.predicate);
            let mut heap = s.heap.clone();
            let snap = if s.mode.reading {
                amount = this.some_of(s, amount)?;
                this.lookup(s, &heap, resource, &args)?
            } else {
                this.take(s, &mut heap, resource, &args, amount)?
            };
            let Some(snap) = snap else {
                let wildcard = s.mode.reading || this.is_wildcard(s, amount);
                this.note_shortage(&heap, Demand { resource, args: &args, amount, wildcard });
                let reason = this.predicate_reason(access, s.owner);
                return this.fail(s, blame, &reason);
            };
            s.wildcards = before;
            s.heap = heap;
            s.perm_heap = None;
            this.unfolded.push((access.predicate, snap, args.clone().into()));
            this.note_predicate(s, access.predicate, snap, &args)?;
            s.unfolding.push_front_mut(access.predicate);
            let instance = (access.predicate, access.args.as_slice());
            this.produce_body(s, instance, &args, snap, amount, blame)?;
            s.unfolding.drop_first_mut();
            f(this, s)
        })
    }

    /// Reason for a predicate that is not held.
    pub fn predicate_reason(&self, access: &PredicateAccess, owner: Owner) -> Reason {
        let resource = Resource::Predicate(access.predicate, access.args.clone(), access.loc_pos);
        let e = Expr::new(ExprKind::Acc(resource, None), Type::Bool, access.loc_pos);
        Reason { pos: access.loc_pos, ..Reason::new("insufficient.permission", &e, owner) }
    }

    /// An amount that must be positive.
    pub fn check_positive(
        &mut self,
        state: &mut State,
        amount: Term,
        access: &PredicateAccess,
        blame: &Blame,
    ) -> Run<()> {
        let zero = self.amount(0, 1);
        let positive = self.terms.lt(zero, amount);
        let reason = match &access.amount {
            Some(e) => Reason::new("permission.not.positive", e, state.owner),
            None => {
                Reason::text("permission.not.positive", access.pos, "The amount is not positive.")
            }
        };
        self.check(state, positive, blame, reason)
    }
}

/// The reason of a resource that is not held.
pub(crate) fn resource_reason(e: &Arc<Expr>, resource: &Resource, owner: Owner) -> Reason {
    let id = match resource {
        Resource::Wand(_) => "wand.not.found",
        _ => "insufficient.permission",
    };
    let mut reason = Reason::new(id, e, owner);
    reason.pos = resource.pos();
    reason
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
