// by grass

// valid
(ls(x, y) || x |-> z) * ls(u, v)
|= ls(x, y) * ls(u, v) || x |-> z * ls(u, v)

// valid
ls(x, y) * ls(u, v) || x |-> z * ls(u, v)
|= (ls(x, y) || x |-> z) * ls(u, v)

// valid
(x |-> y || x |-> z) * (y |-> x || z |-> x)
|= x |-> y * true || x |-> z * true

// invalid
(x |-> y || x |-> z) * (y |-> x || z |-> x)
|= x |-> y * true
