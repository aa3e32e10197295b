//! Proofs are accepted; changed ones are not, unless what they say still holds.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::collections::{BTreeMap, HashSet};

use induct::Induct;
use lists::Lists;
use report::FileId;
use sl::ask;
use sl::core::sequent::ordered;
use sl::core::{Assertion, Call, Heap, Scope, Sequent, SymHeap, Var};
use sl::proof::{Derivation, Rule, Tree};
use sl::{Answer, Budget, Defs, Entailment, Formula, Inference, Procedure, Proof, Semantics};
use testing::Random;

const DEFINITIONS: &str = "
    pred lseg(x, y) := x = y || exists u. x |-> u * lseg(u, y);
    pred lsegp(x, y) := x |-> y || exists u. x |-> u * lsegp(u, y);
    pred odd(x, y) := x |-> y || exists u, v. x |-> u * u |-> v * odd(v, y);
    pred even(x, y) := x = y || exists u, v. x |-> u * u |-> v * even(v, y);
    pred back(x, y) := x |-> y || exists u. back(x, u) * u |-> y; ";
/// What goes without saying.
const SAID: &str = "pred sls(x, y) := x = y || exists u. x != nil * x != y * x |-> u * sls(u, y); ";
const TREES: &str = "
    pred tree(x) := x = nil || exists l, r. x |-> {left: l, right: r} * tree(l) * tree(r);
    pred left(x, y) := x = y || exists l, r. x |-> {left: l, right: r} * left(l, y) * tree(r); ";
const DOUBLY: &str = "
    pred dll(f, p, l, n) := f = n * p = l ||
        exists u. f |-> {next: u, prev: p} * dll(u, f, l, n); ";
const SIZED: &str = "
    pred len(x, n: Int) := x = nil * n = 0 || exists u, m: Int. x |-> u * n = m + 1 * len(u, m); ";

/// Entailments that are valid.
const VALID: [(&str, &str, &str); 21] = [
    ("", "x != z * x |-> y * ls(y, z)", "ls(x, z)"),
    ("", "ls(x, y) * ls(y, nil)", "ls(x, nil)"),
    ("", "ls(x, y) * ls(y, z) * z |-> w", "ls(x, z) * z |-> w"),
    ("", "ls(x, y) * ls(x, z) * y != z * ls(z, nil) * ls(y, nil)", "ls(x, nil) * true"),
    ("", "ls(x, y) * x |-> y * y |-> z", "ls(x, x) * ls(y, y) * x |-> y * y |-> z"),
    ("", "ls(x, y) * ls(y, z) * ls(z, w) * z != w", "ls(x, z) * ls(z, w)"),
    ("", "x |-> y * ls(y, z) * x |-> w", "ls(w, x)"),
    (SAID, "sls(x, y) * y |-> z * sls(z, nil)", "sls(x, z) * sls(z, nil)"),
    (SAID, "sls(x, y) * x != y * sls(y, z) * z |-> w", "sls(x, z) * z |-> w"),
    (DEFINITIONS, "lseg(x, y) * lseg(y, z)", "lseg(x, z)"),
    (DEFINITIONS, "lsegp(x, y) * lsegp(y, z)", "lsegp(x, z)"),
    (DEFINITIONS, "odd(x, y) * odd(y, z)", "even(x, z)"),
    (DEFINITIONS, "even(x, y)", "lseg(x, y)"),
    (DEFINITIONS, "odd(x, y)", "lsegp(x, y)"),
    (DEFINITIONS, "lsegp(x, y)", "exists u. x |-> u * lseg(u, y)"),
    (DEFINITIONS, "lsegp(x, y)", "back(x, y)"),
    (DEFINITIONS, "back(x, y)", "lsegp(x, y)"),
    (TREES, "left(x, y) * tree(y)", "tree(x)"),
    (TREES, "left(x, y) * left(y, z)", "left(x, z)"),
    (DOUBLY, "dll(a, p, b, m) * dll(m, b, l, n)", "dll(a, p, l, n)"),
    (SIZED, "len(x, n) * n > 1", "exists u, m: Int. x |-> u * len(u, m) * m + 1 = n"),
];

