//! Proofs as text: a line for every sequent and the rule that it follows by; premises are below, those
//! of a rule with several further to the right.

use std::fmt::Write as _;

use sl::core::Names;
use sl::proof::{Derivation, Rule, Tree};

/// A line of a proof.
pub(crate) struct Line {
    pub(crate) depth: usize,
    /// The name of the companion that it is.
    pub(crate) companion: Option<u32>,
    pub(crate) sequent: String,
    pub(crate) rule: String,
    /// The companion that it refers to.
    pub(crate) refers: Option<u32>,
}

/// The lines of a tree, from the root up.
pub(crate) fn lines(derivation: &Derivation, tree: &Tree) -> Vec<Line> {
    let names =
        Names { system: &derivation.system, vars: &derivation.names, sorts: &derivation.sorts };
    let mut used = Vec::new();
    companions(tree, &mut used);
    let mut all = Vec::new();
    add(&names, tree, 0, &used, &mut all);
    all
}

fn companions(tree: &Tree, used: &mut Vec<u32>) {
    if let Rule::Hypothesis { companion, .. } = tree.rule {
        used.push(companion);
    }
    tree.premises.iter().for_each(|premise| companions(premise, used));
}

fn add(names: &Names<'_>, tree: &Tree, depth: usize, used: &[u32], all: &mut Vec<Line>) {
    let refers = match tree.rule {
        Rule::Hypothesis { companion, .. } => Some(companion),
        _ => None,
    };
    let mut rule = tree.rule.name().to_owned();
    match &tree.rule {
        Rule::Hypothesis { companion, .. } => {
            let _ = write!(rule, " {companion}");
        }
        Rule::Lemma { lemma, .. }
        | Rule::LemmaRight { lemma, .. }
        | Rule::ByLemma { lemma, .. } => {
            let _ = write!(rule, " {}", lemma + 1);
        }
        Rule::SplitEqual(a, b) => {
            let _ = write!(rule, " on {} = {}", names.var(*a), names.var(*b));
        }
        _ => {}
    }
    all.push(Line {
        depth,
        companion: tree.label.filter(|label| used.contains(label)),
        sequent: names.sequent(&tree.sequent),
        rule,
        refers,
    });
    let deeper = depth + usize::from(tree.premises.len() > 1);
    tree.premises.iter().for_each(|premise| add(names, premise, deeper, used, all));
}

/// The proof of an entailment.
#[must_use]
pub fn print(derivations: &[Derivation]) -> String {
    let mut text = String::new();
    for derivation in derivations {
        for (number, lemma) in derivation.lemmas.iter().enumerate() {
            if uses(&derivation.tree, derivation, number) {
                let _ = writeln!(text, "lemma {}:", number + 1);
                write_tree(derivation, lemma, 1, &mut text);
            }
        }
        write_tree(derivation, &derivation.tree, 0, &mut text);
    }
    text
}

/// Does a proof rely on a lemma, directly or not?
pub(crate) fn uses(tree: &Tree, derivation: &Derivation, number: usize) -> bool {
    let direct = match tree.rule {
        Rule::Lemma { lemma, .. }
        | Rule::LemmaRight { lemma, .. }
        | Rule::ByLemma { lemma, .. } => {
            // Lemmas rely on earlier ones only.
            lemma == number
                || lemma > number
                    && derivation.lemmas.get(lemma).is_some_and(|l| uses(l, derivation, number))
        }
        _ => false,
    };
    direct || tree.premises.iter().any(|premise| uses(premise, derivation, number))
}

fn write_tree(derivation: &Derivation, tree: &Tree, indent: usize, text: &mut String) {
    for line in lines(derivation, tree) {
        let margin = "  ".repeat(indent + line.depth);
        let label = line.companion.map(|label| format!("({label}) ")).unwrap_or_default();
        let _ = writeln!(text, "{margin}{label}{}    [{}]", line.sequent, line.rule);
    }
}
