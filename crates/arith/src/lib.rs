//! Linear arithmetic over the integers, small and without a solver: whether constraints contradict
//! each other, and values that satisfy them.
//!
//! Equations are used up by substitution, inequalities by Fourier and Motzkin's elimination. That
//! "they contradict each other" is right; "they do not" may be wrong for integers, so values are
//! checked before they are given away. Numbers that become too large, and too many constraints, make
//! it give up. Who does not trust this asks for a [`Certificate`] and adds it up.

mod certificate;
mod term;

use std::collections::{BTreeMap, BTreeSet};

pub use certificate::{Certificate, Line};
pub use term::{Constraint, Relation, Sum};

use certificate::Recorder;

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
    equations: Vec<Row>,
    inequalities: Vec<Row>,
    /// Variables that are gone, the last one last, with how to find their values.
    gone: Vec<(Var, Gone)>,
    recorder: Recorder,
}

/// A sum, and the number of the constraint or line that it is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    sum: Sum,
    line: usize,
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
            let ended = match self.equations.iter().position(|row| unit(&row.sum, kept).is_some()) {
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
        let recorder = &mut self.recorder;
        for row in &mut self.equations {
            let divisor = row.sum.divisor();
            if divisor == 0 {
                if row.sum.constant != 0 {
                    recorder.line(true, &[(row.line, 1)], 1);
                    return Outcome::Contradiction;
                }
                continue;
            }
            if row.sum.constant % divisor != 0 {
                recorder.line(true, &[(row.line, 1)], divisor);
                return Outcome::Contradiction;
            }
            row.divide(divisor, true, recorder);
        }
        self.equations.retain(|row| !row.sum.factors.is_empty());
        for row in &mut self.inequalities {
            let divisor = row.sum.divisor();
            if divisor == 0 {
                if row.sum.constant < 0 {
                    recorder.line(false, &[(row.line, 1)], 1);
                    return Outcome::Contradiction;
                }
                continue;
            }
            row.divide(divisor, false, recorder);
        }
        self.inequalities.retain(|row| !row.sum.factors.is_empty());
        self.inequalities.sort();
        // Of several with the same factors the first, with the smallest number, says all.
        self.inequalities.dedup_by(|later, first| later.sum.factors == first.sum.factors);
        // Equations that nothing can be substituted by become inequalities.
        if !self.equations.iter().any(|row| unit(&row.sum, kept).is_some()) {
            for Row { sum, line } in std::mem::take(&mut self.equations) {
                let Some(negative) = sum.negative() else { return Outcome::GaveUp };
                for (sum, times) in [(negative, -1), (sum, 1)] {
                    let line = self.recorder.line(false, &[(line, times)], 1);
                    self.inequalities.push(Row { sum, line });
                }
            }
        }
        if self.inequalities.len() > MAX_CONSTRAINTS { Outcome::GaveUp } else { Outcome::Done }
    }

    fn substitute(&mut self, index: usize, kept: &BTreeSet<Var>) -> Option<()> {
        let equation = self.equations.remove(index);
        let (var, factor) = unit(&equation.sum, kept)?;
        let mut rest = equation.sum;
        rest.factors.retain(|(v, _)| *v != var);
        let is = Sum::default().plus(&rest, -factor)?;
        for (rows, zero) in [(&mut self.equations, true), (&mut self.inequalities, false)] {
            for row in rows {
                // `factor * var + rest` is added so often that the variable is gone.
                let times = row.sum.factor(var).checked_mul(-factor)?;
                if times != 0 {
                    row.sum = row.sum.replace(var, &is)?;
                    let parts = [(row.line, 1), (equation.line, times)];
                    row.line = self.recorder.line(zero, &parts, 1);
                }
            }
        }
        self.gone.push((var, Gone::Is(is)));
        Some(())
    }

    /// The variable whose elimination makes the fewest inequalities.
    fn cheapest(&self, kept: &BTreeSet<Var>) -> Option<Var> {
        let mut counts: BTreeMap<Var, (usize, usize)> = BTreeMap::new();
        let factors = self.inequalities.iter().flat_map(|row| &row.sum.factors);
        for (var, factor) in factors.filter(|(var, _)| !kept.contains(var)) {
            let count = counts.entry(*var).or_default();
            if *factor > 0 { count.0 += 1 } else { count.1 += 1 }
        }
        counts.into_iter().min_by_key(|(_, (lower, upper))| lower * upper).map(|(var, _)| var)
    }

    /// Eliminates a variable that no equation mentions. If there is too much to do, what mentions it is
    /// only forgotten.
    fn project(&mut self, var: Var) -> Option<()> {
        let (with, without): (Vec<Row>, Vec<Row>) = std::mem::take(&mut self.inequalities)
            .into_iter()
            .partition(|row| row.sum.factor(var) != 0);
        self.inequalities = without;
        let (lower, upper): (Vec<&Row>, Vec<&Row>) =
            with.iter().partition(|row| row.sum.factor(var) > 0);
        // There may be very many, so they are counted before they are made.
        if self.inequalities.len() + lower.len() * upper.len() > 4 * MAX_CONSTRAINTS {
            return None;
        }
        for lower in lower {
            for upper in &upper {
                let (of_lower, of_upper) = (-upper.sum.factor(var), lower.sum.factor(var));
                let scaled = Sum::default().plus(&lower.sum, of_lower)?;
                let sum = scaled.plus(&upper.sum, of_upper)?;
                let parts = [(lower.line, of_lower), (upper.line, of_upper)];
                let line = self.recorder.line(false, &parts, 1);
                self.inequalities.push(Row { sum, line });
            }
        }
        let with = with.into_iter().map(|row| row.sum).collect();
        self.gone.push((var, Gone::Within(with)));
        Some(())
    }

    /// Do the least values satisfy all of these? Then nothing contradicts anything, which is found out
    /// sooner than by cases.
    fn has_values<'c>(&self, constraints: impl IntoIterator<Item = &'c Constraint>) -> bool {
        self.values(BTreeMap::new(), false).is_some_and(|values| {
            let known = |v: Var| values.get(&v).copied().unwrap_or(0);
            constraints.into_iter().all(|c| c.holds(&known))
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

impl Row {
    fn divide(&mut self, divisor: i128, zero: bool, recorder: &mut Recorder) {
        if divisor > 1 {
            self.sum.factors.iter_mut().for_each(|(_, factor)| *factor /= divisor);
            self.sum.constant = self.sum.constant.div_euclid(divisor);
            self.line = recorder.line(zero, &[(self.line, 1)], divisor);
        }
    }
}

fn elimination(constraints: &[Constraint]) -> Elimination {
    let of = |relation| {
        let numbered = constraints.iter().enumerate();
        let wanted = numbered.filter(move |(_, c)| c.relation == relation);
        wanted.map(|(line, c)| Row { sum: c.sum.clone(), line }).collect()
    };
    Elimination {
        equations: of(Relation::Zero),
        inequalities: of(Relation::NotNegative),
        gone: Vec::new(),
        recorder: Recorder::default(),
    }
}

/// Do these constraints contradict each other? `true` is certain.
#[must_use]
pub fn contradictory(constraints: &[Constraint]) -> bool {
    refuted(constraints, false).is_some()
}

/// Why these constraints contradict each other, if they do so for a reason that can be written down.
#[must_use]
pub fn refute(constraints: &[Constraint]) -> Option<Certificate> {
    refuted(constraints, true)
}

/// The lines of a certificate are empty unless they are `recorded`.
fn refuted(constraints: &[Constraint], recorded: bool) -> Option<Certificate> {
    if constraints.is_empty() {
        return None;
    }
    let numbered = constraints.iter().enumerate();
    let different: Vec<usize> =
        numbered.filter(|(_, c)| c.relation == Relation::NotZero).map(|(i, _)| i).collect();
    let mut eliminated = elimination(constraints);
    if recorded {
        eliminated.recorder = Recorder::new(constraints.len());
    }
    match eliminated.run() {
        Outcome::Contradiction => return Some(eliminated.recorder.certificate()),
        Outcome::GaveUp => return None,
        Outcome::Done if different.is_empty() || eliminated.has_values(constraints) => return None,
        Outcome::Done => {}
    }
    let split = different.get(..different.len().min(MAX_SPLITS)).unwrap_or_default();
    all_cases(constraints, split, recorded)
}

/// What is `different` is looked at case by case; other disequations are not looked at.
fn all_cases(
    constraints: &[Constraint],
    different: &[usize],
    recorded: bool,
) -> Option<Certificate> {
    let mut eliminated = elimination(constraints);
    if recorded {
        eliminated.recorder = Recorder::new(constraints.len());
    }
    let rest = || {
        let plain = constraints.iter().filter(|c| c.relation != Relation::NotZero);
        plain.chain(different.iter().filter_map(|index| constraints.get(*index)))
    };
    match eliminated.run() {
        Outcome::Contradiction => return Some(eliminated.recorder.certificate()),
        Outcome::Done if eliminated.has_values(rest()) => return None,
        _ => {}
    }
    let (first, others) = different.split_first()?;
    let sum = constraints.get(*first)?.sum.clone();
    let cases = Constraint { sum, relation: Relation::Zero }.negation()?;
    let mut certificates = Vec::with_capacity(2);
    for case in cases {
        let mut more = constraints.to_vec();
        more.push(case);
        certificates.push(all_cases(&more, others, recorded)?);
    }
    let both: [Certificate; 2] = certificates.try_into().ok()?;
    Some(Certificate::Cases(*first, Box::new(both)))
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
        let guards = guards.into_iter().map(|row| row.sum).collect();
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
        let unit = eliminated.equations.iter().position(|row| row.sum.factor(*var).abs() == 1);
        if let Some(index) = unit {
            let mut rest = eliminated.equations.remove(index).sum;
            let factor = rest.factor(*var);
            rest.factors.retain(|(v, _)| v != var);
            let is = Sum::default().plus(&rest, -factor)?;
            let rows = eliminated.equations.iter_mut().chain(&mut eliminated.inequalities);
            for sum in rows.map(|row| &mut row.sum).chain(&mut different) {
                *sum = sum.replace(*var, &is)?;
            }
            continue;
        }
        let mentions = |sum: &Sum| sum.factor(*var) != 0;
        let units = eliminated.inequalities.iter().all(|row| row.sum.factor(*var).abs() <= 1);
        let equated = eliminated.equations.iter().any(|row| mentions(&row.sum));
        if exact && (!units || equated || different.iter().any(mentions)) {
            return None;
        }
        eliminated.equations.retain(|row| !mentions(&row.sum));
        different.retain(|sum| !mentions(sum));
        if eliminated.project(*var).is_none() {
            if exact {
                return None;
            }
            eliminated.inequalities.retain(|row| !mentions(&row.sum));
        }
    }
    let with = |relation| move |sum| Constraint { sum, relation };
    let mut result: Vec<Constraint> =
        eliminated.equations.into_iter().map(|row| row.sum).map(with(Relation::Zero)).collect();
    let inequalities = eliminated.inequalities.into_iter().map(|row| row.sum);
    result.extend(inequalities.map(with(Relation::NotNegative)));
    result.extend(different.into_iter().map(with(Relation::NotZero)));
    if exact && !result.iter().all(|c| c.sum.is_small()) {
        return None;
    }
    result.retain(|c| !c.is_trivial() && c.sum.is_small());
    result.sort();
    result.dedup();
    Some(result)
}
