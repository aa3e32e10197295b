//:: prove with machine integers: unproved
// A counter of type int gets too large, and is negative then.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    int n = 2147483000;
    while (__VERIFIER_nondet_int()) n = n + 1000;
    assert(n >= 0);
    return 0;
}
