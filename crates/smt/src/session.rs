//! Sessions with a solver.
//!
//! A [`Session`] is a stack of scopes with assertions. Nothing is written before a question needs it;
//! the solver is started by the first one. If it dies it is started again with the scopes it had; if
//! it takes too long it is killed, and the answer is [`Answer::Unknown`]. No failure is ever mistaken
//! for an answer.

use std::fmt::Write as _;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::config::{Answer, Config, Limits, SolverError, Stats};
use crate::dump::Dump;
use crate::model::Model;
use crate::native::{Beside, Native};
use crate::print::Printer;
use crate::process::{Patience, Process, Silence};
use crate::profile::{BUSY, Instances, Profile};
use crate::relevance::{Mentions, Relevance};
use crate::sort::{FunId, Meaning, Sort, SortId};
use crate::term::{Node, Term, Terms};
use crate::values::values;

/// A solver that died may have died of an accident; one that dies so often in one question did not.
const DEATHS: usize = 5;

/// A solver that we did not end after this time is an orphan, most likely.
const LIFETIME: Duration = Duration::from_secs(600);

/// Behind the options, so that the solver is ready when the first question comes. A solver gets this
/// whether or not there is time for it, lest answers depend on it.
const WARM_UP: &str = "(push 1)\n(check-sat)\n(pop 1)\n";

/// A solver that does not answer the first simple question for so long never will.
const START: Duration = Duration::from_secs(10);

/// What Z3 says of a question if it receives an interrupt meanwhile.
const INTERRUPTED: &str = "(:reason-unknown \"interrupted";

/// One scope.
#[derive(Default)]
struct Frame {
    /// What was said in it, each with its line break.
    commands: String,
    /// How much of it the running solver has seen.
    sent: usize,
    /// How much of it the native prover has seen.
    shown: usize,
    /// What is declared in it.
    sorts: Vec<SortId>,
    funs: Vec<FunId>,
    /// The terms whose symbols are declared in it or around it.
    terms: Vec<Term>,
    /// Which axioms matter in it.
    mentions: Mentions,
}

/// A set of small numbers.
#[derive(Default)]
struct Marks(Vec<bool>);

impl Marks {
    /// Adds a number. Is it new?
    fn add(&mut self, index: usize) -> bool {
        if self.0.len() <= index {
            self.0.resize((index + 1).next_power_of_two(), false);
        }
        !std::mem::replace(&mut self.0[index], true)
    }

    fn remove(&mut self, index: usize) {
        if let Some(mark) = self.0.get_mut(index) {
            *mark = false;
        }
    }
}

/// A conversation with a solver.
pub struct Session {
    config: Config,
    solver: Option<Solver>,
    /// The scopes; the first is always there.
    frames: Vec<Frame>,
    /// What is declared in some scope.
    sorts: Marks,
    funs: Marks,
    terms: Marks,
    printer: Printer,
    dump: Option<Dump>,
    stats: Stats,
    fresh: bool,
    /// Did a solver ever do what it was told first?
    works: bool,
    /// What the solvers said about instances, if somebody wants to know.
    profile: Option<Arc<Mutex<Profile>>>,
    /// The native prover, if there is to be one.
    native: Option<Beside>,
    /// The axioms that are told once they can matter, if not all are told at once.
    relevance: Option<Relevance>,
}

/// A running solver and what it knows.
struct Solver {
    process: Process,
    /// The mark behind the options, until its reply was read.
    warming: Option<u64>,
    /// How many scopes it has open, the outermost one included.
    opened: usize,
    /// The limit on work that it was given last.
    rlimit: u64,
}

/// A model, and the values of some terms in it as they are printed.
pub type Proposal = (Model, Vec<Option<String>>);

enum Failure {
    Silence(Silence),
    Fatal(SolverError),
}

impl From<Silence> for Failure {
    fn from(silence: Silence) -> Failure {
        Failure::Silence(silence)
    }
}

impl Session {
    /// A session without assertions. The solver is not started yet.
    #[must_use]
    pub fn new(config: Config) -> Session {
        Session {
            profile: config.profile.then(Arc::default),
            native: config.native.then(Beside::default),
            relevance: None,
            config,
            solver: None,
            frames: vec![Frame::default()],
            sorts: Marks::default(),
            funs: Marks::default(),
            terms: Marks::default(),
            printer: Printer::default(),
            dump: None,
            stats: Stats::default(),
            fresh: true,
            works: false,
        }
    }

