//! Recursive and abstract spatial predicates.
//!
//! A predicate `p` is a relation of the parts of the heap that it reads and of its arguments, with a
//! function for its footprint, `foot`. It is the *least* relation that its body allows, so an instance
//! has a `rank`, and those in its body have smaller ones. Definitions are told for all heaps at once:
//!
//! * *unfold*: `p(h, x) ⇒ ∃ y. body ∧ foot(h, x) = foot of the body`
//! * *fold*: `∀ y. body ⇒ p(h, x) ∧ foot(h, x) = foot of the body`, if the footprint is determined by
//!   heap and arguments (`Definitions::precise`); else the equation is a premise.
//! * *frame*: `p(h, x)` and its footprint are the same after a change outside of it, if `p` depends
//!   on nothing else (`Definitions::framed`).
//!
//! Such relations exist: instances occur in a body only positively, so unfolding and folding have a
//! least fixpoint whatever a user writes. Instances in a body are *limited* (`p'`): they are unfolded only
//! where a location is read that the body reads, as the locality of the definition asks for.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use report::Span;
use smt::{Bound, Node, Op, Sort, Term};
use spl::core::{LocalId, Name, Predicate, Type};

use crate::assertion::{Alternative, Fact, What};
use crate::definitions::Dependency;
use crate::translate::{Env, Heap, HeapVar, Result, Translator, unsupported};

/// An instance of a predicate.
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    pub holds: Term,
    pub limited: Term,
    pub foot: BTreeMap<Type, Term>,
    pub rank: Term,
}

/// What is determined.
#[derive(Clone, Copy, Debug)]
enum Output<'a> {
    /// A parameter, by number.
    Argument(usize),
    Footprint(&'a Type),
}

/// A predicate for all heaps and arguments.
pub(crate) struct General {
    pub vars: Vec<(Bound, Term, Type)>,
    pub heap: Heap,
    pub args: Vec<Term>,
    pub locals: Vec<(LocalId, Term)>,
}

impl<'p> Translator<'p> {
    /// The parts of a heap that a definition reads.
    pub fn parts(&self, name: &Name, heap: &Heap, span: Span) -> Result<Vec<(Type, Term)>> {
        let mut parts = Vec::new();
        for var in self.definitions.reads.get(name).into_iter().flatten() {
            let Some(term) = heap.values.get(var) else {
                return unsupported(span, "this part of the heap");
            };
            parts.push((self.heap_type(var), *term));
        }
        Ok(parts)
    }

    /// The terms of an instance.
    pub fn instance(
        &mut self,
        predicate: &Predicate,
        heap: &Heap,
        args: &[Term],
    ) -> Result<Instance> {
        let name = &predicate.name;
        let parts = self.parts(name, heap, predicate.span)?;
        let mut types: Vec<Type> = parts.iter().map(|(ty, _)| ty.clone()).collect();
        let mut all: Vec<Term> = parts.iter().map(|(_, term)| *term).collect();
        for (param, arg) in predicate.params.iter().zip(args) {
            types.push(param_type(predicate, param.local));
            all.push(*arg);
        }
        let logic = &mut self.logic;
        let holds = logic.apply(&format!("pred.{name}"), &types, &Type::Bool, &all);
        let limited = logic.apply(&format!("pred.{name}'"), &types, &Type::Bool, &all);
        let sorts: Vec<Sort> = all.iter().map(|t| logic.terms.sort(*t)).collect();
        let meaning = smt::Meaning::Uninterpreted;
        let rank = logic.terms.fun_named(&format!("rank.{name}"), &sorts, Sort::Int, meaning);
        let rank = logic.terms.app(rank, &all);
        let mut foot = BTreeMap::new();
        for ty in self.definitions.footprints.get(name).into_iter().flatten() {
            let set = Type::Set(ty.clone().into());
            let term = logic.apply(&format!("foot.{name}.{ty}"), &types, &set, &all);
            foot.insert(ty.clone(), term);
        }
        Ok(Instance { holds, limited, foot, rank })
    }

