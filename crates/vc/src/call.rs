//! Calls and loops: code that is known by its contract only.
//!
//! Both prove that the contract's footprint `F` is a part of what is owned, replace `F` by what the
//! code leaves, and keep the rest: [PWZ13, Fig. 8], the rule for `while` with `FR`. Any `F` that
//! satisfies the precondition will do, so the footprint need not be unique.

use std::collections::{BTreeMap, BTreeSet};

use report::Span;
use smt::Term;
use spl::core::{
    BinOp, Clause, Expr, ExprKind, Ghost, LocalId, Name, Stmt, StmtKind, Target, Type,
};

use crate::assertion::Alternative;
use crate::effects::{self, Effects};
use crate::frame::Frame;
use crate::termination::Value;
use crate::translate::{Env, Heap, HeapVar, Result, unsupported};
use crate::unit::{Blame, Choice, Path, Rule, Unit};

type Footprint = BTreeMap<Type, Term>;

/// The clauses that must be proved, and whether they say something about footprints.
fn checked(clauses: &[Clause], before: bool) -> (Vec<&Clause>, bool) {
    let spatial: Vec<&Clause> = clauses.iter().filter(|c| !c.mods.pure).collect();
    // A precondition that is `free` but not `pure` is checked all the same; a postcondition is not
    // if all of them are free.
    let free = !before && !spatial.is_empty() && spatial.iter().all(|c| c.mods.free);
    let mut all: Vec<&Clause> = if free { Vec::new() } else { spatial.clone() };
    all.extend(clauses.iter().filter(|c| c.mods.pure && !c.mods.free));
    (all, !free && (before || !spatial.is_empty()))
}

/// Does a contract say what is owned afterwards?
fn says_footprint(ensures: &[Clause]) -> bool {
    ensures.iter().any(|c| !c.mods.pure)
}

impl<'p> Unit<'p> {
    /// What a procedure owns after it, and what it promises.
    pub fn check_post(&mut self, path: &Path, span: Span) -> Result<()> {
        let procedure = self.procedure;
        let mut locals = path.state.locals.clone();
        // In a postcondition a parameter is what it was in the beginning.
        locals.extend(self.initial.iter().map(|(local, value)| (*local, *value)));
        for result in &procedure.returns {
            if let Some(value) = path.state.locals.get(&result.local) {
                locals.insert(result.local, *value);
            }
        }
        let (clauses, exact) = checked(&procedure.ensures, false);
        let old = self.entry.clone();
        let env = Env { locals: locals.clone(), heap: &path.state.heap, old: &old };
        let alternatives = self.translator.clauses(&env, clauses)?;
        // Implicit results are what there is.
        let implicit: Vec<Term> = procedure
            .returns
            .iter()
            .filter(|r| r.ghost == Ghost::Implicit)
            .filter_map(|r| locals.get(&r.local).copied())
            .collect();
        let message =
            format!("a postcondition of `{}` might not hold at this return point", procedure.name);
        let blame = Blame::new("postcondition.violated", span, message);
        self.check_ghosts(path, None, span, "at this return point");
        let owned = path.state.footprint.clone();
        let rule = exact.then_some((&owned, Rule::Exactly));
        let text = "this is the postcondition that might not hold";
        self.check_on(path, &alternatives, &implicit, rule, &blame, text);
        Ok(())
    }

