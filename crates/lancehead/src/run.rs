//! `lancehead run`: executes a program and stops at the first fault.

use std::io;
use std::path::Path;
use std::time::Instant;

use driver::c_program;
use heap::run::{Config, End, Fault, Inputs, Machine, Memory, Observer, Run, Value};
use heap::{LocId, ProcId, Program};
use report::{Diagnostic, Pos, SourceMap, human, picture};
use serde_json::{Value as Json, json};

use crate::args::{self, Color, Format, IntMode};
use crate::output::{Output, complain, to_stderr};
use crate::{crash, run_spl, spl_program};

/// The command. Returns the exit status.
pub(crate) fn run(args: &args::Run, color: Color, out: &mut Output) -> u8 {
    crash::working_on(&args.file, args.format == Format::Json);
    if spl_program::is_spl(&args.file) {
        return run_spl::run(args, color, out);
    }
    if !args.members.is_empty() || args.runs.is_some() {
        complain("--member and --runs are for SPL programs");
        return 2;
    }
    let start = Instant::now();
    let inputs = match inputs(args) {
        Ok(inputs) => inputs,
        Err(message) => {
            complain(&message);
            return 2;
        }
    };
    let (loaded, sources) = c_program::load(&args.file, args.c.options());
    let options =
        human::Options { color: color.wanted(&io::stderr()), ..human::Options::default() };
    let name = args.file.display().to_string();
    let show = |diagnostic: &Diagnostic| {
        if args.format == Format::Human {
            to_stderr(&human::render_diagnostic(diagnostic, &name, &sources, options));
            to_stderr("\n");
        }
    };
    loaded.diagnostics.iter().for_each(show);
    let mut diagnostics = loaded.diagnostics;
    let found = loaded.program.and_then(|program| {
        match driver::infer::entry(&program, args.entry.as_deref()) {
            Ok(entry) => Some(Program { entry: Some(entry), ..program }),
            Err(problem) => {
                show(&problem);
                diagnostics.push(*problem);
                None
            }
        }
    });
    let Some(program) = &found else {
        if args.format == Format::Json {
            write_json(
                out,
                &json!({
                    "file": name, "status": "invalid", "time_ms": start.elapsed().as_millis() as u64,
                    "errors": messages(&diagnostics, &sources),
                }),
            );
        }
        return 2;
    };
    let config = Config {
        machine_integers: args.int == IntMode::Machine,
        malloc_may_fail: args.malloc_may_fail,
        zero_uninitialised: args.zero_uninitialised,
        max_steps: args.steps,
        ..Config::default()
    };
    if args.trace {
        let tracer = Tracer { program, sources: &sources, last: None, known: Vec::new() };
        drop(Machine::new(program, &config, inputs.clone(), tracer).run());
    }
    let ended = Run::new(program, &config, inputs);
    let seconds = start.elapsed();
    if let Err(message) = pictures(args, &ended, program) {
        complain(&message);
        return 3;
    }
    let (status, code) = match &ended.end {
        End::Fault(_) => ("fault", 1),
        End::Limit(_) => ("limit", 3),
        End::Blocked => ("blocked", 0),
        End::Returned(_) | End::Exited(_) | End::Aborted => ("ended", 0),
    };
    let fault = match &ended.end {
        End::Fault(fault) => Some(driver::infer::diagnostic(fault, &ended, program)),
        _ => None,
    };
    if args.format == Format::Json {
        let drawn: Vec<String> = ended.inputs.drawn().iter().map(|d| d.value.to_string()).collect();
        let mut object = json!({
            "file": name,
            "status": status,
            "time_ms": seconds.as_millis() as u64,
            "steps": ended.steps,
            "output": ended.output,
            "inputs": drawn,
            "end": end(&ended.end),
            "errors": messages(&fault.into_iter().collect::<Vec<_>>(), &sources),
            "warnings": messages(&diagnostics, &sources),
        });
        if let End::Fault(fault) = &ended.end {
            object["fault"] = fault_json(fault, program, &sources);
            object["heap"] = Json::String(picture::text(&ended.picture(program)));
        }
        write_json(out, &object);
        return code;
    }
    out.write(ended.output.as_bytes());
    if !ended.output.is_empty() && !ended.output.ends_with('\n') {
        out.write(b"\n");
    }
    out.flush();
    if let Some(fault) = &fault {
        show(fault);
        let drawn = picture::text(&ended.picture(program));
        if !drawn.is_empty() {
            to_stderr("The heap at that point:\n");
            drawn.lines().for_each(|line| to_stderr(&format!("  {line}\n")));
            to_stderr("\n");
        }
    }
    let summary = match &ended.end {
        End::Fault(fault) => format!("fault: {}", fault.kind.as_str()),
        other => end(other),
    };
    to_stderr(&format!("{name}: {summary} ({} steps, {} ms)\n", ended.steps, seconds.as_millis()));
    let asked: Vec<String> = ended.inputs.drawn().iter().map(|d| d.value.to_string()).collect();
    if fault.is_some() && !asked.is_empty() && asked.len() <= 64 {
        to_stderr(&format!("inputs: {}\n", asked.join(" ")));
    }
    code
}

