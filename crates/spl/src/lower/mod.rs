//! Programs of `core` as programs of `heap`: records, commands on the edges of control-flow graphs, contracts as formulas.
//!
//! * `types`: structs and arrays as records. An array is a header with its length and a pointer to its cells, which are
//!   an object of their own, so that a cell is an ordinary place and bounds are those of an object.
//! * `ghost`: what is erased. Ghost parameters, variables and fields, values that heap programs do not have (sets, maps,
//!   datatypes), lemmas that do nothing, proofs of assertions. What is erased must not influence what is left.
//! * `expr`, `stmt`, `build`: expressions in the order of evaluation, statements, locations.
//! * `contract`: clauses with what they say in the notation of `lancehead sl`, as far as that can be said there.
//!
//! What has no counterpart becomes [`heap::Command::Unsupported`] where it is, with an error that says so: everything
//! else can still be analysed, and nothing is known of what comes after it.
//!
//! Two things are stricter than in SPL, where conditions are not checked for what they read: in a heap program every
//! read is a load, in the order of evaluation, with short-circuit evaluation of `&&`, `||` and `==>`.

mod build;
mod contract;
mod expr;
mod ghost;
mod stmt;
mod types;

use std::collections::{BTreeMap, BTreeSet};

use heap::{Command, GlobalId, ProcId, Scalar};
use report::{Diagnostic, Pos, SourceMap, Span};

use crate::core::{Function, Ghost, Local, LocalId, Name, Param, Predicate, Procedure, Program};
use build::Builder;
use ghost::Erasure;
use types::Layouts;

pub use ghost::Refusal;
pub use types::Place;

/// What became of a program.
#[derive(Debug)]
pub struct Lowered {
    /// The heap program. It has no entry.
    pub program: heap::Program,
    /// What it has no commands for, where that is.
    pub diagnostics: Vec<Diagnostic>,
    /// What is where.
    pub map: Map,
}

/// Where the parts of a program are in its heap program.
#[derive(Clone, Debug, Default)]
pub struct Map {
    /// Records, fields, types of values.
    pub layouts: Layouts,
    /// Global variables that are not ghost.
    pub globals: BTreeMap<Name, (GlobalId, Scalar)>,
    /// Procedures that are not erased.
    pub procedures: BTreeMap<Name, Shape>,
}

/// How a procedure is called.
#[derive(Clone, Debug)]
pub struct Shape {
    /// In the heap program.
    pub id: ProcId,
    /// Parameters that are left.
    pub params: Vec<LocalId>,
    /// Results that are left: the first is the result, the others are in global objects when it returns.
    pub results: Vec<(LocalId, Option<GlobalId>, Scalar)>,
    /// Variables that are left.
    pub vars: BTreeMap<LocalId, heap::VarId>,
}

/// Makes a heap program of a checked program.
#[must_use]
pub fn lower(program: &Program, sources: &SourceMap) -> Lowered {
    let layouts = Layouts::new(program);
    let erasure = Erasure::new(program, &layouts);
    let mut lowering = Lowering {
        program,
        sources,
        erasure,
        diagnostics: Vec::new(),
        out: heap::Program::default(),
        map: Map { layouts, ..Map::default() },
        pure: BTreeMap::new(),
        pending: Vec::new(),
        names: BTreeSet::new(),
        definitions: contract::Definitions::default(),
    };
    lowering.out.records = lowering.map.layouts.records.clone();
    lowering.declare();
    lowering.define();
    for procedure in program.procedures.values() {
        lowering.procedure(procedure);
    }
    // Functions that code calls, which may call others.
    while let Some(pure) = lowering.pending.pop() {
        lowering.pure_body(pure);
    }
    lowering.out.definitions = lowering.definitions.finish(program, &lowering.map.layouts);
    let Lowering { out, mut diagnostics, map, .. } = lowering;
    diagnostics.sort_by_key(|d| d.pos.span().map(|s| (s.file, s.start)));
    Lowered { program: out, diagnostics, map }
}

/// A function or a Boolean predicate that code calls.
#[derive(Clone, Copy, Debug)]
enum Pure<'p> {
    Function(&'p Function),
    Predicate(&'p Predicate),
}

struct Lowering<'p> {
    program: &'p Program,
    sources: &'p SourceMap,
    erasure: Erasure<'p>,
    diagnostics: Vec<Diagnostic>,
    out: heap::Program,
    map: Map,
    /// Functions and predicates that code calls.
    pure: BTreeMap<Name, ProcId>,
    pending: Vec<Pure<'p>>,
    /// Names of procedures and global objects.
    names: BTreeSet<String>,
    definitions: contract::Definitions,
}

