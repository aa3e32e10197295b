//! Walking over the typed core and rebuilding parts of it.
//!
//! Reading: [`Program::walk_exprs`], [`Expr::for_each_child`], [`Expr::walk`], [`Stmt::for_each_expr`],
//! [`Stmt::for_each_block`], [`Block::walk_stmts`]. Rebuilding: [`Expr::map_children`],
//! [`Expr::rewrite`], [`Stmt::map_exprs`], [`Block::flat_map`], all of which share what they do not
//! change. Moving between members: [`crate::core::rename::Renaming`].

use std::sync::Arc;

use crate::core::{
    Block, Decreases, Expr, ExprKind, LocalId, Measure, PredicateAccess, Program, Resource, Stmt,
    StmtKind, Wand,
};

impl Expr {
    /// Calls `f` with every direct subexpression, in source order; those of resources, predicate
    /// accesses, wands and triggers included.
    pub fn for_each_child<'a>(&'a self, mut f: impl FnMut(&'a Arc<Expr>)) {
        self.children(&mut f);
    }

    fn children<'a>(&'a self, f: &mut dyn FnMut(&'a Arc<Expr>)) {
        match &self.kind {
            ExprKind::Int(_)
            | ExprKind::Bool(_)
            | ExprKind::Null
            | ExprKind::NoPerm
            | ExprKind::FullPerm
            | ExprKind::WildcardPerm
            | ExprKind::Local(_)
            | ExprKind::Result => {}
            ExprKind::Neg(e) | ExprKind::Not(e) | ExprKind::Field(e, _) | ExprKind::Old(_, e) => {
                f(e);
            }
            ExprKind::Binary(_, a, b)
            | ExprKind::Let(_, a, b)
            | ExprKind::Asserting(a, b)
            | ExprKind::InhaleExhale(a, b) => {
                f(a);
                f(b);
            }
            ExprKind::Cond(c, a, b) => {
                f(c);
                f(a);
                f(b);
            }
            ExprKind::Call(_, es)
            | ExprKind::DomainCall(_, es, _)
            | ExprKind::Seq(es)
            | ExprKind::Set(es)
            | ExprKind::Multiset(es)
            | ExprKind::Collection(_, es)
            | ExprKind::PredicateInstance(_, es) => es.iter().for_each(f),
            ExprKind::Map(entries) => {
                for (key, value) in entries {
                    f(key);
                    f(value);
                }
            }
            ExprKind::Acc(resource, amount) => {
                resource.children(f);
                amount.iter().for_each(f);
            }
            ExprKind::Wand(wand) => wand.children(f),
            ExprKind::Perm(resource) => resource.children(f),
            ExprKind::Quant { triggers, body, .. } => {
                triggers.iter().flatten().for_each(&mut *f);
                f(body);
            }
            ExprKind::ForPerm(_, resource, body) => {
                resource.children(f);
                f(body);
            }
            ExprKind::Unfolding(access, body) => {
                access.children(f);
                f(body);
            }
            ExprKind::Applying(wand, body) => {
                wand.children(f);
                f(body);
            }
        }
    }

    /// Visits the expression and everything in it, outer before inner. Where `visit` answers
    /// `false`, what is inside is left out.
    pub fn walk<'a>(self: &'a Arc<Expr>, visit: &mut dyn FnMut(&'a Arc<Expr>) -> bool) {
        if visit(self) {
            self.for_each_child(|child| child.walk(visit));
        }
    }

    /// Does `test` hold of the expression or of anything in it?
    #[must_use]
    pub fn any(self: &Arc<Expr>, mut test: impl FnMut(&Expr) -> bool) -> bool {
        let mut found = false;
        self.walk(&mut |e| {
            found = found || test(e);
            !found
        });
        found
    }

    /// The same expression with every direct subexpression replaced; the very same node if none
    /// of them changes.
    #[must_use]
    pub fn map_children(self: &Arc<Expr>, mut f: impl FnMut(&Arc<Expr>) -> Arc<Expr>) -> Arc<Expr> {
        let mut map = Map { f: &mut f, changed: false };
        let kind = map.kind(&self.kind);
        if map.changed { self.with_kind(kind) } else { Arc::clone(self) }
    }

