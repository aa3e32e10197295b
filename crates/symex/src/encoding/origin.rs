//! Where quantified formulas come from.
//!
//! What a solver calls them is a kind and a number, `inverse.2`: the second place in the source that
//! formulas of this kind come from in a unit. Lines and columns would be nicer to read, but a solver
//! takes formulas with different names for different ones, and what it is told about a member must not
//! depend on how many lines there are above it. A dump ends with a table of the places.
//!
//! | kind | what it is |
//! |---|---|
//! | `user` | a quantifier of the program |
//! | `aux` | what was learnt about its body for all values |
//! | `axiom` | a quantifier of a domain's axiom |
//! | `function` | contract or definition of a function |
//! | `forperm` | a `forperm` over many locations |
//! | `literal.index`, `literal.contains` | the elements of a long literal |
//! | `wand` | what a packaged wand is about |
//! | `inverse`, `location`, `computed` | of a quantified permission, from variables to locations and back |
//! | `domain`, `values`, `agree`, `write` | where the values of its locations are defined, and what they are |
//! | `receiver`, `bound`, `wildcard`, `share`, `assume`, `havoc` | what is known of its locations and amounts |
//! | `set.union.in`, `snap.Int`, … | a rule about collections or snapshots, which is in no source |
//!
//! What functions tell others has the name of the function in front: `length.function.1`. A formula
//! that comes from several places is one formula, and has the name of the first.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use report::{Pos, SourceMap};

use super::Encoding;

/// What a quantified formula is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum FormulaKind {
    User,
    Auxiliary,
    Axiom,
    Function,
    ForPerm,
    LiteralIndex,
    LiteralContains,
    Wand,
    Inverse,
    Location,
    Computed,
    Domain,
    Values,
    Agree,
    Write,
    Receiver,
    Bound,
    Wildcard,
    Assume,
    Havoc,
    Share,
}

impl FormulaKind {
    pub fn as_str(self) -> &'static str {
        match self {
            FormulaKind::User => "user",
            FormulaKind::Auxiliary => "aux",
            FormulaKind::Axiom => "axiom",
            FormulaKind::Function => "function",
            FormulaKind::ForPerm => "forperm",
            FormulaKind::LiteralIndex => "literal.index",
            FormulaKind::LiteralContains => "literal.contains",
            FormulaKind::Wand => "wand",
            FormulaKind::Inverse => "inverse",
            FormulaKind::Location => "location",
            FormulaKind::Computed => "computed",
            FormulaKind::Domain => "domain",
            FormulaKind::Values => "values",
            FormulaKind::Agree => "agree",
            FormulaKind::Write => "write",
            FormulaKind::Receiver => "receiver",
            FormulaKind::Bound => "bound",
            FormulaKind::Wildcard => "wildcard",
            FormulaKind::Assume => "assume",
            FormulaKind::Havoc => "havoc",
            FormulaKind::Share => "share",
        }
    }

    /// Does it stand for a quantified permission?
    pub fn is_of_permissions(self) -> bool {
        match self {
            FormulaKind::User
            | FormulaKind::Auxiliary
            | FormulaKind::Axiom
            | FormulaKind::Function
            | FormulaKind::ForPerm
            | FormulaKind::LiteralIndex
            | FormulaKind::LiteralContains
            | FormulaKind::Wand => false,
            FormulaKind::Inverse
            | FormulaKind::Location
            | FormulaKind::Computed
            | FormulaKind::Domain
            | FormulaKind::Values
            | FormulaKind::Agree
            | FormulaKind::Write
            | FormulaKind::Receiver
            | FormulaKind::Bound
            | FormulaKind::Wildcard
            | FormulaKind::Assume
            | FormulaKind::Havoc
            | FormulaKind::Share => true,
        }
    }
}

/// What the solver instantiates.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Instantiated {
    Formula(FormulaKind),
    /// A rule about collections or snapshots, by its name.
    Rule(String),
}

impl Instantiated {
    pub fn as_str(&self) -> &str {
        match self {
            Instantiated::Formula(kind) => kind.as_str(),
            Instantiated::Rule(name) => name,
        }
    }
}

