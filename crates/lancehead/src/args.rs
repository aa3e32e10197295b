//! What a user can type.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::silicon;

const EXAMPLES: &str = "\
Examples:
  lancehead verify list.vpr                   prove it, or see what may fail
  lancehead verify examples                   prove all .vpr and .spl files in a folder
  lancehead check list.vpr                    is it a well-formed program?
  lancehead check --format json *.vpr         the same for tools: one JSON object per file
  lancehead fmt list.vpr                      format it in place
  lancehead fmt --check .                     which files would change? exit status 1 if any
  lancehead print --core list.vpr             what is left when all syntactic sugar is gone
  lancehead print --core list.spl             the heap program that C and SPL programs become
  lancehead infer list.c                      is a C program memory safe? why, or why not?
  lancehead run list.c                        run a C program, and stop at the first fault
  lancehead run list.spl                      run procedures with contracts on small heaps
  lancehead sl problem.smt2                   decide a problem of separation logic
  lancehead completions bash > lancehead.bash completions for your shell

Exit status:
  0  all is well
  1  verification errors (or, with fmt --check or --diff, a file that is not formatted)
  2  invalid input: syntax or type errors, unreadable files, wrong usage
  3  could not finish: internal error, no solver, out of time, interrupted";

/// What a command is for, then how it is used, then everything else.
const EXAMPLES_FIRST: &str =
    "{about-with-newline}\n{before-help}{usage-heading} {usage}\n\n{all-args}{after-help}";

const VERIFY_EXAMPLES: &str = "\
Examples:
  lancehead verify list.vpr                         prove everything in it
  lancehead verify --counterexample list.vpr        with values for which a proof may fail
  lancehead verify src more.vpr                     all .vpr and .spl files in a folder, and another
  lancehead verify --member 'insert*' list.vpr      some members only
  lancehead verify --seeds 10 list.vpr              do its proofs depend on luck?
  lancehead verify --timeout 60 --stats *.vpr       where does the time go?
  lancehead verify --format json *.vpr              for tools: one JSON object per file
  lancehead verify --format silicon list.vpr        in place of Silicon, with its options: see
                                                    `lancehead silicon-options`";

const VERIFY_STATUS: &str = "\
Exit status:
  0  everything is proved
  1  some proof failed
  2  invalid input: syntax or type errors, unreadable files, wrong usage
  3  could not finish: out of time, interrupted, no solver, internal error
With --seeds, that of the worst run.";

const INFER_EXAMPLES: &str = "\
Examples:
  lancehead infer list.c                     memory safety, leaks and assertions
  lancehead infer --property memsafety src   of all C programs in a folder, one property
<<<<<<< HEAD
  lancehead infer --entry reverse list.c     code without `main`
  lancehead infer list.spl                   procedures with preconditions, without their invariants
=======
  lancehead infer --entry reverse list.c     one function; without a contract a precondition is found
>>>>>>> 39bb797 (infer finds preconditions of functions without contracts, analyses libraries function by function, and proves with machine integers)
  lancehead infer --emit annotated list.c    the source with invariants as comments
  lancehead infer --check list.c             and check them, by proofs that share nothing with the analysis
  lancehead infer --svg heap.svg list.c      pictures of the heap in which it goes wrong, or of the invariants
  lancehead infer --format json *.c          for tools: one JSON object per file";

const PROVE_EXAMPLES: &str = "\
Examples:
  lancehead prove list.c                     is it safe? Otherwise a run that is not
  lancehead prove --property reach src       can an assertion fail in a program of this folder?
  lancehead prove --harness test.c list.c    a C test that fails under AddressSanitizer where the run did
  lancehead prove --witness w.yml list.c     a witness for other verifiers (SV-COMP, format 2.0)
  lancehead prove --svg heap.svg list.c      the heap, step by step, until it goes wrong
  lancehead prove --timeout 300 --stats x.c  take longer; how many runs, paths and entailments, and the time
  lancehead prove --format json *.c          for tools: one JSON object per file";

const INFER_STATUS: &str = "\
Properties:
  memsafety  every dereference and every free is valid, within the bounds of its object
  memtrack   no memory is lost: a variable leads to every block until it is freed
  reach      no assertion fails, and no call of `reach_error` or `__VERIFIER_error` is reached

Verdicts:
  safe       no run of the program violates it
  unsafe     this run does; it was run. A line `Again: lancehead run …` runs it once more
  unknown    neither could be shown; the output says where and why, and how far it got. Ctrl-C asks for that

