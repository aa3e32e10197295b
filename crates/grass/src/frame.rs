//! What is left over, and what is missing: frame inference and abduction ([PWZ13, Sec. 7]).
//!
//! All models of `H` with a part for `G` are described by a finite number of partial models: which
//! variables are equal, and what of the rest lies between them. Each is made a symbolic heap, is
//! generalised (equalities and disequalities that it does not need are dropped), and rules out the
//! models that it describes. What comes out is checked by an entailment before it is returned.

use lists::Lists;
use sl::core::{Form, FormHeap, Ident, Scope};
use sl::formula::Kind;
use sl::procedure::{NoProof, Unknown};
use sl::{
    Answer, Budget, Entailment, Inference, Limit, Model, Procedure, Proof, Reason, Semantics,
};

use crate::choices;
use crate::inverse::{Literal, Partial, Relation, Sources};
use crate::logic::{self, Set};
use crate::solve::{Found, Solver};
use crate::translate::{Footprint, Layout, OverlaidHeap, Translator, out};

/// More disjuncts than this are not looked for.
const MAX_DISJUNCTS: usize = 32;

/// A disjunction of more heaps than this is not split.
const MAX_SPLIT: usize = 8;

/// After so many partial models for which there is no heap, no others are looked at.
const MAX_WITHOUT: usize = 4;

/// What a frame was confirmed by.
const BY_SOLVER: Proof = Proof::None(NoProof::Solver);

/// What is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Goal {
    Frame,
    AntiFrame,
}

/// One disjunct of the answer: under these conditions the heap is that.
struct Case {
    conditions: Vec<Literal>,
    spatial: Vec<Form>,
    /// Conditions that the heap itself says: where it is, and what locations hold. None if it is there
    /// without them.
    shape: Option<Vec<logic::Formula>>,
    /// May there be more?
    open: bool,
}

/// The cases that were found.
struct Cases {
    all: Vec<Case>,
    /// Was there a heap for every partial model?
    complete: bool,
}

impl Case {
    /// The heap, under these conditions.
    fn formula(&self, conditions: &[Literal]) -> FormHeap {
        let pure = conditions.iter().map(Literal::formula).collect();
        let (spatial, open) = (self.spatial.clone(), self.open);
        FormHeap { pure, spatial, open, ..FormHeap::default() }
    }
}

impl Solver {
    /// The strongest `F` that can be described for which `H |= G * F`.
    pub(crate) fn find_frame(
        &mut self,
        scope: &Scope,
        h: &Form,
        g: &Form,
    ) -> Result<Inference<Form>, Unknown> {
        self.session.reset();
        // The paper's NoFrame: a model of `H` of which no part is one of `G`. Its `Trf` of `G` is `Tr` of
        // `G * true`.
        let part = Form::sep(vec![g.clone(), Kind::True.into()]);
        if let Some(model) = self.counterexample(scope, h, &part)? {
            return Ok(Inference::Nothing(Some(model)));
        }
        let takes_all = |heaps: Vec<OverlaidHeap>| heaps.iter().all(|heap| heap.layout.is_open());
        let frame = if OverlaidHeap::disjuncts(g, scope.defs().semantics()).is_some_and(takes_all) {
            Kind::Emp.into()
        } else {
            self.describe(scope, h, g, Goal::Frame)?.unwrap_or_else(|| Kind::False.into())
        };
        let whole = Form::sep(vec![g.clone(), frame.clone()]);
        match self.counterexample(scope, h, &whole)? {
            None => Ok(Inference::Found(frame, BY_SOLVER)),
            Some(_) => Err(Limit::NoFrame.into()),
        }
    }

    /// An `F` for which `H * F |= G`, and for which `H * F` has models.
    pub(crate) fn find_anti_frame(
        &mut self,
        scope: &Scope,
        h: &Form,
        g: &Form,
    ) -> Result<Inference<Form>, Unknown> {
        self.session.reset();
        let Some(missing) = self.describe(scope, h, g, Goal::AntiFrame)? else {
            return Ok(Inference::Nothing(None));
        };
        let whole = Form::sep(vec![h.clone(), missing.clone()]);
        match self.counterexample(scope, &whole, g)? {
            None => Ok(Inference::Found(missing, BY_SOLVER)),
            Some(_) => Err(Limit::NoAntiFrame.into()),
        }
    }

