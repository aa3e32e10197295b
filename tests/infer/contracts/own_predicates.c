// Predicates of the user: doubly linked lists and trees, whatever they are called.
//:: entry both
//:: infer memsafety: safe, memtrack: safe, reach: safe
#include <stdlib.h>
struct pair { struct pair *next, *prev; };
struct tree { struct tree *left, *right; };

//@ pred chain(x, b, l, y) := x = y * b = l ||
//@   exists n. x |-> {next: n, prev: b} * chain(n, x, l, y);
//@ pred shrub(x) := x = nil || exists a, b. x |-> {left: a, right: b} * shrub(a) * shrub(b);
//@ requires exists l. chain(list, nil, l, nil) * shrub(root)
//@ ensures shrub(root)
void both(struct pair *list, struct tree *root) {
  struct tree *at = root;
  while (list) {
    struct pair *next = list->next;
    if (next)
      next->prev = 0;
    free(list);
    list = next;
  }
  while (at)
    at = at->left;
}
