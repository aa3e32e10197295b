//! With the public suite at hand (a folder of divisions in `LANCEHEAD_SLCOMP`; every n-th problem if
//! `LANCEHEAD_SHARE` is n): every proof that is found is accepted.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::time::{Duration, Instant};

use induct::Induct;
use lists::Lists;
use report::FileId;
use sl::ask;
use sl::procedure::Check;
use sl::{Answer, Budget, Defs, Entailment, Procedure, Semantics};

#[test]
fn proofs_of_the_public_suite_are_accepted() {
    let Some(root) = std::env::var_os("LANCEHEAD_SLCOMP") else { return };
    let share = std::env::var("LANCEHEAD_SHARE").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let all = testing::files(root, &["smt2"]);
    let run = move || {
        let (mut accepted, mut nodes, mut wrong) = (0, 0, Vec::new());
        let (mut searching, mut checking) = (Duration::ZERO, Duration::ZERO);
        for path in all.iter().step_by(share) {
            let text = std::fs::read_to_string(path).unwrap();
            let Ok(script) = sl::smtlib::parse(FileId(0), &text) else { continue };
            for check in &script.checks {
                let question = Check::of(&check.assertions, Semantics::Standard);
                let Check::Entails(left, right) = question else { continue };
                let defs = Defs::new(check.signature.clone(), Semantics::Standard);
                let procedures: [&mut dyn Procedure; 2] = [&mut Lists, &mut Induct];
                for procedure in procedures {
                    let deadline = Instant::now() + Duration::from_secs(20);
                    let start = Instant::now();
                    let mut budget = Budget::until(Some(deadline));
                    let (scope, left, right) = ask::lowered(&defs, &left, &right);
                    let answer = procedure.entails(&scope, &left, &right, &mut budget);
                    searching += start.elapsed();
                    let Answer::Decided(Entailment::Valid(proof)) = answer else { continue };
                    if let Ok(all) = proof.derivations() {
                        nodes += all.iter().map(|d| d.tree.size()).sum::<usize>();
                    }
                    let start = Instant::now();
                    match proof::check_entailment(&scope, &left, &right, &proof) {
                        Ok(()) => accepted += 1,
                        Err(fault) => {
                            let name = procedure.name();
                            println!("{}: {name}: {fault}", path.display());
                            wrong.push(path.clone());
                        }
                    }
                    checking += start.elapsed();
                }
            }
        }
        println!(
            "{accepted} proofs of {nodes} sequents, found in {searching:?}, checked in {checking:?}"
        );
        assert!(wrong.is_empty(), "{} of {} are not accepted", wrong.len(), wrong.len() + accepted);
    };
    // Proofs may be deep.
    let thread = std::thread::Builder::new().stack_size(512 << 20).spawn(run).unwrap();
    thread.join().unwrap();
}
