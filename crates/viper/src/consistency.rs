//! Consistency: rules about where expressions may occur that types do not express.
//!
//! Some of them show while types are checked (labels, triggers) and are reported from
//! [`crate::check`]; the others are here. All are `consistency.error`s at Viper's positions.

use std::collections::HashSet;
use std::sync::Arc;

use report::{Diagnostic, Pos};

use crate::core::{
    Block, Expr, ExprKind, FunctionId, LocalId, Method, OldState, PredicateAccess, Program,
    Resource, Stmt, StmtKind, Wand,
};

/// All violations in a program.
pub(crate) fn check(program: &Program) -> Vec<Diagnostic> {
    let mut rules = Rules { errors: Vec::new(), outer: Context::default() };
    for domain in &program.domains {
        rules.domain(domain);
    }
    for function in &program.functions {
        rules.function(function);
    }
    for predicate in &program.predicates {
        rules.predicate(predicate);
    }
    for method in &program.methods {
        rules.method(method);
    }
    rules.recursion_via_preconditions(program);
    rules.axiom_names(program);
    rules.errors
}

/// Which side of a wand an expression is on.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Side {
    /// Not in a wand.
    #[default]
    Outside,
    /// In the proof script of a wand.
    Script,
    Left,
    Right,
}

#[derive(Clone, Copy, Default)]
struct Context {
    side: Side,
    /// In an accessibility predicate, where `wildcard` may be.
    in_acc: bool,
    /// In an assumption: what it says of permissions is a comparison, where `wildcard` means nothing.
    assumed: bool,
    /// In a function: amounts mean "some permission", so `wildcard` may be a part of them.
    any_amount: bool,
}

/// What occurs in an expression.
#[derive(Default)]
struct Occurs {
    old: bool,
    labelled_old: bool,
    result: bool,
    perm: bool,
    location: bool,
    asserting: bool,
}

fn occurs(e: &Arc<Expr>) -> Occurs {
    let mut found = Occurs::default();
    e.walk(&mut |e| {
        match &e.kind {
            ExprKind::Old(OldState::Pre, _) => found.old = true,
            ExprKind::Old(OldState::Label(_), _) => found.labelled_old = true,
            ExprKind::Result => found.result = true,
            ExprKind::Perm(_) | ExprKind::ForPerm(..) => {
                found.perm = true;
                found.location = true;
            }
            ExprKind::Field(..) | ExprKind::Acc(..) | ExprKind::Unfolding(..) => {
                found.location = true;
            }
            ExprKind::Asserting(..) => found.asserting = true,
            _ => {}
        }
        true
    });
    found
}

struct Rules {
    errors: Vec<Diagnostic>,
    outer: Context,
}

impl Rules {
    /// The name of an axiom is nobody else's. (All other names have been compared before.)
    fn axiom_names(&mut self, program: &Program) {
        let mut taken: HashSet<&str> = HashSet::new();
        taken.extend(program.domains.iter().map(|d| d.name.as_str()));
        taken.extend(program.fields.iter().map(|f| f.name.as_str()));
        taken.extend(program.functions.iter().map(|f| f.name.as_str()));
        taken.extend(program.predicates.iter().map(|p| p.name.as_str()));
        taken.extend(program.methods.iter().map(|m| m.name.as_str()));
        for domain in program.domains.iter().filter(|d| d.adt.is_none()) {
            let axioms = domain.axioms.iter().filter_map(|a| Some((a.name.as_ref()?, a.pos)));
            let functions = domain.functions.iter().map(|f| {
                let function = program.domain_function(*f);
                (&function.name, function.pos)
            });
            for (name, pos) in axioms.chain(functions) {
                if !taken.insert(name.as_str()) {
                    let message = format!("the name `{name}` is already used");
                    self.errors.push(Diagnostic::error("consistency.error", pos, message));
                }
            }
        }
    }
}

impl Rules {
    fn error(&mut self, pos: Pos, message: impl Into<String>) {
        self.errors.push(Diagnostic::error("consistency.error", pos, message));
    }

    // --- Members

    fn domain(&mut self, domain: &crate::core::Domain) {
        if let Some(interpretations) = &domain.interpretations {
            if !domain.type_params.is_empty() {
                self.error(
                    domain.pos,
                    "a domain with an interpretation cannot have type parameters",
                );
            }
            if !interpretations.iter().any(|(backend, _)| backend.as_str() == "SMTLIB") {
                self.error(
                    domain.pos,
                    format!("the domain `{}` has no interpretation for `SMTLIB`", domain.name),
                );
            }
        }
        for axiom in &domain.axioms {
            let found = occurs(&axiom.body);
            let pos = axiom.body.pos;
            if found.old || found.labelled_old {
                self.error(pos, "axioms must not contain `old`");
            }
            if found.location {
                self.error(pos, "axioms must not depend on the heap");
            }
            if found.asserting {
                self.error(pos, "axioms must not contain `asserting`");
            }
            self.expr(&axiom.body, Context::default());
        }
    }

