// Links back lead to the cell before.
//:: infer memsafety: safe, memtrack: safe, reach: safe
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node { struct node *next, *prev; };

int main(void) {
  struct node *list = NULL, *p;
  while (__VERIFIER_nondet_int()) {
    p = malloc(sizeof *p);
    p->next = list;
    p->prev = NULL;
    if (list)
      list->prev = p;
    list = p;
  }
  for (p = list; p; p = p->next)
    if (p->next)
      assert(p->next->prev == p);
  while (list) {
    p = list->next;
    free(list);
    list = p;
  }
  return 0;
}
