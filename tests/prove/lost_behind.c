//:: prove safe, memory may be lost
// What is behind the first record is lost when another one is put there.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
  int D;
  struct node *N;
};

int main(void) {
  struct node *first = malloc(sizeof *first), *t;
  first->D = 1;
  first->N = NULL;
  while (__VERIFIER_nondet_int()) {
    t = malloc(sizeof *t);
    t->D = 1;
    t->N = NULL;
    first->N = t;
  }
  while (first) {
    t = first->N;
    assert(first->D > 0);
    free(first);
    first = t;
  }
  return 0;
}
