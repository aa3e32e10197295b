// An assertion fails for some input; a failed assertion ends the program, so nothing is lost.
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int *p = malloc(sizeof *p);
    *p = __VERIFIER_nondet_int();
    //:: Fault(assertion-failed)
    assert(*p != 1);
    free(p);
    return 0;
}
