//! Is an inferred invariant equivalent to one that was written? Both ways are proved by `entails`, and the proofs
//! checked.

use std::time::{Duration, Instant};

use heap::run::Property;
use heap::{Formula, ProcId, Program, Scalar};
use infer::check::forget_numbers;
use infer::contract::{self, Described};
use infer::logic::{Checked, Encoder, Logic, Root, entails};
use report::Pos;
use shape::{Invariant, Outcome, Pred, State};
use sl::Budget;
use sl::core::{Scope, SymHeap};

/// What is wrong with the invariant of the only loop of a procedure, if it should be this disjunction. It is about the
/// variables that the disjuncts mention; numbers are forgotten unless one of them is ([MNCL06, Sec. 3.4.4]).
pub fn check(program: &Program, entry: ProcId, written: &[String]) -> Result<(), String> {
    let contract = contract::read(program, entry).map_err(|d| d.message.clone())?;
    let start = contract.as_ref().map(|contract| &contract.start);
    let options = shape::Options::default();
    let all = [Property::MemSafety, Property::MemTrack, Property::Reach];
    let outcomes = shape::analyse_all_from(program, entry, start, &options, &all);
    let proved = |o: &&Outcome| all.iter().filter(|property| o.proves(**property)).count();
    let outcome = outcomes.iter().max_by_key(proved).ok_or("there is no outcome")?;
    let [invariant] = &outcome.invariants[..] else { return Err("there is not one loop".into()) };
    let (names, expected) = expected(program, invariant, written)?;
    compare(program, outcome, invariant, &names, expected)
}

/// A variable: its place in the procedure, name and type.
type Named = (usize, String, Scalar);

fn expected(
    program: &Program,
    invariant: &Invariant,
    written: &[String],
) -> Result<(Vec<Named>, Described), String> {
    let decl = program.proc(invariant.site.proc);
    let text = written.join(" || ");
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let vars = decl.vars.iter().enumerate();
    let mentioned = vars.filter(|(_, var)| words.contains(&var.name.as_str()));
    let names: Vec<_> = mentioned.map(|(i, var)| (i, var.name.clone(), var.ty)).collect();
    let own = names.iter().map(|(_, name, ty)| (name.clone(), *ty)).collect();
    let formula = Formula::logic(text, Pos::None);
    let described = contract::describe(program, own, &[formula]).map_err(|d| d.message.clone())?;
    Ok((names, described))
}

fn compare(
    program: &Program,
    outcome: &Outcome,
    invariant: &Invariant,
    names: &[Named],
    mut expected: Described,
) -> Result<(), String> {
    let mut inferred: Vec<State> = invariant.states.clone();
    let mut preds: Vec<Pred> = outcome.preds.all().to_vec();
    if names.iter().all(|(_, _, ty)| ty.is_pointer()) {
        let states = inferred.iter_mut().chain(&mut expected.states).map(|state| &mut state.heap);
        let all = preds.iter_mut().chain(&mut expected.preds).flat_map(|pred| &mut pred.bodies);
        states.chain(all.map(|body| &mut body.heap)).for_each(forget_numbers);
    }
    let states: Vec<&State> = inferred.iter().chain(&expected.states).collect();
    let logic = Logic::new(&[&preds, &expected.preds], &states)?;
    let mut scope = logic.scope();
    let mut heap = |group: usize, state: &State, place: &dyn Fn(usize, usize) -> usize| {
        let mut roots = Vec::new();
        for (j, (i, name, ty)) in names.iter().enumerate() {
            let value = state.vars.get(place(j, *i));
            let var = logic.variable(&mut scope, name, *ty);
            roots.extend(var.map(|var| Root { var, is_loc: ty.is_pointer(), value }));
        }
        let global = |_, obj: &shape::Obj| obj.kind == shape::Kind::Global;
        Encoder::new(&logic, group).state(state, &roots, &global)
    };
    let ours: Vec<SymHeap> = inferred.iter().map(|state| heap(0, state, &|_, i| i)).collect();
    let theirs: Vec<SymHeap> =
        expected.states.iter().map(|state| heap(1, state, &|j, _| j)).collect();
    let name = &program.proc(invariant.site.proc).name;
    let holds = |left: &SymHeap, right: &[SymHeap], what: &str, scope: &Scope| {
        let mut budget = Budget::default();
        budget.clock.deadline = Some(Instant::now() + Duration::from_secs(20));
        match entails(scope, vec![left.clone()], right.to_vec(), &mut budget) {
            Checked::Proved => Ok(()),
            other => {
                let right: Vec<String> = right.iter().map(|heap| scope.show(heap)).collect();
                let (left, right) = (scope.show(left), right.join("\n  || "));
                Err(format!("{name}: {what}: {other:?}\n     {left}\n  |- {right}"))
            }
        }
    };
    for left in &ours {
        holds(left, &theirs, "the inferred one says less", &scope)?;
    }
    for left in &theirs {
        holds(left, &ours, "the inferred one says more", &scope)?;
    }
    Ok(())
}
