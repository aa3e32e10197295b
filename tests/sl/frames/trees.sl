// The part of a tree that somebody does not need.
pred tree(x) := x = nil || exists l, r. x |-> {left: l, right: r} * tree(l) * tree(r);

// frame tree(y)
tree(x) * tree(y)
|= tree(x)

// frame exists u, u_1. x != nil * tree(u) * tree(u_1)
tree(x) * x != nil
|= exists l, r. x |-> {left: l, right: r}

// no frame
tree(x)
|= exists l, r. x |-> {left: l, right: r}

// frame false
tree(x) * x |-> {left: a, right: b}
|= tree(x)

// anti-frame tree(b)
x |-> {left: a, right: b} * tree(a)
|= tree(x)

// no anti-frame
tree(x)
|= x = nil * x != nil
