//! The logic of graph reachability and stratified sets ([PWZ13, Fig. 1]), and its reduction to
//! formulas without sets and quantifiers ([PWZ13, App. A]).
//!
//! # Why this decides
//!
//! Every universal statement is instantiated with the ground nodes: the terms for nodes that occur in the
//! formulas, with a name for every witness, and `nil`. What is left has no quantifiers, and no instance
//! mentions a node that was not there:
//!
//! - sets: a variable of a comprehension is not below a field, so `t in {x. R}` mentions `t` and what `R`
//!   does (the paper's side condition);
//! - paths: the axioms are about nodes only, or about a field that is read (`paths`);
//! - doubly linked lists: by the two axioms in `doubly`, of a way back that is read;
//! - sorted lists: the axiom reads data, which is no node.
//!
//! So there are finitely many instances, and the solver decides them: they are Boolean combinations of
//! equalities, uninterpreted functions and linear arithmetic.
//!
//! That the instances are enough is the locality of the extension: a model of them is a model of all. Take
//! only the nodes that ground terms stand for. All statements about sets and orders hold of them. The path
//! axioms hold, so the relation is that of a graph (`paths`): a field that is read leads to the next node
//! on its path, and one that is not can do so. Then nothing that is read changes, and all fields have
//! values. The way back can be completed in the same manner (`doubly`); fields that are read nowhere, and
//! not by the order of a list, may hold anything. This is how `readback` makes a heap of it, which the
//! evaluator confirms.

use std::collections::BTreeSet;

use smt::{Sort, Term};

use crate::theory::{Field, SetVar, Theory};

/// A set of nodes of one sort.
#[derive(Clone, PartialEq, Debug)]
pub enum Set {
    /// A variable.
    Var(SetVar),
    /// No nodes.
    Empty,
    /// The nodes of the first that are not in the second.
    Minus(Box<Set>, Box<Set>),
    /// The nodes of both.
    Inter(Box<Set>, Box<Set>),
    /// The nodes of any.
    Union(Vec<Set>),
    /// The nodes for which the formula holds in place of the variable, which does not occur below a
    /// field.
    Where(Term, Term),
}

/// A formula of the logic.
#[derive(Clone, PartialEq, Debug)]
pub enum Formula {
    /// A formula without sets: equalities, paths, data.
    Atom(Term),
    /// Two sets of nodes of this sort are equal.
    Equal(Sort, Set, Set),
    /// A node is in a set.
    In(Term, Set),
    /// The formula holds of every node in place of the variable. It may read data of it. If there is a
    /// field, it is about that field, and counts only for nodes of which the field is read: the others
    /// can be given what it says.
    Every(Term, Term, Option<Field>),
    /// The formula holds of every two nodes in place of the variables. It may read data of them.
    EveryTwo(Term, Term, Term),
    /// Negation.
    Not(Box<Formula>),
    /// Conjunction.
    And(Vec<Formula>),
    /// Disjunction.
    Or(Vec<Formula>),
}

impl Set {
    /// The first without the second.
    #[must_use]
    pub fn minus(self, other: Set) -> Set {
        Set::Minus(Box::new(self), Box::new(other))
    }

    /// What is in both.
    #[must_use]
    pub fn inter(self, other: Set) -> Set {
        Set::Inter(Box::new(self), Box::new(other))
    }

    /// `{t}`
    pub fn single(theory: &mut Theory, node: Term) -> Set {
        let sort = theory.terms.sort(node);
        let (_, z) = theory.terms.bound_var("z", sort);
        let same = theory.terms.eq(z, node);
        Set::Where(z, same)
    }

    /// All nodes of a sort.
    pub fn all(theory: &mut Theory, sort: Sort) -> Set {
        let (_, z) = theory.terms.bound_var("z", sort);
        Set::Where(z, theory.terms.bool(true))
    }

    /// `Btwn(x, y)`: the nodes on the path from `x` to `y`, without `y`.
    pub fn between(theory: &mut Theory, field: Field, x: Term, y: Term) -> Set {
        let sort = theory.terms.sort(x);
        let (_, z) = theory.terms.bound_var("z", sort);
        let on_path = theory.between(field, x, z, y);
        let last = theory.terms.eq(z, y);
        let inner = theory.terms.not(last);
        Set::Where(z, theory.terms.and([on_path, inner]))
    }

