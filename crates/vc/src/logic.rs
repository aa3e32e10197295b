//! GRASS [PWZ13, Sec. 3 and 6] as axioms: graph reachability by fields, sets, maps.
//!
//! Reachability is said by one predicate, `Btwn(f, x, y, z)`: following `f` from `x` one reaches `z`,
//! and `y` is met at or before the first `z`. Its axioms are told for *base* fields only, the ones at
//! the start of a unit and after calls and loops; of a field after a write, `upd(f, p, q)`, `Btwn` is
//! defined in terms of `f`, and the definition is enough. All axioms are local: instances are about
//! terms that occur, and patterns see to it that the solver makes no others.

use std::collections::{BTreeMap, HashMap, HashSet};

use smt::{Bound, FunId, Meaning, Quant, Quantifier, Sort, Term, Terms};
use spl::core::Type;

/// Terms, and what is to be said of the symbols in them.
pub(crate) struct Logic {
    pub terms: Terms,
    /// Are integers bit vectors?
    pub bits: bool,
    pub bit_ops: HashMap<(String, Vec<Sort>), FunId>,
    sorts: BTreeMap<Type, Sort>,
    types: HashMap<Sort, Type>,
    /// What has not been told to the solver yet.
    pub axioms: Vec<Term>,
    /// Comprehensions by their bodies, with parameters in place of what is closed.
    comprehensions: HashMap<(Term, Sort), FunId>,
    /// Variables of these definitions, by sort and number.
    variables: HashMap<(Sort, usize), (Bound, Term)>,
    told: HashSet<String>,
    /// Sets that are arguments of functions.
    arguments: HashMap<String, Vec<Term>>,
    /// What comprehensions mean.
    definitions: HashMap<FunId, Definition>,
    /// Axioms that say what the symbols of the theory mean.
    theory: HashSet<Term>,
}

/// `x ∈ f(params)` is `body`, or `f(params)[x]` is.
#[derive(Clone, Debug)]
struct Definition {
    params: Vec<Term>,
    element: Term,
    body: Term,
}

/// A symbol of the theory of reachability, sets and maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Symbol {
    Btwn,
    Read,
    Update,
    Member,
    Empty,
    Singleton,
    Union,
    Intersection,
    Difference,
    Comprehension,
    Occurs,
    /// Lengths, cells, and where these are.
    Array,
}

/// The axioms of the theory, by the beginnings of their names. All others say something of a program.
const THEORY: [&str; 11] = [
    "write",
    "read over write",
    "Btwn",
    "empty",
    "singleton",
    "union",
    "inter",
    "diff",
    "comprehension",
    "cell",
    "length",
];

impl Logic {
    pub fn new(bits: bool) -> Logic {
        Logic {
            bits,
            bit_ops: HashMap::new(),
            terms: Terms::new(),
            sorts: BTreeMap::new(),
            types: HashMap::new(),
            axioms: Vec::new(),
            comprehensions: HashMap::new(),
            variables: HashMap::new(),
            told: HashSet::new(),
            arguments: HashMap::new(),
            definitions: HashMap::new(),
            theory: HashSet::new(),
        }
    }

    /// What a function symbol means, if that is said by the theory and not by a program.
    pub fn symbol(&self, fun: FunId) -> Option<Symbol> {
        let name = &self.terms.signature.fun(fun).name;
        let (kind, _) = name.split_once('.')?;
        Some(match kind {
            "Btwn" => Symbol::Btwn,
            "read" => Symbol::Read,
            "upd" => Symbol::Update,
            "in" => Symbol::Member,
            "empty" => Symbol::Empty,
            "single" => Symbol::Singleton,
            "union" => Symbol::Union,
            "inter" => Symbol::Intersection,
            "diff" => Symbol::Difference,
            "comprehension" => Symbol::Comprehension,
            "occurs" => Symbol::Occurs,
            "cell" | "array" | "index" | "length" => Symbol::Array,
            _ => return None,
        })
    }

    /// What is known of the symbols of a program, beside what the theory says of its own.
    pub fn facts(&self) -> Vec<Term> {
        let said = |term: &Term| match self.terms.node(*term) {
            smt::Node::App(fun, _) => self.symbol(*fun) == Some(Symbol::Occurs),
            _ => self.theory.contains(term),
        };
        self.axioms.iter().filter(|term| !said(term)).copied().collect()
    }

