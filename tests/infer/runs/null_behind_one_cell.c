// A list of one cell has no second one.
//:: infer memsafety: unsafe@18, memtrack: unsafe
//:: inputs 1 0
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node { int data; struct node *next; };

int main(void) {
  struct node *list = NULL;
  while (__VERIFIER_nondet_int()) {
    struct node *new = malloc(sizeof *new);
    new->data = 3;
    new->next = list;
    list = new;
  }
  if (list && list->next->data == 3)
    free(list->next);
  return 0;
}
