//! Quantifiers as terms: bound variables and triggers.

use crate::encoding::CollectionFunction;
use std::collections::{HashMap, HashSet};

use smt::{Bound, Node, Op, Quantifier, Sort, Term};

use super::{Encoding, SymbolKind};

impl Encoding<'_> {
    /// How deep quantifiers nest in a term.
    pub fn quantifier_depth(&mut self, term: Term) -> usize {
        if let Some(depth) = self.depths.get(&term) {
            return *depth;
        }
        // Subterms first, without recursion: terms can be deep.
        let mut pending = vec![term];
        while let Some(&t) = pending.last() {
            if self.depths.contains_key(&t) {
                pending.pop();
                continue;
            }
            let children = self.terms.children(t);
            let open: Vec<Term> =
                children.iter().copied().filter(|c| !self.depths.contains_key(c)).collect();
            if open.is_empty() {
                let inner = children.iter().map(|c| self.depths[c]).max().unwrap_or(0);
                let own = usize::from(matches!(self.terms.node(t), Node::Quant(_)));
                self.depths.insert(t, inner + own);
                pending.pop();
            } else {
                pending.extend(open);
            }
        }
        self.depths[&term]
    }

    /// The variable for this place. Equal formulas get equal variables, and a variable is never
    /// bound again inside: the level is the depth of what is inside.
    pub fn bound_at(
        &mut self,
        level: usize,
        index: usize,
        sort: Sort,
        name: &str,
    ) -> (Bound, Term) {
        let name = format!("{name}.{level}.{index}");
        let key = (name, sort);
        if let Some(found) = self.bounds.get(&key) {
            return *found;
        }
        let pair = self.terms.bound_var(&key.0, sort);
        self.bounds.insert(key, pair);
        pair
    }

    /// What the constant that stands for a variable was named after.
    pub fn hint(&self, constant: Term) -> String {
        let Node::App(fun, _) = self.terms.node(constant) else { return "x".to_string() };
        match self.symbol_kind(*fun) {
            Some(SymbolKind::Fresh(hint)) => hint.to_string(),
            _ => "x".to_string(),
        }
    }

    /// Can this set of terms be a trigger for the variables?
    pub fn is_trigger(&self, set: &[Term], vars: &[Bound]) -> bool {
        let covered = vars.iter().all(|v| set.iter().any(|t| self.terms.free(*t).contains(v)));
        covered
            && set.iter().all(|t| {
                matches!(self.terms.node(*t), Node::App(_, args) if !args.is_empty())
                    && !self.has_forbidden(*t)
            })
    }

    /// Does it contain what must not be in a trigger?
    fn has_forbidden(&self, term: Term) -> bool {
        let mut seen = HashSet::new();
        let mut pending = vec![term];
        while let Some(term) = pending.pop() {
            match self.terms.node(term) {
                Node::Quant(_) => return true,
                Node::Op(op, _)
                    if !matches!(
                        op,
                        Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Mod | Op::ToReal | Op::RealDiv
                    ) =>
                {
                    return true;
                }
                _ => {}
            }
            if seen.insert(term) {
                pending.extend(self.terms.children(term));
            }
        }
        false
    }

    /// Triggers for a formula without any: every smallest application that mentions all variables,
    /// or else applications that do so together.
    pub fn infer_triggers(&self, body: Term, vars: &[Bound]) -> Vec<Vec<Term>> {
        let mentioned: Vec<Bound> =
            vars.iter().copied().filter(|v| self.terms.free(body).contains(v)).collect();
        let candidates = self.trigger_candidates(body, &mentioned);
        let covers = |t: Term| mentioned.iter().all(|v| self.terms.free(t).contains(v));
        let full: Vec<Term> = candidates.iter().copied().filter(|t| covers(*t)).collect();
        if !full.is_empty() {
            let smallest = |t: &&Term| !full.iter().any(|u| u != *t && self.contains(**t, *u));
            return full.iter().filter(smallest).map(|t| vec![*t]).collect();
        }
        // Together: those of one function, for every function; otherwise whatever there is.
        let head = |t: Term| match self.terms.node(t) {
            Node::App(fun, _) => Some(*fun),
            _ => None,
        };
        let mut heads: Vec<_> = candidates.iter().map(|t| head(*t)).collect();
        let mut seen = HashSet::new();
        heads.retain(|h| seen.insert(*h));
        let mut sets = Vec::new();
        for chosen in heads {
            let own: Vec<Term> =
                candidates.iter().copied().filter(|t| head(*t) == chosen).collect();
            sets.extend(self.cover(&own, &mentioned));
        }
        if sets.is_empty() {
            sets.extend(self.cover(&candidates, &mentioned));
        }
        sets.truncate(4);
        sets
    }

    /// Few of the candidates that together mention all variables.
    fn cover(&self, candidates: &[Term], vars: &[Bound]) -> Option<Vec<Term>> {
        let mut set = Vec::new();
        let mut open = vars.to_vec();
        while !open.is_empty() {
            let gain = |t: &Term| open.iter().filter(|v| self.terms.free(*t).contains(v)).count();
            // The first of the best.
            let best = candidates.iter().copied().rev().max_by_key(gain)?;
            if gain(&best) == 0 {
                return None;
            }
            open.retain(|v| !self.terms.free(best).contains(v));
            set.push(best);
        }
        Some(set)
    }

    /// For a formula in which variables occur only within arithmetic (`f(i + 1)`): other variables
    /// stand for what is computed, `forall i, j :: { f(j) } j == i + 1 ==> …`.
    pub fn generalise(
        &mut self,
        quantifier: Quantifier,
        level: usize,
        vars: &mut Vec<Bound>,
        body: Term,
    ) -> (Term, Vec<Vec<Term>>) {
        let Some(computed) = self.computed_arguments(body, vars) else { return (body, vec![]) };
        let mut map = HashMap::new();
        let mut all = vars.clone();
        let mut equations = Vec::new();
        for term in computed {
            let sort = self.terms.sort(term);
            let (var, stand_in) = self.bound_at(level, all.len(), sort, "computed");
            all.push(var);
            equations.push(self.terms.eq(stand_in, term));
            map.insert(term, stand_in);
        }
        let replaced = self.terms.substitute(body, &map);
        let condition = self.terms.and(equations);
        let general = match quantifier {
            Quantifier::Forall => self.terms.implies(condition, replaced),
            Quantifier::Exists => self.terms.and([condition, replaced]),
        };
        let sets = self.infer_triggers(general, &all);
        if sets.is_empty() {
            return (body, sets);
        }
        *vars = all;
        (general, sets)
    }

    /// Arithmetic with variables right below applications.
    fn computed_arguments(&self, body: Term, vars: &[Bound]) -> Option<Vec<Term>> {
        let open: Vec<Bound> = self.terms.free(body).to_vec();
        let mut found = Vec::new();
        let mut seen = HashSet::new();
        let mut pending = vec![body];
        while let Some(term) = pending.pop() {
            if !seen.insert(term) {
                continue;
            }
            if let Node::App(_, args) = self.terms.node(term) {
                for arg in args {
                    let free = self.terms.free(*arg);
                    let arithmetic =
                        matches!(self.terms.node(*arg), Node::Op(Op::Add | Op::Sub, _));
                    let ours = free.iter().any(|v| vars.contains(v))
                        && free.iter().all(|v| open.contains(v));
                    if arithmetic && ours && !self.has_forbidden(*arg) && !found.contains(arg) {
                        found.push(*arg);
                    }
                }
            }
            pending.extend(self.terms.children(term));
        }
        (!found.is_empty()).then_some(found)
    }

    /// Quantifiers of the same kind right inside each other are one.
    pub fn merge_quantifiers(
        &mut self,
        quantifier: Quantifier,
        constants: &[Term],
        triggers: &[Vec<Term>],
        body: Term,
    ) -> (Vec<Term>, Vec<Vec<Term>>, Term) {
        let mut constants = constants.to_vec();
        let mut sets = triggers.to_vec();
        let mut body = body;
        while sets.is_empty()
            && let Node::Quant(inner) = self.terms.node(body).clone()
            && inner.quantifier == quantifier
            && inner.weight.is_none()
        {
            let mut map = HashMap::new();
            for var in &inner.vars {
                let (name, sort) = self.terms.bound(*var);
                let text = self.terms.signature.sort_text(sort);
                let name = format!("merged.{name}.{}.{text}", constants.len());
                let fun = self.terms.fun_named(&name, &[], sort, smt::Meaning::Uninterpreted);
                let constant = self.terms.app(fun, &[]);
                let bound = self.terms.bound_term(*var);
                map.insert(bound, constant);
                constants.push(constant);
            }
            body = self.terms.substitute(inner.body, &map);
            let given: Vec<Vec<Term>> = inner
                .triggers
                .iter()
                .map(|set| set.iter().map(|t| self.terms.substitute(*t, &map)).collect())
                .collect();
            // Those that mention all variables still do.
            sets = given
                .into_iter()
                .filter(|set: &Vec<Term>| {
                    constants.iter().all(|c| set.iter().any(|t| self.mentions(*t, &[*c])))
                })
                .collect();
        }
        (constants, sets, body)
    }

    /// A variable whose value is said by an equation in the premise of a formula, and the value.
    pub fn determined(&self, constants: &[Term], body: Term) -> Option<(Term, Term)> {
        let mut body = body;
        while let Node::Op(Op::Implies, args) = self.terms.node(body) {
            let premise = match self.terms.node(args[0]) {
                Node::Op(Op::And, parts) => parts,
                _ => &args[..1],
            };
            for part in premise.iter() {
                let Node::Op(Op::Eq, sides) = self.terms.node(*part) else { continue };
                for (var, value) in [(sides[0], sides[1]), (sides[1], sides[0])] {
                    if constants.contains(&var) && !self.mentions(value, &[var]) {
                        return Some((var, value));
                    }
                }
            }
            body = args[1];
        }
        None
    }

    fn contains(&self, term: Term, part: Term) -> bool {
        term != part && self.mentions(term, &[part])
    }

    /// Applications that mention a variable directly or within applications only.
    fn trigger_candidates(&self, body: Term, vars: &[Bound]) -> Vec<Term> {
        let open = self.terms.free(body);
        let closed = |t: Term| self.terms.free(t).iter().all(|v| open.contains(v));
        let mut seen = HashSet::new();
        let mut found = Vec::new();
        let mut pending = vec![body];
        while let Some(term) = pending.pop() {
            if !seen.insert(term) || !vars.iter().any(|v| self.terms.free(term).contains(v)) {
                continue;
            }
            match self.terms.node(term) {
                Node::App(_, args)
                    if !args.is_empty() && closed(term) && self.is_pattern(term, vars) =>
                {
                    found.push(term);
                }
                _ => {}
            }
            let mut children = self.terms.children(term);
            children.reverse();
            pending.extend(children);
        }
        found
    }

    /// Where variables occur in it, are there only applications around them?
    pub fn is_pattern(&self, term: Term, vars: &[Bound]) -> bool {
        if self.has_forbidden(term) {
            return false;
        }
        match self.terms.node(term) {
            Node::App(_, args) => args.iter().all(|a| self.is_pattern(*a, vars)),
            Node::Op(..) => !vars.iter().any(|v| self.terms.free(term).contains(v)),
            Node::Quant(_) => false,
            Node::Bool(_) | Node::Int(_) | Node::Real(_) | Node::Bound(_) => true,
        }
    }

    /// For the trigger `x in s` on a sequence that does not depend on variables: that there are facts
    /// about its elements.
    pub fn watched(&mut self, trigger: Term) -> Option<Term> {
        let Node::App(fun, args) = self.terms.node(trigger) else { return None };
        let seq = *args.first()?;
        if self.symbol_kind(*fun) != Some(&SymbolKind::Collection(CollectionFunction::SeqContains))
            || !self.terms.free(seq).is_empty()
            || !matches!(self.terms.node(args[1]), Node::Bound(_))
        {
            return None;
        }
        // Numbers from a range are never looked up there.
        if let Node::App(range, _) = self.terms.node(seq)
            && self.symbol_kind(*range)
                == Some(&SymbolKind::Collection(CollectionFunction::SeqRange))
        {
            return None;
        }
        let ty = self.type_of(self.terms.sort(seq));
        Some(self.collection(&ty, CollectionFunction::SeqWatched, &[seq], Sort::Bool))
    }

    /// In triggers, functions stand for their limited versions, which exist wherever they do.
    pub fn limit(&mut self, term: Term) -> Term {
        if let Node::App(fun, args) = self.terms.node(term)
            && let Some(limited) = self.limited_of(*fun)
        {
            let args = args.clone();
            return self.terms.app(limited, &args);
        }
        term
    }
}
