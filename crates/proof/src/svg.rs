//! Proofs as pictures: the lines of the text, with dashed arrows from hypotheses to their companions.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use sl::proof::Derivation;

use crate::text::{Line, lines, uses};

const MARGIN: usize = 20;
const ROW: usize = 26;
const INDENT: usize = 28;
const CHAR: usize = 8;
/// Sequents that are longer are cut.
const MAX_CHARS: usize = 240;

const STYLE: &str = "text{font:13px ui-monospace,monospace;fill:#1f2328}.rule{fill:#57606a}\
.companion{fill:#0550ae;font-weight:600}.back{fill:none;stroke:#0550ae;stroke-dasharray:5 4}\
.branch{stroke:#d0d7de;stroke-width:2}";

/// The proof of an entailment.
#[must_use]
pub fn draw(derivations: &[Derivation]) -> String {
    let mut body = String::new();
    let (mut y, mut width) = (MARGIN + ROW, 0);
    for derivation in derivations {
        let mut places: BTreeMap<u32, usize> = BTreeMap::new();
        let mut arrows = Vec::new();
        for line in all_lines(derivation) {
            let x = MARGIN + line.depth * INDENT;
            let mut sequent: String = line.sequent.chars().take(MAX_CHARS).collect();
            if sequent.len() < line.sequent.len() {
                sequent.push('…');
            }
            let label = line.companion.map(|label| format!("({label}) ")).unwrap_or_default();
            let rule =
                if line.rule.is_empty() { String::new() } else { format!("    [{}]", line.rule) };
            let shown = label.len() + sequent.len() + rule.len();
            width = width.max(x + shown * CHAR);
            for depth in 0..line.depth {
                let at = MARGIN + depth * INDENT + INDENT / 2;
                let (top, bottom) = (y - ROW + 8, y + 8);
                let _ = writeln!(
                    body,
                    "<line class=\"branch\" x1=\"{at}\" y1=\"{top}\" x2=\"{at}\" y2=\"{bottom}\"/>"
                );
            }
            let _ = writeln!(
                body,
                "<text x=\"{x}\" y=\"{y}\"><tspan class=\"companion\">{}</tspan>{}\
                 <tspan class=\"rule\">{}</tspan></text>",
                escape(&label),
                escape(&sequent),
                escape(&rule)
            );
            if let Some(label) = line.companion {
                places.insert(label, y);
            }
            arrows.extend(line.refers.map(|label| (label, y)));
            y += ROW;
        }
        for (label, from) in arrows {
            let Some(to) = places.get(&label) else { continue };
            let _ = writeln!(
                body,
                "<path class=\"back\" d=\"M{MARGIN} {0}C2 {0} 2 {1} {MARGIN} {1}\"/>",
                from - 4,
                to - 4
            );
        }
        y += ROW;
    }
    let (width, height) = (width + 2 * MARGIN, y);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" xml:space=\"preserve\">\n<style>{STYLE}</style>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{body}</svg>\n"
    )
}

/// The lines of the lemmas that are used, each after its name, and those of the proof.
fn all_lines(derivation: &Derivation) -> Vec<Line> {
    let mut all = Vec::new();
    for (number, lemma) in derivation.lemmas.iter().enumerate() {
        if uses(&derivation.tree, derivation, number) {
            let title = format!("lemma {}:", number + 1);
            all.push(Line {
                depth: 0,
                companion: None,
                sequent: title,
                rule: String::new(),
                refers: None,
            });
            let deeper = |line: Line| Line { depth: line.depth + 1, ..line };
            all.extend(lines(derivation, lemma).into_iter().map(deeper));
        }
    }
    all.extend(lines(derivation, &derivation.tree));
    all
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
