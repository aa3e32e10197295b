//! Models as solvers print them: what every symbol means, and what that gives for arguments.

use std::collections::HashMap;
use std::sync::Arc;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, Zero};

use crate::values::{Sexp, parse};

/// A value of a model.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    /// `true` or `false`
    Bool(bool),
    /// An integer.
    Int(BigInt),
    /// A rational number.
    Real(BigRational),
    /// An element of a sort that is not interpreted, or whatever else the solver calls by a name.
    Element(Arc<str>),
    /// A constructor of a data type with its arguments; of none, it is an [`Value::Element`].
    Data(Arc<str>, Vec<Value>),
}

/// What a solver says that makes its assertions true.
#[derive(Clone, Debug, Default)]
pub struct Model {
    functions: HashMap<String, Function>,
    /// The elements of sorts, by the texts of these.
    universes: HashMap<String, Vec<Value>>,
    /// Integers that it mentions, in ascending order.
    integers: Vec<BigInt>,
}

#[derive(Clone, Debug)]
struct Function {
    params: Vec<String>,
    body: Text,
}

/// The text of a term, without references to what it was read from.
#[derive(Clone, Debug)]
enum Text {
    Atom(Arc<str>),
    List(Vec<Text>),
}

/// Evaluating a body takes no more steps than this.
const STEPS: u32 = 100_000;

impl Model {
    /// Reads what a solver answers to `(get-model)`.
    #[must_use]
    pub fn read(reply: &str) -> Option<Model> {
        let replies = parse(&without_comments(reply))?.iter().map(text).collect::<Vec<_>>();
        let [Text::List(items)] = replies.as_slice() else { return None };
        let mut model = Model::default();
        let mut integers = Vec::new();
        for item in items {
            let Text::List(parts) = item else { continue };
            match parts.as_slice() {
                [Text::Atom(word), Text::Atom(name), Text::List(params), sort]
                    if &**word == "declare-fun" && params.is_empty() =>
                {
                    let element = Value::Element(unquoted(name).into());
                    model.universes.entry(sort.to_string()).or_default().push(element);
                }
                [Text::Atom(word), Text::Atom(name), Text::List(params), _, body]
                    if &**word == "define-fun" =>
                {
                    let params = params.iter().filter_map(|p| match p {
                        Text::List(pair) => match pair.first() {
                            Some(Text::Atom(name)) => Some(unquoted(name).to_string()),
                            _ => None,
                        },
                        Text::Atom(_) => None,
                    });
                    body.integers(&mut integers);
                    let function = Function { params: params.collect(), body: body.clone() };
                    model.functions.insert(unquoted(name).to_string(), function);
                }
                _ => {}
            }
        }
        integers.sort_unstable();
        integers.dedup();
        model.integers = integers;
        Some(model)
    }

    /// The elements of a sort, by its text.
    #[must_use]
    pub fn universe(&self, sort: &str) -> &[Value] {
        self.universes.get(sort).map(Vec::as_slice).unwrap_or_default()
    }

    /// The integers that are mentioned, in ascending order.
    #[must_use]
    pub fn integers(&self) -> &[BigInt] {
        &self.integers
    }

    /// Does it say what a symbol means?
    #[must_use]
    pub fn defines(&self, name: &str) -> bool {
        self.functions.contains_key(unquoted(name))
    }

    /// A function applied to values; `None` if the model does not say, or says it in a way that is not
    /// understood.
    #[must_use]
    pub fn apply(&self, name: &str, args: &[Value]) -> Option<Value> {
        let mut steps = STEPS;
        self.call(unquoted(name), args, &mut steps)
    }

    fn call(&self, name: &str, args: &[Value], steps: &mut u32) -> Option<Value> {
        let function = self.functions.get(name)?;
        if function.params.len() != args.len() {
            return None;
        }
        let env: Vec<(&str, Value)> =
            function.params.iter().map(String::as_str).zip(args.iter().cloned()).collect();
        self.eval(&function.body, &env, steps)
    }

