// by grass
// As many as there are: each is as short as can be, or has the cycle on which its end is.
pred lseg(x, y) := x = y || exists u. x |-> u * lseg(u, y);

// valid
lseg(x0, x1) * lseg(x1, x2) * lseg(x2, x3) * lseg(x3, x4) * lseg(x4, x5)
|= lseg(x0, x5)

// invalid
lseg(x0, x1) * lseg(x1, x2) * lseg(x2, x3) * lseg(x3, x4) * lseg(x4, x5) * lseg(x5, x6) * lseg(x6, x7) * lseg(x7, x8)
|= lseg(x0, x7)

// valid
x0 |-> x1 * x1 |-> x2 * x2 |-> x3 * x3 |-> x4 * x4 |-> x5 * x5 |-> x6 * x6 |-> x7 * x7 |-> x8
|= lseg(x0, x1) * lseg(x1, x2) * lseg(x2, x3) * lseg(x3, x4) * lseg(x4, x5) * lseg(x5, x6) * lseg(x6, x7) * lseg(x7, x8)

// valid
x7 = x8 * x0 |-> x1 * x1 |-> x2 * x2 |-> x3 * x3 |-> x4 * x4 |-> x5 * x5 |-> x6 * x6 |-> x7
|= lseg(x0, x1) * lseg(x1, x2) * lseg(x2, x3) * lseg(x3, x4) * lseg(x4, x5) * lseg(x5, x6) * lseg(x6, x7) * lseg(x7, x8)

// invalid
x0 |-> x1 * x1 |-> x2 * x2 |-> x3 * x3 |-> x4 * x4 |-> x5 * x5 |-> x6 * x6 |-> x7
|= lseg(x0, x1) * lseg(x1, x2) * lseg(x2, x3) * lseg(x3, x4) * lseg(x4, x5) * lseg(x5, x6) * lseg(x6, x7) * lseg(x7, x8)
