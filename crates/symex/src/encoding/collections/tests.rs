//! What users prove about collections, and what must not be provable, put to Z3.
//!
//! A file of cases has a command a line; `#` starts a comment and an empty line ends a group.
//!
//! ```text
//! declare …   commands for the whole file
//! assume … …  what holds for the rest of the group; must not be a contradiction
//! proves …    Z3 proves it
//! fails …     Z3 does not, and says so soon
//! ```
#![allow(clippy::unwrap_used)]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use super::{ElemSort, map, multiset, seq, seq_range, set};

const OPTIONS: &str = "(set-option :auto_config false)
(set-option :smt.mbqi false)
(set-option :smt.case_split 3)
(set-option :smt.qi.eager_threshold 100)
(set-option :smt.arith.solver 2)
(set-option :smt.delay_units true)
(set-option :timeout 5000)";

/// Cases take a few milliseconds; a busy machine may take longer, a matching loop takes much longer.
const SOON: Duration = Duration::from_secs(2);

struct Solver {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Solver {
    fn start(axioms: &[String]) -> Solver {
        let mut process = Command::new(testing::z3())
            .args(["-smt2", "-in"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = process.stdin.take().unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        let mut solver = Solver { process, input, output };
        solver.say(OPTIONS);
        axioms.iter().for_each(|text| solver.say(text));
        solver
    }

    fn say(&mut self, text: &str) {
        writeln!(self.input, "{text}").unwrap();
    }

    /// The answer, or an error message, and how long it took.
    fn check(&mut self) -> (String, Duration) {
        let start = Instant::now();
        self.say("(check-sat)");
        let mut answer = String::new();
        self.output.read_line(&mut answer).unwrap();
        (answer.trim_end().to_string(), start.elapsed())
    }
}

impl Drop for Solver {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// What is wrong with the answer, if anything.
fn complaint(is_proof: bool, answer: &str, time: Duration) -> Option<String> {
    let expected = if is_proof { answer == "unsat" } else { ["sat", "unknown"].contains(&answer) };
    (!expected || time > SOON).then(|| format!("{answer} after {time:?}"))
}

/// Runs a file of cases with these axioms, and says which did not come out as they should.
fn run(axioms: &[String], cases: &str) {
    let mut solver = Solver::start(axioms);
    let mut wrong = Vec::new();
    let mut slowest = (Duration::ZERO, "");
    let mut in_group = false;
    for line in cases.lines() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let is_proof = word == "proves";
        match word {
            "#" => continue,
            "" if in_group => {
                solver.say("(pop)");
                in_group = false;
                continue;
            }
            "" => continue,
            "declare" => {
                solver.say(rest);
                continue;
            }
            "assume" => {
                solver.say(&format!("(push) (assert (and {rest}))"));
                in_group = true;
            }
            _ => solver.say(&format!("(push) (assert (not {rest}))")),
        }
        let (answer, time) = solver.check();
        slowest = slowest.max((time, line));
        wrong.extend(complaint(is_proof, &answer, time).map(|what| format!("{what}: {line}")));
        if word != "assume" {
            solver.say("(pop)");
        }
    }
    println!("slowest: {slowest:?}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

const INT: ElemSort<'static> = ElemSort { text: "Int", name: "Int", equality: "=" };
const BOOL: ElemSort<'static> = ElemSort { text: "Bool", name: "Bool", equality: "=" };
const REF: ElemSort<'static> = ElemSort { text: "Ref", name: "Ref", equality: "=" };
const SEQ: ElemSort<'static> =
    ElemSort { text: "Seq<Int>", name: "Seq<Int>", equality: "Seq.equal<Int>" };
const SET: ElemSort<'static> =
    ElemSort { text: "Set<Int>", name: "Set<Int>", equality: "Set.equal<Int>" };

#[test]
fn sequences() {
    run(&[seq(&INT), seq_range()], include_str!("cases/seq.txt"));
}

#[test]
fn sets() {
    run(&[set(&INT)], include_str!("cases/set.txt"));
}

#[test]
fn multisets() {
    run(&[multiset(&INT)], include_str!("cases/multiset.txt"));
}

#[test]
fn maps() {
    let axioms = [set(&INT), set(&BOOL), map(&INT, &INT), map(&INT, &BOOL)];
    run(&axioms, include_str!("cases/map.txt"));
}

#[test]
fn nested_collections() {
    let mut axioms = vec!["(declare-sort Ref 0)".to_string()];
    axioms.extend([seq(&INT), seq(&SEQ), seq(&REF), seq(&BOOL)]);
    axioms.extend([set(&INT), set(&REF), set(&BOOL), set(&SET), set(&SEQ)]);
    axioms.extend([map(&INT, &SEQ), map(&SET, &INT), multiset(&SEQ)]);
    run(&axioms, include_str!("cases/nested.txt"));
}

#[test]
fn names_and_texts_of_sorts_may_differ() {
    let word = ElemSort { text: "(_ BitVec 8)", name: "BitVec8", equality: "=" };
    let axioms = [seq(&word), set(&word), multiset(&word), map(&word, &word)];
    let cases = "\
declare (declare-const s Seq<BitVec8>) (declare-const m Map<BitVec8~BitVec8>)
proves (= (Seq.index<BitVec8> (Seq.append<BitVec8> (Seq.singleton<BitVec8> #x01) s) 0) #x01)
proves (= (Map.lookup<BitVec8~BitVec8> (Map.update<BitVec8~BitVec8> m #x01 #x02) #x01) #x02)
fails (Seq.contains<BitVec8> s #x01)";
    run(&axioms, cases);
}

/// Each quantifier has a pattern and a name that says which collection it is of.
#[test]
fn quantifiers_have_patterns_and_names() {
    let all = [("seq.", seq(&INT)), ("seq.", seq_range()), ("set.", set(&INT))];
    let more = [("multiset.", multiset(&INT)), ("map.", map(&INT, &BOOL))];
    for (prefix, text) in all.iter().chain(&more) {
        assert!(!text.contains(['{', '}']), "a placeholder is left in {text}");
        for axiom in text.split("(assert (forall").skip(1) {
            assert!(axiom.contains(":pattern"), "{axiom}");
            assert!(axiom.contains(&format!(":qid {prefix}")), "{axiom}");
        }
    }
}