    /// An occurrence of a predicate that is a symbol.
    pub fn occurrence(
        &mut self,
        env: &Env<'_>,
        predicate: &'p Predicate,
        args: &[Term],
        span: Span,
    ) -> Result<Vec<Alternative>> {
        self.predicate_axioms(predicate)?;
        let instance = self.instance(predicate, env.heap, args)?;
        let term = if self.in_definition { instance.limited } else { instance.holds };
        let facts = vec![Fact { term, span, what: What::Formula }];
        Ok(vec![Alternative { vars: Vec::new(), facts, footprint: instance.foot }])
    }

    /// Variables for the heap and the arguments of a predicate.
    pub fn general(&mut self, name: &Name, params: &[(LocalId, Type)]) -> General {
        let mut general = General {
            vars: Vec::new(),
            heap: Heap::default(),
            args: Vec::new(),
            locals: Vec::new(),
        };
        let reads: Vec<HeapVar> =
            self.definitions.reads.get(name).into_iter().flatten().cloned().collect();
        for var in reads {
            let ty = self.heap_type(&var);
            let (bound, term) = self.logic.bound("h", &ty);
            general.vars.push((bound, term, ty));
            general.heap.values.insert(var, term);
        }
        for (local, ty) in params {
            let (bound, term) = self.logic.bound("arg", ty);
            general.vars.push((bound, term, ty.clone()));
            general.args.push(term);
            general.locals.push((*local, term));
        }
        general
    }

    /// The alternatives of a body, with variables that equations determine replaced.
    pub fn definition_body(
        &mut self,
        predicate: &'p Predicate,
        heap: &Heap,
        locals: &[(LocalId, Term)],
    ) -> Result<Vec<Alternative>> {
        let Some(body) = &predicate.body else { return Ok(Vec::new()) };
        let env = Env { locals: locals.iter().copied().collect(), heap, old: heap };
        let before = std::mem::replace(&mut self.in_definition, true);
        let alternatives = self.spatial(&env, body);
        self.in_definition = before;
        let mut alternatives = alternatives?;
        for alternative in &mut alternatives {
            let vars = std::mem::take(&mut alternative.vars);
            alternative.vars = self.determine(alternative, &vars);
        }
        Ok(alternatives)
    }

    /// What is known of a predicate in all heaps, told once.
    fn predicate_axioms(&mut self, predicate: &'p Predicate) -> Result<()> {
        let name = &predicate.name;
        if !self.logic.first(format!("predicate {name}")) {
            return Ok(());
        }
        let general = self.general(name, &params(predicate));
        let instance = self.instance(predicate, &general.heap, &general.args)?;
        let bounds: Vec<Bound> = general.vars.iter().map(|(b, ..)| *b).collect();
        let same = self.logic.terms.eq(instance.holds, instance.limited);
        self.tell(&bounds, vec![vec![instance.holds]], same, "predicate");
        let zero = self.logic.terms.int(0);
        let ranked = self.logic.terms.le(zero, instance.rank);
        self.tell(&bounds, vec![vec![instance.limited]], ranked, "rank");
        if predicate.body.is_none() {
            return Ok(());
        }
        for var in general.heap.values.keys() {
            if let Type::Map(key, value) = self.heap_type(var) {
                self.logic.reads_go_on(&key, &value);
            }
        }
        let alternatives = self.definition_body(predicate, &general.heap, &general.locals)?;
        let mut triggers = vec![vec![instance.holds]];
        for read in self.direct_reads(&bounds, &alternatives) {
            triggers.push(vec![instance.limited, read]);
            // Where only the footprint is asked for, the solver may take the instance for irrelevant.
            triggers.extend(instance.foot.values().map(|foot| vec![*foot, read]));
        }
        self.unfold_axioms(&instance, &bounds, &triggers, &alternatives);
        for alternative in &alternatives {
            self.fold_axiom(predicate, &instance, &bounds, &triggers, alternative);
            self.fold_outputs(predicate, &instance, &general, &triggers, alternative);
        }
        self.determined_axioms(predicate)
    }