    /// The paper's `Tr^-1(Frame(H, G))`: what of models of `H` is left where a part of them is one of
    /// `G`. `None` if there are no such models.
    ///
    /// # Errors
    /// If a formula is out of the fragment, or the rest cannot be described.
    pub fn rest(&mut self, scope: &Scope, h: &Form, g: &Form) -> Result<Option<Form>, Unknown> {
        let (heaps, complete) = self.heaps(scope, h, g, Goal::Frame, true)?;
        match (heaps.is_empty(), complete) {
            (_, false) => out(Reason::NoListFrame),
            (true, true) => Ok(None),
            (false, true) => Ok(Some(self.simplified(scope, heaps))),
        }
    }

    /// The paper's `tr^-1` of each partial model of `Frame(H, G)`: the heap that is left, with all that
    /// is equal and different. [`Solver::rest`] is their disjunction, generalised.
    ///
    /// # Errors
    /// As there.
    pub fn partial_models(
        &mut self,
        scope: &Scope,
        h: &Form,
        g: &Form,
    ) -> Result<Vec<Form>, Unknown> {
        let cases = self.search(scope, h, g, Goal::Frame)?.cases(false)?;
        if !cases.complete {
            return out(Reason::NoListFrame);
        }
        let heap =
            |case: &Case| case.formula(&case.conditions).to_formula(scope.defs().semantics());
        Ok(cases.all.iter().map(heap).collect())
    }

    /// Is there certainly no counterexample?
    fn is_valid(&mut self, scope: &Scope, left: &Form, right: &Form) -> bool {
        self.counterexample(scope, left, right) == Ok(None)
    }

    /// A model of the left side that is none of the right, if there is one. The procedure for lists is
    /// asked first.
    fn counterexample(
        &mut self,
        scope: &Scope,
        left: &Form,
        right: &Form,
    ) -> Result<Option<Model>, Unknown> {
        let (of_left, of_right) = (scope.assertion(left.clone()), scope.assertion(right.clone()));
        match Lists.entails(scope, &of_left, &of_right, &mut Budget::default()) {
            Answer::Decided(Entailment::Valid(_)) => return Ok(None),
            Answer::Decided(Entailment::Invalid(model)) => return Ok(Some(model)),
            Answer::OutOfFragment(_) | Answer::GaveUp(_) => {}
        }
        self.counterexample_by_solver(scope, left, right)
    }

    fn search<'s, 'a>(
        &'s mut self,
        scope: &'a Scope,
        h: &Form,
        g: &Form,
        goal: Goal,
    ) -> Result<Search<'s, 'a>, Unknown> {
        if [h, g].iter().any(|f| has_negation(f)) {
            return Err(Reason::Negation.into());
        }
        let mut translator = Translator::new(scope.defs());
        let (h, g) = (&translator.unfolded(h), &translator.unfolded(g));
        let (facts, rest) = question(&mut translator, h, g, goal)?;
        let whole = if goal == Goal::Frame { h } else { g };
        let sources = Sources::new(whole, h, g, scope.defs().semantics());
        let entailment = (goal == Goal::AntiFrame).then(|| (h.clone(), g.clone()));
        let is_open = |heaps: Vec<OverlaidHeap>| heaps.iter().any(|heap| heap.layout.is_open());
        let open = goal == Goal::Frame
            && OverlaidHeap::disjuncts(h, scope.defs().semantics()).is_some_and(is_open);
        Ok(Search { solver: self, translator, facts, rest, sources, entailment, open })
    }

    /// The inverse translation of the rest, as far as there is one; `None` if there is no model.
    fn describe(
        &mut self,
        scope: &Scope,
        h: &Form,
        g: &Form,
        goal: Goal,
    ) -> Result<Option<Form>, Unknown> {
        let (mut heaps, complete) = self.heaps(scope, h, g, goal, true)?;
        if heaps.is_empty() {
            return if complete { Ok(None) } else { out(Reason::NoListFrame) };
        }
        if goal == Goal::AntiFrame {
            // Any that is good will do. What holds more generally may be good for less.
            let mut good = self.good(scope, h, g, heaps);
            if good.is_empty() {
                let (special, _) = self.heaps(scope, h, g, goal, false)?;
                good = self.good(scope, h, g, special);
            }
            if good.is_empty() {
                return Err(Limit::NoAntiFrame.into());
            }
            heaps = good;
        }
        Ok(Some(self.simplified(scope, heaps)))
    }

