//! What is erased: it is there for proofs only, and must not influence what is left.
//!
//! SPL does not check that: ghost values may flow anywhere. So it is checked here, where somebody relies on it. Ghost is
//! what is declared so, and everything whose type has no values in heap programs. A lemma is erased if it changes nothing
//! and returns nothing; that it ends is shown by the verifier. A loop that a ghost value decides on is not erased: nothing
//! shows that it ends.

use std::collections::BTreeSet;

use report::Span;

use super::types::Layouts;
use crate::core::{
    BinOp, Expr, ExprKind, Ghost, Local, LocalId, Name, ProcKind, Procedure, Program, Stmt,
    StmtKind, Target, Type, UnOp,
};

/// Why something has no counterpart in a heap program.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// What.
    pub span: Span,
    /// Why, a sentence without its full stop.
    pub message: String,
    /// What can be done.
    pub help: Option<String>,
}

impl Refusal {
    pub(super) fn new(span: Span, message: impl Into<String>) -> Refusal {
        Refusal { span, message: message.into(), help: None }
    }
}

/// What is erased.
#[derive(Clone, Debug)]
pub(super) struct Erasure<'p> {
    program: &'p Program,
    layouts: Layouts,
    /// Lemmas that are not called.
    lemmas: BTreeSet<Name>,
    /// Those of them that assume something.
    assuming: BTreeSet<Name>,
    /// Those of them that assert something.
    asserting: BTreeSet<Name>,
}

/// A statement of erased code that is more than erased code: a run may end there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Says {
    /// Runs for which it does not hold are none.
    Assume,
    /// It must hold.
    Assert,
}

