//! The rules, one by one.

use std::collections::BTreeSet;
use std::fmt;

use arith::{Constraint, Relation, Sum};
use sl::Proof;
use sl::addresses;
use sl::core::sequent::ordered;
use sl::core::{Assertion, Clause, Clauses, Heap, Scope, Sequent, Var};
use sl::proof::{Consequence, Derivation, Rule, Tree, Use};

use crate::closure::Closure;
use crate::consequence::follows;
use crate::facts::Knowledge;
use crate::linear;

/// What is wrong with a proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The rule that is not applied as it should, if one is.
    pub rule: Option<&'static str>,
    /// What is wrong.
    pub what: &'static str,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.rule {
            Some(rule) => write!(f, "{rule}: {}", self.what),
            None => f.write_str(self.what),
        }
    }
}

impl std::error::Error for Fault {}

fn fault<T>(what: &'static str) -> Result<T, Fault> {
    Err(Fault { rule: None, what })
}

/// Does this proof show that the first assertion entails the second? That there is no proof (a solver
/// has none) is a fault, too.
///
/// # Errors
/// With the first fault that is found.
pub fn check_entailment(
    scope: &Scope,
    left: &Assertion,
    right: &Assertion,
    proof: &Proof,
) -> Result<(), Fault> {
    // Where integers are locations, proofs are about others.
    if let Some(translated) = addresses::entailment(scope, left, right) {
        let Ok((_, scope, left, right)) = translated else {
            return fault("the question is not about locations");
        };
        return check_entailment(&scope, &left, &right, proof);
    }
    let Ok(derivations) = proof.derivations() else {
        return fault("there is no proof to check");
    };
    // The question, as it is without the search.
    let Ok(clauses) = Clauses::new(scope, left, Some(right)) else {
        return fault("a side is no disjunction of symbolic heaps, or a definition is none");
    };
    let Clauses { selection, free, left: lefts, right: rights } = clauses;
    let system = &selection.system;
    if lefts.len() != derivations.len() {
        return fault("there is not a derivation for each disjunct");
    }
    for (clause, derivation) in lefts.iter().zip(derivations.iter()) {
        let given = derivation.system.predicates.get(..derivation.given);
        let same = given.is_some_and(|given| {
            given.len() == system.predicates.len()
                && given
                    .iter()
                    .zip(&system.predicates)
                    .all(|(a, b)| (&a.name, &a.params, &a.cases) == (&b.name, &b.params, &b.cases))
        });
        if !same || derivation.system.sorts != system.sorts {
            return fault("the proof is about other definitions");
        }
        if !concludes(derivation, clause, &rights, free.len()) {
            return fault("the proof is about another entailment");
        }
        check(derivation)?;
    }
    Ok(())
}

/// Does this proof show that `F` is a frame: `H |- G * F`?
///
/// # Errors
/// With the first fault that is found.
pub fn check_frame(
    scope: &Scope,
    h: &Assertion,
    g: &Assertion,
    frame: &Assertion,
    proof: &Proof,
) -> Result<(), Fault> {
    match g.star(scope, frame) {
        Ok(whole) => check_entailment(scope, h, &whole, proof),
        Err(_) => fault("the frame is not well sorted"),
    }
}

/// Does this proof show that `F` is enough for an anti-frame: `H * F |- G`? That `H * F` has a model is
/// another question.
///
/// # Errors
/// With the first fault that is found.
pub fn check_anti_frame(
    scope: &Scope,
    h: &Assertion,
    g: &Assertion,
    missing: &Assertion,
    proof: &Proof,
) -> Result<(), Fault> {
    match h.star(scope, missing) {
        Ok(whole) => check_entailment(scope, &whole, g, proof),
        Err(_) => fault("the anti-frame is not well sorted"),
    }
}

