//! When the program itself is wrong.
//!
//! Release builds abort on panic, so nothing can be caught; but the hook runs first, and there the
//! contract can still be kept: a message for people, a JSON object for tools, exit status 3.

use std::cell::RefCell;
use std::io::{self, Write};
use std::panic::PanicHookInfo;
use std::path::Path;

use report::{Diagnostic, FileReport, Pos, SourceMap, Status};

thread_local! {
    /// The file that this thread works on, and whether its report is to be JSON.
    static CURRENT: RefCell<Option<(String, bool)>> = const { RefCell::new(None) };
}

/// Notes what to name in the message, should the worst happen in this thread.
pub(crate) fn working_on(file: &Path, json: bool) {
    CURRENT.with_borrow_mut(|current| *current = Some((file.display().to_string(), json)));
}

/// From now on a panic in any thread ends the process with status 3 and a report.
pub(crate) fn report_panics() {
    std::panic::set_hook(Box::new(|panic| {
        die(panic);
    }));
}

fn die(panic: &PanicHookInfo<'_>) -> ! {
    let payload = panic.payload();
    let what = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a panic without a message");
    let place = panic.location().map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
    let message = format!("internal error at {place}: {what}");
    let current = CURRENT.with(|current| current.try_borrow_mut().ok()?.take());

    let mut err = io::stderr();
    let _ = writeln!(err, "lancehead: {message}");
    if let Some((file, _)) = &current {
        let _ = writeln!(err, "    while working on {file}");
    }
    let _ = writeln!(
        err,
        "    This is a bug in Lancehead {}, not in your program. Please report it at\n    {}/issues, with the program if you can.",
        env!("CARGO_PKG_VERSION"),
        env!("CARGO_PKG_REPOSITORY"),
    );
    if let Some((file, true)) = current {
        let problem = Diagnostic::error("internal.error", Pos::None, message);
        let report = FileReport::new(file, Status::InternalError, vec![problem]);
        let _ = writeln!(io::stdout(), "{}", report::json::render(&report, &SourceMap::new()));
    }
    std::process::exit(3)
}
