// Two names of one object, both freed.
#include <stdlib.h>

int main(void) {
    int *p = malloc(sizeof *p);
    int *q = p;
    free(NULL);
    free(p);
    //:: Fault(double-free)
    free(q);
    return 0;
}
