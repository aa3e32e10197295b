// A library without `main`: each function is analysed for itself, under the precondition that is found for it. One that has a
// contract is analysed under that.
//:: infer memsafety: safe, memtrack: safe, reach: safe
#include <stdlib.h>

struct cell { int data; struct cell *prev, *next; };
struct item { char *name; struct item *next; };

//@ requires exists p, n. c |-> {prev: p, next: n}
//@ ensures exists p, n. c |-> {prev: p, next: n} * result = n
struct cell *after(struct cell *c) {
  return c->next;
}

struct cell *push_front(struct cell *list, int data) {
  struct cell *c = malloc(sizeof *c);
  c->data = data;
  c->prev = NULL;
  c->next = list;
  if (list)
    list->prev = c;
  return c;
}

void drop(struct cell *list) {
  while (list) {
    struct cell *next = list->next;
    free(list);
    list = next;
  }
}

// Each item owns its name.
void drop_items(struct item *list) {
  while (list) {
    struct item *next = list->next;
    *list->name = 0;
    free(list->name);
    free(list);
    list = next;
  }
}
