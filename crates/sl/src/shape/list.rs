//! Lists: one case that stops and one that takes a location off.

use num_bigint::BigInt;

use super::cases::{Case, Cases};
use super::{AtEnd, Back, Change, End, Held, List, Measure, Nested, NestedEnd};
use crate::formula::{Formula, Kind};
use crate::signature::Signature;
use crate::sort::Sort;
use crate::term::{Term, TermKind};

pub(super) fn classify(cases: &Cases<'_>, signature: &Signature) -> Option<List> {
    let ([stop], [step]) = (cases.stops.as_slice(), cases.steps.as_slice()) else { return None };
    let ([(address, values)], [call]) = (step.cells.as_slice(), step.calls.as_slice()) else {
        return None;
    };
    match cases.param(address) {
        Some(root) => Reader { cases, signature, stop, step, root, values, call }.list(),
        None => from_the_end(cases, stop, step, address, values, call),
    }
}

struct Reader<'a> {
    cases: &'a Cases<'a>,
    signature: &'a Signature,
    stop: &'a Case,
    step: &'a Case,
    root: usize,
    values: &'a [Term],
    call: &'a [Term],
}

impl Reader<'_> {
    fn list(&self) -> Option<List> {
        let next_term = self.call.get(self.root)?;
        self.step.bound(next_term)?;
        let next = self.values.iter().position(|v| v == next_term)?;
        let (end, may_be_empty) = self.end(next)?;
        let mut used = vec![next];
        let back = self.back(end, &mut used)?;
        let measures = self.measures(end, back, &mut used)?;
        let nested = self.nested(next_term, &mut used)?;
        let mut nil_fields = Vec::new();
        let mut free_fields = Vec::new();
        for (field, value) in self.values.iter().enumerate() {
            if used.contains(&field) {
                continue;
            }
            if value.is_nil() {
                nil_fields.push(field);
            } else {
                let var = self.step.bound(value)?;
                if self.step.occurrences(&var.name) != 1 {
                    return None;
                }
                free_fields.push(field);
            }
        }
        let list = List {
            root: self.root,
            end,
            next,
            acyclic: self.is_acyclic(end),
            may_be_empty,
            from_the_end: false,
            back,
            measures,
            orders: Vec::new(),
            nil_fields,
            nested,
            free_fields,
        };
        (self.explains_params(&list) && self.explains_pure(&list) && self.explains_only(&list))
            .then_some(list)
    }

    /// Where it ends, and whether it may be empty: the case that stops has no location and says
    /// that the root is the end, or has one that leads to the end.
    fn end(&self, next: usize) -> Option<(End, bool)> {
        let root = |t: &Term| self.cases.is_param(t, self.root);
        let as_end = |t: &Term| {
            if t.is_nil() {
                return Some(End::Nil);
            }
            let param = self.cases.param(t).filter(|p| *p != self.root)?;
            // It is handed on unchanged.
            self.cases.is_param(self.call.get(param)?, param).then_some(End::Param(param))
        };
        match self.stop.cells.as_slice() {
            [] => self.stop.pure.iter().find_map(|atom| match atom.kind() {
                Kind::Eq(a, b) if root(a) => as_end(b).map(|end| (end, true)),
                Kind::Eq(a, b) if root(b) => as_end(a).map(|end| (end, true)),
                _ => None,
            }),
            [(address, values)] if root(address) => {
                as_end(values.get(next)?).map(|end| (end, false))
            }
            _ => None,
        }
    }

    fn is_acyclic(&self, end: End) -> bool {
        match end {
            End::Nil => true,
            End::Param(end) => {
                self.step.pure.iter().any(|atom| self.says_different(atom, self.root, end))
            }
        }
    }

    fn says_different(&self, atom: &Formula, x: usize, y: usize) -> bool {
        let is = |t: &Term, p| self.cases.is_param(t, p);
        matches!(atom.kind(), Kind::Ne(a, b) if is(a, x) && is(b, y) || is(a, y) && is(b, x))
    }

    fn says_same(&self, atom: &Formula, x: usize, y: usize) -> bool {
        let is = |t: &Term, p| self.cases.is_param(t, p);
        matches!(atom.kind(), Kind::Eq(a, b) if is(a, x) && is(b, y) || is(a, y) && is(b, x))
    }

    /// A parameter for which the call has the root, and a field that holds it. `Some(None)` if there
    /// is none.
    fn back(&self, end: End, used: &mut Vec<usize>) -> Option<Option<Back>> {
        let is_before = |p: &usize| {
            *p != self.root && self.call.get(*p).is_some_and(|a| self.cases.is_param(a, self.root))
        };
        let Some(before) = (0..self.call.len()).find(is_before) else { return Some(None) };
        let prev = self.values.iter().position(|v| self.cases.is_param(v, before))?;
        used.push(prev);
        // The last location: handed on unchanged, and the same as what is before an empty list, or
        // as the only location.
        let single = !self.stop.cells.is_empty();
        let other = if single { self.root } else { before };
        let last = (0..self.call.len()).find(|p| {
            *p != self.root
                && *p != before
                && end != End::Param(*p)
                && self.call.get(*p).is_some_and(|a| self.cases.is_param(a, *p))
                && self.stop.pure.iter().any(|atom| self.says_same(atom, *p, other))
        });
        if let [(_, values)] = self.stop.cells.as_slice()
            && !values.get(prev).is_some_and(|v| self.cases.is_param(v, before))
        {
            return None;
        }
        let apart = last.is_some_and(|last| {
            self.step.pure.iter().any(|atom| self.says_different(atom, before, last))
        });
        Some(Some(Back { prev, before, last, apart }))
    }

    /// Parameters that are numbers and change.
    fn measures(
        &self,
        end: End,
        back: Option<Back>,
        used: &mut Vec<usize>,
    ) -> Option<Vec<Measure>> {
        let mut measures = Vec::new();
        for (param, arg) in self.call.iter().enumerate() {
            let known = param == self.root
                || end == End::Param(param)
                || back.is_some_and(|b| b.before == param || b.last == Some(param));
            if known || self.cases.is_param(arg, param) {
                continue;
            }
            let sort = self.cases.definition.params.get(param).map(|p| p.sort.clone())?;
            if sort != Sort::Int {
                return None;
            }
            let (next, change) = self.change(param, arg)?;
            let here = self.values.iter().position(|v| self.cases.is_param(v, param));
            let passed = next.and_then(|n| self.values.iter().position(|v| v == n));
            let field = here.map(Held::Here).or(passed.map(Held::Next));
            if let Some(Held::Here(field) | Held::Next(field)) = field {
                used.push(field);
            }
            let at_end = self.at_end(param).map(|(_, value)| value);
            measures.push(Measure { param, field, change, at_end });
        }
        Some(measures)
    }

    /// How the argument of the call differs from the parameter: by an equation or an order among
    /// the pure atoms, or because the argument is written as a sum.
    fn change<'t>(&self, param: usize, arg: &'t Term) -> Option<(Option<&'t Term>, Change)> {
        if let Some((term, number)) = offset(arg)
            && self.cases.is_param(term, param)
        {
            return Some((None, Change::Equal(-number)));
        }
        self.step.bound(arg)?;
        let is_here = |term: &Term| self.cases.is_param(term, param);
        let change =
            self.step.pure.iter().find_map(|atom| compared(atom, is_here, |term| term == arg))?;
        Some((Some(arg), change))
    }

    /// The equation in the case that stops for a measure, and what it says.
    fn at_end(&self, param: usize) -> Option<(&Formula, AtEnd)> {
        self.stop.pure.iter().find_map(|atom| {
            let Kind::Eq(a, b) = atom.kind() else { return None };
            for (side, other) in [(a, b), (b, a)] {
                let Some((base, number)) = offset(side) else { continue };
                if !self.cases.is_param(base, param) {
                    continue;
                }
                return match other.kind() {
                    TermKind::Int(value) => Some((atom, AtEnd::Number(value - number))),
                    _ if number == BigInt::from(0) => {
                        let end = self.cases.param(other)?;
                        let fixed = self.cases.is_param(self.call.get(end)?, end);
                        fixed.then_some((atom, AtEnd::Param(end)))
                    }
                    _ => None,
                };
            }
            None
        })
    }

    /// Instances of other predicates, each at a location that a field holds.
    fn nested(&self, next: &Term, used: &mut Vec<usize>) -> Option<Vec<Nested>> {
        let mut all = Vec::new();
        for (predicate, args) in &self.step.others {
            let (at, field) = args.iter().enumerate().find_map(|(i, arg)| {
                let field = self.values.iter().position(|v| v == arg && v != next)?;
                self.step.bound(arg).map(|_| (i, field))
            })?;
            let params = &self.signature.predicates.get(predicate)?.params;
            let end = match args
                .iter()
                .enumerate()
                .find(|(i, _)| *i != at && params.get(*i).is_some_and(|p| p.sort.is_loc()))
            {
                None => NestedEnd::Own,
                Some((_, arg)) if arg.is_nil() => NestedEnd::Nil,
                Some((_, arg)) => match self.cases.param(arg) {
                    Some(param) => NestedEnd::Param(param),
                    None => NestedEnd::Field(self.values.iter().position(|v| v == arg)?),
                },
            };
            used.push(field);
            all.push(Nested { field, predicate: predicate.clone(), end });
        }
        self.stop.others.is_empty().then_some(all)
    }

    /// Every parameter has a part in it, or is handed on.
    fn explains_params(&self, list: &List) -> bool {
        self.call.iter().enumerate().all(|(param, arg)| {
            param == list.root
                || list.back.is_some_and(|b| b.before == param)
                || list.measures.iter().any(|m| m.param == param)
                || self.cases.is_param(arg, param)
        })
    }

    /// Every pure atom is accounted for.
    fn explains_pure(&self, list: &List) -> bool {
        let step = self.step.pure.iter().all(|atom| {
            let ends =
                matches!(list.end, End::Param(end) if self.says_different(atom, self.root, end));
            let lasts = list.back.is_some_and(|back| {
                back.last.is_some_and(|last| self.says_different(atom, back.before, last))
            });
            ends || lasts || self.is_about_one_measure(atom, list)
        });
        let stop = self.stop.pure.iter().all(|atom| {
            // A list with a last location says by that where it ends, and nothing of the root.
            let ends = list.may_be_empty
                && match list.end {
                    End::Param(end) => self.says_same(atom, self.root, end),
                    End::Nil => matches!(atom.kind(), Kind::Eq(a, b) if
                    self.cases.is_param(a, self.root) && b.is_nil()
                    || self.cases.is_param(b, self.root) && a.is_nil()),
                };
            let lasts = list.back.is_some_and(|back| {
                let other = if list.may_be_empty { back.before } else { self.root };
                back.last.is_some_and(|last| self.says_same(atom, other, last))
            });
            let measured = list
                .measures
                .iter()
                .any(|m| self.at_end(m.param).is_some_and(|(known, _)| known == atom));
            ends || lasts || measured
        });
        step && stop
    }

    /// If the case that stops has a location, its fields hold what those of the others do.
    fn explains_only(&self, list: &List) -> bool {
        let [(_, values)] = self.stop.cells.as_slice() else { return true };
        let free = |value: &Term| {
            self.stop.bound(value).is_some_and(|v| self.stop.occurrences(&v.name) == 1)
        };
        let measured = |field: usize, value: &Term| {
            list.measures
                .iter()
                .any(|m| m.field == Some(Held::Here(field)) && self.cases.is_param(value, m.param))
        };
        list.nested.is_empty()
            && values.iter().enumerate().all(|(field, value)| {
                field == list.next
                    || list.back.is_some_and(|back| back.prev == field)
                    || (list.nil_fields.contains(&field) && value.is_nil())
                    || (list.free_fields.contains(&field) && free(value))
                    || measured(field, value)
            })
    }

    /// Is the atom the one that says how a measure changes? Only the first one is understood.
    fn is_about_one_measure(&self, atom: &Formula, list: &List) -> bool {
        list.measures.iter().any(|m| {
            let Some(arg) = self.call.get(m.param) else { return false };
            let about = |f: &Formula| {
                let bases: Vec<_> =
                    f.terms().into_iter().filter_map(offset).map(|(base, _)| base).collect();
                matches!(bases.as_slice(), [a, b] if
                    self.cases.is_param(a, m.param) && *b == arg
                    || self.cases.is_param(b, m.param) && *a == arg)
            };
            self.step.pure.iter().find(|f| about(f)).is_some_and(|first| first == atom)
        })
    }
}

