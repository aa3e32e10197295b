// Division by an input.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    //:: Fault(division-by-zero)
    return 100 / x > 3;
}