    fn eval(&self, text: &Text, env: &[(&str, Value)], steps: &mut u32) -> Option<Value> {
        *steps = steps.checked_sub(1)?;
        let items = match text {
            Text::Atom(atom) => {
                let name = unquoted(atom);
                if let Some((_, value)) = env.iter().rev().find(|(param, _)| *param == name) {
                    return Some(value.clone());
                }
                return literal(atom)
                    .or_else(|| self.call(name, &[], steps))
                    .or_else(|| Some(Value::Element(name.into())));
            }
            Text::List(items) => items,
        };
        let (head, rest) = items.split_first()?;
        let Text::Atom(head) = head else { return None };
        match (&**head, rest) {
            ("ite", [c, a, b]) => match self.eval(c, env, steps)? {
                Value::Bool(true) => self.eval(a, env, steps),
                Value::Bool(false) => self.eval(b, env, steps),
                _ => None,
            },
            ("let", [Text::List(bindings), body]) => {
                let mut inner = env.to_vec();
                for binding in bindings {
                    let Text::List(pair) = binding else { return None };
                    let [Text::Atom(name), value] = pair.as_slice() else { return None };
                    inner.push((unquoted(name), self.eval(value, env, steps)?));
                }
                self.eval(body, &inner, steps)
            }
            ("and", parts) => {
                for part in parts {
                    if self.eval(part, env, steps)? != Value::Bool(true) {
                        return Some(Value::Bool(false));
                    }
                }
                Some(Value::Bool(true))
            }
            ("or", parts) => {
                for part in parts {
                    if self.eval(part, env, steps)? != Value::Bool(false) {
                        return Some(Value::Bool(true));
                    }
                }
                Some(Value::Bool(false))
            }
            (name, args) => {
                let values: Option<Vec<Value>> =
                    args.iter().map(|a| self.eval(a, env, steps)).collect();
                let values = values?;
                builtin(name, &values)
                    .or_else(|| self.call(unquoted(name), &values, steps))
                    .or_else(|| is_constructor(name).then(|| Value::Data(name.into(), values)))
            }
        }
    }
}

impl Value {
    /// Reads a value as a solver prints it.
    #[must_use]
    pub fn read(reply: &str) -> Option<Value> {
        let replies = parse(reply)?;
        let [one] = replies.as_slice() else { return None };
        Model::default().eval(&text(one), &[], &mut { STEPS })
    }
}

/// Operators that nobody knows here are no constructors.
fn is_constructor(name: &str) -> bool {
    name.starts_with(|c: char| c.is_alphabetic() || c == '|')
        && !["as", "_", "select"].contains(&name)
}

fn builtin(name: &str, args: &[Value]) -> Option<Value> {
    use Value::{Bool, Int, Real};
    Some(match (name, args) {
        ("=", [a, b]) => Bool(a == b),
        ("not", [Bool(a)]) => Bool(!a),
        ("=>", [Bool(a), Bool(b)]) => Bool(!a || *b),
        ("-", [Int(a)]) => Int(-a),
        ("-", [Real(a)]) => Real(-a),
        ("+", [Int(a), Int(b)]) => Int(a + b),
        ("+", [Real(a), Real(b)]) => Real(a + b),
        ("-", [Int(a), Int(b)]) => Int(a - b),
        ("-", [Real(a), Real(b)]) => Real(a - b),
        ("*", [Int(a), Int(b)]) => Int(a * b),
        ("*", [Real(a), Real(b)]) => Real(a * b),
        ("/", [Real(a), Real(b)]) if !b.is_zero() => Real(a / b),
        ("<=", [Int(a), Int(b)]) => Bool(a <= b),
        ("<=", [Real(a), Real(b)]) => Bool(a <= b),
        (">=", [Int(a), Int(b)]) => Bool(a >= b),
        (">=", [Real(a), Real(b)]) => Bool(a >= b),
        ("<", [Int(a), Int(b)]) => Bool(a < b),
        ("<", [Real(a), Real(b)]) => Bool(a < b),
        (">", [Int(a), Int(b)]) => Bool(a > b),
        (">", [Real(a), Real(b)]) => Bool(a > b),
        ("to_real", [Int(a)]) => Real(a.clone().into()),
        ("mod", [Int(a), Int(b)]) if !b.is_zero() => {
            let rest: BigInt = a % b;
            Int(if rest.is_negative() { rest + b.abs() } else { rest })
        }
        _ => return None,
    })
}

