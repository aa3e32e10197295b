//! Symbolic heaps of the analysis as assertions of separation logic that `entail` is asked about, with the predicates
//! that they mention as inductive definitions.
//!
//! There is one sort of locations. An object is a cell; its fields are one for whose it is and how large, and one
//! for each place that any object has something at ([`Column`]): as a location, or as a number. What is not known is
//! existential. So records of any kind may be linked with each other, and casts need no rule.
//!
//! A pointer into the middle of an object is a location of its own, which holds the way back, and the object holds the
//! way there: what is known of one is known of the other. In front of an object and behind it there are such locations,
//! too (`container_of` leads there), but nothing is at them.
//!
//! A translation may say less than the state: a number that is a pointer loses what it leads to, bounds that repeat
//! an integer type are dropped. Whoever relies on an assertion proves it.

mod encode;

use std::collections::BTreeSet;

use heap::Scalar;
use shape::{Heap, PredId, Shape, State};
use sl::core::{Assertion, Builder, Scope, SortId, SymHeap, Var};
use sl::{Budget, Defs, Entailment, Procedure, Reason, Signature, Sort};

pub use encode::{Encoder, Root};

/// What a cell has a field for: a place of objects, as a location or as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Column {
    /// Where it starts in an object.
    pub offset: i128,
    /// How many bytes.
    pub width: u64,
    /// As a location, or as a number?
    pub is_loc: bool,
    /// As a number with a sign?
    pub signed: bool,
}

impl Column {
    /// The place of a value of this type; none for floating-point numbers.
    #[must_use]
    pub fn new(offset: i128, width: u64, ty: Scalar) -> Option<Column> {
        match ty {
            Scalar::Ptr(_) => Some(Column { offset, width, is_loc: true, signed: false }),
            Scalar::Int(ty) => Some(Column { offset, width, is_loc: false, signed: ty.signed }),
            Scalar::Float(_) => None,
        }
    }
}

/// Places of objects.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// That something is at.
    pub columns: BTreeSet<Column>,
    /// That pointers lead to, apart from the start.
    pub middles: BTreeSet<i128>,
}

impl Places {
    /// Are all of them among others?
    #[must_use]
    pub fn is_subset(&self, other: &Places) -> bool {
        self.columns.is_subset(&other.columns) && self.middles.is_subset(&other.middles)
    }

    /// These and others.
    pub fn extend(&mut self, other: Places) {
        self.columns.extend(other.columns);
        self.middles.extend(other.middles);
    }
}

/// More places than this are not told apart.
const MAX_COLUMNS: usize = 48;
/// Nor more that pointers lead to.
const MAX_MIDDLES: usize = 12;

/// Definitions, and what the fields of cells are.
#[derive(Clone, Debug)]
pub struct Logic {
    /// The definitions.
    pub defs: Defs,
    /// Fields 1 to n; field 0 is the tag of an object.
    pub columns: Vec<Column>,
    /// Offsets in objects that pointers lead to, apart from zero. Each is a field behind the columns, and the last
    /// field is the way back.
    pub middles: Vec<i128>,
    /// The predicates of each group: for instances that may be empty, and for those that are not.
    pub(crate) preds: Vec<Vec<[sl::core::PredId; 2]>>,
    /// Which arguments that all nodes have in common are locations.
    pub(crate) shared: Vec<Vec<Vec<bool>>>,
    groups: Vec<Vec<shape::Pred>>,
    pub(crate) loc: SortId,
    pub(crate) int: SortId,
}

impl Logic {
    /// Of predicates, in groups with numbers of their own, and of states that mention those of one group.
    ///
    /// # Errors
    /// With what cannot be said.
    pub fn new(groups: &[&[shape::Pred]], states: &[&State]) -> Result<Logic, String> {
        Logic::with_places(groups, states, &Places::default())
    }

