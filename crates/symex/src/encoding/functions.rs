//! The symbols of heap-dependent functions and of predicates.

use std::collections::HashSet;
use std::fmt::Write as _;

use smt::{FunId, Meaning, Node, Sort, Term, symbol};
use viper::core::{FunctionId, PredicateId};

use super::symbols::{FunctionSymbols, SymbolKind, Use};
use super::{Encoding, FormulaKind};

impl Encoding<'_> {
    /// The symbols of a function. Its axioms come along where its unit is done.
    pub fn function(&mut self, id: FunctionId) -> FunctionSymbols {
        if let Some(symbols) = self.symbols.functions.get(&id) {
            return *symbols;
        }
        let function = self.program.function(id);
        let name = function.name.as_str();
        let params = &function.locals[..function.params as usize];
        let stateless: Vec<Sort> = params.iter().map(|p| self.sort(&p.ty)).collect();
        let mut args = vec![self.prelude.snap];
        args.extend(&stateless);
        let result = self.sort(&function.ty);
        let symbols = FunctionSymbols {
            full: self.declare(&format!("fun.{name}"), args.clone(), result),
            limited: self.declare(&format!("fun.{name}.limited"), args.clone(), result),
            stateless: self.declare(&format!("fun.{name}.stateless"), stateless, Sort::Bool),
            pre: self.declare(&format!("fun.{name}.pre"), args, Sort::Bool),
        };
        self.symbols.functions.insert(id, symbols);
        self.symbols.kinds.insert(symbols.pre, SymbolKind::Precondition);
        self.symbols.limited.insert(symbols.full, symbols.limited);
        self.symbols.limited_pre.insert(symbols.pre, symbols.limited);
        self.symbols.note(Use::Function(id));
        if let Some(theory) = self.theories.get(id.index()).cloned().flatten() {
            for what in &theory.uses {
                self.require(what);
            }
            self.symbols.text.push_str(&theory.text);
        }
        symbols
    }

    /// Registers something and all that belongs to it.
    fn require(&mut self, what: &Use) {
        match what {
            Use::Type(ty) => {
                self.sort(ty);
            }
            Use::DomainFunction(id, types) => {
                self.domain_function(*id, types);
            }
            Use::Function(id) => {
                self.function(*id);
            }
            Use::PredicateTrigger(id) => {
                self.predicate_trigger(*id);
            }
            Use::Read(field) => {
                self.read(*field, self.prelude.null);
            }
            Use::ValueMap(resource) => {
                self.value_map(*resource);
            }
            Use::Wrapper(ty) => {
                let sort = self.sort(ty);
                self.wrapper(sort);
            }
        }
    }

    /// The symbol that says that an instance of a predicate was folded or unfolded.
    pub fn predicate_trigger(&mut self, id: PredicateId) -> FunId {
        let predicate = self.program.predicate(id);
        let name = format!("pred.{}.trigger", predicate.name.as_str());
        if let Some(fun) = self.symbols.funs.get(&name) {
            return *fun;
        }
        let mut args = vec![self.prelude.snap];
        for param in &predicate.locals[..predicate.params as usize] {
            args.push(self.sort(&param.ty));
        }
        self.symbols.note(Use::PredicateTrigger(id));
        self.declare(&name, args, Sort::Bool)
    }

    /// An axiom as text, with the declarations of what is fresh in it.
    pub fn axiom(&mut self, formals: &[Term], triggers: &[Vec<Term>], body: Term) -> String {
        if self.terms.as_bool(body) == Some(true) {
            return String::new();
        }
        let axiom = self.for_all(FormulaKind::Function, formals, triggers, body);
        let mut text = String::new();
        let mut seen = HashSet::new();
        let mut pending = vec![axiom];
        while let Some(term) = pending.pop() {
            if !seen.insert(term) {
                continue;
            }
            if let Node::App(fun, _) = self.terms.node(term)
                && self.terms.signature.fun(*fun).meaning == Meaning::Uninterpreted
                && self.declared_fresh.insert(*fun)
            {
                let decl = self.terms.signature.fun(*fun);
                let args: Vec<&str> =
                    decl.args.iter().map(|s| self.terms.signature.sort_text(*s)).collect();
                let result = self.terms.signature.sort_text(decl.result);
                let name = symbol(&decl.name);
                let _ = writeln!(text, "(declare-fun {name} ({}) {result})", args.join(" "));
            }
            pending.extend(self.terms.children(term));
        }
        let _ = writeln!(text, "(assert {})", smt::print(&self.terms, axiom));
        text
    }
}
