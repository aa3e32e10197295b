// by boolean
// in both semantics
// There is always another location.

// unsat
!emp -* false

// unsat
true -* emp

// valid
true
|= !emp -* !emp

// valid
!emp
|= !emp -* (!emp * !emp)

// invalid
!emp
|= !emp -* (!emp * !emp * !emp)

// unsat
(true -* !(x |-> y * true)) && !(x |-> y * true) && !(x |-> z * true) && emp && !(x |-> y -* false)

// valid
!emp * (x |-> y -* false)
|= (x |-> y -* false) || x |-> z || !emp

// unsat
x |-> y * (true -* !(x |-> y * true)) && !(x |-> y * true)

// unsat
emp && !(x |-> y -* false) && ((!emp && !(!emp * !emp)) -* (x |-> y || x |-> z))

// sat
!(!((x |-> y * true) || (x |-> z * true)) -* !(!emp * !emp))
