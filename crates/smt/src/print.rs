//! Terms as SMT-LIB text.
//!
//! Terms are graphs; as trees they can be exponentially large. A subterm that occurs more than once
//! is therefore bound by a `let`, in the innermost quantifier whose variables it mentions.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed};

use crate::sort::{Meaning, symbol};
use crate::term::{Bound, Node, Op, Quant, Quantifier, Term, Terms};

/// A term as text.
#[must_use]
pub fn print(terms: &Terms, term: Term) -> String {
    let mut printer =
        Printer { terms, out: String::new(), names: HashMap::new(), levels: HashMap::new() };
    printer.scope(term, 0);
    printer.out
}

struct Printer<'t> {
    terms: &'t Terms,
    out: String,
    /// Terms that are bound by a `let`.
    names: HashMap<Term, String>,
    /// How many quantifiers are around each open variable, its own included.
    levels: HashMap<Bound, usize>,
}

impl Printer<'_> {
    /// The number of open quantifiers that a term needs around it.
    fn level(&self, term: Term) -> usize {
        let free = self.terms.free(term);
        free.iter().map(|v| self.levels.get(v).copied().unwrap_or(usize::MAX)).max().unwrap_or(0)
    }

    /// A term at the top or under a quantifier, with its shared subterms bound first.
    fn scope(&mut self, root: Term, level: usize) {
        let mut shared = self.shared(root, level);
        // Subterms are older than the terms they are in.
        shared.sort_unstable();
        for term in &shared {
            let name = format!("s!{}", self.names.len());
            let _ = write!(self.out, "(let (({name} ");
            self.term(*term, level);
            self.out.push_str(")) ");
            self.names.insert(*term, name);
        }
        self.term(root, level);
        for term in &shared {
            self.out.push(')');
            self.names.remove(term);
        }
    }

    /// The compound terms of this level that occur more than once below the root.
    fn shared(&self, root: Term, level: usize) -> Vec<Term> {
        let mut seen = HashSet::from([root]);
        let mut twice = HashSet::new();
        let mut pending = vec![root];
        while let Some(term) = pending.pop() {
            for child in self.terms.children(term) {
                let compound = match self.terms.node(child) {
                    Node::Op(..) | Node::Quant(_) => true,
                    Node::App(_, args) => !args.is_empty(),
                    Node::Bool(_) | Node::Int(_) | Node::Real(_) | Node::Bound(_) => false,
                };
                if !compound || self.names.contains_key(&child) {
                    continue;
                }
                if seen.insert(child) {
                    pending.push(child);
                } else if self.level(child) == level {
                    twice.insert(child);
                }
            }
        }
        twice.into_iter().collect()
    }

    fn term(&mut self, term: Term, level: usize) {
        if let Some(name) = self.names.get(&term) {
            self.out.push_str(name);
            return;
        }
        match self.terms.node(term) {
            Node::Bool(value) => {
                let _ = write!(self.out, "{value}");
            }
            Node::Int(value) => self.int(value, ""),
            Node::Real(value) => self.real(value),
            Node::Bound(var) => {
                let name = self.bound_name(*var);
                self.out.push_str(&name);
            }
            Node::Op(op, args) => self.apply(op_text(*op), args, level),
            Node::App(fun, args) => {
                let decl = self.terms.signature.fun(*fun);
                let name = match decl.meaning {
                    Meaning::Uninterpreted => symbol(&decl.name),
                    Meaning::Builtin => decl.name.to_string(),
                };
                if args.is_empty() {
                    self.out.push_str(&name);
                } else {
                    self.apply(&name, args, level);
                }
            }
            Node::Quant(quant) => self.quant(quant, level),
        }
    }

    fn apply(&mut self, head: &str, args: &[Term], level: usize) {
        self.out.push('(');
        self.out.push_str(head);
        for arg in args {
            self.out.push(' ');
            self.term(*arg, level);
        }
        self.out.push(')');
    }

    /// Different variables may have the same name: theirs is made unique by their number.
    fn bound_name(&self, var: Bound) -> String {
        let (name, _) = self.terms.bound(var);
        symbol(&format!("{name}!{}", var.index()))
    }

    fn quant(&mut self, quant: &Quant, level: usize) {
        let inner = level + 1;
        self.out.push_str(match quant.quantifier {
            Quantifier::Forall => "(forall (",
            Quantifier::Exists => "(exists (",
        });
        for (i, var) in quant.vars.iter().enumerate() {
            self.levels.insert(*var, inner);
            let (_, sort) = self.terms.bound(*var);
            let sort = self.terms.signature.sort_text(sort);
            let space = if i == 0 { "" } else { " " };
            let name = self.bound_name(*var);
            let _ = write!(self.out, "{space}({name} {sort})");
        }
        self.out.push_str(") (! ");
        self.scope(quant.body, inner);
        for trigger in &quant.triggers {
            self.out.push_str(" :pattern (");
            for (i, term) in trigger.iter().enumerate() {
                if i > 0 {
                    self.out.push(' ');
                }
                self.term(*term, inner);
            }
            self.out.push(')');
        }
        if let Some(weight) = quant.weight {
            let _ = write!(self.out, " :weight {weight}");
        }
        if !quant.name.is_empty() {
            let _ = write!(self.out, " :qid {}", symbol(&quant.name));
        }
        self.out.push_str("))");
        for var in &quant.vars {
            self.levels.remove(var);
        }
    }

    fn int(&mut self, value: &BigInt, suffix: &str) {
        let _ = if value.is_negative() {
            write!(self.out, "(- {}{suffix})", value.abs())
        } else {
            write!(self.out, "{value}{suffix}")
        };
    }

    fn real(&mut self, value: &BigRational) {
        if value.denom().is_one() {
            self.int(value.numer(), ".0");
            return;
        }
        self.out.push_str("(/ ");
        self.int(value.numer(), ".0");
        let _ = write!(self.out, " {}.0)", value.denom());
    }
}

