//:: prove safe, nothing is lost
// A count of handles and one in the object go up and down together: an equation is all that is needed.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct object {
  int references;
};

int main(void) {
  struct object *o = malloc(sizeof *o);
  int handles = 1;
  o->references = 1;
  while (handles > 0) {
    if (__VERIFIER_nondet_int()) {
      o->references++;
      handles++;
    } else {
      handles--;
      if (--o->references == 0)
        free(o);
    }
  }
  return 0;
}
