//! From syntax trees to heap programs: names, types, and the order of evaluation.
//!
//! - [`types`], [`attributes`]: types and records; [`decl`], [`arguments`]: declarations; [`init`]: initialisers.
//! - [`expr`], [`place`], [`arith`], [`condition`], [`assign`], [`call`], [`library`], [`variadic`]: expressions.
//!   What reads or writes memory, calls or has an effect becomes commands in the order of evaluation; what
//!   is left is a pure expression.
//! - [`stmt`]: statements, jumps, and the lives of local objects; [`build`]: locations and variables.

mod arguments;
mod arith;
mod assign;
mod attributes;
mod build;
mod call;
mod condition;
mod contracts;
mod decl;
mod expr;
mod init;
mod library;
mod place;
mod stmt;
mod types;
mod variadic;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use heap::{Callee, Command, Expr, Global, GlobalId, Out, Proc, ProcId, Program, Type};
use lang_c::ast;
use lang_c::span::{Node, Span as CSpan};
use report::{Diagnostic, Pos};

use self::build::Function;
use crate::ctype::{CType, FuncType, Layout, RecordInfo};
use crate::pp::Preprocessed;
use crate::{Options, headers};

/// What could not be translated: an error was reported.
#[derive(Debug)]
pub(crate) struct Failed;

pub(crate) type Lowered<T> = Result<T, Failed>;

/// How deep brackets may be nested: parser and translation are recursive.
const MAX_NESTING: usize = 250;
const MAX_TYPEOFS: usize = 10;

/// Translates a text without directives.
pub(crate) fn translate(
    mut text: Preprocessed,
    options: Options,
) -> (Option<Program>, Vec<Diagnostic>) {
    let without_type = text.add_implicit_int();
    text.take_attributes();
    let text = &text;
    if let Some((offset, message)) = too_deep(&text.text) {
        let pos = text.span(offset, offset + 1);
        return (None, vec![Diagnostic::error("c.unsupported", pos, message)]);
    }
    let unit = match parse(text.text.clone()) {
        Ok(unit) => unit,
        Err(error) => {
            let pos = text.span(error.offset, error.offset + 1);
            return (None, vec![syntax_error(&text.text, &error, pos)]);
        }
    };
    let mut lowering = Lowering::new(Some(text), options);
    let message = "there is no type here: `int` is assumed";
    let warnings =
        without_type.into_iter().map(|pos| Diagnostic::warning("c.warning", pos, message));
    lowering.diagnostics.extend(warnings);
    lowering.defined = unit.0.iter().filter_map(|d| defined_name(&d.node)).collect();
    lowering.unit(&unit);
    lowering.link();
    lowering.finish()
}

/// The name of the function that is defined here.
fn defined_name(declaration: &ast::ExternalDeclaration) -> Option<String> {
    let ast::ExternalDeclaration::FunctionDefinition(function) = declaration else { return None };
    decl::declared_name(&function.node.declarator.node).map(str::to_owned)
}

fn parse(text: String) -> Result<ast::TranslationUnit, lang_c::driver::SyntaxError> {
    lang_c::driver::parse_preprocessed(&lang_c::driver::Config::with_gcc(), text)
        .map(|parsed| parsed.unit)
}

/// Where brackets are nested too deeply: any, or those of `typeof`, for which the parser takes twice the time at
/// every level.
fn too_deep(text: &str) -> Option<(usize, String)> {
    // Which of the open brackets are those of `typeof`?
    let mut open: Vec<bool> = Vec::new();
    let mut typeofs = 0;
    let mut quote = None;
    let mut escaped = false;
    for (at, c) in text.bytes().enumerate() {
        if let Some(end) = quote {
            match c {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                _ if c == end => quote = None,
                _ => {}
            }
            continue;
        }
        match c {
            b'"' | b'\'' => quote = Some(c),
            b'(' | b'[' | b'{' => {
                let before = text.get(..at).unwrap_or_default().trim_end();
                let of_typeof = before.trim_end_matches('_').ends_with("typeof");
                typeofs += usize::from(of_typeof);
                open.push(of_typeof);
            }
            b')' | b']' | b'}' => typeofs -= usize::from(open.pop().unwrap_or(false)),
            _ => {}
        }
        if open.len() > MAX_NESTING {
            return Some((at, format!("brackets are nested more than {MAX_NESTING} deep")));
        }
        if typeofs > MAX_TYPEOFS {
            return Some((at, format!("`typeof` is nested more than {MAX_TYPEOFS} deep")));
        }
    }
    None
}