    /// Calls a procedure; the values of its explicit results.
    pub fn call(
        &mut self,
        path: &mut Path,
        name: &Name,
        args: Vec<Term>,
        span: Span,
    ) -> Result<Vec<Term>> {
        let Some(callee) = self.program.procedures.get(name) else {
            return unsupported(span, "this call");
        };
        let Some(effects) = self.effects.get(name) else { return unsupported(span, "this call") };
        let ty = |local: LocalId| {
            callee.locals.get(local.0 as usize).map_or(Type::Int, |l| l.ty.clone())
        };
        let mut args = args.into_iter();
        let mut locals = BTreeMap::new();
        let mut implicit = Vec::new();
        for param in &callee.params {
            let value = match param.ghost {
                Ghost::Implicit => {
                    let value = self.fresh("implicit", &ty(param.local));
                    implicit.push(value);
                    value
                }
                _ => match args.next() {
                    Some(value) => value,
                    None => return unsupported(span, "this call"),
                },
            };
            locals.insert(param.local, value);
        }
        let before = path.state.heap.clone();
        let env = Env { locals: locals.clone(), heap: &before, old: &before };
        let (clauses, _) = checked(&callee.requires, true);
        let alternatives = self.translator.clauses(&env, clauses)?;
        let message = format!("a precondition for this call of `{name}` might not hold");
        let blame = Blame::new("call.precondition", span, message);
        let text = "this is the precondition that might not hold";
        let values: Vec<Value> = callee
            .params
            .iter()
            .filter_map(|p| Some(Value { ty: ty(p.local), term: *locals.get(&p.local)? }))
            .collect();
        self.check_ghosts(path, Some(effects), span, "before this call");
        let footprint = self.give(path, &alternatives, &implicit, &effects.types, &blame, text);
        // What is implicit is known only now.
        self.ask_call(path, name, &values, &alternatives, span);
        // What need not be proved may be used by the callee, not by us.
        let kept = self.replace(path, &footprint, effects)?;
        self.assume_ghosts_after(path, effects);
        let mut results = Vec::new();
        for result in &callee.returns {
            let value = self.fresh("result", &ty(result.local));
            locals.insert(result.local, value);
            if result.ghost != Ghost::Implicit {
                results.push(value);
            }
        }
        let env = Env { locals, heap: &path.state.heap, old: &before };
        let alternatives = self.translator.clauses(&env, &callee.ensures)?;
        let rule = says_footprint(&callee.ensures).then_some(&kept);
        self.assume_on(path, &alternatives, rule);
        Ok(results)
    }

    /// Proves an assertion on a part of what is owned: that part.
    fn give(
        &mut self,
        path: &Path,
        alternatives: &[Alternative],
        vars: &[Term],
        types: &BTreeSet<Type>,
        blame: &Blame,
        text: &str,
    ) -> Footprint {
        let owned: Footprint = path
            .state
            .footprint
            .iter()
            .filter(|(ty, _)| types.contains(*ty))
            .map(|(ty, set)| (ty.clone(), *set))
            .collect();
        let rule = Some((&owned, Rule::Part));
        self.check_on(path, alternatives, vars, rule, blame, text);
        let mut footprint = Footprint::new();
        for ty in owned.keys() {
            let set = Type::Set(ty.clone().into());
            footprint.insert(ty.clone(), self.translator.logic.fresh("F", &set));
        }
        // The assertion holds for some values: for these constants.
        self.assume_on(path, alternatives, Some(&footprint));
        for (ty, part) in &footprint {
            if let Some(all) = owned.get(ty) {
                let logic = &mut self.translator.logic;
                let inside = logic.subset(ty, *part, *all);
                // All that is owned is in the part or in the rest. By inclusion alone the solver would not ask
                // where a location is.
                let rest = logic.difference(ty, *all, *part);
                let both = logic.union(ty, *part, rest);
                let covers = logic.terms.eq(*all, both);
                self.assume(path, inside);
                self.hint(path, covers);
            }
        }
        footprint
    }

