//! The parser.

use std::collections::HashMap;

use report::{FileId, Pos, Span};

use super::lexer::{Kind, Token, tokens};
use crate::program::{
    Body, Callee, Check, Clause, Command, Formula, Global, GlobalId, Language, LocId, Location,
    Meaning, Object, ObjectId, Out, Proc, ProcId, Program, Region, Var, VarId,
};
use crate::types::{DataModel, Field, Record, RecordId};

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The first byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// A sentence without its full stop.
    pub message: String,
}

pub(super) type Parsed<T> = Result<T, Problem>;

/// Parses a program. Positions are those in the given file.
///
/// # Errors
///
/// The first thing that is wrong.
pub fn parse(text: &str, file: FileId) -> Parsed<Program> {
    let mut parser = Parser {
        tokens: tokens(text),
        at: 0,
        file,
        program: Program::default(),
        records: HashMap::new(),
        globals: HashMap::new(),
        procs: HashMap::new(),
        vars: HashMap::new(),
        objects: HashMap::new(),
        result: None,
        depth: 0,
    };
    parser.declare();
    parser.run()?;
    Ok(parser.program)
}

pub(super) struct Parser<'t> {
    pub(super) tokens: Vec<Token<'t>>,
    pub(super) at: usize,
    file: FileId,
    program: Program,
    pub(super) records: HashMap<String, RecordId>,
    pub(super) globals: HashMap<String, GlobalId>,
    pub(super) procs: HashMap<String, ProcId>,
    /// Of the procedure that is being read.
    pub(super) vars: HashMap<String, VarId>,
    pub(super) objects: HashMap<String, ObjectId>,
    pub(super) result: Option<VarId>,
    pub(super) depth: u32,
}