impl<'p> Lowering<'p> {
    /// Headers of everything that can be called or assigned to.
    fn declare(&mut self) {
        let program = self.program;
        for (name, ty) in &program.globals {
            let ghost = program.ghost_globals.contains(name);
            let Some(scalar) = self.map.layouts.scalar(ty).filter(|_| !ghost) else { continue };
            let id = self.global(name, scalar, Pos::None);
            self.map.globals.insert(name.clone(), (id, scalar));
        }
        for (name, procedure) in &program.procedures {
            if self.erasure.erased(name) {
                continue;
            }
            let real = |param: &&Param| {
                !self.erasure.is_ghost(&procedure.locals, param.local, param.ghost)
            };
            let params = procedure.params.iter().filter(real).map(|p| p.local).collect();
            let results: Vec<LocalId> =
                procedure.returns.iter().filter(real).map(|p| p.local).collect();
            let id = self.header(name, procedure.span.into());
            let mut placed = Vec::new();
            for (i, local) in results.into_iter().enumerate() {
                let Some(declared) = procedure.locals.get(local.0 as usize) else { continue };
                let Some(scalar) = self.map.layouts.scalar(&declared.ty) else { continue };
                let place = (i > 0).then(|| {
                    let name = format!("{name}.{}", declared.name);
                    self.global(&name, scalar, procedure.span.into())
                });
                placed.push((local, place, scalar));
            }
            let shape = Shape { id, params, results: placed, vars: BTreeMap::new() };
            self.map.procedures.insert(name.clone(), shape);
        }
    }

    fn unique(&mut self, name: &str) -> String {
        let plain = types::plain(name);
        let mut unique = if heap::text::is_keyword(&plain) { format!("{plain}.1") } else { plain };
        while !self.names.insert(unique.clone()) {
            unique.push_str(".1");
        }
        unique
    }

    fn global(&mut self, name: &str, scalar: Scalar, pos: Pos) -> GlobalId {
        let name = self.unique(name);
        self.out.globals.push(heap::Global {
            name,
            ty: heap::Type::Scalar(scalar),
            init: Vec::new(),
            constant: false,
            zeroed: false,
            pos,
        });
        GlobalId((self.out.globals.len() - 1) as u32)
    }

    /// A procedure of which nothing is known yet.
    fn header(&mut self, name: &str, pos: Pos) -> ProcId {
        let name = self.unique(name);
        self.out.procs.push(heap::Proc {
            name,
            vars: Vec::new(),
            params: 0,
            result: None,
            objects: Vec::new(),
            requires: Vec::new(),
            ensures: Vec::new(),
            body: None,
            pos,
        });
        ProcId((self.out.procs.len() - 1) as u32)
    }

    fn procedure(&mut self, procedure: &'p Procedure) {
        let Some(shape) = self.map.procedures.get(&procedure.name).cloned() else { return };
        let ghosts = procedure.params.iter().chain(&procedure.returns);
        let ghosts: BTreeMap<LocalId, Ghost> = ghosts.map(|p| (p.local, p.ghost)).collect();
        let mut body =
            Body::new(self, &procedure.locals, ghosts, &shape.params, Some(&procedure.name));
        match &procedure.body {
            Some(stmt) => {
                body.statement(stmt);
                let end = Span { start: stmt.span.end.saturating_sub(1), ..stmt.span };
                body.fall_off(end);
            }
            None => {
                let what = format!(
                    "the procedure `{}` has no body: its contract says what it does",
                    procedure.name
                );
                body.made.emit(Command::Unsupported(what), procedure.span.into());
                body.fall_off(procedure.span);
            }
        }
        // What is returned by global objects is stored in one place.
        let exit = body.made.exit();
        body.made.go_on_at(exit);
        for (local, place, ty) in shape.results.iter().skip(1) {
            if let (Some(place), Some(var)) = (place, body.var(*local)) {
                let (at, value) = (heap::Expr::Global(*place), heap::Expr::Var(var));
                body.made.emit(Command::Store { at, value, ty: *ty }, procedure.span.into());
            }
        }
        let result = shape.results.first().and_then(|(local, ..)| body.var(*local));
        let numbers = std::mem::take(&mut body.vars);
        let (vars, finished) = body.made.finish();
        let names = numbers.clone().into_iter();
        let names = names.filter_map(|(l, var)| Some((l, vars.get(var.index())?.name.clone())));
        let contract = self.contract(procedure, &names.collect());
        if let Some(shape) = self.map.procedures.get_mut(&procedure.name) {
            shape.vars = numbers;
        }
        if let Some(proc) = self.out.procs.get_mut(shape.id.index()) {
            proc.params = shape.params.len() as u32;
            (proc.vars, proc.result, proc.body) = (vars, result, Some(finished));
            (proc.requires, proc.ensures) = contract;
        }
    }

