// `exit` ends the program where it stands: nothing is lost.
#include <stdlib.h>

static void stop(int *p) {
    int *q = malloc(sizeof *q);
    *q = *p;
    exit(0);
}

int main(void) {
    int *p = malloc(sizeof *p);
    *p = 1;
    stop(p);
    return 0;
}
