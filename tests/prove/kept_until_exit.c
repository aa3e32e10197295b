//:: prove safe, nothing is lost
// A program that exits has not lost what a variable leads to; one that returns has.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
  struct node *N;
};

int main(void) {
  struct node *t = malloc(sizeof *t);
  t->N = NULL;
  if (__VERIFIER_nondet_int())
    exit(1);
  free(t);
  return 0;
}
