// by boolean
// in both semantics
// Only where the common part is precise.

// valid
x |-> y * (emp || z |-> z)
|= x |-> y || x |-> y * z |-> z

// valid
x |-> y * (true && !emp)
|= (x |-> y * true) && (x |-> y * !emp)

// valid
(x |-> y * true) && (x |-> y * !emp)
|= x |-> y * !emp

// invalid
(true * x |-> y) && (true * z |-> z)
|= true * (x |-> y && z |-> z)

// invalid
(!emp * x |-> y) && (!emp * z |-> z)
|= !emp * (x |-> y && z |-> z)

// valid
!emp * (x |-> y && z |-> z)
|= (!emp * x |-> y) && (!emp * z |-> z)

// valid
(emp || x |-> y) * (emp || x |-> y)
|= emp || x |-> y

// valid
!(x |-> y) * !(x |-> y)
|= !(x |-> y)

// invalid
!(x |-> y) * !(z |-> y)
|= !(x |-> y)

// valid
!(x |-> y) && emp
|= !(x |-> y) * !(x |-> y)