    /// What a comprehension says of an element.
    pub fn defined(&mut self, comprehension: Term, element: Term) -> Option<Term> {
        let smt::Node::App(fun, args) = self.terms.node(comprehension).clone() else { return None };
        let definition = self.definitions.get(&fun)?.clone();
        let mut map: HashMap<Term, Term> =
            definition.params.iter().copied().zip(args.iter().copied()).collect();
        map.insert(definition.element, element);
        Some(self.terms.substitute(definition.body, &map))
    }

    /// `map[at]`, of which nobody is told that it occurs.
    pub fn read_of(&mut self, key: &Type, value: &Type, map: Term, at: Term) -> Term {
        let ty = Type::Map(key.clone().into(), value.clone().into());
        self.apply(&format!("read.{key}.{value}"), &[ty, key.clone()], value, &[map, at])
    }

    /// The sort of values of a type.
    pub fn sort(&mut self, ty: &Type) -> Sort {
        match ty {
            Type::Int | Type::Byte => return self.number_sort(ty),
            Type::Bool | Type::Perm | Type::Hole(_) => return Sort::Bool,
            _ => {}
        }
        if let Some(sort) = self.sorts.get(ty) {
            return *sort;
        }
        let sort = self.terms.signature.add_sort(format!("sort.{ty}"), Meaning::Uninterpreted);
        self.sorts.insert(ty.clone(), sort);
        self.types.insert(sort, ty.clone());
        match ty {
            Type::Set(of) => self.set_axioms(of),
            Type::Map(key, value) => self.map_axioms(key, value),
            Type::Cell(of) => self.array_axioms(of),
            _ => {}
        }
        sort
    }

    /// A sort that the solver knows by this text.
    pub fn builtin_sort(&mut self, ty: &Type, text: &str) -> Sort {
        if let Some(sort) = self.sorts.get(ty) {
            return *sort;
        }
        let sort = self.terms.signature.add_sort(text, Meaning::Builtin);
        self.sorts.insert(ty.clone(), sort);
        self.types.insert(sort, ty.clone());
        sort
    }

    /// The type of values of a sort.
    pub fn ty(&self, sort: Sort) -> Type {
        match sort {
            Sort::Bool => Type::Bool,
            Sort::Int | Sort::Real => Type::Int,
            Sort::Named(_) => self.types.get(&sort).cloned().unwrap_or(Type::Int),
        }
    }

    fn fun(&mut self, name: String, args: &[Type], result: &Type) -> FunId {
        let args: Vec<Sort> = args.iter().map(|ty| self.sort(ty)).collect();
        let result = self.sort(result);
        self.terms.fun_named(&name, &args, result, Meaning::Uninterpreted)
    }

    /// A function symbol of these types, applied.
    pub fn apply(&mut self, name: &str, types: &[Type], result: &Type, args: &[Term]) -> Term {
        let fun = self.fun(name.to_owned(), types, result);
        self.terms.app(fun, args)
    }

    /// A constant that is different from all others.
    pub fn fresh(&mut self, hint: &str, ty: &Type) -> Term {
        let sort = self.sort(ty);
        let term = self.terms.fresh(hint, sort);
        self.mark(ty, term);
        term
    }

    /// A variable for a quantifier.
    pub fn bound(&mut self, name: &str, ty: &Type) -> (Bound, Term) {
        let sort = self.sort(ty);
        self.terms.bound_var(name, sort)
    }

    /// For all values; the patterns say for which the solver looks.
    pub fn forall(
        &mut self,
        vars: &[Bound],
        triggers: Vec<Vec<Term>>,
        body: Term,
        name: &str,
    ) -> Term {
        self.terms.quant(Quant {
            quantifier: Quantifier::Forall,
            vars: vars.to_vec(),
            triggers,
            body,
            name: name.into(),
            weight: None,
        })
    }

    pub fn axiom(&mut self, vars: &[Bound], triggers: Vec<Vec<Term>>, body: Term, name: &str) {
        let axiom = self.forall(vars, triggers, body, name);
        if THEORY.iter().any(|known| name.starts_with(known)) {
            self.theory.insert(axiom);
        }
        self.axioms.push(axiom);
    }

