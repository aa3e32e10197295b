// by grass
// Where a formula must not hold, a negation may have what the other parts leave.
pred lseg(x, y) := x = y || exists u. x |-> u * lseg(u, y);

// valid
x != y * x |-> y * ls(z, w)
|= !emp * ls(z, w)

// valid
x |-> y * ls(z, w)
|= !ls(y, x) * ls(z, w)

// invalid
ls(x, y) * ls(z, w)
|= !emp * ls(z, w)

// valid
!(ls(x, y)) * ls(z, w)
|= ls(z, w) * true

// invalid
!(ls(x, y)) * !(ls(z, w))
|= !emp

// invalid
!(emp) * !(emp) && ls(x, nil)
|= x |-> nil

// valid
!(emp) * !(emp) && x |-> y * ls(y, nil)
|= exists u. x |-> y * y |-> u * ls(u, nil)

// valid
y |-> z * lseg(x, x)
|= !(x |-> x && lseg(x, x)) * lseg(x, x)
