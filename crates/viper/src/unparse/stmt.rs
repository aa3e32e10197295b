//! Statements.

use super::names::Scope;
use crate::ast::{
    self, Else, Expr as Surface, ExprKind, If, Spec, SpecKind, Stmt as SurfaceStmt,
    StmtKind as Kind,
};
use crate::core::{Block, Decreases, LocalId, Measure, Stmt, StmtKind};

impl Scope<'_> {
    /// A block. Its variables are visible in all of it, so none of them may be called like a
    /// variable that is bound in an earlier statement.
    pub(super) fn block(&mut self, block: &Block) -> ast::Block {
        let mark = self.enter();
        let mut declarations = Vec::new();
        for stmt in &block.stmts {
            if let StmtKind::Var(id) = stmt.kind {
                declarations.push(self.param(id));
            }
        }
        let mut declarations = declarations.into_iter();
        let stmts = block.stmts.iter().map(|stmt| self.stmt(stmt, &mut declarations)).collect();
        self.leave(mark);
        ast::Block { stmts, at: block.pos.into() }
    }

    fn stmt(
        &mut self,
        stmt: &Stmt,
        declarations: &mut impl Iterator<Item = ast::Param>,
    ) -> SurfaceStmt {
        let kind = match &stmt.kind {
            StmtKind::Var(_) => {
                Kind::Var { vars: declarations.by_ref().take(1).collect(), init: None }
            }
            other => self.stmt_kind(other, stmt),
        };
        let mut surface = SurfaceStmt { kind, at: stmt.pos.into() };
        if let Some(info) = &stmt.info {
            for annotation in info.annotations.iter().rev() {
                let kind = Kind::Annotated(annotation.clone(), Box::new(surface));
                surface = SurfaceStmt { kind, at: stmt.pos.into() };
            }
        }
        surface
    }

    fn stmt_kind(&mut self, kind: &StmtKind, stmt: &Stmt) -> Kind {
        match kind {
            StmtKind::Var(_) => Kind::Block(ast::Block::default()),
            StmtKind::Unreachable => {
                Kind::Call(Surface::new(ExprKind::Name("unreachable".into()), stmt.pos))
            }
            StmtKind::Assign(target, value) => {
                Kind::Assign { targets: vec![self.target(*target, stmt)], value: self.expr(value) }
            }
            StmtKind::FieldAssign(receiver, field, value) => {
                let target = ExprKind::Field(self.expr(receiver), self.globals.field(*field));
                let targets = vec![Surface::new(target, stmt.pos)];
                Kind::Assign { targets, value: self.expr(value) }
            }
            StmtKind::New(target, fields) => {
                let fields = fields.iter().map(|field| self.globals.field(*field)).collect();
                let value = Surface::new(ExprKind::New(Some(fields)), stmt.pos);
                Kind::Assign { targets: vec![self.target(*target, stmt)], value }
            }
            StmtKind::Call { method, args, targets } => {
                let callee = self.globals.method(*method);
                let args = args.iter().map(|arg| self.expr(arg)).collect();
                let call = Surface::new(ExprKind::Call { callee, args, ty: None }, stmt.pos);
                if targets.is_empty() {
                    Kind::Call(call)
                } else {
                    let targets = targets.iter().map(|id| self.target(*id, stmt)).collect();
                    Kind::Assign { targets, value: call }
                }
            }
            StmtKind::Inhale(e) => Kind::Inhale(self.expr(e)),
            StmtKind::Exhale(e) => Kind::Exhale(self.expr(e)),
            StmtKind::Assert(e) => Kind::Assert(self.expr(e)),
            StmtKind::Assume(e) => Kind::Assume(self.expr(e)),
            StmtKind::Refute(e) => Kind::Refute(self.expr(e)),
            StmtKind::Fold(access) => Kind::Fold(self.access(access)),
            StmtKind::Unfold(access) => Kind::Unfold(self.access(access)),
            StmtKind::Package(wand, script) => Kind::Package {
                wand: self.wand(wand),
                script: (!script.stmts.is_empty()).then(|| self.block(script)),
            },
            StmtKind::Apply(wand) => Kind::Apply(self.wand(wand)),
            StmtKind::If(cond, then, otherwise) => Kind::If(If {
                cond: self.expr(cond),
                then: self.block(then),
                otherwise: (!otherwise.stmts.is_empty())
                    .then(|| Else::Block(self.block(otherwise))),
            }),
            StmtKind::While { cond, invariants, decreases, body } => {
                let cond = self.expr(cond);
                let mut specs: Vec<Spec> = invariants.iter().map(|e| self.invariant(e)).collect();
                specs.extend(decreases.iter().map(|clause| self.decreases(clause)));
                Kind::While { cond, specs, body: self.block(body) }
            }
            StmtKind::Label(label, invariants) => Kind::Label {
                name: self.label(*label),
                invariants: invariants.iter().map(|e| self.invariant(e)).collect(),
            },
            StmtKind::Goto(label) => Kind::Goto(self.label(*label)),
            StmtKind::Quasihavoc(cond, resource) => Kind::Quasihavoc {
                cond: cond.as_ref().map(|cond| self.expr(cond)),
                resource: self.resource(resource),
            },
            StmtKind::QuasihavocAll(vars, cond, resource) => {
                let mark = self.enter();
                let vars = vars.iter().map(|var| self.param(*var)).collect();
                let cond = cond.as_ref().map(|cond| self.expr(cond));
                let resource = self.resource(resource);
                self.leave(mark);
                Kind::QuasihavocAll { vars, cond, resource }
            }
            StmtKind::Block(block) => Kind::Block(self.block(block)),
        }
    }

    fn target(&self, id: LocalId, stmt: &Stmt) -> Surface {
        Surface::new(ExprKind::Name(self.local(id)), stmt.pos)
    }

    fn invariant(&mut self, e: &std::sync::Arc<crate::core::Expr>) -> Spec {
        Spec { kind: SpecKind::Invariant(self.expr(e)), at: e.pos.into() }
    }

    /// `decreases …`
    pub(super) fn decreases(&mut self, clause: &Decreases) -> Spec {
        let measure = match &clause.measure {
            Measure::Tuple(elems) => {
                ast::Measure::Tuple(elems.iter().map(|e| self.expr(e)).collect())
            }
            Measure::Wildcard => ast::Measure::Wildcard,
            Measure::Star => ast::Measure::Star,
        };
        let condition = clause.condition.as_ref().map(|e| self.expr(e));
        let at = clause.pos.into();
        Spec { kind: SpecKind::Decreases(ast::Decreases { measure, condition, at }), at }
    }
}
