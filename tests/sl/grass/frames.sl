// by grass
// Frames of lists.

// no frame
x != z * ls(x, z) * x != w
|= x |-> y

// frame emp
emp
|= emp

// frame x != nil
x |-> y
|= x |-> y

// frame x != y * x != nil * y |-> z
x |-> y * y |-> z
|= x |-> y

// frame x != y * y != nil * x |-> y
x |-> y * y |-> z
|= y |-> z

// no frame
x |-> y
|= y |-> x

// frame ls(y, nil)
ls(x, y) * ls(y, nil)
|= ls(x, y)

// frame emp
ls(x, y) * ls(y, nil)
|= ls(x, nil)

// frame ls(y, nil)
ls(x, nil) * ls(y, nil)
|= ls(x, nil)

// frame x != y * x != nil
x |-> y * ls(y, nil)
|= ls(x, nil)

// no frame
ls(x, nil)
|= x |-> y

// frame x |-> y || x |-> z
x |-> y || x |-> z
|= emp

// frame x |-> y
x |-> y
|= emp

// frame x != y * y != nil * x |-> nil
x |-> nil * y |-> nil
|= y |-> nil

// frame x = y * x != nil
x = y * x |-> z
|= y |-> z

// frame x = y * x != z * x != nil * ls(z, nil)
x = y * x |-> z * ls(z, nil)
|= y |-> z

// frame x != y * x != z * x != nil * y != z * y != nil * z |-> nil
x |-> y * y |-> z * z |-> nil
|= ls(x, z)

// frame x != y * x != z * y != z * y != nil * z != nil * x |-> y
x |-> y * y |-> z * z |-> nil
|= ls(y, nil)

// frame x != nil * y |-> z
ls(x, y) * y |-> z
|= ls(x, y)

// frame y != nil * ls(x, y)
ls(x, y) * y |-> z
|= y |-> z

// frame emp
ls(x, y)
|= ls(x, y)

// frame x != y * ls(x, y)
x != y * ls(x, y)
|= emp

// no frame
ls(x, y)
|= ls(y, x)

// frame x != z * x |-> y
x |-> y * ls(z, nil)
|= ls(z, nil)

// frame x != y * x != nil * ls(y, nil) || x != y * x != nil * y |-> z
x |-> y * (ls(y, nil) || y |-> z)
|= x |-> y

// frame x != z * z != nil * x |-> y || z != nil * ls(x, y)
(x |-> y || ls(x, y)) * z |-> nil
|= z |-> nil

// frame y = z * x != nil
x |-> y && x |-> z
|= x |-> y

// frame x != nil
x |-> x
|= x |-> x

// frame false
x != x
|= y |-> z

// frame false
x |-> y * x |-> z
|= y |-> z

// frame x != y * x != nil * y |-> {next: nil, data: n}
x |-> {next: y, data: 3} * y |-> {next: nil, data: n}
|= x |-> {next: y, data: 3}

// frame x != nil
exists u. x |-> u * ls(u, nil)
|= ls(x, nil)

// frame ls(y, z)
ls(x, y) * ls(y, z) * ls(z, nil)
|= ls(x, y) * ls(z, nil)
