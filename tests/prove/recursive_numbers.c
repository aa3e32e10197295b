//:: prove safe
// No heap at all: what a recursive procedure returns is found by the contract that its caller needs.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

static int above(int n) {
    if (n > 100) return n;
    return above(n + 3);
}

int main(void) {
    int n = __VERIFIER_nondet_int();
    int m = above(n);
    assert(m > 100 && m >= n);
    return 0;
}
