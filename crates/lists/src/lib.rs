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

//!
//! ```
//! use report::FileId;
//! use sl::procedure::entails;
//! use sl::Semantics;
//! use lists::Lists;
//!
//! let texts = [(FileId(0), "x != z * x |-> y * ls(y, z)"), (FileId(1), "ls(x, z)")];
//! let document = sl::text::parse(&texts).unwrap();
//! let [left, right] = document.formulas.as_slice() else { unreachable!() };
//! let ask = |a, b| entails(&mut Lists, &document.signature, Semantics::Precise, a, b);
//! assert_eq!(ask(left, right).as_str(), "valid");
//! assert_eq!(ask(right, left).as_str(), "invalid");
//! ```

mod entail;
mod graph;
mod proof;
mod saturate;
mod search;

use std::collections::BTreeMap;

use sl::procedure::{Later, Unknown};
use sl::shape::{self, End, Shape};
use sl::{
    Answer, Budget, Defs, Entailment, Evaluator, Formula, Limit, Model, Name, Procedure, Proof,
    Reason, Satisfiability, Sort, SymbolicHeap, Truth,
};

use graph::{Builder, Graph};

/// The procedure. It has no state; what it knows of definitions is kept with them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lists;

/// What of a signature belongs to the fragment.
#[derive(Clone, Debug)]
struct ListLogic {
    /// The sort of locations with one field that is a location of the same sort.
    loc: Sort,
    /// Is that field one of a record?
    is_record: bool,
    /// Predicates that are acyclic segments, with the parameters for beginning and end.
    segments: BTreeMap<Name, (usize, usize)>,
}

impl ListLogic {
    /// Looks for locations and predicates of the fragment.
    fn new(defs: &Defs) -> Result<ListLogic, Reason> {
        let signature = defs.signature();
        // Integers may be locations, but there is more to them.
        let links = |loc: &Sort| {
            loc.is_loc() && matches!(signature.fields(loc).as_slice(), [(_, s)] if s == loc)
        };
        let cell = signature.heap.iter().find(|cell| links(&cell.loc)).ok_or(Reason::NoLinks)?;
        let mut segments = BTreeMap::new();
        for definition in signature.predicates.values() {
            if let Some(Shape::List(list)) =
                shape::classify(definition, signature, defs.semantics())
                && list.is_plain_segment()
                && let End::Param(end) = list.end
                && definition.params.len() == 2
                && definition.params.iter().all(|p| p.sort == cell.loc)
            {
                segments.insert(definition.name.clone(), (list.root, end));
            }
        }
        let is_record = signature.content(&cell.loc) != Some(&cell.loc);
        Ok(ListLogic { loc: cell.loc.clone(), is_record, segments })
    }
}

/// The fragment of some definitions, made once.
struct Prepared(Result<ListLogic, Reason>);

impl Procedure for Lists {
    fn name(&self) -> &'static str {
        "lists"
    }

    fn satisfiable(
        &mut self,
        defs: &Defs,
        formula: &Formula,
        _budget: &mut Budget,
    ) -> Answer<Satisfiability> {
        Answer::from(with_logic(defs, |logic| logic.satisfiable(defs, formula)))
    }

    fn entails(
        &mut self,
        defs: &Defs,
        left: &Formula,
        right: &Formula,
        _budget: &mut Budget,
    ) -> Answer<Entailment> {
        let answer = with_logic(defs, |logic| {
            logic.entails(defs, left, right).or_else(|unknown| {
                match logic.satisfiable(defs, left) {
                    // Then it does not matter what is on the right.
                    Ok(Satisfiability::Unsat) => Ok(None),
                    _ => Err(unknown),
                }
            })
        });
        Answer::from(answer).map(|counterexample| match counterexample {
            Some(model) => Entailment::Invalid(model),
            None => Entailment::Valid(proof_of(defs, left, right)),
        })
    }
}

/// The proof of something that is valid.
fn proof_of(defs: &Defs, left: &Formula, right: &Formula) -> Proof {
    let (defs, left, right) = (defs.clone(), left.clone(), right.clone());
    Proof::Later(Later::new(move || {
        let derived = with_logic(&defs, |logic| Ok(proof::derive(&defs, logic, &left, &right)));
        derived.ok().flatten()
    }))
}

fn with_logic<T>(
    defs: &Defs,
    ask: impl FnOnce(&ListLogic) -> Result<T, Unknown>,
) -> Result<T, Unknown> {
    match &defs.prepared(|defs| Prepared(ListLogic::new(defs))).0 {
        Ok(logic) => ask(logic),
        Err(reason) => Err(reason.clone().into()),
    }
}

impl ListLogic {
    /// Is there a model? If so, the evaluator agrees that it is one.
    fn satisfiable(&self, defs: &Defs, formula: &Formula) -> Result<Satisfiability, Unknown> {
        let Some(heap) = symbolic_heap(defs, formula)? else {
            return Ok(Satisfiability::Unsat);
        };
        let mut builder = Builder::new(self);
        builder.add_variables(formula)?;
        let graph = builder.graph(&heap)?;
        let Some(found) = search::solve(&graph) else { return Ok(Satisfiability::Unsat) };
        let model = builder.model(&graph, &found, 1);
        match evaluator(defs).holds(&model, formula) {
            Truth::True => Ok(Satisfiability::Sat(model)),
            _ => Err(Unknown::GaveUp(Limit::Unconfirmed)),
        }
    }

    /// A model of the first formula that is none of the second, if there is one; the evaluator agrees.
    fn entails(
        &self,
        defs: &Defs,
        left: &Formula,
        right: &Formula,
    ) -> Result<Option<Model>, Unknown> {
        let names = right.free_vars().into_iter().map(|v| v.name).collect();
        let Some(left_heap) = symbolic_heap(defs, left)? else {
            return Ok(None);
        };
        let Some(right_heap) = symbolic_heap(defs, right)? else {
            return self.satisfiable(defs, left).map(|answer| match answer {
                Satisfiability::Sat(model) => Some(model),
                Satisfiability::Unsat => None,
            });
        };
        let mut left_heap = left_heap.renamed_apart(&names);
        let right_heap = right_heap.without_aliases();
        if !right_heap.vars.is_empty() {
            return Err(Reason::ExistentialOnTheRight.into());
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
                let evaluator = evaluator(defs);
                // Short segments make a better picture; long ones are no single location.
                (1..=2).map(|length| builder.model(graph, found, length)).find(|model| {
                    evaluator.holds(model, right) == Truth::False
                        && evaluator.holds(model, left) == Truth::True
                })
            },
        };
        match question.answer() {
            Some(entail::Verdict::Valid) => Ok(None),
            Some(entail::Verdict::Invalid(model)) => Ok(Some(model)),
            None => Err(Unknown::GaveUp(Limit::other(
                "the cases of the entailment could not be told apart",
            ))),
        }
    }
}

/// The symbolic heap that a formula is; `None` if it is `false`.
fn symbolic_heap(defs: &Defs, formula: &Formula) -> Result<Option<SymbolicHeap>, Reason> {
    match SymbolicHeap::disjuncts(formula, defs.semantics()) {
        Some(mut all) if all.len() < 2 => Ok(all.pop()),
        Some(_) => Err(Reason::Disjunction),
        None => Err(Reason::NoSymbolicHeap),
    }
}

fn evaluator(defs: &Defs) -> Evaluator<'_> {
    Evaluator::new(defs.signature(), defs.semantics())
}
