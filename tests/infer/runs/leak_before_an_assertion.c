// The assertion fails in every run; before it memory is lost, which is another matter.
//:: infer memsafety: safe, memtrack: unsafe@9, reach: unsafe@10
#include <assert.h>
#include <stdlib.h>

int main(void) {
  int *p = malloc(4);
  *p = 1;
  p = NULL;
  assert(p != NULL);
  free(p);
  return 0;
}
