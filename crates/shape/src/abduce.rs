//! Preconditions that are found, where nobody says what a procedure is called with: by abduction of what is missing.
//!
//! The analysis starts with parameters of which nothing is known. Where an access fails because a pointer that was given
//! leads nowhere, that pointer is given something: an object, or a list, a doubly linked list or a tree of records, by
//! its type (the missing heap of Calcagno and others 2009, generalised at once to the predicates of the records). It may be
//! null, unless that is what goes wrong next. The analysis starts again with that. So only what is accessed is asked for; of several ways to ask for it the one that asks for less comes
//! first. What is given by different parameters is separate.
//!
//! A precondition is found when no access can fail and nothing is lost, or else when no access can fail. It is sound
//! because the last analysis says so; that there is no weaker one is not claimed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use heap::run::Property;
use heap::{ProcId, Program, RecordId, Scalar, Target, Type, VarId};

use crate::engine::{Options, Outcome, analyse_from};
use crate::eval::values_of;
use crate::heap::{Cell, Heap, Kind, Obj, Seg, State, global};
use crate::join::overlaps;
use crate::preds::{Body, NEXT, PREV, Pred, PredId, SELF, SHARED, Shape};
use crate::start::Start;
use crate::term::{Sym, Term};

/// So many preconditions are tried.
const MAX_TRIES: usize = 200;
/// So many records are tried for a pointer of which no type is known.
const MAX_RECORDS: usize = 4;
/// What is given leads to other things so often.
const MAX_DEPTH: usize = 3;
/// So many pointers may be null, each in a state of its own.
const MAX_NULLABLE: usize = 4;
/// So many global objects are taken into account.
const MAX_GLOBALS: usize = 8;

/// What a pointer that is given leads to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Given {
    /// Nothing is known.
    Any,
    /// An object of a type, or null, with what the pointers in it lead to.
    Object(Pointee, Count, BTreeMap<i128, Given>),
    /// Records that are linked so, up to null, each with what its other pointers lead to.
    Nodes(RecordId, Links, Count, BTreeMap<i128, Given>),
}

/// What a pointer may lead to by its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Pointee {
    Record(RecordId),
    Scalar(Scalar),
    /// The object of this number.
    Global(usize),
}

/// Fields that link records with each other, by their places.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Links {
    List { next: i128 },
    Dlist { next: i128, prev: i128 },
    Tree { children: Vec<i128>, parent: Option<i128> },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Count {
    Any,
    AtLeastOne,
}

/// Which pointer: that of a parameter or global object, and places on the way from there.
type Way = (usize, Vec<i128>);

/// A precondition on its way, and the pointers in it of which nothing is known.
struct Asked {
    start: Start,
    open: BTreeMap<Sym, (Way, Scalar)>,
}

impl Given {
    /// How much it asks for.
    fn weight(&self) -> usize {
        let inner = |fields: &BTreeMap<i128, Given>| -> usize {
            // In an object a list that may be empty asks for less than another object.
            let extra = |given: &Given| 3 * usize::from(matches!(given, Given::Object(..)));
            fields.values().map(|given| given.weight() + extra(given)).sum()
        };
        match self {
            Given::Any => 0,
            Given::Object(Pointee::Global(_), _, fields) => inner(fields),
            Given::Object(_, count, fields) => {
                1 + usize::from(*count == Count::AtLeastOne) + inner(fields)
            }
            Given::Nodes(_, links, count, fields) => {
                let links = match links {
                    Links::List { .. } => 3,
                    Links::Tree { .. } => 5,
                    Links::Dlist { .. } => 6,
                };
                links + usize::from(*count == Count::AtLeastOne) + inner(fields)
            }
        }
    }

    /// With something else at the end of a way.
    fn at(&self, way: &[i128], new: &Given) -> Given {
        let [first, rest @ ..] = way else { return new.clone() };
        let mut given = self.clone();
        if let Given::Object(_, _, fields) | Given::Nodes(_, _, _, fields) = &mut given {
            let old = fields.get(first).unwrap_or(&Given::Any);
            let inner = old.at(rest, new);
            fields.insert(*first, inner);
        }
        given
    }

