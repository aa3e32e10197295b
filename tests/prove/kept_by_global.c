//:: prove safe, nothing is lost
// A global variable leads to the records when the program returns.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
  struct node *N;
};

static struct node *all;

int main(void) {
  all = malloc(sizeof *all);
  all->N = malloc(sizeof *all);
  all->N->N = NULL;
  return 0;
}
