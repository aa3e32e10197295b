//! Global declarations and their signatures.

use std::collections::HashMap;

use report::{Diagnostic, Pos};

use super::types::{FIRST_UNDECLARED, FIRST_VAR, undeclared};
use crate::ast::{self, Ident, MemberKind, Name, TypeKind};
use crate::core::{
    self, Adt, Constructor, DomainFunctionId, DomainId, FieldId, FunctionId, MethodId, PredicateId,
    Type,
};
use crate::wording::arity;

/// What a global name may mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Global {
    Field(FieldId),
    Function(FunctionId),
    Predicate(PredicateId),
    Method(MethodId),
    Domain(DomainId),
    DomainFunction(DomainFunctionId),
}

pub(super) struct Signature {
    pub params: Vec<Type>,
    /// Of functions.
    pub result: Type,
    /// Of methods.
    pub returns: Vec<Type>,
    /// Of predicates: has no body.
    pub is_abstract: bool,
    /// Of functions: has a `requires` clause.
    pub has_precondition: bool,
}

pub(super) struct Globals {
    pub core: core::Program,
    pub functions: Vec<Signature>,
    pub predicates: Vec<Signature>,
    pub methods: Vec<Signature>,
    names: HashMap<Name, Vec<(Global, Pos)>>,
    /// Destructors and discriminators of ADTs by name.
    pub members: HashMap<Name, Vec<DomainFunctionId>>,
    undeclared: Vec<Name>,
}

/// What the name of a type means.
#[derive(Clone, Copy)]
enum Named {
    Param(usize),
    Domain(DomainId),
}

/// Why the name of a type means nothing.
enum NotNamed {
    Undeclared,
    Ambiguous,
    /// All types of that name take another number of arguments, the first one this number.
    Arity(usize),
}

/// Numbers the declarations of a program in the order in which [`Globals::collect`] does.
#[derive(Default)]
pub(super) struct Next {
    domain: u32,
    function: u32,
    predicate: u32,
    method: u32,
}

fn take(counter: &mut u32) -> u32 {
    let n = *counter;
    *counter += 1;
    n
}

impl Next {
    pub fn domain(&mut self) -> DomainId {
        DomainId(take(&mut self.domain))
    }
    pub fn function(&mut self) -> FunctionId {
        FunctionId(take(&mut self.function))
    }
    pub fn predicate(&mut self) -> PredicateId {
        PredicateId(take(&mut self.predicate))
    }
    pub fn method(&mut self) -> MethodId {
        MethodId(take(&mut self.method))
    }
}

impl Globals {
    pub fn collect(program: &ast::Program, errors: &mut Vec<Diagnostic>) -> Globals {
        let mut globals = Globals {
            core: core::Program::default(),
            functions: Vec::new(),
            predicates: Vec::new(),
            methods: Vec::new(),
            names: HashMap::new(),
            members: HashMap::new(),
            undeclared: Vec::new(),
        };
        globals.declare_all(program, errors);
        globals.resolve_signatures(program, errors);
        globals
    }

    // --- Names

    fn declare(&mut self, ident: &Ident, global: Global, errors: &mut Vec<Diagnostic>) {
        let entry = self.names.entry(ident.name.clone()).or_default();
        if let Some((_, other)) = entry.last() {
            errors.push(
                Diagnostic::error(
                    "typechecker.error",
                    ident.at.0,
                    format!("the name `{}` is already used", ident.name),
                )
                .with_label(*other, "here"),
            );
        }
        entry.push((global, ident.at.0));
    }

    /// Where the name is first declared globally, if it is.
    pub fn position(&self, name: &Name) -> Option<Pos> {
        self.names.get(name).and_then(|v| v.first()).map(|(_, pos)| *pos)
    }

