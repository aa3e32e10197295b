//! The functions of collections, as the solver knows them.

/// Declares the functions with their names, without the type of the elements.
macro_rules! functions {
    ($($function:ident = $name:literal,)*) => {
        /// A function of a collection.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum CollectionFunction {
            $($function,)*
        }

        impl CollectionFunction {
            /// What it is called.
            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(CollectionFunction::$function => $name,)*
                }
            }
        }
    };
}

functions! {
    SeqEmpty = "Seq.empty",
    SeqSingleton = "Seq.singleton",
    SeqAppend = "Seq.append",
    SeqTake = "Seq.take",
    SeqDrop = "Seq.drop",
    SeqUpdate = "Seq.update",
    SeqLength = "Seq.length",
    SeqIndex = "Seq.index",
    SeqContains = "Seq.contains",
    SeqEqual = "Seq.equal",
    SeqWatched = "Seq.watched",
    SeqRange = "Seq.range",
    SetEmpty = "Set.empty",
    SetSingleton = "Set.singleton",
    SetInsert = "Set.insert",
    SetUnion = "Set.union",
    SetIntersection = "Set.intersection",
    SetDifference = "Set.difference",
    SetSubset = "Set.subset",
    SetIn = "Set.in",
    SetCard = "Set.card",
    SetEqual = "Set.equal",
    MultisetEmpty = "Multiset.empty",
    MultisetSingleton = "Multiset.singleton",
    MultisetUnion = "Multiset.union",
    MultisetIntersection = "Multiset.intersection",
    MultisetDifference = "Multiset.difference",
    MultisetSubset = "Multiset.subset",
    MultisetCount = "Multiset.count",
    MultisetCard = "Multiset.card",
    MultisetEqual = "Multiset.equal",
    MapEmpty = "Map.empty",
    MapUpdate = "Map.update",
    MapLookup = "Map.lookup",
    MapCard = "Map.card",
    MapDomain = "Map.domain",
    MapValues = "Map.values",
    MapEqual = "Map.equal",
}

impl CollectionFunction {
    /// Is it one of sequences?
    pub(crate) fn is_of_sequences(self) -> bool {
        use CollectionFunction as F;
        matches!(
            self,
            F::SeqEmpty
                | F::SeqSingleton
                | F::SeqAppend
                | F::SeqTake
                | F::SeqDrop
                | F::SeqUpdate
                | F::SeqLength
                | F::SeqIndex
                | F::SeqContains
                | F::SeqEqual
                | F::SeqWatched
                | F::SeqRange
        )
    }
}
