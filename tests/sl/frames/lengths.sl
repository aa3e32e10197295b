// by induct
// Lists with their lengths: what is known of the length of the rest is kept.
pred list(x, n) := x = nil * n = 0 || exists u, m. x |-> {next: u} * list(u, m) * n = m + 1;

// frame exists u, u_1: Int. x != y * x != nil * 1 <= n * n = u_1 + 1 * 0 <= u_1 * list(y, m) * list(u, u_1)
list(x, n) * list(y, m) * 0 < n
|= exists u. x |-> {next: u}

// frame x != y * y != nil * n + 1 <= m * list(x, n)
list(x, n) * list(y, m) * n < m
|= list(y, m)
