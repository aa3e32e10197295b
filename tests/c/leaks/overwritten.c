// The only pointer to a block is overwritten.
#include <stdlib.h>

int main(void) {
    int *p = malloc(sizeof *p);
    //:: Fault(memory-leak)
    p = malloc(sizeof *p);
    free(p);
    return 0;
}
