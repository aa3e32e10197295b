// by grass
pred dll(x, a, y, b) := x = y * a = b ||
    exists u. x != y * x |-> {next: u, prev: a} * dll(u, x, y, b);

// frame u != x * x != nil * dll(u, x, nil, b)
x |-> {next: u, prev: nil} * dll(u, x, nil, b)
|= x |-> {next: u, prev: nil}

// frame dll(u, c, nil, b)
dll(x, nil, u, c) * dll(u, c, nil, b)
|= dll(x, nil, u, c)

// frame c != u * u != nil * x != nil
dll(x, nil, u, c) * u |-> {next: nil, prev: c}
|= dll(x, nil, nil, u)

// frame dll(x, nil, nil, b)
dll(x, nil, nil, b) * dll(y, nil, nil, c)
|= dll(y, nil, nil, c)

// no frame
dll(x, nil, nil, b)
|= x |-> {next: nil, prev: nil}
