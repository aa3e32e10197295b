//! Linear arithmetic over the integers, small and without a solver: whether constraints contradict
//! each other, and values that satisfy them.
//!
//! Equations are used up by substitution, inequalities by Fourier and Motzkin's elimination. That
//! "they contradict each other" is right; "they do not" may be wrong for integers, so values are
//! checked before they are given away. Numbers that become too large, and too many constraints, make
//! it give up.

mod term;

use std::collections::{BTreeMap, BTreeSet};

pub use term::{Constraint, Relation, Sum};

/// A variable; whoever asks knows what it stands for.
pub type Var = u32;

/// More inequalities than this are not handled.
const MAX_CONSTRAINTS: usize = 400;
/// Disequations are two cases each; no more than this many are split.
const MAX_SPLITS: usize = 5;
/// When values are looked for, each disequation that they violate is two cases; no more cases than this
/// are looked at in all.
const MAX_CASES: usize = 100;

/// Constraints while variables are eliminated.
struct Elimination {
    equations: Vec<Sum>,
    inequalities: Vec<Sum>,
    /// Variables that are gone, the last one last, with how to find their values.
    gone: Vec<(Var, Gone)>,
}

enum Gone {
    /// Its value is that of the sum.
    Is(Sum),
    /// It is between what these inequalities leave.
    Within(Vec<Sum>),
}

enum Outcome {
    Contradiction,
    Done,
    GaveUp,
}

impl Elimination {
    fn run(&mut self) -> Outcome {
        self.run_but(&BTreeSet::new())
    }

    /// Eliminates all variables but these.
    fn run_but(&mut self, kept: &BTreeSet<Var>) -> Outcome {
        loop {
            match self.tidy(kept) {
                Outcome::Done => {}
                other => return other,
            }
            let ended = match self.equations.iter().position(|sum| unit(sum, kept).is_some()) {
                Some(index) => self.substitute(index, kept),
                None => match self.cheapest(kept) {
                    None => return Outcome::Done,
                    Some(var) => self.project(var),
                },
            };
            if ended.is_none() {
                return Outcome::GaveUp;
            }
        }
    }

    /// Divides by common factors; finds contradictions.
    fn tidy(&mut self, kept: &BTreeSet<Var>) -> Outcome {
        for sum in &mut self.equations {
            let divisor = sum.divisor();
            if divisor == 0 {
                if sum.constant != 0 {
                    return Outcome::Contradiction;
                }
                continue;
            }
            if sum.constant % divisor != 0 {
                return Outcome::Contradiction;
            }
            divide(sum, divisor);
        }
        self.equations.retain(|sum| !sum.factors.is_empty());
        for sum in &mut self.inequalities {
            let divisor = sum.divisor();
            if divisor == 0 {
                if sum.constant < 0 {
                    return Outcome::Contradiction;
                }
                continue;
            }
            divide(sum, divisor);
        }
        self.inequalities.retain(|sum| !sum.factors.is_empty());
        self.inequalities.sort();
        // Of several with the same factors the first, with the smallest number, says all.
        self.inequalities.dedup_by(|later, first| later.factors == first.factors);
        // Equations that nothing can be substituted by become inequalities.
        if !self.equations.iter().any(|sum| unit(sum, kept).is_some()) {
            for sum in std::mem::take(&mut self.equations) {
                let Some(negative) = sum.negative() else { return Outcome::GaveUp };
                self.inequalities.push(negative);
                self.inequalities.push(sum);
            }
        }
        if self.inequalities.len() > MAX_CONSTRAINTS { Outcome::GaveUp } else { Outcome::Done }
    }

    fn substitute(&mut self, index: usize, kept: &BTreeSet<Var>) -> Option<()> {
        let equation = self.equations.remove(index);
        let (var, factor) = unit(&equation, kept)?;
        let mut rest = equation;
        rest.factors.retain(|(v, _)| *v != var);
        let is = Sum::default().plus(&rest, -factor)?;
        for sum in self.equations.iter_mut().chain(&mut self.inequalities) {
            *sum = sum.replace(var, &is)?;
        }
        self.gone.push((var, Gone::Is(is)));
        Some(())
    }

