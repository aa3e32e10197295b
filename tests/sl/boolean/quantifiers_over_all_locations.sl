// by boolean
// standard
// A heap cannot have all locations; that it has all that have a name says nothing.

// not sat
forall z. z = nil || !(z |-> x -* true)
