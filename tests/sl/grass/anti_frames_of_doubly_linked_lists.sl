// by grass
pred dll(x, a, y, b) := x = y * a = b ||
    exists u. x != y * x |-> {next: u, prev: a} * dll(u, x, y, b);

// anti-frame dll(u, x, nil, b)
x |-> {next: u, prev: nil}
|= dll(x, nil, nil, b)

// anti-frame dll(u, c, nil, b)
dll(x, nil, u, c)
|= dll(x, nil, nil, b)

// anti-frame dll(u, x, nil, b)
x |-> {next: u, prev: nil}
|= x |-> {next: u, prev: nil} * dll(u, x, nil, b)

// anti-frame dll(x, nil, nil, b)
emp
|= dll(x, nil, nil, b)

// anti-frame dll(x, nil, u, x)
dll(u, x, nil, b)
|= dll(x, nil, nil, b)
