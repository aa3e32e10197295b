//! The Viper language.

pub mod ast;
pub mod core;
pub mod fmt;
mod layout;
pub mod lexer;
pub mod parser;
pub mod print;
