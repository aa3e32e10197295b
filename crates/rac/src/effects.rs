//! What code may write, allocate and free. A call that is known by its contract leaves the rest as it is.

use std::collections::BTreeSet;

use spl::core::{Expr, ExprKind, LocalId, Name, ProcKind, Program, Stmt, StmtKind, Target, Type};

/// What code may change.
#[derive(Clone, Debug, Default)]
pub(crate) struct Effects {
    pub fields: BTreeSet<Name>,
    pub globals: BTreeSet<Name>,
    /// Elements of arrays of these.
    pub elements: BTreeSet<Type>,
    /// Types of which it allocates or frees locations.
    pub resizes: BTreeSet<Type>,
    /// Everything: it has no body.
    pub all: bool,
    /// Local variables, of the statement itself.
    pub locals: BTreeSet<LocalId>,
}

impl Effects {
    /// What a statement does, with all that it calls.
    pub fn of(program: &Program, stmt: &Stmt) -> Effects {
        let mut effects = Effects::default();
        effects.add(program, stmt, &mut BTreeSet::new());
        // Those of procedures that are called are numbered like ours, and are not ours.
        effects.locals.clear();
        stmt.walk(&mut |s| {
            if let StmtKind::Assign(targets, _)
            | StmtKind::Havoc(targets)
            | StmtKind::Call(targets, ..) = &s.kind
            {
                effects.locals.extend(targets.iter().filter_map(|target| match target {
                    Target::Local(local) => Some(*local),
                    _ => None,
                }));
            }
        });
        effects
    }

    /// What a procedure does.
    pub fn of_procedure(program: &Program, name: &Name) -> Effects {
        let mut effects = Effects::default();
        effects.call(program, name, &mut BTreeSet::new());
        effects
    }

    fn call(&mut self, program: &Program, name: &Name, seen: &mut BTreeSet<Name>) {
        if !seen.insert(name.clone()) {
            return;
        }
        match program.procedures.get(name).map(|p| (p.kind, &p.body)) {
            Some((_, Some(body))) => self.add(program, body, seen),
            Some((ProcKind::Procedure, None)) => self.all = true,
            _ => {}
        }
    }

    fn add(&mut self, program: &Program, stmt: &Stmt, seen: &mut BTreeSet<Name>) {
        stmt.walk(&mut |s| {
            match &s.kind {
                StmtKind::Assign(targets, _) | StmtKind::Havoc(targets) => self.write(targets),
                StmtKind::Call(targets, name, _) => {
                    self.write(targets);
                    self.call(program, name, seen);
                }
                StmtKind::Free(e) => self.resize(&e.ty),
                _ => {}
            }
            s.each_expr(&mut |e| e.walk(&mut |e| self.side_effects(program, e, seen)));
        });
    }

    fn side_effects(&mut self, program: &Program, e: &Expr, seen: &mut BTreeSet<Name>) {
        match &*e.kind {
            ExprKind::Call(name, _) => self.call(program, name, seen),
            ExprKind::New(ty) => {
                self.resize(ty);
                if let Type::Struct(name) = ty {
                    let fields = program.structs.get(name).into_iter().flatten();
                    self.fields.extend(fields.cloned());
                }
            }
            ExprKind::NewArray(of, _) => {
                self.resize(&Type::Array(of.clone().into()));
                self.elements.insert(of.clone());
            }
            _ => {}
        }
    }

    fn resize(&mut self, ty: &Type) {
        self.resizes.insert(ty.clone());
        if let Type::Array(of) = ty {
            self.resizes.insert(Type::Cell(of.clone()));
        }
    }

    fn write(&mut self, targets: &[Target]) {
        for target in targets {
            match target {
                Target::Local(_) => {}
                Target::Global(name) => drop(self.globals.insert(name.clone())),
                Target::Field(name, _) => drop(self.fields.insert(name.clone())),
                Target::Array(e, _) | Target::Cell(e) => {
                    if let Type::Array(of) | Type::Cell(of) = &e.ty {
                        self.elements.insert((**of).clone());
                    }
                }
            }
        }
    }
}
