// by boolean
// A negation may also hold because the heap is not empty, if pure atoms are about the empty heap.

// sat
!(x = y) && (x = y) * a |-> b
