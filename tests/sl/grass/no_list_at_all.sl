// by grass
// It looks like a list, but the case that stops says more.
pred p(x) := x = nil * x |-> nil || exists u. x |-> u * p(u);

// not valid
x |-> nil
|= p(x)
