//! Symbolic heaps: objects with what is at their places, and segments of inductive predicates, joined by
//! separating conjunction, with a pure part (the memories `(H; S; P)` of [MNCL06, Sec. 3.1]).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use heap::{ProcId, RecordId, Scalar};

use crate::facts::Facts;
use crate::preds::{PredId, Preds, Shape};
use crate::pure::Pure;
use crate::term::{Sym, Term};
use crate::vars::Vars;

/// Symbols from here on mean the same in every heap: global objects and procedures.
pub const RIGID: u32 = 1 << 30;
const PROCS: u32 = RIGID + (1 << 29);
/// No object is so near to address zero.
const LOWEST_ADDRESS: i128 = 1 << 24;

/// The address of a global object.
#[must_use]
pub fn global(number: u32) -> Sym {
    Sym(RIGID + number)
}

/// The address of a procedure.
#[must_use]
pub fn procedure(id: ProcId) -> Sym {
    Sym(PROCS + id.0)
}

/// The global object that a symbol is the address of.
#[must_use]
pub fn as_global(sym: Sym) -> Option<u32> {
    sym.0.checked_sub(RIGID).filter(|number| *number < PROCS - RIGID)
}

/// The procedure that a symbol is the address of.
#[must_use]
pub fn as_procedure(sym: Sym) -> Option<ProcId> {
    sym.0.checked_sub(PROCS).map(ProcId)
}

/// Does a symbol mean the same in every heap?
#[must_use]
pub fn is_rigid(sym: Sym) -> bool {
    sym.0 >= RIGID
}

/// Whose an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Allocated; it must be freed.
    Heap,
    /// A local object or one of `alloca`.
    Stack,
    /// A global object.
    Global,
}

/// What is at a place of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cell {
    /// How many bytes.
    pub width: u64,
    /// As what it was stored or read.
    pub ty: Scalar,
    /// The value.
    pub value: Term,
}

/// An object: `address |-> { offset: value, … }`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Obj {
    /// How many bytes.
    pub size: Term,
    /// Whose it is.
    pub kind: Kind,
    /// What is known about places; they do not overlap.
    pub cells: BTreeMap<i128, Cell>,
    /// Is everything else zero? Otherwise it is anything.
    pub zeroed: bool,
    /// Must nobody write to it?
    pub constant: bool,
    /// What it is meant to be.
    pub record: Option<RecordId>,
}

/// An instance of an inductive predicate.
///
/// - `List`: nodes from `root` up to, but without, `to`.
/// - `Dlist`: the same with links back: `before` is what the first one's leads to, `last` is the last node.
/// - `Tree`: all from `root` on; `before` is what the root's parent link holds, if there are such.
///
/// Segments may be cyclic: a node at `to` is not excluded but by what is separate from it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Seg {
    /// The predicate.
    pub pred: PredId,
    /// Where it starts.
    pub root: Term,
    /// Where it ends.
    pub to: Term,
    /// What the first node's link back holds.
    pub before: Term,
    /// The last node.
    pub last: Term,
    /// Arguments that all nodes have in common.
    pub shared: Vec<Term>,
    /// Is there a node?
    pub nonempty: bool,
    /// What is known about the numbers in its nodes, and about how many there are.
    pub facts: Facts,
}

impl Seg {
    /// One that has nodes, from nowhere to nowhere: what is known goes into its fields.
    pub(crate) fn nodes() -> Seg {
        Seg {
            pred: PredId(0),
            root: Term::NULL,
            to: Term::NULL,
            before: Term::NULL,
            last: Term::NULL,
            shared: Vec::new(),
            nonempty: true,
            facts: Facts::default(),
        }
    }

    /// Its arguments: what leads to memory, or may.
    pub fn terms(&self) -> impl Iterator<Item = Term> {
        [self.root, self.to, self.before, self.last].into_iter().chain(self.shared.iter().copied())
    }

    /// Its arguments and those of its facts.
    pub fn all_terms(&self) -> impl Iterator<Item = Term> {
        self.terms().chain(self.facts.terms())
    }

    fn terms_mut(&mut self) -> impl Iterator<Item = &mut Term> {
        [&mut self.root, &mut self.to, &mut self.before, &mut self.last]
            .into_iter()
            .chain(self.shared.iter_mut())
            .chain(self.facts.terms_mut())
    }

    /// With other terms.
    #[must_use]
    pub fn map(&self, map: &impl Fn(Term) -> Term) -> Seg {
        let mut new = self.clone();
        new.terms_mut().for_each(|term| *term = map(*term));
        new
    }
}

