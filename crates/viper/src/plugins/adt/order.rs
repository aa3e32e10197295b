//! The well-founded order of an ADT: values are finite, so what is inside a value is smaller.
//!
//! A value of type `T` can be inside another one through values of other ADTs, when types are
//! mutually recursive:
//!
//! ```text
//! adt T { C(u: U) }   adt U { D(t: T) }
//! forall t: T :: {C(D(t))} decreasing(t, C(D(t)))
//! ```
//!
//! If there are no finite values, nothing is said about what is smaller ([`types`](super::types)).

use std::collections::HashSet;
use std::sync::Arc;

use report::Pos;

use super::types::{Parts, is_small};
use super::{axiom, own_params};
use crate::core::{
    Adt, Axiom, BinOp, Domain, DomainFunctionId, DomainId, Expr, Local, LocalId, Program, Type,
};
use crate::plugins::build::{domain_call, domain_call_inferred, forall, fresh, local};
use crate::plugins::termination::{self, ORDER_DOMAIN};

/// The domain with the order of an ADT; `None` if nothing asks for one, or if the user has declared
/// one.
pub(super) fn domain(program: &Program, id: DomainId, adt: &Adt) -> Option<Domain> {
    let declaration = program.domain(id);
    let name = format!("{}{ORDER_DOMAIN}", declaration.name);
    if program.find_domain(&name).is_some() {
        return None;
    }
    let decreasing = termination::decreasing(program)?;
    let bounded = termination::bounded(program)?;
    let types = own_params(declaration);
    let ty = Type::Domain(id, types.clone().into());
    let parts = Parts::new(program, &ty);
    let order = Order {
        program,
        ty,
        on_the_way: parts.leading_back().into_iter().cloned().collect(),
        decreasing,
        bounded,
        pos: declaration.pos,
    };
    let mut axioms = Vec::new();
    let mut search = Search { visited: Vec::new(), steps: 0 };
    for constructor in adt.constructors.iter().filter(|_| parts.is_founded()) {
        let own = Step { constructor: constructor.function, types: types.clone(), arg: 0 };
        for path in order.paths_from(&own, &mut search) {
            axioms.push(order.inside(&path));
        }
    }
    axioms.push(order.transitivity());
    axioms.push(order.bound());
    Some(Domain {
        name: name.into(),
        type_params: declaration.type_params.clone(),
        interpretations: None,
        functions: Vec::new(),
        axioms,
        adt: None,
        pos: declaration.pos,
        info: None,
    })
}

/// From a value to one of the arguments of its constructor.
#[derive(Clone)]
struct Step {
    constructor: DomainFunctionId,
    types: Vec<Type>,
    arg: usize,
}

/// There may be as many ways as there are orders of the types between; not all are needed.
const MAX_STEPS: usize = 10_000;

/// The types that were passed, and how many steps were taken in all.
struct Search {
    visited: Vec<Type>,
    steps: usize,
}

struct Order<'p> {
    program: &'p Program,
    ty: Type,
    /// The types from which a way leads to `ty`.
    on_the_way: HashSet<Type>,
    decreasing: DomainFunctionId,
    bounded: DomainFunctionId,
    pos: Pos,
}

impl Order<'_> {
    fn arg_types(&self, step: &Step) -> Vec<Type> {
        let params = &self.program.domain_function(step.constructor).params;
        params.iter().map(|(_, ty)| ty.substitute(&step.types)).collect()
    }

    /// All ways from a value made by a constructor to a value of the type of the order, each of
    /// which passes through every other type at most once.
    fn paths_from(&self, step: &Step, search: &mut Search) -> Vec<Vec<Step>> {
        let mut paths = Vec::new();
        for (arg, ty) in self.arg_types(step).iter().enumerate() {
            for mut path in self.paths_to_own_type(ty, search) {
                path.insert(0, Step { arg, ..step.clone() });
                paths.push(path);
            }
        }
        paths
    }

    fn paths_to_own_type(&self, ty: &Type, search: &mut Search) -> Vec<Vec<Step>> {
        if *ty == self.ty {
            return vec![Vec::new()];
        }
        if !is_small(ty) {
            return Vec::new();
        }
        search.steps += 1;
        if !self.on_the_way.contains(ty) || search.steps > MAX_STEPS {
            return Vec::new();
        }
        let Type::Domain(id, types) = ty else { return Vec::new() };
        let Some(adt) = &self.program.domain(*id).adt else { return Vec::new() };
        if search.visited.contains(ty) {
            return Vec::new();
        }
        search.visited.push(ty.clone());
        let mut paths = Vec::new();
        for constructor in &adt.constructors {
            let step = Step { constructor: constructor.function, types: types.to_vec(), arg: 0 };
            paths.extend(self.paths_from(&step, search));
        }
        search.visited.pop();
        paths
    }

    /// The value at the end of a path is smaller than the one at its start.
    fn inside(&self, path: &[Step]) -> Axiom {
        let mut locals = Vec::new();
        let smaller = local(
            fresh(&mut locals, "smaller", self.ty.clone(), self.pos),
            self.ty.clone(),
            self.pos,
        );
        let mut value = Arc::clone(&smaller);
        for step in path.iter().rev() {
            value = self.around(step, value, &mut locals);
        }
        let vars = (0..locals.len() as u32).map(LocalId).collect();
        let body = self.decreasing(smaller, Arc::clone(&value));
        axiom(locals, forall(vars, vec![vec![value]], body, self.pos), self.pos)
    }

    fn around(&self, step: &Step, inner: Arc<Expr>, locals: &mut Vec<Local>) -> Arc<Expr> {
        let args = self
            .arg_types(step)
            .into_iter()
            .enumerate()
            .map(|(i, ty)| {
                if i == step.arg {
                    return Arc::clone(&inner);
                }
                let name = format!("x{}", locals.len());
                local(fresh(locals, &name, ty.clone(), self.pos), ty, self.pos)
            })
            .collect();
        domain_call(self.program, step.constructor, args, &step.types, self.pos)
    }

    fn decreasing(&self, smaller: Arc<Expr>, larger: Arc<Expr>) -> Arc<Expr> {
        domain_call_inferred(self.program, self.decreasing, vec![smaller, larger], self.pos)
    }

    fn transitivity(&self) -> Axiom {
        let mut locals = Vec::new();
        let vars = ["x", "y", "z"].map(|x| fresh(&mut locals, x, self.ty.clone(), self.pos));
        let [x, y, z] = vars.map(|var| local(var, self.ty.clone(), self.pos));
        let first = self.decreasing(Arc::clone(&x), Arc::clone(&y));
        let second = self.decreasing(y, Arc::clone(&z));
        let both = Expr::binary_bool(BinOp::And, Arc::clone(&first), Arc::clone(&second), self.pos);
        let body = Expr::binary_bool(BinOp::Implies, both, self.decreasing(x, z), self.pos);
        axiom(locals, forall(vars.into(), vec![vec![first, second]], body, self.pos), self.pos)
    }

    fn bound(&self) -> Axiom {
        let mut locals = Vec::new();
        let var = fresh(&mut locals, "x", self.ty.clone(), self.pos);
        let x = local(var, self.ty.clone(), self.pos);
        let bounded = domain_call_inferred(self.program, self.bounded, vec![x], self.pos);
        let triggers = vec![vec![Arc::clone(&bounded)]];
        axiom(locals, forall(vec![var], triggers, bounded, self.pos), self.pos)
    }
}
