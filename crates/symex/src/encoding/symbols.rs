//! What is registered: each symbol once, under a name that depends on nothing but the program text.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use smt::{FunDecl, FunId, Meaning, Sort, Term, Terms};
use viper::core::{DomainFunctionId, DomainId, FieldId, FunctionId, PredicateId, Type};

use crate::state::ResourceId;

/// Something that has to be declared.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Use {
    Type(Type),
    DomainFunction(DomainFunctionId, Arc<[Type]>),
    Function(FunctionId),
    PredicateTrigger(PredicateId),
    /// The functions between values of a type and snapshots.
    Wrapper(Type),
    /// The maps from locations of a resource to values.
    ValueMap(ResourceId),
    /// That a field was read.
    Read(FieldId),
}

/// The symbols of the value maps of a resource.
#[derive(Clone, Debug)]
pub(crate) struct ValueMap {
    pub sort: Sort,
    /// `(map, location): value`
    pub lookup: FunId,
    /// `(map, location): Bool`: is the location in the domain of the map?
    pub domain: FunId,
    /// The sorts of the parts of a location.
    pub args: Vec<Sort>,
}

/// What the unit of a function found out about it: ready to be said to any solver.
#[derive(Clone, Debug, Default)]
pub(crate) struct FunctionTheory {
    /// What the text mentions.
    pub uses: Vec<Use>,
    /// Declarations and axioms.
    pub text: String,
}

/// The theories of the functions that are done, by function.
pub(crate) type Theories = Vec<Option<Arc<FunctionTheory>>>;

/// The symbols that stand for a function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FunctionSymbols {
    /// Triggers its definition.
    pub full: FunId,
    /// Equal to it, but triggers its postcondition only.
    pub limited: FunId,
    /// Mentions the arguments but not the heap.
    pub stateless: FunId,
    /// Its precondition holds.
    pub pre: FunId,
}

/// What a function symbol is for, where that matters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SymbolKind {
    /// Made while something was evaluated, and named after this.
    Fresh(Arc<str>),
    /// Makes snapshots, or takes them apart.
    Snapshot,
    /// Says that the precondition of a function holds.
    Precondition,
    /// Says that a field was read.
    Read,
    SeqContains,
    SeqRange,
}

/// An instance of an axiom that has to be translated.
pub(super) struct AxiomInstance {
    pub domain: DomainId,
    pub index: usize,
    pub types: Arc<[Type]>,
}

/// The symbols of a unit, and what the solver has not been told of them yet.
pub(super) struct Symbols {
    pub sorts: HashMap<Type, Sort>,
    pub types: HashMap<Sort, Type>,
    pub funs: HashMap<String, FunId>,
    used: HashSet<Use>,
    /// In the order of registration.
    uses: Vec<Use>,
    pub wrappers: HashMap<Sort, (FunId, FunId)>,
    pub value_maps: HashMap<ResourceId, ValueMap>,
    /// The sorts of the arguments of wands, by shape.
    pub wands: Vec<Vec<Sort>>,
    /// Names of sorts that stand for no type.
    pub sort_names: HashMap<Sort, String>,
    pub functions: HashMap<FunctionId, FunctionSymbols>,
    /// By the full version.
    pub limited: HashMap<FunId, FunId>,
    /// By the symbol of the precondition.
    pub limited_pre: HashMap<FunId, FunId>,
    pub kinds: HashMap<FunId, SymbolKind>,
    /// Not yet told to the solver.
    pub text: String,
}

impl Symbols {
    pub fn new() -> Symbols {
        Symbols {
            sorts: HashMap::new(),
            types: HashMap::new(),
            funs: HashMap::new(),
            used: HashSet::new(),
            uses: Vec::new(),
            wrappers: HashMap::new(),
            value_maps: HashMap::new(),
            wands: Vec::new(),
            sort_names: HashMap::new(),
            functions: HashMap::new(),
            limited: HashMap::new(),
            limited_pre: HashMap::new(),
            kinds: HashMap::new(),
            text: PRELUDE.to_string(),
        }
    }

    /// Is this the first time?
    pub fn note(&mut self, what: Use) -> bool {
        let new = self.used.insert(what.clone());
        if new {
            self.uses.push(what);
        }
        new
    }

    pub fn uses(&self) -> &[Use] {
        &self.uses
    }
}

const PRELUDE: &str = "\
(declare-sort Ref.t 0)
(declare-const Ref.null Ref.t)
(declare-fun Ref.object (Ref.t) Bool)
(assert (not (Ref.object Ref.null)))
(declare-datatypes ((Snap.t 0)) (((Snap.unit) (Snap.pair (Snap.first Snap.t) (Snap.second Snap.t)))))
";

/// The symbols of [`PRELUDE`].
#[derive(Clone, Copy)]
pub(super) struct Prelude {
    pub snap: Sort,
    pub reference: Sort,
    pub unit: Term,
    pub null: Term,
    pub object: FunId,
    pub combine: FunId,
    pub first: FunId,
    pub second: FunId,
}

impl Prelude {
    pub fn new(terms: &mut Terms) -> Prelude {
        let snap = terms.signature.add_sort("Snap.t", Meaning::Builtin);
        let reference = terms.signature.add_sort("Ref.t", Meaning::Builtin);
        let unit = builtin(terms, "Snap.unit", vec![], snap);
        let null = builtin(terms, "Ref.null", vec![], reference);
        let object = builtin(terms, "Ref.object", vec![reference], Sort::Bool);
        let combine = builtin(terms, "Snap.pair", vec![snap, snap], snap);
        let first = builtin(terms, "Snap.first", vec![snap], snap);
        let second = builtin(terms, "Snap.second", vec![snap], snap);
        let (unit, null) = (terms.app(unit, &[]), terms.app(null, &[]));
        Prelude { snap, reference, unit, null, object, combine, first, second }
    }
}

pub(super) fn builtin(terms: &mut Terms, name: &str, args: Vec<Sort>, result: Sort) -> FunId {
    terms.signature.add_fun(FunDecl { name: name.into(), args, result, meaning: Meaning::Builtin })
}
