//! The rest of a partial model as lists that are more than paths: doubly linked and sorted ones.
//!
//! A partial model does not say all that such a list needs, so there is a heap for every choice of the
//! arguments that it leaves open. Whoever asked tries them.

use sl::core::{Expr, Form, PredId};
use sl::procedure::Unknown;
use sl::shape::{AtEnd, End, List};

use crate::inverse::{Place, Reader, Sources};
use crate::translate::Footprint;

/// More heaps than this are not tried.
const MAX_HEAPS: usize = 64;

/// An atom, and the places that it covers.
struct Piece {
    atom: Form,
    covered: Vec<usize>,
}

impl Reader<'_, '_> {
    /// Heaps of cells and lists that cover the places in the rest, each once.
    pub(crate) fn covers(
        &mut self,
        places: &[Place],
        rest: &Footprint,
        sources: &Sources,
    ) -> Result<Vec<Vec<Form>>, Unknown> {
        let lists: Vec<(PredId, List)> = sources
            .predicates
            .iter()
            .filter_map(|pred| Some((*pred, self.translator.lists.list(*pred)?.clone())))
            .filter(|(_, list)| {
                list.back.is_some() || !list.measures.is_empty() || !list.orders.is_empty()
            })
            .collect();
        let mut heaps = Vec::new();
        if lists.is_empty() {
            return Ok(heaps);
        }
        let mut left = Vec::new();
        for (index, place) in places.iter().enumerate() {
            if self.is_left(place, rest)? {
                left.push(index);
            }
        }
        let mut pending = vec![(Vec::new(), left)];
        while let Some((atoms, open)) = pending.pop() {
            if heaps.len() + pending.len() > MAX_HEAPS {
                break;
            }
            if open.is_empty() {
                heaps.push(atoms);
                continue;
            }
            let begin = self.first(&open, places, &lists);
            for piece in self.pieces(begin, places, &lists, sources)?.into_iter().rev() {
                let mut more: Vec<Form> = atoms.clone();
                more.push(piece.atom);
                let open = open.iter().copied().filter(|p| !piece.covered.contains(p)).collect();
                pending.push((more, open));
            }
        }
        Ok(heaps)
    }

    /// A place that comes before the others on its path.
    fn first(&self, open: &[usize], places: &[Place], lists: &[(PredId, List)]) -> usize {
        let comes_first = |at: &usize| {
            open.iter().all(|other| {
                other == at
                    || !lists.iter().any(|(_, list)| self.is_on(list, places, [*other, *at, *at]))
            })
        };
        open.iter().copied().find(comes_first).unwrap_or(open[0])
    }

    fn is_on(&self, list: &List, places: &[Place], triple: [usize; 3]) -> bool {
        let [x, y, z] = triple.map(|index| &places[index]);
        x.loc == y.loc
            && y.loc == z.loc
            && self
                .translator
                .field(&x.loc, list.next)
                .is_some_and(|next| self.paths.between(next, [&x.value, &y.value, &z.value]))
    }

    /// What may begin at a place: its cell, or a list to any place.
    fn pieces(
        &mut self,
        begin: usize,
        places: &[Place],
        lists: &[(PredId, List)],
        sources: &Sources,
    ) -> Result<Vec<Piece>, Unknown> {
        let mut pieces = Vec::new();
        if let Some(atom) = self.cell(&places[begin], sources)? {
            pieces.push(Piece { atom, covered: vec![begin] });
        }
        for (pred, list) in lists {
            for end in (0..places.len()).filter(|end| *end != begin) {
                if !self.is_on(list, places, [begin, end, end]) {
                    continue;
                }
                let on = |p: &usize| *p != end && self.is_on(list, places, [begin, *p, end]);
                let covered: Vec<usize> = (0..places.len()).filter(on).collect();
                for args in self.choices(*pred, list, (begin, end), places, &covered, sources) {
                    let atom = Form::pred(*pred, args);
                    pieces.push(Piece { atom, covered: covered.clone() });
                }
            }
        }
        Ok(pieces)
    }

    /// All arguments of a list from here to there.
    fn choices(
        &self,
        pred: PredId,
        list: &List,
        (begin, end): (usize, usize),
        places: &[Place],
        covered: &[usize],
        sources: &Sources,
    ) -> Vec<Vec<Expr>> {
        let Some(arity) = self.translator.arity(pred) else { return Vec::new() };
        let term = |place: usize| places[place].terms.first().cloned();
        if list.end == End::Nil && !term(end).is_some_and(|end| end.is_nil()) {
            return Vec::new();
        }
        let mut all: Vec<Vec<Expr>> = vec![Vec::new()];
        for param in 0..arity {
            let number = list
                .measures
                .iter()
                .any(|m| m.param == param || m.at_end == Some(AtEnd::Param(param)));
            let options: Vec<Expr> = if param == list.root {
                term(begin).into_iter().collect()
            } else if list.end == End::Param(param) {
                term(end).into_iter().collect()
            } else if list.back.is_some_and(|back| back.last == Some(param)) {
                covered.iter().filter_map(|place| term(*place)).collect()
            } else if list.back.is_some_and(|back| back.before == param) {
                let same = |place: &usize| places[*place].loc == places[begin].loc;
                (0..places.len()).filter(same).filter_map(term).collect()
            } else if number {
                sources.numbers.clone()
            } else {
                Vec::new()
            };
            all = all
                .iter()
                .flat_map(|args| options.iter().map(move |option| (args, option)))
                .map(|(args, option)| args.iter().chain([option]).cloned().collect())
                .collect();
        }
        all
    }
}
