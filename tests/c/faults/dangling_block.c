// The same for a block of the function itself. Blocks that are entered again have new objects.
int main(void) {
    int sum = 0;
    int *p = &sum;
    for (int i = 0; i < 3; i++) {
        int square = i * i;
        p = &square;
        sum += *p;
    }
    //:: Fault(dangling-pointer)
    return *p;
}
