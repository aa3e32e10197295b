// by boolean
// standard

// unsat
!(x = y) && (x = y) * a |-> b
