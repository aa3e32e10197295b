//! The typed core: what the verifier sees.
//!
//! Macros are expanded, names are resolved to identifiers of declarations, every expression has its
//! type, overloaded operators are told apart. [`crate::check`] produces a core program from a
//! surface program; [`crate::plugins::desugar`] then removes what is not core Viper (termination
//! measures, `refute`, predicate instances), after which [`Program::is_desugared`] holds.
//!
//! Nodes are shared (`Arc`) and immutable.

mod expr;
mod info;
mod member;
pub mod rename;
mod stmt;
mod ty;
pub mod visit;

pub use expr::{
    BinOp, CollectionOp, Expr, ExprId, ExprKind, Node, OldState, PredicateAccess, Resource, Wand,
};
pub use info::{Info, MappedReason, ReportAs};
pub use member::{
    Adt, Axiom, Constructor, Contains, Decreases, Domain, DomainFunction, Field, Function, Local,
    Measure, Method, Predicate,
};
pub use stmt::{Block, Stmt, StmtKind};
pub use ty::Type;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            /// As an index into the list it identifies an element of.
            #[must_use]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// Index into [`Program::domains`].
    DomainId;
    /// Index into [`Program::domain_functions`].
    DomainFunctionId;
    /// Index into [`Program::fields`].
    FieldId;
    /// Index into [`Program::functions`].
    FunctionId;
    /// Index into [`Program::predicates`].
    PredicateId;
    /// Index into [`Program::methods`].
    MethodId;
    /// Index into the `locals` of a member.
    LocalId;
    /// Index into [`Method::labels`].
    LabelId;
}

/// A whole program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Domains and ADTs.
    pub domains: Vec<Domain>,
    /// The functions of all domains.
    pub domain_functions: Vec<DomainFunction>,
    /// Fields.
    pub fields: Vec<Field>,
    /// Functions.
    pub functions: Vec<Function>,
    /// Predicates.
    pub predicates: Vec<Predicate>,
    /// Methods.
    pub methods: Vec<Method>,
}

impl Program {
    /// The domain with this identifier.
    #[must_use]
    pub fn domain(&self, id: DomainId) -> &Domain {
        &self.domains[id.index()]
    }

    /// The domain function with this identifier.
    #[must_use]
    pub fn domain_function(&self, id: DomainFunctionId) -> &DomainFunction {
        &self.domain_functions[id.index()]
    }

    /// The field with this identifier.
    #[must_use]
    pub fn field(&self, id: FieldId) -> &Field {
        &self.fields[id.index()]
    }

    /// The function with this identifier.
    #[must_use]
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.index()]
    }

    /// The predicate with this identifier.
    #[must_use]
    pub fn predicate(&self, id: PredicateId) -> &Predicate {
        &self.predicates[id.index()]
    }

    /// The method with this identifier.
    #[must_use]
    pub fn method(&self, id: MethodId) -> &Method {
        &self.methods[id.index()]
    }

    /// The domain with this name.
    #[must_use]
    pub fn find_domain(&self, name: &str) -> Option<DomainId> {
        self.domains.iter().position(|d| d.name.as_str() == name).map(|i| DomainId(i as u32))
    }

    /// The domain function with this name.
    #[must_use]
    pub fn find_domain_function(&self, name: &str) -> Option<DomainFunctionId> {
        let i = self.domain_functions.iter().position(|f| f.name.as_str() == name)?;
        Some(DomainFunctionId(i as u32))
    }
}
