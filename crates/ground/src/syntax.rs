//! What formulas are made of: sorts, symbols, and terms with variables.
//!
//! A [`Template`] is a term in which variables may occur; equal templates have equal numbers. A closed
//! one, and the body of a quantified formula for given values of its variables, become nodes of the
//! congruence closure.

use std::collections::HashMap;

use crate::rational::Rational;

/// A sort, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Sort(pub u32);

impl Sort {
    pub const BOOL: Sort = Sort(0);
    pub const INT: Sort = Sort(1);
    pub const REAL: Sort = Sort(2);

    pub fn is_arithmetic(self) -> bool {
        self == Sort::INT || self == Sort::REAL
    }
}

/// A function symbol, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Symbol(pub u32);

/// A quantified formula, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct QuantId(pub u32);

/// What is applied to arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Head {
    True,
    False,
    /// A number of sort `Int` or `Real`.
    Number(Rational, Sort),
    /// A function symbol; constants have no arguments.
    Symbol(Symbol),
    Not,
    And,
    Or,
    Implies,
    Eq,
    Ite,
    Add,
    Sub,
    Mul,
    /// Euclidean division of integers; by zero it is some function of its arguments.
    Div,
    /// The remainder of Euclidean division; by zero it is some function of its arguments.
    Mod,
    /// Division of reals; by zero it is some function of its arguments.
    RealDiv,
    Lt,
    Le,
    ToReal,
    /// A quantified formula; the arguments are the values of the variables that occur free in it.
    Quant(QuantId),
    /// A witness for a variable of a quantified formula, with the same arguments.
    Witness(QuantId, u32),
}

/// A term with variables, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Template(pub u32);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum TemplateNode {
    /// A variable: a position in the values that are given.
    Var(u32, Sort),
    App(Head, Box<[Template]>),
}

/// A quantified formula.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Quant {
    pub universal: bool,
    /// The variables that occur free in it; values of these are its arguments.
    pub free: Box<[u32]>,
    /// The first of its own variables.
    pub first: u32,
    /// Their names. Formulas that differ in them are different, as for Z3: who is asked must not decide
    /// what is proved.
    pub names: Box<[Box<str>]>,
    /// Their sorts.
    pub sorts: Box<[Sort]>,
    pub triggers: Vec<Box<[Template]>>,
    pub body: Template,
    /// Larger is instantiated later.
    pub weight: u32,
}

impl Quant {
    /// How many values it takes to instantiate the body.
    pub fn width(&self) -> usize {
        self.first as usize + self.sorts.len()
    }

    /// The values of the variables around it; the others are to be filled in.
    pub fn environment<N: Copy>(&self, free: &[N]) -> Vec<Option<N>> {
        let mut values = vec![None; self.width()];
        for (position, value) in self.free.iter().zip(free) {
            if let Some(slot) = values.get_mut(*position as usize) {
                *slot = Some(*value);
            }
        }
        values
    }
}

/// How a symbol takes part in a data type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Nothing is known of it but its axioms.
    Free,
    /// Makes values of a data type.
    Constructor,
    /// Takes this argument out of what this constructor made.
    Selector(Symbol, u32),
    /// Was it made by this constructor?
    Tester(Symbol),
}

#[derive(Clone, Debug)]
pub(crate) struct SymbolDecl {
    pub name: Box<str>,
    pub result: Sort,
    pub role: Role,
    pub arity: usize,
}

/// All that was declared or read; it only grows.
pub(crate) struct Syntax {
    sorts: HashMap<Box<str>, Sort>,
    pub symbols: Vec<SymbolDecl>,
    names: HashMap<Box<str>, Symbol>,
    templates: Vec<(TemplateNode, Sort, bool)>,
    numbers: HashMap<TemplateNode, Template>,
    quants: Vec<Quant>,
    quant_numbers: HashMap<Quant, QuantId>,
}

impl Syntax {
    pub fn new() -> Syntax {
        let builtin = [("Bool", Sort::BOOL), ("Int", Sort::INT), ("Real", Sort::REAL)];
        Syntax {
            sorts: builtin.into_iter().map(|(name, sort)| (name.into(), sort)).collect(),
            symbols: Vec::new(),
            names: HashMap::new(),
            templates: Vec::new(),
            numbers: HashMap::new(),
            quants: Vec::new(),
            quant_numbers: HashMap::new(),
        }
    }