    /// Is it the first time?
    pub fn first(&mut self, what: String) -> bool {
        self.told.insert(what)
    }

    /// The sets that were arguments at this place before; this one is from now on.
    pub fn arguments(&mut self, place: String, arg: Term) -> Vec<Term> {
        let known = self.arguments.entry(place).or_default();
        let before = known.clone();
        if !known.contains(&arg) {
            known.push(arg);
        }
        before
    }

    /// Are integers those of mathematics?
    pub fn is_unbounded(&self) -> bool {
        !self.bits
    }

    // --- Locations

    /// `null` of a reference type.
    pub fn null(&mut self, ty: &Type) -> Term {
        let sort = self.sort(ty);
        let null = self.terms.constant(&format!("null.{ty}"), sort);
        if self.first(format!("null {ty}")) {
            self.mark(ty, null);
        }
        null
    }

    /// Says that a location occurs: quantifiers whose variables are below no function range over
    /// these.
    pub fn mark(&mut self, ty: &Type, location: Term) {
        if ty.is_reference() {
            let mark = self.occurs(ty, location);
            self.axioms.push(mark);
        }
    }

    /// The pattern for a location that occurs.
    pub fn occurs(&mut self, ty: &Type, location: Term) -> Term {
        self.apply(&format!("occurs.{ty}"), std::slice::from_ref(ty), &Type::Bool, &[location])
    }

    // --- Maps

    pub fn read(&mut self, key: &Type, value: &Type, map: Term, at: Term) -> Term {
        let read = self.read_of(key, value, map, at);
        if value.is_reference()
            && self.terms.free(read).is_empty()
            && self.first(format!("occurs {read:?}"))
        {
            self.mark(value, read);
        }
        read
    }

    /// `map[at := to]`
    pub fn update(&mut self, key: &Type, value: &Type, map: Term, at: Term, to: Term) -> Term {
        let ty = Type::Map(key.clone().into(), value.clone().into());
        let name = format!("upd.{key}.{value}");
        let fun = self.fun(name, &[ty.clone(), key.clone(), value.clone()], &ty);
        // A second write to the same place replaces the first.
        let map = match self.terms.node(map) {
            smt::Node::App(other, args) if *other == fun && args.get(1) == Some(&at) => {
                args.first().copied().unwrap_or(map)
            }
            _ => map,
        };
        self.terms.app(fun, &[map, at, to])
    }

    fn map_axioms(&mut self, key: &Type, value: &Type) {
        let ty = Type::Map(key.clone().into(), value.clone().into());
        let (m, map) = self.bound("m", &ty);
        let (k, at) = self.bound("k", key);
        let (v, to) = self.bound("v", value);
        let (j, other) = self.bound("j", key);
        let name = format!("upd.{key}.{value}");
        let types = [ty.clone(), key.clone(), value.clone()];
        let new = self.apply(&name, &types, &ty, &[map, at, to]);
        let here = self.read(key, value, new, at);
        let same = self.terms.eq(here, to);
        self.axiom(&[m, k, v], vec![vec![new]], same, "write");
        let there = self.read(key, value, new, other);
        let before = self.read(key, value, map, other);
        let equal = self.terms.eq(other, at);
        let chosen = self.terms.ite(equal, to, before);
        let read = self.terms.eq(there, chosen);
        self.axiom(&[m, k, v, j], vec![vec![there]], read, "read over write");
        if key == value && key.is_reference() {
            self.btwn_after_update(key);
        }
    }

    /// Locations that are read before a write are read after it, too. Definitions are unfolded where something is
    /// read, so they need this; nothing else does.
    pub fn reads_go_on(&mut self, key: &Type, value: &Type) {
        let ty = Type::Map(key.clone().into(), value.clone().into());
        if !self.first(format!("reads go on {ty}")) {
            return;
        }
        let (m, map) = self.bound("m", &ty);
        let (k, at) = self.bound("k", key);
        let (v, to) = self.bound("v", value);
        let (j, other) = self.bound("j", key);
        let name = format!("upd.{key}.{value}");
        let types = [ty.clone(), key.clone(), value.clone()];
        let new = self.apply(&name, &types, &ty, &[map, at, to]);
        let (there, before) =
            (self.read_of(key, value, new, other), self.read_of(key, value, map, other));
        let equal = self.terms.eq(other, at);
        let chosen = self.terms.ite(equal, to, before);
        let read = self.terms.eq(there, chosen);
        self.axiom(&[m, k, v, j], vec![vec![new, before]], read, "read over write");
    }

