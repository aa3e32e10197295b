//! Ctrl-C: the first stops the verification, so that what is known is still reported; the second
//! stops the process.

use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;

use symex::Cancel;

use crate::output::complain;

/// The exit status that shells give to a process which Ctrl-C ended.
const KILLED_BY_INTERRUPT: i32 = 130;

/// That of a run that could not finish.
const UNFINISHED: i32 = 3;

/// How long workers have to come to an end. Those that wait for a solver need 20 ms. Others may be
/// reading standard input, or in the middle of a long computation; their solvers are idle then, and
/// end when we do.
const GRACE: Duration = Duration::from_millis(500);

type LastWords = Arc<Mutex<Option<Box<dyn FnOnce() + Send>>>>;

/// Somebody who listens for Ctrl-C.
pub(crate) struct Interrupt {
    last_words: LastWords,
}

impl Interrupt {
    /// From now on Ctrl-C sets this flag. So do requests to terminate, such as those of `timeout`.
    ///
    /// Where signals are ignored (`nohup`, background jobs of scripts) they stay ignored.
    pub(crate) fn cancels(cancel: Cancel) -> Interrupt {
        let last_words: LastWords = Arc::new(Mutex::new(Some(Box::new(|| {}))));
        let stuck = Arc::clone(&last_words);
        let handler = move || {
            if cancel.is_cancelled() {
                std::process::exit(KILLED_BY_INTERRUPT);
            }
            cancel.cancel();
            complain("interrupted");
            let stuck = Arc::clone(&stuck);
            let end = move || {
                std::thread::sleep(GRACE);
                // Who waits for this lock will not get it.
                let mut words = stuck.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(words) = words.take() {
                    let (said, heard) = mpsc::channel();
                    let say = move || {
                        words();
                        let _ = said.send(());
                    };
                    // Standard output may be a pipe that nobody reads.
                    if std::thread::Builder::new().name("last words".into()).spawn(say).is_ok() {
                        let _ = heard.recv_timeout(GRACE);
                    }
                    std::process::exit(UNFINISHED);
                }
            };
            // Not here: a second Ctrl-C has to be heard.
            let _ = std::thread::Builder::new().name("interrupt".into()).spawn(end);
        };
        // Without a handler Ctrl-C still ends the process.
        let _ = ctrlc::try_set_handler(handler);
        Interrupt { last_words }
    }

    /// What to say if the run has to be left where it is.
    pub(crate) fn last_words(&self, words: impl FnOnce() + Send + 'static) {
        let mut last = self.last_words.lock().unwrap_or_else(PoisonError::into_inner);
        // If they are gone, so are we in a moment.
        if last.is_some() {
            *last = Some(Box::new(words));
        }
    }

    /// The run has ended by itself, and speaks for itself.
    pub(crate) fn done(&self) {
        self.last_words.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}
