//! Symbolic heaps of the shape analysis as assertions that can be evaluated in states of the interpreter.

use std::collections::BTreeMap;

use arith::Sum;
use heap::{GlobalId, ObjectId};
use shape::{
    Body, Heap, Interval, NEXT, Obj, PREV, Pred, Preds, SELF, SHARED, Seg, Shape, State, Sym,
};

use crate::holds::{Atom, Definition, Pure, SymbolicHeap, Term};

/// The definitions of all predicates: for each one whose instances may be empty, and one for those that are not.
#[must_use]
pub fn definitions(preds: &Preds) -> Vec<Definition> {
    let all = preds.all().iter().enumerate();
    all.flat_map(|(number, pred)| {
        let longer: Vec<SymbolicHeap> =
            pred.bodies.iter().map(|body| node(pred, number, body)).collect();
        let params = 4 + pred.shared;
        let both = std::iter::once(empty(pred)).chain(longer.iter().cloned()).collect();
        [Definition { params, cases: both }, Definition { params, cases: longer }]
    })
    .collect()
}

/// Parameters of a definition: where an instance starts and ends, what the first link back holds, the last node;
/// then those that all nodes have in common.
const ROOT: u32 = 0;
const TO: u32 = 1;
const BEFORE: u32 = 2;
const LAST: u32 = 3;
const FIRST_SHARED: u32 = 4;

fn empty(pred: &Pred) -> SymbolicHeap {
    let equal = |a, b| Pure::Eq(Term::Exists(a), b);
    let pure = match pred.shape {
        Shape::List => vec![equal(ROOT, Term::Exists(TO))],
        Shape::Dlist => vec![equal(ROOT, Term::Exists(TO)), equal(BEFORE, Term::Exists(LAST))],
        Shape::Tree => vec![equal(ROOT, Term::Int(0))],
    };
    SymbolicHeap { exists: 0, atoms: Vec::new(), pure }
}

/// One node, and the rest.
fn node(pred: &Pred, number: usize, body: &Body) -> SymbolicHeap {
    let mut scope = Scope::new(FIRST_SHARED + pred.shared);
    for i in 0..pred.shared {
        scope.known.insert(Sym(SHARED + i), Term::Exists(FIRST_SHARED + i));
    }
    let here = Term::Exists(ROOT);
    scope.known.insert(SELF, plus(here.clone(), -pred.head));
    let next = scope.term(shape::Term::sym(NEXT));
    scope.known.insert(PREV, Term::Exists(BEFORE));
    if pred.shape == Shape::Tree {
        scope.known.insert(NEXT, Term::Int(0));
    }
    let mut result = SymbolicHeap::default();
    scope.heap(&body.heap, &mut result);
    let shared = || (0..pred.shared).map(|i| Term::Exists(FIRST_SHARED + i));
    let mut rest = |root: Term, before: Term| {
        let args = [root, Term::Exists(TO), before, Term::Exists(LAST)];
        let args = args.into_iter().chain(shared()).collect();
        result.atoms.push(Atom::Instance { definition: 2 * number, args });
    };
    match pred.shape {
        Shape::List => rest(next, Term::Int(0)),
        Shape::Dlist => rest(next, here),
        Shape::Tree => {
            let parents = pred.bodies.iter().any(shape::has_parent);
            let before = if parents { here } else { Term::Int(0) };
            let cells = body.heap.objs.get(&SELF).map(|obj| obj.cells.clone()).unwrap_or_default();
            for cell in body.children.iter().filter_map(|child| cells.get(child)) {
                rest(scope.term(cell.value), before.clone());
            }
        }
    }
    result.exists = scope.next - (FIRST_SHARED + pred.shared);
    result
}

