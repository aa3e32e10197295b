//! Ctrl-C: the first stops the verification, so that what is known is still reported; the second
//! stops the process.

use symex::Cancel;

use crate::output::complain;

/// The exit status that shells give to a process which Ctrl-C ended.
const KILLED_BY_INTERRUPT: i32 = 130;

/// From now on Ctrl-C sets this flag. So do requests to terminate, such as those of `timeout`.
///
/// Where signals are ignored (`nohup`, background jobs of scripts) they stay ignored.
pub(crate) fn cancels(cancel: Cancel) {
    let handler = move || {
        if cancel.is_cancelled() {
            std::process::exit(KILLED_BY_INTERRUPT);
        }
        complain("interrupted; here is what is known (once more to stop at once)");
        cancel.cancel();
    };
    // Without a handler Ctrl-C still ends the process.
    let _ = ctrlc::try_set_handler(handler);
}
