// by grass
// What is described twice is left over as one of the two.

// frame x != y * x |-> y
(ls(x, y) && x |-> y) * ls(z, w)
|= ls(z, w)

// frame x != y * x != nil * ls(z, w)
(ls(x, y) && x |-> y) * ls(z, w)
|= x |-> y

// frame x != y * x != nil * ls(z, w)
x != y * x |-> y * ls(z, w)
|= ls(x, y) && x |-> y

// frame ls(x, y) || x |-> z
(ls(x, y) || x |-> z) * ls(u, v)
|= ls(u, v)
