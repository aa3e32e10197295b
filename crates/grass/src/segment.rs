//! Lists as paths: what an instance of a list predicate says ([PWZ13, Fig. 4 and Sec. 6]).

use sl::Name;
use sl::core::{Expr, PredId};
use sl::procedure::{ListFault, Reason, Unknown};
use sl::shape::{Back, End, List};
use smt::Term;

use crate::doubly::WayBack;
use crate::logic::{Formula, Set};
use crate::sorted;
use crate::theory::{Field, Theory};
use crate::translate::{Pieces, Translator, out};

/// An instance of a list predicate.
pub(crate) struct Segment {
    pub(crate) list: List,
    pub(crate) loc: Name,
    /// None where an argument may be anything that fits: see [`may_be_anything`].
    pub(crate) args: Vec<Option<Term>>,
    pub(crate) next: Field,
    pub(crate) first: Term,
    pub(crate) end: Term,
    pub(crate) may_be_cyclic: bool,
    /// Does it go on from its end and come back to it?
    pub(crate) cyclic: bool,
}

/// Can a location of the list be its end? Only steps say that it is not, and a list that is never empty
/// ends without one: its last location may lead to itself.
pub(crate) fn may_be_cyclic(list: &List, args: &[Expr]) -> bool {
    let ends_in_nil = match list.end {
        End::Nil => true,
        End::Param(end) => args.get(end).is_some_and(Expr::is_nil),
    };
    !ends_in_nil && (!list.acyclic || !list.may_be_empty)
}

/// May the argument of this number be hidden? Data in order begins with some value, whatever it is, if
/// nothing is said of its end.
pub(crate) fn may_be_anything(list: &List, index: usize) -> bool {
    list.measures.iter().any(|m| m.param == index && m.at_end.is_none() && sorted::is_order(m))
}

impl Segment {
    /// Looks the predicate up. The list ends where its end is reached first.
    pub(crate) fn new(
        translator: &mut Translator<'_>,
        pred: PredId,
        args: &[Expr],
    ) -> Result<Segment, Unknown> {
        let name = || translator.name(pred);
        let Some(list) = translator.lists.list(pred).cloned() else {
            return Err(Reason::NoList(name()).into());
        };
        let may_be_cyclic = may_be_cyclic(&list, args);
        if !list.nested.is_empty() || !list.measures.iter().all(sorted::is_order) {
            return out(Reason::List(name(), ListFault::MoreThanLinks));
        }
        let Some(sl::Sort::Loc(loc)) = args.get(list.root).map(Expr::sort) else {
            return out(Reason::List(name(), ListFault::NoBeginning));
        };
        let mut terms = Vec::with_capacity(args.len());
        for arg in args {
            terms.push(if translator.is_anything(arg) {
                None
            } else {
                Some(translator.term(arg)?)
            });
        }
        let end = match list.end {
            End::Param(end) => terms.get(end).copied().flatten(),
            End::Nil => translator.theory.nil(&sl::Sort::Loc(loc.clone())),
        };
        let (Some(first), Some(end)) = (terms.get(list.root).copied().flatten(), end) else {
            return out(Reason::List(translator.name(pred), ListFault::NoEnd));
        };
        let Some(next) = translator.field(&loc, list.next) else {
            return out(Reason::List(translator.name(pred), ListFault::Content));
        };
        translator.links.insert(next);
        Ok(Segment { list, loc, args: terms, next, first, end, may_be_cyclic, cyclic: false })
    }

    /// A path, and the nodes on it.
    pub(crate) fn translate(
        &self,
        translator: &mut Translator<'_>,
        pieces: &mut Pieces,
    ) -> Result<(), Unknown> {
        let sort = translator.node_sort(&self.loc)?;
        let theory = &mut translator.theory;
        let mut nodes = Set::between(theory, self.next, self.first, self.end);
        let path = theory.reach(self.next, self.first, self.end);
        pieces.facts.push(Formula::Atom(path));
        let empty = theory.terms.eq(self.first, self.end);
        if self.cyclic {
            let on = theory.read(self.next, self.end);
            let back = theory.reach(self.next, on, self.end);
            pieces.facts.push(Formula::Atom(back));
            if self.list.acyclic {
                let last = theory.terms.eq(on, self.end);
                pieces.facts.push(Formula::Atom(last));
            }
            let cycle = self.cycle(theory);
            // The cycle is entered at the end.
            pieces.facts.push(Formula::disjoint(sort, nodes.clone(), cycle.clone()));
            nodes = Set::Union(vec![nodes, cycle]);
        } else if !self.list.may_be_empty {
            pieces.facts.push(Formula::Atom(empty).negation());
        }
        self.nil_fields(translator, &nodes, pieces)?;
        if let Some(back) = self.list.back {
            self.ways_back(translator, back, pieces)?;
        }
        for measure in self.list.measures.clone() {
            self.sorted(translator, &measure, pieces)?;
        }
        for order in self.list.orders.clone() {
            self.ordered(translator, &order, pieces)?;
        }
        pieces.parts.push((self.loc.clone(), nodes));
        Ok(())
    }

    /// The nodes on the way from the end to itself.
    pub(crate) fn cycle(&self, theory: &mut Theory) -> Set {
        let on = theory.read(self.next, self.end);
        let end = Set::single(theory, self.end);
        Set::Union(vec![end, Set::between(theory, self.next, on, self.end)])
    }

