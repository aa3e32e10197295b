//! A run of one method: random choices, and what was seen on the way.

use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

use num_traits::{One, ToPrimitive};
use report::Pos;
use viper::core::{DomainFunctionId, ExprKind, FunctionId, Measure, MethodId, Program};

use crate::assertion::is_asymmetric;
use crate::choose::{OBJECTS, Random, Unknown};
use crate::flow::flatten;
use crate::resources::{Location, Resources};
use crate::state::{Fault, Run, Scope, State, Stop};
use crate::value::{Amount, Value};

/// A run is given up after so many evaluations.
const STEPS: u64 = 150_000;

/// How a run ended.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// At the end of the method, where its postcondition holds.
    Finished,
    /// No initial state was found that satisfies the precondition.
    NoInitialState,
    /// With something that a verified program never does.
    Fault(Fault),
    /// It does not end, although termination measures say so.
    Endless,
    /// An assumption does not hold, or no values were found for which it does.
    Assumed,
    /// Something that this interpreter does not know.
    Outside(&'static str),
}

/// What a run showed.
#[derive(Clone, Debug)]
pub struct Report {
    /// How it ended.
    pub outcome: Outcome,
    /// The `refute` statements whose assertion did not hold when they were reached.
    pub refuted: HashSet<Pos>,
}

pub(crate) struct Machine<'p> {
    pub program: &'p Program,
    pub random: Random,
    pub unknowns: Vec<Unknown>,
    /// Those that were decided, in order.
    pub decided: Vec<u32>,
    /// Results of functions without a body: by arguments and footprint.
    #[allow(clippy::type_complexity)]
    pub results: BTreeMap<(FunctionId, Vec<Value>, Vec<(Location, Value)>), Value>,
    pub domain_results: BTreeMap<(DomainFunctionId, Vec<Value>), Value>,
    /// Integers that the program mentions.
    pub literals: Vec<i64>,
    pub has_axioms: bool,
    /// The least amount that was chosen for a wildcard so far.
    pub least: Amount,
    /// Objects that may be mentioned.
    pub objects: u32,
    /// Values are being chosen again and again, so inner assumptions need not.
    pub choosing: bool,
    /// Nested calls of functions.
    pub depth: usize,
    /// Nested predicates in a state that is made up.
    pub nesting: usize,
    /// Nested calls of methods.
    pub calls: usize,
    steps: u64,
    /// A footprint was chosen; the verifier may have chosen a larger one.
    pub angelic: bool,
    /// Every step so far was really executed: nothing was said by a contract or an invariant alone.
    pub real: bool,
    /// Contracts and invariants are not used in place of what is really done, where that is known.
    pub only_real: bool,
    /// The method has a termination measure.
    pub terminates: bool,
    /// Not in proof scripts, which run on what may never be.
    pub observing: bool,
    pub refuted: HashSet<Pos>,
}

/// Runs a method from a random initial state that satisfies its precondition.
///
/// Everything is determined by the program and the seed. Deep recursion needs a deep stack
/// ([`viper::with_deep_stack`]).
#[must_use]
pub fn run(program: &Program, method: MethodId, seed: u64) -> Report {
    let mut machine = Machine::new(program, seed);
    let outcome = match machine.run(method) {
        Ok(outcome) => outcome,
        Err(Stop::Fault(fault)) => {
            Outcome::Fault(Fault { method: fault.method.or(Some(method)), ..fault })
        }
        Err(Stop::Assumed) => Outcome::Assumed,
        Err(Stop::Outside(what)) => Outcome::Outside(what),
        Err(Stop::Endless) => Outcome::Endless,
    };
    Report { outcome, refuted: machine.refuted }
}

impl<'p> Machine<'p> {
    fn new(program: &'p Program, seed: u64) -> Machine<'p> {
        let mut literals = Vec::new();
        program.walk_exprs(&mut |e| {
            if let ExprKind::Int(n) = &e.kind {
                literals.extend(n.to_i64().filter(|n| n.abs() < 100));
            }
            true
        });
        literals.sort_unstable();
        literals.dedup();
        Machine {
            program,
            random: Random::new(seed),
            unknowns: Vec::new(),
            decided: Vec::new(),
            results: BTreeMap::new(),
            domain_results: BTreeMap::new(),
            literals,
            // Derived functions of data types have axioms that plugins add.
            has_axioms: program.domains.iter().any(|d| match &d.adt {
                Some(adt) => adt.contains.is_some(),
                None => !d.axioms.is_empty(),
            }),
            least: Amount::one(),
            objects: OBJECTS,
            choosing: false,
            depth: 0,
            nesting: 0,
            calls: 0,
            steps: 0,
            angelic: false,
            real: true,
            only_real: false,
            terminates: false,
            observing: true,
            refuted: HashSet::new(),
        }
    }

    pub fn step(&mut self) -> Run<()> {
        self.work(1)
    }

    /// Counts what takes time: evaluations, and states that are copied.
    pub fn work(&mut self, amount: u64) -> Run<()> {
        self.steps += amount;
        if self.steps <= STEPS {
            return Ok(());
        }
        Err(Stop::Outside("long run"))
    }

    fn run(&mut self, id: MethodId) -> Run<Outcome> {
        let method = self.program.method(id);
        let Some(body) = &method.body else { return Ok(Outcome::Outside("no body")) };
        // Such a function may promise what is never checked, wherever it is mentioned.
        let contracts = self.program.functions.iter().flat_map(|f| f.pres.iter().chain(&f.posts));
        if contracts.into_iter().any(|e| is_asymmetric(e)) {
            return Ok(Outcome::Outside("function whose contract is not what is checked"));
        }
        self.terminates = method
            .decreases
            .iter()
            .any(|d| matches!(d.measure, Measure::Tuple(_)) && d.condition.is_none());
        self.only_real = self.random.one_in(3);
        // Pools of different sizes make different aliases likely.
        self.objects = 1 + self.random.below(OBJECTS as usize) as u32;
        let code = flatten(body)?;
        let locals = method.locals.iter().map(|l| self.unknown(&l.ty)).collect();
        let mut scope = Scope::new(&method.locals, locals);
        let mut state = State::default();
        match self.inhale_all(&mut scope, &mut state, &method.pres) {
            Ok(()) => {}
            Err(Stop::Assumed) => return Ok(Outcome::NoInitialState),
            Err(other) => return Err(other),
        }
        scope.pre = Some(Rc::new(state.clone()));
        self.body(id, &code, &mut scope, &mut state, &mut Resources::default())?;
        Ok(Outcome::Finished)
    }
}
