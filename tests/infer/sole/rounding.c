// How precisely floating-point numbers are added is up to the compiler.
//:: infer reach: unknown
#include <assert.h>

int main(void) {
  float a = 0.1f, b = 0.2f;
  assert(a + b == 0.3f);
  return 0;
}
