//! Substitution that captures nothing, and what is made of it: instances of definitions.

use std::collections::{BTreeMap, BTreeSet};

use crate::formula::{Formula, Kind};
use crate::signature::Definition;
use crate::sort::{Name, Var};
use crate::term::Term;

/// Terms for variables.
pub type Substitution = BTreeMap<Name, Term>;

impl Formula {
    /// The formula with terms in place of free variables. Bound variables are renamed where they
    /// would capture one.
    #[must_use]
    pub fn substitute(&self, by: &Substitution) -> Formula {
        if by.is_empty() {
            return self.clone();
        }
        let mut taken = BTreeSet::new();
        for term in by.values() {
            term.for_each_var(&mut |var| {
                taken.insert(var.name.clone());
            });
        }
        replace(self, by, &taken)
    }

    /// The formula with bodies in place of instances of predicates, where there is a definition; what
    /// they mention stays as it is.
    #[must_use]
    pub fn unfold<'d>(&self, definition: &impl Fn(&Name) -> Option<&'d Definition>) -> Formula {
        let all = |parts: &[Formula]| parts.iter().map(|p| p.unfold(definition)).collect();
        let kind = match self.kind() {
            Kind::Pred(name, args) => {
                return match definition(name) {
                    Some(definition) if definition.params.len() == args.len() => {
                        definition.instantiate(args)
                    }
                    _ => self.clone(),
                };
            }
            Kind::Sep(parts) => Kind::Sep(all(parts)),
            Kind::And(parts) => Kind::And(all(parts)),
            Kind::Or(parts) => Kind::Or(all(parts)),
            Kind::Wand(a, b) => Kind::Wand(a.unfold(definition), b.unfold(definition)),
            Kind::Not(part) => Kind::Not(part.unfold(definition)),
            Kind::Exists(vars, body) => Kind::Exists(vars.clone(), body.unfold(definition)),
            Kind::Forall(vars, body) => Kind::Forall(vars.clone(), body.unfold(definition)),
            Kind::True
            | Kind::False
            | Kind::Emp
            | Kind::Eq(..)
            | Kind::Ne(..)
            | Kind::Le(..)
            | Kind::Lt(..)
            | Kind::PointsTo(..) => return self.clone(),
        };
        Formula::new(kind, self.pos())
    }
}

impl Definition {
    /// The body for these arguments. The caller has checked their number.
    #[must_use]
    pub fn instantiate(&self, args: &[Term]) -> Formula {
        let by: Substitution = self
            .params
            .iter()
            .zip(args)
            .map(|(param, arg)| (param.name.clone(), arg.clone()))
            .collect();
        self.body.substitute(&by)
    }
}

fn replace(formula: &Formula, by: &Substitution, taken: &BTreeSet<Name>) -> Formula {
    let term = |t: &Term| t.substitute(&|name| by.get(name).cloned());
    let all = |parts: &[Formula]| parts.iter().map(|p| replace(p, by, taken)).collect();
    let kind = match formula.kind() {
        Kind::True | Kind::False | Kind::Emp => return formula.clone(),
        Kind::Eq(a, b) => Kind::Eq(term(a), term(b)),
        Kind::Ne(a, b) => Kind::Ne(term(a), term(b)),
        Kind::Le(a, b) => Kind::Le(term(a), term(b)),
        Kind::Lt(a, b) => Kind::Lt(term(a), term(b)),
        Kind::PointsTo(a, b) => Kind::PointsTo(term(a), term(b)),
        Kind::Pred(name, args) => Kind::Pred(name.clone(), args.iter().map(term).collect()),
        Kind::Sep(parts) => Kind::Sep(all(parts)),
        Kind::And(parts) => Kind::And(all(parts)),
        Kind::Or(parts) => Kind::Or(all(parts)),
        Kind::Wand(a, b) => Kind::Wand(replace(a, by, taken), replace(b, by, taken)),
        Kind::Not(part) => Kind::Not(replace(part, by, taken)),
        Kind::Exists(vars, body) => {
            let (vars, body) = under_binder(vars, body, by, taken);
            Kind::Exists(vars, body)
        }
        Kind::Forall(vars, body) => {
            let (vars, body) = under_binder(vars, body, by, taken);
            Kind::Forall(vars, body)
        }
    };
    Formula::new(kind, formula.pos())
}

fn under_binder(
    vars: &[Var],
    body: &Formula,
    by: &Substitution,
    taken: &BTreeSet<Name>,
) -> (Vec<Var>, Formula) {
    let mut inner = by.clone();
    let mut taken = taken.clone();
    let mut renamed = Vec::with_capacity(vars.len());
    for var in vars {
        inner.remove(&var.name);
    }
    let clash = vars.iter().any(|var| taken.contains(&var.name));
    if clash {
        taken.extend(body.free_vars().into_iter().map(|var| var.name));
    }
    for var in vars {
        if clash && by.values().any(|t| mentions(t, &var.name)) {
            let fresh = Var { name: fresh_name(&var.name, &taken), sort: var.sort.clone() };
            taken.insert(fresh.name.clone());
            inner.insert(var.name.clone(), Term::var(fresh.clone()));
            renamed.push(fresh);
        } else {
            renamed.push(var.clone());
        }
    }
    (renamed, replace(body, &inner, &taken))
}

fn mentions(term: &Term, name: &Name) -> bool {
    let mut found = false;
    term.for_each_var(&mut |var| found |= var.name == *name);
    found
}

/// A name that looks like this one and is not among those taken: `x`, `x_1`, `x_2`, …
#[must_use]
pub fn fresh_name(like: &Name, taken: &BTreeSet<Name>) -> Name {
    if !taken.contains(like) {
        return like.clone();
    }
    let mut number = 1usize;
    loop {
        let name = Name::from(format!("{like}_{number}"));
        if !taken.contains(&name) {
            return name;
        }
        number += 1;
    }
}
