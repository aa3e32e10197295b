//! Datatypes: constructors are injective, disjoint and exhaustive, and values are finite.
//!
//! That a value is one of a constructor is said of values that occur and of those of which something is
//! read, so unfolding goes as deep as the program looks.

use std::collections::BTreeSet;

use smt::{Sort, Term};
use spl::core::{Name, Program, Type};

use crate::logic::Logic;

impl Logic {
    /// `c(args)`
    pub fn construct(&mut self, program: &Program, name: &Name, args: &[Term]) -> Term {
        let Some(ctor) = program.ctors.get(name) else { return self.terms.bool(false) };
        let types: Vec<Type> = ctor.args.iter().map(|(_, ty)| ty.clone()).collect();
        let datatype = Type::Datatype(ctor.datatype.clone());
        self.datatype_axioms(program, &ctor.datatype);
        self.apply(&format!("ctor.{name}"), &types, &datatype, args)
    }

    /// `d(value)`
    pub fn destruct(&mut self, program: &Program, name: &Name, value: Term) -> Term {
        let Some((ctor, index)) = program.dtors.get(name) else { return value };
        let Some(ctor) = program.ctors.get(ctor) else { return value };
        let Some((_, ty)) = ctor.args.get(*index) else { return value };
        let datatype = Type::Datatype(ctor.datatype.clone());
        self.datatype_axioms(program, &ctor.datatype);
        self.apply(&format!("dtor.{name}"), &[datatype], ty, &[value])
    }

    /// A value occurs: it is one of a constructor.
    pub fn occurs_value(&mut self, program: &Program, name: &Name, value: Term) {
        if !self.terms.free(value).is_empty() {
            return;
        }
        self.datatype_axioms(program, name);
        if self.first(format!("value {value:?}")) {
            let cases = self.cases(program, name, value);
            self.axioms.push(cases);
        }
    }

    /// A number that is smaller for every value inside.
    pub fn size(&mut self, name: &Name, value: Term) -> Term {
        let sort = self.terms.sort(value);
        let meaning = smt::Meaning::Uninterpreted;
        let fun = self.terms.fun_named(&format!("size.{name}"), &[sort], Sort::Int, meaning);
        self.terms.app(fun, &[value])
    }

    fn tag(&mut self, name: &Name, value: Term) -> Term {
        let sort = self.terms.sort(value);
        let meaning = smt::Meaning::Uninterpreted;
        let fun = self.terms.fun_named(&format!("tag.{name}"), &[sort], Sort::Int, meaning);
        self.terms.app(fun, &[value])
    }

    /// `value` is `c(d(value), …)` for one of the constructors.
    fn cases(&mut self, program: &Program, name: &Name, value: Term) -> Term {
        let datatype = Type::Datatype(name.clone());
        let mut all = Vec::new();
        for ctor_name in program.datatypes.get(name).into_iter().flatten() {
            let Some(ctor) = program.ctors.get(ctor_name) else { continue };
            let mut args = Vec::new();
            let mut types = Vec::new();
            for (dtor, ty) in &ctor.args {
                let types_of = std::slice::from_ref(&datatype);
                args.push(self.apply(&format!("dtor.{dtor}"), types_of, ty, &[value]));
                types.push(ty.clone());
            }
            let whole = self.apply(&format!("ctor.{ctor_name}"), &types, &datatype, &args);
            all.push(self.terms.eq(value, whole));
        }
        self.terms.or(all)
    }