/// Heaps, and what is taken away from them.
const FRAMES: [(&str, &str, &str); 9] = [
    ("", "x |-> y * ls(y, nil)", "x |-> y"),
    ("", "x |-> y * ls(y, z) * z |-> w", "ls(x, z)"),
    ("", "ls(x, nil) * x != nil", "exists y. x |-> y"),
    ("", "x |-> y * z |-> y || x |-> z * z |-> z", "exists u. x |-> u"),
    (TREES, "x |-> {left: a, right: b} * tree(a) * tree(b)", "tree(a)"),
    (TREES, "x != nil * tree(x) * tree(y)", "exists l, r. x |-> {left: l, right: r}"),
    (TREES, "left(x, y) * tree(y) * tree(z)", "left(x, y) * tree(z)"),
    (DOUBLY, "dll(a, p, b, m) * dll(m, b, l, n) * a != m", "dll(m, b, l, n)"),
    (SIZED, "len(x, n) * len(y, m) * 0 < n", "exists u. x |-> u"),
];

fn parsed(definitions: &str, left: &str, right: &str) -> (Defs, Vec<Formula>) {
    let text = format!("{definitions}{left}");
    let files = [(FileId(0), text.as_str()), (FileId(1), right)];
    let document = sl::text::parse(&files).unwrap_or_else(|e| panic!("{left}: {}", e.message));
    (Defs::new(document.signature.clone(), Semantics::Precise), document.formulas)
}

/// A frame with its proof.
struct Framed {
    defs: Defs,
    scope: Scope,
    h: Assertion,
    g: Assertion,
    frame: Assertion,
    proof: Proof,
    question: String,
}

impl Framed {
    fn all() -> Vec<Framed> {
        FRAMES.map(|(definitions, h, g)| Framed::new(definitions, h, g)).into()
    }

    fn new(definitions: &str, h: &str, g: &str) -> Framed {
        let question = format!("the frame of {h} without {g}");
        let (defs, formulas) = parsed(definitions, h, g);
        let [h, g] = formulas.as_slice() else { panic!() };
        let (scope, h, g) = ask::lowered(&defs, h, g);
        let answer = Induct.frame(&scope, &h, &g, &mut Budget::default());
        let Answer::Decided(Inference::Found(frame, found)) = answer else {
            panic!("{question}: {answer:?}");
        };
        let proof = Proof::Derivations(found.derivations().unwrap());
        Framed { defs, scope, h, g, frame, proof, question }
    }

    fn is_accepted(&self, g: &Assertion, frame: &Assertion) -> bool {
        proof::check_frame(&self.scope, &self.h, g, frame, &self.proof).is_ok()
    }
}

fn proofs() -> Vec<(Defs, String, Vec<Derivation>)> {
    let mut all = Vec::new();
    for framed in Framed::all() {
        assert!(framed.is_accepted(&framed.g, &framed.frame), "{}", framed.question);
        all.push((framed.defs, framed.question, framed.proof.derivations().unwrap().to_vec()));
    }
    for (definitions, left, right) in VALID {
        let (defs, formulas) = parsed(definitions, left, right);
        let [h, g] = formulas.as_slice() else { panic!() };
        let procedures: [&mut dyn Procedure; 2] = [&mut Lists, &mut Induct];
        let mut proved = 0;
        for procedure in procedures {
            let (scope, h, g) = ask::lowered(&defs, h, g);
            let answer = procedure.entails(&scope, &h, &g, &mut Budget::default());
            let Answer::Decided(Entailment::Valid(proof)) = answer else { continue };
            proof::check_entailment(&scope, &h, &g, &proof)
                .unwrap_or_else(|fault| panic!("{left} |= {right}: {fault}"));
            let derivations = proof.derivations().unwrap();
            assert!(!proof::text::print(&derivations).is_empty());
            assert!(proof::svg::draw(&derivations).ends_with("</svg>\n"));
            all.push((defs.clone(), format!("{left} |= {right}"), derivations.to_vec()));
            proved += 1;
        }
        assert!(proved > 0, "{left} |= {right} is not proved");
    }
    all
}

#[test]
fn proofs_are_accepted() {
    proofs();
}

