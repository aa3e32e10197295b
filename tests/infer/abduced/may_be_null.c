// What is tested for null may be null; otherwise it is an object.
//:: entry push_front
//:: infer memsafety: safe, memtrack: safe, reach: safe
//:: requires (exists v1, v2, v3. list |-> {data: v1, prev: v2, next: v3}) || (emp * list = nil)
#include <stdlib.h>

struct cell { int data; struct cell *prev, *next; };

struct cell *push_front(struct cell *list, int data) {
  struct cell *c = malloc(sizeof *c);
  c->data = data;
  c->prev = NULL;
  c->next = list;
  if (list)
    list->prev = c;
  return c;
}
