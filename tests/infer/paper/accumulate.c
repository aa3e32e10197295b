// The sum is kept in a cell of the heap [MNCL06, Sec. 3.4.4].
//:: entry accumulate
//:: infer memsafety: safe, memtrack: safe, reach: safe
//:: invariant exists v. ls(hd, curr) * ls(curr, nil) * accum |-> v
#include <stdlib.h>

struct node { int data; struct node *next; };

//@ requires ls(hd, nil)
int accumulate(struct node *hd) {
  int *accum = malloc(sizeof *accum);
  struct node *curr = hd;
  int total;
  *accum = 0;
  while (curr != 0) {
    int s = curr->data;
    int t = *accum;
    *accum = s + t;
    curr = curr->next;
  }
  total = *accum;
  free(accum);
  return total;
}
