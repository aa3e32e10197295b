//! Values of existential variables for which a symbolic heap holds: unification along the heap, with backtracking over
//! the cases of definitions.

use heap::run::{Life, Object, Owner, Pointer, Value};

use super::{Atom, Definition, Holds, Pure, State, SymbolicHeap, Term};

/// So many atoms are looked at.
const FUEL: u32 = 20_000;
/// So deep instances are replaced by their cases; each level has a copy of what is known.
const DEPTH: u32 = 600;
/// So many objects are tried for places that nothing tells.
const GUESSES: u32 = 60;
/// So many instances are unfolded; for each there is a copy of what is known.
const UNFOLDED: u32 = 900;

/// Does a symbolic heap hold?
pub(super) fn satisfies(
    heap: &SymbolicHeap,
    definitions: &[Definition],
    state: State<'_>,
) -> Holds {
    let mut search = Search {
        definitions,
        state,
        fuel: FUEL,
        depth: 0,
        guesses: GUESSES,
        unfolded: UNFOLDED,
        uncertain: false,
    };
    let mut world = World::default();
    let base = world.fresh(heap.exists);
    world.add(heap, base);
    match (search.solve(world), search.uncertain) {
        (true, _) => Holds::Yes,
        (false, true) => Holds::NotEvaluated,
        (false, false) => Holds::No,
    }
}

/// A term in which variables are numbered through.
#[derive(Clone, Debug)]
struct Scoped {
    term: Term,
    /// The first variable of its scope.
    base: u32,
}

#[derive(Clone, Debug)]
enum Task {
    Cells { at: Scoped, size: Option<Scoped>, on_heap: bool, cells: Vec<(i64, u8, Scoped)> },
    Instance { definition: usize, args: Vec<Scoped> },
}

/// What is still to be shown, and what is known so far.
#[derive(Clone, Debug, Default)]
pub(super) struct World {
    pub(super) values: Vec<Option<Value>>,
    tasks: Vec<Task>,
    pub(super) facts: Vec<(Pure, u32)>,
    /// Bytes that an atom describes: object, first, one past the last.
    taken: Vec<(u32, i64, i64)>,
}

impl World {
    fn fresh(&mut self, count: u32) -> u32 {
        let base = self.values.len() as u32;
        self.values.resize(self.values.len() + count as usize, None);
        base
    }

    fn add(&mut self, heap: &SymbolicHeap, base: u32) {
        let scoped = |term: &Term| Scoped { term: term.clone(), base };
        for atom in &heap.atoms {
            self.tasks.push(match atom {
                Atom::Cells { at, size, on_heap, cells } => Task::Cells {
                    at: scoped(at),
                    on_heap: *on_heap,
                    size: size.as_ref().map(scoped),
                    cells: cells.iter().map(|(o, b, value)| (*o, *b, scoped(value))).collect(),
                },
                Atom::Instance { definition, args } => Task::Instance {
                    definition: *definition,
                    args: args.iter().map(scoped).collect(),
                },
            });
        }
        self.facts.extend(heap.pure.iter().map(|fact| (fact.clone(), base)));
    }

    /// The value of a variable of a scope.
    fn variable(&mut self, base: u32, var: u32) -> Option<&mut Option<Value>> {
        self.values.get_mut((base + var) as usize)
    }

    /// Are these bytes described by no atom yet? Then they are now.
    fn take(&mut self, object: u32, start: i64, end: i64) -> bool {
        let free = |(o, from, to): &(u32, i64, i64)| *o != object || end <= *from || *to <= start;
        if !self.taken.iter().all(free) {
            return false;
        }
        self.taken.push((object, start, end));
        true
    }
}

pub(super) struct Search<'a> {
    definitions: &'a [Definition],
    pub(super) state: State<'a>,
    fuel: u32,
    depth: u32,
    guesses: u32,
    unfolded: u32,
    /// Was something left open?
    uncertain: bool,
}

/// Truth, as far as values are known.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Truth {
    Yes,
    No,
    Unknown,
}

