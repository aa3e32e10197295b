//! Expressions as terms.
//!
//! An expression is about a heap: fields, contents of arrays and global variables are maps or values
//! that change. Predicates and functions that are not recursive are replaced by their bodies.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use report::Span;
use smt::{Bound, Node, Quant, Quantifier, Term};
use spl::core::{self, BinOp, Expr, ExprKind, LocalId, Name, Program, Type, UnOp};

use crate::definitions::Definitions;
use crate::frame::Frame;
use crate::logic::Logic;
use crate::scope::Scope;

/// More patterns than this are not tried for a quantifier.
const MAX_PATTERNS: usize = 8;

/// What operations on bits need.
const NO_BITS: &str = "an operation on bits without the option `-bitvector`";

/// Why there are no goals.
#[derive(Clone, Debug)]
pub(crate) enum Stopped {
    /// Something is not supported.
    Unsupported { span: Span, what: String },
    /// Nobody waits for them any more.
    Interrupted(smt::SolverError),
}

pub(crate) type Result<T> = std::result::Result<T, Stopped>;

pub(crate) fn unsupported<T>(span: Span, what: impl Into<String>) -> Result<T> {
    Err(Stopped::Unsupported { span, what: what.into() })
}

/// A part of the heap that can change.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum HeapVar {
    /// A field of all objects.
    Field(Name),
    /// What cells of arrays of these elements hold.
    Contents(Type),
    /// A global variable.
    Global(Name),
}

/// Its parts have values.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heap {
    pub values: BTreeMap<HeapVar, Term>,
}

/// Where an expression is evaluated.
#[derive(Clone, Debug)]
pub(crate) struct Env<'h> {
    pub locals: BTreeMap<LocalId, Term>,
    pub heap: &'h Heap,
    /// What `old` is about.
    pub old: &'h Heap,
}

impl Env<'_> {
    fn with(&self, locals: impl IntoIterator<Item = (LocalId, Term)>) -> Self {
        let mut env = self.clone();
        env.locals.extend(locals);
        env
    }
}

/// Expressions of a program become terms of a unit.
pub(crate) struct Translator<'p> {
    pub program: &'p Program,
    pub logic: Logic,
    /// Contents of arrays are maps of their own, without cells.
    pub simple_arrays: bool,
    pub definitions: &'p Definitions,
    /// Predicates and functions whose bodies are being looked at.
    pub open: Vec<Name>,
    /// In the body of something recursive: what it uses is unfolded on demand only.
    pub in_definition: bool,
    /// The function whose postcondition is proved: it must not be used for that.
    pub proving: Option<Name>,
    /// What it is all about; without this, the whole program.
    pub scope: Option<Scope>,
    /// Values of links that lead along and back, as they came up.
    links: Vec<(Name, Term)>,
}

