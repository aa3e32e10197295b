// A flexible array ends where its object does.
#include <stdlib.h>

struct flexible { int count; int data[]; };

int main(void) {
    struct flexible *f = malloc(sizeof *f + 2 * sizeof(int));
    f->data[1] = 1;
    //:: Fault(out-of-bounds)
    f->data[2] = 1;
    free(f);
    return 0;
}
