//! Names that do not clash: those of declarations, and those of variables in their scopes.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::ast::{self, Ident, Name};
use crate::core::{
    Domain, DomainFunctionId, DomainId, FieldId, FunctionId, LabelId, Local, LocalId, MethodId,
    PredicateId, Program, Type,
};

/// The names of all declarations; each is used once.
pub(super) struct Globals<'p> {
    pub(super) program: &'p Program,
    taken: HashSet<Name>,
    domains: Vec<Name>,
    domain_functions: Vec<Name>,
    fields: Vec<Name>,
    functions: Vec<Name>,
    predicates: Vec<Name>,
    methods: Vec<Name>,
    axioms: HashMap<(DomainId, usize), Name>,
    of_source: bool,
    /// What is written behind a dot, for those functions of ADTs that are not written as calls.
    spelled: HashMap<DomainFunctionId, Name>,
}

fn claim(taken: &mut HashSet<Name>, wish: &Name) -> Name {
    let mut name = wish.clone();
    let mut count = 0;
    while !taken.insert(name.clone()) {
        count += 1;
        name = Name::from(format!("{wish}_{count}"));
    }
    name
}

fn get(names: &[Name], index: usize) -> Ident {
    // Identifiers of declarations are valid by construction.
    Ident::new(names[index].clone())
}

impl<'p> Globals<'p> {
    /// Names that the user has written come first; those of functions that an ADT brings with it
    /// come last, because they may be the same in several ADTs.
    pub(super) fn new(program: &'p Program) -> Globals<'p> {
        let mut taken = HashSet::new();
        let taken_by = &mut taken;
        let fields = program.fields.iter().map(|f| claim(taken_by, &f.name)).collect();
        let functions = program.functions.iter().map(|f| claim(taken_by, &f.name)).collect();
        let predicates = program.predicates.iter().map(|p| claim(taken_by, &p.name)).collect();
        let methods = program.methods.iter().map(|m| claim(taken_by, &m.name)).collect();
        let domains = program.domains.iter().map(|d| claim(taken_by, &d.name)).collect();
        let of_adt: HashSet<DomainFunctionId> = program
            .domains
            .iter()
            .filter_map(|domain| domain.adt.as_ref())
            .flat_map(|adt| {
                let constructors = adt.constructors.iter();
                let parts = constructors.flat_map(|constructor| {
                    constructor.destructors.iter().chain([&constructor.discriminator])
                });
                parts.chain([&adt.tag]).copied()
            })
            .collect();
        let mut domain_functions: Vec<Name> =
            program.domain_functions.iter().map(|f| f.name.clone()).collect();
        for derived in [false, true] {
            for (i, name) in domain_functions.iter_mut().enumerate() {
                if of_adt.contains(&DomainFunctionId(i as u32)) == derived {
                    *name = claim(&mut taken, name);
                }
            }
        }
        let mut axioms = HashMap::new();
        for (d, domain) in program.domains.iter().enumerate() {
            for (i, axiom) in domain.axioms.iter().enumerate() {
                if let Some(name) = &axiom.name {
                    axioms.insert((DomainId(d as u32), i), claim(&mut taken, name));
                }
            }
        }
        Globals {
            program,
            taken,
            domains,
            domain_functions,
            fields,
            functions,
            predicates,
            methods,
            axioms,
            spelled: HashMap::new(),
            of_source: false,
        }
    }

    /// The same, with `t.head` and `t.isCons` as in the source: for messages. In a program the ADT
    /// is a domain, and these are functions.
    pub(super) fn of_source(program: &'p Program) -> Globals<'p> {
        let mut globals = Globals::new(program);
        globals.of_source = true;
        let adts = program.domains.iter().filter_map(|domain| domain.adt.as_ref());
        for constructor in adts.flat_map(|adt| &adt.constructors) {
            let function = program.domain_function(constructor.function);
            let discriminator = Name::from(format!("is{}", function.name));
            globals.spelled.insert(constructor.discriminator, discriminator);
            for (destructor, (name, _)) in constructor.destructors.iter().zip(&function.params) {
                globals.spelled.extend(name.clone().map(|name| (*destructor, name)));
            }
        }
        globals
    }

    /// Are ADTs as in the source?
    pub(super) fn has_adts(&self) -> bool {
        self.of_source
    }

    /// How a function of an ADT is written behind its argument.
    pub(super) fn spelled(&self, id: DomainFunctionId) -> Option<Ident> {
        self.spelled.get(&id).cloned().map(Ident::new)
    }

    pub(super) fn is_taken(&self, name: &Name) -> bool {
        self.taken.contains(name)
    }

    pub(super) fn domain(&self, id: DomainId) -> Ident {
        get(&self.domains, id.index())
    }

    pub(super) fn domain_function(&self, id: DomainFunctionId) -> Ident {
        get(&self.domain_functions, id.index())
    }

    pub(super) fn field(&self, id: FieldId) -> Ident {
        get(&self.fields, id.index())
    }

    pub(super) fn function(&self, id: FunctionId) -> Ident {
        get(&self.functions, id.index())
    }

    pub(super) fn predicate(&self, id: PredicateId) -> Ident {
        get(&self.predicates, id.index())
    }

    pub(super) fn method(&self, id: MethodId) -> Ident {
        get(&self.methods, id.index())
    }

    pub(super) fn axiom(&self, id: DomainId, index: usize) -> Ident {
        Ident::new(self.axioms.get(&(id, index)).map_or("axiom", Name::as_str))
    }
}

/// The variables that can be named at some place in a member.
pub(super) struct Scope<'p> {
    pub(super) globals: &'p Globals<'p>,
    locals: &'p [Local],
    type_params: &'p [Name],
    labels: Vec<Name>,
    /// The names of each variable, innermost declaration last.
    names: HashMap<LocalId, Vec<Name>>,
    active: Vec<LocalId>,
    taken: HashSet<Name>,
}

impl<'p> Scope<'p> {
    pub(super) fn new(globals: &'p Globals<'p>, locals: &'p [Local], labels: &[Name]) -> Scope<'p> {
        let mut scope = Scope {
            globals,
            locals,
            type_params: &[],
            labels: Vec::new(),
            names: HashMap::new(),
            active: Vec::new(),
            taken: HashSet::new(),
        };
        scope.labels = labels.iter().map(|label| scope.unused(label)).collect();
        scope
    }

    pub(super) fn of_domain(
        globals: &'p Globals<'p>,
        domain: &'p Domain,
        locals: &'p [Local],
    ) -> Scope<'p> {
        Scope { type_params: &domain.type_params, ..Scope::new(globals, locals, &[]) }
    }

