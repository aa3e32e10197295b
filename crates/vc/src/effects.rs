//! What procedures change, by a fixpoint over the call graph, and which types are in play.

use std::collections::{BTreeMap, BTreeSet};

use spl::core::{Clause, Expr, ExprKind, Name, ProcKind, Program, Stmt, StmtKind, Target, Type};

use crate::translate::HeapVar;

/// What a statement or procedure may do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Effects {
    /// Parts of the heap that it may write.
    pub writes: BTreeSet<HeapVar>,
    /// Types of which it may allocate or free locations.
    pub resizes: BTreeSet<Type>,
    /// Reference types that it mentions, directly or by calls.
    pub types: BTreeSet<Type>,
}

impl Effects {
    fn add(&mut self, other: &Effects) {
        self.writes.extend(other.writes.iter().cloned());
        self.resizes.extend(other.resizes.iter().cloned());
        self.types.extend(other.types.iter().cloned());
    }
}

/// All parts of the heap of a program.
pub(crate) fn heap_vars(program: &Program) -> BTreeSet<HeapVar> {
    let mut vars: BTreeSet<HeapVar> = BTreeSet::new();
    vars.extend(program.fields.keys().cloned().map(HeapVar::Field));
    vars.extend(program.globals.keys().cloned().map(HeapVar::Global));
    for ty in all_types(program) {
        if let Type::Cell(of) = ty {
            vars.insert(HeapVar::Contents((*of).clone()));
        }
    }
    vars
}

/// The reference types in a type. With an array come its cells.
fn references(ty: &Type, found: &mut BTreeSet<Type>) {
    match ty {
        Type::Struct(_) => {
            found.insert(ty.clone());
        }
        Type::Array(of) | Type::Cell(of) => {
            found.insert(Type::Array(of.clone()));
            found.insert(Type::Cell(of.clone()));
            references(of, found);
        }
        Type::Set(of) => references(of, found),
        Type::Map(k, v) => {
            references(k, found);
            references(v, found);
        }
        _ => {}
    }
}

pub(crate) fn all_types(program: &Program) -> BTreeSet<Type> {
    let mut found = BTreeSet::new();
    program.fields.values().for_each(|f| references(&f.ty, &mut found));
    program.globals.values().for_each(|ty| references(ty, &mut found));
    let locals = program.procedures.values().map(|p| &p.locals);
    let locals = locals.chain(program.predicates.values().map(|p| &p.locals));
    let locals = locals.chain(program.functions.values().map(|f| &f.locals));
    let locals = locals.chain(program.axioms.iter().map(|a| &a.locals));
    locals.flatten().for_each(|l| references(&l.ty, &mut found));
    found
}

/// Types that an expression mentions, in predicates and functions too.
fn mentioned(program: &Program, e: &Expr, seen: &mut BTreeSet<Name>, found: &mut BTreeSet<Type>) {
    e.walk(&mut |e| {
        references(&e.ty, found);
        match &*e.kind {
            ExprKind::Predicate(name, _) if seen.insert(name.clone()) => {
                match program.predicates.get(name) {
                    Some(predicate) if predicate.body.is_none() && predicate.spatial => {
                        found.extend(all_types(program));
                    }
                    Some(predicate) => {
                        let body = predicate.body.iter();
                        body.for_each(|body| mentioned(program, body, seen, found));
                    }
                    None => {}
                }
            }
            ExprKind::Function(name, _) if seen.insert(name.clone()) => {
                if let Some(function) = program.functions.get(name) {
                    function.locals.iter().for_each(|l| references(&l.ty, found));
                }
            }
            _ => {}
        }
    });
}

