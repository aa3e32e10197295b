//:: prove safe, memory may be lost
// Only a variable of a call that has returned leads to the record.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
  struct node *N;
};

static void make(void) {
  struct node *t = malloc(sizeof *t);
  t->N = NULL;
}

int main(void) {
  while (__VERIFIER_nondet_int())
    make();
  return 0;
}
