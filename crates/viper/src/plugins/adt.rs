//! Algebraic data types: the axioms of the domains that stand for them.
//!
//! For a type `T` with constructors `C`, destructors `d`, discriminators `isC` and the function
//! `tag`:
//!
//! ```text
//! destructor      forall x… :: {C(x…)}  d(C(x…)) == x
//! tag             forall x… :: {C(x…)}  tag(C(x…)) == i
//! exclusivity     forall t  :: {tag(t)} {d(t)}…
//!                     (tag(t) == 0 || …) && (tag(t) == i ==> t == C(d(t)…)) && …
//! discriminator   forall t  :: {isC(t)} isC(t) == (tag(t) == i)
//! contains        forall x… :: {C(x…)}  contains(x, C(x…)) && …
//! ```
//!
//! If termination is checked with values of `T` as measures, `TWellFoundedOrder` says that what is
//! inside a value is smaller than the value ([`order`]).

use std::sync::Arc;

use report::{Diagnostic, Pos};

use super::build::{domain_call, eq, forall, fresh, int, library_function, local};
use crate::core::{
    Adt, Axiom, BinOp, Constructor, Domain, DomainFunctionId, DomainId, Expr, ExprKind, Local,
    Program, Type,
};

mod order;
mod types;

const CONTAINS_DOMAIN: &str = "ContainsDomain";
const CONTAINS_FUNCTION: &str = "contains";
const TRANSITIVITY_DOMAIN: &str = "ContainsTransitivityDomain";

/// Adds the axioms of all ADTs.
pub(super) fn apply(program: &mut Program) {
    let contains = contains_function(program);
    let mut orders = Vec::new();
    for index in 0..program.domains.len() {
        let id = DomainId(index as u32);
        let Some(adt) = program.domain(id).adt.clone() else { continue };
        let axioms = Encoder::new(program, id).axioms(&adt, contains);
        orders.extend(order::domain(program, id, &adt));
        if let Some(domain) = program.domains.get_mut(index) {
            domain.axioms.extend(axioms);
        }
    }
    program.domains.extend(orders);
    let derived = program.domains.iter().any(|d| derives_contains(d.adt.as_ref()));
    if let (Some(contains), true) = (contains, derived) {
        let domain = transitivity(program, contains);
        program.domains.push(domain);
    }
}

/// Reports all ADTs as errors.
pub(super) fn refuse(program: &Program, diagnostics: &mut Vec<Diagnostic>) {
    for domain in program.domains.iter().filter(|d| d.adt.is_some()) {
        let message = format!("`{}` is an ADT, but ADTs are switched off.", domain.name);
        diagnostics.push(Diagnostic::error("consistency.error", domain.pos, message));
    }
}

fn derives_contains(adt: Option<&Adt>) -> bool {
    adt.is_some_and(|adt| adt.contains.is_some())
}

fn contains_function(program: &Program) -> Option<DomainFunctionId> {
    let params = [Type::Param(0), Type::Param(1)];
    library_function(program, (CONTAINS_DOMAIN, 2), CONTAINS_FUNCTION, &params)
}

/// The type parameters of a domain as types.
fn own_params(domain: &Domain) -> Vec<Type> {
    (0..domain.type_params.len() as u32).map(Type::Param).collect()
}

fn axiom(locals: Vec<Local>, body: Arc<Expr>, pos: Pos) -> Axiom {
    Axiom { name: None, locals, body, pos, info: None }
}

/// A constructor applied to variables.
struct Applied {
    locals: Vec<Local>,
    args: Vec<Arc<Expr>>,
    app: Arc<Expr>,
    pos: Pos,
}

impl Applied {
    /// The axiom that `body` holds for all arguments.
    fn axiom(self, body: Arc<Expr>) -> Axiom {
        let vars = (0..self.locals.len() as u32).map(crate::core::LocalId).collect();
        let body = forall(vars, vec![vec![self.app]], body, self.pos);
        axiom(self.locals, body, self.pos)
    }
}

struct Encoder<'p> {
    program: &'p Program,
    types: Vec<Type>,
    ty: Type,
    pos: Pos,
}

