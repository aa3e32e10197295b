// by grass
// It looks like a list, but the case that stops says more.
pred p(x, y) := x = y * x |-> y || exists u. x |-> u * p(u, y);

// not valid
x |-> y * x != y
|= p(x, y)
