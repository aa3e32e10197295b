//! Choices on the right side: what an atom there is, or where.

use std::collections::{BTreeMap, BTreeSet};

use super::Prover;
use super::normalise::simplify_right;
use super::trace::{Trace, simplify, witness};
use crate::sequent::{Heap, Sequent};
use crate::system::{Call, Cell, PredId, Var};
use sl::proof::{Rule, Tree};

impl Prover<'_> {
    /// A cell whose location is to be found.
    pub(super) fn match_cells(&mut self, s: &Sequent, consumed: u32, depth: u32) -> Option<Tree> {
        let unknown = |v: &Var| s.exist.contains(v);
        let cells = s.right.cells.iter().enumerate().filter(|(_, cell)| unknown(&cell.addr));
        // Fewer places come into question where more is known.
        let fewest =
            cells.min_by_key(|(_, cell)| cell.fields.iter().filter(|f| unknown(f)).count());
        let (r, _) = fewest?;
        for l in 0..s.left.cells.len() {
            if !self.fits(s, &s.left.cells[l], &s.right.cells[r]) {
                continue;
            }
            let mut next = s.clone();
            let (var, by) = (s.right.cells[r].addr, s.left.cells[l].addr);
            next.bind(var, by);
            if let Some(tree) = self.prove(next, consumed, depth) {
                return Some(Tree::new(s.clone(), witness(var, by), vec![tree]));
            }
        }
        None
    }

    /// Instances of the same predicate whose arguments can be made equal.
    pub(super) fn match_calls(&mut self, s: &Sequent, consumed: u32, depth: u32) -> Option<Tree> {
        for r in 0..s.right.calls.len() {
            for l in 0..s.left.calls.len() {
                let (left, right) = (&s.left.calls[l], &s.right.calls[r]);
                let fits = left.pred == right.pred
                    && left
                        .args
                        .iter()
                        .zip(&right.args)
                        .all(|(a, b)| a == b || s.exist.contains(b) || self.is_int(*a));
                if !fits {
                    continue;
                }
                let mut next = s.clone();
                let nonempty = self.take_away(&mut next, l, r);
                if let Some(tree) = self.prove(next, consumed + u32::from(nonempty), depth) {
                    let rule = Rule::MatchCall { left: l, right: r };
                    return Some(Tree::new(s.clone(), rule, vec![tree]));
                }
                if let Some(tree) = self.match_later(s, l, r, consumed, depth) {
                    return Some(tree);
                }
            }
        }
        None
    }

    /// Instances whose arguments are made equal, and that are not matched yet: what is asked of integers may
    /// follow from the cases of the one on the left.
    fn match_later(
        &mut self,
        s: &Sequent,
        l: usize,
        r: usize,
        consumed: u32,
        depth: u32,
    ) -> Option<Tree> {
        let args = s.right.calls[r].args.iter().zip(&s.left.calls[l].args);
        let unknown: BTreeMap<Var, Var> =
            args.filter(|(var, _)| s.exist.contains(var)).map(|(var, by)| (*var, *by)).collect();
        let is_asked = |v: &Var| s.right.linear.iter().any(|c| c.sum.factor(*v) != 0);
        if depth == 0 || !self.may_look_closer() || !unknown.keys().any(is_asked) {
            return None;
        }
        let (mut next, mut trace) = (s.clone(), Trace::default());
        for (var, by) in unknown {
            trace.push(next.clone(), witness(var, by));
            next.bind(var, by);
        }
        self.prove(next, consumed, depth).map(|tree| trace.close(tree))
    }

    /// An instance as one of its cases.
    pub(super) fn unfold_right(&mut self, s: &Sequent, consumed: u32, depth: u32) -> Option<Tree> {
        for r in 0..s.right.calls.len() {
            let pred = s.right.calls[r].pred;
            for case in 0..self.system.predicates[pred].cases.len() {
                let mut next = s.clone();
                let call = next.right.calls.remove(r);
                let (heap, vars) = self.instance(&call, case);
                next.exist.extend(vars.iter().copied());
                let (cells, calls) = (next.right.cells.len(), heap.calls.len());
                let is_flat = heap.cells.is_empty();
                next.right.add(heap);
                let unfolded = next.clone();
                let mut witnesses = Vec::new();
                if !simplify_right(&mut next, &mut witnesses) {
                    continue;
                }
                let mut trace = Trace::default();
                trace.push(s.clone(), Rule::UnfoldRight { call: r, case, vars });
                trace.push(unfolded, simplify(witnesses));
                if is_flat {
                    let price = u32::from(calls > 0 && self.shapes[pred].recursive);
                    if depth >= price
                        && let Some(tree) = self.prove(next, consumed, depth - price)
                    {
                        return Some(trace.close(tree));
                    }
                    continue;
                }
                // One of the cells is taken away next, so this does not go on for ever.
                let places = next.right.cells.get(cells..).map(|new| self.places(&next, new, pred));
                for (wanted, there) in places.unwrap_or_default() {
                    let mut next = next.clone();
                    let mut trace = trace.clone();
                    if wanted != there {
                        trace.push(next.clone(), witness(wanted, there));
                        next.bind(wanted, there);
                    }
                    if let Some(tree) = self.prove(next, consumed, depth) {
                        return Some(trace.close(tree));
                    }
                }
            }
        }
        None
    }

    /// A case of a definition for these arguments, and its existential variables.
    pub(super) fn instance(&mut self, call: &Call, case: usize) -> (Heap, Vec<Var>) {
        let system = self.system;
        let clause = &system.predicates[call.pred].cases[case];
        let mut scope: Vec<Var> = (0..self.nils() as Var).collect();
        scope.extend(&call.args);
        let vars: Vec<Var> =
            clause.sorts.iter().skip(clause.free).map(|sort| self.fresh(*sort)).collect();
        scope.extend(&vars);
        (Heap::instance(clause, &scope), vars)
    }

    /// The location of an instance on the right is where something on the left is.
    pub(super) fn guess(&mut self, s: &Sequent, consumed: u32, depth: u32) -> Option<Tree> {
        if depth == 0 {
            return None;
        }
        let places: BTreeSet<Var> = s
            .left
            .calls
            .iter()
            .flat_map(|call| self.roots(call))
            .chain(s.left.cells.iter().map(|cell| cell.addr))
            .collect();
        let wanted: BTreeSet<Var> = s
            .right
            .calls
            .iter()
            .flat_map(|call| self.roots(call))
            .filter(|v| s.exist.contains(v))
            .collect();
        for var in wanted {
            for place in &places {
                if self.sorts[*place as usize] != self.sorts[var as usize] {
                    continue;
                }
                let mut next = s.clone();
                next.bind(var, *place);
                if let Some(tree) = self.prove(next, consumed, depth - 1) {
                    return Some(Tree::new(s.clone(), witness(var, *place), vec![tree]));
                }
            }
        }
        None
    }

    /// Can a cell of the left side be the one that is wanted? Locations of different sorts are never
    /// the same, even if they hold the same.
    fn fits(&self, s: &Sequent, left: &Cell, right: &Cell) -> bool {
        (left.addr == right.addr || s.exist.contains(&right.addr))
            && self.sorts[left.addr as usize] == self.sorts[right.addr as usize]
            && left.fields.len() == right.fields.len()
            && left.fields.iter().zip(&right.fields).all(|(l, r)| l == r || s.exist.contains(r))
    }

    /// Where one of these cells is on the left side: at its location, or else wherever it may be.
    /// Where nothing is known of it, it may be anywhere; then the predicate is not to come again.
    fn places(&self, s: &Sequent, cells: &[Cell], pred: PredId) -> Vec<(Var, Var)> {
        let there = |cell: &&Cell| s.left.cells.iter().any(|c| c.addr == cell.addr);
        if let Some(cell) = cells.iter().find(there) {
            return vec![(cell.addr, cell.addr)];
        }
        let unknown = cells.iter().filter(|cell| {
            let known = cell.fields.iter().any(|f| !s.exist.contains(f));
            s.exist.contains(&cell.addr) && (known || !self.shapes[pred].recursive)
        });
        unknown
            .flat_map(|cell| s.left.cells.iter().map(move |c| (cell, c)))
            .filter(|(cell, c)| self.fits(s, c, cell))
            .map(|(cell, c)| (cell.addr, c.addr))
            .collect()
    }
}
