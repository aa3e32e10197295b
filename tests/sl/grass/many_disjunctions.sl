// by grass
// Where a formula must hold, there is a set of nodes for every part; where it must not, the solver is told
// of those disjuncts that its models ask for. So there is no limit on their number: here it is 512.

// valid
(x0 |-> x1 || ls(x0, x1)) * (x1 |-> x2 || ls(x1, x2)) * (x2 |-> x3 || ls(x2, x3)) * (x3 |-> x4 || ls(x3, x4)) * (x4 |-> x5 || ls(x4, x5)) * (x5 |-> x6 || ls(x5, x6)) * (x6 |-> x7 || ls(x6, x7)) * (x7 |-> x8 || ls(x7, x8)) * (x8 |-> x9 || ls(x8, x9)) * x0 != x1 * x1 != x2 * x2 != x3 * x3 != x4 * x4 != x5 * x5 != x6 * x6 != x7 * x7 != x8 * x8 != x9 * x9 = nil
|= ls(x0, nil)

// invalid
(x0 |-> x1 || ls(x0, x1)) * (x1 |-> x2 || ls(x1, x2)) * (x2 |-> x3 || ls(x2, x3)) * (x3 |-> x4 || ls(x3, x4)) * (x4 |-> x5 || ls(x4, x5)) * (x5 |-> x6 || ls(x5, x6)) * (x6 |-> x7 || ls(x6, x7)) * (x7 |-> x8 || ls(x7, x8)) * (x8 |-> x9 || ls(x8, x9)) * x0 != x1 * x1 != x2 * x2 != x3 * x3 != x4 * x4 != x5 * x5 != x6 * x6 != x7 * x7 != x8 * x8 != x9 * x9 = nil
|= ls(x1, nil)

// valid
x0 |-> x1 * x1 |-> x2 * x2 |-> x3 * x3 |-> x4 * x4 |-> x5 * x5 |-> x6 * x6 |-> x7 * x7 |-> x8 * x8 |-> x9
|= (x0 |-> x1 || ls(x0, x1)) * (x1 |-> x2 || ls(x1, x2)) * (x2 |-> x3 || ls(x2, x3)) * (x3 |-> x4 || ls(x3, x4)) * (x4 |-> x5 || ls(x4, x5)) * (x5 |-> x6 || ls(x5, x6)) * (x6 |-> x7 || ls(x6, x7)) * (x7 |-> x8 || ls(x7, x8)) * (x8 |-> x9 || ls(x8, x9))

// valid
ls(x0, x1) * ls(x1, x2) * ls(x2, x3) * ls(x3, x4) * ls(x4, x5) * ls(x5, x6) * ls(x6, x7) * ls(x7, x8) * ls(x8, x9)
|= (x0 |-> x1 || ls(x0, x1)) * (x1 |-> x2 || ls(x1, x2)) * (x2 |-> x3 || ls(x2, x3)) * (x3 |-> x4 || ls(x3, x4)) * (x4 |-> x5 || ls(x4, x5)) * (x5 |-> x6 || ls(x5, x6)) * (x6 |-> x7 || ls(x6, x7)) * (x7 |-> x8 || ls(x7, x8)) * (x8 |-> x9 || ls(x8, x9))

// invalid
x0 |-> x1 * x1 |-> x2 * x2 |-> x3 * x3 |-> x4 * x4 |-> x5 * x5 |-> x6 * x6 |-> x7 * x7 |-> x8
|= (x0 |-> x1 || ls(x0, x1)) * (x1 |-> x2 || ls(x1, x2)) * (x2 |-> x3 || ls(x2, x3)) * (x3 |-> x4 || ls(x3, x4)) * (x4 |-> x5 || ls(x4, x5)) * (x5 |-> x6 || ls(x5, x6)) * (x6 |-> x7 || ls(x6, x7)) * (x7 |-> x8 || ls(x7, x8)) * (x8 |-> x9 || ls(x8, x9))

// invalid
x0 |-> x2 * true
|= (x0 |-> x1 || ls(x0, x1)) * (x1 |-> x2 || ls(x1, x2)) * (x2 |-> x3 || ls(x2, x3)) * (x3 |-> x4 || ls(x3, x4)) * (x4 |-> x5 || ls(x4, x5)) * (x5 |-> x6 || ls(x5, x6)) * (x6 |-> x7 || ls(x6, x7)) * (x7 |-> x8 || ls(x7, x8)) * (x8 |-> x9 || ls(x8, x9))

// valid
x0 != x2 * x1 != x2 * x0 |-> x1 * x1 |-> x2 * x2 |-> x3 * x3 |-> x4 * x4 |-> x5 * x5 |-> x6 * x6 |-> x7 * x7 |-> x8 * x8 |-> x9
|= ((x0 |-> x1 || ls(x0, x1)) * (x1 |-> x2 || ls(x1, x2)) * (x2 |-> x3 || ls(x2, x3)) * (x3 |-> x4 || ls(x3, x4)) * (x4 |-> x5 || ls(x4, x5)) * (x5 |-> x6 || ls(x5, x6)) * (x6 |-> x7 || ls(x6, x7)) * (x7 |-> x8 || ls(x7, x8)) * (x8 |-> x9 || ls(x8, x9))) && (x0 |-> x1 || ls(x0, x1)) * (x1 |-> x2 || ls(x1, x2)) * (x2 |-> x3 || ls(x2, x3)) * (x3 |-> x4 || ls(x3, x4)) * (x4 |-> x5 || ls(x4, x5)) * (x5 |-> x6 || ls(x5, x6)) * (x6 |-> x7 || ls(x6, x7)) * (x7 |-> x8 || ls(x7, x8)) * (x8 |-> x9 || ls(x8, x9))
