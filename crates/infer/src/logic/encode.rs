//! States and the bodies of predicates as symbolic heaps of the core.

use std::collections::{BTreeMap, BTreeSet};

use arith::{Constraint, Sum};
use shape::{
    Body, Heap, NEXT, Obj, PREV, Pred, PredId, SELF, SHARED, Seg, Shape, State, Sym, Term,
};
use sl::core::{SymHeap, Var};

use super::{Column, Logic};
use crate::formula::is_said;

/// A variable of the scope, and the value that it has in a state.
#[derive(Clone, Copy, Debug)]
pub struct Root {
    /// The variable.
    pub var: Var,
    /// Is it a location?
    pub is_loc: bool,
    /// Its value.
    pub value: Term,
}

/// Free variables from here on are in no scope.
const PLACEHOLDER: Var = 1 << 30;

/// Translates one symbolic heap.
pub struct Encoder<'l> {
    logic: &'l Logic,
    group: usize,
    out: SymHeap,
    /// Symbols as locations, and places so far from them.
    locs: BTreeMap<(Sym, i128), Var>,
    /// Symbols as numbers.
    ints: BTreeMap<Sym, Var>,
}

impl<'l> Encoder<'l> {
    /// For heaps whose predicates are those of a group.
    #[must_use]
    pub fn new(logic: &'l Logic, group: usize) -> Encoder<'l> {
        let (locs, ints) = (BTreeMap::new(), BTreeMap::new());
        Encoder { logic, group, out: SymHeap::emp(), locs, ints }
    }

    /// A symbol is this variable, as a location.
    pub fn know_loc(&mut self, sym: Sym, var: Var) {
        self.locs.insert((sym, 0), var);
    }

    /// A symbol is this variable, as a number.
    pub fn know_int(&mut self, sym: Sym, var: Var) {
        self.ints.insert(sym, var);
    }

    /// A state, of which these variables are known; `omit` says which objects are nobody's business.
    #[must_use]
    pub fn state(
        mut self,
        state: &State,
        roots: &[Root],
        omit: &dyn Fn(Sym, &Obj) -> bool,
    ) -> SymHeap {
        for root in roots.iter().filter(|root| root.value != Term::DEAD) {
            self.root(*root);
        }
        self.heap(&state.heap, omit);
        self.out
    }

    /// A variable has this value.
    fn root(&mut self, root: Root) {
        if root.is_loc {
            // A name of its own saves an equation.
            if let Term { base: Some(sym), k } = root.value
                && !self.locs.contains_key(&(sym, k))
            {
                self.locs.insert((sym, k), root.var);
                return;
            }
            let value = self.loc(root.value);
            self.out.add_equal(root.var, value);
        } else {
            if let Term { base: Some(sym), k: 0 } = root.value
                && !self.ints.contains_key(&sym)
            {
                self.ints.insert(sym, root.var);
                return;
            }
            let value = self.number(root.value);
            if let Some(equal) = Constraint::equal(&Sum::var(root.var), &value) {
                self.out.add_linear(equal);
            }
        }
    }

    fn fresh_loc(&mut self) -> Var {
        self.out.fresh(self.logic.loc)
    }

    /// A value as a location.
    pub fn loc(&mut self, term: Term) -> Var {
        match term {
            Term { base: None, k: 0 } => self.logic.loc as Var,
            // A number that is no address of anything.
            Term { base: None, .. } | Term::DEAD => self.fresh_loc(),
            Term { base: Some(sym), k } => match self.locs.get(&(sym, k)) {
                Some(var) => *var,
                None => {
                    let var = self.fresh_loc();
                    self.locs.insert((sym, k), var);
                    var
                }
            },
        }
    }

    fn int(&mut self, sym: Sym) -> Var {
        if let Some(var) = self.ints.get(&sym) {
            return *var;
        }
        let var = self.out.fresh(self.logic.int);
        self.ints.insert(sym, var);
        var
    }

    /// A value as a sum of numbers.
    pub fn number(&mut self, term: Term) -> Sum {
        match term.base {
            None => Sum::number(term.k),
            Some(_) if term == Term::DEAD => Sum::var(self.out.fresh(self.logic.int)),
            Some(sym) => {
                let mut sum = Sum::var(self.int(sym));
                sum.constant = term.k;
                sum
            }
        }
    }

    /// A value as a variable that holds a number.
    fn number_var(&mut self, term: Term) -> Var {
        let sum = self.number(term);
        match (&sum.factors[..], sum.constant) {
            ([(var, 1)], 0) => *var,
            _ => self.sum_var(&sum),
        }
    }

    fn sum_var(&mut self, sum: &Sum) -> Var {
        let int = self.logic.int;
        match self.out.add_sum(int, sum) {
            Some(var) => var,
            None => self.out.fresh(int),
        }
    }

    fn heap(&mut self, heap: &Heap, omit: &dyn Fn(Sym, &Obj) -> bool) {
        for (at, obj) in heap.objs.iter().filter(|(at, obj)| !omit(**at, obj)) {
            self.object(*at, obj);
        }
        // The first nodes of segments that something leads into the middle of.
        let mut entered: BTreeSet<Sym> =
            self.locs.keys().filter(|(_, k)| *k != 0).map(|(sym, _)| *sym).collect();
        heap.for_each_term(&mut |term| entered.extend(term.base.filter(|_| term.k != 0)));
        for seg in &heap.segs {
            match seg.root.base.filter(|sym| seg.root.k == 0 && entered.contains(sym)) {
                Some(sym) if self.first_node(seg, sym) => {}
                _ => self.segment(seg),
            }
        }
        self.pure(&heap.pure);
    }

    fn object(&mut self, at: Sym, obj: &Obj) {
        let logic = self.logic;
        let addr = self.loc(Term::sym(at));
        let mut fields = Vec::with_capacity(logic.columns.len() + 2);
        // How large it is, and whose.
        let kind = match obj.kind {
            shape::Kind::Heap => 0,
            shape::Kind::Stack => 1,
            shape::Kind::Global => 2,
        };
        let size = self.number(obj.size);
        let tag = Sum::number(kind).plus(&size, 3);
        fields.push(match tag {
            Some(tag) => self.sum_var(&tag),
            None => self.out.fresh(logic.int),
        });
        for column in &logic.columns {
            let cell = obj.cells.get(&column.offset).filter(|cell| {
                Column::new(column.offset, cell.width, cell.ty).as_ref() == Some(column)
            });
            let (start, end) = (column.offset, column.offset + i128::from(column.width));
            let untouched = || {
                obj.cells
                    .iter()
                    .all(|(at, cell)| end <= *at || at + i128::from(cell.width) <= start)
                    && obj.size.base.is_none()
                    && end <= obj.size.k
            };
            let value = match cell {
                Some(cell) => Some(cell.value),
                None if obj.zeroed && untouched() => Some(Term::NULL),
                None => None,
            };
            fields.push(match (value, column.is_loc) {
                (Some(value), true) => self.loc(value),
                (Some(value), false) => self.number_var(value),
                (None, true) => self.fresh_loc(),
                (None, false) => self.out.fresh(logic.int),
            });
        }
        let mut ways = Vec::new();
        for middle in &logic.middles {
            let there = self.loc(Term::sym(at).plus(*middle));
            // What is in front of an object or behind it has a name, but nothing is there.
            if obj.size.base.is_none() && (1..obj.size.k).contains(middle) {
                ways.push((there, *middle));
            }
            fields.push(there);
        }
        if !logic.middles.is_empty() {
            fields.push(addr);
        }
        self.out.add_cell(addr, fields);
        for (there, middle) in ways {
            self.way_back(there, addr, middle);
        }
    }

    /// A location in the middle of an object.
    fn way_back(&mut self, there: Var, addr: Var, middle: i128) {
        let logic = self.logic;
        let mut fields = vec![self.sum_var(&Sum::number(-middle))];
        for column in &logic.columns {
            fields.push(match column.is_loc {
                true => logic.loc as Var,
                false => self.sum_var(&Sum::number(0)),
            });
        }
        fields.extend(logic.middles.iter().map(|_| logic.loc as Var));
        fields.push(addr);
        self.out.add_cell(there, fields);
    }

    /// A segment that has a node, by its definition: so the places in the middle of the node have names. `false` if there
    /// is no node, or one of several kinds.
    fn first_node(&mut self, seg: &Seg, sym: Sym) -> bool {
        let logic = self.logic;
        let pred = logic.group(self.group).get(seg.pred.0 as usize);
        let Some((pred, [body])) = pred.map(|pred| (pred, &pred.bodies[..])) else { return false };
        let Some(args) = self.arguments(seg).filter(|_| seg.nonempty && pred.head == 0) else {
            return false;
        };
        // Arguments may be existential here: in the node they are variables that nobody has.
        let params: Vec<Var> = (PLACEHOLDER..).take(args.len()).collect();
        let node = node_case(logic, self.group, seg.pred, &params, body);
        let both = std::mem::take(&mut self.out).star(&node);
        let place = |var: Var| params.iter().position(|param| *param == var);
        self.out =
            both.substitute(|var| place(var).and_then(|i| args.get(i).copied()).unwrap_or(var));
        let at = self.loc(Term::sym(sym));
        let first = 1 + logic.columns.len();
        let fields = self.out.cell_at(at).map(|(_, cell)| cell.fields.clone()).unwrap_or_default();
        for (middle, there) in logic.middles.iter().zip(fields.iter().skip(first)) {
            let named = self.locs.insert((sym, *middle), *there);
            if let Some(name) = named.filter(|name| name != there) {
                self.out.add_equal(name, *there);
            }
        }
        true
    }

    fn segment(&mut self, seg: &Seg) {
        let Some(args) = self.arguments(seg) else { return };
        let ids = self.logic.preds.get(self.group).and_then(|all| all.get(seg.pred.0 as usize));
        if let Some(ids) = ids {
            self.out.add_call(ids[usize::from(seg.nonempty)], args);
        }
    }

    fn arguments(&mut self, seg: &Seg) -> Option<Vec<Var>> {
        let logic = self.logic;
        let (group, pred) = (self.group, seg.pred.0 as usize);
        logic.preds.get(group).and_then(|all| all.get(pred))?;
        let shared = &logic.shared[group][pred];
        let own = match logic.group(group)[pred].shape {
            Shape::List => vec![seg.root, seg.to],
            Shape::Dlist => vec![seg.root, seg.to, seg.before, seg.last],
            Shape::Tree => vec![seg.root, seg.before],
        };
        let mut args: Vec<Var> = own.into_iter().map(|term| self.loc(term)).collect();
        for (term, is_loc) in seg.shared.iter().zip(shared) {
            args.push(if *is_loc { self.loc(*term) } else { self.number_var(*term) });
        }
        Some(args)
    }

    /// What is known of symbols that something else mentions.
    fn pure(&mut self, pure: &shape::Pure) {
        let null = self.logic.loc as Var;
        for (sym, range) in &pure.bounds {
            let Some(var) = self.ints.get(sym).copied() else {
                if let Some(loc) = self.locs.get(&(*sym, 0)).copied()
                    && range.low.is_some_and(|low| low > 0)
                {
                    self.out.add_different(loc, null);
                }
                continue;
            };
            // What only repeats a type nobody shows again.
            let value = Sum::var(var);
            let (low, high) = (range.low.filter(is_said), range.high.filter(is_said));
            if crate::formula::is_type_range(range.low, range.high) {
                continue;
            }
            let low = low.and_then(|low| Constraint::at_most(&Sum::number(low), &value));
            let high = high.and_then(|high| Constraint::at_most(&value, &Sum::number(high)));
            low.into_iter().chain(high).for_each(|c| self.out.add_linear(c));
        }
        for sum in &pure.linear {
            let known = sum.factors.iter().all(|(var, _)| self.ints.contains_key(&Sym(*var)));
            let sum = sum.renamed(&|var| self.ints.get(&Sym(var)).copied().unwrap_or(var));
            if let (true, Some(c)) = (known, Constraint::at_most(&Sum::number(0), &sum)) {
                self.out.add_linear(c);
            }
        }
        for (a, b, k) in &pure.different {
            let ints = (self.ints.get(a).copied(), b.map(|b| self.ints.get(&b).copied()));
            let different = match ints {
                (Some(a), None) => Constraint::different(&Sum::var(a), &Sum::number(*k)),
                (Some(a), Some(Some(b))) => {
                    let mut right = Sum::var(b);
                    right.constant = *k;
                    Constraint::different(&Sum::var(a), &right)
                }
                _ => None,
            };
            different.into_iter().for_each(|c| self.out.add_linear(c));
            let known = |sym: &Sym, k: i128| self.locs.get(&(*sym, k)).copied();
            match (known(a, 0), b) {
                (Some(a), None) if *k == 0 => self.out.add_different(a, null),
                (Some(a), Some(b)) => {
                    if let Some(b) = known(b, *k) {
                        self.out.add_different(a, b);
                    }
                }
                _ => {}
            }
        }
    }
}

/// Which of the arguments that all nodes have in common are locations: those that no number is.
pub(super) fn shared_sorts(pred: &Pred) -> Vec<bool> {
    let is_loc = |sym: Sym| {
        let number = |heap: &Heap| {
            heap.objs.values().any(|obj| {
                let is = |term: Term| term.base == Some(sym);
                is(obj.size) || obj.cells.values().any(|c| is(c.value) && !c.ty.is_pointer())
            })
        };
        !pred.bodies.iter().any(|body| number(&body.heap))
    };
    (0..pred.shared).map(|i| is_loc(Sym(SHARED + i))).collect()
}

/// No node.
pub(super) fn empty_case(logic: &Logic, params: &[Var], pred: &Pred) -> SymHeap {
    let null = logic.loc as Var;
    match (pred.shape, params) {
        (Shape::List, [x, y, ..]) => SymHeap::equal(*x, *y),
        (Shape::Dlist, [x, y, before, last, ..]) => {
            let mut heap = SymHeap::equal(*x, *y);
            heap.add_equal(*before, *last);
            heap
        }
        (_, [x, ..]) => SymHeap::equal(*x, null),
        (_, []) => SymHeap::emp(),
    }
}

/// A node, and the rest.
pub(super) fn node_case(
    logic: &Logic,
    group: usize,
    id: PredId,
    params: &[Var],
    body: &Body,
) -> SymHeap {
    let pred = &logic.group(group)[id.0 as usize];
    let null = logic.loc as Var;
    let own = match pred.shape {
        Shape::Dlist => 4,
        Shape::List | Shape::Tree => 2,
    };
    let (Some(x), shared) = (params.first().copied(), params.get(own..).unwrap_or_default()) else {
        return SymHeap::emp();
    };
    let mut encoder = Encoder::new(logic, group);
    encoder.locs.insert((SELF, pred.head), x);
    let before = match pred.shape {
        Shape::List => None,
        Shape::Dlist => params.get(2).copied(),
        Shape::Tree => params.get(1).copied(),
    };
    if let Some(before) = before {
        encoder.know_loc(PREV, before);
    }
    for (i, (var, is_loc)) in shared.iter().zip(&logic.shared[group][id.0 as usize]).enumerate() {
        let sym = Sym(SHARED + i as u32);
        if *is_loc { encoder.know_loc(sym, *var) } else { encoder.know_int(sym, *var) }
    }
    encoder.heap(&body.heap, &|_, _| false);
    let any = logic.preds[group][id.0 as usize][0];
    let rest = |args: &[Var], encoder: &mut Encoder<'_>| {
        let args: Vec<Var> = args.iter().chain(shared).copied().collect();
        encoder.out.add_call(any, args);
    };
    match (pred.shape, params) {
        (Shape::List, [_, y, ..]) => {
            let next = encoder.loc(Term::sym(NEXT));
            rest(&[next, *y], &mut encoder);
        }
        (Shape::Dlist, [_, y, _, last, ..]) => {
            let next = encoder.loc(Term::sym(NEXT));
            rest(&[next, *y, x, *last], &mut encoder);
        }
        _ => {
            let parents = pred.bodies.iter().any(shape::has_parent);
            let parent = if parents { x } else { null };
            let cells = body.heap.objs.get(&SELF).map(|obj| obj.cells.clone()).unwrap_or_default();
            for cell in body.children.iter().filter_map(|child| cells.get(child)) {
                let child = encoder.loc(cell.value);
                rest(&[child, parent], &mut encoder);
            }
        }
    }
    encoder.out
}

/// The last node of a doubly linked list, behind the rest.
pub(super) fn last_node(
    logic: &Logic,
    group: usize,
    id: PredId,
    params: &[Var],
    body: &Body,
) -> SymHeap {
    let pred = &logic.group(group)[id.0 as usize];
    let [x, y, before, last, shared @ ..] = params else { return SymHeap::emp() };
    let mut encoder = Encoder::new(logic, group);
    encoder.locs.insert((SELF, pred.head), *last);
    encoder.know_loc(NEXT, *y);
    for (i, (var, is_loc)) in shared.iter().zip(&logic.shared[group][id.0 as usize]).enumerate() {
        let sym = Sym(SHARED + i as u32);
        if *is_loc { encoder.know_loc(sym, *var) } else { encoder.know_int(sym, *var) }
    }
    encoder.heap(&body.heap, &|_, _| false);
    let prev = encoder.loc(Term::sym(PREV));
    let args: Vec<Var> = [*x, *last, *before, prev].iter().chain(shared).copied().collect();
    encoder.out.add_call(logic.preds[group][id.0 as usize][0], args);
    encoder.out
}
