//! Arrays that are written through indices of which nothing is known. However many there are, what holds
//! is proved; and of small random programs exactly that is proved which holds for all values of the indices.
#![allow(clippy::unwrap_used)]

#[path = "indices/programs.rs"]
mod programs;
mod support;

use std::fmt::Write as _;

use programs::{KINDS, method};
use serde_json::Value;
use support::Scratch;
use testing::Random;

/// The status of a program, and the lines with errors.
fn verify(name: &str, text: &str) -> (String, Vec<usize>) {
    let dir = Scratch::new(&format!("indices-{name}"));
    dir.file("a.vpr", text);
    let output = dir.run(&["verify", "--format", "json", "--timeout", "300", "a.vpr"]);
    let object: Value = serde_json::from_slice(&output.stdout).unwrap();
    let errors = object["errors"].as_array().map(Vec::as_slice).unwrap_or_default();
    let lines = errors.iter().map(|e| e["line"].as_u64().unwrap_or(0) as usize).collect();
    (object["status"].as_str().unwrap_or_default().to_owned(), lines)
}

#[test]
fn many_indices() {
    for (name, program) in KINDS {
        let (status, lines) = verify(&name.replace(' ', "-"), &program(64));
        assert_eq!((status.as_str(), lines), ("verified", vec![]), "{name}");
    }
}

/// One condition is missing of those under which the first value is still there.
#[test]
fn one_index_may_be_the_same() {
    let n = 64;
    let writes: String = (0..n).map(|k| format!("    loc(a, i{k}).val := {k}\n")).collect();
    for missing in [1, n / 2, n - 1] {
        let others: Vec<String> =
            (1..n).filter(|k| *k != missing).map(|k| format!("i0 != i{k}")).collect();
        let end = format!("    assert {} ==> loc(a, i0).val == 0\n", others.join(" && "));
        let (status, lines) =
            verify("missing", &method(n, "whole(a, write)", &(writes.clone() + &end)));
        assert_eq!((status.as_str(), lines.len()), ("failed", 1), "without i{missing}");
    }
}

// --- Random programs, and what they do

/// The variables that are indices, by number.
const INDICES: [&str; 4] = ["i0", "i1", "i2", "j"];

#[derive(Debug)]
enum Statement {
    Set(usize, i64),
    Copy(usize, usize),
    /// A call that may change the element.
    Touch(usize),
    /// A call that only reads it.
    Look(usize),
    Swap(usize, usize),
    LookAtAll,
    ReplaceAll,
    /// Permission is given away and comes back; whether it is all permission.
    Give(usize, bool),
    If(usize, usize, Vec<Statement>, Vec<Statement>),
}

/// What an element is compared with.
#[derive(Debug)]
enum Expected {
    Number(i64),
    Element(usize),
    Old(usize),
}

/// Under conditions on pairs of indices (are they the same?) an element has a value.
#[derive(Debug)]
struct Claim {
    conditions: Vec<(usize, usize, bool)>,
    index: usize,
    expected: Expected,
}

/// Makes programs up.
struct Programs(Random);

impl Programs {
    fn below(&mut self, n: usize) -> usize {
        self.0.below(n)
    }

    fn statements(&mut self, count: usize, depth: usize) -> Vec<Statement> {
        (0..count).map(|_| self.statement(depth)).collect()
    }

    fn statement(&mut self, depth: usize) -> Statement {
        let (x, y) = (self.below(4), self.below(4));
        match self.below(20) {
            0..6 => Statement::Set(x, 100 + self.below(900) as i64),
            6..9 => Statement::Copy(x, y),
            9..11 => Statement::Touch(x),
            11 => Statement::Look(x),
            12 => Statement::LookAtAll,
            13 => Statement::ReplaceAll,
            14..16 => Statement::Give(x, self.below(2) == 0),
            16 | 17 if x != y => Statement::Swap(x, y),
            18 | 19 if depth > 0 => {
                let (then, otherwise) = (1 + self.below(2), self.below(3));
                let then = self.statements(then, depth - 1);
                Statement::If(x, y, then, self.statements(otherwise, depth - 1))
            }
            _ => Statement::Set(y, 100 + self.below(900) as i64),
        }
    }

    fn claim(&mut self, statements: &[Statement]) -> Claim {
        let mut conditions = Vec::new();
        for x in 0..4 {
            for y in 0..x {
                if self.below(5) < 3 {
                    conditions.push((x, y, self.below(10) < 3));
                }
            }
        }
        let index = self.below(4);
        let numbers: Vec<i64> = statements
            .iter()
            .filter_map(|s| if let Statement::Set(_, n) = s { Some(*n) } else { None })
            .collect();
        let expected = match self.below(4) {
            0 => Expected::Element(self.below(4)),
            1 => Expected::Old(self.below(4)),
            _ if numbers.is_empty() => Expected::Old(index),
            _ => Expected::Number(numbers[self.below(numbers.len())]),
        };
        Claim { conditions, index, expected }
    }
}

