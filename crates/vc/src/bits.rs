//! Numbers: those of mathematics, or bit vectors with the option `-bitvector`.
//!
//! Then an `Int` is 32 bits in two's complement, and operations wrap around. A `Byte` is always 8 bits,
//! without a sign. Conversions and operations on bits need the option, as in the reference tool.

use smt::{Meaning, Sort, Term};
use spl::core::{BinOp, Type, UnOp};

use crate::logic::Logic;

/// How many bits there are.
const INT: u32 = 32;
const BYTE: u32 = 8;

impl Logic {
    /// The sort of `Int` or `Byte`.
    pub fn number_sort(&mut self, ty: &Type) -> Sort {
        match ty {
            Type::Int if !self.bits => Sort::Int,
            Type::Byte => self.bit_sort(&Type::Byte, BYTE),
            _ => self.bit_sort(&Type::Int, INT),
        }
    }

    fn bit_sort(&mut self, ty: &Type, width: u32) -> Sort {
        let text = format!("(_ BitVec {width})");
        self.builtin_sort(ty, &text)
    }

    /// A number of type `Int`.
    pub fn int(&mut self, value: i64) -> Term {
        if self.bits {
            // Two's complement: the last bits of the number.
            let value = value.rem_euclid(1 << INT);
            self.bit_literal(&Type::Int, value.unsigned_abs(), INT)
        } else {
            self.terms.int(value)
        }
    }

    pub fn byte(&mut self, value: u8) -> Term {
        self.bit_literal(&Type::Byte, value.into(), BYTE)
    }

    fn bit_literal(&mut self, ty: &Type, value: u64, width: u32) -> Term {
        let sort = self.number_sort(ty);
        let text = format!("(_ bv{value} {width})");
        let fun = self.terms.fun_named(&text, &[], sort, Meaning::Builtin);
        self.terms.app(fun, &[])
    }

    /// A function of the solver. One name may be of bytes and of integers, so names say which.
    fn bit_op(&mut self, op: &str, args: &[Term], result: Sort) -> Term {
        let sorts: Vec<Sort> = args.iter().map(|t| self.terms.sort(*t)).collect();
        let fun = match self.bit_ops.get(&(op.to_owned(), sorts.clone())) {
            Some(fun) => *fun,
            None => {
                let decl = smt::FunDecl {
                    name: op.into(),
                    args: sorts.clone(),
                    result,
                    meaning: Meaning::Builtin,
                };
                let fun = self.terms.signature.add_fun(decl);
                self.bit_ops.insert((op.to_owned(), sorts), fun);
                fun
            }
        };
        self.terms.app(fun, args)
    }

    fn is_bits(&self, ty: &Type) -> bool {
        *ty == Type::Byte || self.bits
    }

    /// `a <= b`
    pub fn at_most(&mut self, ty: &Type, a: Term, b: Term) -> Term {
        match ty {
            Type::Byte => self.bit_op("bvule", &[a, b], Sort::Bool),
            _ if self.bits => self.bit_op("bvsle", &[a, b], Sort::Bool),
            _ => self.terms.le(a, b),
        }
    }

    /// `a < b`
    pub fn less(&mut self, ty: &Type, a: Term, b: Term) -> Term {
        match ty {
            Type::Byte => self.bit_op("bvult", &[a, b], Sort::Bool),
            _ if self.bits => self.bit_op("bvslt", &[a, b], Sort::Bool),
            _ => self.terms.lt(a, b),
        }
    }

    /// Zero of a type.
    pub fn zero(&mut self, ty: &Type) -> Term {
        if *ty == Type::Byte { self.byte(0) } else { self.int(0) }
    }

    pub fn negate(&mut self, ty: &Type, a: Term) -> Term {
        if self.is_bits(ty) {
            let sort = self.number_sort(ty);
            self.bit_op("bvneg", &[a], sort)
        } else {
            self.terms.neg(a)
        }
    }

    /// An operator of arithmetic or on bits; none if it needs the option.
    pub fn arithmetic(&mut self, op: BinOp, ty: &Type, a: Term, b: Term) -> Option<Term> {
        if !self.is_bits(ty) {
            return Some(match op {
                BinOp::Add => self.terms.add(a, b),
                BinOp::Sub => self.terms.sub(a, b),
                BinOp::Mul => self.terms.mul(a, b),
                BinOp::Div => self.terms.div(a, b),
                BinOp::Mod => self.terms.modulo(a, b),
                _ => return None,
            });
        }
        let signed = *ty == Type::Int;
        let name = match (op, signed) {
            (BinOp::Add, _) => "bvadd",
            (BinOp::Sub, _) => "bvsub",
            (BinOp::Mul, _) => "bvmul",
            (BinOp::Div, true) => "bvsdiv",
            (BinOp::Div, false) => "bvudiv",
            (BinOp::Mod, true) => "bvsrem",
            (BinOp::Mod, false) => "bvurem",
            // Without the option there are no operations on bits, of bytes neither.
            _ if !self.bits => return None,
            (BinOp::BitAnd, _) => "bvand",
            (BinOp::BitOr, _) => "bvor",
            (BinOp::Shl, _) => "bvshl",
            (BinOp::Shr, true) => "bvashr",
            (BinOp::Shr, false) => "bvlshr",
            _ => return None,
        };
        let sort = self.number_sort(ty);
        // What is shifted by is an integer.
        let b = if self.terms.sort(b) == sort { b } else { self.shift_amount(b) };
        Some(self.bit_op(name, &[a, b], sort))
    }

    fn shift_amount(&mut self, a: Term) -> Term {
        // More than 7 is as good as 8: all bits are gone. The last bits alone would not say so.
        let sort = self.number_sort(&Type::Byte);
        let limit = self.int(i64::from(BYTE));
        let (zero, eight) = (self.int(0), self.byte(BYTE as u8));
        let low = self.bit_op("(_ extract 7 0)", &[a], sort);
        let (natural, small) = (self.at_most(&Type::Int, zero, a), self.less(&Type::Int, a, limit));
        let fits = self.terms.and([natural, small]);
        self.terms.ite(fits, low, eight)
    }

    /// A prefix operator on bits; none if it needs the option.
    pub fn bit_unary(&mut self, op: UnOp, ty: &Type, a: Term) -> Option<Term> {
        if !self.bits {
            return None;
        }
        let (int, byte) = (self.number_sort(&Type::Int), self.number_sort(&Type::Byte));
        Some(match op {
            UnOp::BitNot => {
                let sort = self.number_sort(ty);
                self.bit_op("bvnot", &[a], sort)
            }
            UnOp::Int2Byte => self.bit_op("(_ extract 7 0)", &[a], byte),
            UnOp::Byte2Int => self.bit_op("(_ zero_extend 24)", &[a], int),
            UnOp::Neg | UnOp::Not => return None,
        })
    }
}
