// A call of `reach_error` is an error, whatever it does.
extern int __VERIFIER_nondet_int(void);
extern void abort(void);
void reach_error(void) {}

int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x < 0 || x > 3)
        abort();
    //:: Fault(error-reached)
    if (x == 1) reach_error();
    return 0;
}