fn print(statements: &[Statement], text: &mut String) {
    let name = |x: &usize| INDICES[*x];
    for statement in statements {
        match statement {
            Statement::Set(x, n) => writeln!(text, "    loc(a, {}).val := {n}", name(x)),
            Statement::Copy(x, y) => {
                writeln!(text, "    loc(a, {}).val := loc(a, {}).val", name(x), name(y))
            }
            Statement::Touch(x) => writeln!(text, "    touch(a, {})", name(x)),
            Statement::Look(x) => writeln!(text, "    look(a, {})", name(x)),
            Statement::Swap(x, y) => {
                let (x, y) = (name(x), name(y));
                writeln!(text, "    if ({x} != {y}) {{ swap(a, {x}, {y}) }}")
            }
            Statement::LookAtAll => writeln!(text, "    look_at_all(a)"),
            Statement::ReplaceAll => writeln!(text, "    replace_all(a)"),
            Statement::Give(x, all) => {
                let amount = if *all { "write" } else { "1/3" };
                let acc = format!("acc(loc(a, {}).val, {amount})", name(x));
                writeln!(text, "    exhale {acc}\n    inhale {acc}")
            }
            Statement::If(x, y, then, otherwise) => {
                let _ = writeln!(text, "    if ({} == {}) {{", name(x), name(y));
                print(then, text);
                let _ = writeln!(text, "    }} else {{");
                print(otherwise, text);
                writeln!(text, "    }}")
            }
        }
        .unwrap();
    }
}

/// The elements when statements were executed, for these values of the indices. A value that is not
/// known is a new one: if two values are equal then, they always are.
fn execute(statements: &[Statement], at: [usize; 4], elements: &mut [i64; 4], fresh: &mut i64) {
    for statement in statements {
        *fresh -= 4;
        match statement {
            Statement::Set(x, n) => elements[at[*x]] = *n,
            Statement::Copy(x, y) => elements[at[*x]] = elements[at[*y]],
            Statement::Touch(x) | Statement::Give(x, true) => elements[at[*x]] = *fresh,
            Statement::Look(_) | Statement::LookAtAll | Statement::Give(_, false) => {}
            Statement::Swap(x, y) => elements.swap(at[*x], at[*y]),
            Statement::ReplaceAll => *elements = [*fresh, *fresh + 1, *fresh + 2, *fresh + 3],
            Statement::If(x, y, then, otherwise) => {
                let side = if at[*x] == at[*y] { then } else { otherwise };
                execute(side, at, elements, fresh);
            }
        }
    }
}

/// Does a claim hold after statements, whatever the indices are?
fn holds(claim: &Claim, statements: &[Statement]) -> bool {
    let before = [-4, -3, -2, -1];
    (0..256).all(|number| {
        let at = [number % 4, number / 4 % 4, number / 16 % 4, number / 64];
        let mut elements = before;
        execute(statements, at, &mut elements, &mut -4);
        let expected = match claim.expected {
            Expected::Number(n) => n,
            Expected::Element(x) => elements[at[x]],
            Expected::Old(x) => before[at[x]],
        };
        let applies = claim.conditions.iter().all(|(x, y, same)| (at[*x] == at[*y]) == *same);
        !applies || elements[at[claim.index]] == expected
    })
}

fn print_claim(claim: &Claim) -> String {
    let mut text = "true".to_owned();
    for (x, y, same) in &claim.conditions {
        let operator = if *same { "==" } else { "!=" };
        write!(text, " && {} {operator} {}", INDICES[*x], INDICES[*y]).unwrap();
    }
    let value = match claim.expected {
        Expected::Number(n) => n.to_string(),
        Expected::Element(x) => format!("loc(a, {}).val", INDICES[x]),
        Expected::Old(x) => format!("old(loc(a, {}).val)", INDICES[x]),
    };
    format!("{text} ==> loc(a, {}).val == {value}", INDICES[claim.index])
}

/// What is held at first, in different chunks.
const HELD: [&str; 4] = [
    "whole(a, write)",
    "whole(a, 1/3) && whole(a, 2/3)",
    "part(a, 0, m, write) && part(a, m, len(a), write)",
    "whole(a, 1/2) && part(a, 0, m, 1/2) && part(a, m, len(a), 1/2)",
];

/// How many random programs there are: `LANCEHEAD_PROGRAMS=N` for more.
fn count() -> u64 {
    std::env::var("LANCEHEAD_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(24)
}

#[test]
fn exactly_what_holds_is_proved() {
    for seed in 1..=count() {
        let mut random = Programs(Random::numbered(seed));
        let length = 2 + random.below(7);
        let statements = random.statements(length, 2);
        let claims: Vec<Claim> = (0..4).map(|_| random.claim(&statements)).collect();
        let mut body = String::new();
        print(&statements, &mut body);
        for (n, claim) in claims.iter().enumerate() {
            let claim = print_claim(claim);
            writeln!(body, "    if (m == {n}) {{ assert {claim} }}").unwrap();
        }
        let text = method(3, HELD[random.below(HELD.len())], &body);
        let (_, errors) = verify("random", &text);
        let is_claim = |line: &&(usize, &str)| line.1.starts_with("    if (m == ");
        let lines: Vec<_> = text.lines().enumerate().map(|(n, line)| (n + 1, line)).collect();
        let wrong: Vec<usize> = lines
            .iter()
            .filter(is_claim)
            .zip(&claims)
            .filter(|(_, claim)| !holds(claim, &statements))
            .map(|(line, _)| line.0)
            .collect();
        let mut errors = errors;
        errors.sort_unstable();
        errors.dedup();
        assert_eq!(errors, wrong, "program {seed}:\n{text}");
    }
}