    fn unused(&mut self, wish: &Name) -> Name {
        let mut name = wish.clone();
        let mut count = 0;
        while self.globals.is_taken(&name) || !self.taken.insert(name.clone()) {
            count += 1;
            name = Name::from(format!("{wish}_{count}"));
        }
        name
    }

    /// Declares a variable.
    pub(super) fn bind(&mut self, id: LocalId) -> Ident {
        let wish = self.locals.get(id.index()).map_or_else(|| "x".into(), |l| l.name.clone());
        let name = self.unused(&wish);
        self.names.entry(id).or_default().push(name.clone());
        self.active.push(id);
        Ident::new(name)
    }

    /// A mark for [`Scope::leave`].
    pub(super) fn enter(&self) -> usize {
        self.active.len()
    }

    /// Forgets all variables declared since the mark was made.
    pub(super) fn leave(&mut self, mark: usize) {
        for id in self.active.drain(mark.min(self.active.len())..) {
            if let Some(name) = self.names.get_mut(&id).and_then(Vec::pop) {
                self.taken.remove(&name);
            }
        }
    }

    pub(super) fn local(&self, id: LocalId) -> Name {
        let bound = self.names.get(&id).and_then(|names| names.last()).cloned();
        let declared = || self.locals.get(id.index()).map(|local| local.name.clone());
        bound.or_else(declared).unwrap_or_else(|| "x".into())
    }

    pub(super) fn label(&self, id: LabelId) -> Ident {
        Ident::new(self.labels.get(id.index()).map_or("l", Name::as_str))
    }

    /// Declares a variable that is written with its type.
    pub(super) fn param(&mut self, id: LocalId) -> ast::Param {
        let name = self.bind(id);
        let declared = self.locals.get(id.index());
        let ty = self.ty(declared.map_or(&Type::Int, |local| &local.ty));
        ast::Param { name, ty, at: declared.map(|local| local.pos).unwrap_or_default().into() }
    }

    pub(super) fn params(&mut self, ids: Range<u32>) -> Vec<ast::Param> {
        ids.map(|id| self.param(LocalId(id))).collect()
    }

    pub(super) fn ty(&self, ty: &Type) -> ast::Type {
        let boxed = |ty| Box::new(self.ty(ty));
        let kind = match ty {
            Type::Int => ast::TypeKind::Int,
            Type::Bool => ast::TypeKind::Bool,
            Type::Perm => ast::TypeKind::Perm,
            Type::Ref => ast::TypeKind::Ref,
            Type::Seq(t) => ast::TypeKind::Seq(boxed(t)),
            Type::Set(t) => ast::TypeKind::Set(boxed(t)),
            Type::Multiset(t) => ast::TypeKind::Multiset(boxed(t)),
            Type::Map(kv) => ast::TypeKind::Map(boxed(&kv.0), boxed(&kv.1)),
            Type::Domain(id, args) => ast::TypeKind::Named {
                name: self.globals.domain(*id),
                args: (!args.is_empty()).then(|| args.iter().map(|t| self.ty(t)).collect()),
            },
            Type::Param(i) => {
                let name = self.type_params.get(*i as usize).map_or("T", Name::as_str);
                ast::TypeKind::Named { name: Ident::new(name), args: None }
            }
        };
        ast::Type { kind, at: ast::At::default() }
    }
}
