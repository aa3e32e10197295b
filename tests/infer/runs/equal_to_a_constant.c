// Inputs that random numbers do not hit: numbers of the program, and by how much the sides of conditions differ.
//:: infer memsafety: unsafe@12, memtrack: unknown, reach: unknown
//:: inputs 123456 -99
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
  int *p = NULL, x = 0;
  if (__VERIFIER_nondet_int() == 123456)
    if (__VERIFIER_nondet_int() + 100 == 1)
      x = *p;
  return x;
}
