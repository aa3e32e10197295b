//! A model of the solver as a world of values, and terms evaluated in it.
//!
//! Of the model only the meanings of symbols are taken, element by element: what a sequence contains,
//! which constructor a value of a data type has. Everything that has a meaning in the language is
//! computed here: arithmetic, equality, collections, data types, functions with a body. A model that
//! the solver found although it missed a rule of these does not pass.

mod contents;
mod interpret;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};
use smt::{Bound, FunId, Model, Node, Op, Quantifier, Sort, Term, Terms};
use viper::core::{BinOp, CollectionOp, DomainFunctionId, FunctionId, Program, Type};

use super::value::{Value, binary, collection, multiset};
use crate::encoding::CollectionFunction;
use crate::encoding::Encoding;

pub(super) use interpret::{Places, Scene};

/// What a symbol of the solver stands for.
#[derive(Clone, Debug)]
pub(crate) enum Role {
    Collection(CollectionFunction),
    Constructor(DomainFunctionId),
    /// Of the constructor with this number, the argument with that.
    Destructor(DomainFunctionId, usize),
    Discriminator(DomainFunctionId),
    /// The number of the constructor.
    Tag(Vec<DomainFunctionId>),
    Function(FunctionId),
    Domain,
    Pair,
    First,
    Second,
}

/// A value, and what the solver calls it if it has a name for it.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub raw: Option<smt::Value>,
    pub value: Value,
}

/// Which integers may be in a collection, and which references there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mentioned {
    OnPath,
    InModel,
}

/// What a search among the instances of a formula comes to.
enum Search {
    Found,
    /// There is none.
    Nowhere,
    /// There may be one among those that were not looked at.
    Unknown,
}

/// Values of bound variables.
pub(crate) type Env = Vec<(Bound, Known)>;

/// Instances of a quantified formula that are looked at.
const INSTANCES: usize = 2000;
/// Work for one model.
const STEPS: u32 = 400_000;

pub(crate) struct World<'a, 'p> {
    program: &'p Program,
    terms: &'a Terms,
    encoding: &'a Encoding<'p>,
    model: Model,
    roles: &'a HashMap<FunId, Role>,
    /// Values that are not determined by the meanings of symbols.
    pinned: HashMap<Term, smt::Value>,
    mentioned: Mentioned,
    /// Terms that stand for given values for the moment.
    bindings: HashMap<Term, Known>,
    memo: HashMap<Term, Option<Known>>,
    contents: HashMap<(smt::Value, Type), Option<Value>>,
    /// Values whose contents are being read.
    reading: Vec<(smt::Value, Type)>,
    /// Values of data types, and what the solver calls them.
    taken: HashMap<Value, smt::Value>,
    /// Values of data types that do not make sense, with numbers.
    others: HashMap<smt::Value, usize>,
    /// What functions without a definition were seen to be.
    applied: HashMap<(FunId, Vec<Value>), Value>,
    /// Are the values of functions without a definition unknown that were not seen?
    pub only_applied: bool,
    /// Does a function have two values, or one that its postcondition excludes?
    pub inconsistent: bool,
    steps: u32,
    depth: usize,
    padded: u32,
    /// Applications of functions that are not what their definitions say: with the values of their
    /// arguments, and what they should be.
    pub corrections: Vec<(Term, Vec<Value>, Value)>,
    /// An instance of a quantified formula that does not hold.
    pub refuted: Option<(Term, Env)>,
}

impl<'a, 'p> World<'a, 'p> {
    pub fn new(
        encoding: &'a Encoding<'p>,
        model: Model,
        roles: &'a HashMap<FunId, Role>,
        pinned: HashMap<Term, smt::Value>,
        mentioned: Mentioned,
    ) -> World<'a, 'p> {
        World {
            program: encoding.program,
            terms: &encoding.terms,
            encoding,
            model,
            roles,
            pinned,
            mentioned,
            bindings: HashMap::new(),
            memo: HashMap::new(),
            contents: HashMap::new(),
            reading: Vec::new(),
            taken: HashMap::new(),
            others: HashMap::new(),
            applied: HashMap::new(),
            only_applied: false,
            inconsistent: false,
            steps: STEPS,
            depth: 0,
            padded: 0,
            corrections: Vec::new(),
            refuted: None,
        }
    }

    /// The value of a term without bound variables.
    pub fn value(&mut self, term: Term) -> Option<Value> {
        self.eval(term, &Env::new()).map(|known| known.value)
    }

