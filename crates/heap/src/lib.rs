//! Programs that work on the heap: records, pointers, procedures, and commands on the edges of
//! control-flow graphs. C and list programs become such programs; whoever analyses programs reads
//! nothing else.
//!
//! - [`types`], [`expr`], [`program`]: the language. A pointer is an object and a place in it (`v.n` in
//!   [MNCL06, Sec. 3.1]), so that fields, nested records, arrays and casts need no rules of their own.
//! - [`text`]: programs as text, printed and parsed.
//! - [`run`]: the interpreter. It defines what goes wrong: whatever an engine says of a program is
//!   tested against it.

pub mod expr;
pub mod program;
pub mod run;
pub mod text;
pub mod types;

pub use expr::{Arith, BinOp, Comparison, Expr, UnOp};
pub use program::{
    Action, Body, Callee, Check, Clause, Command, Formula, Global, GlobalId, Language, LocId,
    Location, Meaning, Object, ObjectId, Out, Proc, ProcId, Program, Region, Var, VarId,
};
pub use types::{DataModel, Field, IntType, Record, RecordId, Scalar, Target, Type};
