//! Boolean separation logic, decided: `*`, `-*`, `|->` and `emp` under any connectives, also negation
//! below `*` and `-*`, without inductive predicates.
//!
//! # What a formula can see of a heap
//!
//! Fix a stack. A formula without quantifiers looks at a heap only by `x |-> d` and `emp`, where `x`
//! and `d` are terms of the stack. Let the *addresses* be the terms `x` and the *contents* the terms
//! `d` that occur. Then it depends on nothing but
//!
//! 1. which addresses are allocated,
//! 2. which contents, if any, the values of those are equal to,
//! 3. how many *other* locations there are, of every sort, up to a bound.
//!
//! What other locations hold cannot be seen, since no `x |-> d` is about them. The bound `m` of 3 is
//! by induction: numbers `k` and `k'` are alike for a formula if they are equal or both at least `m`.
//!
//! - `emp` and `x |-> d` hold of no heap with others: `m = 1`. Pure atoms see nothing: `m = 0`, and
//!   where they mean the empty heap they are as `emp`.
//! - Boolean connectives: the maximum.
//! - `a * b`: `m(a) + m(b)`. Let `k = i + j` be a split, and `k, k' ≥ m(a) + m(b)`. If `i < m(a)` then
//!   `j ≥ m(b)`, and `k' = i + (k' - i)` is alike; the same if `j < m(b)`; else `m(a) + (k' - m(a))` is.
//! - `a -* b`: `m(b)`, since `k + j` and `k' + j` are alike for `b` if `k` and `k'` are.
//!
//! With several sorts of locations this holds for each by itself.
//!
//! # How it is decided
//!
//! A [symbolic heap](heap) is just 1. and 2. as terms of a solver, and 3. as an integer of any size, so
//! nothing is lost. The [translation](translate) is an equivalence, except that
//!
//! - something that exists (the split of a `*` that holds, the extension of a `-*` that does not) is
//!   called by a new name, and
//! - something that holds of all splits or extensions is remembered, and asserted only of some.
//!
//! So the solver is told consequences of the formula. *If it finds no model there is none*, whatever
//! the bounds above. If it finds one, the formula is [evaluated](world) there. If it does not hold,
//! then a split or extension for which it fails is added, and the solver is asked again. By the above
//! these need to be considered, which are finitely many:
//!
//! - Splits: every set of addresses; of `k` others `0, …, m(a)` for `a`, or `0, …, m(b) - 1` for `b`.
//! - Extensions: every set of addresses of `a -* b` (another location is one of the others, for both),
//!   with contents of `a -* b` or something else, if the sort has infinitely many values (else with
//!   all values), and up to `max(m(a), m(b))` others. There are infinitely many locations, so there
//!   are always that many that are not allocated.
//!
//! Integers and other data need no more: an extension sees data only by contents, and constraints
//! among the terms of the stack are the solver's.
//!
//! Where `a` holds of one heap only, and that is evident (`x |-> d`, or several), there is only one
//! split and only one extension to consider, so no search is needed.
//!
//! Quantifiers are outside of this. One that asks for some value gets a new constant, unless that would
//! depend on a split or an extension; one about all values is asserted of the values that have a name,
//! which is a consequence. So without a model there is none, and a model is confirmed, or not shown.
//!
//! What every model's stack must satisfy by the conjuncts on top is known below: pure atoms that it decides
//! are gone before anything is translated, and so are formulas of which both they and their negations are
//! left.
//!
//! Every model is confirmed by `sl`'s evaluator.
//!
//! The idea of asking for splits and extensions by example is from "A Decision Procedure for
//! Separation Logic in SMT" (Reynolds, Iosif, Serban, King, 2016), the bounds are those of
//! "Computability and Complexity Results for a Spatial Assertion Language for Data Structures"
//! (Calcagno, Yang, O'Hearn, 2001), for others only, and by number instead of by location.

mod form;
mod heap;
mod readback;
pub mod solve;
mod stack;
mod translate;
mod world;

pub use solve::{Solver, config};
