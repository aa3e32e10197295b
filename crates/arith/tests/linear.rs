//! Arithmetic against all small values, on generated constraints.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::{BTreeMap, BTreeSet};

use arith::{Constraint, Plan, Relation, Sum};
use testing::Random;

/// Makes them up.
struct Constraints(Random);

impl Constraints {
    fn number(&mut self, most: i128) -> i128 {
        self.0.below(2 * most as usize + 1) as i128 - most
    }

    fn constraint(&mut self, vars: u32, most: i128) -> Constraint {
        let mut sum = Sum::number(self.number(6));
        for var in 0..vars {
            let factor = if self.0.below(3) == 0 { 0 } else { self.number(most) };
            sum = sum.plus(&Sum::var(var), factor).unwrap();
        }
        let relation =
            [Relation::Zero, Relation::NotNegative, Relation::NotNegative, Relation::NotZero]
                [self.0.below(4)];
        Constraint { sum, relation }
    }

    fn constraints(&mut self, vars: u32) -> Vec<Constraint> {
        let most = 1 + self.0.below(3) as i128;
        (0..1 + self.0.below(5)).map(|_| self.constraint(vars, most)).collect()
    }
}

const VARS: u32 = 3;
const BOX: i128 = 6;

/// All small values of three variables.
fn points() -> impl Iterator<Item = [i128; 3]> {
    let range = || -BOX..=BOX;
    range().flat_map(move |x| range().flat_map(move |y| range().map(move |z| [x, y, z])))
}

fn hold(all: &[Constraint], point: [i128; 3]) -> bool {
    all.iter().all(|c| c.holds(&|v| point[v as usize]))
}

#[test]
fn contradictions_and_consequences() {
    let mut random = Constraints(Random::new(0x5eed_0005));
    let (mut contradictions, mut consequences) = (0, 0);
    for _ in 0..3_000 {
        let all = random.constraints(VARS);
        let goal = random.constraint(VARS, 2);
        let contradictory = arith::contradictory(&all);
        let implied = arith::implies(&all, &goal);
        contradictions += usize::from(contradictory);
        consequences += usize::from(implied && !contradictory);
        if contradictory || implied {
            for point in points().filter(|point| hold(&all, *point)) {
                assert!(!contradictory, "{all:?} {point:?}");
                assert!(hold(std::slice::from_ref(&goal), point), "{all:?} {goal:?} {point:?}");
            }
        }
        if let Some(values) = arith::solve(&all) {
            let value = |v: u32| values.get(&v).copied().unwrap_or(0);
            assert!(!contradictory && all.iter().all(|c| c.holds(&value)), "{all:?} {values:?}");
        }
    }
    assert!(contradictions > 100 && consequences > 50, "{contradictions} {consequences}");
}

#[test]
fn what_is_left_of_some_variables() {
    let mut random = Constraints(Random::new(0x5eed_0006));
    let mut exact = 0;
    for _ in 0..3_000 {
        let all = random.constraints(VARS);
        let gone: BTreeSet<u32> = [2].into();
        let weaker = arith::weaken(&all, &gone);
        let projection = arith::project(&all, &gone);
        exact += usize::from(projection.is_some());
        for point in points() {
            if hold(&all, point) {
                assert!(hold(&weaker, point), "{all:?} {point:?}");
            }
            let Some(projection) = projection.as_ref().filter(|_| point[2] == 0) else { continue };
            let exists = (-100..=100).any(|z| hold(&all, [point[0], point[1], z]));
            assert_eq!(hold(projection, point), exists, "{all:?} {point:?}");
        }
    }
    assert!(exact > 300, "{exact}");
}

#[test]
fn what_is_left_of_one_variable() {
    let mut random = Constraints(Random::new(0x5eed_0007));
    for _ in 0..300 {
        let all: Vec<Constraint> =
            (0..1 + random.0.below(5)).map(|_| random.constraint(VARS, 2)).collect();
        let gone: BTreeSet<u32> = [1, 2].into();
        let Some(projection) = arith::project(&all, &gone) else { continue };
        for x in -2..=2 {
            let range = || -50..=50;
            let exists = range().any(|y| range().any(|z| hold(&all, [x, y, z])));
            assert_eq!(hold(&projection, [x, 0, 0]), exists, "{all:?} {x}");
        }
    }
}

#[test]
fn plans_for_given_values() {
    let mut random = Constraints(Random::new(0x5eed_0008));
    let (mut found, mut missed) = (0, 0);
    for _ in 0..1_000 {
        let all = random.constraints(VARS);
        let plan = Plan::new(all.clone(), [0].into());
        for x in -3..=3 {
            let given: BTreeMap<u32, i128> = [(0, x)].into();
            let exists = points().any(|point| point[0] == x && hold(&all, point));
            for greatest in [false, true] {
                match plan.as_ref().and_then(|plan| plan.values(given.clone(), greatest)) {
                    Some(values) => {
                        let value = |v: u32| values.get(&v).copied().unwrap_or(0);
                        let holds = value(0) == x && all.iter().all(|c| c.holds(&value));
                        assert!(holds, "{all:?} {values:?}");
                        found += 1;
                    }
                    None => missed += usize::from(exists),
                }
            }
        }
    }
    // To miss a solution is no mistake, but it should be rare.
    assert!(found > 3_000 && missed < found / 20, "{found} {missed}");
}

/// More numbers than there is room for, all different: each pair is two cases, and there are too many to
/// look at them all.
#[test]
fn disequations_do_not_take_for_ever() {
    for (numbers, room) in [(6, 5), (12, 11), (24, 23)] {
        let mut constraints = Vec::new();
        for x in 0..numbers {
            let var = Sum::var(x);
            constraints.extend(Constraint::at_most(&Sum::number(0), &var));
            constraints.extend(Constraint::less(&var, &Sum::number(room)));
            constraints.extend((0..x).filter_map(|y| Constraint::different(&var, &Sum::var(y))));
        }
        assert_eq!(arith::solve(&constraints), None);
    }
}
