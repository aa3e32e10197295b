//! What names mean while a script is read.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use report::{Diagnostic, Span};

use crate::formula::Formula;
use crate::sexp::Sexp;
use crate::signature::{Record, Signature};
use crate::sort::{Name, Sort, Var};
use crate::term::Term;

pub(super) type Result<T> = std::result::Result<T, Box<Diagnostic>>;

/// An error with an identifier.
pub(super) fn error<T>(id: &'static str, at: Span, message: impl Into<String>) -> Result<T> {
    Err(Box::new(Diagnostic::error(id, at, message)))
}

/// The same, with advice.
pub(super) fn error_with_help<T>(
    id: &'static str,
    at: Span,
    message: impl Into<String>,
    help: impl Into<String>,
) -> Result<T> {
    Err(Box::new(Diagnostic::error(id, at, message).with_help(help)))
}

/// What an expression of SMT-LIB is for us: data, or something that holds of a stack and a heap.
#[derive(Clone, Debug)]
pub(super) enum Expr {
    /// Data.
    Term(Term),
    /// A formula.
    Formula(Formula),
}

/// A function whose applications are replaced by its body.
#[derive(Clone, Debug)]
pub(super) struct Macro {
    pub(super) params: Vec<Var>,
    pub(super) body: Expr,
}

/// Everything that was declared.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    pub(super) signature: Arc<Signature>,
    pub(super) constants: Vec<Var>,
    pub(super) constant_sorts: BTreeMap<Name, Sort>,
    pub(super) constructors: BTreeMap<Name, Arc<Record>>,
    pub(super) selectors: BTreeMap<Name, (Arc<Record>, usize)>,
    /// Parameters of predicates; their bodies may not be known yet.
    pub(super) predicates: BTreeMap<Name, Vec<Var>>,
    pub(super) macros: BTreeMap<Name, Arc<Macro>>,
    /// Functions of which nothing is known but their sorts.
    pub(super) functions: BTreeMap<Name, (Vec<Sort>, Sort)>,
    /// Their applications: stack variables for the results.
    pub(super) applied: BTreeMap<Name, Application>,
}

/// An application of a function of which nothing is known.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Application {
    pub(super) function: Name,
    pub(super) args: Vec<Term>,
    pub(super) result: Var,
}

impl Scope {
    /// Is the name taken? Fields do not count: whatever else has their name comes first.
    pub(super) fn is_taken(&self, name: &str) -> bool {
        let name = Name::from(name);
        self.constant_sorts.contains_key(&name)
            || self.constructors.contains_key(&name)
            || self.predicates.contains_key(&name)
            || self.macros.contains_key(&name)
            || self.functions.contains_key(&name)
    }

    /// Refuses a second declaration.
    pub(super) fn check_new(&self, name: &str, at: Span) -> Result<()> {
        if is_reserved(name) {
            return error("sl.name", at, format!("`{name}` has a meaning of its own"));
        }
        if self.is_taken(name) {
            return error("sl.name", at, format!("`{name}` is declared twice"));
        }
        Ok(())
    }

    /// Adds a stack variable.
    pub(super) fn add_constant(&mut self, var: Var) {
        self.constant_sorts.insert(var.name.clone(), var.sort.clone());
        self.constants.push(var);
    }

    /// The sort that this expression names.
    pub(super) fn sort(&self, sexp: &Sexp) -> Result<Sort> {
        let Some(name) = sexp.symbol() else {
            return error("sl.unsupported", sexp.span, "sorts with arguments are not supported");
        };
        match name {
            "Int" => return Ok(Sort::Int),
            "Bool" => return Ok(Sort::Bool),
            _ => {}
        }
        if self.signature.records.iter().any(|r| r.name.as_str() == name) {
            return Ok(Sort::Record(name.into()));
        }
        if self.signature.sorts.iter().any(|s| s.as_str() == name) {
            return Ok(Sort::Loc(name.into()));
        }
        error("sl.name", sexp.span, format!("there is no sort `{name}`"))
    }

    /// Variables with their sorts: `((x Loc) (n Int))`.
    pub(super) fn sorted_vars(&self, sexp: &Sexp) -> Result<Vec<Var>> {
        let Some(items) = sexp.list() else {
            return error(
                "sl.syntax",
                sexp.span,
                "a list of variables with their sorts is due here",
            );
        };
        let mut seen = BTreeSet::new();
        let mut vars = Vec::with_capacity(items.len());
        for item in items {
            let Some([name, sort]) = item.list() else {
                return error("sl.syntax", item.span, "a variable with its sort is due here");
            };
            let Some(text) = name.symbol() else {
                return error("sl.syntax", name.span, "the name of a variable is due here");
            };
            if !seen.insert(text.to_owned()) {
                return error("sl.name", name.span, format!("`{text}` is declared twice"));
            }
            vars.push(Var::new(text, self.sort(sort)?));
        }
        Ok(vars)
    }
}

fn is_reserved(name: &str) -> bool {
    matches!(
        name,
        "pto"
            | "sep"
            | "wand"
            | "emp"
            | "nil"
            | "and"
            | "or"
            | "not"
            | "true"
            | "false"
            | "="
            | "distinct"
            | "exists"
            | "forall"
            | "let"
            | "ite"
            | "=>"
            | "xor"
            | "as"
            | "_"
            | "!"
            | "+"
            | "-"
            | "*"
            | "<"
            | "<="
            | ">"
            | ">="
    )
}
