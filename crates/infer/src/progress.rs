//! How far an answer has come, for whoever waits for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counters that only grow while programs are looked at; several may share them.
#[derive(Debug, Default)]
pub struct Progress {
    /// Runs of the program.
    pub runs: AtomicU64,
    /// Commands that the shape analysis executed on symbolic heaps.
    pub symbolic: Arc<AtomicU64>,
    /// Paths that were sampled for a proof, proved, and covered by others.
    pub paths: AtomicU64,
    /// See there.
    pub proved: AtomicU64,
    /// See there.
    pub covered: AtomicU64,
}

/// So many, in a word that is short enough for a line.
fn short(n: u64) -> String {
    match n {
        0..10_000 => n.to_string(),
        10_000..10_000_000 => format!("{}k", n / 1_000),
        _ => format!("{}M", n / 1_000_000),
    }
}

impl Progress {
    /// As a clause: `1200 runs, 34k symbolic steps, 12 paths (10 proved, 2 covered)`. Empty at the start.
    #[must_use]
    pub fn text(&self) -> String {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let mut parts = Vec::new();
        let (runs, symbolic, paths) = (of(&self.runs), of(&self.symbolic), of(&self.paths));
        if runs > 0 {
            parts.push(format!("{} runs", short(runs)));
        }
        if symbolic > 0 {
            parts.push(format!("{} symbolic steps", short(symbolic)));
        }
        if paths > 0 {
            let (proved, covered) = (short(of(&self.proved)), short(of(&self.covered)));
            parts.push(format!("{} paths ({proved} proved, {covered} covered)", short(paths)));
        }
        parts.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_line_says() {
        let progress = Progress::default();
        assert_eq!(progress.text(), "");
        progress.runs.store(4239, Ordering::Relaxed);
        progress.symbolic.store(34_567, Ordering::Relaxed);
        assert_eq!(progress.text(), "4239 runs, 34k symbolic steps");
        progress.paths.store(12, Ordering::Relaxed);
        progress.proved.store(10, Ordering::Relaxed);
        assert!(progress.text().ends_with("12 paths (10 proved, 0 covered)"));
    }
}
