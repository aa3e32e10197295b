//! The constraints of [ABCK15, Fig. 7], solved as the paper solves them.

#![allow(clippy::expect_used, clippy::panic)]

use std::time::Duration;

use horn::{
    Constraint, Farkas, Formula, Outcome, Query, RelId, Solver, Spacer, Sum, System, check,
};

const I: u32 = 0;
const NEXT: u32 = 1;
const ELEMENT: u32 = 2;

fn query(rel: RelId, vars: &[u32]) -> Query {
    Query { rel, args: vars.iter().map(|var| Sum::var(*var)).collect() }
}

fn number(n: i128) -> Sum {
    Sum::number(n)
}

struct Figure {
    system: System,
    lists: [RelId; 3],
    last: RelId,
}

fn figure_7() -> Option<Figure> {
    let mut system = System::default();
    let r: Vec<RelId> = (0..4)
        .map(|n| system.relation(format!("R{n}"), 1, (n == 1 || n == 2).then_some(2), true))
        .collect();
    let last = system.relation("R4".into(), 2, None, true);
    let ls1 = system.relation("Rls1".into(), 2, Some(3), false);
    let ls2 = system.relation("Rls2".into(), 2, Some(3), false);
    let ls3 = system.relation("Rls3".into(), 2, None, false);
    let turn = || {
        let decrement = Sum::var(I).plus(&number(1), -1)?;
        Some(vec![
            Constraint::different(&Sum::var(I), &number(0))?,
            Constraint::equal(&Sum::var(NEXT), &decrement)?,
        ])
    };
    let zero = || Constraint::equal(&Sum::var(I), &number(0));
    system.clause(Some(query(r[0], &[I])), vec![], vec![]);
    system.clause(Some(query(r[1], &[NEXT])), vec![query(r[0], &[I])], vec![]);
    system.clause(Some(query(r[2], &[NEXT])), vec![query(r[1], &[I])], turn()?);
    system.clause(Some(query(r[3], &[I])), vec![query(r[2], &[I])], vec![zero()?]);
    let body = vec![query(r[3], &[I]), query(ls3, &[ELEMENT, I])];
    system.clause(Some(query(last, &[I, ELEMENT])), body, vec![]);
    let body = vec![query(r[1], &[I]), query(ls1, &[ELEMENT, I])];
    system.clause(Some(query(ls2, &[ELEMENT, NEXT])), body, turn()?);
    let mut facts = turn()?;
    facts.push(Constraint::equal(&Sum::var(ELEMENT), &Sum::var(I))?);
    system.clause(Some(query(ls2, &[ELEMENT, NEXT])), vec![query(r[1], &[I])], facts);
    let body = vec![query(r[2], &[I]), query(ls2, &[ELEMENT, I])];
    system.clause(Some(query(ls3, &[ELEMENT, I])), body, vec![zero()?]);
    let negative = Constraint::less(&Sum::var(ELEMENT), &number(0))?;
    system.clause(None, vec![query(last, &[I, ELEMENT])], vec![negative]);
    Some(Figure { system, lists: [ls1, ls2, ls3], last })
}

#[test]
fn figure_7_has_the_papers_solution() {
    let figure = figure_7().expect("small numbers");
    let Outcome::Solved(solution) = Farkas.solve(&figure.system, None) else {
        panic!("there is a solution:\n{}", figure.system)
    };
    assert_eq!(check(&figure.system, &solution), Ok(()));
    let at_least = |a: Sum, b: Sum| Formula::of(Constraint::at_most(&b, &a).expect("small"));
    let formula = |rel: RelId| &solution.formulas[rel.index()];
    let [ls1, ls2, ls3] = figure.lists;
    // ν ≥ i in the loop, ν ≥ 0 behind it.
    assert_eq!(
        *formula(ls1),
        at_least(Sum::var(0), Sum::var(1)),
        "\n{}",
        figure.system.show_solution(&solution)
    );
    assert_eq!(*formula(ls2), at_least(Sum::var(0), Sum::var(1)));
    assert_eq!(*formula(ls3), at_least(Sum::var(0), number(0)));
    assert_eq!(*formula(figure.last), at_least(Sum::var(1), number(0)));
    assert!(
        figure.system.relations.iter().zip(&solution.formulas).take(4).all(|(_, f)| f.is_true())
    );
}

#[test]
fn figure_7_is_solved_by_spacer() {
    let figure = figure_7().expect("small numbers");
    let mut spacer = Spacer { solver: testing::z3(), timeout: Duration::from_secs(20) };
    match spacer.solve(&figure.system, None) {
        Outcome::Solved(solution) => assert_eq!(check(&figure.system, &solution), Ok(())),
        other => panic!("{other:?}"),
    }
}

#[test]
fn printed_as_in_the_paper() {
    let figure = figure_7().expect("small numbers");
    let lines: Vec<String> = figure.system.to_string().lines().map(str::to_owned).collect();
    assert_eq!(lines[3], "R3(x0) <- R2(x0) && x0 == 0");
    assert_eq!(lines[8], "false <- R4(x0, x2) && 0 >= x2 + 1");
}
