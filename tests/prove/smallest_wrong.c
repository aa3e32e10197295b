//:: prove open
// As smallest.c, but the smallest element may come last, when it is no longer looked at.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct item {
  int price;
  struct item *next;
};

int main(void) {
  struct item *cart = NULL, *i;
  int least = 1000;
  while (__VERIFIER_nondet_int()) {
    i = malloc(sizeof *i);
    i->price = __VERIFIER_nondet_int();
    i->next = cart;
    cart = i;
    if (i->next != NULL && i->price < least)
      least = i->price;
  }
  for (i = cart; i != NULL; i = i->next)
    assert(least <= i->price);
  return 0;
}
