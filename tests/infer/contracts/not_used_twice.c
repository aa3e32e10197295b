// Two lists do not share cells: after one is freed the other is still there.
//:: entry f
//:: infer memsafety: safe, memtrack: safe, reach: safe
#include <stdlib.h>
struct node { int data; struct node *next; };

//@ requires exists n, m. a |-> {next: n} * b |-> {next: m}
//@ ensures b |-> {data: 1}
void f(struct node *a, struct node *b) {
  free(a);
  b->data = 1;
}
