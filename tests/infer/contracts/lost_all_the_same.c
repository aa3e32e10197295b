// A cell that was allocated is nobody's: only what is given belongs to the caller.
//:: entry forget
//:: infer memsafety: safe, memtrack: unknown
#include <stdlib.h>
struct node { int data; struct node *next; };

//@ requires ls(list, nil)
void forget(struct node *list) {
  struct node *more = malloc(sizeof *more);
  more->next = list;
}
