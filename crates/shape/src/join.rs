//! Joining two heaps: one that includes both, and whether it says less than either.
//!
//! The two are walked from what has a name in both. Objects are matched one to one, segments with segments; a
//! segment that may be empty is also matched with nothing. Values that differ become a new symbol, the same one
//! for the same pair, so that equalities and distances that hold in both are kept. Entailment of heaps is the
//! case where the join says no less than the one side.

mod facts;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use arith::Sum;
use heap::Scalar;

use crate::facts::Facts;
use crate::fold::{as_segment, join_preds, without_numbers};
use crate::heap::{Cell, Heap, Obj, Place, Seg, State, as_procedure, is_rigid};
use crate::preds::{Like, PredId, Preds, Shape, Tracks};
use crate::pure::{Interval, Pure, rename_sum};
use crate::term::{Sym, Term};
use crate::vars::Vars;

/// How much may be given up.
#[derive(Clone, Copy, Debug)]
pub struct Mode<'a> {
    /// May a segment be matched with nothing if that says less than the left side does?
    pub insert: bool,
    /// May an object be matched with nothing, as a segment that may be empty?
    pub remove: bool,
    /// Bounds that grow jump to one of these numbers, or are gone; only facts of the left side are kept.
    pub widen: Option<&'a [i128]>,
}

/// A join.
#[derive(Debug)]
pub struct Joined<T> {
    /// It includes both.
    pub result: T,
    /// Does it, perhaps, say less than the left one?
    pub left_general: bool,
    /// Did a segment become one that may be empty, or its nodes more general?
    pub shape_general: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Side {
    Left,
    Right,
}

/// What is known about a segment of the result.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Told<'a> {
    /// On both sides.
    Both(&'a Facts, &'a Facts),
    /// On the one side; on the other it is nothing.
    One(Side, &'a Facts),
}

type Key = (Option<Sym>, Option<Sym>, i128);

pub(crate) struct Join<'a> {
    pub(crate) preds: &'a mut Preds,
    left: &'a Heap,
    right: &'a Heap,
    /// Means the same on both sides.
    rigid: &'a dyn Fn(Sym) -> bool,
    /// Is the address of something outside; a join must not lose it.
    fixed: &'a dyn Fn(Sym) -> bool,
    mode: Mode<'a>,
    pub(crate) out: Heap,
    keys: HashMap<Key, (Sym, i128)>,
    /// New symbols, with what they stand for on the left and on the right.
    pairs: Vec<(Sym, Term, Term)>,
    left_objs: HashMap<Sym, Sym>,
    right_objs: HashMap<Sym, Sym>,
    /// Segments that are matched, with a segment or with nothing.
    left_segs: HashMap<usize, Option<usize>>,
    right_segs: HashMap<usize, Option<usize>>,
    /// What the program's names lead to on the other side.
    left_hints: HashMap<Sym, Term>,
    right_hints: HashMap<Sym, Term>,
    todo: Vec<(Sym, Sym, Sym)>,
    /// Facts about segments of the result: they are looked at when everything else is paired.
    told: Vec<(usize, Told<'a>)>,
    pub(crate) left_general: bool,
    pub(crate) right_general: bool,
    pub(crate) shape_general: bool,
    /// The first object that met a segment or nothing: as a segment of one node it might match.
    pub(crate) met: Option<(Side, Sym, Like)>,
}

impl<'a> Join<'a> {
    pub(crate) fn new(
        preds: &'a mut Preds,
        left: &'a Heap,
        right: &'a Heap,
        rigid: &'a dyn Fn(Sym) -> bool,
        fixed: &'a dyn Fn(Sym) -> bool,
        mode: Mode<'a>,
    ) -> Join<'a> {
        let out = Heap { fresh: left.fresh.max(right.fresh), ..Heap::default() };
        Join {
            preds,
            left,
            right,
            rigid,
            fixed,
            mode,
            out,
            keys: HashMap::new(),
            pairs: Vec::new(),
            left_objs: HashMap::new(),
            right_objs: HashMap::new(),
            left_segs: HashMap::new(),
            right_segs: HashMap::new(),
            left_hints: HashMap::new(),
            right_hints: HashMap::new(),
            todo: Vec::new(),
            told: Vec::new(),
            left_general: false,
            right_general: false,
            shape_general: false,
            met: None,
        }
    }

