//! Expansion of `define` macros.
//!
//! Expansion is hygienic: a variable that a macro declares is renamed where its name is already
//! taken in the member that uses the macro, so neither the arguments nor the surroundings of a use
//! are captured.
//!
//! As in Viper, an expansion is at the position of the use, except that what stands in a list
//! (statements, arguments, elements, triggers, bound variables) or is optional (an amount) stays
//! where it was written, so that an error in a statement macro is shown in its definition. The
//! first error in an expansion ends it.

mod definitions;
mod expr;
mod stmt;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use report::Diagnostic;

use crate::ast::{
    At, Decreases, Define, DefineBody, DomainItemKind, Else, Expr, ExprKind, Ident, If, Measure,
    MemberKind, Name, Param, Program, Spec, SpecKind, Stmt, StmtKind, Type, TypeKind,
};
use crate::parser::MAX_HEIGHT;
use definitions::{global_names, needs_expansion, recursive_macro, warn_unused_params};

/// How many nodes the expansions in one program may have in total: macros that double what they
/// are given grow exponentially.
const MAX_NODES: u64 = 20_000_000;

/// Expands all macros and removes their definitions. Without errors, the result has none left.
#[must_use]
pub fn expand(program: &Program) -> (Cow<'_, Program>, Vec<Diagnostic>) {
    if !needs_expansion(program) {
        return (Cow::Borrowed(program), Vec::new());
    }
    let mut diagnostics = Vec::new();
    let (defines, members): (Vec<_>, Vec<_>) =
        program.members.iter().cloned().partition(|m| matches!(m.kind, MemberKind::Define(_)));
    let mut program = Program { members };
    let mut globals = HashMap::new();
    for member in &defines {
        let MemberKind::Define(define) = &member.kind else { continue };
        warn_unused_params(define, &mut diagnostics);
        let Some(other) = globals.get(&define.name.name).copied() else {
            globals.insert(define.name.name.clone(), define);
            continue;
        };
        let message = format!("there is another macro named `{}`", define.name.name);
        // The same definition again is harmless.
        let same = other == define;
        let diagnostic = if same {
            Diagnostic::warning("parser.warning", define.at.0, message + " with the same body")
        } else {
            error(define.at, message)
        };
        diagnostics.push(diagnostic.with_label(other.at.0, "the other one"));
    }
    let names = global_names(&program);
    for (name, define) in sorted(&globals) {
        if names.contains(name) {
            diagnostics.push(error(
                define.at,
                format!("the name of the macro `{name}` is already used by another declaration"),
            ));
        }
    }
    let mut expander = Expander {
        globals: &globals,
        locals: HashMap::new(),
        names,
        taken: HashSet::new(),
        active: Vec::new(),
        acyclic: HashSet::new(),
        depth: 0,
        nodes: 0,
        diagnostics,
    };
    for member in &mut program.members {
        if expander.member(&mut member.kind).is_err() {
            break;
        }
    }
    let diagnostics = expander.diagnostics;
    (Cow::Owned(program), diagnostics)
}

fn sorted<'a>(globals: &HashMap<Name, &'a Define>) -> Vec<(&'a Name, &'a Define)> {
    let mut all: Vec<_> = globals.values().map(|d| (&d.name.name, *d)).collect();
    all.sort_by_key(|(_, d)| d.at.0.span().map(|s| (s.file, s.start)));
    all
}

fn error(at: At, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error("parser.error", at.0, message)
}

/// The failure of an expansion. Its diagnostic is already recorded.
struct Failed;

type Result<T> = std::result::Result<T, Failed>;

struct Expander<'a> {
    globals: &'a HashMap<Name, &'a Define>,
    /// Macros of the current method.
    locals: HashMap<Name, Define>,
    /// Names of global declarations.
    names: HashSet<Name>,
    /// Names declared in the current member, expansions included.
    taken: HashSet<Name>,
    /// Macros under expansion.
    active: Vec<Name>,
    /// Macros that are known not to use themselves, in the current member.
    acyclic: HashSet<Name>,
    depth: u32,
    nodes: u64,
    diagnostics: Vec<Diagnostic>,
}

/// The context of one expansion; the outermost one is that of the member itself.
#[derive(Default)]
struct Frame {
    /// Is this the body of a macro?
    in_macro: bool,
    /// The use of the macro, to which the nodes move; `None` where they keep their position.
    at: Option<At>,
    args: HashMap<Name, Expr>,
    /// Declarations in the body, innermost last; a declaration that keeps its name is here too,
    /// since it hides parameters.
    renames: Vec<(Name, Name)>,
}

