// A list is deleted, and its memory freed [MNCL06, Sec. 6].
//:: entry delete
//:: infer memsafety: safe, memtrack: safe, reach: safe
//:: invariant ls(hd, nil)
#include <stdlib.h>

struct node { int data; struct node *next; };

//@ requires ls(hd, nil)
void delete(struct node *hd) {
  while (hd != 0) {
    struct node *next = hd->next;
    free(hd);
    hd = next;
  }
}
