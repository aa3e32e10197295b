//! Lists that may come back to their end.
//!
//! Such a list covers the path to its end, or that and the cycle on which the end is. Where a heap must
//! hold, the choice is left to the solver; where it must not, there are as many cases as choices. But
//! cycles along one field are equal or have nothing in common, so that it is enough to look at the lists
//! one by one: each is as short as can be, or has a cycle to itself.

use sl::core::{Expr, PredId};
use sl::formula::Kind;
use sl::procedure::Unknown;
use smt::{Sort, Term};

use crate::logic::{Formula, Set};
use crate::segment::{Segment, may_be_cyclic};
use crate::theory::Field;
use crate::translate::{Footprint, Layout, OverlaidHeap, Pieces, Translator};

/// A list that may come back to its end.
struct Ring {
    segment: Segment,
    /// It ends where its end is reached first.
    short: Formula,
    /// It goes on from there and comes back.
    long: Formula,
    /// The nodes on the way to the end.
    path: Set,
    /// The nodes of the cycle on which the end is.
    cycle: Set,
}

/// The predicate and its arguments, if it is one.
fn instance(part: &Layout) -> Option<(PredId, &[Expr])> {
    let Layout::Atom(atom) = part else { return None };
    match atom.kind() {
        Kind::Pred(pred, args) => Some((*pred, args)),
        _ => None,
    }
}