    /// What was done so far.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.stats
    }

    /// Closes all scopes but the outermost, and says how often the formulas in them were instantiated,
    /// by the names of their quantifiers. Nothing unless there is [`Config::profile`].
    pub fn instances(&mut self) -> Vec<(String, Instances)> {
        let Some(profile) = self.profile.clone() else { return Vec::new() };
        self.pop_to(1);
        // When it repeats this it has said all.
        let patience = patience(&self.config, Instant::now() + self.config.limits.timeout);
        if let Some(solver) = self.solver.as_mut().filter(|s| s.warming.is_none()) {
            let mark = solver.process.ask(String::new());
            if mark.and_then(|mark| solver.process.reply(mark, &patience)).is_err() {
                self.solver = None;
            }
        }
        profile.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Starts the solver if it is not running, and does not wait until it is ready.
    ///
    /// # Errors
    /// If there is no such program.
    pub fn start(&mut self) -> Result<(), SolverError> {
        if self.solver.is_some() {
            return Ok(());
        }
        let process = Process::start(&self.config.solver, self.lifetime(), self.profile.clone())
            .map_err(|e| SolverError::Start(format!("{}: {e}", self.config.solver.display())))?;
        if self.stats.starts > 0 {
            self.stats.restarts += 1;
            self.record("(reset)\n");
        }
        self.stats.starts += 1;
        self.greet(process);
        Ok(())
    }

    /// How long a solver that is started now may be of use. One that is needed for longer is
    /// replaced when it ends, like any that dies.
    fn lifetime(&self) -> Duration {
        let rest = self.config.deadline.map(|end| end.saturating_duration_since(Instant::now()));
        rest.map_or(LIFETIME, |rest| rest.min(LIFETIME))
    }

    /// Tells a solver that knows nothing the options.
    fn greet(&mut self, mut process: Process) {
        self.frames.iter_mut().for_each(|f| f.sent = 0);
        let text = self.prologue();
        self.record(&text);
        // A solver that is already gone is noticed by the first question.
        let warming = process.ask(text).ok();
        self.solver = Some(Solver { process, warming, opened: 1, rlimit: 0 });
    }

    fn prologue(&self) -> String {
        let mut text = String::new();
        for (option, value) in &self.config.options {
            let _ = writeln!(text, "(set-option :{option} {value})");
        }
        if self.profile.is_some() {
            text.push_str("(set-option :smt.qi.profile true)\n");
            let _ = writeln!(text, "(set-option :smt.qi.profile_freq {BUSY})");
        }
        // A limit that was set for the unit before would hold for this one.
        text.push_str(&set_rlimit(0));
        text.push_str(WARM_UP);
        text
    }

    /// From now on the session ends at this time; if it has ended it goes on.
    pub fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.config.deadline = deadline;
    }

    /// Has a native prover beside the solver from now on, or none; see [`Config::native`]. Nothing may be
    /// asserted yet.
    pub fn set_native(&mut self, native: bool) {
        self.config.native = native;
        self.native = native.then(Beside::default);
    }

    /// From now on axioms are told once they can matter, or all at once. Nothing may be asserted yet.
    ///
    /// An answer is never wrong because of that: without some axioms, what is proved is proved, and
    /// [`Answer::Sat`] becomes [`Answer::Unknown`]. A proof may be missed that needs a fact about constants
    /// which nothing else mentions.
    pub fn set_on_demand(&mut self, on_demand: bool) {
        self.relevance = on_demand.then(Relevance::default);
    }

    /// From now on questions are cancelled by this; see [`Config::cancel`].
    pub fn set_cancel(&mut self, cancel: Option<Arc<AtomicBool>>) {
        self.config.cancel = cancel;
    }

    /// Forgets all scopes, assertions and declarations, and lets the solver go on as it is: cheap, but
    /// the solver may remember having worked. A dump ends here.
    pub fn clear(&mut self) {
        // What is in the outermost scope cannot be taken back.
        if self.frames[0].commands.is_empty() {
            self.pop_to(1);
            self.dump = None;
            self.relevance = None;
            self.native = self.config.native.then(Beside::default);
        } else {
            self.reset();
        }
    }

    /// Has the solver answered nothing yet, or nothing since it forgot everything?
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        self.fresh
    }

    /// Forgets all scopes, assertions and declarations: what follows is as in a new session, but the
    /// solver goes on. A dump ends here.
    pub fn reset(&mut self) {
        self.dump = None;
        self.fresh = true;
        self.relevance = None;
        self.native = self.config.native.then(Beside::default);
        self.frames = vec![Frame::default()];
        self.sorts = Marks::default();
        self.funs = Marks::default();
        self.terms = Marks::default();
        if let Some(mut solver) = self.solver.take()
            && solver.process.write("(reset)\n").is_ok()
        {
            self.greet(solver.process);
        }
    }

    /// Lets the solver forget what it found out on the way to earlier answers: it is told everything that
    /// is still said, and the next question is as in a new session.
    pub fn refresh(&mut self) {
        if let Some(mut solver) = self.solver.take()
            && solver.process.write("(reset)\n").is_ok()
        {
            self.record("(reset)\n");
            self.greet(solver.process);
        }
    }

    /// As [`Session::refresh`], and from now on the solver alone is asked, and knows all axioms, those
    /// that were withheld, too, in the scope at a depth.
    pub fn refresh_with_all(&mut self, depth: usize) {
        self.native = None;
        self.config.native = false;
        if let Some(relevance) = self.relevance.take()
            && let Some(frame) = self.frames.get_mut(depth)
        {
            frame.commands.push_str(&relevance.into_others(&frame.mentions));
        }
        self.refresh();
    }

    /// Writes a copy of everything that the solver is told, and as comments its answers, to a file,
    /// until the next [`Session::reset`]. The solver does the same again when it is given the file.
    ///
    /// # Errors
    /// If the file cannot be made.
    pub fn dump_to(&mut self, path: &Path) -> io::Result<()> {
        let mut dump = Dump::create(path)?;
        if let Some(solver) = &self.solver {
            dump.write(&self.prologue())?;
            dump.write(&set_rlimit(solver.rlimit))?;
            for (depth, frame) in self.frames.iter().take(solver.opened).enumerate() {
                if depth > 0 {
                    dump.write("(push 1)\n")?;
                }
                dump.write(frame.commands.get(..frame.sent).unwrap_or_default())?;
            }
        }
        self.dump = Some(dump);
        Ok(())
    }

    /// Writes something for people into the dump, if there is one.
    pub fn note(&mut self, text: &str) {
        self.comment(|| text.to_string());
    }

    /// A dump that cannot be written must not stop a proof: it ends there.
    fn record(&mut self, text: &str) {
        if self.dump.as_mut().is_some_and(|dump| dump.write(text).is_err()) {
            self.dump = None;
        }
    }

    fn comment(&mut self, text: impl FnOnce() -> String) {
        if self.dump.as_mut().is_some_and(|dump| dump.comment(&text()).is_err()) {
            self.dump = None;
        }
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
        let Some(frame) = self.frames.pop() else { return };
        frame.sorts.iter().for_each(|id| self.sorts.remove(id.index()));
        frame.funs.iter().for_each(|id| self.funs.remove(id.index()));
        frame.terms.iter().for_each(|id| self.terms.remove(id.index()));
        let depth = self.frames.len();
        if let Some(relevance) = &mut self.relevance
            && let Some(around) = self.frames.last_mut()
        {
            relevance.close(frame.mentions, depth, &mut around.mentions, &mut around.commands);
        }
        if let Some(native) = self.native.as_mut().filter(|native| native.depth() > depth) {
            native.pop();
        }
        let Some(solver) = self.solver.as_mut().filter(|s| s.opened > depth) else { return };
        solver.opened = depth;
        if solver.process.write("(pop 1)\n").is_err() {
            // It is gone. It gets the right scopes when it is started again.
            self.solver = None;
        }
        self.record("(pop 1)\n");
    }

    /// How many scopes there are; the outermost one is always there.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.frames.len()
    }

    /// Closes scopes until there are so many.
    pub fn pop_to(&mut self, depth: usize) {
        while self.frames.len() > depth.max(1) {
            self.pop();
        }
    }

    /// As [`Session::declare_text`], in the scope at a depth. If there are scopes in it, the solver has
    /// to be told everything in them again: whoever can should say it before.
    pub fn declare_at(&mut self, depth: usize, text: &str) {
        let Some(frame) = self.frames.get_mut(depth) else { return };
        match &mut self.relevance {
            Some(relevance) => {
                relevance.read(text, depth, &mut frame.mentions, &mut frame.commands);
            }
            None => push_lines(&mut frame.commands, text),
        }
        let kept = depth + 1;
        let Some(solver) = self.solver.as_mut().filter(|s| s.opened > kept) else { return };
        let close = format!("(pop {})\n", solver.opened - kept);
        solver.opened = kept;
        self.frames.iter_mut().skip(kept).for_each(|f| f.sent = 0);
        if solver.process.write(&close).is_err() {
            self.solver = None;
        }
        self.record(&close);
    }

    fn innermost(&mut self) -> &mut Frame {
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    /// Says SMT-LIB commands in the innermost scope as they are: declarations and assertions, nothing
    /// that has a reply. For terms, symbols that are declared here are [`Meaning::Builtin`].
    pub fn declare_text(&mut self, text: &str) {
        push_lines(&mut self.innermost().commands, text);
    }

    /// Assumes a formula in the innermost scope.
    pub fn assert(&mut self, terms: &Terms, formula: Term) {
        if terms.as_bool(formula) == Some(true) {
            return;
        }
        self.declare(terms, formula);
        let mut printer = std::mem::take(&mut self.printer);
        let commands = &mut self.innermost().commands;
        commands.push_str("(assert ");
        printer.print(terms, formula, commands);
        commands.push_str(")\n");
        self.printer = printer;
    }

    /// Declares what a term mentions, in the innermost scope, so that one can ask for its value.
    pub fn mention(&mut self, terms: &Terms, term: Term) {
        self.declare(terms, term);
    }

    /// Declares what a term mentions and is not declared yet.
    fn declare(&mut self, terms: &Terms, term: Term) {
        let mut pending = vec![term];
        while let Some(term) = pending.pop() {
            if !self.terms.add(term.index()) {
                continue;
            }
            self.innermost().terms.push(term);
            match terms.node(term) {
                Node::App(fun, _) => self.declare_fun(terms, *fun),
                Node::Quant(quant) => {
                    for var in &quant.vars {
                        self.declare_sort(terms, terms.bound(*var).1);
                    }
                }
                _ => {}
            }
            terms.each_child(term, |child| pending.push(child));
        }
    }

    fn declare_sort(&mut self, terms: &Terms, sort: Sort) {
        let Sort::Named(id) = sort else { return };
        let decl = terms.signature.sort(id);
        if decl.meaning == Meaning::Uninterpreted && self.sorts.add(id.index()) {
            let frame = self.innermost();
            frame.sorts.push(id);
            let _ =
                writeln!(frame.commands, "(declare-sort {} 0)", terms.signature.sort_text(sort));
        }
    }

    fn declare_fun(&mut self, terms: &Terms, fun: FunId) {
        let signature = &terms.signature;
        let decl = signature.fun(fun);
        if decl.meaning == Meaning::Builtin {
            // What the solver knows may still be about sorts that it does not know.
            self.declare_sort(terms, decl.result);
            let depth = self.frames.len() - 1;
            if let (Some(relevance), Some(frame)) = (&mut self.relevance, self.frames.last_mut()) {
                let name = signature.fun_text(fun);
                let Frame { mentions, commands, .. } = frame;
                relevance.mention_fun(fun.index(), name, depth, mentions, commands);
            }
            return;
        }
        if !self.funs.add(fun.index()) {
            return;
        }
        for sort in decl.args.iter().chain([&decl.result]) {
            self.declare_sort(terms, *sort);
        }
        let frame = self.innermost();
        frame.funs.push(fun);
        let _ = write!(frame.commands, "(declare-fun {} (", signature.fun_text(fun));
        for (i, sort) in decl.args.iter().enumerate() {
            let space = if i == 0 { "" } else { " " };
            let _ = write!(frame.commands, "{space}{}", signature.sort_text(*sort));
        }
        let _ = writeln!(frame.commands, ") {})", signature.sort_text(decl.result));
    }

    // --- Questions

    /// Does the formula follow from what is asserted? `Unsat` means yes: its negation contradicts the
    /// assertions.
    ///
    /// # Errors
    /// If the solver cannot be had or does not understand us, or nobody wants the answer any more.
    pub fn prove(&mut self, terms: &mut Terms, formula: Term) -> Result<Answer, SolverError> {
        self.prove_within(terms, formula, self.config.limits)
    }

    /// What the native prover makes of a formula; nothing if there is none, or if it is of no use here.
    /// The solver does not notice.
    pub fn prove_natively(&mut self, terms: &mut Terms, formula: Term) -> Option<Native> {
        if !self.native.as_ref()?.is_useful() {
            self.native = None;
            return None;
        }
        if terms.as_bool(formula) == Some(true) {
            return None;
        }
        let negation = terms.not(formula);
        self.push();
        self.assert(terms, negation);
        let native = self.native.as_mut()?;
        for (index, frame) in self.frames.iter_mut().enumerate() {
            if index >= native.depth() {
                native.push();
            }
            if let Some(news) = frame.commands.get(frame.shown..).filter(|news| !news.is_empty()) {
                native.read_at(index + 1, news);
                frame.shown = frame.commands.len();
            }
        }
        let mut answer = native.ask();
        if answer == Native::Refuted && self.withholds() {
            answer = Native::Saturated;
        }
        self.pop();
        Some(answer)
    }

    /// As [`Session::prove`], with other limits.
    ///
    /// # Errors
    /// As [`Session::prove`].
    pub fn prove_within(
        &mut self,
        terms: &mut Terms,
        formula: Term,
        limits: Limits,
    ) -> Result<Answer, SolverError> {
        self.prove_with_values(terms, formula, limits, &[]).map(|(answer, _)| answer)
    }

    /// As [`Session::prove`], with other limits. If the formula is not proved, also the values of some
    /// terms in a model of its negation, or in what the solver took for one when it gave up; `None` for
    /// those that have no value.
    ///
    /// # Errors
    /// As [`Session::prove`].
    pub fn prove_with_values(
        &mut self,
        terms: &mut Terms,
        formula: Term,
        limits: Limits,
        wanted: &[Term],
    ) -> Result<(Answer, Vec<Option<String>>), SolverError> {
        if terms.as_bool(formula) == Some(true) {
            self.stats.trivial += 1;
            return Ok((Answer::Unsat, vec![None; wanted.len()]));
        }
        let negation = terms.not(formula);
        self.push();
        self.assert(terms, negation);
        wanted.iter().for_each(|term| self.declare(terms, *term));
        let answer = self.check_within(limits);
        let values = match &answer {
            Ok(Answer::Sat | Answer::Unknown(_)) => self.values(terms, limits, wanted),
            _ => vec![None; wanted.len()],
        };
        self.pop();
        Ok((answer?, values))
    }

    /// As [`Session::prove_with_values`], with the whole model. None if the formula is proved.
    ///
    /// # Errors
    /// As [`Session::prove`].
    pub fn prove_with_model(
        &mut self,
        terms: &mut Terms,
        formula: Term,
        limits: Limits,
        wanted: &[Term],
    ) -> Result<Option<Proposal>, SolverError> {
        if terms.as_bool(formula) == Some(true) {
            return Ok(None);
        }
        let negation = terms.not(formula);
        self.push();
        self.assert(terms, negation);
        wanted.iter().for_each(|term| self.declare(terms, *term));
        let answer = self.check_within(limits);
        let found = match &answer {
            Ok(Answer::Sat | Answer::Unknown(_)) => {
                let values = self.values(terms, limits, wanted);
                self.request("(get-model)\n".to_string(), limits)
                    .and_then(|reply| Model::read(&reply))
                    .map(|model| (model, values))
            }
            _ => None,
        };
        self.pop();
        answer?;
        Ok(found)
    }

    /// Are the assertions satisfiable?
    ///
    /// # Errors
    /// As [`Session::prove`].
    pub fn check(&mut self) -> Result<Answer, SolverError> {
        self.check_within(self.config.limits)
    }

    /// As [`Session::check`], with other limits.
    ///
    /// # Errors
    /// As [`Session::prove`].
    pub fn check_within(&mut self, limits: Limits) -> Result<Answer, SolverError> {
        self.stats.queries += 1;
        self.fresh = false;
        let start = Instant::now();
        let mut answer = self.question(limits, start + limits.timeout);
        if answer == Ok(Answer::Sat) && self.withholds() {
            answer = Ok(Answer::Unknown("incomplete: there are more axioms".to_string()));
        }
        let time = start.elapsed();
        self.stats.waiting += time;
        if let Ok(Answer::Unknown(_)) = answer {
            self.stats.unknown += 1;
        }
        self.comment(|| describe(&answer, time));
        answer
    }

    /// Are there axioms that nobody was told?
    #[must_use]
    pub fn withholds(&self) -> bool {
        self.relevance.as_ref().is_some_and(Relevance::withholds)
    }

    /// Asks until there is an answer, of solvers that may die.
    fn question(&mut self, limits: Limits, deadline: Instant) -> Result<Answer, SolverError> {
        let mut died = String::new();
        for _ in 0..DEATHS {
            if self.cancelled() {
                return Err(SolverError::Cancelled);
            }
            if self.out_of_time() {
                return Err(SolverError::OutOfTime);
            }
            let failure = match self.exchange(limits, deadline) {
                Ok(answer) => return Ok(answer),
                Err(failure) => failure,
            };
            // Whatever it was, this solver is of no use any more. The next question starts another.
            self.solver = None;
            match failure {
                Failure::Silence(Silence::Gone(why)) => died = why,
                Failure::Silence(Silence::Cancelled) => return Err(SolverError::Cancelled),
                Failure::Silence(Silence::Timeout) => {
                    let timeout = Answer::Unknown("timeout".to_string());
                    return if self.out_of_time() {
                        Err(SolverError::OutOfTime)
                    } else {
                        Ok(timeout)
                    };
                }
                Failure::Fatal(error) => return Err(error),
            }
        }
        if self.works {
            return Err(SolverError::Lost(died));
        }
        let solver = self.config.solver.display();
        Err(SolverError::Start(format!("{solver} ends at once ({died})")))
    }

    fn cancelled(&self) -> bool {
        self.config.cancel.as_ref().is_some_and(|cancel| cancel.load(Ordering::Relaxed))
    }

    fn out_of_time(&self) -> bool {
        self.config.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Brings the solver up to date and asks.
    fn exchange(&mut self, limits: Limits, deadline: Instant) -> Result<Answer, Failure> {
        self.start().map_err(Failure::Fatal)?;
        let mut text = self.news(limits);
        self.record(&text);
        text.push_str("(get-info :reason-unknown)\n");
        let Some(solver) = &mut self.solver else {
            return Err(Failure::Silence(Silence::Gone("it is not running".to_string())));
        };
        let mark = solver.process.ask(text)?;
        let mut deadline = deadline;
        if let Some(warming) = solver.warming.take() {
            let start = Instant::now();
            let ready = patience(&self.config, deadline.max(start + START));
            match solver.process.reply(warming, &ready) {
                Ok(reply) if reply == "sat" => self.works = true,
                Ok(reply) if self.works => return Err(Failure::Fatal(rejected(&reply))),
                Ok(reply) => return Err(Failure::Fatal(self.unfit(&reply))),
                Err(Silence::Timeout) if !self.works && !self.out_of_time() => {
                    let solver = self.config.solver.display();
                    let silent = format!("{solver} does not answer");
                    return Err(Failure::Fatal(SolverError::Start(silent)));
                }
                Err(silence) => return Err(silence.into()),
            }
            // That is no part of the question.
            deadline += start.elapsed();
        }
        let Some(solver) = &mut self.solver else {
            return Err(Failure::Silence(Silence::Gone("it is not running".to_string())));
        };
        let reply = solver.process.reply(mark, &patience(&self.config, deadline))?;
        if reply.contains(INTERRUPTED) {
            // On a terminal Ctrl-C is for all processes. That is no answer; we may be told, too.
            return Err(Failure::Silence(Silence::Gone("it was interrupted".to_string())));
        }
        answer(&reply).map_err(Failure::Fatal)
    }

    /// What to say of a solver that was never of use.
    fn unfit(&self, reply: &str) -> SolverError {
        let what = match reply {
            _ if reply.contains("(error") => "rejects its options",
            _ => "does not answer like Z3",
        };
        let solver = self.config.solver.display();
        let first = reply.lines().next().unwrap_or_default();
        let first: String = first.chars().take(300).collect();
        SolverError::Start(format!("{solver} {what}: {}", first.trim()))
    }

    /// What the running solver does not know yet, and the question.
    fn news(&mut self, limits: Limits) -> String {
        let mut text = String::new();
        let Some(solver) = &mut self.solver else { return text };
        // Opening a scope is work, too, and must not be cut short.
        if solver.rlimit != 0 {
            solver.rlimit = 0;
            text.push_str(&set_rlimit(0));
        }
        for (depth, frame) in self.frames.iter_mut().enumerate() {
            if depth >= solver.opened {
                text.push_str("(push 1)\n");
            }
            text.push_str(frame.commands.get(frame.sent..).unwrap_or_default());
            frame.sent = frame.commands.len();
        }
        solver.opened = self.frames.len();
        // The solver counts the work of each question anew. Its numbers have 32 bits, and 0 is none.
        let rlimit = limits.rlimit.map_or(0, |n| n.clamp(1, u64::from(u32::MAX)));
        if solver.rlimit != rlimit {
            solver.rlimit = rlimit;
            text.push_str(&set_rlimit(rlimit));
        }
        text.push_str("(check-sat)\n");
        text
    }

    /// The values of terms in the model of the last question, if the answer was `Sat` and nothing was
    /// said since; `None` for those that have none. Their symbols must be declared.
    pub fn model_values(&mut self, terms: &Terms, wanted: &[Term]) -> Vec<Option<String>> {
        self.values(terms, self.config.limits, wanted)
    }

    /// The values of terms after a question that was not answered with `Unsat`.
    fn values(&mut self, terms: &Terms, limits: Limits, wanted: &[Term]) -> Vec<Option<String>> {
        let none = vec![None; wanted.len()];
        if wanted.is_empty() || self.solver.is_none() {
            return none;
        }
        let mut text = String::new();
        for term in wanted {
            // Each by itself: a complaint about one is none about the others.
            text.push_str("(get-value (");
            self.printer.print(terms, *term, &mut text);
            text.push_str("))\n");
        }
        self.request(text, limits).map_or(none, |reply| values(&reply, wanted.len()))
    }

    /// What the solver says to something that is no question.
    fn request(&mut self, text: String, limits: Limits) -> Option<String> {
        self.record(&text);
        let start = Instant::now();
        let patience = patience(&self.config, start + limits.timeout);
        let solver = self.solver.as_mut()?;
        let mark = solver.process.ask(text);
        let reply = mark.and_then(|mark| solver.process.reply(mark, &patience));
        self.stats.waiting += start.elapsed();
        match reply {
            Ok(reply) => {
                self.comment(|| reply.clone());
                Some(reply)
            }
            Err(_) => {
                self.solver = None;
                None
            }
        }
    }
}

/// Until this deadline, unless the session ends before.
fn patience(config: &Config, deadline: Instant) -> Patience<'_> {
    let deadline = config.deadline.map_or(deadline, |end| end.min(deadline));
    Patience { deadline, cancel: config.cancel.as_deref() }
}