fn literal(atom: &str) -> Option<Value> {
    match atom {
        "true" => return Some(Value::Bool(true)),
        "false" => return Some(Value::Bool(false)),
        _ => {}
    }
    if !atom.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    match atom.split_once('.') {
        None => atom.parse().ok().map(Value::Int),
        Some((whole, part)) => {
            let digits: BigInt = format!("{whole}{part}").parse().ok()?;
            let scale = BigInt::from(10).pow(u32::try_from(part.len()).ok()?);
            Some(Value::Real(BigRational::new(digits, scale)))
        }
    }
}

impl Text {
    /// All integers that occur in it.
    fn integers(&self, found: &mut Vec<BigInt>) {
        match self {
            Text::Atom(atom) => {
                if let Some(Value::Int(value)) = literal(atom) {
                    found.push(value);
                }
            }
            Text::List(items) => match items.as_slice() {
                [Text::Atom(minus), Text::Atom(number)] if &**minus == "-" => {
                    if let Some(Value::Int(value)) = literal(number) {
                        found.push(-value);
                    }
                }
                items => items.iter().for_each(|item| item.integers(found)),
            },
        }
    }
}

impl std::fmt::Display for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Text::Atom(atom) => f.write_str(atom),
            Text::List(items) => {
                f.write_str("(")?;
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        f.write_str(" ")?;
                    }
                    write!(f, "{item}")?;
                }
                f.write_str(")")
            }
        }
    }
}

fn text(sexp: &Sexp<'_>) -> Text {
    match sexp {
        Sexp::Atom(atom) => Text::Atom((*atom).into()),
        Sexp::List(items) => Text::List(items.iter().map(text).collect()),
    }
}

/// A symbol without its bars.
fn unquoted(symbol: &str) -> &str {
    symbol.strip_prefix('|').and_then(|s| s.strip_suffix('|')).unwrap_or(symbol)
}

/// Comments are lines of their own.
fn without_comments(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with(';'));
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPLY: &str = "(
  ;; universe for Ref.t:
  ;;   Ref.t!val!0 Ref.t!val!1 
  (declare-fun Ref.t!val!0 () Ref.t)
  (declare-fun Ref.t!val!1 () Ref.t)
  (forall ((x Ref.t)) (or (= x Ref.t!val!0) (= x Ref.t!val!1)))
  (define-fun x@1 () Ref.t
    Ref.t!val!0)
  (define-fun s () Snap.t
    (Snap.pair Snap.unit Snap.unit))
  (define-fun |f g| ((x!0 Ref.t) (x!1 Int)) Real
    (ite (and (= x!0 Ref.t!val!1) (= x!1 (- 3))) (- (/ 1.0 4.0))
      (/ 1.0 2.0)))
  (define-fun twice ((x!0 Int)) Int
    (let ((a!1 (+ x!0 x!0))) (helper a!1)))
  (define-fun helper ((x!0 Int)) Int x!0)
)";

    #[test]
    fn functions_of_a_model() -> Result<(), String> {
        let model = Model::read(REPLY).ok_or("it can be read")?;
        assert_eq!(model.universe("Ref.t").len(), 2);
        let element = |n: u32| Value::Element(format!("Ref.t!val!{n}").into());
        assert_eq!(model.apply("x@1", &[]), Some(element(0)));
        let half = |n: i32, d: i32| Value::Real(BigRational::new(n.into(), d.into()));
        let three = Value::Int((-3).into());
        assert_eq!(model.apply("f g", &[element(1), three.clone()]), Some(half(-1, 4)));
        assert_eq!(model.apply("|f g|", &[element(0), three]), Some(half(1, 2)));
        assert_eq!(model.apply("twice", &[Value::Int(4.into())]), Some(Value::Int(8.into())));
        assert_eq!(model.apply("unknown", &[]), None);
        let unit = Value::Element("Snap.unit".into());
        assert_eq!(
            model.apply("s", &[]),
            Some(Value::Data("Snap.pair".into(), vec![unit.clone(), unit]))
        );
        assert_eq!(model.integers(), [BigInt::from(-3)]);
        Ok(())
    }

    #[test]
    fn values_that_are_printed() {
        assert_eq!(Value::read("(- 7)"), Some(Value::Int((-7).into())));
        assert_eq!(
            Value::read("(/ 1.0 3.0)"),
            Some(Value::Real(BigRational::new(1.into(), 3.into())))
        );
        assert_eq!(Value::read("(as const (Array Int Int))"), None);
        assert_eq!(Value::read(")"), None);
    }
}
