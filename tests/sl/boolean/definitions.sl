// by boolean
// in both semantics
// What is not recursive is not inductive.
pred two(a, b) := a |-> b * b |-> a;
pred odd(a) := !(a |-> a * true) * !emp;

// valid
two(x, y) && !(x |-> x * true)
|= two(y, x) * (x != y && emp)

// sat
odd(x) && odd(y)
