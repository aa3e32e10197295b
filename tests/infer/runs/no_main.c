// Without `main`, each function is asked about: this one has no inputs but its parameter.
//:: infer memsafety: safe, memtrack: safe, reach: unsafe@6
#include <assert.h>

void f(int n) {
  assert(n != 7);
}
