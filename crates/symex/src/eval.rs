//! Evaluation of pure expressions.
//!
//! Evaluating never splits the path: what depends on a condition is evaluated under that condition
//! in a local exploration and joined.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use smt::{Quant, Quantifier, Sort, Term};
use viper::ast::Quantifier as SourceQuantifier;
use viper::core::{
    BinOp, CollectionOp, Expr, ExprKind, FunctionId, LocalId, OldState, PredicateAccess, Resource,
    Type,
};

use crate::blame::{Blame, Reason};
use crate::executor::{Executor, annotated};
use crate::operators::operand_type;
use crate::path::{Run, Stop};
use crate::state::{Owner, ResourceId, State, Store};

impl Executor<'_> {
    /// The value of an expression.
    pub fn eval(&mut self, state: &mut State, e: &Arc<Expr>, blame: &Blame) -> Run<Term> {
        let owner = state.owner;
        Ok(match &e.kind {
            ExprKind::Int(value) => self.terms.int(value.clone()),
            ExprKind::Bool(value) => self.terms.bool(*value),
            ExprKind::Null => self.symbols.null,
            ExprKind::NoPerm => self.amount(0, 1),
            ExprKind::FullPerm => self.amount(1, 1),
            ExprKind::WildcardPerm => {
                let amount = self.fresh(state, "wildcard", Sort::Real);
                let zero = self.amount(0, 1);
                let positive = self.terms.lt(zero, amount);
                self.assume(state, positive)?;
                state.wildcards.insert_mut(amount);
                amount
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
                    let reason = Reason::new("insufficient.permission", e, owner);
                    return self.fail(state, blame, &reason);
                };
                let sort = self.sort(&e.ty);
                let value = self.symbols.unwrap(&mut self.terms, snap, sort);
                if !state.lenient && self.triggers.contains(field) {
                    let read = self.symbols.read(&mut self.terms, *field, receiver);
                    self.read_values.insert(read, value);
                    self.assume(state, read)?;
                }
                // Snapshots of fields are nothing but their values.
                if !state.lenient
                    && let Some(fact) = self.symbols.round_trip(&mut self.terms, value)
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
                let fun = self.symbols.domain_function(&mut self.terms, *function, types);
                self.terms.app(fun, &args)
            }
            ExprKind::Perm(resource) => return self.eval_perm(state, resource, blame),
            ExprKind::Old(which, inner) => return self.eval_old(state, e, *which, inner, blame),
            ExprKind::Let(local, value, body) => {
                let value = self.eval(state, value, blame)?;
                if !state.lenient {
                    self.mention(state, value)?;
                }
                state.store.set(*local, value);
                return self.eval(state, body, blame);
            }
            ExprKind::Quant { .. } => return self.eval_quant(state, e, blame),
            ExprKind::ForPerm(vars, resource, body) => {
                return self.eval_forperm(state, vars, resource, body, blame);
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
                let outcomes = self.explore(state, |this, s| {
                    if s.reading {
                        this.frame_all(s, std::slice::from_ref(assertion), blame)?;
                        return Ok(());
                    }
                    let mut heap = s.heap.clone();
                    this.consume(s, &mut heap, assertion, blame)?;
                    Ok(())
                })?;
                self.learn(state, &outcomes)?;
                return self.eval(state, body, blame);
            }
            ExprKind::InhaleExhale(a, b) => {
                return self.eval(state, if state.inhaling { a } else { b }, blame);
            }
            ExprKind::Seq(elems) => {
                let elems = self.eval_all(state, elems, blame)?;
                self.seq_literal(&e.ty, &elems)
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
            ExprKind::Wand(wand) => return self.unsupported(state, wand.pos, "A magic wand"),
            ExprKind::Applying(wand, _) => return self.unsupported(state, wand.pos, "`applying`"),
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
            Some(amount) => self.eval(state, amount, blame),
            None => Ok(self.amount(1, 1)),
        }
    }

    /// Gives a variable an arbitrary value.
    pub fn havoc(&mut self, state: &mut State, local: LocalId) -> Term {
        let decl = &self.locals(state.owner)[local.index()];
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
        if self.terms.as_bool(condition) == Some(true) || self.is_total(e) {
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
            OldState::Lhs => None,
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
        let outcomes = self.explore(state, |this, s| {
            let args = this.eval_all(s, &access.args, blame)?;
            // A scaled amount is what it is; only one given here may be made smaller.
            let before = std::mem::take(&mut s.wildcards);
            let amount = this.eval_amount(s, access.amount.as_ref(), blame)?;
            this.check_positive(s, amount, access, blame)?;
            let mut amount = match s.scale {
                Some(scale) => this.terms.mul(amount, scale),
                None => amount,
            };
            let resource = ResourceId::Predicate(access.predicate);
            let mut heap = s.heap.clone();
            let snap = if s.reading {
                amount = this.some_of(s, amount)?;
                this.lookup(s, &heap, resource, &args)?
            } else {
                this.take(s, &mut heap, resource, &args, amount)?
            };
            let Some(snap) = snap else {
                let reason = this.predicate_reason(access, s.owner);
                return this.fail(s, blame, &reason);
            };
            s.wildcards = before;
            s.heap = heap;
            s.perm_heap = None;
            this.unfolded.push((access.predicate, snap, args.clone().into()));
            this.note_predicate(s, access.predicate, snap, &args)?;
            s.unfolding.push_front_mut(access.predicate);
            this.produce_body(s, access.predicate, &args, snap, amount, blame)?;
            s.unfolding.drop_first_mut();
            this.eval(s, body, blame)
        })?;
        self.join(state, &outcomes)
    }

    // --- Functions

    /// The value of a function; its precondition must hold here.
    fn eval_call(
        &mut self,
        state: &mut State,
        function: FunctionId,
        args: &[Term],
        e: &Arc<Expr>,
    ) -> Run<Term> {
        let decl = self.program.function(function);
        let blame = Blame::new("application.precondition", e.pos)
            .with_info(&e.info)
            .about(decl.name.as_str());
        let mut callee = self.enter(state, Owner::Function(function), args);
        callee.inhaling = false;
        callee.reading = true;
        let snap = self.frame_all(&mut callee, &decl.pres, &blame)?;
        self.leave(state, callee);
        let symbols = self.symbols.function(&mut self.terms, function);
        let mut full = vec![snap];
        full.extend(args);
        if !decl.pres.is_empty() || !decl.posts.is_empty() {
            let pre = self.terms.app(symbols.pre, &full);
            self.assume(state, pre)?;
        }
        let opaque = annotated(&decl.info, "opaque") && !annotated(&e.info, "reveal");
        let limited = opaque || self.recursive.contains(&function);
        Ok(self.terms.app(if limited { symbols.limited } else { symbols.full }, &full))
    }

    /// The state in which a contract or body of another member is evaluated.
    pub fn enter(&mut self, state: &State, owner: Owner, args: &[Term]) -> State {
        let mut inner = state.clone();
        inner.owner = owner;
        inner.store = Store::new(self.locals(owner).len());
        for (i, arg) in args.iter().enumerate() {
            inner.store.set(LocalId(i as u32), *arg);
        }
        inner.result = None;
        inner.scale = None;
        inner.reading = false;
        inner.want_snap = false;
        inner
    }

    /// Takes over what was learnt in the state of another member.
    pub fn leave(&mut self, state: &mut State, inner: State) {
        state.fresh = inner.fresh;
        state.known = inner.known;
        state.wildcards = inner.wildcards;
    }

    /// Checks that assertions hold and returns the snapshot of what they mention, without taking
    /// anything away: how functions depend on the heap. Amounts do not matter as long as there is
    /// some permission.
    pub fn frame_all(
        &mut self,
        state: &mut State,
        assertions: &[Arc<Expr>],
        blame: &Blame,
    ) -> Run<Term> {
        let parts: Vec<&Arc<Expr>> = assertions.iter().flat_map(conjuncts).collect();
        let mut snaps = Vec::new();
        for part in parts {
            if self.is_pure(part) {
                let value = self.eval(state, part, blame)?;
                let reason = Reason::new("assertion.false", part, state.owner);
                self.check(state, value, blame, reason)?;
                // Later parts may rely on it.
                if !state.lenient {
                    self.assume(state, value)?;
                }
            } else {
                snaps.push(self.frame(state, part, blame)?);
            }
        }
        Ok(self.pair_up(snaps))
    }

    /// One snapshot for many.
    pub fn pair_up(&mut self, mut snaps: Vec<Term>) -> Term {
        let Some(mut snap) = snaps.pop() else { return self.symbols.unit };
        while let Some(before) = snaps.pop() {
            snap = self.symbols.pair(&mut self.terms, before, snap);
        }
        snap
    }

    /// The snapshot of one assertion with permissions.
    fn frame(&mut self, state: &mut State, e: &Arc<Expr>, blame: &Blame) -> Run<Term> {
        match &e.kind {
            ExprKind::Acc(resource, amount) => {
                let Some((id, args)) = self.eval_resource(state, resource, blame)? else {
                    return self.unsupported(state, e.pos, "A magic wand");
                };
                let amount = match amount {
                    Some(amount) => self.eval(state, amount, blame)?,
                    None => self.amount(1, 1),
                };
                let zero = self.amount(0, 1);
                let not_negative = self.terms.le(zero, amount);
                let reason = Reason::new("negative.permission", e, state.owner);
                self.check(state, not_negative, blame, reason)?;
                let positive = self.terms.lt(zero, amount);
                let heap = state.heap.clone();
                if amount == zero {
                    return Ok(self.symbols.unit);
                }
                if !self.entailed(state, positive) {
                    let held = self.held(&heap, id, &args);
                    let some = self.terms.lt(zero, held);
                    let goal = self.terms.implies(positive, some);
                    let reason = resource_reason(e, resource, state.owner);
                    self.check(state, goal, blame, reason)?;
                    let unit = self.symbols.unit;
                    let snap = self.summary_snap(state, &heap, id, &args);
                    return Ok(self.terms.ite(positive, snap, unit));
                }
                match self.lookup(state, &heap, id, &args)? {
                    Some(snap) => Ok(snap),
                    None => {
                        let reason = resource_reason(e, resource, state.owner);
                        self.fail(state, blame, &reason)
                    }
                }
            }
            ExprKind::Binary(BinOp::And, ..) => {
                let parts = [Arc::clone(e)];
                self.frame_all(state, &parts, blame)
            }
            ExprKind::Binary(BinOp::Implies, c, a) => {
                let c = self.eval(state, c, blame)?;
                let snap = self.frame_under(state, c, a, blame)?;
                let unit = self.symbols.unit;
                Ok(match snap {
                    Some(snap) => self.terms.ite(c, snap, unit),
                    None => unit,
                })
            }
            ExprKind::Cond(c, a, b) => {
                let c = self.eval(state, c, blame)?;
                let not = self.terms.not(c);
                let then = self.frame_under(state, c, a, blame)?;
                let otherwise = self.frame_under(state, not, b, blame)?;
                match (then, otherwise) {
                    (Some(a), Some(b)) => Ok(self.terms.ite(c, a, b)),
                    (Some(snap), None) | (None, Some(snap)) => Ok(snap),
                    (None, None) => Err(Stop::Infeasible),
                }
            }
            ExprKind::Let(local, value, body) => {
                let value = self.eval(state, value, blame)?;
                state.store.set(*local, value);
                self.frame_all(state, std::slice::from_ref(body), blame)
            }
            ExprKind::InhaleExhale(a, b) => {
                let part = if state.inhaling { a } else { b };
                self.frame_all(state, std::slice::from_ref(part), blame)
            }
            ExprKind::Quant { .. } => self.frame_quantified(state, e, blame),
            _ => self.unsupported(state, e.pos, "This assertion"),
        }
    }

    fn frame_under(
        &mut self,
        state: &mut State,
        condition: Term,
        e: &Arc<Expr>,
        blame: &Blame,
    ) -> Run<Option<Term>> {
        match self.terms.as_bool(condition) {
            Some(false) => return Ok(None),
            Some(true) => {
                return self.frame_all(state, std::slice::from_ref(e), blame).map(Some);
            }
            None => {}
        }
        let result = self.explore(state, |this, s| {
            this.guard(s, condition)?;
            this.frame_all(s, std::slice::from_ref(e), blame)
        });
        match result {
            Ok(outcomes) => self.join(state, &outcomes).map(Some),
            Err(Stop::Infeasible) => Ok(None),
            Err(stop) => Err(stop),
        }
    }

    // --- Permissions as values

    /// Which resource, and its evaluated arguments; `None` for wands.
    pub fn eval_resource(
        &mut self,
        state: &mut State,
        resource: &Resource,
        blame: &Blame,
    ) -> Run<Option<(ResourceId, Vec<Term>)>> {
        Ok(match resource {
            Resource::Field(receiver, field, _) => {
                let receiver = self.eval(state, receiver, blame)?;
                Some((ResourceId::Field(*field), vec![receiver]))
            }
            Resource::Predicate(predicate, args, _) => {
                let args = self.eval_all(state, args, blame)?;
                Some((ResourceId::Predicate(*predicate), args))
            }
            Resource::Wand(_) => None,
        })
    }

    fn eval_perm(&mut self, state: &mut State, resource: &Resource, blame: &Blame) -> Run<Term> {
        let Some((id, args)) = self.eval_resource(state, resource, blame)? else {
            return self.unsupported(state, resource.pos(), "A magic wand");
        };
        if state.heap.quantified_of(id).next().is_some() && !state.lenient {
            let heap = state.heap.clone();
            self.relate_shares(state, &heap, id, &args)?;
        }
        let heap = state.perm_heap.clone().unwrap_or_else(|| state.heap.clone());
        Ok(self.held(&heap, id, &args))
    }

    fn eval_forperm(
        &mut self,
        state: &mut State,
        vars: &[LocalId],
        resource: &Resource,
        body: &Arc<Expr>,
        blame: &Blame,
    ) -> Run<Term> {
        let (id, args): (ResourceId, Vec<&Arc<Expr>>) = match resource {
            Resource::Field(receiver, field, _) => (ResourceId::Field(*field), vec![receiver]),
            Resource::Predicate(predicate, args, _) => {
                (ResourceId::Predicate(*predicate), args.iter().collect())
            }
            Resource::Wand(wand) => return self.unsupported(state, wand.pos, "A magic wand"),
        };
        let heap = state.perm_heap.clone().unwrap_or_else(|| state.heap.clone());
        let chunks: Vec<_> = heap.of(id).map(|(_, c)| (Rc::clone(&c.args), c.perm)).collect();
        let mut conjuncts = Vec::new();
        for (chunk_args, perm) in chunks {
            let result = self.explore(state, |this, s| {
                let zero = this.amount(0, 1);
                let positive = this.terms.lt(zero, perm);
                this.guard(s, positive)?;
                this.eval_for_location(s, vars, &args, &chunk_args, body, blame)
            });
            match result {
                Ok(outcomes) => {
                    self.learn(state, &outcomes)?;
                    for outcome in outcomes.iter() {
                        conjuncts.push(self.terms.implies(outcome.guard, outcome.value));
                    }
                }
                Err(Stop::Infeasible) => {}
                Err(stop) => return Err(stop),
            }
        }
        let quantified: Vec<_> = heap.quantified_of(id).map(|(_, c)| c).collect();
        for chunk in quantified {
            let formals = self.formals(id);
            let constants: Vec<Term> = formals
                .iter()
                .map(|f| {
                    let sort = self.terms.sort(*f);
                    self.fresh(state, "any", sort)
                })
                .collect();
            let result = self.explore(state, |this, s| {
                s.parameters = s.parameters.iter().chain(&constants).copied().collect();
                let perm = this.perm_at(&chunk, &constants);
                let zero = this.amount(0, 1);
                let positive = this.terms.lt(zero, perm);
                this.guard(s, positive)?;
                this.eval_for_location(s, vars, &args, &constants, body, blame)
            });
            match result {
                Ok(outcomes) => {
                    self.learn_for_all(state, &outcomes, &constants, &[])?;
                    let parts: Vec<Term> =
                        outcomes.iter().map(|o| self.terms.implies(o.guard, o.value)).collect();
                    let all = self.terms.and(parts);
                    let closed =
                        self.close(Quantifier::Forall, &constants, &[], all, None, "forperm");
                    conjuncts.push(closed);
                }
                Err(Stop::Infeasible) => {}
                Err(stop) => return Err(stop),
            }
        }
        Ok(self.terms.and(conjuncts))
    }

    /// The body of a `forperm` at a location.
    fn eval_for_location(
        &mut self,
        state: &mut State,
        vars: &[LocalId],
        args: &[&Arc<Expr>],
        location: &[Term],
        body: &Arc<Expr>,
        blame: &Blame,
    ) -> Run<Term> {
        let mut bound: Vec<LocalId> = Vec::new();
        for (arg, value) in args.iter().zip(location) {
            match arg.kind {
                ExprKind::Local(v) if vars.contains(&v) && !bound.contains(&v) => {
                    bound.push(v);
                    state.store.set(v, *value);
                }
                _ => {}
            }
        }
        for (arg, value) in args.iter().zip(location) {
            let arg = self.eval(state, arg, blame)?;
            let same = self.equal_terms(arg, *value);
            self.guard(state, same)?;
        }
        self.eval(state, body, blame)
    }

    // --- Quantifiers

    fn eval_quant(&mut self, state: &mut State, e: &Arc<Expr>, blame: &Blame) -> Run<Term> {
        let ExprKind::Quant { quantifier, vars, triggers, body } = &e.kind else {
            return self.unsupported(state, e.pos, "This expression");
        };
        if !self.is_pure(body) {
            return self.unsupported(state, e.pos, "A quantified permission");
        }
        let constants: Vec<Term> = vars.iter().map(|v| self.havoc(state, *v)).collect();
        let outcomes = self.explore(state, |this, s| {
            s.parameters = s.parameters.iter().chain(&constants).copied().collect();
            let value = this.eval(s, body, blame)?;
            let mut sets = Vec::new();
            for trigger in triggers {
                if let Some(set) = this.eval_trigger(s, trigger, blame)? {
                    sets.push(set);
                }
            }
            Ok((value, sets))
        })?;
        let Some((last, others)) = outcomes.split_last() else { return Err(Stop::Infeasible) };
        let (mut value, mut sets) = last.value.clone();
        for outcome in others.iter().rev() {
            value = self.terms.ite(outcome.guard, outcome.value.0, value);
        }
        // Conditionals cannot be in triggers.
        let names = self.name_conditionals(state, &[value], &constants)?;
        if !names.is_empty() {
            value = self.terms.substitute(value, &names);
            for term in sets.iter_mut().flatten() {
                *term = self.terms.substitute(*term, &names);
            }
        }
        let weight = e.info.as_ref().and_then(|info| {
            info.annotation("weight")?.values.first()?.as_str().trim().parse().ok()
        });
        let quantifier = match quantifier {
            SourceQuantifier::Forall => Quantifier::Forall,
            SourceQuantifier::Exists => Quantifier::Exists,
        };
        // What was learnt about the body holds for all values of the variables.
        let triggers = self.triggers_for(&constants, &sets, value);
        self.learn_for_all(state, &outcomes, &constants, &triggers)?;
        Ok(self.close(quantifier, &constants, &sets, value, weight, "user"))
    }

    /// The terms of a trigger, or `None` if they make no sense here.
    pub fn eval_trigger(
        &mut self,
        state: &State,
        trigger: &[Arc<Expr>],
        blame: &Blame,
    ) -> Run<Option<Vec<Term>>> {
        let mut lenient = state.clone();
        lenient.lenient = true;
        let mut terms = Vec::new();
        for e in trigger {
            let e = match &e.kind {
                ExprKind::Old(_, inner) if matches!(inner.kind, ExprKind::Local(_)) => inner,
                ExprKind::Acc(..) | ExprKind::Wand(_) => return Ok(None),
                _ => e,
            };
            if let ExprKind::Field(receiver, field) = &e.kind {
                match self.eval(&mut lenient, receiver, blame) {
                    Ok(receiver) => {
                        terms.push(self.symbols.read(&mut self.terms, *field, receiver))
                    }
                    Err(Stop::Abort) => return Err(Stop::Abort),
                    Err(Stop::Infeasible | Stop::Failed) => return Ok(None),
                }
                continue;
            }
            match self.eval(&mut lenient, e, blame) {
                Ok(term) => terms.push(term),
                Err(Stop::Abort) => return Err(Stop::Abort),
                Err(Stop::Infeasible | Stop::Failed) => return Ok(None),
            }
        }
        Ok(Some(terms))
    }

    /// Does a term mention one of these?
    pub fn mentions(&self, term: Term, wanted: &[Term]) -> bool {
        let mut seen = std::collections::HashSet::new();
        let mut pending = vec![term];
        while let Some(term) = pending.pop() {
            if wanted.contains(&term) {
                return true;
            }
            if seen.insert(term) {
                pending.extend(self.terms.children(term));
            }
        }
        false
    }

    /// The triggers that a formula over constants would get if they were quantified.
    fn triggers_for(
        &mut self,
        constants: &[Term],
        triggers: &[Vec<Term>],
        body: Term,
    ) -> Vec<Vec<Term>> {
        if !triggers.is_empty() {
            return triggers.to_vec();
        }
        let level = self.quantifier_depth(body);
        let (mut there, mut back, mut vars) = (HashMap::new(), HashMap::new(), Vec::new());
        for (i, constant) in constants.iter().enumerate() {
            let sort = self.terms.sort(*constant);
            let hint = self.hint(*constant);
            let (var, term) = self.bound_at(level, i, sort, &hint);
            there.insert(*constant, term);
            back.insert(term, *constant);
            vars.push(var);
        }
        let body = self.terms.substitute(body, &there);
        let sets = self.infer_triggers(body, &vars);
        let mut return_to = |t: &Term| self.terms.substitute(*t, &back);
        sets.iter().map(|set| set.iter().map(&mut return_to).collect()).collect()
    }

    /// Quantifies over constants.
    pub fn close(
        &mut self,
        quantifier: Quantifier,
        constants: &[Term],
        triggers: &[Vec<Term>],
        body: Term,
        weight: Option<u32>,
        name: &str,
    ) -> Term {
        let (constants, triggers, body) =
            &self.merge_quantifiers(quantifier, constants, triggers, body);
        let body = *body;
        let level = self.quantifier_depth(body);
        let mut map = HashMap::new();
        let mut vars = Vec::new();
        for (i, constant) in constants.iter().enumerate() {
            let sort = self.terms.sort(*constant);
            let hint = self.hint(*constant);
            let (var, term) = self.bound_at(level, i, sort, &hint);
            vars.push(var);
            map.insert(*constant, term);
        }
        let mut body = self.terms.substitute(body, &map);
        let mut sets: Vec<Vec<Term>> = triggers
            .iter()
            .map(|set| set.iter().map(|t| self.terms.substitute(*t, &map)).collect())
            .collect();
        sets.retain(|set| self.is_trigger(set, &vars));
        // What was read is only known where it was read: others may want to know, too.
        if sets.is_empty() {
            sets = self.infer_triggers(body, &vars);
        } else if sets.iter().flatten().all(|t| self.symbols.is_read(&self.terms, *t)) {
            let mut more = self.infer_triggers(body, &vars);
            more.retain(|set| set.iter().all(|t| self.symbols.is_of_user(&self.terms, *t)));
            sets.extend(more);
        }
        if sets.is_empty() {
            (body, sets) = self.generalise(quantifier, level, &mut vars, body);
        }
        if name != "fun" {
            for set in &mut sets {
                for term in set {
                    *term = self.limit(*term);
                }
            }
        }
        let watched: Vec<Term> = sets.iter().flatten().filter_map(|t| self.watched(*t)).collect();
        let name = name.to_string();
        let formula =
            self.terms.quant(Quant { quantifier, vars, triggers: sets, body, name, weight });
        let all: Vec<Term> = watched.into_iter().chain([formula]).collect();
        self.terms.and(all)
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
    let mut reason = Reason::new("insufficient.permission", e, owner);
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