/// What an equation or an order says of a number `here` and the one at the `next` location.
pub(super) fn compared(
    atom: &Formula,
    is_here: impl Fn(&Term) -> bool,
    is_next: impl Fn(&Term) -> bool,
) -> Option<Change> {
    let (a, b) = match atom.kind() {
        Kind::Eq(a, b) | Kind::Le(a, b) | Kind::Lt(a, b) => (offset(a)?, offset(b)?),
        _ => return None,
    };
    let strict = BigInt::from(i32::from(matches!(atom.kind(), Kind::Lt(..))));
    let equal = matches!(atom.kind(), Kind::Eq(..));
    let k = a.1 - b.1;
    if is_here(a.0) && is_next(b.0) {
        // here + m (=, <=, <) next + n
        Some(if equal { Change::Equal(-k) } else { Change::AtMost(k + strict) })
    } else if is_here(b.0) && is_next(a.0) {
        Some(if equal { Change::Equal(k) } else { Change::AtLeast(k + strict) })
    } else {
        None
    }
}

/// A term as another one plus a number.
fn offset(term: &Term) -> Option<(&Term, BigInt)> {
    match term.kind() {
        TermKind::Var(_) => Some((term, BigInt::from(0))),
        TermKind::Add(parts) => {
            let mut base = None;
            let mut number = BigInt::from(0);
            for part in parts {
                match part.kind() {
                    TermKind::Int(value) => number += value,
                    TermKind::Var(_) if base.is_none() => base = Some(part),
                    _ => return None,
                }
            }
            base.map(|base| (base, number))
        }
        _ => None,
    }
}

