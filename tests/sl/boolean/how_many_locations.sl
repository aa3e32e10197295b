// by boolean
// in both semantics

// sat
(!emp && !(!emp * !emp))

// sat
(!emp && !(!emp * !emp)) * (!emp && !(!emp * !emp))

// unsat
(!emp && !(!emp * !emp)) && (!emp * !emp)

// valid
(!emp && !(!emp * !emp)) * (!emp && !(!emp * !emp))
|= (!emp * !emp)

// invalid
(!emp * !emp)
|= (!emp && !(!emp * !emp)) * (!emp && !(!emp * !emp))

// valid
x |-> y
|= (!emp && !(!emp * !emp))

// valid
x |-> y * y |-> z
|= (!emp && !(!emp * !emp)) * (!emp && !(!emp * !emp))

// valid
(!emp * !emp) * (!emp * !emp)
|= (!emp && !(!emp * !emp)) * (!emp && !(!emp * !emp)) * (!emp && !(!emp * !emp)) * true

// invalid
(!emp * !emp) * (!emp * !emp)
|= (!emp && !(!emp * !emp)) * (!emp && !(!emp * !emp)) * (!emp && !(!emp * !emp)) * (!emp && !(!emp * !emp))

// sat
((!emp && !(!emp * !emp)) * (!emp && !(!emp * !emp))) && !(x |-> y * true) && !(x |-> x * true) && (true -* true)

// unsat
x |-> y * y |-> x * (!emp && !(!emp * !emp)) && !((!emp * !emp) * (!emp && !(!emp * !emp)))
