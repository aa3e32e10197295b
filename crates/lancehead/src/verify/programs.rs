//! `lancehead verify x.spl`: list programs, by `vc`.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use report::{Diagnostic, FileReport, MemberReport, Numbers, Pos, SourceMap, Status, human};
use symex::Cancel;

use driver::verdict::NoSolver;

use super::Style;
use crate::args::{self, VerifyFormat};
use crate::output::{Output, complain, complain_with};
use crate::{crash, spl_files};

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
        if let Some((problem, help)) = self.unmatched(files) {
            complain(&format!("{problem}{help}"));
            return 2;
        }
        let mut reports = Vec::new();
        let mut missing = None;
        for file in files {
            crash::working_on(file, self.style.format != VerifyFormat::Human);
            let (report, sources, no_solver) = self.file(file);
            missing = missing.or(no_solver);
            out.write(self.style.render(&report, &sources).as_bytes());
            out.flush();
            reports.push(report);
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
        }
        if let Some(why) = missing {
            self.missing.learn(&why);
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

    fn config(&self, members: Vec<String>) -> vc::Config {
        let usual = vc::Config::new(self.solver.clone());
        vc::Config {
            solver_options: self.args.z3_options.clone(),
            jobs: self.args.jobs.unwrap_or_else(super::cores),
            timeout: self.args.timeout.filter(|t| !t.is_zero()),
            goal_timeout: match self.args.assert_timeout {
                Some(t) if t.is_zero() => Duration::from_secs(86_400),
                Some(t) => t,
                None => usual.goal_timeout,
            },
            members,
            dump_smt: self.args.dump_smt.clone(),
            cancel: Some(self.cancel.flag()),
            ..usual
        }
    }

    /// The members of a program that are wanted.
    fn chosen(&self, program: &spl::core::Program) -> Vec<String> {
        let names = vc::member_names(program);
        let wanted = |name: &String| {
            self.args.members.iter().any(|pattern| driver::select::matches(pattern, name))
        };
        names.into_iter().filter(wanted).collect()
    }

    fn file(&self, path: &Path) -> (FileReport, SourceMap, Option<String>) {
        let start = Instant::now();
        let front = spl_files::front_end(path);
        let name = path.display().to_string();
        let Some(program) = &front.program else {
            let mut report = FileReport::new(name, Status::Invalid, front.diagnostics);
            report.time = start.elapsed();
            return (report, front.sources, None);
        };
        let members = self.chosen(program);
        let verdict = if members.is_empty() && !self.args.members.is_empty() {
            vc::Verdict::default()
        } else {
            vc::verify(program, &self.config(members))
        };
        let mut report = FileReport::new(name, verdict.status(), front.diagnostics);
        let sum = |f: fn(&vc::Member) -> u64| verdict.members.iter().map(f).sum::<u64>();
        report.stats = numbers(
            sum(|m| m.goals),
            sum(|m| m.queries),
            verdict.members.iter().map(|m| m.waiting).sum(),
        );
        report.stats.push(("solver_starts", verdict.starts));
        for member in verdict.members {
            report.members.push(MemberReport {
                name: member.name,
                kind: member.kind.to_owned(),
                status: member.status,
                time: member.time,
                stats: numbers(member.goals, member.queries, member.waiting),
            });
            report.diagnostics.extend(member.diagnostics);
        }
        if let Some(why) = &verdict.no_solver {
            // Nothing was found out about any member: that is one message.
            self.missing.learn(why);
            let (message, remedy) = self.missing.message();
            let problem = Diagnostic::error("internal.error", Pos::None, message).with_help(remedy);
            report.diagnostics = vec![problem];
        }
        report.time = start.elapsed();
        (report, front.sources, verdict.no_solver)
    }

    /// A name that no member has, in whichever file.
    fn unmatched(&self, files: &[PathBuf]) -> Option<(String, String)> {
        let mut left: Vec<&String> = self.args.members.iter().collect();
        let mut names: Vec<String> = Vec::new();
        if left.is_empty() {
            return None;
        }
        for file in files {
            // Nobody knows the members of invalid files.
            let members = vc::member_names(&spl_files::front_end(file).program?);
            left.retain(|pattern| !members.iter().any(|m| driver::select::matches(pattern, m)));
            names.extend(members);
        }
        let pattern = left.first()?;
        let close = viper::closest(pattern, names.iter().map(String::as_str));
        let help = close.map(|close| format!("; did you mean `{close}`?")).unwrap_or_default();
        Some((format!("there is no member named '{pattern}'"), help))
    }
}

fn numbers(goals: u64, queries: u64, waiting: Duration) -> Numbers {
    let waiting = u64::try_from(waiting.as_millis()).unwrap_or(u64::MAX);
    vec![("goals", goals), ("queries", queries), ("solver_ms", waiting)]
}