/// Is the conclusion of a derivation that this clause entails the disjunction of those?
fn concludes(derivation: &Derivation, left: &Clause, rights: &[Clause], free: usize) -> bool {
    let nils = derivation.system.nils();
    let Sequent { left: heap, right, exist } = &derivation.tree.sequent;
    let count = left.sorts.len() + rights.iter().map(|c| c.sorts.len()).sum::<usize>();
    // Variables are numbered in their order: those that are free, those of the left side, those of the
    // right.
    let scope = |clause: &Clause, from: usize| -> Vec<Var> {
        let own = clause.sorts.len().saturating_sub(clause.free);
        (0..nils + free).chain(from..from + own).map(|v| v as Var).collect()
    };
    let has_sorts = |clause: &Clause, scope: &[Var]| {
        scope
            .iter()
            .zip(&clause.sorts)
            .all(|(v, sort)| derivation.sorts.get(*v as usize) == Some(sort))
    };
    let start = nils + free;
    let left_scope = scope(left, start);
    if count > Var::MAX as usize || !has_sorts(left, &left_scope) {
        return false;
    }
    if *heap != Heap::instance(left, &left_scope) {
        return false;
    }
    let start = start + left.sorts.len() - left.free;
    // One of the disjuncts is enough.
    let is_one = rights.iter().any(|one| {
        let right_scope = scope(one, start);
        let own: BTreeSet<Var> = right_scope.iter().skip(nils + free).copied().collect();
        has_sorts(one, &right_scope) && *right == Heap::instance(one, &right_scope) && *exist == own
    });
    if is_one {
        return true;
    }
    // A disjunction is an instance of a predicate of its own.
    let [call] = right.calls.as_slice() else { return false };
    let args: Vec<Var> = (nils..nils + free).map(|v| v as Var).collect();
    let is_all = call.pred >= derivation.given
        && derivation.system.predicates.get(call.pred).is_some_and(|p| p.cases == rights);
    is_all
        && call.args == args
        && exist.is_empty()
        && *right == Heap { calls: vec![call.clone()], ..Heap::default() }
}

/// Is every step of a derivation right?
///
/// # Errors
/// With the first fault that is found.
pub fn check(derivation: &Derivation) -> Result<(), Fault> {
    let nils = derivation.system.nils();
    let starts_with_nils = (0..nils).all(|sort| derivation.sorts.get(sort) == Some(&sort));
    if !starts_with_nils || !is_well_formed(derivation) {
        return fault("the definitions or the sorts are not well formed");
    }
    let known =
        Knowledge::new(&derivation.system, &derivation.sorts, &derivation.facts).or_else(fault)?;
    let lemmas: Vec<&Sequent> = derivation.lemmas.iter().map(|tree| &tree.sequent).collect();
    let mut checker = Checker { known: &known, lemmas: &[], path: Vec::new(), consumed: 0 };
    for (number, lemma) in derivation.lemmas.iter().enumerate() {
        checker.lemmas = lemmas.get(..number).unwrap_or_default();
        checker.tree(lemma)?;
    }
    checker.lemmas = &lemmas;
    checker.tree(&derivation.tree)
}

/// Are the variables of all cases those that they should be?
fn is_well_formed(derivation: &Derivation) -> bool {
    let system = &derivation.system;
    system.predicates.iter().all(|predicate| {
        predicate.cases.iter().all(|case| {
            let mut sorts: Vec<usize> = (0..system.nils()).collect();
            sorts.extend(&predicate.params);
            let scope: Vec<Var> = (0..case.sorts.len() as Var).collect();
            let in_range = |v: &Var| (*v as usize) < case.sorts.len();
            let vars =
                case.cells.iter().flat_map(|cell| std::iter::once(&cell.addr).chain(&cell.fields));
            let pairs = case.equal.iter().chain(&case.different).flat_map(|(a, b)| [a, b]);
            let linear = case.linear.iter().flat_map(|c| c.sum.factors.iter().map(|(v, _)| v));
            let args = case.calls.iter().flat_map(|call| &call.args);
            if case.free != sorts.len()
                || case.sorts.get(..case.free) != Some(&sorts)
                || case.open
                || !vars.chain(pairs).chain(linear).chain(args).all(in_range)
            {
                return false;
            }
            let empty = sl::proof::Facts::default();
            let left = Heap::instance(case, &scope);
            let known = Knowledge::unchecked(system, &case.sorts, &empty);
            known.is_well_sorted(&Sequent { left, ..Sequent::default() })
        })
    })
}

struct Checker<'a> {
    known: &'a Knowledge<'a>,
    /// The lemmas that may be used.
    lemmas: &'a [&'a Sequent],
    /// Companions on the way from the root, with the cells that had been taken away there.
    path: Vec<(u32, &'a Sequent, usize)>,
    /// How many cells were taken away on the way, at least.
    consumed: usize,
}

