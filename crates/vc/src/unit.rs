//! A unit of verification, and what is to be proved in it.
//!
//! Code is executed forwards [PWZ13, Fig. 8 `vc`]: each path has a state, and a place in a tree of
//! what is assumed and what is to be checked on the way. Different paths share the way that they have
//! in common, and the solver is asked along the tree. Too many paths become one again ([`crate::join`]).

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use report::Span;
use smt::{Node, Op, Term};
use spl::core::{LocalId, Name, Procedure, Program, Type};

use crate::assertion::{Alternative, Fact, What};
use crate::effects::Effects;
use crate::ending::Ending;
use crate::translate::{Heap, Translator};
use crate::verify::Patience;

/// Something to assume or to prove.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    Assume(Term),
    /// It follows from what is assumed, and is said for the sake of the proof only.
    Hint(Term),
    /// A hint that most proofs do without, and that is dear: it is given where a first try fails.
    Late(Term),
    Check(Check),
    /// Something to ask, by number: it is neither claimed nor assumed.
    Probe(usize, Term),
}

/// Something to prove. It is assumed afterwards.
#[derive(Clone, Debug)]
pub(crate) struct Check {
    pub goal: Term,
    pub blame: Blame,
    /// Where it is asked.
    pub state: Rc<State>,
}

/// What is said if it cannot be proved.
#[derive(Clone, Debug)]
pub(crate) struct Blame {
    pub id: &'static str,
    pub span: Span,
    pub message: String,
    pub labels: Vec<(Span, String)>,
}

impl Blame {
    pub fn new(id: &'static str, span: Span, message: impl Into<String>) -> Blame {
        Blame { id, span, message: message.into(), labels: Vec::new() }
    }

    fn with(&self, span: Span, text: impl Into<String>) -> Blame {
        let mut blame = self.clone();
        blame.labels.push((span, text.into()));
        blame
    }
}

/// What is assumed and checked after some other node.
#[derive(Clone, Debug, Default)]
pub(crate) struct Step {
    pub parent: Option<usize>,
    pub items: Vec<Item>,
    /// The state in the beginning, where nothing comes before.
    pub start: Option<Rc<State>>,
    /// What leads here.
    pub choice: Option<(Span, Choice)>,
    /// It is taken under this condition.
    pub guard: Option<Term>,
}

/// Why a path goes the way that it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// The condition holds.
    Then,
    /// It does not.
    Else,
    /// Any branch may be taken.
    Branch,
    /// Any iteration of a loop.
    Iteration,
}

/// The values of everything that can change.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    pub locals: BTreeMap<LocalId, Term>,
    pub heap: Heap,
    /// All locations of a type that exist.
    pub alloc: BTreeMap<Type, Term>,
    /// What the running code owns of them.
    pub footprint: BTreeMap<Type, Term>,
}

/// A path.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    pub node: usize,
    pub state: State,
}

/// A procedure, a loop of it, or a function.
pub(crate) struct Unit<'p> {
    pub program: &'p Program,
    pub translator: Translator<'p>,
    pub steps: Vec<Step>,
    pub effects: &'p BTreeMap<Name, Effects>,
    pub procedure: &'p Procedure,
    /// What `old` is about.
    pub entry: Heap,
    /// Values of parameters in the beginning.
    pub initial: BTreeMap<LocalId, Term>,
    /// Reference types in play.
    pub types: BTreeSet<Type>,
    /// Lemmas that may be used as axioms.
    pub lemmas: Vec<&'p Procedure>,
    /// Numbers of variables that we made.
    pub next_local: u32,
    /// Types of variables that we made.
    pub extra: BTreeMap<LocalId, Type>,
    /// Questions about whether recursion and loops end.
    pub ending: Ending,
    pub patience: &'p Patience,
}

impl<'p> Unit<'p> {
    pub fn local_type(&self, local: LocalId) -> Type {
        let declared = self.procedure.locals.get(local.0 as usize).map(|l| l.ty.clone());
        declared.or_else(|| self.extra.get(&local).cloned()).unwrap_or(Type::Int)
    }

    /// A variable that no user wrote.
    pub fn new_local(&mut self, ty: Type) -> LocalId {
        let local = LocalId(self.next_local);
        self.next_local += 1;
        self.extra.insert(local, ty);
        local
    }

