// by lists
// What has no model entails `false`, which has a proof.

// unsat
x |-> y * ls(x, nil) * x != nil

// unsat
x = nil * ls(y, z) * x |-> z
