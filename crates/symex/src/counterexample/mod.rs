//! Values for which a proof fails.
//!
//! The solver proposes a model. Nobody sees it before it was evaluated ([`world`] with `world::interpret`): the
//! assertion that fails is false in it, permission is short where it is missing, and what is known on
//! the path holds. Formulas with quantifiers are tried on the values that the model mentions; an
//! instance that does not hold is what the solver is told before it is asked again.

mod show;
mod value;
mod world;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::time::{Duration, Instant};

use num_rational::BigRational;
use num_traits::Zero;
use smt::{FunId, Limits, Node, Sort, Term};
use viper::core::{Adt, DomainFunctionId, LocalId, Type};

use crate::diagnostics::Reason;
use crate::diagnostics::{ReasonKind, Shortage, Unproved};
use crate::encoding::CollectionFunction;
use crate::encoding::{SnapFunctions, Use};
use crate::prover::{Entry, Prover};
use crate::state::{Heap, State};
use crate::verdict::Counterexample;

use show::{Rows, Shown};
use value::Value;
use world::{Env, Mentioned, Places, Role, Scene, World};

/// Work for one proposal of the solver.
const WORK: u64 = 3_000_000;
/// Time for all of them.
const PATIENCE: Duration = Duration::from_secs(2);
/// Instances that the solver is told one after the other.
const ROUNDS: usize = 12;

/// What an evaluation says of a model.
enum Verdict {
    Confirmed(Counterexample),
    /// An instance of what is known does not hold.
    Refuted(Term, Env, Vec<(Term, smt::Value)>),
    /// Functions are not what their definitions say.
    Corrected(Vec<(Term, Vec<Value>, Value)>),
    Rejected,
}

/// What has to be evaluated.
struct Question<'a> {
    facts: &'a [Term],
    goal: Term,
    shortage: Option<(&'a Shortage, Vec<Heap>)>,
    reason: &'a Reason,
    /// The variables of the state, and of which of them the expression of the reason is about.
    store: Vec<(LocalId, Term)>,
    heap: Rows,
    old: Option<Rows>,
    labels: Vec<(viper::core::LabelId, Rows)>,
}

