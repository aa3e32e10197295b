//! Terms of the stack as terms of the solver. Records are as many terms as they have fields.

use std::collections::BTreeMap;
use std::rc::Rc;

use sl::core::{Expr, Form, Ident, Var};
use sl::{Kind, Name, Signature, TermKind};
use smt::{FunId, Meaning, Sort, Term, Terms};

use sl::Reason;

/// A value of any sort: one term, or those of the fields of a record.
pub(crate) type Flat = Rc<[Term]>;

type Result<T> = std::result::Result<T, Reason>;

/// What is allocated at the beginning, for one sort of locations.
pub(crate) struct Base {
    pub(crate) allocated: FunId,
    pub(crate) fields: Vec<FunId>,
}

/// Sorts, variables and their terms.
pub(crate) struct Stack<'a> {
    pub(crate) signature: &'a Signature,
    pub(crate) terms: Terms,
    /// What holds of the names that were made up.
    pub(crate) facts: Vec<Term>,
    /// By the cells of the signature.
    pub(crate) base: Vec<Base>,
    sorts: BTreeMap<Name, (Sort, Term)>,
    variables: BTreeMap<Var, (Ident, Flat)>,
    /// Names of values of quantified variables.
    made_up: Vec<(sl::Sort, Flat)>,
    bound: Vec<(Var, Flat)>,
}

