//! The state of a run, values that nothing determines, and searches.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use report::Span;
use spl::core::{ExprKind, Local, LocalId, Name, Program, Stmt, Type};

use crate::oracle::{Choices, Random};
use crate::value::{Footprint, Heap, Map, Place, Slot, Value};

/// Why something has no value, or a run ends.
#[derive(Clone, Debug)]
pub(crate) enum Stop {
    /// These choices lead nowhere: the assertion does not hold with them.
    Fails,
    /// Nobody can say what this is on a finite heap.
    Unknown(Span, String),
    /// It takes too long.
    Limit(String),
    /// An assumption does not hold: this is no run of the program.
    Blocked,
    /// What must not happen.
    Fault(Box<Fault>),
}

pub(crate) type Result<T> = std::result::Result<T, Stop>;

/// What must not happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// As in the verifier's errors: `access.failed`, `postcondition.violated`.
    pub id: &'static str,
    /// Where.
    pub span: Span,
    /// What.
    pub message: String,
    /// The part of an assertion that does not hold.
    pub part: Option<Span>,
    /// Did everything on the way have a value beyond doubt? Quantifiers over all integers, for example, are tried
    /// for some only.
    pub certain: bool,
}

/// Something that a statement leaves open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Drawn {
    /// `havoc x`, in a procedure.
    Variable(Name, LocalId, Value),
    /// `havoc` of a global variable.
    Global(Name, Value),
    /// Which branch of `choose` is taken, in a procedure.
    Branch(Name, usize),
}

/// Who owns variables, and what they are.
#[derive(Clone, Debug)]
pub(crate) struct Env<'p> {
    pub declared: &'p [Local],
    /// Those that are not set are chosen when somebody looks.
    pub locals: Vec<Option<Value>>,
    /// What `old` is about.
    pub old: Arc<Heap>,
    pub in_old: bool,
    /// Results of calls in the expression that is being evaluated, by the place of the call in the tree.
    pub results: BTreeMap<usize, Value>,
}

impl<'p> Env<'p> {
    pub fn new(declared: &'p [Local], old: Arc<Heap>) -> Env<'p> {
        let locals = vec![None; declared.len()];
        Env { declared, locals, old, in_old: false, results: BTreeMap::new() }
    }

    pub fn get(&self, local: LocalId) -> Option<&Value> {
        self.locals.get(local.0 as usize)?.as_ref()
    }

    pub fn set(&mut self, local: LocalId, value: Option<Value>) {
        if let Some(slot) = self.locals.get_mut(local.0 as usize) {
            *slot = value;
        }
    }

    pub fn ty(&self, local: LocalId) -> Type {
        self.declared.get(local.0 as usize).map_or(Type::Int, |l| l.ty.clone())
    }
}

/// What a search puts back when choices lead nowhere.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    pub heap: Heap,
    pub owned: Footprint,
    pub allocated: Footprint,
    /// Values that were chosen when somebody looked; never changed.
    pub base: BTreeMap<(u32, Place), Value>,
    pub next_base: u32,
    /// How many locations of a type there are, without `null`.
    pub count: BTreeMap<Type, u32>,
    /// How many of them occur. The others are alike, so that one of them is enough to try.
    pub used: BTreeMap<Type, u32>,
}

/// Does an assertion hold?
pub(crate) enum Found<R> {
    Yes(R),
    /// Beyond doubt?
    No {
        certain: bool,
    },
}

