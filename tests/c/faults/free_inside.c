// What is freed must be the start of an object.
#include <stdlib.h>

int main(void) {
    char *p = malloc(10);
    p += 1;
    //:: Fault(invalid-free)
    free(p);
    return 0;
}
