// by induct
// Sorted lists with their least element, and a number for the empty list.
pred least(x, m) := (exists d. m = d * x |-> {next: nil, data: d}) ||
    exists u, d, k. m = d * d <= k * x |-> {next: u, data: d} * least(u, k);
pred above(x, b) := x = nil || exists u, d. b <= d * x |-> {next: u, data: d} * above(u, d);
pred len(x, b, n) := x = nil * n = 0 ||
    exists u, d, m. b <= d * x |-> {next: u, data: d} * len(u, d, m) * n = m + 1;

// valid
least(x, m) * 3 <= m
|= least(x, m) * x != nil

// valid
len(x, b, n) * x != nil
|= len(x, b, n) * 1 <= n

// valid
len(x, b, n) * n = 0
|= len(x, b, n) * x = nil

// valid
x |-> {next: u, data: d} * len(u, d, m) * u != nil * b <= d
|= exists n. len(x, b, n) * 2 <= n

// invalid
len(x, b, n) * x != nil
|= len(x, b, n) * b <= n
