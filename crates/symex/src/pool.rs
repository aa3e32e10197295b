//! Workers that verify several programs at once.
//!
//! A worker is a thread with a solver of its own. It takes a unit of the first program that has one
//! ready; only if there is none does it open the next program. So programs are done nearly in their
//! order, few are open at a time, and no worker is idle while there is something to do.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::Scope;

use crate::unit::Worker;
use crate::verdict::{Member, Trouble, Verdict};
use crate::verification::{Ready, Verification};

/// Expressions nest deep. Pages of a stack cost nothing until they are touched.
const STACK: usize = 1 << 30;

/// Programs to verify, and what is to become of their verdicts. All functions are called by workers,
/// from any thread.
pub trait Programs<'p>: Sync {
    /// How many there are.
    fn count(&self) -> usize;

    /// The program with this number; `None` if there is nothing to verify after all. It is called once
    /// for each number, in their order, but several of the calls may run at the same time.
    fn open(&self, number: usize) -> Option<Verification<'p>>;

    /// A member of it is done, with all its errors. `place` counts members in source order.
    fn finished(&self, number: usize, place: usize, member: &Member);

    /// All of it is done. If the whole run is stopped, members that were not are without a verdict.
    fn closed(&self, number: usize, verdict: Verdict);

    /// Should workers stop as soon as they can? Programs that are not open then stay so.
    fn stopped(&self) -> bool;
}

/// Verifies them all, with so many workers.
pub fn verify_all<'p>(programs: &dyn Programs<'p>, jobs: usize) {
    let pool = Pool {
        programs,
        jobs: jobs.max(1),
        state: Mutex::new(State { next: 0, opening: 0, workers: 0, open: Vec::new() }),
        news: Condvar::new(),
        no_solver: OnceLock::new(),
    };
    std::thread::scope(|scope| {
        if !pool.hire(scope) {
            // Better here than not at all.
            pool.work(scope);
        }
    });
    let left = std::mem::take(&mut pool.lock().open);
    for (number, verification) in left {
        programs.closed(number, verification.verdict(&Trouble::Cancelled));
    }
}

struct Pool<'a, 'p> {
    programs: &'a dyn Programs<'p>,
    jobs: usize,
    state: Mutex<State<'p>>,
    news: Condvar,
    /// If the solver cannot be started once, it is not tried again.
    no_solver: OnceLock<Trouble>,
}

struct State<'p> {
    /// The number of the first program that was not opened.
    next: usize,
    /// How many are being opened.
    opening: usize,
    /// How many workers there are.
    workers: usize,
    /// By number.
    open: Vec<(usize, Arc<Verification<'p>>)>,
}

enum Task<'p> {
    Open(usize),
    Unit(usize, Arc<Verification<'p>>, Ready),
}

impl<'p> Pool<'_, 'p> {
    fn lock(&self) -> MutexGuard<'_, State<'p>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a worker, if there may be one more.
    fn hire<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>) -> bool {
        let number = {
            let mut state = self.lock();
            if state.workers >= self.jobs {
                return false;
            }
            state.workers += 1;
            state.workers
        };
        let builder =
            std::thread::Builder::new().name(format!("verifier {number}")).stack_size(STACK);
        // A thread that cannot be had leaves its work to the others.
        builder.spawn_scoped(scope, move || self.work(scope)).is_ok()
    }

    fn work<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>) {
        let mut worker = Worker::default();
        while let Some((task, more)) = self.next() {
            if more {
                self.hire(scope);
            }
            match task {
                Task::Open(number) => self.open(number),
                Task::Unit(number, verification, ready) => {
                    let trouble = self.no_solver.get();
                    let members = verification.run(&mut worker, ready, trouble);
                    for (place, member) in &members {
                        if let Some(trouble @ Trouble::NoSolver(_)) = &member.trouble {
                            let _ = self.no_solver.set(trouble.clone());
                        }
                        self.programs.finished(number, *place, member);
                    }
                    verification.release();
                    self.close_if_done(number, &verification);
                }
            }
            self.news.notify_all();
        }
    }

    /// What to do next, and whether there is more of it; waits until there is something. `None` if
    /// nothing is left.
    fn next(&self) -> Option<(Task<'p>, bool)> {
        let mut state = self.lock();
        loop {
            if self.programs.stopped() {
                return None;
            }
            let unit = state.open.iter().find_map(|(number, verification)| {
                verification.take().map(|ready| (*number, Arc::clone(verification), ready))
            });
            let count = self.programs.count();
            if let Some((number, verification, ready)) = unit {
                let more = state.next < count || state.open.iter().any(|(_, v)| v.has_ready());
                return Some((Task::Unit(number, verification, ready), more));
            }
            if state.next < count {
                let number = state.next;
                state.next += 1;
                state.opening += 1;
                return Some((Task::Open(number), state.next < count));
            }
            if state.open.is_empty() && state.opening == 0 {
                return None;
            }
            state = self.news.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn open(&self, number: usize) {
        let opened = self.programs.open(number).map(Arc::new);
        let mut state = self.lock();
        state.opening -= 1;
        if let Some(verification) = &opened {
            let at = state.open.partition_point(|(other, _)| *other < number);
            state.open.insert(at, (number, Arc::clone(verification)));
        }
        drop(state);
        if let Some(verification) = &opened {
            self.close_if_done(number, verification);
        }
    }

    /// Whoever finds a program done and takes it off the list closes it.
    fn close_if_done(&self, number: usize, verification: &Arc<Verification<'p>>) {
        if !verification.is_done() {
            return;
        }
        let mut state = self.lock();
        let before = state.open.len();
        state.open.retain(|(other, _)| *other != number);
        if state.open.len() == before {
            return;
        }
        // Until it is closed the others must not think that nothing is left.
        state.opening += 1;
        drop(state);
        self.programs.closed(number, verification.verdict(&Trouble::Cancelled));
        self.lock().opening -= 1;
    }
}
