//! Functions, and Boolean predicates, which are functions too.
//!
//! One that is not recursive is replaced by its body. Any other is a symbol, of the parts of the heap
//! that it reads and of its arguments. A recursive one is what its body says where the recursion ends
//! (`Definitions::domains`), so that there is such a function; like instances of predicates, its
//! occurrences in a body are limited (`f'`) and unfolded on demand. What a function promises is known
//! where its precondition holds: if it has a body, that is proved, by whoever cannot use it.

use report::Span;
use smt::{Bound, Node, Op, Term};
use spl::core::{Expr, Function, Name, Type};

use crate::definitions::{Definition, Domain};
use crate::predicate::General;
use crate::translate::{Env, Heap, Result, Translator, unsupported};
use crate::wellformed::recursive_calls;

impl<'p> Translator<'p> {
    /// A function or Boolean predicate of arguments.
    pub fn defined(
        &mut self,
        env: &Env<'_>,
        name: &Name,
        args: Vec<Term>,
        span: Span,
    ) -> Result<Term> {
        let Some(definition) = Definition::find(self.program, name) else {
            return unsupported(span, format!("`{name}` here"));
        };
        if self.definitions.footprints.contains_key(name) {
            return unsupported(span, "a spatial predicate here");
        }
        match definition.body() {
            Some(_) if self.definitions.recursive.contains(name) => {
                self.recursive(env, definition, &args)
            }
            Some(body) => {
                let inner = self.bind(env, definition.params(), args);
                self.inside(name, |t| t.term(&inner, body))
            }
            None => self.without_body(env, definition, &args),
        }
    }

    /// The symbol of a definition, and its limited twin, applied.
    pub fn application(
        &mut self,
        definition: Definition<'p>,
        heap: &Heap,
        args: &[Term],
        span: Span,
    ) -> Result<(Term, Term)> {
        let name = definition.name();
        let parts = self.parts(name, heap, span)?;
        let mut types: Vec<Type> = parts.iter().map(|(ty, _)| ty.clone()).collect();
        let mut all: Vec<Term> = parts.iter().map(|(_, term)| *term).collect();
        types.extend(definition.param_types());
        all.extend(args);
        let result = definition.result_type();
        let whole = self.logic.apply(&format!("fun.{name}"), &types, &result, &all);
        let limited = match definition.body() {
            Some(_) => self.logic.apply(&format!("fun.{name}'"), &types, &result, &all),
            None => whole,
        };
        // Sets that are arguments are equal if they have the same elements.
        let symbol = format!("fun.{name}");
        for (ty, arg) in definition.param_types().iter().zip(args) {
            if let Type::Set(of) = ty {
                self.known_argument(&symbol, of, *arg);
            }
        }
        Ok((whole, limited))
    }

    fn recursive(
        &mut self,
        env: &Env<'_>,
        definition: Definition<'p>,
        args: &[Term],
    ) -> Result<Term> {
        self.know_definition(definition)?;
        let (whole, limited) = self.application(definition, env.heap, args, definition.span())?;
        Ok(if self.in_definition { limited } else { whole })
    }

    /// Tells what a recursive definition says, once.
    pub fn know_definition(&mut self, definition: Definition<'p>) -> Result<()> {
        match self.logic.first(format!("definition {}", definition.name())) {
            true => self.definition_axioms(definition),
            false => Ok(()),
        }
    }

    /// Variables for the heap and the arguments of a definition.
    pub fn general_definition(&mut self, definition: Definition<'p>) -> General {
        let params = definition.params().iter().map(|p| p.local).zip(definition.param_types());
        self.general(definition.name(), &params.collect::<Vec<_>>())
    }

    fn definition_axioms(&mut self, definition: Definition<'p>) -> Result<()> {
        let Some(body) = definition.body() else { return Ok(()) };
        let general = self.general_definition(definition);
        let bounds: Vec<Bound> = general.vars.iter().map(|(b, ..)| *b).collect();
        let (whole, limited) =
            self.application(definition, &general.heap, &general.args, body.span)?;
        let same = self.logic.terms.eq(whole, limited);
        self.told(&bounds, vec![vec![whole]], same);
        let before = std::mem::replace(&mut self.in_definition, true);
        let told = self.body_axioms(definition, body, &general, &bounds, whole, limited);
        self.in_definition = before;
        told
    }

