//! What is found out of definitions before procedures are verified: whether the footprint of a predicate
//! is determined, whether it depends on nothing else, where a recursive function is defined.
//!
//! Nothing here is an error. What is not found out is not used.

use std::collections::{BTreeMap, BTreeSet};

use smt::{Limits, Term};
use spl::core::{BinOp, Expr, ExprKind, Name, Predicate, Program, Type, UnOp};

use crate::definitions::{Definition, Definitions, Dependency, Domain, used};
use crate::frame::Frame;
use crate::predicate::params;
use crate::prove::{Effort, Prover, Solvers};
use crate::termination::{Descent, Value, end};
use crate::translate::{Env, Heap, HeapVar, Result, Translator};
use crate::unit::{Item, Step};

/// Work for one question.
const WORK: u64 = 2_000_000;

/// Questions about definitions, with their own solver.
pub(crate) struct Questions<'a> {
    pub program: &'a Program,
    pub solvers: &'a mut Solvers,
    pub limits: Limits,
}

impl Questions<'_> {
    /// All that is to be known of the definitions of a program.
    pub fn answer(&mut self) -> Definitions {
        let mut definitions = Definitions::new(self.program);
        let needed = needed(self.program, &definitions);
        let program = self.program;
        let predicates: Vec<&Predicate> = program
            .predicates
            .values()
            .filter(|p| p.spatial && definitions.is_symbol(p) && needed.contains(&p.name))
            .collect();
        self.precise(&mut definitions, &predicates);
        self.framed(&mut definitions, &predicates);
        let mut functions: Vec<Name> = definitions
            .recursive
            .iter()
            .filter(|name| !definitions.footprints.contains_key(*name) && needed.contains(*name))
            .cloned()
            .collect();
        functions.sort_by_key(|name| definitions.uses.get(name).map_or(0, BTreeSet::len));
        for name in functions {
            if !definitions.domains.contains_key(&name) {
                self.domains(&mut definitions, &name);
                self.find_regions(&mut definitions, &name);
            }
        }
        definitions
    }

    /// The answers to some questions. A solver that fails answers no.
    pub fn ask(
        &mut self,
        translator: &mut Translator<'_>,
        steps: &[Step],
    ) -> BTreeMap<usize, bool> {
        let limits = Limits { rlimit: Some(WORK), ..self.limits };
        let effort = Effort { limits, second: 0, heaps: false };
        let answers = Prover::prove(&mut translator.logic, self.solvers, effort, steps, None);
        self.solvers.walk.reset();
        answers.map(|outcome| outcome.probes).unwrap_or_default()
    }

    // --- Predicates

    /// Which footprints are determined by heap and arguments, and which arguments by the others. Each
    /// predicate starts with the strongest claim; all are proved together, by induction on ranks.
    fn precise(&mut self, definitions: &mut Definitions, predicates: &[&Predicate]) {
        let mut claims: BTreeMap<Name, Vec<Dependency>> = BTreeMap::new();
        for predicate in predicates.iter().filter(|p| p.body.is_some()) {
            claims.insert(predicate.name.clone(), claims_of(predicate));
        }
        loop {
            definitions.determined = claims
                .iter()
                .filter_map(|(name, claims)| Some((name.clone(), claims.last()?.clone())))
                .collect();
            let mut wrong = Vec::new();
            for predicate in predicates {
                let Some(claim) = definitions.determined.get(&predicate.name) else { continue };
                if !self.is_precise(definitions, predicate, claim).unwrap_or(false) {
                    wrong.push(predicate.name.clone());
                }
            }
            if wrong.is_empty() {
                break;
            }
            for name in wrong {
                if let Some(claims) = claims.get_mut(&name) {
                    claims.pop();
                }
            }
        }
        definitions.precise = definitions.determined.keys().cloned().collect();
    }

    fn is_precise(
        &mut self,
        definitions: &Definitions,
        predicate: &Predicate,
        claim: &Dependency,
    ) -> Result<bool> {
        let mut translator = Translator::new(self.program, definitions);
        let t = &mut translator;
        let Some(predicate) = t.program.predicates.get(&predicate.name) else { return Ok(false) };
        let heap = some_heap(t, &predicate.name);
        let mut one = Vec::new();
        let mut two = Vec::new();
        let mut equal = Vec::new();
        for (index, (local, ty)) in params(predicate).into_iter().enumerate() {
            let arg = t.logic.fresh("arg", &ty);
            let output = claim.outputs.contains(&index);
            let differs = output || claim.free.contains(&index);
            let other = if differs { t.logic.fresh("arg", &ty) } else { arg };
            one.push((local, arg));
            two.push((local, other));
            if output {
                equal.push(t.logic.terms.eq(arg, other));
            }
        }
        let first = t.definition_body(predicate, &heap, &one)?;
        let second = t.definition_body(predicate, &heap, &two)?;
        let types = definitions.footprints.get(&predicate.name).cloned().unwrap_or_default();
        let mut steps = Vec::new();
        for a in &first {
            for b in &second {
                let mut goals = equal.clone();
                for ty in &types {
                    let (mine, other) = (t.set_of(a, ty), t.set_of(b, ty));
                    goals.push(t.logic.terms.eq(mine, other));
                }
                let goal = t.logic.terms.and(goals);
                if t.logic.terms.as_bool(goal) == Some(true) {
                    continue;
                }
                let mut items: Vec<Item> = Vec::new();
                items.extend(a.facts.iter().chain(&b.facts).map(|f| Item::Assume(f.term)));
                items.push(Item::Probe(steps.len(), goal));
                steps.push(Step { items, ..Step::default() });
            }
        }
        let answers = self.ask(t, &steps);
        Ok((0..steps.len()).all(|n| answers.get(&n) == Some(&true)))
    }

    /// Which predicates depend on nothing outside of their footprints. One without a body does so by
    /// what it is. All others are proved together, by induction on ranks.
    fn framed(&mut self, definitions: &mut Definitions, predicates: &[&Predicate]) {
        definitions.framed = predicates.iter().map(|p| p.name.clone()).collect();
        loop {
            let mut wrong = Vec::new();
            for predicate in predicates.iter().filter(|p| p.body.is_some()) {
                if definitions.framed.contains(&predicate.name)
                    && !self.is_framed(definitions, predicate).unwrap_or(false)
                {
                    wrong.push(predicate.name.clone());
                }
            }
            if wrong.is_empty() {
                return;
            }
            definitions.framed.retain(|name| !wrong.contains(name));
        }
    }

    /// In two heaps that agree on the footprint of one of its alternatives, the predicate holds in both,
    /// with the same footprint.
    fn is_framed(&mut self, definitions: &Definitions, predicate: &Predicate) -> Result<bool> {
        let mut translator = Translator::new(self.program, definitions);
        let t = &mut translator;
        let Some(predicate) = t.program.predicates.get(&predicate.name) else { return Ok(false) };
        let one = some_heap(t, &predicate.name);
        let mut two = some_heap(t, &predicate.name);
        for (var, value) in &one.values {
            if matches!(var, HeapVar::Global(_)) {
                two.values.insert(var.clone(), *value);
            }
        }
        let mut args = Vec::new();
        for (local, ty) in params(predicate) {
            args.push((local, t.logic.fresh("arg", &ty)));
        }
        let first = t.definition_body(predicate, &one, &args)?;
        let second = t.definition_body(predicate, &two, &args)?;
        let types = definitions.footprints.get(&predicate.name).cloned().unwrap_or_default();
        let mut steps = Vec::new();
        for (index, here) in first.iter().enumerate() {
            let mut items: Vec<Item> = here.facts.iter().map(|f| Item::Assume(f.term)).collect();
            for (var, before) in &one.values {
                let Type::Map(key, value) = t.heap_type(var) else { continue };
                let (HeapVar::Field(_) | HeapVar::Contents(_), Some(after)) =
                    (var, two.values.get(var).copied())
                else {
                    continue;
                };
                let owned = t.logic.empty(&key);
                let allocated = t.set_of(here, &key);
                let (key, value, before) = (&*key, &*value, *before);
                let paths = t.has_paths(var);
                let frame = Frame { key, value, before, after, owned, allocated, paths };
                let (values, paths) = t.logic.frame(&frame);
                items.push(Item::Assume(values));
                items.extend(paths.into_iter().map(Item::Late));
            }
            let facts = t.frame_instances(&one, &two, |t, ty, foot| {
                let all = t.set_of(here, ty);
                t.logic.subset(ty, foot, all)
            })?;
            items.extend(facts.into_iter().map(Item::Assume));
            let mut either = Vec::new();
            for (other, there) in second.iter().enumerate() {
                let mut all: Vec<Term> = there.facts.iter().map(|f| f.term).collect();
                for ty in &types {
                    let (mine, its) = (t.set_of(here, ty), t.set_of(there, ty));
                    all.push(t.logic.terms.eq(mine, its));
                }
                let all = t.logic.terms.and(all);
                if other == index && here.vars.len() == there.vars.len() && !here.vars.is_empty() {
                    // The same values are a good guess.
                    let map = there.vars.iter().copied().zip(here.vars.iter().copied()).collect();
                    either.push(substitute(t, all, &map));
                }
                either.push(t.exists(&there.vars, all));
            }
            let goal = t.logic.terms.or(either);
            let goal = t.extensional_goal(goal, true);
            items.push(Item::Probe(index, goal));
            steps.push(Step { items, ..Step::default() });
        }
        let answers = self.ask(t, &steps);
        Ok((0..steps.len()).all(|n| answers.get(&n) == Some(&true)))
    }

    // --- Functions

    /// Where a recursive function, with those that it is defined together with, is defined.
    fn domains(&mut self, definitions: &mut Definitions, name: &Name) {
        let members: Vec<Name> = definitions
            .recursive
            .iter()
            .filter(|other| definitions.together(name, other))
            .cloned()
            .collect();
        let found: Vec<Definition<'_>> =
            members.iter().filter_map(|n| Definition::find(self.program, n)).collect();
        let boolean = found.iter().all(|d| d.result_type() == Type::Bool);
        let positive =
            found.iter().filter_map(|d| d.body()).all(|b| is_positive(b, &members, true));
        let mut domains = Vec::new();
        if boolean && positive {
            // Truth has a least fixpoint.
            domains.push(Domain::Truth);
        } else {
            for domain in candidates(self.program, definitions, &found) {
                if self.ends(definitions, &members, &domain).unwrap_or(false) {
                    domains.push(domain);
                    if domains.first() == Some(&Domain::Everywhere) {
                        break;
                    }
                }
            }
        }
        for member in members {
            definitions.domains.insert(member, domains.clone());
        }
    }

    /// Does the recursion end for arguments in this domain, without leaving it?
    fn ends(
        &mut self,
        definitions: &Definitions,
        members: &[Name],
        domain: &Domain,
    ) -> Result<bool> {
        let mut translator = Translator::new(self.program, definitions);
        let t = &mut translator;
        t.in_definition = true;
        let mut steps = Vec::new();
        let mut closed = Vec::new();
        let mut questions: Vec<Vec<(String, usize, usize)>> = Vec::new();
        let mut next = 0;
        for name in members {
            let Some(definition) = Definition::find(t.program, name) else { return Ok(false) };
            let Some(body) = definition.body() else { continue };
            let heap = some_heap(t, name);
            let types = definition.param_types();
            let args: Vec<Term> = types.iter().map(|ty| t.logic.fresh("arg", ty)).collect();
            let inside = t.domain(definition, domain, &heap, &args)?;
            let before = measures(t, definition, domain, &heap, &args)?;
            let locals = definition.params().iter().map(|p| p.local).zip(args).collect();
            let env = Env { locals, heap: &heap, old: &heap };
            let mut calls = Vec::new();
            recursive_calls(t, &env, body, members, &mut vec![inside], &mut calls)?;
            for call in calls {
                let Some(callee) = Definition::find(t.program, &call.name) else { continue };
                let stays = t.domain(callee, domain, &heap, &call.args)?;
                let after = measures(t, callee, domain, &heap, &call.args)?;
                let mut items: Vec<Item> = call.path.into_iter().map(Item::Assume).collect();
                let mut mine = Vec::new();
                let mut probe = |items: &mut Vec<Item>, goal: Term| {
                    items.push(Item::Probe(next, goal));
                    next += 1;
                    next - 1
                };
                closed.push(probe(&mut items, stays));
                for (kind, [smaller, same]) in t.questions(&before, &after) {
                    mine.push((kind, probe(&mut items, smaller), probe(&mut items, same)));
                }
                questions.push(mine);
                steps.push(Step { items, ..Step::default() });
            }
        }
        let answers = self.ask(t, &steps);
        let yes = |n: usize| answers.get(&n) == Some(&true);
        let descents: Vec<Descent> = questions
            .into_iter()
            .map(|mine| Descent {
                found: mine.into_iter().map(|(kind, a, b)| (kind, (yes(a), yes(b)))).collect(),
            })
            .collect();
        Ok(closed.into_iter().all(yes) && end(&descents.iter().collect::<Vec<_>>()))
    }
}

