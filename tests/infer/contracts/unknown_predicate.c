// A predicate that is neither a list nor a tree is refused where it is used.
//:: entry f
//:: error infer.contract
struct node { struct node *next; };

//@ pred pairs(x) := x = nil || exists y, z. x |-> {next: y} * y |-> {next: z} * pairs(z);
//@ requires pairs(x)
int f(struct node *x) { return x != 0; }
