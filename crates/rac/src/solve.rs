//! Spatial assertions on a heap: do they hold, on which footprint, with which values of variables?
//!
//! Conjuncts are taken in an order in which each determines as much as it can, as in logic programming: an
//! equation binds a variable, `lseg(x, y) && acc(F)` binds `F`, an instance of a predicate binds its arguments by
//! its definition. What is left is tried, by [`Machine::search`]. So implicit ghost arguments, existential variables
//! and heaps that satisfy a precondition are found in one way.

use std::collections::BTreeSet;

use report::Span;
use spl::core::{BinOp, Expr, ExprKind, LocalId, Name, Predicate, Quantifier, Type};

use crate::eval::unknown;
use crate::machine::{Env, Machine, Result, Stop, is_infinite};
use crate::value::{Footprint, Value};

/// How soon a conjunct is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// It can be split, or has a value.
    Now,
    /// It determines a variable.
    Binds,
    /// An instance of a predicate, all arguments known.
    Instance,
    /// An instance of a predicate that may determine arguments; a member of a known set.
    Partial,
    /// Alternatives.
    Alternatives,
    /// A variable has to be guessed first.
    Guess,
}

impl<'p> Machine<'p> {
    /// The footprint on which all of these hold, each on its own part.
    pub fn star(&mut self, env: &mut Env<'p>, mut todo: Vec<&'p Expr>) -> Result<Footprint> {
        let mut total = Footprint::new();
        while !todo.is_empty() {
            let ranks = todo.iter().enumerate().map(|(i, e)| (rank(env, e), i));
            let Some((rank, index)) = ranks.min() else { break };
            let e = todo.remove(index);
            let mut more = Vec::new();
            let part = match self.conjunct(env, e, rank, &mut more) {
                Err(Stop::Fails) => {
                    if self.furthest.is_none_or(|(progress, _)| progress <= self.progress) {
                        self.furthest = Some((self.progress, e.span));
                    }
                    return Err(Stop::Fails);
                }
                part => part?,
            };
            self.progress += 1;
            for (at, e) in more.into_iter().enumerate() {
                todo.insert(index + at, e);
            }
            for location in part {
                // A location is in one part only, and `null` in none.
                if location.1.is_null() || !total.insert(location) {
                    return Err(Stop::Fails);
                }
            }
        }
        Ok(total)
    }