impl Search<'_> {
    pub(super) fn eval(&self, world: &World, term: &Term, base: u32) -> Option<Value> {
        match term {
            Term::Var(var) => match self.state.registers.get(var.index())? {
                Value::Undef | Value::Garbage => None,
                value => Some(*value),
            },
            Term::Global(id) => Some(Value::Ptr(Pointer { object: id.0, offset: 0 })),
            Term::Local(id) => {
                // The one of the innermost activation is the newest.
                let owner = Owner::Local(self.state.proc, id.0);
                let objects = self.state.memory.objects();
                let number =
                    objects.iter().rposition(|o| o.owner == owner && o.life == Life::Live)?;
                Some(Value::Ptr(Pointer { object: number as u32, offset: 0 }))
            }
            Term::Proc(id) => Some(Value::Proc(*id)),
            Term::Exists(var) => *world.values.get((base + var) as usize)?,
            Term::Int(n) => Some(Value::Int(*n)),
            Term::Plus(a, b) => match (self.eval(world, a, base)?, self.eval(world, b, base)?) {
                (Value::Int(a), Value::Int(b)) => Some(Value::Int(a.checked_add(b)?)),
                (Value::Ptr(p), Value::Int(n)) | (Value::Int(n), Value::Ptr(p)) => {
                    let offset = p.offset.checked_add(i64::try_from(n).ok()?)?;
                    Some(Value::Ptr(Pointer { offset, ..p }))
                }
                _ => None,
            },
            Term::Times(n, a) => {
                let a = self.state.memory.number(self.eval(world, a, base)?);
                Some(Value::Int(n.checked_mul(a)?))
            }
        }
    }

    /// Is this a variable that was never set?
    fn is_anything(&self, term: &Term) -> bool {
        let Term::Var(var) = term else { return false };
        let value = self.state.registers.get(var.index());
        matches!(value, None | Some(Value::Undef | Value::Garbage))
    }

    /// Makes a term have a value, if that is a matter of one variable.
    fn unify(&mut self, world: &mut World, term: &Term, base: u32, value: Value) -> Truth {
        if let Some(known) = self.eval(world, term, base) {
            return same(known, value);
        }
        match term {
            Term::Exists(var) => match world.variable(base, *var) {
                Some(place) => {
                    *place = Some(value);
                    Truth::Yes
                }
                None => Truth::Unknown,
            },
            Term::Plus(a, b) => {
                let (open, known) = match (self.eval(world, a, base), self.eval(world, b, base)) {
                    (None, Some(known)) => (a, known),
                    (Some(known), None) => (b, known),
                    _ => return Truth::Unknown,
                };
                match minus(value, known) {
                    Some(rest) => self.unify(world, open, base, rest),
                    None => Truth::Unknown,
                }
            }
            _ => Truth::Unknown,
        }
    }

    /// Is there a way to satisfy all that is left?
    fn solve(&mut self, mut world: World) -> bool {
        loop {
            if self.fuel == 0 {
                self.uncertain = true;
                return false;
            }
            self.fuel -= 1;
            if !self.propagate(&mut world) {
                return false;
            }
            // Cells whose place is known leave no choice.
            let known = world.tasks.iter().position(|task| match task {
                Task::Cells { at, .. } => self.eval(&world, &at.term, at.base).is_some(),
                Task::Instance { .. } => false,
            });
            if let Some(i) = known {
                let Task::Cells { at, size, on_heap, cells } = world.tasks.swap_remove(i) else {
                    return false;
                };
                if !self.cells(&mut world, &at, (size.as_ref(), on_heap), &cells) {
                    return false;
                }
                continue;
            }
            // Then the instance of which most is known.
            let known_args = |args: &[Scoped], world: &World| {
                args.iter().filter(|a| self.eval(world, &a.term, a.base).is_some()).count()
            };
            let best = world
                .tasks
                .iter()
                .enumerate()
                .filter_map(|(i, task)| match task {
                    Task::Instance { args, .. } => Some((known_args(args, &world), i)),
                    Task::Cells { .. } => None,
                })
                .max();
            let Some((known, i)) = best else { return self.rest(world) };
            if known == 0 {
                self.uncertain = true;
                return false;
            }
            let Task::Instance { definition, args } = world.tasks.swap_remove(i) else {
                return false;
            };
            if self.unfolded == 0 {
                self.uncertain = true;
                return false;
            }
            self.unfolded -= 1;
            let mut cases = self.cases(&world, definition, &args);
            match (cases.pop(), cases.len()) {
                (None, _) => return false,
                // A long list takes no stack.
                (Some(only), 0) => world = only,
                (Some(last), _) => {
                    cases.push(last);
                    return self.one_of(cases);
                }
            }
        }
    }

    /// One of several ways to go on.
    fn one_of(&mut self, worlds: Vec<World>) -> bool {
        if self.depth >= DEPTH {
            self.uncertain = true;
            return false;
        }
        self.depth += 1;
        let solved = worlds.into_iter().any(|world| self.solve(world));
        self.depth -= 1;
        solved
    }

    /// No instance is left: cells at a place that nothing tells, facts about values that nothing tells.
    fn rest(&mut self, mut world: World) -> bool {
        // One of the cases of a fact.
        let or = world.facts.iter().position(|(fact, _)| matches!(fact, Pure::Or(_)));
        if let Some(i) = or {
            let (Pure::Or(cases), base) = world.facts.swap_remove(i) else { return false };
            let with = |case: Vec<Pure>| {
                let mut world = world.clone();
                world.facts.extend(case.into_iter().map(|fact| (fact, base)));
                world
            };
            return self.one_of(cases.into_iter().map(with).collect());
        }
        // A whole object is one of those that there are.
        if let Some(Task::Cells { at: Scoped { term: Term::Exists(var), base }, size, .. }) =
            world.tasks.first()
        {
            let (place, whole) = (base + var, size.is_some());
            self.uncertain |= !whole;
            let live = self.state.memory.objects().iter().enumerate();
            let live = live.filter(|(_, object)| whole && object.life == Life::Live);
            let with = |(number, _): (usize, &Object)| {
                let mut world = world.clone();
                if let Some(value) = world.values.get_mut(place as usize) {
                    *value = Some(Value::Ptr(Pointer { object: number as u32, offset: 0 }));
                }
                world
            };
            let mut worlds: Vec<World> = live.map(with).collect();
            let tried = worlds.len().min(self.guesses as usize);
            self.uncertain |= tried < worlds.len();
            worlds.truncate(tried);
            self.guesses -= tried as u32;
            return self.one_of(worlds);
        }
        if world.tasks.is_empty() {
            match self.settle(&world) {
                Truth::Yes => return true,
                Truth::No => return false,
                Truth::Unknown => {}
            }
        }
        self.uncertain = true;
        false
    }

    /// The cases of a definition, but for those that facts exclude at once.
    fn cases(&mut self, world: &World, definition: usize, args: &[Scoped]) -> Vec<World> {
        let definitions = self.definitions;
        let mut found = Vec::new();
        let Some(definition) = definitions.get(definition) else {
            self.uncertain = true;
            return found;
        };
        for case in &definition.cases {
            let mut world = world.clone();
            let base = world.fresh(definition.params + case.exists);
            world.add(case, base);
            let mut possible = true;
            for (i, arg) in args.iter().enumerate() {
                let param = Term::Exists(i as u32);
                if let Some(value) = self.eval(&world, &arg.term, arg.base) {
                    possible &= self.unify(&mut world, &param, base, value) != Truth::No;
                } else {
                    // Both are the same: a fact, until one of them is known.
                    let fact =
                        Pure::Eq(Term::Exists(base + i as u32), shifted(&arg.term, arg.base));
                    world.facts.push((fact, 0));
                }
            }
            if possible && self.propagate(&mut world) {
                found.push(world);
            }
        }
        found
    }

    /// Cells at a place that is known.
    fn cells(
        &mut self,
        world: &mut World,
        at: &Scoped,
        (size, on_heap): (Option<&Scoped>, bool),
        cells: &[(i64, u8, Scoped)],
    ) -> bool {
        let memory = self.state.memory;
        let Some(Value::Ptr(place)) = self.eval(world, &at.term, at.base) else { return false };
        let Some(object) = memory.object(place.object).filter(|o| o.life == Life::Live) else {
            return false;
        };
        if let Some(size) = size {
            let known = Value::Int(object.size.into());
            let there = place.offset == 0 && (!on_heap || object.owner == Owner::Heap);
            match self.unify(world, &size.term, size.base, known) {
                Truth::Yes if there => {}
                Truth::Unknown => self.uncertain = true,
                _ => return false,
            }
            if !world.take(place.object, i64::MIN, i64::MAX) {
                return false;
            }
        }
        for (offset, bytes, value) in cells {
            let Some(start) = place.offset.checked_add(*offset) else { return false };
            let end = start.saturating_add(i64::from(*bytes));
            if start < 0 || end as u64 > object.size {
                return false;
            }
            if size.is_none() && !world.take(place.object, start, end) {
                return false;
            }
            // What is not initialised is any value, so also this one.
            let Some(found) = stored(object, start as u64, *bytes) else { continue };
            match self.unify(world, &value.term, value.base, found) {
                Truth::Yes => {}
                Truth::No => return false,
                Truth::Unknown => {
                    let found = Term::Exists(hold(world, found));
                    world.facts.push((Pure::Eq(shifted(&value.term, value.base), found), 0));
                }
            }
        }
        true
    }

    /// Looks at facts until nothing more is learnt. Is none of them wrong?
    fn propagate(&mut self, world: &mut World) -> bool {
        loop {
            let facts = std::mem::take(&mut world.facts);
            let before = facts.len();
            let mut kept = Vec::new();
            for (fact, base) in facts {
                match self.fact(world, &fact, base) {
                    Truth::Yes => {}
                    Truth::No => return false,
                    Truth::Unknown => kept.push((fact, base)),
                }
            }
            let learnt = kept.len() < before;
            kept.append(&mut world.facts);
            world.facts = kept;
            if !learnt || world.facts.is_empty() {
                return true;
            }
        }
    }

    pub(super) fn fact(&mut self, world: &mut World, fact: &Pure, base: u32) -> Truth {
        match fact {
            // What is not initialised is any value, so also this one.
            Pure::Eq(a, b) if self.is_anything(a) || self.is_anything(b) => Truth::Yes,
            Pure::Eq(a, b) => match (self.eval(world, a, base), self.eval(world, b, base)) {
                (Some(a), Some(b)) => same(a, b),
                (Some(value), None) => self.unify(world, b, base, value),
                (None, Some(value)) => self.unify(world, a, base, value),
                (None, None) => Truth::Unknown,
            },
            Pure::Ne(a, b) => match (self.eval(world, a, base), self.eval(world, b, base)) {
                (Some(a), Some(b)) => match same(a, b) {
                    Truth::Yes => Truth::No,
                    Truth::No => Truth::Yes,
                    Truth::Unknown => Truth::Unknown,
                },
                _ => Truth::Unknown,
            },
            Pure::Le(a, b) => match (self.eval(world, a, base), self.eval(world, b, base)) {
                (Some(a), Some(b)) => {
                    let number = |value| self.state.memory.number(value);
                    if number(a) <= number(b) { Truth::Yes } else { Truth::No }
                }
                _ => Truth::Unknown,
            },
            Pure::Or(cases) => {
                let mut open = false;
                for case in cases {
                    let mut all = Truth::Yes;
                    for fact in case {
                        // Values must not be learnt from one case only.
                        let mut copy = world.clone();
                        match self.fact(&mut copy, fact, base) {
                            Truth::No => all = Truth::No,
                            Truth::Unknown if all == Truth::Yes => all = Truth::Unknown,
                            Truth::Yes if copy.values != world.values && all == Truth::Yes => {
                                all = Truth::Unknown;
                            }
                            _ => {}
                        }
                    }
                    match all {
                        Truth::Yes => return Truth::Yes,
                        Truth::Unknown => open = true,
                        Truth::No => {}
                    }
                }
                if open { Truth::Unknown } else { Truth::No }
            }
        }
    }
}

