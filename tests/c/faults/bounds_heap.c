// One past the last element may be pointed to, but not written.
#include <stdlib.h>

int main(void) {
    int *a = malloc(4 * sizeof *a);
    int *end = a + 4;
    int n = 0;
    for (int *p = a; p != end; p++)
        *p = n++;
    //:: Fault(out-of-bounds)
    *end = n;
    free(a);
    return 0;
}
