// by grass
pred up(x, y, low) := x = y ||
    exists u, v. x != y * low < v * x |-> {next: u, data: v} * up(u, y, v);

// valid
x |-> {next: y, data: 3} * up(y, nil, 3)
|= up(x, nil, 2)

// invalid
x |-> {next: y, data: 3} * up(y, nil, 2)
|= up(x, nil, 2)

// invalid
x |-> {next: y, data: n} * y |-> {next: nil, data: n}
|= up(x, nil, 0) || n < 1 * x |-> {next: y, data: n} * y |-> {next: nil, data: n}
