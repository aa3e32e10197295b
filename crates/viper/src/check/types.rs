//! Inference of types: variables, unification and overloaded operators.
//!
//! Types under inference are ordinary core types in which [`Type::Param`] numbers from [`FIRST_VAR`]
//! on are inference variables, and domain numbers from [`FIRST_UNDECLARED`] on are types that are
//! used but not declared (each compatible only with itself, so that one mistake gives one message).
//! Neither survives: a program with undeclared types is rejected, variables are substituted.

use report::Pos;

use crate::core::{DomainId, Type};

pub(super) const FIRST_VAR: u32 = 1 << 30;
pub(super) const FIRST_UNDECLARED: u32 = 1 << 30;

/// What an expression is: a value, or one of the kinds of assertions. `Bool`, predicates and wands
/// may stand where any assertion may.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Value(Type),
    /// An assertion with permissions.
    Assertion,
    /// `P(…)` or `acc(P(…), p)`
    Predicate,
    /// `A --* B`
    Wand,
    /// Wrong, and reported.
    Error,
}

/// One meaning of an overloaded operator.
#[derive(Clone, Debug)]
pub(super) struct Signature {
    pub args: Vec<Type>,
    pub result: Type,
}

/// An operator whose meaning its operands do not determine yet.
struct Deferred {
    candidates: Vec<Signature>,
    args: Vec<Type>,
    result: Type,
}

/// An argument that fits no signature.
pub(super) struct Mismatch {
    pub arg: usize,
    pub found: Type,
    pub expected: Type,
}

/// Where a variable comes from.
struct Origin {
    pos: Pos,
    /// It stands for a parameter of this domain.
    param: Option<(DomainId, u32)>,
    /// Worth a warning if nothing determines it.
    warn: bool,
}

#[derive(Default)]
pub(super) struct Inference {
    /// What is known about each variable.
    vars: Vec<Option<Type>>,
    /// Variables in the order in which they were bound, for undoing.
    trail: Vec<u32>,
    deferred: Vec<Deferred>,
    /// Where each variable was made, to warn of those that nothing determines.
    origins: Vec<Origin>,
}

impl Inference {
    pub fn is_trivial(&self) -> bool {
        self.vars.is_empty()
    }

    pub fn clear(&mut self) {
        self.vars.clear();
        self.trail.clear();
        self.deferred.clear();
        self.origins.clear();
    }

    /// A variable of an operator; where the operator does not need it, nothing is lost.
    pub fn fresh(&mut self, pos: Pos) -> Type {
        self.fresh_from(Origin { pos, param: None, warn: false })
    }

    /// The type of the elements of a literal.
    pub fn fresh_element(&mut self, pos: Pos) -> Type {
        self.fresh_from(Origin { pos, param: None, warn: true })
    }

    /// A variable for a type parameter of a domain.
    pub fn fresh_param(&mut self, pos: Pos, domain: DomainId, param: u32) -> Type {
        self.fresh_from(Origin { pos, param: Some((domain, param)), warn: true })
    }

    fn fresh_from(&mut self, origin: Origin) -> Type {
        self.vars.push(None);
        self.origins.push(origin);
        Type::Param(FIRST_VAR + self.vars.len() as u32 - 1)
    }

    fn var(ty: &Type) -> Option<u32> {
        match ty {
            Type::Param(i) if *i >= FIRST_VAR => Some(i - FIRST_VAR),
            _ => None,
        }
    }

    /// The type with everything that is known about its outermost constructor.
    pub fn shallow(&self, ty: &Type) -> Type {
        let mut ty = ty.clone();
        while let Some(next) =
            Self::var(&ty).and_then(|v| self.vars.get(v as usize).cloned().flatten())
        {
            ty = next;
        }
        ty
    }

    /// The type with everything that is known.
    pub fn resolve(&self, ty: &Type) -> Type {
        match self.shallow(ty) {
            Type::Seq(t) => Type::seq(self.resolve(&t)),
            Type::Set(t) => Type::set(self.resolve(&t)),
            Type::Multiset(t) => Type::multiset(self.resolve(&t)),
            Type::Map(kv) => Type::map(self.resolve(&kv.0), self.resolve(&kv.1)),
            Type::Domain(d, args) => {
                Type::Domain(d, args.iter().map(|t| self.resolve(t)).collect())
            }
            other => other,
        }
    }

