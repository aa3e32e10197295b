//:: prove safe, nothing is lost
// An index behind a start that varies: two loops, and facts about two variables at once.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

static char from[64], to[16];

int main(void) {
  for (int block = 0; block < 4; block++) {
    int skip = __VERIFIER_nondet_int() ? 0 : 4;
    for (int i = skip; i < 16; i++)
      to[i - skip] = from[16 * block + i];
  }
  return 0;
}
