// by induct
// What a proof leaves over is the frame.

// frame x != nil * ls(y, z)
x |-> y * ls(y, z)
|= x |-> y

// frame ls(y, nil)
ls(x, y) * ls(y, nil)
|= ls(x, y)

// frame exists u. x != nil * ls(u, nil)
ls(x, nil) * x != nil
|= exists y. x |-> y

// no frame
ls(x, nil)
|= exists y. x |-> y

// frame false
x |-> y * x |-> z
|= ls(y, z)