    /// The heaps of all cases; is there one for every partial model?
    fn heaps(
        &mut self,
        scope: &Scope,
        h: &Form,
        g: &Form,
        goal: Goal,
        generalised: bool,
    ) -> Result<(Vec<FormHeap>, bool), Unknown> {
        let (mut heaps, mut complete) = (Vec::new(), true);
        // What is left of a disjunction is left of one of its parts.
        let parts = if goal == Goal::Frame { choices::disjuncts(h, MAX_SPLIT) } else { None };
        for h in parts.unwrap_or_else(|| vec![h.clone()]) {
            let mut search = self.search(scope, &h, g, goal)?;
            let cases = search.cases(generalised)?;
            complete &= cases.complete;
            for case in cases.all {
                let implied = search.implied(&case)?;
                heaps.push(search.formula(&case, implied, scope.defs().semantics())?);
            }
        }
        Ok((heaps, complete))
    }

    /// Those that are anti-frames.
    fn good(
        &mut self,
        scope: &Scope,
        h: &Form,
        g: &Form,
        mut heaps: Vec<FormHeap>,
    ) -> Vec<FormHeap> {
        heaps.retain(|heap| {
            let whole = Form::sep(vec![h.clone(), heap.to_formula(scope.defs().semantics())]);
            self.is_valid(scope, &whole, g)
        });
        heaps
    }

    /// The same disjunction with as few conditions and disjuncts as it takes.
    fn simplified(&mut self, scope: &Scope, mut heaps: Vec<FormHeap>) -> Form {
        let semantics = scope.defs().semantics();
        let join = |heaps: &[FormHeap]| {
            Form::or(heaps.iter().map(|heap| heap.to_formula(semantics)).collect())
        };
        // As they read: whoever asks twice is told the same.
        let text = |heap: &FormHeap| scope.named(&heap.to_formula(semantics));
        heaps.sort_by_key(|heap| text(heap).map(|formula| formula.to_string()).ok());
        let whole = join(&heaps);
        for index in 0..if heaps.len() > 1 { heaps.len() } else { 0 } {
            for number in (0..heaps[index].pure.len()).rev() {
                let mut weaker = heaps[index].clone();
                weaker.pure.remove(number);
                let formula = weaker.to_formula(scope.defs().semantics());
                if self.is_valid(scope, &formula, &whole) {
                    heaps[index] = weaker;
                }
            }
        }
        let mut index = heaps.len();
        while index > 0 && heaps.len() > 1 {
            index -= 1;
            let dropped = heaps.remove(index);
            let (one, others) = (dropped.to_formula(semantics), join(&heaps));
            if !self.is_valid(scope, &one, &others) {
                heaps.insert(index, dropped);
            }
        }
        join(&heaps)
    }
}

fn has_negation(formula: &Form) -> bool {
    let mut found = false;
    formula.for_each(&mut |part| found |= matches!(part.kind(), Kind::Not(_)));
    found
}

/// The paper's `Frame`: the first formula, the second for a part or for more, and the rest.
fn question(
    translator: &mut Translator<'_>,
    h: &Form,
    g: &Form,
    goal: Goal,
) -> Result<(Vec<logic::Formula>, Footprint), Unknown> {
    let (x, mut facts) = translator.footprint("X");
    let (y, nil) = translator.footprint("Y");
    facts.extend(nil);
    facts.push(translator.translate(h, &x, true)?);
    facts.push(translator.translate(g, &y, true)?);
    let mut rest = Footprint::new();
    for ((loc, x), y) in x.into_iter().zip(y.into_values()) {
        let sort = translator.node_sort(&loc)?;
        let (small, large) = if goal == Goal::Frame { (y, x) } else { (x, y) };
        facts.push(logic::Formula::subset(sort, small.clone(), large.clone()));
        let left = Set::Var(translator.theory.add_set(&format!("Z.{loc}"), sort));
        let difference = large.minus(small);
        facts.push(logic::Formula::Equal(sort, left.clone(), difference));
        rest.insert(loc, left);
    }
    Ok((facts, rest))
}

struct Search<'s, 'a> {
    solver: &'s mut Solver,
    translator: Translator<'a>,
    facts: Vec<logic::Formula>,
    rest: Footprint,
    sources: Sources,
    /// For an anti-frame: what it is good for.
    entailment: Option<(Form, Form)>,
    /// May there be anything in the rest?
    open: bool,
}

