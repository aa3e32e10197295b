// by boolean
// standard
// If `p` and `q` are different, `x` holds one of them.
sort Ref; record Cell { value: Bool }; heap Ref -> Cell; var x: Ref;
var p: Bool; var q: Bool; var r: Bool;

// unsat
emp && !((!(x |-> {value: p} * true) && !(x |-> {value: q} * true)) -* !(x |-> {value: r} * true)) && p != q

// sat
emp && !((!(x |-> {value: p} * true) && !(x |-> {value: q} * true)) -* !(x |-> {value: r} * true)) && p = q
