//! The evaluator: what terms mean on a heap of finitely many locations.
//!
//! It knows neither the axioms of the solver nor the way in which a small heap was found: `Btwn` follows a field,
//! sets and maps are tables, quantifiers try all locations. What is outside of its reach has no value, and a
//! world in which something has none is not confirmed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use num_bigint::BigInt;
use smt::{Bound, Node, Op, Quantifier, Term};
use spl::core::Type;

use crate::logic::{Logic, Symbol};
use crate::small::Question;

/// Evaluating one formula takes no more steps than this.
const STEPS: u32 = 2_000_000;

/// What a term can be.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Value {
    Bool(bool),
    Int(BigInt),
    /// A location by its number; `null` is 0.
    Location(usize),
    Set(Rc<BTreeSet<usize>>),
    Map(Rc<Vec<Value>>),
}

/// Finitely many locations of each type, and the values of symbols.
#[derive(Clone, Debug, Default)]
pub(crate) struct World {
    /// The solver's names of locations, by type.
    locations: BTreeMap<Type, Vec<String>>,
    symbols: HashMap<Term, Value>,
    /// Did the evaluator find that all assumptions hold, and that the goal does not?
    pub confirmed: bool,
}

impl World {
    pub fn add_location(&mut self, ty: &Type, number: usize, name: String) {
        let names = self.locations.entry(ty.clone()).or_default();
        debug_assert_eq!(names.len(), number, "locations come in order");
        names.push(name);
    }

    /// The value of a symbol, by the solver's texts of the parts of it.
    pub fn add_symbol(&mut self, symbol: Term, ty: &Type, parts: &[String]) {
        let value = match ty {
            Type::Set(_) => {
                let all = parts.iter().enumerate();
                let inside = all.filter(|(_, text)| *text == "true").map(|(index, _)| index);
                Some(Value::Set(Rc::new(inside.collect())))
            }
            Type::Map(_, value) => {
                let values: Option<Vec<Value>> =
                    parts.iter().map(|p| self.value(value, p)).collect();
                values.map(|values| Value::Map(Rc::new(values)))
            }
            _ => parts.first().and_then(|part| self.value(ty, part)),
        };
        if let Some(value) = value {
            self.symbols.insert(symbol, value);
        }
    }

    fn value(&self, ty: &Type, text: &str) -> Option<Value> {
        match smt::Value::read(text)? {
            smt::Value::Bool(value) => Some(Value::Bool(value)),
            smt::Value::Int(value) => Some(Value::Int(value)),
            _ => {
                let names = self.locations.get(ty)?;
                names.iter().position(|name| name == text).map(Value::Location)
            }
        }
    }

    /// How many locations there are, with `null`.
    pub fn count(&self, ty: &Type) -> usize {
        self.locations.get(ty).map_or(0, Vec::len)
    }

    /// Evaluates all that is assumed, and the goal.
    pub fn confirm(&mut self, logic: &mut Logic, question: &Question<'_>) {
        let facts = logic.facts();
        let mut holds = |term: Term| self.eval(logic, term);
        self.confirmed =
            facts.iter().chain(question.assumed).all(|t| holds(*t) == Some(Value::Bool(true)))
                && holds(question.goal) == Some(Value::Bool(false))
                && self.is_functional(logic);
    }

    /// Are the values of functions the same for the same arguments?
    fn is_functional(&self, logic: &mut Logic) -> bool {
        let mut known: HashMap<_, Vec<(Vec<Value>, Value)>> = HashMap::new();
        for (symbol, value) in &self.symbols {
            let Node::App(fun, args) = logic.terms.node(*symbol).clone() else { continue };
            if args.is_empty() {
                continue;
            }
            let args: Option<Vec<Value>> = args.iter().map(|arg| self.eval(logic, *arg)).collect();
            let Some(args) = args else { return false };
            let others = known.entry(fun).or_default();
            if others.iter().any(|(its, other)| *its == args && other != value) {
                return false;
            }
            others.push((args, value.clone()));
        }
        true
    }

    /// The value of a closed term.
    pub fn eval(&self, logic: &mut Logic, term: Term) -> Option<Value> {
        let mut run =
            Run { world: self, logic, bound: HashMap::new(), done: HashMap::new(), steps: STEPS };
        run.eval(term)
    }
}

