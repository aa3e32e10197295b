// A jump leaves a block, too.
int main(void) {
    int *p;
    {
        int x = 4;
        p = &x;
        goto out;
    }
out:
    //:: Fault(dangling-pointer)
    return *p;
}
