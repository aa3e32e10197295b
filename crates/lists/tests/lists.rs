//! The list fragment against all small heaps; formulas with known answers are in `tests/sl/lists`.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use lists::Lists;
use report::FileId;
use sl::ask;
use sl::{Budget, Defs, Entailment, Satisfiability};
use sl::{Evaluator, Formula, Loc, Model, Object, Semantics, Sort, Truth, Value};
use testing::Random;

/// A formula of the fragment over variables 1, 2, …; 0 is `nil`.
#[derive(Clone, Default, Debug)]
struct Heap {
    equal: Vec<(usize, usize)>,
    different: Vec<(usize, usize)>,
    cells: Vec<(usize, usize)>,
    segments: Vec<(usize, usize)>,
}

impl Heap {
    fn random(random: &mut Random, vars: usize, sizes: [usize; 4]) -> Heap {
        let [equal, different, cells, segments] = sizes;
        let mut pairs = |most: usize| {
            let count = random.below(most + 1);
            (0..count).map(|_| (random.below(vars + 1), random.below(vars + 1))).collect()
        };
        Heap {
            equal: pairs(equal),
            different: pairs(different),
            cells: pairs(cells),
            segments: pairs(segments),
        }
    }

    fn text(&self) -> String {
        let name = |v: usize| if v == 0 { "nil".into() } else { format!("x{v}") };
        let mut parts = vec!["emp".to_owned()];
        parts.extend(self.equal.iter().map(|(a, b)| format!("{} = {}", name(*a), name(*b))));
        parts.extend(self.different.iter().map(|(a, b)| format!("{} != {}", name(*a), name(*b))));
        parts.extend(self.cells.iter().map(|(a, b)| format!("{} |-> {}", name(*a), name(*b))));
        parts.extend(self.segments.iter().map(|(a, b)| format!("ls({}, {})", name(*a), name(*b))));
        parts.join(" * ")
    }

    /// The semantics once more, for this fragment only: every atom takes a part of the heap that
    /// is determined, so they can be taken one after the other.
    fn holds(&self, stack: &[usize], heap: &[Option<usize>]) -> bool {
        let pure = self.equal.iter().all(|(a, b)| stack[*a] == stack[*b])
            && self.different.iter().all(|(a, b)| stack[*a] != stack[*b]);
        if !pure {
            return false;
        }
        let mut rest = heap.to_vec();
        for (a, b) in &self.cells {
            if rest[stack[*a]].take() != Some(stack[*b]) {
                return false;
            }
        }
        for (a, b) in &self.segments {
            let mut at = stack[*a];
            while at != stack[*b] {
                match rest[at].take() {
                    Some(next) => at = next,
                    None => return false,
                }
            }
        }
        rest.iter().all(Option::is_none)
    }
}

/// A question about a stack and a heap.
type Test<'a> = dyn FnMut(&[usize], &[Option<usize>]) -> bool + 'a;

/// Calls `f` on all stacks of so many variables and all heaps of so many locations, until it returns
/// true. Index 0 is `nil` in both.
fn any_model(
    vars: usize,
    locations: usize,
    pure: &mut dyn FnMut(&[usize]) -> bool,
    f: &mut Test<'_>,
) -> bool {
    fn heaps(
        heap: &mut Vec<Option<usize>>,
        locations: usize,
        f: &mut dyn FnMut(&[Option<usize>]) -> bool,
    ) -> bool {
        if heap.len() == locations + 1 {
            return f(heap);
        }
        for content in std::iter::once(None).chain((0..=locations).map(Some)) {
            heap.push(content);
            if heaps(heap, locations, f) {
                return true;
            }
            heap.pop();
        }
        false
    }
    fn stacks(
        stack: &mut Vec<usize>,
        vars: usize,
        locations: usize,
        f: &mut dyn FnMut(&[usize]) -> bool,
    ) -> bool {
        if stack.len() == vars + 1 {
            return f(stack);
        }
        let most = stack.iter().max().map_or(0, |m| m + 1).min(locations);
        for value in 0..=most {
            stack.push(value);
            if stacks(stack, vars, locations, f) {
                return true;
            }
            stack.pop();
        }
        false
    }
    stacks(&mut vec![0], vars, locations, &mut |stack| {
        pure(stack) && heaps(&mut vec![None], locations, &mut |heap| f(stack, heap))
    })
}

fn parse(texts: &[&str]) -> sl::text::Document {
    let texts: Vec<_> = texts.iter().map(|t| (FileId(0), *t)).collect();
    sl::text::parse(&texts).unwrap_or_else(|e| panic!("{texts:?}: {}", e.message))
}

fn is_sat(text: &str) -> bool {
    let document = parse(&[text]);
    let defs = Defs::new(document.signature.clone(), Semantics::Precise);
    let answer = ask::satisfiable(&mut Lists, &defs, &document.formulas[0], &mut Budget::default());
    matches!(answer.decided().unwrap(), Satisfiability::Sat(_))
}

fn is_valid(left: &str, right: &str) -> bool {
    let document = parse(&[left, right]);
    let defs = Defs::new(document.signature.clone(), Semantics::Precise);
    let [left, right] = document.formulas.as_slice() else { panic!() };
    let answer = ask::entails(&mut Lists, &defs, left, right, &mut Budget::default());
    matches!(answer.decided().unwrap(), Entailment::Valid(_))
}

