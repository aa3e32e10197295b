// It takes a list of ten cells to get there: runs that come further than others are changed.
//:: infer memsafety: unsafe@25
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node { int data; struct node *next; };

int main(void) {
  struct node *list = NULL;
  int n = 0;
  while (__VERIFIER_nondet_int() == 7) {
    struct node *new = malloc(sizeof *new);
    new->next = list;
    list = new;
    n++;
  }
  while (list) {
    struct node *next = list->next;
    free(list);
    list = next;
  }
  if (n == 10) {
    int *p = NULL;
    *p = 1;
  }
  return 0;
}
