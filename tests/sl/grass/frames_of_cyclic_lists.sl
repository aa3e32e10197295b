// by grass
// A cyclic list may be taken with its cycle or without; what is left must do for one of them.
pred lseg(x, y) := x = y || exists u. x |-> u * lseg(u, y);

// frame lseg(y, z)
lseg(x, y) * lseg(y, z)
|= lseg(x, y)

// frame x != nil * lseg(y, z)
x |-> y * lseg(y, z)
|= x |-> y
