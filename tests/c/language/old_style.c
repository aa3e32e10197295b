// Implicit `int` and implicit declarations are warnings.
#include <stdio.h>

//:: Warning(c.warning)
static counter;

int add(a, b)
int a;
int b;
{
    return a + b;
}

int main() {
    counter = add(2, 3);
    //:: Warning(c.warning)
    int n = unknown(counter);
    printf("%d\n", counter);
    //> 5
    return n == n ? 0 : 1;
}

//:: Warning(c.warning)
forgotten(int n) {
    return n + 1;
}