/// Extensions that the parser does not know, by what is around the place where it gives up.
fn unknown_extension(before: &str, rest: &str) -> Option<&'static str> {
    let before = before.trim_end();
    Some(match () {
        () if rest.starts_with("_Alignas") => "`_Alignas` in a record",
        () if before.ends_with("__int128") => "`__int128`",
        () if before.ends_with("goto") && rest.starts_with('*') => "a computed `goto`",
        () if before.ends_with(['=', '{', ',', '(', '&']) && rest.starts_with('&') => {
            "the address of a label"
        }
        () if before.ends_with(')') && rest.starts_with('{') => "a function inside of a function",
        () => return None,
    })
}

fn syntax_error(text: &str, error: &lang_c::driver::SyntaxError, pos: Pos) -> Diagnostic {
    let rest = text.get(error.offset..).unwrap_or_default();
    let before = text.get(..error.offset).unwrap_or_default();
    if let Some(what) = unknown_extension(before, rest) {
        return Diagnostic::error("c.unsupported", pos, format!("{what} is not supported"));
    }
    let word: String = rest
        .chars()
        .scan(true, |go, c| {
            let word = c.is_alphanumeric() || c == '_';
            let keep = *go;
            *go = *go && word;
            keep.then_some((c, word))
        })
        .enumerate()
        .take_while(|(i, (_, word))| *i == 0 || *word)
        .map(|(_, (c, _))| c)
        .collect();
    let found = match word.trim() {
        "" if rest.trim().is_empty() => "the end of the file".to_owned(),
        "" => "a line".to_owned(),
        word => format!("`{word}`"),
    };
    let mut expected: Vec<&str> = error
        .expected
        .iter()
        .copied()
        .filter(|e| e.len() <= 2 && !e.chars().any(char::is_alphanumeric) && !e.trim().is_empty())
        .collect();
    expected.sort_unstable();
    let mut message = format!("did not expect {found} here");
    if !expected.is_empty() && expected.len() <= 4 {
        let list: Vec<String> = expected.iter().map(|e| format!("`{e}`")).collect();
        message.push_str(&format!("; expected {}", list.join(" or ")));
    }
    Diagnostic::error("c.syntax", pos, message)
}

/// What an ordinary name stands for.
#[derive(Clone, Debug)]
enum Symbol {
    Typedef(CType),
    Constant(i128, heap::IntType),
    Global(GlobalId, CType),
    /// A function; its procedure is made when it is first used.
    Function(Rc<FuncType>),
    Var(heap::VarId, CType),
    Object(heap::ObjectId, CType),
    /// Its declaration was wrong, which was said there.
    Failed,
}

/// What a tag stands for.
#[derive(Clone, Debug)]
enum Tag {
    Record(heap::RecordId),
    Enum(heap::IntType),
}

#[derive(Default)]
struct Scope {
    names: HashMap<String, Symbol>,
    tags: HashMap<String, Tag>,
}

/// The whole translation.
struct Lowering<'a> {
    /// The text that is translated; the library has none.
    text: Option<&'a Preprocessed>,
    program: Program,
    records: Vec<RecordInfo>,
    scopes: Vec<Scope>,
    /// The function that is being translated.
    function: Option<Function>,
    diagnostics: Vec<Diagnostic>,
    /// Errors in the bodies of functions.
    of_functions: BTreeMap<ProcId, Vec<Diagnostic>>,
    /// Objects that were declared but not defined.
    undefined: HashSet<GlobalId>,
    strings: HashMap<Vec<u8>, GlobalId>,
    /// Functions that were called without a declaration or without a body, where first.
    bodiless: BTreeMap<ProcId, Pos>,
    unnamed: u32,
    /// Procedures by name.
    procs: HashMap<String, ProcId>,
    /// Functions that the program defines somewhere.
    defined: HashSet<String>,
    /// Types of expressions that were translated only for their type, by where they are.
    types: HashMap<(usize, usize, usize), Option<CType>>,
    /// Must expressions be constant?
    constant: bool,
    /// Is an expression translated only for its type?
    unevaluated: bool,
    /// Names of functions of the library that are to be translated, while it is.
    wanted: Option<HashSet<String>>,
}

