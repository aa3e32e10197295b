//! Proofs of entailments: checked, and shown.
//!
//! [`check`] accepts a proof if every step of it is right. It shares no code with those who search for
//! proofs: it relies on `sl`'s core (definitions, sequents and how formulas become those). What `arith`
//! says of integers comes with a certificate, which is added up here. [`text`] and [`svg`] show a proof to people.
//!
//! # Why an accepted proof is right
//!
//! A sequent `L |- R` with existential variables `E` says: for all values of its other variables and
//! all heaps `h` and `g` without a location in common, if `h` is a model of `L`, and what `L` calls
//! *gone* are different locations of `g`, then `h` is a model of `R` for some values of `E`.
//!
//! Each rule is *locally sound*: take a counterexample `(s, h)` of the conclusion; then a premise has a
//! counterexample `(s', h')` where `h'` is a part of `h` (for most rules all of it). For
//! [`Rule::Hypothesis`](sl::proof::Rule) either the premise has one with the same heap, or the
//! companion has one for the part of `h` that it is used for. That part is smaller than the heap with
//! which the companion was reached: on the way from there a cell was taken away ([`MatchCell`], or
//! [`MatchCall`] of a predicate all instances of which hold one), or else what is not used certainly
//! holds one.
//!
//! Suppose that an accepted tree has a sequent with a counterexample. Follow counterexamples to
//! premises and from hypotheses to companions; that never ends, since the rules without premises have
//! no counterexamples. Of the companions that are visited again and again take the one nearest to the
//! root. From some time on the path stays in its subtree, and between two visits it passes through
//! every step from the companion to the hypothesis where it jumps back, since it enters a subtree only
//! through its root. So the heap is smaller at every visit and never grows in between; but heaps are
//! finite.
//!
//! Companions must be on the path from the root to the hypothesis, in the same tree. Lemmas have trees
//! of their own, which rely on earlier lemmas only.
//!
//! [`Facts`](sl::proof::Facts) about predicates are checked by induction on their definitions: if the
//! instances in a case satisfy what is said of them, then so does the whole case.
//!
//! [`MatchCell`]: sl::proof::Rule::MatchCell
//! [`MatchCall`]: sl::proof::Rule::MatchCall

mod check;
mod closure;
mod consequence;
mod facts;
mod linear;
pub mod svg;
pub mod text;

pub use check::{Fault, check, check_anti_frame, check_entailment, check_frame};