    /// The variable whose elimination makes the fewest inequalities.
    fn cheapest(&self, kept: &BTreeSet<Var>) -> Option<Var> {
        let mut counts: BTreeMap<Var, (usize, usize)> = BTreeMap::new();
        let factors = self.inequalities.iter().flat_map(|sum| &sum.factors);
        for (var, factor) in factors.filter(|(var, _)| !kept.contains(var)) {
            let count = counts.entry(*var).or_default();
            if *factor > 0 { count.0 += 1 } else { count.1 += 1 }
        }
        counts.into_iter().min_by_key(|(_, (lower, upper))| lower * upper).map(|(var, _)| var)
    }

    /// Eliminates a variable that no equation mentions. If there is too much to do, what mentions it is
    /// only forgotten.
    fn project(&mut self, var: Var) -> Option<()> {
        let (with, without): (Vec<Sum>, Vec<Sum>) =
            std::mem::take(&mut self.inequalities).into_iter().partition(|s| s.factor(var) != 0);
        self.inequalities = without;
        let (lower, upper): (Vec<&Sum>, Vec<&Sum>) = with.iter().partition(|s| s.factor(var) > 0);
        // There may be very many, so they are counted before they are made.
        if self.inequalities.len() + lower.len() * upper.len() > 4 * MAX_CONSTRAINTS {
            return None;
        }
        for lower in lower {
            for upper in &upper {
                let scaled = Sum::default().plus(lower, -upper.factor(var))?;
                self.inequalities.push(scaled.plus(upper, lower.factor(var))?);
            }
        }
        self.gone.push((var, Gone::Within(with)));
        Some(())
    }

    /// Do the least values satisfy all of these? Then nothing contradicts anything, which is found out
    /// sooner than by cases.
    fn has_values(&self, constraints: &[Constraint], more: &[&Constraint]) -> bool {
        self.values(BTreeMap::new(), false).is_some_and(|values| {
            let known = |v: Var| values.get(&v).copied().unwrap_or(0);
            constraints.iter().chain(more.iter().copied()).all(|c| c.holds(&known))
        })
    }

    /// Values of all variables that are gone, from the last one back, given those of the others: the
    /// least ones where there is a choice, or the greatest.
    fn values(
        &self,
        mut values: BTreeMap<Var, i128>,
        greatest: bool,
    ) -> Option<BTreeMap<Var, i128>> {
        for (var, gone) in self.gone.iter().rev() {
            let known = |v: Var| values.get(&v).copied().unwrap_or(0);
            let value = match gone {
                Gone::Is(sum) => sum.value(&known)?,
                Gone::Within(bounds) => {
                    let (mut least, mut most) = (None::<i128>, None::<i128>);
                    for bound in bounds {
                        let factor = bound.factor(*var);
                        let rest = bound.value(&|v| if v == *var { 0 } else { known(v) })?;
                        if factor > 0 {
                            let low = -rest.div_euclid(factor);
                            least = Some(least.map_or(low, |l| l.max(low)));
                        } else {
                            let high = rest.div_euclid(-factor);
                            most = Some(most.map_or(high, |h| h.min(high)));
                        }
                    }
                    if greatest { most.or(least) } else { least.or(most) }.unwrap_or(0)
                }
            };
            values.insert(*var, value);
        }
        Some(values)
    }
}

/// A variable with the factor 1 or -1 that is not kept.
fn unit(sum: &Sum, kept: &BTreeSet<Var>) -> Option<(Var, i128)> {
    sum.factors.iter().copied().find(|(var, factor)| factor.abs() == 1 && !kept.contains(var))
}

fn divide(sum: &mut Sum, divisor: i128) {
    if divisor > 1 {
        sum.factors.iter_mut().for_each(|(_, factor)| *factor /= divisor);
        sum.constant = sum.constant.div_euclid(divisor);
    }
}

