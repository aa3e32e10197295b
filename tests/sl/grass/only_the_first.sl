// by grass
// It looks like a list, but the case that stops says more.
pred p(x, y) := x |-> {next: y, other: nil} ||
    exists u, v. u |-> {next: y, other: v} * p(x, u);

// not valid
x |-> {next: y, other: z} * z != nil
|= p(x, y)
