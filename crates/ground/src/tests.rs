//! What the prover finds, that its proofs stand up to the checker and damaged ones do not, and what Z3
//! says of random problems.

#![allow(clippy::expect_used, clippy::panic)]

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use testing::Random;

use crate::closure::Rule;
use crate::proof::{End, Proof, ProofStep, Refutation};
use crate::rational::Rational;
use crate::{Answer, Limits, Prover};

const SIGNATURE: &str = "
(declare-sort U 0)
(declare-const a U) (declare-const b U) (declare-const c U)
(declare-const i Int) (declare-const j Int) (declare-const k Int)
(declare-const p Real) (declare-const q Real)
(declare-const s Bool) (declare-const t Bool)
(declare-fun f (U) U)
(declare-fun g (Int) Int)
(declare-fun h (U Int) Int)
(declare-fun r (U) Bool)
(declare-fun w (Real) U)
";

const LISTS: &str = "(declare-datatypes ((L 0)) (((nil) (cons (head Int) (tail L)))))
(declare-const x L) (declare-const y L)";

/// The answer to what a text says; a proof must stand up to the checker.
fn ask(text: &str) -> (Prover, Answer) {
    let mut prover = Prover::new();
    prover.read(SIGNATURE);
    prover.read(text);
    let answer = prover.prove(Limits::default());
    if let Answer::Unsat(proof) = &answer {
        let proof = proof.as_ref().expect("a proof");
        assert!(proof.check(&prover), "{text}\n{proof:?}");
    }
    (prover, answer)
}

fn name(answer: &Answer) -> &'static str {
    match answer {
        Answer::Unsat(_) => "unsat",
        Answer::Sat => "sat",
        Answer::Saturated => "saturated",
        Answer::Unknown => "unknown",
    }
}

#[track_caller]
fn expect(wanted: &str, text: &str) {
    assert_eq!(name(&ask(text).1), wanted, "{text}");
}

#[test]
fn equality() {
    expect("unsat", "(assert (= a b)) (assert (not (= (f a) (f b))))");
    expect("sat", "(assert (= (f a) (f b))) (assert (not (= a b)))");
    // f³(a) = a and f⁵(a) = a, so f(a) = a.
    expect(
        "unsat",
        "(assert (= (f (f (f a))) a)) (assert (= (f (f (f (f (f a))))) a)) (assert (not (= (f a) a)))",
    );
    expect("unsat", "(assert (r a)) (assert (= a b)) (assert (not (r b)))");
    expect("unsat", "(assert (distinct a b c)) (assert (= (f a) (f b))) (assert (= c a))");
    expect("unsat", "(assert (= (= a b) s)) (assert (not (= s (= b a))))");
}

#[test]
fn connectives() {
    expect("unsat", "(assert (or s t)) (assert (not s)) (assert (not t))");
    expect("unsat", "(assert (=> s t)) (assert (=> t s)) (assert (not (= s t)))");
    expect(
        "unsat",
        "(assert (or (= a b) (= a c))) (assert (not (= (f a) (f b)))) (assert (= b c))",
    );
    expect("unsat", "(assert (not (= (ite s a b) (ite (not s) b a))))");
    expect("unsat", "(assert (ite s t (not t))) (assert (ite s (not t) t))");
    expect("sat", "(assert (or s t)) (assert (or (not s) (not t)))");
    // All eight clauses over three formulas.
    let mut all = String::new();
    for n in 0..8 {
        let literal = |bit: u32, name: &str| {
            if n >> bit & 1 == 1 { format!("(not {name})") } else { name.to_string() }
        };
        let _ = write!(
            all,
            "(assert (or {} {} {}))",
            literal(0, "s"),
            literal(1, "t"),
            literal(2, "(r a)")
        );
    }
    expect("unsat", &all);
}

#[test]
fn linear_arithmetic() {
    expect("unsat", "(assert (< i j)) (assert (< j (+ i 1)))");
    expect("sat", "(assert (< p q)) (assert (< q (+ p 1.0)))");
    expect("unsat", "(assert (< p q)) (assert (<= q p))");
    expect("unsat", "(assert (= (* 2 i) (+ 1 (* 2 j))))");
    expect("unsat", "(assert (<= 1 (* 3 i))) (assert (<= (* 3 i) 2))");
    expect("unsat", "(assert (= (+ i j) 3)) (assert (= (- i j) 2))");
    expect("sat", "(assert (= (+ p q) 3.0)) (assert (= (- p q) 2.0))");
    // Permissions: halves are no more than a whole, three of them are.
    expect("unsat", "(assert (= p (/ 1.0 2.0))) (assert (< 1.0 (+ p p)))");
    expect("sat", "(assert (= p (/ 1.0 2.0))) (assert (< 1.0 (+ p p p)))");
    expect("unsat", "(assert (not (= i j))) (assert (<= i j)) (assert (<= j i))");
    expect("unsat", "(assert (< 0 i 3)) (assert (not (= i 1))) (assert (not (= i 2)))");
}