    /// Replaces expressions from the outside in: where `f` answers with an expression, that is
    /// taken as it is, elsewhere the search goes on inside.
    #[must_use]
    pub fn rewrite(
        self: &Arc<Expr>,
        f: &mut dyn FnMut(&Arc<Expr>) -> Option<Arc<Expr>>,
    ) -> Arc<Expr> {
        f(self).unwrap_or_else(|| self.map_children(|child| child.rewrite(f)))
    }

    /// The expression with variables replaced, bound ones excepted. Bound variables have
    /// identifiers of their own within a member, so that nothing is captured as long as the
    /// expression and what it is given come from the same member.
    #[must_use]
    pub fn substitute(self: &Arc<Expr>, value: &dyn Fn(LocalId) -> Option<Arc<Expr>>) -> Arc<Expr> {
        self.rewrite(&mut |e| match e.kind {
            ExprKind::Local(id) => value(id),
            _ => None,
        })
    }

    /// Is it free of permissions? Those that are only passed through (`unfolding acc(P(x)) in …`,
    /// `applying (A --* B) in …`, `asserting (A) in …`, `perm(…)`, `forperm`) or stand in a trigger
    /// do not count.
    #[must_use]
    pub fn is_pure(&self) -> bool {
        match &self.kind {
            ExprKind::Acc(..) | ExprKind::Wand(_) => false,
            ExprKind::Unfolding(_, body)
            | ExprKind::Applying(_, body)
            | ExprKind::Asserting(_, body)
            | ExprKind::ForPerm(_, _, body)
            | ExprKind::Quant { body, .. } => body.is_pure(),
            ExprKind::Perm(_) => true,
            _ => {
                let mut pure = true;
                self.for_each_child(|child| pure = pure && child.is_pure());
                pure
            }
        }
    }
}

impl Resource {
    /// Calls `f` with every direct subexpression.
    pub fn for_each_child<'a>(&'a self, mut f: impl FnMut(&'a Arc<Expr>)) {
        self.children(&mut f);
    }

    fn children<'a>(&'a self, f: &mut dyn FnMut(&'a Arc<Expr>)) {
        match self {
            Resource::Field(receiver, _, _) => f(receiver),
            Resource::Predicate(_, args, _) => args.iter().for_each(f),
            Resource::Wand(wand) => wand.children(f),
        }
    }
}

impl Wand {
    /// Calls `f` with both sides.
    pub fn for_each_child<'a>(&'a self, mut f: impl FnMut(&'a Arc<Expr>)) {
        self.children(&mut f);
    }

    fn children<'a>(&'a self, f: &mut dyn FnMut(&'a Arc<Expr>)) {
        f(&self.lhs);
        f(&self.rhs);
    }
}

impl PredicateAccess {
    /// Calls `f` with the arguments and the amount.
    pub fn for_each_child<'a>(&'a self, mut f: impl FnMut(&'a Arc<Expr>)) {
        self.children(&mut f);
    }

    fn children<'a>(&'a self, f: &mut dyn FnMut(&'a Arc<Expr>)) {
        self.args.iter().for_each(&mut *f);
        self.amount.iter().for_each(f);
    }
}

impl Decreases {
    /// Calls `f` with the elements of the tuple and the condition.
    pub fn for_each_expr<'a>(&'a self, mut f: impl FnMut(&'a Arc<Expr>)) {
        self.exprs(&mut f);
    }

    fn exprs<'a>(&'a self, f: &mut dyn FnMut(&'a Arc<Expr>)) {
        if let Measure::Tuple(elems) = &self.measure {
            elems.iter().for_each(&mut *f);
        }
        self.condition.iter().for_each(f);
    }

    /// The same clause with every expression replaced.
    #[must_use]
    pub fn map_exprs(&self, mut f: impl FnMut(&Arc<Expr>) -> Arc<Expr>) -> Decreases {
        Map { f: &mut f, changed: false }.decreases(self)
    }
}

impl Stmt {
    /// Calls `f` with every expression of the statement itself, not of statements inside it.
    pub fn for_each_expr<'a>(&'a self, mut f: impl FnMut(&'a Arc<Expr>)) {
        self.exprs(&mut f);
    }