    /// The same with an object or a node where there may be none: one at a time.
    fn with_nodes(&self) -> Vec<Given> {
        let (Given::Object(_, _, fields) | Given::Nodes(_, _, _, fields)) = self else {
            return Vec::new();
        };
        let mut all = Vec::new();
        match self {
            Given::Nodes(id, links, Count::Any, fields) => {
                all.push(Given::Nodes(*id, links.clone(), Count::AtLeastOne, fields.clone()));
            }
            Given::Object(pointee, Count::Any, fields) => {
                all.push(Given::Object(*pointee, Count::AtLeastOne, fields.clone()));
            }
            _ => {}
        }
        for (at, inner) in fields {
            all.extend(inner.with_nodes().iter().map(|more| self.at(&[*at], more)));
        }
        all
    }
}

impl Given {
    /// Where in it there may be null instead of an object. What is inside of a node is there.
    fn nullable(&self, way: &Way, into: &mut Vec<Way>) {
        let Given::Object(_, count, fields) = self else { return };
        if *count == Count::Any {
            into.push(way.clone());
        }
        for (at, inner) in fields {
            let mut longer = way.clone();
            longer.1.push(*at);
            inner.nullable(&longer, into);
        }
    }

    /// The same with something that a pointer in the nodes of a list or tree leads to: one at a time.
    fn with_payload(&self, program: &Program, depth: usize) -> Vec<Given> {
        let (Given::Object(_, _, fields) | Given::Nodes(_, _, _, fields)) = self else {
            return Vec::new();
        };
        let mut all = Vec::new();
        if let Given::Nodes(id, links, _, fields) = self {
            let mut places = Vec::new();
            scalars(program, &Type::Record(*id), 0, &mut places);
            let open = places.iter().filter(|(at, _)| !links.has(*at) && !fields.contains_key(at));
            for (at, ty) in open {
                let more = choices(program, *ty, depth + 1);
                all.extend(more.iter().map(|new| self.at(&[*at], new)));
            }
        }
        for (at, inner) in fields {
            let more = inner.with_payload(program, depth + 1);
            all.extend(more.iter().map(|new| self.at(&[*at], new)));
        }
        all
    }
}

impl Links {
    fn has(&self, place: i128) -> bool {
        match self {
            Links::List { next } => *next == place,
            Links::Dlist { next, prev } => [*next, *prev].contains(&place),
            Links::Tree { children, parent } => children.contains(&place) || *parent == Some(place),
        }
    }
}

/// A precondition in which no access to memory can fail, and the analysis that says so. `None` if the procedure is
/// given no pointers, or no precondition was found.
#[must_use]
pub fn abduce(program: &Program, entry: ProcId, options: &Options) -> Option<(Start, Outcome)> {
    let decl = program.proc(entry);
    let params: Vec<Scalar> = decl.vars.iter().take(decl.params as usize).map(|v| v.ty).collect();
    let globals = globals(program);
    if globals.is_empty() && !params.iter().any(|ty| ty.is_pointer()) {
        return None;
    }
    let mut first: Vec<Given> = params.iter().map(|_| Given::Any).collect();
    let there = |i: &usize| Given::Object(Pointee::Global(*i), Count::AtLeastOne, BTreeMap::new());
    first.extend(globals.iter().map(there));
    let weight = |all: &[Given]| all.iter().map(Given::weight).sum::<usize>();
    let mut queue = BTreeSet::from([(weight(&first), first)]);
    let mut known = BTreeSet::new();
    let mut safe = None;
    while let Some((_, asked)) = queue.pop_first() {
        let now = Instant::now();
        let over = options.deadline.is_some_and(|deadline| now >= deadline);
        if over || options.cancelled.load(Ordering::Relaxed) || known.len() >= MAX_TRIES {
            break;
        }
        if !known.insert(asked.clone()) {
            continue;
        }
        // One that takes long must not keep others from being tried.
        let deadline = options.deadline.map(|end| now + end.saturating_duration_since(now) / 4);
        let hasty = Options { deadline, ..options.clone() };
        let Asked { start, open } = describe(program, &params, &asked);
        let outcome = analyse_from(program, entry, Some(&start), &hasty);
        if outcome.proves(Property::MemSafety) {
            if outcome.proves(Property::MemTrack) && !outcome.exits.is_empty() {
                return Some((start, outcome));
            }
            safe.get_or_insert((start, outcome));
            continue;
        }
        for more in stronger(program, &asked, &open, &outcome) {
            queue.insert((weight(&more), more));
        }
    }
    safe
}