impl<'t> Parser<'t> {
    pub(super) fn peek(&self) -> Kind<'t> {
        self.tokens.get(self.at).map_or(Kind::End, |token| token.kind)
    }

    pub(super) fn next(&mut self) -> Kind<'t> {
        let kind = self.peek();
        if kind != Kind::End {
            self.at += 1;
        }
        kind
    }

    pub(super) fn problem<T>(&self, message: impl Into<String>) -> Parsed<T> {
        let token = self.tokens.get(self.at).or(self.tokens.last());
        let (start, end) = token.map_or((0, 0), |token| (token.start, token.end));
        Err(Problem { start, end, message: message.into() })
    }

    pub(super) fn unexpected<T>(&self, what: &str) -> Parsed<T> {
        self.problem(format!("expected {what}"))
    }

    pub(super) fn is(&self, text: &str) -> bool {
        matches!(self.peek(), Kind::Punct(t) | Kind::Name(t) if t == text)
    }

    pub(super) fn take(&mut self, text: &str) -> bool {
        let found = self.is(text);
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, text: &str) -> Parsed<()> {
        if self.take(text) { Ok(()) } else { self.unexpected(&format!("`{text}`")) }
    }

    pub(super) fn name(&mut self) -> Parsed<&'t str> {
        match self.peek() {
            Kind::Name(name) => {
                self.at += 1;
                Ok(name)
            }
            _ => self.unexpected("a name"),
        }
    }

    pub(super) fn number(&mut self) -> Parsed<u64> {
        match self.peek() {
            Kind::Int(n) => match u64::try_from(n) {
                Ok(n) => {
                    self.at += 1;
                    Ok(n)
                }
                Err(_) => self.problem("this number is out of range"),
            },
            _ => self.unexpected("a number"),
        }
    }

    pub(super) fn pos(&self, from: usize) -> Pos {
        let start = self.tokens.get(from).map_or(0, |t| t.start) as u32;
        let last = self.tokens.get(self.at.saturating_sub(1));
        let end = last.map_or(start, |t| t.end as u32);
        Pos::Source(Span { file: self.file, start, end })
    }

    /// Finds the names of everything: what is used may be declared later.
    fn declare(&mut self) {
        let mut depth = 0u32;
        for (i, pair) in self.tokens.windows(2).enumerate() {
            match (pair[0].kind, pair[1].kind) {
                (Kind::Punct("{"), _) => depth += 1,
                (Kind::Punct("}"), _) => depth = depth.saturating_sub(1),
                // A declaration says the size; in a type there is none.
                (Kind::Name("record"), Kind::Name(name))
                    if depth == 0
                        && matches!(self.tokens.get(i + 2).map(|t| t.kind), Some(Kind::Int(_))) =>
                {
                    let id = RecordId(self.records.len() as u32);
                    self.records.entry(name.to_owned()).or_insert(id);
                }
                (Kind::Name("global" | "constant" | "external"), Kind::Name(name))
                    if depth == 0 =>
                {
                    let id = GlobalId(self.globals.len() as u32);
                    self.globals.entry(name.to_owned()).or_insert(id);
                }
                (Kind::Name("proc"), Kind::Name(name)) if depth == 0 => {
                    let id = ProcId(self.procs.len() as u32);
                    self.procs.entry(name.to_owned()).or_insert(id);
                }
                _ => {}
            }
        }
    }

    fn run(&mut self) -> Parsed<()> {
        loop {
            match self.peek() {
                Kind::End => return self.finish(),
                Kind::Name("model") => {
                    self.at += 1;
                    self.program.model = match self.name()? {
                        "lp64" => DataModel::Lp64,
                        "ilp32" => DataModel::Ilp32,
                        _ => return self.unexpected("`lp64` or `ilp32`"),
                    };
                }
                Kind::Name("record") => self.record()?,
                Kind::Name("global" | "constant" | "external") => self.global()?,
                Kind::Name("proc") => self.procedure()?,
                Kind::Name("define") => {
                    self.at += 1;
                    let definition = self.formula()?;
                    self.program.definitions.push(definition);
                }
                Kind::Name("entry") => {
                    self.at += 1;
                    self.program.entry = Some(self.proc_name()?);
                }
                _ => return self.unexpected("a declaration"),
            }
        }
    }

    fn finish(&self) -> Parsed<()> {
        let complete = self.program.records.len() == self.records.len()
            && self.program.globals.len() == self.globals.len()
            && self.program.procs.len() == self.procs.len();
        if complete { Ok(()) } else { self.problem("something is declared twice") }
    }

    pub(super) fn lookup<T: Copy>(
        &self,
        map: &HashMap<String, T>,
        name: &str,
        what: &str,
    ) -> Parsed<T> {
        match map.get(name) {
            Some(id) => Ok(*id),
            None => {
                let mut problem = self.problem::<T>(format!("there is no {what} `{name}`"));
                if let (Err(problem), Some(token)) =
                    (&mut problem, self.tokens.get(self.at.saturating_sub(1)))
                {
                    (problem.start, problem.end) = (token.start, token.end);
                }
                problem
            }
        }
    }

    pub(super) fn record_name(&mut self) -> Parsed<RecordId> {
        let name = self.name()?;
        self.lookup(&self.records, name, "record")
    }

    pub(super) fn proc_name(&mut self) -> Parsed<ProcId> {
        let name = self.name()?;
        self.lookup(&self.procs, name, "procedure")
    }

    pub(super) fn var(&mut self) -> Parsed<VarId> {
        let name = self.name()?;
        self.lookup(&self.vars, name, "variable")
    }

    fn record(&mut self) -> Parsed<()> {
        self.expect("record")?;
        let name = self.name()?.to_owned();
        let size = self.number()?;
        self.expect("{")?;
        let mut fields = Vec::new();
        while !self.take("}") {
            let name = self.name()?;
            let name = if name == "_" { String::new() } else { name.to_owned() };
            self.expect(":")?;
            let ty = self.type_()?;
            self.expect("at")?;
            fields.push(Field { name, ty, offset: self.number()? });
            if !self.is("}") {
                self.expect(";")?;
            }
        }
        self.program.records.push(Record { name, size, fields });
        Ok(())
    }

    fn global(&mut self) -> Parsed<()> {
        let from = self.at;
        let kind = self.name()?;
        let name = self.name()?.to_owned();
        self.expect(":")?;
        let ty = self.type_()?;
        let mut init = Vec::new();
        if self.take("{") {
            while !self.take("}") {
                let offset = self.number()?;
                self.expect(":")?;
                let ty = self.scalar()?;
                self.expect("=")?;
                init.push((offset, ty, self.expr()?));
                if !self.is("}") {
                    self.expect(";")?;
                }
            }
        }
        let (constant, zeroed) = (kind == "constant", kind != "external");
        let pos = self.pos(from);
        self.program.globals.push(Global { name, ty, init, constant, zeroed, pos });
        Ok(())
    }

    fn declared(&mut self, vars: &mut Vec<Var>) -> Parsed<()> {
        let temporary = self.take("temp");
        let name = self.name()?.to_owned();
        if self.vars.insert(name.clone(), VarId(vars.len() as u32)).is_some() {
            return self.problem(format!("the variable `{name}` is declared twice"));
        }
        self.expect(":")?;
        let ty = self.scalar()?;
        vars.push(Var { name, ty, temporary });
        Ok(())
    }

    fn procedure(&mut self) -> Parsed<()> {
        self.expect("proc")?;
        let from = self.at;
        let name = self.name()?.to_owned();
        self.vars.clear();
        self.objects.clear();
        let (mut vars, mut objects) = (Vec::new(), Vec::new());
        self.expect("(")?;
        while !self.take(")") {
            self.declared(&mut vars)?;
            if !self.is(")") {
                self.expect(",")?;
            }
        }
        let pos = self.pos(from);
        let params = vars.len() as u32;
        // The result may be declared below.
        let result = if self.take("->") { Some((self.at, self.name()?)) } else { None };
        let (mut requires, mut ensures) = (Vec::new(), Vec::new());
        loop {
            if self.take("requires") {
                requires.push(self.formula()?);
            } else if self.take("ensures") {
                ensures.push(self.formula()?);
            } else {
                break;
            }
        }
        self.expect("{")?;
        loop {
            if self.take("var") {
                self.declared(&mut vars)?;
            } else if self.take("object") {
                let name = self.name()?.to_owned();
                let id = ObjectId(objects.len() as u32);
                if self.objects.insert(name.clone(), id).is_some() {
                    return self.problem(format!("the object `{name}` is declared twice"));
                }
                self.expect(":")?;
                objects.push(Object { name, ty: self.type_()? });
            } else {
                break;
            }
            self.expect(";")?;
        }
        let result = match result {
            None => None,
            Some((at, name)) => match self.vars.get(name) {
                Some(var) => Some(*var),
                None => {
                    self.at = at;
                    return self.problem(format!("there is no variable `{name}`"));
                }
            },
        };
        self.result = result;
        let body = match self.peek() {
            Kind::Name("external") => {
                self.at += 1;
                None
            }
            Kind::Int(_) | Kind::Punct("}") => Some(self.body()?),
            _ => Some(self.structured_body()?),
        };
        self.expect("}")?;
        self.program.procs.push(Proc {
            name,
            vars,
            params,
            result,
            objects,
            requires,
            ensures,
            body,
            pos,
        });
        Ok(())
    }

    /// A formula between quotes; one of SPL with what it means.
    pub(super) fn formula(&mut self) -> Parsed<Formula> {
        if !self.take("spl") {
            let (text, pos) = self.string("a formula between quotes")?;
            return Ok(Formula::logic(text, pos));
        }
        let (pure, free) = (self.take("pure"), self.take("free"));
        let (text, pos) = self.string("a formula between quotes")?;
        let meaning = if self.take("means") {
            let (same, _) = self.string("a formula between quotes")?;
            match self.take("without") {
                true => Meaning::Weaker(same, self.string("a reason between quotes")?.0, pos),
                false => Meaning::Same(same),
            }
        } else if self.take("unknown") {
            Meaning::None(self.string("a reason between quotes")?.0, pos)
        } else {
            return self.unexpected("`means` or `unknown`");
        };
        Ok(Formula { text, language: Language::Spl(Clause { pure, free, meaning }), pos })
    }

    /// A text between quotes, and where it is without them.
    fn string(&mut self, what: &str) -> Parsed<(String, Pos)> {
        let Kind::String(written) = self.peek() else { return self.unexpected(what) };
        let token = self.tokens.get(self.at);
        let (start, end) = token.map_or((0, 0), |t| (t.start as u32 + 1, t.end as u32 - 1));
        self.at += 1;
        let mut text = String::new();
        let mut escaped = false;
        for c in written.chars() {
            match c {
                '\\' if !escaped => escaped = true,
                'n' if escaped => {
                    text.push('\n');
                    escaped = false;
                }
                c => {
                    text.push(c);
                    escaped = false;
                }
            }
        }
        Ok((text, Pos::Source(Span { file: self.file, start, end })))
    }

    pub(super) fn invariants(&mut self) -> Parsed<Vec<Formula>> {
        let mut all = Vec::new();
        while self.take("invariant") {
            all.push(self.formula()?);
        }
        Ok(all)
    }

    fn body(&mut self) -> Parsed<Body> {
        let start = self.at;
        let mut locations = Vec::new();
        while !self.is("}") {
            if self.number()? != locations.len() as u64 {
                self.at -= 1;
                return self.unexpected(&format!("location {}", locations.len()));
            }
            self.expect(":")?;
            let invariants = self.invariants()?;
            let from = self.at;
            let out = self.out()?;
            locations.push(Location { invariants, out, pos: self.pos(from) });
        }
        let count = locations.len();
        let known = |to: &LocId| to.index() < count;
        let all = locations.iter().all(|location| match &location.out {
            Out::Do(_, to) => known(to),
            Out::Branch(_, a, b) => known(a) && known(b),
            Out::Choose(all) => all.iter().all(known),
            Out::Return => true,
        });
        if count == 0 || !all {
            self.at = start;
            return self.problem(match count {
                0 => "a body has at least one location".to_owned(),
                _ => format!("a way leads to a location that is not there: there are {count}"),
            });
        }
        Ok(Body { locations })
    }

    pub(super) fn location(&mut self) -> Parsed<LocId> {
        let n = self.number()?;
        match u32::try_from(n) {
            Ok(n) => Ok(LocId(n)),
            Err(_) => self.problem("this number is out of range"),
        }
    }

    fn out(&mut self) -> Parsed<Out> {
        if self.take("return") {
            return Ok(Out::Return);
        }
        if self.take("if") {
            let cond = self.expr()?;
            self.expect("then")?;
            let then = self.location()?;
            self.expect("else")?;
            return Ok(Out::Branch(cond, then, self.location()?));
        }
        if self.take("choose") {
            self.expect("{")?;
            let mut all = Vec::new();
            while !self.take("}") {
                all.push(self.location()?);
                if !self.is("}") {
                    self.expect(",")?;
                }
            }
            return Ok(Out::Choose(all));
        }
        let command = self.command()?;
        self.expect("goto")?;
        Ok(Out::Do(command, self.location()?))
    }

    pub(super) fn command(&mut self) -> Parsed<Command> {
        if self.take("[") {
            let at = self.expr()?;
            self.expect(":")?;
            let ty = self.scalar()?;
            self.expect("]")?;
            self.expect(":=")?;
            return Ok(Command::Store { at, value: self.expr()?, ty });
        }
        let Kind::Name(word) = self.peek() else { return self.unexpected("a command") };
        let follows = self.tokens.get(self.at + 1).map(|t| t.kind);
        if follows == Some(Kind::Punct(":=")) {
            let to = self.var()?;
            self.at += 1;
            return self.assignment(to);
        }
        self.at += 1;
        Ok(match word {
            "skip" => Command::Skip,
            "free" => Command::Free(self.expr()?),
            "copy" | "move" => {
                let to = self.expr()?;
                self.expect(",")?;
                let from = self.expr()?;
                self.expect(",")?;
                Command::Copy { to, from, size: self.expr()?, may_overlap: word == "move" }
            }
            "fill" => {
                let at = self.expr()?;
                self.expect(",")?;
                let byte = self.expr()?;
                self.expect(",")?;
                Command::Fill { at, byte, size: self.expr()? }
            }
            "enter" | "leave" => {
                let name = self.name()?;
                let object = self.lookup(&self.objects, name, "object")?;
                if word == "enter" { Command::Enter(object) } else { Command::Leave(object) }
            }
            "forget" => Command::Forget(self.var()?),
            "havoc" => Command::Havoc(self.var()?),
            "unsupported" => Command::Unsupported(self.string("a reason between quotes")?.0),
            "assume" | "assert" if self.is("formula") && self.is_formula() => {
                self.at += 1;
                let formula = self.formula()?;
                match word {
                    "assume" => Command::AssumeFormula(formula),
                    _ => Command::AssertFormula(formula),
                }
            }
            "assume" => Command::Assume(self.expr()?),
            "assert" => {
                let check = match self.peek() {
                    Kind::Name("divisor") => Check::Divisor,
                    Kind::Name("unreachable") => Check::Unreachable,
                    Kind::Name("index") => Check::Index,
                    Kind::Name("freed") => Check::Freed,
                    Kind::Name("length") => Check::Length,
                    _ => Check::Assertion,
                };
                // A variable may have that name.
                let keyword = check != Check::Assertion
                    && !matches!(
                        self.tokens.get(self.at + 1).map(|t| t.kind),
                        Some(Kind::Name("goto"))
                    );
                self.at += usize::from(keyword);
                let check = if keyword { check } else { Check::Assertion };
                Command::Assert(self.expr()?, check)
            }
            "call" => self.call(None)?,
            "print" => self.print(None)?,
            "exit" => Command::Exit(self.expr()?),
            "abort" => Command::Abort,
            _ => {
                self.at -= 1;
                return self.unexpected("a command");
            }
        })
    }

    /// Does a formula follow the next word? A variable may have that name.
    fn is_formula(&self) -> bool {
        let next = self.tokens.get(self.at + 1).map(|token| token.kind);
        matches!(next, Some(Kind::String(_) | Kind::Name("spl")))
    }

    fn assignment(&mut self, to: VarId) -> Parsed<Command> {
        if self.take("[") {
            let at = self.expr()?;
            self.expect(":")?;
            let ty = self.scalar()?;
            self.expect("]")?;
            return Ok(Command::Load { to, at, ty });
        }
        if self.take("alloc") {
            let zeroed = self.take("zeroed");
            let region = if self.take("stack") { Region::Stack } else { Region::Heap };
            let size = self.expr()?;
            let record = if self.take("as") { Some(self.record_name()?) } else { None };
            return Ok(Command::Alloc { to, size, zeroed, region, record });
        }
        if self.take("realloc") {
            let from = self.expr()?;
            self.expect(",")?;
            return Ok(Command::Realloc { to, from, size: self.expr()? });
        }
        if self.take("call") {
            return self.call(Some(to));
        }
        if self.take("print") {
            return self.print(Some(to));
        }
        Ok(Command::Assign(to, self.expr()?))
    }

    fn print(&mut self, to: Option<VarId>) -> Parsed<Command> {
        let into = match self.take("into") {
            true => {
                let at = self.expr()?;
                let limit = if self.take("limit") { Some(self.expr()?) } else { None };
                self.expect(":")?;
                Some((at, limit))
            }
            false => None,
        };
        Ok(Command::Print { to, into, args: self.values()? })
    }

    fn call(&mut self, to: Option<VarId>) -> Parsed<Command> {
        let callee = if self.take("*") {
            self.expect("[")?;
            let pointer = self.expr()?;
            self.expect("]")?;
            Callee::Pointer(pointer)
        } else {
            Callee::Proc(self.proc_name()?)
        };
        self.expect("(")?;
        let args = if self.is(")") { Vec::new() } else { self.values()? };
        self.expect(")")?;
        Ok(Command::Call { to, callee, args })
    }
}