impl Search<'_, '_> {
    /// Cases that together cover all models: one for each partial model, or fewer that are generalised.
    fn cases(&mut self, generalised: bool) -> Result<Cases, Unknown> {
        let mut cases: Vec<Case> = Vec::new();
        let mut without = 0;
        let mut open = self.facts.clone();
        for number in 0.. {
            let Some(partial) = self.partial_model(&open)? else { break };
            if number >= MAX_DISJUNCTS {
                return Err(Limit::Cases.into());
            }
            let Some(case) = self.fitting(&partial)? else {
                // What is found for others may do.
                without += 1;
                if without == MAX_WITHOUT {
                    break;
                }
                let (conditions, shape) = (partial.literals, Some(partial.shape));
                let nothing = Case { conditions, shape, spatial: Vec::new(), open: true };
                open.push(self.condition(&nothing)?.negation());
                continue;
            };
            let general = generalised && !case.open;
            let case = if general { self.generalise(case)? } else { case };
            let blocked = self.condition(&case)?;
            open.push(blocked.negation());
            // What is more general takes the place of what is not.
            let all = |old: &Case| case.conditions.iter().all(|l| old.conditions.contains(l));
            cases.retain(|old| case.shape.is_some() || !all(old));
            cases.push(case);
        }
        Ok(Cases { all: cases, complete: without == 0 })
    }

    fn partial_model(&mut self, facts: &[logic::Formula]) -> Result<Option<Partial>, Unknown> {
        let vars: Vec<Ident> = self.sources.vars.clone();
        for var in &vars {
            self.translator.var(var)?;
        }
        for number in &self.sources.numbers {
            self.translator.term(number)?;
        }
        let mut facts = facts.to_vec();
        facts.extend(self.translator.definitions.iter().cloned());
        let found = match self.solver.find(&mut self.translator.theory, &facts) {
            Found::Nothing => Ok(None),
            Found::Unknown(unknown) => Err(unknown),
            Found::Model(_, paths) => {
                let session = &mut self.solver.session;
                let translator = &mut self.translator;
                Partial::read(session, &paths, translator, &self.rest, &self.sources).map(Some)
            }
        };
        self.solver.session.clear();
        found
    }

    /// The same heap, with no more conditions than it takes for the rest to be that heap.
    fn generalise(&mut self, mut case: Case) -> Result<Case, Unknown> {
        let good = self.is_good(&case)?;
        // Other numbers may do better than one that is not good.
        let kept = if good || !self.has_choice() { None } else { Some(sl::Sort::Int) };
        let (kept, all) = std::mem::take(&mut case.conditions)
            .into_iter()
            .partition::<Vec<Literal>, _>(|literal| Some(literal.left.sort()) == kept);
        case.conditions = kept.clone();
        if self.follows(&case)? && (!good || self.is_good(&case)?) {
            return Ok(case);
        }
        case.conditions.extend(all);
        let mut index = kept.len();
        while index < case.conditions.len() {
            let dropped = case.conditions.remove(index);
            if !self.follows(&case)? || (good && !self.is_good(&case)?) {
                case.conditions.insert(index, dropped);
                index += 1;
            }
        }
        Ok(case)
    }

    /// Is an anti-frame right for what it is for, if it is about numbers? Without them, what holds in
    /// all models of a case is enough to make it so; numbers leave a choice.
    fn is_good(&mut self, case: &Case) -> Result<bool, Unknown> {
        let Some((h, g)) = self.entailment.clone().filter(|_| self.has_choice()) else {
            return Ok(false);
        };
        let heap = case.formula(&case.conditions).to_formula(self.translator.semantics);
        self.completes(&h, &heap, &g)
    }

    fn has_choice(&self) -> bool {
        self.entailment.is_some() && !self.sources.numbers.is_empty()
    }

    /// `H * F |= G`
    fn completes(&mut self, h: &Form, f: &Form, g: &Form) -> Result<bool, Unknown> {
        self.refuted(|search| {
            let (footprint, mut facts) = search.translator.footprint("W");
            let whole = Form::sep(vec![h.clone(), f.clone()]);
            facts.push(search.translator.translate(&whole, &footprint, true)?);
            facts.push(search.translator.translate(g, &footprint, false)?.negation());
            Ok(facts)
        })
    }

    /// A heap that fits all models with the same equalities or, if there is none, those that also
    /// agree on what locations hold. If there may be anything in the rest, it is a part of it.
    fn fitting(&mut self, partial: &Partial) -> Result<Option<Case>, Unknown> {
        let contents_only = Vec::new();
        for shape in [None, Some(&contents_only), Some(&partial.shape)] {
            let mut any = None;
            for spatial in &partial.heaps {
                let (conditions, spatial) = (partial.literals.clone(), spatial.clone());
                let case = Case { conditions, spatial, shape: shape.cloned(), open: false };
                if any.is_some() && !self.is_good(&case)? {
                    continue;
                }
                if self.follows(&case)? {
                    if !self.has_choice() || any.is_some() || self.is_good(&case)? {
                        return Ok(Some(case));
                    }
                    any = Some(case);
                }
            }
            if any.is_some() {
                return Ok(any);
            }
        }
        if self.open {
            for spatial in partial.heaps.iter().chain([&Vec::new()]) {
                let (conditions, spatial) = (partial.literals.clone(), spatial.clone());
                let case = Case { conditions, spatial, shape: None, open: true };
                if self.follows(&case)? {
                    return Ok(Some(case));
                }
            }
        }
        Ok(None)
    }