Exit status:
  0  everything is safe
  1  something is unsafe
  2  invalid input: syntax or type errors, unreadable files, wrong usage
  3  not everything was decided, or it could not finish";

const RUN_EXAMPLES: &str = "\
Examples:
  lancehead run list.c                       until it ends, or something goes wrong
  lancehead run --seed 7 list.c              with other inputs
  lancehead run --inputs=3,-1 --trace list.c with given inputs, line by line
  lancehead run --svg heap.svg list.c        a picture of the heap at the end";

const RUN_STATUS: &str = "\
Exit status:
  0  the program ended, and nothing went wrong
  1  a fault
  2  invalid input: syntax or type errors, unreadable files, wrong usage
  3  stopped at a limit";

const SL_EXAMPLES: &str = "\
Examples:
  lancehead sl problem.smt2                            sat, unsat or unknown
  lancehead sl sat 'x != y * ls(x, y)' --model         is there a model? which?
  lancehead sl entails 'x |-> y * ls(y, nil)' 'ls(x, nil)'
  lancehead sl entails 'ls(x, y) * ls(y, z)' 'ls(x, z)' --svg why.svg
                                                       a picture of the counterexample
  lancehead sl frame 'x |-> y * ls(y, nil)' 'x |-> y'  what is left: ls(y, nil), and some facts
  lancehead sl sat 'pred tree(x) := x = nil ||
      exists l, r. x |-> {left: l, right: r} * tree(l) * tree(r); x != nil * tree(x)'";

const SL_STATUS: &str = "\
Notation of sat, entails, frame and abduce:
  emp  true  false  nil          x |-> y        x holds y, in its field `next`
  x = y  x != y  n <= m  n < m   x |-> {next: y, data: 3}
  P * Q  P -* Q                  ls(x, y)       an acyclic list from x to y
  P && Q  P || Q  !P             exists u, v. P      forall u. P
  * binds stronger than -*, that stronger than &&, that stronger than ||. x = y says that the heap
  is empty, too, so it is added by *; with --semantics standard it says nothing of the heap.

  Declarations come first, in either formula:
    pred p(x, y) := ...;         a definition; it may mention itself, but not below !
    sort Ref; record Cell { next: Ref, data: Int }; heap Ref -> Cell; var x: Ref;
  Without them there is one sort of locations, which hold the fields that are mentioned.

What is decided:
  without Z3   conjunctions by * of cells and lists; with inductive definitions of any kind:
               satisfiability, and many entailments
  with Z3      Boolean combinations of singly linked, doubly linked and sorted lists,
               also with && and || below *;
               everything without inductive definitions, also with -* and ! below *

Exit status:
  0  decided
  2  invalid input: syntax or sort errors, unreadable files, wrong usage
  3  not decided, or could not finish";

