//! Expressions: pure, total, and without access to memory.
//!
//! What C evaluates in an order, or may fail at, is a command before it.

use crate::program::{GlobalId, ObjectId, ProcId, VarId};
use crate::types::IntType;

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A number.
    Int(i128),
    /// A floating-point number.
    Float(f64),
    /// The null pointer.
    Null,
    /// The value of a variable.
    Var(VarId),
    /// The start of a global object.
    Global(GlobalId),
    /// The start of a local object of this activation.
    Object(ObjectId),
    /// A procedure.
    Proc(ProcId),
    /// A pointer so many bytes further on.
    Offset(Box<Expr>, Box<Expr>),
    /// How many bytes the first pointer is after the second, in one object.
    Distance(Box<Expr>, Box<Expr>),
    /// An operation with one operand.
    Unary(UnOp, Box<Expr>),
    /// An operation with two operands.
    Binary(BinOp, Box<Expr>, Box<Expr>),
    /// The value that a conversion to an integer type yields.
    Convert(IntType, Box<Expr>),
    /// The floating-point number nearest to an integer, with so many bits.
    ToFloat(u8, Box<Expr>),
    /// The second if the first is not zero, otherwise the third. All are evaluated.
    If(Box<Expr>, Box<Expr>, Box<Expr>),
}

/// Operations with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnOp {
    /// Minus, with the type of the result.
    Neg(IntType),
    /// Every bit turned.
    BitNot(IntType),
    /// Is it zero or null?
    Not,
    /// Minus of a floating-point number.
    FloatNeg,
}

/// Operations with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinOp {
    /// An arithmetic operation, with the type of the result.
    Arith(Arith, IntType),
    /// The same of floating-point numbers; bit operations have no meaning.
    Float(Arith),
    /// A comparison of integers, pointers or floating-point numbers: 1 or 0.
    Compare(Comparison),
    /// Are both not zero? Both are evaluated.
    And,
    /// Is one of them not zero? Both are evaluated.
    Or,
}

/// Arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arith {
    /// Plus.
    Add,
    /// Minus.
    Sub,
    /// Times.
    Mul,
    /// Divided, towards zero. By zero it is zero; a command before it checks that.
    Div,
    /// What is left, with the sign of the first.
    Rem,
    /// Shifted to the left.
    Shl,
    /// Shifted to the right, with the sign.
    Shr,
    /// Bits of both.
    BitAnd,
    /// Bits of one of them.
    BitOr,
    /// Bits of just one of them.
    BitXor,
}

/// Comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// Equal.
    Eq,
    /// Different.
    Ne,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
}

impl Expr {
    /// A variable.
    #[must_use]
    pub fn var(var: VarId) -> Expr {
        Expr::Var(var)
    }

    /// An operation.
    #[must_use]
    pub fn binary(op: BinOp, a: Expr, b: Expr) -> Expr {
        Expr::Binary(op, Box::new(a), Box::new(b))
    }

    /// A comparison.
    #[must_use]
    pub fn compare(op: Comparison, a: Expr, b: Expr) -> Expr {
        Expr::binary(BinOp::Compare(op), a, b)
    }

    /// The negation of a condition.
    #[must_use]
    #[allow(clippy::should_implement_trait)]
    pub fn not(e: Expr) -> Expr {
        match e {
            Expr::Unary(UnOp::Not, inner) if inner.is_condition() => *inner,
            Expr::Binary(BinOp::Compare(Comparison::Eq), a, b) => {
                Expr::Binary(BinOp::Compare(Comparison::Ne), a, b)
            }
            Expr::Binary(BinOp::Compare(Comparison::Ne), a, b) => {
                Expr::Binary(BinOp::Compare(Comparison::Eq), a, b)
            }
            e => Expr::Unary(UnOp::Not, Box::new(e)),
        }
    }

    /// Is its value 0 or 1?
    #[must_use]
    pub fn is_condition(&self) -> bool {
        matches!(
            self,
            Expr::Unary(UnOp::Not, _)
                | Expr::Binary(BinOp::Compare(_) | BinOp::And | BinOp::Or, ..)
        )
    }

    /// A pointer so many bytes further on; nested offsets and zero are merged.
    #[must_use]
    pub fn offset(base: Expr, bytes: Expr) -> Expr {
        match (base, bytes) {
            (base, Expr::Int(0)) => base,
            (Expr::Offset(base, inner), Expr::Int(more)) if matches!(*inner, Expr::Int(_)) => {
                match *inner {
                    Expr::Int(first) => Expr::offset(*base, Expr::Int(first + more)),
                    _ => *base,
                }
            }
            (base, bytes) => Expr::Offset(Box::new(base), Box::new(bytes)),
        }
    }

    /// Is a variable part of it?
    #[must_use]
    pub fn mentions(&self, var: VarId) -> bool {
        let mut found = false;
        self.for_each(&mut |e| found |= matches!(e, Expr::Var(v) if *v == var));
        found
    }

    /// Calls `visit` for it and all its parts.
    pub fn for_each(&self, visit: &mut dyn FnMut(&Expr)) {
        visit(self);
        match self {
            Expr::Int(_)
            | Expr::Float(_)
            | Expr::Null
            | Expr::Var(_)
            | Expr::Global(_)
            | Expr::Object(_)
            | Expr::Proc(_) => {}
            Expr::Unary(_, a) | Expr::Convert(_, a) | Expr::ToFloat(_, a) => a.for_each(visit),
            Expr::Offset(a, b) | Expr::Distance(a, b) | Expr::Binary(_, a, b) => {
                a.for_each(visit);
                b.for_each(visit);
            }
            Expr::If(a, b, c) => {
                a.for_each(visit);
                b.for_each(visit);
                c.for_each(visit);
            }
        }
    }
}