    fn exprs<'a>(&'a self, f: &mut dyn FnMut(&'a Arc<Expr>)) {
        match &self.kind {
            StmtKind::Var(_)
            | StmtKind::New(..)
            | StmtKind::Goto(_)
            | StmtKind::Block(_)
            | StmtKind::Unreachable => {}
            StmtKind::Assign(_, e)
            | StmtKind::Inhale(e)
            | StmtKind::Exhale(e)
            | StmtKind::Assert(e)
            | StmtKind::Assume(e)
            | StmtKind::Refute(e)
            | StmtKind::If(e, _, _) => f(e),
            StmtKind::FieldAssign(receiver, _, value) => {
                f(receiver);
                f(value);
            }
            StmtKind::Call { args, .. } => args.iter().for_each(f),
            StmtKind::Fold(access) | StmtKind::Unfold(access) => access.children(f),
            StmtKind::Package(wand, _) | StmtKind::Apply(wand) => wand.children(f),
            StmtKind::While { cond, invariants, decreases, .. } => {
                f(cond);
                invariants.iter().for_each(&mut *f);
                decreases.iter().for_each(|clause| clause.exprs(f));
            }
            StmtKind::Label(_, invariants) => invariants.iter().for_each(f),
            StmtKind::Quasihavoc(cond, resource) | StmtKind::QuasihavocAll(_, cond, resource) => {
                cond.iter().for_each(&mut *f);
                resource.children(f);
            }
        }
    }

    /// Calls `f` with every block directly inside the statement.
    pub fn for_each_block<'a>(&'a self, mut f: impl FnMut(&'a Block)) {
        match &self.kind {
            StmtKind::If(_, then, otherwise) => {
                f(then);
                f(otherwise);
            }
            StmtKind::Package(_, body) | StmtKind::While { body, .. } | StmtKind::Block(body) => {
                f(body)
            }
            StmtKind::Var(_)
            | StmtKind::Assign(..)
            | StmtKind::FieldAssign(..)
            | StmtKind::New(..)
            | StmtKind::Call { .. }
            | StmtKind::Inhale(_)
            | StmtKind::Exhale(_)
            | StmtKind::Assert(_)
            | StmtKind::Assume(_)
            | StmtKind::Refute(_)
            | StmtKind::Unreachable
            | StmtKind::Fold(_)
            | StmtKind::Unfold(_)
            | StmtKind::Apply(_)
            | StmtKind::Label(..)
            | StmtKind::Goto(_)
            | StmtKind::Quasihavoc(..)
            | StmtKind::QuasihavocAll(..) => {}
        }
    }

    /// The same statement with every expression of its own replaced; blocks inside are kept.
    #[must_use]
    pub fn map_exprs(&self, mut f: impl FnMut(&Arc<Expr>) -> Arc<Expr>) -> Stmt {
        let mut map = Map { f: &mut f, changed: false };
        let kind = match &self.kind {
            StmtKind::Var(_)
            | StmtKind::New(..)
            | StmtKind::Goto(_)
            | StmtKind::Block(_)
            | StmtKind::Unreachable => self.kind.clone(),
            StmtKind::Assign(target, e) => StmtKind::Assign(*target, map.expr(e)),
            StmtKind::Inhale(e) => StmtKind::Inhale(map.expr(e)),
            StmtKind::Exhale(e) => StmtKind::Exhale(map.expr(e)),
            StmtKind::Assert(e) => StmtKind::Assert(map.expr(e)),
            StmtKind::Assume(e) => StmtKind::Assume(map.expr(e)),
            StmtKind::Refute(e) => StmtKind::Refute(map.expr(e)),
            StmtKind::If(cond, then, otherwise) => {
                StmtKind::If(map.expr(cond), then.clone(), otherwise.clone())
            }
            StmtKind::FieldAssign(receiver, field, value) => {
                StmtKind::FieldAssign(map.expr(receiver), *field, map.expr(value))
            }
            StmtKind::Call { method, args, targets } => {
                StmtKind::Call { method: *method, args: map.exprs(args), targets: targets.clone() }
            }
            StmtKind::Fold(access) => StmtKind::Fold(map.access(access)),
            StmtKind::Unfold(access) => StmtKind::Unfold(map.access(access)),
            StmtKind::Package(wand, script) => StmtKind::Package(map.wand(wand), script.clone()),
            StmtKind::Apply(wand) => StmtKind::Apply(map.wand(wand)),
            StmtKind::While { cond, invariants, decreases, body } => StmtKind::While {
                cond: map.expr(cond),
                invariants: map.exprs(invariants),
                decreases: decreases.iter().map(|clause| map.decreases(clause)).collect(),
                body: body.clone(),
            },
            StmtKind::Label(label, invariants) => StmtKind::Label(*label, map.exprs(invariants)),
            StmtKind::Quasihavoc(cond, resource) => {
                StmtKind::Quasihavoc(map.option(cond), map.resource(resource))
            }
            StmtKind::QuasihavocAll(vars, cond, resource) => {
                StmtKind::QuasihavocAll(vars.clone(), map.option(cond), map.resource(resource))
            }
        };
        Stmt { kind, pos: self.pos, info: self.info.clone() }
    }