    pub(crate) fn hint(&mut self, l: Term, r: Term) {
        if is_far(l) || is_far(r) {
            return;
        }
        if let Some(base) = l.base {
            self.left_hints.entry(base).or_insert(r.plus(-l.k));
        }
        if let Some(base) = r.base {
            self.right_hints.entry(base).or_insert(l.plus(-r.k));
        }
    }

    /// The symbol of a pair, at the distance of the left one.
    fn key(&mut self, l: Term, r: Term) -> Term {
        let key = (l.base, r.base, r.k - l.k);
        // A number is no distance: its symbol stands for the first such number itself, so that bounds that
        // grow stop at numbers of the program.
        let nowhere = |heap: &Heap, t: Term| heap.place(t) == Place::Nowhere;
        let number = nowhere(self.left, l) && nowhere(self.right, r);
        let start = if number { l.k } else { 0 };
        let (sym, start) = *self.keys.entry(key).or_insert_with(|| {
            let sym = self.out.fresh();
            self.pairs.push((sym, l.plus(start - l.k), r.plus(start - l.k)));
            (sym, start)
        });
        Term::sym(sym).plus(l.k - start)
    }

    /// The term that stands for two.
    pub(crate) fn pair(&mut self, l: Term, r: Term) -> Option<Term> {
        if is_far(l) || is_far(r) {
            return None;
        }
        if l == r && l.base.is_none_or(|base| (self.rigid)(base)) {
            return Some(l);
        }
        let fixed = |t: Term| t.base.is_some_and(|b| (self.fixed)(b) || as_procedure(b).is_some());
        let (pl, pr) = (self.left.place(l), self.right.place(r));
        if fixed(l) || fixed(r) {
            return match (pl, pr) {
                (Place::First(i), _) => self.insert(Side::Left, i, l, r),
                (_, Place::First(j)) => self.insert(Side::Right, j, r, l),
                _ => None,
            };
        }
        match (pl, pr) {
            (Place::Nowhere, Place::Nowhere) => Some(self.key(l, r)),
            (Place::Obj(a), Place::Obj(b)) => self.objects(l, r, a, b),
            (Place::First(i), Place::First(j)) => {
                if !self.left_segs.contains_key(&i) && !self.right_segs.contains_key(&j) {
                    // Names tell where the one ends at once on the other side.
                    if self.hinted_empty(Side::Left, i, r) {
                        return self.insert(Side::Left, i, l, r);
                    }
                    if self.hinted_empty(Side::Right, j, l) {
                        return self.insert(Side::Right, j, r, l);
                    }
                }
                self.segments(l, r, i, j, false)
            }
            (Place::Last(i), Place::Last(j)) => self.segments(l, r, i, j, true),
            (Place::First(i), Place::Last(j)) if self.single(Side::Right, j) => {
                self.segments(l, r, i, j, false)
            }
            (Place::First(i), other) => {
                if let Place::Obj(b) = other {
                    self.met.get_or_insert((Side::Right, b, Like::Pred(self.left.segs[i].pred)));
                }
                self.insert(Side::Left, i, l, r)
            }
            (other, Place::First(j)) => {
                if let Place::Obj(a) = other {
                    self.met.get_or_insert((Side::Left, a, Like::Pred(self.right.segs[j].pred)));
                }
                self.insert(Side::Right, j, r, l)
            }
            (Place::Last(i), _) => self.at_end(Side::Left, i, l, r),
            (_, Place::Last(j)) => self.at_end(Side::Right, j, r, l),
            (Place::Obj(a), Place::Nowhere) if r == Term::NULL => self.nothing(Side::Left, a),
            (Place::Nowhere, Place::Obj(b)) if l == Term::NULL => self.nothing(Side::Right, b),
            _ => None,
        }
    }

    /// An object of the one side is nothing on the other: as a segment that may be empty it would be both.
    fn nothing(&mut self, side: Side, at: Sym) -> Option<Term> {
        if self.mode.remove && self.met.is_none() {
            let obj = self.heap(side).objs.get(&at)?;
            self.met = self.preds.like(obj).map(|like| (side, at, like));
        }
        None
    }

    fn single(&self, side: Side, index: usize) -> bool {
        let seg = &self.heap(side).segs[index];
        seg.root == seg.last
    }