fn elimination(constraints: &[Constraint]) -> Elimination {
    let of = |relation| {
        constraints.iter().filter(move |c| c.relation == relation).map(|c| c.sum.clone()).collect()
    };
    Elimination {
        equations: of(Relation::Zero),
        inequalities: of(Relation::NotNegative),
        gone: Vec::new(),
    }
}

/// Do these constraints contradict each other? `true` is certain.
#[must_use]
pub fn contradictory(constraints: &[Constraint]) -> bool {
    if constraints.is_empty() {
        return false;
    }
    let different: Vec<&Constraint> =
        constraints.iter().filter(|c| c.relation == Relation::NotZero).collect();
    let mut eliminated = elimination(constraints);
    match eliminated.run() {
        Outcome::Contradiction => return true,
        Outcome::GaveUp => return false,
        Outcome::Done if different.is_empty() || eliminated.has_values(constraints, &[]) => {
            return false;
        }
        Outcome::Done => {}
    }
    let rest: Vec<Constraint> =
        constraints.iter().filter(|c| c.relation != Relation::NotZero).cloned().collect();
    all_cases(&rest, different.get(..different.len().min(MAX_SPLITS)).unwrap_or_default())
}

fn all_cases(rest: &[Constraint], different: &[&Constraint]) -> bool {
    let mut eliminated = elimination(rest);
    match eliminated.run() {
        Outcome::Contradiction => return true,
        Outcome::Done if eliminated.has_values(rest, different) => return false,
        _ => {}
    }
    let Some((first, others)) = different.split_first() else { return false };
    let zero = Constraint { sum: first.sum.clone(), relation: Relation::Zero };
    let Some(cases) = zero.negation() else { return false };
    cases.into_iter().all(|case| {
        let mut more = rest.to_vec();
        more.push(case);
        all_cases(&more, others)
    })
}

/// Does the constraint follow from these? `true` is certain.
#[must_use]
pub fn implies(facts: &[Constraint], goal: &Constraint) -> bool {
    if goal.is_trivial() || facts.contains(goal) {
        return true;
    }
    let Some(cases) = goal.negation() else { return false };
    cases.into_iter().all(|case| {
        let mut all = facts.to_vec();
        all.push(case);
        contradictory(&all)
    })
}

/// Values that satisfy all constraints; others than those that are given are zero.
#[must_use]
pub fn solve(constraints: &[Constraint]) -> Option<BTreeMap<Var, i128>> {
    solve_cases(constraints.to_vec(), &mut { MAX_CASES })
}

fn solve_cases(constraints: Vec<Constraint>, rest: &mut usize) -> Option<BTreeMap<Var, i128>> {
    *rest = rest.checked_sub(1)?;
    let mut eliminated = elimination(&constraints);
    let Outcome::Done = eliminated.run() else { return None };
    let values = eliminated.values(BTreeMap::new(), false)?;
    let known = |v: Var| values.get(&v).copied().unwrap_or(0);
    match constraints.iter().position(|c| !c.holds(&known)) {
        None => Some(values),
        Some(index) if constraints[index].relation == Relation::NotZero => {
            let zero = Constraint { sum: constraints[index].sum.clone(), relation: Relation::Zero };
            zero.negation()?.into_iter().find_map(|case| {
                let mut more = constraints.clone();
                more.remove(index);
                more.push(case);
                solve_cases(more, rest)
            })
        }
        Some(_) => None,
    }
}

/// Constraints that are solved again and again for other values of some variables.
pub struct Plan {
    constraints: Vec<Constraint>,
    given: BTreeSet<Var>,
    /// What is left when all others are eliminated.
    guards: Vec<Sum>,
    eliminated: Elimination,
}