impl Frame {
    fn renamed(&self, name: &Name) -> Option<&Name> {
        self.renames.iter().rev().find(|(from, _)| from == name).map(|(_, to)| to)
    }
}

impl Expander<'_> {
    fn fail<T>(&mut self, at: At, message: impl Into<String>) -> Result<T> {
        self.diagnostics.push(error(at, message));
        Err(Failed)
    }

    fn find(&self, name: &Name) -> Option<Define> {
        self.locals.get(name).or_else(|| self.globals.get(name).copied()).cloned()
    }

    fn is_macro(&self, name: &Name) -> bool {
        self.locals.contains_key(name) || self.globals.contains_key(name)
    }

    fn member(&mut self, kind: &mut MemberKind) -> Result<()> {
        self.locals.clear();
        self.taken.clear();
        self.acyclic.clear();
        self.collect_declared(kind);
        let mut frame = Frame::default();
        let frame = &mut frame;
        match kind {
            MemberKind::Import(_) | MemberKind::Define(_) => {}
            MemberKind::Fields(fields) => self.params(fields, frame)?,
            MemberKind::Domain(domain) => {
                for item in &mut domain.items {
                    match &mut item.kind {
                        DomainItemKind::Function(f) => {
                            for p in &mut f.params {
                                self.ty(&mut p.ty, frame)?;
                            }
                            self.ty(&mut f.ty, frame)?;
                        }
                        DomainItemKind::Axiom { body, .. } => self.expr(body, frame)?,
                    }
                }
            }
            MemberKind::Adt(adt) => {
                for constructor in &mut adt.constructors {
                    self.params(&mut constructor.params, frame)?;
                }
            }
            MemberKind::Function(f) => {
                self.params(&mut f.params, frame)?;
                self.ty(&mut f.ty, frame)?;
                self.specs(&mut f.contract, frame)?;
                if let Some(body) = &mut f.body {
                    self.expr(body, frame)?;
                }
            }
            MemberKind::Predicate(p) => {
                self.params(&mut p.params, frame)?;
                if let Some(body) = &mut p.body {
                    self.expr(body, frame)?;
                }
            }
            MemberKind::Method(m) => {
                if let Some(body) = &mut m.body {
                    self.collect_local_macros(&mut body.stmts, false)?;
                }
                self.params(&mut m.params, frame)?;
                self.params(&mut m.returns, frame)?;
                self.specs(&mut m.contract, frame)?;
                if let Some(body) = &mut m.body {
                    self.block(body, frame)?;
                }
            }
        }
        Ok(())
    }

    /// Moves the macros of a method out of it.
    fn collect_local_macros(&mut self, stmts: &mut Vec<Stmt>, in_script: bool) -> Result<()> {
        for stmt in stmts.iter_mut() {
            match &mut stmt.kind {
                StmtKind::Define(define) if in_script => {
                    let at = define.at;
                    return self.fail(at, "macros cannot be defined in the proof script of a wand");
                }
                StmtKind::Define(define) => {
                    warn_unused_params(define, &mut self.diagnostics);
                    // The first definition of a name counts, and locals hide globals.
                    self.locals.entry(define.name.name.clone()).or_insert_with(|| define.clone());
                }
                StmtKind::Block(b) => self.collect_local_macros(&mut b.stmts, in_script)?,
                StmtKind::While { body, .. } => {
                    self.collect_local_macros(&mut body.stmts, in_script)?;
                }
                StmtKind::Package { script: Some(b), .. } => {
                    self.collect_local_macros(&mut b.stmts, true)?;
                }
                StmtKind::If(i) => self.collect_in_if(i, in_script)?,
                _ => {}
            }
        }
        stmts.retain(|s| !matches!(s.kind, StmtKind::Define(_)));
        Ok(())
    }

    fn collect_in_if(&mut self, i: &mut If, in_script: bool) -> Result<()> {
        self.collect_local_macros(&mut i.then.stmts, in_script)?;
        match &mut i.otherwise {
            Some(Else::Block(b)) => self.collect_local_macros(&mut b.stmts, in_script),
            Some(Else::If(i, _)) => self.collect_in_if(i, in_script),
            None => Ok(()),
        }
    }

    /// All names that the member declares, at any depth.
    fn collect_declared(&mut self, kind: &MemberKind) {
        let taken = &mut self.taken;
        let mut declare = |name: &Name| {
            taken.insert(name.clone());
        };
        crate::ast::visit::each_declared_name(kind, &mut declare);
    }

    // --- Declarations in a macro body

    /// Declares a variable of a macro body: takes another name if its own is taken.
    fn declare(&mut self, ident: &mut Ident, frame: &mut Frame) {
        if !frame.in_macro {
            return;
        }
        ident.at = frame.at.unwrap_or(ident.at);
        let old = ident.name.clone();
        if self.taken.contains(&old) || self.names.contains(&old) {
            let mut n = 0;
            ident.name = loop {
                let fresh = Name::from(format!("{old}${n}"));
                if !self.taken.contains(&fresh) && !self.names.contains(&fresh) {
                    break fresh;
                }
                n += 1;
            };
        }
        self.taken.insert(ident.name.clone());
        frame.renames.push((old, ident.name.clone()));
    }

    fn declare_params(&mut self, params: &mut [Param], frame: &mut Frame) -> Result<()> {
        self.keeping(frame, |this, frame| {
            this.params(params, frame)?;
            for param in params {
                this.declare(&mut param.name, frame);
            }
            Ok(())
        })
    }

    /// A name that is not an expression: a field, a label, a predicate. No macro can stand for it.
    fn ident(&mut self, ident: &mut Ident, frame: &Frame) -> Result<()> {
        self.substitute_ident(ident, frame)?;
        if self.is_macro(&ident.name) {
            let message = format!("the macro `{}` is used where a name must be", ident.name);
            return self.fail(ident.at, message);
        }
        Ok(())
    }

    /// Puts the argument in the place of a parameter that is used as a name.
    fn substitute_ident(&mut self, ident: &mut Ident, frame: &Frame) -> Result<()> {
        ident.at = frame.at.unwrap_or(ident.at);
        if let Some(to) = frame.renamed(&ident.name) {
            ident.name = to.clone();
        } else if let Some(arg) = frame.args.get(&ident.name) {
            let ExprKind::Name(name) = &*arg.kind else {
                let message =
                    format!("this must be a name: it takes the place of `{}`", ident.name);
                return self.fail(arg.at, message);
            };
            ident.name = name.clone();
        }
        Ok(())
    }

    /// Runs a rule on parts that keep their positions.
    fn keeping<T>(
        &mut self,
        frame: &mut Frame,
        rule: impl FnOnce(&mut Self, &mut Frame) -> T,
    ) -> T {
        let at = frame.at.take();
        let result = rule(self, frame);
        frame.at = at;
        result
    }

    // --- Walking

    fn params(&mut self, params: &mut [Param], frame: &mut Frame) -> Result<()> {
        for param in params {
            if let Some(at) = frame.at {
                param.at = at;
            }
            self.ty(&mut param.ty, frame)?;
        }
        Ok(())
    }

    fn specs(&mut self, specs: &mut [Spec], frame: &mut Frame) -> Result<()> {
        for spec in specs {
            if let Some(at) = frame.at {
                spec.at = at;
            }
            match &mut spec.kind {
                SpecKind::Requires(e) | SpecKind::Ensures(e) | SpecKind::Invariant(e) => {
                    self.expr(e, frame)?;
                }
                SpecKind::Decreases(Decreases { measure, condition, at }) => {
                    if let Some(use_at) = frame.at {
                        *at = use_at;
                    }
                    if let Measure::Tuple(exprs) = measure {
                        self.exprs(exprs, frame)?;
                    }
                    if let Some(condition) = condition {
                        self.expr(condition, frame)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn exprs(&mut self, exprs: &mut [Expr], frame: &mut Frame) -> Result<()> {
        exprs.iter_mut().try_for_each(|e| self.expr(e, frame))
    }

    fn enter(&mut self, at: At) -> Result<()> {
        self.depth += 1;
        self.nodes += 1;
        if self.depth > MAX_HEIGHT {
            return self.fail(at, format!("expands to more than {MAX_HEIGHT} levels of nesting"));
        }
        if self.nodes > MAX_NODES {
            return self.fail(at, "expansion of macros makes this program too large");
        }
        Ok(())
    }

    fn ty(&mut self, ty: &mut Type, frame: &mut Frame) -> Result<()> {
        if let Some(at) = frame.at {
            ty.at = at;
        }
        self.enter(ty.at)?;
        match &mut ty.kind {
            TypeKind::Int | TypeKind::Bool | TypeKind::Perm | TypeKind::Ref => {}
            TypeKind::Seq(t) | TypeKind::Set(t) | TypeKind::Multiset(t) => self.ty(t, frame)?,
            TypeKind::Map(k, v) => {
                self.ty(k, frame)?;
                self.ty(v, frame)?;
            }
            TypeKind::Named { name, args: Some(args) } => {
                self.ident(name, frame)?;
                self.keeping(frame, |this, frame| {
                    args.iter_mut().try_for_each(|arg| this.ty(arg, frame))
                })?;
            }
            TypeKind::Named { name, args: None } => {
                self.substitute_ident(name, frame)?;
                if self.is_macro(&name.name) {
                    let (name, at) = (name.name.clone(), ty.at);
                    *ty = self.type_macro(&name, None, at)?;
                }
            }
            TypeKind::Macro { name, args } => {
                self.substitute_ident(name, frame)?;
                if !self.is_macro(&name.name) {
                    let message = format!("there is no macro named `{}`", name.name);
                    let at = ty.at;
                    return self.fail(at, message);
                }
                let mut args = std::mem::take(args);
                self.keeping(frame, |this, frame| this.exprs(&mut args, frame))?;
                let (name, at) = (name.name.clone(), ty.at);
                *ty = self.type_macro(&name, Some(args), at)?;
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn type_macro(&mut self, name: &Name, args: Option<Vec<Expr>>, at: At) -> Result<Type> {
        let (define, mut frame) = self.open(name, args, at)?;
        let mut ty = match define.body {
            DefineBody::Type(ty) => ty,
            DefineBody::Expr(e) => match expr_as_type(e) {
                Some(ty) => ty,
                None => return self.fail(at, format!("the macro `{name}` is not a type")),
            },
            DefineBody::Block(_) => {
                return self.fail(at, format!("the statement macro `{name}` is used as a type"));
            }
        };
        self.ty(&mut ty, &mut frame)?;
        self.active.pop();
        Ok(ty)
    }

    /// Begins an expansion: checks recursion and arity.
    fn open(&mut self, name: &Name, args: Option<Vec<Expr>>, at: At) -> Result<(Define, Frame)> {
        let Some(define) = self.find(name) else {
            return self.fail(at, format!("there is no macro named `{name}`"));
        };
        if self.active.is_empty() && !self.acyclic.contains(name) {
            let find = |name: &Name| self.locals.get(name).or(self.globals.get(name).copied());
            if let Some(recursive) = recursive_macro(name, &find) {
                let (at, name) = (recursive.at, recursive.name.name.clone());
                return self.fail(at, format!("the macro `{name}` is recursive"));
            }
            self.acyclic.insert(name.clone());
        }
        // Arguments can still bring a macro into its own expansion.
        if self.active.contains(name) {
            return self.fail(define.at, format!("the macro `{name}` is recursive"));
        }
        if args.is_none() && define.params.is_some() {
            return self.fail(at, format!("the macro `{name}` needs arguments in parentheses"));
        }
        let args = args.unwrap_or_default();
        let params = define.params.as_deref().unwrap_or_default();
        if params.len() != args.len() {
            let what = format!("the macro `{name}`");
            let message = crate::wording::arity(&what, "argument", params.len(), args.len());
            return self.fail(at, message);
        }
        self.active.push(name.clone());
        let args = params.iter().map(|p| p.name.clone()).zip(args).collect();
        Ok((define, Frame { in_macro: true, at: Some(at), args, renames: Vec::new() }))
    }
}

/// A macro body that was parsed as an expression but names a type.
fn expr_as_type(e: Expr) -> Option<Type> {
    let at = e.at;
    let kind = match *e.kind {
        ExprKind::Name(name) => TypeKind::Named { name: Ident { name, at }, args: None },
        ExprKind::Call { callee, args, ty: None } => TypeKind::Macro { name: callee, args },
        ExprKind::Index(base, arg) => {
            let ExprKind::Name(name) = *base.kind else { return None };
            let arg = expr_as_type(arg)?;
            TypeKind::Named { name: Ident { name, at: base.at }, args: Some(vec![arg]) }
        }
        _ => return None,
    };
    Some(Type { kind, at })
}
