//! Two interpreters of SPL agree: `rac`, on the program as it was written, and that of heap programs, on what the
//! program is lowered to. Both start in the same heap, which satisfies the precondition, with the same choices.
//!
//! If both return, they return the same values and leave the same heap. Where `heap` meets a memory fault, `rac` does
//! not return; where `rac` meets `null`, `heap` does, too, at the same place. They are not compared where they differ on
//! purpose: `rac` checks contracts and footprints and does not check what conditions read; formulas are taken for true
//! by `heap`; what nobody initialised may be anything; in `rac` an object may be allocated where a dangling pointer leads.
//!
//! Also, what a program is lowered to is the same when it was printed and parsed.
//!
//! `LANCEHEAD_SPL_SUITE` names a folder of more programs; with `LANCEHEAD_RUNS=1` there is a line for each file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use driver::spl_start::{Started, started};
use heap::run::Value as HeapValue;
use heap::run::{Config, End, Inputs, Life, Machine, Memory, Observer, Open, Run};
use heap::{LocId, ProcId, Scalar};
use libtest_mimic::{Arguments, Failed, Trial};
use rac::{Drawn, Snapshot, Value};
use report::{FileId, Pos, SourceMap, Span};
use spl::core::{BinOp, ExprKind, Procedure, Program, StmtKind, Type, UnOp};
use spl::lower::{Lowered, Shape};

