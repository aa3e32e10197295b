//! Symbolic heaps as they were written, as those of the analysis.

use std::collections::BTreeMap;
use std::sync::Arc;

use arith::Sum;
use heap::{Program, Scalar};
use num_traits::ToPrimitive;
use report::{Diagnostic, Pos};
use shape::{Cell, Pred, Preds, Seg, State, Term};
use sl::{Formula, Kind, Name, Signature, SymbolicHeap, TermKind};

use super::notation::Notation;
use super::predicates::{Context, Predicates};

type Result<T> = std::result::Result<T, Box<Diagnostic>>;

/// Reads formulas about variables.
pub(crate) struct Reader<'a> {
    context: Context<'a>,
    names: &'a [(String, Scalar)],
    predicates: Predicates,
    /// What got lost.
    weaker: Option<String>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(
        program: &'a Program,
        notation: &'a Notation,
        signature: &'a Signature,
        names: &'a [(String, Scalar)],
    ) -> Reader<'a> {
        let context = Context { program, notation, signature };
        Reader { context, names, predicates: Predicates::default(), weaker: None }
    }

    pub(crate) fn finish(self) -> (Vec<Pred>, Option<String>) {
        (self.predicates.all, self.weaker)
    }

    /// The formula without instances of predicates that are not inductive.
    pub(crate) fn unfolded(&mut self, formula: &Formula) -> Result<Formula> {
        let unfolded = self.context.signature.unfolded(formula, |_| false);
        unfolded.ok_or_else(|| refused(formula.pos(), "the definitions make this too large"))
    }

    /// The state that a symbolic heap describes; none if it contradicts itself.
    pub(crate) fn state(&mut self, written: &SymbolicHeap) -> Result<Option<State>> {
        let mut disjunct =
            Disjunct { state: State::default(), places: BTreeMap::new(), declared: 0 };
        for (name, _) in self.names {
            disjunct.declare(name.as_str().into());
        }
        for var in &written.vars {
            disjunct.declare(var.name.clone());
        }
        // Predicates first: what follows from a disequation depends on them.
        let mut segments = Vec::new();
        for atom in &written.spatial {
            if let Kind::Pred(name, args) = atom.kind() {
                let Some(known) = self.predicates.find(self.context, name) else {
                    let message = format!(
                        "`{name}` is no list and no tree that the analysis of shapes knows"
                    );
                    let help = "it knows lists, doubly linked lists, trees, and lists of lists";
                    return Err(Box::new(
                        Diagnostic::error("infer.contract", atom.pos(), message).with_help(help),
                    ));
                };
                segments.push((known, args, atom.pos()));
            }
        }
        let preds = Preds::with(&self.predicates.all);
        for atom in &written.pure {
            if !disjunct.assume(&preds, atom)? {
                return Ok(None);
            }
        }
        let used = occurrences(written);
        for atom in &written.spatial {
            if let Kind::PointsTo(loc, content) = atom.kind()
                && !self.object(&mut disjunct, loc, content, &used, atom.pos())?
            {
                return Ok(None);
            }
        }
        for (known, args, pos) in segments {
            let arg = |i: Option<usize>, disjunct: &mut Disjunct| match i {
                None => Ok(Term::NULL),
                Some(i) => match args.get(i) {
                    Some(term) => disjunct.value(term, pos),
                    None => Ok(Term::NULL),
                },
            };
            let root = arg(Some(known.root), &mut disjunct)?;
            let to = arg(known.to, &mut disjunct)?;
            let before = arg(known.before, &mut disjunct)?;
            let last = match (known.doubly, known.last) {
                (true, None) => Term::sym(disjunct.state.heap.fresh()),
                (_, last) => arg(last, &mut disjunct)?,
            };
            if let Some(why) = known.weaker {
                self.weaker = Some(why.into());
            }
            let outside = to == Term::NULL
                || to.base.is_some_and(|sym| disjunct.state.heap.objs.contains_key(&sym));
            if known.acyclic && !outside {
                self.weaker = Some("a list may be cyclic".into());
            }
            let (pred, nonempty) = (known.pred, known.nonempty);
            let shared = Vec::new();
            disjunct.state.heap.segs.push(Seg {
                pred,
                root,
                to,
                before,
                last,
                shared,
                nonempty,
                facts: shape::Facts::default(),
            });
        }
        let mut state = disjunct.state;
        if state.normalise(&preds).is_err() {
            return Ok(None);
        }
        state.vars.retain(|var| var < self.names.len());
        Ok(Some(state))
    }

    fn object(
        &mut self,
        disjunct: &mut Disjunct,
        loc: &sl::Term,
        content: &sl::Term,
        used: &BTreeMap<Name, usize>,
        pos: Pos,
    ) -> Result<bool> {
        let Some(layout) = self.context.layout(&loc.sort()) else {
            return Err(refused(pos, "nobody knows what is at this location"));
        };
        let at = disjunct.value(loc, pos)?;
        let Term { base: Some(at), k: 0 } = at else { return Ok(false) };
        let TermKind::Record(_, values) = content.kind() else {
            return Err(refused(pos, "the content of a location is written `{field: value}`"));
        };
        let mut obj = self.context.object(layout);
        for (place, value) in layout.places.iter().zip(values) {
            // What is mentioned nowhere else is any value, which need not be said.
            let only = value.as_var().is_some_and(|var| used.get(&var.name) == Some(&1));
            let own = |var: &sl::Var| self.names.iter().any(|(name, _)| name == var.name.as_str());
            if only && !value.as_var().is_some_and(own) || matches!(place.ty, Scalar::Float(_)) {
                continue;
            }
            let value = disjunct.value(value, pos)?;
            self.context.store(&mut obj, place, value);
        }
        if disjunct.state.heap.objs.contains_key(&at) {
            return Ok(false);
        }
        disjunct.state.heap.objs.insert(at, Arc::new(obj));
        Ok(true)
    }
}

