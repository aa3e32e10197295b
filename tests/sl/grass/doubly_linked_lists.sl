// by grass
pred dll(x, a, y, b) := x = y * a = b ||
    exists u. x != y * a != b * x |-> {next: u, prev: a} * dll(u, x, y, b);

// valid
dll(x, a, y, b)
|= dll(x, a, y, b)

// valid
x |-> {next: y, prev: a} * x != y * a != x
|= dll(x, a, y, x)

// invalid
x |-> {next: y, prev: a} * a != x
|= dll(x, a, nil, x)

// valid
x |-> {next: u, prev: nil} * dll(u, x, nil, b)
|= dll(x, nil, nil, b)

// valid
dll(x, nil, u, c) * dll(u, c, nil, b)
|= dll(x, nil, nil, b)

// invalid
dll(x, nil, u, c) * dll(u, d, nil, b)
|= dll(x, nil, nil, b)