/// Predicates and functions that some procedure or axiom uses, directly or not.
fn needed(program: &Program, definitions: &Definitions) -> BTreeSet<Name> {
    let mut found = BTreeSet::new();
    let mut add = |e: &Expr| found.extend(used(e));
    for procedure in program.procedures.values() {
        procedure.requires.iter().chain(&procedure.ensures).for_each(|c| add(&c.expr));
        if let Some(body) = &procedure.body {
            body.walk(&mut |s| s.each_expr(&mut |e| add(e)));
        }
    }
    program.axioms.iter().for_each(|a| add(&a.expr));
    // Functions with bodies are verified by themselves.
    found.extend(program.functions.values().filter(|f| f.body.is_some()).map(|f| f.name.clone()));
    let direct: Vec<Name> = found.iter().cloned().collect();
    for name in direct {
        found.extend(definitions.rests_on.get(&name).into_iter().flatten().cloned());
    }
    found
}

/// What might be determined, the last is tried first. References rarely are.
fn claims_of(predicate: &Predicate) -> Vec<Dependency> {
    let values: BTreeSet<usize> = params(predicate)
        .iter()
        .enumerate()
        .filter(|(_, (_, ty))| !ty.is_reference())
        .map(|(index, _)| index)
        .collect();
    let none = BTreeSet::new();
    let mut claims = vec![Dependency::default()];
    if values.is_empty() {
        return claims;
    }
    claims.push(Dependency { outputs: none.clone(), free: values.clone() });
    if values.len() > 1 {
        let single = |index: &usize| BTreeSet::from([*index]);
        for index in &values {
            claims.push(Dependency { outputs: single(index), free: none.clone() });
        }
        for index in &values {
            let others = values.iter().copied().filter(|other| other != index).collect();
            claims.push(Dependency { outputs: single(index), free: others });
        }
    }
    claims.push(Dependency { outputs: values, free: none });
    claims
}