    fn conjunct(
        &mut self,
        env: &mut Env<'p>,
        e: &'p Expr,
        rank: Rank,
        more: &mut Vec<&'p Expr>,
    ) -> Result<Footprint> {
        self.tick()?;
        let nothing = Ok(Footprint::new());
        if rank == Rank::Guess
            && let Some(local) = unset(env, e).into_iter().next()
        {
            let value = self.any(&env.ty(local), e.span)?;
            env.set(local, Some(value));
            more.push(e);
            return nothing;
        }
        match &*e.kind {
            ExprKind::Binary(BinOp::SepStar, a, b) => {
                more.extend([a, b]);
                nothing
            }
            ExprKind::Binary(BinOp::And, a, b) if e.ty != Type::Perm => {
                more.extend([a, b]);
                nothing
            }
            ExprKind::Quant(Quantifier::Exists, vars, body) if splits(env, e) => {
                vars.iter().for_each(|var| env.set(*var, None));
                more.push(body);
                nothing
            }
            _ if e.ty != Type::Perm && rank == Rank::Now => {
                if self.bool(env, e)? {
                    nothing
                } else {
                    Err(Stop::Fails)
                }
            }
            ExprKind::Binary(BinOp::Eq, a, b) if rank == Rank::Binds => {
                let (var, value) = match (unset_local(env, a), unset_local(env, b)) {
                    (Some(var), _) => (var, b),
                    (_, Some(var)) => (var, a),
                    _ => return Err(Stop::Fails),
                };
                let value = self.eval(env, value)?;
                env.set(var, Some(value));
                nothing
            }
            ExprKind::Binary(BinOp::In, a, b) if rank == Rank::Partial => {
                let Value::Set(set) = self.eval(env, b)? else { return Err(Stop::Fails) };
                let index = self.choose(set.len());
                let value = set.iter().nth(index).cloned().ok_or(Stop::Fails)?;
                if let Some(var) = unset_local(env, a) {
                    env.set(var, Some(value));
                }
                nothing
            }
            ExprKind::Binary(BinOp::Or, a, b) => {
                more.push(if self.choose(2) == 0 { a } else { b });
                nothing
            }
            ExprKind::Binary(BinOp::Implies, a, b) => {
                // b ==> A  is  (!b) || (b &*& A)
                if self.bool(env, a)? {
                    more.push(b);
                }
                nothing
            }
            ExprKind::Cond(c, a, b) => {
                more.push(if self.bool(env, c)? { a } else { b });
                nothing
            }
            ExprKind::Predicate(name, args) => self.instance(env, name, args, e.span),
            ExprKind::Emp => nothing,
            ExprKind::Acc(location) => {
                let value = self.eval(env, location)?;
                Ok(Footprint::from([(location.ty.clone(), value)]))
            }
            ExprKind::AccSet(set) => {
                let (Type::Set(of), Value::Set(elements)) = (&set.ty, self.eval(env, set)?) else {
                    return unknown(e.span, "this set");
                };
                Ok(elements.iter().map(|v| ((**of).clone(), v.clone())).collect())
            }
            ExprKind::PointsTo(location, read, value) => {
                let (at, held) = (self.eval(env, location)?, self.eval(env, read)?);
                match unset_local(env, value) {
                    Some(var) => env.set(var, Some(held)),
                    None if self.eval(env, value)? != held => return Err(Stop::Fails),
                    None => {}
                }
                Ok(Footprint::from([(location.ty.clone(), at)]))
            }
            ExprKind::Binary(BinOp::And, a, b) => {
                // The side that is `acc(F)` with an unknown `F` comes second: it determines `F`.
                let (first, second) =
                    if names_footprint(env, a).is_some() { (b, a) } else { (a, b) };
                let part = self.star(env, vec![first])?;
                if let (Some(var), Type::Set(of)) = (names_footprint(env, second), set_type(second))
                {
                    if part.iter().any(|(ty, _)| *ty != *of) {
                        return Err(Stop::Fails);
                    }
                    env.set(var, Some(Value::set(part.iter().map(|(_, v)| v.clone()))));
                    return Ok(part);
                }
                if self.star(env, vec![second])? == part { Ok(part) } else { Err(Stop::Fails) }
            }
            ExprKind::Binary(BinOp::SepPlus, a, b) => {
                let mut part = self.star(env, vec![a])?;
                part.extend(self.star(env, vec![b])?);
                Ok(part)
            }
            ExprKind::Binary(BinOp::SepIncl, a, b) => {
                let (inside, part) = (self.star(env, vec![a])?, self.star(env, vec![b])?);
                if inside.is_subset(&part) { Ok(part) } else { Err(Stop::Fails) }
            }
            _ if e.ty != Type::Perm => {
                if self.bool(env, e)? {
                    nothing
                } else {
                    Err(Stop::Fails)
                }
            }
            _ => unknown(e.span, "this spatial assertion"),
        }
    }

    /// An instance of a predicate: its body, which may determine arguments that are not known.
    fn instance(
        &mut self,
        env: &mut Env<'p>,
        name: &Name,
        args: &'p [Expr],
        span: Span,
    ) -> Result<Footprint> {
        let Some(predicate) = self.program.predicates.get(name) else {
            return unknown(span, "this predicate");
        };
        let Some(body) = &predicate.body else {
            return unknown(span, format!("`{name}`, which has no definition,"));
        };
        let mut inner = Env::new(&predicate.locals, env.old.clone());
        inner.in_old = env.in_old;
        for (param, arg) in predicate.params.iter().zip(args) {
            if unset_local(env, arg).is_none() {
                let value = self.eval(env, arg)?;
                inner.set(param.local, Some(value));
            }
        }
        let known = predicate.params.iter().map(|p| inner.get(p.local).cloned()).collect();
        let key = (name.clone(), known);
        if self.open.contains(&key) {
            // The least relation: an instance does not follow from itself.
            return Err(Stop::Fails);
        }
        self.open.push(key);
        let part = self.deeper(span, |m| m.star(&mut inner, vec![body]));
        self.open.pop();
        let part = part?;
        copy_back(env, predicate, args, &inner);
        Ok(part)
    }
}