    /// The same statement with every block directly inside it replaced.
    #[must_use]
    pub fn map_blocks(self, mut f: impl FnMut(Block) -> Block) -> Stmt {
        let kind = match self.kind {
            StmtKind::If(cond, then, otherwise) => {
                let then = f(then);
                StmtKind::If(cond, then, f(otherwise))
            }
            StmtKind::Package(wand, script) => StmtKind::Package(wand, f(script)),
            StmtKind::While { cond, invariants, decreases, body } => {
                StmtKind::While { cond, invariants, decreases, body: f(body) }
            }
            StmtKind::Block(block) => StmtKind::Block(f(block)),
            other => other,
        };
        Stmt { kind, ..self }
    }
}

impl Block {
    /// Visits all statements of the block and of the blocks in it, outer before inner. Where
    /// `visit` answers `false`, the blocks inside the statement are left out.
    pub fn walk_stmts<'a>(&'a self, visit: &mut dyn FnMut(&'a Stmt) -> bool) {
        for stmt in &self.stmts {
            if visit(stmt) {
                stmt.for_each_block(|block| block.walk_stmts(visit));
            }
        }
    }

    /// Visits the expressions of all statements of the block and of the blocks in it.
    pub fn walk_exprs<'a>(&'a self, visit: &mut dyn FnMut(&'a Arc<Expr>) -> bool) {
        self.walk_stmts(&mut |stmt| {
            stmt.for_each_expr(|e| e.walk(visit));
            true
        });
    }

    /// Replaces every statement by any number of statements, inner before outer.
    #[must_use]
    pub fn flat_map(self, f: &mut dyn FnMut(Stmt) -> Vec<Stmt>) -> Block {
        let mut stmts = Vec::with_capacity(self.stmts.len());
        for stmt in self.stmts {
            let stmt = stmt.map_blocks(|block| block.flat_map(f));
            stmts.extend(f(stmt));
        }
        Block { stmts, pos: self.pos }
    }

    /// The same block with the direct expressions of all its statements replaced, those of blocks
    /// inside included.
    #[must_use]
    pub fn map_exprs(self, f: &mut dyn FnMut(&Arc<Expr>) -> Arc<Expr>) -> Block {
        self.flat_map(&mut |stmt| vec![stmt.map_exprs(&mut *f)])
    }
}

impl Program {
    /// Visits all expressions of all members, outer before inner; where `visit` answers `false`,
    /// what is inside is left out.
    pub fn walk_exprs<'a>(&'a self, visit: &mut dyn FnMut(&'a Arc<Expr>) -> bool) {
        for axiom in self.domains.iter().flat_map(|d| &d.axioms) {
            axiom.body.walk(visit);
        }
        for function in &self.functions {
            let exprs = function.pres.iter().chain(&function.posts).chain(&function.body);
            exprs.for_each(|e| e.walk(visit));
            function.decreases.iter().for_each(|d| d.for_each_expr(|e| e.walk(visit)));
        }
        for predicate in &self.predicates {
            predicate.body.iter().for_each(|e| e.walk(visit));
        }
        for method in &self.methods {
            method.pres.iter().chain(&method.posts).for_each(|e| e.walk(visit));
            method.decreases.iter().for_each(|d| d.for_each_expr(|e| e.walk(visit)));
            method.body.iter().for_each(|body| body.walk_exprs(visit));
        }
    }