impl<'a> Stack<'a> {
    pub(crate) fn new(signature: &'a Signature) -> Result<Stack<'a>> {
        let mut stack = Stack {
            signature,
            terms: Terms::new(),
            facts: Vec::new(),
            base: Vec::new(),
            sorts: BTreeMap::new(),
            variables: BTreeMap::new(),
            made_up: Vec::new(),
            bound: Vec::new(),
        };
        for (index, cell) in signature.heap.iter().enumerate() {
            let sl::Sort::Loc(name) = &cell.loc else {
                return Err(Reason::NoLocations(cell.loc.clone()));
            };
            let (loc, _) = stack.locations(name);
            let allocated =
                stack.terms.declare(&format!("allocated.{index}"), vec![loc], Sort::Bool);
            let fields = stack.functions(index, "content", loc)?;
            stack.base.push(Base { allocated, fields });
        }
        Ok(stack)
    }

    /// New functions for what locations of a cell hold.
    pub(crate) fn functions(&mut self, cell: usize, name: &str, loc: Sort) -> Result<Vec<FunId>> {
        let Some(declared) = self.signature.heap.get(cell) else { return Ok(Vec::new()) };
        let sorts = self.flat_sorts(&declared.content)?;
        let declare =
            |(field, sort)| self.terms.declare(&format!("{name}.{cell}.{field}"), vec![loc], sort);
        Ok(sorts.into_iter().enumerate().map(declare).collect())
    }

    fn locations(&mut self, name: &Name) -> (Sort, Term) {
        if let Some(known) = self.sorts.get(name) {
            return *known;
        }
        let text = format!("loc.{name}");
        let sort = self.terms.signature.add_sort(text, Meaning::Uninterpreted);
        let nil = self.terms.constant(&format!("nil.{name}"), sort);
        self.sorts.insert(name.clone(), (sort, nil));
        (sort, nil)
    }

    /// `nil` of a sort of locations.
    pub(crate) fn nil(&mut self, sort: &sl::Sort) -> Option<Term> {
        match sort {
            sl::Sort::Loc(name) => Some(self.locations(name).1),
            _ => None,
        }
    }

    /// The sorts of the terms that a value is.
    pub(crate) fn flat_sorts(&mut self, sort: &sl::Sort) -> Result<Vec<Sort>> {
        Ok(match sort {
            sl::Sort::Int => vec![Sort::Int],
            sl::Sort::Bool => vec![Sort::Bool],
            sl::Sort::Loc(name) => vec![self.locations(name).0],
            sl::Sort::Record(_) => {
                let Some(record) = self.signature.record(sort) else {
                    return Err(Reason::IllSorted);
                };
                let mut all = Vec::new();
                for field in &record.fields {
                    all.extend(self.flat_sorts(&field.sort)?);
                }
                all
            }
        })
    }

    /// Uses equations that must hold to have fewer names.
    pub(crate) fn identify(&mut self, formula: &Form) -> Result<()> {
        match formula.kind() {
            Kind::And(parts) | Kind::Sep(parts) => {
                parts.iter().try_for_each(|part| self.identify(part))
            }
            Kind::Eq(a, b) => {
                for (side, other) in [(a, b), (b, a)] {
                    let Some(var) = side.as_var() else { continue };
                    if self.variables.contains_key(&var.number) {
                        continue;
                    }
                    let value = self.term(other)?;
                    // It may have been mentioned on the other side.
                    self.variables.entry(var.number).or_insert_with(|| (var.clone(), value));
                    break;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The terms of a stack variable.
    pub(crate) fn variable(&mut self, var: &Ident) -> Result<Flat> {
        if let Some((_, known)) = self.variables.get(&var.number) {
            return Ok(known.clone());
        }
        let value = self.new_value(&var.name, &var.sort)?;
        self.variables.insert(var.number, (var.clone(), value.clone()));
        Ok(value)
    }

    fn new_value(&mut self, name: &Name, sort: &sl::Sort) -> Result<Flat> {
        let sorts = self.flat_sorts(sort)?;
        Ok(sorts.into_iter().map(|sort| self.terms.fresh(&format!("v.{name}"), sort)).collect())
    }

    /// The terms that a term is.
    pub(crate) fn term(&mut self, term: &Expr) -> Result<Flat> {
        Ok(match term.kind() {
            TermKind::Var(var) => {
                let bound = self.bound.iter().rev().find(|(number, _)| *number == var.number);
                match bound {
                    Some((_, value)) => value.clone(),
                    None => self.variable(var)?,
                }
            }
            TermKind::Nil(sort) => match self.nil(sort) {
                Some(nil) => Rc::new([nil]),
                None => return Err(Reason::NoLocations(sort.clone())),
            },
            TermKind::Int(value) => Rc::new([self.terms.int(value.clone())]),
            TermKind::Bool(value) => Rc::new([self.terms.bool(*value)]),
            TermKind::Record(_, parts) => {
                let mut all = Vec::new();
                for part in parts {
                    all.extend_from_slice(&self.term(part)?);
                }
                all.into()
            }
            TermKind::Field(record, index, part) => {
                let mut start = 0;
                for field in record.fields.iter().take(*index) {
                    start += self.flat_sorts(&field.sort)?.len();
                }
                let length = self.flat_sorts(&term.sort())?.len();
                let whole = self.term(part)?;
                let Some(slice) = whole.get(start..start + length) else {
                    return Err(Reason::IllSorted);
                };
                slice.into()
            }
            TermKind::Neg(part) => {
                let part = self.number(part)?;
                Rc::new([self.terms.neg(part)])
            }
            TermKind::Add(parts) => {
                let mut sum = self.terms.int(0);
                for part in parts {
                    let part = self.number(part)?;
                    sum = self.terms.add(sum, part);
                }
                Rc::new([sum])
            }
            TermKind::Mul(parts) => {
                let mut product = self.terms.int(1);
                for part in parts {
                    let part = self.number(part)?;
                    product = self.terms.mul(product, part);
                }
                Rc::new([product])
            }
        })
    }

    /// The term of an integer.
    pub(crate) fn number(&mut self, term: &Expr) -> Result<Term> {
        match *self.term(term)? {
            [number] if self.terms.sort(number) == Sort::Int => Ok(number),
            _ => Err(Reason::IllSorted),
        }
    }

    /// Are two values equal?
    pub(crate) fn same(&mut self, a: &[Term], b: &[Term]) -> Term {
        let parts: Vec<Term> = a.iter().zip(b).map(|(x, y)| self.terms.eq(*x, *y)).collect();
        self.terms.and(parts)
    }

    /// Is one different from all of the others?
    pub(crate) fn differs(&mut self, value: &[Term], others: &[Flat]) -> Term {
        let mut all = Vec::with_capacity(others.len());
        for other in others {
            let same = self.same(value, other);
            all.push(self.terms.not(same));
        }
        self.terms.and(all)
    }

    /// New constants.
    pub(crate) fn make_up(&mut self, name: &Name, sort: &sl::Sort) -> Result<Flat> {
        let value = self.new_value(name, sort)?;
        self.made_up.push((sort.clone(), value.clone()));
        Ok(value)
    }

    /// From now on variables stand for these values.
    pub(crate) fn bind(&mut self, values: impl Iterator<Item = (Var, Flat)>) -> usize {
        let depth = self.bound.len();
        self.bound.extend(values);
        depth
    }

    /// Ends what [`Stack::bind`] began.
    pub(crate) fn unbind(&mut self, depth: usize) {
        self.bound.truncate(depth);
    }

    /// In a definition nothing is bound but its parameters. Returns what was bound before.
    pub(crate) fn replace_bound(&mut self, bound: Vec<(Var, Flat)>) -> Vec<(Var, Flat)> {
        std::mem::replace(&mut self.bound, bound)
    }

    /// All variables that were mentioned.
    pub(crate) fn variables(&self) -> impl Iterator<Item = &(Ident, Flat)> {
        self.variables.values()
    }

    /// The values of a sort that have a name: variables and their fields, `nil`, what is held by
    /// locations that have a name, and one location that none of them is.
    pub(crate) fn named_values(&mut self, sort: &sl::Sort) -> Result<Vec<Flat>> {
        if *sort == sl::Sort::Bool {
            let values = [self.terms.bool(false), self.terms.bool(true)];
            return Ok(values.iter().map(|value| Flat::from([*value])).collect());
        }
        let mut named = self.variable_values(sort)?;
        named.extend(self.nil(sort).map(|nil| Flat::from([nil])));
        for (index, cell) in self.signature.heap.iter().enumerate() {
            for loc in self.variable_values(&cell.loc)? {
                let fields = self.base.get(index).map(|b| b.fields.clone()).unwrap_or_default();
                let value: Vec<Term> =
                    fields.into_iter().map(|field| self.terms.app(field, &loc)).collect();
                self.components(&cell.content, &value, sort, &mut named)?;
            }
        }
        named.sort_unstable();
        named.dedup();
        if sort.is_loc() {
            let other = self.make_up(&"other".into(), sort)?;
            let fact = self.differs(&other, &named);
            self.facts.push(fact);
            named.push(other);
        }
        Ok(named)
    }

    fn variable_values(&mut self, sort: &sl::Sort) -> Result<Vec<Flat>> {
        let variables = self.variables().map(|(var, value)| (var.sort.clone(), value.clone()));
        let known: Vec<(sl::Sort, Flat)> = variables.chain(self.made_up.iter().cloned()).collect();
        let mut all = Vec::new();
        for (its, value) in known {
            self.components(&its, &value, sort, &mut all)?;
        }
        all.sort_unstable();
        all.dedup();
        Ok(all)
    }

    /// The parts of a value that are of a sort.
    fn components(
        &mut self,
        of: &sl::Sort,
        value: &[Term],
        sort: &sl::Sort,
        all: &mut Vec<Flat>,
    ) -> Result<()> {
        if of == sort {
            all.push(value.into());
        } else if let Some(record) = self.signature.record(of) {
            let mut rest = value;
            for field in &record.fields {
                let length = self.flat_sorts(&field.sort)?.len();
                let Some((first, later)) = rest.split_at_checked(length) else { break };
                self.components(&field.sort, first, sort, all)?;
                rest = later;
            }
        }
        Ok(())
    }
}
