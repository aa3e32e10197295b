//! Hash-consed terms.
//!
//! A [`Term`] is a number; equal terms have equal numbers, so comparing terms costs nothing and a
//! term shared a thousand times is stored, and later printed, once. All terms of a session live in
//! one [`Terms`]. The constructors (see [`crate::simplify`]) simplify as they build: what can be
//! decided by looking at a term never reaches a solver.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;

use num_bigint::BigInt;
use num_rational::BigRational;

use crate::hash::{FastHasher, FastMap, Index};
use crate::sort::{FunDecl, FunId, Meaning, Signature, Sort, symbol};

/// A term of some [`Terms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term(u32);

impl Term {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A variable bound by a quantifier; no two quantifiers share one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bound(u32);

impl Bound {
    /// Its number, unique in the session.
    #[must_use]
    pub fn index(self) -> u32 {
        self.0
    }
}

/// Universal or existential.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantifier {
    /// For all values.
    Forall,
    /// For some values.
    Exists,
}

/// The operators that solvers know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// Negation.
    Not,
    /// Conjunction of two or more.
    And,
    /// Disjunction of two or more.
    Or,
    /// Implication.
    Implies,
    /// Equality of two terms of the same sort.
    Eq,
    /// If-then-else.
    Ite,
    /// Sum of two `Int`s or two `Real`s.
    Add,
    /// Difference of two `Int`s or two `Real`s.
    Sub,
    /// Product of two `Int`s or two `Real`s.
    Mul,
    /// Euclidean division of `Int`s.
    Div,
    /// Remainder of Euclidean division.
    Mod,
    /// Division of `Real`s.
    RealDiv,
    /// `a < b` on `Int`s or `Real`s.
    Lt,
    /// `a <= b` on `Int`s or `Real`s.
    Le,
    /// An `Int` as a `Real`.
    ToReal,
}

/// What a term is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// `true` or `false`
    Bool(bool),
    /// An integer.
    Int(BigInt),
    /// A rational number of sort `Real`.
    Real(BigRational),
    /// A bound variable.
    Bound(Bound),
    /// An operator applied to arguments.
    Op(Op, Box<[Term]>),
    /// A function symbol applied to arguments.
    App(FunId, Box<[Term]>),
    /// A quantified formula.
    Quant(Box<Quant>),
}

/// A quantified formula. Its name is no part of what it says: two that differ in nothing else are the
/// same term, which keeps the name of the first.
#[derive(Clone, Debug)]
pub struct Quant {
    /// Universal or existential.
    pub quantifier: Quantifier,
    /// At least one.
    pub vars: Vec<Bound>,
    /// Each a set of terms to match; none leaves the choice to the solver.
    pub triggers: Vec<Vec<Term>>,
    /// The body.
    pub body: Term,
    /// For statistics and messages.
    pub name: Arc<str>,
    /// Larger is instantiated later.
    pub weight: Option<u32>,
}

impl Quant {
    /// What makes it what it is.
    fn meaning(&self) -> (Quantifier, &[Bound], &[Vec<Term>], Term, Option<u32>) {
        (self.quantifier, &self.vars, &self.triggers, self.body, self.weight)
    }
}

impl PartialEq for Quant {
    fn eq(&self, other: &Quant) -> bool {
        self.meaning() == other.meaning()
    }
}

impl Eq for Quant {}

impl Hash for Quant {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.meaning().hash(state);
    }
}

struct BoundDecl {
    name: String,
    /// Its name in SMT-LIB. Different variables may have the same name: theirs is made unique by
    /// their number.
    text: Box<str>,
    sort: Sort,
}

/// All terms of a session.
pub struct Terms {
    /// Sorts and function symbols.
    pub signature: Signature,
    nodes: Vec<(Node, Sort)>,
    /// Free bound variables of each term, sorted.
    free: Vec<Box<[Bound]>>,
    /// Where each of the nodes is.
    ids: Index,
    bound: Vec<BoundDecl>,
    /// Function symbols that are found by their name.
    named: FastMap<Arc<str>, FunId>,
    /// The next number for each hint.
    fresh: FastMap<String, u32>,
}