/// A disjunct on its way. Values of variables are those of the state, so that they follow its equations.
struct Disjunct {
    state: State,
    places: BTreeMap<Name, usize>,
    /// So many places are taken.
    declared: usize,
}

impl Disjunct {
    fn declare(&mut self, name: Name) {
        let sym = self.state.heap.fresh();
        self.places.insert(name, self.declared);
        self.state.vars.set(self.declared, Term::sym(sym));
        self.declared += 1;
    }

    fn lookup(&self, name: &Name) -> Option<Term> {
        self.places.get(name).map(|place| self.state.vars.get(*place))
    }

    /// A term as a value; a sum that is none gets a symbol.
    fn value(&mut self, term: &sl::Term, pos: Pos) -> Result<Term> {
        let sum = self.sum(term, pos)?;
        if let Some(term) = Term::of_sum(&sum) {
            return Ok(term);
        }
        let new = Term::sym(self.state.heap.fresh());
        if let (Some(more), Some(less)) = (sum.plus(&new.sum(), -1), new.sum().plus(&sum, -1)) {
            self.state.heap.pure.assume(&more);
            self.state.heap.pure.assume(&less);
        }
        Ok(new)
    }

    fn sum(&self, term: &sl::Term, pos: Pos) -> Result<Sum> {
        let large = || refused(pos, "a number is too large");
        match term.kind() {
            TermKind::Nil(_) => Ok(Sum::number(0)),
            TermKind::Var(var) => match self.lookup(&var.name) {
                Some(term) => Ok(term.sum()),
                None => Err(refused(pos, &format!("nobody knows `{}`", var.name))),
            },
            TermKind::Int(n) => n.to_i64().map(|n| Sum::number(n.into())).ok_or_else(large),
            TermKind::Neg(part) => self.sum(part, pos)?.negative().ok_or_else(large),
            TermKind::Add(parts) => parts.iter().try_fold(Sum::default(), |all, part| {
                all.plus(&self.sum(part, pos)?, 1).ok_or_else(large)
            }),
            TermKind::Mul(parts) => parts.iter().try_fold(Sum::number(1), |all, part| {
                let part = self.sum(part, pos)?;
                let (number, sum) = match (all.factors.is_empty(), part.factors.is_empty()) {
                    (true, _) => (all.constant, part),
                    (_, true) => (part.constant, all),
                    _ => return Err(refused(pos, "a product of variables is not supported")),
                };
                Sum::default().plus(&sum, number).ok_or_else(large)
            }),
            TermKind::Bool(_) | TermKind::Record(..) | TermKind::Field(..) => {
                Err(refused(pos, "a location or a number is expected here"))
            }
        }
    }