    fn tell(&mut self, vars: &[Bound], triggers: Vec<Vec<Term>>, body: Term, name: &str) {
        let axiom =
            if vars.is_empty() { body } else { self.logic.forall(vars, triggers, body, name) };
        self.logic.axioms.push(axiom);
    }

    fn unfold_axioms(
        &mut self,
        instance: &Instance,
        bounds: &[Bound],
        triggers: &[Vec<Term>],
        alternatives: &[Alternative],
    ) {
        let mut either = Vec::new();
        let mut shallow = Vec::new();
        for alternative in alternatives {
            let mut all: Vec<Term> = alternative.facts.iter().map(|f| f.term).collect();
            for fact in &alternative.facts {
                if let Some(rank) = self.rank_of(fact.term) {
                    all.push(self.logic.terms.lt(rank, instance.rank));
                }
            }
            for (ty, foot) in &instance.foot {
                let set = self.set_of(alternative, ty);
                all.push(self.logic.terms.eq(*foot, set));
            }
            let formula = self.logic.terms.and(all);
            either.push(self.exists(&alternative.vars, formula));
            shallow.push(self.shallow(instance, bounds, alternative));
        }
        let either = self.logic.terms.or(either);
        let body = self.logic.terms.implies(instance.limited, either);
        self.tell(bounds, triggers.to_vec(), body, "unfold");
        // What can be said without a look at the heap is known of every instance.
        let shallow = self.logic.terms.or(shallow);
        let body = self.logic.terms.implies(instance.limited, shallow);
        self.tell(bounds, vec![vec![instance.limited]], body, "unfold a bit");
    }

    /// The part of an alternative that mentions nothing but arguments: no reads, no instances. So no
    /// terms arise by it that make other definitions unfold.
    fn shallow(
        &mut self,
        instance: &Instance,
        bounds: &[Bound],
        alternative: &Alternative,
    ) -> Term {
        let mut all = Vec::new();
        for fact in &alternative.facts {
            if self.is_flat(fact.term, bounds) {
                all.push(fact.term);
            }
        }
        for (ty, foot) in &instance.foot {
            match alternative.footprint.get(ty).copied() {
                None => {
                    let empty = self.logic.empty(ty);
                    all.push(self.logic.terms.eq(*foot, empty));
                }
                Some(set) if self.is_flat(set, bounds) => {
                    all.push(self.logic.terms.eq(*foot, set));
                }
                Some(set) => {
                    for element in self.logic.singletons(ty, set) {
                        if self.is_flat(element, bounds) {
                            all.push(self.logic.member(ty, element, *foot));
                        }
                    }
                }
            }
        }
        self.logic.terms.and(all)
    }

    /// Are there no functions in a term but `null`, sets, and those of arithmetic?
    pub fn is_flat(&self, term: Term, bounds: &[Bound]) -> bool {
        let mut pending = vec![term];
        while let Some(term) = pending.pop() {
            match self.logic.terms.node(term) {
                Node::Quant(_) => return false,
                Node::Bound(var) if !bounds.contains(var) => return false,
                Node::App(fun, args) if !args.is_empty() => {
                    let name = &self.logic.terms.signature.fun(*fun).name;
                    let set = ["in.", "single.", "union.", "inter.", "diff."];
                    if !set.iter().any(|prefix| name.starts_with(prefix)) {
                        return false;
                    }
                }
                Node::App(fun, _) => {
                    // Constants for existential variables have a meaning only inside.
                    let name = &self.logic.terms.signature.fun(*fun).name;
                    if !["null.", "empty.", "ctor."].iter().any(|c| name.starts_with(c)) {
                        return false;
                    }
                }
                _ => {}
            }
            pending.extend(self.logic.terms.children(term));
        }
        true
    }