    fn occurs(&self, var: u32, ty: &Type) -> bool {
        match self.shallow(ty) {
            Type::Seq(t) | Type::Set(t) | Type::Multiset(t) => self.occurs(var, &t),
            Type::Map(kv) => self.occurs(var, &kv.0) || self.occurs(var, &kv.1),
            Type::Domain(_, args) => args.iter().any(|t| self.occurs(var, t)),
            other => Self::var(&other) == Some(var),
        }
    }

    fn bind(&mut self, var: u32, ty: Type) -> bool {
        if self.occurs(var, &ty) {
            return Self::var(&self.shallow(&ty)) == Some(var);
        }
        if let Some(slot) = self.vars.get_mut(var as usize) {
            *slot = Some(ty);
            self.trail.push(var);
        }
        true
    }

    fn undo(&mut self, mark: usize) {
        for var in self.trail.drain(mark..) {
            if let Some(slot) = self.vars.get_mut(var as usize) {
                *slot = None;
            }
        }
    }

    /// Makes two types equal if that is possible; binds nothing otherwise.
    pub fn unify(&mut self, a: &Type, b: &Type) -> bool {
        let mark = self.trail.len();
        let unified = self.unify_rule(a, b);
        if !unified {
            self.undo(mark);
        }
        unified
    }

    fn unify_rule(&mut self, a: &Type, b: &Type) -> bool {
        let (a, b) = (self.shallow(a), self.shallow(b));
        if let Some(var) = Self::var(&a) {
            return self.bind(var, b);
        }
        if let Some(var) = Self::var(&b) {
            return self.bind(var, a);
        }
        match (&a, &b) {
            (Type::Seq(a), Type::Seq(b))
            | (Type::Set(a), Type::Set(b))
            | (Type::Multiset(a), Type::Multiset(b)) => self.unify_rule(a, b),
            (Type::Map(a), Type::Map(b)) => {
                self.unify_rule(&a.0, &b.0) && self.unify_rule(&a.1, &b.1)
            }
            (Type::Domain(d, xs), Type::Domain(e, ys)) => {
                d == e
                    && xs.len() == ys.len()
                    && xs.iter().zip(ys.iter()).all(|(x, y)| self.unify_rule(x, y))
            }
            _ => a == b,
        }
    }

    fn fits(&mut self, signature: &Signature, args: &[Type]) -> bool {
        let mark = self.trail.len();
        let fits =
            args.iter().zip(&signature.args).all(|(arg, formal)| self.unify_rule(arg, formal));
        self.undo(mark);
        fits
    }

    /// The signatures that the first arguments fit, or the first argument that fits none.
    pub fn narrow(
        &mut self,
        mut candidates: Vec<Signature>,
        args: &[Type],
    ) -> Result<Vec<Signature>, Mismatch> {
        for n in 1..=args.len() {
            let mut rest = Vec::new();
            let mut expected = None;
            for candidate in candidates {
                if self.fits(&candidate, args.get(..n).unwrap_or_default()) {
                    rest.push(candidate);
                } else if expected.is_none() {
                    expected = candidate.args.get(n - 1).cloned();
                }
            }
            if rest.is_empty() {
                let unknown = || Type::Param(FIRST_VAR);
                return Err(Mismatch {
                    arg: n - 1,
                    found: args.get(n - 1).map_or_else(unknown, |t| self.resolve(t)),
                    expected: expected.map_or_else(unknown, |t| self.resolve(&t)),
                });
            }
            candidates = rest;
        }
        Ok(candidates)
    }