    /// Adds a pure atom; `false` if that is a contradiction.
    fn assume(&mut self, preds: &Preds, atom: &Formula) -> Result<bool> {
        let pos = atom.pos();
        let (Kind::Eq(a, b) | Kind::Ne(a, b) | Kind::Le(a, b) | Kind::Lt(a, b)) = atom.kind()
        else {
            return Err(refused(pos, "this is no relation of locations or numbers"));
        };
        let (left, right) = (self.sum(a, pos)?, self.sum(b, pos)?);
        let large = || refused(pos, "a number is too large");
        let mut more = right.plus(&left, -1).ok_or_else(large)?;
        let less = more.negative().ok_or_else(large)?;
        Ok(match atom.kind() {
            Kind::Le(..) => self.state.heap.pure.assume(&more),
            Kind::Lt(..) => {
                more.constant = more.constant.checked_sub(1).ok_or_else(large)?;
                self.state.heap.pure.assume(&more)
            }
            Kind::Eq(..) => match (Term::of_sum(&left), Term::of_sum(&right)) {
                (Some(a), Some(b)) => self.state.unify(preds, a, b).is_ok(),
                _ => self.state.heap.pure.assume(&more) && self.state.heap.pure.assume(&less),
            },
            _ => {
                let (a, b) = (self.value(a, pos)?, self.value(b, pos)?);
                self.state.distinguish(preds, a, b).is_ok()
            }
        })
    }
}

/// How often variables are mentioned.
fn occurrences(heap: &SymbolicHeap) -> BTreeMap<Name, usize> {
    let mut all = BTreeMap::new();
    for term in heap.pure.iter().chain(&heap.spatial).flat_map(Formula::terms) {
        term.for_each_var(&mut |var| *all.entry(var.name.clone()).or_default() += 1);
    }
    all
}

/// A value is one of a type; `false` if that is a contradiction.
pub(crate) fn is_of_type(state: &mut State, value: Term, ty: Scalar) -> bool {
    let Scalar::Int(ty) = ty else { return true };
    let Some((least, largest)) = ty.bounds() else { return true };
    let least = value.sum().plus(&Sum::number(least), -1);
    let largest = Sum::number(largest).plus(&value.sum(), -1);
    [least, largest].into_iter().flatten().all(|sum| state.heap.pure.assume(&sum))
}

/// Sets what a global variable holds.
pub(crate) fn set_global(
    program: &Program,
    state: &mut State,
    name: &str,
    ty: Scalar,
    value: Term,
) {
    let Some(number) = program.globals.iter().position(|g| g.name == name) else { return };
    let width = ty.bytes(program.model);
    let obj = shape::Obj {
        size: Term::int(i128::from(width)),
        kind: shape::Kind::Global,
        cells: BTreeMap::from([(0, Cell { width, ty, value })]),
        zeroed: false,
        constant: false,
        record: None,
    };
    state.heap.objs.insert(shape::global(number as u32), Arc::new(obj));
}

fn refused(pos: Pos, message: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::error("infer.contract", pos, message))
}
