//:: prove safe
// [ABCK15, Fig. 2]: the elements are at least the counter, so they are not negative at the end.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
  int D;
  struct node *N;
};

int main(void) {
  int i = __VERIFIER_nondet_int();
  struct node *x = NULL;
  while (i != 0) {
    struct node *tmp = malloc(sizeof *tmp);
    tmp->N = x;
    tmp->D = i;
    x = tmp;
    i--;
  }
  while (x != NULL) {
    assert(x->D >= 0);
    x = x->N;
  }
  return 0;
}
