// Bound variables that are called like free ones are others.

// sat
(exists u. x |-> u * u |-> y) * u = nil

// sat
(exists u. x |-> u) * u |-> nil && !(x |-> u * u |-> nil)

// unsat
x |-> y * u |-> nil && !((exists u. x |-> u) * u |-> nil)
