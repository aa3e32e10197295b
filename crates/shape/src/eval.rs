//! Values of expressions in a state, and conditions.

use arith::Sum;
use heap::{Arith, BinOp, Comparison, Expr, IntType, Program, UnOp};

use crate::heap::{State, global, procedure};
use crate::preds::Preds;
use crate::pure::Interval;
use crate::term::{Sym, Term};

/// More cases than this are not told apart for one command.
const MAX_CASES: usize = 16;

/// What expressions are evaluated with.
pub struct Scope<'a> {
    /// The program.
    pub program: &'a Program,
    /// The procedure.
    pub proc: heap::ProcId,
    /// Are integers those of the target? Then what is beyond a type may be any of its values: a sum without sign wraps,
    /// and a run that comes to another one ends there.
    pub machine: bool,
}

/// The values of a type.
#[must_use]
pub fn values_of(ty: heap::Scalar) -> Interval {
    match ty {
        heap::Scalar::Int(ty) => {
            ty.bounds().map_or(Interval::ANY, |(low, high)| Interval::new(low, high))
        }
        heap::Scalar::Ptr(_) | heap::Scalar::Float(_) => Interval::ANY,
    }
}

impl State {
    /// A new symbol within bounds.
    pub fn any(&mut self, range: Interval) -> Term {
        let sym = self.heap.fresh();
        if range != Interval::ANY {
            self.heap.pure.bound(sym, range);
        }
        Term::sym(sym)
    }

    /// A sum as a term: what is no term gets a new symbol.
    pub fn term(&mut self, sum: &Sum) -> Term {
        if let Some(term) = Term::of_sum(sum) {
            return term;
        }
        let range = self.heap.pure.range_of_sum(sum);
        let new = self.any(range);
        if let (Some(more), Some(less)) = (sum.plus(&new.sum(), -1), new.sum().plus(sum, -1)) {
            self.heap.pure.assume(&more);
            self.heap.pure.assume(&less);
        }
        new
    }

    /// The value of an expression. What is not linear is any number within its bounds.
    pub fn eval(&mut self, preds: &Preds, scope: &Scope<'_>, e: &Expr) -> Sum {
        match e {
            Expr::Int(n) => Sum::number(*n),
            Expr::Null => Sum::number(0),
            Expr::Var(var) => {
                // Floating-point numbers are nothing that is known; one may differ from itself.
                let is_float = scope
                    .program
                    .proc(scope.proc)
                    .vars
                    .get(var.index())
                    .is_some_and(|v| matches!(v.ty, heap::Scalar::Float(_)));
                if is_float {
                    self.any(Interval::ANY).sum()
                } else {
                    self.vars.get(var.index()).sum()
                }
            }
            Expr::Global(id) => Term::sym(global(id.0)).sum(),
            Expr::Object(id) => match self.objects.get(&id.0).copied() {
                Some(at) => Term::sym(at).sum(),
                None => self.any(Interval::ANY).sum(),
            },
            Expr::Proc(id) => Term::sym(procedure(*id)).sum(),
            Expr::Float(_) | Expr::ToFloat(..) => self.any(Interval::ANY).sum(),
            Expr::Offset(base, bytes) => {
                let base = self.eval(preds, scope, base);
                let bytes = self.eval(preds, scope, bytes);
                base.plus(&bytes, 1).unwrap_or_else(|| self.any(Interval::ANY).sum())
            }
            Expr::Distance(a, b) => {
                let a = self.eval(preds, scope, a);
                let b = self.eval(preds, scope, b);
                a.plus(&b, -1).unwrap_or_else(|| self.any(Interval::ANY).sum())
            }
            Expr::Unary(UnOp::Not, _)
            | Expr::Binary(BinOp::Compare(_) | BinOp::And | BinOp::Or, ..) => {
                match self.decide(preds, scope, e) {
                    Some(truth) => Sum::number(i128::from(truth)),
                    None => self.any(Interval::new(0, 1)).sum(),
                }
            }
            Expr::Unary(UnOp::Neg(ty), a) => {
                let a = self.eval(preds, scope, a);
                let less = a.negative().unwrap_or_else(|| self.any(Interval::ANY).sum());
                if scope.machine { self.convert(scope.program, *ty, less, false) } else { less }
            }
            Expr::Unary(UnOp::BitNot(ty), a) => {
                let a = self.eval(preds, scope, a);
                match a.factors[..] {
                    [] => Sum::number(ty.wrap(!a.constant)),
                    _ => self.any(values_of(heap::Scalar::Int(*ty))).sum(),
                }
            }
            Expr::Unary(UnOp::FloatNeg, _) | Expr::Binary(BinOp::Float(_), ..) => {
                self.any(Interval::ANY).sum()
            }
            Expr::Binary(BinOp::Arith(op, ty), a, b) => {
                let a = self.eval(preds, scope, a);
                let b = self.eval(preds, scope, b);
                let result = self.arith(*op, &a, &b);
                if scope.machine { self.convert(scope.program, *ty, result, false) } else { result }
            }
            Expr::Convert(ty, a) => {
                let pointer = is_pointer(scope, a);
                let a = self.eval(preds, scope, a);
                self.convert(scope.program, *ty, a, pointer)
            }
            Expr::If(c, a, b) => match self.decide(preds, scope, c) {
                Some(true) => self.eval(preds, scope, a),
                Some(false) => self.eval(preds, scope, b),
                None => {
                    let a = self.eval(preds, scope, a);
                    let b = self.eval(preds, scope, b);
                    let range =
                        self.heap.pure.range_of_sum(&a).hull(self.heap.pure.range_of_sum(&b));
                    self.any(range).sum()
                }
            },
        }
    }