impl Prover<'_> {
    /// Values of the variables and of what is held for which a proof fails. Not confirmed, and empty,
    /// if there are none that stand up to being evaluated.
    pub fn counterexample(
        &mut self,
        state: &State,
        unproved: Option<Unproved>,
        reason: &Reason,
    ) -> Option<Counterexample> {
        let started = Instant::now();
        let Unproved { mut goal, shortage } =
            unproved.unwrap_or_else(|| Unproved { goal: self.terms.bool(false), shortage: None });
        // What a wand is packaged from counts, too.
        let mut around = Vec::new();
        if let Some(shortage) = &shortage {
            for reserve in state.reserves.iter() {
                around.push(self.remaining(reserve));
            }
            if !around.is_empty() {
                let Shortage { resource, args, amount, some, heap } = shortage;
                let mut held = self.held(heap, resource.at(args));
                for heap in &around {
                    let more = self.held(heap, resource.at(args));
                    held = self.terms.add(held, more);
                }
                goal = self.enough(held, *amount, *some);
            }
        }
        let facts = self.path_facts();
        let shown = self.shown(state, reason);
        let heap = self.rows(&state.heap);
        let old = state.old.as_ref().map(|heap| self.rows(heap));
        let labels: Vec<_> =
            state.labels.iter().map(|(label, heap)| (*label, self.rows(heap))).collect();
        let question = Question {
            facts: &facts,
            goal,
            shortage: shortage.as_ref().map(|s| (s, around)),
            reason,
            store: state.store.values().collect(),
            heap,
            old,
            labels,
        };
        let roles = self.roles();
        let pins = self.pins(&question, &shown, &roles);
        for preference in self.preferences(&shown) {
            let mut told = preference;
            for _ in 0..ROUNDS {
                if started.elapsed() > PATIENCE {
                    return Some(Counterexample::default());
                }
                match self.propose(&question, &shown, &roles, &pins, &told)? {
                    Verdict::Confirmed(example) => return Some(example),
                    Verdict::Refuted(formula, env, names) => {
                        match self.instance(formula, &env, &names) {
                            Some(instance) if !told.contains(&instance) => told.push(instance),
                            _ => break,
                        }
                    }
                    Verdict::Corrected(corrections) => {
                        let before = told.len();
                        for (application, args, value) in corrections {
                            if let Some(lesson) = self.lesson(application, &args, &value)
                                && !told.contains(&lesson)
                            {
                                told.push(lesson);
                            }
                        }
                        if told.len() == before {
                            break;
                        }
                    }
                    Verdict::Rejected => break,
                }
            }
        }
        Some(Counterexample::default())
    }

    /// What is known on the path.
    fn path_facts(&self) -> Vec<Term> {
        let mut seen = HashSet::new();
        let facts = self.trail().iter().filter_map(|entry| match entry {
            Entry::Fact(t)
            | Entry::Proved(t)
            | Entry::Lasting(t, _)
            | Entry::Guard(t)
            | Entry::Side(t) => Some(*t),
            Entry::Fork(..) => None,
        });
        facts.filter(|t| seen.insert(*t)).collect()
    }

    /// Constraints to try, one after the other: what keeps a model small, and references from being the
    /// same by chance.
    fn preferences(&mut self, shown: &Shown) -> Vec<Vec<Term>> {
        let reference = self.ref_sort();
        let values: Vec<Term> = shown.variables.iter().map(|(_, value)| *value).collect();
        let refs: Vec<Term> =
            values.iter().copied().filter(|v| self.terms.sort(*v) == reference).collect();
        let mut distinct = Vec::new();
        for (i, a) in refs.iter().enumerate() {
            for b in refs[..i].iter().chain([&self.null()]) {
                let same = self.terms.eq(*a, *b);
                distinct.push(self.terms.not(same));
            }
        }
        let mut small = Vec::new();
        let most = self.terms.int(3);
        for value in values {
            let ty = self.type_of(self.terms.sort(value));
            let op = match ty {
                Type::Seq(_) => CollectionFunction::SeqLength,
                Type::Set(_) => CollectionFunction::SetCard,
                Type::Multiset(_) => CollectionFunction::MultisetCard,
                Type::Map(_) => CollectionFunction::MapCard,
                _ => continue,
            };
            let size = self.collection(&ty, op, &[value], Sort::Int);
            small.push(self.terms.le(size, most));
        }
        let both: Vec<Term> = distinct.iter().chain(&small).copied().collect();
        let mut preferences: Vec<Vec<Term>> = Vec::new();
        for constraints in [both, Vec::new(), small, distinct] {
            if !preferences.contains(&constraints) {
                preferences.push(constraints);
            }
        }
        preferences
    }

    /// Asks the solver and evaluates what it says. `None` if it says nothing any more.
    fn propose(
        &mut self,
        question: &Question<'_>,
        shown: &Shown,
        roles: &HashMap<FunId, Role>,
        pins: &[Term],
        told: &[Term],
    ) -> Option<Verdict> {
        self.flush_symbols().ok()?;
        let timeout = self.timeout().min(PATIENCE);
        let limits = Limits { rlimit: Some(WORK), timeout };
        let found = self.model(told, question.goal, limits, pins);
        let Some((model, values)) = found.ok()? else { return Some(Verdict::Rejected) };
        let pinned = pins
            .iter()
            .zip(values)
            .filter_map(|(term, text)| Some((*term, smt::Value::read(&text?)?)))
            .collect::<HashMap<Term, smt::Value>>();
        let mut verdict = Verdict::Rejected;
        for mentioned in [Mentioned::OnPath, Mentioned::InModel] {
            let (model, pinned) = (model.clone(), pinned.clone());
            let mut world = World::new(self, model, roles, pinned, mentioned);
            verdict = self.evaluate(&mut world, question, shown);
            match verdict {
                Verdict::Confirmed(_) => break,
                Verdict::Rejected if !world.corrections.is_empty() => {
                    verdict = Verdict::Corrected(std::mem::take(&mut world.corrections));
                }
                _ => {}
            }
        }
        Some(verdict)
    }

    /// Does a model stand up to being evaluated?
    fn evaluate(
        &self,
        world: &mut World<'_, '_>,
        question: &Question<'_>,
        shown: &Shown,
    ) -> Verdict {
        for fact in question.facts {
            let holds = world.value(*fact).and_then(|value| value.as_bool());
            if holds == Some(false) {
                return self.refutation(world, question);
            }
            // What is said of all values cannot be known of all of them.
            if holds.is_none() && !self.has_quantifier(*fact) {
                return Verdict::Rejected;
            }
            world.refuted = None;
        }
        let fails = world.value(question.goal).and_then(|value| value.as_bool()) == Some(false);
        // What nobody has asked for can still be chosen so that axioms hold.
        world.only_applied = true;
        for axiom in self.axiom_terms() {
            if world.fresh_value(*axiom).and_then(|value| value.as_bool()) == Some(false) {
                return self.refutation(world, question);
            }
        }
        world.only_applied = false;
        let short = question
            .shortage
            .as_ref()
            .is_none_or(|(shortage, around)| self.is_short(world, shortage, around) == Some(true));
        if !fails || !short || world.inconsistent || self.holds_after_all(world, question) {
            return Verdict::Rejected;
        }
        match self.show(world, question, shown) {
            Some(example) if !world.inconsistent => Verdict::Confirmed(example),
            _ => Verdict::Rejected,
        }
    }

    /// What does not hold, if it is an instance of something.
    fn refutation(&self, world: &mut World<'_, '_>, question: &Question<'_>) -> Verdict {
        match world.refuted.take() {
            Some((formula, env)) => {
                world.only_applied = false;
                let names = self.names_of(world, question, &env);
                Verdict::Refuted(formula, env, names)
            }
            None => Verdict::Rejected,
        }
    }

    /// Is less held than is needed? Every chunk that is at the location counts.
    fn is_short(
        &self,
        world: &mut World<'_, '_>,
        shortage: &Shortage,
        around: &[Heap],
    ) -> Option<bool> {
        let Shortage { resource, args, amount, some, heap } = shortage;
        let location: Option<Vec<Value>> = args.iter().map(|a| world.value(*a)).collect();
        let location = location?;
        let mut held = BigRational::zero();
        for heap in [heap].into_iter().chain(around) {
            for (_, chunk) in heap.of(*resource) {
                let place: Option<Vec<Value>> =
                    chunk.args.iter().map(|a| world.value(*a)).collect();
                if place? == location {
                    held += world.value(chunk.perm)?.as_perm()?;
                }
            }
            for (_, chunk) in heap.quantified_of(*resource) {
                let formals = self.known_formals(*resource)?;
                held += world.share(&chunk, &formals, &location)?;
            }
        }
        let needed = world.value(*amount)?.as_perm()?;
        Some(if *some { !needed.is_zero() && held <= BigRational::zero() } else { held < needed })
    }

    /// Evaluates the expression that fails as it is written in the program. What cannot be evaluated
    /// was evaluated as a formula.
    fn holds_after_all(&self, world: &mut World<'_, '_>, question: &Question<'_>) -> bool {
        let Some((expr, _)) = &question.reason.expr else { return false };
        let mut scene =
            Scene { heap: Rc::new(self.places(world, &question.heap)), ..Scene::default() };
        for (local, term) in &question.store {
            if let Some(value) = world.value(*term) {
                scene.store.insert(*local, value);
            }
        }
        if let Some(old) = &question.old {
            scene.old = Some(Rc::new(self.places(world, old)));
        }
        for (label, rows) in &question.labels {
            scene.labels.insert(*label, Rc::new(self.places(world, rows)));
        }
        let Some(value) = world.interpret(&scene, expr) else { return false };
        match question.reason.kind {
            ReasonKind::AssertionFalse => value == Value::Bool(true),
            ReasonKind::DivisionByZero => value.as_perm().is_some_and(|p| !p.is_zero()),
            ReasonKind::SeqIndexNegative | ReasonKind::NegativePermission => {
                value.as_perm().is_some_and(|p| p >= BigRational::zero())
            }
            _ => false,
        }
    }

    /// What is held of a heap in a world.
    fn places(&self, world: &mut World<'_, '_>, rows: &Rows) -> Places {
        let mut places = Places::default();
        for row in &rows.single {
            let held = world.value(row.perm).and_then(|p| p.as_perm());
            if held.is_none_or(|p| p <= BigRational::zero()) {
                continue;
            }
            let args: Option<Vec<Value>> = row.args.iter().map(|a| world.value(*a)).collect();
            let Some(mut args) = args else { continue };
            match row.resource {
                crate::state::ResourceId::Field(field) => {
                    if let (Some(object), Some(value)) =
                        (args.pop(), row.value.and_then(|v| world.value(v)))
                    {
                        places.fields.push((field, object, value));
                    }
                }
                crate::state::ResourceId::Predicate(id) => {
                    if let Some(snap) = world.eval(row.snap, &Env::new()).and_then(|k| k.raw) {
                        places.predicates.push((id, args, snap));
                    }
                }
                crate::state::ResourceId::Wand(_) => {}
            }
        }
        for chunk in &rows.quantified {
            if let Some(formals) = self.known_formals(chunk.resource) {
                places.quantified.push((chunk.clone(), formals.into()));
            }
        }
        places
    }

    fn has_quantifier(&self, term: Term) -> bool {
        let mut seen = HashSet::new();
        let mut pending = vec![term];
        while let Some(term) = pending.pop() {
            if matches!(self.terms.node(term), Node::Quant(_)) {
                return true;
            }
            if seen.insert(term) {
                pending.extend(self.terms.children(term));
            }
        }
        false
    }

    /// Constants for the elements that an instance mentions.
    fn names_of(
        &self,
        world: &mut World<'_, '_>,
        question: &Question<'_>,
        env: &Env,
    ) -> Vec<(Term, smt::Value)> {
        let elements: Vec<&smt::Value> =
            env.iter().filter_map(|(_, known)| known.raw.as_ref()).collect();
        let mut names = Vec::new();
        let mut seen = HashSet::new();
        let mut pending: Vec<Term> = question.facts.to_vec();
        pending.extend([question.goal, self.null()]);
        pending.extend(question.store.iter().map(|(_, value)| *value));
        while let Some(term) = pending.pop() {
            if names.len() >= elements.len() || seen.len() > 20_000 {
                break;
            }
            if !seen.insert(term) {
                continue;
            }
            pending.extend(self.terms.children(term));
            if matches!(self.terms.node(term), Node::App(..)) && self.terms.free(term).is_empty() {
                let raw = world.eval(term, &Env::new()).and_then(|known| known.raw);
                if let Some(raw) = raw.filter(|raw| elements.contains(&raw))
                    && !names.iter().any(|(_, known)| *known == raw)
                {
                    names.push((term, raw));
                }
            }
        }
        names
    }

    /// A quantified formula for given values.
    fn instance(&mut self, formula: Term, env: &Env, names: &[(Term, smt::Value)]) -> Option<Term> {
        let Node::Quant(quant) = self.terms.node(formula).clone() else { return None };
        let mut map = HashMap::new();
        for (var, known) in env {
            let value = match self.literal(&known.value) {
                Some(literal) => literal,
                None => names.iter().find(|(_, raw)| known.raw.as_ref() == Some(raw))?.0,
            };
            let var = self.terms.bound_term(*var);
            map.insert(var, value);
        }
        Some(self.terms.substitute(quant.body, &map))
    }

    /// What a function is for given arguments, if both can be written down.
    fn lesson(&mut self, application: Term, args: &[Value], value: &Value) -> Option<Term> {
        let Node::App(_, terms) = self.terms.node(application).clone() else { return None };
        let mut conditions = Vec::new();
        // The first argument is a snapshot: what there is in it is not written down.
        for (term, value) in terms.iter().zip(args).skip(1) {
            let value = self.literal(value)?;
            conditions.push(self.terms.eq(*term, value));
        }
        if terms.first() != Some(&self.unit()) {
            return None;
        }
        let value = self.literal(value)?;
        let equation = self.terms.eq(application, value);
        let condition = self.terms.and(conditions);
        Some(self.terms.implies(condition, equation))
    }

    fn literal(&mut self, value: &Value) -> Option<Term> {
        match value {
            Value::Int(i) => Some(self.terms.int(i.clone())),
            Value::Bool(b) => Some(self.terms.bool(*b)),
            Value::Perm(p) => Some(self.terms.real(p.clone())),
            _ => None,
        }
    }

    /// What the symbols of the unit stand for.
    fn roles(&mut self) -> HashMap<FunId, Role> {
        let mut roles = HashMap::new();
        let SnapFunctions { pair, first, second } = self.snap_functions();
        roles.extend([(pair, Role::Pair), (first, Role::First), (second, Role::Second)]);
        for (fun, op) in self.collection_functions() {
            roles.insert(fun, Role::Collection(op));
        }
        for what in self.uses().to_vec() {
            match what {
                Use::DomainFunction(id, types) => {
                    let fun = self.domain_function(id, &types);
                    let domain = self.program.domain(self.program.domain_function(id).domain);
                    let role = domain.adt.as_ref().and_then(|adt| adt_role(adt, id));
                    roles.insert(fun, role.unwrap_or(Role::Domain));
                }
                Use::Function(id) => {
                    let symbols = self.function(id);
                    roles.insert(symbols.full, Role::Function(id));
                    roles.insert(symbols.limited, Role::Function(id));
                }
                _ => {}
            }
        }
        roles
    }

    /// Terms whose values are asked for: parts of snapshots that need not have parts, which nothing else
    /// says, elements, and integers that are asked for in sets.
    fn pins(
        &self,
        question: &Question<'_>,
        shown: &Shown,
        roles: &HashMap<FunId, Role>,
    ) -> Vec<Term> {
        let mut pins = Vec::new();
        let mut seen = HashSet::new();
        let mut pending = question.facts.to_vec();
        pending.extend([question.goal, self.null()]);
        pending.extend(shown.variables.iter().map(|(_, value)| *value));
        for rows in [&question.heap].into_iter().chain(&question.old).chain(&shown.states) {
            pending.extend(
                rows.single
                    .iter()
                    .flat_map(|r| r.args.iter().copied().chain([r.perm, r.snap]).chain(r.value)),
            );
            pending.extend(rows.quantified.iter().flat_map(|c| [c.perm, c.values]));
        }
        while let Some(term) = pending.pop() {
            if pins.len() >= 2000 {
                break;
            }
            if !seen.insert(term) {
                continue;
            }
            pending.extend(self.terms.children(term));
            if let Node::App(fun, args) = self.terms.node(term)
                && matches!(roles.get(fun), Some(Role::Collection(op)) if asks_for_elements(*op))
            {
                let is_element =
                    |t: &Term| self.terms.sort(*t) == Sort::Int && self.terms.free(*t).is_empty();
                pins.extend(args.iter().copied().filter(is_element));
            }
            if !self.terms.free(term).is_empty() {
                continue;
            }
            let parts = self.snap_functions();
            let is_part = matches!(self.terms.node(term), Node::App(fun, _)
                if *fun == parts.first || *fun == parts.second);
            let sort = self.terms.sort(term);
            let is_element = matches!(sort, Sort::Named(_))
                && matches!(self.type_of(sort), Type::Ref | Type::Domain(..))
                && sort != self.snap_sort();
            if is_part || is_element {
                pins.push(term);
            }
        }
        pins
    }
}

/// Does an operation have elements of a collection for arguments, or keys?
fn asks_for_elements(op: CollectionFunction) -> bool {
    !op.is_of_sequences()
}

/// What a function of a data type does.
fn adt_role(adt: &Adt, id: DomainFunctionId) -> Option<Role> {
    if adt.tag == id {
        return Some(Role::Tag(adt.constructors.iter().map(|c| c.function).collect()));
    }
    for constructor in &adt.constructors {
        if constructor.function == id {
            return Some(Role::Constructor(id));
        }
        if constructor.discriminator == id {
            return Some(Role::Discriminator(constructor.function));
        }
        if let Some(index) = constructor.destructors.iter().position(|d| *d == id) {
            return Some(Role::Destructor(constructor.function, index));
        }
    }
    None
}