struct Run<'a> {
    world: &'a World,
    logic: &'a mut Logic,
    bound: HashMap<Bound, Value>,
    /// Values of closed terms.
    done: HashMap<Term, Option<Value>>,
    steps: u32,
}

impl Run<'_> {
    fn truth(&mut self, term: Term) -> Option<bool> {
        match self.eval(term)? {
            Value::Bool(value) => Some(value),
            _ => None,
        }
    }

    fn eval(&mut self, term: Term) -> Option<Value> {
        if let Some(done) = self.done.get(&term) {
            return done.clone();
        }
        self.steps = self.steps.checked_sub(1)?;
        let value = self.eval_new(term);
        if self.logic.terms.free(term).is_empty() {
            self.done.insert(term, value.clone());
        }
        value
    }

    fn eval_new(&mut self, term: Term) -> Option<Value> {
        match self.logic.terms.node(term).clone() {
            Node::Bool(value) => Some(Value::Bool(value)),
            Node::Int(value) => Some(Value::Int(value)),
            Node::Real(_) => None,
            Node::Bound(var) => self.bound.get(&var).cloned(),
            Node::Op(op, args) => self.operator(op, &args),
            Node::Quant(quant) => {
                let all = quant.quantifier == Quantifier::Forall;
                self.quantified(all, &quant.vars, quant.body).map(Value::Bool)
            }
            Node::App(fun, args) => match self.logic.symbol(fun) {
                Some(symbol) => self.apply(symbol, term, &args),
                None => self.opaque(term),
            },
        }
    }

    /// A symbol that nothing defines has its value in the world; `null` is the first location.
    fn opaque(&mut self, term: Term) -> Option<Value> {
        if let Some(value) = self.world.symbols.get(&term) {
            return Some(value.clone());
        }
        let ty = self.logic.ty(self.logic.terms.sort(term));
        (ty.is_reference() && self.logic.null(&ty) == term).then_some(Value::Location(0))
    }

    /// A definite answer of one instance is enough, whatever the others are.
    fn quantified(&mut self, all: bool, vars: &[Bound], body: Term) -> Option<bool> {
        let Some((var, rest)) = vars.split_first() else { return self.truth(body) };
        let (_, sort) = self.logic.terms.bound(*var);
        let ty = self.logic.ty(sort);
        let count = self.world.locations.get(&ty)?.len();
        let mut unknown = false;
        let outer = self.bound.get(var).cloned();
        let mut decided = None;
        for location in 0..count {
            self.bound.insert(*var, Value::Location(location));
            match self.quantified(all, rest, body) {
                Some(value) if value != all => {
                    decided = Some(value);
                    break;
                }
                Some(_) => {}
                None => unknown = true,
            }
        }
        match outer {
            Some(value) => self.bound.insert(*var, value),
            None => self.bound.remove(var),
        };
        decided.or((!unknown).then_some(all))
    }

    fn operator(&mut self, op: Op, args: &[Term]) -> Option<Value> {
        let int = |run: &mut Self, term: Term| match run.eval(term)? {
            Value::Int(value) => Some(value),
            _ => None,
        };
        Some(match (op, args) {
            (Op::Not, [a]) => Value::Bool(!self.truth(*a)?),
            (Op::And | Op::Or, all) => {
                let decisive = op == Op::Or;
                let mut unknown = false;
                for arg in all {
                    match self.truth(*arg) {
                        Some(value) if value == decisive => return Some(Value::Bool(decisive)),
                        Some(_) => {}
                        None => unknown = true,
                    }
                }
                if unknown {
                    return None;
                }
                Value::Bool(!decisive)
            }
            (Op::Implies, [a, b]) => match (self.truth(*a), self.truth(*b)) {
                (Some(false), _) | (_, Some(true)) => Value::Bool(true),
                (Some(true), Some(false)) => Value::Bool(false),
                _ => return None,
            },
            (Op::Eq, [a, b]) => Value::Bool(self.eval(*a)? == self.eval(*b)?),
            (Op::Ite, [c, a, b]) => {
                return if self.truth(*c)? { self.eval(*a) } else { self.eval(*b) };
            }
            (Op::Add, [a, b]) => Value::Int(int(self, *a)? + int(self, *b)?),
            (Op::Sub, [a, b]) => Value::Int(int(self, *a)? - int(self, *b)?),
            (Op::Mul, [a, b]) => Value::Int(int(self, *a)? * int(self, *b)?),
            (Op::Lt, [a, b]) => Value::Bool(int(self, *a)? < int(self, *b)?),
            (Op::Le, [a, b]) => Value::Bool(int(self, *a)? <= int(self, *b)?),
            _ => return None,
        })
    }

    fn set(&mut self, term: Term) -> Option<Rc<BTreeSet<usize>>> {
        match self.eval(term)? {
            Value::Set(set) => Some(set),
            _ => None,
        }
    }

    fn location(&mut self, term: Term) -> Option<usize> {
        match self.eval(term)? {
            Value::Location(location) => Some(location),
            _ => None,
        }
    }

    fn apply(&mut self, symbol: Symbol, term: Term, args: &[Term]) -> Option<Value> {
        let set = |set: BTreeSet<usize>| Some(Value::Set(Rc::new(set)));
        match (symbol, args) {
            (Symbol::Occurs, _) => Some(Value::Bool(true)),
            (Symbol::Member, [x, s]) => {
                let (x, s) = (self.location(*x)?, self.set(*s)?);
                Some(Value::Bool(s.contains(&x)))
            }
            (Symbol::Empty, _) => match self.logic.ty(self.logic.terms.sort(term)) {
                Type::Set(of) if matches!(*of, Type::Struct(_)) => set(BTreeSet::new()),
                _ => None,
            },
            (Symbol::Singleton, [x]) => set(BTreeSet::from([self.location(*x)?])),
            (Symbol::Union, [a, b]) => set(&*self.set(*a)? | &*self.set(*b)?),
            (Symbol::Intersection, [a, b]) => set(&*self.set(*a)? & &*self.set(*b)?),
            (Symbol::Difference, [a, b]) => set(&*self.set(*a)? - &*self.set(*b)?),
            (Symbol::Read, [map, at]) => {
                let Value::Map(map) = self.eval(*map)? else { return None };
                map.get(self.location(*at)?).cloned()
            }
            (Symbol::Update, [map, at, to]) => {
                let Value::Map(map) = self.eval(*map)? else { return None };
                let mut map = (*map).clone();
                let (at, to) = (self.location(*at)?, self.eval(*to)?);
                *map.get_mut(at)? = to;
                Some(Value::Map(Rc::new(map)))
            }
            (Symbol::Btwn, [f, x, y, z]) => {
                let Value::Map(f) = self.eval(*f)? else { return None };
                let (x, y, z) = (self.location(*x)?, self.location(*y)?, self.location(*z)?);
                Some(Value::Bool(between(&f, x, y, z)?))
            }
            (Symbol::Comprehension, _) => self.comprehension(term),
            _ => None,
        }
    }

    /// The elements for which the body of the definition holds, or the values that it has for them.
    fn comprehension(&mut self, term: Term) -> Option<Value> {
        let ty = self.logic.ty(self.logic.terms.sort(term));
        let key = match &ty {
            Type::Set(of) => of,
            Type::Map(key, _) => key,
            _ => return None,
        };
        let count = self.world.locations.get(&**key)?.len();
        let sort = self.logic.sort(key);
        let (var, at) = self.logic.terms.bound_var("element", sort);
        let body = self.logic.defined(term, at)?;
        let mut values = Vec::new();
        for location in 0..count {
            self.bound.insert(var, Value::Location(location));
            values.push(self.eval(body)?);
        }
        self.bound.remove(&var);
        match ty {
            Type::Map(..) => Some(Value::Map(Rc::new(values))),
            _ => {
                let all = values.iter().enumerate();
                let inside = all.filter(|(_, v)| **v == Value::Bool(true)).map(|(index, _)| index);
                Some(Value::Set(Rc::new(inside.collect())))
            }
        }
    }
}

/// Follows a field from `x` until it comes to `z`, or comes back.
fn between(f: &[Value], x: usize, y: usize, z: usize) -> Option<bool> {
    let mut seen = BTreeSet::new();
    let mut at = x;
    loop {
        if !seen.insert(at) {
            return Some(false);
        }
        if at == z {
            return Some(seen.contains(&y));
        }
        at = match f.get(at)? {
            Value::Location(next) => *next,
            _ => return None,
        };
    }
}
