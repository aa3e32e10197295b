//! Calls in expressions: functions, constructors, predicates.

use std::sync::Arc;

use report::{Diagnostic, Pos};

use super::Checker;
use super::globals::Global;
use super::resolve::Typed;
use super::types::{Kind, Mismatch, Signature};
use crate::ast::{self, Ident};
use crate::core::{DomainId, Expr, ExprKind, Resource, Type};
use crate::wording::arity;

/// What a name that is called, or held, should stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Callee {
    Method,
    Predicate,
    FunctionOrMethod,
    FunctionOrPredicate,
}

impl Callee {
    fn as_str(self) -> &'static str {
        match self {
            Callee::Method => "method",
            Callee::Predicate => "predicate",
            Callee::FunctionOrMethod => "function or method",
            Callee::FunctionOrPredicate => "function or predicate",
        }
    }

    /// Is this a thing that can stand there?
    fn includes(self, global: &Global) -> bool {
        use Callee::{FunctionOrMethod, FunctionOrPredicate, Method, Predicate};
        match global {
            Global::Method(_) => matches!(self, Method | FunctionOrMethod),
            Global::Function(_) | Global::DomainFunction(_) => {
                matches!(self, FunctionOrMethod | FunctionOrPredicate)
            }
            Global::Predicate(_) => matches!(self, Predicate | FunctionOrPredicate),
            Global::Field(_) | Global::Domain(_) => false,
        }
    }
}

impl<'a> Checker<'a> {
    pub(super) fn call(
        &mut self,
        callee: &'a Ident,
        args: &'a [ast::Expr],
        explicit: Option<&'a ast::Type>,
        pos: Pos,
    ) -> Typed {
        let predicate_expected = std::mem::take(&mut self.predicate_expected);
        let typed: Vec<Typed> = args.iter().map(|e| self.infer(e)).collect();
        let explicit = explicit.map(|ty| self.ty(ty));
        let mut callables: Vec<Global> = self
            .globals
            .find(&callee.name)
            .filter(|g| {
                matches!(g, Global::Function(_) | Global::Predicate(_) | Global::DomainFunction(_))
            })
            .collect();
        if predicate_expected {
            callables.retain(|g| matches!(g, Global::Predicate(_)));
        }
        let global = match callables.as_slice() {
            [global] => *global,
            [] => {
                let diagnostic = self.undeclared_callee(callee, Callee::FunctionOrPredicate);
                self.report(diagnostic);
                return self.wrong(pos);
            }
            _ => {
                self.error(callee.at.0, format!("`{}` is ambiguous", callee.name));
                return self.wrong(pos);
            }
        };
        if self.in_axiom
            && let Global::Function(f) = global
            && self.globals.functions.get(f.index()).is_some_and(|f| f.has_precondition)
        {
            self.error(
                callee.at.0,
                format!(
                    "the function `{}` has preconditions and cannot be used in an axiom",
                    callee.name
                ),
            );
            return self.wrong(pos);
        }
        if typed.iter().any(|t| t.kind == Kind::Error) {
            return self.wrong(pos);
        }
        let (formals, result, type_args) = self.instantiate(global, pos);
        if formals.len() != args.len() {
            let what = format!("`{}`", callee.name);
            self.error(pos, arity(&what, "argument", formals.len(), args.len()));
            return self.wrong(pos);
        }
        let signature = Signature { args: formals, result };
        let operands: Vec<_> = typed.iter().zip(args).map(|(t, e)| (t, e.at.0)).collect();
        let Some(types) = self.operand_types(&operands, std::slice::from_ref(&signature)) else {
            return self.wrong(pos);
        };
        let result = match self.infer.apply(vec![signature], types, pos) {
            Ok(result) => result,
            Err(Mismatch { arg, found, expected }) => {
                let at = args.get(arg).map_or(pos, |e| e.at.0);
                self.mismatch(at, &Kind::Value(found), &Kind::Value(expected));
                return self.wrong(pos);
            }
        };
        if let Some(explicit) = explicit {
            if let Global::Predicate(_) = global {
                self.error(pos, "a predicate has no result type");
                return self.wrong(pos);
            }
            if !self.infer.unify(&result, &explicit) {
                self.mismatch(pos, &Kind::Value(result), &Kind::Value(explicit));
                return self.wrong(pos);
            }
        }
        let args: Vec<Arc<Expr>> = typed.into_iter().map(|t| t.expr).collect();
        let result = self.infer.resolve(&result);
        let value = |kind: ExprKind| Typed {
            expr: Expr::new(kind, result.clone(), pos),
            kind: Kind::Value(result.clone()),
        };
        match global {
            Global::Function(f) => value(ExprKind::Call(f, args)),
            Global::DomainFunction(f) => {
                let type_args = self.known(&type_args);
                value(ExprKind::DomainCall(f, args, type_args))
            }
            Global::Predicate(p) => {
                let resource = Resource::Predicate(p, args, pos);
                Typed {
                    expr: Expr::new(ExprKind::Acc(resource, None), Type::Bool, pos),
                    kind: Kind::Predicate,
                }
            }
            Global::Field(_) | Global::Method(_) | Global::Domain(_) => self.wrong(pos),
        }
    }

