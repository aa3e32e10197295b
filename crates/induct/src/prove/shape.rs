//! What is worth knowing of predicates.

use crate::base::Table;
use crate::system::{System, Var};

/// What is worth knowing of a predicate.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shape {
    /// Does it mention itself, directly or not?
    pub(crate) recursive: bool,
    /// Does every instance hold a cell?
    pub(crate) nonempty: bool,
    /// Parameters that are allocated by some case.
    pub(crate) roots: Vec<bool>,
    /// A parameter that is allocated in every instance.
    pub(crate) root: Option<usize>,
}

pub(crate) fn shapes(system: &System, table: &Table) -> Vec<Shape> {
    let count = system.predicates.len();
    // Who mentions whom, directly or not.
    let mut reaches = vec![vec![false; count]; count];
    for (pred, predicate) in system.predicates.iter().enumerate() {
        for call in predicate.cases.iter().flat_map(|case| &case.calls) {
            reaches[pred][call.pred] = true;
        }
    }
    for middle in 0..count {
        let further = reaches[middle].clone();
        for from in reaches.iter_mut().filter(|from| from[middle]) {
            from.iter_mut().zip(&further).for_each(|(to, more)| *to |= more);
        }
    }
    let mut shapes: Vec<Shape> = system
        .predicates
        .iter()
        .enumerate()
        .map(|(pred, predicate)| Shape {
            recursive: reaches[pred][pred],
            nonempty: true,
            roots: vec![false; predicate.params.len()],
            root: (0..predicate.params.len()).find(|i| table.allocates(pred, *i)),
        })
        .collect();
    loop {
        let before: Vec<(bool, Vec<bool>)> =
            shapes.iter().map(|s| (s.nonempty, s.roots.clone())).collect();
        for (pred, predicate) in system.predicates.iter().enumerate() {
            for case in &predicate.cases {
                let holds_cell = !case.cells.is_empty()
                    || case.calls.iter().any(|call| shapes[call.pred].nonempty);
                shapes[pred].nonempty &= holds_cell;
                let mut allocated: Vec<Var> = case.cells.iter().map(|cell| cell.addr).collect();
                for call in &case.calls {
                    let roots = &shapes[call.pred].roots;
                    allocated.extend(
                        call.args.iter().zip(roots).filter(|(_, root)| **root).map(|(a, _)| *a),
                    );
                }
                for var in allocated {
                    let same = |v: Var| {
                        v == var || case.equal.contains(&(v, var)) || case.equal.contains(&(var, v))
                    };
                    for i in 0..predicate.params.len() {
                        shapes[pred].roots[i] |= same((system.nils() + i) as Var);
                    }
                }
            }
        }
        let same = shapes.iter().zip(&before).all(|(s, b)| (s.nonempty, &s.roots) == (b.0, &b.1));
        if same {
            return shapes;
        }
    }
}
