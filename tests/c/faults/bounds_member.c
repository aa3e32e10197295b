// An array in a record has bounds of its own, though what is behind it belongs to the same object.
int __VERIFIER_nondet_int(void);
struct buffer { int data[4]; int guard; };

int main(void) {
    struct buffer b = {{1, 2, 3, 4}, 5};
    int i = __VERIFIER_nondet_int();
    int *end = &b.data[4];
    if (end == &b.guard && i >= 0 && i <= 4) {
        //:: Fault(out-of-bounds)
        return b.data[i];
    }
    return 0;
}