/// What a term leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// Into an object.
    Obj(Sym),
    /// To the first node of a segment, by its place in the list.
    First(usize),
    /// To the last node of a doubly linked segment.
    Last(usize),
    /// To nothing that is known to be there.
    Nowhere,
}

/// A contradiction: there is no such heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contradiction;

/// Whether a heap is possible.
pub type Consistent = Result<(), Contradiction>;

/// A symbolic heap.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Heap {
    /// Objects, by address.
    pub objs: BTreeMap<Sym, Arc<Obj>>,
    /// Segments.
    pub segs: Vec<Seg>,
    /// The pure part.
    pub pure: Pure,
    /// The next new symbol.
    pub fresh: u32,
}

impl Heap {
    /// A new symbol.
    pub fn fresh(&mut self) -> Sym {
        self.fresh += 1;
        Sym(self.fresh - 1)
    }

    /// An object, to be changed.
    pub fn obj_mut(&mut self, at: Sym) -> Option<&mut Obj> {
        self.objs.get_mut(&at).map(Arc::make_mut)
    }

    /// What a term leads to.
    #[must_use]
    pub fn place(&self, term: Term) -> Place {
        let Some(base) = term.base else { return Place::Nowhere };
        if self.objs.contains_key(&base) {
            return Place::Obj(base);
        }
        let first = |seg: &Seg| seg.root.base == Some(base);
        // One that is not empty is certain.
        if let Some(i) = self.segs.iter().position(|seg| seg.nonempty && first(seg)) {
            return Place::First(i);
        }
        if let Some(i) = self.segs.iter().position(|s| s.nonempty && s.last.base == Some(base)) {
            return Place::Last(i);
        }
        if let Some(i) = self.segs.iter().position(first) {
            return Place::First(i);
        }
        match self.segs.iter().position(|seg| seg.last.base == Some(base)) {
            Some(i) => Place::Last(i),
            None => Place::Nowhere,
        }
    }

    /// Is a symbol the address of an object, or what a segment starts or ends with?
    #[must_use]
    pub fn is_place(&self, sym: Sym) -> bool {
        self.place(Term::sym(sym)) != Place::Nowhere
    }

    /// Is there certainly an object or a node at the base of a symbol?
    #[must_use]
    pub fn is_allocated(&self, sym: Sym) -> bool {
        self.objs.contains_key(&sym)
            || self.segs.iter().any(|seg| {
                seg.nonempty && (seg.root.base == Some(sym) || seg.last.base == Some(sym))
            })
    }

    /// How many bytes the object at a symbol has, if that is known.
    fn size_at(&self, preds: &Preds, sym: Sym) -> Option<i128> {
        match self.place(Term::sym(sym)) {
            Place::Obj(at) => {
                self.objs.get(&at).filter(|o| o.size.base.is_none()).map(|o| o.size.k)
            }
            Place::First(i) | Place::Last(i) => preds.least_size(self.segs[i].pred),
            Place::Nowhere => None,
        }
    }

    /// Are two terms certainly different?
    #[must_use]
    pub fn disequal(&self, preds: &Preds, a: Term, b: Term) -> bool {
        if a.base == b.base {
            return a.k != b.k;
        }
        if self.pure.disequal(a, b) {
            return true;
        }
        let is_address = |sym: Sym| self.is_allocated(sym) || as_procedure(sym).is_some();
        match (a.base, b.base) {
            (Some(x), None) | (None, Some(x)) => {
                let (own, other) = if a.base.is_some() { (a.k, b.k) } else { (b.k, a.k) };
                is_address(x) && own.abs() < LOWEST_ADDRESS / 2 && other < LOWEST_ADDRESS / 2
            }
            (Some(x), Some(y)) => {
                let inside = |sym: Sym, k: i128| {
                    k == 0 || self.size_at(preds, sym).is_some_and(|size| (0..=size).contains(&k))
                };
                // The end of the one may be the start of the other.
                let meet = |k: i128, sym: Sym, other: i128| {
                    k == 0
                        && other != 0
                        && self.size_at(preds, sym).is_none_or(|size| other == size)
                };
                is_address(x)
                    && is_address(y)
                    && inside(x, a.k)
                    && inside(y, b.k)
                    && !meet(a.k, y, b.k)
                    && !meet(b.k, x, a.k)
                    && self.separate(x, y)
            }
            (None, None) => a.k != b.k,
        }
    }

    /// Is a term a place within the object or node that it is counted from? One further on may be in another.
    fn is_inside(&self, preds: &Preds, term: Term) -> bool {
        let Some(base) = term.base else { return false };
        let size = self.size_at(preds, base);
        term.k == 0 || size.is_some_and(|size| (0..size).contains(&term.k))
    }

