// What is left over has names that nobody gave it.

// frame a != x * x != nil * ls(a, nil)
x |-> a * ls(a, nil)
|= exists y. x |-> y

// frame exists u. x != nil * ls(u, nil)
exists a. x |-> a * ls(a, nil)
|= exists y. x |-> y

// frame exists u. x != nil * ls(u, nil)
ls(x, nil) * x != nil
|= exists y. x |-> y

// no frame
ls(x, nil)
|= exists y. x |-> y

// frame a != x * x != nil * a |-> b
x |-> a * a |-> b
|= exists y, z. y |-> z

// no frame
x |-> a * y |-> a
|= exists u, v. u |-> v * v |-> v

// frame emp
ls(x, y) * ls(y, nil)
|= exists z. ls(x, z) * ls(z, nil)
