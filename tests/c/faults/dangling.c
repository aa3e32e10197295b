// A local variable is used after its block, by the pointer that a function returned.
static int *leak_address(int n) {
    int local = n;
    int *p = &local;
    return p;
}

int main(void) {
    int *p = leak_address(3);
    //:: Fault(dangling-pointer)
    return *p;
}