    /// The same, with more places of objects.
    ///
    /// # Errors
    /// With what cannot be said.
    pub fn with_places(
        groups: &[&[shape::Pred]],
        states: &[&State],
        more: &Places,
    ) -> Result<Logic, String> {
        let Places { mut columns, mut middles } = more.clone();
        let bodies = groups.iter().flat_map(|g| g.iter()).flat_map(|p| &p.bodies).map(|b| &b.heap);
        for heap in bodies.chain(states.iter().map(|s| &s.heap)) {
            collect(heap, &mut columns, &mut middles);
        }
        for state in states {
            for term in state.vars.values().chain(state.anchors.iter().copied()) {
                if term.k != 0 && term.base.is_some_and(|sym| state.heap.is_place(sym)) {
                    middles.insert(term.k);
                }
            }
        }
        middles.extend(groups.iter().flat_map(|g| g.iter()).map(|p| p.head).filter(|h| *h != 0));
        if columns.len() > MAX_COLUMNS || middles.len() > MAX_MIDDLES {
            return Err("objects have too many places".into());
        }
        let columns: Vec<Column> = columns.into_iter().collect();
        let middles: Vec<i128> = middles.into_iter().collect();
        let mut signature = Signature::default();
        let sort = Sort::Loc("Object".into());
        let mut fields = vec![("tag".to_owned(), Sort::Int)];
        for column in &columns {
            let (word, sort) = match (column.is_loc, column.signed) {
                (true, _) => ("p", sort.clone()),
                (false, true) => ("n", Sort::Int),
                (false, false) => ("u", Sort::Int),
            };
            fields.push((format!("{word}{}_{}", column.offset, column.width), sort));
        }
        for middle in &middles {
            fields.push((format!("to{middle}"), sort.clone()));
        }
        if !middles.is_empty() {
            fields.push(("back".to_owned(), sort.clone()));
        }
        signature.add_record("Object", fields);
        let mut builder = Builder::new(signature);
        let ids = |sort: &Sort, builder: &Builder| {
            builder.scope().sort_id(sort).ok_or_else(|| "there is no such sort".to_owned())
        };
        let (loc, int) = (ids(&sort, &builder)?, ids(&Sort::Int, &builder)?);
        let mut logic = Logic {
            defs: Defs::new(Signature::default(), sl::Semantics::Precise),
            columns,
            middles,
            preds: Vec::new(),
            shared: Vec::new(),
            groups: groups.iter().map(|g| g.to_vec()).collect(),
            loc,
            int,
        };
        logic.declare(&mut builder, &sort).map_err(|reason| reason.to_string())?;
        logic.define(&mut builder);
        logic.defs = builder.build().map_err(|reason| reason.to_string())?;
        Ok(logic)
    }

    fn declare(&mut self, builder: &mut Builder, loc: &Sort) -> Result<(), Reason> {
        for (g, group) in self.groups.iter().enumerate() {
            self.preds.push(Vec::new());
            self.shared.push(Vec::new());
            for (i, pred) in group.iter().enumerate() {
                let shared = encode::shared_sorts(pred);
                let mut params: Vec<(String, Sort)> = Vec::new();
                let own: &[&str] = match pred.shape {
                    Shape::List => &["x", "y"],
                    Shape::Dlist => &["x", "y", "before", "last"],
                    Shape::Tree => &["x", "parent"],
                };
                params.extend(own.iter().map(|name| ((*name).to_owned(), loc.clone())));
                for (j, is_loc) in shared.iter().enumerate() {
                    let sort = if *is_loc { loc.clone() } else { Sort::Int };
                    params.push((format!("s{j}"), sort));
                }
                let params: Vec<(&str, Sort)> =
                    params.iter().map(|(n, s)| (n.as_str(), s.clone())).collect();
                let word = match pred.shape {
                    Shape::List => "ls",
                    Shape::Dlist => "dls",
                    Shape::Tree => "tree",
                };
                let any = builder.declare(format!("{word}_{g}_{i}"), &params)?;
                let some = builder.declare(format!("{word}1_{g}_{i}"), &params)?;
                self.preds[g].push([any, some]);
                self.shared[g].push(shared);
            }
        }
        Ok(())
    }

    fn define(&self, builder: &mut Builder) {
        for (g, group) in self.groups.iter().enumerate() {
            for (i, pred) in group.iter().enumerate() {
                let [any, some] = self.preds[g][i];
                builder.case(any, encode::empty_case(self, builder.params(any), pred));
                for body in &pred.bodies {
                    for id in [any, some] {
                        let params = builder.params(id).to_vec();
                        let case = encode::node_case(self, g, PredId(i as u32), &params, body);
                        builder.case(id, case);
                    }
                }
            }
        }
    }

    /// The null pointer.
    pub(crate) fn null(&self) -> Var {
        self.loc as Var
    }

    /// Are they one predicate, but for whether an instance may be empty?
    pub(crate) fn of_same_predicate(&self, a: sl::core::PredId, b: sl::core::PredId) -> bool {
        a == b || self.preds.iter().flatten().any(|ids| ids.contains(&a) && ids.contains(&b))
    }

    /// Has every instance of a predicate a node at its first argument?
    pub(crate) fn is_nonempty(&self, pred: sl::core::PredId) -> bool {
        self.preds.iter().flatten().any(|[_, some]| *some == pred)
    }

    /// The last node of an instance of a doubly linked list.
    pub(crate) fn last_argument(&self, call: &sl::core::Call) -> Option<Var> {
        self.doubly(call.pred).and_then(|_| call.args.get(3).copied())
    }

    /// The arguments that the first one of an instance certainly leads to. Without a node it is where the instance
    /// ends; what all nodes have in common is nobody's then.
    pub(crate) fn leads_to(&self, call: &sl::core::Call) -> Vec<Var> {
        let Some((group, id)) = self.place(call.pred) else { return Vec::new() };
        let pred = &self.groups[group][id.0 as usize];
        let own = match pred.shape {
            Shape::Dlist => 4,
            Shape::List | Shape::Tree => 2,
        };
        let mut all = Vec::new();
        if pred.shape != Shape::Tree {
            all.extend(call.args.get(1));
        }
        if self.is_nonempty(call.pred) {
            if pred.shape == Shape::Dlist {
                all.extend(call.args.get(3));
            }
            for (i, arg) in call.args.iter().skip(own).enumerate() {
                let held = Some(shape::Sym(shape::SHARED + i as u32));
                let holds = |body: &shape::Body| {
                    let node = body.heap.objs.get(&shape::SELF);
                    node.is_some_and(|obj| obj.cells.values().any(|c| c.value.base == held))
                };
                if pred.bodies.iter().all(holds) {
                    all.push(*arg);
                }
            }
        }
        all
    }

