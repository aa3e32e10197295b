// No cell holds less than the minimum, which is looked for while the list is built.
//:: infer memsafety: safe, memtrack: unsafe, reach: safe
//:: unchecked
#include <assert.h>
#include <limits.h>
#include <stdlib.h>

int __VERIFIER_nondet_int(void);

struct cell { struct cell *next; int value; };

int main(void) {
  struct cell *list = NULL, *p;
  int min = INT_MAX;
  while (__VERIFIER_nondet_int()) {
    p = malloc(sizeof *p);
    p->value = __VERIFIER_nondet_int();
    p->next = list;
    list = p;
    if (p->value < min)
      min = p->value;
  }
  for (p = list; p != NULL; p = p->next)
    assert(p->value >= min);
  return 0;
}
