//! `Conj` [ABCK15, App. A]: formulas of a label as one, guided by the symbolic heap of the path.
//!
//! RSep is not closed under conjunction. Both formulas hold of the same symbolic heap, so each of their heaplets
//! stands for records of it. The heaplets of one, and those of the other that stand for other records, are a formula
//! that is stronger than the first one. It is a candidate: whether it holds wherever the label does is to be shown.

use arith::{Constraint, Sum};
use horn::Query;

use super::Art;
use crate::abduce::only_leaf;
use crate::rsep::{Applied, Arg, Atom, Formula, HTerm, Refinement};

impl Art<'_> {
    /// The formulas of a label as one.
    pub(super) fn conjunction(&self, node: usize) -> Option<Formula> {
        let node = &self.nodes[node];
        let heap = node.heap.as_ref()?;
        // The one that says most of the heap comes first.
        let mut label: Vec<&Formula> = node.label.iter().collect();
        label.sort_by_key(|formula| std::cmp::Reverse(formula.atoms.len()));
        let (first, rest) = label.split_first()?;
        let mut all = (*first).clone();
        for other in rest {
            all = self.both(heap, &all, other)?;
        }
        Some(all)
    }

    fn both(&self, heap: &Formula, first: &Formula, second: &Formula) -> Option<Formula> {
        let own = only_leaf(heap, &first.without_data(), self.defs())?;
        let other = only_leaf(heap, &second.without_data(), self.defs())?;
        let taken: Vec<usize> = own.uses.iter().flatten().copied().collect();
        let mut result = first.clone();
        let (shift, shift_data) = (result.next, result.next_data);
        let second = moved(second, shift, shift_data);
        result.next += second.next;
        result.next_data += second.next_data;
        for (atom, uses) in second.atoms.iter().zip(&other.uses) {
            if !uses.is_empty() && !uses.iter().any(|cell| taken.contains(cell)) {
                result.atoms.push(atom.clone());
            }
        }
        result.apart.extend(second.apart.iter().copied());
        result.facts.extend(second.facts.iter().cloned());
        result.queries.extend(second.queries.iter().cloned());
        // Variables of the program are the same in both; so are symbols that stand for the same record.
        for (var, value) in second.vars.iter().enumerate() {
            if let Some(own) = result.vars.get(var).copied() {
                result.unify(own, *value);
            }
        }
        for (sym, at) in &other.map {
            let same =
                own.map.iter().find(|(_, place)| *place == at && heap.cell_at(**place).is_some());
            if let Some((same, _)) = same {
                result.unify(HTerm::Sym(*same), HTerm::Sym(sym + shift));
            }
        }
        Some(result)
    }
}

/// The same with other symbols, but for those of data variables.
fn moved(formula: &Formula, shift: u32, shift_data: u32) -> Formula {
    let mut result = formula.clone();
    let own = formula.data.len() as u32;
    let data = |sum: &Sum| sum.renamed(&|sym| if sym < own { sym } else { sym + shift_data });
    let term = |term: &mut HTerm| {
        if let HTerm::Sym(sym) = term {
            *sym += shift;
        }
    };
    result.vars.iter_mut().for_each(term);
    for (a, b) in &mut result.apart {
        term(a);
        term(b);
    }
    let fact = |fact: &Constraint| Constraint { sum: data(&fact.sum), relation: fact.relation };
    result.facts = formula.facts.iter().map(fact).collect();
    let query =
        |query: &Query| Query { rel: query.rel, args: query.args.iter().map(data).collect() };
    result.queries = formula.queries.iter().map(query).collect();
    let arg = |arg: &Arg| match arg {
        Arg::Bound(place) => Arg::Bound(*place),
        Arg::Term(sum) => Arg::Term(data(sum)),
    };
    let applied =
        |atom: &Applied| Applied { rel: atom.rel, args: atom.args.iter().map(arg).collect() };
    let refinement =
        |one: &Refinement| Refinement { atoms: one.atoms.iter().map(applied).collect() };
    for atom in &mut result.atoms {
        match atom {
            Atom::Cell(cell) => {
                term(&mut cell.at);
                cell.ptrs.iter_mut().for_each(term);
                cell.data = cell.data.iter().map(data).collect();
            }
            Atom::Pred(instance) => {
                instance.args.iter_mut().for_each(term);
                instance.refs = instance.refs.iter().map(refinement).collect();
            }
            Atom::Context(context) => {
                term(&mut context.root);
                term(&mut context.hole);
                context.refs = context.refs.iter().map(refinement).collect();
            }
        }
    }
    result
}
