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
pub mod visit;

pub use check::{Checked, check};
pub use loader::{Files, Loaded, load};

// --- Stand-ins until the real thing is here.
#[allow(missing_docs, clippy::all, clippy::panic)]
mod standin {
    pub mod print {
        pub fn program(_: &crate::ast::Program) -> String {
            String::new()
        }
    }
    pub mod unparse {
        pub fn program(_: &crate::core::Program) -> crate::ast::Program {
            Default::default()
        }
    }
    pub mod fmt {
        pub fn format(t: &str) -> Result<String, Vec<report::Diagnostic>> {
            Ok(t.to_owned())
        }
    }
    pub fn with_deep_stack<R: Send>(f: impl FnOnce() -> R + Send) -> R {
        std::thread::scope(|s| {
            match std::thread::Builder::new().stack_size(1 << 28).spawn_scoped(s, f) {
                Ok(h) => match h.join() {
                    Ok(r) => r,
                    Err(e) => std::panic::resume_unwind(e),
                },
                Err(_) => panic!(),
            }
        })
    }
}
pub use standin::*;
