//! Partial models as symbolic heaps: the inverse translation ([PWZ13, Sec. 7]).

use std::collections::BTreeSet;

use sl::core::{Expr, Form, FormHeap, Ident, PredId};
use sl::formula::Kind;
use sl::procedure::Unknown;
use sl::shape::{End, List};
use sl::{Name, Semantics, TermKind};
use smt::Session;

use crate::logic::{self, Set};
use crate::paths::Paths;
use crate::readback::number as number_of;
use crate::solve::unreadable;
use crate::theory::Field;
use crate::translate::{Footprint, Translator, values};

/// How two locations, or two numbers, relate.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Relation {
    Equal,
    AtMost,
    Different,
}

/// A relation of two terms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Literal {
    pub(crate) left: Expr,
    pub(crate) right: Expr,
    pub(crate) relation: Relation,
}

impl Literal {
    /// Always the same way round, if that does not matter: by name, `nil` last.
    fn new(a: &Expr, b: &Expr, relation: Relation) -> Literal {
        let swap = relation != Relation::AtMost && (a.is_nil(), a) > (b.is_nil(), b);
        let (left, right) = if swap { (b, a) } else { (a, b) };
        Literal { left: left.clone(), right: right.clone(), relation }
    }

    pub(crate) fn formula(&self) -> Form {
        let (left, right) = (self.left.clone(), self.right.clone());
        match self.relation {
            Relation::Equal => Form::equal(left, right),
            Relation::Different => Form::different(left, right),
            Relation::AtMost => Kind::Le(left, right).into(),
        }
    }
}

/// What heaps are made of: variables, and atoms of the formulas.
pub(crate) struct Sources {
    /// The variables for locations.
    pub(crate) vars: Vec<Ident>,
    /// Points-to atoms of the formula with the larger heap.
    cells: Vec<(Expr, Expr)>,
    /// Its disjuncts.
    heaps: Vec<FormHeap>,
    /// Predicates that are mentioned.
    pub(crate) predicates: Vec<PredId>,
    /// Numbers, and variables for them.
    pub(crate) numbers: Vec<Expr>,
}

impl Sources {
    pub(crate) fn new(whole: &Form, h: &Form, g: &Form, semantics: Semantics) -> Sources {
        let free = whole.free_vars();
        let mut cells = Vec::new();
        whole.for_each(&mut |part| {
            if let Kind::PointsTo(loc, content) = part.kind()
                && part.free_vars().is_subset(&free)
            {
                cells.push((loc.clone(), content.clone()));
            }
        });
        let heaps = FormHeap::disjuncts(whole, semantics).unwrap_or_default();
        let mut vars: BTreeSet<Ident> = h.free_vars();
        vars.extend(g.free_vars());
        vars.retain(|var| var.sort.is_loc());
        let mut predicates = BTreeSet::new();
        let mut numbers = BTreeSet::new();
        for formula in [h, g] {
            let free = formula.free_vars();
            formula.for_each(&mut |part| {
                if let Kind::Pred(pred, _) = part.kind() {
                    predicates.insert(*pred);
                }
                for term in part.terms().into_iter().flat_map(values) {
                    let known = term.as_var().is_none_or(|var| free.contains(var));
                    let simple = matches!(term.kind(), TermKind::Var(_) | TermKind::Int(_));
                    if simple && known && term.sort() == sl::Sort::Int {
                        numbers.insert(term.clone());
                    }
                }
            });
        }
        let vars = vars.into_iter().collect();
        let (predicates, numbers) =
            (predicates.into_iter().collect(), numbers.into_iter().collect());
        Sources { vars, cells, heaps, predicates, numbers }
    }
}

/// A partial model: which variables are equal, and heaps that the rest may be.
pub(crate) struct Partial {
    pub(crate) literals: Vec<Literal>,
    /// The first that fits is taken.
    pub(crate) heaps: Vec<Vec<Form>>,
    /// Which of the variables are in the rest, and how they are ordered.
    pub(crate) shape: Vec<logic::Formula>,
}

/// A location of the partial model: the terms for it, `nil` first.
pub(crate) struct Place {
    pub(crate) loc: Name,
    pub(crate) value: String,
    pub(crate) terms: Vec<Expr>,
    node: smt::Term,
}

pub(crate) struct Reader<'r, 'a> {
    session: &'r mut Session,
    pub(crate) paths: &'r Paths,
    pub(crate) translator: &'r mut Translator<'a>,
}

impl Partial {
    /// Reads the model that the solver has found.
    pub(crate) fn read(
        session: &mut Session,
        paths: &Paths,
        translator: &mut Translator<'_>,
        rest: &Footprint,
        sources: &Sources,
    ) -> Result<Partial, Unknown> {
        let mut reader = Reader { session, paths, translator };
        let places = reader.places(sources)?;
        let mut literals = literals(&places);
        literals.extend(reader.order(sources)?);
        literals
            .sort_by(|a, b| (a.relation, &a.left, &a.right).cmp(&(b.relation, &b.left, &b.right)));
        let shape = reader.shape(&places, rest, sources)?;
        let mut heaps = reader.atoms(rest, sources)?;
        for cells_first in [true, false] {
            if let Some(heap) = reader.heap(&places, rest, sources, cells_first)?
                && !heaps.contains(&heap)
            {
                heaps.push(heap);
            }
        }
        for heap in reader.covers(&places, rest, sources)? {
            if !heaps.contains(&heap) {
                heaps.push(heap);
            }
        }
        Ok(Partial { literals, heaps, shape })
    }
}

