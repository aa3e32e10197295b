// An array of a function, one index too far.
int main(void) {
    int a[4], sum = 0;
    for (int i = 0; i <= 4; i++) {
        //:: Fault(out-of-bounds)
        a[i] = i;
        sum += a[i];
    }
    return sum;
}
