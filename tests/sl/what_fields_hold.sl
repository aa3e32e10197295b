// Nothing is declared: that `data` is a number is known by way of `a` and `b`.

// valid
x |-> {next: y, data: a} * a = b * b <= 3
|= exists u, d. x |-> {next: u, data: d} * d <= 4

// invalid
x |-> {next: y, data: a} * a = b * b <= 3
|= exists u, d. x |-> {next: u, data: d} * d <= 2
