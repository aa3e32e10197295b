//! What connectives, equations, conditionals and constructors say, once something is known of them.

use crate::closure::{FALSE, Node, Rule, TRUE, truth};
use crate::linear::Fact;
use crate::rational::Rational;
use crate::syntax::{Head, Role, Sort};
use crate::{Prover, premise};

impl Prover {
    /// Draws the conclusions from what is known of a node and its arguments.
    pub(crate) fn evaluate(&mut self, node: Node) {
        if self.closure.is_relevant(node) {
            self.pass_on_relevance(node);
        }
        // Relevant or not: a model gives every sum a value, and so every part of it.
        self.register_parts(node);
        let (head, args) = self.closure.term(node);
        let holds = self.closure.truth(node);
        match (head, args) {
            (Head::Not, [a]) => {
                let a = *a;
                if let Some(holds) = holds {
                    self.conclude(a, !holds, node, vec![(node, truth(holds))]);
                } else if let Some(value) = self.closure.truth(a) {
                    self.conclude(node, !value, node, vec![(a, truth(value))]);
                }
            }
            (Head::And, args) => {
                let literals: Vec<(Node, bool)> = args.iter().map(|arg| (*arg, true)).collect();
                self.conjunction(node, holds, &literals, true);
            }
            (Head::Or, args) => {
                // As the negation of a conjunction of negations.
                let literals: Vec<(Node, bool)> = args.iter().map(|arg| (*arg, false)).collect();
                self.conjunction(node, holds.map(|holds| !holds), &literals, false);
            }
            (Head::Implies, [a, b]) => {
                let literals = [(*a, true), (*b, false)];
                self.conjunction(node, holds.map(|holds| !holds), &literals, false);
            }
            (Head::Eq, [a, b]) => {
                let (a, b) = (*a, *b);
                self.equation(node, holds, a, b);
            }
            (Head::Ite, [c, a, b]) => {
                let (c, a, b) = (*c, *a, *b);
                self.conditional(node, holds, c, a, b);
            }
            (Head::Le | Head::Lt, _) => match holds {
                Some(holds) => self.facts.push(Fact::Atom(node, holds)),
                None => {
                    self.decide_atom(node);
                }
            },
            (Head::Symbol(symbol), [a]) => {
                let a = *a;
                let Some(value) = self.closure.value(a) else { return };
                let (Head::Symbol(made_by), parts) = self.closure.term(value) else { return };
                match self.syntax.role(symbol) {
                    Role::Selector(constructor, position) if constructor == made_by => {
                        if let Some(part) = parts.get(position as usize) {
                            let part = *part;
                            self.closure.merge(
                                node,
                                part,
                                Rule::Data(node, value),
                                vec![(a, value)],
                            );
                        }
                    }
                    Role::Tester(constructor) => {
                        let is_it = constructor == made_by;
                        self.closure.set(node, is_it, Rule::Data(node, value), vec![(a, value)]);
                    }
                    _ => {}
                }
            }
            (Head::Quant(id), _) => {
                if let Some(holds) = holds {
                    self.quantified(node, id, holds);
                }
            }
            (Head::Mul, [a, b]) => {
                let (a, b) = (*a, *b);
                for factor in [a, b] {
                    let Some(number) = self.closure.value(factor).filter(|n| *n != factor) else {
                        continue;
                    };
                    self.facts.push(Fact::Product { product: node, factor, number });
                    return;
                }
                let is_number = |node: Node| matches!(self.closure.term(node).0, Head::Number(..));
                if !is_number(a) && !is_number(b) {
                    self.note_incomplete();
                }
            }
            (Head::Div | Head::Mod, [a, b]) => {
                let (a, b) = (*a, *b);
                self.division(a, b);
            }
            (Head::RealDiv, [_, b]) => {
                let known = matches!(self.closure.term(*b).0, Head::Number(n, _) if !n.is_zero());
                if !known {
                    self.note_incomplete();
                }
            }
            _ => {}
        }
    }

