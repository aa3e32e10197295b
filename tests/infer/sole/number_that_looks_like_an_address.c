// A number that happens to be where an object is keeps nothing alive.
//:: infer memtrack: unknown
#include <stdlib.h>

unsigned long numbers[4] = {16777216, 16777217, 16777232, 16777264};

int main(void) {
  void *p = malloc(8);
  p = NULL;
  return p != NULL;
}
