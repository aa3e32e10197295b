//! Small heaps in which a goal fails.
//!
//! Within so many locations of each type everything that GRASS says is ground: quantifiers over locations are
//! conjunctions, `Btwn` follows a field for as many steps as there are locations, sets and maps are defined by
//! their elements. The solver decides such a question without axioms, and a model of it is a heap. What it finds
//! is evaluated by [`crate::world`], which shares nothing with this translation, before it is called a
//! counterexample.

use std::collections::{BTreeMap, HashMap, HashSet};

use smt::{Limits, Node, Op, Quant, Quantifier, Session, Term};
use spl::core::Type;

use crate::logic::{Logic, Symbol};
use crate::world::World;

/// How far to look for a heap: so many locations of each type besides `null`, with so much work for each number.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    sizes: std::ops::RangeInclusive<usize>,
    work: u64,
}

/// Most counterexamples are that small.
pub(crate) const FIRST: Scope = Scope { sizes: 1..=3, work: 600_000 };

/// After all else has failed.
pub(crate) const LAST: Scope = Scope { sizes: 3..=4, work: 3_000_000 };

/// Larger questions are not asked.
const MAX_TERMS: usize = 400_000;

/// Something that is not decided by small heaps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutOfReach;

type Ground<T> = Result<T, OutOfReach>;

/// What is known on the way to a goal that was not proved.
pub(crate) struct Question<'a> {
    /// All that is assumed.
    pub assumed: &'a [Term],
    pub goal: Term,
}

/// A heap in which all that is assumed holds and the goal does not, as the solver says and, if it is confirmed,
/// the evaluator, too. The smallest one that there is, by locations per type.
pub(crate) fn find(
    logic: &mut Logic,
    session: &mut Session,
    limits: Limits,
    question: &Question<'_>,
    scope: &Scope,
) -> Option<World> {
    let limits = Limits { rlimit: Some(scope.work), ..limits };
    let mut unconfirmed = None;
    for size in scope.sizes.clone() {
        let mut small = Small::new(logic, size);
        let (formula, wanted) = small.formula(question).ok()?;
        if let Some(mut world) = small.ask(session, limits, formula, &wanted)? {
            world.confirm(logic, question);
            if world.confirmed {
                return Some(world);
            }
            unconfirmed = unconfirmed.or(Some(world));
        }
    }
    unconfirmed
}

struct Small<'a> {
    logic: &'a mut Logic,
    size: usize,
    /// The locations of a sort; the first is `null`.
    domains: BTreeMap<Type, Vec<Term>>,
    done: HashMap<Term, Term>,
    /// What holds of the symbols that were met.
    side: Vec<Term>,
    /// Symbols without a definition, in the order in which they were met.
    open: Vec<Term>,
    met: HashSet<Term>,
}

/// Terms whose values make a world.
struct Wanted {
    domains: BTreeMap<Type, Vec<Term>>,
    /// Each symbol with the terms that say what it is: one, or one per location.
    symbols: Vec<(Term, Vec<Term>)>,
}

