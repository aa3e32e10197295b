//! What a unit tells the solver before anything else: sorts, functions and axioms.
//!
//! Symbols are registered when they are first needed, with everything that belongs to them: a
//! sequence sort brings its axioms, a domain function those of its domain, a function those that its
//! own unit found ([`FunctionTheory`]). Names depend on nothing but the program text, so that a unit
//! looks the same whatever else there is in the program. All text goes to the outermost scope of the
//! session.

mod born;

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::sync::Arc;

use smt::{FunDecl, FunId, Meaning, Node, Sort, Term, Terms, symbol};
use viper::core::{
    DomainFunctionId, DomainId, ExprKind, FieldId, FunctionId, PredicateId, Program, Type,
};

use crate::collections::{self, ElemSort};
use crate::state::{ResourceId, WandId};

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

/// An instance of an axiom that has to be translated.
pub(crate) struct AxiomInstance {
    pub domain: DomainId,
    pub index: usize,
    pub types: Arc<[Type]>,
}

pub(crate) struct Symbols<'p> {
    program: &'p Program,
    theories: Arc<Theories>,
    sorts: HashMap<Type, Sort>,
    types: HashMap<Sort, Type>,
    funs: HashMap<String, FunId>,
    used: HashSet<Use>,
    /// In the order of registration.
    pub uses: Vec<Use>,
    domains: HashSet<(DomainId, Arc<[Type]>)>,
    wrappers: HashMap<Sort, (FunId, FunId)>,
    value_maps: HashMap<ResourceId, ValueMap>,
    /// The sorts of the arguments of wands, by shape.
    pub wands: Vec<Vec<Sort>>,
    /// Names of sorts that stand for no type.
    sort_names: HashMap<Sort, String>,
    functions: HashMap<FunctionId, FunctionSymbols>,
    /// By the full version.
    limited: HashMap<FunId, FunId>,
    /// By the symbol of the precondition.
    limited_pre: HashMap<FunId, FunId>,
    foreign: Arc<Foreign>,
    /// Not yet told to the solver.
    text: String,
    /// Not yet translated.
    pub axioms: Vec<AxiomInstance>,
    /// Is what is registered now only mentioned by an axiom?
    pub translating: bool,
    /// Abstract functions in axioms: their postconditions hold there, too.
    pub in_axioms: HashSet<FunctionId>,
    /// How deep type arguments of domains nest in the program.
    nesting: u32,
    pub snap: Sort,
    pub reference: Sort,
    pub unit: Term,
    pub null: Term,
    object: FunId,
    pub combine: FunId,
    pub first: FunId,
    pub second: FunId,
}

const PRELUDE: &str = "\
(declare-sort Ref.t 0)
(declare-const Ref.null Ref.t)
(declare-fun Ref.object (Ref.t) Bool)
(assert (not (Ref.object Ref.null)))
(declare-datatypes ((Snap.t 0)) (((Snap.unit) (Snap.pair (Snap.first Snap.t) (Snap.second Snap.t)))))
";

fn builtin(terms: &mut Terms, name: &str, args: Vec<Sort>, result: Sort) -> FunId {
    terms.signature.add_fun(FunDecl { name: name.into(), args, result, meaning: Meaning::Builtin })
}

