// A parameter is a variable of its function.
static int *address(int x) {
    int *p = &x;
    return p;
}

int main(void) {
    int *p = address(3);
    //:: Fault(dangling-pointer)
    return *p;
}
