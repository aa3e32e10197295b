//! The core: definitions, symbolic heaps and sequents with numbers in place of names.
//!
//! The surface ([`Formula`](crate::Formula), [`Signature`](crate::Signature)) is what people write.
//! Engines, procedures and proofs are about the core:
//!
//! - [`SymHeap`], a symbolic heap as a value, over the variables of a [`Scope`]; [`Form`], a formula
//!   over them with all connectives. [`Assertion`] is either, and is what a
//!   [`Procedure`](crate::Procedure) is asked about. A formula is lowered to one ([`Scope::lower`]).
//! - [`Definitions`], all that a signature defines; [`Builder`] makes definitions without text.
//! - [`Clauses`], a question with all variables in one row, over the [`System`] of those definitions
//!   that matter to it, and [`Sequent`]s, which proofs are about. Integers are linear constraints of
//!   `arith`.
//!
//! An engine makes definitions once, symbolic heaps by functions, and asks as often as it likes:
//!
//! ```
//! use lists::Lists;
//! use sl::core::{Builder, Scope, SymHeap};
//! use sl::{Budget, Procedure, Reason, Signature, Sort};
//!
//! # fn main() -> Result<(), Reason> {
//! // struct Node { next: *Node }
//! let mut signature = Signature::default();
//! let node = signature.add_record("Node", [("next", Sort::Loc("Node".into()))]);
//!
//! // ls(x, y) := x = y || exists u. x != y * x |-> u * ls(u, y)
//! let mut builder = Builder::new(signature);
//! let ls = builder.declare("ls", &[("x", node.clone()), ("y", node.clone())])?;
//! let &[x, y] = builder.params(ls) else { unreachable!() };
//! let node = builder.scope().sort_id(&node).ok_or(Reason::OtherValues)?;
//! builder.case(ls, SymHeap::equal(x, y));
//! let mut step = SymHeap::different(x, y);
//! let u = step.fresh(node);
//! step.add_cell(x, [u]);
//! step.add_call(ls, [u, y]);
//! builder.case(ls, step);
//! let defs = builder.build()?;
//!
//! // The variables of a program, and what symbolic execution makes of `x = x->next`.
//! let mut scope = Scope::new(&defs);
//! let (x, y) = (scope.declare("x", node), scope.declare("y", node));
//! let nil = scope.nil(node);
//! let before = SymHeap::pred(ls, [y, x])
//!     .star(&SymHeap::pred(ls, [x, nil]))
//!     .star(&SymHeap::different(x, nil));
//! // The location that is read becomes a cell: the list is unfolded to its second case.
//! let place = before.calls().iter().position(|call| call.args[0] == x).ok_or(Reason::NoSegment("ls".into()))?;
//! let unfolded = before.unfold(&scope, place, 1)?;
//! let (_, cell) = unfolded.cell_at(x).ok_or(Reason::NoLinks)?;
//! let next = cell.fields[0];
//! // The old value of `x` is some location; the new one is what was read.
//! let mut after = unfolded.clone();
//! let old = after.fresh(node);
//! let mut after = after.substitute(|v| if v == x { old } else { v });
//! after.add_equal(x, next);
//! assert_eq!(
//!     scope.show(&after.without_aliases()),
//!     "exists v1. v1 != nil * v1 |-> x * ls(y, v1) * ls(x, nil)"
//! );
//!
//! // Is it what we expected of the loop?
//! let invariant = SymHeap::pred(ls, [y, x]).star(&SymHeap::pred(ls, [x, nil]));
//! let mut budget = Budget::default();
//! let answer = Lists.entails(&scope, &after.into(), &invariant.into(), &mut budget);
//! assert_eq!(answer.as_str(), "valid");
//! # Ok(())
//! # }
//! ```

mod assertion;
mod builder;
mod definitions;
mod ident;
mod lower;
pub mod print;
mod raise;
mod rename;
mod scope;
pub mod sequent;
pub mod symheap;
pub mod system;

pub use assertion::{Assertion, Clauses};
pub use builder::Builder;
pub use definitions::{Definitions, Selection};
pub use ident::{Expr, Form, FormHeap, Ident};
pub use print::Names;
pub use scope::Scope;
pub use sequent::{Heap, Sequent};
pub use symheap::{Pure, SymHeap};
pub use system::{Call, Cell, Clause, Field, PredId, Predicate, SortId, System, Var};
