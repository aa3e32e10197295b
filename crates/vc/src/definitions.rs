//! What predicates and functions are: which are recursive, which parts of the heap each reads, and of
//! which types its footprint has locations.
//!
//! A predicate or function that is not recursive is replaced by its body. All others are symbols: of
//! the parts of the heap that they read, and of their arguments.

use std::collections::{BTreeMap, BTreeSet};

use spl::core::{Expr, ExprKind, Function, Name, Param, Predicate, Program, Type};

use crate::effects;
use crate::translate::HeapVar;

/// What is known of the definitions of a program before any proof.
#[derive(Clone, Debug, Default)]
pub(crate) struct Definitions {
    /// By predicate or function: the parts of the heap that it depends on.
    pub reads: BTreeMap<Name, BTreeSet<HeapVar>>,
    /// By predicate: types of locations in its footprint.
    pub footprints: BTreeMap<Name, BTreeSet<Type>>,
    /// Those that use themselves.
    pub recursive: BTreeSet<Name>,
    /// By predicate or function: those that it uses, directly or not.
    pub uses: BTreeMap<Name, BTreeSet<Name>>,
    /// The same, with what contracts of functions use: proofs of postconditions rest on these.
    pub rests_on: BTreeMap<Name, BTreeSet<Name>>,
    /// Predicates whose footprint is determined by arguments and heap.
    pub precise: BTreeSet<Name>,
    /// By predicate: parameters that others determine.
    pub determined: BTreeMap<Name, Dependency>,
    /// Predicates that depend on nothing outside of their footprint.
    pub framed: BTreeSet<Name>,
    /// Fields by which paths matter.
    pub paths: BTreeSet<Name>,
    /// By recursive function: where it is what its body says.
    pub domains: BTreeMap<Name, Vec<Domain>>,
    /// By recursive function: which parts of the heap determine it.
    pub regions: BTreeMap<Name, Vec<Domain>>,
}

/// Which parameters of a predicate, by number, determine which, and the footprint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Dependency {
    /// Those that are determined.
    pub outputs: BTreeSet<usize>,
    /// Those that determine nothing. All others do.
    pub free: BTreeSet<usize>,
}

/// Arguments for which a recursion ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Domain {
    Everywhere,
    /// Everywhere, as a least fixpoint of truth: nothing gets smaller.
    Truth,
    /// What the function requires.
    Required,
    /// A path by a field leads from a parameter to `null`.
    Path {
        field: Name,
        param: usize,
    },
    /// A predicate holds of a parameter.
    Holds {
        predicate: Name,
        param: usize,
    },
}

impl Definitions {
    pub fn new(program: &Program) -> Definitions {
        let mut definitions = Definitions::default();
        definitions.find_uses(program);
        definitions.find_reads(program);
        definitions.find_footprints(program);
        definitions.find_paths(program);
        definitions
    }

    fn find_uses(&mut self, program: &Program) {
        let bodies = bodies(program);
        for (name, body) in &bodies {
            self.uses.insert((*name).clone(), used(body));
        }
        close(&mut self.uses);
        self.rests_on = self.uses.clone();
        for function in program.functions.values() {
            let clauses = function.requires.iter().chain(&function.ensures);
            let mine = self.rests_on.entry(function.name.clone()).or_default();
            mine.extend(clauses.flat_map(|c| used(&c.expr)));
        }
        close(&mut self.rests_on);
        self.recursive = self
            .uses
            .iter()
            .filter(|(name, uses)| uses.contains(*name))
            .map(|u| u.0.clone())
            .collect();
    }

