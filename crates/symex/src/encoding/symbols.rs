//! What is registered: each symbol once, under a name that depends on nothing but the program text.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::sync::Arc;

use smt::{FunDecl, FunId, Meaning, Sort, Term, Terms, symbol};
use viper::core::{DomainFunctionId, DomainId, FieldId, FunctionId, PredicateId, Type};

use super::{CollectionFunction, Encoding};
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
    /// A function of a collection.
    Collection(CollectionFunction),
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

impl Encoding<'_> {
    /// Says something in the outermost scope.
    pub fn say(&mut self, text: &str) {
        self.symbols.text.push_str(text);
        self.symbols.text.push('\n');
    }

    /// A function of parameters that is no part of the program.
    pub(super) fn fresh_function(
        &mut self,
        name: &str,
        hint: &str,
        parameters: &[Term],
        sort: Sort,
    ) -> FunId {
        let args: Vec<Sort> = parameters.iter().map(|p| self.terms.sort(*p)).collect();
        let fun = self.terms.fun_named(name, &args, sort, Meaning::Uninterpreted);
        self.symbols.kinds.entry(fun).or_insert_with(|| SymbolKind::Fresh(hint.into()));
        fun
    }

    /// What a function symbol is for, where that matters.
    pub fn symbol_kind(&self, fun: FunId) -> Option<&SymbolKind> {
        self.symbols.kinds.get(&fun)
    }

    /// The limited version of a function, given the symbol of its precondition.
    pub fn limited_of_pre(&self, pre: FunId) -> Option<FunId> {
        self.symbols.limited_pre.get(&pre).copied()
    }

    /// The limited version of a function, given its full one.
    pub fn limited_of(&self, full: FunId) -> Option<FunId> {
        self.symbols.limited.get(&full).copied()
    }

    /// The function symbol with a name, which is declared if there is none yet.
    pub(super) fn declare(&mut self, name: &str, args: Vec<Sort>, result: Sort) -> FunId {
        if let Some(fun) = self.symbols.funs.get(name) {
            return *fun;
        }
        let signature = &self.terms.signature;
        let list: Vec<&str> = args.iter().map(|s| signature.sort_text(*s)).collect();
        let text = signature.sort_text(result);
        let list = list.join(" ");
        let _ = writeln!(self.symbols.text, "(declare-fun {} ({list}) {text})", symbol(name));
        let fun = builtin(&mut self.terms, &symbol(name), args, result);
        self.symbols.funs.insert(name.to_string(), fun);
        fun
    }

    /// A function that is declared together with its sort.
    pub(super) fn declared(&mut self, name: String, args: Vec<Sort>, result: Sort) -> FunId {
        if let Some(fun) = self.symbols.funs.get(&name) {
            return *fun;
        }
        let fun = builtin(&mut self.terms, &symbol(&name), args, result);
        self.symbols.funs.insert(name, fun);
        fun
    }

    /// The functions of collections that are in use.
    pub fn collection_functions(&self) -> impl Iterator<Item = (FunId, CollectionFunction)> {
        self.symbols.kinds.iter().filter_map(|(fun, kind)| match kind {
            SymbolKind::Collection(function) => Some((*fun, *function)),
            _ => None,
        })
    }

    /// The function symbol that is declared under a name.
    pub fn function_named(&self, name: &str) -> Option<FunId> {
        self.symbols.funs.get(name).copied()
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
