// by grass
// Only steps say that what is before is not the last location, and one location takes no step.
pred dll(x, a, y, b) := x = b * x |-> {next: y, prev: a} ||
    exists u. x != y * a != b * x |-> {next: u, prev: a} * dll(u, x, y, b);

// valid
x |-> {next: y, prev: x}
|= dll(x, x, y, x)

// invalid
dll(x, x, y, x)
|= false

// valid
x |-> {next: x, prev: a}
|= dll(x, a, x, x)

// valid
x |-> {next: y, prev: a} * y |-> {next: y, prev: x} * a != y
|= dll(x, a, y, y)

// invalid
x |-> {next: y, prev: a} * y |-> {next: x, prev: x} * a != y
|= dll(x, a, x, y)

// invalid
x != u * x |-> {next: u, prev: u} * u |-> {next: y, prev: x}
|= dll(x, u, y, u)
