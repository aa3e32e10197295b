// by grass
pred up(x, y, low) := x = y ||
    exists u, v. x != y * low <= v * x |-> {next: u, data: v} * up(u, y, v);

// valid
up(x, nil, 3)
|= up(x, nil, 2)

// invalid
up(x, nil, 2)
|= up(x, nil, 3)

// valid
x |-> {next: y, data: 3} * up(y, nil, 4)
|= up(x, nil, 3)

// invalid
x |-> {next: y, data: 3} * up(y, nil, 2)
|= up(x, nil, 3)

// valid
x |-> {next: y, data: n} * y |-> {next: nil, data: m} * n <= m
|= up(x, nil, n)

// invalid
x |-> {next: y, data: n} * y |-> {next: nil, data: m}
|= up(x, nil, n)

// invalid
up(x, y, 0) * y |-> {next: nil, data: 5}
|= up(x, nil, 0)
