//! Sorted lists that have no parameter for a bound, as `sls(x, y)` of [PWZ13, Sec. 6].
//!
//! There are three ways to define one:
//!
//! - A step compares the data of two neighbours: it describes the second cell twice, as a part of what
//!   follows and by itself (`x |-> {n: u, d: d} * (p(u, y) && u |-> {n: w, d: e} * true) * d <= e`).
//! - The first cell is followed by a list with a bound (`x |-> {n: u, d: d} * q(u, y, d)`).
//! - The bound of another list is hidden (`exists d. q(x, y, d)`).

use num_bigint::BigInt;

use super::cases::{Case, Cases, case_of_atoms};
use super::list::compared;
use super::{Change, End, Held, List, Measure, Order, Param, Shape};
use crate::formula::{Formula, Kind, Semantics};
use crate::overlay::{Layout, OverlaidHeap};
use crate::signature::{Definition, Signature};
use crate::sort::Name;
use crate::term::Term;

/// A case, and cells that are a part of what it describes.
struct Viewed {
    case: Case,
    peeks: Vec<(Term, Vec<Term>)>,
}

pub(super) fn classify(
    definition: &Definition,
    signature: &Signature,
    semantics: Semantics,
    depth: usize,
) -> Option<List> {
    let depth = depth.checked_sub(1)?;
    let body = unfolded(definition, signature);
    let mut all = Vec::new();
    for heap in OverlaidHeap::disjuncts(&body, semantics)? {
        let heap = heap.without_aliases();
        let (mut atoms, mut peeks) = (Vec::new(), Vec::new());
        view(&heap.layout, &mut atoms, &mut peeks)?;
        peeks.retain(|peek| !atoms.contains(peek));
        let case = case_of_atoms(&heap.vars, &heap.pure, &atoms, &definition.name)?;
        let own = case_of_atoms(&heap.vars, &[], &peeks, &definition.name)?;
        (own.calls.is_empty() && own.others.is_empty()).then_some(())?;
        all.push(Viewed { case, peeks: own.cells });
    }
    let cases = Cases { definition, stops: Vec::new(), steps: Vec::new() };
    let reader = Reader { cases: &cases, signature, semantics, depth };
    match all.iter().any(|viewed| !viewed.case.calls.is_empty()) {
        true => reader.neighbours(&all),
        false => reader.bounded(&all),
    }
}

/// The body, with definitions in place that lead back here and not to themselves.
fn unfolded(definition: &Definition, signature: &Signature) -> Formula {
    let returns = |name: &Name| {
        let other = signature.predicates.get(name)?;
        let calls = other.body.predicates();
        let returns = *name != definition.name
            && calls.contains(&definition.name)
            && !calls.contains(name)
            && other.is_closed();
        returns.then_some(other.as_ref())
    };
    definition.body.unfold(&returns)
}

/// The atoms that a heap consists of, and those that are said to be a part of it.
fn view(layout: &Layout, atoms: &mut Vec<Formula>, peeks: &mut Vec<Formula>) -> Option<()> {
    match layout {
        Layout::Any => return None,
        Layout::Atom(atom) => atoms.push(atom.clone()),
        Layout::Star(parts) => {
            for part in parts {
                view(part, atoms, peeks)?;
            }
        }
        Layout::Both(parts) => {
            let (open, closed): (Vec<_>, Vec<_>) = parts.iter().partition(|part| part.is_open());
            let [closed] = closed.as_slice() else { return None };
            view(closed, atoms, peeks)?;
            for part in open {
                let Layout::Star(parts) = part else { return None };
                for part in parts {
                    match part {
                        Layout::Any => {}
                        Layout::Atom(atom) => peeks.push(atom.clone()),
                        Layout::Star(_) | Layout::Both(_) => return None,
                    }
                }
            }
        }
    }
    Some(())
}

struct Reader<'a> {
    cases: &'a Cases<'a>,
    signature: &'a Signature,
    semantics: Semantics,
    /// How many definitions may be looked through.
    depth: usize,
}

/// Does a case say that the first location is not the end?
type Apart = bool;