    /// When the case is there, is the rest always its heap?
    fn follows(&mut self, case: &Case) -> Result<bool, Unknown> {
        self.refuted(|search| {
            let mut facts = search.facts.clone();
            facts.push(search.condition(case)?);
            let heap = case.formula(&[]).to_formula(search.translator.semantics);
            let described = search.translator.translate(&heap, &search.rest, false)?;
            facts.push(described.negation());
            Ok(facts)
        })
    }

    /// When the case is there.
    fn condition(&mut self, case: &Case) -> Result<logic::Formula, Unknown> {
        let mut all = vec![self.conjunction(&case.conditions)?];
        if let Some(shape) = &case.shape {
            all.extend(shape.iter().cloned());
            let cells = case.spatial.iter().filter(|a| matches!(a.kind(), Kind::PointsTo(..)));
            for cell in cells.cloned() {
                all.extend(self.translator.pieces(&Layout::Atom(cell))?.facts);
            }
        }
        Ok(logic::Formula::And(all))
    }

    /// Is there no model of these facts? What was defined for them is forgotten.
    fn refuted(
        &mut self,
        facts: impl FnOnce(&mut Self) -> Result<Vec<logic::Formula>, Unknown>,
    ) -> Result<bool, Unknown> {
        let before = self.translator.mark();
        let facts = facts(self);
        let found = facts.and_then(|mut facts| {
            facts.extend(self.translator.definitions.iter().cloned());
            let theory = &mut self.translator.theory;
            self.solver.graph_satisfiable(theory, &facts)
        });
        self.translator.forget(before);
        found.map(|satisfiable| !satisfiable)
    }

    fn conjunction(&mut self, literals: &[Literal]) -> Result<logic::Formula, Unknown> {
        let mut all = Vec::with_capacity(literals.len());
        for literal in literals {
            let (a, b) =
                (self.translator.term(&literal.left)?, self.translator.term(&literal.right)?);
            let terms = &mut self.translator.theory.terms;
            all.push(match literal.relation {
                Relation::Equal => logic::Formula::Atom(terms.eq(a, b)),
                Relation::Different => logic::Formula::Atom(terms.eq(a, b)).negation(),
                Relation::AtMost => logic::Formula::Atom(terms.le(a, b)),
            });
        }
        Ok(logic::Formula::And(all))
    }

    /// What holds of the variables in all models of a case.
    fn implied(&mut self, case: &Case) -> Result<Vec<Literal>, Unknown> {
        let mut facts = self.facts.clone();
        facts.push(self.condition(case)?);
        let Some(partial) = self.partial_model(&facts)? else { return Ok(Vec::new()) };
        let mut implied: Vec<Literal> = Vec::new();
        for literal in partial.literals {
            let refuted = self.refuted(|search| {
                let mut otherwise = facts.clone();
                otherwise.push(search.conjunction(std::slice::from_ref(&literal))?.negation());
                Ok(otherwise)
            });
            if refuted? {
                implied.push(literal);
            }
        }
        Ok(implied)
    }

    /// The symbolic heap of a case, without what follows from the rest of it; an anti-frame, without
    /// what it does not need.
    fn formula(
        &mut self,
        case: &Case,
        mut literals: Vec<Literal>,
        semantics: Semantics,
    ) -> Result<FormHeap, Unknown> {
        let mut index = literals.len();
        while index > 0 {
            index -= 1;
            let dropped = literals.remove(index);
            if !self.is_redundant(&dropped, &case.formula(&literals).to_formula(semantics))? {
                literals.insert(index, dropped);
            }
        }
        Ok(case.formula(&literals))
    }

    /// Does the heap mean the same, or do as well, without the literal?
    fn is_redundant(&mut self, literal: &Literal, heap: &Form) -> Result<bool, Unknown> {
        if let Some((h, g)) = self.entailment.clone() {
            return self.completes(&h, heap, &g);
        }
        self.refuted(|search| {
            let (footprint, mut facts) = search.translator.footprint("W");
            facts.push(search.translator.translate(heap, &footprint, true)?);
            facts.push(search.conjunction(std::slice::from_ref(literal))?.negation());
            Ok(facts)
        })
    }
}
