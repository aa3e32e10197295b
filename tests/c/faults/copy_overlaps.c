// `memcpy` is for ranges that do not overlap, `memmove` for all.
#include <string.h>

int main(void) {
    char text[16] = "abcdef";
    memmove(text + 1, text, 6);
    //:: Fault(out-of-bounds)
    memcpy(text + 1, text, 6);
    return text[1];
}
