pred tree(x) := x = nil || exists l, r. x |-> {left: l, right: r} * tree(l) * tree(r);

// frame a != x * b != x * x != nil * tree(a) * tree(b)
x |-> {left: a, right: b} * tree(a) * tree(b)
|= x |-> {left: a, right: b}

// frame a != x * b != x * c != x * x != nil * tree(c)
x |-> {left: a, right: b} * tree(a) * tree(b) * tree(c)
|= tree(x)

// frame tree(y)
tree(x) * tree(y)
|= tree(x)

// frame exists u, u_1. x != nil * tree(u) * tree(u_1)
x != nil * tree(x)
|= exists l, r. x |-> {left: l, right: r}

// no frame
tree(x)
|= exists l, r. x |-> {left: l, right: r}

// no frame
x |-> {left: a, right: b} * tree(a)
|= tree(x)
