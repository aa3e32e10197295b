//! Commands: how they are passed, and how they may fail.

use arith::Sum;
use heap::{Callee, Check, Command as C, Expr, ObjectId, Scalar, VarId};

use super::{Cases, Field, Named, Slot, Translation, Val, assign, at_least};
use crate::exec::{Command, HExpr};

impl Translation<'_> {
    /// A command: how it may be passed, and how it may fail. `None` where the program ends.
    #[allow(clippy::type_complexity)]
    pub(super) fn command(
        &mut self,
        context: usize,
        command: &C,
    ) -> Result<(Option<Cases>, Vec<(Vec<Command>, String)>), String> {
        let slot =
            |this: &Self, var: &VarId| this.contexts[context].slots.get(var.index()).copied();
        let passed = |cases: Cases| Ok((Some(cases), Vec::new()));
        match command {
            C::Skip => passed(vec![Vec::new()]),
            C::Assign(var, expr) => {
                let Some(slot) = slot(self, var) else {
                    return Err("a variable is missing".into());
                };
                let values = self.eval(context, expr);
                let each = values.into_iter().map(|(mut commands, value)| {
                    commands.push(assign(slot, &value));
                    commands
                });
                passed(each.collect())
            }
            C::Havoc(var) | C::Forget(var) => {
                let ty = self.program.proc(self.contexts[context].proc).vars.get(var.index());
                let ty = ty.map(|var| var.ty);
                match (slot(self, var), ty) {
                    (Some(Slot::Heap(x)), _) => passed(vec![vec![Command::Havoc(x)]]),
                    (Some(Slot::Data(a)), Some(Scalar::Int(ty)))
                        if matches!(command, C::Havoc(_)) =>
                    {
                        let value = Sum::var(a as u32);
                        let bounds = ty.bounds().map_or([None, None], |(low, high)| {
                            let low = at_least(&value, &Sum::number(low));
                            [low, at_least(&Sum::number(high), &value)]
                        });
                        let bounds = bounds.into_iter().flatten().collect();
                        passed(vec![vec![Command::Draw(a, bounds)]])
                    }
                    (Some(Slot::Data(a)), _) => {
                        passed(vec![vec![Command::HavocData(a, Vec::new())]])
                    }
                    _ => passed(vec![Vec::new()]),
                }
            }
            C::Assume(expr) => passed(self.condition(context, expr, true)),
            C::Assert(expr, check) => {
                let holds = self.condition(context, expr, true);
                // Division by zero ends a run, and is none of the properties.
                let fails = match check {
                    Check::Divisor => Vec::new(),
                    _ => self.condition(context, expr, false),
                };
                let reason = match check {
                    Check::Assertion => "the assertion may fail",
                    Check::Unreachable => "the error may be reached",
                    Check::Freed => "what is freed may be null",
                    Check::Length => "the length of an array may be negative",
                    Check::Divisor | Check::Index => "an index may be outside of its array",
                };
                Ok((Some(holds), fails.into_iter().map(|c| (c, reason.to_owned())).collect()))
            }
            C::Exit(_) | C::Abort => Ok((None, Vec::new())),
            C::Alloc { to, size, zeroed, record, .. } => {
                let Some(Slot::Heap(x)) = slot(self, to) else {
                    return Err("an address is kept as a number".into());
                };
                let kind = record.and_then(|record| {
                    let bytes = self.program.records.get(record.0 as usize)?.size;
                    let exact = matches!(size, Expr::Int(n) if *n == i128::from(bytes));
                    if exact { self.kind(record, true) } else { None }
                });
                let Some(kind) = kind else {
                    return Err("an object that is no record is allocated".into());
                };
                let mut cases = vec![vec![Command::New(x, kind, *zeroed)]];
                if self.setting.malloc_may_fail {
                    cases.push(vec![Command::Assign(x, HExpr::Null)]);
                }
                passed(cases)
            }
            C::Free(expr) => {
                let mut cases = Vec::new();
                for (commands, value) in self.eval(context, expr) {
                    match value {
                        Val::Heap(HExpr::Null, 0, _) => cases.push(commands),
                        Val::Heap(HExpr::Var(x), 0, _) => {
                            let (e, null) = (HExpr::Var(x), HExpr::Null);
                            let mut nothing = commands.clone();
                            nothing.push(Command::Equal(e, null));
                            cases.push(nothing);
                            let mut freed = commands;
                            freed.extend([Command::Different(e, null), Command::Free(x)]);
                            cases.push(freed);
                        }
                        _ => return Err("what is freed is not followed".into()),
                    }
                }
                passed(cases)
            }
            C::Enter(object) | C::Leave(object) => {
                let entered = matches!(command, C::Enter(_));
                match self.named(context, *object) {
                    Some(Named::Record(x, kind)) if entered => {
                        passed(vec![vec![Command::New(x, kind, false)]])
                    }
                    Some(Named::Record(x, _)) => passed(vec![vec![Command::Release(x)]]),
                    _ => passed(vec![Vec::new()]),
                }
            }
            C::Load { to, at, ty } => self.access(context, at, *ty, Access::Load(slot(self, to))),
            C::Store { at, value, ty } => {
                let mut all = (Some(Vec::new()), Vec::new());
                for (commands, value) in self.eval(context, value) {
                    let (cases, fails) = self.access(context, at, *ty, Access::Store(value))?;
                    let with = |case: Vec<Command>| {
                        commands.iter().cloned().chain(case).collect::<Vec<Command>>()
                    };
                    if let (Some(all), Some(cases)) = (&mut all.0, cases) {
                        all.extend(cases.into_iter().map(with));
                    }
                    all.1.extend(fails.into_iter().map(|(case, reason)| (with(case), reason)));
                }
                Ok(all)
            }
            C::Call { to, callee: Callee::Proc(_), .. } => {
                match to.as_ref().and_then(|to| slot(self, to)) {
                    // Without a body: the result is any value of its type.
                    Some(Slot::Heap(x)) => passed(vec![vec![Command::Havoc(x)]]),
                    Some(Slot::Data(a)) => passed(vec![vec![Command::HavocData(a, Vec::new())]]),
                    _ => passed(vec![Vec::new()]),
                }
            }
            C::Print { to, into: None, args } => {
                for arg in args.iter().skip(1) {
                    for (_, value) in self.eval(context, arg) {
                        if matches!(value, Val::Heap(..) | Val::Bytes(..)) {
                            return Err("memory is printed".into());
                        }
                    }
                }
                match to.as_ref().and_then(|to| slot(self, to)) {
                    Some(Slot::Data(a)) => passed(vec![vec![Command::HavocData(a, Vec::new())]]),
                    _ => passed(vec![Vec::new()]),
                }
            }
            C::Copy { to, from, size: Expr::Int(size), .. } => self.copy(context, to, from, *size),
            C::AssumeFormula(_) => passed(vec![Vec::new()]),
            C::AssertFormula(_) => Err("an assertion is no condition".into()),
            C::Unsupported(what) => Err(what.clone()),
            C::Copy { .. } => Err("bytes are copied".into()),
            C::Fill { .. } => Err("bytes are filled".into()),
            C::Realloc { .. } => Err("an object gets another size".into()),
            C::Print { .. } => Err("text is written to memory".into()),
            C::Call { .. } => Err("a function is called through a pointer".into()),
        }
    }

    fn named(&self, context: usize, object: ObjectId) -> Option<Named> {
        self.contexts[context].objects.get(object.index()).copied()
    }

    /// A load or a store.
    #[allow(clippy::type_complexity)]
    fn access(
        &mut self,
        context: usize,
        at: &Expr,
        ty: Scalar,
        access: Access,
    ) -> Result<(Option<Cases>, Vec<(Vec<Command>, String)>), String> {
        let (mut cases, mut fails) = (Vec::new(), Vec::new());
        let bytes = ty.bytes(self.program.model);
        for (commands, place) in self.eval(context, at) {
            let with =
                |more: Vec<Command>| commands.iter().cloned().chain(more).collect::<Vec<Command>>();
            match place {
                Val::Heap(HExpr::Null, ..) => {
                    fails.push((commands, "the null pointer may be used".to_owned()));
                }
                Val::Heap(HExpr::Var(x), offset, Some(kind)) => {
                    let field = self.field(kind, offset);
                    let fits = match (field, ty) {
                        (Some(Field::Data(_)), Scalar::Int(ty)) => self.has_type(kind, offset, ty),
                        (Some(Field::Ptr(_)), Scalar::Ptr(_)) => true,
                        _ => false,
                    };
                    let Some(field) = field.filter(|_| fits) else {
                        return Err("a part of an object is used that is no field".into());
                    };
                    let command = match (field, &access) {
                        (Field::Ptr(f), Access::Load(Some(Slot::Heap(y)))) => {
                            Command::Load(*y, x, kind, f)
                        }
                        (Field::Data(f), Access::Load(Some(Slot::Data(a)))) => {
                            Command::LoadData(*a, x, kind, f)
                        }
                        (Field::Ptr(f), Access::Store(Val::Heap(value, 0, _))) => {
                            Command::Store(x, kind, f, *value)
                        }
                        (Field::Data(f), Access::Store(Val::Data(sum))) => {
                            Command::StoreData(x, kind, f, sum.clone())
                        }
                        (Field::Ptr(f), Access::Store(_)) => {
                            let y = self.heap_var(format!("$p{}", self.cfg.heap.len()));
                            cases.push(with(vec![
                                Command::Havoc(y),
                                Command::Store(x, kind, f, HExpr::Var(y)),
                            ]));
                            continue;
                        }
                        (Field::Data(f), Access::Store(_)) => {
                            let a = self.data_var(format!("$d{}", self.cfg.data.len()));
                            cases.push(with(vec![
                                Command::HavocData(a, Vec::new()),
                                Command::StoreData(x, kind, f, Sum::var(a as u32)),
                            ]));
                            continue;
                        }
                        (_, Access::Load(_)) => {
                            return Err("a value is read as one of another type".into());
                        }
                    };
                    cases.push(with(vec![command]));
                }
                Val::Bytes(size, offset) => {
                    let end = offset.plus(&Sum::number(i128::from(bytes)), 1);
                    let inside = end.and_then(|end| {
                        let low = at_least(&offset, &Sum::number(0))?;
                        Some([low, at_least(&Sum::number(i128::from(size)), &end)?])
                    });
                    let Some(inside) = inside else { return Err("numbers are too large".into()) };
                    let mut case: Vec<Command> =
                        inside.iter().cloned().map(Command::Assume).collect();
                    match &access {
                        Access::Load(Some(Slot::Heap(y))) => case.push(Command::Havoc(*y)),
                        Access::Load(Some(Slot::Data(a))) => {
                            case.push(Command::HavocData(*a, Vec::new()));
                        }
                        _ => {}
                    }
                    cases.push(with(case));
                    for bound in &inside {
                        for outside in bound.negation().unwrap_or_default() {
                            let reason = "an array may be left".to_owned();
                            fails.push((with(vec![Command::Assume(outside)]), reason));
                        }
                    }
                }
                _ => return Err("a pointer is used that is not followed".into()),
            }
        }
        Ok((Some(cases), fails))
    }

    /// A record is copied field by field.
    #[allow(clippy::type_complexity)]
    fn copy(
        &mut self,
        context: usize,
        to: &Expr,
        from: &Expr,
        size: i128,
    ) -> Result<(Option<Cases>, Vec<(Vec<Command>, String)>), String> {
        let unsupported = || Err("bytes are copied".to_owned());
        let (to, from) = (self.eval(context, to), self.eval(context, from));
        let ([(before, to)], [(more, from)]) = (to.as_slice(), from.as_slice()) else {
            return unsupported();
        };
        let Val::Heap(HExpr::Var(x), into, Some(own)) = *to else { return unsupported() };
        let Val::Heap(HExpr::Var(y), start, Some(other)) = *from else { return unsupported() };
        let mut commands: Vec<Command> = before.iter().chain(more).cloned().collect();
        let fields = self.cfg.defs.kind(other).clone();
        let offsets = fields.data.iter().map(|f| f.1).chain(fields.ptrs.iter().map(|f| f.1));
        let mut copied = 0;
        for offset in offsets.map(i128::from).filter(|o| (start..start + size).contains(o)) {
            copied += 1;
            match (self.field(other, offset), self.field(own, offset - start + into)) {
                (Some(Field::Data(f)), Some(Field::Data(g))) => {
                    let ty = u64::try_from(offset).ok();
                    let ty = ty.and_then(|at| self.types.get(&(other, at)).copied());
                    if !ty.is_some_and(|ty| self.has_type(own, offset - start + into, ty)) {
                        return unsupported();
                    }
                    let a = self.data_var(format!("$d{}", self.cfg.data.len()));
                    commands.push(Command::LoadData(a, y, other, f));
                    commands.push(Command::StoreData(x, own, g, Sum::var(a as u32)));
                }
                (Some(Field::Ptr(f)), Some(Field::Ptr(g))) => {
                    let p = self.heap_var(format!("$p{}", self.cfg.heap.len()));
                    commands.push(Command::Load(p, y, other, f));
                    commands.push(Command::Store(x, own, g, HExpr::Var(p)));
                }
                _ => return unsupported(),
            }
        }
        // Fields of the target that nothing is copied to would keep what they held.
        let target = self.cfg.defs.kind(own);
        let all = target.data.iter().map(|f| f.1).chain(target.ptrs.iter().map(|f| f.1));
        if all.map(i128::from).filter(|o| (into..into + size).contains(o)).count() != copied {
            return unsupported();
        }
        Ok((Some(vec![commands]), Vec::new()))
    }
}

enum Access {
    Load(Option<Slot>),
    Store(Val),
}
