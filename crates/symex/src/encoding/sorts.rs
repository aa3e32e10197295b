//! Sorts of types, and the names of types as parts of symbols.

use crate::encoding::CollectionFunction;
use std::collections::HashMap;
use std::fmt::Write as _;

use smt::{Meaning, Sort, symbol};
use viper::core::{DomainFunctionId, DomainId, FieldId, Program, Type};

use super::Encoding;
use super::collections::{self, ElemSort};
use super::symbols::Use;

impl<'p> Encoding<'p> {
    /// A type's name as a part of symbols.
    pub(super) fn type_name(&self, ty: &Type) -> String {
        let list =
            |types: &[Type]| types.iter().map(|t| self.type_name(t)).collect::<Vec<_>>().join("~");
        match ty {
            Type::Int => "Int".to_string(),
            Type::Bool => "Bool".to_string(),
            Type::Perm => "Perm".to_string(),
            Type::Ref => "Ref".to_string(),
            Type::Seq(t) => format!("Seq<{}>", self.type_name(t)),
            Type::Set(t) => format!("Set<{}>", self.type_name(t)),
            Type::Multiset(t) => format!("Multiset<{}>", self.type_name(t)),
            Type::Map(kv) => format!("Map<{}~{}>", self.type_name(&kv.0), self.type_name(&kv.1)),
            Type::Domain(d, types) if types.is_empty() => {
                format!("dom.{}", self.program.domain(*d).name.as_str())
            }
            Type::Domain(d, types) => {
                format!("dom.{}<{}>", self.program.domain(*d).name.as_str(), list(types))
            }
            // An instance nobody chose: any type will do.
            Type::Param(_) => "Int".to_string(),
        }
    }

    /// The sort of a type.
    pub fn sort(&mut self, ty: &Type) -> Sort {
        if let Some(sort) = self.symbols.sorts.get(ty) {
            return *sort;
        }
        // Elements first: the axioms mention them.
        let elems: Vec<[String; 3]> = match ty {
            Type::Seq(t) | Type::Set(t) | Type::Multiset(t) => vec![self.elem_sort(t)],
            Type::Map(kv) => {
                self.sort(&Type::set(kv.0.clone()));
                self.sort(&Type::set(kv.1.clone()));
                [&kv.0, &kv.1].map(|t| self.elem_sort(t)).into()
            }
            _ => Vec::new(),
        };
        let elem = |i: usize| {
            let [text, name, equality] = &elems[i];
            ElemSort::new(text, name, equality)
        };
        let (name, text) = match ty {
            Type::Int | Type::Param(_) => return Sort::Int,
            Type::Bool => return Sort::Bool,
            Type::Perm => return Sort::Real,
            Type::Ref => return self.prelude.reference,
            Type::Seq(t) => {
                let mut text = collections::seq(&elem(0));
                if **t == Type::Int {
                    text.push_str(&collections::seq_range());
                }
                (self.type_name(ty), text)
            }
            Type::Set(_) => (self.type_name(ty), collections::set(&elem(0))),
            Type::Multiset(_) => (self.type_name(ty), collections::multiset(&elem(0))),
            Type::Map(_) => (self.type_name(ty), collections::map(&elem(0), &elem(1))),
            Type::Domain(d, _) => match interpretation(self.program, *d) {
                Some(text) => (text, String::new()),
                None => {
                    let name = symbol(&self.type_name(ty));
                    let text = format!("(declare-sort {name} 0)\n");
                    (name, text)
                }
            },
        };
        let sort = self.terms.signature.add_sort(name, Meaning::Builtin);
        self.symbols.sorts.insert(ty.clone(), sort);
        self.symbols.types.insert(sort, ty.clone());
        self.symbols.note(Use::Type(ty.clone()));
        self.symbols.text.push_str(&text);
        if let Type::Domain(d, types) = ty {
            self.domain(*d, types);
        }
        sort
    }

    /// What an [`ElemSort`] is made of.
    fn elem_sort(&mut self, ty: &Type) -> [String; 3] {
        let sort = self.sort(ty);
        let text = self.terms.signature.sort_text(sort).to_string();
        [text, self.type_name(ty), self.equality_name(ty)]
    }

    /// The sort of the values of a field.
    pub fn field_sort(&mut self, field: FieldId) -> Sort {
        self.sort(&self.program.field(field).ty)
    }

