// An index that another one brings back into the object is outside of its array all the same.
int __VERIFIER_nondet_int(void);

int main(void) {
    int grid[3][4] = {{0}};
    int i = __VERIFIER_nondet_int();
    if (i < -1 || i > 2)
        return 0;
    //:: Fault(out-of-bounds)
    return grid[i][3];
}
