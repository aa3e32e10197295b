//! What is kept with definitions changes no answer, whatever was asked before.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use induct::Induct;
use report::FileId;
use sl::ask;
use sl::{Budget, Defs, Semantics};

const TEXT: &str = "pred lseg(x, y) := x = y || exists u. x |-> u * lseg(u, y); \
    pred lsegp(x, y) := x |-> y || exists u. x |-> u * lsegp(u, y); \
    pred odd(x, y) := x |-> y || exists u, v. x |-> u * u |-> v * odd(v, y); \
    pred even(x, y) := x = y || exists u, v. x |-> u * u |-> v * even(v, y); \
    lseg(x, y) * lseg(y, z)";

const OTHERS: [&str; 7] = [
    "lsegp(x, y) * lseg(y, z)",
    "lseg(x, z)",
    "lsegp(x, z)",
    "odd(x, y) * odd(y, z)",
    "even(x, z)",
    "odd(x, z) || even(x, z)",
    "x |-> y * lseg(y, z)",
];

#[test]
fn answers_do_not_depend_on_earlier_questions() {
    let mut files = vec![(FileId(0), TEXT)];
    files.extend(OTHERS.iter().enumerate().map(|(i, text)| (FileId(i as u32 + 1), *text)));
    let document = sl::text::parse(&files).unwrap_or_else(|e| panic!("{}", e.message));
    let kept = Defs::new(document.signature.clone(), Semantics::Precise);
    let mut valid = 0;
    for left in &document.formulas {
        for right in &document.formulas {
            let ask =
                |defs: &Defs| ask::entails(&mut Induct, defs, left, right, &mut Budget::default());
            let fresh = ask(&Defs::new(document.signature.clone(), Semantics::Precise));
            for _ in 0..2 {
                assert_eq!(ask(&kept), fresh, "{left} |= {right}");
            }
            valid += usize::from(fresh.is_valid());
        }
    }
    assert!(valid > 12, "{valid}");
}