impl<'a> Checker<'a> {
    fn tree(&mut self, tree: &'a Tree) -> Result<(), Fault> {
        if let Some(label) = tree.label {
            self.path.push((label, &tree.sequent, self.consumed));
        }
        let result = self.step(tree);
        if tree.label.is_some() {
            self.path.pop();
        }
        result
    }

    fn step(&mut self, tree: &'a Tree) -> Result<(), Fault> {
        let in_rule = |what| Fault { rule: Some(tree.rule.name()), what };
        if !self.known.is_well_sorted(&tree.sequent) {
            return Err(in_rule("a sequent is not well sorted"));
        }
        if tree.sequent.left.vars().iter().any(|v| tree.sequent.exist.contains(v))
            || tree.sequent.exist.iter().any(|v| (*v as usize) < self.known.nils())
        {
            return Err(in_rule("an existential variable is none"));
        }
        let taken = self.rule(tree).map_err(in_rule)?;
        self.consumed += taken;
        let result = tree.premises.iter().try_for_each(|premise| self.tree(premise));
        self.consumed -= taken;
        result
    }

    /// Does the sequent follow from the premises? Says how many cells were taken away, at least.
    fn rule(&self, tree: &Tree) -> Result<usize, &'static str> {
        let (known, s) = (self.known, &tree.sequent);
        let premises: Vec<&Sequent> = tree.premises.iter().map(|tree| &tree.sequent).collect();
        match (&tree.rule, premises.as_slice()) {
            (Rule::Contradiction, []) => {
                if !known.contradicts(&s.left, |_| {}) {
                    return Err("the left side may have a model");
                }
            }
            (Rule::Axiom, []) => self.axiom(s)?,
            (Rule::Consequence(by), [premise]) => follows(known, s, premise, by)?,
            (Rule::Define { var, equation }, [premise]) => {
                let mut next = s.clone();
                next.left.linear.push(equation.clone());
                let others = equation.sum.factors.iter().map(|(v, _)| v).filter(|v| *v != var);
                if s.left.vars().contains(var)
                    || s.right.vars().contains(var)
                    || s.exist.contains(var)
                    || equation.relation != Relation::Zero
                    || equation.sum.factor(*var).abs() != 1
                    || others.into_iter().any(|v| s.exist.contains(v))
                {
                    return Err("that defines nothing new");
                }
                expect(&next, premise)?;
            }
            // x -> f * L |- x -> g * R  from  L |- R & f = g, with x gone.
            (Rule::MatchCell { left, right }, [premise]) => {
                let mut next = s.clone();
                let l = take(&mut next.left.cells, *left)?;
                let r = take(&mut next.right.cells, *right)?;
                if l.addr != r.addr || l.fields.len() != r.fields.len() {
                    return Err("the cells are not at the same location");
                }
                self.equate(&mut next, &l.fields, &r.fields)?;
                next.left.gone.push(l.addr);
                expect(&next, premise)?;
                return Ok(1);
            }
            (Rule::MatchCall { left, right }, [premise]) => {
                let mut next = s.clone();
                let l = take(&mut next.left.calls, *left)?;
                let r = take(&mut next.right.calls, *right)?;
                if l.pred != r.pred || l.args.len() != r.args.len() {
                    return Err("the instances are not of the same predicate");
                }
                self.equate(&mut next, &l.args, &r.args)?;
                with_gone(&mut next, premise, &known.roots(&l))?;
                expect(&next, premise)?;
                return Ok(usize::from(known.is_nonempty(l.pred)));
            }
            (Rule::Append { left, right }, [premise]) => {
                let (next, nonempty) = self.append(s, *left, *right)?;
                expect(&next, premise)?;
                return Ok(nonempty);
            }
            (Rule::UnfoldLeft { call, vars }, premises) => {
                self.unfold_left(s, *call, vars, premises)?;
            }
            (Rule::UnfoldRight { call, case, vars }, [premise]) => {
                let mut next = s.clone();
                let instance = take(&mut next.right.calls, *call)?;
                are_new(s, vars)?;
                let case = known.instance(&instance, *case, vars).ok_or("there is no such case")?;
                next.right.add(case);
                next.exist.extend(vars);
                expect(&next, premise)?;
            }
            (Rule::SplitEqual(a, b), [same, other]) => {
                if known.is_int(*a) || !known.same_sort(*a, *b) {
                    return Err("these are not two locations");
                }
                if s.exist.contains(a) || s.exist.contains(b) {
                    return Err("an existential variable has no cases");
                }
                let mut next = s.clone();
                next.left.equal.push((*a, *b));
                expect(&next, same)?;
                let mut next = s.clone();
                next.left.different.insert(ordered(*a, *b));
                expect(&next, other)?;
            }
            (Rule::SplitLinear(cases), premises) => self.split_linear(s, cases, premises)?,
            (Rule::Hypothesis { companion, using }, [premise]) => {
                let found = self.path.iter().rev().find(|(label, _, _)| label == companion);
                let Some((_, sequent, consumed)) = found else {
                    return Err("the companion is not on the way to the root");
                };
                // The part is strictly smaller than the heap that the companion was met with.
                if self.consumed <= *consumed && !self.leaves_a_cell(&s.left, using) {
                    return Err("the heap is not smaller than that of the companion");
                }
                expect(&self.using(s, sequent, using, premise)?, premise)?;
            }
            (Rule::Lemma { lemma, using }, [premise]) => {
                let sequent = self.lemmas.get(*lemma).ok_or("there is no such lemma")?;
                expect(&self.using(s, sequent, using, premise)?, premise)?;
            }
            (Rule::LemmaRight { lemma, call }, [premise]) => {
                let lemma = self.lemmas.get(*lemma).ok_or("there is no such lemma")?;
                self.on_the_right(s, lemma, *call, premise)?;
            }
            (Rule::ByLemma { lemma, rename }, []) => {
                let lemma = self.lemmas.get(*lemma).ok_or("there is no such lemma")?;
                self.by_lemma(s, lemma, rename)?;
            }
            _ => return Err("the number of premises is another one"),
        }
        Ok(0)
    }

    /// Nothing is left but what is pure, for some values of existential variables.
    fn axiom(&self, s: &Sequent) -> Result<(), &'static str> {
        let known = self.known;
        let done = s.right.is_empty()
            && (s.right.open || s.left.is_empty() && !s.left.open && s.right.gone.is_empty());
        if !done {
            return Err("there are atoms left");
        }
        let is_open = |v: &Var| s.exist.contains(v);
        if !s
            .right
            .equal
            .iter()
            .all(|(a, b)| a == b || !is_open(a) && !is_open(b) && known.are_equal(&s.left, *a, *b))
        {
            return Err("an equation does not follow");
        }
        // There are infinitely many locations: an existential one may be different from all others.
        let different = |(a, b): &(Var, Var)| {
            a != b && (is_open(a) || is_open(b) || known.are_different(&s.left, *a, *b))
        };
        if !s.right.different.iter().all(different) {
            return Err("a disequation does not follow");
        }
        let goals = linear::without(&s.right.linear, &s.exist);
        if !goals.is_some_and(|goals| linear::all_implied(&known.linear(&s.left), &goals)) {
            return Err("a constraint does not follow");
        }
        Ok(())
    }

    /// Equations on the right between what both sides hold.
    fn equate(&self, s: &mut Sequent, left: &[Var], right: &[Var]) -> Result<(), &'static str> {
        for (l, r) in left.iter().zip(right).filter(|(l, r)| l != r) {
            if !self.known.same_sort(*l, *r) {
                return Err("what both sides hold is of different sorts");
            }
            if self.known.is_int(*l) {
                let equation = Constraint::equal(&Sum::var(*l), &Sum::var(*r));
                s.right.linear.push(equation.ok_or("a number is too large")?);
            } else {
                s.right.equal.push((*l, *r));
            }
        }
        Ok(())
    }

    fn unfold_left(
        &self,
        s: &Sequent,
        place: usize,
        vars: &[Vec<Var>],
        premises: &[&Sequent],
    ) -> Result<(), &'static str> {
        let mut rest = s.clone();
        let call = take(&mut rest.left.calls, place)?;
        let cases = self.known.system.predicates.get(call.pred).map(|p| p.cases.len());
        if cases != Some(vars.len()) || vars.len() != premises.len() {
            return Err("there is not a premise for each case");
        }
        for (case, (vars, premise)) in vars.iter().zip(premises).enumerate() {
            are_new(s, vars)?;
            let heap = self.known.instance(&call, case, vars).ok_or("there is no such case")?;
            let mut next = rest.clone();
            next.left.add(heap);
            expect(&next, premise)?;
        }
        Ok(())
    }

    /// One of the constraints holds in every model.
    fn split_linear(
        &self,
        s: &Sequent,
        cases: &[Constraint],
        premises: &[&Sequent],
    ) -> Result<(), &'static str> {
        if cases.len() != premises.len() {
            return Err("there is not a premise for each case");
        }
        let mentions = |c: &Constraint| c.sum.factors.iter().any(|(v, _)| s.exist.contains(v));
        if cases.iter().any(mentions) {
            return Err("an existential variable has no cases");
        }
        let (last, others) = cases.split_last().ok_or("there are no cases")?;
        let negation = linear::otherwise(last).ok_or("a number is too large")?;
        let facts = self.known.linear(&s.left);
        for case in negation.iter().filter(|case| !others.contains(case)) {
            let mut with = facts.clone();
            with.push(case.clone());
            if !linear::contradictory(&with) {
                return Err("a case is missing");
            }
        }
        for (case, premise) in cases.iter().zip(premises) {
            let mut next = s.clone();
            next.left.linear.push(case.clone());
            expect(&next, premise)?;
        }
        Ok(())
    }

    /// Does what is not used certainly hold a cell?
    fn leaves_a_cell(&self, left: &Heap, using: &Use) -> bool {
        let cells = (0..left.cells.len()).any(|i| !using.cells.contains(&i));
        cells
            || left
                .calls
                .iter()
                .enumerate()
                .any(|(i, call)| !using.calls.contains(&i) && self.known.is_nonempty(call.pred))
    }

    /// What is left to be shown when a sequent is used for a part of the left side.
    fn using(
        &self,
        s: &Sequent,
        rule: &Sequent,
        using: &Use,
        premise: &Sequent,
    ) -> Result<Sequent, &'static str> {
        let known = self.known;
        let is = |v: Var| using.vars.iter().find(|(from, _)| *from == v).map_or(v, |(_, to)| *to);
        if rule.left.open {
            return Err("an open left side does not say what it takes");
        }
        if !using.vars.iter().all(|(a, b)| known.same_sort(*a, *b)) {
            return Err("a variable stands for something of another sort");
        }
        if (0..known.nils() as Var).any(|nil| is(nil) != nil) {
            return Err("`nil` stands for something else");
        }
        let new: Vec<Var> = rule.exist.iter().map(|v| is(*v)).collect();
        are_new(s, &new)?;
        let heap = rule.left.renamed(&is);
        if heap.vars().iter().any(|v| s.exist.contains(v) || new.contains(v)) {
            return Err("a left side mentions an existential variable");
        }
        let mut next = s.clone();
        let (mut cells, mut calls) = (Vec::new(), Vec::new());
        take_all(&mut next.left.cells, &using.cells, &mut cells)?;
        take_all(&mut next.left.calls, &using.calls, &mut calls)?;
        if sorted(&cells) != sorted(&heap.cells) || sorted(&calls) != sorted(&heap.calls) {
            return Err("the part is no instance of the left side");
        }
        // What it takes for allocated elsewhere is gone, or in what is not used.
        let mut elsewhere = next.left.gone.clone();
        elsewhere.extend(next.left.cells.iter().map(|cell| cell.addr));
        elsewhere
            .extend(next.left.calls.iter().flat_map(|call| known.roots(call).into_iter().take(1)));
        for v in &heap.gone {
            let place = elsewhere.iter().position(|w| w == v);
            elsewhere.remove(place.ok_or("a location is not known to be elsewhere")?);
        }
        let pure = heap.equal.iter().all(|(a, b)| known.are_equal(&s.left, *a, *b))
            && heap.different.iter().all(|(a, b)| known.are_different(&s.left, *a, *b))
            && linear::all_implied(&known.linear(&s.left), &heap.linear);
        if !pure {
            return Err("what it is used for does not follow");
        }
        let right = rule.right.renamed(&is);
        // The part is the same heap as what it is replaced by.
        let part = Heap { cells, calls, ..Heap::default() };
        let mut facts = known.linear(&s.left);
        facts.extend(known.linear(&right));
        facts.extend(known.same_cells(&part, &right));
        next.left.add(right);
        let more = premise.left.linear.iter().filter(|c| !next.left.linear.contains(c));
        let more: Vec<Constraint> = more.cloned().collect();
        if !linear::all_implied(&facts, &more) {
            return Err("a constraint does not follow");
        }
        next.left.linear.extend(more);
        Ok(next)
    }

    /// An instance on the right in place of one that it entails.
    fn on_the_right(
        &self,
        s: &Sequent,
        lemma: &Sequent,
        call: usize,
        premise: &Sequent,
    ) -> Result<(), &'static str> {
        let ([from], [to]) = (lemma.left.calls.as_slice(), lemma.right.calls.as_slice()) else {
            return Err("the lemma is not about instances");
        };
        let bare = |heap: &Heap| Heap { calls: heap.calls.clone(), ..Heap::default() } == *heap;
        let distinct: BTreeSet<&Var> = from.args.iter().collect();
        if !bare(&lemma.left)
            || !bare(&lemma.right)
            || !lemma.exist.is_empty()
            || from.args != to.args
            || distinct.len() != from.args.len()
            || distinct.iter().any(|v| (**v as usize) < self.known.nils())
        {
            return Err("the lemma is not about all instances");
        }
        let mut next = s.clone();
        let instance = next.right.calls.get_mut(call).ok_or("there is no such instance")?;
        if instance.pred != to.pred {
            return Err("the lemma is about another predicate");
        }
        instance.pred = from.pred;
        expect(&next, premise)
    }

    /// A lemma under other names, and perhaps more.
    fn by_lemma(
        &self,
        s: &Sequent,
        lemma: &Sequent,
        rename: &[(Var, Var)],
    ) -> Result<(), &'static str> {
        let is = |v: Var| rename.iter().find(|(from, _)| *from == v).map_or(v, |(_, to)| *to);
        if !rename.iter().all(|(a, b)| self.known.same_sort(*a, *b))
            || (0..self.known.nils() as Var).any(|nil| is(nil) != nil)
        {
            return Err("a variable stands for something of another sort");
        }
        // What does not occur need not be kept.
        let mentioned = lemma.right.vars();
        let own: Vec<Var> = lemma.exist.iter().copied().filter(|v| mentioned.contains(v)).collect();
        let exist: BTreeSet<Var> = own.iter().map(|v| is(*v)).collect();
        let mut others = lemma.left.vars();
        others.extend(lemma.right.vars());
        others.retain(|v| !lemma.exist.contains(v));
        if exist.len() != own.len() || others.iter().any(|v| exist.contains(&is(*v))) {
            return Err("existential variables are not kept apart");
        }
        let instance =
            Sequent { left: lemma.left.renamed(&is), right: lemma.right.renamed(&is), exist };
        follows(self.known, s, &instance, &Consequence::default())
    }

    /// `ls(x, y) * L |- ls(x, z) * R` from `L |- ls(y, z) * R`: two segments one after the other are one,
    /// unless the end of the second is inside of the first. Says whether the first holds a cell.
    fn append(
        &self,
        s: &Sequent,
        left: usize,
        right: usize,
    ) -> Result<(Sequent, usize), &'static str> {
        let known = self.known;
        let mut next = s.clone();
        let first = take(&mut next.left.calls, left)?;
        let whole = next.right.calls.get_mut(right).ok_or("there is no such instance")?;
        if first.pred != whole.pred {
            return Err("the instances are not of the same predicate");
        }
        let (root, end) = self.segment(first.pred).ok_or("the predicate is no plain segment")?;
        let arg = |args: &[Var], place: usize| args.get(place).copied().unwrap_or_default();
        let (x, y) = (arg(&first.args, root), arg(&first.args, end));
        let z = arg(&whole.args, end);
        if arg(&whole.args, root) != x {
            return Err("the segments do not start at the same location");
        }
        if s.exist.contains(&z) {
            return Err("the end of the segment is not known");
        }
        if let Some(start) = whole.args.get_mut(root) {
            *start = y;
        }
        // A segment that has `z` inside is not empty and does not end there; it holds `z`, and `x`.
        let inside = |closure: &mut Closure| {
            closure.separate(x, y);
            closure.separate(z, y);
            closure.allocate(z);
        };
        let first_cell = |closure: &mut Closure| {
            inside(closure);
            closure.equate(x, z);
        };
        let later = |closure: &mut Closure| {
            inside(closure);
            closure.allocate(x);
        };
        if !known.contradicts(&next.left, first_cell) || !known.contradicts(&next.left, later) {
            return Err("the end may be inside of the segment before");
        }
        Ok((next, 0))
    }

    /// The parameters for the beginning and the end of a segment: `a = b`, or `a != b` and `a` points to a
    /// segment that ends at `b`.
    fn segment(&self, pred: usize) -> Option<(usize, usize)> {
        let predicate = self.known.system.predicates.get(pred)?;
        let nils = self.known.nils();
        let [empty, step] = predicate.cases.as_slice() else { return None };
        let (empty, step) = if empty.cells.is_empty() { (empty, step) } else { (step, empty) };
        let params = [nils as Var, nils as Var + 1];
        let pair = |pairs: &[(Var, Var)]| match pairs {
            [(a, b)] => ordered(*a, *b) == (params[0], params[1]),
            _ => false,
        };
        let [cell] = step.cells.as_slice() else { return None };
        let [call] = step.calls.as_slice() else { return None };
        let [next] = cell.fields.as_slice() else { return None };
        let root = (cell.addr as usize).checked_sub(nils)?;
        let end = 1_usize.checked_sub(root)?;
        // That a location is not `nil` goes without saying, but may be said.
        let is_nil = |(a, b): &(Var, Var)| {
            let (a, b) = ordered(*a, *b);
            (a as usize) < nils && b == cell.addr
        };
        let is_segment = predicate.params.len() == 2
            && pair(&empty.equal)
            && empty.different.is_empty()
            && empty.linear.is_empty()
            && empty.cells.is_empty()
            && empty.calls.is_empty()
            && step.different.iter().any(|p| pair(&[*p]))
            && step.different.iter().all(|p| pair(&[*p]) || is_nil(p))
            && step.equal.is_empty()
            && step.linear.is_empty()
            && step.sorts.len() == step.free + 1
            && *next as usize == step.free
            && call.pred == pred
            && call.args.get(root) == Some(next)
            && call.args.get(end).copied() == params.get(end).copied();
        is_segment.then_some((root, end))
    }
}

