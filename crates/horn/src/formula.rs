//! Formulas over the parameters of a relation.

use arith::{Constraint, Relation as Sign, Sum, Var};

/// A disjunction of conjunctions. Without disjuncts it is false; with an empty one, true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula {
    /// One of these holds, with all of its constraints.
    pub disjuncts: Vec<Vec<Constraint>>,
}

impl Formula {
    /// What always holds.
    #[must_use]
    pub fn truth() -> Formula {
        Formula { disjuncts: vec![Vec::new()] }
    }

    /// What never holds.
    #[must_use]
    pub fn falsity() -> Formula {
        Formula { disjuncts: Vec::new() }
    }

    /// One constraint.
    #[must_use]
    pub fn of(constraint: Constraint) -> Formula {
        Formula { disjuncts: vec![vec![constraint]] }
    }

    /// Does it always hold, as far as can be seen?
    #[must_use]
    pub fn is_true(&self) -> bool {
        self.disjuncts.iter().any(|all| all.iter().all(Constraint::is_trivial))
    }

    /// Does it never hold, as far as can be seen?
    #[must_use]
    pub fn is_false(&self) -> bool {
        self.disjuncts.is_empty()
    }

    /// Both; `None` if that becomes too large.
    #[must_use]
    pub fn and(&self, other: &Formula, limit: usize) -> Option<Formula> {
        if self.disjuncts.len().checked_mul(other.disjuncts.len())? > limit {
            return None;
        }
        let mut disjuncts = Vec::new();
        for a in &self.disjuncts {
            for b in &other.disjuncts {
                let mut all = a.clone();
                all.extend(b.iter().filter(|c| !a.contains(c)).cloned());
                disjuncts.push(all);
            }
        }
        Some(Formula { disjuncts })
    }

    /// Either.
    #[must_use]
    pub fn or(mut self, other: Formula) -> Formula {
        for disjunct in other.disjuncts {
            if !self.disjuncts.contains(&disjunct) {
                self.disjuncts.push(disjunct);
            }
        }
        self
    }

    /// Its negation; `None` if that becomes too large.
    #[must_use]
    pub fn negation(&self, limit: usize) -> Option<Formula> {
        self.disjuncts.iter().try_fold(Formula::truth(), |result, disjunct| {
            let mut cases = Vec::new();
            for constraint in disjunct {
                cases.extend(constraint.negation()?.into_iter().map(|case| vec![case]));
            }
            result.and(&Formula { disjuncts: cases }, limit)
        })
    }

    /// With terms in place of the parameters; `None` if numbers become too large.
    #[must_use]
    pub fn apply(&self, args: &[Sum]) -> Option<Formula> {
        let one = |disjunct: &Vec<Constraint>| {
            disjunct.iter().map(|c| constraint(c, args)).collect::<Option<Vec<_>>>()
        };
        let disjuncts = self.disjuncts.iter().map(one).collect::<Option<Vec<_>>>()?;
        Some(Formula { disjuncts })
    }

    /// As text, with names for the parameters.
    #[must_use]
    pub fn show(&self, name: &dyn Fn(Var) -> String) -> String {
        let conjunction = |all: &Vec<Constraint>| match all.as_slice() {
            [] => "true".to_owned(),
            all => all.iter().map(|c| show(c, name)).collect::<Vec<_>>().join(" && "),
        };
        match self.disjuncts.as_slice() {
            [] => "false".to_owned(),
            [one] => conjunction(one),
            many => {
                let each = many.iter().map(|all| format!("({})", conjunction(all)));
                each.collect::<Vec<_>>().join(" || ")
            }
        }
    }
}

fn constraint(constraint: &Constraint, args: &[Sum]) -> Option<Constraint> {
    let mut sum = Sum::number(constraint.sum.constant);
    for (var, factor) in &constraint.sum.factors {
        sum = sum.plus(args.get(*var as usize)?, *factor)?;
    }
    Some(Constraint { sum, relation: constraint.relation })
}

/// A constraint as people write it: positive terms on either side.
pub(crate) fn show(constraint: &Constraint, name: &dyn Fn(Var) -> String) -> String {
    let side = |sign: i128| {
        let mut terms = Vec::new();
        for (var, factor) in &constraint.sum.factors {
            match factor * sign {
                1 => terms.push(name(*var)),
                factor if factor > 1 => terms.push(format!("{factor}*{}", name(*var))),
                _ => {}
            }
        }
        terms
    };
    let (mut left, mut right) = (side(1), side(-1));
    let constant = constraint.sum.constant;
    if constant > 0 && !left.is_empty() && right.is_empty() || constant < 0 {
        right.push((-constant).to_string());
    } else if constant > 0 {
        left.push(constant.to_string());
    }
    let text = |terms: Vec<String>| match terms.is_empty() {
        true => "0".to_owned(),
        false => terms.join(" + "),
    };
    let relation = match constraint.relation {
        Sign::Zero => "==",
        Sign::NotNegative => ">=",
        Sign::NotZero => "!=",
    };
    format!("{} {relation} {}", text(left), text(right))
}
