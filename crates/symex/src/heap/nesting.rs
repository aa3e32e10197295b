//! No instance of a predicate is inside of itself.
//!
//! A predicate is a least fixed point, so what is folded in an instance is a finite tree of instances:
//! conditions in bodies depend on nothing but arguments and on the values that the instance has, which
//! are its snapshot. If an instance held another one with the same arguments, both would read the same
//! values of the same heap and so have the same tree, one as a proper part of the other.
//!
//! The tree belongs to arguments and snapshot, not to a state. So links that were seen at different
//! times may be put together: if `P(x)` with snapshot `s` was unfolded and held `Q(y)` with snapshot
//! `t`, and later `Q(y)` with snapshot `t` held `P(z)`, then `x` and `z` are different.
//!
//! Amounts may be zero, so each link depends on its own being positive. Of `[A, B]` only one side is in
//! the tree: nothing is said of predicates that use it.

use std::collections::{HashSet, VecDeque};
use std::rc::Rc;

use rpds::{HashTrieMap, List};
use smt::Term;
use viper::core::PredicateId;

use crate::prover::{Prover, Run};
use crate::state::State;

/// How many instances above and below a new link are looked at, nearest first.
const REACH: usize = 32;

/// What was folded at some time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Instance {
    pub predicate: PredicateId,
    pub args: Rc<[Term]>,
    pub snap: Term,
}

/// Another instance, directly inside or around, if a condition holds.
#[derive(Clone, Debug)]
struct Link {
    to: Rc<Instance>,
    held: Term,
}

/// Which instances are known to be in which others.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nesting {
    inside: HashTrieMap<Instance, List<Link>>,
    around: HashTrieMap<Instance, List<Link>>,
}

/// Whose body is being produced or consumed.
#[derive(Clone, Debug, Default)]
pub(crate) enum Within {
    #[default]
    Nothing,
    /// An instance that is unfolded.
    Unfolded(Rc<Instance>),
    /// One that is folded: what was taken for it so far, with amounts. Its snapshot is not known yet.
    Folded(Rc<Vec<(Instance, Term)>>),
}

impl Nesting {
    fn link(&mut self, outer: &Rc<Instance>, inner: &Rc<Instance>, held: Term) {
        let add =
            |map: &mut HashTrieMap<Instance, List<Link>>, from: &Instance, to: &Rc<Instance>| {
                let links = map.get(from).cloned().unwrap_or_default();
                if links.iter().all(|link| link.to != *to) {
                    let link = Link { to: Rc::clone(to), held };
                    map.insert_mut(from.clone(), links.push_front(link));
                }
            };
        add(&mut self.inside, outer, inner);
        add(&mut self.around, inner, outer);
    }
}

/// An instance and those that links lead to, each with the conditions on the way.
fn reached(
    map: &HashTrieMap<Instance, List<Link>>,
    from: &Rc<Instance>,
) -> Vec<(Rc<Instance>, Vec<Term>)> {
    let mut seen = HashSet::from([Rc::clone(from)]);
    let mut pending = VecDeque::from([(Rc::clone(from), Vec::new())]);
    let mut found = Vec::new();
    while let Some((instance, conditions)) = pending.pop_front() {
        for link in map.get(&*instance).into_iter().flat_map(|links| links.iter()) {
            if seen.len() < REACH && seen.insert(Rc::clone(&link.to)) {
                let mut conditions = conditions.clone();
                conditions.push(link.held);
                pending.push_back((Rc::clone(&link.to), conditions));
            }
        }
        found.push((instance, conditions));
    }
    found
}

impl Prover<'_> {
    /// An instance was found in the body that is being produced or consumed.
    pub fn note_inside(
        &mut self,
        state: &mut State,
        (predicate, args): (PredicateId, &[Term]),
        snap: Term,
        perm: Term,
    ) -> Run<()> {
        let instance = || Instance { predicate, args: args.into(), snap };
        match &mut state.within {
            Within::Nothing => Ok(()),
            Within::Unfolded(outer) => {
                let outer = Rc::clone(outer);
                self.nest(state, &outer, instance(), perm)
            }
            Within::Folded(taken) => {
                Rc::make_mut(taken).push((instance(), perm));
                Ok(())
            }
        }
    }

    /// An amount of one instance is in another.
    pub fn nest(
        &mut self,
        state: &mut State,
        outer: &Rc<Instance>,
        inner: Instance,
        perm: Term,
    ) -> Run<()> {
        let zero = self.amount(0, 1);
        let held = self.terms.lt(zero, perm);
        if state.mode.in_trigger || !self.syntax.may_contain(inner.predicate, outer.predicate) {
            return Ok(());
        }
        let inner = Rc::new(inner);
        state.nesting.link(outer, &inner, held);
        let above = reached(&state.nesting.around, outer);
        let below = reached(&state.nesting.inside, &inner);
        for (outer, over) in &above {
            for (inner, under) in &below {
                if outer.predicate != inner.predicate {
                    continue;
                }
                let same = self.alias(&outer.args, &inner.args);
                let different = self.terms.not(same);
                let conditions = over.iter().chain([&held]).chain(under).copied();
                let held = self.terms.and(conditions.collect::<Vec<_>>());
                let held = if self.entailed(state, held) { self.terms.bool(true) } else { held };
                let fact = self.terms.implies(held, different);
                self.assume_proved(state, fact)?;
            }
        }
        Ok(())
    }

    /// Says that an instance was folded or unfolded: definitions of functions depend on it.
    pub fn note_predicate(
        &mut self,
        state: &mut State,
        predicate: PredicateId,
        snap: Term,
        args: &[Term],
    ) -> Run<()> {
        let trigger = self.predicate_trigger(predicate);
        let mut full = vec![snap];
        full.extend(args);
        let note = self.terms.app(trigger, &full);
        self.assume(state, note)
    }
}