    // --- Reachability

    /// `Btwn(f, x, y, z)`
    pub fn btwn(&mut self, ty: &Type, f: Term, x: Term, y: Term, z: Term) -> Term {
        let map = Type::Map(ty.clone().into(), ty.clone().into());
        let types = [map, ty.clone(), ty.clone(), ty.clone()];
        self.apply(&format!("Btwn.{ty}"), &types, &Type::Bool, &[f, x, y, z])
    }

    /// `Reach(f, x, y)`
    pub fn reach(&mut self, ty: &Type, f: Term, x: Term, y: Term) -> Term {
        self.btwn(ty, f, x, y, y)
    }

    /// The paper's `x -f\z-> y`: a path from `x` to `y` that does not leave `z`.
    pub fn without(&mut self, ty: &Type, f: Term, x: Term, y: Term, z: Term) -> Term {
        let on = self.btwn(ty, f, x, y, z);
        let reached = self.reach(ty, f, x, y);
        let never = self.reach(ty, f, x, z);
        let never = self.terms.not(never);
        let elsewhere = self.terms.and([reached, never]);
        self.terms.or([on, elsewhere])
    }

    /// Paths after a write `f[p := q]`: those that do not leave `p`, and those that use the new edge.
    fn btwn_after_update(&mut self, ty: &Type) {
        let map = Type::Map(ty.clone().into(), ty.clone().into());
        let (bf, f) = self.bound("f", &map);
        let [(bp, p), (bq, q), (bx, x), (by, y), (bz, z)] =
            ["p", "q", "x", "y", "z"].map(|name| self.bound(name, ty));
        let name = format!("upd.{ty}.{ty}");
        let new = self.apply(&name, &[map.clone(), ty.clone(), ty.clone()], &map, &[f, p, q]);
        let after = self.btwn(ty, new, x, y, z);
        let on = self.btwn(ty, f, x, y, z);
        let around = self.without(ty, f, x, z, p);
        let unused = self.terms.and([on, around]);
        let there = self.without(ty, f, x, p, z);
        let back = self.without(ty, f, q, z, p);
        let before = self.btwn(ty, f, x, y, p);
        let behind = self.btwn(ty, f, q, y, z);
        let either = self.terms.or([before, behind]);
        let ends = self.terms.eq(p, z);
        let goes_on = self.terms.not(ends);
        let used = self.terms.and([goes_on, there, back, either]);
        let meaning = self.terms.or([unused, used]);
        let defined = self.terms.eq(after, meaning);
        self.axiom(&[bf, bp, bq, bx, by, bz], vec![vec![after]], defined, "Btwn after write");
    }

    /// A new field, or any map: of those from a type to itself reachability is known.
    pub fn base_map(&mut self, hint: &str, key: &Type, value: &Type) -> Term {
        let ty = Type::Map(key.clone().into(), value.clone().into());
        let map = self.fresh(hint, &ty);
        if key == value && key.is_reference() {
            self.btwn_axioms(key, map);
        }
        map
    }

