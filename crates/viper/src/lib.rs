//! The Viper language.

pub mod ast;
pub mod core;
pub mod lexer;
pub mod parser;