impl Plan {
    /// `None` if the constraints contradict each other, or there is too much to do.
    #[must_use]
    pub fn new(constraints: Vec<Constraint>, given: BTreeSet<Var>) -> Option<Plan> {
        let mut eliminated = elimination(&constraints);
        let Outcome::Done = eliminated.run_but(&given) else { return None };
        let guards = std::mem::take(&mut eliminated.inequalities);
        Some(Plan { constraints, given, guards, eliminated })
    }

    /// Values of all variables that satisfy the constraints, with these of those that are given: the
    /// least ones where there is a choice, or the greatest.
    #[must_use]
    pub fn values(
        &self,
        given: BTreeMap<Var, i128>,
        greatest: bool,
    ) -> Option<BTreeMap<Var, i128>> {
        let known = |v: Var| given.get(&v).copied().unwrap_or(0);
        if !self.guards.iter().all(|sum| sum.value(&known).is_some_and(|value| value >= 0)) {
            return None;
        }
        let values = self.eliminated.values(given, greatest)?;
        let found = |v: Var| values.get(&v).copied().unwrap_or(0);
        if self.constraints.iter().all(|c| c.holds(&found)) {
            return Some(values);
        }
        // What is different, or has to be divided, takes a search.
        let mut all = self.constraints.clone();
        for var in &self.given {
            all.push(Constraint::equal(&Sum::var(*var), &Sum::number(found(*var)))?);
        }
        solve(&all)
    }
}

/// What the constraints say of the other variables once these are "for some value". `None` if that
/// cannot be said without dividing: then it would be less than what they say.
#[must_use]
pub fn project(constraints: &[Constraint], gone: &BTreeSet<Var>) -> Option<Vec<Constraint>> {
    project_with(constraints, gone, true)
}

/// Like [`project`], but what cannot be said exactly is left out: what is given follows.
#[must_use]
pub fn weaken(constraints: &[Constraint], gone: &BTreeSet<Var>) -> Vec<Constraint> {
    project_with(constraints, gone, false).unwrap_or_default()
}

fn project_with(
    constraints: &[Constraint],
    gone: &BTreeSet<Var>,
    exact: bool,
) -> Option<Vec<Constraint>> {
    let mut eliminated = elimination(constraints);
    let mut different: Vec<Sum> = constraints
        .iter()
        .filter(|c| c.relation == Relation::NotZero)
        .map(|c| c.sum.clone())
        .collect();
    for var in gone {
        let unit = eliminated.equations.iter().position(|sum| sum.factor(*var).abs() == 1);
        if let Some(index) = unit {
            let mut rest = eliminated.equations.remove(index);
            let factor = rest.factor(*var);
            rest.factors.retain(|(v, _)| v != var);
            let is = Sum::default().plus(&rest, -factor)?;
            let all = eliminated.equations.iter_mut().chain(&mut eliminated.inequalities);
            for sum in all.chain(&mut different) {
                *sum = sum.replace(*var, &is)?;
            }
            continue;
        }
        let mentions = |sum: &Sum| sum.factor(*var) != 0;
        let units = eliminated.inequalities.iter().all(|sum| sum.factor(*var).abs() <= 1);
        let clean = !eliminated.equations.iter().any(mentions) && !different.iter().any(mentions);
        if exact && !(units && clean) {
            return None;
        }
        eliminated.equations.retain(|sum| !mentions(sum));
        different.retain(|sum| !mentions(sum));
        if eliminated.project(*var).is_none() {
            if exact {
                return None;
            }
            eliminated.inequalities.retain(|sum| sum.factor(*var) == 0);
        }
    }
    let with = |relation| move |sum| Constraint { sum, relation };
    let mut result: Vec<Constraint> =
        eliminated.equations.into_iter().map(with(Relation::Zero)).collect();
    result.extend(eliminated.inequalities.into_iter().map(with(Relation::NotNegative)));
    result.extend(different.into_iter().map(with(Relation::NotZero)));
    if exact && !result.iter().all(|c| c.sum.is_small()) {
        return None;
    }
    result.retain(|c| !c.is_trivial() && c.sum.is_small());
    result.sort();
    result.dedup();
    Some(result)
}
