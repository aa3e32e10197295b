// not claimed: memtrack
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct item {
  int v;
  struct item *next;
};

struct group {
  struct item *items;
  int count;
  struct group *next;
};

int main(void) {
  struct group *all = NULL, *g;
  struct item *i;
  while (__VERIFIER_nondet_int()) {
    g = malloc(sizeof *g);
    g->items = NULL;
    g->count = 0;
    g->next = all;
    all = g;
    while (g->count < 100 && __VERIFIER_nondet_int()) {
      i = malloc(sizeof *i);
      i->v = g->count;
      i->next = g->items;
      g->items = i;
      g->count++;
    }
  }
  while (all != NULL) {
    g = all->next;
    if (all->items != NULL) {
      i = all->items->next;
      free(all->items);
      all->items = i;
    }
    free(all);
    all = g;
  }
  return 0;
}