    /// Argument types, result type and type arguments of a use of a function or predicate.
    fn instantiate(&mut self, global: Global, pos: Pos) -> (Vec<Type>, Type, Vec<Type>) {
        let signature = match global {
            Global::Function(f) => self.globals.functions.get(f.index()),
            Global::Predicate(p) => self.globals.predicates.get(p.index()),
            Global::DomainFunction(f) => {
                let function = self.globals.core.domain_function(f);
                let domain = function.domain;
                let formals: Vec<Type> = function.params.iter().map(|(_, t)| t.clone()).collect();
                let result = function.ty.clone();
                let types = self.type_args(domain, pos);
                if types.is_empty() {
                    return (formals, result, types);
                }
                let formals = formals.iter().map(|t| t.substitute(&types)).collect();
                return (formals, result.substitute(&types), types);
            }
            Global::Field(_) | Global::Method(_) | Global::Domain(_) => None,
        };
        match signature {
            Some(s) => (s.params.clone(), s.result.clone(), Vec::new()),
            None => (Vec::new(), Type::Bool, Vec::new()),
        }
    }

    /// A variable for each type parameter of a domain.
    pub(super) fn type_args(&mut self, domain: DomainId, pos: Pos) -> Vec<Type> {
        let count = self.globals.core.domain(domain).type_params.len() as u32;
        (0..count).map(|i| self.infer.fresh_param(pos, domain, i)).collect()
    }

    /// The types with everything that is known by now.
    pub(super) fn known(&self, types: &[Type]) -> Arc<[Type]> {
        types.iter().map(|t| self.infer.resolve(t)).collect()
    }

    pub(super) fn undeclared_callee(&self, callee: &Ident, expected: Callee) -> Diagnostic {
        let name = &callee.name;
        let is_method = self.globals.find(name).any(|g| matches!(g, Global::Method(_)));
        if is_method && expected != Callee::Method {
            return Diagnostic::error(
                "typechecker.error",
                callee.at.0,
                format!("the method `{name}` cannot be called in an expression"),
            )
            .with_help("call it in a statement of its own: `x := m(…)`");
        }
        let diagnostic = Diagnostic::error(
            "typechecker.error",
            callee.at.0,
            format!("there is no {} named `{name}`", expected.as_str()),
        );
        let callables =
            self.globals.names().filter(|(_, g)| expected.includes(g)).map(|(name, _)| name);
        match crate::wording::closest(name, callables) {
            Some(close) => diagnostic.with_help(format!("did you mean `{close}`?")),
            None => diagnostic,
        }
    }

    /// `#P(…)`
    pub(super) fn predicate_instance(
        &mut self,
        predicate: &'a Ident,
        args: &'a [ast::Expr],
        pos: Pos,
    ) -> Typed {
        let is_predicate =
            self.globals.find(&predicate.name).any(|g| matches!(g, Global::Predicate(_)));
        if !is_predicate {
            let diagnostic = self.undeclared_callee(predicate, Callee::Predicate);
            self.report(diagnostic);
            return self.wrong(pos);
        }
        let call = self.call(predicate, args, None, pos);
        if call.kind == Kind::Predicate { self.instance_of(call) } else { call }
    }

    /// In a measure, a predicate is the instance that it stands for.
    pub(super) fn in_measure(&mut self, typed: Typed) -> Typed {
        if self.in_measure && typed.kind == Kind::Predicate {
            self.instance_of(typed)
        } else {
            typed
        }
    }

    /// The instance that a predicate stands for where values are expected.
    fn instance_of(&mut self, access: Typed) -> Typed {
        let ExprKind::Acc(Resource::Predicate(predicate, args, pos), _) = &access.expr.kind else {
            return access;
        };
        let pos = *pos;
        if self.in_measure {
            self.globals.declare_predicate_instance();
        }
        let Some(domain) = self.globals.core.find_domain("PredicateInstance") else {
            self.report(
                Diagnostic::error(
                    "typechecker.error",
                    pos,
                    "instances of predicates need the domain `PredicateInstance`",
                )
                .with_help("add `import <decreases/predicate_instance.vpr>`"),
            );
            return self.wrong(pos);
        };
        let ty = Type::Domain(domain, [].into());
        let kind = ExprKind::PredicateInstance(*predicate, args.clone());
        Typed { expr: Expr::new(kind, ty.clone(), pos), kind: Kind::Value(ty) }
    }
}
