// by boolean
// in both semantics
// The same cell twice is no heap, however deep in wands it is asked for.

// sat
a |-> b * b |-> c && !(a |-> b * (a |-> c -* (b |-> c * (b |-> a -* b |-> b * b |-> a))))

// sat
a |-> b * b |-> c && !(a |-> b * (a |-> c -* (b |-> c * (b |-> a -* false))))