    /// Replaces the outermost expressions of all members.
    pub fn map_exprs(&mut self, f: &mut dyn FnMut(&Arc<Expr>) -> Arc<Expr>) {
        let map_all = |exprs: &mut Vec<Arc<Expr>>, f: &mut dyn FnMut(&Arc<Expr>) -> Arc<Expr>| {
            for e in exprs {
                *e = f(e);
            }
        };
        for axiom in self.domains.iter_mut().flat_map(|d| &mut d.axioms) {
            axiom.body = f(&axiom.body);
        }
        for function in &mut self.functions {
            map_all(&mut function.pres, f);
            map_all(&mut function.posts, f);
            for clause in &mut function.decreases {
                *clause = clause.map_exprs(&mut *f);
            }
            function.body = function.body.as_ref().map(&mut *f);
        }
        for predicate in &mut self.predicates {
            predicate.body = predicate.body.as_ref().map(&mut *f);
        }
        for method in &mut self.methods {
            map_all(&mut method.pres, f);
            map_all(&mut method.posts, f);
            for clause in &mut method.decreases {
                *clause = clause.map_exprs(&mut *f);
            }
            method.body = method.body.take().map(|body| body.map_exprs(f));
        }
    }
}

/// Rebuilds a node from its children and notes whether any of them changed.
struct Map<'f> {
    f: &'f mut dyn FnMut(&Arc<Expr>) -> Arc<Expr>,
    changed: bool,
}

impl Map<'_> {
    fn expr(&mut self, e: &Arc<Expr>) -> Arc<Expr> {
        let new = (self.f)(e);
        self.changed |= e.id() != new.id();
        new
    }

    fn exprs(&mut self, es: &[Arc<Expr>]) -> Vec<Arc<Expr>> {
        es.iter().map(|e| self.expr(e)).collect()
    }

    fn option(&mut self, e: &Option<Arc<Expr>>) -> Option<Arc<Expr>> {
        e.as_ref().map(|e| self.expr(e))
    }

    fn wand(&mut self, wand: &Wand) -> Wand {
        Wand { lhs: self.expr(&wand.lhs), rhs: self.expr(&wand.rhs), pos: wand.pos }
    }

    fn access(&mut self, access: &PredicateAccess) -> PredicateAccess {
        PredicateAccess {
            args: self.exprs(&access.args),
            amount: self.option(&access.amount),
            ..*access
        }
    }

    fn resource(&mut self, resource: &Resource) -> Resource {
        match resource {
            Resource::Field(receiver, field, pos) => {
                Resource::Field(self.expr(receiver), *field, *pos)
            }
            Resource::Predicate(predicate, args, pos) => {
                Resource::Predicate(*predicate, self.exprs(args), *pos)
            }
            Resource::Wand(wand) => Resource::Wand(self.wand(wand)),
        }
    }

    fn decreases(&mut self, clause: &Decreases) -> Decreases {
        let measure = match &clause.measure {
            Measure::Tuple(elems) => Measure::Tuple(self.exprs(elems)),
            Measure::Wildcard => Measure::Wildcard,
            Measure::Star => Measure::Star,
        };
        Decreases { measure, condition: self.option(&clause.condition), pos: clause.pos }
    }

    fn kind(&mut self, kind: &ExprKind) -> ExprKind {
        match kind {
            ExprKind::Int(_)
            | ExprKind::Bool(_)
            | ExprKind::Null
            | ExprKind::NoPerm
            | ExprKind::FullPerm
            | ExprKind::WildcardPerm
            | ExprKind::Local(_)
            | ExprKind::Result => kind.clone(),
            ExprKind::Neg(e) => ExprKind::Neg(self.expr(e)),
            ExprKind::Not(e) => ExprKind::Not(self.expr(e)),
            ExprKind::Field(e, field) => ExprKind::Field(self.expr(e), *field),
            ExprKind::Old(state, e) => ExprKind::Old(*state, self.expr(e)),
            ExprKind::Binary(op, a, b) => ExprKind::Binary(*op, self.expr(a), self.expr(b)),
            ExprKind::Let(var, a, b) => ExprKind::Let(*var, self.expr(a), self.expr(b)),
            ExprKind::Asserting(a, b) => ExprKind::Asserting(self.expr(a), self.expr(b)),
            ExprKind::InhaleExhale(a, b) => ExprKind::InhaleExhale(self.expr(a), self.expr(b)),
            ExprKind::Cond(c, a, b) => ExprKind::Cond(self.expr(c), self.expr(a), self.expr(b)),
            ExprKind::Call(function, es) => ExprKind::Call(*function, self.exprs(es)),
            ExprKind::DomainCall(function, es, types) => {
                ExprKind::DomainCall(*function, self.exprs(es), Arc::clone(types))
            }
            ExprKind::Seq(es) => ExprKind::Seq(self.exprs(es)),
            ExprKind::Set(es) => ExprKind::Set(self.exprs(es)),
            ExprKind::Multiset(es) => ExprKind::Multiset(self.exprs(es)),
            ExprKind::Collection(op, es) => ExprKind::Collection(*op, self.exprs(es)),
            ExprKind::PredicateInstance(predicate, es) => {
                ExprKind::PredicateInstance(*predicate, self.exprs(es))
            }
            ExprKind::Map(entries) => {
                ExprKind::Map(entries.iter().map(|(k, v)| (self.expr(k), self.expr(v))).collect())
            }
            ExprKind::Acc(resource, amount) => {
                ExprKind::Acc(self.resource(resource), self.option(amount))
            }
            ExprKind::Wand(wand) => ExprKind::Wand(self.wand(wand)),
            ExprKind::Perm(resource) => ExprKind::Perm(self.resource(resource)),
            ExprKind::Quant { quantifier, vars, triggers, body } => ExprKind::Quant {
                quantifier: *quantifier,
                vars: vars.clone(),
                triggers: triggers.iter().map(|trigger| self.exprs(trigger)).collect(),
                body: self.expr(body),
            },
            ExprKind::ForPerm(vars, resource, body) => {
                ExprKind::ForPerm(vars.clone(), self.resource(resource), self.expr(body))
            }
            ExprKind::Unfolding(access, body) => {
                ExprKind::Unfolding(self.access(access), self.expr(body))
            }
            ExprKind::Applying(wand, body) => ExprKind::Applying(self.wand(wand), self.expr(body)),
        }
    }
}

