//! Contracts that hold of nothing. From a precondition, or axioms, that contradict each other everything follows, so a
//! proof says nothing: that is worth a warning. Whoever proves `false` by such a contract means it.

use std::collections::{BTreeMap, HashMap};

use report::{Diagnostic, Span};
use smt::{Node, Quantifier, Term};
use spl::core::{Clause, ExprKind, Procedure, Program};

use crate::unit::{Item, Path, Unit};

/// Numbers of the questions; questions about the ends of recursions count from zero.
const AXIOMS: usize = usize::MAX;
const REQUIRED: usize = usize::MAX - 1;

const AXIOMS_ID: &str = "axioms.contradictory";

impl Unit<'_> {
    /// Asks whether axioms contradict each other, for any values of their variables: what only quantifiers are about
    /// would not be looked at.
    pub fn ask_axioms(&mut self, path: &Path, axioms: &[Term]) {
        let mut instances = Vec::new();
        for axiom in axioms {
            if let Node::Quant(quant) = self.translator.logic.terms.node(*axiom).clone()
                && quant.quantifier == Quantifier::Forall
            {
                let mut values = HashMap::new();
                for var in &quant.vars {
                    let logic = &mut self.translator.logic;
                    let ty = logic.ty(logic.terms.bound(*var).1);
                    values.insert(logic.terms.bound_term(*var), logic.fresh("any", &ty));
                }
                instances.push(self.translator.logic.terms.substitute(quant.body, &values));
            }
        }
        let terms = &mut self.translator.logic.terms;
        let all = terms.and(instances);
        let impossible = terms.not(all);
        if let Some(step) = self.steps.get_mut(path.node) {
            step.items.push(Item::Probe(AXIOMS, impossible));
        }
    }

    /// Asks whether the precondition, which is assumed by now, holds of anything.
    pub fn ask_required(&mut self, path: &Path) {
        let never = self.translator.logic.terms.bool(false);
        if let Some(step) = self.steps.get_mut(path.node) {
            step.items.push(Item::Probe(REQUIRED, never));
        }
    }
}

/// What to say of a procedure.
pub(crate) fn warnings(
    program: &Program,
    procedure: &Procedure,
    probes: &BTreeMap<usize, bool>,
) -> Option<Diagnostic> {
    let contradict = |number: usize| probes.get(&number) == Some(&true);
    if contradict(AXIOMS) {
        let axiom = program.axioms.last()?;
        let message = "the axioms contradict each other: everything follows from them";
        return Some(Diagnostic::warning(AXIOMS_ID, axiom.expr.span, message));
    }
    let meant = |clause: &Clause| matches!(*clause.expr.kind, ExprKind::Bool(false));
    if contradict(REQUIRED) && !procedure.ensures.iter().any(meant) {
        let (first, last) = (procedure.requires.first()?, procedure.requires.last()?);
        let span = match first.span.file == last.span.file {
            true => Span { end: last.span.end, ..first.span },
            false => first.span,
        };
        let message = format!(
            "nothing satisfies the precondition of `{}`: it cannot be called",
            procedure.name
        );
        return Some(Diagnostic::warning("precondition.contradictory", span, message));
    }
    None
}

/// All members have the same axioms.
pub(crate) fn say_once<'a>(members: impl Iterator<Item = &'a mut Vec<Diagnostic>>) {
    let mut said = false;
    for diagnostics in members {
        diagnostics.retain(|d| d.id != AXIOMS_ID || !std::mem::replace(&mut said, true));
    }
}
