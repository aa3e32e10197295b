//! How fast programs are read and run: `make bench-run`.

#![allow(clippy::expect_used)]

use std::time::{Duration, Instant};

use c::NoFiles;
use heap::run::{Config, End, Inputs, Run};
use report::SourceMap;

// As the program has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Lists are built, reversed many times and freed.
const LISTS: &str = "#include <stdlib.h>
struct node { struct node *next; int data; };
int main(void) {
    int total = 0;
    for (int round = 0; round < 2000; round++) {
        struct node *l = NULL;
        for (int i = 0; i < 100; i++) {
            struct node *n = malloc(sizeof *n);
            n->data = i;
            n->next = l;
            l = n;
        }
        for (int k = 0; k < 20; k++) {
            struct node *r = NULL;
            while (l) {
                struct node *t = l->next;
                l->next = r;
                r = l;
                l = t;
            }
            l = r;
        }
        while (l) {
            struct node *t = l->next;
            total += l->data;
            free(l);
            l = t;
        }
    }
    return total != 9900000;
}
";

/// The best of so many rounds is shown.
const ROUNDS: usize = 10;

/// Measures time on the processor where the system tells it: others may use the machine.
struct Clock(Instant, Option<Duration>);

impl Clock {
    fn start() -> Clock {
        Clock(Instant::now(), Clock::on_processor())
    }

    fn on_processor() -> Option<Duration> {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
    }

    fn seconds(&self) -> f64 {
        let used = self.1.and_then(|start| Clock::on_processor()?.checked_sub(start));
        used.unwrap_or_else(|| self.0.elapsed()).as_secs_f64()
    }
}

fn main() {
    let load = |text: &str| {
        let mut sources = SourceMap::new();
        let file = sources.add("bench.c", text);
        c::load(&NoFiles, &mut sources, file, c::Options::default())
    };
    let lists = load(LISTS).program.expect("it is a program");
    let config = Config { max_steps: u64::MAX, ..Config::default() };
    let mut best = f64::MAX;
    let mut steps = 0;
    for _ in 0..ROUNDS {
        let start = Clock::start();
        let run = Run::new(&lists, &config, Inputs::seeded(1));
        best = best.min(start.seconds());
        assert_eq!(run.end, End::Returned(0));
        steps = run.steps;
    }
    println!(
        "run: {steps} commands, {:.1} million a second (best of {ROUNDS})",
        steps as f64 / best / 1e6
    );

    // Without directives, as a compiler's preprocessor leaves it.
    let body = LISTS.replace("#include <stdlib.h>\n", "").replace("NULL", "0");
    let mut text = String::from("void *malloc(unsigned long); void free(void *);\n");
    let mut count = 0;
    while text.len() < 2_000_000 {
        text.push_str(
            &body
                .replace("struct node", &format!("struct node{count}"))
                .replace("main", &format!("f{count}")),
        );
        count += 1;
    }
    let parser = {
        let mut best = f64::MAX;
        for _ in 0..ROUNDS {
            let (config, text) = (lang_c::driver::Config::with_gcc(), text.clone());
            let start = Clock::start();
            let parsed = lang_c::driver::parse_preprocessed(&config, text);
            best = best.min(start.seconds());
            assert!(parsed.is_ok());
        }
        best
    };
    let mut best = f64::MAX;
    for _ in 0..ROUNDS {
        let start = Clock::start();
        let loaded = load(&text);
        best = best.min(start.seconds());
        assert!(loaded.program.is_some(), "{:?}", loaded.diagnostics.first());
    }
    println!(
        "front end: {} functions, {:.1} MB/s (best of {ROUNDS}); lang-c alone {:.1} MB/s",
        count,
        text.len() as f64 / best / 1e6,
        text.len() as f64 / parser / 1e6,
    );
    // Programs of others.
    for tree in std::env::args().skip(1).filter(|arg| !arg.starts_with('-')) {
        let files = testing::files(&tree, &["i"]);
        let texts: Vec<String> =
            files.iter().filter_map(|path| std::fs::read_to_string(path).ok()).collect();
        let bytes: usize = texts.iter().map(String::len).sum();
        let mut best = f64::MAX;
        for _ in 0..ROUNDS {
            let start = Clock::start();
            texts.iter().for_each(|text| drop(load(text)));
            best = best.min(start.seconds());
        }
        let (files, speed) = (texts.len(), bytes as f64 / best / 1e6);
        println!("front end: {files} preprocessed files in {tree}, {speed:.1} MB/s");
    }
}