impl Default for Terms {
    fn default() -> Terms {
        Terms::new()
    }
}

impl Terms {
    /// No terms yet but `true` and `false`.
    #[must_use]
    pub fn new() -> Terms {
        let mut terms = Terms {
            signature: Signature::default(),
            nodes: Vec::new(),
            free: Vec::new(),
            ids: Index::default(),
            bound: Vec::new(),
            named: FastMap::default(),
            fresh: FastMap::default(),
        };
        terms.intern(Node::Bool(false), Sort::Bool);
        terms.intern(Node::Bool(true), Sort::Bool);
        terms
    }

    /// `true` or `false`
    #[must_use]
    pub fn bool(&self, value: bool) -> Term {
        Term(u32::from(value))
    }

    /// How many different terms there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never: `true` and `false` are always there.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// What a term is.
    #[must_use]
    pub fn node(&self, term: Term) -> &Node {
        &self.nodes[term.0 as usize].0
    }

    /// Its sort.
    #[must_use]
    pub fn sort(&self, term: Term) -> Sort {
        self.nodes[term.0 as usize].1
    }

    /// The bound variables that occur free in it.
    #[must_use]
    pub fn free(&self, term: Term) -> &[Bound] {
        &self.free[term.0 as usize]
    }

    /// The direct subterms of a term.
    #[must_use]
    pub fn children(&self, term: Term) -> Vec<Term> {
        let mut children = Vec::new();
        self.each_child(term, |child| children.push(child));
        children
    }

    /// Visits the direct subterms of a term.
    pub(crate) fn each_child(&self, term: Term, mut visit: impl FnMut(Term)) {
        match self.node(term) {
            Node::Bool(_) | Node::Int(_) | Node::Real(_) | Node::Bound(_) => {}
            Node::Op(_, args) | Node::App(_, args) => args.iter().copied().for_each(visit),
            Node::Quant(q) => {
                q.triggers.iter().flatten().copied().for_each(&mut visit);
                visit(q.body);
            }
        }
    }

    /// The name and sort of a bound variable.
    #[must_use]
    pub fn bound(&self, var: Bound) -> (&str, Sort) {
        let decl = &self.bound[var.0 as usize];
        (&decl.name, decl.sort)
    }

    pub(crate) fn bound_text(&self, var: Bound) -> &str {
        &self.bound[var.0 as usize].text
    }

    /// The number of a literal, variable or quantified formula.
    fn intern(&mut self, node: Node, sort: Sort) -> Term {
        let hash = hash(&node);
        match self.ids.find(hash, |id| self.nodes[id as usize].0 == node) {
            Some(id) => Term(id),
            None => self.append(hash, node, sort),
        }
    }

    /// The number of an operator applied to arguments.
    pub(crate) fn intern_op(&mut self, op: Op, args: &[Term], sort: Sort) -> Term {
        self.find_op(op, args).unwrap_or_else(|| {
            let hash = hash(&(op, args));
            self.append(hash, Node::Op(op, args.into()), sort)
        })
    }

    /// An operator applied to arguments, if there is such a term.
    pub(crate) fn find_op(&self, op: Op, args: &[Term]) -> Option<Term> {
        let same = |id: u32| match &self.nodes[id as usize].0 {
            Node::Op(other, others) => *other == op && **others == *args,
            _ => false,
        };
        self.ids.find(hash(&(op, args)), same).map(Term)
    }

    /// The number of a function symbol applied to arguments.
    fn intern_app(&mut self, fun: FunId, args: &[Term], sort: Sort) -> Term {
        let hash = hash(&(fun, args));
        let same = |id: u32| match &self.nodes[id as usize].0 {
            Node::App(other, others) => *other == fun && **others == *args,
            _ => false,
        };
        match self.ids.find(hash, same) {
            Some(id) => Term(id),
            None => self.append(hash, Node::App(fun, args.into()), sort),
        }
    }

    /// Adds a term that is not there yet.
    fn append(&mut self, hash: u64, node: Node, sort: Sort) -> Term {
        let free = self.free_of(&node);
        let id = self.nodes.len() as u32;
        self.nodes.push((node, sort));
        self.free.push(free);
        self.ids.add(hash, id);
        Term(id)
    }

