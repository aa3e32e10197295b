//! Names and sorts of the text notation.

use std::collections::BTreeSet;
use std::sync::Arc;

use num_bigint::BigInt;
use report::{Diagnostic, Span};

use super::Document;
use super::ast::{Constant, Expr, ExprKind, Ident, Item, Joint, Relation, Text, Typed};
use super::sorts::{Unknowns, is_internal};
use crate::formula::{Formula, Kind};
use crate::signature::{Cell, Definition, Record, Signature};
use crate::sort::{Name, Sort, Var};
use crate::substitute::fresh_name;
use crate::term::{Term, TermKind};

pub(super) type Result<T> = std::result::Result<T, Box<Diagnostic>>;

/// What a record without some of its fields is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Missing {
    /// A mistake.
    #[default]
    Refused,
    /// One where they hold anything.
    Anything,
}

pub(super) fn elaborate(text: &Text, missing: Missing) -> Result<Document> {
    let mut signature = Signature::default();
    declare(text, &mut signature)?;
    if signature.heap.is_empty() {
        let fields = field_sorts(text, &signature, missing);
        super::defaults::add_heap(fields, &mut signature);
    }
    let mut elaborator = Elaborator { signature, missing, ..Elaborator::default() };
    let (definitions, formulas) = elaborator.read(text)?;
    elaborator.finish(definitions, &formulas)
}

/// The fields of a record that nobody declares: what they hold follows from how they are used. The
/// text is read once with fields of unknown sorts; mistakes are reported when it is read again.
fn field_sorts(text: &Text, signature: &Signature, missing: Missing) -> Vec<Var> {
    let loc = super::defaults::location();
    let mut trial = Elaborator { signature: signature.clone(), missing, ..Elaborator::default() };
    let fields: Vec<Var> = super::defaults::fields(text)
        .into_iter()
        .map(|name| Var::new(name, trial.unknowns.fresh()))
        .collect();
    if fields.is_empty() {
        return vec![Var::new("next", loc)];
    }
    super::defaults::add_heap(fields.clone(), &mut trial.signature);
    let defines = |item: &Item| matches!(item, Item::Pred { name, .. } if name.text == "ls");
    if !text.items.iter().any(defines) {
        let ends = ["x", "y"].map(|name| Var::new(name, loc.clone()));
        trial.predicates.push(("ls".into(), ends.to_vec()));
    }
    let _ = trial.read(text);
    trial.unknowns.resolve_vars(&fields, &loc)
}

/// Sorts, records and the heap.
fn declare(text: &Text, signature: &mut Signature) -> Result<()> {
    for item in &text.items {
        match item {
            Item::Sort(name) => {
                check_new_sort(signature, name)?;
                signature.sorts.push(name.text.as_str().into());
            }
            Item::Record { name, fields } => {
                check_new_sort(signature, name)?;
                let mut all: Vec<Var> = Vec::new();
                for field in fields {
                    let Some(sort) = &field.sort else {
                        return error("sl.sort", field.name.span, "a field needs a sort");
                    };
                    if all.iter().any(|f| f.name.as_str() == field.name.text) {
                        let message = format!("the field `{}` is declared twice", field.name.text);
                        return error("sl.name", field.name.span, message);
                    }
                    all.push(Var::new(field.name.text.as_str(), find_sort(signature, sort)?));
                }
                let name = Name::from(name.text.as_str());
                let record = Record { constructor: name.clone(), name, fields: all };
                signature.records.push(Arc::new(record));
            }
            Item::Heap { loc, content } => {
                let cell = Cell {
                    loc: find_sort(signature, loc)?,
                    content: find_sort(signature, content)?,
                };
                if !cell.loc.is_loc() && cell.loc != Sort::Int {
                    let message = format!("`{}` is no sort of locations", cell.loc);
                    return error("sl.heap", loc.span, message);
                }
                if signature.content(&cell.loc).is_some() {
                    let message = format!("what `{}` holds is declared twice", cell.loc);
                    return error("sl.heap", loc.span, message);
                }
                signature.heap.push(cell);
            }
            Item::Pred { .. } | Item::Var(_) => {}
        }
    }
    Ok(())
}

fn check_new_sort(signature: &Signature, name: &Ident) -> Result<()> {
    let taken = find_sort(signature, name).is_ok() || is_internal(&name.text.as_str().into());
    if taken {
        return error("sl.name", name.span, format!("the sort `{}` is declared twice", name.text));
    }
    Ok(())
}

