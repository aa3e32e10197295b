// What nobody needs is computed all the same.
int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    //:: Fault(overflow)
    (void)(x << 4);
    return 0;
}