    /// Replaces what some code owned by what it leaves.
    fn replace(
        &mut self,
        path: &mut Path,
        footprint: &Footprint,
        effects: &Effects,
    ) -> Result<Footprint> {
        let before = path.state.clone();
        let mut left = Footprint::new();
        for (ty, part) in footprint {
            if !effects.resizes.contains(ty) {
                left.insert(ty.clone(), *part);
                continue;
            }
            let set = Type::Set(ty.clone().into());
            let new = self.translator.logic.fresh("F'", &set);
            left.insert(ty.clone(), new);
            let (Some(alloc), Some(owned)) =
                (before.alloc.get(ty).copied(), before.footprint.get(ty).copied())
            else {
                continue;
            };
            let logic = &mut self.translator.logic;
            // What it leaves it had, or it was not allocated.
            let others = logic.difference(ty, alloc, *part);
            let apart = logic.disjoint(ty, new, others);
            let null = logic.null(ty);
            let is_in = logic.member(ty, null, new);
            let outside = logic.terms.not(is_in);
            let rest = logic.difference(ty, owned, *part);
            let alloc = logic.union(ty, others, new);
            let owned = logic.union(ty, rest, new);
            self.assume(path, apart);
            self.assume(path, outside);
            path.state.alloc.insert(ty.clone(), alloc);
            path.state.footprint.insert(ty.clone(), owned);
        }
        for var in &effects.writes {
            let after = self.translator.fresh_part(var);
            let old = path.state.heap.values.insert(var.clone(), after);
            let (HeapVar::Field(_) | HeapVar::Contents(_), Some(old)) = (var, old) else {
                continue;
            };
            let Type::Map(key, value) = self.translator.heap_type(var) else { continue };
            let Some(allocated) = before.alloc.get(&*key).copied() else { continue };
            let empty = self.translator.logic.empty(&key);
            let owned = footprint.get(&*key).copied().unwrap_or(empty);
            let paths = self.translator.has_paths(var);
            let (key, value, before) = (&*key, &*value, old);
            let frame = Frame { key, value, before, after, owned, allocated, paths };
            let (values, paths) = self.translator.logic.frame(&frame);
            self.assume(path, values);
            for consequence in paths {
                self.late_hint(path, consequence);
            }
        }
        // Instances of predicates are the same if their footprints are allocated and not given away.
        let facts =
            self.translator.frame_instances(&before.heap, &path.state.heap, |t, ty, foot| {
                let Some(allocated) = before.alloc.get(ty).copied() else {
                    return t.logic.terms.bool(false);
                };
                let empty = t.logic.empty(ty);
                let given = footprint.get(ty).copied().unwrap_or(empty);
                let kept = t.logic.difference(ty, allocated, given);
                t.logic.subset(ty, foot, kept)
            })?;
        facts.into_iter().for_each(|fact| self.assume(path, fact));
        Ok(left)
    }

