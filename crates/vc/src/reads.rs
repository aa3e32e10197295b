//! What recursive functions depend on.
//!
//! The value of a function is determined by a part of the heap if, in two heaps that agree on that part, its body has the
//! same value. Candidates for the part come with the reason why the recursion ends: the footprint of what the function
//! requires, the locations on a path to `null`, the footprint of a predicate. Recursive calls are for smaller arguments,
//! so for them it may be assumed: this is an induction on the recursion of the function. Then writes elsewhere leave the
//! value as it is, which the definition alone would show for one unfolding at a time.

use std::collections::{BTreeMap, BTreeSet};

use smt::{Bound, Term};
use spl::core::{Function, Name, Type};

use crate::definitions::{Definition, Definitions, Domain};
use crate::frame::Frame;
use crate::translate::{Env, Heap, HeapVar, Result, Translator};
use crate::unit::{Item, Step};
use crate::wellformed::{Questions, recursive_calls, some_heap};

/// A part of the heap, and when it is one.
struct Region {
    guard: Term,
    footprint: BTreeMap<Type, Term>,
}

impl Questions<'_> {
    /// Which parts of the heap determine a recursive function, together with those that it is defined with. What it
    /// uses otherwise is settled before.
    pub(crate) fn find_regions(&mut self, definitions: &mut Definitions, name: &Name) {
        let members: Vec<Name> = definitions
            .recursive
            .iter()
            .filter(|other| definitions.together(name, other))
            .cloned()
            .collect();
        let domains = definitions.domains.get(name).cloned().unwrap_or_default();
        if domains.is_empty() || domains.contains(&Domain::Truth) {
            return;
        }
        // The recursion ends in each of these, so an induction in it is one.
        let mut candidates = domains;
        if let Some(everywhere) = candidates.iter_mut().find(|d| **d == Domain::Everywhere) {
            *everywhere = Domain::Required;
        }
        candidates.retain(|domain| {
            members.iter().all(|member| {
                self.is_determined(definitions, member, &members, domain).unwrap_or(false)
            })
        });
        for member in members {
            definitions.regions.insert(member, candidates.clone());
        }
    }

    /// In two heaps that agree on a region, a function has the same value, and the region is one in both.
    fn is_determined(
        &mut self,
        definitions: &Definitions,
        name: &Name,
        members: &[Name],
        domain: &Domain,
    ) -> Result<bool> {
        let mut translator = Translator::new(self.program, definitions);
        let t = &mut translator;
        let Some(function) = t.program.functions.get(name) else { return Ok(false) };
        let Some(body) = &function.body else { return Ok(false) };
        t.in_definition = true;
        let one = some_heap(t, name);
        let mut two = some_heap(t, name);
        for (var, value) in one.values.iter().filter(|(var, _)| matches!(var, HeapVar::Global(_))) {
            two.values.insert(var.clone(), *value);
        }
        let types = Definition::Function(function).param_types();
        let args: Vec<Term> = types.iter().map(|ty| t.logic.fresh("arg", ty)).collect();
        let locals: BTreeMap<_, _> =
            function.params.iter().map(|p| p.local).zip(args.iter().copied()).collect();
        let Some(regions) = t.regions(function, domain, &one, &args)? else { return Ok(false) };
        let Some(others) = t.regions(function, domain, &two, &args)? else { return Ok(false) };
        let here = Env { locals: locals.clone(), heap: &one, old: &one };
        let there = Env { locals, heap: &two, old: &two };
        let (first, second) = (t.term(&here, body)?, t.term(&there, body)?);
        let mut steps = Vec::new();
        for (region, other) in regions.iter().zip(&others) {
            let mut items = vec![Item::Assume(region.guard)];
            for (var, before) in &one.values {
                let Type::Map(key, value) = t.heap_type(var) else { continue };
                let (HeapVar::Field(_) | HeapVar::Contents(_), Some(after)) =
                    (var, two.values.get(var).copied())
                else {
                    continue;
                };
                let empty = t.logic.empty(&key);
                let allocated = region.footprint.get(&*key).copied().unwrap_or(empty);
                let (key, value, before) = (&*key, &*value, *before);
                let paths = t.has_paths(var);
                let frame = Frame { key, value, before, after, owned: empty, allocated, paths };
                let (values, paths) = t.logic.frame(&frame);
                items.push(Item::Assume(values));
                items.extend(paths.into_iter().map(Item::Late));
            }
            let inside = |t: &mut Translator<'_>, ty: &Type, part: Term| {
                let empty = t.logic.empty(ty);
                let all = region.footprint.get(ty).copied().unwrap_or(empty);
                t.logic.subset(ty, part, all)
            };
            items.extend(t.frame_instances(&one, &two, inside)?.into_iter().map(Item::Assume));
            // The hypothesis, for the calls that are made.
            let mut calls = Vec::new();
            recursive_calls(t, &here, body, members, &mut vec![region.guard], &mut calls)?;
            for call in calls {
                let Some(callee) = t.program.functions.get(&call.name) else { return Ok(false) };
                let definition = Definition::Function(callee);
                let (_, old) = t.application(definition, &one, &call.args, callee.span)?;
                let (_, new) = t.application(definition, &two, &call.args, callee.span)?;
                let same = t.logic.terms.eq(old, new);
                let Some(parts) = t.regions(callee, domain, &one, &call.args)? else {
                    return Ok(false);
                };
                for part in parts {
                    let mut premise = call.path.clone();
                    premise.push(part.guard);
                    for (ty, set) in &part.footprint {
                        premise.push(inside(t, ty, *set));
                    }
                    let premise = t.logic.terms.and(premise);
                    items.push(Item::Assume(t.logic.terms.implies(premise, same)));
                }
            }
            let mut goals = vec![other.guard, t.logic.terms.eq(first, second)];
            let keys: BTreeSet<&Type> =
                region.footprint.keys().chain(other.footprint.keys()).collect();
            for ty in keys {
                let empty = t.logic.empty(ty);
                let sets = [region, other].map(|r| r.footprint.get(ty).copied().unwrap_or(empty));
                goals.push(t.logic.terms.eq(sets[0], sets[1]));
            }
            let goal = t.logic.terms.and(goals);
            items.push(Item::Probe(steps.len(), goal));
            steps.push(Step { items, ..Step::default() });
        }
        let answers = self.ask(t, &steps);
        Ok(regions.len() == others.len()
            && (0..steps.len()).all(|n| answers.get(&n) == Some(&true)))
    }
}

