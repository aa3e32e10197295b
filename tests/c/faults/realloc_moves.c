// After `realloc` nothing is at the old place.
#include <stdlib.h>

int main(void) {
    int *p = malloc(sizeof *p), *q;
    *p = 1;
    q = realloc(p, 100 * sizeof *p);
    //:: Fault(use-after-free)
    int r = *p;
    free(q);
    return r;
}