    fn arith(&mut self, op: Arith, a: &Sum, b: &Sum) -> Sum {
        let constants = match (&a.factors[..], &b.factors[..]) {
            ([], []) => Some((a.constant, b.constant)),
            _ => None,
        };
        let linear = match op {
            Arith::Add => a.plus(b, 1),
            Arith::Sub => a.plus(b, -1),
            Arith::Mul if b.factors.is_empty() => Sum::default().plus(a, b.constant),
            Arith::Mul if a.factors.is_empty() => Sum::default().plus(b, a.constant),
            _ => None,
        };
        if let Some(sum) = linear {
            return sum;
        }
        if let Some((a, b)) = constants {
            let value = match op {
                Arith::Add => a.checked_add(b),
                Arith::Sub => a.checked_sub(b),
                Arith::Mul => a.checked_mul(b),
                Arith::Div => Some(a.checked_div(b).unwrap_or(0)),
                Arith::Rem => Some(a.checked_rem(b).unwrap_or(0)),
                Arith::BitAnd => Some(a & b),
                Arith::BitOr => Some(a | b),
                Arith::BitXor => Some(a ^ b),
                Arith::Shl => {
                    u32::try_from(b).ok().filter(|b| *b < 64).and_then(|b| a.checked_mul(1 << b))
                }
                Arith::Shr => u32::try_from(b).ok().filter(|b| *b < 128).map(|b| a >> b),
            };
            if let Some(value) = value {
                return Sum::number(value);
            }
        }
        let (x, y) = (self.heap.pure.range_of_sum(a), self.heap.pure.range_of_sum(b));
        let natural = x.low.is_some_and(|low| low >= 0);
        let range = match op {
            Arith::Rem => match y.low.zip(y.high) {
                Some((low, high)) if low > 0 => {
                    Interval::new(if natural { 0 } else { 1 - high }, high - 1)
                }
                _ => Interval::ANY,
            },
            Arith::Div if natural && y.low.is_some_and(|low| low > 0) => {
                Interval { low: Some(0), high: x.high }
            }
            Arith::BitAnd if y.low.is_some_and(|low| low >= 0) => {
                Interval { low: Some(0), high: y.high }
            }
            Arith::BitAnd if natural => Interval { low: Some(0), high: x.high },
            Arith::Shr if natural => Interval { low: Some(0), high: x.high },
            Arith::BitOr | Arith::BitXor if natural && y.low.is_some_and(|low| low >= 0) => {
                let high = x.high.zip(y.high).map(|(a, b)| a.max(b));
                let high =
                    high.filter(|h| *h < 1 << 62).map(|h| (1i128 << (128 - h.leading_zeros())) - 1);
                Interval { low: Some(0), high }
            }
            Arith::Mul => match (x.low, x.high, y.low, y.high) {
                (Some(a), Some(b), Some(c), Some(d)) => {
                    let all =
                        [a.checked_mul(c), a.checked_mul(d), b.checked_mul(c), b.checked_mul(d)];
                    match all.into_iter().collect::<Option<Vec<i128>>>() {
                        Some(all) => Interval {
                            low: all.iter().min().copied(),
                            high: all.iter().max().copied(),
                        },
                        None => Interval::ANY,
                    }
                }
                _ => Interval::ANY,
            },
            _ => Interval::ANY,
        };
        self.any(range).sum()
    }

