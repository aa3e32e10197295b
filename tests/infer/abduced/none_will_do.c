// No precondition helps: what it does is wrong with every heap.
//:: entry twice
//:: infer memsafety: unknown, memtrack: unknown, reach: unknown
#include <stdlib.h>

struct node { struct node *next; };

void twice(struct node *n) {
  free(n);
  n->next = 0;
}
