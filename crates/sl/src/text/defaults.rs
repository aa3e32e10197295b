//! What is meant where nothing is declared.

use std::sync::Arc;

use super::ast::{Expr, ExprKind, Item, Text};
use crate::formula::{Formula, Kind};
use crate::signature::{Cell, Definition, Record, Signature};
use crate::sort::{Sort, Var};
use crate::term::{Term, TermKind};

/// The locations of a heap that nobody declares.
pub(super) fn location() -> Sort {
    Sort::Loc("Loc".into())
}

/// Locations that hold a record with these fields, and `ls` along the first field that is a location.
pub(super) fn add_heap(fields: Vec<Var>, signature: &mut Signature) {
    let loc = location();
    if !signature.sorts.contains(&"Loc".into()) {
        signature.sorts.push("Loc".into());
    }
    let record = Arc::new(Record { name: "Node".into(), constructor: "Node".into(), fields });
    signature.heap.push(Cell { loc: loc.clone(), content: Sort::Record("Node".into()) });
    signature.records.push(record.clone());
    if let Some(next) = record.fields.iter().position(|f| f.sort == loc) {
        let definition = acyclic_segment(&record, next, &loc);
        signature.predicates.insert(definition.name.clone(), Arc::new(definition));
    }
}

/// `ls(x, y) := x = y && emp || exists u. (x != y && emp) * x |-> u * ls(u, y)`, which means the same
/// whatever pure atoms say of the heap.
fn acyclic_segment(record: &Arc<Record>, next: usize, loc: &Sort) -> Definition {
    let var = |name: &str| Var::new(name, loc.clone());
    let (x, y, u) = (var("x"), var("y"), var("u"));
    let mut bound = vec![u.clone()];
    let mut values = Vec::with_capacity(record.fields.len());
    for (index, field) in record.fields.iter().enumerate() {
        if index == next {
            values.push(Term::var(u.clone()));
        } else {
            let other = Var::new(format!("u_{}", field.name), field.sort.clone());
            values.push(Term::var(other.clone()));
            bound.push(other);
        }
    }
    let [x_term, y_term, u_term] = [&x, &y, &u].map(|v| Term::var(v.clone()));
    let cell = Term::new(TermKind::Record(record.clone(), values));
    let step = Formula::sep(vec![
        Formula::and(vec![Formula::different(x_term.clone(), y_term.clone()), Kind::Emp.into()]),
        Formula::points_to(x_term.clone(), cell),
        Formula::pred("ls", vec![u_term, y_term.clone()]),
    ]);
    let stop = Formula::and(vec![Formula::equal(x_term, y_term), Kind::Emp.into()]);
    Definition {
        name: "ls".into(),
        params: vec![x, y],
        body: Formula::or(vec![stop, Formula::exists(bound, step)]),
        pos: report::Pos::None,
    }
}

/// The fields that are mentioned, in the order in which that happens first.
pub(super) fn fields(text: &Text) -> Vec<&str> {
    let mut found = Vec::new();
    for item in &text.items {
        if let Item::Pred { body, .. } = item {
            mentioned(body, &mut found);
        }
    }
    text.formulas.iter().for_each(|f| mentioned(f, &mut found));
    found
}

fn mentioned<'a>(expr: &'a Expr, found: &mut Vec<&'a str>) {
    match &expr.kind {
        ExprKind::Record(fields) => {
            for (name, value) in fields {
                if !found.contains(&name.text.as_str()) {
                    found.push(&name.text);
                }
                mentioned(value, found);
            }
        }
        ExprKind::Joined(_, parts) | ExprKind::Mul(parts) | ExprKind::Call(_, parts) => {
            parts.iter().for_each(|p| mentioned(p, found));
        }
        ExprKind::Related(_, a, b) | ExprKind::Wand(a, b) => {
            mentioned(a, found);
            mentioned(b, found);
        }
        ExprKind::Field(part, _) | ExprKind::Neg(part) | ExprKind::Not(part) => {
            mentioned(part, found);
        }
        ExprKind::Quantified { body, .. } => mentioned(body, found),
        ExprKind::Constant(_) | ExprKind::Name(_) | ExprKind::Nil(_) | ExprKind::Number(_) => {}
    }
}