    fn heap(&self, side: Side) -> &'a Heap {
        match side {
            Side::Left => self.left,
            Side::Right => self.right,
        }
    }

    fn hinted_empty(&self, side: Side, index: usize, other: Term) -> bool {
        let seg = &self.heap(side).segs[index];
        if seg.nonempty || self.preds.shape(seg.pred) == Shape::Tree {
            return false;
        }
        let hints = if side == Side::Left { &self.left_hints } else { &self.right_hints };
        let partner = seg.to.base.and_then(|base| hints.get(&base)).map(|t| t.plus(seg.to.k));
        partner == Some(other)
    }

    fn objects(&mut self, l: Term, r: Term, a: Sym, b: Sym) -> Option<Term> {
        if l.k != r.k {
            return None;
        }
        match (self.left_objs.get(&a), self.right_objs.get(&b)) {
            (Some(x), Some(y)) if *x == b && *y == a => Some(self.key(l, r)),
            (None, None) => {
                self.left_objs.insert(a, b);
                self.right_objs.insert(b, a);
                let both = self.key(l, r);
                self.todo.push((a, b, both.base?));
                Some(both)
            }
            _ => None,
        }
    }

    /// Global objects are the same on both sides.
    pub(crate) fn same_object(&mut self, at: Sym) -> bool {
        if !self.left.objs.contains_key(&at) || !self.right.objs.contains_key(&at) {
            return false;
        }
        self.left_objs.insert(at, at);
        self.right_objs.insert(at, at);
        self.todo.push((at, at, at));
        true
    }

    fn segments(&mut self, l: Term, r: Term, i: usize, j: usize, at_end: bool) -> Option<Term> {
        let (a, b) = (&self.left.segs[i], &self.right.segs[j]);
        let (from_l, from_r) = if at_end { (a.last, b.last) } else { (a.root, b.root) };
        if l.k.saturating_sub(from_l.k) != r.k.saturating_sub(from_r.k) {
            return None;
        }
        match (self.left_segs.get(&i), self.right_segs.get(&j)) {
            (Some(Some(x)), Some(Some(y))) if *x == j && *y == i => return Some(self.key(l, r)),
            (None, None) => {}
            (Some(None), _) if !at_end => return self.insert(Side::Left, i, l, r),
            (_, Some(None)) if !at_end => return self.insert(Side::Right, j, r, l),
            (Some(None), _) => return self.at_end(Side::Left, i, l, r),
            (_, Some(None)) => return self.at_end(Side::Right, j, r, l),
            _ => return None,
        }
        let (pred, shared) = self.joined_pred(a, b)?;
        self.left_segs.insert(i, Some(j));
        self.right_segs.insert(j, Some(i));
        let (less_l, less_r) = (
            pred != a.pred || a.nonempty && !b.nonempty,
            pred != b.pred || b.nonempty && !a.nonempty,
        );
        self.left_general |= less_l;
        self.right_general |= less_r;
        self.shape_general |= less_l;
        let root = self.key(a.root, b.root);
        let last = match self.preds.shape(pred) {
            Shape::Dlist => self.key(a.last, b.last),
            Shape::List | Shape::Tree => Term::NULL,
        };
        let to = self.pair(a.to, b.to)?;
        let before = self.pair(a.before, b.before)?;
        let shared =
            shared.into_iter().map(|(x, y)| self.pair(x, y)).collect::<Option<Vec<Term>>>()?;
        let nonempty = a.nonempty && b.nonempty;
        self.told.push((self.out.segs.len(), Told::Both(&a.facts, &b.facts)));
        let facts = Facts::default();
        self.out.segs.push(Seg { pred, root, to, before, last, shared, nonempty, facts });
        Some(self.key(l, r))
    }

    /// The predicate that includes those of two segments, with their arguments. Numbers that all nodes of only one of
    /// them have in common are forgotten.
    fn joined_pred(&mut self, a: &Seg, b: &Seg) -> Option<(PredId, Vec<(Term, Term)>)> {
        let zip = |a: &[Term], b: &[Term]| a.iter().copied().zip(b.iter().copied()).collect();
        if let Some(pred) = join_preds(self.preds, a.pred, b.pred) {
            return Some((pred, zip(&a.shared, &b.shared)));
        }
        if a.shared.is_empty() && b.shared.is_empty() {
            return None;
        }
        let (a, b) =
            (without_numbers(self.preds, self.left, a), without_numbers(self.preds, self.right, b));
        Some((join_preds(self.preds, a.0, b.0)?, zip(&a.1, &b.1)))
    }

    /// What a term of the one side is paired with on the other, or anything if it is nothing there.
    fn partner(&mut self, side: Side, own: Term) -> Option<Term> {
        if let Some(other) = self.known_partner(side, own) {
            return Some(other);
        }
        match self.heap(side).place(own) {
            // There is none: it may be anything.
            Place::Nowhere => Some(Term::sym(self.out.fresh())),
            _ => None,
        }
    }

    /// What a term of the one side is paired with on the other.
    fn known_partner(&self, side: Side, own: Term) -> Option<Term> {
        let Some(base) = own.base else { return Some(own) };
        if (self.rigid)(base) {
            return Some(own);
        }
        let hints = if side == Side::Left { &self.left_hints } else { &self.right_hints };
        if let Some(other) = hints.get(&base) {
            return Some(other.plus(own.k));
        }
        let found = self.pairs.iter().find_map(|(_, l, r)| match side {
            Side::Left => (l.base == Some(base)).then(|| r.plus(-l.k)),
            Side::Right => (r.base == Some(base)).then(|| l.plus(-r.k)),
        });
        found.map(|other| other.plus(own.k))
    }

    fn key_of(&mut self, side: Side, own: Term, other: Term) -> Term {
        match side {
            Side::Left => self.key(own, other),
            // The result is at the distance of the left one: that of `other`.
            Side::Right => self.key(other, own),
        }
    }

    fn pair_of(&mut self, side: Side, own: Term, other: Term) -> Option<Term> {
        match side {
            Side::Left => self.pair(own, other),
            Side::Right => self.pair(other, own),
        }
    }

    /// A segment of one side is nothing on the other, where `other` is.
    fn insert(&mut self, side: Side, index: usize, own: Term, other: Term) -> Option<Term> {
        let seg = &self.heap(side).segs[index];
        let other_root = other.plus(seg.root.k.saturating_sub(own.k));
        let matched = match side {
            Side::Left => self.left_segs.get(&index),
            Side::Right => self.right_segs.get(&index),
        };
        match matched {
            Some(None) => {
                let key = match side {
                    Side::Left => (own.base, other.base, other.k - own.k),
                    Side::Right => (other.base, own.base, own.k - other.k),
                };
                return self.keys.contains_key(&key).then(|| self.key_of(side, own, other));
            }
            Some(Some(_)) => return None,
            None => {}
        }
        let shape = self.preds.shape(seg.pred);
        let general = side == Side::Right || seg.nonempty;
        if general && !self.mode.insert || shape == Shape::Tree && other_root != Term::NULL {
            return None;
        }
        match side {
            Side::Left => self.left_segs.insert(index, None),
            Side::Right => self.right_segs.insert(index, None),
        };
        match side {
            Side::Left => {
                self.right_general = true;
                self.left_general |= seg.nonempty;
            }
            Side::Right => {
                self.left_general = true;
                self.right_general |= seg.nonempty;
            }
        }
        self.shape_general |= general;
        let root = self.key_of(side, seg.root, other_root);
        let to = match shape {
            Shape::Tree => Term::NULL,
            Shape::List | Shape::Dlist => self.pair_of(side, seg.to, other_root)?,
        };
        let (mut before, mut last) = (Term::NULL, Term::NULL);
        if shape != Shape::List {
            let other_before = self.partner(side, seg.before)?;
            before = self.pair_of(side, seg.before, other_before)?;
            if shape == Shape::Dlist {
                last = self.key_of(side, seg.last, other_before);
            }
        }
        let mut shared = Vec::with_capacity(seg.shared.len());
        for arg in &seg.shared {
            let other = self.partner(side, *arg)?;
            shared.push(self.pair_of(side, *arg, other)?);
        }
        let pred = seg.pred;
        self.told.push((self.out.segs.len(), Told::One(side, &seg.facts)));
        let facts = Facts::default();
        self.out.segs.push(Seg { pred, root, to, before, last, shared, nonempty: false, facts });
        Some(self.key_of(side, own, other))
    }

    /// The last node of a segment that is nothing on the other side: there it is what was before.
    fn at_end(&mut self, side: Side, index: usize, own: Term, other: Term) -> Option<Term> {
        let matched = match side {
            Side::Left => self.left_segs.get(&index),
            Side::Right => self.right_segs.get(&index),
        };
        if matched != Some(&None) {
            return None;
        }
        let key = match side {
            Side::Left => (own.base, other.base, other.k - own.k),
            Side::Right => (other.base, own.base, own.k - other.k),
        };
        self.keys.contains_key(&key).then(|| self.key_of(side, own, other))
    }

    /// Matches what objects hold, then what is known about values. `None` if something is left over.
    pub(crate) fn finish(&mut self) -> Option<()> {
        while let Some((a, b, both)) = self.todo.pop() {
            let obj = self.contents(a, b)?;
            self.out.objs.insert(both, Arc::new(obj));
        }
        let all = self.left.objs.keys().all(|at| self.left_objs.contains_key(at))
            && self.right.objs.keys().all(|at| self.right_objs.contains_key(at))
            && (0..self.left.segs.len()).all(|i| self.left_segs.contains_key(&i))
            && (0..self.right.segs.len()).all(|j| self.right_segs.contains_key(&j));
        if !all {
            return None;
        }
        self.all_facts();
        self.pure();
        Some(())
    }

    fn contents(&mut self, a: Sym, b: Sym) -> Option<Obj> {
        let (left, right) = (self.left.objs.get(&a)?, self.right.objs.get(&b)?);
        if left.kind != right.kind || left.constant != right.constant {
            return None;
        }
        let size = if left.size == right.size && left.size.base.is_none() {
            left.size
        } else {
            if left.size.base.is_none() && right.size.base.is_none() {
                return None;
            }
            self.pair(left.size, right.size)?
        };
        let zeroed = left.zeroed && right.zeroed;
        self.left_general |= left.zeroed && !zeroed;
        self.right_general |= right.zeroed && !zeroed;
        let record = if left.record == right.record { left.record } else { None };
        let mut cells = BTreeMap::new();
        for (offset, cell) in &left.cells {
            let other = match right.cells.get(offset) {
                Some(other) if other.width == cell.width => self.same_bits(cell, other),
                None if right.zeroed && !overlaps(right, *offset, cell.width) => {
                    Some((Term::NULL, cell.ty))
                }
                _ => None,
            };
            match other {
                Some((other, ty)) => {
                    if self.are_marked(cell.value, other) && matches!(ty, Scalar::Int(_)) {
                        return None;
                    }
                    let value = self.pair(cell.value, other)?;
                    cells.insert(*offset, Cell { value, ty, ..*cell });
                }
                None => {
                    self.left_general = true;
                    if zeroed {
                        // The rest is zero; this is anything.
                        let value = Term::sym(self.out.fresh());
                        cells.insert(*offset, Cell { value, ..*cell });
                    }
                }
            }
        }
        for (offset, cell) in &right.cells {
            if left.cells.get(offset).is_some_and(|other| other.width == cell.width) {
                continue;
            }
            if left.zeroed && !overlaps(left, *offset, cell.width) {
                let value = self.pair(Term::NULL, cell.value)?;
                cells.insert(*offset, Cell { value, ..*cell });
            } else {
                self.right_general = true;
                if zeroed {
                    let value = Term::sym(self.out.fresh());
                    if !cells.iter().any(|(at, c)| {
                        *at < offset + cell.width as i128 && *offset < at + c.width as i128
                    }) {
                        cells.insert(*offset, Cell { value, ..*cell });
                    } else {
                        return None;
                    }
                }
            }
        }
        Some(Obj { size, kind: left.kind, cells, zeroed, constant: left.constant, record })
    }

    /// Is one of two numbers a mark, and the other certainly not the same?
    fn are_marked(&self, l: Term, r: Term) -> bool {
        let Tracks::Facts { marks, .. } = &self.preds.tracks else { return false };
        let is_mark = |t: Term| t.base.is_none() && marks.binary_search(&t.k).is_ok();
        is_mark(l) && self.right.disequal(self.preds, r, l)
            || is_mark(r) && self.left.disequal(self.preds, l, r)
    }

    /// What the cell of the right side holds and the type of both, if a value says the same about the bits in
    /// both types: `-1` and `4294967295` may be the same bits, `5` and `5` are.
    fn same_bits(&self, left: &Cell, right: &Cell) -> Option<(Term, Scalar)> {
        let same = match (left.ty, right.ty) {
            (a, b) if a == b => true,
            (Scalar::Ptr(_), Scalar::Ptr(_)) => true,
            // Zero is zero in all types.
            _ if right.value == Term::NULL => true,
            _ if left.value == Term::NULL => return Some((right.value, right.ty)),
            (Scalar::Int(a), Scalar::Int(b)) => {
                let both = Interval::new(a.least().max(b.least()), a.largest().min(b.largest()));
                both.includes(self.left.pure.range(left.value))
                    && both.includes(self.right.pure.range(right.value))
            }
            _ => false,
        };
        same.then_some((right.value, left.ty))
    }

    fn pure(&mut self) {
        self.lost_equalities();
        self.rigid_bounds();
        let pairs = std::mem::take(&mut self.pairs);
        for (sym, l, r) in &pairs {
            let (left, right) = (self.left.pure.range(*l), self.right.pure.range(*r));
            let mut both = left.hull(right);
            if let Some(stops) = self.mode.widen {
                both = widen(left, both, stops);
            }
            self.left_general |= left != both;
            self.right_general |= right != both;
            if both != Interval::ANY {
                self.out.pure.bounds.insert(*sym, both);
            }
        }
        let (left, right) = (&self.left.pure, &self.right.pure);
        self.left_general |= self.facts(left, Side::Left, &pairs);
        let widened = self.mode.widen.is_some();
        if !widened {
            self.right_general |= self.facts(right, Side::Right, &pairs);
        } else {
            self.right_general = true;
        }
        self.inequalities(&pairs);
        if self.preds.tracks.facts() {
            self.sums(&pairs);
        }
        self.pairs = pairs;
    }

    /// Two values have a constant distance on the left and another on the right, as `i = n` before a loop and `i = n + 1`
    /// after a turn of it: what is left of the equation is an inequality.
    fn inequalities(&mut self, pairs: &[(Sym, Term, Term)]) {
        let mut groups: BTreeMap<Sym, Vec<(Sym, Term, Term)>> = BTreeMap::new();
        for (sym, l, r) in pairs {
            if let Some(base) = l.base.filter(|_| !is_far(*l) && !is_far(*r)) {
                groups.entry(base).or_default().push((*sym, *l, *r));
            }
        }
        for group in groups.values().filter(|group| (2..=MAX_GROUP).contains(&group.len())) {
            for (a, left_a, right_a) in group {
                for (b, left_b, right_b) in group.iter().filter(|(b, ..)| b != a) {
                    // `a - b` is this on the left; on the right it is not less.
                    let distance = left_a.k - left_b.k;
                    let mut there = right_b.sum();
                    there.factors.iter_mut().for_each(|(_, factor)| *factor = -*factor);
                    there.constant = -there.constant - distance;
                    let Some(there) = sum_of(&right_a.sum(), &there) else { continue };
                    let factors = vec![(a.0, 1), (b.0, -1)];
                    let new = Sum { factors, constant: -distance };
                    if holds(&self.right.pure, &there) && !self.out.pure.linear.contains(&new) {
                        self.out.pure.linear.push(new);
                    }
                }
            }
        }
    }

    /// Bounds of symbols that mean the same on both sides.
    fn rigid_bounds(&mut self) {
        let (left, right) = (&self.left.pure, &self.right.pure);
        let known = left.bounds.keys().chain(right.bounds.keys()).copied();
        let rigid: BTreeSet<Sym> = known.filter(|sym| (self.rigid)(*sym)).collect();
        for sym in rigid {
            let both = left.bounds(sym).hull(right.bounds(sym));
            self.left_general |= both != left.bounds(sym);
            self.right_general |= both != right.bounds(sym);
            if both != Interval::ANY {
                self.out.pure.bounds.insert(sym, both);
            }
        }
    }

    /// Symbols that stand for one value on one side, and for several on the other.
    fn lost_equalities(&mut self) {
        let (mut left, mut right) = (HashMap::new(), HashMap::new());
        for (sym, l, r) in &self.pairs {
            match l.base {
                None => self.left_general = true,
                Some(base) => self.left_general |= *left.entry(base).or_insert(*sym) != *sym,
            }
            match r.base {
                None => self.right_general = true,
                Some(base) => self.right_general |= *right.entry(base).or_insert(*sym) != *sym,
            }
        }
    }

    /// Facts of one side that hold on the other, too. Was one lost?
    fn facts(&mut self, from: &Pure, side: Side, pairs: &[(Sym, Term, Term)]) -> bool {
        // A symbol of the one side may stand for several of the result.
        let mut map: HashMap<Sym, Vec<Term>> = HashMap::new();
        let mut back: HashMap<Sym, Term> = HashMap::new();
        for (sym, l, r) in pairs {
            let (own, other) = if side == Side::Left { (l, r) } else { (r, l) };
            if let Some(base) = own.base {
                map.entry(base).or_default().push(Term::sym(*sym).plus(-own.k));
            }
            back.insert(*sym, *other);
        }
        let rigid = self.rigid;
        let known = |sym: Sym| map.contains_key(&sym) || rigid(sym);
        let images = |sym: Sym| map.get(&sym).cloned().unwrap_or_else(|| vec![Term::sym(sym)]);
        let to = |sym: Sym| images(sym).first().copied().unwrap_or(Term::sym(sym));
        let across = |sym: Sym| back.get(&sym).copied().unwrap_or(Term::sym(sym));
        let other = self.heap(if side == Side::Left { Side::Right } else { Side::Left });
        let mut lost = false;
        for sum in &from.linear {
            if !sum.factors.iter().all(|(var, _)| known(Sym(*var))) {
                lost = true;
                continue;
            }
            let mut choices = vec![HashMap::new()];
            for (var, _) in &sum.factors {
                let images = images(Sym(*var));
                choices = choices
                    .iter()
                    .flat_map(|chosen: &HashMap<Sym, Term>| {
                        images.iter().map(move |image| {
                            let mut chosen = chosen.clone();
                            chosen.insert(Sym(*var), *image);
                            chosen
                        })
                    })
                    .take(MAX_IMAGES)
                    .collect();
            }
            let mut kept = 0;
            let count = choices.len();
            for chosen in choices {
                let new =
                    rename_sum(sum, &|sym| chosen.get(&sym).copied().unwrap_or(Term::sym(sym)));
                let there = new.as_ref().and_then(|sum| rename_sum(sum, &across));
                if let (Some(new), Some(there)) = (new, there)
                    && holds(&other.pure, &there)
                {
                    kept += 1;
                    if new.factors.len() > 1 && !self.out.pure.linear.contains(&new) {
                        self.out.pure.linear.push(new);
                    }
                }
            }
            lost |= kept < count;
        }
        for (a, b, k) in &from.different {
            if !known(*a) || b.is_some_and(|b| !known(b)) {
                lost = true;
                continue;
            }
            let (x, y) = (to(*a), b.map_or(Term::int(*k), |b| to(b).plus(*k)));
            let there = |t: Term| t.base.map_or(t, |base| across(base).plus(t.k));
            if other.disequal(self.preds, there(x), there(y)) {
                if let Some(key) = Pure::difference(x, y) {
                    self.out.pure.different.insert(key);
                }
            } else {
                lost = true;
            }
        }
        lost
    }
}

