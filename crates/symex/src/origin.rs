//! Where quantified formulas come from. What a solver calls them is a kind and a place:
//!
//! | name | what it is |
//! |---|---|
//! | `user@12:5` | the quantifier in line 12, column 5 |
//! | `aux@12:5` | what was learnt about its body for all values |
//! | `axiom@12:5` | a quantifier of a domain's axiom |
//! | `function@12:5` | contract or definition of the function that is declared there |
//! | `forperm@12:5` | a `forperm` over many locations |
//! | `inverse@`, `location@`, `computed@` | of the quantified permission there, from variables to locations and back |
//! | `domain@`, `values@` | where the values of its locations are defined, and what they are |
//! | `receiver@`, `bound@`, `wildcard@`, `assume@`, `havoc@` | what is known of its locations and amounts |
//! | `set.union.in`, `snap.Int`, … | a rule about collections or snapshots, which is in no source |
//!
//! Places in imported files have the name of the file in front, `user@lists.vpr:12:5`; those that only
//! a front end understands are numbers, `user@#7`.
//!
//! A formula that comes from several places is one formula, and has the name of the first.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use report::{FileId, Pos, SourceMap, Span};

use crate::executor::Executor;

/// Kinds that are not about quantified permissions.
const OTHERS: [&str; 5] = ["user", "aux", "axiom", "function", "forperm"];

/// The names that were given, of all units.
#[derive(Default)]
pub(crate) struct Origins {
    sources: Option<Arc<SourceMap>>,
    places: Mutex<HashMap<Arc<str>, Pos>>,
}

impl Origins {
    pub fn new(sources: Option<Arc<SourceMap>>) -> Origins {
        Origins { sources, places: Mutex::default() }
    }

    /// The name of a formula, which is remembered.
    fn name(&self, kind: &str, pos: Pos) -> Arc<str> {
        let name: Arc<str> = match pos {
            Pos::None => kind.into(),
            Pos::Foreign(number) => format!("{kind}@#{number}").into(),
            Pos::Source(span) => format!("{kind}@{}", self.place_text(span)).into(),
        };
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        places.entry(Arc::clone(&name)).or_insert(pos);
        name
    }

    fn place_text(&self, span: Span) -> String {
        let Some(source) = self.sources.as_ref().and_then(|sources| sources.get(span.file)) else {
            return format!("{}+{}", span.file.0, span.start);
        };
        let place = source.line_col(span.start);
        let place = format!("{}:{}", place.line, place.column);
        let file = Path::new(&source.name).file_name().unwrap_or_default().display();
        if span.file == FileId(0) { place } else { format!("{file}:{place}") }
    }

    /// The place that is meant by a name.
    pub fn place(&self, name: &str) -> Pos {
        let places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        places.get(name).copied().unwrap_or_default()
    }
}

/// The kind in a name.
pub(crate) fn kind(name: &str) -> &str {
    name.split('@').next().unwrap_or(name)
}

/// Is this the kind of formulas that stand for quantified permissions?
pub(crate) fn is_of_permissions(kind: &str) -> bool {
    !OTHERS.contains(&kind)
}

impl Executor<'_> {
    /// Does something because of a place in the source: the formulas that it makes come from there,
    /// unless they come from somewhere inside of it.
    pub fn because_of<R>(&mut self, pos: Pos, act: impl FnOnce(&mut Self) -> R) -> R {
        let outer = std::mem::replace(&mut self.origin, pos);
        let result = act(self);
        self.origin = outer;
        result
    }

    /// The name of a formula that is made now.
    pub fn formula_name(&mut self, kind: &'static str) -> Arc<str> {
        let (origins, pos) = (&self.origins, self.origin);
        Arc::clone(self.names.entry((kind, pos)).or_insert_with(|| origins.name(kind, pos)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_where() {
        let mut sources = SourceMap::new();
        let main = sources.add("some/main.vpr", "method m()\n  assert true");
        let other = sources.add("some/other.vpr", "x");
        let origins = Origins::new(Some(Arc::new(sources)));
        let place = Pos::Source(Span { file: main, start: 13, end: 19 });
        assert_eq!(&*origins.name("user", place), "user@2:3");
        assert_eq!(origins.place("user@2:3"), place);
        let there = Pos::Source(Span { file: other, start: 0, end: 1 });
        assert_eq!(&*origins.name("inverse", there), "inverse@other.vpr:1:1");
        assert_eq!(&*origins.name("axiom", Pos::Foreign(7)), "axiom@#7");
        assert_eq!(&*origins.name("aux", Pos::None), "aux");
        assert_eq!(origins.place("set.union.in"), Pos::None);
        assert_eq!(&*Origins::default().name("user", place), "user@0+13");
        assert_eq!(kind("inverse@other.vpr:1:1"), "inverse");
    }
}
