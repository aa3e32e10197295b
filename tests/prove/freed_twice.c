//:: prove open
// The second loop starts at a list that the first one has freed.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
  int D;
  struct node *N;
};

int main(void) {
  struct node *x = NULL, *y, *t;
  while (__VERIFIER_nondet_int()) {
    t = malloc(sizeof *t);
    t->N = x;
    x = t;
  }
  y = x;
  while (x != NULL) {
    t = x->N;
    free(x);
    x = t;
  }
  if (y != NULL)
    free(y);
  return 0;
}