/// A proof of a frame is one of this frame only, without this part of the heap only.
#[test]
fn proofs_of_other_frames_are_rejected() {
    let mut random = Random::new(0x5eed_0016);
    for framed in Framed::all() {
        let Framed { scope, g, frame, question, .. } = &framed;
        // What is said twice, or the other way round, is the same.
        let whole = |g: &Assertion, frame: &Assertion| -> Vec<Heap> {
            let both = g.star(scope, frame).unwrap();
            let atoms = |heap: &SymHeap| {
                let different = heap.disequations().iter().map(|(a, b)| ordered(*a, *b));
                Heap { different: different.collect(), ..heap.clone().without_duplicates().atoms() }
            };
            both.heaps().unwrap().iter().map(atoms).collect()
        };
        let right = whole(g, frame);
        let mut tried = 0;
        while tried < 400 {
            let (g, frame) = match tried % 2 {
                0 => (g.clone(), changed(&mut random, scope, frame)),
                _ => (changed(&mut random, scope, g), frame.clone()),
            };
            // What entails one of several disjuncts entails them all.
            let now = whole(&g, &frame);
            if now == right || matches!(right.as_slice(), [only] if now.contains(only)) {
                continue;
            }
            assert!(!framed.is_accepted(&g, &frame), "{question}: {frame:?} without {g:?}");
            tried += 1;
        }
        assert!(!framed.is_accepted(g, &Assertion::never()), "{question}: false");
    }
}

/// Another assertion: an atom more or less, another variable, a disjunct more or less.
fn changed(random: &mut Random, scope: &Scope, assertion: &Assertion) -> Assertion {
    let mut heaps = assertion.heaps().unwrap().to_vec();
    let free: Vec<Var> = (0..).take_while(|v| scope.sort(*v).is_some()).collect();
    let place = random.below(heaps.len());
    let mut any = || free[random.below(free.len())];
    let (a, b, c) = (any(), any(), any());
    match random.below(8) {
        0 => {
            heaps.remove(place);
        }
        1 => heaps.push(SymHeap::equal(a, b)),
        2 => heaps[place].add_equal(a, b),
        3 => heaps[place].add_different(a, b),
        4 => heaps[place].add_cell(a, [b, c]),
        5 if !heaps[place].calls().is_empty() => {
            let call = random.below(heaps[place].calls().len());
            let Call { pred, mut args } = heaps[place].remove_call(call).unwrap();
            let at = random.below(args.len());
            args[at] = if args[at] == a { b } else { a };
            heaps[place].add_call(pred, args);
        }
        6 if !heaps[place].cells().is_empty() => {
            heaps[place].remove_cell(0);
        }
        _ => {
            let open = heaps[place].is_open();
            heaps[place].set_open(!open);
        }
    }
    heaps.into()
}

fn node(tree: &mut Tree, number: usize) -> &mut Tree {
    if number == 0 {
        return tree;
    }
    let mut rest = number - 1;
    let at = tree.premises.iter().position(|premise| {
        let size = premise.size();
        let here = rest < size;
        if !here {
            rest -= size;
        }
        here
    });
    node(&mut tree.premises[at.unwrap()], rest)
}

/// Changes a side of a sequent a little.
fn change_heap(random: &mut Random, heap: &mut Heap, vars: &[Var]) {
    let any = |random: &mut Random| vars[random.below(vars.len())];
    match random.below(9) {
        0 if !heap.cells.is_empty() => {
            heap.cells.remove(random.below(heap.cells.len()));
        }
        1 if !heap.calls.is_empty() => {
            heap.calls.remove(random.below(heap.calls.len()));
        }
        2 if !heap.cells.is_empty() => {
            let at = random.below(heap.cells.len());
            heap.cells[at].addr = any(random);
        }
        3 if !heap.cells.is_empty() => {
            let at = random.below(heap.cells.len());
            let field = random.below(heap.cells[at].fields.len());
            heap.cells[at].fields[field] = any(random);
        }
        4 if !heap.calls.is_empty() => {
            let at = random.below(heap.calls.len());
            let arg = random.below(heap.calls[at].args.len());
            heap.calls[at].args[arg] = any(random);
        }
        5 => heap.equal.push((any(random), any(random))),
        6 => {
            let pair = (any(random), any(random));
            heap.different.insert((pair.0.min(pair.1), pair.0.max(pair.1)));
        }
        7 => heap.gone.push(any(random)),
        _ if !heap.linear.is_empty() => {
            let at = random.below(heap.linear.len());
            heap.linear[at].sum.constant += [1, -1, 2][random.below(3)];
        }
        _ => {
            heap.gone.pop();
        }
    }
}

