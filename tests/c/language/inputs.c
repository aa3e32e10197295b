// Inputs: `assume` cuts paths, what is not initialised keeps its value, loops end by inputs.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);

int main(void) {
    int n;
    int same = n;
    assert(same == n);
    unsigned char c = __VERIFIER_nondet_uchar();
    assert(0 <= c && c <= 255);
    int x = __VERIFIER_nondet_int();
    __VERIFIER_assume(x > 0 && x < 10);
    int product = 1;
    while (__VERIFIER_nondet_int() && product < 100)
        product *= x;
    assert(product >= 1);
    return 0;
}
