//! Spatial interpolants [ABCK15, Sec. 4.3 and App. D]: backwards along a path, as weak as memory safety allows.
//!
//! `itp(S, c, I')` is an `I` with `S ⊨ I` and `{I} c {I'}`. `S` comes from symbolic execution and says which
//! pointers are aliases. Where a command needs the record at `x`, the heaplet of `I'` that stands for this record in
//! `S` is exposed: that is bounded abduction with `M = x ↦ [a⃗, z⃗]`. Recursive predicates come in at `assume`, by
//! `intro`. Every interpolant is checked before it is used; where none is found, `S` itself is one.

use crate::abduce::{abduce, cut, only_leaf, star};
use crate::defs::{Defs, End};
use crate::entail::{Embedding, entails};
use crate::exec::{Command, HExpr, execute, heap_value};
use crate::rsep::{Atom, Formula, HTerm, Instance};

/// Is `{before} command {after}` valid, without regard to data?
#[must_use]
pub fn triple(before: &Formula, command: &Command, after: &Formula, defs: &Defs) -> bool {
    let executed = execute(command, before, defs);
    executed.faults.is_empty() && executed.states.iter().all(|s| entails(s, after, defs).is_some())
}

/// Interpolants for a path whose symbolic heaps are given: one for each, the last one is `goal`.
#[must_use]
pub fn path(heaps: &[Formula], commands: &[Command], goal: &Formula, defs: &Defs) -> Vec<Formula> {
    let mut found = vec![goal.clone()];
    let mut after = goal.clone();
    for (before, command) in heaps.iter().zip(commands).rev() {
        let next = interpolant(before, command, &after, defs);
        after = next.unwrap_or_else(|| before.without_data());
        found.push(after.clone());
    }
    found.reverse();
    found
}

/// `itp(S, c, I')`; `None` if the rules find none that holds.
#[must_use]
pub fn interpolant(
    before: &Formula,
    command: &Command,
    after: &Formula,
    defs: &Defs,
) -> Option<Formula> {
    let mut found = candidate(before, command, after, defs)?;
    tidy(&mut found, defs);
    let valid = entails(before, &found, defs).is_some() && triple(&found, command, after, defs);
    valid.then_some(found)
}

