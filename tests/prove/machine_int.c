//:: prove with machine integers: unproved
// A sum of two positive numbers of type int may be negative.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    int sum = a + b;
    if (a > 0 && b > 0) assert(sum > a);
    unsigned char byte = (unsigned char)a;
    assert(byte <= 255);
    return 0;
}