    /// [PWZ13, Sec. 8]: the axioms of reachability by a field.
    fn btwn_axioms(&mut self, ty: &Type, f: Term) {
        let [(bx, x), (by, y), (bz, z), (bu, u)] =
            ["x", "y", "z", "u"].map(|name| self.bound(name, ty));
        let xyz = self.btwn(ty, f, x, y, z);
        let reach = |l: &mut Logic, a: Term, b: Term| l.reach(ty, f, a, b);
        let (xx, xy, xz, yz) =
            (reach(self, x, x), reach(self, x, y), reach(self, x, z), reach(self, y, z));
        let next = self.read(ty, ty, f, x);
        let step = reach(self, x, next);
        let same = self.terms.eq(x, y);

        // Every location that is the start of a path is on it.
        let xxy = self.btwn(ty, f, x, x, y);
        let first = self.terms.implies(xy, xxy);
        let first = self.terms.and([xx, first]);
        self.axiom(&[bx, by], vec![vec![xy]], first, "Btwn refl");
        self.axiom(&[bx], vec![vec![next]], step, "Btwn step");
        let beyond = self.btwn(ty, f, x, next, y);
        let either = self.terms.or([same, beyond]);
        let reaches = self.terms.implies(xy, either);
        self.axiom(&[bx, by], vec![vec![next, xy]], reaches, "Btwn reach");
        let looping = self.terms.eq(next, x);
        let both = self.terms.and([looping, xy]);
        let cycle = self.terms.implies(both, same);
        self.axiom(&[bx, by], vec![vec![next, xy]], cycle, "Btwn cycle");
        let xyx = self.btwn(ty, f, x, y, x);
        let sandwich = self.terms.implies(xyx, same);
        self.axiom(&[bx, by], vec![vec![xyx]], sandwich, "Btwn sandwich");
        let xzy = self.btwn(ty, f, x, z, y);
        let both = self.terms.and([xy, xz]);
        let ordered = self.terms.or([xyz, xzy]);
        let order = self.terms.implies(both, ordered);
        self.axiom(&[bx, by, bz], vec![vec![xy, xz]], order, "Btwn order");
        let parts = self.terms.and([xy, yz, xz]);
        let parts = self.terms.implies(xyz, parts);
        self.axiom(&[bx, by, bz], vec![vec![xyz]], parts, "Btwn parts");
        // Of two locations on the same path only one is first.
        let twice = self.terms.and([xyz, xzy]);
        let equal = self.terms.eq(y, z);
        let once = self.terms.implies(twice, equal);
        self.axiom(&[bx, by, bz], vec![vec![xyz, xzy]], once, "Btwn once");
        let both = self.terms.and([xy, yz]);
        let trans = self.terms.implies(both, xz);
        self.axiom(&[bx, by, bz], vec![vec![xy, yz]], trans, "Btwn trans");
        let yuz = self.btwn(ty, f, y, u, z);
        let (xyu, xuz) = (self.btwn(ty, f, x, y, u), self.btwn(ty, f, x, u, z));
        let both = self.terms.and([xyz, yuz]);
        let inside = self.terms.and([xyu, xuz]);
        let trans = self.terms.implies(both, inside);
        self.axiom(&[bx, by, bz, bu], vec![vec![xyz, yuz]], trans, "Btwn trans behind");
        let (xuy, uyz) = (self.btwn(ty, f, x, u, y), self.btwn(ty, f, u, y, z));
        let both = self.terms.and([xyz, xuy]);
        let inside = self.terms.and([xuz, uyz]);
        let trans = self.terms.implies(both, inside);
        self.axiom(&[bx, by, bz, bu], vec![vec![xyz, xuy]], trans, "Btwn trans before");
    }

    /// A location on a path, other than its start, has a predecessor there. The other axioms have models with infinite
    /// paths where it has none. It is told where `back` is read, for paths from locations that occur: predecessors of
    /// predecessors would be without end.
    pub fn predecessors(&mut self, ty: &Type, along: Term, back: Term) {
        let [(bx, x), (by, y), (bz, z)] = ["x", "y", "z"].map(|name| self.bound(name, ty));
        let map = Type::Map(ty.clone().into(), ty.clone().into());
        let types = [map, ty.clone(), ty.clone()];
        let before = self.apply(&format!("predecessor.{ty}"), &types, ty, &[along, x, y]);
        let on_path = self.btwn(ty, along, x, y, z);
        let is_start = self.terms.eq(x, y);
        let earlier = self.btwn(ty, along, x, before, y);
        let next = self.read_of(ty, ty, along, before);
        let leads_here = self.terms.eq(next, y);
        let same = self.terms.eq(before, y);
        let other = self.terms.not(same);
        let found = self.terms.and([earlier, leads_here, other]);
        let not_on_path = self.terms.not(on_path);
        let body = self.terms.or([not_on_path, is_start, found]);
        let read = self.read_of(ty, ty, back, y);
        let occurs = self.occurs(ty, x);
        self.axiom(&[bx, by, bz], vec![vec![on_path, read, occurs]], body, "Btwn predecessor");
    }

    // --- Sets