/// An automatic verifier for programs that manipulate the heap.
///
/// Lancehead reads programs in the Viper language: methods with contracts, whose assertions say who
/// may access which memory. It reports errors with Viper's identifiers and positions.
#[derive(Debug, Parser)]
#[command(name = "lancehead", version, after_help = EXAMPLES, max_term_width = 100)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,

    /// The Z3 to use; otherwise $LANCEHEAD_Z3, one beside this program, that of `scripts/get-z3`, or
    /// the one on PATH
    #[arg(long, global = true, value_name = "PATH")]
    pub z3: Option<PathBuf>,

    /// Colours: on a terminal, always, or never
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN", hide_possible_values = false)]
    pub color: Color,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Verify programs: prove every contract, or say which one may fail and where
    ///
    /// Every method, function and predicate is a proof of its own; they run in parallel, those of
    /// several files too. Errors are shown as they are found, in the order of the source (on a
    /// terminal, a proof that takes long holds back those behind it for a second only). A file's status is "verified", "failed", "invalid" (it is not a program), "timeout" or
    /// "internal-error".
    #[command(before_help = VERIFY_EXAMPLES, after_help = VERIFY_STATUS, help_template = EXAMPLES_FIRST)]
    Verify(Box<Verify>),

    /// Check that programs are well-formed: syntax, names, types, consistency
    ///
    /// Nothing is proved: for that there is `verify`. Every file's status is "valid" or "invalid".
    /// Imports are followed.
    Check(Check),

    /// Format programs, keeping all comments
    ///
    /// Files are replaced in one step: whatever happens, a file is either the old or the new one.
    /// Nothing but white space changes; line breaks stay what most of them are, LF or CRLF.
    Fmt(Fmt),

    /// Print a program as the tool understands it
    Print(Print),

    /// Are C programs safe? Nothing has to be annotated
    ///
    /// Runs of the program that go wrong are looked for, and an analysis of all its runs tries to
    /// show that there are none. Values that the program does not determine
    /// (`__VERIFIER_nondet_int()`, variables that are not initialised, functions without a body) may
    /// be any. Integers are unbounded and allocation succeeds, unless options say otherwise.
    #[command(before_help = INFER_EXAMPLES, after_help = INFER_STATUS, help_template = EXAMPLES_FIRST)]
    Infer(Infer),

    /// Prove C programs safe, or show a run that goes wrong
    ///
    /// The verdicts of `infer`, by the same engines: an analysis of all runs with inferred invariants,
    /// and runs of the program. The answer is a line for each property and the run, if one goes wrong;
    /// `infer` shows the invariants, too.
    #[command(before_help = PROVE_EXAMPLES, after_help = INFER_STATUS, help_template = EXAMPLES_FIRST)]
    Prove(Infer),

    /// Run a C program and stop at the first fault
    ///
    /// Every dereference, free and assertion is checked; memory that is lost counts as a fault, too.
    /// Values that the program does not determine (`__VERIFIER_nondet_int()`, variables that are not
    /// initialised, functions without a body) are inputs.
    #[command(before_help = RUN_EXAMPLES, after_help = RUN_STATUS, help_template = EXAMPLES_FIRST)]
    Run(Run),

    /// Decide separation logic: is there a model, does one formula entail another?
    ///
    /// Files are in SL-COMP's dialect of SMT-LIB; there is one line of output for every check-sat.
    /// What is not decided is "unknown", with the reason on standard error.
    #[command(
        before_help = SL_EXAMPLES,
        after_help = SL_STATUS,
        help_template = EXAMPLES_FIRST,
        subcommand_negates_reqs = true,
        args_conflicts_with_subcommands = false
    )]
    Sl(Sl),

    /// List the options of Silicon that `verify` understands, and what becomes of each
    SiliconOptions,

    /// Say which Z3 would be used, and whether it is the right one
    Z3,

    /// Write a completion script for a shell to standard output
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: Shell,
    },
}

/// Arguments of `verify`.
#[derive(Clone, Debug, clap::Args)]
pub struct Verify {
    /// The programs; a folder stands for all .vpr and .spl files in it, `-` for standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// How to report
    #[arg(long, value_enum, default_value_t = VerifyFormat::Human)]
    pub format: VerifyFormat,

    /// Show values for which a proof may fail; the kinds are those of Silicon, and all the same here
    #[arg(
        long,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "variables",
        value_parser = COUNTEREXAMPLES,
        value_name = "KIND",
    )]
    pub counterexample: Option<String>,

    /// Show time and solver calls of every member, which quantifiers were instantiated most, and
    /// warnings where that looks like a matching loop
    #[arg(long)]
    pub stats: bool,

    /// Verify only this member (may be given several times; `*` and `?` stand for any characters);
    /// some file must have it
    #[arg(long = "member", value_name = "NAME")]
    pub members: Vec<String>,

    /// Verify everything N times, with other random choices of the solver and members in another
    /// order, and say what changes. The first run, which is the usual one, is what is reported
    #[arg(long, value_name = "N", value_parser = positive)]
    pub seeds: Option<usize>,

    /// Members to verify at the same time, over all files [default: one per core]
    #[arg(long, short, value_name = "N", value_parser = positive)]
    pub jobs: Option<usize>,

    /// Stop a file after it was verified for this many seconds; 0 for no limit
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub timeout: Option<Duration>,

    /// Give up a proof after this many milliseconds; 0 for no limit
    #[arg(long, value_name = "MS", value_parser = milliseconds)]
    pub assert_timeout: Option<Duration>,

    /// Stop a member after this many errors; 0 for all of them
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub max_errors: usize,

    /// How hard to look for permissions when locations may be the same
    #[arg(long, value_enum, value_name = "MODE", default_value_t = ExhaleMode::OnDemand)]
    pub exhale_mode: ExhaleMode,

    /// Assume that inhaled quantified permissions are to different locations, instead of checking it
    #[arg(long)]
    pub assume_injectivity_on_inhale: bool,

    /// Where the paths of a method become one again; a method may say so itself: `@moreJoins("2")`
    #[arg(long = "join", value_enum, value_name = "MODE", default_value_t = JoinMode::Off)]
    pub join_mode: JoinMode,

    /// Write what the solver is told into this folder, as SMT-LIB
    #[arg(long, value_name = "DIR")]
    pub dump_smt: Option<PathBuf>,

    /// Draw the heaps of the first counterexample as SVG (for .spl programs)
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,

    /// Set an option of Z3 (may be given several times)
    #[arg(long = "z3-option", value_name = "KEY=VALUE", value_parser = key_value)]
    pub z3_options: Vec<(String, String)>,

    /// Do without something that is done for speed, to measure what it is worth (may be given several
    /// times)
    #[arg(
        long,
        value_enum,
        value_name = "WHAT",
        help_heading = "For benchmarks",
        hide_short_help = true
    )]
    pub ablate: Vec<Ablation>,

    /// What to accept
    #[command(flatten)]
    pub language: Language,

    /// What front ends pass to Silicon
    #[command(flatten)]
    pub silicon: silicon::Options,
}