    fn free_of(&self, node: &Node) -> Box<[Bound]> {
        let mut free = Vec::new();
        match node {
            Node::Bound(var) => free.push(*var),
            Node::Bool(_) | Node::Int(_) | Node::Real(_) => {}
            Node::Op(_, args) | Node::App(_, args) => {
                args.iter().for_each(|t| free.extend_from_slice(self.free(*t)));
            }
            Node::Quant(q) => {
                let terms = q.triggers.iter().flatten().chain([&q.body]);
                let all = terms.flat_map(|t| self.free(*t)).copied();
                free.extend(all.filter(|v| !q.vars.contains(v)));
            }
        }
        // For closed terms nothing was allocated, and nothing is.
        free.sort_unstable();
        free.dedup();
        free.into()
    }

    // --- Literals, constants, applications

    /// An integer.
    pub fn int(&mut self, value: impl Into<BigInt>) -> Term {
        self.intern(Node::Int(value.into()), Sort::Int)
    }

    /// A rational number.
    pub fn real(&mut self, value: BigRational) -> Term {
        self.intern(Node::Real(value), Sort::Real)
    }

    /// The constant with this name; the same one every time.
    pub fn constant(&mut self, name: &str, sort: Sort) -> Term {
        let fun = self.fun_named(name, &[], sort, Meaning::Uninterpreted);
        self.app(fun, &[])
    }

    /// A constant that is different from all others, named after `hint`. Names depend on nothing but
    /// the names given before, so equal runs make equal names.
    pub fn fresh(&mut self, hint: &str, sort: Sort) -> Term {
        let mut number = self.fresh.get(hint).copied().unwrap_or(0);
        let mut name = numbered(hint, number);
        while self.named.contains_key(name.as_str()) {
            number += 1;
            name = numbered(hint, number);
        }
        self.fresh.insert(hint.to_string(), number + 1);
        self.constant(&name, sort)
    }

    /// The constant with this name and number, for callers that count themselves; the same one every
    /// time.
    pub fn fresh_numbered(&mut self, hint: &str, number: u32, sort: Sort) -> Term {
        self.constant(&numbered(hint, number), sort)
    }

    /// The function symbol with this name, which is made if there is none yet. One name has one sort.
    pub fn fun_named(
        &mut self,
        name: &str,
        args: &[Sort],
        result: Sort,
        meaning: Meaning,
    ) -> FunId {
        if let Some(fun) = self.named.get(name) {
            let decl = self.signature.fun(*fun);
            debug_assert_eq!((&*decl.args, decl.result), (args, result), "sorts of {name}");
            return *fun;
        }
        let name: Arc<str> = name.into();
        let decl = FunDecl { name: Arc::clone(&name), args: args.to_vec(), result, meaning };
        let fun = self.signature.add_fun(decl);
        self.named.insert(name, fun);
        fun
    }

    /// A new uninterpreted function symbol.
    pub fn declare(&mut self, name: &str, args: Vec<Sort>, result: Sort) -> FunId {
        self.signature.add_fun(FunDecl {
            name: name.into(),
            args,
            result,
            meaning: Meaning::Uninterpreted,
        })
    }

    /// `f(args)`
    pub fn app(&mut self, fun: FunId, args: &[Term]) -> Term {
        let decl = self.signature.fun(fun);
        debug_assert_eq!(decl.args.len(), args.len(), "arity of {}", decl.name);
        debug_assert!(
            decl.args.iter().zip(args).all(|(s, t)| *s == self.sort(*t)),
            "sorts of the arguments of {}",
            decl.name
        );
        let result = decl.result;
        self.intern_app(fun, args, result)
    }

    /// A variable for a quantifier.
    pub fn bound_var(&mut self, name: &str, sort: Sort) -> (Bound, Term) {
        let var = Bound(self.bound.len() as u32);
        let text = symbol(&format!("{name}!{}", var.0)).into();
        self.bound.push(BoundDecl { name: name.to_string(), text, sort });
        (var, self.intern(Node::Bound(var), sort))
    }