/// What a state says of the variables and the memory of a procedure.
#[must_use]
pub fn assertion(state: &State) -> SymbolicHeap {
    let mut scope = Scope::new(0);
    for (i, sym) in state.objects.iter().enumerate() {
        if let Some(sym) = sym {
            scope.known.insert(*sym, Term::Local(ObjectId(i as u32)));
        }
    }
    let mut result = SymbolicHeap::default();
    for (i, term) in state.vars.iter().enumerate().filter(|(_, term)| **term != shape::Term::DEAD) {
        let value = scope.term(*term);
        result.pure.push(Pure::Eq(Term::Var(heap::VarId(i as u32)), value));
    }
    scope.heap(&state.heap, &mut result);
    result.exists = scope.next;
    result
}

fn plus(term: Term, k: i128) -> Term {
    if k == 0 { term } else { Term::Plus(Box::new(term), Box::new(Term::Int(k))) }
}

/// What symbols stand for.
struct Scope {
    known: BTreeMap<Sym, Term>,
    /// The next variable.
    next: u32,
}

impl Scope {
    fn new(next: u32) -> Scope {
        Scope { known: BTreeMap::new(), next }
    }

    fn symbol(&mut self, sym: Sym) -> Term {
        if let Some(id) = shape::as_procedure(sym) {
            return Term::Proc(id);
        }
        if let Some(number) = shape::as_global(sym) {
            return Term::Global(GlobalId(number));
        }
        if let Some(term) = self.known.get(&sym) {
            return term.clone();
        }
        let term = Term::Exists(self.next);
        self.next += 1;
        self.known.insert(sym, term.clone());
        term
    }

    fn term(&mut self, term: shape::Term) -> Term {
        if term == shape::Term::DEAD {
            self.next += 1;
            return Term::Exists(self.next - 1);
        }
        match term.base {
            None => Term::Int(term.k),
            Some(sym) => plus(self.symbol(sym), term.k),
        }
    }

    fn heap(&mut self, heap: &Heap, result: &mut SymbolicHeap) {
        for (at, obj) in heap.objs.iter().filter(|(_, obj)| !obj.constant) {
            let atom = self.object(*at, obj);
            result.atoms.push(atom);
        }
        for seg in &heap.segs {
            let atom = self.segment(seg);
            result.atoms.push(atom);
        }
        for (sym, Interval { low, high }) in &heap.pure.bounds {
            let term = self.symbol(*sym);
            result.pure.extend(low.map(|low| Pure::Le(Term::Int(low), term.clone())));
            result.pure.extend(high.map(|high| Pure::Le(term.clone(), Term::Int(high))));
        }
        for sum in &heap.pure.linear {
            let sum = self.sum(sum);
            result.pure.push(Pure::Le(Term::Int(0), sum));
        }
        for (a, b, k) in &heap.pure.different {
            let left = self.symbol(*a);
            let right = self.term(shape::Term { base: *b, k: *k });
            result.pure.push(Pure::Ne(left, right));
        }
    }

    fn object(&mut self, at: Sym, obj: &Obj) -> Atom {
        let cells = obj.cells.iter().filter_map(|(offset, cell)| {
            let offset = i64::try_from(*offset).ok()?;
            Some((offset, u8::try_from(cell.width).ok()?, self.term(cell.value)))
        });
        let cells = cells.collect();
        Atom::Cells {
            at: self.symbol(at),
            size: Some(self.term(obj.size)),
            on_heap: obj.kind == shape::Kind::Heap,
            cells,
        }
    }

    fn segment(&mut self, seg: &Seg) -> Atom {
        let definition = 2 * seg.pred.0 as usize + usize::from(seg.nonempty);
        let args = [seg.root, seg.to, seg.before, seg.last];
        let args = args.into_iter().chain(seg.shared.iter().copied());
        Atom::Instance { definition, args: args.map(|term| self.term(term)).collect() }
    }

    fn sum(&mut self, sum: &Sum) -> Term {
        let mut total = Term::Int(sum.constant);
        for (var, factor) in &sum.factors {
            let term = Term::Times(*factor, Box::new(self.symbol(Sym(*var))));
            total = Term::Plus(Box::new(total), Box::new(term));
        }
        total
    }
}