    fn find_reads(&mut self, program: &Program) {
        let everything = effects::heap_vars(program);
        for predicate in program.predicates.values() {
            let reads = match &predicate.body {
                Some(body) => direct_reads(body),
                None if predicate.pure => BTreeSet::new(),
                None => everything.clone(),
            };
            self.reads.insert(predicate.name.clone(), reads);
        }
        for function in program.functions.values() {
            let mut reads = match &function.body {
                Some(body) => direct_reads(body),
                None if function.pure => BTreeSet::new(),
                None => everything.clone(),
            };
            if function.body.is_some() {
                // What it promises may be about more than its body reads.
                for clause in function.requires.iter().chain(&function.ensures) {
                    reads.extend(direct_reads(&clause.expr));
                }
            }
            self.reads.insert(function.name.clone(), reads);
        }
        let contracts: BTreeMap<Name, BTreeSet<Name>> = program
            .functions
            .values()
            .map(|f| {
                let clauses = f.requires.iter().chain(&f.ensures);
                (f.name.clone(), clauses.flat_map(|c| used(&c.expr)).collect())
            })
            .collect();
        loop {
            let mut changed = false;
            for (name, mine) in self.reads.clone() {
                let others = self.uses.get(&name).into_iter().flatten();
                let others = others.chain(contracts.get(&name).into_iter().flatten());
                let mut new = mine.clone();
                for other in others {
                    new.extend(self.reads.get(other).into_iter().flatten().cloned());
                }
                changed |= new != mine;
                self.reads.insert(name, new);
            }
            if !changed {
                return;
            }
        }
    }

    fn find_footprints(&mut self, program: &Program) {
        for predicate in program.predicates.values().filter(|p| p.spatial) {
            let mut types = BTreeSet::new();
            match &predicate.body {
                Some(body) => body.walk(&mut |e| match &*e.kind {
                    ExprKind::Acc(location) | ExprKind::PointsTo(location, ..) => {
                        types.insert(location.ty.clone());
                    }
                    ExprKind::AccSet(set) => {
                        if let Type::Set(of) = &set.ty {
                            types.insert((**of).clone());
                        }
                    }
                    _ => {}
                }),
                None => types = effects::all_types(program),
            }
            self.footprints.insert(predicate.name.clone(), types);
        }
        let uses = self.uses.clone();
        for (name, types) in self.footprints.clone() {
            let mut all = types;
            for other in uses.get(&name).into_iter().flatten() {
                all.extend(self.footprints.get(other).into_iter().flatten().cloned());
            }
            self.footprints.insert(name, all);
        }
    }

    /// Fields that are more than read: arguments of `Btwn`, of functions, of predicates. Ghost links are forests,
    /// and recursive functions may end because a path does.
    fn find_paths(&mut self, program: &Program) {
        let mut found = BTreeSet::new();
        let mut add = |e: &Expr| whole_fields(e, &mut found);
        bodies(program).into_iter().for_each(|(_, body)| add(body));
        program.axioms.iter().for_each(|axiom| add(&axiom.expr));
        for function in program.functions.values() {
            function.requires.iter().chain(&function.ensures).for_each(|c| add(&c.expr));
        }
        for procedure in program.procedures.values() {
            procedure.requires.iter().chain(&procedure.ensures).for_each(|c| add(&c.expr));
            if let Some(body) = &procedure.body {
                body.walk(&mut |s| s.each_expr(&mut add));
            }
        }
        let ghosts = program.fields.iter().filter(|(_, field)| field.ghost);
        found.extend(ghosts.map(|(name, _)| name.clone()));
        for name in self.recursive.iter().filter(|name| !self.footprints.contains_key(*name)) {
            for var in self.reads.get(name).into_iter().flatten() {
                if let HeapVar::Field(field) = var {
                    found.insert(field.clone());
                }
            }
        }
        self.paths = found;
    }

    /// Is a predicate a symbol, and not replaced by its body?
    pub fn is_symbol(&self, predicate: &Predicate) -> bool {
        predicate.body.is_none() || self.recursive.contains(&predicate.name)
    }

    /// Do two definitions use each other?
    pub fn together(&self, one: &Name, other: &Name) -> bool {
        let uses = |a: &Name, b: &Name| self.uses.get(a).is_some_and(|all| all.contains(b));
        one == other || (uses(one, other) && uses(other, one))
    }
}

