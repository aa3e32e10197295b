// by grass
// `*` distributes over conjunction if the other part has one footprint, and only then.
pred lseg(x, y) := x = y || exists u. x |-> u * lseg(u, y);

// valid
(ls(x, y) && ls(u, v)) * z |-> w
|= ls(x, y) * z |-> w && ls(u, v) * z |-> w

// valid
ls(x, y) * z |-> w && ls(u, v) * z |-> w
|= (ls(x, y) && ls(u, v)) * z |-> w

// valid
ls(x, y) * ls(z, w) && u |-> v * ls(z, w)
|= (ls(x, y) && u |-> v) * ls(z, w)

// invalid
x |-> nil * true && y |-> nil * true
|= (x |-> nil && y |-> nil) * true

// valid
x |-> nil * true && y |-> nil * true
|= (x |-> nil * true && y |-> nil * true) * true

// invalid
lseg(x, x) && x |-> x * lseg(x, x)
|= (emp && x |-> x) * lseg(x, x)

// valid
lseg(x, x) && x |-> x * lseg(x, x)
|= (emp || x |-> x) * lseg(x, x)
