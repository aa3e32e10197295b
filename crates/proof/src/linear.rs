//! Linear arithmetic over the integers, as far as a checker has to believe it.
//!
//! Whether constraints contradict each other is for `arith` to find out. What it says is not believed: it
//! gives a [`Certificate`], whose lines are added up here. Existential integers are eliminated here, too,
//! where that loses nothing. All numbers that become too large are faults.

use std::collections::{BTreeMap, BTreeSet};

use arith::{Certificate, Constraint, Line, Relation, Sum};
use sl::core::Var;

/// More inequalities than this are not made by an elimination.
const MAX_ROWS: usize = 1_000;

/// A sum: factors by variable, none of them zero, and a number.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Row {
    factors: BTreeMap<Var, i128>,
    number: i128,
}

impl Row {
    fn of(sum: &Sum) -> Option<Row> {
        let mut row = Row { number: sum.constant, ..Row::default() };
        for (var, factor) in &sum.factors {
            row.add_factor(*var, *factor)?;
        }
        Some(row)
    }

    fn add_factor(&mut self, var: Var, factor: i128) -> Option<()> {
        let entry = self.factors.entry(var).or_insert(0);
        *entry = entry.checked_add(factor)?;
        if *entry == 0 {
            self.factors.remove(&var);
        }
        Some(())
    }

    /// Adds so many times another one.
    fn add(&mut self, other: &Row, times: i128) -> Option<()> {
        for (var, factor) in &other.factors {
            self.add_factor(*var, factor.checked_mul(times)?)?;
        }
        self.number = self.number.checked_add(other.number.checked_mul(times)?)?;
        Some(())
    }

    fn factor(&self, var: Var) -> i128 {
        self.factors.get(&var).copied().unwrap_or(0)
    }

    fn constraint(&self, relation: Relation) -> Constraint {
        let factors = self.factors.iter().map(|(var, factor)| (*var, *factor)).collect();
        Constraint { sum: Sum { factors, constant: self.number }, relation }
    }
}

/// Do these constraints certainly contradict each other?
pub(crate) fn contradictory(facts: &[Constraint]) -> bool {
    arith::refute(facts).is_some_and(|certificate| refutes(facts, &certificate).is_some())
}

/// Does the constraint certainly follow?
pub(crate) fn implies(facts: &[Constraint], goal: &Constraint) -> bool {
    facts.contains(goal)
        || otherwise(goal).is_some_and(|cases| {
            cases.into_iter().all(|case| {
                let mut all = facts.to_vec();
                all.push(case);
                contradictory(&all)
            })
        })
}

/// Do all goals follow?
pub(crate) fn all_implied(facts: &[Constraint], goals: &[Constraint]) -> bool {
    goals.iter().all(|goal| implies(facts, goal))
}

/// If a constraint does not hold, one of these does.
pub(crate) fn otherwise(constraint: &Constraint) -> Option<Vec<Constraint>> {
    let sum = Row::of(&constraint.sum)?;
    match constraint.relation {
        Relation::NotNegative => Some(vec![below(&sum)?]),
        Relation::Zero => Some(vec![below(&sum)?, above(&sum)?]),
        Relation::NotZero => Some(vec![sum.constraint(Relation::Zero)]),
    }
}

/// The sum is at most -1.
fn below(sum: &Row) -> Option<Constraint> {
    let mut row = Row { number: -1, ..Row::default() };
    row.add(sum, -1)?;
    Some(row.constraint(Relation::NotNegative))
}

/// The sum is at least 1.
fn above(sum: &Row) -> Option<Constraint> {
    let mut row = sum.clone();
    row.number = row.number.checked_sub(1)?;
    Some(row.constraint(Relation::NotNegative))
}

/// Adds a certificate up. `None` if it shows nothing.
fn refutes(facts: &[Constraint], certificate: &Certificate) -> Option<()> {
    match certificate {
        Certificate::Lines(lines) => falsehood(facts, lines),
        Certificate::Cases(place, both) => {
            let split = facts.get(*place).filter(|fact| fact.relation == Relation::NotZero)?;
            let sum = Row::of(&split.sum)?;
            for (case, certificate) in [below(&sum)?, above(&sum)?].into_iter().zip(both.iter()) {
                let mut more = facts.to_vec();
                more.push(case);
                refutes(&more, certificate)?;
            }
            Some(())
        }
    }
}

