//! What is found out about definitions once, and kept with them for all questions.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use arith::{Constraint, Sum};
use sl::Defs;
use sl::core::Selection;

use crate::base::Table;
use crate::invariant::Remainder;
use crate::prove::shape::{Shape, shapes};
use crate::refine::Refined;
use crate::system::{PredId, System};
use crate::{count, ends, invariant, unfold};

/// Steps for computing bases.
pub(crate) const BASE_WORK: u64 = 2_000_000;

/// Steps for splitting definitions by their bases.
pub(crate) const REFINE_WORK: u64 = 50_000;

/// More selections of predicates than this are not kept.
const MAX_KEPT: usize = 64;

/// The definitions that a question mentions, and what is known about them.
#[derive(Debug)]
pub(crate) struct Prepared {
    /// The definitions.
    pub(crate) system: Arc<System>,
    table: OnceLock<Table>,
    invariants: OnceLock<Vec<Vec<Constraint>>>,
    remainders: OnceLock<Vec<Vec<Remainder>>>,
    least_sizes: OnceLock<Vec<Option<usize>>>,
    refined: OnceLock<Option<Refined>>,
    extended: OnceLock<Extended>,
}

/// Definitions with those from the other end, and what proofs need to know about them.
#[derive(Debug)]
pub(crate) struct Extended {
    pub(crate) system: Arc<System>,
    /// Which definition from the other end belongs to which predicate.
    pub(crate) ends: BTreeMap<PredId, PredId>,
    pub(crate) table: Table,
    pub(crate) invariants: Vec<Vec<Constraint>>,
    pub(crate) counts: Vec<Option<Sum>>,
    pub(crate) shapes: Vec<Shape>,
}

impl Extended {
    pub(crate) fn new(mut system: System) -> Extended {
        let ends = add_ends(&mut system);
        let table = Table::new(&system, BASE_WORK);
        Extended {
            ends,
            invariants: invariant::invariants(&system),
            counts: count::counts(&system),
            shapes: shapes(&system, &table),
            table,
            system: Arc::new(system),
        }
    }
}

impl Prepared {
    /// What is known about these definitions.
    pub(crate) fn of(defs: &Defs, selection: &Selection) -> Arc<Prepared> {
        let kept = defs.prepared(|_| Kept::default());
        // The numbers of predicates depend on the order in which they are mentioned.
        let known = |kept: &Kept| {
            let kept = kept.0.lock().unwrap_or_else(PoisonError::into_inner);
            kept.get(&selection.origin).cloned()
        };
        if let Some(prepared) = known(&kept) {
            return prepared;
        }
        let system = selection.system.clone();
        let prepared = Arc::new(Prepared::new(system));
        let mut kept = kept.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < MAX_KEPT {
            kept.insert(selection.origin.clone(), prepared.clone());
        }
        prepared
    }

    /// Nothing is known yet.
    pub(crate) fn new(system: Arc<System>) -> Prepared {
        Prepared {
            system,
            table: OnceLock::new(),
            invariants: OnceLock::new(),
            remainders: OnceLock::new(),
            least_sizes: OnceLock::new(),
            refined: OnceLock::new(),
            extended: OnceLock::new(),
        }
    }

    /// The bases of all predicates.
    pub(crate) fn table(&self) -> &Table {
        self.table.get_or_init(|| Table::new(&self.system, BASE_WORK))
    }

    /// What instances say of integers.
    pub(crate) fn invariants(&self) -> &[Vec<Constraint>] {
        self.invariants.get_or_init(|| invariant::invariants(&self.system))
    }

    /// What instances say of the remainders of integers.
    pub(crate) fn remainders(&self) -> &[Vec<Remainder>] {
        self.remainders.get_or_init(|| invariant::remainders(&self.system, self.invariants()))
    }

    /// The least number of instances that an instance of each predicate takes.
    pub(crate) fn least_sizes(&self) -> &[Option<usize>] {
        self.least_sizes.get_or_init(|| unfold::least_sizes(&self.system))
    }

    /// The definitions, split by their bases; `None` if that is too much to do.
    pub(crate) fn refined(&self) -> Option<&Refined> {
        self.refined.get_or_init(|| Refined::new(&self.system, REFINE_WORK)).as_ref()
    }

    /// The same with what proofs need.
    pub(crate) fn extended(&self) -> &Extended {
        self.extended.get_or_init(|| Extended::new(System::clone(&self.system)))
    }
}

/// By the predicates that are mentioned, in their order.
#[derive(Default)]
struct Kept(Mutex<HashMap<Vec<PredId>, Arc<Prepared>>>);

/// Adds definitions from the other end, and says which one belongs to which predicate.
fn add_ends(system: &mut System) -> BTreeMap<PredId, PredId> {
    let mut added = BTreeMap::new();
    for pred in 0..system.predicates.len() {
        if let Some(cases) = ends::from_the_end(system, pred) {
            let name = format!("{} from its end", system.predicates[pred].name);
            let params = system.predicates[pred].params.clone();
            added.insert(pred, system.add(&name, params, cases));
        }
    }
    added
}