impl<'p> Translator<'p> {
    pub fn new(program: &'p Program, definitions: &'p Definitions) -> Translator<'p> {
        let (options, _) = spl::options(program);
        Translator {
            program,
            logic: Logic::new(options.bitvector.is_some()),
            simple_arrays: options.simple_arrays.is_some(),
            definitions,
            open: Vec::new(),
            in_definition: false,
            proving: None,
            scope: None,
            links: Vec::new(),
        }
    }

    /// Must something be known of a predicate or function?
    pub fn is_relevant(&self, name: &Name) -> bool {
        self.scope.as_ref().is_none_or(|scope| scope.names.contains(name))
    }

    /// A spatial predicate that is not replaced by its body.
    pub fn symbol(&self, name: &Name) -> Option<&'p core::Predicate> {
        let predicate = self.program.predicates.get(name).filter(|p| p.spatial)?;
        self.definitions.is_symbol(predicate).then_some(predicate)
    }

    /// The type of a part of the heap.
    pub fn heap_type(&self, var: &HeapVar) -> Type {
        match var {
            HeapVar::Field(name) => match self.program.fields.get(name) {
                Some(field) => {
                    Type::Map(Type::Struct(field.owner.clone()).into(), field.ty.clone().into())
                }
                None => Type::Int,
            },
            HeapVar::Contents(of) if self.simple_arrays => {
                let contents = Type::Map(Type::Int.into(), of.clone().into());
                Type::Map(Type::Array(of.clone().into()).into(), contents.into())
            }
            HeapVar::Contents(of) => {
                Type::Map(Type::Cell(of.clone().into()).into(), of.clone().into())
            }
            HeapVar::Global(name) => self.program.globals.get(name).cloned().unwrap_or(Type::Int),
        }
    }

    /// Does anything speak of paths by a part of the heap? Of all others nothing is told about `Btwn`: any field
    /// has such a relation, so this loses no proof.
    pub fn has_paths(&self, var: &HeapVar) -> bool {
        match var {
            HeapVar::Field(name) => match &self.scope {
                Some(scope) => scope.paths.contains(name),
                None => self.definitions.paths.contains(name),
            },
            HeapVar::Contents(_) | HeapVar::Global(_) => true,
        }
    }

    /// A new value of a part of the heap.
    pub fn fresh_part(&mut self, var: &HeapVar) -> Term {
        let ty = self.heap_type(var);
        let hint = match var {
            HeapVar::Field(name) | HeapVar::Global(name) => name.to_string(),
            HeapVar::Contents(of) => format!("contents.{of}"),
        };
        match &ty {
            Type::Map(key, value) => {
                let map = match self.has_paths(var) {
                    true => self.logic.base_map(&hint, key, value),
                    false => self.logic.fresh(&hint, &ty),
                };
                if matches!(var, HeapVar::Field(_)) && key == value {
                    let null = self.logic.null(key);
                    let read = self.logic.read(key, value, map, null);
                    let ends = self.logic.terms.eq(read, null);
                    self.logic.axioms.push(ends);
                }
                if let HeapVar::Field(name) = var {
                    self.ways_back(name, key, map);
                }
                map
            }
            _ => self.logic.fresh(&hint, &ty),
        }
    }

    /// If links lead back somewhere, whatever they are read at has a predecessor on each path to it.
    fn ways_back(&mut self, name: &Name, ty: &Type, map: Term) {
        let Some(scope) = &self.scope else { return };
        let mut pairs = Vec::new();
        for (other, known) in &self.links {
            if scope.back.contains(&(name.clone(), other.clone())) {
                pairs.push((map, *known));
            }
            if scope.back.contains(&(other.clone(), name.clone())) {
                pairs.push((*known, map));
            }
        }
        if scope.back.iter().any(|(along, back)| along == name || back == name) {
            self.links.push((name.clone(), map));
        }
        for (along, back) in pairs {
            self.logic.predecessors(ty, along, back);
        }
    }

    fn part(&mut self, env: &Env<'_>, var: &HeapVar, span: Span) -> Result<Term> {
        match env.heap.values.get(var) {
            Some(term) => Ok(*term),
            None => unsupported(span, "this part of the heap"),
        }
    }

    pub fn terms(&mut self, env: &Env<'_>, all: &[Expr]) -> Result<Vec<Term>> {
        all.iter().map(|e| self.term(env, e)).collect()
    }

    /// An expression that is no spatial assertion.
    pub fn term(&mut self, env: &Env<'_>, e: &Expr) -> Result<Term> {
        let span = e.span;
        Ok(match &*e.kind {
            ExprKind::Bool(value) => self.logic.terms.bool(*value),
            ExprKind::Int(value) => self.logic.int(*value),
            ExprKind::Byte(value) => self.logic.byte(*value),
            ExprKind::Null => self.logic.null(&e.ty),
            ExprKind::Local(local) => match env.locals.get(local) {
                Some(term) => {
                    let term = *term;
                    self.occurs_value(&e.ty, term);
                    term
                }
                None => return unsupported(span, "this variable here"),
            },
            ExprKind::Global(name) => self.part(env, &HeapVar::Global(name.clone()), span)?,
            ExprKind::Field(name) => self.part(env, &HeapVar::Field(name.clone()), span)?,
            ExprKind::Read(map, key) => {
                let at = self.term(env, key)?;
                if let (ExprKind::Cells(array), Type::Array(of)) = (&*map.kind, array_type(map)) {
                    let array = self.term(env, array)?;
                    return Ok(self.logic.cell(&of, array, at));
                }
                let Type::Map(k, v) = &map.ty else { return unsupported(span, "this map") };
                let map = self.term(env, map)?;
                self.logic.read(k, v, map, at)
            }
            ExprKind::Update(map, key, value) => {
                let Type::Map(k, v) = &map.ty else { return unsupported(span, "this map") };
                let map = self.term(env, map)?;
                let key = self.term(env, key)?;
                let value = self.term(env, value)?;
                self.logic.update(k, v, map, key, value)
            }
            ExprKind::ArrayRead(array, index) => {
                let Type::Array(of) = &array.ty else { return unsupported(span, "this array") };
                let array = self.term(env, array)?;
                let index = self.term(env, index)?;
                if self.simple_arrays {
                    let contents = self.array_contents(env, of, array, span)?;
                    return Ok(self.logic.read(&Type::Int, of, contents, index));
                }
                let cell = self.logic.cell(of, array, index);
                self.contents(env, of, cell, span)?
            }
            ExprKind::CellRead(_) | ExprKind::Cells(_) if self.simple_arrays => {
                return unsupported(span, "cells of arrays with the option `-simplearrays`");
            }
            ExprKind::CellRead(cell) => {
                let Type::Cell(of) = &cell.ty else { return unsupported(span, "this cell") };
                let cell = self.term(env, cell)?;
                self.contents(env, of, cell, span)?
            }
            ExprKind::Length(array) => {
                let Type::Array(of) = &array.ty else { return unsupported(span, "this array") };
                let array = self.term(env, array)?;
                self.logic.length(of, array)
            }
            ExprKind::Cells(array) => {
                let Type::Array(of) = &array.ty else { return unsupported(span, "this array") };
                let array = self.term(env, array)?;
                self.logic.cells(of, array)
            }
            ExprKind::Contents(array) => {
                let Type::Array(of) = &array.ty else { return unsupported(span, "this array") };
                if !self.simple_arrays {
                    let what = "`map` of an array without the option `-simplearrays`";
                    return unsupported(span, what);
                }
                let array = self.term(env, array)?;
                self.array_contents(env, of, array, span)?
            }
            ExprKind::CellArray(cell) => {
                let Type::Cell(of) = &cell.ty else { return unsupported(span, "this cell") };
                let cell = self.term(env, cell)?;
                self.logic.cell_array(of, cell)
            }
            ExprKind::CellIndex(cell) => {
                let Type::Cell(of) = &cell.ty else { return unsupported(span, "this cell") };
                let cell = self.term(env, cell)?;
                self.logic.cell_index(of, cell)
            }
            ExprKind::Set(elements) => {
                let Type::Set(of) = &e.ty else { return unsupported(span, "this set") };
                let mut set = self.logic.empty(of);
                for element in self.terms(env, elements)? {
                    let single = self.logic.singleton(of, element);
                    set = self.logic.union(of, set, single);
                }
                set
            }
            ExprKind::Comprehension(local, body) => {
                let element = match &e.ty {
                    Type::Set(of) => of,
                    Type::Map(key, _) => key,
                    _ => return unsupported(span, "this comprehension"),
                };
                let (var, term) = self.logic.bound("element", element);
                let body = self.term(&env.with([(*local, term)]), body)?;
                self.logic.comprehension(&e.ty, element, var, body)
            }
            ExprKind::Function(name, args) => {
                let args = self.terms(env, args)?;
                self.defined(env, name, args, span)?
            }
            ExprKind::Predicate(name, args) => {
                let args = self.terms(env, args)?;
                self.defined(env, name, args, span)?
            }
            ExprKind::Call(..) | ExprKind::New(_) | ExprKind::NewArray(..) => {
                return unsupported(span, "a side effect here");
            }
            ExprKind::Construct(name, args) => {
                let args = self.terms(env, args)?;
                let term = self.logic.construct(self.program, name, &args);
                self.occurs_value(&e.ty, term);
                term
            }
            ExprKind::Destruct(name, value) => {
                let value = self.term(env, value)?;
                let term = self.logic.destruct(self.program, name, value);
                self.occurs_value(&e.ty, term);
                term
            }
            ExprKind::Emp | ExprKind::Acc(_) | ExprKind::AccSet(_) | ExprKind::PointsTo(..) => {
                return unsupported(span, "a spatial assertion here");
            }
            ExprKind::Btwn(f, x, y, z) => {
                let ty = x.ty.clone();
                let [f, x, y, z] = [
                    self.term(env, f)?,
                    self.term(env, x)?,
                    self.term(env, y)?,
                    self.term(env, z)?,
                ];
                self.logic.btwn(&ty, f, x, y, z)
            }
            ExprKind::Disjoint(a, b) => {
                let Type::Set(of) = &a.ty else { return unsupported(span, "this set") };
                let (a, b) = (self.term(env, a)?, self.term(env, b)?);
                self.logic.disjoint(of, a, b)
            }
            ExprKind::Frame(owned, allocated, before, after) => {
                let Type::Map(key, value) = before.ty.clone() else {
                    return unsupported(span, "this frame");
                };
                let [owned, allocated, before, after] = [
                    self.term(env, owned)?,
                    self.term(env, allocated)?,
                    self.term(env, before)?,
                    self.term(env, after)?,
                ];
                let (key, value) = (&*key, &*value);
                let paths = true;
                self.logic.agree(&Frame { key, value, before, after, owned, allocated, paths })
            }
            ExprKind::Old(inner) => {
                let env = Env { locals: env.locals.clone(), heap: env.old, old: env.old };
                self.term(&env, inner)?
            }
            ExprKind::Unary(op, operand) => {
                let term = self.term(env, operand)?;
                match op {
                    UnOp::Not => self.logic.terms.not(term),
                    UnOp::Neg => self.logic.negate(&e.ty, term),
                    UnOp::BitNot | UnOp::Int2Byte | UnOp::Byte2Int => {
                        match self.logic.bit_unary(*op, &e.ty, term) {
                            Some(term) => term,
                            None => return unsupported(span, NO_BITS),
                        }
                    }
                }
            }
            ExprKind::Binary(op, a, b) => self.binary(env, *op, a, b, span)?,
            ExprKind::Cond(c, a, b) => {
                let (c, a, b) = (self.term(env, c)?, self.term(env, a)?, self.term(env, b)?);
                self.logic.terms.ite(c, a, b)
            }
            ExprKind::Quant(quantifier, vars, body) => {
                let mut bound = Vec::new();
                let mut locals = Vec::new();
                let types = self.local_types(vars, body);
                for (var, ty) in vars.iter().zip(types) {
                    let (b, term) = self.logic.bound(&format!("v{}", var.0), &ty);
                    bound.push((b, term, ty));
                    locals.push((*var, term));
                }
                let body = self.term(&env.with(locals), body)?;
                self.quantified(*quantifier, &bound, body)
            }
        })
    }

    /// Of values of datatypes that occur it is known how they are made.
    fn occurs_value(&mut self, ty: &Type, term: Term) {
        if let Type::Datatype(name) = ty {
            self.logic.occurs_value(self.program, name, term);
        }
    }

    /// What an array holds, as a map, if there are no cells.
    pub fn array_contents(
        &mut self,
        env: &Env<'_>,
        of: &Type,
        array: Term,
        span: Span,
    ) -> Result<Term> {
        let map = self.part(env, &HeapVar::Contents(of.clone()), span)?;
        let key = Type::Array(of.clone().into());
        let value = Type::Map(Type::Int.into(), of.clone().into());
        Ok(self.logic.read(&key, &value, map, array))
    }

    fn contents(&mut self, env: &Env<'_>, of: &Type, cell: Term, span: Span) -> Result<Term> {
        let map = self.part(env, &HeapVar::Contents(of.clone()), span)?;
        let key = Type::Cell(of.clone().into());
        Ok(self.logic.read(&key, of, map, cell))
    }

    /// Types of bound variables: those of their occurrences. What does not occur has any.
    pub fn local_types(&self, vars: &[LocalId], body: &Expr) -> Vec<Type> {
        let mut found: HashMap<LocalId, Type> = HashMap::new();
        body.walk(&mut |e| {
            if let ExprKind::Local(local) = &*e.kind {
                found.entry(*local).or_insert_with(|| e.ty.clone());
            }
        });
        vars.iter().map(|v| found.get(v).cloned().unwrap_or(Type::Int)).collect()
    }

    fn binary(&mut self, env: &Env<'_>, op: BinOp, a: &Expr, b: &Expr, span: Span) -> Result<Term> {
        let ty = a.ty.clone();
        let (x, y) = (self.term(env, a)?, self.term(env, b)?);
        let set = |ty: &Type| match ty {
            Type::Set(of) => Some((**of).clone()),
            _ => None,
        };
        Ok(match (op, set(&ty)) {
            (BinOp::And, _) => self.logic.terms.and([x, y]),
            (BinOp::Or, _) => self.logic.terms.or([x, y]),
            (BinOp::Implies, _) => self.logic.terms.implies(x, y),
            (BinOp::Iff, _) => self.logic.terms.eq(x, y),
            (BinOp::Eq, of) => {
                if let Some(of) = of {
                    self.logic.extensional(&of, x, y);
                }
                self.logic.terms.eq(x, y)
            }
            (BinOp::Ne, of) => {
                if let Some(of) = of {
                    self.logic.extensional(&of, x, y);
                }
                let equal = self.logic.terms.eq(x, y);
                self.logic.terms.not(equal)
            }
            (BinOp::In | BinOp::NotIn, _) => {
                let member = self.logic.member(&ty, x, y);
                if op == BinOp::In { member } else { self.logic.terms.not(member) }
            }
            (BinOp::Lt, None) => self.logic.less(&ty, x, y),
            (BinOp::Le, None) => self.logic.at_most(&ty, x, y),
            (BinOp::Le, Some(of)) => self.logic.subset(&of, x, y),
            (BinOp::Union, Some(of)) => self.logic.union(&of, x, y),
            (BinOp::Inter, Some(of)) => self.logic.intersection(&of, x, y),
            (BinOp::Diff, Some(of)) => self.logic.difference(&of, x, y),
            (
                op @ (BinOp::Add
                | BinOp::Sub
                | BinOp::Mul
                | BinOp::Div
                | BinOp::Mod
                | BinOp::BitAnd
                | BinOp::BitOr
                | BinOp::Shl
                | BinOp::Shr),
                None,
            ) => match self.logic.arithmetic(op, &ty, x, y) {
                Some(term) => term,
                None => return unsupported(span, NO_BITS),
            },
            _ => return unsupported(span, format!("`{}` here", op.text())),
        })
    }

    // --- Quantifiers

    /// A quantified formula with patterns that instantiate it for terms that occur.
    pub fn quantified(
        &mut self,
        quantifier: core::Quantifier,
        vars: &[(Bound, Term, Type)],
        body: Term,
    ) -> Term {
        let quantifier = match quantifier {
            core::Quantifier::Forall => Quantifier::Forall,
            core::Quantifier::Exists => Quantifier::Exists,
        };
        let triggers = self.triggers(vars, body);
        self.logic.terms.quant(Quant {
            quantifier,
            vars: vars.iter().map(|(b, ..)| *b).collect(),
            triggers,
            body,
            name: "user".into(),
            weight: None,
        })
    }

    /// Patterns of a quantified formula: function terms of its body that mention the variables. What
    /// is below no function but `Btwn` ranges over all locations that occur.
    pub fn triggers(&mut self, vars: &[(Bound, Term, Type)], body: Term) -> Vec<Vec<Term>> {
        let bound: BTreeSet<Bound> = vars.iter().map(|(b, ..)| *b).collect();
        let mut candidates: Vec<(Term, BTreeSet<Bound>)> = Vec::new();
        let mut seen = BTreeSet::new();
        // Variables of quantifiers inside have no meaning outside.
        let mut within: BTreeSet<Bound> = BTreeSet::new();
        let mut pending = vec![body];
        while let Some(term) = pending.pop() {
            if !seen.insert(term) {
                continue;
            }
            let free: BTreeSet<Bound> =
                self.logic.terms.free(term).iter().copied().filter(|v| bound.contains(v)).collect();
            if free.is_empty() {
                continue;
            }
            if let Node::Quant(inner) = self.logic.terms.node(term) {
                within.extend(inner.vars.iter().copied());
            }
            if self.is_pattern(term, &bound) {
                candidates.push((term, free));
            }
            pending.extend(self.logic.terms.children(term));
        }
        candidates
            .retain(|(term, _)| self.logic.terms.free(*term).iter().all(|v| !within.contains(v)));
        candidates.sort();
        let mut triggers: Vec<Vec<Term>> = Vec::new();
        for (term, free) in &candidates {
            if free.len() == bound.len() {
                triggers.push(vec![*term]);
            }
        }
        // Each variable by itself: once by the sets it is in, once by what is read of it, once as any
        // location.
        for kind in [PatternKind::Member, PatternKind::Read, PatternKind::Occurs] {
            let mut pattern = Vec::new();
            for (var, term, ty) in vars {
                let own = |wanted: PatternKind| {
                    candidates.iter().find(|(t, free)| {
                        free.len() == 1 && free.contains(var) && self.kind(*t) == wanted
                    })
                };
                let found = match kind {
                    PatternKind::Member => {
                        own(PatternKind::Member).or_else(|| own(PatternKind::Read))
                    }
                    PatternKind::Read => {
                        own(PatternKind::Read).or_else(|| own(PatternKind::Member))
                    }
                    _ => None,
                };
                match found {
                    Some((term, _)) => pattern.push(*term),
                    None if ty.is_reference() && kind == PatternKind::Occurs => {
                        let occurs = self.logic.occurs(ty, *term);
                        pattern.push(occurs);
                    }
                    None => match candidates.iter().find(|(_, free)| free.contains(var)) {
                        Some((term, _)) if kind == PatternKind::Occurs => pattern.push(*term),
                        _ => {
                            pattern.clear();
                            break;
                        }
                    },
                }
            }
            pattern.dedup();
            let references = vars.iter().any(|(_, _, ty)| ty.is_reference());
            // Where sets or reads tell, any location would be too many.
            let needed = kind != PatternKind::Occurs
                || (references
                    && triggers
                        .iter()
                        .all(|t| t.iter().any(|t| self.kind(*t) == PatternKind::Path)));
            if needed && !pattern.is_empty() && !triggers.contains(&pattern) {
                triggers.push(pattern);
            }
        }
        if triggers.is_empty() {
            triggers = covers(&candidates, bound.len());
        }
        // `x.next` in the body is on the same path as `x`, so a pattern without it would find what it made, again and
        // again: such a formula is not local [PWZ13, Sec. 8].
        let links: Vec<Term> = candidates
            .iter()
            .map(|(term, _)| *term)
            .filter(|term| self.kind(*term) == PatternKind::Read)
            .filter(|term| self.logic.ty(self.logic.terms.sort(*term)).is_reference())
            .collect();
        let on_path = |t: &Term| self.kind(*t) == PatternKind::Path;
        if !links.is_empty() && triggers.iter().any(|all| !all.iter().all(on_path)) {
            triggers.retain(|all| !all.iter().all(on_path));
        }
        triggers
    }

    /// Can a term be a pattern? It is a function, not an operator, and so is all in it that mentions
    /// variables.
    fn is_pattern(&self, term: Term, bound: &BTreeSet<Bound>) -> bool {
        match self.logic.terms.node(term) {
            Node::App(_, args) => args.iter().all(|arg| {
                let free = self.logic.terms.free(*arg);
                match self.logic.terms.node(*arg) {
                    Node::Bound(var) => bound.contains(var) || !free.is_empty(),
                    _ if free.is_empty() => true,
                    _ => self.is_pattern(*arg, bound),
                }
            }),
            _ => false,
        }
    }

    fn kind(&self, term: Term) -> PatternKind {
        match self.logic.terms.node(term) {
            Node::App(fun, _) => {
                let name = &self.logic.terms.signature.fun(*fun).name;
                if name.starts_with("in.") {
                    PatternKind::Member
                } else if name.starts_with("Btwn.") {
                    PatternKind::Path
                } else {
                    PatternKind::Read
                }
            }
            _ => PatternKind::Occurs,
        }
    }

    // --- Predicates and functions

    /// Parameters with their arguments.
    pub fn bind<'h>(&self, env: &Env<'h>, params: &[core::Param], args: Vec<Term>) -> Env<'h> {
        let locals = params.iter().map(|p| p.local).zip(args).collect();
        Env { locals, heap: env.heap, old: env.old }
    }

    /// A predicate whose body can stand for it.
    pub fn predicate(&self, name: &Name, span: Span) -> Result<(&'p core::Predicate, &'p Expr)> {
        let Some(predicate) = self.program.predicates.get(name) else {
            return unsupported(span, "this predicate");
        };
        match &predicate.body {
            None => unsupported(span, "a predicate without a body"),
            Some(_) if self.open.contains(name) => unsupported(span, "a recursive predicate"),
            Some(body) => Ok((predicate, body)),
        }
    }

    /// Inside of the body of a predicate.
    pub fn inside<T>(&mut self, name: &Name, f: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.open.push(name.clone());
        let result = f(self);
        self.open.pop();
        result
    }
}

/// Sets of terms that together mention all variables: one for each term to start with.
fn covers(candidates: &[(Term, BTreeSet<Bound>)], vars: usize) -> Vec<Vec<Term>> {
    let mut covers: Vec<Vec<Term>> = Vec::new();
    for (first, free) in candidates.iter().take(MAX_PATTERNS) {
        let (mut pattern, mut covered) = (vec![*first], free.clone());
        for (term, free) in candidates {
            if covered.len() < vars && !free.is_subset(&covered) {
                pattern.push(*term);
                covered.extend(free);
            }
        }
        pattern.sort();
        if covered.len() == vars && !covers.contains(&pattern) {
            covers.push(pattern);
        }
    }
    covers
}

/// What kind of term a pattern is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PatternKind {
    Member,
    Read,
    Path,
    Occurs,
}

/// The type of the array whose cells are meant.
fn array_type(cells: &Expr) -> Type {
    match &*cells.kind {
        ExprKind::Cells(array) => array.ty.clone(),
        _ => Type::Int,
    }
}
