//! A thread that answers questions, so that nobody has to wait for it longer than they want to.
//!
//! Procedures look at the clock themselves, between their steps. How long a single step takes depends on
//! the question; so whoever asks waits a little longer than the deadline, and then does without the
//! answer.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::Instant;

/// Reserved, not used: pages of a stack cost nothing until they are touched. Formulas may be deep.
const STACK: usize = 512 << 20;

/// Something to be done with the state of the thread.
type Job<S> = Box<dyn FnOnce(&mut S) + Send>;

/// A thread with a state of its own.
pub(crate) struct Worker<S> {
    jobs: mpsc::Sender<Job<S>>,
    thread: JoinHandle<()>,
}

impl<S: 'static> Worker<S> {
    /// Starts the thread; it makes its state itself.
    pub(crate) fn start(state: impl FnOnce() -> S + Send + 'static) -> std::io::Result<Worker<S>> {
        let (jobs, inbox) = mpsc::channel::<Job<S>>();
        let run = move || {
            let mut state = state();
            for job in inbox {
                job(&mut state);
            }
        };
        let thread = std::thread::Builder::new().stack_size(STACK).spawn(run)?;
        Ok(Worker { jobs, thread })
    }

    /// Does something and waits for it. If that takes too long, nobody waits any more, and the thread is
    /// gone with all it has.
    pub(crate) fn ask<R: Send + 'static>(
        self,
        until: Option<Instant>,
        job: impl FnOnce(&mut S) -> R + Send + 'static,
    ) -> Option<(R, Worker<S>)> {
        let (reply, answer) = mpsc::channel();
        let job: Job<S> = Box::new(move |state| {
            // Nobody may be waiting any more.
            let _ = reply.send(job(state));
        });
        // The thread ends before we do only if it panics, and then there is no answer, either.
        let _ = self.jobs.send(job);
        let received = match until {
            None => answer.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(until) => answer.recv_timeout(until.saturating_duration_since(Instant::now())),
        };
        match received {
            Ok(result) => Some((result, self)),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                drop(self.jobs);
                if let Err(panic) = self.thread.join() {
                    std::panic::resume_unwind(panic);
                }
                None
            }
        }
    }

    /// Ends the thread, which has nothing to do, and what it has started.
    pub(crate) fn stop(self) {
        drop(self.jobs);
        let _ = self.thread.join();
    }
}
