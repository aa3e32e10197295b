// by boolean
// in both semantics
// What can be added so that the result is as on the right.

// valid
!(x |-> y -* !(x |-> y * z |-> z))
|= z |-> z

// sat
!(x |-> y -* !(x |-> y * z |-> z))

// unsat
!(x |-> y -* !(x |-> x && !(x |-> y)))

// valid
!(x |-> y -* !(true))
|= !(x |-> z * true)

// valid
emp
|= !(!emp -* emp)

// sat
!(!emp -* !(x |-> y * z |-> x))

// valid
!(!emp -* !(x |-> y))
|= emp
