//! Proofs of entailments: trees of sequents, by the rules of cyclic proofs with inductive definitions.
//!
//! A [`Derivation`] is all that a checker needs: the definitions, [`Facts`] about them that proofs rely
//! on, lemmas, and a tree. Nothing here says that a proof is right;
//! that is for a checker that shares nothing with the search.

use std::sync::Arc;

use arith::{Constraint, Sum};

use crate::core::{Sequent, SortId, System, Var};

/// A proof that one symbolic heap entails others.
#[derive(Clone, Debug)]
pub struct Derivation {
    /// The definitions: first those that were given, then abbreviations that the proof introduces.
    pub system: Arc<System>,
    /// How many definitions were given.
    pub given: usize,
    /// What is said of all instances of a predicate.
    pub facts: Arc<Facts>,
    /// The names of the stack variables, which come after the `nil`s.
    pub names: Vec<crate::sort::Name>,
    /// The sorts of all variables.
    pub sorts: Vec<SortId>,
    /// Lemmas; each relies on earlier ones only.
    pub lemmas: Vec<Tree>,
    /// The proof itself.
    pub tree: Tree,
}

/// Proofs of the same are the same.
impl PartialEq for Derivation {
    fn eq(&self, other: &Derivation) -> bool {
        (&self.tree, &self.lemmas) == (&other.tree, &other.lemmas)
    }
}

/// A sequent, the rule that it is the conclusion of, and proofs of the premises.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tree {
    /// What is proved.
    pub sequent: Sequent,
    /// Set if hypotheses above refer to this sequent: it is their companion.
    pub label: Option<u32>,
    /// Why it follows from the premises.
    pub rule: Rule,
    /// The proofs of the premises.
    pub premises: Vec<Tree>,
}

/// The rules.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Rule {
    /// The left side has no model.
    Contradiction,
    /// No atoms are left on the right (and none on the left unless the right side is open), and what
    /// the right side says of variables follows.
    Axiom,
    /// The conclusion is an instance of the premise, or says less: equal things for each other,
    /// witnesses for existential variables, pure atoms that follow, or that are not needed.
    Consequence(Consequence),
    /// A new name for an integer: the equation determines it.
    Define {
        /// The new variable.
        var: Var,
        /// Its equation.
        equation: Constraint,
    },
    /// Both sides have a cell at the same location.
    MatchCell {
        /// Its place on the left.
        left: usize,
        /// Its place on the right.
        right: usize,
    },
    /// Both sides have an instance of the same predicate.
    MatchCall {
        /// Its place on the left.
        left: usize,
        /// Its place on the right.
        right: usize,
    },
    /// A segment on the left is the beginning of one on the right: `ls(x, y) * L |- ls(x, z) * R` from
    /// `L |- ls(y, z) * R`, where `z` cannot be inside of the first.
    Append {
        /// The place of the first.
        left: usize,
        /// The place of the second.
        right: usize,
    },
    /// An instance on the left is one of its cases; there is a premise for each.
    UnfoldLeft {
        /// Its place.
        call: usize,
        /// The new variables of each case.
        vars: Vec<Vec<Var>>,
    },
    /// An instance on the right is this case of it.
    UnfoldRight {
        /// Its place.
        call: usize,
        /// The case.
        case: usize,
        /// Its new variables, existential from now on.
        vars: Vec<Var>,
    },
    /// Two locations are equal, or they are not.
    SplitEqual(Var, Var),
    /// One of these constraints holds; a premise for each.
    SplitLinear(Vec<Constraint>),
    /// A companion below is used for a part of the left side that is strictly smaller than its heap.
    Hypothesis {
        /// The label of the companion.
        companion: u32,
        /// How it is used.
        using: Use,
    },
    /// A lemma is used for a part of the left side.
    Lemma {
        /// Its number.
        lemma: usize,
        /// How it is used.
        using: Use,
    },
    /// An instance on the right follows from another one, by a lemma.
    LemmaRight {
        /// Its number.
        lemma: usize,
        /// The place of the instance.
        call: usize,
    },
    /// The sequent is a consequence of a lemma.
    ByLemma {
        /// Its number.
        lemma: usize,
        /// Which variables stand for those of the lemma.
        rename: Vec<(Var, Var)>,
    },
}

/// How a conclusion follows from a single premise that says as much of the heap.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Consequence {
    /// What it is called.
    pub name: Name,
    /// Variables of the premise, and what they stand for in the conclusion.
    pub instance: Vec<(Var, Var)>,
    /// Existential variables of the conclusion, and their witnesses.
    pub witness: Vec<(Var, Var)>,
}

/// Names of consequences; they are all checked in the same way.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Name {
    /// Equations are used, pure atoms are dropped.
    #[default]
    Simplify,
    /// An existential variable has a value.
    Witness,
    /// The premise is about less of what is known.
    Weaken,
    /// The conclusion is an instance of the premise.
    Generalise,
}

/// A use of a sequent for a part of a left side: that part is replaced by its right side.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Use {
    /// Its variables, and what they are here. Its existential variables are new ones here.
    pub vars: Vec<(Var, Var)>,
    /// The places of the cells that it is used for.
    pub cells: Vec<usize>,
    /// The places of the instances.
    pub calls: Vec<usize>,
}

/// What is said of all instances of each predicate. Variables are numbered as in its cases: the `nil`s,
/// then the parameters.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Facts {
    /// Every instance satisfies one of these; `None` if they are not known.
    pub bases: Option<Vec<Vec<Base>>>,
    /// What holds of its integers.
    pub invariants: Vec<Vec<Constraint>>,
    /// The number of its cells.
    pub counts: Vec<Option<Sum>>,
}

/// What an instance may say of its arguments.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Base {
    /// Equal ones.
    pub equal: Vec<(Var, Var)>,
    /// Different ones.
    pub different: Vec<(Var, Var)>,
    /// Those that are allocated by it, different from each other.
    pub allocated: Vec<Var>,
}

impl Rule {
    /// What it is called.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Rule::Contradiction => "contradiction",
            Rule::Axiom => "axiom",
            Rule::Consequence(consequence) => match consequence.name {
                Name::Simplify => "substitution",
                Name::Witness => "witness",
                Name::Weaken => "weakening",
                Name::Generalise => "generalisation",
            },
            Rule::Define { .. } => "definition",
            Rule::MatchCell { .. } => "match cell",
            Rule::MatchCall { .. } => "match instance",
            Rule::Append { .. } => "append",
            Rule::UnfoldLeft { .. } => "unfold left",
            Rule::UnfoldRight { .. } => "unfold right",
            Rule::SplitEqual(..) | Rule::SplitLinear(_) => "case split",
            Rule::Hypothesis { .. } => "hypothesis",
            Rule::Lemma { .. } | Rule::LemmaRight { .. } | Rule::ByLemma { .. } => "lemma",
        }
    }
}

impl Tree {
    /// A proof by a rule.
    #[must_use]
    pub fn new(sequent: Sequent, rule: Rule, premises: Vec<Tree>) -> Tree {
        Tree { sequent, label: None, rule, premises }
    }

    /// How many sequents it has.
    #[must_use]
    pub fn size(&self) -> usize {
        1 + self.premises.iter().map(Tree::size).sum::<usize>()
    }
}
