//! The list fragment: conjunctions of `=`, `!=`, points-to and acyclic list segments over locations
//! with one field. Decided here, without a solver.
//!
//! A formula is a graph: a vertex for every variable and one for `nil`, a solid edge for a location
//! that points to another, a dashed edge for a segment. Everything rests on one fact: of all edges
//! that leave a vertex at most one is not empty, since they would share the location that it stands
//! for. Cook, Haase, Ouaknine, Parkinson and Worrell ("Tractable reasoning in a fragment of
//! separation logic", 2011) showed that this is enough to decide the fragment in polynomial time.
//!
//! - [`saturate`] draws the conclusions that need no choice.
//! - [`search`] makes the choices that are left, looking one ahead, so that a choice that is made is
//!   rarely taken back. It finds a model, or that there is none.
//! - [`entail`] maps the edges of the right side to paths of the left side, asking [`search`] whether
//!   something could go wrong. Where that leads to no proof and no counterexample (of six thousand
//!   random entailments, in nine) it splits cases, so that the answer never depends on how good the
//!   first attempt was.

mod entail;
mod graph;
mod saturate;
mod search;

use std::collections::BTreeMap;

use crate::eval::{Evaluator, Truth};
use crate::formula::{Formula, Semantics};
use crate::model::Model;
use crate::shape::{self, End, Shape};
use crate::signature::Signature;
use crate::sort::{Name, Sort};
use crate::symbolic::SymbolicHeap;

use graph::{Builder, Graph};

/// The answer to "is there a model?".
#[derive(Clone, PartialEq, Debug)]
pub enum Satisfiability {
    /// This one.
    Sat(Model),
    /// There is none.
    Unsat,
}

/// The answer to "is every model of this one of that?".
#[derive(Clone, PartialEq, Debug)]
pub enum Entailment {
    /// Yes.
    Valid,
    /// This is a model of the first and not of the second.
    Invalid(Model),
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OutOfFragment(pub String);

/// What of a signature belongs to the fragment. Made once, for any number of questions.
#[derive(Clone, Debug)]
pub struct ListLogic<'a> {
    signature: &'a Signature,
    semantics: Semantics,
    /// The sort of locations with one field that is a location of the same sort.
    loc: Sort,
    /// Predicates that are acyclic segments, with the parameters for beginning and end.
    segments: BTreeMap<Name, (usize, usize)>,
}

impl<'a> ListLogic<'a> {
    /// Looks for locations and predicates of the fragment.
    ///
    /// # Errors
    /// If there is no sort of locations with just one field of that sort.
    pub fn new(
        signature: &'a Signature,
        semantics: Semantics,
    ) -> Result<ListLogic<'a>, OutOfFragment> {
        let links = |loc: &Sort| matches!(signature.fields(loc).as_slice(), [(_, s)] if s == loc);
        let Some(cell) = signature.heap.iter().find(|cell| links(&cell.loc)) else {
            return out("no location has just one field that is a location");
        };
        let mut segments = BTreeMap::new();
        for definition in signature.predicates.values() {
            if let Some(Shape::List(list)) = shape::classify(definition, signature, semantics)
                && list.is_plain_segment()
                && let End::Param(end) = list.end
                && definition.params.len() == 2
                && definition.params.iter().all(|p| p.sort == cell.loc)
            {
                segments.insert(definition.name.clone(), (list.root, end));
            }
        }
        Ok(ListLogic { signature, semantics, loc: cell.loc.clone(), segments })
    }

    /// Is there a model? If so, the evaluator agrees that it is one.
    ///
    /// # Errors
    /// If the formula does not belong to the fragment.
    pub fn satisfiable(&self, formula: &Formula) -> Result<Satisfiability, OutOfFragment> {
        let Some(heap) = self.symbolic_heap(formula)? else {
            return Ok(Satisfiability::Unsat);
        };
        let mut builder = Builder::new(self);
        builder.add_variables(formula)?;
        let graph = builder.graph(&heap)?;
        let Some(found) = search::solve(&graph) else { return Ok(Satisfiability::Unsat) };
        let model = builder.model(&graph, &found, 1);
        match self.evaluator().holds(&model, formula) {
            Truth::True => Ok(Satisfiability::Sat(model)),
            _ => out("the model that was found could not be confirmed"),
        }
    }

    /// Is every model of the first formula one of the second? If not, the evaluator agrees that the
    /// model is a counterexample.
    ///
    /// # Errors
    /// If the formulas do not belong to the fragment.
    pub fn entails(&self, left: &Formula, right: &Formula) -> Result<Entailment, OutOfFragment> {
        let names = right.free_vars().into_iter().map(|v| v.name).collect();
        let Some(left_heap) = self.symbolic_heap(left)? else { return Ok(Entailment::Valid) };
        let Some(right_heap) = self.symbolic_heap(right)? else {
            return self.satisfiable(left).map(|answer| match answer {
                Satisfiability::Sat(model) => Entailment::Invalid(model),
                Satisfiability::Unsat => Entailment::Valid,
            });
        };
        let mut left_heap = left_heap.renamed_apart(&names);
        let right_heap = right_heap.without_aliases();
        if !right_heap.vars.is_empty() {
            return out("there is an existential variable on the right");
        }
        // What is left over on the left can be left over on the right as well.
        left_heap.open &= !right_heap.open;
        let mut builder = Builder::new(self);
        builder.add_variables(left)?;
        builder.add_variables(right)?;
        let left_graph = builder.graph(&left_heap)?;
        let right_graph = builder.graph(&right_heap)?;
        let size = builder.size();
        let question = entail::Question {
            left: Graph { size, ..left_graph },
            right: Graph { size, ..right_graph },
            refutes: &|graph, found| {
                let evaluator = self.evaluator();
                // Short segments make a better picture; long ones are no single location.
                (1..=2).map(|length| builder.model(graph, found, length)).find(|model| {
                    evaluator.holds(model, right) == Truth::False
                        && evaluator.holds(model, left) == Truth::True
                })
            },
        };
        match question.answer() {
            Some(answer) => Ok(answer),
            None => out("the cases of the entailment could not be told apart"),
        }
    }

    /// The symbolic heap that a formula is; `None` if it is `false`.
    fn symbolic_heap(&self, formula: &Formula) -> Result<Option<SymbolicHeap>, OutOfFragment> {
        match SymbolicHeap::disjuncts(formula, self.semantics) {
            Some(mut all) if all.len() < 2 => Ok(all.pop()),
            Some(_) => out("there is a disjunction"),
            None => out("this is no symbolic heap"),
        }
    }

    fn evaluator(&self) -> Evaluator<'a> {
        Evaluator::new(self.signature, self.semantics)
    }
}

fn out<T>(reason: impl Into<String>) -> Result<T, OutOfFragment> {
    Err(OutOfFragment(reason.into()))
}