    fn doubly(&self, id: sl::core::PredId) -> Option<(usize, PredId)> {
        self.place(id).filter(|(g, i)| self.groups[*g][i.0 as usize].shape == Shape::Dlist)
    }

    fn place(&self, id: sl::core::PredId) -> Option<(usize, PredId)> {
        let all = self.preds.iter().enumerate();
        let (g, i) = all
            .flat_map(|(g, ids)| ids.iter().enumerate().map(move |(i, ids)| (g, i, ids)))
            .find_map(|(g, i, ids)| ids.contains(&id).then_some((g, i)))?;
        Some((g, PredId(i as u32)))
    }

    /// The cases of an instance of a doubly linked list, unfolded at its end: none, or the last node behind the rest. That
    /// they are all is proved.
    pub(crate) fn unfolded_at_end(&self, heap: &SymHeap, call: usize) -> Option<Vec<SymHeap>> {
        let call_at = heap.calls().get(call)?.clone();
        let (group, id) = self.doubly(call_at.pred)?;
        let cases = |args: &[Var]| {
            let mut cases = Vec::new();
            if !self.is_nonempty(call_at.pred) {
                cases.push(encode::empty_case(self, args, &self.groups[group][id.0 as usize]));
            }
            let pred = &self.groups[group][id.0 as usize];
            cases.extend(pred.bodies.iter().map(|b| encode::last_node(self, group, id, args, b)));
            cases
        };
        // The lemma, for any arguments.
        let mut own = self.scope();
        let sorts = self.shared[group][id.0 as usize].iter().copied();
        let is_loc = [true; 4].into_iter().chain(sorts);
        let params: Vec<Var> = is_loc
            .enumerate()
            .map(|(i, is_loc)| {
                own.declare(format!("p{i}"), if is_loc { self.loc } else { self.int })
            })
            .collect();
        let lemma = SymHeap::pred(call_at.pred, params.clone());
        let mut budget = Budget::default();
        budget.clock.deadline = Some(std::time::Instant::now() + std::time::Duration::from_secs(2));
        if entails(&own, vec![lemma], cases(&params), &mut budget) != Checked::Proved {
            return None;
        }
        let mut rest = heap.clone();
        rest.remove_call(call)?;
        Some(cases(&call_at.args).iter().map(|case| rest.clone().star(case)).collect())
    }

    /// The predicates of a group.
    #[must_use]
    pub fn group(&self, group: usize) -> &[shape::Pred] {
        &self.groups[group]
    }

    /// A scope without variables.
    #[must_use]
    pub fn scope(&self) -> Scope {
        Scope::new(&self.defs)
    }

    /// A variable of a program in a scope; floating-point numbers have none.
    pub fn variable(&self, scope: &mut Scope, name: &str, ty: Scalar) -> Option<Var> {
        match ty {
            Scalar::Int(_) => Some(scope.declare(name, self.int)),
            Scalar::Ptr(_) => Some(scope.declare(name, self.loc)),
            Scalar::Float(_) => None,
        }
    }
}

/// The places that a heap has something at, and distances from the addresses of its objects.
fn collect(heap: &Heap, columns: &mut BTreeSet<Column>, middles: &mut BTreeSet<i128>) {
    for obj in heap.objs.values().filter(|obj| !obj.constant) {
        for (offset, cell) in &obj.cells {
            columns.extend(Column::new(*offset, cell.width, cell.ty));
        }
    }
    heap.for_each_term(&mut |term| {
        if term.k != 0 && term.base.is_some_and(|sym| heap.is_place(sym) || sym == shape::SELF) {
            middles.insert(term.k);
        }
    });
}

/// What came of an entailment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checked {
    /// It holds, and its proof was accepted.
    Proved,
    /// It does not hold.
    Refuted,
    /// Why nothing is known.
    Open(String),
}

/// Is every state of the left assertion one of the right? Believed if `proof` accepts the proof.
pub fn entails(
    scope: &Scope,
    left: Vec<SymHeap>,
    right: Vec<SymHeap>,
    budget: &mut Budget,
) -> Checked {
    let (left, right): (Assertion, Assertion) = (left.into(), right.into());
    match induct::Induct.entails(scope, &left, &right, budget) {
        sl::Answer::Decided(Entailment::Valid(proof)) => {
            match proof::check_entailment(scope, &left, &right, &proof) {
                Ok(()) => Checked::Proved,
                Err(fault) => Checked::Open(format!("the proof is not accepted: {fault}")),
            }
        }
        sl::Answer::Decided(Entailment::Invalid(_)) => Checked::Refuted,
        open => Checked::Open(open.why_not().unwrap_or_default()),
    }
}
