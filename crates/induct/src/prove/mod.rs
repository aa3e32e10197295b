//! Entailment by induction: a search for cyclic proofs.
//!
//! A proof is a tree of sequents. The steps are those of the trade: what both sides say of the same
//! location is taken away from both, instances on the right are unfolded to a case that fits,
//! instances on the left are unfolded to all their cases, and a sequent that was met before on the
//! way from the root is used as a *hypothesis*.
//!
//! Before that there are choices for the whole sequent (`variant`): one predicate in place of others,
//! one segment in place of two. Small sequents on the way are proved on their own, once, as lemmas. A
//! branch that fails for want of something about integers says what, and further down it becomes a case
//! distinction.
//!
//! Both sides of a sequent describe the same heap. So what follows for its integers from that, such as
//! that both have the same number of cells, need not be shown, and determines existential ones.
//!
//! # Why hypotheses may be used
//!
//! Every step goes from a model `(s, h)` of the left side of a sequent to a model `(s', h')` of the
//! left side of the next, where `h'` is `h` or, when a cell was taken away from both sides, smaller by
//! that cell. A hypothesis is used for a part of `h'`. We insist that this part is strictly smaller
//! than the heap that the hypothesis was met with: cells were taken away in between, or what is left
//! over certainly holds a cell. Suppose that a sequent of a finished proof has a model that is no
//! model of its right side. Then so has one of the sequents above it, and so on for ever; the path
//! goes through hypotheses again and again. Take the one nearest to the root that it comes back to
//! infinitely often. Between two visits it goes through every step on the way from there to where the
//! hypothesis is used, since it goes back only to sequents that it has come through; so the heap gets
//! strictly smaller each time, and never larger. But heaps are finite.
//!
//! A hypothesis is a statement of its own: about all values of its variables. So it is stored with
//! everything that its proof may use, and whatever is not worth asking for is forgotten before.

mod cases;
mod facts;
mod hypothesis;
mod join;
mod left;
mod lemma;
mod normalise;
mod right;
pub(crate) mod shape;
pub(crate) mod trace;
mod variant;

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use self::shape::Shape;
use crate::base::Table;
use crate::prepared::Extended;
use crate::sequent::Sequent;
use crate::system::{PredId, SortId, System, Var};
use arith::{Constraint, Sum};
use sl::procedure::Meter;
use sl::proof::{Rule, Tree};
use trace::Trace;

/// Choosing so many bases takes as long as a step.
const BASES_IN_A_STEP: u64 = 150;

/// So many wishes of a sequent are handed down to those that it comes from.
const MAX_WISHES: usize = 16;

/// A search for a proof.
pub struct Prover<'a> {
    system: &'a System,
    table: &'a Table,
    /// Counts the steps of all searches.
    meter: &'a Meter,
    pub(crate) invariants: &'a [Vec<Constraint>],
    /// The number of cells of an instance.
    counts: &'a [Option<Sum>],
    /// Predicates and their definitions from the other end, not proved to be the same.
    pub(crate) ends: &'a BTreeMap<PredId, PredId>,
    shapes: &'a [Shape],
    /// The sorts of all variables.
    sorts: Vec<SortId>,
    /// What was met on the way.
    path: Vec<Hypothesis>,
    /// Searches that failed.
    failed: HashSet<u64>,
    /// Whether an instance of the first predicate is one of the second, as far as was asked.
    conversions: HashMap<(PredId, PredId), Option<usize>>,
    /// Lemmas, as far as they were looked for, with the sorts of their variables.
    lemmas: HashMap<Statement, Option<usize>>,
    /// Proofs of lemmas, by their numbers.
    pub(crate) proved: Vec<Tree>,
    /// How many companions there were.
    companions: u32,
    /// What would have to be known of integers for branches that failed.
    wishes: Vec<Constraint>,
    /// How often instances were unfolded only to know more of integers.
    closer: u32,
    /// Is a lemma being proved?
    aside: bool,
    /// How many more lemmas are looked for.
    attempts: u32,
    steps: u64,
    /// Steps of choosing bases that are not counted yet.
    spent: Cell<u64>,
}

/// A sequent whatever the names, with the sorts of its variables.
type Statement = (Sequent, Vec<(Var, SortId)>);

/// A sequent that may be used, because it is being proved.
#[derive(Clone, Debug)]
struct Hypothesis {
    sequent: Sequent,
    /// How many cells had been taken away, at least, when it was met.
    consumed: u32,
    /// The same for the same sequents.
    key: u64,
    /// What its uses call it.
    label: u32,
}

/// How far a sequent got without any choice.
pub(crate) enum Progress {
    Proved,
    Failed,
    /// What is pure on the right side does not follow, or not yet: instances on the left say more when they
    /// are unfolded, also those that were matched.
    Missing(Option<Box<Unmatched>>),
    Open,
}

/// A sequent before instances were matched.
pub(crate) struct Unmatched {
    sequent: Sequent,
    consumed: u32,
    /// How it was reached.
    trace: Trace,
}

