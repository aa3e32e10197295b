//! Iterated separating conjunctions: permissions to many locations at once.
//!
//! `forall x :: c(x) ==> acc(e(x).f, p(x))` is one chunk `r.f ↦ [v(r), q(r)]` for all `r`: `v` is a value
//! map, and `q(r)` is the term `image(r) && c(inv(r)) ? p(inv(r)) : 0`, where `inv` is the inverse of
//! `e`, which must be injective where `c` holds. `image(r)` says that `r` is some `e(x)` at all; without
//! it, a condition that always holds would make `e` surjective.
//!
//! Permissions are taken pointwise: from each chunk the minimum of what is there and what is still
//! missing, and in the end nothing may be missing at any location. Single chunks count as chunks of
//! one location, so that both kinds can be mixed without loss.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use smt::{Meaning, Node, Op, Quantifier, Sort, Term};
use viper::ast::Quantifier as SourceQuantifier;
use viper::core::{BinOp, Expr, ExprKind, LocalId, Resource, Type};

use crate::blame::{Blame, Reason};
use crate::eval::resource_reason;
use crate::executor::Executor;
use crate::path::{Outcome, Run, Stop};
use crate::state::{Heap, Pattern, QuantifiedChunk, ResourceId, State};

/// A quantified permission in normal form: `forall vars :: { triggers } condition ==> acc(resource,
/// amount)`.
struct Normal<'a> {
    vars: &'a [LocalId],
    triggers: &'a [Vec<Arc<Expr>>],
    condition: Option<&'a Arc<Expr>>,
    resource: &'a Resource,
    amount: Option<&'a Arc<Expr>>,
}

/// The same with its values, for arbitrary `vars`.
struct Family {
    resource: ResourceId,
    vars: Vec<Term>,
    condition: Term,
    args: Vec<Term>,
    amount: Term,
    triggers: Vec<Vec<Term>>,
    /// Is the amount a wildcard?
    wildcard: bool,
}

/// How the variables of a family depend on the location.
struct Inverse {
    /// Variables as terms over the formals of the resource.
    vars: HashMap<Term, Term>,
    /// Is the location one of the family at all? Over the formals, too.
    image: Term,
}

/// How much later than others facts about reads are used; chains of them end after a few.
const READ_WEIGHT: u32 = 20;

type Values = (Term, Vec<Term>, Term, Vec<Vec<Term>>);