    fn convert(&mut self, program: &Program, ty: IntType, a: Sum, pointer: bool) -> Sum {
        if a.factors.is_empty() {
            return Sum::number(ty.wrap(a.constant));
        }
        let range = self.heap.pure.range_of_sum(&a);
        let target = values_of(heap::Scalar::Int(ty));
        if target.includes(range) {
            return a;
        }
        // Addresses are converted without loss if there are bits enough.
        let address = program.model.address();
        let is_address = |var: u32| {
            let sym = Sym(var);
            self.heap.place(Term::sym(sym)) != crate::heap::Place::Nowhere
                || crate::heap::is_rigid(sym)
        };
        if ty.bits >= address.bits && a.factors.iter().any(|(var, _)| is_address(*var)) {
            return a;
        }
        // Pointers of which nothing is known, too: they are no numbers outside of the type.
        if ty.bits >= address.bits && pointer && range == Interval::ANY && a.factors.len() == 1 {
            return a;
        }
        self.any(target).sum()
    }

    /// Is a condition certainly true or certainly false?
    pub fn decide(&mut self, preds: &Preds, scope: &Scope<'_>, e: &Expr) -> Option<bool> {
        match e {
            Expr::Unary(UnOp::Not, a) => self.decide(preds, scope, a).map(|truth| !truth),
            Expr::Binary(BinOp::And, a, b) => {
                match (self.decide(preds, scope, a), self.decide(preds, scope, b)) {
                    (Some(false), _) | (_, Some(false)) => Some(false),
                    (Some(true), Some(true)) => Some(true),
                    _ => None,
                }
            }
            Expr::Binary(BinOp::Or, a, b) => {
                match (self.decide(preds, scope, a), self.decide(preds, scope, b)) {
                    (Some(true), _) | (_, Some(true)) => Some(true),
                    (Some(false), Some(false)) => Some(false),
                    _ => None,
                }
            }
            Expr::Binary(BinOp::Compare(op), a, b) => {
                let a = self.eval(preds, scope, a);
                let b = self.eval(preds, scope, b);
                self.compare(preds, *op, &a, &b)
            }
            e => {
                let value = self.eval(preds, scope, e);
                self.compare(preds, Comparison::Ne, &value, &Sum::number(0))
            }
        }
    }

