//! `lancehead infer` and `lancehead prove`: is a program without annotations safe?

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use ::infer::analysis::Analysis;
use driver::infer::{self, Done, Settings};
use driver::inputs;
use driver::prove::Portfolio;
use driver::z3::{Surroundings, find};
use heap::run::{Config, Property};
use report::safety::human::Show;
use report::safety::{self, SafetyReport, SafetyStatus};
use report::{SourceMap, human, picture};
use symex::Cancel;

use crate::args::{self, AnalysisFormat, Color, Emit, IntMode};
use crate::crash;
use crate::interrupt::Interrupt;
use crate::output::{Output, complain};
use crate::progress::Progress;

/// The commands; one of them shows invariants. Returns the exit status.
pub(crate) fn run(
    args: &args::Infer,
    invariants: bool,
    z3: Option<&Path>,
    color: Color,
    out: &mut Output,
) -> u8 {
    let start = Instant::now();
    let cancel = Cancel::default();
    let interrupt = Interrupt::cancels(cancel.clone());
    let json = args.format == AnalysisFormat::Json;
    let mut reports: Vec<SafetyReport> = Vec::new();
    let mut files: Vec<PathBuf> = Vec::new();
    for input in inputs::expand(&args.files, inputs::ANALYSED, &|| cancel.is_cancelled()) {
        match input.problem {
            None => files.push(input.path),
            Some(problem) => {
                let report = SafetyReport::invalid(input.path.display().to_string(), vec![problem]);
                let (sources, pictures) = (SourceMap::new(), Vec::new());
                let done = Done { report, sources, pictures, harness: None, witness: None };
                show(args, invariants, color, out, &done);
                reports.push(done.report);
            }
        }
    }
    let written = [&args.svg, &args.harness, &args.witness].iter().any(|path| path.is_some());
    if files.len() > 1 && (written || args.emit.is_some()) {
        complain("--svg, --harness, --witness and --emit are for one file");
        return 2;
    }
    let settings = settings(args);
    let surroundings = Surroundings::of_this_process(z3);
    let solver = find(&surroundings).ok().map(|found| found.path);
    let portfolio = Portfolio { solver };
    let analysis: &dyn Analysis = if invariants { &infer::Shapes } else { &portfolio };
    let jobs = args.jobs.unwrap_or_else(cores);
    let counted = Arc::clone(&settings.options.progress);
    let progress = Progress::new(files.len(), 1).saying(move || counted.text());
    let mut trouble = None;
    progress.show(None, || {
        let cancelled = cancel.flag();
        let begun = |path: &Path| {
            crash::working_on(path, json);
            progress.file_begun(path);
        };
        infer::infer_files(&files, jobs, &settings, analysis, &cancelled, &begun, |done| {
            progress.file_done();
            progress.hidden(|| show(args, invariants, color, out, &done));
            trouble = trouble.take().or(write_evidence(args, &done).err());
            reports.push(done.report);
        });
    });
    interrupt.done();
    if !json && args.emit.is_none() {
        out.write(format!("{}\n", safety::human::summary(&reports, start.elapsed())).as_bytes());
    }
    if let Some(message) = trouble {
        complain(&message);
        return 3;
    }
    match cancel.is_cancelled() && reports.iter().all(|r| r.status != SafetyStatus::Unsafe) {
        true => 3,
        false => safety::exit_code(&reports),
    }
}

fn settings(args: &args::Infer) -> Settings {
    let all = [Property::MemSafety, Property::MemTrack, Property::Reach];
    let asked = |property: &Property| {
        args.properties.is_empty()
            || args.properties.iter().any(|named| named.property() == *property)
    };
    let config = Config {
        machine_integers: args.int == IntMode::Machine,
        malloc_may_fail: args.malloc_may_fail,
        ..Config::default()
    };
    let properties = all.into_iter().filter(asked).collect();
    let timeout = Some(args.timeout).filter(|limit| !limit.is_zero());
    let options = ::infer::Options {
        properties,
        timeout,
        config,
        progress: Arc::default(),
        check: args.check,
    };
    Settings {
        c: args.c.options(),
        entry: args.entry.clone(),
        options,
        stats: args.stats,
        harness: args.harness.is_some(),
        witness: args.witness.is_some(),
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Says what is known of a file.
fn show(args: &args::Infer, invariants: bool, color: Color, out: &mut Output, done: &Done) {
    let options =
        human::Options { color: color.wanted(&io::stdout()), ..human::Options::default() };
    let text = match (args.format, args.emit) {
        (AnalysisFormat::Json, _) => {
            let mut object = safety::json::render(&done.report, &done.sources);
            object.push('\n');
            object
        }
        (AnalysisFormat::Human, Some(Emit::Annotated)) => {
            if done.report.status == SafetyStatus::Invalid {
                let show = Show { invariants: false, stats: false };
                safety::human::render(&done.report, &done.sources, options, show)
            } else {
                let file = infer::main_file(done);
                file.map(|id| safety::annotated::render(&done.report, &done.sources, id))
                    .unwrap_or_default()
            }
        }
        (AnalysisFormat::Human, None) => {
            let show = Show { invariants, stats: args.stats };
            safety::human::render(&done.report, &done.sources, options, show)
        }
    };
    out.write(text.as_bytes());
    out.flush();
}

/// Writes the files that were asked for, those for which there is something to write.
fn write_evidence(args: &args::Infer, done: &Done) -> Result<(), String> {
    let write = |path: &Option<PathBuf>, text: Option<String>, none: &str| {
        let Some(path) = path else { return Ok(()) };
        let Some(text) = text else {
            complain(&format!("{} is not written: {none}", path.display()));
            return Ok(());
        };
        std::fs::write(path, text)
            .map_err(|e| format!("{}: cannot be written: {e}", path.display()))
    };
    let drawn = (!done.pictures.is_empty()).then(|| picture::svg_of_states(&done.pictures));
    write(&args.svg, drawn, "there is nothing to draw")?;
    write(&args.harness, done.harness.clone(), "no violation was found in a C program")?;
    write(&args.witness, done.witness.clone(), "not everything that was asked is decided")
}
