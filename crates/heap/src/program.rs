//! Programs: procedures whose commands are on the edges of a control-flow graph.

use report::Pos;

use crate::expr::Expr;
use crate::types::{DataModel, Record, RecordId, Scalar, Type};

macro_rules! index {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            /// As an index.
            #[must_use]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

index! {
    /// The place of a procedure in [`Program::procs`].
    ProcId,
    /// The place of a global object in [`Program::globals`].
    GlobalId,
    /// The place of a variable in [`Proc::vars`].
    VarId,
    /// The place of a local object in [`Proc::objects`].
    ObjectId,
    /// The place of a location in [`Body::locations`].
    LocId,
}

/// A program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// Sizes of the target.
    pub model: DataModel,
    /// Its records.
    pub records: Vec<Record>,
    /// Objects that are there from start to end.
    pub globals: Vec<Global>,
    /// Its procedures.
    pub procs: Vec<Proc>,
    /// Where it starts.
    pub entry: Option<ProcId>,
    /// Definitions of predicates that formulas mention.
    pub definitions: Vec<Formula>,
}

/// A global object.
#[derive(Clone, Debug)]
pub struct Global {
    /// Its name; unique, but for constants such as strings, which have none of the program's.
    pub name: String,
    /// What it is.
    pub ty: Type,
    /// What is not zero at the start: offset, type and value.
    pub init: Vec<(u64, Scalar, Expr)>,
    /// Must nobody write to it?
    pub constant: bool,
    /// Is everything else zero at the start? Otherwise it is anything.
    pub zeroed: bool,
    /// Where it is declared.
    pub pos: Pos,
}

/// A procedure.
#[derive(Clone, Debug)]
pub struct Proc {
    /// Its name.
    pub name: String,
    /// Its variables; the parameters come first.
    pub vars: Vec<Var>,
    /// How many parameters there are.
    pub params: u32,
    /// The variable whose value is the result.
    pub result: Option<VarId>,
    /// Objects that live while a block is active: variables whose address is taken, arrays, records.
    pub objects: Vec<Object>,
    /// What its callers must see to, in the order in which it is written.
    pub requires: Vec<Formula>,
    /// What holds when it returns.
    pub ensures: Vec<Formula>,
    /// What it does. Without one the result is any value, and nothing is changed.
    pub body: Option<Body>,
    /// Where it is declared.
    pub pos: Pos,
}

/// A variable: it holds one value and has no address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Var {
    /// Its name; unique in the procedure.
    pub name: String,
    /// What it holds.
    pub ty: Scalar,
    /// Did a front end make it?
    pub temporary: bool,
}

/// An object of an activation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// Its name; unique in the procedure.
    pub name: String,
    /// What it is.
    pub ty: Type,
}

/// The control-flow graph of a procedure. It starts at location 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Body {
    /// Its locations.
    pub locations: Vec<Location>,
}

/// A formula of a contract as it was written. Programs do not know what it means: whoever verifies them reads
/// it, and says what is wrong with it by its position.
#[derive(Clone, Debug, Eq)]
pub struct Formula {
    /// Its text.
    pub text: String,
    /// In which language that is.
    pub language: Language,
    /// Where it is, without quotes.
    pub pos: Pos,
}

/// The language of a [`Formula`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Language {
    /// The notation of `lancehead sl`.
    Logic,
    /// SPL, which says some things that the notation cannot.
    Spl(Clause),
}

/// What is known of a clause of SPL besides its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// It says nothing of footprints.
    pub pure: bool,
    /// It is assumed, and never checked.
    pub free: bool,
    /// The same in the notation of `lancehead sl`.
    pub meaning: Meaning,
}

/// A clause in the notation of `lancehead sl`.
#[derive(Clone, Debug)]
pub enum Meaning {
    /// The same.
    Same(String),
    /// It says less: what is missing, a clause ("`sorted(F)` is not understood"), and where that is.
    Weaker(String, String, Pos),
    /// There is none: why, a clause, and what it is about.
    None(String, Pos),
}

