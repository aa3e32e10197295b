//:: prove with machine integers: open
// One more than the largest number without sign is zero.
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    assert(n + 1 > 0);
    return 0;
}
