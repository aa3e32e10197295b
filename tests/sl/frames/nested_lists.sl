pred nls(x) := x = nil || exists u, v. x |-> {next: u, down: v} * inner(v) * nls(u);
pred inner(x) := x = nil || exists v. x |-> {next: nil, down: v} * inner(v);

// frame nls(x)
nls(x) * nls(y)
|= nls(y)

// frame v != x * x |-> {next: u, down: v} * nls(u)
x |-> {next: u, down: v} * inner(v) * nls(u)
|= inner(v)

// frame u != x * v != x * w != x * x != nil * inner(w)
x |-> {next: u, down: v} * inner(v) * nls(u) * inner(w)
|= nls(x)