/// Runs of each procedure.
const RUNS: u64 = 60;
/// No procedure is run for longer.
const TIME: Duration = Duration::from_millis(1500);

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    for folder in ["tests/spl/verify", "examples/spl", "tests/infer/spl"] {
        files.extend(testing::files(root.join(folder), &["spl"]));
    }
    if let Some(suite) = std::env::var_os("LANCEHEAD_SPL_SUITE") {
        files.extend(testing::files(suite, &["spl"]));
    }
    files.sort();
    let trials = files.into_iter().map(|path| {
        let name = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
        Trial::test(name, move || check_file(&path))
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

/// How often they were compared.
#[derive(Default)]
struct Tally {
    /// The same heaps in the end.
    returned: u64,
    /// The same fault.
    faults: u64,
    /// Not comparable.
    other: u64,
}

fn check_file(path: &Path) -> Result<(), Failed> {
    let mut sources = SourceMap::new();
    let loaded = spl::loader::load(&spl::loader::DiskFiles, &mut sources, path);
    let Some(program) = spl::check(&loaded.program).program else {
        // Programs that are refused are tested elsewhere.
        return Ok(());
    };
    let lowered = spl::lower::lower(&program, &sources);
    let printed = heap::text::print(&lowered.program);
    match heap::text::parse(&printed, FileId(0)) {
        Ok(again) if again == lowered.program => {}
        Ok(_) => return Err(format!("it is printed as another program:\n{printed}").into()),
        Err(problem) => {
            let at = printed.get(problem.start..).unwrap_or_default();
            let at: String = at.chars().take(80).collect();
            return Err(
                format!("what is printed is not parsed: {} at {at}", problem.message).into()
            );
        }
    }
    let unchecked = unchecked(&program);
    let mut tally = Tally::default();
    for procedure in program.procedures.values().filter(|p| p.body.is_some()) {
        let Some(shape) = lowered.map.procedures.get(&procedure.name) else { continue };
        let begin = Instant::now();
        for seed in 0..RUNS {
            if begin.elapsed() > TIME {
                break;
            }
            let case = Case { program: &program, lowered: &lowered, unchecked: &unchecked, shape };
            let place = || format!("{} (seed {seed})", procedure.name);
            match case.compare(procedure, seed) {
                Ok(Same::Returned) => tally.returned += 1,
                Ok(Same::Fault) => tally.faults += 1,
                Ok(Same::Other) => tally.other += 1,
                Err(difference) => return Err(format!("{}: {difference}", place()).into()),
            }
        }
    }
    if std::env::var_os("LANCEHEAD_RUNS").is_some() {
        let Tally { returned, faults, other } = tally;
        println!("{}: {returned} returned, {faults} faults, {other} other", path.display());
    }
    Ok(())
}

/// Expressions that are not checked for what they read: conditions, some right sides, bodies of functions.
fn unchecked(program: &Program) -> Vec<Span> {
    let mut found = Vec::new();
    for body in program.procedures.values().filter_map(|p| p.body.as_ref()) {
        body.walk(&mut |stmt| {
            match &stmt.kind {
                StmtKind::If(cond, ..) | StmtKind::While(cond, ..) => found.push(cond.span),
                _ => {}
            }
            stmt.each_expr(&mut |e| {
                if let ExprKind::Unary(UnOp::Not, _)
                | ExprKind::Binary(BinOp::And | BinOp::Or, ..) = &*e.kind
                {
                    found.push(e.span);
                }
            });
        });
    }
    let functions = program.functions.values().filter_map(|f| f.body.as_ref());
    let predicates = program.predicates.values().filter_map(|p| p.body.as_ref());
    found.extend(functions.chain(predicates).map(|e| e.span));
    found
}

enum Same {
    Returned,
    Fault,
    Other,
}

struct Case<'a> {
    program: &'a Program,
    lowered: &'a Lowered,
    unchecked: &'a [Span],
    shape: &'a Shape,
}

/// Was something read that nobody initialised?
#[derive(Default)]
struct Watch {
    open: bool,
}

impl Observer for Watch {
    fn step(&mut self, _: ProcId, _: LocId, _: &[HeapValue], _: &Memory) {}

    fn left_open(&mut self, what: Open, _: HeapValue, _: &Memory) {
        self.open |= matches!(what, Open::Variable(_) | Open::Memory { .. });
    }
}

impl Case<'_> {
    fn compare(&self, procedure: &Procedure, seed: u64) -> Result<Same, String> {
        let size = 1 + (seed % 5) as u32;
        let config = rac::Config { seed, size, modular: false, steps: 20_000 };
        let ran = rac::run(self.program, procedure, &config);
        let (Some(start), Some(after)) = (&ran.start, &ran.after) else { return Ok(Same::Other) };
        let Some(begun) = started(self.lowered, self.shape, start) else { return Ok(Same::Other) };
        let inputs = Inputs::given(self.inputs(&ran.drawn));
        let config =
            Config { leaks: false, trust_formulas: true, max_steps: 200_000, ..Config::default() };
        let machine = Machine::new(&begun.program, &config, inputs, Watch::default());
        let (run, watch) = machine.run();
        if watch.open {
            return Ok(Same::Other);
        }
        let is_unchecked = |pos: Pos| {
            pos.span().is_none_or(|at| {
                let covers =
                    |e: &&Span| e.file == at.file && e.start <= at.start && at.end <= e.end;
                self.unchecked.iter().any(|e| covers(&e))
            })
        };
        let same = match (&ran.end, &run.end) {
            (rac::End::NoStart | rac::End::Unknown(..) | rac::End::Limit(_), _)
            | (_, End::Limit(_)) => Ok(Same::Other),
            (rac::End::Returned, End::Returned(_)) => {
                self.same_heaps(&begun, &run, after)?;
                Ok(Same::Returned)
            }
            (rac::End::Returned, End::Fault(fault)) => match is_unchecked(fault.pos) {
                true => Ok(Same::Other),
                false => Err(format!("rac returns, heap ends with {fault:?}")),
            },
            (rac::End::Returned, other) => Err(format!("rac returns, heap ends with {other:?}")),
            (rac::End::Fault(fault), end) => self.same_fault(fault, end, &is_unchecked),
            (rac::End::Blocked, End::Blocked) => Ok(Same::Fault),
            (rac::End::Blocked, _) => Ok(Same::Other),
        };
        if same.is_err() && ran.reused { Ok(Same::Other) } else { same }
    }

    /// What `rac` drew, in the order in which the heap program asks for it. Pointers are not asked for.
    fn inputs(&self, drawn: &[Drawn]) -> Vec<i128> {
        let number = |value: &Value| match value {
            Value::Int(n) => Some(*n),
            Value::Bool(b) => Some((*b).into()),
            Value::Byte(n) => Some((*n).into()),
            Value::Opaque(n) => Some((*n).into()),
            _ => None,
        };
        let procedures = &self.lowered.map.procedures;
        let asked = |one: &Drawn| match one {
            Drawn::Variable(name, local, value) => {
                procedures.get(name)?.vars.get(local)?;
                number(value)
            }
            Drawn::Global(name, value) => {
                self.lowered.map.globals.get(name)?;
                number(value)
            }
            Drawn::Branch(name, index) => {
                procedures.get(name)?;
                Some(*index as i128)
            }
        };
        drawn.iter().filter_map(asked).collect()
    }

    fn same_fault(
        &self,
        fault: &rac::Fault,
        end: &End,
        is_unchecked: &dyn Fn(Pos) -> bool,
    ) -> Result<Same, String> {
        let memory = ["access.failed", "free.failed", "division.by.zero", "length.negative"];
        // Contracts and footprints are nothing that heap programs check.
        let about_values = fault.message.contains("`null`")
            || matches!(fault.id, "division.by.zero" | "length.negative");
        if !memory.contains(&fault.id) || !about_values {
            return Ok(Same::Other);
        }
        let here = |pos: Pos| pos.span() == Some(fault.span);
        let bodies = self.lowered.program.procs.iter().filter_map(|p| p.body.as_ref());
        let mut places = bodies.flat_map(|body| &body.locations);
        // Ghost code is not there.
        if !places.any(|location| here(location.pos)) {
            return Ok(Same::Other);
        }
        match end {
            End::Fault(found) if here(found.pos) => Ok(Same::Fault),
            End::Fault(found) if is_unchecked(found.pos) => Ok(Same::Other),
            other => Err(format!("rac ends with {fault:?}, heap with {other:?}")),
        }
    }

    /// The same results, and from there and from what there was in the beginning, the same heaps.
    fn same_heaps(&self, begun: &Started, run: &Run, after: &Snapshot<'_>) -> Result<(), String> {
        let roots = held(&run.memory, begun.roots.0);
        let root = |i: usize| roots.get(&(i as u64 * 8)).copied();
        let mut pending: Vec<(Type, Value, HeapValue, String)> = Vec::new();
        for (i, (ty, at)) in begun.objects.iter().enumerate() {
            if let Some(value) = root(i) {
                pending.push((ty.clone(), Value::Location(*at), value, format!("{ty}#{at}")));
            }
        }
        let procedure = self.program.procedures.values();
        let named = |p: &&Procedure| {
            self.lowered.map.procedures.get(&p.name).is_some_and(|s| s.id == self.shape.id)
        };
        let locals = procedure.clone().find(named).map_or(&[][..], |p| &p.locals);
        for (local, place, _) in &self.shape.results {
            let found = match place {
                None => root(begun.objects.len()),
                Some(id) => held(&run.memory, id.0).get(&0).copied(),
            };
            let declared = locals.get(local.0 as usize);
            if let (Some(declared), Some(value), Some(found)) =
                (declared, after.value(*local), found)
            {
                let name = declared.name.to_string();
                pending.push((declared.ty.clone(), value.clone(), found, name));
            }
        }
        for (name, (id, _)) in &self.lowered.map.globals {
            let found = held(&run.memory, id.0).get(&0).copied();
            if let (Some(value), Some(found), Some(ty)) =
                (after.global(name), found, self.program.globals.get(name))
            {
                pending.push((ty.clone(), value.clone(), found, name.to_string()));
            }
        }
        let mut pairs: BTreeMap<(Type, u32), u32> = BTreeMap::new();
        let mut taken: BTreeSet<u32> = BTreeSet::new();
        while let Some((ty, value, found, path)) = pending.pop() {
            let at = match &value {
                Value::Location(at @ 1..) => *at,
                value => {
                    let same = match (value, found) {
                        (Value::Int(n), HeapValue::Int(m)) => *n == m,
                        (Value::Bool(b), HeapValue::Int(m)) => i128::from(*b) == m,
                        (Value::Byte(b), HeapValue::Int(m)) => i128::from(*b) == m,
                        (Value::Opaque(n), HeapValue::Int(m)) => i128::from(*n) == m,
                        (Value::Location(0) | Value::NoCell, HeapValue::Int(m)) => m == 0,
                        (Value::Cell(..), _) => true,
                        _ => false,
                    };
                    if !same {
                        return Err(format!("{path} is {value:?} for rac, {found:?} for heap"));
                    }
                    continue;
                }
            };
            // What is not owned in the end is anywhere.
            if !after.owned_locations().contains(&(ty.clone(), value.clone())) {
                continue;
            }
            let HeapValue::Ptr(pointer) = found else {
                return Err(format!("{path} is {value:?} for rac, {found:?} for heap"));
            };
            let live = run.memory.object(pointer.object).is_some_and(|o| o.life == Life::Live);
            if pointer.offset != 0 || !live {
                return Err(format!("{path} is owned for rac, and no object for heap"));
            }
            match pairs.insert((ty.clone(), at), pointer.object) {
                Some(before) if before == pointer.object => continue,
                Some(_) => return Err(format!("{path} is two objects for heap")),
                None if !taken.insert(pointer.object) => {
                    return Err(format!("{path} is two objects for rac"));
                }
                None => {}
            }
            self.contents(&ty, at, pointer.object, &path, run, after, &mut pending)?;
        }
        // Nothing is left over, and nothing is missing.
        let is_object = |ty: &Type| matches!(ty, Type::Struct(_) | Type::Array(_));
        let owned = after.owned_locations().iter().filter(|(ty, _)| is_object(ty)).count();
        let there = run.memory.objects().iter();
        let there = there.filter(|o| o.life == Life::Live && o.record.is_some()).count();
        if owned != there {
            return Err(format!("rac owns {owned} objects, heap has {there}"));
        }
        Ok(())
    }

    #[allow(clippy::too_many_arguments)]
    fn contents(
        &self,
        ty: &Type,
        at: u32,
        object: u32,
        path: &str,
        run: &Run,
        after: &Snapshot<'_>,
        pending: &mut Vec<(Type, Value, HeapValue, String)>,
    ) -> Result<(), String> {
        let values = held(&run.memory, object);
        let layouts = &self.lowered.map.layouts;
        match ty {
            Type::Struct(owner) => {
                for (name, place) in
                    layouts.fields().filter(|(n, _)| layouts.owner(n) == Some(owner))
                {
                    let declared = self.program.fields.get(name);
                    if let (Some(value), Some(found), Some(field)) =
                        (after.field(name, at), values.get(&place.offset), declared)
                    {
                        let path = format!("{path}.{name}");
                        pending.push((field.ty.clone(), value.clone(), *found, path));
                    }
                }
            }
            Type::Array(of) => {
                let length = after.length(of, at);
                let found = values.get(&0).copied();
                if let (Some(length), Some(HeapValue::Int(n))) = (length, found)
                    && length != n
                {
                    return Err(format!("{path} has {length} elements for rac, {n} for heap"));
                }
                let Some(HeapValue::Ptr(cells)) = values.get(&8).copied() else { return Ok(()) };
                let bytes =
                    layouts.scalar(of).map_or(8, |ty: Scalar| ty.bytes(heap::DataModel::Lp64));
                let elements = held(&run.memory, cells.object);
                for index in 0..length.unwrap_or(0) {
                    let found = elements.get(&(index as u64 * bytes)).copied();
                    if let (Some(value), Some(found)) = (after.element(of, at, index), found) {
                        let path = format!("{path}[{index}]");
                        pending.push(((**of).clone(), value.clone(), found, path));
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// What an object holds, by offset.
fn held(memory: &Memory, object: u32) -> BTreeMap<u64, HeapValue> {
    let object = memory.object(object);
    object.map(|o| o.values().map(|(at, _, value)| (at, value)).collect()).unwrap_or_default()
}