/// Takes the one at this place.
fn take<T>(all: &mut Vec<T>, place: usize) -> Result<T, &'static str> {
    if place < all.len() { Ok(all.remove(place)) } else { Err("there is no such atom") }
}

/// Takes those at these places, each once.
fn take_all<T: Clone>(
    all: &mut Vec<T>,
    places: &[usize],
    taken: &mut Vec<T>,
) -> Result<(), &'static str> {
    let distinct: BTreeSet<usize> = places.iter().copied().collect();
    if distinct.len() != places.len() {
        return Err("an atom is used twice");
    }
    for place in distinct.into_iter().rev() {
        taken.push(take(all, place)?);
    }
    Ok(())
}

/// Are these variables different from each other and from all that occur?
fn are_new(s: &Sequent, vars: &[Var]) -> Result<(), &'static str> {
    let mut known = s.left.vars();
    known.extend(s.right.vars());
    known.extend(&s.exist);
    if vars.iter().all(|v| known.insert(*v)) { Ok(()) } else { Err("a variable is not new") }
}

/// The premise may know that a root of an instance that was taken away is allocated elsewhere.
fn with_gone(next: &mut Sequent, premise: &Sequent, roots: &[Var]) -> Result<(), &'static str> {
    if premise.left.gone.len() > next.left.gone.len() {
        let last = premise.left.gone.last().copied();
        match last.filter(|v| roots.contains(v)) {
            Some(root) => next.left.gone.push(root),
            None => return Err("a location is not known to be elsewhere"),
        }
    }
    Ok(())
}

fn sorted<T: Ord>(all: &[T]) -> Vec<&T> {
    let mut all: Vec<&T> = all.iter().collect();
    all.sort();
    all
}

/// Is this the premise, whatever the order?
fn expect(next: &Sequent, premise: &Sequent) -> Result<(), &'static str> {
    let same = |a: &Heap, b: &Heap| {
        let pairs = |heap: &Heap| -> BTreeSet<(Var, Var)> {
            heap.equal.iter().map(|(a, b)| ordered(*a, *b)).collect()
        };
        let linear =
            |heap: &Heap| -> BTreeSet<Constraint> { heap.linear.iter().cloned().collect() };
        sorted(&a.cells) == sorted(&b.cells)
            && sorted(&a.calls) == sorted(&b.calls)
            && sorted(&a.gone) == sorted(&b.gone)
            && a.different == b.different
            && pairs(a) == pairs(b)
            && linear(a) == linear(b)
            && a.open == b.open
    };
    if next.exist == premise.exist
        && same(&next.left, &premise.left)
        && same(&next.right, &premise.right)
    {
        Ok(())
    } else {
        Err("the premise is another one")
    }
}