impl<'a> Prover<'a> {
    /// A prover for these definitions.
    pub(crate) fn with(known: &'a Extended, meter: &'a Meter) -> Prover<'a> {
        let system = known.system.as_ref();
        Prover {
            system,
            meter,
            table: &known.table,
            invariants: &known.invariants,
            counts: &known.counts,
            ends: &known.ends,
            shapes: &known.shapes,
            sorts: (0..system.nils()).collect(),
            path: Vec::new(),
            failed: HashSet::new(),
            conversions: HashMap::new(),
            lemmas: HashMap::new(),
            proved: Vec::new(),
            companions: 0,
            wishes: Vec::new(),
            aside: false,
            attempts: lemma::MAX_ATTEMPTS,
            closer: 0,
            steps: 0,
            spent: Cell::new(0),
        }
    }

    /// A variable that nobody has.
    pub fn fresh(&mut self, sort: SortId) -> Var {
        self.sorts.push(sort);
        (self.sorts.len() - 1) as Var
    }

    /// The sorts of all variables.
    #[must_use]
    pub fn sorts(&self) -> &[SortId] {
        &self.sorts
    }

    /// A proof that is found in so many steps, if there is one, and how many are left. The depth of a proof is
    /// how often instances on the left are unfolded and hypotheses used on one branch.
    pub fn proves(
        &mut self,
        sequent: &Sequent,
        max_depth: u32,
        max_steps: u64,
    ) -> (Option<Tree>, u64) {
        self.steps = max_steps;
        for depth in (1..=max_depth).filter(|depth| *depth < 5 || depth % 2 == 0) {
            self.path.clear();
            self.wishes.clear();
            if let Some(tree) = self.prove(sequent.clone(), 0, depth) {
                return (Some(tree), self.steps);
            }
            if self.steps == 0 {
                break;
            }
        }
        (None, self.steps)
    }

    pub(crate) fn system(&self) -> &'a System {
        self.system
    }

    pub(crate) fn nils(&self) -> usize {
        self.system.nils()
    }

    pub(crate) fn is_int(&self, var: Var) -> bool {
        self.system.is_int(self.sorts[var as usize])
    }

    /// A search that has failed before is not repeated.
    fn prove(&mut self, mut s: Sequent, mut consumed: u32, depth: u32) -> Option<Tree> {
        let price = 1 + self.spent.take() / BASES_IN_A_STEP;
        if self.steps == 0 || !self.meter.step(price) {
            self.steps = 0;
            return None;
        }
        self.steps = self.steps.saturating_sub(price);
        let mut trace = Trace::default();
        match self.normalise(&mut s, &mut consumed, &mut trace) {
            Progress::Proved => {
                return Some(trace.close(Tree::new(s, Rule::Contradiction, Vec::new())));
            }
            Progress::Failed => return None,
            Progress::Missing(before) => {
                if let Some(tree) = self.look_closer(&s, consumed, depth) {
                    return Some(trace.close(tree));
                }
                let Unmatched { sequent, consumed, trace } = *before?;
                return self.look_closer(&sequent, consumed, depth).map(|tree| trace.close(tree));
            }
            Progress::Open => {}
        }
        let key = self.key(&s, consumed, depth);
        if self.failed.contains(&key) {
            return None;
        }
        let proved = self.choose(&s, consumed, depth);
        if proved.is_none() && self.steps > 0 {
            self.failed.insert(key);
        }
        proved.map(|tree| trace.close(tree))
    }

    /// The same for the same question, whatever the names.
    fn key(&self, s: &Sequent, consumed: u32, depth: u32) -> u64 {
        let mut hasher = DefaultHasher::new();
        s.canonical(self.nils()).hash(&mut hasher);
        depth.hash(&mut hasher);
        for hypothesis in &self.path {
            (hypothesis.key, consumed > hypothesis.consumed).hash(&mut hasher);
        }
        hasher.finish()
    }

    fn choose(&mut self, s: &Sequent, consumed: u32, depth: u32) -> Option<Tree> {
        if s.right.is_empty() {
            if s.right.open || s.left.is_empty() && !s.left.open {
                if self.pure_holds(s) {
                    return Some(Tree::new(s.clone(), Rule::Axiom, Vec::new()));
                }
                return self.split(s, consumed, depth);
            }
            if !s.left.cells.is_empty() || s.left.open {
                return None;
            }
        }
        if let Some((next, trace)) = self.convert(s)
            && let Some(tree) = self.prove(next, consumed, depth)
        {
            return Some(trace.close(tree));
        }
        let flat = s.left.calls.iter().position(|call| !self.shapes[call.pred].recursive);
        if let Some(index) = flat {
            return self.unfold_left(s, index, consumed, depth);
        }
        if let Some(tree) = self.stands_alone(s) {
            return Some(tree);
        }
        let before = self.wishes.len();
        let proved = self
            .match_cells(s, consumed, depth)
            .or_else(|| self.match_calls(s, consumed, depth))
            .or_else(|| self.unfold_right(s, consumed, depth))
            .or_else(|| self.use_hypotheses(s, consumed, depth))
            .or_else(|| self.induct(s, consumed, depth))
            .or_else(|| self.split(s, consumed, depth))
            .or_else(|| self.split_on_wishes(s, before, consumed, depth))
            .or_else(|| self.guess(s, consumed, depth));
        self.wishes.truncate(before + MAX_WISHES);
        proved
    }
}
