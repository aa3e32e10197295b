// Without separation the second free may be of what is gone.
//:: entry f
//:: infer memsafety: unknown
#include <stdlib.h>
struct node { int data; struct node *next; };

//@ requires exists n. a |-> {next: n} * (a = b || b = nil)
void f(struct node *a, struct node *b) {
  free(a);
  if (b)
    b->data = 1;
}
