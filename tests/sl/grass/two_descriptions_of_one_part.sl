// by grass

// valid
(ls(x, y) && x |-> y) * ls(z, w)
|= x |-> y * ls(z, w)

// valid
x != y * x |-> y * ls(z, w)
|= (ls(x, y) && x |-> y) * ls(z, w)

// invalid
x |-> y * ls(z, w)
|= (ls(x, y) && x |-> y) * ls(z, w)

// valid
(ls(x, y) && ls(x, z)) * w |-> x
|= y = z * true

// valid
(ls(x, y) && ls(z, y)) * w |-> x
|= x = z * true

// valid
(ls(x, y) * ls(y, z) && ls(x, w)) * w |-> nil
|= ls(x, nil)

// invalid
ls(x, z) * w |-> nil
|= (ls(x, y) * ls(y, z) && ls(x, z)) * w |-> nil

// valid
(x = y && ls(x, z)) * w |-> x
|= z = x * w |-> y

// valid
x |-> y * (ls(y, z) && exists u. y |-> u * ls(u, z))
|= exists v, w. x |-> v * (v |-> w * ls(w, z) && ls(y, z))

// valid
((ls(x, y) && x |-> u) * ls(z, w) && true) * v |-> x
|= v |-> x * true
