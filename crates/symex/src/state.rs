//! Symbolic states.
//!
//! A [`State`] is a value: cloning it is cheap, and nothing that happens to a clone is seen by the
//! original. That is what lets the path explorer go back to any statement.

use std::rc::Rc;
use std::sync::Arc;

use crate::config::{ExhaleMode, JoinMode};
use crate::diagnostics::Caller;
use crate::heap::{Nesting, Within};
use crate::transfer::{Reserve, Rest};
use rpds::{HashTrieMap, HashTrieSet, List};
use smt::Term;
use viper::ast::Name;
use viper::core::{
    Expr, ExprId, FieldId, FunctionId, LabelId, Local, LocalId, MethodId, PredicateId, Program,
};

/// The member whose variables an expression mentions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Owner {
    Method(MethodId),
    Function(FunctionId),
    Predicate(PredicateId),
}

impl Owner {
    /// The variables of the member.
    pub fn locals(self, program: &Program) -> &[Local] {
        match self {
            Owner::Method(id) => &program.method(id).locals,
            Owner::Function(id) => &program.function(id).locals,
            Owner::Predicate(id) => &program.predicate(id).locals,
        }
    }

    /// An expression of the member as the user would write it there.
    pub fn text(self, program: &Program, expr: &Arc<Expr>) -> String {
        viper::unparse::expr_text(program, self.locals(program), self.labels(program), expr)
    }

    /// The labels of the member.
    pub fn labels(self, program: &Program) -> &[Name] {
        match self {
            Owner::Method(id) => &program.method(id).labels,
            Owner::Function(_) | Owner::Predicate(_) => &[],
        }
    }
}

/// What a chunk is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum ResourceId {
    Field(FieldId),
    Predicate(PredicateId),
    /// Wands of one shape; what they differ in are their arguments.
    Wand(WandId),
}

/// What permission is to: a field of an object, an instance of a predicate, a wand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Location<'a> {
    pub resource: ResourceId,
    /// The receiver of a field, the arguments of a predicate.
    pub args: &'a [Term],
}

impl ResourceId {
    pub fn at(self, args: &[Term]) -> Location<'_> {
        Location { resource: self, args }
    }

    pub fn is_wand(self) -> bool {
        matches!(self, ResourceId::Wand(_))
    }

    /// A number of its own.
    pub fn number(self) -> i64 {
        match self {
            ResourceId::Field(id) => i64::from(id.0),
            ResourceId::Predicate(id) => -1 - i64::from(id.0),
            ResourceId::Wand(id) => i64::MIN + i64::from(id.0),
        }
    }
}

/// The shape of wands, within a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct WandId(pub u32);

/// Permission to a location together with the value there.
#[derive(Clone, Debug)]
pub(crate) struct Chunk {
    pub resource: ResourceId,
    /// The receiver of a field, the arguments of a predicate.
    pub args: Rc<[Term]>,
    /// The value, as a snapshot.
    pub snap: Term,
    pub perm: Term,
    /// For a wand that was packaged here: what its footprint has and may not need.
    pub rest: Option<Rc<Rest>>,
}

/// What the locations of a quantified chunk look like: terms with variables.
#[derive(Debug)]
pub(crate) struct Pattern {
    pub vars: Vec<Term>,
    pub args: Vec<Term>,
}

/// Permissions to many locations of a resource at once, with the values there.
#[derive(Clone, Debug)]
pub(crate) struct QuantifiedChunk {
    pub resource: ResourceId,
    /// How much is held, of the location that the formals of the resource stand for.
    pub perm: Term,
    /// A value map of the resource.
    pub values: Term,
    /// Which locations are in the domain of the map, as a condition over the formals, if that is
    /// known. Fewer may be held.
    pub domain: Option<Term>,
    /// A hint which locations to look for in it.
    pub pattern: Rc<Pattern>,
    /// A hint at which locations something was taken that may come back.
    pub holes: Rc<Vec<Rc<[Term]>>>,
}

/// The place of a chunk in a heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Slot {
    Single(usize),
    /// Amounts are over the formals of the resource.
    Quantified(usize),
}

/// The chunks that are held.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heap {
    single: Rc<Vec<Chunk>>,
    quantified: Rc<Vec<QuantifiedChunk>>,
}