fn holds(pure: &Pure, sum: &Sum) -> bool {
    pure.entails(sum)
}

/// Values with one symbol that inequalities are looked for between.
const MAX_GROUP: usize = 4;

/// The sum of two sums; `None` if a number is too large.
fn sum_of(a: &Sum, b: &Sum) -> Option<Sum> {
    let mut factors: BTreeMap<u32, i128> = a.factors.iter().copied().collect();
    for (var, factor) in &b.factors {
        let place = factors.entry(*var).or_insert(0);
        *place = place.checked_add(*factor)?;
    }
    factors.retain(|_, factor| *factor != 0);
    let constant = a.constant.checked_add(b.constant)?;
    Some(Sum { factors: factors.into_iter().collect(), constant })
}

pub(crate) fn overlaps(obj: &Obj, offset: i128, width: u64) -> bool {
    let end = offset + i128::from(width);
    obj.cells
        .range(..end)
        .next_back()
        .is_some_and(|(at, cell)| *at + i128::from(cell.width) > offset)
        || obj.cells.range(offset..end).next().is_some()
}

fn widen(old: Interval, new: Interval, stops: &[i128]) -> Interval {
    let low = if new.low == old.low {
        new.low
    } else {
        new.low.and_then(|low| stops.iter().rev().find(|stop| **stop <= low).copied())
    };
    let high = if new.high == old.high {
        new.high
    } else {
        new.high.and_then(|high| stops.iter().find(|stop| **stop >= high).copied())
    };
    Interval { low, high }
}

