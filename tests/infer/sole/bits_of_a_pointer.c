// Low bits of addresses are up to the allocator.
//:: infer reach: unknown
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

int main(void) {
  char *p = malloc(1);
  assert(((uintptr_t)p & 15) == 0);
  free(p);
  return 0;
}