/// Changes one node: its rule, its companion or its sequent.
fn mutate(random: &mut Random, derivation: &mut Derivation) -> &'static str {
    let count = derivation.tree.size();
    let lemmas = derivation.lemmas.len();
    let in_lemma = lemmas > 0 && random.below(3) == 0;
    let vars: Vec<Var> = (0..derivation.sorts.len() as Var).collect();
    let tree = if in_lemma {
        let lemma = random.below(lemmas);
        &mut derivation.lemmas[lemma]
    } else {
        &mut derivation.tree
    };
    let number = random.below(if in_lemma { tree.size() } else { count });
    let other = node(tree, random.below(tree.size().min(number + 1))).clone();
    let tree = node(tree, number);
    let kind = random.below(8);
    match kind {
        0 => tree.rule = other.rule,
        1 => tree.premises = other.premises,
        2 => tree.label = Some(random.below(6) as u32),
        3 => match &mut tree.rule {
            Rule::Hypothesis { companion, using } => match random.below(3) {
                0 => *companion = random.below(6) as u32,
                1 => using.calls = vec![random.below(2)],
                _ => {
                    let at = random.below(using.vars.len());
                    using.vars[at].1 = vars[random.below(vars.len())];
                }
            },
            Rule::Lemma { lemma, .. } | Rule::ByLemma { lemma, .. } => {
                *lemma = random.below(lemmas + 1);
            }
            Rule::UnfoldLeft { vars: new, .. } => {
                new.pop();
                tree.premises.pop();
            }
            Rule::UnfoldRight { case, .. } => *case = 1 - *case,
            Rule::MatchCall { left, .. } | Rule::MatchCell { left, .. } => *left += 1,
            Rule::SplitEqual(a, b) => *a = *b,
            rule => *rule = [Rule::Axiom, Rule::Contradiction][random.below(2)].clone(),
        },
        4 => {
            let Sequent { exist, .. } = &mut tree.sequent;
            exist.insert(vars[random.below(vars.len())]);
        }
        5 | 6 => change_heap(random, &mut tree.sequent.left, &vars),
        _ => change_heap(random, &mut tree.sequent.right, &vars),
    }
    ["rule", "premises", "label", "argument", "existential", "left", "left", "right"][kind]
}

/// Are the sequents of a derivation true that are not those of another? Small heaps are all tried.
fn all_hold(derivation: &Derivation, before: &Derivation, defs: &Defs) -> bool {
    let old: HashSet<&Sequent> = sequents(before).collect();
    sequents(derivation).filter(|s| !old.contains(s)).all(|s| holds(derivation, s, defs))
}

fn sequents(derivation: &Derivation) -> impl Iterator<Item = &Sequent> {
    let mut open: Vec<&Tree> = vec![&derivation.tree];
    open.extend(&derivation.lemmas);
    std::iter::from_fn(move || {
        let tree = open.pop()?;
        open.extend(&tree.premises);
        Some(&tree.sequent)
    })
}

/// Has a sequent no counterexample among the small heaps? What is gone are cells on both sides.
fn holds(derivation: &Derivation, s: &Sequent, defs: &Defs) -> bool {
    use sl::enumerate::{Bounds, find_counterexample};
    let Some((left, right)) = small::formulas(derivation, s, defs.signature()) else { return true };
    let fields = defs.signature().heap.iter().map(|c| defs.signature().fields(&c.loc).len()).max();
    let bounds = Bounds { locations: if fields == Some(1) { 3 } else { 2 }, data: 1 };
    let found = find_counterexample(defs.signature(), defs.semantics(), &left, &right, bounds);
    found.is_none()
}

mod small {
    //! Sequents as formulas.
    use super::{Derivation, Heap, Sequent, Var};
    use sl::{Formula, Name, Signature, Sort, Term, Var as Named};

    /// Both sides, unless there are too many variables for all small heaps.
    pub fn formulas(
        derivation: &Derivation,
        s: &Sequent,
        signature: &Signature,
    ) -> Option<(Formula, Formula)> {
        let mut vars = s.left.vars();
        vars.extend(s.right.vars());
        vars.retain(|v| *v as usize >= derivation.system.nils() && !s.exist.contains(v));
        let no_integers = derivation.sorts.iter().all(|sort| !derivation.system.is_int(*sort))
            || s.left.linear.is_empty() && s.right.linear.is_empty();
        // Definitions that only the proof knows have no names.
        let named = |heap: &Heap| heap.calls.iter().all(|call| call.pred < derivation.given);
        if vars.len() > 4 || !no_integers || !named(&s.left) || !named(&s.right) {
            return None;
        }
        if vars.iter().any(|v| derivation.system.is_int(derivation.sorts[*v as usize])) {
            return None;
        }
        let gone: Vec<Formula> =
            s.left.gone.iter().filter_map(|v| cell(derivation, *v, signature)).collect();
        let exist = s.exist.iter().map(|v| named_var(derivation, *v)).collect();
        let mut left = parts(derivation, &s.left, signature)?;
        left.extend(gone.clone());
        let mut right = parts(derivation, &s.right, signature)?;
        right.extend(gone);
        Some((Formula::sep(left), Formula::exists(exist, Formula::sep(right))))
    }

