//! Domains of one program as domains of another.
//!
//! What a plugin needs from the standard library is checked as a program of its own; its domains
//! are then added to the program of the user, unless it has domains of these names already. Their
//! positions mean nothing there and are dropped.

use std::sync::Arc;

use report::Pos;

use crate::core::{
    Axiom, Domain, DomainFunction, DomainFunctionId, DomainId, Expr, ExprKind, Local, Node,
    Program, Type,
};

/// Adds the domains of `library` that `program` does not have. Does nothing if a domain of the
/// program has the name of one in the library, but not its functions and type parameters.
pub(super) fn add_domains(program: &mut Program, library: &Program) {
    let Some(renaming) = Renaming::new(program, library) else { return };
    let mut domains = Vec::new();
    let mut functions = Vec::new();
    for (i, domain) in library.domains.iter().enumerate() {
        if renaming.domains.get(i).is_some_and(|id| id.index() >= program.domains.len()) {
            let own = domain.functions.iter();
            functions.extend(own.map(|f| renaming.declaration(library.domain_function(*f))));
            domains.push(renaming.domain(domain));
        }
    }
    program.domains.append(&mut domains);
    program.domain_functions.append(&mut functions);
}

/// What the identifiers of the library are in the program.
struct Renaming {
    domains: Vec<DomainId>,
    functions: Vec<DomainFunctionId>,
}

impl Renaming {
    fn new(program: &Program, library: &Program) -> Option<Renaming> {
        let mut next_domain = program.domains.len() as u32;
        let mut next_function = program.domain_functions.len() as u32;
        let mut domains = Vec::new();
        let mut functions = vec![DomainFunctionId(0); library.domain_functions.len()];
        for domain in &library.domains {
            let existing = program.find_domain(&domain.name);
            domains.push(existing.unwrap_or_else(|| DomainId(take(&mut next_domain))));
            for id in &domain.functions {
                let new = match existing {
                    None => DomainFunctionId(take(&mut next_function)),
                    Some(existing) => {
                        let name = &library.domain_function(*id).name;
                        let mut own = program.domain(existing).functions.iter();
                        *own.find(|id| program.domain_function(**id).name == *name)?
                    }
                };
                if let Some(slot) = functions.get_mut(id.index()) {
                    *slot = new;
                }
            }
        }
        let renaming = Renaming { domains, functions };
        let fits = library.domains.iter().all(|domain| renaming.fits(program, library, domain));
        fits.then_some(renaming)
    }

    /// Is the domain new, or declared in the same way?
    fn fits(&self, program: &Program, library: &Program, domain: &Domain) -> bool {
        let Some(existing) = program.find_domain(&domain.name) else { return true };
        program.domain(existing).type_params.len() == domain.type_params.len()
            && domain.functions.iter().all(|id| {
                let expected = self.declaration(library.domain_function(*id));
                let own = program.domain_function(self.function_id(*id));
                let types = |f: &DomainFunction| -> Vec<Type> {
                    f.params.iter().map(|(_, ty)| ty.clone()).collect()
                };
                own.ty == expected.ty && types(own) == types(&expected)
            })
    }

    fn domain_id(&self, id: DomainId) -> DomainId {
        self.domains.get(id.index()).copied().unwrap_or(id)
    }

    fn function_id(&self, id: DomainFunctionId) -> DomainFunctionId {
        self.functions.get(id.index()).copied().unwrap_or(id)
    }

    fn domain(&self, domain: &Domain) -> Domain {
        let axiom = |axiom: &Axiom| Axiom {
            locals: axiom.locals.iter().map(|local| self.local(local)).collect(),
            body: self.expr(&axiom.body),
            pos: Pos::None,
            ..axiom.clone()
        };
        Domain {
            functions: domain.functions.iter().map(|id| self.function_id(*id)).collect(),
            axioms: domain.axioms.iter().map(axiom).collect(),
            pos: Pos::None,
            ..domain.clone()
        }
    }

    fn declaration(&self, function: &DomainFunction) -> DomainFunction {
        let params = function.params.iter();
        DomainFunction {
            domain: self.domain_id(function.domain),
            params: params.map(|(name, ty)| (name.clone(), self.ty(ty))).collect(),
            ty: self.ty(&function.ty),
            pos: Pos::None,
            ..function.clone()
        }
    }

    fn local(&self, local: &Local) -> Local {
        Local::new(local.name.clone(), self.ty(&local.ty), Pos::None)
    }

    fn types(&self, types: &[Type]) -> Arc<[Type]> {
        types.iter().map(|ty| self.ty(ty)).collect()
    }

    fn ty(&self, ty: &Type) -> Type {
        match ty {
            Type::Int | Type::Bool | Type::Perm | Type::Ref | Type::Param(_) => ty.clone(),
            Type::Seq(t) => Type::seq(self.ty(t)),
            Type::Set(t) => Type::set(self.ty(t)),
            Type::Multiset(t) => Type::multiset(self.ty(t)),
            Type::Map(kv) => Type::map(self.ty(&kv.0), self.ty(&kv.1)),
            Type::Domain(id, args) => Type::Domain(self.domain_id(*id), self.types(args)),
        }
    }

    fn expr(&self, e: &Arc<Expr>) -> Arc<Expr> {
        let e = e.map_children(|child| self.expr(child));
        let kind = match &e.kind {
            ExprKind::DomainCall(function, args, types) => {
                let function = self.function_id(*function);
                ExprKind::DomainCall(function, args.clone(), self.types(types))
            }
            other => other.clone(),
        };
        Node { kind, ty: self.ty(&e.ty), pos: Pos::None, info: e.info.clone() }.into_expr()
    }
}

fn take(counter: &mut u32) -> u32 {
    let value = *counter;
    *counter += 1;
    value
}
