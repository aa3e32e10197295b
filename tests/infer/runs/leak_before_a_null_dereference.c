// What is lost before a memory error is lost, whatever comes behind it.
//:: infer memsafety: unsafe@8, memtrack: unsafe@7, reach: unknown
#include <stdlib.h>

int main(void) {
  int *p = malloc(4);
  p = NULL;
  *p = 1;
  return 0;
}