/// A function, or a Boolean predicate, which is one too.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Definition<'p> {
    Function(&'p Function),
    Predicate(&'p Predicate),
}

impl<'p> Definition<'p> {
    pub fn find(program: &'p Program, name: &Name) -> Option<Definition<'p>> {
        let function = program.functions.get(name).map(Definition::Function);
        function.or_else(|| program.predicates.get(name).map(Definition::Predicate))
    }

    pub fn name(self) -> &'p Name {
        match self {
            Definition::Function(f) => &f.name,
            Definition::Predicate(p) => &p.name,
        }
    }

    pub fn params(self) -> &'p [Param] {
        match self {
            Definition::Function(f) => &f.params,
            Definition::Predicate(p) => &p.params,
        }
    }

    pub fn span(self) -> report::Span {
        match self {
            Definition::Function(f) => f.span,
            Definition::Predicate(p) => p.span,
        }
    }

    pub fn body(self) -> Option<&'p Expr> {
        match self {
            Definition::Function(f) => f.body.as_ref(),
            Definition::Predicate(p) => p.body.as_ref(),
        }
    }

    pub fn param_types(self) -> Vec<Type> {
        let locals = match self {
            Definition::Function(f) => &f.locals,
            Definition::Predicate(p) => &p.locals,
        };
        let ty = |p: &Param| locals.get(p.local.0 as usize).map_or(Type::Int, |l| l.ty.clone());
        self.params().iter().map(ty).collect()
    }

    pub fn result_type(self) -> Type {
        match self {
            Definition::Function(f) => {
                f.locals.get(f.result.0 as usize).map_or(Type::Int, |l| l.ty.clone())
            }
            Definition::Predicate(_) => Type::Bool,
        }
    }
}

fn bodies(program: &Program) -> Vec<(&Name, &Expr)> {
    let predicates = program.predicates.values().filter_map(|p| Some((&p.name, p.body.as_ref()?)));
    let functions = program.functions.values().filter_map(|f| Some((&f.name, f.body.as_ref()?)));
    predicates.chain(functions).collect()
}

/// Predicates and functions in an expression.
pub(crate) fn used(e: &Expr) -> BTreeSet<Name> {
    let mut found = BTreeSet::new();
    e.walk(&mut |e| {
        if let ExprKind::Function(name, _) | ExprKind::Predicate(name, _) = &*e.kind {
            found.insert(name.clone());
        }
    });
    found
}

/// Fields in an expression that are not just read at a location.
pub(crate) fn whole_fields(e: &Expr, found: &mut BTreeSet<Name>) {
    match &*e.kind {
        ExprKind::Field(name) => {
            found.insert(name.clone());
        }
        ExprKind::Read(map, at) if matches!(&*map.kind, ExprKind::Field(_)) => {
            whole_fields(at, found);
        }
        _ => e.each_child(&mut |child| whole_fields(child, found)),
    }
}

/// Parts of the heap that an expression mentions, without those of what it uses.
fn direct_reads(e: &Expr) -> BTreeSet<HeapVar> {
    let mut found = BTreeSet::new();
    e.walk(&mut |e| match &*e.kind {
        ExprKind::Field(name) => {
            found.insert(HeapVar::Field(name.clone()));
        }
        ExprKind::Global(name) => {
            found.insert(HeapVar::Global(name.clone()));
        }
        ExprKind::ArrayRead(array, _) | ExprKind::Contents(array) => {
            if let Type::Array(of) = &array.ty {
                found.insert(HeapVar::Contents((**of).clone()));
            }
        }
        ExprKind::CellRead(cell) => {
            if let Type::Cell(of) = &cell.ty {
                found.insert(HeapVar::Contents((**of).clone()));
            }
        }
        _ => {}
    });
    found
}

/// What those that it uses use, it uses too.
pub(crate) fn close(all: &mut BTreeMap<Name, BTreeSet<Name>>) {
    loop {
        let mut changed = false;
        for name in all.keys().cloned().collect::<Vec<_>>() {
            let Some(mine) = all.get(&name) else { continue };
            let mut new = mine.clone();
            for other in mine {
                new.extend(all.get(other).into_iter().flatten().cloned());
            }
            changed |= new != *mine;
            all.insert(name, new);
        }
        if !changed {
            return;
        }
    }
}
