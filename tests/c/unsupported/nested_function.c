// A function inside of a function.
int main(void) {
    int k = 3;
    //:: Error(c.unsupported)
    int f(int x) { return x + k; }
    return f(2);
}