fn find_sort(signature: &Signature, name: &Ident) -> Result<Sort> {
    match name.text.as_str() {
        "Int" => return Ok(Sort::Int),
        "Bool" => return Ok(Sort::Bool),
        _ => {}
    }
    let text = Name::from(name.text.as_str());
    if signature.records.iter().any(|r| r.name == text) {
        return Ok(Sort::Record(text));
    }
    if signature.sorts.contains(&text) {
        return Ok(Sort::Loc(text));
    }
    let help = format!("declare it first: `sort {text};`, or `record {text} {{ next: … }};`");
    error_with_help("sl.name", name.span, format!("there is no sort `{text}`"), help)
}

fn stack_variables(drafts: &[Draft]) -> BTreeSet<Name> {
    let mut names = BTreeSet::new();
    for draft in drafts {
        let free = draft.body.free_vars().into_iter().map(|v| v.name);
        names.extend(free.filter(|name| draft.params.iter().all(|p| p.name != *name)));
    }
    names
}

/// A definition whose body still has unknown sorts.
struct Draft {
    name: Name,
    params: Vec<Var>,
    body: Formula,
    at: Span,
}

#[derive(Default)]
struct Elaborator {
    signature: Signature,
    unknowns: Unknowns,
    /// Parameters of predicates, with sorts that may be unknown.
    predicates: Vec<(Name, Vec<Var>)>,
    /// Stack variables; those that were not declared are added when they are met.
    constants: Vec<Var>,
    /// Bound names, what they are called now, and their sorts; the last one counts.
    bound: Vec<(String, Var)>,
    /// Names that bound variables must not have.
    taken: BTreeSet<Name>,
    missing: Missing,
    /// What the fields hold that the record which is being read does not mention.
    unmentioned: Vec<Var>,
}

impl Elaborator {
    /// Definitions and formulas, with sorts that may be unknown.
    fn read(&mut self, text: &Text) -> Result<(Vec<Draft>, Vec<Formula>)> {
        for item in &text.items {
            if let Item::Var(var) = item {
                let sort = self.sort_of(var)?;
                self.constants.push(Var { name: var.name.text.as_str().into(), sort });
            }
        }
        self.declare_predicates(text)?;
        let mut definitions = self.definitions(text)?;
        // Bound variables must not be called like stack variables that definitions mention.
        let mentioned = stack_variables(&definitions);
        if !mentioned.is_empty() {
            self.taken = mentioned;
            definitions = self.definitions(text)?;
        }
        self.taken = self.constants.iter().map(|c| c.name.clone()).collect();
        let formulas = text.formulas.iter().map(|f| self.formula(f)).collect::<Result<Vec<_>>>()?;
        Ok((definitions, formulas))
    }

    fn declare_predicates(&mut self, text: &Text) -> Result<()> {
        for item in &text.items {
            let Item::Pred { name, params, .. } = item else { continue };
            let text = Name::from(name.text.as_str());
            if self.predicates.iter().any(|(n, _)| *n == text) {
                return error("sl.name", name.span, format!("`{text}` is defined twice"));
            }
            let params = self.typed_vars(params)?;
            self.predicates.push((text, params));
        }
        for definition in self.signature.predicates.values() {
            if self.predicates.iter().all(|(n, _)| *n != definition.name) {
                self.predicates.push((definition.name.clone(), definition.params.clone()));
            }
        }
        Ok(())
    }

    fn definitions(&mut self, text: &Text) -> Result<Vec<Draft>> {
        let mut drafts = Vec::new();
        for item in &text.items {
            let Item::Pred { name, body, .. } = item else { continue };
            let key = Name::from(name.text.as_str());
            let params = self.params(&key).unwrap_or_default();
            self.bound.extend(params.iter().map(|p| (p.name.to_string(), p.clone())));
            let body = self.formula(body)?;
            self.bound.clear();
            drafts.push(Draft { name: key, params, body, at: name.span });
        }
        let group: BTreeSet<Name> = drafts.iter().map(|d| d.name.clone()).collect();
        for draft in &drafts {
            crate::signature::check_positive(&draft.body, &group)?;
        }
        Ok(drafts)
    }

    fn finish(mut self, drafts: Vec<Draft>, formulas: &[Formula]) -> Result<Document> {
        let default = self.signature.heap.first().map_or(Sort::Int, |cell| cell.loc.clone());
        for draft in drafts {
            let definition = Definition {
                name: draft.name.clone(),
                params: self.unknowns.resolve_vars(&draft.params, &default),
                body: self.unknowns.resolve_formula(&draft.body, &default),
                pos: draft.at.into(),
            };
            self.signature.predicates.insert(draft.name, Arc::new(definition));
        }
        Ok(Document {
            constants: self.unknowns.resolve_vars(&self.constants, &default),
            formulas: formulas.iter().map(|f| self.unknowns.resolve_formula(f, &default)).collect(),
            signature: Arc::new(self.signature),
        })
    }