/// The variables of a place are equal, and those of different places different.
fn literals(places: &[Place]) -> Vec<Literal> {
    let mut all = Vec::new();
    for (index, place) in places.iter().enumerate() {
        for (number, term) in place.terms.iter().enumerate() {
            for other in place.terms.iter().skip(number + 1) {
                all.push(Literal::new(term, other, Relation::Equal));
            }
        }
        for later in places.iter().skip(index + 1).filter(|p| p.loc == place.loc) {
            for left in &place.terms {
                for right in &later.terms {
                    all.push(Literal::new(left, right, Relation::Different));
                }
            }
        }
    }
    all
}

impl Reader<'_, '_> {
    fn ask(&mut self, term: smt::Term) -> Result<String, Unknown> {
        let values = self.session.model_values(&self.translator.theory.terms, &[term]);
        match values.into_iter().next().flatten() {
            Some(value) => Ok(value),
            None => Err(unreadable()),
        }
    }

    fn holds(&mut self, term: smt::Term) -> Result<bool, Unknown> {
        Ok(self.ask(term)? == "true")
    }

    fn places(&mut self, sources: &Sources) -> Result<Vec<Place>, Unknown> {
        let sorts: BTreeSet<sl::Sort> = sources.vars.iter().map(|v| v.sort.clone()).collect();
        let mut terms: Vec<Expr> = sorts.into_iter().map(Expr::nil).collect();
        terms.extend(sources.vars.iter().cloned().map(Expr::var));
        let mut places: Vec<Place> = Vec::new();
        for term in terms {
            let sl::Sort::Loc(loc) = term.sort() else { continue };
            let node = self.translator.term(&term)?;
            let value = self.ask(node)?;
            match places.iter_mut().find(|p| p.loc == loc && p.value == value) {
                Some(place) => place.terms.push(term),
                None => places.push(Place { loc, value, terms: vec![term], node }),
            }
        }
        Ok(places)
    }

    /// Which numbers are smaller than which.
    fn order(&mut self, sources: &Sources) -> Result<Vec<Literal>, Unknown> {
        let mut known = Vec::new();
        for term in &sources.numbers {
            let number = self.translator.term(term)?;
            let Some(value) = number_of(&self.ask(number)?) else {
                return Err(unreadable());
            };
            known.push((term, value));
        }
        let mut all = Vec::new();
        for (a, left) in &known {
            for (b, right) in known.iter().filter(|(b, _)| b != a) {
                let fixed = a.as_var().is_none() && b.as_var().is_none();
                if fixed || left > right {
                    continue;
                }
                all.push(Literal::new(a, b, Relation::AtMost));
                if left != right {
                    all.push(Literal::new(a, b, Relation::Different));
                }
            }
        }
        Ok(all)
    }

    /// The atoms of each disjunct that begin in the rest.
    fn atoms(&mut self, rest: &Footprint, sources: &Sources) -> Result<Vec<Vec<Form>>, Unknown> {
        let mut heaps = Vec::new();
        for heap in sources.heaps.iter().filter(|heap| heap.vars.is_empty()) {
            let atoms = self.atoms_of(heap, rest)?;
            let Some(atoms) = atoms else { continue };
            if !heaps.contains(&atoms) {
                heaps.push(atoms);
            }
        }
        Ok(heaps)
    }

    /// The atoms of one disjunct that begin in the rest; `None` if they do not hold in the model.
    fn atoms_of(
        &mut self,
        heap: &FormHeap,
        rest: &Footprint,
    ) -> Result<Option<Vec<Form>>, Unknown> {
        let mut atoms = Vec::new();
        for atom in &heap.spatial {
            let root = match atom.kind() {
                Kind::PointsTo(loc, content) => {
                    if !self.fits(loc, content)? {
                        return Ok(None);
                    }
                    Some(loc.clone())
                }
                Kind::Pred(pred, args) => {
                    self.translator.lists.list(*pred).and_then(|list| args.get(list.root)).cloned()
                }
                _ => None,
            };
            let Some(root) = root else { continue };
            let sl::Sort::Loc(loc) = root.sort() else { continue };
            let node = self.translator.term(&root)?;
            if let Some(set) = rest.get(&loc)
                && self.contains(set, node)?
            {
                atoms.push(atom.clone());
            }
        }
        Ok(Some(atoms))
    }

