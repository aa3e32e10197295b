// by grass
pred lseg(x, y) := x = y || exists u. x |-> u * lseg(u, y);

// valid
x |-> y * y |-> y
|= lseg(x, y) * lseg(y, y)

// valid
x |-> y * y |-> x
|= lseg(x, x) * lseg(y, y)

// valid
x |-> y * y |-> x
|= lseg(x, y) * lseg(y, x)

// valid
x |-> x * y |-> y
|= lseg(x, x) * lseg(y, y)

// invalid
x |-> x * y |-> y
|= lseg(x, x) * lseg(x, x)

// invalid
x |-> y * y |-> x * z |-> y
|= lseg(z, x) * lseg(z, x)

// valid
x |-> y * y |-> x * z |-> y
|= lseg(z, y) * lseg(x, x)

// valid
x |-> y * y |-> x * z |-> y
|= lseg(z, y) * lseg(x, x) * true

// valid
x |-> x
|= lseg(x, x) * lseg(y, y) * x |-> x

// invalid
x |-> x * y |-> x
|= lseg(y, x) * lseg(y, x) * true