fn candidate(before: &Formula, command: &Command, after: &Formula, defs: &Defs) -> Option<Formula> {
    let mut result = after.clone();
    let executed = execute(command, before, defs).states.into_iter().next()?;
    let leaf = only_leaf(&executed, after, defs)?;
    let mut exposing = Exposing { heap: &executed, leaf, defs };
    match command {
        // I'[E/x]
        Command::Assign(x, e) => {
            let (value, term) = (result.vars[*x], heap_value(*e, &result));
            if *e != HExpr::Var(*x) {
                result.unify(value, term);
                result.vars[*x] = result.fresh();
            }
        }
        Command::Havoc(x) => result.vars[*x] = result.fresh(),
        // pre * F, where F is what I' needs besides the postcondition.
        Command::Call(call) => {
            let contract = defs.contracts.get(call.contract)?;
            let vars: Vec<usize> = call.heap.iter().chain(&contract.globals).copied().collect();
            let anything = Formula::anything(after.vars.len(), after.data.len());
            let pre = contract.before(&vars, &call.data, anything)?.without_data();
            let first_of_post = executed.atoms.len().checked_sub(contract.post.atoms.len())?;
            let mut uses = exposing.leaf.uses.iter();
            result.atoms.retain(|_| {
                let own = uses.next();
                own.is_some_and(|own| own.iter().all(|index| *index < first_of_post))
            });
            if let Some(x) = call.to_heap {
                let at = result.vars[x];
                result.apart.retain(|(a, b)| *a != at && *b != at);
                result.vars[x] = result.fresh();
            }
            result = star(&pre, &result);
        }
        Command::Data(..)
        | Command::HavocData(..)
        | Command::Draw(..)
        | Command::Assume(_)
        | Command::Fail
        | Command::Skip => {}
        // ∃x. A, where A is I' without the record.
        Command::New(x, _, zeroed) => {
            let at = result.vars[*x];
            let place = executed.vars[*x];
            if exposing.atom_of(place).is_some() {
                let index = exposing.expose(&mut result, place, at, None)?;
                if let Atom::Cell(cell) = result.atoms.remove(index)
                    && *zeroed
                {
                    cell.ptrs.iter().for_each(|field| result.unify(*field, HTerm::Null));
                }
            }
            let at = result.vars[*x];
            result.apart.retain(|(a, b)| *a != at && *b != at);
            result.vars[*x] = result.fresh();
        }
        // ∃a⃗, z⃗. I' * x ↦ [a⃗, z⃗]
        Command::Free(x) | Command::Release(x) => {
            let Atom::Cell(cell) = before.atoms.get(before.cell_at(before.vars[*x])?)? else {
                return None;
            };
            let at = result.vars[*x];
            result.apart.retain(|(a, b)| *a != at && *b != at);
            let cell = result.fresh_cell(at, cell.kind, defs);
            result.atoms.push(Atom::Cell(cell));
        }
        // ∃a⃗, z⃗. A[zᵢ/y, y/y'] * x ↦ [a⃗, z⃗]
        Command::Load(y, x, kind, field) => {
            let value = result.vars[*y];
            let at = if x == y { result.fresh() } else { result.vars[*x] };
            let index = exposing.expose(&mut result, before.vars[*x], at, Some(*kind))?;
            let at = result.cell(index)?.at;
            let held = *result.cell(index)?.ptrs.get(*field)?;
            result.unify(held, value);
            let at = if x == y { at } else { result.fresh() };
            result.vars[*y] = at;
        }
        Command::LoadData(_, x, kind, _) | Command::StoreData(x, kind, ..) => {
            let at = result.vars[*x];
            exposing.expose(&mut result, before.vars[*x], at, Some(*kind))?;
        }
        // ∃a⃗, z⃗. A * x ↦ [a⃗, z⃗], where A is for z⃗[E/zᵢ].
        Command::Store(x, kind, field, e) => {
            let at = result.vars[*x];
            let index = exposing.expose(&mut result, before.vars[*x], at, Some(*kind))?;
            let (held, value) = (*result.cell(index)?.ptrs.get(*field)?, heap_value(*e, &result));
            result.unify(held, value);
            let anything = result.fresh();
            *result.cell_mut(index)?.ptrs.get_mut(*field)? = anything;
        }
        Command::Equal(e, f) => {
            result = equal(before, &executed, (*e, *f), after, defs)?;
        }
        Command::Different(e, f) => {
            let pair = (heap_value(*e, &result), heap_value(*f, &result));
            result.apart.retain(|(a, b)| (*a, *b) != pair && (*b, *a) != pair);
            let mut with = result.clone();
            with.apart.push(pair);
            for (a, b) in [(*e, *f), (*f, *e)] {
                for choice in choices(&executed, a, b, defs) {
                    if let Some(more) = intro(&executed, &choice, &with, defs) {
                        with = more;
                    }
                }
            }
            let pair = (heap_value(*e, &with), heap_value(*f, &with));
            with.apart.retain(|(a, b)| (*a, *b) != pair && (*b, *a) != pair);
            result = with;
        }
    }
    Some(result)
}

impl Formula {
    fn cell(&self, index: usize) -> Option<&crate::rsep::Cell> {
        match self.atoms.get(index) {
            Some(Atom::Cell(cell)) => Some(cell),
            _ => None,
        }
    }

    fn cell_mut(&mut self, index: usize) -> Option<&mut crate::rsep::Cell> {
        match self.atoms.get_mut(index) {
            Some(Atom::Cell(cell)) => Some(cell),
            _ => None,
        }
    }
}

