// by boolean
// Inductive definitions are for others.

// out of fragment: inductive
ls(x, y)
