//! Commands of a script.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use report::Span;

use super::expr::Elaborator;
use super::scope::{Application, Expr, Macro, Result, Scope, error, error_with_help};
use super::{Check, Script, Status};
use crate::formula::{Formula, Kind};
use crate::sexp::{Sexp, SexpKind};
use crate::signature::{Cell, Definition, Record, check_positive};
use crate::sort::{Name, Sort, Var};
use crate::term::Term;

/// Whether to go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Next {
    /// With the next command.
    Go,
    /// The script said `exit`.
    Stop,
}

/// Runs commands one by one.
#[derive(Debug, Default)]
pub(super) struct Runner {
    scope: Scope,
    assertions: Vec<Formula>,
    saved: Vec<(Scope, usize)>,
    /// What the author says of the next question.
    status: Option<Status>,
    script: Script,
}

impl Runner {
    pub(super) fn into_script(self) -> Script {
        self.script
    }

    pub(super) fn run(&mut self, command: &Sexp) -> Result<Next> {
        let Some([head, args @ ..]) = command.list() else {
            return error("sl.syntax", command.span, "a command is due here, in parentheses");
        };
        let at = command.span;
        match head.symbol().unwrap_or_default() {
            "set-logic" => self.script.logic = args.first().and_then(Sexp::symbol).map(Name::from),
            "set-info" => self.set_info(args),
            "set-option" | "get-model" | "get-info" | "get-value" | "echo" | "get-option"
            | "get-unsat-core" => {}
            "declare-sort" => self.declare_sort(at, args)?,
            "declare-datatypes" => self.declare_datatypes(at, args)?,
            "declare-datatype" => self.declare_datatype(at, args)?,
            "declare-heap" => self.declare_heap(at, args)?,
            "declare-const" => match args {
                [name, sort] => self.declare_constant(name, sort)?,
                _ => return shape(at, "(declare-const NAME SORT)"),
            },
            "declare-fun" => match args {
                [name, params, sort] if params.list().is_some_and(<[Sexp]>::is_empty) => {
                    self.declare_constant(name, sort)?;
                }
                [name, params, sort] => self.declare_function(at, name, params, sort)?,
                _ => return shape(at, "(declare-fun NAME () SORT)"),
            },
            "define-fun" => self.define_fun(at, args)?,
            "define-fun-rec" => self.define_fun_rec(at, args)?,
            "define-funs-rec" => self.define_funs_rec(at, args)?,
            "assert" => match args {
                [formula] => {
                    let mut elaborator = Elaborator::new(&self.scope);
                    let formula = elaborator.formula(formula)?;
                    let applied = elaborator.into_applied();
                    self.scope.applied.extend(applied);
                    self.assertions.push(formula);
                }
                _ => return shape(at, "(assert FORMULA)"),
            },
            "check-sat" => self.check_sat(at),
            "push" => {
                for _ in 0..levels(at, args)? {
                    self.saved.push((self.scope.clone(), self.assertions.len()));
                }
            }
            "pop" => {
                for _ in 0..levels(at, args)? {
                    let Some((scope, assertions)) = self.saved.pop() else {
                        return error("sl.syntax", at, "there is nothing to pop");
                    };
                    self.scope = scope;
                    self.assertions.truncate(assertions);
                }
            }
            "reset-assertions" => self.assertions.clear(),
            "exit" => return Ok(Next::Stop),
            other => {
                return error(
                    "sl.unsupported",
                    head.span,
                    format!("there is no command `{other}`"),
                );
            }
        }
        Ok(Next::Go)
    }

    fn set_info(&mut self, args: &[Sexp]) {
        let [Sexp { kind: SexpKind::Keyword(key), .. }, value] = args else { return };
        if key == ":status" {
            self.script.status = match value.symbol() {
                Some("sat") => Some(Status::Sat),
                Some("unsat") => Some(Status::Unsat),
                Some("unknown") => Some(Status::Unknown),
                _ => self.script.status,
            };
            self.status = self.script.status;
        }
    }

