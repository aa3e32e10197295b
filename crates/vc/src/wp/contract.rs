//! Code that is known by its contract, as guarded commands: calls and loops.
//!
//! All that is said of the code is said before it runs, of the variables and of new constants for what it leaves; then
//! these are assigned. So no copies of old values are needed.

use std::collections::{BTreeMap, BTreeSet};

use report::Span;
use smt::Term;
use spl::core::{
    BinOp, Clause, Expr, ExprKind, Ghost, LocalId, Name, Stmt, StmtKind, Target, Type,
};

use crate::assertion::Alternative;
use crate::effects::{self, Effects};
use crate::frame::Frame;
use crate::translate::{Env, HeapVar, Result, unsupported};
use crate::unit::State;
use crate::wp::Command;
use crate::wp::lower::Lowering;

type Sets = BTreeMap<Type, Term>;

/// How what is owned and the footprint of an assertion belong together.
pub(crate) enum Owned<'a> {
    /// They are the same.
    All(&'a Sets),
    /// The footprint is a part of it.
    Part(&'a Sets),
    /// The assertion is not about footprints.
    Any,
}

impl Lowering<'_> {
    /// An assertion that must hold, for some values of these constants.
    pub fn claim(
        &mut self,
        alternatives: &[Alternative],
        open: &[Term],
        owned: &Owned<'_>,
    ) -> Command {
        let mut cases = Vec::new();
        for alternative in alternatives {
            let mut alternative = alternative.clone();
            let mut vars = alternative.vars.clone();
            vars.extend(open);
            let vars = self.translator.determine(&mut alternative, &vars);
            let mut all: Vec<Term> = alternative.facts.iter().map(|fact| fact.term).collect();
            if let Owned::All(sets) | Owned::Part(sets) = owned {
                let types: BTreeSet<Type> =
                    sets.keys().chain(alternative.footprint.keys()).cloned().collect();
                for ty in types {
                    let logic = &mut self.translator.logic;
                    let nothing = logic.empty(&ty);
                    let footprint = alternative.footprint.get(&ty).copied().unwrap_or(nothing);
                    // Of a type that is not in play nothing is owned.
                    let mine = sets.get(&ty).copied().unwrap_or(nothing);
                    all.push(match owned {
                        Owned::Part(_) if sets.contains_key(&ty) => {
                            logic.subset(&ty, footprint, mine)
                        }
                        _ => logic.terms.eq(mine, footprint),
                    });
                }
            }
            let all = self.translator.logic.terms.and(all);
            cases.push(self.translator.exists(&vars, all));
        }
        Command::Assert(self.translator.logic.terms.or(cases))
    }

    /// What holds if an assertion does, on exactly these footprints.
    pub fn known(&mut self, alternatives: &[Alternative], owned: Option<&Sets>) -> Term {
        let mut cases = Vec::new();
        for alternative in alternatives {
            let mut all: Vec<Term> = alternative.facts.iter().map(|fact| fact.term).collect();
            for (ty, mine) in owned.into_iter().flatten() {
                let logic = &mut self.translator.logic;
                let nothing = logic.empty(ty);
                let footprint = alternative.footprint.get(ty).copied().unwrap_or(nothing);
                all.push(logic.terms.eq(*mine, footprint));
            }
            cases.push(self.translator.logic.terms.and(all));
        }
        self.translator.logic.terms.or(cases)
    }

    /// What a procedure must have achieved where it returns. Parameters are what they were.
    pub fn postcondition(&mut self) -> Result<Vec<Command>> {
        let procedure = self.procedure;
        let state = self.vars.clone();
        let mut locals = state.locals.clone();
        locals.extend(self.initial.iter().map(|(local, value)| (*local, *value)));
        // Clauses that are `free` need not be proved, unless they say what is owned and others do too.
        let spatial: Vec<&Clause> = procedure.ensures.iter().filter(|c| !c.mods.pure).collect();
        let promised = spatial.is_empty() || spatial.iter().any(|c| !c.mods.free);
        let proved = procedure.ensures.iter().filter(|c| match c.mods.pure {
            true => !c.mods.free,
            false => promised,
        });
        let ordered = |pure: bool| proved.clone().filter(move |c| c.mods.pure == pure);
        let clauses: Vec<&Clause> = ordered(false).chain(ordered(true)).collect();
        let old = self.old.clone();
        let env = Env { locals: locals.clone(), heap: &state.heap, old: &old };
        let alternatives = self.translator.clauses(&env, clauses)?;
        let implicit = procedure.returns.iter().filter(|r| r.ghost == Ghost::Implicit);
        let implicit: Vec<Term> = implicit.filter_map(|r| locals.get(&r.local).copied()).collect();
        let owned = match promised && !spatial.is_empty() {
            true => Owned::All(&state.footprint),
            false => Owned::Any,
        };
        let forests = self.forests(&state, None).into_iter().map(Command::Assert);
        let mut commands: Vec<Command> = forests.collect();
        commands.push(self.claim(&alternatives, &implicit, &owned));
        Ok(commands)
    }

    /// A call; its explicit results.
    pub fn call(
        &mut self,
        code: &mut Vec<Command>,
        name: &Name,
        args: &[Term],
        span: Span,
    ) -> Result<Vec<Term>> {
        let (Some(callee), Some(effects)) =
            (self.program.procedures.get(name), self.effects.get(name))
        else {
            return unsupported(span, "this call");
        };
        let ty = |local: LocalId| {
            callee.locals.get(local.0 as usize).map_or(Type::Int, |l| l.ty.clone())
        };
        let mut explicit = args.iter().copied();
        let mut implicit = Vec::new();
        let mut locals = BTreeMap::new();
        for param in &callee.params {
            let value = if param.ghost == Ghost::Implicit {
                implicit.push(self.any(&ty(param.local)));
                implicit.last().copied()
            } else {
                explicit.next()
            };
            let Some(value) = value else { return unsupported(span, "this call") };
            locals.insert(param.local, value);
        }
        let before = self.vars.clone();
        let env = Env { locals: locals.clone(), heap: &before.heap, old: &before.heap };
        // All but what is `free` and `pure`.
        let spatial = callee.requires.iter().filter(|c| !c.mods.pure);
        let pure = callee.requires.iter().filter(|c| c.mods.pure && !c.mods.free);
        let alternatives = self.translator.clauses(&env, spatial.chain(pure))?;
        code.extend(self.forests(&before, Some(&effects.types)).into_iter().map(Command::Assert));
        let part = self.hand_over(code, &alternatives, &implicit, &effects.types);
        let (after, left) = self.aftermath(code, &part, effects)?;
        let mut results = Vec::new();
        for result in &callee.returns {
            let value = self.any(&ty(result.local));
            locals.insert(result.local, value);
            if result.ghost != Ghost::Implicit {
                results.push(value);
            }
        }
        let env = Env { locals, heap: &after.heap, old: &before.heap };
        let alternatives = self.translator.clauses(&env, &callee.ensures)?;
        // Without a clause about it, nobody says what is left.
        let says = callee.ensures.iter().any(|c| !c.mods.pure);
        let known = self.known(&alternatives, says.then_some(&left));
        code.push(Command::Assume(known));
        self.become_state(code, &after);
        Ok(results)
    }

    /// Proves an assertion on some part of what is owned: that part.
    fn hand_over(
        &mut self,
        code: &mut Vec<Command>,
        alternatives: &[Alternative],
        open: &[Term],
        types: &BTreeSet<Type>,
    ) -> Sets {
        let mut owned = self.vars.footprint.clone();
        owned.retain(|ty, _| types.contains(ty));
        let claim = self.claim(alternatives, open, &Owned::Part(&owned));
        code.push(claim);
        let mut part = Sets::new();
        for (ty, all) in &owned {
            let set = self.any(&Type::Set(ty.clone().into()));
            let inside = self.translator.logic.subset(ty, set, *all);
            code.push(Command::Assume(inside));
            part.insert(ty.clone(), set);
        }
        let known = self.known(alternatives, Some(&part));
        code.push(Command::Assume(known));
        part
    }

    /// The state after code that owned a part, and what it leaves of that: `FR` of [PWZ13, Fig. 8].
    fn aftermath(
        &mut self,
        code: &mut Vec<Command>,
        part: &Sets,
        effects: &Effects,
    ) -> Result<(State, Sets)> {
        let before = self.vars.clone();
        let mut after = before.clone();
        let mut left = part.clone();
        for (ty, part) in part.iter().filter(|(ty, _)| effects.resizes.contains(*ty)) {
            let (Some(alloc), Some(owned)) = (before.alloc.get(ty), before.footprint.get(ty))
            else {
                continue;
            };
            let new = self.any(&Type::Set(ty.clone().into()));
            let logic = &mut self.translator.logic;
            // A' = X' ⊎ A \ X, and nil ∉ A'
            let rest = logic.difference(ty, *alloc, *part);
            let apart = logic.disjoint(ty, new, rest);
            let null = logic.null(ty);
            let is_in = logic.member(ty, null, new);
            let outside = logic.terms.not(is_in);
            code.extend([apart, outside].map(Command::Assume));
            after.alloc.insert(ty.clone(), logic.union(ty, rest, new));
            let frame = logic.difference(ty, *owned, *part);
            after.footprint.insert(ty.clone(), logic.union(ty, frame, new));
            left.insert(ty.clone(), new);
        }
        for var in &effects.writes {
            let new = self.translator.fresh_part(var);
            let Some(old) = after.heap.values.insert(var.clone(), new) else { continue };
            let Type::Map(key, value) = self.translator.heap_type(var) else { continue };
            let Some(allocated) = before.alloc.get(&*key).copied() else { continue };
            if matches!(var, HeapVar::Global(_)) {
                continue;
            }
            let nothing = self.translator.logic.empty(&key);
            let owned = part.get(&*key).copied().unwrap_or(nothing);
            let (key, value, before, after) = (&*key, &*value, old, new);
            let paths = self.translator.has_paths(var);
            let frame = Frame { key, value, before, after, owned, allocated, paths };
            let (values, paths) = self.translator.logic.frame(&frame);
            code.push(Command::Assume(values));
            code.extend(paths.into_iter().map(Command::Assume));
        }
        let facts = self.translator.frame_instances(&before.heap, &after.heap, |t, ty, foot| {
            let Some(allocated) = before.alloc.get(ty).copied() else {
                return t.logic.terms.bool(false);
            };
            let nothing = t.logic.empty(ty);
            let given = part.get(ty).copied().unwrap_or(nothing);
            let frame = t.logic.difference(ty, allocated, given);
            t.logic.subset(ty, foot, frame)
        })?;
        code.extend(facts.into_iter().map(Command::Assume));
        for (name, ty) in self.links() {
            let written = effects.writes.contains(&HeapVar::Field(name.clone()));
            if written || effects.resizes.contains(&ty) {
                let facts = self.forest(&after, &name, &ty);
                code.extend(facts.into_iter().map(Command::Assume));
            }
        }
        Ok((after, left))
    }

    /// A loop; its body is a triple of its own.
    pub fn while_loop(
        &mut self,
        code: &mut Vec<Command>,
        cond: &Expr,
        invariants: &[Clause],
        body: &Stmt,
        span: Span,
    ) -> Result<()> {
        let mut effectful = false;
        cond.walk(&mut |e| {
            effectful |=
                matches!(&*e.kind, ExprKind::Call(..) | ExprKind::New(_) | ExprKind::NewArray(..));
        });
        if effectful {
            // test := c; while (test) { s; test := c }
            let test = self.new_local(Type::Bool);
            let tested = Expr { kind: Box::new(ExprKind::Local(test)), ..cond.clone() };
            let value = self.condition(code, cond)?;
            code.push(self.assign_local(test, value));
            // Conditions are not checked for what they read, and neither is a conjunction.
            let yes = Expr { kind: Box::new(ExprKind::Bool(true)), ..cond.clone() };
            let again = ExprKind::Binary(BinOp::And, cond.clone(), yes);
            let again = Expr { kind: Box::new(again), ..cond.clone() };
            let kind = StmtKind::Assign(vec![Target::Local(test)], vec![again]);
            let again = Stmt { kind, span: cond.span };
            let body = StmtKind::Block(vec![body.clone(), again]);
            return self.while_loop(code, &tested, invariants, &Stmt { kind: body, span }, span);
        }
        self.body_triple(cond, invariants, body)?;
        let before = self.vars.clone();
        code.extend(self.forests(&before, None).into_iter().map(Command::Assert));
        let old = self.old.clone();
        let env = Env { locals: before.locals.clone(), heap: &before.heap, old: &old };
        let alternatives = self.translator.clauses(&env, invariants)?;
        let types = self.types.clone();
        let part = self.hand_over(code, &alternatives, &[], &types);
        let effects = effects::of_statement(self.program, self.effects, body);
        let (mut after, left) = self.aftermath(code, &part, &effects)?;
        for local in effects::assigned(body) {
            let value = self.any(&self.local_type(local));
            after.locals.insert(local, value);
        }
        let env = Env { locals: after.locals.clone(), heap: &after.heap, old: &old };
        let alternatives = self.translator.clauses(&env, invariants)?;
        let known = self.known(&alternatives, Some(&left));
        code.push(Command::Assume(known));
        let goes_on = self.translator.term(&env, cond)?;
        let ends = self.translator.logic.terms.not(goes_on);
        code.push(Command::Assume(ends));
        self.become_state(code, &after);
        Ok(())
    }

    /// `{I ∧ c} body {I}`, from any state, where nothing is known of what `old` is about.
    fn body_triple(&mut self, cond: &Expr, invariants: &[Clause], body: &Stmt) -> Result<()> {
        let outer = std::mem::take(&mut self.old);
        self.old = self.any_state().heap;
        let old = self.old.clone();
        let start = self.any_state();
        let mut code = self.beginning(&start)?;
        let env = Env { locals: start.locals.clone(), heap: &start.heap, old: &old };
        let alternatives = self.translator.clauses(&env, invariants)?;
        let known = self.known(&alternatives, Some(&start.footprint));
        let holds = self.translator.term(&env, cond)?;
        code.extend([known, holds].map(Command::Assume));
        self.become_state(&mut code, &start);
        self.lower(&mut code, body)?;
        let end = self.vars.clone();
        code.extend(self.forests(&end, None).into_iter().map(Command::Assert));
        let env = Env { locals: end.locals.clone(), heap: &end.heap, old: &old };
        let alternatives = self.translator.clauses(&env, invariants)?;
        let claim = self.claim(&alternatives, &[], &Owned::All(&end.footprint));
        code.push(claim);
        self.triples.push(Command::Seq(code));
        self.old = outer;
        Ok(())
    }
}