/// An interpreter of one program.
pub(crate) struct Machine<'p> {
    pub program: &'p Program,
    pub bits: bool,
    pub simple_arrays: bool,
    pub state: State,
    /// Numbers that are worth trying.
    pub numbers: Vec<i128>,
    pub random: Random,
    pub choices: Option<Choices>,
    /// Values of bases from this number on are found by searches; others are what they are.
    pub lazy: Option<u32>,
    /// The value at hand rests on trying some of infinitely many values.
    pub inexact: bool,
    /// A value was guessed from infinitely many.
    pub guessed: bool,
    /// Something was assumed that may not be so.
    pub doubt: bool,
    /// Calls and loops do anything that their contracts allow, as for the verifier.
    pub modular: bool,
    pub fuel: u64,
    pub depth: u32,
    /// Definitions that are being unfolded.
    pub open: Vec<(Name, Vec<Option<Value>>)>,
    /// The part of an assertion that did not hold, of the attempt that came furthest.
    pub furthest: Option<(usize, Span)>,
    /// How far the current attempt came.
    pub progress: usize,
    /// Procedures that are running, without the first.
    pub calls: Vec<Name>,
    /// Statements of the first procedure that were executed.
    pub visited: Vec<Span>,
    /// Does its start rest on trying some of infinitely many values?
    pub doubtful_start: bool,
    /// Was something allocated where a dangling pointer may lead?
    pub reused: bool,
    /// What statements of the program left open, in the order in which they were executed.
    pub drawn: Vec<Drawn>,
    /// Variables where a fault was met.
    pub stopped_in: Option<(&'p [Local], Vec<Option<Value>>)>,
}

/// Recursion deeper than this is given up.
const DEPTH: u32 = 200;

/// Values of a datatype are so deep.
const HEIGHT: u32 = 3;