impl<'p> Symbols<'p> {
    pub fn new(
        program: &'p Program,
        foreign: Arc<Foreign>,
        theories: Arc<Theories>,
        terms: &mut Terms,
    ) -> Symbols<'p> {
        let snap = terms.signature.add_sort("Snap.t", Meaning::Builtin);
        let reference = terms.signature.add_sort("Ref.t", Meaning::Builtin);
        let unit = builtin(terms, "Snap.unit", vec![], snap);
        let null = builtin(terms, "Ref.null", vec![], reference);
        let object = builtin(terms, "Ref.object", vec![reference], Sort::Bool);
        let combine = builtin(terms, "Snap.pair", vec![snap, snap], snap);
        let first = builtin(terms, "Snap.first", vec![snap], snap);
        let second = builtin(terms, "Snap.second", vec![snap], snap);
        Symbols {
            program,
            theories,
            sorts: HashMap::new(),
            types: HashMap::new(),
            funs: HashMap::new(),
            used: HashSet::new(),
            uses: Vec::new(),
            domains: HashSet::new(),
            wrappers: HashMap::new(),
            value_maps: HashMap::new(),
            wands: Vec::new(),
            sort_names: HashMap::new(),
            functions: HashMap::new(),
            limited: HashMap::new(),
            limited_pre: HashMap::new(),
            foreign,
            text: PRELUDE.to_string(),
            axioms: Vec::new(),
            translating: false,
            in_axioms: HashSet::new(),
            nesting: 0,
            snap,
            reference,
            unit: terms.app(unit, &[]),
            null: terms.app(null, &[]),
            object,
            combine,
            first,
            second,
        }
    }

    /// What the solver has to be told next, in its outermost scope.
    pub fn take_text(&mut self) -> String {
        std::mem::take(&mut self.text)
    }

    /// Says something in the outermost scope.
    pub fn say(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// Is this the first time?
    fn note(&mut self, what: Use) -> bool {
        let new = self.used.insert(what.clone());
        if new {
            self.uses.push(what);
        }
        new
    }

    /// Registers something and all that belongs to it.
    pub fn require(&mut self, terms: &mut Terms, what: &Use) {
        match what {
            Use::Type(ty) => {
                self.sort(terms, ty);
            }
            Use::DomainFunction(id, types) => {
                self.domain_function(terms, *id, types);
            }
            Use::Function(id) => {
                self.function(terms, *id);
            }
            Use::PredicateTrigger(id) => {
                self.predicate_trigger(terms, *id);
            }
            Use::Read(field) => {
                self.read(terms, *field, self.null);
            }
            Use::ValueMap(resource) => {
                self.value_map(terms, *resource);
            }
            Use::Wrapper(ty) => {
                let sort = self.sort(terms, ty);
                self.wrapper(terms, sort);
            }
        }
    }

    fn declare(&mut self, terms: &mut Terms, name: &str, args: Vec<Sort>, result: Sort) -> FunId {
        if let Some(fun) = self.funs.get(name) {
            return *fun;
        }
        let list: Vec<&str> = args.iter().map(|s| terms.signature.sort_text(*s)).collect();
        let text = terms.signature.sort_text(result);
        let _ = writeln!(self.text, "(declare-fun {} ({}) {text})", symbol(name), list.join(" "));
        let fun = builtin(terms, &symbol(name), args, result);
        self.funs.insert(name.to_string(), fun);
        fun
    }

    /// A function that is declared together with its sort.
    fn known(&mut self, terms: &mut Terms, name: String, args: Vec<Sort>, result: Sort) -> FunId {
        if let Some(fun) = self.funs.get(&name) {
            return *fun;
        }
        let fun = builtin(terms, &symbol(&name), args, result);
        self.funs.insert(name, fun);
        fun
    }

    // --- Sorts

    /// A type's name as a part of symbols.
    fn type_name(&self, ty: &Type) -> String {
        let list =
            |types: &[Type]| types.iter().map(|t| self.type_name(t)).collect::<Vec<_>>().join("~");
        match ty {
            Type::Int => "Int".to_string(),
            Type::Bool => "Bool".to_string(),
            Type::Perm => "Perm".to_string(),
            Type::Ref => "Ref".to_string(),
            Type::Seq(t) => format!("Seq<{}>", self.type_name(t)),
            Type::Set(t) => format!("Set<{}>", self.type_name(t)),
            Type::Multiset(t) => format!("Multiset<{}>", self.type_name(t)),
            Type::Map(kv) => format!("Map<{}~{}>", self.type_name(&kv.0), self.type_name(&kv.1)),
            Type::Domain(d, types) if types.is_empty() => {
                format!("dom.{}", self.program.domain(*d).name.as_str())
            }
            Type::Domain(d, types) => {
                format!("dom.{}<{}>", self.program.domain(*d).name.as_str(), list(types))
            }
            // An instance nobody chose: any type will do.
            Type::Param(_) => "Int".to_string(),
        }
    }

    /// The sort of a type.
    pub fn sort(&mut self, terms: &mut Terms, ty: &Type) -> Sort {
        if let Some(sort) = self.sorts.get(ty) {
            return *sort;
        }
        // Elements first: the axioms mention them.
        let elems: Vec<(Sort, String)> = match ty {
            Type::Seq(t) | Type::Set(t) | Type::Multiset(t) => {
                vec![(self.sort(terms, t), self.type_name(t))]
            }
            Type::Map(kv) => {
                self.sort(terms, &Type::set(kv.0.clone()));
                self.sort(terms, &Type::set(kv.1.clone()));
                [&kv.0, &kv.1].map(|t| (self.sort(terms, t), self.type_name(t))).to_vec()
            }
            _ => Vec::new(),
        };
        let texts: Vec<String> =
            elems.iter().map(|(sort, _)| terms.signature.sort_text(*sort).to_string()).collect();
        let elem = |i: usize| ElemSort { text: &texts[i], name: &elems[i].1 };
        let (name, text) = match ty {
            Type::Int | Type::Param(_) => return Sort::Int,
            Type::Bool => return Sort::Bool,
            Type::Perm => return Sort::Real,
            Type::Ref => return self.reference,
            Type::Seq(t) => {
                let mut text = collections::seq(&elem(0));
                if **t == Type::Int {
                    text.push_str(&collections::seq_range());
                }
                (self.type_name(ty), text)
            }
            Type::Set(_) => (self.type_name(ty), collections::set(&elem(0))),
            Type::Multiset(_) => (self.type_name(ty), collections::multiset(&elem(0))),
            Type::Map(_) => (self.type_name(ty), collections::map(&elem(0), &elem(1))),
            Type::Domain(d, _) => match interpretation(self.program, *d) {
                Some(text) => (text, String::new()),
                None => {
                    let name = symbol(&self.type_name(ty));
                    let text = format!("(declare-sort {name} 0)\n");
                    (name, text)
                }
            },
        };
        let sort = terms.signature.add_sort(name, Meaning::Builtin);
        self.sorts.insert(ty.clone(), sort);
        self.types.insert(sort, ty.clone());
        self.note(Use::Type(ty.clone()));
        self.text.push_str(&text);
        if let Type::Domain(d, types) = ty {
            self.domain(terms, *d, types);
        }
        sort
    }

    /// The sort of a type that is in use.
    pub fn known_sort(&self, ty: &Type) -> Option<Sort> {
        match ty {
            Type::Int | Type::Param(_) => Some(Sort::Int),
            Type::Bool => Some(Sort::Bool),
            Type::Perm => Some(Sort::Real),
            Type::Ref => Some(self.reference),
            ty => self.sorts.get(ty).copied(),
        }
    }

    /// Is it the sort of value maps of a resource?
    pub fn is_value_map(&self, sort: Sort) -> bool {
        self.sort_names.contains_key(&sort)
    }

    /// All function symbols that are declared, with their names.
    pub fn functions_by_name(&self) -> impl Iterator<Item = (&str, FunId)> {
        self.funs.iter().map(|(name, fun)| (name.as_str(), *fun))
    }

    /// The function symbol that is declared under a name.
    pub fn function_named(&self, name: &str) -> Option<FunId> {
        self.funs.get(name).copied()
    }

    /// The name of the function that makes a value of a type of a snapshot.
    pub fn unwrap_name(&self, ty: &Type) -> String {
        format!("Snap.to<{}>", self.type_name(ty))
    }

    /// The name of a function of a collection.
    pub fn collection_name(&self, ty: &Type, op: &str) -> String {
        let name = self.type_name(ty);
        let params = &name[name.find('<').unwrap_or(name.len())..];
        if op == "Seq.range" { op.to_string() } else { format!("{op}{params}") }
    }

    /// The name of a domain function.
    pub fn domain_function_name(&self, id: DomainFunctionId, types: &[Type]) -> String {
        let function = self.program.domain_function(id);
        let mut name = match derived_index(self.program, id) {
            // Not a name that anybody wrote: there may be others like it, even in the same type.
            Some(index) => {
                let domain = self.program.domain(function.domain).name.as_str();
                format!("adt.{domain}.{index}.{}", function.name.as_str())
            }
            None => format!("dom.{}", function.name.as_str()),
        };
        if !types.is_empty() {
            let list: Vec<String> = types.iter().map(|t| self.type_name(t)).collect();
            let _ = write!(name, "<{}>", list.join("~"));
        }
        name
    }

    /// The type that a sort stands for, unless it is built in.
    pub fn type_of(&self, sort: Sort) -> Type {
        match sort {
            Sort::Bool => Type::Bool,
            Sort::Int => Type::Int,
            Sort::Real => Type::Perm,
            sort if sort == self.reference => Type::Ref,
            sort => self.types.get(&sort).cloned().unwrap_or(Type::Ref),
        }
    }

    // --- Snapshots

    /// The snapshot of two parts.
    pub fn pair(&self, terms: &mut Terms, a: Term, b: Term) -> Term {
        if let (Node::App(f, x), Node::App(g, y)) = (terms.node(a), terms.node(b))
            && *f == self.first
            && *g == self.second
            && x == y
        {
            return x[0];
        }
        terms.app(self.combine, &[a, b])
    }

    /// The snapshot of two parts, whatever they are.
    pub fn raw_pair(&self, terms: &mut Terms, a: Term, b: Term) -> Term {
        terms.app(self.combine, &[a, b])
    }

    /// Is it made of two parts, visibly?
    pub fn is_pair(&self, terms: &Terms, snap: Term) -> bool {
        matches!(terms.node(snap), Node::App(f, _) if *f == self.combine)
    }

    /// The first part of a snapshot.
    pub fn first(&self, terms: &mut Terms, snap: Term) -> Term {
        match terms.node(snap) {
            Node::App(f, args) if *f == self.combine => args[0],
            _ => terms.app(self.first, &[snap]),
        }
    }

    /// The second part of a snapshot.
    pub fn second(&self, terms: &mut Terms, snap: Term) -> Term {
        match terms.node(snap) {
            Node::App(f, args) if *f == self.combine => args[1],
            _ => terms.app(self.second, &[snap]),
        }
    }

    /// Registers the functions between values of a sort and snapshots.
    pub fn require_wrapper(&mut self, terms: &mut Terms, sort: Sort) {
        if sort != self.snap {
            self.wrapper(terms, sort);
        }
    }

    fn wrapper(&mut self, terms: &mut Terms, sort: Sort) -> (FunId, FunId) {
        if let Some(pair) = self.wrappers.get(&sort) {
            return *pair;
        }
        let name = match self.sort_names.get(&sort) {
            Some(name) => name.clone(),
            None => {
                let ty = self.type_of(sort);
                let name = self.type_name(&ty);
                self.note(Use::Wrapper(ty));
                name
            }
        };
        let (wrap, unwrap) = (format!("Snap.of<{name}>"), format!("Snap.to<{name}>"));
        let pair = (
            self.declare(terms, &wrap, vec![sort], self.snap),
            self.declare(terms, &unwrap, vec![self.snap], sort),
        );
        let sort_text = terms.signature.sort_text(sort);
        let (wrap, unwrap) = (symbol(&wrap), symbol(&unwrap));
        let _ = writeln!(
            self.text,
            "(assert (forall ((x {sort_text})) (! (= ({unwrap} ({wrap} x)) x) :pattern (({wrap} x)) \
             :qid {})))",
            symbol(&format!("snap.{name}"))
        );
        self.wrappers.insert(sort, pair);
        self.say_born(sort);
        pair
    }

    /// A value as a snapshot.
    pub fn wrap(&mut self, terms: &mut Terms, value: Term) -> Term {
        let sort = terms.sort(value);
        if sort == self.snap {
            return value;
        }
        let (wrap, unwrap) = self.wrapper(terms, sort);
        match terms.node(value) {
            Node::App(f, args) if *f == unwrap => args[0],
            _ => terms.app(wrap, &[value]),
        }
    }

    /// That a value read from a snapshot is all there is to it, if that is what it is.
    pub fn round_trip(&mut self, terms: &mut Terms, value: Term) -> Option<Term> {
        let (wrap, unwrap) = *self.wrappers.get(&terms.sort(value))?;
        let Node::App(f, args) = terms.node(value) else { return None };
        let snap = args.first().copied().filter(|_| *f == unwrap)?;
        let wrapped = terms.app(wrap, &[value]);
        Some(terms.eq(snap, wrapped))
    }

    /// For a value as a snapshot and what that snapshot equals: the value and what it equals.
    pub fn unwrapped(
        &mut self,
        terms: &mut Terms,
        snap: Term,
        equal: Term,
    ) -> Option<(Term, Term)> {
        let Node::App(f, args) = terms.node(snap) else { return None };
        let (f, value) = (*f, *args.first()?);
        let sort = terms.sort(value);
        let (wrap, _) = *self.wrappers.get(&sort)?;
        (f == wrap).then(|| (value, self.unwrap(terms, equal, sort)))
    }

    /// A snapshot as a value.
    pub fn unwrap(&mut self, terms: &mut Terms, snap: Term, sort: Sort) -> Term {
        if sort == self.snap {
            return snap;
        }
        let (wrap, unwrap) = self.wrapper(terms, sort);
        match terms.node(snap) {
            Node::App(f, args) if *f == wrap => args[0],
            Node::Op(smt::Op::Ite, args) => {
                let (c, a, b) = (args[0], args[1], args[2]);
                let a = self.unwrap(terms, a, sort);
                let b = self.unwrap(terms, b, sort);
                terms.ite(c, a, b)
            }
            _ => terms.app(unwrap, &[snap]),
        }
    }

    /// That a reference is not `null`, in a form for quantifiers. `forall x :: acc(x.f)` says so of
    /// all references; a solver that sees `forall x :: x != null` finds out at once that this is
    /// never so, although nobody asks about `null`.
    pub fn not_null(&self, terms: &mut Terms, reference: Term) -> Term {
        terms.app(self.object, &[reference])
    }

    // --- Value maps

    /// The value maps of a resource: functions from locations to values, as values themselves.
    pub fn value_map(&mut self, terms: &mut Terms, resource: ResourceId) -> ValueMap {
        if let Some(map) = self.value_maps.get(&resource) {
            return map.clone();
        }
        let (name, args, result) = match resource {
            ResourceId::Field(id) => {
                let field = self.program.field(id);
                let sort = self.sort(terms, &field.ty);
                (format!("field.{}", field.name.as_str()), vec![self.reference], sort)
            }
            ResourceId::Predicate(id) => {
                let predicate = self.program.predicate(id);
                let params = &predicate.locals[..predicate.params as usize];
                let args = params.iter().map(|p| self.sort(terms, &p.ty)).collect();
                (format!("pred.{}", predicate.name.as_str()), args, self.snap)
            }
            ResourceId::Wand(WandId(id)) => {
                let args = self.wands.get(id as usize).cloned().unwrap_or_default();
                (format!("wand.{id}"), args, self.snap)
            }
        };
        let sort_name = format!("Values.{name}");
        let sort_text = symbol(&sort_name);
        let _ = writeln!(self.text, "(declare-sort {sort_text} 0)");
        let sort = terms.signature.add_sort(sort_text, Meaning::Builtin);
        self.sort_names.insert(sort, sort_name.clone());
        let mut full = vec![sort];
        full.extend(&args);
        let map = ValueMap {
            sort,
            lookup: self.declare(terms, &format!("{sort_name}.at"), full.clone(), result),
            domain: self.declare(terms, &format!("{sort_name}.has"), full, Sort::Bool),
            args: args.clone(),
        };
        self.value_maps.insert(resource, map.clone());
        self.note(Use::ValueMap(resource));
        let (wrap, _) = self.wrapper(terms, sort);
        self.value_map_axiom(terms, &sort_name, &map, wrap);
        map
    }

    /// Maps that agree on their domains are the same; where they differ, they do so at a witness.
    fn value_map_axiom(&mut self, terms: &mut Terms, name: &str, map: &ValueMap, wrap: FunId) {
        let pair = vec![map.sort, map.sort];
        let mut at = String::new();
        for (i, sort) in map.args.iter().enumerate() {
            let witness = format!("{name}.differ.{i}");
            self.declare(terms, &witness, pair.clone(), *sort);
            let _ = write!(at, " ({} a b)", symbol(&witness));
        }
        let sort = terms.signature.sort_text(map.sort);
        let has = &terms.signature.fun(map.domain).name;
        let lookup = &terms.signature.fun(map.lookup).name;
        let wrap = &terms.signature.fun(wrap).name;
        let call = |f: &str, m: &str| {
            if map.args.is_empty() { format!("({f} {m})") } else { format!("({f} {m}{at})") }
        };
        let (has_a, has_b) = (call(has, "a"), call(has, "b"));
        let (at_a, at_b) = (call(lookup, "a"), call(lookup, "b"));
        let _ = writeln!(
            self.text,
            "(assert (forall ((a {sort}) (b {sort})) (! (or (= a b) (not (= {has_a} {has_b})) \
             (and {has_a} (not (= {at_a} {at_b})))) :pattern (({wrap} a) ({wrap} b)) :qid {})))",
            symbol(&format!("same.{name}"))
        );
    }

    /// What is gained by applying a wand, from the snapshots of the wand and of its left-hand side.
    pub fn wand_gain(&mut self, terms: &mut Terms, wand: Term, lhs: Term) -> Term {
        let fun = self.declare(terms, "Wand.gain", vec![self.snap, self.snap], self.snap);
        terms.app(fun, &[wand, lhs])
    }

    /// That a left-hand side with this snapshot was given up for a wand.
    pub fn wand_applied(&mut self, terms: &mut Terms, wand: Term, lhs: Term) -> Term {
        let fun = self.declare(terms, "Wand.applied", vec![self.snap, self.snap], Sort::Bool);
        terms.app(fun, &[wand, lhs])
    }

    /// That a wand with this snapshot is one of many that are held.
    pub fn wand_held(&mut self, terms: &mut Terms, wand: Term) -> Term {
        let fun = self.declare(terms, "Wand.held", vec![self.snap], Sort::Bool);
        terms.app(fun, &[wand])
    }

    /// That a field of an object was read: what triggers that mention the field match.
    pub fn read(&mut self, terms: &mut Terms, field: FieldId, object: Term) -> Term {
        let name = format!("field.{}.read", self.program.field(field).name.as_str());
        self.note(Use::Read(field));
        let fun = self.declare(terms, &name, vec![self.reference], Sort::Bool);
        terms.app(fun, &[object])
    }

    /// Is it a term of [`Symbols::read`]?
    pub fn is_read(&self, terms: &Terms, term: Term) -> bool {
        let Node::App(fun, _) = terms.node(term) else { return false };
        let name = &terms.signature.fun(*fun).name;
        name.starts_with("field.") && name.ends_with(".read")
    }

    // --- Domains

    fn domain(&mut self, terms: &mut Terms, id: DomainId, types: &Arc<[Type]>) {
        let nesting = types.iter().map(depth).max().unwrap_or(0);
        // Axioms may mention larger and larger types: only those as large as in the program count.
        if !self.translating {
            self.nesting = self.nesting.max(nesting);
        }
        if nesting > self.nesting || !self.domains.insert((id, Arc::clone(types))) {
            return;
        }
        let domain = self.program.domain(id);
        for index in 0..domain.axioms.len() {
            self.axioms.push(AxiomInstance { domain: id, index, types: Arc::clone(types) });
        }
        let unique: Vec<DomainFunctionId> = domain
            .functions
            .iter()
            .copied()
            .filter(|f| self.program.domain_function(*f).unique)
            .collect();
        // Unique functions differ from those of the same type, of whatever domain.
        let mut by_sort: Vec<(Sort, Vec<String>)> = Vec::new();
        for f in unique {
            let fun = self.domain_function(terms, f, types);
            let decl = terms.signature.fun(fun);
            let name = decl.name.to_string();
            match by_sort.iter_mut().find(|(sort, _)| *sort == decl.result) {
                Some((_, names)) => names.push(name),
                None => by_sort.push((decl.result, vec![name])),
            }
        }
        for (_, names) in by_sort.iter().filter(|(_, names)| names.len() > 1) {
            let _ = writeln!(self.text, "(assert (distinct {}))", names.join(" "));
        }
    }

    /// The symbol of a domain function.
    pub fn domain_function(
        &mut self,
        terms: &mut Terms,
        id: DomainFunctionId,
        types: &Arc<[Type]>,
    ) -> FunId {
        let program = self.program;
        let function = program.domain_function(id);
        let name = self.domain_function_name(id, types);
        if let Some(fun) = self.funs.get(&name) {
            return *fun;
        }
        let args: Vec<Sort> =
            function.params.iter().map(|(_, ty)| self.sort(terms, &ty.substitute(types))).collect();
        let result = self.sort(terms, &function.ty.substitute(types));
        // Sorting out the sorts may have brought it.
        if let Some(fun) = self.funs.get(&name) {
            return *fun;
        }
        let fun = match &function.interpretation {
            Some(text) => {
                let fun = builtin(terms, text.as_str(), args, result);
                self.funs.insert(name, fun);
                fun
            }
            None => self.declare(terms, &name, args, result),
        };
        self.note(Use::DomainFunction(id, Arc::clone(types)));
        self.domain(terms, function.domain, types);
        let foreign = Arc::clone(&self.foreign);
        for (domain, pattern) in foreign.get(&id).into_iter().flatten() {
            let mut args = vec![None; program.domain(*domain).type_params.len()];
            if pattern.iter().zip(types.iter()).all(|(p, t)| unify(p, t, &mut args)) {
                // A parameter that the axiom does not mention may be anything.
                let args = args.into_iter().map(|arg| arg.unwrap_or(Type::Int)).collect();
                self.domain(terms, *domain, &args);
            }
        }
        fun
    }

    // --- Functions and predicates

    /// The symbols of a function. Its axioms come along where its unit is done.
    pub fn function(&mut self, terms: &mut Terms, id: FunctionId) -> FunctionSymbols {
        if let Some(symbols) = self.functions.get(&id) {
            return *symbols;
        }
        let function = self.program.function(id);
        let name = function.name.as_str();
        let params = &function.locals[..function.params as usize];
        let stateless: Vec<Sort> = params.iter().map(|p| self.sort(terms, &p.ty)).collect();
        let mut args = vec![self.snap];
        args.extend(&stateless);
        let result = self.sort(terms, &function.ty);
        let symbols = FunctionSymbols {
            full: self.declare(terms, &format!("fun.{name}"), args.clone(), result),
            limited: self.declare(terms, &format!("fun.{name}.limited"), args.clone(), result),
            stateless: self.declare(terms, &format!("fun.{name}.stateless"), stateless, Sort::Bool),
            pre: self.declare(terms, &format!("fun.{name}.pre"), args, Sort::Bool),
        };
        self.functions.insert(id, symbols);
        self.limited.insert(symbols.full, symbols.limited);
        self.limited_pre.insert(symbols.pre, symbols.limited);
        self.note(Use::Function(id));
        if let Some(theory) = self.theories.get(id.index()).cloned().flatten() {
            for what in &theory.uses {
                self.require(terms, what);
            }
            self.text.push_str(&theory.text);
        }
        symbols
    }

    /// The limited version of a function, given the symbol of its precondition.
    pub fn limited_of_pre(&self, pre: FunId) -> Option<FunId> {
        self.limited_pre.get(&pre).copied()
    }

    /// The limited version of a function, given its full one.
    pub fn limited_of(&self, full: FunId) -> Option<FunId> {
        self.limited.get(&full).copied()
    }

    /// The symbol that says that an instance of a predicate was folded or unfolded.
    pub fn predicate_trigger(&mut self, terms: &mut Terms, id: PredicateId) -> FunId {
        let predicate = self.program.predicate(id);
        let name = format!("pred.{}.trigger", predicate.name.as_str());
        if let Some(fun) = self.funs.get(&name) {
            return *fun;
        }
        let mut args = vec![self.snap];
        for param in &predicate.locals[..predicate.params as usize] {
            args.push(self.sort(terms, &param.ty));
        }
        self.note(Use::PredicateTrigger(id));
        self.declare(terms, &name, args, Sort::Bool)
    }

    // --- Collections

    /// A function of a collection: `("Seq.append", ty)` where `ty` is the collection's type.
    pub fn collection(
        &mut self,
        terms: &mut Terms,
        ty: &Type,
        op: &str,
        args: Vec<Sort>,
        result: Sort,
    ) -> FunId {
        self.sort(terms, ty);
        let symbol = self.collection_name(ty, op);
        self.known(terms, symbol, args, result)
    }
}

