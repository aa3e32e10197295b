//! The types of what the values of an ADT consist of.
//!
//! A type is *founded* if it has values of finitely many constructors, with values of other types at
//! the leaves: only then "values are finite" is no contradiction, since every type of Viper has
//! values. Type parameters and types that are no ADTs count as leaves.
//!
//! ```text
//! adt Stream { More(rest: Stream) }            not founded
//! adt T[A] { Leaf(x: A)  Node(l: T[A]) }       founded, whatever A is
//! adt U { D(t: T[U]) }                         not founded: all leaves of T[U] are of type U
//! ```
//!
//! Orders of founded types have a model, all at once. Let the values be trees, possibly infinite,
//! in which no infinite branch runs from a value of a founded type `T[A]` to another one of the same
//! type forever without entering the values of `A`. Constructors and destructors stay within these
//! trees, and each type has some: for a founded one take finitely many constructors, and at leaves
//! of type `A` what is found for `A`; else any constructor. In all of them what is inside is smaller
//! by a well-founded order.

use std::collections::HashMap;

use crate::core::{Program, Type};

/// Types that can be inside a value grow without end if an ADT uses itself with larger arguments
/// (`adt T[A] { N(x: A)  C(y: T[Both[A, A]]) }`); those beyond this number count as not founded.
const MAX_TYPES: usize = 1000;

/// So do types that are larger than this: their size may double with each step.
const MAX_SIZE: usize = 100;

/// A type and those of what can be inside its values. The first one is the type itself.
pub(super) struct Parts {
    index: HashMap<Type, usize>,
    /// By type: the arguments of each constructor that are ADTs; `None` if it is not in `index`.
    constructors: Vec<Vec<Vec<Option<usize>>>>,
}

impl Parts {
    pub(super) fn new(program: &Program, ty: &Type) -> Parts {
        let mut types = vec![ty.clone()];
        let mut index = HashMap::from([(ty.clone(), 0)]);
        let mut constructors = Vec::new();
        while let Some(ty) = types.get(constructors.len()).cloned() {
            let args = constructor_args(program, &ty);
            let args = args.into_iter().map(|args| {
                let adts = args.into_iter().filter(|arg| is_adt(program, arg));
                let known = adts.map(|arg| {
                    if !is_small(&arg) {
                        return None;
                    }
                    if index.len() < MAX_TYPES && !index.contains_key(&arg) {
                        index.insert(arg.clone(), types.len());
                        types.push(arg.clone());
                    }
                    index.get(&arg).copied()
                });
                known.collect()
            });
            constructors.push(args.collect());
        }
        Parts { index, constructors }
    }

    /// Is the type founded?
    pub(super) fn is_founded(&self) -> bool {
        let mut founded = vec![false; self.constructors.len()];
        loop {
            let holds =
                |arg: &Option<usize>| arg.is_some_and(|arg| founded.get(arg) == Some(&true));
            let next: Vec<bool> = self
                .constructors
                .iter()
                .map(|constructors| constructors.iter().any(|args| args.iter().all(holds)))
                .collect();
            if next == founded {
                return founded.first() == Some(&true);
            }
            founded = next;
        }
    }

    /// The types whose values can contain values of the first type.
    pub(super) fn leading_back(&self) -> Vec<&Type> {
        let mut leads = vec![false; self.constructors.len()];
        if let Some(first) = leads.first_mut() {
            *first = true;
        }
        loop {
            let before = leads.clone();
            for (ty, constructors) in self.constructors.iter().enumerate() {
                let mut args = constructors.iter().flatten().flatten();
                if args.any(|arg| before.get(*arg) == Some(&true))
                    && let Some(slot) = leads.get_mut(ty)
                {
                    *slot = true;
                }
            }
            if before == leads {
                break;
            }
        }
        let leads = |ty: usize| leads.get(ty) == Some(&true);
        self.index.iter().filter(|(_, index)| leads(**index)).map(|(ty, _)| ty).collect()
    }
}

/// Is the type small enough to be looked at? Takes no longer than that for large ones.
pub(super) fn is_small(ty: &Type) -> bool {
    let mut budget = MAX_SIZE;
    is_within(ty, &mut budget)
}

fn is_within(ty: &Type, budget: &mut usize) -> bool {
    let Some(rest) = budget.checked_sub(1) else { return false };
    *budget = rest;
    match ty {
        Type::Int | Type::Bool | Type::Perm | Type::Ref | Type::Param(_) => true,
        Type::Seq(t) | Type::Set(t) | Type::Multiset(t) => is_within(t, budget),
        Type::Map(kv) => is_within(&kv.0, budget) && is_within(&kv.1, budget),
        Type::Domain(_, types) => types.iter().all(|ty| is_within(ty, budget)),
    }
}

fn is_adt(program: &Program, ty: &Type) -> bool {
    matches!(ty, Type::Domain(id, _) if program.domain(*id).adt.is_some())
}

/// The types of the arguments of each constructor.
fn constructor_args(program: &Program, ty: &Type) -> Vec<Vec<Type>> {
    let Type::Domain(id, types) = ty else { return Vec::new() };
    let Some(adt) = &program.domain(*id).adt else { return Vec::new() };
    let args = |constructor: &crate::core::Constructor| {
        let params = &program.domain_function(constructor.function).params;
        params.iter().map(|(_, ty)| ty.substitute(types)).collect()
    };
    adt.constructors.iter().map(args).collect()
}
