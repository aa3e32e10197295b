//! Models of conjunctions, disjunctions and negations below `*`; entailments are in `tests/sl/grass`.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::solver;
use report::FileId;
use sl::Semantics;
use sl::ask::once::check_sat;

/// Models were once so large here, with cells that nobody can name, that they could not be confirmed.
#[test]
fn models_have_few_cells_that_nobody_can_name() {
    let text = "pred dll(x, a, y, b) := x = y * a = b ||
            exists u. x |-> {next: u, prev: a} * dll(u, x, y, b);
        !((y |-> {next: y, prev: x} * dll(nil, y, z, x) * nil |-> {next: z, prev: nil} *
            ((dll(y, nil, nil, y) * (dll(z, y, y, nil) * (dll(z, y, z, x) && dll(x, y, x, y)) ||
                dll(y, nil, nil, z) * (dll(x, z, z, nil) && dll(z, x, nil, x)))) &&
                z |-> {next: nil, prev: x} * x != nil)) || dll(z, x, y, x)) &&
        dll(z, x, y, nil) * true * (dll(y, z, y, y) * true && dll(x, y, nil, z))";
    let document = sl::text::parse(&[(FileId(0), text)]).unwrap();
    let verdict =
        check_sat(&mut solver(), &document.signature, Semantics::Precise, &document.formulas[..1]);
    let Some(model) = verdict.model() else { panic!("{verdict:?}") };
    assert!(model.trimmed(2).is_none(), "{model:?}");
}