    /// The same, whatever was computed before.
    pub fn fresh_value(&mut self, term: Term) -> Option<Value> {
        let memo = std::mem::take(&mut self.memo);
        let value = self.value(term);
        self.memo = memo;
        value
    }

    pub fn eval(&mut self, term: Term, env: &Env) -> Option<Known> {
        if let Some(bound) = self.bindings.get(&term) {
            return Some(bound.clone());
        }
        let memorable = self.bindings.is_empty() && self.terms.free(term).is_empty();
        if memorable && let Some(known) = self.memo.get(&term) {
            return known.clone();
        }
        self.steps = self.steps.checked_sub(1)?;
        let known = self.compute(term, env);
        if memorable {
            self.memo.insert(term, known.clone());
        }
        known
    }

    fn compute(&mut self, term: Term, env: &Env) -> Option<Known> {
        let terms = self.terms;
        match terms.node(term) {
            Node::Bool(b) => Some(simple(Value::Bool(*b))),
            Node::Int(i) => Some(simple(Value::Int(i.clone()))),
            Node::Real(r) => Some(simple(Value::Perm(r.clone()))),
            Node::Bound(var) => {
                env.iter().rev().find(|(v, _)| v == var).map(|(_, known)| known.clone())
            }
            Node::Op(op, args) => self.operator(*op, args, env),
            Node::App(fun, args) => self.application(term, *fun, args, env),
            Node::Quant(quant) => {
                let forall = quant.quantifier == Quantifier::Forall;
                match self.search(term, &quant.vars, quant.body, env, !forall)? {
                    Search::Found => Some(simple(Value::Bool(!forall))),
                    Search::Nowhere => Some(simple(Value::Bool(forall))),
                    Search::Unknown => None,
                }
            }
        }
    }

    /// Looks for an instance of a body with this truth value.
    fn search(
        &mut self,
        term: Term,
        vars: &[Bound],
        body: Term,
        env: &Env,
        wanted: bool,
    ) -> Option<Search> {
        let mut all = true;
        let mut pools = Vec::new();
        for var in vars {
            let range = self.range(*var, body, env, wanted);
            all &= range.is_some();
            pools.push(match range {
                Some(range) if range.is_empty() => return Some(Search::Nowhere),
                Some(range) => range,
                None => self.pool(self.terms.bound(*var).1)?,
            });
        }
        let mut choice = vec![0; vars.len()];
        for _ in 0..INSTANCES {
            let mut inner = env.clone();
            for ((var, pool), i) in vars.iter().zip(&pools).zip(&choice) {
                inner.push((*var, pool.get(*i)?.clone()));
            }
            let found = self.eval(body, &inner).and_then(|known| known.value.as_bool());
            all &= found.is_some();
            if found == Some(wanted) {
                if !wanted && env.is_empty() && self.refuted.is_none() {
                    self.refuted = Some((term, inner));
                }
                return Some(Search::Found);
            }
            let mut at = 0;
            loop {
                let (Some(i), Some(pool)) = (choice.get_mut(at), pools.get(at)) else {
                    return Some(if all { Search::Nowhere } else { Search::Unknown });
                };
                *i += 1;
                if *i < pool.len() {
                    break;
                }
                *i = 0;
                at += 1;
            }
        }
        Some(Search::Unknown)
    }

    /// All values for which a body can have the wanted truth value: integers between bounds that the
    /// body begins with.
    fn range(&mut self, var: Bound, body: Term, env: &Env, wanted: bool) -> Option<Vec<Known>> {
        if self.terms.bound(var).1 != Sort::Int {
            return None;
        }
        let terms = self.terms;
        let mut guards = Vec::new();
        // Out of bounds an implication holds, and a conjunction does not.
        let mut pending = match terms.node(body) {
            Node::Op(Op::Implies, args) if !wanted => vec![*args.first()?],
            Node::Op(Op::And, _) if wanted => vec![body],
            _ => return None,
        };
        while let Some(term) = pending.pop() {
            match terms.node(term) {
                Node::Op(Op::And, args) => pending.extend(args.iter().copied()),
                Node::Op(op @ (Op::Le | Op::Lt), args) => guards.push((*op, args[0], args[1])),
                _ => {}
            }
        }
        let is_var = |t: Term| matches!(terms.node(t), Node::Bound(v) if *v == var);
        let (mut low, mut high): (Option<BigInt>, Option<BigInt>) = (None, None);
        for (op, a, b) in guards {
            let strict = BigInt::from(u8::from(op == Op::Lt));
            if is_var(b) && !terms.free(a).contains(&var) {
                if let Some(Known { value: Value::Int(i), .. }) = self.eval(a, env) {
                    low = Some(low.map_or(&i + &strict, |l| l.max(&i + &strict)));
                }
            } else if is_var(a)
                && !terms.free(b).contains(&var)
                && let Some(Known { value: Value::Int(i), .. }) = self.eval(b, env)
            {
                high = Some(high.map_or(&i - &strict, |h| h.min(&i - &strict)));
            }
        }
        let (low, high) = (low?, high?);
        let count = (&high - &low + BigInt::from(1)).to_i64().filter(|n| *n <= 100)?;
        Some((0..count).map(|i| simple(Value::Int(&low + BigInt::from(i)))).collect())
    }