    /// Is a node in it?
    pub fn contains(&self, theory: &mut Theory, node: Term) -> Term {
        match self {
            Set::Var(var) => theory.terms.app(var.0, &[node]),
            Set::Empty => theory.terms.bool(false),
            Set::Minus(a, b) => {
                let (a, b) = (a.contains(theory, node), b.contains(theory, node));
                let b = theory.terms.not(b);
                theory.terms.and([a, b])
            }
            Set::Inter(a, b) => {
                let (a, b) = (a.contains(theory, node), b.contains(theory, node));
                theory.terms.and([a, b])
            }
            Set::Union(parts) => {
                let parts: Vec<Term> = parts.iter().map(|p| p.contains(theory, node)).collect();
                theory.terms.or(parts)
            }
            Set::Where(var, body) => theory.instance(*body, *var, node),
        }
    }
}

impl Formula {
    /// The negation.
    #[must_use]
    pub fn negation(self) -> Formula {
        match self {
            Formula::Not(inner) => *inner,
            other => Formula::Not(Box::new(other)),
        }
    }

    /// The first set is part of the second.
    #[must_use]
    pub fn subset(sort: Sort, a: Set, b: Set) -> Formula {
        Formula::Equal(sort, a.minus(b), Set::Empty)
    }

    /// The sets have nothing in common.
    #[must_use]
    pub fn disjoint(sort: Sort, a: Set, b: Set) -> Formula {
        Formula::Equal(sort, a.inter(b), Set::Empty)
    }
}

/// A formula without negation of anything that has a quantifier.
enum Skeleton {
    Ground(Term),
    /// A variable, what holds of all nodes in its place, and the field that must be read of them.
    Every(Term, Term, Option<Field>),
    EveryTwo(Term, Term, Term),
    And(Vec<Skeleton>),
    Or(Vec<Skeleton>),
}

/// What is left of a formula: formulas of which all hold, and the nodes that they are about.
#[derive(Clone, Debug, Default)]
pub struct Reduced {
    /// Formulas without sets other than variables and without quantifiers. The axioms of paths are not
    /// among them.
    pub formulas: Vec<Term>,
    /// The nodes that count: a model needs no others.
    pub nodes: Vec<Term>,
    /// The readings of fields among the terms.
    pub reads: Vec<(Field, Term)>,
}

/// The paper's `reduce`: there is a model of the result just if there is one of the formulas.
pub fn reduce(theory: &mut Theory, formulas: &[Formula]) -> Reduced {
    let parts: Vec<Skeleton> =
        formulas.iter().map(|f| skeleton(theory, f, true, &mut Vec::new())).collect();
    let mut all = Vec::new();
    parts.iter().for_each(|part| part.add_terms(&mut all));
    let nodes = theory.ground_nodes(&all);
    all.extend(&nodes);
    let ground = Ground { reads: readings(theory, &all), nodes };
    let mut formulas: Vec<Term> = parts.iter().map(|p| p.instances(theory, &ground)).collect();
    // Instances may read data of further nodes, and what is sorted is read everywhere.
    all.extend(&formulas);
    for data in theory.sorted.iter().map(|sorted| sorted.data).collect::<BTreeSet<Field>>() {
        let owner = theory.owner(data);
        let nodes = ground.nodes.iter().copied();
        let nodes: Vec<Term> = nodes.filter(|n| theory.terms.sort(*n) == owner).collect();
        all.extend(nodes.into_iter().map(|node| theory.read(data, node)));
    }
    let reads = readings(theory, &all);
    formulas.extend(theory.updates(&reads));
    Reduced { formulas, nodes: ground.nodes, reads }
}

/// What variables stand for.
struct Ground {
    nodes: Vec<Term>,
    reads: Vec<(Field, Term)>,
}

impl Ground {
    /// The nodes of the sort of a variable of which the field is read, if there is one.
    fn of_sort(&self, theory: &Theory, var: Term, read: Option<Field>) -> Vec<Term> {
        let sort = theory.terms.sort(var);
        let counts = |node: Term| read.is_none_or(|field| self.reads.contains(&(field, node)));
        let nodes = self.nodes.iter().copied();
        nodes.filter(|node| theory.terms.sort(*node) == sort && counts(*node)).collect()
    }
}

fn readings(theory: &Theory, terms: &[Term]) -> Vec<(Field, Term)> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    let mut pending = terms.to_vec();
    while let Some(term) = pending.pop() {
        if !seen.insert(term) {
            continue;
        }
        if theory.terms.free(term).is_empty() {
            found.extend(theory.as_read(term));
        }
        pending.extend(theory.terms.children(term));
    }
    found.sort_unstable();
    found
}

