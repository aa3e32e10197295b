//! Is this text a witness? The rules of SV-COMP's format 2.0, written down once more, beside what writes witnesses: the fields
//! that there must be and may be, what they hold, in which order waypoints come, and what their locations point at.
//!
//! The reader knows the part of YAML that witnesses need: lists and maps by indentation, and scalars on one line.

use crate::sha256;

/// A value of YAML.
#[derive(Clone, Debug, PartialEq)]
enum Yaml {
    Scalar(String),
    List(Vec<Yaml>),
    Map(Vec<(String, Yaml)>),
}

/// What is wrong with a witness for this program, which has this name; the empty list if nothing is.
#[must_use]
pub fn check(witness: &str, name: &str, program: &str) -> Vec<String> {
    let mut lint = Lint { name, program, problems: Vec::new() };
    match read(witness) {
        Ok(Yaml::List(entries)) if !entries.is_empty() => {
            entries.iter().for_each(|entry| lint.entry(entry));
        }
        Ok(_) => lint.wrong("a witness is a list of entries".into()),
        Err(problem) => lint.wrong(problem),
    }
    lint.problems
}

struct Lint<'t> {
    name: &'t str,
    program: &'t str,
    problems: Vec<String>,
}

impl Lint<'_> {
    fn wrong(&mut self, problem: String) {
        self.problems.push(problem);
    }

    /// The fields of a map: those that must be there, and those that may be.
    fn fields(&mut self, of: &Yaml, what: &str, must: &[&str], may: &[&str]) {
        let Yaml::Map(fields) = of else {
            return self.wrong(format!("{what} is no map"));
        };
        for (key, _) in fields {
            if !must.contains(&key.as_str()) && !may.contains(&key.as_str()) {
                self.wrong(format!("{what} has no field `{key}`"));
            }
        }
        for key in must {
            if fields.iter().filter(|(k, _)| k == key).count() != 1 {
                self.wrong(format!("{what} needs one field `{key}`"));
            }
        }
    }

    fn one_of(&mut self, of: &Yaml, field: &str, values: &[&str]) {
        let value = of.text(field);
        if !values.contains(&value) {
            self.wrong(format!("`{field}` is `{value}`, and not one of {}", values.join(", ")));
        }
    }

    fn entry(&mut self, entry: &Yaml) {
        self.fields(entry, "an entry", &["entry_type", "metadata", "content"], &[]);
        self.one_of(entry, "entry_type", &["violation_sequence", "invariant_set"]);
        if let Some(metadata) = entry.get("metadata") {
            self.metadata(metadata);
        }
        let empty = Yaml::List(Vec::new());
        let Yaml::List(content) = entry.get("content").unwrap_or(&empty) else {
            return self.wrong("`content` is no list".into());
        };
        if entry.text("entry_type") == "violation_sequence" {
            self.segments(content);
        } else {
            content.iter().for_each(|element| self.invariant(element));
        }
    }

    fn metadata(&mut self, metadata: &Yaml) {
        let must = ["format_version", "uuid", "creation_time", "producer", "task"];
        self.fields(metadata, "metadata", &must, &[]);
        self.one_of(metadata, "format_version", &["2.0"]);
        let uuid = metadata.text("uuid");
        let shape: String =
            uuid.chars().map(|c| if c.is_ascii_hexdigit() { 'x' } else { c }).collect();
        if shape != "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx" {
            self.wrong(format!("`{uuid}` is no uuid"));
        }
        let time = metadata.text("creation_time");
        let shape: String =
            time.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
        let zones = ["Z", "+00:00", "-00:00"];
        let plain = zones.iter().find_map(|zone| shape.strip_suffix(zone));
        if plain != Some("0000-00-00T00:00:00") {
            self.wrong(format!("`{time}` is no time with a zone"));
        }
        if let Some(producer) = metadata.get("producer") {
            let may = ["configuration", "command_line", "description"];
            self.fields(producer, "the producer", &["name", "version"], &may);
        }
        if let Some(task) = metadata.get("task") {
            self.task(task);
        }
    }

    fn task(&mut self, task: &Yaml) {
        let must = ["input_files", "input_file_hashes", "specification", "data_model", "language"];
        self.fields(task, "the task", &must, &[]);
        self.one_of(task, "data_model", &["ILP32", "LP64"]);
        self.one_of(task, "language", &["C"]);
        if task.get("input_files") != Some(&Yaml::List(vec![Yaml::Scalar(self.name.into())])) {
            self.wrong("`input_files` is not the program".into());
        }
        let hash = sha256::hex(self.program.as_bytes());
        let hashes = Yaml::Map(vec![(self.name.to_owned(), Yaml::Scalar(hash))]);
        if task.get("input_file_hashes") != Some(&hashes) {
            self.wrong("`input_file_hashes` is not that of the program".into());
        }
        for line in task.text("specification").split('\n') {
            let formula = line
                .strip_prefix("CHECK( init(")
                .and_then(|rest| rest.split_once("()), LTL(G "))
                .and_then(|(_, rest)| rest.strip_suffix(") )"));
            let known = ["valid-free", "valid-deref", "valid-memtrack", "! call(reach_error())"];
            if !formula.is_some_and(|formula| known.contains(&formula)) {
                self.wrong(format!("`{line}` is no specification"));
            }
        }
    }

    fn segments(&mut self, content: &[Yaml]) {
        if content.is_empty() {
            self.wrong("a violation needs a target".into());
        }
        for (i, element) in content.iter().enumerate() {
            self.fields(element, "an element of a violation", &["segment"], &[]);
            let Some(Yaml::List(segment)) = element.get("segment") else {
                self.wrong("a segment is a list of waypoints".into());
                continue;
            };
            if segment.is_empty() {
                self.wrong("a segment has a waypoint".into());
            }
            for (j, element) in segment.iter().enumerate() {
                self.fields(element, "an element of a segment", &["waypoint"], &[]);
                let Some(waypoint) = element.get("waypoint") else { continue };
                let last = j + 1 == segment.len();
                let ends = last && i + 1 == content.len();
                self.waypoint(waypoint, last, ends);
            }
        }
    }

    /// The last waypoint of a segment is followed, the others are avoided; the last of all is the target.
    fn waypoint(&mut self, waypoint: &Yaml, last: bool, ends: bool) {
        let kind = waypoint.text("type").to_owned();
        let types = ["assumption", "branching", "function_enter", "function_return", "target"];
        self.one_of(waypoint, "type", &types);
        self.one_of(waypoint, "action", &[if last { "follow" } else { "avoid" }]);
        if (kind == "target") != ends {
            self.wrong("the target is the last waypoint, and only that".into());
        }
        let free = matches!(kind.as_str(), "target" | "function_enter");
        let must = ["type", "action", "location", "constraint"];
        self.fields(waypoint, &kind, must.get(..if free { 3 } else { 4 }).unwrap_or_default(), &[]);
        if let Some(constraint) = waypoint.get("constraint") {
            self.fields(constraint, "a constraint", &["value"], &["format"]);
            let value = constraint.text("value").to_owned();
            let formats = match kind.as_str() {
                "function_return" => "acsl_expression",
                _ => "c_expression",
            };
            if constraint.get("format").is_some() {
                self.one_of(constraint, "format", &[formats]);
            }
            let fits = match kind.as_str() {
                "branching" => {
                    matches!(value.as_str(), "true" | "false" | "default")
                        || value.parse::<i128>().is_ok()
                }
                "function_return" => value.starts_with("\\result "),
                _ => !value.trim().is_empty(),
            };
            if !fits {
                self.wrong(format!("`{value}` does not constrain a waypoint `{kind}`"));
            }
        }
        let points_at: &[&str] = match kind.as_str() {
            "function_enter" | "function_return" => &[")"],
            "branching" => &["if", "while", "for", "do", "switch", "?"],
            _ => &[],
        };
        self.location(waypoint, points_at);
    }

    fn invariant(&mut self, element: &Yaml) {
        self.fields(element, "an element of an invariant set", &["invariant"], &[]);
        let Some(invariant) = element.get("invariant") else { return };
        let must = ["type", "location", "value", "format"];
        self.fields(invariant, "an invariant", &must, &[]);
        self.one_of(invariant, "type", &["loop_invariant", "location_invariant"]);
        self.one_of(invariant, "format", &["c_expression"]);
        if invariant.text("value").trim().is_empty() {
            self.wrong("an invariant has a value".into());
        }
        let is_loop = invariant.text("type") == "loop_invariant";
        self.location(invariant, if is_loop { &["while", "for", "do"] } else { &[] });
    }

    /// A place in the program, at which one of these stands, if there are some.
    fn location(&mut self, of: &Yaml, points_at: &[&str]) {
        let Some(location) = of.get("location") else { return };
        let may = ["column", "function", "file_hash"];
        self.fields(location, "a location", &["file_name", "line"], &may);
        if location.text("file_name") != self.name {
            self.wrong(format!("`{}` is no file of the task", location.text("file_name")));
        }
        let number = |field| location.text(field).parse::<usize>().unwrap_or(0);
        let Some(line) = self.program.lines().nth(number("line").wrapping_sub(1)) else {
            return self.wrong(format!("there is no line {}", location.text("line")));
        };
        if location.get("column").is_none() {
            return;
        }
        let mut rest = line.chars().skip(number("column").wrapping_sub(1)).peekable();
        if number("column") == 0 || rest.peek().is_none_or(|c| c.is_whitespace()) {
            return self.wrong(format!(
                "there is nothing at {}:{}",
                number("line"),
                number("column")
            ));
        }
        let rest: String = rest.collect();
        let is = |word: &&str| {
            rest.strip_prefix(*word).is_some_and(|behind| {
                let goes_on = behind.starts_with(|c: char| c == '_' || c.is_ascii_alphanumeric());
                !goes_on || !word.starts_with(|c: char| c.is_ascii_alphabetic())
            })
        };
        if !points_at.is_empty() && !points_at.iter().any(is) {
            let shown: String = rest.chars().take(12).collect();
            self.wrong(format!("`{shown}` is none of {}", points_at.join(", ")));
        }
    }
}

