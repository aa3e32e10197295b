//! From names to numbers and back, one formula at a time.

use std::collections::BTreeSet;

use super::symheap::{existential, is_existential};
use super::{Definitions, Form, FormHeap, Ident, PredId};
use crate::{Formula, Kind, Name, Reason, Symbol, SymbolicHeap, Term, TermKind, Var, Variable};

/// What becomes of variables and predicates.
trait Renaming<V, P, W, Q> {
    fn var(&mut self, var: &V) -> Result<W, Reason>;
    fn pred(&mut self, pred: &P) -> Result<Q, Reason>;
    /// From here on these variables are bound; `body` is where.
    fn enter(&mut self, vars: &[V], body: &[Formula<V, P>]) -> Vec<W>;
    /// The last ones are no longer bound.
    fn leave(&mut self, count: usize);
}

fn term<V: Variable, P, W: Variable, Q>(
    by: &mut impl Renaming<V, P, W, Q>,
    written: &Term<V>,
) -> Result<Term<W>, Reason> {
    let mut parts = Vec::with_capacity(written.parts().len());
    for part in written.parts() {
        parts.push(term(by, part)?);
    }
    let mut only = || parts.pop().ok_or(Reason::IllSorted);
    Ok(Term::new(match written.kind() {
        TermKind::Var(var) => TermKind::Var(by.var(var)?),
        TermKind::Nil(sort) => TermKind::Nil(sort.clone()),
        TermKind::Int(value) => TermKind::Int(value.clone()),
        TermKind::Bool(value) => TermKind::Bool(*value),
        TermKind::Field(record, index, _) => TermKind::Field(record.clone(), *index, only()?),
        TermKind::Neg(_) => TermKind::Neg(only()?),
        TermKind::Record(record, _) => TermKind::Record(record.clone(), parts),
        TermKind::Add(_) => TermKind::Add(parts),
        TermKind::Mul(_) => TermKind::Mul(parts),
    }))
}

fn formula<V: Variable, P: Symbol, W: Variable, Q: Symbol>(
    by: &mut impl Renaming<V, P, W, Q>,
    written: &Formula<V, P>,
) -> Result<Formula<W, Q>, Reason> {
    let kind = match written.kind() {
        Kind::True => Kind::True,
        Kind::False => Kind::False,
        Kind::Emp => Kind::Emp,
        Kind::Eq(a, b) => Kind::Eq(term(by, a)?, term(by, b)?),
        Kind::Ne(a, b) => Kind::Ne(term(by, a)?, term(by, b)?),
        Kind::Le(a, b) => Kind::Le(term(by, a)?, term(by, b)?),
        Kind::Lt(a, b) => Kind::Lt(term(by, a)?, term(by, b)?),
        Kind::PointsTo(a, b) => Kind::PointsTo(term(by, a)?, term(by, b)?),
        Kind::Pred(pred, args) => {
            let pred = by.pred(pred)?;
            Kind::Pred(pred, args.iter().map(|arg| term(by, arg)).collect::<Result<_, _>>()?)
        }
        Kind::Sep(parts) => Kind::Sep(formulas(by, parts)?),
        Kind::And(parts) => Kind::And(formulas(by, parts)?),
        Kind::Or(parts) => Kind::Or(formulas(by, parts)?),
        Kind::Wand(a, b) => Kind::Wand(formula(by, a)?, formula(by, b)?),
        Kind::Not(part) => Kind::Not(formula(by, part)?),
        Kind::Exists(vars, body) => {
            let (vars, body) = bound(by, vars, body)?;
            Kind::Exists(vars, body)
        }
        Kind::Forall(vars, body) => {
            let (vars, body) = bound(by, vars, body)?;
            Kind::Forall(vars, body)
        }
    };
    Ok(Formula::new(kind, written.pos()))
}

fn formulas<V: Variable, P: Symbol, W: Variable, Q: Symbol>(
    by: &mut impl Renaming<V, P, W, Q>,
    parts: &[Formula<V, P>],
) -> Result<Vec<Formula<W, Q>>, Reason> {
    parts.iter().map(|part| formula(by, part)).collect()
}

fn bound<V: Variable, P: Symbol, W: Variable, Q: Symbol>(
    by: &mut impl Renaming<V, P, W, Q>,
    vars: &[V],
    body: &Formula<V, P>,
) -> Result<(Vec<W>, Formula<W, Q>), Reason> {
    let vars = by.enter(vars, std::slice::from_ref(body));
    let body = formula(by, body)?;
    by.leave(vars.len());
    Ok((vars, body))
}

fn heap<V: Variable, P: Symbol, W: Variable, Q: Symbol>(
    by: &mut impl Renaming<V, P, W, Q>,
    written: &SymbolicHeap<V, P>,
) -> Result<SymbolicHeap<W, Q>, Reason> {
    let atoms: Vec<Formula<V, P>> = written.pure.iter().chain(&written.spatial).cloned().collect();
    let vars = by.enter(&written.vars, &atoms);
    let (pure, spatial) = (formulas(by, &written.pure)?, formulas(by, &written.spatial)?);
    by.leave(vars.len());
    Ok(SymbolicHeap { vars, pure, spatial, open: written.open })
}

