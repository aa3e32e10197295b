// The first list must have a cell, the other one may be anything.
//:: entry append
//:: infer memsafety: safe, memtrack: safe, reach: safe
//:: requires node_ls1(a, nil)
struct node { int data; struct node *next; };

void append(struct node *a, struct node *b) {
  while (a->next)
    a = a->next;
  a->next = b;
}