fn push_lines(commands: &mut String, text: &str) {
    commands.push_str(text);
    if !text.ends_with('\n') {
        commands.push('\n');
    }
}

fn set_rlimit(rlimit: u64) -> String {
    format!("(set-option :rlimit {rlimit})\n")
}

/// The answer, and behind it why there may be none.
fn answer(reply: &str) -> Result<Answer, SolverError> {
    let (answer, why) = reply.split_once('\n').unwrap_or((reply, ""));
    let why = why.trim();
    if !why.is_empty() && !why.starts_with("(:reason-unknown") {
        return Err(rejected(reply));
    }
    match answer.trim() {
        "sat" => Ok(Answer::Sat),
        "unsat" => Ok(Answer::Unsat),
        "unknown" => Ok(Answer::Unknown(why.split('"').nth(1).unwrap_or_default().to_string())),
        _ => Err(rejected(reply)),
    }
}

fn rejected(reply: &str) -> SolverError {
    SolverError::Rejected(reply.chars().take(300).collect())
}

/// An answer for people who read a dump.
fn describe(answer: &Result<Answer, SolverError>, time: Duration) -> String {
    let text = match answer {
        Ok(Answer::Sat) => "sat".to_string(),
        Ok(Answer::Unsat) => "unsat".to_string(),
        Ok(Answer::Unknown(why)) => format!("unknown ({why})"),
        Err(error) => error.to_string(),
    };
    format!("{text}, {:.1} ms", time.as_secs_f64() * 1000.0)
}