/// Numbers for names. Every binder gets numbers that no other has.
pub(super) struct Numbering<'a> {
    pred: &'a dyn Fn(&Name) -> Option<PredId>,
    free: &'a dyn Fn(&Var) -> Option<Ident>,
    bound: Vec<Ident>,
    binders: usize,
}

impl<'a> Numbering<'a> {
    /// `pred` and `free` say which numbers predicates and free variables have.
    pub(super) fn new(
        pred: &'a dyn Fn(&Name) -> Option<PredId>,
        free: &'a dyn Fn(&Var) -> Option<Ident>,
    ) -> Numbering<'a> {
        Numbering { pred, free, bound: Vec::new(), binders: 0 }
    }

    /// The formula with numbers.
    ///
    /// # Errors
    /// If a free variable or a predicate has none.
    pub(super) fn formula(mut self, written: &Formula) -> Result<Form, Reason> {
        formula(&mut self, written)
    }

    /// The symbolic heap with numbers.
    ///
    /// # Errors
    /// As above.
    pub(super) fn heap(mut self, written: &SymbolicHeap) -> Result<FormHeap, Reason> {
        heap(&mut self, written)
    }
}

impl Renaming<Var, Name, Ident, PredId> for Numbering<'_> {
    fn var(&mut self, var: &Var) -> Result<Ident, Reason> {
        let bound = self.bound.iter().rev().find(|ident| ident.name == var.name).cloned();
        bound.or_else(|| (self.free)(var)).ok_or(Reason::OpenVariable)
    }

    fn pred(&mut self, name: &Name) -> Result<PredId, Reason> {
        (self.pred)(name).ok_or_else(|| Reason::Undefined(name.clone()))
    }

    fn enter(&mut self, vars: &[Var], _: &[Formula]) -> Vec<Ident> {
        let mut idents = Vec::with_capacity(vars.len());
        for Var { name, sort } in vars {
            let number = existential(self.binders);
            self.binders += 1;
            idents.push(Ident { number, name: name.clone(), sort: sort.clone() });
        }
        self.bound.extend(idents.iter().cloned());
        idents
    }

    fn leave(&mut self, count: usize) {
        self.bound.truncate(self.bound.len().saturating_sub(count));
    }
}

/// Names for numbers: those that variables had, unless another one has it there.
struct Naming<'a> {
    definitions: &'a Definitions,
    bound: Vec<(super::Var, Var)>,
}

impl Definitions {
    /// The formula with names; these of its variables are called as here, others as they were.
    ///
    /// # Errors
    /// If a predicate has no name, or a variable that should be bound is not.
    pub fn named(&self, form: &Form, free: &[Ident]) -> Result<Formula, Reason> {
        let name = |ident: &Ident| Var { name: ident.name.clone(), sort: ident.sort.clone() };
        let bound = free.iter().map(|ident| (ident.number, name(ident))).collect();
        formula(&mut Naming { definitions: self, bound }, form)
    }
}

/// The symbolic heap with names.
///
/// # Errors
/// As above.
pub(super) fn named_heap(
    definitions: &Definitions,
    form: &FormHeap,
) -> Result<SymbolicHeap, Reason> {
    heap(&mut Naming { definitions, bound: Vec::new() }, form)
}

impl Renaming<Ident, PredId, Var, Name> for Naming<'_> {
    fn var(&mut self, var: &Ident) -> Result<Var, Reason> {
        match self.bound.iter().rev().find(|(number, _)| *number == var.number) {
            Some((_, named)) => Ok(named.clone()),
            None if is_existential(var.number) => Err(Reason::OpenVariable),
            None => Ok(Var { name: var.name.clone(), sort: var.sort.clone() }),
        }
    }

    fn pred(&mut self, pred: &PredId) -> Result<Name, Reason> {
        self.definitions.name(*pred).cloned().ok_or(Reason::NoSuchInstance)
    }

    fn enter(&mut self, vars: &[Ident], body: &[Form]) -> Vec<Var> {
        let mut taken = BTreeSet::new();
        for var in body.iter().flat_map(Form::free_vars).filter(|var| !vars.contains(var)) {
            taken.extend(self.var(&var).map(|named| named.name));
        }
        let mut all = Vec::with_capacity(vars.len());
        for Ident { number, name, sort } in vars {
            let named = Var { name: name.clone(), sort: sort.clone() }.apart_from(&taken);
            taken.insert(named.name.clone());
            self.bound.push((*number, named.clone()));
            all.push(named);
        }
        all
    }

    fn leave(&mut self, count: usize) {
        self.bound.truncate(self.bound.len().saturating_sub(count));
    }
}