/// The precondition that asks for nothing: parameters and global objects hold anything.
#[must_use]
pub fn anything(program: &Program, entry: ProcId) -> Start {
    let decl = program.proc(entry);
    let params: Vec<Scalar> = decl.vars.iter().take(decl.params as usize).map(|v| v.ty).collect();
    let nothing: Vec<Given> = params.iter().map(|_| Given::Any).collect();
    describe(program, &params, &nothing).start
}

/// Are there global pointers that may be written to?
#[must_use]
pub fn has_global_pointers(program: &Program) -> bool {
    !globals(program).is_empty()
}

/// Preconditions that ask for what is missing.
fn stronger(
    program: &Program,
    asked: &[Given],
    open: &BTreeMap<Sym, (Way, Scalar)>,
    outcome: &Outcome,
) -> Vec<Vec<Given>> {
    let put = |(number, way): &Way, new: &Given| -> Vec<Given> {
        let mut all = asked.to_vec();
        if let Some(given) = all.get_mut(*number) {
            *given = given.at(way, new);
        }
        all
    };
    let fill = |(way, ty): &(Way, Scalar)| -> Vec<Vec<Given>> {
        choices(program, *ty, way.1.len()).iter().map(|new| put(way, new)).collect()
    };
    let mut all = Vec::new();
    let mut missing =
        outcome.faults.iter().filter_map(|fault| open.get(&fault.missing?)).peekable();
    if missing.peek().is_some() {
        missing.for_each(|found| all.extend(fill(found)));
        return all;
    }
    // The null pointer is read where something is empty, or a callee or a node names it otherwise.
    for (number, given) in asked.iter().enumerate() {
        let more = given.with_nodes().into_iter().chain(given.with_payload(program, 0));
        all.extend(more.map(|new| put(&(number, Vec::new()), &new)));
    }
    open.values().for_each(|found| all.extend(fill(found)));
    all
}

/// Global objects that hold pointers and may be written to.
fn globals(program: &Program) -> Vec<usize> {
    let holds = |ty: &Type| {
        let mut places = Vec::new();
        scalars(program, ty, 0, &mut places);
        places.iter().any(|(_, ty)| ty.is_pointer())
    };
    let all = program.globals.iter().enumerate();
    all.filter(|(_, g)| !g.constant && holds(&g.ty)).map(|(i, _)| i).take(MAX_GLOBALS).collect()
}

/// What a pointer of which nothing is known may lead to instead.
fn choices(program: &Program, ty: Scalar, depth: usize) -> Vec<Given> {
    let Scalar::Ptr(target) = ty else { return Vec::new() };
    if depth >= MAX_DEPTH {
        return Vec::new();
    }
    let none = BTreeMap::new;
    match target {
        Target::Record(id) => {
            let mut all = nodes(program, id);
            all.push(Given::Object(Pointee::Record(id), Count::Any, none()));
            all
        }
        Target::Int(int) => {
            vec![Given::Object(Pointee::Scalar(Scalar::Int(int)), Count::Any, none())]
        }
        Target::Ptr => {
            let pointee = Pointee::Scalar(Scalar::Ptr(Target::Unknown));
            vec![Given::Object(pointee, Count::Any, none())]
        }
        // The type does not say what a pointer to a pointer leads to in the end: any record that has links.
        Target::Unknown if depth > 0 => {
            let records = (0..program.records.len()).map(|i| RecordId(i as u32));
            records.take(MAX_RECORDS).flat_map(|id| nodes(program, id)).collect()
        }
        Target::Unknown | Target::Proc => Vec::new(),
    }
}

/// The ways in which records of a kind may be linked with each other.
fn nodes(program: &Program, id: RecordId) -> Vec<Given> {
    let mut places = Vec::new();
    scalars(program, &Type::Record(id), 0, &mut places);
    let own: Vec<i128> = places
        .iter()
        .filter(|(_, ty)| matches!(ty, Scalar::Ptr(Target::Record(to)) if *to == id))
        .map(|(at, _)| *at)
        .collect();
    let mut links = Vec::new();
    match own[..] {
        [] => {}
        [next] => links.push(Links::List { next }),
        [a, b] => {
            links.push(Links::Dlist { next: a, prev: b });
            links.push(Links::Dlist { next: b, prev: a });
            links.push(Links::Tree { children: own.clone(), parent: None });
            links.extend([a, b].map(|next| Links::List { next }));
        }
        _ => {
            links.push(Links::Tree { children: own.clone(), parent: None });
            for parent in &own {
                let children = own.iter().copied().filter(|at| at != parent).collect();
                links.push(Links::Tree { children, parent: Some(*parent) });
            }
        }
    }
    links.into_iter().map(|links| Given::Nodes(id, links, Count::Any, BTreeMap::new())).collect()
}