    /// The argument of this number.
    pub(crate) fn arg(&self, index: usize) -> Result<Term, Unknown> {
        match self.args.get(index).copied().flatten() {
            Some(term) => Ok(term),
            None => out(Reason::IllSorted),
        }
    }

    pub(crate) fn field(
        &self,
        translator: &Translator<'_>,
        index: usize,
    ) -> Result<Field, Unknown> {
        match translator.field(&self.loc, index) {
            Some(field) => Ok(field),
            None => out(Reason::Content(self.loc.clone())),
        }
    }

    fn nil_fields(
        &self,
        translator: &mut Translator<'_>,
        nodes: &Set,
        pieces: &mut Pieces,
    ) -> Result<(), Unknown> {
        let sort = translator.node_sort(&self.loc)?;
        let fields = translator.signature.fields(&sl::Sort::Loc(self.loc.clone()));
        for index in &self.list.nil_fields {
            let field = self.field(translator, *index)?;
            let nil = fields.get(*index).and_then(|(_, sort)| translator.theory.nil(sort));
            let Some(nil) = nil else { return out(Reason::IllSorted) };
            let theory = &mut translator.theory;
            let (_, z) = theory.terms.bound_var("z", sort);
            let held = theory.read(field, z);
            let is_nil = theory.terms.eq(held, nil);
            let inside = nodes.contains(theory, z);
            let body = theory.terms.implies(inside, is_nil);
            pieces.facts.push(Formula::Every(z, body, Some(field)));
        }
        Ok(())
    }

    /// The links back of a doubly linked list. One that comes back to its end is one to there, the end,
    /// and one from there: only the first way to the end is a link back.
    fn ways_back(
        &self,
        translator: &mut Translator<'_>,
        back: Back,
        pieces: &mut Pieces,
    ) -> Result<(), Unknown> {
        let prev = self.field(translator, back.prev)?;
        let before = self.arg(back.before)?;
        let last = back.last.map(|last| self.arg(last)).transpose()?;
        let (first, end) = (self.first, self.end);
        if !self.cyclic {
            let links = Links { prev, first, end, before, last, apart: back.apart };
            return self.way_back(translator, links, pieces);
        }
        let theory = &mut translator.theory;
        if let (true, Some(last)) = (back.apart, last) {
            let apart = self.apart(theory, first, before, last);
            pieces.facts.push(Formula::Atom(apart));
        }
        let (there, on) = (theory.read(prev, end), theory.read(self.next, end));
        let to = Links { prev, first, end, before, last: Some(there), apart: false };
        self.way_back(translator, to, pieces)?;
        let around = Links { prev, first: on, end, before: end, last, apart: false };
        self.way_back(translator, around, pieces)
    }

    /// What is before is not the last node: every step says so, and a list that is never empty may do
    /// without steps.
    fn apart(&self, theory: &mut Theory, first: Term, before: Term, last: Term) -> Term {
        let same = theory.terms.eq(before, last);
        let different = theory.terms.not(same);
        if self.list.may_be_empty {
            return different;
        }
        let single = theory.terms.eq(first, last);
        theory.terms.or([different, single])
    }

    /// The links back of an acyclic part.
    fn way_back(
        &self,
        translator: &mut Translator<'_>,
        links: Links,
        pieces: &mut Pieces,
    ) -> Result<(), Unknown> {
        let sort = translator.node_sort(&self.loc)?;
        let Links { prev, first, end, before, last, apart } = links;
        let theory = &mut translator.theory;
        let nodes = Set::between(theory, self.next, first, end);
        let empty = theory.terms.eq(first, end);
        let held = theory.read(prev, first);
        let mut some = vec![theory.terms.eq(held, before)];
        let mut none = vec![empty];
        if let Some(last) = last {
            let after = theory.read(self.next, last);
            some.push(theory.terms.eq(after, end));
            some.push(nodes.contains(theory, last));
            let same = theory.terms.eq(before, last);
            none.push(same);
            if apart {
                some.push(self.apart(theory, first, before, last));
            }
        }
        let nonempty = theory.terms.not(empty);
        some.push(nonempty);
        let (some, none) = (theory.terms.and(some), theory.terms.and(none));
        pieces.facts.push(Formula::Atom(theory.terms.or([some, none])));
        if translator.positive {
            let way = WayBack::new(theory, (prev, self.next), first, end);
            theory.ways_back.push(way);
            pieces.facts.push(Formula::Atom(way.holds));
        } else {
            // Where a node leads to, there the way back is, if both are in the list.
            let (_, z) = theory.terms.bound_var("z", sort);
            let after = theory.read(self.next, z);
            let (here, there) = (nodes.contains(theory, z), nodes.contains(theory, after));
            let returned = theory.read(prev, after);
            let returns = theory.terms.eq(returned, z);
            let inside = theory.terms.and([here, there]);
            let body = theory.terms.implies(inside, returns);
            pieces.facts.push(Formula::Every(z, body, None));
        }
        Ok(())
    }
}

/// From the first node to the end: what is before it, and which node is the last, if that is said.
struct Links {
    prev: Field,
    first: Term,
    end: Term,
    before: Term,
    last: Option<Term>,
    /// Is what is before another node than the last?
    apart: bool,
}
