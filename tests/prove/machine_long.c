//:: prove with machine integers: safe
// A sum of two numbers of type int always fits into a long; as an int it may not.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    long sum = (long)a + b;
    if (a > 0 && b > 0) assert(sum > a);
    unsigned char byte = (unsigned char)a;
    assert(byte <= 255);
    return 0;
}