impl<'p> Machine<'p> {
    pub fn new(program: &'p Program, seed: u64, size: u32) -> Machine<'p> {
        let (options, _) = spl::options(program);
        let mut random = Random::new(seed);
        let mut state = State { next_base: 1, ..State::default() };
        for name in program.structs.keys() {
            let count = 1 + random.below(size as usize) as u32;
            state.count.insert(Type::Struct(name.clone()), count);
        }
        Machine {
            program,
            bits: options.bitvector.is_some(),
            simple_arrays: options.simple_arrays.is_some(),
            state,
            numbers: numbers(program),
            random,
            choices: None,
            lazy: None,
            inexact: false,
            guessed: false,
            doubt: false,
            modular: false,
            fuel: 200_000,
            depth: 0,
            open: Vec::new(),
            furthest: None,
            progress: 0,
            calls: Vec::new(),
            visited: Vec::new(),
            doubtful_start: false,
            reused: false,
            drawn: Vec::new(),
            stopped_in: None,
        }
    }

    /// Work is limited.
    pub fn tick(&mut self) -> Result<()> {
        if self.fuel == 0 {
            return Err(Stop::Limit("it takes too many steps".to_owned()));
        }
        self.fuel -= 1;
        Ok(())
    }

    /// Runs something one level deeper.
    pub fn deeper<R>(&mut self, span: Span, f: impl FnOnce(&mut Self) -> Result<R>) -> Result<R> {
        if self.depth >= DEPTH {
            return Err(Stop::Unknown(span, "a recursion that does not end".to_owned()));
        }
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        result
    }

    pub fn choose(&mut self, options: usize) -> usize {
        match &mut self.choices {
            Some(choices) => choices.choose(options, &mut self.random),
            None => self.random.below(options),
        }
    }

    /// Runs something with choices until it does not fail; at most so often.
    pub fn search<R>(
        &mut self,
        limit: usize,
        mut attempt: impl FnMut(&mut Self) -> Result<R>,
    ) -> Result<Found<R>> {
        let outer = self.choices.replace(Choices::default());
        let (start, mut certain) = (self.state.clone(), true);
        self.furthest = None;
        let mut result = Ok(Found::No { certain: false });
        for _ in 0..limit {
            (self.inexact, self.guessed, self.progress) = (false, false, 0);
            match attempt(self) {
                Ok(found) => {
                    result = Ok(Found::Yes(found));
                    break;
                }
                Err(Stop::Fails) => {}
                Err(stop) => {
                    result = Err(stop);
                    break;
                }
            }
            certain &= !self.inexact && !self.guessed;
            self.go_back_to(&start);
            self.open.clear();
            if !self.choices.as_mut().is_some_and(Choices::advance) {
                result = Ok(Found::No { certain });
                break;
            }
        }
        self.choices = outer;
        result
    }

    /// The state before an attempt, with the values that are not the search's to choose.
    fn go_back_to(&mut self, start: &State) {
        let mut base = std::mem::take(&mut self.state.base);
        self.state.clone_from(start);
        if let Some(from) = self.lazy {
            base.retain(|key, _| key.0 < from || start.base.contains_key(key));
        }
        self.state.base = base;
    }

    // --- Values that nothing determines

    /// Any value of a type.
    pub fn any(&mut self, ty: &Type, span: Span) -> Result<Value> {
        self.any_of_height(ty, span, HEIGHT)
    }

    fn any_of_height(&mut self, ty: &Type, span: Span, height: u32) -> Result<Value> {
        self.tick()?;
        if is_infinite(ty) {
            self.guessed = true;
        }
        Ok(match ty {
            Type::Bool => Value::Bool(self.choose(2) == 1),
            Type::Int => {
                let index = self.choose(self.numbers.len());
                Value::Int(self.numbers.get(index).copied().unwrap_or(0))
            }
            Type::Byte => Value::Byte([0, 1, 2, 65, 255][self.choose(5) % 5]),
            Type::Struct(_) | Type::Array(_) => {
                let count = self.count(ty);
                let used = self.state.used.get(ty).copied().unwrap_or(0).min(count);
                let options = used + 1 + u32::from(used < count);
                let number = self.choose(options as usize) as u32;
                if number > used {
                    self.state.used.insert(ty.clone(), number);
                }
                Value::Location(number)
            }
            Type::Cell(of) => {
                let array = Type::Array(of.clone());
                match self.any_of_height(&array, span, height)? {
                    Value::Location(number @ 1..) => {
                        let length = self.length(of, number);
                        let index = self.choose(length as usize + 2) as i128 - 1;
                        Value::Cell(number, index)
                    }
                    _ => Value::NoCell,
                }
            }
            Type::Set(of) => {
                let mut set = BTreeSet::new();
                // Sets of what contains sets of itself end somewhere.
                let most = if height == 0 { 1 } else { 4 };
                for _ in 0..self.choose(most) {
                    set.insert(self.any_of_height(of, span, height.min(1))?);
                }
                set.remove(&Value::null(of));
                Value::Set(Arc::new(set))
            }
            Type::Map(key, value) => {
                let mut map = Map::constant(self.any_of_height(value, span, height.min(1))?);
                for _ in 0..self.choose(3) {
                    let key = self.any_of_height(key, span, height.min(1))?;
                    map = map.updated(key, self.any_of_height(value, span, height.min(1))?);
                }
                Value::Map(Arc::new(map))
            }
            Type::Datatype(name) => {
                return self.deeper(span, |machine| machine.any_data(name, span, height));
            }
            Type::Opaque(_) => Value::Opaque(self.choose(3) as u32),
            Type::Perm | Type::Hole(_) => {
                return Err(Stop::Unknown(span, "a value of this type".to_owned()));
            }
        })
    }

    fn any_data(&mut self, datatype: &Name, span: Span, height: u32) -> Result<Value> {
        let program = self.program;
        let all = program.datatypes.get(datatype).map(Vec::as_slice).unwrap_or_default();
        let constructors: Vec<&Name> = match height {
            0 => all.iter().filter(|c| !contains_data(program, c)).collect(),
            _ => all.iter().collect(),
        };
        let index = self.choose(constructors.len());
        let Some((name, constructor)) =
            constructors.get(index).and_then(|name| Some((*name, program.ctors.get(*name)?)))
        else {
            return Err(Stop::Unknown(span, format!("a value of type `{datatype}`")));
        };
        let mut args = Vec::new();
        for (_, ty) in &constructor.args {
            args.push(self.any_of_height(ty, span, height.saturating_sub(1))?);
        }
        Ok(Value::Data(name.clone(), Arc::new(args)))
    }

    /// How many locations of a type there are.
    pub fn count(&mut self, ty: &Type) -> u32 {
        *self.state.count.entry(ty.clone()).or_insert(2)
    }

    /// A value that nobody wrote: it is chosen now, and stays.
    pub fn chosen(&mut self, base: u32, place: Place, ty: &Type, span: Span) -> Result<Value> {
        let key = (base, place);
        if let Some(value) = self.state.base.get(&key) {
            return Ok(value.clone());
        }
        let searched = self.lazy.is_some_and(|from| from <= key.0);
        let choices = if searched { None } else { self.choices.take() };
        let value = match &key.1 {
            Place::Field(name, 0) if self.is_link(name) => Ok(Value::Location(0)),
            _ => self.any(ty, span),
        };
        if !searched {
            self.choices = choices;
        }
        let value = value?;
        self.state.base.insert(key, value.clone());
        Ok(value)
    }

    /// Does a field lead to objects of its own struct?
    pub fn is_link(&self, field: &Name) -> bool {
        let field = self.program.fields.get(field);
        field.is_some_and(|f| matches!(&f.ty, Type::Struct(to) if *to == f.owner))
    }

    /// What is in a place of the heap that an environment looks at.
    pub fn load(&mut self, env: &Env<'p>, place: Place, ty: &Type, span: Span) -> Result<Value> {
        let heap = if env.in_old { &*env.old } else { &self.state.heap };
        let base = match heap.written.get(&place) {
            Some(Slot::Value(value)) => return Ok(value.clone()),
            Some(Slot::Base(base)) => *base,
            None => heap.base,
        };
        let guessed = self.guessed;
        let value = self.chosen(base, place, ty, span);
        self.guessed = guessed;
        value
    }

    pub fn store(&mut self, place: Place, value: Value) {
        self.state.heap.written.insert(place, Slot::Value(value));
    }

    /// The length of an array, which is chosen when somebody looks, and never changes.
    pub fn length(&mut self, of: &Type, array: u32) -> i128 {
        let key = (0, Place::Length(of.clone(), array));
        if let Some(Value::Int(length)) = self.state.base.get(&key) {
            return *length;
        }
        let length = match self.lazy {
            Some(0) => self.choose(4),
            _ => self.random.below(4),
        };
        self.state.base.insert(key, Value::Int(length as i128));
        length as i128
    }

    /// A value that nothing says, the same for the same arguments.
    pub fn unspecified(
        &mut self,
        what: &str,
        args: Vec<Value>,
        ty: &Type,
        span: Span,
    ) -> Result<Value> {
        let guessed = self.guessed;
        let value = self.chosen(0, Place::Unspecified(what.into(), args), ty, span);
        self.guessed = guessed;
        value
    }
}

/// Are there more values than can be tried?
pub(crate) fn is_infinite(ty: &Type) -> bool {
    match ty {
        Type::Bool | Type::Struct(_) | Type::Array(_) | Type::Cell(_) => false,
        Type::Set(of) => is_infinite(of),
        _ => true,
    }
}

fn contains_data(program: &Program, constructor: &Name) -> bool {
    let args = program.ctors.get(constructor).map(|c| c.args.as_slice()).unwrap_or_default();
    args.iter().any(|(_, ty)| matches!(ty, Type::Datatype(_)))
}

/// Small numbers, and those of the program.
fn numbers(program: &Program) -> Vec<i128> {
    let mut found: BTreeSet<i128> = BTreeSet::new();
    let mut visit = |e: &spl::core::Expr| {
        e.walk(&mut |e| {
            if let ExprKind::Int(n) = &*e.kind {
                found.insert(i128::from(*n));
            }
        });
    };
    for procedure in program.procedures.values() {
        procedure.requires.iter().chain(&procedure.ensures).for_each(|c| visit(&c.expr));
        if let Some(body) = &procedure.body {
            body.walk(&mut |stmt: &Stmt| stmt.each_expr(&mut |e| visit(e)));
        }
    }
    for body in program.predicates.values().filter_map(|p| p.body.as_ref()) {
        visit(body);
    }
    for body in program.functions.values().filter_map(|f| f.body.as_ref()) {
        visit(body);
    }
    let near: Vec<i128> =
        found.into_iter().filter(|n| n.abs() > 4).flat_map(|n| [n, n + 1, n - 1]).take(6).collect();
    [0, 1, 2, 3, -1].into_iter().chain(near).collect()
}
