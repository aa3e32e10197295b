// A function pointer that is null is called.
#include <stdlib.h>

typedef int (*operation)(int, int);
static int add(int a, int b) { return a + b; }

int main(void) {
    operation table[2] = {add};
    int sum = table[0](1, 2);
    //:: Fault(null-dereference)
    return table[1](sum, 1);
}
