// A name that nothing has is no variable of some value.
//:: entry f
//:: error infer.contract
struct node { struct node *next; };

//@ requires ls(lst, nil)
int f(struct node *list) { return list != 0; }
