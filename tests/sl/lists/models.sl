// by lists

// sat
emp

// sat
x != nil * x != y * ls(x, y) * ls(y, x)

// unsat
x |-> y * x |-> z

// unsat
nil |-> x

// sat
ls(nil, x)

// unsat
ls(nil, x) * x |-> y

// unsat
ls(x, y) * ls(x, z) * x != y * x != z

// sat
ls(x, y) * ls(x, z) * y != z