/// Does each line follow, and is one of them false?
fn falsehood(facts: &[Constraint], lines: &[Line]) -> Option<()> {
    // What is known, and whether it is zero rather than not negative. Disequations are of no use.
    let mut known: Vec<Option<(Row, bool)>> = Vec::with_capacity(facts.len() + lines.len());
    for fact in facts {
        known.push(match fact.relation {
            Relation::Zero => Some((Row::of(&fact.sum)?, true)),
            Relation::NotNegative => Some((Row::of(&fact.sum)?, false)),
            Relation::NotZero => None,
        });
    }
    for line in lines {
        let mut row = Row::default();
        for (place, times) in &line.parts {
            let (part, zero) = known.get(*place)?.as_ref()?;
            // An inequality may be used as often as one likes, but not with its sides exchanged.
            if !zero && (line.zero || *times < 0) {
                return None;
            }
            row.add(part, *times)?;
        }
        if line.divisor < 1 || row.factors.values().any(|factor| factor % line.divisor != 0) {
            return None;
        }
        row.factors.values_mut().for_each(|factor| *factor /= line.divisor);
        // The sum of the variables is an integer.
        if line.zero && row.number % line.divisor != 0 {
            return Some(());
        }
        row.number = row.number.div_euclid(line.divisor);
        if row.factors.is_empty() && (row.number < 0 || line.zero && row.number != 0) {
            return Some(());
        }
        known.push(Some((row, line.zero)));
    }
    None
}

/// What is left to show if these variables may have any value: it implies that there are values for which
/// all constraints hold. `None` if that is not to be seen.
///
/// A variable with factor 1 or -1 in an equation has the value that the equation gives it. A variable that
/// is only in inequalities, with such factors, has one if no lower bound is above an upper one.
pub(crate) fn without(goals: &[Constraint], exist: &BTreeSet<Var>) -> Option<Vec<Constraint>> {
    let mut rows: Vec<(Row, Relation)> = Vec::with_capacity(goals.len());
    for goal in goals {
        rows.push((Row::of(&goal.sum)?, goal.relation));
    }
    for var in exist {
        let is_unit = |row: &Row| row.factor(*var).abs() == 1;
        let place =
            rows.iter().position(|(row, relation)| *relation == Relation::Zero && is_unit(row));
        if let Some(place) = place {
            let (equation, _) = rows.remove(place);
            for (row, _) in &mut rows {
                row.add(&equation, row.factor(*var).checked_mul(-equation.factor(*var))?)?;
            }
            continue;
        }
        let (with, rest): (Vec<_>, Vec<_>) =
            rows.into_iter().partition(|(row, _)| row.factor(*var) != 0);
        rows = rest;
        let bounds =
            |(row, relation): &(Row, Relation)| *relation == Relation::NotNegative && is_unit(row);
        if !with.iter().all(bounds) {
            return None;
        }
        let (lower, upper): (Vec<_>, Vec<_>) = with.iter().partition(|(r, _)| r.factor(*var) > 0);
        if rows.len() + lower.len() * upper.len() > MAX_ROWS {
            return None;
        }
        for (lower, _) in &lower {
            for (upper, _) in &upper {
                let mut row = lower.clone();
                row.add(upper, 1)?;
                rows.push((row, Relation::NotNegative));
            }
        }
    }
    Some(rows.into_iter().map(|(row, relation)| row.constraint(relation)).collect())
}

/// The facts that a certificate adds up, in their order, each once; those that it only looks at are not
/// among them.
pub(crate) fn used<'f>(facts: &'f [Constraint], certificate: &Certificate) -> Vec<&'f Constraint> {
    let mut places = BTreeSet::new();
    add_used(facts.len(), certificate, &mut places);
    places.into_iter().filter_map(|place| facts.get(place)).collect()
}

