//! SL-COMP's dialect: what is read, and what is said of mistakes.
#![allow(clippy::unwrap_used, clippy::panic)]

use lists::Lists;
use report::{FileId, SourceMap};
use sl::ask::once::check_sat;
use sl::smtlib::{Script, Status, parse};
use sl::{Kind, Semantics, Sort};

const HEAP: &str = "
(set-logic QF_SHLS)
(set-info :status unsat)
(declare-sort Ref 0)
(declare-datatypes ((Cell 0)) (((cell (next Ref) (size Int)))))
(declare-heap (Ref Cell))
(define-fun-rec ls ((in Ref) (out Ref)) Bool
  (or (and (= in out) (_ emp Ref Cell))
      (exists ((u Ref) (n Int))
        (and (distinct in out) (sep (pto in (cell u n)) (ls u out))))))
(declare-const x Ref)
(declare-const y Ref)
(declare-const n Int)
";

fn read(text: &str) -> Script {
    parse(FileId(0), text).unwrap_or_else(|e| panic!("{}", e.message))
}

/// The identifier, the line, and the sentence of the first mistake after [`HEAP`].
fn mistake(text: &str) -> String {
    let whole = format!("{HEAP}{text}");
    let mut map = SourceMap::new();
    let file = map.add("test", whole.clone());
    let error = parse(file, &whole).unwrap_err();
    let span = error.pos.span().unwrap();
    let line = map.get(file).unwrap().line_col(span.start).line as usize - HEAP.lines().count();
    format!("{} {line}: {}: {}", error.id, map.text(span).unwrap(), error.message)
}

#[test]
fn a_script_has_questions() {
    let script = read(&format!(
        "{HEAP}(check-sat)(assert (sep (ls x y) (pto y (cell x 3))))(check-sat)\
         (push 1)(assert (= x y))(check-sat)(pop 1)(check-sat)(exit)(nonsense)"
    ));
    assert_eq!(script.status, Some(Status::Unsat));
    assert_eq!(script.checks.iter().map(|c| c.assertions.len()).collect::<Vec<_>>(), [0, 1, 2, 1]);
    assert_eq!(script.checks[0].constants.len(), 3);
    let Kind::Sep(parts) = script.checks[1].assertions[0].kind() else { panic!() };
    assert!(matches!(parts[0].kind(), Kind::Pred(name, _) if name.as_str() == "ls"));
    assert_eq!(script.checks[0].signature.heap[0].loc, Sort::Loc("Ref".into()));
}

#[test]
fn shadowed_names_are_told_apart() {
    let script = read(&format!("{HEAP}(assert (exists ((x Ref)) (pto x (cell y n))))(check-sat)"));
    let free = script.checks[0].assertions[0].free_vars();
    assert_eq!(free.iter().map(|v| v.name.as_str()).collect::<Vec<_>>(), ["n", "y"]);
    let Kind::Exists(vars, _) = script.checks[0].assertions[0].kind() else { panic!() };
    assert_eq!(vars[0].name.as_str(), "x_1");
}

#[test]
fn functions_and_local_names_are_unfolded() {
    let script = read(&format!(
        "{HEAP}(define-fun twice ((k Int)) Int (+ k k))
         (define-fun big ((k Int)) Bool (> k 7))
         (assert (let ((m (twice n))) (and (big m) (= n 1 2))))(check-sat)"
    ));
    let Kind::And(parts) = script.checks[0].assertions[0].kind() else { panic!() };
    assert!(matches!(parts[0].kind(), Kind::Lt(..)));
    assert!(matches!(parts[1].kind(), Kind::And(pairs) if pairs.len() == 2));
}