    fn fold_axiom(
        &mut self,
        predicate: &Predicate,
        instance: &Instance,
        bounds: &[Bound],
        triggers: &[Vec<Term>],
        alternative: &Alternative,
    ) {
        let mut map = HashMap::new();
        let mut vars = Vec::new();
        for var in &alternative.vars {
            let ty = self.logic.ty(self.logic.terms.sort(*var));
            let (bound, term) = self.logic.bound("some", &ty);
            map.insert(*var, term);
            vars.push((bound, term, ty));
        }
        let facts: Vec<Term> = alternative.facts.iter().map(|f| f.term).collect();
        let facts = self.logic.terms.and(facts);
        let facts = self.logic.terms.substitute(facts, &map);
        let mut feet = Vec::new();
        for (ty, foot) in &instance.foot {
            let set = self.set_of(alternative, ty);
            let set = self.logic.terms.substitute(set, &map);
            feet.push(self.logic.terms.eq(*foot, set));
        }
        let feet = self.logic.terms.and(feet);
        let premise = if self.definitions.precise.contains(&predicate.name) {
            facts
        } else {
            self.logic.terms.and([facts, feet])
        };
        let premise = self.extensional_goal(premise, true);
        let conclusion = self.logic.terms.and([instance.limited, feet]);
        let body = self.logic.terms.implies(premise, conclusion);
        let mut all = bounds.to_vec();
        all.extend(vars.iter().map(|(b, ..)| *b));
        let triggers = if vars.is_empty() {
            triggers.to_vec()
        } else {
            let patterns = self.triggers(&vars, facts);
            let mut both = Vec::new();
            for trigger in triggers {
                for pattern in &patterns {
                    let mut trigger = trigger.clone();
                    trigger.extend(pattern.iter().copied().filter(|p| *p != instance.holds));
                    both.push(trigger);
                }
            }
            both
        };
        if triggers.is_empty() {
            // Nothing tells which values to try.
            return;
        }
        self.tell(&all, triggers.clone(), body, "fold");
        let flat = alternative.vars.is_empty()
            && alternative.facts.iter().all(|f| self.is_flat(f.term, bounds))
            && alternative.footprint.values().all(|set| self.is_flat(*set, bounds));
        if flat {
            self.tell(&all, vec![vec![instance.limited]], body, "fold at the end");
        }
    }

    /// If a body says what a determined argument is, `y = E`, then folding finds it: `body[E/y] ⇒ p(h, x, E)`, for any
    /// `p(h, x, _)` that somebody asks for. So it need not be guessed which `y` makes the instance hold.
    fn fold_outputs(
        &mut self,
        predicate: &Predicate,
        instance: &Instance,
        general: &General,
        triggers: &[Vec<Term>],
        alternative: &Alternative,
    ) {
        let Some(claim) = self.definitions.determined.get(&predicate.name) else { return };
        let outputs: Vec<Term> =
            claim.outputs.iter().filter_map(|i| general.args.get(*i).copied()).collect();
        if outputs.is_empty() || !alternative.vars.is_empty() {
            return;
        }
        let mut values = HashMap::new();
        for output in &outputs {
            let value = alternative.facts.iter().find_map(|fact| {
                let Node::Op(Op::Eq, args) = self.logic.terms.node(fact.term) else { return None };
                let [a, b] = args[..] else { return None };
                let value = if a == *output { b } else { a };
                let other = if a == *output { a } else { b };
                let known = outputs.iter().all(|output| !self.mentions(value, *output));
                (other == *output && known).then_some(value)
            });
            let Some(value) = value else { return };
            values.insert(*output, value);
        }
        let facts = self.logic.terms.and(alternative.facts.iter().map(|f| f.term));
        let facts = self.logic.terms.substitute(facts, &values);
        let mut conclusion = vec![self.logic.terms.substitute(instance.limited, &values)];
        for (ty, foot) in &instance.foot {
            let set = self.set_of(alternative, ty);
            let same = self.logic.terms.eq(*foot, set);
            conclusion.push(self.logic.terms.substitute(same, &values));
        }
        let premise = self.extensional_goal(facts, true);
        let conclusion = self.logic.terms.and(conclusion);
        let body = self.logic.terms.implies(premise, conclusion);
        let bounds: Vec<Bound> = general.vars.iter().map(|(b, ..)| *b).collect();
        self.tell(&bounds, triggers.to_vec(), body, "fold to find");
        let flat = alternative.facts.iter().all(|f| self.is_flat(f.term, &bounds))
            && alternative.footprint.values().all(|set| self.is_flat(*set, &bounds));
        if flat {
            self.tell(&bounds, vec![vec![instance.limited]], body, "fold to find");
        }
    }

