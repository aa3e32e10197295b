//! The pretty-printer: from the syntax tree back to text.
//!
//! What is printed parses to the tree it came from, for every tree that some text has. Trees built
//! by hand can go beyond that, and then the text means the same but its tree differs: a negative
//! [`crate::ast::ExprKind::Int`] comes back as the negation of a literal (write
//! [`crate::ast::UnOp::Neg`] instead), a [`crate::ast::DefineBody::Type`] that is just a name comes
//! back as an expression. Names are printed as they are: they must be identifiers.

use crate::ast::{Expr, Program, Stmt, Type};
use crate::layout::Layout;

/// A whole program, ending in a line break unless it is empty.
#[must_use]
pub fn program(program: &Program) -> String {
    let mut layout = Layout::of_tree();
    layout.program(program);
    layout.finish().unwrap_or_default()
}

/// An expression on one line.
#[must_use]
pub fn expr(expr: &Expr) -> String {
    let mut layout = Layout::on_one_line();
    layout.expr(expr);
    layout.finish_line()
}

/// A type.
#[must_use]
pub fn ty(ty: &Type) -> String {
    let mut layout = Layout::on_one_line();
    layout.ty(ty);
    layout.finish_line()
}

/// A statement on one line.
#[must_use]
pub fn stmt(stmt: &Stmt) -> String {
    let mut layout = Layout::on_one_line();
    layout.stmt(stmt);
    layout.finish_line()
}