    /// The parts of a connective that make it what it is are relevant if it is.
    fn pass_on_relevance(&mut self, node: Node) {
        let (head, args) = self.closure.term(node);
        let holds = self.closure.truth(node);
        let with = |literals: &[(Node, bool)]| {
            let wanted = |(n, value): &&(Node, bool)| self.closure.truth(*n) == Some(*value);
            // One that is as it has to be is enough; a relevant one is preferred.
            let relevant = |(n, _): &&(Node, bool)| self.closure.is_relevant(*n);
            let mut all = literals.iter().filter(wanted);
            let one = all.clone().find(relevant).or_else(|| all.next());
            one.map(|(n, _)| *n).into_iter().collect::<Vec<Node>>()
        };
        let parts: Vec<Node> = match (head, args, holds) {
            (Head::Not, args, _) => args.to_vec(),
            (Head::Eq, args @ [a, _], _) if self.closure.sort(*a) == Sort::BOOL => args.to_vec(),
            (Head::And, args, Some(true)) | (Head::Or, args, Some(false)) => args.to_vec(),
            (Head::Implies, args, Some(false)) => args.to_vec(),
            (Head::And, args, Some(false)) => {
                with(&args.iter().map(|arg| (*arg, false)).collect::<Vec<_>>())
            }
            (Head::Or, args, Some(true)) => {
                with(&args.iter().map(|arg| (*arg, true)).collect::<Vec<_>>())
            }
            (Head::Implies, [a, b], Some(true)) => with(&[(*a, false), (*b, true)]),
            (Head::Ite, [c, a, b], _) => match self.closure.truth(*c) {
                Some(true) => vec![*c, *a],
                Some(false) => vec![*c, *b],
                None => vec![*c],
            },
            _ => return,
        };
        for part in parts {
            self.closure.make_relevant(&self.syntax, part);
        }
    }

    /// Arithmetic knows of the parts of a sum, so that what becomes known of them counts.
    fn register_parts(&mut self, node: Node) {
        match self.closure.term(node).0 {
            Head::Add | Head::Sub | Head::Mul | Head::RealDiv | Head::ToReal => {
                for (part, _) in self.forms.form(&self.closure, node).factors {
                    self.simplex.register(part);
                }
            }
            _ => {}
        }
    }

    fn conclude(&mut self, of: Node, value: bool, by: Node, premises: Vec<(Node, Node)>) {
        self.closure.set(of, value, Rule::Logic(by), premises);
    }

    /// A node that is `when_all`, if all literals hold, and the opposite otherwise. `holds`: is it known
    /// that they all do?
    fn conjunction(
        &mut self,
        node: Node,
        holds: Option<bool>,
        literals: &[(Node, bool)],
        when_all: bool,
    ) {
        if holds == Some(true) {
            for (child, value) in literals {
                self.conclude(*child, *value, node, vec![(node, truth(when_all))]);
            }
            return;
        }
        let mut open = None;
        let mut open_count = 0;
        for (child, value) in literals {
            match self.closure.truth(*child) {
                Some(truth_value) if truth_value != *value => {
                    if holds.is_none() {
                        let premise = (*child, truth(!*value));
                        self.conclude(node, !when_all, node, vec![premise]);
                    }
                    return;
                }
                Some(_) => {}
                None => {
                    open_count += 1;
                    open = Some((*child, *value));
                }
            }
        }
        let known = |skip: Option<Node>| -> Vec<(Node, Node)> {
            let others = literals.iter().filter(|(child, _)| Some(*child) != skip);
            others.map(|(child, value)| (*child, truth(*value))).collect()
        };
        match (open_count, open) {
            (0, _) => {
                let premises = known(None);
                self.conclude(node, when_all, node, premises);
            }
            (1, Some((child, value))) if holds == Some(false) => {
                let mut premises = known(Some(child));
                premises.push((node, truth(!when_all)));
                self.conclude(child, !value, node, premises);
            }
            _ if holds == Some(false) => self.add_choice(node),
            _ => {}
        }
    }

