//! The standard library, embedded in the binary.

/// The files, by the name under which they are imported.
const FILES: &[(&str, &str)] = &[];

/// The text of a file.
pub(crate) fn get(name: &str) -> Option<&'static str> {
    FILES.iter().find(|(n, _)| *n == name).map(|(_, text)| *text)
}

/// The names under which files can be imported.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(name, _)| *name)
}
