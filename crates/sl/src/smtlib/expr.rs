//! Expressions: names, sorts, and the difference between data and formulas.

use std::collections::{BTreeMap, BTreeSet};

use report::Span;

use super::build::{
    DATA_DUE, all_of, arity, as_expr, as_truth_value, conjunction, disjunction, equivalence,
    formula_at, number, same_sort,
};
use super::scope::{Application, Expr, Result, Scope, error, error_with_help};
use crate::formula::{Formula, Kind};
use crate::sexp::{Sexp, SexpKind};
use crate::sort::{Name, Sort, Var};
use crate::substitute::{Substitution, fresh_name};
use crate::term::{Term, TermKind};

/// Turns S-expressions into terms and formulas.
///
/// A bound variable with the name of something in scope gets another name, so that a definition
/// that mentions stack variables means the same wherever it is unfolded.
pub(super) struct Elaborator<'a> {
    scope: &'a Scope,
    /// Bound names with what they stand for; the last one counts.
    bound: Vec<(Name, Expr)>,
    taken: BTreeSet<Name>,
    /// Applications of functions of which nothing is known.
    applied: BTreeMap<Name, Application>,
}

impl<'a> Elaborator<'a> {
    pub(super) fn new(scope: &'a Scope) -> Elaborator<'a> {
        let taken = scope.constants.iter().map(|c| c.name.clone()).collect();
        Elaborator { scope, bound: Vec::new(), taken, applied: BTreeMap::new() }
    }

    /// The applications of functions that were met.
    pub(super) fn into_applied(self) -> BTreeMap<Name, Application> {
        self.applied
    }

    /// Binds variables until [`Elaborator::unbind`]; returns them under their new names.
    pub(super) fn bind(&mut self, vars: &[Var]) -> Vec<Var> {
        let mut renamed = Vec::with_capacity(vars.len());
        for var in vars {
            let fresh = Var { name: fresh_name(&var.name, &self.taken), sort: var.sort.clone() };
            self.taken.insert(fresh.name.clone());
            let term = Term::var(fresh.clone());
            self.bound.push((var.name.clone(), as_expr(term)));
            renamed.push(fresh);
        }
        renamed
    }

    fn unbind(&mut self, vars: &[Var]) {
        for var in vars {
            self.bound.pop();
            self.taken.remove(&var.name);
        }
    }

    /// An expression of this sort.
    pub(super) fn expr_of(&mut self, sexp: &Sexp, sort: &Sort) -> Result<Expr> {
        match sort {
            Sort::Bool => Ok(Expr::Formula(self.formula(sexp)?)),
            sort => Ok(Expr::Term(self.term_of(sexp, sort)?)),
        }
    }

    /// An expression that must be a formula.
    pub(super) fn formula(&mut self, sexp: &Sexp) -> Result<Formula> {
        match self.expr(sexp)? {
            Expr::Formula(formula) => Ok(formula),
            Expr::Term(term) => {
                let message =
                    format!("a formula is due here, but this is of sort `{}`", term.sort());
                error("sl.sort", sexp.span, message)
            }
        }
    }

    /// An expression that must be data.
    fn term(&mut self, sexp: &Sexp) -> Result<Term> {
        match self.expr(sexp)? {
            Expr::Term(term) => Ok(term),
            Expr::Formula(formula) => match as_truth_value(&formula) {
                Some(term) => Ok(term),
                None => error_with_help(
                    "sl.sort",
                    sexp.span,
                    "data is due here, but this is a formula",
                    "only formulas can be joined by `sep`, `and`, `or`, `not` and `wand`",
                ),
            },
        }
    }

    /// Data of this sort.
    fn term_of(&mut self, sexp: &Sexp, sort: &Sort) -> Result<Term> {
        let term = self.term(sexp)?;
        let found = term.sort();
        if found == *sort {
            return Ok(term);
        }
        let message = format!("data of sort `{sort}` is due here, but this is of sort `{found}`");
        error("sl.sort", sexp.span, message)
    }

    fn expr(&mut self, sexp: &Sexp) -> Result<Expr> {
        match &sexp.kind {
            SexpKind::Symbol(name) => self.name(name, sexp.span),
            SexpKind::Numeral(text) => Ok(Expr::Term(number(text, sexp.span)?)),
            SexpKind::List(items) => match items.as_slice() {
                [] => error("sl.syntax", sexp.span, "an empty list means nothing"),
                [head, args @ ..] => match head.symbol() {
                    Some(name) => self.application(name, head, args, sexp.span),
                    None => self.qualified(head, args, sexp.span),
                },
            },
            SexpKind::Keyword(_) | SexpKind::Other(_) => {
                error("sl.unsupported", sexp.span, "constants of this kind are not supported")
            }
        }
    }

    /// A name on its own.
    fn name(&mut self, name: &str, at: Span) -> Result<Expr> {
        if let Some((_, expr)) = self.bound.iter().rev().find(|(bound, _)| bound.as_str() == name) {
            return Ok(expr.clone());
        }
        let key = Name::from(name);
        if let Some(sort) = self.scope.constant_sorts.get(&key) {
            return Ok(as_expr(Term::var(Var { name: key, sort: sort.clone() })));
        }
        match name {
            "true" => return Ok(formula_at(Kind::True, at)),
            "false" => return Ok(formula_at(Kind::False, at)),
            "emp" | "sep.emp" => return self.emp(at),
            "nil" | "sep.nil" => return self.nil_of_the_only_sort(at),
            _ => {}
        }
        self.call(name, &[], at)
    }

    fn emp(&self, at: Span) -> Result<Expr> {
        self.need_heap(at)?;
        Ok(formula_at(Kind::Emp, at))
    }

    fn nil_of_the_only_sort(&self, at: Span) -> Result<Expr> {
        match self.scope.signature.heap.as_slice() {
            [cell] => Ok(Expr::Term(Term::nil(cell.loc.clone()))),
            [] => self.need_heap(at).and(error("sl.heap", at, "no heap is declared")),
            _ => error_with_help(
                "sl.sort",
                at,
                "there is a `nil` for every sort of locations",
                "write `(as nil SORT)`",
            ),
        }
    }

    fn need_heap(&self, at: Span) -> Result<()> {
        if self.scope.signature.heap.is_empty() {
            return error_with_help(
                "sl.heap",
                at,
                "no heap is declared",
                "say what locations hold: `(declare-heap (LOCATIONS CONTENT))`",
            );
        }
        Ok(())
    }

    /// `((_ f …) args)` and `((as f S) args)`.
    fn qualified(&mut self, head: &Sexp, args: &[Sexp], at: Span) -> Result<Expr> {
        if let Some([keyword, name, sort]) = head.list()
            && keyword.symbol() == Some("as")
            && let Some(text) = name.symbol()
        {
            let sort = self.scope.sort(sort)?;
            let expr = self.application(text, name, args, at)?;
            return match &expr {
                Expr::Term(term) if term.sort() == sort => Ok(expr),
                _ => error("sl.sort", at, format!("this is not of sort `{sort}`")),
            };
        }
        error("sl.syntax", head.span, "the name of a function is due here")
    }

    fn application(&mut self, name: &str, head: &Sexp, args: &[Sexp], at: Span) -> Result<Expr> {
        match name {
            "and" => Ok(formula_at(conjunction(self.formulas(args)?), at)),
            "or" => Ok(formula_at(disjunction(self.formulas(args)?), at)),
            "not" => match args {
                [part] => Ok(formula_at(Kind::Not(self.formula(part)?), at)),
                _ => arity("not", 1, args, at),
            },
            "=>" => self.implication(args, at),
            "xor" => match args {
                [a, b] => {
                    let (a, b) = (self.formula(a)?, self.formula(b)?);
                    Ok(formula_at(Kind::Not(equivalence(&a, &b).into()), at))
                }
                _ => arity("xor", 2, args, at),
            },
            "ite" => self.conditional(args, at),
            "=" => self.equality(args, at),
            "distinct" => self.distinct(args, at),
            "<" | "<=" | ">" | ">=" => self.comparison(name, args, at),
            "+" | "-" | "*" => self.arithmetic(name, args, at),
            "exists" | "forall" => self.quantifier(name, args, at),
            "let" => self.local(args, at),
            "!" => match args {
                [inner, ..] => self.expr(inner),
                [] => arity("!", 1, args, at),
            },
            "sep" => {
                self.need_heap(at)?;
                let parts = self.formulas(args)?;
                if parts.len() < 2 {
                    return arity("sep", 2, args, at);
                }
                Ok(formula_at(Kind::Sep(parts), at))
            }
            "wand" => match args {
                [a, b] => {
                    self.need_heap(at)?;
                    Ok(formula_at(Kind::Wand(self.formula(a)?, self.formula(b)?), at))
                }
                _ => arity("wand", 2, args, at),
            },
            "pto" => self.points_to(args, at),
            "emp" | "sep.emp" if args.is_empty() => self.emp(at),
            "_" => self.indexed(args, at),
            "as" => self.ascription(args, at),
            _ if self.bound.iter().any(|(bound, _)| bound.as_str() == name)
                || self.scope.constant_sorts.contains_key(&Name::from(name)) =>
            {
                error(
                    "sl.arity",
                    head.span,
                    format!("`{name}` is a variable and takes no arguments"),
                )
            }
            _ => self.call(name, args, at),
        }
    }

    fn formulas(&mut self, args: &[Sexp]) -> Result<Vec<Formula>> {
        args.iter().map(|arg| self.formula(arg)).collect()
    }

    fn implication(&mut self, args: &[Sexp], at: Span) -> Result<Expr> {
        let mut parts = self.formulas(args)?;
        let Some(mut result) = parts.pop() else { return arity("=>", 2, args, at) };
        while let Some(premise) = parts.pop() {
            let negated = Formula::new(Kind::Not(premise), at.into());
            result = Formula::new(Kind::Or(vec![negated, result]), at.into());
        }
        Ok(Expr::Formula(result))
    }

    fn conditional(&mut self, args: &[Sexp], at: Span) -> Result<Expr> {
        let [condition, then, otherwise] = args else { return arity("ite", 3, args, at) };
        let condition = self.formula(condition)?;
        match (self.expr(then)?, self.expr(otherwise)?) {
            (Expr::Formula(then), Expr::Formula(otherwise)) => {
                let negated = Formula::negation(condition.clone());
                let yes = Formula::and(vec![condition, then]);
                let no = Formula::and(vec![negated, otherwise]);
                Ok(formula_at(Kind::Or(vec![yes, no]), at))
            }
            _ => error("sl.unsupported", at, "conditional data is not supported"),
        }
    }

    fn equality(&mut self, args: &[Sexp], at: Span) -> Result<Expr> {
        let [first, rest @ ..] = args else { return arity("=", 2, args, at) };
        if rest.is_empty() {
            return arity("=", 2, args, at);
        }
        let mut parts = Vec::with_capacity(rest.len());
        let mut previous = (self.expr(first)?, first);
        for arg in rest {
            let next = (self.expr(arg)?, arg);
            parts.push(Formula::new(self.equal(&previous, &next)?, at.into()));
            previous = next;
        }
        Ok(Expr::Formula(all_of(parts, at)))
    }

    fn equal(&self, a: &(Expr, &Sexp), b: &(Expr, &Sexp)) -> Result<Kind> {
        match (&a.0, &b.0) {
            (Expr::Term(x), Expr::Term(y)) => {
                same_sort(x, y, b.1.span)?;
                Ok(Kind::Eq(x.clone(), y.clone()))
            }
            (Expr::Formula(x), Expr::Formula(y)) => match (as_truth_value(x), as_truth_value(y)) {
                (Some(x), Some(y)) => Ok(Kind::Eq(x, y)),
                _ => Ok(equivalence(x, y)),
            },
            (Expr::Term(_), Expr::Formula(_)) => error("sl.sort", b.1.span, DATA_DUE),
            (Expr::Formula(_), Expr::Term(_)) => error("sl.sort", a.1.span, DATA_DUE),
        }
    }

    fn distinct(&mut self, args: &[Sexp], at: Span) -> Result<Expr> {
        if args.len() < 2 {
            return arity("distinct", 2, args, at);
        }
        let terms = args.iter().map(|arg| self.term(arg)).collect::<Result<Vec<_>>>()?;
        let mut parts = Vec::new();
        for (i, a) in terms.iter().enumerate() {
            for (b, sexp) in terms.iter().zip(args).skip(i + 1) {
                same_sort(a, b, sexp.span)?;
                parts.push(Formula::new(Kind::Ne(a.clone(), b.clone()), at.into()));
            }
        }
        Ok(Expr::Formula(all_of(parts, at)))
    }

    fn comparison(&mut self, name: &str, args: &[Sexp], at: Span) -> Result<Expr> {
        let terms =
            args.iter().map(|arg| self.term_of(arg, &Sort::Int)).collect::<Result<Vec<_>>>()?;
        let mut parts = Vec::new();
        for pair in terms.windows(2) {
            let [a, b] = pair else { continue };
            let (a, b) = (a.clone(), b.clone());
            let kind = match name {
                "<" => Kind::Lt(a, b),
                "<=" => Kind::Le(a, b),
                ">" => Kind::Lt(b, a),
                _ => Kind::Le(b, a),
            };
            parts.push(Formula::new(kind, at.into()));
        }
        if parts.is_empty() {
            return arity(name, 2, args, at);
        }
        Ok(Expr::Formula(all_of(parts, at)))
    }

    fn arithmetic(&mut self, name: &str, args: &[Sexp], at: Span) -> Result<Expr> {
        let mut terms =
            args.iter().map(|arg| self.term_of(arg, &Sort::Int)).collect::<Result<Vec<_>>>()?;
        if terms.is_empty() {
            return arity(name, 1, args, at);
        }
        let term = match (name, terms.len()) {
            ("-", 1) => terms.pop().map_or_else(|| Term::int(0), Term::negative),
            ("-", _) => {
                let negated = terms.drain(1..).map(Term::negative).collect::<Vec<_>>();
                terms.extend(negated);
                Term::new(TermKind::Add(terms))
            }
            ("*", _) => Term::new(TermKind::Mul(terms)),
            _ => Term::new(TermKind::Add(terms)),
        };
        Ok(Expr::Term(term))
    }

    fn quantifier(&mut self, name: &str, args: &[Sexp], at: Span) -> Result<Expr> {
        let [vars, body] = args else { return arity(name, 2, args, at) };
        let vars = self.scope.sorted_vars(vars)?;
        let vars = self.bind(&vars);
        let body = self.formula(body);
        self.unbind(&vars);
        let body = body?;
        if vars.is_empty() {
            return Ok(Expr::Formula(body));
        }
        let kind =
            if name == "exists" { Kind::Exists(vars, body) } else { Kind::Forall(vars, body) };
        Ok(formula_at(kind, at))
    }

    fn local(&mut self, args: &[Sexp], at: Span) -> Result<Expr> {
        let [bindings, body] = args else { return arity("let", 2, args, at) };
        let Some(bindings) = bindings.list() else {
            return error("sl.syntax", bindings.span, "a list of bindings is due here");
        };
        let mut values = Vec::with_capacity(bindings.len());
        for binding in bindings {
            let Some([name, value]) = binding.list() else {
                return error("sl.syntax", binding.span, "a name with its value is due here");
            };
            let Some(text) = name.symbol() else {
                return error("sl.syntax", name.span, "a name is due here");
            };
            values.push((Name::from(text), self.expr(value)?));
        }
        let depth = self.bound.len();
        self.bound.extend(values);
        let result = self.expr(body);
        self.bound.truncate(depth);
        result
    }

    fn points_to(&mut self, args: &[Sexp], at: Span) -> Result<Expr> {
        let [loc_at, content_at] = args else { return arity("pto", 2, args, at) };
        self.need_heap(at)?;
        let loc = self.term(loc_at)?;
        let Some(expected) = self.scope.signature.content(&loc.sort()) else {
            let message = format!("the heap has no locations of sort `{}`", loc.sort());
            return error("sl.sort", loc_at.span, message);
        };
        let content = self.term(content_at)?;
        if content.sort() != *expected {
            let message = format!(
                "`{}` holds `{expected}`, but this is of sort `{}`",
                loc.sort(),
                content.sort()
            );
            return error("sl.sort", content_at.span, message);
        }
        Ok(formula_at(Kind::PointsTo(loc, content), at))
    }

    /// `(_ emp LOCATIONS CONTENT)`.
    fn indexed(&mut self, args: &[Sexp], at: Span) -> Result<Expr> {
        match args {
            [name, sorts @ ..] if matches!(name.symbol(), Some("emp" | "sep.emp")) => {
                self.need_heap(at)?;
                if let [loc_at, content_at] = sorts {
                    let loc = self.scope.sort(loc_at)?;
                    let content = self.scope.sort(content_at)?;
                    if self.scope.signature.content(&loc) != Some(&content) {
                        let message = format!("the heap does not map `{loc}` to `{content}`");
                        return error("sl.sort", at, message);
                    }
                } else if !sorts.is_empty() {
                    return arity("emp", 2, sorts, at);
                }
                self.emp(at)
            }
            _ => error("sl.unsupported", at, "functions with indices are not supported"),
        }
    }

    /// `(as nil SORT)`.
    fn ascription(&mut self, args: &[Sexp], at: Span) -> Result<Expr> {
        let [inner, sort_at] = args else { return arity("as", 2, args, at) };
        let sort = self.scope.sort(sort_at)?;
        if matches!(inner.symbol(), Some("nil" | "sep.nil")) {
            if !sort.is_loc() && self.scope.signature.content(&sort).is_none() {
                let message = format!("`{sort}` is no sort of locations and has no `nil`");
                return error("sl.sort", sort_at.span, message);
            }
            return Ok(Expr::Term(Term::nil(sort)));
        }
        let term = self.term_of(inner, &sort)?;
        Ok(Expr::Term(term))
    }

    /// A predicate, a constructor, a field or a function with a body.
    fn call(&mut self, name: &str, args: &[Sexp], at: Span) -> Result<Expr> {
        let key = Name::from(name);
        let scope = self.scope;
        if let Some(params) = scope.predicates.get(&key) {
            let args = self.arguments(name, params, args, at)?;
            return Ok(formula_at(Kind::Pred(key, args), at));
        }
        if let Some(record) = scope.constructors.get(&key) {
            let args = self.arguments(name, &record.fields, args, at)?;
            return Ok(Expr::Term(Term::new(TermKind::Record(record.clone(), args))));
        }
        if let Some((params, result)) = scope.functions.get(&key) {
            return self.apply(&key, params, result, args, at);
        }
        if let Some(definition) = scope.macros.get(&key) {
            let args = self.arguments(name, &definition.params, args, at)?;
            let by: Substitution =
                definition.params.iter().map(|p| p.name.clone()).zip(args).collect();
            return Ok(match &definition.body {
                Expr::Term(term) => Expr::Term(term.substitute(&|name| by.get(name).cloned())),
                Expr::Formula(formula) => Expr::Formula(formula.substitute(&by)),
            });
        }
        if let Some((record, index)) = scope.selectors.get(&key) {
            let [arg] = args else { return arity(name, 1, args, at) };
            let term = self.term_of(arg, &Sort::Record(record.name.clone()))?;
            return Ok(as_expr(Term::new(TermKind::Field(record.clone(), *index, term))));
        }
        if args.is_empty() {
            return error("sl.name", at, format!("there is nothing of the name `{name}`"));
        }
        error_with_help(
            "sl.name",
            at,
            format!("there is no predicate or constructor `{name}`"),
            "predicates that mention each other are defined together, by `define-funs-rec`",
        )
    }

    /// An application of a function of which nothing is known: a stack variable for its result. That
    /// equal arguments have equal results is said where a question is asked.
    fn apply(
        &mut self,
        function: &Name,
        params: &[Sort],
        result: &Sort,
        args: &[Sexp],
        at: Span,
    ) -> Result<Expr> {
        if params.len() != args.len() {
            return arity(function, params.len(), args, at);
        }
        let mut terms = Vec::with_capacity(args.len());
        for (arg, sort) in args.iter().zip(params) {
            let term = self.term_of(arg, sort)?;
            let mut of_stack = true;
            term.for_each_var(&mut |var| {
                of_stack &= self.scope.constant_sorts.contains_key(&var.name)
                    || self.scope.applied.contains_key(&var.name)
                    || self.applied.contains_key(&var.name);
            });
            if !of_stack {
                return error_with_help(
                    "sl.unsupported",
                    arg.span,
                    format!("`{function}` is applied to a bound variable"),
                    "functions without a body are for constants and what is made of them",
                );
            }
            terms.push(term);
        }
        // Names of other applications are no names that would have to be quoted.
        let shown: Vec<String> =
            terms.iter().map(|term| term.to_string().replace('`', "")).collect();
        let name = Name::from(format!("{function}({})", shown.join(", ")));
        if self.scope.is_taken(&name) {
            return error("sl.name", at, format!("`{name}` is declared, too"));
        }
        let result = Var { name: name.clone(), sort: result.clone() };
        let application =
            Application { function: function.clone(), args: terms, result: result.clone() };
        self.applied.insert(name, application);
        Ok(as_expr(Term::var(result)))
    }

    fn arguments(
        &mut self,
        name: &str,
        params: &[Var],
        args: &[Sexp],
        at: Span,
    ) -> Result<Vec<Term>> {
        if params.len() != args.len() {
            return arity(name, params.len(), args, at);
        }
        params.iter().zip(args).map(|(param, arg)| self.term_of(arg, &param.sort)).collect()
    }
}
