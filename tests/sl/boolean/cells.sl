// by boolean
// in both semantics

// sat
x |-> y * y |-> x

// unsat
x |-> y * x |-> z

// unsat
nil |-> y

// unsat
x |-> y && emp

// unsat
x |-> y && y |-> x && !(x |-> x)

// valid
x |-> y && x |-> z
|= y = z * x |-> y

// sat
!(x |-> y) && !emp

// invalid
x |-> y * true
|= x |-> y
