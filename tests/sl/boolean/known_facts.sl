// by boolean
// in both semantics
// What must hold of the stack is known everywhere below.

// unsat
x != nil && x != y && (x = y && emp || x |-> y) && !(x |-> y)

// unsat
x |-> y * y != nil && (y = nil || emp)

// sat
(x = y || x |-> y) && (x = y || !(x |-> y))