impl Heap {
    /// Is it visibly the same heap? Chunks that are shared are; if they are not, nobody knows.
    pub fn is(&self, other: &Heap) -> bool {
        Rc::ptr_eq(&self.single, &other.single) && Rc::ptr_eq(&self.quantified, &other.quantified)
    }

    pub fn chunks(&self) -> &[Chunk] {
        &self.single
    }

    pub fn quantified(&self) -> &[QuantifiedChunk] {
        &self.quantified
    }

    pub fn quantified_of(
        &self,
        resource: ResourceId,
    ) -> impl Iterator<Item = (usize, QuantifiedChunk)> {
        let found = self.quantified.iter().cloned().enumerate();
        found.filter(move |(_, c)| c.resource == resource)
    }

    /// The resource of the chunk at a place.
    pub fn resource_in(&self, slot: Slot) -> ResourceId {
        match slot {
            Slot::Single(i) => self.single[i].resource,
            Slot::Quantified(i) => self.quantified[i].resource,
        }
    }

    /// How much the chunk at a place holds.
    pub fn perm_in(&self, slot: Slot) -> Term {
        match slot {
            Slot::Single(i) => self.single[i].perm,
            Slot::Quantified(i) => self.quantified[i].perm,
        }
    }

    pub fn set_perm(&mut self, slot: Slot, perm: Term) {
        match slot {
            Slot::Single(i) => self.get_mut(i).perm = perm,
            Slot::Quantified(i) => self.quantified_mut(i).perm = perm,
        }
    }

    /// Removes the chunks at several places.
    pub fn remove_all(&mut self, mut slots: Vec<Slot>) {
        slots.sort_unstable();
        for slot in slots.into_iter().rev() {
            match slot {
                Slot::Single(i) => self.remove(i),
                Slot::Quantified(i) => self.remove_quantified(i),
            }
        }
    }

    /// Is there anything of a resource?
    pub fn has(&self, resource: ResourceId) -> bool {
        self.of(resource).next().is_some() || self.quantified_of(resource).next().is_some()
    }

    pub fn push_quantified(&mut self, chunk: QuantifiedChunk) {
        Rc::make_mut(&mut self.quantified).push(chunk);
    }

    pub fn quantified_mut(&mut self, index: usize) -> &mut QuantifiedChunk {
        &mut Rc::make_mut(&mut self.quantified)[index]
    }

    pub fn remove_quantified(&mut self, index: usize) {
        Rc::make_mut(&mut self.quantified).remove(index);
    }

    pub fn of(&self, resource: ResourceId) -> impl Iterator<Item = (usize, &Chunk)> {
        self.single.iter().enumerate().filter(move |(_, c)| c.resource == resource)
    }

    /// What the chunks of a resource say, all of it.
    pub fn contents(&self, resource: ResourceId) -> Vec<Term> {
        let mut contents = Vec::new();
        for (_, chunk) in self.of(resource) {
            contents.extend(chunk.args.iter().chain([&chunk.snap, &chunk.perm]));
        }
        for (_, chunk) in self.quantified_of(resource) {
            contents.extend([chunk.values, chunk.perm]);
        }
        contents
    }

    /// Are these the same chunks of a resource as those of another heap? Those that are shared are not
    /// compared one by one.
    fn agrees(&self, other: &Heap, resource: ResourceId) -> bool {
        let singles = |h: &Heap| Rc::ptr_eq(&h.single, &self.single);
        let quantified = |h: &Heap| Rc::ptr_eq(&h.quantified, &self.quantified);
        let single = |c: &Chunk| (Rc::clone(&c.args), c.snap, c.perm);
        let many = |c: &QuantifiedChunk| (c.values, c.perm);
        (singles(other)
            || self
                .of(resource)
                .map(|(_, c)| single(c))
                .eq(other.of(resource).map(|(_, c)| single(c))))
            && (quantified(other)
                || self
                    .quantified_of(resource)
                    .map(|(_, c)| many(&c))
                    .eq(other.quantified_of(resource).map(|(_, c)| many(&c))))
    }

    pub fn get_mut(&mut self, index: usize) -> &mut Chunk {
        &mut Rc::make_mut(&mut self.single)[index]
    }

    pub fn push(&mut self, chunk: Chunk) {
        Rc::make_mut(&mut self.single).push(chunk);
    }

    pub fn remove(&mut self, index: usize) {
        Rc::make_mut(&mut self.single).remove(index);
    }
}