    fn datatype_axioms(&mut self, program: &Program, name: &Name) {
        if !self.first(format!("datatype {name}")) {
            return;
        }
        let datatype = Type::Datatype(name.clone());
        let (bd, d) = self.bound("d", &datatype);
        let zero = self.terms.int(0);
        let size = self.size(name, d);
        let natural = self.terms.le(zero, size);
        self.axiom(&[bd], vec![vec![size]], natural, "size");
        let cases = self.cases(program, name, d);
        for (number, ctor_name) in program.datatypes.get(name).into_iter().flatten().enumerate() {
            let Some(ctor) = program.ctors.get(ctor_name) else { continue };
            let types: Vec<Type> = ctor.args.iter().map(|(_, ty)| ty.clone()).collect();
            let vars: Vec<_> = types.iter().map(|ty| self.bound("arg", ty)).collect();
            let args: Vec<Term> = vars.iter().map(|(_, term)| *term).collect();
            let whole = self.apply(&format!("ctor.{ctor_name}"), &types, &datatype, &args);
            let tag = self.tag(name, whole);
            let number = self.terms.int(number as i64);
            let mut facts = vec![self.terms.eq(tag, number)];
            let size = self.size(name, whole);
            for ((dtor, ty), arg) in ctor.args.iter().zip(&args) {
                let back = self.apply(
                    &format!("dtor.{dtor}"),
                    std::slice::from_ref(&datatype),
                    ty,
                    &[whole],
                );
                facts.push(self.terms.eq(back, *arg));
                if let Type::Datatype(inner) = ty {
                    let part = self.size(inner, *arg);
                    facts.push(self.terms.lt(part, size));
                }
                // Something is read of a value: then all of it is known.
                let read =
                    self.apply(&format!("dtor.{dtor}"), std::slice::from_ref(&datatype), ty, &[d]);
                self.axiom(&[bd], vec![vec![read]], cases, "cases");
            }
            let body = self.terms.and(facts);
            let bounds: Vec<_> = vars.iter().map(|(b, _)| *b).collect();
            if bounds.is_empty() {
                self.axioms.push(body);
            } else {
                self.axiom(&bounds, vec![vec![whole]], body, "constructor");
            }
            for (_, ty) in &ctor.args {
                if let Type::Datatype(inner) = ty {
                    self.datatype_axioms(program, inner);
                }
            }
        }
    }
}

/// Why there is no such datatype: it has no finite values, or contains sets or maps over itself, of which
/// there are more than values.
pub(crate) fn impossible(program: &Program) -> Option<String> {
    let mut inhabited: BTreeSet<&Name> = BTreeSet::new();
    loop {
        let before = inhabited.len();
        for (name, ctors) in &program.datatypes {
            let possible = |ctor: &Name| {
                let args = program.ctors.get(ctor).map(|c| c.args.as_slice()).unwrap_or_default();
                args.iter().all(|(_, ty)| has_value(ty, &inhabited))
            };
            if ctors.iter().any(possible) {
                inhabited.insert(name);
            }
        }
        if inhabited.len() == before {
            break;
        }
    }
    for name in program.datatypes.keys() {
        if !inhabited.contains(name) {
            return Some(format!("the datatype `{name}`, which has no finite values"));
        }
        let mut seen = BTreeSet::new();
        if contains(program, &Type::Datatype(name.clone()), name, false, &mut seen) {
            return Some(format!("the datatype `{name}`, which contains sets of itself"));
        }
    }
    None
}

fn has_value(ty: &Type, inhabited: &BTreeSet<&Name>) -> bool {
    match ty {
        Type::Datatype(name) => inhabited.contains(name),
        Type::Map(_, value) => has_value(value, inhabited),
        _ => true,
    }
}

/// Is a datatype, inside of a type, what elements of a set or keys of a map are made of?
fn contains(
    program: &Program,
    ty: &Type,
    wanted: &Name,
    negative: bool,
    seen: &mut BTreeSet<(Type, bool)>,
) -> bool {
    if !seen.insert((ty.clone(), negative)) {
        return false;
    }
    match ty {
        Type::Datatype(name) => {
            if negative && name == wanted {
                return true;
            }
            let ctors = program.datatypes.get(name).into_iter().flatten();
            let args = ctors.filter_map(|c| program.ctors.get(c)).flat_map(|c| &c.args);
            args.into_iter().any(|(_, ty)| contains(program, ty, wanted, negative, seen))
        }
        Type::Set(of) => contains(program, of, wanted, true, seen),
        Type::Map(key, value) => {
            contains(program, key, wanted, true, seen)
                || contains(program, value, wanted, negative, seen)
        }
        _ => false,
    }
}
