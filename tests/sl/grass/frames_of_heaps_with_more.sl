// by grass
// Where there may be more than is said, the rest may be more, too.

// frame x != nil * true
x |-> y * true
|= x |-> y

// frame ls(x, y) * true
ls(x, y) * true
|= emp

// frame emp
ls(x, y) * y |-> z
|= y |-> z * true

// frame x != nil * true
x |-> y * (ls(y, z) || true)
|= x |-> y
