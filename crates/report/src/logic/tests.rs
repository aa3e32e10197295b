use super::human::Show;
use super::*;

const ALL: Show = Show { model: true, proof: true, stats: true };
const NOTHING: Show = Show { model: false, proof: false, stats: false };

fn effort(searches: u64) -> Effort {
    Effort {
        time: Duration::from_micros(1_250),
        procedure: Some("lists"),
        searches,
        queries: 5,
        rounds: 2,
        instances: 7,
        nodes: 11,
        waiting: Duration::from_micros(400),
    }
}

fn answer(verdict: Verdict) -> AnswerReport {
    AnswerReport { verdict, model: None, proof: None, effort: effort(0) }
}

fn report(question: Question, answers: Vec<AnswerReport>) -> LogicReport {
    let time = Duration::from_millis(3);
    LogicReport { file: "a.smt2".to_owned(), question, time, answers, expected: None }
}

fn cell(location: &str, content: Content) -> CellReport {
    CellReport { location: location.to_owned(), content }
}

fn pair(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

#[test]
fn the_last_answer_decides_the_exit_status_and_all_of_them_the_status() {
    let unknown = || answer(Verdict::Unknown("timed out".to_owned()));
    let first = report(Question::Checks, vec![unknown(), answer(Verdict::Sat)]);
    assert_eq!((first.is_solved(), first.exit_code()), (false, 0));
    let last = report(Question::Checks, vec![answer(Verdict::Sat), unknown()]);
    assert_eq!((last.is_solved(), last.exit_code()), (false, 3));
    let none = report(Question::Checks, Vec::new());
    assert_eq!((none.is_solved(), none.exit_code()), (true, 0));
}

#[test]
fn people_see_what_they_ask_for() {
    let mut invalid = answer(Verdict::Invalid);
    let text = "x = #1\n".to_owned();
    invalid.model = Some(ModelReport { stack: Vec::new(), heap: Vec::new(), text });
    invalid.effort = effort(3);
    let shown = human::render(&invalid, Some("a.smt2"), ALL);
    assert_eq!(shown.text, "a.smt2: invalid\nx = #1\n");
    assert_eq!(
        shown.stats.as_deref(),
        Some(
            "a.smt2: stats: lists, 1.3 ms, 0.4 of them waiting for the solver: 3 searches, 5 queries, \
             2 rounds of 7 instances of axioms, at most 11 nodes\n"
        )
    );
    let shown = human::render(&invalid, None, NOTHING);
    assert_eq!((shown.text.as_str(), shown.stats), ("invalid\n", None));

    let mut valid = answer(Verdict::Valid);
    valid.proof = Some(Err("a solver says so".to_owned()));
    let shown = human::render(&valid, None, NOTHING);
    assert_eq!(shown.complaints, ["there is no proof: a solver says so"]);
    valid.proof = Some(Ok(ProofReport { text: "1. emp |- emp\n".to_owned(), svg: None }));
    assert_eq!(human::render(&valid, None, ALL).text, "valid\n1. emp |- emp\n");
    assert_eq!(human::render(&valid, None, NOTHING).text, "valid\n");

    let shown = human::render(&answer(Verdict::Unknown("timed out".to_owned())), Some("b"), ALL);
    assert_eq!(shown.text, "b: unknown\n");
    assert_eq!(shown.complaints, ["b: not decided: timed out"]);
}

#[test]
fn files_that_ask_nothing_or_say_something_else_get_a_warning() {
    let mut sat = report(Question::Checks, vec![answer(Verdict::Sat)]);
    assert_eq!(human::warning(&sat, ALL), None);
    sat.expected = Some(Expected::Unsat);
    let said = "warning: a.smt2: the answer is sat, but its `:status` is unsat; ";
    let shown = human::warning(&sat, ALL);
    assert_eq!(shown, Some(format!("{said}the model that is shown was checked")));
    let hidden = human::warning(&sat, NOTHING);
    assert_eq!(hidden, Some(format!("{said}--model shows the model, which was checked")));
    let nothing = human::warning(&report(Question::Checks, Vec::new()), ALL);
    assert!(nothing.is_some_and(|text| text.contains("there is no `(check-sat)`")));
}

#[test]
fn tools_get_one_object_a_file() {
    let mut sat = answer(Verdict::Sat);
    sat.model = Some(ModelReport {
        stack: vec![pair("x", "#1")],
        heap: vec![
            cell("#1", Content::Fields(vec![pair("next", "nil")])),
            cell("#2", Content::Value("7".to_owned())),
        ],
        text: String::new(),
    });
    let mut valid = answer(Verdict::Valid);
    valid.proof = Some(Err("a solver says so".to_owned()));
    assert_eq!(
        json::render(&report(Question::Checks, vec![sat, valid]), false),
        r##"{"checks":[{"model":{"heap":[{"fields":{"next":"nil"},"location":"#1"},{"content":"7","location":"#2"}],"stack":{"x":"#1"}},"reason":null,"verdict":"sat"},{"model":null,"proof":null,"reason":null,"verdict":"valid"}],"errors":[],"file":"a.smt2","status":"solved","time_ms":3}"##
    );
    let found = answer(Verdict::Found("ls(y, nil)".to_owned()));
    assert_eq!(
        json::render(&report(Question::Formula, vec![found]), false),
        r#"{"errors":[],"file":"a.smt2","formula":"ls(y, nil)","model":null,"reason":null,"status":"solved","time_ms":3}"#
    );
    let unknown = answer(Verdict::Unknown("timed out".to_owned()));
    assert_eq!(
        json::render(&report(Question::Formula, vec![unknown]), true),
        r#"{"errors":[],"file":"a.smt2","formula":null,"model":null,"reason":"timed out","stats":{"instances":7,"nodes":11,"procedure":"lists","queries":5,"rounds":2,"searches":0,"solver_ms":0.4,"time_ms":1.3},"status":"unknown","time_ms":3}"#
    );
}