/// A point between commands, and how to go on.
#[derive(Clone, Debug)]
pub struct Location {
    /// What holds whenever it is reached.
    pub invariants: Vec<Formula>,
    /// The ways to go on.
    pub out: Out,
    /// Where the command or the condition is in the source.
    pub pos: Pos,
}

/// The edges that leave a location.
#[derive(Clone, Debug, PartialEq)]
pub enum Out {
    /// One, with a command.
    Do(Command, LocId),
    /// Two: for a condition that is not zero, and for one that is.
    Branch(Expr, LocId, LocId),
    /// Any of these.
    Choose(Vec<LocId>),
    /// None: the procedure ends here.
    Return,
}

/// What is on an edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action<'p> {
    /// A command.
    Do(&'p Command),
    /// The condition is not zero, or is zero.
    When(&'p Expr, bool),
    /// Nothing.
    Skip,
}

/// A command.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Nothing.
    Skip,
    /// `x := e`.
    Assign(VarId, Expr),
    /// `x := [e]`: what is at a place.
    Load {
        /// The variable.
        to: VarId,
        /// The place.
        at: Expr,
        /// What is read.
        ty: Scalar,
    },
    /// `[e] := e`.
    Store {
        /// The place.
        at: Expr,
        /// What is written.
        value: Expr,
        /// Its type.
        ty: Scalar,
    },
    /// `x := alloc e`: a new object.
    Alloc {
        /// Where its address goes.
        to: VarId,
        /// How many bytes.
        size: Expr,
        /// Are they all zero? Otherwise they may be anything.
        zeroed: bool,
        /// Where it lives.
        region: Region,
        /// What it is meant to be.
        record: Option<RecordId>,
    },
    /// `x := realloc e, e`: the object with another size, elsewhere.
    Realloc {
        /// Where its address goes.
        to: VarId,
        /// The old one, or null.
        from: Expr,
        /// How many bytes.
        size: Expr,
    },
    /// `free e`.
    Free(Expr),
    /// So many bytes are copied; ranges may overlap if `may_overlap`.
    Copy {
        /// Where to.
        to: Expr,
        /// Where from.
        from: Expr,
        /// How many.
        size: Expr,
        /// May the two overlap?
        may_overlap: bool,
    },
    /// So many bytes get one value.
    Fill {
        /// Where.
        at: Expr,
        /// The value of each.
        byte: Expr,
        /// How many.
        size: Expr,
    },
    /// A local object comes to life; it holds anything.
    Enter(ObjectId),
    /// A local object is gone.
    Leave(ObjectId),
    /// A variable goes out of scope: it holds anything, and leads nowhere.
    Forget(VarId),
    /// Paths on which it is zero are no paths.
    Assume(Expr),
    /// It must not be zero.
    Assert(Expr, Check),
    /// Paths on which a formula does not hold are no paths.
    AssumeFormula(Formula),
    /// A formula must hold.
    AssertFormula(Formula),
    /// Something that this language has no commands for: what, for people. Nothing is known after it.
    Unsupported(String),
    /// The variable has any value of its type.
    Havoc(VarId),
    /// A call.
    Call {
        /// Where the result goes.
        to: Option<VarId>,
        /// What is called.
        callee: Callee,
        /// With what.
        args: Vec<Expr>,
    },
    /// Writes as `printf` does: a format and what it mentions.
    Print {
        /// Where the number of characters goes.
        to: Option<VarId>,
        /// The place that they are written to, with a zero behind them, and how many bytes there may be;
        /// otherwise it is the output.
        into: Option<(Expr, Option<Expr>)>,
        /// The format and the values.
        args: Vec<Expr>,
    },
    /// The whole program ends with an exit status.
    Exit(Expr),
    /// The whole program ends, as by `abort`.
    Abort,
}

/// Where an object lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Region {
    /// Until it is freed.
    Heap,
    /// Until the procedure ends: `alloca`.
    Stack,
}