/// A fact is said of so many symbols that stand for the same one.
const MAX_IMAGES: usize = 8;

/// Objects that are taken for segments in one join.
pub(crate) const MAX_SEGMENTS: usize = 6;

/// Joins two states of one location.
///
/// Where an object meets a segment it may be one of its nodes: then it is taken for a segment of one node, which
/// says less, on its side.
pub fn join(
    preds: &mut Preds,
    left: &State,
    right: &State,
    mode: Mode<'_>,
) -> Option<Joined<State>> {
    let mut met = None;
    if let Some(joined) = join_as_they_are(preds, left, right, mode, &mut met) {
        return Some(joined);
    }
    let (mut left, mut right) = (left.clone(), right.clone());
    let mut general = false;
    for _ in 0..MAX_SEGMENTS {
        match met.take()? {
            (Side::Right, at, like) => right = as_segment(&right, preds, at, like)?,
            (Side::Left, _, _) if !mode.insert => return None,
            (Side::Left, at, like) => {
                left = as_segment(&left, preds, at, like)?;
                general = true;
            }
        }
        if let Some(mut joined) = join_as_they_are(preds, &left, &right, mode, &mut met) {
            joined.left_general |= general;
            joined.shape_general |= general;
            return Some(joined);
        }
    }
    None
}

