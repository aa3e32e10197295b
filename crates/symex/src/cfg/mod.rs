//! Control-flow graphs of method bodies: what an executor walks over, node by node.
//!
//! A loop is a `while`, or what a `goto` closes by jumping back. It is entered through its head
//! only; flow that enters one elsewhere is [`Unsupported`]. Loops nest, and every edge says how
//! many of them it leaves, so that an executor can keep what loops do not touch on a stack.
//!
//! A `while` is a loop even if its body never comes back, and all of its body is part of it.
//! Whatever else can get back to the head of a loop without leaving it is part of it, too.

mod build;
mod joins;
mod loops;
#[cfg(test)]
mod print;
#[cfg(test)]
mod tests;
pub(crate) mod written;

use std::sync::Arc;

use report::Pos;
use rpds::List;
use viper::core::{Block, Expr, LabelId, LocalId, Stmt};

pub(crate) use joins::Way;

/// Index into [`Cfg::nodes`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct NodeId(u32);

/// Index into [`Cfg::loops`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct LoopId(u32);

impl NodeId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

impl LoopId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The graph of a body.
#[derive(Debug)]
pub(crate) struct Cfg<'p> {
    /// In source order, but for the heads of loops that are no `while`, which come last. Some may
    /// never be reached.
    pub(crate) nodes: Vec<Node<'p>>,
    /// Where to start.
    pub(crate) entry: NodeId,
    /// Outer before inner. A `while` that is never reached has an empty one.
    pub(crate) loops: Vec<Loop<'p>>,
    /// Labels that have invariants but are no heads of loops: their invariants say nothing.
    pub(crate) idle_invariants: Vec<Pos>,
}

/// A point of the body.
#[derive(Debug)]
pub(crate) struct Node<'p> {
    /// What is done there.
    pub(crate) kind: NodeKind<'p>,
    /// The innermost loop it is in; a head is in its own loop.
    pub(crate) innermost: Option<LoopId>,
    /// The variables that are declared around it, last one first; parameters and results are not
    /// among them.
    pub(crate) scope: List<LocalId>,
}

/// What is done at a point of the body, and where it goes on.
#[derive(Debug)]
pub(crate) enum NodeKind<'p> {
    /// A statement without influence on the flow; a `package` has its script inside.
    Stmt {
        /// No `if`, `while`, `label`, `goto` or block.
        stmt: &'p Stmt,
        /// What follows.
        next: Edge,
    },
    /// The heap is remembered. If the label is the head of a loop, its [`NodeKind::LoopHead`] comes
    /// before it: then the heap is that of an arbitrary iteration.
    Label {
        /// Under this name.
        label: LabelId,
        /// What follows.
        next: Edge,
    },
    /// Two ways to go on.
    Branch {
        /// Decides.
        cond: &'p Arc<Expr>,
        /// Is it the condition of a `while`?
        loop_guard: bool,
        /// If the condition holds.
        then: Edge,
        /// If it does not.
        otherwise: Edge,
        /// The first node after an `if`, in source order.
        end: NodeId,
    },
    /// A loop starts here, or starts again if an edge [goes back](Edge::back) to it.
    LoopHead {
        /// Which.
        id: LoopId,
        /// Its first node.
        next: Edge,
    },
    /// The end of the body.
    Exit,
}

/// A way from one node to another.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    /// Where to.
    pub(crate) to: NodeId,
    /// How many loops are left on the way, those around its start, innermost first.
    pub(crate) leaves: u32,
    /// Does it go to the head of a loop from inside it?
    pub(crate) back: bool,
    /// The `goto` that it stands for.
    pub(crate) jump: Option<Pos>,
}

/// A loop.
#[derive(Debug)]
pub(crate) struct Loop<'p> {
    /// The only way in.
    pub(crate) head: NodeId,
    /// Those of the `while` or of the label at its head.
    pub(crate) invariants: &'p [Arc<Expr>],
    /// Variables that may have other values in the next iteration, sorted. Those that are
    /// declared inside are left out, unless a `goto` may jump over the declaration.
    pub(crate) written: Vec<LocalId>,
    /// The next outer one.
    pub(crate) parent: Option<LoopId>,
    /// How many loops it is in, itself included.
    pub(crate) depth: u32,
    /// The `while`, the label, or another first statement.
    pub(crate) pos: Pos,
}

/// Flow that cannot be verified loop by loop.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unsupported {
    /// Where.
    pub(crate) pos: Pos,
    /// What is wrong, a sentence without its full stop.
    pub(crate) message: &'static str,
}

impl<'p> Cfg<'p> {
    /// The graph of the body of a method.
    pub(crate) fn new(body: &'p Block) -> Result<Cfg<'p>, Unsupported> {
        let raw = build::graph(body)?;
        let nesting = loops::nesting(&raw)?;
        Ok(loops::with_loops(raw, &nesting))
    }

    pub(crate) fn node(&self, id: NodeId) -> &Node<'p> {
        &self.nodes[id.index()]
    }

    pub(crate) fn loop_(&self, id: LoopId) -> &Loop<'p> {
        &self.loops[id.index()]
    }
}

impl NodeKind<'_> {
    /// The ways to go on, that for a condition that holds first.
    pub(crate) fn edges(&self) -> impl Iterator<Item = &Edge> {
        let (first, second) = match self {
            NodeKind::Stmt { next, .. }
            | NodeKind::Label { next, .. }
            | NodeKind::LoopHead { next, .. } => (Some(next), None),
            NodeKind::Branch { then, otherwise, .. } => (Some(then), Some(otherwise)),
            NodeKind::Exit => (None, None),
        };
        first.into_iter().chain(second)
    }

    fn edges_mut(&mut self) -> impl Iterator<Item = &mut Edge> {
        let (first, second) = match self {
            NodeKind::Stmt { next, .. }
            | NodeKind::Label { next, .. }
            | NodeKind::LoopHead { next, .. } => (Some(next), None),
            NodeKind::Branch { then, otherwise, .. } => (Some(then), Some(otherwise)),
            NodeKind::Exit => (None, None),
        };
        first.into_iter().chain(second)
    }
}