#[test]
fn satisfiability_agrees_with_all_small_heaps() {
    let mut random = Random::new(20_130_713);
    let mut counts = [0, 0];
    for round in 0..4000 {
        let vars = 2 + round % 3;
        let heap = Heap::random(&mut random, vars, [1, 4, 2, 5]);
        let by_hand = any_model(
            vars,
            4,
            &mut |stack| heap.different.iter().all(|(a, b)| stack[*a] != stack[*b]),
            &mut |stack, cells| heap.holds(stack, cells),
        );
        let sat = is_sat(&heap.text());
        // A model with more than four locations is one that was confirmed, so only one direction
        // can be wrong without anybody noticing.
        assert!(sat || !by_hand, "{}", heap.text());
        assert!(!sat || by_hand || vars > 3, "{}", heap.text());
        counts[usize::from(sat)] += 1;
    }
    assert!(counts.iter().all(|n| *n > 500), "{counts:?}");
}

#[test]
fn entailment_agrees_with_all_small_heaps() {
    let mut random = Random::new(4_711);
    let mut counts = [0, 0];
    for round in 0..6000 {
        let vars = 2 + round % 3;
        let left = Heap::random(&mut random, vars, [1, 3, 2, 3]);
        let right = weakened(&mut random, &left, vars);
        let by_hand = any_model(
            vars,
            4,
            &mut |stack| left.different.iter().all(|(a, b)| stack[*a] != stack[*b]),
            &mut |stack, cells| left.holds(stack, cells) && !right.holds(stack, cells),
        );
        let valid = is_valid(&left.text(), &right.text());
        assert!(!valid || !by_hand, "{}   |=   {}", left.text(), right.text());
        counts[usize::from(valid)] += 1;
    }
    assert!(counts.iter().all(|n| *n > 500), "{counts:?}");
}

/// Something that often follows: atoms dropped, locations turned into segments, segments joined.
fn weakened(random: &mut Random, left: &Heap, vars: usize) -> Heap {
    let mut right = left.clone();
    right.different.clear();
    right.equal.clear();
    while let Some(at) = right.cells.len().checked_sub(1) {
        if random.below(3) == 0 {
            break;
        }
        right.segments.push(right.cells.remove(at));
    }
    for i in 0..right.segments.len() {
        for j in 0..right.segments.len() {
            let (a, b) = (right.segments[i], right.segments[j]);
            if i != j && a.1 == b.0 && random.below(2) == 0 {
                right.segments[i] = (a.0, b.1);
                right.segments[j] = (b.0, b.0);
            }
        }
    }
    match random.below(6) {
        0 => right.different.push((random.below(vars + 1), random.below(vars + 1))),
        1 => right.equal.push((random.below(vars + 1), random.below(vars + 1))),
        2 => right.segments.push((random.below(vars + 1), random.below(vars + 1))),
        3 => drop(right.segments.pop()),
        _ => {}
    }
    right
}

/// The evaluator and the semantics of this file are written independently.
#[test]
fn the_evaluator_agrees() {
    let mut random = Random::new(99);
    for _ in 0..3000 {
        let vars = 3;
        let heap = Heap::random(&mut random, vars, [1, 1, 2, 3]);
        let stack: Vec<usize> =
            (0..=vars).map(|v| if v == 0 { 0 } else { random.below(5) }).collect();
        let mut cells = vec![None; 5];
        for cell in cells.iter_mut().skip(1) {
            *cell = Some(random.below(5)).filter(|_| random.below(2) == 0);
        }
        let document = parse(&[&heap.text()]);
        let mut model = Model::default();
        for (v, value) in stack.iter().enumerate().skip(1) {
            model.stack.insert(format!("x{v}").into(), Value::Loc(Loc(*value as u32)));
        }
        for (from, to) in cells.iter().enumerate() {
            let Some(to) = to else { continue };
            let content = Value::Record(vec![Value::Loc(Loc(*to as u32))]);
            model.heap.insert(Loc(from as u32), Object { sort: Sort::Loc("Loc".into()), content });
        }
        let found = evaluate(&document, &document.formulas[0], &model);
        assert_eq!(found == Truth::True, heap.holds(&stack, &cells), "{}", heap.text());
        assert_ne!(found, Truth::Unknown);
    }
}

fn evaluate(document: &sl::text::Document, formula: &Formula, model: &Model) -> Truth {
    Evaluator::new(&document.signature, Semantics::Precise).holds(model, formula)
}

/// Formulas like those of the competition, only larger: nothing takes long.
#[test]
fn random_large_formulas_stay_cheap() {
    let mut random = Random::new(7);
    let start = std::time::Instant::now();
    for round in 0..150 {
        let vars = 20 + round % 20;
        let mut left = Heap::random(&mut random, vars, [2, 2 * vars, vars / 2, vars]);
        left.cells.sort_unstable();
        left.cells.dedup_by_key(|cell| cell.0);
        left.cells.retain(|cell| cell.0 != 0);
        let right = weakened(&mut random, &left, vars);
        is_sat(&left.text());
        is_valid(&left.text(), &right.text());
    }
    assert!(start.elapsed().as_secs() < 120, "{:?}", start.elapsed());
}

/// Many independent copies, and long chains: time must not explode.
#[test]
fn large_formulas_stay_cheap() {
    let copies = 40;
    let mut left = vec!["emp".to_owned()];
    let mut right = vec!["emp".to_owned()];
    for i in 0..copies {
        left.push(format!("ls(a{i}, b{i}) * ls(a{i}, c{i}) * b{i} != c{i} * ls(c{i}, nil)"));
        right.push(format!("ls(a{i}, b{i}) * ls(a{i}, c{i}) * ls(c{i}, nil)"));
    }
    let (left, right) = (left.join(" * "), right.join(" * "));
    assert!(is_sat(&left));
    assert!(is_valid(&left, &right));
    let chain: Vec<String> = (0..200).map(|i| format!("ls(x{i}, x{})", i + 1)).collect();
    let chain = chain.join(" * ");
    assert!(is_valid(&format!("{chain} * ls(x200, nil)"), "ls(x0, nil)"));
    assert!(!is_valid(&chain, "ls(x0, x200)"));
}