    /// Are two addresses certainly those of different objects? The two ends of one segment may be one node.
    fn separate(&self, x: Sym, y: Sym) -> bool {
        if as_procedure(x).is_some() || as_procedure(y).is_some() {
            return true;
        }
        match (self.place(Term::sym(x)), self.place(Term::sym(y))) {
            (Place::First(i) | Place::Last(i), Place::First(j) | Place::Last(j)) => i != j,
            (Place::Nowhere, _) | (_, Place::Nowhere) => false,
            _ => true,
        }
    }

    /// Makes two terms equal.
    pub fn unify(
        &mut self,
        preds: &Preds,
        a: Term,
        b: Term,
    ) -> Result<Option<(Sym, Term)>, Contradiction> {
        if a.base == b.base {
            return if a.k == b.k { Ok(None) } else { Err(Contradiction) };
        }
        if self.disequal(preds, a, b) {
            return Err(Contradiction);
        }
        let (gone, by) = match (a.base, b.base) {
            (Some(x), None) => (x, b.plus(-a.k)),
            (None, Some(y)) => (y, a.plus(-b.k)),
            (Some(x), Some(y)) => {
                // The one that more is known about stays: rigid, an object, the older one.
                let rank = |sym: Sym| {
                    if is_rigid(sym) {
                        0
                    } else if self.objs.contains_key(&sym) {
                        1
                    } else if self.is_allocated(sym) {
                        2
                    } else {
                        3
                    }
                };
                if (rank(x), x) <= (rank(y), y) { (y, a.plus(-b.k)) } else { (x, b.plus(-a.k)) }
            }
            (None, None) => return Err(Contradiction),
        };
        if is_rigid(gone) || self.objs.contains_key(&gone) {
            // Equal, but there is no way to say so: numbers that are the address of something, or places
            // outside of their objects. Nothing is learned.
            return Ok(None);
        }
        self.replace(gone, by)?;
        Ok(Some((gone, by)))
    }

    /// Replaces a symbol that is not the address of an object.
    pub fn replace(&mut self, sym: Sym, by: Term) -> Consistent {
        for obj in self.objs.values_mut() {
            let mentions = |t: Term| t.base == Some(sym);
            if mentions(obj.size) || obj.cells.values().any(|cell| mentions(cell.value)) {
                let obj = Arc::make_mut(obj);
                obj.size = obj.size.replace(sym, by);
                obj.cells.values_mut().for_each(|cell| cell.value = cell.value.replace(sym, by));
            }
        }
        for seg in &mut self.segs {
            seg.terms_mut().for_each(|term| *term = term.replace(sym, by));
        }
        if self.pure.replace(sym, by) { Ok(()) } else { Err(Contradiction) }
    }

    /// All terms of atoms.
    pub fn for_each_term(&self, visit: &mut dyn FnMut(Term)) {
        for (at, obj) in &self.objs {
            visit(Term::sym(*at));
            visit(obj.size);
            obj.cells.values().for_each(|cell| visit(cell.value));
        }
        for seg in &self.segs {
            seg.all_terms().for_each(&mut *visit);
        }
    }

    /// The atoms that terms lead to, directly or not: objects and segments.
    #[must_use]
    pub fn reachable(
        &self,
        from: impl IntoIterator<Item = Term>,
    ) -> (BTreeSet<Sym>, BTreeSet<usize>) {
        let (mut objs, mut segs) = (BTreeSet::new(), BTreeSet::new());
        let mut seen = BTreeSet::new();
        let mut pending: Vec<Sym> = from.into_iter().filter_map(|term| term.base).collect();
        while let Some(sym) = pending.pop() {
            if !seen.insert(sym) {
                continue;
            }
            if let Some(obj) = self.objs.get(&sym) {
                objs.insert(sym);
                pending.extend(obj.cells.values().filter_map(|cell| cell.value.base));
            }
            for (i, seg) in self.segs.iter().enumerate() {
                let own = seg.root.base == Some(sym) || seg.last.base == Some(sym);
                if own && segs.insert(i) {
                    pending.extend(seg.terms().filter_map(|term| term.base));
                }
            }
        }
        (objs, segs)
    }