/// What an assertion is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Check {
    /// The user says so.
    Assertion,
    /// A divisor is not zero.
    Divisor,
    /// A place that must not be reached: `reach_error`.
    Unreachable,
    /// An index is within an array that is part of a larger object.
    Index,
    /// What is freed is not null.
    Freed,
    /// The length of an array is not negative.
    Length,
}

/// What a call calls.
#[derive(Clone, Debug, PartialEq)]
pub enum Callee {
    /// A procedure.
    Proc(ProcId),
    /// Whatever a pointer leads to.
    Pointer(Expr),
}

// Where something is in a source is no part of what it is.

impl PartialEq for Global {
    fn eq(&self, other: &Global) -> bool {
        let Global { name, ty, init, constant, zeroed, pos: _ } = self;
        (name, ty, init, constant, zeroed)
            == (&other.name, &other.ty, &other.init, &other.constant, &other.zeroed)
    }
}

impl PartialEq for Proc {
    fn eq(&self, other: &Proc) -> bool {
        let Proc { name, vars, params, result, objects, requires, ensures, body, pos: _ } = self;
        (name, vars, params) == (&other.name, &other.vars, &other.params)
            && (requires, ensures) == (&other.requires, &other.ensures)
            && (result, objects, body) == (&other.result, &other.objects, &other.body)
    }
}

impl PartialEq for Location {
    fn eq(&self, other: &Location) -> bool {
        (&self.out, &self.invariants) == (&other.out, &other.invariants)
    }
}

impl PartialEq for Formula {
    fn eq(&self, other: &Formula) -> bool {
        (&self.text, &self.language) == (&other.text, &other.language)
    }
}