impl Small<'_> {
    fn new(logic: &mut Logic, size: usize) -> Small<'_> {
        Small {
            logic,
            size,
            domains: BTreeMap::new(),
            done: HashMap::new(),
            side: Vec::new(),
            open: Vec::new(),
            met: HashSet::new(),
        }
    }

    /// The whole question, ground.
    fn formula(&mut self, question: &Question<'_>) -> Ground<(Term, Wanted)> {
        let mut all = Vec::new();
        let goal = self.ground(question.goal)?;
        all.push(self.logic.terms.not(goal));
        for term in self.logic.facts() {
            all.push(self.ground(term)?);
        }
        for term in question.assumed {
            all.push(self.ground(*term)?);
            if self.done.len() > MAX_TERMS {
                return Err(OutOfReach);
            }
        }
        all.append(&mut self.side);
        let mut symbols = Vec::new();
        for symbol in self.open.clone() {
            symbols.push((symbol, self.parts(symbol)?));
        }
        let formula = self.logic.terms.and(all);
        Ok((formula, Wanted { domains: self.domains.clone(), symbols }))
    }

    fn ask(
        &mut self,
        session: &mut Session,
        limits: Limits,
        formula: Term,
        wanted: &Wanted,
    ) -> Option<Option<World>> {
        let mut terms: Vec<Term> = wanted.domains.values().flatten().copied().collect();
        terms.extend(wanted.symbols.iter().flat_map(|(_, parts)| parts.iter().copied()));
        session.reset();
        session.push();
        let negation = self.logic.terms.not(formula);
        let found = session.prove_with_values(&mut self.logic.terms, negation, limits, &terms);
        session.pop();
        let (answer, values) = found.ok()?;
        if answer != smt::Answer::Sat {
            return Some(None);
        }
        let mut values = values.into_iter();
        let mut world = World::default();
        for (ty, locations) in &wanted.domains {
            for (number, _) in locations.iter().enumerate() {
                world.add_location(ty, number, values.next()??);
            }
        }
        for (symbol, parts) in &wanted.symbols {
            let own: Option<Vec<String>> = values.by_ref().take(parts.len()).collect();
            let ty = self.logic.ty(self.logic.terms.sort(*symbol));
            world.add_symbol(*symbol, &ty, &own?);
        }
        Some(Some(world))
    }

    /// The locations of a reference type.
    fn domain(&mut self, ty: &Type) -> Ground<Vec<Term>> {
        if !matches!(ty, Type::Struct(_)) {
            return Err(OutOfReach);
        }
        if let Some(known) = self.domains.get(ty) {
            return Ok(known.clone());
        }
        let sort = self.logic.sort(ty);
        let mut locations = vec![self.logic.null(ty)];
        for number in 1..=self.size {
            locations.push(self.logic.terms.constant(&format!("location.{ty}.{number}"), sort));
        }
        for (index, a) in locations.iter().enumerate() {
            for b in locations.iter().skip(index + 1) {
                let same = self.logic.terms.eq(*a, *b);
                let differ = self.logic.terms.not(same);
                self.side.push(differ);
            }
        }
        self.domains.insert(ty.clone(), locations.clone());
        Ok(locations)
    }

    fn ty(&self, term: Term) -> Type {
        self.logic.ty(self.logic.terms.sort(term))
    }

    /// A term is one of the locations.
    fn within(&mut self, ty: &Type, term: Term) -> Ground<()> {
        let locations = self.domain(ty)?;
        let cases: Vec<Term> = locations.iter().map(|l| self.logic.terms.eq(term, *l)).collect();
        let some = self.logic.terms.or(cases);
        self.side.push(some);
        Ok(())
    }

    /// What says all about a symbol.
    fn parts(&mut self, symbol: Term) -> Ground<Vec<Term>> {
        Ok(match self.ty(symbol) {
            Type::Set(of) => {
                let locations = self.domain(&of)?;
                locations.into_iter().map(|l| self.logic.member(&of, l, symbol)).collect()
            }
            Type::Map(key, value) => {
                let locations = self.domain(&key)?;
                locations.into_iter().map(|l| self.logic.read_of(&key, &value, symbol, l)).collect()
            }
            _ => vec![symbol],
        })
    }

    /// A symbol that nothing defines: a constant, or a function whose arguments are closed.
    fn symbol(&mut self, term: Term) -> Ground<()> {
        if !self.met.insert(term) {
            return Ok(());
        }
        if !self.logic.terms.free(term).is_empty() {
            return Err(OutOfReach);
        }
        match self.ty(term) {
            Type::Int | Type::Bool => {}
            Type::Set(of) => {
                self.domain(&of)?;
            }
            Type::Map(key, value) => {
                let locations = self.domain(&key)?;
                match &*value {
                    Type::Int | Type::Bool => {}
                    Type::Struct(_) => {
                        for location in locations {
                            let read = self.logic.read_of(&key, &value, term, location);
                            self.within(&value, read)?;
                        }
                    }
                    _ => return Err(OutOfReach),
                }
            }
            ty @ Type::Struct(_) => self.within(&ty, term)?,
            _ => return Err(OutOfReach),
        }
        self.congruent(term)?;
        self.open.push(term);
        Ok(())
    }

    /// Functions that were met have equal values for equal arguments.
    fn congruent(&mut self, term: Term) -> Ground<()> {
        let Node::App(fun, args) = self.logic.terms.node(term).clone() else { return Ok(()) };
        if args.is_empty() {
            return Ok(());
        }
        for other in self.open.clone() {
            let Node::App(its, others) = self.logic.terms.node(other).clone() else { continue };
            if its != fun {
                continue;
            }
            let mut same = Vec::new();
            for (a, b) in args.iter().zip(others.iter()) {
                same.push(self.equal(*a, *b)?);
            }
            let same = self.logic.terms.and(same);
            let equal = self.equal_values(term, other)?;
            let implied = self.logic.terms.implies(same, equal);
            self.side.push(implied);
        }
        Ok(())
    }

    fn ground(&mut self, term: Term) -> Ground<Term> {
        if let Some(done) = self.done.get(&term) {
            return Ok(*done);
        }
        let result = match self.logic.terms.node(term).clone() {
            Node::Bool(_) | Node::Int(_) | Node::Bound(_) => term,
            Node::Real(_) => return Err(OutOfReach),
            Node::Op(Op::Eq, args) => match args[..] {
                [a, b] => self.equal(a, b)?,
                _ => return Err(OutOfReach),
            },
            Node::Op(op, args) => {
                let mut ground = Vec::new();
                for arg in &args {
                    ground.push(self.ground(*arg)?);
                }
                self.logic.terms.op(op, &ground)
            }
            Node::App(fun, args) => match (self.logic.symbol(fun), &args[..]) {
                (Some(Symbol::Occurs), _) => self.logic.terms.bool(true),
                (Some(Symbol::Member), [x, set]) => {
                    let x = self.ground(*x)?;
                    self.member(x, *set)?
                }
                (Some(Symbol::Read), [map, at]) => {
                    let at = self.ground(*at)?;
                    self.read(*map, at)?
                }
                (Some(Symbol::Btwn), [f, x, y, z]) => {
                    let (x, y, z) = (self.ground(*x)?, self.ground(*y)?, self.ground(*z)?);
                    self.btwn(*f, x, y, z)?
                }
                (None, _) => {
                    self.symbol(term)?;
                    term
                }
                _ => return Err(OutOfReach),
            },
            Node::Quant(quant) => self.quantified(&quant)?,
        };
        self.done.insert(term, result);
        Ok(result)
    }

    /// A formula for all locations, or for one of them.
    fn quantified(&mut self, quant: &Quant) -> Ground<Term> {
        let mut bodies = vec![quant.body];
        for var in &quant.vars {
            let (_, sort) = self.logic.terms.bound(*var);
            let ty = self.logic.ty(sort);
            let from = self.logic.terms.bound_term(*var);
            let locations = self.domain(&ty)?;
            let mut instances = Vec::new();
            for body in bodies {
                for location in &locations {
                    let map = HashMap::from([(from, *location)]);
                    instances.push(self.logic.terms.substitute(body, &map));
                }
            }
            bodies = instances;
        }
        let mut ground = Vec::new();
        for body in bodies {
            ground.push(self.ground(body)?);
        }
        Ok(match quant.quantifier {
            Quantifier::Forall => self.logic.terms.and(ground),
            Quantifier::Exists => self.logic.terms.or(ground),
        })
    }

    /// `a = b`, by elements.
    fn equal(&mut self, a: Term, b: Term) -> Ground<Term> {
        if a == b {
            return Ok(self.logic.terms.bool(true));
        }
        match self.ty(a) {
            Type::Set(_) | Type::Map(..) => self.equal_values(a, b),
            _ => {
                let (a, b) = (self.ground(a)?, self.ground(b)?);
                Ok(self.logic.terms.eq(a, b))
            }
        }
    }

    fn equal_values(&mut self, a: Term, b: Term) -> Ground<Term> {
        let mut same = Vec::new();
        match self.ty(a) {
            Type::Set(of) => {
                for location in self.domain(&of)? {
                    let (x, y) = (self.member(location, a)?, self.member(location, b)?);
                    same.push(self.logic.terms.eq(x, y));
                }
            }
            Type::Map(key, _) => {
                for location in self.domain(&key)? {
                    let (x, y) = (self.read(a, location)?, self.read(b, location)?);
                    same.push(self.logic.terms.eq(x, y));
                }
            }
            _ => same.push(self.logic.terms.eq(a, b)),
        }
        Ok(self.logic.terms.and(same))
    }

    /// `x ∈ set`; `x` is ground.
    fn member(&mut self, x: Term, set: Term) -> Ground<Term> {
        let Type::Set(of) = self.ty(set) else { return Err(OutOfReach) };
        match self.logic.terms.node(set).clone() {
            Node::Op(Op::Ite, args) => match args[..] {
                [c, a, b] => {
                    let (c, a, b) = (self.ground(c)?, self.member(x, a)?, self.member(x, b)?);
                    Ok(self.logic.terms.ite(c, a, b))
                }
                _ => Err(OutOfReach),
            },
            Node::App(fun, args) => match (self.logic.symbol(fun), &args[..]) {
                (Some(Symbol::Empty), _) => Ok(self.logic.terms.bool(false)),
                (Some(Symbol::Singleton), [y]) => {
                    let y = self.ground(*y)?;
                    Ok(self.logic.terms.eq(x, y))
                }
                (Some(Symbol::Union), [a, b]) => {
                    let parts = [self.member(x, *a)?, self.member(x, *b)?];
                    Ok(self.logic.terms.or(parts))
                }
                (Some(Symbol::Intersection), [a, b]) => {
                    let parts = [self.member(x, *a)?, self.member(x, *b)?];
                    Ok(self.logic.terms.and(parts))
                }
                (Some(Symbol::Difference), [a, b]) => {
                    let (a, b) = (self.member(x, *a)?, self.member(x, *b)?);
                    let not = self.logic.terms.not(b);
                    Ok(self.logic.terms.and([a, not]))
                }
                (Some(Symbol::Comprehension), _) => {
                    let body = self.logic.defined(set, x).ok_or(OutOfReach)?;
                    self.ground(body)
                }
                (None, _) => {
                    self.symbol(set)?;
                    Ok(self.logic.member(&of, x, set))
                }
                _ => Err(OutOfReach),
            },
            _ => Err(OutOfReach),
        }
    }

    /// `map[at]`; `at` is ground.
    fn read(&mut self, map: Term, at: Term) -> Ground<Term> {
        let Type::Map(key, value) = self.ty(map) else { return Err(OutOfReach) };
        match self.logic.terms.node(map).clone() {
            Node::Op(Op::Ite, args) => match args[..] {
                [c, a, b] => {
                    let (c, a, b) = (self.ground(c)?, self.read(a, at)?, self.read(b, at)?);
                    Ok(self.logic.terms.ite(c, a, b))
                }
                _ => Err(OutOfReach),
            },
            Node::App(fun, args) => match (self.logic.symbol(fun), &args[..]) {
                (Some(Symbol::Update), [before, place, to]) => {
                    let place = self.ground(*place)?;
                    let here = self.logic.terms.eq(at, place);
                    let (to, other) = (self.ground(*to)?, self.read(*before, at)?);
                    Ok(self.logic.terms.ite(here, to, other))
                }
                (Some(Symbol::Comprehension), _) => {
                    let body = self.logic.defined(map, at).ok_or(OutOfReach)?;
                    self.ground(body)
                }
                (None, _) => {
                    self.symbol(map)?;
                    Ok(self.logic.read_of(&key, &value, map, at))
                }
                _ => Err(OutOfReach),
            },
            _ => Err(OutOfReach),
        }
    }

    /// `Btwn(f, x, y, z)`: the path from `x` comes to `z`, and met `y` not after it.
    fn btwn(&mut self, f: Term, x: Term, y: Term, z: Term) -> Ground<Term> {
        let ty = self.ty(x);
        let steps = self.domain(&ty)?.len();
        let mut at = x;
        let (mut cases, mut earlier) = (Vec::new(), Vec::new());
        let mut met = Vec::new();
        for _ in 0..steps {
            let here = self.logic.terms.eq(at, z);
            met.push(self.logic.terms.eq(at, y));
            let seen = self.logic.terms.or(met.clone());
            let mut case = earlier.clone();
            case.extend([here, seen]);
            cases.push(self.logic.terms.and(case));
            earlier.push(self.logic.terms.not(here));
            at = self.read(f, at)?;
        }
        Ok(self.logic.terms.or(cases))
    }
}
