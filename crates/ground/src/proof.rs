//! Proofs as values: merges and instances, in an order in which each follows from those before it.

use crate::closure::{Closure, Node, Rule, Step};
use crate::hash::FastMap;
use crate::syntax::Head;

/// A term of a proof, by number.
pub(crate) type TermId = u32;

/// A merge, about terms of the proof.
#[derive(Clone, Debug)]
pub(crate) struct ProofStep {
    pub left: TermId,
    pub right: TermId,
    pub rule: Rule<TermId>,
}

/// How a refutation ends.
#[derive(Clone, Debug)]
pub(crate) enum End {
    /// Something is impossible.
    Conflict(ProofStep),
    /// A formula is true or false; neither is possible.
    Cases { on: TermId, when_true: Box<Refutation>, when_false: Box<Refutation> },
}

/// Steps that lead to a contradiction.
#[derive(Clone, Debug)]
pub(crate) struct Refutation {
    pub steps: Vec<ProofStep>,
    pub end: End,
}

impl Refutation {
    fn count(&self, counts: &mut (usize, usize)) {
        counts.0 += self.steps.len();
        let instance = |step: &&ProofStep| matches!(step.rule, Rule::Instance(..));
        counts.1 += self.steps.iter().filter(instance).count();
        if let End::Cases { when_true, when_false, .. } = &self.end {
            when_true.count(counts);
            when_false.count(counts);
        }
    }
}

/// Why assertions contradict each other. It can be [checked](Proof::check) against a prover in which they are
/// asserted, by code that shares nothing with the search.
#[derive(Clone, Debug)]
pub struct Proof {
    /// Head and arguments, which come first. The first two are `true` and `false`.
    pub(crate) terms: Vec<(Head, Box<[TermId]>)>,
    pub(crate) root: Refutation,
}

impl Proof {
    /// How many merges it takes, in all cases.
    #[must_use]
    pub fn len(&self) -> usize {
        let mut counts = (0, 0);
        self.root.count(&mut counts);
        counts.0
    }

    /// Never: something has to be contradictory.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many instances of quantified formulas it takes.
    #[must_use]
    pub fn instances(&self) -> usize {
        let mut counts = (0, 0);
        self.root.count(&mut counts);
        counts.1
    }
}

/// Copies steps into a proof, whose terms outlive those of the search.
pub(crate) struct Builder {
    pub terms: Vec<(Head, Box<[TermId]>)>,
    known: FastMap<Box<[u32]>, Vec<TermId>>,
    /// The terms of nodes, as long as these are there.
    copied: FastMap<Node, TermId>,
}

impl Builder {
    pub fn new() -> Builder {
        let terms = vec![(Head::True, Box::default()), (Head::False, Box::default())];
        Builder { terms, known: FastMap::default(), copied: FastMap::default() }
    }

    pub fn term(&mut self, closure: &Closure, node: Node) -> TermId {
        if let Some(copy) = self.copied.get(&node) {
            return *copy;
        }
        let (head, args) = closure.term(node);
        match head {
            Head::True => return 0,
            Head::False => return 1,
            _ => {}
        }
        let args: Box<[TermId]> = args.iter().map(|arg| self.term(closure, *arg)).collect();
        let same = self.known.entry(args.clone()).or_default();
        let known = same.iter().copied().find(|id| self.terms[*id as usize].0 == head);
        let id = known.unwrap_or_else(|| {
            let id = self.terms.len() as TermId;
            same.push(id);
            self.terms.push((head, args));
            id
        });
        self.copied.insert(node, id);
        id
    }

    /// Nodes are gone; others will have their numbers.
    pub fn forget_nodes(&mut self) {
        self.copied.clear();
    }

    pub fn step(&mut self, closure: &Closure, step: &Step) -> ProofStep {
        let left = self.term(closure, step.left);
        let right = self.term(closure, step.right);
        let mut term = |node: Node| self.term(closure, node);
        let rule = match &step.rule {
            Rule::Assumed => Rule::Assumed,
            Rule::Case => Rule::Case,
            Rule::Congruence => Rule::Congruence,
            Rule::Logic(node) => Rule::Logic(term(*node)),
            Rule::Data(node, value) => Rule::Data(term(*node), term(*value)),
            Rule::Injective(x, y, position) => Rule::Injective(term(*x), term(*y), *position),
            Rule::Different(x, y) => Rule::Different(term(*x), term(*y)),
            Rule::Farkas(sums) => Rule::Farkas(
                sums.iter()
                    .map(|sum| sum.iter().map(|(fact, by)| (fact.map(&mut term), *by)).collect())
                    .collect(),
            ),
            Rule::Instance(quant, values) => {
                Rule::Instance(term(*quant), values.iter().map(|value| term(*value)).collect())
            }
            Rule::Witness(quant) => Rule::Witness(term(*quant)),
        };
        ProofStep { left, right, rule }
    }
}