    /// The sort with this name.
    pub fn sort(&mut self, name: &str) -> Sort {
        if let Some(sort) = self.sorts.get(name) {
            return *sort;
        }
        let sort = Sort(self.sorts.len() as u32);
        self.sorts.insert(name.into(), sort);
        sort
    }

    /// The symbol with this name, if it was declared.
    pub fn symbol(&self, name: &str) -> Option<Symbol> {
        self.names.get(name).copied()
    }

    /// Declares a symbol. One name is one symbol; none if it had another sort, since what was read of it
    /// would be about something else.
    pub fn declare(&mut self, decl: SymbolDecl) -> Option<Symbol> {
        if let Some(symbol) = self.names.get(&decl.name) {
            let known = &self.symbols[symbol.0 as usize];
            let same =
                (known.result, known.arity, known.role) == (decl.result, decl.arity, decl.role);
            return same.then_some(*symbol);
        }
        let symbol = Symbol(self.symbols.len() as u32);
        self.names.insert(decl.name.clone(), symbol);
        self.symbols.push(decl);
        Some(symbol)
    }

    pub fn role(&self, symbol: Symbol) -> Role {
        self.symbols[symbol.0 as usize].role
    }

    // --- Templates

    pub fn template(&self, template: Template) -> &TemplateNode {
        &self.templates[template.0 as usize].0
    }

    pub fn sort_of(&self, template: Template) -> Sort {
        self.templates[template.0 as usize].1
    }

    /// Are there no variables in it?
    pub fn is_closed(&self, template: Template) -> bool {
        self.templates[template.0 as usize].2
    }

    pub fn var(&mut self, position: u32, sort: Sort) -> Template {
        let node = TemplateNode::Var(position, sort);
        match self.numbers.get(&node) {
            Some(known) => *known,
            None => self.append(node, sort, false),
        }
    }

    pub fn app(&mut self, head: Head, args: &[Template]) -> Template {
        let node = TemplateNode::App(head, args.into());
        if let Some(known) = self.numbers.get(&node) {
            return *known;
        }
        let first = args.first().map_or(Sort::BOOL, |arg| self.sort_of(*arg));
        let second = args.get(1).map_or(Sort::BOOL, |arg| self.sort_of(*arg));
        let sort = self.result(head, first, second);
        let closed = args.iter().all(|arg| self.is_closed(*arg));
        self.append(node, sort, closed)
    }

    fn append(&mut self, node: TemplateNode, sort: Sort, closed: bool) -> Template {
        let template = Template(self.templates.len() as u32);
        self.numbers.insert(node.clone(), template);
        self.templates.push((node, sort, closed));
        template
    }

    /// The sort of an application, given those of its first arguments.
    pub fn result(&self, head: Head, first: Sort, second: Sort) -> Sort {
        match head {
            Head::Number(_, sort) => sort,
            Head::Symbol(symbol) => self.symbols[symbol.0 as usize].result,
            Head::Ite => second,
            Head::Add | Head::Sub | Head::Mul => first,
            Head::Div | Head::Mod => Sort::INT,
            Head::RealDiv | Head::ToReal => Sort::REAL,
            Head::Witness(quant, var) => self.quant(quant).sorts[var as usize],
            _ => Sort::BOOL,
        }
    }

    /// Is there such a head?
    pub fn declares(&self, head: Head) -> bool {
        match head {
            Head::Symbol(symbol) => (symbol.0 as usize) < self.symbols.len(),
            Head::Quant(id) => (id.0 as usize) < self.quants.len(),
            Head::Witness(id, var) => {
                self.quants.get(id.0 as usize).is_some_and(|q| (var as usize) < q.sorts.len())
            }
            _ => true,
        }
    }

    // --- Quantified formulas

    pub fn quant(&self, id: QuantId) -> &Quant {
        &self.quants[id.0 as usize]
    }

    pub fn add_quant(&mut self, quant: Quant) -> QuantId {
        if let Some(known) = self.quant_numbers.get(&quant) {
            return *known;
        }
        let id = QuantId(self.quants.len() as u32);
        self.quant_numbers.insert(quant.clone(), id);
        self.quants.push(quant);
        id
    }
}
