// A list is deleted from its end, by a procedure that calls itself.
//:: infer memsafety: safe, memtrack: safe
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node { struct node *next; };

static void delete(struct node *list) {
  if (list) {
    delete(list->next);
    free(list);
  }
}

int main(void) {
  struct node *list = NULL;
  while (__VERIFIER_nondet_int()) {
    struct node *new = malloc(sizeof *new);
    new->next = list;
    list = new;
  }
  delete(list);
  return 0;
}
