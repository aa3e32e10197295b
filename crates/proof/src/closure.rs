//! What is equal, different and allocated: consistent, or not.

use sl::core::{Call, Heap, Var};
use sl::proof::Base;
use std::collections::BTreeMap;

/// How many choices of bases are tried for one question.
const MAX_CHOICES: u64 = 200_000;

/// Classes of equal locations.
#[derive(Clone, Debug, Default)]
pub(crate) struct Closure {
    /// A variable that is not its own representative, and one that it is equal to.
    parent: BTreeMap<Var, Var>,
    /// Representatives at the time, whose classes are allocated.
    allocated: Vec<Var>,
    different: Vec<(Var, Var)>,
    nils: Var,
    failed: bool,
}

impl Closure {
    pub(crate) fn new(nils: usize) -> Closure {
        Closure { nils: nils as Var, ..Closure::default() }
    }

    /// What a side of a sequent says without its instances.
    pub(crate) fn of(heap: &Heap, nils: usize) -> Closure {
        let mut closure = Closure::new(nils);
        heap.equal.iter().for_each(|(a, b)| closure.equate(*a, *b));
        heap.different.iter().for_each(|(a, b)| closure.separate(*a, *b));
        heap.cells.iter().for_each(|cell| closure.allocate(cell.addr));
        heap.gone.iter().for_each(|v| closure.allocate(*v));
        closure
    }

    pub(crate) fn find(&self, mut var: Var) -> Var {
        while let Some(next) = self.parent.get(&var) {
            var = *next;
        }
        var
    }

    pub(crate) fn equate(&mut self, a: Var, b: Var) {
        let (a, b) = (self.find(a), self.find(b));
        if a != b {
            // The least stays, so that a `nil` does.
            self.parent.insert(a.max(b), a.min(b));
        }
    }

    pub(crate) fn separate(&mut self, a: Var, b: Var) {
        self.different.push((a, b));
    }

    /// One more location that is allocated, different from all others that are.
    pub(crate) fn allocate(&mut self, var: Var) {
        self.allocated.push(var);
    }

    /// Is there no model?
    pub(crate) fn is_inconsistent(&self) -> bool {
        if self.failed || self.different.iter().any(|(a, b)| self.find(*a) == self.find(*b)) {
            return true;
        }
        let mut roots: Vec<Var> = self.allocated.iter().map(|v| self.find(*v)).collect();
        roots.sort_unstable();
        roots.first().is_some_and(|least| *least < self.nils)
            || roots.windows(2).any(|pair| pair.first() == pair.last())
    }

    pub(crate) fn are_equal(&self, a: Var, b: Var) -> bool {
        self.find(a) == self.find(b)
    }

    pub(crate) fn is_allocated(&self, var: Var) -> bool {
        self.allocated.iter().any(|v| self.are_equal(*v, var))
    }

    pub(crate) fn are_different(&self, a: Var, b: Var) -> bool {
        let mut other = self.clone();
        other.equate(a, b);
        other.is_inconsistent()
    }

    /// What a base says of these arguments.
    pub(crate) fn join(&mut self, base: &Base, args: &[Var]) {
        let var = |v: Var| match v.checked_sub(self.nils) {
            None => Some(v),
            Some(i) => args.get(i as usize).copied(),
        };
        let pair = |(a, b): &(Var, Var)| Some((var(*a)?, var(*b)?));
        let equal: Option<Vec<_>> = base.equal.iter().map(pair).collect();
        let different: Option<Vec<_>> = base.different.iter().map(pair).collect();
        let allocated: Option<Vec<_>> = base.allocated.iter().map(|v| var(*v)).collect();
        // A base that does not fit says nothing.
        let (Some(equal), Some(different), Some(allocated)) = (equal, different, allocated) else {
            return;
        };
        equal.into_iter().for_each(|(a, b)| self.equate(a, b));
        different.into_iter().for_each(|(a, b)| self.separate(a, b));
        allocated.into_iter().for_each(|v| self.allocate(v));
    }
}

/// Calls `each` for every choice of bases for the calls that is consistent, until it says `false`.
/// `false` also if there are too many.
pub(crate) fn for_choices(
    closure: Closure,
    calls: &[&Call],
    bases: &[Vec<Base>],
    each: &mut impl FnMut(&Closure) -> bool,
) -> bool {
    let open = calls.to_vec();
    choose(closure, open, bases, each, &mut { MAX_CHOICES })
}

fn choose(
    closure: Closure,
    mut open: Vec<&Call>,
    bases: &[Vec<Base>],
    each: &mut impl FnMut(&Closure) -> bool,
    rest: &mut u64,
) -> bool {
    if closure.is_inconsistent() {
        return true;
    }
    // The call with the fewest choices is next.
    let mut next: Option<(usize, Vec<Closure>)> = None;
    for (i, call) in open.iter().enumerate() {
        let Some(of_call) = bases.get(call.pred) else { return false };
        let Some(less) = rest.checked_sub(of_call.len() as u64 + 1) else { return false };
        *rest = less;
        let mut choices = Vec::new();
        for base in of_call {
            let mut larger = closure.clone();
            larger.join(base, &call.args);
            if !larger.is_inconsistent() {
                choices.push(larger);
            }
        }
        if next.as_ref().is_none_or(|(_, fewest)| choices.len() < fewest.len()) {
            let few = choices.len() < 2;
            next = Some((i, choices));
            if few {
                break;
            }
        }
    }
    match next {
        None => each(&closure),
        Some((i, choices)) => {
            open.remove(i);
            choices.into_iter().all(|larger| choose(larger, open.clone(), bases, each, rest))
        }
    }
}