    fn named_var(derivation: &Derivation, v: Var) -> Named {
        let sort = derivation.system.sorts[derivation.sorts[v as usize]].clone();
        Named { name: Name::from(format!("v{v}")), sort }
    }

    fn term(derivation: &Derivation, v: Var) -> Term {
        match derivation.system.sorts.get(v as usize) {
            Some(sort) => Term::nil(sort.clone()),
            None => Term::var(named_var(derivation, v)),
        }
    }

    fn content(sort: &Sort, values: Vec<Term>, signature: &Signature) -> Option<Term> {
        let content = signature.content(sort)?;
        match signature.record(content) {
            Some(record) => Some(Term::new(sl::TermKind::Record(record.clone(), values))),
            None => values.into_iter().next(),
        }
    }

    /// A cell somewhere else: what it holds does not matter.
    fn cell(derivation: &Derivation, v: Var, signature: &Signature) -> Option<Formula> {
        let loc = term(derivation, v);
        let values: Vec<Term> =
            signature.fields(&loc.sort()).into_iter().map(|(_, sort)| Term::nil(sort)).collect();
        Some(Formula::points_to(loc.clone(), content(&loc.sort(), values, signature)?))
    }

    fn parts(derivation: &Derivation, heap: &Heap, signature: &Signature) -> Option<Vec<Formula>> {
        let var = |v: &Var| term(derivation, *v);
        let mut all: Vec<Formula> = vec![sl::Kind::Emp.into()];
        all.extend(heap.equal.iter().map(|(a, b)| Formula::equal(var(a), var(b))));
        all.extend(heap.different.iter().map(|(a, b)| Formula::different(var(a), var(b))));
        for cell in &heap.cells {
            let loc = var(&cell.addr);
            let fields = cell.fields.iter().map(var).collect();
            all.push(Formula::points_to(loc.clone(), content(&loc.sort(), fields, signature)?));
        }
        for call in &heap.calls {
            let name = derivation.system.predicates[call.pred].name.clone();
            all.push(Formula::pred(name, call.args.iter().map(var).collect()));
        }
        if heap.open {
            all.push(sl::Kind::True.into());
        }
        Some(all)
    }
}

/// Of 10,000 changed proofs those that are accepted say nothing that is wrong: no sequent in them has
/// a counterexample.
#[test]
fn changed_proofs_are_rejected_unless_they_are_right() {
    let all = proofs();
    let mut random = Random::new(0x5eed_0015);
    let (mut rejected, mut right) = (0, BTreeMap::<&str, (usize, usize)>::new());
    while rejected + right.values().map(|(n, _)| n).sum::<usize>() < 10_000 {
        let (defs, question, derivations) = &all[random.below(all.len())];
        let before = &derivations[random.below(derivations.len())];
        let mut derivation = before.clone();
        let kind = mutate(&mut random, &mut derivation);
        if *before == derivation {
            continue;
        }
        if proof::check(&derivation).is_err() {
            rejected += 1;
        } else {
            assert!(
                all_hold(&derivation, before, defs),
                "{question}: {}",
                proof::text::print(std::slice::from_ref(&derivation))
            );
            let (count, tried) = right.entry(kind).or_default();
            *count += 1;
            let old: HashSet<&Sequent> = sequents(before).collect();
            let new = |s: &&Sequent| !old.contains(*s);
            let formulas = |s: &Sequent| small::formulas(&derivation, s, defs.signature());
            *tried += usize::from(sequents(&derivation).filter(new).all(|s| formulas(s).is_some()));
        }
    }
    println!("{rejected} rejected; still right, and how many of them were tried: {right:?}");
    assert!(rejected > 7_000, "{rejected} {right:?}");
}
