// What is not supported is called by its name.
//:: Error(c.unsupported)
struct packed {
    char c;
} __attribute__((vector_size(16)));

int f(int n) {
    //:: Error(c.unsupported)
    int a[n];
    // Nothing is said of what follows from it.
    a[0] = 1;
    return a[0];
}

//:: Error(c.unsupported)
int g(int n, int m, int a[n][m]) {
    return a[0][0];
}

int main(void) {
    //:: Error(c.unsupported)
    const int *wide = (const int *)L"abc";
    //:: Error(c.unsupported)
    _Complex double z;
    return f(3) + g(1, 1, 0) + wide[0];
}
