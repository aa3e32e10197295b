//! A C test that fails where the run did: the program itself, with definitions of all that it leaves open.
//!
//! What is defined stands before the program, so that no macro of the program gets into it, and under names of its own: only the
//! assembler's names are those that the program uses, so no declaration in it can contradict them. What is put into the
//! program changes none of its lines.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use heap::run::{Config, End, FaultKind, Value};
use heap::{Program, Scalar};
use infer::verdict::Violation;
use report::{FileId, SourceFile, SourceMap};

use crate::left_open::{self, Fill, LeftOpen};
use crate::source::{self, Token};

/// How a test is compiled; it stands in the test, too.
pub const COMPILE: &str = "gcc -g -w -fsanitize=address,undefined -fsanitize-recover=address -fno-sanitize-recover=bounds";

/// A pointer that nobody set.
const NOWHERE: i128 = 0x7eb7_b7b7_b7b0;
/// After so many commands a run that has lost memory is not waited for.
const LONG_RUN: u64 = 2_000_000;

/// A test for a violation. `main_file` is the program as it was given; what is included lies beside it.
#[must_use]
pub fn harness(
    program: &Program,
    violation: &Violation,
    sources: &SourceMap,
    main_file: FileId,
) -> Option<String> {
    let file = text_of(sources, main_file)?;
    let (id, source) = file;
    let (_, open) = left_open::of(program, &violation.config, &violation.inputs);
    let tokens = source::tokens(&source.text);
    // Macros of other files are words, too.
    let every = || sources.files().flat_map(|(_, file)| source::words(&file.text));
    let mut test = Test {
        program,
        violation,
        words: every().collect(),
        defined: sources
            .files()
            .flat_map(|(_, file)| source::definitions(&source::tokens(&file.text)))
            .collect(),
        includes: source.text.lines().filter(|line| line.trim_start().starts_with('#')).collect(),
        open: &open,
        text: String::new(),
    };
    let insertions = insertions(&tokens, id, &open);
    test.head(sources, source);
    test.runtime();
    test.holds(&insertions.holds);
    test.allocation();
    test.functions();
    test.start();
    let _ = writeln!(test.text, "#line 1 {}", quoted(&source.name));
    test.text.push_str(&source::with_insertions(&source.text, insertions.all));
    if !test.text.ends_with('\n') {
        test.text.push('\n');
    }
    Some(test.text)
}

/// The text that positions are in: what a compiler made of the file, if it was asked.
fn text_of(sources: &SourceMap, main: FileId) -> Option<(FileId, &SourceFile)> {
    let name = &sources.get(main)?.name;
    sources.files().filter(|(_, file)| file.name == *name).last()
}

/// What is put into the program.
struct Insertions {
    all: Vec<(usize, String)>,
    /// The declarations behind which something is set, each with its number.
    holds: Vec<(usize, BTreeMap<u64, Vec<Fill>>)>,
}

fn insertions(tokens: &[Token<'_>], file: FileId, open: &LeftOpen) -> Insertions {
    let (mut all, mut holds) = (Vec::new(), Vec::new());
    for name in ["reach_error", "__VERIFIER_error"] {
        all.extend(source::bodies(tokens, name).into_iter().map(|at| (at, " lh_error();".into())));
    }
    for ((in_file, start), declared) in &open.variables {
        let site = holds.len();
        if let Some(behind) = source::behind_declaration(tokens, *start as usize)
            && *in_file == file.0
        {
            all.push((behind, format!(" lh_hold((void *)&{}, {site});", declared.name)));
            holds.push((site, declared.holds.clone()));
        }
    }
    Insertions { all, holds }
}

struct Test<'t> {
    program: &'t Program,
    violation: &'t Violation,
    /// All words of the program.
    words: BTreeSet<&'t str>,
    /// The functions that have a body.
    defined: BTreeSet<&'t str>,
    includes: Vec<&'t str>,
    open: &'t LeftOpen,
    text: String,
}