/// The values of variables.
#[derive(Clone, Debug)]
pub(crate) struct Store(Rc<Vec<Option<Term>>>);

impl Store {
    pub fn new(locals: usize) -> Store {
        Store(Rc::new(vec![None; locals]))
    }

    pub fn get(&self, local: LocalId) -> Option<Term> {
        self.0.get(local.index()).copied().flatten()
    }

    pub fn set(&mut self, local: LocalId, value: Term) {
        let values = Rc::make_mut(&mut self.0);
        if values.len() <= local.index() {
            values.resize(local.index() + 1, None);
        }
        values[local.index()] = Some(value);
    }

    pub fn values(&self) -> impl Iterator<Item = (LocalId, Term)> {
        self.0.iter().enumerate().filter_map(|(i, v)| Some((LocalId(i as u32), (*v)?)))
    }
}

/// A condition that a path depends on, for messages.
#[derive(Clone, Debug)]
pub(crate) struct BranchCondition {
    pub expr: Arc<Expr>,
    pub owner: Owner,
    pub taken: bool,
    /// Who asked, if it is a condition of another member.
    pub caller: Option<Rc<Caller>>,
}

/// Which condition of a path, and which side of it: two that have the same one read the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct BranchId {
    condition: ExprId,
    taken: bool,
    /// What stands for the parameters of the members that the condition is in, innermost first.
    actuals: Vec<ExprId>,
}

impl BranchCondition {
    pub fn id(&self) -> BranchId {
        let mut actuals = Vec::new();
        let mut caller = self.caller.as_ref();
        while let Some(c) = caller {
            actuals.extend(c.args.iter().map(|arg| arg.id()));
            caller = c.up.as_ref();
        }
        BranchId { condition: self.expr.id(), taken: self.taken, actuals }
    }
}

/// Where a path is.
#[derive(Clone, Debug)]
pub(crate) struct State {
    /// Whose variables are in the store.
    pub owner: Owner,
    /// Who uses the contract or body that is evaluated, unless it belongs to the member being verified.
    pub caller: Option<Rc<Caller>>,
    pub store: Store,
    pub heap: Heap,
    /// What `perm` sees, where that is not the heap: while an assertion is being consumed.
    pub perm_heap: Option<Heap>,
    /// `old(…)`
    pub old: Option<Heap>,
    /// `old[lhs](…)`
    pub lhs: Option<Heap>,
    /// What a wand that is being packaged may take from: the heaps around it, innermost first.
    pub reserves: Rc<Vec<Reserve>>,
    /// `old[l](…)`
    pub labels: HashTrieMap<LabelId, Heap>,
    /// The heaps around the loops that are being verified, innermost first.
    pub frames: List<Heap>,
    /// `result`
    pub result: Option<Term>,
    /// The number of the next fresh symbol.
    pub fresh: u32,
    /// The path condition, one conjunct each, for answers without the solver.
    pub path_condition: HashTrieSet<Term>,
    /// Fresh symbols are functions of these.
    pub parameters: Rc<[Term]>,
    /// How many of them are not variables of quantifiers: what a function depends on.
    pub fixed: usize,
    /// `wildcard` amounts that may still be made smaller.
    pub wildcards: HashTrieSet<Term>,
    /// Inverse functions that are defined, by what they invert.
    pub inverses: HashTrieMap<Vec<Term>, Rc<[Term]>>,
    /// Names of conditional values.
    pub named: HashTrieMap<Term, Term>,
    /// Variables of the method that are declared here, besides parameters and results.
    pub scope: List<LocalId>,
    /// The heaps that there were where the explorations around began, outermost first.
    pub levels: Rc<Vec<Level>>,
    /// Conditions of the branches taken, innermost first.
    pub branches: List<BranchCondition>,
    /// Predicates whose bodies are being produced because an expression unfolds them.
    pub unfolding: List<PredicateId>,
    /// Which instances are inside others.
    pub nesting: Nesting,
    /// The predicate whose body this is.
    pub within: Within,
    /// How assertions are looked at.
    pub mode: Mode,
}