/// A new variable that has this value.
fn hold(world: &mut World, value: Value) -> u32 {
    let var = world.fresh(1);
    if let Some(place) = world.variable(var, 0) {
        *place = Some(value);
    }
    var
}

/// A term of a scope as one of the scope that starts at 0.
fn shifted(term: &Term, base: u32) -> Term {
    match term {
        Term::Exists(var) => Term::Exists(base + var),
        Term::Plus(a, b) => Term::Plus(Box::new(shifted(a, base)), Box::new(shifted(b, base))),
        Term::Times(n, a) => Term::Times(*n, Box::new(shifted(a, base))),
        other => other.clone(),
    }
}

fn same(a: Value, b: Value) -> Truth {
    match (a, b) {
        (Value::Undef | Value::Garbage, _) | (_, Value::Undef | Value::Garbage) => Truth::Unknown,
        // A pointer that became a number for a while.
        (Value::Ptr(_), Value::Int(n)) | (Value::Int(n), Value::Ptr(_))
            if n.unsigned_abs() >= 4096 =>
        {
            Truth::Unknown
        }
        (a, b) if a == b => Truth::Yes,
        _ => Truth::No,
    }
}

fn minus(value: Value, known: Value) -> Option<Value> {
    match (value, known) {
        (Value::Int(a), Value::Int(b)) => Some(Value::Int(a.checked_sub(b)?)),
        (Value::Ptr(p), Value::Int(n)) => {
            let offset = p.offset.checked_sub(i64::try_from(n).ok()?)?;
            Some(Value::Ptr(Pointer { offset, ..p }))
        }
        (Value::Ptr(p), Value::Ptr(q)) if p.object == q.object => {
            Some(Value::Int(i128::from(p.offset) - i128::from(q.offset)))
        }
        _ => None,
    }
}

/// What was stored at a place; `None` if that is not one value.
fn stored(object: &Object, offset: u64, bytes: u8) -> Option<Value> {
    let end = offset + u64::from(bytes);
    let mut touched = false;
    for (start, width, value) in object.values() {
        if start == offset && width == bytes {
            return match value {
                Value::Undef | Value::Garbage => None,
                value => Some(value),
            };
        }
        touched |= start < end && offset < start + u64::from(width);
    }
    (!touched && object.is_zeroed()).then_some(Value::Int(0))
}