    /// Is it a sort of references or of values of a domain?
    fn is_elementary(&self, sort: Sort) -> bool {
        let ty = self.encoding.type_of(sort);
        sort == self.encoding.ref_sort() || matches!(ty, Type::Domain(..))
    }

    /// The same without names.
    pub fn pool_values(&mut self, sort: Sort) -> Vec<Value> {
        self.pool(sort).unwrap_or_default().into_iter().map(|known| known.value).collect()
    }

    /// Values of a sort that are worth a look.
    pub fn pool(&mut self, sort: Sort) -> Option<Vec<Known>> {
        Some(match sort {
            Sort::Bool => [true, false].map(|b| simple(Value::Bool(b))).to_vec(),
            Sort::Int => {
                let mut all: BTreeSet<BigInt> = self.model.integers().iter().cloned().collect();
                all.extend((-1..6).map(BigInt::from));
                all.into_iter().take(100).map(|i| simple(Value::Int(i))).collect()
            }
            Sort::Real => {
                let half = BigRational::new(1.into(), 2.into());
                [BigRational::zero(), half, BigRational::from(BigInt::from(1))]
                    .map(|r| simple(Value::Perm(r)))
                    .to_vec()
            }
            Sort::Named(_) => {
                let mut elements =
                    self.model.universe(self.terms.signature.sort_text(sort)).to_vec();
                // What no term of the path stands for need not be there.
                if self.mentioned == Mentioned::OnPath && self.is_elementary(sort) {
                    let on_path = self.pinned.iter().filter(|(t, _)| self.terms.sort(**t) == sort);
                    let on_path: BTreeSet<&smt::Value> = on_path.map(|(_, value)| value).collect();
                    elements.retain(|element| on_path.contains(element));
                }
                let known: Vec<Known> =
                    elements.into_iter().filter_map(|raw| self.known(raw, sort)).collect();
                if known.is_empty() {
                    return None;
                }
                known
            }
        })
    }

    fn operator(&mut self, op: Op, args: &[Term], env: &Env) -> Option<Known> {
        let bool = |b: bool| Some(simple(Value::Bool(b)));
        let truth = |this: &mut Self, t: Term| this.eval(t, env).and_then(|k| k.value.as_bool());
        match op {
            Op::Not => bool(!truth(self, *args.first()?)?),
            // What is not known does not matter where the rest decides.
            Op::And | Op::Or => {
                let decisive = op == Op::Or;
                let mut unknown = false;
                for arg in args {
                    match truth(self, *arg) {
                        Some(b) if b == decisive => return bool(decisive),
                        Some(_) => {}
                        None => unknown = true,
                    }
                }
                if unknown { None } else { bool(!decisive) }
            }
            Op::Implies => {
                let [a, b] = args else { return None };
                match truth(self, *a) {
                    Some(false) => bool(true),
                    Some(true) => bool(truth(self, *b)?),
                    None => truth(self, *b)?.then(|| simple(Value::Bool(true))),
                }
            }
            Op::Ite => {
                let [c, a, b] = args else { return None };
                let side = if truth(self, *c)? { *a } else { *b };
                self.eval(side, env)
            }
            Op::ToReal => {
                let value = self.eval(*args.first()?, env)?.value.as_perm()?;
                Some(simple(Value::Perm(value)))
            }
            _ => {
                let [a, b] = args else { return None };
                let (a, b) = (self.eval(*a, env)?.value, self.eval(*b, env)?.value);
                let op = match op {
                    Op::Eq => BinOp::Eq,
                    Op::Add => BinOp::Add,
                    Op::Sub => BinOp::Sub,
                    Op::Mul => BinOp::Mul,
                    Op::Div => BinOp::Div,
                    Op::Mod => BinOp::Mod,
                    Op::RealDiv => BinOp::PermPermDiv,
                    Op::Lt => BinOp::Lt,
                    _ => BinOp::Le,
                };
                binary(op, &a, &b).map(simple)
            }
        }
    }