/// What a formula is, and the place that it comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Origin {
    pub kind: Instantiated,
    pub pos: Pos,
}

/// The names of formulas.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    given: HashMap<(FormulaKind, Pos), Arc<str>>,
    /// How many there are of each kind.
    numbers: HashMap<FormulaKind, usize>,
}

impl Names {
    /// The name of formulas of a kind that come from a place.
    fn name(&mut self, prefix: &str, kind: FormulaKind, pos: Pos) -> Arc<str> {
        let numbers = &mut self.numbers;
        let name = self.given.entry((kind, pos)).or_insert_with(|| {
            let number = numbers.entry(kind).or_default();
            *number += 1;
            format!("{prefix}{}.{number}", kind.as_str()).into()
        });
        Arc::clone(name)
    }

    /// The origins of all names that were given.
    pub fn origins(&self) -> HashMap<Arc<str>, Origin> {
        let origin = |((kind, pos), name): (&(FormulaKind, Pos), &Arc<str>)| {
            (Arc::clone(name), Origin { kind: Instantiated::Formula(*kind), pos: *pos })
        };
        self.given.iter().map(origin).collect()
    }

    /// All names with their places, for people who read a dump.
    pub fn table(&self, sources: Option<&SourceMap>) -> String {
        let place = |pos: Pos| match (pos, pos.span().and_then(|s| sources?.get(s.file))) {
            (Pos::Source(span), Some(source)) => {
                let at = source.line_col(span.start);
                let file = Path::new(&source.name).file_name().unwrap_or_default().display();
                format!("{file}:{}:{}", at.line, at.column)
            }
            (Pos::Source(span), None) => format!("byte {} of file {}", span.start, span.file.0),
            (Pos::Foreign(number), _) => format!("#{number}"),
            (Pos::None, _) => "nowhere".to_string(),
        };
        let row = |((_, pos), name): (&(FormulaKind, Pos), &Arc<str>)| {
            format!("{name} is from {}\n", place(*pos))
        };
        let mut rows: Vec<String> = self.given.iter().map(row).collect();
        rows.sort_unstable();
        rows.concat()
    }
}

impl Encoding<'_> {
    /// From here on, formulas come from this place in the source. Returns where they came from before.
    pub fn set_origin(&mut self, pos: Pos) -> Pos {
        std::mem::replace(&mut self.origin, pos)
    }

    /// Makes formulas because of a place in the source.
    pub(super) fn because_of<R>(&mut self, pos: Pos, make: impl FnOnce(&mut Self) -> R) -> R {
        let outer = self.set_origin(pos);
        let result = make(self);
        self.origin = outer;
        result
    }

    /// The name of a formula that is made now.
    pub(super) fn formula_name(&mut self, kind: FormulaKind) -> Arc<str> {
        self.names.name(&self.prefix, kind, self.origin)
    }
}

#[cfg(test)]
mod tests {
    use report::Span;

    use super::*;

    #[test]
    fn names_have_places() {
        let mut sources = SourceMap::new();
        let file = sources.add("some/main.vpr", "method m()\n  assert true");
        let place = |start| Pos::Source(Span { file, start, end: start + 1 });
        let mut names = Names::default();
        assert_eq!(&*names.name("", FormulaKind::User, place(13)), "user.1");
        assert_eq!(&*names.name("", FormulaKind::Inverse, place(13)), "inverse.1");
        assert_eq!(&*names.name("", FormulaKind::User, Pos::Foreign(7)), "user.2");
        assert_eq!(&*names.name("", FormulaKind::User, place(13)), "user.1");
        assert_eq!(&*names.name("length.", FormulaKind::Function, place(0)), "length.function.1");
        let origins = names.origins();
        let origin = Origin { kind: Instantiated::Formula(FormulaKind::User), pos: place(13) };
        assert_eq!(origins.get("user.1"), Some(&origin));
        assert_eq!(
            names.table(Some(&sources)),
            "inverse.1 is from main.vpr:2:3\nlength.function.1 is from main.vpr:1:1\n\
             user.1 is from main.vpr:2:3\nuser.2 is from #7\n"
        );
    }
}
