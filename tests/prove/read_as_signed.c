//:: prove unproved
// A field is read as a number with a sign: the same bits are another number.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct byte {
    struct byte *next;
    unsigned char value;
};

int main(void) {
    struct byte *byte = malloc(sizeof *byte);
    byte->next = NULL;
    byte->value = __VERIFIER_nondet_int();
    int value = *(signed char *)&byte->value;
    free(byte);
    assert(value >= 0);
    return 0;
}