    fn declare_sort(&mut self, at: Span, args: &[Sexp]) -> Result<()> {
        let (name, arity) = match args {
            [name] => (name, None),
            [name, arity] => (name, Some(arity)),
            _ => return shape(at, "(declare-sort NAME 0)"),
        };
        if arity.is_some_and(|a| a.kind != SexpKind::Numeral("0".into())) {
            return error("sl.unsupported", at, "sorts with parameters are not supported");
        }
        let name = symbol(name)?;
        self.check_new_sort(&name, at)?;
        Arc::make_mut(&mut self.scope.signature).sorts.push(name);
        Ok(())
    }

    fn check_new_sort(&self, name: &Name, at: Span) -> Result<()> {
        let signature = &self.scope.signature;
        let taken = matches!(name.as_str(), "Int" | "Bool")
            || signature.sorts.contains(name)
            || signature.records.iter().any(|r| r.name == *name);
        if taken {
            error("sl.name", at, format!("the sort `{name}` is declared twice"))
        } else {
            Ok(())
        }
    }

    fn declare_datatypes(&mut self, at: Span, args: &[Sexp]) -> Result<()> {
        let [names, bodies] = args else {
            return shape(
                at,
                "(declare-datatypes ((NAME 0) …) (((CONSTRUCTOR (FIELD SORT) …)) …))",
            );
        };
        let (Some(names), Some(bodies)) = (names.list(), bodies.list()) else {
            return shape(
                at,
                "(declare-datatypes ((NAME 0) …) (((CONSTRUCTOR (FIELD SORT) …)) …))",
            );
        };
        if names.len() != bodies.len() {
            let message = format!("{} names, but {} declarations", names.len(), bodies.len());
            return error("sl.arity", at, message);
        }
        for (name, body) in names.iter().zip(bodies) {
            let Some([name, _]) = name.list() else {
                return error(
                    "sl.syntax",
                    name.span,
                    "a name with its number of parameters is due here",
                );
            };
            self.add_record(symbol(name)?, body)?;
        }
        Ok(())
    }

    fn declare_datatype(&mut self, at: Span, args: &[Sexp]) -> Result<()> {
        match args {
            [name, body] => self.add_record(symbol(name)?, body),
            _ => shape(at, "(declare-datatype NAME ((CONSTRUCTOR (FIELD SORT) …)))"),
        }
    }

    fn add_record(&mut self, name: Name, body: &Sexp) -> Result<()> {
        self.check_new_sort(&name, body.span)?;
        let Some([constructor]) = body.list() else {
            return error_with_help(
                "sl.unsupported",
                body.span,
                format!("`{name}` must have one constructor"),
                "what a location holds is a record",
            );
        };
        let Some([constructor, selectors @ ..]) = constructor.list() else {
            return error(
                "sl.syntax",
                constructor.span,
                "a constructor with its fields is due here",
            );
        };
        let constructor_name = symbol(constructor)?;
        self.scope.check_new(&constructor_name, constructor.span)?;
        let mut fields: Vec<Var> = Vec::new();
        for selector in selectors {
            let Some([field, sort]) = selector.list() else {
                return error("sl.syntax", selector.span, "a field with its sort is due here");
            };
            let field_name = symbol(field)?;
            if fields.iter().any(|f| f.name == field_name) {
                let message = format!("the field `{field_name}` is declared twice");
                return error("sl.name", field.span, message);
            }
            if sort.symbol() == Some(&name) {
                let message = format!("`{name}` would contain itself");
                return error("sl.definition", sort.span, message);
            }
            fields.push(Var { name: field_name, sort: self.scope.sort(sort)? });
        }
        let record = Arc::new(Record { name, constructor: constructor_name.clone(), fields });
        for (index, field) in record.fields.iter().enumerate() {
            // Records may share names of fields; such fields cannot be selected, only built.
            self.scope
                .selectors
                .entry(field.name.clone())
                .or_insert_with(|| (record.clone(), index));
        }
        self.scope.constructors.insert(constructor_name, record.clone());
        Arc::make_mut(&mut self.scope.signature).records.push(record);
        Ok(())
    }

