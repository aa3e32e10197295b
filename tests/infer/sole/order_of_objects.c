// Which of two objects comes first is not for the program to say.
//:: infer reach: unknown
#include <assert.h>
#include <stdlib.h>

int main(void) {
  char *p = malloc(1), *q = malloc(1);
  assert(p < q);
  free(p);
  free(q);
  return 0;
}