    /// A variable as a term.
    pub fn bound_term(&mut self, var: Bound) -> Term {
        let sort = self.bound(var).1;
        self.intern(Node::Bound(var), sort)
    }

    /// A quantified formula. Variables that neither the body nor a trigger mentions are dropped; if the
    /// body mentions none, there is no quantifier.
    pub fn quant(&mut self, mut quant: Quant) -> Term {
        if !quant.vars.iter().any(|v| self.free(quant.body).contains(v)) {
            return quant.body;
        }
        let mentions = |t: &Term, v: &Bound| self.free(*t).contains(v);
        let needed = |v: &Bound| {
            mentions(&quant.body, v) || quant.triggers.iter().flatten().any(|t| mentions(t, v))
        };
        let needed: Vec<Bound> = quant.vars.iter().copied().filter(needed).collect();
        quant.vars = needed;
        // A trigger must mention every variable that is left.
        quant.triggers.retain(|trigger| {
            quant.vars.iter().all(|v| trigger.iter().any(|t| self.free(*t).contains(v)))
        });
        self.intern(Node::Quant(Box::new(quant)), Sort::Bool)
    }

    /// Replaces terms, outermost first. Bound variables may be replaced; they are not captured, since
    /// no two quantifiers share one.
    pub fn substitute<S: BuildHasher>(&mut self, term: Term, map: &HashMap<Term, Term, S>) -> Term {
        let mut done = FastMap::default();
        self.substitute_rec(term, map, &mut done)
    }

    fn substitute_rec<S: BuildHasher>(
        &mut self,
        term: Term,
        map: &HashMap<Term, Term, S>,
        done: &mut FastMap<Term, Term>,
    ) -> Term {
        if let Some(to) = map.get(&term).or_else(|| done.get(&term)) {
            return *to;
        }
        let result = match self.node(term).clone() {
            Node::Bool(_) | Node::Int(_) | Node::Real(_) | Node::Bound(_) => term,
            Node::Op(op, args) => {
                let args: Vec<Term> =
                    args.iter().map(|t| self.substitute_rec(*t, map, done)).collect();
                self.op(op, &args)
            }
            Node::App(fun, args) => {
                let args: Vec<Term> =
                    args.iter().map(|t| self.substitute_rec(*t, map, done)).collect();
                self.app(fun, &args)
            }
            Node::Quant(q) => {
                let mut q = *q;
                q.body = self.substitute_rec(q.body, map, done);
                for trigger in &mut q.triggers {
                    for t in trigger {
                        *t = self.substitute_rec(*t, map, done);
                    }
                }
                self.quant(q)
            }
        };
        done.insert(term, result);
        result
    }
}

fn hash(key: &impl Hash) -> u64 {
    let mut hasher = FastHasher::default();
    key.hash(&mut hasher);
    hasher.finish()
}

fn numbered(hint: &str, number: u32) -> String {
    format!("{hint}@{number}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_quantifiers_do_not_tell_them_apart() {
        let mut t = Terms::new();
        let (x, value) = t.bound_var("x", Sort::Int);
        let zero = t.int(0);
        let body = t.lt(zero, value);
        let mut named = |name: &str| {
            let quantifier = Quantifier::Forall;
            let (vars, triggers) = (vec![x], Vec::new());
            t.quant(Quant { quantifier, vars, triggers, body, name: name.into(), weight: None })
        };
        let first = named("first");
        assert_eq!(first, named("second"));
        assert!(matches!(t.node(first), Node::Quant(q) if &*q.name == "first"));
    }

    #[test]
    fn names_are_given_once() {
        let mut t = Terms::new();
        let x = t.fresh_numbered("x", 0, Sort::Int);
        let fresh = t.fresh("x", Sort::Int);
        assert_ne!(x, fresh);
        assert_eq!(fresh, t.fresh_numbered("x", 1, Sort::Int));
        assert_ne!(fresh, t.fresh("x", Sort::Int));
        assert_eq!(x, t.constant("x@0", Sort::Int));
        let f = t.fun_named("f", &[Sort::Int], Sort::Bool, Meaning::Builtin);
        assert_eq!(f, t.fun_named("f", &[Sort::Int], Sort::Bool, Meaning::Builtin));
    }
}
