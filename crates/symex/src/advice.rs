//! What to do about permission that is missing, where that is known. Each piece of advice is a claim,
//! and is tried before it is given: a predicate is unfolded, a precondition added and the member
//! verified again (in [`crate::unit`]).

use std::sync::Arc;
use std::time::{Duration, Instant};

use report::{Diagnostic, Pos};
use smt::Term;
use viper::core::{Expr, ExprKind, Local, Resource, Type};

use crate::diagnostics::{
    Blame, Candidate, ErrorKind, Reason, Shortage, Unproved, free_locals, in_words_of_member, root,
    shorten,
};
use crate::executor::Executor;
use crate::heap::Instance;
use crate::prover::Run;
use crate::state::{Chunk, Owner, ResourceId, State};
use crate::stats::Purpose;

/// Work for one question.
const WORK: u64 = 500_000;
/// Time for all advice of a unit.
const PATIENCE: Duration = Duration::from_millis(500);
/// Predicates that are unfolded to see what is in them.
const PREDICATES: usize = 8;
/// How often a member is verified again.
const CANDIDATES: usize = 3;

/// Says what helps against an error, or leaves a precondition to be tried.
pub(crate) fn advise(
    executor: &mut Executor<'_>,
    state: &State,
    unproved: &Unproved,
    reason: &Reason,
    diagnostic: &mut Diagnostic,
) {
    executor.advise(state, unproved, reason, diagnostic);
}

