//! Symbolic heaps and sequents as text.

use std::fmt::Write as _;

use arith::{Constraint, Relation};

use super::{Heap, Sequent, System, Var};
use crate::sort::Name;

/// How variables and predicates are called.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    /// The predicates.
    pub system: &'a System,
    /// The variables that come after the `nil`s; others are called by their numbers.
    pub vars: &'a [Name],
}

impl Names<'_> {
    /// A variable.
    #[must_use]
    pub fn var(&self, var: Var) -> String {
        match (var as usize).checked_sub(self.system.nils()) {
            None => "nil".into(),
            Some(i) => match self.vars.get(i) {
                Some(name) => name.to_string(),
                None => format!("v{}", i - self.vars.len() + 1),
            },
        }
    }

    fn vars(&self, vars: impl IntoIterator<Item = Var>) -> String {
        vars.into_iter().map(|v| self.var(v)).collect::<Vec<_>>().join(", ")
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
        let pair =
            |(a, b): &(Var, Var), sign: &str| format!("{} {sign} {}", self.var(*a), self.var(*b));
        parts.extend(heap.equal.iter().map(|p| pair(p, "=")));
        parts.extend(heap.different.iter().map(|p| pair(p, "!=")));
        parts.extend(heap.linear.iter().map(|c| self.constraint(c)));
        for cell in &heap.cells {
            let fields = self.vars(cell.fields.iter().copied());
            let content = if cell.fields.len() == 1 { fields } else { format!("{{{fields}}}") };
            parts.push(format!("{} |-> {content}", self.var(cell.addr)));
        }
        for call in &heap.calls {
            let name = self.system.predicates.get(call.pred).map_or("?", |p| p.name.as_str());
            parts.push(format!("{name}({})", self.vars(call.args.iter().copied())));
        }
        if heap.open {
            parts.push("true".into());
        }
        if parts.is_empty() { "emp".into() } else { parts.join(" * ") }
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
        if !s.exist.is_empty() {
            let _ = write!(text, "exists {}. ", self.vars(s.exist.iter().copied()));
        }
        text + &self.heap(&s.right)
    }
}