    fn body_axioms(
        &mut self,
        definition: Definition<'p>,
        body: &Expr,
        general: &General,
        bounds: &[Bound],
        whole: Term,
        limited: Term,
    ) -> Result<()> {
        let name = definition.name();
        let domains = self.definitions.domains.get(name).cloned().unwrap_or_default();
        let mut guards = Vec::new();
        for domain in &domains {
            guards.push(self.domain(definition, domain, &general.heap, &general.args)?);
        }
        let guard = self.logic.terms.or(guards);
        let locals = general.locals.iter().copied().collect();
        let env = Env { locals, heap: &general.heap, old: &general.heap };
        let value = self.inside(name, |t| t.term(&env, body))?;
        let mut triggers = vec![vec![whole]];
        for read in self.reads_in(&[value], bounds) {
            triggers.push(vec![limited, read]);
        }
        let equal = self.logic.terms.eq(limited, value);
        let defined = self.logic.terms.implies(guard, equal);
        self.told(bounds, triggers, defined);
        // Where the value needs no look at the heap, and no recursion, it is known of every occurrence.
        for (path, leaf) in self.leaves(value) {
            if self.is_flat(leaf, bounds) && path.iter().all(|c| self.is_flat(*c, bounds)) {
                let equal = self.logic.terms.eq(limited, leaf);
                let premise = self.logic.terms.and(path.into_iter().chain([guard]));
                let defined = self.logic.terms.implies(premise, equal);
                self.told(bounds, vec![vec![limited]], defined);
            }
        }
        if let Definition::Function(function) = definition
            && self.may_use_promises(name)
        {
            self.promises(function, &env, bounds, limited, guard)?;
        }
        Ok(())
    }

    /// The branches of nested conditionals, with the conditions on the way.
    fn leaves(&mut self, value: Term) -> Vec<(Vec<Term>, Term)> {
        let mut found = Vec::new();
        let mut pending = vec![(Vec::new(), value)];
        while let Some((path, term)) = pending.pop() {
            match self.logic.terms.node(term).clone() {
                Node::Op(Op::Ite, args) => {
                    let [c, a, b] = args[..] else { continue };
                    let not = self.logic.terms.not(c);
                    let mut then = path.clone();
                    then.push(c);
                    pending.push((then, a));
                    let mut otherwise = path;
                    otherwise.push(not);
                    pending.push((otherwise, b));
                }
                _ => found.push((path, term)),
            }
        }
        found
    }

    /// What is promised of recursive calls in a body: they are for smaller arguments where the recursion
    /// ends.
    pub fn hypotheses(
        &mut self,
        env: &Env<'_>,
        function: &'p Function,
        body: &Expr,
    ) -> Result<Vec<Term>> {
        let definitions = self.definitions;
        let together = |n: &&Name| definitions.together(&function.name, n);
        let members: Vec<Name> = definitions.recursive.iter().filter(together).cloned().collect();
        let domains = definitions.domains.get(&function.name).cloned().unwrap_or_default();
        let args: Vec<Term> =
            function.params.iter().filter_map(|p| env.locals.get(&p.local).copied()).collect();
        let mut ends = Vec::new();
        for domain in domains.iter().filter(|d| **d != Domain::Truth) {
            ends.push(self.domain(Definition::Function(function), domain, env.heap, &args)?);
        }
        let ends = self.logic.terms.or(ends);
        let mut calls = Vec::new();
        recursive_calls(self, env, body, &members, &mut vec![ends], &mut calls)?;
        let mut facts = Vec::new();
        for call in calls {
            let Some(callee) = self.program.functions.get(&call.name) else { continue };
            let definition = Definition::Function(callee);
            let (_, result) = self.application(definition, env.heap, &call.args, callee.span)?;
            let locals = callee.params.iter().map(|p| p.local).zip(call.args.iter().copied());
            let mut inner = Env { locals: locals.collect(), heap: env.heap, old: env.old };
            inner.locals.insert(callee.result, result);
            let required = self.required(callee, &inner)?;
            let premise = self.logic.terms.and(call.path.into_iter().chain([required]));
            for clause in &callee.ensures {
                let promise = self.term(&inner, &clause.expr)?;
                facts.push(self.logic.terms.implies(premise, promise));
            }
        }
        Ok(facts)
    }

    /// May what a function promises be used here? Not by itself, nor by what its proof rests on.
    fn may_use_promises(&self, name: &Name) -> bool {
        match &self.proving {
            Some(proving) => {
                name != proving
                    && !self.definitions.rests_on.get(name).is_some_and(|all| all.contains(proving))
            }
            None => true,
        }
    }

    /// The arguments for which a recursion ends.
    pub fn domain(
        &mut self,
        definition: Definition<'p>,
        domain: &Domain,
        heap: &Heap,
        args: &[Term],
    ) -> Result<Term> {
        Ok(match domain {
            Domain::Everywhere | Domain::Truth => self.logic.terms.bool(true),
            Domain::Required => {
                let Definition::Function(function) = definition else {
                    return Ok(self.logic.terms.bool(true));
                };
                let locals = function.params.iter().map(|p| p.local).zip(args.iter().copied());
                let env = Env { locals: locals.collect(), heap, old: heap };
                self.required(function, &env)?
            }
            Domain::Path { field, param } => {
                let types = definition.param_types();
                let (Some(ty), Some(arg)) = (types.get(*param), args.get(*param)) else {
                    return Ok(self.logic.terms.bool(false));
                };
                let var = crate::translate::HeapVar::Field(field.clone());
                let Some(map) = heap.values.get(&var).copied() else {
                    return Ok(self.logic.terms.bool(false));
                };
                let null = self.logic.null(ty);
                self.logic.reach(ty, map, *arg, null)
            }
            Domain::Holds { predicate, param } => {
                let Some(predicate) = self.program.predicates.get(predicate) else {
                    return Ok(self.logic.terms.bool(false));
                };
                let Some(arg) = args.get(*param).copied() else {
                    return Ok(self.logic.terms.bool(false));
                };
                let env = Env { locals: Default::default(), heap, old: heap };
                let all = self.occurrence(&env, predicate, &[arg], predicate.span)?;
                let facts = all.iter().flat_map(|a| &a.facts).map(|f| f.term);
                let facts: Vec<Term> = facts.collect();
                self.logic.terms.and(facts)
            }
        })
    }

