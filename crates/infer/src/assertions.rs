//! Symbolic heaps of the shape analysis as assertions that can be evaluated in states of the interpreter.

use std::collections::{BTreeMap, BTreeSet};

use arith::Sum;
use heap::{GlobalId, ObjectId};
use shape::{
    Body, Facts, Heap, Interval, NEXT, Obj, PREV, Pred, PredId, Preds, SELF, SHARED, Seg, Shape,
    State, Sym, Values,
};

use crate::holds::{Atom, Definition, Pure, SymbolicHeap, Term};

/// Assertions about the states of an analysis, with the definitions that they mention.
pub struct Assertions<'p> {
    preds: &'p Preds,
    definitions: Vec<Definition>,
    /// Segments of which facts are known have definitions of their own.
    told: BTreeMap<(PredId, Signature), usize>,
}

/// Which facts are known about a segment: the terms that they mention are arguments.
type Signature = (bool, BTreeMap<i128, ([bool; 4], Option<Interval>)>);

impl<'p> Assertions<'p> {
    /// For each predicate a definition for instances that may be empty, and one for those that are not.
    #[must_use]
    pub fn new(preds: &'p Preds) -> Assertions<'p> {
        let all = preds.all().iter().enumerate();
        let plain = all.flat_map(|(number, pred)| {
            let longer: Vec<SymbolicHeap> =
                pred.bodies.iter().map(|body| node(pred, number, body)).collect();
            let params = 4 + pred.shared;
            let both = std::iter::once(empty(pred)).chain(longer.iter().cloned()).collect();
            [Definition { params, cases: both }, Definition { params, cases: longer }]
        });
        Assertions { preds, definitions: plain.collect(), told: BTreeMap::new() }
    }

    /// The definitions.
    #[must_use]
    pub fn definitions(self) -> Vec<Definition> {
        self.definitions
    }

    /// The definition for instances of a predicate about which these facts are known, and that may be empty; the one
    /// for those that are not is behind it.
    fn told(&mut self, id: PredId, signature: &Signature) -> usize {
        let key = (id, signature.clone());
        if let Some(known) = self.told.get(&key) {
            return *known;
        }
        let number = self.definitions.len();
        self.told.insert(key, number);
        self.definitions.extend([Definition::default(), Definition::default()]);
        let pred = self.preds.get(id);
        let params = FIRST_SHARED + pred.shared + arguments(signature);
        let mut cases = Vec::new();
        for body in &pred.bodies {
            cases.extend(told_node(pred, body, signature, number));
        }
        let mut nothing = empty(pred);
        if signature.0 {
            let length = Term::Exists(FIRST_SHARED + pred.shared);
            nothing.pure.push(Pure::Eq(length, Term::Int(0)));
        }
        let both = std::iter::once(nothing).chain(cases.iter().cloned()).collect();
        self.definitions[number] = Definition { params, cases: both };
        self.definitions[number + 1] = Definition { params, cases };
        number
    }
}

fn arguments(signature: &Signature) -> u32 {
    let values: usize =
        signature.1.values().map(|(has, _)| has.iter().filter(|h| **h).count()).sum();
    values as u32 + u32::from(signature.0)
}

const VALUES: [fn(&Values) -> Option<shape::Term>; 4] =
    [|v| v.first, |v| v.last, |v| v.low, |v| v.high];

fn signature(facts: &Facts) -> Signature {
    let values =
        facts.values.iter().map(|(at, v)| (*at, (VALUES.map(|get| get(v).is_some()), v.step)));
    (facts.length.is_some(), values.collect())
}

fn arguments_of(facts: &Facts) -> Vec<shape::Term> {
    let values = facts.values.values().flat_map(|v| VALUES.into_iter().filter_map(|get| get(v)));
    facts.length.into_iter().chain(values).collect()
}

/// One node of a list about which facts are known: it is the last one, or others follow.
fn told_node(pred: &Pred, body: &Body, signature: &Signature, number: usize) -> Vec<SymbolicHeap> {
    let first_fact = FIRST_SHARED + pred.shared;
    let mut cases = Vec::new();
    for is_last in [true, false] {
        if pred.shape == Shape::Tree && is_last {
            continue;
        }
        let mut scope = Scope::new(first_fact + arguments(signature));
        for i in 0..pred.shared {
            scope.known.insert(Sym(SHARED + i), Term::Exists(FIRST_SHARED + i));
        }
        let here = Term::Exists(ROOT);
        scope.known.insert(SELF, plus(here.clone(), -pred.head));
        if is_last {
            scope.known.insert(NEXT, Term::Exists(TO));
        }
        let next = scope.term(shape::Term::sym(NEXT));
        scope.known.insert(PREV, Term::Exists(BEFORE));
        if pred.shape == Shape::Tree {
            scope.known.insert(NEXT, Term::Int(0));
        }
        let mut result = SymbolicHeap::default();
        scope.plain_heap(&body.heap, &mut result);
        if is_last && pred.shape == Shape::Dlist {
            result.pure.push(Pure::Eq(Term::Exists(LAST), here.clone()));
        }
        let cells = body.heap.objs.get(&SELF).map(|obj| obj.cells.clone()).unwrap_or_default();
        let mut argument = first_fact;
        let mut rest: Vec<Term> = Vec::new();
        if signature.0 {
            let length = Term::Exists(argument);
            argument += 1;
            if is_last {
                result.pure.push(Pure::Eq(length, Term::Int(1)));
            } else {
                rest.push(plus(length, -1));
            }
        }
        for (at, (has, step)) in &signature.1 {
            let own = has.map(|has| {
                has.then(|| {
                    argument += 1;
                    Term::Exists(argument - 1)
                })
            });
            // Facts about a place that a node does not mention say nothing.
            let held = cells.get(at).map(|cell| scope.term(cell.value));
            let [first, last, low, high] = own;
            let below = |a: Option<Term>, b: Option<Term>| a.zip(b).map(|(a, b)| Pure::Le(a, b));
            let same = |a: Option<Term>, b: Option<Term>| a.zip(b).map(|(a, b)| Pure::Eq(a, b));
            result.pure.extend(below(low.clone(), held.clone()));
            result.pure.extend(below(held.clone(), high.clone()));
            result.pure.extend(same(first.clone(), held.clone()));
            if is_last {
                result.pure.extend(same(last, held));
                continue;
            }
            let follows = first.map(|_| {
                scope.next += 1;
                Term::Exists(scope.next - 1)
            });
            if let (Some(next), Some(held), Some(step)) = (&follows, held, step) {
                let bound = |k: i128| plus(held.clone(), k);
                result.pure.extend(step.low.map(|k| Pure::Le(bound(k), next.clone())));
                result.pure.extend(step.high.map(|k| Pure::Le(next.clone(), bound(k))));
            }
            rest.extend([follows, last, low, high].into_iter().flatten());
        }
        let shared = || (0..pred.shared).map(|i| Term::Exists(FIRST_SHARED + i));
        let mut instance = |root: Term, before: Term, definition: usize| {
            let args = [root, Term::Exists(TO), before, Term::Exists(LAST)];
            let args = args.into_iter().chain(shared()).chain(rest.iter().cloned()).collect();
            result.atoms.push(Atom::Instance { definition, args });
        };
        match pred.shape {
            _ if is_last => {}
            Shape::List => instance(next, Term::Int(0), number + 1),
            Shape::Dlist => instance(next, here, number + 1),
            Shape::Tree => {
                let parents = pred.bodies.iter().any(shape::has_parent);
                let before = if parents { here } else { Term::Int(0) };
                for cell in body.children.iter().filter_map(|child| cells.get(child)) {
                    instance(scope.term(cell.value), before.clone(), number);
                }
            }
        }
        result.exists = scope.next - (first_fact + arguments(signature));
        cases.push(result);
    }
    cases
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
    scope.plain_heap(&body.heap, &mut result);
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

impl Assertions<'_> {
    /// What a state says of the variables and the memory of a procedure. Of symbols that nothing in the state
    /// determines, nothing is said.
    #[must_use]
    pub fn assertion(&mut self, state: &State) -> SymbolicHeap {
        let mut scope = Scope::new(0);
        for (id, sym) in &state.objects {
            scope.known.insert(*sym, Term::Local(ObjectId(*id)));
        }
        let mut result = SymbolicHeap::default();
        for (i, term) in state.vars.iter() {
            let value = scope.term(term);
            result.pure.push(Pure::Eq(Term::Var(heap::VarId(i as u32)), value));
        }
        let determined = determined(state);
        let mut heap = state.heap.clone();
        heap.pure.retain(|sym| determined.contains(&sym) || shape::as_global(sym).is_some());
        for seg in std::mem::take(&mut heap.segs) {
            let mut facts = seg.facts.clone();
            facts.retain(|term| term.base.is_none_or(|base| determined.contains(&base)));
            if facts == Facts::default() {
                heap.segs.push(seg);
                continue;
            }
            let definition = self.told(seg.pred, &signature(&facts)) + usize::from(seg.nonempty);
            let args = [seg.root, seg.to, seg.before, seg.last].into_iter();
            let args = args.chain(seg.shared.iter().copied()).chain(arguments_of(&facts));
            let args = args.map(|term| scope.term(term)).collect();
            result.atoms.push(Atom::Instance { definition, args });
        }
        scope.plain_heap(&heap, &mut result);
        result.exists = scope.next;
        result
    }
}

/// Symbols whose values a state of the program determines.
fn determined(state: &State) -> BTreeSet<Sym> {
    let mut all: BTreeSet<Sym> = state.vars.values().filter_map(|term| term.base).collect();
    for (at, obj) in &state.heap.objs {
        all.insert(*at);
        all.extend(obj.size.base);
        all.extend(obj.cells.values().filter_map(|cell| cell.value.base));
    }
    for seg in &state.heap.segs {
        all.extend(seg.terms().filter_map(|term| term.base));
        all.extend(seg.facts.length.and_then(|term| term.base));
        let ends = seg.facts.values.values().flat_map(|v| [v.first, v.last]).flatten();
        all.extend(ends.filter(|_| seg.nonempty).filter_map(|term| term.base));
    }
    all
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

    /// Without facts about segments.
    fn plain_heap(&mut self, heap: &Heap, result: &mut SymbolicHeap) {
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
