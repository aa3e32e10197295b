//! Substitution that captures nothing, and what is made of it: instances of definitions.

use std::collections::{BTreeMap, BTreeSet};

use crate::formula::{Formula, Kind};
use crate::signature::Definition;
use crate::sort::{Name, Symbol, Var, Variable};
use crate::term::Term;

/// A formula that is larger than this is not unfolded further.
const MAX_UNFOLDED: usize = 4096;

/// Terms for variables.
pub type Substitution<V = Var> = BTreeMap<<V as Variable>::Id, Term<V>>;

impl<V: Variable, P: Symbol> Formula<V, P> {
    /// The formula with terms in place of free variables. Bound variables are renamed where they
    /// would capture one.
    #[must_use]
    pub fn substitute(&self, by: &Substitution<V>) -> Formula<V, P> {
        if by.is_empty() {
            return self.clone();
        }
        let mut taken = BTreeSet::new();
        for term in by.values() {
            term.for_each_var(&mut |var| {
                taken.insert(var.id().clone());
            });
        }
        replace(self, by, &taken)
    }

    /// The formula with bodies in place of instances of predicates, where there is a definition; what
    /// they mention stays as it is.
    #[must_use]
    pub fn unfold<'d>(
        &self,
        definition: &impl Fn(&P) -> Option<&'d Definition<V, P>>,
    ) -> Formula<V, P>
    where
        V: 'd,
        P: 'd,
    {
        let all = |parts: &[Formula<V, P>]| parts.iter().map(|p| p.unfold(definition)).collect();
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

impl<V: Variable, P: Symbol> Formula<V, P> {
    /// The same until there is nothing left to unfold, which must come to an end. `None` if that makes the
    /// formula much larger.
    #[must_use]
    pub fn unfold_all<'d>(
        &self,
        definition: &impl Fn(&P) -> Option<&'d Definition<V, P>>,
    ) -> Option<Formula<V, P>>
    where
        V: 'd,
        P: 'd,
    {
        let mut formula = self.clone();
        while formula.predicates().iter().any(|pred| definition(pred).is_some()) {
            formula = formula.unfold(definition);
            let mut size = 0usize;
            formula.for_each(&mut |_| size += 1);
            if size > MAX_UNFOLDED {
                return None;
            }
        }
        Some(formula)
    }
}

impl<V: Variable, P: Symbol> Definition<V, P> {
    /// The body for these arguments. The caller has checked their number.
    #[must_use]
    pub fn instantiate(&self, args: &[Term<V>]) -> Formula<V, P> {
        let by: Substitution<V> = self
            .params
            .iter()
            .zip(args)
            .map(|(param, arg)| (param.id().clone(), arg.clone()))
            .collect();
        self.body.substitute(&by)
    }
}

fn replace<V: Variable, P: Symbol>(
    formula: &Formula<V, P>,
    by: &Substitution<V>,
    taken: &BTreeSet<V::Id>,
) -> Formula<V, P> {
    let term = |t: &Term<V>| t.substitute(&|name| by.get(name).cloned());
    let all = |parts: &[Formula<V, P>]| parts.iter().map(|p| replace(p, by, taken)).collect();
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

fn under_binder<V: Variable, P: Symbol>(
    vars: &[V],
    body: &Formula<V, P>,
    by: &Substitution<V>,
    taken: &BTreeSet<V::Id>,
) -> (Vec<V>, Formula<V, P>) {
    let mut inner = by.clone();
    let mut taken = taken.clone();
    let mut renamed = Vec::with_capacity(vars.len());
    for var in vars {
        inner.remove(var.id());
    }
    let clash = vars.iter().any(|var| taken.contains(var.id()));
    if clash {
        taken.extend(body.free_vars().into_iter().map(|var| var.id().clone()));
    }
    for var in vars {
        if clash && by.values().any(|t| t.mentions(var.id())) {
            let fresh = var.apart_from(&taken);
            taken.insert(fresh.id().clone());
            inner.insert(var.id().clone(), Term::var(fresh.clone()));
            renamed.push(fresh);
        } else {
            renamed.push(var.clone());
        }
    }
    (renamed, replace(body, &inner, &taken))
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
