// A copy of a string without its last byte.
#include <stdlib.h>
#include <string.h>

int main(void) {
    const char *text = "lance";
    char *copy = malloc(strlen(text));
    //:: Fault(out-of-bounds)
    memcpy(copy, text, strlen(text) + 1);
    free(copy);
    return 0;
}