impl<'p> Encoder<'p> {
    fn new(program: &'p Program, id: DomainId) -> Encoder<'p> {
        let domain = program.domain(id);
        let types = own_params(domain);
        let ty = Type::Domain(id, types.clone().into());
        Encoder { program, types, ty, pos: domain.pos }
    }

    fn axioms(&self, adt: &Adt, contains: Option<DomainFunctionId>) -> Vec<Axiom> {
        let mut axioms = Vec::new();
        for constructor in &adt.constructors {
            axioms.extend(self.destructors(constructor));
        }
        for (i, constructor) in adt.constructors.iter().enumerate() {
            let applied = self.applied(constructor);
            let tag = self.call(adt.tag, vec![Arc::clone(&applied.app)], applied.pos);
            let body = eq(tag, int(i, applied.pos), applied.pos);
            axioms.push(applied.axiom(body));
        }
        axioms.push(self.exclusivity(adt));
        for (i, constructor) in adt.constructors.iter().enumerate() {
            axioms.push(self.discriminator(adt, constructor, i));
        }
        if let (Some(derived), Some(contains)) = (&adt.contains, contains) {
            for constructor in adt.constructors.iter().filter(|c| !c.destructors.is_empty()) {
                axioms.push(self.contains(constructor, contains, &derived.without));
            }
        }
        axioms
    }

    fn call(&self, function: DomainFunctionId, args: Vec<Arc<Expr>>, pos: Pos) -> Arc<Expr> {
        domain_call(self.program, function, args, &self.types, pos)
    }

    fn applied(&self, constructor: &Constructor) -> Applied {
        let function = self.program.domain_function(constructor.function);
        let pos = function.pos;
        let mut locals = Vec::new();
        let args: Vec<_> = function
            .params
            .iter()
            .zip(&constructor.destructors)
            .map(|((name, ty), destructor)| {
                let name = name.as_ref().unwrap_or(&self.program.domain_function(*destructor).name);
                local(fresh(&mut locals, name, ty.clone(), pos), ty.clone(), pos)
            })
            .collect();
        let app = self.call(constructor.function, args.clone(), pos);
        Applied { locals, args, app, pos }
    }

    fn destructors(&self, constructor: &Constructor) -> Vec<Axiom> {
        let destructors = constructor.destructors.iter().enumerate();
        destructors
            .filter_map(|(i, destructor)| {
                let applied = self.applied(constructor);
                let arg = Arc::clone(applied.args.get(i)?);
                let value = self.call(*destructor, vec![Arc::clone(&applied.app)], applied.pos);
                let body = eq(value, arg, applied.pos);
                Some(applied.axiom(body))
            })
            .collect()
    }

    fn exclusivity(&self, adt: &Adt) -> Axiom {
        let pos = self.pos;
        let mut locals = Vec::new();
        let var = fresh(&mut locals, "t", self.ty.clone(), pos);
        let t = local(var, self.ty.clone(), pos);
        let tag = self.call(adt.tag, vec![Arc::clone(&t)], pos);
        let mut triggers = vec![vec![Arc::clone(&tag)]];
        let mut cases = Vec::new();
        let mut shapes = Vec::new();
        for (i, constructor) in adt.constructors.iter().enumerate() {
            let parts: Vec<_> = constructor
                .destructors
                .iter()
                .map(|destructor| self.call(*destructor, vec![Arc::clone(&t)], pos))
                .collect();
            triggers.extend(parts.iter().map(|part| vec![Arc::clone(part)]));
            let case = eq(Arc::clone(&tag), int(i, pos), pos);
            let shape = eq(Arc::clone(&t), self.call(constructor.function, parts, pos), pos);
            shapes.push(Expr::binary_bool(BinOp::Implies, Arc::clone(&case), shape, pos));
            cases.push(case);
        }
        let some_case = cases
            .into_iter()
            .reduce(|a, b| Expr::binary_bool(BinOp::Or, a, b, pos))
            .unwrap_or_else(|| Expr::bool(false, pos));
        let body = Expr::conjunction(std::iter::once(some_case).chain(shapes), pos);
        axiom(locals, forall(vec![var], triggers, body, pos), pos)
    }

    fn discriminator(&self, adt: &Adt, constructor: &Constructor, index: usize) -> Axiom {
        let pos = self.program.domain_function(constructor.function).pos;
        let mut locals = Vec::new();
        let var = fresh(&mut locals, "t", self.ty.clone(), pos);
        let t = local(var, self.ty.clone(), pos);
        let is = self.call(constructor.discriminator, vec![Arc::clone(&t)], pos);
        let case = eq(self.call(adt.tag, vec![t], pos), int(index, pos), pos);
        let body = eq(Arc::clone(&is), case, pos);
        axiom(locals, forall(vec![var], vec![vec![is]], body, pos), pos)
    }

    fn contains(
        &self,
        constructor: &Constructor,
        contains: DomainFunctionId,
        without: &[DomainFunctionId],
    ) -> Axiom {
        let applied = self.applied(constructor);
        let parts = applied
            .args
            .iter()
            .zip(&constructor.destructors)
            .filter(|(_, destructor)| !without.contains(destructor))
            .map(|(arg, _)| {
                let args = vec![Arc::clone(arg), Arc::clone(&applied.app)];
                let types = [arg.ty.clone(), self.ty.clone()];
                domain_call(self.program, contains, args, &types, applied.pos)
            });
        let body = Expr::conjunction(parts, applied.pos);
        applied.axiom(body)
    }
}

/// `contains` is transitive, for all types it is used with.
fn transitivity(program: &Program, contains: DomainFunctionId) -> Domain {
    let mut pairs: Vec<(Type, Type)> = Vec::new();
    program.walk_exprs(&mut |e| {
        if let ExprKind::DomainCall(function, args, _) = &e.kind
            && *function == contains
            && let [a, b] = args.as_slice()
            && is_concrete(&a.ty)
            && is_concrete(&b.ty)
        {
            insert(&mut pairs, (a.ty.clone(), b.ty.clone()));
        }
        true
    });
    loop {
        let before = pairs.len();
        for (a, _, c) in chains(&pairs) {
            insert(&mut pairs, (a, c));
        }
        if pairs.len() == before {
            break;
        }
    }
    let axioms = chains(&pairs).into_iter().map(|chain| chain_axiom(program, contains, chain));
    Domain {
        name: TRANSITIVITY_DOMAIN.into(),
        type_params: Vec::new(),
        interpretations: None,
        functions: Vec::new(),
        axioms: axioms.collect(),
        adt: None,
        pos: Pos::None,
        info: None,
    }
}

fn insert<T: PartialEq>(set: &mut Vec<T>, element: T) {
    if !set.contains(&element) {
        set.push(element);
    }
}

fn chains(pairs: &[(Type, Type)]) -> Vec<(Type, Type, Type)> {
    let mut chains = Vec::new();
    for (a, b) in pairs {
        for (_, c) in pairs.iter().filter(|(start, _)| start == b) {
            chains.push((a.clone(), b.clone(), c.clone()));
        }
    }
    chains
}

fn chain_axiom(
    program: &Program,
    contains: DomainFunctionId,
    (a, b, c): (Type, Type, Type),
) -> Axiom {
    let pos = Pos::None;
    let mut locals = Vec::new();
    let mut vars = Vec::new();
    let values: Vec<_> = [("a", a), ("b", b), ("c", c)]
        .into_iter()
        .map(|(name, ty)| {
            let var = fresh(&mut locals, name, ty.clone(), pos);
            vars.push(var);
            local(var, ty, pos)
        })
        .collect();
    let inside = |x: usize, y: usize| {
        let (x, y) = (Arc::clone(&values[x]), Arc::clone(&values[y]));
        let types = [x.ty.clone(), y.ty.clone()];
        domain_call(program, contains, vec![x, y], &types, pos)
    };
    let both = Expr::binary_bool(BinOp::And, inside(0, 1), inside(1, 2), pos);
    let body = Expr::binary_bool(BinOp::Implies, both, inside(0, 2), pos);
    axiom(locals, forall(vars, vec![vec![inside(0, 1), inside(1, 2)]], body, pos), pos)
}

fn is_concrete(ty: &Type) -> bool {
    match ty {
        Type::Int | Type::Bool | Type::Perm | Type::Ref => true,
        Type::Seq(t) | Type::Set(t) | Type::Multiset(t) => is_concrete(t),
        Type::Map(kv) => is_concrete(&kv.0) && is_concrete(&kv.1),
        Type::Domain(_, args) => args.iter().all(is_concrete),
        Type::Param(_) => false,
    }
}