/// How assertions and expressions are looked at. It is passed down with the state; who needs another one
/// for a part asks for it with [`Executor::in_mode`](crate::executor::Executor::in_mode).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mode {
    /// What permissions of the predicate around are multiplied with.
    pub scale: Option<Term>,
    /// In `[A, B]`, is it `A` that counts?
    pub inhaling: bool,
    /// Does somebody need the snapshot of what is consumed?
    pub want_snap: bool,
    /// Does only matter whether there is some permission, not how much? So it is in preconditions
    /// of functions.
    pub reading: bool,
    /// Is it `A` of `[A, B]` that is produced? Then its snapshot may be that of `B`.
    pub one_sided: bool,
    /// How permissions are looked for.
    pub exhale: ExhaleMode,
    /// Where paths are joined again.
    pub join: JoinMode,
    /// Is something evaluated only to be mentioned? Then it need not make sense, and nothing is learnt.
    pub in_trigger: bool,
}

/// The heaps of a state in which a local exploration began.
#[derive(Clone, Debug)]
pub(crate) struct Level {
    heap: Heap,
    old: Option<Heap>,
    labels: HashTrieMap<LabelId, Heap>,
}

impl Level {
    fn heaps(&self) -> impl Iterator<Item = &Heap> {
        [&self.heap].into_iter().chain(&self.old).chain(self.labels.values())
    }
}

impl State {
    /// Begins a local exploration from another state.
    pub fn enter_level(&mut self, from: &State) {
        let (heap, old) = (from.heap.clone(), from.old.clone());
        let level = Level { heap, old, labels: from.labels.clone() };
        Rc::make_mut(&mut self.levels).push(level);
        // What an expression does to the heap (`applying`, `asserting`) is no part of the body that it
        // is in.
        self.within = Within::Nothing;
    }

    /// The state in which a contract or body of another member is evaluated, for arguments that are the
    /// values of `actuals`.
    pub fn enter(
        &self,
        program: &Program,
        owner: Owner,
        args: &[Term],
        actuals: Vec<Arc<Expr>>,
    ) -> State {
        let mut inner = self.clone();
        inner.caller = Some(Rc::new(Caller {
            owner: self.owner,
            store: self.store.clone(),
            scope: self.scope.clone(),
            old: self.old.clone(),
            labels: self.labels.clone(),
            args: actuals,
            up: self.caller.clone(),
        }));
        inner.owner = owner;
        inner.store = Store::new(owner.locals(program).len());
        for (i, arg) in args.iter().enumerate() {
            inner.store.set(LocalId(i as u32), *arg);
        }
        inner.scope = List::new();
        inner.result = None;
        inner.mode.scale = None;
        inner.within = Within::Nothing;
        inner.mode.reading = false;
        inner.mode.want_snap = false;
        inner
    }

    /// Takes over what was learnt in the state of another member.
    pub fn leave(&mut self, inner: State) {
        self.fresh = inner.fresh;
        self.path_condition = inner.path_condition;
        self.nesting = inner.nesting;
        self.wildcards = inner.wildcards;
        self.reserves = inner.reserves;
    }

    /// The variables of the quantifiers around.
    pub fn quantified_parameters(&self) -> &[Term] {
        self.parameters.get(self.fixed..).unwrap_or_default()
    }

    /// Is it the body of a quantifier that is evaluated?
    pub fn is_quantified(&self) -> bool {
        !self.quantified_parameters().is_empty()
    }

    /// The outermost level at which the chunks of a resource were held as they are in a heap.
    pub fn level_of(&self, heap: &Heap, resource: ResourceId) -> Option<usize> {
        self.levels.iter().position(|l| l.heaps().any(|h| h.agrees(heap, resource)))
    }

    pub fn new(owner: Owner, locals: usize, mode: Mode) -> State {
        State {
            owner,
            caller: None,
            store: Store::new(locals),
            heap: Heap::default(),
            perm_heap: None,
            old: None,
            lhs: None,
            reserves: Rc::default(),
            labels: HashTrieMap::new(),
            frames: List::new(),
            result: None,
            fresh: 0,
            path_condition: HashTrieSet::new(),
            parameters: Rc::from([]),
            fixed: 0,
            wildcards: HashTrieSet::new(),
            inverses: HashTrieMap::new(),
            named: HashTrieMap::new(),
            scope: List::new(),
            levels: Rc::default(),
            branches: List::new(),
            unfolding: List::new(),
            nesting: Nesting::default(),
            within: Within::Nothing,
            mode,
        }
    }
}