impl Executor<'_> {
    fn advise(
        &mut self,
        state: &State,
        unproved: &Unproved,
        reason: &Reason,
        diagnostic: &mut Diagnostic,
    ) {
        let Some(shortage) = unproved.shortage.as_ref() else { return };
        if self.diagnostics.advice_time() > PATIENCE || diagnostic.help.is_some() {
            return;
        }
        let started = Instant::now();
        diagnostic.help = self
            .folded(state, shortage)
            .or_else(|| self.unfolded(state, shortage, reason))
            .or_else(|| self.lost_in_loop(state, shortage, reason));
        let try_precondition = diagnostic.help.is_none()
            && self.diagnostics.candidates().len() < CANDIDATES
            && !self.held_at_first(state, shortage);
        self.diagnostics.spend_on_advice(started.elapsed());
        if try_precondition && let Some(mut candidate) = self.precondition(state, reason) {
            candidate.id = diagnostic.id.to_string();
            candidate.pos = diagnostic.pos;
            self.diagnostics.add_candidate(candidate);
        }
    }

    /// Does something without leaving a trace.
    fn aside<R>(&mut self, f: impl FnOnce(&mut Self) -> Run<R>) -> Option<R> {
        let unfolded = self.unfolded.len();
        let before = self.begin_aside(WORK);
        let result = f(self);
        self.end_aside(before);
        self.unfolded.truncate(unfolded);
        self.diagnostics.take_unproved();
        result.ok()
    }

    /// Is it in a predicate instance that is held?
    fn folded(&mut self, state: &State, shortage: &Shortage) -> Option<String> {
        let held: Vec<(usize, Chunk)> = shortage
            .heap
            .chunks()
            .iter()
            .cloned()
            .enumerate()
            .filter(|(_, c)| matches!(c.resource, ResourceId::Predicate(_)))
            .take(PREDICATES)
            .collect();
        for (index, chunk) in held {
            let ResourceId::Predicate(predicate) = chunk.resource else { continue };
            let decl = self.program.predicate(predicate);
            let Some(args) = self.names_of_terms(state, &chunk.args) else { continue };
            if decl.body.is_none() {
                continue;
            }
            let blame = Blame::new(ErrorKind::UnfoldFailed, Pos::None);
            let given = self.aside(|this| {
                let mut state = state.clone();
                state.heap = shortage.heap.clone();
                this.explore(&mut state, |this, s| {
                    s.heap.remove(index);
                    let (args, snap) = (chunk.args.clone(), chunk.snap);
                    let instance = Instance { predicate, args, snap };
                    this.produce_body(s, instance, &[], chunk.perm, &blame)?;
                    let Shortage { resource, args, amount, some, .. } = shortage;
                    let held = this.held(&s.heap, resource.at(args));
                    let enough = this.enough(held, *amount, *some);
                    this.prove(s, Purpose::Permission, enough)
                })
            });
            if given.is_some_and(|outcomes| outcomes.iter().all(|outcome| outcome.value)) {
                let name = decl.name.as_str();
                let instance = format!("{name}({})", args.join(", "));
                let folded = format!("`{instance}` is held folded");
                return Some(match root(state).0 {
                    Owner::Method(_) => format!("{folded}: unfold it first"),
                    Owner::Function(_) | Owner::Predicate(_) => {
                        format!("{folded}: read it with `unfolding {instance} in …`")
                    }
                });
            }
        }
        None
    }

    /// Is it a predicate instance whose body is held?
    fn unfolded(&mut self, state: &State, shortage: &Shortage, reason: &Reason) -> Option<String> {
        let Shortage { resource, args, amount, some, heap } = shortage;
        let ResourceId::Predicate(predicate) = *resource else { return None };
        let body = self.program.predicate(predicate).body.as_ref()?;
        let in_method = matches!(root(state).0, Owner::Method(_));
        if *some || !in_method || *args == self.formals(*resource) {
            return None;
        }
        let text = self.permission_wording(state, reason)?;
        let blame = Blame::new(ErrorKind::FoldFailed, Pos::None);
        self.aside(|this| {
            let mut state = state.clone();
            this.explore(&mut state, |this, s| {
                let mut inner =
                    s.enter(this.program, Owner::Predicate(predicate), args, Vec::new());
                inner.mode.scale = this.scaled_by(*amount);
                this.consume_scaled(&mut inner, &mut heap.clone(), body, *amount, &blame)
            })
        })?;
        Some(format!("`{text}` is held unfolded: fold it first"))
    }

    /// Does the precondition give some of it already? Then more of it is hardly what is meant; two
    /// instances of a predicate may contradict each other without anybody noticing.
    fn held_at_first(&mut self, state: &State, shortage: &Shortage) -> bool {
        let Some(old) = &state.old else { return false };
        let Shortage { resource, args, amount, .. } = shortage;
        let given = self.aside(|this| {
            let held = this.held(old, resource.at(args));
            let some = this.enough(held, *amount, true);
            this.prove(state, Purpose::Permission, some)
        });
        given == Some(true)
    }

    /// Was it held before the loop in which it is missing?
    fn lost_in_loop(
        &mut self,
        state: &State,
        shortage: &Shortage,
        reason: &Reason,
    ) -> Option<String> {
        let text = self.permission_wording(state, reason)?;
        for frame in state.frames.iter() {
            let found = self.aside(|this| {
                let Shortage { resource, args, amount, some, heap } = shortage;
                let (here, there) =
                    (this.held(heap, resource.at(args)), this.held(frame, resource.at(args)));
                let held = this.terms.add(here, there);
                let enough = this.enough(held, *amount, *some);
                this.prove(state, Purpose::Permission, enough)
            });
            if found == Some(true) {
                return Some(format!("the loop invariant does not keep `{text}`"));
            }
        }
        None
    }

    /// The permission that is missing, if it can be asked for in the precondition of the method.
    fn precondition(&self, state: &State, reason: &Reason) -> Option<Candidate> {
        let (assertion, locals, owner) = self.missing_permission(state, reason)?;
        let Owner::Method(id) = owner else { return None };
        let method = self.program.method(id);
        let is_param = free_locals(&assertion).iter().all(|local| local.0 < method.params);
        let elsewhere = |e: &Expr| {
            matches!(e.kind, ExprKind::Old(..) | ExprKind::Result | ExprKind::Perm(_))
                || matches!(e.kind, ExprKind::ForPerm(..) | ExprKind::InhaleExhale(..))
        };
        // The methods that plugins make have no precondition that a user could change.
        if !is_param
            || method.proof_of.is_some()
            || method.body.is_none()
            || assertion.any(elsewhere)
        {
            return None;
        }
        let text = self.permission_wording(state, reason)?;
        Some(Candidate { method: id, id: String::new(), pos: Pos::None, assertion, locals, text })
    }

    /// What is missing, as an assertion of the member that is verified.
    fn missing_permission(
        &self,
        state: &State,
        reason: &Reason,
    ) -> Option<(Arc<Expr>, Vec<Local>, Owner)> {
        let (expr, owner) = reason.expr.as_ref()?;
        let permission = match &expr.kind {
            ExprKind::Field(receiver, field) => {
                let resource = Resource::Field(Arc::clone(receiver), *field, Pos::None);
                Expr::new(ExprKind::Acc(resource, None), Type::Bool, Pos::None)
            }
            ExprKind::Acc(..) | ExprKind::Wand(_) | ExprKind::Quant { .. } => Arc::clone(expr),
            _ => return None,
        };
        match &state.caller {
            Some(caller) => in_words_of_member(self.program, &permission, *owner, caller),
            None => Some((permission, owner.locals(self.program).to_vec(), *owner)),
        }
    }

    /// The same as text: `acc(x.f)`, `list(x)`.
    fn permission_wording(&self, state: &State, reason: &Reason) -> Option<String> {
        let (permission, locals, owner) = self.missing_permission(state, reason)?;
        let labels = owner.labels(self.program);
        let text = match &permission.kind {
            ExprKind::Acc(resource @ Resource::Predicate(..), None) => {
                viper::unparse::resource_text(self.program, &locals, labels, resource)
            }
            _ => viper::unparse::expr_text(self.program, &locals, labels, &permission),
        };
        Some(shorten(&text, 100))
    }

    /// How the member that is verified would write values.
    fn names_of_terms(&mut self, state: &State, terms: &[Term]) -> Option<Vec<String>> {
        let (owner, store) = root(state);
        let locals = owner.locals(self.program);
        let variables: Vec<(String, Term)> = store
            .values()
            .filter_map(|(id, value)| Some((locals.get(id.index())?, value)))
            .filter(|(local, _)| local.is_written())
            .map(|(local, value)| (local.name.to_string(), value))
            .collect();
        let mut fields = Vec::new();
        for chunk in state.heap.chunks() {
            if let ResourceId::Field(field) = chunk.resource {
                let sort = self.field_sort(field);
                let value = self.unwrap(chunk.snap, sort);
                fields.push((chunk.args[0], field, value));
            }
        }
        terms.iter().map(|term| self.name_of(*term, &variables, &fields, 3)).collect()
    }

    fn name_of(
        &self,
        term: Term,
        variables: &[(String, Term)],
        fields: &[(Term, viper::core::FieldId, Term)],
        depth: usize,
    ) -> Option<String> {
        if term == self.null() {
            return Some("null".to_string());
        }
        if let Some((name, _)) = variables.iter().find(|(_, value)| *value == term) {
            return Some(name.clone());
        }
        match self.terms.node(term) {
            smt::Node::Int(i) => return Some(i.to_string()),
            smt::Node::Bool(b) => return Some(b.to_string()),
            _ => {}
        }
        let (object, field, _) = fields.iter().find(|(_, _, value)| *value == term)?;
        let object = self.name_of(*object, variables, fields, depth.checked_sub(1)?)?;
        Some(format!("{object}.{}", self.program.field(*field).name.as_str()))
    }
}
