//! What a user can choose.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use report::SourceMap;

/// How a verification is to be done.
#[derive(Clone, Debug)]
pub struct Config {
    /// The Z3 to run.
    pub solver: PathBuf,
    /// Options for it beyond ours, in order: `("smt.arith.solver", "6")`.
    pub solver_options: Vec<(String, String)>,
    /// How many members are verified at the same time.
    pub jobs: usize,
    /// Other numbers lead to other random choices of the solver and to another order of members, so
    /// that one can see whether a verdict depends on them.
    pub seed: u32,
    /// The time the whole verification may take.
    pub timeout: Option<Duration>,
    /// The time one proof may take. There is a bound on the solver's work besides, which does not
    /// depend on the machine.
    pub assert_timeout: Option<Duration>,
    /// Verify only the members with these names; all if empty.
    pub members: Vec<String>,
    /// Stop a member after so many errors; 0 for all of them.
    pub max_errors: usize,
    /// Ask for values that make a failed proof fail.
    pub counterexamples: bool,
    /// How permissions are looked for.
    pub exhale_mode: ExhaleMode,
    /// Assume that quantified permissions are to different locations where they are inhaled, instead
    /// of checking it.
    pub assume_injectivity_on_inhale: bool,
    /// Do without these, to see what they are good for.
    pub ablations: Vec<Ablation>,
    /// Count how often quantified formulas are instantiated.
    pub profile: bool,
    /// What the positions in the program point into, for people who read a dump.
    pub sources: Option<Arc<SourceMap>>,
    /// Where the paths of methods are joined, unless a method says `@moreJoins`.
    pub join_mode: JoinMode,
    /// Write what the solver is told into this folder, a file for every unit.
    pub dump_smt: Option<PathBuf>,
    /// Stops the verification from outside.
    pub cancel: Cancel,
}

impl Config {
    /// The usual choices, with this solver.
    #[must_use]
    pub fn new(solver: impl Into<PathBuf>) -> Config {
        Config {
            solver: solver.into(),
            solver_options: Vec::new(),
            jobs: 1,
            seed: 0,
            timeout: None,
            assert_timeout: None,
            members: Vec::new(),
            max_errors: 0,
            counterexamples: false,
            exhale_mode: ExhaleMode::default(),
            assume_injectivity_on_inhale: false,
            ablations: Vec::new(),
            profile: false,
            sources: None,
            join_mode: JoinMode::default(),
            dump_smt: None,
            cancel: Cancel::default(),
        }
    }

    /// Is this to be done without?
    pub(crate) fn ablates(&self, what: Ablation) -> bool {
        self.ablations.contains(&what)
    }
}

/// Something that can be left out in order to measure what it is worth, or what it costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ablation {
    /// Inverse functions and summaries of values that are the same as others are used again.
    Memoisation,
    /// The quantified formulas that stand for quantified permissions say what instantiates them.
    Triggers,
    /// Footprints of wands are joined soundly. Without it `false` can be proved.
    Footprints,
    /// A native prover is asked before the solver.
    Native,
    /// Axioms are told to the solver once their symbols are mentioned.
    Relevance,
}

/// How permissions are looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExhaleMode {
    /// One chunk that certainly matches, only.
    Greedy,
    /// First one chunk that certainly matches, then the sum over all that may.
    #[default]
    MoreCompleteOnDemand,
    /// Always the sum over all chunks that may match.
    MoreComplete,
}

/// Where paths are joined again. The more, the fewer there are, and the more a proof has to tell
/// apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum JoinMode {
    /// Only in expressions.
    #[default]
    Off,
    /// Also after an assertion that gives permissions under a condition.
    Impure,
    /// Also after an `if`.
    All,
}

/// A flag that stops a verification; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Stops what watches this flag, soon.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// The flag itself, for those who watch it.
    #[must_use]
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }

    /// Was it stopped?
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