    fn application(&mut self, term: Term, fun: FunId, args: &[Term], env: &Env) -> Option<Known> {
        let mut known = Vec::new();
        for arg in args {
            known.push(self.eval(*arg, env)?);
        }
        let (sort, raw) = (self.terms.sort(term), self.raw(term, fun, &known));
        let values: Vec<Value> = known.iter().map(|k| k.value.clone()).collect();
        let roles = self.roles;
        let own = match roles.get(&fun) {
            Some(Role::Collection(op)) => self.collection_op(*op, &values),
            Some(Role::Constructor(id)) => Some(Value::Data(*id, values.clone())),
            Some(Role::Destructor(id, index)) => match values.first()? {
                Value::Data(constructor, args) if constructor == id => args.get(*index).cloned(),
                _ => None,
            },
            Some(Role::Discriminator(id)) => match values.first()? {
                Value::Data(constructor, _) => Some(Value::Bool(constructor == id)),
                _ => None,
            },
            Some(Role::Tag(all)) => match values.first()? {
                Value::Data(constructor, _) => {
                    let index = all.iter().position(|c| c == constructor)?;
                    Some(Value::Int(index.into()))
                }
                _ => None,
            },
            Some(Role::Function(id)) => {
                let snap = known.first().and_then(|k| k.raw.clone());
                self.defined(*id, snap.as_ref(), values.get(1..).unwrap_or_default())
            }
            _ => None,
        };
        if let Some(value) = own {
            if matches!(roles.get(&fun), Some(Role::Function(_)))
                && raw.is_some()
                && raw != simple(value.clone()).raw
                && self.terms.free(term).is_empty()
            {
                self.corrections.push((term, values, value.clone()));
            }
            return Some(Known { raw, value });
        }
        if self.only_applied
            && !args.is_empty()
            && !self.applied.contains_key(&(fun, values.clone()))
        {
            return None;
        }
        let snap = known.first().and_then(|k| k.raw.clone());
        let known = self.known(raw?, sort)?;
        if let Some(Role::Function(id)) = roles.get(&fun)
            && !self.keeps_promise(*id, snap.as_ref(), values.get(1..)?, &known.value)
        {
            self.inconsistent = true;
            return None;
        }
        if !args.is_empty() {
            match self.applied.get(&(fun, values.clone())) {
                Some(before) if *before != known.value => {
                    self.inconsistent = true;
                    return None;
                }
                Some(_) => {}
                None => {
                    self.applied.insert((fun, values), known.value.clone());
                }
            }
        }
        Some(known)
    }

    /// What the model says that an application is.
    fn raw(&self, term: Term, fun: FunId, args: &[Known]) -> Option<smt::Value> {
        let raws: Option<Vec<smt::Value>> = args.iter().map(|k| k.raw.clone()).collect();
        let raws = raws?;
        match (self.roles.get(&fun), raws.as_slice()) {
            (Some(Role::Pair), _) => return Some(smt::Value::Data("Snap.pair".into(), raws)),
            (Some(Role::First), [smt::Value::Data(_, parts)]) => return parts.first().cloned(),
            (Some(Role::Second), [smt::Value::Data(_, parts)]) => return parts.get(1).cloned(),
            _ => {}
        }
        if let Some(raw) = self.pinned.get(&term) {
            return Some(raw.clone());
        }
        let name = self.terms.signature.fun_text(fun);
        if let Some(value) = self.model.apply(name, &raws) {
            return Some(value);
        }
        if self.model.defines(name) {
            return None;
        }
        // Where the model says nothing, anything will do.
        Some(self.anything(self.terms.sort(term)))
    }

    /// Some value of a sort, for a symbol of which nothing is said.
    fn anything(&self, sort: Sort) -> smt::Value {
        match sort {
            Sort::Bool => smt::Value::Bool(false),
            Sort::Int => smt::Value::Int(0.into()),
            Sort::Real => smt::Value::Real(BigRational::zero()),
            sort if sort == self.encoding.snap_sort() => smt::Value::Element("Snap.unit".into()),
            sort => {
                let text = self.terms.signature.sort_text(sort);
                match self.model.universe(text).first() {
                    Some(element) => element.clone(),
                    None => smt::Value::Element(format!("{text}!val!").into()),
                }
            }
        }
    }

