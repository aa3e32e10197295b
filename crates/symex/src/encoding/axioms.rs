//! Domain axioms as terms. They are about values only: there is no state, and nothing to check.

use std::collections::HashMap;
use std::sync::Arc;

use smt::{Meaning, Quantifier, Term};
use viper::ast::Quantifier as SourceQuantifier;
use viper::core::{Expr, ExprKind, FunctionId, Local, LocalId, Type};

use super::operand_type;
use super::{Encoding, Formula, FormulaKind};

/// An axiom that is being translated.
struct Context<'a> {
    locals: &'a [Local],
    /// What the type parameters of the domain are.
    types: &'a [Type],
    values: HashMap<LocalId, Term>,
}

impl Encoding<'_> {
    /// Translates all axioms that were registered; they may bring others.
    pub(super) fn translate_axioms(&mut self) {
        while let Some(instance) = self.axioms.pending.pop() {
            let domain = self.program.domain(instance.domain);
            let axiom = &domain.axioms[instance.index];
            let mut context =
                Context { locals: &axiom.locals, types: &instance.types, values: HashMap::new() };
            self.axioms.translating = true;
            let formula = self.translate(&mut context, &axiom.body);
            self.axioms.translating = false;
            if self.terms.as_bool(formula) == Some(true) {
                continue;
            }
            if domain.adt.is_none() {
                self.axioms.told.push(formula);
            }
            let text = format!("(assert {})", smt::print(&self.terms, formula));
            self.say(&text);
        }
    }

    fn translate_all(&mut self, context: &mut Context<'_>, exprs: &[Arc<Expr>]) -> Vec<Term> {
        exprs.iter().map(|e| self.translate(context, e)).collect()
    }

    fn translate(&mut self, context: &mut Context<'_>, e: &Arc<Expr>) -> Term {
        let ty = e.ty.substitute(context.types);
        match &e.kind {
            ExprKind::Int(value) => self.terms.int(value.clone()),
            ExprKind::Bool(value) => self.terms.bool(*value),
            ExprKind::Null => self.prelude.null,
            ExprKind::NoPerm => self.amount(0, 1),
            ExprKind::FullPerm => self.amount(1, 1),
            ExprKind::Local(local) => match context.values.get(local) {
                Some(value) => *value,
                None => self.axiom_variable(context, *local),
            },
            ExprKind::Neg(a) => {
                let a = self.translate(context, a);
                self.terms.neg(a)
            }
            ExprKind::Not(a) => {
                let a = self.translate(context, a);
                self.terms.not(a)
            }
            ExprKind::Binary(op, a, b) => {
                let operand = a.ty.substitute(context.types);
                let (a, b) = (self.translate(context, a), self.translate(context, b));
                self.binary(*op, &operand, a, b)
            }
            ExprKind::Cond(c, a, b) => {
                let c = self.translate(context, c);
                let (a, b) = (self.translate(context, a), self.translate(context, b));
                self.terms.ite(c, a, b)
            }
            ExprKind::DomainCall(f, args, types) => {
                let args = self.translate_all(context, args);
                let types: Arc<[Type]> =
                    types.iter().map(|t| t.substitute(context.types)).collect();
                let fun = self.domain_function(*f, &types);
                self.terms.app(fun, &args)
            }
            ExprKind::Call(f, args) => {
                let mut full = vec![self.prelude.unit];
                full.extend(self.translate_all(context, args));
                let symbols = self.function(*f);
                self.calls_of_abstract(*f);
                self.terms.app(symbols.full, &full)
            }
            ExprKind::Let(local, value, body) => {
                let value = self.translate(context, value);
                context.values.insert(*local, value);
                self.translate(context, body)
            }
            ExprKind::Quant { quantifier, vars, triggers, body } => {
                let constants: Vec<Term> =
                    vars.iter().map(|v| self.axiom_variable(context, *v)).collect();
                let value = self.translate(context, body);
                let sets: Vec<Vec<Term>> =
                    triggers.iter().map(|set| self.translate_all(context, set)).collect();
                let weight = e.info.as_ref().and_then(|info| {
                    info.annotation("weight")?.values.first()?.as_str().trim().parse().ok()
                });
                let quantifier = match quantifier {
                    SourceQuantifier::Forall => Quantifier::Forall,
                    SourceQuantifier::Exists => Quantifier::Exists,
                };
                self.because_of(e.pos, |this| {
                    let formula = Formula { quantifier, kind: FormulaKind::Axiom, weight };
                    this.close(formula, &constants, &sets, value)
                })
            }
            ExprKind::Seq(elems) => {
                let elems = self.translate_all(context, elems);
                self.seq_literal(&ty, &elems)
            }
            ExprKind::Set(elems) | ExprKind::Multiset(elems) => {
                let elems = self.translate_all(context, elems);
                self.set_literal(&ty, &elems)
            }
            ExprKind::Map(entries) => {
                let mut values = Vec::new();
                for (key, value) in entries {
                    values.push((self.translate(context, key), self.translate(context, value)));
                }
                self.map_literal(&ty, &values)
            }
            ExprKind::Collection(op, args) => {
                let values = self.translate_all(context, args);
                let operand = operand_type(*op, args, &e.ty).substitute(context.types);
                self.collection_op(*op, &operand, &ty, &values)
            }
            // The front end admits nothing else in an axiom; what is not understood says nothing.
            _ => {
                debug_assert!(false, "{:?} in an axiom", e.kind);
                self.axiom_unknown(&ty)
            }
        }
    }

    /// Says that an abstract function may be called everywhere, so that its postcondition is known
    /// where an axiom mentions it. There are no preconditions in axioms. The postcondition of a
    /// function with a body would be used in its own proof, which may need the axiom.
    fn calls_of_abstract(&mut self, id: FunctionId) {
        let function = self.program.function(id);
        let trusted = function.body.is_none() && function.pres.is_empty();
        if !trusted || !self.axioms.functions.insert(id) {
            return;
        }
        let symbols = self.function(id);
        let mut constants = Vec::new();
        for (i, param) in function.locals.iter().take(function.params as usize).enumerate() {
            let sort = self.sort(&param.ty);
            let name = format!("axiom.arg.{i}.{}", self.terms.signature.sort_text(sort));
            let fun = self.terms.fun_named(&name, &[], sort, Meaning::Uninterpreted);
            constants.push(self.terms.app(fun, &[]));
        }
        let mut args = vec![self.prelude.unit];
        args.extend(&constants);
        let call = self.terms.app(symbols.full, &args);
        let pre = self.terms.app(symbols.pre, &args);
        let formula = self.because_of(function.pos, |this| {
            this.for_all(FormulaKind::Function, &constants, &[vec![call]], pre)
        });
        let text = format!("(assert {})", smt::print(&self.terms, formula));
        self.say(&text);
    }

    /// Some value of a type.
    fn axiom_unknown(&mut self, ty: &Type) -> Term {
        let sort = self.sort(ty);
        let fun = self.terms.fun_named("axiom.unknown", &[], sort, Meaning::Uninterpreted);
        self.terms.app(fun, &[])
    }

    /// A constant that stands for a variable until it is bound.
    fn axiom_variable(&mut self, context: &mut Context<'_>, local: LocalId) -> Term {
        let decl = &context.locals[local.index()];
        let sort = self.sort(&decl.ty.substitute(context.types));
        let name = format!("axiom.{}.{}", local.0, self.terms.signature.sort_text(sort));
        let fun = self.terms.fun_named(&name, &[], sort, Meaning::Uninterpreted);
        let term = self.terms.app(fun, &[]);
        context.values.insert(local, term);
        term
    }
}
