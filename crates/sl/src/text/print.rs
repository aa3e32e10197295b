//! Prints formulas and documents so that they can be read again.

use std::fmt::{self, Write as _};

use super::Document;
use super::lexer::is_plain;
use crate::formula::{Formula, Kind};
use crate::signature::Signature;
use crate::sort::{Sort, Var};
use crate::term::{Term, TermKind};

/// How strongly the operators bind, as in the grammar.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Or,
    And,
    Wand,
    Sep,
    Unary,
    Sum,
    Primary,
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Printer { out: f, with_sorts: false }.formula(self, Level::Or)
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Printer { out: f, with_sorts: false }.term(self, Level::Sum)
    }
}

/// A formula with all the sorts that are needed to read it again in a document with several.
#[must_use]
pub fn print_formula(formula: &Formula, signature: &Signature) -> String {
    let mut text = String::new();
    let with_sorts = signature.sorts.len() > 1;
    // Writing to a string does not fail.
    let _ = Printer { out: &mut text, with_sorts }.formula(formula, Level::Or);
    text
}

/// All declarations and formulas of a document.
#[must_use]
pub fn print_document(document: &Document) -> String {
    let mut text = String::new();
    let _ = write_document(document, &mut text);
    text
}

fn write_document(document: &Document, out: &mut String) -> fmt::Result {
    let signature = &document.signature;
    for sort in &signature.sorts {
        writeln!(out, "sort {};", Quoted(sort))?;
    }
    for record in &signature.records {
        write!(out, "record {} {{ ", Quoted(&record.name))?;
        write_typed(&record.fields, out)?;
        writeln!(out, " }};")?;
    }
    for cell in &signature.heap {
        writeln!(out, "heap {} -> {};", SortName(&cell.loc), SortName(&cell.content))?;
    }
    if !document.constants.is_empty() {
        write!(out, "var ")?;
        write_typed(&document.constants, out)?;
        writeln!(out, ";")?;
    }
    for definition in signature.predicates.values() {
        write!(out, "pred {}(", Quoted(&definition.name))?;
        write_typed(&definition.params, out)?;
        writeln!(out, ") :=\n    {};", print_formula(&definition.body, signature))?;
    }
    for formula in &document.formulas {
        writeln!(out, "{};", print_formula(formula, signature))?;
    }
    Ok(())
}

fn write_typed(vars: &[Var], out: &mut String) -> fmt::Result {
    for (i, var) in vars.iter().enumerate() {
        let comma = if i == 0 { "" } else { ", " };
        write!(out, "{comma}{}: {}", Quoted(&var.name), SortName(&var.sort))?;
    }
    Ok(())
}

/// A name, in backquotes where it needs them.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if is_plain(self.0) { f.write_str(self.0) } else { write!(f, "`{}`", self.0) }
    }
}

struct SortName<'a>(&'a Sort);

impl fmt::Display for SortName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Sort::Int => f.write_str("Int"),
            Sort::Bool => f.write_str("Bool"),
            Sort::Loc(name) | Sort::Record(name) => Quoted(name).fmt(f),
        }
    }
}

struct Printer<'a, W: fmt::Write + ?Sized> {
    out: &'a mut W,
    with_sorts: bool,
}