    fn compare(&self, preds: &Preds, op: Comparison, a: &Sum, b: &Sum) -> Option<bool> {
        let less = b.plus(a, -1)?; // b - a
        if less.factors.is_empty() {
            let d = less.constant;
            return Some(match op {
                Comparison::Eq => d == 0,
                Comparison::Ne => d != 0,
                Comparison::Lt => d > 0,
                Comparison::Le => d >= 0,
            });
        }
        let pure = &self.heap.pure;
        let not_negative = |sum: &Sum, less: i128| {
            let mut sum = sum.clone();
            match sum.constant.checked_sub(less) {
                Some(constant) => sum.constant = constant,
                None => return false,
            }
            pure.entails(&sum)
        };
        let more = less.negative()?;
        match op {
            Comparison::Eq | Comparison::Ne => {
                let different = match (Term::of_sum(a), Term::of_sum(b)) {
                    (Some(a), Some(b)) => self.heap.disequal(preds, a, b),
                    _ => not_negative(&less, 1) || not_negative(&more, 1),
                };
                if different {
                    return Some(op == Comparison::Ne);
                }
                (not_negative(&less, 0) && not_negative(&more, 0)).then_some(op == Comparison::Eq)
            }
            Comparison::Lt => {
                if not_negative(&less, 1) {
                    Some(true)
                } else {
                    not_negative(&more, 0).then_some(false)
                }
            }
            Comparison::Le => {
                if not_negative(&less, 0) {
                    Some(true)
                } else {
                    not_negative(&more, 1).then_some(false)
                }
            }
        }
    }

    /// The states in which a condition holds, or does not.
    #[must_use]
    pub fn assume(mut self, preds: &Preds, scope: &Scope<'_>, e: &Expr, truth: bool) -> Vec<State> {
        match e {
            Expr::Unary(UnOp::Not, a) => self.assume(preds, scope, a, !truth),
            Expr::Binary(BinOp::And, a, b) if truth => self.both(preds, scope, a, b, true),
            Expr::Binary(BinOp::Or, a, b) if !truth => self.both(preds, scope, a, b, false),
            Expr::Binary(BinOp::And | BinOp::Or, a, b) => {
                // One of them: the first, or not the first and the second.
                let first = self.clone().assume(preds, scope, a, truth);
                let other = self.assume(preds, scope, a, !truth);
                let second =
                    other.into_iter().flat_map(|state| state.assume(preds, scope, b, truth));
                first.into_iter().chain(second).collect()
            }
            Expr::Binary(BinOp::Compare(op), a, b) => {
                let a = self.eval(preds, scope, a);
                let b = self.eval(preds, scope, b);
                self.assume_comparison(preds, *op, &a, &b, truth)
            }
            Expr::If(c, a, b) => {
                let then = self.clone().assume(preds, scope, c, true);
                let otherwise = self.assume(preds, scope, c, false);
                let then = then.into_iter().flat_map(|s| s.assume(preds, scope, a, truth));
                let otherwise =
                    otherwise.into_iter().flat_map(|s| s.assume(preds, scope, b, truth));
                then.chain(otherwise).collect()
            }
            e => {
                let value = self.eval(preds, scope, e);
                self.assume_comparison(preds, Comparison::Ne, &value, &Sum::number(0), truth)
            }
        }
    }

    fn both(self, preds: &Preds, scope: &Scope<'_>, a: &Expr, b: &Expr, truth: bool) -> Vec<State> {
        let first = self.assume(preds, scope, a, truth);
        first.into_iter().flat_map(|state| state.assume(preds, scope, b, truth)).collect()
    }

