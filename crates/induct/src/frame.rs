//! Frames, read off proofs: what `H |- G * true` does not use.
//!
//! Where a proof of `H |- G * true` ends with an axiom, what is left on the left side is the residue: `G`
//! has taken its part. With several leaves (the left side was unfolded, or cases were split) each is a
//! disjunct. Variables that came up on the way are existential. The residue is a guess: a proof may have
//! used what it dropped. So every frame is confirmed by a proof of `H |- G * F` before it is returned. Then it
//! is made as strong as `H` is on which locations are different.

use std::collections::{BTreeMap, BTreeSet};

use sl::core::sequent::ordered;
use sl::core::{Assertion, Heap, Pure, Scope, SortId, SymHeap, Var};
use sl::procedure::{Meter, Unknown};
use sl::proof::{Derivation, Rule, Tree};
use sl::{Inference, Limit, Proof, Reason, Sort};

use crate::decide::{AT_ONCE, EFFORTS, FIRST_EFFORT, LAST_EFFORT, Question, proof_later};

/// More leaves than this are not made a disjunction.
const MAX_LEAVES: usize = 8;
/// Of more variables than this frames only say what `H` says in so many words.
const MAX_TOLD_APART: usize = 12;

/// The frame of each disjunct of `H`, or a model of `H` of which no part is one of `G`.
pub(crate) fn frame(
    scope: &Scope,
    h: &Assertion,
    g: &Assertion,
    meter: &Meter,
) -> Result<Inference, Unknown> {
    let rights = g.heaps()?;
    let open: Vec<SymHeap> = rights.iter().map(|right| opened(right.clone())).collect();
    let part = Assertion::from(open.clone());
    let mut all: Vec<SymHeap> = Vec::new();
    for left in h.heaps()? {
        let whole = Assertion::from(left);
        // Short proofs first, then counterexamples, as for entailments.
        let attempt = |efforts: &[(u32, u64)], variants: bool| -> Result<_, Reason> {
            for (right, open) in rights.iter().zip(&open) {
                let question = Attempt { scope, whole: &whole, left, right, meter };
                if let Some(frame) = question.frame(open, efforts, variants)? {
                    return Ok(Some(frame));
                }
            }
            Ok(None)
        };
        let found = match attempt(&[AT_ONCE], false)? {
            Some(found) => found,
            None => {
                let question = Question::new(scope, &whole, Some(&part), meter)?;
                if let Some(model) = question.refuted(FIRST_EFFORT) {
                    return Ok(Inference::Nothing(Some(model)));
                }
                match attempt(&EFFORTS, true)? {
                    Some(found) => found,
                    None => {
                        return match question.refuted(LAST_EFFORT) {
                            Some(model) => Ok(Inference::Nothing(Some(model))),
                            None => Err(meter.limit().unwrap_or(Limit::NoFrame).into()),
                        };
                    }
                }
            }
        };
        let vars = locations(scope, h, g);
        for frame in found {
            let frame = strengthened(scope, &vars, &whole, frame, meter)?;
            if !all.contains(&frame) {
                all.push(frame);
            }
        }
    }
    let frame = Assertion::from(all);
    let proof = proof_later(scope.clone(), h.clone(), g.star(scope, &frame)?);
    Ok(Inference::Found(frame, Proof::Later(proof)))
}

/// The locations that are free in either, with the `nil`s of their sorts at the end; none if there are
/// many.
fn locations(scope: &Scope, h: &Assertion, g: &Assertion) -> Vec<(Var, SortId)> {
    let mut vars = h.free_vars(scope);
    vars.extend(g.free_vars(scope));
    vars.sort_unstable();
    vars.dedup();
    let is_loc = |sort: &SortId| scope.core().sorts().get(*sort).is_some_and(Sort::is_loc);
    let sorted = vars.into_iter().filter_map(|var| Some((var, scope.sort(var).filter(is_loc)?)));
    let mut all: Vec<(Var, SortId)> = sorted.collect();
    if all.len() > MAX_TOLD_APART {
        return Vec::new();
    }
    let sorts: BTreeSet<SortId> = all.iter().map(|(_, sort)| *sort).collect();
    all.extend(sorts.into_iter().map(|sort| (scope.nil(sort), sort)));
    all
}

