//! States: one heap, what is held of it here, and what others hold.

use std::collections::BTreeMap;
use std::rc::Rc;

use num_traits::{One, Signed};
use report::Pos;
use viper::core::{LabelId, Local, MethodId};

use crate::resources::{Location, Resources};
use crate::value::{Amount, Value};

/// Why a run ends early.
#[derive(Clone, Debug)]
pub enum Stop {
    /// Something that a verified program never does.
    Fault(Fault),
    /// An assumption does not hold, or no values were found for which it does.
    Assumed,
    /// Something that this interpreter does not know.
    Outside(&'static str),
    /// It took too many steps.
    Endless,
}

/// What went wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// In words.
    pub message: String,
    /// Where.
    pub pos: Pos,
    /// In which method.
    pub method: Option<MethodId>,
}

pub(crate) type Run<T> = Result<T, Stop>;

pub(crate) fn fault<T>(pos: Pos, message: impl Into<String>) -> Run<T> {
    Err(Stop::Fault(Fault { message: message.into(), pos, method: None }))
}

pub(crate) fn outside<T>(what: &'static str) -> Run<T> {
    Err(Stop::Outside(what))
}

/// The heaps around a proof script, from which it takes what it lacks.
#[derive(Clone)]
pub(crate) struct Reserve {
    pub outer: State,
    /// The left-hand side.
    pub lhs: Resources,
    /// What was taken so far.
    pub taken: Resources,
    /// What is missing is made up: this is how the footprint of a wand is found that a contract
    /// promises.
    pub generous: bool,
    /// Something was needed that cannot be had together with what is held further out.
    pub impossible: bool,
}

impl Reserve {
    pub fn new(outer: State, generous: bool) -> Reserve {
        let (lhs, taken) = (Resources::default(), Resources::default());
        Reserve { outer, lhs, taken, generous, impossible: false }
    }
}

/// A state.
///
/// The heap has one value for each location, however its permission is held: directly, folded into a
/// predicate instance, in the footprint of a wand, or by others. As long as anything of it is
/// held anywhere, the value stays the same; afterwards it is forgotten.
#[derive(Clone, Default)]
pub(crate) struct State {
    pub heap: BTreeMap<Location, Value>,
    pub held: Resources,
    /// What is framed: held by callers and around loops.
    pub frame: Rc<Resources>,
    /// Set in proof scripts.
    pub reserve: Option<Box<Reserve>>,
    /// In a proof script that runs again when its wand is applied: what could be read around it when
    /// it was packaged.
    pub past: Option<Rc<State>>,
}

impl State {
    /// The value of a location that may be read.
    pub fn read(&self, location: Location) -> Option<&Value> {
        if self.held.fields.contains_key(&location) {
            return self.heap.get(&location);
        }
        if let Some(reserve) = &self.reserve {
            return reserve.outer.read(location);
        }
        self.past.as_ref().and_then(|past| past.read(location))
    }

    /// Permission of a location that anybody has who is known here.
    pub fn total(&self, location: Location) -> Amount {
        self.held.total(location) + self.frame.total(location)
    }

    /// Is there a location with more than full permission?
    pub fn is_overfull(&self) -> bool {
        let mut overfull = false;
        let mut check = |location| overfull |= self.total(location) > Amount::one();
        self.held.for_each_location(&mut check);
        overfull
    }

    /// Forgets values of which nothing is held any more.
    pub fn forget(&mut self) {
        let mut heap = std::mem::take(&mut self.heap);
        heap.retain(|location, _| self.total(*location).is_positive());
        self.heap = heap;
    }
}

/// The variables of a member and the states it can look back to.
#[derive(Clone)]
pub(crate) struct Scope {
    pub types: Rc<[Local]>,
    pub locals: Vec<Value>,
    pub pre: Option<Rc<State>>,
    pub labels: BTreeMap<LabelId, Rc<State>>,
    /// The left-hand side of a wand that is being applied.
    pub lhs: Option<Rc<State>>,
    pub result: Option<Value>,
    /// In functions, where any positive amount will do.
    pub any_amount: bool,
    /// In bodies of predicates, of which a part may be held: the same for `unfolding`.
    pub in_predicate: bool,
}

impl Scope {
    pub fn new(types: &[Local], locals: Vec<Value>) -> Scope {
        Scope {
            types: types.into(),
            locals,
            pre: None,
            labels: BTreeMap::new(),
            lhs: None,
            result: None,
            any_amount: false,
            in_predicate: false,
        }
    }
}
