// by boolean
// in both semantics

// valid
x |-> y -* z |-> y -* true
|= x |-> y * z |-> y -* true

// valid
(x |-> y) -* ((z |-> y) -* (x |-> y * true))
|= (x |-> y * z |-> y) -* (x |-> y * true)

// valid
(x |-> y * z |-> y) -* (w |-> w)
|= (x |-> y) -* ((z |-> y) -* (w |-> w))

// valid
!emp -* (!emp -* (x |-> y * true))
|= (!emp * !emp) -* (x |-> y * true)

// unsat
(!emp * !emp) -* !(!emp * !emp * !emp)

// unsat
(true -* (true -* emp))

// sat
!(true -* !(true -* (true || emp)))
