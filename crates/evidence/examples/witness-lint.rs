//! `witness-lint WITNESS NAME`: is the file a witness for the program of that name? Exit status 1 if not, with the reasons.

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [witness, name] = arguments.as_slice() else {
        eprintln!("usage: witness-lint WITNESS PROGRAM");
        std::process::exit(2);
    };
    let read = |path: &String| match std::fs::read(path) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(problem) => {
            eprintln!("{path}: {problem}");
            std::process::exit(2);
        }
    };
    let problems = evidence::lint::check(&read(witness), name, &read(name));
    problems.iter().for_each(|problem| println!("{problem}"));
    std::process::exit(i32::from(!problems.is_empty()));
}
