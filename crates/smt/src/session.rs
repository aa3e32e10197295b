//! Sessions with a solver.
//!
//! A [`Session`] is a stack of scopes with assertions. Nothing is written before a question needs it;
//! the solver is started by the first one. If it dies it is started again with the scopes it had; if
//! it takes too long it is killed, and the answer is [`Answer::Unknown`]. No failure is ever mistaken
//! for an answer.

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::print::print;
use crate::process::{Process, Silence};
use crate::sort::{FunId, Meaning, Sort, SortId, symbol};
use crate::term::{Node, Term, Terms};

/// How a session talks to its solver.
#[derive(Clone, Debug)]
pub struct Config {
    /// The program to run.
    pub solver: PathBuf,
    /// Options, set in this order before anything else: `("smt.mbqi", "false")`.
    pub options: Vec<(String, String)>,
    /// The work a question may take, in units of the solver: the same on every machine.
    pub rlimit: Option<u64>,
    /// The time it may take whatever the limit on work says.
    pub timeout: Duration,
}

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The assertions are satisfiable.
    Sat,
    /// They contradict each other.
    Unsat,
    /// The solver does not know, for this reason.
    Unknown(String),
}

/// Why a session cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SolverError {
    /// The program cannot be started.
    Start(String),
    /// It died, and died again when it was started anew.
    Lost(String),
    /// It complained about what was written: a mistake of ours.
    Rejected(String),
}

impl fmt::Display for SolverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SolverError::Start(why) => write!(f, "the solver cannot be started: {why}"),
            SolverError::Lost(why) => write!(f, "the solver was lost: {why}"),
            SolverError::Rejected(why) => write!(f, "the solver rejects its input: {why}"),
        }
    }
}

impl std::error::Error for SolverError {}

/// What a session has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Questions that simplification answered.
    pub trivial: u64,
    /// Questions put to the solver.
    pub queries: u64,
    /// Of these, questions without an answer.
    pub unknown: u64,
    /// How often the solver was started.
    pub starts: u64,
    /// Time spent waiting for it.
    pub waiting: Duration,
}

#[derive(Default)]
struct Frame {
    /// What was said in this scope, each with its line break.
    commands: String,
    /// How much of it the running solver has seen.
    sent: usize,
}

/// A conversation with a solver.
pub struct Session {
    config: Config,
    process: Option<Process>,
    /// The scopes; the first is always there.
    frames: Vec<Frame>,
    /// How many scopes the running solver has open.
    opened: usize,
    /// In which scope a symbol is declared.
    sorts: HashMap<SortId, usize>,
    funs: HashMap<FunId, usize>,
    /// In which scope all symbols of a term are declared.
    declared: HashMap<Term, usize>,
    stats: Stats,
}

impl Session {
    /// A session without assertions. The solver is not started yet.
    #[must_use]
    pub fn new(config: Config) -> Session {
        Session {
            config,
            process: None,
            frames: vec![Frame::default()],
            opened: 0,
            sorts: HashMap::new(),
            funs: HashMap::new(),
            declared: HashMap::new(),
            stats: Stats::default(),
        }
    }