/// The scalars in a type, by place.
fn scalars(program: &Program, ty: &Type, offset: u64, into: &mut Vec<(i128, Scalar)>) {
    match ty {
        Type::Scalar(scalar) => into.push((i128::from(offset), *scalar)),
        Type::Array(element, count) if *count <= 16 => {
            let size = program.size_of(element);
            (0..*count).for_each(|i| scalars(program, element, offset + i * size, into));
        }
        Type::Array(..) => {}
        Type::Record(id) => {
            for field in &program.record(*id).fields {
                scalars(program, &field.ty, offset + field.offset, into);
            }
        }
    }
}

/// The states that a precondition describes: for each choice of what is null.
fn describe(program: &Program, params: &[Scalar], asked: &[Given]) -> Asked {
    let mut start = Start::default();
    let mut nullable = Vec::new();
    for (number, given) in asked.iter().enumerate() {
        given.nullable(&(number, Vec::new()), &mut nullable);
    }
    nullable.truncate(MAX_NULLABLE);
    let mut open = BTreeMap::new();
    for choice in 0..1usize << nullable.len() {
        let null = nullable.iter().enumerate().filter(|(i, _)| choice >> i & 1 == 1);
        let null = null.map(|(_, way)| way.clone()).collect();
        let preds = std::mem::take(&mut start.preds);
        let mut giving = Giving { program, preds, open: BTreeMap::new(), null };
        let state = giving.state(params, asked);
        start.preds = giving.preds;
        open.extend(giving.open);
        if !start.states.contains(&state) {
            start.states.push(state);
        }
    }
    // Callers can still name what they gave.
    let pointers = params.iter().enumerate().filter(|(_, ty)| ty.is_pointer());
    start.anchors = pointers.map(|(i, _)| VarId(i as u32)).collect();
    Asked { start, open }
}

/// Builds the heap of a precondition.
struct Giving<'a> {
    program: &'a Program,
    preds: Vec<Pred>,
    open: BTreeMap<Sym, (Way, Scalar)>,
    /// Where there is null.
    null: BTreeSet<Way>,
}

