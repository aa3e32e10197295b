//! Symbolic heaps and sequents as text.

use std::fmt::Write as _;

use arith::{Constraint, Relation, Sum};

use super::{Cell, Heap, Sequent, SortId, System, Var};
use crate::sort::Name;

/// How variables and predicates are called.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    /// The predicates.
    pub system: &'a System,
    /// The variables that come after the `nil`s; others are called by their numbers.
    pub vars: &'a [Name],
    /// The sorts of all variables, with the `nil`s, as far as they are known: they tell the names of fields.
    pub sorts: &'a [SortId],
}

impl Names<'_> {
    /// A variable.
    #[must_use]
    pub fn var(&self, var: Var) -> String {
        match (var as usize).checked_sub(self.system.nils()) {
            None => "nil".into(),
            Some(i) => match self.vars.get(i) {
                Some(name) => name.to_string(),
                None => {
                    let mut name = format!("v{}", i - self.vars.len() + 1);
                    while self.vars.iter().any(|known| known.as_str() == name) {
                        name.push('_');
                    }
                    name
                }
            },
        }
    }

    fn vars(&self, vars: impl IntoIterator<Item = Var>) -> String {
        vars.into_iter().map(|v| self.var(v)).collect::<Vec<_>>().join(", ")
    }

    /// A sum.
    #[must_use]
    pub fn sum(&self, sum: &Sum) -> String {
        let mut text = String::new();
        for (var, factor) in &sum.factors {
            let (times, name) = (factor.unsigned_abs(), self.var(*var));
            text += match (*factor < 0, text.is_empty()) {
                (true, true) => "-",
                (true, false) => " - ",
                (false, true) => "",
                (false, false) => " + ",
            };
            text += &if times == 1 { name } else { format!("{times} * {name}") };
        }
        match sum.constant {
            number if text.is_empty() => text = number.to_string(),
            0 => {}
            number if number < 0 => text += &format!(" - {}", number.unsigned_abs()),
            number => text += &format!(" + {number}"),
        }
        text
    }

    /// What is said of integers, with what is added on both sides.
    #[must_use]
    pub fn constraint(&self, constraint: &Constraint) -> String {
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for (var, factor) in &constraint.sum.factors {
            let side = if *factor > 0 { &mut left } else { &mut right };
            let times = factor.unsigned_abs();
            let name = self.var(*var);
            side.push(if times == 1 { name } else { format!("{times} * {name}") });
        }
        match constraint.sum.constant {
            0 => {}
            n if n > 0 => left.push(n.to_string()),
            n => right.push(n.unsigned_abs().to_string()),
        }
        let text = |side: Vec<String>| if side.is_empty() { "0".into() } else { side.join(" + ") };
        let (left, right): (String, String) = (text(left), text(right));
        match constraint.relation {
            Relation::Zero => format!("{left} = {right}"),
            Relation::NotNegative => format!("{right} <= {left}"),
            Relation::NotZero => format!("{left} != {right}"),
        }
    }

    /// A symbolic heap.
    #[must_use]
    pub fn heap(&self, heap: &Heap) -> String {
        let mut parts = Vec::new();
        let is_nil = |var: Var| (var as usize) < self.system.nils();
        let pair = |(a, b): &(Var, Var), sign: &str| {
            let (a, b) = if is_nil(*a) { (b, a) } else { (a, b) };
            format!("{} {sign} {}", self.var(*a), self.var(*b))
        };
        parts.extend(heap.equal.iter().map(|p| pair(p, "=")));
        parts.extend(heap.different.iter().map(|p| pair(p, "!=")));
        parts.extend(heap.linear.iter().map(|c| self.constraint(c)));
        for cell in &heap.cells {
            parts.push(format!("{} |-> {}", self.var(cell.addr), self.content(cell)));
        }
        for call in &heap.calls {
            let predicate = self.system.predicates.get(call.pred);
            // The right side of a proof that there is no model has no disjuncts.
            let is_false = predicate.is_some_and(|p| p.cases.is_empty() && p.written.is_empty());
            let name = predicate.map_or("?", |p| p.name.as_str());
            parts.push(if is_false {
                "false".into()
            } else {
                format!("{name}({})", self.vars(call.args.iter().copied()))
            });
        }
        if heap.open {
            parts.push("true".into());
        }
        if parts.is_empty() { "emp".into() } else { parts.join(" * ") }
    }

    /// What a cell holds.
    fn content(&self, cell: &Cell) -> String {
        if let [only] = cell.fields.as_slice() {
            return self.var(*only);
        }
        let sort = self.sorts.get(cell.addr as usize);
        let names = sort.and_then(|sort| self.system.fields.get(*sort));
        let field = |(place, value): (usize, &Var)| {
            let name = names.and_then(|names| names.get(place)?.name.as_ref());
            let value = self.var(*value);
            name.map_or_else(|| value.clone(), |name| format!("{name}: {value}"))
        };
        let all: Vec<String> = cell.fields.iter().enumerate().map(field).collect();
        format!("{{{}}}", all.join(", "))
    }

    /// A symbolic heap below a quantifier for these variables.
    #[must_use]
    pub fn exists(&self, vars: impl IntoIterator<Item = Var>, heap: &Heap) -> String {
        let vars = self.vars(vars);
        let heap = self.heap(heap);
        if vars.is_empty() { heap } else { format!("exists {vars}. {heap}") }
    }

    /// A sequent. What is allocated elsewhere is in brackets.
    #[must_use]
    pub fn sequent(&self, s: &Sequent) -> String {
        let mut text = String::new();
        if !s.left.gone.is_empty() {
            // Writing to a string does not fail.
            let _ = write!(text, "[{}] ", self.vars(s.left.gone.iter().copied()));
        }
        let _ = write!(text, "{} |- ", self.heap(&s.left));
        text + &self.exists(s.exist.iter().copied(), &s.right)
    }
}