    /// What a function requires, without the footprint.
    pub fn required(&mut self, function: &Function, env: &Env<'_>) -> Result<Term> {
        let mut guards = Vec::new();
        for clause in &function.requires {
            guards.push(self.formula_part(env, &clause.expr)?);
        }
        Ok(self.logic.terms.and(guards))
    }

    /// What a function promises, if what it requires holds.
    fn promises(
        &mut self,
        function: &Function,
        env: &Env<'_>,
        bounds: &[Bound],
        result: Term,
        domain: Term,
    ) -> Result<()> {
        let mut inner = env.clone();
        inner.locals.insert(function.result, result);
        let required = self.required(function, &inner)?;
        let guard = self.logic.terms.and([domain, required]);
        for clause in &function.ensures {
            let promise = self.term(&inner, &clause.expr)?;
            let body = self.logic.terms.implies(guard, promise);
            self.told(bounds, vec![vec![result]], body);
        }
        Ok(())
    }

    fn told(&mut self, bounds: &[Bound], triggers: Vec<Vec<Term>>, body: Term) {
        let axiom = match bounds {
            [] => body,
            _ => self.logic.forall(bounds, triggers, body, "function"),
        };
        self.logic.axioms.push(axiom);
    }

    /// Tells what is to be known of a function of these arguments.
    pub fn defined_again(
        &mut self,
        env: &Env<'_>,
        definition: Definition<'p>,
        args: &[Term],
    ) -> Result<()> {
        match definition.body() {
            Some(_) => self.application(definition, env.heap, args, definition.span()).map(drop),
            None => self.without_body(env, definition, args).map(drop),
        }
    }

    /// Without a body it depends on all of the heap, unless it is `pure`.
    fn without_body(
        &mut self,
        env: &Env<'_>,
        definition: Definition<'p>,
        args: &[Term],
    ) -> Result<Term> {
        let name = definition.name();
        let (term, _) = self.application(definition, env.heap, args, definition.span())?;
        let Definition::Function(function) = definition else { return Ok(term) };
        let parts = self.parts(name, env.heap, function.span)?;
        let closed = parts.iter().all(|(_, part)| self.logic.terms.free(*part).is_empty());
        if closed {
            // One heap at a time: quantifiers over heaps are for definitions only.
            let own: Vec<Term> = parts.iter().map(|(_, part)| *part).collect();
            if self.logic.first(format!("function {name} {own:?}")) {
                let mut general = self.general_definition(definition);
                general.heap = env.heap.clone();
                let bounds: Vec<Bound> =
                    general.vars.iter().skip(parts.len()).map(|(b, ..)| *b).collect();
                self.promise_in(definition, function, &general, env.heap, &bounds)?;
            }
        } else if self.logic.first(format!("function {name} in all heaps")) {
            let general = self.general_definition(definition);
            let bounds: Vec<Bound> = general.vars.iter().map(|(b, ..)| *b).collect();
            let heap = general.heap.clone();
            self.promise_in(definition, function, &general, &heap, &bounds)?;
        }
        Ok(term)
    }

    fn promise_in(
        &mut self,
        definition: Definition<'p>,
        function: &Function,
        general: &General,
        heap: &Heap,
        bounds: &[Bound],
    ) -> Result<()> {
        let (result, _) = self.application(definition, heap, &general.args, function.span)?;
        let env = Env { locals: general.locals.iter().copied().collect(), heap, old: heap };
        let everywhere = self.logic.terms.bool(true);
        self.promises(function, &env, bounds, result, everywhere)
    }

    /// Sets that are arguments of a function are equal if they have the same elements.
    fn known_argument(&mut self, symbol: &str, of: &Type, arg: Term) {
        let key = format!("argument of {symbol} {of}");
        let others = self.logic.arguments(key, arg);
        for other in others {
            self.logic.extensional(of, other, arg);
        }
    }

    /// What an assertion says without its footprint.
    fn formula_part(&mut self, env: &Env<'_>, e: &Expr) -> Result<Term> {
        let alternatives = self.spatial(env, e)?;
        let mut all = Vec::new();
        for mut alternative in alternatives {
            let vars = std::mem::take(&mut alternative.vars);
            let open = self.determine(&mut alternative, &vars);
            let facts = self.logic.terms.and(alternative.facts.iter().map(|f| f.term));
            all.push(self.exists(&open, facts));
        }
        Ok(self.logic.terms.or(all))
    }
}
