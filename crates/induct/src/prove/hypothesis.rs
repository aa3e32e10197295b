//! Hypotheses: finding their left sides in a sequent, and putting their right sides there.

use std::collections::{BTreeMap, BTreeSet};

use super::trace::Trace;
use super::{Hypothesis, Prover};
use crate::sequent::{Heap, Sequent};
use crate::system::Var;
use arith::{Constraint, Relation};
use sl::proof::{self, Rule, Tree};

/// A hypothesis is used in at most this many ways, and so many atoms are compared to find them.
const MAX_USES: usize = 6;
const MAX_COMPARED: usize = 400;

impl Prover<'_> {
    pub(super) fn use_hypotheses(
        &mut self,
        s: &Sequent,
        consumed: u32,
        depth: u32,
    ) -> Option<Tree> {
        if depth == 0 {
            return None;
        }
        let mut wishes: BTreeSet<(Var, Var)> = BTreeSet::new();
        let mut numbers: Vec<Constraint> = Vec::new();
        for index in (0..self.path.len()).rev() {
            let Hypothesis { sequent: hypothesis, consumed: before, label, .. } =
                self.path[index].clone();
            for usage in uses(&hypothesis.left, &s.left, self.nils()) {
                let smaller = consumed > before
                    || !usage.cells.iter().all(|used| *used)
                    || s.left
                        .calls
                        .iter()
                        .zip(&usage.calls)
                        .any(|(call, used)| !used && self.shapes[call.pred].nonempty);
                // Cells of different sorts may hold the same.
                let sort = |v: &Var| self.sorts[*v as usize];
                let sorted = usage.vars.iter().all(|(v, by)| sort(v) == sort(by));
                if !smaller || !sorted {
                    continue;
                }
                match self.rewrite(s, &hypothesis, &usage) {
                    Ok((next, mut trace, conclusion, vars)) => {
                        if let Some(tree) = self.prove(next, consumed, depth - 1) {
                            let using = usage.with(vars);
                            let rule = Rule::Hypothesis { companion: label, using };
                            trace.push(conclusion, rule);
                            return Some(trace.close(tree));
                        }
                    }
                    Err(unknown) => {
                        let var = |v: Var| usage.vars.get(&v).copied().unwrap_or(v);
                        wishes.extend(hypothesis.left.renamed(&var).different);
                        numbers.extend(unknown);
                    }
                }
            }
        }
        // A hypothesis may ask for locations to be different that may be equal.
        wishes
            .into_iter()
            .find_map(|(a, b)| self.split_on(s, a, b, consumed, depth))
            .or_else(|| self.split_linear(s, numbers, consumed, depth))
    }

    /// The sequent with the right side of another in place of what its left side matches, with the
    /// definitions that this takes, the sequent after them, and what all variables are. Otherwise what
    /// would have to be known of integers.
    fn rewrite(
        &mut self,
        s: &Sequent,
        rule: &Sequent,
        usage: &Use,
    ) -> Result<Rewritten, Vec<Constraint>> {
        if rule.left.open {
            return Err(Vec::new());
        }
        let mut next = s.clone();
        let mut vars = usage.vars.clone();
        let mut trace = Trace::default();
        self.instantiate(&mut next, rule, &mut vars, &mut trace);
        let var = |v: Var| vars.get(&v).copied().unwrap_or(v);
        let known = &next.left;
        let facts = self.facts(known);
        let holds = rule.left.equal.is_empty()
            && is_elsewhere(&rule.left.gone, &var, known, usage)
            && rule.left.different.iter().all(|(a, b)| self.are_different(known, var(*a), var(*b)));
        if !holds {
            return Err(Vec::new());
        }
        let mut wishes: Vec<Constraint> =
            rule.left.linear.iter().map(|c| c.renamed(&var)).collect();
        wishes.retain(|c| !arith::implies(&facts, c));
        if !wishes.is_empty() {
            return Err(wishes);
        }
        for v in &rule.exist {
            let fresh = self.fresh(self.sorts[*v as usize]);
            vars.insert(*v, fresh);
        }
        let conclusion = next.clone();
        let mut used = usage.cells.iter();
        next.left.cells.retain(|_| used.next() == Some(&false));
        let mut used = usage.calls.iter();
        next.left.calls.retain(|_| used.next() == Some(&false));
        next.left.add(rule.right.renamed(&|v| vars.get(&v).copied().unwrap_or(v)));
        Ok((next, trace, conclusion, vars))
    }

    /// Chooses integers that no atom on the left side of a rule determines: what is wanted on the
    /// right, and then what equations say. The others stay what they are.
    fn instantiate(
        &mut self,
        s: &mut Sequent,
        rule: &Sequent,
        vars: &mut BTreeMap<Var, Var>,
        trace: &mut Trace,
    ) {
        for call in &rule.right.calls {
            let wanted = s.right.calls.iter().find(|other| {
                let fits = |(a, b): (&Var, &Var)| match vars.get(a) {
                    Some(known) => known == b || self.is_int(*b),
                    None => true,
                };
                other.pred == call.pred && call.args.iter().zip(&other.args).all(fits)
            });
            for (a, b) in call.args.iter().zip(wanted.iter().flat_map(|call| &call.args)) {
                if self.is_int(*a) && !rule.exist.contains(a) && !s.exist.contains(b) {
                    vars.entry(*a).or_insert(*b);
                }
            }
        }
        loop {
            let found = rule.left.linear.iter().find_map(|c| {
                let mut unknown = c.sum.factors.iter().filter(|(v, _)| !vars.contains_key(v));
                match (c.relation, unknown.next(), unknown.next()) {
                    (Relation::Zero, Some((v, 1 | -1)), None) => Some((c, *v)),
                    _ => None,
                }
            });
            let Some((equation, var)) = found else { return };
            let fresh = self.fresh(self.sorts[var as usize]);
            vars.insert(var, fresh);
            let known = |v: Var| vars.get(&v).copied().unwrap_or(v);
            let equation = equation.renamed(&known);
            trace.push(s.clone(), Rule::Define { var: fresh, equation: equation.clone() });
            s.left.linear.push(equation);
        }
    }
}

