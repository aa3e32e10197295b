//! Domains: their functions, and which axioms come along with them.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

use smt::{FunId, Sort};
use viper::core::{DomainFunctionId, DomainId, ExprKind, Program, Type};

use super::Encoding;
use super::symbols::{AxiomInstance, Use, builtin};

impl Encoding<'_> {
    pub(super) fn domain(&mut self, id: DomainId, types: &Arc<[Type]>) {
        let nesting = types.iter().map(depth).max().unwrap_or(0);
        // Axioms may mention larger and larger types: only those as large as in the program count.
        if !self.axioms.translating {
            self.axioms.nesting = self.axioms.nesting.max(nesting);
        }
        if nesting > self.axioms.nesting || !self.axioms.instances.insert((id, Arc::clone(types))) {
            return;
        }
        let domain = self.program.domain(id);
        for index in 0..domain.axioms.len() {
            self.axioms.pending.push(AxiomInstance { domain: id, index, types: Arc::clone(types) });
        }
        let unique: Vec<DomainFunctionId> = domain
            .functions
            .iter()
            .copied()
            .filter(|f| self.program.domain_function(*f).unique)
            .collect();
        // Unique functions differ from those of the same type, of whatever domain.
        let mut by_sort: Vec<(Sort, Vec<String>)> = Vec::new();
        for f in unique {
            let fun = self.domain_function(f, types);
            let decl = self.terms.signature.fun(fun);
            let name = decl.name.to_string();
            match by_sort.iter_mut().find(|(sort, _)| *sort == decl.result) {
                Some((_, names)) => names.push(name),
                None => by_sort.push((decl.result, vec![name])),
            }
        }
        for (_, names) in by_sort.iter().filter(|(_, names)| names.len() > 1) {
            let _ = writeln!(self.symbols.text, "(assert (distinct {}))", names.join(" "));
        }
    }

    /// The symbol of a domain function.
    pub fn domain_function(&mut self, id: DomainFunctionId, types: &Arc<[Type]>) -> FunId {
        let program = self.program;
        let function = program.domain_function(id);
        let name = self.domain_function_name(id, types);
        if let Some(fun) = self.symbols.funs.get(&name) {
            return *fun;
        }
        let args: Vec<Sort> =
            function.params.iter().map(|(_, ty)| self.sort(&ty.substitute(types))).collect();
        let result = self.sort(&function.ty.substitute(types));
        // Sorting out the sorts may have brought it.
        if let Some(fun) = self.symbols.funs.get(&name) {
            return *fun;
        }
        let fun = match &function.interpretation {
            Some(text) => {
                let fun = builtin(&mut self.terms, text.as_str(), args, result);
                self.symbols.funs.insert(name, fun);
                fun
            }
            None => self.declare(&name, args, result),
        };
        self.symbols.note(Use::DomainFunction(id, Arc::clone(types)));
        self.domain(function.domain, types);
        let foreign = Arc::clone(&self.axioms.foreign);
        for (domain, pattern) in foreign.get(&id).into_iter().flatten() {
            let mut args = vec![None; program.domain(*domain).type_params.len()];
            if pattern.iter().zip(types.iter()).all(|(p, t)| unify(p, t, &mut args)) {
                // A parameter that the axiom does not mention may be anything.
                let args = args.into_iter().map(|arg| arg.unwrap_or(Type::Int)).collect();
                self.domain(*domain, &args);
            }
        }
        fun
    }
}

fn depth(ty: &Type) -> u32 {
    match ty {
        Type::Seq(t) | Type::Set(t) | Type::Multiset(t) => 1 + depth(t),
        Type::Map(kv) => 1 + depth(&kv.0).max(depth(&kv.1)),
        Type::Domain(_, types) => 1 + types.iter().map(depth).max().unwrap_or(0),
        Type::Int | Type::Bool | Type::Perm | Type::Ref | Type::Param(_) => 0,
    }
}

/// What the parameters in `pattern` must be for it to be `ty`; `false` if it cannot be.
fn unify(pattern: &Type, ty: &Type, args: &mut [Option<Type>]) -> bool {
    match (pattern, ty) {
        (Type::Param(i), ty) => match args.get_mut(*i as usize) {
            Some(Some(arg)) => arg == ty,
            Some(arg) => {
                *arg = Some(ty.clone());
                true
            }
            None => false,
        },
        (Type::Seq(p), Type::Seq(t))
        | (Type::Set(p), Type::Set(t))
        | (Type::Multiset(p), Type::Multiset(t)) => unify(p, t, args),
        (Type::Map(p), Type::Map(t)) => unify(&p.0, &t.0, args) && unify(&p.1, &t.1, args),
        (Type::Domain(d, p), Type::Domain(e, t)) => {
            d == e && p.iter().zip(t.iter()).all(|(p, t)| unify(p, t, args))
        }
        (pattern, ty) => pattern == ty,
    }
}

/// For every domain function, the other domains whose axioms mention it, with the type arguments
/// that they give it.
pub(crate) type Foreign = HashMap<DomainFunctionId, Vec<(DomainId, Arc<[Type]>)>>;

/// Finds out which axioms are about functions of other domains.
pub(crate) fn foreign_axioms(program: &Program) -> Foreign {
    let mut found = Foreign::new();
    for (i, domain) in program.domains.iter().enumerate() {
        let id = DomainId(i as u32);
        for axiom in &domain.axioms {
            axiom.body.walk(&mut |e| {
                if let ExprKind::DomainCall(f, _, types) = &e.kind
                    && program.domain_function(*f).domain != id
                {
                    let list = found.entry(*f).or_default();
                    let entry = (id, Arc::clone(types));
                    if !list.contains(&entry) {
                        list.push(entry);
                    }
                }
                true
            });
        }
    }
    found
}
