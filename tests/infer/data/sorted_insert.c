// Cells are put where they belong: no cell holds more than the next one.
//:: infer memsafety: safe, memtrack: safe, reach: safe
//:: unchecked
#include <assert.h>
#include <stdlib.h>

int __VERIFIER_nondet_int(void);

struct cell { int key; struct cell *next; };

static struct cell *insert(struct cell *list, struct cell *c) {
  struct cell *p = list;
  if (list == NULL || c->key <= list->key) {
    c->next = list;
    return c;
  }
  while (p->next != NULL && p->next->key < c->key)
    p = p->next;
  c->next = p->next;
  p->next = c;
  return list;
}

int main(void) {
  struct cell *list = NULL, *p;
  while (__VERIFIER_nondet_int()) {
    p = malloc(sizeof *p);
    p->key = __VERIFIER_nondet_int();
    list = insert(list, p);
  }
  for (p = list; p != NULL && p->next != NULL; p = p->next)
    assert(p->key <= p->next->key);
  while (list != NULL) {
    p = list->next;
    free(list);
    list = p;
  }
  return 0;
}