    fn assume_comparison(
        mut self,
        preds: &Preds,
        op: Comparison,
        a: &Sum,
        b: &Sum,
        truth: bool,
    ) -> Vec<State> {
        if let Some(known) = self.compare(preds, op, a, b) {
            return if known == truth { vec![self] } else { Vec::new() };
        }
        let equal = match (op, truth) {
            (Comparison::Eq, truth) => Some(truth),
            (Comparison::Ne, truth) => Some(!truth),
            _ => None,
        };
        let Some(less) = b.plus(a, -1) else { return vec![self] };
        let Some(more) = less.negative() else { return vec![self] };
        let consistent = match equal {
            Some(true) => match solve_for(&less) {
                Some((sym, value)) => self.unify(preds, Term::sym(sym), value).is_ok(),
                None => {
                    self.heap.pure.assume(&less)
                        && self.heap.pure.assume(&more)
                        && self.normalise(preds).is_ok()
                }
            },
            Some(false) => match (Term::of_sum(a), Term::of_sum(b)) {
                (Some(a), Some(b)) => self.distinguish(preds, a, b).is_ok(),
                _ => match solve_for(&less) {
                    Some((sym, value)) => self.distinguish(preds, Term::sym(sym), value).is_ok(),
                    None => true,
                },
            },
            None => {
                // less = b - a: `a < b` is less - 1 >= 0, `a <= b` is less >= 0.
                let (mut sum, by) = match (op, truth) {
                    (Comparison::Lt, true) => (less, 1),
                    (Comparison::Le, true) => (less, 0),
                    (Comparison::Lt, false) => (more, 0),
                    (_, _) => (more, 1),
                };
                match sum.constant.checked_sub(by) {
                    Some(constant) => sum.constant = constant,
                    None => return vec![self],
                }
                self.heap.pure.assume(&sum) && self.normalise(preds).is_ok()
            }
        };
        if consistent { vec![self] } else { Vec::new() }
    }

    /// The states in which every condition within an expression is decided, as far as that is possible.
    #[must_use]
    pub fn split(self, preds: &Preds, scope: &Scope<'_>, exprs: &[&Expr]) -> Vec<State> {
        let mut conditions: Vec<&Expr> = Vec::new();
        for e in exprs {
            collect_conditions(e, &mut conditions);
        }
        let mut states = vec![self];
        for condition in conditions {
            if states.len() >= MAX_CASES {
                break;
            }
            let mut next = Vec::new();
            for mut state in states {
                if state.decide(preds, scope, condition).is_some() {
                    next.push(state);
                } else {
                    next.extend(state.clone().assume(preds, scope, condition, true));
                    next.extend(state.assume(preds, scope, condition, false));
                }
            }
            states = next;
        }
        states
    }
}

/// Is the value a pointer, by the type of the expression? Then it has no bits but those of an address.
fn is_pointer(scope: &Scope<'_>, e: &Expr) -> bool {
    match e {
        Expr::Var(var) => {
            let vars = &scope.program.proc(scope.proc).vars;
            vars.get(var.index()).is_some_and(|var| var.ty.is_pointer())
        }
        Expr::Null | Expr::Global(_) | Expr::Object(_) | Expr::Proc(_) | Expr::Offset(..) => true,
        Expr::Convert(ty, a) => {
            ty.bits >= scope.program.model.address().bits && is_pointer(scope, a)
        }
        _ => false,
    }
}

fn collect_conditions<'e>(e: &'e Expr, into: &mut Vec<&'e Expr>) {
    match e {
        Expr::Unary(UnOp::Not, _)
        | Expr::Binary(BinOp::Compare(_) | BinOp::And | BinOp::Or, ..) => {
            into.push(e);
        }
        Expr::Unary(_, a) | Expr::Convert(_, a) | Expr::ToFloat(_, a) => {
            collect_conditions(a, into)
        }
        Expr::Offset(a, b) | Expr::Distance(a, b) | Expr::Binary(_, a, b) => {
            collect_conditions(a, into);
            collect_conditions(b, into);
        }
        Expr::If(c, a, b) => {
            into.push(c);
            collect_conditions(a, into);
            collect_conditions(b, into);
        }
        _ => {}
    }
}

/// A symbol and its value, if the sum is zero.
fn solve_for(sum: &Sum) -> Option<(Sym, Term)> {
    match sum.factors[..] {
        [(x, f)] if sum.constant % f == 0 => Some((Sym(x), Term::int(-sum.constant / f))),
        [(x, 1), (y, -1)] => Some((Sym(x), Term { base: Some(Sym(y)), k: -sum.constant })),
        [(x, -1), (y, 1)] => Some((Sym(y), Term { base: Some(Sym(x)), k: -sum.constant })),
        _ => None,
    }
}
