// The variable of a block is another one in the next turn of the loop.
int main(void) {
    int *before = 0, sum = 0;
    for (int i = 0; i < 3; i++) {
        int x = i;
        if (before)
            //:: Fault(dangling-pointer)
            sum += *before;
        before = &x;
    }
    return sum;
}
