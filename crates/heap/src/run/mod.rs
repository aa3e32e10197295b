//! The interpreter: what programs do, and the faults in which they end.
//!
//! Integers are unbounded unless [`Config::machine_integers`] asks for those of the target; conversions
//! always wrap, since C defines them. What is not initialised is any value: an integer is drawn when it
//! is first read, like an input; a pointer leads nowhere.

mod eval;
mod fault;
mod format;
mod inputs;
mod leaks;
mod machine;
mod memory;
mod outcome;
mod picture;
mod print;
mod value;

pub use fault::{Fault, FaultKind, Frame as FaultFrame, Property};
pub use inputs::{Drawn, Inputs};
pub use machine::Machine;
pub use memory::{Life, Memory, Object, Owner};
pub use outcome::{Config, End, NoObserver, Observer, Open, Run};
pub use value::{Pointer, Value};
