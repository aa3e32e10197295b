// by grass
// standard

// valid
(x != y && ls(x, y) && x |-> z * true) * w |-> x
|= exists u. w |-> u * x |-> z * ls(z, y)

// valid
(ls(x, y) && ls(x, z)) * w |-> x
|= y = z

// valid
x != y && x |-> y * w |-> x
|= (x != y && ls(x, y) && x |-> y) * (w |-> x && x = x)

// valid
(x = y) * (x |-> z && ls(x, z))
|= ls(y, z) * true

// valid
(x = y && ls(x, z)) * (w |-> x || x != y && emp)
|= w |-> y * true

// invalid
(x = y && ls(x, z)) * (w |-> x || x != y && emp)
|= w |-> z * true