/// The kinds of counterexamples that Silicon knows.
pub(crate) const COUNTEREXAMPLES: [&str; 4] = ["native", "variables", "mapped", "extended"];

pub(crate) fn key_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() && !value.is_empty() => {
            Ok((key.to_owned(), value.to_owned()))
        }
        _ => Err("this is not of the form KEY=VALUE".into()),
    }
}

pub(crate) fn positive(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("at least 1 is needed".into()),
        Ok(n) => Ok(n),
        Err(_) => Err("this is not a number".into()),
    }
}

pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "this is not a number")?;
    Duration::try_from_secs_f64(seconds).map_err(|e| e.to_string())
}

pub(crate) fn milliseconds(text: &str) -> Result<Duration, String> {
    text.parse().map(Duration::from_millis).map_err(|_| "this is not a number".into())
}

/// Arguments of `check`.
#[derive(Debug, clap::Args)]
pub struct Check {
    /// The programs; a folder stands for all .vpr and .spl files in it, `-` for standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// For people, or one JSON object per file and line
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,

    /// What to accept
    #[command(flatten)]
    pub language: Language,

    /// The C that is read
    #[command(flatten)]
    pub c: CLanguage,
}

/// Arguments of `fmt`.
#[derive(Debug, clap::Args)]
pub struct Fmt {
    /// The programs; a folder stands for all .vpr and .spl files in it, `-` reads standard input and writes
    /// standard output
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Change nothing; name the files that are not formatted, and exit with status 1 if there are any
    #[arg(long)]
    pub check: bool,

    /// Change nothing; show what would be changed, as a unified diff, and exit with status 1 if that is
    /// anything
    #[arg(long)]
    pub diff: bool,

    /// Write to standard output instead of to the file
    #[arg(long, conflicts_with_all = ["check", "diff"])]
    pub stdout: bool,
}

/// Arguments of `print`.
#[derive(Debug, clap::Args)]
pub struct Print {
    /// The program
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// With imports, macros and plugins gone and all types known: what a verifier sees; of C and SPL programs, the
    /// heap program
    #[arg(long)]
    pub core: bool,

    /// What to accept
    #[command(flatten)]
    pub language: Language,

    /// The C that is read
    #[command(flatten)]
    pub c: CLanguage,
}

/// Arguments of `infer`.
#[derive(Debug, clap::Args)]
pub struct Infer {
    /// The programs: C, preprocessed or not, heap programs as text (`.heap`), or programs in SPL (`.spl`); a
    /// folder stands for all of them in it
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// What is asked (may be given several times) [default: all of them]
    #[arg(long = "property", value_enum, value_name = "NAME")]
    pub properties: Vec<PropertyName>,

    /// Where the program starts [default: main; of an SPL program, at each procedure]
    #[arg(long, value_name = "FUNCTION")]
    pub entry: Option<String>,

    /// Stop a file after so many seconds, and say what is known; 0 for no limit
    #[arg(long, value_name = "S", value_parser = seconds, default_value = "60")]
    pub timeout: Duration,

    /// How to report
    #[arg(long, value_enum, default_value_t = AnalysisFormat::Human)]
    pub format: AnalysisFormat,

    /// Print something else instead of a report
    #[arg(long, value_enum, value_name = "WHAT", conflicts_with = "format")]
    pub emit: Option<Emit>,

    /// Draw the heap between the last steps of the first violation, and at its end, as SVG; without a violation,
    /// the invariants of loops
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,

    /// Write a C test for the first violation: compiled with sanitizers, as its first lines say, it fails
    /// where the run did
    #[arg(long, value_name = "FILE")]
    pub harness: Option<PathBuf>,

