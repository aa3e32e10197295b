//! The arguments of `main`: at least one, each a string of which nothing is known, and null behind them.

use heap::{
    Arith, Command, Comparison, Expr, Global, GlobalId, IntType, Region, Scalar, Target, Type,
    VarId,
};
use report::Pos;

use super::Lowering;
use super::arith::arith;
use crate::ctype::{CHAR, CType, INT};

/// So many there may be. Systems have limits, too.
const MOST: i128 = 1000;
/// So many bytes a string has at most.
const LENGTH: u64 = 16;

impl Lowering<'_> {
    /// Sets the parameters of `main`.
    pub(super) fn program_arguments(&mut self, count: VarId, list: Option<VarId>, pos: Pos) {
        self.emit(Command::Havoc(count), pos);
        let within = |low, high| Expr::compare(Comparison::Le, low, high);
        self.emit(Command::Assume(within(Expr::Int(1), Expr::Var(count))), pos);
        self.emit(Command::Assume(within(Expr::Var(count), Expr::Int(MOST))), pos);
        let Some(list) = list else { return };
        let width = Expr::Int(self.program.model.pointer().into());
        let slots = arith(Arith::Add, INT, Expr::Var(count), Expr::Int(1));
        let size = arith(Arith::Mul, INT, slots, width.clone());
        let (to, zeroed, region, record) = (list, true, Region::Stack, None);
        self.emit(Command::Alloc { to, size, zeroed, region, record }, pos);
        let index = self.temporary(&CType::int());
        self.emit(Command::Assign(index, Expr::Int(0)), pos);
        let (head, body, end) = (self.location(), self.location(), self.location());
        self.jump(head, pos);
        self.go_on_at(head);
        let more = Expr::compare(Comparison::Lt, Expr::Var(index), Expr::Var(count));
        if let Some(function) = &mut self.function {
            function.branch(more, body, end, pos);
        }
        self.go_on_at(body);
        let at = Expr::offset(Expr::Var(list), arith(Arith::Mul, INT, Expr::Var(index), width));
        let (value, ty) = (Expr::Global(self.any_string()), Scalar::Ptr(Target::Int(CHAR)));
        self.emit(Command::Store { at, value, ty }, pos);
        let next = arith(Arith::Add, INT, Expr::Var(index), Expr::Int(1));
        self.emit(Command::Assign(index, next), pos);
        self.jump(head, pos);
        self.go_on_at(end);
    }

    /// A string of which nothing is known but that it ends.
    fn any_string(&mut self) -> GlobalId {
        let byte = Scalar::Int(IntType::signed(8));
        let ty = Type::Array(Box::new(Type::Scalar(byte)), LENGTH);
        let init = vec![(LENGTH - 1, byte, Expr::Int(0))];
        let (name, constant, zeroed) = ("$argument".to_owned(), false, false);
        self.program.globals.push(Global { name, ty, init, constant, zeroed, pos: Pos::None });
        GlobalId((self.program.globals.len() - 1) as u32)
    }
}
