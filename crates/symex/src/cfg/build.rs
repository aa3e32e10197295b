//! From statements to nodes and edges; loops are not known yet.

use std::collections::HashMap;
use std::mem;
use std::sync::Arc;

use report::Pos;
use rpds::List;
use viper::core::{Block, Expr, LabelId, LocalId, Stmt, StmtKind};

use super::{Edge, LoopId, Node, NodeId, NodeKind, Unsupported};

/// A graph without loops: edges leave none, [`NodeKind::LoopHead`] is there for `while` only and
/// its loop is not to be relied on.
pub(super) struct Raw<'p> {
    pub(super) nodes: Vec<Node<'p>>,
    pub(super) entry: NodeId,
    /// One for each node.
    pub(super) origins: Vec<Origin<'p>>,
    pub(super) has_jumps: bool,
}

/// Where a node comes from.
#[derive(Clone, Copy)]
pub(super) struct Origin<'p> {
    pub(super) pos: Pos,
    /// Those of a `while` at its head, those of a label.
    pub(super) invariants: &'p [Arc<Expr>],
    /// The head of the innermost `while` it is in; a guard is in its `while`, a head is not.
    pub(super) around: Option<NodeId>,
}

/// An edge that is to be led somewhere.
#[derive(Clone, Copy)]
enum EdgeRef {
    /// The way into the body.
    Entry,
    /// That of a node at this position in [`NodeKind::edges`].
    Of(NodeId, usize),
}

pub(super) fn graph(body: &Block) -> Result<Raw<'_>, Unsupported> {
    let mut builder = Builder { open: vec![EdgeRef::Entry], ..Builder::default() };
    builder.block(body);
    builder.node(NodeKind::Exit, body.pos, &[]);
    let has_jumps = !builder.jumps.is_empty();
    builder.resolve_jumps()?;
    Ok(Raw { nodes: builder.nodes, entry: builder.entry, origins: builder.origins, has_jumps })
}

#[derive(Default)]
struct Builder<'p> {
    nodes: Vec<Node<'p>>,
    entry: NodeId,
    origins: Vec<Origin<'p>>,
    around: Option<NodeId>,
    /// Edges that go to the next node.
    open: Vec<EdgeRef>,
    /// Edges that go to a label, and the `goto`s they come from.
    jumps: Vec<(EdgeRef, LabelId, Pos)>,
    labels: HashMap<LabelId, NodeId>,
    /// The variables that are declared so far, here and in the blocks around.
    scope: List<LocalId>,
}

/// An edge that goes nowhere yet.
fn nowhere() -> Edge {
    Edge { to: NodeId(u32::MAX), leaves: 0, back: false, jump: None }
}

impl<'p> Builder<'p> {
    fn block(&mut self, block: &'p Block) {
        let outer = self.scope.clone();
        block.stmts.iter().for_each(|stmt| self.stmt(stmt));
        self.scope = outer;
    }

    fn stmt(&mut self, stmt: &'p Stmt) {
        match &stmt.kind {
            StmtKind::Block(block) => self.block(block),
            StmtKind::If(cond, then, otherwise) => self.conditional(stmt, cond, then, otherwise),
            StmtKind::While { cond, invariants, body, .. } => {
                self.while_loop(stmt, cond, invariants, body);
            }
            StmtKind::Label(label, invariants) => {
                let kind = NodeKind::Label { label: *label, next: nowhere() };
                let node = self.node(kind, stmt.pos, invariants);
                self.labels.insert(*label, node);
                self.open.push(EdgeRef::Of(node, 0));
            }
            StmtKind::Goto(label) => {
                let open = mem::take(&mut self.open);
                self.jumps.extend(open.into_iter().map(|edge| (edge, *label, stmt.pos)));
            }
            _ => {
                let node = self.node(NodeKind::Stmt { stmt, next: nowhere() }, stmt.pos, &[]);
                self.open.push(EdgeRef::Of(node, 0));
                if let StmtKind::Var(local) = stmt.kind {
                    self.scope.push_front_mut(local);
                }
            }
        }
    }

    fn conditional(
        &mut self,
        stmt: &'p Stmt,
        cond: &'p Arc<Expr>,
        then: &'p Block,
        otherwise: &'p Block,
    ) {
        let branch = self.branch(cond, false, stmt.pos);
        self.open.push(EdgeRef::Of(branch, 0));
        self.block(then);
        let mut after_then = mem::take(&mut self.open);
        self.open.push(EdgeRef::Of(branch, 1));
        self.block(otherwise);
        // The shorter list is moved: deep nests stay cheap.
        if self.open.len() < after_then.len() {
            mem::swap(&mut self.open, &mut after_then);
        }
        self.open.extend(after_then);
        self.end(branch);
    }

    fn while_loop(
        &mut self,
        stmt: &'p Stmt,
        cond: &'p Arc<Expr>,
        invariants: &'p [Arc<Expr>],
        body: &'p Block,
    ) {
        let head = NodeKind::LoopHead { id: LoopId(u32::MAX), next: nowhere() };
        let head = self.node(head, stmt.pos, invariants);
        self.open.push(EdgeRef::Of(head, 0));
        let outer = self.around.replace(head);
        let guard = self.branch(cond, true, stmt.pos);
        self.open.push(EdgeRef::Of(guard, 0));
        self.block(body);
        self.close(head);
        self.around = outer;
        self.open.push(EdgeRef::Of(guard, 1));
    }

    fn branch(&mut self, cond: &'p Arc<Expr>, loop_guard: bool, pos: Pos) -> NodeId {
        let (then, otherwise) = (nowhere(), nowhere());
        let end = NodeId(u32::MAX);
        self.node(NodeKind::Branch { cond, loop_guard, then, otherwise, end }, pos, &[])
    }

    /// The `if` that starts with this branch ends here.
    fn end(&mut self, branch: NodeId) {
        let next = NodeId(self.nodes.len() as u32);
        if let NodeKind::Branch { end, .. } = &mut self.nodes[branch.index()].kind {
            *end = next;
        }
    }

    /// Adds a node and leads all open edges to it.
    fn node(&mut self, kind: NodeKind<'p>, pos: Pos, invariants: &'p [Arc<Expr>]) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(Node { kind, innermost: None, scope: self.scope.clone() });
        self.origins.push(Origin { pos, invariants, around: self.around });
        self.close(id);
        id
    }

    /// Leads all open edges to a node.
    fn close(&mut self, to: NodeId) {
        for edge in mem::take(&mut self.open) {
            self.set(edge, Edge { to, ..nowhere() });
        }
    }

    fn set(&mut self, which: EdgeRef, edge: Edge) {
        match which {
            EdgeRef::Entry => self.entry = edge.to,
            EdgeRef::Of(node, position) => {
                let place = self.nodes[node.index()].kind.edges_mut().nth(position);
                place.into_iter().for_each(|place| *place = edge.clone());
            }
        }
    }

    fn resolve_jumps(&mut self) -> Result<(), Unsupported> {
        for (edge, label, pos) in mem::take(&mut self.jumps) {
            // All labels are declared, but perhaps in the script of a `package`.
            let Some(&to) = self.labels.get(&label) else {
                return Err(Unsupported {
                    pos,
                    message: "this jump goes into a proof script, or out of one",
                });
            };
            self.set(edge, Edge { to, jump: Some(pos), ..nowhere() });
        }
        Ok(())
    }
}