    /// Write a witness in the format of SV-COMP (2.0, YAML): of the first violation, or that all properties
    /// hold, with loop invariants as far as expressions of C can say them
    #[arg(long, value_name = "FILE")]
    pub witness: Option<PathBuf>,

    /// Check the invariants by entailments with proofs, and say what was not shown
    #[arg(long)]
    pub check: bool,

    /// Say how many runs were tried, and where the time went
    #[arg(long)]
    pub stats: bool,

    /// Files at the same time [default: one per core]
    #[arg(long, short, value_name = "N", value_parser = positive)]
    pub jobs: Option<usize>,

    /// What integers are
    #[arg(long, value_enum, value_name = "WHICH", default_value_t = IntMode::Unbounded)]
    pub int: IntMode,

    /// Allocation may fail
    #[arg(long)]
    pub malloc_may_fail: bool,

    /// The C that is read
    #[command(flatten)]
    pub c: CLanguage,
}

/// What is asked of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PropertyName {
    /// Every dereference and every free is valid
    Memsafety,
    /// No memory is lost
    Memtrack,
    /// No assertion fails
    Reach,
}

impl PropertyName {
    pub(crate) fn property(self) -> heap::run::Property {
        match self {
            PropertyName::Memsafety => heap::run::Property::MemSafety,
            PropertyName::Memtrack => heap::run::Property::MemTrack,
            PropertyName::Reach => heap::run::Property::Reach,
        }
    }
}

/// How to report an analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AnalysisFormat {
    /// Verdicts, runs step by step, invariants beside their source lines
    Human,
    /// One object per file
    Json,
}

/// What to print instead of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Emit {
    /// The source with invariants as comments
    Annotated,
}

/// Arguments of `run`.
#[derive(Debug, clap::Args)]
pub struct Run {
    /// The program: C, preprocessed or not, a heap program as text (`.heap`), or a program in SPL (`.spl`), whose
    /// procedures run on small heaps that satisfy their preconditions
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Draw inputs at random from this seed [default: 0, or zeros after those of --inputs]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    /// For SPL programs: run these procedures only; `*` stands for any characters
    #[arg(long = "member", value_name = "NAME")]
    pub members: Vec<String>,

    /// For SPL programs: run each procedure so often [default: 100, or 1 with --seed]
    #[arg(long, value_name = "N")]
    pub runs: Option<u64>,

    /// Take these inputs first: numbers with commas between them, or a file with such numbers
    #[arg(long, value_name = "N,…|FILE", allow_hyphen_values = true)]
    pub inputs: Option<PathBuf>,

    /// Where the program starts [default: main]
    #[arg(long, value_name = "FUNCTION")]
    pub entry: Option<String>,

    /// Stop after this many commands
    #[arg(long, value_name = "N", default_value_t = 10_000_000)]
    pub steps: u64,

    /// Print every line that is executed and the variables that change, on standard error
    #[arg(long)]
    pub trace: bool,

    /// Draw the heap at the end as SVG
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,

    /// Draw it for Graphviz
    #[arg(long, value_name = "FILE")]
    pub dot: Option<PathBuf>,

    /// What integers are
    #[arg(long, value_enum, value_name = "WHICH", default_value_t = IntMode::Unbounded)]
    pub int: IntMode,

    /// Allocation may fail; an input decides
    #[arg(long)]
    pub malloc_may_fail: bool,

    /// What is not initialised is zero, as with gcc's -ftrivial-auto-var-init=zero, instead of any value
    #[arg(long)]
    pub zero_uninitialised: bool,

    /// For people, or one JSON object
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,

    /// The C that is read
    #[command(flatten)]
    pub c: CLanguage,
}

/// How C is read.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct CLanguage {
    /// For C programs: `long` and pointers have 32 bits
    #[arg(long)]
    pub ilp32: bool,
}

impl CLanguage {
    /// As the front end wants it.
    pub(crate) fn options(&self) -> c::Options {
        let model = if self.ilp32 { heap::DataModel::Ilp32 } else { heap::DataModel::Lp64 };
        c::Options { model }
    }
}

/// What integers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum IntMode {
    /// Numbers of any size; conversions wrap
    Unbounded,
    /// Those of the target: without sign they wrap, with sign an overflow is a fault
    Machine,
}

/// Arguments of `sl`.
#[derive(Debug, clap::Args)]
pub struct Sl {
    /// A question in the text notation, in place of files
    #[command(subcommand)]
    pub question: Option<SlQuestion>,

