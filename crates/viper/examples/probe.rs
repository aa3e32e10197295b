fn main() {
    for f in std::env::args().skip(1) {
        let Ok(text) = std::fs::read_to_string(&f) else { continue };
        let mut m = report::SourceMap::new();
        let id = m.add(f.clone(), text.as_str());
        let p = viper::parser::parse(id, &text);
        for d in p.diagnostics {
            if let Some(s) = d.pos.span() { let lc = m.get(s.file).unwrap().line_col(s.start); println!("{f}:{}.{} {} {}", lc.line, lc.column, d.id, d.message); }
        }
    }
}
