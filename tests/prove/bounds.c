//:: prove safe
// Two refinements of one list, and an array that its elements index.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct slot {
  struct slot *next;
  int at;
};

static int table[64];

int main(void) {
  struct slot *all = NULL, *s;
  int n = 0;
  while (n < 64 && __VERIFIER_nondet_int()) {
    s = malloc(sizeof *s);
    s->at = n;
    s->next = all;
    all = s;
    n = n + 1;
  }
  for (s = all; s != NULL; s = s->next)
    table[s->at] = 1;
  while (all != NULL) {
    s = all->next;
    free(all);
    all = s;
  }
  return 0;
}