    /// The atoms that terms lead to even if segments are empty that may be. Such a segment leads from its start
    /// to its end, and from its last node to what is before it, but not to what only its nodes know.
    #[must_use]
    pub fn certainly_reachable(
        &self,
        from: impl IntoIterator<Item = Term>,
    ) -> (BTreeSet<Sym>, BTreeSet<usize>) {
        let (mut objs, mut segs) = (BTreeSet::new(), BTreeSet::new());
        let mut seen = BTreeSet::new();
        let mut pending: Vec<Sym> = from.into_iter().filter_map(|term| term.base).collect();
        while let Some(sym) = pending.pop() {
            if !seen.insert(sym) {
                continue;
            }
            if let Some(obj) = self.objs.get(&sym) {
                objs.insert(sym);
                pending.extend(obj.cells.values().filter_map(|cell| cell.value.base));
            }
            for (i, seg) in self.segs.iter().enumerate() {
                let (first, last) = (seg.root.base == Some(sym), seg.last.base == Some(sym));
                if first || last {
                    segs.insert(i);
                }
                if (first || last) && seg.nonempty {
                    pending.extend(seg.terms().filter_map(|term| term.base));
                }
                if first {
                    pending.extend(seg.to.base);
                }
                if last {
                    pending.extend(seg.before.base);
                }
            }
        }
        (objs, segs)
    }

    /// Removes a segment that is empty.
    pub fn empty(
        &mut self,
        preds: &Preds,
        index: usize,
    ) -> Result<Vec<(Sym, Term)>, Contradiction> {
        let seg = self.segs.remove(index);
        let mut replaced = Vec::new();
        let mut made: Vec<(Term, Term)> = Vec::new();
        match preds.shape(seg.pred) {
            Shape::List => made.push((seg.root, seg.to)),
            Shape::Dlist => made.extend([(seg.root, seg.to), (seg.last, seg.before)]),
            Shape::Tree => made.push((seg.root, Term::NULL)),
        }
        made.extend(seg.facts.length.map(|length| (length, Term::NULL)));
        while let Some((a, b)) = made.pop() {
            if let Some((gone, by)) = self.unify(preds, a, b)? {
                made.iter_mut().for_each(|(a, b)| {
                    *a = a.replace(gone, by);
                    *b = b.replace(gone, by);
                });
                replaced.push((gone, by));
            }
        }
        Ok(replaced)
    }
}

/// A symbolic heap at a location of a procedure, with what its variables hold.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct State {
    /// The heap.
    pub heap: Heap,
    /// What variables hold.
    pub vars: Vars,
    /// Addresses of local objects that are alive.
    pub objects: BTreeMap<u32, Sym>,
    /// Objects of `alloca`.
    pub allocas: Vec<Sym>,
    /// Values at the start of the procedure that its callers know: cutpoints.
    pub anchors: Vec<Term>,
}

impl State {
    /// What the program can name: everything but the heap.
    pub fn roots(&self) -> impl Iterator<Item = Term> {
        let stack = self.objects.values().chain(&self.allocas).map(|sym| Term::sym(*sym));
        let globals = self.heap.objs.range(Sym(RIGID)..).map(|(sym, _)| Term::sym(*sym));
        self.vars.values().chain(self.anchors.iter().copied()).chain(stack).chain(globals)
    }

    /// How many objects and segments the program's names certainly lead to.
    pub(crate) fn held(&self) -> (usize, usize) {
        let (objs, segs) = self.heap.certainly_reachable(self.roots());
        (objs.len(), segs.len())
    }

    /// Does nothing lead to some memory any more, if segments that may be empty are? Of those no more than
    /// `depth` are emptied at once; that more may be needed counts as a yes.
    pub(crate) fn may_lose(&self, preds: &Preds, depth: usize) -> bool {
        let (objs, segs) = self.heap.reachable(self.roots());
        let (certain_objs, certain_segs) = self.heap.certainly_reachable(self.roots());
        let heap = |at: &Sym| self.heap.objs.get(at).is_some_and(|obj| obj.kind == Kind::Heap);
        let all = |objs: &BTreeSet<Sym>, segs: &BTreeSet<usize>| {
            segs.len() == self.heap.segs.len()
                && self.heap.objs.keys().all(|at| objs.contains(at) || !heap(at))
        };
        if !all(&objs, &segs) {
            return true;
        }
        if all(&certain_objs, &certain_segs) {
            return false;
        }
        depth == 0
            || (0..self.heap.segs.len()).filter(|i| !self.heap.segs[*i].nonempty).any(|i| {
                let mut without = self.clone();
                without.empty(preds, i).is_ok() && without.may_lose(preds, depth - 1)
            })
    }

    pub(crate) fn replaced(&mut self, sym: Sym, by: Term) {
        self.vars
            .values_mut()
            .chain(&mut self.anchors)
            .for_each(|term| *term = term.replace(sym, by));
    }

    /// Makes two terms equal, and draws conclusions.
    pub fn unify(&mut self, preds: &Preds, a: Term, b: Term) -> Consistent {
        if let Some((gone, by)) = self.heap.unify(preds, a, b)? {
            self.replaced(gone, by);
        }
        self.normalise(preds)
    }

