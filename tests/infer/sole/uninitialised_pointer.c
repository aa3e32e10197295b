// A pointer that was never set may be null: one run does not show that it is not.
//:: infer memsafety: safe, reach: unknown
#include <assert.h>
#include <stddef.h>

int main(void) {
  int *p;
  assert(p != NULL);
  return 0;
}