#[test]
fn arithmetic_and_functions() {
    expect("unsat", "(assert (= i (+ j 1))) (assert (not (= (g i) (g (+ 1 j)))))");
    expect("unsat", "(assert (<= i j)) (assert (<= j i)) (assert (not (= (g i) (g j))))");
    expect("unsat", "(assert (<= (g i) 3)) (assert (= i 5)) (assert (< 3 (g (- 7 2))))");
    expect("unsat", "(assert (= (+ i k) (+ j k))) (assert (not (= (h a i) (h a j))))");
    expect("unsat", "(assert (= p (+ q 1.0))) (assert (not (= (w p) (w (- (+ q 2.0) 1.0)))))");
    // What becomes of the parts of a sum by cases counts.
    expect(
        "unsat",
        "(assert (let ((x (- (ite s 1.0 0.0) (ite (and s t) 1.0 0.0)))) \
         (not (= 0.0 (ite s (ite (<= 1.0 x) (- x 1.0) 0.0) x)))))",
    );
    expect("unsat", "(assert (not (= 0.0 (- (ite s 1.0 0.0) (ite s 1.0 0.0)))))");
    // A product with a factor that turns out to be a number.
    expect("unsat", "(assert (= i 2)) (assert (< (* i j) 5)) (assert (= j 3))");
}

#[test]
fn division_is_euclidean() {
    expect("unsat", "(assert (= i (- 7))) (assert (not (= (div i 2) (- 4))))");
    expect("unsat", "(assert (= i (- 7))) (assert (not (= (mod i (- 2)) 1)))");
    expect("unsat", "(assert (< (mod i 3) 0))");
    // Parity takes cuts, which are not made.
    expect("unknown", "(assert (= (mod i 2) 1)) (assert (= i (+ j j)))");
    // By zero it is something, the same for the same arguments.
    expect("unsat", "(assert (= i j)) (assert (not (= (div i 0) (div j 0))))");
    assert_ne!(name(&ask("(assert (= (div i 0) 7))").1), "unsat");
    assert_ne!(name(&ask("(assert (= (/ p 0.0) 7.0))").1), "unsat");
    assert_ne!(name(&ask("(assert (not (= (* 0.0 (/ p 0.0)) 1.0)))").1), "unsat");
}

#[test]
fn data_types() {
    let lists = |text: &str| format!("{LISTS}{text}");
    expect("unsat", &lists("(assert (= (cons i x) (cons j y))) (assert (not (= i j)))"));
    expect("unsat", &lists("(assert (= x nil)) (assert (= x (cons i y)))"));
    expect("unsat", &lists("(assert (= x (cons 3 y))) (assert (not (= (head x) 3)))"));
    expect("unsat", &lists("(assert (= x nil)) (assert ((_ is cons) x))"));
    expect("unsat", &lists("(assert (= x (cons i y))) (assert (not ((_ is cons) x)))"));
    // Nothing is known of what is selected from another constructor's value.
    assert_ne!(name(&ask(&lists("(assert (= (head nil) 7))")).1), "unsat");
}

#[test]
fn instances() {
    let positive = "(assert (forall ((n Int)) (! (< 0 (g n)) :pattern ((g n)))))";
    expect("unsat", &format!("{positive} (assert (= (g i) 0))"));
    expect("saturated", &format!("{positive} (assert (= (g i) 1))"));
    let (_, answer) = ask(&format!("{positive} (assert (= (+ (g i) (g j)) 1))"));
    let Answer::Unsat(Some(proof)) = answer else { panic!("no proof") };
    assert_eq!(proof.instances(), 2);
    // Modulo equality, through a nested pattern.
    let inverse = "(assert (forall ((z U)) (! (= z c) :pattern ((f (f z))))))";
    expect(
        "unsat",
        &format!("{inverse} (assert (= (f a) b)) (assert (r (f b))) (assert (not (= a c)))"),
    );
    expect("saturated", &format!("{inverse} (assert (r (f b))) (assert (not (= a c)))"));
    // A loop ends.
    let endless = "(assert (forall ((z U)) (! (r (f (f z))) :pattern ((f z)))))";
    expect("unknown", &format!("{endless} (assert (r (f a)))"));
    // Without triggers nobody knows where to use it.
    expect("unknown", "(assert (forall ((n Int)) (< 0 (g n))))");
}

