// by boolean
// in both semantics
// There are only two truth values.
sort Ref; record Cell { value: Bool }; heap Ref -> Cell; var x: Ref;
var p: Bool; var q: Bool; var r: Bool;

// unsat
x |-> {value: p} && !(x |-> {value: q}) && !(x |-> {value: r}) && (q = r * true -* false)

// sat
x |-> {value: p} && !(x |-> {value: q}) && !(x |-> {value: r})