impl Yaml {
    fn get(&self, field: &str) -> Option<&Yaml> {
        match self {
            Yaml::Map(fields) => fields.iter().find(|(key, _)| key == field).map(|(_, v)| v),
            _ => None,
        }
    }

    fn text(&self, field: &str) -> &str {
        match self.get(field) {
            Some(Yaml::Scalar(text)) => text,
            _ => "",
        }
    }
}

/// Nested deeper than this is no witness.
const DEPTH: usize = 32;

fn read(text: &str) -> Result<Yaml, String> {
    let mut lines: Vec<(usize, &str)> = Vec::new();
    for line in text.lines() {
        let content = line.trim_start_matches(' ');
        if !content.is_empty() && !content.starts_with('#') {
            lines.push((line.len() - content.len(), content));
        }
    }
    let mut reader = Reader { lines, at: 0 };
    let value = reader.value(0, 0)?;
    match reader.lines.get(reader.at) {
        None => Ok(value),
        Some((_, line)) => Err(format!("this belongs to nothing: `{line}`")),
    }
}

struct Reader<'t> {
    /// Indentation and text.
    lines: Vec<(usize, &'t str)>,
    at: usize,
}

impl<'t> Reader<'t> {
    fn peek(&self, indent: usize) -> Option<&'t str> {
        self.lines.get(self.at).filter(|(column, _)| *column == indent).map(|(_, line)| *line)
    }

    /// A list or a map at this indentation.
    fn value(&mut self, indent: usize, depth: usize) -> Result<Yaml, String> {
        if depth > DEPTH {
            return Err("it is nested too deeply".into());
        }
        if self.peek(indent).is_some_and(|line| line.starts_with("- ")) {
            let mut list = Vec::new();
            while let Some(line) = self.peek(indent).filter(|line| line.starts_with("- ")) {
                let item = line.get(2..).unwrap_or_default().trim_start();
                let inner = indent + line.len() - item.len();
                if key_of(item).is_some() {
                    // The map starts on the line of the dash.
                    if let Some(place) = self.lines.get_mut(self.at) {
                        *place = (inner, item);
                    }
                    list.push(self.value(inner, depth + 1)?);
                } else {
                    self.at += 1;
                    list.push(Yaml::Scalar(scalar(item)?));
                }
            }
            return Ok(Yaml::List(list));
        }
        let mut map = Vec::new();
        while let Some(line) = self.peek(indent) {
            let Some((key, rest)) = key_of(line) else {
                return Err(format!("this is no field: `{line}`"));
            };
            let (key, rest) = (scalar(key)?, rest.trim());
            self.at += 1;
            let value = match (rest, self.lines.get(self.at)) {
                ("[]", _) => Yaml::List(Vec::new()),
                ("", Some((inner, line)))
                    if *inner > indent || (*inner == indent && line.starts_with("- ")) =>
                {
                    let inner = *inner;
                    self.value(inner, depth + 1)?
                }
                ("", _) => return Err(format!("`{key}` has no value")),
                (rest, _) => Yaml::Scalar(scalar(rest)?),
            };
            map.push((key, value));
        }
        Ok(Yaml::Map(map))
    }
}