/// Negations go to the atoms. A node for which not all is well is called by a name; parts of a
/// disjunction share it, since one of them is enough.
fn skeleton(
    theory: &mut Theory,
    formula: &Formula,
    positive: bool,
    witnesses: &mut Vec<(Sort, Term)>,
) -> Skeleton {
    match formula {
        Formula::Atom(atom) => Skeleton::Ground(signed(theory, *atom, positive)),
        Formula::In(node, set) => {
            let atom = set.contains(theory, *node);
            Skeleton::Ground(signed(theory, atom, positive))
        }
        Formula::Equal(sort, a, b) => {
            let (_, z) = theory.terms.bound_var("z", *sort);
            let (a, b) = (a.contains(theory, z), b.contains(theory, z));
            let body = theory.terms.eq(a, b);
            every(theory, (z, body, None), positive, witnesses)
        }
        Formula::Every(var, body, read) => every(theory, (*var, *body, *read), positive, witnesses),
        Formula::EveryTwo(a, b, body) if positive => Skeleton::EveryTwo(*a, *b, *body),
        Formula::EveryTwo(a, b, body) => {
            let mut at = *body;
            for var in [*a, *b] {
                let sort = theory.terms.sort(var);
                let witness = theory.terms.fresh("witness", sort);
                at = theory.instance(at, var, witness);
            }
            Skeleton::Ground(theory.terms.not(at))
        }
        Formula::Not(inner) => skeleton(theory, inner, !positive, witnesses),
        Formula::And(parts) | Formula::Or(parts) => {
            let all = matches!(formula, Formula::And(_)) == positive;
            let mut out = Vec::with_capacity(parts.len());
            for part in parts {
                if all {
                    witnesses.clear();
                }
                out.push(skeleton(theory, part, positive, witnesses));
            }
            if all {
                witnesses.clear();
                Skeleton::And(out)
            } else {
                Skeleton::Or(out)
            }
        }
    }
}

fn every(
    theory: &mut Theory,
    (var, body, read): (Term, Term, Option<Field>),
    positive: bool,
    witnesses: &mut Vec<(Sort, Term)>,
) -> Skeleton {
    if positive {
        return Skeleton::Every(var, body, read);
    }
    let sort = theory.terms.sort(var);
    let known = witnesses.iter().find(|(s, _)| *s == sort).map(|(_, w)| *w);
    let witness = known.unwrap_or_else(|| {
        let fresh = theory.terms.fresh("witness", sort);
        witnesses.push((sort, fresh));
        fresh
    });
    let at = theory.instance(body, var, witness);
    Skeleton::Ground(theory.terms.not(at))
}

fn signed(theory: &mut Theory, atom: Term, positive: bool) -> Term {
    if positive { atom } else { theory.terms.not(atom) }
}

impl Skeleton {
    fn add_terms(&self, out: &mut Vec<Term>) {
        match self {
            Skeleton::Ground(term)
            | Skeleton::Every(_, term, _)
            | Skeleton::EveryTwo(_, _, term) => out.push(*term),
            Skeleton::And(parts) | Skeleton::Or(parts) => {
                parts.iter().for_each(|part| part.add_terms(out));
            }
        }
    }

    /// With the nodes in place of variables.
    fn instances(&self, theory: &mut Theory, ground: &Ground) -> Term {
        match self {
            Skeleton::Ground(term) => *term,
            Skeleton::Every(var, body, read) => {
                let nodes = ground.of_sort(theory, *var, *read);
                let all: Vec<Term> =
                    nodes.iter().map(|node| theory.instance(*body, *var, *node)).collect();
                theory.terms.and(all)
            }
            Skeleton::EveryTwo(a, b, body) => {
                let mut all = Vec::new();
                for first in ground.of_sort(theory, *a, None) {
                    let half = theory.instance(*body, *a, first);
                    for second in ground.of_sort(theory, *b, None) {
                        all.push(theory.instance(half, *b, second));
                    }
                }
                theory.terms.and(all)
            }
            Skeleton::And(parts) => {
                let parts: Vec<Term> = parts.iter().map(|p| p.instances(theory, ground)).collect();
                theory.terms.and(parts)
            }
            Skeleton::Or(parts) => {
                let parts: Vec<Term> = parts.iter().map(|p| p.instances(theory, ground)).collect();
                theory.terms.or(parts)
            }
        }
    }
}