impl<W: fmt::Write + ?Sized> Printer<'_, W> {
    /// Prints a formula where anything that binds at least as strongly as `level` can stand.
    fn formula(&mut self, formula: &Formula, level: Level) -> fmt::Result {
        match formula.kind() {
            Kind::True => self.out.write_str("true"),
            Kind::False => self.out.write_str("false"),
            Kind::Emp => self.out.write_str("emp"),
            Kind::Eq(a, b) => self.related(a, " = ", b),
            Kind::Ne(a, b) => self.related(a, " != ", b),
            Kind::Le(a, b) => self.related(a, " <= ", b),
            Kind::Lt(a, b) => self.related(a, " < ", b),
            Kind::PointsTo(loc, content) => {
                self.term(loc, Level::Sum)?;
                self.out.write_str(" |-> ")?;
                self.content(content)
            }
            Kind::Pred(name, args) => {
                write!(self.out, "{}(", Quoted(name))?;
                self.terms(args)?;
                self.out.write_char(')')
            }
            Kind::Sep(parts) => self.joined(parts, " * ", Level::Sep, Level::Unary, level),
            Kind::And(parts) => self.joined(parts, " && ", Level::And, Level::Wand, level),
            Kind::Or(parts) => self.joined(parts, " || ", Level::Or, Level::And, level),
            Kind::Wand(a, b) => self.parenthesised(level > Level::Wand, |p| {
                p.formula(a, Level::Sep)?;
                p.out.write_str(" -* ")?;
                p.formula(b, Level::Wand)
            }),
            Kind::Not(part) => {
                self.out.write_char('!')?;
                // A relation after `!` reads better in parentheses.
                let level = if part.is_pure_atom() || matches!(part.kind(), Kind::PointsTo(..)) {
                    Level::Primary
                } else {
                    Level::Unary
                };
                self.parenthesised(level == Level::Primary, |p| p.formula(part, Level::Unary))
            }
            Kind::Exists(vars, body) => self.quantified("exists ", vars, body, level),
            Kind::Forall(vars, body) => self.quantified("forall ", vars, body, level),
        }
    }

    fn quantified(
        &mut self,
        word: &str,
        vars: &[Var],
        body: &Formula,
        level: Level,
    ) -> fmt::Result {
        self.parenthesised(level > Level::Or, |p| {
            p.out.write_str(word)?;
            for (i, var) in vars.iter().enumerate() {
                let comma = if i == 0 { "" } else { ", " };
                write!(p.out, "{comma}{}", Quoted(&var.name))?;
                if p.with_sorts || !var.sort.is_loc() {
                    write!(p.out, ": {}", SortName(&var.sort))?;
                }
            }
            p.out.write_str(". ")?;
            p.formula(body, Level::Or)
        })
    }

    fn joined(
        &mut self,
        parts: &[Formula],
        operator: &str,
        own: Level,
        inner: Level,
        level: Level,
    ) -> fmt::Result {
        self.parenthesised(level > own, |p| {
            for (i, part) in parts.iter().enumerate() {
                if i > 0 {
                    p.out.write_str(operator)?;
                }
                p.formula(part, inner)?;
            }
            Ok(())
        })
    }

    fn parenthesised(
        &mut self,
        needed: bool,
        inner: impl FnOnce(&mut Self) -> fmt::Result,
    ) -> fmt::Result {
        if !needed {
            return inner(self);
        }
        self.out.write_char('(')?;
        inner(self)?;
        self.out.write_char(')')
    }

    fn related(&mut self, a: &Term, operator: &str, b: &Term) -> fmt::Result {
        self.term(a, Level::Sum)?;
        self.out.write_str(operator)?;
        self.term(b, Level::Sum)
    }

    /// What a location holds; the only field of a record needs no name.
    fn content(&mut self, content: &Term) -> fmt::Result {
        match content.kind() {
            TermKind::Record(_, values) => match values.as_slice() {
                [only] => self.term(only, Level::Sum),
                _ => self.term(content, Level::Sum),
            },
            _ => self.term(content, Level::Sum),
        }
    }

    fn terms(&mut self, terms: &[Term]) -> fmt::Result {
        for (i, term) in terms.iter().enumerate() {
            if i > 0 {
                self.out.write_str(", ")?;
            }
            self.term(term, Level::Sum)?;
        }
        Ok(())
    }

    fn term(&mut self, term: &Term, level: Level) -> fmt::Result {
        match term.kind() {
            TermKind::Var(var) => write!(self.out, "{}", Quoted(&var.name)),
            TermKind::Nil(sort) if self.with_sorts => write!(self.out, "nil: {}", SortName(sort)),
            TermKind::Nil(_) => self.out.write_str("nil"),
            TermKind::Int(value) if level > Level::Sum && value < &0.into() => {
                write!(self.out, "({value})")
            }
            TermKind::Int(value) => write!(self.out, "{value}"),
            TermKind::Bool(value) => write!(self.out, "{value}"),
            TermKind::Record(record, values) => {
                self.out.write_char('{')?;
                for (i, (field, value)) in record.fields.iter().zip(values).enumerate() {
                    let comma = if i == 0 { "" } else { ", " };
                    write!(self.out, "{comma}{}: ", Quoted(&field.name))?;
                    self.term(value, Level::Sum)?;
                }
                self.out.write_char('}')
            }
            TermKind::Field(record, index, part) => {
                self.term(part, Level::Primary)?;
                let name = record.fields.get(*index).map_or("?", |f| f.name.as_str());
                write!(self.out, ".{}", Quoted(name))
            }
            TermKind::Add(parts) => self.parenthesised(level > Level::Sum, |p| p.sum(parts)),
            TermKind::Neg(part) => {
                self.out.write_char('-')?;
                self.term(part, Level::Primary)
            }
            TermKind::Mul(parts) => {
                self.out.write_str("mul(")?;
                self.terms(parts)?;
                self.out.write_char(')')
            }
        }
    }

    /// Parts of a sum; those that are subtracted have a minus in front instead of a plus.
    fn sum(&mut self, parts: &[Term]) -> fmt::Result {
        for (i, part) in parts.iter().enumerate() {
            match part.kind() {
                TermKind::Neg(inner) if i > 0 => {
                    self.out.write_str(" - ")?;
                    self.term(inner, Level::Primary)?;
                }
                TermKind::Int(value) if i > 0 && value < &0.into() => {
                    write!(self.out, " - {}", -value)?;
                }
                _ => {
                    if i > 0 {
                        self.out.write_str(" + ")?;
                    }
                    self.term(part, Level::Primary)?;
                }
            }
        }
        Ok(())
    }
}