    pub fn member(&mut self, of: &Type, element: Term, set: Term) -> Term {
        let types = [of.clone(), Type::Set(of.clone().into())];
        self.apply(&format!("in.{of}"), &types, &Type::Bool, &[element, set])
    }

    pub fn empty(&mut self, of: &Type) -> Term {
        self.apply(&format!("empty.{of}"), &[], &Type::Set(of.clone().into()), &[])
    }

    pub fn is_empty(&mut self, of: &Type, set: Term) -> bool {
        self.empty(of) == set
    }

    pub fn singleton(&mut self, of: &Type, element: Term) -> Term {
        let set = Type::Set(of.clone().into());
        self.apply(&format!("single.{of}"), std::slice::from_ref(of), &set, &[element])
    }

    /// The elements of a set that it lists.
    pub fn singletons(&mut self, of: &Type, set: Term) -> Vec<Term> {
        let (single, union) = (format!("single.{of}"), format!("union.{of}"));
        let mut found = Vec::new();
        let mut pending = vec![set];
        while let Some(term) = pending.pop() {
            if let smt::Node::App(fun, args) = self.terms.node(term) {
                let name = &*self.terms.signature.fun(*fun).name;
                if name == single {
                    found.extend(args.iter().copied());
                } else if name == union {
                    pending.extend(args.iter().copied());
                }
            }
        }
        found
    }

    fn set_op(&mut self, op: &str, of: &Type, a: Term, b: Term) -> Term {
        let set = Type::Set(of.clone().into());
        self.apply(&format!("{op}.{of}"), &[set.clone(), set.clone()], &set, &[a, b])
    }

    pub fn union(&mut self, of: &Type, a: Term, b: Term) -> Term {
        match (self.is_empty(of, a), self.is_empty(of, b)) {
            (true, _) => b,
            (_, true) => a,
            _ if a == b => a,
            _ => self.set_op("union", of, a, b),
        }
    }

    pub fn intersection(&mut self, of: &Type, a: Term, b: Term) -> Term {
        if self.is_empty(of, a) || a == b {
            return a;
        }
        self.set_op("inter", of, a, b)
    }

    pub fn difference(&mut self, of: &Type, a: Term, b: Term) -> Term {
        if self.is_empty(of, a) || self.is_empty(of, b) {
            return a;
        }
        if a == b {
            return self.empty(of);
        }
        self.set_op("diff", of, a, b)
    }

    /// `S ⊆ T`
    pub fn subset(&mut self, of: &Type, a: Term, b: Term) -> Term {
        if self.is_empty(of, a) || a == b {
            return self.terms.bool(true);
        }
        let (bx, x) = self.bound("x", of);
        let (here, there) = (self.member(of, x, a), self.member(of, x, b));
        let body = self.terms.implies(here, there);
        self.forall(&[bx], vec![vec![here], vec![there]], body, "subset")
    }

    /// `S ∩ T = ∅`
    pub fn disjoint(&mut self, of: &Type, a: Term, b: Term) -> Term {
        if self.is_empty(of, a) || self.is_empty(of, b) {
            return self.terms.bool(true);
        }
        let (bx, x) = self.bound("x", of);
        let (here, there) = (self.member(of, x, a), self.member(of, x, b));
        let both = self.terms.and([here, there]);
        let body = self.terms.not(both);
        self.forall(&[bx], vec![vec![here], vec![there]], body, "disjoint")
    }

    fn set_axioms(&mut self, of: &Type) {
        let set = Type::Set(of.clone().into());
        let (bx, x) = self.bound("x", of);
        let (by, y) = self.bound("y", of);
        let [(bs, s), (bt, t)] = ["S", "T"].map(|name| self.bound(name, &set));
        let empty = self.empty(of);
        let nothing = self.member(of, x, empty);
        let body = self.terms.not(nothing);
        self.axiom(&[bx], vec![vec![nothing]], body, "empty");
        let single = self.singleton(of, y);
        let (in_it, itself) = (self.member(of, x, single), self.member(of, y, single));
        let equal = self.terms.eq(x, y);
        let body = self.terms.eq(in_it, equal);
        self.axiom(&[bx, by], vec![vec![in_it]], body, "singleton");
        self.axiom(&[by], vec![vec![single]], itself, "singleton");
        let (xs, xt) = (self.member(of, x, s), self.member(of, x, t));
        let not_t = self.terms.not(xt);
        let meanings = [
            ("union", self.terms.or([xs, xt])),
            ("inter", self.terms.and([xs, xt])),
            ("diff", self.terms.and([xs, not_t])),
        ];
        for (op, meaning) in meanings {
            let result = self.set_op(op, of, s, t);
            let member = self.member(of, x, result);
            let body = self.terms.eq(member, meaning);
            // Downwards, and for elements of the parts upwards.
            let triggers = vec![vec![member], vec![result, xs], vec![result, xt]];
            self.axiom(&[bx, bs, bt], triggers, body, op);
        }
    }

