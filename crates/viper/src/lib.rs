//! The Viper language.

pub mod ast;
pub mod core;
pub mod core_rename;
pub mod core_visit;
pub mod lexer;
pub mod macros;
pub mod parser;
pub mod plugins;
pub mod visit;

// --- Stand-ins until the real thing is here.
#[allow(missing_docs, clippy::all, clippy::panic)]
mod standin {
    use report::*;
    use std::io;
    use std::path::Path;
    pub mod loader {
        use super::*;
        pub trait Files {
            fn read(&self, path: &Path) -> io::Result<Vec<u8>>;
        }
        #[derive(Debug)]
        pub struct DiskFiles;
        impl Files for DiskFiles {
            fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
                std::fs::read(path)
            }
        }
    }
    #[derive(Debug)]
    pub struct Loaded {
        pub program: crate::ast::Program,
        pub diagnostics: Vec<Diagnostic>,
    }
    pub fn load(files: &dyn loader::Files, sources: &mut SourceMap, path: &Path) -> Loaded {
        match files.read(path) {
            Err(e) => Loaded {
                program: Default::default(),
                diagnostics: vec![Diagnostic::error(
                    "parser.error",
                    Pos::None,
                    format!("the file cannot be read: {e}"),
                )],
            },
            Ok(bytes) => {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                let file = sources.add(path.display().to_string(), text.as_str());
                let p = crate::parser::parse(file, &text);
                Loaded { program: p.program, diagnostics: p.diagnostics }
            }
        }
    }
    #[derive(Default, Debug)]
    pub struct Options {}
    #[derive(Debug)]
    pub struct Checked {
        pub program: Option<crate::core::Program>,
        pub diagnostics: Vec<Diagnostic>,
    }
    pub fn check(_: &crate::ast::Program, _: &Options) -> Checked {
        Checked { program: Some(Default::default()), diagnostics: vec![] }
    }
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