fn depth(ty: &Type) -> u32 {
    match ty {
        Type::Seq(t) | Type::Set(t) | Type::Multiset(t) => 1 + depth(t),
        Type::Map(kv) => 1 + depth(&kv.0).max(depth(&kv.1)),
        Type::Domain(_, types) => 1 + types.iter().map(depth).max().unwrap_or(0),
        Type::Int | Type::Bool | Type::Perm | Type::Ref | Type::Param(_) => 0,
    }
}

/// The SMT-LIB sort that a domain stands for.
fn interpretation(program: &Program, id: DomainId) -> Option<String> {
    let list = program.domain(id).interpretations.as_ref()?;
    let (_, text) = list.iter().find(|(backend, _)| backend.as_str() == "SMTLIB")?;
    Some(text.as_str().to_string())
}

/// What the parameters in `pattern` must be for it to be `ty`; `false` if it cannot be.
fn unify(pattern: &Type, ty: &Type, args: &mut [Option<Type>]) -> bool {
    match (pattern, ty) {
        (Type::Param(i), ty) => match args.get_mut(*i as usize) {
            Some(Some(arg)) => arg == ty,
            Some(arg) => {
                *arg = Some(ty.clone());
                true
            }
            None => false,
        },
        (Type::Seq(p), Type::Seq(t))
        | (Type::Set(p), Type::Set(t))
        | (Type::Multiset(p), Type::Multiset(t)) => unify(p, t, args),
        (Type::Map(p), Type::Map(t)) => unify(&p.0, &t.0, args) && unify(&p.1, &t.1, args),
        (Type::Domain(d, p), Type::Domain(e, t)) => {
            d == e && p.iter().zip(t.iter()).all(|(p, t)| unify(p, t, args))
        }
        (pattern, ty) => pattern == ty,
    }
}

