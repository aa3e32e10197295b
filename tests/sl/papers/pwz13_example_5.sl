// by grass
// [PWZ13, Example 5]

// valid
x != z * x |-> y * ls(y, z)
|= ls(x, z)

// invalid
ls(x, z)
|= x != z * x |-> y * ls(y, z)

// invalid
x |-> y * ls(y, z)
|= ls(x, z)
