//! The solver's model of the relations, read back as formulas.

use std::collections::BTreeMap;

use arith::{Constraint, Sum, Var};

use crate::{Formula, Solution, System};

/// Disjuncts of a formula while it is read.
const MOST: usize = 512;
/// Models that nest deeper are not read.
const DEEPEST: usize = 200;

/// The definitions `(define-fun R0 ((x Int) …) Bool …)`; relations without one are false nowhere.
pub(crate) fn read(text: &str, system: &System) -> Option<Solution> {
    let mut formulas = vec![Formula::truth(); system.relations.len()];
    let mut tokens = tokens(text).into_iter().peekable();
    let Tree::List(definitions) = tree(&mut tokens, 0)? else { return None };
    for definition in &definitions {
        let Tree::List(parts) = definition else { continue };
        let [Tree::Word(kind), Tree::Word(name), Tree::List(params), _, body] = parts.as_slice()
        else {
            continue;
        };
        let Some(index) = name.strip_prefix('R').and_then(|n| n.parse::<usize>().ok()) else {
            continue;
        };
        if kind != "define-fun" {
            continue;
        }
        let mut scope = Scope::default();
        for (place, param) in params.iter().enumerate() {
            let Tree::List(param) = param else { return None };
            let Some(Tree::Word(name)) = param.first() else { return None };
            scope.terms.insert(name.clone(), Value::Sum(Sum::var(place as Var)));
        }
        *formulas.get_mut(index)? = formula(body, &scope, true)?;
    }
    Some(Solution { formulas })
}

#[derive(Debug)]
enum Tree {
    Word(String),
    List(Vec<Tree>),
}

#[derive(Clone)]
enum Value {
    Sum(Sum),
    /// A formula and its negation.
    Formula(Formula, Formula),
}

#[derive(Clone, Default)]
struct Scope {
    terms: BTreeMap<String, Value>,
}

fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    for line in text.lines() {
        let line = line.split(';').next().unwrap_or_default();
        let spaced = line.replace('(', " ( ").replace(')', " ) ");
        tokens.extend(spaced.split_whitespace().map(str::to_owned));
    }
    tokens
}

fn tree(
    tokens: &mut std::iter::Peekable<std::vec::IntoIter<String>>,
    depth: usize,
) -> Option<Tree> {
    if depth > DEEPEST {
        return None;
    }
    let token = tokens.next()?;
    if token != "(" {
        return (token != ")").then_some(Tree::Word(token));
    }
    let mut list = Vec::new();
    while tokens.peek()? != ")" {
        list.push(tree(tokens, depth + 1)?);
    }
    tokens.next();
    Some(Tree::List(list))
}

/// A formula, or its negation.
fn formula(tree: &Tree, scope: &Scope, positive: bool) -> Option<Formula> {
    let both = |parts: &[Tree], conjunction: bool| {
        let start = if conjunction { Formula::truth() } else { Formula::falsity() };
        parts.iter().try_fold(start, |all, part| {
            let part = formula(part, scope, positive)?;
            if conjunction { all.and(&part, MOST) } else { Some(all.or(part)) }
        })
    };
    let list = match tree {
        Tree::Word(word) => {
            return match word.as_str() {
                "true" | "false" if (word == "true") == positive => Some(Formula::truth()),
                "true" | "false" => Some(Formula::falsity()),
                name => match scope.terms.get(name)? {
                    Value::Formula(yes, no) => {
                        Some(if positive { yes.clone() } else { no.clone() })
                    }
                    Value::Sum(_) => None,
                },
            };
        }
        Tree::List(list) => list,
    };
    let (Tree::Word(head), args) = list.split_first()? else { return None };
    match (head.as_str(), args) {
        ("and", args) => both(args, positive),
        ("or", args) => both(args, !positive),
        ("not", [arg]) => formula(arg, scope, !positive),
        ("=>", [from, to]) => {
            let (from, to) = (formula(from, scope, !positive)?, formula(to, scope, positive)?);
            if positive { Some(from.or(to)) } else { from.and(&to, MOST) }
        }
        ("let", [Tree::List(bindings), body]) => {
            let mut inner = scope.clone();
            for binding in bindings {
                let Tree::List(binding) = binding else { return None };
                let [Tree::Word(name), value] = binding.as_slice() else { return None };
                let value = match sum(value, scope) {
                    Some(sum) => Value::Sum(sum),
                    None => {
                        Value::Formula(formula(value, scope, true)?, formula(value, scope, false)?)
                    }
                };
                inner.terms.insert(name.clone(), value);
            }
            formula(body, &inner, positive)
        }
        ("=" | "<=" | ">=" | "<" | ">", [a, b]) => {
            let (a, b) = (sum(a, scope)?, sum(b, scope)?);
            let constraint = match head.as_str() {
                "=" => Constraint::equal(&a, &b),
                "<=" => Constraint::at_most(&a, &b),
                ">=" => Constraint::at_most(&b, &a),
                "<" => Constraint::less(&a, &b),
                _ => Constraint::less(&b, &a),
            }?;
            if positive {
                return Some(Formula::of(constraint));
            }
            let cases = constraint.negation()?.into_iter().map(|case| vec![case]).collect();
            Some(Formula { disjuncts: cases })
        }
        _ => None,
    }
}

fn sum(tree: &Tree, scope: &Scope) -> Option<Sum> {
    let list = match tree {
        Tree::Word(word) => {
            if let Ok(number) = word.parse::<i128>() {
                return Some(Sum::number(number));
            }
            return match scope.terms.get(word)? {
                Value::Sum(sum) => Some(sum.clone()),
                Value::Formula(..) => None,
            };
        }
        Tree::List(list) => list,
    };
    let (Tree::Word(head), args) = list.split_first()? else { return None };
    let args: Vec<Sum> = args.iter().map(|arg| sum(arg, scope)).collect::<Option<_>>()?;
    match (head.as_str(), args.as_slice()) {
        ("+", all) => all.iter().try_fold(Sum::default(), |total, arg| total.plus(arg, 1)),
        ("-", [one]) => one.negative(),
        ("-", [first, rest @ ..]) => {
            rest.iter().try_fold(first.clone(), |total, arg| total.plus(arg, -1))
        }
        ("*", [a, b]) if a.factors.is_empty() => Sum::default().plus(b, a.constant),
        ("*", [a, b]) if b.factors.is_empty() => Sum::default().plus(a, b.constant),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::read;
    use crate::System;

    #[test]
    fn models_are_read() {
        let mut system = System::default();
        system.relation("R".into(), 2, None, true);
        let text = "(\n (define-fun R0 ((x!0 Int) (x!1 Int)) Bool\n (let ((a!1 (not (<= 3 (+ x!0 (* (- 1) x!1)))))) \
                    (and a!1 (or (= x!0 1) (> x!1 0)))))\n)";
        let solution = read(text, &system).map(|s| system.show_solution(&s));
        let want = "R(v0, v1): (v1 + 2 >= v0 && v0 == 1) || (v1 + 2 >= v0 && v1 >= 1)\n";
        assert_eq!(solution.as_deref(), Some(want));
    }
}
