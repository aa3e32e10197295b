// Nobody keeps the result.
#include <stdlib.h>

int main(void) {
    //:: Fault(memory-leak)
    malloc(8);
    return 0;
}
