// by grass
pred up(x, y, low) := x = y ||
    exists u, v. x != y * low <= v * x |-> {next: u, data: v} * up(u, y, v);

// anti-frame up(y, nil, 3)
x |-> {next: y, data: 3}
|= up(x, nil, 3)

// anti-frame m <= n * up(y, nil, n)
x |-> {next: y, data: n}
|= up(x, nil, m)

// anti-frame up(y, nil, n)
up(x, nil, 3)
|= up(x, nil, 3) * up(y, nil, n)

// anti-frame m <= n
up(x, nil, n)
|= up(x, nil, m)
