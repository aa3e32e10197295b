//! Inverse functions: from the location of a quantified permission to its variables.

use std::collections::HashMap;
use std::rc::Rc;

use smt::{Node, Op, Sort, Term};

use crate::config::Ablation;
use crate::encoding::FormulaKind;
use crate::prover::{Prover, Run, Stop};
use crate::state::State;

use super::QuantifiedAccess;

/// How the variables of a quantified permission depend on the location.
pub(crate) struct Inverse {
    /// Variables as terms over the formals of the resource.
    pub vars: HashMap<Term, Term>,
    /// Is the location one of the permission at all? Over the formals, too.
    pub image: Term,
}

impl Prover<'_> {
    /// Where a quantified permission gives something: its condition holds and the amount is positive.
    pub(crate) fn active(&mut self, access: &QuantifiedAccess) -> Term {
        self.terms.and([access.condition, access.asked])
    }

    /// The positions at which the variables themselves are arguments, if all of them are.
    fn direct(&self, access: &QuantifiedAccess) -> Option<Vec<usize>> {
        let position = |v: &Term| access.args.iter().position(|a| a == v);
        access.vars.iter().map(position).collect()
    }

    /// That no location belongs to two instances, unless it is obvious.
    pub(crate) fn injective(
        &mut self,
        state: &mut State,
        access: &QuantifiedAccess,
    ) -> Option<Term> {
        if self.direct(access).is_some() {
            return None;
        }
        let others: Vec<Term> = access
            .vars
            .iter()
            .map(|v| {
                let sort = self.terms.sort(*v);
                self.fresh(state, "other", sort)
            })
            .collect();
        let map: HashMap<Term, Term> =
            access.vars.iter().copied().zip(others.iter().copied()).collect();
        let active = self.active(access);
        let other_active = self.terms.substitute(active, &map);
        let other_args: Vec<Term> =
            access.args.iter().map(|a| self.terms.substitute(*a, &map)).collect();
        let same_place = self.alias(&access.args, &other_args);
        let same_vars = self.alias(&access.vars, &others);
        let premise = self.terms.and([active, other_active, same_place]);
        Some(self.terms.implies(premise, same_vars))
    }

    /// The inverse of the location of a quantified permission, defined for its own locations.
    pub(crate) fn invert(&mut self, state: &mut State, access: &QuantifiedAccess) -> Run<Inverse> {
        let formals = self.formals(access.resource);
        if let Some(positions) = self.direct(access) {
            let vars: HashMap<Term, Term> =
                access.vars.iter().copied().zip(positions.iter().map(|p| formals[*p])).collect();
            let mut image = Vec::new();
            for (i, arg) in access.args.iter().enumerate() {
                if !positions.contains(&i) {
                    let arg = self.terms.substitute(*arg, &vars);
                    image.push(self.equal_terms(formals[i], arg));
                }
            }
            let image = self.terms.and(image);
            return Ok(Inverse { vars, image });
        }
        let active = self.active(access);
        let key = self.inverse_key(access, active);
        let reuse = !self.config.ablates(Ablation::Memoisation);
        let known = state.inverses.get(&key).filter(|_| reuse).cloned();
        let functions = match known {
            Some(functions) => functions,
            None => {
                let functions = self.define_inverse(state, access, active, &formals)?;
                state.inverses.insert_mut(key, Rc::clone(&functions));
                functions
            }
        };
        let Some((image, inverses)) = functions.split_last() else {
            return Err(Stop::Infeasible);
        };
        let vars = access.vars.iter().copied().zip(inverses.iter().copied()).collect();
        Ok(Inverse { vars, image: *image })
    }

    /// What the inverse depends on, with the variables replaced by standard ones.
    fn inverse_key(&mut self, access: &QuantifiedAccess, active: Term) -> Vec<Term> {
        let mut map = HashMap::new();
        for (i, var) in access.vars.iter().enumerate() {
            let sort = self.terms.sort(*var);
            map.insert(*var, self.standard(i, sort));
        }
        let mut parts = vec![active];
        parts.extend(&access.args);
        parts.into_iter().map(|t| self.terms.substitute(t, &map)).collect()
    }

    /// Functions for the variables and, last, for the image, all applied to the formals.
    fn define_inverse(
        &mut self,
        state: &mut State,
        access: &QuantifiedAccess,
        active: Term,
        formals: &[Term],
    ) -> Run<Rc<[Term]>> {
        let outer = Rc::clone(&state.parameters);
        state.parameters = outer.iter().chain(formals).copied().collect();
        let mut functions: Vec<Term> = access
            .vars
            .iter()
            .map(|v| {
                let sort = self.terms.sort(*v);
                self.fresh(state, "inv", sort)
            })
            .collect();
        let image = self.fresh(state, "image", Sort::Bool);
        functions.push(image);
        state.parameters = outer;
        let inverses = &functions[..access.vars.len()];
        // INV-2: forall x :: c(x) ==> inv(e(x)) == x, and e(x) is in the image  [MSS16, Fig. 2]
        let mut there = vec![self.at(access.resource, image, &access.args)];
        for (var, inverse) in access.vars.iter().zip(inverses) {
            let back = self.at(access.resource, *inverse, &access.args);
            there.push(self.terms.eq(back, *var));
        }
        let there = self.terms.and(there);
        let body = self.terms.implies(active, there);
        let triggers = self.access_triggers(access);
        let fact = self.for_all(FormulaKind::Inverse, &access.vars, &triggers, body);
        self.assume(state, fact)?;
        self.invert_computed(state, access, active, &functions)?;
        // INV-1: forall r :: image(r) && c(inv(r)) ==> e(inv(r)) == r  [MSS16, Fig. 2]
        let map: HashMap<Term, Term> =
            access.vars.iter().copied().zip(inverses.iter().copied()).collect();
        let args: Vec<Term> = access.args.iter().map(|a| self.terms.substitute(*a, &map)).collect();
        let here = self.alias(&args, formals);
        let active = self.terms.substitute(active, &map);
        let premise = self.terms.and([image, active]);
        let body = self.terms.implies(premise, here);
        let triggers: Vec<Vec<Term>> = functions.iter().map(|f| vec![*f]).collect();
        let fact = self.for_all(FormulaKind::Location, formals, &triggers, body);
        self.assume(state, fact)?;
        Ok(functions.into())
    }

    /// For a location with arithmetic in it, `loc(a, i + 1)`: the same for all `j == i + 1`, so that
    /// any `loc(a, j)` is recognised.
    fn invert_computed(
        &mut self,
        state: &mut State,
        access: &QuantifiedAccess,
        active: Term,
        functions: &[Term],
    ) -> Run<()> {
        let mut computed = Vec::new();
        for arg in &access.args {
            self.computations(*arg, &access.vars, &mut computed);
        }
        if computed.is_empty() {
            return Ok(());
        }
        let mut map = HashMap::new();
        let mut constants = access.vars.clone();
        let mut premise = vec![active];
        for term in computed {
            let sort = self.terms.sort(term);
            let stand_in = self.fresh(state, "computed", sort);
            constants.push(stand_in);
            premise.push(self.terms.eq(stand_in, term));
            map.insert(term, stand_in);
        }
        let args: Vec<Term> = access.args.iter().map(|a| self.terms.substitute(*a, &map)).collect();
        let there: Vec<Term> =
            functions.iter().map(|f| self.at(access.resource, *f, &args)).collect();
        let triggers: Vec<Vec<Term>> = there.iter().map(|t| vec![*t]).collect();
        let mut locations: Vec<Term> = args.clone();
        locations.retain(|a| matches!(self.terms.node(*a), Node::App(_, args) if !args.is_empty()));
        let mut equations = vec![];
        if let Some((image, inverses)) = there.split_last() {
            equations.push(*image);
            for (var, inverse) in access.vars.iter().zip(inverses) {
                equations.push(self.terms.eq(*inverse, *var));
            }
        }
        let premise = self.terms.and(premise);
        let there = self.terms.and(equations);
        let body = self.terms.implies(premise, there);
        // The variables follow from what is computed: for each of them there is an equation that can
        // be solved, or the trigger does not cover it and the formula is of no use.
        let mut solved = HashMap::new();
        let mut rest = Vec::new();
        for constant in &constants {
            match self.solve(*constant, &map) {
                Some(solution) if access.vars.contains(constant) => {
                    solved.insert(*constant, solution);
                }
                _ => rest.push(*constant),
            }
        }
        let body = self.terms.substitute(body, &solved);
        let mut sets = triggers;
        if !locations.is_empty() {
            sets.push(locations);
        }
        let sets: Vec<Vec<Term>> = sets
            .into_iter()
            .map(|set| set.into_iter().map(|t| self.terms.substitute(t, &solved)).collect())
            .collect();
        let fact = self.for_all(FormulaKind::Computed, &rest, &sets, body);
        self.assume(state, fact)
    }

    /// `i` from `j == i + n` or `j == i - n`.
    fn solve(&mut self, var: Term, computed: &HashMap<Term, Term>) -> Option<Term> {
        let mut found: Vec<(Term, Term)> = computed.iter().map(|(a, b)| (*a, *b)).collect();
        found.sort_unstable();
        for (term, stand_in) in found {
            let Node::Op(op, args) = self.terms.node(term).clone() else { continue };
            let (a, b) = (args[0], args[1]);
            match op {
                Op::Add if a == var && !self.mentions(b, &[var]) => {
                    return Some(self.terms.sub(stand_in, b));
                }
                Op::Add if b == var && !self.mentions(a, &[var]) => {
                    return Some(self.terms.sub(stand_in, a));
                }
                Op::Sub if a == var && !self.mentions(b, &[var]) => {
                    return Some(self.terms.add(stand_in, b));
                }
                _ => {}
            }
        }
        None
    }

    /// The largest sums and differences with these constants in a term.
    fn computations(&self, term: Term, constants: &[Term], found: &mut Vec<Term>) {
        if !self.mentions(term, constants) {
            return;
        }
        if matches!(self.terms.node(term), Node::Op(Op::Add | Op::Sub, _)) {
            if !found.contains(&term) {
                found.push(term);
            }
            return;
        }
        for child in self.terms.children(term) {
            self.computations(child, constants, found);
        }
    }

    /// Where a quantified permission is instantiated: at its location, and where the user said.
    pub(crate) fn access_triggers(&mut self, access: &QuantifiedAccess) -> Vec<Vec<Term>> {
        // What was read elsewhere is no place to look for permissions.
        let mut sets = access.triggers.clone();
        sets.retain(|set| !set.iter().any(|t| self.is_read(*t)));
        let applications: Vec<Term> = access
            .args
            .iter()
            .copied()
            .filter(|a| matches!(self.terms.node(*a), Node::App(_, args) if !args.is_empty()))
            .filter(|a| self.mentions(*a, &access.vars) && !self.computes(*a, &access.vars))
            // A variable is a function of what is around it.
            .filter(|a| !access.vars.contains(a))
            .collect();
        let covered =
            |set: &[Term]| access.vars.iter().all(|v| set.iter().any(|t| self.mentions(*t, &[*v])));
        if covered(&applications) && !sets.contains(&applications) {
            sets.push(applications);
        }
        sets
    }

    /// Is there arithmetic with these constants in a term?
    fn computes(&self, term: Term, constants: &[Term]) -> bool {
        let mut seen = std::collections::HashSet::new();
        let mut pending = vec![term];
        while let Some(term) = pending.pop() {
            if matches!(self.terms.node(term), Node::Op(..)) && self.mentions(term, constants) {
                return true;
            }
            if seen.insert(term) {
                pending.extend(self.terms.children(term));
            }
        }
        false
    }

    /// How much is given of the location that the formals stand for.
    pub(crate) fn permission_of(
        &mut self,
        access: &QuantifiedAccess,
        inverse: &Inverse,
        factor: Term,
    ) -> Term {
        let amount = self.terms.substitute(access.amount, &inverse.vars);
        let amount = self.terms.mul(amount, factor);
        let here = self.is_location_of(access, inverse);
        let zero = self.amount(0, 1);
        self.terms.ite(here, amount, zero)
    }

    /// Is it a location of the permission?
    pub(crate) fn is_location_of(&mut self, access: &QuantifiedAccess, inverse: &Inverse) -> Term {
        let condition = self.terms.substitute(access.condition, &inverse.vars);
        self.terms.and([inverse.image, condition])
    }

    /// Is something wanted of a location, when it is multiplied with a factor? `scaled` is
    /// whether the factor is a wildcard: these are positive.
    pub(crate) fn is_wanted_by(
        &mut self,
        access: &QuantifiedAccess,
        inverse: &Inverse,
        factor: Term,
        scaled: bool,
    ) -> Term {
        let zero = self.amount(0, 1);
        let here = self.is_location_of(access, inverse);
        let asked = self.terms.substitute(access.asked, &inverse.vars);
        let mut parts = vec![here, asked];
        if !scaled {
            parts.push(self.terms.lt(zero, factor));
        }
        self.terms.and(parts)
    }
}