    /// Arguments that others determine are functions of these, and so is the footprint: if `p(h, x, y, z)` holds, `y` is
    /// `out(h, x)`. There are such functions since no two `y` are possible (`Definitions::determined`).
    fn determined_axioms(&mut self, predicate: &'p Predicate) -> Result<()> {
        let Some(claim) = self.definitions.determined.get(&predicate.name).cloned() else {
            return Ok(());
        };
        if claim.outputs.is_empty() && claim.free.is_empty() {
            return Ok(());
        }
        let general = self.general(&predicate.name, &params(predicate));
        let bounds: Vec<Bound> = general.vars.iter().map(|(b, ..)| *b).collect();
        let instance = self.instance(predicate, &general.heap, &general.args)?;
        let Node::App(_, all) = self.logic.terms.node(instance.limited).clone() else {
            return Ok(());
        };
        let mut equal = Vec::new();
        for (index, arg) in general.args.iter().enumerate() {
            if claim.outputs.contains(&index) {
                let out = self.determined_value(predicate, &claim, &all, Output::Argument(index));
                equal.extend(out.map(|out| self.logic.terms.eq(*arg, out)));
            }
        }
        for (ty, foot) in &instance.foot {
            let out = self.determined_value(predicate, &claim, &all, Output::Footprint(ty));
            equal.extend(out.map(|out| self.logic.terms.eq(*foot, out)));
        }
        let equal = self.logic.terms.and(equal);
        let body = self.logic.terms.implies(instance.limited, equal);
        self.tell(&bounds, vec![vec![instance.limited]], body, "determined");
        Ok(())
    }

    /// What an instance with these arguments, those of the heap first, determines.
    fn determined_value(
        &mut self,
        predicate: &Predicate,
        claim: &Dependency,
        args: &[Term],
        output: Output<'_>,
    ) -> Option<Term> {
        let name = &predicate.name;
        let parts = self.definitions.reads.get(name).map_or(0, BTreeSet::len);
        let (heap, own) = args.split_at_checked(parts)?;
        let inputs = own
            .iter()
            .enumerate()
            .filter(|(index, _)| !claim.outputs.contains(index) && !claim.free.contains(index));
        let inputs: Vec<Term> = heap.iter().chain(inputs.map(|(_, arg)| arg)).copied().collect();
        let (symbol, sort) = match output {
            Output::Argument(index) => {
                (format!("out.{name}.{index}"), self.logic.terms.sort(*own.get(index)?))
            }
            Output::Footprint(ty) => {
                let sort = self.logic.sort(&Type::Set(ty.clone().into()));
                (format!("out.{name}.{ty}"), sort)
            }
        };
        let sorts: Vec<Sort> = inputs.iter().map(|t| self.logic.terms.sort(*t)).collect();
        let meaning = smt::Meaning::Uninterpreted;
        let fun = self.logic.terms.fun_named(&symbol, &sorts, sort, meaning);
        Some(self.logic.terms.app(fun, &inputs))
    }

