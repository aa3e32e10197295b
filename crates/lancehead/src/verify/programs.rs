//! `lancehead verify x.spl`: list programs, by `vc`.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use report::{FileReport, human};
use symex::Cancel;

use driver::spl_verify;
use driver::verdict::NoSolver;

use super::Style;
use crate::args::{self, VerifyFormat};
use crate::crash;
use crate::output::{Output, complain, complain_with};

/// What a run over SPL programs needs to know.
pub(super) struct Run<'a> {
    pub args: &'a args::Verify,
    pub solver: PathBuf,
    pub missing: NoSolver,
    pub cancel: Cancel,
    pub style: Style,
}

impl Run<'_> {
    /// Verifies programs one after the other, the members of each in parallel.
    pub(super) fn verify(&self, files: &[PathBuf], out: &mut Output) -> u8 {
        let start = Instant::now();
        let patterns = &self.args.members;
        if let Some(problem) = spl_verify::unmatched(files, patterns) {
            let help = problem.help.map(|help| format!("; {help}")).unwrap_or_default();
            complain(&format!("{}{help}", problem.message));
            return 2;
        }
        let config = self.config();
        let runs = self.args.seeds.unwrap_or(1);
        let mut reports = Vec::new();
        let mut missing = false;
        for file in files {
            crash::working_on(file, self.style.format != VerifyFormat::Human);
            let done = spl_verify::verify(file, patterns, &config, runs, &self.missing);
            missing |= done.solver_missing;
            out.write(self.style.render(&done.report, &done.sources).as_bytes());
            out.flush();
            reports.push(done.report);
            if self.cancel.is_cancelled() {
                return 3;
            }
        }
        if let Some(problem) = self.draw(&reports) {
            complain(&problem);
            return 2;
        }
        if self.style.format == VerifyFormat::Human {
            out.write(format!("{}\n", human::summary(&reports, start.elapsed())).as_bytes());
            if runs > 1 {
                out.write(format!("{}\n", human::seeds_summary(&reports, runs)).as_bytes());
            }
        }
        if missing {
            let (message, remedy) = self.missing.message();
            complain_with(&message, &remedy);
        }
        report::exit_code(&reports)
    }

    /// Draws the first counterexample; what is wrong, if it cannot.
    fn draw(&self, reports: &[FileReport]) -> Option<String> {
        let path = self.args.svg.as_ref()?;
        let mut errors = reports.iter().flat_map(|report| &report.diagnostics);
        let heaps = errors.find_map(|error| error.heaps.as_ref())?;
        let drawn = report::picture::svg_of_states(&heaps.states);
        let written = std::fs::write(path, drawn);
        written.err().map(|e| format!("{} cannot be written: {e}", path.display()))
    }

    fn config(&self) -> vc::Config {
        let usual = vc::Config::new(self.solver.clone());
        vc::Config {
            solver_options: self.args.z3_options.clone(),
            jobs: self.args.jobs.unwrap_or_else(super::cores),
            timeout: self.args.timeout.filter(|t| !t.is_zero()),
            // A limit on time is instead of one on work.
            goal_work: usual.goal_work.filter(|_| self.args.assert_timeout.is_none()),
            goal_timeout: match self.args.assert_timeout {
                Some(t) if t.is_zero() => Duration::from_secs(86_400),
                Some(t) => t,
                None => usual.goal_timeout,
            },
            dump_smt: self.args.dump_smt.clone(),
            cancel: Some(self.cancel.flag()),
            ..usual
        }
    }
}