/// For every domain function, the other domains whose axioms mention it, with the type arguments
/// that they give it.
pub(crate) type Foreign = HashMap<DomainFunctionId, Vec<(DomainId, Arc<[Type]>)>>;

/// Finds out which axioms are about functions of other domains.
pub(crate) fn foreign_axioms(program: &Program) -> Foreign {
    let mut found = Foreign::new();
    for (i, domain) in program.domains.iter().enumerate() {
        let id = DomainId(i as u32);
        for axiom in &domain.axioms {
            axiom.body.walk(&mut |e| {
                if let ExprKind::DomainCall(f, _, types) = &e.kind
                    && program.domain_function(*f).domain != id
                {
                    let list = found.entry(*f).or_default();
                    let entry = (id, Arc::clone(types));
                    if !list.contains(&entry) {
                        list.push(entry);
                    }
                }
                true
            });
        }
    }
    found
}

/// The position of a function that an algebraic data type brings with it (a destructor, a
/// discriminator, the tag) among the functions of the type.
fn derived_index(program: &Program, id: DomainFunctionId) -> Option<usize> {
    let domain = program.domain(program.domain_function(id).domain);
    let adt = domain.adt.as_ref()?;
    if adt.constructors.iter().any(|constructor| constructor.function == id) {
        return None;
    }
    domain.functions.iter().position(|function| *function == id)
}