#[test]
fn witnesses_and_nested_quantifiers() {
    expect("unsat", "(assert (exists ((z U)) (and (r z) (not (r z)))))");
    expect("unsat", "(assert (not (forall ((z U)) (! (=> (r z) (r z)) :pattern ((r z))))))");
    expect(
        "unsat",
        "(assert (forall ((z U)) (! (forall ((n Int)) (! (< n (h z n)) :pattern ((h z n)))) \
         :pattern ((f z))))) (assert (= (h a 3) 2)) (assert (r (f a)))",
    );
    expect(
        "unsat",
        "(assert (exists ((n Int)) (< n (g n)))) (assert (not (exists ((n Int)) (< n (g n)))))",
    );
    // Quantifiers with other names are other atoms, as in Z3, and nothing says where to use this one.
    expect(
        "unknown",
        "(assert (exists ((z Int)) (< z (g z)))) (assert (not (exists ((n Int)) (< n (g n)))))",
    );
}

#[test]
fn scopes() {
    let mut prover = Prover::new();
    prover.read(SIGNATURE);
    prover.read("(assert (= a b))");
    prover.push();
    prover.read("(assert (not (= (f a) (f b))))");
    assert_eq!(name(&prover.check(Limits::default())), "unsat");
    prover.pop();
    assert_eq!(name(&prover.check(Limits::default())), "sat");
    prover.push();
    prover.push();
    prover.read("(assert (< (g i) 0))");
    // Said in a scope around this one: it stays when this one goes.
    prover.read_at(1, "(assert (forall ((n Int)) (! (<= 0 (g n)) :pattern ((g n)))))");
    assert_eq!(name(&prover.check(Limits::default())), "unsat");
    prover.pop();
    assert_eq!(name(&prover.check(Limits::default())), "saturated");
    prover.read("(assert (= (g j) (- 1)))");
    assert_eq!(name(&prover.check(Limits::default())), "unsat");
    prover.pop();
    prover.pop();
    assert_eq!((prover.depth(), name(&prover.check(Limits::default()))), (1, "saturated"));
    // A contradiction outside is one inside.
    prover.read("(assert (= (g k) (- 1)))");
    prover.push();
    assert_eq!(name(&prover.check(Limits::default())), "unsat");
}

#[test]
fn what_is_not_understood_is_not_believed() {
    expect("unknown", "(assert (= (bvadd i j) 3))");
    expect("unknown", "(assert (< i 99999999999999999999999999999999999999999999))");
    expect("unknown", "(assert (= i p))");
    expect("unknown", "(assert");
    expect("unknown", "(declare-fun a (Int) Int)");
    let deep = format!("(assert (= a {}a{}))", "(f ".repeat(5000), ")".repeat(5000));
    expect("unknown", &deep);
    // Numbers that become too large end it.
    let large = i128::MAX / 3;
    expect(
        "unknown",
        &format!("(assert (< (+ (* {large} p) (* 7.0 q)) 1.0)) (assert (< (* {large} q) p))")
            .replace(&large.to_string(), &format!("{large}.0")),
    );
}

// --- Damaged proofs

/// The steps of a refutation, one changed.
fn damaged(refutation: &Refutation, change: &mut impl FnMut(&mut ProofStep)) -> Refutation {
    let mut copy = refutation.clone();
    copy.steps.iter_mut().for_each(&mut *change);
    match &mut copy.end {
        End::Conflict(step) => change(step),
        End::Cases { when_true, when_false, .. } => {
            **when_true = damaged(when_true, change);
            **when_false = damaged(when_false, change);
        }
    }
    copy
}

fn changed(proof: &Proof, mut change: impl FnMut(&mut ProofStep)) -> Proof {
    Proof { terms: proof.terms.clone(), root: damaged(&proof.root, &mut change) }
}

