//! The Viper language.

pub mod ast;
mod check;
mod consistency;
pub mod core;
pub mod core_rename;
pub mod core_visit;
pub mod lexer;
pub mod loader;
pub mod macros;
pub mod parser;
pub mod plugins;
mod stdlib;
mod suggest;
pub mod unparse;
pub mod visit;

pub use check::{Checked, check};
pub use loader::{Files, Loaded, load};
