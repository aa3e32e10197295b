// As many cells as were asked for, and the last one made comes first.
//:: infer memsafety: safe, memtrack: safe, reach: safe
//:: unchecked
#include <assert.h>
#include <stdlib.h>

int __VERIFIER_nondet_int(void);

struct cell { int number; struct cell *next; };

static int length(struct cell *list) {
  int n = 0;
  for (; list != NULL; list = list->next)
    n++;
  return n;
}

int main(void) {
  int wanted = __VERIFIER_nondet_int(), made = 0;
  struct cell *list = NULL, *c;
  while (made < wanted) {
    c = malloc(sizeof *c);
    c->number = made++;
    c->next = list;
    list = c;
  }
  assert(length(list) == made);
  while (list != NULL) {
    made--;
    assert(list->number == made);
    c = list->next;
    free(list);
    list = c;
  }
  assert(made == 0);
  return 0;
}
