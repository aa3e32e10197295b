// Nobody says what the pointer leads to; that there is a node is the precondition that is found.
//:: entry next
//:: infer memsafety: safe, memtrack: safe, reach: safe
//:: requires exists v1. n |-> {next: v1}
struct node { struct node *next; };

struct node *next(struct node *n) {
  return n->next;
}