    fn equation(&mut self, node: Node, holds: Option<bool>, a: Node, b: Node) {
        if holds == Some(true) {
            self.closure.merge(a, b, Rule::Logic(node), vec![(node, TRUE)]);
            return;
        }
        if self.closure.same(a, b) {
            self.conclude(node, true, node, vec![(a, b)]);
            return;
        }
        if self.closure.sort(a) == Sort::BOOL {
            match (holds, self.closure.truth(a), self.closure.truth(b)) {
                (Some(false), Some(value), _) => {
                    self.conclude(b, !value, node, vec![(node, FALSE), (a, truth(value))]);
                }
                (Some(false), _, Some(value)) => {
                    self.conclude(a, !value, node, vec![(node, FALSE), (b, truth(value))]);
                }
                (Some(false), None, None) => self.add_choice(node),
                (None, Some(x), Some(y)) if x != y => {
                    self.conclude(node, false, node, vec![(a, truth(x)), (b, truth(y))]);
                }
                (None, Some(true), None) => {
                    self.closure.merge(node, b, Rule::Logic(node), vec![(a, TRUE)]);
                }
                (None, None, Some(true)) => {
                    self.closure.merge(node, a, Rule::Logic(node), vec![(b, TRUE)]);
                }
                _ => {}
            }
            return;
        }
        if holds.is_none()
            && let Some((x, y)) = self.closure.different(a, b)
        {
            self.closure.set(node, false, Rule::Different(x, y), vec![(a, x), (b, y)]);
        }
        if holds == Some(false) && self.closure.sort(a).is_arithmetic() {
            self.disequal.push(node);
        }
    }

    fn conditional(&mut self, node: Node, holds: Option<bool>, c: Node, a: Node, b: Node) {
        if let Some(condition) = self.closure.truth(c) {
            let branch = if condition { a } else { b };
            self.closure.merge(node, branch, Rule::Logic(node), vec![(c, truth(condition))]);
            return;
        }
        if self.closure.same(a, b) {
            self.closure.merge(node, a, Rule::Logic(node), vec![(a, b)]);
            return;
        }
        if let Some(holds) = holds {
            for (branch, taken) in [(a, true), (b, false)] {
                if self.closure.truth(branch) == Some(!holds) {
                    let premises = vec![(node, truth(holds)), (branch, truth(!holds))];
                    self.conclude(c, !taken, node, premises);
                    return;
                }
            }
        }
        if holds.is_some() || self.closure.sort(node) != Sort::BOOL {
            self.add_choice(node);
        }
    }

    /// Is a comparison decided by the bounds of what it compares?
    pub(crate) fn decide_atom(&mut self, node: Node) -> bool {
        for holds in [true, false] {
            let fact = Fact::Atom(node, holds);
            let sum = self.simplex.contradicted(&self.closure, &mut self.forms, fact);
            if let Some(sum) = sum {
                let others = sum.iter().map(|(fact, _)| *fact).filter(|other| *other != fact);
                let premises = others.filter_map(premise).collect();
                self.closure.set(node, !holds, Rule::Farkas(vec![sum]), premises);
                return true;
            }
        }
        false
    }

    /// Euclid's equation for a divisor that is a number other than zero.
    fn division(&mut self, a: Node, b: Node) {
        let (Head::Number(divisor, _), _) = self.closure.term(b) else {
            self.note_incomplete();
            return;
        };
        if divisor == Rational::ZERO {
            return;
        }
        let generation = self.closure.generation(a);
        let quotient = self.closure.add(&self.syntax, Head::Div, &[a, b], generation);
        let remainder = self.closure.add(&self.syntax, Head::Mod, &[a, b], generation);
        self.facts.push(Fact::Euclid { quotient, remainder });
        self.facts.push(Fact::NotNegative(remainder));
        self.facts.push(Fact::BelowDivisor(remainder));
    }
}
