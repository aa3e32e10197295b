// by boolean
// in both semantics

// valid
x |-> y
|= exists z. x |-> z

// valid
exists z. x |-> z
|= !emp

// invalid
exists z. x |-> z
|= x |-> y

// unsat
(forall z. !(x |-> z * true)) && (x |-> y * true)

// unsat
(exists z. x |-> z) && (forall z. !(x |-> z))

// sat
forall z. !(z |-> x * true)
