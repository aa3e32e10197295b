//! Questions of separation logic as a library answers them: reports, drawings, proofs, limits.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::PathBuf;
use std::time::Duration;

use driver::ask::{Asker, Question, Settings};
use report::logic::{AnswerReport, Expected, Verdict};

fn asker(settings: Settings) -> Asker {
    Asker::new(settings, Some(testing::z3()))
}

fn only(asker: &mut Asker, question: Question<'_>) -> AnswerReport {
    let done = asker.text(question).unwrap_or_else(|e| panic!("{:?}", e.report.diagnostics));
    let [answer] = done.report.answers.as_slice() else { panic!("{:?}", done.report) };
    answer.clone()
}

#[test]
fn verdicts_are_in_the_words_of_the_question() {
    let mut asker = asker(Settings::default());
    for (question, expected) in [
        (Question::Sat("x |-> y * ls(y, nil)"), Verdict::Sat),
        (Question::Sat("x |-> y * x |-> z"), Verdict::Unsat),
        (Question::Entails("x |-> y * ls(y, nil)", "ls(x, nil)"), Verdict::Valid),
        (Question::Entails("ls(x, y) * ls(y, z)", "ls(x, z)"), Verdict::Invalid),
        (Question::Frame("x |-> y * z |-> x", "z |-> x"), Verdict::Found(String::new())),
        (Question::Frame("ls(x, nil)", "x |-> y"), Verdict::Nothing),
        (Question::Abduce("x |-> y", "ls(x, nil)"), Verdict::Found("ls(y, nil)".into())),
        (Question::Entails("x |-> y * y |-> x", "!emp * !emp"), Verdict::Valid),
    ] {
        let answer = only(&mut asker, question);
        match (&answer.verdict, expected) {
            (Verdict::Found(frame), Verdict::Found(empty)) if empty.is_empty() => {
                assert!(frame.ends_with("x |-> y"), "{frame}");
            }
            (verdict, expected) => assert_eq!(*verdict, expected, "{question:?}"),
        }
        let has_model =
            matches!(answer.verdict, Verdict::Sat | Verdict::Invalid | Verdict::Nothing);
        assert_eq!(answer.model.is_some(), has_model, "{question:?}");
    }
}

#[test]
fn proofs_and_drawings_are_made_if_they_are_wanted() {
    let question = Question::Entails("x |-> y * ls(y, nil)", "ls(x, nil)");
    assert_eq!(only(&mut asker(Settings::default()), question).proof, None);
    let wanted = Settings { proofs: true, proof_drawings: true, ..Settings::default() };
    let mut asker_of_proofs = asker(Settings { check_proofs: true, drawing: true, ..wanted });
    let proof = only(&mut asker_of_proofs, question).proof.unwrap().unwrap();
    assert!(proof.text.contains("[match cell]"), "{}", proof.text);
    assert!(proof.svg.unwrap().starts_with("<svg "));
    // A solver has no proof to show, and says so.
    let by_solver = Question::Entails("x |-> y * y |-> x", "!emp * !emp");
    assert!(only(&mut asker_of_proofs, by_solver).proof.unwrap().is_err());
    for (question, is_drawn) in [
        (Question::Entails("ls(x, y) * ls(y, z)", "ls(x, z)"), true),
        (Question::Frame("ls(x, nil)", "x |-> y"), true),
        (Question::Frame("x |-> y", "x |-> y"), false),
    ] {
        let drawing = asker_of_proofs.text(question).unwrap().drawing;
        assert_eq!(drawing.is_some(), is_drawn, "{question:?}");
        assert!(drawing.is_none_or(|drawing| drawing.dot.starts_with("digraph ")));
    }
}

#[test]
fn files_have_an_answer_for_every_check() {
    let folder = testing::scratch(env!("CARGO_TARGET_TMPDIR"), "ask-files").unwrap();
    let path = folder.join("a.smt2");
    let script = "(set-info :status sat) (declare-sort Ref 0) (declare-heap (Ref Ref))
        (declare-const x Ref) (assert (pto x x)) (check-sat) (assert (= x (as nil Ref))) (check-sat)";
    std::fs::write(&path, script).unwrap();
    let report = asker(Settings::default()).file(&path).unwrap().report;
    let verdicts: Vec<&Verdict> = report.answers.iter().map(|answer| &answer.verdict).collect();
    assert_eq!(verdicts, [&Verdict::Sat, &Verdict::Unsat]);
    // The author is of another opinion on the last one.
    assert_eq!(report.expected, Some(Expected::Sat));
    let Err(invalid) = asker(Settings::default()).file(&folder.join("none.smt2")) else { panic!() };
    assert_eq!(invalid.report.diagnostics.len(), 1);
}

#[test]
fn what_cannot_be_answered_says_why() {
    let Err(invalid) = asker(Settings::default()).text(Question::Sat("x |->")) else { panic!() };
    assert_eq!(invalid.report.diagnostics[0].id, "sl.syntax");
    let mut without = Asker::new(Settings::default(), Some(PathBuf::from("/no/such/z3")));
    let answer = only(&mut without, Question::Sat("!emp -* false"));
    let Verdict::Unknown(why) = answer.verdict else { panic!("{:?}", answer.verdict) };
    assert!(why.contains("/no/such/z3"), "{why}");
    let late = Settings { timeout: Some(Duration::from_nanos(1)), ..Settings::default() };
    let answer = only(&mut asker(late), Question::Entails("!emp * !emp", "!emp"));
    assert!(matches!(answer.verdict, Verdict::Unknown(_)), "{:?}", answer.verdict);
}
