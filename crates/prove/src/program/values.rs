//! Expressions: their values, and conditions as conjunctions of assumptions.

use arith::{Constraint, Sum};
use heap::{Arith, BinOp, Comparison, Expr, IntType, Scalar, Target, UnOp};

use super::{Alternatives, Cases, Named, Slot, Translation, Val, at_least};
use crate::exec::{Command, HExpr};

impl Translation<'_> {
    /// The values of an expression, each with what must be assumed for it.
    pub(super) fn eval(&mut self, context: usize, expr: &Expr) -> Alternatives {
        let one = |value: Val| vec![(Vec::new(), value)];
        match expr {
            Expr::Int(n) => one(Val::Data(Sum::number(*n))),
            Expr::Null => one(Val::Heap(HExpr::Null, 0, None)),
            Expr::Var(var) => {
                let proc = self.program.proc(self.contexts[context].proc);
                let ty = proc.vars.get(var.index()).map(|var| var.ty);
                match self.contexts[context].slots.get(var.index()) {
                    Some(Slot::Heap(x)) => {
                        let x = *x;
                        let kind = match ty {
                            Some(Scalar::Ptr(Target::Record(record))) => self.kind(record, true),
                            Some(Scalar::Ptr(Target::Ptr)) => Some(self.scalar(None)),
                            Some(Scalar::Ptr(Target::Int(ty))) => Some(self.scalar(Some(ty))),
                            _ => None,
                        };
                        one(Val::Heap(HExpr::Var(x), 0, kind))
                    }
                    Some(Slot::Data(a)) => one(Val::Data(Sum::var(*a as u32))),
                    _ => one(Val::Any),
                }
            }
            Expr::Global(id) => {
                let named = self.global(*id);
                one(named_value(named))
            }
            Expr::Object(id) => match self.contexts[context].objects.get(id.index()) {
                Some(named) => one(named_value(*named)),
                None => one(Val::Any),
            },
            Expr::Offset(base, bytes) => {
                let (base, bytes) = (self.eval(context, base), self.eval(context, bytes));
                product(&base, &bytes, |base, bytes| match (base, bytes) {
                    (Val::Heap(e, offset, kind), Val::Data(bytes)) if bytes.factors.is_empty() => {
                        match offset.checked_add(bytes.constant) {
                            Some(offset) => Val::Heap(*e, offset, *kind),
                            None => Val::Any,
                        }
                    }
                    (Val::Bytes(size, offset), Val::Data(bytes)) => {
                        offset.plus(bytes, 1).map_or(Val::Any, |offset| Val::Bytes(*size, offset))
                    }
                    _ => Val::Any,
                })
            }
            Expr::Unary(UnOp::Neg(ty), a) => {
                let a = self.eval(context, a);
                let less = map(a, |a| match a {
                    Val::Data(a) => a.negative().map_or(Val::Any, Val::Data),
                    _ => Val::Any,
                });
                self.results(*ty, less)
            }
            Expr::Binary(BinOp::Arith(op, ty), a, b) => {
                let (a, b) = (self.eval(context, a), self.eval(context, b));
                if let (Arith::Div | Arith::Rem, [(_, Val::Data(divisor))]) = (op, b.as_slice())
                    && divisor.factors.is_empty()
                    && divisor.constant > 0
                {
                    let each = a.into_iter().flat_map(|(commands, value)| {
                        self.divided(*op, commands, value, divisor.constant)
                    });
                    return each.collect();
                }
                let results = product(&a, &b, |a, b| arithmetic(*op, a, b));
                self.results(*ty, results)
            }
            Expr::Unary(UnOp::Not, _)
            | Expr::Binary(BinOp::Compare(_) | BinOp::And | BinOp::Or, ..) => {
                let mut all = Vec::new();
                for (wanted, value) in [(true, 1), (false, 0)] {
                    let cases = self.condition(context, expr, wanted);
                    let value = Val::Data(Sum::number(value));
                    all.extend(cases.into_iter().map(|commands| (commands, value.clone())));
                }
                all
            }
            Expr::Convert(ty, a) if self.setting.machine_integers => {
                let a = self.eval(context, a);
                self.results(*ty, a)
            }
            Expr::Convert(ty, a) => {
                let a = self.eval(context, a);
                let mut all = Vec::new();
                for (commands, value) in a {
                    all.extend(self.convert(*ty, commands, value));
                }
                all
            }
            Expr::If(c, a, b) => {
                let mut all = Vec::new();
                for (branch, wanted) in [(a, true), (b, false)] {
                    let cases = self.condition(context, c, wanted);
                    for (commands, value) in self.eval(context, branch) {
                        for case in &cases {
                            let mut case = case.clone();
                            case.extend(commands.iter().cloned());
                            all.push((case, value.clone()));
                        }
                    }
                }
                all
            }
            Expr::Float(_)
            | Expr::Proc(_)
            | Expr::Distance(..)
            | Expr::Unary(UnOp::BitNot(_) | UnOp::FloatNeg, _)
            | Expr::Binary(BinOp::Float(_), ..)
            | Expr::ToFloat(..) => one(Val::Any),
        }
    }

    /// Division by a positive number, towards zero: `a = by * q + r` where `r` has the sign of `a`.
    fn divided(&mut self, op: Arith, commands: Vec<Command>, a: Val, by: i128) -> Alternatives {
        let Val::Data(a) = a else { return vec![(commands, Val::Any)] };
        if a.factors.is_empty() {
            let n = if op == Arith::Div { a.constant / by } else { a.constant % by };
            return vec![(commands, Val::Data(Sum::number(n)))];
        }
        let q = self.data_var(format!("$q{}", self.cfg.data.len()));
        let quotient = Sum::var(q as u32);
        let cases = a.plus(&quotient, -by).and_then(|rest| {
            let zero = Sum::number(0);
            let positive = [
                at_least(&a, &zero)?,
                at_least(&rest, &zero)?,
                Constraint::less(&rest, &Sum::number(by))?,
            ];
            let negative = [
                Constraint::less(&a, &zero)?,
                at_least(&zero, &rest)?,
                Constraint::less(&Sum::number(-by), &rest)?,
            ];
            Some((rest, [positive, negative]))
        });
        let Some((rest, cases)) = cases else { return vec![(commands, Val::Any)] };
        let value = if op == Arith::Div { quotient } else { rest };
        let with = |constraints: [Constraint; 3]| {
            let mut commands = commands.clone();
            commands.push(Command::HavocData(q, constraints.to_vec()));
            (commands, Val::Data(value.clone()))
        };
        cases.into_iter().map(with).collect()
    }

    /// Results of operations in a type, if integers are those of the target: they wrap.
    fn results(&mut self, ty: IntType, all: Alternatives) -> Alternatives {
        let Some((least, largest)) = ty.bounds().filter(|_| self.setting.machine_integers) else {
            return all;
        };
        let mut results = Vec::new();
        for (commands, value) in all {
            match value {
                Val::Data(sum) => results.extend(self.wrapped(least, largest, commands, sum)),
                Val::Any | Val::Heap(..) | Val::Bytes(..) => results.push((commands, Val::Any)),
            }
        }
        results
    }

    /// A sum modulo two to the number of bits: itself, or one turn more or less, or after more turns any value.
    fn wrapped(
        &mut self,
        least: i128,
        largest: i128,
        commands: Vec<Command>,
        sum: Sum,
    ) -> Alternatives {
        let turn = largest - least + 1;
        let (low, high) = self.interval(&sum).unwrap_or((i128::MIN / 4, i128::MAX / 4));
        let mut all = Vec::new();
        for turns in -1..=1 {
            let (from, to) = (least + turns * turn, largest + turns * turn);
            if high < from || to < low {
                continue;
            }
            let bounds = [
                (low < from).then(|| at_least(&sum, &Sum::number(from))),
                (to < high).then(|| at_least(&Sum::number(to), &sum)),
            ];
            let bounds = bounds.into_iter().flatten().collect::<Option<Vec<_>>>();
            let value = sum.plus(&Sum::number(turn), -turns);
            let (Some(bounds), Some(value)) = (bounds, value) else {
                return vec![(commands, Val::Any)];
            };
            let mut case = commands.clone();
            case.extend(bounds.into_iter().map(Command::Assume));
            all.push((case, Val::Data(value)));
        }
        for (further, beyond) in [
            (low < least - turn, Constraint::less(&sum, &Sum::number(least - turn))),
            (largest + turn < high, Constraint::less(&Sum::number(largest + turn), &sum)),
        ] {
            if further {
                let value = self.data_var(format!("$w{}", self.cfg.data.len())) as u32;
                self.ranges.insert(value, (least, largest));
                let any = Sum::var(value);
                let bounds =
                    [at_least(&any, &Sum::number(least)), at_least(&Sum::number(largest), &any)];
                let mut case = commands.clone();
                case.extend(beyond.map(Command::Assume));
                let bounds = bounds.into_iter().flatten().collect();
                case.push(Command::HavocData(value as usize, bounds));
                all.push((case, Val::Data(any)));
            }
        }
        all
    }

    /// What a sum can be, by the types of its variables.
    fn interval(&self, sum: &Sum) -> Option<(i128, i128)> {
        let (mut low, mut high) = (sum.constant, sum.constant);
        for (var, factor) in &sum.factors {
            let (least, largest) = self.ranges.get(var)?;
            let (a, b) = (least.checked_mul(*factor)?, largest.checked_mul(*factor)?);
            low = low.checked_add(a.min(b))?;
            high = high.checked_add(a.max(b))?;
        }
        Some((low, high))
    }

    /// A conversion keeps what the type holds, and wraps the rest, of which nothing else is known.
    fn convert(&mut self, ty: IntType, commands: Vec<Command>, value: Val) -> Alternatives {
        let range = |sum: &Sum| {
            let least = at_least(sum, &Sum::number(ty.least()))?;
            Some([least, at_least(&Sum::number(ty.largest()), sum)?])
        };
        match value {
            Val::Data(sum) if ty.bounds().is_none() => vec![(commands, Val::Data(sum))],
            Val::Data(sum) if sum.factors.is_empty() => {
                vec![(commands, Val::Data(Sum::number(ty.wrap(sum.constant))))]
            }
            Val::Data(sum) => {
                let fresh = self.data_var(format!("$w{}", self.cfg.data.len()));
                let other = Sum::var(fresh as u32);
                let (Some(inside), Some(outside)) = (range(&sum), range(&other)) else {
                    return vec![(commands, Val::Any)];
                };
                let mut all = Vec::new();
                let mut within = commands.clone();
                within.extend(inside.iter().cloned().map(Command::Assume));
                all.push((within, Val::Data(sum)));
                for bound in &inside {
                    for case in bound.negation().unwrap_or_default() {
                        let mut wrapped = commands.clone();
                        wrapped.push(Command::Assume(case));
                        wrapped.push(Command::HavocData(fresh, outside.to_vec()));
                        all.push((wrapped, Val::Data(other.clone())));
                    }
                }
                all
            }
            Val::Any | Val::Heap(..) | Val::Bytes(..) => vec![(commands, Val::Any)],
        }
    }

    /// What must be assumed for a condition, or its negation: one of these.
    pub(super) fn condition(&mut self, context: usize, expr: &Expr, wanted: bool) -> Cases {
        match expr {
            Expr::Unary(UnOp::Not, a) => self.condition(context, a, !wanted),
            Expr::Binary(op @ (BinOp::And | BinOp::Or), a, b) => {
                if (*op == BinOp::And) == wanted {
                    let (a, b) =
                        (self.condition(context, a, wanted), self.condition(context, b, wanted));
                    let join = |a: &Vec<Command>, b: &Vec<Command>| {
                        a.iter().chain(b).cloned().collect::<Vec<_>>()
                    };
                    a.iter().flat_map(|a| b.iter().map(move |b| join(a, b))).collect()
                } else {
                    // Disjoint cases, as the program would evaluate them.
                    let mut all = self.condition(context, a, wanted);
                    let not = self.condition(context, a, !wanted);
                    for b in self.condition(context, b, wanted) {
                        all.extend(
                            not.iter().map(|not| not.iter().chain(&b).cloned().collect::<Vec<_>>()),
                        );
                    }
                    all
                }
            }
            Expr::Binary(BinOp::Compare(op), a, b) => {
                let (a, b) = (self.eval(context, a), self.eval(context, b));
                let mut all = Vec::new();
                for (left, a) in &a {
                    for (right, b) in &b {
                        for case in comparison(*op, a, b, wanted) {
                            let mut commands = left.clone();
                            commands.extend(right.iter().cloned());
                            commands.extend(case);
                            all.push(commands);
                        }
                    }
                }
                all
            }
            expr => {
                let values = self.eval(context, expr);
                let mut all = Vec::new();
                for (commands, value) in values {
                    let zero = match value {
                        Val::Heap(..) | Val::Bytes(..) => Val::Heap(HExpr::Null, 0, None),
                        _ => Val::Data(Sum::number(0)),
                    };
                    for case in comparison(Comparison::Ne, &value, &zero, wanted) {
                        let mut commands = commands.clone();
                        commands.extend(case);
                        all.push(commands);
                    }
                }
                all
            }
        }
    }
}