    /// What was done so far.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.stats
    }

    // --- Scopes and assertions

    /// Opens a scope.
    pub fn push(&mut self) {
        self.frames.push(Frame::default());
    }

    /// Closes the innermost scope and forgets what was said in it. The outermost one stays.
    pub fn pop(&mut self) {
        if self.frames.len() == 1 {
            return;
        }
        self.frames.pop();
        let depth = self.frames.len();
        self.sorts.retain(|_, d| *d < depth);
        self.funs.retain(|_, d| *d < depth);
        self.declared.retain(|_, d| *d < depth);
        if self.opened > depth {
            self.opened = depth;
            // A solver that is gone has no scopes; it gets the right ones when it is started again.
            let closed =
                self.process.as_mut().is_none_or(|p| p.write("(pop 1)\n".to_string()).is_ok());
            if !closed {
                self.process = None;
            }
        }
    }

    /// Says something in the innermost scope.
    fn say(&mut self, command: &str) {
        if let Some(frame) = self.frames.last_mut() {
            frame.commands.push_str(command);
            frame.commands.push('\n');
        }
    }

    /// Assumes a formula in the innermost scope.
    pub fn assert(&mut self, terms: &Terms, formula: Term) {
        if terms.as_bool(formula) == Some(true) {
            return;
        }
        self.declare(terms, formula);
        self.say(&format!("(assert {})", print(terms, formula)));
    }

    /// Declares what a term mentions and is not declared yet.
    fn declare(&mut self, terms: &Terms, term: Term) {
        let depth = self.frames.len() - 1;
        let mut pending = vec![term];
        while let Some(term) = pending.pop() {
            if self.declared.contains_key(&term) {
                continue;
            }
            self.declared.insert(term, depth);
            self.declare_sort(terms, terms.sort(term), depth);
            match terms.node(term) {
                Node::App(fun, _) => self.declare_fun(terms, *fun, depth),
                Node::Quant(quant) => {
                    for var in &quant.vars {
                        self.declare_sort(terms, terms.bound(*var).1, depth);
                    }
                }
                _ => {}
            }
            pending.extend(terms.children(term));
        }
    }

    fn declare_sort(&mut self, terms: &Terms, sort: Sort, depth: usize) {
        let Sort::Named(id) = sort else { return };
        let decl = terms.signature.sort(id);
        if decl.meaning == Meaning::Uninterpreted && !self.sorts.contains_key(&id) {
            self.sorts.insert(id, depth);
            self.say(&format!("(declare-sort {} 0)", symbol(&decl.name)));
        }
    }

    fn declare_fun(&mut self, terms: &Terms, fun: FunId, depth: usize) {
        let decl = terms.signature.fun(fun);
        if decl.meaning == Meaning::Builtin || self.funs.contains_key(&fun) {
            return;
        }
        self.funs.insert(fun, depth);
        for sort in decl.args.iter().chain([&decl.result]) {
            self.declare_sort(terms, *sort, depth);
        }
        let args: Vec<String> = decl.args.iter().map(|s| terms.signature.sort_text(*s)).collect();
        let result = terms.signature.sort_text(decl.result);
        let name = symbol(&decl.name);
        self.say(&format!("(declare-fun {name} ({}) {result})", args.join(" ")));
    }

    // --- Questions

    /// Does the formula follow from what is asserted? `Unsat` means yes: its negation contradicts the
    /// assertions.
    ///
    /// # Errors
    /// If the solver cannot be had or does not understand us.
    pub fn prove(&mut self, terms: &mut Terms, formula: Term) -> Result<Answer, SolverError> {
        if terms.as_bool(formula) == Some(true) {
            self.stats.trivial += 1;
            return Ok(Answer::Unsat);
        }
        let negation = terms.not(formula);
        self.push();
        self.assert(terms, negation);
        let answer = self.check();
        self.pop();
        answer
    }

    /// Are the assertions satisfiable?
    ///
    /// # Errors
    /// If the solver cannot be had or does not understand us.
    pub fn check(&mut self) -> Result<Answer, SolverError> {
        self.stats.queries += 1;
        let start = Instant::now();
        let answer = self.ask();
        self.stats.waiting += start.elapsed();
        if let Ok(Answer::Unknown(_)) = answer {
            self.stats.unknown += 1;
        }
        answer
    }

    fn ask(&mut self) -> Result<Answer, SolverError> {
        // A solver that died may have died of an accident; one that dies twice did not.
        let mut died = None;
        for _ in 0..2 {
            let deadline = Instant::now() + self.config.timeout;
            match self.exchange(deadline) {
                Ok(line) => return answer(&line),
                Err(Failure::Start(why)) => return Err(SolverError::Start(why)),
                Err(Failure::Silence(Silence::Timeout)) => {
                    // Killed; the next question starts it again.
                    self.process = None;
                    return Ok(Answer::Unknown("timeout".to_string()));
                }
                Err(Failure::Silence(Silence::Gone(why))) => {
                    self.process = None;
                    died = Some(why);
                }
            }
        }
        Err(SolverError::Lost(died.unwrap_or_default()))
    }

    /// Brings the solver up to date and asks.
    fn exchange(&mut self, deadline: Instant) -> Result<String, Failure> {
        if self.process.is_none() {
            let process = Process::start(&self.config.solver)
                .map_err(|e| Failure::Start(format!("{}: {e}", self.config.solver.display())))?;
            self.process = Some(process);
            self.stats.starts += 1;
            self.opened = 0;
            self.frames.iter_mut().for_each(|f| f.sent = 0);
        }
        let mut text = String::new();
        if self.opened == 0 {
            for (option, value) in &self.config.options {
                text.push_str(&format!("(set-option :{option} {value})\n"));
            }
            if let Some(rlimit) = self.config.rlimit {
                text.push_str(&format!("(set-option :rlimit {rlimit})\n"));
            }
            self.opened = 1;
        }
        for (depth, frame) in self.frames.iter_mut().enumerate() {
            if depth >= self.opened {
                text.push_str("(push 1)\n");
            }
            text.push_str(frame.commands.get(frame.sent..).unwrap_or_default());
            frame.sent = frame.commands.len();
        }
        self.opened = self.frames.len();
        text.push_str("(check-sat)\n");
        let Some(process) = &mut self.process else {
            return Err(Failure::Start("it is not running".to_string()));
        };
        process.write(text).map_err(Failure::Silence)?;
        process.read(deadline).map_err(Failure::Silence)
    }
}

enum Failure {
    Start(String),
    Silence(Silence),
}

fn answer(line: &str) -> Result<Answer, SolverError> {
    match line {
        "sat" => Ok(Answer::Sat),
        "unsat" => Ok(Answer::Unsat),
        "unknown" => Ok(Answer::Unknown("incomplete or out of resources".to_string())),
        other => Err(SolverError::Rejected(other.chars().take(300).collect())),
    }
}