/// The effects of all procedures.
pub(crate) fn effects(program: &Program) -> BTreeMap<Name, Effects> {
    let mut all: BTreeMap<Name, Effects> = BTreeMap::new();
    for (name, procedure) in &program.procedures {
        let mut effects = Effects::default();
        for param in procedure.params.iter().chain(&procedure.returns) {
            if let Some(local) = procedure.locals.get(param.local.0 as usize) {
                references(&local.ty, &mut effects.types);
            }
        }
        let clauses = procedure.requires.iter().chain(&procedure.ensures);
        for Clause { expr, .. } in clauses {
            mentioned(program, expr, &mut BTreeSet::new(), &mut effects.types);
        }
        if procedure.body.is_none() && procedure.kind == ProcKind::Procedure {
            effects.writes = heap_vars(program);
            effects.resizes = effects.types.clone();
        }
        all.insert(name.clone(), effects);
    }
    loop {
        let mut changed = false;
        for (name, procedure) in &program.procedures {
            let Some(body) = &procedure.body else { continue };
            let new = of_statement(program, &all, body);
            if let Some(mine) = all.get_mut(name) {
                let before = mine.clone();
                mine.add(&new);
                changed |= *mine != before;
            }
        }
        if !changed {
            return all;
        }
    }
}

/// The effects of a statement, given those of procedures.
pub(crate) fn of_statement(
    program: &Program,
    all: &BTreeMap<Name, Effects>,
    stmt: &Stmt,
) -> Effects {
    let mut effects = Effects::default();
    stmt.walk(&mut |s| {
        let (targets, callee): (&[Target], _) = match &s.kind {
            StmtKind::Assign(targets, _) | StmtKind::Havoc(targets) => (targets, None),
            StmtKind::Call(targets, name, _) => (targets, Some(name)),
            StmtKind::Free(e) => {
                effects.resizes.insert(e.ty.clone());
                if let Type::Array(of) = &e.ty {
                    effects.resizes.insert(Type::Cell(of.clone()));
                }
                (&[], None)
            }
            _ => (&[], None),
        };
        for target in targets {
            match target {
                Target::Local(_) => {}
                Target::Global(name) => {
                    effects.writes.insert(HeapVar::Global(name.clone()));
                }
                Target::Field(name, _) => {
                    effects.writes.insert(HeapVar::Field(name.clone()));
                }
                Target::Array(a, _) => {
                    if let Type::Array(of) = &a.ty {
                        effects.writes.insert(HeapVar::Contents((**of).clone()));
                    }
                }
                Target::Cell(c) => {
                    if let Type::Cell(of) = &c.ty {
                        effects.writes.insert(HeapVar::Contents((**of).clone()));
                    }
                }
            }
        }
        if let Some(callee) = callee.and_then(|name| all.get(name)) {
            effects.add(callee);
        }
        s.each_expr(&mut |e| {
            mentioned(program, e, &mut BTreeSet::new(), &mut effects.types);
            e.walk(&mut |e| match &*e.kind {
                ExprKind::Call(name, _) => {
                    if let Some(callee) = all.get(name) {
                        effects.add(callee);
                    }
                }
                ExprKind::New(ty) => {
                    effects.resizes.insert(ty.clone());
                    // A new object has any values in its fields.
                    if let Type::Struct(name) = ty {
                        let fields = program.structs.get(name).into_iter().flatten();
                        effects.writes.extend(fields.cloned().map(HeapVar::Field));
                    }
                }
                ExprKind::NewArray(of, _) => {
                    effects.resizes.insert(Type::Array(of.clone().into()));
                    effects.resizes.insert(Type::Cell(of.clone().into()));
                    effects.writes.insert(HeapVar::Contents(of.clone()));
                }
                _ => {}
            });
        });
    });
    effects
}

/// Locals that a statement assigns.
pub(crate) fn assigned(stmt: &Stmt) -> BTreeSet<spl::core::LocalId> {
    let mut found = BTreeSet::new();
    stmt.walk(&mut |s| {
        if let StmtKind::Assign(targets, _)
        | StmtKind::Havoc(targets)
        | StmtKind::Call(targets, ..) = &s.kind
        {
            for target in targets {
                if let Target::Local(local) = target {
                    found.insert(*local);
                }
            }
        }
    });
    found
}