/// The place of a record in a symbolic heap, made explicit in an interpolant.
struct Exposing<'a> {
    heap: &'a Formula,
    leaf: Embedding,
    defs: &'a Defs,
}

impl Exposing<'_> {
    /// The heaplet of the interpolant that stands for the record at a place of the symbolic heap.
    fn atom_of(&self, place: HTerm) -> Option<usize> {
        let cell = self.heap.cell_at(place)?;
        self.leaf.uses.iter().position(|uses| uses.contains(&cell))
    }

    /// Where the record is among the heaplets of the interpolant, in which its place is `at`.
    fn expose(
        &mut self,
        result: &mut Formula,
        place: HTerm,
        at: HTerm,
        kind: Option<crate::defs::KindId>,
    ) -> Option<usize> {
        let Some(mut index) = self.atom_of(place) else {
            let kind = kind?;
            let cell = result.fresh_cell(at, kind, self.defs);
            result.atoms.push(Atom::Cell(cell));
            return Some(result.atoms.len() - 1);
        };
        // Unfolding removes the instance: heaplets behind it move.
        loop {
            match result.atoms.get(index)?.clone() {
                Atom::Cell(cell) => {
                    result.unify(cell.at, at);
                    return Some(index);
                }
                Atom::Pred(instance) => {
                    let root = *instance.args.first()?;
                    if root == at {
                        index = result.unfold_inductive(index, self.defs)?;
                    } else if self.defs.is_segment(instance.pred) {
                        index = cut(result, index, at, self.defs)?;
                    } else if self.image(root) == Some(place) {
                        result.unify(root, at);
                        index = result.unfold_inductive(index, self.defs)?;
                    } else {
                        index = self.descend(result, index, &instance, place)?;
                    }
                }
                Atom::Context(_) => return None,
            }
        }
    }

    fn image(&self, term: HTerm) -> Option<HTerm> {
        match term {
            HTerm::Null => Some(HTerm::Null),
            HTerm::Sym(sym) => self.leaf.map.get(&sym).copied(),
        }
    }

    /// Unfolds an instance that has the record below its root; the part that has it.
    fn descend(
        &mut self,
        result: &mut Formula,
        index: usize,
        instance: &Instance,
        place: HTerm,
    ) -> Option<usize> {
        let root = self.image(*instance.args.first()?)?;
        let own = self.heap.cell(self.heap.cell_at(root)?)?.clone();
        let at = result.unfold_inductive(index, self.defs)?;
        let fields = result.cell(at)?.ptrs.clone();
        for (field, value) in fields.iter().zip(&own.ptrs) {
            if let HTerm::Sym(sym) = field {
                self.leaf.map.entry(*sym).or_insert(*value);
            }
        }
        let wanted = self.heap.cell_at(place)?;
        (at + 1..result.atoms.len()).find(|part| {
            let Some(Atom::Pred(part)) = result.atoms.get(*part) else { return false };
            let args = part.args.iter().map(|arg| self.image(*arg)).collect::<Option<Vec<_>>>();
            args.and_then(|args| footprint(self.heap, part, args, self.defs))
                .is_some_and(|cells| cells.contains(&wanted))
        })
    }
}

/// The records of a symbolic heap that an instance with these arguments is made of.
fn footprint(
    heap: &Formula,
    instance: &Instance,
    args: Vec<HTerm>,
    defs: &Defs,
) -> Option<Vec<usize>> {
    let mut goal = Formula { atoms: Vec::new(), apart: Vec::new(), ..heap.clone() };
    goal.atoms.push(Atom::Pred(Instance { args, refs: Vec::new(), ..instance.clone() }));
    // Symbols of the heap that no variable has are bound to themselves by a variable of their own.
    let mut named = heap.clone();
    let syms: Vec<HTerm> = (0..heap.next).map(HTerm::Sym).collect();
    named.vars.extend(&syms);
    goal.vars.extend(&syms);
    only_leaf(&named, &goal, defs)?.uses.pop()
}

