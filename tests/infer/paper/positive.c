// The sum of the positive elements is not negative [MNCL06, Sec. 3.5].
//:: entry positive
//:: infer memsafety: safe, memtrack: safe, reach: safe
//:: invariant curr = hd * ls(hd, nil) * x = 0
//:: invariant curr != hd * ls(hd, curr) * ls(curr, nil) * 0 <= x
#include <assert.h>

struct node { int data; struct node *next; };

//@ requires ls(hd, nil)
int positive(struct node *hd) {
  struct node *curr = hd;
  int x = 0;
  while (curr != 0) {
    int t = curr->data;
    if (t > 0)
      x = x + t;
    curr = curr->next;
  }
  assert(x >= 0);
  return x;
}