/// Is what a rule takes for allocated elsewhere, at different places, so allocated? It is if it was
/// taken away from this sequent, or is a cell that the rule does not use.
fn is_elsewhere(gone: &[Var], var: &impl Fn(Var) -> Var, left: &Heap, usage: &Use) -> bool {
    let gone: Vec<Var> = gone.iter().map(|v| var(*v)).collect();
    let distinct: BTreeSet<Var> = gone.iter().copied().collect();
    let unused =
        |v: Var| left.cells.iter().zip(&usage.cells).any(|(cell, used)| !used && cell.addr == v);
    distinct.len() == gone.len() && gone.iter().all(|v| left.gone.contains(v) || unused(*v))
}

/// How a left side is found in another.
#[derive(Clone, Debug, Default)]
struct Use {
    vars: BTreeMap<Var, Var>,
    /// Which cells and calls of the other it takes.
    cells: Vec<bool>,
    calls: Vec<bool>,
}

/// A sequent, steps that lead to the one before, that one, and what all variables of the rule are.
type Rewritten = (Sequent, Trace, Sequent, BTreeMap<Var, Var>);

impl Use {
    /// As it is written down.
    fn with(&self, vars: BTreeMap<Var, Var>) -> proof::Use {
        let places = |used: &[bool]| (0..used.len()).filter(|i| used[*i]).collect();
        proof::Use {
            vars: vars.into_iter().collect(),
            cells: places(&self.cells),
            calls: places(&self.calls),
        }
    }
}

/// Ways to find the atoms of one left side in another.
fn uses(pattern: &Heap, heap: &Heap, nils: usize) -> Vec<Use> {
    let mut found = Vec::new();
    let start = Use {
        vars: (0..nils as Var).map(|v| (v, v)).collect(),
        cells: vec![false; heap.cells.len()],
        calls: vec![false; heap.calls.len()],
    };
    if pattern.is_empty() {
        return found;
    }
    let mut rest = MAX_COMPARED;
    search(pattern, heap, 0, start, &mut found, &mut rest);
    found
}

fn search(
    pattern: &Heap,
    heap: &Heap,
    at: usize,
    usage: Use,
    found: &mut Vec<Use>,
    rest: &mut usize,
) {
    if found.len() >= MAX_USES || *rest == 0 {
        return;
    }
    *rest -= 1;
    let calls = pattern.calls.len();
    if let Some(call) = pattern.calls.get(at) {
        for (i, other) in heap.calls.iter().enumerate() {
            if usage.calls[i] || other.pred != call.pred {
                continue;
            }
            let mut next = usage.clone();
            if unify(&mut next.vars, &call.args, &other.args) {
                next.calls[i] = true;
                search(pattern, heap, at + 1, next, found, rest);
            }
        }
    } else if let Some(cell) = pattern.cells.get(at - calls) {
        for (i, other) in heap.cells.iter().enumerate() {
            if usage.cells[i] || other.fields.len() != cell.fields.len() {
                continue;
            }
            let mut next = usage.clone();
            if unify(&mut next.vars, &[cell.addr], &[other.addr])
                && unify(&mut next.vars, &cell.fields, &other.fields)
            {
                next.cells[i] = true;
                search(pattern, heap, at + 1, next, found, rest);
            }
        }
    } else {
        found.push(usage);
    }
}

fn unify(vars: &mut BTreeMap<Var, Var>, pattern: &[Var], args: &[Var]) -> bool {
    pattern.iter().zip(args).all(|(p, a)| *vars.entry(*p).or_insert(*a) == *a)
}