#[test]
fn damaged_proofs_are_rejected() {
    let text = format!(
        "{LISTS}
        (assert (forall ((n Int)) (! (< 0 (g n)) :pattern ((g n)))))
        (assert (or (= (+ (g i) (g j)) 1) (= x nil)))
        (assert (= x (cons (g i) y)))
        (assert (= (head x) k))
        (assert (not (= (f a) (f b))))
        (assert (=> (= k (g i)) (= a b)))"
    );
    let (prover, answer) = ask(&text);
    let Answer::Unsat(Some(proof)) = answer else { panic!("no proof") };
    let count = {
        let mut count = 0;
        changed(&proof, |_| count += 1);
        count
    };
    assert!(count > 5, "{proof:?}");
    for position in 0..count {
        // Every step is needed, and none can be about something else.
        for kind in 0..6 {
            let mut at = 0;
            let mut same = false;
            let bad = changed(&proof, |step| {
                if at == position {
                    let before = format!("{step:?}");
                    match (kind, &mut step.rule) {
                        (0, rule) => *rule = Rule::Assumed,
                        (1, rule) => *rule = Rule::Congruence,
                        (2, Rule::Different(x, y)) => *x = *y,
                        (2, _) => (step.left, step.right) = (0, 1),
                        (3, Rule::Congruence | Rule::Different(..)) => {}
                        (3, _) if step.right <= 1 => step.right = 1 - step.right,
                        (4, Rule::Farkas(sums)) => {
                            for (_, factor) in sums.iter_mut().flatten().take(1) {
                                *factor = factor.plus(Rational::ONE).expect("small numbers");
                            }
                        }
                        (5, Rule::Instance(_, values)) => {
                            for value in values.iter_mut() {
                                *value = 0;
                            }
                        }
                        _ => {}
                    }
                    same = before == format!("{step:?}");
                }
                at += 1;
            });
            assert!(same || !bad.check(&prover), "step {position}, kind {kind}: {bad:?}");
        }
    }
    // Facts that are not asserted prove nothing.
    let lines: Vec<&str> = text.lines().collect();
    for missing in 1..lines.len() {
        if lines[missing].contains("(= (head x) k)") || lines[missing].contains("=> (= k") {
            continue;
        }
        let rest: Vec<&str> =
            lines.iter().enumerate().filter(|(n, _)| *n != missing).map(|(_, l)| *l).collect();
        let mut other = Prover::new();
        other.read(SIGNATURE);
        other.read(&rest.join("\n"));
        let used = proof.check(&prover) && !proof.check(&other);
        let still = name(&ask(&rest.join("\n")).1) == "unsat";
        assert!(used || still, "{}", lines[missing]);
    }
}

// --- Random problems

struct Generator {
    random: Random,
    quantifiers: bool,
}

impl Generator {
    fn pick(&mut self, all: &[&str]) -> String {
        (*self.random.pick(all).expect("not empty")).to_string()
    }

    fn term(&mut self, sort: char, depth: usize) -> String {
        let leaf = depth == 0 || self.random.once_in(3);
        let d = depth.saturating_sub(1);
        match (sort, leaf) {
            ('U', true) => self.pick(&["a", "b", "c"]),
            ('U', false) => match self.random.below(4) {
                0 => format!("(w {})", self.term('R', d)),
                1 => {
                    format!("(ite {} {} {})", self.formula(d), self.term('U', d), self.term('U', d))
                }
                _ => format!("(f {})", self.term('U', d)),
            },
            ('I', true) => self.pick(&["i", "j", "k", "0", "1", "2", "(- 3)"]),
            ('I', false) => {
                let (x, y) = (self.term('I', d), self.term('I', d));
                match self.random.below(9) {
                    0 => format!("(g {x})"),
                    1 => format!("(h {} {x})", self.term('U', d)),
                    2 => format!("(- {x} {y})"),
                    3 => format!("(* {} {x})", self.pick(&["2", "3", "(- 2)"])),
                    4 => format!("(div {x} {})", self.pick(&["2", "3", "(- 2)"])),
                    5 => format!("(mod {x} {})", self.pick(&["2", "3", "(- 2)"])),
                    6 => format!("(ite {} {x} {y})", self.formula(d)),
                    _ => format!("(+ {x} {y})"),
                }
            }
            ('R', true) => self.pick(&["p", "q", "0.0", "1.0", "(/ 1.0 2.0)"]),
            _ => {
                let (x, y) = (self.term('R', d), self.term('R', d));
                match self.random.below(5) {
                    0 => format!("(- {x} {y})"),
                    1 => format!("(/ {x} 3.0)"),
                    2 => format!("(to_real {})", self.term('I', d)),
                    _ => format!("(+ {x} {y})"),
                }
            }
        }
    }