fn copy_back(env: &mut Env<'_>, predicate: &Predicate, args: &[Expr], inner: &Env<'_>) {
    for (param, arg) in predicate.params.iter().zip(args) {
        if let (Some(var), Some(value)) = (unset_local(env, arg), inner.get(param.local)) {
            env.set(var, Some(value.clone()));
        }
    }
}

/// Is it an existential quantifier whose variables are better determined than tried?
fn splits(env: &Env<'_>, e: &Expr) -> bool {
    let ExprKind::Quant(Quantifier::Exists, vars, _) = &*e.kind else { return false };
    e.ty == Type::Perm
        || !unset(env, e).is_empty()
        || vars.iter().any(|var| is_infinite(&env.ty(*var)) || matches!(env.ty(*var), Type::Set(_)))
}

fn rank(env: &Env<'_>, e: &Expr) -> Rank {
    match &*e.kind {
        ExprKind::Binary(BinOp::SepStar, ..) => return Rank::Now,
        ExprKind::Binary(BinOp::And, ..) if e.ty != Type::Perm => return Rank::Now,
        ExprKind::Quant(Quantifier::Exists, ..) if splits(env, e) => return Rank::Now,
        ExprKind::Quant(..) => {}
        _ => {}
    }
    let open = unset(env, e);
    let spatial = e.ty == Type::Perm;
    match &*e.kind {
        ExprKind::Predicate(..) if open.is_empty() && spatial => Rank::Instance,
        ExprKind::Binary(BinOp::Or, ..) if spatial || !open.is_empty() => Rank::Alternatives,
        _ if open.is_empty() => Rank::Now,
        ExprKind::Binary(BinOp::Eq, a, b) => {
            let binds = |var: &Expr, value: &Expr| {
                unset_local(env, var).is_some() && unset(env, value).is_empty()
            };
            if binds(a, b) || binds(b, a) { Rank::Binds } else { Rank::Guess }
        }
        ExprKind::Binary(BinOp::In, a, b)
            if unset_local(env, a).is_some() && unset(env, b).is_empty() =>
        {
            Rank::Partial
        }
        ExprKind::Binary(BinOp::Implies, a, _) if unset(env, a).is_empty() => Rank::Alternatives,
        ExprKind::Cond(c, ..) if unset(env, c).is_empty() && spatial => Rank::Alternatives,
        ExprKind::PointsTo(location, _, value)
            if unset(env, location).is_empty() && unset_local(env, value).is_some() =>
        {
            Rank::Binds
        }
        ExprKind::Binary(BinOp::And, a, b) => {
            let names = |var: &Expr, other: &Expr| {
                names_footprint(env, var).is_some() && rank(env, other) < Rank::Guess
            };
            if names(a, b) || names(b, a) { Rank::Partial } else { Rank::Guess }
        }
        ExprKind::Predicate(_, args) => {
            let whole =
                args.iter().all(|a| unset(env, a).is_empty() || unset_local(env, a).is_some());
            if whole { Rank::Partial } else { Rank::Guess }
        }
        _ => Rank::Guess,
    }
}

/// Variables of an expression that are not set.
fn unset(env: &Env<'_>, e: &Expr) -> BTreeSet<LocalId> {
    let (mut used, mut bound) = (BTreeSet::new(), BTreeSet::new());
    e.walk(&mut |e| match &*e.kind {
        ExprKind::Local(local) if env.get(*local).is_none() => drop(used.insert(*local)),
        ExprKind::Quant(_, vars, _) => bound.extend(vars.iter().copied()),
        ExprKind::Comprehension(var, _) => drop(bound.insert(*var)),
        _ => {}
    });
    &used - &bound
}

/// A variable that is not set.
fn unset_local(env: &Env<'_>, e: &Expr) -> Option<LocalId> {
    match &*e.kind {
        ExprKind::Local(local) if env.get(*local).is_none() => Some(*local),
        _ => None,
    }
}

/// `acc(F)` with a variable that is not set.
fn names_footprint(env: &Env<'_>, e: &Expr) -> Option<LocalId> {
    match &*e.kind {
        ExprKind::AccSet(set) => unset_local(env, set),
        _ => None,
    }
}

fn set_type(e: &Expr) -> Type {
    match &*e.kind {
        ExprKind::AccSet(set) => set.ty.clone(),
        _ => Type::Perm,
    }
}