/// The frame with all that `H` says of which of these locations are different, but for what the frame says
/// itself: what `G` takes away is not forgotten.
fn strengthened(
    scope: &Scope,
    vars: &[(Var, SortId)],
    whole: &Assertion,
    mut frame: SymHeap,
    meter: &Meter,
) -> Result<SymHeap, Reason> {
    // What it says already is said in the same order.
    let is_about = |var: Var| vars.iter().any(|(known, _)| *known == var);
    let mut said = BTreeSet::new();
    frame.retain_pure(|atom| match atom {
        Pure::Different(a, b) if is_about(a) && is_about(b) => {
            said.insert(ordered(a, b));
            false
        }
        _ => true,
    });
    for (place, (a, sort)) in vars.iter().enumerate() {
        let others = vars.iter().skip(place + 1).filter(|(_, of)| of == sort && !scope.is_nil(*a));
        for (b, _) in others {
            let goal = Assertion::from(opened(SymHeap::different(*a, *b)));
            let follows = |from: &Assertion| {
                let question = Question::new(scope, from, Some(&goal), meter)?;
                Ok::<bool, Reason>(question.proved(&[AT_ONCE], false).is_some())
            };
            let is_said = said.contains(&ordered(*a, *b));
            if is_said || !follows(&Assertion::from(&frame))? && follows(whole)? {
                frame.add_different(*a, *b);
            }
        }
    }
    Ok(frame)
}

fn opened(mut heap: SymHeap) -> SymHeap {
    heap.set_open(true);
    heap
}

/// The frame of one symbolic heap without another.
struct Attempt<'a> {
    scope: &'a Scope,
    whole: &'a Assertion,
    left: &'a SymHeap,
    right: &'a SymHeap,
    meter: &'a Meter,
}

impl Attempt<'_> {
    /// The disjuncts of a frame that is right.
    fn frame(
        &self,
        open: &SymHeap,
        efforts: &[(u32, u64)],
        variants: bool,
    ) -> Result<Option<Vec<SymHeap>>, Reason> {
        // `G * true` takes all that there is.
        if self.right.is_open() {
            let found = self.is_right(&[SymHeap::emp()], efforts)?;
            return Ok(found.then(|| vec![SymHeap::emp()]));
        }
        let part = Assertion::from(open);
        let question = Question::new(self.scope, self.whole, Some(&part), self.meter)?;
        let Some(derivations) = question.proved(efforts, variants) else { return Ok(None) };
        let [derivation] = derivations.as_slice() else { return Ok(None) };
        let mut leaves = Vec::new();
        let start = Path::default();
        if !residues(&derivation.tree, &start, &mut leaves) || leaves.len() > MAX_LEAVES {
            return Ok(None);
        }
        let frame = |heap: &Heap, cases: bool| self.residue(derivation, &question, heap, cases);
        // One residue may do for all cases.
        for leaf in &leaves {
            let Some(simple) = frame(leaf, false) else { continue };
            if self.is_right(std::slice::from_ref(&simple), efforts)? {
                return Ok(Some(vec![simple]));
            }
        }
        let all: Option<Vec<SymHeap>> = leaves.iter().map(|leaf| frame(leaf, true)).collect();
        match all {
            Some(all) if self.is_right(&all, efforts)? => Ok(Some(all)),
            _ => Ok(None),
        }
    }

    /// Is there a proof of `H |- G * F`?
    fn is_right(&self, frame: &[SymHeap], efforts: &[(u32, u64)]) -> Result<bool, Reason> {
        let wholes: Vec<SymHeap> =
            frame.iter().map(|frame| self.right.clone().star(frame)).collect();
        let wholes = Assertion::from(wholes);
        let question = Question::new(self.scope, self.whole, Some(&wholes), self.meter)?;
        Ok(question.proved(efforts, true).is_some())
    }

    /// What is left, with what `H` says of variables; `cases` says whether also what holds at the leaf.
    fn residue(
        &self,
        derivation: &Derivation,
        question: &Question<'_>,
        leaf: &Heap,
        cases: bool,
    ) -> Option<SymHeap> {
        let free = question.free_vars();
        let nils = self.scope.nils();
        let mut frame = SymHeap::emp();
        let mut fresh: BTreeMap<Var, Var> = BTreeMap::new();
        let mut number = |frame: &mut SymHeap, var: Var| -> Var {
            match (var as usize).checked_sub(nils) {
                None => var,
                Some(place) => free.get(place).copied().unwrap_or_else(|| {
                    let sort: SortId = derivation.sorts.get(var as usize).copied().unwrap_or(0);
                    *fresh.entry(var).or_insert_with(|| frame.fresh(sort))
                }),
            }
        };
        for cell in &leaf.cells {
            let addr = number(&mut frame, cell.addr);
            let fields: Vec<Var> = cell.fields.iter().map(|v| number(&mut frame, *v)).collect();
            frame.add_cell(addr, fields);
        }
        for call in &leaf.calls {
            let args: Vec<Var> = call.args.iter().map(|v| number(&mut frame, *v)).collect();
            frame.add_call(question.origin(call.pred)?, args);
        }
        frame.set_open(leaf.open);
        let spatial = frame.existentials().len();
        for (a, b) in &leaf.equal {
            let (a, b) = (number(&mut frame, *a), number(&mut frame, *b));
            frame.add_equal(a, b);
        }
        for (a, b) in &leaf.different {
            let (a, b) = (number(&mut frame, *a), number(&mut frame, *b));
            frame.add_different(a, b);
        }
        for constraint in &leaf.linear {
            let vars = constraint.sum.factors.iter().map(|(var, _)| *var);
            let known: BTreeMap<Var, Var> =
                vars.map(|var| (var, number(&mut frame, var))).collect();
            frame.add_linear(constraint.renamed(&|var| known.get(&var).copied().unwrap_or(var)));
        }
        // What is only said of variables that the heap does not mention says little. Without cases, what
        // is said of the stack is what `H` says.
        let index = sl::core::symheap::index;
        frame.retain_pure(|atom| {
            let (mut is_about_heap, mut is_known) = (false, true);
            for_each_var(atom, |var| {
                is_about_heap |= index(var).is_some();
                is_known &= index(var).is_none_or(|place| place < spatial);
            });
            is_known && (cases || is_about_heap)
        });
        let mut facts = SymHeap::emp();
        self.left.for_each_pure(&mut |atom| {
            let mut is_free = true;
            for_each_var(atom, |var| is_free &= index(var).is_none());
            if is_free {
                facts.add_pure(atom);
            }
        });
        Some(facts.star(&frame).without_duplicates().without_aliases())
    }
}

