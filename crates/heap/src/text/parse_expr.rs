//! Expressions and types of the text form.

use super::lexer::Kind;
use super::parse::{Parsed, Parser};
use crate::expr::{Arith, BinOp, Comparison, Expr, UnOp};
use crate::types::{IntType, Scalar, Target, Type};

/// How deep expressions and types may be nested.
const MAX_DEPTH: u32 = 500;

impl Parser<'_> {
    pub(super) fn values(&mut self) -> Parsed<Vec<Expr>> {
        let mut all = vec![self.expr()?];
        while self.take(",") {
            all.push(self.expr()?);
        }
        Ok(all)
    }

    pub(super) fn expr(&mut self) -> Parsed<Expr> {
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

    pub(super) fn scalar(&mut self) -> Parsed<Scalar> {
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

    pub(super) fn type_(&mut self) -> Parsed<Type> {
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

/// `i32`, `u8` and the like, and `int`.
fn int_type(name: &str) -> Option<IntType> {
    if name == "int" {
        return Some(IntType::UNBOUNDED);
    }
    let (signed, bits) = match (name.strip_prefix('i'), name.strip_prefix('u')) {
        (Some(bits), _) => (true, bits),
        (_, Some(bits)) => (false, bits),
        _ => return None,
    };
    let plain = !bits.starts_with('0') && bits.bytes().all(|b| b.is_ascii_digit());
    let bits: u8 = bits.parse().ok().filter(|n| plain && (1..=64).contains(n))?;
    Some(IntType { bits, signed })
}