    /// One of these variables that an instance determines, and its value.
    pub fn determined_by(&mut self, fact: Term, open: &[Term]) -> Option<(Term, Term)> {
        let Node::App(fun, args) = self.logic.terms.node(fact).clone() else { return None };
        let name = self.logic.terms.signature.fun(fun).name.clone();
        let name = name.strip_prefix("pred.")?;
        let name = name.strip_suffix('\'').unwrap_or(name);
        let predicate = self.program.predicates.get(name)?;
        let claim = self.definitions.determined.get(name)?.clone();
        let parts = self.definitions.reads.get(name).map_or(0, BTreeSet::len);
        for index in &claim.outputs {
            let var = *args.get(parts + index)?;
            if !open.contains(&var) {
                continue;
            }
            let value =
                self.determined_value(predicate, &claim, &args, Output::Argument(*index))?;
            // What is not known yet does not determine anything.
            if !open.iter().any(|var| self.mentions(value, *var)) {
                return Some((var, value));
            }
        }
        None
    }

    /// The rank of an instance of a predicate in a body.
    pub fn rank_of(&mut self, fact: Term) -> Option<Term> {
        let Node::App(fun, args) = self.logic.terms.node(fact).clone() else { return None };
        let name = self.logic.terms.signature.fun(fun).name.clone();
        let name = name.strip_prefix("pred.")?;
        let name = name.strip_suffix('\'').unwrap_or(name);
        // A predicate that is no spatial one has no rank.
        if !self.definitions.footprints.contains_key(name) {
            return None;
        }
        let sorts: Vec<Sort> = args.iter().map(|t| self.logic.terms.sort(*t)).collect();
        let meaning = smt::Meaning::Uninterpreted;
        let rank = self.logic.terms.fun_named(&format!("rank.{name}"), &sorts, Sort::Int, meaning);
        Some(self.logic.terms.app(rank, &args))
    }

    pub fn set_of(&mut self, alternative: &Alternative, ty: &Type) -> Term {
        match alternative.footprint.get(ty) {
            Some(set) => *set,
            None => self.logic.empty(ty),
        }
    }

    /// Reads of arguments in the body: where one occurs, an instance is worth a look.
    fn direct_reads(&self, bounds: &[Bound], alternatives: &[Alternative]) -> Vec<Term> {
        let mut roots = Vec::new();
        for alternative in alternatives {
            roots.extend(alternative.facts.iter().map(|f| f.term));
            roots.extend(alternative.footprint.values().copied());
        }
        self.reads_in(&roots, bounds)
    }

    /// Reads and destructors whose arguments are among these variables.
    pub fn reads_in(&self, roots: &[Term], bounds: &[Bound]) -> Vec<Term> {
        let mut found = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut pending = roots.to_vec();
        while let Some(term) = pending.pop() {
            if !seen.insert(term) {
                continue;
            }
            if let Node::App(fun, args) = self.logic.terms.node(term) {
                let name = &self.logic.terms.signature.fun(*fun).name;
                let direct = args.iter().all(
                    |arg| matches!(self.logic.terms.node(*arg), Node::Bound(var) if bounds.contains(var)),
                );
                if direct && (name.starts_with("read.") || name.starts_with("dtor.")) {
                    found.insert(term);
                }
            }
            pending.extend(self.logic.terms.children(term));
        }
        found.into_iter().collect()
    }