impl PartialEq for Meaning {
    fn eq(&self, other: &Meaning) -> bool {
        match (self, other) {
            (Meaning::Same(a), Meaning::Same(b)) => a == b,
            (Meaning::Weaker(a, why, _), Meaning::Weaker(b, reason, _)) => (a, why) == (b, reason),
            (Meaning::None(a, _), Meaning::None(b, _)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Meaning {}

impl Formula {
    /// A formula in the notation of `lancehead sl`.
    #[must_use]
    pub fn logic(text: impl Into<String>, pos: Pos) -> Formula {
        Formula { text: text.into(), language: Language::Logic, pos }
    }

    /// It in the notation of `lancehead sl`, if that says the same or less; otherwise why there is none, and
    /// where.
    ///
    /// # Errors
    /// With the reason.
    pub fn in_logic(&self) -> Result<&str, (&str, Pos)> {
        match &self.language {
            Language::Logic => Ok(&self.text),
            Language::Spl(Clause { meaning: Meaning::Same(text), .. })
            | Language::Spl(Clause { meaning: Meaning::Weaker(text, ..), .. }) => Ok(text),
            Language::Spl(Clause { meaning: Meaning::None(why, pos), .. }) => Err((why, *pos)),
        }
    }

    /// What is missing in [`Formula::in_logic`], if that says less, and where it is.
    #[must_use]
    pub fn missing(&self) -> Option<(&str, Pos)> {
        match &self.language {
            Language::Spl(Clause { meaning: Meaning::Weaker(_, why, pos), .. }) => {
                Some((why, *pos))
            }
            _ => None,
        }
    }
}

impl Program {
    /// A procedure.
    #[must_use]
    pub fn proc(&self, id: ProcId) -> &Proc {
        &self.procs[id.index()]
    }

    /// A record.
    #[must_use]
    pub fn record(&self, id: RecordId) -> &Record {
        &self.records[id.0 as usize]
    }

    /// The procedure of a name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<ProcId> {
        self.procs.iter().position(|proc| proc.name == name).map(|i| ProcId(i as u32))
    }

    /// How many bytes a type takes.
    #[must_use]
    pub fn size_of(&self, ty: &Type) -> u64 {
        match ty {
            Type::Scalar(scalar) => scalar.bytes(self.model),
            Type::Record(id) => self.record(*id).size,
            Type::Array(element, count) => self.size_of(element).saturating_mul(*count),
        }
    }
}

impl Command {
    /// Calls `visit` for the expressions in it.
    pub fn for_each_expr(&self, visit: &mut dyn FnMut(&Expr)) {
        match self {
            Command::Skip
            | Command::Enter(_)
            | Command::Leave(_)
            | Command::Forget(_)
            | Command::Havoc(_)
            | Command::AssumeFormula(_)
            | Command::AssertFormula(_)
            | Command::Unsupported(_)
            | Command::Abort => {}
            Command::Assign(_, e)
            | Command::Free(e)
            | Command::Assume(e)
            | Command::Assert(e, _)
            | Command::Exit(e)
            | Command::Load { at: e, .. }
            | Command::Alloc { size: e, .. } => visit(e),
            Command::Store { at, value, .. } => {
                visit(at);
                visit(value);
            }
            Command::Realloc { from, size, .. } => {
                visit(from);
                visit(size);
            }
            Command::Copy { to, from, size, .. } => {
                visit(to);
                visit(from);
                visit(size);
            }
            Command::Fill { at, byte, size } => {
                visit(at);
                visit(byte);
                visit(size);
            }
            Command::Call { callee, args, .. } => {
                if let Callee::Pointer(e) = callee {
                    visit(e);
                }
                args.iter().for_each(visit);
            }
            Command::Print { into, args, .. } => {
                if let Some((at, limit)) = into {
                    visit(at);
                    limit.iter().for_each(&mut *visit);
                }
                args.iter().for_each(visit);
            }
        }
    }
}

impl Body {
    /// The edges that leave a location.
    #[must_use]
    pub fn edges(&self, at: LocId) -> Vec<(Action<'_>, LocId)> {
        match &self.locations[at.index()].out {
            Out::Do(command, to) => vec![(Action::Do(command), *to)],
            Out::Branch(cond, then, otherwise) => {
                vec![(Action::When(cond, true), *then), (Action::When(cond, false), *otherwise)]
            }
            Out::Choose(all) => all.iter().map(|to| (Action::Skip, *to)).collect(),
            Out::Return => Vec::new(),
        }
    }
}

impl Command {
    /// The variable that it sets.
    #[must_use]
    pub fn target(&self) -> Option<VarId> {
        match self {
            Command::Assign(var, _) | Command::Havoc(var) | Command::Forget(var) => Some(*var),
            Command::Load { to, .. } | Command::Alloc { to, .. } | Command::Realloc { to, .. } => {
                Some(*to)
            }
            Command::Call { to, .. } | Command::Print { to, .. } => *to,
            _ => None,
        }
    }

    /// Does it read a variable?
    #[must_use]
    pub fn reads(&self, var: VarId) -> bool {
        let mut found = false;
        self.for_each_expr(&mut |e| found |= e.mentions(var));
        found
    }
}

impl Body {
    /// May a variable be read before it is set, from a location on?
    #[must_use]
    pub fn is_read(&self, from: LocId, var: VarId) -> bool {
        let mut seen = vec![false; self.locations.len()];
        let mut pending = vec![from];
        while let Some(at) = pending.pop() {
            if seen.get(at.index()) != Some(&false) {
                continue;
            }
            seen[at.index()] = true;
            for (action, to) in self.edges(at) {
                let set = match action {
                    Action::Do(command) if command.reads(var) => return true,
                    Action::When(cond, _) if cond.mentions(var) => return true,
                    Action::Do(command) => command.target() == Some(var),
                    Action::When(..) | Action::Skip => false,
                };
                if !set {
                    pending.push(to);
                }
            }
        }
        false
    }
}

impl flow::Graph for Body {
    fn len(&self) -> usize {
        self.locations.len()
    }

    fn entry(&self) -> usize {
        0
    }

    fn successors(&self, node: usize, visit: &mut dyn FnMut(usize)) {
        match &self.locations[node].out {
            Out::Do(_, to) => visit(to.index()),
            Out::Branch(_, then, otherwise) => {
                visit(then.index());
                visit(otherwise.index());
            }
            Out::Choose(all) => all.iter().for_each(|to| visit(to.index())),
            Out::Return => {}
        }
    }
}
