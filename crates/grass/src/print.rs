//! Formulas of graphs and sets as text. Atoms are written as the solver is told.

use crate::logic::{Formula, Set};
use crate::theory::Theory;

/// A formula on one line.
#[must_use]
pub fn print(theory: &Theory, formula: &Formula) -> String {
    let term = |term| smt::print(&theory.terms, term);
    match formula {
        Formula::Atom(atom) => term(*atom),
        Formula::Equal(_, a, b) => format!("{} = {}", set(theory, a), set(theory, b)),
        Formula::In(node, of) => format!("{} in {}", term(*node), set(theory, of)),
        Formula::Every(var, body, field) => {
            let read = if field.is_some() { " that is read" } else { "" };
            format!("every {}{read}: {}", term(*var), term(*body))
        }
        Formula::EveryTwo(a, b, body) => {
            format!("every {}, {}: {}", term(*a), term(*b), term(*body))
        }
        Formula::Not(part) => format!("!({})", print(theory, part)),
        Formula::And(parts) => joined(theory, parts, " && ", "true"),
        Formula::Or(parts) => joined(theory, parts, " || ", "false"),
    }
}

fn joined(theory: &Theory, parts: &[Formula], sign: &str, none: &str) -> String {
    let all: Vec<String> = parts.iter().map(|part| print(theory, part)).collect();
    match all.as_slice() {
        [] => none.to_owned(),
        [only] => only.clone(),
        _ => format!("({})", all.join(sign)),
    }
}

fn set(theory: &Theory, of: &Set) -> String {
    let term = |term| smt::print(&theory.terms, term);
    match of {
        Set::Var(var) => theory.set_name(*var),
        Set::Empty => "{}".to_owned(),
        Set::Minus(a, b) => format!("({} \\ {})", set(theory, a), set(theory, b)),
        Set::Inter(a, b) => format!("({} & {})", set(theory, a), set(theory, b)),
        Set::Union(parts) => {
            let all: Vec<String> = parts.iter().map(|part| set(theory, part)).collect();
            match all.as_slice() {
                [] => "{}".to_owned(),
                [only] => only.clone(),
                _ => format!("({})", all.join(" | ")),
            }
        }
        Set::Where(var, body) => format!("{{{}. {}}}", term(*var), term(*body)),
    }
}
