//! What comes out is the program that went in, and it is valid.

use report::SourceMap;

use super::expr_text;
use super::{program as unparse, source_program};
use crate::core::{Expr, ExprKind, Local, LocalId, Program, Stmt, StmtKind, Type};
use crate::plugins::{Options, desugar};

fn core(text: &str) -> Program {
    let mut sources = SourceMap::new();
    let file = sources.add("test.vpr", text);
    let parsed = crate::parser::parse(file, text);
    assert_eq!(parsed.diagnostics, Vec::new());
    let checked = crate::check(&parsed.program);
    let Some(program) = checked.program else {
        unreachable!("{:?}\n{text}", checked.diagnostics);
    };
    program
}

fn printed(program: &Program) -> String {
    crate::print::program(&unparse(program))
}

#[track_caller]
fn unchanged(text: &str) {
    let printed = printed(&core(text));
    let words = |s: &str| s.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(words(&printed), words(text));
}

#[test]
fn ordinary_programs_do_not_change() {
    unchanged(
        "field f: Int
         function g(x: Ref): Int requires acc(x.f, 1 / 2) { x.f \\ 2 }
         predicate P(x: Ref) { acc(x.f) && x.f > 0 }
         method m(x: Ref, s: Seq[Int]) returns (y: Int)
             requires acc(P(x))
             ensures forall i: Int :: { s[i] } 0 <= i && i < |s| ==> s[i] == old(s[i])
         {
             unfold acc(P(x))
             y := let z == (x.f) in z + g(x)
             if (y > 0) { x.f := y } else { assert false }
             fold acc(P(x))
         }",
    );
}

#[test]
fn types_are_written_where_nothing_else_determines_them() {
    let text = "
        domain D[T] { function nothing(): D[T] function size(d: D[T]): Int }
        method m() {
          var d: D[Bool] := nothing()
          assert size(d) == |Seq[Int]()|
        }";
    let printed = printed(&core(text));
    assert!(printed.contains("(nothing(): D[Bool])"), "{printed}");
    assert!(printed.contains("assert size(d) == |Seq[Int]()|"), "{printed}");
}

#[test]
fn variables_that_would_clash_get_other_names() {
    let mut program = core("method m(x: Int) { assert forall y: Int :: y == y }");
    let [method] = program.methods.as_mut_slice() else { unreachable!() };
    for local in &mut method.locals {
        local.name = "x".into();
    }
    let later = LocalId(method.locals.len() as u32);
    method.locals.push(Local::new("x", Type::Int, method.locals[0].pos));
    if let Some(body) = &mut method.body {
        let value = Expr::new(ExprKind::Local(LocalId(0)), Type::Int, body.pos);
        body.stmts.push(Stmt::new(StmtKind::Var(later), body.pos));
        body.stmts.push(Stmt::new(StmtKind::Assign(later, value), body.pos));
    }
    let printed = printed(&program);
    assert!(printed.contains("forall x_2: Int :: x_2 == x_2"), "{printed}");
    assert!(printed.contains("x_1 := x"), "{printed}");
    core(&printed);
}

#[test]
fn desugared_programs_are_valid() {
    let text = "
        adt List { Nil() Cons(head: Int, tail: List) }
        adt Tree { Leaf() Node(head: Int, tail: Tree) }
        function length(tail: List): Int
          decreases tail
        { tail.isNil ? 0 : 1 + length(tail.tail) }
        method m(head: Int) { refute head > 0 }";
    let (program, diagnostics) = desugar(core(text), &Options::default());
    assert_eq!(diagnostics, Vec::new());
    core(&printed(&program));
}

#[test]
fn parts_of_adts_are_written_as_in_the_source() {
    let text = "
        adt List { Nil() Cons(head: Int, tail: List) }
        adt Tree[T] { Leaf() Node(head: T, tail: Tree[T]) }
        method m(a: List, b: Tree[Int])
          requires a.tail.isCons && b.tail.head == a.head && Cons(1, Nil()) == a";
    let (program, _) = desugar(core(text), &Options::default());
    let method = &program.methods[0];
    let text = expr_text(&program, &method.locals, &[], &method.pres[0]);
    assert_eq!(text, "a.tail.isCons && b.tail.head == a.head && Cons(1, Nil()) == a");
}

#[test]
fn adts_are_adts_again_where_no_plugin_ran() {
    let text = "
        adt List { Nil() Cons(head: Int, tail: List) }
        adt Tree[T] { Leaf() Node(head: T, tail: Tree[T]) }
        method m(a: List, b: Tree[Int])
          requires a.tail.isCons && b.tail.head == a.head && Cons(1, Nil()) == a";
    let again = crate::print::program(&source_program(&core(text)));
    assert!(again.contains("adt Tree[T]") && again.contains("a.tail.isCons"), "{again}");
    let twice = crate::print::program(&source_program(&core(&again)));
    assert_eq!(again, twice);
}