    /// What a symbol means, whatever it is: where the model says nothing, anything.
    pub fn meaning(&self, name: &str, args: &[smt::Value], sort: Sort) -> Option<smt::Value> {
        match self.model.apply(name, args) {
            Some(value) => Some(value),
            None if self.model.defines(name) => None,
            None => Some(self.anything(sort)),
        }
    }

    fn collection_op(&self, op: CollectionFunction, args: &[Value]) -> Option<Value> {
        let (op, args): (CollectionOp, Vec<Value>) = match (op, args) {
            (CollectionFunction::SeqEmpty, _) => return Some(Value::Seq(Vec::new())),
            (CollectionFunction::SetEmpty, _) => return Some(Value::Set(BTreeSet::new())),
            (CollectionFunction::MultisetEmpty, _) => return Some(multiset([])),
            (CollectionFunction::MapEmpty, _) => return Some(Value::Map(BTreeMap::new())),
            (CollectionFunction::SeqSingleton, [e]) => return Some(Value::Seq(vec![e.clone()])),
            (CollectionFunction::SetSingleton, [e]) => return Some(Value::Set([e.clone()].into())),
            (CollectionFunction::MultisetSingleton, [e]) => return Some(multiset([e.clone()])),
            (CollectionFunction::SetInsert, [Value::Set(s), e]) => {
                let mut s = s.clone();
                s.insert(e.clone());
                return Some(Value::Set(s));
            }
            (
                CollectionFunction::SeqEqual
                | CollectionFunction::SetEqual
                | CollectionFunction::MultisetEqual
                | CollectionFunction::MapEqual,
                [a, b],
            ) => {
                return Some(Value::Bool(a == b));
            }
            (CollectionFunction::SeqWatched, _) => return Some(Value::Bool(true)),
            (CollectionFunction::SeqContains, [s, e]) => {
                (CollectionOp::SeqContains, vec![e.clone(), s.clone()])
            }
            (CollectionFunction::MultisetCount, [s, e]) => {
                (CollectionOp::MultisetCount, vec![e.clone(), s.clone()])
            }
            (op, args) => {
                let op = match op {
                    CollectionFunction::SeqRange => CollectionOp::Range,
                    CollectionFunction::SeqAppend => CollectionOp::SeqAppend,
                    CollectionFunction::SeqIndex => CollectionOp::SeqIndex,
                    CollectionFunction::SeqTake => CollectionOp::SeqTake,
                    CollectionFunction::SeqDrop => CollectionOp::SeqDrop,
                    CollectionFunction::SeqUpdate => CollectionOp::SeqUpdate,
                    CollectionFunction::SeqLength => CollectionOp::SeqLength,
                    CollectionFunction::SetUnion | CollectionFunction::MultisetUnion => {
                        CollectionOp::Union
                    }
                    CollectionFunction::SetIntersection
                    | CollectionFunction::MultisetIntersection => CollectionOp::Intersection,
                    CollectionFunction::SetDifference | CollectionFunction::MultisetDifference => {
                        CollectionOp::Setminus
                    }
                    CollectionFunction::SetSubset | CollectionFunction::MultisetSubset => {
                        CollectionOp::Subset
                    }
                    CollectionFunction::SetIn => CollectionOp::SetContains,
                    CollectionFunction::SetCard | CollectionFunction::MultisetCard => {
                        CollectionOp::Cardinality
                    }
                    CollectionFunction::MapLookup => CollectionOp::MapLookup,
                    CollectionFunction::MapUpdate => CollectionOp::MapUpdate,
                    CollectionFunction::MapCard => CollectionOp::MapCardinality,
                    CollectionFunction::MapDomain => CollectionOp::MapDomain,
                    CollectionFunction::MapValues => CollectionOp::MapRange,
                    _ => return None,
                };
                (op, args.to_vec())
            }
        };
        collection(op, &args)
    }
}

/// A value that the solver would write down just so.
fn simple(value: Value) -> Known {
    let raw = match &value {
        Value::Bool(b) => Some(smt::Value::Bool(*b)),
        Value::Int(i) => Some(smt::Value::Int(i.clone())),
        Value::Perm(r) => Some(smt::Value::Real(r.clone())),
        _ => None,
    };
    Known { raw, value }
}

/// A value with the name that the solver has for it, if there is no choice.
pub(crate) fn of_value(value: &Value) -> Known {
    match value {
        Value::Element(raw) => Known { raw: Some(raw.clone()), value: value.clone() },
        _ => simple(value.clone()),
    }
}