/// Constants for the parts of the heap that a definition reads.
pub(crate) fn some_heap(t: &mut Translator<'_>, name: &Name) -> Heap {
    let mut heap = Heap::default();
    for var in t.definitions.reads.get(name).cloned().unwrap_or_default() {
        let value = t.fresh_part(&var);
        heap.values.insert(var, value);
    }
    heap
}

fn substitute(
    t: &mut Translator<'_>,
    term: Term,
    map: &std::collections::HashMap<Term, Term>,
) -> Term {
    t.logic.terms.substitute(term, map)
}

/// Domains to try: the largest first.
fn candidates(
    program: &Program,
    definitions: &Definitions,
    found: &[Definition<'_>],
) -> Vec<Domain> {
    let mut all = vec![Domain::Everywhere];
    let required =
        |d: &Definition<'_>| matches!(d, Definition::Function(f) if !f.requires.is_empty());
    if found.iter().any(required) {
        all.push(Domain::Required);
    }
    let Some(first) = found.first() else { return all };
    for (param, ty) in first.param_types().iter().enumerate() {
        let Type::Struct(owner) = ty else { continue };
        for field in program.structs.get(owner).into_iter().flatten() {
            let link = program.fields.get(field).is_some_and(|f| f.ty == *ty);
            if link && reads(definitions, first.name(), field) {
                all.push(Domain::Path { field: field.clone(), param });
            }
        }
        for predicate in program.predicates.values() {
            let one = params(predicate);
            let fits = one.len() == 1 && one.iter().all(|(_, t)| t == ty);
            let reads_less = definitions.reads.get(&predicate.name).is_some_and(|mine| {
                definitions.reads.get(first.name()).is_some_and(|reads| mine.is_subset(reads))
            });
            if predicate.spatial && fits && reads_less && definitions.is_symbol(predicate) {
                all.push(Domain::Holds { predicate: predicate.name.clone(), param });
            }
        }
    }
    all
}

fn reads(definitions: &Definitions, name: &Name, field: &Name) -> bool {
    let var = HeapVar::Field(field.clone());
    definitions.reads.get(name).is_some_and(|reads| reads.contains(&var))
}

/// What may get smaller in a recursion.
fn measures<'p>(
    t: &mut Translator<'p>,
    definition: Definition<'p>,
    domain: &Domain,
    heap: &Heap,
    args: &[Term],
) -> Result<Vec<crate::termination::Measure>> {
    let types = definition.param_types();
    let values = types.into_iter().zip(args).map(|(ty, term)| Value { ty, term: *term });
    let values: Vec<Value> = values.collect();
    let mut facts = Vec::new();
    if *domain != Domain::Everywhere {
        let formula = t.domain(definition, domain, heap, args)?;
        facts = match t.logic.terms.node(formula) {
            smt::Node::Op(smt::Op::And, parts) => parts.to_vec(),
            _ => vec![formula],
        };
    }
    Ok(t.measures(&values, heap, &facts))
}