    fn formula(&mut self, depth: usize) -> String {
        let d = depth.saturating_sub(1);
        if depth == 0 || self.random.once_in(3) {
            return match self.random.below(7) {
                0 => self.pick(&["s", "t"]),
                1 => format!("(r {})", self.term('U', d)),
                2 => format!("(= {} {})", self.term('U', d), self.term('U', d)),
                3 => format!("(= {} {})", self.term('I', d), self.term('I', d)),
                4 => format!("(<= {} {})", self.term('I', d), self.term('I', d)),
                5 => format!("(< {} {})", self.term('R', d), self.term('R', d)),
                _ => format!("(<= {} {})", self.term('R', d), self.term('R', d)),
            };
        }
        let (x, y) = (self.formula(d), self.formula(d));
        match self.random.below(7) {
            0 => format!("(not {x})"),
            1 => format!("(and {x} {y})"),
            2 => format!("(=> {x} {y})"),
            3 => format!("(= {x} {y})"),
            4 if self.quantifiers => {
                let body = format!("(or (< z (g z)) {x})");
                let quantifier = self.pick(&["forall", "exists"]);
                format!("({quantifier} ((z Int)) (! {body} :pattern ((g z))))")
            }
            5 => format!("(ite {x} {y} {})", self.formula(d)),
            _ => format!("(or {x} {y})"),
        }
    }
}

/// What Z3 says of these problems.
fn z3(problems: &[String]) -> Vec<String> {
    let mut script = format!("(set-option :timeout 200)\n{SIGNATURE}");
    for problem in problems {
        let _ = writeln!(script, "(push 1)\n{problem}\n(check-sat)\n(pop 1)");
    }
    let mut child = Command::new(testing::z3())
        .arg("-in")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Z3");
    let mut input = child.stdin.take().expect("its input");
    let writer = std::thread::spawn(move || input.write_all(script.as_bytes()));
    let output = child.wait_with_output().expect("its output");
    writer.join().expect("the writer").expect("all is written");
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_string).collect()
}

fn compare(seed: u64, count: usize, quantifiers: bool) -> (usize, usize) {
    let mut generator = Generator { random: Random::new(seed), quantifiers };
    let mut problems = Vec::new();
    for _ in 0..count {
        let formulas = 2 + generator.random.below(6);
        let mut text = String::new();
        for _ in 0..formulas {
            let _ = write!(text, "(assert {})", generator.formula(3));
        }
        problems.push(text);
    }
    let (mut proved, mut refuted) = (0, 0);
    for (problem, said) in problems.iter().zip(z3(&problems)) {
        let (prover, answer) = ask(problem);
        match &answer {
            Answer::Unsat(Some(proof)) => {
                proved += 1;
                assert_ne!(said, "sat", "{problem}");
                // It does not prove anything where nothing is asserted.
                let mut empty = Prover::new();
                empty.read(SIGNATURE);
                assert!(!proof.check(&empty), "{problem}");
                drop(prover);
            }
            Answer::Sat => {
                refuted += 1;
                assert_ne!(said, "unsat", "{problem}");
            }
            _ => {}
        }
    }
    (proved, refuted)
}

#[test]
fn random_ground_problems() {
    let count = 400;
    let (proved, refuted) = compare(20, count, false);
    assert!(proved > 100 && proved + refuted > count * 3 / 4, "{proved} and {refuted}");
}

#[test]
fn random_problems_with_quantifiers() {
    let (proved, _) = compare(7, 250, true);
    assert!(proved > 40, "{proved}");
}

/// Scopes leave no trace: after any history, answers are those of a new prover.
#[test]
fn random_scopes() {
    let mut generator = Generator { random: Random::new(11), quantifiers: false };
    let mut prover = Prover::new();
    prover.read(SIGNATURE);
    let mut scopes: Vec<Vec<String>> = vec![Vec::new()];
    for _ in 0..400 {
        match generator.random.below(5) {
            0 if scopes.len() < 6 => {
                prover.push();
                scopes.push(Vec::new());
            }
            1 if scopes.len() > 1 => {
                prover.pop();
                scopes.pop();
            }
            2 | 3 => {
                let formula = format!("(assert {})", generator.formula(2));
                let depth = 1 + generator.random.below(scopes.len());
                prover.read_at(depth, &formula);
                scopes[depth - 1].push(formula);
            }
            _ => {
                let all: String = scopes.concat().concat();
                let (fresh, answer) = (name(&ask(&all).1), prover.prove(Limits::default()));
                if let Answer::Unsat(Some(proof)) = &answer {
                    assert!(proof.check(&prover), "{all}");
                }
                let decided = |answer: &str| answer == "sat" || answer == "unsat";
                let answer = name(&answer);
                assert!(!(decided(fresh) && decided(answer) && fresh != answer), "{all}");
                if answer == "unsat" {
                    // It stays so: start again.
                    prover = Prover::new();
                    prover.read(SIGNATURE);
                    scopes = vec![Vec::new()];
                }
            }
        }
    }
}
