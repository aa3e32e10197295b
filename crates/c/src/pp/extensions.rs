//! Extensions of gcc that the parser does not know, in terms of what it knows.

use std::collections::BTreeMap;

use lang_c::ast::Expression;

use super::Preprocessed;

/// Stands for the operand that `a ?: b` leaves out.
pub(super) const OMITTED_OPERAND: &str = "__lancehead_omitted";

/// Was this operand of `?:` left out?
pub(crate) fn is_omitted_operand(e: &Expression) -> bool {
    matches!(e, Expression::Identifier(name) if name.node.name == OMITTED_OPERAND)
}

impl Preprocessed {
    /// Takes out attributes where the parser does not expect them: of statements, where they change
    /// nothing, and of records, behind `struct` or the closing brace, where they are remembered.
    pub(crate) fn take_attributes(&mut self) {
        let end = self.text.len();
        let starts: Vec<usize> = self.origins.iter().map(|(out, _)| *out as usize).collect();
        let token = |i: usize| {
            let from = starts.get(i).copied()?;
            let to = starts.get(i + 1).copied().unwrap_or(end);
            self.text.get(from..to).map(str::trim)
        };
        let mut taken = Vec::new();
        let mut of_records: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        // The records whose braces are open, and that of the one that was closed last.
        let mut open: Vec<Option<usize>> = Vec::new();
        let mut closed = None;
        for i in 0..starts.len() {
            match token(i) {
                Some("{") => open.push(record_before(&token, i)),
                Some("}") => closed = open.pop().flatten(),
                Some("__attribute__" | "__attribute") => {
                    let Some(close) = closing(&token, i + 1) else { continue };
                    let before = i.checked_sub(1).and_then(token);
                    let record = match before {
                        Some("struct" | "union" | "enum") => i.checked_sub(1),
                        Some("}") => closed,
                        _ => None,
                    };
                    let of_statement = matches!(before, Some(";" | "{" | "}" | ":"))
                        && (token(close + 1) == Some(";") || before == Some(":"));
                    if record.is_none() && !of_statement {
                        continue;
                    }
                    let to = starts.get(close + 1).copied().unwrap_or(end);
                    taken.push((starts[i], to));
                    if let Some(at) = record.and_then(|record| starts.get(record)) {
                        let words = (i + 1..close).filter_map(token).map(str::to_owned);
                        of_records.entry(*at).or_default().extend(words);
                    }
                }
                _ => {}
            }
        }
        if taken.is_empty() {
            return;
        }
        let mut text = std::mem::take(&mut self.text).into_bytes();
        for (from, to) in taken {
            for byte in text.get_mut(from..to).into_iter().flatten() {
                if *byte != b'\n' {
                    *byte = b' ';
                }
            }
        }
        self.text = String::from_utf8(text).unwrap_or_default();
        self.of_records = of_records;
    }

    /// The words of the attributes of the record whose `struct` is at this place.
    pub(crate) fn attributes_of_record(&self, start: usize) -> &[String] {
        self.of_records.get(&start).map_or(&[], Vec::as_slice)
    }
}

/// The `struct` or `union` whose members are in the brace here.
fn record_before<'t>(token: &impl Fn(usize) -> Option<&'t str>, brace: usize) -> Option<usize> {
    let mut at = brace.checked_sub(1)?;
    for _ in 0..2 {
        if matches!(token(at)?, "struct" | "union") {
            return Some(at);
        }
        // Its attributes, or its name.
        if token(at)? == ")" {
            let mut depth = 0u32;
            loop {
                match token(at)? {
                    ")" => depth += 1,
                    "(" => depth -= 1,
                    _ => {}
                }
                at = at.checked_sub(1)?;
                if depth == 0 {
                    break;
                }
            }
        }
        at = at.checked_sub(1)?;
    }
    matches!(token(at)?, "struct" | "union").then_some(at)
}

/// The parenthesis that closes the one here.
fn closing<'t>(token: &impl Fn(usize) -> Option<&'t str>, open: usize) -> Option<usize> {
    let mut depth = 0u32;
    for i in open.. {
        match token(i)? {
            "(" => depth += 1,
            ")" if depth == 1 => return Some(i),
            ")" => depth = depth.checked_sub(1)?,
            _ if depth == 0 => return None,
            _ => {}
        }
    }
    None
}