fn named_value(named: Named) -> Val {
    match named {
        Named::Record(x, kind) => Val::Heap(HExpr::Var(x), 0, Some(kind)),
        Named::Bytes(size) => Val::Bytes(size, Sum::number(0)),
    }
}

fn map(all: Alternatives, f: impl Fn(&Val) -> Val) -> Alternatives {
    all.into_iter().map(|(commands, value)| (commands, f(&value))).collect()
}

fn product(a: &Alternatives, b: &Alternatives, f: impl Fn(&Val, &Val) -> Val) -> Alternatives {
    let mut all = Vec::new();
    for (left, a) in a {
        for (right, b) in b {
            let commands = left.iter().chain(right).cloned().collect();
            all.push((commands, f(a, b)));
        }
    }
    all
}

fn arithmetic(op: Arith, a: &Val, b: &Val) -> Val {
    let (Val::Data(a), Val::Data(b)) = (a, b) else { return Val::Any };
    let constant = |sum: &Sum| sum.factors.is_empty().then_some(sum.constant);
    let result = match op {
        Arith::Add => a.plus(b, 1),
        Arith::Sub => a.plus(b, -1),
        Arith::Mul => match (constant(a), constant(b)) {
            (_, Some(b)) => Sum::default().plus(a, b),
            (Some(a), _) => Sum::default().plus(b, a),
            _ => None,
        },
        Arith::Div => match (constant(a), constant(b)) {
            (Some(a), Some(b)) => Some(Sum::number(a.checked_div(b).unwrap_or(0))),
            _ => None,
        },
        Arith::Rem => match (constant(a), constant(b)) {
            (Some(a), Some(b)) => Some(Sum::number(a.checked_rem(b).unwrap_or(0))),
            _ => None,
        },
        _ => None,
    };
    result.map_or(Val::Any, Val::Data)
}