    fn params(&self, name: &Name) -> Option<Vec<Var>> {
        self.predicates.iter().find(|(n, _)| n == name).map(|(_, params)| params.clone())
    }

    fn sort_of(&mut self, var: &Typed) -> Result<Sort> {
        match &var.sort {
            Some(sort) => find_sort(&self.signature, sort),
            None => Ok(self.unknowns.fresh()),
        }
    }

    fn typed_vars(&mut self, vars: &[Typed]) -> Result<Vec<Var>> {
        let mut all: Vec<Var> = Vec::with_capacity(vars.len());
        for var in vars {
            if all.iter().any(|v| v.name.as_str() == var.name.text) {
                let message = format!("`{}` is declared twice", var.name.text);
                return error("sl.name", var.name.span, message);
            }
            let sort = self.sort_of(var)?;
            all.push(Var::new(var.name.text.as_str(), sort));
        }
        Ok(all)
    }

    fn formula(&mut self, expr: &Expr) -> Result<Formula> {
        let kind = match &expr.kind {
            ExprKind::Constant(Constant::Emp) => Kind::Emp,
            ExprKind::Constant(Constant::True) => Kind::True,
            ExprKind::Constant(Constant::False) => Kind::False,
            ExprKind::Joined(Joint::Or, parts) => Kind::Or(self.formulas(parts)?),
            ExprKind::Joined(Joint::And, parts) => Kind::And(self.formulas(parts)?),
            ExprKind::Joined(Joint::Sep, parts) => Kind::Sep(self.formulas(parts)?),
            ExprKind::Wand(a, b) => Kind::Wand(self.formula(a)?, self.formula(b)?),
            ExprKind::Not(part) => Kind::Not(self.formula(part)?),
            ExprKind::Related(Relation::PointsTo, loc, content) => self.points_to(loc, content)?,
            ExprKind::Related(relation, a, b) => self.related(*relation, a, b)?,
            ExprKind::Quantified { exists, vars, body } => self.quantified(*exists, vars, body)?,
            ExprKind::Call(name, args) => self.predicate(name, args)?,
            ExprKind::Name(_)
            | ExprKind::Nil(_)
            | ExprKind::Number(_)
            | ExprKind::Record(_)
            | ExprKind::Field(..)
            | ExprKind::Mul(_)
            | ExprKind::Neg(_)
            | ExprKind::Joined(Joint::Add, _) => {
                return error("sl.sort", expr.span, "a formula is due here, but this is a term");
            }
        };
        Ok(Formula::new(kind, expr.span.into()))
    }

    fn formulas(&mut self, parts: &[Expr]) -> Result<Vec<Formula>> {
        parts.iter().map(|part| self.formula(part)).collect()
    }

    fn quantified(&mut self, exists: bool, vars: &[Typed], body: &Expr) -> Result<Kind> {
        let typed = self.typed_vars(vars)?;
        let mut taken = self.taken.clone();
        taken.extend(self.bound.iter().map(|(_, var)| var.name.clone()));
        let depth = self.bound.len();
        let mut renamed = Vec::with_capacity(typed.len());
        for var in typed {
            let fresh = Var { name: fresh_name(&var.name, &taken), sort: var.sort };
            taken.insert(fresh.name.clone());
            self.bound.push((var.name.to_string(), fresh.clone()));
            renamed.push(fresh);
        }
        let body = self.formula(body)?;
        self.bound.truncate(depth);
        Ok(if exists { Kind::Exists(renamed, body) } else { Kind::Forall(renamed, body) })
    }

    fn predicate(&mut self, name: &Ident, args: &[Expr]) -> Result<Kind> {
        let key = Name::from(name.text.as_str());
        let Some(params) = self.params(&key) else {
            let message = format!("there is no predicate `{key}`");
            let help = format!("define it before the formula: `pred {key}(x) := …;`");
            return error_with_help("sl.name", name.span, message, help);
        };
        if params.len() != args.len() {
            let message = format!(
                "`{key}` takes {} argument{}, but there {} {}",
                params.len(),
                if params.len() == 1 { "" } else { "s" },
                if args.len() == 1 { "is" } else { "are" },
                args.len()
            );
            return error("sl.arity", name.span, message);
        }
        let mut terms = Vec::with_capacity(args.len());
        for (param, arg) in params.iter().zip(args) {
            terms.push(self.term_of(arg, &param.sort)?);
        }
        Ok(Kind::Pred(key, terms))
    }

