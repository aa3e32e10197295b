// A list in three parts: ones, then twos, then a single three, at which loops end without looking for null.
//:: infer memsafety: safe, memtrack: safe, reach: safe
#include <assert.h>
#include <stdlib.h>

int __VERIFIER_nondet_int(void);

struct cell { int part; struct cell *next; };

static struct cell *push(struct cell *list, int part) {
  struct cell *c = malloc(sizeof *c);
  c->part = part;
  c->next = list;
  return c;
}

int main(void) {
  struct cell *list = push(NULL, 3), *p;
  while (__VERIFIER_nondet_int())
    list = push(list, 2);
  while (__VERIFIER_nondet_int())
    list = push(list, 1);
  p = list;
  while (p->part == 1)
    p = p->next;
  while (p->part == 2)
    p = p->next;
  assert(p->part == 3);
  while (list->part != 3) {
    p = list->next;
    free(list);
    list = p;
  }
  free(list);
  return 0;
}
