// by lists
// [PWZ13, Example 5] and the examples that everybody has.

// valid
x != z * x |-> y * ls(y, z)
|= ls(x, z)

// invalid
x |-> y * ls(y, z)
|= ls(x, z)

// valid
ls(x, y) * ls(y, nil)
|= ls(x, nil)

// invalid
ls(x, y) * ls(y, z)
|= ls(x, z)

// valid
ls(x, y) * ls(y, z) * z |-> w
|= ls(x, z) * z |-> w

// invalid
ls(x, y)
|= x |-> y

// invalid
emp
|= x = y

// valid
ls(x, y) * ls(x, y)
|= x = y

// valid
x |-> y * ls(y, nil)
|= ls(x, nil) * true

// valid
ls(x, y) * ls(x, z)
|= ls(x, z) * ls(x, y)

// valid
x |-> y * y |-> z
|= y |-> z * x |-> y * x != nil * x != y

// valid
x |-> y * true
|= x != nil * true

// invalid
x |-> y * true
|= x |-> y

// valid
exists u. x |-> u * u |-> nil * x != nil
|= ls(x, nil)

// valid
false * x != x
|= x |-> x
