//! Terms as SMT-LIB text.
//!
//! Terms are graphs; as trees they can be exponentially large. A subterm that occurs more than once
//! is therefore bound by a `let`, in the innermost quantifier whose variables it mentions.

use std::fmt::Write as _;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed};

use crate::sort::symbol;
use crate::term::{Bound, Node, Op, Quant, Quantifier, Term, Terms};

/// A term as text. Who prints many keeps a [`Printer`].
#[must_use]
pub fn print(terms: &Terms, term: Term) -> String {
    let mut text = String::new();
    Printer::default().print(terms, term, &mut text);
    text
}

/// Prints terms, with memory that is used again for the next one.
#[derive(Default)]
pub struct Printer {
    /// For each term, the last walk that came by.
    seen: Vec<u32>,
    walks: u32,
    /// For each term, the number of the `let` that binds it, counted from 1; 0 if none does.
    names: Vec<u32>,
    named: u32,
    /// For each variable, how many quantifiers are around it, its own included; 0 if it is not open.
    levels: Vec<u32>,
    pending: Vec<Term>,
}

impl Printer {
    /// Appends a term to a text.
    pub fn print(&mut self, terms: &Terms, term: Term, out: &mut String) {
        self.seen.resize(self.seen.len().max(terms.len()), 0);
        self.names.resize(self.names.len().max(terms.len()), 0);
        self.named = 0;
        Scribe { terms, printer: self, out }.scope(term, 0);
    }
}

struct Scribe<'a> {
    terms: &'a Terms,
    printer: &'a mut Printer,
    out: &'a mut String,
}

impl<'a> Scribe<'a> {
    /// The number of open quantifiers that a term needs around it.
    fn level(&self, term: Term) -> u32 {
        let free = self.terms.free(term);
        let level = |v: &Bound| self.printer.levels.get(v.index() as usize).copied();
        // A variable that no quantifier around here binds: the term must stay where it is.
        free.iter().map(|v| level(v).filter(|l| *l > 0).unwrap_or(u32::MAX)).max().unwrap_or(0)
    }

    /// A term at the top or under a quantifier, with its shared subterms bound first.
    fn scope(&mut self, root: Term, level: u32) {
        let mut shared = self.shared(root, level);
        // Subterms are older than the terms they are in.
        shared.sort_unstable();
        shared.dedup();
        for term in &shared {
            // Quantifiers in the term have names of their own.
            self.printer.named += 1;
            let name = self.printer.named;
            let _ = write!(self.out, "(let ((s!{} ", name - 1);
            self.term(*term, level);
            self.out.push_str(")) ");
            self.printer.names[term.index()] = name;
        }
        self.term(root, level);
        for term in &shared {
            self.out.push(')');
            self.printer.names[term.index()] = 0;
        }
    }

    /// The compound terms of this level that occur more than once below the root.
    fn shared(&mut self, root: Term, level: u32) -> Vec<Term> {
        let mut twice = Vec::new();
        if !self.compound(root) {
            return twice;
        }
        let mut pending = std::mem::take(&mut self.printer.pending);
        self.printer.walks += 1;
        let walk = self.printer.walks;
        pending.push(root);
        while let Some(term) = pending.pop() {
            self.terms.each_child(term, |child| {
                if !self.compound(child) || self.printer.names[child.index()] > 0 {
                    return;
                }
                if std::mem::replace(&mut self.printer.seen[child.index()], walk) != walk {
                    pending.push(child);
                } else if self.level(child) == level {
                    twice.push(child);
                }
            });
        }
        self.printer.pending = pending;
        twice
    }

    fn compound(&self, term: Term) -> bool {
        match self.terms.node(term) {
            Node::Op(..) | Node::Quant(_) => true,
            Node::App(_, args) => !args.is_empty(),
            Node::Bool(_) | Node::Int(_) | Node::Real(_) | Node::Bound(_) => false,
        }
    }

    fn term(&mut self, term: Term, level: u32) {
        let name = self.printer.names[term.index()];
        if name > 0 {
            let _ = write!(self.out, "s!{}", name - 1);
            return;
        }
        let terms: &'a Terms = self.terms;
        match terms.node(term) {
            Node::Bool(value) => self.out.push_str(if *value { "true" } else { "false" }),
            Node::Int(value) => self.int(value, ""),
            Node::Real(value) => self.real(value),
            Node::Bound(var) => self.out.push_str(terms.bound_text(*var)),
            Node::Op(op, args) => self.apply(op_text(*op), args, level),
            Node::App(fun, args) => {
                let name = terms.signature.fun_text(*fun);
                if args.is_empty() {
                    self.out.push_str(name);
                } else {
                    self.apply(name, args, level);
                }
            }
            Node::Quant(quant) => self.quant(quant, level),
        }
    }

    fn apply(&mut self, head: &str, args: &[Term], level: u32) {
        self.out.push('(');
        self.out.push_str(head);
        for arg in args {
            self.out.push(' ');
            self.term(*arg, level);
        }
        self.out.push(')');
    }

    fn quant(&mut self, quant: &Quant, level: u32) {
        let inner = level + 1;
        self.out.push_str(match quant.quantifier {
            Quantifier::Forall => "(forall (",
            Quantifier::Exists => "(exists (",
        });
        for (i, var) in quant.vars.iter().enumerate() {
            self.set_level(*var, inner);
            let (_, sort) = self.terms.bound(*var);
            let sort = self.terms.signature.sort_text(sort);
            let space = if i == 0 { "" } else { " " };
            let _ = write!(self.out, "{space}({} {sort})", self.terms.bound_text(*var));
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
            self.set_level(*var, 0);
        }
    }

    fn set_level(&mut self, var: Bound, level: u32) {
        let index = var.index() as usize;
        if self.printer.levels.len() <= index {
            self.printer.levels.resize(index + 1, 0);
        }
        self.printer.levels[index] = level;
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
            name: "q".into(),
            weight: None,
        });
        assert_eq!(
            print(&t, quant),
            "(let ((s!0 (f c))) (forall ((i!0 Int)) (! (let ((s!1 (f i!0))) (or (< s!0 s!1) \
             (< s!1 s!0))) :pattern ((f i!0)) :qid q)))"
        );
    }
}
