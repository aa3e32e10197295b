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
//! use sl::ask::once::entails;
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

use sl::core::{Assertion, PredId, Scope, SortId};
use sl::procedure::{Later, Meter, Unknown};
use sl::shape::{self, End, Shape};
use sl::{
    Answer, Budget, Defs, Entailment, Evaluator, Limit, Model, Procedure, Proof, Reason,
    Satisfiability, Sort, Truth,
};

use graph::{Builder, Graph};

/// The procedure. It has no state; what it knows of definitions is kept with them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lists;

/// What of a signature belongs to the fragment.
#[derive(Clone, Debug)]
struct ListLogic {
    /// The sort of locations with one field that is a location of the same sort.
    loc: SortId,
    sort: Sort,
    /// Is that field one of a record?
    is_record: bool,
    /// For predicates that are acyclic segments the parameters for beginning and end.
    segments: Vec<Option<(usize, usize)>>,
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
        let loc = defs.core().sort_id(&cell.loc).ok_or(Reason::NoLinks)?;
        let mut segments = vec![None; signature.predicates.len()];
        for definition in signature.predicates.values() {
            if let Some(Shape::List(list)) =
                shape::classify(definition, signature, defs.semantics())
                && list.is_plain_segment()
                && let End::Param(end) = list.end
                && definition.params.len() == 2
                && definition.params.iter().all(|p| p.sort == cell.loc)
                && let Some(pred) = defs.core().pred(&definition.name)
                && let Some(segment) = segments.get_mut(pred)
            {
                *segment = Some((list.root, end));
            }
        }
        let is_record = signature.content(&cell.loc) != Some(&cell.loc);
        Ok(ListLogic { loc, sort: cell.loc.clone(), is_record, segments })
    }

    /// The parameters of a segment for its beginning and its end.
    fn segment(&self, scope: &Scope, pred: PredId) -> Result<(usize, usize), Reason> {
        match (self.segments.get(pred), scope.core().name(pred)) {
            (Some(Some(segment)), _) => Ok(*segment),
            (_, Some(name)) => Err(Reason::NoSegment(name.clone())),
            (_, None) => Err(Reason::NoSuchInstance),
        }
    }

    /// Is this the sort of a vertex?
    fn check(&self, scope: &Scope, sort: Option<SortId>) -> Result<(), Reason> {
        match sort {
            Some(sort) if sort == self.loc => Ok(()),
            Some(sort) => {
                let sort = scope.core().sorts().get(sort).cloned();
                Err(sort.map_or(Reason::IllSorted, Reason::Data))
            }
            None => Err(Reason::OpenVariable),
        }
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
        scope: &Scope,
        assertion: &Assertion,
        budget: &mut Budget,
    ) -> Answer<Satisfiability> {
        let meter = budget.meter();
        let answer = with_logic(scope.defs(), |logic| logic.satisfiable(scope, assertion, &meter));
        budget.spend(&meter);
        Answer::from(answer).map(|model| match model {
            Some(model) => Satisfiability::Sat(model),
            None => Satisfiability::Unsat(proof_of(scope, assertion, &Assertion::never())),
        })
    }

    fn entails(
        &mut self,
        scope: &Scope,
        left: &Assertion,
        right: &Assertion,
        budget: &mut Budget,
    ) -> Answer<Entailment> {
        let meter = budget.meter();
        let answer = with_logic(scope.defs(), |logic| {
            logic.entails(scope, left, right, &meter).or_else(|unknown| {
                match logic.satisfiable(scope, left, &meter) {
                    // Then it does not matter what is on the right.
                    Ok(None) => Ok(None),
                    _ => Err(unknown),
                }
            })
        });
        budget.spend(&meter);
        Answer::from(answer).map(|counterexample| match counterexample {
            Some(model) => Entailment::Invalid(model),
            None => Entailment::Valid(proof_of(scope, left, right)),
        })
    }
}

/// The proof of something that is valid.
fn proof_of(scope: &Scope, left: &Assertion, right: &Assertion) -> Proof {
    let (scope, left, right) = (scope.clone(), left.clone(), right.clone());
    Proof::Later(Later::new(move || {
        let derived =
            with_logic(scope.defs(), |logic| Ok(proof::derive(&scope, logic, &left, &right)));
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
    /// A model, if there is one; the evaluator agrees that it is one.
    fn satisfiable(
        &self,
        scope: &Scope,
        assertion: &Assertion,
        meter: &Meter,
    ) -> Result<Option<Model>, Unknown> {
        if !meter.step(1) {
            return Err(meter.limit().unwrap_or(Limit::Steps).into());
        }
        let Some(heap) = assertion.heap()? else { return Ok(None) };
        let mut builder = Builder::new(self, scope, assertion.free_vars(scope))?;
        let graph = builder.graph(heap)?;
        let Some(found) = search::solve(&graph) else { return Ok(None) };
        let model = builder.model(&graph, &found, 1);
        match evaluator(scope.defs()).holds(&model, &assertion.formula(scope)?) {
            Truth::True => Ok(Some(model)),
            _ => Err(Unknown::GaveUp(Limit::Unconfirmed)),
        }
    }

    /// A model of the first assertion that is none of the second, if there is one; the evaluator agrees.
    fn entails(
        &self,
        scope: &Scope,
        left: &Assertion,
        right: &Assertion,
        meter: &Meter,
    ) -> Result<Option<Model>, Unknown> {
        let Some(left_heap) = left.heap()? else { return Ok(None) };
        let Some(right_heap) = right.heap()? else {
            return self.satisfiable(scope, left, meter);
        };
        let aliases = !right_heap.existentials().is_empty();
        let without = aliases.then(|| right_heap.without_aliases());
        let right_heap = without.as_ref().unwrap_or(right_heap);
        if !right_heap.existentials().is_empty() {
            return Err(Reason::ExistentialOnTheRight.into());
        }
        let mut free = left.free_vars(scope);
        free.extend(right.free_vars(scope));
        free.sort_unstable();
        free.dedup();
        let mut builder = Builder::new(self, scope, free)?;
        let mut left_graph = builder.graph(left_heap)?;
        let right_graph = builder.graph(right_heap)?;
        // What is left over on the left can be left over on the right as well.
        left_graph.open &= !right_graph.open;
        let size = builder.size();
        let question = entail::Question {
            left: Graph { size, ..left_graph },
            right: Graph { size, ..right_graph },
            meter,
            refutes: &|graph, found| {
                let evaluator = evaluator(scope.defs());
                let (left, right) = (left.formula(scope).ok()?, right.formula(scope).ok()?);
                // Short segments make a better picture; long ones are no single location.
                (1..=2).map(|length| builder.model(graph, found, length)).find(|model| {
                    evaluator.holds(model, &right) == Truth::False
                        && evaluator.holds(model, &left) == Truth::True
                })
            },
        };
        match question.answer() {
            Some(entail::Verdict::Valid) => Ok(None),
            Some(entail::Verdict::Invalid(model)) => Ok(Some(model)),
            None => Err(meter.limit().unwrap_or(Limit::Cases).into()),
        }
    }
}

fn evaluator(defs: &Defs) -> Evaluator<'_> {
    Evaluator::new(defs.signature(), defs.semantics())
}