/// A recursive call in the body of a function, and what holds where it is evaluated.
pub(crate) struct Call {
    pub path: Vec<Term>,
    pub name: Name,
    pub args: Vec<Term>,
}

pub(crate) fn recursive_calls(
    t: &mut Translator<'_>,
    env: &Env<'_>,
    e: &Expr,
    members: &[Name],
    path: &mut Vec<Term>,
    found: &mut Vec<Call>,
) -> Result<()> {
    if !used(e).iter().any(|name| members.contains(name)) {
        return Ok(());
    }
    let mut under = |t: &mut Translator<'_>, guard: Term, e: &Expr, path: &mut Vec<Term>| {
        path.push(guard);
        let result = recursive_calls(t, env, e, members, path, found);
        path.pop();
        result
    };
    match &*e.kind {
        ExprKind::Cond(c, a, b) => {
            let yes = t.term(env, c)?;
            let no = t.logic.terms.not(yes);
            under(t, yes, a, path)?;
            under(t, no, b, path)?;
            return recursive_calls(t, env, c, members, path, found);
        }
        ExprKind::Binary(op @ (BinOp::And | BinOp::Or | BinOp::Implies), a, b) => {
            let first = t.term(env, a)?;
            let guard = if *op == BinOp::Or { t.logic.terms.not(first) } else { first };
            under(t, guard, b, path)?;
            return recursive_calls(t, env, a, members, path, found);
        }
        ExprKind::Quant(_, vars, body) => {
            let mut inner = env.clone();
            for (var, ty) in vars.iter().zip(t.local_types(vars, body)) {
                let any = t.logic.fresh("any", &ty);
                inner.locals.insert(*var, any);
            }
            return recursive_calls(t, &inner, body, members, path, found);
        }
        ExprKind::Comprehension(var, body) => {
            let element = match &e.ty {
                Type::Set(of) => (**of).clone(),
                Type::Map(key, _) => (**key).clone(),
                other => other.clone(),
            };
            let mut inner = env.clone();
            let any = t.logic.fresh("any", &element);
            inner.locals.insert(*var, any);
            return recursive_calls(t, &inner, body, members, path, found);
        }
        ExprKind::Function(name, args) | ExprKind::Predicate(name, args)
            if members.contains(name) =>
        {
            let args = t.terms(env, args)?;
            found.push(Call { path: path.clone(), name: name.clone(), args });
        }
        _ => {}
    }
    let mut children = Vec::new();
    e.each_child(&mut |child| children.push(child));
    for child in children {
        recursive_calls(t, env, child, members, path, found)?;
    }
    Ok(())
}

/// Do these occur only where more truth inside is more truth outside?
fn is_positive(e: &Expr, members: &[Name], positive: bool) -> bool {
    if !used(e).iter().any(|name| members.contains(name)) {
        return true;
    }
    match &*e.kind {
        ExprKind::Function(name, args) | ExprKind::Predicate(name, args) => {
            let inside = args.iter().any(|a| used(a).iter().any(|n| members.contains(n)));
            !inside && (positive || !members.contains(name))
        }
        ExprKind::Binary(BinOp::And | BinOp::Or, a, b) => {
            is_positive(a, members, positive) && is_positive(b, members, positive)
        }
        ExprKind::Binary(BinOp::Implies, a, b) => {
            is_positive(a, members, !positive) && is_positive(b, members, positive)
        }
        ExprKind::Unary(UnOp::Not, a) => is_positive(a, members, !positive),
        ExprKind::Cond(c, a, b) => {
            !used(c).iter().any(|n| members.contains(n))
                && is_positive(a, members, positive)
                && is_positive(b, members, positive)
        }
        ExprKind::Quant(_, _, body) => is_positive(body, members, positive),
        _ => false,
    }
}