impl Translator<'_> {
    /// Is the heap divided among atoms, and do several of them come back to their end along one field?
    pub(crate) fn has_rings(&self, heap: &OverlaidHeap) -> bool {
        let Layout::Star(parts) = &heap.layout else { return false };
        let is_flat = parts.iter().all(|part| matches!(part, Layout::Any | Layout::Atom(_)));
        let fields: Option<Vec<Field>> =
            parts.iter().filter(|part| self.is_ring(part)).map(|part| self.link(part)).collect();
        is_flat
            && fields.is_some_and(|fields| {
                fields.len() > 1 && fields.windows(2).all(|pair| pair[0] == pair[1])
            })
    }

    fn is_ring(&self, part: &Layout) -> bool {
        let Some((pred, args)) = instance(part) else { return false };
        self.lists.list(pred).is_some_and(|list| may_be_cyclic(list, args))
    }

    /// The field along which a list goes.
    fn link(&self, part: &Layout) -> Option<Field> {
        let (pred, args) = instance(part)?;
        let list = self.lists.list(pred)?;
        let sl::Sort::Loc(loc) = args.get(list.root)?.sort() else { return None };
        self.field(&loc, list.next)
    }

    /// The heap is what the footprint has. It must not be: what is said here holds if that is so, but may
    /// also be said to hold if it is not.
    pub(crate) fn rings(
        &mut self,
        heap: &OverlaidHeap,
        footprint: &Footprint,
    ) -> Result<Formula, Unknown> {
        let mut short = Pieces::default();
        self.pure_facts(heap, &mut short)?;
        let mut rings = Vec::new();
        let Layout::Star(parts) = &heap.layout else { return Ok(Formula::Or(Vec::new())) };
        for part in parts {
            match instance(part).filter(|_| self.is_ring(part)) {
                None => short.add(self.pieces(part)?),
                Some((pred, args)) => {
                    let segment = Segment::new(self, pred, args)?;
                    let mut ring = self.ring(segment)?;
                    ring.short = self.named(ring.short);
                    short.parts.push((ring.segment.loc.clone(), ring.path.clone()));
                    rings.push(ring);
                }
            }
        }
        self.keep_apart(&mut short)?;
        let mut facts = Vec::new();
        for (loc, whole) in footprint {
            let sort = self.node_sort(loc)?;
            let (whole, used) = (whole.clone(), short.nodes(loc));
            if rings.first().is_some_and(|ring| ring.segment.loc == *loc) {
                facts.push(Formula::subset(sort, used.clone(), whole.clone()));
                facts.extend(self.owners(&rings, &whole.minus(used), short.open)?);
            } else {
                facts.push(short.covers(sort, whole, used));
            }
        }
        Ok(Formula::And(short.facts.into_iter().chain(facts).collect()))
    }

    fn ring(&mut self, mut segment: Segment) -> Result<Ring, Unknown> {
        let (mut short, mut long) = (Pieces::default(), Pieces::default());
        segment.cyclic = false;
        segment.translate(self, &mut short)?;
        segment.cyclic = true;
        segment.translate(self, &mut long)?;
        let path = short.nodes(&segment.loc);
        let cycle = segment.cycle(&mut self.theory);
        let (short, long) = (Formula::And(short.facts), Formula::And(long.facts));
        Ok(Ring { segment, short, long, path, cycle })
    }

    /// A list that must be there, of either kind.
    pub(crate) fn either(&mut self, segment: Segment, pieces: &mut Pieces) -> Result<(), Unknown> {
        let ring = self.ring(segment)?;
        let is_long = self.theory.terms.fresh("long", Sort::Bool);
        let chosen = Formula::Atom(is_long);
        pieces.facts.push(Formula::Or(vec![chosen.clone(), ring.short]));
        pieces.facts.push(Formula::Or(vec![chosen.negation(), ring.long]));
        let sort = self.node_sort(&ring.segment.loc)?;
        let cycle = self.provided(sort, is_long, &ring.cycle);
        pieces.parts.push((ring.segment.loc, Set::Union(vec![ring.path, cycle])));
        Ok(())
    }

    /// A name for a formula that must not hold: where it does, so does the name.
    fn named(&mut self, formula: Formula) -> Formula {
        let name = Formula::Atom(self.theory.terms.fresh("named", Sort::Bool));
        self.definitions.push(Formula::Or(vec![name.clone(), formula.negation()]));
        name
    }

    /// Every list is short or has its cycle, which is among the nodes that are left. All that is left
    /// are such cycles, if there may not be more.
    fn owners(&mut self, rings: &[Ring], left: &Set, open: bool) -> Result<Vec<Formula>, Unknown> {
        let mut owned = Vec::with_capacity(rings.len());
        for (index, ring) in rings.iter().enumerate() {
            let sort = self.node_sort(&ring.segment.loc)?;
            let mut all = vec![Formula::subset(sort, ring.cycle.clone(), left.clone())];
            all.push(ring.long.clone());
            // Nobody else has it.
            for (_, other) in rings.iter().enumerate().filter(|(other, _)| *other != index) {
                let there = Formula::In(other.segment.end, ring.cycle.clone());
                all.push(Formula::Or(vec![there.negation(), other.short.clone()]));
            }
            owned.push(self.named(Formula::And(all)));
        }
        let mut facts: Vec<Formula> = rings
            .iter()
            .zip(&owned)
            .map(|(ring, owns)| Formula::Or(vec![ring.short.clone(), owns.clone()]))
            .collect();
        if open {
            return Ok(facts);
        }
        let Some(first) = rings.first() else { return Ok(facts) };
        let sort = self.node_sort(&first.segment.loc)?;
        let mut cycles = Vec::with_capacity(rings.len());
        for ring in rings {
            let end = ring.segment.end;
            let mut owners = vec![Formula::In(end, left.clone()).negation()];
            for (other, owns) in rings.iter().zip(&owned) {
                let there = Formula::In(end, other.cycle.clone());
                owners.push(Formula::And(vec![there, owns.clone()]));
            }
            facts.push(Formula::Or(owners));
            let is_left = left.contains(&mut self.theory, end);
            cycles.push(self.provided(sort, is_left, &ring.cycle));
        }
        facts.push(Formula::Equal(sort, left.clone(), Set::Union(cycles)));
        Ok(facts)
    }

    /// A set if something holds, else nothing.
    fn provided(&mut self, sort: Sort, condition: Term, set: &Set) -> Set {
        let (_, z) = self.theory.terms.bound_var("z", sort);
        let inside = set.contains(&mut self.theory, z);
        Set::Where(z, self.theory.terms.and([condition, inside]))
    }
}