impl<'a> Lowering<'a> {
    fn new(text: Option<&'a Preprocessed>, options: Options) -> Lowering<'a> {
        let program = Program { model: options.model, ..Program::default() };
        Lowering {
            text,
            program,
            records: Vec::new(),
            scopes: vec![Scope::default()],
            function: None,
            diagnostics: Vec::new(),
            of_functions: BTreeMap::new(),
            undefined: HashSet::new(),
            strings: HashMap::new(),
            bodiless: BTreeMap::new(),
            unnamed: 0,
            procs: HashMap::new(),
            defined: HashSet::new(),
            types: HashMap::new(),
            constant: false,
            unevaluated: false,
            wanted: None,
        }
    }

    fn pos(&self, span: CSpan) -> Pos {
        match self.text {
            Some(text) if !span.is_none() => text.span(span.start, span.end),
            _ => Pos::None,
        }
    }

    /// Reports an error; in a function it belongs to that.
    fn error<T>(
        &mut self,
        id: &'static str,
        span: CSpan,
        message: impl Into<String>,
    ) -> Lowered<T> {
        let error = Diagnostic::error(id, self.pos(span), message);
        match &self.function {
            Some(function) => self.of_functions.entry(function.id).or_default().push(error),
            None => self.diagnostics.push(error),
        }
        Err(Failed)
    }

    /// How many errors there are, to come back to.
    fn error_mark(&self) -> (usize, usize) {
        let of_function = self.function.as_ref().and_then(|f| self.of_functions.get(&f.id));
        (self.diagnostics.len(), of_function.map_or(0, Vec::len))
    }

    fn forget_errors(&mut self, mark: (usize, usize)) {
        self.diagnostics.truncate(mark.0);
        if let Some(function) = &self.function
            && let Some(errors) = self.of_functions.get_mut(&function.id)
        {
            errors.truncate(mark.1);
        }
    }

    fn unsupported<T>(&mut self, span: CSpan, what: &str) -> Lowered<T> {
        self.error("c.unsupported", span, format!("{what} is not supported"))
    }

    fn wrong<T>(&mut self, span: CSpan, message: impl Into<String>) -> Lowered<T> {
        self.error("c.type", span, message)
    }

    fn warn(&mut self, span: CSpan, message: impl Into<String>) {
        let warning = Diagnostic::warning("c.warning", self.pos(span), message);
        self.diagnostics.push(warning);
    }

    fn layout(&self) -> Layout<'_> {
        Layout { records: &self.records, model: self.program.model }
    }

    fn show(&self, ty: &CType) -> String {
        ty.show(&self.records)
    }

    fn size_of(&mut self, ty: &CType, span: CSpan) -> Lowered<u64> {
        match self.layout().size(ty) {
            Some(size) => Ok(size),
            None => {
                let shown = self.show(ty);
                self.wrong(span, format!("the size of `{shown}` is not known here"))
            }
        }
    }

    fn find(&self, name: &str) -> Option<&Symbol> {
        self.scopes.iter().rev().find_map(|scope| scope.names.get(name))
    }

