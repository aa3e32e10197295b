//! What is meant where nothing is declared.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::ast::{Expr, ExprKind, Ident, Item, Joint, Relation, Text};
use crate::formula::{Formula, Kind};
use crate::signature::{Cell, Definition, Record, Signature};
use crate::sort::{Sort, Var};
use crate::term::{Term, TermKind};

/// Locations that hold a record with the fields that are mentioned, and `ls` along the first field
/// that is a location.
pub(super) fn add_heap(text: &Text, signature: &mut Signature) {
    let loc = Sort::Loc("Loc".into());
    if !signature.sorts.contains(&"Loc".into()) {
        signature.sorts.push("Loc".into());
    }
    let mut found = Mentioned::default();
    for item in &text.items {
        if let Item::Pred { body, .. } = item {
            found.add(body);
        }
    }
    text.formulas.iter().for_each(|f| found.add(f));
    let mut fields: Vec<Var> = Vec::new();
    for (name, value) in &found.fields {
        let number = is_number(value, &found.numbers);
        let sort = if number { Sort::Int } else { loc.clone() };
        match fields.iter_mut().find(|f| f.name.as_str() == name.text) {
            Some(field) if number => field.sort = sort,
            Some(_) => {}
            None => fields.push(Var::new(name.text.as_str(), sort)),
        }
    }
    if fields.is_empty() {
        fields.push(Var::new("next", loc.clone()));
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

/// Fields with the values that they are given, and names that are used as numbers.
#[derive(Default)]
struct Mentioned<'a> {
    fields: Vec<(&'a Ident, &'a Expr)>,
    numbers: BTreeSet<&'a str>,
}

impl<'a> Mentioned<'a> {
    fn add(&mut self, expr: &'a Expr) {
        match &expr.kind {
            ExprKind::Record(fields) => {
                for (name, value) in fields {
                    self.fields.push((name, value));
                    self.add(value);
                }
            }
            ExprKind::Related(relation, a, b) => {
                let numbers = !matches!(relation, Relation::Eq | Relation::Ne | Relation::PointsTo);
                for side in [a, b] {
                    match &side.kind {
                        ExprKind::Name(name) if numbers => {
                            self.numbers.insert(name);
                        }
                        _ => self.add(side),
                    }
                }
            }
            ExprKind::Joined(Joint::Add, parts) | ExprKind::Mul(parts) => {
                for part in parts {
                    match &part.kind {
                        ExprKind::Name(name) => {
                            self.numbers.insert(name);
                        }
                        _ => self.add(part),
                    }
                }
            }
            ExprKind::Joined(_, parts) | ExprKind::Call(_, parts) => {
                parts.iter().for_each(|p| self.add(p));
            }
            ExprKind::Field(part, _) | ExprKind::Neg(part) | ExprKind::Not(part) => self.add(part),
            ExprKind::Wand(a, b) => {
                self.add(a);
                self.add(b);
            }
            ExprKind::Quantified { body, .. } => self.add(body),
            ExprKind::Constant(_) | ExprKind::Name(_) | ExprKind::Nil(_) | ExprKind::Number(_) => {}
        }
    }
}

fn is_number(value: &Expr, numbers: &BTreeSet<&str>) -> bool {
    match &value.kind {
        ExprKind::Name(name) => numbers.contains(name.as_str()),
        ExprKind::Number(_)
        | ExprKind::Mul(_)
        | ExprKind::Neg(_)
        | ExprKind::Joined(Joint::Add, _) => true,
        _ => false,
    }
}