    /// Makes two terms different, and draws conclusions.
    pub fn distinguish(&mut self, preds: &Preds, a: Term, b: Term) -> Consistent {
        if self.heap.disequal(preds, a, b) {
            return Ok(());
        }
        if !self.heap.pure.assume_disequal(a, b) {
            return Err(Contradiction);
        }
        self.normalise(preds)
    }

    /// The segment is empty.
    pub fn empty(&mut self, preds: &Preds, index: usize) -> Consistent {
        for (gone, by) in self.heap.empty(preds, index)? {
            self.replaced(gone, by);
        }
        self.normalise(preds)
    }

    /// Draws conclusions about which segments are empty, and which values are one number.
    pub fn normalise(&mut self, preds: &Preds) -> Consistent {
        'again: loop {
            let point = self.heap.pure.bounds.iter().find_map(|(sym, range)| {
                match (range.low, range.high) {
                    // An object may be at any address that is no small number; there is no way to say which.
                    (Some(low), Some(high))
                        if low == high
                            && !is_rigid(*sym)
                            && (low.abs() < LOWEST_ADDRESS || !self.heap.is_allocated(*sym)) =>
                    {
                        Some((*sym, low))
                    }
                    _ => None,
                }
            });
            if let Some((sym, value)) = point {
                if self.heap.is_allocated(sym) {
                    return Err(Contradiction);
                }
                self.heap.replace(sym, Term::int(value))?;
                self.replaced(sym, Term::int(value));
                continue;
            }
            if let Some((a, b)) = self.heap.pure.equal_terms()
                && let Some((gone, by)) = self.heap.unify(preds, a, b)?
            {
                self.replaced(gone, by);
                continue;
            }
            for i in 0..self.heap.segs.len() {
                let seg = &self.heap.segs[i];
                let shape = preds.shape(seg.pred);
                let elsewhere = |term: Term| {
                    let Some(base) = term.base else { return term.k.abs() < LOWEST_ADDRESS };
                    as_procedure(base).is_some()
                        || self.heap.is_inside(preds, term)
                            && (self.heap.objs.contains_key(&base)
                                || self.heap.segs.iter().enumerate().any(|(j, other)| {
                                    let ends = [other.root.base, other.last.base];
                                    j != i && other.nonempty && ends.contains(&Some(base))
                                }))
                };
                if elsewhere(seg.root) || shape == Shape::Dlist && elsewhere(seg.last) {
                    if seg.nonempty {
                        return Err(Contradiction);
                    }
                    for (gone, by) in self.heap.empty(preds, i)? {
                        self.replaced(gone, by);
                    }
                    continue 'again;
                }
                if let Some(length) = seg.facts.length {
                    let range = self.heap.pure.range(length);
                    if range.high.is_some_and(|high| high <= 0) {
                        if seg.nonempty {
                            return Err(Contradiction);
                        }
                        for (gone, by) in self.heap.empty(preds, i)? {
                            self.replaced(gone, by);
                        }
                        continue 'again;
                    }
                    if range.low.is_some_and(|low| low >= 1) && !seg.nonempty {
                        self.heap.segs[i].nonempty = true;
                        continue 'again;
                    }
                    let least = i128::from(seg.nonempty);
                    if range.low.is_none_or(|low| low < least) {
                        if !self.heap.pure.assume_at_least(length, Term::NULL, Some(least)) {
                            return Err(Contradiction);
                        }
                        continue 'again;
                    }
                }
                let seg = &self.heap.segs[i];
                if !seg.nonempty {
                    let different = match shape {
                        Shape::List => self.heap.disequal(preds, seg.root, seg.to),
                        Shape::Tree => self.heap.disequal(preds, seg.root, Term::NULL),
                        Shape::Dlist => {
                            self.heap.disequal(preds, seg.root, seg.to)
                                || self.heap.disequal(preds, seg.before, seg.last)
                        }
                    };
                    if different {
                        self.heap.segs[i].nonempty = true;
                        continue 'again;
                    }
                } else if shape == Shape::Dlist && seg.root == seg.last {
                    // One node.
                    let one_kind = preds.get(seg.pred).bodies.len() == 1;
                    let (node, facts) = (seg.root.base, seg.facts.clone());
                    if one_kind && crate::unfold::single(&mut self.heap, preds, i) {
                        if let Some(node) = node {
                            self.learn(preds, node, &facts, (true, true))?;
                        }
                        continue 'again;
                    }
                }
            }
            return Ok(());
        }
    }
}