impl Test<'_> {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn is_leak(&self) -> bool {
        self.violation.fault.kind == FaultKind::Leak
    }

    fn head(&mut self, sources: &SourceMap, source: &SourceFile) {
        let fault = &self.violation.fault;
        let place = fault.pos.span().and_then(|span| {
            let (name, at) = sources.get(span.file)?.presumed(span.start);
            Some(format!("{name}:{}", at.line))
        });
        let place = place.unwrap_or_else(|| "a place without a line".into());
        let beside =
            self.includes.iter().any(|line| line.contains("include") && line.contains('"'));
        let folder = std::path::Path::new(&source.name).parent();
        let folder = folder.filter(|f| !f.as_os_str().is_empty());
        let include = match folder.filter(|_| beside) {
            Some(folder) => format!(" -I{}", folder.display()),
            None => String::new(),
        };
        let model = if self.program.model.pointer() == 4 { " -m32" } else { "" };
        self.line(&comment(&format!("{}: {}, at {place}.", fault.kind.as_str(), fault.kind)));
        self.line(&comment(&format!(
            "Compile and run it, and it fails there: {COMPILE}{model}{include} THIS_FILE.c"
        )));
        for lost in self.open.lost.iter().collect::<BTreeSet<_>>() {
            self.line(&comment(&format!("Not determined here: {lost}.")));
        }
    }

    /// Inputs, and how errors are seen.
    fn runtime(&mut self) {
        self.line("const char *__asan_default_options(void) {");
        self.line(match self.is_leak() {
            // Frames that are kept aside would keep what they led to. Another fault after the loss is not what this is about.
            true => "  return \"detect_leaks=1:handle_segv=0:handle_abort=0:halt_on_error=0:redzone=64\";",
            false => "  return \"detect_leaks=1:handle_abort=1:detect_stack_use_after_return=1:redzone=64\";",
        });
        self.line("}");
        self.line("extern void lh_abort(void) __asm__(\"abort\");");
        self.line("extern void lh_exit(int) __asm__(\"_exit\");");
        self.line("extern void lh_check_leaks(void) __asm__(\"__lsan_do_leak_check\");");
        self.line("void lh_error(void) { lh_abort(); }");
        if self.is_leak() {
            // Words of frames that are gone are no pointers. What follows the loss is not part of the run.
            self.line("static void __attribute__((noinline)) lh_forget_frames(void) {");
            self.line("  volatile char frames[1 << 16];\n  int i;");
            self.line("  for (i = 0; i < 1 << 16; i++) frames[i] = 0;\n}");
            self.line("static void lh_ended(void) {");
            self.line("  lh_forget_frames();\n  lh_check_leaks();\n  lh_exit(0);\n}");
        } else {
            self.line("static void lh_ended(void) {}");
        }
        let inputs: Vec<String> = self.open.inputs.iter().map(|v| number(*v)).collect();
        self.queue("lh_next", &inputs);
    }

    /// A function that returns one value after the other.
    fn queue(&mut self, name: &str, values: &[String]) {
        let count = values.len();
        let listed = if values.is_empty() { "0".to_owned() } else { values.join(", ") };
        let _ = writeln!(
            self.text,
            "static long long {name}(void) {{\n  static const long long values[] = {{{listed}}};\n  \
             static int next;\n  if (next == {count}) {{ lh_ended(); return 0; }}\n  return values[next++];\n}}"
        );
    }

    /// What variables hold that are not initialised.
    fn holds(&mut self, holds: &[(usize, BTreeMap<u64, Vec<Fill>>)]) {
        let mut rows = Vec::new();
        for (site, passes) in holds {
            for (pass, fills) in passes {
                rows.extend(fills.iter().map(|fill| format!("{{{site}, {pass}, {}}}", row(fill))));
            }
        }
        if rows.is_empty() {
            return;
        }
        let _ = writeln!(
            self.text,
            "void lh_hold(void *at, int site) {{\n  static const struct {{ int site; long pass; int offset, bytes; \
             unsigned long long value; }} holds[] = {{\n    {}}};\n  static long passes[{}];\n  \
             long i, pass = passes[site]++;\n  for (i = 0; i < {}; i++)\n    \
             if (holds[i].site == site && holds[i].pass == pass)\n      \
             __builtin_memcpy((char *)at + holds[i].offset, &holds[i].value, holds[i].bytes);\n}}",
            rows.join(", "),
            holds.len().max(1),
            rows.len()
        );
    }

    /// Which allocations fail, and what is in the others.
    fn allocation(&mut self) {
        if self.open.blocks.is_empty() && self.open.failures.is_empty() {
            return;
        }
        let mut rows = Vec::new();
        for (number, fills) in &self.open.blocks {
            rows.extend(fills.iter().map(|fill| format!("{{{number}, {}}}", row(fill))));
        }
        let filled = rows.len();
        rows.push("{-1, 0, 0, 0}".into());
        let mut fails: Vec<String> = self.open.failures.iter().map(u64::to_string).collect();
        fails.push("-1".into());
        self.line("extern void *lh_real_malloc(unsigned long) __asm__(\"malloc\");");
        self.line("extern void *lh_real_calloc(unsigned long, unsigned long) __asm__(\"calloc\");");
        self.line("extern void *lh_real_realloc(void *, unsigned long) __asm__(\"realloc\");");
        self.line("static long lh_allocations;");
        let _ = writeln!(
            self.text,
            "static int lh_fails(void) {{\n  static const long fails[] = {{{}}};\n  int i;\n  \
             for (i = 0; fails[i] >= 0; i++) if (fails[i] == lh_allocations) {{ lh_allocations++; return 1; }}\n  return 0;\n}}",
            fails.join(", ")
        );
        let _ = writeln!(
            self.text,
            "static void *lh_filled(void *block) {{\n  static const struct {{ long number; int offset, bytes; unsigned long long value; }} \
             fills[] = {{\n    {}}};\n  int i;\n  for (i = 0; block && i < {filled}; i++)\n    \
             if (fills[i].number == lh_allocations)\n      \
             __builtin_memcpy((char *)block + fills[i].offset, &fills[i].value, fills[i].bytes);\n  \
             lh_allocations++;\n  return block;\n}}",
            rows.join(", ")
        );
        for (name, parameters, call) in [
            ("malloc", "unsigned long size", "lh_real_malloc(size)"),
            ("calloc", "unsigned long count, unsigned long size", "lh_real_calloc(count, size)"),
            ("realloc", "void *old, unsigned long size", "lh_real_realloc(old, size)"),
        ] {
            let _ = writeln!(
                self.text,
                "void *lh_{name}_here({parameters}) __asm__(\"lh_{name}\");\n\
                 void *lh_{name}_here({parameters}) {{ return lh_fails() ? 0 : lh_filled({call}); }}\n\
                 #define {name} lh_{name}"
            );
        }
    }

    /// Functions that have no body in the program.
    fn functions(&mut self) {
        let wanted: Vec<&str> = self.words.difference(&self.defined).copied().collect();
        let prefix = "__VERIFIER_nondet_";
        let mut later = Vec::new();
        for (i, name) in wanted.iter().filter(|name| name.starts_with(prefix)).enumerate() {
            let ty = match name.trim_start_matches(prefix) {
                "float" => "float",
                "double" => "double",
                _ => "long long",
            };
            later.push(format!(
                "{ty} lh_input_{i}(void) __asm__(\"{name}\");\n{ty} lh_input_{i}(void) {{ return lh_next(); }}"
            ));
        }
        let asserts = self.includes.iter().any(|line| line.contains("assert.h"));
        for (name, what) in [
            ("__VERIFIER_assume", "(int holds) { if (!holds) lh_exit(0); }"),
            ("__CPROVER_assume", "(int holds) { if (!holds) lh_exit(0); }"),
            ("__VERIFIER_assert", "(int holds) { if (!holds) lh_error(); }"),
            ("assert", "(int holds) { if (!holds) lh_error(); }"),
            ("reach_error", "(void) { lh_error(); }"),
            ("__VERIFIER_error", "(void) { lh_error(); }"),
        ] {
            if wanted.contains(&name) && !(name == "assert" && asserts) {
                let parameters = if what.starts_with("(void)") { "(void)" } else { "(int)" };
                later.push(format!(
                    "void lh_own_{name}{parameters} __asm__(\"{name}\");\nvoid lh_own_{name}{what}"
                ));
            }
        }
        let (malloc, calloc) = ("__builtin_malloc(size)", "__builtin_calloc(count, size)");
        for (name, parameters, value) in [
            ("kmalloc", "unsigned long size", malloc),
            ("__VERIFIER_malloc", "unsigned long size", malloc),
            ("kcalloc", "unsigned long count, unsigned long size", calloc),
            ("kzalloc", "unsigned long size", "__builtin_calloc(1, size)"),
        ] {
            if wanted.contains(&name) {
                later.push(format!(
                    "void *lh_own_{name}({parameters}) __asm__(\"{name}\");\n\
                     void *lh_own_{name}({parameters}) {{ return {value}; }}"
                ));
            }
        }
        for name in ["kfree", "cfree"].iter().filter(|name| wanted.contains(*name)) {
            later.push(format!(
                "void lh_own_{name}(void *) __asm__(\"{name}\");\n\
                 void lh_own_{name}(void *block) {{ __builtin_free(block); }}"
            ));
        }
        for definition in later {
            self.line(&definition);
        }
        self.without_bodies();
    }

    /// Functions of which nothing is known: their results are those of the run.
    fn without_bodies(&mut self) {
        for (i, proc) in self.program.procs.iter().enumerate() {
            let name = proc.name.as_str();
            let plain =
                !name.is_empty() && name.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric());
            let defined = proc.body.is_some() || self.defined.contains(name);
            if defined || !plain || !self.words.contains(name) {
                continue;
            }
            let result = proc.result.and_then(|var| proc.vars.get(var.index())).map(|v| v.ty);
            let values = self.open.results.get(name).cloned().unwrap_or_default();
            let ty = match result {
                Some(Scalar::Float(32)) => "float",
                Some(Scalar::Float(_)) => "double",
                _ => "long long",
            };
            // A pointer that nobody knows leads nowhere, at every call.
            let next = format!("lh_results_{i}");
            let always = match result {
                Some(Scalar::Ptr(_)) => Some(NOWHERE),
                None => Some(0),
                Some(_) => None,
            };
            if let Some(value) = always {
                let _ = writeln!(self.text, "static long long {next}(void) {{ return {value}; }}");
            } else {
                let values: Vec<String> = values.iter().map(|v| number(*v)).collect();
                self.queue(&next, &values);
            }
            let _ = writeln!(
                self.text,
                "{ty} lh_function_{i}(void) __asm__(\"{name}\");\n\
                 {ty} lh_function_{i}(void) {{ return {next}(); }}"
            );
        }
    }

    /// Where the test starts, if that is not the program's own `main`.
    fn start(&mut self) {
        if self.words.contains("register") {
            // Variables have addresses here.
            self.line("#define register");
        }
        let entry = self.program.entry.map(|id| self.program.proc(id));
        let name = entry.map_or("main", |proc| proc.name.as_str());
        let endless = self.is_leak() && self.runs_for_long();
        if name == "main" && self.open.arguments.is_none() && !self.is_leak() {
            return;
        }
        let called = if name == "main" { "lh_program" } else { name };
        let (parameters, mut arguments) = match entry {
            Some(proc) if name != "main" => {
                let values = (0..proc.params as usize)
                    .map(|i| self.open.parameters.get(&i).map_or("0".into(), |v| number(*v)));
                (vec!["long"; proc.params as usize].join(", "), values.collect::<Vec<_>>())
            }
            _ => ("int, char **".to_owned(), vec!["1".into(), "arguments".into()]),
        };
        if parameters.is_empty() {
            arguments.clear();
        }
        let parameters = if parameters.is_empty() { "void".to_owned() } else { parameters };
        let _ = writeln!(self.text, "extern int lh_called({parameters}) __asm__(\"{called}\");");
        if self.is_leak() {
            self.line("extern int lh_at_exit(void (*)(void)) __asm__(\"atexit\");");
            self.line("extern unsigned lh_alarm(unsigned) __asm__(\"alarm\");");
            self.line("extern void *lh_signal(int, void (*)(int)) __asm__(\"signal\");");
            self.line("static void lh_enough(int n) { lh_ended(); }");
        }
        self.line("int lh_start(void) __asm__(\"main\");");
        self.line("int lh_start(void) {");
        if let Some(count) = self.open.arguments {
            let mut bytes = vec!["0".to_owned(); 17];
            for fill in &self.open.argument {
                if let Some(byte) = usize::try_from(fill.offset).ok().and_then(|i| bytes.get_mut(i))
                {
                    *byte = number(fill.value);
                }
            }
            let _ = writeln!(
                self.text,
                "  static char text[] = {{{}}};\n  static char *arguments[{}];\n  int i;\n  \
                 for (i = 0; i < {count}; i++) arguments[i] = text;",
                bytes.join(", "),
                count + 1
            );
            if let Some(first) = arguments.first_mut() {
                *first = count.to_string();
            }
        } else if name == "main" {
            self.line("  static char name[] = \"program\", *arguments[2] = {name, 0};");
        }
        if self.is_leak() {
            // Aborted, a bad access, or enough of it.
            self.line("  lh_signal(6, lh_enough);\n  lh_signal(11, lh_enough);\n  lh_signal(14, lh_enough);");
            self.line("  lh_at_exit(lh_ended);");
        }
        if endless {
            self.line("  lh_alarm(2);");
        }
        let ended = if self.is_leak() { "  lh_ended();\n" } else { "" };
        let _ = writeln!(
            self.text,
            "  lh_called({});\n{ended}  return 0;\n}}\n#define main lh_program",
            arguments.join(", ")
        );
    }

    /// Does the run go on for long after it has lost memory?
    fn runs_for_long(&self) -> bool {
        let config = Config { max_steps: LONG_RUN, leaks: false, ..self.violation.config.clone() };
        let (run, _) = left_open::of(self.program, &config, &self.violation.inputs);
        matches!(run.end, End::Limit(_))
    }
}

/// Offset, bytes and value of what is filled in.
fn row(fill: &Fill) -> String {
    let bits = match (fill.value, fill.bytes) {
        (Value::Float(x), 4) => u64::from((x as f32).to_bits()),
        (Value::Float(x), _) => x.to_bits(),
        (value, _) => integer(value) as u64,
    };
    format!("{}, {}, {bits}ull", fill.offset, fill.bytes)
}

fn integer(value: Value) -> i128 {
    match value {
        Value::Int(n) => n,
        Value::Float(x) => x as i128,
        Value::Garbage => NOWHERE,
        Value::Undef | Value::Ptr(_) | Value::Proc(_) => 0,
    }
}

/// As a constant of type `long long`.
fn number(value: Value) -> String {
    match integer(value) as i64 {
        i64::MIN => "(-9223372036854775807ll - 1)".to_owned(),
        n => format!("{n}ll"),
    }
}

/// A line of a comment.
fn comment(text: &str) -> String {
    let text: String =
        text.chars().map(|c| if c.is_control() || c == '\\' { '?' } else { c }).collect();
    format!("// {text}")
}

fn quoted(name: &str) -> String {
    let name = name.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", name.replace(|c: char| c.is_control(), "?"))
}