    /// Problems in SL-COMP's dialect of SMT-LIB; `-` reads standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// For people, or one JSON object per file and line
    #[arg(long, value_enum, default_value_t = Format::Human, global = true)]
    pub format: Format,

    /// Show the model, or the counterexample
    #[arg(long, global = true)]
    pub model: bool,

    /// Draw the model, or the counterexample, as SVG
    #[arg(long, value_name = "FILE", global = true)]
    pub svg: Option<PathBuf>,

    /// Draw it for Graphviz
    #[arg(long, value_name = "FILE", global = true)]
    pub dot: Option<PathBuf>,

    /// Show the proof of an entailment that is valid, or of what a frame or an anti-frame is by, unless
    /// only a solver knows: a sequent and the rule that it follows by on each line
    #[arg(long, global = true)]
    pub proof: bool,

    /// Draw the proof as SVG
    #[arg(long, value_name = "FILE", global = true)]
    pub proof_svg: Option<PathBuf>,

    /// Check every proof independently of the search; a proof that is not accepted is no answer. Where
    /// there is no proof to check, that is said
    #[arg(long, global = true)]
    pub check_proofs: bool,

    /// Say on standard error which procedure answered, how long it took, and what the solver did
    #[arg(long, global = true)]
    pub stats: bool,

    /// How long an answer may take; then it is `unknown`. 0 means no limit [default: no limit]
    #[arg(long, value_name = "SECONDS", value_parser = seconds, global = true)]
    pub timeout: Option<Duration>,

    /// What pure atoms say of the heap [default: nothing in files, that it is empty in the text
    /// notation]
    #[arg(long, value_enum, value_name = "WHICH", global = true)]
    pub semantics: Option<Semantics>,
}

/// Questions in the text notation.
#[derive(Debug, Subcommand)]
pub enum SlQuestion {
    /// Is there a stack and a heap for which the formula holds?
    Sat {
        /// The formula
        #[arg(value_name = "H")]
        formula: String,
    },
    /// What is left of the first formula without the second: F with H |= G * F
    Frame {
        /// The first formula
        #[arg(value_name = "H")]
        left: String,
        /// The second formula
        #[arg(value_name = "G")]
        right: String,
    },
    /// What the first formula lacks for the second: F with H * F |= G
    Abduce {
        /// The first formula
        #[arg(value_name = "H")]
        left: String,
        /// The second formula
        #[arg(value_name = "G")]
        right: String,
    },
    /// Does the second formula hold wherever the first does?
    Entails {
        /// The first formula
        #[arg(value_name = "H")]
        left: String,
        /// The second formula
        #[arg(value_name = "G")]
        right: String,
    },
}

/// What pure atoms say of the heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Semantics {
    /// Nothing
    Standard,
    /// That it is empty
    Precise,
}

/// Which extensions of the language are on.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Language {
    /// Also look for code that cannot be reached and for contracts that contradict themselves
    #[arg(long)]
    pub smoke: bool,

    /// Leave out an extension of the language (may be given several times)
    #[arg(long, value_enum, value_name = "NAME")]
    pub disable_plugin: Vec<Plugin>,
}

/// Extensions of the language that are on unless disabled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Plugin {
    /// Algebraic data types
    Adt,
    /// `decreases` clauses
    Termination,
    /// Predicate instances as values
    PredicateInstances,
    /// The `refute` statement
    Refute,
}

/// How to report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Source excerpts and a summary
    Human,
    /// One object per file
    Json,
}

/// How to report a verification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum VerifyFormat {
    /// Source excerpts and a summary
    Human,
    /// One object per file
    Json,
    /// As Silicon prints it, for tools that read that
    Silicon,
}

/// How hard to look for permissions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExhaleMode {
    /// Take the first location that is certainly the one
    Greedy,
    /// As greedy; if that fails, as complete
    OnDemand,
    /// Add up all locations that may be the one
    Complete,
}

/// What can be done without.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Ablation {
    /// Using inverse functions and summaries of values again where they would be the same
    Memoisation,
    /// Telling the solver what instantiates the formulas that stand for quantified permissions
    Triggers,
    /// Joining the footprints of wands soundly: then `false` can be proved. Never for anything but
    /// benchmarks
    Footprints,
    /// Asking a native prover before Z3
    Native,
    /// Telling axioms to Z3 once their symbols are mentioned
    Relevance,
}

/// Where paths are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum JoinMode {
    /// Only after conditions in expressions
    Off,
    /// Also after assertions that give permissions under a condition
    Impure,
    /// Also after an `if`
    All,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}
