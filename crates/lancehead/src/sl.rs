//! `lancehead sl`: separation logic, decided.

use std::io;
use std::path::Path;

use driver::ask::{self, Asker, Done, Drawing, Invalid, Question};
use report::logic::human::Show;
use report::logic::{self, LogicReport};
use report::{human, json};

use crate::args::{self, Color, Format, Semantics, SlQuestion};
use crate::crash;
use crate::output::{Output, complain, to_stderr};

/// The command. Returns the exit status.
pub(crate) fn run(args: &args::Sl, color: Color, z3: Option<&Path>, out: &mut Output) -> u8 {
    let mut asker = Asker::new(settings(args), z3.map(Path::to_path_buf));
    let command = Command { args, color };
    match &args.question {
        Some(_) if !args.files.is_empty() => {
            complain("either files or a question, not both; see `lancehead sl --help`");
            2
        }
        Some(question) => command.show(asker.text(asked(question)), false, out),
        None => {
            let several = args.files.len() > 1;
            let statuses = args.files.iter().map(|path| {
                crash::working_on(path, args.format == Format::Json);
                command.show(asker.file(path), several, out)
            });
            statuses.max().unwrap_or(0)
        }
    }
}

fn settings(args: &args::Sl) -> ask::Settings {
    ask::Settings {
        semantics: args.semantics.map(|semantics| match semantics {
            Semantics::Standard => ask::Semantics::Standard,
            Semantics::Precise => ask::Semantics::Precise,
        }),
        timeout: args.timeout.filter(|timeout| !timeout.is_zero()),
        proofs: args.proof || args.proof_svg.is_some(),
        proof_drawings: args.proof_svg.is_some(),
        check_proofs: args.check_proofs,
        drawing: args.svg.is_some() || args.dot.is_some(),
    }
}

fn asked(question: &SlQuestion) -> Question<'_> {
    match question {
        SlQuestion::Sat { formula } => Question::Sat(formula),
        SlQuestion::Entails { left, right } => Question::Entails(left, right),
        SlQuestion::Frame { left, right } => Question::Frame(left, right),
        SlQuestion::Abduce { left, right } => Question::Abduce(left, right),
    }
}

struct Command<'a> {
    args: &'a args::Sl,
    color: Color,
}

impl Command<'_> {
    /// Shows what came of a question. Returns its exit status.
    fn show(&self, done: Result<Done, Box<Invalid>>, several: bool, out: &mut Output) -> u8 {
        let Done { report, drawing } = match done {
            Ok(done) => done,
            Err(invalid) => return self.invalid(&invalid, out),
        };
        if let Some(warning) = logic::human::warning(&report, self.wanted()) {
            complain(&warning);
        }
        match self.args.format {
            Format::Human => self.answers(&report, several, out),
            Format::Json => {
                out.write(logic::json::render(&report, self.args.stats).as_bytes());
                out.write(b"\n");
            }
        }
        out.flush();
        self.draw(drawing).max(self.draw_proof(&report)).max(report.exit_code())
    }

    fn wanted(&self) -> Show {
        Show { model: self.args.model, proof: self.args.proof, stats: self.args.stats }
    }

    fn answers(&self, report: &LogicReport, several: bool, out: &mut Output) {
        let file = several.then_some(report.file.as_str());
        for answer in &report.answers {
            let shown = logic::human::render(answer, file, self.wanted());
            out.write(shown.text.as_bytes());
            for complaint in &shown.complaints {
                complain(complaint);
            }
            if let Some(stats) = &shown.stats {
                to_stderr(stats);
            }
        }
    }

    fn invalid(&self, invalid: &Invalid, out: &mut Output) -> u8 {
        let Invalid { report, sources } = invalid;
        match self.args.format {
            Format::Human => {
                let color = self.color.wanted(&io::stderr());
                let options = human::Options { color, ..human::Options::default() };
                for problem in &report.diagnostics {
                    let text = human::render_diagnostic(problem, &report.file, sources, options);
                    to_stderr(&text);
                }
            }
            Format::Json => {
                out.write(json::render(report, sources).as_bytes());
                out.write(b"\n");
            }
        }
        report.status.exit_code()
    }

    fn draw(&self, drawing: Option<Drawing>) -> u8 {
        let (svg, dot) = (&self.args.svg, &self.args.dot);
        if svg.is_none() && dot.is_none() {
            return 0;
        }
        let Some(drawing) = drawing else {
            complain("there is no model to draw");
            return 0;
        };
        let mut status = 0;
        for (path, text) in [(svg, &drawing.svg), (dot, &drawing.dot)] {
            if path.as_ref().is_some_and(|path| !write(path, text)) {
                status = 2;
            }
        }
        status
    }
}

impl Command<'_> {
    /// Draws the last proof, if that is wanted. Returns an exit status.
    fn draw_proof(&self, report: &LogicReport) -> u8 {
        let Some(path) = &self.args.proof_svg else { return 0 };
        let proofs = report.answers.iter().rev().filter_map(|answer| answer.proof.as_ref());
        let mut drawings = proofs.filter_map(|proof| proof.as_ref().ok()?.svg.as_ref());
        match drawings.next() {
            Some(svg) if write(path, svg) => 0,
            Some(_) => 2,
            None => {
                complain("there is no proof to draw");
                0
            }
        }
    }
}

/// Writes a file. Has that worked?
fn write(path: &Path, text: &str) -> bool {
    let written = std::fs::write(path, text);
    if let Err(e) = &written {
        complain(&format!("{} cannot be written: {e}", path.display()));
    }
    written.is_ok()
}
