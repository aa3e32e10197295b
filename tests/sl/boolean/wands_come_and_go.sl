// by boolean
// in both semantics

// valid
x |-> y * (x |-> y -* z |-> z)
|= z |-> z

// valid
z |-> z
|= x |-> y -* (x |-> y * z |-> z)

// invalid
x |-> y -* (x |-> y * z |-> z)
|= z |-> z

// valid
!emp * (!emp -* z |-> z)
|= z |-> z

// valid
emp -* x |-> y
|= x |-> y

// valid
x |-> y
|= emp -* x |-> y

// sat
(x |-> y -* false) && !emp

// valid
x |-> z
|= x |-> y -* false

// invalid
x |-> y -* false
|= x |-> z * true

// unsat
(x |-> y -* false) && emp && !(x |-> y -* x |-> z)

// sat
(x |-> y -* false) && emp

// unsat
(x |-> y -* false) && emp && !(x |-> x -* false)