    /// A formula that is to be proved, with equations of sets as what they say of elements: a set that
    /// is not equal then has an element that tells.
    pub fn extensional_goal(&mut self, term: Term, positive: bool) -> Term {
        match self.logic.terms.node(term).clone() {
            Node::Op(Op::And, args) => {
                let args: Vec<Term> =
                    args.iter().map(|t| self.extensional_goal(*t, positive)).collect();
                self.logic.terms.and(args)
            }
            Node::Op(Op::Or, args) => {
                let args: Vec<Term> =
                    args.iter().map(|t| self.extensional_goal(*t, positive)).collect();
                self.logic.terms.or(args)
            }
            Node::Op(Op::Implies, args) => match args[..] {
                [a, b] => {
                    let a = self.extensional_goal(a, !positive);
                    let b = self.extensional_goal(b, positive);
                    self.logic.terms.implies(a, b)
                }
                _ => term,
            },
            Node::Op(Op::Not, args) => match args[..] {
                [a] => {
                    let a = self.extensional_goal(a, !positive);
                    self.logic.terms.not(a)
                }
                _ => term,
            },
            Node::Op(Op::Eq, args) if positive => {
                let [a, b] = args[..] else { return term };
                let sort = self.logic.terms.sort(a);
                let (Sort::Named(_), Type::Set(of)) = (sort, self.logic.ty(sort)) else {
                    return term;
                };
                let (bx, x) = self.logic.bound("x", &of);
                let (here, there) = (self.logic.member(&of, x, a), self.logic.member(&of, x, b));
                let body = self.logic.terms.eq(here, there);
                let triggers = vec![vec![here], vec![there]];
                self.logic.forall(&[bx], triggers, body, "same elements")
            }
            _ => term,
        }
    }

    /// What is known of instances after a change of the heap. `kept` says that a footprint is outside
    /// of the change.
    pub fn frame_instances(
        &mut self,
        before: &Heap,
        after: &Heap,
        mut kept: impl FnMut(&mut Self, &Type, Term) -> Term,
    ) -> Result<Vec<Term>> {
        let program = self.program;
        let framed: Vec<&'p Predicate> = program
            .predicates
            .values()
            .filter(|p| self.definitions.framed.contains(&p.name) && self.is_relevant(&p.name))
            .collect();
        let mut facts = Vec::new();
        for predicate in framed {
            let reads = self.definitions.reads.get(&predicate.name);
            let known =
                |heap: &Heap| reads.into_iter().flatten().all(|var| heap.values.contains_key(var));
            if !known(before) || !known(after) {
                continue;
            }
            let changed: Vec<HeapVar> = reads
                .into_iter()
                .flatten()
                .filter(|var| before.values.get(*var) != after.values.get(*var))
                .cloned()
                .collect();
            let global = changed.iter().any(|var| matches!(var, HeapVar::Global(_)));
            if changed.is_empty() || global {
                continue;
            }
            let mut vars = Vec::new();
            let mut args = Vec::new();
            for (_, ty) in params(predicate) {
                let (bound, term) = self.logic.bound("arg", &ty);
                vars.push(bound);
                args.push(term);
            }
            let old = self.instance(predicate, before, &args)?;
            let new = self.instance(predicate, after, &args)?;
            let mut premise = vec![old.limited];
            let mut conclusion = vec![new.limited];
            let mut keys = BTreeSet::new();
            for var in &changed {
                if let Type::Map(key, _) = self.heap_type(var) {
                    keys.insert((*key).clone());
                }
            }
            for (ty, foot) in &old.foot {
                if keys.contains(ty) {
                    premise.push(kept(self, ty, *foot));
                }
            }
            for (old, new) in old.foot.values().zip(new.foot.values()) {
                conclusion.push(self.logic.terms.eq(*old, *new));
            }
            let premise = self.logic.terms.and(premise);
            let conclusion = self.logic.terms.and(conclusion);
            let body = self.logic.terms.implies(premise, conclusion);
            if vars.is_empty() {
                facts.push(body);
                continue;
            }
            let triggers = vec![vec![new.limited], vec![old.limited]];
            facts.push(self.logic.forall(&vars, triggers, body, "frame instance"));
        }
        facts.extend(self.frame_functions(before, after, kept)?);
        Ok(facts)
    }
}

/// Parameters with their types.
pub(crate) fn params(predicate: &Predicate) -> Vec<(LocalId, Type)> {
    predicate.params.iter().map(|p| (p.local, param_type(predicate, p.local))).collect()
}

fn param_type(predicate: &Predicate, local: LocalId) -> Type {
    predicate.locals.get(local.0 as usize).map_or(Type::Int, |l| l.ty.clone())
}