    fn related(&mut self, relation: Relation, a: &Expr, b: &Expr) -> Result<Kind> {
        let left = self.term(a)?;
        let right = self.term(b)?;
        if !matches!(relation, Relation::Eq | Relation::Ne) {
            self.expect_sort(&left, &Sort::Int, a.span)?;
            self.expect_sort(&right, &Sort::Int, b.span)?;
        }
        self.expect_sort(&right, &left.sort(), b.span)?;
        Ok(match relation {
            Relation::Eq => Kind::Eq(left, right),
            Relation::Ne => Kind::Ne(left, right),
            Relation::Le => Kind::Le(left, right),
            Relation::Lt => Kind::Lt(left, right),
            Relation::Ge => Kind::Le(right, left),
            Relation::Gt | Relation::PointsTo => Kind::Lt(right, left),
        })
    }

    fn points_to(&mut self, loc_at: &Expr, content_at: &Expr) -> Result<Kind> {
        let loc = self.term(loc_at)?;
        let cell = self.cell(&loc, content_at);
        let Some(cell) = cell else {
            let message = format!("the heap has no locations of sort `{}`", loc.sort());
            return error("sl.sort", loc_at.span, message);
        };
        self.expect_sort(&loc, &cell.loc, loc_at.span)?;
        let outer = std::mem::take(&mut self.unmentioned);
        let content = match (self.signature.record(&cell.content).cloned(), &content_at.kind) {
            (Some(record), ExprKind::Record(fields)) => {
                self.record(&record, fields, content_at.span)?
            }
            (Some(record), _) if record.fields.len() == 1 => {
                let term = self.term(content_at)?;
                if self.unknowns.find(&term.sort()) == cell.content {
                    term
                } else {
                    let sort = record.fields.first().map_or(Sort::Int, |f| f.sort.clone());
                    self.expect_sort(&term, &sort, content_at.span)?;
                    Term::new(TermKind::Record(record, vec![term]))
                }
            }
            _ => self.term_of(content_at, &cell.content)?,
        };
        let unmentioned = std::mem::replace(&mut self.unmentioned, outer);
        let atom = Kind::PointsTo(loc, content);
        Ok(match unmentioned.is_empty() {
            true => atom,
            false => Kind::Exists(unmentioned, Formula::new(atom, loc_at.span.into())),
        })
    }

    /// The part of the heap that a location belongs to, as far as can be seen.
    fn cell(&self, loc: &Term, content: &Expr) -> Option<Cell> {
        let sort = self.unknowns.find(&loc.sort());
        let heap = &self.signature.heap;
        if !matches!(&sort, Sort::Loc(name) if is_internal(name)) {
            return heap.iter().find(|cell| cell.loc == sort).cloned();
        }
        let fits = |cell: &&Cell| match (&content.kind, self.signature.record(&cell.content)) {
            (ExprKind::Record(fields), Some(record)) => fields
                .iter()
                .all(|(field, _)| record.fields.iter().any(|f| f.name.as_str() == field.text)),
            (ExprKind::Record(_), None) => false,
            _ => true,
        };
        heap.iter().find(fits).or(heap.first()).cloned()
    }

    fn record(&mut self, record: &Arc<Record>, fields: &[(Ident, Expr)], at: Span) -> Result<Term> {
        for (i, (name, _)) in fields.iter().enumerate() {
            if record.fields.iter().all(|f| f.name.as_str() != name.text) {
                let message = format!("`{}` has no field `{}`", record.name, name.text);
                return error("sl.name", name.span, message);
            }
            if fields.iter().take(i).any(|(other, _)| other.text == name.text) {
                let message = format!("the field `{}` is given twice", name.text);
                return error("sl.name", name.span, message);
            }
        }
        let mut values = Vec::with_capacity(record.fields.len());
        for field in &record.fields {
            let Some((_, value)) = fields.iter().find(|(n, _)| n.text == field.name.as_str())
            else {
                if self.missing == Missing::Anything {
                    let mut taken = self.taken.clone();
                    taken.extend(self.bound.iter().map(|(_, var)| var.name.clone()));
                    taken.extend(self.unmentioned.iter().map(|var| var.name.clone()));
                    let any = Var { name: fresh_name(&field.name, &taken), ..field.clone() };
                    self.unmentioned.push(any.clone());
                    values.push(Term::var(any));
                    continue;
                }
                let message = format!("the field `{}` is missing", field.name);
                return error("sl.arity", at, message);
            };
            values.push(self.term_of(value, &field.sort)?);
        }
        Ok(Term::new(TermKind::Record(record.clone(), values)))
    }