    fn declare_heap(&mut self, at: Span, args: &[Sexp]) -> Result<()> {
        if !self.scope.signature.heap.is_empty() {
            return error_with_help(
                "sl.heap",
                at,
                "the heap is declared twice",
                "one `declare-heap` lists all sorts of locations",
            );
        }
        if args.is_empty() {
            return shape(at, "(declare-heap (LOCATIONS CONTENT) …)");
        }
        for pair in args {
            let Some([loc, content]) = pair.list() else {
                return error("sl.syntax", pair.span, "a pair of sorts is due here");
            };
            let cell = Cell { loc: self.scope.sort(loc)?, content: self.scope.sort(content)? };
            if !cell.loc.is_loc() && cell.loc != Sort::Int {
                let message = format!("`{}` is no sort of locations", cell.loc);
                let help = "declare one with `declare-sort`, or use Int";
                return error_with_help("sl.heap", loc.span, message, help);
            }
            let signature = Arc::make_mut(&mut self.scope.signature);
            if signature.content(&cell.loc).is_some() {
                let message = format!("what `{}` holds is declared twice", cell.loc);
                return error("sl.heap", loc.span, message);
            }
            signature.heap.push(cell);
        }
        Ok(())
    }

    fn declare_constant(&mut self, name: &Sexp, sort: &Sexp) -> Result<()> {
        let at = name.span;
        let name = symbol(name)?;
        self.scope.check_new(&name, at)?;
        let sort = self.scope.sort(sort)?;
        self.scope.add_constant(Var { name, sort });
        Ok(())
    }

    fn declare_function(
        &mut self,
        at: Span,
        name: &Sexp,
        params: &Sexp,
        result: &Sexp,
    ) -> Result<()> {
        let Some(params) = params.list() else {
            return shape(at, "(declare-fun NAME (SORT …) SORT)");
        };
        let params = params.iter().map(|sort| self.scope.sort(sort)).collect::<Result<Vec<_>>>()?;
        let result = self.scope.sort(result)?;
        let name_at = name.span;
        let name = symbol(name)?;
        self.scope.check_new(&name, name_at)?;
        self.scope.functions.insert(name, (params, result));
        Ok(())
    }

    fn define_fun(&mut self, at: Span, args: &[Sexp]) -> Result<()> {
        let [name_at, params, sort, body] = args else {
            return shape(at, "(define-fun NAME ((PARAMETER SORT) …) SORT BODY)");
        };
        let name = symbol(name_at)?;
        self.scope.check_new(&name, name_at.span)?;
        let params = self.scope.sorted_vars(params)?;
        let sort = self.scope.sort(sort)?;
        let mut elaborator = Elaborator::new(&self.scope);
        let params = elaborator.bind(&params);
        let expr = elaborator.expr_of(body, &sort)?;
        let applied = elaborator.into_applied();
        self.scope.applied.extend(applied);
        match expr {
            Expr::Formula(body) if !body.is_pure() => {
                self.scope.predicates.insert(name.clone(), params.clone());
                self.add_definition(Definition { name, params, body, pos: at.into() });
            }
            body => {
                self.scope.macros.insert(name, Arc::new(Macro { params, body }));
            }
        }
        Ok(())
    }

    fn define_fun_rec(&mut self, at: Span, args: &[Sexp]) -> Result<()> {
        let [name, params, sort, body] = args else {
            return shape(at, "(define-fun-rec NAME ((PARAMETER SORT) …) Bool BODY)");
        };
        self.define_group(&[(at, name, params, sort, body)])
    }

    fn define_funs_rec(&mut self, at: Span, args: &[Sexp]) -> Result<()> {
        let usage = "(define-funs-rec ((NAME ((PARAMETER SORT) …) Bool) …) (BODY …))";
        let [heads, bodies] = args else { return shape(at, usage) };
        let (Some(heads), Some(bodies)) = (heads.list(), bodies.list()) else {
            return shape(at, usage);
        };
        if heads.len() != bodies.len() {
            let message = format!("{} predicates, but {} bodies", heads.len(), bodies.len());
            return error("sl.arity", at, message);
        }
        let mut group = Vec::with_capacity(heads.len());
        for (head, body) in heads.iter().zip(bodies) {
            let Some([name, params, sort]) = head.list() else {
                return error(
                    "sl.syntax",
                    head.span,
                    "a predicate with its parameters is due here",
                );
            };
            group.push((head.span, name, params, sort, body));
        }
        self.define_group(&group)
    }

