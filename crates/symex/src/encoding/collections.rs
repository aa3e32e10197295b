//! Viper's collections as SMT-LIB: a sort, its functions and their axioms for each element sort.
//!
//! Each function gives text to be written to the solver once, before anything that uses the sort;
//! the collections that its elements are made of come first. Templates are under `collections/`,
//! where each says by what rules it reasons. Two things hold for all of them:
//!
//! - **Equality is asked for.** `Seq.equal<N>` and its like mean `=`, and they alone make the solver
//!   look at elements to see whether two collections are the same. An equality of collections in a
//!   program should be one of them; for elements that are collections the axioms do so themselves.
//! - **Rules end.** What they add is made of terms that are there: an element of a part for an
//!   element of the whole, and the other way round. The few that could go on for ever have weights,
//!   which are made for Z3's option `smt.qi.eager_threshold` at 100; with much less they prove less.
//!
//! Names: `Seq.append<Int>` for the elements `Int`; `Map.lookup<Int~Bool>` for keys and values.

#[cfg(test)]
mod tests;

/// The sort of the elements of a collection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ElemSort<'a> {
    /// As SMT-LIB has it: `Int`, `(_ BitVec 32)`, `Seq<Int>`.
    text: &'a str,
    /// As part of the names of functions: `Int`, `BitVec32`, `Seq<Int>`.
    name: &'a str,
    /// The function that compares elements: `=`, unless they are collections.
    equality: &'a str,
}

impl<'a> ElemSort<'a> {
    /// A sort with its text, its name and the function that compares its elements.
    pub(crate) fn new(text: &'a str, name: &'a str, equality: &'a str) -> ElemSort<'a> {
        ElemSort { text, name, equality }
    }
}

/// Sequences.
pub(crate) fn seq(elem: &ElemSort<'_>) -> String {
    of_elements(include_str!("collections/seq.smt2"), elem)
}

/// Sequences of integers from a bound to another; needs [`seq`] of `Int`.
pub(crate) fn seq_range() -> String {
    include_str!("collections/range.smt2").to_string()
}

/// Finite sets.
pub(crate) fn set(elem: &ElemSort<'_>) -> String {
    of_elements(include_str!("collections/set.smt2"), elem)
}

/// Finite multisets.
pub(crate) fn multiset(elem: &ElemSort<'_>) -> String {
    of_elements(include_str!("collections/multiset.smt2"), elem)
}

/// Finite maps; needs [`set`] of the keys and of the values.
pub(crate) fn map(key: &ElemSort<'_>, value: &ElemSort<'_>) -> String {
    include_str!("collections/map.smt2")
        .replace("{K}", key.text)
        .replace("{V}", value.text)
        .replace("{KN}", key.name)
        .replace("{VN}", value.name)
        .replace("{M}", &format!("{}~{}", key.name, value.name))
        .replace("{K=}", key.equality)
        .replace("{V=}", value.equality)
}

fn of_elements(template: &str, elem: &ElemSort<'_>) -> String {
    template.replace("{E}", elem.text).replace("{N}", elem.name).replace("{=}", elem.equality)
}