    fn bind(&mut self, name: &str, symbol: Symbol) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.names.insert(name.to_owned(), symbol);
        }
    }

    /// The type of a part of an object, for heap programs.
    fn heap_type(&self, ty: &CType) -> Type {
        match ty {
            CType::Record(id) => Type::Record(*id),
            CType::Array(element, count) => {
                Type::Array(Box::new(self.heap_type(element)), count.unwrap_or(0))
            }
            CType::VaList => Type::Array(Box::new(Type::Scalar(CType::int().scalar())), 6),
            scalar => Type::Scalar(scalar.scalar()),
        }
    }

    fn unit(&mut self, unit: &ast::TranslationUnit) {
        let mut contracts = contracts::Contracts::new(self.text, self.wanted.is_some());
        for Node { node, span } in &unit.0 {
            let result = match node {
                ast::ExternalDeclaration::Declaration(declaration) => {
                    self.declaration(&declaration.node, *span)
                }
                ast::ExternalDeclaration::StaticAssert(assertion) => {
                    self.static_assert(&assertion.node)
                }
                ast::ExternalDeclaration::FunctionDefinition(function) => {
                    self.function_definition(&function.node, *span)
                }
            };
            // The error was reported.
            let _ = result;
            let function = defined_name(node).and_then(|name| self.procs.get(&name).copied());
            let of = function.and_then(|id| self.program.procs.get_mut(id.index()));
            contracts.before(self.text.map(|text| text.span(span.start, span.end)), of);
        }
        contracts.finish();
        self.program.definitions.extend(contracts.definitions);
        self.diagnostics.extend(contracts.warnings);
    }

    /// Translates what is called and is in the library.
    fn link(&mut self) {
        loop {
            let wanted: HashSet<String> = self
                .program
                .procs
                .iter()
                .filter(|proc| proc.body.is_none() && headers::defines(&proc.name))
                .map(|proc| proc.name.clone())
                .collect();
            let unused: bool = wanted.iter().all(|name| !self.is_called(name));
            if wanted.is_empty() || unused {
                return;
            }
            let Ok(unit) = parse(headers::LIBRARY.to_owned()) else { return };
            let text = self.text.take();
            let scopes = std::mem::replace(&mut self.scopes, vec![Scope::default()]);
            let before = wanted.len();
            self.wanted = Some(wanted);
            self.types.clear();
            self.unit(&unit);
            self.types.clear();
            self.wanted = None;
            self.text = text;
            self.scopes = scopes;
            let left = self.program.procs.iter();
            if left.filter(|p| p.body.is_none() && headers::defines(&p.name)).count() >= before {
                return;
            }
        }
    }

    fn is_called(&self, name: &str) -> bool {
        self.bodiless.keys().any(|id| self.program.proc(*id).name == name)
    }

    /// Global objects that some command is about.
    fn mentioned_globals(&self) -> HashSet<GlobalId> {
        let mut found = HashSet::new();
        let mut visit = |e: &Expr| {
            e.for_each(&mut |e| {
                if let Expr::Global(id) = e {
                    found.insert(*id);
                }
            });
        };
        for body in self.program.procs.iter().filter_map(|proc| proc.body.as_ref()) {
            for location in &body.locations {
                match &location.out {
                    Out::Do(command, _) => command.for_each_expr(&mut visit),
                    Out::Branch(cond, ..) => visit(cond),
                    Out::Choose(_) | Out::Return => {}
                }
            }
        }
        found
    }

    /// The procedures that are reached from one.
    fn reached(&self, entry: ProcId) -> HashSet<ProcId> {
        let mut seen = HashSet::new();
        let mut pending = vec![entry];
        // Whatever is in an initialiser may be called.
        for global in &self.program.globals {
            for (_, _, value) in &global.init {
                value.for_each(&mut |e| {
                    if let Expr::Proc(id) = e {
                        pending.push(*id);
                    }
                });
            }
        }
        while let Some(id) = pending.pop() {
            if !seen.insert(id) {
                continue;
            }
            let Some(body) = self.program.procs.get(id.index()).and_then(|p| p.body.as_ref())
            else {
                continue;
            };
            for location in &body.locations {
                let mut visit = |e: &Expr| {
                    e.for_each(&mut |e| {
                        if let Expr::Proc(id) = e {
                            pending.push(*id);
                        }
                    });
                };
                match &location.out {
                    Out::Do(command, _) => {
                        command.for_each_expr(&mut visit);
                        if let Command::Call { callee: Callee::Proc(id), .. } = command {
                            pending.push(*id);
                        }
                    }
                    Out::Branch(cond, ..) => visit(cond),
                    Out::Choose(_) | Out::Return => {}
                }
            }
        }
        seen
    }

    fn finish(mut self) -> (Option<Program>, Vec<Diagnostic>) {
        self.program.entry = self.procs.get("main").copied().filter(|id| {
            self.program.proc(*id).body.is_some() || self.of_functions.contains_key(id)
        });
        let reached = self.program.entry.map(|entry| self.reached(entry));
        let is_reached = |id: &ProcId| reached.as_ref().is_none_or(|set| set.contains(id));
        for (id, errors) in std::mem::take(&mut self.of_functions) {
            if is_reached(&id) {
                self.diagnostics.extend(errors);
                continue;
            }
            // Nobody calls it: what it does does not matter.
            self.program.procs[id.index()].body = None;
            for mut warning in errors {
                warning.severity = report::Severity::Warning;
                warning.message.push_str(" (in a function that is never called)");
                self.diagnostics.push(warning);
            }
        }
        for (id, pos) in std::mem::take(&mut self.bodiless) {
            let proc = self.program.proc(id);
            let quiet = library::is_input(&proc.name);
            if proc.body.is_none() && !quiet {
                let message = format!(
                    "`{}` has no body: its result is any value, and it changes nothing",
                    proc.name
                );
                self.diagnostics.push(Diagnostic::warning("c.no-body", pos, message));
            }
        }
        let mentioned = self.mentioned_globals();
        for id in &self.undefined {
            self.program.globals[id.index()].zeroed = false;
            if !mentioned.contains(id) {
                continue;
            }
            let global = &self.program.globals[id.index()];
            let message =
                format!("`{}` is declared, but not defined: it holds any value", global.name);
            self.diagnostics.push(Diagnostic::warning("c.undefined", global.pos, message));
        }
        self.diagnostics.sort_by_key(|d| match d.pos {
            Pos::Source(span) => (span.file.0, span.start),
            _ => (u32::MAX, 0),
        });
        self.diagnostics.dedup();
        let ok = !self.diagnostics.iter().any(Diagnostic::is_error);
        (ok.then_some(self.program), self.diagnostics)
    }

    /// The procedure of a name, declared if it is not known yet.
    fn procedure(&mut self, name: &str, ty: &FuncType, pos: Pos) -> ProcId {
        if let Some(id) = self.procs.get(name) {
            return *id;
        }
        let mut vars = Vec::new();
        if !ty.result.is_scalar() && ty.result != CType::Void {
            vars.push(build::hidden_result());
        }
        for (i, param) in ty.params.iter().enumerate() {
            let name = format!("p{i}");
            vars.push(heap::Var { name, ty: param.scalar(), temporary: false });
        }
        if ty.variadic && self.defined.contains(name) {
            vars.push(build::hidden_rest());
        }
        let params = vars.len() as u32;
        let result = ty.result.is_scalar().then(|| {
            vars.push(heap::Var { name: "result".into(), ty: ty.result.scalar(), temporary: true });
            heap::VarId(params)
        });
        let objects = Vec::new();
        self.program.procs.push(Proc {
            name: name.into(),
            vars,
            params,
            result,
            objects,
            requires: Vec::new(),
            ensures: Vec::new(),
            body: None,
            pos,
        });
        let id = ProcId((self.program.procs.len() - 1) as u32);
        self.procs.insert(name.into(), id);
        id
    }

    /// A global object that no user declared.
    fn constant(&mut self, bytes: &[u8]) -> GlobalId {
        if let Some(id) = self.strings.get(bytes) {
            return *id;
        }
        let byte = heap::Scalar::Int(crate::ctype::CHAR);
        let init = bytes
            .iter()
            .enumerate()
            .filter(|(_, b)| **b != 0)
            .map(|(i, b)| (i as u64, byte, Expr::Int(i128::from(*b as i8))))
            .collect();
        let ty = Type::Array(Box::new(Type::Scalar(byte)), bytes.len() as u64 + 1);
        let name = format!("$string{}", self.strings.len());
        let id = GlobalId(self.program.globals.len() as u32);
        let (constant, zeroed, pos) = (true, true, Pos::None);
        self.program.globals.push(Global { name, ty, init, constant, zeroed, pos });
        self.strings.insert(bytes.to_vec(), id);
        id
    }
}