/// Cases are added at the end of the list, so that places below stay what they are.
fn add_used(given: usize, certificate: &Certificate, places: &mut BTreeSet<usize>) {
    match certificate {
        Certificate::Lines(lines) => {
            let mut needed: BTreeSet<usize> = BTreeSet::from([given + lines.len() - 1]);
            while let Some(place) = needed.pop_last() {
                match place.checked_sub(given).and_then(|line| lines.get(line)) {
                    Some(line) => needed.extend(line.parts.iter().map(|(place, _)| *place)),
                    None => {
                        places.insert(place);
                    }
                }
            }
        }
        Certificate::Cases(place, both) => {
            places.insert(*place);
            both.iter().for_each(|case| add_used(given + 1, case, places));
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use testing::Random;

    fn constraint(random: &mut Random) -> Constraint {
        let mut sum = Sum::number(random.below(13) as i128 - 6);
        for var in 0..3 {
            sum = sum.plus(&Sum::var(var), random.below(7) as i128 - 3).unwrap();
        }
        let relations = [Relation::Zero, Relation::NotNegative, Relation::NotZero];
        Constraint { sum, relation: relations[random.below(3)] }
    }

    fn has_small_model(all: &[Constraint]) -> bool {
        let range = || -6..=6;
        range().any(|x| {
            range()
                .any(|y| range().any(|z| all.iter().all(|c| c.holds(&|v| [x, y, z][v as usize]))))
        })
    }

    /// Every contradiction that is found is one by a certificate, and no certificate shows that facts
    /// with a model contradict each other: neither one of other facts, nor one that was changed.
    #[test]
    fn certificates_are_added_up() {
        let mut random = Random::new(0x5eed_0060);
        let (mut certificates, mut cases) = (Vec::new(), 0);
        for _ in 0..4_000 {
            let facts: Vec<Constraint> =
                (0..1 + random.below(6)).map(|_| constraint(&mut random)).collect();
            assert_eq!(contradictory(&facts), arith::contradictory(&facts), "{facts:?}");
            if let Some(certificate) = arith::refute(&facts) {
                assert!(!has_small_model(&facts), "{facts:?}");
                let used: Vec<Constraint> =
                    used(&facts, &certificate).into_iter().cloned().collect();
                assert!(!has_small_model(&used), "{facts:?} {used:?}");
                cases += usize::from(matches!(certificate, Certificate::Cases(..)));
                certificates.push(certificate);
            }
        }
        assert!(certificates.len() > 500 && cases > 5, "{} {cases}", certificates.len());
        let mut accepted = 0;
        for _ in 0..20_000 {
            let facts: Vec<Constraint> =
                (0..1 + random.below(6)).map(|_| constraint(&mut random)).collect();
            let mut certificate = certificates[random.below(certificates.len())].clone();
            if let Certificate::Lines(lines) = &mut certificate
                && random.below(2) == 0
                && !lines.is_empty()
            {
                let place = random.below(lines.len());
                let line = &mut lines[place];
                match random.below(3) {
                    0 => line.zero = !line.zero,
                    1 => line.divisor = random.below(4) as i128,
                    _ => line.parts.iter_mut().for_each(|(_, times)| *times = -*times),
                }
            }
            if refutes(&facts, &certificate).is_some() {
                accepted += 1;
                assert!(!has_small_model(&facts), "{facts:?} {certificate:?}");
            }
        }
        assert!(accepted > 0);
    }

    /// Where the goals without a variable hold, there is a value for it.
    #[test]
    fn existential_integers_have_values() {
        let mut random = Random::new(0x5eed_0061);
        let mut eliminated = 0;
        for _ in 0..3_000 {
            let goals: Vec<Constraint> = (0..1 + random.below(4))
                .map(|_| constraint(&mut random))
                .filter(|goal| goal.relation != Relation::NotZero)
                .collect();
            let Some(rest) = without(&goals, &BTreeSet::from([2])) else { continue };
            eliminated += 1;
            for (x, y) in (-4..=4).flat_map(|x| (-4..=4).map(move |y| (x, y))) {
                let value = |z: i128| move |v: Var| [x, y, z][v as usize];
                if rest.iter().all(|c| c.holds(&value(0))) {
                    let found = (-60..=60).any(|z| goals.iter().all(|c| c.holds(&value(z))));
                    assert!(found, "{goals:?} {x} {y}");
                }
            }
        }
        assert!(eliminated > 300, "{eliminated}");
    }

    /// Numbers that are too large prove nothing.
    #[test]
    fn large_numbers_are_no_proof() {
        let large = Sum { factors: vec![(0, i128::MAX)], constant: i128::MAX };
        let facts = [Constraint { sum: large, relation: Relation::NotNegative }];
        let parts = vec![(0, i128::MAX)];
        let line = Line { zero: false, parts, divisor: 1 };
        assert_eq!(refutes(&facts, &Certificate::Lines(vec![line])), None);
        let twice = Sum { factors: vec![(0, i128::MAX), (0, i128::MAX)], constant: 0 };
        assert_eq!(Row::of(&twice), None);
    }
}