impl<'p> Translator<'p> {
    /// The regions that a domain stands for; none if they are not determined.
    fn regions(
        &mut self,
        function: &'p Function,
        domain: &Domain,
        heap: &Heap,
        args: &[Term],
    ) -> Result<Option<Vec<Region>>> {
        let alternatives = match domain {
            Domain::Everywhere | Domain::Truth => return Ok(None),
            Domain::Required => {
                let locals = function.params.iter().map(|p| p.local).zip(args.iter().copied());
                let env = Env { locals: locals.collect(), heap, old: heap };
                self.clauses(&env, &function.requires)?
            }
            Domain::Path { field, param } => {
                let types = Definition::Function(function).param_types();
                let var = HeapVar::Field(field.clone());
                let (Some(ty), Some(arg), Some(map)) =
                    (types.get(*param), args.get(*param), heap.values.get(&var).copied())
                else {
                    return Ok(None);
                };
                let guard = self.domain(Definition::Function(function), domain, heap, args)?;
                let null = self.logic.null(ty);
                let (bound, z) = self.logic.bound("z", ty);
                let on = self.logic.btwn(ty, map, *arg, z, null);
                let is_null = self.logic.terms.eq(z, null);
                let some = self.logic.terms.not(is_null);
                let body = self.logic.terms.and([on, some]);
                let set = self.logic.comprehension(&Type::Set(ty.clone().into()), ty, bound, body);
                return Ok(Some(vec![Region { guard, footprint: [(ty.clone(), set)].into() }]));
            }
            Domain::Holds { predicate, param } => {
                let program = self.program;
                let (Some(predicate), Some(arg)) =
                    (program.predicates.get(predicate), args.get(*param).copied())
                else {
                    return Ok(None);
                };
                let env = Env { locals: BTreeMap::new(), heap, old: heap };
                self.occurrence(&env, predicate, &[arg], predicate.span)?
            }
        };
        let mut regions = Vec::new();
        for mut alternative in alternatives {
            let vars = std::mem::take(&mut alternative.vars);
            if !self.determine(&mut alternative, &vars).is_empty() {
                return Ok(None);
            }
            let guard = self.logic.terms.and(alternative.facts.iter().map(|f| f.term));
            regions.push(Region { guard, footprint: alternative.footprint });
        }
        Ok(Some(regions))
    }