fn op_text(op: Op) -> &'static str {
    match op {
        Op::Not => "not",
        Op::And => "and",
        Op::Or => "or",
        Op::Implies => "=>",
        Op::Eq => "=",
        Op::Ite => "ite",
        Op::Add => "+",
        Op::Sub => "-",
        Op::Mul => "*",
        Op::Div => "div",
        Op::Mod => "mod",
        Op::RealDiv => "/",
        Op::Lt => "<",
        Op::Le => "<=",
        Op::ToReal => "to_real",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sort::Sort;

    #[test]
    fn literals_and_names() {
        let mut t = Terms::new();
        let minus = t.int(-3);
        assert_eq!(print(&t, minus), "(- 3)");
        let third = t.real(BigRational::new((-1).into(), 3.into()));
        assert_eq!(print(&t, third), "(/ (- 1.0) 3.0)");
        let odd = t.constant("x#y z", Sort::Int);
        assert_eq!(print(&t, odd), "|x#y z|");
        assert_eq!(symbol("1x"), "|1x|");
        assert_eq!(symbol("a|b"), "|a!b|");
    }

    #[test]
    fn shared_terms_are_printed_once() {
        let mut t = Terms::new();
        let mut x = t.constant("x", Sort::Int);
        // As a tree, this has 2^64 leaves.
        for _ in 0..64 {
            x = t.mul(x, x);
        }
        let text = print(&t, x);
        assert!(text.len() < 4000, "{} bytes", text.len());
        assert!(text.starts_with("(let ((s!0 (* x x))) (let ((s!1 (* s!0 s!0))) "), "{text}");
    }

    #[test]
    fn sharing_respects_binders() {
        let mut t = Terms::new();
        let f = t.declare("f", vec![Sort::Int], Sort::Int);
        let c = t.constant("c", Sort::Int);
        let (i, x) = t.bound_var("i", Sort::Int);
        let (fx, fc) = (t.app(f, &[x]), t.app(f, &[c]));
        let (below, above) = (t.lt(fc, fx), t.lt(fx, fc));
        let body = t.or([below, above]);
        let quant = t.quant(Quant {
            quantifier: Quantifier::Forall,
            vars: vec![i],
            triggers: vec![vec![fx]],
            body,
            name: "q".to_string(),
            weight: None,
        });
        assert_eq!(
            print(&t, quant),
            "(let ((s!0 (f c))) (forall ((i!0 Int)) (! (let ((s!1 (f i!0))) (or (< s!0 s!1) \
             (< s!1 s!0))) :pattern ((f i!0)) :qid q)))"
        );
    }
}
