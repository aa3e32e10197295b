//! Names for values, so that what is said about them stays small, or is known at all.

use std::collections::{HashMap, HashSet};

use smt::{Node, Op, Sort, Term};

use super::Prover;
use super::path::Run;
use crate::encoding::SymbolKind;
use crate::state::State;

/// Terms that mention more than this many others get a name when they are assigned.
const NAME_FROM: usize = 24;

impl Prover<'_> {
    /// A large value gets a name, so that what is said about it stays small.
    pub fn name(&mut self, state: &mut State, hint: &str, value: Term) -> Run<Term> {
        if !self.is_large(value) {
            return Ok(value);
        }
        let sort = self.terms.sort(value);
        let name = self.fresh(state, hint, sort);
        let fact = self.terms.eq(name, value);
        self.assume(state, fact)?;
        Ok(name)
    }

    /// Lets the solver know of a term, so that it may match triggers.
    pub fn mention(&mut self, state: &mut State, value: Term) -> Run<()> {
        if !self.may_match(value) {
            return Ok(());
        }
        let sort = self.terms.sort(value);
        let name = self.fresh(state, "mention", sort);
        let fact = self.terms.eq(name, value);
        self.assume(state, fact)
    }

    /// Is there an application in it that a trigger may be about?
    fn may_match(&self, term: Term) -> bool {
        let mut seen = HashSet::new();
        let mut pending = vec![term];
        while let Some(term) = pending.pop() {
            if let Node::App(fun, args) = self.terms.node(term)
                && !args.is_empty()
            {
                match self.symbol_kind(*fun) {
                    Some(SymbolKind::Fresh(_) | SymbolKind::Snapshot) => {}
                    _ => return true,
                }
            }
            if seen.insert(term) && seen.len() <= NAME_FROM {
                pending.extend(self.terms.children(term));
            }
        }
        false
    }

    fn is_large(&self, term: Term) -> bool {
        let mut seen = HashSet::new();
        let mut pending = vec![term];
        while let Some(term) = pending.pop() {
            let atom = matches!(self.terms.node(term), Node::App(_, args) if args.is_empty());
            if !atom && seen.insert(term) {
                if seen.len() > NAME_FROM {
                    return true;
                }
                pending.extend(self.terms.children(term));
            }
        }
        false
    }

    /// Gives names to the conditional values in terms that do not depend on `constants`.
    pub fn name_conditionals(
        &mut self,
        state: &mut State,
        terms: &[Term],
        constants: &[Term],
    ) -> Run<HashMap<Term, Term>> {
        let mut names = HashMap::new();
        let mut seen = HashSet::new();
        let mut pending = terms.to_vec();
        while let Some(term) = pending.pop() {
            if !seen.insert(term) {
                continue;
            }
            let conditional = matches!(self.terms.node(term), Node::Op(Op::Ite, _));
            if conditional
                && self.terms.sort(term) != Sort::Bool
                && self.terms.free(term).is_empty()
                && !self.mentions(term, constants)
            {
                let known = state.named.get(&term).copied();
                let name = match known {
                    Some(name) => name,
                    None => {
                        let sort = self.terms.sort(term);
                        let name = self.fresh(state, "chosen", sort);
                        let fact = self.terms.eq(name, term);
                        self.assume(state, fact)?;
                        state.named.insert_mut(term, name);
                        name
                    }
                };
                names.insert(term, name);
                continue;
            }
            pending.extend(self.terms.children(term));
        }
        Ok(names)
    }
}