    /// The procedure that computes a function or a Boolean predicate.
    fn pure_procedure(&mut self, pure: Pure<'p>) -> ProcId {
        let (name, span) = match pure {
            Pure::Function(f) => (&f.name, f.span),
            Pure::Predicate(p) => (&p.name, p.span),
        };
        if let Some(id) = self.pure.get(name) {
            return *id;
        }
        let id = self.header(name, span.into());
        self.pure.insert(name.clone(), id);
        self.pending.push(pure);
        id
    }

    fn pure_body(&mut self, pure: Pure<'p>) {
        let (name, locals, params, body, span) = match pure {
            Pure::Function(f) => (&f.name, &f.locals, &f.params, &f.body, f.span),
            Pure::Predicate(p) => (&p.name, &p.locals, &p.params, &p.body, p.span),
        };
        let Some(id) = self.pure.get(name).copied() else { return };
        let ghosts = params.iter().map(|p| (p.local, p.ghost)).collect();
        let real: Vec<LocalId> = self.real_params(locals, params);
        let mut made = Body::new(self, locals, ghosts, &real, None);
        let result = match body {
            Some(e) => made.pure_result(e),
            None => None,
        };
        made.fall_off(span);
        let exit = made.made.exit();
        made.made.go_on_at(exit);
        let (vars, finished) = made.made.finish();
        if let Some(proc) = self.out.procs.get_mut(id.index()) {
            proc.params = real.len() as u32;
            (proc.vars, proc.result, proc.body) = (vars, result, Some(finished));
        }
    }

    /// Parameters that are left.
    fn real_params(&self, locals: &[Local], params: &[Param]) -> Vec<LocalId> {
        let real = |p: &&Param| !self.erasure.is_ghost(locals, p.local, p.ghost);
        params.iter().filter(real).map(|p| p.local).collect()
    }

    fn text(&self, span: Span) -> String {
        self.sources.text(span).unwrap_or("?").to_owned()
    }
}

/// A body that is being made.
struct Body<'l, 'p> {
    lowering: &'l mut Lowering<'p>,
    made: Builder,
    locals: &'p [Local],
    ghosts: BTreeMap<LocalId, Ghost>,
    vars: BTreeMap<LocalId, heap::VarId>,
    /// Results of the calls and allocations in the expression at hand, by their places in the tree.
    results: BTreeMap<usize, heap::Expr>,
    /// Are divisors checked? Not in conditions, as in SPL.
    checked: bool,
    /// The procedure, if it is one.
    owner: Option<&'p Name>,
}

impl<'l, 'p> Body<'l, 'p> {
    fn new(
        lowering: &'l mut Lowering<'p>,
        locals: &'p [Local],
        ghosts: BTreeMap<LocalId, Ghost>,
        params: &[LocalId],
        owner: Option<&'p Name>,
    ) -> Body<'l, 'p> {
        let mut body = Body {
            lowering,
            made: Builder::new(),
            locals,
            ghosts,
            vars: BTreeMap::new(),
            results: BTreeMap::new(),
            checked: true,
            owner,
        };
        for param in params {
            body.var(*param);
        }
        body
    }

    /// The variable of a local; none of one that is erased.
    fn var(&mut self, local: LocalId) -> Option<heap::VarId> {
        if let Some(var) = self.vars.get(&local) {
            return Some(*var);
        }
        if self.is_ghost(local) {
            return None;
        }
        let declared = self.locals.get(local.0 as usize)?;
        let scalar = self.lowering.map.layouts.scalar(&declared.ty)?;
        let var = self.made.variable(&declared.name, scalar);
        self.vars.insert(local, var);
        Some(var)
    }

    fn is_ghost(&self, local: LocalId) -> bool {
        let ghost = self.ghosts.get(&local).copied().unwrap_or(Ghost::No);
        self.lowering.erasure.is_ghost(self.locals, local, ghost)
    }

    /// Nothing is known after this, and the user hears why.
    fn refuse(&mut self, refusal: Refusal) {
        let Refusal { span, message, help } = refusal;
        self.made.emit(Command::Unsupported(message.clone()), span.into());
        let mut error = Diagnostic::error("heap.unsupported", span, message);
        error.member = self.owner.map(|name| name.to_string());
        self.lowering.diagnostics.push(match help {
            Some(help) => error.with_help(help),
            None => error,
        });
    }
}