    fn function(&mut self, function: &crate::core::Function) {
        let context = Context { any_amount: true, ..Context::default() };
        for pre in &function.pres {
            self.precondition(pre);
            self.expr(pre, context);
        }
        for post in &function.posts {
            let found = occurs(post);
            if found.old {
                self.error(post.pos, "postconditions of functions must not contain `old`");
            }
            if found.labelled_old {
                self.error(post.pos, "postconditions must not refer to labels");
            }
            self.expr(post, context);
        }
        if let Some(body) = &function.body {
            let found = occurs(body);
            if found.old {
                self.error(body.pos, "bodies of functions must not contain `old`");
            }
            if found.result {
                self.error(body.pos, "bodies of functions must not contain `result`");
            }
            if found.perm {
                self.error(body.pos, "bodies of functions must not contain `perm` or `forperm`");
            }
            self.expr(body, context);
        }
    }

    fn precondition(&mut self, pre: &Arc<Expr>) {
        let found = occurs(pre);
        if found.old {
            self.error(pre.pos, "preconditions must not contain `old`");
        }
        if found.labelled_old {
            self.error(pre.pos, "preconditions must not refer to labels");
        }
    }

    fn predicate(&mut self, predicate: &crate::core::Predicate) {
        let Some(body) = &predicate.body else { return };
        let found = occurs(body);
        if found.old {
            self.error(body.pos, "predicates must not contain `old`");
        }
        if found.perm {
            self.error(body.pos, "predicates must not contain `perm` or `forperm`");
        }
        self.expr(body, Context::default());
    }

    fn method(&mut self, method: &Method) {
        for pre in &method.pres {
            self.precondition(pre);
            self.results_in_precondition(pre, method);
            self.expr(pre, Context::default());
        }
        for post in &method.posts {
            if occurs(post).labelled_old {
                self.error(post.pos, "postconditions must not refer to labels");
            }
            self.expr(post, Context::default());
        }
        if let Some(body) = &method.body {
            self.block(body);
        }
    }

    fn results_in_precondition(&mut self, pre: &Arc<Expr>, method: &Method) {
        let results = method.params..method.params + method.returns;
        let mut uses = Vec::new();
        pre.walk(&mut |e| {
            if let ExprKind::Local(id) = &e.kind
                && results.contains(&id.0)
            {
                uses.push((*id, e.pos));
            }
            true
        });
        for (id, pos) in uses {
            let name = method.locals.get(id.index()).map_or("", |l| l.name.as_str());
            self.error(pos, format!("the result `{name}` cannot be used in a precondition"));
        }
    }

    /// Functions whose precondition must hold to evaluate that precondition.
    fn recursion_via_preconditions(&mut self, program: &Program) {
        let calls = |exprs: &mut dyn Iterator<Item = &Arc<Expr>>| {
            let mut called = Vec::new();
            for e in exprs {
                e.walk(&mut |e| {
                    if let ExprKind::Call(f, _) = &e.kind
                        && !called.contains(f)
                    {
                        called.push(*f);
                    }
                    true
                });
            }
            called
        };
        // Most programs call no function in a precondition: build the graph only when one does.
        let via_pre: Vec<Vec<FunctionId>> =
            program.functions.iter().map(|f| calls(&mut f.pres.iter())).collect();
        if via_pre.iter().all(Vec::is_empty) {
            return;
        }
        let all: Vec<Vec<FunctionId>> = program
            .functions
            .iter()
            .map(|f| calls(&mut f.pres.iter().chain(&f.posts).chain(&f.body)))
            .collect();
        for (i, function) in program.functions.iter().enumerate() {
            let mut pending = via_pre.get(i).cloned().unwrap_or_default();
            let mut seen: HashSet<FunctionId> = pending.iter().copied().collect();
            while let Some(f) = pending.pop() {
                for next in all.get(f.index()).into_iter().flatten() {
                    if seen.insert(*next) {
                        pending.push(*next);
                    }
                }
            }
            if seen.contains(&FunctionId(i as u32)) {
                self.error(
                    function.pos,
                    format!(
                        "evaluating the precondition of `{}` needs the function itself",
                        function.name
                    ),
                );
            }
        }
    }