    /// Functions have the same values in two heaps if these agree on a region that determines them.
    pub fn frame_functions(
        &mut self,
        before: &Heap,
        after: &Heap,
        mut kept: impl FnMut(&mut Self, &Type, Term) -> Term,
    ) -> Result<Vec<Term>> {
        let (program, definitions) = (self.program, self.definitions);
        let mut facts = Vec::new();
        for (name, domains) in &definitions.regions {
            let function = program.functions.get(name);
            let Some(function) = function.filter(|_| self.is_relevant(name)) else { continue };
            let reads = definitions.reads.get(name);
            let reads = || reads.into_iter().flatten();
            let known = |heap: &Heap| reads().all(|var| heap.values.contains_key(var));
            let mut changed =
                reads().filter(|var| before.values.get(*var) != after.values.get(*var)).peekable();
            if !known(before) || !known(after) || changed.peek().is_none() {
                continue;
            }
            let changed: Vec<&HeapVar> = changed.collect();
            if changed.iter().any(|var| matches!(var, HeapVar::Global(_))) {
                continue;
            }
            let mut keys = BTreeSet::new();
            for var in changed {
                if let Type::Map(key, _) = self.heap_type(var) {
                    keys.insert((*key).clone());
                }
            }
            let definition = Definition::Function(function);
            let (mut vars, mut args): (Vec<Bound>, Vec<Term>) = (Vec::new(), Vec::new());
            for ty in definition.param_types() {
                let (bound, term) = self.logic.bound("arg", &ty);
                vars.push(bound);
                args.push(term);
            }
            let outer = std::mem::replace(&mut self.in_definition, true);
            let framed = self.frame_function(function, domains, (before, after), &args);
            self.in_definition = outer;
            let (old, new, regions) = framed?;
            let same = self.logic.terms.eq(old, new);
            for region in regions {
                let mut premise = vec![region.guard];
                for (ty, set) in region.footprint.iter().filter(|(ty, _)| keys.contains(*ty)) {
                    premise.push(kept(self, ty, *set));
                }
                let premise = self.logic.terms.and(premise);
                let body = self.logic.terms.implies(premise, same);
                facts.push(match vars.as_slice() {
                    [] => body,
                    _ => {
                        let triggers = vec![vec![new], vec![old]];
                        self.logic.forall(&vars, triggers, body, "frame function")
                    }
                });
            }
        }
        Ok(facts)
    }

    /// A function in two heaps, and the regions of the first that determine it.
    fn frame_function(
        &mut self,
        function: &'p Function,
        domains: &[Domain],
        (before, after): (&Heap, &Heap),
        args: &[Term],
    ) -> Result<(Term, Term, Vec<Region>)> {
        let definition = Definition::Function(function);
        // What it is must be known where it is framed.
        self.know_definition(definition)?;
        let (_, old) = self.application(definition, before, args, function.span)?;
        let (_, new) = self.application(definition, after, args, function.span)?;
        let mut all = Vec::new();
        for domain in domains {
            all.extend(self.regions(function, domain, before, args)?.unwrap_or_default());
        }
        Ok((old, new, all))
    }
}