impl Executor<'_> {
    // --- Chunks

    /// The symbols that stand for an arbitrary location of a resource.
    pub fn formals(&mut self, resource: ResourceId) -> Vec<Term> {
        let map = self.symbols.value_map(&mut self.terms, resource);
        let formal = |(i, sort): (usize, &Sort)| {
            let name = format!("formal.{i}.{}", self.terms.signature.sort_text(*sort));
            let fun = self.terms.fun_named(&name, &[], *sort, Meaning::Uninterpreted);
            self.terms.app(fun, &[])
        };
        map.args.iter().enumerate().map(formal).collect()
    }

    /// A term over the formals of a resource at a location.
    fn at(&mut self, resource: ResourceId, term: Term, args: &[Term]) -> Term {
        let formals = self.formals(resource);
        let map: HashMap<Term, Term> = formals.into_iter().zip(args.iter().copied()).collect();
        self.terms.substitute(term, &map)
    }

    /// How much of a location a chunk holds.
    pub fn perm_at(&mut self, chunk: &QuantifiedChunk, args: &[Term]) -> Term {
        self.at(chunk.resource, chunk.perm, args)
    }

    /// The value that a map has at a location.
    fn value_at(&mut self, resource: ResourceId, values: Term, args: &[Term]) -> Term {
        let map = self.symbols.value_map(&mut self.terms, resource);
        let mut full = vec![values];
        full.extend(args);
        self.terms.app(map.lookup, &full)
    }

    /// The value at a location, as a snapshot.
    pub fn snap_at(&mut self, chunk: &QuantifiedChunk, args: &[Term]) -> Term {
        let value = self.value_at(chunk.resource, chunk.values, args);
        self.symbols.wrap(&mut self.terms, value)
    }

    /// Does a location look like those of a chunk?
    pub fn resembles(&self, chunk: &QuantifiedChunk, args: &[Term]) -> bool {
        let Pattern { vars, args: patterns } = &*chunk.pattern;
        patterns.iter().zip(args).all(|(pattern, arg)| self.matches(*pattern, *arg, vars))
    }

    fn matches(&self, pattern: Term, term: Term, vars: &[Term]) -> bool {
        if pattern == term || vars.contains(&pattern) {
            return true;
        }
        if !self.mentions(pattern, vars) {
            // Two names may be the same, two applications of different functions hardly are.
            let atom = |t: Term| matches!(self.terms.node(t), Node::App(_, a) if a.is_empty());
            return atom(pattern) && atom(term) && vars.is_empty();
        }
        match (self.terms.node(pattern), self.terms.node(term)) {
            (Node::App(f, a), Node::App(g, b)) if f == g => {
                a.iter().zip(b).all(|(p, t)| self.matches(*p, *t, vars))
            }
            (Node::Op(..), _) => true,
            _ => false,
        }
    }

    /// What a chunk holds when an amount was taken away at one location.
    pub fn without(&mut self, chunk: &QuantifiedChunk, args: &[Term], amount: Term) -> Term {
        let formals = self.formals(chunk.resource);
        let here = self.same(&formals, args);
        let zero = self.amount(0, 1);
        let less = self.terms.ite(here, amount, zero);
        self.terms.sub(chunk.perm, less)
    }

    /// Adds a quantified chunk to the heap of a state.
    pub fn put_quantified(&mut self, state: &mut State, chunk: QuantifiedChunk) -> Run<()> {
        if let ResourceId::Field(_) = chunk.resource {
            // Of no location there is more than everything.
            let others: Vec<_> =
                state.heap.quantified_of(chunk.resource).map(|(_, c)| c.perm).collect();
            let formals = self.formals(chunk.resource);
            let one = self.amount(1, 1);
            for other in others {
                let sum = self.terms.add(other, chunk.perm);
                let bounded = self.terms.le(sum, one);
                let fact = self.close(Quantifier::Forall, &formals, &[], bounded, None, "bound");
                self.assume(state, fact)?;
            }
        }
        let resource = chunk.resource;
        state.heap.push_quantified(chunk);
        let singles: Vec<Rc<[Term]>> =
            state.heap.of(resource).map(|(_, c)| Rc::clone(&c.args)).collect();
        let heap = state.heap.clone();
        for args in singles {
            self.relate_shares(state, &heap, resource, &args)?;
        }
        Ok(())
    }

    /// Proves something over the formals of a resource for all locations.
    fn prove_everywhere(
        &mut self,
        state: &mut State,
        resource: ResourceId,
        goal: Term,
        quickly: bool,
    ) -> Run<bool> {
        let formals = self.formals(resource);
        let args: Vec<Term> = formals
            .iter()
            .map(|f| {
                let sort = self.terms.sort(*f);
                self.fresh(state, "any", sort)
            })
            .collect();
        let goal = self.at(resource, goal, &args);
        if quickly { self.prove_quickly(state, goal) } else { self.prove(state, goal) }
    }

    // --- Normal form

    /// The simple parts of a quantified assertion, in order: pure quantifiers, and quantified
    /// permissions in normal form.
    fn split_quantifier(&mut self, e: &Arc<Expr>, inhaling: bool) -> Rc<Vec<Arc<Expr>>> {
        let key = (Arc::as_ptr(e), inhaling);
        if let Some((_, parts)) = self.split_quantifiers.get(&key) {
            return Rc::clone(parts);
        }
        let mut parts = Vec::new();
        split(e, &[], &[], &[], inhaling, &mut parts);
        let parts = Rc::new(parts);
        // The original is kept, too: as long as it is, its address is its own.
        self.split_quantifiers.insert(key, (Arc::clone(e), Rc::clone(&parts)));
        parts
    }

    fn eval_family(
        &mut self,
        state: &mut State,
        e: &Arc<Expr>,
        blame: &Blame,
    ) -> Run<Option<Family>> {
        let Some(normal) = normal(e) else {
            return self.unsupported(state, e.pos, "This quantified assertion");
        };
        let constants: Vec<Term> = normal.vars.iter().map(|v| self.havoc(state, *v)).collect();
        let result = self.explore(state, |this, s| {
            s.parameters = s.parameters.iter().chain(&constants).copied().collect();
            let condition = match normal.condition {
                Some(condition) => this.eval(s, condition, blame)?,
                None => this.terms.bool(true),
            };
            this.guard(s, condition)?;
            let Some((_, args)) = this.eval_resource(s, normal.resource, blame)? else {
                return this.unsupported(s, e.pos, "A quantified magic wand");
            };
            let amount = this.eval_amount(s, normal.amount, blame)?;
            this.check_not_negative(s, amount, normal.amount.unwrap_or(e), blame)?;
            let mut sets = Vec::new();
            for trigger in normal.triggers {
                if let Some(set) = this.eval_trigger(s, trigger, blame)? {
                    sets.push(set);
                }
            }
            Ok((condition, args, amount, sets))
        });
        let outcomes: Rc<Vec<Outcome<Values>>> = match result {
            Ok(outcomes) => outcomes,
            Err(Stop::Infeasible) => return Ok(None),
            Err(stop) => return Err(stop),
        };
        self.learn_for_all(state, &outcomes, &constants, &[])?;
        let Some(first) = outcomes.first() else { return Ok(None) };
        let (condition, args, amount, triggers) = first.value.clone();
        // Conditionals cannot be in triggers; locations are.
        let names = self.name_conditionals(state, &args, &constants)?;
        let args: Vec<Term> = args.iter().map(|a| self.terms.substitute(*a, &names)).collect();
        let resource = match normal.resource {
            Resource::Field(_, field, _) => ResourceId::Field(*field),
            Resource::Predicate(predicate, ..) => ResourceId::Predicate(*predicate),
            Resource::Wand(_) => {
                return self.unsupported(state, e.pos, "A quantified magic wand");
            }
        };
        let is_wildcard = |e: &Expr| matches!(e.kind, ExprKind::WildcardPerm);
        let wildcard = normal.amount.is_some_and(|amount| amount.any(is_wildcard));
        Ok(Some(Family { resource, vars: constants, condition, args, amount, triggers, wildcard }))
    }

    /// Assumes what was learnt about arbitrary values for all values. `triggers` are those of the
    /// formula in whose evaluation it was learnt.
    pub fn learn_for_all<R>(
        &mut self,
        state: &mut State,
        outcomes: &[Outcome<R>],
        constants: &[Term],
        triggers: &[Vec<Term>],
    ) -> Run<()> {
        for outcome in outcomes {
            for (guard, fact) in &outcome.facts {
                let original = *fact;
                let fact = self.terms.implies(*guard, original);
                if !self.mentions(fact, constants) {
                    self.assume(state, fact)?;
                    continue;
                }
                // Where a fact is known by itself, and where the formula it comes from is.
                let own = self.known_with(original).map(|value| vec![value]);
                let reads = |t: &Term| self.symbols.is_read(&self.terms, *t);
                let others = triggers.iter().filter(|set| !set.iter().any(reads)).cloned();
                let triggers: Vec<Vec<Term>> = own.into_iter().chain(others).collect();
                // What is read because of what was read must come to an end.
                let weight = self.read_values.contains_key(&original).then_some(READ_WEIGHT);
                let fact =
                    self.close(Quantifier::Forall, constants, &triggers, fact, weight, "aux");
                self.assume(state, fact)?;
            }
        }
        Ok(())
    }

    /// What mentions a fact that says nothing by itself: that something was read is known wherever
    /// its value is mentioned, that a function may be called wherever it is.
    fn known_with(&mut self, fact: Term) -> Option<Term> {
        if let Some(value) = self.read_values.get(&fact) {
            return Some(*value);
        }
        let Node::App(fun, args) = self.terms.node(fact) else { return None };
        let (limited, args) = (self.symbols.limited_of_pre(*fun)?, args.clone());
        Some(self.terms.app(limited, &args))
    }

    /// Where a family has permission: its condition holds and the amount is positive.
    fn active(&mut self, family: &Family) -> Term {
        let zero = self.amount(0, 1);
        let positive = self.terms.lt(zero, family.amount);
        self.terms.and([family.condition, positive])
    }

    /// The positions at which the variables themselves are arguments, if all of them are.
    fn direct(&self, family: &Family) -> Option<Vec<usize>> {
        let position = |v: &Term| family.args.iter().position(|a| a == v);
        family.vars.iter().map(position).collect()
    }

    /// No location may belong to two instances.
    fn check_injective(
        &mut self,
        state: &mut State,
        family: &Family,
        blame: &Blame,
        reason: Reason,
    ) -> Run<()> {
        match self.injective(state, family) {
            Some(goal) => self.check(state, goal, blame, reason),
            None => Ok(()),
        }
    }

    /// That no location belongs to two instances, unless it is obvious.
    fn injective(&mut self, state: &mut State, family: &Family) -> Option<Term> {
        if self.direct(family).is_some() {
            return None;
        }
        let others: Vec<Term> = family
            .vars
            .iter()
            .map(|v| {
                let sort = self.terms.sort(*v);
                self.fresh(state, "other", sort)
            })
            .collect();
        let map: HashMap<Term, Term> =
            family.vars.iter().copied().zip(others.iter().copied()).collect();
        let active = self.active(family);
        let other_active = self.terms.substitute(active, &map);
        let other_args: Vec<Term> =
            family.args.iter().map(|a| self.terms.substitute(*a, &map)).collect();
        let same_place = self.same(&family.args, &other_args);
        let same_vars = self.same(&family.vars, &others);
        let premise = self.terms.and([active, other_active, same_place]);
        Some(self.terms.implies(premise, same_vars))
    }

    /// The inverse of a family's location, defined for locations of the family.
    fn invert(&mut self, state: &mut State, family: &Family) -> Run<Inverse> {
        let formals = self.formals(family.resource);
        if let Some(positions) = self.direct(family) {
            let vars: HashMap<Term, Term> =
                family.vars.iter().copied().zip(positions.iter().map(|p| formals[*p])).collect();
            let mut image = Vec::new();
            for (i, arg) in family.args.iter().enumerate() {
                if !positions.contains(&i) {
                    let arg = self.terms.substitute(*arg, &vars);
                    image.push(self.equal_terms(formals[i], arg));
                }
            }
            let image = self.terms.and(image);
            return Ok(Inverse { vars, image });
        }
        let active = self.active(family);
        let key = self.family_key(family, active);
        let known = state.inverses.get(&key).cloned();
        let functions = match known {
            Some(functions) => functions,
            None => {
                let functions = self.define_inverse(state, family, active, &formals)?;
                state.inverses.insert_mut(key, Rc::clone(&functions));
                functions
            }
        };
        let Some((image, inverses)) = functions.split_last() else {
            return Err(Stop::Infeasible);
        };
        let vars = family.vars.iter().copied().zip(inverses.iter().copied()).collect();
        Ok(Inverse { vars, image: *image })
    }

    /// What the inverse depends on, with the variables replaced by standard ones.
    fn family_key(&mut self, family: &Family, active: Term) -> Vec<Term> {
        let mut map = HashMap::new();
        for (i, var) in family.vars.iter().enumerate() {
            let sort = self.terms.sort(*var);
            let name = format!("standard.{i}.{}", self.terms.signature.sort_text(sort));
            let fun = self.terms.fun_named(&name, &[], sort, Meaning::Uninterpreted);
            let standard = self.terms.app(fun, &[]);
            map.insert(*var, standard);
        }
        let mut parts = vec![active];
        parts.extend(&family.args);
        parts.into_iter().map(|t| self.terms.substitute(t, &map)).collect()
    }

    /// Functions for the variables and, last, for the image, all applied to the formals.
    fn define_inverse(
        &mut self,
        state: &mut State,
        family: &Family,
        active: Term,
        formals: &[Term],
    ) -> Run<Rc<[Term]>> {
        let outer = Rc::clone(&state.parameters);
        state.parameters = outer.iter().chain(formals).copied().collect();
        let mut functions: Vec<Term> = family
            .vars
            .iter()
            .map(|v| {
                let sort = self.terms.sort(*v);
                self.fresh(state, "inv", sort)
            })
            .collect();
        let image = self.fresh(state, "image", Sort::Bool);
        functions.push(image);
        state.parameters = outer;
        let inverses = &functions[..family.vars.len()];
        // From the variables to the location and back.
        let mut there = vec![self.at(family.resource, image, &family.args)];
        for (var, inverse) in family.vars.iter().zip(inverses) {
            let back = self.at(family.resource, *inverse, &family.args);
            there.push(self.terms.eq(back, *var));
        }
        let there = self.terms.and(there);
        let body = self.terms.implies(active, there);
        let triggers = self.family_triggers(family);
        let fact = self.close(Quantifier::Forall, &family.vars, &triggers, body, None, "inverse");
        self.assume(state, fact)?;
        self.invert_computed(state, family, active, &functions)?;
        // From the location to the variables and back.
        let map: HashMap<Term, Term> =
            family.vars.iter().copied().zip(inverses.iter().copied()).collect();
        let args: Vec<Term> = family.args.iter().map(|a| self.terms.substitute(*a, &map)).collect();
        let here = self.same(&args, formals);
        let active = self.terms.substitute(active, &map);
        let premise = self.terms.and([image, active]);
        let body = self.terms.implies(premise, here);
        let triggers: Vec<Vec<Term>> = functions.iter().map(|f| vec![*f]).collect();
        let fact = self.close(Quantifier::Forall, formals, &triggers, body, None, "location");
        self.assume(state, fact)?;
        Ok(functions.into())
    }

    /// For a location with arithmetic in it, `loc(a, i + 1)`: the same for all `j == i + 1`, so that
    /// any `loc(a, j)` is recognised.
    fn invert_computed(
        &mut self,
        state: &mut State,
        family: &Family,
        active: Term,
        functions: &[Term],
    ) -> Run<()> {
        let mut computed = Vec::new();
        for arg in &family.args {
            self.computations(*arg, &family.vars, &mut computed);
        }
        if computed.is_empty() {
            return Ok(());
        }
        let mut map = HashMap::new();
        let mut constants = family.vars.clone();
        let mut premise = vec![active];
        for term in computed {
            let sort = self.terms.sort(term);
            let stand_in = self.fresh(state, "computed", sort);
            constants.push(stand_in);
            premise.push(self.terms.eq(stand_in, term));
            map.insert(term, stand_in);
        }
        let args: Vec<Term> = family.args.iter().map(|a| self.terms.substitute(*a, &map)).collect();
        let there: Vec<Term> =
            functions.iter().map(|f| self.at(family.resource, *f, &args)).collect();
        let triggers: Vec<Vec<Term>> = there.iter().map(|t| vec![*t]).collect();
        let mut locations: Vec<Term> = args.clone();
        locations.retain(|a| matches!(self.terms.node(*a), Node::App(_, args) if !args.is_empty()));
        let mut equations = vec![];
        if let Some((image, inverses)) = there.split_last() {
            equations.push(*image);
            for (var, inverse) in family.vars.iter().zip(inverses) {
                equations.push(self.terms.eq(*inverse, *var));
            }
        }
        let premise = self.terms.and(premise);
        let there = self.terms.and(equations);
        let body = self.terms.implies(premise, there);
        // The variables follow from what is computed: for each of them there is an equation that can
        // be solved, or the trigger does not cover it and the formula is of no use.
        let mut solved = HashMap::new();
        let mut rest = Vec::new();
        for constant in &constants {
            match self.solve(*constant, &map) {
                Some(solution) if family.vars.contains(constant) => {
                    solved.insert(*constant, solution);
                }
                _ => rest.push(*constant),
            }
        }
        let body = self.terms.substitute(body, &solved);
        let mut sets = triggers;
        if !locations.is_empty() {
            sets.push(locations);
        }
        let sets: Vec<Vec<Term>> = sets
            .into_iter()
            .map(|set| set.into_iter().map(|t| self.terms.substitute(t, &solved)).collect())
            .collect();
        let fact = self.close(Quantifier::Forall, &rest, &sets, body, None, "computed");
        self.assume(state, fact)
    }

    /// `i` from `j == i + n` or `j == i - n`.
    fn solve(&mut self, var: Term, computed: &HashMap<Term, Term>) -> Option<Term> {
        let mut found: Vec<(Term, Term)> = computed.iter().map(|(a, b)| (*a, *b)).collect();
        found.sort_unstable();
        for (term, stand_in) in found {
            let Node::Op(op, args) = self.terms.node(term).clone() else { continue };
            let (a, b) = (args[0], args[1]);
            match op {
                Op::Add if a == var && !self.mentions(b, &[var]) => {
                    return Some(self.terms.sub(stand_in, b));
                }
                Op::Add if b == var && !self.mentions(a, &[var]) => {
                    return Some(self.terms.sub(stand_in, a));
                }
                Op::Sub if a == var && !self.mentions(b, &[var]) => {
                    return Some(self.terms.add(stand_in, b));
                }
                _ => {}
            }
        }
        None
    }

    /// The largest sums and differences with these constants in a term.
    fn computations(&self, term: Term, constants: &[Term], found: &mut Vec<Term>) {
        if !self.mentions(term, constants) {
            return;
        }
        if matches!(self.terms.node(term), Node::Op(Op::Add | Op::Sub, _)) {
            if !found.contains(&term) {
                found.push(term);
            }
            return;
        }
        for child in self.terms.children(term) {
            self.computations(child, constants, found);
        }
    }

    /// Where a family is instantiated: at its location, and where the user said.
    fn family_triggers(&mut self, family: &Family) -> Vec<Vec<Term>> {
        // What was read elsewhere is no place to look for permissions.
        let mut sets = family.triggers.clone();
        sets.retain(|set| !set.iter().any(|t| self.symbols.is_read(&self.terms, *t)));
        let applications: Vec<Term> = family
            .args
            .iter()
            .copied()
            .filter(|a| matches!(self.terms.node(*a), Node::App(_, args) if !args.is_empty()))
            .filter(|a| self.mentions(*a, &family.vars) && !self.computes(*a, &family.vars))
            .collect();
        let covered =
            |set: &[Term]| family.vars.iter().all(|v| set.iter().any(|t| self.mentions(*t, &[*v])));
        if covered(&applications) {
            sets.push(applications);
        }
        sets
    }

    /// Is there arithmetic with these constants in a term?
    fn computes(&self, term: Term, constants: &[Term]) -> bool {
        let mut seen = std::collections::HashSet::new();
        let mut pending = vec![term];
        while let Some(term) = pending.pop() {
            if matches!(self.terms.node(term), Node::Op(..)) && self.mentions(term, constants) {
                return true;
            }
            if seen.insert(term) {
                pending.extend(self.terms.children(term));
            }
        }
        false
    }

    /// How much the family has of the location that the formals stand for.
    fn family_perm(&mut self, family: &Family, inverse: &Inverse, factor: Term) -> Term {
        let condition = self.terms.substitute(family.condition, &inverse.vars);
        let amount = self.terms.substitute(family.amount, &inverse.vars);
        let amount = self.terms.mul(amount, factor);
        let here = self.terms.and([inverse.image, condition]);
        let zero = self.amount(0, 1);
        self.terms.ite(here, amount, zero)
    }

    // --- Produce

    /// Produces a quantified assertion.
    pub fn produce_quantified(
        &mut self,
        state: &mut State,
        e: &Arc<Expr>,
        snap: Term,
        factor: Term,
        blame: &Blame,
    ) -> Run<()> {
        let parts = self.split_quantifier(e, true);
        if let [part] = parts.as_slice()
            && normal(part).is_some()
        {
            return self.produce_family(state, part, snap, factor, blame);
        }
        let parts: Vec<(&Arc<Expr>, Blame)> = parts.iter().map(|p| (p, blame.clone())).collect();
        self.produce_parts(state, &parts, snap, factor)
    }

    fn produce_family(
        &mut self,
        state: &mut State,
        e: &Arc<Expr>,
        snap: Term,
        factor: Term,
        blame: &Blame,
    ) -> Run<()> {
        let Some(mut family) = self.eval_family(state, e, blame)? else { return Ok(()) };
        let reason = not_injective(e, state);
        self.check_injective(state, &family, blame, reason)?;
        if state.reading {
            family.amount = self.some_of(state, family.amount)?;
        }
        let active = self.active(&family);
        if let ResourceId::Field(_) = family.resource {
            let null = self.terms.eq(family.args[0], self.symbols.null);
            let not_null = self.terms.not(null);
            let (one, amount) = (self.amount(1, 1), self.terms.mul(family.amount, factor));
            let bounded = self.terms.le(amount, one);
            let facts = self.terms.and([not_null, bounded]);
            let body = self.terms.implies(active, facts);
            let triggers = self.family_triggers(&family);
            let vars = family.vars.clone();
            let fact = self.close(Quantifier::Forall, &vars, &triggers, body, None, "receiver");
            self.assume(state, fact)?;
        }
        let inverse = self.invert(state, &family)?;
        let perm = self.family_perm(&family, &inverse, factor);
        let map = self.symbols.value_map(&mut self.terms, family.resource);
        let values = self.symbols.unwrap(&mut self.terms, snap, map.sort);
        let pattern = Rc::new(Pattern { vars: family.vars, args: family.args });
        let resource = family.resource;
        self.put_quantified(state, QuantifiedChunk { resource, perm, values, pattern })
    }

    // --- Consume

    /// Consumes a quantified assertion.
    pub fn consume_quantified(
        &mut self,
        state: &mut State,
        heap: &mut Heap,
        e: &Arc<Expr>,
        factor: Term,
        blame: &Blame,
    ) -> Run<Term> {
        let parts = self.split_quantifier(e, false);
        if let [part] = parts.as_slice()
            && normal(part).is_some()
        {
            return self.consume_family(state, heap, part, factor, blame);
        }
        let parts: Vec<(&Arc<Expr>, Blame)> = parts.iter().map(|p| (p, blame.clone())).collect();
        self.consume_parts(state, heap, &parts, factor)
    }

    fn consume_family(
        &mut self,
        state: &mut State,
        heap: &mut Heap,
        e: &Arc<Expr>,
        factor: Term,
        blame: &Blame,
    ) -> Run<Term> {
        let Some(family) = self.eval_family(state, e, blame)? else {
            return Ok(self.symbols.unit);
        };
        let reason = not_injective(e, state);
        self.check_injective(state, &family, blame, reason)?;
        let inverse = self.invert(state, &family)?;
        let needed = self.family_perm(&family, &inverse, factor);
        let resource = family.resource;
        let before = heap.clone();
        if family.wildcard || self.is_wildcard(state, factor) {
            self.constrain_everywhere(state, &before, &family, needed, e, blame)?;
        }
        let missing = self.take_everywhere(state, heap, resource, needed)?;
        let zero = self.amount(0, 1);
        let nothing = self.terms.eq(missing, zero);
        if !self.prove_everywhere(state, resource, nothing, false)? {
            let reason = family_reason(e, state);
            return self.fail(state, blame, &reason);
        }
        if !state.want_snap {
            return Ok(self.symbols.unit);
        }
        let values = self.summarise(state, &before, resource, needed)?;
        Ok(self.symbols.wrap(&mut self.terms, values))
    }

    /// Wildcards must be less than what is there, everywhere.
    fn constrain_everywhere(
        &mut self,
        state: &mut State,
        heap: &Heap,
        family: &Family,
        needed: Term,
        e: &Arc<Expr>,
        blame: &Blame,
    ) -> Run<()> {
        let resource = family.resource;
        let formals = self.formals(resource);
        let held = self.held(heap, resource, &formals);
        let zero = self.amount(0, 1);
        let wanted = self.terms.lt(zero, needed);
        let some = self.terms.lt(zero, held);
        let goal = self.terms.implies(wanted, some);
        if !self.prove_everywhere(state, resource, goal, false)? {
            let reason = family_reason(e, state);
            return self.fail(state, blame, &reason);
        }
        let (needed, held) =
            (self.at(resource, needed, &family.args), self.at(resource, held, &family.args));
        let smaller = self.terms.lt(needed, held);
        let active = self.active(family);
        let body = self.terms.implies(active, smaller);
        let triggers = self.family_triggers(family);
        let vars = family.vars.clone();
        let fact = self.close(Quantifier::Forall, &vars, &triggers, body, None, "wildcard");
        self.assume(state, fact)
    }

    /// Takes an amount at every location, from one chunk after the other, and returns what is still
    /// missing.
    fn take_everywhere(
        &mut self,
        state: &mut State,
        heap: &mut Heap,
        resource: ResourceId,
        needed: Term,
    ) -> Run<Term> {
        let zero = self.amount(0, 1);
        let formals = self.formals(resource);
        let mut missing = needed;
        let indices: Vec<usize> = heap.of(resource).map(|(i, _)| i).collect();
        let mut empty = Vec::new();
        for index in indices {
            let chunk = heap.chunks()[index].clone();
            let here = self.at(resource, missing, &chunk.args);
            let all = self.terms.le(chunk.perm, here);
            let none = self.terms.le(here, zero);
            let taken = if self.prove_quickly(state, all)? {
                empty.push(index);
                chunk.perm
            } else if self.prove_quickly(state, none)? {
                continue;
            } else {
                self.minimum(here, chunk.perm)
            };
            heap.get_mut(index).perm = self.terms.sub(chunk.perm, taken);
            let same = self.same(&formals, &chunk.args);
            let less = self.terms.ite(same, taken, zero);
            missing = self.terms.sub(missing, less);
        }
        for index in empty.into_iter().rev() {
            heap.remove(index);
        }
        let mut empty = Vec::new();
        let chunks: Vec<(usize, QuantifiedChunk)> = heap.quantified_of(resource).collect();
        for (index, chunk) in chunks {
            if missing == chunk.perm {
                empty.push(index);
                missing = zero;
                break;
            }
            let enough = self.terms.le(missing, chunk.perm);
            let (taken, done) = if self.prove_everywhere(state, resource, enough, true)? {
                (missing, true)
            } else {
                (self.minimum(missing, chunk.perm), false)
            };
            let rest = self.terms.sub(chunk.perm, taken);
            let gone = self.terms.eq(rest, zero);
            if self.prove_everywhere(state, resource, gone, true)? {
                empty.push(index);
            } else {
                heap.quantified_mut(index).perm = rest;
            }
            if done {
                missing = zero;
                break;
            }
            missing = self.terms.sub(missing, taken);
        }
        for index in empty.into_iter().rev() {
            heap.remove_quantified(index);
        }
        Ok(missing)
    }

    /// A map with the values of all locations where `needed` is positive, and with nothing else in
    /// its domain.
    fn summarise(
        &mut self,
        state: &mut State,
        heap: &Heap,
        resource: ResourceId,
        needed: Term,
    ) -> Run<Term> {
        let singles: Vec<_> = heap.of(resource).map(|(_, c)| c.clone()).collect();
        let quantified: Vec<_> = heap.quantified_of(resource).map(|(_, c)| c).collect();
        let which = match resource {
            ResourceId::Field(id) => i64::from(id.0),
            ResourceId::Predicate(id) => -1 - i64::from(id.0),
        };
        let mut key = vec![self.terms.int(which), needed];
        for chunk in &singles {
            key.extend(chunk.args.iter().chain([&chunk.snap, &chunk.perm]));
        }
        for chunk in &quantified {
            key.extend([chunk.values, chunk.perm]);
        }
        if let Some(values) = state.summaries.get(&key) {
            return Ok(*values);
        }
        let map = self.symbols.value_map(&mut self.terms, resource);
        let formals = self.formals(resource);
        let values = self.fresh(state, "values", map.sort);
        let zero = self.amount(0, 1);
        let inside = self.terms.lt(zero, needed);
        let mut full = vec![values];
        full.extend(&formals);
        let has = self.terms.app(map.domain, &full);
        let at = self.terms.app(map.lookup, &full);
        let body = self.terms.eq(has, inside);
        let fact = self.close(Quantifier::Forall, &formals, &[vec![has]], body, None, "domain");
        self.assume(state, fact)?;
        for chunk in &singles {
            let here = self.at(resource, inside, &chunk.args);
            let positive = self.terms.lt(zero, chunk.perm);
            let premise = self.terms.and([here, positive]);
            let value = self.at(resource, at, &chunk.args);
            let snap = self.symbols.wrap(&mut self.terms, value);
            let agree = self.terms.eq(snap, chunk.snap);
            let fact = self.terms.implies(premise, agree);
            self.assume(state, fact)?;
        }
        for chunk in &quantified {
            let positive = self.terms.lt(zero, chunk.perm);
            let premise = self.terms.and([inside, positive]);
            let original = self.value_at(resource, chunk.values, &formals);
            let agree = self.terms.eq(at, original);
            let body = self.terms.implies(premise, agree);
            let triggers = [vec![at], vec![original]];
            let fact = self.close(Quantifier::Forall, &formals, &triggers, body, None, "values");
            self.assume(state, fact)?;
        }
        state.summaries.insert_mut(key, values);
        Ok(values)
    }

    // --- Frame and assume

    /// Checks a quantified assertion and returns its snapshot, without taking anything.
    pub fn frame_quantified(
        &mut self,
        state: &mut State,
        e: &Arc<Expr>,
        blame: &Blame,
    ) -> Run<Term> {
        let parts = self.split_quantifier(e, false);
        if !matches!(parts.as_slice(), [part] if normal(part).is_some()) {
            return self.frame_all(state, &parts, blame);
        }
        let e = &parts[0];
        let Some(family) = self.eval_family(state, e, blame)? else {
            return Ok(self.symbols.unit);
        };
        let reason = not_injective(e, state);
        self.check_injective(state, &family, blame, reason)?;
        let inverse = self.invert(state, &family)?;
        let one = self.amount(1, 1);
        let needed = self.family_perm(&family, &inverse, one);
        let formals = self.formals(family.resource);
        let heap = state.heap.clone();
        let held = self.held(&heap, family.resource, &formals);
        let zero = self.amount(0, 1);
        let wanted = self.terms.lt(zero, needed);
        let some = self.terms.lt(zero, held);
        let goal = self.terms.implies(wanted, some);
        if !state.lenient && !self.prove_everywhere(state, family.resource, goal, false)? {
            let reason = family_reason(e, state);
            return self.fail(state, blame, &reason);
        }
        // How much it is does not matter for the values.
        let needed = self.terms.ite(wanted, one, zero);
        let values = self.summarise(state, &heap, family.resource, needed)?;
        Ok(self.symbols.wrap(&mut self.terms, values))
    }

    /// Assumes that permissions are there.
    pub fn assume_quantified(
        &mut self,
        state: &mut State,
        heap: &mut Heap,
        e: &Arc<Expr>,
        condition: Term,
        blame: &Blame,
    ) -> Run<()> {
        for part in self.split_quantifier(e, true).iter() {
            if normal(part).is_none() {
                self.assume_all(state, heap, part, condition, blame)?;
                continue;
            }
            let Some(mut family) = self.eval_family(state, part, blame)? else { continue };
            family.condition = self.terms.and([condition, family.condition]);
            let held = self.held(heap, family.resource, &family.args);
            let enough = self.terms.le(family.amount, held);
            let body = self.terms.implies(family.condition, enough);
            let triggers = self.family_triggers(&family);
            let vars = family.vars.clone();
            let fact = self.close(Quantifier::Forall, &vars, &triggers, body, None, "assume");
            self.assume(state, fact)?;
            // Without an inverse nothing is set aside: less is assumed of what follows.
            if let Some(goal) = self.injective(state, &family)
                && !self.prove(state, goal)?
            {
                continue;
            }
            let inverse = self.invert(state, &family)?;
            let one = self.amount(1, 1);
            let needed = self.family_perm(&family, &inverse, one);
            self.take_everywhere(state, heap, family.resource, needed)?;
        }
        Ok(())
    }

    // --- Havoc

    /// Forgets the values of a resource where a condition over its formals holds.
    pub fn havoc_where(
        &mut self,
        state: &mut State,
        resource: ResourceId,
        region: Term,
    ) -> Run<()> {
        // One map of new values, so that chunks of one location agree on them.
        let map = self.symbols.value_map(&mut self.terms, resource);
        let fresh = self.fresh(state, "values", map.sort);
        let singles: Vec<usize> = state.heap.of(resource).map(|(i, _)| i).collect();
        for index in singles {
            let chunk = state.heap.chunks()[index].clone();
            let here = self.at(resource, region, &chunk.args);
            let new = self.value_at(resource, fresh, &chunk.args);
            let new = self.symbols.wrap(&mut self.terms, new);
            let snap = self.terms.ite(here, new, chunk.snap);
            state.heap.get_mut(index).snap = snap;
        }
        let quantified: Vec<(usize, QuantifiedChunk)> =
            state.heap.quantified_of(resource).collect();
        let formals = self.formals(resource);
        for (index, chunk) in quantified {
            let values = self.fresh(state, "values", map.sort);
            let own = self.value_at(resource, values, &formals);
            let new = self.value_at(resource, fresh, &formals);
            let old = self.value_at(resource, chunk.values, &formals);
            let right = self.terms.ite(region, new, old);
            let body = self.terms.eq(own, right);
            let triggers = [vec![own], vec![old], vec![new]];
            let fact = self.close(Quantifier::Forall, &formals, &triggers, body, None, "havoc");
            self.assume(state, fact)?;
            state.heap.quantified_mut(index).values = values;
        }
        Ok(())
    }

    /// `quasihavocall vars :: condition ==> resource`
    pub fn quasihavocall(
        &mut self,
        state: &mut State,
        vars: &[LocalId],
        condition: Option<&Arc<Expr>>,
        resource: &Resource,
        blame: &Blame,
    ) -> Run<()> {
        // As if all of it was given away and came back.
        let pos = resource.pos();
        let acc = Expr::new(ExprKind::Acc(resource.clone(), None), Type::Bool, pos);
        let body = match condition {
            Some(c) => Expr::binary_bool(BinOp::Implies, Arc::clone(c), acc, pos),
            None => acc,
        };
        let kind = ExprKind::Quant {
            quantifier: SourceQuantifier::Forall,
            vars: vars.to_vec(),
            triggers: Vec::new(),
            body,
        };
        let e = Expr::new(kind, Type::Bool, pos);
        self.kept.push(Arc::clone(&e));
        let blame = &Blame { pos, ..blame.clone() };
        let Some(family) = self.eval_family(state, &e, blame)? else { return Ok(()) };
        let reason = Reason { id: "quasihavocall.not.injective", ..not_injective(&e, state) };
        self.check_injective(state, &family, blame, reason)?;
        let inverse = self.invert(state, &family)?;
        let condition = self.terms.substitute(family.condition, &inverse.vars);
        let region = self.terms.and([inverse.image, condition]);
        self.havoc_where(state, family.resource, region)
    }
}