/// The key of a line, and what is behind the colon.
fn key_of(line: &str) -> Option<(&str, &str)> {
    let end = match line.strip_prefix('"') {
        Some(rest) => rest.find('"')? + 2,
        None => line.find(':')?,
    };
    let (key, rest) = line.split_at_checked(end)?;
    let rest = rest.strip_prefix(':')?;
    (rest.is_empty() || rest.starts_with(' ')).then_some((key, rest))
}

fn scalar(text: &str) -> Result<String, String> {
    let Some(quoted) = text.strip_prefix('"') else { return Ok(text.to_owned()) };
    let Some(inner) = quoted.strip_suffix('"') else {
        return Err(format!("a quote is missing: {text}"));
    };
    let (mut value, mut chars) = (String::new(), inner.chars());
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n') => value.push('\n'),
                Some(c @ ('"' | '\\')) => value.push(c),
                Some('u') => {
                    let digits: String = chars.by_ref().take(4).collect();
                    let code = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                    value.push(code.ok_or_else(|| format!("this is no character: \\u{digits}"))?);
                }
                _ => return Err(format!("an escape is not known: {text}")),
            },
            '"' => return Err(format!("a quote ends too early: {text}")),
            c => value.push(c),
        }
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &str = "int main(void) {\n  while (f())\n    ;\n  g();\n}\n";

    fn witness(content: &str) -> String {
        let hash = sha256::hex(PROGRAM.as_bytes());
        format!(
            "- entry_type: violation_sequence\n  metadata:\n    format_version: \"2.0\"\n    \
             uuid: \"01234567-89ab-cdef-0123-456789abcdef\"\n    creation_time: \"2024-01-01T00:00:00Z\"\n    \
             producer:\n      name: \"x\"\n      version: \"1\"\n    task:\n      input_files:\n        - \"a.c\"\n      \
             input_file_hashes:\n        \"a.c\": \"{hash}\"\n      \
             specification: \"CHECK( init(main()), LTL(G valid-deref) )\"\n      data_model: LP64\n      \
             language: C\n  content:\n{content}"
        )
    }

    fn segment(kind: &str, constraint: &str, line: u32, column: u32) -> String {
        format!(
            "    - segment:\n        - waypoint:\n            type: {kind}\n            action: follow\n{constraint}            \
             location:\n              file_name: \"a.c\"\n              line: {line}\n              column: {column}\n"
        )
    }

    const TRUE: &str = "            constraint:\n              value: \"true\"\n";

    #[test]
    fn a_witness() {
        let target = segment("target", "", 4, 3);
        let good =
            segment("branching", TRUE, 2, 3) + &segment("function_enter", "", 2, 12) + &target;
        assert_eq!(check(&witness(&good), "a.c", PROGRAM), Vec::<String>::new());
    }

    #[test]
    fn what_is_none() {
        let target = segment("target", "", 4, 3);
        let good = witness(&target);
        for (bad, why) in [
            (witness(&segment("branching", TRUE, 2, 3)), "the target is the last waypoint"),
            (witness(&(target.clone() + &target)), "the target is the last waypoint"),
            (witness(&(segment("branching", "", 2, 3) + &target)), "`constraint`"),
            (witness(&(segment("branching", TRUE, 4, 3) + &target)), "is none of"),
            (witness(&segment("target", TRUE, 4, 3)), "has no field `constraint`"),
            (witness(&segment("target", "", 40, 3)), "there is no line 40"),
            (witness(&segment("target", "", 4, 30)), "there is nothing at 4:30"),
            (good.replace("2.0", "3.0"), "`format_version`"),
            (good.replace("      language: C\n", ""), "`language`"),
            (good.replace("action: follow", "action: avoid"), "`action`"),
            (good.replace("valid-deref", "fine"), "is no specification"),
            (good.replace("\"a.c\": \"", "\"a.c\": \"0"), "`input_file_hashes`"),
            (good.replace("2024-01-01", "1.1.2024"), "is no time"),
            (good.replace("  content:", "  contents:"), "has no field `contents`"),
            ("x: 1\n".into(), "a witness is a list"),
            (String::new(), "a witness is a list"),
        ] {
            let problems = check(&bad, "a.c", PROGRAM);
            assert!(problems.iter().any(|p| p.contains(why)), "{why}: {problems:?}");
        }
    }
}
