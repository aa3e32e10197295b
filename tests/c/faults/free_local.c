// What is freed must be on the heap.
#include <stdlib.h>

int main(void) {
    int local = 1;
    int *p = &local;
    //:: Fault(invalid-free)
    free(p);
    return 0;
}
