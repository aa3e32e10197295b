//:: prove safe
// A list that grows at its end: a segment up to the last record, which is kept by itself.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
  int D;
  struct node *N;
};

int main(void) {
  struct node *head = malloc(sizeof *head), *last = head, *t;
  head->D = 5;
  head->N = NULL;
  while (__VERIFIER_nondet_int()) {
    t = malloc(sizeof *t);
    t->D = 7;
    t->N = NULL;
    last->N = t;
    last = t;
  }
  for (t = head; t != NULL; t = t->N)
    assert(t->D >= 5);
  return 0;
}