    // --- Statements

    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let context = self.outer;
        match &stmt.kind {
            StmtKind::Package(wand, script) => {
                self.wand(wand, context);
                self.script(script);
                let outer = std::mem::replace(
                    &mut self.outer,
                    Context { side: Side::Script, ..Context::default() },
                );
                self.block(script);
                self.outer = outer;
                return;
            }
            StmtKind::Apply(wand) => self.wand(wand, context),
            StmtKind::Assume(e) => self.expr(e, Context { assumed: true, ..context }),
            StmtKind::Fold(access) | StmtKind::Unfold(access) => self.access(access, context),
            StmtKind::Quasihavoc(cond, resource) | StmtKind::QuasihavocAll(_, cond, resource) => {
                if let Some(cond) = cond {
                    self.expr(cond, context);
                }
                self.resource(resource, context);
            }
            _ => {
                stmt.for_each_expr(|e| self.expr(e, context));
            }
        }
        stmt.for_each_block(|b| self.block(b));
    }

    /// What a proof script may not do.
    fn script(&mut self, script: &Block) {
        let mut own: HashSet<LocalId> = HashSet::new();
        let mut errors: Vec<(Pos, &str)> = Vec::new();
        script.walk_stmts(&mut |stmt| {
            match &stmt.kind {
                StmtKind::Var(id) => {
                    own.insert(*id);
                }
                StmtKind::FieldAssign(..) => {
                    errors.push((stmt.pos, "proof scripts must not assign to fields"));
                }
                StmtKind::New(..) => {
                    errors.push((stmt.pos, "proof scripts must not create objects"));
                }
                StmtKind::While { .. } => {
                    errors.push((stmt.pos, "proof scripts must not contain loops"));
                }
                StmtKind::Assign(id, _) if !own.contains(id) => errors.push((
                    stmt.pos,
                    "proof scripts can only assign to variables that they declare themselves",
                )),
                StmtKind::Call { targets, .. } if targets.iter().any(|id| !own.contains(id)) => {
                    errors.push((
                        stmt.pos,
                        "proof scripts can only assign to variables that they declare themselves",
                    ));
                }
                // Checked on its own.
                StmtKind::Package(..) => return false,
                _ => {}
            }
            true
        });
        for (pos, message) in errors {
            self.error(pos, message);
        }
    }

    // --- Expressions

    fn expr(&mut self, e: &Arc<Expr>, context: Context) {
        match &e.kind {
            ExprKind::WildcardPerm if !context.in_acc => {
                self.error(e.pos, "`wildcard` can only be used in accessibility predicates");
            }
            ExprKind::Acc(resource, amount) => {
                let inner = Context { in_acc: !context.assumed, ..context };
                self.resource(resource, inner);
                if let Some(amount) = amount {
                    self.amount(amount, context);
                    self.expr(amount, inner);
                }
            }
            ExprKind::Wand(wand) => self.wand(wand, context),
            ExprKind::Perm(resource) => self.resource(resource, context),
            ExprKind::ForPerm(_, resource, body) => {
                self.resource(resource, context);
                self.expr(body, context);
            }
            ExprKind::Old(OldState::Lhs, inner) => {
                match context.side {
                    Side::Outside => self.error(
                        e.pos,
                        "`old[lhs]` can only be used in wands and their proof scripts",
                    ),
                    Side::Left => self.error(
                        e.pos,
                        "`old[lhs]` can only be used on the right-hand side of a wand",
                    ),
                    Side::Right | Side::Script => {}
                }
                self.expr(inner, context);
            }
            // What is assumed of permissions is a comparison, and so it may be anywhere.
            ExprKind::Unfolding(access, body) => {
                self.access(access, context);
                if !context.assumed {
                    self.require_pure(body);
                }
                self.expr(body, context);
            }
            ExprKind::Applying(wand, body) => {
                self.wand(wand, context);
                if !context.assumed {
                    self.require_pure(body);
                }
                self.expr(body, context);
            }
            ExprKind::Asserting(assertion, body) => {
                self.expr(assertion, context);
                if !context.assumed {
                    self.require_pure(body);
                }
                self.expr(body, context);
            }
            _ => e.for_each_child(|child| self.expr(child, context)),
        }
    }

    fn require_pure(&mut self, body: &Arc<Expr>) {
        if !body.is_pure() {
            self.error(body.pos, "expected an expression without permissions");
        }
    }

    fn resource(&mut self, resource: &Resource, context: Context) {
        match resource {
            Resource::Wand(wand) => self.wand(wand, context),
            _ => resource.for_each_child(|e| self.expr(e, context)),
        }
    }

    fn access(&mut self, access: &PredicateAccess, context: Context) {
        let inner = Context { in_acc: true, ..context };
        access.for_each_child(|e| self.expr(e, inner));
        if let Some(amount) = &access.amount {
            self.amount(amount, context);
        }
    }

    fn wand(&mut self, wand: &Wand, context: Context) {
        let ghost = |e: &Expr| match &e.kind {
            ExprKind::Unfolding(_, body) | ExprKind::Applying(_, body) => !body.is_pure(),
            _ => false,
        };
        if wand.lhs.any(ghost) || wand.rhs.any(ghost) {
            self.error(wand.pos, "wands must not unfold or apply anything to get at permissions");
        }
        let context = Context { assumed: false, ..context };
        self.expr(&wand.lhs, Context { side: Side::Left, ..context });
        self.expr(&wand.rhs, Context { side: Side::Right, ..context });
    }

    /// `wildcard` must be the whole amount.
    fn amount(&mut self, amount: &Arc<Expr>, context: Context) {
        if context.any_amount {
            return;
        }
        let has_wildcard = || amount.any(|e| matches!(e.kind, ExprKind::WildcardPerm));
        if !matches!(amount.kind, ExprKind::WildcardPerm) && has_wildcard() {
            self.error(
                amount.pos,
                "`wildcard` must be the whole amount, not a part of an expression",
            );
        }
    }
}
