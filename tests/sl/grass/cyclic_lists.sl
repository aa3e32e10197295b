// by grass
// A cycle that is not entered at the end of the list is no list: this was once taken for one.
pred lseg(x, y) := x = y || exists u. x |-> u * lseg(u, y);

// valid
x |-> y * y |-> u * u |-> y
|= lseg(x, y)

// invalid
x |-> u * u |-> y * y |-> u
|= lseg(x, y)

// valid
x |-> u * u |-> y * y |-> u
|= lseg(x, u)

// valid
lseg(x, y) * lseg(y, nil)
|= lseg(x, nil)

// invalid
lseg(x, x)
|= emp