#[cfg(test)]
mod tests {
    use report::Pos;

    use super::*;
    use crate::core::{BinOp, PredicateId, Type};

    fn local(id: u32) -> Arc<Expr> {
        Expr::new(ExprKind::Local(LocalId(id)), Type::Bool, Pos::None)
    }

    fn and(a: Arc<Expr>, b: Arc<Expr>) -> Arc<Expr> {
        Expr::binary_bool(BinOp::And, a, b, Pos::None)
    }

    #[test]
    fn unchanged_nodes_are_shared() {
        let left = and(local(0), local(1));
        let e = and(Arc::clone(&left), local(2));
        let new = e.substitute(&|id| (id == LocalId(2)).then(|| Expr::bool(true, Pos::None)));
        let ExprKind::Binary(_, a, b) = &new.kind else {
            return assert_eq!(new, e);
        };
        assert_eq!(a.id(), left.id());
        assert_eq!(b.kind, ExprKind::Bool(true));
        assert_eq!(e.id(), e.substitute(&|_| None).id());
        assert_ne!(e.id(), new.id());
    }

    #[test]
    fn permissions_under_unfolding_are_pure() {
        let access = PredicateAccess {
            predicate: PredicateId(0),
            args: Vec::new(),
            amount: None,
            pos: Pos::None,
            loc_pos: Pos::None,
        };
        let unfolding = ExprKind::Unfolding(access, local(0));
        assert!(Expr::new(unfolding, Type::Bool, Pos::None).is_pure());
        let resource = Resource::Predicate(PredicateId(0), Vec::new(), Pos::None);
        let acc = Expr::new(ExprKind::Acc(resource, None), Type::Bool, Pos::None);
        assert!(!and(local(0), acc).is_pure());
    }
}
