// The same program with a cell that is freed twice: if it is the second one.
//:: infer memsafety: unsafe@25
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node { struct node *next; };

int main(void) {
  struct node *list = NULL, *p, *second = NULL;
  while (__VERIFIER_nondet_int()) {
    p = malloc(sizeof *p);
    p->next = list;
    list = p;
  }
  if (list && list->next) {
    second = list->next;
    if (second->next)
      second = NULL;
  }
  while (list) {
    p = list->next;
    if (list == second)
      free(second);
    free(list);
    list = p;
  }
  return 0;
}
