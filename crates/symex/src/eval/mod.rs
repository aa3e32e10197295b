//! Evaluation of pure expressions.
//!
//! Evaluating never splits the path: what depends on a condition is evaluated under that condition
//! in a local exploration and joined.

mod access;
mod frame;
mod function;
mod literal;
mod permission;
mod quantifier;
mod unfolding;

use std::sync::Arc;

use smt::{Sort, Term};
use viper::core::{BinOp, CollectionOp, Expr, ExprKind, OldState, Resource};

use crate::diagnostics::{Blame, Reason, ReasonKind};
use crate::encoding::CollectionFunction;
use crate::encoding::operand_type;
use crate::executor::Executor;
use crate::prover::{Run, Stop};
use crate::state::{BranchCondition, ResourceId, State};

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
            // eval(e.f): check 0 < q(e), the value is v(e)  [MSS16, Fig. 6]
            ExprKind::Field(receiver, field) => {
                let receiver = self.eval(state, receiver, blame)?;
                let resource = ResourceId::Field(*field);
                let heap = state.heap.clone();
                let Some(snap) = self.lookup(state, &heap, resource.at(&[receiver]))? else {
                    self.note_unreadable(&heap, resource.at(&[receiver]));
                    let reason = Reason::new(ReasonKind::InsufficientPermission, e, owner);
                    return self.fail(state, blame, &reason);
                };
                let sort = self.sort(&e.ty);
                let value = self.unwrap(snap, sort);
                if !state.mode.in_trigger && self.syntax.triggers_read(*field) {
                    let read = self.read_of(*field, receiver, value);
                    self.assume(state, read)?;
                }
                // Snapshots of fields are nothing but their values.
                if !state.mode.in_trigger
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
                if !state.mode.in_trigger && !state.is_quantified() {
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
        // eval(a ==> b): b under the path condition a  [MSS16, Fig. 12]
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
            let reason = Reason::new(ReasonKind::DivisionByZero, b, state.owner);
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
                let reason = Reason::new(ReasonKind::SeqIndexNegative, &args[1], owner);
                self.check(state, not_negative, blame, reason)?;
                let length = self.collection(
                    &args[0].ty,
                    CollectionFunction::SeqLength,
                    &[values[0]],
                    Sort::Int,
                );
                let below = self.terms.lt(values[1], length);
                let reason = Reason::new(ReasonKind::SeqIndexLength, &args[1], owner);
                self.check(state, below, blame, reason)
            }
            CollectionOp::MapLookup => {
                let contains = self.map_contains(&args[0].ty, values[1], values[0]);
                let reason = Reason::new(ReasonKind::MapKeyContains, &args[1], owner);
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
            let reason = Reason::new(ReasonKind::LabelledStateNotReached, e, state.owner);
            return self.fail(state, blame, &reason);
        };
        let saved = std::mem::replace(&mut state.heap, heap);
        let saved_perm = state.perm_heap.take();
        let value = self.eval(state, inner, blame)?;
        state.heap = saved;
        state.perm_heap = saved_perm;
        Ok(value)
    }

    /// Branches on a condition of the program.
    pub fn branch_on(&mut self, state: &mut State, c: &Arc<Expr>, blame: &Blame) -> Run<bool> {
        let condition = self.eval(state, c, blame)?;
        self.branch_about(state, condition, c)
    }

    /// Branches on the value of a condition.
    pub fn branch_about(&mut self, state: &mut State, value: Term, c: &Arc<Expr>) -> Run<bool> {
        let taken = self.branch(state, value)?;
        if self.terms.as_bool(value).is_none() {
            let (expr, caller) = (Arc::clone(c), state.caller.clone());
            let condition = BranchCondition { expr, owner: state.owner, taken, caller };
            state.branches.push_front_mut(condition);
        }
        Ok(taken)
    }
}