    pub fn assume(&mut self, path: &Path, term: Term) {
        if let Some(step) = self.steps.get_mut(path.node) {
            step.items.push(Item::Assume(term));
        }
    }

    /// Says what follows from what is assumed.
    pub fn hint(&mut self, path: &Path, term: Term) {
        if let Some(step) = self.steps.get_mut(path.node) {
            step.items.push(Item::Hint(term));
        }
    }

    /// Says what follows from what is assumed, where a proof needs it.
    pub fn late_hint(&mut self, path: &Path, term: Term) {
        if let Some(step) = self.steps.get_mut(path.node) {
            step.items.push(Item::Late(term));
        }
    }

    pub fn check(&mut self, path: &Path, goal: Term, blame: Blame) {
        if self.translator.logic.terms.as_bool(goal) == Some(true) {
            return;
        }
        // Each part of a conjunction is a goal of its own: small ones are proved sooner.
        if let Node::Op(Op::And, parts) = self.translator.logic.terms.node(goal).clone() {
            parts.iter().for_each(|part| self.check(path, *part, blame.clone()));
            return;
        }
        if let Some(step) = self.steps.get_mut(path.node) {
            let state = Rc::new(path.state.clone());
            step.items.push(Item::Check(Check { goal, blame, state }));
        }
    }

    /// A path that begins in a state.
    pub fn start(&mut self, state: State) -> Path {
        let node = self.step(None);
        if let Some(step) = self.steps.get_mut(node) {
            step.start = Some(Rc::new(state.clone()));
        }
        Path { node, state }
    }

    /// A step after another one.
    pub fn step(&mut self, parent: Option<usize>) -> usize {
        self.steps.push(Step { parent, ..Step::default() });
        self.steps.len() - 1
    }

    /// The same path, which goes another way from here.
    pub fn fork(&mut self, path: &Path) -> Path {
        let node = self.step(Some(path.node));
        Path { node, state: path.state.clone() }
    }

    /// As [`Unit::fork`], for a reason that is in the source.
    pub fn choose(&mut self, path: &Path, span: Span, choice: Choice, guard: Term) -> Path {
        let path = self.fork(path);
        if let Some(step) = self.steps.get_mut(path.node) {
            step.choice = Some((span, choice));
            step.guard = Some(guard);
        }
        path
    }

    /// Any value of a type.
    pub fn fresh(&mut self, hint: &str, ty: &Type) -> Term {
        match ty {
            Type::Map(key, value) => self.translator.logic.base_map(hint, key, value),
            _ => self.translator.logic.fresh(hint, ty),
        }
    }

    /// A state of which nothing is known.
    pub fn arbitrary(&mut self, locals: impl IntoIterator<Item = LocalId>) -> State {
        let mut state = State::default();
        for local in locals {
            let ty = self.local_type(local);
            let name = self.procedure.locals.get(local.0 as usize).map(|l| l.name.clone());
            let value = self.fresh(name.as_deref().unwrap_or("temp"), &ty);
            state.locals.insert(local, value);
        }
        for var in crate::effects::heap_vars(self.program) {
            let value = self.translator.fresh_part(&var);
            state.heap.values.insert(var, value);
        }
        for ty in self.types.clone() {
            let set = Type::Set(ty.clone().into());
            let alloc = self.translator.logic.fresh("Alloc", &set);
            let footprint = self.translator.logic.fresh("FP", &set);
            state.alloc.insert(ty.clone(), alloc);
            state.footprint.insert(ty, footprint);
        }
        state
    }

    /// What holds in every state: what is owned is allocated, and `null` is not.
    pub fn assume_allocated(&mut self, path: &Path) {
        for ty in self.types.clone() {
            let (Some(alloc), Some(owned)) =
                (path.state.alloc.get(&ty).copied(), path.state.footprint.get(&ty).copied())
            else {
                continue;
            };
            let logic = &mut self.translator.logic;
            let null = logic.null(&ty);
            let inside = logic.subset(&ty, owned, alloc);
            let is_in = logic.member(&ty, null, alloc);
            let outside = logic.terms.not(is_in);
            let owned_null = logic.member(&ty, null, owned);
            let not_owned = logic.terms.not(owned_null);
            self.assume(path, inside);
            self.assume(path, outside);
            self.assume(path, not_owned);
        }
        self.assume_ghosts(path);
    }

    // --- Assertions about footprints

