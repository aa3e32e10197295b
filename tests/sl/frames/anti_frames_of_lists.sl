// What is equal may be all that is missing.

// anti-frame y = z
x |-> y * y |-> z
|= x |-> z * true