    /// Definitions that may mention each other.
    fn define_group(&mut self, group: &[(Span, &Sexp, &Sexp, &Sexp, &Sexp)]) -> Result<()> {
        for (_, name, params, sort, _) in group {
            let at = name.span;
            let name = symbol(name)?;
            self.scope.check_new(&name, at)?;
            if self.scope.sort(sort)? != Sort::Bool {
                let message = format!("`{name}` must be of sort Bool");
                return error_with_help(
                    "sl.unsupported",
                    sort.span,
                    message,
                    "only predicates can be recursive",
                );
            }
            let params = self.scope.sorted_vars(params)?;
            self.scope.predicates.insert(name, params);
        }
        let mut definitions = Vec::with_capacity(group.len());
        let mut applied = BTreeMap::new();
        for (at, name, _, _, body) in group {
            let name = symbol(name)?;
            let declared = self.scope.predicates.get(&name).map_or(&[][..], Vec::as_slice);
            let mut elaborator = Elaborator::new(&self.scope);
            let params = elaborator.bind(declared);
            let body = elaborator.formula(body)?;
            applied.extend(elaborator.into_applied());
            definitions.push(Definition { name, params, body, pos: (*at).into() });
        }
        self.scope.applied.extend(applied);
        let members: BTreeSet<Name> = definitions.iter().map(|d| d.name.clone()).collect();
        for definition in &definitions {
            check_positive(&definition.body, &members)?;
        }
        for definition in definitions {
            self.add_definition(definition);
        }
        Ok(())
    }

    fn add_definition(&mut self, definition: Definition) {
        Arc::make_mut(&mut self.scope.signature)
            .predicates
            .insert(definition.name.clone(), Arc::new(definition));
    }

    /// Functions have equal results for equal arguments: one formula for every two applications that are
    /// asked about. So functions are gone, and with them any theory that is stably infinite can be combined
    /// ([PWZ13, Th. 6]).
    fn congruences(&self) -> Vec<Formula> {
        let bodies = self.scope.signature.predicates.values().map(|definition| &definition.body);
        let mut pending: Vec<Name> = self
            .assertions
            .iter()
            .chain(bodies)
            .flat_map(Formula::free_vars)
            .map(|var| var.name)
            .collect();
        let mut met = BTreeMap::new();
        while let Some(name) = pending.pop() {
            let Some(application) = self.scope.applied.get(&name) else { continue };
            if met.insert(name, application).is_none() {
                for arg in &application.args {
                    arg.for_each_var(&mut |var| pending.push(var.name.clone()));
                }
            }
        }
        let all: Vec<&Application> = met.into_values().collect();
        let mut congruences = Vec::new();
        for (index, a) in all.iter().enumerate() {
            for b in all.iter().skip(index + 1).filter(|b| b.function == a.function) {
                let result = |of: &Application| Term::var(of.result.clone());
                let mut cases = vec![whatever_the_heap(Formula::equal(result(a), result(b)))];
                for (x, y) in a.args.iter().zip(&b.args) {
                    cases.push(whatever_the_heap(Formula::different(x.clone(), y.clone())));
                }
                congruences.push(Formula::or(cases));
            }
        }
        congruences
    }

    fn check_sat(&mut self, at: Span) {
        self.script.checks.push(Check {
            signature: self.scope.signature.clone(),
            constants: self.scope.constants.clone(),
            assertions: self.assertions.iter().cloned().chain(self.congruences()).collect(),
            status: self.status.take(),
            pos: at.into(),
        });
    }
}

/// A pure atom that says nothing of the heap in either semantics.
fn whatever_the_heap(atom: Formula) -> Formula {
    Formula::sep(vec![atom, Kind::True.into()])
}

fn symbol(sexp: &Sexp) -> Result<Name> {
    match sexp.symbol() {
        Some(text) => Ok(text.into()),
        None => error("sl.syntax", sexp.span, "a name is due here"),
    }
}

fn levels(at: Span, args: &[Sexp]) -> Result<usize> {
    match args {
        [] => Ok(1),
        [Sexp { kind: SexpKind::Numeral(text), .. }] => match text.parse::<usize>() {
            Ok(n) if n <= 10_000 => Ok(n),
            _ => error("sl.syntax", at, "that many levels are not supported"),
        },
        _ => error("sl.syntax", at, "a number of levels is due here"),
    }
}

fn shape<T>(at: Span, usage: &str) -> Result<T> {
    error("sl.syntax", at, format!("this must be of the form {usage}"))
}
