// by grass
// [PWZ13, Example 8]: what is left of a list is no frame, since there need not be such a part; with the part
// it is. The partial models are in `crates/grass/tests/frame.rs`.

// no frame
x != z * ls(x, z)
|= x |-> y

// frame x != y * x != z * x != nil * ls(y, z)
x != z * x |-> y * ls(y, z)
|= x |-> y