/// `exists u. u |-> y * p(x, u)`: a segment that loses its last location.
fn from_the_end(
    cases: &Cases<'_>,
    stop: &Case,
    step: &Case,
    address: &Term,
    values: &[Term],
    call: &[Term],
) -> Option<List> {
    step.bound(address)?;
    let end = call.iter().position(|arg| arg == address)?;
    let next = values.iter().position(|v| cases.is_param(v, end))?;
    let root = (0..call.len())
        .find(|p| *p != end && call.get(*p).is_some_and(|arg| cases.is_param(arg, *p)))?;
    let plain = call.len() == 2 && step.pure.is_empty() && step.others.is_empty();
    let is_same = |atom: &Formula| {
        matches!(atom.kind(), Kind::Eq(a, b) if
            cases.is_param(a, root) && cases.is_param(b, end)
            || cases.is_param(a, end) && cases.is_param(b, root))
    };
    let free_fields: Vec<usize> = (0..values.len()).filter(|f| *f != next).collect();
    let are_free = |case: &Case, values: &[Term]| {
        let once = |v: &Term| case.bound(v).is_some_and(|v| case.occurrences(&v.name) == 1);
        free_fields.iter().all(|f| values.get(*f).is_some_and(once))
    };
    let may_be_empty = match (stop.cells.as_slice(), stop.pure.as_slice()) {
        ([], [atom]) if is_same(atom) => true,
        ([(at, held)], [])
            if cases.is_param(at, root)
                && held.get(next).is_some_and(|v| cases.is_param(v, end))
                && are_free(stop, held) =>
        {
            false
        }
        _ => return None,
    };
    if !plain || !stop.others.is_empty() || !are_free(step, values) {
        return None;
    }
    Some(List {
        root,
        end: End::Param(end),
        next,
        acyclic: false,
        may_be_empty,
        from_the_end: true,
        back: None,
        measures: Vec::new(),
        orders: Vec::new(),
        nil_fields: Vec::new(),
        nested: Vec::new(),
        free_fields,
    })
}
