//! Steps on the way to where a proof goes on: a part of it that has one premise at each sequent.

use sl::proof::{Consequence, Name, Rule, Tree};

use crate::sequent::Sequent;
use crate::system::Var;

/// Conclusions and rules, the conclusion of the next one being the premise of the one before.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trace(Vec<(Sequent, Rule)>);

impl Trace {
    pub(crate) fn push(&mut self, conclusion: Sequent, rule: Rule) {
        self.0.push((conclusion, rule));
    }

    pub(crate) fn extend(&mut self, more: &Trace) {
        self.0.extend(more.0.iter().cloned());
    }

    /// The proof of the first conclusion, by one of the last premise.
    pub(crate) fn close(self, tree: Tree) -> Tree {
        self.0.into_iter().rev().fold(tree, |tree, (sequent, rule)| {
            let is_idle = matches!(rule, Rule::Consequence(_)) && tree.sequent == sequent;
            if is_idle { tree } else { Tree::new(sequent, rule, vec![tree]) }
        })
    }
}

/// Equations are used, what follows is dropped, and these variables have these values.
pub(crate) fn simplify(witness: Vec<(Var, Var)>) -> Rule {
    Rule::Consequence(Consequence { name: Name::Simplify, instance: Vec::new(), witness })
}

/// An existential variable has this value.
pub(crate) fn witness(var: Var, by: Var) -> Rule {
    let witness = vec![(var, by)];
    Rule::Consequence(Consequence { name: Name::Witness, instance: Vec::new(), witness })
}

pub(crate) fn weaken() -> Rule {
    Rule::Consequence(Consequence { name: Name::Weaken, ..Consequence::default() })
}

/// The premise is about these variables instead of those.
pub(crate) fn generalise(instance: Vec<(Var, Var)>) -> Rule {
    Rule::Consequence(Consequence { name: Name::Generalise, instance, witness: Vec::new() })
}
