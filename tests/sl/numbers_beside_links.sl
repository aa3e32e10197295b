// Links that contradict each other prove everything, numbers too; also that one of several open
// cases holds.
pred list(x, y) := x = y || exists u. x |-> {next: u} * list(u, y);

// valid
x |-> {next: x} * x |-> {next: x}
|= list(nil, nil) * m <= 1

// valid
x |-> {next: x} * x != x
|= (list(nil, nil) * m <= 1 * true) || (x = nil * m <= 2 * true)