impl<'p> Erasure<'p> {
    pub(super) fn new(program: &'p Program, layouts: &Layouts) -> Erasure<'p> {
        let is_lemma = |p: &&Procedure| p.kind != ProcKind::Procedure;
        let lemmas = program.procedures.values().filter(is_lemma).map(|p| p.name.clone()).collect();
        let mut erasure = Erasure {
            program,
            layouts: layouts.clone(),
            lemmas,
            assuming: BTreeSet::new(),
            asserting: BTreeSet::new(),
        };
        // The largest set of lemmas that call nothing but each other and change nothing.
        loop {
            let kept = |name: &&Name| {
                let lemma = program.procedures.get(*name);
                lemma.is_none_or(|lemma| erasure.changes_something(lemma))
            };
            let kept: Vec<Name> = erasure.lemmas.iter().filter(kept).cloned().collect();
            if kept.is_empty() {
                break;
            }
            kept.iter().for_each(|name| {
                erasure.lemmas.remove(name);
            });
        }
        // The least sets of those that assume or assert something, or call one that does.
        for what in [Says::Assume, Says::Assert] {
            loop {
                let new = |name: &&Name| {
                    !erasure.lemma_says(name, what)
                        && program.procedures.get(*name).is_some_and(|lemma| match &lemma.body {
                            None => what == Says::Assume,
                            Some(body) => erasure.says(body, what),
                        })
                };
                let new: Vec<Name> = erasure.lemmas.iter().filter(new).cloned().collect();
                if new.is_empty() {
                    break;
                }
                match what {
                    Says::Assume => erasure.assuming.extend(new),
                    Says::Assert => erasure.asserting.extend(new),
                }
            }
        }
        erasure
    }

    /// Is a procedure erased with all its calls?
    pub(super) fn erased(&self, name: &Name) -> bool {
        self.lemmas.contains(name)
    }

    /// Does a call of an erased lemma assume or assert something?
    pub(super) fn lemma_says(&self, name: &Name, what: Says) -> bool {
        match what {
            Says::Assume => self.assuming.contains(name),
            Says::Assert => self.asserting.contains(name),
        }
    }

    pub(super) fn is_ghost(&self, locals: &[Local], local: LocalId, declared: Ghost) -> bool {
        let Some(local) = locals.get(local.0 as usize) else { return true };
        declared != Ghost::No || local.ghost || self.layouts.scalar(&local.ty).is_none()
    }

    pub(super) fn is_ghost_global(&self, name: &Name) -> bool {
        let ty = self.program.globals.get(name);
        self.program.ghost_globals.contains(name)
            || ty.is_none_or(|ty| self.layouts.scalar(ty).is_none())
    }

    fn is_ghost_in(&self, procedure: &Procedure, local: LocalId) -> bool {
        let mut params = procedure.params.iter().chain(&procedure.returns);
        let declared = params.find(|p| p.local == local).map_or(Ghost::No, |p| p.ghost);
        self.is_ghost(&procedure.locals, local, declared)
    }

    fn changes_something(&self, lemma: &Procedure) -> bool {
        let returns = lemma.returns.iter().any(|r| !self.is_ghost_in(lemma, r.local));
        // Its own variables are nobody else's.
        let body = lemma.body.as_ref();
        returns || body.is_some_and(|body| self.effect(body, &|_| true, true).is_some())
    }

    /// Where a statement changes what is not ghost, calls what is not erased, or may not end.
    pub(super) fn effect(
        &self,
        stmt: &Stmt,
        is_ghost: &dyn Fn(LocalId) -> bool,
        loops_end: bool,
    ) -> Option<Span> {
        let real = |target: &Target| match target {
            Target::Local(local) => !is_ghost(*local),
            Target::Global(name) => !self.is_ghost_global(name),
            Target::Field(name, _) => self.layouts.field(name).is_some(),
            Target::Array(..) | Target::Cell(_) => true,
        };
        let acts = |e: &Expr| {
            let mut found = false;
            e.walk(&mut |e| {
                found |= match &*e.kind {
                    ExprKind::New(_) | ExprKind::NewArray(..) => true,
                    ExprKind::Call(name, _) => !self.erased(name),
                    _ => false,
                };
            });
            found
        };
        let go = |stmt: &Stmt| self.effect(stmt, is_ghost, loops_end);
        let found = match &stmt.kind {
            StmtKind::Block(all) | StmtKind::Choose(all) => return all.iter().find_map(go),
            StmtKind::If(cond, then, otherwise) => {
                let inner = go(then).or_else(|| go(otherwise.as_deref()?));
                return inner.or_else(|| acts(cond).then_some(cond.span));
            }
            StmtKind::While(cond, _, body) => {
                if let Some(span) = go(body) {
                    return Some(span);
                }
                !loops_end || acts(cond)
            }
            StmtKind::Assign(targets, values) => {
                targets.iter().any(real) || values.iter().any(acts)
            }
            StmtKind::Call(targets, name, args) => {
                !self.erased(name) || targets.iter().any(real) || args.iter().any(acts)
            }
            StmtKind::Havoc(targets) => targets.iter().any(real),
            StmtKind::Free(_) => true,
            // The end of a lemma is the end of nothing else.
            StmtKind::Return(_) => !loops_end,
            StmtKind::Assume(..) | StmtKind::Assert(..) => false,
        };
        found.then_some(stmt.span)
    }

    /// Does a statement assume or assert something?
    pub(super) fn says(&self, stmt: &Stmt, what: Says) -> bool {
        let mut found = false;
        stmt.walk(&mut |stmt| {
            found |= match &stmt.kind {
                StmtKind::Assume(..) => what == Says::Assume,
                StmtKind::Assert(mods, ..) => mods.free == (what == Says::Assume),
                StmtKind::Call(_, name, _) => self.lemma_says(name, what),
                _ => false,
            };
        });
        found
    }

    /// Why an expression cannot be a value of a heap program.
    pub(super) fn refusal(
        &self,
        e: &Expr,
        locals: &[Local],
        is_ghost: &dyn Fn(LocalId) -> bool,
    ) -> Option<Refusal> {
        let go = |e: &Expr| self.refusal(e, locals, is_ghost);
        let ghost = |what: &str, name: &str| {
            Refusal {
            span: e.span,
            message: format!("the ghost {what} `{name}` influences what is not ghost"),
            help: Some(
                "ghost values flow into ghost variables, ghost fields, ghost parameters, assertions \
                 and lemmas"
                    .to_owned(),
            ),
        }
        };
        let no_value = || {
            let mut refusal = Refusal::new(
                e.span,
                format!("a value of type `{}` decides here what the program does", e.ty),
            );
            refusal.help = Some("heap programs have no such values but in ghost code".to_owned());
            Some(refusal)
        };
        let spec = |what: &str| Some(Refusal::new(e.span, format!("{what} in code")));
        let all = |all: &[Expr]| all.iter().find_map(go);
        match &*e.kind {
            ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::Byte(_) | ExprKind::New(_) => None,
            ExprKind::Null if self.layouts.scalar(&e.ty).is_none() => no_value(),
            ExprKind::Null => None,
            ExprKind::Local(local) if is_ghost(*local) => {
                let declared = locals.get(local.0 as usize);
                match declared.filter(|l| self.layouts.scalar(&l.ty).is_some()) {
                    Some(local) => Some(ghost("variable", &local.name)),
                    None => no_value(),
                }
            }
            ExprKind::Local(_) => None,
            ExprKind::Global(name) if self.is_ghost_global(name) => {
                match self.layouts.scalar(&e.ty) {
                    Some(_) => Some(ghost("variable", name)),
                    None => no_value(),
                }
            }
            ExprKind::Global(_) => None,
            ExprKind::Read(map, key) => match &*map.kind {
                ExprKind::Field(name) if self.layouts.field(name).is_some() => go(key),
                ExprKind::Field(_) if self.layouts.scalar(&e.ty).is_none() => no_value(),
                ExprKind::Field(name) => Some(ghost("field", name)),
                ExprKind::Cells(array) if self.layouts.scalar(&e.ty).is_some() => {
                    go(array).or_else(|| go(key))
                }
                _ => go(map).or_else(no_value),
            },
            ExprKind::ArrayRead(a, _) | ExprKind::Length(a)
                if self.layouts.scalar(&a.ty).is_none() =>
            {
                if self.layouts.simple_arrays() {
                    return spec("an array that is a map (`-simplearrays`)");
                }
                no_value()
            }
            ExprKind::ArrayRead(a, b) => go(a).or_else(|| go(b)),
            ExprKind::CellRead(a) if self.layouts.scalar(&a.ty).is_none() => no_value(),
            ExprKind::CellRead(a) | ExprKind::Length(a) => go(a),
            ExprKind::NewArray(_, length) => match self.layouts.scalar(&e.ty) {
                Some(_) => go(length),
                None if self.layouts.simple_arrays() => {
                    spec("an array that is a map (`-simplearrays`)")
                }
                None => no_value(),
            },
            ExprKind::CellArray(_) => spec("the array of a cell"),
            ExprKind::CellIndex(_) => spec("the index of a cell"),
            ExprKind::Field(_)
            | ExprKind::Update(..)
            | ExprKind::Cells(_)
            | ExprKind::Contents(_)
            | ExprKind::Set(_)
            | ExprKind::Construct(..) => no_value(),
            ExprKind::Comprehension(..) => no_value(),
            ExprKind::Destruct(name, _) => spec(&format!(
                "the destructor `{name}` of a datatype, which heap programs do not have,"
            )),
            ExprKind::Call(name, args) => self.refused_call(e, name, args, &go),
            ExprKind::Function(name, args) => {
                let Some(function) = self.program.functions.get(name) else {
                    return spec("this function");
                };
                if function.body.is_none() {
                    return spec(&format!("the function `{name}`, which has no body,"));
                }
                if self.layouts.scalar(&e.ty).is_none() {
                    return no_value();
                }
                let real = function.params.iter().zip(args);
                real.filter(|(p, _)| !self.is_ghost(&function.locals, p.local, p.ghost))
                    .find_map(|(_, arg)| go(arg))
            }
            ExprKind::Predicate(name, args) => {
                let Some(predicate) = self.program.predicates.get(name) else {
                    return spec("this predicate");
                };
                if predicate.body.is_none() {
                    return spec(&format!("the predicate `{name}`, which has no body,"));
                }
                let real = predicate.params.iter().zip(args);
                real.filter(|(p, _)| !self.is_ghost(&predicate.locals, p.local, p.ghost))
                    .find_map(|(_, arg)| go(arg))
            }
            ExprKind::Emp | ExprKind::Acc(_) | ExprKind::AccSet(_) | ExprKind::PointsTo(..) => {
                spec("a spatial assertion")
            }
            ExprKind::Btwn(..) => spec("`Btwn` or `Reach`"),
            ExprKind::Disjoint(..) => spec("`Disjoint`"),
            ExprKind::Frame(..) => spec("`Frame`"),
            ExprKind::Old(_) => spec("`old`"),
            ExprKind::Quant(..) => spec("a quantifier"),
            ExprKind::Unary(UnOp::Neg | UnOp::Not | UnOp::Int2Byte | UnOp::Byte2Int, a)
            | ExprKind::Unary(UnOp::BitNot, a) => go(a),
            ExprKind::Binary(op, a, b) => match op {
                BinOp::In
                | BinOp::NotIn
                | BinOp::Union
                | BinOp::Inter
                | BinOp::Diff
                | BinOp::SepIncl
                | BinOp::SepPlus
                | BinOp::SepStar
                | BinOp::PointsTo => go(a).or_else(|| go(b)).or_else(no_value),
                BinOp::Le | BinOp::Ge if matches!(a.ty, Type::Set(_)) => go(a).or_else(no_value),
                _ => go(a).or_else(|| go(b)),
            },
            ExprKind::Cond(c, a, b) => go(c).or_else(|| go(a)).or_else(|| go(b)),
        }
        .or_else(|| match &*e.kind {
            ExprKind::Set(elements) => all(elements),
            _ => None,
        })
    }

    fn refused_call(
        &self,
        e: &Expr,
        name: &Name,
        args: &[Expr],
        go: &dyn Fn(&Expr) -> Option<Refusal>,
    ) -> Option<Refusal> {
        let callee = self.program.procedures.get(name)?;
        let result = callee.returns.iter().find(|r| r.ghost != Ghost::Implicit);
        if self.erased(name) || result.is_none_or(|r| self.is_ghost_in(callee, r.local)) {
            let message = format!("the ghost result of `{name}` influences what is not ghost");
            return Some(Refusal::new(e.span, message));
        }
        self.refused_argument(name, args, go)
    }

    /// Why a procedure cannot be called with these arguments.
    pub(super) fn refused_argument(
        &self,
        name: &Name,
        args: &[Expr],
        go: &dyn Fn(&Expr) -> Option<Refusal>,
    ) -> Option<Refusal> {
        let callee = self.program.procedures.get(name)?;
        let passed = callee.params.iter().filter(|p| p.ghost != Ghost::Implicit).zip(args);
        passed.filter(|(p, _)| !self.is_ghost_in(callee, p.local)).find_map(|(_, arg)| go(arg))
    }
}