    /// What distinguishes the partial model from others with the same equalities.
    fn shape(
        &mut self,
        places: &[Place],
        rest: &Footprint,
        sources: &Sources,
    ) -> Result<Vec<logic::Formula>, Unknown> {
        let mut shape = Vec::new();
        for place in places {
            let Some(set) = rest.get(&place.loc) else { continue };
            let inside = logic::Formula::In(place.node, set.clone());
            if !self.contains(set, place.node)? {
                shape.push(inside.negation());
                continue;
            }
            shape.push(inside);
            for pred in &sources.predicates {
                let Some(list) = self.translator.lists.list(*pred).cloned() else { continue };
                let Some(field) = self.translator.field(&place.loc, list.next) else { continue };
                let Some(next) = self.successor(field, place, places) else { continue };
                let theory = &mut self.translator.theory;
                shape.push(logic::Formula::Atom(theory.reach(field, place.node, next.node)));
                for other in places.iter().filter(|p| p.loc == place.loc) {
                    if other.value != place.value && other.value != next.value {
                        let on_the_way = theory.between(field, place.node, other.node, next.node);
                        shape.push(logic::Formula::Atom(on_the_way).negation());
                    }
                }
            }
        }
        Ok(shape)
    }

    /// An atom for every place in the rest, if there are atoms for all.
    fn heap(
        &mut self,
        places: &[Place],
        rest: &Footprint,
        sources: &Sources,
        cells_first: bool,
    ) -> Result<Option<Vec<Form>>, Unknown> {
        let mut atoms = Vec::new();
        for place in places {
            let Some(set) = rest.get(&place.loc) else { continue };
            if !self.contains(set, place.node)? {
                continue;
            }
            let cell = self.cell(place, sources)?;
            let segment = self.segment(place, places, sources)?;
            let atom = if cells_first { cell.or(segment) } else { segment.or(cell) };
            let Some(atom) = atom else { return Ok(None) };
            atoms.push(atom);
        }
        Ok(Some(atoms))
    }

    /// Is a place in the rest?
    pub(crate) fn is_left(&mut self, place: &Place, rest: &Footprint) -> Result<bool, Unknown> {
        match rest.get(&place.loc) {
            Some(set) => self.contains(set, place.node),
            None => Ok(false),
        }
    }

    fn contains(&mut self, set: &Set, node: smt::Term) -> Result<bool, Unknown> {
        let inside = set.contains(&mut self.translator.theory, node);
        self.holds(inside)
    }

    /// A points-to atom for a place that holds in the model.
    pub(crate) fn cell(
        &mut self,
        place: &Place,
        sources: &Sources,
    ) -> Result<Option<Form>, Unknown> {
        for (loc, content) in &sources.cells {
            let node = self.translator.term(loc)?;
            if loc.sort() != sl::Sort::Loc(place.loc.clone()) || self.ask(node)? != place.value {
                continue;
            }
            if self.fits(loc, content)? {
                return Ok(Some(Form::points_to(loc.clone(), content.clone())));
            }
        }
        Ok(None)
    }

    /// Does the location hold this in the model?
    fn fits(&mut self, loc: &Expr, content: &Expr) -> Result<bool, Unknown> {
        let sl::Sort::Loc(name) = loc.sort() else { return Ok(false) };
        let node = self.translator.term(loc)?;
        for (index, value) in values(content).iter().enumerate() {
            let Some(field) = self.translator.field(&name, index) else { continue };
            let held = self.translator.theory.read(field, node);
            let value = self.translator.term(value)?;
            if self.ask(held)? != self.ask(value)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A segment from a place to the next one on its path.
    fn segment(
        &mut self,
        place: &Place,
        places: &[Place],
        sources: &Sources,
    ) -> Result<Option<Form>, Unknown> {
        for pred in &sources.predicates {
            let Some(list) = self.translator.lists.list(*pred).cloned() else { continue };
            let Some(next) = self.translator.field(&place.loc, list.next) else { continue };
            let Some(to) = self.successor(next, place, places) else { continue };
            let begin = place.terms.first().cloned();
            let end = to.terms.first().cloned();
            let (Some(begin), Some(end)) = (begin, end) else { continue };
            if let Some(args) = self.arguments(*pred, &list, begin, end) {
                return Ok(Some(Form::pred(*pred, args)));
            }
        }
        Ok(None)
    }

    /// The arguments of a plain list from here to there.
    fn arguments(&self, pred: PredId, list: &List, begin: Expr, end: Expr) -> Option<Vec<Expr>> {
        if list.back.is_some() || !list.measures.is_empty() || !list.nested.is_empty() {
            return None;
        }
        let arity = self.translator.arity(pred)?;
        match list.end {
            End::Nil if end.is_nil() && arity == 1 => Some(vec![begin]),
            End::Param(last) if arity == 2 => {
                Some(if list.root < last { vec![begin, end] } else { vec![end, begin] })
            }
            _ => None,
        }
    }

    /// The first other place on the way.
    fn successor<'p>(&self, field: Field, place: &Place, places: &'p [Place]) -> Option<&'p Place> {
        let reached = |other: &&Place| {
            other.loc == place.loc
                && other.value != place.value
                && self.paths.between(field, [&place.value, &other.value, &other.value])
        };
        let others = || places.iter().filter(reached);
        others().find(|first| {
            let is_first = |other: &Place| {
                self.paths.between(field, [&place.value, &first.value, &other.value])
            };
            others().all(is_first)
        })
    }
}
