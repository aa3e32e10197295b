// by induct
// What has no model entails `false`, which has a proof.
pred tree(x) := x = nil || exists l, r. x |-> {left: l, right: r} * tree(l) * tree(r);
pred size(x, n) := x = nil * n = 0 ||
    exists l, r, i, j. x |-> {left: l, right: r} * size(l, i) * size(r, j) * n = i + j + 1;

// unsat
x |-> {left: y, right: z} * tree(x) * x != nil

// unsat
size(x, n) * n < 0