impl Reader<'_> {
    /// Empty or one cell, or a cell that is compared with the next one.
    fn neighbours(&self, all: &[Viewed]) -> Option<List> {
        let step = all.iter().find(|viewed| !viewed.peeks.is_empty())?;
        let [(address, values)] = step.case.cells.as_slice() else { return None };
        let [call] = step.case.calls.as_slice() else { return None };
        let [(peeked, others)] = step.peeks.as_slice() else { return None };
        let root = self.cases.param(address)?;
        let second = call.get(root)?;
        step.case.bound(second)?;
        let next = values.iter().position(|v| v == second)?;
        if peeked != second || !step.case.others.is_empty() {
            return None;
        }
        let end = self.end(root, call)?;
        let mut list = empty_list(root, end, next);
        // Data that is compared, in the order of the fields.
        let mut explained = Vec::new();
        for (field, (here, there)) in values.iter().zip(others).enumerate() {
            if field == next {
                continue;
            }
            if let Some((index, change)) = self.comparison(step, here, there) {
                list.orders.push(Order { field, change });
                explained.push(index);
            } else if here.is_nil() && (there.is_nil() || is_free(step, there)) {
                list.nil_fields.push(field);
            } else if is_free(step, here) && is_free(step, there) {
                list.free_fields.push(field);
            } else {
                return None;
            }
        }
        let (mut says_apart, mut second_apart, mut others_apart) = (false, false, Vec::new());
        for (index, atom) in step.case.pure.iter().enumerate() {
            if self.is_apart(atom, root, end) {
                says_apart = true;
            } else if self.is_apart_from_end(atom, second, end) {
                second_apart = true;
            } else if !explained.contains(&index) {
                return None;
            }
        }
        if !others.get(next).is_some_and(|v| is_free(step, v)) || list.orders.is_empty() {
            return None;
        }
        let (mut empty, mut single) = (false, false);
        // `step` is one of them: the others, even if they look like it.
        for other in all.iter().filter(|viewed| !std::ptr::eq(*viewed, step)) {
            if self.is_empty_case(other, root, end) {
                empty = true;
            } else {
                others_apart.push(self.single(other, &list)?);
                single = true;
            }
        }
        if !single {
            return None;
        }
        // The second location is there, so it is not the end if no location is.
        if second_apart && !(end == End::Nil || says_apart && empty) {
            return None;
        }
        list.may_be_empty = empty;
        list.acyclic = self.acyclic(end, empty, says_apart, &others_apart)?;
        Some(list)
    }

    /// The first cell and a list with a bound, or only that list with a hidden bound.
    fn bounded(&self, all: &[Viewed]) -> Option<List> {
        let is_rest = |viewed: &&Viewed| !viewed.case.others.is_empty();
        let rest = all.iter().find(is_rest)?;
        let [(name, args)] = rest.case.others.as_slice() else { return None };
        let definition = self.signature.predicates.get(name)?;
        let Shape::List(inner) =
            super::classify_to(definition, self.signature, self.semantics, self.depth)?
        else {
            return None;
        };
        if inner.back.is_some() || !inner.nested.is_empty() || !rest.peeks.is_empty() {
            return None;
        }
        let list = match rest.case.cells.as_slice() {
            [] => self.hidden_bound(rest, &inner, args)?,
            [(address, values)] => self.first_cell(rest, &inner, args, (address, values))?,
            _ => return None,
        };
        let (root, end) = (list.root, list.end);
        let mut empty = false;
        // `rest` is one of them: the others, even if they look like it.
        for other in all.iter().filter(|viewed| !std::ptr::eq(*viewed, rest)) {
            self.is_empty_case(other, root, end).then_some(())?;
            empty = true;
        }
        let may_be_empty = empty || list.may_be_empty;
        // Of an acyclic list that is never empty the last location may be the end (`List::acyclic`).
        let same_cells = match rest.case.cells.is_empty() {
            true => may_be_empty == list.may_be_empty,
            false => may_be_empty,
        };
        let exact = end == End::Nil || !list.acyclic || same_cells;
        exact.then_some(List { may_be_empty, ..list })
    }

    /// `exists d. q(x, y, d)`
    fn hidden_bound(&self, rest: &Viewed, inner: &List, args: &[Term]) -> Option<List> {
        rest.case.pure.is_empty().then_some(())?;
        let root = self.cases.param(args.get(inner.root)?)?;
        let end = match inner.end {
            End::Nil => End::Nil,
            End::Param(end) => self.inner_end(args.get(end)?, root)?,
        };
        let mut orders = inner.orders.clone();
        for measure in &inner.measures {
            orders.push(self.hidden(measure)?);
            if !is_free(rest, args.get(measure.param)?) {
                return None;
            }
        }
        let known = self.cases.definition.params.len();
        let used = 1 + usize::from(matches!(end, End::Param(_)));
        let handed = 1 + usize::from(matches!(inner.end, End::Param(_))) + inner.measures.len();
        (known == used && args.len() == handed && !inner.from_the_end).then_some(())?;
        (!orders.is_empty()).then(|| List {
            root,
            end,
            orders,
            measures: Vec::new(),
            ..inner.clone()
        })
    }

    /// `x |-> {n: u, d: d} * q(u, y, d)`, or with another bound that is compared with `d`.
    fn first_cell(
        &self,
        rest: &Viewed,
        inner: &List,
        args: &[Term],
        (address, values): (&Term, &[Term]),
    ) -> Option<List> {
        let root = self.cases.param(address)?;
        let second = args.get(inner.root)?;
        rest.case.bound(second)?;
        let next = values.iter().position(|v| v == second)?;
        let end = match inner.end {
            End::Nil => End::Nil,
            End::Param(end) => self.inner_end(args.get(end)?, root)?,
        };
        let [measure] = inner.measures.as_slice() else { return None };
        let order = self.hidden(measure)?;
        let bound = args.get(measure.param)?;
        let here = values.get(order.field)?;
        let (mut apart, mut explained) = (false, None);
        match measure.field? {
            Held::Next(_) => {
                (here == bound && occurs(rest, here, 2)).then_some(())?;
            }
            Held::Here(_) => {
                let (index, change) = self.comparison(rest, here, bound)?;
                (change == order.change).then_some(())?;
                explained = Some(index);
            }
        }
        for (index, atom) in rest.case.pure.iter().enumerate() {
            if self.is_apart(atom, root, end) {
                apart = true;
            } else if explained != Some(index) {
                return None;
            }
        }
        let fits = |field: usize, value: &Term| {
            field == next
                || field == order.field
                || (inner.nil_fields.contains(&field) && value.is_nil())
                || (inner.free_fields.contains(&field) && is_free(rest, value))
        };
        let params = 1 + usize::from(matches!(end, End::Param(_)));
        let handed = 2 + usize::from(matches!(inner.end, End::Param(_)));
        let good = next == inner.next
            && inner.may_be_empty
            && inner.orders.is_empty()
            && (end == End::Nil || apart == inner.acyclic)
            && self.cases.definition.params.len() == params
            && args.len() == handed
            && values.iter().enumerate().all(|(field, value)| fits(field, value));
        good.then(|| List {
            root,
            end,
            may_be_empty: false,
            measures: Vec::new(),
            orders: vec![order],
            ..inner.clone()
        })
    }

    /// The order that is left of a measure if nobody says where it begins.
    fn hidden(&self, measure: &Measure) -> Option<Order> {
        let (Held::Here(field) | Held::Next(field)) = measure.field?;
        (measure.at_end.is_none() && is_transitive(&measure.change)).then_some(())?;
        Some(Order { field, change: measure.change.clone() })
    }

    fn inner_end(&self, arg: &Term, root: Param) -> Option<End> {
        if arg.is_nil() {
            return Some(End::Nil);
        }
        self.cases.param(arg).filter(|end| *end != root).map(End::Param)
    }

    /// All parameters but the first location are where it ends.
    fn end(&self, root: Param, call: &[Term]) -> Option<End> {
        match call.len() {
            1 => Some(End::Nil),
            2 => {
                let end = 1 - root;
                self.cases.is_param(call.get(end)?, end).then_some(End::Param(end))
            }
            _ => None,
        }
    }

    /// How the data of two neighbours compares: the place of the atom that says so.
    fn comparison(&self, step: &Viewed, here: &Term, there: &Term) -> Option<(usize, Change)> {
        step.case.bound(here)?;
        step.case.bound(there)?;
        (occurs(step, here, 2) && occurs(step, there, 2)).then_some(())?;
        let found = step.case.pure.iter().enumerate().find_map(|(index, atom)| {
            compared(atom, |t| t == here, |t| t == there).map(|change| (index, change))
        })?;
        is_transitive(&found.1).then_some(found)
    }

    fn is_apart(&self, atom: &Formula, root: Param, end: End) -> Apart {
        matches!(atom.kind(), Kind::Ne(a, b) if self.are_root_and_end(a, b, root, end))
    }

    fn is_apart_from_end(&self, atom: &Formula, location: &Term, end: End) -> bool {
        matches!(atom.kind(), Kind::Ne(a, b)
            if a == location && self.is_end(b, end) || b == location && self.is_end(a, end))
    }

    fn are_root_and_end(&self, a: &Term, b: &Term, root: Param, end: End) -> bool {
        let is_root = |t: &Term| self.cases.is_param(t, root);
        is_root(a) && self.is_end(b, end) || is_root(b) && self.is_end(a, end)
    }

    fn is_end(&self, term: &Term, end: End) -> bool {
        match end {
            End::Nil => term.is_nil(),
            End::Param(end) => self.cases.is_param(term, end),
        }
    }

    fn is_empty_case(&self, viewed: &Viewed, root: Param, end: End) -> bool {
        let case = &viewed.case;
        let nothing = case.cells.is_empty() && case.calls.is_empty() && case.others.is_empty();
        let [atom] = case.pure.as_slice() else { return false };
        let Kind::Eq(a, b) = atom.kind() else { return false };
        nothing && self.are_root_and_end(a, b, root, end)
    }

    /// One cell that leads to the end; an empty list may follow, if that is all it can be.
    fn single(&self, viewed: &Viewed, list: &List) -> Option<Apart> {
        let case = &viewed.case;
        let [(address, values)] = case.cells.as_slice() else { return None };
        let is_end = |t: &Term| self.is_end(t, list.end);
        let follows = values.get(list.next)?;
        let apart = case.pure.iter().all(|atom| self.is_apart(atom, list.root, list.end));
        let fits = |field: usize, value: &Term| {
            field == list.next
                || (list.nil_fields.contains(&field) && value.is_nil())
                || (!list.nil_fields.contains(&field) && is_free(viewed, value))
        };
        let empty_rest = match case.calls.as_slice() {
            [] => true,
            [call] => !case.pure.is_empty() && call.iter().all(is_end),
            _ => false,
        };
        let good = self.cases.is_param(address, list.root)
            && is_end(follows)
            && apart
            && empty_rest
            && case.others.is_empty()
            && viewed.peeks.is_empty()
            && values.iter().enumerate().all(|(field, value)| fits(field, value));
        good.then_some(!case.pure.is_empty())
    }

    /// Is the end no location of the list? `None` if that is said of some lists only.
    fn acyclic(&self, end: End, empty: bool, step: Apart, single: &[Apart]) -> Option<bool> {
        if end == End::Nil {
            return Some(true);
        }
        // Of a list that is never empty only steps say it: see `List::acyclic`.
        let expected = step && empty;
        single.iter().all(|apart| *apart == expected).then_some(step)
    }
}

/// Do several such steps make one?
fn is_transitive(change: &Change) -> bool {
    matches!(change, Change::AtLeast(k) | Change::AtMost(k) if *k >= BigInt::from(0))
}

fn empty_list(root: Param, end: End, next: usize) -> List {
    List {
        root,
        end,
        next,
        acyclic: false,
        may_be_empty: false,
        from_the_end: false,
        back: None,
        measures: Vec::new(),
        orders: Vec::new(),
        nil_fields: Vec::new(),
        nested: Vec::new(),
        free_fields: Vec::new(),
    }
}

/// A variable that may be anything.
fn is_free(viewed: &Viewed, term: &Term) -> bool {
    viewed.case.bound(term).is_some() && occurs(viewed, term, 1)
}

fn occurs(viewed: &Viewed, term: &Term, times: usize) -> bool {
    let Some(var) = term.as_var() else { return false };
    let mut count = viewed.case.occurrences(&var.name);
    for (address, values) in &viewed.peeks {
        for part in values.iter().chain([address]) {
            part.for_each_var(&mut |v| count += usize::from(v.name == var.name));
        }
    }
    count == times
}