/// App. D, for an equation: occurrences of the place that two terms have in common after it are told apart as they
/// are before it.
fn equal(
    before: &Formula,
    executed: &Formula,
    (e, f): (HExpr, HExpr),
    after: &Formula,
    defs: &Defs,
) -> Option<Formula> {
    let mut result = after.clone();
    let (left, right) = (heap_value(e, before), heap_value(f, before));
    if left == right {
        // It says nothing new: the first variable need not be known to be equal.
        if heap_value(e, &result) == heap_value(f, &result)
            && let HExpr::Var(x) = e
        {
            result.vars[x] = result.fresh();
        }
        return Some(result);
    }
    let merged = heap_value(e, executed);
    let leaf = only_leaf(executed, after, defs)?;
    let is_merged = |term: HTerm| match term {
        HTerm::Null => merged == HTerm::Null,
        HTerm::Sym(sym) => leaf.map.get(&sym) == Some(&merged),
    };
    let name = |term: HTerm, result: &mut Formula| match term {
        HTerm::Null => HTerm::Null,
        HTerm::Sym(_) => result.fresh(),
    };
    let (one, other) = (name(left, &mut result), name(right, &mut result));
    let mut changed = false;
    for (index, term) in after.vars.iter().enumerate() {
        if is_merged(*term) {
            let own = before.vars[index];
            result.vars[index] = if own == left { one } else { other };
            changed = true;
        }
    }
    if !changed {
        return Some(result);
    }
    // Heaplets: as they are in the heap; arguments of predicates by trying.
    let mut open = Vec::new();
    for (index, atom) in after.atoms.iter().enumerate() {
        match atom {
            Atom::Cell(cell) => {
                let own = before.cell(*leaf.uses.get(index)?.first()?)?.clone();
                let pick = |own: HTerm| if own == left { one } else { other };
                let result = result.cell_mut(index)?;
                if is_merged(cell.at) {
                    result.at = pick(own.at);
                }
                for (field, (new, own)) in
                    cell.ptrs.iter().zip(result.ptrs.iter_mut().zip(&own.ptrs))
                {
                    if is_merged(*field) {
                        *new = pick(*own);
                    }
                }
            }
            Atom::Pred(instance) => {
                for (place, arg) in instance.args.iter().enumerate() {
                    if is_merged(*arg) {
                        open.push((index, place));
                    }
                }
            }
            Atom::Context(_) => return None,
        }
    }
    if open.len() > 6 {
        return None;
    }
    // What need not be known of a variable is not said of it: null comes first.
    let all = 1u32 << open.len();
    let flip = if right == HTerm::Null { all - 1 } else { 0 };
    (0..all).map(|bits| bits ^ flip).find_map(|bits| {
        let mut attempt = result.clone();
        for (bit, (index, place)) in open.iter().enumerate() {
            if let Some(Atom::Pred(instance)) = attempt.atoms.get_mut(*index)
                && let Some(arg) = instance.args.get_mut(*place)
            {
                *arg = if bits >> bit & 1 == 0 { one } else { other };
            }
        }
        entails(before, &attempt, defs).map(|_| attempt)
    })
}

