// by boolean
// in both semantics
sort A; sort B; record a { b: B }; record b { a: A };
heap A -> a; heap B -> b; var x: A; var y: B;

// sat
x |-> {b: y} * y |-> {a: x}

// unsat
x |-> {b: y} && y |-> {a: x}

// unsat
emp && !(x |-> {b: y} -* false) && (!emp -* (x |-> {b: y} * true))

// sat
!(x |-> {b: y}) && !(y |-> {a: x}) && !emp && !(!emp * !emp)
