//! The standard library, embedded in the binary.

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        /// The files, by the name under which they are imported.
        const FILES: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../stdlib/", $name)))),*];
    };
}

files! {
    "adt/contains.vpr",
    "adt/derives.vpr",
    "decreases/all.vpr",
    "decreases/bool.vpr",
    "decreases/declaration.vpr",
    "decreases/int.vpr",
    "decreases/multiset.vpr",
    "decreases/perm.vpr",
    "decreases/predicate_instance.vpr",
    "decreases/predicate_instance_nested.vpr",
    "decreases/rational.vpr",
    "decreases/ref.vpr",
    "decreases/seq.vpr",
    "decreases/set.vpr",
    "predicateinstance/pi.vpr",
}

/// The text of a file.
pub(crate) fn get(name: &str) -> Option<&'static str> {
    FILES.iter().find(|(n, _)| *n == name).map(|(_, text)| *text)
}

/// The names under which files can be imported.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(name, _)| *name)
}
