// Integers of the target: a counter without sign comes back to zero, and the bytes of the list are never too few.
//:: int machine
//:: infer memsafety: safe, memtrack: safe, reach: unsafe@14
#include <assert.h>
#include <stdlib.h>

unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
  unsigned long length = __VERIFIER_nondet_uchar();
  unsigned more = 0u - 1u + __VERIFIER_nondet_uchar();
  char *text = malloc(length + 1);
  text[length] = 0;
  assert(more >= 10);
  free(text);
  return 0;
}