#[test]
fn mistakes_have_a_place_and_a_sentence() {
    for (text, expected) in [
        (
            "(declare-heap (Ref Cell))",
            "sl.heap 1: (declare-heap (Ref Cell)): the heap is declared twice",
        ),
        ("\n(assert (pto x y))", "sl.sort 2: y: `Ref` holds `Cell`, but this is of sort `Ref`"),
        ("(assert (pto n (cell x 1)))", "sl.sort 1: n: the heap has no locations of sort `Int`"),
        ("(assert (= x n))", "sl.sort 1: n: `Ref` and `Int` cannot be compared"),
        ("(assert (= x z))", "sl.name 1: z: there is nothing of the name `z`"),
        ("(assert (lss x))", "sl.name 1: (lss x): there is no predicate or constructor `lss`"),
        ("(assert (ls x))", "sl.arity 1: (ls x): `ls` takes 2 arguments, but there is 1"),
        ("(assert (pto x))", "sl.arity 1: (pto x): `pto` takes 2 arguments, but there is 1"),
        ("(assert (= x (ls x y)))", "sl.sort 1: (ls x y): data is due here, but this is a formula"),
        (
            "(assert (ls x (sep emp emp)))",
            "sl.sort 1: (sep emp emp): data is due here, but this is a formula",
        ),
        ("(assert (sep x emp))", "sl.sort 1: x: a formula is due here, but this is of sort `Ref`"),
        ("(assert (= x y)", "sl.syntax 1: (: this parenthesis is never closed"),
        ("(assert (= x y)))", "sl.syntax 1: ): this parenthesis closes nothing"),
        ("(declare-const x Ref)", "sl.name 1: x: `x` is declared twice"),
        ("(declare-const z Loc)", "sl.name 1: Loc: there is no sort `Loc`"),
        ("(assert (x y))", "sl.arity 1: x: `x` is a variable and takes no arguments"),
        (
            "(define-fun-rec p ((a Ref)) Bool (not (p a)))",
            "sl.definition 1: (p a): the definition of `p` has no meaning",
        ),
        (
            "(define-fun p ((a Ref)) Bool (sep emp (p a)))",
            "sl.name 1: (p a): there is no predicate or constructor `p`",
        ),
        (
            "(declare-datatypes ((D 0)) (((d (self D)))))",
            "sl.definition 1: D: `D` would contain itself",
        ),
        (
            "(declare-fun f (Ref) Ref) (assert (exists ((u Ref)) (ls x (f u))))",
            "sl.unsupported 1: u: `f` is applied to a bound variable",
        ),
        ("(pop 1)", "sl.syntax 1: (pop 1): there is nothing to pop"),
        ("(frobnicate)", "sl.unsupported 1: frobnicate: there is no command `frobnicate`"),
        ("x", "sl.syntax 1: x: a command is due here, in parentheses"),
    ] {
        assert_eq!(mistake(text), expected);
    }
}

#[test]
fn a_heap_must_be_declared() {
    let text = "(declare-sort Ref 0)(declare-const x Ref)(assert (pto x x))";
    assert_eq!(parse(FileId(0), text).unwrap_err().message, "no heap is declared");
}

/// Texts that someone damaged: an answer or an error, and never a panic.
#[test]
fn damaged_texts_do_no_harm() {
    let whole = format!("{HEAP}(assert (not (wand (ls x y) (pto x (cell y (+ n 1))))))(check-sat)");
    let mut random = testing::Random::new(88_172_645_463_325_252);
    let mut below = |n: usize| random.below(n);
    let pieces =
        ["(", ")", " x ", "|", "\"", "pto", "exists", ";", "(_ emp", "nil", "é", "99", ":"];
    for _ in 0..3000 {
        let mut text = whole.clone();
        for _ in 0..=below(3) {
            let from = below(text.len());
            let to = from + below(12).min(text.len() - from);
            if text.is_char_boundary(from) && text.is_char_boundary(to) {
                text.replace_range(from..to, pieces[below(pieces.len())]);
            }
        }
        if let Ok(script) = parse(FileId(0), &text) {
            for check in &script.checks {
                let _ =
                    check_sat(&mut Lists, &check.signature, Semantics::Standard, &check.assertions);
            }
        }
    }
}

/// As deep as the reader lets pass, on the stack of an ordinary thread.
#[test]
fn deep_formulas_are_no_problem() {
    for (open, close) in [("(not ", ")"), ("(sep emp ", ")"), ("(exists ((z Ref)) ", ")")] {
        let deep = format!("{}emp{}", open.repeat(900), close.repeat(900));
        let script = read(&format!("{HEAP}(assert {deep})(check-sat)"));
        let check = &script.checks[0];
        let printed = check.assertions[0].to_string();
        assert!(printed.len() > 900);
        let _ = check_sat(&mut Lists, &check.signature, Semantics::Standard, &check.assertions);
    }
}

/// With the suite at hand (a folder of divisions in `LANCEHEAD_SLCOMP`): every file can be read.
#[test]
fn the_public_suite_can_be_read() {
    let Some(root) = std::env::var_os("LANCEHEAD_SLCOMP") else { return };
    for path in testing::files(root, &["smt2"]) {
        let text = std::fs::read_to_string(&path).unwrap();
        if let Err(error) = parse(FileId(0), &text) {
            panic!("{}: {}", path.display(), error.message);
        }
    }
}
