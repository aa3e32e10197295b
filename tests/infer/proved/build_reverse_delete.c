// A list of any length is built, reversed and deleted.
//:: infer memsafety: safe, memtrack: safe, reach: safe
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node { int data; struct node *next; };

int main(void) {
  struct node *list = NULL, *done = NULL, *p;
  while (__VERIFIER_nondet_int()) {
    p = malloc(sizeof *p);
    p->data = 3;
    p->next = list;
    list = p;
  }
  while (list) {
    p = list->next;
    list->next = done;
    done = list;
    list = p;
  }
  while (done) {
    assert(done->data == 3);
    p = done->next;
    free(done);
    done = p;
  }
  return 0;
}
