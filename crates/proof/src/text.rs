//! Proofs as text: what is known of predicates, a line for every sequent and the rule that it follows by; premises are below, those
//! of a rule with several further to the right.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use arith::Constraint;
use sl::Name;
use sl::core::{Heap, Names, PredId, Sequent};
use sl::proof::{Derivation, Rule, Tree};

use crate::facts::Knowledge;
use crate::linear;

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
    Writer { derivation, names, used: &used }.add(tree, 0, &mut all);
    all
}

/// What lines are made with.
struct Writer<'a> {
    derivation: &'a Derivation,
    names: Names<'a>,
    /// Companions that hypotheses refer to.
    used: &'a [u32],
}

fn companions(tree: &Tree, used: &mut Vec<u32>) {
    if let Rule::Hypothesis { companion, .. } = tree.rule {
        used.push(companion);
    }
    tree.premises.iter().for_each(|premise| companions(premise, used));
}

impl Writer<'_> {
    fn add(&self, tree: &Tree, depth: usize, all: &mut Vec<Line>) {
        let names = &self.names;
        let refers = match tree.rule {
            Rule::Hypothesis { companion, .. } => Some(companion),
            _ => None,
        };
        let mut rule = tree.rule.name().to_owned();
        let more = match &tree.rule {
            Rule::Hypothesis { companion, .. } => format!(" {companion}"),
            Rule::Lemma { lemma, .. }
            | Rule::LemmaRight { lemma, .. }
            | Rule::ByLemma { lemma, .. } => format!(" {}", lemma + 1),
            Rule::SplitEqual(a, b) => format!(" on {} = {}", names.var(*a), names.var(*b)),
            Rule::SplitLinear(cases) => {
                let cases: Vec<String> = cases.iter().map(|case| names.constraint(case)).collect();
                format!(" on {}", cases.join(", "))
            }
            Rule::Contradiction => self.contradiction(&tree.sequent.left).unwrap_or_default(),
            _ => String::new(),
        };
        rule.push_str(&more);
        all.push(Line {
            depth,
            companion: tree.label.filter(|label| self.used.contains(label)),
            sequent: names.sequent(&tree.sequent),
            rule,
            refers,
        });
        let deeper = depth + usize::from(tree.premises.len() > 1);
        tree.premises.iter().for_each(|premise| self.add(premise, deeper, all));
    }

    /// The constraints that contradict each other, if that is what is wrong with a left side.
    fn contradiction(&self, left: &Heap) -> Option<String> {
        let Derivation { system, sorts, facts, .. } = self.derivation;
        let known = Knowledge::unchecked(system, sorts, facts).linear(left);
        let certificate = arith::refute(&known)?;
        let used: Vec<String> = linear::used(&known, &certificate)
            .into_iter()
            .map(|constraint| self.names.constraint(constraint))
            .collect();
        Some(format!(" of {}", used.join(" and ")))
    }
}

/// What proofs know of the integers of all instances: a line for each predicate that is mentioned.
fn write_facts(derivation: &Derivation, text: &mut String) {
    let mut mentioned = BTreeSet::new();
    for tree in derivation.lemmas.iter().chain([&derivation.tree]) {
        mention(tree, &mut mentioned);
    }
    for pred in mentioned {
        let Some(predicate) = derivation.system.predicates.get(pred) else { continue };
        if predicate.cases.is_empty() {
            continue;
        }
        let params: Vec<Name> = if predicate.written.is_empty() {
            (1..=predicate.params.len()).map(|number| format!("v{number}").into()).collect()
        } else {
            predicate.written.iter().map(|param| param.name.clone()).collect()
        };
        let names = Names { system: &derivation.system, vars: &params, sorts: &[] };
        let mut said: Vec<Constraint> =
            derivation.facts.invariants.get(pred).cloned().unwrap_or_default();
        // What follows from others is not repeated.
        for place in (0..said.len()).rev() {
            let fact = said.remove(place);
            if !arith::implies(&said, &fact) {
                said.insert(place, fact);
            }
        }
        let mut facts: Vec<String> =
            said.iter().map(|constraint| names.constraint(constraint)).collect();
        let count = derivation.facts.counts.get(pred).and_then(Option::as_ref);
        facts.extend(count.map(|count| format!("{} cells", names.sum(count))));
        if !facts.is_empty() {
            let params: Vec<&str> = params.iter().map(Name::as_str).collect();
            let (name, params) = (&predicate.name, params.join(", "));
            let _ = writeln!(text, "known of {name}({params}): {}", facts.join(", "));
        }
    }
}

fn mention(tree: &Tree, preds: &mut BTreeSet<PredId>) {
    let Sequent { left, right, .. } = &tree.sequent;
    preds.extend(left.calls.iter().chain(&right.calls).map(|call| call.pred));
    tree.premises.iter().for_each(|premise| mention(premise, preds));
}

/// The proof of an entailment.
#[must_use]
pub fn print(derivations: &[Derivation]) -> String {
    let mut text = String::new();
    for derivation in derivations {
        write_facts(derivation, &mut text);
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
