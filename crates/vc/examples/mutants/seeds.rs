//! Seeded errors: small changes of a program, most of which make it wrong.
//!
//! A change is an edit of the text at a place that the checked program names, so what is reported is what a person
//! would have written. Not every change is an error; whoever reads about one that still verifies has to judge it.

use report::{FileId, Span};
use spl::core::{
    BinOp, Clause, Expr, ExprKind, LocalId, Procedure, Program, Stmt, StmtKind, Target, Type,
};

/// A change of a text.
#[derive(Clone, Debug)]
pub struct Seed {
    /// What kind of error it may be.
    pub kind: &'static str,
    /// The procedure.
    pub member: String,
    /// What is replaced.
    pub span: Span,
    /// By what.
    pub by: String,
}

impl Seed {
    /// The text with the change made.
    pub fn apply(&self, text: &str) -> Option<String> {
        let (start, end) = (self.span.start as usize, self.span.end as usize);
        let (before, after) = (text.get(..start)?, text.get(end..)?);
        Some(format!("{before}{}{after}", self.by))
    }

    /// The place and the change, on a line.
    pub fn describe(&self, text: &str) -> String {
        let line = text.get(..self.span.start as usize).map_or(0, |t| t.matches('\n').count() + 1);
        let from = text.get(self.span.start as usize..self.span.end as usize).unwrap_or_default();
        let one = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        format!("{line}: {}: `{}` becomes `{}`", self.kind, one(from), one(&self.by))
    }
}

/// All changes of the procedures in a file.
pub fn seeds(program: &Program, file: FileId, text: &str) -> Vec<Seed> {
    let mut all = Vec::new();
    for procedure in program.procedures.values().filter(|p| p.span.file == file) {
        if let Some(body) = &procedure.body {
            let mut maker = Maker { program, procedure, text, found: Vec::new() };
            maker.contract();
            body.walk(&mut |stmt| maker.statement(stmt));
            all.extend(maker.found.into_iter().filter(|seed| seed.span.file == file));
        }
    }
    all.sort_by_key(|seed| seed.span.start);
    all
}

struct Maker<'a> {
    program: &'a Program,
    procedure: &'a Procedure,
    text: &'a str,
    found: Vec<Seed>,
}

