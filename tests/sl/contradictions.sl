// That something has no model is an entailment as well: of `false`. So it has a proof, which is checked.
pred tree(x) := x = nil || exists l, r. x |-> {left: l, right: r} * tree(l) * tree(r);

// valid
x |-> {left: a, right: b} * x |-> {left: a, right: b}
|= false

// valid
x != nil * tree(x) * x |-> {left: nil, right: nil}
|= false

// valid
x |-> {left: a, right: b} * tree(x) * x = nil
|= false

// invalid
tree(x) * tree(y)
|= false

// unsat
nil |-> {left: a, right: b} * tree(a)

// sat
tree(x) * tree(x)
