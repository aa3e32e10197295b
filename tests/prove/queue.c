//:: prove safe, nothing is lost
// Records are put behind the last one, which leads nowhere: otherwise what it leads to would be lost.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
  int D;
  struct node *N;
};

int main(void) {
  struct node *first = NULL, *last = NULL, *t;
  while (__VERIFIER_nondet_int()) {
    t = malloc(sizeof *t);
    t->D = 1;
    t->N = NULL;
    if (last)
      last->N = t;
    else
      first = t;
    last = t;
  }
  while (first) {
    t = first->N;
    assert(first->D > 0);
    free(first);
    first = t;
  }
  return 0;
}