/// Where nondeterministic values come from.
fn inputs(args: &args::Run) -> Result<Inputs, String> {
    let seeded = args.seed.map(Inputs::seeded);
    let Some(path) = &args.inputs else {
        return Ok(seeded.unwrap_or_else(|| Inputs::seeded(0)));
    };
    let text = match (std::fs::read_to_string(path), path.to_str()) {
        (Ok(text), _) => text,
        // Numbers themselves, if no file has such a name.
        (Err(_), Some(list)) if is_list(list) => list.to_owned(),
        (Err(e), _) => {
            return Err(format!("{}: the inputs cannot be read: {e}", path.display()));
        }
    };
    let mut values = Vec::new();
    for word in text.split(|c: char| c.is_whitespace() || c == ',').filter(|w| !w.is_empty()) {
        match word.parse::<i128>() {
            Ok(value) => values.push(value),
            Err(_) => return Err(format!("{}: `{word}` is not a number", path.display())),
        }
    }
    Ok(seeded.unwrap_or_default().after(values))
}

fn is_list(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_digit() || "-, ".contains(c))
}

fn pictures(args: &args::Run, ended: &Run, program: &Program) -> Result<(), String> {
    let write = |path: &Path, text: String| {
        std::fs::write(path, text)
            .map_err(|e| format!("{}: cannot be written: {e}", path.display()))
    };
    let drawn = ended.picture(program);
    if let Some(path) = &args.svg {
        write(path, picture::svg(&drawn))?;
    }
    if let Some(path) = &args.dot {
        write(path, picture::dot(&drawn))?;
    }
    Ok(())
}

/// How a run ended, in words.
fn end(end: &End) -> String {
    match end {
        End::Returned(status) => format!("main returned {status}"),
        End::Exited(status) => format!("exit with status {status}"),
        End::Aborted => "aborted".into(),
        End::Blocked => "an assumption does not hold: this is no run of the program".into(),
        End::Fault(fault) => fault.kind.to_string(),
        End::Limit(what) => format!("stopped: {what}"),
    }
}

fn place(pos: Pos, sources: &SourceMap) -> (String, u32, u32) {
    let found = pos.span().and_then(|span| Some((span, sources.get(span.file)?)));
    found.map_or((String::new(), 0, 0), |(span, source)| {
        let (file, at) = source.presumed(span.start);
        (file.to_owned(), at.line, at.column)
    })
}

fn fault_json(fault: &Fault, program: &Program, sources: &SourceMap) -> Json {
    let (file, line, column) = place(fault.pos, sources);
    let stack: Vec<Json> = fault
        .stack
        .iter()
        .map(|frame| {
            let (file, line, column) = place(frame.pos, sources);
            let function = program.procs.get(frame.proc.index()).map_or("?", |p| p.name.as_str());
            json!({ "function": function, "file": file, "line": line, "column": column })
        })
        .collect();
    let property = fault.kind.property().map(|property| match property {
        heap::run::Property::MemSafety => "memsafety",
        heap::run::Property::MemTrack => "memtrack",
        heap::run::Property::Reach => "reach",
    });
    json!({
        "kind": fault.kind.as_str(), "property": property, "message": fault.kind.to_string(),
        "details": fault.details, "file": file, "line": line, "column": column, "stack": stack,
    })
}

pub(crate) fn messages(diagnostics: &[Diagnostic], sources: &SourceMap) -> Vec<Json> {
    diagnostics
        .iter()
        .map(|d| {
            let (file, line, column) = place(d.pos, sources);
            json!({ "id": d.id, "file": file, "line": line, "column": column, "message": d.message })
        })
        .collect()
}

pub(crate) fn write_json(out: &mut Output, object: &Json) {
    out.write(object.to_string().as_bytes());
    out.write(b"\n");
}

/// Prints every line that is executed, and the variables that change.
struct Tracer<'a> {
    program: &'a Program,
    sources: &'a SourceMap,
    last: Option<(ProcId, Pos)>,
    known: Vec<Value>,
}

impl Observer for Tracer<'_> {
    fn step(&mut self, proc: ProcId, at: LocId, registers: &[Value], _: &Memory) {
        let Some(decl) = self.program.procs.get(proc.index()) else { return };
        let same = self.last.is_some_and(|(last, _)| last == proc);
        for (i, var) in decl.vars.iter().enumerate().filter(|(_, var)| !var.temporary) {
            let (old, new) = (self.known.get(i), registers.get(i));
            if same
                && old != new
                && let Some(value) = new
            {
                to_stderr(&format!("      {} = {}\n", var.name, shown(*value)));
            }
        }
        self.known = registers.iter().take(decl.vars.len()).copied().collect();
        let Some(location) = decl.body.as_ref().and_then(|b| b.locations.get(at.index())) else {
            return;
        };
        if self.last != Some((proc, location.pos)) && location.pos != Pos::None {
            let (file, line, _) = place(location.pos, self.sources);
            let text = location.pos.span().and_then(|span| self.sources.text(span)).unwrap_or("");
            let text = text.lines().next().unwrap_or("").trim();
            to_stderr(&format!("{file}:{line}: {}: {text}\n", decl.name));
        }
        self.last = Some((proc, location.pos));
    }
}

fn shown(value: Value) -> String {
    match value {
        Value::Int(n) => n.to_string(),
        Value::Ptr(p) if p.offset == 0 => format!("#{}", p.object),
        Value::Ptr(p) => format!("#{} at {}", p.object, p.offset),
        Value::Float(x) => x.to_string(),
        Value::Proc(id) => format!("function {}", id.0),
        Value::Undef | Value::Garbage => "?".into(),
    }
}
