// A pointer that was never set is dereferenced; copying it is no error.
#include <stdlib.h>

int main(void) {
    int **cell = malloc(sizeof *cell);
    int *copy = *cell;
    free(cell);
    //:: Fault(uninitialised-pointer)
    return *copy;
}