fn not_injective(e: &Arc<Expr>, state: &State) -> Reason {
    let mut reason = Reason::new("qp.not.injective", e, state.owner);
    if let Some(normal) = normal(e) {
        reason.pos = normal.resource.pos();
    }
    reason
}

fn family_reason(e: &Arc<Expr>, state: &State) -> Reason {
    match normal(e) {
        Some(normal) => resource_reason(e, normal.resource, state.owner),
        None => Reason::new("insufficient.permission", e, state.owner),
    }
}

/// Reads the normal form.
fn normal(e: &Arc<Expr>) -> Option<Normal<'_>> {
    let ExprKind::Quant { quantifier: SourceQuantifier::Forall, vars, triggers, body } = &e.kind
    else {
        return None;
    };
    let (condition, acc) = match &body.kind {
        ExprKind::Binary(BinOp::Implies, c, acc) => (Some(c), acc),
        _ => (None, body),
    };
    let ExprKind::Acc(resource, amount) = &acc.kind else { return None };
    Some(Normal { vars, triggers, condition, resource, amount: amount.as_ref() })
}

/// Brings the parts of a quantified assertion into normal form.
fn split(
    e: &Arc<Expr>,
    vars: &[LocalId],
    triggers: &[Vec<Arc<Expr>>],
    conditions: &[Arc<Expr>],
    inhaling: bool,
    parts: &mut Vec<Arc<Expr>>,
) {
    let with = |c: &Arc<Expr>| {
        let mut conditions = conditions.to_vec();
        conditions.push(Arc::clone(c));
        conditions
    };
    match &e.kind {
        ExprKind::Quant {
            quantifier: SourceQuantifier::Forall,
            vars: more,
            triggers: sets,
            body,
        } if vars.is_empty() || !e.is_pure() => {
            let vars: Vec<LocalId> = vars.iter().chain(more).copied().collect();
            let sets = if triggers.is_empty() { sets } else { triggers };
            split(body, &vars, sets, conditions, inhaling, parts);
        }
        _ if e.is_pure() => parts.push(quantify(e, vars, triggers, conditions)),
        ExprKind::Binary(BinOp::And, a, b) => {
            split(a, vars, triggers, conditions, inhaling, parts);
            split(b, vars, triggers, conditions, inhaling, parts);
        }
        ExprKind::Binary(BinOp::Implies, c, a) => {
            split(a, vars, triggers, &with(c), inhaling, parts);
        }
        ExprKind::Cond(c, a, b) => {
            split(a, vars, triggers, &with(c), inhaling, parts);
            split(b, vars, triggers, &with(&Expr::not(Arc::clone(c))), inhaling, parts);
        }
        ExprKind::InhaleExhale(a, b) => {
            let side = if inhaling { a } else { b };
            split(side, vars, triggers, conditions, inhaling, parts);
        }
        ExprKind::Let(local, value, body) => {
            // The value must make sense before there is any permission.
            let yes = Expr::bool(true, value.pos);
            let kind = ExprKind::Let(*local, Arc::clone(value), yes);
            let defined = Expr::new(kind, Type::Bool, value.pos);
            parts.push(quantify(&defined, vars, triggers, conditions));
            let body = body.substitute(&|id| (id == *local).then(|| Arc::clone(value)));
            split(&body, vars, triggers, conditions, inhaling, parts);
        }
        _ => parts.push(quantify(e, vars, triggers, conditions)),
    }
}

fn quantify(
    e: &Arc<Expr>,
    vars: &[LocalId],
    triggers: &[Vec<Arc<Expr>>],
    conditions: &[Arc<Expr>],
) -> Arc<Expr> {
    let mut body = Arc::clone(e);
    if !conditions.is_empty() {
        let condition = Expr::conjunction(conditions.iter().cloned(), e.pos);
        body = Expr::binary_bool(BinOp::Implies, condition, body, e.pos);
    }
    let kind = ExprKind::Quant {
        quantifier: SourceQuantifier::Forall,
        vars: vars.to_vec(),
        triggers: triggers.to_vec(),
        body,
    };
    Expr::new(kind, Type::Bool, e.pos)
}
