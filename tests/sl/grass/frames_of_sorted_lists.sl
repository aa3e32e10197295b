// by grass
pred up(x, y, low) := x = y ||
    exists u, v. x != y * low <= v * x |-> {next: u, data: v} * up(u, y, v);

// frame x != y * x != nil * up(y, nil, 3)
x |-> {next: y, data: 3} * up(y, nil, 3)
|= x |-> {next: y, data: 3}

// frame up(z, nil, n)
up(x, y, n) * up(z, nil, n)
|= up(x, y, n)

// frame emp
up(x, nil, 3)
|= up(x, nil, 2)

// no frame
up(x, nil, 2)
|= up(x, nil, 3)

// frame n <= m * x != y * y |-> {next: nil, data: n}
n <= m * up(x, nil, m) * y |-> {next: nil, data: n}
|= up(x, nil, n)
