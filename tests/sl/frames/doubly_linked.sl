// by induct
pred dll(f, p, l, n) := f = n * p = l || exists u. f |-> {next: u, prev: p} * dll(u, f, l, n);

// frame exists u. a != b * a != nil * dll(b, q, k, nil) * dll(u, a, l, nil)
dll(a, p, l, nil) * a != nil * dll(b, q, k, nil)
|= exists u. a |-> {next: u, prev: p}
