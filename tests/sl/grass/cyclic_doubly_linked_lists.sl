// by grass
// The list comes to its end, goes on and comes back to it; the link back is to where it came from first.
pred dll(x, a, y, b) := x = y * a = b ||
    exists u. x |-> {next: u, prev: a} * dll(u, x, y, b);

// valid
x |-> {next: y, prev: a} * y |-> {next: z, prev: x} * z |-> {next: y, prev: y}
|= dll(x, a, y, z)

// invalid
x |-> {next: y, prev: a} * y |-> {next: z, prev: x} * z |-> {next: y, prev: y}
|= dll(x, a, y, x)

// invalid
x |-> {next: y, prev: a} * y |-> {next: z, prev: x} * z |-> {next: y, prev: y}
|= dll(x, a, z, y)

// valid
x |-> {next: y, prev: a} * y |-> {next: z, prev: x}
|= dll(x, a, z, y)

// valid
x |-> {next: x, prev: a}
|= dll(x, a, x, x)

// valid
x |-> {next: y, prev: a} * y |-> {next: x, prev: x}
|= dll(x, a, x, y)

// invalid
x |-> {next: y, prev: a} * y |-> {next: x, prev: y}
|= dll(x, a, x, y)

// valid
dll(x, a, y, b) * dll(y, b, z, c)
|= dll(x, a, z, c)

// invalid
dll(x, a, y, b)
|= x = y * a = b
