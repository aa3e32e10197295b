// by grass
pred dll(x, a, y, b) := x = y * a = b ||
    exists u. x |-> {next: u, prev: a} * dll(u, x, y, b);

// valid
x |-> {next: x, prev: a}
|= dll(x, a, x, x) * dll(x, b, x, b)

// valid
x |-> {next: x, prev: a}
|= dll(x, b, x, b) * dll(x, a, x, x)

// invalid
x |-> {next: x, prev: a}
|= dll(x, b, x, b) * dll(x, c, x, c)

// valid
x |-> {next: x, prev: a}
|= dll(x, b, x, b) * dll(x, a, x, x) * true

// invalid
x |-> {next: x, prev: a}
|= dll(x, a, x, x) * dll(x, a, x, x) * true
