// Memory that was freed may be given out again: the pointers may be equal.
//:: infer reach: unknown
#include <assert.h>
#include <stdlib.h>

int main(void) {
  char *p = malloc(1), *q;
  free(p);
  q = malloc(1);
  assert(p != q);
  free(q);
  return 0;
}
