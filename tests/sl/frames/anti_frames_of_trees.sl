// Where no extension is a model of the right side there is no anti-frame.
pred tree(x) := x = nil || exists l, r. x |-> {left: l, right: r} * tree(l) * tree(r);

// anti-frame tree(y)
tree(x)
|= tree(x) * tree(y)

// anti-frame tree(b)
x |-> {left: a, right: b} * tree(a)
|= tree(x)

// no anti-frame
x = nil * tree(y)
|= x |-> {left: a, right: b} * tree(y)

// no anti-frame
tree(x)
|= x = nil * x != nil

// no anti-frame
x |-> {left: a, right: b}
|= x |-> {left: b, right: a} * a != b

// no anti-frame
x = nil * x |-> {left: a, right: b}
|= tree(x)
