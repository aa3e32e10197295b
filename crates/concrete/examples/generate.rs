//! Prints a random program: `cargo run -p lancehead-concrete --example generate -- SEED`

fn main() {
    let seed = std::env::args().nth(1).and_then(|s| s.parse().ok()).unwrap_or(1);
    println!("{}", concrete::generate::generate(&mut concrete::Random::new(seed), 10));
}