    /// The set of an alternative for a type.
    fn set(&mut self, alternative: &Alternative, ty: &Type) -> Term {
        match alternative.footprint.get(ty) {
            Some(set) => *set,
            None => self.translator.logic.empty(ty),
        }
    }

    /// Assumes that an assertion holds on exactly these footprints; on none if it says nothing of them.
    pub fn assume_on(
        &mut self,
        path: &Path,
        alternatives: &[Alternative],
        footprint: Option<&BTreeMap<Type, Term>>,
    ) {
        let mut all = Vec::new();
        for alternative in alternatives {
            let mut terms: Vec<Term> = alternative.facts.iter().map(|f| f.term).collect();
            for (ty, owned) in footprint.into_iter().flatten() {
                let set = self.set(alternative, ty);
                terms.push(self.translator.logic.terms.eq(*owned, set));
            }
            all.push(terms);
        }
        if let [terms] = all.as_slice() {
            terms.clone().into_iter().for_each(|term| self.assume(path, term));
            return;
        }
        let terms = &mut self.translator.logic.terms;
        let all: Vec<Term> = all.into_iter().map(|parts| terms.and(parts)).collect();
        let either = terms.or(all);
        self.assume(path, either);
    }

    /// Checks that an assertion holds, for some values of `vars`, and that its footprint is as the rule
    /// says. If there is but one alternative and all is determined, each part is a goal of its own.
    pub fn check_on(
        &mut self,
        path: &Path,
        alternatives: &[Alternative],
        vars: &[Term],
        footprint: Option<(&BTreeMap<Type, Term>, Rule)>,
        blame: &Blame,
        clause: &str,
    ) {
        let mut goals = Vec::new();
        for alternative in alternatives {
            let mut alternative = alternative.clone();
            let mut open = alternative.vars.clone();
            open.extend(vars);
            let open = self.translator.determine(&mut alternative, &open);
            let mut foreign: Vec<Fact> = Vec::new();
            let mut facts: Vec<Fact> = alternative.facts.clone();
            if let Some((owned, rule)) = footprint {
                // Nothing of a type that is not in play is owned.
                for (ty, set) in
                    alternative.footprint.iter().filter(|(ty, _)| !owned.contains_key(*ty))
                {
                    let empty = self.translator.logic.empty(ty);
                    let term = self.translator.logic.terms.eq(*set, empty);
                    foreign.push(Fact { term, span: blame.span, what: What::Footprint });
                }
                for (ty, owned) in owned {
                    let set = self.set(&alternative, ty);
                    let logic = &mut self.translator.logic;
                    let term = match rule {
                        Rule::Exactly => logic.terms.eq(*owned, set),
                        Rule::Part => logic.subset(ty, set, *owned),
                    };
                    let what = What::Footprint;
                    facts.push(Fact { term, span: blame.span, what });
                }
            }
            facts.extend(foreign);
            goals.push((open, facts, alternative));
        }
        if let [(open, facts, alternative)] = goals.as_slice()
            && open.is_empty()
        {
            let (facts, alternative) = (facts.clone(), alternative.clone());
            let count = alternative.facts.len();
            for (index, fact) in facts.into_iter().enumerate() {
                let blame = if index >= count {
                    let ty = footprint.and_then(|(owned, _)| owned.keys().nth(index - count));
                    let ty = ty.map(ToString::to_string).unwrap_or_default();
                    let mut leak = blame.clone();
                    leak.message += &format!(
                        ": the memory footprint for type `{ty}` does not match the specification"
                    );
                    leak
                } else {
                    let text = match fact.what {
                        What::Formula => clause.to_owned(),
                        What::Disjoint => "these regions might not be disjoint".to_owned(),
                        What::Footprint => "these footprints might not match".to_owned(),
                    };
                    blame.with(fact.span, text)
                };
                self.check(path, fact.term, blame);
            }
            return;
        }
        let mut either = Vec::new();
        for (open, facts, _) in goals {
            let all = self.translator.logic.terms.and(facts.iter().map(|f| f.term));
            either.push(self.translator.exists(&open, all));
        }
        let goal = self.translator.logic.terms.or(either);
        let blame = match alternatives.first().and_then(|a| a.facts.first()) {
            Some(fact) => blame.with(fact.span, clause),
            None => blame.clone(),
        };
        self.check(path, goal, blame);
    }
}

/// How a footprint and what is owned belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// They are equal.
    Exactly,
    /// The footprint is a part of it.
    Part,
}
