//! Sorts and function symbols.

use std::sync::Arc;

/// A sort. Cheap to copy; [`Sort::Named`] refers to a [`Signature`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sort {
    /// `Bool`
    Bool,
    /// `Int`
    Int,
    /// `Real`
    Real,
    /// A sort of the signature.
    Named(SortId),
}

/// Index of a named sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SortId(u32);

impl SortId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Index of a function symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunId(u32);

impl FunId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a name stands for in SMT-LIB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// Nothing but its axioms: it is declared to the solver.
    Uninterpreted,
    /// The solver knows it under this text, for instance `(_ BitVec 32)` or `bvadd`.
    Builtin,
}

/// A sort that is not built in.
#[derive(Clone, Debug)]
pub struct SortDecl {
    /// Unique, any text.
    pub name: Arc<str>,
    /// Declared or known.
    pub meaning: Meaning,
}

/// A function symbol; constants have no arguments.
#[derive(Clone, Debug)]
pub struct FunDecl {
    /// Unique, any text.
    pub name: Arc<str>,
    /// Argument sorts.
    pub args: Vec<Sort>,
    /// Result sort.
    pub result: Sort,
    /// Declared or known.
    pub meaning: Meaning,
}

/// The sorts and function symbols of a session.
#[derive(Clone, Debug, Default)]
pub struct Signature {
    sorts: Vec<SortDecl>,
    funs: Vec<FunDecl>,
    /// All of them as SMT-LIB text.
    sort_texts: Vec<Box<str>>,
    fun_texts: Vec<Box<str>>,
}

impl Signature {
    /// Adds a sort. Its name must be new.
    pub fn add_sort(&mut self, name: impl Into<Arc<str>>, meaning: Meaning) -> Sort {
        let decl = SortDecl { name: name.into(), meaning };
        self.sort_texts.push(text(&decl.name, meaning));
        self.sorts.push(decl);
        Sort::Named(SortId(self.sorts.len() as u32 - 1))
    }

    /// Adds a function symbol. Its name must be new.
    pub fn add_fun(&mut self, decl: FunDecl) -> FunId {
        self.fun_texts.push(text(&decl.name, decl.meaning));
        self.funs.push(decl);
        FunId(self.funs.len() as u32 - 1)
    }

    /// The declaration of a sort.
    #[must_use]
    pub fn sort(&self, id: SortId) -> &SortDecl {
        &self.sorts[id.0 as usize]
    }

    /// The declaration of a function symbol.
    #[must_use]
    pub fn fun(&self, id: FunId) -> &FunDecl {
        &self.funs[id.0 as usize]
    }

    /// A sort as SMT-LIB text.
    #[must_use]
    pub fn sort_text(&self, sort: Sort) -> &str {
        match sort {
            Sort::Bool => "Bool",
            Sort::Int => "Int",
            Sort::Real => "Real",
            Sort::Named(id) => &self.sort_texts[id.index()],
        }
    }

    /// A function symbol as SMT-LIB text.
    #[must_use]
    pub fn fun_text(&self, fun: FunId) -> &str {
        &self.fun_texts[fun.index()]
    }
}

fn text(name: &str, meaning: Meaning) -> Box<str> {
    match meaning {
        Meaning::Builtin => name.into(),
        Meaning::Uninterpreted => symbol(name).into(),
    }
}

/// A name as an SMT-LIB symbol, quoted where it must be.
#[must_use]
pub fn symbol(name: &str) -> String {
    const PUNCTUATION: &str = "~!@$%^&*_-+=<>.?/";
    let simple = |c: char| c.is_ascii_alphanumeric() || PUNCTUATION.contains(c);
    let plain = name.chars().all(simple) && !name.starts_with(|c: char| c.is_ascii_digit());
    if plain && !name.is_empty() {
        return name.to_string();
    }
    // Bars and backslashes cannot be written in a quoted symbol.
    let quoted: String =
        name.chars().map(|c| if c == '|' || c == '\\' { '!' } else { c }).collect();
    format!("|{quoted}|")
}
