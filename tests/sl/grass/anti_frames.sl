// by grass
// Anti-frames of lists. A list to `z` comes after one from `x` only if `z` is not in that.

// anti-frame x |-> y
emp
|= x |-> y

// anti-frame y |-> z
x |-> y
|= x |-> y * y |-> z

// anti-frame ls(y, nil)
x |-> y
|= ls(x, nil)

// anti-frame ls(y, nil)
ls(x, y)
|= ls(x, nil)

// anti-frame y = z
x |-> y
|= x |-> z

// anti-frame x = y
x |-> y
|= y |-> x

// no anti-frame
x |-> y
|= emp

// anti-frame ls(x, nil)
emp
|= ls(x, nil)

// anti-frame ls(y, z)
x |-> y * ls(z, nil)
|= ls(x, nil)

// anti-frame x = y * ls(x, z) || y = z || z = nil * ls(y, nil)
ls(x, y)
|= ls(x, z)

// anti-frame w = nil * ls(z, nil) || x = y * w != x * ls(z, w)
ls(x, y) * y |-> z
|= ls(x, w)

// anti-frame ls(y, z)
x != z * x |-> y
|= ls(x, z)

// anti-frame y |-> x
x |-> nil
|= x |-> nil * y |-> x

// anti-frame ls(z, nil)
ls(x, y)
|= ls(x, y) * ls(z, nil)