    fn term_of(&mut self, expr: &Expr, sort: &Sort) -> Result<Term> {
        let term = match (&expr.kind, self.signature.record(&self.unknowns.find(sort)).cloned()) {
            (ExprKind::Record(fields), Some(record)) => self.record(&record, fields, expr.span)?,
            _ => self.term(expr)?,
        };
        self.expect_sort(&term, sort, expr.span)?;
        Ok(term)
    }

    fn term(&mut self, expr: &Expr) -> Result<Term> {
        match &expr.kind {
            ExprKind::Name(name) => Ok(self.variable(name)),
            ExprKind::Nil(None) => Ok(Term::nil(self.unknowns.fresh())),
            ExprKind::Nil(Some(sort)) => Ok(Term::nil(find_sort(&self.signature, sort)?)),
            ExprKind::Number(text) => match text.parse::<BigInt>() {
                Ok(value) => Ok(Term::int(value)),
                Err(_) => error("sl.syntax", expr.span, "this is not a number"),
            },
            ExprKind::Constant(Constant::True) => Ok(Term::new(TermKind::Bool(true))),
            ExprKind::Constant(Constant::False) => Ok(Term::new(TermKind::Bool(false))),
            ExprKind::Joined(Joint::Add, parts) => {
                Ok(Term::new(TermKind::Add(self.integers(parts)?)))
            }
            ExprKind::Mul(parts) => Ok(Term::new(TermKind::Mul(self.integers(parts)?))),
            ExprKind::Neg(part) => Ok(Term::negative(self.term_of(part, &Sort::Int)?)),
            ExprKind::Field(part, field) => self.field(part, field),
            ExprKind::Record(fields) => {
                let record = self
                    .signature
                    .records
                    .iter()
                    .find(|r| {
                        r.fields.len() == fields.len()
                            && fields.iter().all(|(name, _)| {
                                r.fields.iter().any(|f| f.name.as_str() == name.text)
                            })
                    })
                    .cloned();
                match record {
                    Some(record) => self.record(&record, fields, expr.span),
                    None => error("sl.sort", expr.span, "there is no record with these fields"),
                }
            }
            _ => error("sl.sort", expr.span, "data is due here, but this is a formula"),
        }
    }

    fn integers(&mut self, parts: &[Expr]) -> Result<Vec<Term>> {
        parts.iter().map(|part| self.term_of(part, &Sort::Int)).collect()
    }

    fn field(&mut self, part: &Expr, field: &Ident) -> Result<Term> {
        let term = self.term(part)?;
        let sort = self.unknowns.find(&term.sort());
        let has = |r: &&Arc<Record>| r.fields.iter().any(|f| f.name.as_str() == field.text);
        let record = match self.signature.record(&sort) {
            Some(record) => Some(record).filter(has),
            None => self.signature.records.iter().find(has),
        };
        let Some(record) = record.cloned() else {
            return error("sl.name", field.span, format!("there is no field `{}`", field.text));
        };
        self.expect_sort(&term, &Sort::Record(record.name.clone()), part.span)?;
        let index = record.fields.iter().position(|f| f.name.as_str() == field.text).unwrap_or(0);
        Ok(Term::new(TermKind::Field(record, index, term)))
    }

    /// A bound variable, or else one of the stack.
    fn variable(&mut self, name: &str) -> Term {
        if let Some((_, var)) = self.bound.iter().rev().find(|(bound, _)| bound == name) {
            return Term::var(var.clone());
        }
        if let Some(var) = self.constants.iter().find(|c| c.name.as_str() == name) {
            return Term::var(var.clone());
        }
        let var = Var::new(name, self.unknowns.fresh());
        self.constants.push(var.clone());
        self.taken.insert(var.name.clone());
        Term::var(var)
    }

    fn expect_sort(&mut self, term: &Term, sort: &Sort, at: Span) -> Result<()> {
        if self.unknowns.unify(&term.sort(), sort) {
            return Ok(());
        }
        let (sort, found) = (self.unknowns.find(sort), self.unknowns.find(&term.sort()));
        let message = format!("data of sort `{sort}` is due here, but this is of sort `{found}`");
        error("sl.sort", at, message)
    }
}

fn error<T>(id: &'static str, at: Span, message: impl Into<String>) -> Result<T> {
    Err(Box::new(Diagnostic::error(id, at, message)))
}

fn error_with_help<T>(id: &'static str, at: Span, message: String, help: String) -> Result<T> {
    Err(Box::new(Diagnostic::error(id, at, message).with_help(help)))
}
