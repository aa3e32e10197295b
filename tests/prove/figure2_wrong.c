//:: prove open
// As Fig. 2 of [ABCK15], but the first element is asserted to be positive and may be zero.
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
  while (i >= 0) {
    struct node *tmp = malloc(sizeof *tmp);
    tmp->N = x;
    tmp->D = i;
    x = tmp;
    i--;
  }
  while (x != NULL) {
    assert(x->D > 0);
    x = x->N;
  }
  return 0;
}
