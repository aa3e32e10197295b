//! Copies of expressions and statements for another member of the program.

use std::sync::Arc;

use crate::core::{Block, Expr, ExprKind, LabelId, Local, LocalId, OldState, Stmt, StmtKind};

/// Brings expressions and statements of one member into another, where variables have other
/// identifiers. Every variable that has not been given a value with [`Renaming::replace`] gets a
/// new identifier there when it is first met.
#[derive(Debug)]
pub struct Renaming<'a> {
    from: &'a [Local],
    to: &'a mut Vec<Local>,
    values: Vec<Option<Arc<Expr>>>,
    ids: Vec<Option<LocalId>>,
    labels: Vec<Option<LabelId>>,
}

impl<'a> Renaming<'a> {
    /// From a member with the variables `from` into one with the variables `to`.
    #[must_use]
    pub fn new(from: &'a [Local], to: &'a mut Vec<Local>) -> Renaming<'a> {
        Renaming {
            from,
            to,
            values: vec![None; from.len()],
            ids: vec![None; from.len()],
            labels: Vec::new(),
        }
    }

    /// Lets `value`, an expression of the new member, stand for a variable wherever it is read.
    pub fn replace(&mut self, local: LocalId, value: Arc<Expr>) {
        if let Some(slot) = self.values.get_mut(local.index()) {
            *slot = Some(value);
        }
    }

    /// Lets the first variables stand for `values`, in order.
    pub fn replace_params(&mut self, values: impl IntoIterator<Item = Arc<Expr>>) {
        for (slot, value) in self.values.iter_mut().zip(values) {
            *slot = Some(value);
        }
    }

    /// Lets `new` be the label that stands for `old`.
    pub fn rename_label(&mut self, old: LabelId, new: LabelId) {
        if self.labels.len() <= old.index() {
            self.labels.resize(old.index() + 1, None);
        }
        self.labels[old.index()] = Some(new);
    }

    /// The identifier of a variable in the new member.
    pub fn local(&mut self, id: LocalId) -> LocalId {
        if let Some(Some(new)) = self.ids.get(id.index()) {
            return *new;
        }
        let Some(local) = self.from.get(id.index()) else {
            return id;
        };
        let new = LocalId(self.to.len() as u32);
        self.to.push(local.clone());
        self.ids[id.index()] = Some(new);
        new
    }

    fn label(&self, id: LabelId) -> LabelId {
        self.labels.get(id.index()).copied().flatten().unwrap_or(id)
    }

    fn locals(&mut self, ids: &[LocalId]) -> Vec<LocalId> {
        ids.iter().map(|id| self.local(*id)).collect()
    }

    /// The expression in the new member.
    pub fn expr(&mut self, e: &Arc<Expr>) -> Arc<Expr> {
        let with = |kind: ExprKind| e.with_kind(kind);
        match &e.kind {
            ExprKind::Local(id) => match self.values.get(id.index()) {
                Some(Some(value)) => Arc::clone(value),
                _ => with(ExprKind::Local(self.local(*id))),
            },
            ExprKind::Old(OldState::Label(label), inner) => {
                let state = OldState::Label(self.label(*label));
                with(ExprKind::Old(state, self.expr(inner)))
            }
            ExprKind::Let(var, value, body) => {
                let value = self.expr(value);
                let var = self.local(*var);
                with(ExprKind::Let(var, value, self.expr(body)))
            }
            ExprKind::Quant { quantifier, vars, triggers, body } => {
                let vars = self.locals(vars);
                let triggers = triggers
                    .iter()
                    .map(|trigger| trigger.iter().map(|e| self.expr(e)).collect())
                    .collect();
                let body = self.expr(body);
                with(ExprKind::Quant { quantifier: *quantifier, vars, triggers, body })
            }
            ExprKind::ForPerm(vars, ..) => {
                let renamed = self.locals(vars);
                let inner = e.map_children(|child| self.expr(child));
                match &inner.kind {
                    ExprKind::ForPerm(_, resource, body) => {
                        with(ExprKind::ForPerm(renamed, resource.clone(), Arc::clone(body)))
                    }
                    _ => inner,
                }
            }
            _ => e.map_children(|child| self.expr(child)),
        }
    }

    /// The statement in the new member.
    pub fn stmt(&mut self, stmt: &Stmt) -> Stmt {
        let mut stmt = stmt.map_exprs(|e| self.expr(e)).map_blocks(|block| self.block(&block));
        match &mut stmt.kind {
            StmtKind::Var(var) | StmtKind::Assign(var, _) | StmtKind::New(var, _) => {
                *var = self.local(*var);
            }
            StmtKind::Call { targets, .. } => *targets = self.locals(targets),
            StmtKind::QuasihavocAll(vars, ..) => *vars = self.locals(vars),
            StmtKind::Label(label, _) | StmtKind::Goto(label) => *label = self.label(*label),
            _ => {}
        }
        stmt
    }

    /// The block in the new member.
    pub fn block(&mut self, block: &Block) -> Block {
        Block { stmts: block.stmts.iter().map(|s| self.stmt(s)).collect(), pos: block.pos }
    }
}

#[cfg(test)]
mod tests {
    use report::Pos;

    use super::*;
    use crate::ast::Quantifier;
    use crate::core::{BinOp, Type};

    fn local(id: u32) -> Arc<Expr> {
        Expr::new(ExprKind::Local(LocalId(id)), Type::Bool, Pos::None)
    }

    fn and(a: Arc<Expr>, b: Arc<Expr>) -> Arc<Expr> {
        Expr::binary_bool(BinOp::And, a, b, Pos::None)
    }

    fn forall(var: u32, body: Arc<Expr>) -> Arc<Expr> {
        let kind = ExprKind::Quant {
            quantifier: Quantifier::Forall,
            vars: vec![LocalId(var)],
            triggers: Vec::new(),
            body,
        };
        Expr::new(kind, Type::Bool, Pos::None)
    }

    #[test]
    fn a_renamed_expression_has_its_own_bound_variables() {
        let old = |name: &str| Local::new(name, Type::Bool, Pos::None);
        let from = [old("x"), old("y")];
        let mut to = vec![old("a")];
        let mut renaming = Renaming::new(&from, &mut to);
        renaming.replace(LocalId(0), local(0));
        let new = renaming.expr(&forall(1, and(local(0), local(1))));
        assert_eq!(new, forall(1, and(local(0), local(1))));
        let again = Renaming::new(&from, &mut to).expr(&forall(1, local(1)));
        assert_eq!(again, forall(2, local(2)));
        assert_eq!(to.len(), 3);
    }
}