/// Predicates and arguments for `intro` at `assume(a ≠ b)`: those whose empty case it excludes.
fn choices(heap: &Formula, a: HExpr, b: HExpr, defs: &Defs) -> Vec<Formula> {
    let mut found = Vec::new();
    let HExpr::Var(_) = a else { return found };
    let at = heap_value(a, heap);
    // What a contract gives is not unfolded yet where it is compared with its end.
    let (kind, fields) = match (heap.cell_at(at), heap.instance_at(at)) {
        (Some(index), _) => match heap.cell(index) {
            Some(cell) => (cell.kind, cell.ptrs.as_slice()),
            None => return found,
        },
        (None, Some(index)) => match heap.atoms.get(index) {
            Some(Atom::Pred(instance)) => (defs.pred(instance.pred).kind, &[][..]),
            _ => return found,
        },
        (None, None) => return found,
    };
    for (number, pred) in defs.preds.iter().enumerate().filter(|(_, p)| p.kind == kind) {
        let mut formula = Formula::anything(heap.vars.len(), heap.data.len());
        let (root, end) = (heap_value(a, &formula), heap_value(b, &formula));
        let mut args = vec![root; pred.params];
        for (place, arg) in args.iter_mut().enumerate().skip(1) {
            let held = pred.links.iter().position(|link| *link == Some(place));
            *arg = match held.and_then(|field| fields.get(field)) {
                Some(HTerm::Null) => HTerm::Null,
                _ => formula.fresh(),
            };
        }
        match pred.end {
            End::Param(place) => args[place] = end,
            End::Null if b == HExpr::Null => {}
            End::Null => continue,
        }
        let pred = crate::defs::PredId(number as u32);
        formula.atoms.push(Atom::Pred(Instance { pred, args, refs: Vec::new() }));
        found.push(formula);
    }
    found
}

/// `intro(Z, E⃗, P, Q)`: the instance and what it leaves of `Q`, if it takes a heaplet of `Q`.
#[must_use]
pub fn intro(heap: &Formula, choice: &Formula, goal: &Formula, defs: &Defs) -> Option<Formula> {
    let rest = abduce(heap, choice, goal, defs)?;
    if rest.atoms.len() >= goal.atoms.len() && entails(&rest, goal, defs).is_some() {
        return None;
    }
    Some(star(choice, &rest))
}

/// Takes away disequations that follow from the rest, and instances that may be empty for all that is said of their
/// roots.
pub fn tidy(formula: &mut Formula, defs: &Defs) {
    formula.atoms.retain(|atom| match atom {
        Atom::Pred(instance) => instance.args.first() != Some(&Formula::end_of(instance, defs)),
        Atom::Cell(_) | Atom::Context(_) => true,
    });
    while let Some(index) = (0..formula.atoms.len()).find(|index| is_idle(formula, *index)) {
        formula.atoms.remove(index);
    }
    let mut index = 0;
    while index < formula.apart.len() {
        let (a, b) = formula.apart.remove(index);
        if !formula.are_apart(a, b, defs) {
            formula.apart.insert(index, (a, b));
            index += 1;
        }
    }
}

/// Is it an instance whose root occurs nowhere else? Then it holds with that root at its end.
fn is_idle(formula: &Formula, index: usize) -> bool {
    let Some(Atom::Pred(instance)) = formula.atoms.get(index) else { return false };
    let Some(root @ HTerm::Sym(_)) = instance.args.first().copied() else { return false };
    let elsewhere = |(other, atom): (usize, &Atom)| match atom {
        Atom::Cell(cell) => cell.at == root || cell.ptrs.contains(&root),
        Atom::Pred(i) => {
            let skipped = usize::from(other == index);
            i.args.iter().skip(skipped).any(|arg| *arg == root)
        }
        Atom::Context(c) => c.root == root || c.hole == root,
    };
    !formula.vars.contains(&root)
        && !formula.apart.iter().any(|(a, b)| *a == root || *b == root)
        && !formula.atoms.iter().enumerate().any(elsewhere)
}

/// What makes a command impossible to pass [ABCK15, Fig. 10, lines 7 to 10], as little as that takes.
#[must_use]
pub fn blocking(before: &Formula, command: &Command) -> Option<Formula> {
    let mut formula = Formula::anything(before.vars.len(), before.data.len());
    match command {
        Command::Equal(e, f) => {
            let pair = (heap_value(*e, &formula), heap_value(*f, &formula));
            formula.apart.push(pair);
        }
        Command::Different(e, f) => {
            let (e, f) = (heap_value(*e, &formula), heap_value(*f, &formula));
            formula.unify(e, f);
        }
        _ => return None,
    }
    Some(formula)
}