fn for_each_var(atom: Pure<'_>, mut f: impl FnMut(Var)) {
    match atom {
        Pure::Equal(a, b) | Pure::Different(a, b) => {
            f(a);
            f(b);
        }
        Pure::Linear(constraint) => constraint.sum.factors.iter().for_each(|(v, _)| f(*v)),
    }
}

/// The way from the root of a proof.
#[derive(Clone, Default)]
struct Path {
    /// What variables are called at the root, where that is something else.
    names: BTreeMap<Var, Var>,
    /// What is known of variables, also if it was forgotten later.
    facts: Heap,
}

impl Path {
    fn at_root(&self, heap: &Heap) -> Heap {
        heap.renamed(&|var| self.names.get(&var).copied().unwrap_or(var))
    }
}

/// What is left where a proof ends, with the variables of the root. `false` if that is not to be seen.
fn residues(tree: &Tree, path: &Path, leaves: &mut Vec<Heap>) -> bool {
    let mut here = path.clone();
    let Heap { cells, calls, equal, different, linear, open, .. } =
        path.at_root(&tree.sequent.left);
    here.facts.equal.extend(equal.into_iter().filter(|pair| !path.facts.equal.contains(pair)));
    here.facts.add(Heap { different, linear, ..Heap::default() });
    match &tree.rule {
        Rule::Contradiction => return true,
        Rule::Axiom => {
            leaves.push(Heap { cells, calls, open, ..here.facts });
            return true;
        }
        // Something less is left of what they are used for.
        Rule::Hypothesis { .. } | Rule::ByLemma { .. } => return false,
        Rule::Consequence(consequence) => {
            let root = |var: &Var| path.names.get(var).copied().unwrap_or(*var);
            let instance = consequence.instance.iter();
            here.names.extend(instance.map(|(premise, conclusion)| (*premise, root(conclusion))));
        }
        Rule::Define { .. }
        | Rule::MatchCell { .. }
        | Rule::MatchCall { .. }
        | Rule::Append { .. }
        | Rule::UnfoldLeft { .. }
        | Rule::UnfoldRight { .. }
        | Rule::SplitEqual(..)
        | Rule::SplitLinear(_)
        | Rule::Lemma { .. }
        | Rule::LemmaRight { .. } => {}
    }
    tree.premises.iter().all(|premise| residues(premise, &here, leaves))
}
