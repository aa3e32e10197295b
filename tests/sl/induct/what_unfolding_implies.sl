// by induct
// An instance is on both sides, and on the right there is something pure besides: it follows from the cases of the
// instance, with what is known, but not from the instance as it is.
pred sz(x, n) := x = nil * n = 0 || exists u, m. x |-> {next: u, prev: nil} * sz(u, m) * n = m + 1;
pred size(x, n) := x = nil * n = 0 ||
    exists l, r, i, j. x |-> {next: l, prev: r} * size(l, i) * size(r, j) * n = i + j + 1;
pred dll(f, p, l, e, n) := f = e * p = l * n = 0 ||
    exists u, m. f |-> {next: u, prev: p} * dll(u, f, l, e, m) * n = m + 1;

// valid
sz(x, n) * x != nil
|= sz(x, n) * n >= 1

// valid
sz(x, n) * n = 0
|= sz(x, n) * x = nil

// valid
sz(x, n) * 0 < n
|= sz(x, n) * x != nil

// valid
sz(x, n) * sz(y, m) * x != nil
|= sz(y, m) * sz(x, n) * n + m >= 1

// valid
sz(x, n) * sz(y, m) * x != nil * y != nil
|= sz(y, m) * sz(x, n) * n + m >= 2

// invalid
sz(x, n) * x != nil
|= sz(x, n) * n >= 2

// valid
x |-> {next: u, prev: nil} * sz(u, m) * u != nil * n = m + 1
|= sz(x, n) * n >= 2

// valid
size(x, n) * x != nil
|= size(x, n) * n >= 1

// valid
size(x, n) * n <= 0
|= size(x, n) * x = nil

// invalid
size(x, n) * n <= 1
|= size(x, n) * x = nil

// valid
dll(f, p, l, e, n) * f != e
|= dll(f, p, l, e, n) * n >= 1

// valid
dll(f, p, l, e, n) * p != l
|= dll(f, p, l, e, n) * n >= 1

// valid
dll(f, p, l, e, n) * n = 0
|= dll(f, p, l, e, n) * f = e * p = l

// valid
dll(f, p, l, e, n) * n = 1
|= dll(f, p, l, e, n) * f = l

// valid
exists n. sz(x, n) * x != nil
|= exists n. sz(x, n) * n >= 1

// valid
sz(x, n) * x != nil * sz(y, m) * y != nil
|= exists k. sz(x, k) * sz(y, m) * k >= 1 * m >= 1
