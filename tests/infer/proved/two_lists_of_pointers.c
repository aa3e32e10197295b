// Each cell of a list leads to a block of its own.
//:: infer memsafety: safe, memtrack: safe
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node { int *block; struct node *next; };

int main(void) {
  struct node *list = NULL, *p;
  while (__VERIFIER_nondet_int()) {
    p = malloc(sizeof *p);
    p->block = malloc(sizeof *p->block);
    *p->block = 0;
    p->next = list;
    list = p;
  }
  while (list) {
    p = list->next;
    *list->block = 1;
    free(list->block);
    free(list);
    list = p;
  }
  return 0;
}
