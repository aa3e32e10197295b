//! The parser.

use std::collections::HashMap;

use report::{FileId, Pos, Span};

use super::lexer::{Kind, Token, tokens};
use crate::expr::{Arith, BinOp, Comparison, Expr, UnOp};
use crate::program::{
    Body, Callee, Check, Command, Global, GlobalId, LocId, Location, Object, ObjectId, Out, Proc,
    ProcId, Program, Region, Var, VarId,
};
use crate::types::{DataModel, Field, IntType, Record, RecordId, Scalar, Target, Type};

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

type Parsed<T> = Result<T, Problem>;

/// How deep expressions and types may be nested.
const MAX_DEPTH: u32 = 500;

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
        depth: 0,
    };
    parser.declare();
    parser.run()?;
    Ok(parser.program)
}

struct Parser<'t> {
    tokens: Vec<Token<'t>>,
    at: usize,
    file: FileId,
    program: Program,
    records: HashMap<String, RecordId>,
    globals: HashMap<String, GlobalId>,
    procs: HashMap<String, ProcId>,
    /// Of the procedure that is being read.
    vars: HashMap<String, VarId>,
    objects: HashMap<String, ObjectId>,
    depth: u32,
}

impl<'t> Parser<'t> {
    fn peek(&self) -> Kind<'t> {
        self.tokens.get(self.at).map_or(Kind::End, |token| token.kind)
    }

    fn next(&mut self) -> Kind<'t> {
        let kind = self.peek();
        if kind != Kind::End {
            self.at += 1;
        }
        kind
    }

    fn problem<T>(&self, message: impl Into<String>) -> Parsed<T> {
        let token = self.tokens.get(self.at).or(self.tokens.last());
        let (start, end) = token.map_or((0, 0), |token| (token.start, token.end));
        Err(Problem { start, end, message: message.into() })
    }

    fn unexpected<T>(&self, what: &str) -> Parsed<T> {
        self.problem(format!("expected {what}"))
    }

    fn is(&self, text: &str) -> bool {
        matches!(self.peek(), Kind::Punct(t) | Kind::Name(t) if t == text)
    }

    fn take(&mut self, text: &str) -> bool {
        let found = self.is(text);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, text: &str) -> Parsed<()> {
        if self.take(text) { Ok(()) } else { self.unexpected(&format!("`{text}`")) }
    }

    fn name(&mut self) -> Parsed<&'t str> {
        match self.peek() {
            Kind::Name(name) => {
                self.at += 1;
                Ok(name)
            }
            _ => self.unexpected("a name"),
        }
    }

    fn number(&mut self) -> Parsed<u64> {
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

    fn pos(&self, from: usize) -> Pos {
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

    fn lookup<T: Copy>(&self, map: &HashMap<String, T>, name: &str, what: &str) -> Parsed<T> {
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

    fn record_name(&mut self) -> Parsed<RecordId> {
        let name = self.name()?;
        self.lookup(&self.records, name, "record")
    }

    fn proc_name(&mut self) -> Parsed<ProcId> {
        let name = self.name()?;
        self.lookup(&self.procs, name, "procedure")
    }

    fn var(&mut self) -> Parsed<VarId> {
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
        let body = if self.take("external") { None } else { Some(self.body()?) };
        self.expect("}")?;
        self.program.procs.push(Proc { name, vars, params, result, objects, body, pos });
        Ok(())
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
            let from = self.at;
            let out = self.out()?;
            locations.push(Location { out, pos: self.pos(from) });
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

    fn location(&mut self) -> Parsed<LocId> {
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

    fn command(&mut self) -> Parsed<Command> {
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
            "assume" => Command::Assume(self.expr()?),
            "assert" => {
                let check = match self.peek() {
                    Kind::Name("divisor") => Check::Divisor,
                    Kind::Name("unreachable") => Check::Unreachable,
                    Kind::Name("index") => Check::Index,
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

    fn values(&mut self) -> Parsed<Vec<Expr>> {
        let mut all = vec![self.expr()?];
        while self.take(",") {
            all.push(self.expr()?);
        }
        Ok(all)
    }

    fn expr(&mut self) -> Parsed<Expr> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.problem("this is nested too deeply");
        }
        let e = self.expr_inside();
        self.depth -= 1;
        e
    }

    fn expr_inside(&mut self) -> Parsed<Expr> {
        match self.next() {
            Kind::Int(n) => Ok(Expr::Int(n)),
            Kind::Float(x) => Ok(Expr::Float(x)),
            Kind::Name("null") => Ok(Expr::Null),
            Kind::Punct("!") => Ok(Expr::Unary(UnOp::Not, Box::new(self.in_parentheses()?))),
            Kind::Punct("&") => {
                let name = self.name()?;
                match name {
                    "local" if matches!(self.peek(), Kind::Name(_)) => {
                        let name = self.name()?;
                        self.lookup(&self.objects, name, "object").map(Expr::Object)
                    }
                    "proc" if matches!(self.peek(), Kind::Name(_)) => {
                        self.proc_name().map(Expr::Proc)
                    }
                    name => self.lookup(&self.globals, name, "global object").map(Expr::Global),
                }
            }
            Kind::Punct("(") => self.operation(),
            Kind::Name(name) => {
                if self.is("(") {
                    let Some((op, ty)) = name.split_once('.') else {
                        return self.unexpected("an operator");
                    };
                    let e = Box::new(self.in_parentheses()?);
                    return match (op, int_type(ty), ty) {
                        ("neg", Some(ty), _) => Ok(Expr::Unary(UnOp::Neg(ty), e)),
                        ("neg", None, "f64") => Ok(Expr::Unary(UnOp::FloatNeg, e)),
                        ("not", Some(ty), _) => Ok(Expr::Unary(UnOp::BitNot(ty), e)),
                        ("to", Some(ty), _) => Ok(Expr::Convert(ty, e)),
                        ("to", None, "f32") => Ok(Expr::ToFloat(32, e)),
                        ("to", None, "f64") => Ok(Expr::ToFloat(64, e)),
                        _ => self.problem(format!("there is no operation `{name}`")),
                    };
                }
                self.lookup(&self.vars, name, "variable").map(Expr::Var)
            }
            _ => {
                self.at = self.at.saturating_sub(1);
                self.unexpected("an expression")
            }
        }
    }

    fn in_parentheses(&mut self) -> Parsed<Expr> {
        self.expect("(")?;
        let e = self.expr()?;
        self.expect(")")?;
        Ok(e)
    }

    /// After an opening parenthesis: a binary operation or a conditional.
    fn operation(&mut self) -> Parsed<Expr> {
        let a = self.expr()?;
        let Kind::Punct(op) = self.next() else {
            self.at = self.at.saturating_sub(1);
            return self.unexpected("an operator");
        };
        if op == ")" {
            return Ok(a);
        }
        if op == "?" {
            let b = self.expr()?;
            self.expect(":")?;
            let c = self.expr()?;
            self.expect(")")?;
            return Ok(Expr::If(Box::new(a), Box::new(b), Box::new(c)));
        }
        let compare = |op| Some(BinOp::Compare(op));
        let op = match op {
            "@" | "@-" => {
                let b = Box::new(self.expr()?);
                self.expect(")")?;
                let a = Box::new(a);
                return Ok(if op == "@" { Expr::Offset(a, b) } else { Expr::Distance(a, b) });
            }
            "==" => compare(Comparison::Eq),
            "!=" => compare(Comparison::Ne),
            "<" => compare(Comparison::Lt),
            "<=" => compare(Comparison::Le),
            "&&" => Some(BinOp::And),
            "||" => Some(BinOp::Or),
            _ => match ARITH.iter().find(|(text, _)| *text == op) {
                None => None,
                Some((_, arith)) => {
                    self.expect(".")?;
                    let ty = self.name()?;
                    match (int_type(ty), ty) {
                        (Some(ty), _) => Some(BinOp::Arith(*arith, ty)),
                        (None, "f64") => Some(BinOp::Float(*arith)),
                        _ => None,
                    }
                }
            },
        };
        let Some(op) = op else {
            self.at -= 1;
            return self.unexpected("an operator with its type");
        };
        let b = self.expr()?;
        self.expect(")")?;
        Ok(Expr::binary(op, a, b))
    }

    fn scalar(&mut self) -> Parsed<Scalar> {
        let name = self.name()?;
        match (name, int_type(name)) {
            (_, Some(ty)) => Ok(Scalar::Int(ty)),
            ("f32", _) => Ok(Scalar::Float(32)),
            ("f64", _) => Ok(Scalar::Float(64)),
            ("ptr", _) => {
                let name = self.name()?;
                let target = match (name, int_type(name)) {
                    (_, Some(ty)) => Target::Int(ty),
                    ("void", _) => Target::Unknown,
                    ("ptr", _) => Target::Ptr,
                    ("proc", _) => Target::Proc,
                    (name, _) => Target::Record(self.lookup(&self.records, name, "record")?),
                };
                Ok(Scalar::Ptr(target))
            }
            _ => {
                self.at -= 1;
                self.unexpected("a type")
            }
        }
    }

    fn type_(&mut self) -> Parsed<Type> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.problem("this is nested too deeply");
        }
        let ty = if self.take("record") {
            Type::Record(self.record_name()?)
        } else if self.take("[") {
            let count = self.number()?;
            self.expect("x")?;
            let element = self.type_()?;
            self.expect("]")?;
            Type::Array(Box::new(element), count)
        } else {
            Type::Scalar(self.scalar()?)
        };
        self.depth -= 1;
        Ok(ty)
    }
}

const ARITH: [(&str, Arith); 10] = [
    ("+", Arith::Add),
    ("-", Arith::Sub),
    ("*", Arith::Mul),
    ("/", Arith::Div),
    ("%", Arith::Rem),
    ("<<", Arith::Shl),
    (">>", Arith::Shr),
    ("&", Arith::BitAnd),
    ("|", Arith::BitOr),
    ("^", Arith::BitXor),
];

/// `i32`, `u8` and the like.
fn int_type(name: &str) -> Option<IntType> {
    let (signed, bits) = match (name.strip_prefix('i'), name.strip_prefix('u')) {
        (Some(bits), _) => (true, bits),
        (_, Some(bits)) => (false, bits),
        _ => return None,
    };
    let plain = !bits.starts_with('0') && bits.bytes().all(|b| b.is_ascii_digit());
    let bits: u8 = bits.parse().ok().filter(|n| plain && (1..=64).contains(n))?;
    Some(IntType { bits, signed })
}
