// by induct
// What differs from an existential variable has another name on the left.

// valid
z = y * y != w * x |-> {next: w} * y |-> {next: u}
|= exists v, t. z != v * x |-> {next: v} * z |-> {next: t}

// invalid
z = y * x |-> {next: w} * y |-> {next: u}
|= exists v, t. z != v * x |-> {next: v} * z |-> {next: t}
