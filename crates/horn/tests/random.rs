//! Random systems without recursion: our interpolation, the strongest solution and Z3 must not contradict each other.

#![allow(clippy::expect_used, clippy::panic)]

use std::time::Duration;

use horn::{
    Constraint, Farkas, Outcome, Query, RelId, Sign, Solver, Spacer, Strongest, Sum, System, check,
};
use testing::Random;

fn sum(random: &mut Random, vars: u32) -> Sum {
    let mut sum = Sum::number(random.below(7) as i128 - 3);
    for var in 0..vars {
        if random.below(3) == 0 {
            let factor = if random.below(2) == 0 { 1 } else { -1 };
            sum = sum.plus(&Sum::var(var), factor).unwrap_or(sum);
        }
    }
    sum
}

fn system(random: &mut Random) -> System {
    let mut system = System::default();
    let count = 2 + random.below(4) as u32;
    for index in 0..count {
        let arity = 1 + random.below(2);
        let group = (random.below(3) == 0).then_some(1);
        system.relation(format!("R{index}"), arity, group, random.below(2) == 0);
    }
    let vars = 4;
    let mut clause = |random: &mut Random, head: Option<u32>, below: u32| {
        let query = |system: &System, random: &mut Random, rel: u32| {
            let arity = system.relations[rel as usize].arity;
            let args = (0..arity).map(|_| Sum::var(random.below(vars as usize) as u32)).collect();
            Query { rel: RelId(rel), args }
        };
        let body: Vec<Query> = (0..usize::from(head.is_none()) + random.below(3))
            .filter(|_| below > 0)
            .map(|_| {
                let rel = random.below(below as usize) as u32;
                query(&system, random, rel)
            })
            .collect();
        let least = if head.is_some() { 1 } else { 3 };
        let facts = (0..least + random.below(3))
            .map(|_| {
                let relation = [Sign::NotNegative, Sign::Zero, Sign::NotNegative, Sign::NotZero]
                    [random.below(4)];
                Constraint { sum: sum(random, vars), relation }
            })
            .collect();
        let head = head.map(|rel| query(&system, random, rel));
        system.clause(head, body, facts);
    };
    for rel in 0..count {
        for _ in 0..1 + random.below(2) {
            clause(random, Some(rel), rel);
        }
    }
    for _ in 0..1 + random.below(2) {
        clause(random, None, count);
    }
    system
}

#[test]
fn solvers_agree() {
    let mut random = Random::new(19);
    let mut spacer = Spacer { solver: testing::z3(), timeout: Duration::from_secs(10) };
    let (mut solved, mut unsolvable, mut ours) = (0, 0, 0);
    for round in 0..150 {
        let system = system(&mut random);
        let own = Farkas.solve(&system, None);
        let strongest = Strongest.solve(&system, None);
        for outcome in [&own, &strongest] {
            if let Outcome::Solved(solution) = outcome {
                let shown = system.show_solution(solution);
                assert_eq!(check(&system, solution), Ok(()), "round {round}:\n{system}\n{shown}");
            }
        }
        let is_solved = |outcome: &Outcome| matches!(outcome, Outcome::Solved(_));
        let any = is_solved(&own) || is_solved(&strongest);
        match spacer.solve(&system, None) {
            Outcome::Solved(solution) => {
                solved += 1;
                let shown = system.show_solution(&solution);
                assert_eq!(check(&system, &solution), Ok(()), "round {round}:\n{system}\n{shown}");
            }
            Outcome::Unsolvable => {
                unsolvable += 1;
                assert!(!any, "round {round}: Z3 has a derivation\n{system}");
            }
            Outcome::Unknown(why) => println!("round {round}: {why}"),
        }
        ours += usize::from(any);
    }
    // Both kinds must occur, and we must solve most of what can be solved.
    assert!(solved > 30 && unsolvable > 30, "{solved} solved, {unsolvable} unsolvable");
    assert!(ours * 10 >= solved * 9, "{ours} of {solved}");
}

#[test]
fn a_wrong_solution_is_not_accepted() {
    let mut random = Random::new(7);
    let mut rejected = 0;
    for _ in 0..200 {
        let system = system(&mut random);
        let Outcome::Solved(mut solution) = Strongest.solve(&system, None) else { continue };
        // A point of a relation is taken away: some clause derives it.
        let rel = random.below(system.relations.len());
        let Some(point) = solution.formulas[rel].disjuncts.iter().find_map(|d| arith_point(d))
        else {
            continue;
        };
        let arity = system.relations[rel].arity;
        let apart: Vec<Vec<Constraint>> = (0..arity)
            .map(|p| {
                let value = point.get(&p).copied().unwrap_or(0);
                let sum = Sum::var(p).plus(&Sum::number(value), -1).expect("small");
                vec![Constraint { sum, relation: Sign::NotZero }]
            })
            .collect();
        let hole = horn::Formula { disjuncts: apart };
        solution.formulas[rel] = solution.formulas[rel].and(&hole, 1000).expect("small");
        assert!(check(&system, &solution).is_err());
        rejected += 1;
    }
    assert!(rejected > 20, "{rejected}");
}

fn arith_point(constraints: &[Constraint]) -> Option<std::collections::BTreeMap<u32, i128>> {
    arith::solve(constraints)
}
