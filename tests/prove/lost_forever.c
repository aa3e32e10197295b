//:: prove safe, memory may be lost
// The program does not end, and loses a record in every turn.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
  struct node *N;
};

int main(void) {
  struct node *t = NULL;
  while (1) {
    t = malloc(sizeof *t);
    t->N = NULL;
  }
  return 0;
}