    /// A loop: its body is verified from the invariant and the condition alone.
    pub fn run_loop(
        &mut self,
        mut path: Path,
        cond: &Expr,
        invariants: &[Clause],
        body: &Stmt,
        span: Span,
    ) -> Result<Path> {
        let mut effectful = false;
        cond.walk(&mut |e| {
            effectful |=
                matches!(&*e.kind, ExprKind::Call(..) | ExprKind::New(_) | ExprKind::NewArray(..));
        });
        if effectful {
            // c; while (c) s  is  t := c; while (t) { s; t := c }
            let test = self.new_local(Type::Bool);
            let value = Expr {
                kind: Box::new(ExprKind::Binary(
                    BinOp::And,
                    cond.clone(),
                    Expr { kind: Box::new(ExprKind::Bool(true)), ty: Type::Bool, span },
                )),
                ..cond.clone()
            };
            let assign = StmtKind::Assign(vec![Target::Local(test)], vec![value]);
            let assign = Stmt { kind: assign, span: cond.span };
            let body = StmtKind::Block(vec![body.clone(), assign.clone()]);
            let body = Stmt { kind: body, span };
            let cond =
                Expr { kind: Box::new(ExprKind::Local(test)), ty: Type::Bool, span: cond.span };
            let mut paths = self.exec(vec![path], &assign)?;
            let Some(path) = paths.pop() else { return unsupported(span, "this condition") };
            return self.run_loop(path, &cond, invariants, &body, span);
        }
        let effects = effects::of_statement(self.program, self.effects, body);
        let types = self.types.clone();
        self.loop_body(&path, cond, invariants, body, span)?;
        self.check_ghosts(&path, None, span, "before this loop");

        let old = self.entry.clone();
        let locals = path.state.locals.clone();
        let env = Env { locals, heap: &path.state.heap, old: &old };
        let alternatives = self.translator.clauses(&env, invariants)?;
        let message = "an invariant might not hold before entering this loop";
        let blame = Blame::new("invariant.not.established", span, message);
        let text = "this is the loop invariant that might not hold";
        let footprint = self.give(&path, &alternatives, &[], &types, &blame, text);
        let left = self.replace(&mut path, &footprint, &effects)?;
        self.assume_ghosts_after(&path, &effects);
        let assigned = effects::assigned(body);
        let known: Vec<LocalId> = path.state.locals.keys().copied().collect();
        for local in known.into_iter().filter(|local| assigned.contains(local)) {
            let ty = self.local_type(local);
            let name = self.procedure.locals.get(local.0 as usize);
            let name = name.map_or("temp".into(), |l| l.name.clone());
            let value = self.fresh(&name, &ty);
            path.state.locals.insert(local, value);
        }
        let locals = path.state.locals.clone();
        let env = Env { locals: locals.clone(), heap: &path.state.heap, old: &old };
        let alternatives = self.translator.clauses(&env, invariants)?;
        self.assume_on(&path, &alternatives, Some(&left));
        let heap = path.state.heap.clone();
        let cond = self.formula(locals, &heap, cond)?;
        let not = self.translator.logic.terms.not(cond);
        self.assume(&path, not);
        Ok(path)
    }

    /// From any state in which the invariant holds on what is owned, the body leads to one in which it
    /// holds on exactly what is owned then.
    fn loop_body(
        &mut self,
        outside: &Path,
        cond: &Expr,
        invariants: &[Clause],
        body: &Stmt,
        span: Span,
    ) -> Result<()> {
        let state = self.arbitrary(outside.state.locals.keys().copied().collect::<Vec<_>>());
        let entry: Heap = self.arbitrary([]).heap;
        let entry = std::mem::replace(&mut self.entry, entry);
        let path = self.start(state);
        if let Some(step) = self.steps.get_mut(path.node) {
            step.choice = Some((cond.span, Choice::Iteration));
        }
        self.assume_everywhere(&path)?;
        self.assume_allocated(&path);
        let old = self.entry.clone();
        let env = Env { locals: path.state.locals.clone(), heap: &path.state.heap, old: &old };
        let alternatives = self.translator.clauses(&env, invariants)?;
        self.assume_on(&path, &alternatives, Some(&path.state.footprint.clone()));
        let holds = self.formula(path.state.locals.clone(), &path.state.heap.clone(), cond)?;
        self.assume(&path, holds);
        let number = self.enter_loop();
        let values = self.values_in(&path, cond);
        let before = match number {
            Some(_) => self.candidates(&values, &path.state.heap, &alternatives),
            None => Vec::new(),
        };
        let ends = self.exec(vec![path], body)?;
        for end in ends {
            let old = self.entry.clone();
            let env = Env { locals: end.state.locals.clone(), heap: &end.state.heap, old: &old };
            let alternatives = self.translator.clauses(&env, invariants)?;
            self.check_ghosts(&end, None, span, "at the end of this loop");
            if let Some(number) = number {
                let values = self.values_in(&end, cond);
                let after = self.candidates(&values, &end.state.heap, &alternatives);
                self.ask_turn(&end, number, span, &before, &after);
            }
            let message = "an invariant might not be maintained by this loop";
            let blame = Blame::new("invariant.not.preserved", span, message);
            let text = "this is the loop invariant that might not be maintained";
            let owned = end.state.footprint.clone();
            let rule = Some((&owned, Rule::Exactly));
            self.check_on(&end, &alternatives, &[], rule, &blame, text);
        }
        self.entry = entry;
        Ok(())
    }
}
