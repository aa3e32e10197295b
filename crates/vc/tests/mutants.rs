//! Seeded errors in the examples: a bounded share of `make mutate-spl`. What still verifies was judged to be right, in
//! `tests/spl/judged.txt`, or this fails.

#![allow(missing_docs, clippy::panic)]

#[path = "../examples/mutants/seeds.rs"]
mod seeds;
#[path = "../examples/mutants/survey.rs"]
mod survey;

/// One in so many of a kind.
const SHARE: usize = 2;

#[test]
fn seeded_errors_are_rejected() {
    let (root, solver) = (testing::root(), testing::z3());
    let judged = std::fs::read_to_string(root.join("tests/spl/judged.txt")).unwrap_or_default();
    let mut total = survey::Counts::default();
    for name in ["queue", "sorted_set", "array_maximum"] {
        let path = root.join(format!("examples/spl/{name}.spl"));
        let survey = survey::survey(&path, &solver, SHARE, &judged);
        assert!(survey.survivors.is_empty(), "to be judged: {:#?}", survey.survivors);
        total.add(survey.counts);
    }
    assert!(total.rejected > 30, "{total}");
}