    /// The sort of a type that is in use.
    pub fn known_sort(&self, ty: &Type) -> Option<Sort> {
        match ty {
            Type::Int | Type::Param(_) => Some(Sort::Int),
            Type::Bool => Some(Sort::Bool),
            Type::Perm => Some(Sort::Real),
            Type::Ref => Some(self.prelude.reference),
            ty => self.symbols.sorts.get(ty).copied(),
        }
    }

    /// Is it the sort of value maps of a resource?
    pub fn is_value_map(&self, sort: Sort) -> bool {
        self.symbols.sort_names.contains_key(&sort)
    }

    /// The name of the function that makes a value of a type of a snapshot.
    pub fn unwrap_name(&self, ty: &Type) -> String {
        format!("Snap.to<{}>", self.type_name(ty))
    }

    /// The name of a function of a collection.
    pub(crate) fn collection_name(&self, ty: &Type, op: CollectionFunction) -> String {
        let elements = match ty {
            // There is one sort of them only.
            _ if op == CollectionFunction::SeqRange => return op.name().to_string(),
            Type::Seq(t) | Type::Set(t) | Type::Multiset(t) => self.type_name(t),
            Type::Map(kv) => format!("{}~{}", self.type_name(&kv.0), self.type_name(&kv.1)),
            _ => return op.name().to_string(),
        };
        format!("{}<{elements}>", op.name())
    }

    /// The function that compares values of a type: `=`, unless they are collections.
    fn equality_name(&self, ty: &Type) -> String {
        let function = match ty {
            Type::Seq(_) => CollectionFunction::SeqEqual,
            Type::Set(_) => CollectionFunction::SetEqual,
            Type::Multiset(_) => CollectionFunction::MultisetEqual,
            Type::Map(_) => CollectionFunction::MapEqual,
            _ => return "=".to_string(),
        };
        self.collection_name(ty, function)
    }

    /// The names of the sorts of domains, and those of the domains.
    pub fn domain_sorts(&self) -> HashMap<String, &'p str> {
        let mut names = HashMap::new();
        for ty in self.symbols.sorts.keys() {
            if let Type::Domain(id, _) = ty {
                names.insert(self.type_name(ty), self.program.domain(*id).name.as_str());
            }
        }
        names
    }

    /// The name of a domain function.
    pub fn domain_function_name(&self, id: DomainFunctionId, types: &[Type]) -> String {
        let function = self.program.domain_function(id);
        let mut name = match derived_index(self.program, id) {
            // Not a name that anybody wrote: there may be others like it, even in the same type.
            Some(index) => {
                let domain = self.program.domain(function.domain).name.as_str();
                format!("adt.{domain}.{index}.{}", function.name.as_str())
            }
            None => format!("dom.{}", function.name.as_str()),
        };
        if !types.is_empty() {
            let list: Vec<String> = types.iter().map(|t| self.type_name(t)).collect();
            let _ = write!(name, "<{}>", list.join("~"));
        }
        name
    }

    /// The type that a sort stands for, unless it is built in.
    pub fn type_of(&self, sort: Sort) -> Type {
        match sort {
            Sort::Bool => Type::Bool,
            Sort::Int => Type::Int,
            Sort::Real => Type::Perm,
            sort if sort == self.prelude.reference => Type::Ref,
            sort => self.symbols.types.get(&sort).cloned().unwrap_or(Type::Ref),
        }
    }
}

/// The SMT-LIB sort that a domain stands for.
fn interpretation(program: &Program, id: DomainId) -> Option<String> {
    let list = program.domain(id).interpretations.as_ref()?;
    let (_, text) = list.iter().find(|(backend, _)| backend.as_str() == "SMTLIB")?;
    Some(text.as_str().to_string())
}

/// The position of a function that an algebraic data type brings with it (a destructor, a
/// discriminator, the tag) among the functions of the type.
fn derived_index(program: &Program, id: DomainFunctionId) -> Option<usize> {
    let domain = program.domain(program.domain_function(id).domain);
    let adt = domain.adt.as_ref()?;
    if adt.constructors.iter().any(|constructor| constructor.function == id) {
        return None;
    }
    domain.functions.iter().position(|function| *function == id)
}
