//! What Viper's values, heaps and functions are for the solver: sorts, symbols, axioms, formulas.
//!
//! Symbols are registered when they are first needed, with everything that belongs to them: a
//! sequence sort brings its axioms, a domain function those of its domain, a function those that its
//! own unit found ([`FunctionTheory`]). Names depend on nothing but the program text, so that a unit
//! looks the same whatever else there is in the program. All text goes to the outermost scope of the
//! session.
//!
//! An [`Encoding`] makes terms. It knows neither the solver nor paths or states: what is known, and
//! what follows from it, is the [`Prover`](crate::prover::Prover)'s.

mod amounts;
mod axioms;
mod born;
mod collection_function;
pub(crate) mod collections;
mod domains;
mod functions;
mod injective;
mod locations;
mod operators;
mod origin;
mod quantifiers;
mod reach;
mod reads;
mod snapshots;
mod sorts;
mod symbols;
mod triggers;
mod value_maps;
mod wand_states;
mod wands;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use report::{Pos, SourceMap};
use smt::{Bound, FunId, Sort, Term, Terms};
use viper::core::{DomainId, FunctionId, Program, Type};

use crate::config::Config;
use crate::state::ResourceId;
use crate::syntax::Syntax;

pub(crate) use collection_function::CollectionFunction;
pub(crate) use domains::{Foreign, foreign_axioms};
pub(crate) use operators::operand_type;
pub(crate) use origin::{FormulaKind, Instantiated, Origin};
pub(crate) use quantifiers::Formula;
pub(crate) use snapshots::SnapFunctions;
pub(crate) use symbols::{FunctionSymbols, FunctionTheory, SymbolKind, Theories, Use};
pub(crate) use wand_states::{Reads, introspection};
pub(crate) use wands::Argument;

use origin::Names;
use symbols::{AxiomInstance, Prelude, Symbols};
use wands::Wands;

/// How a unit is said to the solver.
pub(crate) struct Encoding<'p> {
    pub program: &'p Program,
    pub config: &'p Config,
    pub terms: Terms,
    pub syntax: Syntax<'p>,
    symbols: Symbols,
    prelude: Prelude,
    reads: reads::Reads,
    wands: Wands,
    axioms: Axioms,
    theories: Arc<Theories>,
    /// What fresh symbols are named after, besides what they stand for.
    prefix: String,
    /// What in the source is being dealt with, for the names of formulas.
    origin: Pos,
    names: Names,
    /// How deep quantifiers nest in terms.
    depths: HashMap<Term, usize>,
    bounds: HashMap<(String, Sort), (Bound, Term)>,
    /// The names of value maps that summarise chunks, by what they summarise and for whom; of heaps
    /// that wands mention, by their chunks; and of inverses, by the formulas that say that there are
    /// some.
    summaries: HashMap<(String, Vec<Term>), FunId>,
    /// The formals of resources, as far as somebody has asked for them.
    formals: HashMap<ResourceId, Vec<Term>>,
    /// Fresh symbols that are declared in the text of axioms.
    declared_fresh: HashSet<FunId>,
}

/// Axioms of domains.
struct Axioms {
    foreign: Arc<Foreign>,
    /// Whose axioms were registered.
    instances: HashSet<(DomainId, Arc<[Type]>)>,
    /// Not yet translated.
    pending: Vec<AxiomInstance>,
    /// Is what is registered now only mentioned by an axiom?
    translating: bool,
    /// Abstract functions in axioms: their postconditions hold there, too.
    functions: HashSet<FunctionId>,
    /// How deep type arguments of domains nest in the program.
    nesting: u32,
    /// Those that the solver was told.
    told: Vec<Term>,
}

impl<'p> Encoding<'p> {
    pub fn new(
        program: &'p Program,
        config: &'p Config,
        syntax: Syntax<'p>,
        foreign: Arc<Foreign>,
        theories: Arc<Theories>,
    ) -> Encoding<'p> {
        let mut terms = Terms::new();
        let prelude = Prelude::new(&mut terms);
        let mut symbols = Symbols::new();
        for fun in [prelude.combine, prelude.first, prelude.second] {
            symbols.kinds.insert(fun, SymbolKind::Snapshot);
        }
        Encoding {
            program,
            config,
            terms,
            syntax,
            symbols,
            prelude,
            reads: reads::Reads::default(),
            wands: Wands::default(),
            axioms: Axioms {
                foreign,
                instances: HashSet::new(),
                pending: Vec::new(),
                translating: false,
                functions: HashSet::new(),
                nesting: 0,
                told: Vec::new(),
            },
            theories,
            prefix: String::new(),
            origin: Pos::None,
            names: Names::default(),
            depths: HashMap::new(),
            bounds: HashMap::new(),
            summaries: HashMap::new(),
            formals: HashMap::new(),
            declared_fresh: HashSet::new(),
        }
    }

    /// What the solver has to be told next, in its outermost scope.
    pub fn take_text(&mut self) -> String {
        self.translate_axioms();
        std::mem::take(&mut self.symbols.text)
    }

    /// Everything that was registered, in order.
    pub fn uses(&self) -> &[Use] {
        self.symbols.uses()
    }

    /// From now on, fresh symbols are named after a member.
    pub fn name_after(&mut self, member: &str) {
        self.prefix = format!("{member}.");
    }

    /// A symbol that is used nowhere else, for a number that nobody else uses: a function of
    /// parameters.
    pub fn numbered(&mut self, hint: &str, number: u32, parameters: &[Term], sort: Sort) -> Term {
        let name = format!("{}{hint}@{number}", self.prefix);
        let fun = self.fresh_function(&name, hint, parameters, sort);
        self.terms.app(fun, parameters)
    }

    /// The axioms of domains that the solver was told.
    pub fn axiom_terms(&self) -> &[Term] {
        &self.axioms.told
    }

    /// The places that formulas come from, by name.
    pub fn origins(&self) -> HashMap<Arc<str>, Origin> {
        self.names.origins()
    }

    /// All names of formulas with their places, for people who read a dump.
    pub fn origin_table(&self, sources: Option<&SourceMap>) -> String {
        self.names.table(sources)
    }

    /// The snapshot of nothing.
    pub fn unit(&self) -> Term {
        self.prelude.unit
    }

    pub fn null(&self) -> Term {
        self.prelude.null
    }

    /// The sort of snapshots.
    pub fn snap_sort(&self) -> Sort {
        self.prelude.snap
    }

    /// The sort of references.
    pub fn ref_sort(&self) -> Sort {
        self.prelude.reference
    }
}