    /// Two sets with the same elements are equal: needed where sets are arguments of functions.
    pub fn extensional(&mut self, of: &Type, a: Term, b: Term) {
        if a == b {
            return;
        }
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        if !self.terms.free(a).is_empty() || !self.terms.free(b).is_empty() {
            return;
        }
        if !self.first(format!("ext {a:?} {b:?}")) {
            return;
        }
        let witness = self.fresh("differs", of);
        let (in_a, in_b) = (self.member(of, witness, a), self.member(of, witness, b));
        let agree = self.terms.eq(in_a, in_b);
        let equal = self.terms.eq(a, b);
        let axiom = self.terms.implies(agree, equal);
        self.axioms.push(axiom);
    }

    /// `{x :: body}`, a set or a map: a function of the terms in the body that do not mention `x`. So
    /// equal arguments give equal sets, and one definition is for all heaps.
    pub fn comprehension(&mut self, ty: &Type, element: &Type, var: Bound, body: Term) -> Term {
        let sort = self.sort(element);
        let (own, own_term) = self.variable(sort, 0);
        let from = self.terms.bound_term(var);
        let map = HashMap::from([(from, own_term)]);
        let body = self.terms.substitute(body, &map);
        let outer: HashSet<Bound> =
            self.terms.free(body).iter().copied().filter(|v| *v != own).collect();
        let mut args: Vec<Term> = Vec::new();
        self.parameters(body, &outer, &mut HashSet::new(), &mut args);
        let mut vars = Vec::new();
        let mut params = Vec::new();
        let mut map = HashMap::new();
        for (index, arg) in args.iter().enumerate() {
            let (b, term) = self.variable(self.terms.sort(*arg), index + 1);
            vars.push(b);
            params.push(term);
            map.insert(*arg, term);
        }
        let pattern = self.terms.substitute(body, &map);
        let known = self.comprehensions.get(&(pattern, sort)).copied();
        let fun = match known {
            Some(fun) => fun,
            None => {
                let sorts: Vec<Sort> = args.iter().map(|arg| self.terms.sort(*arg)).collect();
                let result = self.sort(ty);
                let name = format!("comprehension.{}", self.comprehensions.len());
                let fun = self.terms.fun_named(&name, &sorts, result, Meaning::Uninterpreted);
                let definition =
                    Definition { params: params.clone(), element: own_term, body: pattern };
                self.definitions.insert(fun, definition);
                let whole = self.terms.app(fun, &params);
                let at = match ty {
                    Type::Map(key, value) => self.read(key, value, whole, own_term),
                    _ => self.member(element, own_term, whole),
                };
                let defined = self.terms.eq(at, pattern);
                vars.push(own);
                let mut triggers = vec![vec![at]];
                // Of a set of locations it is known of each location that occurs whether it is in it:
                // that is the instance which the locality of the definition asks for.
                if matches!(ty, Type::Set(_)) && element.is_reference() {
                    let occurs = self.occurs(element, own_term);
                    triggers.push(vec![whole, occurs]);
                }
                self.axiom(&vars, triggers, defined, "comprehension");
                self.comprehensions.insert((pattern, sort), fun);
                fun
            }
        };
        self.terms.app(fun, &args)
    }

    /// The variable of this number, of this sort, for definitions that are shared.
    fn variable(&mut self, sort: Sort, number: usize) -> (Bound, Term) {
        if let Some(known) = self.variables.get(&(sort, number)) {
            return *known;
        }
        let new = self.terms.bound_var("parameter", sort);
        self.variables.insert((sort, number), new);
        new
    }

