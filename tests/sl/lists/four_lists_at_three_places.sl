// by lists
// Four lists begin at three places, and each needs a place of its own.

// sat
w != p * w != q * p != q * ls(a, w) * ls(a, p) * ls(b, w) * ls(b, q) * ls(c, p) * ls(c, q)

// unsat
w != p * w != q * p != q * ls(a, w) * ls(a, p) * ls(b, w) * ls(b, q) * ls(c, p) * ls(c, q) * ls(d, w) * ls(d, p)
