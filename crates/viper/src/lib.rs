//! The Viper language.

pub mod ast;
pub mod core;
pub mod core_rename;
pub mod core_visit;
pub mod fmt;
mod layout;
pub mod lexer;
pub mod macros;
pub mod parser;
pub mod plugins;
pub mod print;
pub mod visit;