    /// The largest terms in a body whose variables are all bound outside of it.
    fn parameters(
        &self,
        term: Term,
        outer: &HashSet<Bound>,
        seen: &mut HashSet<Term>,
        found: &mut Vec<Term>,
    ) {
        if !seen.insert(term) {
            return;
        }
        let closed = self.terms.free(term).iter().all(|v| outer.contains(v));
        let value = matches!(self.terms.node(term), smt::Node::App(..) | smt::Node::Bound(_));
        if closed && value && self.terms.sort(term) != Sort::Bool {
            found.push(term);
            return;
        }
        for child in self.terms.children(term) {
            self.parameters(child, outer, seen, found);
        }
    }

    // --- Arrays

    pub fn length(&mut self, of: &Type, array: Term) -> Term {
        let ty = Type::Array(of.clone().into());
        self.sort(&Type::Cell(of.clone().into()));
        self.apply(&format!("length.{of}"), &[ty], &Type::Int, &[array])
    }

    pub fn cell(&mut self, of: &Type, array: Term, index: Term) -> Term {
        let types = [Type::Array(of.clone().into()), Type::Int];
        self.apply(&format!("cell.{of}"), &types, &Type::Cell(of.clone().into()), &[array, index])
    }

    /// `a.cells`, a map from indices.
    pub fn cells(&mut self, of: &Type, array: Term) -> Term {
        let ty = Type::Array(of.clone().into());
        let cell = Type::Cell(of.clone().into());
        let map = Type::Map(Type::Int.into(), cell.clone().into());
        let name = format!("cells.{of}");
        if self.first(name.clone()) {
            let (ba, a) = self.bound("a", &ty);
            let (bi, i) = self.bound("i", &Type::Int);
            let all = self.apply(&name, std::slice::from_ref(&ty), &map, &[a]);
            let (read, one) = (self.read(&Type::Int, &cell, all, i), self.cell(of, a, i));
            let same = self.terms.eq(read, one);
            self.axiom(&[ba, bi], vec![vec![read]], same, "cells");
        }
        self.apply(&name, &[ty], &map, &[array])
    }

    pub fn cell_array(&mut self, of: &Type, cell: Term) -> Term {
        let ty = Type::Array(of.clone().into());
        self.apply(&format!("array.{of}"), &[Type::Cell(of.clone().into())], &ty, &[cell])
    }

    pub fn cell_index(&mut self, of: &Type, cell: Term) -> Term {
        self.apply(&format!("index.{of}"), &[Type::Cell(of.clone().into())], &Type::Int, &[cell])
    }

    /// Cells and pairs of an array and an index are the same; an array has a length.
    fn array_axioms(&mut self, of: &Type) {
        let (array_type, cell_type) =
            (Type::Array(of.clone().into()), Type::Cell(of.clone().into()));
        let (ba, a) = self.bound("a", &array_type);
        let (bi, i) = self.bound("i", &Type::Int);
        let (bc, c) = self.bound("c", &cell_type);
        let (no_array, no_cell) = (self.null(&array_type), self.null(&cell_type));
        let cell = self.cell(of, a, i);
        let (back, index) = (self.cell_array(of, cell), self.cell_index(of, cell));
        let same = self.terms.eq(back, a);
        let at = self.terms.eq(index, i);
        let is_null = self.terms.eq(a, no_array);
        let none = self.terms.eq(cell, no_cell);
        let some = self.terms.not(none);
        let some = self.terms.or([is_null, some]);
        let body = self.terms.and([same, at, some]);
        self.axiom(&[ba, bi], vec![vec![cell]], body, "cell");
        let (array, index) = (self.cell_array(of, c), self.cell_index(of, c));
        let again = self.cell(of, array, index);
        let same = self.terms.eq(again, c);
        let is_null = self.terms.eq(c, no_cell);
        let body = self.terms.or([is_null, same]);
        self.axiom(&[bc], vec![vec![array], vec![index]], body, "cell back");
        let length = self.length(of, a);
        let zero = self.int(0);
        let positive = self.at_most(&Type::Int, zero, length);
        let is_null = self.terms.eq(a, no_array);
        let body = self.terms.or([is_null, positive]);
        self.axiom(&[ba], vec![vec![length]], body, "length");
    }
}