impl Giving<'_> {
    fn state(&mut self, params: &[Scalar], asked: &[Given]) -> State {
        let mut state = State::default();
        for (number, given) in asked.iter().enumerate() {
            let way = (number, Vec::new());
            match (params.get(number), given) {
                (Some(ty), _) => {
                    let value = self.value(&mut state, *ty, given, &way);
                    state.vars.set(number, value);
                }
                (None, Given::Object(Pointee::Global(i), _, fields)) => {
                    let decl = self.program.globals.get(*i);
                    let Some(ty) = decl.map(|global| global.ty.clone()) else { continue };
                    let obj = self.object(&mut state, &ty, fields, &way);
                    let obj = Obj { kind: Kind::Global, ..obj };
                    state.heap.objs.insert(global(*i as u32), Arc::new(obj));
                }
                (None, _) => {}
            }
        }
        state
    }

    /// A value, with what it leads to.
    fn value(&mut self, state: &mut State, ty: Scalar, given: &Given, way: &Way) -> Term {
        match given {
            Given::Any => {
                let value = state.any(values_of(ty));
                if let (true, Some(sym)) = (ty.is_pointer(), value.base) {
                    self.open.insert(sym, (way.clone(), ty));
                }
                value
            }
            Given::Object(..) if self.null.contains(way) => {
                // Symbols are the same in all states, so that it is known which pointer is missing.
                let null = std::mem::take(&mut self.null);
                let mut other = state.clone();
                self.value(&mut other, ty, given, way);
                self.null = null;
                state.heap.fresh = other.heap.fresh;
                Term::NULL
            }
            Given::Object(pointee, _, fields) => {
                let at = state.heap.fresh();
                let ty = match pointee {
                    Pointee::Record(id) => Type::Record(*id),
                    Pointee::Scalar(ty) => Type::Scalar(*ty),
                    // No pointer is given one.
                    Pointee::Global(_) => return Term::sym(at),
                };
                let obj = self.object(state, &ty, fields, way);
                state.heap.objs.insert(at, Arc::new(obj));
                Term::sym(at)
            }
            Given::Nodes(id, links, count, fields) => {
                let pred = self.node(*id, links, fields);
                let number = self.preds.iter().position(|known| *known == pred);
                let number = number.unwrap_or_else(|| {
                    self.preds.push(pred);
                    self.preds.len() - 1
                });
                let root = Term::sym(state.heap.fresh());
                let last = match links {
                    Links::Dlist { .. } => Term::sym(state.heap.fresh()),
                    Links::List { .. } | Links::Tree { .. } => Term::NULL,
                };
                let nonempty = *count == Count::AtLeastOne;
                let pred = PredId(number as u32);
                state.heap.segs.push(Seg { pred, root, last, nonempty, ..Seg::nodes() });
                root
            }
        }
    }

    /// An object, with what the pointers in it lead to.
    fn object(
        &mut self,
        state: &mut State,
        ty: &Type,
        fields: &BTreeMap<i128, Given>,
        (number, way): &Way,
    ) -> Obj {
        let mut obj = object(self.program, ty);
        let mut places = Vec::new();
        scalars(self.program, ty, 0, &mut places);
        for (offset, ty) in places {
            let width = ty.bytes(self.program.model);
            // Members of a union share their place.
            if !overlaps(&obj, offset, width) && !matches!(ty, Scalar::Float(_)) {
                let given = fields.get(&offset).unwrap_or(&Given::Any);
                let mut longer = way.clone();
                longer.push(offset);
                let value = self.value(state, ty, given, &(*number, longer));
                obj.cells.insert(offset, Cell { width, ty, value });
            }
        }
        obj
    }

    /// The predicate of records that are linked so. What all nodes have in common, nothing is known of: a pointer in a
    /// node leads to something of its own.
    fn node(&mut self, id: RecordId, links: &Links, fields: &BTreeMap<i128, Given>) -> Pred {
        let (shape, next, prev, children) = match links {
            Links::List { next } => (Shape::List, Some(*next), None, Vec::new()),
            Links::Dlist { next, prev } => (Shape::Dlist, Some(*next), Some(*prev), Vec::new()),
            Links::Tree { children, parent } => (Shape::Tree, None, *parent, children.clone()),
        };
        let mut obj = object(self.program, &Type::Record(id));
        let heap = Heap { fresh: SHARED, ..Heap::default() };
        let mut state = State { heap, ..State::default() };
        let mut places = Vec::new();
        scalars(self.program, &Type::Record(id), 0, &mut places);
        for (offset, ty) in places {
            let width = ty.bytes(self.program.model);
            if overlaps(&obj, offset, width) {
                continue;
            }
            let value = match fields.get(&offset) {
                _ if Some(offset) == next => Term::sym(NEXT),
                _ if Some(offset) == prev => Term::sym(PREV),
                _ if children.contains(&offset) => state.any(values_of(ty)),
                Some(given) => {
                    // What is inside of a node has no way of its own, and is there.
                    let (open, null) = (self.open.clone(), std::mem::take(&mut self.null));
                    let value = self.value(&mut state, ty, given, &(0, Vec::new()));
                    (self.open, self.null) = (open, null);
                    value
                }
                None if matches!(ty, Scalar::Int(_)) => state.any(values_of(ty)),
                None => continue,
            };
            obj.cells.insert(offset, Cell { width, ty, value });
        }
        let mut heap = state.heap;
        heap.objs.insert(SELF, Arc::new(obj));
        Pred { shape, head: 0, shared: 0, bodies: vec![Body { heap, children }] }
    }
}

fn object(program: &Program, ty: &Type) -> Obj {
    let record = match ty {
        Type::Record(id) => Some(*id),
        Type::Scalar(_) | Type::Array(..) => None,
    };
    Obj {
        size: Term::int(i128::from(program.size_of(ty))),
        kind: Kind::Heap,
        cells: BTreeMap::new(),
        zeroed: false,
        constant: false,
        record,
    }
}
