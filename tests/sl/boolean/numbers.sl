// by boolean
// in both semantics
// Data is looked at only as a whole, but numbers have their own laws.
sort Ref; record Cell { value: Int }; heap Ref -> Cell; var x: Ref;

// unsat
(x |-> {value: n} && x |-> {value: m}) * n < m

// sat
x |-> {value: n} && !(x |-> {value: m}) && !(x |-> {value: n + 1})

// unsat
(x |-> {value: n + 1} && x |-> {value: m}) * m <= n

// unsat
emp && !(x |-> {value: n} -* false) && ((!emp && !(!emp * !emp)) -* (x |-> {value: n} || x |-> {value: 3}))

// sat
(!emp && !(!emp * !emp)) * (!emp && !(!emp * !emp)) && !(x |-> {value: n} * true)
