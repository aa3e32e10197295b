// by grass
// The last location may lead to itself: this was once said to be impossible.
pred some(x, y) := x |-> y || exists u. x != y * x |-> u * some(u, y);

// valid
x |-> x
|= some(x, x)

// valid
x |-> y * y |-> y
|= some(x, y)

// invalid
x |-> y * y |-> x
|= some(x, x)

// valid
some(x, x)
|= x |-> x

// invalid
some(x, y) * y != nil
|= x |-> y