    /// All meanings of a name.
    pub fn find(&self, name: &str) -> impl Iterator<Item = Global> + '_ {
        self.names.get(name).into_iter().flatten().map(|(global, _)| *global)
    }

    pub fn find_fields(&self, name: &str) -> Vec<FieldId> {
        let field = |g| if let Global::Field(f) = g { Some(f) } else { None };
        self.find(name).filter_map(field).collect()
    }

    /// All global names, for suggestions.
    pub fn names(&self) -> impl Iterator<Item = (&str, Global)> {
        self.names.iter().flat_map(|(name, all)| all.iter().map(|(g, _)| (name.as_str(), *g)))
    }

    // --- Declarations

    fn declare_all(&mut self, program: &ast::Program, errors: &mut Vec<Diagnostic>) {
        for member in &program.members {
            let pos = member.at.0;
            let info = super::info(&member.annotations);
            match &member.kind {
                MemberKind::Import(_) | MemberKind::Define(_) => {}
                MemberKind::Fields(fields) => {
                    for field in fields {
                        let id = FieldId(self.core.fields.len() as u32);
                        self.declare(&field.name, Global::Field(id), errors);
                        self.core.fields.push(core::Field {
                            name: field.name.name.clone(),
                            ty: Type::Int,
                            pos: field.at.0,
                            info: info.clone(),
                        });
                    }
                }
                MemberKind::Domain(domain) => {
                    let id = self.declare_domain(&domain.name, &domain.type_params, pos, errors);
                    if let Some(core) = self.core.domains.last_mut() {
                        core.info = info;
                        core.interpretations = domain.interpretations.as_ref().map(|all| {
                            all.iter().map(|i| (i.backend.name.clone(), i.value.clone())).collect()
                        });
                    }
                    for item in &domain.items {
                        if let ast::DomainItemKind::Function(function) = &item.kind {
                            let f = self.declare_domain_function(&function.name, id, item.at.0);
                            self.declare(&function.name, Global::DomainFunction(f), errors);
                            if let Some(core) = self.core.domain_functions.last_mut() {
                                core.unique = function.unique;
                                core.interpretation = function.interpretation.clone();
                                core.info = super::info(&item.annotations);
                            }
                        }
                    }
                }
                MemberKind::Adt(adt) => self.declare_adt(adt, pos, info, errors),
                MemberKind::Function(function) => {
                    let id = FunctionId(self.core.functions.len() as u32);
                    self.declare(&function.name, Global::Function(id), errors);
                    self.core.functions.push(core::Function {
                        name: function.name.name.clone(),
                        locals: Vec::new(),
                        params: function.params.len() as u32,
                        ty: Type::Int,
                        pres: Vec::new(),
                        posts: Vec::new(),
                        decreases: Vec::new(),
                        body: None,
                        pos,
                        info,
                    });
                }
                MemberKind::Predicate(predicate) => {
                    let id = PredicateId(self.core.predicates.len() as u32);
                    self.declare(&predicate.name, Global::Predicate(id), errors);
                    self.core.predicates.push(core::Predicate {
                        name: predicate.name.name.clone(),
                        locals: Vec::new(),
                        params: predicate.params.len() as u32,
                        body: None,
                        pos,
                        info,
                    });
                }
                MemberKind::Method(method) => {
                    let id = MethodId(self.core.methods.len() as u32);
                    self.declare(&method.name, Global::Method(id), errors);
                    self.core.methods.push(core::Method {
                        name: method.name.name.clone(),
                        locals: Vec::new(),
                        params: method.params.len() as u32,
                        returns: method.returns.len() as u32,
                        pres: Vec::new(),
                        posts: Vec::new(),
                        decreases: Vec::new(),
                        labels: Vec::new(),
                        body: None,
                        proof_of: None,
                        pos,
                        info,
                    });
                }
            }
        }
    }

    fn declare_domain(
        &mut self,
        name: &Ident,
        type_params: &Option<Vec<Ident>>,
        pos: Pos,
        errors: &mut Vec<Diagnostic>,
    ) -> DomainId {
        let id = DomainId(self.core.domains.len() as u32);
        self.declare(name, Global::Domain(id), errors);
        let params = type_params.as_deref().unwrap_or_default();
        for (i, param) in params.iter().enumerate() {
            if params.iter().take(i).any(|p| p.name == param.name) {
                let message = format!("two type parameters are named `{}`", param.name);
                errors.push(Diagnostic::error("typechecker.error", param.at.0, message));
            }
        }
        self.core.domains.push(core::Domain {
            name: name.name.clone(),
            type_params: params.iter().map(|p| p.name.clone()).collect(),
            interpretations: None,
            functions: Vec::new(),
            axioms: Vec::new(),
            adt: None,
            pos,
            info: None,
        });
        id
    }

    fn declare_domain_function(
        &mut self,
        name: &Ident,
        domain: DomainId,
        pos: Pos,
    ) -> DomainFunctionId {
        let id = DomainFunctionId(self.core.domain_functions.len() as u32);
        self.core.domain_functions.push(core::DomainFunction {
            name: name.name.clone(),
            domain,
            unique: false,
            params: Vec::new(),
            ty: Type::Int,
            interpretation: None,
            pos,
            info: None,
        });
        if let Some(domain) = self.core.domains.get_mut(domain.index()) {
            domain.functions.push(id);
        }
        id
    }

    /// Declares the domain of predicate instances, which measures may use without an import. It
    /// comes after all domains of the program.
    pub fn declare_predicate_instance(&mut self) {
        const NAME: &str = "PredicateInstance";
        if self.core.find_domain(NAME).is_none() {
            self.core.domains.push(core::Domain {
                name: NAME.into(),
                type_params: Vec::new(),
                interpretations: None,
                functions: Vec::new(),
                axioms: Vec::new(),
                adt: None,
                pos: Pos::None,
                info: None,
            });
        }
    }

    /// An ADT is a domain whose functions are its constructors, destructors and discriminators.
    fn declare_adt(
        &mut self,
        adt: &ast::Adt,
        pos: Pos,
        info: Option<std::sync::Arc<core::Info>>,
        errors: &mut Vec<Diagnostic>,
    ) {
        let id = self.declare_domain(&adt.name, &adt.type_params, pos, errors);
        let prefixed = |text: String, at: ast::At| Ident { name: Name::from(text), at };
        let mut constructors = Vec::new();
        let mut own_names: Vec<&Ident> = adt.type_params.iter().flatten().collect();
        for constructor in &adt.constructors {
            let function = self.declare_domain_function(&constructor.name, id, constructor.at.0);
            self.declare(&constructor.name, Global::DomainFunction(function), errors);
            let mut destructors = Vec::new();
            for param in &constructor.params {
                if let Some(other) = own_names.iter().find(|o| o.name == param.name.name) {
                    let message =
                        format!("the ADT `{}` already has `{}`", adt.name.name, param.name.name);
                    errors.push(
                        Diagnostic::error("typechecker.error", param.name.at.0, message)
                            .with_label(other.at.0, "here"),
                    );
                }
                own_names.push(&param.name);
                // Destructors of different ADTs may share a name: the core name is qualified.
                let name = prefixed(
                    format!("get_{}_{}_{}", adt.name.name, constructor.name.name, param.name.name),
                    param.name.at,
                );
                let destructor = self.declare_domain_function(&name, id, param.at.0);
                self.members.entry(param.name.name.clone()).or_default().push(destructor);
                destructors.push(destructor);
            }
            let name = prefixed(
                format!("is_{}_{}", adt.name.name, constructor.name.name),
                constructor.name.at,
            );
            let discriminator = self.declare_domain_function(&name, id, constructor.at.0);
            let spelled = Name::from(format!("is{}", constructor.name.name));
            self.members.entry(spelled).or_default().push(discriminator);
            constructors.push(Constructor { function, destructors, discriminator });
        }
        let tag = prefixed(format!("tag_{}", adt.name.name), adt.name.at);
        let tag = self.declare_domain_function(&tag, id, pos);
        if let Some(core) = self.core.domains.get_mut(id.index()) {
            core.info = info;
            core.adt = Some(Adt { constructors, tag, contains: None });
        }
    }

    // --- Signatures

    fn resolve_signatures(&mut self, program: &ast::Program, errors: &mut Vec<Diagnostic>) {
        let mut field = 0;
        let mut function = 0;
        let mut next = Next::default();
        let none: &[Ident] = &[];
        for member in &program.members {
            match &member.kind {
                MemberKind::Import(_) | MemberKind::Define(_) => {}
                MemberKind::Fields(fields) => {
                    for f in fields {
                        let ty = self.ty(&f.ty, none, errors);
                        if let Some(core) = self.core.fields.get_mut(take(&mut field) as usize) {
                            core.ty = ty;
                        }
                    }
                }
                MemberKind::Domain(domain) => {
                    next.domain();
                    let params = domain.type_params.as_deref().unwrap_or_default();
                    for item in &domain.items {
                        let ast::DomainItemKind::Function(f) = &item.kind else { continue };
                        let ty = self.ty(&f.ty, params, errors);
                        let args = f
                            .params
                            .iter()
                            .map(|p| {
                                let name = p.name.as_ref().map(|n| n.name.clone());
                                (name, self.ty(&p.ty, params, errors))
                            })
                            .collect();
                        self.set_domain_function(take(&mut function), args, ty);
                    }
                }
                MemberKind::Adt(adt) => {
                    let id = next.domain();
                    self.resolve_adt(adt, id, &mut function, errors);
                    self.check_member_names(adt, errors);
                }
                MemberKind::Function(f) => {
                    let params = self.params(&f.params, errors);
                    let result = self.ty(&f.ty, none, errors);
                    if let Some(core) = self.core.functions.get_mut(next.function().index()) {
                        core.ty = result.clone();
                    }
                    let has_precondition =
                        f.contract.iter().any(|s| matches!(s.kind, ast::SpecKind::Requires(_)));
                    self.functions.push(Signature {
                        params,
                        result,
                        returns: Vec::new(),
                        is_abstract: f.body.is_none(),
                        has_precondition,
                    });
                }
                MemberKind::Predicate(p) => {
                    let params = self.params(&p.params, errors);
                    self.predicates.push(Signature {
                        params,
                        result: Type::Bool,
                        returns: Vec::new(),
                        is_abstract: p.body.is_none(),
                        has_precondition: false,
                    });
                }
                MemberKind::Method(m) => {
                    let params = self.params(&m.params, errors);
                    let returns = self.params(&m.returns, errors);
                    self.methods.push(Signature {
                        params,
                        result: Type::Bool,
                        returns,
                        is_abstract: m.body.is_none(),
                        has_precondition: false,
                    });
                }
            }
        }
    }

    fn params(&mut self, params: &[ast::Param], errors: &mut Vec<Diagnostic>) -> Vec<Type> {
        params.iter().map(|p| self.ty(&p.ty, &[], errors)).collect()
    }

    fn set_domain_function(&mut self, id: u32, params: Vec<(Option<Name>, Type)>, ty: Type) {
        if let Some(core) = self.core.domain_functions.get_mut(id as usize) {
            core.params = params;
            core.ty = ty;
        }
    }

    fn resolve_adt(
        &mut self,
        adt: &ast::Adt,
        id: DomainId,
        function: &mut u32,
        errors: &mut Vec<Diagnostic>,
    ) {
        let params = adt.type_params.as_deref().unwrap_or_default();
        let this = Type::Domain(id, (0..params.len() as u32).map(Type::Param).collect());
        let receiver = || vec![(Some(Name::from("t")), this.clone())];
        for constructor in &adt.constructors {
            let args: Vec<_> = constructor
                .params
                .iter()
                .map(|p| (Some(p.name.name.clone()), self.ty(&p.ty, params, errors)))
                .collect();
            self.set_domain_function(take(function), args.clone(), this.clone());
            for (_, ty) in args {
                self.set_domain_function(take(function), receiver(), ty);
            }
            self.set_domain_function(take(function), receiver(), Type::Bool);
        }
        self.set_domain_function(take(function), receiver(), Type::Int);
    }

    /// No other declaration may have the name of a discriminator.
    fn check_member_names(&self, adt: &ast::Adt, errors: &mut Vec<Diagnostic>) {
        for constructor in &adt.constructors {
            let discriminator = Name::from(format!("is{}", constructor.name.name));
            let global = self.position(&discriminator);
            if let Some(other) = global.or_else(|| self.destructor_position(&discriminator)) {
                let message = format!(
                    "the discriminator `{discriminator}` of `{}` has the name of another \
                     declaration",
                    constructor.name.name
                );
                let error = Diagnostic::error("typechecker.error", constructor.name.at.0, message);
                errors.push(error.with_label(other, "here"));
            }
        }
    }

    /// Where an ADT has a destructor of this name.
    fn destructor_position(&self, name: &Name) -> Option<Pos> {
        let members = self.members.get(name)?;
        members.iter().find_map(|id| {
            let function = self.core.domain_function(*id);
            let adt = self.core.domain(function.domain).adt.as_ref()?;
            let is_destructor = adt.constructors.iter().any(|c| c.destructors.contains(id));
            is_destructor.then_some(function.pos)
        })
    }

    // --- Types

    /// Resolves a type; `params` are the type parameters in scope.
    pub fn ty(&mut self, ty: &ast::Type, params: &[Ident], errors: &mut Vec<Diagnostic>) -> Type {
        match &ty.kind {
            TypeKind::Int => Type::Int,
            TypeKind::Bool => Type::Bool,
            TypeKind::Perm => Type::Perm,
            TypeKind::Ref => Type::Ref,
            TypeKind::Seq(t) => Type::seq(self.ty(t, params, errors)),
            TypeKind::Set(t) => Type::set(self.ty(t, params, errors)),
            TypeKind::Multiset(t) => Type::multiset(self.ty(t, params, errors)),
            TypeKind::Map(k, v) => {
                Type::map(self.ty(k, params, errors), self.ty(v, params, errors))
            }
            TypeKind::Named { name, args } => {
                let resolved: Vec<Type> =
                    args.iter().flatten().map(|t| self.ty(t, params, errors)).collect();
                let param = params.iter().position(|p| p.name == name.name);
                match self.named_type(&name.name, param, resolved.len()) {
                    Ok(Named::Param(i)) => Type::Param(i as u32),
                    Ok(Named::Domain(id)) => Type::Domain(id, resolved.into()),
                    Err(NotNamed::Undeclared) => {
                        errors.push(self.undeclared_type(name, ty.at.0));
                        self.undeclared(&name.name)
                    }
                    Err(NotNamed::Ambiguous) => {
                        let message = format!("the type `{}` is ambiguous", name.name);
                        errors.push(Diagnostic::error("typechecker.error", ty.at.0, message));
                        self.undeclared(&name.name)
                    }
                    Err(NotNamed::Arity(expected)) => {
                        errors.push(Diagnostic::error(
                            "typechecker.error",
                            ty.at.0,
                            arity(
                                &format!("the type `{}`", name.name),
                                "type argument",
                                expected,
                                resolved.len(),
                            ),
                        ));
                        self.undeclared(&name.name)
                    }
                }
            }
            TypeKind::Macro { name, .. } => {
                errors.push(Diagnostic::error(
                    "typechecker.error",
                    ty.at.0,
                    format!("there is no macro named `{}`", name.name),
                ));
                self.undeclared(&name.name)
            }
        }
    }

    /// What a name with so many type arguments means. Type parameters and domains come before ADTs.
    fn named_type(
        &self,
        name: &Name,
        param: Option<usize>,
        args: usize,
    ) -> std::result::Result<Named, NotNamed> {
        let domain = |g| if let Global::Domain(d) = g { Some(d) } else { None };
        let all: Vec<DomainId> = self.find(name).filter_map(domain).collect();
        let arity = |d: DomainId| self.core.domain(d).type_params.len();
        let fitting = |adt: bool| {
            let fits =
                move |d: &DomainId| self.core.domain(*d).adt.is_some() == adt && arity(*d) == args;
            all.iter().copied().filter(fits).map(Named::Domain).collect::<Vec<_>>()
        };
        let mut found = fitting(false);
        found.extend(param.filter(|_| args == 0).map(Named::Param));
        if found.is_empty() {
            found = fitting(true);
        }
        match (found.as_slice(), all.first()) {
            ([one], _) => Ok(*one),
            ([], None) => Err(NotNamed::Undeclared),
            ([], Some(first)) => Err(NotNamed::Arity(arity(*first))),
            _ => Err(NotNamed::Ambiguous),
        }
    }

    fn undeclared_type(&self, name: &Ident, pos: Pos) -> Diagnostic {
        let diagnostic = Diagnostic::error(
            "typechecker.error",
            pos,
            format!("there is no type named `{}`", name.name),
        );
        let builtin = ["Int", "Bool", "Perm", "Ref", "Seq", "Set", "Multiset", "Map"];
        let domains =
            self.names().filter(|(_, g)| matches!(g, Global::Domain(_))).map(|(name, _)| name);
        let elsewhere = match name.name.as_str() {
            "boolean" => Some("Bool"),
            "integer" | "nat" | "long" => Some("Int"),
            "Object" | "object" => Some("Ref"),
            "List" | "list" | "Array" | "array" => Some("Seq"),
            "real" | "Real" | "rational" => Some("Perm"),
            _ => None,
        };
        let close = crate::wording::closest(&name.name, builtin.into_iter().chain(domains));
        match close.or(elsewhere) {
            Some(close) => diagnostic.with_help(format!("did you mean `{close}`?")),
            None => diagnostic,
        }
    }

    fn undeclared(&mut self, name: &Name) -> Type {
        let i = match self.undeclared.iter().position(|n| n == name) {
            Some(i) => i,
            None => {
                self.undeclared.push(name.clone());
                self.undeclared.len() - 1
            }
        };
        Type::Domain(DomainId(FIRST_UNDECLARED + i as u32), [].into())
    }

    /// How to write a type.
    pub fn show(&self, ty: &Type, params: &[Ident]) -> String {
        match ty {
            Type::Int => "Int".to_string(),
            Type::Bool => "Bool".to_string(),
            Type::Perm => "Perm".to_string(),
            Type::Ref => "Ref".to_string(),
            Type::Seq(t) => format!("Seq[{}]", self.show(t, params)),
            Type::Set(t) => format!("Set[{}]", self.show(t, params)),
            Type::Multiset(t) => format!("Multiset[{}]", self.show(t, params)),
            Type::Map(kv) => {
                format!("Map[{}, {}]", self.show(&kv.0, params), self.show(&kv.1, params))
            }
            Type::Domain(d, args) => {
                let name = match undeclared(ty) {
                    Some(i) => self.undeclared.get(i as usize).cloned(),
                    None => self.core.domains.get(d.index()).map(|d| d.name.clone()),
                };
                let name = name.unwrap_or_else(|| Name::from("?"));
                if args.is_empty() {
                    name.to_string()
                } else {
                    let args: Vec<_> = args.iter().map(|t| self.show(t, params)).collect();
                    format!("{name}[{}]", args.join(", "))
                }
            }
            Type::Param(i) if *i >= FIRST_VAR => "_".to_string(),
            Type::Param(i) => {
                params.get(*i as usize).map_or("?".to_string(), |p| p.name.to_string())
            }
        }
    }
}