/// What must be assumed for a comparison: one of these.
fn comparison(op: Comparison, a: &Val, b: &Val, wanted: bool) -> Cases {
    let nothing = || vec![Vec::new()];
    let zero = |value: &Val| matches!(value, Val::Data(sum) if *sum == Sum::number(0));
    let heap = |value: &Val| match value {
        Val::Heap(e, offset, _) => Some((*e, *offset)),
        value if zero(value) => Some((HExpr::Null, 0)),
        _ => None,
    };
    let equality = matches!(op, Comparison::Eq | Comparison::Ne);
    let same = (op == Comparison::Eq) == wanted;
    match (a, b) {
        (Val::Data(a), Val::Data(b)) => {
            let assume = |constraint: Option<Constraint>| match constraint {
                Some(constraint) => vec![Command::Assume(constraint)],
                None => Vec::new(),
            };
            let less = |a: &Sum, b: &Sum| assume(Constraint::less(a, b));
            let cases = match (op, wanted) {
                (Comparison::Eq, true) | (Comparison::Ne, false) => {
                    vec![assume(Constraint::equal(a, b))]
                }
                (Comparison::Eq, false) | (Comparison::Ne, true) => vec![less(a, b), less(b, a)],
                (Comparison::Lt, true) => vec![less(a, b)],
                (Comparison::Lt, false) => vec![assume(Constraint::at_most(b, a))],
                (Comparison::Le, true) => vec![assume(Constraint::at_most(a, b))],
                (Comparison::Le, false) => vec![less(b, a)],
            };
            // Comparisons of numbers are decided.
            let decided = |case: &Vec<Command>| match case.as_slice() {
                [Command::Assume(c)] if c.sum.factors.is_empty() => Some(c.is_trivial()),
                _ => None,
            };
            cases.into_iter().filter(|case| decided(case) != Some(false)).collect()
        }
        _ if equality => match (heap(a), heap(b)) {
            (Some((e, m)), Some((f, n))) if m == n => {
                if e == f {
                    return if same { nothing() } else { Vec::new() };
                }
                vec![vec![if same { Command::Equal(e, f) } else { Command::Different(e, f) }]]
            }
            _ => match (a, b) {
                // An array is somewhere.
                (Val::Bytes(..), other) | (other, Val::Bytes(..))
                    if heap(other) == Some((HExpr::Null, 0)) =>
                {
                    if same {
                        Vec::new()
                    } else {
                        nothing()
                    }
                }
                _ => nothing(),
            },
        },
        _ => nothing(),
    }
}