fn join_as_they_are(
    preds: &mut Preds,
    left: &State,
    right: &State,
    mode: Mode<'_>,
    met: &mut Option<(Side, Sym, Like)>,
) -> Option<Joined<State>> {
    if left.anchors.len() != right.anchors.len() || left.allocas.len() != right.allocas.len() {
        return None;
    }
    let rigid = |sym: Sym| is_rigid(sym);
    let fixed = |_: Sym| false;
    let mut join = Join::new(preds, &left.heap, &right.heap, &rigid, &fixed, mode);
    let Some(mut result) = join.states(left, right) else {
        *met = join.met;
        return None;
    };
    let Join { out, left_general, shape_general, .. } = join;
    result.heap = out;
    result.normalise(preds).ok()?;
    Some(Joined { result, left_general, shape_general })
}

/// Is a number so large that differences may be none of ours? Such states are kept apart.
fn is_far(term: Term) -> bool {
    term.k.unsigned_abs() >= 1 << 120
}

impl Join<'_> {
    /// The state that includes two, but for its heap, which is left in `out`.
    fn states(&mut self, left: &State, right: &State) -> Option<State> {
        let values = left.vars.zip(&right.vars);
        values.iter().for_each(|(_, l, r)| self.hint(*l, *r));
        left.anchors.iter().zip(&right.anchors).for_each(|(l, r)| self.hint(*l, *r));
        for at in left.heap.objs.range(Sym(crate::heap::RIGID)..).map(|(sym, _)| *sym) {
            if !self.same_object(at) {
                return None;
            }
        }
        if left.objects.len() != right.objects.len() {
            return None;
        }
        let mut objects = BTreeMap::new();
        for (id, a) in &left.objects {
            let b = right.objects.get(id)?;
            objects.insert(*id, self.pair(Term::sym(*a), Term::sym(*b))?.base?);
        }
        let mut allocas = Vec::new();
        for (a, b) in left.allocas.iter().zip(&right.allocas) {
            allocas.push(self.pair(Term::sym(*a), Term::sym(*b))?.base?);
        }
        let mut vars = Vars::default();
        for (var, l, r) in values {
            let both = self.pair(l, r)?;
            vars.set(var, both);
        }
        let mut anchors = Vec::with_capacity(left.anchors.len());
        for (l, r) in left.anchors.iter().zip(&right.anchors) {
            anchors.push(self.pair(*l, *r)?);
        }
        self.finish()?;
        Some(State { heap: Heap::default(), vars, objects, allocas, anchors })
    }
}
