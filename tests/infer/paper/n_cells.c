// Cells that are in no list [MNCL06, Sec. 5]: each but the last is lost.
//:: infer memsafety: safe, memtrack: unsafe, reach: safe
//:: invariant emp
//:: invariant exists v. t |-> v
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
  int n = __VERIFIER_nondet_int();
  int *t = 0;
  while (n > 0) {
    t = malloc(sizeof *t);
    *t = 0;
    n = n - 1;
  }
  return 0;
}