    /// The type of an operator applied to arguments. If several of its meanings remain possible,
    /// the choice is put off.
    pub fn apply(
        &mut self,
        mut candidates: Vec<Signature>,
        args: Vec<Type>,
        pos: Pos,
    ) -> Result<Type, Mismatch> {
        candidates = self.narrow(candidates, &args)?;
        if let [only] = candidates.as_slice() {
            for (arg, formal) in args.iter().zip(&only.args) {
                self.unify(arg, formal);
            }
            return Ok(self.shallow(&only.result));
        }
        let mut results = candidates.iter().map(|c| &c.result);
        let result = match results.next() {
            Some(first) if results.all(|r| r == first) => first.clone(),
            _ => self.fresh(pos),
        };
        self.deferred.push(Deferred { candidates, args, result: result.clone() });
        Ok(result)
    }

    /// Decides everything that was put off: first what is forced, then, in source order, the first
    /// meaning of what is not, with backtracking.
    pub fn solve(&mut self) -> bool {
        let deferred = std::mem::take(&mut self.deferred);
        // Few operators are ambiguous by themselves; a bound keeps hostile input from taking long.
        let mut budget = 10_000 + 100 * deferred.len() as u64;
        self.search(deferred, &mut budget)
    }

    fn search(&mut self, mut open: Vec<Deferred>, budget: &mut u64) -> bool {
        let mark = self.trail.len();
        loop {
            let mut progress = false;
            let mut rest = Vec::with_capacity(open.len());
            // Outer operators were put off last and know more: the expected type.
            for mut op in open.into_iter().rev() {
                *budget = budget.saturating_sub(1);
                let mut possible = std::mem::take(&mut op.candidates);
                possible.retain(|c| self.fits_with_result(c, &op));
                if possible.is_empty() || *budget == 0 {
                    self.undo(mark);
                    return false;
                }
                if let [only] = possible.as_slice() {
                    self.commit(only, &op);
                    progress = true;
                } else {
                    op.candidates = possible;
                    rest.push(op);
                }
            }
            rest.reverse();
            open = rest;
            if !progress {
                break;
            }
        }
        if open.is_empty() {
            return true;
        }
        let first = open.remove(0);
        for candidate in &first.candidates {
            let inner = self.trail.len();
            self.commit(candidate, &first);
            let rest = open
                .iter()
                .map(|d| Deferred {
                    candidates: d.candidates.clone(),
                    args: d.args.clone(),
                    result: d.result.clone(),
                })
                .collect();
            if self.search(rest, budget) {
                return true;
            }
            self.undo(inner);
        }
        self.undo(mark);
        false
    }

    fn fits_with_result(&mut self, candidate: &Signature, op: &Deferred) -> bool {
        let mark = self.trail.len();
        let fits = self.unify_rule(&op.result, &candidate.result)
            && op
                .args
                .iter()
                .zip(&candidate.args)
                .all(|(arg, formal)| self.unify_rule(arg, formal));
        self.undo(mark);
        fits
    }

    fn commit(&mut self, candidate: &Signature, op: &Deferred) {
        self.unify(&op.result, &candidate.result);
        for (arg, formal) in op.args.iter().zip(&candidate.args) {
            self.unify(arg, formal);
        }
    }

    /// Gives a type to every variable that nothing determines: in an axiom of the domain `current`,
    /// a parameter of that domain stands for itself; elsewhere `Int`. Says where `Int` was given.
    pub fn default_rest(&mut self, current: Option<DomainId>) -> Vec<Pos> {
        let mut undetermined = Vec::new();
        for var in 0..self.vars.len() {
            let ty = self.shallow(&Type::Param(FIRST_VAR + var as u32));
            let Some(root) = Self::var(&ty) else { continue };
            let origin = self.origins.get(root as usize);
            let own = origin.and_then(|o| o.param).filter(|(domain, _)| Some(*domain) == current);
            if let Some((_, param)) = own {
                self.bind(root, Type::Param(param));
            } else {
                undetermined.extend(origin.filter(|o| o.warn).map(|o| o.pos));
                self.bind(root, Type::Int);
            }
        }
        undetermined
    }
}

/// The number of an undeclared type.
pub(super) fn undeclared(ty: &Type) -> Option<u32> {
    match ty {
        Type::Domain(DomainId(d), _) if *d >= FIRST_UNDECLARED => Some(d - FIRST_UNDECLARED),
        _ => None,
    }
}
