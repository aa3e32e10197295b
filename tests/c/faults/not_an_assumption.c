// A function without a body cuts no paths, whatever its name.
extern int __VERIFIER_nondet_int(void);
extern void assume(int condition);
extern void reach_error(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    assume(x != 1);
    //:: Fault(error-reached)
    if (x == 1) reach_error();
    return 0;
}
