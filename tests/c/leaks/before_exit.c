// What was lost before `exit` is lost.
#include <stdlib.h>

static void forget(void) {
    int *p = malloc(sizeof *p);
    *p = 1;
    //:: Fault(memory-leak)
}

int main(void) {
    forget();
    exit(0);
}