impl Maker<'_> {
    fn add(&mut self, kind: &'static str, span: Span, by: impl Into<String>) {
        let member = self.procedure.name.to_string();
        self.found.push(Seed { kind, member, span, by: by.into() });
    }

    fn source(&self, span: Span) -> String {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default().to_owned()
    }

    fn contract(&mut self) {
        let procedure = self.procedure;
        for clause in &procedure.ensures {
            let text = self.source(clause.expr.span);
            for result in procedure.returns.iter().chain(&procedure.params) {
                let Some(local) = procedure.locals.get(result.local.0 as usize) else { continue };
                if local.ty.is_reference() {
                    for claim in ["== null", "!= null"] {
                        let stronger = format!("({text}) &*& {} {claim}", local.name);
                        self.add("stronger postcondition", clause.expr.span, stronger);
                    }
                }
            }
            self.comparisons("stronger postcondition", &clause.expr);
        }
        for clause in &procedure.requires {
            self.weaker("weaker precondition", clause);
        }
    }

    /// One of the conjuncts is forgotten.
    fn weaker(&mut self, kind: &'static str, clause: &Clause) {
        let mut pending = vec![&clause.expr];
        while let Some(e) = pending.pop() {
            if let ExprKind::Binary(BinOp::SepStar | BinOp::And, a, b) = &*e.kind {
                let (left, right) = (self.source(a.span), self.source(b.span));
                self.add(kind, e.span, left);
                self.add(kind, e.span, right);
                pending.extend([a, b]);
            }
        }
        let nothing = if clause.expr.ty == Type::Perm { "emp" } else { "true" };
        self.add(kind, clause.expr.span, nothing);
    }

    /// Strict for not strict, different for equal.
    fn comparisons(&mut self, kind: &'static str, e: &Expr) {
        let mut found = Vec::new();
        e.walk(&mut |e| {
            if let ExprKind::Binary(op @ (BinOp::Le | BinOp::Lt | BinOp::Eq | BinOp::Ne), a, b) =
                &*e.kind
            {
                found.push((*op, a.span, b.span));
            }
        });
        for (op, a, b) in found {
            let between = Span { start: a.end, end: b.start, ..a };
            let text = self.source(between);
            let changes =
                [("<=", "<"), (">=", ">"), ("==", "!="), ("!=", "=="), ("<", "<="), (">", ">=")];
            let wanted = changes.iter().find(|(from, _)| text.trim() == *from);
            if let Some((_, to)) = wanted.filter(|_| op != BinOp::Ne || text.contains("!=")) {
                let (left, right) = (self.source(a), self.source(b));
                self.add(kind, Span { end: b.end, ..a }, format!("{left} {to} {right}"));
            }
        }
    }

    fn statement(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign(targets, values) => {
                self.add("dropped assignment", stmt.span, "");
                for target in targets {
                    if let Target::Field(field, object) = target {
                        self.other_field(field, object.span.end);
                    }
                }
                values.iter().for_each(|value| self.expression(value));
            }
            StmtKind::Call(_, _, args) => {
                self.add("dropped call", stmt.span, "");
                if let [.., a, b] = args.as_slice()
                    && a.ty == b.ty
                    && a.span.end <= b.span.start
                {
                    let between = Span { start: a.span.end, end: b.span.start, ..a.span };
                    let (x, comma, y) =
                        (self.source(a.span), self.source(between), self.source(b.span));
                    let both = Span { end: b.span.end, ..a.span };
                    self.add("swapped arguments", both, format!("{y}{comma}{x}"));
                }
                args.iter().for_each(|arg| self.expression(arg));
            }
            StmtKind::Free(_) => self.add("leak", stmt.span, ""),
            StmtKind::If(cond, ..) => {
                self.add("missing check", cond.span, "true");
                let not = format!("!({})", self.source(cond.span));
                self.add("wrong check", cond.span, not);
                self.comparisons("wrong check", cond);
            }
            StmtKind::While(cond, invariants, _) => {
                for invariant in invariants {
                    self.weaker("weaker invariant", invariant);
                }
                self.comparisons("wrong loop", cond);
            }
            StmtKind::Return(values) => values.iter().for_each(|value| self.expression(value)),
            _ => {}
        }
    }

    /// Changes of what is read.
    fn expression(&mut self, e: &Expr) {
        let mut parts = Vec::new();
        e.walk(&mut |e| parts.push(e.clone()));
        for e in parts {
            match &*e.kind {
                ExprKind::Read(map, object) => {
                    if let ExprKind::Field(field) = &*map.kind {
                        self.other_field(field, object.span.end);
                    }
                }
                ExprKind::Int(_) => {
                    let more = format!("({} + 1)", self.source(e.span));
                    self.add("other number", e.span, more);
                }
                ExprKind::Local(local) => self.other_local(*local, e.span),
                _ => {}
            }
        }
    }

    /// Another field of the same type, behind an object that ends here.
    fn other_field(&mut self, field: &str, end: u32) {
        let Some(decl) = self.program.fields.get(field) else { return };
        let Some(at) = self.text.get(end as usize..).and_then(|rest| rest.find(field)) else {
            return;
        };
        let start = end + at as u32;
        let span = Span { file: self.procedure.span.file, start, end: start + field.len() as u32 };
        let others = self.program.fields.iter().filter(|(name, other)| {
            ***name != *field && other.owner == decl.owner && other.ty == decl.ty
        });
        for name in others.map(|(name, _)| name.to_string()).collect::<Vec<_>>() {
            // Only `x.f` is a place that the program names.
            if at <= 2 {
                self.add("swapped field", span, name);
            }
        }
    }

    /// A parameter of the same type in place of a variable.
    fn other_local(&mut self, local: LocalId, span: Span) {
        let locals = &self.procedure.locals;
        let Some(own) = locals.get(local.0 as usize) else { return };
        if self.source(span) != *own.name {
            return;
        }
        let params = self.procedure.params.iter().filter_map(|p| locals.get(p.local.0 as usize));
        let other = params
            .filter(|p| p.ty == own.ty && p.name != own.name)
            .map(|p| p.name.to_string())
            .next();
        if let Some(other) = other {
            self.add("other variable", span, other);
        }
    }
}
