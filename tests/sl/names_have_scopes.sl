// A name that is bound in a definition says nothing of the same name elsewhere: `u` is a location
// there, and a number here. What a field holds follows from all uses of it.
pred list(x, y) := x = y || exists u. x |-> {next: u} * list(u, y);

// valid
list(x, y)
|= exists u. list(x, y) * 0 <= u

// valid
list(x, y) * 0 <= u
|= list(x, y)
