//! The standard library, embedded in the binary.

/// The files, by the name under which they are imported.
const FILES: &[(&str, &str)] = &[
    ("adt/contains.vpr", include_str!("../stdlib/adt/contains.vpr")),
    ("adt/derives.vpr", include_str!("../stdlib/adt/derives.vpr")),
    ("decreases/all.vpr", include_str!("../stdlib/decreases/all.vpr")),
    ("decreases/bool.vpr", include_str!("../stdlib/decreases/bool.vpr")),
    ("decreases/declaration.vpr", include_str!("../stdlib/decreases/declaration.vpr")),
    ("decreases/int.vpr", include_str!("../stdlib/decreases/int.vpr")),
    ("decreases/multiset.vpr", include_str!("../stdlib/decreases/multiset.vpr")),
    ("decreases/perm.vpr", include_str!("../stdlib/decreases/perm.vpr")),
    (
        "decreases/predicate_instance.vpr",
        include_str!("../stdlib/decreases/predicate_instance.vpr"),
    ),
    (
        "decreases/predicate_instance_nested.vpr",
        include_str!("../stdlib/decreases/predicate_instance_nested.vpr"),
    ),
    ("decreases/rational.vpr", include_str!("../stdlib/decreases/rational.vpr")),
    ("decreases/ref.vpr", include_str!("../stdlib/decreases/ref.vpr")),
    ("decreases/seq.vpr", include_str!("../stdlib/decreases/seq.vpr")),
    ("decreases/set.vpr", include_str!("../stdlib/decreases/set.vpr")),
    ("predicateinstance/pi.vpr", include_str!("../stdlib/predicateinstance/pi.vpr")),
];

/// The text of a file.
pub(crate) fn get(name: &str) -> Option<&'static str> {
    FILES.iter().find(|(n, _)| *n == name).map(|(_, text)| *text)
}

/// The names under which files can be imported.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(name, _)| *name)
}
