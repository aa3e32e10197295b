// by grass
// [PWZ13, Example 16]: a list is reversed in place. The invariant holds at the start, and says enough at the
// end; that the loop keeps it is `example_16` in `crates/grass/tests/paper.rs`.

// valid
ls(x, nil) * y = nil
|= ls(x, nil) * ls(y, nil)

// valid
ls(x, nil) * ls(y, nil) * x = nil
|= true * ls(y, nil)

// valid
ls(x, nil) * ls(y, nil) * x = nil
|= x = nil * ls(y, nil)
