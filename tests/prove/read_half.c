//:: prove unproved
// Half of an object is read.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    long whole = __VERIFIER_nondet_int();
    long *at = &whole;
    *at = *at * 65536;
    int half = *(int *)at;
    assert(half == whole);
    return 0;
}
